#include "log/run_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace nestbed
{

namespace
{

std::string in_manifest(const std::string& value, const RowCells& row)
{
    return fmt::format("'{}', as in the manifest of run {}", value, row.at("run_id"_column));
}

// The names and versions that the manifest records. It may lack some.
void check_names(const RowCells& row, const RunIdentity& run, const RunIdentity::Backend& backend)
{
    const std::array<std::pair<std::size_t, const std::string*>, 6> recorded{{{"experiment"_column, &run.experiment},
                                                                              {"git"_column, &run.git},
                                                                              {"gpu"_column, &backend.name},
                                                                              {"driver"_column, &backend.driver},
                                                                              {"cuda"_column, &backend.runtime},
                                                                              {"machine"_column, &backend.machine}}};
    for (const auto& [column, value] : recorded)
        if (row.has(column) && !value->empty() && row.at(column) != *value)
            row.refuse(column, in_manifest(*value, row));
    const bool has_schedule = !backend.schedule.empty() || !on_executor(row); // earlier versions recorded none
    if (has_schedule && row.has("schedule"_column) && row.at("schedule"_column) != backend.schedule)
        row.refuse("schedule"_column, in_manifest(backend.schedule, row));
}

// A cell with so many decimals, of a number in the manifest.
void check_number(const RowCells& row, std::size_t column, const std::optional<double>& recorded, int decimals)
{
    if (!recorded || !row.has_value(column))
        return;
    const double half = 0.5 * std::pow(10.0, -decimals) * (1 + 1e-6);
    if (std::abs(row.number(column) - *recorded) > half)
        row.refuse(column, in_manifest(fmt::format("{:.{}f}", *recorded, decimals), row));
}

// A run reads and copies: which of the two bandwidths a row has depends on its workload.
void check_measured_bandwidth(const RowCells& row, const MeasuredFacts& measured)
{
    constexpr double kHalfCent = 0.005 * (1 + 1e-6);
    if (!row.has_value("measured_gb_s"_column) || !measured.read_gb_s || !measured.copy_gb_s)
        return;
    const double cell = row.number("measured_gb_s"_column);
    if (std::abs(cell - *measured.read_gb_s) > kHalfCent && std::abs(cell - *measured.copy_gb_s) > kHalfCent)
        row.refuse("measured_gb_s"_column,
                   fmt::format("{:.2f} or {:.2f}, as in the manifest of run {}", *measured.read_gb_s,
                               *measured.copy_gb_s, row.at("run_id"_column)));
}

// A limit that nestbed chooses is never below the device's own.
void check_chosen_limit(const RowCells& row, const MeasuredFacts& measured)
{
    if (measured.default_pending_limit && row.at("pending_limit_asked"_column) == "auto" &&
        row.number("pending_limit"_column) < *measured.default_pending_limit)
        row.refuse("pending_limit"_column, fmt::format("at least {:.0f}, the default limit in the manifest of run {}",
                                                       *measured.default_pending_limit, row.at("run_id"_column)));
}

constexpr auto kRunRules = std::to_array<RuleText>({
    {"run_id, backend", "a run in the manifest, and a backend of that run"},
    {"experiment, schedule, machine, gpu, driver, cuda, git",
     "the same in all rows of a run on one backend, and in its manifest"},
    {"floor_us, timer_step_ns, peak_gb_s, l2_bytes",
     "the same in all rows of a run on one backend that have one; in the manifest `null_kernel_us`, `timer_step_ns`, "
     "`peak_bandwidth_gb_s`, `l2_bytes`"},
    {"measured_gb_s", "`read_bandwidth_gb_s` or `copy_bandwidth_gb_s` in the manifest"},
    {"pending_limit", "at least `default_pending_limit` in the manifest, if `pending_limit_asked` is `auto`"},
});

} // namespace

std::vector<RuleText> RunRules::rules()
{
    return {kRunRules.begin(), kRunRules.end()};
}

void RunRules::begin(const std::map<std::string, RunIdentity>& runs)
{
    runs_ = &runs;
    known_.clear();
    last_ = 0;
}

RunRules::Known& RunRules::known_of(const RowCells& row)
{
    const auto is_of = [&](const Known& known) {
        return known.run_id == row.at("run_id"_column) && known.backend == row.at("backend"_column);
    };
    if (last_ < known_.size() && is_of(known_[last_]))
        return known_[last_];
    const auto found = std::ranges::find_if(known_, is_of);
    last_ = static_cast<std::size_t>(found - known_.begin());
    if (found != known_.end())
        return *found;
    Known known{.run_id = row.at("run_id"_column), .backend = row.at("backend"_column), .place = row.place()};
    for (std::size_t index = 0; index < kShared.size(); ++index)
        known.shared.at(index) = row.at(kShared.at(index));
    if (const auto run = runs_->find(known.run_id); run != runs_->end()) {
        const auto backend = run->second.backends.find(known.backend);
        if (backend == run->second.backends.end())
            row.refuse("backend"_column, fmt::format("one of run {}", run->first));
        check_names(row, run->second, backend->second);
        check_number(row, "floor_us"_column, backend->second.measured.floor_us, 3);
        check_number(row, "timer_step_ns"_column, backend->second.measured.timer_step_ns, 0);
        known.recorded = &backend->second;
    }
    return known_.emplace_back(std::move(known));
}

void RunRules::check(const RowCells& row)
{
    if (!row.has("run_id"_column))
        return;
    Known& known = known_of(row);
    for (std::size_t index = 0; index < kShared.size(); ++index)
        if (row.at(kShared.at(index)) != known.shared.at(index))
            row.refuse(kShared.at(index),
                       fmt::format("'{}', as in {} of the same run", known.shared.at(index), known.place));
    for (std::size_t index = 0; index < kSharedIfThere.size(); ++index) {
        const std::string& cell = row.at(kSharedIfThere.at(index));
        std::string& first = known.shared_if_there.at(index);
        if (cell.empty() || cell == first)
            continue;
        if (!first.empty())
            row.refuse(kSharedIfThere.at(index), fmt::format("'{}', as in other rows of the same run", first));
        first = cell;
        if (known.recorded != nullptr) {
            check_number(row, "peak_gb_s"_column, known.recorded->measured.peak_gb_s, 2);
            check_number(row, "l2_bytes"_column, known.recorded->measured.l2_bytes, 0);
        }
    }
    if (known.recorded == nullptr)
        return;
    check_measured_bandwidth(row, known.recorded->measured);
    check_chosen_limit(row, known.recorded->measured);
}

} // namespace nestbed
