// `nestbed quadtree`: the picture of a quadtree over its points.
#include "support/cli_support.hpp"
#include "support/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace nestbed
{
namespace
{

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

Outcome drawn(const std::string& path, const std::vector<std::string>& more = {})
{
    std::vector<std::string> arguments{"quadtree", "--backend", "cpu", "-o", path};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return nestbed(arguments);
}

TEST(QuadtreeCommand, DrawsTheTreeAndListsItsLevels)
{
    const ScratchFolder folder;
    const Outcome done = drawn(folder.path("tree.png"), {"--input", "clustered"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.out, AllOf(ContainsRegex("tree.png: 2000 points in [0-9]+ nodes by quadtree_children, "
                                              "[1-9][0-9]* device launches\n"),
                                HasSubstr("points of leaves"), ContainsRegex("\n +0  #[0-9a-f]+ +1 +1 +0\n")));
    EXPECT_TRUE(folder.has("tree.png"));
    EXPECT_THAT(drawn(folder.path("tree.png")).err, HasSubstr("it already exists"));
}

TEST(QuadtreeCommand, OfEveryStrategyHasTheSamePicture)
{
    const ScratchFolder folder;
    ASSERT_EQ(drawn(folder.path("children.png"), {"--elements", "300"}).exit_code, 0);
    for (const std::string strategy : {"quadtree_sample", "quadtree_levels"}) {
        const Outcome done = drawn(folder.path(strategy), {"--elements", "300", "--strategy", strategy});
        EXPECT_EQ(done.exit_code, 0) << strategy << ": " << done.err;
        EXPECT_EQ(folder.read(strategy), folder.read("children.png")) << strategy;
    }
    ASSERT_EQ(drawn(folder.path("other.png"), {"--elements", "300", "--grain", "100"}).exit_code, 0);
    EXPECT_NE(folder.read("other.png"), folder.read("children.png"));
}

TEST(QuadtreeCommand, DrawsOneTreeOfItsWorkload)
{
    const ScratchFolder folder;
    const auto refused = [&](const std::vector<std::string>& more) {
        const Outcome done = drawn(folder.path("tree.png"), more);
        EXPECT_EQ(done.exit_code, 2);
        EXPECT_FALSE(folder.has("tree.png"));
        return done.err;
    };
    EXPECT_THAT(refused({"--grain", "8,16"}), HasSubstr("quadtree draws one tree, not 2"));
    EXPECT_THAT(refused({"--strategy", "quick_kway"}),
                HasSubstr("--strategy quick_kway: it does not build a quadtree"));
    EXPECT_THAT(refused({"--elements", "16777217"}),
                HasSubstr("too many points for a picture; allowed: at most 16777216"));
    const Outcome failed = drawn(folder.path("tree.png"), {"--overflow", "fail", "--pending-limit", "1"});
    EXPECT_EQ(failed.exit_code, 3);
    EXPECT_THAT(failed.err, HasSubstr("nestbed: "));
    EXPECT_FALSE(folder.has("tree.png"));
}

} // namespace
} // namespace nestbed
