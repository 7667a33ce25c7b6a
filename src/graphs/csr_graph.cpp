#include "graphs/csr_graph.hpp"

#include "base/parallel.hpp"
#include "base/split_mix.hpp"
#include "graphs/edge_lists.hpp"
#include "graphs/graph_input.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::uint64_t kMaxVertices = std::uint64_t{1} << 30;
// So that the draws of one seed for different purposes are independent.
constexpr std::uint64_t kForLabels = 0x6C6162656C730000;
constexpr std::uint64_t kForWeights = 0x7765696768740000;
constexpr std::uint64_t kForRoads = 0x726F616473000000;

// The numbers 0 to count - 1 in an order drawn from the seed.
std::vector<std::uint32_t> shuffled(std::uint32_t count, std::uint64_t seed)
{
    std::vector<std::uint32_t> labels(count);
    std::iota(labels.begin(), labels.end(), 0U);
    for (std::uint32_t left = count; left > 1; --left)
        std::swap(labels[left - 1], labels[split_mix(seed ^ kForLabels, left) % left]);
    return labels;
}

// elements * edge_factor edges, each drawn by draw(index), on all cores.
template <class Draw>
std::vector<Edge> drawn_edges(const Case& point, const Draw& draw)
{
    std::vector<Edge> edges(point.elements * point[GraphParameter::edge_factor]);
    for_ranges(edges.size(), [&](std::size_t first, std::size_t end) {
        for (std::size_t index = first; index < end; ++index)
            edges[index] = draw(index);
    });
    return edges;
}

std::vector<Edge> uniform_edges(const Case& point)
{
    const std::uint32_t edge_factor = point[GraphParameter::edge_factor];
    return drawn_edges(point, [&](std::uint64_t index) -> Edge {
        return {static_cast<std::uint32_t>(index / edge_factor),
                static_cast<std::uint32_t>(split_mix(point.seed, index) % point.elements)};
    });
}

std::vector<Edge> zipf_edges(const Case& point)
{
    const std::vector<std::uint32_t> by_rank = shuffled(static_cast<std::uint32_t>(point.elements), point.seed);
    double harmonic = 0;
    for (std::uint64_t rank = 1; rank <= point.elements; ++rank)
        harmonic += 1.0 / static_cast<double>(rank);
    const double first = static_cast<double>(point.elements * point[GraphParameter::edge_factor]) / harmonic;
    std::vector<Edge> edges;
    for (std::uint64_t rank = 1; rank <= point.elements; ++rank)
        for (auto left = static_cast<std::uint64_t>(first / static_cast<double>(rank)); left > 0; --left)
            edges.push_back({by_rank[rank - 1],
                             static_cast<std::uint32_t>(split_mix(point.seed, edges.size()) % point.elements)});
    return edges;
}

// An edge by R-MAT: one quadrant of the matrix for each bit of the two vertices.
Edge rmat_edge(const Case& point, unsigned bits, std::uint64_t index)
{
    constexpr unsigned kDrawBits = 16; // a draw decides a quadrant
    constexpr unsigned kDraws = 64 / kDrawBits;
    constexpr std::uint64_t kDrawn = std::uint64_t{1} << kDrawBits;
    constexpr auto kTopLeft = static_cast<std::uint64_t>(0.57 * kDrawn);
    constexpr auto kTopRight = static_cast<std::uint64_t>(0.76 * kDrawn);
    constexpr auto kBottomLeft = static_cast<std::uint64_t>(0.95 * kDrawn);
    constexpr std::uint64_t kNumbersAnEdge = 1024; // for edges outside the graph, which are drawn again
    Edge edge;
    std::uint64_t number = index * kNumbersAnEdge;
    do {
        edge = {};
        std::uint64_t drawn = 0;
        for (unsigned bit = 0; bit < bits; ++bit) {
            if (bit % kDraws == 0)
                drawn = split_mix(point.seed, number++);
            const std::uint64_t draw = drawn % kDrawn;
            drawn /= kDrawn;
            const bool bottom = draw >= kTopRight;
            const bool right = bottom ? draw >= kBottomLeft : draw >= kTopLeft;
            edge.from = edge.from * 2 + (bottom ? 1 : 0);
            edge.to = edge.to * 2 + (right ? 1 : 0);
        }
    } while (edge.from >= point.elements || edge.to >= point.elements);
    return edge;
}

std::vector<Edge> rmat_edges(const Case& point)
{
    unsigned bits = 0;
    while (std::uint64_t{1} << bits < point.elements)
        ++bits;
    if (point.input == GraphInput::rmat)
        return drawn_edges(point, [&](std::uint64_t index) { return rmat_edge(point, bits, index); });
    const std::vector<std::uint32_t> labels = shuffled(static_cast<std::uint32_t>(point.elements), point.seed);
    return drawn_edges(point, [&](std::uint64_t index) -> Edge {
        const Edge edge = rmat_edge(point, bits, index);
        return {labels[edge.from], labels[edge.to]};
    });
}

std::vector<Edge> grid_edges(std::uint32_t side)
{
    std::vector<Edge> edges;
    for (std::uint32_t y = 0; y < side; ++y)
        for (std::uint32_t x = 0; x < side; ++x) {
            if (x + 1 < side)
                edges.push_back({y * side + x, y * side + x + 1});
            if (y + 1 < side)
                edges.push_back({y * side + x, (y + 1) * side + x});
        }
    return edges;
}

