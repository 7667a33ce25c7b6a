#include "workloads/launch/descriptor.hpp"

#include "model/strategy.hpp"
#include "workloads/launch/empty_grids.hpp"

namespace nestbed
{

namespace
{

constexpr AxisMeaning kOfChain[]{{axis::grid, "blocks of each grid"},
                                 {axis::depth, "grids after the root grid", 0, "1024"},
                                 {axis::graphs, "instances of the device graph; the fastest is used"}};
constexpr AxisMeaning kOfFanout[]{{axis::grid, "root blocks; fanout: the children of the one root block"},
                                  {axis::depth, "levels of trees or chains", 0, "3 of trees, 8 of chains"}};

constexpr std::string_view kFiguresOfChain[]{"ladder",     "busy-host", "chain", "trees",
                                             "submission", "pending",   "ways"};
constexpr std::string_view kFiguresOfFanout[]{"fanout", "trees", "submission", "pending", "ways"};

} // namespace

constinit const WorkloadInfo workloads::chain{
    .name = "chain",
    .summary = "empty grids, each launched by the one before",
    .axes = {axis::grid, axis::block, axis::depth, axis::graphs, axis::runs, axis::host_load, axis::nice, axis::pin},
    .meanings = kOfChain,
    .figures = kFiguresOfChain,
    .keeps_timestamps = true,
    .grid_per_level = true,
    .host_launches =
        [](const Case& point) {
            const bool bound = point.mechanism && has_bound(*point.mechanism);
            return point.depth.value_or(kChainLevels) * (bound ? kBoundFactor : 1);
        },
};

constinit const WorkloadInfo workloads::fanout{
    .name = "fanout",
    .summary = "many empty grids that do not wait for each other, or trees and chains of them for each root block",
    .axes = {axis::grid, axis::block},
    .meanings = kOfFanout,
    .figures = kFiguresOfFanout,
    .keeps_timestamps = true,
    .siblings = true,
    .max_launches = kMaxEmptyGrids,
    .host_launches = [](const Case& point) { return point.grid; },
};

} // namespace nestbed
