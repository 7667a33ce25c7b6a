// bfs_cluster: breadth-first search by steps of the host, where a cluster of thread blocks does levels that are small, one after
// another: more than one block can in the same time, without a launch. CUDA only.
//
//     cluster: each vertex has an owner, the block that alone tests and sets its bit and its distance
//         every block follows the edges of its new vertices, and stores where they lead in the shared memory of the owners
//         a barrier in the memory of each owner counts what has arrived; when all has, its next level begins
//     a level that is too large: one grid of the whole device, as in bfs_direction (top-down or bottom-up)
//
// The time of a level is that of two reads from memory, one after the other (where the edges of a vertex are, and where they lead),
// and of one message between blocks.
// Launches: none from the device; one from the host for each large level, and for small ones that follow each other.
// Hazards: none. A block goes on when the messages of all blocks have arrived. It ends only when no message to it is under way.
// Source: CUDA C++ Programming Guide, "Thread Block Clusters", "Distributed Shared Memory"; PTX ISA, "st.async"; Beamer, Asanovic,
// Patterson, SC 2012; bitmaps, Merrill, Garland, Grimshaw, PPoPP 2012.
#include "workloads/bfs/graph_steps.hpp"

#ifdef __CUDACC__
#include "device/cuda/cluster_messages.cuh"
#include "device/cuda/levels.cuh"

#include <cooperative_groups.h>
#endif

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
constexpr unsigned kClusterBlocks = 8; // on every device that has clusters
constexpr unsigned kLogClusterBlocks = 3;
static_assert(kClusterBlocks == 1U << kLogClusterBlocks);
constexpr unsigned kReceived = 512; // vertices that a block can send to another one in a level
constexpr unsigned kNarrow = 32;    // edges of a vertex, at most
constexpr unsigned kLanesPerVertex = 2;
constexpr unsigned kEdgesAtOnce = 2; // of a thread
constexpr unsigned kMaxWarps = 1024 / kLanes;
constexpr unsigned kTooLarge = 1U << 31; // in LevelHeader::edges
constexpr unsigned kWordBits = 32;

// What a block says to another one of a level.
struct alignas(sizeof(uint2)) LevelHeader {
    unsigned vertices; // that it has sent to that block
    unsigned edges;    // that it has followed, to any block; with kTooLarge, if it could not follow all
};

// The shared memory of a block. What has two sides is used in turn: one is read, and the other is written for the next turn.
struct ClusterShared {
    unsigned received[2][kClusterBlocks][kReceived]; // by the block that has sent it
    LevelHeader headers[2][kClusterBlocks];
    unsigned sent[2][kClusterBlocks]; // vertices, by the block that receives them
    unsigned wide[2];                 // not 0: a vertex has more than kNarrow edges
    uint2 fresh[kMaxWarps][kLanes];   // by warp: the first edge of each vertex that is new, and the end of its edges
    MessageBarrier barriers[2];
    ItemsAndBlocks place; // append_vertices()
    unsigned staged;      // vertices of a level that is too large
};

// A block of the cluster.
struct ClusterSearch {
    const GraphSearch& search;
    ClusterShared& shared;
    unsigned* bits; // of the vertices of this block that the cluster has reached; null: there is no room for them
    unsigned rank;
    unsigned lane = threadIdx.x % kLanes;
    unsigned warp = threadIdx.x / kLanes;
    unsigned warps = blockDim.x / kLanes;

    // Of 256 consecutive vertices each block owns 32, which share a word of its bits. Vertices that are 32 apart have different owners; a
    // hash decides which, so that the neighbours of a block's vertices are spread evenly over the blocks in regular graphs too.
    __device__ static unsigned owner_of(unsigned vertex)
    {
        unsigned hash = (word_of(vertex) * kWordBits + vertex % kWordBits) * 0x9E3779B1U;
        hash = (hash ^ hash >> 15) * 0x85EBCA6BU;
        return (vertex / kWordBits ^ hash >> (32 - kLogClusterBlocks)) % kClusterBlocks;
    }
    // The word of the bit, in the block of the vertex.
    __device__ static unsigned word_of(unsigned vertex) { return vertex / (kWordBits * kClusterBlocks); }

