// The rounds of a run, against a session that measures nothing and remembers what it was asked.
#include "../src/core/runner.hpp"

#include "../src/core/csv.hpp"
#include "../src/core/error.hpp"
#include "../src/core/strategy.hpp"
#include "support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace nestbed
{
namespace
{

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class FakeSession final : public Session
{
  public:
    using Answer = std::function<Sample(const Case&, std::size_t call)>;

    explicit FakeSession(Answer answer) : answer_(std::move(answer)) {}

    BackendKind backend() const override { return BackendKind::cpu; }
    const DeviceFacts& facts() const override { return facts_; }
    std::string schedule() const override { return "fifo"; }
    Sample sample(const Case& point) override
    {
        asked.push_back(point);
        return answer_(point, asked.size());
    }
    Sample sample_aloud(const Case& point) override { return sample(point); }
    Trace trace(const Case& /*point*/, std::uint32_t /*grids*/) override { return {}; }
    void release() override { asked_at_release.push_back(asked.size()); }
    double null_kernel_us() override { return 1; }
    unsigned timer_step_ns() override { return 1; }
    MeasuredBandwidth bandwidth() override { return {}; }
    DepthProbe probe_depth(unsigned levels) override { return {.asked = levels, .reached = levels}; }

    std::vector<Case> asked;
    std::vector<std::size_t> asked_at_release;

  private:
    Answer answer_;
    DeviceFacts facts_;
};

// Each call's number is its time, so that a sample can be told from all others.
Sample numbered(const Case& /*point*/, std::size_t call)
{
    return {.wall_us = static_cast<double>(call)};
}

Case case_of(std::uint32_t depth, std::uint32_t grid = 4)
{
    return {.strategy = "nosync", .elements = grid * 8, .grid = grid, .block = 8, .depth = depth};
}

Plan plan_of(std::vector<Group> groups, unsigned repeat, unsigned warmup)
{
    Plan plan{.experiment = "test", .groups = std::move(groups)};
    plan.repeat[BackendKind::cpu] = repeat;
    plan.warmup[BackendKind::cpu] = warmup;
    return plan;
}

Plan five_cases(unsigned repeat, unsigned warmup)
{
    return plan_of({{.cases = {case_of(0), case_of(1), case_of(2), case_of(3), case_of(4)}}}, repeat, warmup);
}

class Runner : public testing::Test
{
  protected:
    std::vector<CaseResult> run(const Plan& plan, const FakeSession::Answer& answer = numbered, bool untimed = false)
    {
        auto made = std::make_unique<FakeSession>(answer);
        session = made.get();
        sessions.clear();
        sessions.emplace(BackendKind::cpu, std::move(made));
        CsvLog log(path);
        return run_plan(plan, sessions,
                        {{BackendKind::cpu, {.experiment = "test", .run_id = "run-1", .untimed = untimed}}}, log,
                        [&](const Progress& progress) { reports.push_back(progress); });
    }

    // A column of the log's rows, without the header.
    std::vector<std::string> logged(std::string_view name) const
    {
        const auto rows = parse_csv(folder.read("log.csv"));
        const auto column = std::ranges::find(rows.at(0), name) - rows.at(0).begin();
        std::vector<std::string> cells;
        for (std::size_t row = 1; row < rows.size(); ++row)
            cells.push_back(rows[row].at(static_cast<std::size_t>(column)));
        return cells;
    }

    ScratchFolder folder;
    std::string path = folder.path("log.csv");
    std::map<BackendKind, std::unique_ptr<Session>> sessions;
    FakeSession* session = nullptr;
    std::vector<Progress> reports;
};

TEST(RoundOrder, IsAPermutation)
{
    for (const std::size_t cases : {0U, 1U, 2U, 17U}) {
        std::vector<std::size_t> order = round_order(cases, 1, 0, 0);
        std::vector<std::size_t> all(cases);
        std::iota(all.begin(), all.end(), std::size_t{0});
        std::ranges::sort(order);
        EXPECT_EQ(order, all);
    }
}

TEST(RoundOrder, DependsOnSeedGroupAndRoundAndOnNothingElse)
{
    const std::vector<std::size_t> order = round_order(50, 7, 2, 3);
    EXPECT_EQ(order, round_order(50, 7, 2, 3));
    EXPECT_NE(order, round_order(50, 8, 2, 3));
    EXPECT_NE(order, round_order(50, 7 + (1ULL << 32), 2, 3));
    EXPECT_NE(order, round_order(50, 7, 3, 3));
    EXPECT_NE(order, round_order(50, 7, 2, 4));
}

TEST_F(Runner, RepeatsEveryCaseAndLogsEverySample)
{
    const std::vector<CaseResult> results = run(five_cases(4, 0));
    ASSERT_EQ(results.size(), 5U);
    for (std::uint32_t index = 0; index < 5; ++index) {
        EXPECT_EQ(results[index].point, case_of(index));
        EXPECT_EQ(results[index].samples.size(), 4U);
    }
    EXPECT_EQ(session->asked.size(), 20U);
    EXPECT_EQ(logged("depth").size(), 20U);
    for (std::size_t row = 0; row < 20; ++row) {
        EXPECT_EQ(logged("wall_us")[row], std::to_string(row + 1) + ".000"); // in the order of measurement
        EXPECT_EQ(logged("depth")[row], std::to_string(*session->asked[row].depth));
        EXPECT_EQ(logged("repetition")[row], std::to_string(row / 5));
    }
    EXPECT_THAT(logged("run_id"), Each("run-1"));
}

TEST_F(Runner, WarmsUpBeforeTheFirstTimedSampleAndRecordsNoneOfIt)
{
    const std::vector<CaseResult> results = run(five_cases(2, 3));
    EXPECT_EQ(session->asked.size(), 5U * (3 + 2));
    for (std::size_t call = 0; call < 15; ++call)
        EXPECT_EQ(session->asked[call], case_of(static_cast<std::uint32_t>(call / 3)));
    EXPECT_EQ(logged("wall_us").size(), 10U);
    EXPECT_EQ(logged("wall_us").front(), "16.000");
    for (const CaseResult& result : results)
        for (const Sample& sample : result.samples)
            EXPECT_GT(sample.wall_us.value(), 15);
}

TEST_F(Runner, LeavesTheTimesOfAnUntimedRunOut)
{
    const auto sample = [](const Case&, std::size_t) {
        return Sample{.gpu_us = 1, .wall_us = 2, .launches = LaunchCounts{.attempted = 7}, .latencies_us = {3}};
    };
    for (const bool untimed : {false, true}) {
        std::filesystem::remove(path);
        const CaseResult result = run(plan_of({{.cases = {case_of(1)}}}, 1, 0), sample, untimed).at(0);
        EXPECT_EQ(result.samples.front().wall_us.has_value(), !untimed);
        for (const char* column : {"gpu_us", "wall_us", "latency_us", "floor_us", "timer_step_ns"})
            EXPECT_EQ(logged(column).front().empty(), untimed) << column;
        EXPECT_EQ(logged("launches_attempted").front(), "7");
        EXPECT_EQ(logged("status").front(), "ok");
    }
}

TEST_F(Runner, InterleavesEachRoundHasEveryCaseOnceInTheSeedsOrder)
{
    Plan plan = five_cases(6, 0);
    plan.order_seed = 99;
    run(plan);
    std::set<std::size_t> firsts;
    for (unsigned round = 0; round < 6; ++round) {
        const std::vector<std::size_t> order = round_order(5, 99, 0, round);
        for (std::size_t place = 0; place < 5; ++place)
            EXPECT_EQ(session->asked[round * 5 + place], plan.groups[0].cases[order[place]])
                << round << ", " << place;
        firsts.insert(order[0]);
    }
    EXPECT_GT(firsts.size(), 1U); // not the same order in every round
}

TEST_F(Runner, MeasuresInTheSameOrderForTheSameSeedAndInAnotherForAnother)
{
    Plan plan = five_cases(6, 1);
    run(plan);
    const std::vector<Case> once = session->asked;
    run(plan);
    EXPECT_EQ(session->asked, once);
    plan.order_seed = 2;
    run(plan);
    EXPECT_NE(session->asked, once);
}

TEST_F(Runner, FinishesAGroupAndReleasesItsInputBeforeTheNext)
{
    const std::vector<CaseResult> results =
        run(plan_of({{.cases = {case_of(0, 4), case_of(1, 4)}}, {.cases = {case_of(0, 16)}}}, 3, 1));
    ASSERT_EQ(results.size(), 3U);
    EXPECT_EQ(results[1].group, 0U);
    EXPECT_EQ(results[2].group, 1U);
    for (std::size_t call = 0; call < 12; ++call)
        EXPECT_EQ(session->asked[call].grid, call < 8 ? 4U : 16U) << call;
    EXPECT_EQ(session->asked_at_release.front(), 8U);
    EXPECT_EQ(session->asked_at_release.back(), 12U);
}

TEST_F(Runner, GoesOnAfterASampleThatIsNotOk)
{
    const std::vector<CaseResult> results = run(five_cases(3, 0), [](const Case& point, std::size_t) {
        return *point.depth == 2 ? Sample{.status = Status::wrong, .detail = "1 of 4 block sums are wrong"}
                                 : Sample{.wall_us = 1};
    });
    EXPECT_EQ(results[2].samples.size(), 3U);
    EXPECT_EQ(std::ranges::count(logged("status"), "wrong"), 3);
    EXPECT_EQ(std::ranges::count(logged("status"), "ok"), 12);
}

TEST_F(Runner, LogsAnUnsupportedCaseInOneRowWithAndWithoutWarmUp)
{
    for (const unsigned warmup : {0U, 2U}) {
        std::filesystem::remove(path);
        const std::vector<CaseResult> results = run(five_cases(3, warmup), [](const Case& point, std::size_t) {
            return *point.depth == 2 ? Sample{.status = Status::unsupported, .detail = "it would wait for ever"}
                                     : Sample{.wall_us = 1};
        });
        EXPECT_EQ(results[2].samples.size(), 1U);
        EXPECT_EQ(std::ranges::count(logged("status"), "unsupported"), 1);
        EXPECT_EQ(std::ranges::count(logged("detail"), "it would wait for ever"), 1);
        EXPECT_EQ(std::ranges::count(logged("status"), "ok"), 12);
        EXPECT_EQ(std::ranges::count(session->asked, case_of(2)), 1);
    }
}

class OnlyOnCuda final : public Strategy
{
  public:
    const StrategyInfo& info() const override { return info_; }
    LaunchForm launches(const Case& /*point*/) const override { return LaunchForm::none(); }

  private:
    StrategyInfo info_{.name = "test-only-on-cuda", .workload = "reduce"};
};

TEST_F(Runner, LogsAStrategyThatTheBackendDoesNotHaveWithoutAskingTheSession)
{
    static const OnlyOnCuda strategy;
    Registry::add(BackendKind::cuda, strategy);
    Case elsewhere = case_of(0);
    elsewhere.strategy = "test-only-on-cuda";
    const std::vector<CaseResult> results = run(plan_of({{.cases = {elsewhere, case_of(1)}}}, 2, 1));
    EXPECT_THAT(session->asked, ElementsAre(case_of(1), case_of(1), case_of(1)));
    ASSERT_EQ(results[0].samples.size(), 1U);
    EXPECT_EQ(results[0].samples[0].status, Status::unsupported);
    EXPECT_EQ(results[0].samples[0].detail, "unsupported: test-only-on-cuda does not run on backend cpu");
    EXPECT_THAT(logged("strategy"), ElementsAre("test-only-on-cuda", "nosync", "nosync"));
}

TEST_F(Runner, StopsWhenTheDeviceIsLostAfterTheRowIsWritten)
{
    const std::string error = text_of<RunError>([&] {
        run(five_cases(3, 1), [](const Case& /*point*/, std::size_t call) {
            return call < 9
                       ? Sample{.wall_us = 1}
                       : Sample{.status = Status::crashed, .detail = "cudaErrorIllegalAddress", .device_lost = true};
        });
    });
    EXPECT_THAT(error, AllOf(HasSubstr("the device was lost in nosync (grid 4, block 8): cudaErrorIllegalAddress"),
                             HasSubstr(path)));
    EXPECT_EQ(session->asked.size(), 9U); // five to warm up, four timed
    EXPECT_THAT(logged("status"), ElementsAre("ok", "ok", "ok", "crashed"));
}

TEST_F(Runner, StopsWhenTheDeviceIsLostInTheWarmUpWithARow)
{
    EXPECT_THROW(run(five_cases(3, 1),
                     [](const Case& /*point*/, std::size_t) {
                         return Sample{.status = Status::timeout, .detail = "hung", .device_lost = true};
                     }),
                 RunError);
    EXPECT_EQ(session->asked.size(), 1U);
    EXPECT_THAT(logged("status"), ElementsAre("timeout"));
}

TEST_F(Runner, ReportsBeforeEverySampleHowManyAreDone)
{
    run(five_cases(2, 1));
    ASSERT_EQ(reports.size(), 15U);
    for (std::size_t call = 0; call < 15; ++call) {
        EXPECT_EQ(reports[call].all, 10U);
        EXPECT_EQ(reports[call].done, call < 5 ? 0 : call - 5);
    }
}

TEST_F(Runner, CountsAnUnsupportedCaseAsDoneWithAllItsSamples)
{
    run(plan_of({{.cases = {case_of(0)}}, {.cases = {case_of(1)}}}, 4, 0), [](const Case& point, std::size_t) {
        return Sample{.status = *point.depth == 0 ? Status::unsupported : Status::ok, .wall_us = 1};
    });
    EXPECT_EQ(reports.back().done, 4U + 3U);
    EXPECT_EQ(reports.back().all, 8U);
}

} // namespace
} // namespace nestbed
