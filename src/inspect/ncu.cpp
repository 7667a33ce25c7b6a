#include "inspect/ncu.hpp"

#include "base/csv.hpp"
#include "base/table.hpp"
#include "base/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <regex>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::string_view kKernelName = "Kernel Name";
constexpr std::string_view kDuration = "gpu__time_duration.sum";
constexpr std::string_view kActive = "sm__warps_active.avg.pct_of_peak_sustained_active";
// Metrics of the raw page and how their units begin.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kMetrics{{{"sm__ctas_launched.sum", "block"},
                                                                                 {"sm__warps_launched.sum", "warp"},
                                                                                 {kActive, "%"},
                                                                                 {"dram__bytes_read.sum", "byte"},
                                                                                 {"dram__bytes_write.sum", "byte"},
                                                                                 {kDuration, "ns"}}};
// A launch calls the first and, if there is room for its arguments, the second. CUDA's older runtime has only the second.
constexpr std::string_view kArgumentsFunction = "__cudaCDP2GetParameterBufferV2";
constexpr std::string_view kLaunchFunction = "__cudaCDP2LaunchDeviceV2";

[[noreturn]] void refuse(const std::string& path, std::size_t line, const std::string& why)
{
    throw RunError(fmt::format("{}:{}: {}", path, line, why));
}

// Reads the rows of a page, without the messages that ncu may print before it.
void read_rows(const std::string& path, const std::function<void(const CsvRow&)>& take)
{
    std::string text = read_text_file(path);
    for (std::size_t line = 0; line < text.size() && text.compare(line, 2, "==") == 0; ++line)
        text.erase(line, std::min(text.find('\n', line), text.size()) - line); // its line break counts
    CsvReader reader((std::string_view(text)));
    CsvRow row;
    try {
        while (reader.next(row))
            take(row);
    } catch (const CsvError& error) {
        throw RunError(fmt::format("{}: {}; the file may be cut off", path, error.what()));
    }
    if (row.line == 0)
        throw RunError(fmt::format("{}: it is empty", path));
    if (!text.ends_with('\n'))
        refuse(path, row.line, "the last line has no line break; the file may be cut off");
}

void check_cells(const std::string& path, const CsvRow& names, const CsvRow& row)
{
    if (row.cells.size() != names.cells.size())
        refuse(
            path, row.line,
            fmt::format("{} cells under {} columns; the file may be cut off", row.cells.size(), names.cells.size()));
}

std::optional<std::size_t> column_of(const CsvRow& names, std::string_view name)
{
    const auto found = std::ranges::find(names.cells, name);
    return found == names.cells.end() ? std::nullopt
                                      : std::optional(static_cast<std::size_t>(found - names.cells.begin()));
}

// "1,980,000", "192", "35.328000"; empty without such a column, or if ncu has no value.
std::optional<double> number_in(const std::string& path, const CsvRow& names, const CsvRow& row,
                                std::string_view name)
{
    const std::optional<std::size_t> column = column_of(names, name);
    if (!column || row.cells[*column].empty() || row.cells[*column] == "n/a")
        return {};
    std::string text = row.cells[*column];
    std::erase(text, ',');
    double value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
        refuse(path, row.line, fmt::format("{} = '{}' is not a number", name, row.cells[*column]));
    return value;
}

std::uint64_t whole(double value)
{
    return static_cast<std::uint64_t>(std::llround(value));
}

// The name of a function without what only one of the pages has: namespaces, and the types of template arguments that are values.
std::string plain_name(const std::string& name)
{
    static const std::regex namespaces(R"((\(anonymous namespace\)|<?unnamed>|\b\w+)::)");
    static const std::regex types(R"(\([\w ]+\)(?=-?\d))");
    return std::regex_replace(std::regex_replace(name, namespaces, ""), types, "");
}

// ---- the raw page: a row of names, a row of units, and one row per root grid ----

struct RawPage {
    std::vector<std::string> kernels;                       // of the root grids: their plain names
    std::map<std::string_view, std::vector<double>> values; // of a metric; none if ncu did not report all of them

    std::optional<std::uint64_t> sum(std::string_view metric) const
    {
        const std::vector<double>& all = values.at(metric);
        return all.empty() ? std::nullopt : std::optional(whole(std::reduce(all.begin(), all.end())));
    }
};

