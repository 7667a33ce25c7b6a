// Names of kernels of templates: each instance has its own.
#include "../check.h"

#include <cstddef>
#include <type_traits>

enum class Colour { red, green };
enum Old : unsigned char { one = 1, two };

template <class T>
struct Max {
    T value;
};

namespace shapes
{

namespace
{
struct Hidden {
    int value;
};
} // namespace

// Declared with other names than it is defined with.
template <class T, int n>
__global__ void halve(T* sum);

template <class Value, int count>
__global__ void halve(Value* sum)
{
    atomicAdd(sum, Value(count));
    if constexpr (count > 1)
        halve<Value, count / 2><<<1, 1>>>(sum);
}

template <class T, bool is_set, Colour colour = Colour::green, Old old = two, char sign = ';'>
__global__ void __launch_bounds__(64) values(T of, int* sum)
{
    atomicAdd(sum, static_cast<int>(sizeof(of)) + (is_set ? sign : 0) + static_cast<int>(colour) + old);
}

template <template <class> class Holder, typename T, long... numbers>
__global__ void hold(Holder<T> held, const T* minus, int* sum)
{
    atomicAdd(sum, held.value - *minus + static_cast<int>((numbers + ... + 0)));
}

template <class Function, class... Others>
__global__ void call(Function function, int* sum, Others... others)
{
    atomicAdd(sum, function((others + ... + 1)));
}

inline namespace newest
{

template <class T>
__global__ void overloaded(T* sum, int value)
{
    atomicAdd(sum, value);
}
__global__ void overloaded(float* sum, int)
{
    atomicAdd(sum, 0.5f);
}

} // namespace newest

// The compiler tells what size_t is behind the arguments.
template <class T, int n = 3>
__global__ void sized(T* sum, size_t value, typename std::enable_if<(n > 1), T>::type more)
{
    atomicAdd(sum, static_cast<T>(value) + more + n);
}
template <>
__global__ void sized<int, 7>(int* sum, size_t value, int)
{
    atomicAdd(sum, static_cast<int>(value));
}
extern template __global__ void sized<int, 5>(int*, size_t, int);
template __global__ void sized<int, 5>(int*, size_t, int);

template <class A, class B>
__global__ void long_names(A, B, int* sum)
{
    atomicAdd(sum, 1);
}

__device__ int twice(int value)
{
    return 2 * value;
}
template <int (*function)(int)>
__global__ void apply(int* sum)
{
    atomicAdd(sum, function(4));
}

__global__ void parent(int* sum, unsigned long long* large)
{
    halve<int, 2><<<1, 1>>>(sum);
    shapes::halve<unsigned long long, 4><<<1, 1>>>(large);
    overloaded<<<1, 1>>>(sum, 5);
}

} // namespace shapes

using shapes::overloaded;

int main()
{
    int *const sum = zeros<int>(), *const none = zeros<int>();
    unsigned long long* const large = zeros<unsigned long long>();
    float* const fraction = zeros<float>();
    shapes::parent<<<1, 1>>>(sum, large);
    shapes::halve<int, 2><<<1, 1>>>(sum);
    shapes::values<Max<Max<float>>, true><<<1, 1>>>({}, sum);
    shapes::values<const int*, false, Colour::red, one><<<1, 1>>>(none, sum);
    shapes::values<shapes::Hidden, true, static_cast<Colour>(7)><<<1, 1>>>({3}, sum);
    shapes::hold<Max, int, 1, -20><<<1, 1>>>(Max<int>{2}, none, sum);
    shapes::call<<<1, 1>>>([] __device__(int value) { return 2 * value; }, sum, 1u, short{2}, 'c');
    overloaded<<<1, 1>>>(sum, 1);
    overloaded<<<1, 1>>>(fraction, 1);
    shapes::sized<<<1, 1>>>(sum, 10, 1);
    shapes::sized<int, 5><<<1, 1>>>(sum, 10, 1);
    shapes::sized<int, 7><<<1, 1>>>(sum, 10, 1);
    using Long = Max<Max<Max<Max<Max<Max<Max<Max<unsigned long long>>>>>>>>;
    shapes::long_names<<<1, 1>>>(Long{}, Max<Long>{}, sum);
    shapes::long_names<<<1, 1>>>(Max<Long>{}, Long{}, sum);
    shapes::apply<shapes::twice><<<1, 1>>>(sum);
    return verdict(value_of(sum) + static_cast<int>(value_of(large)) + static_cast<int>(2 * value_of(fraction)), 406);
}
