// Clusters of thread blocks: of the source and of a launch, from the host and from a kernel, their group, and distributed shared memory.
#include "../check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr unsigned kThreads = 32;

// Each block counts what it finds in the bins of the block that has them.
__global__ void histogram(const int* from, int count, int* bins, int per_block)
{
    extern __shared__ int own[];
    const cg::cluster_group cluster = cg::this_cluster();
    for (int bin = static_cast<int>(threadIdx.x); bin < per_block; bin += static_cast<int>(blockDim.x))
        own[bin] = 0;
    cluster.sync();
    for (unsigned i = cg::this_grid().thread_rank(); i < static_cast<unsigned>(count); i += cg::this_grid().size()) {
        const int bin = from[i];
        atomicAdd(cluster.map_shared_rank(own, bin / per_block) + bin % per_block, 1);
    }
    cluster.sync();
    const unsigned first = cluster.block_rank() * static_cast<unsigned>(per_block);
    for (unsigned bin = threadIdx.x; bin < static_cast<unsigned>(per_block); bin += blockDim.x)
        atomicAdd(bins + first + bin, own[bin]);
}

// The ranks and sizes of a cluster of two dimensions.
__global__ void __cluster_dims__(2, 2, 1) places(unsigned* to)
{
    const cg::cluster_group cluster = cg::this_cluster();
    const cg::grid_group grid = cg::this_grid();
    __shared__ unsigned rank;
    if (threadIdx.x == 0)
        rank = cluster.block_rank();
    cluster.sync();
    const unsigned other = *cluster.map_shared_rank(&rank, static_cast<int>(3 - cluster.block_rank()));
    unsigned by_ptx = 0;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(by_ptx));
    if (threadIdx.x == 0)
        to[grid.block_rank()] = cluster.block_rank() + 10 * other + 100 * cluster.num_blocks() +
                                1000 * static_cast<unsigned>(grid.cluster_rank()) + 10000 * by_ptx +
                                100000 * cluster.query_shared_rank(&rank) + 1000000 * cluster.dim_blocks().y;
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(static_cast<decltype(token)&&>(token));
}

__global__ void __cluster_dims__(2) pair(int* to)
{
    __shared__ int value;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        value = static_cast<int>(10 + blockIdx.x);
    cluster.sync();
    if (threadIdx.x == 0)
        to[blockIdx.x] = *cluster.map_shared_rank(&value, cluster.block_rank() == 0 ? 1 : 0);
    cluster.sync();
}

__global__ void parent(int* to)
{
    pair<<<4, kThreads>>>(to);
}

int main()
{
    constexpr int kCount = 500;
    int host[kCount];
    for (int i = 0; i < kCount; ++i)
        host[i] = i * i % 16;
    const int* const from = copy_of(host);
    int* const bins = zeros<int>(16);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 8;
    config.blockDim = kThreads;
    config.dynamicSmemBytes = 4 * sizeof(int);
    config.attrs = &attribute;
    config.numAttrs = 1;
    int clusters = 0;
    CHECK(cudaOccupancyMaxActiveClusters(&clusters, histogram, &config));
    int size = 0;
    CHECK(cudaOccupancyMaxPotentialClusterSize(&size, histogram, &config));
    std::printf("%d %d\n", clusters > 0 ? 1 : 0, size);
    CHECK(cudaLaunchKernelEx(&config, histogram, from, kCount, bins, 4));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 16; i += 4)
        std::printf("%d ", value_of(bins + i));
    std::printf("\n");

    unsigned* const to = memory<unsigned>(16);
    places<<<dim3(4, 4), kThreads>>>(to);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 16; i += 5)
        std::printf("%u ", value_of(to + i));
    std::printf("\n");

    int* const pairs = memory<int>(4);
    pair<<<4, kThreads>>>(pairs);
    std::printf("%d %d\n", value_of(pairs), value_of(pairs + 3));
    CHECK(cudaMemset(pairs, 0, 4 * sizeof(int)));
    parent<<<1, 1>>>(pairs);
    std::printf("%d %d\n", value_of(pairs + 1), value_of(pairs + 2));
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, places));
    return verdict(attributes.requiredClusterWidth * 10 + attributes.requiredClusterHeight, 22);
}
