// Streams in kernels: the NULL stream, a named stream for several launches, fire and forget, tail launches.
#include "../check.h"

__global__ void append(int* log, int what)
{
    log[1 + log[0]] = what;
    log[0] += 1;
}

__global__ void count(int* counter)
{
    atomicAdd(counter, 1);
}

__global__ void parent(int* null_log, int* named_log, int* counter)
{
    if (threadIdx.x != 0)
        return;
    cudaStream_t stream;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
        return;
    for (int i = 0; i < 3; ++i) {
        append<<<1, 1>>>(null_log, i);
        append<<<1, 1, 0, stream>>>(named_log, 10 + i);
        count<<<2, 4, 0, cudaStreamFireAndForget>>>(counter);
    }
    cudaStreamDestroy(stream);
    append<<<1, 1, 0, cudaStreamTailLaunch>>>(null_log, 100);
    append<<<1, 1, 0, cudaStreamTailLaunch>>>(null_log, 101);
}

void print(const char* name, const int* log)
{
    std::printf("%s:", name);
    const int count = value_of(log);
    for (int i = 1; i <= count; ++i)
        std::printf(" %d", value_of(log + i));
    std::printf("\n");
}

int main()
{
    int* const null_log = zeros<int>(16);
    int* const named_log = zeros<int>(16);
    int* const counter = zeros<int>();
    parent<<<1, 32>>>(null_log, named_log, counter);
    CHECK(cudaDeviceSynchronize());
    print("NULL stream and tail", null_log);
    print("named stream", named_log);
    return verdict(value_of(counter), 24);
}
