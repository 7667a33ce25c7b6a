// hello: nested hello world. Every thread greets; thread 0 of each block launches the next level.
//
//     hello(size):                                blocks of `size` threads
//         every thread: print "Recursion=D: Hello World from thread T block B"
//         if size == 1: return
//         thread 0: launch hello(size/2), one block of size/2 threads
//                   print "-------> nested execution depth: D+1"
//
// A child grid has one block, so below the root every block is block 0.
// Launches: every root block launches one child a level, log2(block) levels: grid * log2(block).
// Hazards: none: the levels share no data but a counter, which is atomic. The order of the lines is not defined.
// Source: Professional CUDA C Programming, chapter 3, "nestedHelloWorld". The lines are printed on request only:
// `nestbed hello`; a sweep counts the greetings instead.
#include "device/workloads/greeting.hpp"

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

template <bool Aloud, class AnyNest>
__global__ void nested_hello(unsigned size, unsigned long long* greetings, AnyNest nest)
{
    const auto scope = nest.enter();
    const unsigned tid = threadIdx.x;
    if constexpr (Aloud)
        printf("Recursion=%u: Hello World from thread %u block %u\n", nest.depth, tid, blockIdx.x);
    atomicAdd(greetings, 1ULL);
    if (size == 1 || nest.last_level() || tid != 0)
        return;
    const unsigned half = size / 2;
    const bool launched = launch_child<nested_hello<Aloud, AnyNest>>(nest, {1, half}, half, greetings);
    if constexpr (Aloud) {
        if (launched)
            printf("-------> nested execution depth: %u\n", nest.depth + 1);
    }
    static_cast<void>(launched);
}

struct Hello {
    static constexpr StrategyInfo info{
        .name = "hello",
        .workload = "hello",
        .mechanisms = kOnly<Mechanism::null_stream>,
        .summary = "nested hello world: a child of half the threads a block a level",
        .hazards = "none: the levels share only an atomic counter",
        .source = "Professional CUDA C Programming, ch. 3, nestedHelloWorld",
    };

    static ExpectedLaunches launches(const Case& point)
    {
        return ExpectedLaunches::chain_per_block(point.grid, levels_within(point, log2_of(point.block)));
    }

    static void run(const Greeting& job)
    {
        for_each_wave(job.plan, [&](const Wave& wave) {
            const LaunchShape shape{wave.blocks, job.block};
            const Nest root{.ledger = job.ledger, .max_depth = job.max_depth};
            if (job.aloud)
                host_launch<nested_hello<true, Nest>>(job.context, wave.stream, shape, job.block, job.greetings,
                                                      root);
            else
                with_nest(job.tracer, root, [&](auto nest) {
                    host_launch<nested_hello<false, decltype(nest)>>(job.context, wave.stream, shape, job.block,
                                                                     job.greetings, nest);
                });
        });
    }
};

const RegisterGreeting<Hello> hello;

} // namespace NESTBED_BACKEND
} // namespace nestbed
