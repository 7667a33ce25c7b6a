#include "inspect/need_prediction.hpp"

#include "model/axis_table.hpp"
#include "model/case_text.hpp"
#include "model/offers.hpp"
#include "model/roofline_need.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>
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

// The input of a case, whatever does the work.
std::string input_of(const Case& point)
{
    std::string text(Registry::find_anywhere(point.strategy)->info().workload);
    for (const char* axis :
         {"type", "input", "elements", "nx", "ny", "dwell", "values", "levels", "edge-factor", "graph-file", "seed"})
        text += "|" + cell_of(axis_named(axis), point);
    return text;
}

struct MeasuredNeed {
    const CaseResult* result;
    const Counts* counts;
    Estimate us;
};

// The cases of a study by their threshold and coarsening.
using Blocks = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;

double blocks_at(const Blocks& blocks, std::uint32_t threshold, std::uint32_t coarsen, double otherwise)
{
    const auto found = blocks.find({threshold, coarsen});
    return found == blocks.end() ? otherwise : found->second;
}

// The least coarsening that has as few blocks: a larger one leaves no item with fewer blocks.
std::uint32_t parts_at(const Blocks& blocks, const Case& point, double child_blocks)
{
    for (const auto& [at, of_it] : blocks)
        if (at.first == point.threshold && of_it <= child_blocks)
            return at.second;
    return point.coarsen;
}

PredictedCase predicted(const Roofline& roofline, const MeasuredNeed& one, const Blocks& blocks, double flat_us,
                        double alone_us, std::uint32_t highest)
{
    const Case& point = one.result->point;
    const Counts& counts = *one.counts;
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
        .by_last_block = blocks_a_group(point.aggregate) != 1,
        .by_level = blocks_a_group(point.aggregate) == 0,
        .threshold_share = static_cast<double>(point.threshold) / highest,
        .block = static_cast<double>(point.block),
        .flat_us = flat_us,
        .alone_us = alone_us,
    };
    PredictedCase made{.demand = {.mechanism = need.mechanism, .form = {}, .plan = {}, .point = point},
                       .prediction = predict_by_need(roofline, need),
                       .measured = one.us};
    for (const double of_depth : counts.by_depth)
        made.demand.form.by_depth.push_back(static_cast<std::uint64_t>(of_depth));
    made.demand.plan.wave = static_cast<std::uint32_t>(counts.wave);
    made.demand.plan.roots = static_cast<std::uint32_t>(counts.wave * counts.waves);
    made.demand.plan.streams = static_cast<std::uint32_t>(counts.streams);
    return made;
}

std::optional<NeedStudy> study_of(const Roofline& roofline, const std::vector<MeasuredNeed>& cases, double flat_us)
{
    const auto threshold_of = [](const MeasuredNeed& one) { return one.result->point.threshold; };
    const auto [least, most] = std::ranges::minmax(cases, {}, threshold_of);
    if (threshold_of(least) == threshold_of(most))
        return std::nullopt;
    std::vector<double> alone;
    std::map<double, std::vector<double>> alone_by_waves;
    Blocks blocks;
    for (const MeasuredNeed& one : cases) {
        if (threshold_of(one) == threshold_of(most)) {
            alone.push_back(one.us.value);
            alone_by_waves[one.counts->waves].push_back(one.us.value);
        }
        blocks[{threshold_of(one), one.result->point.coarsen}] = one.counts->child_blocks;
    }
    NeedStudy study{.cases = {}, .chosen = 0, .best = 0, .flat_us = flat_us, .alone_us = median(alone)};
    for (const MeasuredNeed& one : cases) {
        const auto in_its_waves = alone_by_waves.find(one.counts->waves);
        const double alone_us = in_its_waves == alone_by_waves.end() ? study.alone_us : median(in_its_waves->second);
        study.cases.push_back(predicted(roofline, one, blocks, flat_us, alone_us, threshold_of(most)));
    }
    const auto index_of_least = [&](const auto& value) {
        return static_cast<std::size_t>(
            std::distance(study.cases.begin(), std::ranges::min_element(study.cases, {}, value)));
    };
    study.chosen = index_of_least([](const PredictedCase& one) { return one.prediction.us; });
    study.best = index_of_least([](const PredictedCase& one) { return one.measured->value; });
    return study;
}

} // namespace

double NeedStudy::cost_of_choice() const
{
    return cases.at(chosen).measured->value / cases.at(best).measured->value;
}

std::vector<NeedStudy> need_studies(const Roofline& roofline, const ParsedLog& log,
                                    std::span<const CaseResult> results)
{
    const std::map<std::string, Counts> counts = counts_by_key(log);
    std::map<std::string, double> flat_us; // by input
    std::map<std::string, std::vector<MeasuredNeed>> studies;
    std::vector<std::string> order;
    for (const CaseResult& result : results) {
        const StrategyInfo& info = Registry::find_anywhere(result.point.strategy)->info();
        const std::vector<double> times = gpu_times_of(result);
        if (!info.irregular() || times.empty())
            continue;
        const Estimate us = estimate_median(times);
        const std::string input = input_of(result.point);
        if (!from_device(mechanism_of(info, result.point))) {
            const auto [flat, is_new] = flat_us.emplace(input, us.value);
            flat->second = std::min(flat->second, us.value);
        } else if (const auto counted = counts.find(result.key); info.offers && counted != counts.end()) {
            Case alike = result.point;
            alike.threshold = 0;
            alike.coarsen = 1;
            alike.aggregate = Aggregate::none;
            auto [study, is_new] = studies.try_emplace(settings_text(alike));
            if (is_new)
                order.push_back(study->first);
            study->second.push_back({&result, &counted->second, us});
        }
    }
    std::vector<NeedStudy> found;
    for (const std::string& name : order) {
        const std::vector<MeasuredNeed>& cases = studies.at(name);
        if (const auto flat = flat_us.find(input_of(cases.front().result->point)); flat != flat_us.end())
            if (std::optional<NeedStudy> study = study_of(roofline, cases, flat->second))
                found.push_back(std::move(*study));
    }
    return found;
}

} // namespace nestbed
