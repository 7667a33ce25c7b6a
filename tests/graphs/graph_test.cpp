// Graphs by name and seed, the distances in them, and the launches that they must lead to.
#include "graphs/csr_graph.hpp"
#include "model/judge.hpp"
#include "model/ledger.hpp"
#include "support/support.hpp"
#include "workloads/bfs/graph_queue_count.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace nestbed
{
namespace
{

Case graph_case(InputKind input, std::uint64_t elements, std::uint32_t edge_factor = 16, std::uint64_t seed = 1)
{
    Case point;
    point.input = input;
    point.elements = elements;
    point["edge-factor"] = edge_factor;
    point.seed = seed;
    point.block = 32;
    point.coarsen = 1;
    point.aggregate = Aggregate::none;
    return point;
}

CsrGraph made(InputKind input, std::uint64_t elements, std::uint32_t edge_factor = 16)
{
    return make_graph(graph_case(input, elements, edge_factor));
}

// The vertices with edges of each level, in the order of their numbers.
std::vector<std::vector<std::uint32_t>> frontiers_of(const CsrGraph& graph,
                                                     const std::vector<std::uint32_t>& distances)
{
    std::vector<std::vector<std::uint32_t>> frontiers;
    for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
        if (distances[vertex] == kUnreached || graph.degree(vertex) == 0)
            continue;
        if (frontiers.size() <= distances[vertex])
            frontiers.resize(std::size_t{distances[vertex]} + 1);
        frontiers[distances[vertex]].push_back(vertex);
    }
    return frontiers;
}

// Distances by the definition: relaxes all edges until nothing changes.
std::vector<std::uint32_t> relaxed(const CsrGraph& graph, bool weighted)
{
    std::vector<std::uint64_t> distances(graph.vertices(), kUnreached);
    distances[graph.source()] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex)
            for (std::uint32_t edge = graph.starts[vertex]; edge < graph.starts[vertex + 1]; ++edge)
                if (const std::uint64_t longer = distances[vertex] + (weighted ? graph.weights[edge] : 1);
                    distances[vertex] != kUnreached && longer < distances[graph.ends[edge]]) {
                    distances[graph.ends[edge]] = longer;
                    changed = true;
                }
    }
    return {distances.begin(), distances.end()};
}

TEST(CsrGraph, KeepsEveryEdgeInOrder)
{
    const std::vector<Edge> edges{{2, 0, 5}, {0, 1, 7}, {2, 2, 9}, {0, 1, 8}};
    const CsrGraph one_way = graph_of(4, edges, false);
    EXPECT_THAT(one_way.starts, ElementsAre(0, 2, 2, 4, 4));
    EXPECT_THAT(one_way.ends, ElementsAre(1, 1, 0, 2));
    EXPECT_THAT(one_way.weights, ElementsAre(7, 8, 5, 9));
    EXPECT_THAT(one_way.reversed().starts, ElementsAre(0, 1, 3, 4, 4));
    EXPECT_THAT(one_way.reversed().ends, ElementsAre(2, 0, 0, 2));
    const CsrGraph both = graph_of(4, edges, true); // a loop is its own reverse
    EXPECT_THAT(both.starts, ElementsAre(0, 3, 5, 7, 7));
    EXPECT_THAT(both.ends, ElementsAre(2, 1, 1, 0, 0, 0, 2));
    EXPECT_TRUE(both.both_ways);
}

TEST(CsrGraph, StartsAtTheFirstVertexWithAnEdge)
{
    EXPECT_EQ(graph_of(5, {{3, 0, 1}}, false).source(), 3U);
    EXPECT_EQ(graph_of(5, {}, false).source(), 0U);
}

TEST(CsrGraph, OfEveryInputHasItsShape)
{
    const CsrGraph path = made(InputKind("path"), 100);
    EXPECT_EQ(path.edges(), 198U);
    EXPECT_EQ(bfs_distances(path, 0).back(), 99U);
    const CsrGraph star = made(InputKind("star"), 100);
    EXPECT_EQ(star.degree(0), 99U);
    EXPECT_EQ(levels_of(star, bfs_distances(star, 0)).size(), 2U);
    for (const std::uint64_t elements : {100U, 120U}) {
        const CsrGraph grid = made(InputKind("grid2d"), elements);
        EXPECT_EQ(grid.vertices(), 100U);
        EXPECT_EQ(grid.edges(), 4U * 10 * 9);
        EXPECT_EQ(levels_of(grid, bfs_distances(grid, 0)).size(), 19U);
    }
    const CsrGraph uniform = made(InputKind("uniform"), 1000, 7);
    for (std::uint32_t vertex = 0; vertex < 1000; ++vertex)
        EXPECT_EQ(uniform.degree(vertex), 7U);
    EXPECT_FALSE(uniform.both_ways);
}

