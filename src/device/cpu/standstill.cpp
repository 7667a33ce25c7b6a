#include "device/cpu/standstill.hpp"

#include "device/cpu/executor_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace nestbed::cpu
{

UsersProgram* users_program = nullptr;

#if defined(__SANITIZE_ADDRESS__)
__attribute__((no_sanitize_address))
#endif
std::uint64_t
number_for(const void* begin, std::size_t bytes, std::uint64_t before)
{
    constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;
    constexpr unsigned kShift = 29;
    const auto* at = static_cast<const unsigned char*>(begin);
    std::uint64_t number = before + bytes;
    const auto mix = [&](std::uint64_t word) {
        number = (number ^ word) * kFactor;
        number ^= number >> kShift;
    };
    for (; bytes >= sizeof(std::uint64_t); bytes -= sizeof(std::uint64_t), at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        __builtin_memcpy(&word, at, sizeof word);
        mix(word);
    }
    for (; bytes > 0; --bytes, ++at)
        mix(*at);
    return number;
}

std::uint64_t number_for_shared(const Block& block, std::uint64_t before)
{
    for (const SharedVariable& variable : block.shared)
        before = number_for(variable.place.memory(), variable.place.bytes(), before);
    return before;
}

// Brent's way to find a cycle: the state is compared with one that is taken anew after 1, 2, 4, … stops.
void Standstill::stopped(Carrier& carrier, Carrier::Stop why)
{
    const bool has_moved = std::exchange(carrier.context.moved, false);
    const bool waits =
        why == Carrier::Stop::gave_way || why == Carrier::Stop::at_warp || why == Carrier::Stop::at_barrier;
    if (has_moved || !waits) {
        carrier.context.program.impatience = 0;
        return moved();
    }
    constexpr std::uint32_t kStep = 3;
    constexpr std::uint32_t kMaxImpatience = 9;
    constexpr std::uint32_t kLongPeriod = 32;
    Repetition& its = carrier.repetition;
    std::uint32_t& impatience = carrier.context.program.impatience;
    ++calm_;
    if (its.epoch != epoch_) {
        its = {.epoch = epoch_};
        impatience = 0; // it computes, perhaps
    }
    if (its.stops++ == 0 || its.repeats || why != Carrier::Stop::gave_way)
        return;
    const std::uint64_t state = carrier.state();
    if (its.period != 0 && state == its.state) {
        its.repeats = true;
        ++repeating_;
    } else if (its.left-- == 0) {
        its.state = state;
        its.period = its.period == 0 ? 1 : 2 * its.period;
        its.left = its.period - 1;
    }
    impatience = its.period > kLongPeriod ? 0 : std::min(impatience + kStep, kMaxImpatience);
}

bool Standstill::all_repeat(std::span<Carrier* const> carriers) const
{
    return std::ranges::all_of(carriers, [&](const Carrier* carrier) {
        return carrier->repetition.epoch == epoch_ && carrier->repetition.repeats;
    });
}

bool Standstill::all_stay(std::span<Carrier* const> carriers) const
{
    return std::ranges::all_of(carriers, [&](const Carrier* carrier) {
        const Repetition& its = carrier->repetition;
        return its.epoch != epoch_ || its.repeats || its.stops <= 1;
    });
}

bool Standstill::is_proved(std::uint64_t shared)
{
    constexpr std::chrono::seconds kTimeForHost(5);
    const auto time = std::chrono::steady_clock::now();
    since_ = since_.value_or(time);
    const bool is_early =
        users_program != nullptr && users_program->host_may_write() && time - *since_ < kTimeForHost;
    if (is_early || skipped_ < skips_) {
        ++skipped_;
        begin_epoch();
        return false;
    }
    const std::uint64_t now = users_program == nullptr ? shared : shared + users_program->contents();
    if (contents_ == now)
        return true;
    if (std::exchange(contents_, now)) {
        skips_ = 2 * skips_ + 1;
        skipped_ = 0;
    }
    begin_epoch();
    return false;
}

void WaitingThreads::add(const Block& block, std::span<Carrier* const> gave_way, std::size_t at_a_barrier,
                         std::size_t in_exchange)
{
    in_loops.insert(in_loops.end(), gave_way.begin(), gave_way.end());
    at_warp += in_exchange;
    at_barrier += at_a_barrier;
    if (at_a_barrier != 0)
        at_barriers.push_back(&block);
}

void fail(const WaitingThreads& threads)
{
    if (users_program != nullptr)
        throw Fault(users_program->described(threads));
    throw Fault(
        fmt::format("nobody can go on: {} threads wait in loops, {} at barriers, {} for lanes of their warp and {} "
                    "for their children, and none of them writes anything any more: the kernels deadlock",
                    threads.in_loops.size(), threads.at_barrier, threads.at_warp, threads.for_children));
}

} // namespace nestbed::cpu
