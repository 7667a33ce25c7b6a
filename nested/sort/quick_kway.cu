// quick_kway: quicksort into many parts; a child for every part that is still too long, and for every leaf.
//
//     count(part): as many blocks as it has keys for
//         parts = up to `fanout` ranges of values of equal width (a digit of the key)
//         count the keys of each part; the last block: if all keys are equal, launch copy(part) or nothing
//         if all are in one part: launch count() of a narrower range; otherwise: launch scatter(part)
//     scatter(part): move the keys to their parts
//         the last block, for each part: launch count(), or leaf() if it has at most `grain` keys
//     leaf(part): one block sorts it (by distribution in shared memory, or by a network)
//
// quick_kway() is the kernel of every step and every grid, also of the root grid. run_grid() calls KwayParts::block() (at the
// root: root()) in all threads of each block, and launches quick_kway() for the threads that return true: they have put
// into `child` what the child grid is to do. By the axes of the case these launches may be combined (`aggregate`), and
// what has too few keys for a launch (`threshold`) is sorted by the thread itself.
//
// Launches: two per divided part and one per leaf; fewer with `aggregate`: one per level with `grid`. By the oracle, because
// they depend on the input, but not on the order of execution: parts are ranges of values.
// Hazards: none. The last block arrives with acquire-release order at the part's counter, so it and its children see
// what all blocks wrote. Keys move between two arrays, and only one grid uses a part of them. Not stable.
// Source: Sedgewick, "Algorithms in C", 3rd ed., section 10.3 (MSD radix sort).
#include "workloads/sort/sort.hpp"
#include "workloads/sort/sort_parts.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// What the blocks of a grid do, and what they request.
struct KwayParts : SortRecursion {
    static unsigned max_requests(const Case& point) { return point.fanout; }

    __device__ static bool root(const SortTask& task, unsigned block, SortItem& child, unsigned* words)
    {
        return KwayParts::block(task, all_keys(task), block, task.root_blocks, child, words);
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
            return count(task, item, block, blocks, child, words);
        case SortStep::scatter:
            return scatter(task, item, block, blocks, child, words);
        default:
            return false;
        }
    }

  private:
    // The first pass. The last block knows how many keys all blocks have counted, and requests the second.
    __device__ static bool count(const SortTask& task, const SortItem& item, unsigned block, unsigned blocks,
                                 SortItem& child, unsigned* words)
    {
        const SortPart& part = item.part;
        const SortDigits digits = digits_of(part, task.fanout, task.grain);
        SortNode& node = task.nodes[item.node];
        count_keys(task, part, digits, node, block, blocks, words);
        if (!block_arrives_last(&node.arrived, blocks))
            return false;
        const SortPart narrow = narrowed(part, node);
        if (digit_of(part, digits, narrow.least) == digit_of(part, digits, narrow.most))
            return threadIdx.x == 0 &&
                   request(task, narrow, child); // all in one part: divide its range, and move nothing
        set_cursors(part, digits, node);
        child = {part, item.node, SortStep::scatter};
        return threadIdx.x == 0;
    }

    // The second pass. The last block sees the keys that all blocks have moved: thread t requests the step for part t.
    __device__ static bool scatter(const SortTask& task, const SortItem& item, unsigned block, unsigned blocks,
                                   SortItem& child, unsigned* words)
    {
        const SortPart& part = item.part;
        const SortDigits digits = digits_of(part, task.fanout, task.grain);
        SortNode& node = task.nodes[item.node];
        move_keys(task, part, digits, node, block, blocks, words);
        const unsigned digit = threadIdx.x;
        if (!block_arrives_last(&node.arrived, blocks) || digit >= digits.parts)
            return false;
        const unsigned keys = node.counts[digit];
        return keys != 0 && request(task, part_of(part, digits, digit, node.cursors[digit] - keys, keys), child);
    }
};

// One step of the sort. Thread 0 of a block, or each lane after the other, launches the children.
// At most 64 registers per thread.
template <class Nest>
__global__ void LAUNCH_BOUNDS(kMaxSortThreads, 1)
    quick_kway(const __grid_constant__ RequestRun<KwayParts> run, const __grid_constant__ ChildGrid<SortItem> grid,
               Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, refused, 1);
    BLOCK_SHARED(unsigned, words, kLeafWords);
    run_grid<quick_kway<Nest>>(run, grid, nest, refused, words,
                               [&](const Nest& parent, const ChildGrid<SortItem>& child) {
                                   return launch<quick_kway<Nest>>(parent, {child.blocks, blockDim.x}, run, child);
                               });
}

struct QuickKway {
    static constexpr std::array kMechanisms{Mechanism::fire_and_forget, Mechanism::null_stream,
                                            Mechanism::named_stream, Mechanism::tail};
    static constexpr StrategyInfo info{
        .name = "quick_kway",
        .workload = &workloads::sort,
        .mechanisms = kMechanisms,
        .summary = "quicksort into many parts: children count, move and sort them",
        .hazards = "none: the last block to arrive launches; not stable",
        .source = "Sedgewick, Algorithms in C, 3rd ed., section 10.3",
        .axes = {axis::grain, axis::fanout},
        .offers = true,
    };
    static constexpr SortForm form = SortForm::kway;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static RequestSetup<KwayParts> prepare(const SortJob& job) { return set_up_requests<KwayParts>(job, job.task); }

    static void run(const SortJob& job, const RequestSetup<KwayParts>& setup)
    {
        launch_waves<QuickKway>(job, [&](auto wave, auto nest) {
            wave.blocks = job.roots; // one wave: all blocks of the root grid process one item, all keys
            host_launch<quick_kway<decltype(nest)>>(wave, job.point.block, setup.run,
                                                    root_grid(setup.run, wave, job.point.block), nest);
        });
    }
};

const Register<QuickKway, SortRoom> quick_kway_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
