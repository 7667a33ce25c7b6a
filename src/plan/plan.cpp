#include "plan/plan.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/axis_table.hpp"
#include "plan/axes.hpp"
#include "plan/plan_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <span>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::uint32_t kUsualGrid = 2048; // the book's
constexpr std::uint32_t kUsualBlock = 512;

// A value of each of some axes, and the case that has them.
struct Choice {
    Case point;
    std::vector<std::pair<const Axis*, const AxisValue*>> values{};

    const AxisValue& of(std::string_view name) const
    {
        return *std::ranges::find(values, name, [](const auto& one) { return one.first->name; })->second;
    }
};

// Calls use(choice) for all values of these axes by one another, the last axis fastest.
template <class Use>
void for_each_choice(const Axes& axes, std::span<const Axis* const> of, Choice& choice, const Use& use)
{
    if (of.empty())
        return use(choice);
    for (const AxisValue& value : axes.of(*of.front())) {
        of.front()->set(choice.point, value.number);
        choice.values.emplace_back(of.front(), &value);
        for_each_choice(axes, of.subspan(1), choice, use);
        choice.values.pop_back();
    }
}

// Axes of the inputs or of what is done with them, in the order of a plan's loops: a run goes from the few elements to the many.
std::vector<const Axis*> axes_of_loops(bool input)
{
    std::vector<const Axis*> axes;
    for (const Axis* axis : plain_axes_in_tables())
        if (axis->input == input)
            axes.push_back(axis);
    if (const auto grid = std::ranges::find(axes, &axis_named("grid")); grid != axes.end())
        std::iter_swap(grid, std::ranges::find(axes, &axis_named("block")));
    return axes;
}

// Of elements, grid and block any two give the third.
void complete_shape(Choice& choice)
{
    Case& point = choice.point;
    const AxisValue& elements = choice.of("elements");
    const AxisValue& grid = choice.of("grid");
    const AxisValue& block = choice.of("block");
    if (elements.number && grid.number && !block.number) {
        const std::uint64_t needed = std::bit_ceil((*elements.number - 1) / *grid.number + 1);
        if (needed > 1024)
            throw UsageError(
                fmt::format("{}: {} elements need blocks of {} threads; allowed: at most {} with {} blocks",
                            elements.setting->place(), *elements.number, needed, *grid.number * 1024, *grid.number));
        point.block = static_cast<std::uint32_t>(needed);
    } else if (!block.number) {
        point.block = kUsualBlock;
    }
    if (elements.number && !grid.number) {
        const std::uint64_t needed = (*elements.number - 1) / point.block + 1;
        if (needed > 2147483647)
            throw UsageError(fmt::format("{}: {} elements need {} blocks of {}; allowed: at most 2147483647 blocks",
                                         elements.setting->place(), *elements.number, needed, point.block));
        point.grid = static_cast<std::uint32_t>(needed);
    } else if (!grid.number) {
        point.grid = kUsualGrid;
    }
    const std::uint64_t capacity = std::uint64_t{point.grid} * point.block;
    point.elements = elements.number.value_or(capacity);
    if (point.elements > capacity)
        throw UsageError(fmt::format("{}: {} elements do not fit {} blocks of {}; allowed: at most {}",
                                     elements.setting->place(), point.elements, point.grid, point.block, capacity));
}

// The setting that a message about a shape begins with: the first of these that the user said, or else `usual`.
std::string place_of(const Choice& choice, std::initializer_list<std::string_view> axes, std::string_view usual)
{
    for (const std::string_view axis : axes)
        if (const Setting& setting = *choice.of(axis).setting; !setting.value.empty())
            return setting.place();
    return std::string(usual);
}

// What the device can take of a shape.
void check_shape(const Choice& choice, const DeviceFacts& facts)
{
    const Case& point = choice.point;
    if (point.block > facts.max_threads_per_block)
        throw UsageError(fmt::format("{}: {} has blocks of at most {} threads, not {}",
                                     place_of(choice, {"block", "elements", "grid"}, "--block"), facts.name,
                                     facts.max_threads_per_block, point.block));
    if (point.grid > facts.max_grid)
        throw UsageError(fmt::format("{}: {} has grids of at most {} blocks, not {}",
                                     place_of(choice, {"grid", "elements", "block"}, "--grid"), facts.name,
                                     facts.max_grid, point.grid));
}

void check_block_shapes(const Axes& axes, const DeviceFacts& facts)
{
    const Axis& axis = axis_named("block-shape");
    for (const AxisValue& value : axes.of(axis)) {
        Case point;
        axis.set(point, value.number);
        if (point.shape.threads() > facts.max_threads_per_block)
            throw UsageError(fmt::format("{}: {} has blocks of at most {} threads, not {}", value.setting->place(),
                                         facts.name, facts.max_threads_per_block, point.shape.threads()));
    }
}

