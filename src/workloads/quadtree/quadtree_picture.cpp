#include "workloads/quadtree/quadtree_picture.hpp"

#include "base/table.hpp"

#include <fmt/format.h>

namespace nestbed
{

namespace
{

constexpr std::uint32_t kCoordinateBits = 16;

unsigned levels_in(const QuadTree& tree)
{
    return tree.nodes.back().level + 1; // the list is ordered by level
}

} // namespace

std::vector<Rgb> quadtree_picture(const QuadTree& tree, std::uint32_t side)
{
    constexpr Rgb kGround{8, 8, 14};
    constexpr Rgb kWhite{255, 255, 255};
    std::vector<Rgb> picture(std::size_t{side} * side, kGround);
    const auto pixel_of = [side](std::uint64_t coordinate) {
        return static_cast<std::uint32_t>(coordinate * side >> kCoordinateBits);
    };
    const auto draw = [&](std::uint32_t x, std::uint32_t y, const Rgb& colour) {
        picture[std::size_t{side - 1 - y} * side + x] = colour;
    };
    const unsigned levels = levels_in(tree);
    for (std::size_t place = tree.nodes.size(); place != 0; --place) { // the deepest first
        const QuadNode& node = tree.nodes[place - 1];
        const Rgb colour = colour_of_depth(node.level, levels);
        const std::uint32_t corner = point_of(node.level == 0 ? 0 : node.code << (kCodeBits - 2 * node.level));
        const std::uint32_t width = 1U << (kCoordinateBits - node.level);
        const std::uint32_t left = pixel_of(corner & 0xFFFFU);
        const std::uint32_t low = pixel_of(corner >> kCoordinateBits);
        for (std::uint32_t x = left; x < pixel_of((corner & 0xFFFFU) + std::uint64_t{width}); ++x)
            draw(x, low, colour);
        for (std::uint32_t y = low; y < pixel_of((corner >> kCoordinateBits) + std::uint64_t{width}); ++y)
            draw(left, y, colour);
    }
    for (const std::uint32_t code : tree.codes) {
        const std::uint32_t point = point_of(code);
        draw(pixel_of(point & 0xFFFFU), pixel_of(point >> kCoordinateBits), kWhite);
    }
    return picture;
}

std::string quadtree_table(const QuadTree& tree, const QuadLimits& limits)
{
    std::vector<Column> columns{{"level"}, {"line", true}, {"nodes"}, {"divided"}, {"points of leaves"}};
    const unsigned levels = levels_in(tree);
    auto node = tree.nodes.begin();
    for (unsigned index = 0; index < levels; ++index) {
        std::uint64_t all = 0;
        std::uint64_t inner = 0;
        std::uint64_t of_leaves = 0;
        for (; node != tree.nodes.end() && node->level == index; ++node) {
            const bool is_inner = limits.divided(node->level, node->count);
            ++all;
            inner += is_inner ? 1 : 0;
            of_leaves += is_inner ? 0 : node->count;
        }
        const Rgb colour = colour_of_depth(index, levels);
        add_row(columns,
                {std::to_string(index), fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue),
                 std::to_string(all), std::to_string(inner), std::to_string(of_leaves)});
    }
    return table_text(std::move(columns));
}

} // namespace nestbed
