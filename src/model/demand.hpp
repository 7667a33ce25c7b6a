// What a case asks of the GPU, as far as it is known without running it: launches, their plan, bytes. Pure.
#pragma once

#include "model/case.hpp"
#include "model/facts.hpp"
#include "model/launch_plan.hpp"
#include "model/strategy.hpp"

namespace nestbed
{

struct Demand {
    Mechanism mechanism = Mechanism::none;
    ExpectedLaunches form;
    LaunchPlan plan;
    Case point;
    double bytes = 0;         // read and written at least
    double host_launches = 0; // by a mechanism that does not launch from the device: launches after the first by the
                              // host, or levels inside one grid
};

Demand demand_of(const Strategy& strategy, const Case& point, const DeviceFacts& facts);

} // namespace nestbed
