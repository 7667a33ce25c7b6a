// The workload `mst` on the executor: every form on every graph, in every order.
#include "support/graph_support.hpp"

namespace nestbed
{
namespace
{

using Mst = InFolder;

TEST_F(Mst, IsRightOnEveryGraph)
{
    const auto makes_many = [](const std::string& strategy, const char*, const GraphShape& graph) {
        return Registry::find_anywhere(strategy)->info().requests && graph.elements > 1000 && tries_few();
    };
    expect_right_on(every_graph(), "mst", folder, makes_many);
}

TEST_F(Mst, IsRightInManyOrders)
{
    const auto session = session_of("random:5");
    for (const std::string& strategy : graph_strategies(BackendKind::cpu, "mst"))
        for (unsigned order = 0; order < 8; ++order)
            expect_right(*session, graph_case(strategy, small_graphs()[10], folder), order);
}

TEST_F(Mst, IsRightByEveryMechanismAndDepth)
{
    const auto session = session_of("random:1");
    for (const std::string strategy : {"mst_tail", "mst_children", "mst_components"})
        for (const std::string& depths : some_depths())
            expect_all_right_by_mechanism(
                *session,
                graph_case(strategy, strategy == "mst_tail" ? large_graphs()[1] : small_graphs()[10], folder),
                depths);
}

// The launches below each threshold and for each group are those of the oracle.
TEST_F(Mst, IsRightByEveryThresholdAndGroup)
{
    const auto session = session_of("random:2");
    for (const std::string strategy : {"mst_children", "mst_components"})
        expect_all_right(*session, graph_case(strategy, small_graphs()[10], folder),
                         all_or_few("threshold 0 9 40; aggregate none warp block multiblock:2 grid; coarsen 1 3",
                                    "threshold 9; aggregate none warp block multiblock:2 grid; coarsen 3"));
}

// A limit of one launch refuses all but the first.
TEST_F(Mst, DoesARefusedStepInTheBlockThatPlannedIt)
{
    const auto session = session_of("random:1");
    for (const Mechanism mechanism : {Mechanism::fire_and_forget, Mechanism::null_stream}) {
        Case point = graph_case("mst_tail", large_graphs()[1], folder);
        point.mechanism = mechanism;
        point.pending_limit = 1; // which the first launch takes until all after it are complete
        const Sample sample = session->sample(point, 0);
        ASSERT_EQ(sample.status, Status::ok) << sample.detail;
        EXPECT_GT(sample.launches->attempted, 5U);
        EXPECT_EQ(sample.launches->failed, sample.launches->attempted - 1);
        EXPECT_EQ(sample.requests->replaced, sample.launches->failed);
    }
}

// Weights near the largest: their keys need all 64 bits, and their sum more than 32.
TEST_F(Mst, ComparesLargeWeights)
{
    const auto session = session_of("fifo");
    const GraphShape graph{"large_weights", InputKind("file"), 0, 0,
                           "0 1 4294967294\n1 2 4294967293\n0 2 4294967294\n"};
    for (const std::string& strategy : graph_strategies(BackendKind::cpu, "mst")) {
        const Case point = graph_case(strategy, graph, folder);
        expect_right(*session, point);
        EXPECT_EQ(session->sample(point, 0).answer, "8589934587") << strategy;
    }
}

TEST_F(Mst, NeedsWeights)
{
    const auto session = session_of("fifo");
    const GraphShape graph{"fractions", InputKind("file"), 0, 0,
                           "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 0.5\n"};
    EXPECT_THAT(why_unsupported(*session, graph_case("mst_edges", graph, folder)),
                testing::HasSubstr("the value '0.5' is not a weight"));
}

} // namespace
} // namespace nestbed
