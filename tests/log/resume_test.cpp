// What a log gives back to a run that continues it, and what prevents a run from continuing it.
#include "log/resume.hpp"

#include "base/csv.hpp"
#include "base/error.hpp"
#include "log/case_differences.hpp"
#include "model/case_text.hpp"
#include "support/support.hpp"

#include <functional>

namespace nestbed
{
namespace
{

Plan some_plan()
{
    Plan plan{.experiment = "book", .title = "A title"};
    plan.groups = {{.cases = {{.strategy = "nosync", .elements = 64, .grid = 4, .block = 16},
                              {.strategy = "chain", .type = ElementType::none, .depth = 3},
                              {.strategy = "cub", .elements = 64, .grid = 4, .block = 16}}}};
    plan.repeat[BackendKind::cpu] = exactly(2);
    plan.warmup[BackendKind::cpu] = 1;
    return plan;
}

std::map<BackendKind, RunFacts> some_runs()
{
    return {{BackendKind::cpu,
             {.experiment = "book",
              .run_id = "run-1",
              .schedule = "fifo",
              .device = {.name = "Model 1", .driver = "", .runtime = "", .multiprocessors = 2}}}};
}

std::vector<Sample> some_samples()
{
    Sample good{.wall_us = 12.345, .latencies_us = {1.5, 2.25, 3}};
    good.launches = LaunchCounts{.attempted_by_depth = {4, 4, 4}, .attempted = 12, .max_depth = 3};
    return {good,
            {.status = Status::wrong, .detail = "2 of 4, \"so\"\nwrong"},
            {.status = Status::unsupported, .detail = "unsupported: no"}};
}

// The samples of each case of some_plan().
using Measured = std::vector<std::vector<Sample>>;

std::string log_text(const Measured& measured)
{
    const std::vector<CaseResult> results = cases_of(some_plan(), some_runs());
    std::string text = csv_line(columns());
    for (std::size_t index = 0; index < measured.size(); ++index)
        for (std::size_t repetition = 0; repetition < measured[index].size(); ++repetition)
            text += csv_line(row_of(some_runs().at(BackendKind::cpu), results[index].point,
                                    static_cast<unsigned>(repetition), measured[index][repetition]));
    return text;
}

TEST(CaseResults, AreLostByACrashOrATimeoutAlone)
{
    for (const auto& [status, lost] : {std::pair{Status::ok, false},
                                       {Status::unsupported, false},
                                       {Status::timeout, true},
                                       {Status::crashed, true}}) {
        CaseResult result;
        result.keep({.status = status});
        EXPECT_EQ(result.lost(), lost);
    }
}

TEST(CaseResults, AreNotCompleteWhileARepetitionIsMissing)
{
    const Repeats repeats{.least = 5, .most = 20, .precision = 0.1};
    CaseResult result{.planned = repeats.least};
    for (const unsigned repetition : {0U, 1U, 3U, 4U, 5U, 6U, 7U, 8U, 9U})
        result.add(repetition, {.wall_us = 10}, repeats);
    EXPECT_FALSE(result.complete); // its median is precise, but repetition 2 is still missing
    EXPECT_EQ(result.planned, 10U);
    result.add(2, {.wall_us = 10}, repeats);
    EXPECT_TRUE(result.complete);
}

TEST(TakeRows, KnowsHowATimeWasTaken)
{
    Plan plan = some_plan();
    plan.groups.front().cases.resize(1);
    Case& point = plan.groups.front().cases.front();
    point.backend = BackendKind::cuda;
    point.submit = Submit::held;
    point.l2 = CacheState::as_is;
    plan.repeat[BackendKind::cuda] = exactly(2);
    RunFacts facts = some_runs().at(BackendKind::cpu);
    facts.schedule = "";
    std::vector<CaseResult> results = cases_of(plan, {{BackendKind::cuda, facts}});
    Sample held = some_samples()[0];
    held.gpu_us = 10;
    held.held = true;
    held.gpu_state.throttle = "sw_power_cap";
    Sample open = held;
    open.held = false;
    open.gpu_state.throttle = "no";
    take_rows(parse_log("a.csv", csv_line(columns()) + csv_line(row_of(facts, point, 0, held)) +
                                     csv_line(row_of(facts, point, 1, open))),
              plan, results);
    ASSERT_EQ(results[0].samples.size(), 2U);
    EXPECT_TRUE(results[0].samples[0].held);
    EXPECT_TRUE(results[0].samples[0].throttled);
    EXPECT_FALSE(results[0].samples[1].held);
    EXPECT_FALSE(results[0].samples[1].throttled);
}

TEST(TakeRows, GivesEveryCaseItsSamplesBack)
{
    const Plan plan = some_plan();
    const std::vector<Sample> samples = some_samples();
    Sample chain = samples[0];
    chain.launches = LaunchCounts{.attempted_by_depth = {1, 1, 1}, .attempted = 3, .max_depth = 3};
    const Measured measured{{samples[0], samples[1]}, {chain}, {samples[2]}};
    std::vector<CaseResult> results = cases_of(plan, some_runs());
    take_rows(parse_log("a.csv", log_text(measured)), plan, results);
    for (std::size_t index = 0; index < 3; ++index)
        ASSERT_EQ(results[index].samples.size(), measured[index].size());
    EXPECT_THAT(results[0].repetitions, ElementsAre(0U, 1U));
    EXPECT_TRUE(results[0].complete);
    EXPECT_FALSE(results[1].complete);
    EXPECT_TRUE(results[2].complete); // nothing more would be measured
    EXPECT_EQ(results[0].samples[0].wall_us, 12.345);
    EXPECT_FALSE(results[0].samples[0].gpu_us);
    EXPECT_EQ(results[0].launches, 12U);
    EXPECT_EQ(results[0].samples[1].status, Status::wrong);
    EXPECT_EQ(results[0].reason, samples[1].detail);
    EXPECT_FALSE(results[0].samples[1].wall_us);
    EXPECT_THAT(results[1].latencies_us, ElementsAre(1.5, 2.25, 3));
    EXPECT_EQ(results[2].samples[0].status, Status::unsupported);
    EXPECT_EQ(results[1].launches, 3U);
}

std::string refusal_of_cells(const std::function<void(std::vector<std::string>& cells)>& spoil)
{
    std::vector<CaseResult> measured = cases_of(some_plan(), some_runs());
    std::vector<std::string> cells =
        row_of(some_runs().at(BackendKind::cpu), measured[0].point, 0, some_samples()[0]);
    spoil(cells);
    return text_of<RunError>(
        [&] { take_rows(parse_log("a.csv", csv_line(columns()) + csv_line(cells)), some_plan(), measured); });
}

std::size_t place_of(const std::string& column)
{
    return static_cast<std::size_t>(std::ranges::find(columns(), column) - columns().begin());
}

TEST(TakeRows, NamesFileAndLineOfWhatCannotBe)
{
    const auto with = [](const std::string& column, const std::string& text) {
        return refusal_of_cells([&](std::vector<std::string>& cells) { cells[place_of(column)] = text; });
    };
    // tests/log/row_check_test.cpp has the cells that have another form.
    EXPECT_EQ(with("repetition", "1.5"), "a.csv:2: repetition is '1.5'; allowed: a whole number from 0, or nothing");
    EXPECT_EQ(with("repetition", "2"), "a.csv:2: repetition is 2; allowed: from 0 to 1");
    EXPECT_EQ(with("repetition", "4294967296"), "a.csv:2: repetition is 4294967296; allowed: from 0 to 1");
    EXPECT_EQ(with("key", "other"),
              "a.csv:2: there is no case other in this run, to which the log belongs according to its manifest");
}

TEST(TakeRows, RefusesARepetitionThatIsThereTwice)
{
    const std::string text = log_text({{some_samples()[0]}});
    const std::string twice = text + text.substr(csv_line(columns()).size());
    std::vector<CaseResult> results = cases_of(some_plan(), some_runs());
    EXPECT_EQ(text_of<RunError>([&] { take_rows(parse_log("a.csv", twice), some_plan(), results); }),
              "a.csv:3: case " + results[0].key + " already has a repetition 0");
}

TEST(RunsOf, AreThoseThatHaveRows)
{
    EXPECT_THAT(runs_of(parse_log("a.csv", log_text({}))), IsEmpty());
    EXPECT_THAT(runs_of(parse_log("a.csv", log_text({some_samples()}))), ElementsAre("run-1"));
}

TEST(Differences, OfARunAndItselfAreNone)
{
    const RunIdentity record = identity_of(some_plan(), some_runs(), "1/2");
    EXPECT_THAT(differences(record, record), IsEmpty());
    RunIdentity other = identity_of(some_plan(), some_runs(), "2/2");
    other.title = "Another title";
    EXPECT_THAT(differences(record, other), IsEmpty()); // both are parts of one experiment
}

TEST(Differences, AreSaidEachInALine)
{
    const RunIdentity here = identity_of(some_plan(), some_runs(), "");
    for (const auto& [change, line] : std::vector<std::pair<void (*)(RunIdentity&), const char*>>{
             {[](RunIdentity& r) { r.experiment = "ways"; }, "experiment: ways there, book here"},
             {[](RunIdentity& r) { r.git = "abc"; }, "version: "},
             {[](RunIdentity& r) { r.build = "Odd"; }, "version: "},
             {[](RunIdentity& r) { r.expect = "wrong"; }, "expect: wrong there, ok here"},
             {[](RunIdentity& r) { r.order_seed = 7; }, "seed of the order: 7 there, 1 here"},
             {[](RunIdentity& r) { r.untimed = true; }, "untimed: yes there, no here"},
             {[](RunIdentity& r) { r.ranges = false; }, "NVTX ranges: no there, yes here"},
             {[](RunIdentity& r) { r.backends["cpu"].machine = "0a1b"; }, "machine: 0a1b there, none here"},
             {[](RunIdentity& r) { r.backends["cuda"] = r.backends["cpu"]; }, "backend cuda: only there"},
             {[](RunIdentity& r) { r.backends.clear(); }, "backend cpu: only here"},
             {[](RunIdentity& r) { r.backends["cpu"].name = "M"; }, "device of cpu: M there, Model 1 here"},
             {[](RunIdentity& r) { r.backends["cpu"].driver = "580"; }, "driver: 580 there, none here"},
             {[](RunIdentity& r) { r.backends["cpu"].runtime = "13"; }, "CUDA runtime: 13 there, none here"},
             {[](RunIdentity& r) { r.backends["cpu"].multiprocessors = 4; }, "workers: 4 there, 2 here"},
             {[](RunIdentity& r) { r.backends["cpu"].schedule = "eager"; }, "schedule: eager there, fifo here"},
             {[](RunIdentity& r) { r.backends["cpu"].repeat = exactly(9); }, "repeat on cpu: 9 there, 2 here"},
             {[](RunIdentity& r) { r.backends["cpu"].warmup = 9; }, "warmup on cpu: 9 there, 1 here"},
             {[](RunIdentity& r) { r.modules["a.so"] = "ab"; }, "module a.so: only there"},
             {[](RunIdentity& r) { r.cases[0].key = "x"; }, "cases: 3 there, 3 here; 1 only there, 1 only here"},
             {[](RunIdentity& r) { r.cases.pop_back(); },
              "cases: 2 there, 3 here; 0 only there, 1 only here; mechanism: "}}) {
        RunIdentity there = here;
        change(there);
        EXPECT_THAT(differences(there, here), ElementsAre(StartsWith(line)));
    }
}

TEST(Differences, OfCasesNameTheSettings)
{
    const auto cases = [](const std::vector<std::string>& settings) {
        std::vector<PlannedCase> planned;
        for (const std::string& text : settings)
            planned.push_back({.key = text, .settings = text});
        return planned;
    };
    EXPECT_EQ(case_differences(cases({"grid=4"}), cases({"grid=4"})), "");
    EXPECT_EQ(case_differences(cases({"strategy=nosync grid=4"}),
                               cases({"strategy=nosync grid=8", "strategy=nosync grid=4"})),
              "cases: 1 there, 2 here; 0 only there, 1 only here; grid: 4 there, 8,4 here");
    EXPECT_EQ(case_differences(cases({"grid=4"}), cases({"grid=4 depth=1"})),
              "cases: 1 there, 1 here; 1 only there, 1 only here; depth: not set there, 1 here");
    EXPECT_EQ(case_differences(cases({"graph-file=my.mtx"}), cases({"graph-file=other.mtx"})),
              "cases: 1 there, 1 here; 1 only there, 1 only here; graph-file: my.mtx there, other.mtx here");
    EXPECT_EQ(case_differences(cases({"grid=1", "grid=2", "grid=3", "grid=4", "grid=5"}), cases({"grid=6"})),
              "cases: 5 there, 1 here; 5 only there, 1 only here; grid: 1,2,3,4,... (5 values) there, 6 here");
    // The same values of each setting, combined in another way.
    EXPECT_EQ(
        case_differences(cases({"grid=1 block=1", "grid=2 block=2"}), cases({"grid=1 block=2", "grid=2 block=1"})),
        "cases: 2 there, 2 here; 2 only there, 2 only here");
    EXPECT_EQ(case_differences({}, cases({"grid=1"})), "cases: 0 there, 1 here; 0 only there, 1 only here");
}

TEST(Differences, OfModulesAreThoseOfTheirContent)
{
    RunIdentity here = identity_of(some_plan(), some_runs(), "");
    here.modules["/mine/a.so"] = "0123456789abcdef";
    RunIdentity there = here;
    EXPECT_THAT(differences(there, here), IsEmpty());
    there.modules = {{"/moved/a.so", "0123456789abcdef"}};
    EXPECT_THAT(differences(there, here), IsEmpty());
    there.modules = {{"/mine/a.so", "fedcba9876543210"}};
    EXPECT_THAT(differences(there, here),
                ElementsAre("module /mine/a.so: another build (SHA-256 fedcba987654 there, 0123456789ab here)"));
    there.modules.clear(); // of an earlier version
    EXPECT_THAT(differences(there, here),
                ElementsAre("module /mine/a.so: another build (SHA-256 not known there, 0123456789ab here)"));
}

TEST(ReasonsNotToResume, AreThoseOfAllRunsAndOfTheShard)
{
    const RunIdentity whole = identity_of(some_plan(), some_runs(), "");
    RunIdentity shard = identity_of(some_plan(), some_runs(), "2/4");
    EXPECT_THAT(reasons_not_to_resume({{"a", whole}, {"b", whole}}, whole), IsEmpty());
    EXPECT_THAT(reasons_not_to_resume({{"a", shard}}, whole), IsEmpty()); // a merged log
    EXPECT_THAT(reasons_not_to_resume({{"a", shard}}, shard), IsEmpty());
    EXPECT_THAT(reasons_not_to_resume({{"a", whole}}, shard), ElementsAre("shard: all there, 2/4 here"));
    RunIdentity other = whole;
    other.experiment = "ways";
    EXPECT_THAT(reasons_not_to_resume({{"a", other}, {"b", other}}, whole),
                ElementsAre("experiment: ways there, book here"));
}

TEST(ReasonsNotToResume, AreFewerWhereAnotherMachineWillDo)
{
    const RunIdentity here = identity_of(some_plan(), some_runs(), "");
    RunIdentity there = here;
    there.backends["cpu"].machine = "0a1b2c3d";
    EXPECT_THAT(reasons_not_to_resume({{"a", there}}, here), ElementsAre("machine: 0a1b2c3d there, none here"));
    EXPECT_THAT(reasons_not_to_resume({{"a", there}}, here, true), IsEmpty());
    there.backends["cpu"].name = "Model 2";
    EXPECT_THAT(reasons_not_to_resume({{"a", there}}, here, true),
                ElementsAre("device of cpu: Model 2 there, Model 1 here"));
}

TEST(ReasonsNotToResume, LetAnotherProcessAddRepetitions)
{
    RunIdentity there = identity_of(some_plan(), some_runs(), "");
    RunIdentity here = there;
    const auto reasons = [&](const Repeats& before, const Repeats& now, bool elsewhere) {
        there.backends["cpu"].repeat = before;
        here.backends["cpu"].repeat = now;
        return reasons_not_to_resume({{"a", there}}, here, elsewhere);
    };
    EXPECT_THAT(reasons(exactly(4), exactly(5), true), IsEmpty());
    EXPECT_THAT(reasons(exactly(4), exactly(5), false), ElementsAre("repeat on cpu: 4 there, 5 here"));
    EXPECT_THAT(reasons(exactly(5), exactly(4), true), ElementsAre("repeat on cpu: 5 there, 4 here"));
    const Repeats precise{.least = 5, .most = 99, .precision = 0.02};
    EXPECT_THAT(reasons(exactly(4), precise, true), ElementsAre(StartsWith("repeat on cpu: 4 there, ")));
}

TEST(BuildText, NamesBuildAndCompiler)
{
    EXPECT_THAT(build_text({}), HasSubstr(", GNU "));
}

} // namespace
} // namespace nestbed
