#include "plan/cost.hpp"

#include "model/strategy.hpp"

namespace nestbed
{

bool is_run(const Case& point)
{
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    return point.backend == BackendKind::cuda || !(info.cuda_only || cuda_only(mechanism_of(info, point)));
}

double cost_us(const CaseTimes& times, const Plan& plan, const Case& point)
{
    const unsigned samples = is_run(point) ? plan.repeat.at(point.backend).least + plan.warmup.at(point.backend) : 1;
    return samples * times.sample_us(point);
}

double cost_us(const CaseTimes& times, const Plan& plan)
{
    double us = 0;
    for (const Group& group : plan.groups) {
        us += times.input_us(group.cases.front());
        for (const Case& point : group.cases)
            us += cost_us(times, plan, point);
    }
    return us;
}

} // namespace nestbed
