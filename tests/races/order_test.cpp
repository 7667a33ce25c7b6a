// More rules that order accesses: warps, waits, streams, tail launches, fences before a barrier; and what a report says is missing. The
// file is compiled like the strategies that the detector watches.
#include "rules.hpp"

#include <atomic>

namespace nestbed
{
namespace
{

using Orders = Rules;

void syncwarp(std::uint32_t mask = ~0U)
{
    const std::uint64_t* all = nullptr;
    cpu::exchange_in_warp(mask, 0, all, true);
}

std::string missing_in(const Races& races)
{
    return races.races.empty() ? "no race" : races.races.front().missing;
}

TEST_P(Orders, ASyncwarpIsABarrierOfItsLanes)
{
    const auto by = [&](bool sync, unsigned reader) {
        return pairs(1, 64, [=, this] {
            if (thread() == 0)
                data[0] = 1;
            if (sync)
                syncwarp();
            if (thread() == reader)
                data[1] = data[0];
        });
    };
    EXPECT_EQ(by(true, 31), 0U);
    EXPECT_EQ(by(true, 32), 1U) << "another warp";
    EXPECT_EQ(by(false, 31), 1U);
    expect_pairs("what comes after it", 1, 1, 64, [this] {
        if (thread() < 2)
            syncwarp(0x3);
        if (thread() == 1)
            data[0] = 1;
        if (thread() == 0)
            data[1] = data[0];
    });
    expect_pairs("a launch after it", 0, 1, 64, [this] {
        if (thread() == 3)
            data[0] = 1;
        if (thread() < 32)
            syncwarp();
        if (thread() == 4)
            child(data.data(), Mechanism::fire_and_forget);
    });
    const std::uint64_t* all = nullptr;
    expect_pairs("a shuffle orders no memory", 1, 1, 32, [&] {
        if (thread() == 0)
            data[0] = 1;
        cpu::exchange_in_warp(~0U, 0, all, false);
        if (thread() == 1)
            data[1] = data[0];
    });
}

TEST_P(Orders, AReportExplainsThatAWarpDoesNotRunInLockstep)
{
    const auto by = [&](unsigned other) {
        return missing_in(watch([&](cpu::Executor& executor) {
            executor.run(1, 64, [=, this] {
                if (thread() == 0)
                    data[0] = 1;
                if (thread() == other)
                    data[0] = 1;
            });
        }));
    };
    EXPECT_THAT(by(31),
                HasSubstr("no __syncthreads() and no __syncwarp() is between them (the threads of a warp do not "
                          "run in lockstep since Volta; a __syncwarp() between them would do)"));
    EXPECT_EQ(by(32), "no __syncthreads() is between them");
}

TEST_P(Orders, WhatIsMissingHoldsForAllPairsOfAReport)
{
    const auto readers = [&](unsigned threads) {
        return missing_in(watch([&](cpu::Executor& executor) {
            executor.run(1, threads, [this] {
                if (thread() == 0)
                    data[0] = 1;
                else
                    data[thread()] = data[0];
            });
        }));
    };
    EXPECT_THAT(readers(32), HasSubstr("a __syncwarp() between them would do"));
    EXPECT_EQ(readers(64), "no __syncthreads() is between them");
    const std::string one_line =
        missing_in(watch([&](cpu::Executor& executor) { executor.run(1, 8, [this] { data[0] = 1; }); }));
    EXPECT_THAT(one_line, HasSubstr("by one line (one thread may write it"));
}

TEST_P(Orders, AWaitForAllChildrenOrdersThem)
{
    const auto by = [&](Mechanism how, bool waits, unsigned launcher, unsigned waiter) {
        return pairs(1, 2, [=, this] {
            if (thread() == launcher)
                child(data.data(), how);
            __syncthreads();
            if (thread() == waiter) {
                if (waits)
                    cpu::wait_for_children();
                data[0] += 1;
            }
        });
    };
    for (const Mechanism how : {Mechanism::null_stream, Mechanism::named_stream, Mechanism::fire_and_forget}) {
        EXPECT_EQ(by(how, true, 0, 0), 0U);
        EXPECT_EQ(by(how, true, 0, 1), 0U) << "the children of the block, not of the thread";
        EXPECT_GT(by(how, false, 0, 0), 0U);
    }
    expect_pairs("of the descendants too, and of another thread behind a barrier", 0, 1, 2, [this] {
        if (thread() == 0) {
            launch(1, 1, Mechanism::null_stream, [this] { child(data.data(), Mechanism::fire_and_forget); });
            cpu::wait_for_children();
        }
        __syncthreads();
        if (thread() == 1)
            data[0] += 1;
    });
    expect_pairs("of another block", Gt(0U), 2, 1, [this] {
        if (blockIdx.x == 0)
            child(data.data(), Mechanism::null_stream);
        cpu::wait_for_children();
        if (blockIdx.x == 1)
            data[0] += 1;
    });
    expect_pairs(0, 1, 1, [this] {
        for (int time = 0; time < 3; ++time) {
            child(data.data(), Mechanism::fire_and_forget);
            cpu::wait_for_children();
            data[0] += 1;
        }
    });
}

TEST_P(Orders, ANamedStreamOfABlockIsInOrder)
{
    const auto by = [&](Mechanism how, std::uint64_t first, std::uint64_t second) {
        return pairs(1, 1, [=, this] {
            for (const std::uint64_t stream : {first, second})
                cpu::launch_into(
                    stream, 1, 1, how, [this] { data[0] += 1; }, nullptr);
        });
    };
    constexpr std::uint64_t kLarge = 1ULL << 40U;
    EXPECT_EQ(by(Mechanism::named_stream, 1, 1), 0U);
    EXPECT_EQ(by(Mechanism::named_stream, kLarge + 1, kLarge + 1), 0U);
    EXPECT_GT(by(Mechanism::named_stream, 1, 2), 0U);
    EXPECT_GT(by(Mechanism::named_stream, 1, kLarge + 1), 0U);
    EXPECT_GT(by(Mechanism::named_stream, 0, 0), 0U) << "each has a stream of its own";
    EXPECT_EQ(by(Mechanism::null_stream, 0, 0), 0U);
    expect_pairs("of two blocks", Gt(0U), 2, 1, [this] {
        cpu::launch_into(
            1, 1, 1, Mechanism::named_stream, [this] { data[0] += 1; }, nullptr);
    });
}

// As launches into one NULL stream: nothing decides which is first, and they never run at the same time.
TEST_P(Orders, TailLaunchesOfThreadsInNoOrderCountAsOrdered)
{
    expect_pairs(0, 2, 2, [this] {
        data[1 + 2 * blockIdx.x + thread()] = 1;
        launch(1, 1, Mechanism::tail, [this] { data[0] = data[1] + data[2] + data[3] + data[4]; });
    });
}

// The common pattern of CUDA programs: all threads write, then a fence and a barrier, then one thread counts the block.
TEST_P(Orders, AFenceBeforeABarrierCountsForTheAtomicsBehindIt)
{
    enum class Fence { none, before_barrier, weak, after_barrier };
    unsigned arrived = 0;
    name_memory(&arrived, sizeof arrived, sizeof arrived, "arrived");
    const auto fence = [](Fence now, Fence wanted) {
        if (now == wanted)
            __threadfence();
        else if (now == Fence::weak && wanted == Fence::before_barrier)
            std::atomic_thread_fence(std::memory_order_acq_rel);
    };
    const auto by = [&](Fence first, Fence second) {
        arrived = 0;
        return pairs(2, 2, [&, first, second] {
            BLOCK_SHARED(bool, last, 1);
            data[2 * blockIdx.x + thread()] = 1;
            fence(first, Fence::before_barrier);
            __syncthreads();
            if (thread() == 0) {
                fence(first, Fence::after_barrier);
                last[0] = atomicAdd(&arrived, 1U) == 1;
                fence(second, Fence::before_barrier);
            }
            __syncthreads();
            fence(second, Fence::after_barrier);
            if (last[0])
                data[10 + thread()] = data[0] + data[1] + data[2] + data[3];
        });
    };
    using enum Fence;
    EXPECT_EQ(by(before_barrier, before_barrier), 0U) << "the fence of the thread that wrote";
    EXPECT_EQ(by(before_barrier, after_barrier), 0U) << "and of the thread that reads";
    EXPECT_EQ(by(after_barrier, before_barrier), 0U) << "the fence of the thread that counts";
    EXPECT_EQ(by(after_barrier, after_barrier), 0U);
    EXPECT_GT(by(none, after_barrier), 0U);
    EXPECT_GT(by(before_barrier, none), 0U);
    EXPECT_GT(by(weak, after_barrier), 0U) << "only fences that are sequentially consistent are in one order";
    EXPECT_GT(by(before_barrier, weak), 0U) << "the reader's too";
    EXPECT_EQ(by(after_barrier, weak), 0U) << "but a release pattern needs no more";
    cpu::observer->forget(&arrived);
}

// PTX ISA 9.0, 8.10.6: only an atomic that writes comes after all that an earlier one made of the value. Three blocks count, and another
// one waits for the count.
TEST_P(Orders, ALoadOfACountComesAfterFencesBeforeTheLastWriteAlone)
{
    enum class Poll { load, update };
    unsigned arrived = 0;
    name_memory(&arrived, sizeof arrived, sizeof arrived, "arrived");
    const auto by = [&](bool behind_barrier, Poll poll, unsigned blocks) {
        arrived = 0;
        return pairs(blocks + 1, 2, [&, behind_barrier, poll, blocks] {
            const std::atomic_ref<unsigned> count(arrived);
            if (blockIdx.x != blocks) {
                data[2 * blockIdx.x + thread()] = 1;
                if (!behind_barrier)
                    __threadfence();
                __syncthreads();
                if (behind_barrier && thread() == 0)
                    __threadfence();
                if (thread() == 0)
                    atomicAdd(&arrived, 1U);
                return;
            }
            while (thread() == 1 && (poll == Poll::load ? count.load(std::memory_order_relaxed)
                                                        : count.fetch_add(0, std::memory_order_relaxed)) != blocks)
                cpu::give_way();
            __threadfence();
            for (unsigned i = 0; thread() == 1 && i < 2 * blocks; ++i)
                data[20] += data[i];
        });
    };
    EXPECT_EQ(by(false, Poll::update, 3), 0U);
    EXPECT_EQ(by(true, Poll::update, 3), 0U);
    EXPECT_EQ(by(true, Poll::load, 3), 0U) << "a release pattern goes on through the other atomics";
    EXPECT_EQ(by(false, Poll::load, 1), 0U) << "what the last write comes after";
    EXPECT_GT(by(false, Poll::load, 3), 0U);
    cpu::observer->forget(&arrived);
}

TEST_P(Orders, AFenceBeforeALaunchCountsForTheAtomicsOfTheChild)
{
    unsigned arrived = 0;
    name_memory(&arrived, sizeof arrived, sizeof arrived, "arrived");
    const auto by = [&](bool first, bool second) {
        arrived = 0;
        return pairs(2, 1, [&, first, second] {
            data[blockIdx.x] = 1;
            if (first)
                __threadfence();
            launch(1, 1, Mechanism::null_stream, [&, second] {
                if (atomicAdd(&arrived, 1U) != 1)
                    return;
                launch(1, 1, Mechanism::null_stream, [&, second] {
                    if (second)
                        __threadfence();
                    data[10] = data[0] + data[1];
                });
            });
        });
    };
    EXPECT_EQ(by(true, true), 0U);
    EXPECT_GT(by(false, true), 0U);
    EXPECT_GT(by(true, false), 0U);
    cpu::observer->forget(&arrived);
}

TEST_P(Orders, AReportSaysWhichFenceIsMissingAlsoForAChildOfTheLastBlock)
{
    std::array<unsigned, 1> arrived{};
    name_memory(arrived.data(), sizeof arrived, sizeof arrived, "arrived");
    const auto by = [&](bool first, bool second, bool in_child) {
        arrived[0] = 0;
        return missing_in(watch([&](cpu::Executor& executor) {
            executor.run(2, 2, [&, first, second, in_child] {
                BLOCK_SHARED(bool, last, 1);
                data[2 * blockIdx.x + thread()] = 1;
                __syncthreads();
                if (thread() == 0) {
                    if (first)
                        __threadfence();
                    last[0] = atomicAdd(&arrived[0], 1U) == 1;
                    if (second)
                        __threadfence();
                }
                __syncthreads();
                const auto use = [this] { data[10] = data[0] + data[1] + data[2] + data[3]; };
                if (last[0] && thread() == 1)
                    in_child ? void(launch(1, 1, Mechanism::fire_and_forget, use)) : use();
            });
        }));
    };
    const std::string_view between = "an atomic of arrived is between them that orders nothing by itself (";
    for (const bool in_child : {false, true}) {
        EXPECT_EQ(by(true, true, in_child), "no race");
        EXPECT_EQ(by(false, false, in_child),
                  std::string(between) +
                      "a __threadfence() before the atomic in the first thread and one after it in the "
                      "second are missing, or release and acquire)");
        EXPECT_EQ(by(false, true, in_child),
                  std::string(between) +
                      "a __threadfence() before the atomic in the first thread is missing, or release and acquire)");
        EXPECT_EQ(by(true, false, in_child),
                  std::string(between) +
                      "a __threadfence() after the atomic in the second thread is missing, or release and acquire)");
    }
    cpu::observer->forget(arrived.data());
}

INSTANTIATE_TEST_SUITE_P(Races, Orders, kSchedules, kScheduleName);

} // namespace
} // namespace nestbed
