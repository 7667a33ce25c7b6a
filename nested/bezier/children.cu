// bezier_children: a child for the points of every line.
//
//     root(lines): one thread per line
//         n = the line's number of points, by its curvature
//         if n < threshold: the thread computes the points
//         otherwise: offer the line; a child grid with ceil(n / (block * coarsen)) blocks computes them
//
// Launches: one per offered line, or one per group of lines (`aggregate`): by the oracle, because they depend on the
// input.
// Hazards: none. The lines are only read, and only one thread writes each point. Items of a launch are written before a
// barrier (warp, block) or before an arrival with acquire-release order (grid).
// Source: NVIDIA cuda-samples, cdpBezierTessellation; KLAP, MICRO 2016, benchmark BT.
#include "workloads/bezier/bezier.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct BezierChildren {
    static constexpr std::array kMechanisms{Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream, Mechanism::tail};
    static constexpr StrategyInfo info{
        .name = "bezier_children",
        .workload = &workloads::bezier,
        .mechanisms = kMechanisms,
        .summary = "a child for the points of every line",
        .hazards = "none: the items of a launch are written before a barrier or an arrival",
        .source = "NVIDIA cuda-samples, cdpBezierTessellation",
        .offers = true,
    };

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static OfferSetup<ExpandBezier> prepare(const BezierJob& job)
    {
        return set_up_offers<ExpandBezier>(job, job.task);
    }

    static void run(const BezierJob& job, const OfferSetup<ExpandBezier>& setup)
    {
        launch_offers<BezierChildren>(job, setup.run, job.point.block);
    }
};

const Register<BezierChildren, BezierRoom> bezier_children;

} // namespace nestbed::inline NESTBED_BACKEND
