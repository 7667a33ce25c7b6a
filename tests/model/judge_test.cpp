// What the ledger tells about a sample.
#include "model/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>

namespace nestbed
{
namespace
{

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A sample with a right answer, both times and latencies. All its launches, given by depth, were accepted.
Sample sample_of(std::vector<std::uint64_t> by_depth)
{
    LaunchCounts counts;
    counts.attempted = std::accumulate(by_depth.begin(), by_depth.end(), std::uint64_t{0});
    counts.max_depth = static_cast<unsigned>(by_depth.size());
    counts.attempted_by_depth = std::move(by_depth);
    Sample sample{.gpu_us = 20.7, .wall_us = 25.1, .launches = counts, .latencies_us = {1.5, 2.5}};
    sample.pending_limit = 2048;
    return sample;
}

void expect_no_times(const Sample& sample)
{
    EXPECT_EQ(sample.gpu_us, std::nullopt);
    EXPECT_EQ(sample.wall_us, std::nullopt);
    EXPECT_THAT(sample.latencies_us, IsEmpty());
}

TEST(Judge, LaunchesAsInTheClosedFormAreOkAndKeepTheirTimes)
{
    Sample sample = sample_of({100, 100, 100});
    judge_launches(sample, ExpectedLaunches::chain_per_block(100, 3), "");
    EXPECT_EQ(sample.status, Status::ok);
    EXPECT_EQ(sample.detail, "");
    EXPECT_EQ(sample.gpu_us, 20.7);
    EXPECT_EQ(sample.wall_us, 25.1);
    EXPECT_THAT(sample.latencies_us, ElementsAre(1.5, 2.5));
}

TEST(Judge, NoLaunchWhereNoneIsExpectedIsOk)
{
    Sample sample = sample_of({});
    judge_launches(sample, ExpectedLaunches::none(), "");
    EXPECT_EQ(sample.status, Status::ok);
}

TEST(Judge, AnyNumberOfLaunchesIsOkWhereItIsUnknownButNoneMayFail)
{
    Sample sample = sample_of({3, 141, 5});
    judge_launches(sample, ExpectedLaunches::unknown(8), "");
    EXPECT_EQ(sample.status, Status::ok);
    sample.launches->failed = 1;
    judge_launches(sample, ExpectedLaunches::unknown(8), "cudaErrorLaunchPendingCountExceeded");
    EXPECT_EQ(sample.status, Status::launch_failed);
}

TEST(Judge, AFailedLaunchIsLaunchFailedWithCountsErrorAndLimit)
{
    Sample sample = sample_of({100, 100});
    sample.launches->failed = 7;
    judge_launches(sample, ExpectedLaunches::chain_per_block(100, 2), "cudaErrorLaunchPendingCountExceeded");
    EXPECT_EQ(sample.status, Status::launch_failed);
    EXPECT_EQ(sample.detail, "7 of 200 device launches failed with cudaErrorLaunchPendingCountExceeded under a "
                             "pending-launch limit of 2048");
    expect_no_times(sample);
}

TEST(Judge, AParentThatGaveUpIsATimeout)
{
    Sample sample = sample_of({100, 100});
    sample.launches->waits_given_up = 3;
    judge_launches(sample, ExpectedLaunches::chain_per_block(100, 2), "");
    EXPECT_EQ(sample.status, Status::timeout);
    EXPECT_THAT(sample.detail, HasSubstr("3 parents gave up waiting for their child"));
    expect_no_times(sample);
}

TEST(Judge, ADifferenceAtOneDepthIsACountMismatchEvenWhereTheTotalIsRight)
{
    Sample sample = sample_of({99, 101});
    judge_launches(sample, ExpectedLaunches::chain_per_block(100, 2), "");
    EXPECT_EQ(sample.status, Status::count_mismatch);
    EXPECT_THAT(sample.detail, AllOf(HasSubstr("counted [99 101]"), HasSubstr("closed form says [100 100]")));
    expect_no_times(sample);
}

TEST(Judge, ALevelTooManyOrTooFewIsACountMismatch)
{
    for (const std::vector<std::uint64_t>& counted : {std::vector<std::uint64_t>{4}, {4, 4, 4}, {}}) {
        Sample sample = sample_of(counted);
        judge_launches(sample, ExpectedLaunches::chain_per_block(4, 2), "");
        EXPECT_EQ(sample.status, Status::count_mismatch) << counted.size() << " levels";
        expect_no_times(sample);
    }
}

TEST(Judge, AWrongAnswerWithRightLaunchesStaysWrongAndLosesItsTimes)
{
    Sample sample = sample_of({4, 4});
    sample.status = Status::wrong;
    sample.detail = "1 of 4 block sums are wrong";
    judge_launches(sample, ExpectedLaunches::chain_per_block(4, 2), "");
    EXPECT_EQ(sample.status, Status::wrong);
    EXPECT_EQ(sample.detail, "1 of 4 block sums are wrong");
    expect_no_times(sample);
}

TEST(Judge, WhatTheLaunchesDidComesBeforeWhatTheAnswerIs)
{
    Sample sample = sample_of({4, 4});
    sample.status = Status::wrong;
    sample.detail = "1 of 4 block sums are wrong";
    sample.launches->failed = 1;
    judge_launches(sample, ExpectedLaunches::chain_per_block(4, 2), "cudaErrorLaunchPendingCountExceeded");
    EXPECT_EQ(sample.status, Status::launch_failed);
    EXPECT_THAT(sample.detail, HasSubstr("1 of 8 device launches failed"));
}

TEST(Judge, FailedLaunchesComeBeforeWaitsAndWaitsBeforeCounts)
{
    Sample both = sample_of({4, 3});
    both.launches->failed = 1;
    both.launches->waits_given_up = 1;
    judge_launches(both, ExpectedLaunches::chain_per_block(4, 2), "cudaErrorUnknown");
    EXPECT_EQ(both.status, Status::launch_failed);

    Sample waited = sample_of({4, 3});
    waited.launches->waits_given_up = 1;
    judge_launches(waited, ExpectedLaunches::chain_per_block(4, 2), "");
    EXPECT_EQ(waited.status, Status::timeout);
}

TEST(Judge, KeepsTheErrorOfAWrongAnswerAndDropsThatOfAnUnfinishedOne)
{
    Sample wrong = sample_of({4, 4});
    wrong.status = Status::wrong;
    wrong.relative_error = 0.25;
    judge_launches(wrong, ExpectedLaunches::chain_per_block(4, 2), "");
    EXPECT_EQ(wrong.relative_error, 0.25);
    Sample failed = sample_of({4, 4});
    failed.status = Status::wrong;
    failed.relative_error = 0.25;
    failed.launches->failed = 1;
    judge_launches(failed, ExpectedLaunches::chain_per_block(4, 2), "");
    EXPECT_EQ(failed.relative_error, std::nullopt);
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
ExpectedLaunches by_need()
{
    ExpectedLaunches form{.by_depth = {60, 40}};
    form.by_root = {50, 50};
    return form;
}

TEST(Judge, ARefusedLaunchThatWasReplacedIsNoFailure)
{
    Sample sample = sample_of({60, 40});
    sample.launches->failed = 13;
    sample.requests = RequestSample{.items = 100, .replaced = 13};
    judge_launches(sample, by_need(), "cudaErrorLaunchPendingCountExceeded");
    EXPECT_EQ(sample.status, Status::ok) << sample.detail;
    EXPECT_EQ(sample.gpu_us, 20.7);
}

TEST(Judge, ARefusedLaunchThatWasNotReplacedIsLaunchFailed)
{
    Sample sample = sample_of({60, 40});
    sample.launches->failed = 13;
    sample.requests = RequestSample{.items = 100, .replaced = 12};
    judge_launches(sample, by_need(), "cudaErrorLaunchPendingCountExceeded");
    EXPECT_EQ(sample.status, Status::launch_failed);
    EXPECT_THAT(sample.detail, HasSubstr("13 of 100 device launches failed"));
    expect_no_times(sample);
}

TEST(Judge, AnyOtherErrorIsAFailureAlsoIfReplaced)
{
    Sample sample = sample_of({60, 40});
    sample.launches->failed = 13;
    sample.requests = RequestSample{.items = 100, .replaced = 13};
    judge_launches(sample, by_need(), "cudaErrorLaunchOutOfResources");
    EXPECT_EQ(sample.status, Status::launch_failed);
    EXPECT_THAT(sample.detail, HasSubstr("cudaErrorLaunchOutOfResources"));
    expect_no_times(sample);
}

// The tail launches that drain refused items are launches too, but the oracle does not know how many there are.
TEST(Judge, DrainsAreCountedBesideTheLaunchesOfTheOracle)
{
    Sample sample = sample_of({63, 41});
    sample.launches->failed = 20;
    sample.requests = RequestSample{.items = 100, .replaced = 20, .drains = 4};
    judge_launches(sample, by_need(), "cudaErrorLaunchPendingCountExceeded");
    EXPECT_EQ(sample.status, Status::ok) << sample.detail;

    sample = sample_of({63, 41});
    sample.launches->failed = 21; // one of the drains was refused as well
    sample.requests = RequestSample{.items = 100, .replaced = 20, .drains = 4, .drains_refused = 1};
    judge_launches(sample, by_need(), "cudaErrorLaunchPendingCountExceeded");
    EXPECT_EQ(sample.status, Status::ok) << sample.detail;

    for (const unsigned drains : {3U, 5U}) {
        sample = sample_of({63, 41});
        sample.requests = RequestSample{.items = 100, .drains = drains};
        judge_launches(sample, by_need(), "cudaErrorLaunchPendingCountExceeded");
        EXPECT_EQ(sample.status, Status::count_mismatch) << drains;
        expect_no_times(sample);
    }
}

// Where the order of execution decides, the kernels say how many launches they wanted.
TEST(Judge, LaunchesByOrderAreComparedWithWhatTheKernelsWanted)
{
    const ExpectedLaunches form{.by_depth = {100}, .by_order = true};
    for (const unsigned grids : {9U, 10U, 11U}) {
        Sample sample = sample_of({12});
        sample.launches->failed = 3;
        sample.requests = RequestSample{.items = 100, .replaced = 3, .drains = 2, .grids = grids};
        judge_launches(sample, form, "cudaErrorLaunchPendingCountExceeded");
        EXPECT_EQ(sample.status, grids == 10 ? Status::ok : Status::count_mismatch) << sample.detail;
        if (grids != 10) {
            EXPECT_THAT(sample.detail, HasSubstr("the ledger counted 12 device launches; the kernels wanted " +
                                                 std::to_string(grids + 2)));
        }
    }
}

TEST(Judge, DataDependentLaunchesAreComparedDepthByDepthWhereNothingIsDrained)
{
    Sample sample = sample_of({59, 41});
    sample.requests = RequestSample{.items = 100};
    judge_launches(sample, by_need(), "");
    EXPECT_EQ(sample.status, Status::count_mismatch);
}

} // namespace
} // namespace nestbed
