// What a run reports about the time left.
#include "run/progress.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace nestbed
{
namespace
{

// Half of the samples were one hundredth of the work.
TEST(Cost, GivesTheTimeLeft)
{
    using std::chrono::seconds;
    Progress progress{.done = 60, .before = 10, .all = 110, .done_us = 1'100, .before_us = 100, .all_us = 100'100};
    EXPECT_EQ(progress_text(progress, seconds(1)), "60 of 110 samples, about 99 s left");
    progress.done_us = progress.before_us = progress.all_us = 0; // the estimates are unknown
    EXPECT_EQ(progress_text(progress, seconds(1)), "60 of 110 samples, about 1 s left");
}

TEST(Progress, SaysNoTimeBeforeTheFirstSample)
{
    EXPECT_EQ(progress_text({.done = 3, .before = 3, .all = 9}, std::chrono::seconds(1)), "3 of 9 samples");
    EXPECT_EQ(progress_text({.done = 9, .all = 9, .bad = 2}, std::chrono::seconds(1)),
              "9 of 9 samples, about 0 s left, 2 not ok");
}

} // namespace
} // namespace nestbed
