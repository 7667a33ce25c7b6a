// The battery: shapes that every strategy must get right, by each of its mechanisms, and what "right" means.
#pragma once

#include "../src/core/session.hpp"
#include "../src/core/strategy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace nestbed
{

// A strategy by one of its mechanisms.
struct Way {
    std::string strategy;
    Mechanism mechanism;

    const StrategyInfo& info() const { return Registry::find_anywhere(strategy)->info(); }
    bool needs_cuda() const { return info().cuda_only || cuda_only(mechanism); }
    bool has_elements() const { return info().workload == "reduce"; }
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
// All ways on a backend of which `wanted` is true.
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

struct Shape {
    const char* name;
    std::uint32_t grid;
    std::uint32_t block;
    std::uint64_t elements; // 0: grid * block
    std::optional<std::uint32_t> depth = std::nullopt;

    std::uint32_t threads() const { return grid * block; }
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
        // aggregated_block: 16 slices a block.
        {"sixteen_slices", 16, 16, 0},
        {"one_slice_over_sixteen", 17, 16, 0},
        {"one_slice_under_two_blocks", 31, 8, 31 * 8 - 3},
        {"slices_at_depth_1", 17, 16, 0, 1},
        // wide_warp, wide_block: 32 a level; a block of 64 is a fan-in of its own.
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

inline std::vector<ElementType> types_of(const Way& way)
{
    return way.has_elements() ? std::vector{ElementType::int32, ElementType::float32}
                              : std::vector{ElementType::none};
}

inline Case case_of(BackendKind backend, const Way& way, const Shape& shape, ElementType type)
{
    constexpr std::uint32_t kChainDepth = 5;
    Case point{.strategy = way.strategy,
               .backend = backend,
               .mechanism = way.mechanism,
               .type = type,
               .grid = shape.grid,
               .block = shape.block,
               .depth = shape.depth,
               .seed = 42};
    if (way.has_elements())
        point.elements = shape.elements == 0 ? std::uint64_t{shape.grid} * shape.block : shape.elements;
    if (way.info().workload == "chain")
        point.depth = std::min(shape.depth.value_or(kChainDepth), kChainDepth);
    return point;
}

// By the strategy's first mechanism, with its first type.
inline Case case_of(BackendKind backend, const std::string& strategy, const Shape& shape)
{
    const Way way{strategy, Registry::find_anywhere(strategy)->info().mechanisms.front()};
    return case_of(backend, way, shape, types_of(way).front());
}

// The launches are those of the closed form, and none is refused.
inline void expect_launches(const Sample& sample, const Case& point)
{
    ASSERT_TRUE(sample.launches.has_value()) << sample.detail;
    const LaunchForm form = Registry::find(point.backend, point.strategy)->launches(point);
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
inline void expect_ok(Session& session, const Case& point)
{
    expect_ok(session.sample(point), point);
}

// check(point, shape) for all shapes and types.
template <class Check>
void for_the_battery(BackendKind backend, const Way& way, Check&& check)
{
    for (const Shape& shape : battery())
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
