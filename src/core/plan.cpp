#include "plan.hpp"

#include "axis.hpp"
#include "error.hpp"
#include "session.hpp"
#include "strategy.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::uint32_t kUsualGrid = 2048; // the book's
constexpr std::uint32_t kUsualBlock = 512;

// A comma-separated list of names, all of which must be allowed.
std::vector<std::pair<std::string, Setting>> names_of(const Settings& settings, std::string_view key,
                                                      const std::vector<std::string_view>& allowed,
                                                      std::string_view what)
{
    std::vector<std::pair<std::string, Setting>> names;
    for (const Setting& setting : settings.of(key)) {
        for (const std::string& name : split(setting.value, ',')) {
            if (std::ranges::find(allowed, name) == allowed.end())
                throw UsageError(fmt::format("{}: there is no {} '{}'{}; allowed: {}", setting.place(), what, name,
                                             did_you_mean(name, allowed), fmt::join(allowed, ", ")));
            if (std::ranges::find(names, name, &std::pair<std::string, Setting>::first) == names.end())
                names.emplace_back(name, setting);
        }
    }
    return names;
}

// An axis, or one value without a setting when nothing is said.
std::vector<AxisValue> axis_of(const Settings& settings, std::string_view key, const AxisRange& range,
                               std::optional<std::uint64_t> usual)
{
    std::vector<AxisValue> values = parse_axis(settings.of(key), range);
    if (values.empty())
        values.push_back({usual, Setting{std::string(key), "", "", 0}});
    return values;
}

std::optional<std::uint32_t> narrow(const AxisValue& value)
{
    return value.number ? std::optional(static_cast<std::uint32_t>(*value.number)) : std::nullopt;
}

struct Axes {
    std::vector<std::pair<std::string, Setting>> strategies, mechanisms, types;
    std::vector<AxisValue> grids, blocks, elements, depths, limits, waves, streams, delays, graphs, seeds;
};

Axes read_axes(const Settings& settings)
{
    constexpr std::uint64_t kMostBlocks = 2147483647;
    Axes axes;
    axes.strategies = names_of(settings, "strategy", Registry::names(), "strategy");
    if (axes.strategies.empty())
        throw UsageError(fmt::format("no strategy was named{}; allowed for --strategy: {}", settings.section_text(),
                                     fmt::join(Registry::names(), ", ")));
    std::vector<std::string_view> mechanisms{"all"};
    for (const Mechanism mechanism : kMechanisms)
        if (mechanism != Mechanism::none)
            mechanisms.push_back(name_of(mechanism));
    axes.mechanisms = names_of(settings, "mechanism", mechanisms, "mechanism");
    axes.types = names_of(settings, "type", {"int32", "float32"}, "type");
    if (axes.types.empty())
        axes.types.emplace_back("int32", Setting{});
    axes.elements = axis_of(settings, "elements", {.least = 1, .most = kMostBlocks * 1024}, std::nullopt);
    axes.grids = axis_of(settings, "grid", {.least = 1, .most = kMostBlocks}, std::nullopt);
    axes.blocks = axis_of(settings, "block", {.least = 1, .most = 1024}, std::nullopt);
    axes.depths = axis_of(settings, "depth", {.least = 0, .most = UINT32_MAX, .word = "full"}, std::nullopt);
    axes.limits = axis_of(settings, "pending-limit", {.least = 1, .most = INT32_MAX, .word = "auto"}, std::nullopt);
    axes.waves = axis_of(settings, "wave", {.least = 1, .most = kMostBlocks, .word = "auto"}, std::nullopt);
    axes.streams = axis_of(settings, "streams", {.least = 1, .most = 64, .word = "auto"}, std::nullopt);
    axes.delays = axis_of(settings, "delay-us", {.least = 0, .most = 1'000'000}, 0);
    axes.graphs = axis_of(settings, "graphs", {.least = 1, .most = 256}, 1);
    axes.seeds = axis_of(settings, "seed", {}, 1);
    for (const AxisValue& block : axes.blocks)
        if (block.number && !std::has_single_bit(*block.number))
            throw UsageError(fmt::format("{}: a block of {} threads cannot be halved down to one; allowed: powers of "
                                         "two from 1 to 1024",
                                         block.setting.place(), *block.number));
    return axes;
}

