// The lanes of a warp launch past the pending-launch limit (2048) in the same instruction, and the grid never ends.
//
//     nvcc -std=c++17 -arch=sm_90 -rdc=true nested/lanes_hang/lanes_hang.cu -lcudadevrt -o lanes_hang
//     timeout 10 ./lanes_hang 1500 32 0     # lanes at once: may hang; ending the process frees the GPU
//     timeout 10 ./lanes_hang 1500 32 1     # lanes in turn: launches are refused, and the grid ends
//
// Arguments: root blocks, lanes per block (at most 32), 1 for lanes in turn. Seen on an H200, driver 580, CUDA 13.0.
#include <cstdio>
#include <cstdlib>

__device__ unsigned long long ran, refused;

__global__ void grid(unsigned levels, bool in_turn)
{
    if (threadIdx.x == 0)
        atomicAdd(&ran, 1ULL);
    if (levels == 0)
        return;
    for (unsigned lane = 0; lane < (in_turn ? blockDim.x : 1); ++lane) {
        if (!in_turn || lane == threadIdx.x) {
            grid<<<1, blockDim.x, 0, cudaStreamFireAndForget>>>(levels - 1, in_turn);
            if (cudaGetLastError() != cudaSuccess)
                atomicAdd(&refused, 1ULL);
        }
        __syncwarp();
    }
}

int main(int count, char** words)
{
    const auto word = [&](int place, int otherwise) { return count > place ? std::atoi(words[place]) : otherwise; };
    grid<<<word(1, 1500), word(2, 32)>>>(2, word(3, 0) != 0);
    const cudaError_t error = cudaDeviceSynchronize(); // never returns if the grid hangs
    unsigned long long counts[2] = {};
    cudaMemcpyFromSymbol(&counts[0], ran, sizeof ran);
    cudaMemcpyFromSymbol(&counts[1], refused, sizeof refused);
    std::printf("%s: %llu blocks ran, %llu launches were refused\n", cudaGetErrorString(error), counts[0], counts[1]);
    return error == cudaSuccess ? 0 : 1;
}
