// Vectors of Thrust: filled on the device, read by a kernel, and read by the host without a copy.
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/generate.h>
#include <thrust/host_vector.h>

struct Seven {
    __host__ __device__ int operator()() { return 7; }
};

__global__ void add_one(int* numbers)
{
    numbers[threadIdx.x] += 1;
}

__global__ void parent(int* numbers, int count)
{
    add_one<<<1, count>>>(numbers);
}

int main()
{
    constexpr int kCount = 10;
    thrust::host_vector<int> from(kCount, 3);
    thrust::device_vector<int> numbers = from;
    thrust::device_vector<int> sevens(kCount);
    thrust::generate(sevens.begin(), sevens.end(), Seven());
    parent<<<1, 1>>>(thrust::raw_pointer_cast(&sevens[0]), kCount);
    parent<<<1, 1>>>(thrust::raw_pointer_cast(numbers.data()), kCount);
    int sum = 0;
    for (int i = 0; i < kCount; ++i)
        sum += numbers[i] + sevens[i];
    std::printf("right: %d\n", sum);
    return sum == 120 ? 0 : 1;
}
