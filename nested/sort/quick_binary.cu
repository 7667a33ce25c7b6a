// quick_binary: quicksort into two parts by the middle of their range of values; a child for each.
//
//     divide(part): as many blocks as it has keys for
//         move keys up to the middle of the part's range to its left end, the others to its right end
//         the last block, for each half: launch divide(), or leaf() if it has at most `grain` keys, or copy() if all
//             are equal
//     leaf(part): one block sorts it (by distribution in shared memory, or by a network)
//
// Launches: one per part below the root; fewer with `aggregate`. By the oracle, because they depend on the input, but not
// on the order of execution: parts are ranges of values.
// Hazards: none. The last block arrives with acquire-release order at the part's counter, so it and its children see
// what all blocks wrote. Keys move between two arrays, and only one grid uses a part of them. Not stable.
// Source: NVIDIA cuda-samples, cdpAdvancedQuicksort, with its order repaired; Sedgewick, "Algorithms in C", 3rd ed.,
// section 10.2 (radix exchange sort).
#include "workloads/sort/sort.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// What the blocks of a grid do, and what they request.
struct BinaryParts : SortRecursion {
    static unsigned max_requests(const Case& /*point*/) { return 2; }

    __device__ static bool root(const SortTask& task, unsigned block, SortItem& child, unsigned* words)
    {
        return BinaryParts::block(task, all_keys(task), block, task.root_blocks, child, words);
    }

    __device__ static bool block(const SortTask& task, const SortItem& item, unsigned block, unsigned blocks,
                                 SortItem& child, unsigned* words)
    {
        const SortPart& part = item.part;
        if (threadIdx.x == 0 && block == 0)
            atomicAdd(task.work, static_cast<unsigned long long>(part.count));
        switch (item.step) {
        case SortStep::copy:
            copy_keys(task.at(part.place), task.at(SortPlace::out), part.first, part.count,
                      block * blockDim.x + threadIdx.x, blocks * blockDim.x);
            return false;
        case SortStep::leaf:
            sort_leaf(words, task, part);
            return false;
        case SortStep::divide:
            return divide(task, item, block, blocks, child, words);
        default:
            return false;
        }
    }

