// nested_best: the fastest recursive reduction. The child does the same work as its parent, at the same time.
// The flat part is in src/device/parts/flat_sum.hpp.
//
//     sum(input):                                        two blocks per multiprocessor
//         thread 0 of block 0: launch a child with the same number of blocks, fire and forget
//         each block: take runs of tiles of the input from a counter until none is left; 16-byte loads
//         arrive; the last block of parent and child: add the blocks' sums
//
// Launches: 1 if there are at least two whole tiles (of 8192 elements), else none.
// Why: a tail launch after a flat pass would add its latency of 10 us. Here the parent works during the launch
// latency. The counter gives a late child less work, and nothing waits for a grid to end.
// The number of registers is limited. Otherwise the launch would reduce the number of resident blocks
// (experiments/rdc.cfg).
// Hazards: none. The input is only read. A block writes its sum before it arrives at a counter with acquire-release
// order, and the last block to arrive reads the sums. No block waits, so parent and child need not run at the same
// time.
// Source: ours.
#include "device/parts/flat_sum.hpp"
#include "workloads/reduce/reduction.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// This is a separate kernel, because a grid that can launch takes longer to complete, even if it does not launch.
template <class T, class Nest>
__global__ void __launch_bounds__(kFlatThreads, kFlatBound) sum_best_child(FlatJob<T> job, Nest nest)
{
    const auto scope = nest.enter();
    const WideSum<T> sum = sum_of_runs(job, false);
    finish_flat(sum, job.grid + blockIdx.x, job);
}

template <class T, class Nest>
__global__ void __launch_bounds__(kFlatThreads, kFlatBound) sum_best(FlatJob<T> job, Nest nest)
{
    const auto scope = nest.enter();
    if (!nest.last_level() && blockIdx.x == 0 && threadIdx.x == 0)
        launch<sum_best_child<T, Nest>>(nest, {job.blocks - job.grid, kFlatThreads}, job);
    const WideSum<T> sum = sum_of_runs(job, true);
    finish_flat(sum, blockIdx.x, job);
}

struct NestedBest {
    static constexpr StrategyInfo info{
        .name = "nested_best",
        .workload = &workloads::reduce,
        .mechanisms = kOnly<Mechanism::fire_and_forget>,
        .summary = "parent and child sum one input together; a counter hands out the tiles",
        .hazards = "none: the input is only read; the last block of both grids adds their sums",
        .source = "nestbed",
    };
    static constexpr Answer answer = Answer::total;

    static ExpectedLaunches launches(const Case& point)
    {
        ExpectedLaunches form =
            ExpectedLaunches::chain_per_grid(levels_within(point, point.elements / kTileElements >= 2 ? 1 : 0));
        form.blocks_per_multiprocessor = kFlatResident / 2;
        return form;
    }

    // The number of blocks of the parent. The child has the same number.
    static std::uint32_t blocks(const Context& context)
    {
        return kFlatResident / 2 * context.facts().multiprocessors;
    }

    template <class T>
    static FlatScratch<T> prepare(const Reduction<T>& job)
    {
        return {job.context, 2 * blocks(job.context)};
    }

    template <class T>
    static void run(const Reduction<T>& job, const FlatScratch<T>& scratch)
    {
        const std::uint32_t grid = blocks(job.context);
        const FlatJob<T> flat = flat_job<T>(job.in, job.elements, kFlatLoads, grid,
                                            job.form.levels() > 0 ? 2 * grid : grid, job.total, scratch);
        launch_waves<NestedBest>(job, [&](const auto& /*wave*/, auto nest) {
            host_launch<sum_best<T, decltype(nest)>>(job.context, {grid, kFlatThreads}, flat, nest);
        });
    }
};

const Register<NestedBest, ReduceTraits> nested_best;

} // namespace nestbed::inline NESTBED_BACKEND
