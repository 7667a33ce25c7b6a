// tenants_streams: many recursions at once by a host that makes every level of each in a stream of the tenant's own, and polls all of them.
// A level is in src/workloads/tenants/tenant_levels.hpp.
//
//     host: for each of `streams` streams, in turn, again and again
//         it has no tenant: if the next tenant has arrived, launch its root
//         its level is done: launch the next level, with as many blocks as its nodes need; or, after the last, it has no tenant
//     last block of a level: tell the host how many nodes the next level has; do those with at most `threshold` nodes first
//
// Launches: none from the device; one for each level of more nodes than the threshold, and one for each tenant, from the host.
// Hazards: none. A level is launched when the level before is done.
// Source: ours.
#include "workloads/tenants/mailbox.hpp"
#include "workloads/tenants/tenants.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// `word`: of the mailbox: 1: the tenant has ended; else 1 more than the nodes of the next level.
__global__ void LAUNCH_BOUNDS(1024) tenants_stream(TenantsTask task, unsigned tenant, unsigned* word)
{
    BLOCK_SHARED(unsigned, words, kLevelWords);
    unsigned level = task.states[tenant].level;
    const unsigned next = run_level(task, tenant, level, blockIdx.x, gridDim.x, words);
    if (threadIdx.x != 0 || next == kNotLast)
        return;
    task.states[tenant].level = level;
    publish(word, next + 1);
}

struct TenantsStreams {
    static constexpr StrategyInfo info{
        .name = "tenants_streams",
        .workload = &workloads::tenants,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: the host polls many streams and launches each level of each tenant",
        .hazards = "none: a level is launched when the level before is done",
        .source = "ours",
        .axes = {axis::threshold, axis::streams},
        .waits = true,
    };

    static ExpectedLaunches launches(const Case& point)
    {
        return {.root_blocks = static_cast<std::uint32_t>(point[TenantsParameter::tenant_count])};
    }

    struct Lane {
        Mailbox mailbox;
        unsigned tenant = 0;
        bool works = false;
    };

    static std::vector<Lane> prepare(const TenantsJob& job)
    {
        std::vector<Lane> lanes;
        for (unsigned stream = 0; stream < job.plan.streams; ++stream)
            lanes.push_back({Mailbox(job.context)});
        return lanes;
    }

    static void run(const TenantsJob& job, std::vector<Lane>& lanes)
    {
        job.clock.start();
        unsigned next = 0; // tenant
        unsigned working = 0;
        while (next != job.task.count || working != 0)
            for (unsigned stream = 0; stream < lanes.size(); ++stream) {
                Lane& lane = lanes[stream];
                unsigned blocks = 0;
                if (lane.works) {
                    const unsigned told = lane.mailbox.poll(job.context, stream);
                    if (told == 0)
                        continue;
                    lane.mailbox.clear();
                    blocks = told == 1 ? 0 : (told - 2) / job.point.block + 1;
                    lane.works = blocks != 0;
                    working -= lane.works ? 0 : 1;
                }
                if (!lane.works && next != job.task.count && job.clock.has_arrived(next)) {
                    lane.tenant = next++;
                    lane.works = true;
                    ++working;
                    blocks = 1;
                }
                if (blocks != 0)
                    host_launch<tenants_stream>(job.context, stream, {blocks, job.point.block}, job.task, lane.tenant,
                                                lane.mailbox.word());
            }
    }
};

const Register<TenantsStreams, TenantsTraits> tenants_streams_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
