#include "inspect/compare_sides.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/axis_table.hpp"
#include "run/case_summary.hpp"
#include "run/flat_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace nestbed
{

namespace
{

// All configurations of both sides on one input.
struct InputCases {
    std::array<std::vector<const CaseResult*>, 2> sides;
};

// All samples are ok and have a time by the same clock.
bool is_right(const CaseResult& result)
{
    const std::size_t by_gpu = gpu_times_of(result).size();
    return !result.samples.empty() && times_of(result).size() == result.samples.size() &&
           (by_gpu == 0 || by_gpu == result.samples.size());
}

// What two cases must share to be compared.
std::string comparable(const CaseResult& result)
{
    const Case& point = result.point;
    const WorkloadInfo& workload = *Registry::find_anywhere(point.strategy)->info().workload;
    std::string text = workload.has_ratio ? work_of(point) : std::string(workload.name);
    if (!workload.has_ratio) {
        for (const Axis& axis : plain_axes())
            text += axis.id == axis::program ? "" : "|" + cell_of(axis, point);
    }
    return fmt::format("{}|{}|{}|{}", text, name_of(point.backend), clock_of(result), name_of(point.l2));
}

// The strategies or programs of the log that match. Throws UsageError for a pattern that matches none.
std::vector<std::string> matching(const std::string& path, const LoggedCases& log, const SideAsked& asked)
{
    std::set<std::string_view> all;
    for (const CaseResult& result : log.results)
        all.insert(name_on_side(result.point));
    const bool has_programs =
        std::ranges::any_of(log.results, [](const CaseResult& result) { return !result.point.program.empty(); });
    const std::vector<std::string_view> names(all.begin(), all.end());
    std::set<std::string> found;
    for (const std::string& pattern : split(asked.patterns, ',')) {
        std::vector<std::string_view> own;
        std::ranges::copy_if(names, std::back_inserter(own),
                             [&](std::string_view name) { return matches(pattern, name); });
        found.insert(own.begin(), own.end());
        if (own.empty())
            throw UsageError(fmt::format("{} {}: {} has no such {}{}", asked.option, pattern, path,
                                         has_programs ? "program" : "strategy",
                                         suggestions(pattern, names, fmt::format("nestbed show {}", path))));
    }
    return {found.begin(), found.end()};
}

SideBest best_of(const std::vector<const CaseResult*>& cases)
{
    SideBest side{.configurations = cases.size()};
    for (const CaseResult* one : cases) {
        const double us = median(times_of(*one));
        if (side.fastest != nullptr && us >= side.median_us)
            continue;
        side.fastest = one;
        side.median_us = us;
        side.held = is_held(*one);
    }
    return side;
}

ComparedInput compared(const InputCases& cases)
{
    ComparedInput input{.sides = {best_of(cases.sides[0]), best_of(cases.sides[1])}};
    const std::vector<double> a = times_of(*input.sides[0].fastest);
    const std::vector<double> b = times_of(*input.sides[1].fastest);
    input.clock = clock_of(*input.sides[0].fastest);
    input.ratio = estimate_ratio(a, b);
    input.change = std::min(a.size(), b.size()) < kFewestSamples ? Change::too_few
                   : input.ratio.interval.low > 1                ? Change::slower
                   : input.ratio.interval.high < 1               ? Change::faster
                                                                 : Change::same;
    return input;
}

// The values that the configurations of an input have on an axis.
std::set<std::string> cells_on(const Axis& axis, const InputCases& cases)
{
    std::set<std::string> cells;
    for (const std::vector<const CaseResult*>& side : cases.sides)
        for (const CaseResult* one : side)
            cells.insert(cell_of(axis, one->point));
    cells.erase("");
    return cells;
}

} // namespace

const std::string& name_on_side(const Case& point)
{
    return point.program.empty() ? point.strategy : point.program;
}

SidesComparison compare_sides(const std::string& path, const LoggedCases& log, const SideAsked& a, const SideAsked& b)
{
    SidesComparison comparison;
    std::vector<std::string> order;
    std::map<std::string, InputCases> inputs;
    for (std::size_t place = 0; place < 2; ++place) {
        ComparedSide& side = comparison.sides[place];
        side.asked = place == 0 ? a : b;
        side.strategies = matching(path, log, side.asked);
    }
    for (const CaseResult& result : log.results)
        for (std::size_t place = 0; place < 2; ++place) {
            ComparedSide& side = comparison.sides[place];
            if (!std::ranges::binary_search(side.strategies, name_on_side(result.point)))
                continue;
            if (!is_right(result)) {
                ++side.left_out;
                continue;
            }
            ++side.configurations;
            const std::string input = comparable(result);
            if (inputs.try_emplace(input).second)
                order.push_back(input);
            inputs[input].sides[place].push_back(&result);
        }
    std::vector<const InputCases*> both;
    for (const std::string& name : order) {
        const InputCases& cases = inputs[name];
        for (std::size_t place = 0; place < 2; ++place)
            comparison.sides[place].alone += cases.sides[1 - place].empty() ? 1 : 0;
        if (cases.sides[0].empty() || cases.sides[1].empty())
            continue;
        both.push_back(&cases);
        comparison.inputs.push_back(compared(cases));
        for (std::size_t place = 0; place < 2; ++place) {
            ComparedSide& side = comparison.sides[place];
            const std::size_t count = cases.sides[place].size();
            side.fewest = both.size() == 1 ? count : std::min(side.fewest, count);
            side.most = std::max(side.most, count);
        }
    }
    if (both.empty())
        throw UsageError(
            fmt::format("{}: --of {} and --with {} have no input in common that both sides were right and timed "
                        "on; allowed: strategies of one workload on the same inputs, by the same clock",
                        path, a.patterns, b.patterns));
    for (const Axis* axis : plain_axes_in_tables()) {
        std::size_t most = 0; // values on one input
        for (const InputCases* cases : both)
            most = std::max(most, cells_on(*axis, *cases).size());
        if (most > 0)
            (most == 1 ? comparison.input_axes : comparison.other_axes).push_back(axis);
    }
    return comparison;
}

} // namespace nestbed
