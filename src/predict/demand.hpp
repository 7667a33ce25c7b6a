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
    bool writes = false;      // half of them are written
    double host_launches = 0; // by a mechanism that does not launch from the device: launches after the first by the
                              // host, or levels inside one grid
    bool host_launches_are_levels = true; // one after another in one stream, each after the end of the one before
    bool by_lanes = false;                // a block's children are launched by a thread each, not all by one
    double root_threads = 0;              // of a root block
    double blocks_per_level = 1;          // of a grid that is one level: of the root grid
    double fan_in = 1;                    // each level has so many times fewer blocks than the level before
};

Demand demand_of(const Strategy& strategy, const Case& point, const DeviceFacts& facts);

} // namespace nestbed