TEST(CsrGraph, OfDrawnInputsIsSkewedAsItSays)
{
    const auto degrees = [](const CsrGraph& graph) {
        std::vector<std::uint32_t> found;
        for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex)
            found.push_back(graph.degree(vertex));
        return found;
    };
    const CsrGraph rmat = made(InputKind("rmat"), 1 << 14);
    const CsrGraph relabelled = made(InputKind("rmat_relabelled"), 1 << 14);
    std::vector<std::uint32_t> of_rmat = degrees(rmat);
    std::vector<std::uint32_t> of_relabelled = degrees(relabelled);
    // The first eighth of the numbers (the first three bits are 0) has .76^3 of the ends.
    const double ends = std::accumulate(of_rmat.begin(), of_rmat.begin() + (1 << 11), 0.0);
    EXPECT_NEAR(ends / rmat.edges(), 0.76 * 0.76 * 0.76, 0.01);
    EXPECT_NE(of_rmat, of_relabelled);
    std::ranges::sort(of_rmat);
    std::ranges::sort(of_relabelled);
    EXPECT_EQ(of_rmat, of_relabelled); // the same graph
    std::vector<std::uint32_t> of_zipf = degrees(made(InputKind("zipf"), 1000, 16));
    std::ranges::sort(of_zipf, std::greater<>());
    const double first = 16000 / 7.485; // over the harmonic number of 1000
    for (const std::uint32_t rank : {1U, 2U, 10U, 100U, 1000U})
        EXPECT_NEAR(of_zipf[rank - 1], first / rank, 1) << rank;
}

TEST(CsrGraph, OfRoadsIsAConnectedPartOfTheGridWithLongerWays)
{
    const CsrGraph road = made(InputKind("road"), 10000);
    ASSERT_EQ(road.vertices(), 10000U);
    EXPECT_TRUE(road.both_ways);
    EXPECT_NEAR(road.edges() / 10000.0, 2.25, 0.05);
    std::vector<unsigned> with_degree(5);
    for (std::uint32_t vertex = 0; vertex < road.vertices(); ++vertex) {
        ++with_degree.at(road.degree(vertex));
        for (std::uint32_t edge = road.starts[vertex]; edge < road.starts[vertex + 1]; ++edge) {
            const std::uint32_t other = road.ends[edge];
            const std::uint32_t apart = std::max(vertex, other) - std::min(vertex, other);
            EXPECT_TRUE(apart == 100 || (apart == 1 && vertex / 100 == other / 100));
        }
    }
    EXPECT_EQ(with_degree[0], 0U);
    EXPECT_GT(with_degree[2] + with_degree[3], 6500U);
    const std::vector<std::uint32_t> distances = bfs_distances(road, road.source());
    const std::uint32_t farthest = *std::ranges::max_element(distances); // unreached would be 2^32 - 1
    EXPECT_GT(farthest, 198U);                                           // of the grid
    EXPECT_LT(farthest, 1000U);
    EXPECT_EQ(made(InputKind("road"), 10000).ends, road.ends);
    EXPECT_EQ(made(InputKind("road"), 1).vertices(), 1U);
}

TEST(CsrGraph, IsDrawnFromTheSeed)
{
    const Case point = graph_case(InputKind("rmat"), 1000);
    EXPECT_EQ(make_graph(point).ends, make_graph(point).ends);
    Case other = point;
    other.seed = 2;
    EXPECT_NE(make_graph(point).ends, make_graph(other).ends);
    const CsrGraph graph = make_graph(point);
    EXPECT_THAT(graph.weights, Each(AllOf(testing::Ge(1U), testing::Le(255U))));
    EXPECT_GT(*std::ranges::max_element(graph.weights), 250U);
}

TEST(CsrGraph, RefusesWhatIsTooLarge)
{
    const auto why = [](const Case& point) {
        return text_of<std::invalid_argument>([&] { static_cast<void>(make_graph(point)); });
    };
    EXPECT_THAT(why(graph_case(InputKind("uniform"), 1U << 28, 16)), HasSubstr("fewer than 4294967295 edges"));
    EXPECT_THAT(why(graph_case(InputKind("path"), (1ULL << 30) + 1, 0)), HasSubstr("at most 1073741824 vertices"));
    EXPECT_THAT(why(graph_case(InputKind("sorted"), 5)), HasSubstr("input sorted is not a graph"));
    EXPECT_THAT(text_of<std::invalid_argument>([] { static_cast<void>(graph_of((1ULL << 30) + 1, {}, false)); }),
                HasSubstr("1073741825 vertices are too many"));
}

