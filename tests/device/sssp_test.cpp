// The workload `sssp` on the executor: every form on every graph, in every order.
#include "support/graph_support.hpp"

#include <fmt/format.h>

namespace nestbed
{
namespace
{

using Sssp = InFolder;

TEST_F(Sssp, IsRightOnEveryGraph)
{
    expect_right_on(every_graph(), "sssp", folder, takes_long);
}

TEST_F(Sssp, IsRightByEveryDelta)
{
    Combinations combinations(2);
    for (const char* schedule : all_or_few(std::vector{"fifo", "random:1"}, {"fifo"})) {
        const auto session = session_of(schedule);
        for (const std::string strategy : {"sssp_near_far", "sssp_balanced"})
            for (const std::uint32_t delta :
                 all_or_few(std::vector{1U, 7U, 100U, 100000U, UINT32_MAX}, {7U, UINT32_MAX}))
                for (const std::size_t graph : all_or_few(std::vector{0U, 2U, 5U}, {2U})) {
                    if (!combinations.takes())
                        continue;
                    SCOPED_TRACE(strategy + " " + std::to_string(delta));
                    Case point = graph_case(strategy, large_graphs()[graph], folder);
                    point["bucket-width"] = delta;
                    expect_right(*session, point);
                }
    }
}

TEST_F(Sssp, IsRightInManyOrders)
{
    const auto session = session_of("random:5");
    for (const std::string& strategy : graph_strategies(BackendKind::cpu, "sssp"))
        for (unsigned order = 0; order < 8; ++order)
            expect_right(*session, graph_case(strategy, small_graphs()[10], folder), order);
}

TEST_F(Sssp, IsRightByEveryMechanismAndDepth)
{
    const auto session = session_of("random:1");
    for (const std::string strategy :
         {"sssp_tail", "sssp_near_far", "sssp_children", "sssp_queue_children", "sssp_recursive"})
        for (const std::string& depths : some_depths())
            expect_all_right_by_mechanism(*session, graph_case(strategy, large_graphs()[3], folder), depths);
}

// A block does itself what was refused. How many launches there are depends on the order.
TEST_F(Sssp, DoesARefusedStepInTheBlockThatPlannedIt)
{
    for (const char* schedule : all_or_few(std::vector{"fifo", "random:1"}, {"fifo"})) {
        const auto session = session_of(schedule);
        for (const std::string strategy : {"sssp_tail", "sssp_near_far"})
            for (const Mechanism mechanism : {Mechanism::fire_and_forget, Mechanism::null_stream}) {
                Case point = graph_case(strategy, large_graphs()[0], folder);
                point.mechanism = mechanism;
                point["bucket-width"] = strategy == "sssp_tail" ? 0 : 64;
                point.pending_limit = 1; // which the first launch takes until all after it are complete
                const Sample sample = session->sample(point, 0);
                ASSERT_EQ(sample.status, Status::ok) << strategy << ": " << sample.detail;
                EXPECT_GT(sample.launches->attempted, 1U);
                EXPECT_EQ(sample.launches->failed, sample.launches->attempted - 1);
                EXPECT_EQ(sample.requests->replaced, sample.launches->failed);
                EXPECT_EQ(sample.launches->attempted_by_depth,
                          std::vector<std::uint64_t>(sample.launches->attempted, 1));
            }
    }
}

// 2047 vertices of one level, each of which shortens the paths to the same four: a small level reaches more than the graph has vertices.
TEST_F(Sssp, IsRightWhereEachEdgeOfALevelShortensAPath)
{
    std::string text;
    for (unsigned vertex = 1; vertex <= 2047; ++vertex) {
        text += fmt::format("0 {} {}\n", vertex, 5000 - vertex);
        for (unsigned end = 2048; end <= 2051; ++end)
            text += fmt::format("{} {} 1\n", vertex, end);
    }
    const GraphShape graph{"fan", InputKind("file"), 0, 0, text.c_str()};
    const auto session = session_of("fifo");
    for (const std::string strategy : {"sssp_tail", "sssp_near_far", "sssp_balanced"}) {
        Case point = graph_case(strategy, graph, folder);
        point.block = 256;
        expect_right(*session, point);
    }
}

// Distances near the largest, and paths that are longer.
TEST_F(Sssp, IsRightWhereOtherPathsAreTooLong)
{
    const auto session = session_of("random:1");
    const GraphShape graph{
        "half", InputKind("file"), 0, 0,
        "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 2147483648\n3 2 2147483646\n"};
    for (const std::string& strategy : graph_strategies(BackendKind::cpu, "sssp"))
        expect_right(*session, graph_case(strategy, graph, folder));
}

// Fewer edges are looked at if near vertices come first.
TEST_F(Sssp, LooksAtFewerEdgesWithANarrowRange)
{
    const auto session = session_of("fifo");
    Case point = graph_case("sssp_near_far", large_graphs()[5], folder);
    point["bucket-width"] = UINT32_MAX;
    const Sample wide = session->sample(point, 0);
    point["bucket-width"] = 50;
    EXPECT_LT(session->sample(point, 0).work, wide.work);
}

} // namespace
} // namespace nestbed
