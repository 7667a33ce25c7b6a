#include "workloads/mandelbrot/dwell_picture.hpp"

#include "base/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

namespace nestbed
{

namespace
{

constexpr Rgb kInSet{8, 8, 14};

// From dark blue over teal to light gold; `place` is from 0 to 1.
Rgb colour_at(double place)
{
    constexpr double kMaxChroma = 0.13;
    return rgb_of(
        {.light = 0.20 + 0.74 * place,
         .chroma = 0.05 + (kMaxChroma - 0.05) * std::sin(std::numbers::pi * std::min(1.0, 0.15 + 0.75 * place)),
         .hue = 275 - 185 * place * place});
}

// The place on the scale of each dwell below `most`.
std::map<std::uint32_t, double> places_of(std::span<const float> dwells, std::uint32_t most)
{
    std::map<std::uint32_t, double> places;
    std::uint64_t pixels = 0;
    for (const float dwell : dwells)
        if (dwell < static_cast<float>(most)) {
            ++places[static_cast<std::uint32_t>(dwell)];
            ++pixels;
        }
    if (places.empty())
        return places;
    const double first = std::log1p(places.begin()->first);
    const double span = std::max(std::log1p(places.rbegin()->first) - first, 1e-9);
    double below = 0;
    for (auto& [dwell, place] : places) {
        const double count = place;
        const double rank = below / static_cast<double>(pixels);
        below += count;
        place = ((std::log1p(dwell) - first) / span + rank) / 2;
    }
    return places;
}

Rgb mixed(const Rgb& under, const Rgb& over, double share)
{
    const auto mix = [share](std::uint8_t one, std::uint8_t other) {
        return static_cast<std::uint8_t>(std::lround(one + share * (other - one)));
    };
    return {mix(under.red, over.red), mix(under.green, over.green), mix(under.blue, over.blue)};
}

unsigned levels_in(const std::vector<RegionNode>& nodes)
{
    unsigned levels = 0;
    for (const RegionNode& node : nodes)
        levels = std::max(levels, node.depth + 1U);
    return levels;
}

} // namespace

std::vector<Rgb> coloured_dwells(std::span<const float> dwells, std::uint32_t nx, std::uint32_t most)
{
    std::map<std::uint32_t, Rgb> colours;
    for (const auto& [dwell, place] : places_of(dwells, most))
        colours.emplace(dwell, colour_at(place));
    std::vector<Rgb> picture(dwells.size(), kInSet);
    const std::size_t ny = dwells.size() / nx;
    std::pair<float, Rgb> last{-1.0F, kInSet}; // neighbours often have the same dwell
    for (std::size_t y = 0; y < ny; ++y)
        for (std::size_t x = 0; x < nx; ++x) {
            const float dwell = dwells[y * nx + x];
            if (dwell != last.first)
                last = {dwell,
                        dwell < static_cast<float>(most) ? colours.at(static_cast<std::uint32_t>(dwell)) : kInSet};
            picture[(ny - 1 - y) * nx + x] = last.second;
        }
    return picture;
}

std::vector<TreeLevel> levels_of(const std::vector<RegionNode>& nodes)
{
    std::vector<TreeLevel> levels(levels_in(nodes));
    for (const RegionNode& node : nodes) {
        TreeLevel& level = levels[node.depth];
        if (!is_empty(node.region))
            ++(node.fate == RegionFate::divided  ? level.divided
               : node.fate == RegionFate::filled ? level.filled
                                                 : level.computed);
    }
    return levels;
}

void draw_tree(std::vector<Rgb>& picture, std::uint32_t nx, const std::vector<RegionNode>& nodes)
{
    constexpr Rgb kBlack{0, 0, 0};
    constexpr double kDarker = 0.35;
    constexpr double kFaintest = 0.55; // of the lines of the deepest level
    for (Rgb& pixel : picture)
        pixel = mixed(pixel, kBlack, kDarker);
    const auto ny = static_cast<unsigned>(picture.size() / nx);
    const unsigned levels = levels_in(nodes);
    // Neighbours share a line: each region draws its own first row and column.
    for (unsigned depth = levels; depth-- > 0;) {
        const Rgb colour = colour_of_depth(depth, levels);
        const double share = levels < 2 ? 1 : 1 - (1 - kFaintest) * depth / (levels - 1);
        const auto draw = [&](unsigned x, unsigned y) {
            Rgb& pixel = picture[std::size_t{ny - 1 - y} * nx + x];
            pixel = mixed(pixel, colour, share);
        };
        for (const RegionNode& node : nodes) {
            const Region& region = node.region;
            if (node.depth != depth || is_empty(region))
                continue;
            for (unsigned x = region.x; x < region.x + region.width; ++x)
                draw(x, region.y);
            for (unsigned y = region.y + 1; y < region.y + region.height; ++y)
                draw(region.x, y);
        }
    }
}

std::string tree_table(const std::vector<TreeLevel>& levels)
{
    std::vector<Column> columns{{"depth"}, {"line", true}, {"regions"}, {"divided"}, {"filled"}, {"computed"}};
    for (unsigned index = 0; index < levels.size(); ++index) {
        const TreeLevel& level = levels[index];
        const Rgb colour = colour_of_depth(index, static_cast<unsigned>(levels.size()));
        add_row(columns,
                {std::to_string(index), fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue),
                 std::to_string(level.regions()), std::to_string(level.divided), std::to_string(level.filled),
                 std::to_string(level.computed)});
    }
    return table_text(std::move(columns));
}

} // namespace nestbed
