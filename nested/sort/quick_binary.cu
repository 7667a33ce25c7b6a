// quick_binary: quicksort into two parts by the middle of their range of values; a child for each.
//
//     divide(part): as many blocks as it has keys for
//         move keys up to the middle of the part's range to its left end, the others to its right end
//         the last block, for each half: launch divide(), or leaf() if it has at most `grain` keys, or copy() if all
//             are equal
//     leaf(part): one block sorts it (by distribution in shared memory, or by a network)
//
// Launches: one per part below the root; fewer with `aggregate`. By the oracle, because they depend on the input, but not
// on the order of execution: parts are ranges of values.
// Hazards: none. The last block arrives with acquire-release order at the part's counter, so it and its children see
// what all blocks wrote. Keys move between two arrays, and only one grid uses a part of them. Not stable.
// Source: NVIDIA cuda-samples, cdpAdvancedQuicksort, with its order repaired; Sedgewick, "Algorithms in C", 3rd ed.,
// section 10.2 (radix exchange sort).
#include "workloads/sort/sort.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct QuickBinary {
    static constexpr std::array kMechanisms{Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream, Mechanism::tail};
    static constexpr StrategyInfo info{
        .name = "quick_binary",
        .workload = &workloads::sort,
        .mechanisms = kMechanisms,
        .summary = "quicksort into two parts by the middle of their range of values",
        .hazards = "none: the last block to arrive launches; not stable",
        .source = "Sedgewick, Algorithms in C, 3rd ed., section 10.2",
        .axes = {axis::grain},
        .offers = true,
    };
    static constexpr SortForm form = SortForm::binary;
    using Expand = ExpandSort<true>;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static OfferSetup<Expand> prepare(const SortJob& job) { return set_up_offers<Expand>(job, job.task); }

    static void run(const SortJob& job, const OfferSetup<Expand>& setup)
    {
        launch_offers<QuickBinary>(job, setup.run, job.point.block);
    }
};

const Register<QuickBinary, SortRoom> quick_binary;

} // namespace nestbed::inline NESTBED_BACKEND
