// bfs_bitmap: breadth-first search in one grid, with a bit for every vertex that has been reached.
//
//     list: ranges of at most 64 edges; the edges of the vertices of a level
//     repeat: block 0 does levels with few edges alone; the others wait
//         top-down: 8 threads follow a range. What an atomic OR sets first in the bitmap is reached; its edges go to the next list
//             (a level of very many edges makes no list: the next one is bottom-up)
//         bottom-up: each thread has 4 vertices; it looks for the first edge from a vertex whose bit was set before the level, and
//             a warp writes each word of the next bitmap without an atomic operation
//             (the vertices found go to the next list, unless a block finds too many: then the next level is bottom-up, too)
//         all blocks wait for each other
//
// Launches: none from the device; one cooperative launch from the host, with as many blocks as fit the device. On the executor
// the grid has one block.
// Hazards: none. All blocks are resident. A level reads what the levels before it wrote, except for bits, which are only set.
// Source: Beamer, Asanovic, Patterson, "Direction-Optimizing Breadth-First Search", SC 2012; bitmaps and small levels in one
// block, Merrill, Garland, Grimshaw, PPoPP 2012.
#include "workloads/bfs/graph_bits.hpp"

#include <array>

namespace nestbed::inline NESTBED_BACKEND
{

// Small levels, by one block. Returns the number of the level whose list it leaves in search.lists, if it leaves one.
__device__ inline BitLevel follow_small(const BitSearch& search, BitLevel now, bool is_first, const EdgeRange* list,
                                        EdgeRange* next_list, unsigned* bits, BitShared& shared)
{
    const GraphTask& task = search.task;
    EdgeRange* current = shared.ranges;
    EdgeRange* following = shared.ranges + kFewRanges;
    auto ranges = static_cast<unsigned>(now.list >> kItemsShift);
    auto edges = static_cast<unsigned>(now.list);
    for (unsigned index = threadIdx.x; index < ranges; index += blockDim.x)
        current[index] = is_first ? EdgeRange{task.starts[task.source] + index * kRangeEdges,
                                              edges - index * kRangeEdges < kRangeEdges ? edges - index * kRangeEdges
                                                                                        : kRangeEdges}
                                  : list[index];
    for (unsigned index = threadIdx.x; index < kHistory; index += blockDim.x)
        shared.history[index] = kUnreached;
    if (threadIdx.x < 3)
        shared.counts[threadIdx.x] = {};
    __syncthreads();
    for (unsigned turn_of = 0;; turn_of = (turn_of + 1) % 3) {
        auto& counts = shared.counts[turn_of];
        if (threadIdx.x == 0)
            shared.counts[(turn_of + 1) % 3] = {};
        now.unexplored -= edges;
        // As many threads for each range as have edges to follow, on average.
        const unsigned threads = edges > kNear * ranges ? kRangeThreads : 1;
        for (unsigned base = 0; base < ranges * threads; base += blockDim.x) {
            const unsigned slot = base + threadIdx.x;
            const EdgeRange range = slot < ranges * threads ? current[slot / threads] : EdgeRange{};
            const unsigned last = range.first + range.count;
            const unsigned step = kNear * threads;
            const unsigned turns = __reduce_max_sync(0xFFFFFFFFU, (range.count + step - 1) / step);
            unsigned at = range.first + slot % threads * kNear;
            for (unsigned turn = 0; turn < turns; ++turn, at += step) {
                unsigned to[kNear];
                bool has[kNear];
                EdgeRange its[kNear];
                load_four(task.ends, at, last, task.edges, to);
                unrolled<kNear>([&](unsigned near) { // a vertex that was tested lately has been reached
                    has[near] =
                        at + near < last && atomicExch(&shared.history[to[near] % kHistory], to[near]) != to[near];
                });
                unrolled<kNear>([&](unsigned near) { // while the atomic operation is under way
                    if (has[near])
                        its[near] = {task.starts[to[near]], task.starts[to[near] + 1]};
                });
                unrolled<kNear>([&](unsigned near) { has[near] = has[near] && sets_bit(bits, to[near]); });
                unsigned needs = 0;
                unsigned more = 0;
                unrolled<kNear>([&](unsigned near) {
                    if (!has[near])
                        return;
                    task.distance[to[near]] = now.level + 1;
                    its[near].count -= its[near].first;
                    more += its[near].count;
                    has[near] = its[near].count != 0;
                    needs += (its[near].count + kRangeEdges - 1) / kRangeEdges;
                });
                // Places for the ranges of the warp.
                const unsigned lane = threadIdx.x % kLanes;
                unsigned before = needs;
                unsigned place = 0;
                if (__any_sync(0xFFFFFFFFU, needs > 1) == 0) {
                    const unsigned mask = __ballot_sync(0xFFFFFFFFU, needs != 0);
                    before = static_cast<unsigned>(__popc(mask & ((1U << lane) - 1)));
                    if (lane == 0 && mask != 0)
                        place = atomicAdd(&counts.ranges, static_cast<unsigned>(__popc(mask)));
                } else {
                    for (unsigned distance = 1; distance < kLanes; distance *= 2) {
                        const unsigned lower = __shfl_up_sync(0xFFFFFFFFU, before, distance);
                        before += lane >= distance ? lower : 0;
                    }
                    const unsigned total = __shfl_sync(0xFFFFFFFFU, before, kLanes - 1);
                    before -= needs;
                    if (lane == 0)
                        place = atomicAdd(&counts.ranges, total);
                }
                place = __shfl_sync(0xFFFFFFFFU, place, 0) + before;
                add_of_warp(&counts.edges, more);
                unrolled<kNear>([&](unsigned near) {
                    for (unsigned from = 0; has[near] && from < its[near].count; from += kRangeEdges) {
                        const unsigned rest = its[near].count - from;
                        // Those that do not fit go to memory, where the whole list will be.
                        (place < kFewRanges ? following : next_list)[place] = {
                            its[near].first + from, rest < kRangeEdges ? rest : kRangeEdges};
                        ++place;
                    }
                });
            }
        }
        __syncthreads();
        ranges = counts.ranges;
        edges = counts.edges;
        ++now.level;
        if (ranges == 0 || ranges > kFewRanges || edges > kFewEdges)
            break;
        EdgeRange* const swapped = current;
        current = following;
        following = swapped;
    }
    for (unsigned index = threadIdx.x; index < ranges && index < kFewRanges; index += blockDim.x)
        next_list[index] = following[index];
    now.list = ItemsAndBlocks{ranges} << kItemsShift | edges;
    now.found = ranges;
    return now;
}

__global__ void LAUNCH_BOUNDS(1024) search_by_bits(BitSearch search)
{
    BLOCK_SHARED(BitShared, shared, 1);
    if (threadIdx.x == 0) {
        shared[0].staged = 0;
        shared[0].found = 0;
    }
    __syncthreads();
    unsigned awaited = 0;
    unsigned* bits = search.bits[0];
    unsigned* other_bits = search.bits[1];
    EdgeRange* list = search.lists[0];
    EdgeRange* next_list = search.lists[1];
    StepMode before = StepMode::small;
    for (unsigned step = 0;; ++step) {
        const BitLevel now = search.levels[step % 3];
        BitLevel& next = search.levels[(step + 1) % 3];
        const auto ranges = static_cast<unsigned>(now.list >> kItemsShift);
        const auto edges = static_cast<unsigned>(now.list);
        if (now.found == 0 || (now.no_list == 0 && ranges == 0))
            return;
        if (blockIdx.x == 0 && threadIdx.x == 0)
            search.levels[(step + 2) % 3] = {};
        // The switch of bfs_direction, but that a level without a list is bottom-up.
        const LevelStep direction = step_of_level(before, before == StepMode::bottom_up ? now.found : ranges, edges,
                                                  now.unexplored, search.task.vertices, false, true);
        before = now.no_list != 0 ? StepMode::bottom_up : direction.mode;
        if (now.no_list == 0 && ranges <= kFewRanges && edges <= kFewEdges) {
            before = StepMode::small;
            if (blockIdx.x == 0) {
                const BitLevel left = follow_small(search, now, step == 0, list, next_list, bits, shared[0]);
                if (threadIdx.x == 0)
                    next = left;
            }
        } else {
            if (before == StepMode::bottom_up) {
                look_from_below(search, now, next_list, bits, other_bits, next, shared[0]);
                unsigned* const read = bits;
                bits = other_bits;
                other_bits = read;
            } else {
                const bool makes_list = edges <= search.task.vertices / 4;
                follow_list(search, now, step == 0, list, next_list, bits, makes_list, next, shared[0]);
                if (!makes_list && threadIdx.x == 0)
                    store_relaxed(&next.no_list, 1);
            }
            __syncthreads();
            if (threadIdx.x == 0) {
                if (shared[0].found != 0)
                    atomicAdd(&next.found, shared[0].found);
                shared[0].found = 0;
                shared[0].staged = 0;
                store_relaxed(&next.level, now.level + 1);
                store_relaxed(&next.unexplored, now.unexplored - edges);
            }
        }
        EdgeRange* const followed = list;
        list = next_list;
        next_list = followed;
        all_blocks_arrive(search.arrived, awaited);
    }
}

struct BfsBitmap {
    static constexpr StrategyInfo info{
        .name = "bfs_bitmap",
        .workload = &workloads::bfs,
        .summary =
            "flat: one cooperative grid for all levels, top-down or bottom-up by a bit per vertex; small ones in one "
            "block",
        .hazards = "none: all blocks are resident and wait for each other",
        .source = "Beamer, Asanovic, Patterson, SC 2012",
    };
    static constexpr GraphForm form = GraphForm::flat;
    static constexpr bool backwards = true;

