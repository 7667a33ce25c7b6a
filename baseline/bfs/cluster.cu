// bfs_cluster: breadth-first search by steps of the host, where a cluster of thread blocks does levels that are small, one after
// another: more than one block can in the same time, without a launch. CUDA only.
//
//     cluster: each vertex has an owner, the block that alone tests and sets its bit and its distance
//         every block follows the edges of its new vertices, collects where they lead, and stores it in the shared memory of the owners
//         a barrier in the memory of each owner counts what has arrived; when all has, its next level begins
//     a level that is too large: one grid of the whole device, as in bfs_direction (top-down or bottom-up)
//
// A level takes two reads from memory, one after the other (where the edges of a vertex are, and where they lead), and one message.
// Launches: none from the device; one from the host for each large level, and for small ones that follow each other.
// Hazards: none. A block continues when the messages of all blocks have arrived. It ends only when no message to it is under way.
// Source: CUDA C++ Programming Guide, "Thread Block Clusters", "Distributed Shared Memory"; PTX ISA, "st.async"; Beamer, Asanovic,
// Patterson, SC 2012; bitmaps, Merrill, Garland, Grimshaw, PPoPP 2012.
#include "workloads/bfs/graph_steps.hpp"

#ifdef __CUDACC__
#include "device/cuda/cluster_messages.cuh"
#include "device/cuda/cuda_levels.cuh"

#include <cooperative_groups.h>
#endif

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
constexpr unsigned kReceived = 4096; // vertices that a block can receive in a level: an equal part from each block
constexpr unsigned kNarrow = 32;     // edges of a vertex, at most
constexpr unsigned kEdgesAtOnce = 4; // of a thread
constexpr unsigned kTooLarge = 1U << 31; // in LevelHeader::edges
constexpr unsigned kVerticesPerMessage = sizeof(uint4) / sizeof(unsigned);
constexpr unsigned kLogWordBits = 5;

// What a block tells another block about a level.
struct alignas(sizeof(uint2)) LevelHeader {
    unsigned vertices; // sent to that block
    unsigned edges;    // followed, to any block; with kTooLarge, if it could not follow all
};

// The shared memory of a block. What has two sides is used in turn: one is read, and the other is written for the next turn.
struct ClusterShared {
    alignas(uint4) unsigned received[2][kReceived];  // by the block that has sent it
    alignas(uint4) unsigned collected[2][kReceived]; // to be sent, by the block that receives it
    LevelHeader headers[2][kMaxClusterBlocks];
    unsigned sent[2][kMaxClusterBlocks]; // vertices, by the block that receives them
    unsigned wide[2];                    // not 0: a vertex has more than kNarrow edges
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
    unsigned log_blocks;
    bool first; // no vertex but the source was reached before this kernel
    unsigned blocks = 1U << log_blocks;
    unsigned room = kReceived >> log_blocks; // for the vertices from one block to another
    unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes, warps = blockDim.x / kLanes;
    unsigned groups = warps >> log_blocks == 0 ? 1 : warps >> log_blocks; // of one warp per block of the cluster

    // Of 32 * blocks consecutive vertices each block owns 32, which share a word of its bits. In them, vertices 32 apart have different owners.
    // A hash decides which, so that the neighbours of a block's vertices are spread evenly over the blocks in regular graphs too.
    __device__ unsigned owner_of(unsigned vertex) const
    {
        unsigned hash = (word_of(vertex) << kLogWordBits | bit_of(vertex)) * 0x9E3779B1U;
        hash = (hash ^ hash >> 15) * 0x85EBCA6BU;
        return (vertex >> kLogWordBits ^ hash >> (32 - log_blocks)) & (blocks - 1);
    }
    // The word of the bit, in the block of the vertex.
    __device__ unsigned word_of(unsigned vertex) const { return vertex >> (kLogWordBits + log_blocks); }
    __device__ static unsigned bit_of(unsigned vertex) { return vertex % (1U << kLogWordBits); }