// A spanning tree of the grid, drawn by joining parts along its edges in a drawn order, and an eighth of the other edges.
// Source: Kruskal, "On the Shortest Spanning Subtree of a Graph", 1956; as in mazes, the tree has long ways round.
std::vector<Edge> road_edges(std::uint32_t side, std::uint64_t seed)
{
    constexpr std::uint64_t kKept = 8; // one of so many
    const std::vector<Edge> grid = grid_edges(side);
    std::vector<std::uint32_t> part(std::size_t{side} * side); // a vertex of the same part; of its first one: itself
    std::iota(part.begin(), part.end(), 0U);
    const auto first_of = [&](std::uint32_t vertex) {
        while (part[vertex] != vertex)
            vertex = part[vertex] = part[part[vertex]];
        return vertex;
    };
    std::vector<Edge> edges;
    for (const std::uint32_t index : shuffled(static_cast<std::uint32_t>(grid.size()), seed)) {
        const std::uint32_t from = first_of(grid[index].from);
        const std::uint32_t to = first_of(grid[index].to);
        if (from != to)
            part[from] = to;
        else if (split_mix(seed ^ kForRoads, index) % kKept != 0)
            continue;
        edges.push_back(grid[index]);
    }
    return edges;
}

std::uint32_t side_of(std::uint64_t vertices)
{
    auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(vertices)));
    while (side * side > vertices)
        --side;
    while ((side + 1) * (side + 1) <= vertices)
        ++side;
    return static_cast<std::uint32_t>(side);
}

} // namespace

std::uint32_t CsrGraph::source() const
{
    for (std::uint32_t vertex = 0; vertex < vertices(); ++vertex)
        if (degree(vertex) != 0)
            return vertex;
    return 0;
}

CsrGraph CsrGraph::reversed() const
{
    CsrGraph graph;
    graph.both_ways = both_ways;
    graph.starts = into_lists(
        vertices(), vertices(),
        [&](std::size_t first, std::size_t end, const auto& act) {
            for (auto vertex = static_cast<std::uint32_t>(first); vertex < end; ++vertex)
                for (std::uint32_t edge = starts[vertex]; edge < starts[vertex + 1]; ++edge)
                    act(ends[edge], vertex, weights[edge]);
        },
        [&](std::size_t edges) { graph.make_room(edges); },
        [&](std::size_t edge, std::uint32_t end, std::uint32_t weight) { graph.put(edge, end, weight); });
    return graph;
}

void CsrGraph::make_room(std::size_t edges)
{
    ends.resize(edges);
    weights.resize(edges);
}

void CsrGraph::put(std::size_t edge, std::uint32_t end, std::uint32_t weight)
{
    ends[edge] = end;
    weights[edge] = weight;
}

CsrGraph graph_of(std::uint64_t vertices, const std::vector<Edge>& edges, bool both_ways)
{
    if (vertices > kMaxVertices)
        throw std::invalid_argument(std::to_string(vertices) + " vertices are too many; allowed: at most " +
                                    std::to_string(kMaxVertices));
    if (edges.size() * (both_ways ? 2 : 1) >= UINT32_MAX)
        throw std::invalid_argument(std::to_string(edges.size()) + " edges are too many; allowed: fewer than " +
                                    std::to_string(UINT32_MAX / (both_ways ? 2 : 1)));
    CsrGraph graph;
    graph.both_ways = both_ways;
    graph.starts = into_lists(
        vertices, edges.size(),
        [&](std::size_t first, std::size_t end, const auto& act) {
            for (std::size_t index = first; index < end; ++index) {
                const Edge& edge = edges[index];
                act(edge.from, edge.to, edge.weight);
                if (both_ways && edge.from != edge.to)
                    act(edge.to, edge.from, edge.weight);
            }
        },
        [&](std::size_t size) { graph.make_room(size); },
        [&](std::size_t edge, std::uint32_t end, std::uint32_t weight) { graph.put(edge, end, weight); });
    return graph;
}

std::uint32_t weight_of(std::uint64_t seed, std::uint64_t index)
{
    constexpr std::uint64_t kMaxWeight = 255;
    return static_cast<std::uint32_t>(1 + split_mix(seed ^ kForWeights, index) % kMaxWeight);
}

CsrGraph make_graph(const Case& point)
{
    std::uint64_t vertices = point.elements;
    bool both_ways = true;
    std::vector<Edge> edges;
    if (vertices > kMaxVertices || vertices * point[GraphParameter::edge_factor] >= UINT32_MAX)
        throw std::invalid_argument(std::to_string(vertices) + " vertices with " +
                                    std::to_string(point[GraphParameter::edge_factor]) +
                                    " edges each are too many; allowed: fewer than 4294967295 edges, and at most " +
                                    std::to_string(kMaxVertices) + " vertices");
    const bool star = point.input == GraphInput::star;
    if (point.input == GraphInput::uniform || point.input == GraphInput::zipf) {
        both_ways = false;
        edges = point.input == GraphInput::zipf ? zipf_edges(point) : uniform_edges(point);
    } else if (draws_edges(point.input)) {
        edges = rmat_edges(point);
    } else if (star || point.input == GraphInput::path) {
        for (std::uint32_t vertex = 1; vertex < vertices; ++vertex)
            edges.push_back({star ? 0 : vertex - 1, vertex});
    } else if (point.input == GraphInput::grid2d) {
        vertices = std::uint64_t{side_of(vertices)} * side_of(vertices);
        edges = grid_edges(side_of(vertices));
    } else if (point.input == GraphInput::road) {
        vertices = std::uint64_t{side_of(vertices)} * side_of(vertices);
        edges = road_edges(side_of(vertices), point.seed);
    } else {
        throw std::invalid_argument("input " + std::string(name_of(point.input)) + " is not a graph to make");
    }
    for_ranges(edges.size(), [&](std::size_t first, std::size_t end) {
        for (std::size_t index = first; index < end; ++index)
            edges[index].weight = weight_of(point.seed, index);
    });
    return graph_of(vertices, edges, both_ways);
}

} // namespace nestbed
