// How to launch the root grid of a case so that no device launch is refused and no parent waits for ever: the
// pending-launch limit, and the waves of root blocks.
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
    std::uint32_t roots = 1;         // root blocks, in all waves
    std::uint32_t pending_limit = 0; // to set before the case; the default limit if the case launches nothing
    std::uint32_t wave = 1;          // root blocks per wave
    std::uint32_t streams = 1;       // host streams that launch the waves in turn; waves of one stream run in order
    std::string refusal;             // why the case cannot run as asked; empty if it can
    std::uint32_t recursions =
        1; // that follow each other; each has its share of the root blocks, in waves of its own

    std::uint32_t share() const { return roots / recursions; }
    std::uint32_t waves() const { return recursions * ((share() - 1) / wave + 1); }
};

// A part of the root grid, launched at once.
struct Wave {
    std::uint32_t first = 0; // its first block
    std::uint32_t blocks = 0;
    std::uint32_t stream = 0;
};

// Calls launch(wave) for each wave of the plan, in order. All recursions have the same waves in the same streams, so a wave
// begins when the same wave of the recursion before is complete.
template <class Launch>
void for_each_wave(const LaunchPlan& plan, Launch&& launch)
{
    const std::uint32_t waves = plan.waves() / plan.recursions;
    for (std::uint32_t recursion = 0; recursion < plan.recursions; ++recursion)
        for (std::uint32_t index = 0; index < waves; ++index) {
            const std::uint32_t first = index * plan.wave;
            launch(Wave{.first = recursion * plan.share() + first,
                        .blocks = std::min(plan.wave, plan.share() - first),
                        .stream = index % plan.streams});
        }
}

// If the case fixes nothing:
//  - no launches, or one chain for the whole grid: always one wave;
//  - one chain per root block, and parents wait: as many chains at once as the resident grids and a quarter of the
//    device's threads allow. S streams with waves of W blocks hold S * (1 + W * levels) grids. The plan takes the most
//    streams, up to 7, that reach at least four fifths of the most chains, but no more than the grid needs
//    (results/h200/synced_waves.csv);
//  - one chain per root block, and nobody waits: on a GPU the device's default limit, two streams, and waves that put
//    three quarters of that limit in flight (results/h200/waves.csv); one wave if raising the limit is free;
//  - the same, but the chains of one root grid run one after another: waves of two blocks, in turn on 64 streams
//    (results/h200/tail_streams.csv).
//  - data-dependent launches (ExpectedLaunches::by_root): with `overflow = waves`, waves whose root blocks never need more than
//    three quarters of the limit, also of a limit that the case fixes; by tail launches the same, in up to 64 streams that
//    share the limit; otherwise one wave, and one wave also if a launch has items of several root blocks.
// A wave that the case fixes is kept. If the case fixes only the streams, they share the grid equally. Both are
// refused if parents would wait for ever. The limit is the device's default; it is raised if more than three quarters
// of it can be in flight. A limit that the case fixes is kept, and then the root grid is one wave unless its parents
// wait.
LaunchPlan plan_launches(const Case& point, const ExpectedLaunches& form, const DeviceFacts& facts);

} // namespace nestbed
