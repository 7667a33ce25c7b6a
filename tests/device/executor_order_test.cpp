// In which order a random schedule runs threads and blocks, and how many at a time; which shapes a grid may have; whose memory is whose.
#include "device/cpu/executor.hpp"
#include "device/cpu/fiber.hpp"
#include "device/cpu/own_memory.hpp"
#include "device/cpu/shared_place.hpp"

#include "support/executor_support.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace nestbed::cpu
{
namespace
{

// ---- shapes ----

struct Began {
};

// Whether the grid may be run; its first thread ends it.
bool may_run(dim3 grid, dim3 block)
{
    Executor executor({}, 1);
    try {
        executor.run(grid, block, [] { throw Began(); });
    } catch (const Began&) {
        return true;
    } catch (const Fault&) {
        return false;
    }
    return false;
}

bool may_be_launched(dim3 grid, dim3 block)
{
    Executor executor(parse_schedule("eager"), 1);
    LaunchError error = launch_ok;
    LaunchError of_wait = launch_ok;
    try {
        executor.run(1, 1, [&] {
            error = launch(grid, block, Mechanism::null_stream, [] { throw Began(); });
            of_wait = launch_and_wait(grid, block, [] { throw Began(); });
        });
    } catch (const Began&) {
        return true;
    }
    EXPECT_EQ(error, launch_invalid_configuration);
    EXPECT_EQ(of_wait, launch_invalid_configuration);
    return false;
}

// The limits of CUDA (guide, "Technical Specifications").
TEST(ExecutorOrder, AGridMayHaveTheShapesThatCudaAllows)
{
    EXPECT_EQ(launch_invalid_configuration, 9);
    const std::vector<dim3> right_blocks{1,           1024,        {1, 1024},  {1, 1, 64}, {32, 32},
                                         {16, 1, 64}, {1, 16, 64}, {4, 4, 64}, {2, 512},   {341, 3}};
    const std::vector<dim3> wrong_blocks{0,
                                         {1, 0},
                                         {1, 1, 0},
                                         1025,
                                         {1, 1025},
                                         {1, 1, 65},
                                         {1025, 0},
                                         {1024, 2},
                                         {2, 513},
                                         {17, 1, 64},
                                         {33, 32},
                                         {64, 32},
                                         2048,
                                         {1 << 16, 1 << 16, 1},
                                         {1U << 31U, 2, 1},
                                         {0, 1025, 65}};
    const std::vector<dim3> right_grids{
        1, 2147483647, {1, 65535}, {1, 1, 65535}, {32768, 65535}, {1, 32768, 65535}, {32768, 1, 65535}};
    const std::vector<dim3> wrong_grids{0,
                                        {1, 0},
                                        {1, 1, 0},
                                        2147483648,
                                        {1, 65536},
                                        {1, 1, 65536},
                                        {32769, 65535},
                                        {65535, 65535},
                                        {1073741824, 2},
                                        {1073741824, 1, 2},
                                        {1, 65535, 65535},
                                        {1U << 31U, 1, 2}};
    for (const auto& [grids, blocks, right] :
         {std::tuple(std::vector<dim3>{1}, right_blocks, true), std::tuple(std::vector<dim3>{1}, wrong_blocks, false),
          std::tuple(right_grids, std::vector<dim3>{1}, true), std::tuple(wrong_grids, std::vector<dim3>{1}, false)})
        for (const dim3 grid : grids)
            for (const dim3 block : blocks) {
                SCOPED_TRACE(testing::Message() << grid.x << " x " << grid.y << " x " << grid.z << " blocks of "
                                                << block.x << " x " << block.y << " x " << block.z);
                EXPECT_EQ(may_run(grid, block), right);
                EXPECT_EQ(may_be_launched(grid, block), right);
            }
}

// Lanes are consecutive threads by their linear index.
TEST(ExecutorOrder, LanesAreNumberedThroughAllDimensionsOfABlock)
{
    for (const char* schedule : {"fifo", "random:1"}) {
        std::vector<std::uint64_t> got(96);
        std::vector<std::uint32_t> votes(96);
        Executor(parse_schedule(schedule), 1).run(1, dim3(6, 4, 4), [&] {
            const unsigned thread = linear_thread();
            const std::uint64_t* all = nullptr;
            exchange_in_warp(~0U, thread + 100, all, false);
            got[thread] = all[(thread + 5) % 32];
            votes[thread] = ballot_in_warp(~0U, thread % 3 == 0);
        });
        for (unsigned thread = 0; thread < 96; ++thread) {
            EXPECT_EQ(got[thread], thread / 32 * 32 + (thread + 5) % 32 + 100) << schedule;
            for (unsigned lane = 0; lane < 32; ++lane)
                EXPECT_EQ(votes[thread] >> lane & 1U, (thread / 32 * 32 + lane) % 3 == 0 ? 1U : 0U) << schedule;
        }
    }
}

// ---- memory ----

TEST(ExecutorOrder, MemoryIsAThreadsItsBlocksOrNobodys)
{
    static const char key = 0;
    static int of_program = 0;
    const int of_host = 0;
    Executor({}, 1).run(1, 2, [&] {
        int own = 0;
        EXPECT_EQ(own_memory_of(&own), OwnMemory::of_thread);
        EXPECT_EQ(own_memory_of(&of_program), OwnMemory::none);
        EXPECT_EQ(own_memory_of(&of_host), OwnMemory::none);
        EXPECT_EQ(own_memory_of(nullptr), OwnMemory::none);
        static const char other = 0;
        shared_memory(&other, 64, 4, "other");
        const auto* const shared = static_cast<const char*>(shared_memory(&key, 8, 4, "shared"));
        EXPECT_EQ(own_memory_of(shared), OwnMemory::of_block);
        EXPECT_EQ(own_memory_of(shared + 7), OwnMemory::of_block);
        EXPECT_EQ(own_memory_of(shared - kSharedPoisonBytes), OwnMemory::of_block) << "an index that is too small";
        EXPECT_EQ(own_memory_of(shared + 8 + kSharedPoisonBytes - 1), OwnMemory::of_block) << "one that is too large";
        constexpr std::ptrdiff_t kFar = 1 << 30;
        EXPECT_EQ(own_memory_of(shared - kFar), OwnMemory::none);
        EXPECT_EQ(own_memory_of(shared + kFar), OwnMemory::none);
        // It is not a guard, nor what is left of another variable.
        EXPECT_TRUE(
            std::ranges::all_of(std::vector(shared, shared + 8), [](char byte) { return byte == char(0xFF); }));
        barrier();
    });
}

TEST(ExecutorOrder, MemoryIsPoisonedWithItsGuards)
{
    static const char key = 0;
    Executor executor({}, 1);
    for (int run = 0; run < 3; ++run)
        executor.run(1, 1, [&] {
            auto* const shared = static_cast<char*>(shared_memory(&key, 100, 1, "shared"));
            const std::vector all(shared - kSharedPoisonBytes, shared + 100 + kSharedPoisonBytes);
            EXPECT_THAT(all, Each(char(0xFF)));
            std::fill_n(shared - kSharedPoisonBytes, all.size(), char(0));
        });
}

TEST(ExecutorOrder, StacksAreToSpareUntilHalfOfThemAreInUse)
{
    const std::size_t threads = (max_stacks() / 2 / 1024 + 1) * 1024;
    std::size_t begun = 0;
    std::size_t to_spare = 0;
    Executor({}, 1).run(static_cast<unsigned>(threads / 1024), 1024, [&] {
        ++begun;
        to_spare += has_stacks_to_spare() ? 1 : 0;
        while (begun < threads)
            give_way();
    });
    EXPECT_EQ(to_spare, max_stacks() / 2 - 1);
    EXPECT_TRUE(has_stacks_to_spare());
}

// ---- exceptions ----

struct Counted {
    explicit Counted(int& alive) : alive_(alive) { ++alive_; }
    ~Counted() { --alive_; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

  private:
    int& alive_;
};

TEST(ExecutorOrder, AnExceptionEndsAllThreadsAndWhatTheyLaunched)
{
    for (const char* schedule : {"fifo", "eager", "random:1", "random:2", "random:3"}) {
        SCOPED_TRACE(schedule);
        Executor executor(parse_schedule(schedule), 1);
        int alive = 0;
        int most = 0;
        unsigned children = 0;
        const auto how = schedule == std::string("fifo") ? Mechanism::fire_and_forget : Mechanism::tail;
        EXPECT_THROW(executor.run(2, 64,
                                  [&] {
                                      const Counted one(alive);
                                      most = std::max(most, alive);
                                      launch(1, 1, how, [&] { ++children; });
                                      if (alive >= 50)
                                          throw Began();
                                      barrier();
                                  }),
                     Began);
        EXPECT_GE(most, 50);
        EXPECT_EQ(alive, 0) << "their objects are destroyed";
        bool raised = false;
        executor.run(1, 1, [&] { // a block that waits starts children early
            launch(1, 1, Mechanism::null_stream, [&] { raised = true; });
            while (!raised)
                give_way();
        });
        EXPECT_EQ(children, 0U);
    }
}

// A child that runs early, for a block that waits for it, ends the run too; the next run can wait as ever.
TEST(ExecutorOrder, AnExceptionOfAChildThatABlockWaitsForLeavesNothing)
{
    for (const char* schedule : {"fifo", "random:1"}) {
        SCOPED_TRACE(schedule);
        Executor executor(parse_schedule(schedule), 1);
        for (int time = 0; time < 20; ++time) {
            bool raised = false;
            EXPECT_THROW(executor.run(1, 1,
                                      [&] {
                                          launch(1, 1, Mechanism::null_stream, [] { throw Began(); });
                                          while (!raised)
                                              give_way();
                                      }),
                         Began);
            executor.run(1, 1, [&] {
                launch(1, 1, Mechanism::null_stream, [&] { raised = true; });
                while (!raised)
                    give_way();
                raised = false;
                launch(1, 1, Mechanism::null_stream, [&] { raised = true; });
                wait_for_children();
                EXPECT_TRUE(raised);
            });
        }
    }
}

// ---- random ----

TEST(ExecutorOrder, ARandomOrderRunsLimitedNumbersOfBlocksAndThreadsAtATime)
{
    struct Shape {
        unsigned grid, block, max_blocks;
    };
    for (const auto& [grid, block, max_blocks] : {Shape{100, 1, 24}, Shape{12, 1024, 8}}) {
        unsigned most = 0;
        for (std::uint64_t seed = 0; seed < (block == 1 ? 50U : 3U); ++seed) {
            std::set<unsigned> begun;
            std::vector<unsigned> ended(grid);
            Executor({Schedule::Order::random, seed}, 1).run(grid, block, [&, block = block] {
                begun.insert(block_x());
                most = std::max(most, static_cast<unsigned>(begun.size()));
                delay(block == 1 ? 100 : 1);
                if (++ended[block_x()] == block)
                    begun.erase(block_x());
            });
        }
        EXPECT_EQ(most, max_blocks);
    }
}

TEST(ExecutorOrder, ARandomOrderStartsAnyBlockAndLetsBlocksOverlap)
{
    std::set<unsigned> first;
    std::set<std::vector<unsigned>> orders;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        std::vector<unsigned> log;
        Executor({Schedule::Order::random, seed}, 1).run(3, 1, [&] {
            log.push_back(block_x());
            delay(1);
            log.push_back(block_x());
        });
        first.insert(log.front());
        orders.insert(log);
    }
    EXPECT_THAT(first, ElementsAre(0, 1, 2));
    EXPECT_GT(orders.size(), 30U); // of 90
}

// The order of a run without deviations, which a report of a deviation starts from.
std::vector<unsigned> default_order(unsigned grid, unsigned block,
                                    const std::function<void(std::vector<unsigned>&)>& kernel)
{
    std::vector<unsigned> log;
    Executor executor(parse_schedule("random:1"), 1);
    executor.deviate_only_at(std::vector<std::uint64_t>{});
    executor.run(grid, block, [&] { kernel(log); });
    return log;
}

unsigned number()
{
    return current_thread->block_index.x * current_thread->block_dim.x + current_thread->thread_index.x;
}

TEST(ExecutorOrder, TheDefaultOrderContinuesTheThreadThatRanLastElseTheFirst)
{
    EXPECT_THAT(default_order(2, 3,
                              [](std::vector<unsigned>& log) {
                                  log.push_back(number());
                                  barrier();
                                  log.push_back(number());
                                  delay(1);
                                  log.push_back(number());
                              }),
                ElementsAre(0, 1, 2, 2, 2, 0, 0, 1, 1, 3, 4, 5, 5, 5, 3, 3, 4, 4));
    EXPECT_THAT(default_order(2, 3,
                              [](std::vector<unsigned>& log) {
                                  log.push_back(number());
                                  give_way();
                                  log.push_back(number());
                              }),
                ElementsAre(0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5))
        << "who gives way comes last, in turn";
    EXPECT_THAT(default_order(2, 2,
                              [](std::vector<unsigned>& log) {
                                  for (int time = 0; time < 3; ++time) {
                                      log.push_back(number());
                                      give_way();
                                  }
                              }),
                ElementsAre(0, 1, 2, 3, 0, 2, 1, 3, 0, 2, 1, 3))
        << "by blocks and threads";
    EXPECT_THAT(default_order(1, 3,
                              [](std::vector<unsigned>& log) {
                                  log.push_back(number());
                                  if (number() == 1)
                                      launch_and_wait(1, 1, [&log] { log.push_back(10); });
                                  log.push_back(number());
                              }),
                ElementsAre(0, 0, 1, 2, 2, 10, 1))
        << "a thread that waits for its child";
    EXPECT_THAT(default_order(1, 2,
                              [](std::vector<unsigned>& log) {
                                  for (unsigned child = 0; child < 2; ++child)
                                      launch(2, 1, Mechanism::fire_and_forget, [&log, child, parent = number()] {
                                          log.push_back(10 * parent + 2 * child + block_x() + 10);
                                      });
                                  log.push_back(number());
                              }),
                ElementsAre(0, 1, 10, 11, 12, 13, 20, 21, 22, 23))
        << "grids and their blocks in order";
}

// A signal may come between two threads; what it says is then of the one that ran last.
TEST(ExecutorOrder, TheThreadThatRanLastIsKnownBetweenTwo)
{
    unsigned between = 0;
    {
        Executor executor(parse_schedule("random:1"), 1);
        executor.on_deviation([&](std::uint64_t, const ThreadContext*, const ThreadContext* ran) {
            EXPECT_EQ(current_thread, nullptr);
            EXPECT_EQ(current_or_latest_thread(), ran);
            ++between;
        });
        executor.run(1, 4, [] {
            EXPECT_EQ(current_or_latest_thread(), current_thread);
            delay(5);
        });
    }
    EXPECT_GT(between, 0U);
    EXPECT_EQ(current_or_latest_thread(), nullptr) << "their stacks are freed";
}

TEST(ExecutorOrder, ADeviationNamesTheThreadThatItInterrupts)
{
    const auto reports = [](const KernelCall& kernel, const char* schedule) {
        std::vector<std::pair<int, int>> found;
        Executor executor(parse_schedule(schedule), 1);
        executor.on_deviation([&](std::uint64_t, const ThreadContext* interrupted, const ThreadContext* ran) {
            found.emplace_back(interrupted == nullptr ? -1 : static_cast<int>(interrupted->thread_index.x),
                               static_cast<int>(ran->thread_index.x));
        });
        executor.run(1, 4, kernel);
        return found;
    };
    for (const char* schedule : {"random:1", "random:2", "random:3"}) {
        const auto of_ended = reports([] {}, schedule);
        EXPECT_FALSE(of_ended.empty());
        EXPECT_THAT(of_ended, Each(testing::Field(&std::pair<int, int>::first, -1))) << "none could have continued";
        unsigned last = 0;
        const auto of_delayed = reports(
            [&] {
                for (int time = 0; time < 5; ++time) {
                    last = thread_x();
                    delay(1);
                }
            },
            schedule);
        EXPECT_THAT(of_delayed, testing::Contains(testing::Field(&std::pair<int, int>::first, testing::Ge(0))));
        for (const auto& [interrupted, ran] : of_delayed)
            EXPECT_NE(interrupted, ran);
    }
}

TEST(ExecutorOrder, DeviationsMayBeNamedInAnyOrderAndAreNumberedThroughAllRuns)
{
    const auto logs = [](std::optional<std::vector<std::uint64_t>> only, std::vector<std::uint64_t>& decisions) {
        std::vector<unsigned> log;
        Executor executor(parse_schedule("random:5"), 1);
        executor.deviate_only_at(std::move(only));
        executor.on_deviation([&](std::uint64_t decision, const ThreadContext*, const ThreadContext*) {
            decisions.push_back(decision);
        });
        for (int run = 0; run < 3; ++run)
            executor.run(2, 4, [&] {
                log.push_back(number());
                delay(1);
                log.push_back(number());
            });
        return log;
    };
    std::vector<std::uint64_t> decisions;
    const std::vector<unsigned> all = logs({}, decisions);
    EXPECT_TRUE(std::ranges::is_sorted(decisions));
    EXPECT_GT(decisions.size(), 10U);
    std::vector<std::uint64_t> backwards = decisions;
    std::ranges::reverse(backwards);
    std::vector<std::uint64_t> again;
    EXPECT_EQ(logs(backwards, again), all);
    EXPECT_EQ(again, decisions);
}

// ---- fifo ----

// A wait runs what the block has launched, and nothing of other blocks; a child that is waited for, what is before it in its stream.
TEST(ExecutorOrder, AWaitStartsNoMoreThanItWaitsFor)
{
    std::vector<int> log;
    const auto child = [&log](int name) { return [&log, name] { log.push_back(name); }; };
    Executor executor({}, 1);
    executor.run(2, 1, [&] {
        const int block = static_cast<int>(block_x()) * 10;
        launch(1, 1, Mechanism::null_stream, child(block + 1));
        launch(1, 1, Mechanism::fire_and_forget, child(block + 2));
        launch(1, 1, Mechanism::tail, child(block + 3));
        if (block == 10)
            launch_and_wait(1, 1, child(block + 4));
        log.push_back(block);
    });
    EXPECT_THAT(log, ElementsAre(0, 11, 14, 10, 1, 2, 12, 3, 13));
    log.clear();
    executor.run(2, 1, [&] {
        const int block = static_cast<int>(block_x()) * 10;
        launch(1, 1, Mechanism::null_stream, child(block + 1));
        launch(1, 1, Mechanism::fire_and_forget, child(block + 2));
        launch(1, 1, Mechanism::tail, child(block + 3));
        if (block == 10)
            wait_for_children();
        log.push_back(block);
    });
    EXPECT_THAT(log, ElementsAre(0, 11, 12, 10, 1, 2, 3, 13));
    log.clear();
    executor.run(1, 1, [&] {
        for (const std::uint64_t stream : {1, 2})
            launch_into(stream, 1, 1, Mechanism::named_stream, child(static_cast<int>(stream)), nullptr);
        launch_and_wait(1, 1, child(3));
        log.push_back(4);
    });
    EXPECT_THAT(log, ElementsAre(3, 4, 1, 2)) << "other streams";
}

// All blocks of all grids of a generation run once, whoever takes them.
TEST(ExecutorOrder, WorkersShareTheBlocksOfManyGrids)
{
    for (const unsigned workers : {1U, 2U, 3U, 4U}) {
        Executor executor({}, workers);
        executor.set_pending_limit(100000);
        std::array<std::array<std::atomic<unsigned>, 40>, 300> ran{};
        executor.run(100, 32, [&] {
            if (thread_x() != 0)
                return;
            for (unsigned child = 3 * block_x(); child < 3 * block_x() + 3; ++child)
                launch(1 + child % 40, 7, Mechanism::fire_and_forget,
                       [&ran, child] { ++ran.at(child).at(block_x()); });
        });
        for (unsigned child = 0; child < 300; ++child)
            for (unsigned block = 0; block < 40; ++block)
                ASSERT_EQ(ran.at(child).at(block), block <= child % 40 ? 7U : 0U)
                    << workers << " workers, grid " << child << ", block " << block;
    }
}

TEST(ExecutorOrder, AnExceptionOfAnyWorkerComesOut)
{
    Executor executor({}, 4);
    for (unsigned run = 0; run < 20; ++run)
        for (const unsigned block : {0U, 40U, 63U})
            EXPECT_THROW(executor.run(64, 64,
                                      [&] {
                                          if (block_x() == block && thread_x() == 63)
                                              throw Began();
                                      }),
                         Began);
}

} // namespace
} // namespace nestbed::cpu
