// search_surplus: tree search by blocks that stay resident, each with a stack; those with more nodes than threads give nodes away.
//
//     each block begins with an equal part of the root's children on its stack, which is in shared memory
//     each block, in steps, until no block has nodes:
//         thread: take an entry, visit a node; its children go on the stack
//         few nodes: ask, by a bit in memory, and go on; without nodes, wait
//         more nodes than threads: take back the bit of a block that asks, and send it half of the nodes
//         a full stack: keep 256 entries in memory until there is room again (if that is full, too, threads search alone)
//     messages are under way while the threads compute hashes: one thread asks for them at the begin of a step and looks at its end
//
// Launches: none from the device; one from the host.
// Hazards: none. A parcel is written before its count, with release order; only the block that took back the bit writes it. A
// counter has the blocks with nodes and the parcels under way: it grows before a parcel is sent, so it is 0 only at the end. On a
// GPU all blocks are resident; on the executor a block without nodes takes back its own bit and ends.
// Source: ours. Giving work away on demand ("work sharing"): Kumar, Grama, Vempaty, "Scalable Load Balancing Techniques for Parallel
// Computers", JPDC 1994.
#include "workloads/search/search_block.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kParcel = 256;         // entries that are sent, or kept in memory, together
inline constexpr unsigned kKept = 64;            // parcels that a block keeps in memory, at most
inline constexpr unsigned kSurplusThreads = 256; // of a block, at most: the stack has room for two entries from each

// Entries where there is one for all children of a parent, in the upper bits, and where there is one for each. So many that there
// is no room for them count as kTooMany.
inline constexpr unsigned kEntriesShift = 20;
inline constexpr unsigned kNodesMask = (1U << kEntriesShift) - 1;
inline constexpr unsigned kTooMany = 2 * kSearchStack;
static_assert(kSurplusThreads * kTooMany <= kNodesMask);

struct Surplus {
    unsigned* words;   // for each block kKept parcels that it keeps, and one that it is sent
    unsigned* sent;    // for each block: entries that it is sent; 0: none
    unsigned* asking;  // a bit for each block
    unsigned* working; // blocks with nodes, and parcels under way
    unsigned root_children;
};

struct SurplusShared {
    unsigned sums[2][kLanes]; // of warps
    unsigned target;          // the block that asks, and 1
    unsigned sent;
};

// What a block does besides visiting nodes. All threads have the same values and call the functions together.
template <class Node>
struct SurplusBlock {
    static constexpr unsigned kWords = BlockStack<Node>::kNodeWords + 2; // of an entry

    Surplus pool;
    BlockStack<Node> stack;
    SurplusShared* shared;
    unsigned height, kept; // entries on the stack; parcels in memory
    bool asked;

    // The thread that reads and writes what other blocks do, in the last warp, which most often has the least to visit.
    __device__ static bool is_courier() { return threadIdx.x == blockDim.x - kLanes; }
    __device__ unsigned* parcel(unsigned block, unsigned number) const
    {
        return pool.words + (std::size_t{block} * (kKept + 1) + number) * kParcel * kWords;
    }
    // The upper `count` entries of the stack.
    __device__ void pack(unsigned* to, unsigned count)
    {
        height -= count;
        for (unsigned index = threadIdx.x; index < count; index += blockDim.x)
            for (unsigned word = 0; word < kWords; ++word)
                to[word * kParcel + index] = stack.words[word * kSearchStack + height + index];
        __syncthreads();
    }
    __device__ void unpack(const unsigned* from, unsigned count)
    {
        for (unsigned index = threadIdx.x; index < count; index += blockDim.x)
            for (unsigned word = 0; word < kWords; ++word)
                stack.words[word * kSearchStack + height + index] = from[word * kParcel + index];
        height += count;
        __syncthreads();
    }
    __device__ void ask()
    {
        asked = true;
        if (is_courier()) {
            __threadfence(); // the last parcel has been read
            set_bit(blockIdx.x);
        }
    }
    // The block asks.
    __device__ void set_bit(unsigned block) const { atomicOr(&pool.asking[block / kLanes], 1U << block % kLanes); }
    __device__ void send(unsigned target)
    {
        const unsigned count = height / 2 < kParcel ? height / 2 : kParcel;
        if (count != 0)
            pack(parcel(target, kKept), count);
        if (!is_courier())
            return;
        if (count == 0) { // the nodes had no children
            set_bit(target);
            return;
        }
        fetch_add_acq_rel(pool.working, 1);
        store_release(&pool.sent[target], count);
    }
    // `idle`: the block had no nodes, so that it was not counted as working.
    __device__ void receive(bool idle)
    {
        if (is_courier()) {
            shared->sent = load_acquire(&pool.sent[blockIdx.x]);
            store_relaxed(&pool.sent[blockIdx.x], 0);
            if (!idle)
                fetch_add_acq_rel(pool.working, 0U - 1);
        }
        __syncthreads();
        unpack(parcel(blockIdx.x, kKept), shared->sent);
        asked = false;
    }
    // Waits for nodes. False: no block has any; on the executor: none are on their way.
    __device__ bool wait()
    {
        if (kBackend == BackendKind::cpu && !asked)
            return false;
        if (!asked)
            ask();
        if (is_courier()) {
            fetch_add_acq_rel(pool.working, 0U - 1);
            unsigned* const sent = &pool.sent[blockIdx.x];
            const unsigned bit = 1U << blockIdx.x % kLanes;
            if (kBackend != BackendKind::cpu)
                while (load_acquire(sent) == 0 && load_acquire(pool.working) != 0) {
                }
            else
                while (load_acquire(sent) == 0 && (atomicAnd(&pool.asking[blockIdx.x / kLanes], ~bit) & bit) == 0)
                    __nanosleep(100);
            shared->sent = load_acquire(sent);
        }
        __syncthreads();
        const bool any = shared->sent != 0;
        __syncthreads();
        if (any)
            receive(true);
        return any;
    }
    // Makes room for two entries from each thread, or takes back what was kept. True: there is no room anywhere.
    __device__ bool balance()
    {
        const unsigned most = kSearchStack - 2 * blockDim.x;
        for (; height > most && kept < kKept && height >= kParcel; ++kept)
            pack(parcel(blockIdx.x, kept), kParcel);
        if (height < blockDim.x && kept != 0)
            unpack(parcel(blockIdx.x, --kept), kParcel);
        if (!asked && kept == 0 && height < blockDim.x / 2)
            ask();
        return height > most;
    }
};

