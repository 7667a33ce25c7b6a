// Dynamic shared memory on the executor: the launch asks for it, by the rules of a GPU.
#include "device/language.hpp"
#include "support/matchers.hpp"

#include <array>
#include <span>
#include <string>

namespace nestbed
{
namespace
{

using testing::ThrowsMessage;

constexpr unsigned kLarge = 200 * 1024;
constexpr unsigned kDefault = 48 * 1024;

// Each thread writes a part, and reads that of the thread opposite.
__global__ void reverse(unsigned* out, unsigned count)
{
    DYNAMIC_SHARED(unsigned, words);
    for (unsigned index = threadIdx.x; index < count; index += blockDim.x)
        words[index] = blockIdx.x + index;
    __syncthreads();
    for (unsigned index = threadIdx.x; index < count; index += blockDim.x)
        out[blockIdx.x * count + index] = words[count - 1 - index];
}

// Of its own, because what a kernel may have lasts as long as the program.
__global__ void never_allowed(unsigned* out, unsigned count)
{
    reverse(out, count);
}

__global__ void parent(unsigned* out, unsigned count, int* errors)
{
    const LaunchShape large{2, 32, count * 4};
    errors[0] = device_launch<reverse, Mechanism::tail>(large, out, count);
    errors[1] = device_launch<never_allowed, Mechanism::tail>(large, out, count);
}

Context context_of(const std::string& schedule)
{
    return Context({.schedule = schedule, .workers = 1});
}

TEST(ExecutorDynamicShared, HasAsManyBytesAsTheLaunchAsksForOfHostOrKernel)
{
    for (const char* schedule : {"fifo", "eager", "random:1"}) {
        SCOPED_TRACE(schedule);
        Context context = context_of(schedule);
        constexpr unsigned kWords = kLarge / 4;
        Buffer<unsigned> out = context.allocate<unsigned>(2 * kWords);
        Buffer<int> errors = context.allocate<int>(2);
        context.allow_shared<reverse>(kLarge);
        const auto check = [&] {
            std::vector<unsigned> words(out.size());
            context.download(std::span(words), out);
            EXPECT_EQ(words.front(), kWords - 1);
            EXPECT_EQ(words.back(), 1U);
            context.fill_bytes(out, 0, out.size());
        };
        host_launch<reverse>(context, {2, 64, kLarge}, out.data(), kWords);
        check();
        host_launch<parent>(context, {1, 1}, out.data(), kWords, errors.data());
        check();
        std::array<int, 2> seen{};
        context.download(std::span<int>(seen), errors);
        EXPECT_EQ(seen[0], 0);
        EXPECT_EQ(Context::error_name(seen[1]), "cudaErrorInvalidConfiguration");
    }
}

TEST(ExecutorDynamicShared, OfMoreThan48KBMustBeAllowed)
{
    Context context = context_of("fifo");
    Buffer<unsigned> out = context.allocate<unsigned>(kLarge / 4);
    host_launch<never_allowed>(context, {1, 32, kDefault}, out.data(), kDefault / 4);
    EXPECT_THAT(
        ([&] {
            host_launch<never_allowed>(context, {1, 32, kDefault + 4}, out.data(), kDefault / 4);
        }),
        ThrowsMessage<DeviceFault>(HasSubstr("49156 bytes of dynamic shared memory; allowed: at most 49152")));
    EXPECT_THAT(([&] { context.allow_shared<never_allowed>(227 * 1024 + 1); }),
                ThrowsMessage<RunError>(HasSubstr("allowed: at most 232448")));
}

TEST(ExecutorDynamicShared, OfALaunchThatAsksForNoneIsAnError)
{
    Context context = context_of("fifo");
    Buffer<unsigned> out = context.allocate<unsigned>(64);
    host_launch<reverse>(context, {1, 32, 256}, out.data(), 64U);
    EXPECT_THAT(([&] {
                    host_launch<reverse>(context, {1, 32}, out.data(), 64U);
                }),
                ThrowsMessage<DeviceFault>(HasSubstr("its launch asked for none")));
}

} // namespace
} // namespace nestbed
