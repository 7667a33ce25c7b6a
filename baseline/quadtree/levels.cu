// quadtree_levels: the quadtree of quadtree_children level by level: the host launches one grid per level.
//
//     host: launch the root grid
//     repeat: read how many blocks the level's items need; launch a grid of as many, until there are none
//
// Launches: none from the device; one per level from the host, which waits for each level to learn the size of the next.
// Hazards: none. A grid starts when the grid before it is complete.
// Source: as quadtree_children.
#include "device/parts/request_levels.hpp"
#include "workloads/quadtree/quadtree_parts.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// The steps of quadtree_children: what the blocks of a level do, and what they request.
struct QuadLevelParts : QuadRecursion {
    __device__ static bool root(const QuadTask& task, unsigned block, QuadItem& child, unsigned* words)
    {
        if (block == 0 && threadIdx.x == 0)
            task.put(atomicAdd(task.node_count, 1U), {0, 0, 0, task.count});
        return QuadLevelParts::block(task, all_points(task), block, task.root_blocks, child, words);
    }

    __device__ static bool block(const QuadTask& task, const QuadItem& item, unsigned block, unsigned blocks,
                                 QuadItem& child, unsigned* words)
    {
        if (threadIdx.x == 0 && block == 0)
            atomicAdd(task.work, static_cast<unsigned long long>(item.part.count));
        switch (item.step) {
        case QuadStep::leaf:
            finish_leaf(words, task, item.part);
            return false;
        case QuadStep::divide:
            return count(task, item, block, blocks, child, words);
        case QuadStep::scatter:
            return scatter(task, item, block, blocks, child, words);
        default:
            return false;
        }
    }

  private:
    // The first pass. The last block knows how many points all blocks have counted, and requests the second.
    __device__ static bool count(const QuadTask& task, const QuadItem& item, unsigned block, unsigned blocks,
                                 QuadItem& child, unsigned* words)
    {
        const QuadPart& part = item.part;
        const QuadDigits digits = digits_of(part, blockDim.x, task.count);
        QuadDivision& division = task.divisions[item.division];
        count_points(task, part, digits, division, block, blocks, words);
        if (!block_arrives_last(&division.arrived, blocks))
            return false;
        const unsigned common = common_bits(~division.not_least, division.most);
        if (digits.bits < kCodeBits && common >= digits.end()) { // all in one part: move nothing
            const QuadPart narrow = narrowed(part, task.limits, common, division.most);
            if (threadIdx.x != 0)
                return false;
            list_chain(task, part, narrow);
            return request(task, narrow, child);
        }
        set_cursors(part, digits, division);
        child = {part, item.division, QuadStep::scatter};
        return threadIdx.x == 0;
    }

    // The second pass. The last block sees the points that all blocks have moved: it lists the nodes, and its threads request the
    // step for each part.
    __device__ static bool scatter(const QuadTask& task, const QuadItem& item, unsigned block, unsigned blocks,
                                   QuadItem& child, unsigned* words)
    {
        const QuadPart& part = item.part;
        const QuadDigits digits = digits_of(part, blockDim.x, task.count);
        QuadDivision& division = task.divisions[item.division];
        move_points(task, part, digits, division, block, blocks, words);
        if (!block_arrives_last(&division.arrived, blocks))
            return false;
        return request_parts(task, part, digits, division, words, child);
    }
};

// One level: its last block makes what all blocks request the next one.
__global__ void LAUNCH_BOUNDS(kMaxQuadThreads)
    quadtree_level(RequestRun<QuadLevelParts> run, ChildGrid<QuadItem> grid, ChildGrid<QuadItem>* next)
{
    BLOCK_SHARED(unsigned, words, kQuadWords);
    run_block(run, grid, blockIdx.x, KeepSink<QuadItem>{next}, words);
}

struct QuadtreeLevels {
    static constexpr StrategyInfo info{
        .name = "quadtree_levels",
        .workload = &workloads::quadtree,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: one grid per level of quadtree_children, launched by the host",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "Samet, The Quadtree and Related Hierarchical Data Structures, 1984",
        .waits = true,
    };
    static constexpr QuadForm form = QuadForm::parts;

    static HostLevels<QuadLevelParts> prepare(const QuadJob& job)
    {
        return host_levels(job, set_up_requests<QuadLevelParts>(job, job.task));
    }

    static void run(const QuadJob& job, const HostLevels<QuadLevelParts>& levels)
    {
        run_levels<quadtree_level>(job, levels);
    }
};

const Register<QuadtreeLevels, QuadtreeRoom> quadtree_levels;

} // namespace nestbed::inline NESTBED_BACKEND
