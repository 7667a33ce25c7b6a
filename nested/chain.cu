// chain: empty levels, each launched by the one before: what one launch costs, by every mechanism.
//
//     level(n):                                    `grid` blocks of `block` threads, one of which does anything
//         mark: begun
//         if n < depth: mark: called; launch level(n + 1)
//
// By host: one launch after another into one stream. By host_graph: the same, captured, launched as one graph. By
// graph_tail: a device graph that launches itself again. By grid_sync: one cooperative grid, a grid.sync() a level.
// Launches: `depth` (1024 if full) below the root grid; none of them from the device by host, host_graph and grid_sync.
// Hazards: none: there are no data but a sum, which is atomic.
// Source: ours.
#include "../src/backend/launching.hpp"

#include <stdexcept>

#ifdef __CUDACC__
#include <cooperative_groups.h>
#endif

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

// The thread that acts for its grid.
__device__ inline bool acts()
{
    return threadIdx.x == 0 && blockIdx.x == 0;
}

template <Mechanism How>
__global__ void chain_nested(Marks marks, Nest nest)
{
    const unsigned long long now = timer_ns();
    if (!acts())
        return;
    if (nest.depth > 0)
        marks.begin(nest.depth - 1, now);
    if (nest.last_level())
        return;
    marks.call(nest.depth);
    nest.launch<chain_nested<How>, How>({gridDim.x, blockDim.x}, marks);
}

__global__ void chain_from_host(Marks marks, unsigned level, unsigned levels)
{
    const unsigned long long now = timer_ns();
    if (!acts())
        return;
    if (level > 0)
        marks.begin(level - 1, now);
    if (level < levels)
        marks.call(level);
}

inline void launch_chain(const LaunchingJob& job)
{
    for (unsigned level = 0; level <= job.launches; ++level)
        host_launch<chain_from_host>(job.context, 0, {job.point.grid, job.point.block}, job.marks, level,
                                     job.launches);
}

#ifdef __CUDACC__
__global__ void chain_graph(Marks marks, unsigned* level_now, Nest nest)
{
    const unsigned long long now = timer_ns();
    if (!acts())
        return;
    const unsigned level = *level_now;
    const Nest here = nest.at(level);
    if (level > 0)
        marks.begin(level - 1, now);
    if (here.last_level())
        return;
    *level_now = level + 1;
    marks.call(level);
    here.launch_graph_again();
}

__global__ void chain_grid_sync(Marks marks, unsigned levels)
{
    const auto grid = cooperative_groups::this_grid();
    for (unsigned level = 0; level < levels; ++level) {
        if (acts())
            marks.call(level);
        grid.sync();
        if (acts())
            marks.begin(level, timer_ns());
    }
}
#endif

struct Chain {
    static constexpr std::array kMechanisms{
        Mechanism::null_stream, Mechanism::named_stream, Mechanism::fire_and_forget, Mechanism::tail,
        Mechanism::graph_tail,  Mechanism::host,         Mechanism::host_graph,      Mechanism::grid_sync};
    static constexpr StrategyInfo info{
        .name = "chain",
        .workload = "chain",
        .mechanisms = kMechanisms,
        .summary = "empty levels, each launched by the one before",
        .hazards = "none: the levels share only an atomic sum",
        .source = "nestbed",
    };

    static std::uint32_t count(const Case& point)
    {
        constexpr unsigned kFull = 1024;
        return levels_within(point, kFull);
    }

    static LaunchForm launches(const Case& point)
    {
        return from_device(mechanism_of(info, point)) ? LaunchForm::chain_per_grid(count(point)) : LaunchForm::none();
    }

    static std::function<void()> prepare(const LaunchingJob& job)
    {
        const LaunchShape shape{job.point.grid, job.point.block};
        const Nest nest{.ledger = job.ledger, .max_depth = job.launches};
        switch (job.mechanism) {
        case Mechanism::host:
            return [&job] { launch_chain(job); };
#ifdef __CUDACC__
        case Mechanism::graph_tail: {
            struct Prepared {
                Buffer<unsigned> level;
                Graph graph;
            };
            auto level = job.context.allocate<unsigned>(1);
            job.context.fill_bytes(level, 0, 1);
            Graph graph = job.context.capture(
                true, [&] { host_launch<chain_graph>(job.context, 0, shape, job.marks, level.data(), nest); });
            auto prepared = std::make_shared<Prepared>(Prepared{std::move(level), std::move(graph)});
            return [&job, prepared] { job.context.launch(prepared->graph); };
        }
        case Mechanism::host_graph:
            return by_host_graph(job, [&] { launch_chain(job); });
        case Mechanism::grid_sync:
            return
                [&job, shape] { cooperative_launch<chain_grid_sync>(job.context, shape, job.marks, job.launches); };
#endif
        default:
            return [&job, shape, nest] {
                with_mechanism(job.mechanism, [&]<Mechanism How>() {
                    host_launch<chain_nested<How>>(job.context, 0, shape, job.marks, nest);
                });
            };
        }
    }
};

const RegisterLaunching<Chain> chain;

} // namespace NESTBED_BACKEND
} // namespace nestbed
