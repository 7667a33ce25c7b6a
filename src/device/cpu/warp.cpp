// The point of exchange of the lanes of a warp: shuffles, votes, __syncwarp().
#include "base/reported_place.hpp"
#include "device/cpu/executor_state.hpp"
#include "device/cpu/misuse.hpp"
#include "device/cpu/observer.hpp"

#include <fmt/format.h>

#include <bit>
#include <string_view>

namespace nestbed::cpu
{

namespace
{

constexpr std::uint32_t bit(unsigned lane)
{
    return std::uint32_t{1} << lane;
}

unsigned thread_of(const Carrier& carrier)
{
    const dim3 index = carrier.context.thread_index;
    const dim3 dim = carrier.context.block_dim;
    return index.x + dim.x * (index.y + dim.y * index.z);
}

// The lanes of a warp that the block has and that have not ended.
std::uint32_t live_lanes(const Block& block, std::size_t number)
{
    const std::size_t lanes = block.threads - number * kWarpLanes;
    return (lanes >= kWarpLanes ? ~0U : bit(static_cast<unsigned>(lanes)) - 1) & ~block.ended[number];
}

// The lanes that wait with the same mask as this one.
std::uint32_t waiting_with(const Warp& warp, unsigned lane)
{
    if (warp.same_mask)
        return warp.arrived;
    std::uint32_t group = 0;
    for (std::uint32_t rest = warp.arrived; rest != 0; rest &= rest - 1) {
        const auto other = static_cast<unsigned>(std::countr_zero(rest));
        if (warp.mask[other] == warp.mask[lane])
            group |= bit(other);
    }
    return group;
}

// Without an observer, the kernel ends.
void misused(const Block& block, const ThreadContext& thread, const Misuse& misuse)
{
    if (block.observed != nullptr)
        observer->misused(thread.observed, misuse);
    else
        throw fault_of(thread, misuse.place.file == nullptr
                                   ? misuse_text(misuse)
                                   : fmt::format("{}: {}", reported_place(misuse.place.file, misuse.place.line),
                                                 misuse_text(misuse)));
}

// A group of lanes that go on; `missing`: those that they have waited for in vain.
struct Group {
    std::uint32_t lanes = 0;
    std::uint32_t missing = 0;
};

// A group whose exchange is complete; no lanes: there is none. Where nobody else can continue, lanes do not wait for others any longer: first
// those that named no others, then those whose others will not come.
Group complete_group(const Block& block, std::size_t number, Others others)
{
    const Warp& warp = block.warps[number];
    std::uint32_t of_any = 0;
    Group forced;
    for (std::uint32_t rest = warp.arrived; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const std::uint32_t group = waiting_with(warp, lane);
        const std::uint32_t missing = warp.mask[lane] & live_lanes(block, number) & ~group;
        if (warp.mask[lane] == 0)
            of_any = group;
        else if (missing == 0)
            return {group};
        else
            forced = {group, missing};
        rest &= ~group | bit(lane);
    }
    if (others != Others::running && of_any != 0)
        return {of_any};
    return others == Others::stopped ? forced : Group{};
}

void check_functions(Block& block, std::size_t number, std::uint32_t group)
{
    const Warp& warp = block.warps[number];
    const auto first = static_cast<unsigned>(std::countr_zero(group));
    for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const char* const function = warp.place[lane].function;
        if (function == warp.place[first].function || function == nullptr || warp.place[first].function == nullptr ||
            std::string_view(function) == warp.place[first].function)
            continue;
        observer->misused(observer->thread_of(block.observed, static_cast<std::uint32_t>(number * kWarpLanes + lane)),
                          {.kind = Misuse::Kind::other_function,
                           .place = warp.place[lane],
                           .other = warp.place[first],
                           .lane = lane,
                           .mask = warp.mask[lane],
                           .lanes = bit(first)});
        return;
    }
}

// Reports that the others of a group never come.
void wait_in_vain(const Block& block, std::size_t number, const Group& group, const std::vector<Carrier*>& at_warp)
{
    const Warp& warp = block.warps[number];
    const auto lane = static_cast<unsigned>(std::countr_zero(group.lanes));
    const auto missing = static_cast<unsigned>(std::countr_zero(group.missing));
    const auto carrier = std::ranges::find_if(
        at_warp, [&](const Carrier* each) { return thread_of(*each) == number * kWarpLanes + lane; });
    misused(block, (*carrier)->context,
            {.kind = Misuse::Kind::never_come,
             .place = warp.place[lane],
             .other = (warp.arrived & bit(missing)) != 0 ? warp.place[missing] : block.barrier_place,
             .lane = lane,
             .mask = warp.mask[lane],
             .lanes = group.missing});
}

void release(Block& block, std::size_t number, std::uint32_t group)
{
    Warp& warp = block.warps[number];
    std::vector<void*> ordered;
    std::uint32_t nonzero = 0;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
        nonzero |= warp.given[lane] != 0 ? bit(lane) : 0;
    nonzero &= group;
    for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        warp.present[lane] = group;
        warp.nonzero[lane] = nonzero;
        if ((warp.votes & bit(lane)) == 0)
            warp.received[lane] = warp.given;
        if (block.observed != nullptr && (warp.orders & bit(lane)) != 0)
            ordered.push_back(
                observer->thread_of(block.observed, static_cast<std::uint32_t>(number * kWarpLanes + lane)));
    }
    warp.arrived &= ~group;
    warp.reported &= ~group;
    if (block.observed != nullptr)
        check_functions(block, number, group);
    if (ordered.size() > 1)
        observer->warp_barrier(ordered);
}

} // namespace

