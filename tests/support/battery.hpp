// The battery: shapes for which every strategy must give the right answer with each of its mechanisms, and what
// "right" means.
#pragma once

#include "model/session.hpp"
#include "model/strategy.hpp"
#include "support/effort.hpp"
#include "support/matchers.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// A strategy with one of its mechanisms.
struct Way {
    std::string strategy;
    Mechanism mechanism;

    const StrategyInfo& info() const { return Registry::find_anywhere(strategy)->info(); }
    bool needs_cuda() const { return info().cuda_only || cuda_only(mechanism); }
    bool has_elements() const { return info().workload->name == "reduce"; }
    bool has_matrix() const { return info().over_matrix(); }
    bool is_irregular() const { return info().irregular(); }
};

inline std::string name_of(const Way& way)
{
    return way.strategy + "_" + std::string(name_of(way.mechanism));
}
inline std::ostream& operator<<(std::ostream& out, const Way& way)
{
    return out << name_of(way);
}
inline const auto kWayName = [](const testing::TestParamInfo<Way>& test) { return name_of(test.param); };

inline bool any_way(const Way& /*way*/)
{
    return true;
}
// All ways on a backend for which `wanted` is true.
template <class Wanted>
std::vector<Way> ways_of(BackendKind backend, Wanted&& wanted)
{
    std::vector<Way> ways;
    for (const Strategy* strategy : Registry::of(backend))
        for (const Mechanism mechanism : strategy->info().mechanisms)
            if (const Way way{std::string(strategy->info().name), mechanism}; wanted(way))
                ways.push_back(way);
    return ways;
}

// The shape of a sum (elements 0: grid * block) or of a matrix.
struct Shape {
    const char* name;
    std::uint32_t grid = 0;
    std::uint32_t block = 0;
    std::uint64_t elements = 0;
    std::optional<std::uint32_t> depth = std::nullopt;
    std::uint32_t nx = 0;
    std::uint32_t ny = 0;
    BlockShape block_shape = {};

    // The amount of work.
    std::uint32_t threads() const { return nx != 0 ? nx * ny : grid * block; }
};

inline const std::vector<Shape>& battery()
{
    static const std::vector<Shape> shapes{
        {"one_element", 1, 1, 0},
        {"one_element_in_a_block", 1, 64, 1},
        {"one_pair", 1, 2, 0},
        {"smallest_blocks", 17, 1, 0},
        {"pairs", 33, 2, 65},
        {"first_launch", 5, 4, 0},
        {"one_block", 1, 512, 0},
        {"largest_block", 3, 1024, 0},
        {"ragged_end", 7, 64, 7 * 64 - 13},
        {"ragged_by_one", 2, 256, 511},
        {"prime", 31, 32, 977},
        {"empty_blocks", 9, 32, 33},
        {"all_but_one_block_empty", 5, 128, 3},
        {"thousands_of_blocks", 3000, 32, 0},
        {"depth_0", 6, 256, 0, 0},
        {"depth_1", 6, 256, 0, 1},
        {"depth_3_ragged", 6, 256, 1300, 3},
        {"depth_0_of_pairs", 3, 2, 0, 0},
        {"depth_beyond_full", 4, 64, 0, 40},
        // aggregated_block: 16 slices per block.
        {"sixteen_slices", 16, 16, 0},
        {"one_slice_over_sixteen", 17, 16, 0},
        {"one_slice_under_two_blocks", 31, 8, 31 * 8 - 3},
        {"slices_at_depth_1", 17, 16, 0, 1},
        // wide_warp, wide_block: a fan-in of 32 per level; a block of 64 has a fan-in of 64.
        {"fan_in", 1, 32, 0},
        {"fan_in_and_one", 2, 32, 33},
        {"fan_in_squared", 32, 32, 0},
        {"fan_in_squared_and_one", 33, 32, 1025},
        {"fan_in_squared_and_one_depth_0", 33, 32, 1025, 0},
        {"fan_in_squared_and_one_depth_1", 33, 32, 1025, 1},
        {"fan_in_squared_and_one_depth_2", 33, 32, 1025, 2},
        {"fan_in_cubed", 1024, 32, 0},
        {"fan_in_cubed_and_one", 1025, 32, 32769},
        {"fan_in_cubed_and_one_depth_1", 1025, 32, 32769, 1},
        {"fan_in_cubed_and_one_depth_2", 1025, 32, 32769, 2},
        {"block_squared", 64, 64, 0},
        {"block_squared_and_one", 65, 64, 4097},
        // nested_best, last_block: tiles of 8192.
        {"one_tile_less_one", 16, 512, 8191},
        {"one_tile", 16, 512, 0},
        {"two_tiles_less_one", 32, 512, 16383},
        {"two_tiles", 32, 512, 0},
        {"two_tiles_depth_0", 32, 512, 0, 0},
        {"two_tiles_and_one_depth_1", 33, 512, 16385, 1},
        {"six_tiles_ragged_depth_2", 100, 512, 51111, 2},
    };
    return shapes;
}

