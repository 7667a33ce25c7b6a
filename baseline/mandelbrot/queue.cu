// mandelbrot_queue: the recursion of mandelbrot_split by blocks that stay resident and share a queue of regions.
// What a block does is in src/workloads/mandelbrot/mandelbrot.hpp (ExpandMandelbrot), the queue in src/device/parts/request_queue.hpp.
//
//     queue = the division * division parts of the image
//     each block: take the next place of the queue; wait until a region is there, or no region is left
//         test, fill or compute the region; append its parts if it is divided
//         (what would take a thread more than 16384 iterations is appended, too: shares of the region's pixels)
//
// Launches: none from the device; one from the host.
// Hazards: none. A region is written before the flag of its place is set (device/parts/request_queue.hpp).
// Source: persistent threads, Gupta, Stuart, Owens, "A Study of Persistent Threads Style GPU Programming for GPGPU
// Workloads", InPar 2012; places by tickets, Kerbl et al., "The Broker Queue", ICS 2018.
#include "device/parts/request_queue.hpp"
#include "workloads/mandelbrot/mandelbrot.hpp"

#include <algorithm>

namespace nestbed::inline NESTBED_BACKEND
{

// Shares: see ExpandMandelbrot. A kernel of its own, so that the other has no code for them.
template <bool Shares>
__global__ void LAUNCH_BOUNDS(1024) mandelbrot_queue(MandelbrotTask task, ItemQueue<MandelbrotItem>* queue)
{
    using Expand = ExpandMandelbrot<false, Shares>;
    BLOCK_SHARED(unsigned, words, kQueueWords);
    run_queue(queue, words, [&](const MandelbrotItem& item, MandelbrotItem& next) {
        if constexpr (!Shares)
            return Expand::block(task, {item.region, RegionTask::test, 0}, 0, 1, next);
        const bool tests = item.task == RegionTask::test;
        return Expand::block(task, item, tests ? 0 : item.value,
                             tests ? 1 : blocks_to_compute(item.region, blockDim.x, task.max_dwell), next);
    });
}

struct MandelbrotQueue {
    static constexpr StrategyInfo info{
        .name = "mandelbrot_queue",
        .workload = &workloads::mandelbrot,
        .summary = "flat: resident blocks take regions, or a share of the pixels of one, from a queue",
        .hazards = "none: a region is written before the flag of its place is set",
        .source = "persistent threads, Gupta, Stuart, Owens, InPar 2012; Kerbl et al., ICS 2018",
    };

    struct Prepared {
        QueueSetup<MandelbrotItem> setup;
        bool shares;
    };

    static Prepared prepare(const MandelbrotJob& job)
    {
        std::vector<MandelbrotItem> roots;
        for (unsigned part = 0; part < job.roots; ++part)
            if (const Region region = part_of_region(job.task.image(), job.task.division, part); !is_empty(region))
                roots.push_back({region, RegionTask::test, 0});
        // No region that is computed has longer sides than `fanout` grains, or than a part of the image.
        Region largest = part_of_region(job.task.image(), job.task.division, 0);
        largest.width = std::min(largest.width, job.task.fanout * job.task.grain);
        largest.height = std::min(largest.height, job.task.fanout * job.task.grain);
        const unsigned shares = blocks_to_compute(largest, job.point.block, job.task.max_dwell);
        const std::uint64_t regions = job.roots + job.oracle.counts.items;
        if (shares == 1)
            return {set_up_queue<mandelbrot_queue<false>>(job, std::move(roots), regions), false};
        // Shares of all regions, or of all pixels.
        const std::uint64_t most = std::min(regions * shares, regions + job.point.elements / job.point.block);
        return {set_up_queue<mandelbrot_queue<true>>(job, std::move(roots), regions + most), true};
    }

    static void run(const MandelbrotJob& job, const Prepared& prepared)
    {
        const QueueSetup<MandelbrotItem>& setup = prepared.setup;
        const LaunchShape shape{setup.blocks, job.point.block};
        if (prepared.shares)
            host_launch<mandelbrot_queue<true>>(job.context, 0, shape, job.task, setup.queue.data());
        else
            host_launch<mandelbrot_queue<false>>(job.context, 0, shape, job.task, setup.queue.data());
    }
};

const Register<MandelbrotQueue, MandelbrotTraits> mandelbrot_queue_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
