// Parameters of kernels that are references: the kernel uses the object itself, launched from the host and from kernels.
#include "../check.h"

struct Shape {
    int rows, columns;
};

struct Holder {
    int& of;
};

__managed__ int counts[4];
__managed__ Shape shape = {2, 3};
__device__ int on_device;

__global__ void put(int& to, int value)
{
    to = value;
}

__global__ void put_all(int (&to)[4], const int& first = shape.rows)
{
    to[threadIdx.x] += first + threadIdx.x;
}

template <class T, class... More>
__global__ void add(T& to, const More&... more)
{
    to += (0 + ... + more);
}

__global__ void grow(Shape& of, const Shape& by)
{
    of.rows += by.rows;
    of.columns += by.columns;
}

__global__ void hold(Holder holder)
{
    holder.of += 100;
}

__global__ void parent(int& to, Shape& of)
{
    put<<<1, 1>>>(to, 7);
    put<<<1, 1>>>(on_device, 30);
    add<<<1, 1>>>(to, on_device, of.rows);
    grow<<<1, 1>>>(of, of);
    hold<<<1, 1>>>(Holder{to});
}

int main()
{
    put<<<1, 1>>>(counts[0], 5);
    put_all<<<1, 4>>>(counts);
    CHECK(cudaDeviceSynchronize());
    std::printf("%d %d %d %d\n", counts[0], counts[1], counts[2], counts[3]);
    parent<<<1, 1>>>(counts[3], shape);
    CHECK(cudaDeviceSynchronize());
    std::printf("%d %d\n", shape.rows, shape.columns);
    return verdict(counts[3], 7 + 30 + 2 + 100);
}
