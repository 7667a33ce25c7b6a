// Optimised: it processes whole inputs.
#include "workloads/refine/refine_reference.hpp"

#include "base/parallel.hpp"
#include "workloads/refine/descriptor.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>

namespace nestbed
{

namespace
{

constexpr double kTurnPerStep = 0.1; // radians
constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxAcross = std::uint64_t{1}
                                     << 24; // half distances of samples, as exact numbers of type float
constexpr std::uint32_t kWarpThreads = 32;
constexpr std::size_t kEveryCore = std::size_t{1} << 24; // more than for_ranges() gives one thread

struct Samples {
    std::array<float, kSamples> x, y;
};

// All samples go back on their paths. `fma` makes GCC use the instruction where the processor has it.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("fma", "default")))
#endif
void
go_back(Samples& samples, RefineTurn turn, unsigned steps)
{
    for (unsigned step = 0; step < steps; ++step)
        for (unsigned index = 0; index < kSamples; ++index) {
            const float x = samples.x[index];
            const float y = samples.y[index];
            const float across = turn.sine * y;
            const float along = turn.sine * x;
            samples.x[index] = __builtin_fmaf(turn.cosine, x, across);
            samples.y[index] = __builtin_fmaf(turn.cosine, y, -along);
        }
}

float limited(float value)
{
    return std::min(1.0F, std::max(-1.0F, value));
}

float value_at(float x, float y, InputKind input)
{
    const float dx = x - kFrontX;
    const float dy_squared = y * y;
    const float squared = __builtin_fmaf(dx, dx, dy_squared);
    if (input != RefineInput::rings)
        return limited(__builtin_fmaf(squared, kFrontSlope, -kFrontSquare * kFrontSlope));
    const float rings = __builtin_fmaf(squared, kRingsPerSquare, kRingsPhase);
    const float part = rings - std::floor(rings);
    const float wave = __builtin_fmaf(2, std::fabs(__builtin_fmaf(2, part, -1)), -1);
    return limited(wave * kRingsSlope);
}

// The mean: neighbours are added, then their sums, and so on.
float mean_of(std::array<float, kSamples> values)
{
    for (unsigned count = kSamples; count > 1; count /= 2)
        for (unsigned index = 0; index < count / 2; ++index)
            values[index] = values[2 * index] + values[2 * index + 1];
    return values[0] / kSamples;
}

class Refinement
{
  public:
    explicit Refinement(const Case& point) : point_(point), half_(half_distance(point))
    {
        reference_.shape = RefineShape::of(point);
        reference_.levels = point[RefineParameter::levels];
        reference_.cells.assign(reference_.shape.cells(), kNoCell);
    }

    // A tile of a time step needs no other tile, and itself in the time step before.
    RefineReference run()
    {
        std::atomic<std::uint32_t> next = 0;
        std::vector<std::atomic<std::uint64_t>> counts(reference_.shape.steps);
        for_ranges(kEveryCore, [&](std::size_t /*first*/, std::size_t /*end*/) {
            for (std::uint32_t tile = next++; tile < reference_.shape.tiles; tile = next++)
                for (std::uint64_t step = 0; step < reference_.shape.steps; ++step)
                    counts[step] += refine(step, tile, 0, 0);
        });
        for (const std::uint64_t count : counts) { // four for each tile and for each refined cell
            reference_.count += count;
            reference_.refined_by_step.push_back(count / kParts - reference_.shape.tiles);
        }
        return std::move(reference_);
    }

  private:
    // The four parts of a refined cell, or of a tile, and all below them. Returns how many there are.
    std::uint64_t refine(std::uint64_t step, std::uint32_t tile, unsigned level, std::uint32_t code)
    {
        std::uint64_t count = 0;
        for (std::uint32_t part = kParts * code; part < kParts * code + kParts; ++part) {
            ++count;
            if (process(step, tile, level + 1, part))
                count += refine(step, tile, level + 1, part);
        }
        return count;
    }

    // One cell. Returns whether it is refined.
    bool process(std::uint64_t step, std::uint32_t tile, unsigned level, std::uint32_t code)
    {
        const std::uint64_t root = step * reference_.shape.tiles + tile;
        const unsigned finer = point_[RefineParameter::levels] - level;
        const std::uint32_t left = ((tile % point_[RefineParameter::division]) << level) + every_second_bit(code);
        const std::uint32_t top = ((tile / point_[RefineParameter::division]) << level) + every_second_bit(code >> 1);
        const auto at = [&](std::uint32_t cell, unsigned sample) {
            return __builtin_fmaf(static_cast<float>((2 * (cell * kSampleSide + sample) + 1) << finer), half_, -0.5F);
        };
        Samples samples{};
        for (unsigned index = 0; index < kSamples; ++index) {
            samples.x[index] = at(left, index % kSampleSide);
            samples.y[index] = at(top, index / kSampleSide);
        }
        go_back(samples, turn_of(point_, step), point_[RefineParameter::cell_work]);
        std::array<float, kSamples> values{};
        for (unsigned index = 0; index < kSamples; ++index)
            values[index] = value_at(samples.x[index], samples.y[index], point_.input);
        reference_.cells[root * reference_.shape.cells_per_tile + first_of_level(level) + code] =
            std::bit_cast<std::uint32_t>(mean_of(values));
        const auto [least, most] = std::ranges::minmax(values);
        const bool kept = step != 0 && reference_.refined(root - reference_.shape.tiles, level, code);
        return level < point_[RefineParameter::levels] && most - least > (kept ? kKeepRange : kRefineRange);
    }

