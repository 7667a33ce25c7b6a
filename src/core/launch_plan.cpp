#include "launch_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nestbed
{

namespace
{

// A parent that waits keeps its block on a multiprocessor. In a chain that is the root block and, level by
// level, half its threads: never more than twice the root block's threads, and one block a level.
std::uint64_t chains_that_fit(const Case& point, const LaunchForm& form, const DeviceFacts& facts)
{
    const std::uint64_t threads = 2 * std::uint64_t{std::max(point.block, 32U)};
    const std::uint64_t by_threads = facts.max_threads_per_multiprocessor / threads;
    const std::uint64_t by_blocks = facts.max_blocks_per_multiprocessor / (form.levels() + 1);
    return std::max<std::uint64_t>(1, facts.multiprocessors * std::min(by_threads, by_blocks));
}

std::uint64_t grids_held(std::uint32_t wave, std::uint32_t streams, unsigned levels)
{
    return streams * (1 + std::uint64_t{wave} * levels);
}

void plan_waits(const Case& point, const LaunchForm& form, const DeviceFacts& facts, LaunchPlan& plan)
{
    // More streams stop helping: a process has 8 hardware queues by default (CUDA_DEVICE_MAX_CONNECTIONS).
    constexpr std::uint32_t kMostStreams = 7;
    const std::uint64_t fit = chains_that_fit(point, form, facts);
    std::uint64_t best = 0;
    for (std::uint32_t streams = 1; streams <= kMostStreams; ++streams) {
        if (facts.resident_grids <= streams)
            break;
        const std::uint64_t by_grids = (facts.resident_grids / streams - 1) / form.levels();
        const std::uint64_t wave = std::min<std::uint64_t>({by_grids, fit / streams, point.grid});
        if (wave == 0 || wave * streams < best)
            continue;
        best = wave * streams;
        plan.wave = static_cast<std::uint32_t>(wave);
        plan.streams = streams;
    }
    if (best == 0)
        plan.refusal = fmt::format("a chain of {} waiting parents does not fit: the device holds {} grids at once",
                                   form.levels(), facts.resident_grids);
}

} // namespace

LaunchPlan plan_launches(const Case& point, const LaunchForm& form, const DeviceFacts& facts)
{
    LaunchPlan plan{.wave = point.grid};
    if (form.levels() == 0)
        return plan;

    const std::uint64_t all = form.total();
    const std::uint32_t usual = facts.default_pending_limit;
    plan.pending_limit = point.pending_limit.value_or(usual);
    if (!point.pending_limit) {
        // What must be pending at once, whatever the waves: one chain.
        const std::uint64_t least = facts.raising_limit_is_free ? all : 2ULL * form.levels();
        plan.pending_limit = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(least, usual, UINT32_MAX));
    }

    if (form.parent_waits && facts.resident_grids != 0) {
        plan_waits(point, form, facts, plan);
    } else if (form.per_root_block && !point.pending_limit && !facts.raising_limit_is_free &&
               all > plan.pending_limit / 2) {
        plan.streams = 2;
        plan.wave = std::max(1U, plan.pending_limit / (2 * plan.streams * form.levels()));
    }

    if (point.streams)
        plan.streams = *point.streams;
    if (point.wave)
        plan.wave = std::min(*point.wave, point.grid);
    plan.streams = std::min(plan.streams, plan.waves(point.grid));
    if (form.parent_waits && facts.resident_grids != 0 && (point.wave || point.streams) && plan.refusal.empty()) {
        const std::uint64_t held = grids_held(plan.wave, plan.streams, form.levels());
        if (held > facts.resident_grids || std::uint64_t{plan.wave} * plan.streams > chains_that_fit(point, form, facts))
            plan.refusal = fmt::format("waves of {} blocks in {} streams hold {} waiting grids, the device {}: they "
                                       "would wait for ever; leave wave and streams to auto",
                                       plan.wave, plan.streams, held, facts.resident_grids);
    }
    return plan;
}

} // namespace nestbed
