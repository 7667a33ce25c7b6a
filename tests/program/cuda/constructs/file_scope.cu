// __shared__ variables outside of functions, ranks in a grid, and names of the program that std has too.
#include "../check.h"

#include <cooperative_groups.h>
#include <iostream>

using namespace std;
namespace cg = cooperative_groups;

struct function {
    int a, b;
};
int bind(int x)
{
    return x + 1;
}

constexpr int kThreads = 64;
__shared__ int tile[kThreads];
static __shared__ struct {
    int first, last;
} borders;
namespace scratch
{
__shared__ unsigned long long ranks;
namespace
{
__shared__ float halves[2][kThreads / 2];
}
} // namespace scratch
extern __shared__ int dynamic[];

template <class T>
__device__ T sum_of(const T* numbers, int count)
{
    T sum = 0;
    for (int i = 0; i < count; ++i)
        sum += numbers[i];
    return sum;
}
struct Own {
    int tile; // a member of the same name
    __device__ int twice() const { return 2 * tile; }
};
__device__ int own(int tile)
{
    return tile + 1;
}
__device__ int neighbour()
{
    return tile[(threadIdx.x + 1) % kThreads];
}

__global__ void all(int* out, function f)
{
    const cg::grid_group grid = cg::this_grid();
    const int t = threadIdx.x;
    tile[t] = f.a * t + f.b;
    dynamic[t] = own(t);
    scratch::halves[t % 2][t / 2] = 0.5f;
    if (grid.thread_rank() % grid.num_threads() == blockIdx.x * blockDim.x)
        scratch::ranks = grid.block_rank() + grid.num_blocks() + grid.size();
    __syncthreads();
    if (t == 0) {
        borders.first = tile[0];
        borders.last = ::tile[kThreads - 1];
        for (int& each : tile)
            each += 1;
    }
    __syncthreads();
    out[blockIdx.x * kThreads + t] = neighbour() + Own{t}.twice();
    if (t == 0) {
        int tile = borders.first + borders.last;
        out[blockIdx.x * kThreads] = tile + sum_of(dynamic, kThreads) +
                                     int(sum_of(scratch::halves[1], kThreads / 2)) + int(scratch::ranks) +
                                     int(sizeof(::tile));
    }
}

int main()
{
    int* const out = zeros<int>(2 * kThreads);
    all<<<2, kThreads, kThreads * sizeof(int)>>>(out, {2, bind(2)});
    cout << value_of(out + 5) << " " << value_of(out + kThreads + 5) << endl;
    return verdict(value_of(out) + value_of(out + kThreads), 2 * (3 + 129 + 2080 + 16 + 2 + 128 + 256) + 1);
}
