// mandelbrot_queue: the recursion of mandelbrot_split by blocks that stay resident and share a queue of regions.
// What a block does is in src/workloads/mandelbrot/mandelbrot.hpp (ExpandMandelbrot), the queue in src/device/parts/request_queue.hpp.
//
//     queue = the division * division parts of the image
//     each block: take the next place of the queue; wait until a region is there, or no region is left
//         test, fill or compute the region; append its parts if it is divided
//
// Launches: none from the device; one from the host.
// Hazards: none. A region is written before the flag of its place is set (device/parts/request_queue.hpp).
// Source: persistent threads, Gupta, Stuart, Owens, "A Study of Persistent Threads Style GPU Programming for GPGPU
// Workloads", InPar 2012; places by tickets, Kerbl et al., "The Broker Queue", ICS 2018.
#include "device/parts/request_queue.hpp"
#include "workloads/mandelbrot/mandelbrot.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

using QueueExpand = ExpandMandelbrot<false>;

__global__ void LAUNCH_BOUNDS(1024)
    mandelbrot_queue(MandelbrotTask task, ItemQueue<Region>* queue, RequestTotals* totals)
{
    BLOCK_SHARED(unsigned, words, kQueueWords);
    run_queue(queue, totals, words, [&](const Region& region, Region& next) {
        QueueExpand::Item part{};
        const bool requests = QueueExpand::block(task, {region, RegionTask::test, 0}, 0, 1, part);
        next = part.region;
        return requests;
    });
}

struct MandelbrotQueue {
    static constexpr StrategyInfo info{
        .name = "mandelbrot_queue",
        .workload = &workloads::mandelbrot,
        .summary = "flat: resident blocks take regions from a queue",
        .hazards = "none: a region is written before the flag of its place is set",
        .source = "persistent threads, Gupta, Stuart, Owens, InPar 2012; Kerbl et al., ICS 2018",
    };

    static QueueSetup<Region> prepare(const MandelbrotJob& job)
    {
        std::vector<Region> roots;
        for (unsigned part = 0; part < job.roots; ++part)
            if (const Region region = part_of_region(job.task.image(), job.task.division, part); !is_empty(region))
                roots.push_back(region);
        return set_up_queue<mandelbrot_queue>(job, std::move(roots), job.roots + job.oracle.counts.items);
    }

    static void run(const MandelbrotJob& job, const QueueSetup<Region>& setup)
    {
        host_launch<mandelbrot_queue>(job.context, 0, {setup.blocks, job.point.block}, job.task, setup.queue.data(),
                                      job.totals);
    }
};

const Register<MandelbrotQueue, MandelbrotTraits> mandelbrot_queue_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
