// The workload `icp`: iterative closest point, sequentially. Pure.
//
// A scan is moved onto a surface, which is a set of points. An iteration finds for each scan point the nearest point of the
// surface, if one is within kIcpReach, and then moves the scan by the weighted mean of the differences. It ends when that mean rounds to
// 0, or after `iterations` iterations. Only translations are sought. Most scan points are far from the surface (background).
//
// A k-d tree divides space into `leaves` leaves with about `leaf_points` points of the surface each. A leaf also has the points of other
// leaves within kIcpReach of its part of space (its border), so a scan point is searched for in one leaf. Its points are a
// left-balanced k-d tree, an array without pointers, which must be in shared memory as a whole: a search jumps in it.
//
// All numbers are integers, and of two points at the same distance the one with the smaller IcpPoint is the nearest. So the answer, the
// sums of every iteration, does not depend on any order.
// Source: Besl, McKay, "A Method for Registration of 3-D Shapes", PAMI 1992; a maximum distance of correspondences is usual.
#pragma once

#include "model/case.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nestbed
{

inline constexpr unsigned kIcpBits = 15; // of a coordinate
inline constexpr std::int32_t kIcpReach = 16;
inline constexpr std::uint32_t kIcpReachSquared = std::uint32_t{kIcpReach} * kIcpReach;
inline constexpr unsigned kMaxIcpLeaves = 1024;

// A point of the surface: x, y and z with 16 bits each, x lowest.
using IcpPoint = unsigned long long;

constexpr IcpPoint icp_point(std::uint32_t x, std::uint32_t y, std::uint32_t z)
{
    return IcpPoint{x} | IcpPoint{y} << 16 | IcpPoint{z} << 32;
}
constexpr std::int32_t coordinate(IcpPoint point, unsigned dimension)
{
    return static_cast<std::int32_t>(point >> 16 * dimension & 0xFFFF);
}

// A point of the scan. One instruction reads it.
struct alignas(16) ScanPoint {
    std::int32_t x, y, z;
    std::uint32_t weight;
};

struct IcpShift {
    std::int32_t x, y, z;

    friend bool operator==(const IcpShift&, const IcpShift&) = default;
};

// A leaf: its points are `first` to first + count - 1 of IcpSurface::points. No other scan point than those in the box can have a point
// of the leaf within its reach.
struct alignas(16) IcpLeaf {
    std::array<std::int32_t, 3> low, high;
    std::uint32_t first, count; // first is even, so that one instruction can read two points
};

// Of the scan points that have a nearest point within reach: sums modulo 2^64.
struct IcpSums {
    unsigned long long matched, weight, x, y, z, squared;

    friend bool operator==(const IcpSums&, const IcpSums&) = default;
};

// A node of the tree above the leaves: the dimension in the two lowest bits, and the first coordinate of the right side above them.
constexpr std::int32_t icp_split(unsigned dimension, std::int32_t at)
{
    return at * 4 + static_cast<std::int32_t>(dimension);
}

struct IcpSurface {
    unsigned depth = 0;               // of the tree: it has 2^depth leaves
    std::vector<std::int32_t> splits; // its nodes; those below node n are 2 n + 1 and 2 n + 2
    std::vector<IcpLeaf> leaves;
    std::vector<IcpPoint> points;          // of all leaves, with borders
    std::uint32_t largest = 0;             // points of a leaf
    std::array<std::int32_t, 3> low, high; // of the boxes of all leaves together
};

// Nodes of the left part of a left-balanced tree with so many nodes, at least one.
std::uint32_t left_nodes(std::uint32_t nodes);

// The whole number nearest to sum / weight; sum is a number with a sign, modulo 2^64; weight is not 0.
constexpr std::int32_t icp_mean(unsigned long long sum, unsigned long long weight)
{
    const bool negative = static_cast<long long>(sum) < 0;
    const unsigned long long size = negative ? 0 - sum : sum;
    const auto rounded = static_cast<std::int32_t>((2 * size + weight) / (2 * weight));
    return negative ? -rounded : rounded;
}

// By how much an iteration with these sums moves the scan.
constexpr IcpShift icp_step(const IcpSums& sums)
{
    if (sums.weight == 0)
        return {0, 0, 0};
    return {icp_mean(sums.x, sums.weight), icp_mean(sums.y, sums.weight), icp_mean(sums.z, sums.weight)};
}
constexpr bool is_zero(const IcpShift& step)
{
    return step.x == 0 && step.y == 0 && step.z == 0;
}

// Empty if the case is possible.
std::string why_no_icp(const Case& point);

// The points of the surface, without the tree; different ones, sorted.
std::vector<IcpPoint> icp_points(const Case& point);
IcpSurface icp_surface(const Case& point, std::span<const IcpPoint> points);
std::vector<ScanPoint> icp_scan(const Case& point, std::span<const IcpPoint> points);

struct IcpReference {
    std::vector<IcpSums> sums;       // of each iteration
    std::vector<std::uint32_t> most; // scan points in the box of each leaf, of the iteration with the most
    std::uint64_t searches = 0;      // scan points in the box of their leaf, of all iterations

    unsigned iterations() const { return static_cast<unsigned>(sums.size()); }
};

IcpReference icp_reference(const Case& point, const IcpSurface& surface, std::span<const ScanPoint> scan);

} // namespace nestbed
