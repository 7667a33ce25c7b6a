// mandelbrot_queue: the recursion of mandelbrot_split by blocks that stay resident and share a queue of regions.
//
//     queue = the division * division parts of the image
//     each block: take the next place of the queue; wait until a region is there, or no region is left
//         test, fill or compute the region; append its parts if it is divided
//
// Taking is one addition, and so is appending: no block tries again because another was faster, or waits for another to append. A place
// has a flag of its own, which says that its region is written.
//
// Launches: none from the device; one from the host.
// Hazards: none. A region is written before its flag is set, with release order; the block that has taken the place reads the flag with
// acquire order. Parts count as left before they can be taken, and a region that is divided counts no longer once its parts do: so nothing
// is left only when all is done. On a GPU a block waits while its place is empty; all blocks are resident, so those with a region make
// progress. On the executor it does not wait: it takes a place only if the region is there, and the block that appends regions goes on
// until the queue is empty, so every region is processed.
// Source: persistent threads, Gupta, Stuart, Owens, "A Study of Persistent Threads Style GPU Programming for GPGPU
// Workloads", InPar 2012; places by tickets, Kerbl et al., "The Broker Queue", ICS 2018.
#include "workloads/mandelbrot/mandelbrot.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

using QueueExpand = ExpandMandelbrot<false>;

inline constexpr bool kQueueWaits = kBackend != BackendKind::cpu;

struct RegionQueue {
    Region* regions;
    unsigned* written; // a flag per place, and one for each block, which may wait behind the last place
    unsigned places;
    unsigned taken;    // places before it; a block that waits takes the place of its number first
    unsigned reserved; // places before it have a region, or a block is writing it
    unsigned left;     // regions that are not done
};

inline constexpr unsigned kNoRegion = 0xFFFFFFFFU;

// By one thread: waits for the region of a place. Returns the place, or kNoRegion if nothing is left.
__device__ inline unsigned wait_for_region(RegionQueue* queue, unsigned place)
{
    while (load_acquire(&queue->written[place]) == 0) {
        if (load_acquire(&queue->left) == 0)
            return kNoRegion;
        __nanosleep(100);
    }
    return place;
}

// By one thread, without waiting: the next place, if its region is there.
__device__ inline unsigned take_region_there(RegionQueue* queue)
{
    for (;;) {
        const unsigned next = load_acquire(&queue->taken);
        if (next == queue->places || load_acquire(&queue->written[next]) == 0)
            return kNoRegion;
        if (atomicCAS(&queue->taken, next, next + 1) == next)
            return next;
    }
}

__global__ void LAUNCH_BOUNDS(1024) mandelbrot_queue(MandelbrotTask task, RegionQueue* queue, RequestTotals* totals)
{
    BLOCK_SHARED(unsigned, place, 1);
    BLOCK_SHARED(unsigned, first, 1); // place of the parts
    for (bool again = false;; again = true) {
        if (threadIdx.x == 0) {
            if constexpr (kQueueWaits)
                place[0] = wait_for_region(queue, again ? atomicAdd(&queue->taken, 1U) : blockIdx.x);
            else
                place[0] = take_region_there(queue);
        }
        __syncthreads();
        if (place[0] == kNoRegion)
            return;
        const QueueExpand::Item item{queue->regions[place[0]], RegionTask::test, 0};
        QueueExpand::Item next{};
        const bool requests = QueueExpand::block(task, item, 0, 1, next);
        ItemsAndBlocks count = 0;
        const ItemsAndBlocks before = sum_before(requests ? 1 : 0, false, count);
        if (threadIdx.x == 0) {
            fetch_add_acq_rel(&queue->left, static_cast<unsigned>(count) - 1);
            if (count != 0) {
                first[0] = atomicAdd(&queue->reserved, static_cast<unsigned>(count));
                atomicAdd(&totals->items, count);
            }
        }
        __syncthreads();
        if (requests) {
            const unsigned at = first[0] + static_cast<unsigned>(before);
            queue->regions[at] = next.region;
            store_release(&queue->written[at], 1);
        }
        __syncthreads(); // on the executor: its parts are there when it takes the next place
    }
}

struct MandelbrotQueue {
    static constexpr StrategyInfo info{
        .name = "mandelbrot_queue",
        .workload = &workloads::mandelbrot,
        .summary = "flat: resident blocks take regions from a queue",
        .hazards = "none: a region is written before the flag of its place is set",
        .source = "persistent threads, Gupta, Stuart, Owens, InPar 2012; Kerbl et al., ICS 2018",
    };

    struct Prepared {
        Buffer<Region> regions;
        Buffer<unsigned> written;
        Buffer<RegionQueue> queue;
        std::uint32_t blocks;
    };

    static Prepared prepare(const MandelbrotJob& job)
    {
        std::vector<Region> roots;
        for (unsigned part = 0; part < job.roots; ++part)
            if (const Region region = part_of_region(job.task.image(), job.task.division, part); !is_empty(region))
                roots.push_back(region);
        const auto first = static_cast<unsigned>(roots.size());
        const std::uint32_t blocks = job.context.template resident_blocks<mandelbrot_queue>(job.point.block);
        const std::uint64_t places = job.roots + job.oracle.counts.items;
        Prepared prepared{job.context.template allocate<Region>(places, "regions"),
                          job.context.template allocate<unsigned>(places + blocks, "written"),
                          job.context.template allocate<RegionQueue>(1, "queue"), blocks};
        roots.resize(places);
        job.context.upload(prepared.regions, std::span<const Region>(roots));
        std::vector<unsigned> written(places + blocks);
        std::fill_n(written.begin(), first, 1U);
        job.context.upload(prepared.written, std::span<const unsigned>(written));
        const RegionQueue queue{prepared.regions.data(),
                                prepared.written.data(),
                                static_cast<unsigned>(places),
                                kQueueWaits ? blocks : 0,
                                first,
                                first};
        job.context.upload(prepared.queue, std::span(&queue, 1));
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
