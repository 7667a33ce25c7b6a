// Graphs that are large enough for several threads of the host: the same as by one.
#include "graphs/edge_lists.hpp"
#include "graphs/graph_input.hpp"
#include "support/support.hpp"
#include "workloads/bfs/graph_distances.hpp"
#include "workloads/mst/mst_graph.hpp"
#include "workloads/triangles/oriented_graph.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace nestbed
{
namespace
{

constexpr std::uint64_t kVertices = 1 << 15;

CsrGraph large(InputKind input)
{
    Case point;
    point.input = input;
    point.elements = kVertices;
    point["edge-factor"] = 16;
    point.seed = 1;
    return make_graph(point);
}

std::uint64_t sum_of(const CsrGraph& graph)
{
    std::uint64_t sum = 0;
    for (const auto* numbers : {&graph.starts, &graph.ends, &graph.weights}) {
        constexpr std::uint64_t kFnvBasis = 1469598103934665603;
        constexpr std::uint64_t kFnvPrime = 1099511628211;
        const auto mix = [](std::uint64_t hash, std::uint32_t number) { return (hash ^ number) * kFnvPrime; };
        sum = sum * 31 + std::accumulate(numbers->begin(), numbers->end(), kFnvBasis, mix);
    }
    return sum;
}

// The times of two logs can be compared only if these stay as they are.
TEST(LargeGraph, OfANameAndSeedIsTheOneItAlwaysWas)
{
    EXPECT_EQ(sum_of(large(GraphInput::uniform)), 0xE2E84BE0AF97CA75);
    EXPECT_EQ(sum_of(large(GraphInput::rmat)), 0x349B8F6FE7533998);
    EXPECT_EQ(sum_of(large(GraphInput::rmat_relabelled)), 0xEC2C592B50B53C94);
    EXPECT_EQ(sum_of(large(GraphInput::zipf)), 0xC6E36F365020DED8);
    EXPECT_EQ(sum_of(large(GraphInput::path)), 0xF3B7ED20C5174D7B);
    EXPECT_EQ(sum_of(large(GraphInput::star)), 0x90B34F817D77BC8D);
    EXPECT_EQ(sum_of(large(GraphInput::grid2d)), 0x519D22D56C915019);
    EXPECT_EQ(sum_of(large(GraphInput::road)), 0xC09AC7D3CACF1551);
}

// Lists of the thousands of numbers, of which 3 has most and 1 and 4 have none.
TEST(IntoLists, KeepsTheOrderOfAllEntries)
{
    constexpr std::size_t kItems = 200000;
    const auto list_of = [](std::size_t item) { return item % 5 == 0 ? 0U : item % 7 == 0 ? 2U : 3U; };
    std::vector<std::uint32_t> entries;
    const std::vector<std::uint32_t> starts = into_lists(
        5, kItems,
        [&](std::size_t first, std::size_t end, const auto& act) {
            for (std::size_t item = first; item < end; ++item)
                act(list_of(item), static_cast<std::uint32_t>(item));
        },
        [&](std::size_t size) { entries.resize(size); },
        [&](std::size_t place, std::uint32_t item) { entries[place] = item; });
    std::vector<std::vector<std::uint32_t>> lists(5);
    for (std::uint32_t item = 0; item < kItems; ++item)
        lists[list_of(item)].push_back(item);
    ASSERT_EQ(starts.size(), 6U);
    for (std::size_t list = 0; list < 5; ++list)
        EXPECT_EQ(std::vector(entries.begin() + starts[list], entries.begin() + starts[list + 1]), lists[list])
            << list;
}

TEST(ForLists, CoverEveryListOnce)
{
    for (const CsrGraph& graph : {large(GraphInput::rmat), large(GraphInput::star), graph_of(70, {}, false)}) {
        std::vector<unsigned> seen(graph.vertices()); // ranges have no list in common, so no two threads share one
        for_lists(graph.starts, [&](std::uint32_t first, std::uint32_t end) {
            for (std::uint32_t list = first; list < end; ++list)
                ++seen[list];
        });
        EXPECT_THAT(seen, Each(1U));
    }
}

TEST(LargeGraph, HasItsEdgesBackwardsInTheOrderOfTheirBegins)
{
    const CsrGraph graph = large(GraphInput::uniform);
    std::vector<std::vector<std::uint32_t>> from(graph.vertices());
    for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex)
        for (std::uint32_t edge = graph.starts[vertex]; edge < graph.starts[vertex + 1]; ++edge)
            from[graph.ends[edge]].push_back(vertex);
    const CsrGraph back = graph.reversed();
    for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex)
        ASSERT_EQ(std::vector(back.ends.begin() + back.starts[vertex], back.ends.begin() + back.starts[vertex + 1]),
                  from[vertex]);
}