// Of elements, grid and block any two give the third.
Case shape_of(const AxisValue& elements, const AxisValue& grid, const AxisValue& block)
{
    Case point;
    if (elements.number && grid.number && !block.number) {
        const std::uint64_t needed = std::bit_ceil((*elements.number - 1) / *grid.number + 1);
        if (needed > 1024)
            throw UsageError(
                fmt::format("{}: {} elements need blocks of {} threads; allowed: at most {} with {} blocks",
                            elements.setting.place(), *elements.number, needed, *grid.number * 1024, *grid.number));
        point.block = static_cast<std::uint32_t>(needed);
    } else {
        point.block = static_cast<std::uint32_t>(block.number.value_or(kUsualBlock));
    }
    if (grid.number) {
        point.grid = static_cast<std::uint32_t>(*grid.number);
    } else if (elements.number) {
        const std::uint64_t needed = (*elements.number - 1) / point.block + 1;
        if (needed > 2147483647)
            throw UsageError(fmt::format("{}: {} elements need {} blocks of {}; allowed: at most 2147483647 blocks",
                                         elements.setting.place(), *elements.number, needed, point.block));
        point.grid = static_cast<std::uint32_t>(needed);
    } else {
        point.grid = kUsualGrid;
    }
    const std::uint64_t capacity = std::uint64_t{point.grid} * point.block;
    point.elements = elements.number.value_or(capacity);
    if (point.elements > capacity)
        throw UsageError(fmt::format("{}: {} elements do not fit {} blocks of {}; allowed: at most {}",
                                     elements.setting.place(), point.elements, point.grid, point.block, capacity));
    return point;
}

// The setting that a message about a shape begins with: the first of these that the user said.
std::string place_of(std::initializer_list<const AxisValue*> values)
{
    for (const AxisValue* value : values)
        if (!value->setting.value.empty())
            return value->setting.place();
    return "--grid";
}

// What the device can take of a shape.
void check_shape(const Case& point, const DeviceFacts& facts, const AxisValue& grid, const AxisValue& block,
                 const AxisValue& elements)
{
    if (point.block > facts.max_threads_per_block)
        throw UsageError(fmt::format("{}: {} has blocks of at most {} threads, not {}",
                                     place_of({&block, &elements, &grid}), facts.name, facts.max_threads_per_block,
                                     point.block));
    if (point.grid > facts.max_grid)
        throw UsageError(fmt::format("{}: {} has grids of at most {} blocks, not {}",
                                     place_of({&grid, &elements, &block}), facts.name, facts.max_grid, point.grid));
}

void check_memory(const Group& group, const DeviceFacts& facts, const std::string& place)
{
    for (const Case& point : group.cases)
        if (const std::uint64_t needed = memory_bytes(point); needed > facts.free_memory_bytes)
            throw UsageError(
                fmt::format("{}: {} blocks of {} threads need {} of memory; allowed: what {} has free, {}", place,
                            point.grid, point.block, format_bytes(static_cast<double>(needed)), facts.name,
                            format_bytes(static_cast<double>(facts.free_memory_bytes))));
}

// A setting that means nothing to the strategy is left at its default, so that it does not multiply cases.
Case meaningful(Case point)
{
    const Strategy& strategy = *Registry::find_anywhere(point.strategy);
    const StrategyInfo& info = strategy.info();
    if (info.workload != "reduce") {
        point.type = ElementType::none;
        point.elements = 0;
        point.seed = 0;
    }
    if (!strategy.launches(point).per_root_block()) { // no waves
        point.wave.reset();
        point.streams.reset();
    }
    const Mechanism mechanism = *point.mechanism;
    if (!has_levels(info, mechanism))
        point.depth.reset();
    if (!from_device(mechanism))
        point.pending_limit.reset();
    if (!info.delayed)
        point.delay_us = 0;
    if (info.workload != "chain" || mechanism != Mechanism::graph_tail)
        point.graphs = 1;
    return point;
}

