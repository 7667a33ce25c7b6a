// Estimated times: what they depend on, and that they are close to the times in the logs.
#include "support/plan_support.hpp"

#include "predict/case_time.hpp"
#include "predict/roofline_file.hpp"

#include <functional>

namespace nestbed
{
namespace
{

Case on_gpu(const std::string& strategy, std::uint32_t grid, std::uint32_t block, Mechanism mechanism)
{
    return {.strategy = strategy,
            .backend = BackendKind::cuda,
            .mechanism = mechanism,
            .elements = std::uint64_t{grid} * block,
            .grid = grid,
            .block = block};
}

// Medians of wall_us in results/h200, for cases that take so long that the untimed work does not matter.
TEST(Cost, IsNearWhatWasMeasuredOnAGpu)
{
    Case chain = on_gpu("chain", 1, 32, Mechanism::tail);
    chain.depth = 1024;
    chain.elements = 0;
    Case host = on_gpu("host", 976563, 1024, Mechanism::none);
    const std::pair<Case, double> measured[]{
        {on_gpu("synced", 65536, 512, Mechanism::null_stream), 718'682}, // grid.csv
        {on_gpu("nosync", 2048, 512, Mechanism::null_stream), 8'896},    // ways.csv
        {on_gpu("tail", 2048, 512, Mechanism::tail), 6'838},             // ways.csv
        {on_gpu("cub", 8388608, 512, Mechanism::none), 3'813 + 7'400},   // best.csv; the untimed part from `utc`
        {on_gpu("fanout", 65536, 32, Mechanism::tail), 266'700}, // from `utc`, as cub's untimed part: commit e51e9c8
        {on_gpu("fanout", 16384, 32, Mechanism::host_graph), 200'000}, // the same
        {host, 842'111},                                               // baselines.csv
        {chain, 10'753}};                                              // launch.csv
    for (const auto& [point, us] : measured) {
        EXPECT_LT(sample_us(point), 5 * us) << point.strategy;
        EXPECT_GT(sample_us(point), us / 5) << point.strategy;
    }
}

// The time of one level is (wall_us at depth 1024 - wall_us at depth 512) / 512 in results/h200/launch.csv. The unit
// is a level of a tail launch.
TEST(Cost, OfALevelIsWhatWasMeasured)
{
    const auto level_us = [](Mechanism mechanism) {
        Case half = on_gpu("chain", 1, 32, mechanism);
        half.depth = 512;
        Case whole = half;
        whole.depth = 1024;
        return (sample_us(whole) - sample_us(half)) / 512;
    };
    const double by_tail = level_us(Mechanism::tail);
    constexpr double kByTail = (10753.4 - 5442.9) / 512;
    for (const auto& [mechanism, us] : {std::pair(Mechanism::graph_tail, (5206.7 - 2671.0) / 512),
                                        std::pair(Mechanism::grid_sync, (1094.95 - 555.2) / 512)})
        EXPECT_NEAR(level_us(mechanism) / by_tail / (us / kByTail), 1, 0.1) << name_of(mechanism);
}

TEST(Cost, GrowsWithWhatTakesTime)
{
    const Case usual = on_gpu("nosync", 2048, 512, Mechanism::null_stream);
    Case deeper = usual;
    deeper.depth = 2;
    EXPECT_LT(sample_us(deeper), sample_us(usual));
    Case delayed = usual;
    delayed.delay_us = 100;
    EXPECT_GT(sample_us(delayed), sample_us(usual) + 100);
    Case executed = usual;
    executed.backend = BackendKind::cpu;
    EXPECT_GT(sample_us(executed), sample_us(usual));
    for (const Case& point : {usual, executed})
        EXPECT_NEAR(input_us(point), 3e-3 * 2048 * 512, 1e-6);
    for (const char* without_input : {"hello", "chain"})
        EXPECT_EQ(input_us(on_gpu(without_input, 2048, 512, Mechanism::null_stream)), 0);
}

TEST(Cost, OfAPlanIsThatOfItsSamplesAndInputs)
{
    const Plan plan = plan_of("--strategy nosync,neighbored --grid 64,2048 --repeat 5 --warmup 2");
    ASSERT_EQ(plan.groups.size(), 2U);
    double us = 0;
    for (const Group& group : plan.groups) {
        us += input_us(group.cases.front());
        for (const Case& point : group.cases) {
            EXPECT_DOUBLE_EQ(cost_us(kCaseTimes, plan, point), 7 * sample_us(point));
            us += cost_us(kCaseTimes, plan, point);
        }
    }
    EXPECT_DOUBLE_EQ(cost_us(kCaseTimes, plan), us);
}

// A CUDA-only strategy is one row on the executor, whatever its size.
TEST(Cost, OfWhatTheExecutorCannotRunIsOneRow)
{
    const Plan plan = plan_of("--strategy graph,neighbored --grid 65536 --repeat 100");
    const std::vector<Case>& cases = plan.groups.front().cases;
    EXPECT_EQ(cases.front().strategy, "graph");
    EXPECT_LT(cost_us(kCaseTimes, plan, cases.front()), cost_us(kCaseTimes, plan, cases.back()) / 1000);
}

double plus(const Case& point, const std::function<void(Case&)>& change)
{
    Case changed = point;
    change(changed);
    return sample_us(changed) - sample_us(point);
}

double predicted_us(const Case& point)
{
    const Roofline& model = default_roofline();
    return predict(model, demand_of(*Registry::find_anywhere(point.strategy), point, model.facts)).us;
}

// What a sample of a GPU takes beside the time of its launches.
TEST(Cost, OfASampleHasItsUntimedParts)
{
    const auto deeper = [](Case& point) { point.depth = 1024; };
    Case chain = on_gpu("chain", 1, 32, Mechanism::tail);
    chain.depth = 512;
    Case whole = chain;
    deeper(whole);
    // A launch that keeps its time is run once more, with timestamps.
    EXPECT_NEAR(plus(chain, deeper), 2 * (predicted_us(whole) - predicted_us(chain)), 1e-6);
    const Case nosync = on_gpu("nosync", 2048, 512, Mechanism::null_stream);
    EXPECT_NEAR(plus(nosync, [](Case& point) { point.delay_us = 100; }), 2 * 100 * 8, 1e-6); // both sides of 8 levels
}

TEST(Cost, OfTheHostIsThatOfItsNumbers)
{
    const auto a_number = [](const std::string& strategy) {
        const Case fewer = on_gpu(strategy, 1000, 1024, Mechanism::none);
        const Case more = on_gpu(strategy, 2000, 1024, Mechanism::none);
        return (sample_us(more) - sample_us(fewer)) / (1000 * 1024);
    };
    EXPECT_NEAR(a_number("host"), 4 * 1e-4, 1e-5); // bytes of a number, which one core reads
    EXPECT_LT(a_number("neighbored"), 0.01e-3);
}

// On the executor every thread takes time, but for the strategies that run on the host.
TEST(Cost, OnTheExecutorIsThatOfThreadsLaunchesAndBytes)
{
    Case point = on_gpu("chain", 1, 32, Mechanism::tail);
    point.backend = BackendKind::cpu;
    point.elements = 0;
    point.depth = 10;
    EXPECT_NEAR(sample_us(point), kSampleOverheadUs + 32 * 0.3 + 10 * 1.5, 1e-9);
    EXPECT_NEAR(plus(point, [](Case& one) { one.block = 64; }), 32 * 0.3, 1e-9);
    EXPECT_NEAR(plus(point, [](Case& one) { one.depth = 20; }), 10 * 1.5, 1e-9);
    Case host = on_gpu("host", 1000, 1024, Mechanism::none);
    host.backend = BackendKind::cpu;
    EXPECT_NEAR(sample_us(host), kSampleOverheadUs + 1e-4 * 4 * 1000 * 1024, 0.1);
}

TEST(Cost, OfWhatOneBackendCannotRunIsThatOfARow)
{
    for (const auto& [strategy, mechanism] :
         {std::pair("cub", Mechanism::none), std::pair("graph", Mechanism::graph_tail),
          std::pair("chain", Mechanism::graph_tail)}) {
        Case point = on_gpu(strategy, 2048, 512, mechanism);
        EXPECT_GT(sample_us(point), kSampleOverheadUs) << strategy;
        point.backend = BackendKind::cpu;
        EXPECT_EQ(sample_us(point), kSampleOverheadUs) << strategy;
        Plan plan = plan_of("--strategy nosync");
        EXPECT_EQ(cost_us(kCaseTimes, plan, point), kSampleOverheadUs) << strategy;
    }
}

} // namespace
} // namespace nestbed
