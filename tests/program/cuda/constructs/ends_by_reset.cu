// The last act of the program is cudaDeviceReset().
#include "../check.h"

__global__ void child(int* counter)
{
    atomicAdd(counter, 1);
}

__global__ void parent(int* counter)
{
    child<<<1, 2>>>(counter);
}

int main()
{
    int* const counter = zeros<int>();
    parent<<<1, 3>>>(counter);
    CHECK(cudaDeviceSynchronize());
    const int result = value_of(counter);
    CHECK(cudaFree(counter));
    const int code = verdict(result, 6);
    CHECK(cudaDeviceReset());
    return code;
}
