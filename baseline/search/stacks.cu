// search_stacks: tree search by blocks that stay resident; each has a stack of shares in device memory, and steals from others.
//
//     each block begins with an equal part of the root's children on its stack, 4 in each share
//     each block, until no share is outstanding:
//         take the newest share of its own stack; if there is none, draw another block, and steal: of the oldest entry of its
//             stack, take half of the shares; if there is none either, try again
//         search the nodes of the share as in search_budget, `budget` nodes per thread
//         put what is left on its own stack: one entry, of a share for every `block` nodes
//
// Launches: none from the device; one from the host.
// Hazards: none. One thread of a block changes a stack, and holds its lock while it does; it waits for nothing meanwhile. What an
// entry names is written before its lock is released. A counter has the shares that are not done: it grows before an entry is
// put on a stack. A block without work tries again, after a barrier, while the counter is not 0. On a GPU all blocks are resident,
// so the others make progress; on the executor it steals from the blocks that have not begun.
// Entries above each other are of later rounds, so a stack with a place for each round of the search, as the oracle knows, has
// room. A block would drop what does not fit: the search would find too few nodes, and the row would be `wrong`.
// Source: stealing, Blumofe, Leiserson, "Scheduling Multithreaded Computations by Work Stealing", JACM 1999; stacks of chunks
// that others steal from, Olivier et al., UTS, LCPC 2006; persistent threads, Gupta, Stuart, Owens, InPar 2012.
#include "workloads/search/search_resident.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// The shares `next` to `end` - 1 of what a block left, or of the root's children.
struct StackedShares {
    SearchRest rest;
    unsigned shares; // in all; 0: of the root's children
    unsigned next, end;
};

struct ShareStack {
    unsigned lock;   // 1: a block changes the stack
    unsigned bottom; // the place of the oldest entry
    unsigned height; // entries; others read it without the lock
    unsigned draw;   // the block's last random number
};

struct StacksPool {
    ShareStack* stacks;     // one for each block
    StackedShares* entries; // `room` places for each stack, a ring
    unsigned* outstanding;  // shares that are not done
    unsigned room;
    unsigned root_children;

    __device__ Taken take(PooledShare& to) const
    {
        if (pop(to))
            return Taken::share;
        StackedShares stolen{};
        if (steal(another(), stolen)) {
            push(stolen);
            if (pop(to)) // unless others have stolen it
                return Taken::share;
        }
        return load_acquire(outstanding) == 0 ? Taken::none : Taken::none_now;
    }

    __device__ void finish(const SearchRest& rest) const
    {
        const unsigned shares = rest.count == 0 ? 0 : blocks_for(rest.count, blockDim.x, 1);
        fetch_add_acq_rel(outstanding, shares - 1);
        if (shares != 0)
            push({rest, shares, 0, shares});
    }

  private:
    // A random stack, of any block.
    __device__ unsigned another() const
    {
        unsigned& draw = stacks[blockIdx.x].draw;
        draw = draw * 1664525 + 1013904223; // Numerical Recipes
        return (draw >> 8) % gridDim.x;
    }

    __device__ StackedShares& entry(unsigned of, unsigned place) const
    {
        return entries[std::size_t{of} * room + place % room];
    }

    // Calls act(stack) while this thread holds the lock of the stack, unless the stack has no entry and act needs one.
    template <class Act>
    __device__ bool change(unsigned of, bool needs_entry, const Act& act) const
    {
        ShareStack& stack = stacks[of];
        if (needs_entry && load_acquire(&stack.height) == 0)
            return false;
        while (atomicCAS(&stack.lock, 0U, 1U) != 0) {
        }
        __threadfence();
        const bool changes = !needs_entry || stack.height != 0;
        if (changes)
            act(stack);
        store_release(&stack.lock, 0);
        return changes;
    }

