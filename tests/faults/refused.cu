// fault_refused: every block launches a child that no device can run.
//
//     thread 0: launch a block of 2048 threads
//
// Every launch is refused, and the process continues to work.
// Launches: one per root block.
#include "faults/fault.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class Nest>
__global__ void ask_for_too_much(Nest nest)
{
    const auto scope = nest.enter();
    constexpr unsigned kTooMany = 2048; // every device allows at most 1024 threads
    if (threadIdx.x == 0 && !nest.last_level())
        launch<ask_for_too_much<Nest>>(nest, {1, kTooMany});
}

struct Refused : OneLaunchPerRootBlock {
    static constexpr StrategyInfo info =
        fault("fault_refused", "one child per block, of more threads than a block can have",
              "every launch is refused", kOnly<Mechanism::null_stream>);

    template <class T>
    static void run(const Reduction<T>& job)
    {
        launch_waves<Refused>(job, [&](const auto& wave, auto nest) {
            host_launch<ask_for_too_much<decltype(nest)>>(wave, job.block, nest);
        });
    }
};

const RegisterFault<Refused> refused;

} // namespace nestbed::inline NESTBED_BACKEND
