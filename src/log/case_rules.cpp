#include "log/case_rules.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "log/logged_case.hpp"
#include "model/axis_table.hpp"
#include "model/case_text.hpp"
#include "model/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace nestbed
{

namespace
{

// Columns with the value that was used, not the one asked for.
bool is_as_launched(const Axis& axis)
{
    return axis.name == "wave" || axis.name == "streams";
}

const std::string& cell_in(const RowCells& row, std::string_view column)
{
    return row.row().cells[row.log().column(column)];
}

// The cells that an axis may have with the settings of the case. An axis without a setting has its default or does
// not apply.
std::vector<std::string> cells_of_axis(const Axis& axis,
                                       const std::map<std::string, std::string, std::less<>>& settings)
{
    if (const auto said = settings.find(axis.name); said != settings.end())
        return {axis.name == "mechanism" ? std::string(current_name(said->second)) : said->second};
    if (axis.name == "mechanism")
        return {std::string(name_of(Mechanism::none))};
    if (axis.name == "elements" && settings.contains("nx"))
        return {std::to_string(std::stoull(settings.at("nx")) * std::stoull(settings.at("ny")))};
    return {"", axis.default_value ? text_of(axis, axis.default_value) : std::string(axis.range.word)};
}

// Whether a row of the case can have its key: a fixed wave, or fixed streams, are no cells of the row if they are more
// than the root grid needs.
bool can_have_key(const RowCells& row, Case point)
{
    const std::string& schedule = row.at("schedule"_column);
    const std::string& key = row.at("key"_column);
    const bool launched = row.has_value("wave"_column) && row.has_value("streams"_column);
    const auto number = [&](std::size_t column) { return static_cast<std::uint32_t>(row.number(column)); };
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    const bool has_streams = axis_named("streams").applies(info, *point.mechanism, point.backend);
    if (!launched || row.at("waves"_column) == "1" || row.number("streams"_column) >= row.number("waves"_column))
        if (has_streams)
            return true;
    for (const bool wave : {false, true})
        for (const bool streams : {false, true}) {
            point.wave = wave ? std::optional(number("wave"_column)) : std::nullopt;
            point.streams = streams ? std::optional(number("streams"_column)) : std::nullopt;
            if (key_of(point, schedule) == key)
                return true;
            if (!has_streams)
                return false;
        }
    return false;
}

constexpr std::array kLaunched{"pending_limit"_column, "wave"_column, "waves"_column, "streams"_column};

void check_plan(const RowCells& row, const std::string& settings)
{
    if (const std::string key = key_of(settings, row.at("schedule"_column)); key != row.at("key"_column))
        row.refuse("key"_column,
                   fmt::format("'{}', that of {} by schedule '{}'", key, settings, row.at("schedule"_column)));
    const auto said = settings_in(settings);
    for (const Axis& axis : all_axes()) {
        if (is_as_launched(axis) || !row.log().has(axis.column))
            continue;
        const std::vector<std::string> allowed = cells_of_axis(axis, said);
        const std::string cell(axis.name == "mechanism" ? current_name(cell_in(row, axis.column))
                                                        : std::string_view(cell_in(row, axis.column)));
        if (std::ranges::find(allowed, cell) == allowed.end())
            row.refuse(axis.column, cell,
                       fmt::format("'{}', as in the case {}", allowed.back(), row.at("key"_column)));
    }
}

void check_row(const RowCells& row, const Case& point)
{
    if (!Registry::find_anywhere(point.strategy)->info().has(*point.mechanism))
        row.refuse("mechanism"_column, fmt::format("one of strategy {}", point.strategy));
    for (const Axis& axis : plain_axes()) {
        if (is_as_launched(axis))
            continue;
        const std::string& cell = cell_in(row, axis.column);
        if (const std::string expected = cell_of(axis, point); cell != expected)
            row.refuse(axis.column, cell, fmt::format("'{}', as the other cells of the case say", expected));
    }
    if (!can_have_key(row, point))
        row.refuse("key"_column,
                   fmt::format("that of {} by schedule '{}'", settings_text(point), row.at("schedule"_column)));
}

void check_workload(const RowCells& row, const CaseFacts& facts)
{
    if (row.has("workload"_column) && !facts.workload.empty() && row.at("workload"_column) != facts.workload)
        row.refuse("workload"_column,
                   fmt::format("'{}', that of strategy {}", facts.workload, row.at("strategy"_column)));
}

void check_bytes(const RowCells& row, const CaseFacts& facts)
{
    if (facts.bytes && row.has("bytes"_column) && row.at("bytes"_column) != *facts.bytes)
        row.refuse("bytes"_column, facts.bytes->empty() ? "nothing, as the case measures no memory"
                                                        : fmt::format("{}, of this case", *facts.bytes));
}

void check_closed_form(const RowCells& row, const CaseFacts& facts)
{
    if (facts.launches && row.has("launches_expected"_column) &&
        row.number("launches_expected"_column) != static_cast<double>(*facts.launches))
        row.refuse("launches_expected"_column, fmt::format("{}, of this case", *facts.launches));
}

void check_roots(const RowCells& row, const CaseFacts& facts)
{
    if (!facts.roots || !row.has_value("wave"_column) || !row.has_value("waves"_column))
        return;
    const auto wave = static_cast<std::uint64_t>(row.number("wave"_column));
    if (wave == 0 || wave > *facts.roots)
        row.refuse("wave"_column, fmt::format("1 to {}, the root blocks", *facts.roots));
    if (const std::uint64_t waves = (*facts.roots - 1) / wave + 1;
        row.number("waves"_column) != static_cast<double>(waves))
        row.refuse("waves"_column, fmt::format("{}, of {} root blocks in waves of {}", waves, *facts.roots, wave));
}

void check_repetition(const RowCells& row, const CaseFacts& facts)
{
    if (facts.repetitions && row.number("repetition"_column) >= *facts.repetitions)
        throw RunError(fmt::format("{}: repetition is {}; allowed: from 0 to {}", row.place(),
                                   row.at("repetition"_column), *facts.repetitions - 1));
}

void check_reference(const RowCells& row, const CaseFacts& facts)
{
    if (row.has_value("reference"_column) && facts.reference != row.at("reference"_column))
        row.refuse("reference"_column,
                   fmt::format("'{}', as in {} of the same case", facts.reference, facts.reference_place));
}

void check_launched(const RowCells& row, const CaseFacts& facts)
{
    const auto run = facts.runs.find(row.at("run_id"_column));
    if (run == facts.runs.end() || !row.has_value("wave"_column) || !row.has("run_id"_column))
        return;
    for (std::size_t index = 0; index < kLaunched.size(); ++index)
        if (row.at(kLaunched.at(index)) != run->second.launched.at(index))
            row.refuse(kLaunched.at(index), fmt::format("{}, as in {} of the same case and run",
                                                        run->second.launched.at(index), run->second.place));
}

struct CaseRule {
    std::string_view columns, must;
    void (*check)(const RowCells& row, const CaseFacts& facts); // null: facts_of() checks it
};

constexpr auto kCaseRules = std::to_array<CaseRule>({
    {"key",
     "the hash of the case's settings in the plan of the manifest; without a manifest, of the cells of the row",
     nullptr},
    {"strategy, backend, mechanism, type, the other axes, schedule",
     "those of the case, empty where an axis means nothing; the same in all rows of a key", nullptr},
    {"workload", "that of the strategy", check_workload},
    {"bytes", "what the workload of the case must move", check_bytes},
    {"launches_expected", "the closed form of the case, if its strategy has one", check_closed_form},
    {"wave, waves", "`waves` waves of `wave` blocks are the root grid, if the case decides its size", check_roots},
    {"repetition", "below the most repetitions in the plan of the manifest; once in each run", check_repetition},
    {"reference", "the same in all rows of a case", check_reference},
    {"pending_limit, wave, waves, streams", "the same in all rows of a case in one run", check_launched},
});

} // namespace

std::vector<RuleText> CaseRules::rules()
{
    return texts_of<CaseRule>(kCaseRules);
}

void CaseRules::begin(const ParsedLog& log, const std::map<std::string, RunIdentity>& runs)
{
    runs_ = &runs;
    planned_.clear();
    for (const auto& [run_id, run] : runs)
        for (const PlannedCase& one : run.cases) {
            const PlannedCase*& most = planned_[one.key]; // a later run may have added repetitions
            if (most == nullptr || one.repeat.most > most->repeat.most)
                most = &one;
        }
    shared_.clear();
    whole_ = true;
    for (const Axis& axis : all_axes()) {
        whole_ = whole_ && log.has(axis.column);
        if (log.has(axis.column) && !is_as_launched(axis))
            shared_.push_back({axis.column, log.column(axis.column)});
    }
    if (log.has("schedule"))
        shared_.push_back({"schedule", log.column("schedule")});
    if (log.has("workload"))
        shared_.push_back({"workload", log.column("workload")});
}

CaseFacts CaseRules::describe(const RowCells& row) const
{
    CaseFacts known{.place = row.place(), .cells = shared_cells_};
    const std::string& key = row.at("key"_column);
    std::optional<Case> point;
    const Strategy* const known_here = Registry::find_if_built(row.at("strategy"_column));
    const bool runs_here = known_here != nullptr;
    if (runs_here)
        known.workload = known_here->info().workload->name;
    if (const auto planned = planned_.find(key); planned != planned_.end()) {
        check_plan(row, planned->second->settings);
        known.repetitions = planned->second->repeat.most;
        if (runs_here)
            point = case_of_settings(planned->second->settings, "the manifest of " + row.log().path);
    } else if (const auto run = runs_->find(row.at("run_id"_column));
               run != runs_->end() && !run->second.cases.empty()) {
        row.refuse("key"_column, fmt::format("a case in the plan of run {} in the manifest", run->first));
    } else if (runs_here && whole_) {
        point = case_of_row(row.log(), row.row());
        point->wave = point->streams = std::nullopt;
        check_row(row, *point);
    }
    if (!point)
        return known;
    const Strategy& strategy = *Registry::find_anywhere(point->strategy);
    const std::uint64_t bytes = bytes_moved(strategy.info(), *point);
    known.bytes = count_or_empty(bytes);
    const ExpectedLaunches form = strategy.launches(*point);
    if (!form.by_input) {
        known.launches = form.total();
        known.roots = form.per_root_block() ? form.root_blocks : std::max(1U, point->grid);
    } else if (point->grid != 0 && row.has_value("grid"_column)) {
        known.roots = point->grid;
    }
    return known;
}

// Those of the row's key. Checks the cells that all its rows share.
CaseFacts& CaseRules::facts_of(const RowCells& row)
{
    shared_cells_.clear();
    for (const SharedColumn& column : shared_)
        shared_cells_.append(row.row().cells[column.place]).push_back('\0');
    const auto found = known_.find(row.at("key"_column));
    if (found == known_.end())
        return known_.emplace(row.at("key"_column), describe(row)).first->second;
    if (found->second.cells != shared_cells_)
        refuse_shared(row, found->second);
    return found->second;
}

void CaseRules::refuse_shared(const RowCells& row, const CaseFacts& facts) const
{
    std::string_view first = facts.cells;
    for (const SharedColumn& column : shared_) {
        const std::string& cell = row.row().cells[column.place];
        const std::string_view expected = first.substr(0, first.find('\0'));
        if (cell != expected)
            row.refuse(column.column, cell, fmt::format("'{}', as in {} of the same key", expected, facts.place));
        first.remove_prefix(expected.size() + 1);
    }
    throw std::logic_error("a row with the cells of its case was refused");
}

void CaseRules::check(const RowCells& row)
{
    last_ = nullptr;
    if (!row.has("key"_column))
        return;
    CaseFacts& facts = facts_of(row);
    if (facts.reference.empty() && row.has_value("reference"_column)) {
        facts.reference = row.at("reference"_column);
        facts.reference_place = row.place();
    }
    auto run = facts.runs.find(row.at("run_id"_column));
    if (run == facts.runs.end())
        run = facts.runs.emplace(row.at("run_id"_column), CaseFacts::InRun()).first;
    last_ = &run->second;
    if (last_->place.empty() && row.has_value("wave"_column)) {
        last_->place = row.place();
        for (std::size_t index = 0; index < kLaunched.size(); ++index)
            last_->launched.at(index) = row.at(kLaunched.at(index));
    }
    for (const CaseRule& rule : kCaseRules)
        if (rule.check != nullptr)
            rule.check(row, facts);
}

void CaseRules::check_first(const RowCells& row)
{
    if (!row.has("repetition"_column))
        return;
    std::size_t first = row.row().line;
    if (last_ != nullptr) {
        const auto repetition = static_cast<std::uint64_t>(row.number("repetition"_column));
        first = last_->lines.try_emplace(repetition, first).first->second;
    } else {
        std::string cells;
        for (const std::string& cell : row.row().cells)
            cells.append(cell).push_back('\0');
        first = rows_.try_emplace(std::move(cells), first).first->second;
    }
    if (first != row.row().line)
        throw RunError(fmt::format("{}: repetition {} of the case is already in {}:{}; allowed: every row once",
                                   row.place(), row.at("repetition"_column), row.log().path, first));
}

} // namespace nestbed
