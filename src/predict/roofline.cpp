#include "predict/roofline.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace nestbed
{

namespace
{

// results/method.md derives them.
constexpr std::array<RooflineParameter, 12> kParameters{{
    {"first", "us",
     "the root grid, the start of its launches and the end of the case; by none: a flat reduction of few numbers"},
    {"level", "us", "one level of a chain"},
    {"deep", "us", "what a level takes longer from the 65th on; not by tail launches or graphs"},
    {"burst", "us", "what a level takes longer if many launches are made in it, however many"},
    {"burst_launches", "", "launches in a level that make 1 - 1/e of the burst"},
    {"rate", "us", "one more launch in a level of many; by the host: one more launch"},
    {"thread", "us", "the same, per 256 threads of the root block"},
    {"sibling", "us", "one more child of a block, if one thread launches all of them"},
    {"lane", "us", "the same if each is launched by a thread of its own, and they must run one after another"},
    {"block", "us", "one block of a level of many blocks"},
    {"bandwidth", "GB/s", "memory bandwidth of the fastest flat kernel that only reads"},
    {kCopyBandwidth, "GB/s", "the same of one that copies or transposes a matrix"},
}};

constexpr unsigned kDeepFrom = 64;
constexpr double kMinThreads = 32;
constexpr double kThreadUnit = 256;

// How the trees of launches below the root blocks share the GPU.
struct Trees {
    double all = 1;     // the whole root grid may be the only one
    double at_once = 1; // the others follow
    double turns() const { return all / at_once; }
};

Trees trees_of(const Demand& demand)
{
    if (!demand.form.per_root_block())
        return {};
    const LaunchPlan& plan = demand.plan;
    const double roots = plan.roots;
    const double at_once = demand.form.one_by_one ? plan.streams
                           : plan.waves() > 1     ? static_cast<double>(plan.streams) * plan.wave
                                                  : roots;
    return {.all = roots, .at_once = std::min(at_once, roots)};
}

double launches_of_tree(const Demand& demand)
{
    return static_cast<double>(demand.form.total()) / trees_of(demand).all;
}

// Whether a tree has siblings that must run one after another: then all of its launches do.
bool runs_in_order(const Demand& demand)
{
    return (demand.mechanism == Mechanism::null_stream || demand.mechanism == Mechanism::tail) &&
           launches_of_tree(demand) > demand.form.levels();
}

// Children of one block that must run one after another: so the whole tree does.
void add_trees_in_order(const Roofline& roofline, const Demand& demand, Prediction& prediction)
{
    const Trees trees = trees_of(demand);
    const double each = parameter_of(roofline, demand.form.by_lanes ? "lane" : "sibling", demand.mechanism);
    prediction.latency_us =
        trees.turns() * (parameter_of(roofline, "level", demand.mechanism) + (launches_of_tree(demand) - 1) * each);
    prediction.rate_us = trees.turns() * crowd_us(roofline, demand.mechanism, trees.at_once, 0);
}

void add_levels(const Roofline& roofline, const Demand& demand, Prediction& prediction)
{
    const Mechanism mechanism = demand.mechanism;
    const double level = parameter_of(roofline, "level", mechanism);
    const Trees trees = trees_of(demand);
    double before = 1;
    for (unsigned depth = 0; depth < demand.form.levels(); ++depth) {
        const double launches = static_cast<double>(demand.form.by_depth[depth]) / trees.all;
        double latency = level;
        double crowd = 0;
        if (depth >= kDeepFrom && mechanism != Mechanism::tail && mechanism != Mechanism::graph_tail)
            latency += parameter_of(roofline, "deep");
        if (demand.form.by_last_block)
            latency += pass_us(roofline);
        if (mechanism != Mechanism::graph_tail)
            crowd = crowd_us(roofline, mechanism, trees.at_once * launches, demand.root_threads);
        if (mechanism != Mechanism::graph_tail && launches > before && !demand.form.by_lanes) {
            // The calls of one thread, or the launches of all threads, whichever takes longer.
            const double calls = (launches / before - 1) * parameter_of(roofline, "sibling", mechanism) +
                                 crowd_us(roofline, mechanism, trees.at_once * before, demand.root_threads);
            if (calls > crowd) {
                latency += calls;
                crowd = 0;
            }
        }
        prediction.latency_us += trees.turns() * latency;
        prediction.rate_us += trees.turns() * crowd;
        before = launches;
    }
    double blocks = demand.blocks_per_level;
    for (unsigned grid = 0; grid <= demand.form.levels() && blocks > 1; ++grid, blocks /= demand.form.fan_in) {
        const double us = blocks * parameter_of(roofline, "block");
        prediction.work_us += demand.form.by_last_block ? us : std::hypot(level, us) - level;
    }
}

void add_launches(const Roofline& roofline, const Demand& demand, Prediction& prediction)
{
    if (demand.mechanism == Mechanism::none)
        return;
    if (from_device(demand.mechanism))
        return runs_in_order(demand) ? add_trees_in_order(roofline, demand, prediction)
                                     : add_levels(roofline, demand, prediction);
    const bool levels = demand.host_launches_are_levels;
    (levels ? prediction.latency_us : prediction.rate_us) =
        demand.host_launches * parameter_of(roofline, levels ? "level" : "rate", demand.mechanism);
}

} // namespace

std::string gpu_of(const DeviceFacts& facts)
{
    return fmt::format("{} (driver {}, CUDA {})", facts.name, facts.driver, facts.runtime);
}

Demand demand_of(const Strategy& strategy, const Case& point, const DeviceFacts& facts)
{
    const WorkloadInfo& workload = *strategy.info().workload;
    Demand demand{.mechanism = mechanism_of(strategy.info(), point),
                  .form = strategy.launches(point),
                  .plan = {},
                  .point = point,
                  .bytes = static_cast<double>(bytes_moved(strategy.info(), point)),
                  .writes = workload.calibrates == Calibrates::copy};
    const ExpectedLaunches& form = demand.form;
    demand.plan = plan_launches(point, form, facts);
    if (demand.mechanism != Mechanism::none && !from_device(demand.mechanism))
        demand.host_launches =
            workload.host_launches == nullptr ? halving_levels(point) : workload.host_launches(point);
    demand.host_launches_are_levels = !workload.siblings || demand.mechanism == Mechanism::grid_sync;
    demand.root_threads = form.root_threads != 0 ? form.root_threads : point.block;
    if (!form.per_root_block() && workload.grid_per_level)
        demand.blocks_per_level =
            form.blocks_per_multiprocessor != 0 ? form.blocks_per_multiprocessor * facts.multiprocessors : point.grid;
    return demand;
}

double parameter_of(const Roofline& roofline, std::string_view name)
{
    const auto found = roofline.parameters.find(name);
    if (found == roofline.parameters.end())
        throw RunError(fmt::format("the model of {} has no parameter {}; allowed: a model that `nestbed calibrate` "
                                   "made from logs with such cases",
                                   roofline.facts.name, name));
    return found->second.value;
}

double parameter_of(const Roofline& roofline, std::string_view name, Mechanism mechanism)
{
    return parameter_of(roofline, fmt::format("{}.{}", name, name_of(mechanism)));
}

std::optional<LaunchPrices> launch_prices(const Roofline& roofline, Mechanism mechanism)
{
    if (!is_fitted(mechanism) || !(from_device(mechanism) || mechanism == Mechanism::host))
        return std::nullopt;
    LaunchPrices prices{.level_us = parameter_of(roofline, "level", mechanism)};
    if (from_device(mechanism) && mechanism != Mechanism::tail && mechanism != Mechanism::graph_tail)
        prices.launch_us = parameter_of(roofline, "rate", mechanism);
    return prices;
}

std::optional<Prediction> launches_alone(const Roofline& roofline, Mechanism mechanism,
                                         const CountedLaunches& counted)
{
    const std::optional<LaunchPrices> prices = launch_prices(roofline, mechanism);
    if (!prices)
        return std::nullopt;
    const std::vector<std::uint64_t>& by_depth = counted.by_depth;
    const std::uint64_t further =
        std::accumulate(by_depth.begin(), by_depth.end(), std::uint64_t{0}) - by_depth.size();
    const std::size_t levels = from_device(mechanism) ? by_depth.size() : counted.by_host;
    Prediction prediction{.bound = Bound::launches,
                          .latency_us = static_cast<double>(levels) * prices->level_us,
                          .rate_us = static_cast<double>(further) * prices->launch_us};
    prediction.us = prediction.latency_us + prediction.rate_us;
    return prediction;
}

double crowd_us(const Roofline& roofline, Mechanism mechanism, double launches, double threads)
{
    if (launches <= 1)
        return 0;
    const double burst = parameter_of(roofline, "burst", mechanism) *
                         (1 - std::exp(-(launches - 1) / parameter_of(roofline, "burst_launches")));
    if (mechanism == Mechanism::tail) // trees of tail launches run one by one in each of at most 64 streams
        return burst;
    const double thread =
        parameter_of(roofline, "thread", mechanism) * std::max(0.0, threads - kMinThreads) / kThreadUnit;
    return burst + (launches - 1) * (parameter_of(roofline, "rate", mechanism) + thread);
}

double pass_us(const Roofline& roofline)
{
    return std::max(0.0, parameter_of(roofline, "first", Mechanism::none) -
                             parameter_of(roofline, "first", Mechanism::host));
}

std::span<const RooflineParameter> roofline_parameters()
{
    return kParameters;
}

const RooflineParameter* roofline_parameter(std::string_view key)
{
    const std::string_view name = key.substr(0, key.find('.'));
    const auto* const found = std::ranges::find(kParameters, name, &RooflineParameter::name);
    const auto is_its_own = [&](Mechanism mechanism) { return key.substr(name.size() + 1) == name_of(mechanism); };
    const bool is_key = name.size() == key.size() || std::ranges::any_of(kMechanisms, is_its_own);
    return is_key && found != kParameters.end() ? found : nullptr;
}

std::string_view name_of(Bound bound)
{
    constexpr std::array<std::string_view, 7> kNames{"first",   "latency",       "rate",    "work",
                                                     "parents", "pending_limit", "launches"};
    return kNames.at(static_cast<std::size_t>(bound));
}

std::string why_not_described(const Demand& demand, const DeviceFacts& facts)
{
    if (!is_fitted(demand.mechanism))
        return "the launch model has no parameters of their mechanism";
    if (!from_device(demand.mechanism) || demand.form.levels() == 0)
        return "";
    if (demand.plan.pending_limit > facts.default_pending_limit)
        return "their pending limit is above the default";
    if (demand.form.per_root_block() && demand.mechanism == Mechanism::tail && !demand.form.one_by_one)
        return "many blocks of a grid make tail launches, which run one after another";
    if (trees_of(demand).at_once > 1 && runs_in_order(demand))
        return "many trees whose siblings run one after another";
    return "";
}

void Prediction::add_up(double first_us)
{
    us = first_us + latency_us + rate_us + work_us;
    const double largest = std::max({first_us, latency_us, rate_us, work_us});
    bound = largest == work_us      ? Bound::work
            : largest == rate_us    ? Bound::rate
            : largest == latency_us ? Bound::latency
                                    : Bound::first;
}

Prediction predict(const Roofline& roofline, const Demand& demand)
{
    Prediction prediction;
    add_launches(roofline, demand, prediction);
    if (demand.bytes > 0)
        prediction.work_us +=
            demand.bytes / (parameter_of(roofline, demand.writes ? kCopyBandwidth : "bandwidth") * kBytesPerUsInGb);
    const double turns = trees_of(demand).turns();
    prediction.add_up(turns * parameter_of(roofline, "first", demand.mechanism));
    if (prediction.bound == Bound::work)
        return prediction;
    if (demand.form.parent_waits && demand.plan.waves() > 1) // fewer trees at once than without
        prediction.bound = Bound::parents;
    else if (prediction.bound != Bound::rate && turns > 1 && from_device(demand.mechanism) && !demand.form.one_by_one)
        prediction.bound = Bound::pending_limit;
    return prediction;
}

} // namespace nestbed
