// chain: empty levels; each level launches the next. It measures the cost of one launch, for every mechanism.
//
//     level(n):                                    `grid` blocks of `block` threads; only one thread acts
//         mark: begun
//         if n < depth: mark: called; launch level(n + 1)
// The device makes the levels:
//   null_stream, named, fire_and_forget, tail: a kernel launches a kernel
//   graph_tail: a device graph launches itself again when it is done
//   graph_next, graph_forget, graph_sibling: device graphs in a ring, each launches the next: when it is done, by fire and
//       forget, as its sibling; at most 120 levels by the last two
//   graph_while: the body of a WHILE node runs again until its kernel sets the condition to 0
//   grid_sync: one cooperative grid with one grid.sync() per level
// The host makes them:
//   host, host_graph: it launches all, one by one or as one graph
//   host_pdl, host_graph_pdl: the same; a grid begins while the one before it ends (programmatic dependent launch)
//   host_read, host_polled: it waits for each level, copies a number back, or polls one that the kernel writes
// The time of a device graph depends on its place: graph_tail takes the fastest of `graphs` (results/h200/README.md).
// Launches: `depth` (1024 if full) below the root grid, where kernels launch kernels or device graphs; else none.
// Hazards: none. The levels share only an atomic sum. Source: ours.
#include "device/levels.hpp"
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

// What a level does that the host launches.
__device__ inline void mark_level(const LaunchMarks& marks, unsigned level, unsigned levels)
{
    const unsigned long long now = marks.now();
    if (!acts())
        return;
    if (level > 0)
        marks.begin(level - 1, now);
    if (level < levels)
        marks.call(level);
}

__global__ void chain_from_host(LaunchMarks marks, unsigned level, unsigned levels)
{
    mark_level(marks, level, levels);
}

inline void launch_chain(const LaunchJob& job)
{
    for (unsigned level = 0; level <= job.launches; ++level)
        host_launch<chain_from_host>(job.context, {job.point.grid, job.point.block}, job.marks, level, job.launches);
}

// `decided`: the number of levels that are to run, as far as the device knows.
__global__ void chain_read(LaunchMarks marks, unsigned level, unsigned levels, unsigned* decided)
{
    mark_level(marks, level, levels);
    if (acts())
        *decided = level < levels ? level + 1 : level;
}

inline void launch_chain_by_reading(const LaunchJob& job, const Buffer<unsigned>& decided)
{
    unsigned levels = 0;
    for (unsigned level = 0; level <= levels; ++level) {
        host_launch<chain_read>(job.context, {job.point.grid, job.point.block}, job.marks, level, job.launches,
                                decided.data());
        job.context.read(std::span(&levels, 1), decided, 0);
    }
}

__global__ void chain_programmatic(LaunchMarks marks, unsigned level, unsigned levels)
{
    after_previous_grid();
    mark_level(marks, level, levels);
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
    job.context.fill_bytes(*next, 0, 1);
    return [next, launch = while_loop<chain_while>(job.context, {job.point.grid, job.point.block}, job.marks,
                                                   next->data(), job.launches)] { launch(); };
}

#ifdef __CUDACC__
__global__ void chain_polled(LaunchMarks marks, unsigned level, unsigned levels, unsigned* word)
{
    mark_level(marks, level, levels);
    if (acts())
        publish(word, level < levels ? level + 2 : 1); // 1: no more; otherwise the next level + 1
}

inline void launch_chain_by_polling(const LaunchJob& job, MappedWord& word)
{
    unsigned next = 0;
    do {
        word.clear();
        host_launch<chain_polled>(job.context, {job.point.grid, job.point.block}, job.marks, next, job.launches,
                                  word.on_device());
        next = word.wait(job.context.stream(0)) - 1;
    } while (next != 0);
}

struct ChainState {
    unsigned level, levels;
};

inline constexpr unsigned kRing = 8;              // device graphs that launch each other
inline constexpr unsigned kMaxWithoutOrder = 120; // levels, if none waits for the one before: CUDA's limit

template <class Nest>
__global__ void chain_graph(LaunchMarks marks, ChainState* state, const cudaGraphExec_t* ring, Nest nest)
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
    const unsigned next = read.level + 1;
    state->level = next;
    marks.call(read.level);
    if constexpr (Nest::mechanism == Mechanism::graph_tail)
        launch_graph_again(here);
    else // by fire and forget, a graph has not ended before all that it has launched
        launch_graph<Nest::mechanism>(here, ring[Nest::mechanism == Mechanism::graph_forget ? next : next % kRing]);
}

