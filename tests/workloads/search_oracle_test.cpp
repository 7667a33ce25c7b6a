#include "workloads/search/search_oracle.hpp"

#include "support/effort.hpp"
#include "support/matchers.hpp"

#include <array>
#include <cmath>

namespace nestbed
{
namespace
{

Case tree(InputKind input, std::uint32_t size = 0)
{
    Case point;
    point.input = input;
    point[search_size_of(input)] = size != 0 ? size : input == InputKind("t1") ? 11 : 2000;
    point.block = 32;
    point.coarsen = 1;
    point.aggregate = Aggregate::none;
    point["cutoff"] = kNoCutoff;
    point["budget"] = 16;
    return point;
}

KnownTree known(const Case& point)
{
    return KnownTree(tree_shape(point));
}

TEST(Sha1, IsThatOfTheStandard)
{
    std::uint32_t hash[5];
    sha1(hash, {0, 0, 0, 0, 0, 0}, 0); // the empty message
    EXPECT_THAT(hash, ElementsAre(0xDA39A3EE, 0x5E6B4B0D, 0x3255BFEF, 0x95601890, 0xAFD80709));
    // "abcdefghijklmnopqrst" and "abcdefghijklmnopqrstuvwx".
    sha1(hash, {0x61626364, 0x65666768, 0x696A6B6C, 0x6D6E6F70, 0x71727374, 0}, 160);
    EXPECT_THAT(hash, ElementsAre(0x14A23AD7, 0x0F2A5DD7, 0x25575DE6, 0xC43E1CDD, 0x8B15E3E5));
    sha1(hash, {0x61626364, 0x65666768, 0x696A6B6C, 0x6D6E6F70, 0x71727374, 0x75767778}, 192);
    EXPECT_THAT(hash, ElementsAre(0xD717E22E, 0x1659305F, 0xAD6EF088, 0x64923DB6, 0x4ABA9C08));
}

TEST(TreeThresholds, GiveTheGeometricDistribution)
{
    const std::vector<std::uint32_t> thresholds = tree_thresholds();
    ASSERT_EQ(thresholds.size(), kMaxChildren);
    double before = -1;
    for (std::size_t count = 0; count < 60; ++count) {
        // More than `count` children with probability (4 / 5)^(count + 1).
        const double share = 1 - thresholds[count] / 0x1p31;
        EXPECT_NEAR(share, std::pow(0.8, count + 1), 1e-9) << count;
        EXPECT_GT(thresholds[count], before);
        before = thresholds[count];
    }
    EXPECT_EQ(thresholds.back(), 0x80000000); // which no number reaches
}

// The published sizes of UTS's sample trees.
TEST(KnownTree, T1HasItsPublishedSize)
{
    const KnownTree t1 = known(tree(InputKind("t1")));
    EXPECT_EQ(t1.found(), (SearchFound{4130071, 3305118, 4130071, 10}));
}
TEST(KnownTree, T3HasItsPublishedSize)
{
    const KnownTree t3 = known(tree(InputKind("t3")));
    EXPECT_EQ(t3.found(), (SearchFound{4112897, 3599034, 4112897, 1572}));
    EXPECT_EQ(t3.children(0), 2000U);
}
TEST(KnownTree, T3LHasItsPublishedSize)
{
    if (random_orders(0, 1) == 0)
        GTEST_SKIP() << "only in a thorough run";
    EXPECT_EQ(known(tree(InputKind("t3l"))).found(), (SearchFound{111345631, 89076904, 111345631, 17844}));
}

TEST(KnownTree, OfAPathIsAPath)
{
    const KnownTree path = known(tree(InputKind("path"), 5000));
    EXPECT_EQ(path.found(), (SearchFound{5000, 1, 5000, 4999}));
    EXPECT_EQ(path.widest(), 1U);
    EXPECT_EQ(path.first_child(4321), 4322U);
    EXPECT_EQ(known(tree(InputKind("path"), 1)).found(), (SearchFound{1, 1, 1, 0}));
    EXPECT_EQ(known(tree(InputKind("t1"), 1)).found(), (SearchFound{1, 1, 1, 0}));
}

TEST(KnownTree, NumbersNodesByLevels)
{
    const KnownTree t1 = known(tree(InputKind("t1"), 5));
    std::uint64_t next = 1;
    for (std::uint64_t node = 0; node < t1.found().nodes; ++node) {
        EXPECT_EQ(t1.first_child(node), next);
        next += t1.children(node);
    }
    EXPECT_EQ(next, t1.found().nodes);
}

// OEIS A000170.
TEST(Queens, HaveTheKnownNumbersOfSolutions)
{
    constexpr std::array<std::uint64_t, 12> kSolutions{1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};
    for (std::uint32_t queens = 1; queens <= kSolutions.size(); ++queens) {
        const SearchFound found = search_queens(queens);
        EXPECT_EQ(found.answer, kSolutions.at(queens - 1)) << queens;
        EXPECT_EQ(found.depth == queens, found.answer > 0) << queens;
        EXPECT_EQ(found.nodes, boards_within(queens, queens, 1U << 26)) << queens;
    }
    EXPECT_EQ(search_queens(3), (SearchFound{4, 2, 0, 2})); // the root, two columns, and one queen in the second row
    EXPECT_EQ(boards_within(8, 1, 1000), 5U);
    EXPECT_GT(boards_within(16, 16, 1000), 1000U);
}

RequestOracle oracle(const Case& point, SearchForm form)
{
    if (point.input == InputKind("queens"))
        return count_search(point, form, nullptr);
    const KnownTree of = known(point);
    return count_search(point, form, &of);
}

TEST(SearchOracle, CountsAChildForEveryInnerNodeBelowTheRoot)
{
    Case point = tree(InputKind("t3"));
    const RequestOracle by_node = oracle(point, SearchForm::children);
    EXPECT_EQ(by_node.launches.total(), 4112897U - 3599034 - 1);
    EXPECT_EQ(by_node.launches.levels(), 1571U);
    EXPECT_EQ(by_node.counts.items, by_node.launches.total());
    EXPECT_EQ(by_node.launches.by_root.size(), 500U);
    point.aggregate = Aggregate::grid;
    const RequestOracle by_level = oracle(point, SearchForm::children);
    EXPECT_THAT(by_level.launches.by_depth, AllOf(SizeIs(1571), Each(1U)));
    EXPECT_EQ(by_level.counts, (RequestCounts{by_node.counts.items, by_node.counts.blocks, 1}));
    point.threshold = 9; // more than a node has children
    EXPECT_THAT(oracle(point, SearchForm::children).launches.by_depth, IsEmpty());
    point.threshold = 0;
    point["cutoff"] = 3;
    EXPECT_THAT(oracle(point, SearchForm::children).launches.by_depth, ElementsAre(1, 1));
    point["cutoff"] = 1;
    EXPECT_THAT(oracle(point, SearchForm::children).launches.by_depth, IsEmpty());
}

TEST(SearchOracle, OfABudgetOfOneIsLevelByLevel)
{
    Case point = tree(InputKind("t1"), 8);
    point["budget"] = 1;
    point.aggregate = Aggregate::grid;
    const RequestOracle levels = oracle(point, SearchForm::budget);
    EXPECT_THAT(levels.launches.by_depth, AllOf(SizeIs(6), Each(1U)));
    const SearchFound found = known(point).found();
    EXPECT_EQ(levels.divisions,
              found.nodes - 1 - known(point).children(0)); // each node but the root and its children waits once
}

TEST(SearchOracle, OfALargerBudgetHasFewerRounds)
{
    Case point = tree(InputKind("t3"), 200);
    point.aggregate = Aggregate::grid;
    unsigned last = 1000000;
    for (const std::uint32_t budget : {1U, 3U, 10U, 100U}) {
        point["budget"] = budget;
        const unsigned levels = oracle(point, SearchForm::budget).launches.levels();
        EXPECT_LT(levels, last);
        EXPECT_GT(levels, 0U);
        last = levels;
    }
    point["budget"] = 1000000; // only a full stack ends a block's search
    point.input = InputKind("path");
    point["path-nodes"] = 5000;
    EXPECT_EQ(oracle(point, SearchForm::budget).launches.levels(), 0U);
}

TEST(SearchOracle, OfQueensFollowsTheBoards)
{
    Case point = tree(InputKind("queens"), 6);
    point["cutoff"] = kNoCutoff;
    // 77 boards, 25 of them leaves, and the root.
    EXPECT_EQ(oracle(point, SearchForm::children).launches.total(), 77U - 25 - 1);
    point["cutoff"] = 2; // three boards with one queen
    EXPECT_THAT(oracle(point, SearchForm::children).launches.by_depth, ElementsAre(3));
    EXPECT_EQ(oracle(point, SearchForm::budget).launches.total(), 0U);
    point["budget"] = 1;
    EXPECT_EQ(oracle(point, SearchForm::budget).launches.total(), 1U);
}

// A thread that visits several children requests the first one that has children.
TEST(SearchOracle, OfCoarseBlocksRequestsOneNodePerThread)
{
    Case point = tree(InputKind("t1"), 9);
    const RequestOracle fine = oracle(point, SearchForm::children);
    point.coarsen = 4;
    const RequestOracle coarse = oracle(point, SearchForm::children);
    EXPECT_LT(coarse.counts.items, fine.counts.items); // some nodes have more than 32 children
    EXPECT_GT(coarse.counts.items, fine.counts.items / 2);
}

TEST(SearchLevels, HaveABoundWhereTheTreeHasOneOrThereIsACutoff)
{
    EXPECT_EQ(max_search_levels(tree(InputKind("t1"), 11)), 10U);
    EXPECT_EQ(known(tree(InputKind("t1"), 11)).found().depth, 10U);
    EXPECT_EQ(max_search_levels(tree(InputKind("path"), 100)), 99U);
    EXPECT_EQ(max_search_levels(tree(InputKind("queens"), 9)), 9U);
    EXPECT_EQ(max_search_levels(tree(InputKind("t3"))), kNoCutoff);
    Case point = tree(InputKind("t3l"));
    point["cutoff"] = 7;
    EXPECT_EQ(max_search_levels(point), 7U);
}

} // namespace
} // namespace nestbed
