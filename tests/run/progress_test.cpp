// What a run says of its time left.
#include "run/progress.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace nestbed
{
namespace
{

// Half of the samples were a hundredth of the work.
TEST(Cost, GivesTheTimeLeft)
{
    using std::chrono::seconds;
    Progress progress{.done = 60, .before = 10, .all = 110, .done_us = 1'100, .before_us = 100, .all_us = 100'100};
    EXPECT_EQ(progress_text(progress, seconds(1)), "60 of 110 (54 %), 50/s, 99 s left");
    progress.done_us = progress.before_us = progress.all_us = 0; // where it is not known
    EXPECT_EQ(progress_text(progress, seconds(1)), "60 of 110 (54 %), 50/s, 1 s left");
}

TEST(Progress, GivesTheRateInTwoDigits)
{
    const auto after = [](std::size_t samples, int seconds) {
        return progress_text({.done = samples, .all = samples}, std::chrono::seconds(seconds));
    };
    EXPECT_EQ(after(198, 20), "198 of 198 (100 %), 9.9/s, 0 s left");
    EXPECT_EQ(after(199, 20), "199 of 199 (100 %), 10/s, 0 s left");
}

} // namespace
} // namespace nestbed
