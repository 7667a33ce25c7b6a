// fault_prints: kernels that print. In a process whose standard output is for data, their text must not be in it.
//
//     thread 0 of a root block: print; launch one child
//     child: print; sum = the slice
//
// Launches: one per root block.
#include "faults/fault.hpp"

#include <cstdio>

namespace nestbed::inline NESTBED_BACKEND
{

template <class T, class Nest>
__global__ void print_and_sum(T* in, T* out, unsigned size, Nest nest)
{
    const auto scope = nest.enter();
    if (threadIdx.x != 0)
        return;
    printf("a kernel at depth %u prints\n", nest.depth); // NOLINT(*-vararg): CUDA's
    if (!nest.last_level()) {
        launch<print_and_sum<T, Nest>>(nest, {1, 1}, in + blockIdx.x * size, out + blockIdx.x, size);
        return;
    }
    T sum{};
    for (unsigned i = 0; i < size; ++i)
        sum += in[blockIdx.x * size + i];
    out[blockIdx.x] = sum;
}

struct Prints : OneLaunchPerRootBlock {
    static constexpr StrategyInfo info =
        fault("fault_prints", "kernels that print", "their text would be among the rows of a log on standard output",
              kOnly<Mechanism::fire_and_forget>);

    template <class T>
    static void run(const Reduction<T>& job)
    {
        launch_waves<Prints>(job, [&](const auto& wave, auto nest) {
            host_launch<print_and_sum<T, decltype(nest)>>(wave, job.block, wave.in, wave.out, job.block, nest);
        });
    }
};

const RegisterFault<Prints> prints;

} // namespace nestbed::inline NESTBED_BACKEND
