// mandelbrot_naive: the recursion of Mariani and Silver; a child to divide, to fill and to compute every region.
//
//     root(image): division * division blocks, one region each
//     test(region): one block
//         compute the dwells of the border, until two differ
//         if all are equal: launch fill(region)
//         if its parts would be no longer than `grain`: launch compute(region)
//         otherwise: for each of its fanout * fanout parts: launch test(part)
//     fill(region), compute(region): as many blocks as the region has pixels for
//
// Launches: one per region below the root, one per fill and one per computed region; fewer with `aggregate`. By the
// oracle, because they depend on the input.
// Hazards: none. Only one grid writes each pixel. Items of a launch are written before a barrier (warp, block) or before
// an arrival with acquire-release order (grid).
// Source: Adinets, "Adaptive Parallel Computation with CUDA Dynamic Parallelism", NVIDIA 2014; Quezada, Navarro et al.,
// "Modeling GPU Dynamic Parallelism for Self Similar Density Workloads", FGCS 2023.
#include "workloads/mandelbrot/mandelbrot.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct MandelbrotNaive {
    static constexpr std::array kMechanisms{Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream, Mechanism::tail};
    static constexpr StrategyInfo info{
        .name = "mandelbrot_naive",
        .workload = &workloads::mandelbrot,
        .mechanisms = kMechanisms,
        .summary = "a child to divide, to fill and to compute every region",
        .hazards = "none: the items of a launch are written before a barrier or an arrival",
        .source = "Adinets, Adaptive Parallel Computation with CUDA Dynamic Parallelism, 2014",
        .offers = true,
    };
    static constexpr bool naive = true;
    using Expand = ExpandMandelbrot<naive>;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static OfferSetup<Expand> prepare(const MandelbrotJob& job) { return set_up_offers<Expand>(job, job.task); }

    static void run(const MandelbrotJob& job, const OfferSetup<Expand>& setup)
    {
        launch_offers<MandelbrotNaive>(job, setup.run, job.point.block);
    }
};

const Register<MandelbrotNaive, MandelbrotRoom> mandelbrot_naive;

} // namespace nestbed::inline NESTBED_BACKEND
