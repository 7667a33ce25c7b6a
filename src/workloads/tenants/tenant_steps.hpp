// All tenants step by step: a step does one level of each tenant that has arrived and has not ended.
#pragma once

#include "workloads/tenants/tenant_levels.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// A step. Tenants before `known` have been in a step before; those from there to `arrived` begin with this one.
struct TenantStep {
    unsigned number;
    unsigned known, arrived;
};

// `begins`: of each known tenant, the number of its first step.
__device__ inline unsigned level_in_step(const TenantStep& step, const unsigned* begins, unsigned tenant)
{
    return tenant < step.known ? step.number - begins[tenant] : 0;
}

// Writes the blocks of the tenants before each tenant, and returns those of all. All threads of the block call it. `starts`: shared memory
// with a word for each tenant.
__device__ inline unsigned start_blocks(const TenantsTask& task, const TenantStep& step, const unsigned* begins,
                                        unsigned* starts)
{
    unsigned blocks = 0;
    for (unsigned base = 0; base < task.count; base += blockDim.x) {
        const unsigned tenant = base + threadIdx.x;
        unsigned mine = 0;
        if (tenant < step.arrived) {
            const unsigned level = level_in_step(step, begins, tenant);
            if (level == 0)
                mine = 1;
            else if (level <= task.tenants[tenant].levels)
                mine = blocks_of_level(load_relaxed(&task.widths_of(tenant)[level]));
        }
        ItemsAndBlocks total = 0;
        const ItemsAndBlocks before = exclusive_scan(mine, false, total);
        if (tenant < task.count)
            starts[tenant] = blocks + static_cast<unsigned>(before);
        blocks += static_cast<unsigned>(total);
    }
    __syncthreads();
    return blocks;
}

// Block `block` of the `total` blocks of a step, given start_blocks(). Returns what run_level() does.
__device__ inline unsigned run_step(const TenantsTask& task, const TenantStep& step, unsigned* begins,
                                    const unsigned* starts, unsigned block, unsigned total, unsigned* words)
{
    const unsigned tenant = upper_bound(task.count, block, [&](unsigned index) { return starts[index]; }) - 1;
    const unsigned end = tenant + 1 < task.count ? starts[tenant + 1] : total;
    unsigned level = level_in_step(step, begins, tenant);
    if (level == 0 && threadIdx.x == 0)
        begins[tenant] = step.number;
    return run_level(task, tenant, level, block - starts[tenant], end - starts[tenant], words);
}

} // namespace nestbed::inline NESTBED_BACKEND
