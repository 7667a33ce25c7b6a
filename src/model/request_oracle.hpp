// Data-dependent launches: what an irregular recursion requests, which launches that gives, and the oracle that counts them. Pure.
//
// A block looks at its part of the work, and each of its threads may want one more item of work done. An item that
// needs fewer threads than the threshold is processed by the thread itself. The others become child blocks: one for
// every `block * coarsen` threads that the item needs. The items of a group share one launch: of a thread, a warp, a
// block, some blocks, or the whole grid (aggregation).
// Source: Olabi et al., "A Compiler Framework for Optimizing Dynamic Parallelism on GPUs", CGO 2022 (threshold,
// coarsening, aggregation); El Hajj et al., KLAP, MICRO 2016 (aggregation).
#pragma once

#include "model/case.hpp"
#include "model/strategy.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace nestbed
{

// Blocks whose items share one launch; 0: all blocks of the grid, also where the strategy has no choice; 1 also for a
// warp and for a single item.
constexpr std::uint32_t blocks_per_group(Aggregate aggregate)
{
    switch (aggregate) {
    case Aggregate::multiblock_2:
        return 2;
    case Aggregate::multiblock_4:
        return 4;
    case Aggregate::multiblock_8:
        return 8;
    case Aggregate::multiblock_16:
        return 16;
    case Aggregate::multiblock_64:
        return 64;
    case Aggregate::absent:
    case Aggregate::grid:
        return 0;
    default:
        return 1;
    }
}

// Child blocks for an item that needs `threads` threads, at least one.
constexpr std::uint32_t blocks_for(std::uint64_t threads, std::uint32_t block, std::uint32_t coarsen)
{
    const std::uint64_t blocks = threads == 0 ? 1 : (threads - 1) / block + 1;
    return static_cast<std::uint32_t>((blocks - 1) / coarsen + 1);
}

// An item that a thread wants: its number in the workload's tree, and the threads that it needs.
struct ChildRequest {
    std::uint32_t thread = 0; // linear index in the block
    std::uint64_t item = 0;
    std::uint64_t threads = 0;
};

// Block `block` of the `blocks` that process an item; at depth 0 the root grid's block `item`.
struct ItemBlock {
    unsigned depth = 0;
    std::uint64_t item = 0;
    std::uint32_t block = 0;
    std::uint32_t blocks = 1;
};

// What the run of a case must count. Exact: order of execution does not change it.
struct RequestCounts {
    std::uint64_t items = 0;  // wanted by a thread, with those below the threshold
    std::uint64_t blocks = 0; // of child grids
    std::uint64_t widest = 0; // most launches at one depth

    friend bool operator==(const RequestCounts&, const RequestCounts&) = default;
};
struct RequestOracle {
    ExpectedLaunches launches;
    RequestCounts counts;
    std::uint64_t divisions = 0; // sort, quadtree: parts that need counters; search: nodes that blocks leave; at most
};

// Follows the recursion of a case whose root grid has `roots` blocks. requests(block, out) appends what the threads of
// this block want, in the order of the threads. At the case's depth limit nothing is launched.
RequestOracle count_requests(const Case& point, std::uint32_t roots,
                             const std::function<void(const ItemBlock&, std::vector<ChildRequest>&)>& requests);

// The same of one root grid of `roots` blocks per round, whose children request nothing. requests(round, block, out) appends what
// the threads of a root block want. by_root has the most of any round.
RequestOracle
count_rounds(const Case& point, std::uint32_t roots, std::size_t rounds,
             const std::function<void(std::size_t round, std::uint32_t block, std::vector<ChildRequest>&)>& requests);

} // namespace nestbed
