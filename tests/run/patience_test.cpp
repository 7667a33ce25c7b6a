// How long a session waits for an answer, with a clock that the tests set.
#include "run/patience.hpp"

#include "support/matchers.hpp"

namespace nestbed
{
namespace
{

using namespace std::chrono_literals;

constexpr Patience::Time kStart{1h};

TEST(Patience, LastsAsLongAsItsTimeout)
{
    Patience patience(2s, kStart);
    EXPECT_EQ(patience.left(kStart), 2s);
    EXPECT_EQ(patience.left(kStart + 500ms), 1500ms);
    EXPECT_EQ(patience.left(kStart + 2s - 1us), 1ms); // waits are in whole milliseconds, rounded up
    EXPECT_EQ(patience.left(kStart + 2s), std::nullopt);
}

TEST(Patience, BeginsAgainWithASignOfLife)
{
    Patience patience(2s, kStart);
    patience.sign_of_life(kStart + 1500ms);
    EXPECT_EQ(patience.left(kStart + 2s), 1500ms);
    EXPECT_EQ(patience.left(kStart + 3500ms), std::nullopt);
}

// A machine under load is late too, but less than this.
TEST(Patience, IsOverWhereItsEndIsSeenALittleLate)
{
    Patience patience(2s, kStart);
    EXPECT_EQ(patience.left(kStart + 2s + kOverslept), std::nullopt);
}

TEST(Patience, HasNotWaitedWhileTheProcessesWereStopped)
{
    Patience patience(2s, kStart);
    const Patience::Time awake = kStart + 2s + kOverslept + 1ms;
    EXPECT_EQ(patience.left(awake), 2s);
    EXPECT_EQ(patience.left(awake + 500ms), 1500ms);
    EXPECT_EQ(patience.left(awake + 2s), std::nullopt);
    EXPECT_EQ(patience.left(awake + 1h), 2s); // the wait starts again
}

TEST(Patience, LastsNoLongerThanTheGraceOnceAStopIsAskedFor)
{
    Patience patience(1h, kStart);
    EXPECT_FALSE(patience.stopping());
    patience.stop(kStart);
    EXPECT_TRUE(patience.stopping());
    patience.sign_of_life(kStart + 1s);
    EXPECT_EQ(patience.left(kStart + 1s), kStopGrace - 1s);
    EXPECT_EQ(patience.left(kStart + kStopGrace), std::nullopt);
    EXPECT_EQ(patience.left(kStart + 10min), kStopGrace); // the grace period, not the timeout

    Patience hurried(1s, kStart);
    hurried.stop(kStart);
    EXPECT_EQ(hurried.left(kStart), 1s);
}

// A rough estimate counts 50 times, what was measured 20 times, and the given timeout is the least.
TEST(SampleTimeouts, FollowTheEstimateThenTheLongestSample)
{
    SampleTimeouts timeouts(10s, [](const Case& point) { return 1e6 * point.grid; });
    const Case small{.strategy = "nosync", .grid = 1};
    const Case large{.strategy = "nosync", .grid = 100};
    EXPECT_EQ(timeouts.of(small), 50s);
    EXPECT_EQ(timeouts.of(large), 5000s);
    timeouts.took(large, 2s);
    EXPECT_EQ(timeouts.of(large), 40s);
    timeouts.took(large, 1s);
    EXPECT_EQ(timeouts.of(large), 40s);
    EXPECT_EQ(timeouts.of(small), 50s);
    timeouts.took(small, 400ms);
    EXPECT_EQ(timeouts.of(small), 10s);
    timeouts.took(small, 600s); // it was estimated too low
    EXPECT_EQ(timeouts.of(small), 12000s);
    timeouts.forget();
    EXPECT_EQ(timeouts.of(large), 5000s);
}

TEST(SampleTimeouts, AreAsTheUserSaysWithoutAnEstimate)
{
    SampleTimeouts timeouts(10s, {});
    timeouts.took({}, 1h);
    EXPECT_EQ(timeouts.of({}), 10s);
}

} // namespace
} // namespace nestbed
