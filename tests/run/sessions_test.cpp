// The start of a session: whether its GPU is fast enough now.
#include "base/error.hpp"
#include "plan/plan.hpp"
#include "run/sessions.hpp"
#include "support/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace nestbed
{

namespace
{

TEST(Floor, OutsideOfItsBandOnAGpuEndsTheRun)
{
    Plan plan;
    EXPECT_NO_THROW(check_floor(plan, BackendKind::cuda, 4.31)); // no band
    plan.floor = EmptyKernelBand{.low = 2, .high = 3.3};
    for (const double inside : {2.0, 2.6, 3.3})
        EXPECT_NO_THROW(check_floor(plan, BackendKind::cuda, inside));
    EXPECT_NO_THROW(check_floor(plan, BackendKind::cpu, 4.31)); // times of the executor say nothing about a GPU
    for (const double outside : {1.99, 3.31, 4.31})
        EXPECT_THROW(check_floor(plan, BackendKind::cuda, outside), RunError);
    EXPECT_THAT(
        text_of<RunError>([&] { check_floor(plan, BackendKind::cuda, 4.31); }),
        testing::AllOf(testing::StartsWith("empty-kernel-us 2:3.3: an empty kernel takes 4.31 us on this GPU now"),
                       testing::HasSubstr("nothing was measured"), testing::HasSubstr("another machine")));
}

TEST(ChangedTree, IsWarnedAboutOnAGpu)
{
    const std::map<BackendKind, RunFacts> executor{{BackendKind::cpu, {}}};
    const std::map<BackendKind, RunFacts> gpu{{BackendKind::cuda, {}}};
    EXPECT_EQ(changed_tree_warning(gpu, "16e622568343"), "");
    for (const char* const git : {"16e622568343-dirty", "unknown"}) {
        EXPECT_EQ(changed_tree_warning(executor, git), ""); // its times are not kept
        EXPECT_THAT(changed_tree_warning(gpu, git), testing::HasSubstr(git));
    }
}

} // namespace

} // namespace nestbed
