// chain: empty levels; each level launches the next. It measures the cost of one launch, for every mechanism.
//
//     level(n):                                    `grid` blocks of `block` threads; only one thread acts
//         mark: begun
//         if n < depth: mark: called; launch level(n + 1)
// The device makes the levels:
//   null_stream, named, fire_and_forget, tail: a kernel launches a kernel
//   graph_tail: a device graph launches itself again when it is done
//   graph_next, graph_fire_and_forget, graph_sibling: device graphs in a ring, each launches the next: when it is done, by fire and
//       forget, as its sibling; at most 120 levels by the last two
//   graph_while: the body of a WHILE node runs again until its kernel sets the condition to 0
//   graph_switch: the same, but the body is a SWITCH node, and the kernel also chooses which of four bodies is next
//   grid_sync: one cooperative grid with one grid.sync() per level
//   cluster_sync: one cluster of blocks with one cluster.sync() per level; block 0 says in its shared memory what comes next
// The host makes them:
//   host, host_graph: it launches all, one by one or as one graph
//   host_pdl, host_graph_pdl: the same; a grid begins while the one before it ends (programmatic dependent launch)
//   host_read, host_polled: it waits for each level, copies a number back, or polls one that the kernel writes
// The host makes a bound, twice as many levels as run (kBoundFactor), and a kernel says which of them run:
//   host_max_levels, host_graph_max_levels, host_graph_pdl_max_levels: a level past the end is a grid that returns at once
//   graph_if: a level is the body of an IF node, whose condition the level before sets
//   graph_update: the level before enables the node of the next, and sets its number of blocks
// The time of a device graph depends on its place: graph_tail takes the fastest of `graphs` (results/findings.md).
// Launches: `depth` (1024 if full) below the root grid, where kernels launch kernels or device graphs; else none.
// Hazards: none. The levels share only an atomic sum. Source: ours.
#include "device/submitted_levels.hpp"
#include "workloads/launch/chain_level.hpp"

#include <memory>
#include <string>

#ifdef __CUDACC__
#include "workloads/launch/chain_graphs.cuh"

#include <cooperative_groups.h>
#endif

