// What the forms that the host starts round by round have in common: the end of a round of Boruvka.
//
//     the strategy: best[component] = the least key of an edge that leads from it to another component
//     hook_components: every component that has one takes the number of the component at the other end; of two components with
//         the same edge the smaller number stays
//     follow_hooks: every vertex learns its component
#pragma once

#include "workloads/mst/mst.hpp"

#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

struct MstRound {
    MstTask task;
    unsigned round;
    MstKey* best;      // of each component; kNoMstKey
    unsigned* parents; // of each component: itself, or the one that it was hooked to
    unsigned* last;    // the last round in which a component was hooked, plus 1
};

template <class Round>
__global__ void hook_components(Round of)
{
    const unsigned one = blockIdx.x * blockDim.x + threadIdx.x;
    const MstKey key = one < of.task.vertices ? of.best[one] : kNoMstKey;
    if (key == kNoMstKey)
        return;
    const auto edge = static_cast<unsigned>(key);
    const unsigned from = of.task.component[of.task.from[edge]];
    const unsigned other = from == one ? of.task.component[of.task.to[edge]] : from;
    if (of.best[other] == key && one < other)
        return;
    of.parents[one] = other;
    of.task.chosen[edge] = 1;
    store_relaxed(of.last, of.round + 1);
}

template <class Round>
__global__ void follow_hooks(Round of)
{
    const unsigned vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= of.task.vertices)
        return;
    of.task.component[vertex] = root_of(of.parents, of.task.component[vertex]);
    of.best[vertex] = kNoMstKey;
}

struct MstRoundBuffers {
    Buffer<MstKey> best;
    Buffer<unsigned> parents, last;
    MstRound round;

    explicit MstRoundBuffers(const MstJob& job)
        : best(filled_buffer<MstKey>(job, job.task.vertices, 0xFF, "best")),
          parents(filled_buffer(job, job.task.vertices, 0, "parents")),
          last(filled_buffer(job, 1, 0, "last")), round{job.task, 0, best.data(), parents.data(), last.data()}
    {
        std::vector<unsigned> own(job.task.vertices);
        std::iota(own.begin(), own.end(), 0U);
        job.context.upload(parents, std::span<const unsigned>(own));
    }

    // Whether a component was hooked in the round. Waits for it.
    bool hooked(Context& context, const MstRound& of) const
    {
        unsigned hooked = 0;
        context.read(std::span(&hooked, 1), last, 0);
        return hooked == of.round + 1;
    }
};

// The end of a round, after `best` is known.
template <class Round>
void end_round(const MstJob& job, const Round& round)
{
    host_launch<hook_components<Round>>(job.context, 0, {job.roots, job.point.block}, round);
    host_launch<follow_hooks<Round>>(job.context, 0, {job.roots, job.point.block}, round);
}

} // namespace nestbed::inline NESTBED_BACKEND
