#include "model/roofline.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace nestbed
{

namespace
{

constexpr std::array<RooflineParameter, 5> kParameters{{
    {"first", "us", "the first grid and its end, without levels; without a mechanism: a flat kernel"},
    {"level", "us", "from one level of a chain to the next"},
    {"launch", "us", "one launch while many others are made; by tail: in one stream"},
    {"raised", "", "slowdown of launches under twice the default pending limit or more"},
    {"bandwidth", "GB/s", "memory bandwidth of the fastest flat kernel"},
}};

double value_of(const Roofline& roofline, std::string_view name)
{
    const auto found = roofline.parameters.find(name);
    if (found == roofline.parameters.end())
        throw RunError(fmt::format("the model of {} has no parameter {}; allowed: a model that `nestbed calibrate` "
                                   "made from logs with such cases",
                                   roofline.gpu, name));
    return found->second.value;
}

double value_of(const Roofline& roofline, std::string_view name, Mechanism mechanism)
{
    return value_of(roofline, fmt::format("{}.{}", name, name_of(mechanism)));
}

bool is_fanout(const Demand& demand)
{
    return Registry::find_anywhere(demand.point.strategy)->info().workload == "fanout";
}

// The number of levels that run one after another. The chains of one wave run at the same time. The subtrees that a
// block launches into one stream run one after another.
double levels_in_turn(const Demand& demand)
{
    const ExpectedLaunches& form = demand.form;
    if (form.per_root_block())
        return static_cast<double>(demand.plan.waves()) / demand.plan.streams * form.levels();
    const bool ordered = demand.mechanism == Mechanism::tail || demand.mechanism == Mechanism::null_stream;
    return ordered && form.levels() > 0 ? static_cast<double>(form.total() - form.by_depth.back()) + 1
                                        : form.levels();
}

// Tail launches of one root grid run one by one: first the root blocks' own, and then the levels below each.
double tail_us(const Roofline& roofline, const Demand& demand)
{
    const double level = value_of(roofline, "level", Mechanism::tail);
    if (!demand.form.per_root_block())
        return levels_in_turn(demand) * level;
    return static_cast<double>(demand.plan.roots) / demand.plan.streams *
           (value_of(roofline, "launch", Mechanism::tail) + (demand.form.levels() - 1) * level);
}

void add_launches(const Roofline& roofline, const Demand& demand, Prediction& prediction)
{
    const Mechanism mechanism = demand.mechanism;
    const bool fanout = is_fanout(demand) && mechanism != Mechanism::grid_sync;
    if (mechanism == Mechanism::none)
        return;
    if (!from_device(mechanism)) {
        // A cooperative grid of as many blocks, and one barrier, take the place of launches side by side.
        const double launches = is_fanout(demand) && !fanout ? 1 : demand.host_launches;
        (fanout ? prediction.rate_us : prediction.latency_us) =
            launches * value_of(roofline, fanout ? "launch" : "level", mechanism);
        return;
    }
    if (demand.form.levels() == 0)
        return;
    if (mechanism == Mechanism::tail) {
        prediction.latency_us = tail_us(roofline, demand);
    } else {
        prediction.latency_us = levels_in_turn(demand) * value_of(roofline, "level", mechanism);
        if (mechanism != Mechanism::graph_tail && demand.form.total() > demand.form.levels())
            prediction.rate_us = static_cast<double>(demand.form.total()) * value_of(roofline, "launch", mechanism);
    }
    if (demand.plan.pending_limit >= 2 * roofline.facts.default_pending_limit) {
        prediction.rate_us *= value_of(roofline, "raised");
        if (mechanism == Mechanism::tail)
            prediction.latency_us *= value_of(roofline, "raised");
    }
}

} // namespace

std::span<const RooflineParameter> roofline_parameters()
{
    return kParameters;
}

const RooflineParameter* roofline_parameter(std::string_view key)
{
    const std::string_view name = key.substr(0, key.find('.'));
    const auto* const found = std::ranges::find(kParameters, name, &RooflineParameter::name);
    if (found == kParameters.end())
        return nullptr;
    const auto is_its_own = [&](Mechanism mechanism) { return key.substr(name.size() + 1) == name_of(mechanism); };
    return name.size() == key.size() || std::ranges::any_of(kMechanisms, is_its_own) ? found : nullptr;
}

std::string_view name_of(Bound bound)
{
    constexpr std::array<std::string_view, 5> kNames{"first", "latency", "rate", "work", "parents"};
    return kNames.at(static_cast<std::size_t>(bound));
}

Prediction predict(const Roofline& roofline, const Demand& demand)
{
    constexpr double kBytesPerUsInGb = 1e3;
    Prediction prediction;
    add_launches(roofline, demand, prediction);
    if (demand.bytes > 0)
        prediction.work_us = demand.bytes / (value_of(roofline, "bandwidth") * kBytesPerUsInGb);
    const double first = value_of(roofline, "first", demand.mechanism);
    const double most = std::max({prediction.latency_us, prediction.rate_us, prediction.work_us});
    prediction.us = first + most;
    if (most <= first)
        prediction.bound = Bound::first;
    else if (most == prediction.work_us)
        prediction.bound = Bound::work;
    else if (most == prediction.rate_us)
        prediction.bound = Bound::rate;
    else
        prediction.bound = demand.form.parent_waits && demand.plan.waves() > 1 ? Bound::parents : Bound::latency;
    return prediction;
}

} // namespace nestbed
