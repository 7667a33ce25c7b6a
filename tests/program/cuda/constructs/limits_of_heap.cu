// The heap of kernels: malloc(), new and cudaMalloc() share its 8 MB and fail when it is full, without an exception; what is freed can be
// had again; objects with destructors, of a derived class, and arrays of them; memory that exists already.
#include "../check.h"

#include <new>

__device__ int destroyed = 0;

struct Shape {
    int edges = 0;
    __device__ explicit Shape(int of) : edges(of) {}
    __device__ virtual ~Shape() { atomicAdd(&destroyed, 1); }
};
struct Named : Shape {
    char name[40];
    __device__ Named() : Shape(3) {}
    __device__ ~Named() override { atomicAdd(&destroyed, 10); }
};
struct Counted {
    int value = 7;
    __device__ ~Counted() { atomicAdd(&destroyed, 100); }
};

__host__ __device__ int both_sides()
{
    int* const one = new int(5);
    int* const some = static_cast<int*>(malloc(sizeof(int) * 4));
    some[3] = *one + 1;
    const int result = some[3];
    delete one;
    free(some);
    return result;
}

__global__ void objects(int* result)
{
    Shape* const shape = new Named;
    Counted* const counted = new Counted[3];
    alignas(Counted) char place[sizeof(Counted)];
    Counted* const here = new (place) Counted;
    int* const maybe = new int[2]();
    int(*const rows)[4] = new int[2][4];
    rows[1][3] = 1000;
    *result = shape->edges + counted[2].value + here->value + maybe[1] + rows[1][3] + both_sides();
    delete shape;
    delete[] counted;
    delete[] maybe;
    delete[] rows;
    delete static_cast<int*>(nullptr);
}

__global__ void take(int way, int* failed)
{
    constexpr int kBytes = 1 << 20;
    void* memory = nullptr;
    if (way == 0)
        memory = malloc(kBytes);
    else if (way == 1)
        memory = new char[kBytes];
    else if (cudaMalloc(&memory, kBytes) != cudaSuccess)
        memory = cudaGetLastError() == cudaErrorMemoryAllocation ? nullptr : &destroyed;
    if (memory == nullptr)
        atomicAdd(failed, 1);
}

__global__ void again(int* got)
{
    for (int i = 0; i < 64; ++i) {
        char* const memory = new char[1 << 18];
        if (memory != nullptr) {
            memory[i] = 1;
            ++*got;
        }
        delete[] memory;
    }
}

int main()
{
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20));
    int* const results = zeros<int>(5);
    objects<<<1, 1>>>(results);
    again<<<1, 1>>>(results + 1);
    CHECK(cudaDeviceSynchronize());
    for (int way = 0; way < 3; ++way)
        take<<<64, 1>>>(way, results + 2 + way);
    const int failed = value_of(results + 2);
    int at_end;
    CHECK(cudaMemcpyFromSymbol(&at_end, destroyed, sizeof at_end));
    std::printf("objects %d, destroyed %d, again %d; on the host %d\n", value_of(results), at_end,
                value_of(results + 1), both_sides());
    std::printf("most fail: %d; then %d %d\n", failed >= 56 && failed <= 59, value_of(results + 3),
                value_of(results + 4));
    return verdict(value_of(results), 1023);
}
