// Summaries of kernels: which grids are counted, and their times.
#include "inspect/kernels.hpp"

#include "support/matchers.hpp"

namespace nestbed
{
namespace
{

const Case kNosync{.strategy = "nosync", .elements = 64, .grid = 4, .block = 16};

TEST(KernelCalls, OfATraceAreItsGridsThatWereAccepted)
{
    Trace trace{.point = kNosync};
    trace.grids.push_back({.begun_ns = 1000, .ended_ns = 9000});
    trace.grids.push_back({.parent = 0, .called_ns = 1500, .begun_ns = 2000, .ended_ns = 2500});
    trace.grids.push_back({.parent = 0, .called_ns = 1600, .begun_ns = 3000, .ended_ns = 4500});
    trace.grids.push_back({.parent = 0, .called_ns = 1700}); // its marks did not fit
    trace.grids.push_back({.parent = 0, .called_ns = 1800, .begun_ns = 3100});
    trace.grids.push_back({.parent = 0, .called_ns = 1900, .error = 69, .error_name = "refused"});
    const KernelCalls calls = calls_of(trace);
    EXPECT_EQ(calls.point, kNosync);
    EXPECT_EQ(calls.from_host, 1U);
    EXPECT_EQ(calls.from_device, 4U);
    EXPECT_THAT(calls.times_us, ElementsAre(8, 0.5, 1.5));
}

TEST(KernelCalls, WithoutATreeShareTheTimeOfTheSample)
{
    Sample sample{.wall_us = 30};
    sample.host_launches = 4;
    EXPECT_THAT(calls_of(kNosync, sample).times_us, ElementsAre(7.5, 7.5, 7.5, 7.5));
    sample.gpu_us = 20;
    const KernelCalls calls = calls_of(kNosync, sample);
    EXPECT_EQ(calls.from_host, 4U);
    EXPECT_EQ(calls.from_device, 0U);
    EXPECT_THAT(calls.times_us, ElementsAre(5, 5, 5, 5));
    sample.host_launches = 0;
    EXPECT_THAT(calls_of(kNosync, sample).times_us, IsEmpty());
    sample.host_launches.reset();
    EXPECT_EQ(calls_of(kNosync, sample).from_host, 0U);
    EXPECT_THAT(calls_of(kNosync, {.status = Status::wrong}).times_us, IsEmpty());
}

TEST(KernelsText, HasOneLinePerCase)
{
    Case flat = kNosync;
    flat.strategy = "neighbored";
    const std::string text =
        kernels_text({{.point = kNosync, .from_host = 1, .from_device = 12, .times_us = {1, 2, 6}},
                      {.point = flat, .from_host = 3, .from_device = 0, .times_us = {}}});
    EXPECT_THAT(text,
                AllOf(HasSubstr("grid 4, block 16"), ContainsRegex("from host +from device +average +min +max\n"),
                      ContainsRegex("nosync +1 +12 +3.00 us +1.00 us +6.00 us\n"),
                      ContainsRegex("neighbored +3 +0\n")));
}

} // namespace
} // namespace nestbed
