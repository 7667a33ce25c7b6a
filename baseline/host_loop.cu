// host_loop: the levels of reduce2, each launched by the host.
//
//     for stride = block/2, block/4, ... 1:
//         launch: thread t of each block: slice[t] += slice[t + stride]
//
// Launches: none from the device; log2(block) from the host, fewer with `depth`.
// Hazards: none: launches into one stream run in order.
// Source: Professional CUDA C Programming, chapter 3, "gpuRecursiveReduce2", without its recursion.
#include "device/workloads/level.hpp"

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

struct HostLoop {
    static constexpr StrategyInfo info{
        .name = "host_loop",
        .workload = "reduce",
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: a host launch a level",
        .hazards = "none: launches into one stream run in order",
        .source = "after Professional CUDA C Programming, ch. 3, gpuRecursiveReduce2",
    };

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::none(); }

    template <class T>
    static void run(const Reduction<T>& job)
    {
        launch_levels(job);
    }
};

const RegisterReduction<HostLoop> host_loop;

} // namespace NESTBED_BACKEND
} // namespace nestbed