RawPage read_raw_page(const std::string& path)
{
    constexpr std::size_t kHead = 2;
    std::vector<CsvRow> rows;
    read_rows(path, [&](const CsvRow& row) {
        rows.push_back(row);
        check_cells(path, rows.front(), row);
    });
    const CsvRow& names = rows.front();
    const std::optional<std::size_t> kernel = column_of(names, kKernelName);
    if (!kernel)
        refuse(path, names.line, "a raw page of ncu has a column \"Kernel Name\"");
    if (rows.size() <= kHead)
        refuse(path, rows.back().line, "the raw page has no root grid");
    const std::span grids(rows.begin() + kHead, rows.end());
    RawPage page;
    for (const CsvRow& grid : grids)
        page.kernels.push_back(plain_name(grid.cells[*kernel]));
    for (const auto& [metric, unit] : kMetrics) {
        std::vector<double>& values = page.values[metric];
        const std::optional<std::size_t> column = column_of(names, metric);
        if (column && !rows[1].cells[*column].starts_with(unit)) // "ns", and "nsecond" in earlier versions
            refuse(path, rows[1].line,
                   fmt::format("the unit of {} is '{}'; allowed: {}", metric, rows[1].cells[*column], unit));
        for (const CsvRow& grid : grids)
            if (const std::optional<double> value = number_in(path, names, grid, metric))
                values.push_back(*value);
        if (values.size() != grids.size())
            values.clear();
    }
    return page;
}

// ---- the source page: for each function its name, the names of columns, and its instructions ----

struct Section {
    std::string name;
    std::string plain;
    std::uint64_t threads = 0;                                 // that executed its first instruction
    std::optional<std::uint64_t> warps;                        // that did
    bool is_kernel() const { return !name.starts_with("__"); } // or a function of the program that is not inlined
    bool operator==(const Section&) const = default;
};

std::vector<Section> read_sections(const std::string& path)
{
    constexpr std::array kThreads{"thread_inst_executed",
                                  "Thread Instructions Executed"}; // with --metrics, with --section
    constexpr std::array kWarps{"inst_executed", "Instructions Executed"};
    std::vector<Section> sections;
    CsvRow names;
    std::size_t instructions = 1;
    std::size_t last = 0;
    const auto end_section = [&] {
        if (instructions == 0)
            refuse(
                path, last,
                fmt::format("the section of {} has no instruction; the file may be cut off", sections.back().name));
    };
    read_rows(path, [&](const CsvRow& row) {
        last = row.line;
        if (row.cells.size() > 1 && row.cells.front() == kKernelName) {
            end_section();
            sections.push_back({.name = row.cells[1], .plain = plain_name(row.cells[1])});
            names.cells.clear();
            instructions = 0;
            return;
        }
        if (sections.empty())
            refuse(path, row.line, "a source page of ncu begins with \"Kernel Name\"");
        if (names.cells.empty()) {
            names = row;
            return;
        }
        check_cells(path, names, row);
        if (++instructions > 1)
            return;
        const auto number = [&](const auto& columns) {
            const std::optional<double> first = number_in(path, names, row, columns[0]);
            return first ? first : number_in(path, names, row, columns[1]);
        };
        const std::optional<double> threads = number(kThreads);
        if (!threads)
            refuse(path, names.line,
                   fmt::format("the section of {} has no {}", sections.back().name, fmt::join(kThreads, " or ")));
        sections.back().threads = whole(*threads);
        if (const std::optional<double> warps = number(kWarps))
            sections.back().warps = whole(*warps);
    });
    end_section();
    // Other functions of the compiler's may be several of one name in one root grid.
    std::erase_if(sections, [](const Section& one) {
        return !one.is_kernel() && one.name != kArgumentsFunction && one.name != kLaunchFunction;
    });
    return sections;
}

// The sections of each root grid; empty if they cannot be divided so. The page does not say where a root grid begins. But it
// has the root grids in the order of their launches, each as many times as there are copies, and each with every function once.
std::vector<std::span<const Section>> divided(const std::vector<Section>& sections,
                                              const std::vector<std::string>& kernels, std::size_t copies)
{
    std::vector<std::span<const Section>> grids;
    std::set<std::pair<std::size_t, std::size_t>> tried; // (section, root grid)
    const auto are_copies = [&](std::size_t begin, std::size_t size) {
        for (std::size_t at = begin + size; at < begin + copies * size; ++at)
            if (sections[at] != sections[at - size])
                return false;
        return true;
    };
    const std::function<bool(std::size_t, std::size_t)> divide = [&](std::size_t begin, std::size_t root) {
        if (root == kernels.size())
            return begin == sections.size();
        if (!tried.insert({begin, root}).second)
            return false;
        std::size_t size = 0;
        for (std::set<std::string_view> names;
             begin + size < sections.size() && names.insert(sections[begin + size].name).second;)
            ++size;
        for (; size > 0; --size) { // the longest first
            const std::size_t end = begin + copies * size;
            if (end > sections.size() || (end < sections.size() && !sections[end].is_kernel()))
                continue;
            const std::span grid(&sections[begin], size);
            if (std::ranges::find(grid, kernels[root], &Section::plain) != grid.end() && are_copies(begin, size) &&
                divide(end, root + 1)) {
                grids.push_back(grid);
                return true;
            }
        }
        return false;
    };
    divide(0, 0);
    std::ranges::reverse(grids);
    return grids;
}

// What the sections say of one root grid, with its descendants.
struct RootGrid {
    std::uint64_t launches = 0;
    std::optional<std::uint64_t> warps = 0; // of kernels
};

