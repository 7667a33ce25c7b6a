// Which step of a spanning forest over a list of edges comes next, and how many threads it needs. The kernels plan by these
// functions, and the oracle counts launches by them, so they agree. Pure.
//
//     light     lists the light edges, and finds the lightest edge of every vertex
//     hook      joins the components that the lightest edges of the list join
//     least     lists the edges of the list that still join two components, and finds the lightest of every component
//               hook and least take turns until the list is empty
//     flatten   every vertex learns its component: once, if there are heavy edges
//     heavy     lists the heavy edges that join two components, and finds the lightest of every component; then hook and least
//               again
#pragma once

#include <cstdint>

namespace nestbed
{

enum class MstPhase : unsigned { done, light, hook, least, flatten, heavy };

struct MstStep {
    MstPhase phase = MstPhase::light;
    std::uint32_t items = 0; // that it looks at: edges, or vertices
    std::uint32_t heavy = 0; // 1: the heavy edges have been listed
};

// The step after `now`, which listed `found` edges if it lists any. `edges`: of the graph; filters: some of them are heavy.
constexpr MstStep step_after(const MstStep& now, std::uint32_t found, std::uint32_t vertices, std::uint32_t edges,
                             bool filters)
{
    if (now.phase == MstPhase::hook)
        return {MstPhase::least, now.items, now.heavy};
    if (now.phase == MstPhase::flatten)
        return {MstPhase::heavy, edges, 1};
    if (found != 0)
        return {MstPhase::hook, found, now.heavy};
    if (filters && now.heavy == 0)
        return {MstPhase::flatten, vertices, 0};
    return {MstPhase::done, 0, now.heavy};
}

inline constexpr std::uint32_t kMstItemsPerThread = 4;

// A step with more than one block is launched. The block that plans it runs any other step itself.
constexpr std::uint32_t mst_blocks(std::uint32_t items, std::uint32_t block)
{
    return items == 0 ? 1 : static_cast<std::uint32_t>((items - 1) / (std::uint64_t{kMstItemsPerThread} * block) + 1);
}

} // namespace nestbed
