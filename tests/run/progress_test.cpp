// What a run reports about the time left.
#include "run/progress.hpp"

#include "support/environment_support.hpp"
#include "support/matchers.hpp"

#include <chrono>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

std::function<double()> microseconds(double us)
{
    return [us] { return us; };
}

TEST(Progress, HasSamplesTimeLeftAndRowsThatAreNotOk)
{
    EXPECT_EQ(progress_text({.done = 60, .all = 110, .left_us = microseconds(99e6)}),
              "60 of 110 samples, about 99 s left");
    EXPECT_EQ(progress_text({.done = 9, .all = 9, .left_us = microseconds(0), .bad = 2}),
              "9 of 9 samples, about 0 s left, 2 not ok");
    EXPECT_EQ(progress_text({.done = 3, .all = 9}), "3 of 9 samples");
}

TEST(Progress, NamesTheCaseThatRuns)
{
    Case point{.strategy = "nosync", .grid = 64, .block = 512};
    EXPECT_EQ(progress_text({.done = 0, .all = 9, .bad = 1, .present = &point}),
              "0 of 9 samples, 1 not ok: nosync 64 x 512");
    point.nx = 30;
    point.ny = 40;
    EXPECT_EQ(progress_text({.done = 0, .all = 9, .present = &point}), "0 of 9 samples: nosync 30 x 40");
    point.ny = 0; // as a program of a user's own may have it
    EXPECT_EQ(progress_text({.done = 0, .all = 9, .present = &point}), "0 of 9 samples: nosync 30");
}

// Shows progress at these times after the start, and returns what was printed each time.
std::vector<std::string> shown(bool terminal, const std::vector<std::chrono::milliseconds>& times)
{
    ProgressReport::Clock::time_point now{std::chrono::hours(1)};
    const ProgressReport::Clock::time_point start = now;
    std::ostringstream err;
    ProgressReport report(err, terminal, [&] { return now; });
    std::vector<std::string> texts;
    for (const std::chrono::milliseconds time : times) {
        now = start + time;
        err.str("");
        report.show({.done = 2, .all = 4, .left_us = microseconds(60e6)});
        texts.push_back(err.str());
    }
    return texts;
}

TEST(ProgressReport, IsOneLineThatIsRewrittenOnATerminal)
{
    using std::chrono::milliseconds;
    const std::string line = "\r\033[K2 of 4 samples, about 60 s left";
    EXPECT_THAT(
        shown(true, {milliseconds(0), milliseconds(99), milliseconds(100), milliseconds(199), milliseconds(1100)}),
        ElementsAre(line, "", line, "", line));
}

TEST(ProgressReport, IsALineAMinuteElsewhere)
{
    using std::chrono::milliseconds;
    const std::string line = "nestbed: 2 of 4 samples, about 60 s left\n";
    EXPECT_THAT(shown(false, {milliseconds(0), milliseconds(59'999), milliseconds(60'000), milliseconds(119'999)}),
                ElementsAre("", "", line, ""));
}

TEST(ProgressReport, FitsTheTerminalAndIsWipedAtTheEnd)
{
    const EnvironmentVariable columns("COLUMNS", "20");
    std::ostringstream err;
    {
        ProgressReport report(err, true);
        report.show({.done = 1'000'000, .all = 2'000'000});
        EXPECT_EQ(err.str(), "\r\033[K1000000 of 2000000 ");
        err.str("");
        report.say("a\x1b message");
        EXPECT_EQ(err.str(), "\r\033[Knestbed: a\\x1b message\n");
        err.str("");
    }
    EXPECT_EQ(err.str(), "\r\033[K");
    err.str("");
    {
        ProgressReport report(err, false);
        report.say("a message");
    }
    EXPECT_EQ(err.str(), "nestbed: a message\n");
}

} // namespace
} // namespace nestbed
