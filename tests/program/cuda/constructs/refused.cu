// More launches than may be pending. Each thread asks for the error of its own launch, and counts it.
#include "../check.h"

__device__ int refused = 0;
__device__ int ran = 0;

__global__ void child()
{
    atomicAdd(&ran, 1);
}

__global__ void parent(int launches)
{
    for (int i = 0; i < launches; ++i) {
        child<<<1, 1, 0, cudaStreamFireAndForget>>>();
        const cudaError_t code = cudaGetLastError();
        if (code == cudaErrorLaunchPendingCountExceeded)
            atomicAdd(&refused, 1);
        else if (code != cudaSuccess)
            printf("%s: %s\n", cudaGetErrorName(code), cudaGetErrorString(code));
    }
    child<<<0, 1>>>();
    if (cudaPeekAtLastError() == cudaErrorInvalidConfiguration &&
        cudaGetLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaSuccess)
        printf("an empty grid is refused\n");
}

int main(int argc, char** argv)
{
    const int launches = argc > 1 ? std::atoi(argv[1]) : 20;
    if (argc > 2)
        CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, std::atoi(argv[2])));
    size_t limit;
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
    parent<<<1, 1>>>(launches);
    CHECK(cudaDeviceSynchronize());
    int host_refused, host_ran;
    CHECK(cudaMemcpyFromSymbol(&host_refused, refused, sizeof(int)));
    CHECK(cudaMemcpyFromSymbol(&host_ran, ran, sizeof(int)));
    std::printf("limit %d: %d refused\n", static_cast<int>(limit), host_refused);
    return verdict(host_ran + host_refused, launches);
}
