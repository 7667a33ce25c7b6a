// hello: nested hello world. Every thread greets; thread 0 of each block launches the next level.
//
//     hello(size):                                blocks of `size` threads
//         every thread: print "Recursion=D: Hello World from thread T block B"
//         if size == 1: return
//         thread 0: launch hello(size/2), one block of size/2 threads
//                   print "-------> nested execution depth: D+1"
//
// A child grid has one block, so below the root every block is block 0.
// Launches: every root block launches one child per level, log2(block) levels: grid * log2(block).
// Hazards: none. The levels share only an atomic counter. The order of the printed lines is undefined.
// Source: Professional CUDA C Programming, chapter 3, "nestedHelloWorld". Only `nestbed draw hello` prints the lines;
// a sweep counts the greetings instead.
#include "workloads/hello/greeting.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <bool Aloud, class Nest>
__global__ void nested_hello(unsigned size, unsigned long long* greetings, Nest nest)
{
    const auto scope = nest.enter();
    const unsigned tid = threadIdx.x;
    if (Aloud)
        printf("Recursion=%u: Hello World from thread %u block %u\n", nest.depth, tid, blockIdx.x);
    atomicAdd(greetings, 1ULL);
    if (size == 1 || nest.last_level() || tid != 0)
        return;
    const unsigned half = size / 2;
    const bool launched = launch<nested_hello<Aloud, Nest>>(nest, {1, half}, half, greetings);
    if (Aloud && launched)
        printf("-------> nested execution depth: %u\n", nest.depth + 1);
}

struct Hello {
    static constexpr StrategyInfo info{
        .name = "hello",
        .workload = &workloads::hello,
        .mechanisms = kOnly<Mechanism::null_stream>,
        .summary = "nested hello world: one child per block per level, with half the threads",
        .hazards = "none: the levels share only an atomic counter",
        .source = "Professional CUDA C Programming, ch. 3, nestedHelloWorld",
    };

    static ExpectedLaunches launches(const Case& point)
    {
        return ExpectedLaunches::chain_per_block(point.grid, levels_within(point, log2_of(point.block)));
    }

    static void run(const Greeting& job)
    {
        launch_waves<Hello>(job, [&](const auto& wave, auto nest) {
            const std::uint32_t block = job.point.block;
            if (job.with_output)
                host_launch<nested_hello<true, decltype(nest)>>(wave, block, block, job.greetings, nest);
            else
                host_launch<nested_hello<false, decltype(nest)>>(wave, block, block, job.greetings, nest);
        });
    }
};

const Register<Hello, HelloTraits> hello;

} // namespace nestbed::inline NESTBED_BACKEND
