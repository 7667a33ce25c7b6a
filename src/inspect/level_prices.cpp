#include "inspect/level_prices.hpp"

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "log/parsed_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

namespace nestbed
{

namespace
{

// Mechanisms in which the device decides whether there is another level, and their names in the advice.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOthers{
    {{"graph_tail", "a device graph"}, {"grid_sync", "grid.sync()"}, {"tail", "a tail launch"}}};

using Samples = std::map<std::uint32_t, std::map<std::string, std::map<unsigned, std::vector<double>>>>;

// Times of the chains of a log, by blocks, mechanism and depth.
Samples samples_of(const std::string& path, std::string_view gpu)
{
    const ParsedLog log = parse_log(path, TextSource::of_file(path));
    Samples samples;
    for (const LogRow& row : log.rows) {
        const auto cell = [&](const char* column) -> const std::string& { return row.cells[log.column(column)]; };
        if (cell("experiment") == "ladder" && cell("status") == "ok" && cell("gpu") == gpu && !cell("gpu_us").empty())
            samples[static_cast<std::uint32_t>(log.number(row, "grid"))][cell("mechanism")]
                   [static_cast<unsigned>(log.number(row, "depth"))]
                       .push_back(log.number(row, "gpu_us"));
    }
    return samples;
}

} // namespace

std::optional<LevelPrices> find_level_prices(const std::vector<std::string>& logs, std::string_view gpu,
                                             std::uint32_t blocks)
{
    for (const std::string& log : logs) {
        if (!std::filesystem::exists(stored_path(log)))
            continue;
        const Samples samples = samples_of(log, gpu);
        const auto nearest = std::ranges::min_element(samples, {}, [&](const auto& size) {
            return std::abs(std::log2(std::max(size.first, 1U)) - std::log2(std::max(blocks, 1U)));
        });
        if (nearest == samples.end())
            continue;
        LevelPrices prices{.log = stored_path(log), .gpu = std::string(gpu), .blocks = nearest->first};
        for (const auto& [mechanism, depths] : nearest->second) {
            if (depths.size() < 2)
                continue;
            const auto& [shallow, less] = *depths.begin();
            const auto& [deep, more] = *depths.rbegin();
            prices.us[mechanism] = (median(more) - median(less)) / (deep - shallow);
        }
        return prices;
    }
    return std::nullopt;
}

LevelCost level_cost(const LaunchChain& chain, const std::vector<TracedGrid>& grids)
{
    const std::vector<std::optional<Cause>> causes = causes_of(grids);
    LevelCost cost;
    std::vector<double> blocks;
    for (const std::uint32_t number : chain.grids) {
        const TracedGrid& grid = grids[number];
        if (grid.parent == kNoGrid)
            continue;
        ++cost.levels;
        cost.us += static_cast<double>(*grid.begun_ns - std::min(causes[number]->at_ns, *grid.begun_ns)) / 1000;
        blocks.push_back(grid.blocks);
    }
    if (cost.levels > 0) {
        cost.us /= static_cast<double>(cost.levels);
        cost.blocks = static_cast<std::uint32_t>(median(blocks));
    }
    return cost;
}

std::string advice_text(const LevelCost& cost, const std::optional<LevelPrices>& prices)
{
    std::vector<std::string> others;
    for (const auto& [mechanism, name] : kOthers)
        if (const auto known = prices ? prices->us.find(std::string(mechanism)) : decltype(prices->us.end()){};
            prices && known != prices->us.end() && known->second < cost.us)
            others.push_back(fmt::format("{} {}", name, format_us(known->second)));
    if (cost.levels < 2 || others.empty())
        return "";
    return folded(fmt::format(
                      "advice: a level of this chain costs {} between grids; by other mechanisms a level costs: {}",
                      format_us(cost.us), fmt::join(others, ", ")),
                  0) +
           folded(fmt::format("(levels of {} {} on {}: {})", prices->blocks, prices->blocks == 1 ? "block" : "blocks",
                              prices->gpu, prices->log),
                  2);
}

} // namespace nestbed
