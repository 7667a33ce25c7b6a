// fanout: one grid launches many empty grids. It measures the rate of launches, for every mechanism.
//
//     root:                              `grid` blocks, in the waves of the plan; `wave` = `grid` makes one grid
//         thread 0 of block b: mark: called; launch child(b), one block of `block` threads
//     child(b): mark: begun
//
// host: the host makes `grid` launches into one stream. host_graph: the same launches, captured into one graph.
// grid_sync: one cooperative grid with as many blocks as fit; they share the children after one grid.sync(). There is
// no fan-out with graph_tail, because a graph can launch itself only once at a time.
// Launches: `grid`. With host, host_graph and grid_sync the device makes none of them.
// Hazards: none. The children share only an atomic sum. With tail, the children of a root grid run one after another.
// Source: ours.
#include "device/submitted_levels.hpp"
#include "workloads/launch/launch_job.hpp"

#include <algorithm>

#ifdef __CUDACC__
#include <cooperative_groups.h>
#endif

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void fanout_child(LaunchMarks marks, unsigned launch)
{
    const unsigned long long now = marks.now();
    if (threadIdx.x == 0)
        marks.begin(launch, now);
}

// The signature that launch() requires of a kernel.
template <class Nest>
__global__ void fanout_nested_child(LaunchMarks marks, unsigned launch, Nest nest)
{
    const auto scope = nest.enter();
    const unsigned long long now = marks.now();
    if (threadIdx.x == 0)
        marks.begin(launch, now);
}

template <class Nest>
__global__ void fanout_root(LaunchMarks marks, unsigned first, unsigned block, Nest nest)
{
    const auto scope = nest.enter();
    if (nest.last_level())
        return;
    const unsigned child = first + blockIdx.x;
    marks.call(child);
    launch<fanout_nested_child<Nest>>(nest, {1, block}, marks, child);
}

inline void launch_children(const LaunchJob& job)
{
    for (unsigned launch = 0; launch < job.launches; ++launch)
        host_launch<fanout_child>(job.context, {1, job.point.block}, job.marks, launch);
}

#ifdef __CUDACC__
__global__ void fanout_grid_sync(LaunchMarks marks, unsigned launches)
{
    const auto grid = cooperative_groups::this_grid();
    for (unsigned launch = blockIdx.x; launch < launches; launch += gridDim.x)
        if (threadIdx.x == 0)
            marks.call(launch);
    grid.sync();
    for (unsigned launch = blockIdx.x; launch < launches; launch += gridDim.x)
        if (threadIdx.x == 0)
            marks.begin(launch, marks.now());
}
#endif

struct Fanout {
    static constexpr StrategyInfo info{
        .name = "fanout",
        .workload = &workloads::fanout,
        .mechanisms = kOnly<Mechanism::null_stream, Mechanism::named_stream, Mechanism::fire_and_forget,
                            Mechanism::tail, Mechanism::host, Mechanism::host_graph, Mechanism::grid_sync>,
        .summary = "one grid launches many empty grids",
        .hazards = "none: the children share only an atomic sum",
        .source = "nestbed",
    };

    static std::uint32_t count(const Case& point) { return point.grid; }

    static ExpectedLaunches launches(const Case& point)
    {
        return from_device(mechanism_of(info, point)) ? ExpectedLaunches::chain_per_block(point.grid, 1)
                                                      : ExpectedLaunches::none();
    }

    static std::function<void()> prepare(const LaunchJob& job)
    {
        switch (job.mechanism) {
        case Mechanism::host:
            return [&job] { launch_children(job); };
#ifdef __CUDACC__
        case Mechanism::host_graph:
            return by_host_graph(job.context, [&] { launch_children(job); });
        case Mechanism::grid_sync: {
            const std::uint32_t blocks =
                std::min(job.launches, job.context.resident_blocks<fanout_grid_sync>(job.point.block));
            return [&job, blocks] {
                cooperative_launch<fanout_grid_sync>(job.context, {blocks, job.point.block}, job.marks, job.launches);
            };
        }
#endif
        default:
            return [&job] {
                launch_waves<Fanout>(job, [&](const auto& wave, auto nest) {
                    host_launch<fanout_root<decltype(nest)>>(wave, 1, job.marks, wave.first, job.point.block, nest);
                });
            };
        }
    }
};

const Register<Fanout, LaunchTraits> fan_out;

} // namespace nestbed::inline NESTBED_BACKEND
