// The recursions of the workload `search`, and the oracle that counts their launches. Pure.
#pragma once

#include "model/request_oracle.hpp"
#include "workloads/search/search_nodes.hpp"

#include <cstdint>

namespace nestbed
{

enum class SearchForm : std::uint8_t {
    flat,
    children, // a child per inner node
    budget,   // a child for what a block leaves after its budget
};

// Children of the root that one block of the root grid searches: so launches can be divided into waves.
inline constexpr std::uint32_t kRootChildren = 4;

// A block of the form `budget` keeps nodes in a stack of so many entries. Each is some children of one node.
//     stop if the stack is short of room, or after `budget` steps
//     step: the first threads take the entries on top of the stack, the others the next entries of the block's share
//           a thread visits the first child of its entry
//           the rest of the entry and the children of the visited node go on the stack: one entry for each, or, where there
//           is no room for so many, one for the rest and one for the children
inline constexpr std::uint32_t kSearchStack = 1024;
// Threads that take an entry, at most: so the stack has room for two entries from each.
constexpr std::uint32_t searching_threads(std::uint32_t block)
{
    return block < kSearchStack / 2 ? block : kSearchStack / 2;
}
// Where the share of block `block` of `blocks` begins.
constexpr std::uint32_t share_start(std::uint32_t count, std::uint32_t block, std::uint32_t blocks)
{
    return static_cast<std::uint32_t>(std::uint64_t{count} * block / blocks);
}

// Counts the launches of a case. `tree` is null for queens. RequestOracle::divisions: entries that blocks leave.
RequestOracle count_search(const Case& point, SearchForm form, const KnownTree* tree);

// Blocks of the root grid.
std::uint32_t search_roots(const Case& point);

} // namespace nestbed