    // Whether the vertex, which belongs to this block, is reached for the first time. Its distance may be from before this kernel. Only
    // this block writes it here, and all its threads agree by the bit, or by the atomic operation on the distance.
    __device__ bool is_first(unsigned vertex, unsigned level, unsigned distance) const
    {
        if (bits == nullptr)
            return atomicCAS(&search.task.distance[vertex], kUnreached, level) == kUnreached;
        const unsigned mask = 1U << vertex % kWordBits;
        if ((atomicOr(&bits[word_of(vertex)], mask) & mask) != 0 || distance != kUnreached)
            return false;
        store_relaxed(&search.task.distance[vertex], level);
        return true;
    }

    // Sends the vertices to their owners, for the turn of this parity. All atomic operations are under way before the first result
    // is needed.
    __device__ void send(unsigned side, const unsigned (&vertices)[kEdgesAtOnce],
                         const bool (&has)[kEdgesAtOnce]) const
    {
        unsigned places[kEdgesAtOnce];
        for (unsigned item = 0; item < kEdgesAtOnce; ++item)
            places[item] = has[item] ? atomicAdd(&shared.sent[side][owner_of(vertices[item])], 1U) : kReceived;
        for (unsigned item = 0; item < kEdgesAtOnce; ++item) {
            if (places[item] >= kReceived)
                continue; // or the level is too large, which sent[] says
            const unsigned owner = owner_of(vertices[item]);
            send_message(address_in_block(shared_address(&shared.received[side][rank][places[item]]), owner),
                         vertices[item], address_in_block(shared_address(&shared.barriers[side]), owner));
        }
    }

    // Follows the edges of the warp's new vertices.
    __device__ void follow_fresh(unsigned side, unsigned count) const
    {
        __syncwarp();
        for (unsigned index = lane / kLanesPerVertex; index < count; index += kLanes / kLanesPerVertex) {
            const auto [first, end] = shared.fresh[warp][index];
            for (unsigned edge = first + lane % kLanesPerVertex; edge < end; edge += kEdgesAtOnce * kLanesPerVertex) {
                unsigned vertices[kEdgesAtOnce]{};
                bool has[kEdgesAtOnce];
                for (unsigned item = 0; item < kEdgesAtOnce; ++item) {
                    has[item] = edge + item * kLanesPerVertex < end;
                    if (has[item])
                        vertices[item] = search.task.ends[edge + item * kLanesPerVertex];
                }
                send(side, vertices, has);
            }
        }
        __syncwarp();
    }

    // Follows the edges of a vertex per thread, if it is new. kUnreached stands for no vertex, and in the list for one that the next level
    // does not need.
    __device__ void follow(unsigned turn, unsigned level, unsigned& vertex_in_list, bool has) const
    {
        const GraphTask& task = search.task;
        const unsigned vertex = has ? vertex_in_list : 0;
        // These loads do not depend on each other, nor on the test of the vertex.
        const unsigned first = has ? task.starts[vertex] : 0;
        const unsigned end = has ? task.starts[vertex + 1] : 0;
        const unsigned distance = has ? load_relaxed(&task.distance[vertex]) : 0;
        bool is_new = has && (turn == 0 || is_first(vertex, level, distance));
        is_new = is_new && first != end;
        if (has && !is_new)
            vertex_in_list = kUnreached;
        const unsigned side = 1 - turn % 2;
        if (is_new && end - first > kNarrow) {
            atomicOr(&shared.wide[side], 1U);
            is_new = false;
        }
        const unsigned mask = __ballot_sync(0xFFFFFFFFU, is_new);
        if (is_new)
            shared.fresh[warp][__popc(mask & ((1U << lane) - 1))] = {first, end};
        follow_fresh(side, static_cast<unsigned>(__popc(mask)));
    }

    // The vertices that were received for this turn. A warp has vertices of one sender.
    __device__ void follow_received(unsigned turn, unsigned level) const
    {
        const unsigned groups = warps < kClusterBlocks ? 1 : warps / kClusterBlocks;
        for (unsigned unit = warp; unit < groups * kClusterBlocks; unit += warps) {
            const unsigned sender = unit % kClusterBlocks;
            const unsigned count = shared.headers[turn % 2][sender].vertices;
            for (unsigned base = unit / kClusterBlocks * kLanes; base < count; base += groups * kLanes)
                follow(turn, level, shared.received[turn % 2][sender][(base + lane) % kReceived],
                       base + lane < count);
        }
    }

