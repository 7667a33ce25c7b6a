#include "inspect/reconcile.hpp"

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text_file.hpp"
#include "inspect/ncu_lines.hpp"
#include "model/mechanism.hpp"
#include "run/profiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <set>
#include <utility>

namespace nestbed
{

namespace
{

namespace fs = std::filesystem;

std::optional<std::uint64_t> count_in(std::string_view text)
{
    std::uint64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(count) : std::nullopt;
}

std::string stem_of(const std::string& path, std::string_view ending)
{
    return path.substr(0, path.size() - ending.size());
}

} // namespace

LedgerRow parse_ledger(const std::string& path, std::string_view text)
{
    std::vector<Cells> rows;
    try {
        rows = parse_csv(text);
    } catch (const RunError& error) {
        throw RunError(fmt::format("{}: {}; the file may be cut off", path, error.what()));
    }
    if (rows.empty())
        throw RunError(fmt::format("{}: it is empty", path));
    const Cells& names = rows.front();
    for (const char* column : {"strategy", "mechanism", "launches_expected", "launches_attempted", "status"})
        if (!column_of(names, column))
            Place{path, 1}.refuse("a log of nestbed run has a column {}", column);
    if (rows.size() != 2)
        Place{path, rows.size()}.refuse("the log has {} rows; allowed: one, of a single run of a single case",
                                        rows.size() - 1);
    const Place place{path, 2};
    if (rows[1].size() != names.size())
        place.refuse("{} cells under {} columns", rows[1].size(), names.size());
    LedgerRow row;
    for (std::size_t column = 0; column < names.size(); ++column)
        row[names[column]] = rows[1][column];
    for (const char* column : {"launches_expected", "launches_attempted"})
        if (const std::string& cell = row[column]; !cell.empty() && !count_in(cell))
            place.refuse("{} = '{}' is not a number", column, cell);
    if (row["launches_expected"].empty())
        place.refuse("launches_expected is empty");
    return row;
}

std::string_view name_of(Verdict verdict)
{
    switch (verdict) {
    case Verdict::equal:
        return "equal";
    case Verdict::differ:
        return "differ";
    case Verdict::not_counted:
        break;
    }
    return "not counted";
}

std::string Reconciled::cell(const std::string& column) const
{
    const auto found = row.find(column);
    return found == row.end() ? "" : found->second;
}

std::optional<std::uint64_t> Reconciled::user_blocks() const
{
    const std::optional<std::uint64_t> runtime = runtime_blocks();
    return runtime && counters->blocks ? std::optional(*counters->blocks - *runtime) : std::nullopt;
}

std::optional<std::uint64_t> Reconciled::runtime_blocks() const
{
    return counters && counters->warps && kernel_warps ? std::optional(*counters->warps - *kernel_warps)
                                                       : std::nullopt;
}

Reconciled reconcile(LedgerRow row, const SourcePage& source, const std::optional<Counters>& counters)
{
    if (std::ranges::any_of(kMechanisms,
                            [&](Mechanism one) { return launches_graphs(one) && row["mechanism"] == name_of(one); }))
        return not_counted(std::move(row), kNoGraphLaunches);
    const std::uint64_t nsight = source.launches;
    Reconciled one{
        .row = std::move(row), .nsight = nsight, .kernel_warps = source.kernel_warps, .counters = counters};
    const std::string expected = one.cell("launches_expected");
    const std::string attempted = one.cell("launches_attempted");
    if (attempted.empty()) {
        one.verdict = Verdict::not_counted;
        one.detail = fmt::format("the ledger has no launches: {}, {}", one.cell("status"), one.cell("detail"));
    } else if (count_in(expected) != nsight || count_in(attempted) != nsight) {
        one.verdict = Verdict::differ;
        one.detail = fmt::format("closed form {}, ledger {}, Nsight {}", expected, attempted, nsight);
    }
    return one;
}

Reconciled not_counted(LedgerRow row, const std::string& reason)
{
    return {.row = std::move(row), .verdict = Verdict::not_counted, .detail = reason};
}

Reconciled reconcile_files(const std::string& ledger_path)
{
    const std::string stem = stem_of(ledger_path, kLedgerEnding);
    LedgerRow row = parse_ledger(ledger_path, read_text_file(ledger_path));
    std::optional<RawPage> raw;
    if (const std::string path = stem + kRawEnding; fs::exists(path))
        raw = parse_raw_page(path, read_text_file(path));
    const std::string source = stem + kSourceEnding;
    if (!fs::exists(source))
        return not_counted(std::move(row), fmt::format("there is no {}", source));
    return reconcile(std::move(row), parse_source_page(source, read_text_file(source), raw),
                     raw ? std::optional(raw->counters) : std::nullopt);
}

std::vector<std::string> logs_without_ledger(const std::string& path)
{
    std::vector<std::string> logs;
    if (fs::is_directory(path))
        for (const auto& entry : fs::directory_iterator(path))
            if (const std::string file = entry.path().string();
                file.ends_with(kLogEnding) && !fs::exists(stem_of(file, kLogEnding) + kLedgerEnding))
                logs.push_back(file);
    std::ranges::sort(logs);
    return logs;
}

std::vector<std::string> ledgers_in(const std::string& path)
{
    const auto refuse = [&](std::string_view why) {
        throw UsageError(
            fmt::format("{}: {}; allowed: a folder that nestbed profile wrote, or one of its ledgers, X{} beside X{}",
                        path, why, kLedgerEnding, kSourceEnding));
    };
    std::vector<std::string> ledgers;
    if (fs::is_directory(path)) {
        std::set<std::string> found;
        for (const auto& entry : fs::directory_iterator(path))
            for (const char* ending : {kSourceEnding, kRawEnding, kLogEnding})
                if (const std::string file = entry.path().string(); file.ends_with(ending))
                    found.insert(stem_of(file, ending) + kLedgerEnding);
        for (const std::string& log : logs_without_ledger(path))
            found.erase(stem_of(log, kLogEnding) + kLedgerEnding);
        ledgers.assign(found.begin(), found.end());
        if (ledgers.empty())
            refuse(fmt::format("it has no *{}", kSourceEnding));
    } else if (!path.ends_with(kLedgerEnding)) {
        refuse("it is neither a folder nor a ledger");
    } else {
        ledgers.push_back(path);
    }
    for (const std::string& ledger : ledgers)
        if (!fs::is_regular_file(ledger))
            refuse(fmt::format("there is no {}", ledger));
    return ledgers;
}

namespace
{

struct Output {
    std::string_view name;
    std::function<std::string(const Reconciled&)> cell;
};

template <class Number>
std::string text_or_empty(const std::optional<Number>& number)
{
    return number ? fmt::format("{}", *number) : "";
}

template <class Number>
Output counter(std::string_view name, std::optional<Number> Counters::*what)
{
    return {name, [what](const Reconciled& one) { return one.counters ? text_or_empty((*one.counters).*what) : ""; }};
}

std::string decimals_or_empty(const Reconciled& one, std::optional<double> Counters::*what)
{
    return one.counters && (*one.counters).*what ? fmt::format("{:.3f}", *((*one.counters).*what)) : "";
}

Output logged(std::string_view name)
{
    return {name, [name](const Reconciled& one) { return one.cell(std::string(name)); }};
}

const std::vector<Output>& outputs()
{
    using One = const Reconciled&;
    static const std::vector<Output> all{
        logged("strategy"),
        logged("mechanism"),
        logged("type"),
        logged("elements"),
        logged("grid"),
        logged("block"),
        logged("nx"),
        logged("ny"),
        logged("depth"),
        logged("input"),
        logged("threshold"),
        logged("coarsen"),
        logged("aggregate"),
        logged("status"),
        logged("launches_expected"),
        logged("launches_attempted"),
        {"launches_nsight", [](One one) { return text_or_empty(one.nsight); }},
        {"verdict", [](One one) { return std::string(name_of(one.verdict)); }},
        {"detail", [](One one) { return one.detail; }},
        {"root_grids", [](One one) { return one.counters ? std::to_string(one.counters->root_grids) : ""; }},
        {"blocks_user", [](One one) { return text_or_empty(one.user_blocks()); }},
        {"blocks_runtime", [](One one) { return text_or_empty(one.runtime_blocks()); }},
        counter("blocks_launched", &Counters::blocks),
        counter("warps_launched", &Counters::warps),
        {"achieved_occupancy_percent", [](One one) { return decimals_or_empty(one, &Counters::occupancy_percent); }},
        counter("dram_read_bytes", &Counters::dram_read_bytes),
        counter("dram_write_bytes", &Counters::dram_write_bytes),
        {"duration_us", [](One one) { return decimals_or_empty(one, &Counters::duration_us); }},
        logged("gpu"),
        logged("driver"),
        logged("git"),
    };
    return all;
}

} // namespace

const std::vector<std::string>& reconcile_columns()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> found;
        for (const Output& output : outputs())
            found.emplace_back(output.name);
        return found;
    }();
    return names;
}

std::vector<std::string> reconcile_cells(const Reconciled& one)
{
    std::vector<std::string> cells;
    for (const Output& output : outputs())
        cells.push_back(output.cell(one));
    return cells;
}

} // namespace nestbed
