// search_levels: tree search level by level: the host launches one grid per level, with a thread for every node.
//
//     host: the children of the root are the first level
//     repeat: read how many nodes the level has; launch a grid with a thread for each, until there are none
//         thread: visit the node; append its children to the next level
//         (at depth `cutoff`, the thread searches all below the node with a stack of its own: a thread per subtree)
//
// Launches: none from the device; one per level from the host, which waits for each level to learn the size of the next.
// Hazards: none. A block reserves room for the nodes that it appends, and a grid starts when the grid before it is complete.
// Source: ours. With a small `cutoff` it is the flat search with a thread per subtree: the host launches only the levels above
// the cut-off, and the last grid has a thread for each subtree. With `cutoff = 1` that is the only grid.
#include "workloads/search/search.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// The nodes of a level; null: the root's children.
template <class Tree>
__global__ void search_level(SearchTask<Tree> task, const PendingNode<typename Tree::Node>* level, unsigned count,
                             PendingNode<typename Tree::Node>* next, unsigned* next_count)
{
    using Node = typename Tree::Node;
    BLOCK_SHARED(unsigned, place, 1);
    ThreadFound found{};
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    Node child{};
    unsigned children = 0;
    if (index < count) {
        if (level == nullptr)
            children = task.visit(task.tree.root(), index, false, child, found);
        else
            children = task.visit(level[index].parent, level[index].number, false, child, found);
    }
    if (level == nullptr && index == 0)
        task.visit_root(found);
    task.add_all(found);
    ItemsAndBlocks total = 0;
    const ItemsAndBlocks before = sum_before(children, false, total);
    if (total == 0)
        return;
    if (threadIdx.x == 0)
        place[0] = atomicAdd(next_count, static_cast<unsigned>(total));
    __syncthreads();
    for (unsigned number = 0; number < children; ++number)
        next[place[0] + before + number] = {child, number};
}

struct SearchLevels {
    static constexpr StrategyInfo info{
        .name = "search_levels",
        .workload = &workloads::search,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: one grid per level of the tree, launched by the host; a thread per node, from `cutoff` on "
                   "per subtree",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "ours",
        .axes = {axis::cutoff},
        .waits = true,
    };
    static constexpr SearchForm form = SearchForm::flat;

    template <class Tree>
    struct Prepared {
        using Pending = PendingNode<typename Tree::Node>;

        SearchBuffers<Tree> buffers;
        std::array<Buffer<Pending>, 2> levels; // with even and with odd numbers
        Buffer<unsigned> counts;               // nodes of each level
        unsigned first;                        // of the first one
    };

    template <class Tree>
    static Prepared<Tree> prepare(const SearchJob& job, const Tree& tree)
    {
        using Pending = typename Prepared<Tree>::Pending;
        Prepared<Tree> prepared{SearchBuffers<Tree>(job, tree, 0), {}, {}, job.root_children};
        for (Buffer<Pending>& level : prepared.levels)
            level = job.context.template allocate<Pending>(job.widest, "level");
        prepared.counts = job.context.template allocate<unsigned>(job.levels + 1, "counts");
        job.context.fill_bytes(prepared.counts, 0, prepared.counts.size());
        return prepared;
    }

    template <class Tree>
    static void run(const SearchJob& job, const Prepared<Tree>& prepared)
    {
        unsigned count = prepared.first;
        for (unsigned level = 0; level == 0 || count != 0; ++level) {
            const unsigned blocks = count == 0 ? 1 : (count - 1) / job.point.block + 1;
            host_launch<search_level<Tree>>(job.context, 0, {blocks, job.point.block}, prepared.buffers.task,
                                            level == 0 ? nullptr : prepared.levels.at(level % 2).data(), count,
                                            prepared.levels.at((level + 1) % 2).data(),
                                            prepared.counts.data() + level);
            job.context.read(std::span(&count, 1), prepared.counts, level);
        }
    }
};

const Register<SearchLevels, SearchRoom> search_levels;

} // namespace nestbed::inline NESTBED_BACKEND
