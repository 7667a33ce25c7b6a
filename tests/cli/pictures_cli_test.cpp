// `nestbed draw`: the pictures of the Mandelbrot set and of a quadtree. cli_test.cpp has `hello` and `blobs`.
#include "support/cli_support.hpp"

namespace nestbed
{
namespace
{

using testing::AnyOf;

class Pictures : public CommandTest
{
  protected:
    static Outcome mandelbrot(const std::string& path, const Words& more = {})
    {
        return nestbed(
            Words{"draw", "mandelbrot", "--backend", "cpu", "--nx", "70", "--ny", "50", "--dwell", "64", "-o", path} +
            more);
    }
    static Outcome quadtree(const std::string& path, const Words& more = {})
    {
        return nestbed(Words{"draw", "quadtree", "--backend", "cpu", "-o", path} + more);
    }
    using Draw = Outcome(const std::string&, const Words&);

    // Every strategy draws the same picture, and other settings another one.
    void expect_same(Draw& draw, const Words& strategies, const Words& settings, const Words& others) const
    {
        for (const std::string& strategy : strategies) {
            const Outcome done = draw(strategy, settings + Words{"--strategy", strategy});
            EXPECT_EQ(done.exit_code, 0) << strategy << ": " << done.err;
            EXPECT_EQ(read(strategy), read(strategies.front())) << strategy;
        }
        const std::string other = "not " + strategies.front();
        EXPECT_EQ(draw(other, others).exit_code, 0);
        EXPECT_NE(read(other), read(strategies.front()));
    }
};

TEST_F(Pictures, AreFilesAndSayHowManyLaunchesTheyTook)
{
    const Outcome set = mandelbrot("set.png");
    EXPECT_EQ(set.exit_code, 0) << set.err;
    EXPECT_THAT(set.out, AllOf(HasSubstr("set.png: 70 x 50 pixels by mandelbrot_split"),
                               ContainsRegex(", [1-9][0-9]* device launches\n"), Not(HasSubstr("depth"))));
    const Outcome tree = quadtree("tree.png", "--input clustered");
    EXPECT_EQ(tree.exit_code, 0) << tree.err;
    EXPECT_THAT(tree.out, AllOf(ContainsRegex("tree.png: 2000 points in [0-9]+ nodes by quadtree_children, "
                                              "[1-9][0-9]* device launches\n"),
                                HasSubstr("points of leaves"), ContainsRegex("\n +0  #[0-9a-f]+ +1 +1 +0\n")));
    EXPECT_TRUE(folder_.has("set.png") && folder_.has("tree.png"));
    for (Draw* draw : {mandelbrot, quadtree})
        EXPECT_THAT(draw("set.png", {}).err, HasSubstr("it already exists"));
    const std::string before = read("set.png");
    EXPECT_EQ(mandelbrot("set.png", "--overwrite --grain 4 --tree").exit_code, 0);
    EXPECT_NE(read("set.png"), before);
}

TEST_F(Pictures, AreTheSameOfEveryStrategy)
{
    expect_same(mandelbrot, {"mandelbrot_split", "mandelbrot_naive", "mandelbrot_levels", "mandelbrot_queue"},
                {"--input", "dust"}, {});
    expect_same(quadtree, {"quadtree_children", "quadtree_sample", "quadtree_levels"}, {"--elements", "300"},
                {"--elements", "300", "--grain", "100"});
}

TEST_F(Pictures, OfTheSetHaveItsTreeOverItWithItsDepths)
{
    ASSERT_EQ(mandelbrot("set.png").exit_code, 0);
    const Outcome done = mandelbrot("tree.png", "--tree --aggregate block");
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.out, AllOf(HasSubstr("depth"), HasSubstr("computed"), ContainsRegex("\n +0  #[0-9a-f]+ +16 ")));
    EXPECT_NE(read("tree.png"), read("set.png"));
}

TEST_F(Pictures, AreOfOneCaseOfTheirWorkload)
{
    const auto refused = [](Draw& draw, const Words& more) {
        const Outcome done = draw("refused.png", more);
        EXPECT_EQ(done.exit_code, 2);
        EXPECT_EQ(files(), 0);
        return done.err;
    };
    EXPECT_THAT(refused(mandelbrot, "--grain 8,16"), HasSubstr("mandelbrot draws one image, not 2"));
    EXPECT_THAT(refused(mandelbrot, "--strategy blobs"),
                HasSubstr("--strategy blobs: it does not draw the Mandelbrot set"));
    EXPECT_THAT(
        refused(mandelbrot, "--strategy mandelbrot_queue --tree"),
        AllOf(HasSubstr("--tree: mandelbrot_queue launches nothing"), HasSubstr("allowed: mandelbrot_split")));
    EXPECT_THAT(refused(quadtree, "--grain 8,16"), HasSubstr("quadtree draws one tree, not 2"));
    EXPECT_THAT(refused(quadtree, "--strategy quick_kway"),
                HasSubstr("--strategy quick_kway: it does not build a quadtree"));
    EXPECT_THAT(refused(quadtree, "--elements 16777217"),
                HasSubstr("too many points for a picture; allowed: at most 16777216"));
    EXPECT_THAT(nestbed("draw mandelbrot --nx 65535 --ny 65535 --backend cpu").err,
                AnyOf(HasSubstr("allowed: nx x ny up to 268435456"), HasSubstr("GiB of memory; allowed: what")));
    EXPECT_THAT(nestbed("help draw mandelbrot").out,
                AllOf(HasSubstr("--tree"), ContainsRegex("--division N .*default: 4"), HasSubstr("--fanout N")));
    EXPECT_EQ(ended(0, "draw").out, "blobs\nhello\nmandelbrot\nquadtree\n");
    EXPECT_THAT(ended(2, "draw sort").err, HasSubstr("draw: there is no picture of 'sort'; allowed: blobs, "));
    const Outcome failed = quadtree("failed.png", "--overflow fail --pending-limit 1");
    EXPECT_EQ(failed.exit_code, 3);
    EXPECT_THAT(failed.err, HasSubstr("nestbed: "));
    EXPECT_EQ(files(), 0);
}

} // namespace
} // namespace nestbed
