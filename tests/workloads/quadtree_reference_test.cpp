#include "workloads/quadtree/quadtree_reference.hpp"

#include "base/split_mix.hpp"
#include "support/matchers.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace nestbed
{
namespace
{

Case quadtree(std::uint64_t elements, InputKind input = InputKind("uniform"))
{
    return {.strategy = "quadtree_children",
            .elements = elements,
            .block = 64,
            .seed = 7,
            .input = input,
            .aggregate = Aggregate::none,
            .coarsen = 1,
            .own = {{"grain", 64}, {"levels", 16}}};
}
constexpr std::array kInputs{InputKind("uniform"), InputKind("clustered"), InputKind("line"),
                             InputKind("coincident")};

std::uint32_t at(std::uint32_t x, std::uint32_t y)
{
    return x | y << 16;
}

TEST(MortonCode, HasTheBitsOfXAtTheEvenPlacesAndThoseOfYAtTheOddOnes)
{
    EXPECT_EQ(morton_code(at(0, 0)), 0U);
    EXPECT_EQ(morton_code(at(1, 0)), 1U);
    EXPECT_EQ(morton_code(at(0, 1)), 2U);
    EXPECT_EQ(morton_code(at(3, 0)), 5U);
    EXPECT_EQ(morton_code(at(0xFFFF, 0)), 0x55555555U);
    EXPECT_EQ(morton_code(at(0, 0xFFFF)), 0xAAAAAAAAU);
    for (std::uint64_t index = 0; index < 1000; ++index) {
        const auto point = static_cast<std::uint32_t>(split_mix(3, index));
        std::uint32_t code = 0;
        for (std::uint32_t bit = 0; bit < 16; ++bit)
            code |= (point >> bit & 1U) << (2 * bit) | (point >> (16 + bit) & 1U) << (2 * bit + 1);
        ASSERT_EQ(morton_code(point), code);
        ASSERT_EQ(point_of(code), point);
    }
}

TEST(CommonLevels, AreThoseOfTheSquaresWithBothPoints)
{
    EXPECT_EQ(common_levels(5, 5), 16U);
    EXPECT_EQ(common_levels(4, 5), 15U);
    EXPECT_EQ(common_levels(4, 6), 15U);
    EXPECT_EQ(common_levels(3, 4), 14U);
    EXPECT_EQ(common_levels(0, 0x40000000), 0U);
    EXPECT_EQ(common_bits(0, 0x40000000), 1U);
    EXPECT_EQ(leading_bits(0xC0000000, 0), 0U);
    EXPECT_EQ(leading_bits(0xC0000000, 2), 3U);
}

TEST(QuadTree, OfAFewPointsIsTheOneDrawnByHand)
{
    // Two points in the first square of level 2, one in its neighbour to the right, one in the opposite corner.
    const std::vector<std::uint32_t> points{at(0xFFFF, 0xFFFF), at(0x1000, 0x2000), at(0x4000, 0),
                                            at(0x1000, 0x2000)};
    const QuadTree tree = make_quadtree(points, {2, 16});
    EXPECT_THAT(tree.order, ElementsAre(1, 3, 2, 0)); // equal points in the order of the input
    EXPECT_THAT(tree.nodes, ElementsAre(QuadNode{0, 0, 0, 4}, QuadNode{1, 0, 0, 3}, QuadNode{1, 3, 3, 1},
                                        QuadNode{2, 0, 0, 2}, QuadNode{2, 1, 2, 1}));
    EXPECT_THAT(make_quadtree(points, {4, 16}).nodes, ElementsAre(QuadNode{0, 0, 0, 4}));
    EXPECT_THAT(make_quadtree(points, {1, 1}).nodes,
                ElementsAre(QuadNode{0, 0, 0, 4}, QuadNode{1, 0, 0, 3}, QuadNode{1, 3, 3, 1}));
}

TEST(QuadTree, OfCoincidentPointsEndsAtTheDeepestLevel)
{
    const QuadTree tree = make_quadtree({9, 9, 9}, {1, 16});
    ASSERT_EQ(tree.nodes.size(), 17U);
    EXPECT_EQ(tree.nodes.back(), (QuadNode{16, morton_code(9), 0, 3}));
    EXPECT_EQ(make_quadtree({9, 9, 9}, {1, 5}).nodes.size(), 6U);
    EXPECT_EQ(make_quadtree({9}, {1, 16}).nodes.size(), 1U);
}

// What the definition says, counted from the points.
TEST(QuadTree, HasTheSquaresWhoseParentsHaveTooManyPoints)
{
    for (const InputKind input : kInputs)
        for (const QuadLimits limits : {QuadLimits{1, 16}, QuadLimits{7, 5}, QuadLimits{64, 16}}) {
            const std::vector<std::uint32_t> points = quad_points(quadtree(600, input));
            const QuadTree tree = make_quadtree(points, limits);
            std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> squares; // by level and code
            for (const std::uint32_t point : points)
                for (std::uint32_t level = 0; level <= limits.levels; ++level)
                    ++squares[{level, leading_bits(morton_code(point), 2 * level)}];
            std::vector<std::pair<std::uint32_t, std::uint32_t>> expected;
            for (const auto& [square, count] : squares)
                if (square.first == 0 || squares.at({square.first - 1, square.second >> 2}) > limits.cap)
                    expected.push_back(square);
            ASSERT_EQ(tree.nodes.size(), expected.size());
            for (std::size_t index = 0; index < expected.size(); ++index) {
                const QuadNode& node = tree.nodes[index];
                EXPECT_EQ(std::pair(node.level, node.code), expected[index]);
                EXPECT_EQ(node.count, squares.at(expected[index]));
                EXPECT_EQ(leading_bits(tree.codes[node.begin], 2 * node.level), node.code);
            }
            for (std::size_t index = 0; index < points.size(); ++index) {
                EXPECT_EQ(tree.codes[index], morton_code(points[tree.order[index]]));
                EXPECT_TRUE(index == 0 || std::pair(tree.codes[index - 1], tree.order[index - 1]) <
                                              std::pair(tree.codes[index], tree.order[index]));
            }
        }
}

// What a leaf or a thread of a flat form does for each point gives the whole tree.
TEST(QuadLevels, OfAllPointsTogetherAreTheTree)
{
    for (const InputKind input : kInputs)
        for (const std::uint32_t count : {1U, 2U, 65U, 900U})
            for (const QuadLimits limits :
                 {QuadLimits{1, 16}, QuadLimits{3, 4}, QuadLimits{64, 16}, QuadLimits{65535, 16}}) {
                const QuadTree tree = make_quadtree(quad_points(quadtree(count, input)), limits);
                const auto code_at = [&](std::uint32_t index) { return tree.codes.at(index); };
                const QuadPart whole = whole_square(count, limits);
                std::vector<QuadNode> nodes{{0, 0, 0, count}};
                for (std::uint32_t index = 0; index < count; ++index) {
                    const QuadLevels levels = levels_at(whole, limits, index, code_at);
                    for (std::uint32_t level = levels.first; level <= levels.last; ++level)
                        nodes.push_back(node_at(whole, index, level, code_at));
                }
                std::ranges::sort(nodes);
                EXPECT_EQ(nodes, tree.nodes) << name_of(input) << " " << count;
            }
}

TEST(QuadDigits, AreAsManyAsTheThreadsOfABlock)
{
    const auto parts = [](std::uint32_t block, std::uint32_t bits = 0) {
        return digits_of({.first = 0,
                          .count = 1 << 20,
                          .code = 0,
                          .bits = bits,
                          .level = 0,
                          .divided = QuadDivided::yes,
                          .place = QuadPlace::in},
                         block, 1U << 20)
            .parts();
    };
    EXPECT_EQ(parts(512), 512U);
    EXPECT_EQ(parts(1024), 1024U);
    EXPECT_EQ(parts(2), 2U);
    EXPECT_EQ(parts(512, 31), 2U); // the last bit of a code
    EXPECT_EQ(parts(512, 63), 2U);
}

// Items cover all points, in order, and an item of several parts is at most a leaf.
TEST(QuadItems, CoverAllPartsAndFitALeaf)
{
    constexpr std::uint32_t kLeaf = 64;
    for (const std::uint32_t width : {3U, 4U}) // a node is two parts, or one
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            const QuadDigits digits{0, width};
            std::vector<std::uint32_t> starts{0};
            for (std::uint32_t digit = 0; digit < digits.parts(); ++digit) {
                const std::uint64_t drawn = split_mix(seed, digit);
                const auto points = static_cast<std::uint32_t>(drawn >> 8) % (drawn % 4 == 0 ? 100 : 12);
                starts.push_back(starts.back() + (drawn % 5 == 1 ? 0 : points));
            }
            const auto start_at = [&](std::uint32_t digit) { return starts.at(digit); };
            std::uint32_t covered = 0;
            for (std::uint32_t digit = 0; digit < digits.parts(); ++digit) {
                const std::uint32_t end = item_end(digits, kLeaf, digit, start_at);
                if (end == digit)
                    continue;
                EXPECT_EQ(starts[digit], covered);
                covered = starts[end];
                if (end > digit + 1) {
                    EXPECT_LE(covered - starts[digit], kLeaf);
                    EXPECT_EQ(digit % digits.unit(), 0U);
                    EXPECT_EQ(end % digits.unit(), 0U);
                }
            }
            EXPECT_EQ(covered, starts.back());
        }
}

// The leaves of a division list what one leaf with all points would.
TEST(QuadItems, JoinedListTheNodesBelowTheirLevel)
{
    for (const InputKind input : kInputs)
        for (const QuadLimits limits : {QuadLimits{1, 16}, QuadLimits{9, 16}, QuadLimits{64, 4}}) {
            const QuadTree tree = make_quadtree(quad_points(quadtree(700, input)), limits);
            const QuadPart whole = whole_square(700, limits);
            for (const std::uint32_t width : {4U, 5U}) {
                const QuadPart part = joined(whole, {0, width}, 0, 700);
                std::vector<QuadNode> nodes;
                const auto code_at = [&](std::uint32_t index) { return tree.codes.at(index); };
                for (std::uint32_t index = 0; index < 700; ++index) {
                    const QuadLevels levels = levels_at(part, limits, index, code_at);
                    for (std::uint32_t level = levels.first; level <= levels.last; ++level)
                        nodes.push_back(node_at(part, index, level, code_at));
                }
                std::ranges::sort(nodes);
                std::vector<QuadNode> deeper;
                std::ranges::copy_if(tree.nodes, std::back_inserter(deeper),
                                     [](const QuadNode& node) { return node.level > 2; });
                EXPECT_EQ(nodes, deeper);
            }
        }
}

TEST(QuadDigits, AreTheNextBitsOfTheCodeThenOfThePlace)
{
    const QuadDigits first{0, 8};
    EXPECT_EQ(first.of(0xAB123456, 0), 0xABU);
    const QuadDigits last{30, 2};
    EXPECT_EQ(last.of(0x00000003, 0), 3U);
    EXPECT_EQ(last.end(), 32U);
    const QuadDigits place{52, 4}; // of at most 2^12 points
    EXPECT_EQ(place.of(0xFFFFFFFF, 0x5FF), 5U);
    const QuadPart equal{.first = 0,
                         .count = 4096,
                         .code = 1,
                         .bits = 32,
                         .level = 16,
                         .divided = QuadDivided::no,
                         .place = QuadPlace::in};
    EXPECT_EQ(digits_of(equal, 64, 4096).bits, 52U);
}

TEST(QuadRoots, AreTheBlocksThatThePointsNeed)
{
    Case point = quadtree(1);
    EXPECT_EQ(quad_roots(point), 1U);
    point.elements = 8 * 64 + 1;
    EXPECT_EQ(quad_roots(point), 2U);
    point.coarsen = 2;
    EXPECT_EQ(quad_roots(point), 1U);
}

TEST(QuadPoints, DependOnTheSeedAndAreWhatTheirInputSays)
{
    for (const InputKind input : kInputs) {
        Case point = quadtree(2000, input);
        const std::vector<std::uint32_t> points = quad_points(point);
        EXPECT_EQ(points, quad_points(point));
        point.seed = 8;
        const bool same = points == quad_points(point);
        EXPECT_FALSE(same) << name_of(input);
    }
    const auto distinct = [](InputKind input) {
        const std::vector<std::uint32_t> points = quad_points(quadtree(2000, input));
        return std::set<std::uint32_t>(points.begin(), points.end()).size();
    };
    EXPECT_EQ(distinct(InputKind("coincident")), 1U);
    EXPECT_GT(distinct(InputKind("uniform")), 1990U);
    EXPECT_GT(distinct(InputKind("clustered")), 1000U);
    for (const std::uint32_t point : quad_points(quadtree(2000, InputKind("line"))))
        EXPECT_EQ(point >> 16, (point & 0xFFFFU) / 4 * 3 + 8192);
    // Clusters have more points in the fullest square of level 6 than uniform points.
    const auto fullest = [](InputKind input) {
        std::map<std::uint32_t, int> counts;
        int most = 0;
        for (const std::uint32_t point : quad_points(quadtree(20000, input)))
            most = std::max(most, ++counts[leading_bits(morton_code(point), 12)]);
        return most;
    };
    EXPECT_GT(fullest(InputKind("clustered")), 10 * fullest(InputKind("uniform")));
}

TEST(QuadOracle, OfAPartThatABlockFinishesHasNoLaunches)
{
    const Case point = quadtree(512);
    const QuadTree tree = make_quadtree(quad_points(point), limits_of(point));
    const RequestOracle oracle = count_quadtree(point, QuadForm::parts, tree);
    EXPECT_EQ(oracle.launches.total(), 0U);
    EXPECT_EQ(oracle.divisions, 0U);
    EXPECT_EQ(count_quadtree(point, QuadForm::flat, tree).launches.total(), 0U);
}

TEST(QuadOracle, OfUniformPointsHasOneLaunchToMoveAndOnePerLeaf)
{
    Case point = quadtree(4000); // 64 parts, which leaves of at most 512 take together
    const QuadTree tree = make_quadtree(quad_points(point), limits_of(point));
    EXPECT_EQ(count_quadtree(point, QuadForm::parts, tree).launches.by_depth.front(), 1U);
    const std::uint64_t leaves = count_quadtree(point, QuadForm::parts, tree).launches.by_depth.back();
    EXPECT_GE(leaves, 4000U / 512);
    EXPECT_LE(leaves, 2 * 4000U / 256);
    point.aggregate = Aggregate::grid;
    EXPECT_THAT(count_quadtree(point, QuadForm::parts, tree).launches.by_depth, ElementsAre(1, 1));
    point.threshold = 1000;
    EXPECT_EQ(count_quadtree(point, QuadForm::parts, tree).launches.total(), 0U);
}

TEST(QuadOracle, OfCoincidentPointsDividesThemByTheirPlaces)
{
    const Case point = quadtree(4096, InputKind("coincident"));
    const QuadTree tree = make_quadtree(quad_points(point), limits_of(point));
    const RequestOracle oracle = count_quadtree(point, QuadForm::parts, tree);
    EXPECT_THAT(oracle.launches.by_depth, ElementsAre(1, 1, 16)); // count of places, scatter, leaves
    EXPECT_EQ(oracle.divisions, 2U);
}

TEST(QuadOracle, OfABlockPerNodeHasOneLaunchPerDividedNode)
{
    for (const InputKind input : kInputs) {
        Case point = quadtree(500, input);
        const QuadTree tree = make_quadtree(quad_points(point), limits_of(point));
        std::vector<std::uint64_t> divided(17);
        for (const QuadNode& node : tree.nodes)
            divided.at(node.level) += limits_of(point).divided(node.level, node.count) ? 1 : 0;
        while (divided.back() == 0)
            divided.pop_back();
        EXPECT_EQ(count_quadtree(point, QuadForm::sample, tree).launches.by_depth, divided);
        point.depth = 1;
        EXPECT_THAT(count_quadtree(point, QuadForm::sample, tree).launches.by_depth, ElementsAre(1));
        point.depth = 0;
        EXPECT_EQ(count_quadtree(point, QuadForm::sample, tree).launches.total(), 0U);
    }
}

// Many points in one place, and others that leave it one by one: a division takes one digit.
TEST(QuadOracle, HasNoMoreLevelsThanTheBound)
{
    for (const std::uint32_t block : {32U, 64U, 512U}) {
        Case point = quadtree(0);
        point.block = block;
        std::vector<std::uint32_t> points(9 * leaf_points(block), 0);
        for (std::uint32_t bit = 0; bit < kCodeBits; ++bit)
            points.push_back(point_of(1U << bit));
        point.elements = points.size();
        const QuadTree tree = make_quadtree(points, limits_of(point));
        const std::uint32_t levels = count_quadtree(point, QuadForm::parts, tree).launches.levels();
        EXPECT_LE(levels, max_quad_levels(point)) << block;
        EXPECT_GE(levels, max_quad_levels(point) - 2) << block;
        for (const InputKind input : kInputs) {
            point.elements = 20000;
            point.input = input;
            EXPECT_LE(count_quadtree(point, QuadForm::parts, make_quadtree(quad_points(point), limits_of(point)))
                          .launches.levels(),
                      max_quad_levels(point));
        }
    }
}

TEST(QuadOracle, HasHardlyALevelOfMoreBlocksThanAreUseful)
{
    const Case point = quadtree(1 << 17);
    const QuadTree tree = make_quadtree(quad_points(point), limits_of(point));
    const auto widest = std::ranges::max(count_quadtree(point, QuadForm::parts, tree).launches.by_depth);
    EXPECT_LE(widest, useful_quad_blocks(point));
    EXPECT_GE(4 * widest, useful_quad_blocks(point));
}

} // namespace
} // namespace nestbed
