// fault_other_mechanism, fault_without_enter, fault_without_last_level: common mistakes in a new strategy.
//
//     each: thread 0 of a root block launches one child, and one level more if nothing stops it
//
// fault_other_mechanism launches into the NULL stream without launch(), whatever mechanism the case has.
// fault_without_enter does not call nest.enter(), so a trace would miss its grids. fault_without_last_level also
// launches at the last level.
// Launches: one per root block.
#include "faults/fault.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// Adds the numbers of the block in place. Its first thread does all additions.
template <class T>
__device__ void add_up(T* in, T* out, unsigned size)
{
    T sum{};
    for (unsigned i = 0; i < size; ++i)
        sum += in[blockIdx.x * size + i];
    out[blockIdx.x] = sum;
}

template <class T, class Nest>
__global__ void launch_by_another_mechanism(T* in, T* out, unsigned size, Nest nest)
{
    const auto scope = nest.enter();
    if (threadIdx.x != 0)
        return;
    if (nest.last_level())
        add_up(in, out, size);
    else
        device_launch<launch_by_another_mechanism<T, Nest>, Mechanism::null_stream>(
            {1, 1}, in + blockIdx.x * size, out + blockIdx.x, size, nest.child({1, 1}));
}

template <class T, class Nest>
__global__ void forget_enter(T* in, T* out, unsigned size, Nest nest)
{
    if (threadIdx.x != 0)
        return;
    if (nest.last_level())
        add_up(in, out, size);
    else
        launch<forget_enter<T, Nest>>(nest, {1, 1}, in + blockIdx.x * size, out + blockIdx.x, size);
}

template <class T, class Nest>
__global__ void forget_last_level(T* in, T* out, unsigned size, Nest nest)
{
    const auto scope = nest.enter();
    if (threadIdx.x != 0)
        return;
    add_up(in, out, size);
    launch<forget_last_level<T, Nest>>(nest, {1, 1}, in + blockIdx.x * size, out + blockIdx.x, size);
}

enum class Mistake : std::uint8_t { other_mechanism, without_enter, without_last_level };

template <Mistake Which>
struct Mistaken : OneLaunchPerRootBlock {
    static constexpr StrategyInfo info =
        fault(Which == Mistake::other_mechanism ? "fault_other_mechanism"
              : Which == Mistake::without_enter ? "fault_without_enter"
                                                : "fault_without_last_level",
              "a mistake in a strategy", "it is refused", kOnly<Mechanism::fire_and_forget>);

    template <class T>
    static void run(const Reduction<T>& job)
    {
        launch_waves<Mistaken>(job, [&](const auto& wave, auto nest) {
            using Nest = decltype(nest);
            constexpr auto kKernel = Which == Mistake::other_mechanism ? launch_by_another_mechanism<T, Nest>
                                     : Which == Mistake::without_enter ? forget_enter<T, Nest>
                                                                       : forget_last_level<T, Nest>;
            host_launch<kKernel>(wave, job.block, wave.in, wave.out, job.block, nest);
        });
    }
};

const RegisterFault<Mistaken<Mistake::other_mechanism>> other_mechanism;
const RegisterFault<Mistaken<Mistake::without_enter>> without_enter;
const RegisterFault<Mistaken<Mistake::without_last_level>> without_last_level;

} // namespace nestbed::inline NESTBED_BACKEND
