// The orders and the scopes of atomics and fences, in runs whose threads act one after another. The file is compiled like the strategies
// that the detector watches.
#include "rules.hpp"

#include <atomic>
#include <functional>
#include <vector>

namespace nestbed
{
namespace
{

using Work = std::function<void()>;

struct Turn {
    unsigned block, thread;
    std::vector<Work> works;
};

class Scopes : public Rules
{
  protected:
    Scopes() { name_memory(&flag, sizeof flag, sizeof flag, "flag"); }
    ~Scopes() override { cpu::observer->forget(&flag); }
    Scopes(const Scopes&) = delete;
    Scopes& operator=(const Scopes&) = delete;

    // Of two blocks of two threads. What lets one turn wait for the one before orders nothing: the detector does not see it.
    Races in_turns(const std::vector<Turn>& turns)
    {
        flag = 0;
        unsigned now = 0;
        return watch([&](cpu::Executor& executor) {
            executor.run(2, 2, [&] {
                for (unsigned turn = 0; turn < turns.size(); ++turn) {
                    if (blockIdx.x != turns[turn].block || thread() != turns[turn].thread)
                        continue;
                    while (now != turn)
                        cpu::give_way();
                    for (const Work& work : turns[turn].works)
                        work();
                    ++now;
                }
            });
        });
    }
    static std::uint64_t pairs_in(const Races& races, std::string_view memory)
    {
        std::uint64_t pairs = 0;
        for (const Race& race : races.races)
            pairs += race.memory.starts_with(memory) ? race.pairs : 0;
        return pairs;
    }
    bool ordered(const std::vector<Turn>& turns) { return pairs_in(in_turns(turns), "data") == 0; }
    std::uint64_t racing_atomics(const std::vector<Turn>& turns) { return pairs_in(in_turns(turns), "flag"); }

    // An operation of the scope of the block, as the headers of users' programs make one.
    template <class Operation>
    static void scoped(bool in_block, Operation operation)
    {
        cpu::current_thread->in_block_scope = in_block;
        operation();
        cpu::current_thread->in_block_scope = false;
    }
    Work add(std::memory_order order, bool in_block = false)
    {
        return [=, this] { scoped(in_block, [&] { std::atomic_ref(flag).fetch_add(1, order); }); };
    }
    Work store(std::memory_order order, bool in_block = false)
    {
        return [=, this] { scoped(in_block, [&] { std::atomic_ref(flag).store(1, order); }); };
    }
    Work load(std::memory_order order, bool in_block = false)
    {
        return [=, this] { scoped(in_block, [&] { std::atomic_ref(flag).load(order); }); };
    }
    static Work fence(std::memory_order order, bool in_block = false)
    {
        return [=] { scoped(in_block, [&] { std::atomic_thread_fence(order); }); };
    }

