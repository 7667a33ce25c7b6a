#include "model/launch_plan.hpp"

#include "model/request_oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace nestbed
{

namespace
{

// Used when the chains of one root grid run one at a time (results/h200/tail_streams.csv).
constexpr std::uint32_t kStreamsOneByOne = 64;
constexpr std::uint32_t kWaveOneByOne = 2;
constexpr std::uint32_t kMaxWavesOneByOne =
    512; // of data-dependent launches: about a thousand host launches can be held

// `auto` puts at most this part of the limit in flight. A launch keeps its place until its grid and its descendants
// are complete, and for some time longer: a limit that was exactly large enough was seen to refuse launches.
constexpr std::uint64_t kPartOfLimit = 3;
constexpr std::uint64_t kWholeLimit = 4;

// A waiting parent keeps its block on a multiprocessor. In a chain these are the root block and, level by level, half
// its threads: never more than twice the threads of the root block, and one block per level. The waiting blocks may
// take a quarter of the device: children that do not wait and the device runtime need room too, and how much is not
// documented. (H200, one level below blocks of 1024: 64 waiting parents ran in 40 of 40 runs, 66 hung in 6 of 9.)
std::uint64_t chains_that_fit(const Case& point, const ExpectedLaunches& form, const DeviceFacts& facts)
{
    const std::uint64_t threads = 2 * std::uint64_t{std::max(point.block, 32U)};
    const std::uint64_t by_threads =
        std::uint64_t{facts.multiprocessors} * facts.max_threads_per_multiprocessor / 4 / threads;
    const std::uint64_t by_blocks =
        std::uint64_t{facts.multiprocessors} * facts.max_blocks_per_multiprocessor / 4 / (form.levels() + 1);
    return std::min(by_threads, by_blocks);
}

std::uint64_t grids_held(std::uint32_t wave, std::uint32_t streams, unsigned levels)
{
    return streams * (1 + std::uint64_t{wave} * levels);
}

// Checks waves that the user fixed; otherwise chooses waves with the most chains at once that fit.
void plan_waits(const Case& point, const ExpectedLaunches& form, const DeviceFacts& facts, LaunchPlan& plan)
{
    // More streams stop helping: a process has 8 hardware queues by default (CUDA_DEVICE_MAX_CONNECTIONS).
    constexpr std::uint32_t kMaxStreams = 7;
    const std::uint64_t fit = chains_that_fit(point, form, facts);
    const std::uint32_t least = point.streams ? plan.streams : 1;
    const std::uint32_t most = point.streams ? plan.streams : kMaxStreams;
    const auto wave_of = [&](std::uint32_t streams) -> std::uint64_t {
        const std::uint64_t share = facts.resident_grids / streams; // of one stream, including its root grid
        return share < 2 ? 0 : std::min<std::uint64_t>({(share - 1) / form.levels(), fit / streams, point.grid});
    };
    std::uint64_t max_chains = 0;
    for (std::uint32_t streams = least; streams <= most; ++streams)
        max_chains = std::max(max_chains, wave_of(streams) * streams);
    for (std::uint32_t streams = least; !point.wave && streams <= most; ++streams) {
        const std::uint64_t chains = wave_of(streams) * streams;
        if (chains == 0 ||
            5 * std::min<std::uint64_t>(chains, point.grid) < 4 * std::min<std::uint64_t>(max_chains, point.grid))
            continue;
        plan.wave = static_cast<std::uint32_t>(wave_of(streams));
        plan.streams = streams;
        if (chains >= point.grid)
            break; // more streams would have no work
    }
    const std::uint64_t held = grids_held(plan.wave, plan.streams, form.levels());
    if (held > facts.resident_grids || std::uint64_t{plan.wave} * plan.streams > fit)
        plan.refusal = fmt::format("waves of {} blocks in {} streams hold {} grids and {} chains of waiting parents; "
                                   "the device has room for {} and {}: they would wait for ever",
                                   plan.wave, plan.streams, held, std::uint64_t{plan.wave} * plan.streams,
                                   facts.resident_grids, fit);
}

// The most launches below `width` root blocks that follow each other.
std::uint64_t max_within(const std::vector<std::uint64_t>& by_root, std::size_t width)
{
    std::uint64_t sum = 0;
    std::uint64_t most = 0;
    for (std::size_t root = 0; root < by_root.size(); ++root) {
        sum += by_root[root];
        if (root >= width)
            sum -= by_root[root - width];
        most = std::max(most, sum);
    }
    return most;
}

// The most launches that can be pending at once below the waves of several streams, each of which has one in flight.
std::uint64_t max_in_streams(const std::vector<std::uint64_t>& by_root, const LaunchPlan& plan)
{
    std::vector<std::uint64_t> most(plan.streams, 0);
    for_each_wave(plan, [&](const Wave& wave) {
        const auto begin = by_root.begin() + static_cast<std::ptrdiff_t>(wave.first);
        const auto end = begin + static_cast<std::ptrdiff_t>(wave.blocks);
        std::uint64_t& of_stream = most[wave.stream];
        of_stream = std::max(of_stream, std::accumulate(begin, end, std::uint64_t{0}));
    });
    return std::accumulate(most.begin(), most.end(), std::uint64_t{0});
}

// The widest wave whose root blocks never need more than `in_flight` launches; at least one block.
std::uint32_t wave_within(const std::vector<std::uint64_t>& by_root, std::uint64_t in_flight)
{
    std::uint32_t wave = 1;
    auto too_wide = static_cast<std::uint32_t>(by_root.size()) + 1;
    while (too_wide - wave > 1) {
        const std::uint32_t middle = wave + (too_wide - wave) / 2;
        (max_within(by_root, middle) <= in_flight ? wave : too_wide) = middle;
    }
    return wave;
}

// Plans data-dependent launches, whose number differs from root block to root block. Launches that the case replaces when they
// are refused need no place under the limit.
LaunchPlan plan_by_need(const Case& point, const ExpectedLaunches& form, const DeviceFacts& facts)
{
    const std::uint32_t default_limit = facts.default_pending_limit;
    const auto roots = static_cast<std::uint32_t>(form.by_root.size());
    const std::uint32_t share = roots / form.recursions;
    LaunchPlan plan{.roots = roots, .pending_limit = point.pending_limit.value_or(default_limit), .wave = share};
    plan.recursions = form.recursions;
    const bool apart = blocks_per_group(point.aggregate) == 1; // no launch has items of two root blocks
    if (apart && (point.wave || point.streams)) {
        plan.streams = std::min(point.streams.value_or(1), share);
        plan.wave = std::min(point.wave.value_or((share - 1) / plan.streams + 1), share);
        plan.streams = std::min(plan.streams, plan.waves() / plan.recursions);
    }
    if (point.overflow != Overflow::waves && point.overflow != Overflow::absent)
        return plan;
    const bool limited = point.pending_limit || !facts.raising_limit_is_free;
    const std::uint64_t in_flight = plan.pending_limit * kPartOfLimit / kWholeLimit;
    const bool in_turn = form.one_by_one && !facts.raising_limit_is_free;
    if (apart && !point.wave && !point.streams && limited && (in_turn || point.overflow == Overflow::waves)) {
        plan.wave = std::min(wave_within(form.by_root, in_flight), share);
        if (in_turn) { // in many streams, because the launches of a grid run one by one
            plan.wave = std::min(plan.wave, (roots - 1) / kMaxWavesOneByOne + 1);
            const std::uint64_t fit = in_flight / std::max<std::uint64_t>(1, max_within(form.by_root, plan.wave));
            plan.streams = std::min(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(fit, 1, kStreamsOneByOne)),
                                    plan.waves() / plan.recursions);
        }
    }
    const std::uint64_t pending = apart || plan.recursions > 1 ? max_in_streams(form.by_root, plan) : form.total();
    const std::uint64_t needed =
        facts.raising_limit_is_free ? form.total() : (pending * kWholeLimit + kPartOfLimit - 1) / kPartOfLimit;
    plan.pending_limit = point.pending_limit.value_or(
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(needed, default_limit, INT32_MAX)));
    return plan;
}

} // namespace

