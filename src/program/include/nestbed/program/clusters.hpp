// CUDA's functions of thread block clusters (sm_90 and later). A block of a launch without clusters is one.
#pragma once

#include "builtins.hpp"

// NOLINTBEGIN: these names are CUDA's.
inline dim3 __clusterDim()
{
    return nestbed::cpu::cluster_dim();
}
inline unsigned __clusterSizeInBlocks()
{
    const dim3 of = __clusterDim();
    return of.x * of.y * of.z;
}
inline dim3 __clusterRelativeBlockIdx()
{
    const uint3 block = nestbed::cpu::current_thread->block_index;
    const dim3 of = __clusterDim();
    return {block.x % of.x, block.y % of.y, block.z % of.z};
}
inline unsigned __clusterRelativeBlockRank()
{
    const dim3 block = __clusterRelativeBlockIdx();
    const dim3 of = __clusterDim();
    return block.x + of.x * (block.y + of.y * block.z);
}
inline dim3 __clusterIdx()
{
    const uint3 block = nestbed::cpu::current_thread->block_index;
    const dim3 of = __clusterDim();
    return {block.x / of.x, block.y / of.y, block.z / of.z};
}
inline dim3 __clusterGridDimInClusters()
{
    const dim3 grid = nestbed::cpu::current_thread->grid_dim;
    const dim3 of = __clusterDim();
    return {grid.x / of.x, grid.y / of.y, grid.z / of.z};
}
inline void __cluster_barrier_arrive(NESTBED_PLACE)
{
    nestbed::cpu::arrive_at_group(nestbed::cpu::BlockGroup::cluster, true, file, line);
}
inline void __cluster_barrier_arrive_relaxed(NESTBED_PLACE)
{
    nestbed::cpu::arrive_at_group(nestbed::cpu::BlockGroup::cluster, false, file, line);
}
inline void __cluster_barrier_wait(NESTBED_PLACE)
{
    nestbed::cpu::wait_for_group(nestbed::cpu::BlockGroup::cluster, file, line);
}
inline void* __cluster_map_shared_rank(const void* address, unsigned rank)
{
    return nestbed::cpu::shared_of_cluster(address, rank);
}
inline unsigned __cluster_query_shared_rank(const void* address)
{
    return nestbed::cpu::rank_of_shared(address);
}
// NOLINTEND
