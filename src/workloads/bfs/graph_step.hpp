// Which step of a search level by level comes next, and how many threads it needs. The kernels plan by these functions, and the
// oracle counts launches by them, so they agree. Pure.
#pragma once

#include <cstdint>

namespace nestbed
{

// What a step does.
enum class StepMode : unsigned {
    done,
    small,     // levels in one block, as long as they are small
    top_down,  // the edges of the list
    bottom_up, // the vertices that were not reached
    split,     // the far vertices, into near and far ones
};

// A level that one block processes itself: not more vertices and edges than these. Four edges per vertex always fit.
inline constexpr std::uint32_t kSmallVertices = 2048;
inline constexpr std::uint32_t kSmallEdges = 8192;
static_assert(kSmallEdges >= 4 * kSmallVertices);

inline constexpr std::uint32_t kEdgesPerThread = 4;

struct LevelStep {
    StepMode mode = StepMode::top_down;
    std::uint32_t threads = 1;
};

constexpr std::uint32_t threads_for(std::uint32_t edges)
{
    return edges / kEdgesPerThread + 1;
}

// A step with more than one block is launched. The block that plans it runs any other step itself.
constexpr std::uint32_t blocks_of_step(std::uint32_t threads, std::uint32_t block)
{
    return (threads - 1) / block + 1;
}

// The step for a list of `items` vertices, at least one, which `edges` edges leave. before: the mode of the step that made the list;
// unexplored: edges of vertices that no list had; vertices: of the graph; small, directions: whether the search has these modes.
// Small levels that followed each other in one block left the next one because it is not small. (It may have had many vertices
// without edges, which are not in the list.)
constexpr LevelStep step_of_level(StepMode before, std::uint32_t items, std::uint32_t edges, std::uint32_t unexplored,
                                  std::uint32_t vertices, bool small, bool directions)
{
    constexpr std::uint32_t kAlpha = 14; // bottom-up if the level has more than 1/14 of the unexplored edges,
    constexpr std::uint32_t kBeta = 24;  // until it has fewer than 1/24 of the vertices
    constexpr std::uint32_t kMin = 8;    // and only for more edges than 1/8 of the vertices, which it must look at
    if (small && before != StepMode::small && items <= kSmallVertices && edges <= kSmallEdges)
        return {StepMode::small, 1};
    if (directions && (before == StepMode::bottom_up ? items >= vertices / kBeta
                                                     : edges > unexplored / kAlpha && edges > vertices / kMin))
        return {StepMode::bottom_up, vertices};
    return {StepMode::top_down, threads_for(edges)};
}

// The same of a list of few edges per vertex, in a search whose blocks go on with what they have reached: few vertices for each, because
// they wait for memory more than they work.
inline constexpr std::uint32_t kFewEdges = 1024;
inline constexpr std::uint32_t kVerticesOfBlock = 16;
constexpr LevelStep step_with_rounds(StepMode before, std::uint32_t items, std::uint32_t edges, std::uint32_t block)
{
    if (before != StepMode::small && edges <= kFewEdges)
        return {StepMode::small, 1};
    const std::uint32_t threads = ((items - 1) / kVerticesOfBlock + 1) * block;
    return {StepMode::top_down, threads < threads_for(edges) ? threads_for(edges) : threads};
}

// Steps of a breadth-first search that are not small, at most, and the first one: each takes many vertices or many edges.
constexpr std::uint32_t max_large_steps(std::uint32_t vertices, std::uint32_t edges)
{
    return 1 + vertices / (kSmallVertices + 1) + edges / (kSmallEdges + 1);
}

} // namespace nestbed