LaunchPlan plan_launches(const Case& point, const ExpectedLaunches& form, const DeviceFacts& facts)
{
    if (!form.by_root.empty())
        return plan_by_need(point, form, facts);
    const std::uint32_t default_limit = facts.default_pending_limit;
    const std::uint32_t roots = form.per_root_block() ? form.root_blocks : std::max(1U, point.grid);
    LaunchPlan plan{.roots = roots, .pending_limit = default_limit, .wave = roots};
    if (form.levels() == 0) {
        plan.streams = point.streams.value_or(1); // of a strategy that has the axis
        return plan;
    }

    const bool automatic =
        form.per_root_block() && !point.wave && !point.pending_limit && !facts.raising_limit_is_free;
    const bool in_waves = automatic && (form.one_by_one || form.total() > default_limit / 2);
    const std::uint32_t default_streams = !in_waves ? 1 : form.one_by_one ? kStreamsOneByOne : 2;
    if (form.per_root_block())
        plan.streams = std::min(point.streams.value_or(default_streams), roots);
    if (point.wave && form.per_root_block())
        plan.wave = std::min(*point.wave, roots);
    else if (form.per_root_block())
        plan.wave = (roots - 1) / plan.streams + 1;
    if (in_waves) {
        const std::uint64_t in_flight = default_limit * kPartOfLimit / kWholeLimit;
        const auto most = static_cast<std::uint32_t>(in_flight / (plan.streams * form.per_block()));
        const std::uint32_t share = (roots - 1) / plan.streams + 1; // of one stream
        plan.wave = std::clamp(form.one_by_one ? std::min({most, kWaveOneByOne, share}) : most, 1U, roots);
    }
    plan.streams = point.wave ? std::min(plan.streams, plan.waves()) : plan.streams;
    if (form.parent_waits && facts.resident_grids != 0)
        plan_waits(point, form, facts, plan);
    plan.streams = std::min(plan.streams, plan.waves());

    // Computes how many launches can be pending at once. Where the order of execution decides how many there are, it is 0: the
    // kernels do themselves what the usual limit refuses, and a higher limit makes every launch slower.
    const std::uint64_t chains = std::min<std::uint64_t>(std::uint64_t{plan.wave} * plan.streams, roots);
    const std::uint64_t in_flight = form.per_root_block() ? chains * form.per_block() : form.total();
    const std::uint64_t needed =
        facts.raising_limit_is_free ? form.total() : (in_flight * kWholeLimit + kPartOfLimit - 1) / kPartOfLimit;
    plan.pending_limit = point.pending_limit.value_or(
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(needed, default_limit, INT32_MAX)));
    return plan;
}

} // namespace nestbed
