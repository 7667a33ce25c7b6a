// Kernels as values of device code: tables of the device, functions that return and take them, launches for both sides.
#include "../check.h"

__global__ void add(int* to, int value)
{
    atomicAdd(to, value);
}

__global__ void take(int* to, int value)
{
    atomicSub(to, value);
}

template <int times>
__global__ void add_times(int* to, int value)
{
    atomicAdd(to, times * value);
}

using Kernel = void (*)(int*, int);

__device__ Kernel table[] = {add, &take, add_times<4>};
__constant__ Kernel constants[] = {add, take};

__device__ Kernel chosen(bool adds)
{
    return adds ? add : take;
}

__device__ void launch(Kernel add, int* to)
{
    add<<<1, 1>>>(to, 1);
}

__host__ __device__ void launch_anywhere(Kernel take, int* to)
{
    take<<<1, 2>>>(to, 1);
}

__global__ void parent(int* to, Kernel given)
{
    const Kernel add_times = table[2], take = constants[1];
    add_times<<<1, 1>>>(to, 10); // 40
    take<<<1, 1>>>(to, 1);       // 39
    launch(given, to);           // 40
    launch(chosen(true), to);    // 41
    launch_anywhere(::take, to); // 39
    const auto pick = [](bool adds) { return adds ? ::add : ::take; };
    const Kernel add = pick(true);
    add<<<1, 1>>>(to, 1); // 40
}

int main()
{
    int* sum = zeros<int>();
    Kernel of_device[3];
    CHECK(cudaMemcpyFromSymbol(of_device, table, sizeof(table)));
    launch_anywhere(take, sum); // -2
    parent<<<1, 1>>>(sum, of_device[0]);
    return verdict(value_of(sum), 38);
}
