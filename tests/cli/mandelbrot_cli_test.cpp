// `nestbed mandelbrot`: the picture of the set, and the launch tree over it.
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
using testing::Not;

Outcome drawn(const std::string& path, const std::vector<std::string>& more = {})
{
    std::vector<std::string> arguments{"mandelbrot", "--backend", "cpu", "--nx", "70", "--ny",
                                       "50",         "--dwell",   "64",  "-o",   path};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return nestbed(arguments);
}

TEST(MandelbrotCommand, DrawsTheSetAndSaysHowManyLaunchesItTook)
{
    const ScratchFolder folder;
    const Outcome done = drawn(folder.path("set.png"));
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.out, AllOf(HasSubstr("set.png: 70 x 50 pixels by mandelbrot_split"),
                                ContainsRegex(", [1-9][0-9]* device launches\n"), Not(HasSubstr("depth"))));
    EXPECT_TRUE(folder.has("set.png"));
    EXPECT_THAT(drawn(folder.path("set.png")).err, HasSubstr("it already exists"));
}

TEST(MandelbrotCommand, OfEveryStrategyHasTheSamePicture)
{
    const ScratchFolder folder;
    ASSERT_EQ(drawn(folder.path("split.png"), {"--input", "dust"}).exit_code, 0);
    for (const std::string strategy : {"mandelbrot_naive", "mandelbrot_levels", "mandelbrot_queue"}) {
        const Outcome done = drawn(folder.path(strategy), {"--input", "dust", "--strategy", strategy});
        EXPECT_EQ(done.exit_code, 0) << strategy << ": " << done.err;
        EXPECT_EQ(folder.read(strategy), folder.read("split.png")) << strategy;
    }
}

TEST(MandelbrotCommand, DrawsTheTreeOverTheSetAndListsItsDepths)
{
    const ScratchFolder folder;
    ASSERT_EQ(drawn(folder.path("set.png")).exit_code, 0);
    const Outcome done = drawn(folder.path("tree.png"), {"--tree", "--aggregate", "block"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.out, AllOf(HasSubstr("depth"), HasSubstr("computed"), ContainsRegex("\n +0  #[0-9a-f]+ +16 ")));
    EXPECT_NE(folder.read("tree.png"), folder.read("set.png"));
}

TEST(MandelbrotCommand, DrawsOneImageOfItsWorkload)
{
    const ScratchFolder folder;
    const auto refused = [&](const std::vector<std::string>& more) {
        const Outcome done = drawn(folder.path("set.png"), more);
        EXPECT_EQ(done.exit_code, 2);
        EXPECT_FALSE(folder.has("set.png"));
        return done.err;
    };
    EXPECT_THAT(refused({"--grain", "8,16"}), HasSubstr("mandelbrot draws one image, not 2"));
    EXPECT_THAT(refused({"--strategy", "blobs"}), HasSubstr("--strategy blobs: it does not draw the Mandelbrot set"));
    EXPECT_THAT(
        refused({"--strategy", "mandelbrot_queue", "--tree"}),
        AllOf(HasSubstr("--tree: mandelbrot_queue launches nothing"), HasSubstr("allowed: mandelbrot_split")));
    EXPECT_THAT(nestbed({"mandelbrot", "--nx", "65535", "--ny", "65535", "--backend", "cpu"}).err,
                AnyOf(HasSubstr("allowed: nx x ny up to 268435456"), HasSubstr("GiB of memory; allowed: what")));
    EXPECT_THAT(nestbed({"help", "mandelbrot"}).out,
                AllOf(HasSubstr("--tree"), ContainsRegex("--division N .*default: 4"), HasSubstr("--fanout N")));
}

} // namespace
} // namespace nestbed
