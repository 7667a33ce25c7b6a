// trees, trees_by_lanes, chains, chains_synced: every block of the root grid launches empty grids, level by level. They
// measure what nested launches cost when many are in flight, without the work of a recursion.
//
//     grid(tree, node):                            one block of `block` threads; the root grid has `grid` blocks
//         mark: begun
//         if depth is reached: return
//         thread 0, for each of the `fanout` children (chains: 1): mark: called; launch grid(tree, child)
//
// trees_by_lanes: thread c launches child c, for at most as many children as the block has threads. chains_synced: the
// parent waits for its child.
// Launches: every root block launches fanout + fanout^2 + ... + fanout^depth grids (depth: 3 if full); of a chain, one
// per level (8 if full).
// Hazards: none. The grids share only an atomic sum. In chains_synced a waiting parent stays resident, so the root blocks
// start in waves whose chains all fit on the device (src/model/launch_plan.hpp).
// Source: ours.
#include "workloads/launch/empty_grids.hpp"
#include "workloads/launch/launch_job.hpp"

#include <algorithm>

namespace nestbed::inline NESTBED_BACKEND
{

// A grid of a tree. The nodes of a tree are numbered level by level from the root block, which is 0.
struct TreeNode {
    unsigned tree; // of block 0
    unsigned node;
};

// Who launches the children of a grid.
enum class ByWhom { thread, lanes, waiting_thread };

template <ByWhom Who, class Nest>
__global__ void tree_grid(LaunchMarks marks, TreeNode here, unsigned fanout, unsigned per_tree, Nest nest)
{
    const auto scope = nest.enter();
    const unsigned long long now = marks.now();
    constexpr bool kByLanes = Who == ByWhom::lanes;
    if (threadIdx.x >= (kByLanes ? fanout : 1))
        return;
    const unsigned tree = here.tree + blockIdx.x; // below the root every block is block 0
    if (nest.depth > 0 && threadIdx.x == 0)
        marks.begin(tree * per_tree + here.node - 1, now);
    if (!nest.last_level()) {
        for (unsigned child = threadIdx.x; child < fanout; child += kByLanes ? fanout : 1) {
            const TreeNode below{.tree = tree, .node = here.node * fanout + child + 1};
            marks.call(tree * per_tree + below.node - 1);
            if constexpr (Who == ByWhom::waiting_thread)
                launch_and_wait<tree_grid<Who, Nest>>(nest, {1, blockDim.x}, marks, below, fanout, per_tree);
            else
                launch<tree_grid<Who, Nest>>(nest, {1, blockDim.x}, marks, below, fanout, per_tree);
        }
    }
    if constexpr (Who == ByWhom::waiting_thread)
        nest.complete(); // ends the wait of the parent
}

// Levels if the case has no depth.
constexpr std::uint32_t kTreeLevels = 3;
constexpr std::uint32_t kChainsLevels = 8;

// S::kWho, S::kLevels, S::info, S::fanout(point).
template <class S>
struct Trees {
    static ExpectedLaunches launches(const Case& point)
    {
        ExpectedLaunches form = ExpectedLaunches::chain_per_block(point.grid, point.depth.value_or(S::kLevels));
        std::uint64_t grids = point.grid;
        for (std::uint64_t& of_level : form.by_depth)
            of_level = grids = std::min(grids * S::fanout(point), kMaxEmptyGrids + 1);
        form.by_lanes = S::kWho == ByWhom::lanes;
        form.parent_waits = S::kWho == ByWhom::waiting_thread;
        form.one_by_one = mechanism_of(S::info, point) == Mechanism::tail;
        return form;
    }

    static std::uint32_t count(const Case& point) { return static_cast<std::uint32_t>(launches(point).total()); }

    static std::function<void()> prepare(const LaunchJob& job)
    {
        return [&job] {
            const unsigned per_tree = job.launches / job.point.grid;
            launch_waves<S>(job, [&](const auto& wave, auto nest) {
                host_launch<tree_grid<S::kWho, decltype(nest)>>(wave, job.point.block, job.marks,
                                                                TreeNode{.tree = wave.first, .node = 0},
                                                                S::fanout(job.point), per_tree, nest);
            });
        };
    }
};

struct WholeTrees : Trees<WholeTrees> {
    static constexpr ByWhom kWho = ByWhom::thread;
    static constexpr std::uint32_t kLevels = kTreeLevels;
    static constexpr StrategyInfo info{
        .name = "trees",
        .workload = &workloads::fanout,
        .mechanisms = kChildrenByKernel,
        .summary = "every root block launches a tree of empty grids",
        .hazards = "none: the grids share only an atomic sum",
        .source = "nestbed",
        .axes = {axis::depth, LaunchParameter::fanout},
    };
    static unsigned fanout(const Case& point) { return point[LaunchParameter::fanout]; }
};

struct TreesByLanes : Trees<TreesByLanes> {
    static constexpr ByWhom kWho = ByWhom::lanes;
    static constexpr std::uint32_t kLevels = kTreeLevels;
    static constexpr StrategyInfo info{
        .name = "trees_by_lanes",
        .workload = &workloads::fanout,
        .mechanisms = kChildrenByKernel,
        .summary = "the same trees; as many threads of a block as it has children launch one each",
        .hazards = "none: the grids share only an atomic sum",
        .source = "nestbed",
        .axes = {axis::depth, LaunchParameter::fanout},
    };
    static unsigned fanout(const Case& point) { return std::min(point[LaunchParameter::fanout], point.block); }
};

struct Chains : Trees<Chains> {
    static constexpr ByWhom kWho = ByWhom::thread;
    static constexpr std::uint32_t kLevels = kChainsLevels;
    static constexpr StrategyInfo info{
        .name = "chains",
        .workload = &workloads::fanout,
        .mechanisms = kChildrenByKernel,
        .summary = "every root block launches a chain of empty grids",
        .hazards = "none: the grids share only an atomic sum",
        .source = "nestbed",
        .axes = {axis::depth},
    };
    static unsigned fanout(const Case& /*point*/) { return 1; }
};

struct ChainsSynced : Trees<ChainsSynced> {
    static constexpr ByWhom kWho = ByWhom::waiting_thread;
    static constexpr std::uint32_t kLevels = kChainsLevels;
    static constexpr StrategyInfo info{
        .name = "chains_synced",
        .workload = &workloads::fanout,
        .mechanisms = kOnly<Mechanism::null_stream>,
        .summary = "the same chains; each parent waits for its child",
        .hazards = "none: the grids share only an atomic sum; root blocks start in waves that fit on the device",
        .source = "nestbed",
        .axes = {axis::depth},
    };
    static unsigned fanout(const Case& /*point*/) { return 1; }
};

const Register<WholeTrees, LaunchTraits> whole_trees;
const Register<TreesByLanes, LaunchTraits> trees_by_lanes;
const Register<Chains, LaunchTraits> chains;
const Register<ChainsSynced, LaunchTraits> chains_synced;

} // namespace nestbed::inline NESTBED_BACKEND
