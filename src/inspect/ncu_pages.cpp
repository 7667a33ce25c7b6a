#include "inspect/ncu_pages.hpp"

#include "base/error.hpp"
#include "inspect/ncu_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::string_view kLaunchFunction = "__cudaCDP2LaunchDeviceV2";
constexpr std::string_view kKernelName = "Kernel Name";
// The name of a metric, and its name in the section SourceCounters.
using Names = std::array<std::string_view, 2>;
constexpr Names kThreadInstructions{"thread_inst_executed", "Thread Instructions Executed"};
constexpr Names kInstructions{"inst_executed", "Instructions Executed"};

// ---- the source page ----

struct Section {
    std::string_view name;
    Line title, names, first; // its three kinds of lines; `first` is the first instruction
    std::size_t lines = 0;    // number of lines with instructions
    std::string_view text;    // from the names to the last line
};

// The name in `"Kernel Name","NAME",`; empty for any other line.
std::optional<std::string_view> section_name(std::string_view line)
{
    constexpr std::string_view kLabel = "\"Kernel Name\",\"";
    const std::size_t end = line.rfind('"');
    if (!line.starts_with(kLabel) || end < kLabel.size())
        return std::nullopt;
    return line.substr(kLabel.size(), end - kLabel.size());
}

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

std::uint64_t threads_of(const std::string& path, const Section& section)
{
    const std::optional<std::uint64_t> times = times_called(path, section, kThreadInstructions);
    if (!times)
        Place{path, section.names.number}.refuse("the section of {} has no column {}; columns: {}", section.name,
                                                 fmt::join(kThreadInstructions, " or "),
                                                 fmt::join(cells_of(path, section.names), ", "));
    return *times;
}

// Functions of the device runtime and of the compiler begin with "__". All other functions of this program's kernels
// are inlined.
bool is_kernel(const Section& section)
{
    return !section.name.starts_with("__");
}

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

