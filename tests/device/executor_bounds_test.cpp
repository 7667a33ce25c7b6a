// Accesses outside of what a context has allocated are errors of the run, and the next run goes on.

#include "support/effort.hpp"
#include "support/matchers.hpp"

#include <csignal>
#include <functional>
#include <string>
#include <unistd.h>

#include "device/cpu/context.hpp" // last, because it defines CUDA's keywords

namespace nestbed::cpu
{
namespace
{

// A bound that was forgotten.
__global__ void write_each(unsigned* numbers, int first)
{
    numbers[first + static_cast<int>(threadIdx.x)] = 7;
}
__global__ void write_far_in_one(unsigned* numbers, uint3 block, uint3 thread)
{
    if (blockIdx.x == block.x && blockIdx.y == block.y && blockIdx.z == block.z && threadIdx.x == thread.x &&
        threadIdx.y == thread.y && threadIdx.z == thread.z)
        numbers[100] = 7;
}
__global__ void read_into(const unsigned* numbers, int index, unsigned* into)
{
    *into = numbers[index];
}

class Bounds : public testing::Test
{
  protected:
    std::string fault_of(const std::function<void()>& work)
    {
        try {
            context.time(1, work);
        } catch (const Fault& fault) {
            return fault.what();
        }
        return "no fault";
    }

    Context context{{.workers = 1}};
    Buffer<unsigned> answer = context.allocate<unsigned>(8, "answer");
    Buffer<unsigned> other = context.allocate<unsigned>(3);
};

TEST_F(Bounds, AKernelThatStaysInsideHasNoFault)
{
    EXPECT_EQ(fault_of([&] { host_launch<write_each>(context, 0, {1, 8}, answer.data(), 0); }), "no fault");
}

TEST(Context, HasTheFactsOfTheSystemAndItsOwnLimits)
{
    const auto facts = Context({.workers = 2}).facts();
    EXPECT_THAT(facts.name, AllOf(Not(HasSubstr(":")), Not(HasSubstr("\t")), Not(IsEmpty())));
    EXPECT_EQ(facts.memory_bytes, std::uint64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE));
    EXPECT_THAT(facts.free_memory_bytes,
                AllOf(testing::Ge(facts.memory_bytes / 1000), testing::Le(facts.memory_bytes)));
    EXPECT_EQ(facts.multiprocessors, 2U);
    EXPECT_EQ(facts.max_threads_per_block, 1024U);
    EXPECT_EQ(facts.default_pending_limit, 2048U);
    EXPECT_TRUE(facts.raising_limit_is_free);
}

TEST_F(Bounds, AWriteBehindAnAllocationIsAFaultThatNamesItAndTheThread)
{
    EXPECT_EQ(fault_of([&] {
                  host_launch<write_each>(context, 0, {1, 10}, answer.data(), 0);
              }),
              "thread (8,0,0) of block (0,0,0) accessed byte 32 of 'answer', which has 32 bytes: an index is out of "
              "bounds; `nestbed races` of this case says where");
    EXPECT_EQ(answer.data()[7], 7U);
    EXPECT_NO_THROW(context.time(1, [&] { host_launch<write_each>(context, 0, {1, 8}, answer.data(), 0); }));
    EXPECT_THAT(fault_of([&] {
                    host_launch<write_each>(context, 0, {1, 10}, answer.data(), 0);
                }),
                testing::HasSubstr("accessed byte 32")); // again
}

TEST_F(Bounds, AReadFarOutsideAndTheHostsAreFaultsToo)
{
    EXPECT_THAT(fault_of([&] {
                    host_launch<read_into>(context, 0, {1, 1}, answer.data(), -100000, other.data());
                }),
                testing::HasSubstr("thread (0,0,0) of block (0,0,0) accessed byte -400000 of 'answer'"));
    EXPECT_THAT(fault_of([&] { *const_cast<volatile unsigned*>(answer.data() + 1000) = 1; }),
                testing::StartsWith("the host accessed byte 4000 of 'answer', which has 32 bytes"));
}

// Nobody has asked before: with the memory the access is forgotten, and that to other memory is not.
TEST_F(Bounds, AnAccessOutsideIsKnownUntilItsMemoryIsReleased)
{
    const auto write_in = [](const Buffer<unsigned>& memory) {
        const_cast<volatile unsigned*>(memory.data())[1000] = 1;
    };
    write_in(context.allocate<unsigned>(8));
    EXPECT_EQ(fault_of([] {}), "no fault");
    write_in(answer);
    context.allocate<unsigned>(8);
    EXPECT_THAT(fault_of([] {}), testing::StartsWith("the host accessed byte 4000 of 'answer'"));
}

TEST_F(Bounds, AnAccessToNoMemoryEndsTheProgram)
{
    if (is_sanitized())
        GTEST_SKIP() << "the sanitizer ends the program in its own way";
    for (const std::uintptr_t address : {std::uintptr_t{16}, ~std::uintptr_t{0} - 4095})
        EXPECT_EXIT(*reinterpret_cast<volatile unsigned*>(address) = 1, testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(Bounds, AFaultNamesAllCoordinatesOfTheThreadAndItsBlock)
{
    EXPECT_THAT(fault_of([&] {
                    host_launch<write_far_in_one>(context, 0, {dim3(2, 3, 4), dim3(5, 6, 7)}, answer.data(),
                                                  uint3{1, 2, 3}, uint3{4, 5, 6});
                }),
                testing::StartsWith("thread (4,5,6) of block (1,2,3) accessed byte 400 of 'answer'"));
}

TEST_F(Bounds, AWriteBetweenAnAllocationAndItsGuardIsAFault)
{
    EXPECT_THAT(fault_of([&] {
                    host_launch<write_each>(context, 0, {1, 4}, other.data(), 0);
                }),
                testing::StartsWith("a kernel or the host wrote just behind an allocation of 12 bytes: an index"));
    EXPECT_THAT(fault_of([&] {
                    host_launch<write_each>(context, 0, {1, 1}, answer.data(), -1);
                }),
                testing::StartsWith("a kernel or the host wrote just before 'answer', which has 32 bytes: an index"));
    EXPECT_NO_THROW(context.time(1, [] {}));
}

TEST_F(Bounds, AFaultOfTheRunThatFollowsFromABadIndexIsThatOfTheIndex)
{
    EXPECT_THAT(fault_of([&] {
                    host_launch<write_each>(context, 0, {1, 9}, answer.data(), 0);
                    throw Fault("there is no such kernel");
                }),
                testing::StartsWith("thread (8,0,0)"));
    EXPECT_EQ(fault_of([&] { throw Fault("there is no such kernel"); }), "there is no such kernel");
}

TEST_F(Bounds, MemoryBeginsWhereVectorLoadsMayAndMayBeEmpty)
{
    for (const std::size_t count : {1U, 3U, 4U, 1023U, 1024U, 1025U})
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(context.allocate<unsigned>(count).data()) % 16, 0U) << count;
    EXPECT_NO_THROW(context.allocate<unsigned>(0));
    EXPECT_THROW(context.allocate<unsigned>(std::size_t{1} << 60U), RunError);
}

} // namespace
} // namespace nestbed::cpu
