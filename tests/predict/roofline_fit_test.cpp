// The fit of the launch roofline: known parameters come back from the cases that they predict.
#include "base/error.hpp"
#include "predict/roofline_fit.hpp"
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
    roofline.gpu = roofline.facts.name = "Some GPU";
    roofline.driver = roofline.facts.driver = "1.2";
    roofline.cuda = roofline.facts.runtime = "12.4";
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
    EXPECT_EQ(fitted.gpu, known.gpu);
    EXPECT_EQ(fitted.driver, known.driver);
    EXPECT_EQ(fitted.cuda, known.cuda);
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

TEST(RooflineFit, JoinsLogs)
{
    const std::array logs{log_by(another_gpu(), std::not_fn(is_empty_grids)), log_by(another_gpu(), is_empty_grids)};
    expect_the_same(fit_roofline(logs), another_gpu(), kRoom);
}

TEST(RooflineFit, UsesOnlyGpuTimesThatAreOk)
{
    LoggedCases log = log_by(another_gpu(), always);
    for (CaseResult& result : log.results) {
        result.keep({.status = Status::wrong, .gpu_us = 1e9, .wall_us = 1e9});
        result.keep({.wall_us = 1e9}); // without a GPU time
    }
    CaseResult executed = log.results.front();
    executed.point.backend = BackendKind::cpu;
    for (KeptSample& sample : executed.samples)
        sample.gpu_us = 1e9;
    log.results.push_back(executed);
    expect_the_same(fit_roofline(std::array{log}), another_gpu(), kRoom);
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

// Only trees determine what one more child of a block takes. The others come back without them.
TEST(RooflineFit, FitsWithoutAStrategy)
{
    const std::array logs{log_by(another_gpu(), always)};
    const PartialFit all = fit_roofline_without(logs, {});
    EXPECT_EQ(all.roofline.parameters.size(), another_gpu().parameters.size());
    const PartialFit fit = fit_roofline_without(logs, std::array<std::string, 1>{"trees"});
    Roofline known = another_gpu();
    EXPECT_EQ(std::erase_if(known.parameters, [](const auto& one) { return one.first.starts_with("sibling."); }), 4U);
    expect_the_same(fit.roofline, known, 2 * kRoom, 1);
    const PartialFit levels = fit_roofline_without(logs, std::array<std::string, 1>{"chain"});
    for (const char* only_by_chain : {"level.host", "level.grid_sync", "deep", "block"})
        EXPECT_FALSE(levels.roofline.parameters.contains(only_by_chain)) << only_by_chain;
    EXPECT_TRUE(levels.roofline.parameters.contains("level.tail"));
    const auto pairs_of = [](std::size_t parameters) { return parameters * (parameters - 1) / 2; };
    constexpr std::size_t kFlat = 3; // bandwidth, copy and first.none are not of the least squares
    EXPECT_EQ(all.pairs.size(), pairs_of(another_gpu().parameters.size() - kFlat));
    EXPECT_EQ(fit.pairs.size(), pairs_of(known.parameters.size() - kFlat));
    for (const ParameterPair& pair : all.pairs) {
        EXPECT_NE(pair.first, pair.second);
        EXPECT_LE(std::abs(pair.correlation), 1) << pair.first << ", " << pair.second;
    }
    const auto start_and_level = std::ranges::find_if(all.pairs, [](const ParameterPair& pair) {
        return pair.first == "first.grid_sync" && pair.second == "level.grid_sync";
    });
    ASSERT_NE(start_and_level, all.pairs.end());
    EXPECT_LT(start_and_level->correlation, 0); // a chain that starts sooner has slower levels
    EXPECT_THAT(text_of<UsageError>(
                    [&] { static_cast<void>(fit_roofline_without(logs, std::array<std::string, 1>{"nosync"})); }),
                HasSubstr("nosync: the fit has no grids without work of this strategy; allowed: chain, "));
}

TEST(RooflineFit, NamesTheKindOfCaseThatIsMissing)
{
    const auto expect_named = [](const std::string& cases, const std::function<bool(const Case&)>& lacks) {
        EXPECT_THAT(text_of<RunError>([&] {
                        static_cast<void>(fit_roofline(std::array{log_by(another_gpu(), std::not_fn(lacks))}));
                    }),
                    AllOf(HasSubstr("the logs have no " + cases + " (with at least 5 GPU times); allowed: logs of "),
                          HasSubstr("experiments/launch.cfg, trees.cfg, library.cfg and transpose.cfg together")));
    };
    expect_named("case of a flat reduction with a block for each multiprocessor",
                 [](const Case& point) { return point.strategy == "neighbored" && point.grid >= 132; });
    expect_named("case of a flat kernel that copies memory",
                 [](const Case& point) { return point.strategy == "copy_row"; });
    expect_named("cases of chain", is_empty_grids);
    expect_named("cases of chains",
                 [](const Case& point) { return is_empty_grids(point) && point.strategy != "chain"; });
    expect_named("cases of chain of more than 64 levels",
                 [](const Case& point) { return point.strategy == "chain" && *point.depth > 64; });
    expect_named("cases of chain with large grids",
                 [](const Case& point) { return point.strategy == "chain" && point.grid > 1; });
    for (const Mechanism mechanism : fitted_mechanisms("chain"))
        expect_named("cases of chain by " + std::string(name_of(mechanism)), [&](const Case& point) {
            return is_empty_grids(point) && point.mechanism == mechanism &&
                   (point.strategy == "chain" || from_device(mechanism));
        });
    expect_named("cases of chains by tail",
                 [](const Case& point) { return point.strategy == "chains" && point.mechanism == Mechanism::tail; });
    for (const Mechanism mechanism : {Mechanism::host, Mechanism::host_graph})
        expect_named("cases of fanout by " + std::string(name_of(mechanism)),
                     [&](const Case& point) { return point.strategy == "fanout" && point.mechanism == mechanism; });
    for (const Mechanism mechanism : fitted_mechanisms("trees")) {
        expect_named("cases of trees by " + std::string(name_of(mechanism)),
                     [&](const Case& point) { return point.strategy == "trees" && point.mechanism == mechanism; });
        if (mechanism != Mechanism::tail)
            expect_named("cases of chains with blocks of many threads by " + std::string(name_of(mechanism)),
                         [&](const Case& point) {
                             return point.strategy == "chains" && point.mechanism == mechanism && point.block > 32;
                         });
    }
    for (const Mechanism mechanism : {Mechanism::null_stream, Mechanism::tail})
        expect_named("cases of trees_by_lanes by " + std::string(name_of(mechanism)), [&](const Case& point) {
            return point.strategy == "trees_by_lanes" && point.mechanism == mechanism;
        });

    const auto says = HasSubstr(
        "the logs have no case of a flat reduction with a block for each multiprocessor (with at least 5 GPU "
        "times)");
    EXPECT_THAT(text_of<RunError>([] { static_cast<void>(fit_roofline({})); }), says);
    LoggedCases few = log_by(another_gpu(), always); // four samples are too few for an interval
    for (CaseResult& result : few.results)
        result.samples.resize(4);
    EXPECT_THAT(text_of<RunError>([&] { static_cast<void>(fit_roofline(std::array{few})); }), says);
}

} // namespace
} // namespace nestbed
