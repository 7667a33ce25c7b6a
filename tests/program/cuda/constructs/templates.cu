// Kernel templates with types, numbers and function objects; a launch of a template from a template.
#include "../check.h"

struct Twice {
    __host__ __device__ int operator()(int value) const { return 2 * value; }
};
struct PlusTen {
    __host__ __device__ int operator()(int value) const { return value + 10; }
};

// Templates of templates, called as nvcc takes it: without the keyword `template`.
template <class T>
struct Steps {
    template <int kStep>
    static __device__ T of(unsigned index)
    {
        return static_cast<T>(kStep * index);
    }
    template <int kStep>
    __device__ T behind(T first) const
    {
        return first + Steps<T>::of<kStep>(threadIdx.x);
    }
};

template <class T, int kStep>
__global__ void fill(T* to, T first)
{
    const Steps<T> steps;
    to[threadIdx.x] = steps.behind<kStep>(first);
}

template <class Function>
__global__ void apply(int* numbers, Function function)
{
    numbers[threadIdx.x] = function(numbers[threadIdx.x]);
}

template <class First, class... Others>
__global__ void apply_all(int* numbers, First first, Others... others)
{
    apply<<<1, 8>>>(numbers, first);
    if constexpr (sizeof...(Others) > 0)
        apply_all<Others...><<<1, 1, 0, cudaStreamTailLaunch>>>(numbers, others...);
}

template <int kLevels>
__global__ void descend(int* deepest)
{
    *deepest = kLevels;
    if constexpr (kLevels > 0)
        descend<kLevels - 1><<<1, 1>>>(deepest);
}

template <typename T>
struct Matrix {
    T* values;
    int width;
    __device__ T& at(int row, int column) const { return values[row * width + column]; }
};

template <template <typename> class M, typename T>
__global__ void transpose(M<T> from, M<T> to)
{
    to.at(threadIdx.y, threadIdx.x) = from.at(threadIdx.x, threadIdx.y);
}

__global__ void parent(int* numbers, float* fractions, int* deepest)
{
    fill<int, 3><<<1, 8>>>(numbers, 1);
    fill<float, (4 > 2)><<<1, 8>>>(fractions, 0.5f);
    apply_all<<<1, 1>>>(numbers, Twice{}, PlusTen{}, Twice{});
    descend<3><<<1, 1>>>(deepest);
    transpose<Matrix, int><<<1, dim3(2, 2)>>>(Matrix<int>{numbers, 2}, Matrix<int>{numbers + 4, 2});
}

int main()
{
    int* const numbers = memory<int>(8);
    float* const fractions = memory<float>(8);
    int* const deepest = memory<int>();
    parent<<<1, 1>>>(numbers, fractions, deepest);
    for (int i = 0; i < 8; ++i)
        std::printf("%d %.1f\n", value_of(numbers + i), value_of(fractions + i));
    return verdict(value_of(deepest), 0);
}
