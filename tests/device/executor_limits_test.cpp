// What a GPU allows a thread and a block, and what the executor itself can hold: more ends the run with an error that names the limit.
#include "device/cpu/executor.hpp"
#include "device/cpu/fiber.hpp"
#include "device/cpu/own_memory.hpp"
#include "support/executor_support.hpp"
#include "support/matchers.hpp"

#include <array>
#include <string>

namespace nestbed::cpu
{
namespace
{

using testing::ThrowsMessage;

// All threads of all levels above the one that runs wait at a barrier, or have not ended.
void nest(unsigned levels, unsigned threads, unsigned& deepest)
{
    ++deepest;
    barrier();
    if (thread_x() == 0 && levels > 1)
        launch(1, threads, Mechanism::null_stream,
               [levels, threads, &deepest] { nest(levels - 1, threads, deepest); });
    barrier();
}

TEST(ExecutorLimits, ManyLevelsOfLargeBlocksUnderEagerNameTheLimitOfStacks)
{
    Executor executor(parse_schedule("eager"), 1);
    unsigned threads = 0;
    EXPECT_THAT(([&] { executor.run(1, 1024, [&] { nest(1000, 1024, threads); }); }),
                ThrowsMessage<Fault>(AllOf(HasSubstr("no more: " + std::to_string(max_stacks()) + " are in use"),
                                           HasSubstr("vm.max_map_count"),
                                           HasSubstr("smaller blocks, fewer levels of recursion"))));
    // What was taken has been given back.
    threads = 0;
    executor.run(1, 1024, [&] { nest(20, 1024, threads); });
    EXPECT_EQ(threads, 20U * 1024);
}

TEST(ExecutorLimits, ThreadsHaveTheLocalMemoryOfAGpu)
{
    constexpr std::size_t kBytes = 512 * 1024; // CUDA guide, "Technical Specifications"
    for (const char* schedule : {"fifo", "eager", "random:1"}) {
        SCOPED_TRACE(schedule);
        std::array<unsigned, 4> sums{};
        Executor(parse_schedule(schedule), 1).run(1, 4, [&] {
            std::array<volatile unsigned char, kBytes> local;
            for (std::size_t at = 0; at < kBytes; at += 1024)
                local[at] = 1;
            barrier();
            for (std::size_t at = 0; at < kBytes; at += 1024)
                sums.at(thread_x()) += local[at];
        });
        EXPECT_THAT(sums, Each(512U));
    }
}

// What cudaDeviceSetLimit(cudaLimitStackSize) asks for: of the threads that begin afterwards. The stacks of the others are given back.
TEST(ExecutorLimits, ThreadsThatBeginAfterwardsHaveMoreStack)
{
    constexpr std::size_t kMore = 4UL << 20U;
    constexpr std::size_t kDefaultStack = 2UL << 20U; // no stack has as much without it
    const char* last = nullptr;
    const std::size_t runs = max_stacks() / 1024 + 2;
    {
        Executor executor({}, 1);
        for (std::size_t run = 0; run < runs; ++run) {
            const std::size_t more = run % 2 == 0 ? kMore : 0;
            set_more_stack_bytes(more);
            unsigned right = 0;
            executor.run(1, 1024, [&] {
                const char here = 0;
                last = &here;
                barrier();
                right += is_on_stack_of_thread(&here) && current_carrier()->has_on_stack(&here - more) ? 1 : 0;
                right += current_carrier()->has_on_stack(&here - more - kDefaultStack) ? 0 : 1;
            });
            EXPECT_EQ(right, 2U * 1024) << run;
        }
    }
    EXPECT_FALSE(is_on_stack_of_thread(last));
    set_more_stack_bytes(0);
}

TEST(ExecutorLimits, ABlockHasTheSharedMemoryOfAGpu)
{
    static const std::array<char, 2> keys{};
    const auto use = [](std::size_t first, std::size_t second) {
        Executor(parse_schedule("fifo"), 1).run(1, 2, [=] {
            shared_memory(&keys[0], first, 4, "first");
            shared_memory(&keys[1], second, 4, "second");
        });
    };
    constexpr std::size_t kMax = 227 * 1024; // of a block of compute capability 9.0
    EXPECT_NO_THROW(use(kMax - 4, 4));
    EXPECT_THROW(use(kMax - 4, 8), Fault);
    EXPECT_THAT(
        [&] { use(128 * 1024, 128 * 1024); },
        ThrowsMessage<Fault>("the block's shared memory is 262144 bytes with second (131072 bytes); a block of "
                             "compute capability 9.0 has at most 232448"));
}

} // namespace
} // namespace nestbed::cpu
