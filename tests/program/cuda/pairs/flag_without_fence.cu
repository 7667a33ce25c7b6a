// Kind: atomics without release and acquire as a flag
// Block 1 waits until block 0 has raised the flag. Without fences it may still read the old data.
#include "../check.h"

__global__ void pass_on(int* data, int* flag, int* result)
{
    if (blockIdx.x == 0) {
        *data = 42; // BUG
#ifndef BUG
        __threadfence();
#endif
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
#ifndef BUG
        __threadfence();
#endif
        *result = *data; // BUG
    }
}

__global__ void parent(int* data, int* flag, int* result)
{
    *flag = 0;
    pass_on<<<2, 1>>>(data, flag, result);
}

int main()
{
    int* const data = zeros<int>();
    int* const flag = memory<int>();
    int* const result = memory<int>();
    parent<<<1, 1>>>(data, flag, result);
    return verdict(value_of(result), 42);
}
