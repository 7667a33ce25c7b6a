#include "inspect/reconcile_tables.hpp"

#include "base/table.hpp"
#include "base/text.hpp"
#include "model/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace nestbed
{

namespace
{

constexpr bool kLeft = true;
constexpr bool kAxis = true;

// The cases of one workload have the same axes.
struct Workload {
    std::string name;
    std::vector<std::pair<std::size_t, const Reconciled*>> cases; // with the number of the case in the tables
};

std::vector<Workload> by_workload(const std::vector<Reconciled>& cases)
{
    std::vector<Workload> workloads;
    for (std::size_t index = 0; index < cases.size(); ++index) {
        const Strategy* const strategy = Registry::find_if_built(cases[index].cell("strategy"));
        const std::string name = strategy == nullptr ? "" : std::string(strategy->info().workload->name);
        auto found = std::ranges::find(workloads, name, &Workload::name);
        if (found == workloads.end())
            found = workloads.insert(workloads.end(), {name, {}});
        found->cases.emplace_back(index + 1, &cases[index]);
    }
    return workloads;
}

// The number of elements, if it does not follow from blocks and threads.
std::string ragged_elements(const Reconciled& one)
{
    const auto number = [&](const char* column) {
        const std::string text = one.cell(column);
        return text.empty() ? 0ULL : std::strtoull(text.c_str(), nullptr, 10);
    };
    return number("grid") == 0 || number("elements") == number("grid") * number("block") ? "" : one.cell("elements");
}

void add_line(std::vector<Column>& columns, const std::vector<std::string>& cells)
{
    for (std::size_t index = 0; index < columns.size(); ++index)
        columns[index].cells.push_back(cells[index]);
}

std::string verdict_cell(const Reconciled& one)
{
    return one.verdict == Verdict::not_counted ? "none" : std::string(name_of(one.verdict));
}

std::string launches_table(const Workload& workload)
{
    std::vector<Column> columns{{"#"}, {"workload", kLeft, kAxis}};
    for (const char* name : {"strategy", "mechanism"})
        columns.push_back({name, kLeft, kAxis});
    columns.push_back({"type", kLeft, kAxis, 2});
    for (const char* name : {"elements", "grid", "block", "nx", "ny", "depth"})
        columns.push_back({name, !kLeft, kAxis});
    columns.push_back({"input", kLeft, kAxis});
    for (const char* name : {"threshold", "coarsen"})
        columns.push_back({name, !kLeft, kAxis});
    columns.push_back({"aggregate", kLeft, kAxis});
    for (const char* name : {"expected", "ledger", "Nsight"})
        columns.push_back({name});
    columns.push_back({"verdict", kLeft, kAxis});
    columns.push_back({"status", kLeft, kAxis, 1});
    for (const auto& [number, one] : workload.cases)
        add_line(columns, {std::to_string(number),
                           workload.name,
                           one->cell("strategy"),
                           one->cell("mechanism"),
                           one->cell("type"),
                           ragged_elements(*one),
                           one->cell("grid"),
                           one->cell("block"),
                           one->cell("nx"),
                           one->cell("ny"),
                           one->cell("depth"),
                           one->cell("input"),
                           one->cell("threshold"),
                           one->cell("coarsen"),
                           one->cell("aggregate"),
                           one->cell("launches_expected"),
                           one->cell("launches_attempted"),
                           one->nsight ? std::to_string(*one->nsight) : "",
                           verdict_cell(*one),
                           one->cell("status")});
    return table_text(std::move(columns));
}

template <class Number>
std::string cell_text(const std::optional<Number>& number)
{
    return number ? fmt::format("{}", *number) : "";
}

// Empty if no case of the workload has a raw page.
std::string counters_table(const Workload& workload)
{
    std::vector<Column> columns{{"#"}, {"workload", kLeft, kAxis}, {"strategy", kLeft, kAxis}};
    for (const char* name : {"grids", "blocks", "runtime", "warps", "active", "DRAM", "duration"})
        columns.push_back({name});
    for (const auto& [number, one] : workload.cases) {
        if (!one->counters)
            continue;
        const Counters& counted = *one->counters;
        const bool dram = counted.dram_read_bytes && counted.dram_write_bytes;
        add_line(columns,
                 {std::to_string(number), workload.name, one->cell("strategy"), std::to_string(counted.root_grids),
                  cell_text(one->user_blocks()), cell_text(one->runtime_blocks()), cell_text(counted.warps),
                  counted.occupancy_percent ? fmt::format("{:.1f}%", *counted.occupancy_percent) : "",
                  dram ? format_bytes(static_cast<double>(*counted.dram_read_bytes + *counted.dram_write_bytes)) : "",
                  counted.duration_us ? format_us(*counted.duration_us) : ""});
    }
    return columns.front().cells.empty() ? "" : table_text(std::move(columns));
}

std::string details_of(const std::vector<Reconciled>& cases)
{
    std::string text;
    for (std::size_t index = 0; index < cases.size(); ++index)
        if (const Reconciled& one = cases[index]; one.verdict != Verdict::equal)
            text += folded(fmt::format("# {} {}: {}", index + 1, name_of(one.verdict), one.detail), 0);
    return text.empty() ? "" : fmt::format("\n{}", text);
}

std::string verdicts_of(const std::vector<Reconciled>& cases)
{
    std::vector<std::string> parts;
    for (const Verdict verdict : {Verdict::equal, Verdict::differ, Verdict::not_counted})
        if (const auto count = std::ranges::count(cases, verdict, &Reconciled::verdict); count != 0)
            parts.push_back(fmt::format("{} {}", count, name_of(verdict)));
    return fmt::format("\n{} {}: {}\n", cases.size(), cases.size() == 1 ? "case" : "cases", fmt::join(parts, ", "));
}

} // namespace

std::string reconcile_text(const std::vector<Reconciled>& cases)
{
    const std::vector<Workload> workloads = by_workload(cases);
    std::string text = "Device launches: expected by the closed form, in the ledger, by Nsight Compute\n";
    for (const Workload& workload : workloads)
        text += fmt::format("\n{}", launches_table(workload));
    text += details_of(cases) + verdicts_of(cases);

    std::string counters;
    for (const Workload& workload : workloads)
        if (const std::string table = counters_table(workload); !table.empty())
            counters += fmt::format("\n{}", table);
    if (counters.empty())
        return text;
    text += fmt::format("\nWhat Nsight Compute counts beside them\n{}\n", counters);
    text +=
        folded("grids: root grids. blocks: theirs and their descendants'. runtime: blocks that the device runtime "
               "launches for itself. active: achieved occupancy. DRAM: bytes read and written.",
               0);
    text +=
        folded("Durations and occupancy are of root grids that run one at a time under the profiler, not the case's "
               "time.",
               0);
    return text;
}

} // namespace nestbed
