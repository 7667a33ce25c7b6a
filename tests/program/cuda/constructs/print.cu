// printf() in kernels, one grid after another.
#include "../check.h"

__global__ void say(int level, const char* word)
{
    printf("level %d: %s, thread %u of %u, %5.2f %c %s\n", level, word, threadIdx.x, blockDim.x, level / 4.0,
           'a' + level, level % 2 == 0 ? "even" : "odd");
    if (level < 3)
        say<<<1, 1>>>(level + 1, word);
    else
        printf("%%done: %lld %x\n", 1LL << 40, 255);
}

__global__ void parent()
{
    say<<<1, 1>>>(1, "hello");
    say<<<1, 1, 0, cudaStreamTailLaunch>>>(2, "again");
}

int main()
{
    parent<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    return 0;
}
