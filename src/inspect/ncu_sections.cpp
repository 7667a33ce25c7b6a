#include "inspect/ncu_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace nestbed
{

namespace
{

// The name of a metric, and its name in the section SourceCounters.
using Names = std::array<std::string_view, 2>;
constexpr Names kThreadInstructions{"thread_inst_executed", "Thread Instructions Executed"};
constexpr Names kInstructions{"inst_executed", "Instructions Executed"};

// The name in `"Kernel Name","NAME",`; empty for any other line.
std::optional<std::string_view> section_name(std::string_view line)
{
    constexpr std::string_view kLabel = "\"Kernel Name\",\"";
    const std::size_t end = line.rfind('"');
    if (!line.starts_with(kLabel) || end < kLabel.size())
        return std::nullopt;
    return line.substr(kLabel.size(), end - kLabel.size());
}

// How often the first instruction of a section was executed, from the column with one of these names; empty without
// it.
std::optional<std::uint64_t> times_called(const std::string& path, const Section& section, const Names& columns)
{
    const Cells names = cells_of(path, section.names);
    const Cells cells = cells_of(path, section.first);
    std::optional<std::size_t> column;
    for (const std::string_view name : columns)
        column = column ? column : column_of(names, name);
    if (!column)
        return std::nullopt;
    const Place place{path, section.first.number};
    if (cells.size() != names.size())
        place.refuse("{} cells under {} columns", cells.size(), names.size());
    const std::optional<double> number = number_in(cells[*column]);
    if (!number)
        place.refuse("{} = '{}' is not a number", names[*column], cells[*column]);
    return static_cast<std::uint64_t>(std::llround(*number));
}

// An unnamed namespace: "<unnamed>" in the source page, and without the first character in the raw page.
constexpr std::string_view kUnnamed = "unnamed>";

bool is_word(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Removes "(...)" from the end of the text if only words are inside.
void take_off_brackets(std::string& text)
{
    const std::size_t open = text.rfind('(');
    if (open != std::string::npos && std::all_of(text.begin() + static_cast<std::ptrdiff_t>(open) + 1, text.end() - 1,
                                                 [](char c) { return is_word(c) || c == ' '; }))
        text.resize(open);
}

} // namespace

std::vector<Section> sections_of(const std::string& path, std::string_view text)
{
    std::vector<Section> sections;
    std::size_t columns = 0;
    const std::vector<Line> lines = lines_of(path, text);
    for (const Line& line : lines) {
        const Place place{path, line.number};
        if (const auto name = section_name(line.text)) {
            if (!sections.empty() && sections.back().lines == 0)
                place.refuse("the section of {} before it has no instruction; the file may be cut off",
                             sections.back().name);
            sections.push_back({.name = *name, .title = line});
            continue;
        }
        if (sections.empty())
            place.refuse("a source page of ncu begins with \"Kernel Name\", not with {}", line.text.substr(0, 40));
        Section& section = sections.back();
        if (section.names.number == 0) {
            section.names = line;
            columns = cells_of(path, line).size();
            section.text = line.text;
            continue;
        }
        section.first = section.lines == 0 ? line : section.first;
        ++section.lines;
        section.text = {section.names.text.data(),
                        static_cast<std::size_t>(line.text.data() + line.text.size() - section.names.text.data())};
    }
    const Place end{path, lines.back().number};
    if (sections.back().lines == 0)
        end.refuse("the section of {} has no instruction; the file may be cut off", sections.back().name);
    if (const std::size_t cells = cells_of(path, lines.back()).size(); cells != columns)
        end.refuse("{} cells under {} columns; the file may be cut off", cells, columns);
    return sections;
}

std::uint64_t threads_of(const std::string& path, const Section& section)
{
    const std::optional<std::uint64_t> times = times_called(path, section, kThreadInstructions);
    if (!times)
        Place{path, section.names.number}.refuse("the section of {} has no column {}; columns: {}", section.name,
                                                 fmt::join(kThreadInstructions, " or "),
                                                 fmt::join(cells_of(path, section.names), ", "));
    return *times;
}

std::optional<std::uint64_t> warps_of(const std::string& path, const Section& section)
{
    return times_called(path, section, kInstructions);
}

bool is_kernel(const Section& section)
{
    return !section.name.starts_with("__");
}

std::string plain_name(std::string_view name)
{
    std::string text;
    for (std::size_t index = 0; index < name.size(); ++index) {
        const std::string_view rest = name.substr(index);
        if (rest.starts_with("::")) { // the text so far ends in a namespace
            if (!text.empty() && text.back() == ')')
                take_off_brackets(text); // (anonymous namespace)
            if (text.ends_with(kUnnamed)) {
                text.resize(text.size() - kUnnamed.size());
                if (text.ends_with('<'))
                    text.pop_back();
            }
            while (!text.empty() && is_word(text.back()))
                text.pop_back();
            ++index;
            continue;
        }
        const std::size_t digit = rest.front() == '-' ? 1 : 0;
        if (rest.size() > digit && std::isdigit(static_cast<unsigned char>(rest[digit])) != 0 && !text.empty() &&
            text.back() == ')')
            take_off_brackets(text); // (unsigned int)32
        text += rest.front();
    }
    return text;
}

std::size_t copies_in(const std::string& path, const std::vector<Section>& sections, const RawPage& raw)
{
    std::map<std::string, std::size_t> grids;
    for (const std::string& kernel : raw.kernels)
        ++grids[plain_name(kernel)];
    std::map<std::string, std::size_t> printed;
    for (const Section& section : sections)
        ++printed[plain_name(section.name)];
    std::set<std::size_t> found;
    std::vector<std::string> counts;
    for (const auto& [kernel, number] : grids) {
        found.insert(printed[kernel] % number == 0 ? printed[kernel] / number : 0);
        counts.push_back(fmt::format("{} sections of {}, {} root grids", printed[kernel], kernel, number));
    }
    if (found.size() != 1 || *found.begin() == 0)
        throw RunError(fmt::format("{}: its sections do not match the raw page: {}", path, fmt::join(counts, "; ")));
    return *found.begin();
}

void check_copies(const std::string& path, const std::vector<Section>& sections, std::size_t copies)
{
    std::map<std::pair<std::string_view, std::string_view>, std::vector<const Section*>> same;
    for (const Section& section : sections)
        same[{section.name, section.text}].push_back(&section);
    for (const auto& [what, those] : same)
        if (those.size() % copies != 0)
            Place{path, those.back()->title.number}.refuse(
                "a section of {} appears {} times; expected: a multiple of {}", what.first, those.size(), copies);
}

} // namespace nestbed
