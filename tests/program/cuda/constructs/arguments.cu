// Arguments of kernels: structs with arrays, a struct of a class with a constructor, changed parameters, conversions, default arguments,
// overloaded kernels, references to what a kernel copies.
#include "../check.h"

struct Box {
    float low[3], high[3];
    char name[5];
};

class Counter
{
  public:
    __host__ __device__ explicit Counter(int first) : next_(first) {}
    __device__ int take() { return next_++; }

  private:
    int next_;
};

enum class Axis : unsigned char { x, y, z };

__global__ void halve(Box box, Axis axis, float* size, int levels)
{
    const int a = static_cast<int>(axis);
    box.high[a] = (box.low[a] + box.high[a]) / 2;
    if (levels > 0) {
        halve<<<1, 1>>>(box, static_cast<Axis>((a + 1) % 3), size, --levels);
        return;
    }
    *size =
        (box.high[0] - box.low[0]) * (box.high[1] - box.low[1]) * (box.high[2] - box.low[2]) + (box.name[0] - 'a');
}

__global__ void take(Counter counter, int* results, const int count = 2)
{
    for (int i = 0; i < count; ++i)
        results[i] = counter.take();
}

__global__ void store(long long* to, long long value, double factor)
{
    *to = static_cast<long long>(value * factor);
}

__global__ void store(long long* to, short value)
{
    *to = value;
}

__global__ void parent(float* size, int* results, long long* numbers)
{
    Box box{{0, 0, 0}, {8, 8, 8}, "cube"};
    halve<<<1, 1>>>(box, Axis::y, size, 3);
    Counter counter(7);
    take<<<1, 1>>>(counter, results);
    counter.take();
    take<<<1, 1>>>(counter, results + 2, 1);
    const short small = 5;
    store<<<1, 1>>>(&numbers[0], 1 << 20, 1024);
    store<<<1, 1>>>(&numbers[1], small);
}

int main()
{
    long long* numbers;
    float* const size = memory<float>();
    int* const results = memory<int>(3);
    CHECK(cudaMalloc(&numbers, 2 * sizeof(long long)));
    parent<<<1, 1>>>(size, results, numbers);
    std::printf("%.1f\n", value_of(size));
    for (int i = 0; i < 3; ++i)
        std::printf("%d\n", value_of(results + i));
    return verdict(value_of(numbers) + value_of(numbers + 1), (1LL << 30) + 5);
}
