// The fit of the launch roofline: known parameters come back from the cases that they predict.
#include "base/error.hpp"
#include "inspect/roofline_fit.hpp"
#include "support/roofline_support.hpp"
#include "support/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace nestbed
{
namespace
{

using testing::AllOf;
using testing::HasSubstr;

bool always(const Case& /*point*/)
{
    return true;
}

// A GPU with other parameters than the built-in model.
Roofline another_gpu()
{
    Roofline roofline = default_roofline();
    roofline.gpu = roofline.facts.name = "Some GPU";
    roofline.driver = roofline.facts.driver = "1.2";
    roofline.cuda = roofline.facts.runtime = "12.4";
    double factor = 0.9;
    for (auto& [key, one] : roofline.parameters)
        one.value *= factor += 0.01;
    return roofline;
}

void expect_the_same(const Roofline& fitted, const Roofline& known)
{
    EXPECT_EQ(fitted.gpu, known.gpu);
    EXPECT_EQ(fitted.driver, known.driver);
    EXPECT_EQ(fitted.cuda, known.cuda);
    EXPECT_EQ(fitted.facts.multiprocessors, known.facts.multiprocessors);
    ASSERT_EQ(fitted.parameters.size(), known.parameters.size());
    for (const auto& [key, one] : fitted.parameters) {
        const double value = known.parameters.at(key).value;
        const double room = 0.005 * value; // noise is 0.2 %, and a fit joins several cases
        EXPECT_GE(value, one.interval.low - room) << key;
        EXPECT_LE(value, one.interval.high + room) << key;
        EXPECT_NEAR(one.value, value, 0.02 * value) << key;
        EXPECT_LE(one.interval.high - one.interval.low, 0.03 * value) << key;
    }
}

TEST(RooflineFit, FindsKnownParametersInTheirIntervals)
{
    const std::array logs{log_by(another_gpu(), always)};
    expect_the_same(fit_roofline(logs), another_gpu());
}

TEST(RooflineFit, JoinsLogs)
{
    const Roofline gpu = another_gpu();
    const std::array logs{log_by(gpu, [](const Case& point) { return point.strategy == "neighbored"; }),
                          log_by(gpu, [](const Case& point) { return point.strategy != "neighbored"; })};
    expect_the_same(fit_roofline(logs), gpu);
}

TEST(RooflineFit, UsesOnlyGpuTimesThatAreOk)
{
    LoggedCases log = log_by(another_gpu(), always);
    for (CaseResult& result : log.results) {
        result.samples.push_back({.status = Status::wrong, .gpu_us = 1e9, .wall_us = 1e9});
        result.samples.push_back({.wall_us = 1e9}); // without a GPU time
    }
    CaseResult executed = log.results.front();
    executed.point.backend = BackendKind::cpu;
    for (Sample& sample : executed.samples)
        sample.gpu_us = 1e9;
    log.results.push_back(executed);
    expect_the_same(fit_roofline(std::array{log}), another_gpu());
}

TEST(RooflineFit, NamesTheKindOfCaseThatIsMissing)
{
    const auto refusal = [](const std::function<bool(const Case&)>& has) {
        return text_of<RunError>([&] { static_cast<void>(fit_roofline(std::array{log_by(another_gpu(), has)})); });
    };
    const auto says = [](const std::string& cases) {
        return AllOf(HasSubstr("the logs have no " + cases), HasSubstr("each with at least 5 GPU times; allowed: "));
    };
    EXPECT_THAT(refusal([](const Case& point) { return point.strategy != "chain"; }), says("two cases of chain by "));
    EXPECT_THAT(refusal([](const Case& point) { return point.mechanism != Mechanism::graph_tail; }),
                says("two cases of chain by graph_tail, grid 1, of different depths"));
    EXPECT_THAT(refusal([](const Case& point) { return point.strategy != "chain" || point.depth == 4U; }),
                says("two cases of chain by "));
    EXPECT_THAT(
        refusal([](const Case& point) { return point.strategy != "fanout" || point.mechanism != Mechanism::tail; }),
        says("case of fanout by tail, grid 256 or more"));
    EXPECT_THAT(refusal([](const Case& point) { return !point.wave; }),
                says("case of fanout under twice the default pending limit or more"));
    EXPECT_THAT(refusal([](const Case& point) { return point.strategy != "neighbored"; }),
                says("case of a flat reduction"));
    EXPECT_THAT(refusal([](const Case& point) { return point.strategy != "neighbored" || point.grid == 8; }),
                says("two cases of flat reductions of different sizes"));
    EXPECT_THAT(text_of<RunError>([] { static_cast<void>(fit_roofline({})); }), says("two cases of chain by "));

    LoggedCases few = log_by(another_gpu(), always); // four samples are too few for an interval
    for (CaseResult& result : few.results)
        result.samples.resize(4);
    EXPECT_THAT(text_of<RunError>([&] { static_cast<void>(fit_roofline(std::array{few})); }),
                says("two cases of chain by "));
}

} // namespace
} // namespace nestbed
