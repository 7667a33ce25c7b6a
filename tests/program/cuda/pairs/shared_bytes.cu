// Kind: out of bounds
#include "../check.h"

__global__ void reverse(const int* in, int* out)
{
    extern __shared__ int turned[];
    turned[blockDim.x - 1 - threadIdx.x] = in[threadIdx.x]; // BUG
    __syncthreads();
    out[threadIdx.x] = turned[threadIdx.x]; // BUG
}

int main()
{
    constexpr int kCount = 64;
    int host[kCount];
    for (int i = 0; i < kCount; ++i)
        host[i] = 7 * i;
    int* const out = memory<int>(kCount);
    int* const in = copy_of(host);
#ifdef BUG
    reverse<<<1, kCount, kCount>>>(in, out); // elements, not bytes
#else
    reverse<<<1, kCount, sizeof host>>>(in, out);
#endif
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    return verdict(host[0], 7 * (kCount - 1));
}
