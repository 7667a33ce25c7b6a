// The rounds of a run, with a fake session that measures nothing and records its calls.
#include "run/runner.hpp"
#include "workloads/reduce/descriptor.hpp"

#include "base/csv.hpp"
#include "base/error.hpp"
#include "model/strategy.hpp"
#include "support/support.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <set>

namespace nestbed
{
namespace
{

class FakeSession final : public Sampling
{
  public:
    using Answer = std::function<Sample(const Case&, std::size_t call)>;

    explicit FakeSession(Answer answer) : answer_(std::move(answer)) {}

    BackendKind backend() const override { return BackendKind::cpu; }
    const DeviceFacts& facts() const override { return facts_; }
    std::string schedule() const override { return "fifo"; }
    Sample sample(const Case& point, unsigned repetition) override
    {
        asked.push_back(point);
        repetitions.push_back(repetition);
        // Earlier announcements belong to cases that turned out to be impossible.
        while (!announced.empty() && announced.front() != std::pair(point, repetition))
            announced.erase(announced.begin());
        if (!announced.empty())
            announced.erase(announced.begin());
        else
            ++unannounced;
        Sample sample = answer_(point, asked.size());
        if (sample.device_lost)
            announced.clear();
        return sample;
    }
    Sample sample_traced(const Case& point) override { return traced(point, traces++); }
    void release() override { asked_at_release.push_back(asked.size()); }
    void announce(const Case& point, unsigned repetition) override { announced.emplace_back(point, repetition); }
    bool recovers() const override { return recovers_; }
    void renew() override
    {
        ++renewals;
        if (gone_after != 0 && renewals >= gone_after)
            throw RunError("no new worker could be started");
    }

    Answer traced = [](const Case& /*point*/, std::size_t /*call*/) {
        return Sample{.wall_us = 1000, .latencies_us = {2, 3}};
    };
    std::size_t traces = 0;
    unsigned renewals = 0;
    unsigned gone_after = 0; // number of renewals; 0: never

    bool recovers_ = false;
    std::vector<std::pair<Case, unsigned>> announced; // and not asked for yet
    std::size_t unannounced = 0;                      // samples that were asked for without announcement
    std::vector<Case> asked;
    std::vector<unsigned> repetitions; // of the samples that were asked for
    std::vector<std::size_t> asked_at_release;

  private:
    Answer answer_;
    DeviceFacts facts_;
};

// The time of a sample is the number of its call, so that each sample can be recognized.
Sample numbered(const Case& /*point*/, std::size_t call)
{
    return {.wall_us = static_cast<double>(call)};
}

Case case_of(std::uint32_t depth, std::uint32_t grid = 4)
{
    return {.strategy = "nosync", .elements = grid * 8, .grid = grid, .block = 8, .depth = depth};
}

Plan plan_of(std::vector<Group> groups, const Repeats& repeats, unsigned warmup)
{
    Plan plan{.experiment = "test", .groups = std::move(groups)};
    plan.repeat[BackendKind::cpu] = repeats;
    plan.warmup[BackendKind::cpu] = warmup;
    return plan;
}

Plan plan_of(std::vector<Group> groups, unsigned repeat, unsigned warmup)
{
    return plan_of(std::move(groups), exactly(repeat), warmup);
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
        session = std::make_unique<FakeSession>(answer);
        session->recovers_ = recovers;
        session->gone_after = gone_after;
        if (traced)
            session->traced = traced;
        CsvLog log(path);
        log.begin();
        const std::map<BackendKind, RunFacts> runs{
            {BackendKind::cpu, {.experiment = "test", .run_id = "run-1", .schedule = "fifo", .untimed = untimed}}};
        std::vector<CaseResult> results = cases_of(plan, runs);
        if (before)
            before(results);
        outcome = run_plan(plan, {{BackendKind::cpu, session.get()}}, runs, log, results,
                           {.report =
                                [&](const Progress& progress) {
                                    reports.push_back(progress);
                                    seconds_left.push_back(progress.left_us() / 1e6);
                                },
                            .note = [&](const std::string& note) { notes.push_back(note); },
                            .stopped = [&] { return session->asked.size() >= stop_after; },
                            .now = [&] { return now; }});
        return results;
    }

