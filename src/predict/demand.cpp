#include "predict/demand.hpp"

namespace nestbed
{

namespace
{

double launches_by_host(const StrategyInfo& info, const Case& point)
{
    return info.workload->host_launches == nullptr ? halving_levels(point) : info.workload->host_launches(point);
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
    demand.host_launches_are_levels = !info.workload->siblings || demand.mechanism == Mechanism::grid_sync;
    demand.writes = info.workload->calibrates == Calibrates::copy;
    demand.by_lanes = demand.form.by_lanes;
    demand.root_threads = demand.form.root_threads != 0 ? demand.form.root_threads : point.block;
    if (!demand.form.per_root_block() && info.workload->grid_per_level)
        demand.blocks_per_level = demand.form.blocks_per_multiprocessor != 0
                                      ? demand.form.blocks_per_multiprocessor * facts.multiprocessors
                                      : point.grid;
    demand.fan_in = demand.form.fan_in;
    return demand;
}

} // namespace nestbed
