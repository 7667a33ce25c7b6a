// Atomic functions of all kinds, and their forms for a block and for the system.
#include "../check.h"

struct Results {
    int added, subtracted, smallest, largest, exchanged, compared;
    unsigned incremented, decremented, ands, ors, xors, unsigned_largest;
    unsigned long long wide, wide_compared, wide_largest;
    float fraction, float_exchanged;
    double precise;
    long long signed_smallest;
};

__global__ void child(Results* results)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&results->added, i);
    atomicAdd_system(&results->added, 1);
    atomicSub(&results->subtracted, i);
    atomicMin(&results->smallest, 50 - i);
    atomicMax(&results->largest, i * i);
    atomicMax(&results->unsigned_largest, 0x80000000U + i);
    atomicExch(&results->exchanged, 77);
    atomicExch(&results->float_exchanged, 1.5f);
    atomicCAS(&results->compared, 3, 4);
    atomicInc(&results->incremented, 9U);
    atomicDec(&results->decremented, 9U);
    atomicAnd(&results->ands, ~(1U << i));
    atomicOr(&results->ors, 1U << i);
    atomicXor(&results->xors, 3U);
    atomicAdd(&results->wide, 1ULL << 33);
    atomicMax(&results->wide_largest, static_cast<unsigned long long>(i) << 32);
    atomicMin(&results->signed_smallest, -1LL * i);
    atomicAdd(&results->fraction, 0.25f);
    atomicAdd(&results->precise, 0.125);
    unsigned long long seen = 0;
    do {
        const unsigned long long expected = seen;
        seen = atomicCAS(&results->wide_compared, expected, expected + 2);
        if (seen == expected)
            break;
    } while (true);
    __shared__ int of_block;
    if (threadIdx.x == 0)
        of_block = 0;
    __syncthreads();
    atomicAdd_block(&of_block, 2);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&results->added, of_block);
}

__global__ void parent(Results* results)
{
    *results = Results{};
    results->compared = 3;
    results->ands = ~0U;
    child<<<2, 10>>>(results);
}

int main()
{
    Results* device;
    CHECK(cudaMalloc(&device, sizeof *device));
    parent<<<1, 1>>>(device);
    CHECK(cudaDeviceSynchronize());
    const Results r = value_of(device);
    std::printf("%d %d %d %d %d %d\n", r.added, r.subtracted, r.smallest, r.largest, r.exchanged, r.compared);
    std::printf("%u %u %x %x %u %x\n", r.incremented, r.decremented, r.ands, r.ors, r.xors, r.unsigned_largest);
    std::printf("%llx %llu %llx %lld\n", r.wide, r.wide_compared, r.wide_largest, r.signed_smallest);
    std::printf("%.2f %.2f %.3f\n", r.fraction, r.float_exchanged, r.precise);
    return verdict(r.added, 190 + 20 + 40);
}
