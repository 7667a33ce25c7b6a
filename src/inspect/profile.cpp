#include "inspect/profile.hpp"

#include "base/csv.hpp"
#include "base/subprocess.hpp"
#include "base/table.hpp"
#include "base/text_file.hpp"
#include "log/row.hpp"
#include "model/axis_table.hpp"
#include "model/case_text.hpp"
#include "model/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

namespace nestbed
{

namespace
{

namespace fs = std::filesystem;

std::map<std::string, std::string> read_ledger(const std::string& path)
{
    const std::vector<std::vector<std::string>> rows = parse_csv(read_text_file(path));
    if (rows.size() != 2 || rows[0].size() != rows[1].size())
        throw RunError(fmt::format("{}: it is not the log of a single run of a single case", path));
    std::map<std::string, std::string> row;
    for (std::size_t column = 0; column < rows[0].size(); ++column)
        row[rows[0][column]] = rows[1][column];
    for (const char* column : {"strategy", "launches_expected", "launches_attempted", "status"})
        if (!row.contains(column))
            throw RunError(fmt::format("{}: it has no column {}", path, column));
    return row;
}

void read_case(const std::string& stem, Profiled& one)
{
    if (!fs::exists(stem + kLedgerEnding))
        throw RunError(fmt::format("{}{}: this case wrote no ledger", stem, kLogEnding));
    one.row = read_ledger(stem + kLedgerEnding);
    one.nsight = read_ncu_pages(stem + kSourceEnding, stem + kRawEnding);
    const std::string expected = one.cell("launches_expected");
    const std::string attempted = one.cell("launches_attempted");
    const std::string nsight = std::to_string(one.nsight->launches);
    if (!std::ranges::all_of(attempted, [](char each) { return each >= '0' && each <= '9'; }))
        throw RunError(fmt::format("{}{}: launches_attempted is '{}'; allowed: a whole number or nothing", stem,
                                   kLedgerEnding, attempted));
    if (attempted.empty()) {
        one.nsight.reset();
        one.detail = fmt::format("the ledger has no launches: {}, {}", one.cell("status"), one.cell("detail"));
    } else if (expected != nsight || attempted != nsight) {
        one.detail = fmt::format("closed form {}, ledger {}, Nsight {}", expected, attempted, nsight);
    }
}

// What is known of a case that was not counted.
Profiled not_counted(const std::string& stem, const Case& point, const std::string& reason)
{
    Profiled one{.name = fs::path(stem).filename().string(), .detail = reason};
    const std::vector<std::string> cells = row_of({}, point, 0, {});
    for (std::size_t column = 0; column < cells.size(); ++column)
        one.row[columns()[column]] = cells[column];
    one.row["status"].clear();
    return one;
}

// Runs ncu. Throws RunError with the reason if it fails, unless the run left what is needed: its exit code may be the program's.
// Returns how it ended.
ProgramEnd run_ncu(const std::vector<std::string>& command, const std::string& out, const std::string& log,
                   const std::vector<std::string>& needed, std::chrono::seconds timeout)
{
    ProgramEnd end;
    try {
        end = run_program(command, {out, log}, timeout);
    } catch (const RunError& error) {
        throw NcuUnusable(error.what());
    }
    if (end.timed_out)
        throw RunError(fmt::format("ncu did not end in {} s", timeout.count()));
    const bool left_all = std::ranges::all_of(needed, [](const std::string& file) { return fs::exists(file); });
    if (end.signal == 0 && left_all && (end.good() || !needed.empty()))
        return end;
    const std::string reason = ncu_reason(out);
    if (out != log)
        fs::remove(out); // what it says is no page
    throw RunError(!reason.empty() ? reason
                   : end.good()    ? "ncu profiled no kernel, or nestbed wrote no ledger"
                                   : "ncu ended with " + end.text());
}

} // namespace

std::string Profiled::cell(const std::string& column) const
{
    const auto found = row.find(column);
    return found == row.end() ? "" : found->second;
}

const char* Profiled::verdict() const
{
    return !nsight ? "not counted" : detail.empty() ? "equal" : "differ";
}

std::string stem_of(const std::string& folder, std::size_t number, const Case& point)
{
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    const std::string mechanism =
        info.mechanisms.size() == 1 ? "" : fmt::format("-{}", name_of(mechanism_of(info, point)));
    const bool matrix = info.over_matrix();
    return fmt::format("{}/{:03}-{}{}-{}x{}", folder, number, point.strategy, mechanism,
                       matrix ? point.nx : point.grid, matrix ? point.ny : point.block);
}

void check_new_stem(const std::string& stem)
{
    for (const char* ending : {kLedgerEnding, ".csv.json", kReportEnding, kSourceEnding, kRawEnding, kLogEnding})
        if (const std::string file = stem + ending; fs::exists(file))
            throw UsageError(
                fmt::format("{}: it already exists, and nothing is overwritten; allowed: another --output", file));
}

NcuCommands profile_commands(const Case& point, const std::string& stem, const ProfileOptions& options)
{
    std::vector<std::string> run{options.nestbed, "run", "--experiment", options.experiment};
    for (const auto& [key, value] : settings_of(point))
        run.insert(run.end(), {"--" + key, value});
    for (const char* word : {"--repeat", "1", "--warmup", "0", "--untimed", "--in-process", "--output"})
        run.emplace_back(word);
    run.push_back(stem + kLedgerEnding);
    return ncu_commands(options.ncu, stem, {"--nvtx", "--nvtx-include", fmt::format("regex:{}@.*/", kRangeDomain)},
                        run);
}

std::string why_not_counted(const Case& point)
{
    return launches_graphs(mechanism_of(Registry::find_anywhere(point.strategy)->info(), point))
               ? "ncu leaves out device-side graph launches"
               : "";
}

Profiled profile_case(const Case& point, const std::string& stem, const ProfileOptions& options)
{
    if (const std::string why = why_not_counted(point); !why.empty())
        return not_counted(stem, point, why);
    const NcuCommands commands = profile_commands(point, stem, options);
    const std::string log = stem + kLogEnding;
    const std::string report = stem + kReportEnding;
    try {
        const ProgramEnd collected =
            run_ncu(commands.collect, log, log, {stem + kLedgerEnding, report}, options.timeout);
        run_ncu(commands.source, stem + kSourceEnding, log, {}, options.timeout);
        run_ncu(commands.raw, stem + kRawEnding, log, {}, options.timeout);
        Profiled one{.name = fs::path(stem).filename().string()};
        read_case(stem, one);
        if (!collected.good() && one.cell("status") == name_of(Status::ok))
            throw RunError("ncu ended with " + collected.text());
        if (one.detail.empty())
            fs::remove(log);
        if (!options.keep_reports)
            fs::remove(report);
        return one;
    } catch (const NcuUnusable&) {
        throw;
    } catch (const RunError& error) {
        return not_counted(stem, point, fmt::format("{} ({})", error.what(), log));
    }
}

std::vector<Profiled> read_profile(const std::string& folder)
{
    std::set<std::string> stems;
    if (fs::is_directory(folder))
        for (const auto& entry : fs::directory_iterator(folder))
            for (const std::string_view ending : {kSourceEnding, kLogEnding})
                if (const std::string file = entry.path().string(); file.ends_with(ending))
                    stems.insert(file.substr(0, file.size() - ending.size()));
    if (stems.empty())
        throw UsageError(
            fmt::format("{}: it has no *{}; allowed: a folder that nestbed profile wrote", folder, kSourceEnding));
    std::vector<Profiled> cases;
    for (const std::string& stem : stems) {
        Profiled& one = cases.emplace_back(Profiled{.name = fs::path(stem).filename().string()});
        try {
            read_case(stem, one);
        } catch (const RunError& error) {
            one.detail = error.what();
        }
    }
    return cases;
}

std::string profile_text(const std::vector<Profiled>& cases)
{
    std::vector<Column> columns{{"case", true}, {.name = "expected", .dispensable = 1},
                                {"ledger"},     {"Nsight"},
                                {"difference"}, {"status", true, true}};
    std::map<std::string_view, std::size_t> verdicts;
    std::string details;
    for (const Profiled& one : cases) {
        ++verdicts[one.verdict()];
        if (!one.detail.empty())
            details += fmt::format("{}: {}: {}\n", one.name, one.verdict(), one.detail);
        const std::string ledger = one.cell("launches_attempted");
        add_row(columns,
                {one.name, one.cell("launches_expected"), ledger,
                 one.nsight ? std::to_string(one.nsight->launches) : "",
                 one.nsight ? fmt::format("{}", static_cast<std::int64_t>(one.nsight->launches) - std::stoll(ledger))
                            : "",
                 one.cell("status")});
    }
    std::vector<std::string> counts;
    for (const auto& [verdict, count] : verdicts)
        counts.push_back(fmt::format("{} {}", count, verdict));
    return fmt::format("Device launches: by the closed form, by the ledger, by Nsight Compute\n{}\n{}{} case{}: {}\n",
                       table_text(std::move(columns)), details, cases.size(), cases.size() == 1 ? "" : "s",
                       fmt::join(counts, ", "));
}

std::string profile_csv(const std::vector<Profiled>& cases)
{
    std::vector<std::string> names{"strategy", "mechanism", "type"};
    for (const Axis& axis : plain_axes())
        if (axis.size)
            names.push_back(axis.column);
    for (const char* name : {"grid", "block", "nx", "ny", "depth", "input", "threshold", "coarsen", "aggregate",
                             "status", "launches_expected", "launches_attempted", "launches_nsight", "verdict",
                             "detail", "root_grids", "gpu", "driver", "git"})
        names.emplace_back(name);
    std::string text = csv_line(names);
    for (const Profiled& one : cases) {
        std::map<std::string, std::string> cells = one.row;
        cells["verdict"] = one.verdict();
        cells["detail"] = one.detail;
        cells["launches_nsight"] = one.nsight ? std::to_string(one.nsight->launches) : "";
        cells["root_grids"] = one.nsight ? std::to_string(one.nsight->root_grids) : "";
        std::vector<std::string> line;
        for (const std::string& name : names)
            line.push_back(cells[name]);
        text += csv_line(line);
    }
    return text;
}

} // namespace nestbed