    // By the first warp, after a barrier of the block: says to each block what it was sent.
    __device__ void end_turn(unsigned turn) const
    {
        const unsigned side = 1 - turn % 2;
        const unsigned count = lane < kClusterBlocks ? shared.sent[side][lane] : 0;
        const unsigned edges = __reduce_add_sync(0xFFFFFFFFU, count);
        const bool too_large = __any_sync(0xFFFFFFFFU, count > kReceived) != 0 || shared.wide[side] != 0;
        if (lane < kClusterBlocks)
            shared.sent[1 - side][lane] =
                0; // of the turn before; all have read it. The next turn sees this by its barrier
        if (lane == 0)
            shared.wide[1 - side] = 0;
        __syncwarp();
        if (lane < kClusterBlocks) {
            const unsigned sent = count < kReceived ? count : kReceived;
            const unsigned barrier = address_in_block(shared_address(&shared.barriers[side]), lane);
            send_message(address_in_block(shared_address(&shared.headers[side][rank]), lane),
                         uint2{sent, edges | (too_large ? kTooLarge : 0)}, barrier);
            end_messages(barrier, static_cast<unsigned>(sizeof(LevelHeader) + sent * sizeof(unsigned)));
        }
    }

    // What all blocks say of this turn, to every warp. All blocks get the same.
    __device__ LevelHeader wait_for_all(unsigned turn) const
    {
        wait_for_messages(shared.barriers[turn % 2], (turn - 1) / 2);
        const LevelHeader header = lane < kClusterBlocks ? shared.headers[turn % 2][lane] : LevelHeader{};
        const unsigned edges = __reduce_add_sync(0xFFFFFFFFU, header.edges & ~kTooLarge);
        return {header.vertices,
                edges | (__any_sync(0xFFFFFFFFU, (header.edges & kTooLarge) != 0) != 0 ? kTooLarge : 0)};
    }

    // Before a barrier of the cluster. The block has every eighth vertex of the list of the search, as if it had received it.
    __device__ void begin(const GraphSearchPlan& now, unsigned words) const
    {
        const unsigned tid = threadIdx.x;
        for (unsigned word = tid; word < words; word += blockDim.x)
            bits[word] = 0;
        if (tid < 2) {
            shared.wide[tid] = 0;
            begin_messages(shared.barriers[tid], kClusterBlocks);
        }
        if (tid == 0)
            shared.staged = 0;
        const unsigned own = (now.items + kClusterBlocks - 1 - rank) / kClusterBlocks;
        if (tid < kClusterBlocks) {
            shared.sent[0][tid] = 0;
            shared.sent[1][tid] = 0;
            shared.headers[0][tid] = {(own + kClusterBlocks - 1 - tid) / kClusterBlocks, 0};
        }
        for (unsigned index = tid; index < own; index += blockDim.x)
            shared.received[0][index % kClusterBlocks][index / kClusterBlocks] =
                search.lists[now.list][index * kClusterBlocks + rank].vertex;
    }

    // The vertices of the level before this turn go to the next list of the search. All threads call it.
    __device__ void append_level(const GraphSearchPlan& now, unsigned turn) const
    {
        unsigned* const kept =
            shared.received[turn % 2][0]; // which is not needed: the next step follows the same edges
        for (unsigned index = threadIdx.x; index < kClusterBlocks * kReceived; index += blockDim.x) {
            const unsigned sender = index / kReceived;
            if (index % kReceived >= shared.headers[1 - turn % 2][sender].vertices)
                continue;
            const unsigned vertex = shared.received[1 - turn % 2][sender][index % kReceived];
            if (vertex != kUnreached)
                kept[atomicAdd(&shared.staged, 1U)] = vertex;
        }
        __syncthreads();
        append_vertices(search, 1 - now.list, shared, shared.staged, [&](unsigned index) { return kept[index]; });
    }
};
static_assert(kSmallVertices <= kClusterBlocks * kClusterBlocks * kReceived);

