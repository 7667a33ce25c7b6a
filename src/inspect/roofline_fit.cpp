#include "inspect/roofline_fit.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace nestbed
{

namespace
{

// A case with the GPU times of its samples that are ok.
struct Measured {
    Demand demand;
    std::vector<double> us;
    std::string_view workload;
};

// Time = first + x * step, for each repetition.
struct Line {
    std::vector<double> first, step;
};

[[noreturn]] void miss(const std::string& cases)
{
    throw RunError(fmt::format("the logs have no {}, each with at least {} GPU times; allowed: logs of "
                               "experiments/launch.cfg and experiments/library.cfg together",
                               cases, kFewestSamples));
}

std::vector<Measured> measured_in(std::span<const LoggedCases> logs, const DeviceFacts& facts)
{
    std::vector<Measured> all;
    for (const LoggedCases& log : logs)
        for (const CaseResult& result : log.results) {
            const Strategy& strategy = *Registry::find_anywhere(result.point.strategy);
            Measured one{.demand = {}, .us = gpu_times_of(result), .workload = strategy.info().workload};
            if (result.point.backend != BackendKind::cuda || one.us.size() < kFewestSamples)
                continue;
            one.demand = demand_of(strategy, result.point, facts);
            all.push_back(std::move(one));
        }
    return all;
}

std::vector<const Measured*> those(const std::vector<Measured>& all,
                                   const std::function<bool(const Measured&)>& is_so)
{
    std::vector<const Measured*> some;
    for (const Measured& one : all)
        if (is_so(one))
            some.push_back(&one);
    return some;
}

std::size_t repetitions_of(const std::vector<const Measured*>& cases)
{
    std::size_t least = SIZE_MAX;
    for (const Measured* one : cases)
        least = std::min(least, one->us.size());
    return least;
}

// Fits lines by least squares of the relative errors, because the times differ by orders of magnitude.
Line fitted(const std::vector<const Measured*>& cases, const std::function<double(const Measured&)>& x_of)
{
    Line line;
    for (std::size_t repetition = 0; repetition < repetitions_of(cases); ++repetition) {
        double w = 0, x = 0, y = 0, xx = 0, xy = 0; // weighted sums
        for (const Measured* one : cases) {
            const double us = one->us[repetition];
            const double weight = 1 / (us * us);
            w += weight;
            x += weight * x_of(*one);
            y += weight * us;
            xx += weight * x_of(*one) * x_of(*one);
            xy += weight * x_of(*one) * us;
        }
        const double step = (w * xy - x * y) / (w * xx - x * x);
        line.step.push_back(std::max(0.0, step));
        line.first.push_back(std::max(0.0, (y - step * x) / w));
    }
    return line;
}

// The same for lines whose first is known.
std::vector<double> steps_after(double first, const std::vector<const Measured*>& cases,
                                const std::function<double(const Measured&)>& x_of)
{
    std::vector<double> steps;
    for (std::size_t repetition = 0; repetition < repetitions_of(cases); ++repetition) {
        double xx = 0, xy = 0;
        for (const Measured* one : cases) {
            const double us = one->us[repetition];
            xx += x_of(*one) * x_of(*one) / (us * us);
            xy += x_of(*one) * (us - first) / (us * us);
        }
        steps.push_back(std::max(0.0, xy / xx));
    }
    return steps;
}

double launches_in_turn(const Measured& one)
{
    return static_cast<double>(one.demand.point.grid) /
           (one.demand.mechanism == Mechanism::tail ? one.demand.plan.streams : 1);
}

void fit_chains(const std::vector<Measured>& all, Roofline& roofline)
{
    for (const Mechanism mechanism : Registry::find_anywhere("chain")->info().mechanisms) {
        const std::vector<const Measured*> chains = those(all, [&](const Measured& one) {
            return one.workload == "chain" && one.demand.mechanism == mechanism && one.demand.point.grid == 1 &&
                   one.demand.point.graphs <= 1;
        });
        const auto depth_of = [](const Measured& one) -> double {
            return one.demand.point.depth.value_or(kChainLevels);
        };
        if (chains.empty() || std::ranges::all_of(chains, [&](const Measured* one) {
                return depth_of(*one) == depth_of(*chains.front());
            }))
            miss(fmt::format("two cases of chain by {}, grid 1, of different depths", name_of(mechanism)));
        Line line = fitted(chains, depth_of);
        roofline.parameters[fmt::format("first.{}", name_of(mechanism))] = estimate_median(line.first);
        roofline.parameters[fmt::format("level.{}", name_of(mechanism))] = estimate_median(line.step);
    }
}

bool is_raised(const Measured& one, const Roofline& roofline)
{
    return one.demand.plan.pending_limit >= 2 * roofline.facts.default_pending_limit;
}

void fit_fanouts(const std::vector<Measured>& all, Roofline& roofline)
{
    constexpr std::uint32_t kMany = 256; // with fewer launches the first ones dominate
    std::vector<double> slowdowns;
    for (const Mechanism mechanism : Registry::find_anywhere("fanout")->info().mechanisms) {
        if (mechanism == Mechanism::grid_sync) // makes no launches
            continue;
        const std::vector<const Measured*> fanouts = those(all, [&](const Measured& one) {
            return one.workload == "fanout" && one.demand.mechanism == mechanism && one.demand.point.grid >= kMany;
        });
        std::vector<const Measured*> usual;
        std::ranges::copy_if(fanouts, std::back_inserter(usual),
                             [&](const Measured* one) { return !is_raised(*one, roofline); });
        if (usual.empty())
            miss(fmt::format("case of fanout by {}, grid {} or more, under the default pending limit",
                             name_of(mechanism), kMany));
        const double first = roofline.parameters.at(fmt::format("first.{}", name_of(mechanism))).value;
        const Estimate launch = estimate_median(steps_after(first, usual, launches_in_turn));
        roofline.parameters[fmt::format("launch.{}", name_of(mechanism))] = launch;
        for (const Measured* one : fanouts)
            if (is_raised(*one, roofline))
                for (const double us : one->us)
                    slowdowns.push_back((us - first) / (launch.value * launches_in_turn(*one)));
    }
    if (slowdowns.empty())
        miss("case of fanout under twice the default pending limit or more");
    roofline.parameters["raised"] = estimate_median(slowdowns);
}

// The fastest flat reduction at the most bytes, and the least time of a flat reduction.
void fit_flat(const std::vector<Measured>& all, Roofline& roofline)
{
    const std::vector<const Measured*> flat = those(all, [](const Measured& one) {
        return one.workload == "reduce" && one.demand.mechanism == Mechanism::none &&
               !Registry::find_anywhere(one.demand.point.strategy)->info().on_host;
    });
    const auto bytes_of = [](const Measured* one) { return one->demand.bytes; };
    const auto least_us = [](const Measured* one) { return median(one->us); };
    if (flat.empty())
        miss("case of a flat reduction");
    const double most_bytes = std::ranges::max(flat, {}, bytes_of)->demand.bytes;
    const Measured& quickest = *std::ranges::min(flat, {}, least_us);
    std::vector<const Measured*> large;
    std::ranges::copy_if(flat, std::back_inserter(large),
                         [&](const Measured* one) { return one->demand.bytes == most_bytes; });
    const Measured& fastest = *std::ranges::min(large, {}, least_us);
    if (fastest.demand.bytes == quickest.demand.bytes)
        miss("two cases of flat reductions of different sizes");
    const Estimate first = estimate_median(quickest.us);
    std::vector<double> rates;
    constexpr double kBytesPerUsInGb = 1e3;
    for (const double us : fastest.us)
        rates.push_back(most_bytes / ((us - first.value) * kBytesPerUsInGb));
    roofline.parameters["first.none"] = first;
    roofline.parameters["bandwidth"] = estimate_median(rates);
}

} // namespace

Roofline fit_roofline(std::span<const LoggedCases> logs)
{
    Roofline roofline;
    for (const LoggedCases& log : logs)
        if (const auto run = log.runs.find(BackendKind::cuda); run != log.runs.end()) {
            roofline.facts = run->second.device;
            break;
        }
    roofline.gpu = roofline.facts.name;
    roofline.driver = roofline.facts.driver;
    roofline.cuda = roofline.facts.runtime;
    const std::vector<Measured> all = measured_in(logs, roofline.facts);
    fit_chains(all, roofline);
    fit_fanouts(all, roofline);
    fit_flat(all, roofline);
    return roofline;
}

} // namespace nestbed
