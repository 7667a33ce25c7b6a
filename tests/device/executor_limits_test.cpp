// What a GPU allows a thread and a block, and what the executor itself can hold: more ends the run with an error that names the limit.
#include "device/cpu/executor.hpp"
#include "device/cpu/fiber.hpp"
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
    EXPECT_THAT(
        [&] { use(128 * 1024, 128 * 1024); },
        ThrowsMessage<Fault>("the block's shared memory is 262144 bytes with second (131072 bytes); a block of "
                             "compute capability 9.0 has at most 232448"));
}

} // namespace
} // namespace nestbed::cpu
