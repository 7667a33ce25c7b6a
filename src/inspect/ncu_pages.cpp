#include "inspect/ncu_pages.hpp"

#include "base/error.hpp"
#include "inspect/ncu_lines.hpp"
#include "inspect/ncu_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::string_view kKernelName = "Kernel Name";

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
        const std::optional<std::uint64_t> warps = warps_of(path, section);
        page.kernel_warps = page.kernel_warps && warps ? std::optional(*page.kernel_warps + *warps) : std::nullopt;
    }
    page.launches /= copies;
    if (page.kernel_warps)
        *page.kernel_warps /= copies;
    return page;
}

} // namespace nestbed
