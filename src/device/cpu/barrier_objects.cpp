// Barriers that are objects in memory (PTX ISA, "mbarrier"), and the named barriers of a block.
#include "device/cpu/executor_state.hpp"
#include "device/cpu/observer.hpp"

#include <fmt/format.h>

#include <atomic>
#include <string_view>
#include <thread>

namespace nestbed::cpu
{

namespace
{

struct State {
    std::uint64_t pending = 0;     // arrivals that this phase waits for
    std::uint64_t expected = 0;    // arrivals of the next one
    std::int64_t transactions = 0; // bytes that it waits for
    bool parity = false;           // of the phase
};

// From the lowest bit: 20 of pending, 20 of expected, 21 of transactions and kNoTransactions, the parity, the mark of a barrier that has begun.
constexpr std::int64_t kNoTransactions = 1 << 20;
constexpr std::uint64_t kMark = 1;

BarrierObject packed(const State& state)
{
    return state.pending | state.expected << 20U |
           static_cast<std::uint64_t>(state.transactions + kNoTransactions) << 40U |
           std::uint64_t{state.parity} << 61U | kMark << 62U;
}

// What the observer knows the thread as; nullptr: nothing, or it is of the host.
void* observed_thread()
{
    return current_thread == nullptr ? nullptr : current_thread->observed;
}
bool is_observed()
{
    return current_thread == nullptr ? observer != nullptr : current_thread->observed != nullptr;
}
void moves()
{
    if (current_thread != nullptr)
        current_thread->moved = true;
}

[[noreturn]] void fail(std::string_view text)
{
    const std::string whole = fmt::format("a barrier in memory: {}", text);
    if (current_thread == nullptr)
        throw RunError(whole);
    throw fault_of(*current_thread, whole);
}

State state_of(BarrierObject object)
{
    if (object >> 62U != kMark)
        fail("nothing has initialized it");
    return {.pending = object & kMaxBarrierCount,
            .expected = object >> 20U & kMaxBarrierCount,
            .transactions = static_cast<std::int64_t>(object >> 40U & 0x1FFFFFU) - kNoTransactions,
            .parity = (object >> 61U & 1U) != 0};
}

// Changes the state at once: blocks of several workers may use one object. Returns it as it was.
template <class Change>
State update(BarrierObject* at, const Change& change)
{
    const std::atomic_ref<BarrierObject> object(*at);
    BarrierObject before = object.load();
    for (;;) {
        State state = state_of(before);
        change(state);
        if (object.compare_exchange_weak(before, packed(state)))
            return state_of(before);
    }
}

void end_phase_if_complete(BarrierObject* at, void (*completion)(void*), void* data)
{
    const State state = state_of(std::atomic_ref<BarrierObject>(*at).load());
    if (state.pending != 0 || state.transactions != 0)
        return;
    const bool observed = is_observed();
    if (observed)
        observer->opens(at);
    if (completion != nullptr) {
        if (observed)
            observer->waited_at(observed_thread(), at);
        completion(data);
        if (observed) {
            observer->arrives_at(observed_thread(), at);
            observer->opens(at);
        }
    }
    update(at, [](State& next) {
        next.pending = next.expected;
        next.parity = !next.parity;
    });
}

bool has_phase_ended(const BarrierObject* at, bool parity)
{
    if (parity_of(std::atomic_ref<BarrierObject>(*const_cast<BarrierObject*>(at)).load()) == parity)
        return false;
    if (is_observed())
        observer->waited_at(observed_thread(), at);
    return true;
}

State arrive(BarrierObject* at, unsigned count, Arrival kind, void (*completion)(void*), void* data)
{
    moves();
    if (is_observed() && kind == Arrival::of_copies)
        observer->copies_arrive_at(observed_thread(), at);
    else if (is_observed() && kind != Arrival::unordered)
        observer->arrives_at(observed_thread(), at);
    const State before = update(at, [&](State& state) {
        if (count > state.pending)
            fail(fmt::format("{} more arrivals; its phase waits for {}", count, state.pending));
        state.pending -= count;
        if (kind == Arrival::drops)
            state.expected -= count;
    });
    end_phase_if_complete(at, completion, data);
    return before;
}

} // namespace

BarrierObject begun_barrier(unsigned count)
{
    if (count == 0 || count > kMaxBarrierCount)
        fail(fmt::format("initialized for {} arrivals; allowed: 1 to {}", count, kMaxBarrierCount));
    return packed({.pending = count, .expected = count});
}

void barrier_begins(const BarrierObject* at)
{
    if (is_observed())
        observer->forgets_barrier(at);
}

BarrierObject arrive_at(BarrierObject* at, unsigned count, Arrival kind, void (*completion)(void*), void* data)
{
    if (void* const observed = observed_thread())
        observer->uses_barrier(observed, at, true, __builtin_return_address(0));
    return packed(arrive(at, count, kind, completion, data));
}

void copies_arrive_at(BarrierObject* at)
{
    if (observed_thread() != nullptr) {
        observer->uses_barrier(current_thread->observed, at, true, __builtin_return_address(0));
        observer->copies_arrive_at(current_thread->observed, at);
    }
}

void expect_bytes_at(BarrierObject* at, std::int64_t bytes)
{
    moves();
    if (void* const observed = observed_thread())
        observer->uses_barrier(observed, at, true, __builtin_return_address(0));
    update(at, [bytes](State& state) {
        state.transactions += bytes;
        if (state.transactions >= kNoTransactions || state.transactions <= -kNoTransactions)
            fail(fmt::format("it waits for {} bytes; allowed: less than {}", state.transactions, kNoTransactions));
    });
    end_phase_if_complete(at, nullptr, nullptr);
}

void bulk_completes_at(BarrierObject* at, std::size_t bytes)
{
    if (void* const observed = observed_thread())
        observer->bulk_completes_at(observed, at);
    expect_bytes_at(at, -static_cast<std::int64_t>(bytes));
}

bool parity_of(BarrierObject state)
{
    return state_of(state).parity;
}
unsigned pending_of(BarrierObject state)
{
    return static_cast<unsigned>(state_of(state).pending);
}

bool has_ended(const BarrierObject* at, bool parity)
{
    if (void* const observed = observed_thread())
        observer->uses_barrier(observed, at, false, __builtin_return_address(0));
    const bool ended = has_phase_ended(at, parity);
    if (!ended && current_thread == nullptr)
        std::this_thread::yield();
    return ended;
}

// Its object is the executor's own. Each phase may be of another number of threads.
bool arrive_at_named_barrier(unsigned number, unsigned threads, bool vote)
{
    Block& block = *current_carrier()->block;
    if (number >= block.named_barriers.size())
        throw fault_of(*current_thread, fmt::format("barrier {} of a block; allowed: 0 to {}", number,
                                                    block.named_barriers.size() - 1));
    BarrierObject* const at = &block.named_barriers[number];
    const unsigned count = threads == 0 ? block.threads : threads;
    if (*at == 0) {
        *at = begun_barrier(count);
        barrier_begins(at);
    }
    const State before = update(at, [&](State& state) {
        if (state.pending == state.expected)
            state.pending = state.expected = count;
        else if (state.expected != count)
            fail(fmt::format("barrier {} of a block for {} threads, in a phase that is for {}", number, count,
                             state.expected));
    });
    Block::Votes& votes = block.named_votes[number][before.parity ? 1 : 0];
    if (before.pending == before.expected)
        votes = {};
    ++votes.all;
    votes.holding += vote ? 1 : 0;
    return arrive(at, 1, Arrival::once, nullptr, nullptr).parity;
}

unsigned votes_at_named_barrier(unsigned number, bool parity, unsigned& all)
{
    const Block::Votes votes = current_carrier()->block->named_votes[number][parity ? 1 : 0];
    all = votes.all;
    return votes.holding;
}

bool has_named_barrier_ended(unsigned number, bool parity)
{
    BarrierObject* const at = &current_carrier()->block->named_barriers[number];
    current_thread->program.waits_for = at;
    return has_phase_ended(at, parity);
}

namespace
{

Block::Tiles& tiles_of(Block& block)
{
    if (block.tiles == nullptr) {
        block.tiles = std::make_unique<Block::Tiles>();
        block.tiles->given.resize(block.threads);
    }
    return *block.tiles;
}

} // namespace

void meet_in_tile(unsigned threads, bool orders)
{
    // Tiles of 1024 threads are before those of 512, and so on.
    const unsigned number = kMaxThreadsPerBlock / threads - 1 + linear_thread() / threads;
    BarrierObject* const at = &tiles_of(*current_carrier()->block).barriers.at(number);
    if (*at == 0) {
        *at = begun_barrier(threads);
        barrier_begins(at);
    }
    const bool parity = arrive(at, 1, orders ? Arrival::once : Arrival::unordered, nullptr, nullptr).parity;
    while (!has_phase_ended(at, parity)) {
        current_thread->program.waits_for = at;
        give_way();
    }
}

const void** given_in_block()
{
    return tiles_of(*current_carrier()->block).given.data();
}

} // namespace nestbed::cpu