std::vector<Carrier*> take_exchanged(Block& block, std::vector<Carrier*>& at_warp, Others others)
{
    if (others == Others::running && block.may_exchange == 0)
        return {};
    std::array<std::uint32_t, kMaxThreadsPerBlock / kWarpLanes> released{};
    const auto take = [&](std::size_t number, Others while_others) {
        const Group group = complete_group(block, number, while_others);
        if (group.missing != 0 && (block.warps[number].reported & group.lanes) == 0)
            wait_in_vain(block, number, group, at_warp);
        if (group.lanes != 0)
            release(block, number, group.lanes);
        released[number] |= group.lanes;
        return group.lanes != 0;
    };
    for (; block.may_exchange != 0; block.may_exchange &= block.may_exchange - 1)
        while (take(static_cast<std::size_t>(std::countr_zero(block.may_exchange)), Others::running)) {
        }
    if (others != Others::running)
        for (std::size_t number = 0; number < block.warps.size(); ++number)
            if (released[number] == 0)
                take(number, others);
    std::vector<Carrier*> taken;
    if (std::ranges::all_of(released, [](std::uint32_t group) { return group == 0; }))
        return taken;
    std::erase_if(at_warp, [&](Carrier* carrier) {
        const unsigned thread = thread_of(*carrier);
        if ((released[thread / kWarpLanes] & bit(thread % kWarpLanes)) == 0)
            return false;
        taken.push_back(carrier);
        return true;
    });
    return taken;
}

namespace
{

// Of the lanes that wait with another mask, and for this one, which waits for them.
void check_other_masks(const Block& block, Warp& warp, unsigned lane)
{
    std::uint32_t lanes = 0;
    for (std::uint32_t rest = warp.arrived & warp.mask[lane]; rest != 0; rest &= rest - 1) {
        const auto other = static_cast<unsigned>(std::countr_zero(rest));
        if (warp.mask[other] != warp.mask[lane] && (warp.mask[other] & bit(lane)) != 0)
            lanes |= bit(other);
    }
    if (lanes == 0)
        return;
    const auto other = static_cast<unsigned>(std::countr_zero(lanes));
    misused(block, *current_thread,
            {.kind = Misuse::Kind::other_mask,
             .place = warp.place[lane],
             .other = warp.place[other],
             .lane = lane,
             .mask = warp.mask[lane],
             .other_mask = warp.mask[other],
             .lanes = lanes});
    warp.reported |= lanes | bit(lane);
}

// Waits until the exchange is complete.
const Warp& exchanged(std::uint32_t mask, std::uint64_t value, bool votes, bool orders, const CallPlace& place,
                      unsigned& lane)
{
    Carrier& carrier = *current_carrier();
    Block& block = *carrier.block;
    if (block.warps.empty())
        block.warps.resize((block.threads + kWarpLanes - 1) / kWarpLanes);
    const unsigned thread = linear_thread();
    lane = thread % kWarpLanes;
    Warp& warp = block.warps[thread / kWarpLanes];
    if (mask != 0 && (mask & bit(lane)) == 0) {
        misused(block, carrier.context,
                {.kind = Misuse::Kind::outside_of_mask, .place = place, .lane = lane, .mask = mask});
        warp.present[lane] = bit(lane);
        warp.nonzero[lane] = value != 0 ? bit(lane) : 0;
        warp.received[lane][lane] = value;
        return warp;
    }
    if (warp.arrived == 0)
        warp.same_mask = true;
    else if (warp.same_mask)
        warp.same_mask = warp.mask[std::countr_zero(warp.arrived)] == mask;
    warp.arrived |= bit(lane);
    warp.mask[lane] = mask;
    warp.place[lane] = place;
    warp.given[lane] = value;
    warp.votes = votes ? warp.votes | bit(lane) : warp.votes & ~bit(lane);
    warp.orders = orders ? warp.orders | bit(lane) : warp.orders & ~bit(lane);
    if (!warp.same_mask && mask != 0)
        check_other_masks(block, warp, lane);
    if (mask != 0 && (mask & live_lanes(block, thread / kWarpLanes) & ~waiting_with(warp, lane)) == 0)
        block.may_exchange |= bit(thread / kWarpLanes);
    carrier.stop(Carrier::Stop::at_warp);
    return warp;
}

} // namespace

std::uint32_t exchange_in_warp(std::uint32_t mask, std::uint64_t value, const std::uint64_t*& all, bool orders,
                               const CallPlace& place)
{
    unsigned lane = 0;
    const Warp& warp = exchanged(mask, value, false, orders, place, lane);
    all = warp.received[lane].data();
    return warp.present[lane];
}

std::uint32_t ballot_in_warp(std::uint32_t mask, bool predicate, const CallPlace& place)
{
    unsigned lane = 0;
    return exchanged(mask, predicate ? 1 : 0, true, false, place, lane).nonzero[lane];
}

void lane_is_absent(std::uint32_t mask, unsigned lane, bool is_warning, const CallPlace& place)
{
    report_misuse(
        {.kind = Misuse::Kind::absent_lane, .is_warning = is_warning, .place = place, .lane = lane, .mask = mask});
}

void check_whole_group(std::uint32_t mask, std::uint32_t present, const CallPlace& place)
{
    const Carrier& carrier = *current_carrier();
    const std::uint32_t first = thread_of(carrier) / kWarpLanes * kWarpLanes;
    const std::uint32_t lanes = carrier.block->threads - first;
    const std::uint32_t missing = mask & (lanes >= kWarpLanes ? ~0U : bit(lanes) - 1) & ~present;
    if (missing != 0)
        report_misuse({.kind = Misuse::Kind::part_of_group, .place = place, .mask = mask, .lanes = missing});
}

} // namespace nestbed::cpu
