// The workload `sort` on the executor: every form on every input, with and without values.
#include "support/forms_support.hpp"
#include "support/plan_support.hpp"

#include <array>
#include <string>

namespace nestbed
{
namespace
{

constexpr std::array kSortForms{"quick_kway", "quick_binary", "quick_simple", "quick_sample", "sort_levels"};

Case keys(const std::string& strategy, std::uint64_t elements, InputKind input = InputKind("uniform"))
{
    Case point = case_of(BackendKind::cpu, strategy, {"", 1, 64, elements});
    point.input = input;
    if (point["grain"] != 0)
        point["grain"] = 40;
    return point;
}

TEST(SortForms, SortEveryInputOfEveryType)
{
    for (const char* schedule : every_schedule()) {
        SCOPED_TRACE(schedule);
        const auto session = session_of(schedule);
        for (const char* strategy : kSortForms)
            for (const InputKind input : Registry::find_anywhere(strategy)->info().workload->inputs)
                expect_all_right(
                    *session, keys(strategy, 1000, input),
                    all_or_few<std::string>("type int32 float32; values none uint32", "type float32; values uint32"));
    }
}

TEST(SortForms, SortTheSmallestInputs)
{
    const auto session = session_of("random:1");
    for (const char* strategy : kSortForms)
        expect_all_right(*session, keys(strategy, 1),
                         "elements 1 2 3 8 9 63 64 65; input uniform equal few; grain 1 8 512");
}

TEST(SortForms, SortAtEveryDepth)
{
    const auto session = session_of("random:1");
    for (const char* strategy : {"quick_kway", "quick_binary", "quick_simple", "quick_sample"})
        expect_all_right(*session, keys(strategy, 700),
                         "input uniform equal; depth 0 1 2 3 7 40; values none uint32");
}

TEST(SortForms, SortByEveryFanoutAndGrain)
{
    const auto session = session_of("random:1");
    for (const char* strategy : {"quick_kway", "sort_levels"})
        expect_all_right(*session, keys(strategy, all_or_few(3000, 1000), InputKind("zipf")),
                         all_or_few<std::string>("fanout 2 3 16 64; grain 3 64 500", "fanout 3 16; grain 3 64"));
}

TEST(SortForms, OfManyBlocksPerPartAreRight)
{
    const auto session = session_of("random:3");
    for (const char* strategy : kSortForms)
        expect_all_right(*session, keys(strategy, 20000), "grain 512; fanout 32; coarsen 1 3");
}

TEST(SortForms, SayWhatTheyDoNotSupport)
{
    const auto session = session_of("fifo");
    const auto why = [&](const Case& point) { return why_unsupported(*session, point); };
    Case point = keys("quick_kway", 1000);
    point["grain"] = 513;
    EXPECT_THAT(why(point), HasSubstr("a block of 64 threads sorts at most 512 keys, not a grain of 513"));
    point["grain"] = 512;
    point["fanout"] = 128;
    EXPECT_THAT(why(point), HasSubstr("a block of 64 threads cannot request 128 parts"));
    point["fanout"] = 16;
    point.aggregate = Aggregate::multiblock_4;
    EXPECT_THAT(why(point), HasSubstr("allowed for aggregate: none, warp, block, grid"));
    point = keys("quick_binary", 1000);
    point.block = 1024;
    point["grain"] = 4097;
    const Sample supported = session->sample(point, 0);
    EXPECT_EQ(supported.status, Status::ok);
    EXPECT_EQ(supported.answer, "1000");
    point["values"] = 1; // uint32
    EXPECT_THAT(why(point), HasSubstr("at most 4096 keys with values, not a grain of 4097"));
    point = keys("quick_kway", 1000);
    point.elements = (std::uint64_t{1} << 30) + 1;
    EXPECT_THAT(why(point), HasSubstr("1073741825 keys are too many; allowed: at most 1073741824"));
}

// A leaf as long as a block can sort, and one key less. The keys `uniform` are distributed into buckets; those of `few`
// and `zipf` have the same bucket, so a network sorts them.
TEST(SortForms, SortTheLongestLeaves)
{
    const auto session = session_of("fifo");
    Case point = keys("quick_kway", 1);
    point.block = 1024;
    point["grain"] = 8192;
    const std::string kinds = "input uniform sorted few zipf; type int32 float32; ";
    expect_all_right(*session, point, kinds + "elements 8192 8191 4097");
    point.block = 512;
    point["grain"] = 4096;
    point["values"] = 1; // uint32
    expect_all_right(*session, point, kinds + "elements 4096 4095");
}

// Leaves with one value per bucket (ranges of at most as many values as keys), also at both ends of the range of ranks.
TEST(SortForms, SortLeavesOfFewValues)
{
    const auto session = session_of("random:1");
    for (const char* strategy : {"quick_kway", "quick_binary", "quick_sample", "sort_levels"})
        expect_all_right(*session, keys(strategy, all_or_few(5000, 2000)),
                         "input zipf few uniform; values none uint32; " +
                             all_or_few<std::string>("grain 100 500", "grain 100"));
}

TEST(SortPlan, HasTheUsualFanoutAndGrainOfTheWorkload)
{
    const Plan plan = plan_of("--strategy quick_kway,quick_simple,mandelbrot_split --backend cpu");
    for (const Case& point : cases_of(plan)) {
        const bool image = point.strategy == "mandelbrot_split";
        EXPECT_EQ(point["fanout"], image ? 2U : point.strategy == "quick_kway" ? 256U : 0U);
        EXPECT_EQ(point["grain"], image ? 32U : 2048U);
        EXPECT_EQ(point["values"], 0U); // none
    }
}

} // namespace
} // namespace nestbed
