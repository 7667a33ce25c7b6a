// The triangles of graphs whose number is known, and the launches that they must lead to.
#include "graphs/graph_file.hpp"
#include "support/support.hpp"
#include "workloads/triangles/oriented_graph.hpp"

#include <string>
#include <vector>

namespace nestbed
{
namespace
{

// Edges that all lead from the lower number to the higher one.
CsrGraph graph_with(std::uint32_t vertices, const std::vector<Edge>& edges)
{
    return graph_of(vertices, edges, false);
}

CsrGraph complete(std::uint32_t vertices)
{
    std::vector<Edge> edges;
    for (std::uint32_t to = 1; to < vertices; ++to)
        for (std::uint32_t from = 0; from < to; ++from)
            edges.push_back({from, to, 1});
    return graph_with(vertices, edges);
}

// A cycle, and a vertex with an edge to each of the cycle's.
CsrGraph wheel(std::uint32_t rim)
{
    std::vector<Edge> edges;
    for (std::uint32_t vertex = 0; vertex < rim; ++vertex) {
        edges.push_back({vertex, (vertex + 1) % rim, 1});
        edges.push_back({rim, vertex, 1});
    }
    return graph_with(rim + 1, edges);
}

CsrGraph drawn(InputKind input, std::uint64_t elements, std::uint32_t edge_factor = 8)
{
    Case point;
    point.input = input;
    point.elements = elements;
    point["edge-factor"] = edge_factor;
    point.seed = 1;
    return make_graph(point);
}

std::uint64_t triangles_of(const CsrGraph& graph)
{
    return count_triangles(orient(graph));
}

// By the definition: three vertices, each with an edge to the others, in whichever direction.
std::uint64_t triples_of(const CsrGraph& graph)
{
    const std::uint32_t vertices = graph.vertices();
    std::vector<std::vector<bool>> joined(vertices, std::vector<bool>(vertices));
    for (std::uint32_t vertex = 0; vertex < vertices; ++vertex)
        for (std::uint32_t edge = graph.starts[vertex]; edge < graph.starts[vertex + 1]; ++edge)
            joined[vertex][graph.ends[edge]] = joined[graph.ends[edge]][vertex] = true;
    std::uint64_t triples = 0;
    for (std::uint32_t a = 0; a < vertices; ++a)
        for (std::uint32_t b = 0; b < a; ++b)
            for (std::uint32_t c = 0; joined[a][b] && c < b; ++c)
                triples += joined[a][c] && joined[b][c] ? 1 : 0;
    return triples;
}

TEST(OrientedGraph, LeadsToTheVertexWithMoreEdgesOnceEach)
{
    // Vertex 3 has four edges, 0 and 1 have three, 2 has two, 4 and 5 have one; 6 has a loop only.
    const CsrGraph graph = graph_with(7, {{0, 1, 1},
                                          {1, 0, 1},
                                          {0, 3, 1},
                                          {3, 0, 1},
                                          {0, 3, 1},
                                          {1, 3, 1},
                                          {3, 2, 1},
                                          {3, 4, 1},
                                          {2, 1, 1},
                                          {0, 5, 1},
                                          {6, 6, 1}});
    const OrientedGraph oriented = orient(graph);
    // New numbers: 3 is 0, 0 is 1, 1 is 2, 2 is 3, 4 and 5 keep theirs.
    EXPECT_THAT(oriented.starts, ElementsAre(0, 0, 1, 3, 5, 6, 7, 7));
    EXPECT_THAT(oriented.ends, ElementsAre(0, 0, 1, 0, 2, 0, 1));
    // To 1: from 2, after 0. To 2: from 3, after 0. To 0 no edge can have a triangle, and 5 -> 1 is the first of 5.
    EXPECT_THAT(oriented.in_starts, ElementsAre(0, 0, 1, 2, 2, 2, 2, 2));
    EXPECT_THAT(oriented.in_edges, ElementsAre(InEdge{1, 2}, InEdge{3, 4}));
    EXPECT_EQ(count_triangles(oriented), 2U);
    EXPECT_EQ(edge_pairs(oriented), 2U);
}

TEST(OrientedGraph, HasTheTrianglesOfKnownGraphs)
{
    for (const std::uint32_t vertices : {1U, 2U, 3U, 4U, 10U, 50U})
        EXPECT_EQ(triangles_of(complete(vertices)), vertices * (vertices - 1) * (vertices - 2) / 6) << vertices;
    for (const std::uint32_t rim : {4U, 5U, 100U})
        EXPECT_EQ(triangles_of(wheel(rim)), rim);
    EXPECT_EQ(triangles_of(wheel(3)), 4U); // the complete graph of four
    for (const InputKind input : {InputKind("grid2d"), InputKind("star"), InputKind("path")})
        EXPECT_EQ(triangles_of(drawn(input, 1000)), 0U) << name_of(input);
    EXPECT_EQ(triangles_of(graph_with(0, {})), 0U);
    EXPECT_EQ(triangles_of(graph_with(5, {})), 0U);
}

TEST(OrientedGraph, HasTheTrianglesOfFiles)
{
    EXPECT_EQ(triangles_of(parse_graph("0 1\n1 2\n2 0\n2 1\n2 2\n5 6\n", "a.txt", 1)), 1U);
    const std::string matrix =
        "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 6\n2 1\n3 1\n4 1\n3 2\n4 2\n4 3\n";
    EXPECT_EQ(triangles_of(parse_graph(matrix, "a.mtx", 1)), 4U);
}

TEST(OrientedGraph, HasTheTrianglesOfTheDefinition)
{
    for (const InputKind input :
         {InputKind("uniform"), InputKind("rmat"), InputKind("rmat_relabelled"), InputKind("zipf")})
        for (const std::uint32_t edge_factor : {1U, 4U, 20U}) {
            SCOPED_TRACE(name_of(input));
            const CsrGraph graph = drawn(input, 150, edge_factor);
            EXPECT_EQ(triangles_of(graph), triples_of(graph));
        }
    EXPECT_EQ(triangles_of(drawn(InputKind("rmat"), 4096)), triangles_of(drawn(InputKind("rmat_relabelled"), 4096)));
}

// Of the complete graph, vertex v < n - 1 has edges from n - 1 - v vertices u, with v ends of u before it; vertex 0 has no ends.
TEST(TriangleOracle, CountsAChildPerVertexOrEdge)
{
    const OrientedGraph graph = orient(complete(20));
    Case point;
    point.block = 32;
    point.coarsen = 1;
    point.aggregate = Aggregate::none;
    const auto launches = [&](bool per_edge) { return count_launches(point, graph, per_edge).launches.total(); };
    EXPECT_EQ(launches(false), 18U);
    EXPECT_EQ(launches(true), 18U * 19 / 2);
    EXPECT_EQ(count_launches(point, graph, true).counts.items, 18U * 19 / 2);
    point.threshold = 10; // edges from 10 to 18 vertices; 10 to 18 ends before 9 to 1 edges
    EXPECT_EQ(launches(false), 9U);
    EXPECT_EQ(launches(true), 9U * 10 / 2);
    point.aggregate = Aggregate::grid;
    EXPECT_EQ(launches(false), 1U);
    EXPECT_EQ(launches(true), 1U);
    point.depth = 0;
    EXPECT_EQ(launches(false), 0U);
    EXPECT_EQ(triangle_roots(graph, false, 32), 1U);
    EXPECT_EQ(triangle_roots(graph, true, 32), 6U);
    EXPECT_EQ(triangle_roots(orient(drawn(InputKind("star"), 10)), true, 32), 1U); // no pairs
}

} // namespace
} // namespace nestbed
