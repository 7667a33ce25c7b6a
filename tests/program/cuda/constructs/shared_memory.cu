// Shared memory: one number, a matrix, structs, dynamic memory of two types, in a device function, and of a parent and its child of one
// kernel at the same time.
#include "../check.h"

constexpr int kSide = 4;

struct Cell {
    short row, column;
};

__device__ int sum_of_row(const int (&matrix)[kSide][kSide + 1], int row)
{
    int sum = 0;
    for (int column = 0; column < kSide; ++column)
        sum += matrix[row][column];
    return sum;
}

__global__ void two_dimensions(int* sums)
{
    __shared__ int matrix[kSide][kSide + 1];
    __shared__ Cell cells[kSide * kSide];
    __shared__ int corner, opposite;
    const int x = threadIdx.x, y = threadIdx.y;
    matrix[y][x] = 10 * y + x;
    cells[y * kSide + x] = {static_cast<short>(y), static_cast<short>(x)};
    if (x == 0 && y == 0)
        corner = 5, opposite = 6;
    __syncthreads();
    if (x == 0)
        sums[y] = sum_of_row(matrix, y) + cells[(y + 1) % kSide * kSide].row + corner * opposite;
}

extern __shared__ float at_namespace_scope[];

__global__ void dynamic(float* results)
{
    float* const fractions = at_namespace_scope;
    int* const numbers = reinterpret_cast<int*>(fractions + blockDim.x);
    fractions[threadIdx.x] = threadIdx.x * 0.5f;
    numbers[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const int other = blockDim.x - 1 - threadIdx.x;
    results[threadIdx.x] = fractions[other] + numbers[other];
}

__device__ unsigned block_count()
{
    extern __shared__ unsigned counters[];
    return atomicAdd(&counters[0], 1U);
}

__global__ void dynamic_in_function(unsigned* result)
{
    extern __shared__ unsigned counters[];
    if (threadIdx.x == 0)
        counters[0] = 0;
    __syncthreads();
    block_count();
    __syncthreads();
    if (threadIdx.x == 0)
        *result = counters[0];
}

// The block of each level writes its own `mine`, and its children live while it still reads it.
__global__ void nest(int level, int* results)
{
    __shared__ int mine;
    mine = level;
    if (level < 3)
        nest<<<1, 1>>>(level + 1, results);
    results[level] = 100 * mine;
}

__global__ void parent(int* sums, float* fractions, unsigned* count)
{
    two_dimensions<<<1, dim3(kSide, kSide)>>>(sums);
    dynamic<<<1, 6, 6 * (sizeof(float) + sizeof(int))>>>(fractions);
    dynamic_in_function<<<1, 48, sizeof(unsigned)>>>(count);
}

int main()
{
    int* const sums = memory<int>(kSide);
    int* const results = memory<int>(4);
    float* const fractions = memory<float>(6);
    unsigned* const count = memory<unsigned>();
    parent<<<1, 1>>>(sums, fractions, count);
    nest<<<1, 1>>>(0, results);
    for (int i = 0; i < kSide; ++i)
        std::printf("%d %d\n", value_of(sums + i), value_of(results + i));
    for (int i = 0; i < 6; ++i)
        std::printf("%.1f\n", value_of(fractions + i));
    return verdict(value_of(count), 48);
}
