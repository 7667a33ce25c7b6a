// What one more level of launches costs by other mechanisms, from a log of experiments/ladder.cfg, and the advice that
// follows for a program.
#pragma once

#include "inspect/launch_summary.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

struct LevelPrices {
    std::string log; // its file
    std::string gpu;
    std::uint32_t blocks = 0;           // of the levels that were measured
    std::map<std::string, double> us{}; // by mechanism: the time of a level
};

// The prices of this GPU model: from the first of these logs that was measured on it. Of the sizes of a level that it
// has, the one nearest to `blocks` is taken; the price is the difference of two depths, divided by their levels. Logs
// that do not exist are skipped. Throws RunError for one that cannot be read.
std::optional<LevelPrices> find_level_prices(const std::vector<std::string>& logs, std::string_view gpu,
                                             std::uint32_t blocks);

// What the levels of the longest chain cost that kernels launched.
struct LevelCost {
    std::size_t levels = 0;
    double us = 0;            // a level: from its call, or the end that it waited for, to its begin
    std::uint32_t blocks = 0; // median
};
LevelCost level_cost(const LaunchChain& chain, const std::vector<TracedGrid>& grids);

// "advice: …", or nothing if the chain has fewer than two levels or no other mechanism is known to be cheaper.
std::string advice_text(const LevelCost& cost, const std::optional<LevelPrices>& prices);

} // namespace nestbed
