// The price of a level by other mechanisms, and the advice that it gives.
#include "base/error.hpp"
#include "inspect/level_prices.hpp"
#include "support/matchers.hpp"
#include "support/support.hpp"

namespace nestbed
{
namespace
{

// One block a level: a device graph 4 us, grid.sync() 1 us; 132 blocks: 5 and 2. The H100's are twice as much.
std::string ladder()
{
    std::string log = "experiment,mechanism,grid,depth,gpu_us,status,gpu\n";
    const auto add = [&](const std::string& mechanism, int grid, int depth, double us,
                         const std::string& status = "ok") {
        log += "ladder," + mechanism + "," + std::to_string(grid) + "," + std::to_string(depth) + "," +
               std::to_string(us) + "," + status + ",NVIDIA H200\n";
        log += "ladder," + mechanism + "," + std::to_string(grid) + "," + std::to_string(depth) + "," +
               std::to_string(2 * us) + "," + status + ",NVIDIA H100\n";
    };
    for (const auto& [grid, more] : {std::pair(1, 0), std::pair(132, 1)})
        for (const int depth : {16, 120}) {
            add("graph_tail", grid, depth, 20 + (4 + more) * depth);
            add("grid_sync", grid, depth, 5 + (1 + more) * depth);
            add("tail", grid, depth, 12 * depth);
            add("null_stream", grid, depth, 1, "crashed");
        }
    log += "grid,graph_tail,1,16,1,ok,NVIDIA H200\n";
    return log;
}

TEST(LevelPrices, AreThoseOfThisGpuAndTheNearestSize)
{
    const ScratchFolder folder;
    const std::vector<std::string> logs{folder.path("missing.csv"), folder.write("ladder.csv", ladder())};
    const auto few = find_level_prices(logs, "NVIDIA H200", 2);
    ASSERT_TRUE(few);
    EXPECT_EQ(few->blocks, 1U);
    EXPECT_THAT(few->us, ElementsAre(testing::Pair("graph_tail", testing::DoubleNear(4, 1e-6)),
                                     testing::Pair("grid_sync", testing::DoubleNear(1, 1e-6)),
                                     testing::Pair("tail", testing::DoubleNear(12, 1e-6))));
    const auto many = find_level_prices(logs, "NVIDIA H100", 1000);
    ASSERT_TRUE(many);
    EXPECT_EQ(many->blocks, 132U);
    EXPECT_NEAR(many->us.at("graph_tail"), 10, 1e-6);
    EXPECT_FALSE(find_level_prices(logs, "NVIDIA A100", 1));
    EXPECT_FALSE(find_level_prices({}, "NVIDIA H200", 1));
    EXPECT_THROW(find_level_prices({folder.write("other.csv", "a,b\n1,2\n")}, "x", 1), RunError);
}

TEST(LevelPrices, GiveAdviceOnlyWhereAPriceIsLower)
{
    const LevelPrices prices{.log = "results/h200/ladder.csv.gz",
                             .gpu = "NVIDIA H200",
                             .blocks = 1,
                             .us = {{"graph_tail", 4.5}, {"grid_sync", 1.1}, {"host", 0.1}, {"tail", 12}}};
    EXPECT_EQ(advice_text({.levels = 8, .us = 10.5, .blocks = 1}, prices),
              "advice: a level of this chain costs 10.5 us between grids; by other mechanisms a\n"
              "level costs: a device graph 4.50 us, grid.sync() 1.10 us\n"
              "  (levels of 1 block on NVIDIA H200: results/h200/ladder.csv.gz)\n");
    EXPECT_EQ(advice_text({.levels = 8, .us = 1, .blocks = 1}, prices), "");
    EXPECT_EQ(advice_text({.levels = 1, .us = 10.5, .blocks = 1}, prices), "");
    EXPECT_EQ(advice_text({.levels = 8, .us = 10.5, .blocks = 1}, std::nullopt), "");
}

TEST(LevelPrices, OfAChainAreWhatIsBetweenItsGridsFromKernels)
{
    const auto grid = [](std::uint32_t parent, std::uint64_t called, std::uint64_t begun, std::uint64_t ended) {
        return TracedGrid{.parent = parent,
                          .depth = parent == kNoGrid ? 0U : 1U,
                          .blocks = 4,
                          .called_ns = called,
                          .begun_ns = begun,
                          .ended_ns = ended,
                          .stream = parent == kNoGrid ? "host:0" : "null"};
    };
    const std::vector<TracedGrid> grids{grid(kNoGrid, 0, 9000, 20000), grid(0, 12000, 16000, 30000),
                                        grid(1, 20000, 28000, 40000)};
    const LevelCost cost = level_cost(longest_chain(grids), grids);
    EXPECT_EQ(cost.levels, 2U);
    EXPECT_DOUBLE_EQ(cost.us, 6);
    EXPECT_EQ(cost.blocks, 4U);
    EXPECT_EQ(level_cost({}, {}).levels, 0U);
}

} // namespace
} // namespace nestbed
