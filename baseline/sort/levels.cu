// sort_levels: the quicksort of quick_kway level by level: the host launches one grid per level.
//
//     host: launch the root grid
//     repeat: read how many blocks the level's items need; launch a grid of as many, until there are none
//
// Launches: none from the device; one per level from the host, which waits for each level to learn the size of the next.
// Hazards: none. A grid starts when the grid before it is complete. Not stable.
// Source: as quick_kway.
#include "device/parts/offer_levels.hpp"
#include "workloads/sort/sort.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct SortLevels {
    static constexpr StrategyInfo info{
        .name = "sort_levels",
        .workload = &workloads::sort,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: one grid per level of quick_kway, launched by the host",
        .hazards = "none: a grid starts when the grid before it is complete; not stable",
        .source = "Sedgewick, Algorithms in C, 3rd ed., section 10.3",
        .axes = {axis::grain, axis::fanout},
        .waits = true,
    };
    static constexpr SortForm form = SortForm::kway;
    using Expand = ExpandSort<false>;

    static HostLevels<Expand> prepare(const SortJob& job)
    {
        return host_levels(job, set_up_offers<Expand>(job, job.task));
    }

    static void run(const SortJob& job, const HostLevels<Expand>& levels) { run_levels(job, levels); }
};

const Register<SortLevels, SortRoom> sort_levels;

} // namespace nestbed::inline NESTBED_BACKEND