// Sides that are multiples of a tile, that are not multiples of anything, and that are 1. shared_tile uses tiles of
// 32 x 64.
inline const std::vector<Shape>& matrix_battery()
{
    const auto matrix = [](const char* name, std::uint32_t nx, std::uint32_t ny, BlockShape shape = {16, 16},
                           std::optional<std::uint32_t> depth = std::nullopt) {
        return Shape{.name = name, .depth = depth, .nx = nx, .ny = ny, .block_shape = shape};
    };
    static const std::vector<Shape> shapes{
        matrix("one_number", 1, 1),
        matrix("one_row", 53, 1),
        matrix("one_column", 1, 47),
        matrix("one_thread_a_block", 5, 3, {1, 1}),
        matrix("smaller_than_a_block", 7, 5, {32, 8}),
        matrix("one_block", 16, 16),
        matrix("one_block_and_one", 17, 17),
        matrix("thin_blocks", 31, 29, {8, 32}),
        matrix("wide_blocks", 29, 31, {32, 8}),
        matrix("blocks_of_primes", 41, 23, {7, 11}),
        matrix("a_row_a_block", 97, 13, {64, 1}),
        matrix("a_column_a_block", 13, 97, {1, 64}),
        matrix("four_blocks_and_a_bit", 70, 33, {16, 4}),
        matrix("one_tile", 32, 64),
        matrix("one_tile_less_one", 31, 63),
        matrix("one_tile_and_one", 33, 65),
        matrix("wide_primes", 211, 17, {32, 4}),
        matrix("high_primes", 17, 211, {4, 32}),
        matrix("largest_block", 67, 71, {32, 32}),
        matrix("fewer_block_rows_than_columns", 96, 32, {8, 8}),
        matrix("more_block_rows_than_columns", 32, 96, {8, 8}),
        matrix("depth_0", 100, 200, {16, 16}, 0),
        matrix("depth_1", 100, 200, {16, 16}, 1),
        matrix("depth_2_of_primes", 131, 257, {16, 16}, 2),
        matrix("five_by_three_tiles", 150, 170, {16, 8}),
        matrix("tall_tiles", 20, 700, {16, 8}),
    };
    return shapes;
}

// Lines: none to divide evenly, one, all in one warp, more than one block. Blocks are whole warps.
inline const std::vector<Shape>& line_battery()
{
    static const std::vector<Shape> shapes{
        {"one_line", 1, 32, 1},
        {"one_warp", 1, 32, 0},
        {"one_warp_of_a_block", 1, 128, 32},
        {"one_line_in_the_second_warp", 1, 64, 33},
        {"one_block", 1, 64, 0},
        {"ragged_end", 3, 64, 3 * 64 - 13},
        {"prime", 7, 32, 211},
        {"empty_blocks", 9, 32, 33},
        {"all_but_one_block_empty", 5, 128, 3},
        {"depth_0", 2, 64, 0, 0},
        {"depth_1", 2, 64, 0, 1},
        {"a_group_of_blocks_and_one", 17, 32, 16 * 32 + 1},
    };
    return shapes;
}

// Graphs: the same numbers of vertices, and levels that are too large for one block.
inline const std::vector<Shape>& graph_battery()
{
    static const std::vector<Shape> shapes = [] {
        std::vector<Shape> all = line_battery();
        all.push_back({"levels_for_many_blocks", 94, 64, 0});
        return all;
    }();
    return shapes;
}

// The shapes of runs that take long: the smallest, ragged ends, blocks without work, each kind of depth, more than one of each
// tile, and the one in which searches by levels launch.
inline constexpr std::array<std::string_view, 13> kFewShapes{"one_element",
                                                             "ragged_end",
                                                             "all_but_one_block_empty",
                                                             "depth_3_ragged",
                                                             "slices_at_depth_1",
                                                             "one_number",
                                                             "one_tile_and_one",
                                                             "blocks_of_primes",
                                                             "one_line",
                                                             "one_line_in_the_second_warp",
                                                             "depth_1",
                                                             "fan_in_squared_and_one_depth_1",
                                                             "levels_for_many_blocks"};

