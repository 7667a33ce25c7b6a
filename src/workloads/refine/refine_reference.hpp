// The workload `refine`: adaptive refinement of a field that moves, sequentially, with the tree of its cells. Pure.
//
// The field is a square of division * division tiles. A tile has four cells of level 1, and a refined cell has four cells of
// the next level. A cell has 8 x 8 samples. The field turns around its centre, so a sample follows its path back to the
// begin of time, in `cell_work` steps, and takes the value that the field had there: -1 to 1, with
// one sharp front on a circle (`front`), or many (`rings`). The value of a cell is the mean of its samples; its error
// estimate is their range. A cell is refined if the range is more than kRefineRange, and one that was refined in the time step
// before if it is more than kKeepRange: so a time step needs the tree of the one before. Cells of level `levels` are
// never refined.
//
// The answer is the list of all cells with their values, in the canonical order: by time step, by tile (by rows), by level, and
// by Morton code within the tile. The list has a place for every cell that there may be; kNoCell where there is none.
//
// Every rounding is fixed: all products that are added are added by fma(), and a mean adds neighbours, then their sums, and so
// on. So device and host agree bit by bit.
// Source: Berger, Colella, "Local Adaptive Mesh Refinement for Shock Hydrodynamics", J. Comput. Phys. 1989; the thresholds
// apart for refining and for keeping are those of the usual codes (hysteresis).
#pragma once

#include "model/request_oracle.hpp"
#include "workloads/refine/descriptor.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace nestbed
{

inline constexpr unsigned kSampleSide = 8; // of a cell
inline constexpr unsigned kSamples = kSampleSide * kSampleSide;
inline constexpr unsigned kParts = 4; // of a refined cell
inline constexpr unsigned kStepFlops = 6;
inline constexpr std::uint32_t kNoCell = 0xFFFFFFFF; // no value has these bits
inline constexpr float kRefineRange = 0.5F;
inline constexpr float kKeepRange = 0.25F;

// The field at the begin of time: the distance from this point decides the value.
inline constexpr float kFrontX = 0.25F;
inline constexpr float kFrontSquare = 0.04F; // of the radius of `front`
inline constexpr float kFrontSlope = 1024;
inline constexpr float kRingsPerSquare = 8; // rings per square of the distance
inline constexpr float kRingsPhase = 0.25F;
inline constexpr float kRingsSlope = 16;

// Cells of a tile of the levels before this one; levels begin with 1.
constexpr std::uint32_t first_of_level(unsigned level)
{
    return ((1U << 2 * level) - kParts) / 3;
}

// Every second bit of a Morton code, from the lowest on: a coordinate.
constexpr std::uint32_t every_second_bit(std::uint32_t code)
{
    code &= 0x55555555;
    code = (code | code >> 1) & 0x33333333;
    code = (code | code >> 2) & 0x0F0F0F0F;
    code = (code | code >> 4) & 0x00FF00FF;
    return (code | code >> 8) & 0x0000FFFF;
}

// The sizes of a case.
struct RefineShape {
    std::uint64_t steps;
    std::uint32_t tiles; // of a time step
    std::uint32_t cells_per_tile;

    static RefineShape of(const Case& point)
    {
        return {point[RefineParameter::time_steps],
                point[RefineParameter::division] * point[RefineParameter::division],
                first_of_level(std::min(point[RefineParameter::levels], kMaxLevels) + 1)};
    }
    std::uint64_t cells() const { return steps * tiles * cells_per_tile; }
    std::uint64_t roots() const { return steps * tiles; }

    static constexpr std::uint32_t kMaxLevels = 14; // the cells of a tile have numbers of 32 bits
};

// Why a case cannot be refined; empty if it can.
std::string why_not_refined(const Case& point);

// How a sample goes one step back on its path, in a time step.
struct RefineTurn {
    float cosine, sine;
};
RefineTurn turn_of(const Case& point, std::uint64_t step);

// Half the distance of two samples of the deepest level.
float half_distance(const Case& point);

struct RefineReference {
    RefineShape shape{};
    unsigned levels = 0;
    std::vector<std::uint32_t> cells; // the bits of their values
    std::uint64_t count = 0;          // cells that there are
    std::vector<std::uint64_t> refined_by_step;

    bool has(std::uint64_t root, unsigned level, std::uint32_t code) const
    {
        return cells[root * shape.cells_per_tile + first_of_level(level) + code] != kNoCell;
    }
    bool refined(std::uint64_t root, unsigned level, std::uint32_t code) const
    {
        return level < levels && has(root, level + 1, kParts * code);
    }
};

// On all cores.
RefineReference refine_reference(const Case& point);

// What a run must count (count_requests()), time step by time step: each refined cell is an item. The root blocks of all
// time steps follow each other. `by_graph`: of a graph of one level, which runs again for every level of every time step.
RequestOracle count_refinement(const Case& point, const RefineReference& reference, bool by_graph);

} // namespace nestbed
