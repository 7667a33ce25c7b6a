// host_loop: the levels of reduce2; the host launches each level.
//
//     for stride = block/2, block/4, ... 1:
//         launch: thread t of each block: slice[t] += slice[t + stride]
//     host_pdl: the same by programmatic launches: a level begins while the level before ends, and waits for it
//
// Launches: none from the device; log2(block) from the host, fewer with `depth`.
// Hazards: none: launches into one stream run in order; by host_pdl each waits for the one before.
// Source: Professional CUDA C Programming, chapter 3, "gpuRecursiveReduce2", without its recursion.
#include "workloads/reduce/level.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct HostLoop {
    static constexpr StrategyInfo info{
        .name = "host_loop",
        .workload = &workloads::reduce,
        .mechanisms = kOnly<Mechanism::host, Mechanism::host_pdl>,
        .summary = "flat: one host launch per level",
        .hazards = "none: each level begins, or goes on, when the level before is complete",
        .source = "after Professional CUDA C Programming, ch. 3, gpuRecursiveReduce2",
    };

    template <class T>
    static std::function<void()> prepare(const Reduction<T>& job)
    {
        return reduce_levels(job);
    }
};

const Register<HostLoop, ReduceTraits> host_loop;

} // namespace nestbed::inline NESTBED_BACKEND