// By a set of the vertices that are reached, of which the nearest is settled.
std::vector<std::uint32_t> settled(const CsrGraph& graph, bool weighted)
{
    std::vector<std::uint32_t> distances(graph.vertices(), kUnreached);
    std::set<std::pair<std::uint32_t, std::uint32_t>> reached{{0, graph.source()}};
    distances[graph.source()] = 0;
    while (!reached.empty()) {
        const auto [distance, vertex] = *reached.begin();
        reached.erase(reached.begin());
        for (std::uint32_t edge = graph.starts[vertex]; edge < graph.starts[vertex + 1]; ++edge) {
            std::uint32_t& known = distances[graph.ends[edge]];
            if (const std::uint32_t longer = distance + (weighted ? graph.weights[edge] : 1); longer < known) {
                reached.erase({known, graph.ends[edge]});
                known = longer;
                reached.insert({known, graph.ends[edge]});
            }
        }
    }
    return distances;
}

TEST(LargeGraph, HasTheDistancesOfOneThread)
{
    for (const InputKind input : {GraphInput::uniform, GraphInput::rmat, GraphInput::star, GraphInput::road}) {
        SCOPED_TRACE(input.name());
        const CsrGraph graph = large(input);
        EXPECT_EQ(bfs_distances(graph, graph.source()), settled(graph, false));
        EXPECT_EQ(shortest_distances(graph, graph.source()), settled(graph, true));
    }
}

TEST(LargeGraph, HasTheForestOfAllItsEdgesInOrder)
{
    for (const InputKind input : {GraphInput::uniform, GraphInput::rmat, GraphInput::road}) {
        SCOPED_TRACE(input.name());
        const MstGraph graph = mst_graph(large(input));
        std::vector<std::uint64_t> keys;
        for (std::uint32_t edge = 0; edge < graph.edges(); ++edge)
            keys.push_back(mst_key(graph.weights[edge], edge));
        std::ranges::sort(keys);
        std::vector<std::uint32_t> parents(graph.vertices);
        std::iota(parents.begin(), parents.end(), 0U);
        const auto root_of = [&](std::uint32_t vertex) {
            while (parents[vertex] != vertex)
                vertex = parents[vertex] = parents[parents[vertex]];
            return vertex;
        };
        std::vector<std::uint32_t> chosen(graph.edges(), 0);
        for (const std::uint64_t key : keys) {
            const auto edge = static_cast<std::uint32_t>(key);
            chosen[edge] = root_of(graph.from[edge]) == root_of(graph.to[edge]) ? 0 : 1;
            parents[root_of(graph.from[edge])] = root_of(graph.to[edge]);
        }
        EXPECT_EQ(minimum_forest(graph), chosen);
    }
}

TEST(LargeGraph, HasItsKnownTriangles)
{
    const OrientedGraph graph = orient(large(GraphInput::rmat));
    EXPECT_EQ(count_triangles(graph), 6729782U); // counted by one thread
    for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex)
        ASSERT_EQ(std::adjacent_find(graph.ends.begin() + graph.starts[vertex],
                                     graph.ends.begin() + graph.starts[vertex + 1], std::greater_equal<>()),
                  graph.ends.begin() + graph.starts[vertex + 1]);
}

} // namespace
} // namespace nestbed
