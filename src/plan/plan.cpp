#include "plan/plan.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/axis_table.hpp"
#include "model/input_file.hpp"
#include "model/modules.hpp"
#include "model/text_numbers.hpp"
#include "plan/axes.hpp"
#include "plan/choice.hpp"
#include "plan/figures.hpp"
#include "plan/plan_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace nestbed
{

namespace
{

// Sets an axis that was not given to the default of the workload, if that has its own. 0 stands for no value, unless the axis
// allows it.
void set_default(const Axes& axes, Case& point, const StrategyInfo& info, const Axis& axis)
{
    const bool given = !axes.of(axis).front().setting->value.empty() &&
                       (axis.range.least == 0 || axis.get(point) != std::uint64_t{0});
    if (const std::uint64_t own = default_of(axis, info); own != 0 && !given)
        axis.set(point, own);
}

// Resets settings that do not apply to the strategy to their defaults, so that they do not multiply cases.
Case meaningful(const Axes& axes, Case point)
{
    const Strategy& strategy = *Registry::find_anywhere(point.strategy);
    const StrategyInfo& info = strategy.info();
    const WorkloadInfo& workload = *info.workload;
    if (info.over_matrix()) {
        point.type = ElementType::float32;
        point.elements = std::uint64_t{point.nx} * point.ny;
    }
    if (const std::span<const InputKind> inputs = workload.inputs;
        !inputs.empty() && std::ranges::find(inputs, point.input) == inputs.end())
        point.input = inputs.front();
    for (const Axis& axis : plain_axes())
        set_default(axes, point, info, axis);
    if (workload.complete != nullptr)
        workload.complete(point, {.elements = axes.of("elements").front().number.has_value(),
                                  .block = axes.of("block").front().number.has_value()});
    reset_meaningless(point);
    if (!info.has(axis::graphs) || point.mechanism != Mechanism::graph_tail)
        point.graphs = 1;
    if (!strategy.launches(point).per_root_block() && !info.requests) { // no waves
        point.wave.reset();
        point.streams.reset();
    }
    return point;
}

// Gives each file that is an input the hash of its content, which is part of the case.
void identify_files(Axes& axes)
{
    for (const Axis& axis : plain_axes())
        for (AxisValue& value : axes.plain[static_cast<std::size_t>(&axis - plain_axes().data())]) {
            if (!axis.is_file() || value.number == std::uint64_t{0})
                continue;
            try {
                value.number = number_of_text(graph_file_id(text_with(*value.number)));
            } catch (const RunError& error) {
                throw UsageError(value.setting->place() + ": " + error.what());
            }
        }
}

// Chains and trees of empty grids have as many levels as the user asks for, but the ledger counts at most kLedgerLevels
// separately.
void check_levels(const Axes& axes, const StrategyInfo& info)
{
    if (!info.keeps_timestamps() || !info.has(axis::depth))
        return;
    for (const AxisValue& depth : axes.of("depth"))
        if (depth.number.value_or(0) > kLedgerLevels)
            throw UsageError(fmt::format("{}: {} levels are too many; allowed for {}: at most {}",
                                         depth.setting->place(), *depth.number, info.name, kLedgerLevels));
}

// A tree of launches grows with a power of its depth.
void check_launches(const Case& point)
{
    const Strategy& strategy = *Registry::find_anywhere(point.strategy);
    const std::uint64_t allowed = strategy.info().workload->max_launches;
    if (strategy.launches(point).total() <= allowed)
        return;
    std::string own;
    for (const Parameter* const one : strategy.info().axes.parameters())
        own += fmt::format(", --{} {}", one->name, point[*one]);
    throw UsageError(
        fmt::format("strategy {}: --grid {}{} and --depth {} make too many launches; allowed: at most {}",
                    point.strategy, point.grid, own, point.depth ? std::to_string(*point.depth) : "full", allowed));
}

// All strategies with all launch settings on one input.
Group group_of(const Axes& axes, const Case& input)
{
    const std::vector<const Axis*> launches = axes_of_loops(false);
    Group group;
    std::set<Case> seen;
    Choice choice{.point = input};
    for (const auto& [name, setting] : axes.strategies) {
        const StrategyInfo& info = Registry::find_anywhere(name)->info();
        choice.point.strategy = name;
        check_levels(axes, info);
        check_irregular(axes, info);
        for (const Mechanism mechanism : mechanisms_of(axes, info)) {
            choice.point.mechanism = mechanism;
            for_each_choice(axes, launches, choice, [&](const Choice& one) {
                if (Case point = meaningful(axes, one.point); seen.insert(point).second) {
                    check_launches(point);
                    group.cases.push_back(std::move(point));
                }
            });
        }
    }
    return group;
}

// Keeps the first of equal cases: parts may overlap; cases without elements repeat per type, elements and seed.
void drop_repeated_cases(std::vector<Group>& groups)
{
    std::set<Case> seen;
    for (Group& group : groups)
        std::erase_if(group.cases, [&](const Case& point) { return !seen.insert(point).second; });
    std::erase_if(groups, [](const Group& group) { return group.cases.empty(); });
}

constexpr std::string_view kExpectRace = "race"; // for `nestbed races`; any other command expects ok
Status expected_status(const Setting& setting)
{
    constexpr std::array kAllowed{Status::ok, Status::wrong, Status::launch_failed, Status::unsupported,
                                  Status::timeout};
    std::vector<std::string_view> names;
    for (const Status status : kAllowed) {
        if (setting.value == name_of(status))
            return status;
        names.push_back(name_of(status));
    }
    names.push_back(kExpectRace);
    throw UsageError(fmt::format("{}: there is no expectation '{}'{}", setting.place(), setting.value,
                                 suggestions(setting.value, names, "nestbed help run")));
}

} // namespace

std::size_t Plan::case_count() const
{
    std::size_t count = 0;
    for (const Group& group : groups)
        count += group.cases.size();
    return count;
}

std::size_t Plan::sample_count() const
{
    std::size_t count = 0;
    for (const Group& group : groups)
        for (const Case& point : group.cases)
            count += repeat.at(point.backend).least;
    return count;
}

std::vector<BackendKind> chosen_backends(const Settings& settings, const WhyNoGpu& why_no_gpu)
{
    const auto preferred = [&] { return why_no_gpu().empty() ? BackendKind::cuda : BackendKind::cpu; };
    std::vector<BackendKind> backends;
    const auto add = [&](BackendKind backend) {
        if (std::ranges::find(backends, backend) == backends.end())
            backends.push_back(backend);
    };
    for (const auto& [name, setting] :
         names_of(settings, "backend", {"auto", "cuda", "cpu"}, "backend", "nestbed help run")) {
        if (name == "auto") {
            add(preferred());
            continue;
        }
        const BackendKind backend = name == "cuda" ? BackendKind::cuda : BackendKind::cpu;
        if (const std::string reason = backend == BackendKind::cuda ? why_no_gpu() : ""; !reason.empty())
            throw UsageError(
                fmt::format("{}: there is no usable GPU here ({}); allowed: auto, cpu, or, for a plan alone, "
                            "`nestbed run --dry-run --device h200`",
                            setting.place(), reason));
        add(backend);
    }
    if (backends.empty())
        add(preferred());
    return backends;
}

namespace
{

// Adds the groups of one part of the experiment, or extends the groups that exist for the same input. Throws
// UsageError if the devices have too little memory for all cases. If only some are too large, their rows say so.
void add_groups(Plan& plan, std::map<Case, std::size_t>& group_of_input, const Axes& axes,
                const std::map<BackendKind, DeviceFacts>& devices)
{
    bool any_fits = false;
    std::string first_refusal;
    const auto add = [&](const Case& point, Group group) {
        const auto [same, is_new] = group_of_input.emplace(point, plan.groups.size());
        if (is_new)
            plan.groups.push_back(std::move(group));
        else
            std::ranges::move(group.cases, std::back_inserter(plan.groups[same->second].cases));
    };
    const auto any_of_strategies = [&axes](const auto& is_so) {
        return std::ranges::any_of(axes.strategies, [&](const NameValue& strategy) {
            return is_so(Registry::find_anywhere(strategy.first)->info());
        });
    };
    const bool matrices = any_of_strategies([](const StrategyInfo& info) { return info.over_matrix(); });
    const bool of_user = any_of_strategies([](const StrategyInfo& info) { return info.workload->of_user; });
    const bool linear = !of_user && any_of_strategies([](const StrategyInfo& info) { return !info.over_matrix(); });
    const std::vector<const Axis*> inputs = axes_of_loops(true);
    for (const auto& device : devices) {
        const DeviceFacts& facts = device.second;
        if (any_of_strategies([](const StrategyInfo& info) { return info.has(axis::shape); }))
            check_block_shapes(axes, facts);
        Choice choices;
        for_each_choice(axes, inputs, choices, [&](Choice choice) {
            Case& point = choice.point;
            point.backend = device.first;
            if (linear) {
                complete_shape(choice);
                check_shape(choice, facts);
            } else {
                const auto number = [&](std::string_view axis) { return choice.of(axis).number.value_or(0); };
                point.grid = of_user ? static_cast<std::uint32_t>(number("grid")) : 0;
                point.block = static_cast<std::uint32_t>(number("block"));
                point.elements = of_user ? number("elements") : 0;
            }
            if (!matrices && !of_user)
                point.nx = point.ny = 0;
            Group group = group_of(axes, point);
            for (const Case& one : group.cases) {
                check_warps(one, choice);
                const std::string refusal = refusal_of(one, choice, facts);
                any_fits = any_fits || refusal.empty();
                if (first_refusal.empty())
                    first_refusal = refusal;
            }
            add(point, std::move(group));
        });
    }
    if (!any_fits && !first_refusal.empty())
        throw UsageError(first_refusal);
}

// The band of `empty-kernel-us`: "2:3.3".
std::optional<EmptyKernelBand> floor_of(const Settings& settings)
{
    const auto setting = settings.one("empty-kernel-us");
    if (!setting)
        return {};
    const std::string_view text = setting->value;
    const char* const end = text.data() + text.size();
    EmptyKernelBand band;
    const auto low = std::from_chars(text.data(), end, band.low, std::chars_format::fixed);
    if (low.ec == std::errc() && low.ptr != end && *low.ptr == ':') {
        const auto high = std::from_chars(low.ptr + 1, end, band.high, std::chars_format::fixed);
        if (high.ec == std::errc() && high.ptr == end && band.low >= 0 && band.high > band.low &&
            std::isfinite(band.high))
            return band;
    }
    throw UsageError(fmt::format("{}: it is not a valid band; allowed: LOW:HIGH in microseconds, such as 2:3.3",
                                 setting->place()));
}

} // namespace

unsigned retries_of(const Settings& settings)
{
    return count_of(settings, "retries", 0, 1);
}

void refuse_programs(const Plan& plan, std::string_view command, std::string_view allowed)
{
    for (const Group& group : plan.groups)
        for (const Case& point : group.cases)
            if (!point.program.empty())
                throw UsageError(fmt::format("{}: program = {}: it is for `nestbed run`; allowed: {}", command,
                                             point.program, allowed));
}

Plan make_plan(const Settings& settings, const std::map<BackendKind, DeviceFacts>& devices)
{
    Plan plan;
    plan.experiment = settings.experiment();
    plan.title = settings.title();
    const auto expect = settings.one("expect");
    plan.expect_race = expect && expect->value == kExpectRace;
    if (expect && !plan.expect_race)
        plan.expect = expected_status(*expect);
    for (const auto& [backend, facts] : devices) {
        plan.repeat[backend] = repeats_of(settings, backend);
        plan.warmup[backend] = count_of(settings, "warmup", 0, backend == BackendKind::cuda ? 3 : 1);
    }
    plan.latency = is_on(settings, "latency");
    plan.retries = retries_of(settings);
    plan.floor = floor_of(settings);
    std::vector<Axes> parts;
    for (const Settings& part : settings.parts())
        parts.push_back(read_axes(part, devices.size()));
    plan.figures = figures_of(settings, parts);
    plan.unused = unused_axes(parts);
    for (Axes& part : parts)
        identify_files(part);
    plan.order_seed = *parts.front().of("seed").front().number;
    std::map<Case, std::size_t> group_of_input; // by a case without a strategy
    for (const Axes& axes : parts)
        add_groups(plan, group_of_input, axes, devices);
    drop_repeated_cases(plan.groups);
    const auto is_in_a_case = [&plan](const Axis& axis) {
        return std::ranges::any_of(plan.groups, [&](const Group& group) {
            return std::ranges::any_of(group.cases,
                                       [&](const Case& point) { return axis.get(point).value_or(0) != 0; });
        });
    };
    std::ranges::move(unused_in_cases(parts, is_in_a_case), std::back_inserter(plan.unused));
    return plan;
}

} // namespace nestbed
