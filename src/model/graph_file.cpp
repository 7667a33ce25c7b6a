#include "model/graph_file.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <vector>

namespace nestbed
{

namespace
{

constexpr std::uint64_t kMostNumber = UINT32_MAX - 1;
constexpr std::size_t kHashDigits = 12;

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
            refuse(fmt::format("'{}' is no {}; allowed: {} to {}", text, what, least, most));
        return static_cast<std::uint32_t>(value);
    }

    [[noreturn]] void refuse(const std::string& why) const
    {
        throw RunError(fmt::format("{}:{}: {}", path_, line_, why));
    }
    [[noreturn]] void refuse_count(std::string_view what, std::string_view form) const
    {
        refuse(fmt::format(
            "{} has {} words; allowed: {}", what,
            count_ > words_.size() ? fmt::format("more than {}", words_.size()) : std::to_string(count_), form));
    }

  private:
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
};

void expect_edges(const GraphLines& lines, std::size_t found, std::uint64_t promised)
{
    if (found != promised)
        lines.refuse(fmt::format("the file has {} edges; its header says {}", found, promised));
}

EdgeList parse_matrix(GraphLines& lines)
{
    constexpr std::string_view kForm = "%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric";
    EdgeList list;
    if (!lines.next("") || lines.count() != 5 || lines.word(0) != "%%MatrixMarket" || lines.word(1) != "matrix" ||
        lines.word(2) != "coordinate" ||
        (lines.word(3) != "pattern" && lines.word(3) != "integer" && lines.word(3) != "real") ||
        (lines.word(4) != "general" && lines.word(4) != "symmetric"))
        lines.refuse(fmt::format("this is not the header of a graph; allowed: {}", kForm));
    list.weighted = lines.word(3) == "integer";
    list.both_ways = lines.word(4) == "symmetric";
    const std::size_t words = lines.word(3) == "pattern" ? 2 : 3;
    if (!lines.next("%") || lines.count() != 3)
        lines.refuse_count("the line of sizes", "ROWS COLUMNS ENTRIES");
    list.vertices = lines.number(0, 0, kMostNumber, "number of rows");
    if (lines.number(1, 0, kMostNumber, "number of columns") != list.vertices)
        lines.refuse(fmt::format("a graph has a square matrix, not {} x {}", lines.word(0), lines.word(1)));
    const std::uint64_t entries = lines.number(2, 0, kMostNumber, "number of entries");
    while (lines.next("%")) {
        if (lines.count() != words)
            lines.refuse_count("an entry", words == 2 ? "ROW COLUMN" : "ROW COLUMN VALUE");
        list.edges.push_back({lines.number(0, 1, list.vertices, "row") - 1,
                              lines.number(1, 1, list.vertices, "column") - 1,
                              list.weighted ? lines.number(2, 1, kMostNumber, "weight") : 0});
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
    list.vertices = lines.number(2, 0, kMostNumber, "number of vertices");
    const std::uint64_t edges = lines.number(3, 0, kMostNumber, "number of edges");
    while (lines.next("c")) {
        if (lines.word(0) != "a" || lines.count() != 4)
            lines.refuse("this is not an edge; allowed: a FROM TO WEIGHT");
        list.edges.push_back({lines.number(1, 1, list.vertices, "vertex") - 1,
                              lines.number(2, 1, list.vertices, "vertex") - 1,
                              lines.number(3, 1, kMostNumber, "weight")});
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
            lines.refuse(fmt::format("this edge has {} words, those before {}", lines.count(), words));
        words = lines.count();
        list.edges.push_back({lines.number(0, 0, kMostNumber, "vertex"), lines.number(1, 0, kMostNumber, "vertex"),
                              words == 3 ? lines.number(2, 1, kMostNumber, "weight") : 0});
        const Edge& edge = list.edges.back();
        list.vertices = std::max<std::uint64_t>(list.vertices, std::uint64_t{std::max(edge.from, edge.to)} + 1);
    }
    if (list.edges.empty())
        lines.refuse("the list has no edge");
    list.weighted = words == 3;
    return list;
}

} // namespace

CsrGraph parse_graph(std::string_view text, const std::string& path, std::uint64_t seed)
{
    GraphLines lines(text, path);
    EdgeList list = path.ends_with(".mtx")  ? parse_matrix(lines)
                    : path.ends_with(".gr") ? parse_dimacs(lines)
                                            : parse_list(lines);
    if (list.vertices == 0)
        throw RunError(path + ": the graph has no vertex");
    if (!list.weighted)
        for (std::size_t index = 0; index < list.edges.size(); ++index)
            list.edges[index].weight = weight_of(seed, index);
    try {
        return graph_of(list.vertices, list.edges, list.both_ways);
    } catch (const std::invalid_argument& error) {
        throw RunError(path + ": " + error.what());
    }
}

std::string graph_file_id(const std::string& path)
{
    if (std::ranges::any_of(path, [](unsigned char c) { return c <= ' ' || c == '#' || c == '=' || c >= 0x7F; }))
        throw RunError(fmt::format("the name '{}' cannot be part of a key; allowed: a name of printable ASCII "
                                   "characters without a space, '#' and '='",
                                   path));
    return path + "#" + sha256_of(read_text_file(path)).substr(0, kHashDigits);
}

std::string path_in(const std::string& graph_file_id)
{
    return graph_file_id.substr(0, graph_file_id.find('#'));
}

CsrGraph read_graph(const std::string& graph_file_id, std::uint64_t seed)
{
    const std::string path = path_in(graph_file_id);
    const std::string text = read_text_file(path);
    if (const std::string now = path + "#" + sha256_of(text).substr(0, kHashDigits); now != graph_file_id)
        throw RunError(fmt::format("{}: the file has changed: it is {} now, and was {}", path, now, graph_file_id));
    return parse_graph(text, path, seed);
}

CsrGraph graph_of_case(const Case& point)
{
    return point.input == InputKind::file ? read_graph(point.graph_file, point.seed) : make_graph(point);
}

} // namespace nestbed
