// shared_tile: transpose through shared memory, as usual today. It reads rows and writes rows.
//
//     a block, for its tile of 32 x 64 numbers:
//         tile[y][x] = in[y][x]               neighbouring threads along x
//         barrier
//         out[x][y] = tile[y][x]              neighbouring threads along y
//
// A block of any shape can process the tile. With 256 threads each thread has 8 loads in flight.
// Launches: none from the device. Hazards: none. There is a barrier between the write and the read of the tile. Each
// row of the tile has one number of padding, so that the numbers of a column are in different banks.
// Source: NVIDIA, "An Efficient Matrix Transpose in CUDA C/C++" (M. Harris, 2013).
#include "device/parts/tile_transpose.hpp"
#include "workloads/matrix/matrix.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <unsigned Passes>
__global__ void transpose_shared_tile(const float* in, float* out, unsigned nx, unsigned ny)
{
    BLOCK_SHARED(TileRow, tile, kTileHeight);
    transpose_tile<Passes>(tile, in, out, nx, ny, blockIdx.x, blockIdx.y, threadIdx.y * blockDim.x + threadIdx.x,
                           blockDim.x * blockDim.y);
}

struct SharedTile {
    static constexpr StrategyInfo info{
        .name = "shared_tile",
        .workload = &workloads::transpose,
        .summary = "transposes: reads rows, writes rows, through shared memory",
        .hazards = "none: a barrier between the write and the read of the tile",
        .source = "NVIDIA, An Efficient Matrix Transpose in CUDA C/C++",
        .axes = {axis::shape},
    };

    static void run(const MatrixJob& job)
    {
        switch (job.point.shape.threads()) {
        case 64:
            return launch<32>(job);
        case 128:
            return launch<16>(job);
        case 256:
            return launch<8>(job);
        case 512:
            return launch<4>(job);
        case 1024:
            return launch<2>(job);
        default:
            return launch<0>(job);
        }
    }

  private:
    template <unsigned Passes>
    static void launch(const MatrixJob& job)
    {
        const dim3 grid((job.nx - 1) / kTileWidth + 1, (job.ny - 1) / kTileHeight + 1);
        const dim3 block(job.point.shape.x, job.point.shape.y);
        host_launch<transpose_shared_tile<Passes>>(job.context, {grid, block}, job.in, job.out, job.nx, job.ny);
    }
};

const Register<SharedTile, MatrixTraits> shared_tile;

} // namespace nestbed::inline NESTBED_BACKEND
