// tenants_queue: many recursions at once, by blocks that stay resident and share a queue. A task is a block of a level of any tenant.
//
//     host: launch as many blocks as the device holds
//     block 0, first: append the root of each tenant when it arrives
//     each block: take the next task; process its nodes; the last block of a level appends the blocks of the next level,
//         or does it itself, if it has at most `threshold` nodes
//
// Launches: none from the device; one from the host.
// Hazards: none. A task is written before the flag of its place is set (device/parts/request_queue.hpp).
// Source: persistent threads, Gupta, Stuart, Owens, InPar 2012; Kerbl et al., "The Broker Queue", ICS 2018.
#include "device/parts/request_queue.hpp"
#include "workloads/tenants/tenants.hpp"

#include <algorithm>

namespace nestbed::inline NESTBED_BACKEND
{

struct TenantTask {
    unsigned tenant, level;
    unsigned block, blocks; // of the level
};

using TenantQueue = ItemQueue<TenantTask>; // left: tenants that have not ended

// All threads call it; a barrier must precede. task_of(index): the task at place `index` of `count` new ones.
template <class TaskOf>
__device__ void append_tasks(TenantQueue* queue, unsigned count, unsigned* first, const TaskOf& task_of)
{
    if (threadIdx.x == 0)
        *first = static_cast<unsigned>(
            atomicAdd(&queue->reserved_and_left, static_cast<unsigned long long>(count) << kReservedShift) >>
            kReservedShift);
    __syncthreads();
    for (unsigned index = threadIdx.x; index < count; index += blockDim.x) {
        queue->items[*first + index] = task_of(index);
        store_release(&queue->written[*first + index], kWritten);
    }
    __syncthreads();
}

// Appends the roots of all tenants, those that have arrived together.
__device__ inline void append_roots(TenantQueue* queue, const ArrivalTimes& times, unsigned* words)
{
    for (unsigned first = 0; first < times.count;) {
        if (threadIdx.x == 0)
            do
                words[0] = times.arrived(first);
            while (words[0] == first);
        __syncthreads();
        const unsigned end = words[0];
        append_tasks(queue, end - first, words + 1, [&](unsigned index) {
            return TenantTask{first + index, 0, 0, 1};
        });
        first = end;
    }
}

__global__ void LAUNCH_BOUNDS(1024) tenants_queue(TenantsTask task, ArrivalTimes times, TenantQueue* queue)
{
    BLOCK_SHARED(unsigned, words, kLevelWords + kQueueWords);
    unsigned* const place = words + kLevelWords;
    if (blockIdx.x == 0)
        append_roots(queue, times, place);
    for (;;) {
        if (threadIdx.x == 0) {
            if constexpr (kQueueWaits)
                *place = wait_for_item(queue, atomicAdd(&queue->taken, 1U));
            else
                *place = take_item_there(queue);
        }
        __syncthreads();
        if (*place == kNoItem)
            return;
        const TenantTask now = queue->items[*place];
        unsigned level = now.level;
        const unsigned next = run_level(task, now.tenant, level, now.block, now.blocks, words);
        if (next == kNotLast)
            continue;
        if (next != 0) {
            const unsigned blocks = blocks_of_level(next);
            append_tasks(queue, blocks, place + 1, [&](unsigned index) {
                return TenantTask{now.tenant, level, index, blocks};
            });
        } else {
            if (threadIdx.x == 0) {
                const unsigned long long old = atomicAdd(&queue->reserved_and_left, ~0ULL); // one tenant less
                place[1] = static_cast<unsigned>(old >> kReservedShift);
                place[2] = static_cast<unsigned>(old) == 1 ? 1 : 0;
            }
            __syncthreads();
            if (kQueueWaits && place[2] != 0)
                tell_all_done(queue, place[1]);
        }
    }
}

struct TenantsQueue {
    static constexpr StrategyInfo info{
        .name = "tenants_queue",
        .workload = &workloads::tenants,
        .summary = "flat: resident blocks take blocks of levels of any tenant from a queue",
        .hazards = "none: a task is written before the flag of its place is set",
        .source = "persistent threads, Gupta, Stuart, Owens, InPar 2012; Kerbl et al., ICS 2018",
        .axes = {axis::threshold},
        .waits = true,
    };

    struct Prepared {
        Buffer<TenantTask> tasks;
        Buffer<unsigned> written;
        Buffer<TenantQueue> queue;
        std::uint32_t blocks;
    };

    static Prepared prepare(const TenantsJob& job)
    {
        const std::uint64_t places = count_tenant_blocks(job.reference, job.point.block, job.point.threshold);
        const std::uint32_t blocks = job.context.template resident_blocks<tenants_queue>(job.point.block);
        Prepared prepared{job.context.template allocate<TenantTask>(places, "tasks"),
                          zeroed(job, places + blocks, "written"),
                          job.context.template allocate<TenantQueue>(1, "queue"), blocks};
        const TenantQueue queue{prepared.tasks.data(), prepared.written.data(), static_cast<unsigned>(places), 0,
                                job.task.count};
        job.context.upload(prepared.queue, std::span(&queue, 1));
        return prepared;
    }

    static void run(const TenantsJob& job, const Prepared& prepared)
    {
        const ArrivalTimes times = start_arrivals(job);
        host_launch<tenants_queue>(job.context, {prepared.blocks, job.point.block}, job.task, times,
                                   prepared.queue.data());
    }
};

const Register<TenantsQueue, TenantsTraits> tenants_queue_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
