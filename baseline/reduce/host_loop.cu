// host_loop: the levels of reduce2; the host launches each level.
//
//     for stride = block/2, block/4, ... 1:
//         launch: thread t of each block: slice[t] += slice[t + stride]
//
// Launches: none from the device; log2(block) from the host, fewer with `depth`.
// Hazards: none: launches into one stream run in order.
// Source: Professional CUDA C Programming, chapter 3, "gpuRecursiveReduce2", without its recursion.
#include "workloads/reduce/level.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct HostLoop {
    static constexpr StrategyInfo info{
        .name = "host_loop",
        .workload = &workloads::reduce,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: one host launch per level",
        .hazards = "none: launches into one stream run in order",
        .source = "after Professional CUDA C Programming, ch. 3, gpuRecursiveReduce2",
    };

    template <class T>
    static void run(const Reduction<T>& job)
    {
        launch_levels(job);
    }
};

const Register<HostLoop, ReduceRoom> host_loop;

} // namespace nestbed::inline NESTBED_BACKEND
