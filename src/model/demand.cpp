#include "model/demand.hpp"

namespace nestbed
{

namespace
{

double launches_by_host(const StrategyInfo& info, const Case& point)
{
    if (info.workload == "chain")
        return point.depth.value_or(kChainLevels);
    return info.workload == "fanout" ? point.grid : halving_levels(point);
}

} // namespace

Demand demand_of(const Strategy& strategy, const Case& point, const DeviceFacts& facts)
{
    const StrategyInfo& info = strategy.info();
    Demand demand{.mechanism = mechanism_of(info, point),
                  .form = strategy.launches(point),
                  .plan = {},
                  .point = point,
                  .bytes = static_cast<double>(bytes_moved(info, point)),
                  .host_launches = 0};
    demand.plan = plan_launches(point, demand.form, facts);
    if (demand.mechanism != Mechanism::none && !from_device(demand.mechanism))
        demand.host_launches = launches_by_host(info, point);
    demand.host_launches_are_levels = info.workload != "fanout" || demand.mechanism == Mechanism::grid_sync;
    demand.writes = info.workload == "transpose" || info.workload == "copy";
    demand.by_lanes = info.workload == "transpose" || info.name == "trees_by_lanes";
    demand.root_threads = demand.form.root_threads != 0 ? demand.form.root_threads : point.block;
    if (!demand.form.per_root_block() && (info.workload == "reduce" || info.workload == "chain"))
        demand.blocks_per_level = demand.form.blocks_per_multiprocessor != 0
                                      ? demand.form.blocks_per_multiprocessor * facts.multiprocessors
                                      : point.grid;
    demand.fan_in = demand.form.fan_in;
    return demand;
}

} // namespace nestbed
