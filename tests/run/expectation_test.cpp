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

CaseResult waved(const std::string& strategy, const std::vector<Status>& statuses)
{
    CaseResult result = rows(strategy, statuses);
    result.point.wave = 2;
    return result;
}

std::string none_of(Status expect, const std::string& strategy)
{
    return "expect = " + std::string(name_of(expect)) + ": no row of " + strategy + " has this status";
}

std::string prone(Status expect)
{
    return "expect = " + std::string(name_of(expect)) + ": no case here is prone to it";
}

struct Expected {
    std::vector<CaseResult> results;
    std::vector<std::string> surprises;
};

void expect_surprises(Status expect, const std::vector<Expected>& all)
{
    for (std::size_t number = 0; number < all.size(); ++number)
        EXPECT_EQ(surprises_in(expect, all[number].results), all[number].surprises) << "number " << number;
}

TEST(Expect, OkCountsEveryRowThatIsNotWhateverItIs)
{
    expect_surprises(
        ok, {{{}, {}},
             {{rows("nosync", {ok, ok}), limited("nosync", {ok}), rows("neighbored", {ok})}, {}},
             {{rows("nosync", {ok, wrong, launch_failed}), limited("nosync", {launch_failed, count_mismatch, ok}),
               rows("cub", {unsupported}), rows("synced", {timeout}), rows("host", {crashed})},
              {rows_not(7, "ok")}}});
}

TEST(Expect, WrongIsMetByEachRacyStrategyThatIsWrongNowAndThen)
{
    expect_surprises(wrong, {{{rows("nosync", {ok, wrong, ok}), rows("neighbored", {ok})}, {}},
                             {{rows("nosync", {wrong, wrong})}, {}},
                             {{rows("nosync", {ok, ok}), rows("nosync", {ok, wrong})}, {}},
                             {{rows("nosync", {ok, ok})}, {none_of(wrong, "nosync")}},
                             {{rows("nosync", {ok}), rows("reduce2", {ok, wrong})}, {none_of(wrong, "nosync")}},
                             {{rows("nosync", {ok}), rows("reduce2", {ok})},
                              {none_of(wrong, "nosync"), none_of(wrong, "reduce2")}},
                             // a litmus pattern may never be wrong
                             {{rows("litmus_counter", {ok, ok})}, {}},
                             {{rows("litmus_counter", {ok, wrong})}, {}},
                             {{rows("litmus_counter", {ok}), rows("nosync", {ok})}, {none_of(wrong, "nosync")}}});
}

// A race in a case that did not run has not been shown.
TEST(Expect, WrongAllowsNothingElseAndNothingToOthers)
{
    const std::string one = rows_not(1, "as expected");
    expect_surprises(wrong, {{{rows("nosync", {wrong, launch_failed, timeout})}, {rows_not(2, "as expected")}},
                             {{rows("nosync", {wrong}), rows("barrier", {wrong, ok})}, {one}},
                             {{rows("neighbored", {ok})}, {prone(wrong)}},
                             {{rows("neighbored", {wrong})}, {one, prone(wrong)}},
                             {{rows("nosync", {unsupported})}, {one, none_of(wrong, "nosync")}},
                             {{rows("nosync", {wrong}), rows("cub", {unsupported})}, {one}}});
}

// One refused case per strategy is enough, because one of its limits may be large enough.
TEST(Expect, LaunchFailedIsMetByRefusalsUnderAFixedLimit)
{
    CaseResult failed = rows("nosync", {launch_failed});
    failed.point.overflow = Overflow::fail; // the case asks to fail
    EXPECT_TRUE(is_finding(launch_failed, failed.point, launch_failed));
    const std::string one = rows_not(1, "as expected");
    const std::string none = none_of(launch_failed, "nosync");
    expect_surprises(
        launch_failed,
        {{{limited("nosync", {launch_failed, ok}), rows("nosync", {ok}), limited("neighbored", {ok})}, {}},
         {{limited("nosync", {ok}), limited("nosync", {launch_failed})}, {}},
         {{failed}, {}},
         {{limited("nosync", {ok})}, {none}},
         {{limited("nosync", {unsupported})}, {one, none}},
         {{limited("nosync", {launch_failed, wrong})}, {one}},
         {{limited("nosync", {launch_failed}), rows("nosync", {launch_failed})}, {one}}, // the limit is automatic
         {{rows("nosync", {ok})}, {prone(launch_failed)}},
         {{limited("neighbored", {ok})}, {prone(launch_failed)}},
         {{limited("chain", {ok}, Mechanism::host)}, {prone(launch_failed)}},
         {{limited("chain", {ok}, Mechanism::tail)}, {none_of(launch_failed, "chain")}}});
}

TEST(Expect, TimeoutIsMetByOneHungCaseAndAllowsRefusalsUnderALimit)
{
    expect_surprises(timeout, {{{limited("lanes_at_once", {ok, timeout}), limited("lanes_at_once", {launch_failed}),
                                 limited("nosync", {launch_failed}), rows("lanes_at_once", {ok})},
                                {}},
                               {{limited("lanes_at_once", {ok})}, {none_of(timeout, "lanes_at_once")}},
                               {{limited("lanes_at_once", {timeout}), limited("nosync", {timeout}),
                                 rows("lanes_at_once", {timeout, launch_failed})},
                                {rows_not(3, "as expected")}}});
    EXPECT_TRUE(is_finding(timeout, limited("lanes_at_once", {}).point, timeout));
    EXPECT_TRUE(is_finding(timeout, limited("nosync", {}).point, launch_failed));
    EXPECT_FALSE(is_finding(timeout, rows("lanes_at_once", {}).point, timeout));
    EXPECT_FALSE(is_finding(ok, limited("lanes_at_once", {}).point, launch_failed));
}

TEST(Expect, UnsupportedIsMetByFixedWavesThatCannotBeLaunched)
{
    CaseResult streams = rows("synced", {unsupported});
    streams.point.streams = 7;
    const std::string one = rows_not(1, "as expected");
    expect_surprises(unsupported,
                     {{{waved("synced", {unsupported}), waved("synced", {ok, ok}), rows("synced", {ok})}, {}},
                      {{streams}, {}},
                      {{waved("synced", {unsupported}), rows("synced", {unsupported})}, {one}},
                      {{waved("synced", {unsupported, wrong})}, {one}},
                      {{waved("synced", {ok})}, {none_of(unsupported, "synced")}},
                      {{rows("neighbored", {ok})}, {prone(unsupported)}}});
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
    for (const Status status : {ok, wrong, launch_failed, unsupported, timeout})
        EXPECT_EQ(plan_of(("--strategy nosync --expect " + std::string(name_of(status))).c_str()).expect, status);
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
