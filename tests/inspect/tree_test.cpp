// The launch tree as text: which grids share a line, and what the line shows.
#include "inspect/tree.hpp"

#include "support/matchers.hpp"

#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

// A trace that is built grid by grid. Times are in microseconds.
class Tree
{
  public:
    std::uint32_t root(std::uint32_t blocks, std::uint32_t threads, std::uint64_t begun = 0, std::uint64_t ended = 1)
    {
        return add({.blocks = blocks, .threads = threads, .begun_ns = 1000 * begun, .ended_ns = 1000 * ended});
    }
    std::uint32_t child(std::uint32_t parent, std::uint32_t blocks, std::uint32_t threads, std::uint64_t called = 0,
                        std::uint64_t begun = 1, std::uint64_t ended = 2)
    {
        return add({.parent = parent,
                    .depth = trace_.grids.at(parent).depth + 1,
                    .blocks = blocks,
                    .threads = threads,
                    .called_ns = 1000 * called,
                    .begun_ns = 1000 * begun,
                    .ended_ns = 1000 * ended});
    }
    std::uint32_t refused(std::uint32_t parent, std::uint32_t blocks, std::uint32_t threads)
    {
        const std::uint32_t grid = never_ran(parent, blocks, threads);
        trace_.grids[grid].error = 69;
        return grid;
    }
    void name(std::uint32_t grid, const char* kernel) { trace_.grids.at(grid).kernel = kernel; }
    std::uint32_t never_ran(std::uint32_t parent, std::uint32_t blocks, std::uint32_t threads)
    {
        const std::uint32_t grid = child(parent, blocks, threads);
        trace_.grids[grid].begun_ns.reset();
        trace_.grids[grid].ended_ns.reset();
        return grid;
    }

    std::string text() const { return tree_text(trace_); }
    std::vector<std::string> lines() const
    {
        std::istringstream stream(text());
        std::vector<std::string> lines;
        for (std::string line; std::getline(stream, line);)
            if (!line.empty())
                lines.push_back(line);
        return lines;
    }
    // For each line below the header: its cells and its indent.
    std::vector<std::vector<std::string>> cells() const
    {
        std::vector<std::vector<std::string>> table;
        for (const std::string& line : lines()) {
            static const std::regex kGap("  +");
            const std::string trimmed = line.substr(line.find_first_not_of(' '));
            table.emplace_back(std::sregex_token_iterator(trimmed.begin(), trimmed.end(), kGap, -1),
                               std::sregex_token_iterator());
        }
        table.erase(table.begin());
        return table;
    }

  private:
    std::uint32_t add(TracedGrid grid)
    {
        trace_.grids.push_back(std::move(grid));
        return static_cast<std::uint32_t>(trace_.grids.size() - 1);
    }

    Trace trace_;
};

TEST(Tree, HasALineForGridsThatAreAlike)
{
    Tree tree;
    const auto root = tree.root(4, 16, 0, 20);
    for (std::uint64_t begun = 10; begun < 14; ++begun)
        tree.child(root, 1, 8, 5, begun, begun + 2);
    tree.child(1, 1, 4, 11, 13, 14);
    tree.child(2, 1, 4, 11, 15, 16);
    EXPECT_EQ(tree.text(), "\n"
                           "depth  grids  blocks  threads  latency  at most     busy\n"
                           "0          1       4       16                    20.0 us\n"
                           " 1         4       1        8  6.50 us  8.00 us  5.00 us\n"
                           "  2        2       1        4  3.00 us  4.00 us  2.00 us\n");
}

TEST(Tree, LatencyIsTheMedianAndTheMostFromCallToBegin)
{
    Tree tree;
    const auto root = tree.root(1, 1);
    for (const std::uint64_t latency : {90, 1, 3, 2, 700})
        tree.child(root, 1, 1, 100, 100 + latency, 1000);
    EXPECT_THAT(tree.cells()[1], ElementsAre("1", "5", "1", "1", "3.00 us", "700 us", "899 us"));
}

TEST(Tree, BusyIsTheTimeInWhichAtLeastOneRan)
{
    Tree tree;
    const auto root = tree.root(1, 1, 500, 501);
    tree.child(root, 1, 1, 0, 40, 50);
    tree.child(root, 1, 1, 0, 10, 20);
    tree.child(root, 1, 1, 0, 15, 30); // overlaps the previous child
    tree.child(root, 1, 1, 0, 16, 18); // lies within it
    tree.child(root, 1, 1, 0, 30, 32); // begins when it ends
    EXPECT_EQ(tree.cells()[0].back(), "1.00 us");
    EXPECT_EQ(tree.cells()[1].back(), "32.0 us");
}

TEST(Tree, BusyCountsFromTheVeryBeginning)
{
    Trace trace;
    trace.grids.push_back({.blocks = 1, .threads = 1, .begun_ns = 0, .ended_ns = 5});
    EXPECT_THAT(tree_text(trace), HasSubstr("0.01 us")); // 0.005, rounded
}

