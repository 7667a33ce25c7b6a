#include "plan/plan_description.hpp"

#include "base/table.hpp"
#include "base/text.hpp"
#include "model/axis_table.hpp"
#include "model/case_text.hpp"
#include "model/input_file.hpp"
#include "model/launch_plan.hpp"
#include "model/modules.hpp"
#include "model/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <unistd.h>
#include <utility>

namespace nestbed
{

std::uint64_t memory_bytes(const Case& point)
{
    // A grid of the executor, measured with hello and nosync, 10^6 blocks of 4. A level waits while the previous one
    // runs.
    constexpr std::uint64_t kGridBytes = 440;
    constexpr std::uint64_t kGenerations = 2;
    const Strategy& strategy = *Registry::find_anywhere(point.strategy);
    const StrategyInfo& info = strategy.info();
    const ExpectedLaunches form = strategy.launches(point);
    std::uint64_t bytes = strategy.scratch_bytes(point);
    if (info.workload->memory_bytes != nullptr)
        bytes += info.workload->memory_bytes(info, point, form);
    if (point.backend == BackendKind::cpu) {
        const auto widest = std::max_element(form.by_depth.begin(), form.by_depth.end());
        if (widest != form.by_depth.end())
            bytes += std::min<std::uint64_t>(kGenerations, form.levels()) * *widest * kGridBytes;
    }
    return bytes;
}

std::string why_too_large(const Case& point, const DeviceFacts& facts)
{
    const std::uint64_t needed = memory_bytes(point);
    if (needed <= facts.free_memory_bytes || facts.free_memory_bytes == 0)
        return "";
    std::string file;
    for (const Axis& axis : plain_axes())
        if (axis.is_file())
            file += cell_of(axis, point);
    const std::string size = point.nx != 0         ? fmt::format("{} x {} numbers", point.nx, point.ny)
                             : point.grid != 0     ? fmt::format("{} blocks of {} threads", point.grid, point.block)
                             : !file.empty()       ? path_in(file)
                             : point.elements != 0 ? fmt::format("{} elements", point.elements)
                                                   : size_text(point);
    const bool is_here = facts.free_memory_bytes != facts.memory_bytes; // otherwise all of it counts as free
    return fmt::format("{} need {} of memory; allowed: what {} has{}, {}", size,
                       format_bytes(static_cast<double>(needed)), facts.name, is_here ? " free" : "",
                       format_bytes(static_cast<double>(facts.free_memory_bytes)));
}

namespace
{

#ifdef NESTBED_HAS_CUDA
constexpr bool kHasCuda = true;
#else
constexpr bool kHasCuda = false;
#endif

// Why the case will be a row with status unsupported, as far as a plan can know; empty if the case will run.
std::string why_unsupported(const Case& point, const DeviceFacts& facts)
{
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    const Mechanism mechanism = mechanism_of(info, point);
    const bool on_cpu = point.backend == BackendKind::cpu;
    // A build without CUDA has all strategies on the executor only.
    const bool is_here = !kHasCuda || Registry::find(point.backend, point.strategy) != nullptr;
    if (!is_here || (on_cpu && info.cuda_only))
        return fmt::format("{} does not run on backend {}", point.strategy, name_of(point.backend));
    if (on_cpu && cuda_only(mechanism))
        return fmt::format("backend {} has no launches by {}", name_of(point.backend), name_of(mechanism));
    const std::string refusal =
        plan_launches(point, Registry::find_anywhere(point.strategy)->launches(point), facts).refusal;
    return refusal.empty() ? why_too_large(point, facts) : refusal;
}

// Of all samples and of the warm-up.
std::string launches_text(std::uint64_t launches, bool by_input, bool by_program)
{
    if (by_input && launches == 0)
        return by_program ? "as many device launches as the program makes"
                          : "as many device launches as the input decides";
    return fmt::format("{} device launches with the warm-up{}", launches,
                       by_input ? " besides those that the input decides" : "");
}

// What a plan does not know of a user's own workload that does not say it.
struct Unknown {
    bool memory = false;
    bool time = false;
    bool launches = false; // of a program of the user's

