// mandelbrot_queue: the recursion of mandelbrot_split by blocks that stay resident and share a queue of regions.
//
//     queue = the division * division parts of the image
//     each block, until the queue is empty: take a region; test, fill or compute it; append its parts if it is divided
//
// Launches: none from the device; one from the host.
// Hazards: none. A region is written before the end of the queue moves past it, with release order; a block that sees the
// new end with acquire order may read it. On a GPU a block waits while the queue is empty but regions are being tested;
// all blocks are resident, so these make progress. On the executor it does not wait: the block that appends regions goes
// on until the queue is empty, so every region is processed.
// Source: persistent threads, Gupta, Stuart, Owens, "A Study of Persistent Threads Style GPU Programming for GPGPU
// Workloads", InPar 2012.
#include "workloads/mandelbrot/mandelbrot.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

using QueueExpand = ExpandMandelbrot<false>;

struct RegionQueue {
    Region* regions;
    unsigned taken;    // regions before it are taken
    unsigned reserved; // regions before it belong to a block that appends, or are written
    unsigned written;  // regions before it can be taken
    unsigned tested;   // regions that are done
};

inline constexpr unsigned kNoRegion = 0xFFFFFFFFU;

// By one thread: the index of the next region, or kNoRegion.
__device__ inline unsigned take_region(RegionQueue* queue)
{
    for (;;) {
        // Read before `written`: a region counts as tested only when its parts are written.
        const unsigned tested = load_acquire(&queue->tested);
        const unsigned written = load_acquire(&queue->written);
        const unsigned next = load_acquire(&queue->taken);
        if (next < written) {
            if (atomicCAS(&queue->taken, next, next + 1) == next)
                return next;
        } else if (tested == written || kBackend == BackendKind::cpu) {
            return kNoRegion;
        } else {
            __nanosleep(200);
        }
    }
}

// By one thread.
__device__ inline void append_regions(RegionQueue* queue, const Region* regions, unsigned count)
{
    const unsigned first = atomicAdd(&queue->reserved, count);
    for (unsigned index = 0; index < count; ++index)
        queue->regions[first + index] = regions[index];
    while (load_acquire(&queue->written) != first) { // those before are still being written
    }
    store_release(&queue->written, first + count);
}

__global__ void mandelbrot_queue(MandelbrotTask task, RegionQueue* queue, RequestTotals* totals)
{
    constexpr unsigned kMaxParts = 256; // fanout is at most 16
    BLOCK_SHARED(Region, parts, kMaxParts);
    BLOCK_SHARED(unsigned, taken, 1);
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            taken[0] = take_region(queue);
        __syncthreads();
        if (taken[0] == kNoRegion)
            return;
        const QueueExpand::Item item{queue->regions[taken[0]], RegionTask::test, 0};
        QueueExpand::Item next{};
        const bool requests = QueueExpand::block(task, item, 0, 1, next);
        ItemsAndBlocks count = 0;
        const ItemsAndBlocks before = sum_before(requests ? 1 : 0, false, count);
        if (requests)
            parts[before] = next.region;
        __syncthreads();
        if (threadIdx.x == 0 && count != 0) {
            atomicAdd(&totals->items, count);
            append_regions(queue, parts, static_cast<unsigned>(count));
        }
        if (threadIdx.x == 0)
            fetch_add_acq_rel(&queue->tested, 1);
    }
}

struct MandelbrotQueue {
    static constexpr StrategyInfo info{
        .name = "mandelbrot_queue",
        .workload = &workloads::mandelbrot,
        .summary = "flat: resident blocks take regions from a queue",
        .hazards = "none: a region is written before the end of the queue moves past it",
        .source = "persistent threads, Gupta, Stuart, Owens, InPar 2012",
    };

    struct Prepared {
        Buffer<Region> regions;
        Buffer<RegionQueue> queue;
        std::uint32_t blocks;
    };

    static Prepared prepare(const MandelbrotJob& job)
    {
        Prepared prepared{job.context.template allocate<Region>(job.roots + job.oracle.counts.items, "regions"),
                          job.context.template allocate<RegionQueue>(1, "queue"), 0};
        std::vector<Region> roots;
        for (unsigned part = 0; part < job.roots; ++part)
            if (const Region region = part_of_region(job.task.image(), job.task.division, part); !is_empty(region))
                roots.push_back(region);
        roots.resize(prepared.regions.size());
        job.context.upload(prepared.regions, std::span<const Region>(roots));
        std::uint32_t first = 0;
        for (const Region& region : roots)
            first += is_empty(region) ? 0 : 1;
        const RegionQueue queue{prepared.regions.data(), 0, first, first, 0};
        job.context.upload(prepared.queue, std::span(&queue, 1));
        prepared.blocks = job.context.template resident_blocks<mandelbrot_queue>(job.point.block);
        return prepared;
    }

    static void run(const MandelbrotJob& job, const Prepared& prepared)
    {
        host_launch<mandelbrot_queue>(job.context, 0, {prepared.blocks, job.point.block}, job.task,
                                      prepared.queue.data(), job.totals);
    }
};

const Register<MandelbrotQueue, MandelbrotRoom> mandelbrot_queue_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