    // A column of the rows of the log, without the header.
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
    std::unique_ptr<FakeSession> session;
    std::vector<Progress> reports;
    std::vector<double> seconds_left;
    std::chrono::steady_clock::time_point now{std::chrono::hours(1)};
    std::vector<std::string> notes;
    RunOutcome outcome;
    bool recovers = false;
    FakeSession::Answer traced;
    unsigned gone_after = 0;
    std::size_t stop_after = static_cast<std::size_t>(-1); // number of samples
    std::function<void(std::vector<CaseResult>&)> before;  // adds the results that the log already has
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

// Two rounds of five cases, and their warm-up. The estimate of a sample is 1 us.
TEST_F(Runner, ReportsTheTimeLeftByWhatItsSamplesTook)
{
    run(five_cases(2, 1), [&](const Case& point, std::size_t call) {
        now += std::chrono::seconds(10);
        return numbered(point, call);
    });
    ASSERT_EQ(seconds_left.size(), 15U);
    EXPECT_NEAR(seconds_left.front(), 15e-6, 1e-9);
    for (std::size_t sample = 1; sample < seconds_left.size(); ++sample)
        EXPECT_NEAR(seconds_left[sample], 10.0 * static_cast<double>(15 - sample), 1e-6);
}

TEST_F(Runner, RepeatsEveryCaseAndLogsEverySample)
{
    const std::vector<CaseResult> results = run(five_cases(4, 0));
    ASSERT_EQ(results.size(), 5U);
    for (std::uint32_t index = 0; index < 5; ++index) {
        EXPECT_EQ(results[index].point, case_of(index));
        EXPECT_EQ(results[index].samples.size(), 4U);
    }
    ASSERT_EQ(session->asked.size(), 20U);
    ASSERT_EQ(logged("depth").size(), 20U);
    for (std::size_t row = 0; row < 20; ++row) {
        EXPECT_EQ(logged("wall_us")[row], std::to_string(row + 1) + ".000"); // in the order of measurement
        EXPECT_EQ(logged("depth")[row], std::to_string(*session->asked[row].depth));
        EXPECT_EQ(logged("repetition")[row], std::to_string(row / 5));
        EXPECT_EQ(session->repetitions[row], row / 5);
    }
    EXPECT_THAT(logged("run_id"), Each("run-1"));
}

TEST_F(Runner, WarmsUpBeforeTheFirstTimedSampleAndRecordsNoneOfIt)
{
    const std::vector<CaseResult> results = run(five_cases(2, 3));
    ASSERT_EQ(session->asked.size(), 5U * (3 + 2));
    for (std::size_t call = 0; call < 15; ++call) {
        EXPECT_EQ(session->asked[call], case_of(static_cast<std::uint32_t>(call / 3)));
        EXPECT_EQ(session->repetitions[call], 0U);
    }
    ASSERT_EQ(logged("wall_us").size(), 10U);
    EXPECT_EQ(logged("wall_us").front(), "16.000");
    for (const CaseResult& result : results)
        for (const KeptSample& sample : result.samples)
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
        for (const char* column : {"gpu_us", "wall_us", "latency_us", "empty_kernel_us", "timer_step_ns"})
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
    EXPECT_GT(firsts.size(), 1U); // the order is not the same in every round
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

TEST_F(Runner, KeepsTheInputWhereOnlyTheBlockChanges)
{
    const auto with = [](std::uint32_t block, std::uint64_t elements, std::uint32_t edge_factor = 16) {
        Case point = case_of(0, 4);
        point.block = block;
        point.elements = elements;
        point["edge-factor"] = edge_factor;
        return point;
    };
    run(plan_of({{.cases = {with(64, 1000)}},
                 {.cases = {with(128, 1000)}},
                 {.cases = {with(128, 1001)}},
                 {.cases = {with(128, 1001, 8)}}},
                3, 1));
    EXPECT_THAT(session->asked_at_release, ElementsAre(8U, 12U, 16U));
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
        const std::vector<std::string> statuses = logged("status");
        const auto row = static_cast<std::size_t>(std::ranges::find(statuses, "unsupported") - statuses.begin());
        EXPECT_EQ(logged("repetition").at(row), "0");
        EXPECT_EQ(std::ranges::count(logged("status"), "ok"), 12);
        EXPECT_EQ(std::ranges::count(session->asked, case_of(2)), 1);
    }
}

class OnlyOnCuda final : public Strategy
{
  public:
    const StrategyInfo& info() const override { return info_; }
    ExpectedLaunches launches(const Case& /*point*/) const override { return ExpectedLaunches::none(); }

