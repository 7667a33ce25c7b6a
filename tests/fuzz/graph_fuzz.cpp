// Graphs from files. The first byte of the input chooses the format.
#include "base/error.hpp"
#include "fuzz/property.hpp"
#include "graphs/graph_file.hpp"
#include "workloads/bfs/graph_distances.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace nestbed
{
namespace
{

// A number of vertices takes memory of its own. Longer numbers are the business of the unit tests.
bool has_long_number(std::string_view text)
{
    constexpr std::size_t kMaxDigits = 6;
    std::size_t digits = 0;
    for (const char c : text) {
        digits = c >= '0' && c <= '9' ? digits + 1 : 0;
        if (digits > kMaxDigits)
            return true;
    }
    return false;
}

void check_graph(const CsrGraph& graph)
{
    require(graph.vertices() > 0, "a graph has a vertex");
    require(graph.starts.front() == 0 && graph.starts.back() == graph.edges(), "every edge has a vertex");
    require(std::ranges::is_sorted(graph.starts), "the edges of a vertex follow those of the vertex before");
    require(graph.weights.size() == graph.ends.size(), "every edge has a weight");
    for (std::size_t edge = 0; edge < graph.ends.size(); ++edge)
        require(graph.ends[edge] < graph.vertices() && graph.weights[edge] > 0, "an edge leads to a vertex");
    const CsrGraph again = graph.reversed().reversed();
    require(again.starts == graph.starts, "the reverse of the reverse has the same numbers of edges");
    if (graph.both_ways) {
        require(graph.reversed().starts == graph.starts, "a graph with edges both ways is like its reverse");
    }
    require(bfs_distances(graph, graph.source())[graph.source()] == 0, "a search begins at its source");
}

void check(std::string_view text)
{
    if (text.empty() || has_long_number(text))
        return;
    const std::string path = text.front() % 3 == 0 ? "fuzz.mtx" : text.front() % 3 == 1 ? "fuzz.gr" : "fuzz.txt";
    CsrGraph graph;
    const std::string refusal = refusal_of<RunError>([&] { graph = parse_graph(text.substr(1), path, 1); });
    if (refusal.empty())
        check_graph(graph);
    else
        require(refusal.starts_with(path + ":"), "a refusal begins with the file", refusal);
}

} // namespace
} // namespace nestbed

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    nestbed::check({reinterpret_cast<const char*>(data), size});
    return 0;
}