namespace nestbed::inline NESTBED_BACKEND
{

template <class Nest>
__global__ void chain_nested(LaunchMarks marks, Nest nest)
{
    const auto scope = nest.enter();
    const unsigned long long now = marks.now();
    if (!acts())
        return;
    if (nest.depth > 0)
        marks.begin(nest.depth - 1, now);
    if (nest.last_level())
        return;
    marks.call(nest.depth);
    launch<chain_nested<Nest>>(nest, {gridDim.x, blockDim.x}, marks);
}

__global__ void chain_from_host(LaunchMarks marks, unsigned level, unsigned levels)
{
    mark_level(marks, level, levels, marks.now());
}

inline void launch_chain(const LaunchJob& job)
{
    for (unsigned level = 0; level <= job.launches; ++level)
        host_launch<chain_from_host>(job.context, {job.point.grid, job.point.block}, job.marks, level, job.launches);
}

// `decided`: the number of levels that are to run, as far as the device knows.
__global__ void chain_read(LaunchMarks marks, unsigned level, unsigned levels, unsigned* decided)
{
    mark_level(marks, level, levels, marks.now());
    if (acts())
        *decided = level < levels ? level + 1 : level;
}

inline void launch_chain_by_reading(const LaunchJob& job, const Buffer<unsigned>& decided)
{
    unsigned levels = 0;
    for (unsigned level = 0; level <= levels; ++level) {
        host_launch<chain_read>(job.context, {job.point.grid, job.point.block}, job.marks, level, job.launches,
                                decided.data());
        job.context.read_by_copy(std::span(&levels, 1), decided, 0);
    }
}

// `more`: of each level, whether it is to run, as far as the level before knows.
__device__ inline void bounded_level(const LaunchMarks& marks, unsigned level, unsigned levels, unsigned* more,
                                     unsigned long long now)
{
    if (more[level] == 0)
        return;
    mark_level(marks, level, levels, now);
    if (acts())
        more[level + 1] = level < levels ? 1 : 0;
}

__global__ void chain_bounded(LaunchMarks marks, unsigned level, unsigned levels, unsigned* more)
{
    bounded_level(marks, level, levels, more, marks.now());
}

__global__ void chain_programmatic_bounded(LaunchMarks marks, unsigned level, unsigned levels, unsigned* more)
{
    after_previous_grid();
    bounded_level(marks, level, levels, more, marks.now());
    let_next_grid_begin();
}

inline void launch_chain_to_bound(const LaunchJob& job, unsigned* more)
{
    const LaunchShape shape{job.point.grid, job.point.block};
    for (unsigned level = 0; level <= bound_of(job); ++level)
        if (is_programmatic(job.mechanism))
            programmatic_launch<chain_programmatic_bounded>(job.context, shape, job.marks, level, job.launches, more);
        else
            host_launch<chain_bounded>(job.context, shape, job.marks, level, job.launches, more);
}

inline std::shared_ptr<Buffer<unsigned>> only_the_first_runs(const LaunchJob& job)
{
    const unsigned levels = bound_of(job) + 2; // the last one writes for one more
    auto more = std::make_shared<Buffer<unsigned>>(job.context.allocate<unsigned>(levels, "more"));
    job.before_each_run([&context = job.context, more, levels] {
        context.fill_bytes(*more, 0, levels);
        constexpr unsigned kYes = 1;
        context.upload(*more, std::span(&kYes, 1));
    });
    return more;
}

__global__ void chain_programmatic(LaunchMarks marks, unsigned level, unsigned levels)
{
    after_previous_grid();
    mark_level(marks, level, levels, marks.now());
    let_next_grid_begin(); // late: what this level writes is for the next
}

inline void launch_chain_programmatically(const LaunchJob& job)
{
    for (unsigned level = 0; level <= job.launches; ++level)
        programmatic_launch<chain_programmatic>(job.context, {job.point.grid, job.point.block}, job.marks, level,
                                                job.launches);
}

__global__ void chain_while(LaunchMarks marks, unsigned* next, unsigned levels, ConditionHandle another)
{
    const unsigned long long now = marks.now();
    if (!acts())
        return;
    const unsigned level = (*next)++;
    if (level > 0)
        marks.begin(level - 1, now);
    if (level < levels)
        marks.call(level);
    set_condition(another, level < levels);
}

inline std::function<void()> prepare_chain_by_while(const LaunchJob& job)
{
    auto next = std::make_shared<Buffer<unsigned>>(job.context.allocate<unsigned>(1, "next"));
    job.before_each_run([&context = job.context, next] { context.fill_bytes(*next, 0, 1); });
    return [next, launch = while_loop<chain_while>(job.context, {job.point.grid, job.point.block}, job.marks,
                                                   next->data(), job.launches)] { launch(); };
}

#ifdef __CUDACC__
__global__ void chain_polled(LaunchMarks marks, unsigned level, unsigned levels, unsigned* word)
{
    mark_level(marks, level, levels, marks.now());
    if (acts())
        publish(word, level < levels ? level + 2 : 1); // 1: no more; otherwise the next level + 1
}

inline void launch_chain_by_polling(const LaunchJob& job, Report& report)
{
    unsigned next = 0;
    do {
        report.clear();
        host_launch<chain_polled>(job.context, {job.point.grid, job.point.block}, job.marks, next, job.launches,
                                  report.flag_on_device());
        next = report.wait(job.context.stream(0)) - 1;
    } while (next != 0);
}

__global__ void chain_grid_sync(LaunchMarks marks, unsigned levels)
{
    const auto grid = cooperative_groups::this_grid();
    for (unsigned level = 0; level < levels; ++level) {
        if (acts())
            marks.call(level);
        grid.sync();
        if (acts())
            marks.begin(level, marks.now());
    }
}

// All blocks are one cluster. Block 0 says in its shared memory, for even and odd levels apart, whether there is another
// level, and all threads read it there.
__global__ void chain_cluster_sync(LaunchMarks marks, unsigned levels)
{
#if __CUDA_ARCH__ >= 900
    __shared__ unsigned more[2];
    const auto cluster = cooperative_groups::this_cluster();
    const unsigned* const of_first = cluster.map_shared_rank(more, 0);
    for (unsigned level = 0;; ++level) {
        if (acts()) {
            more[level % 2] = level < levels ? 1 : 0;
            if (level < levels)
                marks.call(level);
        }
        cluster.sync();
        if (of_first[level % 2] == 0)
            break;
        if (acts())
            marks.begin(level, marks.now());
    }
    cluster.sync(); // block 0 must not end before all have read
#endif
}
#endif

struct Chain {
    static constexpr StrategyInfo info{
        .name = "chain",
        .workload = &workloads::chain,
        .mechanisms =
            kOnly<Mechanism::null_stream, Mechanism::named_stream, Mechanism::fire_and_forget, Mechanism::tail,
                  Mechanism::graph_tail, Mechanism::host, Mechanism::host_graph, Mechanism::grid_sync,
                  Mechanism::graph_next, Mechanism::graph_fire_and_forget, Mechanism::graph_sibling,
                  Mechanism::graph_while, Mechanism::host_pdl, Mechanism::host_read, Mechanism::host_polled,
                  Mechanism::host_graph_pdl, Mechanism::host_max_levels, Mechanism::host_graph_max_levels,
                  Mechanism::host_graph_pdl_max_levels, Mechanism::graph_if, Mechanism::graph_update,
                  Mechanism::graph_switch, Mechanism::cluster_sync>,
        .summary = "empty levels; each level launches the next",
        .hazards = "none: the levels share only an atomic sum",
        .source = "nestbed",
    };

