#include "graphs/graph_input.hpp"

#include "model/input_file.hpp"
#include "model/text_numbers.hpp"

#include <filesystem>
#include <system_error>

namespace nestbed
{

const std::string& graph_file_of(const Case& point)
{
    return text_with(point[GraphParameter::file]);
}

void complete_graph(Case& point, const Asked& /*asked*/)
{
    if (!draws_edges(point.input))
        point[GraphParameter::edge_factor] = 0;
    if (point.input == GraphInput::file)
        point.elements = 0;
    else
        point[GraphParameter::file] = 0;
}

std::uint64_t graph_edges(const Case& point)
{
    constexpr std::uint64_t kBytesAnEdge = 12; // of text
    if (point.input == GraphInput::file) {
        std::error_code unknown;
        const std::uintmax_t bytes = std::filesystem::file_size(path_in(graph_file_of(point)), unknown);
        return unknown ? 0 : bytes / kBytesAnEdge;
    }
    const bool both_ways = point.input != GraphInput::uniform && point.input != GraphInput::zipf;
    constexpr std::uint64_t kOfGrid = 2; // per vertex; a path and a star have one
    return point.elements * (draws_edges(point.input) ? point[GraphParameter::edge_factor] : kOfGrid) *
           (both_ways ? 2 : 1);
}

} // namespace nestbed