RootGrid root_grid_of(std::span<const Section> sections)
{
    RootGrid grid;
    for (const Section& one : sections)
        if (!one.is_kernel())
            grid.launches = std::max(grid.launches, one.threads);
        else
            grid.warps = grid.warps && one.warps ? std::optional(*grid.warps + *one.warps) : std::nullopt;
    return grid;
}

// ncu prints the sections of each root grid once or, in some pages, twice. Empty: they do not match the kernels.
std::vector<RootGrid> root_grids_of(const std::vector<Section>& sections, const std::vector<std::string>& kernels)
{
    std::vector<RootGrid> grids;
    for (std::size_t copies = 1; grids.empty() && copies * kernels.size() <= sections.size(); ++copies)
        for (const std::span<const Section> grid : divided(sections, kernels, copies))
            grids.push_back(root_grid_of(grid));
    return grids;
}

} // namespace

NcuCommands ncu_commands(const std::string& ncu, const std::string& stem, const std::vector<std::string>& options,
                         const std::vector<std::string>& program)
{
    const std::string report = stem + kReportEnding;
    NcuCommands commands{.collect = {ncu, "--clock-control", "none", "--cache-control", "none"},
                         .source = {ncu, "--import", report, "--page", "source", "--csv"},
                         .raw = {ncu, "--import", report, "--page", "raw", "--csv", "--print-units", "base"}};
    const std::vector<std::string> rest{"--import-source", "no", "--force-overwrite", "--export", report};
    for (const std::vector<std::string>* words : {&options, &rest, &program})
        commands.collect.insert(commands.collect.end(), words->begin(), words->end());
    return commands;
}

std::string ncu_reason(const std::string& path)
{
    const std::string text = std::filesystem::exists(path) ? read_text_file(path) : "";
    if (text.find("ERR_NVGPUCTRPERM") != std::string::npos)
        throw NcuUnusable("ncu has no permission to read the GPU's counters; "
                          "https://developer.nvidia.com/ERR_NVGPUCTRPERM explains how to grant it");
    for (const std::string_view mark : {"==ERROR== ", "==WARNING== "})
        if (const std::size_t begin = text.rfind(mark); begin != std::string::npos) {
            const std::size_t from = begin + mark.size();
            return text.substr(from, text.find_first_of("\r\n", from) - from);
        }
    return "";
}

std::optional<std::uint64_t> NcuCounts::runtime_blocks() const
{
    return warps && kernel_warps ? std::optional(*warps - *kernel_warps) : std::nullopt;
}

NcuCounts read_ncu_pages(const std::string& source, const std::string& raw)
{
    const RawPage page = read_raw_page(raw);
    const std::vector<RootGrid> grids = root_grids_of(read_sections(source), page.kernels);
    if (grids.empty())
        throw RunError(fmt::format("{}: its sections do not match the root grids in {}: {}", source, raw,
                                   fmt::join(page.kernels, ", ")));
    NcuCounts counts{.root_grids = grids.size(), .kernel_warps = 0};
    for (std::size_t root = 0; root < grids.size(); ++root) {
        std::string name = page.kernels[root].substr(0, page.kernels[root].find_first_of("<("));
        name.erase(0, name.rfind(' ') + 1); // "sort" of "void sort<int>(T1 *)", as in the table of a counted program
        auto found = std::ranges::find(counts.kernels, name, &NcuKernel::name);
        if (found == counts.kernels.end())
            found = counts.kernels.insert(found, {.name = name});
        ++found->from_host;
        found->from_device += grids[root].launches;
        counts.launches += grids[root].launches;
        if (const auto& warps = grids[root].warps; counts.kernel_warps)
            counts.kernel_warps = warps ? std::optional(*counts.kernel_warps + *warps) : std::nullopt;
    }
    counts.blocks = page.sum("sm__ctas_launched.sum");
    counts.warps = page.sum("sm__warps_launched.sum");
    counts.dram_read_bytes = page.sum("dram__bytes_read.sum");
    counts.dram_write_bytes = page.sum("dram__bytes_write.sum");
    const std::vector<double>& ns = page.values.at(kDuration);
    const std::vector<double>& active = page.values.at(kActive);
    const double all_ns = std::reduce(ns.begin(), ns.end());
    if (!ns.empty())
        counts.duration_us = all_ns / 1e3;
    if (!active.empty() && all_ns > 0)
        counts.occupancy_percent = std::inner_product(ns.begin(), ns.end(), active.begin(), 0.0) / all_ns;
    return counts;
}

std::string ncu_text(const NcuCounts& counts)
{
    std::vector<Column> columns{{"kernel", true}, {"from host"}, {"from device"}};
    for (const NcuKernel& one : counts.kernels)
        add_row(columns, {one.name, std::to_string(one.from_host), std::to_string(one.from_device)});
    add_row(columns, {"total", std::to_string(counts.root_grids), std::to_string(counts.launches)});
    return table_text(std::move(columns));
}

} // namespace nestbed
