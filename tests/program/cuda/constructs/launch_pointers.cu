// Launches by functions of CUDA and through pointers to kernels, by every way to have one.
#include "../check.h"

#include <cooperative_groups.h>

#include <vector>

__global__ void add(int* to, int value)
{
    atomicAdd(to, value);
}

template <class T>
__global__ void twice(T* to)
{
    *to *= 2;
}

extern "C" __global__ void plain(int* to)
{
    atomicAdd(to, 100);
}

namespace inner
{
__global__ void together(int* to)
{
    cooperative_groups::this_grid().sync();
    atomicAdd(to, 1);
}
} // namespace inner

__global__ void nothing() {}

using Kernel = void (*)(int*);
typedef void (*Other)(int*, int);

struct Step {
    Kernel kernel;
    int* to;
};

template <class F, class... Arguments>
void launch(F kernel, Arguments... arguments)
{
    kernel<<<1, 1>>>(arguments...);
}

template <class... Expected, class... Actual>
cudaError_t launch_extended(void (*kernel)(Expected...), Actual... arguments)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 1;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

int main()
{
    int* sum = zeros<int>();
    int three = 3;
    void* arguments[] = {&sum, &three};
    CHECK(cudaLaunchKernel((void*)add, dim3(1), dim3(2), arguments, 0, nullptr)); // 6
    CHECK(cudaLaunchKernel(add, 1, 2, arguments));                                // 12
    CHECK(cudaLaunchCooperativeKernel((void*)inner::together, 2, 1, arguments));  // 14
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 1;
    CHECK(cudaLaunchKernelExC(&config, (const void*)plain, arguments)); // 114
    CHECK(::cudaLaunchKernelEx(&config, twice<int>, sum));              // 228
    CHECK(cudaLaunchKernelEx(&config, nothing));
    CHECK(cudaLaunchKernel((void*)nothing, 1, 1, nullptr));
    void (*pointer)(int*) = plain;
    pointer<<<1, 1>>>(sum); // 328
    Kernel alias = twice<int>;
    alias<<<1, 1>>>(sum); // 656
    const std::vector<Kernel> all = {plain, twice<int>};
    for (const auto each : all)
        each<<<1, 1>>>(sum); // 1512
    Other other = add;
    (*other)<<<1, 1>>>(sum, 1); // 1513
    const Step step{plain, sum};
    step.kernel<<<1, 1>>>(step.to); // 1613
    launch(add, sum, 5);            // 1618
    launch(nothing);
    CHECK(launch_extended(add, sum, 7)); // 1625
    std::printf("%s\n", cudaGetErrorName(cudaLaunchKernel((void*)add, dim3(1), dim3(2000), arguments)));
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return verdict(value_of(sum), 1625);
}