// One cluster: levels until one is too large, or none is left. Its last block plans the next step. The dynamic shared memory has
// `words` words for the bits of the block's vertices; 0: they have no bits.
__global__ void LAUNCH_BOUNDS(1024, 1) search_in_cluster(GraphSearch search, unsigned words)
{
#if __CUDA_ARCH__ >= 900
    BLOCK_SHARED(ClusterShared, shared, 1);
    DYNAMIC_SHARED(unsigned, bits);
    const auto cluster = cooperative_groups::this_cluster();
    const ClusterSearch block{search, shared[0], words == 0 ? nullptr : bits, cluster.block_rank()};
    const GraphSearchPlan now = search.state->plan;
    block.begin(now, words);
    cluster.sync(); // no message may arrive before the barriers are there
    unsigned long long looked = 0;
    unsigned turn = 0;
    for (;; ++turn) {
        if (turn != 0) {
            const unsigned edges = block.wait_for_all(turn).edges;
            if (edges == 0 || (edges & kTooLarge) != 0)
                break;
            looked += edges;
        }
        block.follow_received(turn, now.level + turn);
        __syncthreads(); // all vertices have been sent
        if (threadIdx.x < kLanes)
            block.end_turn(turn);
    }
    block.append_level(now, turn);
    cluster.sync(); // no block writes to the shared memory of another any more
    if (block.rank == 0 && threadIdx.x == 0)
        atomicAdd(&search.task.totals->work, looked);
    if (block_arrives_last(&search.state->arrived, kClusterBlocks) && threadIdx.x == 0)
        GraphSteps<false>::plan_next(search, now, now.level + turn - 1, blockDim.x);
#endif
}
#endif

struct BfsCluster {
    static constexpr StrategyInfo info{
        .name = "bfs_cluster",
        .workload = &workloads::bfs,
        .mechanisms = kOnly<Mechanism::cluster_sync>,
        .summary = "flat: a cluster of blocks does small levels, the whole device large ones",
        .hazards = "none: a block waits for the messages of all blocks of its cluster",
        .source = "CUDA C++ Programming Guide, Thread Block Clusters",
        .cuda_only = true,
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::flat;
    static constexpr bool backwards = true;

#ifdef __CUDACC__
    struct Prepared {
        GraphSearchSetup setup;
        LaunchShape shape;
        unsigned words; // for the bits of the vertices of a block
    };

    static Prepared prepare(const GraphJob& job)
    {
        const unsigned words = job.task.vertices / kClusterBlocks / kWordBits + 1;
        const bool fit = words <= Context::max_shared<search_in_cluster>() / sizeof(unsigned);
        const auto bytes = static_cast<unsigned>(fit ? words * sizeof(unsigned) : 0);
        job.context.allow_shared<search_in_cluster>(bytes);
        const LaunchShape shape{kClusterBlocks, job.point.block, bytes};
        if (!cluster_fits<search_in_cluster>(shape))
            throw Unsupported("a cluster of " + std::to_string(kClusterBlocks) + " blocks of " +
                              std::to_string(job.point.block) + " threads does not fit on this device");
        return {set_up_search(job, {.small = true, .first_small = true, .directions = true},
                              job.context.resident_blocks<search_step<false>>(job.point.block)),
                shape, fit ? words : 0};
    }

    // Waits for each step that is not done in the cluster.
    static void run(const GraphJob& job, const Prepared& prepared)
    {
        const GraphSearchSetup& setup = prepared.setup;
        GraphSearchState state{};
        state.plan.mode = job.source_edges <= kSmallEdges ? StepMode::small : StepMode::top_down;
        state.plan.blocks = setup.first_blocks;
        while (state.plan.mode != StepMode::done) {
            if (state.plan.mode == StepMode::small)
                cluster_launch<search_in_cluster>(job.context, prepared.shape, setup.search, prepared.words);
            else
                host_launch<search_step<false>>(job.context, 0, {state.plan.blocks, job.point.block}, setup.search);
            job.context.read(std::span(&state, 1), setup.state, 0);
        }
    }
#endif
};

const Register<BfsCluster, GraphRoom> bfs_cluster;

} // namespace nestbed::inline NESTBED_BACKEND
