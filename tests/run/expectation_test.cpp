// Whether the results are those that the experiment expects, from samples made by hand.
#include "run/expectation.hpp"

#include "support/plan_support.hpp"

namespace nestbed
{
namespace
{

using enum Status;

CaseResult rows(const std::string& strategy, const std::vector<Status>& statuses)
{
    CaseResult result{.point = {.strategy = strategy, .grid = 4, .block = 16}};
    for (const Status status : statuses)
        result.keep({.status = status});
    return result;
}

CaseResult limited(const std::string& strategy, const std::vector<Status>& statuses,
                   std::optional<Mechanism> mechanism = {})
{
    CaseResult result = rows(strategy, statuses);
    result.point.pending_limit = 2;
    result.point.mechanism = mechanism;
    return result;
}

std::string rows_not(std::size_t count, const std::string& what)
{
    return std::to_string(count) + " rows are not " + what + "; their status and detail say why";
}

const std::string kWrongUnshown = "expect = wrong: no row of nosync has this status";
const std::string kFailedUnshown = "expect = launch_failed: no row of nosync has this status";

TEST(ExpectOk, HasNoSurprisesWhereEveryRowIsOk)
{
    EXPECT_THAT(surprises_in(ok, {}), IsEmpty());
    EXPECT_THAT(surprises_in(ok, {rows("nosync", {ok, ok}), limited("nosync", {ok}), rows("neighbored", {ok})}),
                IsEmpty());
}

TEST(ExpectOk, CountsEveryRowThatIsNotWhateverItIs)
{
    EXPECT_THAT(surprises_in(ok, {rows("nosync", {ok, wrong, launch_failed}),
                                  limited("nosync", {launch_failed, count_mismatch, ok}), rows("cub", {unsupported}),
                                  rows("synced", {timeout}), rows("host", {crashed})}),
                ElementsAre(rows_not(7, "ok")));
}

TEST(ExpectWrong, IsMetByALitmusPatternThatIsNeverWrong)
{
    EXPECT_THAT(surprises_in(wrong, {rows("litmus_counter", {ok, ok})}), IsEmpty());
    EXPECT_THAT(surprises_in(wrong, {rows("litmus_counter", {ok, wrong})}), IsEmpty());
    EXPECT_THAT(surprises_in(wrong, {rows("litmus_counter", {ok}), rows("nosync", {ok})}),
                ElementsAre(kWrongUnshown));
}

TEST(ExpectWrong, IsMetByARacyStrategyThatIsWrongNowAndThen)
{
    EXPECT_THAT(surprises_in(wrong, {rows("nosync", {ok, wrong, ok}), rows("neighbored", {ok})}), IsEmpty());
    EXPECT_THAT(surprises_in(wrong, {rows("nosync", {wrong, wrong})}), IsEmpty());
    EXPECT_THAT(surprises_in(wrong, {rows("nosync", {ok, ok}), rows("nosync", {ok, wrong})}), IsEmpty());
}

TEST(ExpectWrong, IsNotMetByARaceThatNeverShows)
{
    EXPECT_THAT(surprises_in(wrong, {rows("nosync", {ok, ok})}), ElementsAre(kWrongUnshown));
    EXPECT_THAT(surprises_in(wrong, {rows("nosync", {ok}), rows("reduce2", {ok, wrong})}),
                ElementsAre(kWrongUnshown));
    EXPECT_THAT(surprises_in(wrong, {rows("nosync", {ok}), rows("reduce2", {ok})}),
                ElementsAre(kWrongUnshown, "expect = wrong: no row of reduce2 has this status"));
}

TEST(ExpectWrong, AllowsNothingButWrongAndNothingToOthers)
{
    EXPECT_THAT(surprises_in(wrong, {rows("nosync", {wrong, launch_failed, timeout})}),
                ElementsAre(rows_not(2, "as expected")));
    EXPECT_THAT(surprises_in(wrong, {rows("nosync", {wrong}), rows("barrier", {wrong, ok})}),
                ElementsAre(rows_not(1, "as expected")));
}

TEST(ExpectWrong, IsNotMetWhereNothingIsProneToIt)
{
    EXPECT_THAT(surprises_in(wrong, {rows("neighbored", {ok})}),
                ElementsAre("expect = wrong: no case here is prone to it"));
    EXPECT_THAT(surprises_in(wrong, {rows("neighbored", {wrong})}),
                ElementsAre(rows_not(1, "as expected"), "expect = wrong: no case here is prone to it"));
}

// A race in a case that did not run has not been shown.
TEST(ExpectWrong, IsNotMetByUnsupportedRows)
{
    EXPECT_THAT(surprises_in(wrong, {rows("nosync", {unsupported})}),
                ElementsAre(rows_not(1, "as expected"), kWrongUnshown));
    EXPECT_THAT(surprises_in(wrong, {rows("nosync", {wrong}), rows("cub", {unsupported})}),
                ElementsAre(rows_not(1, "as expected")));
}

TEST(ExpectLaunchFailed, IsMetByLaunchesRefusedUnderAFixedLimit)
{
    EXPECT_THAT(surprises_in(launch_failed, {limited("nosync", {launch_failed, ok}), rows("nosync", {ok}),
                                             limited("neighbored", {ok})}),
                IsEmpty());
    // One refused case per strategy is enough, because one of its limits may be large enough.
    EXPECT_THAT(surprises_in(launch_failed, {limited("nosync", {ok}), limited("nosync", {launch_failed})}),
                IsEmpty());
}

TEST(ExpectLaunchFailed, IsMetWhereTheCaseAsksToFail)
{
    CaseResult failed = rows("nosync", {launch_failed});
    failed.point.overflow = Overflow::fail;
    EXPECT_THAT(surprises_in(launch_failed, {failed}), IsEmpty());
    EXPECT_TRUE(is_finding(launch_failed, failed.point, launch_failed));
}

TEST(ExpectTimeout, IsMetByOneHungCaseAndAllowsRefusalsUnderAFixedLimit)
{
    EXPECT_THAT(
        surprises_in(timeout, {limited("lanes_at_once", {ok, timeout}), limited("lanes_at_once", {launch_failed}),
                               limited("nosync", {launch_failed}), rows("lanes_at_once", {ok})}),
        IsEmpty());
    EXPECT_THAT(surprises_in(timeout, {limited("lanes_at_once", {ok})}),
                ElementsAre("expect = timeout: no row of lanes_at_once has this status"));
    EXPECT_THAT(surprises_in(timeout, {limited("lanes_at_once", {timeout}), limited("nosync", {timeout}),
                                       rows("lanes_at_once", {timeout, launch_failed})}),
                ElementsAre(rows_not(3, "as expected")));
    EXPECT_TRUE(is_finding(timeout, limited("lanes_at_once", {}).point, timeout));
    EXPECT_TRUE(is_finding(timeout, limited("nosync", {}).point, launch_failed));
    EXPECT_FALSE(is_finding(timeout, rows("lanes_at_once", {}).point, timeout));
    EXPECT_FALSE(is_finding(ok, limited("lanes_at_once", {}).point, launch_failed));
}

TEST(ExpectLaunchFailed, IsNotMetWhereNoneIsRefused)
{
    EXPECT_THAT(surprises_in(launch_failed, {limited("nosync", {ok})}), ElementsAre(kFailedUnshown));
    EXPECT_THAT(surprises_in(launch_failed, {limited("nosync", {unsupported})}),
                ElementsAre(rows_not(1, "as expected"), kFailedUnshown));
}

TEST(ExpectLaunchFailed, AllowsNoWrongAnswerAndNoRefusalUnderAnAutomaticLimit)
{
    EXPECT_THAT(surprises_in(launch_failed, {limited("nosync", {launch_failed, wrong})}),
                ElementsAre(rows_not(1, "as expected")));
    EXPECT_THAT(surprises_in(launch_failed, {limited("nosync", {launch_failed}), rows("nosync", {launch_failed})}),
                ElementsAre(rows_not(1, "as expected")));
}

TEST(ExpectLaunchFailed, IsNotMetWhereNothingIsLaunchedFromTheDeviceUnderAFixedLimit)
{
    const std::string none = "expect = launch_failed: no case here is prone to it";
    EXPECT_THAT(surprises_in(launch_failed, {rows("nosync", {ok})}), ElementsAre(none));
    EXPECT_THAT(surprises_in(launch_failed, {limited("neighbored", {ok})}), ElementsAre(none));
    EXPECT_THAT(surprises_in(launch_failed, {limited("chain", {ok}, Mechanism::host)}), ElementsAre(none));
    EXPECT_THAT(surprises_in(launch_failed, {limited("chain", {ok}, Mechanism::tail)}),
                ElementsAre("expect = launch_failed: no row of chain has this status"));
}

CaseResult waved(const std::string& strategy, const std::vector<Status>& statuses)
{
    CaseResult result = rows(strategy, statuses);
    result.point.wave = 2;
    return result;
}

TEST(ExpectUnsupported, AllowsFixedWavesThatCannotBeLaunched)
{
    EXPECT_THAT(
        surprises_in(unsupported, {waved("synced", {unsupported}), waved("synced", {ok, ok}), rows("synced", {ok})}),
        IsEmpty());
    CaseResult streams = rows("synced", {unsupported});
    streams.point.streams = 7;
    EXPECT_THAT(surprises_in(unsupported, {streams}), IsEmpty());
}

TEST(ExpectUnsupported, AllowsNothingElse)
{
    EXPECT_THAT(surprises_in(unsupported, {waved("synced", {unsupported}), rows("synced", {unsupported})}),
                ElementsAre(rows_not(1, "as expected")));
    EXPECT_THAT(surprises_in(unsupported, {waved("synced", {unsupported, wrong})}),
                ElementsAre(rows_not(1, "as expected")));
    EXPECT_THAT(surprises_in(unsupported, {waved("synced", {ok})}),
                ElementsAre("expect = unsupported: no row of synced has this status"));
    EXPECT_THAT(surprises_in(unsupported, {rows("neighbored", {ok})}),
                ElementsAre("expect = unsupported: no case here is prone to it"));
}

// A row that is not a finding is a failure, which --retry-failed measures again.
TEST(Finding, IsOkUnsupportedOrWhatIsExpectedOfTheCase)
{
    const Case racy = rows("nosync", {}).point;
    const Case sound = rows("neighbored", {}).point;
    for (const Case& point : {racy, sound})
        for (const Status expect : {ok, wrong, launch_failed, unsupported}) {
            EXPECT_TRUE(is_finding(expect, point, ok));
            EXPECT_TRUE(is_finding(expect, point, unsupported));
            EXPECT_FALSE(is_finding(expect, point, crashed));
            EXPECT_FALSE(is_finding(expect, point, launch_failed)); // the limit is automatic
        }
    EXPECT_TRUE(is_finding(wrong, racy, wrong));
    EXPECT_FALSE(is_finding(ok, racy, wrong));
    EXPECT_FALSE(is_finding(wrong, sound, wrong));
    EXPECT_TRUE(is_finding(launch_failed, limited("nosync", {}).point, launch_failed));
}

TEST(ExpectKey, IsOneOfSixAndOkUnlessSaid)
{
    EXPECT_EQ(plan_of("--strategy nosync").expect, ok);
    EXPECT_EQ(plan_of("--strategy nosync --expect ok").expect, ok);
    EXPECT_EQ(plan_of("--strategy nosync --expect wrong").expect, wrong);
    EXPECT_EQ(plan_of("--strategy nosync --expect launch_failed").expect, launch_failed);
    EXPECT_EQ(plan_of("--strategy nosync --expect unsupported").expect, unsupported);
    EXPECT_EQ(plan_of("--strategy nosync --expect timeout").expect, timeout);
    const Plan race = plan_of("--strategy nosync --expect race");
    EXPECT_EQ(race.expect, ok);
    EXPECT_TRUE(race.expect_race);
    EXPECT_FALSE(plan_of("--strategy nosync --expect ok").expect_race);
}

TEST(ExpectKey, RefusesAnyOtherWithTheNearest)
{
    EXPECT_EQ(refusal("--strategy nosync --expect launch_fail"),
              "--expect launch_fail: there is no expectation 'launch_fail', did you mean 'launch_failed'?; allowed: "
              "ok, wrong, launch_failed, unsupported, timeout, race");
    for (const std::string status : {"crashed", "ok,wrong", ""})
        EXPECT_EQ(refusal({{"strategy", "nosync"}, {"expect", status}}),
                  "--expect " + status + ": there is no expectation '" + status +
                      "'; allowed: ok, wrong, launch_failed, unsupported, timeout, race");
    EXPECT_EQ(refusal("--strategy nosync --expect ok --expect wrong"),
              "--expect wrong: expect was given before; it takes one value");
}

} // namespace
} // namespace nestbed