inline std::vector<Shape> few_of(const std::vector<Shape>& shapes)
{
    std::vector<Shape> few;
    std::ranges::copy_if(shapes, std::back_inserter(few),
                         [](const Shape& shape) { return std::ranges::count(kFewShapes, shape.name) != 0; });
    return few;
}

// Where tests try few inputs, few of the shapes.
inline std::vector<Shape> battery_of(const Way& way, bool few = tries_few())
{
    const std::vector<Shape>& shapes = way.info().over_graph() ? graph_battery()
                                       : way.has_matrix()      ? matrix_battery()
                                       : way.is_irregular()    ? line_battery()
                                                               : battery();
    return few ? few_of(shapes) : shapes;
}

inline std::vector<ElementType> types_of(const Way& way)
{
    if (way.info().workload->name == "sort")
        return {ElementType::int32, ElementType::float32};
    if (way.is_irregular())
        return {ElementType::none};
    if (way.has_matrix())
        return {ElementType::float32};
    return way.has_elements() ? std::vector{ElementType::int32, ElementType::float32}
                              : std::vector{ElementType::none};
}

// The axes of irregular recursion. An image has small parts, so that small images have several levels.
inline void make_irregular(Case& point, const StrategyInfo& info)
{
    constexpr std::uint32_t kWarp = 32;
    if (!info.workload->inputs.empty())
        point.input = info.workload->inputs.front();
    if (info.requests) {
        point.coarsen = 1;
        const bool by_graph = changes_graphs(mechanism_of(info, point));
        point.aggregate = by_graph    ? Aggregate::absent
                          : info.racy ? Aggregate::block // items of several threads
                                      : Aggregate::none;
        if (point.mechanism != Mechanism::tail && !by_graph)
            point.overflow = Overflow::waves;
    }
    if (!info.over_matrix()) {
        point.block = std::max(point.block, kWarp);
        if (point.elements == 0)
            point.elements = std::uint64_t{point.grid} * point.block;
        if (info.workload->name == "sort") { // short leaves, so that few keys have several levels
            point["grain"] = info.parameter("grain") != nullptr ? 16 : 0;
            point["fanout"] = info.parameter("fanout") != nullptr ? 4 : 0;
            point.grid = 0;
        }
        if (info.workload->name == "search") { // t1 with 1 to 5 levels: 1 to 944 nodes
            constexpr std::uint32_t kNever = 65535;
            point["tree-levels"] = static_cast<std::uint32_t>(1 + point.elements % 7 % 5);
            point.elements = 0;
            point["cutoff"] = info.parameter("cutoff") != nullptr ? kNever : 0;
            point["budget"] = info.parameter("budget") != nullptr ? 2 : 0;
            point.grid = 0;
        }
        if (info.workload->name == "quadtree") { // few points to a leaf, so that few points have several levels
            point["grain"] = 5;
            point["levels"] = 16;
            point.grid = 0;
        }
        if (info.workload->name == "refine") { // one to three time steps of four tiles, with three levels
            point["time-steps"] = static_cast<std::uint32_t>(1 + point.elements % 7 % 3);
            point.elements = 0;
            point["division"] = 2;
            point["levels"] = 3;
            point["cell-work"] = 4;
            point.grid = 0;
        }
        if (info.workload->name == "tenants") { // one to seven tenants, some with levels of several blocks
            point["tenant-count"] = static_cast<std::uint32_t>(1 + point.elements % 7);
            point.elements = 0;
            point["level-nodes"] = 40;
            point["levels"] = 5;
            point["node-work"] = 3;
            point.grid = 0;
            if (changes_graphs(mechanism_of(info, point)))
                point.wave = 1; // a graph for each tenant, as a plan has it
        }
        if (info.workload->name == "icp") { // four leaves; a third of the scan is near the surface
            point["leaves"] = 4;
            point["leaf-points"] = 40;
            point["near-every"] = 3;
            point["points-per-thread"] = info.parameter("points-per-thread") != nullptr ? 4 : 0;
            point["iterations"] = 4;
            point.grid = 0;
        }
        if (info.over_graph()) {
            point["edge-factor"] = 4;
            point["bucket-width"] = info.parameter("bucket-width") != nullptr ? 16 : 0;
            point.grid = 0;
            constexpr std::uint64_t kMaxByVertex = 60; // depth first, the work grows exponentially
            if (info.has(axis::threshold))
                point.elements = std::min(point.elements, kMaxByVertex);
            constexpr std::uint64_t kMaxByRound = 600; // all vertices launch in each of several rounds
            if (info.requests && info.workload->name == "mst")
                point.elements = std::min(point.elements, kMaxByRound);
        }
        return;
    }
    constexpr std::uint32_t kMaxSide = 64;
    point.nx = std::min(point.nx, kMaxSide);
    point.ny = std::min(point.ny, kMaxSide);
    point.elements = std::uint64_t{point.nx} * point.ny;
    point.block = kWarp;
    point.shape = {};
    point["division"] = 3;
    point["fanout"] = 2;
    point["grain"] = 4;
    point["dwell"] = 64;
}