    void add(const StrategyInfo& info, const std::set<std::string>& own)
    {
        const bool is_own = own.contains(std::string(info.name)) || info.workload->of_user;
        memory = memory || (is_own && info.workload->memory_bytes == nullptr);
        time = time || (is_own && info.workload->work == nullptr);
        launches = launches || info.workload->of_user;
    }
};

} // namespace

std::string describe(const Plan& plan, const std::map<BackendKind, DeviceFacts>& devices, const CaseTimes& times)
{
    std::uint64_t launches = 0;
    bool by_input = false; // the launches of some cases
    std::uint64_t memory = 0;
    Unknown unknown;
    const std::set<std::string> own =
        modules_in_use() == nullptr ? std::set<std::string>() : modules_in_use()->user_strategies();
    std::size_t unsupported = 0;
    std::vector<std::string> reasons; // shown below the row of each case
    std::set<std::string> said;
    const bool at_least = std::ranges::any_of(plan.repeat, [](const auto& one) { return one.second.precision != 0; });
    std::vector<Column> columns{{"strategy", true}, {"mechanism", true, true}, {"on", true, true}};
    std::vector<Case> points;
    for (const Group& group : plan.groups)
        std::ranges::copy(group.cases, std::back_inserter(points));
    const std::vector<const Axis*> axes = axes_of_plan(points);
    for (const Axis* axis : axes)
        columns.push_back({std::string(axis->name), axis->named(), true});
    columns.insert(columns.end(), {{"launches"}, {"waves"}});
    Column outcome{.name = "will be", .left = true};
    for (const Group& group : plan.groups) {
        for (const Case& point : group.cases) {
            const Strategy* strategy = Registry::find_anywhere(point.strategy);
            const ExpectedLaunches form = strategy->launches(point);
            const LaunchPlan launch_plan = plan_launches(point, form, devices.at(point.backend));
            const Mechanism mechanism = mechanism_of(strategy->info(), point);
            std::vector<std::string> cells{point.strategy,
                                           mechanism == Mechanism::none ? "" : std::string(name_of(mechanism)),
                                           std::string(name_of(point.backend))};
            for (const Axis* axis : axes)
                cells.push_back(cell_of(*axis, point));
            cells.push_back(form.by_input ? "by input" : std::to_string(form.total()));
            cells.push_back(from_device(mechanism) && !form.by_input ? std::to_string(launch_plan.waves()) : "");
            add_row(columns, std::move(cells));
            by_input = by_input || form.by_input;
            launches += form.total() * (plan.repeat.at(point.backend).least + plan.warmup.at(point.backend));
            memory = std::max(memory, memory_bytes(point));
            unknown.add(strategy->info(), own);
            const std::string why = why_unsupported(point, devices.at(point.backend));
            unsupported += why.empty() ? 0 : 1;
            outcome.cells.push_back(why.empty() ? "" : "unsupported");
            reasons.push_back(said.insert(why).second ? why : "");
        }
    }
    if (unsupported != 0)
        columns.push_back(std::move(outcome));
    const Terminal terminal = terminal_of(STDOUT_FILENO);
    return table_text(std::move(columns), terminal, reasons) + "\n" +
           words_in_lines(
               fmt::format(
                   "{} cases, {}{} timed samples, {}, {}, {}", plan.case_count(), at_least ? "at least " : "",
                   plan.sample_count(), launches_text(launches, by_input, unknown.launches),
                   unknown.memory ? "memory not known"
                                  : fmt::format("at most {} of memory", format_bytes(static_cast<double>(memory))),
                   unknown.time ? "time not known"
                                : fmt::format("about {}", duration_text(std::chrono::duration<double, std::micro>(
                                                              cost_us(times, plan))))),
               0, terminal.columns) +
           (unsupported == 0 ? "" : fmt::format("{} of them will be `unsupported`\n", unsupported));
}

} // namespace nestbed
