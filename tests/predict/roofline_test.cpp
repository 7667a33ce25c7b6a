// The launch roofline: what holds for every model, whatever its formulas.
#include "base/error.hpp"
#include "predict/roofline_file.hpp"
#include "support/roofline_support.hpp"
#include "support/support.hpp"

#include <vector>

namespace nestbed
{
namespace
{

Prediction predicted(const Case& point, const Roofline& roofline = default_roofline())
{
    return predict(roofline, demand_of(*Registry::find_anywhere(point.strategy), point, roofline.facts));
}

double value_of(const std::string& key)
{
    return default_roofline().parameters.at(key).value;
}
double value_of(const std::string& name, Mechanism mechanism)
{
    return value_of(name + "." + std::string(name_of(mechanism)));
}

// Every strategy that has launches in closed form, by each of its mechanisms, and flat ones.
std::vector<Case> many_cases()
{
    std::vector<Case> points;
    for (const std::string_view name : Registry::names()) {
        const StrategyInfo& info = Registry::find_anywhere(name)->info();
        for (const Mechanism mechanism : fitted_mechanisms(name))
            for (const std::uint32_t grid : {1U, 64U, 2048U, 65536U}) {
                Case point = on_a_gpu(std::string(name), grid, 512, mechanism);
                if (info.over_matrix()) {
                    point.nx = point.ny = 64 * grid / 1024 + 64;
                    point.elements = std::uint64_t{point.nx} * point.ny;
                    point.grid = point.block = 0;
                }
                if (info.parameter("fanout") != nullptr)
                    point["fanout"] = 3;
                points.push_back(point);
            }
    }
    return points;
}

TEST(Roofline, PredictsEveryCaseByTheBuiltInModel)
{
    for (const Case& point : many_cases()) {
        const Prediction prediction = predicted(point);
        const std::string what = point.strategy + " by " + std::string(name_of(*point.mechanism));
        EXPECT_GT(prediction.us, 0) << what;
        for (const double part : {prediction.latency_us, prediction.rate_us, prediction.work_us}) {
            EXPECT_GE(part, 0) << what;
            EXPECT_LE(part, prediction.us) << what;
        }
    }
}

// Each case takes longer than the one before.
void expect_to_grow(const std::vector<Case>& points)
{
    for (std::size_t index = 1; index < points.size(); ++index)
        EXPECT_GT(predicted(points[index]).us, predicted(points[index - 1]).us)
            << points[index].strategy << " by " << name_of(*points[index].mechanism) << ", step " << index;
}

TEST(Roofline, GrowsWithLevelsLaunchesAndWaves)
{
    std::vector<Case> points;
    for (const char* strategy : {"chain", "chains", "chains_synced"})
        for (const Mechanism mechanism : fitted_mechanisms(strategy))
            for (const std::uint32_t grid : {1U, 64U, 4096U}) {
                points.clear();
                for (const std::uint32_t depth : {1U, 8U, 64U, 65U, 512U})
                    points.push_back(on_a_gpu(strategy, grid, 32, mechanism, depth));
                expect_to_grow(points);
            }
    for (const char* strategy : {"fanout", "chains", "chains_synced", "trees", "trees_by_lanes", "synced", "nosync"})
        for (const Mechanism mechanism : fitted_mechanisms(strategy)) {
            points.clear();
            for (const std::uint32_t grid : {1U, 16U, 256U, 1024U, 4096U, 16384U, 65536U})
                points.push_back(on_a_gpu(strategy, grid, 512, mechanism, 2, 4));
            if (mechanism != Mechanism::grid_sync)
                expect_to_grow(points);
        }
    points.clear(); // waves run one after another, in as many streams as there are
    for (const std::uint32_t wave : {2048U, 1024U, 256U, 64U}) {
        points.push_back(on_a_gpu("nosync", 2048, 512, Mechanism::null_stream));
        points.back().wave = wave;
        points.back().streams = 1;
        Case in_streams = points.back();
        in_streams.streams = 4;
        EXPECT_LE(predicted(in_streams).us, predicted(points.back()).us) << wave;
    }
    expect_to_grow(points);
}

// The first 64 levels of a chain are alike; a later one takes `deep` longer, but not by tail launches or graphs.
TEST(Roofline, TakesLongerForALevelThatIsDeep)
{
    for (const Mechanism mechanism : fitted_mechanisms("chain")) {
        const auto us = [&](std::uint32_t depth) { return predicted(on_a_gpu("chain", 1, 32, mechanism, depth)).us; };
        const bool deep = mechanism == Mechanism::null_stream || mechanism == Mechanism::named_stream ||
                          mechanism == Mechanism::fire_and_forget;
        EXPECT_NEAR(us(64) - us(63), us(2) - us(1), 1e-9) << name_of(mechanism);
        EXPECT_NEAR((us(65) - us(64)) - (us(64) - us(63)), deep ? value_of("deep") : 0, 1e-9) << name_of(mechanism);
        EXPECT_NEAR(us(512) - us(511), us(65) - us(64), 1e-9) << name_of(mechanism);
    }
}

// Children of one block run one after another in its NULL stream and by tail launches, and so does the whole tree. By
// the other mechanisms its levels do.
TEST(Roofline, RunsTreesInOrderInANullStreamAndByTailLaunches)
{
    using enum Mechanism;
    for (const Mechanism mechanism : fitted_mechanisms("trees")) {
        const auto us = [&](const char* strategy, std::uint32_t depth) {
            return predicted(on_a_gpu(strategy, 1, 32, mechanism, depth, 4)).us;
        };
        const double fifth = us("trees", 5) - us("trees", 4); // 1024 launches
        if (mechanism == null_stream || mechanism == tail) {
            EXPECT_NEAR(fifth, 1024 * value_of("sibling", mechanism), 1e-6) << name_of(mechanism);
            EXPECT_NEAR(us("trees_by_lanes", 5) - us("trees_by_lanes", 4), 1024 * value_of("lane", mechanism), 1e-6);
        } else {
            EXPECT_LT(fifth, 1024 * value_of("sibling", mechanism) / 10) << name_of(mechanism);
        }
        EXPECT_LT(us("trees_by_lanes", 5), us("trees", 5)) << name_of(mechanism);
    }
}

// A level's blocks take time of their own: half as much work in chains of large grids is not half the time.
TEST(Roofline, TakesLongerForLevelsOfManyBlocks)
{
    const auto us = [](std::uint32_t grid) { return predicted(on_a_gpu("chain", grid, 32, Mechanism::tail, 16)).us; };
    EXPECT_LT(us(132) - us(1), 0.01 * us(1));
    EXPECT_GT(us(67584), 2 * us(1));
    EXPECT_LT(us(67584) - us(1), 17 * 67584 * value_of("block"));
}

// If each level is smaller, only the first has many blocks.
TEST(Roofline, TakesLessForLevelsThatShrink)
{
    const auto work = [](const char* strategy, Mechanism mechanism) {
        return predicted(on_a_gpu(strategy, 524288, 512, mechanism, 2)).work_us;
    };
    const double bytes = 4.0 * 524288 * 512 / (1e3 * value_of("bandwidth"));
    const double first = 524288 * value_of("block");
    EXPECT_GT(work("wide_warp", Mechanism::tail), bytes + 0.9 * first);
    EXPECT_LT(work("wide_warp", Mechanism::tail), bytes + 1.1 * first);
    EXPECT_GT(work("reduce2", Mechanism::null_stream), bytes + 2.7 * first);
    EXPECT_LT(work("nested_best", Mechanism::fire_and_forget), 1.01 * bytes);
}

// If the last block of a grid launches the next level, the work of the grid is not hidden.
TEST(Roofline, AddsTheWorkOfEveryLevelThatTheLastBlockLaunches)
{
    const auto us = [](const char* strategy, Mechanism mechanism, std::uint32_t depth) {
        return predicted(on_a_gpu(strategy, 2048, 512, mechanism, depth)).us;
    };
    const double pass = value_of("first.none") - value_of("first.host");
    EXPECT_GT(pass, 0);
    EXPECT_DOUBLE_EQ(pass_us(default_roofline()), pass);
    const double level = us("graph", Mechanism::graph_tail, 5) - us("graph", Mechanism::graph_tail, 4);
    EXPECT_NEAR(level, value_of("level.graph_tail") + pass + 2048 * value_of("block"), 1e-6);
    EXPECT_LT(us("reduce2", Mechanism::null_stream, 5) - us("reduce2", Mechanism::null_stream, 4),
              value_of("level.null_stream") + pass);
    Roofline odd = default_roofline();
    odd.parameters.at("first.none").value = odd.parameters.at("first.host").value / 2;
    EXPECT_EQ(pass_us(odd), 0);
}

// Launches below blocks of many threads take longer, at every level and whatever threads a child has.
TEST(Roofline, TakesLongerBelowRootBlocksOfManyThreads)
{
    const auto rate = [](const char* strategy, std::uint32_t block) {
        return predicted(on_a_gpu(strategy, 64, block, Mechanism::null_stream, 4)).rate_us;
    };
    EXPECT_NEAR(rate("nosync", 1024) - rate("nosync", 256), 4 * 63 * 3 * value_of("thread.null_stream"), 1e-6);
    EXPECT_DOUBLE_EQ(rate("barrier", 1024), rate("nosync", 512));
    EXPECT_DOUBLE_EQ(rate("aggregated_block", 1024), rate("aggregated_block", 64));
}

TEST(Roofline, GrowsWithTheBytesAndNotWithABandwidth)
{
    Roofline slow = default_roofline();
    slow.parameters.at("bandwidth").value /= 2;
    slow.parameters.at("copy").value /= 2;
    std::vector<Case> points;
    for (const std::uint32_t grid : {1U << 16, 1U << 18, 1U << 20, 1U << 22})
        points.push_back(on_a_gpu("neighbored", grid, 512, Mechanism::none));
    expect_to_grow(points);
    const Case copy = on_a_gpu("copy_row", 8192, 8192, Mechanism::none); // it reads as much as it writes
    EXPECT_NEAR(predicted(copy).work_us, 2.0 * 4 * 8192 * 8192 / (1e3 * value_of("copy")), 1e-6);
    for (const Case& point : {points.front(), points.back(), copy})
        EXPECT_GT(predicted(point, slow).us, predicted(point).us);
}

TEST(Roofline, SaysWhatBoundsACase)
{
    EXPECT_EQ(predicted(on_a_gpu("neighbored", 1, 512, Mechanism::none)).bound, Bound::first);
    EXPECT_EQ(predicted(on_a_gpu("neighbored", 1U << 21, 512, Mechanism::none)).bound, Bound::work);
    EXPECT_EQ(predicted(on_a_gpu("chain", 1, 32, Mechanism::fire_and_forget, 1024)).bound, Bound::latency);
    EXPECT_EQ(predicted(on_a_gpu("fanout", 65536, 32, Mechanism::fire_and_forget)).bound, Bound::rate);
    EXPECT_EQ(predicted(on_a_gpu("synced", 65536, 512, Mechanism::null_stream)).bound, Bound::parents);
    Case waves = on_a_gpu("nosync", 2048, 512, Mechanism::null_stream);
    EXPECT_EQ(predicted(waves).bound, Bound::rate);
    waves.wave = 2; // far fewer launches at once than the rate allows
    EXPECT_EQ(predicted(waves).bound, Bound::pending_limit);
}

// Levels × price + further launches × price; what the host launches are levels, and a tail launch has no price but its level.
TEST(Roofline, KnowsTheLeastTimeOfCountedLaunches)
{
    const Roofline& roofline = default_roofline();
    const auto least = [&](Mechanism mechanism, const CountedLaunches& counted) {
        return launches_alone(roofline, mechanism, counted).value().us;
    };
    const auto level = [&](Mechanism mechanism) { return parameter_of(roofline, "level", mechanism); };
    const double rate = parameter_of(roofline, "rate", Mechanism::fire_and_forget);
    EXPECT_DOUBLE_EQ(least(Mechanism::fire_and_forget, {.by_depth = {1, 4, 6}, .by_host = 1}),
                     3 * level(Mechanism::fire_and_forget) + 8 * rate);
    EXPECT_DOUBLE_EQ(least(Mechanism::tail, {.by_depth = {1, 4}, .by_host = 1}), 2 * level(Mechanism::tail));
    EXPECT_DOUBLE_EQ(least(Mechanism::host, {.by_depth = {}, .by_host = 10}), 10 * level(Mechanism::host));
    EXPECT_EQ(least(Mechanism::fire_and_forget, {.by_depth = {}, .by_host = 1}), 0);
    for (const Mechanism mechanism : {Mechanism::none, Mechanism::grid_sync, Mechanism::host_graph})
        EXPECT_FALSE(launches_alone(roofline, mechanism, {.by_depth = {}, .by_host = 1})) << name_of(mechanism);
}

TEST(Roofline, NamesTheParameterThatIsMissing)
{
    for (const auto& [key, estimate] : default_roofline().parameters) {
        Roofline without = default_roofline();
        without.parameters.erase(key);
        std::string why;
        for (const Case& point : many_cases())
            try {
                static_cast<void>(predicted(point, without));
            } catch (const RunError& error) {
                why = error.what();
            }
        EXPECT_THAT(why, AllOf(HasSubstr("the model of NVIDIA H200 has no parameter " + key + ";"),
                               HasSubstr("allowed: a model that `nestbed calibrate` made")));
    }
}

TEST(Roofline, KnowsItsParametersByName)
{
    for (const RooflineParameter& parameter : roofline_parameters()) {
        const std::string name(parameter.name);
        EXPECT_EQ(roofline_parameter(name), &parameter);
        EXPECT_EQ(roofline_parameter(name + ".tail"), &parameter);
        for (const std::string& key : {name + ".", name + ".tails", name + ".tail.tail", name + "s"})
            EXPECT_EQ(roofline_parameter(key), nullptr) << key;
    }
}

TEST(Demand, HasTheLaunchesOfTheHostWhereTheDeviceMakesNone)
{
    const auto demand = [](const Case& point) {
        return demand_of(*Registry::find_anywhere(point.strategy), point, default_roofline().facts);
    };
    EXPECT_EQ(demand(on_a_gpu("chain", 1, 32, Mechanism::host, 7)).host_launches, 7);
    EXPECT_EQ(demand(on_a_gpu("chain", 1, 32, Mechanism::grid_sync)).host_launches, kChainLevels);
    EXPECT_EQ(demand(on_a_gpu("chain", 1, 32, Mechanism::tail, 7)).host_launches, 0);
    EXPECT_EQ(demand(on_a_gpu("fanout", 9, 32, Mechanism::host_graph)).host_launches, 9);
    EXPECT_EQ(demand(on_a_gpu("host_loop", 4, 512, Mechanism::host)).host_launches, 8);
    const Demand flat = demand(on_a_gpu("neighbored", 4, 512, Mechanism::none));
    EXPECT_EQ(flat.host_launches, 0);
    EXPECT_EQ(flat.bytes, 4 * 4 * 512);
    const Demand nested = demand(on_a_gpu("nosync", 2048, 512, Mechanism::named_stream));
    EXPECT_EQ(nested.mechanism, Mechanism::named_stream);
    EXPECT_EQ(nested.form.total(), 2048U * 8);
    EXPECT_EQ(nested.plan.streams, 2U);
}

TEST(Demand, KnowsHowAStrategyLaunches)
{
    const auto demand = [](const char* strategy, std::uint32_t fanout = 0) {
        const Mechanism first = Registry::find_anywhere(strategy)->info().mechanisms.front();
        return demand_of(*Registry::find_anywhere(strategy), on_a_gpu(strategy, 512, 256, first, {}, fanout),
                         default_roofline().facts);
    };
    EXPECT_TRUE(demand("trees_by_lanes", 4).form.by_lanes);
    EXPECT_FALSE(demand("trees", 4).form.by_lanes);
    EXPECT_TRUE(demand("recursive_transpose").form.by_lanes);
    EXPECT_EQ(demand("nosync").root_threads, 256);
    EXPECT_EQ(demand("barrier").root_threads, 128);
    EXPECT_EQ(demand("tail").root_threads, 128);
    EXPECT_EQ(demand("aggregated_block").root_threads, 512); // a warp for each of 16 slices
    EXPECT_TRUE(demand("graph").form.by_last_block);
    EXPECT_FALSE(demand("reduce2").form.by_last_block);
    EXPECT_EQ(demand("chain").blocks_per_level, 512);
    EXPECT_EQ(demand("reduce2").blocks_per_level, 512);
    EXPECT_EQ(demand("chains").blocks_per_level, 1);
    EXPECT_EQ(demand("nested_best").blocks_per_level, 2 * 132); // two per multiprocessor
    EXPECT_TRUE(demand("copy_row").writes);
    EXPECT_FALSE(demand("neighbored").writes);
    EXPECT_THAT(demand("trees", 4).form.by_depth, ElementsAre(512 * 4, 512 * 16, 512 * 64));
    EXPECT_TRUE(demand("chains_synced").form.parent_waits);
}

} // namespace
} // namespace nestbed
