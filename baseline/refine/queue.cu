// refine_queue: the refinement of refine_children by blocks that stay resident and share a queue of refined cells.
// What a block does is in src/workloads/refine/refine.hpp (RefineCells), the queue in src/device/parts/request_queue.hpp.
//
//     host, for each time step: launch blocks that share a queue; it begins with the tiles
//     each block: take a tile or a refined cell from the queue; process its four parts; append those that are refined
//
// Launches: none from the device; one per time step from the host.
// Hazards: none. An item is written before the flag of its place is set (device/parts/request_queue.hpp).
// Source: persistent threads, Gupta, Stuart, Owens, InPar 2012; Kerbl et al., "The Broker Queue", ICS 2018.
#include "device/parts/request_queue.hpp"
#include "workloads/refine/refine.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void LAUNCH_BOUNDS(1024) refine_queue(RefineTask task, ItemQueue<RefinedCell>* queue)
{
    BLOCK_SHARED(unsigned, words, kQueueWords);
    run_queue(queue, words,
              [&](const RefinedCell& cell, RefinedCell& next) { return RefineCells::block(task, cell, 0, 1, next); });
}

struct RefineQueue {
    static constexpr StrategyInfo info{
        .name = "refine_queue",
        .workload = &workloads::refine,
        .summary = "flat: resident blocks take refined cells from a queue, one queue per time step",
        .hazards = "none: a cell is written before the flag of its place is set",
        .source = "persistent threads, Gupta, Stuart, Owens, InPar 2012; Kerbl et al., ICS 2018",
    };

    static std::vector<QueueSetup<RefinedCell>> prepare(const RefineJob& job)
    {
        std::vector<QueueSetup<RefinedCell>> queues;
        for (std::uint32_t step = 0; step < job.steps; ++step) {
            std::vector<RefinedCell> tiles;
            for (unsigned tile = 0; tile < job.task.tiles; ++tile)
                tiles.push_back({step * job.task.tiles + tile, 0, 0});
            queues.push_back(
                set_up_queue<refine_queue>(job, std::move(tiles), job.task.tiles + job.refined.at(step)));
        }
        return queues;
    }

    static void run(const RefineJob& job, const std::vector<QueueSetup<RefinedCell>>& queues)
    {
        for (const QueueSetup<RefinedCell>& queue : queues)
            host_launch<refine_queue>(job.context, 0, {queue.blocks, job.point.block}, job.task, queue.queue.data());
    }
};

const Register<RefineQueue, RefineTraits> refine_queue_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
