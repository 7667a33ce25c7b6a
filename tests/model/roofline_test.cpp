// The launch roofline: what holds for every model, whatever its formulas.
#include "base/error.hpp"
#include "model/roofline_file.hpp"
#include "support/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace nestbed
{
namespace
{

using testing::AllOf;
using testing::HasSubstr;

Case on(const std::string& strategy, std::uint32_t grid, std::uint32_t block, Mechanism mechanism,
        std::optional<std::uint32_t> depth = {})
{
    return {.strategy = strategy,
            .backend = BackendKind::cuda,
            .mechanism = mechanism,
            .elements = std::uint64_t{grid} * block,
            .grid = grid,
            .block = block,
            .depth = depth};
}

Prediction predicted(const Case& point, const Roofline& roofline = default_roofline())
{
    return predict(roofline, demand_of(*Registry::find_anywhere(point.strategy), point, roofline.facts));
}

// Every strategy that has launches in closed form, by each of its mechanisms, and flat ones.
std::vector<Case> many_cases()
{
    std::vector<Case> points;
    for (const std::string_view name : Registry::names()) {
        const StrategyInfo& info = Registry::find_anywhere(name)->info();
        for (const Mechanism mechanism : info.mechanisms)
            for (const std::uint32_t grid : {1U, 64U, 2048U, 65536U}) {
                Case point = on(std::string(name), grid, 512, mechanism);
                if (info.over_matrix()) {
                    point.nx = point.ny = 64 * grid / 1024 + 64;
                    point.elements = std::uint64_t{point.nx} * point.ny;
                    point.grid = point.block = 0;
                }
                points.push_back(point);
                point.pending_limit = 4 * default_roofline().facts.default_pending_limit;
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

TEST(Roofline, GrowsWithTheLevelsOfAChain)
{
    for (const Mechanism mechanism : Registry::find_anywhere("chain")->info().mechanisms) {
        double before = 0;
        for (const std::uint32_t depth : {1U, 8U, 64U, 512U}) {
            const double us = predicted(on("chain", 1, 32, mechanism, depth)).us;
            EXPECT_GT(us, before) << name_of(mechanism) << " " << depth;
            before = us;
        }
    }
}

TEST(Roofline, GrowsWithTheLaunches)
{
    for (const Mechanism mechanism : Registry::find_anywhere("fanout")->info().mechanisms) {
        double before = 0;
        for (const std::uint32_t grid : {256U, 1024U, 4096U, 16384U, 65536U}) {
            const double us = predicted(on("fanout", grid, 32, mechanism)).us;
            EXPECT_TRUE(mechanism == Mechanism::grid_sync ? us >= before : us > before) << name_of(mechanism);
            before = us;
        }
    }
}

TEST(Roofline, GrowsWithTheBytesAndNotWithABandwidth)
{
    Roofline slow = default_roofline();
    slow.parameters.at("bandwidth").value /= 2;
    double before = 0;
    for (const std::uint32_t grid : {1U << 16, 1U << 18, 1U << 20, 1U << 22}) {
        const Case point = on("neighbored", grid, 512, Mechanism::none);
        EXPECT_GT(predicted(point).us, before);
        EXPECT_GT(predicted(point, slow).us, predicted(point).us);
        before = predicted(point).us;
    }
}

TEST(Roofline, SaysWhatBoundsACase)
{
    EXPECT_EQ(predicted(on("neighbored", 1, 512, Mechanism::none)).bound, Bound::first);
    EXPECT_EQ(predicted(on("neighbored", 1U << 21, 512, Mechanism::none)).bound, Bound::work);
    EXPECT_EQ(predicted(on("chain", 1, 32, Mechanism::fire_and_forget, 1024)).bound, Bound::latency);
    EXPECT_EQ(predicted(on("fanout", 65536, 32, Mechanism::fire_and_forget)).bound, Bound::rate);
    EXPECT_EQ(predicted(on("synced", 65536, 512, Mechanism::null_stream)).bound, Bound::parents);
    std::set<std::string_view> names;
    for (const Bound bound : {Bound::first, Bound::latency, Bound::rate, Bound::work, Bound::parents})
        names.insert(name_of(bound));
    EXPECT_EQ(names, (std::set<std::string_view>{"first", "latency", "rate", "work", "parents"}));
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
    std::set<std::string_view> names;
    for (const RooflineParameter& parameter : roofline_parameters()) {
        EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
        EXPECT_NE(parameter.meaning, "") << parameter.name;
        const std::string name(parameter.name);
        EXPECT_EQ(roofline_parameter(name), &parameter);
        EXPECT_EQ(roofline_parameter(name + ".tail"), &parameter);
        for (const std::string& key : {name + ".", name + ".tails", name + ".tail.tail", name + "s"})
            EXPECT_EQ(roofline_parameter(key), nullptr) << key;
    }
    EXPECT_LE(names.size(), 12U);
    for (const auto& [key, estimate] : default_roofline().parameters)
        EXPECT_NE(roofline_parameter(key), nullptr) << key;
}

TEST(Demand, HasTheLaunchesOfTheHostWhereTheDeviceMakesNone)
{
    const auto demand = [](const Case& point) {
        return demand_of(*Registry::find_anywhere(point.strategy), point, default_roofline().facts);
    };
    EXPECT_EQ(demand(on("chain", 1, 32, Mechanism::host, 7)).host_launches, 7);
    EXPECT_EQ(demand(on("chain", 1, 32, Mechanism::grid_sync)).host_launches, kChainLevels);
    EXPECT_EQ(demand(on("chain", 1, 32, Mechanism::tail, 7)).host_launches, 0);
    EXPECT_EQ(demand(on("fanout", 9, 32, Mechanism::host_graph)).host_launches, 9);
    EXPECT_EQ(demand(on("host_loop", 4, 512, Mechanism::host)).host_launches, 8);
    const Demand flat = demand(on("neighbored", 4, 512, Mechanism::none));
    EXPECT_EQ(flat.host_launches, 0);
    EXPECT_EQ(flat.bytes, 4 * 4 * 512);
    const Demand nested = demand(on("nosync", 2048, 512, Mechanism::named_stream));
    EXPECT_EQ(nested.mechanism, Mechanism::named_stream);
    EXPECT_EQ(nested.form.total(), 2048U * 8);
    EXPECT_EQ(nested.plan.streams, 2U);
}

} // namespace
} // namespace nestbed
