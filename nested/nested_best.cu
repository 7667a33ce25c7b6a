// nested_best: the recursive reduction that comes out fastest: the input is split in two, a child sums the second
// part, and the parent sums the first in the meantime.
//
//     sum(part):                                        a block a multiprocessor
//         thread 0 of block 0: launch sum(second part), fire and forget
//         each block: the sum of its tiles, 16-byte loads, 8 in flight a thread
//         arrive; the last block of parent and child: add the blocks' sums
//
// Launches: 1 if there are two tiles (of 16384 elements) or more, else none.
// Why: a tail launch after a flat pass costs its 10 us of latency on top; here the latency passes while the parent
// works, and nothing waits for a grid to end. The parent's part is larger by what it can sum until the child starts.
// The launch is in a __noinline__ function: its registers would count for the whole kernel (experiments/rdc.cfg).
// Hazards: none: nobody writes the input; the sums of blocks are written before they arrive, behind a fence, and read by
// the last to arrive. Parent and child need not run at the same time.
// Source: ours.
#include "../src/backend/flat_sum.hpp"
#include "../src/backend/reduction.hpp"

#include <utility>

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

// What the parent sums until its child starts: some 7 us (launch.csv) at half the H200's bandwidth.
inline constexpr std::uint64_t kHeadStartTiles = 256;

template <class T>
struct BestJob {
    FlatPart<T> own;
    FlatPart<T> child;
    unsigned first_slot; // of this grid's blocks in sums.of_block
    FlatSums<T> sums;
};

template <class T>
__global__ void sum_best(BestJob<T> job, Nest nest);

template <class T>
__device__ __noinline__ void launch_best(const BestJob<T>& job, const Nest& nest)
{
    const BestJob<T> next{.own = job.child, .child = {}, .first_slot = gridDim.x, .sums = job.sums};
    nest.launch<sum_best<T>, Mechanism::fire_and_forget>({job.sums.blocks - gridDim.x, kFlatThreads}, next);
}

template <class T>
__global__ void sum_best(BestJob<T> job, Nest nest)
{
    if (!nest.last_level() && blockIdx.x == 0 && threadIdx.x == 0)
        launch_best(job, nest);
    finish_flat(sum_of_part(job.own), job.first_slot + blockIdx.x, job.sums);
}

struct NestedBest {
    static constexpr StrategyInfo info{
        .name = "nested_best",
        .workload = "reduce",
        .mechanisms = kOnly<Mechanism::fire_and_forget>,
        .summary = "the input in two: a child sums one part while its parent sums the other",
        .hazards = "none: the input is only read; the last block of both grids adds their sums",
        .source = "nestbed",
    };
    static constexpr Answer answer = Answer::total;

    static LaunchForm launches(const Case& point)
    {
        return LaunchForm::chain_per_grid(levels_within(point, point.elements / kTileElements >= 2 ? 1 : 0));
    }

    template <class T>
    struct Scratch {
        Buffer<WideSum<T>> of_block;
        Buffer<unsigned> arrived;
    };

    template <class T>
    static Scratch<T> prepare(const Reduction<T>& job)
    {
        Scratch<T> scratch{job.context.template allocate<WideSum<T>>(2 * job.context.facts().multiprocessors),
                           job.context.template allocate<unsigned>(1)};
        job.context.fill_bytes(scratch.arrived, 0, 1);
        return scratch;
    }

    template <class T>
    static void run(const Reduction<T>& job, const Scratch<T>& scratch)
    {
        const std::uint32_t blocks = job.context.facts().multiprocessors;
        FlatPart<T> own = whole_input<T>(job.in, job.elements);
        FlatPart<T> child{};
        if (job.max_depth > 0) { // the child has the rest behind the last tile
            child.tiles = own.tiles > kHeadStartTiles + 2 ? (own.tiles - kHeadStartTiles) / 2 : 1;
            own.tiles -= child.tiles;
            child.in = own.in + own.tiles * kTileElements;
            child.rest = std::exchange(own.rest, 0);
        }
        const FlatSums<T> sums{scratch.of_block.data(), job.max_depth > 0 ? 2 * blocks : blocks,
                               scratch.arrived.data(), job.total};
        host_launch<sum_best<T>>(job.context, 0, {blocks, kFlatThreads},
                                 BestJob<T>{.own = own, .child = child, .first_slot = 0, .sums = sums},
                                 root_nest(job));
    }
};

const RegisterReduction<NestedBest> nested_best;

} // namespace NESTBED_BACKEND
} // namespace nestbed
