// Optimised: it processes whole inputs.
#include "workloads/triangles/oriented_graph.hpp"

#include "base/parallel_sort.hpp"
#include "graphs/edge_lists.hpp"

#include <algorithm>
#include <atomic>

namespace nestbed
{

namespace
{

struct EndLists {
    std::vector<std::uint32_t> starts, ends;
};

// Lists of ends, each rising: of what each(first, end, act) finds in the lists first to end - 1 of a graph, by calling act(list, end).
template <class Each>
EndLists rising_lists(std::uint32_t vertices, const Each& each)
{
    EndLists lists;
    lists.starts = into_lists(
        vertices, vertices, each, [&](std::size_t entries) { lists.ends.resize(entries); },
        [&](std::size_t place, std::uint32_t end) { lists.ends[place] = end; });
    for_lists(lists.starts, [&](std::uint32_t first, std::uint32_t end) {
        for (std::uint32_t list = first; list < end; ++list)
            std::sort(lists.ends.begin() + lists.starts[list], lists.ends.begin() + lists.starts[list + 1]);
    });
    return lists;
}

// The edges of every vertex to higher ones, without regard to their direction; an edge may be there more than once.
EndLists higher_ends(const CsrGraph& graph)
{
    return rising_lists(graph.vertices(), [&](std::size_t first, std::size_t end, const auto& act) {
        for (auto vertex = static_cast<std::uint32_t>(first); vertex < end; ++vertex)
            for (std::uint32_t edge = graph.starts[vertex]; edge < graph.starts[vertex + 1]; ++edge)
                if (const std::uint32_t other = graph.ends[edge]; vertex < other)
                    act(vertex, other);
                else if (other < vertex && !graph.both_ways) // otherwise its reverse is there
                    act(other, vertex);
    });
}

// Calls act(vertex, end) for each edge of the lists `first` to end - 1 once.
template <class Act>
void for_each_once(const EndLists& lists, std::size_t first, std::size_t end, const Act& act)
{
    for (auto list = static_cast<std::uint32_t>(first); list < end; ++list)
        for (std::uint32_t at = lists.starts[list]; at < lists.starts[list + 1]; ++at)
            if (at == lists.starts[list] || lists.ends[at] != lists.ends[at - 1])
                act(list, lists.ends[at]);
}

// The place of each vertex in the order of falling degree.
std::vector<std::uint32_t> places_by_degree(const EndLists& lists)
{
    constexpr unsigned kHalf = 32;
    const std::size_t vertices = lists.starts.size() - 1;
    std::vector<std::uint32_t> degrees(vertices);
    for_lists(lists.starts, [&](std::uint32_t first, std::uint32_t end) {
        for_each_once(lists, first, end, [&](std::uint32_t one, std::uint32_t other) {
            std::atomic_ref(degrees[one]).fetch_add(1, std::memory_order_relaxed);
            std::atomic_ref(degrees[other]).fetch_add(1, std::memory_order_relaxed);
        });
    });
    std::vector<std::uint64_t> order(vertices); // the number after all bits of its degree, turned round
    for (std::size_t vertex = 0; vertex < vertices; ++vertex)
        order[vertex] = std::uint64_t{UINT32_MAX - degrees[vertex]} << kHalf | vertex;
    sort_on_all_cores(order);
    std::vector<std::uint32_t> places(vertices);
    for (std::size_t place = 0; place < vertices; ++place)
        places[static_cast<std::uint32_t>(order[place])] = static_cast<std::uint32_t>(place);
    return places;
}

} // namespace

OrientedGraph orient(const CsrGraph& graph)
{
    OrientedGraph oriented;
    {
        const EndLists higher = higher_ends(graph);
        const std::vector<std::uint32_t> places = places_by_degree(higher);
        EndLists lists = rising_lists(graph.vertices(), [&](std::size_t first, std::size_t end, const auto& act) {
            for_each_once(higher, first, end, [&](std::uint32_t one, std::uint32_t other) {
                act(std::max(places[one], places[other]), std::min(places[one], places[other]));
            });
        });
        oriented.starts = std::move(lists.starts);
        oriented.ends = std::move(lists.ends);
    }
    oriented.in_starts = into_lists(
        oriented.vertices(), oriented.vertices(),
        [&](std::size_t first, std::size_t end, const auto& act) {
            for (auto vertex = static_cast<std::uint32_t>(first); vertex < end; ++vertex)
                for (std::uint32_t at = oriented.starts[vertex] + 1; at < oriented.starts[vertex + 1]; ++at)
                    if (const std::uint32_t to = oriented.ends[at]; oriented.starts[to] < oriented.starts[to + 1])
                        act(to, InEdge{oriented.starts[vertex], at});
        },
        [&](std::size_t edges) { oriented.in_edges.resize(edges); },
        [&](std::size_t place, const InEdge& edge) { oriented.in_edges[place] = edge; });
    return oriented;
}

// Marks the lower ends of a vertex, and looks at the marks from each vertex above it.
std::uint64_t count_triangles(const OrientedGraph& graph)
{
    constexpr std::size_t kEveryCore = std::size_t{1} << 24; // more than for_ranges() gives one thread
    constexpr std::uint32_t kVertices = 64;                  // that a thread takes at once
    std::atomic<std::uint64_t> triangles = 0;
    std::atomic<std::uint32_t> next = 0; // there are at most 2^30
    for_ranges(graph.in_edges.empty() ? 0 : kEveryCore, [&](std::size_t /*first*/, std::size_t /*end*/) {
        std::vector<std::uint8_t> marked(graph.vertices());
        std::uint64_t own = 0;
        for (std::uint32_t first = next.fetch_add(kVertices); first < graph.vertices();
             first = next.fetch_add(kVertices))
            for (std::uint32_t vertex = first; vertex < std::min(first + kVertices, graph.vertices()); ++vertex) {
                if (graph.in_starts[vertex] == graph.in_starts[vertex + 1])
                    continue;
                for (std::uint32_t edge = graph.starts[vertex]; edge < graph.starts[vertex + 1]; ++edge)
                    marked[graph.ends[edge]] = 1;
                for (std::uint32_t in = graph.in_starts[vertex]; in < graph.in_starts[vertex + 1]; ++in)
                    for (std::uint32_t edge = graph.in_edges[in].first; edge < graph.in_edges[in].at; ++edge)
                        own += marked[graph.ends[edge]];
                for (std::uint32_t edge = graph.starts[vertex]; edge < graph.starts[vertex + 1]; ++edge)
                    marked[graph.ends[edge]] = 0;
            }
        triangles += own;
    });
    return triangles;
}

std::uint64_t edge_pairs(const OrientedGraph& graph)
{
    std::uint64_t pairs = 0;
    for (const InEdge& edge : graph.in_edges)
        pairs += edge.at - edge.first;
    return pairs;
}

std::uint32_t triangle_roots(const OrientedGraph& graph, bool per_edge, std::uint32_t block)
{
    const std::uint64_t threads = per_edge ? graph.in_edges.size() : graph.vertices();
    return threads == 0 ? 1 : static_cast<std::uint32_t>((threads - 1) / block + 1);
}

RequestOracle count_launches(const Case& point, const OrientedGraph& graph, bool per_edge)
{
    const std::uint32_t roots = triangle_roots(graph, per_edge, point.block);
    return count_requests(point, roots, [&](const ItemBlock& block, std::vector<ChildRequest>& requests) {
        if (block.depth != 0)
            return;
        for (std::uint32_t thread = 0; thread < point.block; ++thread) {
            const std::uint64_t item = block.item * point.block + thread;
            std::uint64_t threads = 0;
            if (per_edge && item < graph.in_edges.size())
                threads = graph.in_edges[item].at - graph.in_edges[item].first;
            else if (!per_edge && item < graph.vertices())
                threads = graph.in_starts[item + 1] - graph.in_starts[item];
            if (threads != 0)
                requests.push_back({thread, item, threads});
        }
    });
}

} // namespace nestbed
