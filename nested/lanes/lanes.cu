// lanes_in_turn, lanes_at_once: every lane of a warp launches a child. Past the pending limit, the second can hang a GPU.
//
//     root:                                            `grid` blocks of `block` threads: the lanes that launch
//         each lane: launch child()                    one block of as many lanes; in turn, or all in one instruction
//     child(): the same, down to `depth`: 1, or 2 at most
//
// Lanes in turn: launches past the pending limit are refused, and the grid ends. Lanes at once: if two or more lanes of a
// warp launch in the same instruction when the limit is reached, the grid may never end; only ending the process frees
// the GPU. Seen on an H200 with fire and forget, sometimes with the NULL stream (lanes_hang/lanes_hang.cu shows it without
// the testbed). Under `auto` the limit is never reached.
// Launches: `grid` * lanes + `grid` * lanes^2, where lanes is `block`, 32 at most.
// Hazards: none of the two has a race. lanes_at_once may hang the GPU under a fixed pending limit.
// Source: ours.
#include "device/parts/request_collectives.hpp"
#include "workloads/lanes/lanes.hpp"

#include <algorithm>

namespace nestbed::inline NESTBED_BACKEND
{

template <bool AtOnce, class Nest>
__global__ void lanes_grid(unsigned long long* ran, Nest nest)
{
    const auto scope = nest.enter();
    if (threadIdx.x == 0)
        atomicAdd(ran, 1ULL);
    if (nest.last_level() || threadIdx.x >= kLanes)
        return;
    const LaunchShape shape{1, blockDim.x < kLanes ? blockDim.x : kLanes};
    const auto launch_child = [&] { launch<lanes_grid<AtOnce, Nest>>(nest, shape, ran); };
    if constexpr (AtOnce) {
        __syncwarp(); // after the addition of lane 0
        launch_child();
    } else {
        one_lane_at_a_time(true, launch_child);
    }
}

template <bool AtOnce>
struct Lanes {
    static constexpr StrategyInfo info{
        .name = AtOnce ? "lanes_at_once" : "lanes_in_turn",
        .workload = &workloads::lanes,
        .mechanisms = kOnly<Mechanism::fire_and_forget, Mechanism::null_stream>,
        .summary = AtOnce ? "every lane of a warp launches a child, all in the same instruction"
                          : "every lane of a warp launches a child, one lane after another",
        .hazards = AtOnce ? "hangs: past a fixed pending limit the GPU may hang; no race"
                          : "none: one lane launches at a time",
        .source = "nestbed",
        .hangs = AtOnce,
    };

    static ExpectedLaunches launches(const Case& point)
    {
        constexpr unsigned kMaxLevels = 2; // one if the case does not set a depth
        const std::uint64_t lanes = std::min(point.block, kLanes);
        ExpectedLaunches form{.root_blocks = point.grid};
        std::uint64_t grids = point.grid;
        for (unsigned level = std::min(point.depth.value_or(1), kMaxLevels); level > 0; --level)
            form.by_depth.push_back(grids *= lanes);
        return form;
    }

    static void run(const LanesJob& job)
    {
        launch_waves<Lanes>(job, [&](const auto& wave, auto nest) {
            host_launch<lanes_grid<AtOnce, decltype(nest)>>(wave, job.point.block, job.ran, nest);
        });
    }
};

const Register<Lanes<false>, LanesTraits> lanes_in_turn;
const Register<Lanes<true>, LanesTraits> lanes_at_once;

} // namespace nestbed::inline NESTBED_BACKEND
