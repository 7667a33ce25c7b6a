// The ordering rules one by one, in kernels of this file. The file is compiled like the strategies that the detector
// watches.
#include "base/error.hpp"
#include "model/ledger.hpp"
#include "rules.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace nestbed
{
namespace
{

using cpu::launch_and_wait;

TEST_P(Rules, AThreadsWritesComeBeforeItsLaunchAndNoOtherThreads)
{
    for (const Mechanism how : {Mechanism::null_stream, Mechanism::named_stream, Mechanism::fire_and_forget}) {
        expect_pairs(0, 1, 2, [&] {
            if (thread() != 0)
                return;
            data[0] = 1;
            child(data.data(), how);
        });
        expect_pairs(Gt(0U), 1, 2, [&] {
            data[thread()] = 1;
            if (thread() == 0)
                child(data.data(), how, 2);
        });
        expect_pairs(0, 1, 2, [&] {
            data[thread()] = 1;
            __syncthreads();
            if (thread() == 0)
                child(data.data(), how, 2);
        });
        expect_pairs(Gt(0U), 2, 1, [&] {
            data[blockIdx.x] = 1;
            if (blockIdx.x == 0)
                child(data.data(), how, 2);
        });
    }
}

// A wait is the child's flag: what comes before it is ordered, and on a GPU the parent does not wait for more.
TEST_P(Rules, AWaitOrdersWhatIsBeforeTheChildsFlag)
{
    enum class Flag { none, late, early, before_other_thread };
    unsigned flag = 0;
    name_memory(&flag, sizeof flag, sizeof flag, "flag");
    const auto by = [&](Flag when, unsigned threads) {
        flag = 0;
        return pairs(1, 1, [&] {
            launch_and_wait(1, threads, [&] {
                if (when == Flag::early)
                    signal_parent(&flag);
                if (thread() + 1 == threads)
                    data[0] = 1;
                if (when == Flag::late)
                    __syncthreads();
                if (thread() == 0 && (when == Flag::late || when == Flag::before_other_thread))
                    signal_parent(&flag);
            });
            if (wait_for_child(&flag, 0) || when == Flag::none)
                data[0] += 1;
        });
    };
    EXPECT_EQ(by(Flag::late, 1), 0U);
    EXPECT_EQ(by(Flag::late, 2), 0U);
    EXPECT_GT(by(Flag::none, 1), 0U);
    EXPECT_GT(by(Flag::early, 1), 0U);
    EXPECT_GT(by(Flag::before_other_thread, 2), 0U) << "without a barrier";
    const auto raised_by_child = [&](Mechanism how) {
        return pairs(1, 1, [&, how] {
            launch_and_wait(1, 1, [&, how] {
                child(data.data(), how);
                signal_parent(&flag);
            });
            if (wait_for_child(&flag, 0))
                data[0] += 1;
        });
    };
    EXPECT_GT(raised_by_child(Mechanism::fire_and_forget), 0U) << "a grandchild need not be complete";
    EXPECT_GT(raised_by_child(Mechanism::tail), 0U);
    EXPECT_THROW(pairs(1, 1, [] { signal_parent(static_cast<unsigned*>(nullptr) + 1); }), cpu::Fault) << "no flags";
    cpu::observer->forget(&flag);
}

TEST_P(Rules, ATailLaunchComesAfterAllOfItsParentAndOfItsOtherLaunches)
{
    expect_pairs("the two threads of each block", 2, 2, 2, [&] {
        if (thread() == 0 && blockIdx.x == 0)
            launch(1, 4, Mechanism::tail, [&] { data[thread()] += 1; });
        if (thread() == 1)
            child(data.data() + 2 + blockIdx.x, Mechanism::fire_and_forget);
        data[blockIdx.x] = thread() == 0 ? 1 : data[10];
    });
    expect_pairs("and after the one before", 0, 1, 1, [&] {
        child(data.data(), Mechanism::tail);
        child(data.data(), Mechanism::tail);
        data[0] = 1;
    });
}

TEST_P(Rules, TheNullStreamOfABlockIsInOrderAndNothingElseIs)
{
    const auto two = [&](Mechanism first, Mechanism second) {
        return pairs(1, 1, [=, this] {
            child(data.data(), first);
            child(data.data(), second);
        });
    };
    EXPECT_EQ(two(Mechanism::null_stream, Mechanism::null_stream), 0U);
    EXPECT_GT(two(Mechanism::fire_and_forget, Mechanism::fire_and_forget), 0U);
    EXPECT_GT(two(Mechanism::named_stream, Mechanism::named_stream), 0U);
    EXPECT_GT(two(Mechanism::null_stream, Mechanism::fire_and_forget), 0U);
    EXPECT_EQ(two(Mechanism::fire_and_forget, Mechanism::tail), 0U);
    EXPECT_GT(pairs(2, 1, [&] { child(data.data(), Mechanism::null_stream); }), 0U) << "of two blocks";
    expect_pairs("a grid is complete with its descendants", 0, 1, 1, [&] {
        launch(1, 1, Mechanism::null_stream, [&] { child(data.data(), Mechanism::fire_and_forget); });
        child(data.data(), Mechanism::null_stream);
    });
}

// Which of two threads launches first is chance, unless something orders the launches.
TEST_P(Rules, AStreamOrdersItsGridsAndNotTheirLaunchers)
{
    const auto write = [this] { data[0] = 1; };
    const auto nothing = [] {};
    const auto two = [&](const cpu::KernelCall& first, bool barrier, bool between, const cpu::KernelCall& second) {
        return pairs(1, 2, [=] {
            if (thread() == 0) {
                write();
                launch(1, 1, Mechanism::null_stream, first);
                if (between)
                    launch(1, 1, Mechanism::null_stream, nothing);
            }
            if (barrier)
                __syncthreads();
            if (thread() == 1)
                launch(1, 1, Mechanism::null_stream, second);
        });
    };
    for (const bool between : {false, true}) {
        EXPECT_EQ(two(nothing, false, between, write), 1U) << "the first launcher's write and the second child's";
        EXPECT_EQ(two(nothing, true, between, write), 0U);
        EXPECT_EQ(two(write, false, between, write), 1U) << "although the first child wrote over it";
        EXPECT_EQ(two(write, true, between, write), 0U);
    }
    expect_pairs("the children themselves", 0, 1, 2, [&] {
        data[1 + thread()] = 1;
        launch(1, 1, Mechanism::null_stream, write);
    });
}

TEST_P(Rules, WhatComesAfterAFaultIsAfterAllOfTheRunThatItEnded)
{
    constexpr std::size_t kTile = 16;
    const auto fault = [&] {
        BLOCK_SHARED(int, shared, kTile);
        shared[thread()] = 1;
        data[thread()] = 1;
        child(&data[10 + thread()], Mechanism::fire_and_forget);
        if (thread() == 0)
            __syncthreads();
        else
            __syncthreads(); // another one
    };
    const auto after = [&](unsigned stream, const cpu::KernelCall& kernel) {
        return watch([&](cpu::Executor& executor) {
                   EXPECT_THROW(executor.run(1, 2, fault), cpu::Fault);
                   executor.run(1, 2, kernel, stream);
               })
            .pairs();
    };
    const auto write = [&] { data[thread()] = data[10 + thread()] = 2; };
    EXPECT_EQ(after(0, write), 0U);
    EXPECT_GT(after(1, write), 0U);
}

TEST_P(Rules, MemoryThatIsNamedAgainKeepsNoAtomics)
{
    unsigned flag = 0;
    const auto name = [&] { name_memory(&flag, sizeof flag, sizeof flag, "flag"); };
    const auto by = [&](bool again) {
        name();
        return watch([&](cpu::Executor& executor) {
                   executor.run(
                       1, 1,
                       [&] {
                           data[0] = 1;
                           std::atomic_ref(flag).store(1, std::memory_order_release);
                       },
                       0);
                   if (again)
                       name();
                   executor.run(
                       1, 1,
                       [&] {
                           if (std::atomic_ref(flag).load(std::memory_order_acquire) == 1)
                               data[0] = 2;
                       },
                       1);
               })
            .pairs();
    };
    EXPECT_EQ(by(false), 0U);
    EXPECT_EQ(by(true), 1U);
    cpu::observer->forget(&flag);
}

TEST_P(Rules, StreamsOfTheHostAreInOrderEachAndTogetherAfterAWait)
{
    const auto write = [&] { data[0] = 1; };
    EXPECT_EQ(watch([&](cpu::Executor& executor) {
                  executor.run(1, 1, write, 0);
                  executor.run(1, 1, write, 0);
              }).pairs(),
              0U);
    EXPECT_EQ(watch([&](cpu::Executor& executor) {
                  executor.run(1, 1, write, 0);
                  executor.run(1, 1, write, 1);
              }).pairs(),
              1U);
    EXPECT_EQ(watch([&](cpu::Executor& executor) {
                  executor.run(1, 1, write, 0);
                  cpu::observer->synchronized();
                  executor.run(1, 1, write, 1);
              }).pairs(),
              0U);
}

// scopes_test.cpp has the orders.
TEST_P(Rules, AtomicsOfMemoryThatNobodyNamedOrOfNestbedOrderNothing)
{
    unsigned flag = 0;
    const auto by = [&](bool fences) {
        flag = 0;
        return pairs(2, 1, [&, fences] {
            data[blockIdx.x] = 1;
            if (fences)
                __threadfence();
            const unsigned before = std::atomic_ref(flag).fetch_add(1, std::memory_order_acq_rel);
            if (fences)
                __threadfence();
            if (before == 1)
                data[1 - blockIdx.x] += 1;
        });
    };
    EXPECT_GT(by(false), 0U) << "of memory that nobody named";
    name_memory(&flag, sizeof flag, sizeof flag, "flag");
    EXPECT_EQ(by(false), 0U);
    cpu::observer->forget(&flag);
    name_memory(&flag, sizeof flag, sizeof flag, kOwnRecords);
    EXPECT_GT(by(false), 0U) << "of nestbed itself";
    EXPECT_GT(by(true), 0U);
    cpu::observer->forget(&flag);
}

// PTX ISA, "Release and Acquire Patterns".
TEST_P(Rules, ARelaxedStoreGoesOnWithAReleaseOfItsThread)
{
    unsigned flag = 0;
    name_memory(&flag, sizeof flag, sizeof flag, "flag");
    const auto by = [&](unsigned storing_thread, bool writes_between) {
        flag = 0;
        return pairs(1, 2, [&, storing_thread, writes_between] {
            const std::atomic_ref seen(flag);
            if (thread() == 0) {
                data[0] = 1;
                seen.store(1, std::memory_order_release);
                if (writes_between)
                    data[0] = 2;
            }
            if (thread() == storing_thread)
                seen.store(2, std::memory_order_relaxed);
            if (thread() == 1 && seen.load(std::memory_order_acquire) == 2)
                data[0] = 3;
        });
    };
    EXPECT_EQ(by(0, false), 0U);
    EXPECT_GT(by(1, false), 0U) << "a store of another thread";
    EXPECT_TRUE(std::string_view(GetParam()) != "fifo" || by(0, true) > 0) << "what comes after the release";
    cpu::observer->forget(&flag);
}

TEST_P(Rules, AtomicsOrderByOneAddress)
{
    std::array<unsigned, 2> flags{};
    name_memory(flags.data(), sizeof flags, sizeof(unsigned), "flags");
    const auto by = [&](std::memory_order order, bool fences, unsigned of_block_1) {
        return pairs(2, 1, [&, order, fences, of_block_1] {
            data[0] = 1;
            if (fences)
                __threadfence();
            std::atomic_ref(flags[blockIdx.x * of_block_1]).fetch_add(1, order);
            if (fences)
                __threadfence();
        });
    };
    EXPECT_GT(by(std::memory_order_relaxed, false, 0), 0U);
    EXPECT_GT(by(std::memory_order_relaxed, false, 1), 0U);
    EXPECT_GT(by(std::memory_order_relaxed, true, 1), 0U);
    EXPECT_GT(by(std::memory_order_acq_rel, false, 1), 0U);
    cpu::observer->forget(flags.data());
}

TEST_P(Rules, AtomicsDoNotRaceWithAtomicsButWithOtherAccesses)
{
    EXPECT_EQ(pairs(2, 2, [&] { atomicAdd(data.data(), 1); }), 0U);
    EXPECT_EQ(pairs(2, 2, [&] { *static_cast<volatile int*>(data.data()) = 1; }), 0U)
        << "as volatile accesses do not";
    EXPECT_GT(of_two([&] { *static_cast<volatile int*>(data.data()) = 1; }, [&] { data[0] = 1; }), 0U);
    EXPECT_GT(of_two([&] { atomicAdd(data.data(), 1); }, [&] { data[0] = 1; }), 0U);
    EXPECT_GT(of_two([&] { atomicAdd(data.data(), 1); }, [&] { data[1] = data[0]; }), 0U);
}

TEST_P(Rules, MemoryFunctionsAccessAllTheirBytes)
{
    const auto write = [&] { data[10] = 1; };
    const auto read = [&] { data[63] = data[10]; };
    EXPECT_EQ(of_two([&] { std::memset(&data[8], 0, 4 * sizeof(int)); }, write), 1U);
    EXPECT_EQ(of_two([&] { std::memset(&data[8], 0, 2 * sizeof(int)); }, write), 0U);
    EXPECT_EQ(of_two([&] { memcpy(&data[8], &data[16], 3 * sizeof(int)); }, read), 1U);
    EXPECT_EQ(of_two([&] { memcpy(&data[16], &data[8], 3 * sizeof(int)); }, read), 0U);
    EXPECT_EQ(of_two([&] { memcpy(&data[16], &data[8], 3 * sizeof(int)); }, write), 1U);
    EXPECT_GT(of_two([&] { std::memmove(&data[9], &data[8], 3 * sizeof(int)); }, write), 0U);
    EXPECT_EQ(of_two([&] { std::memset(&data[10], 0, 0); }, write), 0U);
}

TEST_P(Rules, SharedMemoryIsOfOneBlock)
{
    expect_pairs(0, 4, 1, [&] {
        BLOCK_SHARED(int, own, 1);
        own[0] = 1;
    });
    const Races races = watch([&](cpu::Executor& executor) {
        executor.run(1, 2, [] {
            BLOCK_SHARED(int, tile, 4);
            tile[3] = 1;
        });
    });
    ASSERT_EQ(races.races.size(), 1U);
    EXPECT_EQ(races.races.front().memory, "tile[3]");
}

unsigned arrivals = 0; // a __device__ variable

TEST_P(Rules, VariablesOfTheProgramAreShared)
{
    EXPECT_EQ(pairs(2, 1, [] { atomicAdd(&arrivals, 1U); }), 0U);
    const Races races = watch([](cpu::Executor& executor) { executor.run(2, 1, [] { arrivals = 1; }); });
    ASSERT_EQ(races.races.size(), 1U);
    EXPECT_EQ(races.pairs(), 1U);
    EXPECT_THAT(races.races.front().memory, HasSubstr("arrivals"));
}

std::array<int, 4> table{};

TEST_P(Rules, AVariableWithANameKeepsIt)
{
    name_memory(table.data(), sizeof table, sizeof(int), "table");
    for (unsigned run = 0; run < 2; ++run) {
        const Races races = watch([](cpu::Executor& executor) {
            executor.run(2, 1, [] {
                arrivals = 1;
                table[2] = 1;
            });
        });
        ASSERT_EQ(races.races.size(), 2U);
        EXPECT_THAT(races.races, testing::Contains(testing::Field(&Race::memory, "table[2]")));
    }
    cpu::observer->forget(table.data());
}

// Blocks one after another have their shared memory at one address.
TEST_P(Rules, AtomicsOfABlocksMemoryOrderNoOtherBlock)
{
    expect_pairs("of the write with a read and a write", 2, 2, 1, [this] {
        BLOCK_SHARED(unsigned, flag, 1);
        std::atomic_ref(flag[0]).fetch_add(1, std::memory_order_acq_rel);
        data[0] += 1;
        std::atomic_ref(flag[0]).fetch_add(1, std::memory_order_acq_rel);
    });
}

TEST_P(Rules, AReportSaysWhereWhoAndWhy)
{
    const Races races = watch([&](cpu::Executor& executor) {
        executor.run(1, 3, [this] {
            data[thread()] = 1;
            if (thread() == 0)
                launch(1, 1, Mechanism::null_stream, [this] { data[10] = data[2]; });
        });
    });
    ASSERT_EQ(races.races.size(), 1U);
    const Race& race = races.races.front();
    EXPECT_EQ(race.pairs, 1U);
    EXPECT_EQ(race.memory, "data[2]");
    EXPECT_EQ(race.bytes, 4U);
    EXPECT_THAT(race.missing, HasSubstr("thread 2's write is not ordered before thread 0's launch (a __syncthreads() "
                                        "between them would do, if the write comes first)"));
    const bool parent_first = race.first.write;
    const RaceAccess& write = parent_first ? race.first : race.second;
    const RaceAccess& read = parent_first ? race.second : race.first;
    EXPECT_EQ(write.depth, 0U);
    EXPECT_EQ(write.thread, 2U);
    EXPECT_FALSE(write.launched_by.has_value());
    EXPECT_FALSE(read.write);
    EXPECT_EQ(read.depth, 1U);
    ASSERT_TRUE(read.launched_by.has_value());
    EXPECT_EQ(read.launched_by->thread, 0U);
    EXPECT_EQ(read.places.front().file, "tests/races/rules_test.cpp");
    EXPECT_GT(read.places.front().line, write.places.front().line);
    EXPECT_EQ(read.launched_by->place.line, read.places.front().line);
}

TEST_P(Rules, AReportNamesTheAtomicThatOrdersNothing)
{
    std::array<unsigned, 3> flags{};
    name_memory(&flags[0], sizeof flags[0], sizeof flags[0], kOwnRecords);
    name_memory(&flags[1], 2 * sizeof flags[1], sizeof flags[1], "flags");
    const auto why = [&](const cpu::KernelCall& kernel) {
        const Races races = watch([&](cpu::Executor& executor) { executor.run(2, 1, kernel); });
        return races.races.empty() ? "no race" : races.races.front().missing;
    };
    const auto of_atomic = [&](std::size_t number) {
        return why([&, number] {
            if (blockIdx.x == 0)
                data[0] = 1;
            atomicAdd(&flags[number], 1U);
            if (blockIdx.x == 1)
                data[0] = 1;
        });
    };
    EXPECT_THAT(of_atomic(0), HasSubstr("blocks"));
    const auto named = HasSubstr("an atomic of flags[1] is between them");
    EXPECT_THAT(of_atomic(2), testing::AnyOf(named, HasSubstr("blocks")));
    EXPECT_TRUE(std::string_view(GetParam()) != "fifo" || testing::Value(of_atomic(2), named));
    EXPECT_THAT(why([&] {
                    atomicAdd(&flags[1], 1U);
                    if (blockIdx.x == 0)
                        child(data.data(), Mechanism::null_stream);
                    atomicAdd(&flags[1], 1U);
                    if (blockIdx.x == 0)
                        data[0] = 1;
                }),
                HasSubstr("launch"));
    cpu::observer->forget(&flags[0]);
    cpu::observer->forget(&flags[1]);
}

TEST_P(Rules, MemoryThatIsGivenBackDoesNotCount)
{
    const auto bytes = [&](unsigned blocks, unsigned rounds) {
        return watch([&](cpu::Executor& executor) {
                   executor.run(blocks, 2, [rounds] {
                       BLOCK_SHARED(int, tile, 200);
                       for (unsigned round = 0; round < rounds; ++round) {
                           tile[(round + thread()) % 200] = 1;
                           __syncthreads();
                       }
                   });
               })
            .memory_bytes;
    };
    EXPECT_LE(bytes(40, 5000), 2 * bytes(40, 50)) << "a later access that replaces earlier ones";
    EXPECT_LE(bytes(2000, 5), 3 * bytes(40, 5)) << "shared memory of blocks that are done";
}

// A release in memory that is gone is no release in what has its address later.
TEST_P(Rules, MemoryThatIsForgottenIsForgottenWithItsAtomics)
{
    unsigned flag = 0;
    const auto name = [&] { name_memory(&flag, sizeof flag, sizeof flag, "flag"); };
    const auto reads = [&](bool forget) {
        return watch([&](cpu::Executor& executor) {
                   name();
                   executor.run(1, 1, [&] {
                       data[0] = 1;
                       std::atomic_ref(flag).store(1, std::memory_order_release);
                   });
                   if (forget) {
                       cpu::observer->forget(&flag);
                       name();
                   }
                   const auto read = [&] {
                       data[1] = std::atomic_ref(flag).load(std::memory_order_acquire) + data[0];
                   };
                   executor.run(1, 1, read, 1);
                   cpu::observer->forget(&flag);
               })
            .pairs();
    };
    EXPECT_EQ(reads(false), 0U);
    EXPECT_EQ(reads(true), 1U);
}

TEST(Limits, AGridOfMoreBlocksThanThereAreNumbersForIsAnError)
{
    cpu::Executor executor(parse_schedule("fifo"), 1);
    const auto run = [&](unsigned blocks) { cpu::observer->watch([&] { executor.run(blocks, 1, [] {}); }); };
    EXPECT_NO_THROW(run(0xFFFFF));
    try {
        run(0x100000);
        ADD_FAILURE();
    } catch (const RunError& error) {
        EXPECT_THAT(error.what(), HasSubstr("more than 1048575 blocks"));
    }
}

TEST_P(Rules, MemoryPastTheLimitKeepsWhatWasFoundAndSaysThatItIsNotAll)
{
    constexpr std::size_t kMany = 1U << 25U;
    const std::unique_ptr<char[]> large(new char[kMany]); // nothing writes there
    name_memory(large.get(), kMany, 1, "large");
    EXPECT_EQ(pairs(1, 1, [&] { large[kMany - 1] = large[0] = 1; }), 0U) << "memory of which little is used";
    const auto bytes = [&](std::size_t step) {
        return watch([&](cpu::Executor& executor) {
                   executor.run(1, 1, [&, step] {
                       for (std::size_t at = 0; at < kMany; at += step)
                           large[at] = 1;
                   });
               })
            .memory_bytes;
    };
    EXPECT_LT(bytes(kMany / 4), 3U << 20U);
    const Races races = watch([&](cpu::Executor& executor) {
        executor.run(1, 2, [&] { data[0] = 1; });
        executor.run(1, 1, [&] { std::memset(large.get(), 0, kMany); });
        EXPECT_THROW(executor.run(1, 2, [&] { data[1] = 1; }), cpu::Fault) << "what runs is not looked at";
    });
    EXPECT_EQ(races.pairs(), 1U);
    EXPECT_THAT(races.incomplete, testing::StartsWith("the race detector needs more than 2048 MB"));
    cpu::observer->forget(large.get());
    const Races next = watch([&](cpu::Executor& executor) { executor.run(1, 2, [&] { data[0] = 1; }); });
    EXPECT_EQ(next.pairs(), 1U) << "and the next run is as ever";
    EXPECT_EQ(next.incomplete, "");
}

INSTANTIATE_TEST_SUITE_P(Races, Rules, kSchedules, kScheduleName);

} // namespace
} // namespace nestbed
