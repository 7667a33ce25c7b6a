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
    int* const ready = memory<int>();
    int* const shared_answer = memory<int>();
    int* const answers = memory<int>(2);
    parent<<<1, 1>>>(ready, shared_answer, answers);
    return verdict(value_of(answers + 1), 42);
}