    const Case& point_;
    float half_;
    RefineReference reference_;
};

// What block `block.block` of an item requests: a warp has a part of the item, and then the part that is as many warps further on. Items
// are numbers of cells of a time step, from 1 on; 0 is the tile.
class StepRequests
{
  public:
    StepRequests(const Case& point, const RefineReference& reference, std::uint64_t step)
        : warps_(point.block / kWarpThreads), reference_(reference), first_root_(step * reference.shape.tiles)
    {
    }

    void operator()(const ItemBlock& block, std::vector<ChildRequest>& requests) const
    {
        const std::uint64_t per_tile = std::uint64_t{reference_.shape.cells_per_tile} + 1;
        const std::uint64_t tile = block.depth == 0 ? block.item : block.item / per_tile;
        std::uint64_t cell = block.depth == 0 ? 0 : block.item % per_tile;
        unsigned level = 0;
        if (cell != 0)
            for (--cell, level = 1; cell >= first_of_level(level + 1);)
                ++level;
        const std::uint64_t code = cell - (level == 0 ? 0 : first_of_level(level));
        for (std::uint32_t warp = 0; warp < warps_; ++warp) {
            std::uint32_t turn = 0;
            for (std::uint64_t part = std::uint64_t{block.block} * warps_ + warp; part < kParts;
                 part += std::uint64_t{block.blocks} * warps_, ++turn) {
                const auto of_part = static_cast<std::uint32_t>(kParts * code + part);
                if (reference_.refined(first_root_ + tile, level + 1, of_part))
                    requests.push_back({warp * kWarpThreads + turn,
                                        tile * per_tile + 1 + first_of_level(level + 1) + of_part,
                                        kParts * kWarpThreads});
            }
        }
    }

  private:
    std::uint32_t warps_;
    const RefineReference& reference_;
    std::uint64_t first_root_;
};

} // namespace

std::string why_not_refined(const Case& point)
{
    const RefineShape shape = RefineShape::of(point);
    if (point[RefineParameter::levels] > RefineShape::kMaxLevels)
        return std::to_string(point[RefineParameter::levels]) + " levels of cells; allowed: at most " +
               std::to_string(RefineShape::kMaxLevels);
    if ((std::uint64_t{2 * kSampleSide} * point[RefineParameter::division] << point[RefineParameter::levels]) >
        kMaxAcross)
        return std::to_string(point[RefineParameter::division]) + " parts per side with " +
               std::to_string(point[RefineParameter::levels]) +
               " levels have samples that are too close to each other; allowed: division x 2^levels at most 2^20";
    if (shape.cells() > kMaxCells)
        return "at most " + std::to_string(shape.cells()) + " cells in " + std::to_string(shape.steps) +
               " time steps; allowed: 2^30";
    return "";
}

RefineTurn turn_of(const Case& point, std::uint64_t step)
{
    const double angle = kTurnPerStep * static_cast<double>(step) / point[RefineParameter::cell_work];
    return {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
}

float half_distance(const Case& point)
{
    return static_cast<float>(1.0 / std::ldexp(2.0 * kSampleSide * point[RefineParameter::division],
                                               static_cast<int>(point[RefineParameter::levels])));
}

RefineReference refine_reference(const Case& point)
{
    return Refinement(point).run();
}

RequestOracle count_refinement(const Case& point, const RefineReference& reference, bool by_graph)
{
    RequestOracle all;
    all.launches.recursions = static_cast<std::uint32_t>(reference.shape.steps);
    std::uint64_t runs = reference.shape.steps; // of the graph; one for the root grid of each time step
    for (std::uint64_t step = 0; step < reference.shape.steps; ++step) {
        const RequestOracle one = count_requests(point, reference.shape.tiles, StepRequests(point, reference, step));
        all.counts.items += one.counts.items;
        all.counts.blocks += one.counts.blocks;
        all.counts.widest = std::max(all.counts.widest, one.counts.widest);
        all.launches.by_depth.resize(std::max(all.launches.by_depth.size(), one.launches.by_depth.size()));
        for (std::size_t depth = 0; depth < one.launches.by_depth.size(); ++depth)
            all.launches.by_depth[depth] += one.launches.by_depth[depth];
        all.launches.by_root.insert(all.launches.by_root.end(), one.launches.by_root.begin(),
                                    one.launches.by_root.end());
        runs += one.launches.levels();
    }
    if (by_graph) { // one graph runs for all time steps
        all.launches.by_depth.assign(runs - 1, 1);
        all.launches.by_root.clear();
        all.launches.recursions = 1;
    }
    return all;
}

} // namespace nestbed
