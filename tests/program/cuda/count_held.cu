// One more launch than may be pending: the children wait until their parent has tried all launches, so that exactly the
// launches past the limit are refused.
#include "check.h"

__device__ int may_end = 0;
__device__ int ran = 0;

__global__ void child()
{
    while (*static_cast<volatile int*>(&may_end) == 0) {
    }
    atomicAdd(&ran, 1);
}

__global__ void parent(int launches)
{
    for (int i = 0; i < launches; ++i)
        child<<<1, 1, 0, cudaStreamFireAndForget>>>();
    __threadfence();
    atomicExch(&may_end, 1);
}

int main(int argc, char** argv)
{
    const int launches = argc > 1 ? std::atoi(argv[1]) : 2049;
    parent<<<1, 1>>>(launches);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    int host_ran = 0;
    CHECK(cudaMemcpyFromSymbol(&host_ran, ran, sizeof(int)));
    std::printf("%d of %d ran\n", host_ran, launches);
    return 0;
}
