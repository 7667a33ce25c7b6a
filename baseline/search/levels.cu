// search_levels: tree search level by level: the host launches one grid per level, with a thread for every node; or it submits as many
// as there can be levels, if there is a bound.
//
//     host: the children of the root are the first level
//     repeat: read how many nodes the level has; launch a grid with a thread for each, until there are none
//         thread: visit the node; append its children to the next level
//     host_max_levels, host_graph_max_levels, host_graph_pdl_max_levels: launch a grid for every level that the tree may have; the blocks of a grid
//         share the nodes of its level
//         (at depth `cutoff`, the thread searches all below the node with a stack of its own: a thread per subtree)
//
// Launches: none from the device; one per level from the host, which waits for each level to learn the size of the next, or one per
// level that the tree may have, or a graph of these.
// Hazards: none. A block reserves room for the nodes that it appends, and a grid starts when the grid before it is complete.
// Source: ours. With a small `cutoff` it is the flat search with a thread per subtree: the host launches only the levels above
// the cut-off, and the last grid has a thread for each subtree. With `cutoff = 1` that is the only grid.
#include "device/submitted_levels.hpp"
#include "workloads/search/search.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace nestbed::inline NESTBED_BACKEND
{

// A thread visits node `index` of a level (null: of the root's children), and appends its children to the next. All threads of the
// block call it.
template <class Tree>
__device__ __forceinline__ void visit_node(const SearchTask<Tree>& task, unsigned index,
                                           const PendingNode<typename Tree::Node>* level, unsigned count,
                                           PendingNode<typename Tree::Node>* next, unsigned* next_count)
{
    using Node = typename Tree::Node;
    BLOCK_SHARED(unsigned, place, 1);
    ThreadFound found{};
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
    const ItemsAndBlocks before = exclusive_scan(children, false, total);
    if (total == 0)
        return;
    if (threadIdx.x == 0)
        place[0] = atomicAdd(next_count, static_cast<unsigned>(total));
    __syncthreads();
    for (unsigned number = 0; number < children; ++number)
        next[place[0] + before + number] = {child, number};
}

// A thread per node of the level.
template <class Tree>
__global__ void search_level(SearchTask<Tree> task, const PendingNode<typename Tree::Node>* level, unsigned count,
                             PendingNode<typename Tree::Node>* next, unsigned* next_count)
{
    visit_node(task, blockIdx.x * blockDim.x + threadIdx.x, level, count, next, next_count);
}

// One of the levels that the host submits before it knows whether they are there. `counts`: nodes of this level and of the next.
template <class Tree>
__global__ void search_submitted_level(SearchTask<Tree> task, const PendingNode<typename Tree::Node>* level,
                                       PendingNode<typename Tree::Node>* next, unsigned* counts)
{
    begin_level();
    const unsigned count = counts[0];
    unsigned first = blockIdx.x * blockDim.x;
    if (first == 0 && level == nullptr && count == 0)
        visit_node(task, threadIdx.x, level, count, next, counts + 1); // the root has no children
    for (; first < count; first += gridDim.x * blockDim.x)
        visit_node(task, first + threadIdx.x, level, count, next, counts + 1);
}

struct SearchLevels {
    static constexpr StrategyInfo info{
        .name = "search_levels",
        .workload = &workloads::search,
        .mechanisms = kLevelsByHost,
        .summary = "flat: one grid per level of the tree, launched by the host; a thread per node, from `cutoff` on "
                   "per subtree",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "ours",
        .axes = {SearchParameter::cutoff},
        .waits = true,
    };
    static constexpr SearchForm form = SearchForm::flat;

    template <class Tree>
    struct Prepared {
        using Pending = PendingNode<typename Tree::Node>;

        SearchBuffers<Tree> buffers;
        std::array<Buffer<Pending>, 2> levels; // with even and with odd numbers
        Buffer<unsigned> counts;               // nodes of each level
    };

    template <class Tree>
    static std::function<void()> prepare(const SearchJob& job, const Tree& tree)
    {
        using Pending = typename Prepared<Tree>::Pending;
        const unsigned bound = has_bound(job.mechanism) ? bound_of(job) : 0;
        auto prepared = std::make_shared<Prepared<Tree>>(Prepared<Tree>{SearchBuffers<Tree>(job, tree, 0), {}, {}});
        for (Buffer<Pending>& level : prepared->levels)
            level = job.context.template allocate<Pending>(job.widest, "level");
        const std::uint64_t levels = has_bound(job.mechanism) ? bound : job.levels;
        prepared->counts = job.context.template allocate<unsigned>(levels + 2, "counts");
        job.context.fill_bytes(prepared->counts, 0, prepared->counts.size());
        job.context.upload(prepared->counts, std::span(&job.root_children, 1));
        if (!has_bound(job.mechanism))
            return [&job, prepared] { launch_and_wait(job, *prepared); };
        const LaunchShape shape{job.context.template resident_blocks<search_submitted_level<Tree>>(job.point.block),
                                job.point.block};
        return submitted_levels(job, [&job, prepared, shape, bound] {
            for (unsigned level = 0; level < bound; ++level)
                launch_level<search_submitted_level<Tree>>(
                    job, shape, prepared->buffers.task, level_of(*prepared, level),
                    prepared->levels.at((level + 1) % 2).data(), prepared->counts.data() + level);
        });
    }

  private:
    template <class Tree>
    static const PendingNode<typename Tree::Node>* level_of(const Prepared<Tree>& prepared, unsigned level)
    {
        return level == 0 ? nullptr : prepared.levels.at(level % 2).data();
    }

    // Launches each level, and waits for it.
    template <class Tree>
    static void launch_and_wait(const SearchJob& job, const Prepared<Tree>& prepared)
    {
        unsigned count = job.root_children;
        for (unsigned level = 0; level == 0 || count != 0; ++level) {
            const unsigned blocks = count == 0 ? 1 : (count - 1) / job.point.block + 1;
            host_launch<search_level<Tree>>(
                job.context, 0, {blocks, job.point.block}, prepared.buffers.task, level_of(prepared, level), count,
                prepared.levels.at((level + 1) % 2).data(), prepared.counts.data() + level + 1);
            job.context.read(std::span(&count, 1), prepared.counts, level + 1);
        }
    }

    // Levels below the root that the tree may have.
    static unsigned bound_of(const SearchJob& job)
    {
        const std::uint32_t levels = max_search_levels(job.point);
        if (levels >= kNoCutoff)
            throw Unsupported("the levels of a binomial tree have no bound; allowed by " +
                              std::string(name_of(job.mechanism)) + ": a cutoff below " + std::to_string(kNoCutoff));
        return std::max(1U, levels);
    }
};

const Register<SearchLevels, SearchTraits> search_levels;

} // namespace nestbed::inline NESTBED_BACKEND
