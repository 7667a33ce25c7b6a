// The host's refinement of a moving field: its cells, what decides that a cell is refined, and what a run must count.
#include "workloads/refine/refine_reference.hpp"

#include "support/support.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nestbed
{
namespace
{

using testing::IsEmpty;

Case field(std::string_view input, std::uint32_t steps, std::uint32_t division, std::uint32_t levels,
           std::uint32_t cell_work = 4)
{
    return {.block = 128,
            .input = InputKind(input),
            .aggregate = Aggregate::none,
            .own = {{"division", division}, {"levels", levels}, {"time-steps", steps}, {"cell-work", cell_work}}};
}

std::vector<std::uint64_t> cells_by_level(const RefineReference& reference, std::uint64_t step)
{
    std::vector<std::uint64_t> counts(reference.levels);
    for (std::uint32_t tile = 0; tile < reference.shape.tiles; ++tile)
        for (unsigned level = 1; level <= reference.levels; ++level)
            for (std::uint32_t code = 0; code < 1U << 2 * level; ++code)
                counts[level - 1] += reference.has(step * reference.shape.tiles + tile, level, code) ? 1 : 0;
    return counts;
}

TEST(RefineCells, HaveTheirPlacesByLevelAndMortonCode)
{
    EXPECT_EQ(first_of_level(1), 0U);
    EXPECT_EQ(first_of_level(2), 4U);
    EXPECT_EQ(first_of_level(3), 20U);
    EXPECT_EQ(every_second_bit(0b100111), 0b011U);
    EXPECT_EQ(every_second_bit(0b100111 >> 1), 0b101U);
    EXPECT_EQ(every_second_bit(0x55555555), 0xFFFFU);
    EXPECT_EQ(RefineShape::of(field("front", 3, 2, 3)).cells(), 3U * 4 * (4 + 16 + 64));
}

// With one tile, the four cells of level 1 are the quadrants of the field.
TEST(RefineReference, KnowsTheFieldOfOneTile)
{
    const RefineReference reference = refine_reference(field("front", 1, 1, 2));
    EXPECT_EQ(cells_by_level(reference, 0), (std::vector<std::uint64_t>{4, 8}));
    // The front is a circle of radius 0.2 around (0.25, 0): the left half of the field is outside, where the value is 1.
    for (const std::uint32_t outside : {0U, 2U}) {
        EXPECT_EQ(std::bit_cast<float>(reference.cells[outside]), 1.0F);
        EXPECT_FALSE(reference.refined(0, 1, outside));
    }
    for (const std::uint32_t crossed : {1U, 3U}) {
        EXPECT_TRUE(reference.refined(0, 1, crossed));
        // A quarter of the field has an area of 0.25, and half the disk 0.0628: the mean is 1 - 2 * 0.251.
        EXPECT_NEAR(std::bit_cast<float>(reference.cells[crossed]), 0.497F, 0.05F);
    }
    EXPECT_EQ(reference.cells[1], reference.cells[3]); // above and below are alike
    EXPECT_EQ(reference.count, 12U);
}

TEST(RefineReference, RefinesAlongTheFrontOnly)
{
    const RefineReference reference = refine_reference(field("front", 1, 8, 4));
    const std::vector<std::uint64_t> counts = cells_by_level(reference, 0);
    EXPECT_EQ(counts[0], 8U * 8 * 4);
    // Cells of a level beside a circle of length 1.257: four parts of about its length in cells, more or less.
    for (unsigned level = 2; level <= 4; ++level) {
        const double across = 8 * (1U << (level - 1));
        EXPECT_GT(static_cast<double>(counts[level - 1]), 4 * 0.8 * 1.257 * across) << level;
        EXPECT_LT(static_cast<double>(counts[level - 1]), 4 * 1.9 * 1.257 * across) << level;
    }
}

// Every cell but those of level 1 belongs to a refined cell with all four parts.
TEST(RefineReference, HasAllPartsOfARefinedCellOrNone)
{
    for (const char* input : {"front", "rings"}) {
        const RefineReference reference = refine_reference(field(input, 3, 3, 4));
        for (std::uint64_t root = 0; root < reference.shape.roots(); ++root)
            for (unsigned level = 1; level <= 4; ++level)
                for (std::uint32_t code = 0; code < 1U << 2 * level; code += kParts) {
                    const bool there = reference.has(root, level, code);
                    for (std::uint32_t part = 1; part < kParts; ++part)
                        EXPECT_EQ(reference.has(root, level, code + part), there);
                    EXPECT_EQ(there, level == 1 || (reference.has(root, level - 1, code / kParts) &&
                                                    reference.refined(root, level - 1, code / kParts)));
                }
    }
}

TEST(RefineReference, MovesTheTreeWithTheFront)
{
    const Case point = field("front", 6, 8, 5);
    const RefineReference reference = refine_reference(point);
    std::set<std::vector<bool>> trees;
    for (std::uint64_t step = 0; step < 6; ++step) {
        std::vector<bool> tree;
        for (std::uint32_t tile = 0; tile < reference.shape.tiles; ++tile)
            for (std::uint32_t code = 0; code < 1U << 2 * 4; ++code)
                tree.push_back(reference.has(step * reference.shape.tiles + tile, 4, code));
        trees.insert(tree);
    }
    EXPECT_EQ(trees.size(), 6U);
}

// The mean and the range of the samples of a cell, in double precision and with one turn instead of many.
struct Expected {
    double mean, range;
};
Expected expected(const Case& point, std::uint64_t step, std::uint32_t tile, unsigned level, std::uint32_t code)
{
    constexpr double kTurnPerStep = 0.1;
    const double turn = kTurnPerStep * static_cast<double>(step);
    const double side = 1.0 / (point["division"] * (1U << level));
    double sum = 0;
    double least = 1;
    double most = -1;
    for (unsigned index = 0; index < kSamples; ++index) {
        const auto place = [&](std::uint32_t of_tile, std::uint32_t in_tile, unsigned sample) {
            return (of_tile * (1U << level) + in_tile + (sample + 0.5) / kSampleSide) * side - 0.5;
        };
        const double x = place(tile % point["division"], every_second_bit(code), index % kSampleSide);
        const double y = place(tile / point["division"], every_second_bit(code >> 1), index / kSampleSide);
        const double before_x = std::cos(turn) * x + std::sin(turn) * y - kFrontX;
        const double before_y = std::cos(turn) * y - std::sin(turn) * x;
        const double squared = before_x * before_x + before_y * before_y;
        double value = (squared - kFrontSquare) * kFrontSlope;
        if (point.input == InputKind("rings")) {
            const double rings = squared * kRingsPerSquare + kRingsPhase;
            value = (2 * std::fabs(2 * (rings - std::floor(rings)) - 1) - 1) * kRingsSlope;
        }
        value = std::clamp(value, -1.0, 1.0);
        sum += value;
        least = std::min(least, value);
        most = std::max(most, value);
    }
    return {sum / kSamples, most - least};
}

// A cell is refined by its range, and a range between the two limits keeps what was refined in the time step before.
TEST(RefineReference, RefinesByTheRangeOfTheSamplesAndKeepsWhatWasRefined)
{
    constexpr double kOff = 2e-3; // of single precision, times the slope
    for (const char* input : {"front", "rings"}) {
        const Case point = field(input, 4, 5, 5, 3);
        const RefineReference reference = refine_reference(point);
        const std::uint32_t tiles = reference.shape.tiles;
        std::uint64_t kept = 0;
        std::uint64_t not_kept = 0;
        for (std::uint32_t root = 0; root < reference.shape.roots(); ++root)
            for (unsigned level = 1; level <= 5; ++level)
                for (std::uint32_t code = 0; code < 1U << 2 * level; ++code) {
                    if (!reference.has(root, level, code))
                        continue;
                    const Expected cell = expected(point, root / tiles, root % tiles, level, code);
                    const std::size_t at =
                        std::size_t{root} * reference.shape.cells_per_tile + first_of_level(level) + code;
                    ASSERT_NEAR(std::bit_cast<float>(reference.cells[at]), cell.mean, kOff) << input << root;
                    const bool refined = reference.refined(root, level, code);
                    const bool before = root >= tiles && reference.refined(root - tiles, level, code);
                    const double limit = before ? 0.25 : 0.5;
                    if (std::fabs(cell.range - limit) > kOff) {
                        ASSERT_EQ(refined, level < 5 && cell.range > limit) << input << root;
                    }
                    kept += refined && cell.range < 0.5 - kOff ? 1 : 0;
                    not_kept += !refined && level < 5 && cell.range > 0.25 + kOff ? 1 : 0;
                }
        EXPECT_GT(kept, 0U) << input;
        EXPECT_GT(not_kept, 0U) << input;
    }
}

// The work of a cell does not change where its samples end, up to rounding: so launches do not depend on it.
TEST(RefineReference, HasAboutTheSameCellsWhateverTheWork)
{
    const std::uint64_t few = refine_reference(field("front", 4, 8, 4, 1)).count;
    for (const std::uint32_t cell_work : {16U, 256U, 4096U}) {
        const auto more = static_cast<double>(refine_reference(field("front", 4, 8, 4, cell_work)).count);
        EXPECT_NEAR(more, static_cast<double>(few), 0.01 * static_cast<double>(few)) << cell_work;
    }
}

TEST(RefineCount, LaunchesForEveryRefinedCell)
{
    const Case point = field("front", 3, 4, 4);
    const RefineReference reference = refine_reference(point);
    std::vector<std::uint64_t> refined(3); // by level
    for (std::uint64_t step = 0; step < 3; ++step) {
        const std::vector<std::uint64_t> counts = cells_by_level(reference, step);
        for (unsigned level = 1; level < 4; ++level)
            refined[level - 1] += counts[level] / kParts;
    }
    const RequestOracle oracle = count_refinement(point, reference, false);
    EXPECT_EQ(oracle.launches.by_depth, refined);
    EXPECT_EQ(oracle.launches.by_root.size(), 3U * 16);
    EXPECT_EQ(oracle.launches.recursions, 3U);
    EXPECT_EQ(oracle.counts.items, refined[0] + refined[1] + refined[2]);
    EXPECT_EQ(oracle.counts.blocks, oracle.counts.items);
}

TEST(RefineCount, LaunchesOncePerLevelOfAStepWithAggregationByGrid)
{
    Case point = field("front", 3, 4, 4);
    point.aggregate = Aggregate::grid;
    const RefineReference reference = refine_reference(point);
    EXPECT_EQ(count_refinement(point, reference, false).launches.by_depth, (std::vector<std::uint64_t>{3, 3, 3}));
    // A graph runs four times per step, and its first run is launched by the host.
    const ExpectedLaunches by_graph = count_refinement(point, reference, true).launches;
    EXPECT_EQ(by_graph.by_depth, std::vector<std::uint64_t>(11, 1));
    EXPECT_THAT(by_graph.by_root, IsEmpty()); // it has no waves
    EXPECT_EQ(by_graph.recursions, 1U);
}

TEST(RefineCount, DoesNotDependOnHowManyPartsAWarpProcesses)
{
    Case point = field("rings", 2, 3, 3);
    const RefineReference reference = refine_reference(point);
    const RequestOracle usual = count_refinement(point, reference, false);
    point.block = 32;
    const RequestOracle four_blocks = count_refinement(point, reference, false);
    EXPECT_EQ(four_blocks.launches.by_depth, usual.launches.by_depth);
    EXPECT_EQ(four_blocks.counts.blocks, 4 * usual.counts.blocks);
    point.coarsen = 4;
    EXPECT_EQ(count_refinement(point, reference, false).counts, usual.counts);
}

TEST(WhyNotRefined, NamesTheValueAndWhatIsAllowed)
{
    EXPECT_THAT(why_not_refined(field("front", 8, 16, 6)), IsEmpty());
    EXPECT_EQ(why_not_refined(field("front", 1, 1, 16)), "16 levels of cells; allowed: at most 14");
    EXPECT_EQ(why_not_refined(field("front", 1, 1024, 11)),
              "1024 parts per side with 11 levels have samples that are too close to each other; allowed: division x "
              "2^levels at most 2^20");
    EXPECT_EQ(why_not_refined(field("front", 1000, 1024, 1)),
              "at most 4194304000 cells in 1000 time steps; allowed: 2^30");
}

} // namespace
} // namespace nestbed
