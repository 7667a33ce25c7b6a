// The oracle of data-dependent launches, compared with cases that were counted by hand.
#include "model/request_oracle.hpp"

#include "support/matchers.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace nestbed
{
namespace
{

// Not its `none`: Mechanism has one, too.
using Aggregate::absent, Aggregate::block, Aggregate::grid, Aggregate::multiblock_16, Aggregate::multiblock_2,
    Aggregate::multiblock_4, Aggregate::multiblock_64, Aggregate::multiblock_8, Aggregate::warp;

using Requests = std::function<void(const ItemBlock&, std::vector<ChildRequest>&)>;

struct Rule {
    Aggregate aggregate = Aggregate::none;
    std::uint32_t threshold = 0;
    std::uint32_t coarsen = 1;
    std::optional<std::uint32_t> depth = std::nullopt;
};

constexpr std::uint32_t kBlock = 64; // two warps

RequestOracle counted(const Rule& rule, std::uint32_t roots, const Requests& requests)
{
    Case point{.strategy = "any", .grid = roots, .block = kBlock, .depth = rule.depth};
    point.aggregate = rule.aggregate;
    point.threshold = rule.threshold;
    point.coarsen = rule.coarsen;
    return count_requests(point, roots, requests);
}

// Two root blocks want six items of 10, 64, 65, 200, 1 and 1000 threads: 1, 1, 2, 4, 1 and 16 blocks.
void six_items(const ItemBlock& block, std::vector<ChildRequest>& out)
{
    if (block.depth != 0)
        return;
    if (block.item == 0)
        out = {{0, 0, 10}, {5, 1, 64}, {33, 2, 65}, {40, 3, 200}};
    else
        out = {{1, 4, 1}, {63, 5, 1000}};
}

TEST(ChildRequests, OfSixItemsAreOneLaunchPerGroup)
{
    const auto launches = [](Aggregate aggregate) {
        const RequestOracle oracle = counted({.aggregate = aggregate}, 2, six_items);
        EXPECT_EQ(oracle.counts.items, 6U);
        EXPECT_EQ(oracle.counts.blocks, 1U + 1 + 2 + 4 + 1 + 16);
        EXPECT_EQ(oracle.counts.widest, oracle.launches.total());
        EXPECT_EQ(oracle.launches.levels(), 1U);
        return oracle.launches;
    };
    EXPECT_THAT(launches(Aggregate::none).by_depth, ElementsAre(6));
    EXPECT_THAT(launches(Aggregate::none).by_root, ElementsAre(4, 2));
    EXPECT_THAT(launches(warp).by_depth, ElementsAre(4)); // {0, 5} {33, 40} | {1} {63}
    EXPECT_THAT(launches(warp).by_root, ElementsAre(2, 2));
    EXPECT_THAT(launches(block).by_depth, ElementsAre(2));
    EXPECT_THAT(launches(block).by_root, ElementsAre(1, 1));
    EXPECT_THAT(launches(multiblock_2).by_depth, ElementsAre(1));
    EXPECT_THAT(launches(multiblock_64).by_depth, ElementsAre(1)); // a group may have fewer blocks
    EXPECT_THAT(launches(grid).by_depth, ElementsAre(1));
    EXPECT_THAT(launches(grid).by_root, ElementsAre(0, 1)); // counts for the last block of the group
    EXPECT_THAT(launches(absent).by_depth, ElementsAre(1)); // no choice: one grid per level
}

TEST(ChildRequests, BelowTheThresholdAreNotLaunchedButCounted)
{
    const auto total = [](Aggregate aggregate, std::uint32_t threshold, std::uint64_t blocks) {
        const RequestOracle oracle = counted({.aggregate = aggregate, .threshold = threshold}, 2, six_items);
        EXPECT_EQ(oracle.counts.items, 6U);
        EXPECT_EQ(oracle.counts.blocks, blocks);
        return oracle.launches.total();
    };
    EXPECT_EQ(total(Aggregate::none, 64, 23), 4U); // without those of 10 and of 1 threads
    EXPECT_EQ(total(warp, 64, 23), 3U);
    EXPECT_EQ(total(block, 64, 23), 2U);
    EXPECT_EQ(total(grid, 64, 23), 1U);
    EXPECT_EQ(total(Aggregate::none, 65, 22), 3U);
    EXPECT_EQ(total(warp, 65, 22), 2U);
    EXPECT_EQ(total(block, 201, 16), 1U); // the first root block launches nothing
    EXPECT_EQ(total(grid, 1000, 16), 1U);
    EXPECT_EQ(total(Aggregate::none, 1001, 0), 0U);
}

TEST(ChildRequests, AreCoarsenedItemByItem)
{
    const auto blocks = [](std::uint32_t coarsen) {
        const RequestOracle oracle = counted({.aggregate = block, .coarsen = coarsen}, 2, six_items);
        EXPECT_EQ(oracle.launches.total(), 2U);
        return oracle.counts.blocks;
    };
    EXPECT_EQ(blocks(2), 1U + 1 + 1 + 2 + 1 + 8);
    EXPECT_EQ(blocks(3), 1U + 1 + 1 + 2 + 1 + 6);
    EXPECT_EQ(blocks(16), 6U);
    EXPECT_EQ(blocks(0), 25U); // a flat strategy has no coarsening
}

TEST(BlocksWanted, AreAtLeastOneAndRoundedUpTwice)
{
    EXPECT_EQ(blocks_for(0, 64, 1), 1U);
    EXPECT_EQ(blocks_for(64, 64, 1), 1U);
    EXPECT_EQ(blocks_for(65, 64, 1), 2U);
    EXPECT_EQ(blocks_for(64 * 5, 64, 4), 2U);
    EXPECT_EQ(blocks_for(64 * 4, 64, 4), 1U);
    EXPECT_EQ(blocks_for(std::uint64_t{1} << 40, 1024, 4), std::uint32_t{1} << 28);
}

TEST(ChildRequests, AtDepth0AreCountedAndNotLaunched)
{
    for (const Aggregate aggregate : {Aggregate::none, warp, block, multiblock_4, grid}) {
        const RequestOracle oracle = counted({.aggregate = aggregate, .depth = 0}, 2, six_items);
        EXPECT_EQ(oracle.counts.items, 6U);
        EXPECT_EQ(oracle.counts.blocks, 0U);
        EXPECT_THAT(oracle.launches.by_depth, IsEmpty());
        EXPECT_THAT(oracle.launches.by_root, ElementsAre(0, 0));
    }
}

// Threads 0 and 1 of every block down to depth 2 want one item each: 2 + 4 + 8 items of one block.
void binary_tree(const ItemBlock& block, std::vector<ChildRequest>& out)
{
    if (block.depth < 3)
        out = {{0, 2 * block.item, 1}, {1, 2 * block.item + 1, 1}};
}

TEST(ChildRequests, OfABinaryTreeGroupTheBlocksOfEachGrid)
{
    const auto by_depth = [](Aggregate aggregate) {
        const RequestOracle oracle = counted({.aggregate = aggregate}, 1, binary_tree);
        EXPECT_EQ(oracle.counts.items, 14U);
        EXPECT_EQ(oracle.counts.blocks, 14U);
        return oracle.launches.by_depth;
    };
    EXPECT_THAT(by_depth(Aggregate::none), ElementsAre(2, 4, 8));
    EXPECT_THAT(by_depth(warp), ElementsAre(1, 2, 4));
    EXPECT_THAT(by_depth(block), ElementsAre(1, 2, 4));
    EXPECT_THAT(by_depth(multiblock_2), ElementsAre(1, 1, 2)); // of grids with 1, 2 and 4 blocks
    EXPECT_THAT(by_depth(multiblock_4), ElementsAre(1, 1, 1));
    EXPECT_THAT(by_depth(grid), ElementsAre(1, 1, 1));
}

TEST(ChildRequests, OfABinaryTreeEndAtTheDepth)
{
    const auto of = [](std::uint32_t depth) { return counted({.depth = depth}, 1, binary_tree); };
    EXPECT_THAT(of(1).launches.by_depth, ElementsAre(2));
    EXPECT_EQ(of(1).counts.items, 2U + 4); // those at depth 1 are wanted, and done by the thread
    EXPECT_THAT(of(2).launches.by_depth, ElementsAre(2, 4));
    EXPECT_EQ(of(2).counts.items, 14U);
    EXPECT_EQ(of(2).counts.blocks, 6U);
    EXPECT_EQ(of(2).counts.widest, 4U);
    EXPECT_EQ(of(3).launches.total(), 14U);
    EXPECT_EQ(of(100).launches.total(), 14U);
}

TEST(ChildRequests, KeepRootsApart)
{
    // Root block r has a chain of r grids.
    const RequestOracle oracle = counted({}, 4, [](const ItemBlock& block, std::vector<ChildRequest>& out) {
        const std::uint64_t left = block.item;
        if (left > 0)
            out = {{7, left - 1, 1}};
    });
    EXPECT_THAT(oracle.launches.by_depth, ElementsAre(3, 2, 1));
    EXPECT_THAT(oracle.launches.by_root, ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(oracle.counts.widest, 3U);
}

TEST(ChildRequests, OfAnItemWithSeveralBlocksComeFromEachOfThem)
{
    // A root wants an item of three blocks, each of which wants one item.
    const auto requests = [](const ItemBlock& block, std::vector<ChildRequest>& out) {
        if (block.depth == 0)
            out = {{0, 9, 2 * kBlock + 1}};
        if (block.depth == 1) {
            EXPECT_EQ(block.item, 9U);
            EXPECT_EQ(block.blocks, 3U);
            out = {{block.block, block.block, 1}};
        }
    };
    EXPECT_THAT(counted({}, 1, requests).launches.by_depth, ElementsAre(1, 3));
    EXPECT_THAT(counted({.aggregate = block}, 1, requests).launches.by_depth, ElementsAre(1, 3));
    EXPECT_THAT(counted({.aggregate = multiblock_2}, 1, requests).launches.by_depth, ElementsAre(1, 2));
    EXPECT_THAT(counted({.aggregate = grid}, 1, requests).launches.by_depth, ElementsAre(1, 1));
}

TEST(ChildRequests, OfNothingAreNothing)
{
    for (const Aggregate aggregate : {absent, Aggregate::none, warp, block, multiblock_16, grid}) {
        const RequestOracle oracle = counted({.aggregate = aggregate}, 3,
                                             [](const ItemBlock& /*block*/, std::vector<ChildRequest>& /*out*/) {});
        EXPECT_EQ(oracle.counts, RequestCounts{});
        EXPECT_THAT(oracle.launches.by_depth, IsEmpty());
        EXPECT_THAT(oracle.launches.by_root, ElementsAre(0, 0, 0));
    }
}

TEST(ChildRequests, OfOneItemAreOneLaunchHoweverTheyAreGrouped)
{
    for (const Aggregate aggregate : {absent, Aggregate::none, warp, block, multiblock_8, grid}) {
        const RequestOracle oracle =
            counted({.aggregate = aggregate}, 5, [](const ItemBlock& block, std::vector<ChildRequest>& out) {
                if (block.depth == 0 && block.item == 2)
                    out = {{kBlock - 1, 0, 1}};
            });
        EXPECT_THAT(oracle.launches.by_depth, ElementsAre(1));
        EXPECT_EQ(oracle.counts, (RequestCounts{.items = 1, .blocks = 1, .widest = 1}));
    }
}

TEST(ChildRequests, ThatAreEqualAndInOneWarpShareTheLaunchOfTheWarp)
{
    const auto launches = [](Aggregate aggregate) {
        const RequestOracle oracle =
            counted({.aggregate = aggregate}, 3, [](const ItemBlock& block, std::vector<ChildRequest>& out) {
                for (std::uint32_t thread = 32; block.depth == 0 && block.item == 1 && thread < kBlock; ++thread)
                    out.push_back({thread, thread, 5});
            });
        EXPECT_EQ(oracle.counts.items, 32U);
        EXPECT_EQ(oracle.counts.blocks, 32U);
        return oracle.launches.total();
    };
    EXPECT_EQ(launches(Aggregate::none), 32U);
    for (const Aggregate aggregate : {warp, block, multiblock_2, multiblock_64, grid})
        EXPECT_EQ(launches(aggregate), 1U);
}

TEST(BlocksAGroup, AreThoseOfTheName)
{
    EXPECT_EQ(blocks_per_group(Aggregate::none), 1U);
    EXPECT_EQ(blocks_per_group(warp), 1U);
    EXPECT_EQ(blocks_per_group(block), 1U);
    EXPECT_EQ(blocks_per_group(multiblock_2), 2U);
    EXPECT_EQ(blocks_per_group(multiblock_4), 4U);
    EXPECT_EQ(blocks_per_group(multiblock_8), 8U);
    EXPECT_EQ(blocks_per_group(multiblock_16), 16U);
    EXPECT_EQ(blocks_per_group(multiblock_64), 64U);
    EXPECT_EQ(blocks_per_group(grid), 0U);
    EXPECT_EQ(blocks_per_group(absent), 0U);
}

} // namespace
} // namespace nestbed
