// The rules of order one by one, in kernels of this file, which is compiled as strategies are that the detector sees.
#include "base/error.hpp"
#include "device/cpu/cuda_language.hpp"
#include "device/cpu/observer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace nestbed
{
namespace
{

using cpu::launch;
using cpu::launch_and_wait;

class Rules : public testing::TestWithParam<const char*>
{
  protected:
    Rules() { cpu::observer->memory(data.data(), sizeof data, sizeof(int), "data"); }
    ~Rules() override { cpu::observer->forget(data.data()); }
    Rules(const Rules&) = delete;
    Rules& operator=(const Rules&) = delete;

    // Pairs of a run of one grid.
    std::uint64_t pairs(unsigned grid, unsigned block, const cpu::KernelCall& kernel)
    {
        return watch([&](cpu::Executor& executor) { executor.run(grid, block, kernel); }).pairs();
    }
    template <class Work>
    Races watch(Work&& work)
    {
        cpu::Executor executor(parse_schedule(GetParam()), 1);
        return cpu::observer->watch([&] { work(executor); });
    }

    std::array<int, 64> data{};
};

unsigned thread()
{
    return threadIdx.x;
}
void child(int* to, Mechanism how, unsigned threads = 1)
{
    launch(1, threads, how, [=] { to[thread()] += 1; });
}

TEST_P(Rules, ThreadsOfABlockAreInOrderByABarrierAlone)
{
    EXPECT_EQ(pairs(1, 2, [&] { data[0] = static_cast<int>(thread()); }), 1U);
    EXPECT_EQ(pairs(1, 2,
                    [&] {
                        if (thread() == 0)
                            data[0] = 1;
                        __syncthreads();
                        if (thread() == 1)
                            data[0] = 2;
                    }),
              0U);
    EXPECT_EQ(pairs(1, 2, [&] { data[thread()] = data[10]; }), 0U);
    EXPECT_EQ(pairs(2, 1, [&] { data[0] = 1; }), 1U) << "blocks";
}

TEST_P(Rules, AThreadsWritesComeBeforeItsLaunchAndNoOtherThreads)
{
    for (const Mechanism how : {Mechanism::null_stream, Mechanism::named_stream, Mechanism::fire_and_forget}) {
        EXPECT_EQ(pairs(1, 2,
                        [&] {
                            if (thread() != 0)
                                return;
                            data[0] = 1;
                            child(data.data(), how);
                        }),
                  0U);
        EXPECT_GT(pairs(1, 2,
                        [&] {
                            data[thread()] = 1;
                            if (thread() == 0)
                                child(data.data(), how, 2);
                        }),
                  0U);
        EXPECT_EQ(pairs(1, 2,
                        [&] {
                            data[thread()] = 1;
                            __syncthreads();
                            if (thread() == 0)
                                child(data.data(), how, 2);
                        }),
                  0U);
        EXPECT_GT(pairs(2, 1,
                        [&] {
                            data[blockIdx.x] = 1;
                            if (blockIdx.x == 0)
                                child(data.data(), how, 2);
                        }),
                  0U);
    }
}

TEST_P(Rules, AParentsAccessAfterTheLaunchIsInNoOrderButByAWait)
{
    EXPECT_GT(pairs(1, 1,
                    [&] {
                        child(data.data(), Mechanism::null_stream);
                        data[0] += 1;
                    }),
              0U);
    EXPECT_GT(pairs(1, 1,
                    [&] {
                        child(data.data(), Mechanism::null_stream);
                        __syncthreads();
                        data[0] += 1;
                    }),
              0U);
    EXPECT_EQ(pairs(1, 1,
                    [&] {
                        launch_and_wait(1, 1, [&] {
                            data[0] = 1;
                            child(data.data() + 1, Mechanism::fire_and_forget);
                        });
                        data[0] += data[1];
                    }),
              0U);
}

TEST_P(Rules, ATailLaunchComesAfterAllOfItsParentAndOfItsOtherLaunches)
{
    EXPECT_EQ(pairs(2, 2,
                    [&] {
                        if (thread() == 0 && blockIdx.x == 0)
                            launch(1, 4, Mechanism::tail, [&] { data[thread()] += 1; });
                        if (thread() == 1)
                            child(data.data() + 2 + blockIdx.x, Mechanism::fire_and_forget);
                        data[blockIdx.x] = thread() == 0 ? 1 : data[10];
                    }),
              2U)
        << "the two threads of each block";
    EXPECT_EQ(pairs(1, 1,
                    [&] {
                        child(data.data(), Mechanism::tail);
                        child(data.data(), Mechanism::tail);
                        data[0] = 1;
                    }),
              0U)
        << "and after the one before";
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
    EXPECT_EQ(pairs(1, 1,
                    [&] {
                        launch(1, 1, Mechanism::null_stream, [&] { child(data.data(), Mechanism::fire_and_forget); });
                        child(data.data(), Mechanism::null_stream);
                    }),
              0U)
        << "a grid is complete with its descendants";
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

// Block 0 writes and signals; the block that comes second reads if it sees the signal.
enum class Signal { plain, relaxed, release_acquire, fences, first_fence, second_fence };

std::uint64_t pairs_by(Signal signal, int* data, unsigned* flag,
                       const std::function<std::uint64_t(const cpu::KernelCall&)>& pairs)
{
    *flag = 0;
    return pairs([=] {
        data[blockIdx.x] = 1;
        unsigned before = 0;
        switch (signal) {
        case Signal::plain:
            before = (*flag)++;
            break;
        case Signal::release_acquire:
            before = std::atomic_ref(*flag).fetch_add(1, std::memory_order_acq_rel);
            break;
        default:
            if (signal == Signal::fences || signal == Signal::first_fence)
                __threadfence();
            before = atomicAdd(flag, 1U);
            if (signal == Signal::fences || signal == Signal::second_fence)
                __threadfence();
        }
        if (before == 1)
            data[1 - blockIdx.x] += 1;
    });
}

TEST_P(Rules, AtomicsOrderWithReleaseAndAcquireOrWithFencesOnBothSides)
{
    unsigned flag = 0;
    cpu::observer->memory(&flag, sizeof flag, sizeof flag, "flag");
    const auto by = [&](Signal signal) {
        return pairs_by(signal, data.data(), &flag,
                        [&](const cpu::KernelCall& kernel) { return pairs(2, 1, kernel); });
    };
    EXPECT_GT(by(Signal::plain), 0U);
    EXPECT_GT(by(Signal::relaxed), 0U);
    EXPECT_GT(by(Signal::first_fence), 0U);
    EXPECT_GT(by(Signal::second_fence), 0U);
    EXPECT_EQ(by(Signal::fences), 0U);
    EXPECT_EQ(by(Signal::release_acquire), 0U);
    cpu::observer->forget(&flag);
}

TEST_P(Rules, AtomicsDoNotRaceWithAtomicsButWithOtherAccesses)
{
    EXPECT_EQ(pairs(2, 2, [&] { atomicAdd(data.data(), 1); }), 0U);
    EXPECT_GT(pairs(2, 1,
                    [&] {
                        if (blockIdx.x == 0)
                            atomicAdd(data.data(), 1);
                        else
                            data[0] = 1;
                    }),
              0U);
    EXPECT_GT(pairs(2, 1,
                    [&] {
                        if (blockIdx.x == 0)
                            atomicAdd(data.data(), 1);
                        else
                            data[1] = data[0];
                    }),
              0U);
}

TEST_P(Rules, SharedMemoryIsOfOneBlock)
{
    EXPECT_EQ(pairs(4, 1,
                    [&] {
                        BLOCK_SHARED(int, own, 1);
                        own[0] = 1;
                    }),
              0U);
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
    EXPECT_THAT(races.races.front().memory, testing::HasSubstr("arrivals"));
}

// Blocks one after another have their shared memory at one address.
TEST_P(Rules, AtomicsOfABlocksMemoryOrderNoOtherBlock)
{
    EXPECT_EQ(pairs(2, 1,
                    [this] {
                        BLOCK_SHARED(unsigned, flag, 1);
                        std::atomic_ref(flag[0]).fetch_add(1, std::memory_order_acq_rel);
                        data[0] += 1;
                        std::atomic_ref(flag[0]).fetch_add(1, std::memory_order_acq_rel);
                    }),
              2U)
        << "of the write with a read and a write";
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
    EXPECT_THAT(race.missing,
                testing::HasSubstr("thread 2's write is not ordered before thread 0's launch (a __syncthreads()"));
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

TEST_P(Rules, MemoryPastTheLimitIsAnError)
{
    constexpr std::size_t kMany = 1U << 25U;
    const auto large = std::make_unique<char[]>(kMany);
    cpu::observer->memory(large.get(), kMany, 1, "large");
    EXPECT_THROW(pairs(1, 1, [&] { large[0] = 1; }), RunError);
    cpu::observer->forget(large.get());
    EXPECT_EQ(pairs(1, 2, [&] { data[0] = 1; }), 1U) << "and the next run is as ever";
}

INSTANTIATE_TEST_SUITE_P(Races, Rules, testing::Values("fifo", "eager", "random:1", "random:2"),
                         [](const testing::TestParamInfo<const char*>& test) {
                             std::string name = test.param;
                             std::ranges::replace(name, ':', '_');
                             return name;
                         });

} // namespace
} // namespace nestbed
