#include "support/stand_ins.hpp"

#include "workloads/hello/descriptor.hpp"
#include "workloads/lanes/descriptor.hpp"
#include "workloads/launch/descriptor.hpp"
#include "workloads/litmus/descriptor.hpp"
#include "workloads/matrix/descriptor.hpp"
#include "workloads/reduce/descriptor.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace nestbed
{

StandIn::StandIn(const StrategyInfo& info, Launches launches, ScratchBytes scratch_bytes)
    : info_(info), launches_(std::move(launches)), scratch_bytes_(std::move(scratch_bytes))
{
}

ExpectedLaunches StandIn::launches(const Case& point) const
{
    return launches_ ? launches_(point) : ExpectedLaunches::none();
}

std::uint64_t StandIn::scratch_bytes(const Case& point) const
{
    return scratch_bytes_ ? scratch_bytes_(point) : 0;
}

namespace
{

using enum Mechanism;

// Whether the case launches from the device. If it names no mechanism, the strategy's first mechanism does.
bool launches_from_device(const Case& point)
{
    return from_device(point.mechanism.value_or(null_stream));
}

// For each launch of a chain or a fan-out: when it was called, and when it began.
constexpr std::uint64_t kMarkBytes = 2 * 8;
constexpr std::uint64_t kLitmusBytes = 97 * sizeof(unsigned);

std::uint32_t levels_of_chain(const Case& point)
{
    constexpr std::uint32_t kFull = 1024;
    return point.depth.value_or(kFull);
}

// A chain per root block, or a tree of `fanout` children per grid.
ExpectedLaunches tree_by_block(const Case& point, unsigned fanout, std::uint32_t full)
{
    constexpr std::uint64_t kTooMany = (1U << 26) + 1;
    ExpectedLaunches form{.root_blocks = point.grid, .one_by_one = point.mechanism == tail};
    std::uint64_t grids = point.grid;
    for (std::uint32_t level = 0; level < point.depth.value_or(full); ++level)
        form.by_depth.push_back(grids = std::min(grids * fanout, kTooMany));
    return form;
}
ExpectedLaunches chain_by_block(const Case& point)
{
    return tree_by_block(point, 1, 8);
}

ExpectedLaunches halving_by_block(const Case& point)
{
    return ExpectedLaunches::chain_per_block(point.grid, halving_levels(point));
}
ExpectedLaunches halving_by_grid(const Case& point)
{
    return ExpectedLaunches::chain_per_grid(halving_levels(point));
}

// A range of tiles. The end of each side is not included.
struct Tiles {
    unsigned left, right, top, bottom;
};

void split(const Tiles& part, unsigned depth, unsigned most, std::vector<std::uint64_t>& by_depth)
{
    if (depth == most || (part.right - part.left == 1 && part.bottom - part.top == 1))
        return;
    by_depth.resize(std::max<std::size_t>(by_depth.size(), depth + 1));
    const unsigned middle = (part.left + part.right) / 2;
    const unsigned half_way = (part.top + part.bottom) / 2;
    for (const auto& [left, right] : {std::pair{part.left, middle}, std::pair{middle, part.right}})
        for (const auto& [top, bottom] : {std::pair{part.top, half_way}, std::pair{half_way, part.bottom}})
            if (left != right && top != bottom) {
                ++by_depth[depth];
                split({left, right, top, bottom}, depth + 1, most, by_depth);
            }
}

} // namespace

std::vector<std::uint64_t> quadrants_by_depth(std::uint32_t nx, std::uint32_t ny, std::optional<std::uint32_t> depth)
{
    std::vector<std::uint64_t> by_depth;
    split({0, (nx + 31) / 32, 0, (ny + 63) / 64}, 0, depth.value_or(UINT32_MAX), by_depth);
    return by_depth;
}

const std::vector<const Strategy*>& stand_ins()
{
    static const StandIn aggregated_block({.name = "aggregated_block",
                                           .workload = &workloads::reduce,
                                           .mechanisms = kOnly<fire_and_forget, null_stream>,
                                           .axes = {axis::delay}},
                                          [](const Case& point) {
                                              ExpectedLaunches form = ExpectedLaunches::chain_per_block(
                                                  (point.grid - 1) / 16 + 1, halving_levels(point));
                                              form.root_threads = 16 * 32;
                                              return form;
                                          });
    static const StandIn barrier(
        {.name = "barrier", .workload = &workloads::reduce, .mechanisms = kChildrenByKernel, .axes = {axis::delay}},
        [](const Case& point) {
            ExpectedLaunches form = halving_by_block(point);
            form.one_by_one = point.mechanism == tail;
            form.root_threads = std::max(1U, point.block / 2);
            return form;
        });
    static const StandIn blobs({.name = "blobs", .workload = &workloads::blobs, .axes = {axis::shape}});
    static const StandIn chain(
        {.name = "chain",
         .workload = &workloads::chain,
         .mechanisms = kOnly<null_stream, named_stream, fire_and_forget, tail, graph_tail, host, host_graph,
                             grid_sync, graph_next, graph_fire_and_forget, graph_sibling, graph_while, host_pdl,
                             host_read, host_polled, host_graph_pdl, host_max_levels, host_graph_max_levels,
                             host_graph_pdl_max_levels, graph_if, graph_update, graph_switch, cluster_sync>},
        [](const Case& point) {
            return launches_from_device(point) ? ExpectedLaunches::chain_per_grid(levels_of_chain(point))
                                               : ExpectedLaunches::none();
        },
        [](const Case& point) { return kMarkBytes * levels_of_chain(point); });
    static const StandIn chains(
        {.name = "chains", .workload = &workloads::fanout, .mechanisms = kChildrenByKernel, .axes = {axis::depth}},
        chain_by_block, [](const Case& point) { return kMarkBytes * chain_by_block(point).total(); });
    static const StandIn chains_synced(
        {.name = "chains_synced",
         .workload = &workloads::fanout,
         .mechanisms = kOnly<null_stream>,
         .axes = {axis::depth}},
        [](const Case& point) {
            ExpectedLaunches form = chain_by_block(point);
            form.parent_waits = true;
            return form;
        },
        [](const Case& point) { return kMarkBytes * chain_by_block(point).total(); });
    static const StandIn copy_row({.name = "copy_row", .workload = &workloads::copy, .axes = {axis::shape}});
    static const StandIn cub({.name = "cub", .workload = &workloads::reduce, .cuda_only = true});
    static const StandIn fanout(
        {.name = "fanout",
         .workload = &workloads::fanout,
         .mechanisms = kOnly<null_stream, named_stream, fire_and_forget, tail, host, host_graph, grid_sync>},
        [](const Case& point) {
            return launches_from_device(point) ? ExpectedLaunches::chain_per_block(point.grid, 1)
                                               : ExpectedLaunches::none();
        },
        [](const Case& point) { return kMarkBytes * point.grid; });
    static const StandIn graph(
        {.name = "graph", .workload = &workloads::reduce, .mechanisms = kLevelsByGraph, .cuda_only = true},
        [](const Case& point) {
            if (point.mechanism == graph_while)
                return ExpectedLaunches::none();
            ExpectedLaunches form = halving_by_grid(point);
            form.by_last_block = true;
            return form;
        });
    static const StandIn hello(
        {.name = "hello", .workload = &workloads::hello, .mechanisms = kOnly<null_stream>}, [](const Case& point) {
            return ExpectedLaunches::chain_per_block(point.grid, levels_within(point, log2_of(point.block)));
        });
    static const StandIn host_sum({.name = "host", .workload = &workloads::reduce, .on_host = true});
    static const StandIn host_loop(
        {.name = "host_loop", .workload = &workloads::reduce, .mechanisms = kOnly<host, host_pdl>});
    static const StandIn lanes_at_once({.name = "lanes_at_once",
                                        .workload = &workloads::lanes,
                                        .mechanisms = kOnly<fire_and_forget, null_stream>,
                                        .hangs = true},
                                       [](const Case& point) {
                                           ExpectedLaunches form{.root_blocks = point.grid};
                                           std::uint64_t grids = point.grid;
                                           for (unsigned level = 0; level < std::min(2U, point.depth.value_or(1));
                                                ++level)
                                               form.by_depth.push_back(grids *= std::min(point.block, 32U));
                                           return form;
                                       });
    static const StandIn litmus_counter(
        {.name = "litmus_counter",
         .workload = &workloads::litmus,
         .mechanisms = kOnly<fire_and_forget>,
         .racy = true},
        [](const Case& point) { return ExpectedLaunches::chain_per_block(point.grid, 1); },
        [](const Case& point) { return kLitmusBytes * point.grid; });
    static const StandIn naive_row({.name = "naive_row", .workload = &workloads::transpose, .axes = {axis::shape}});
    static const StandIn neighbored({.name = "neighbored", .workload = &workloads::reduce, .operators = true});
    static const StandIn thrust({.name = "thrust", .workload = &workloads::reduce, .cuda_only = true, .waits = true});
    static const StandIn nested_best(
        {.name = "nested_best", .workload = &workloads::reduce, .mechanisms = kOnly<fire_and_forget>},
        [](const Case& point) {
            constexpr std::uint64_t kTile = 8192;
            ExpectedLaunches form =
                ExpectedLaunches::chain_per_grid(levels_within(point, point.elements / kTile >= 2 ? 1 : 0));
            form.blocks_per_multiprocessor = 2;
            return form;
        });
    static const StandIn nosync({.name = "nosync",
                                 .workload = &workloads::reduce,
                                 .mechanisms = kOnly<null_stream, named_stream, fire_and_forget>,
                                 .axes = {axis::delay},
                                 .racy = true},
                                halving_by_block);
    static const StandIn recursive_transpose(
        {.name = "recursive_transpose", .workload = &workloads::transpose, .mechanisms = kChildrenByKernel},
        [](const Case& point) -> ExpectedLaunches {
            return {.by_depth = quadrants_by_depth(point.nx, point.ny, point.depth), .by_lanes = true};
        });
    static const StandIn reduce2({.name = "reduce2",
                                  .workload = &workloads::reduce,
                                  .mechanisms = kOnly<null_stream>,
                                  .axes = {axis::delay},
                                  .racy = true},
                                 halving_by_grid);
    static const StandIn shared_tile(
        {.name = "shared_tile", .workload = &workloads::transpose, .axes = {axis::shape}});
    static const StandIn synced(
        {.name = "synced", .workload = &workloads::reduce, .mechanisms = kOnly<null_stream>, .axes = {axis::delay}},
        [](const Case& point) {
            ExpectedLaunches form = halving_by_block(point);
            form.parent_waits = true;
            return form;
        });
    static const StandIn tail_launches(
        {.name = "tail", .workload = &workloads::reduce, .mechanisms = kOnly<tail>, .axes = {axis::delay}},
        [](const Case& point) {
            ExpectedLaunches form = halving_by_block(point);
            form.one_by_one = true;
            form.root_threads = std::max(1U, point.block / 2);
            return form;
        });
    static const StandIn trees(
        {.name = "trees",
         .workload = &workloads::fanout,
         .mechanisms = kChildrenByKernel,
         .axes = {axis::depth, LaunchParameter::fanout}},
        [](const Case& point) { return tree_by_block(point, point["fanout"], 3); },
        [](const Case& point) { return kMarkBytes * tree_by_block(point, point["fanout"], 3).total(); });
    static const StandIn trees_by_lanes(
        {.name = "trees_by_lanes",
         .workload = &workloads::fanout,
         .mechanisms = kChildrenByKernel,
         .axes = {axis::depth, LaunchParameter::fanout}},
        [](const Case& point) {
            ExpectedLaunches form = tree_by_block(point, std::min(point["fanout"], point.block), 3);
            form.by_lanes = true;
            return form;
        },
        [](const Case& point) {
            return kMarkBytes * tree_by_block(point, std::min(point["fanout"], point.block), 3).total();
        });
    static const StandIn wide_warp(
        {.name = "wide_warp", .workload = &workloads::reduce, .mechanisms = kOnly<tail>},
        [](const Case& point) {
            ExpectedLaunches form = ExpectedLaunches::chain_per_grid(whole_levels(point, 32));
            form.fan_in = 32;
            return form;
        },
        [](const Case& point) { return 2 * ((point.elements - 1) / 32 + 1) * sizeof(std::int64_t); });
    static const std::vector<const Strategy*> all{
        &aggregated_block, &barrier,       &blobs,          &chain,
        &chains,           &chains_synced, &copy_row,       &cub,
        &fanout,           &graph,         &hello,          &host_sum,
        &host_loop,        &lanes_at_once, &litmus_counter, &naive_row,
        &neighbored,       &nested_best,   &nosync,         &recursive_transpose,
        &reduce2,          &shared_tile,   &synced,         &tail_launches,
        &thrust,           &trees,         &trees_by_lanes, &wide_warp};
    return all;
}

void register_stand_ins()
{
    for (const Strategy* strategy : stand_ins())
        Registry::add(BackendKind::cpu, *strategy);
}

} // namespace nestbed
