// bezier_unordered: bezier_children without the barrier between the items of a launch and the launch.
//
//     the threads of a block write their items; thread 0 launches one child for all of them
//
// Launches: as bezier_children with `aggregate = block`.
// Hazards: RACY, on purpose. A child is guaranteed to see only what the launching thread wrote before the launch.
// The items of the other threads may arrive too late.
// Source: CUDA C++ Programming Guide, "Dynamic Parallelism", memory coherence and consistency.
#include "workloads/bezier/bezier.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct BezierUnordered {
    static constexpr StrategyInfo info{
        .name = "bezier_unordered",
        .workload = &workloads::bezier,
        .mechanisms = kOnly<Mechanism::fire_and_forget>,
        .summary = "bezier_children without the barrier before the launch",
        .hazards = "racy: the child may not see the items that other threads of its parent wrote",
        .source = "CUDA C++ Programming Guide, Dynamic Parallelism",
        .axes = {axis::delay},
        .racy = true,
        .offers = true,
    };

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static OfferSetup<ExpandBezier> prepare(const BezierJob& job)
    {
        return set_up_offers<ExpandBezier>(job, job.task);
    }

    static void run(const BezierJob& job, const OfferSetup<ExpandBezier>& setup)
    {
        constexpr bool kOrdered = false;
        launch_offers<BezierUnordered, ExpandBezier, kOrdered>(job, setup.run, job.point.block);
    }
};

const Register<BezierUnordered, BezierRoom> bezier_unordered;

} // namespace nestbed::inline NESTBED_BACKEND
