// How the root grid of a case is launched so that no device launch is refused and no parent waits for ever:
// the pending-launch limit, and the waves in which the root blocks go.
#pragma once

#include "model/case.hpp"
#include "model/facts.hpp"
#include "model/strategy.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace nestbed
{

struct LaunchPlan {
    std::uint32_t roots = 1;         // blocks of the root grid, in all waves
    std::uint32_t pending_limit = 0; // to set before the case; the default for one that launches nothing
    std::uint32_t wave = 1;          // root blocks a wave
    std::uint32_t streams = 1;       // host streams that the waves go round; waves of one stream run in order
    std::string refusal;             // why the case cannot be run as asked; empty if it can

    std::uint32_t waves() const { return (roots - 1) / wave + 1; }
};

// A part of the root grid that is launched at once.
struct Wave {
    std::uint32_t first = 0; // its first block
    std::uint32_t blocks = 0;
    std::uint32_t stream = 0;
};

// Calls launch(wave) for each wave of the plan, in order.
template <class Launch>
void for_each_wave(const LaunchPlan& plan, Launch&& launch)
{
    for (std::uint32_t index = 0; index < plan.waves(); ++index) {
        const std::uint32_t first = index * plan.wave;
        launch(
            Wave{.first = first, .blocks = std::min(plan.wave, plan.roots - first), .stream = index % plan.streams});
    }
}

// With nothing fixed by the case:
//  - launches nothing, or one chain for the whole grid: one wave, always;
//  - a chain a root block, parents waiting: as many chains at once as the resident grids and a quarter of the device's
//    threads allow. S streams with waves of W blocks hold S * (1 + W * levels) grids; the most streams, of 7, that have
//    at least four fifths of the most chains, but no more than the grid needs (results/h200/synced_waves.csv);
//  - a chain a root block, nobody waiting: on a GPU the device's default limit, two streams, and waves that put three
//    quarters of that limit in flight (results/h200/waves.csv); where raising the limit is free, one wave;
//  - the same, but the chains of one root grid run one after another: waves of two blocks, round 64 streams
//    (results/h200/tail_streams.csv).
// A wave that the case fixes is kept; streams without a wave share the grid out; either is refused where parents would
// wait for ever. The limit is the device's default, raised if what can be in flight exceeds three quarters of it. A limit that the
// case fixes is kept as it is, and then the root grid is one wave unless its parents wait.
LaunchPlan plan_launches(const Case& point, const ExpectedLaunches& form, const DeviceFacts& facts);

} // namespace nestbed
