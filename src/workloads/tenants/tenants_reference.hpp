// The workload `tenants`: many independent recursions, sequentially. Pure.
//
// A tenant has a root, and levels of nodes below it. A node is a number of 32 bits. Its value is a hash of many rounds of it (its
// work), and its children follow from its value: how many there are, and their numbers. So nobody knows the size of a level
// before all of the level above is done.
//
//     tenant: levels, uniform in levels / 2 to levels; width, uniform in half to one and a half times `grain`
//     root: `width` nodes; the first of them is a keeper
//     node of a level of w nodes: floor(2 u width / w + v) children, u and v uniform in [0, 1), from its value: on average width / w
//     a keeper has at least one child, and its first child is a keeper: so no recursion ends before its last level
//
// The answer is, of each tenant, the number of its nodes and the sum of their values, each times an odd number, modulo 2^64. It does
// not depend on the order of the nodes.
#pragma once

#include "model/case.hpp"
#include "model/strategy.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace nestbed
{

inline constexpr std::uint32_t kMaxTenants = 512;

// A recursion, as it is known when it arrives; and its places in the lists of nodes.
struct Tenant {
    std::uint32_t root;     // from which its first nodes follow
    std::uint32_t levels;   // below the root
    std::uint32_t width;    // nodes of the first of them
    std::uint32_t first;    // place of its first list, of nodes of even levels; the other one follows it
    std::uint32_t capacity; // nodes of each list
};

// Source of the constants: Wellons, "Prospecting for Hash Functions" (lowbias32).
constexpr std::uint32_t scrambled(std::uint32_t number)
{
    number = (number ^ number >> 16) * 0x7FEB352DU;
    number = (number ^ number >> 15) * 0x846CA68BU;
    return number ^ number >> 16;
}

inline constexpr std::uint32_t kKeeper = 1; // this bit of a node

// The number of the child `index` of a node with this value, or of a root.
constexpr std::uint32_t child_of(std::uint32_t value, std::uint32_t index, bool keeper)
{
    const std::uint32_t number = scrambled(value + (index + 1) * 0x9E3779B9U) & ~kKeeper;
    return keeper && index == 0 ? number | kKeeper : number;
}

constexpr std::uint32_t value_of_node(std::uint32_t node, std::uint32_t rounds)
{
    for (std::uint32_t round = 0; round < rounds; ++round)
        node = scrambled(node + round);
    return node;
}

// What a node with this value adds to the sum of its tenant.
constexpr std::uint64_t term_of(std::uint32_t value)
{
    return value * 0x9E3779B97F4A7C15ULL;
}

// Twice the mean number of children of a node, in units of 2^-12, in a level of `nodes` of a tenant of this width.
constexpr std::uint64_t child_rate(std::uint32_t width, std::uint32_t nodes)
{
    return (std::uint64_t{width} << 13) / nodes;
}
constexpr std::uint32_t children_of(std::uint32_t node, std::uint32_t value, std::uint64_t rate)
{
    const std::uint64_t many = scrambled(value ^ 0x5BD1E995U);
    const std::uint64_t more = scrambled(value ^ 0x2C1B3C6DU);
    const auto children = static_cast<std::uint32_t>((many * rate + (more << 12)) >> 44);
    return children == 0 && (node & kKeeper) != 0 ? 1 : children;
}

// Why a case has no tenants; empty if it has.
std::string why_no_tenants(const Case& point);

// The tenants of a case with their answers. They are numbered by arrival.
struct TenantsReference {
    std::vector<Tenant> tenants;
    std::vector<std::vector<std::uint32_t>> widths; // of each tenant, its levels from the first on
    std::vector<std::uint64_t> sums;
    std::uint64_t places = 0; // of all lists

    std::uint64_t nodes(std::size_t tenant) const;
    std::uint64_t nodes() const;
};

// When each of them arrives, in nanoseconds from the begin of a sample: 0, or with exponential gaps.
std::vector<std::uint64_t> tenant_arrivals_ns(const Case& point);

// On all cores.
TenantsReference tenants_reference(const Case& point);

// The launches of a case: one for each level with more nodes than the threshold, at the depth of those before it.
ExpectedLaunches count_tenant_launches(const TenantsReference& reference, std::uint32_t threshold);

// The blocks of all levels with more nodes than the threshold, if a block has `threads` nodes; and one for each root.
std::uint64_t count_tenant_blocks(const TenantsReference& reference, std::uint32_t threads, std::uint32_t threshold);

} // namespace nestbed
