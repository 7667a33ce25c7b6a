// mandelbrot_split: the recursion of Mariani and Silver; a child for every part of a divided region; blocks fill and compute.
//
//     root(image): division * division blocks, one region each
//     test(region): one block
//         compute the dwells of the border, until two differ
//         if all are equal: fill the region
//         if its parts would be no longer than `grain`: compute the region
//         otherwise: for each of its fanout * fanout parts: launch test(part)
//
// Launches: one per region below the root; fewer with `aggregate`: one per divided region with `block`, one per level
// with `grid`. By the oracle, because they depend on the input.
// Hazards: none. Only one grid writes each pixel. Items of a launch are written before a barrier (warp, block) or before
// an arrival with acquire-release order (grid).
// Source: Adinets, "Adaptive Parallel Computation with CUDA Dynamic Parallelism", NVIDIA 2014; Quezada, Navarro et al.,
// "Modeling GPU Dynamic Parallelism for Self Similar Density Workloads", FGCS 2023.
#include "workloads/mandelbrot/mandelbrot.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct MandelbrotSplit {
    static constexpr std::array kMechanisms{Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream, Mechanism::tail};
    static constexpr StrategyInfo info{
        .name = "mandelbrot_split",
        .workload = &workloads::mandelbrot,
        .mechanisms = kMechanisms,
        .summary = "a child for every part of a divided region; blocks fill and compute",
        .hazards = "none: the items of a launch are written before a barrier or an arrival",
        .source = "Adinets, Adaptive Parallel Computation with CUDA Dynamic Parallelism, 2014",
        .offers = true,
    };
    using Expand = ExpandMandelbrot<false>;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static OfferSetup<Expand> prepare(const MandelbrotJob& job) { return set_up_offers<Expand>(job, job.task); }

    static void run(const MandelbrotJob& job, const OfferSetup<Expand>& setup)
    {
        launch_offers<MandelbrotSplit>(job, setup.run, job.point.block);
    }
};

const Register<MandelbrotSplit, MandelbrotRoom> mandelbrot_split;

} // namespace nestbed::inline NESTBED_BACKEND
