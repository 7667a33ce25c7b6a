// chain: empty levels; each level launches the next. It measures the cost of one launch, for every mechanism.
//
//     level(n):                                    `grid` blocks of `block` threads; only one thread acts
//         mark: begun
//         if n < depth: mark: called; launch level(n + 1)
//
// host: the host launches one grid after another into one stream. host_graph: the same launches, captured into one graph.
// graph_tail: a device graph launches itself again. grid_sync: one cooperative grid with one grid.sync() per level.
// The time of a level depends on where the driver places the instance of a device graph. `graphs` sets how many
// instances are made; the fastest one is used. They are made once for the timed run and again for the run with
// timestamps (results/h200/README.md).
// Launches: `depth` (1024 if full) below the root grid. With host, host_graph and grid_sync the device makes none of
// them.
// Hazards: none. The levels share only an atomic sum.
// Source: ours.
#include "workloads/launch/launch.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#ifdef __CUDACC__
#include <cooperative_groups.h>
#endif

namespace nestbed::inline NESTBED_BACKEND
{

// True for the thread that acts for its grid.
__device__ inline bool acts()
{
    return threadIdx.x == 0 && blockIdx.x == 0;
}

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
    const unsigned long long now = marks.now();
    if (!acts())
        return;
    if (level > 0)
        marks.begin(level - 1, now);
    if (level < levels)
        marks.call(level);
}

inline void launch_chain(const LaunchJob& job)
{
    for (unsigned level = 0; level <= job.launches; ++level)
        host_launch<chain_from_host>(job.context, {job.point.grid, job.point.block}, job.marks, level, job.launches);
}

#ifdef __CUDACC__
struct ChainState {
    unsigned level;
    unsigned levels;
};

template <class Nest>
__global__ void chain_graph(LaunchMarks marks, ChainState* state, Nest nest)
{
    const unsigned long long now = marks.now();
    const unsigned long long begun = nest.now();
    if (!acts())
        return;
    const ChainState read = *state;
    // Only this thread reads the level. The other threads return at once and must not read it.
    const Nest here = nest.at(read.level);
    const auto scope = here.enter(begun);
    if (read.level > 0)
        marks.begin(read.level - 1, now);
    if (read.level == read.levels || here.last_level())
        return;
    state->level = read.level + 1;
    marks.call(read.level);
    launch_graph_again(here);
}

// One instance of the graph, with its data.
class GraphChain
{
  public:
    explicit GraphChain(const LaunchJob& job) : job_(job), state_(job.context.allocate<ChainState>(1))
    {
        std::vector<Graph> instances;
        for (unsigned instance = 0; instance < job.point.graphs; ++instance)
            instances.push_back(job.context.capture(true, [&] {
                with_nest<Mechanism::graph_tail>(job, 0, [&](auto nest) {
                    host_launch<chain_graph<decltype(nest)>>(job.context, {job.point.grid, job.point.block},
                                                             job.marks, state_.data(), nest);
                });
            }));
        graph_ = std::make_unique<Graph>(std::move(instances[fastest_of(instances)]));
        set_levels(job.launches);
    }

    void launch() const { job_.context.launch(*graph_); }

  private:
    void set_levels(unsigned levels)
    {
        const ChainState start{.level = 0, .levels = levels};
        job_.context.upload(state_, std::span(&start, 1));
    }

    // Times each instance twice over a few levels and then resets the state that this changed.
    std::size_t fastest_of(const std::vector<Graph>& instances)
    {
        constexpr unsigned kLevels = 32;
        std::vector<double> times(instances.size(), std::numeric_limits<double>::infinity());
        for (unsigned time = 0; instances.size() > 1 && time < 2; ++time)
            for (std::size_t instance = 0; instance < instances.size(); ++instance) {
                set_levels(std::min(kLevels, job_.launches));
                const Elapsed elapsed = job_.context.time(1, [&] { job_.context.launch(instances[instance]); });
                times[instance] = std::min(times[instance], *elapsed.gpu_us);
            }
        job_.reset();
        return static_cast<std::size_t>(std::ranges::min_element(times) - times.begin());
    }

    const LaunchJob& job_;
    Buffer<ChainState> state_;
    std::unique_ptr<Graph> graph_;
};

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
#endif

struct Chain {
    static constexpr std::array kMechanisms{
        Mechanism::null_stream, Mechanism::named_stream, Mechanism::fire_and_forget, Mechanism::tail,
        Mechanism::graph_tail,  Mechanism::host,         Mechanism::host_graph,      Mechanism::grid_sync};
    static constexpr StrategyInfo info{
        .name = "chain",
        .workload = &workloads::chain,
        .mechanisms = kMechanisms,
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
#ifdef __CUDACC__
        case Mechanism::graph_tail: {
            auto graph = std::make_shared<GraphChain>(job);
            return [graph] { graph->launch(); };
        }
        case Mechanism::host_graph:
            return by_host_graph(job, [&] { launch_chain(job); });
        case Mechanism::grid_sync:
            if (const std::uint32_t most = job.context.resident_blocks<chain_grid_sync>(job.point.block);
                job.point.grid > most)
                throw Unsupported("a cooperative grid has at most " + std::to_string(most) + " blocks of " +
                                  std::to_string(job.point.block) + " threads on this device");
            return [&job] {
                cooperative_launch<chain_grid_sync>(job.context, {job.point.grid, job.point.block}, job.marks,
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

const Register<Chain, LaunchRoom> chain;

} // namespace nestbed::inline NESTBED_BACKEND
