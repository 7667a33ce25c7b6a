// The executor's rules for what threads share (block memory and atomics), and for delayed threads.

#include "device/cpu/shared_place.hpp"
#include "support/effort.hpp"
#include "support/executor_support.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <set>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "device/parts/in_block.hpp" // last, because it defines CUDA's keywords

namespace nestbed::cpu
{
namespace
{

using testing::Contains;
using testing::UnorderedElementsAre;

constexpr std::uint64_t kMemorySeeds = 200;

// One variable for all kernels that call this function.
int* shared_int()
{
    BLOCK_SHARED(int, value, 1);
    return value;
}

// Thread 0 writes, and the others read after a barrier. Returns what they read, by block.
// Otherwise a kernel that reads memory that nobody wrote would give an answer that depends on what ran before.
TEST(Executor, MemoryIsTheSameNewAndUsedAgain)
{
    constexpr int kCount = 1000;
    for (int time = 0; time < 3; ++time) {
        const Buffer<int> numbers(kCount);
        EXPECT_EQ(std::count(numbers.data(), numbers.data() + kCount, -1), kCount);
        std::fill_n(numbers.data(), kCount, time);
    }
}

TEST(Executor, SharedMemoryIsOneForAllThreadsOfABlockAndNoOtherBlocks)
{
    under_every_schedule([](Executor& executor) {
        std::array<std::vector<unsigned>, 8> read;
        executor.run(8, 4, [&] {
            BLOCK_SHARED(unsigned, shared, 1);
            if (threadIdx.x == 0)
                *shared = blockIdx.x;
            __syncthreads();
            read.at(blockIdx.x).push_back(*shared);
            __syncthreads();
            if (threadIdx.x == 3)
                *shared = 100 + blockIdx.x;
            __syncthreads();
            read.at(blockIdx.x).push_back(*shared);
        });
        for (unsigned block = 0; block < 8; ++block)
            EXPECT_THAT(read.at(block), UnorderedElementsAre(block, block, block, block, 100 + block, 100 + block,
                                                             100 + block, 100 + block));
    });
}

// As in CUDA: each declaration is a separate variable, whatever its type. All callers of a function share what it
// declares.
TEST(Executor, SharedVariablesOfOneTypeAreNotOne)
{
    std::vector<int> read;
    std::set<void*> of_the_function;
    Executor({}, 1).run(1, 32, [&] {
        BLOCK_SHARED(int, first, 2);
        BLOCK_SHARED(int, second, 2);
        BLOCK_SHARED(unsigned, third, 1);
        of_the_function.insert(shared_int());
        if (threadIdx.x == 0) {
            first[0] = 1;
            first[1] = 2;
            second[0] = 3;
            second[1] = 4;
            *third = 5;
            *shared_int() = 6;
        }
        __syncthreads();
        if (threadIdx.x == 31)
            read = {first[0], first[1], second[0], second[1], static_cast<int>(*third), *shared_int()};
    });
    EXPECT_THAT(read, ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_EQ(of_the_function.size(), 1U);
}

// The child's block runs while its parent's block is resident; under eager, in the middle of the parent's block.
TEST(Executor, SharedMemoryOfAParentIsNotItsChilds)
{
    under_every_schedule([](Executor& executor) {
        std::vector<int> of_parent;
        std::vector<int> of_child;
        executor.run(1, 2, [&] {
            if (threadIdx.x == 0)
                *shared_int() = 1;
            __syncthreads();
            if (threadIdx.x == 0)
                launch(2, 1, Mechanism::fire_and_forget, [&] {
                    *shared_int() = 2;
                    launch(1, 1, Mechanism::null_stream, [] { *shared_int() = 3; });
                    of_child.push_back(*shared_int());
                });
            of_parent.push_back(*shared_int());
        });
        EXPECT_THAT(of_parent, ElementsAre(1, 1));
        EXPECT_THAT(of_child, ElementsAre(2, 2));
    });
}

TEST(Executor, SharedMemoryIsNotThatOfAChildThatIsWaitedFor)
{
    under_every_schedule([](Executor& executor) {
        std::vector<int> read;
        executor.run(1, 1, [&] {
            *shared_int() = 1;
            launch_and_wait(1, 1, [&] {
                *shared_int() = 2;
                read.push_back(*shared_int());
            });
            read.push_back(*shared_int());
        });
        EXPECT_THAT(read, ElementsAre(2, 1));
    });
}

// A stray write destroys neither another variable nor what the executor works with.
TEST(Executor, AWriteAMegabyteBesideSharedMemoryChangesNothingElse)
{
    constexpr std::ptrdiff_t kFar = 1 << 20;
    bool has_room = true;
    std::vector<int> read;
    Executor({}, 1).run(4, 2, [&] {
        BLOCK_SHARED(char, tile, 64);
        *shared_int() = 5;
        has_room = is_near_shared_places(reinterpret_cast<std::uintptr_t>(tile));
        if (!has_room)
            return;
        __syncthreads();
        for (const std::ptrdiff_t far : {-kFar, kFar})
            std::fill_n(tile + far, 4096, char(0));
        __syncthreads();
        read.push_back(*shared_int());
    });
    rlimit addresses{};
    getrlimit(RLIMIT_AS, &addresses);
    EXPECT_TRUE(has_room || addresses.rlim_cur != RLIM_INFINITY);
    if (!has_room)
        GTEST_SKIP() << "no addresses are left";
    EXPECT_EQ(read, std::vector<int>(8, 5));
}

[[noreturn]] void share_where_addresses_are_few()
{
    constexpr rlimit kFew{.rlim_cur = 1UL << 33U, .rlim_max = 1UL << 33U};
    setrlimit(RLIMIT_AS, &kFew);
    long right = 0;
    Executor({}, 1).run(3, 2, [&] {
        BLOCK_SHARED(unsigned, shared, 4);
        right += is_near_shared_places(reinterpret_cast<std::uintptr_t>(shared)) ? 0 : 1;
        right +=
            std::count(reinterpret_cast<char*>(shared) - kSharedPoisonBytes, reinterpret_cast<char*>(shared), -1);
        __syncthreads();
        *shared = 0;
    });
    _exit(right == 6 * (1 + static_cast<long>(kSharedPoisonBytes)) ? 0 : 1);
}
TEST(Executor, SharedMemoryIsTheSameWhereAddressesAreFew)
{
    if (is_sanitized())
        GTEST_SKIP() << "the sanitizer needs more addresses";
    GTEST_FLAG_SET(death_test_style,
                   "threadsafe"); // in a new process, which has no addresses to spare from the begin
    EXPECT_EXIT(share_where_addresses_are_few(), testing::ExitedWithCode(0), "");
}

// Two threads log their index, are delayed, and log it again.
std::vector<unsigned> said(const std::string& schedule, unsigned times)
{
    std::vector<unsigned> log;
    Executor(parse_schedule(schedule), 1).run(1, 2, [&] {
        log.push_back(threadIdx.x);
        delay(times);
        log.push_back(threadIdx.x);
    });
    return log;
}

TEST(Executor, ADelayInterruptsAThreadUnderRandomAlone)
{
    EXPECT_THAT(said("fifo", 5), ElementsAre(0, 0, 1, 1));
    EXPECT_THAT(said("eager", 5), ElementsAre(0, 0, 1, 1));
    const std::vector<unsigned> interrupted{0, 1, 0, 1};
    std::set<std::vector<unsigned>> delayed;
    std::set<std::vector<unsigned>> undelayed;
    for (std::uint64_t seed = 0; seed < kMemorySeeds; ++seed) {
        delayed.insert(said("random:" + std::to_string(seed), 1));
        undelayed.insert(said("random:" + std::to_string(seed), 0));
    }
    EXPECT_THAT(undelayed, UnorderedElementsAre(std::vector{0U, 0U, 1U, 1U}, std::vector{1U, 1U, 0U, 0U}));
    EXPECT_THAT(delayed, Contains(interrupted));
    EXPECT_EQ(delayed.size(), 6U); // every order of two threads that each log their index twice
}

// How many steps another thread, which is interrupted between its steps, takes before the delayed one continues.
TEST(Executor, ALongerDelayLetsOthersFurtherAhead)
{
    const auto steps_ahead = [](unsigned times) {
        unsigned ahead = 0;
        for (std::uint64_t seed = 0; seed < kMemorySeeds; ++seed) {
            unsigned steps = 0;
            Executor({Schedule::Order::random, seed}, 1).run(1, 2, [&] {
                if (threadIdx.x == 0) {
                    delay(times);
                    ahead += steps;
                } else {
                    for (; steps < 100; ++steps)
                        delay(1);
                }
            });
        }
        return ahead;
    };
    EXPECT_GT(steps_ahead(20), 2 * steps_ahead(2));
}

TEST(Executor, ExactlyOneBlockOfManyArrivesLastAndTheCounterBeginsAgain)
{
    unsigned arrived = 0;
    Executor executor({}, 4);
    for (const unsigned blocks : {1U, 2U, 64U, 4096U}) {
        std::atomic<unsigned> last = 0;
        std::atomic<unsigned> others = 0;
        executor.run(blocks, 2, [&] {
            if (threadIdx.x == 0)
                ++(is_last_block(&arrived, blocks) ? last : others);
        });
        EXPECT_EQ(last, 1U);
        EXPECT_EQ(others, blocks - 1);
        EXPECT_EQ(arrived, 0U);
    }
}

TEST(Executor, AtomicMinKeepsTheLeastOfWhatManyWorkersThreadsOffer)
{
    unsigned long long least = ~0ULL;
    EXPECT_EQ(atomicMin(&least, 9000ULL), ~0ULL);
    EXPECT_EQ(atomicMin(&least, 9001ULL), 9000U);
    EXPECT_EQ(least, 9000U);
    Executor({}, 4).run(64, 64, [&] { atomicMin(&least, 17ULL + (blockIdx.x * 64 + threadIdx.x) * 2357ULL % 4096); });
    EXPECT_EQ(least, 17U);
}

TEST(Executor, AtomicSubAndXorReturnTheOldValue)
{
    unsigned left = 64 * 64;
    EXPECT_EQ(atomicSub(&left, 1U), 64U * 64);
    Executor({}, 4).run(63, 64, [&] { atomicSub(&left, 1U); });
    EXPECT_EQ(left, 63U);
    EXPECT_EQ(atomicXor(&left, 3U), 63U);
    EXPECT_EQ(left, 60U);
}

TEST(Executor, RefusesLaunchesByAMechanismThatIsNotAllowed)
{
    for (const char* schedule : {"fifo", "eager", "random:1"}) {
        SCOPED_TRACE(schedule);
        Executor executor(parse_schedule(schedule), 1);
        unsigned ran = 0;
        const auto launch_one = [&] { launch(1, 1, Mechanism::tail, [&] { ++ran; }); };
        executor.restrict_to_mechanism(Mechanism::fire_and_forget);
        EXPECT_THAT([&] { executor.run(1, 1, launch_one); },
                    testing::ThrowsMessage<Fault>("a kernel launched by mechanism tail in a case of mechanism "
                                                  "fire_and_forget"));
        EXPECT_EQ(ran, 0U);
        executor.restrict_to_mechanism(Mechanism::tail);
        executor.run(1, 1, launch_one);
        executor.restrict_to_mechanism({});
        executor.run(1, 1, launch_one);
        EXPECT_EQ(ran, 2U);
    }
}

} // namespace
} // namespace nestbed::cpu
