// hello_synced: nested hello world in which a parent waits for its child. It is an exercise in the book.
//
//     hello(size):                                blocks of `size` threads
//         every thread: print "Recursion=D: Hello World from thread T block B"
//         if size == 1: return
//         thread 0: launch hello(size/2), one block of size/2 threads, and wait for it
//                   print "-------> nested execution depth: D+1"
//
// So the lines of a root block have the order of a recursion on a CPU: the "------->" line of a level follows the
// lines of all deeper levels.
// Launches: every root block launches one child per level, log2(block) levels: grid * log2(block).
// Hazards: none. The levels share only an atomic counter. A waiting parent stays resident, so the root blocks start
// in waves whose chains all fit on the device (src/model/launch_plan.hpp).
// Source: Professional CUDA C Programming, chapter 3, the exercise on "nestedHelloWorld" with cudaDeviceSynchronize() after the launch.
// How a parent waits without it: src/device/nest.hpp.
#include "workloads/hello/greeting.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <bool Aloud, class Nest>
__global__ void nested_hello_synced(unsigned size, unsigned long long* greetings, Nest nest)
{
    const auto scope = nest.enter();
    const unsigned tid = threadIdx.x;
    if (Aloud)
        printf("Recursion=%u: Hello World from thread %u block %u\n", nest.depth, tid, blockIdx.x);
    atomicAdd(greetings, 1ULL);
    if (tid != 0)
        return;
    if (size > 1 && !nest.last_level()) {
        const unsigned half = size / 2;
        const bool done = launch_and_wait<nested_hello_synced<Aloud, Nest>>(nest, {1, half}, half, greetings);
        if (Aloud && done)
            printf("-------> nested execution depth: %u\n", nest.depth + 1);
    }
    nest.complete(); // ends the wait of the parent
}

struct HelloSynced {
    static constexpr StrategyInfo info{
        .name = "hello_synced",
        .workload = &workloads::hello,
        .mechanisms = kOnly<Mechanism::null_stream>,
        .summary = "nested hello world; each parent waits for its child",
        .hazards = "none: the levels share only an atomic counter; root blocks start in waves that fit on the device",
        .source = "Professional CUDA C Programming, ch. 3, exercise on nestedHelloWorld",
    };

    static ExpectedLaunches launches(const Case& point)
    {
        ExpectedLaunches form =
            ExpectedLaunches::chain_per_block(point.grid, levels_within(point, log2_of(point.block)));
        form.parent_waits = true;
        return form;
    }

    static void run(const Greeting& job)
    {
        launch_waves<HelloSynced>(job, [&](const auto& wave, auto nest) {
            const std::uint32_t block = job.point.block;
            if (job.with_output)
                host_launch<nested_hello_synced<true, decltype(nest)>>(wave, block, block, job.greetings, nest);
            else
                host_launch<nested_hello_synced<false, decltype(nest)>>(wave, block, block, job.greetings, nest);
        });
    }
};

const Register<HelloSynced, HelloTraits> hello_synced;

} // namespace nestbed::inline NESTBED_BACKEND