// The sum over the threads before the caller in its block. One barrier; two arrays of sums are used in turn.
__device__ inline unsigned short_sum_before(unsigned mine, unsigned* sums, unsigned& total)
{
    const unsigned lane = threadIdx.x % kLanes;
    unsigned sum = mine;
    for (unsigned distance = 1; distance < kLanes; distance *= 2) {
        const unsigned before = __shfl_up_sync(0xFFFFFFFFU, sum, distance);
        sum += lane >= distance ? before : 0;
    }
    if (lane == kLanes - 1)
        sums[threadIdx.x / kLanes] = sum;
    __syncthreads();
    total = 0;
    for (unsigned warp = 0; warp < blockDim.x / kLanes; ++warp) {
        sum += warp < threadIdx.x / kLanes ? sums[warp] : 0;
        total += sums[warp];
    }
    return sum - mine;
}

// A bit of a word from bit `from` on, round the word; the word is not 0.
__device__ inline unsigned one_bit(unsigned word, unsigned from)
{
    const unsigned upper = word & (0xFFFFFFFFU << from % kLanes);
    const unsigned in = upper != 0 ? upper : word;
    return in & (0 - in);
}

template <class Tree>
__global__ void LAUNCH_BOUNDS(kSurplusThreads, 1) search_with_surplus(SearchTask<Tree> task, Surplus pool)
{
    using Node = typename Tree::Node;
    BLOCK_SHARED(unsigned, words, BlockStack<Node>::kWords);
    BLOCK_SHARED(SurplusShared, shared, 1);
    SurplusBlock<Node> mine{pool, {words}, shared, 0, 0, false};
    ThreadFound found{};
    if (blockIdx.x == 0 && threadIdx.x == 0)
        task.visit_root(found);
    const unsigned begin = share_start(pool.root_children, blockIdx.x, gridDim.x);
    const unsigned part = share_start(pool.root_children, blockIdx.x + 1, gridDim.x) - begin;
    const unsigned most = kSearchStack - 2 * blockDim.x;
    mine.height = part < most ? part : most;
    for (unsigned index = threadIdx.x; index < mine.height; index += blockDim.x) {
        const unsigned first = share_start(part, index, mine.height);
        mine.stack.put(index, task.tree.root(), begin + first, share_start(part, index + 1, mine.height) - first);
    }
    __syncthreads();
    unsigned place_of_asking = blockIdx.x; // the word of `asking` that the courier looks at
    unsigned asking = 0;
    for (unsigned step = 0;; ++step) {
        if (mine.height + mine.kept == 0 && !mine.wait())
            break;
        const bool serially = mine.balance();
        // Messages: their answers are needed only when the nodes have been visited.
        const bool is_courier = SurplusBlock<Node>::is_courier();
        unsigned claimed = 0;
        unsigned before_claim = 0;
        unsigned target = 0;
        unsigned sent = 0;
        if (is_courier) {
            if (asking != 0 && mine.height > blockDim.x) {
                claimed = one_bit(asking, blockIdx.x);
                before_claim = atomicAnd(&pool.asking[place_of_asking], ~claimed);
                target = place_of_asking * kLanes + static_cast<unsigned>(__ffs(static_cast<int>(claimed)));
            }
            place_of_asking = (place_of_asking + 1) % ((gridDim.x - 1) / kLanes + 1);
            asking = load_relaxed(&pool.asking[place_of_asking]);
            sent = mine.asked ? load_relaxed(&pool.sent[blockIdx.x]) : 0;
        }
        const unsigned taken = mine.height < blockDim.x ? mine.height : blockDim.x;
        SearchEntry<Node> entry{};
        Node child{};
        unsigned children = 0;
        if (threadIdx.x < taken) {
            entry = mine.stack.at(mine.height - 1 - threadIdx.x);
            children = task.visit(entry.parent, entry.first, serially, child, found);
            ++entry.first;
            --entry.count;
        }
        mine.height -= taken;
        if (is_courier) {
            shared[0].target = (before_claim & claimed) != 0 ? target : 0;
            shared[0].sent = sent;
            if (place_of_asking == blockIdx.x / kLanes)
                asking &= ~(1U << blockIdx.x % kLanes);
        }
        unsigned total = 0;
        const unsigned nodes = entry.count + children;
        const unsigned before =
            short_sum_before(((entry.count != 0 ? 1U : 0U) + (children != 0 ? 1U : 0U)) << kEntriesShift |
                                 (nodes < kTooMany ? nodes : kTooMany),
                             shared[0].sums[step % 2], total); // a barrier after the reads of the stack
        target = shared[0].target;
        sent = shared[0].sent;
        const bool single = mine.height + (total & kNodesMask) <= kSearchStack;
        const unsigned shift = single ? 0 : kEntriesShift;
        unsigned place = mine.height + (before >> shift & kNodesMask);
        place = mine.stack.put_all(place, entry.parent, entry.first, entry.count, single);
        mine.stack.put_all(place, child, 0, children, single);
        mine.height += total >> shift & kNodesMask;
        __syncthreads();
        if (target != 0)
            mine.send(target - 1);
        if (sent != 0 && mine.height + kParcel <= kSearchStack)
            mine.receive(false);
    }
    task.add_all(found);
}

