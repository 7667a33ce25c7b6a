#include "graphs/graph_file.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "graphs/graph_input.hpp"
#include "model/input_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

namespace nestbed
{

namespace
{

constexpr std::uint64_t kMaxNumber = UINT32_MAX - 1;
constexpr std::uint64_t kVerticesAnEdge = 64; // at most, and kMoreVertices more
constexpr std::uint64_t kMoreVertices = std::uint64_t{1} << 20;

// "1 edge", "2 edges".
std::string counted(std::uint64_t count, std::string_view what)
{
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// A word of a file, which may be long or no text.
std::string quoted(std::string_view word)
{
    constexpr std::size_t kMaxShown = 40;
    return fmt::format("'{}{}'", printable(word.substr(0, kMaxShown)), word.size() > kMaxShown ? "..." : "");
}

// The lines of a file as words, without empty lines.
class GraphLines
{
  public:
    GraphLines(std::string_view text, const std::string& path) : rest_(text), path_(path) {}

    // Reads the next line that does not begin with one of these characters. False at the end.
    bool next(std::string_view comments)
    {
        while (!rest_.empty()) {
            ++line_;
            const std::size_t end = std::min(rest_.find('\n'), rest_.size());
            const std::string_view text = rest_.substr(0, end);
            rest_.remove_prefix(std::min(end + 1, rest_.size()));
            split(text);
            if (count_ != 0 && comments.find(words_[0].front()) == std::string_view::npos)
                return true;
        }
        ++line_;
        count_ = 0;
        return false;
    }

    std::size_t count() const { return count_; }
    std::string_view word(std::size_t index) const { return words_.at(index); }

    std::uint32_t number(std::size_t index, std::uint64_t least, std::uint64_t most, std::string_view what) const
    {
        const std::string_view text = word(index);
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
            refuse(fmt::format("{} is not a {}; allowed: {} to {}", quoted(text), what, least, most));
        return static_cast<std::uint32_t>(value);
    }

    // A real number as a weight. If it cannot be one, `why_not` says so, unless it already has a reason.
    std::uint32_t real_weight(std::size_t index, std::string& why_not) const
    {
        const std::string_view text = word(index);
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc::invalid_argument || end != text.data() + text.size())
            refuse(fmt::format("{} is not a number", quoted(text)));
        if (error == std::errc{} && value >= 1 && value <= static_cast<double>(kMaxNumber) &&
            value == std::floor(value))
            return static_cast<std::uint32_t>(value);
        if (why_not.empty())
            why_not = located(fmt::format("the value {} is not a weight; allowed: whole numbers from 1 to {}",
                                          quoted(text), kMaxNumber));
        return 0;
    }

    [[noreturn]] void refuse(const std::string& why) const { throw RunError(located(why)); }
    [[noreturn]] void refuse_count(std::string_view what, std::string_view form) const
    {
        if (count_ == 0)
            refuse(fmt::format("{} is missing; allowed: {}", what, form));
        refuse(fmt::format("{} has {}; allowed: {}", what,
                           count_ > words_.size() ? fmt::format("more than {} words", words_.size())
                                                  : counted(count_, "word"),
                           form));
    }

  private:
    std::string located(const std::string& why) const { return fmt::format("{}:{}: {}", path_, line_, why); }

    void split(std::string_view text)
    {
        constexpr std::string_view kBlank = " \t\r";
        count_ = 0;
        for (std::size_t at = text.find_first_not_of(kBlank); at != std::string_view::npos;
             at = text.find_first_not_of(kBlank, at)) {
            const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
            if (count_ < words_.size())
                words_.at(count_) = text.substr(at, end - at);
            ++count_;
            at = end;
        }
    }

    std::string_view rest_;
    const std::string& path_;
    std::size_t line_ = 0;
    std::array<std::string_view, 6> words_{};
    std::size_t count_ = 0;
};

// What a file says, before it is a graph.
struct EdgeList {
    std::uint64_t vertices = 0;
    std::vector<Edge> edges;
    bool weighted = false;
    bool both_ways = false;
    std::string no_weights; // why the values cannot be weights
};

void expect_edges(const GraphLines& lines, std::size_t found, std::uint64_t promised)
{
    if (found != promised)
        lines.refuse(fmt::format("the file has {}; its header says {}", counted(found, "edge"), promised));
}

// The number of vertices in a header.
std::uint64_t vertices_in(const GraphLines& lines, std::size_t index, std::string_view what)
{
    if (lines.word(index) == "0")
        lines.refuse("the graph has no vertex, so a search has nowhere to start; allowed: at least one vertex");
    return lines.number(index, 1, kMaxNumber, what);
}

EdgeList parse_matrix(GraphLines& lines)
{
    constexpr std::string_view kForm = "%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric";
    EdgeList list;
    lines.next("");
    std::array<std::string, 5> header;
    for (std::size_t index = 0; index < header.size() && lines.count() == header.size(); ++index)
        header.at(index) = in_lower_case(lines.word(index));
    const auto& [banner, object, format, field, symmetry] = header;
    if (banner != "%%matrixmarket" || object != "matrix" || format != "coordinate" ||
        (field != "pattern" && field != "integer" && field != "real") ||
        (symmetry != "general" && symmetry != "symmetric"))
        lines.refuse(fmt::format("this is not the header of a graph; allowed: {}", kForm));
    list.weighted = field != "pattern";
    list.both_ways = symmetry == "symmetric";
    const std::size_t words = list.weighted ? 3 : 2;
    const auto weight = [&, real = field == "real"]() -> std::uint32_t {
        if (!list.weighted)
            return 0;
        return real ? lines.real_weight(2, list.no_weights) : lines.number(2, 1, kMaxNumber, "weight");
    };
    if (!lines.next("%") || lines.count() != 3)
        lines.refuse_count("the line of sizes", "ROWS COLUMNS ENTRIES");
    list.vertices = vertices_in(lines, 0, "number of rows");
    if (lines.number(1, 0, kMaxNumber, "number of columns") != list.vertices)
        lines.refuse(fmt::format("a graph has a square matrix, not {} x {}", lines.word(0), lines.word(1)));
    const std::uint64_t entries = lines.number(2, 0, kMaxNumber, "number of entries");
    while (lines.next("%")) {
        if (lines.count() != words)
            lines.refuse_count("an entry", words == 2 ? "ROW COLUMN" : "ROW COLUMN VALUE");
        list.edges.push_back({lines.number(0, 1, list.vertices, "row") - 1,
                              lines.number(1, 1, list.vertices, "column") - 1, weight()});
    }
    expect_edges(lines, list.edges.size(), entries);
    return list;
}

EdgeList parse_dimacs(GraphLines& lines)
{
    EdgeList list;
    list.weighted = true;
    if (!lines.next("c") || lines.count() != 4 || lines.word(0) != "p" || lines.word(1) != "sp")
        lines.refuse("there is no problem line; allowed: p sp VERTICES EDGES");
    list.vertices = vertices_in(lines, 2, "number of vertices");
    const std::uint64_t edges = lines.number(3, 0, kMaxNumber, "number of edges");
    while (lines.next("c")) {
        if (lines.word(0) != "a" || lines.count() != 4)
            lines.refuse("this is not an edge; allowed: a FROM TO WEIGHT");
        list.edges.push_back({lines.number(1, 1, list.vertices, "vertex") - 1,
                              lines.number(2, 1, list.vertices, "vertex") - 1,
                              lines.number(3, 1, kMaxNumber, "weight")});
    }
    expect_edges(lines, list.edges.size(), edges);
    return list;
}

EdgeList parse_list(GraphLines& lines)
{
    EdgeList list;
    std::size_t words = 0;
    while (lines.next("#%")) {
        if (lines.count() < 2 || lines.count() > 3)
            lines.refuse_count("an edge", "FROM TO, or FROM TO WEIGHT");
        if (words != 0 && lines.count() != words)
            lines.refuse(
                fmt::format("this edge has {}, those before it have {}", counted(lines.count(), "word"), words));
        words = lines.count();
        list.edges.push_back({lines.number(0, 0, kMaxNumber, "vertex"), lines.number(1, 0, kMaxNumber, "vertex"),
                              words == 3 ? lines.number(2, 1, kMaxNumber, "weight") : 0});
        const Edge& edge = list.edges.back();
        list.vertices = std::max<std::uint64_t>(list.vertices, std::uint64_t{std::max(edge.from, edge.to)} + 1);
    }
    if (list.edges.empty())
        lines.refuse("the list has no edge, so a search has nowhere to start; allowed: at least one edge");
    list.weighted = words == 3;
    return list;
}

// One large number in a small file would take all memory.
void refuse_unused_numbers(const std::string& path, const EdgeList& list)
{
    const std::uint64_t most = kVerticesAnEdge * list.edges.size() + kMoreVertices;
    if (list.vertices > most)
        throw RunError(fmt::format(
            "{}: {} vertices are too many for {}; allowed: at most {} ({} for each edge, and {} "
            "more); renumber the vertices so that few numbers are unused",
            path, list.vertices, counted(list.edges.size(), "edge"), most, kVerticesAnEdge, kMoreVertices));
}

} // namespace

CsrGraph parse_graph(std::string_view text, const std::string& path, std::uint64_t seed)
{
    refuse_compressed(path);
    GraphLines lines(text, path);
    const std::string name = text_name(in_lower_case(path));
    EdgeList list = name.ends_with(".mtx")  ? parse_matrix(lines)
                    : name.ends_with(".gr") ? parse_dimacs(lines)
                                            : parse_list(lines);
    refuse_unused_numbers(path, list);
    if (!list.weighted || !list.no_weights.empty())
        for (std::size_t index = 0; index < list.edges.size(); ++index)
            list.edges[index].weight = weight_of(seed, index);
    try {
        CsrGraph graph = graph_of(list.vertices, list.edges, list.both_ways);
        graph.no_weights = std::move(list.no_weights);
        return graph;
    } catch (const std::invalid_argument& error) {
        throw RunError(path + ": " + error.what());
    }
}

CsrGraph read_graph(const std::string& graph_file_id, std::uint64_t seed)
{
    return parse_graph(read_graph_file(graph_file_id), path_in(graph_file_id), seed);
}

CsrGraph graph_of_case(const Case& point)
{
    return point.input == GraphInput::file ? read_graph(graph_file_of(point), point.seed) : make_graph(point);
}

} // namespace nestbed