TEST(Tree, RootGridsThatAreAlikeShareALineAndOthersDoNot)
{
    Tree tree;
    for (int wave = 0; wave < 3; ++wave)
        tree.child(tree.root(2, 8), 1, 4);
    tree.child(tree.root(1, 8), 1, 4);
    const auto cells = tree.cells();
    ASSERT_EQ(cells.size(), 4U);
    EXPECT_THAT(cells[0], ElementsAre("0", "3", "2", "8", "1.00 us"));
    EXPECT_THAT(cells[1], ElementsAre("1", "3", "1", "4", "1.00 us", "1.00 us", "1.00 us"));
    EXPECT_THAT(cells[2], ElementsAre("0", "1", "1", "8", "1.00 us"));
    EXPECT_EQ(cells[3][1], "1");
}

TEST(Tree, GridsAreAlikeOnlyBelowParentsThatAre)
{
    Tree tree;
    const auto root = tree.root(1, 4);
    const auto left = tree.child(root, 2, 8);
    const auto right = tree.child(root, 3, 8);
    tree.child(left, 1, 1);
    tree.child(right, 1, 1);
    tree.child(right, 1, 1);
    const std::vector<std::string> lines = tree.lines();
    ASSERT_EQ(lines.size(), 6U);
    EXPECT_THAT(lines[2], testing::MatchesRegex(" 1 +1 +2 +8 .*"));
    EXPECT_THAT(lines[3], testing::MatchesRegex("  2 +1 +1 +1 .*"));
    EXPECT_THAT(lines[4], testing::MatchesRegex(" 1 +1 +3 +8 .*"));
    EXPECT_THAT(lines[5], testing::MatchesRegex("  2 +2 +1 +1 .*"));
}

TEST(Tree, LevelsThatFollowEachOtherAndAreAlikeShareALine)
{
    Tree tree;
    std::uint32_t grid = tree.root(1, 32);
    for (std::uint64_t level = 1; level <= 100; ++level)
        grid = tree.child(grid, 1, 32, 10 * level, 10 * level + (level == 7 ? 5 : 2), 10 * level + 8);
    const auto cells = tree.cells();
    ASSERT_EQ(cells.size(), 2U); // the root grid has its own line, even if it is like its child
    EXPECT_THAT(cells[0], ElementsAre("0", "1", "1", "32", "1.00 us"));
    EXPECT_THAT(cells[1], ElementsAre("1-100", "100 x 1", "1", "32", "2.00 us", "5.00 us", "597 us"));
}

TEST(Tree, LevelsOfOtherShapeNumberOrRefusalsDoNot)
{
    const auto depths = [](auto&& last) {
        Tree tree;
        const auto second = tree.child(tree.child(tree.root(1, 32), 1, 32), 1, 32);
        last(tree, second);
        std::vector<std::string> first;
        for (const auto& cells : tree.cells())
            first.push_back(cells.front());
        return first;
    };
    EXPECT_THAT(depths([](Tree& tree, auto grid) { tree.child(grid, 1, 32); }), ElementsAre("0", "1-3"));
    EXPECT_THAT(depths([](Tree& tree, auto grid) { tree.child(grid, 1, 16); }), ElementsAre("0", "1-2", "3"));
    EXPECT_THAT(depths([](Tree& tree, auto grid) { tree.child(grid, 2, 32); }), ElementsAre("0", "1-2", "3"));
    EXPECT_THAT(depths([](Tree& tree, auto grid) { tree.refused(grid, 1, 32); }), ElementsAre("0", "1-2", "3"));
    EXPECT_THAT(depths([](Tree& tree, auto grid) {
                    tree.child(grid, 1, 32);
                    tree.child(grid, 1, 32);
                }),
                ElementsAre("0", "1-2", "3"));
    EXPECT_THAT(depths([](Tree& tree, auto grid) { // two kinds of children
                    tree.child(grid, 1, 32);
                    tree.child(grid, 1, 16);
                }),
                ElementsAre("0", "1-2", "3", "3"));
}

TEST(Tree, RefusalsHaveAColumnWhereThereAreAny)
{
    Tree tree;
    const auto root = tree.root(4, 16);
    tree.child(root, 1, 8);
    EXPECT_THAT(tree.text(), Not(HasSubstr("refused")));
    tree.refused(root, 1, 8);
    tree.refused(root, 1, 8);
    EXPECT_THAT(tree.lines()[0], testing::MatchesRegex("depth +grids +blocks +threads +refused +latency .*"));
    EXPECT_THAT(tree.cells()[0], ElementsAre("0", "1", "4", "16", "1.00 us")); // no refusals of root grids
    EXPECT_THAT(tree.cells()[1], ElementsAre("1", "3", "1", "8", "2", "1.00 us", "1.00 us", "1.00 us"));
}

