// quick_kway: quicksort into many parts; a child for every part that is still too long, and for every leaf.
//
//     count(part): as many blocks as it has keys for
//         parts = up to `fanout` ranges of values of equal width (a digit of the key)
//         count the keys of each part; the last block: if all keys are equal, launch copy(part) or nothing
//         if all are in one part: launch count() of a narrower range; otherwise: launch scatter(part)
//     scatter(part): move the keys to their parts
//         the last block, for each part: launch count(), or leaf() if it has at most `grain` keys
//     leaf(part): one block sorts it (by distribution in shared memory, or by a network)
//
// Launches: two per divided part and one per leaf; fewer with `aggregate`: one per level with `grid`. By the oracle, because
// they depend on the input, but not on the order of execution: parts are ranges of values.
// Hazards: none. The last block arrives with acquire-release order at the part's counter, so it and its children see
// what all blocks wrote. Keys move between two arrays, and only one grid uses a part of them. Not stable.
// Source: Sedgewick, "Algorithms in C", 3rd ed., section 10.3 (MSD radix sort).
#include "workloads/sort/sort.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct QuickKway {
    static constexpr std::array kMechanisms{Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream, Mechanism::tail};
    static constexpr StrategyInfo info{
        .name = "quick_kway",
        .workload = &workloads::sort,
        .mechanisms = kMechanisms,
        .summary = "quicksort into many parts: children count, move and sort them",
        .hazards = "none: the last block to arrive launches; not stable",
        .source = "Sedgewick, Algorithms in C, 3rd ed., section 10.3",
        .axes = {axis::grain, axis::fanout},
        .offers = true,
    };
    static constexpr SortForm form = SortForm::kway;
    using Expand = ExpandSort<false>;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static OfferSetup<Expand> prepare(const SortJob& job) { return set_up_offers<Expand>(job, job.task); }

    static void run(const SortJob& job, const OfferSetup<Expand>& setup)
    {
        launch_offers<QuickKway>(job, setup.run, job.point.block);
    }
};

const Register<QuickKway, SortRoom> quick_kway;

} // namespace nestbed::inline NESTBED_BACKEND
