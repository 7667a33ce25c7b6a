// The fit of the launch roofline: known parameters come back from the cases that they predict.
#include "base/error.hpp"
#include "inspect/roofline_fit.hpp"
#include "support/roofline_support.hpp"
#include "support/support.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>

namespace nestbed
{
namespace
{

constexpr double kRoom = 0.05; // the noise is 2 % per case

bool always(const Case& /*point*/)
{
    return true;
}

// A GPU with other parameters than the built-in model.
Roofline another_gpu()
{
    Roofline roofline = default_roofline();
    roofline.facts.name = "Some GPU";
    double factor = 0.9;
    for (auto& [key, one] : roofline.parameters)
        one.value *= factor += 0.01;
    return roofline;
}

bool is_empty_grids(const Case& point)
{
    return Registry::find_anywhere(point.strategy)->info().keeps_timestamps();
}

// How many parameters are in their intervals. All must be near the known ones.
std::size_t expect_the_same(const Roofline& fitted, const Roofline& known, double room, double widest = 0.2)
{
    EXPECT_EQ(fitted.facts.name, known.facts.name);
    EXPECT_EQ(fitted.facts.multiprocessors, known.facts.multiprocessors);
    EXPECT_EQ(fitted.parameters.size(), known.parameters.size());
    std::size_t in_interval = 0;
    for (const auto& [key, one] : fitted.parameters) {
        const double value = known.parameters.at(key).value;
        EXPECT_NEAR(one.value, value, room * value) << key;
        EXPECT_LE(one.interval.low, one.value) << key;
        EXPECT_GE(one.interval.high, one.value) << key;
        EXPECT_LE(one.interval.high - one.interval.low, widest * value) << key;
        in_interval += one.interval.low <= value && value <= one.interval.high ? 1 : 0;
    }
    return in_interval;
}

// A 95 % interval may miss one parameter in twenty.
TEST(RooflineFit, FindsKnownParametersInTheirIntervals)
{
    constexpr unsigned kLogs = 12;
    std::size_t in_interval = 0;
    for (unsigned seed = 0; seed < kLogs; ++seed)
        in_interval +=
            expect_the_same(fit_roofline(std::array{log_by(another_gpu(), always, seed)}), another_gpu(), 2 * kRoom);
    const std::size_t all = kLogs * another_gpu().parameters.size();
    EXPECT_GE(in_interval, all * 92 / 100);
    EXPECT_LT(in_interval, all); // they are not too wide
}

TEST(RooflineFit, JoinsLogsAndUsesOnlyGpuTimesThatAreOk)
{
    std::array logs{log_by(another_gpu(), std::not_fn(is_empty_grids)), log_by(another_gpu(), is_empty_grids)};
    for (CaseResult& result : logs[1].results) {
        result.keep({.status = Status::wrong, .gpu_us = 1e9, .wall_us = 1e9});
        result.keep({.wall_us = 1e9}); // without a GPU time
    }
    CaseResult executed = logs[1].results.front();
    executed.point.backend = BackendKind::cpu;
    for (KeptSample& sample : executed.samples)
        sample.gpu_us = 1e9;
    logs[1].results.push_back(executed);
    expect_the_same(fit_roofline(logs), another_gpu(), kRoom);
}

// A case that is far from the model counts by its amount, not by its square.
TEST(RooflineFit, IsNotLedByAFewCasesThatAreFarOff)
{
    LoggedCases log = log_by(another_gpu(), always);
    std::size_t index = 0;
    for (CaseResult& result : log.results)
        if (is_empty_grids(result.point) && ++index % 40 == 0)
            for (KeptSample& sample : result.samples)
                *sample.gpu_us *= 5;
    expect_the_same(fit_roofline(std::array{log}), another_gpu(), 3 * kRoom, 1);
}

// What the model leaves out: a pending limit of twice the default or more, more than one device graph per case, trees in
// order below many blocks, and cooperative fan-outs.
TEST(RooflineFit, LeavesOutWhatTheModelDoesNotDescribe)
{
    using enum Mechanism;
    LoggedCases log = log_by(another_gpu(), always);
    const auto add = [&](Case point, const std::function<void(Case&)>& change) {
        change(point);
        log.results.push_back(result_by(another_gpu(), point, 0, 100));
    };
    for (unsigned copy = 0; copy < 30; ++copy) {
        add(on_a_gpu("fanout", 65536, 32, null_stream), [](Case& point) { point.wave = 65536; });
        add(on_a_gpu("chains", 16, 32, tail, 8), [](Case& point) { point.pending_limit = 8192; });
        add(on_a_gpu("chain", 1, 32, graph_tail, 64), [](Case& point) { point.graphs = 64; });
        add(on_a_gpu("trees", 16, 32, null_stream, 2, 4), [](Case&) {});
        add(on_a_gpu("fanout", 256, 32, grid_sync), [](Case&) {});
        add(on_a_gpu("fanout", 256, 32, tail), [](Case&) {});
        add(on_a_gpu("chain", 528, 512, host, 64), [](Case&) {});
    }
    expect_the_same(fit_roofline(std::array{log}), another_gpu(), kRoom);
}

TEST(RooflineFit, NamesTheKindOfCaseThatIsMissing)
{
    const auto refusal = [](const LoggedCases& log) {
        return text_of<RunError>([&] { static_cast<void>(fit_roofline(std::array{log})); });
    };
    const auto is = [](std::string_view strategy, std::optional<Mechanism> mechanism = {}) {
        return [=](const Case& point) {
            return point.strategy == strategy && (!mechanism || point.mechanism == mechanism);
        };
    };
    using enum Mechanism;
    std::vector<std::pair<std::string, std::function<bool(const Case&)>>> lacks{
        {"case of a flat reduction with a block for each multiprocessor",
         [](const Case& point) { return point.strategy == "neighbored" && point.grid >= 132; }},
        {"case of a flat kernel that copies memory", is("copy_row")},
        {"cases of chain", is_empty_grids},
        {"cases of chains", [](const Case& point) { return is_empty_grids(point) && point.strategy != "chain"; }},
        {"cases of chain of more than 64 levels",
         [](const Case& point) { return point.strategy == "chain" && *point.depth > 64; }},
        {"cases of chain with large grids",
         [](const Case& point) { return point.strategy == "chain" && point.grid > 1; }},
        {"cases of chains by tail", is("chains", tail)},
        {"cases of fanout by host", is("fanout", host)},
        {"cases of fanout by host_graph", is("fanout", host_graph)},
        {"cases of trees_by_lanes by null_stream", is("trees_by_lanes", null_stream)},
        {"cases of trees_by_lanes by tail", is("trees_by_lanes", tail)},
        {"cases of chains with blocks of many threads by named", [](const Case& point) {
             return point.strategy == "chains" && point.mechanism == named_stream && point.block > 32;
         }}};
    for (const Mechanism mechanism : fitted_mechanisms("chain"))
        lacks.emplace_back("cases of chain by " + std::string(name_of(mechanism)), [=](const Case& point) {
            return is_empty_grids(point) && point.mechanism == mechanism &&
                   (point.strategy == "chain" || from_device(mechanism));
        });
    for (const Mechanism mechanism : fitted_mechanisms("trees"))
        lacks.emplace_back("cases of trees by " + std::string(name_of(mechanism)), is("trees", mechanism));
    for (const auto& [cases, missing] : lacks)
        EXPECT_THAT(refusal(log_by(another_gpu(), std::not_fn(missing))),
                    AllOf(HasSubstr("the logs have no " + cases + " (with at least 5 GPU times); allowed: logs of "),
                          HasSubstr("experiments/launch.cfg, trees.cfg, library.cfg and transpose.cfg together")));
    EXPECT_THAT(text_of<RunError>([] { static_cast<void>(fit_roofline({})); }), HasSubstr(lacks.front().first));
    LoggedCases few = log_by(another_gpu(), always); // four samples are too few for an interval
    for (CaseResult& result : few.results)
        result.samples.resize(4);
    EXPECT_THAT(refusal(few), HasSubstr(lacks.front().first));
}

} // namespace
} // namespace nestbed
