// The workload `triangles` on the executor: every form on every graph, in every order.
#include "support/graph_support.hpp"

#include <string>
#include <vector>

namespace nestbed
{
namespace
{

using Triangles = InFolder;

const std::vector<GraphShape>& dense_graphs()
{
    static const std::vector<GraphShape> graphs{
        {"dense_rmat", InputKind("rmat"), 128, 16},
        {"dense_uniform", InputKind("uniform"), 40, 30},
        {"dense_zipf", InputKind("zipf"), 200, 12},
    };
    return graphs;
}

// `hubs` vertices, each of which is joined to `leaves` others, and then what `more` says of vertices after them.
std::string joined(std::uint32_t hubs, std::uint32_t leaves, const std::string& more)
{
    std::string text;
    for (std::uint32_t hub = 0; hub < hubs; ++hub)
        for (std::uint32_t leaf = hubs; leaf < hubs + leaves; ++leaf)
            text += std::to_string(hub) + " " + std::to_string(leaf) + "\n";
    return text + more;
}

TEST_F(Triangles, AreRightOnEveryGraph)
{
    const auto none = [](const std::string&, const char*, const GraphShape&) { return false; };
    for (const auto& graphs : {small_graphs(), dense_graphs()})
        expect_right_on(graphs, "triangles", folder, none);
}

TEST_F(Triangles, AreRightByEveryMechanismAndBlock)
{
    const auto session = session_of("random:1");
    for (const std::string& strategy : graph_strategies(BackendKind::cpu, "triangles")) {
        Case point = graph_case(strategy, dense_graphs()[0], folder);
        point.threshold = 4;
        expect_all_right_by_mechanism(*session, point, all_or_few<std::string>("block 32 256", "block 256"));
    }
}

TEST_F(Triangles, AreRightByEveryThresholdCoarseningAndAggregation)
{
    const auto session = session_of("random:2");
    for (const std::string strategy : {"triangles_children", "triangles_edges"})
        expect_all_right(*session, graph_case(strategy, dense_graphs()[0], folder),
                         all_or_few<std::string>("threshold 0 8 1000; coarsen 1 3", "threshold 8; coarsen 3") +
                             "; aggregate none warp block multiblock:2 grid; depth 0 1");
}

TEST_F(Triangles, AreRightWhereLaunchesAreRefused)
{
    const auto session = session_of("fifo");
    for (const std::string strategy : {"triangles_children", "triangles_edges"})
        for (const Overflow overflow : {Overflow::inline_run, Overflow::spill}) {
            Case point = graph_case(strategy, dense_graphs()[1], folder);
            point.overflow = overflow;
            point.pending_limit = 3;
            const Sample sample = session->sample(point, 0);
            ASSERT_EQ(sample.status, Status::ok) << strategy << ": " << sample.detail;
            EXPECT_GT(sample.requests->replaced, 0U) << strategy;
        }
}

// The vertices of the clique have fewer edges than 65,540 others, and so numbers for which there are no bits.
TEST_F(Triangles, AreRightBeyondTheVerticesThatHaveBits)
{
    const auto session = session_of("fifo");
    std::string clique;
    for (int one = 70000; one < 70004; ++one)
        for (int other = 70000; other < one; ++other)
            clique += std::to_string(one) + " " + std::to_string(other) + "\n";
    const std::string text = joined(4, 65536, clique);
    for (const std::string& strategy : graph_strategies(BackendKind::cpu, "triangles")) {
        const Case point = graph_case(strategy, {"many", InputKind("file"), 0, 0, text.c_str()}, folder);
        const Sample sample = session->sample(point, 0);
        ASSERT_EQ(sample.status, Status::ok) << strategy << ": " << sample.detail;
        EXPECT_EQ(sample.answer, "4") << strategy;
    }
}

// A leaf is joined to 16 others: each hub closes a triangle with each of them. It leads to more hubs than the table takes at once.
TEST_F(Triangles, AreRightWhereTheHashTableTakesAPart)
{
    const auto session = session_of("fifo");
    std::string more;
    for (int leaf = 1101; leaf <= 1116; ++leaf)
        more += "1100 " + std::to_string(leaf) + "\n";
    const std::string text = joined(1100, 1117, more);
    for (const std::string strategy : {"triangles_hash", "triangles_bitmap", "triangles_children"}) {
        const Case point = graph_case(strategy, {"hubs", InputKind("file"), 0, 0, text.c_str()}, folder);
        const Sample sample = session->sample(point, 0);
        ASSERT_EQ(sample.status, Status::ok) << strategy << ": " << sample.detail;
        EXPECT_EQ(sample.answer, std::to_string(1100 * 16)) << strategy;
    }
}

TEST_F(Triangles, SayWhatIsWrongWithAFile)
{
    const auto session = session_of("fifo");
    Case point = graph_case("triangles_merge", {"bad", InputKind("file"), 0, 0, "0 1\n"}, folder);
    const std::string path = path_in(graph_file_of(point));
    folder.write("bad.txt", "0 1\n1 x\n");
    set_graph_file(point, graph_file_id(path));
    EXPECT_THAT(why_unsupported(*session, point),
                HasSubstr(path + ":2: 'x' is not a vertex; allowed: 0 to 4294967294"));
    point.input = InputKind("uniform");
    point.elements = std::uint64_t{1} << 30;
    point["edge-factor"] = 4;
    EXPECT_THAT(session->sample(point, 0).detail, HasSubstr("fewer than 4294967295 edges"));
}

} // namespace
} // namespace nestbed
