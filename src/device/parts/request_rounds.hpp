// The host's part of an irregular workload with one root grid per round, which it launches as long as there is another round.
#pragma once

#include "device/parts/launch_requests.hpp"

#include <algorithm>

namespace nestbed::inline NESTBED_BACKEND
{

// The lists of what was refused to root grids are used again in every round.
template <class Head>
__global__ void clear_heads(Head* heads, unsigned count)
{
    for (unsigned head = threadIdx.x; head < count; head += blockDim.x)
        heads[head] = 0;
}

// Calls launch(wave, nest) for the root grid of a round, of `blocks` blocks, in one stream, so that a round sees all of the
// round before.
template <class S, class E, class Launch>
void launch_round(const RequestJob& job, const RequestRun<E>& round, std::uint32_t blocks, const Launch& launch)
{
    const std::uint32_t threads = job.point.block;
    if (round.spill && round.job.round != 0)
        host_launch<clear_heads<unsigned>>(job.context, 0, {1, threads}, round.memory.heads, job.roots + 1);
    LaunchPlan plan = job.plan;
    plan.streams = 1;
    plan.roots = blocks;
    plan.wave = std::min(plan.wave, blocks);
    if (job.tracer != nullptr && round.job.round == 0)
        job.tracer->set_roots(plan.waves(), plan.wave); // the first round may have fewer blocks than the case's plan
    const PreparedRun run{.context = job.context,
                          .point = job.point,
                          .plan = plan,
                          .form = job.form,
                          .mechanism = job.mechanism,
                          .pending_limit = job.pending_limit,
                          .ledger = job.ledger,
                          .done = job.done,
                          .seed = job.seed,
                          .tracer = job.tracer,
                          .timing = job.timing,
                          .marked = job.marked,
                          .with_output = job.with_output};
    launch_waves<S>(run, [&](auto wave, auto nest) {
        if constexpr (requires { nest.grid; })
            if (round.job.round != 0)
                nest.grid = kNoGrid; // a trace has the root grids of the first round
        launch(wave, nest);
    });
}

} // namespace nestbed::inline NESTBED_BACKEND
