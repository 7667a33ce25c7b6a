// Variables of the program: __device__, __constant__, __managed__, arrays of them, their addresses, copies to and from them; managed
// memory.
#include "../check.h"

struct Table {
    int weights[4];
    float scale;
};

__constant__ Table table;
__constant__ int steps[3] = {1, 10, 100};
__device__ int total = 7;
__device__ int history[4];
static __device__ volatile int last;
__device__ __managed__ int managed = 1;

__global__ void weigh(int* numbers)
{
    const int weighted = table.weights[threadIdx.x] * numbers[threadIdx.x];
    atomicAdd(&total, static_cast<int>(weighted * table.scale));
    history[threadIdx.x] = weighted;
}

__global__ void add_steps()
{
    for (const int step : steps)
        total += step;
    last = total;
    managed += last;
}

__global__ void parent(int* numbers)
{
    weigh<<<1, 4>>>(numbers);
    add_steps<<<1, 1>>>();
}

int main()
{
    const Table host{{1, 2, 3, 4}, 2};
    CHECK(cudaMemcpyToSymbol(table, &host, sizeof host));
    const int one = 5;
    CHECK(cudaMemcpyToSymbol(table, &one, sizeof one, sizeof one));
    int* numbers;
    CHECK(cudaMallocManaged(&numbers, 4 * sizeof(int)));
    for (int i = 0; i < 4; ++i)
        numbers[i] = i + 1;
    managed = 1000;
    parent<<<1, 1>>>(numbers);
    CHECK(cudaDeviceSynchronize());
    int result, of_history[4];
    CHECK(cudaMemcpyFromSymbol(&result, total, sizeof result));
    CHECK(cudaMemcpyFromSymbol(of_history, history, sizeof of_history));
    for (const int weighted : of_history)
        std::printf("%d\n", weighted);
    void* address;
    CHECK(cudaGetSymbolAddress(&address, history));
    std::printf("%d %d\n", value_of(static_cast<int*>(address) + 2), result);
    return verdict(managed, 1000 + 7 + 2 * (1 + 10 + 9 + 16) + 111);
}
