// The cells of the workload `refine`: what a warp, or one thread, does to a cell. Rounds as refine_reference.cpp does.
#pragma once

#include "device/parts/request_collectives.hpp"
#include "workloads/refine/refine_reference.hpp"

#include <bit>
#include <cmath>
#include <cstddef>

namespace nestbed::inline NESTBED_BACKEND
{

struct RefineTask {
    unsigned* cells;         // the list of all time steps, filled with 0xFF bytes before every run
    const RefineTurn* turns; // of each time step
    unsigned tiles, division, levels, cells_per_tile;
    unsigned cell_work;
    float half_distance;
    bool rings;
};

// A refined cell, or a tile (level 0), of a time step: its four parts are to be processed.
struct RefinedCell {
    unsigned root; // step * tiles + tile
    unsigned level, code;
};

__device__ inline std::size_t place_of(const RefineTask& task, unsigned root, unsigned level, unsigned code)
{
    return std::size_t{root} * task.cells_per_tile + first_of_level(level) + code;
}

__device__ inline float limited(float value)
{
    return fminf(1.0F, fmaxf(-1.0F, value));
}

__device__ inline float value_at(const RefineTask& task, float x, float y)
{
    const float dx = x - kFrontX;
    const float squared = fmaf(dx, dx, y * y);
    if (!task.rings)
        return limited(fmaf(squared, kFrontSlope, -kFrontSquare * kFrontSlope));
    const float rings = fmaf(squared, kRingsPerSquare, kRingsPhase);
    const float part = rings - floorf(rings);
    const float wave = fmaf(2.0F, fabsf(fmaf(2.0F, part, -1.0F)), -1.0F);
    return limited(wave * kRingsSlope);
}

// Two samples go back on their paths, some steps at once: so the loop around them takes little time.
template <unsigned Steps>
__device__ inline void go_back(RefineTurn turn, float (&x)[2], float (&y)[2])
{
    for (unsigned step = 0; step < Steps; ++step)
        for (unsigned index = 0; index < 2; ++index) {
            const float across = turn.sine * y[index];
            const float along = turn.sine * x[index];
            x[index] = fmaf(turn.cosine, x[index], across);
            y[index] = fmaf(turn.cosine, y[index], -along);
        }
}

// The values of two neighbours of a row, of which a cell has 32 pairs.
struct SamplePair {
    float one, other;
};
__device__ inline SamplePair samples_of(const RefineTask& task, const RefinedCell& cell, unsigned pair)
{
    const unsigned step = cell.root / task.tiles;
    const unsigned tile = cell.root - step * task.tiles;
    const unsigned finer = task.levels - cell.level;
    const unsigned row = tile / task.division;
    const unsigned left = ((tile - row * task.division) << cell.level) + every_second_bit(cell.code);
    const unsigned top = (row << cell.level) + every_second_bit(cell.code >> 1);
    const auto at = [&](unsigned of_cell, unsigned sample) {
        return fmaf(static_cast<float>((2 * (of_cell * kSampleSide + sample) + 1) << finer), task.half_distance,
                    -0.5F);
    };
    const unsigned column = 2 * pair % kSampleSide;
    float x[2] = {at(left, column), at(left, column + 1)};
    float y[2] = {at(top, 2 * pair / kSampleSide), 0};
    y[1] = y[0];
    const RefineTurn turn = task.turns[step];
    constexpr unsigned kAtOnce = 8;
    unsigned rest = task.cell_work;
    for (; rest >= kAtOnce; rest -= kAtOnce)
        go_back<kAtOnce>(turn, x, y);
    for (; rest > 0; --rest)
        go_back<1>(turn, x, y);
    return {value_at(task, x[0], y[0]), value_at(task, x[1], y[1])};
}

// Unsigned numbers in the order of floating-point numbers, so that a warp can reduce them.
__device__ inline unsigned ordered(float value)
{
    const auto bits = std::bit_cast<unsigned>(value);
    return (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
}
__device__ inline float number_of_ordered(unsigned key)
{
    return std::bit_cast<float>((key >> 31) != 0 ? key & 0x7FFFFFFFU : ~key);
}

// Writes the value of a cell. Returns whether it is refined.
__device__ inline bool finish_cell(const RefineTask& task, const RefinedCell& cell, float sum, float range)
{
    task.cells[place_of(task, cell.root, cell.level, cell.code)] = std::bit_cast<unsigned>(sum * (1.0F / kSamples));
    if (cell.level == task.levels)
        return false;
    float limit = kRefineRange;
    if (cell.root >= task.tiles &&
        task.cells[place_of(task, cell.root - task.tiles, cell.level + 1, kParts * cell.code)] != kNoCell)
        limit = kKeepRange; // it was refined in the time step before
    return range > limit;
}

// By all threads of a warp. Returns whether the cell is refined, in the first of them.
__device__ inline bool process_by_warp(const RefineTask& task, const RefinedCell& cell)
{
    const unsigned lane = threadIdx.x % kLanes;
    const SamplePair pair = samples_of(task, cell, lane);
    float sum = pair.one + pair.other;
    for (int distance = 1; distance < static_cast<int>(kLanes); distance *= 2)
        sum += __shfl_xor_sync(0xFFFFFFFFU, sum, distance);
    const unsigned least = __reduce_min_sync(0xFFFFFFFFU, ordered(fminf(pair.one, pair.other)));
    const unsigned most = __reduce_max_sync(0xFFFFFFFFU, ordered(fmaxf(pair.one, pair.other)));
    return lane == 0 && finish_cell(task, cell, sum, number_of_ordered(most) - number_of_ordered(least));
}

// The same by one thread.
__device__ inline bool process_by_thread(const RefineTask& task, const RefinedCell& cell)
{
    float least = 1;
    float most = -1;
    // Sums of 1, 2, 4, ... pairs that have no neighbour yet: one for each bit of the number of pairs.
    float sums[6];
    for (unsigned pair = 0; pair < kLanes; ++pair) {
        const SamplePair next = samples_of(task, cell, pair);
        least = fminf(least, fminf(next.one, next.other));
        most = fmaxf(most, fmaxf(next.one, next.other));
        float sum = next.one + next.other;
        unsigned bit = 0;
        for (; (pair >> bit & 1U) != 0; ++bit)
            sum = sums[bit] + sum;
        sums[bit] = sum;
    }
    return finish_cell(task, cell, sums[5], most - least);
}

// All below a refined cell, by one thread.
__device__ inline void refine_serially(const RefineTask& task, const RefinedCell& whole)
{
    RefinedCell cell{whole.root, whole.level + 1, kParts * whole.code};
    for (;;) {
        if (process_by_thread(task, cell)) {
            ++cell.level;
            cell.code *= kParts;
            continue;
        }
        for (; cell.code % kParts == kParts - 1; cell.code /= kParts, --cell.level)
            if (cell.level == whole.level + 1)
                return;
        ++cell.code;
    }
}

} // namespace nestbed::inline NESTBED_BACKEND
