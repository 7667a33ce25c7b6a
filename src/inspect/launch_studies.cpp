#include "inspect/launch_studies.hpp"

#include "model/case_text.hpp"
#include "model/request_oracle.hpp"
#include "run/flat_times.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace nestbed
{

namespace
{

// The blocks of so many threads that the GPU can run at once.
double blocks_at_once(const DeviceFacts& facts, double threads)
{
    return facts.multiprocessors * std::min<double>(facts.max_blocks_per_multiprocessor,
                                                    facts.max_threads_per_multiprocessor / std::max(threads, 1.0));
}

// Returns the time until the first launches start.
double add_launches(const Roofline& roofline, const NeedDemand& demand, Prediction& prediction)
{
    const double at_once = std::max(1.0, std::min(demand.streams, demand.waves));
    const double turns = std::max(1.0, demand.waves / at_once);
    const auto levels = static_cast<double>(demand.by_depth.size());
    const double level =
        parameter_of(roofline, "level", demand.mechanism) + (demand.by_last_block ? pass_us(roofline) : 0);
    prediction.latency_us = turns * levels * level;
    if (demand.mechanism == Mechanism::tail && demand.launches() > levels) { // of one root grid: one after another
        const double alone = parameter_of(roofline, "lane", demand.mechanism) + demand.flat_us / levels;
        prediction.latency_us += turns * std::max(0.0, demand.launches() / demand.waves - levels) * alone;
        prediction.rate_us = turns * crowd_us(roofline, demand.mechanism, at_once, 0);
    } else {
        for (const double of_depth : demand.by_depth)
            prediction.rate_us += turns * crowd_us(roofline, demand.mechanism, of_depth / turns, 0);
    }
    return turns * parameter_of(roofline, "first", demand.mechanism);
}

} // namespace

double NeedDemand::launches() const
{
    return std::accumulate(by_depth.begin(), by_depth.end(), 0.0);
}

Prediction predict_by_need(const Roofline& roofline, const NeedDemand& demand)
{
    Prediction prediction;
    if (demand.launches() == 0) {
        prediction.work_us = demand.alone_us;
        prediction.add_up(0);
        return prediction;
    }
    const double first_us = add_launches(roofline, demand, prediction);
    const double at_once = blocks_at_once(roofline.facts, demand.block);
    const double blocks = std::max(1.0, demand.child_blocks);
    const double slower = std::max(1.0, std::min(demand.child_blocks_uncoarsened, at_once) / blocks);
    const double not_launched = demand.child_blocks_unthresholded > 0
                                    ? std::max(0.0, 1 - demand.child_blocks / demand.child_blocks_unthresholded)
                                    : 0;
    const double alone = std::sqrt(not_launched * demand.threshold_share);
    prediction.work_us = demand.child_blocks * parameter_of(roofline, "block") + demand.flat_us * slower +
                         (demand.parts - 1) * pass_us(roofline) * std::min(1.0, at_once / blocks) +
                         std::max(0.0, demand.alone_us - demand.flat_us) * alone;
    if (!demand.by_level && demand.mechanism != Mechanism::tail) {
        const auto levels = static_cast<double>(demand.by_depth.size());
        prediction.latency_us -= std::min(prediction.latency_us * (1 - 1 / levels), demand.flat_us * slower);
    }
    prediction.add_up(first_us);
    return prediction;
}

namespace
{

struct CountedCase {
    NeedDemand need;
    PredictedCase made;

    const Case& point() const { return made.demand.point; }
};

// What the row of a log says of the launches of its case.
CountedCase counted_case(const ParsedLog& log, const LogRow& row)
{
    CountedCase one;
    one.need.waves = log.number(row, "waves");
    one.need.streams = log.number(row, "streams");
    one.need.child_blocks = log.number(row, "child_blocks");
    one.made.demand.plan.wave = static_cast<std::uint32_t>(log.number(row, "wave"));
    one.made.demand.plan.roots = static_cast<std::uint32_t>(log.number(row, "wave") * one.need.waves);
    one.made.demand.plan.streams = static_cast<std::uint32_t>(one.need.streams);
    one.made.demand.form.by_depth = launches_by_depth(log, row);
    one.need.by_depth.assign(one.made.demand.form.by_depth.begin(), one.made.demand.form.by_depth.end());
    return one;
}

// What the cases of a study have in common; logs of the GPU and of the executor have the same studies.
Case study_of(const Case& point)
{
    Case alike = point;
    alike.mechanism = mechanism_of(Registry::find_anywhere(point.strategy)->info(), point);
    alike.submit = Submit::held;
    alike.l2 = CacheState::as_is;
    alike.threshold = 0;
    alike.coarsen = 1;
    alike.aggregate = Aggregate::none;
    return alike;
}

using Studies = std::vector<std::pair<Case, std::vector<CountedCase>>>; // by study_of()

// Adds the cases of a log to their studies, unless they are there.
void add_counted(Studies& studies, const CountedLog& log)
{
    const std::map<std::string, LogRow> rows = rows_by_key(log.log, {"wave", "waves", "streams", "child_blocks"});
    for (const CaseResult& result : log.results) {
        const StrategyInfo& info = Registry::find_anywhere(result.point.strategy)->info();
        const auto row = rows.find(result.key);
        if (!info.requests || !from_device(mechanism_of(info, result.point)) || row == rows.end() ||
            row->second.cells.at(log.log.column("child_blocks")).empty())
            continue;
        CountedCase one = counted_case(log.log, row->second);
        Case& point = one.made.demand.point;
        point = result.point;
        point.backend = BackendKind::cuda;
        one.need.mechanism = one.made.demand.mechanism = mechanism_of(info, point);
        if (const std::vector<double> times = gpu_times_of(result); !times.empty())
            one.made.measured = estimate_median(times);
        one.made.given = one.made.measured && one.need.launches() == 0;
        auto study = std::ranges::find(studies, study_of(point), &Studies::value_type::first);
        if (study == studies.end())
            study = studies.insert(study, {study_of(point), {}});
        const auto is_same = [&](const CountedCase& other) {
            return other.point().threshold == point.threshold && other.point().coarsen == point.coarsen &&
                   other.point().aggregate == point.aggregate;
        };
        if (std::ranges::none_of(study->second, is_same))
            study->second.push_back(std::move(one));
    }
}

std::optional<NeedStudy> predicted_study(const Roofline& roofline, std::vector<CountedCase>& cases, double flat_us)
{
    const auto threshold_of = [](const CountedCase& one) { return one.point().threshold; };
    const auto [least, most] = std::ranges::minmax(cases, {}, threshold_of);
    const std::uint32_t highest = threshold_of(most);
    // The median with the highest threshold; in so many waves, or in any if there is none.
    const auto alone_us = [&](double waves) -> std::optional<double> {
        std::vector<double> us;
        for (const CountedCase& one : cases)
            if (threshold_of(one) == highest && one.made.measured && (waves == 0 || one.need.waves == waves))
                us.push_back(one.made.measured->value);
        return us.empty() ? std::nullopt : std::optional(median(us));
    };
    if (threshold_of(least) == highest || !alone_us(0))
        return std::nullopt;
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> blocks; // by threshold and coarsening
    for (const CountedCase& one : cases)
        blocks[{threshold_of(one), one.point().coarsen}] = one.need.child_blocks;
    const auto blocks_at = [&](std::uint32_t threshold, std::uint32_t coarsen, double default_value) {
        const auto found = blocks.find({threshold, coarsen});
        return found == blocks.end() ? default_value : found->second;
    };
    NeedStudy study{.cases = {}, .flat_us = flat_us, .alone_us = *alone_us(0)};
    for (CountedCase& one : cases) {
        const Case& point = one.point();
        NeedDemand& need = one.need;
        need.child_blocks_uncoarsened = blocks_at(point.threshold, 1, need.child_blocks);
        need.child_blocks_unthresholded = blocks_at(0, point.coarsen, need.child_blocks);
        // The least coarsening that has as few blocks: a larger one leaves no item with fewer blocks.
        const auto fewest = std::ranges::find_if(blocks, [&](const auto& other) {
            return other.first.first == point.threshold && other.second <= need.child_blocks;
        });
        need.parts = fewest == blocks.end() ? point.coarsen : fewest->first.second;
        need.by_last_block = blocks_per_group(point.aggregate) != 1;
        need.by_level = blocks_per_group(point.aggregate) == 0;
        need.threshold_share = static_cast<double>(point.threshold) / highest;
        need.block = point.block;
        need.flat_us = flat_us;
        need.alone_us = alone_us(need.waves).value_or(study.alone_us);
        one.made.prediction = predict_by_need(roofline, need);
        study.cases.push_back(one.made);
    }
    const auto index_of_least = [&](const auto& value) {
        return static_cast<std::size_t>(std::ranges::min_element(study.cases, {}, value) - study.cases.begin());
    };
    study.chosen = index_of_least([](const PredictedCase& one) { return one.prediction.us; });
    study.best =
        index_of_least([](const PredictedCase& one) { return one.measured ? one.measured->value : HUGE_VAL; });
    return study;
}

} // namespace

std::optional<double> NeedStudy::cost_of_choice() const
{
    const std::optional<Estimate>& measured = cases.at(chosen).measured;
    return measured ? std::optional(measured->value / cases.at(best).measured->value) : std::nullopt;
}

std::vector<NeedStudy> need_studies(const Roofline& roofline, const CountedLog& measured, const CountedLog* counted)
{
    std::map<std::string, double> flat_us; // of the best, by input
    for (const CaseResult& result : measured.results) {
        const StrategyInfo& info = Registry::find_anywhere(result.point.strategy)->info();
        const std::vector<double> times = gpu_times_of(result);
        if (!info.irregular() || times.empty() || from_device(mechanism_of(info, result.point)))
            continue;
        const double us = median(times);
        const auto [flat, is_new] = flat_us.emplace(work_of(result.point), us);
        flat->second = std::min(flat->second, us);
    }
    Studies studies;
    add_counted(studies, measured);
    if (counted)
        add_counted(studies, *counted);
    std::vector<NeedStudy> found;
    for (auto& [name, cases] : studies)
        if (const auto flat = flat_us.find(work_of(name)); flat != flat_us.end())
            if (std::optional<NeedStudy> study = predicted_study(roofline, cases, flat->second))
                found.push_back(std::move(*study));
    return found;
}

} // namespace nestbed
