// tenants_levels: many recursions at once by a host that makes a level of all of them as one grid, and polls its end.
// A level is in src/workloads/tenants/tenant_levels.hpp, a step of all tenants in tenant_steps.hpp.
//
//     host: repeat, until all tenants have ended: launch a grid with as many blocks as the next levels of all tenants need, and one for
//         each tenant that has arrived meanwhile; wait until the last block says how many blocks are next
//     block: compute which blocks belong to which tenant; do its block
//
// Launches: none from the device; one for each step from the host.
// Hazards: none. A step begins when the step before is done.
// Source: ours; requests that join a batch between its steps: Yu et al., "Orca", OSDI 2022.
#include "workloads/tenants/mailbox.hpp"
#include "workloads/tenants/tenant_steps.hpp"
#include "workloads/tenants/tenants.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct StepTotals {
    unsigned next;    // blocks of the next step
    unsigned arrived; // blocks that are done
};

__global__ void LAUNCH_BOUNDS(1024)
    tenants_step(TenantsTask task, TenantStep step, unsigned* begins, StepTotals* totals, unsigned* word)
{
    BLOCK_SHARED(unsigned, words, kLevelWords);
    BLOCK_SHARED(unsigned, starts, kMaxTenants);
    start_blocks(task, step, begins, starts);
    const unsigned next = run_step(task, step, begins, starts, blockIdx.x, gridDim.x, words);
    if (threadIdx.x != 0)
        return;
    if (next != kNotLast && next != 0)
        atomicAdd(&totals->next, blocks_of_level(next));
    if (is_last_block(&totals->arrived, gridDim.x))
        publish(word, 1 + atomicExch(&totals->next, 0U));
}

struct TenantsLevels {
    static constexpr StrategyInfo info{
        .name = "tenants_levels",
        .workload = &workloads::tenants,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: the host launches a level of all tenants as one grid",
        .hazards = "none: a step begins when the step before is done",
        .source = "ours; Yu et al., Orca, OSDI 2022",
        .waits = true,
    };

    struct Prepared {
        Mailbox mailbox;
        Buffer<unsigned> begins;
        Buffer<StepTotals> totals;
    };

    static Prepared prepare(const TenantsJob& job)
    {
        Prepared prepared{Mailbox(job.context), zeroed(job, job.task.count, "begins"),
                          job.context.template allocate<StepTotals>(1, "totals")};
        job.context.fill_bytes(prepared.totals, 0, 1);
        return prepared;
    }

    static void run(const TenantsJob& job, Prepared& prepared)
    {
        TenantsTask task = job.task;
        task.threshold = 0;
        job.clock.start();
        TenantStep step{0, 0, 0};
        for (unsigned blocks = 0; blocks != 0 || step.arrived != task.count; ++step.number) {
            step.known = step.arrived;
            if (blocks == 0)
                job.clock.wait_for(step.known);
            while (step.arrived != task.count && job.clock.has_arrived(step.arrived))
                ++step.arrived;
            blocks += step.arrived - step.known;
            prepared.mailbox.clear();
            host_launch<tenants_step>(job.context, {blocks, job.point.block}, task, step, prepared.begins.data(),
                                      prepared.totals.data(), prepared.mailbox.word());
            do
                blocks = prepared.mailbox.poll(job.context, 0);
            while (blocks == 0);
            --blocks;
        }
    }
};

const Register<TenantsLevels, TenantsTraits> tenants_levels_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
