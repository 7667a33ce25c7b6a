// Each grid greets, and its first thread launches a grid of one block with half as many threads, until one thread is left.
#include "../check.h"

__global__ void greet(int threads, int level)
{
    printf("level %d: hello from thread %d of block %d\n", level, threadIdx.x, blockIdx.x);
    if (threads == 1)
        return;
    const int half = threads / 2;
    if (threadIdx.x == 0 && half > 0) {
        greet<<<1, half>>>(half, ++level);
        printf("-----> level %d launched\n", level);
    }
}

int main(int argc, char** argv)
{
    const int blocks = argc > 1 ? std::atoi(argv[1]) : 1;
    const int threads = 8;
    std::printf("%d block(s) of %d threads\n", blocks, threads);
    greet<<<blocks, threads>>>(threads, 0);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaDeviceReset());
    return 0;
}
