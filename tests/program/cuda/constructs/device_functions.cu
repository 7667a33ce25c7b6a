// Functions of the device: recursion, pointers to functions, lambdas, inline and not inline, a launch in a device function and in a
// lambda, virtual functions.
#include "../check.h"

__device__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __forceinline__ int square(int n)
{
    return n * n;
}

__device__ __noinline__ int cube(int n)
{
    return n * n * n;
}

using Operation = int (*)(int);
__device__ Operation chosen = cube;

struct Shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    int side;
    __device__ explicit Square(int of) : side(of) {}
    __device__ int area() const override { return side * side; }
};

__global__ void store(int* to, int value)
{
    *to = value;
}

__device__ void launch_store(int* to, int value)
{
    store<<<1, 1>>>(to, value);
}

__global__ void parent(int* results)
{
    const Operation operations[] = {square, fibonacci};
    const auto plus_one = [](int value) { return value + 1; };
    results[0] = operations[0](9) + plus_one(operations[1](10));
    results[1] = chosen(3);
    const Square square_of_5(5);
    const Shape& shape = square_of_5;
    results[2] = shape.area();
    launch_store(&results[3], 40);
    const auto launch = [results](int value) { store<<<1, 1>>>(&results[4], value); };
    launch(50);
}

int main()
{
    int* const results = memory<int>(5);
    parent<<<1, 1>>>(results);
    for (int i = 0; i < 5; ++i)
        std::printf("%d\n", value_of(results + i));
    return verdict(value_of(results), 81 + 56);
}
