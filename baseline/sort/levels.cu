// sort_levels: the quicksort of quick_kway level by level: the host launches one grid per level.
//
//     host: launch the root grid
//     repeat: read how many blocks the level's items need; launch a grid of as many, until there are none
//
// Launches: none from the device; one per level from the host, which waits for each level to learn the size of the next.
// Hazards: none. A grid starts when the grid before it is complete. Not stable.
// Source: as quick_kway.
#include "device/parts/request_levels.hpp"
#include "workloads/sort/sort.hpp"
#include "workloads/sort/sort_parts.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// The steps of quick_kway: what the blocks of a level do, and what they request.
struct LevelParts : SortRecursion {
    static unsigned max_requests(const Case& point) { return point.fanout; }

    __device__ static bool root(const SortTask& task, unsigned block, SortItem& child, unsigned* words)
    {
        return LevelParts::block(task, all_keys(task), block, task.root_blocks, child, words);
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

    // The second pass. The last block requests the step for each part.
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

// One level: its last block makes what all blocks request the next one.
__global__ void LAUNCH_BOUNDS(kMaxSortThreads)
    sort_level(RequestRun<LevelParts> run, ChildGrid<SortItem> grid, ChildGrid<SortItem>* next)
{
    BLOCK_SHARED(unsigned, words, kLeafWords);
    run_block(run, grid, blockIdx.x, KeepSink<SortItem>{next}, words);
}

struct SortLevels {
    static constexpr StrategyInfo info{
        .name = "sort_levels",
        .workload = &workloads::sort,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: one grid per level of quick_kway, launched by the host",
        .hazards = "none: a grid starts when the grid before it is complete; not stable",
        .source = "Sedgewick, Algorithms in C, 3rd ed., section 10.3",
        .axes = {axis::grain, axis::fanout},
        .waits = true,
    };
    static constexpr SortForm form = SortForm::kway;

    static HostLevels<LevelParts> prepare(const SortJob& job)
    {
        return host_levels(job, set_up_requests<LevelParts>(job, job.task));
    }

    static void run(const SortJob& job, const HostLevels<LevelParts>& levels) { run_levels<sort_level>(job, levels); }
};

const Register<SortLevels, SortRoom> sort_levels;

} // namespace nestbed::inline NESTBED_BACKEND
