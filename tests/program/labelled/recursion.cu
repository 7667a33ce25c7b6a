// Kernels that launch themselves, one child for each vertex, and pointers that a launch must not take.
#include "launches.h"

// The book's sum that halves the array: its children read what other threads of the block wrote.
template <Bug bug>
__global__ void halving(int* numbers, int* result)
{
    const int half = blockDim.x;
    numbers[threadIdx.x] += numbers[threadIdx.x + half]; // race in halving.missing_barrier
    if constexpr (bug != Bug::kMissingBarrier)
        __syncthreads();
    if (threadIdx.x != 0)
        return;
    if (half == 1)
        *result = numbers[0];
    else
        halving<bug><<<1, half / 2>>>(numbers, result);
}

// A tree of threads that count themselves. Each thread of a grid is the parent of one child.
template <Bug bug>
__global__ void tree(int* numbers, int* result, int levels)
{
    if constexpr (bug == Bug::kMissingAtomic)
        ++*result; // race in tree.missing_atomic
    else
        atomicAdd(result, 1);
    if (levels > 0)
        tree<bug><<<1, 2, 0, cudaStreamFireAndForget>>>(numbers, result, levels - 1);
}

// A level writes one array from the other one. The next level is a tail launch.
template <Bug bug>
__global__ void levels(int* from, int* to, int* result, int count)
{
    const int t = threadIdx.x;
    int* const target = bug == Bug::kInPlace ? from : to;
    target[t] = from[t] + from[(t + 1) % blockDim.x]; // race in levels.in_place, levels.not_tail
    if (t == 0 && count > 1) {
        if constexpr (bug == Bug::kNotTail)
            levels<bug><<<1, kThreads, 0, cudaStreamFireAndForget>>>(target, bug == Bug::kInPlace ? to : from, result,
                                                                     count - 1);
        else
            levels<bug><<<1, kThreads, 0, cudaStreamTailLaunch>>>(target, bug == Bug::kInPlace ? to : from, result,
                                                                  count - 1);
    } else if (count == 1)
        atomicAdd(result, target[t]); // also race in levels.in_place, levels.not_tail
}

// A child for each part of an array. The last part is shorter.
template <Bug bug>
__global__ void double_part(int* numbers, int begin, int end)
{
    const int i = begin + threadIdx.x;
    if (bug == Bug::kMissingGuard || i < end)
        numbers[i] *= 2; // out of bounds in parts.missing_guard; race in parts.overlap
}

template <Bug bug>
__global__ void parts(int* numbers, int count)
{
    constexpr int kEach = 16;
    const int begin = kEach * threadIdx.x - (bug == Bug::kOverlap && threadIdx.x > 0 ? 1 : 0);
    const int end = min(begin + kEach, count - (bug == Bug::kLostWork ? count % kEach : 0));
    if (begin < end)
        double_part<bug><<<1, kEach, 0, cudaStreamFireAndForget>>>(numbers, begin, end);
}

// A struct is read when it becomes the argument of a launch.
struct Settings {
    int factor;
    int* to;
};

__global__ void use(Settings settings)
{
    *settings.to = 7 * settings.factor;
}

template <Bug bug>
__global__ void by_value(Settings* settings)
{
    if (threadIdx.x == 0)
        settings->factor = 6; // race in by_value.missing_barrier
    if constexpr (bug != Bug::kMissingBarrier)
        __syncthreads();
    if (threadIdx.x == 32)
        use<<<1, 1>>>(*settings); // race in by_value.missing_barrier
}

// A variable of the device that a child reads.
__device__ int scale = 1;

__global__ void use_scale(int* to)
{
    *to = 7 * scale; // race in variable.late_write
}

template <Bug bug>
__global__ void variable(int*, int* result)
{
    if constexpr (bug != Bug::kLateWrite)
        scale = 3;
    use_scale<<<1, 1>>>(result);
    if constexpr (bug == Bug::kLateWrite)
        scale = 3; // race in variable.late_write
}

// Children append to a list. Its length is known when they are all complete.
__global__ void append(int* count, int* list, int value)
{
    if (value % 3 == 0)
        list[atomicAdd(count, 1)] = value; // race in list.early_read
}

__global__ void last_of_list(const int* count, const int* list, int* to)
{
    *to = 0;
    for (int i = 0; i < *count; ++i)
        *to += list[i];
}