    // Whether the vertex, which belongs to this block, is reached for the first time. `distance` was read
    // before the test: it is not kUnreached if an earlier kernel reached the vertex. What this block reaches has its bit before its distance.
    __device__ bool is_first(unsigned vertex, unsigned level, unsigned distance) const
    {
        if (bits == nullptr)
            return atomicCAS(&search.task.distance[vertex], kUnreached, level) == kUnreached;
        const unsigned mask = 1U << bit_of(vertex);
        return (atomicOr(&bits[word_of(vertex)], mask) & mask) == 0 && distance == kUnreached;
    }
    __device__ void set_distance(unsigned vertex, unsigned level) const
    {
        if (vertex != kUnreached)
            store_relaxed(&search.task.distance[vertex], level);
    }

    // Collects the vertices for their owners. All atomic operations are under way before the first result is needed.
    __device__ void collect(unsigned side, const unsigned (&vertices)[kEdgesAtOnce],
                            const bool (&has)[kEdgesAtOnce]) const
    {
        unsigned owners[kEdgesAtOnce];
        unsigned places[kEdgesAtOnce];
        for (unsigned item = 0; item < kEdgesAtOnce; ++item) {
            owners[item] = owner_of(vertices[item]);
            places[item] = has[item] ? atomicAdd(&shared.sent[side][owners[item]], 1U) : room;
        }
        for (unsigned item = 0; item < kEdgesAtOnce; ++item)
            if (places[item] < room) // or the level is too large, which sent[] says
                shared.collected[side][owners[item] * room + places[item]] = vertices[item];
    }

    __device__ void follow_edges_of(unsigned side, unsigned edge, unsigned end) const
    {
        for (; edge < end; edge += kEdgesAtOnce) {
            unsigned vertices[kEdgesAtOnce]{};
            bool has[kEdgesAtOnce];
            for (unsigned item = 0; item < kEdgesAtOnce; ++item) {
                has[item] = edge + item < end;
                if (has[item])
                    vertices[item] = search.task.ends[edge + item];
            }
            collect(side, vertices, has);
        }
    }

    // Follows the edges of a vertex, if it is new. Sets it to kUnreached in the list if the next level does not need it. Returns it if its
    // distance must be set, or kUnreached.
    __device__ unsigned follow(unsigned turn, unsigned level, unsigned& vertex_in_list) const
    {
        const GraphTask& task = search.task;
        const unsigned vertex = vertex_in_list;
        // These loads do not depend on each other, nor on the test of the vertex.
        const unsigned begin = task.starts[vertex];
        const unsigned end = task.starts[vertex + 1];
        const unsigned distance = first || turn == 0 ? kUnreached : load_relaxed(&task.distance[vertex]);
        const bool is_new = turn == 0 || is_first(vertex, level, distance);
        if (!is_new || begin == end)
            vertex_in_list = kUnreached;
        if (!is_new)
            return kUnreached;
        if (end - begin > kNarrow)
            atomicOr(&shared.wide[1 - turn % 2], 1U);
        else
            follow_edges_of(1 - turn % 2, begin, end);
        return turn == 0 || bits == nullptr ? kUnreached : vertex;
    }

    // The vertices that were received for this turn. Each pass of a warp has vertices of one sender. Returns the thread's last vertex if its distance
    // must still be set, or kUnreached.
    __device__ unsigned follow_received(unsigned turn, unsigned level) const
    {
        unsigned last = kUnreached;
        for (unsigned unit = warp; unit < groups << log_blocks; unit += warps) {
            const unsigned sender = unit & (blocks - 1);
            const unsigned count = shared.headers[turn % 2][sender].vertices;
            unsigned* const list = &shared.received[turn % 2][sender * room];
            for (unsigned index = (unit >> log_blocks) * kLanes + lane; index < count; index += groups * kLanes) {
                set_distance(last, level);
                last = follow(turn, level, list[index]);
            }
        }
        return last;
    }