  private:
    StrategyInfo info_{.name = "test-only-on-cuda", .workload = &workloads::reduce};
};

TEST_F(Runner, LogsAStrategyThatTheBackendLacksWithoutAskingTheSession)
{
    static const OnlyOnCuda strategy;
    Registry::add(BackendKind::cuda, strategy);
    Case elsewhere = case_of(0);
    elsewhere.strategy = "test-only-on-cuda";
    const std::vector<CaseResult> results = run(plan_of({{.cases = {elsewhere, case_of(1)}}}, 2, 1));
    EXPECT_THAT(session->asked, ElementsAre(case_of(1), case_of(1), case_of(1)));
    ASSERT_EQ(results[0].samples.size(), 1U);
    EXPECT_EQ(results[0].samples[0].status, Status::unsupported);
    EXPECT_EQ(results[0].reason, "unsupported: test-only-on-cuda does not run on backend cpu");
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
    EXPECT_EQ(error, "the device was lost in nosync (grid 4, block 8): crashed: cudaErrorIllegalAddress");
    EXPECT_EQ(session->asked.size(), 9U); // five warm-up samples, four timed ones
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

const Sample kLost{.status = Status::crashed, .detail = "signal 11", .device_lost = true};

TEST_F(Runner, TriesACaseThatTakesItsWorkerDownAgainAndThenGoesOnWithoutIt)
{
    recovers = true;
    Plan plan = five_cases(3, 1);
    for (const unsigned retries : {0U, 1U, 2U}) {
        std::filesystem::remove(path);
        notes.clear();
        plan.retries = retries;
        const auto results = run(
            plan, [](const Case& point, std::size_t) { return *point.depth == 2 ? kLost : Sample{.wall_us = 1}; });
        ASSERT_EQ(results[2].samples.size(), 1U);
        EXPECT_EQ(results[2].samples[0].status, Status::crashed);
        EXPECT_EQ(results[2].reason,
                  retries == 0 ? "signal 11" : "signal 11 (" + std::to_string(retries + 1) + " tries)");
        EXPECT_EQ(std::ranges::count(session->asked, case_of(2)), retries + 1);
        EXPECT_EQ(std::ranges::count(logged("status"), "crashed"), 1);
        EXPECT_EQ(std::ranges::count(logged("status"), "ok"), 12);
        ASSERT_EQ(notes.size(), retries + 1);
        EXPECT_EQ(notes.back(), "nosync (grid 4, block 8): crashed: signal 11; the run continues without it");
        if (retries == 2) {
            EXPECT_EQ(notes.front(), "nosync (grid 4, block 8): crashed: signal 11; tried again (1 of 2)");
        }
        EXPECT_EQ(reports.back().done, 14U);
        EXPECT_EQ(reports.back().bad, 1U);
    }
}

TEST_F(Runner, WritesTheRowOfTheCaseThatTookTheLastWorkerAndNamesIt)
{
    recovers = true;
    gone_after = 2;
    const std::string error = text_of<RunError>([&] {
        run(five_cases(3, 0),
            [](const Case& point, std::size_t) { return *point.depth == 2 ? kLost : Sample{.wall_us = 1}; });
    });
    EXPECT_EQ(error, "after nosync (grid 4, block 8): crashed: signal 11: no new worker could be started");
    EXPECT_EQ(std::ranges::count(logged("status"), "crashed"), 1);
    EXPECT_EQ(logged("detail").back(), "signal 11 (2 tries)");
}

TEST_F(Runner, MeasuresACaseThatIsFineTheSecondTimeAsIfNothingHadHappened)
{
    recovers = true;
    bool was = false;
    const auto results = run(five_cases(3, 1), [&](const Case& point, std::size_t call) {
        if (*point.depth == 2 && call > 8 && !was) {
            was = true;
            return kLost;
        }
        return Sample{.wall_us = 1};
    });
    EXPECT_EQ(std::ranges::count(logged("status"), "ok"), 15);
    EXPECT_EQ(results[2].repetitions.size(), 3U);
    EXPECT_EQ(notes.size(), 1U);
}

// A new worker is cold: all remaining cases are warmed up again, and no sample is timed before that.
TEST_F(Runner, WarmsEverythingThatIsLeftUpAgainAfterALoss)
{
    recovers = true;
    Plan plan = five_cases(2, 2);
    plan.retries = 0;
    std::map<Case, unsigned> warm;
    std::set<Case> cold_and_timed;
    run(plan, [&](const Case& point, std::size_t call) {
        if (*point.depth == 3 && call > 12) {
            warm.clear();
            return kLost;
        }
        ++warm[point];
        return Sample{.wall_us = warm[point] > 2 ? 1.0 : 1e6};
    });
    EXPECT_THAT(logged("wall_us"), Not(testing::Contains("1000000.000")));
    EXPECT_EQ(std::ranges::count(logged("status"), "crashed"), 1);
}

TEST_F(Runner, AnnouncesWhatItWillAskForInItsOrder)
{
    recovers = true;
    bool was = false;
    Plan plan = five_cases(20, 1);
    plan.retries = 5;
    run(plan, [&](const Case& point, std::size_t call) { // FakeSession checks the order
        if (*point.depth == 1 && call % 17 == 0 && !was) {
            was = true;
            return kLost;
        }
        return Sample{.wall_us = 1};
    });
    EXPECT_TRUE(session->announced.empty());
    EXPECT_EQ(session->unannounced, 5U + 5U); // warm-up samples, at the start and again after the loss
    EXPECT_EQ(logged("status").size(), 100U);
}

// The times of the case of depth 0 are alike, those of depth 1 are not, and the case of depth 2 has no times.
Sample of_its_own_noise(const Case& point, std::size_t call)
{
    if (*point.depth == 2)
        return {.status = Status::wrong, .detail = "1 of 4 block sums are wrong"};
    return {.wall_us = *point.depth == 0 ? 100 + 0.001 * static_cast<double>(call)
                                         : 100 + 10 * static_cast<double>(call % 7)};
}

constexpr Repeats kToOnePercent{.least = 10, .most = 33, .precision = 0.01};

TEST_F(Runner, GoesOnWithACaseUntilItsMedianIsPreciseOrItHasTheMost)
{
    const std::vector<CaseResult> results =
        run(plan_of({{.cases = {case_of(0), case_of(1), case_of(2)}}}, kToOnePercent, 0), of_its_own_noise);
    EXPECT_EQ(results[0].samples.size(), 10U);
    EXPECT_EQ(results[1].samples.size(), 33U);
    EXPECT_EQ(results[2].samples.size(), 10U);
    EXPECT_TRUE(std::ranges::all_of(results, &CaseResult::complete));
    EXPECT_EQ(session->asked.size(), 53U);
    EXPECT_TRUE(session->announced.empty()); // no sample was measured in vain
    EXPECT_EQ(reports.front().all, 30U);
    EXPECT_EQ(reports.back().all, 53U);
    EXPECT_EQ(reports.back().done, 52U);
}

TEST_F(Runner, GoesOnToAPrecisionWhereItWasStopped)
{
    const Plan plan = plan_of({{.cases = {case_of(0), case_of(1), case_of(2)}}}, kToOnePercent, 0);
    stop_after = 41;
    const std::vector<CaseResult> part = run(plan, of_its_own_noise);
    ASSERT_TRUE(outcome.interrupted);
    before = [&](std::vector<CaseResult>& results) { results = part; };
    stop_after = 1000;
    const std::vector<CaseResult> results = run(plan, of_its_own_noise);
    EXPECT_EQ(session->asked.size(), 53U - 41U);
    EXPECT_EQ(results[1].repetitions.size(), 33U);
}

Plan with_latencies(Plan plan)
{
    plan.latency = true;
    return plan;
}

TEST_F(Runner, PutsTheLatenciesOfATracedRunIntoTheFirstRowOfACase)
{
    Case flat{.strategy = "neighbored", .elements = 32, .grid = 4, .block = 8};
    run(with_latencies(plan_of({{.cases = {case_of(1), case_of(2), flat}}}, 3, 1)));
    EXPECT_EQ(session->traces, 2U); // a flat strategy launches nothing from a kernel
    const std::vector<std::string> repetitions = logged("repetition");
    const std::vector<std::string> strategies = logged("strategy");
    const std::vector<std::string> latencies = logged("latency_us_by_depth");
    ASSERT_EQ(latencies.size(), 9U);
    for (std::size_t row = 0; row < latencies.size(); ++row)
        EXPECT_EQ(latencies[row], repetitions[row] == "0" && strategies[row] == "nosync" ? "2.00 3.00" : "") << row;
    EXPECT_EQ(std::ranges::count(logged("wall_us"), "1000.000"), 0); // the time of the traced run is not a sample
    run(plan_of({{.cases = {case_of(1)}}}, 3, 1));
    EXPECT_EQ(session->traces, 0U);
}

TEST_F(Runner, TracesNoCaseWhoseFirstRowIsThere)
{
    before = [](std::vector<CaseResult>& results) { results[1].add(0, {.wall_us = 1}, exactly(3)); };
    run(with_latencies(five_cases(3, 1)));
    EXPECT_EQ(session->traces, 4U);
}

TEST_F(Runner, MeasuresWithoutLatenciesWhatIsLostWhenItIsTraced)
{
    recovers = true;
    traced = [](const Case& point, std::size_t) {
        return *point.depth == 2 ? Sample{.status = Status::crashed, .detail = "signal 11", .device_lost = true}
                                 : Sample{.wall_us = 1, .latencies_us = {4}};
    };
    const std::vector<CaseResult> results = run(with_latencies(five_cases(3, 1)));
    EXPECT_EQ(session->renewals, 1U);
    EXPECT_EQ(session->traces, 5U);
    EXPECT_EQ(logged("status").size(), 15U);
    EXPECT_THAT(logged("status"), Each("ok"));
    EXPECT_EQ(std::ranges::count(logged("latency_us_by_depth"), "4.00"), 4);
}

TEST_F(Runner, LeavesOutWhatTheLogHas)
{
    before = [](std::vector<CaseResult>& results) {
        for (const unsigned repetition : {0U, 2U})
            results[1].add(repetition, {.wall_us = 1}, exactly(3));
        results[3].add(1, {.status = Status::timeout}, exactly(3));
        for (unsigned repetition = 0; repetition < 3; ++repetition)
            results[4].add(repetition, {.wall_us = 1}, exactly(3));
    };
    const auto results = run(five_cases(3, 1));
    EXPECT_EQ(std::ranges::count(session->asked, case_of(1)), 2); // one of them for the warm-up
    EXPECT_EQ(std::ranges::count(session->asked, case_of(3)), 0);
    EXPECT_EQ(std::ranges::count(session->asked, case_of(4)), 0);
    EXPECT_EQ(results[1].samples.size(), 3U);
    EXPECT_EQ(logged("depth").size(), 7U);
    EXPECT_EQ(outcome.rows, 7U);
    EXPECT_EQ(reports.front().done, 8U);
    EXPECT_EQ(reports.back().done, 14U);
    EXPECT_EQ(reports.back().all, 15U);
}

TEST_F(Runner, StopsBetweenTwoSamplesWhenItIsAskedTo)
{
    for (const std::size_t samples : {0U, 3U, 5U, 9U}) {
        std::filesystem::remove(path);
        stop_after = samples;
        run(five_cases(3, 1));
        EXPECT_TRUE(outcome.interrupted);
        EXPECT_EQ(session->asked.size(), samples);
        EXPECT_EQ(outcome.rows, samples < 5 ? 0 : samples - 5);
        EXPECT_EQ(logged("status").size(), outcome.rows);
    }
}

TEST_F(Runner, MeasuresACaseThatCrashedNoMore)
{
    const auto results = run(five_cases(3, 0), [](const Case& point, std::size_t) {
        return *point.depth == 2 ? Sample{.status = Status::crashed, .detail = "out of memory"}
                                 : Sample{.wall_us = 1};
    });
    EXPECT_EQ(results[2].samples.size(), 1U);
    EXPECT_EQ(std::ranges::count(logged("status"), "ok"), 12);
}

} // namespace
} // namespace nestbed
