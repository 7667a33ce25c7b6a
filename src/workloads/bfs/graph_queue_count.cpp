#include "workloads/bfs/graph_queue_count.hpp"

#include <algorithm>

namespace nestbed
{

namespace
{

// Threads whose items share a launch; 0: all threads of the grid.
std::uint64_t threads_per_group(const Case& point)
{
    constexpr std::uint64_t kWarp = 32;
    if (point.aggregate == Aggregate::none)
        return 1;
    return point.aggregate == Aggregate::warp ? kWarp
                                              : std::uint64_t{blocks_per_group(point.aggregate)} * point.block;
}

} // namespace

RequestOracle count_queue_rounds(const Case& point, const CsrGraph& graph,
                                 const std::vector<std::vector<std::uint32_t>>& rounds)
{
    RequestOracle all;
    const std::uint64_t group = threads_per_group(point);
    std::uint64_t launches = 0;
    std::uint64_t threads = 1; // of the widest root grid
    for (const std::vector<std::uint32_t>& round : rounds) {
        std::uint64_t wide = 0;
        for (const std::uint32_t vertex : round) {
            if (graph.degree(vertex) < point.threshold || point.depth == 0U)
                continue;
            ++wide;
            all.counts.blocks += blocks_for(graph.degree(vertex), point.block, std::max(1U, point.coarsen));
        }
        const std::uint64_t groups = group == 0 ? 1 : (round.size() - 1) / group + 1;
        const std::uint64_t most = std::min(wide, groups);
        all.counts.items += round.size();
        all.counts.widest = std::max(all.counts.widest, most);
        threads = std::max<std::uint64_t>(threads, round.size());
        launches += most;
    }
    if (launches != 0)
        all.launches.by_depth.push_back(launches);
    all.launches.by_order = group > 1;
    // The most that any number of root blocks that follow each other can launch in one round: as if the first blocks had all.
    const std::uint64_t each = group == 0 ? 1 : std::max<std::uint64_t>(1, point.block / group);
    std::uint64_t left = all.counts.widest;
    all.launches.by_root.assign((threads - 1) / point.block + 1, 0);
    for (std::uint64_t& root : all.launches.by_root) {
        root = std::min(left, each);
        left -= root;
    }
    return all;
}

} // namespace nestbed