    // After a barrier of the block. The first warp says to each block what it is sent (send_headers); meanwhile all warps send it.
    __device__ void end_turn(unsigned turn) const
    {
        const unsigned side = 1 - turn % 2;
        if (warp == 0)
            send_headers(side);
        for (unsigned unit = warp; unit < groups << log_blocks; unit += warps) {
            const unsigned owner = unit & (blocks - 1);
            const unsigned count = min(shared.sent[side][owner], room);
            const unsigned barrier = address_in_block(shared_address(&shared.barriers[side]), owner);
            for (unsigned index = ((unit >> log_blocks) * kLanes + lane) * kVerticesPerMessage; index < count;
                 index += groups * kLanes * kVerticesPerMessage)
                send_message(address_in_block(shared_address(&shared.received[side][rank * room + index]), owner),
                             *reinterpret_cast<const uint4*>(&shared.collected[side][owner * room + index]), barrier);
        }
    }

    __device__ void send_headers(unsigned side) const
    {
        const unsigned count = lane < blocks ? shared.sent[side][lane] : 0;
        const unsigned edges = __reduce_add_sync(0xFFFFFFFFU, count);
        const bool too_large = __any_sync(0xFFFFFFFFU, count > room) != 0 || shared.wide[side] != 0;
        if (lane < blocks) // of the turn before; all have read it. The next turn sees this by its barrier
            shared.sent[1 - side][lane] = 0;
        if (lane == 0)
            shared.wide[1 - side] = 0;
        __syncwarp();
        if (lane < blocks) {
            const unsigned sent = min(count, room);
            const unsigned messages = (sent + kVerticesPerMessage - 1) / kVerticesPerMessage;
            const unsigned barrier = address_in_block(shared_address(&shared.barriers[side]), lane);
            send_message(address_in_block(shared_address(&shared.headers[side][rank]), lane),
                         uint2{sent, edges | (too_large ? kTooLarge : 0)}, barrier);
            end_messages(barrier, static_cast<unsigned>(sizeof(LevelHeader) + messages * sizeof(uint4)));
        }
    }

    // The edges that all blocks have followed for this turn, to every warp. All blocks get the same.
    __device__ unsigned wait_for_all(unsigned turn) const
    {
        wait_for_messages(shared.barriers[turn % 2], (turn - 1) / 2);
        const unsigned edges = lane < blocks ? shared.headers[turn % 2][lane].edges : 0;
        const bool too_large = __any_sync(0xFFFFFFFFU, (edges & kTooLarge) != 0) != 0;
        return __reduce_add_sync(0xFFFFFFFFU, edges & ~kTooLarge) | (too_large ? kTooLarge : 0);
    }

    // Before a barrier of the cluster. The blocks divide the list of the search, as if they had received it.
    __device__ void begin(const GraphSearchPlan& now, unsigned words) const
    {
        const unsigned tid = threadIdx.x;
        const unsigned source = search.task.source;
        const unsigned source_word = owner_of(source) == rank ? word_of(source) : words;
        for (unsigned word = tid; word < words; word += blockDim.x)
            bits[word] = word == source_word ? 1U << bit_of(source) : 0;
        if (tid < 2) {
            shared.wide[tid] = 0;
            begin_messages(shared.barriers[tid], blocks);
        }
        if (tid == 0)
            shared.staged = 0;
        const unsigned own = (now.items + blocks - 1 - rank) >> log_blocks;
        if (tid < blocks) {
            shared.sent[0][tid] = 0;
            shared.sent[1][tid] = 0;
            shared.headers[0][tid] = {(own + blocks - 1 - tid) >> log_blocks, 0};
        }
        for (unsigned index = tid; index < own; index += blockDim.x)
            shared.received[0][(index & (blocks - 1)) * room + (index >> log_blocks)] =
                search.lists[now.list][index * blocks + rank].vertex;
    }

    // The vertices of the last level, whose edges are followed again, go to the next list of the search. All threads call it.
    __device__ void append_level(const GraphSearchPlan& now, unsigned turn) const
    {
        unsigned* const kept = shared.received[turn % 2]; // which is not needed: the next step follows the same edges
        for (unsigned index = threadIdx.x; index < kReceived; index += blockDim.x) {
            if (index % room >= shared.headers[1 - turn % 2][index / room].vertices)
                continue;
            const unsigned vertex = shared.received[1 - turn % 2][index];
            if (vertex != kUnreached)
                kept[atomicAdd(&shared.staged, 1U)] = vertex;
        }
        __syncthreads();
        append_vertices(
            search, 1 - now.list, shared, shared.staged, [&](unsigned index) { return kept[index]; },
            [](unsigned, unsigned) { return true; });
    }
};
static_assert(kSmallVertices <= kReceived && kMaxClusterBlocks * kReceived * kNarrow < kTooLarge);