    __device__ void push(const StackedShares& shares) const
    {
        change(blockIdx.x, false, [&](ShareStack& stack) {
            if (stack.height == room) { // not in the rounds that the oracle knows
                fetch_add_acq_rel(outstanding, shares.next - shares.end);
                return;
            }
            entry(blockIdx.x, stack.bottom + stack.height) = shares;
            store_relaxed(&stack.height, stack.height + 1);
        });
    }

    // The newest share of the block's own stack.
    __device__ bool pop(PooledShare& to) const
    {
        return change(blockIdx.x, true, [&](ShareStack& stack) {
            StackedShares& newest = entry(blockIdx.x, stack.bottom + stack.height - 1);
            const unsigned number = --newest.end;
            to = newest.shares == 0 ? root_share(number, root_children)
                                    : share_of_rest(newest.rest, number, newest.shares);
            if (newest.next == newest.end)
                store_relaxed(&stack.height, stack.height - 1);
        });
    }

    // Half of the shares of the oldest entry.
    __device__ bool steal(unsigned from, StackedShares& stolen) const
    {
        return change(from, true, [&](ShareStack& stack) {
            StackedShares& oldest = entry(from, stack.bottom);
            stolen = oldest;
            oldest.next += (oldest.end - oldest.next + 1) / 2;
            stolen.end = oldest.next;
            if (oldest.next != oldest.end)
                return;
            stack.bottom = (stack.bottom + 1) % room;
            store_relaxed(&stack.height, stack.height - 1);
        });
    }
};

struct SearchByStacks {
    static constexpr StrategyInfo info{
        .name = "search_stacks",
        .workload = &workloads::search,
        .summary = "flat: resident blocks with stacks in memory, which steal from each other",
        .hazards = "none: a stack is changed by the thread that holds its lock",
        .source = "Blumofe, Leiserson, JACM 1999; Olivier et al., UTS, LCPC 2006",
        .axes = {SearchParameter::cutoff, SearchParameter::budget},
    };
    static constexpr SearchForm form = SearchForm::budget;

    template <class Tree>
    struct Prepared {
        SearchBuffers<Tree> buffers;
        Buffer<ShareStack> stacks;
        Buffer<StackedShares> entries;
        Buffer<unsigned> outstanding;
        StacksPool pool;
        std::uint32_t blocks;
    };

    template <class Tree>
    static Prepared<Tree> prepare(const SearchJob& job, const Tree& tree)
    {
        const std::uint32_t blocks = blocks_that_stay<Tree, StacksPool>(job);
        const unsigned room = job.oracle.launches.levels() + 1;
        Prepared<Tree> prepared{SearchBuffers<Tree>(job, tree, job.oracle.divisions),
                                job.context.template allocate<ShareStack>(blocks, "stacks"),
                                job.context.template allocate<StackedShares>(std::size_t{blocks} * room, "entries"),
                                job.context.template allocate<unsigned>(1, "outstanding"),
                                {},
                                blocks};
        prepared.pool = {prepared.stacks.data(), prepared.entries.data(), prepared.outstanding.data(), room,
                         job.root_children};
        std::vector<ShareStack> stacks(blocks);
        std::vector<StackedShares> entries(std::size_t{blocks} * room);
        for (unsigned block = 0; block < blocks; ++block) {
            StackedShares& part = entries[std::size_t{block} * room];
            part.next = share_start(job.roots, block, blocks);
            part.end = share_start(job.roots, block + 1, blocks);
            stacks[block].height = part.next == part.end ? 0 : 1;
            stacks[block].draw = block;
        }
        job.context.upload(prepared.stacks, std::span<const ShareStack>(stacks));
        job.context.upload(prepared.entries, std::span<const StackedShares>(entries));
        job.context.upload(prepared.outstanding, std::span<const unsigned>(&job.roots, 1));
        return prepared;
    }

    template <class Tree>
    static void run(const SearchJob& job, const Prepared<Tree>& prepared)
    {
        host_launch<search_resident<Tree, StacksPool>>(job.context, 0, {prepared.blocks, job.point.block},
                                                       prepared.buffers.task, prepared.pool);
    }
};

const Register<SearchByStacks, SearchTraits> search_stacks_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