// Says why the device has not the memory for a case, beginning with the setting that made it so large.
std::string refusal_of(const Case& point, const Choice& choice, const DeviceFacts& facts)
{
    const std::string why = why_too_large(point, facts);
    return why.empty() ? ""
                       : fmt::format("{}: {}",
                                     point.nx != 0 ? place_of(choice, {"nx", "ny"}, "--nx")
                                                   : place_of(choice, {"elements", "grid", "block"}, "--grid"),
                                     why);
}

// A setting that means nothing to the strategy is left at its default, so that it does not multiply cases.
Case meaningful(Case point)
{
    const Strategy& strategy = *Registry::find_anywhere(point.strategy);
    if (strategy.info().over_matrix()) {
        point.type = ElementType::float32;
        point.elements = std::uint64_t{point.nx} * point.ny;
    }
    reset_meaningless(point);
    if (strategy.info().workload != "chain" || point.mechanism != Mechanism::graph_tail)
        point.graphs = 1;
    if (!strategy.launches(point).per_root_block()) { // no waves
        point.wave.reset();
        point.streams.reset();
    }
    return point;
}

// A chain goes on as long as it is told to, and the ledger tells so many levels apart.
void check_levels(const Axes& axes, const StrategyInfo& info)
{
    if (info.workload != "chain")
        return;
    for (const AxisValue& depth : axes.of("depth"))
        if (depth.number.value_or(0) > kLedgerLevels)
            throw UsageError(fmt::format("{}: a chain of {} levels is too long; allowed for chain: at most {}",
                                         depth.setting->place(), *depth.number, kLedgerLevels));
}

// All strategies under all launch settings on one input.
Group group_of(const Axes& axes, const Case& input)
{
    static const std::vector<const Axis*> launches = axes_of_loops(false);
    Group group;
    std::set<Case> seen;
    Choice choice{.point = input};
    for (const auto& [name, setting] : axes.strategies) {
        const StrategyInfo& info = Registry::find_anywhere(name)->info();
        choice.point.strategy = name;
        check_levels(axes, info);
        for (const Mechanism mechanism : mechanisms_of(axes, info)) {
            choice.point.mechanism = mechanism;
            for_each_choice(axes, launches, choice, [&](const Choice& one) {
                if (Case point = meaningful(one.point); seen.insert(point).second)
                    group.cases.push_back(std::move(point));
            });
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

constexpr std::string_view kExpectRace = "race"; // of `nestbed races`; any other command expects ok
Status expected_status(const Setting& setting)
{
    constexpr std::array kAllowed{Status::ok, Status::wrong, Status::launch_failed, Status::unsupported};
    std::vector<std::string_view> names;
    for (const Status status : kAllowed) {
        if (setting.value == name_of(status))
            return status;
        names.push_back(name_of(status));
    }
    names.push_back(kExpectRace);
    throw UsageError(fmt::format("{}: there is no expectation '{}'{}; allowed: {}", setting.place(), setting.value,
                                 did_you_mean(setting.value, names), fmt::join(names, ", ")));
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
    for (const auto& [name, setting] : names_of(settings, "backend", {"auto", "cuda", "cpu"}, "backend")) {
        if (name == "auto") {
            add(preferred());
            continue;
        }
        const BackendKind backend = name == "cuda" ? BackendKind::cuda : BackendKind::cpu;
        if (const std::string reason = backend == BackendKind::cuda ? why_no_gpu() : ""; !reason.empty())
            throw UsageError(
                fmt::format("{}: there is no usable GPU here ({}); allowed: auto, cpu", setting.place(), reason));
        add(backend);
    }
    if (backends.empty())
        add(preferred());
    return backends;
}

namespace
{

// Adds the groups of one part of the experiment, or to those that are there for the same input. Throws UsageError if the devices have not
// the memory for any of its cases; one that is too large is a row that says so.
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
    const bool linear = any_of_strategies([](const StrategyInfo& info) { return !info.over_matrix(); });
    static const std::vector<const Axis*> inputs = axes_of_loops(true);
    for (const auto& device : devices) {
        const DeviceFacts& facts = device.second;
        if (any_of_strategies([](const StrategyInfo& info) { return info.shaped; }))
            check_block_shapes(axes, facts);
        Choice choices;
        for_each_choice(axes, inputs, choices, [&](Choice choice) {
            Case& point = choice.point;
            point.backend = device.first;
            if (linear) {
                complete_shape(choice);
                check_shape(choice, facts);
            } else {
                point.grid = point.block = 0;
                point.elements = 0;
            }
            if (!matrices)
                point.nx = point.ny = 0;
            Group group = group_of(axes, point);
            for (const Case& one : group.cases) {
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

} // namespace

unsigned retries_of(const Settings& settings)
{
    return count_of(settings, "retries", 0, 1);
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
    std::vector<Axes> parts;
    for (const Settings& part : settings.parts())
        parts.push_back(read_axes(part, devices.size()));
    plan.order_seed = *parts.front().of("seed").front().number;
    std::map<Case, std::size_t> group_of_input; // by a case that has no strategy yet
    for (const Axes& axes : parts)
        add_groups(plan, group_of_input, axes, devices);
    drop_repeated_cases(plan.groups);
    return plan;
}

} // namespace nestbed
