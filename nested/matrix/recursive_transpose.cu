// recursive_transpose: a cache-oblivious transpose. Each quadrant is a child.
//
//     split(part):
//         for each of its quadrants; every half is a whole number of tiles of 32 x 64 numbers:
//             launch transpose(quadrant)      if it is one tile, or at the last level (`depth`)
//             launch split(quadrant)          otherwise
//     transpose(part): a grid with one block per tile, through shared memory
//
// Launches: one per quadrant: 4^d at depth d, while there are that many tiles. A part that is one tile wide or high
// has two halves instead. With depth 0 or a matrix of one tile there are no launches.
// Hazards: none. The input is only read, and only one grid writes each quadrant.
// Source: Frigo, Leiserson, Prokop, Ramachandran, "Cache-Oblivious Algorithms", FOCS 1999, section 2, which halves the longer
// side.
#include "device/parts/tile_transpose.hpp"
#include "workloads/matrix/matrix.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace nestbed::inline NESTBED_BACKEND
{

// A part of the matrix, in tiles.
struct TilePart {
    unsigned x, y, width, height;

    __device__ bool single() const { return width == 1 && height == 1; }
};

// Halves a side of n tiles. If n is odd, the first half has one tile more.
constexpr unsigned first_half(unsigned n)
{
    return n - n / 2;
}
constexpr unsigned second_half(unsigned n)
{
    return n / 2;
}

template <class Nest>
__global__ void transpose_part(const float* in, float* out, unsigned nx, unsigned ny, TilePart part, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(TileRow, tile, kTileHeight);
    transpose_tile<kTileWidth * kTileHeight / kTileThreads>(tile, in, out, nx, ny, part.x + blockIdx.x,
                                                            part.y + blockIdx.y, threadIdx.x, kTileThreads);
}

// One thread per quadrant.
template <class Nest>
__global__ void split_transpose(const float* in, float* out, unsigned nx, unsigned ny, TilePart part, Nest nest)
{
    const auto scope = nest.enter();
    const bool right = threadIdx.x % 2 != 0;
    const bool low = threadIdx.x / 2 != 0;
    const TilePart quadrant{right ? part.x + first_half(part.width) : part.x,
                            low ? part.y + first_half(part.height) : part.y,
                            right ? second_half(part.width) : first_half(part.width),
                            low ? second_half(part.height) : first_half(part.height)};
    if (quadrant.width == 0 || quadrant.height == 0 || nest.last_level())
        return;
    if (quadrant.single() || nest.depth + 1 >= nest.max_depth)
        launch<transpose_part<Nest>>(nest, {dim3(quadrant.width, quadrant.height), kTileThreads}, in, out, nx, ny,
                                     quadrant);
    else
        launch<split_transpose<Nest>>(nest, {1, 4}, in, out, nx, ny, quadrant);
}

struct RecursiveTranspose {
    static constexpr StrategyInfo info{
        .name = "recursive_transpose",
        .workload = &workloads::transpose,
        .mechanisms = kChildrenByKernel,
        .summary = "transposes by quadrants; each quadrant is a child, down to one tile",
        .hazards = "none: the input is only read, and only one grid writes each quadrant",
        .source = "Frigo, Leiserson, Prokop, Ramachandran, Cache-Oblivious Algorithms, FOCS 1999",
    };

    static TilePart whole(unsigned nx, unsigned ny)
    {
        return {0, 0, (nx - 1) / kTileWidth + 1, (ny - 1) / kTileHeight + 1};
    }

    // For each level, the number of parts of each size. Each side has at most two sizes.
    static ExpectedLaunches launches(const Case& point)
    {
        using Size = std::pair<unsigned, unsigned>;
        const TilePart all = whole(point.nx, point.ny);
        std::map<Size, std::uint64_t> parts{{{all.width, all.height}, 1}};
        ExpectedLaunches form{.by_lanes = true};
        while (form.levels() < point.depth.value_or(UINT32_MAX)) {
            std::map<Size, std::uint64_t> quadrants;
            std::uint64_t count = 0;
            for (const auto& [size, number] : parts) {
                const auto& [width, height] = size;
                if (width == 1 && height == 1)
                    continue;
                for (const unsigned part_width : {first_half(width), second_half(width)})
                    for (const unsigned part_height : {first_half(height), second_half(height)})
                        if (part_width != 0 && part_height != 0) {
                            quadrants[{part_width, part_height}] += number;
                            count += number;
                        }
            }
            if (count == 0)
                break;
            form.by_depth.push_back(count);
            parts = std::move(quadrants);
        }
        return form;
    }

    static void run(const MatrixJob& job)
    {
        const TilePart all = whole(job.nx, job.ny);
        launch_waves<RecursiveTranspose>(job, [&](const auto& /*wave*/, auto nest) {
            if (job.form.levels() == 0)
                host_launch<transpose_part<decltype(nest)>>(job.context, {dim3(all.width, all.height), kTileThreads},
                                                            job.in, job.out, job.nx, job.ny, all, nest);
            else
                host_launch<split_transpose<decltype(nest)>>(job.context, {1, 4}, job.in, job.out, job.nx, job.ny,
                                                             all, nest);
        });
    }
};

const Register<RecursiveTranspose, MatrixTraits> recursive_transpose;

} // namespace nestbed::inline NESTBED_BACKEND