    static std::uint32_t count(const Case& point) { return point.depth.value_or(kChainLevels); }

    static ExpectedLaunches launches(const Case& point)
    {
        return from_device(mechanism_of(info, point)) ? ExpectedLaunches::chain_per_grid(count(point))
                                                      : ExpectedLaunches::none();
    }

    static std::function<void()> prepare(const LaunchJob& job)
    {
        switch (job.mechanism) {
        case Mechanism::host:
            return [&job] { launch_chain(job); };
        case Mechanism::host_pdl:
            return [&job] { launch_chain_programmatically(job); };
        case Mechanism::host_graph_pdl:
            return by_host_graph(job.context, [&job] { launch_chain_programmatically(job); });
        case Mechanism::graph_while:
            return prepare_chain_by_while(job);
        case Mechanism::host_read: {
            auto decided = std::make_shared<Buffer<unsigned>>(job.context.allocate<unsigned>(1, "decided"));
            return [&job, decided] { launch_chain_by_reading(job, *decided); };
        }
        case Mechanism::host_max_levels:
        case Mechanism::host_graph_max_levels:
        case Mechanism::host_graph_pdl_max_levels:
            return submitted_levels(
                job, [&job, more = only_the_first_runs(job)] { launch_chain_to_bound(job, more->data()); });
#ifdef __CUDACC__
        case Mechanism::graph_tail:
        case Mechanism::graph_next:
        case Mechanism::graph_fire_and_forget:
        case Mechanism::graph_sibling:
        case Mechanism::graph_switch:
        case Mechanism::graph_if:
        case Mechanism::graph_update: {
            if ((job.mechanism == Mechanism::graph_fire_and_forget || job.mechanism == Mechanism::graph_sibling) &&
                job.launches > kMaxWithoutOrder)
                throw Unsupported("device graphs launch at most 120 others by " +
                                  std::string(name_of(job.mechanism)));
            auto graphs = std::make_shared<GraphChain>(job);
            return [graphs] { graphs->launch(); };
        }
        case Mechanism::host_polled:
            return [&job] { launch_chain_by_polling(job, job.context.report()); };
        case Mechanism::host_graph:
            return by_host_graph(job.context, [&] { launch_chain(job); });
        case Mechanism::grid_sync:
            if (const std::uint32_t most = job.context.resident_blocks<chain_grid_sync>(job.point.block);
                job.point.grid > most)
                throw Unsupported("a cooperative grid has at most " + std::to_string(most) + " blocks of " +
                                  std::to_string(job.point.block) + " threads on this device");
            return [&job] {
                cooperative_launch<chain_grid_sync>(job.context, {job.point.grid, job.point.block}, job.marks,
                                                    job.launches);
            };
        case Mechanism::cluster_sync:
            if (!cluster_fits<chain_cluster_sync>({job.point.grid, job.point.block}))
                throw Unsupported("a cluster of " + std::to_string(job.point.grid) + " blocks of " +
                                  std::to_string(job.point.block) +
                                  " threads does not fit on this device; allowed: at most " +
                                  std::to_string(kMaxClusterBlocks) + " blocks");
            return [&job] {
                cluster_launch<chain_cluster_sync>(job.context, {job.point.grid, job.point.block}, job.marks,
                                                   job.launches);
            };
#endif
        default:
            return [&job] {
                launch_waves<Chain>(job, [&](const auto& wave, auto nest) {
                    host_launch<chain_nested<decltype(nest)>>(wave, job.point.block, job.marks, nest);
                });
            };
        }
    }
};

const Register<Chain, LaunchTraits> chain;

} // namespace nestbed::inline NESTBED_BACKEND
