// quick_simple: quicksort as in a textbook; a grid of one thread for each side.
//
//     sort(keys): one thread
//         if there are at most `grain` keys, or this is the last level: sort them alone (heapsort)
//         otherwise: divide them in place by the middle key; launch sort() for each side of two keys or more
//
// Launches: one per side of two keys or more. By the oracle, which divides the same keys in the same way.
// Hazards: none. A child sees what the thread that launches it wrote, and no other thread writes its keys. Not stable.
// Source: NVIDIA cuda-samples, cdpSimpleQuicksort (selection sort below 32 keys and at depth 16).
#include "workloads/sort/sort.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class Nest>
__global__ void quick_simple(SortTask task, unsigned first, unsigned count, Nest nest)
{
    const auto scope = nest.enter();
    const SortArray& array = task.at(SortPlace::out);
    atomicAdd(task.work, static_cast<unsigned long long>(count));
    if (count <= task.grain || nest.last_level()) {
        sort_serially(array, first, count, task.order);
        return;
    }
    const SortHalves halves = divide_in_place(count, RankAt{array.keys + first, task.order}, SwapKeys{array, first});
    if (halves.lower > 1)
        launch<quick_simple<Nest>>(nest, {1, 1}, task, first, halves.lower);
    if (count - halves.upper > 1)
        launch<quick_simple<Nest>>(nest, {1, 1}, task, first + halves.upper, count - halves.upper);
}

struct QuickSimple {
    static constexpr StrategyInfo info{
        .name = "quick_simple",
        .workload = &workloads::sort,
        .mechanisms = kChildrenByKernel,
        .summary = "quicksort in place, a grid of one thread for each side",
        .hazards = "none: a child reads only what its own launcher wrote; not stable",
        .source = "NVIDIA cuda-samples, cdpSimpleQuicksort",
        .axes = {SortParameter::grain},
    };
    static constexpr SortForm form = SortForm::simple;
    static constexpr bool in_place = true;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static void run(const SortJob& job)
    {
        launch_waves<QuickSimple>(job, [&](const auto& wave, auto nest) {
            host_launch<quick_simple<decltype(nest)>>(wave, 1, job.task, 0U, job.task.count, nest);
        });
    }
};

const Register<QuickSimple, SortTraits> quick_simple_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