TEST(CsrGraph, HasTheDistancesOfTheDefinition)
{
    for (const InputKind input :
         {InputKind("uniform"), InputKind("rmat"), InputKind("rmat_relabelled"), InputKind("zipf"), InputKind("path"),
          InputKind("star"), InputKind("grid2d"), InputKind("road")})
        for (const std::uint32_t edge_factor : {1U, 3U}) {
            SCOPED_TRACE(name_of(input));
            const CsrGraph graph = made(input, 200, edge_factor);
            EXPECT_EQ(bfs_distances(graph, graph.source()), relaxed(graph, false));
            EXPECT_EQ(shortest_distances(graph, graph.source()), relaxed(graph, true));
        }
}

TEST(CsrGraph, RefusesPathsThatAreTooLong)
{
    const CsrGraph graph = graph_of(3, {{0, 1, 4000000000U}, {1, 2, 300000000U}}, false);
    EXPECT_EQ(text_of<std::invalid_argument>([&] { static_cast<void>(shortest_distances(graph, 0)); }),
              "the shortest path to vertex 2 is longer than 4294967294; allowed: smaller weights");
    EXPECT_EQ(shortest_distances(graph_of(2, {{0, 1, UINT32_MAX - 1}}, false), 0),
              (std::vector<std::uint32_t>{0, UINT32_MAX - 1}));
}

// The way back to the source, and the first way to vertex 2, are longer than any distance.
TEST(CsrGraph, AllowsPathsThatAreTooLongWhereAnotherIsNot)
{
    constexpr std::uint32_t kHalf = 1U << 31;
    for (const CsrGraph& graph :
         {graph_of(2, {{0, 1, kHalf}}, true),
          graph_of(4, {{0, 1, kHalf}, {1, 2, kHalf}, {0, 3, kHalf + 1}, {3, 2, 5}, {2, 0, kHalf}}, false)})
        EXPECT_EQ(shortest_distances(graph, 0), relaxed(graph, true));
}

TEST(CsrGraph, HasLevels)
{
    const CsrGraph graph = graph_of(6, {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {2, 4, 1}, {2, 4, 1}}, false);
    const std::vector<std::uint32_t> distances = bfs_distances(graph, 0);
    EXPECT_THAT(levels_of(graph, distances),
                ElementsAre(GraphLevel{1, 1, 3, 3}, GraphLevel{3, 1, 2, 2}, GraphLevel{1, 0, 0, 0}));
    EXPECT_THAT(frontiers_of(graph, distances), ElementsAre(ElementsAre(0), ElementsAre(2)));
    EXPECT_THAT(rounds_of(graph, 0, false), ElementsAre(ElementsAre(0), ElementsAre(2)));
}

// In the second round vertex 1 gets a shorter path, and requests its edges again in the third.
TEST(GraphRounds, GoByTheDistancesAtTheirBegin)
{
    const CsrGraph graph = graph_of(4, {{0, 1, 9}, {0, 2, 1}, {2, 1, 1}, {1, 3, 1}}, false);
    EXPECT_THAT(rounds_of(graph, 0, true), ElementsAre(ElementsAre(0), ElementsAre(1, 2), ElementsAre(1)));
}

RequestOracle counted(const CsrGraph& graph, const Case& point, GraphForm form)
{
    const std::uint32_t source = graph.source();
    return count_graph(point, form, graph, levels_of(graph, bfs_distances(graph, source)),
                       rounds_of(graph, source, false));
}

// 0 -> 1 to 3000, 1 -> 3001.
CsrGraph wide_level_of_one_edge()
{
    std::vector<Edge> edges;
    for (std::uint32_t vertex = 1; vertex <= 3000; ++vertex)
        edges.push_back({0, vertex, 1});
    edges.push_back({1, 3001, 1});
    return graph_of(3002, edges, false);
}

TEST(GraphOracle, CountsAChildPerVertexWithEdges)
{
    Case point = graph_case(InputKind("rmat"), 4096, 8);
    const CsrGraph graph = make_graph(point);
    std::uint64_t reached = 0;
    std::uint64_t wide = 0;
    const std::vector<std::uint32_t> distances = bfs_distances(graph, graph.source());
    for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
        reached += distances[vertex] != kUnreached && graph.degree(vertex) != 0 ? 1 : 0;
        wide += distances[vertex] != kUnreached && graph.degree(vertex) >= 50 ? 1 : 0;
    }
    EXPECT_EQ(counted(graph, point, GraphForm::children).launches.total(), reached);
    point.threshold = 50;
    EXPECT_EQ(counted(graph, point, GraphForm::children).launches.total(), wide);
    EXPECT_EQ(counted(graph, point, GraphForm::children).counts.items, reached);
    point.aggregate = Aggregate::grid;
    point.threshold = 0;
    EXPECT_EQ(counted(graph, point, GraphForm::children).launches.total(), frontiers_of(graph, distances).size());
    point.depth = 0;
    EXPECT_EQ(counted(graph, point, GraphForm::children).launches.total(), 0U);
}