// What of the mechanisms asked for the strategy has. One that has a single mechanism goes by that, whatever is asked.
// Throws UsageError when it has several and none of them is asked for.
std::vector<Mechanism> mechanisms_of(const Axes& axes, const StrategyInfo& info)
{
    if (axes.mechanisms.empty() || info.mechanisms.size() == 1)
        return {info.mechanisms.front()};
    std::vector<Mechanism> chosen;
    for (const Mechanism mechanism : info.mechanisms)
        if (std::ranges::any_of(axes.mechanisms, [&](const auto& asked) {
                return asked.first == "all" || asked.first == name_of(mechanism);
            }))
            chosen.push_back(mechanism);
    if (chosen.empty()) {
        std::vector<std::string_view> names{"all"};
        for (const Mechanism mechanism : info.mechanisms)
            names.push_back(name_of(mechanism));
        throw UsageError(fmt::format("{}: {} does not go by it; allowed for {}: {}",
                                     axes.mechanisms.front().second.place(), info.name, info.name,
                                     fmt::join(names, ", ")));
    }
    return chosen;
}

// A sweep of this size is a mistake; it must not take all memory before it is said so.
void check_size(const Axes& axes, std::size_t devices)
{
    constexpr double kMostCases = 1e6;
    std::size_t strategies = 0; // each by each of its mechanisms
    for (const auto& [name, setting] : axes.strategies)
        strategies += mechanisms_of(axes, Registry::find_anywhere(name)->info()).size();
    const std::vector<std::pair<std::string_view, std::size_t>> sizes{{"strategies and mechanisms", strategies},
                                                                      {"types", axes.types.size()},
                                                                      {"grids", axes.grids.size()},
                                                                      {"blocks", axes.blocks.size()},
                                                                      {"elements", axes.elements.size()},
                                                                      {"depths", axes.depths.size()},
                                                                      {"pending-limits", axes.limits.size()},
                                                                      {"waves", axes.waves.size()},
                                                                      {"streams", axes.streams.size()},
                                                                      {"delays", axes.delays.size()},
                                                                      {"graphs", axes.graphs.size()},
                                                                      {"seeds", axes.seeds.size()}};
    double cases = static_cast<double>(devices);
    std::vector<std::string> factors;
    for (const auto& [what, size] : sizes) {
        cases *= static_cast<double>(size);
        factors.push_back(fmt::format("{} {}", size, what));
    }
    if (cases > kMostCases)
        throw UsageError(fmt::format("the axes multiply to {:.0f} cases: {}; allowed: at most {:.0f}", cases,
                                     fmt::join(factors, ", "), kMostCases));
}

// A chain goes on as long as it is told to, and the ledger tells so many levels apart.
void check_levels(const Axes& axes, const StrategyInfo& info)
{
    if (info.workload != "chain")
        return;
    for (const AxisValue& depth : axes.depths)
        if (depth.number.value_or(0) > kLedgerLevels)
            throw UsageError(fmt::format("{}: a chain of {} levels is too long; allowed for chain: at most {}",
                                         depth.setting.place(), *depth.number, kLedgerLevels));
}

// All strategies under all launch settings on one input.
Group group_of(const Axes& axes, Case point)
{
    Group group;
    std::set<Case> seen;
    const auto add = [&](const Case& one) {
        if (seen.insert(one).second)
            group.cases.push_back(one);
    };
    for (const auto& [name, setting] : axes.strategies) {
        point.strategy = name;
        check_levels(axes, Registry::find_anywhere(name)->info());
        for (const Mechanism mechanism : mechanisms_of(axes, Registry::find_anywhere(name)->info()))
            for (const AxisValue& depth : axes.depths)
                for (const AxisValue& limit : axes.limits)
                    for (const AxisValue& wave : axes.waves)
                        for (const AxisValue& streams : axes.streams)
                            for (const AxisValue& delay : axes.delays)
                                for (const AxisValue& graphs : axes.graphs) {
                                    point.mechanism = mechanism;
                                    point.depth = narrow(depth);
                                    point.pending_limit = narrow(limit);
                                    point.wave = narrow(wave);
                                    point.streams = narrow(streams);
                                    point.delay_us = *narrow(delay);
                                    point.graphs = *narrow(graphs);
                                    add(meaningful(point));
                                }
    }
    return group;
}

