#include "model/launch_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nestbed
{

namespace
{

// Chains of which a root grid runs one at a time (results/h200/tail_streams.csv).
constexpr std::uint32_t kStreamsOneByOne = 64;
constexpr std::uint32_t kWaveOneByOne = 2;

// What auto puts in flight is at most this part of the limit. A launch holds its place until its grid and its descendants
// are complete, and some time longer: a limit that was just large enough was seen to refuse launches.
constexpr std::uint64_t kPartOfLimit = 3;
constexpr std::uint64_t kWholeLimit = 4;

// A parent that waits keeps its block on a multiprocessor. In a chain that is the root block and, level by
// level, half its threads: never more than twice the root block's threads, and one block a level. They may
// take a quarter of the device: children that do not wait and the device runtime itself need room too, and
// how much is not documented. (H200, one level below blocks of 1024: 64 waiting parents ran 40 times of 40,
// 66 hung 6 times of 9.)
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

// Waves that the user fixed, checked; or the most chains at once that fit.
void plan_waits(const Case& point, const ExpectedLaunches& form, const DeviceFacts& facts, LaunchPlan& plan)
{
    // More streams stop helping: a process has 8 hardware queues by default (CUDA_DEVICE_MAX_CONNECTIONS).
    constexpr std::uint32_t kMostStreams = 7;
    const std::uint64_t fit = chains_that_fit(point, form, facts);
    const std::uint32_t least = point.streams ? plan.streams : 1;
    const std::uint32_t most = point.streams ? plan.streams : kMostStreams;
    const auto wave_of = [&](std::uint32_t streams) -> std::uint64_t {
        const std::uint64_t share = facts.resident_grids / streams; // a stream's, its root grid among them
        return share < 2 ? 0 : std::min<std::uint64_t>({(share - 1) / form.levels(), fit / streams, point.grid});
    };
    std::uint64_t most_chains = 0;
    for (std::uint32_t streams = least; streams <= most; ++streams)
        most_chains = std::max(most_chains, wave_of(streams) * streams);
    for (std::uint32_t streams = least; !point.wave && streams <= most; ++streams) {
        const std::uint64_t chains = wave_of(streams) * streams;
        if (chains == 0 ||
            5 * std::min<std::uint64_t>(chains, point.grid) < 4 * std::min<std::uint64_t>(most_chains, point.grid))
            continue;
        plan.wave = static_cast<std::uint32_t>(wave_of(streams));
        plan.streams = streams;
        if (chains >= point.grid)
            break; // more streams would have nothing to do
    }
    const std::uint64_t held = grids_held(plan.wave, plan.streams, form.levels());
    if (held > facts.resident_grids || std::uint64_t{plan.wave} * plan.streams > fit)
        plan.refusal = fmt::format("waves of {} blocks in {} streams hold {} grids and {} chains of waiting parents; "
                                   "the device has room for {} and {}: they would wait for ever",
                                   plan.wave, plan.streams, held, std::uint64_t{plan.wave} * plan.streams,
                                   facts.resident_grids, fit);
}

} // namespace

LaunchPlan plan_launches(const Case& point, const ExpectedLaunches& form, const DeviceFacts& facts)
{
    const std::uint32_t usual = facts.default_pending_limit;
    const std::uint32_t roots = form.per_root_block() ? form.root_blocks : std::max(1U, point.grid);
    LaunchPlan plan{.roots = roots, .pending_limit = usual, .wave = roots};
    if (form.levels() == 0)
        return plan;

    const bool automatic =
        form.per_root_block() && !point.wave && !point.pending_limit && !facts.raising_limit_is_free;
    const bool in_waves = automatic && (form.one_by_one || form.total() > usual / 2);
    const std::uint32_t usual_streams = !in_waves ? 1 : form.one_by_one ? kStreamsOneByOne : 2;
    if (form.per_root_block())
        plan.streams = std::min(point.streams.value_or(usual_streams), roots);
    if (point.wave && form.per_root_block())
        plan.wave = std::min(*point.wave, roots);
    else if (form.per_root_block())
        plan.wave = (roots - 1) / plan.streams + 1;
    if (in_waves) {
        const std::uint64_t in_flight = usual * kPartOfLimit / kWholeLimit;
        const auto most = static_cast<std::uint32_t>(in_flight / (std::uint64_t{plan.streams} * form.levels()));
        const std::uint32_t share = (roots - 1) / plan.streams + 1; // a stream's
        plan.wave = std::clamp(form.one_by_one ? std::min({most, kWaveOneByOne, share}) : most, 1U, roots);
    }
    plan.streams = point.wave ? std::min(plan.streams, plan.waves()) : plan.streams;
    if (form.parent_waits && facts.resident_grids != 0)
        plan_waits(point, form, facts, plan);
    plan.streams = std::min(plan.streams, plan.waves());

    // What can be pending at once.
    const std::uint64_t chains = std::min<std::uint64_t>(std::uint64_t{plan.wave} * plan.streams, roots);
    const std::uint64_t in_flight = form.per_root_block() ? chains * form.levels() : form.total();
    const std::uint64_t needed =
        facts.raising_limit_is_free ? form.total() : (in_flight * kWholeLimit - 1) / kPartOfLimit + 1;
    plan.pending_limit =
        point.pending_limit.value_or(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(needed, usual, INT32_MAX)));
    return plan;
}

} // namespace nestbed