// One cluster: levels until one is too large, whose edges the next step follows and counts, or none is left. Its last block plans that
// step. The dynamic shared memory has a ClusterShared, and `words` words for the bits of the block's vertices; 0: they have no bits.
__global__ void LAUNCH_BOUNDS(1024, 1) search_in_cluster(GraphSearch search, unsigned log_blocks, unsigned words)
{
#if __CUDA_ARCH__ >= 900
    DYNAMIC_SHARED(ClusterShared, shared);
    const auto cluster = cooperative_groups::this_cluster();
    const GraphSearchPlan now = search.state->plan;
    const ClusterSearch block{search,
                              *shared,
                              words == 0 ? nullptr : reinterpret_cast<unsigned*>(shared + 1),
                              cluster.block_rank(),
                              log_blocks,
                              now.level == 0};
    block.begin(now, words);
    cluster.sync(); // no message may arrive before the barriers are there
    unsigned long long looked = 0;
    unsigned turn = 0;
    for (unsigned last = kUnreached;; ++turn) {
        if (turn != 0) {
            const unsigned edges = block.wait_for_all(turn);
            block.set_distance(last, now.level + turn - 1); // only now: the release in end_turn() would wait for it
            if (edges == 0 || (edges & kTooLarge) != 0)
                break;
            looked += edges;
        }
        last = block.follow_received(turn, now.level + turn);
        __syncthreads(); // all vertices have been collected
        block.end_turn(turn);
    }
    block.append_level(now, turn);
    cluster.sync(); // no block ends before another that may still write to it
    if (block.rank == 0 && threadIdx.x == 0)
        atomicAdd(&search.task.totals->work, looked);
    if (block_arrives_last(&search.state->arrived, block.blocks) && threadIdx.x == 0)
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
        .source = "CUDA C++ Programming Guide, Thread Block Clusters; PTX ISA, st.async",
        .cuda_only = true,
        .waits = true,
    };
    static constexpr GraphForm form = GraphForm::flat;
    static constexpr bool backwards = true;

#ifdef __CUDACC__
    struct Prepared {
        GraphSearchSetup setup;
        LaunchShape shape;
        unsigned log_blocks;
        unsigned words; // for the bits of the vertices of a block
    };

    // 16 blocks, if the device has room for them: every device with clusters has room for 8 of the usual size.
    static Prepared prepare(const GraphJob& job)
    {
        const std::size_t max_bytes = Context::max_shared<search_in_cluster>();
        for (const unsigned log_blocks : {4U, 3U}) {
            const unsigned words = (job.task.vertices >> (kLogWordBits + log_blocks)) + 1;
            const bool fit = sizeof(ClusterShared) + words * sizeof(unsigned) <= max_bytes;
            const auto bytes = static_cast<unsigned>(sizeof(ClusterShared) + (fit ? words * sizeof(unsigned) : 0));
            job.context.allow_shared<search_in_cluster>(bytes);
            const LaunchShape shape{1U << log_blocks, job.point.block, bytes};
            if (cluster_fits<search_in_cluster>(shape))
                return {set_up_search(job, {.small = true, .first_small = true, .directions = true},
                                      job.context.resident_blocks<search_step<false>>(job.point.block)),
                        shape, log_blocks, fit ? words : 0};
        }
        throw Unsupported("a cluster of 8 blocks of " + std::to_string(job.point.block) +
                          " threads does not fit on this device");
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
                cluster_launch<search_in_cluster>(job.context, prepared.shape, setup.search, prepared.log_blocks,
                                                  prepared.words);
            else
                host_launch<search_step<false>>(job.context, 0, {state.plan.blocks, job.point.block}, setup.search);
            job.context.read(std::span(&state, 1), setup.state, 0);
        }
    }
#endif
};

const Register<BfsCluster, GraphTraits> bfs_cluster;

} // namespace nestbed::inline NESTBED_BACKEND
