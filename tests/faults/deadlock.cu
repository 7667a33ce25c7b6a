// fault_deadlock: nested/reduce/synced.cu, but the parent waits for ever, and the launch plan is not told that it waits.
//
//     reduce(slice, size):                        one block of `size` threads
//         if size == 2: sum = slice[0] + slice[1]
//         thread t < size/2: slice[t] += slice[t + size/2]
//         barrier
//         thread 0: launch reduce(slice, size/2) and wait for it
//         barrier
//         thread 0: raise the flag that the parent waits for
//
// So the root blocks run in one wave, as far as the pending-launch limit allows. A GPU can hold 128 resident grids:
// 16 chains of 8 levels (grid 16, block 512) finish with the right answer, 33 hang. On the executor one chain hangs,
// except under eager: its worker is never free for the child.
// Launches: every root block launches one child per level, for log2(block) - 1 levels: grid * (log2(block) - 1).
#include "faults/fault.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// `flags`: for each level below the root, one flag per block of the root grid.
template <class T, class Nest>
__global__ void reduce_deadlock(T* in, T* out, unsigned size, unsigned* flags, Nest nest)
{
    const auto scope = nest.enter();
    const unsigned tid = threadIdx.x;
    T* slice = in + static_cast<std::size_t>(blockIdx.x) * blockDim.x;
    T* sum = out + blockIdx.x;
    const unsigned stride = size / 2;
    if (nest.depth == 0)
        flags += static_cast<std::size_t>(blockIdx.x) * nest.max_depth;
    if (size == 2) {
        if (tid == 0)
            *sum = slice[0] + slice[1];
    } else if (nest.last_level()) {
        finish_in_block(slice, stride, sum);
    } else {
        if (tid < stride)
            slice[tid] += slice[tid + stride];
        __syncthreads();
        if (tid == 0 && launch<reduce_deadlock<T, Nest>>(nest, {1, stride}, slice, sum, stride, flags))
            wait_for(flags + nest.depth);
        __syncthreads();
    }
    if (tid == 0 && nest.depth > 0)
        raise(flags + nest.depth - 1);
}

struct Deadlock {
    static constexpr StrategyInfo info =
        fault("fault_deadlock", "one child per block per level; the parent's block waits for it, for ever if it must",
              "more chains than fit wait for ever", kOnly<Mechanism::null_stream>);

    static ExpectedLaunches launches(const Case& point)
    {
        return ExpectedLaunches::chain_per_block(point.grid, halving_levels(point));
    }
    static std::uint64_t scratch_bytes(const Case& point) { return sizeof(unsigned) * launches(point).total(); }

    template <class T>
    static Buffer<unsigned> prepare(const Reduction<T>& job)
    {
        return lowered_flags(job.context, std::size_t{job.grid} * job.form.levels());
    }

    template <class T>
    static void run(const Reduction<T>& job, const Buffer<unsigned>& flags)
    {
        launch_waves<Deadlock>(job, [&](const auto& wave, auto nest) {
            host_launch<reduce_deadlock<T, decltype(nest)>>(
                wave, job.block, wave.in, wave.out, job.block,
                flags.data() + std::size_t{wave.first} * job.form.levels(), nest);
        });
    }
};

const RegisterFault<Deadlock> deadlock;

} // namespace nestbed::inline NESTBED_BACKEND
