// A barrier and a latch of the system in managed memory: the host initializes them, and waits at them for kernels and their children.
#include "../check.h"

#include <cuda/barrier>
#include <cuda/latch>

#include <new>

#pragma nv_diag_suppress static_var_with_dynamic_init

struct Count {
    int* phases;
    __host__ __device__ void operator()() noexcept { ++*phases; }
};
using Barrier = cuda::barrier<cuda::thread_scope_system>;
using Counting = cuda::barrier<cuda::thread_scope_system, Count>;
using Latch = cuda::latch<cuda::thread_scope_system>;

__global__ void child(Barrier* barrier, Latch* latch, int* numbers)
{
    numbers[blockIdx.x] = 10 + static_cast<int>(blockIdx.x);
    barrier->arrive_and_wait();
    latch->count_down();
}

__global__ void parent(Barrier* barrier, Latch* latch, int* numbers)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> own;
    init(&own, 1);
    auto token = own.arrive();
    while (!own.try_wait_for(cuda::std::move(token), cuda::std::chrono::nanoseconds(10))) {
    }
    child<<<2, 1>>>(barrier, latch, numbers);
}

template <class T>
static T* managed(std::size_t count = 1)
{
    T* memory;
    CHECK(cudaMallocManaged(&memory, count * sizeof(T)));
    return memory;
}

int main()
{
    auto* const barrier = managed<Barrier>();
    auto* const counting = managed<Counting>();
    auto* const latch = managed<Latch>();
    int* const numbers = managed<int>(3);
    init(barrier, 2);
    new (latch) Latch(2);
    new (counting) Counting(1, Count{numbers + 2});
    numbers[2] = 0;
    parent<<<1, 1>>>(barrier, latch, numbers);
    latch->wait();
    std::printf("%d %d\n", numbers[0], numbers[1]);
    for (int i = 0; i < 3; ++i)
        counting->arrive_and_wait();
    auto token = counting->arrive();
    counting->wait(cuda::std::move(token));
    CHECK(cudaDeviceSynchronize());
    return verdict(numbers[2], 4);
}