// The launches of a queue of vertices: the same as with a thread per vertex where their order does not matter. Otherwise at
// most one per group of vertices, and as many blocks in any case.
TEST(GraphOracle, CountsWhatAQueueRequests)
{
    Case point = graph_case(InputKind("rmat"), 4096, 8);
    const CsrGraph graph = make_graph(point);
    const std::vector<std::vector<std::uint32_t>> rounds = rounds_of(graph, graph.source(), true);
    const auto by_vertex = [&] { return count_graph(point, GraphForm::children, graph, {}, rounds); };
    for (const std::uint32_t threshold : {0U, 40U, 100000U})
        for (const Aggregate aggregate :
             {Aggregate::none, Aggregate::warp, Aggregate::block, Aggregate::multiblock_4, Aggregate::grid}) {
            point.threshold = threshold;
            point.aggregate = aggregate;
            SCOPED_TRACE(std::string(name_of(aggregate)) + " " + std::to_string(threshold));
            const RequestOracle queue = count_queue_rounds(point, graph, rounds);
            const RequestOracle all = by_vertex();
            const bool exact = aggregate == Aggregate::none || aggregate == Aggregate::grid;
            EXPECT_EQ(queue.launches.by_order, !exact);
            EXPECT_EQ(queue.counts.items, all.counts.items);
            EXPECT_EQ(queue.counts.blocks, all.counts.blocks);
            if (exact) {
                EXPECT_EQ(queue.launches.by_depth, all.launches.by_depth);
                EXPECT_EQ(queue.counts.widest, all.counts.widest);
            }
            const std::vector<std::uint64_t>& by_root = queue.launches.by_root;
            EXPECT_EQ(std::accumulate(by_root.begin(), by_root.end(), std::uint64_t{0}), queue.counts.widest);
        }
    point.threshold = 0;
    point.depth = 0;
    EXPECT_EQ(count_queue_rounds(point, graph, rounds).launches.total(), 0U);
}

// 9999 vertices in the second round, in blocks of 64: two warps each.
TEST(GraphOracle, CountsGroupsOfAQueue)
{
    Case point = graph_case(InputKind("star"), 10000);
    point.block = 64;
    const CsrGraph star = make_graph(point);
    const std::vector<std::vector<std::uint32_t>> rounds = rounds_of(star, star.source(), false);
    const auto launches = [&](Aggregate aggregate) {
        point.aggregate = aggregate;
        return count_queue_rounds(point, star, rounds).launches.total();
    };
    EXPECT_EQ(launches(Aggregate::none), 10000U);
    EXPECT_EQ(launches(Aggregate::warp), 1U + 313);
    EXPECT_EQ(launches(Aggregate::block), 1U + 157);
    EXPECT_EQ(launches(Aggregate::multiblock_4), 1U + 40);
    EXPECT_EQ(launches(Aggregate::grid), 2U);
    EXPECT_EQ(count_queue_rounds(point, star, {}).launches.by_root.size(), 1U); // no edges
}

TEST(GraphOracle, CountsALaunchPerLargeLevel)
{
    const Case point = graph_case(InputKind("star"), 10000);
    const CsrGraph star = make_graph(point); // 9999 edges, then 9999 vertices
    EXPECT_EQ(counted(star, point, GraphForm::levels).launches.by_depth, (std::vector<std::uint64_t>{1}));
    EXPECT_EQ(counted(star, point, GraphForm::graph).launches.by_depth, (std::vector<std::uint64_t>{1}));
    const CsrGraph uniform = made(InputKind("uniform"), 10000); // 1, 16, 256, about 3300 and 6400 vertices
    EXPECT_EQ(counted(uniform, point, GraphForm::levels).launches.by_depth, (std::vector<std::uint64_t>{1, 1}));
    EXPECT_EQ(counted(star, point, GraphForm::flat).launches.total(), 0U);
    EXPECT_TRUE(counted(star, point, GraphForm::by_order).launches.by_order);
    const CsrGraph grid = made(InputKind("grid2d"), 10000);
    EXPECT_EQ(counted(grid, point, GraphForm::levels).launches.total(), 0U);
}

