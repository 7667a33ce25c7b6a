// Three files: `outer` has no launch, but calls a function of another file that has. `nested` is two levels deep.
#include "../check.h"
#include "launcher.cuh"

void run_nested(int* sum);

__global__ void outer(int* sum)
{
    start_children(sum, 3);
}

int main()
{
    int* sum = nullptr;
    CHECK(cudaMalloc(&sum, sizeof(int)));
    CHECK(cudaMemset(sum, 0, sizeof(int)));
    outer<<<2, 1>>>(sum);
    run_on_host(sum);
    run_nested(sum);
    CHECK(cudaDeviceSynchronize());
    return verdict(value_of(sum), 2 * 3 + 4 + 5);
}
