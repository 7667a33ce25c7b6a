// Kind: plain flag
// A block takes the other's answer if it is ready, else it computes the answer itself. The flag must not be a plain variable.
#include "../check.h"

#ifdef BUG
using Flag = int;
#else
using Flag = volatile int;
#endif

__global__ void answer(Flag* ready, int* shared_answer, int* answers)
{
    if (blockIdx.x == 0) {
        *shared_answer = 6 * 7; // BUG at times
        __threadfence();
        *ready = 1; // BUG
        answers[0] = 42;
    } else {
        const bool is_ready = *ready == 1; // BUG
        __threadfence();
        answers[1] = is_ready ? *shared_answer : 2 * 21; // BUG at times
    }
}

__global__ void parent(int* ready, int* shared_answer, int* answers)
{
    *ready = 0;
    answer<<<2, 1, 0, cudaStreamFireAndForget>>>(ready, shared_answer, answers);
}

int main()
{
    int *ready, *shared_answer, *answers;
    CHECK(cudaMalloc(&ready, sizeof(int)));
    CHECK(cudaMalloc(&shared_answer, sizeof(int)));
    CHECK(cudaMalloc(&answers, 2 * sizeof(int)));
    parent<<<1, 1>>>(ready, shared_answer, answers);
    CHECK(cudaDeviceSynchronize());
    return verdict(value_of(answers + 1), 42);
}
