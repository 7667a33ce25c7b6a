// The last line of hello, in a build that counts launches and in one that does not.
#include "workloads/hello/picture.hpp"

#include "support/matchers.hpp"

namespace nestbed
{
namespace
{

TEST(Greetings, AreCountedWithTheLaunches)
{
    Sample sample{.answer = "15"};
    sample.launches = LaunchCounts{.attempted = 3};
    EXPECT_EQ(greetings_text(sample), "15 threads greeted, 3 device launches\n");
}

TEST(Greetings, OfABuildWithoutALedgerHaveNoLaunches)
{
    EXPECT_EQ(greetings_text({.answer = "15"}), "15 threads greeted, device launches not counted (no ledger)\n");
}

} // namespace
} // namespace nestbed
