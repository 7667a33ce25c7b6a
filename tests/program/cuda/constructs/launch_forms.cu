// Launches in macros, over several lines, with a space between the brackets, in conditions and loops, with changed arguments, and text
// that only looks like a launch.
#include "../check.h"

#define LAUNCH(kernel, count, ...)                                                                                   \
    do {                                                                                                             \
        kernel<<<((count) + 7) / 8, 8>>>(__VA_ARGS__);                                                               \
        CHECK(cudaGetLastError());                                                                                   \
    } while (0)
#define CHILD(level) add<<<1, 1>>>(sum, level)

const char* const kText = "add<<<1, 1>>>(sum, 1000)"; // add<<<1, 1>>>(sum, 1000);

__global__ void add(int* sum, int amount)
{
    atomicAdd(sum, amount);
}

__global__ void add_if(int* sum, int limit, bool nothing = false)
{
    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < limit && !nothing)
        atomicAdd(sum, 1);
}

// clang-format off
__global__ void parent(int* sum)
{
    int number = 1;
    add << <1, 1 >> >(sum, number);
    add <<< 1, 1 >>> (sum, ++number);
    add
        <<<
            dim3(1, 1, 1),
            dim3(1),
            0
        >>>
        (
            sum,
            number++ // 2
        );
    CHILD(10);
    if (number == 3) add<<<1, 1>>>(sum, 100); else add<<<1, 1>>>(sum, 200);
    for (int i = 0; i < 3; ++i)
        add<<<1, 1 << 1>>>(sum, 1 << (i >> 0));
    number > 2 ? add<<<1, 1>>>(sum, 1000) : add<<<1, 1>>>(sum, 2000);
    /* add<<<1, 1>>>(sum, 5000); */
#if 0
    add<<<1, 1>>>(sum, 5000);
#endif
}
// clang-format on

int main()
{
    int* const sum = zeros<int>();
    const int before = 1 << 3 >> 1;
    parent<<<1, 1>>>(sum);
    LAUNCH(add_if, 20, sum, 20);
    LAUNCH(add_if, 20, sum, 20, true);
    CHECK(cudaDeviceSynchronize());
    std::printf("%s %d\n", kText, before);
    return verdict(value_of(sum), 1 + 2 + 2 + 10 + 100 + 2 * 7 + 1000 + 20);
}
