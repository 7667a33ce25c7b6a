// A parent that waits for its child by a flag that is volatile.
#include "../check.h"

__device__ volatile int done = 0;

__global__ void child(int* number)
{
    *number = 1000;
    __threadfence();
    done = 1;
}

__global__ void parent(int* number)
{
    child<<<1, 1>>>(number);
    while (done == 0) {
    }
    __threadfence();
    *number += 1;
}

int main()
{
    int* const number = memory<int>();
    parent<<<1, 1>>>(number);
    return verdict(value_of(number), 1001);
}