    struct Prepared {
        std::array<Buffer<unsigned>, 2> bits;
        Buffer<unsigned> closed, arrived;
        std::array<Buffer<EdgeRange>, 2> lists;
        Buffer<BitLevel> levels;
        BitSearch search;
        LaunchShape shape;
    };

    static Prepared prepare(const GraphJob& job)
    {
        const GraphTask& task = job.task;
        const std::size_t words = task.vertices / kWordBits + 1;
        Prepared prepared{};
        const auto make = [&]<class T>(Buffer<T>& buffer, std::size_t count, std::string_view name) {
            buffer = job.context.allocate<T>(count, name);
            job.context.fill_bytes(buffer, 0, count);
            job.bytes += count * sizeof(T);
            return buffer.data();
        };
        BitSearch& search = prepared.search;
        search.task = task;
        for (unsigned side = 0; side < 2; ++side) {
            search.bits[side] = make(prepared.bits[side], words, side == 0 ? "even_bits" : "odd_bits");
            search.lists[side] = make(prepared.lists[side], task.vertices + task.edges / kRangeEdges + 1,
                                      side == 0 ? "even_list" : "odd_list");
        }
        search.closed = make(prepared.closed, words, "closed");
        search.levels = make(prepared.levels, 3, "levels");
        search.arrived = make(prepared.arrived, 1, "arrived");
        std::vector<unsigned> reached(task.source / kWordBits + 1, 0);
        reached.back() = 1U << task.source % kWordBits;
        job.context.upload(prepared.bits[0], std::span<const unsigned>(reached));
        const unsigned ranges = (job.source_edges + kRangeEdges - 1) / kRangeEdges;
        const BitLevel start{.list = ItemsAndBlocks{ranges} << kItemsShift | job.source_edges,
                             .found = 1,
                             .no_list = 0,
                             .level = 0,
                             .unexplored = task.edges};
        job.context.upload(prepared.levels, std::span<const BitLevel>(&start, 1));
        const std::uint32_t blocks =
            kBackend == BackendKind::cpu ? 1 : job.context.resident_blocks<search_by_bits>(job.point.block);
        prepared.shape = {blocks, job.point.block};
        return prepared;
    }

    static void run(const GraphJob& job, const Prepared& prepared)
    {
#ifdef __CUDACC__
        cooperative_launch<search_by_bits>(job.context, prepared.shape, prepared.search);
#else
        host_launch<search_by_bits>(job.context, 0, prepared.shape, prepared.search);
#endif
    }
};

const Register<BfsBitmap, GraphTraits> bfs_bitmap;

} // namespace nestbed::inline NESTBED_BACKEND
