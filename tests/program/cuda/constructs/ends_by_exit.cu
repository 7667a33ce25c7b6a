// The program ends by exit() in a function, without cudaDeviceSynchronize() at its end.
#include "../check.h"

__device__ int counter;

__global__ void child()
{
    atomicAdd(&counter, 1);
}

__global__ void parent()
{
    child<<<1, 2>>>();
}

static void finish()
{
    int result;
    CHECK(cudaMemcpyFromSymbol(&result, counter, sizeof result));
    std::exit(verdict(result, 8) == 0 ? 5 : 1);
}

int main()
{
    parent<<<1, 4>>>();
    finish();
    return 1;
}
