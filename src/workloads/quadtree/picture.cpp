#include "workloads/quadtree/picture.hpp"

#include "workloads/quadtree/quadtree_picture.hpp"

#include <fmt/format.h>

namespace nestbed
{

namespace
{

constexpr std::uint32_t kPictureSide = 1024;

// Few points, so that each is seen.
constexpr PictureSetting kSettings[]{{"strategy", "quadtree_children", "a strategy of the workload quadtree"},
                                     {"backend"},
                                     {"mechanism"},
                                     {"input", "", "uniform, clustered, line or coincident", "uniform"},
                                     {"elements", "2000", "points"},
                                     {"grain", "8", "maximum points of a node that is not divided"},
                                     {"levels"},
                                     {"block", "32"},
                                     {"aggregate"},
                                     {"overflow"},
                                     {"pending-limit"},
                                     {"seed"},
                                     {"schedule"},
                                     {"workers"}};

std::string why_not(const StrategyInfo& /*info*/, const Case& point, bool /*flagged*/)
{
    constexpr std::uint64_t kMaxDrawn = 1ULL << 24;
    return point.elements <= kMaxDrawn
               ? ""
               : fmt::format("--elements {}: too many points for a picture; allowed: at most {}", point.elements,
                             kMaxDrawn);
}

// The picture shows the canonical tree, which the strategy's equals if its sample is right.
Drawing draw(const Case& point, const Sample& sample, bool /*flagged*/)
{
    if (sample.status != Status::ok)
        return {};
    const QuadTree tree = make_quadtree(quad_points(point), limits_of(point));
    return {.pixels = quadtree_picture(tree, kPictureSide),
            .width = kPictureSide,
            .text = fmt::format("{} points in {} nodes by {}{}\n", point.elements, tree.nodes.size(), point.strategy,
                                launches_text(sample)) +
                    quadtree_table(tree, limits_of(point))};
}

} // namespace

constinit const Picture kQuadtreePicture{
    .arguments = "[--strategy NAME] [-o FILE.png]",
    .summary = "draw a quadtree over its points",
    .text = "Builds a quadtree by one strategy, checks it, and draws its squares, coloured by\n"
            "their level, under its points. Lists the nodes of each level.\n",
    .file = "quadtree.png",
    .draws = "draws one tree",
    .refusal = "it does not build a quadtree; allowed: a strategy of the workload quadtree (nestbed list "
               "'quadtree_*')",
    .settings = kSettings,
    .why_not = why_not,
    .draw = draw,
};

} // namespace nestbed