// Of 3000 vertices, one has an edge: the list of the level fits a block.
TEST(GraphOracle, CountsNoLaunchForALevelWhoseListFitsABlock)
{
    Case point = graph_case(InputKind("file"), 0);
    for (const std::uint32_t block : {32U, 1024U}) {
        point.block = block;
        EXPECT_EQ(counted(wide_level_of_one_edge(), point, GraphForm::levels).launches.total(), 0U);
        EXPECT_EQ(counted(wide_level_of_one_edge(), point, GraphForm::graph).launches.total(), 0U);
    }
}

std::uint64_t launches_by_level(const CsrGraph& graph, Case point, std::uint32_t block, GraphForm form)
{
    point.block = block;
    return count_graph(point, form, graph, levels_of(graph, bfs_distances(graph, graph.source())), {})
        .launches.total();
}

// A level has more than 2048 vertices, and fewer edges than a block of 1024 threads follows.
TEST(GraphOracle, CountsNoLaunchForALevelWhoseEdgesFitALargeBlock)
{
    const Case point = graph_case(InputKind("rmat"), 65536, 12);
    const CsrGraph graph = make_graph(point);
    EXPECT_EQ(launches_by_level(graph, point, 256, GraphForm::levels), 3U);
    EXPECT_EQ(launches_by_level(graph, point, 1024, GraphForm::levels), 2U);
}

// The launches of results/h200/bfs.csv.
TEST(GraphOracle, CountsWhatAnH200Launched)
{
    for (const auto& [input, elements, block, launches] :
         {std::tuple(InputKind("star"), 16384U, 64U, 1U), std::tuple(InputKind("path"), 16384U, 64U, 0U),
          std::tuple(InputKind("rmat"), 1024U, 512U, 1U), std::tuple(InputKind("rmat"), 4096U, 512U, 2U),
          std::tuple(InputKind("rmat"), 16384U, 512U, 2U), std::tuple(InputKind("grid2d"), 16384U, 512U, 0U)}) {
        const Case point = graph_case(input, elements);
        const CsrGraph graph = make_graph(point);
        EXPECT_EQ(launches_by_level(graph, point, block, GraphForm::levels), launches) << elements;
        EXPECT_EQ(launches_by_level(graph, point, block, GraphForm::graph), launches) << elements;
    }
}

// Blocks that wait for each other are launched only after a level of one block.
TEST(GraphOracle, CountsALaunchOfBlocksThatWaitWhereALevelOfOneBlockEnds)
{
    for (const auto& [input, elements, block, launches] :
         {std::tuple(InputKind("path"), 16384U, 64U, 0U), std::tuple(InputKind("star"), 16384U, 64U, 0U),
          std::tuple(InputKind("grid2d"), 16384U, 512U, 0U),  // no level needs more than one block
          std::tuple(InputKind("uniform"), 65536U, 256U, 1U), // three small levels, and three large ones
          std::tuple(InputKind("rmat"), 65536U, 256U, 0U)}) { // the source has many edges
        const Case point = graph_case(input, elements);
        EXPECT_EQ(launches_by_level(make_graph(point), point, block, GraphForm::waiting), launches) << elements;
    }
}

// A grid of 2^24 vertices has as many large levels. The ledger's last level has the launches of all deeper ones.
TEST(GraphOracle, CountsMoreLargeLevelsThanTheLedgerHas)
{
    constexpr std::uint64_t kLarge = 2 * kLedgerLevels;
    const std::vector<GraphLevel> levels(kLarge + 1, GraphLevel{3000, 3000, 9000, 3});
    Case point = graph_case(InputKind("grid2d"), 0);
    const RequestOracle graph_oracle =
        count_graph(point, GraphForm::levels, made(InputKind("path"), 100), levels, {});
    EXPECT_EQ(graph_oracle.launches.by_depth, std::vector<std::uint64_t>(kLarge, 1));
    Sample sample;
    sample.launches =
        LaunchCounts{.attempted_by_depth = std::vector<std::uint64_t>(kLedgerLevels, 1), .attempted = kLarge};
    sample.launches->attempted_by_depth.back() += kLarge - kLedgerLevels;
    judge_launches(sample, graph_oracle.launches, "");
    EXPECT_EQ(sample.status, Status::ok) << sample.detail;
    point.depth = 7;
    EXPECT_EQ(count_graph(point, GraphForm::levels, made(InputKind("path"), 100), levels, {}).launches.total(), 7U);
}

} // namespace
} // namespace nestbed
