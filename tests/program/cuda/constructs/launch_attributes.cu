// Attributes of cudaLaunchKernelEx() that the executor does not have are errors of the launch; those that change times alone are not.
#include "../check.h"

__global__ void add(int* to, int value)
{
    *to += value;
}

int main()
{
    int* const sum = zeros<int>();
    cudaLaunchAttribute attribute[1] = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    attribute[0].id = cudaLaunchAttributeLaunchCompletionEvent;
    std::printf("%s\n", cudaGetErrorName(cudaLaunchKernelEx(&config, add, sum, 1)));
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    attribute[0].id = cudaLaunchAttributePriority;
    attribute[0].val.priority = 0;
    CHECK(cudaLaunchKernelEx(&config, add, sum, 2));
    return verdict(value_of(sum), 2);
}
