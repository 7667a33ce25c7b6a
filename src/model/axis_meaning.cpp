// What the axes of the table mean to a workload, and whether they apply to a strategy.
#include "model/axis_table.hpp"

#include <algorithm>
#include <string>

namespace nestbed
{

AxisText text_for(const Axis& axis, const WorkloadInfo& workload)
{
    AxisText text{.help = axis.help, .default_text = std::string(axis.default_text)};
    if (const auto one = std::ranges::find(workload.meanings, axis.id, &AxisMeaning::name);
        axis.get != nullptr && one != workload.meanings.end()) {
        text.help = one->meaning;
        if (!one->default_text.empty())
            text.default_text = one->default_text;
        else if (one->default_value != 0)
            text.default_text = std::to_string(one->default_value);
    }
    if (axis.get != nullptr && axis.id == axis::input && !workload.inputs.empty())
        text.default_text = name_of(workload.inputs.front());
    return text;
}

bool applies(const Axis& axis, const StrategyInfo& info)
{
    return std::ranges::any_of(info.mechanisms, [&](Mechanism by) {
        return axis.applies == nullptr || axis.applies(info, by, BackendKind::cuda) ||
               axis.applies(info, by, BackendKind::cpu);
    });
}

bool is_problem(const Axis& axis, const WorkloadInfo& workload)
{
    const auto one = std::ranges::find(workload.meanings, axis.id, &AxisMeaning::name);
    if (axis.get != nullptr && one != workload.meanings.end() && one->role != AxisRole::by_default)
        return one->role == AxisRole::problem;
    return workload.irregular ? axis.problem : axis.input;
}

} // namespace nestbed