// The name of a function without what the raw page leaves out: namespaces, and the types of values.
std::string plain(std::string_view name)
{
    std::string text;
    for (std::size_t index = 0; index < name.size(); ++index) {
        const std::string_view rest = name.substr(index);
        if (rest.starts_with("::")) { // the text so far ends in a namespace
            if (!text.empty() && text.back() == ')')
                take_off_brackets(text); // (anonymous namespace)
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

// How many copies of each section the page prints: the sections of a kernel divided by its root grids.
std::size_t copies_in(const std::string& path, const std::vector<Section>& sections, const RawPage& raw)
{
    std::map<std::string, std::size_t> grids;
    for (const std::string& kernel : raw.kernels)
        ++grids[plain(kernel)];
    std::map<std::string, std::size_t> printed;
    for (const Section& section : sections)
        ++printed[plain(section.name)];
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

// Throws if the page does not print every section so many times. Root grids that did the same have equal sections.
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

// ---- the raw page ----

// Each unit in nanoseconds or in bytes. The units of ncu are decimal: 1 Kbyte is 1000 bytes.
using Units = std::span<const std::pair<std::string_view, double>>;
constexpr std::array kTimes{std::pair{std::string_view("ns"), 1.0}, std::pair{std::string_view("nsecond"), 1.0},
                            std::pair{std::string_view("us"), 1e3}, std::pair{std::string_view("usecond"), 1e3},
                            std::pair{std::string_view("ms"), 1e6}, std::pair{std::string_view("msecond"), 1e6},
                            std::pair{std::string_view("s"), 1e9},  std::pair{std::string_view("second"), 1e9}};
constexpr std::array kBytes{std::pair{std::string_view("byte"), 1.0}, std::pair{std::string_view("Kbyte"), 1e3},
                            std::pair{std::string_view("Mbyte"), 1e6}, std::pair{std::string_view("Gbyte"), 1e9}};

class RawTable
{
  public:
    RawTable(const std::string& path, std::string_view text) : path_(path), lines_(lines_of(path, text))
    {
        for (const Line& line : lines_) {
            rows_.push_back(cells_of(path, line));
            if (rows_.back().size() != rows_.front().size())
                Place{path, line.number}.refuse("{} cells under {} columns; the file may be cut off",
                                                rows_.back().size(), rows_.front().size());
        }
        if (!column_of(rows_.front(), kKernelName))
            Place{path, lines_.front().number}.refuse("a raw page of ncu has a column \"{}\"", kKernelName);
        if (rows_.size() <= kHead)
            Place{path, lines_.back().number}.refuse("the raw page has no root grid");
    }

    std::size_t root_grids() const { return rows_.size() - kHead; }

    std::vector<std::string> texts(std::string_view name) const
    {
        std::vector<std::string> cells;
        for (std::size_t row = kHead; row < rows_.size(); ++row)
            cells.push_back(rows_[row][*column_of(rows_.front(), name)]);
        return cells;
    }

    // One number per root grid; empty if ncu did not report one of them.
    std::optional<std::vector<double>> numbers(std::string_view name, Units units = {}) const
    {
        const std::optional<std::size_t> column = column_of(rows_.front(), name);
        if (!column)
            return std::nullopt;
        const std::string& unit = rows_[1][*column];
        const auto known = std::ranges::find(units, unit, &Units::value_type::first);
        if (!units.empty() && known == units.end())
            Place{path_, lines_[1].number}.refuse("the unit of {} is '{}'; allowed: {}", name, unit, names_of(units));
        std::vector<double> values;
        for (std::size_t row = kHead; row < rows_.size(); ++row) {
            const std::string& cell = rows_[row][*column];
            if (cell.empty() || cell == "n/a")
                return std::nullopt;
            const std::optional<double> number = number_in(cell);
            if (!number)
                Place{path_, lines_[row].number}.refuse("{} = '{}' is not a number", name, cell);
            values.push_back(*number * (units.empty() ? 1 : known->second));
        }
        return values;
    }

  private:
    static constexpr std::size_t kHead = 2; // rows of names and units

    static std::string names_of(Units units)
    {
        std::vector<std::string_view> names;
        for (const auto& [name, factor] : units)
            names.push_back(name);
        return fmt::format("{}", fmt::join(names, ", "));
    }

    const std::string& path_;
    std::vector<Line> lines_;
    std::vector<Cells> rows_;
};

std::optional<double> sum(const std::optional<std::vector<double>>& values)
{
    return values ? std::optional(std::reduce(values->begin(), values->end())) : std::nullopt;
}

std::optional<std::uint64_t> count(const std::optional<std::vector<double>>& values)
{
    return values ? std::optional(static_cast<std::uint64_t>(std::llround(*sum(values)))) : std::nullopt;
}

std::optional<double> weighted(const std::optional<std::vector<double>>& values,
                               const std::optional<std::vector<double>>& weights)
{
    const double all = sum(weights).value_or(0);
    return values && all > 0
               ? std::optional(std::transform_reduce(values->begin(), values->end(), weights->begin(), 0.0) / all)
               : std::nullopt;
}

} // namespace

RawPage parse_raw_page(const std::string& path, std::string_view text)
{
    const RawTable table(path, text);
    const auto duration_ns = table.numbers("gpu__time_duration.sum", kTimes);
    RawPage page{.kernels = table.texts(kKernelName)};
    page.counters = {
        .root_grids = table.root_grids(),
        .blocks = count(table.numbers("sm__ctas_launched.sum")),
        .warps = count(table.numbers("sm__warps_launched.sum")),
        .occupancy_percent =
            weighted(table.numbers("sm__warps_active.avg.pct_of_peak_sustained_active"), duration_ns),
        .dram_read_bytes = count(table.numbers("dram__bytes_read.sum", kBytes)),
        .dram_write_bytes = count(table.numbers("dram__bytes_write.sum", kBytes)),
    };
    if (const auto ns = sum(duration_ns))
        page.counters.duration_us = *ns / 1e3;
    return page;
}

SourcePage parse_source_page(const std::string& path, std::string_view text, const std::optional<RawPage>& raw)
{
    const std::vector<Section> sections = sections_of(path, text);
    std::set<std::string_view> names;
    for (const Section& section : sections)
        if (!raw && !names.insert(section.name).second)
            Place{path, section.title.number}.refuse("a second section of {}: it may be a copy or another root grid; "
                                                     "to find out, put the raw page beside this file",
                                                     section.name);
    const std::size_t copies = raw ? copies_in(path, sections, *raw) : 1;
    check_copies(path, sections, copies);
    SourcePage page{.kernel_warps = 0};
    for (const Section& section : sections) {
        const std::uint64_t threads = threads_of(path, section); // throws if nothing was counted
        if (section.name == kLaunchFunction)
            page.launches += threads;
        if (!is_kernel(section))
            continue;
        const std::optional<std::uint64_t> warps = times_called(path, section, kInstructions);
        page.kernel_warps = page.kernel_warps && warps ? std::optional(*page.kernel_warps + *warps) : std::nullopt;
    }
    page.launches /= copies;
    if (page.kernel_warps)
        *page.kernel_warps /= copies;
    return page;
}

} // namespace nestbed
