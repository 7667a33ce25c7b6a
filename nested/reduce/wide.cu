// wide_warp, wide_block: recursion over the whole input. The fan-in is large, so there are few levels.
//
//     sum(in, n):                                  ceil(n / block) blocks
//         groups of F neighbours: one sum each, by shuffles     F = 32 (a warp), or the block size, at least 32
//         if there is one group: that is the total
//         thread 0 of block 0: tail launch sum(sums, ceil(n / F))
//
// Launches: one per level: ceil(log_F(elements)) - 1 levels. 2^20 elements: 3 with F = 32, 2 with F = 512, 1 with 1024.
// If `depth` allows fewer levels, the last level is one block that adds all remaining numbers.
// Hazards: none. No thread reads what another thread of the same grid writes, and a tail launch starts when the
// launching grid is complete.
// Source: the recursion of Professional CUDA C Programming, chapter 3, with the fan-in of its warp-shuffle reduction
// (chapter 5). Sums have 64 bits: int64 for int32, double for float32.
#include "device/parts/collective.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// The levels write their sums alternately to `to` and `other`. A fan-in of 0 means the block size.
template <class In, class Sum, unsigned FanIn, class Nest>
__global__ void sum_wide(const In* in, unsigned long long n, Sum* to, Sum* other, Sum* total, Nest nest)
{
    const auto scope = nest.enter();
    const unsigned tid = threadIdx.x;
    if (nest.last_level()) { // this level has only one block
        Sum sum{};
        for (unsigned long long index = tid; index < n; index += blockDim.x)
            sum += in[index];
        sum = block_sum(sum);
        if (tid == 0)
            *total = sum;
        return;
    }
    const unsigned fan_in = FanIn == 0 ? blockDim.x : FanIn;
    const unsigned long long groups = (n - 1) / fan_in + 1;
    const unsigned long long index = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + tid;
    const Sum own = index < n ? in[index] : Sum{};
    const Sum sum = FanIn == 0 ? block_sum(own) : warp_sum(own);
    if (tid % fan_in == 0 && index < n)
        to[index / fan_in] = sum;
    if (tid == 0 && blockIdx.x == 0) {
        const bool child_is_last = nest.depth + 1 == nest.max_depth;
        const auto blocks = child_is_last ? 1U : static_cast<unsigned>((groups - 1) / blockDim.x + 1);
        launch<sum_wide<Sum, Sum, FanIn, Nest>>(nest, {blocks, blockDim.x}, to, groups, other, to, total);
    }
}

template <unsigned FanIn>
struct Wide {
    static constexpr StrategyInfo info{
        .name = FanIn == 0 ? "wide_block" : "wide_warp",
        .workload = &workloads::reduce,
        .mechanisms = kOnly<Mechanism::tail>,
        .summary = FanIn == 0
                       ? "the whole input; each level sums one block's numbers, at least 32, then a tail launch"
                       : "the whole input; each level sums 32 numbers by warp shuffles, then a tail launch",
        .hazards = "none: a tail launch starts when all blocks of the launching grid are complete",
        .source = "after Professional CUDA C Programming, ch. 3 and 5",
    };
    static constexpr Answer answer = Answer::total;

    static std::uint32_t threads(const Case& point) { return std::max(point.block, kWarp); }
    static std::uint64_t fan_in(const Case& point) { return FanIn == 0 ? threads(point) : FanIn; }
    static std::uint64_t sums(const Case& point) { return (point.elements - 1) / fan_in(point) + 1; }
    static std::uint64_t scratch_bytes(const Case& point) { return 2 * sums(point) * sizeof(std::int64_t); }

    static ExpectedLaunches launches(const Case& point)
    {
        const auto fewer = static_cast<std::uint32_t>(fan_in(point));
        ExpectedLaunches form = ExpectedLaunches::chain_per_grid(whole_levels(point, fewer));
        form.fan_in = fewer;
        return form;
    }

    template <class T>
    static Buffer<WideSum<T>> prepare(const Reduction<T>& job)
    {
        return job.context.template allocate<WideSum<T>>(2 * sums(job.point), "sums");
    }

    template <class T>
    static void run(const Reduction<T>& job, const Buffer<WideSum<T>>& sums_of_levels)
    {
        const std::uint32_t block = threads(job.point);
        const std::uint64_t blocks = job.form.levels() == 0 ? 1 : (job.elements - 1) / block + 1;
        launch_waves<Wide>(job, [&](const auto& /*wave*/, auto nest) {
            host_launch<sum_wide<T, WideSum<T>, FanIn, decltype(nest)>>(
                job.context, {static_cast<unsigned>(blocks), block}, job.in, job.elements, sums_of_levels.data(),
                sums_of_levels.data() + sums(job.point), job.total, nest);
        });
    }
};

const Register<Wide<32>, ReduceTraits> wide_warp;
const Register<Wide<0>, ReduceTraits> wide_block;

} // namespace nestbed::inline NESTBED_BACKEND
