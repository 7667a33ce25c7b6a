// The minimum spanning forest of a graph, and the launches that its rounds must lead to.
#include "graphs/graph_file.hpp"
#include "graphs/graph_input.hpp"
#include "support/support.hpp"
#include "workloads/mst/mst_count.hpp"
#include "workloads/mst/mst_step.hpp"

#include <numeric>

namespace nestbed
{
namespace
{

using testing::ElementsAre;

// The forest of a list of edges "FROM TO WEIGHT".
MstGraph of_list(const std::string& text)
{
    return mst_graph(parse_graph(text, "edges.txt", 1));
}

MstGraph drawn_mst(InputKind input, std::uint64_t vertices, std::uint32_t edge_factor = 8)
{
    Case point;
    point.input = input;
    point.elements = vertices;
    point["edge-factor"] = edge_factor;
    point.seed = 3;
    return mst_graph(make_graph(point));
}

std::vector<std::uint32_t> all_edges(const MstGraph& graph)
{
    std::vector<std::uint32_t> edges(graph.edges());
    std::iota(edges.begin(), edges.end(), 0U);
    return edges;
}

// The least weight of a forest with as many trees, by trying all sets of edges: for at most 20 edges.
std::uint64_t min_weight(const MstGraph& graph)
{
    std::uint64_t least = UINT64_MAX;
    int max_edges = -1;
    for (std::uint32_t set = 0; set < 1U << graph.edges(); ++set) {
        std::vector<std::uint32_t> tree(graph.vertices);
        std::iota(tree.begin(), tree.end(), 0U);
        std::uint64_t weight = 0;
        bool cycle = false;
        for (std::uint32_t edge = 0; edge < graph.edges(); ++edge) {
            if ((set >> edge & 1) == 0)
                continue;
            const std::uint32_t from = tree[graph.from[edge]];
            const std::uint32_t to = tree[graph.to[edge]];
            cycle = cycle || from == to;
            std::ranges::replace(tree, from, to);
            weight += graph.weights[edge];
        }
        const int edges = __builtin_popcount(set);
        if (cycle || edges < max_edges)
            continue;
        least = edges > max_edges ? weight : std::min(least, weight);
        max_edges = edges;
    }
    return least;
}

TEST(MstGraph, CountsAnEdgeOfBothDirectionsOnceAndLeavesLoopsOut)
{
    const MstGraph graph = mst_graph(graph_of(4, {{0, 1, 5}, {2, 1, 6}, {2, 2, 1}, {1, 0, 7}}, true));
    EXPECT_THAT(graph.from, ElementsAre(0, 0, 1)); // parallel edges stay
    EXPECT_THAT(graph.to, ElementsAre(1, 1, 2));
    EXPECT_THAT(graph.weights, ElementsAre(5, 7, 6));
    const MstHalves halves = halves_of(graph);
    EXPECT_THAT(halves.starts, ElementsAre(0, 2, 5, 6, 6));
    EXPECT_THAT(halves.edges, ElementsAre(MstEdge{0, 1, 5, 0}, MstEdge{0, 1, 7, 1}, MstEdge{1, 0, 5, 0},
                                          MstEdge{1, 0, 7, 1}, MstEdge{1, 2, 6, 2}, MstEdge{2, 1, 6, 2}));
}

TEST(MstGraph, TakesAnEdgeOfOneDirectionAsAnEdge)
{
    const MstGraph graph = of_list("3 0 9\n0 3 8\n1 1 2\n2 0 4\n");
    EXPECT_THAT(graph.from, ElementsAre(0, 2, 3));
    EXPECT_THAT(graph.to, ElementsAre(3, 0, 0));
    EXPECT_THAT(graph.weights, ElementsAre(8, 4, 9));
}

TEST(MinimumForest, IsThatOfKnownGraphs)
{
    // A square with one diagonal. Numbers go by vertex: 0-1, 0-3, 0-2, 1-2, 2-3.
    EXPECT_THAT(minimum_forest(of_list("0 1 1\n1 2 4\n2 3 2\n0 3 5\n0 2 3\n")), ElementsAre(1, 0, 1, 0, 1));
    // Of equal weights the edges with the lower numbers.
    EXPECT_THAT(minimum_forest(of_list("0 1 7\n0 2 7\n1 2 7\n")), ElementsAre(1, 1, 0));
    // The lightest of parallel edges; of equal ones the first.
    EXPECT_THAT(minimum_forest(of_list("0 1 9\n0 1 3\n0 1 3\n")), ElementsAre(0, 1, 0));
    // Two components, and a vertex without edges.
    const MstGraph graph = of_list("0 1 2\n1 2 2\n2 0 1\n5 6 8\n");
    EXPECT_THAT(minimum_forest(graph), ElementsAre(1, 0, 1, 1));
    EXPECT_EQ(weight_of_forest(graph, minimum_forest(graph)), 11U);
    EXPECT_THAT(minimum_forest(of_list("1 1 1\n")), ElementsAre());
}

TEST(MinimumForest, HasTheLeastWeightOfAllForests)
{
    for (std::uint32_t seed = 1; seed < 40; ++seed) {
        std::vector<Edge> edges;
        for (std::uint32_t edge = 0; edge < 9; ++edge)
            edges.push_back({weight_of(seed, 3 * edge) % 6, weight_of(seed, 3 * edge + 1) % 6,
                             1 + weight_of(seed, 3 * edge + 2) % 5});
        const MstGraph graph = mst_graph(graph_of(6, edges, seed % 2 == 0));
        EXPECT_EQ(weight_of_forest(graph, minimum_forest(graph)), min_weight(graph)) << seed;
    }
}

TEST(BoruvkaRounds, FindTheForestOfKruskal)
{
    for (const InputKind input : {GraphInput::uniform, GraphInput::rmat, GraphInput::zipf, GraphInput::path,
                                  GraphInput::star, GraphInput::grid2d}) {
        SCOPED_TRACE(input.name());
        const MstGraph graph = drawn_mst(input, 900);
        BoruvkaRounds forest(graph);
        std::vector<std::uint32_t> live = all_edges(graph);
        for (unsigned round = 0; !live.empty(); ++round) {
            ASSERT_LT(round, 10U); // at least half of the components vanish in each
            forest.join(live);
            forest.drop_inner(live);
        }
        EXPECT_EQ(forest.chosen(), minimum_forest(graph));
    }
}

// A path of five vertices: 0 and 1 choose each other, and so do 3 and 4; 2 goes to 3.
TEST(MstRounds, KeepTheSmallerNumberOfTwoThatChooseEachOther)
{
    const MstGraph path = of_list("0 1 1\n1 2 5\n2 3 4\n3 4 2\n");
    EXPECT_THAT(mst_rounds(path, MstForm::components),
                ElementsAre(ElementsAre(MstItem{0, 1}, MstItem{1, 2}, MstItem{2, 2}, MstItem{3, 2}, MstItem{4, 1}),
                            ElementsAre(MstItem{0, 1}, MstItem{3, 1})));
    // A vertex learns in a round whether the next one looks at it: all of them twice.
    const auto all = ElementsAre(MstItem{0, 1}, MstItem{1, 2}, MstItem{2, 2}, MstItem{3, 2}, MstItem{4, 1});
    EXPECT_THAT(mst_rounds(path, MstForm::vertices),
                ElementsAre(all, all, ElementsAre(MstItem{1, 2}, MstItem{2, 2})));
    EXPECT_THAT(mst_rounds(of_list("2 2 1\n"), MstForm::vertices), ElementsAre());
}

TEST(MstRounds, LaunchForVerticesAndComponentsAboveTheThreshold)
{
    const MstGraph path = of_list("0 1 1\n1 2 5\n2 3 4\n3 4 2\n");
    Case point;
    point.block = 32;
    point.coarsen = 1;
    point.threshold = 2;
    point.aggregate = Aggregate::none;
    const auto counted = [&](MstForm form) { return count_mst_rounds(point, path.vertices, mst_rounds(path, form)); };
    EXPECT_THAT(counted(MstForm::vertices).launches.by_depth, ElementsAre(8));
    EXPECT_EQ(counted(MstForm::vertices).counts.items, 12U);
    EXPECT_THAT(counted(MstForm::components).launches.by_depth, ElementsAre(3));
    EXPECT_EQ(counted(MstForm::components).counts.items, 7U);
    point.aggregate = Aggregate::grid;
    EXPECT_THAT(counted(MstForm::vertices).launches.by_depth, ElementsAre(3));
    EXPECT_THAT(counted(MstForm::components).launches.by_depth, ElementsAre(1));
    point.depth = 0;
    EXPECT_THAT(counted(MstForm::vertices).launches.by_depth, ElementsAre());
}

TEST(MstSteps, OfFewEdgesAreThoseOfTheWholeList)
{
    const MstGraph path = of_list("0 1 1\n1 2 5\n2 3 4\n3 4 2\n");
    EXPECT_EQ(light_weight(path), UINT32_MAX);
    // light; hook and least of 4 edges; hook and least of the one that is left
    EXPECT_THAT(mst_steps(path), ElementsAre(4, 4, 4, 1, 1));
    EXPECT_THAT(mst_steps(of_list("2 2 1\n")), ElementsAre(0));
}

TEST(MstSteps, TakeLightEdgesFirst)
{
    const MstGraph graph = drawn_mst(GraphInput::rmat, 1024, 16);
    const std::uint32_t light = light_weight(graph);
    EXPECT_GT(light, 20U);
    EXPECT_LT(light, 80U); // 3 of 16 edges per vertex, of weights to 255
    const std::vector<std::uint32_t> steps = mst_steps(graph);
    EXPECT_EQ(steps[0], graph.edges());
    EXPECT_EQ(steps[1], std::ranges::count_if(graph.weights, [&](std::uint32_t weight) { return weight <= light; }));
    const auto flatten = std::ranges::find(steps, graph.vertices);
    ASSERT_NE(flatten, steps.end());
    EXPECT_EQ(flatten[1], graph.edges());
    EXPECT_LT(flatten[2], graph.vertices); // few heavy edges still join two components
}

TEST(MstSteps, LaunchOneGridForEachThatNeedsMoreThanOneBlock)
{
    Case point;
    point.block = 32; // 128 items
    EXPECT_THAT(count_mst_steps(point, {500, 400, 129, 128, 1}).launches.by_depth, ElementsAre(1, 1));
    point.depth = 1;
    EXPECT_THAT(count_mst_steps(point, {500, 400, 129, 128, 1}).launches.by_depth, ElementsAre(1));
    EXPECT_THAT(count_mst_steps(point, {0}).launches.by_depth, ElementsAre());
}

} // namespace
} // namespace nestbed
