#include "inspect/predictions.hpp"

#include "model/case_text.hpp"
#include "plan/plan_description.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::string_view kDataDependent = "their launches depend on the input";
constexpr std::string_view kOfInput = "their work depends on the input";
constexpr std::string_view kGiven = "they launch nothing, and their measured time is given";

// Why the model says nothing about the GPU time of a case; empty if it does.
std::string why_left_out(const Demand& demand, const DeviceFacts& facts)
{
    const Case& point = demand.point;
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    if (point.backend != BackendKind::cuda)
        return "they run on the executor";
    if (info.workload->of_user)
        return std::string(info.workload->why_unpredictable);
    if (info.on_host)
        return "the host does the work";
    if (demand.form.by_input)
        return std::string(kDataDependent);
    if (info.irregular())
        return std::string(kOfInput);
    if (!info.workload->why_unpredictable.empty())
        return std::string(info.workload->why_unpredictable);
    if (point.delay_us != 0)
        return "a delay is added to them";
    if (point.submit == Submit::open)
        return "their GPU times contain time of the host (submit = open)";
    if (!demand.plan.refusal.empty())
        return "the GPU of the model cannot run them with such waves";
    if (demand.form.levels() == 0)
        return "they launch nothing from the device";
    if (!why_too_large(point, facts).empty())
        return "the GPU of the model has too little memory";
    return why_not_described(demand, facts);
}

std::optional<Estimate> measured_of(const CaseResult& result)
{
    const std::vector<double> times = gpu_times_of(result);
    if (times.empty())
        return std::nullopt;
    Estimate measured = estimate_median(times);
    if (times.size() < kFewestSamples)
        measured.interval = {.low = std::nan(""), .high = std::nan("")};
    return measured;
}

} // namespace

std::optional<double> PredictedCase::ratio() const
{
    return measured && prediction.us > 0 ? std::optional(measured->value / prediction.us) : std::nullopt;
}

std::string text_on_gpu(Case point)
{
    point.backend = BackendKind::cuda;
    point.submit = Submit::held;
    point.l2 = CacheState::as_is;
    return settings_text(point);
}

std::map<std::string, LogRow> rows_by_key(const ParsedLog& log, std::initializer_list<const char*> columns)
{
    std::map<std::string, LogRow> rows;
    const auto has = [&](const char* column) { return log.has(column); };
    if (has("key") && has("status") && has("launches_by_depth") && std::ranges::all_of(columns, has))
        for (const LogRow& row : log.rows)
            if (row.cells.at(log.column("status")) == "ok")
                rows.emplace(row.cells.at(log.column("key")), row);
    return rows;
}

std::vector<std::uint64_t> launches_by_depth(const ParsedLog& log, const LogRow& row)
{
    std::vector<std::uint64_t> launches;
    std::istringstream words(row.cells.at(log.column("launches_by_depth")));
    for (std::string word; words >> word;)
        launches.push_back(static_cast<std::uint64_t>(log.number(row, "launches_by_depth", word)));
    return launches;
}

CountedCases counts_in(const CountedLog& counted)
{
    const ParsedLog& log = counted.log;
    const std::map<std::string, LogRow> rows = rows_by_key(log, {"host_launches"});
    CountedCases counts;
    for (const CaseResult& result : counted.results)
        if (const auto found = rows.find(result.key); found != rows.end()) {
            const LogRow& row = found->second;
            CountedLaunches& launches = counts[text_on_gpu(result.point)];
            launches.by_depth = launches_by_depth(log, row);
            if (!row.cells.at(log.column("host_launches")).empty()) // a library may have launched
                launches.by_host = static_cast<std::uint32_t>(log.number(row, "host_launches"));
        }
    return counts;
}

Predictions predictions_of(const Roofline& roofline, std::span<const Case> points,
                           std::span<const CaseResult> results, const CountedCases& counts)
{
    std::map<std::string, const CaseResult*> by_name; // by settings and by key
    for (const CaseResult& result : results) {
        by_name.emplace(settings_text(result.point), &result);
        by_name.emplace(result.key, &result);
    }
    Predictions predictions;
    for (const Case& point : points) {
        PredictedCase one{.demand = demand_of(*Registry::find_anywhere(point.strategy), point, roofline.facts)};
        const std::string why = why_left_out(one.demand, roofline.facts);
        if (why == kDataDependent || why == kOfInput)
            if (const auto counted = counts.find(text_on_gpu(point)); counted != counts.end())
                if (const auto least = launches_alone(roofline, one.demand.mechanism, counted->second)) {
                    one.prediction = *least;
                    one.demand.form.by_depth = counted->second.by_depth;
                    one.demand.host_launches = counted->second.by_host;
                }
        if (!why.empty() && !one.at_least()) {
            ++predictions.left_out[why];
            continue;
        }
        if (why.empty())
            one.prediction = predict(roofline, one.demand);
        for (const std::string& name : {settings_text(point), key_of(point, "")})
            if (const auto found = by_name.find(name); found != by_name.end() && !one.measured)
                one.measured = measured_of(*found->second);
        predictions.cases.push_back(std::move(one));
    }
    return predictions;
}

void add_cases(Predictions& predictions, std::span<const PredictedCase> cases)
{
    for (const PredictedCase& one : cases)
        if (one.given)
            ++predictions.left_out[std::string(kGiven)];
        else
            predictions.cases.push_back(one);
    const auto left_out = predictions.left_out.find(std::string(kDataDependent));
    if (left_out == predictions.left_out.end())
        return;
    left_out->second -= std::min(left_out->second, cases.size());
    if (left_out->second == 0)
        predictions.left_out.erase(left_out);
}

Nearness nearness_of(std::span<const PredictedCase> cases)
{
    std::vector<double> off;
    for (const PredictedCase& one : cases)
        if (const std::optional<double> ratio = one.given || one.at_least() ? std::nullopt : one.ratio())
            off.push_back(std::abs(*ratio - 1));
    if (off.empty())
        return {.median_off = std::nan("")};
    const auto near = std::ranges::count_if(off, [](double one) { return one <= kNear; });
    return {.cases = off.size(),
            .median_off = median(off),
            .within = static_cast<double>(near) / static_cast<double>(off.size())};
}

} // namespace nestbed
