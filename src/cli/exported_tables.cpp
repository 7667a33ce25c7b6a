#include "cli/exported_tables.hpp"

#include "base/json.hpp"
#include "log/cell_form.hpp"
#include "log/row.hpp"
#include "model/axis_table.hpp"
#include "model/mechanism.hpp"
#include "model/modules.hpp"
#include "model/user_program.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

namespace
{

template <class Range>
Json names_of(const Range& range)
{
    Json names = Json::array();
    for (const auto one : range)
        names.push_back(name_of(one));
    return names;
}

// Axes that a strategy has beyond those of its workload.
Json axes_of_strategy(const StrategyInfo& info)
{
    Json names = Json::array();
    for (const Axis& axis : plain_axes())
        if (is_in(info.axes, axis))
            names.push_back(axis.name);
    return names;
}

// The word that scripts compare, and the text that they show.
struct Named {
    std::string_view word;
    std::string_view text;
};

// What its launches are made for: figures give each family a colour.
Named family_of(const StrategyInfo& info)
{
    if (info.nondeterministic_answer())
        return {"memory_patterns", "patterns of memory visibility"};
    if (std::ranges::none_of(info.mechanisms, from_device)) {
        if (info.mechanisms.front() != Mechanism::none)
            return {"host_levels", "levels started by the host or a barrier"};
        if (info.cuda_only) // what the executor cannot run is a library's
            return {"library", "the library"};
        return {"no_recursion", "no recursion"};
    }
    if (info.irregular())
        return {"data_dependent", "data-dependent launches"};
    if (!info.has(axis::op)) // not a reduction
        return {"other_recursions", "other recursions"};
    const Case point{.strategy = std::string(info.name), .elements = 1024, .grid = 16, .block = 64};
    const ExpectedLaunches launches = Registry::find_anywhere(info.name)->launches(point);
    if (launches.per_root_block())
        return {"child_per_block", "one child per block"};
    if (launches.fan_in > 1 || launches.blocks_per_multiprocessor != 0)
        return {"shared_input", "children share the whole input"};
    return {"child_per_level", "one child per level"};
}

// In the order of Decider.
std::string_view word_of(Decider decider)
{
    constexpr std::array<std::string_view, 7> kWords{
        "nothing", "nobody", "kernel_by_launch", "kernel_by_graph", "running_kernel", "host", "kernel_up_to_bound"};
    return kWords.at(static_cast<std::size_t>(decider));
}

Json strategy_json(const StrategyInfo& info)
{
    const Named family = family_of(info);
    return {{"name", info.name},
            {"workload", info.workload->name},
            {"family", family.text},
            {"family_word", family.word},
            {"backends", info.cuda_only ? Json{"cuda"} : Json{"cuda", "cpu"}},
            {"mechanisms", names_of(info.mechanisms)},
            {"operators", info.operators ? Json{"sum", "max", "min"} : Json{"sum"}},
            {"axes", axes_of_strategy(info)},
            {"racy", info.racy},
            {"data_dependent", info.requests},
            {"on_host", info.on_host},
            {"is_reference", info.is_reference},
            {"summary", info.summary},
            {"hazards", info.hazards},
            {"source", info.source}};
}

// The axes that apply to any of its strategies, with their meaning and default there.
Json parameters_of(const WorkloadInfo& workload)
{
    Json parameters = Json::array();
    std::vector<const Strategy*> strategies = Registry::all();
    strategies.push_back(&program_strategy());
    for (const Axis& axis : plain_axes())
        for (const Strategy* strategy : strategies) {
            const StrategyInfo& info = strategy->info();
            if (info.workload != &workload || !applies(axis, info))
                continue;
            const AxisText text = text_for(axis, info);
            parameters.push_back({{"axis", axis.name},
                                  {"column", axis.column},
                                  {"meaning", text.help},
                                  {"default", text.default_text},
                                  {"problem", is_problem(axis, info)}});
            break;
        }
    return parameters;
}

// Whether it is a user's own.
bool is_own(const WorkloadInfo& workload)
{
    const std::set<std::string> own =
        modules_in_use() == nullptr ? std::set<std::string>() : modules_in_use()->user_strategies();
    return std::ranges::any_of(own, [&](const std::string& strategy) {
        return Registry::find_anywhere(strategy)->info().workload == &workload;
    });
}

Json workload_json(const WorkloadInfo& workload)
{
    return {{"name", workload.name},
            {"summary", workload.summary},
            {"parameters", parameters_of(workload)},
            {"inputs", names_of(workload.inputs)},
            {"figures", std::vector<std::string_view>(workload.figures.begin(), workload.figures.end())},
            {"irregular", workload.irregular},
            {"drawn", workload.drawn()},
            {"over_matrix", workload.over_matrix()},
            {"over_graph", workload.over_graph()},
            {"keeps_timestamps", workload.keeps_timestamps},
            {"nondeterministic_answer", workload.nondeterministic_answer},
            {"own", is_own(workload)}};
}

std::vector<std::string_view> values_of(const Axis& axis)
{
    std::vector<std::string_view> values;
    std::ranges::copy_if(names_on(axis), std::back_inserter(values),
                         [](std::string_view name) { return !name.empty(); });
    return values;
}

Json axis_json(const Axis& axis)
{
    Json json{{"name", axis.name}, {"column", axis.column}, {"help", axis.help}, {"default", axis.default_text}};
    if (axis.get != nullptr && !axis.named() && !axis.text) {
        json["least"] = axis.range.least;
        json["most"] = axis.range.most;
    }
    if (!axis.range.word.empty())
        json["word"] = axis.range.word;
    if (axis.named())
        json["values"] = values_of(axis);
    json["of_workloads"] = axis.own;
    json["problem"] = axis.problem;
    json["size"] = axis.size;
    return json;
}

Json column_json(std::string_view name)
{
    const ColumnForm form = form_of(name);
    const Axis* const axis = axis_of_column(name);
    return {{"name", name},
            {"form", name_of(form.form)},
            {"what", form.what},
            {"number", is_number(form.form, axis)},
            {"axis", axis != nullptr}};
}

Json mechanism_json(Mechanism mechanism)
{
    return {{"name", name_of(mechanism)},
            {"from_device", from_device(mechanism)},
            {"cuda_only", cuda_only(mechanism)},
            {"decided_by", text_of(info_of(mechanism).decided_by)},
            {"decider", word_of(info_of(mechanism).decided_by)},
            {"words", info_of(mechanism).words}};
}

} // namespace

std::string exported_tables(std::span<const StrategyInfo* const> strategies)
{
    Json json{{"workloads", Json::array()},
              {"axes", Json::array()},
              {"columns", Json::array()},
              {"mechanisms", Json::array()},
              {"strategies", Json::array()}};
    for (const WorkloadInfo* workload : Registry::workloads())
        json["workloads"].push_back(workload_json(*workload));
    json["workloads"].push_back(workload_json(*program_strategy().info().workload));
    for (const Axis& axis : all_axes())
        json["axes"].push_back(axis_json(axis));
    for (const std::string& column : columns())
        json["columns"].push_back(column_json(column));
    for (const Mechanism mechanism : kMechanisms)
        json["mechanisms"].push_back(mechanism_json(mechanism));
    for (const StrategyInfo* info : strategies)
        json["strategies"].push_back(strategy_json(*info));
    json["strategies"].push_back(strategy_json(program_strategy().info()));
    return json_lines(json);
}

} // namespace nestbed