template <Bug bug>
__global__ void list(int* numbers, int* result)
{
    for (int i = 0; i < 10; ++i)
        append<<<1, 1, 0, cudaStreamFireAndForget>>>(numbers, numbers + 1, i);
    if constexpr (bug == Bug::kEarlyRead) {
        for (int i = 0; i < *numbers; ++i) // race in list.early_read
            *result += numbers[1 + i];     // also race in list.early_read
    } else
        last_of_list<<<1, 1, 0, cudaStreamTailLaunch>>>(numbers, numbers + 1, result);
}

// A child cannot use its parent's local or shared memory.
__global__ void store(int* to)
{
    // memory of another block in pointer to shared memory.wrong_memory
    // where the parent has not ended, and
    // also memory of another thread in pointer to local memory.wrong_memory
    *to = 42; // also race in pointer to shared memory.wrong_memory
}

template <Bug bug, bool shared>
__global__ void pointer(int* numbers, int* result)
{
    __shared__ int of_block;
    int of_thread = 0;
    of_block = 0; // also race in pointer to shared memory.wrong_memory
    int* const to = bug == Bug::kNone ? numbers : shared ? &of_block : &of_thread;
    store<<<1, 1>>>(to);
    if (of_thread + of_block < 0) // also race in pointer to shared memory.wrong_memory
        *result = 1;
}

template <Bug bug, bool shared>
bool pointer_run(int)
{
    return run_kernel<pointer<bug, shared>>(1, 1, {0}) == 0;
}

int main(int argc, char** argv)
{
    std::vector<Variant> all{
        {"pointer", Bug::kNone, pointer_run<Bug::kNone, false>},
        {"pointer to local memory", Bug::kWrongMemory, pointer_run<Bug::kWrongMemory, false>, "warning"},
        {"pointer to shared memory", Bug::kWrongMemory, pointer_run<Bug::kWrongMemory, true>, "warning"}};
    add_kernel<Bug::kNone, Bug::kMissingBarrier>(all, "halving", [](auto bug, int) {
        return run_kernel<halving<bug>>(1, kThreads / 2, counted(kThreads, 0)) == kThreads * (kThreads - 1) / 2;
    });
    add_kernel<Bug::kNone, Bug::kMissingAtomic>(all, "tree", [](auto bug, int) {
        int* const result = on_device(std::vector<int>{0});
        tree<bug><<<1, 1>>>(nullptr, result, 4);
        CHECK(cudaDeviceSynchronize());
        return value_of(result) == 31;
    });
    add_kernel<Bug::kNone, Bug::kInPlace, Bug::kNotTail>(all, "levels", [](auto bug, int) {
        int* const result = on_device(std::vector<int>{0});
        levels<bug><<<1, kThreads>>>(on_device(counted(kThreads, 0)), on_device(counted(kThreads, 0)), result, 3);
        CHECK(cudaDeviceSynchronize());
        return value_of(result) == 8 * kThreads * (kThreads - 1) / 2;
    });
    add_kernel<Bug::kNone, Bug::kMissingGuard, Bug::kOverlap, Bug::kLostWork>(all, "parts", [](auto bug, int) {
        constexpr int kCount = 60;
        int* const numbers = on_device(counted(kCount, 1));
        parts<bug><<<1, 4>>>(numbers, kCount);
        CHECK(cudaDeviceSynchronize());
        const std::vector<int> doubled = on_host(numbers, kCount);
        return doubled[0] == 2 && doubled[31] == 64 && doubled[kCount - 1] == 2 * kCount;
    });
    add_kernel<Bug::kNone, Bug::kMissingBarrier>(all, "by_value", [](auto bug, int) {
        int* const to = on_device(std::vector<int>{0});
        by_value<bug><<<1, kThreads>>>(on_device(std::vector<Settings>{{6, to}}));
        CHECK(cudaDeviceSynchronize());
        return value_of(to) == 42;
    });
    add_kernel<Bug::kNone, Bug::kLateWrite>(all, "variable",
                                            [](auto bug, int) { return run_kernel<variable<bug>>(1, 1, {0}) == 21; });
    add_kernel<Bug::kNone, Bug::kEarlyRead>(
        all, "list", [](auto bug, int) { return run_kernel<list<bug>>(1, 1, std::vector<int>(11, 0)) == 18; });
    variant(all, "parts", Bug::kLostWork).shows = "wrong answer";
    return run_variant(argc, argv, all);
}
