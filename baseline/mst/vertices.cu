// mst_vertices: a minimum spanning forest by rounds of Boruvka, with a thread per vertex.
// A round is in src/workloads/mst/mst_rounds.hpp.
//
//     host, for each round: launch a thread for each vertex
//         thread: lower the key of the vertex's component to the least key of an edge that leads to another one
//         hook_components, follow_hooks (src/workloads/mst/mst_rounds.hpp)
//     repeat: read whether a component was joined to another, until none was
//
// Launches: none from the device; three per round from the host, which waits for each round.
// Hazards: none. A grid starts when the grid before it is complete. Keys only fall, by an atomic minimum.
// Source: Boruvka, 1926; Vineet, Harish, Patidar, Narayanan, HPG 2009.
#include "workloads/mst/mst_rounds.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void min_of_vertices(MstRound of)
{
    const unsigned vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= of.task.vertices)
        return;
    const unsigned component = of.task.component[vertex];
    MstKey least = kNoMstKey;
    for (unsigned index = of.task.starts[vertex]; index < of.task.starts[vertex + 1]; ++index) {
        const MstEdge edge = of.task.halves[index];
        if (of.task.component[edge.other] != component)
            least = lesser(least, mst_key(edge.weight, edge.number));
    }
    if (least != kNoMstKey)
        lower(&of.best[component], least);
}

struct MstVertices {
    static constexpr StrategyInfo info{
        .name = "mst_vertices",
        .workload = &workloads::mst,
        .mechanisms = kOnly<Mechanism::host>,
        .summary = "flat: rounds by the host, a thread per vertex",
        .hazards = "none: a grid starts when the grid before it is complete",
        .source = "Boruvka, 1926; Vineet et al., HPG 2009",
        .waits = true,
    };
    static constexpr MstForm form = MstForm::flat;
    static constexpr bool halves = true;

    static MstRoundBuffers prepare(const MstJob& job) { return MstRoundBuffers(job); }

    // Waits for each round.
    static void run(const MstJob& job, const MstRoundBuffers& buffers)
    {
        MstRound round = buffers.round;
        for (bool hooked = true; hooked; ++round.round) {
            host_launch<min_of_vertices>(job.context, 0, {job.roots, job.point.block}, round);
            end_round(job, round);
            hooked = buffers.hooked(job.context, round);
        }
    }
};

const Register<MstVertices, MstTraits> mst_vertices;

} // namespace nestbed::inline NESTBED_BACKEND
