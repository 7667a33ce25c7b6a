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
#include "workloads/search/search_resident.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct ShareQueue {
    PooledShare* shares;
    unsigned taken;    // shares before it are taken
    unsigned reserved; // shares before it belong to a block that appends, or are written
    unsigned written;  // shares before it can be taken
    unsigned searched; // shares that are done
};

struct QueuePool {
    ShareQueue* queue;

    __device__ Taken take(PooledShare& to) const
    {
        for (;;) {
            // Read before `written`: a share counts as searched only when what it leaves is written.
            const unsigned searched = load_acquire(&queue->searched);
            const unsigned written = load_acquire(&queue->written);
            const unsigned next = load_acquire(&queue->taken);
            if (next < written) {
                if (atomicCAS(&queue->taken, next, next + 1) != next)
                    continue;
                to = queue->shares[next];
                return Taken::share;
            }
            if (searched == written || kBackend == BackendKind::cpu)
                return Taken::none;
            __nanosleep(200);
        }
    }

    __device__ void finish(const SearchRest& rest) const
    {
        if (rest.count != 0)
            append(rest);
        fetch_add_acq_rel(&queue->searched, 1);
    }

  private:
    __device__ void append(const SearchRest& rest) const
    {
        const unsigned shares = blocks_for(rest.count, blockDim.x, 1);
        const unsigned first = atomicAdd(&queue->reserved, shares);
        for (unsigned share = 0; share < shares; ++share)
            queue->shares[first + share] = share_of_rest(rest, share, shares);
        while (load_acquire(&queue->written) != first) { // those before are still being written
        }
        store_release(&queue->written, first + shares);
    }
};

struct SearchByQueue {
    static constexpr StrategyInfo info{
        .name = "search_queue",
        .workload = &workloads::search,
        .summary = "flat: resident blocks with stacks take nodes from a queue, and append what they leave",
        .hazards = "none: an entry is written before the end of the queue moves past it",
        .source = "persistent threads, Gupta, Stuart, Owens, InPar 2012",
        .axes = {SearchParameter::cutoff, SearchParameter::budget},
    };
    static constexpr SearchForm form = SearchForm::budget;

    template <class Tree>
    struct Prepared {
        SearchBuffers<Tree> buffers;
        Buffer<PooledShare> shares;
        Buffer<ShareQueue> queue;
        std::uint32_t blocks;
    };

    template <class Tree>
    static Prepared<Tree> prepare(const SearchJob& job, const Tree& tree)
    {
        Prepared<Tree> prepared{
            SearchBuffers<Tree>(job, tree, job.oracle.divisions),
            job.context.template allocate<PooledShare>(job.roots + job.oracle.counts.blocks, "shares"),
            job.context.template allocate<ShareQueue>(1, "queue"), 0};
        std::vector<PooledShare> roots;
        for (unsigned root = 0; root < job.roots; ++root)
            roots.push_back(root_share(root, job.root_children));
        job.context.upload(prepared.shares, std::span<const PooledShare>(roots));
        const ShareQueue queue{prepared.shares.data(), 0, job.roots, job.roots, 0};
        job.context.upload(prepared.queue, std::span(&queue, 1));
        prepared.blocks = blocks_that_stay<Tree, QueuePool>(job);
        return prepared;
    }

    template <class Tree>
    static void run(const SearchJob& job, const Prepared<Tree>& prepared)
    {
        host_launch<search_resident<Tree, QueuePool>>(job.context, 0, {prepared.blocks, job.point.block},
                                                      prepared.buffers.task, QueuePool{prepared.queue.data()});
    }
};

const Register<SearchByQueue, SearchTraits> search_queue_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