// Cases without elements come again for every type, elements and seed, others when two parts say them: the first stays.
void drop_repeated_cases(std::vector<Group>& groups)
{
    std::set<Case> seen;
    for (Group& group : groups)
        std::erase_if(group.cases, [&](const Case& point) { return !seen.insert(point).second; });
    std::erase_if(groups, [](const Group& group) { return group.cases.empty(); });
}

Status expected_status(const Setting& setting)
{
    constexpr std::array kAllowed{Status::ok, Status::wrong, Status::launch_failed};
    std::vector<std::string_view> names;
    for (const Status status : kAllowed) {
        if (setting.value == name_of(status))
            return status;
        names.push_back(name_of(status));
    }
    throw UsageError(fmt::format("{}: there is no expectation '{}'{}; allowed: {}", setting.place(), setting.value,
                                 did_you_mean(setting.value, names), fmt::join(names, ", ")));
}

unsigned count_of(const Settings& settings, std::string_view key, std::uint64_t least, unsigned usual)
{
    const auto setting = settings.one(key);
    return setting ? static_cast<unsigned>(parse_number(*setting, least, 1'000'000)) : usual;
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
            count += repeat.at(point.backend);
    return count;
}

std::vector<BackendKind> chosen_backends(const Settings& settings)
{
    std::vector<BackendKind> backends;
    const auto add = [&](BackendKind backend) {
        if (std::ranges::find(backends, backend) == backends.end())
            backends.push_back(backend);
    };
    for (const auto& [name, setting] : names_of(settings, "backend", {"auto", "cuda", "cpu"}, "backend")) {
        if (name == "auto") {
            add(default_backend());
            continue;
        }
        const BackendKind backend = name == "cuda" ? BackendKind::cuda : BackendKind::cpu;
        const std::string reason = why_not(backend);
        if (!reason.empty())
            throw UsageError(
                fmt::format("{}: there is no usable GPU here ({}); allowed: auto, cpu", setting.place(), reason));
        add(backend);
    }
    if (backends.empty())
        add(default_backend());
    return backends;
}

namespace
{

// Adds the groups of one part of the experiment, or to those that are there for the same input.
void add_groups(Plan& plan, std::map<Case, std::size_t>& group_of_input, const Axes& axes,
                const std::map<BackendKind, DeviceFacts>& devices)
{
    for (const auto& [backend, facts] : devices)
        for (const auto& [type, type_setting] : axes.types)
            for (const AxisValue& elements : axes.elements)
                for (const AxisValue& block : axes.blocks)
                    for (const AxisValue& grid : axes.grids)
                        for (const AxisValue& seed : axes.seeds) {
                            Case point = shape_of(elements, grid, block);
                            point.backend = backend;
                            point.type = type == "int32" ? ElementType::int32 : ElementType::float32;
                            point.seed = *seed.number;
                            check_shape(point, facts, grid, block, elements);
                            Group group = group_of(axes, point);
                            check_memory(group, facts, place_of({&elements, &grid, &block}));
                            const auto [same, is_new] = group_of_input.emplace(point, plan.groups.size());
                            if (is_new)
                                plan.groups.push_back(std::move(group));
                            else
                                std::ranges::move(group.cases, std::back_inserter(plan.groups[same->second].cases));
                        }
}

} // namespace

Plan make_plan(const Settings& settings, const std::map<BackendKind, DeviceFacts>& devices)
{
    Plan plan;
    plan.experiment = settings.experiment();
    const auto title = settings.one("title");
    plan.title = title ? title->value : "";
    if (const auto expect = settings.one("expect"))
        plan.expect = expected_status(*expect);
    for (const auto& [backend, facts] : devices) {
        plan.repeat[backend] = count_of(settings, "repeat", 1, backend == BackendKind::cuda ? 30 : 3);
        plan.warmup[backend] = count_of(settings, "warmup", 0, backend == BackendKind::cuda ? 3 : 1);
    }
    std::vector<Axes> parts;
    for (const Settings& part : settings.parts()) {
        parts.push_back(read_axes(part));
        check_size(parts.back(), devices.size());
    }
    plan.order_seed = *parts.front().seeds.front().number;
    std::map<Case, std::size_t> group_of_input; // by a case that has no strategy yet
    for (const Axes& axes : parts)
        add_groups(plan, group_of_input, axes, devices);
    drop_repeated_cases(plan.groups);
    return plan;
}

} // namespace nestbed