// The graphs of a run by a mechanism of graphs that decide, with their data.
class GraphChain
{
  public:
    explicit GraphChain(const LaunchJob& job)
        : job_(job), state_(job.context.allocate<ChainState>(1)),
          ring_(job.context.allocate<cudaGraphExec_t>(std::max(kRing, job.launches + 1)))
    {
        with_declared_graphs(job);
        set_levels(job.launches);
    }

    void launch() const { job_.context.launch(graphs_[first_]); }

  private:
    void with_declared_graphs(const LaunchJob& job)
    {
        switch (job.mechanism) {
        case Mechanism::graph_tail:
            make<Mechanism::graph_tail>(job.point.graphs, nullptr);
            first_ = fastest();
            break;
        case Mechanism::graph_next:
            return make<Mechanism::graph_next>(kRing, ring_.data());
        case Mechanism::graph_forget:
            return make<Mechanism::graph_forget>(job.launches + 1, ring_.data());
        default:
            return make<Mechanism::graph_sibling>(kRing, ring_.data());
        }
    }

    template <Mechanism How>
    void make(unsigned graphs, const cudaGraphExec_t* ring)
    {
        with_nest<How>(job_, 0, [&](auto nest) {
            for (unsigned graph = 0; graph < graphs; ++graph)
                graphs_.push_back(job_.context.capture(true, [&] {
                    host_launch<chain_graph<decltype(nest)>>(job_.context, {job_.point.grid, job_.point.block},
                                                             job_.marks, state_.data(), ring, nest);
                }));
        });
        if (ring == nullptr)
            return;
        std::vector<cudaGraphExec_t> handles;
        for (const Graph& graph : graphs_)
            handles.push_back(graph.get());
        job_.context.upload(ring_, std::span<const cudaGraphExec_t>(handles));
    }

    void set_levels(unsigned levels)
    {
        const ChainState start{.level = 0, .levels = levels};
        job_.context.upload(state_, std::span(&start, 1));
    }

    // Times each instance twice over a few levels and then resets the state that this changed.
    std::size_t fastest()
    {
        constexpr unsigned kLevels = 32;
        std::vector<double> times(graphs_.size(), std::numeric_limits<double>::infinity());
        for (unsigned time = 0; graphs_.size() > 1 && time < 2; ++time)
            for (std::size_t instance = 0; instance < graphs_.size(); ++instance) {
                set_levels(std::min(kLevels, job_.launches));
                const Elapsed elapsed = job_.context.time(1, [&] { job_.context.launch(graphs_[instance]); });
                times[instance] = std::min(times[instance], *elapsed.gpu_us);
            }
        job_.reset();
        return static_cast<std::size_t>(std::ranges::min_element(times) - times.begin());
    }

    const LaunchJob& job_;
    Buffer<ChainState> state_;
    Buffer<cudaGraphExec_t> ring_;
    std::vector<Graph> graphs_;
    std::size_t first_ = 0;
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
        Mechanism::graph_tail,  Mechanism::host,         Mechanism::host_graph,      Mechanism::grid_sync,
        Mechanism::graph_next,  Mechanism::graph_forget, Mechanism::graph_sibling,   Mechanism::graph_while,
        Mechanism::host_pdl,    Mechanism::host_read,    Mechanism::host_polled,     Mechanism::host_graph_pdl};
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
        case Mechanism::host_pdl:
            return [&job] { launch_chain_programmatically(job); };
        case Mechanism::host_graph_pdl:
            return by_host_graph(job, [&job] { launch_chain_programmatically(job); });
        case Mechanism::graph_while:
            return prepare_chain_by_while(job);
        case Mechanism::host_read: {
            auto decided = std::make_shared<Buffer<unsigned>>(job.context.allocate<unsigned>(1, "decided"));
            return [&job, decided] { launch_chain_by_reading(job, *decided); };
        }
#ifdef __CUDACC__
        case Mechanism::graph_tail:
        case Mechanism::graph_next:
        case Mechanism::graph_forget:
        case Mechanism::graph_sibling: {
            if ((job.mechanism == Mechanism::graph_forget || job.mechanism == Mechanism::graph_sibling) &&
                job.launches > kMaxWithoutOrder)
                throw Unsupported("device graphs launch at most 120 others by " +
                                  std::string(name_of(job.mechanism)));
            auto graphs = std::make_shared<GraphChain>(job);
            return [graphs] { graphs->launch(); };
        }
        case Mechanism::host_polled: {
            auto word = std::make_shared<MappedWord>();
            return [&job, word] { launch_chain_by_polling(job, *word); };
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
