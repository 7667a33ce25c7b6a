#include "inspect/ncu.hpp"

#include "base/csv.hpp"
#include "base/table.hpp"
#include "base/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <functional>
#include <iterator>
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
// The thread instructions of the functions with which kernels launch are the launches.
constexpr const char* kCounted = "thread_inst_executed,inst_executed,launch__grid_size";
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

std::size_t column_of(const CsvRow& names, std::string_view name)
{
    return static_cast<std::size_t>(std::ranges::find(names.cells, name) - names.cells.begin());
}

// The name of a function without what only one of the pages has: namespaces, and the types of template arguments that are values.
std::string plain_name(const std::string& name)
{
    static const std::regex namespaces(R"((\(anonymous namespace\)|<?unnamed>|\b\w+)::)");
    static const std::regex types(R"(\([\w ]+\)(?=-?\d))");
    return std::regex_replace(std::regex_replace(name, namespaces, ""), types, "");
}

// The raw page: a row of names, a row of units, and one row per root grid. Returns the plain names of their kernels.
std::vector<std::string> read_root_kernels(const std::string& path)
{
    CsvRow names;
    std::size_t rows = 0;
    std::size_t last = 0;
    std::vector<std::string> kernels;
    read_rows(path, [&](const CsvRow& row) {
        last = row.line;
        if (++rows == 1)
            names = row;
        check_cells(path, names, row);
        const std::size_t kernel = column_of(names, kKernelName);
        if (kernel == names.cells.size())
            refuse(path, names.line, "a raw page of ncu has a column \"Kernel Name\"");
        if (rows > 2)
            kernels.push_back(plain_name(row.cells[kernel]));
    });
    if (kernels.empty())
        refuse(path, last, "the raw page has no root grid");
    return kernels;
}

// The source page has for each function its name, the names of columns, and its instructions.
struct Section {
    std::string name;
    std::string plain;
    std::uint64_t threads = 0;                                 // that executed its first instruction
    bool is_kernel() const { return !name.starts_with("__"); } // or a function of the program that is not inlined
    bool operator==(const Section&) const = default;
};

std::vector<Section> read_sections(const std::string& path)
{
    constexpr std::array kThreads{"thread_inst_executed",
                                  "Thread Instructions Executed"}; // with --metrics, with --section
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
        const std::size_t column = std::min(column_of(names, kThreads[0]), column_of(names, kThreads[1]));
        if (column == names.cells.size())
            refuse(path, names.line,
                   fmt::format("the section of {} has no {}", sections.back().name, fmt::join(kThreads, " or ")));
        std::string text = row.cells[column];
        std::erase(text, ','); // "1,980,000"
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), sections.back().threads);
        if (error != std::errc{} || end != text.data() + text.size())
            refuse(path, row.line, fmt::format("{} = '{}' is not a number", names.cells[column], row.cells[column]));
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

// The launches below one root grid, by its sections.
std::uint64_t launches_in(std::span<const Section> sections)
{
    std::uint64_t launches = 0;
    for (const Section& one : sections)
        if (!one.is_kernel())
            launches = std::max(launches, one.threads);
    return launches;
}

// ncu prints the sections of each root grid once or, in some pages, twice. Empty: they do not match the kernels.
std::vector<std::uint64_t> launches_of(const std::vector<Section>& sections, const std::vector<std::string>& kernels)
{
    std::vector<std::uint64_t> launches;
    for (std::size_t copies = 1; launches.empty() && copies * kernels.size() <= sections.size(); ++copies)
        std::ranges::transform(divided(sections, kernels, copies), std::back_inserter(launches), launches_in);
    return launches;
}

} // namespace

NcuCommands ncu_commands(const std::string& ncu, const std::string& stem, const std::vector<std::string>& options,
                         const std::vector<std::string>& program)
{
    const std::string report = stem + kReportEnding;
    NcuCommands commands{
        .collect = {ncu, "--clock-control", "none", "--cache-control", "none", "--metrics", kCounted},
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

NcuCounts read_ncu_pages(const std::string& source, const std::string& raw)
{
    const std::vector<std::string> root_grids = read_root_kernels(raw);
    const std::vector<std::uint64_t> launches = launches_of(read_sections(source), root_grids);
    if (launches.empty())
        throw RunError(fmt::format("{}: its sections do not match the root grids in {}: {}", source, raw,
                                   fmt::join(root_grids, ", ")));
    NcuCounts counts{.root_grids = root_grids.size()};
    for (std::size_t root = 0; root < root_grids.size(); ++root) {
        std::string name = root_grids[root].substr(0, root_grids[root].find_first_of("<("));
        name.erase(0, name.rfind(' ') + 1); // "sort" of "void sort<int>(T1 *)", as in the table of a counted program
        auto found = std::ranges::find(counts.kernels, name, &NcuKernel::name);
        if (found == counts.kernels.end())
            found = counts.kernels.insert(found, {.name = name});
        ++found->from_host;
        found->from_device += launches[root];
        counts.launches += launches[root];
    }
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