    unsigned flag = 0;
    const Work write = [this] { data[0] = 1; };
    const Work read = [this] { data[1] = data[0]; };
};

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kBoth = std::memory_order_acq_rel;
constexpr auto kSequential = std::memory_order_seq_cst;
constexpr std::array kOrders{kRelaxed, kAcquire, kRelease, kBoth, kSequential};

bool releases(std::memory_order order)
{
    return order == kRelease || order == kBoth || order == kSequential;
}
bool acquires(std::memory_order order)
{
    return order == kAcquire || order == kBoth || order == kSequential;
}

TEST_P(Scopes, AnAtomicReleasesAndAcquiresByItsOrder)
{
    for (const std::memory_order first : kOrders)
        for (const std::memory_order second : kOrders) {
            const bool both = releases(first) && acquires(second);
            SCOPED_TRACE(testing::Message() << static_cast<int>(first) << ", " << static_cast<int>(second));
            EXPECT_EQ(ordered({{0, 0, {write, add(first)}}, {1, 0, {add(second), read}}}), both);
            if (first != kAcquire && first != kBoth && second != kRelease && second != kBoth) {
                EXPECT_EQ(ordered({{0, 0, {write, store(first)}}, {1, 0, {load(second), read}}}), both);
            }
            if (first != kRelaxed && second != kRelaxed) {
                EXPECT_EQ(ordered({{0, 0, {write, fence(first), add(kRelaxed)}},
                                   {1, 0, {add(kRelaxed), fence(second), read}}}),
                          both)
                    << "fences";
            }
        }
}

TEST_P(Scopes, AReleaseGoesOnThroughAtomicsOfOtherThreadsAndEndsAtAStore)
{
    EXPECT_TRUE(ordered({{0, 0, {write, add(kRelease)}}, {0, 1, {add(kRelaxed)}}, {1, 0, {add(kAcquire), read}}}));
    EXPECT_FALSE(ordered({{0, 0, {write, add(kRelease)}}, {0, 1, {store(kRelaxed)}}, {1, 0, {add(kAcquire), read}}}));
    EXPECT_FALSE(ordered({{0, 0, {add(kRelease), write}}, {1, 0, {add(kAcquire), read}}})) << "what comes after it";
    EXPECT_FALSE(ordered({{0, 0, {write, add(kRelease)}}, {1, 0, {read, add(kAcquire)}}})) << "what comes before it";
}

TEST_P(Scopes, ACompareAndExchangeThatFailsIsALoadOfItsOtherOrder)
{
    const auto exchange = [this](unsigned expected, std::memory_order order, std::memory_order failed) {
        return [=, this] {
            unsigned value = expected;
            std::atomic_ref(flag).compare_exchange_strong(value, 9, order, failed);
        };
    };
    const auto after_release = [&](const Work& second) {
        return ordered({{0, 0, {write, add(kRelease)}}, {1, 0, {second, read}}});
    };
    EXPECT_TRUE(after_release(exchange(1, kAcquire, kRelaxed)));
    EXPECT_FALSE(after_release(exchange(1, kRelaxed, kAcquire)));
    EXPECT_FALSE(after_release(exchange(2, kAcquire, kRelaxed)));
    EXPECT_TRUE(after_release(exchange(2, kRelaxed, kAcquire)));
    // One that fails writes nothing: it releases nothing.
    EXPECT_FALSE(ordered({{0, 0, {write, exchange(2, kRelease, kRelaxed)}}, {1, 0, {add(kAcquire), read}}}));
    EXPECT_TRUE(ordered({{0, 0, {write, exchange(0, kRelease, kRelaxed)}}, {1, 0, {add(kAcquire), read}}}));
}

TEST_P(Scopes, AnAtomicOfTheScopeOfABlockRacesWithThoseOfOtherBlocks)
{
    for (const bool first : {false, true})
        for (const bool second : {false, true}) {
            SCOPED_TRACE(testing::Message() << first << ", " << second);
            const std::uint64_t races = first || second ? 1 : 0;
            EXPECT_EQ(racing_atomics({{0, 0, {add(kRelaxed, first)}}, {1, 0, {add(kRelaxed, second)}}}), races);
            EXPECT_EQ(racing_atomics({{0, 0, {add(kRelaxed, first)}}, {0, 1, {add(kRelaxed, second)}}}), 0U);
            EXPECT_EQ(racing_atomics({{0, 0, {add(kRelaxed, first)}}, {1, 0, {load(kRelaxed, second)}}}), races);
            EXPECT_EQ(racing_atomics({{0, 0, {load(kRelaxed, first)}}, {1, 0, {load(kRelaxed, second)}}}), 0U)
                << "two reads";
        }
    EXPECT_EQ(racing_atomics({{0, 0, {add(kRelaxed, true), add(kRelaxed)}}, {1, 0, {add(kRelaxed)}}}), 1U)
        << "the thread's last one of each scope counts";
    EXPECT_EQ(racing_atomics({{0, 0, {add(kRelaxed), add(kRelaxed, true)}}, {1, 0, {add(kRelaxed)}}}), 1U);
    EXPECT_EQ(watch([&](cpu::Executor& executor) {
                  executor.run(1, 1, add(kRelaxed, true), 0);
                  executor.run(1, 1, add(kRelaxed, true), 1);
              }).pairs(),
              1U)
        << "blocks of the same number of two grids";
}

TEST_P(Scopes, AReportSaysThatTheScopeIsTooSmall)
{
    const Races races = in_turns({{0, 0, {add(kRelaxed, true)}}, {1, 0, {add(kRelaxed)}}});
    ASSERT_EQ(races.races.size(), 1U);
    EXPECT_EQ(races.races[0].missing, "both are atomic, but of different blocks, and the scope of one is its block "
                                      "(without _block it would do)");
    const Races plain = in_turns({{0, 0, {add(kRelaxed)}}, {1, 0, {[this] { flag = 1; }}}});
    ASSERT_EQ(plain.races.size(), 1U);
    EXPECT_THAT(plain.races[0].missing, HasSubstr("blocks 0 and 1 of a grid are in no order"));
}

// Whatever their scopes: all of them include the other threads of the block.
TEST_P(Scopes, OfOneBlockEveryScopeWillDo)
{
    for (const bool first : {false, true})
        for (const bool second : {false, true}) {
            SCOPED_TRACE(testing::Message() << first << ", " << second);
            EXPECT_TRUE(ordered({{0, 0, {write, add(kRelease, first)}}, {0, 1, {add(kAcquire, second), read}}}));
            EXPECT_FALSE(ordered({{0, 0, {write, add(kRelaxed, first)}}, {0, 1, {add(kAcquire, second), read}}}));
            EXPECT_FALSE(ordered({{0, 0, {write, add(kRelease, first)}}, {0, 1, {add(kRelaxed, second), read}}}));
            EXPECT_TRUE(ordered({{0, 0, {write, store(kRelease, first)}}, {0, 1, {load(kAcquire, second), read}}}));
            for (const bool fences : {false, true}) {
                const Work releasing = fence(kRelease, fences);
                const Work acquiring = fence(kAcquire, fences);
                const Work one = add(kRelaxed, first);
                const Work two = add(kRelaxed, second);
                EXPECT_TRUE(ordered({{0, 0, {write, releasing, one}}, {0, 1, {two, acquiring, read}}}));
                EXPECT_FALSE(ordered({{0, 0, {write, one}}, {0, 1, {two, acquiring, read}}}));
                EXPECT_FALSE(ordered({{0, 0, {write, releasing, one}}, {0, 1, {two, read}}}));
                EXPECT_FALSE(ordered({{0, 0, {write, acquiring, one}}, {0, 1, {two, acquiring, read}}}));
                EXPECT_FALSE(ordered({{0, 0, {write, releasing, one}}, {0, 1, {two, releasing, read}}}));
                EXPECT_FALSE(ordered({{0, 0, {releasing, write, one}}, {0, 1, {two, acquiring, read}}}));
            }
        }
}

TEST_P(Scopes, OfTwoBlocksNoScopeMayBeTheBlock)
{
    for (const bool first : {false, true})
        for (const bool second : {false, true}) {
            SCOPED_TRACE(testing::Message() << first << ", " << second);
            const bool wide = !first && !second;
            EXPECT_EQ(ordered({{0, 0, {write, add(kRelease, first)}}, {1, 0, {add(kAcquire, second), read}}}), wide);
            EXPECT_EQ(ordered({{0, 0, {write, fence(kRelease, first), add(kRelaxed)}},
                               {1, 0, {add(kRelaxed), fence(kAcquire, second), read}}}),
                      wide);
            EXPECT_EQ(ordered({{0, 0, {write, fence(kSequential), add(kRelaxed, first)}},
                               {1, 0, {add(kRelaxed, second), fence(kSequential), read}}}),
                      wide);
        }
}

// PTX ISA, "Morally Strong Operations".
TEST_P(Scopes, AReleaseSequenceGoesOnThroughAtomicsThatIncludeItsReader)
{
    const Turn begins{0, 0, {write, add(kRelease)}};
    EXPECT_FALSE(ordered({begins, {0, 1, {add(kRelaxed, true)}}, {1, 0, {add(kAcquire), read}}}))
        << "one of the scope of the block ends it for other blocks";
    EXPECT_TRUE(ordered({begins, {0, 1, {add(kRelaxed, true), add(kAcquire), read}}})) << "but not for its own";
    EXPECT_FALSE(ordered({begins, {1, 0, {add(kRelaxed)}}, {0, 1, {add(kAcquire, true), read}}}))
        << "an atomic of another block is not for a reader of the scope of the block";
    EXPECT_TRUE(ordered({begins, {1, 0, {add(kRelaxed)}}, {0, 1, {add(kAcquire), read}}}));
    EXPECT_TRUE(
        ordered({{1, 0, {add(kRelaxed)}}, {0, 0, {write, store(kRelease)}}, {0, 1, {load(kAcquire, true), read}}}))
        << "a store begins anew";
    EXPECT_TRUE(ordered({{0, 0, {write, fence(kRelease, true), add(kRelaxed)}},
                         {1, 0, {add(kRelaxed)}},
                         {0, 1, {add(kRelaxed), fence(kAcquire, true), read}}}))
        << "fences of the block around atomics of the device, between which another block counts";
}

TEST_P(Scopes, AFenceOfABlockIsNotTheOneThatIsMissing)
{
    const auto missing = [&](bool first, bool second) {
        const Races races = in_turns({{0, 0, {write, fence(kSequential, first), add(kRelaxed)}},
                                      {1, 0, {add(kRelaxed), fence(kSequential, second), read}}});
        return races.races.empty() ? "no race" : races.races.front().missing;
    };
    EXPECT_EQ(missing(false, false), "no race");
    EXPECT_THAT(missing(true, false),
                HasSubstr("a __threadfence() before the atomic in the first thread is missing"));
    EXPECT_THAT(missing(false, true),
                HasSubstr("a __threadfence() after the atomic in the second thread is missing"));
    EXPECT_THAT(missing(true, true),
                HasSubstr("before the atomic in the first thread and one after it in the second"));
}

// A thread's accesses of many kinds to one element are kept by kind and scope, however many there are.
TEST_P(Scopes, TheLastAtomicOfEachScopeIsKeptHoweverManyThereAre)
{
    const auto many = [this](unsigned rounds) {
        return [=, this] {
            for (unsigned round = 0; round < rounds; ++round) {
                add(kRelaxed, true)();
                add(kRelaxed)();
            }
        };
    };
    EXPECT_EQ(racing_atomics({{0, 0, {many(32)}}, {1, 0, {add(kRelaxed)}}}), 1U) << "which shortens the list to both";
}

// ---- what waits in a loop ----

// A thread that reads an address 128 times lets the others run, not before.
TEST_P(Scopes, AThreadGivesWayAfterManyAtomicReadsOfOneAddress)
{
    enum class Reads { loads, failed_exchanges, same_exchanges, volatiles, of_two_addresses, other_exchanges };
    std::array<unsigned, 2> own{};
    const auto order = [&](Reads what, unsigned count) {
        own = {};
        std::vector<unsigned> log;
        watch([&](cpu::Executor& executor) {
            executor.run(1, 2, [&, what, count] {
                log.push_back(thread());
                for (unsigned time = 0; time < count; ++time) {
                    unsigned expected = 1;
                    switch (what) {
                    case Reads::loads:
                        std::atomic_ref(own[0]).load();
                        break;
                    case Reads::failed_exchanges:
                        std::atomic_ref(own[0]).compare_exchange_strong(expected, 2);
                        break;
                    case Reads::same_exchanges:
                        std::atomic_ref(own[0]).exchange(0);
                        break;
                    case Reads::volatiles:
                        static_cast<void>(*static_cast<volatile unsigned*>(&own[time % 2]));
                        break;
                    case Reads::of_two_addresses:
                        std::atomic_ref(own[time % 2]).load();
                        break;
                    case Reads::other_exchanges:
                        std::atomic_ref(own[0]).exchange(2 * time + 1 + thread());
                        break;
                    }
                }
                log.push_back(thread());
            });
        });
        return log;
    };
    if (std::string_view(GetParam()).starts_with("random"))
        return; // the order of the threads is drawn
    const std::vector<unsigned> in_order{0, 0, 1, 1};
    for (const Reads what : {Reads::loads, Reads::failed_exchanges, Reads::same_exchanges, Reads::volatiles}) {
        SCOPED_TRACE(static_cast<int>(what));
        EXPECT_EQ(order(what, 127), in_order);
        EXPECT_EQ(order(what, 128), (std::vector<unsigned>{0, 1, 0, 1}));
    }
    EXPECT_EQ(order(Reads::of_two_addresses, 1000), in_order);
    EXPECT_EQ(order(Reads::other_exchanges, 1000), in_order);
}

INSTANTIATE_TEST_SUITE_P(Races, Scopes, kSchedules, kScheduleName);

} // namespace
} // namespace nestbed
