#include "predict/need_prediction.hpp"

#include "model/case_text.hpp"
#include "model/child_requests.hpp"
#include "predict/roofline_need.hpp"
#include "run/flat_times.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace nestbed
{

namespace
{

// What the rows of a case say of its launches; the same in all of them.
struct Counts {
    std::vector<double> by_depth;
    double wave = 1, waves = 1, streams = 1, child_blocks = 0;
};

std::map<std::string, Counts> counts_by_key(const ParsedLog& log)
{
    std::map<std::string, Counts> counts;
    const std::array<const char*, 7> needed{"key",          "status",           "wave", "waves", "streams",
                                            "child_blocks", "launches_by_depth"};
    if (!std::ranges::all_of(needed, [&](const char* column) { return log.has(column); }))
        return counts;
    const auto cell = [&](const LogRow& row, const char* column) { return row.cells.at(log.column(column)); };
    for (const LogRow& row : log.rows) {
        if (cell(row, "status") != "ok" || cell(row, "child_blocks").empty() || counts.contains(cell(row, "key")))
            continue;
        Counts one{.by_depth = {},
                   .wave = log.number(row, "wave"),
                   .waves = log.number(row, "waves"),
                   .streams = log.number(row, "streams"),
                   .child_blocks = log.number(row, "child_blocks")};
        std::istringstream words(cell(row, "launches_by_depth"));
        for (std::string word; words >> word;)
            one.by_depth.push_back(log.number(row, "launches_by_depth", word));
        counts.emplace(cell(row, "key"), std::move(one));
    }
    return counts;
}

struct CountedCase {
    Case point;
    Counts counts;
    std::optional<Estimate> us;
};

// What the cases of a study have in common; logs of the GPU and of the executor have the same studies.
Case study_of(const Case& point)
{
    Case alike = point;
    alike.backend = BackendKind::cuda;
    alike.mechanism = mechanism_of(Registry::find_anywhere(point.strategy)->info(), point);
    alike.submit = Submit::held;
    alike.l2 = CacheState::as_is;
    alike.threshold = 0;
    alike.coarsen = 1;
    alike.aggregate = Aggregate::none;
    return alike;
}

// The cases of a study by their threshold and coarsening.
using Blocks = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;

double blocks_at(const Blocks& blocks, std::uint32_t threshold, std::uint32_t coarsen, double default_value)
{
    const auto found = blocks.find({threshold, coarsen});
    return found == blocks.end() ? default_value : found->second;
}

// The least coarsening that has as few blocks: a larger one leaves no item with fewer blocks.
std::uint32_t parts_at(const Blocks& blocks, const Case& point, double child_blocks)
{
    for (const auto& [at, of_it] : blocks)
        if (at.first == point.threshold && of_it <= child_blocks)
            return at.second;
    return point.coarsen;
}

PredictedCase predicted(const Roofline& roofline, const CountedCase& one, const Blocks& blocks, double flat_us,
                        double alone_us, std::uint32_t highest)
{
    const Case& point = one.point;
    const Counts& counts = one.counts;
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    const NeedDemand need{
        .mechanism = mechanism_of(info, point),
        .by_depth = counts.by_depth,
        .waves = counts.waves,
        .streams = counts.streams,
        .child_blocks = counts.child_blocks,
        .child_blocks_uncoarsened = blocks_at(blocks, point.threshold, 1, counts.child_blocks),
        .child_blocks_unthresholded = blocks_at(blocks, 0, point.coarsen, counts.child_blocks),
        .parts = static_cast<double>(parts_at(blocks, point, counts.child_blocks)),
        .by_last_block = blocks_per_group(point.aggregate) != 1,
        .by_level = blocks_per_group(point.aggregate) == 0,
        .threshold_share = static_cast<double>(point.threshold) / highest,
        .block = static_cast<double>(point.block),
        .flat_us = flat_us,
        .alone_us = alone_us,
    };
    PredictedCase made{.demand = {.mechanism = need.mechanism, .form = {}, .plan = {}, .point = point},
                       .prediction = predict_by_need(roofline, need),
                       .measured = one.us};
    made.given = one.us && std::ranges::none_of(counts.by_depth, [](double launches) { return launches > 0; });
    for (const double of_depth : counts.by_depth)
        made.demand.form.by_depth.push_back(static_cast<std::uint64_t>(of_depth));
    made.demand.plan.wave = static_cast<std::uint32_t>(counts.wave);
    made.demand.plan.roots = static_cast<std::uint32_t>(counts.wave * counts.waves);
    made.demand.plan.streams = static_cast<std::uint32_t>(counts.streams);
    return made;
}

std::optional<NeedStudy> predicted_study(const Roofline& roofline, const std::vector<CountedCase>& cases,
                                         double flat_us)
{
    const auto threshold_of = [](const CountedCase& one) { return one.point.threshold; };
    const auto [least, most] = std::ranges::minmax(cases, {}, threshold_of);
    std::vector<double> alone;
    std::map<double, std::vector<double>> alone_by_waves;
    Blocks blocks;
    for (const CountedCase& one : cases) {
        if (threshold_of(one) == threshold_of(most) && one.us) {
            alone.push_back(one.us->value);
            alone_by_waves[one.counts.waves].push_back(one.us->value);
        }
        blocks[{threshold_of(one), one.point.coarsen}] = one.counts.child_blocks;
    }
    if (threshold_of(least) == threshold_of(most) || alone.empty())
        return std::nullopt;
    NeedStudy study{.cases = {}, .chosen = 0, .best = 0, .flat_us = flat_us, .alone_us = median(alone)};
    for (const CountedCase& one : cases) {
        const auto in_its_waves = alone_by_waves.find(one.counts.waves);
        const double alone_us = in_its_waves == alone_by_waves.end() ? study.alone_us : median(in_its_waves->second);
        study.cases.push_back(predicted(roofline, one, blocks, flat_us, alone_us, threshold_of(most)));
    }
    const auto index_of_least = [&](const auto& value) {
        return static_cast<std::size_t>(
            std::distance(study.cases.begin(), std::ranges::min_element(study.cases, {}, value)));
    };
    study.chosen = index_of_least([](const PredictedCase& one) { return one.prediction.us; });
    study.best =
        index_of_least([](const PredictedCase& one) { return one.measured ? one.measured->value : HUGE_VAL; });
    return study;
}

// Adds the cases of a log to their studies, unless they are there.
void add_counted(std::map<Case, std::vector<CountedCase>>& studies, std::vector<Case>& order, const CountedLog& log)
{
    const std::map<std::string, Counts> counts = counts_by_key(*log.log);
    for (const CaseResult& result : log.results) {
        const StrategyInfo& info = Registry::find_anywhere(result.point.strategy)->info();
        const auto counted = counts.find(result.key);
        if (!info.requests || !from_device(mechanism_of(info, result.point)) || counted == counts.end())
            continue;
        CountedCase one{.point = result.point, .counts = counted->second, .us = {}};
        one.point.backend = BackendKind::cuda;
        if (const std::vector<double> times = gpu_times_of(result); !times.empty())
            one.us = estimate_median(times);
        auto [study, is_new] = studies.try_emplace(study_of(one.point));
        if (is_new)
            order.push_back(study->first);
        const auto is_same = [&](const CountedCase& other) {
            return other.point.threshold == one.point.threshold && other.point.coarsen == one.point.coarsen &&
                   other.point.aggregate == one.point.aggregate;
        };
        if (std::ranges::none_of(study->second, is_same))
            study->second.push_back(std::move(one));
    }
}

} // namespace

std::optional<double> NeedStudy::cost_of_choice() const
{
    const std::optional<Estimate>& measured = cases.at(chosen).measured;
    return measured ? std::optional(measured->value / cases.at(best).measured->value) : std::nullopt;
}

std::vector<NeedStudy> need_studies(const Roofline& roofline, const CountedLog& measured,
                                    const std::optional<CountedLog>& counted)
{
    std::map<std::string, double> flat_us; // by input
    for (const CaseResult& result : measured.results) {
        const StrategyInfo& info = Registry::find_anywhere(result.point.strategy)->info();
        const std::vector<double> times = gpu_times_of(result);
        if (!info.irregular() || times.empty() || from_device(mechanism_of(info, result.point)))
            continue;
        const double us = median(times);
        const auto [flat, is_new] = flat_us.emplace(work_of(result.point), us);
        flat->second = std::min(flat->second, us);
    }
    std::map<Case, std::vector<CountedCase>> studies;
    std::vector<Case> order;
    add_counted(studies, order, measured);
    if (counted)
        add_counted(studies, order, *counted);
    std::vector<NeedStudy> found;
    for (const Case& name : order)
        if (const auto flat = flat_us.find(work_of(name)); flat != flat_us.end())
            if (std::optional<NeedStudy> study = predicted_study(roofline, studies.at(name), flat->second))
                found.push_back(std::move(*study));
    return found;
}

} // namespace nestbed
