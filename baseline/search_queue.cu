// search_queue: tree search by blocks that stay resident, each with a stack in shared memory, and share a queue.
//
//     queue = the children of the root, 4 in each entry
//     each block, until the queue is empty: take an entry; search its nodes as in search_budget, `budget` nodes per thread;
//         append what is left, an entry for every `block` nodes
//
// Launches: none from the device; one from the host.
// Hazards: none. An entry is written before the end of the queue moves past it, with release order; a block that sees the
// new end with acquire order may read it, and the nodes that it names. On a GPU a block waits while the queue is empty but
// others search; all blocks are resident, so these make progress. On the executor it does not wait: the block that appends
// goes on until the queue is empty, so every node is searched.
// Source: persistent threads, Gupta, Stuart, Owens, "A Study of Persistent Threads Style GPU Programming for GPGPU
// Workloads", InPar 2012.
#include "device/workloads/search_block.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct QueuedShare {
    unsigned long long first; // of the nodes that it is a share of
    SearchShare share;
};

struct ShareQueue {
    QueuedShare* shares;
    unsigned taken;    // shares before it are taken
    unsigned reserved; // shares before it belong to a block that appends, or are written
    unsigned written;  // shares before it can be taken
    unsigned searched; // shares that are done
};

inline constexpr unsigned kNoShare = 0xFFFFFFFFU;

// By one thread: the index of the next share, or kNoShare.
__device__ inline unsigned take_share(ShareQueue* queue)
{
    for (;;) {
        // Read before `written`: a share counts as searched only when what it leaves is written.
        const unsigned searched = load_acquire(&queue->searched);
        const unsigned written = load_acquire(&queue->written);
        const unsigned next = load_acquire(&queue->taken);
        if (next < written) {
            if (atomicCAS(&queue->taken, next, next + 1) == next)
                return next;
        } else if (searched == written || kBackend == BackendKind::cpu) {
            return kNoShare;
        } else {
#ifdef __CUDACC__
            __nanosleep(200);
#endif
        }
    }
}

// By one thread.
__device__ inline void append_shares(ShareQueue* queue, const SearchRest& rest)
{
    const unsigned shares = blocks_wanted(rest.count, blockDim.x, 1);
    const unsigned first = atomicAdd(&queue->reserved, shares);
    for (unsigned share = 0; share < shares; ++share)
        queue->shares[first + share] = {
            rest.first, {share_start(rest.count, share, shares), share_start(rest.count, share + 1, shares), false}};
    while (load_acquire(&queue->written) != first) { // those before are still being written
    }
    store_release(&queue->written, first + shares);
}

template <class Tree>
__global__ void LAUNCH_BOUNDS(1024, 1) search_queue(SearchTask<Tree> task, ShareQueue* queue)
{
    BLOCK_SHARED(unsigned, words, BlockStack<typename Tree::Node>::kWords);
    BLOCK_SHARED(unsigned, taken, 1);
    ThreadFound found{};
    if (blockIdx.x == 0 && threadIdx.x == 0)
        task.visit_root(found);
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            taken[0] = take_share(queue);
        __syncthreads();
        if (taken[0] == kNoShare)
            break;
        const QueuedShare mine = queue->shares[taken[0]];
        const SearchRest rest = search_share(task, mine.first, mine.share, words, found);
        if (threadIdx.x == 0) {
            if (rest.count != 0)
                append_shares(queue, rest);
            fetch_add_acq_rel(&queue->searched, 1);
        }
    }
    task.add_all(found);
}

struct SearchByQueue {
    static constexpr StrategyInfo info{
        .name = "search_queue",
        .workload = "search",
        .summary = "flat: resident blocks with stacks take nodes from a queue, and append what they leave",
        .hazards = "none: an entry is written before the end of the queue moves past it",
        .source = "persistent threads, Gupta, Stuart, Owens, InPar 2012",
        .cutoff = true,
        .budget = true,
    };
    static constexpr SearchForm form = SearchForm::budget;

    template <class Tree>
    struct Prepared {
        SearchBuffers<Tree> buffers;
        Buffer<QueuedShare> shares;
        Buffer<ShareQueue> queue;
        std::uint32_t blocks;
    };

    template <class Tree>
    static Prepared<Tree> prepare(const SearchJob& job, const Tree& tree)
    {
        Prepared<Tree> prepared{
            SearchBuffers<Tree>(job, tree, job.oracle.divisions),
            job.context.template allocate<QueuedShare>(job.roots + job.oracle.counts.blocks, "shares"),
            job.context.template allocate<ShareQueue>(1, "queue"), 0};
        std::vector<QueuedShare> roots;
        for (unsigned root = 0; root < job.roots; ++root) {
            const unsigned first = root * kRootChildren;
            roots.push_back({0, {first, std::min(job.root_children, first + kRootChildren), true}});
        }
        job.context.upload(prepared.shares, std::span<const QueuedShare>(roots));
        const ShareQueue queue{prepared.shares.data(), 0, job.roots, job.roots, 0};
        job.context.upload(prepared.queue, std::span(&queue, 1));
#ifdef __CUDACC__
        prepared.blocks = job.context.template resident_blocks<search_queue<Tree>>(job.point.block);
#else
        prepared.blocks = 2 * job.context.facts().multiprocessors;
#endif
        return prepared;
    }

    template <class Tree>
    static void run(const SearchJob& job, const Prepared<Tree>& prepared)
    {
        host_launch<search_queue<Tree>>(job.context, 0, {prepared.blocks, job.point.block}, prepared.buffers.task,
                                        prepared.queue.data());
    }
};

const RegisterSearch<SearchByQueue> search_queue_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