  private:
    // The lower half grows from the left end, the upper half from the right end.
    __device__ static bool divide(const SortTask& task, const SortItem& item, unsigned block, unsigned blocks,
                                  SortItem& child, unsigned* words)
    {
        unsigned* const ranges = words; // lower and upper
        unsigned* const bases = words + 4;
        const SortPart& part = item.part;
        const unsigned middle = middle_of(part);
        const SortArray& from = task.at(part.place);
        const SortArray& to = task.at(next_place(part.place));
        SortNode& node = task.nodes[item.node];
        const unsigned tid = threadIdx.x;
        const unsigned tile = kKeysPerThread * blockDim.x;
        __syncthreads(); // nobody still reads what was there before
        if (tid < 2) {
            ranges[2 * tid] = 0xFFFFFFFF;
            ranges[2 * tid + 1] = 0;
        }
        unsigned least[2] = {0xFFFFFFFF, 0xFFFFFFFF};
        unsigned most[2] = {0, 0};
        for (unsigned base = block * tile; base < part.count; base += blocks * tile) {
            unsigned rank[kKeysPerThread];
            load_tile(from.keys + part.first + base, part.count - base, rank);
            unsigned lower = 0;
            unsigned upper = 0;
            for (unsigned turn = 0; turn < kKeysPerThread; ++turn) {
                if (turn * blockDim.x + tid >= part.count - base)
                    continue;
                rank[turn] = task.order.rank(rank[turn]);
                const bool is_upper = rank[turn] > middle;
                (is_upper ? upper : lower) += 1;
                unsigned& low = least[is_upper ? 1 : 0];
                unsigned& high = most[is_upper ? 1 : 0];
                low = low < rank[turn] ? low : rank[turn];
                high = high > rank[turn] ? high : rank[turn];
            }
            ItemsAndBlocks total = 0;
            const ItemsAndBlocks before = exclusive_scan(ItemsAndBlocks{upper} << kItemsShift | lower, false, total);
            __syncthreads();
            if (tid < 2)
                bases[tid] =
                    atomicAdd(&node.counts[tid], static_cast<unsigned>(tid == 0 ? total : total >> kItemsShift));
            __syncthreads();
            unsigned to_lower = part.first + bases[0] + static_cast<unsigned>(before);
            unsigned to_upper = part.first + part.count - 1 - bases[1] - static_cast<unsigned>(before >> kItemsShift);
            for (unsigned turn = 0; turn < kKeysPerThread; ++turn) {
                const unsigned index = base + turn * blockDim.x + tid;
                if (index >= part.count)
                    continue;
                const unsigned target = rank[turn] > middle ? to_upper-- : to_lower++;
                to.keys[target] = task.order.bits(rank[turn]);
                if (from.values != nullptr)
                    to.values[target] = from.values[part.first + index];
            }
        }
        __syncthreads();
        block_min_max(&ranges[0], &ranges[1], least[0], most[0]);
        block_min_max(&ranges[2], &ranges[3], least[1], most[1]);
        __syncthreads();
        if (tid == 0) {
            atomicMax(&node.lower_not_least, ~ranges[0]);
            atomicMax(&node.lower_most, ranges[1]);
            atomicMax(&node.not_least, ~ranges[2]);
            atomicMax(&node.most, ranges[3]);
        }
        if (!block_arrives_last(&node.arrived, blocks) || tid > 1)
            return false;
        const unsigned keys = node.counts[tid];
        SortPart half{part.first, keys, ~node.lower_not_least, node.lower_most, next_place(part.place)};
        if (tid == 1)
            half = {part.first + part.count - keys, keys, ~node.not_least, node.most, next_place(part.place)};
        return keys != 0 && request(task, half, child);
    }
};

// One step of the sort. Thread 0 of a block, or each lane after the other, launches the children.
// At most 64 registers per thread.
template <class Nest>
__global__ void LAUNCH_BOUNDS(kMaxSortThreads, 1)
    quick_binary(const __grid_constant__ RequestRun<BinaryParts> run,
                 const __grid_constant__ ChildGrid<SortItem> grid, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, refused, 1);
    BLOCK_SHARED(unsigned, words, kLeafWords);
    run_grid<quick_binary<Nest>>(
        run, grid, nest, refused, words, [&](const Nest& parent, const ChildGrid<SortItem>& child) {
            return launch<quick_binary<Nest>>(parent, {child.blocks, blockDim.x}, run, child);
        });
}

struct QuickBinary {
    static constexpr StrategyInfo info{
        .name = "quick_binary",
        .workload = &workloads::sort,
        .mechanisms = kChildrenByKernel,
        .summary = "quicksort into two parts by the middle of their range of values",
        .hazards = "none: the last block to arrive launches; not stable",
        .source = "Sedgewick, Algorithms in C, 3rd ed., section 10.2",
        .axes = {SortParameter::grain},
        .requests = true,
    };
    static constexpr SortForm form = SortForm::binary;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static RequestSetup<BinaryParts> prepare(const SortJob& job)
    {
        return set_up_requests<BinaryParts>(job, job.task);
    }

    static void run(const SortJob& job, const RequestSetup<BinaryParts>& setup)
    {
        launch_waves<QuickBinary>(job, [&](auto wave, auto nest) {
            wave.blocks = job.roots; // one wave: all blocks of the root grid process one item, all keys
            host_launch<quick_binary<decltype(nest)>>(wave, job.point.block, setup.run,
                                                      root_grid(setup.run, wave, job.point.block), nest);
        });
    }
};

const Register<QuickBinary, SortTraits> quick_binary_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