TEST(Tree, GridsThatNeverRanAreCountedAndHaveNoTimes)
{
    Tree tree;
    const auto root = tree.root(4, 16);
    tree.never_ran(root, 1, 8);
    tree.refused(root, 1, 4);
    EXPECT_THAT(tree.cells()[1], ElementsAre("1", "1", "1", "8"));
    EXPECT_THAT(tree.cells()[2], ElementsAre("1", "1", "1", "4", "1"));
    Trace nothing_ran;
    nothing_ran.grids.push_back({.blocks = 4, .threads = 16});
    EXPECT_EQ(tree_text(nothing_ran), "\n"
                                      "depth  grids  blocks  threads  latency  at most  busy\n"
                                      "0          1       4       16\n");
}

TEST(Tree, KernelsOfAUsersProgramAreNamedAndKeptApart)
{
    Tree tree;
    const auto root = tree.root(1, 32);
    tree.name(root, "parent");
    for (const char* kernel : {"left", "right", "left"}) {
        const auto child = tree.child(root, 1, 8);
        tree.name(child, kernel);
        tree.name(tree.child(child, 1, 8), "leaf"); // of the same shape: no line for both
    }
    EXPECT_THAT(tree.lines()[0], testing::MatchesRegex("depth +kernel +grids .*"));
    std::vector<std::string> said;
    for (const std::vector<std::string>& cells : tree.cells())
        said.push_back(cells[0] + " " + cells[1] + " " + cells[2]);
    EXPECT_THAT(said, ElementsAre("0 parent 1", "1 left 2", "2 leaf 2", "1 right 1", "2 leaf 1"));
}

TEST(Tree, FortyLinesAreNotFolded)
{
    Tree tree;
    const auto root = tree.root(1, 1);
    for (std::uint32_t kind = 1; kind <= 39; ++kind)
        tree.child(root, kind, 1);
    EXPECT_EQ(tree.cells().size(), 40U);
    EXPECT_THAT(tree.text(), Not(HasSubstr("folded")));
}

TEST(Tree, MoreAreFoldedByDepthAndShape)
{
    Tree tree;
    const auto root = tree.root(1, 1);
    for (std::uint32_t kind = 1; kind <= 21; ++kind)
        tree.child(tree.child(root, kind, 1, 0, 3, 4), 1, 7, 10 * kind, 10 * kind + 2, 10 * kind + 3);
    const auto cells = tree.cells();
    ASSERT_EQ(cells.size(), 1U + 21 + 1 + 1);
    EXPECT_THAT(cells[1], ElementsAre("1", "1", "1", "1", "3.00 us", "3.00 us", "1.00 us"));
    EXPECT_THAT(cells[2], ElementsAre("2", "21", "1", "7", "2.00 us", "2.00 us", "21.0 us"));
    EXPECT_THAT(cells[3], ElementsAre("1", "1", "2", "1", "3.00 us", "3.00 us", "1.00 us"));
    EXPECT_EQ(tree.lines().back(), "(more than 40 kinds of grids: folded by depth and shape)");
}

TEST(Tree, ThoseThatAreStillMoreByDepthAlone)
{
    Tree tree;
    const auto root = tree.root(5, 1);
    for (std::uint32_t kind = 1; kind <= 40; ++kind)
        tree.child(tree.child(root, kind, 8, 0, kind, kind + 1), 1, 1 + kind % 2, 0, 1, 2);
    const auto cells = tree.cells();
    ASSERT_EQ(cells.size(), 3U + 1);
    EXPECT_THAT(cells[0], ElementsAre("0", "1", "5", "1", "1.00 us"));
    EXPECT_THAT(cells[1], ElementsAre("1", "40", "various", "8", "20.5 us", "40.0 us", "40.0 us"));
    EXPECT_THAT(cells[2], ElementsAre("2", "40", "1", "various", "1.00 us", "1.00 us", "1.00 us"));
    EXPECT_EQ(tree.lines().back(), "(more than 40 kinds of grids: folded by depth)");
}

// A trace with the largest width in every column: the longest numbers and the deepest level.
TEST(Tree, FitsEightyColumnsWithoutBlanksAtTheEnds)
{
    Tree deep;
    std::uint32_t grid = deep.root(2147483647, 1024, 0, 123456);
    for (std::uint32_t level = 1; level < 39; ++level) {
        for (int copy = 0; copy < 3; ++copy)
            deep.child(grid, 1000000000 + level, 1024, 0, 123456, 234567);
        grid = deep.refused(grid, 1000000000 + level, 1024);
    }
    Tree wide;
    const auto root = wide.root(65536, 1024);
    for (std::uint32_t kind = 1; kind <= 50; ++kind)
        wide.child(wide.refused(root, kind, 1024 - kind), 65536, kind);
    Tree chain;
    grid = chain.root(1, 1);
    for (std::uint32_t level = 1; level <= 2048; ++level)
        grid = chain.child(grid, 65536, 1024);
    for (const Tree* tree : {&deep, &wide, &chain}) {
        const std::vector<std::string> lines = tree->lines();
        EXPECT_THAT(lines, Each(AllOf(SizeIs(testing::Le(80U)), Not(EndsWith(" ")))));
        EXPECT_GE(lines.size(), 3U);
    }
}

} // namespace
} // namespace nestbed
