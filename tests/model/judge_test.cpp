// What the ledger tells about a sample.
#include "model/judge.hpp"

#include "support/matchers.hpp"

#include <memory>
#include <numeric>

namespace nestbed
{
namespace
{

constexpr const char* kPending = "cudaErrorLaunchPendingCountExceeded";

// What happened to a sample besides its launches.
struct Events {
    std::uint64_t failed = 0;
    std::uint64_t waits_given_up = 0;
    std::optional<RequestSample> requests = {};
    Status status = Status::ok;
    std::optional<double> relative_error = {};
};

// What becomes of a sample with both times and latencies, whose launches are `counted` by depth.
Sample judged(std::vector<std::uint64_t> counted, const ExpectedLaunches& form, const Events& events = {},
              const char* error = kPending)
{
    LaunchCounts counts{.attempted = std::accumulate(counted.begin(), counted.end(), std::uint64_t{0}),
                        .failed = events.failed,
                        .waits_given_up = events.waits_given_up,
                        .max_depth = static_cast<unsigned>(counted.size())};
    counts.attempted_by_depth = std::move(counted);
    Sample sample{
        .status = events.status, .gpu_us = 20.7, .wall_us = 25.1, .launches = counts, .latencies_us = {1.5, 2.5}};
    sample.detail = events.status == Status::wrong ? "1 of 4 block sums are wrong" : "";
    sample.pending_limit = 2048;
    sample.requests = events.requests;
    sample.relative_error = events.relative_error;
    judge_launches(sample, form, error);
    return sample;
}

// The sample has its times if it is ok, and none otherwise.
void expect(Status status, const std::string& detail, const Sample& sample)
{
    EXPECT_EQ(sample.status, status) << sample.detail;
    EXPECT_THAT(sample.detail, HasSubstr(detail));
    const bool ok = status == Status::ok;
    EXPECT_EQ(sample.gpu_us, ok ? std::optional(20.7) : std::nullopt);
    EXPECT_EQ(sample.wall_us, ok ? std::optional(25.1) : std::nullopt);
    EXPECT_EQ(sample.latencies_us, ok ? (std::vector{1.5, 2.5}) : std::vector<double>{});
}

ExpectedLaunches chains(std::uint32_t blocks, std::uint32_t levels)
{
    return ExpectedLaunches::chain_per_block(blocks, levels);
}

TEST(Judge, LaunchesAsInTheClosedFormAreOkAndKeepTheirTimes)
{
    const Sample sample = judged({100, 100, 100}, chains(100, 3));
    expect(Status::ok, "", sample);
    EXPECT_EQ(sample.detail, "");
    expect(Status::ok, "", judged({}, ExpectedLaunches::none()));
}

TEST(Judge, AnyNumberOfLaunchesIsOkWhereItIsUnknownButNoneMayFail)
{
    expect(Status::ok, "", judged({3, 141, 5}, ExpectedLaunches::unknown(8)));
    expect(Status::launch_failed, "", judged({3, 141, 5}, ExpectedLaunches::unknown(8), {.failed = 1}));
}

TEST(Judge, AFailedLaunchIsLaunchFailedWithCountsErrorAndLimit)
{
    const Sample sample = judged({100, 100}, chains(100, 2), {.failed = 7});
    expect(Status::launch_failed, "", sample);
    EXPECT_EQ(sample.detail, "7 of 200 device launches failed with cudaErrorLaunchPendingCountExceeded under a "
                             "pending-launch limit of 2048");
}

// A Nest refuses a launch below the last level. No GPU does.
TEST(Judge, ALaunchBelowTheLastLevelIsOurOwnLimit)
{
    expect(
        Status::launch_failed,
        "nestbed refused 4 of 4 device launches: they are below level 0, by launches() of the strategy the last one; "
        "this is no limit of a GPU",
        judged({4}, ExpectedLaunches::none(), {.failed = 4}, "cudaErrorLaunchMaxDepthExceeded"));
}

TEST(Judge, AParentThatGaveUpIsATimeout)
{
    expect(Status::timeout, "3 parents gave up waiting for their child",
           judged({100, 100}, chains(100, 2), {.waits_given_up = 3}));
}

TEST(Judge, ADifferenceAtOneDepthIsACountMismatchIfTheTotalIsRight)
{
    const Sample sample = judged({99, 101}, chains(100, 2));
    expect(Status::count_mismatch, "counted [99 101]", sample);
    expect(Status::count_mismatch, "closed form says [100 100]", sample);
}

TEST(Judge, ALevelTooManyOrTooFewIsACountMismatch)
{
    for (const std::vector<std::uint64_t>& counted : {std::vector<std::uint64_t>{4}, {4, 4, 4}, {}})
        expect(Status::count_mismatch, "", judged(counted, chains(4, 2)));
}

TEST(Judge, WhatTheLaunchesDidComesBeforeWhatTheAnswerIs)
{
    const Sample wrong = judged({4, 4}, chains(4, 2), {.status = Status::wrong, .relative_error = 0.25});
    expect(Status::wrong, "", wrong);
    EXPECT_EQ(wrong.detail, "1 of 4 block sums are wrong");
    EXPECT_EQ(wrong.relative_error, 0.25);
    const Sample failed =
        judged({4, 4}, chains(4, 2), {.failed = 1, .status = Status::wrong, .relative_error = 0.25});
    expect(Status::launch_failed, "1 of 8 device launches failed", failed);
    EXPECT_EQ(failed.relative_error, std::nullopt); // the run is not finished
}

TEST(Judge, FailedLaunchesComeBeforeWaitsAndWaitsBeforeCounts)
{
    expect(Status::launch_failed, "", judged({4, 3}, chains(4, 2), {.failed = 1, .waits_given_up = 1}));
    expect(Status::timeout, "", judged({4, 3}, chains(4, 2), {.waits_given_up = 1}));
}

TEST(LaunchCounts, AreTheLedgersWithTrailingZerosCut)
{
    const auto ledger = std::make_unique<Ledger>();
    ledger->attempted[0] = 10;
    ledger->attempted[2] = 5;
    ledger->failed[2] = 5;
    ledger->waits_given_up = 2;
    ledger->first_error = 69;
    const LaunchCounts counts = counts_of(*ledger);
    EXPECT_THAT(counts.attempted_by_depth, ElementsAre(10, 0, 5));
    EXPECT_EQ(counts.attempted, 15U);
    EXPECT_EQ(counts.failed, 5U);
    EXPECT_EQ(counts.max_depth, 1U); // no launch into depth 3 was accepted
    EXPECT_EQ(counts.waits_given_up, 2U);
    EXPECT_EQ(counts.first_error, 69);
}

TEST(LaunchCounts, OfAnEmptyLedgerAreNothing)
{
    const LaunchCounts counts = counts_of(*std::make_unique<Ledger>());
    EXPECT_THAT(counts.attempted_by_depth, IsEmpty());
    EXPECT_EQ(counts.attempted, 0U);
    EXPECT_EQ(counts.max_depth, 0U);
}

TEST(LaunchCounts, ReachTheDeepestLevelOfTheLedger)
{
    const auto ledger = std::make_unique<Ledger>();
    ledger->attempted[kLedgerLevels - 1] = 1;
    const LaunchCounts counts = counts_of(*ledger);
    EXPECT_EQ(counts.attempted_by_depth.size(), kLedgerLevels);
    EXPECT_EQ(counts.max_depth, kLedgerLevels);
}

// By the oracle: 100 launches in two levels.
ExpectedLaunches judged_by_need()
{
    ExpectedLaunches form{.by_depth = {60, 40}};
    form.by_root = {50, 50};
    return form;
}

TEST(Judge, ARefusedLaunchIsAFailureUnlessItWasReplaced)
{
    const Events replaced{.failed = 13, .requests = RequestSample{.items = 100, .replaced = 13}};
    expect(Status::ok, "", judged({60, 40}, judged_by_need(), replaced));
    expect(
        Status::launch_failed, "13 of 100 device launches failed",
        judged({60, 40}, judged_by_need(), {.failed = 13, .requests = RequestSample{.items = 100, .replaced = 12}}));
    expect(Status::launch_failed, "cudaErrorLaunchOutOfResources", // no other error may be replaced
           judged({60, 40}, judged_by_need(), replaced, "cudaErrorLaunchOutOfResources"));
}

// The tail launches that drain refused items are launches too, but the oracle does not know how many there are.
TEST(Judge, DrainsAreCountedBesideTheLaunchesOfTheOracle)
{
    const auto status = [](std::uint64_t failed, const RequestSample& requests) {
        return judged({63, 41}, judged_by_need(), {.failed = failed, .requests = requests});
    };
    expect(Status::ok, "", status(20, {.items = 100, .replaced = 20, .drains = 4}));
    // One of the drains was refused as well.
    expect(Status::ok, "", status(21, {.items = 100, .replaced = 20, .drains = 4, .drains_refused = 1}));
    expect(Status::count_mismatch, "", status(0, {.items = 100, .drains = 3}));
    expect(Status::count_mismatch, "", status(0, {.items = 100, .drains = 5}));
}

// A row that is not ok must say why, also if a user's workload only sets the status.
TEST(Judge, AWrongAnswerWithoutADetailIsDescribedByTheTwoAnswers)
{
    const auto detail = [](const std::string& answer, const std::string& reference, unsigned failed = 0) {
        Sample sample{.status = Status::wrong, .launches = LaunchCounts{.failed = failed}};
        sample.answer = answer;
        sample.reference = reference;
        judge_launches(sample, ExpectedLaunches::unknown(1), kPending);
        return why_not_ok(sample);
    };
    EXPECT_EQ(detail("41", "42"), "wrong: answer 41, reference 42");
    EXPECT_EQ(detail("41", ""), "wrong: answer 41, reference not given");
    EXPECT_EQ(detail("", "42"), "wrong: answer not given, reference 42");
    EXPECT_EQ(detail("", ""), "wrong: the workload found the answer wrong and gave no detail");
    EXPECT_THAT(detail("41", "42", 1), StartsWith("launch_failed: 1 "));
}

// Where the order of execution decides, the kernels say how many launches they wanted.
TEST(Judge, LaunchesByOrderAreComparedWithWhatTheKernelsWanted)
{
    const ExpectedLaunches form{.by_depth = {100}, .by_order = true};
    const auto with = [&](unsigned grids) {
        return judged(
            {12}, form,
            {.failed = 3, .requests = RequestSample{.items = 100, .replaced = 3, .drains = 2, .grids = grids}});
    };
    expect(Status::ok, "", with(10));
    for (const unsigned grids : {9U, 11U})
        expect(Status::count_mismatch,
               "the ledger counted 12 device launches; the kernels wanted " + std::to_string(grids + 2), with(grids));
}

TEST(Judge, DataDependentLaunchesAreComparedByDepthIfNothingIsDrained)
{
    expect(Status::count_mismatch, "", judged({59, 41}, judged_by_need(), {.requests = RequestSample{.items = 100}}));
}

} // namespace
} // namespace nestbed