inline Case case_of(BackendKind backend, const Way& way, const Shape& shape, ElementType type)
{
    constexpr std::uint32_t kChainDepth = 5;
    constexpr std::uint32_t kTreeDepth = 4;
    Case point{.strategy = way.strategy,
               .backend = backend,
               .mechanism = way.mechanism,
               .type = type,
               .grid = shape.grid,
               .block = shape.block,
               .depth = shape.depth,
               .seed = 42};
    if (way.info().workload->name == "fanout" &&
        way.info().parameter("fanout") != nullptr) { // a tree grows with a power of its depth
        point["fanout"] = 2;
        if (point.depth)
            point.depth = std::min(*point.depth, kTreeDepth);
    }
    if (way.has_elements() || way.is_irregular())
        point.elements = shape.elements == 0 ? std::uint64_t{shape.grid} * shape.block : shape.elements;
    if (way.has_matrix()) {
        point.nx = shape.nx;
        point.ny = shape.ny;
        point.elements = shape.threads();
        if (way.info().has(axis::shape))
            point.shape = shape.block_shape;
    }
    if (way.is_irregular())
        make_irregular(point, way.info());
    if (way.info().workload->name == "chain")
        point.depth = std::min(shape.depth.value_or(kChainDepth), kChainDepth);
    if (way.info().workload->name == "lanes")
        point.grid = std::min(point.grid, 4U); // 32 launches of each, and 1024 of two levels
    if (backend == BackendKind::cuda && !way.info().on_host && !way.info().waits_by(way.mechanism) &&
        !way.info().nondeterministic_answer())
        point.submit = Submit::held; // as a plan has it
    return point;
}

// With the strategy's first mechanism and its first type.
inline Case case_of(BackendKind backend, const std::string& strategy, const Shape& shape)
{
    const Way way{strategy, Registry::find_anywhere(strategy)->info().mechanisms.front()};
    return case_of(backend, way, shape, types_of(way).front());
}

// The launches that a right sample of the case has. Those of an irregular workload come from its oracle, which the
// session has compared depth by depth.
inline ExpectedLaunches expected_launches(const Sample& sample, const Case& point)
{
    ExpectedLaunches form = Registry::find(point.backend, point.strategy)->launches(point);
    if (form.by_input && sample.launches && sample.launches->attempted == sample.launches_expected)
        form.by_depth = sample.launches->attempted_by_depth;
    return form;
}

// The launches equal the closed form or the oracle, and none is refused.
inline void expect_launches(const Sample& sample, const Case& point)
{
    ASSERT_TRUE(sample.launches.has_value()) << sample.detail;
    const ExpectedLaunches form = expected_launches(sample, point);
    EXPECT_EQ(sample.launches->attempted_by_depth, form.by_depth);
    EXPECT_EQ(sample.launches->max_depth, form.levels());
    EXPECT_EQ(sample.launches->failed, 0U);
}

inline void expect_ok(const Sample& sample, const Case& point)
{
    EXPECT_EQ(sample.status, Status::ok) << sample.detail;
    EXPECT_FALSE(sample.answer.empty());
    ASSERT_TRUE(sample.wall_us.has_value());
    EXPECT_GT(*sample.wall_us, 0);
    expect_launches(sample, point);
}
inline void expect_ok(Session& session, const Case& point, unsigned repetition = 0)
{
    expect_ok(session.sample(point, repetition), point);
}

// Calls check(point, shape) for all shapes (or few of them) and types.
template <class Check>
void for_the_battery(BackendKind backend, const Way& way, Check&& check, bool few = tries_few())
{
    for (const Shape& shape : battery_of(way, few))
        for (const ElementType type : types_of(way)) {
            SCOPED_TRACE(std::string(shape.name) + " " + std::string(name_of(type)));
            check(case_of(backend, way, shape, type), shape);
        }
}

inline void run_battery(Session& session, const Way& way)
{
    for_the_battery(session.backend(), way,
                    [&](const Case& point, const Shape& /*shape*/) { expect_ok(session, point); });
}

} // namespace nestbed