struct SearchBySurplus {
    static constexpr StrategyInfo info{
        .name = "search_surplus",
        .workload = &workloads::search,
        .summary =
            "flat: resident blocks with stacks; those with more nodes than threads send some to those that ask",
        .hazards = "none: a parcel is written before its count",
        .source = "ours; sharing on demand: Kumar, Grama, Vempaty, JPDC 1994",
        .axes = {SearchParameter::cutoff},
    };
    static constexpr SearchForm form = SearchForm::flat;

    template <class Tree>
    struct Prepared {
        SearchBuffers<Tree> buffers;
        Buffer<unsigned> words, sent, asking, working;
        Surplus pool;
        LaunchShape shape;
    };

    template <class Tree>
    static Prepared<Tree> prepare(const SearchJob& job, const Tree& tree)
    {
        constexpr std::uint32_t kThreads = 128; // of a multiprocessor: as many as its integer units can keep busy
        const std::uint32_t threads = std::clamp(job.point.block, kLanes, kSurplusThreads);
        const std::uint32_t blocks =
            std::min(job.context.template resident_blocks<search_with_surplus<Tree>>(threads),
                     job.context.facts().multiprocessors * std::max(1U, kThreads / threads));
        Prepared<Tree> prepared{SearchBuffers<Tree>(job, tree, 0), {}, {}, {}, {}, {}, {blocks, threads}};
        const auto make = [&](Buffer<unsigned>& buffer, std::size_t count, std::string_view name) {
            buffer = job.context.template allocate<unsigned>(count, name);
            job.bytes += count * sizeof(unsigned);
            return buffer.data();
        };
        constexpr std::size_t kWords = SurplusBlock<typename Tree::Node>::kWords;
        prepared.pool = {make(prepared.words, blocks * (kKept + 1) * kParcel * kWords, "parcels"),
                         make(prepared.sent, blocks, "sent"), make(prepared.asking, blocks / kLanes + 1, "asking"),
                         make(prepared.working, 1, "working"), job.root_children};
        job.context.fill_bytes(prepared.sent, 0, blocks);
        job.context.fill_bytes(prepared.asking, 0, blocks / kLanes + 1);
        job.context.upload(prepared.working, std::span<const unsigned>(&blocks, 1));
        return prepared;
    }

    template <class Tree>
    static void run(const SearchJob& job, const Prepared<Tree>& prepared)
    {
        host_launch<search_with_surplus<Tree>>(job.context, 0, prepared.shape, prepared.buffers.task, prepared.pool);
    }
};

const Register<SearchBySurplus, SearchTraits> search_surplus;

} // namespace nestbed::inline NESTBED_BACKEND
