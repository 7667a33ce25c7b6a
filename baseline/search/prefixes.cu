// search_prefixes: n queens with a thread per prefix: the boards with `cutoff` queens are numbered, so that no queue is needed.
//
//     a prefix is a number with a digit per row: the column of the queen there
//     warp, until no numbers are left: take numbers; thread: place the queens of one; if none attacks another, list the board
//         (the boards with fewer queens are counted by the prefix in which all further digits are 0)
//         thread: take a board of the list; search all below it, with a stack in shared memory
//         every few nodes the threads that are done take the next boards, and the warp lists more if it has few
//     the last row is not searched: its free columns are counted
//     of a tree of hashes, the prefixes are the children of the root, and each thread searches all below one
//
// Launches: none from the device; one from the host.
// Hazards: none. A warp has a list of its own. The numbers are shared by an atomic counter, and nobody waits.
// Source: bit masks, Richards, "Backtracking Algorithms in MCPL using Bit Patterns and Recursion", 1997; a thread per prefix,
// Feinbube et al., "NQueens on CUDA: Optimization Issues", ISPDC 2010.
#include "device/parts/collective.hpp"
#include "workloads/search/search.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kPrefixThreads = 128; // of a block, at most
inline constexpr unsigned kPrefixRows = 12;     // of a thread's stack
inline constexpr unsigned kPrefixSteps = 8;     // nodes between two looks for threads that are done

struct Prefixes {
    unsigned* next;    // share of numbers that nobody has taken
    unsigned count;    // numbers
    unsigned per_row;  // numbers that begin with the same queen
    unsigned rows;     // of a prefix
    unsigned per_turn; // times 32 numbers, that a warp takes at once
};

// A board with free columns that are not tried. Its row is the number of queens that it has.
struct alignas(16) QueensRow {
    unsigned columns, left, right, free;
};

// A board with queens on `rows` rows, whose free columns are not 0 and not in the last row.
struct ListedBoard {
    QueensRow row;
    unsigned twice; // 1: every solution stands for two
};

// The search of one thread below a board.
struct QueensSearch {
    unsigned queens;
    QueensRow* stack; // every blockDim.x-th entry is the thread's
    QueensRow now;
    unsigned row;
    unsigned height;
    unsigned twice;
    bool active;
    unsigned nodes, leaves, deepest;
    unsigned long long solutions;

    __device__ void begin(const ListedBoard& board)
    {
        now = board.row;
        row = static_cast<unsigned>(__popc(now.columns));
        twice = board.twice;
        height = 0;
        active = true;
    }
    // The children of a board in the last row.
    __device__ void last_row(unsigned free)
    {
        const auto found = static_cast<unsigned>(__popc(free));
        nodes += found;
        leaves += found;
        solutions += found << twice;
        if (found != 0)
            deepest = queens;
    }
    // Visits one node.
    __device__ void step()
    {
        const unsigned bit = now.free & (0 - now.free);
        now.free ^= bit;
        QueensRow child{now.columns | bit, (now.left | bit) << 1, (now.right | bit) >> 1, 0};
        child.free = ((1U << queens) - 1) & ~(child.columns | child.left | child.right);
        ++nodes;
        deepest = deepest < row + 1 ? row + 1 : deepest;
        leaves += child.free == 0 ? 1 : 0;
        const bool is_last = row + 2 == queens;
        if (is_last)
            last_row(child.free);
        if (child.free != 0 && !is_last) {
            if (now.free != 0)
                stack[height++ * blockDim.x] = now;
            now = child;
            ++row;
        } else if (now.free == 0) {
            active = height != 0;
            if (active) {
                now = stack[--height * blockDim.x];
                row = static_cast<unsigned>(__popc(now.columns));
            }
        }
    }
};

// Places the queens of a prefix and counts what it stands for. True: the board has children that are not in the last row.
__device__ inline bool place_prefix(const QueensTree& tree, const Prefixes& prefixes, unsigned number,
                                    ListedBoard& listed, QueensSearch& search, ThreadFound& found)
{
    Board board = tree.root();
    unsigned each = prefixes.per_row;
    for (unsigned row = 0; row < prefixes.rows; ++row) {
        const unsigned bit = 1U << number / each;
        number %= each;
        if ((free_columns(board, tree.queens) & bit) == 0)
            return false;
        board = placed(board, bit, tree.queens);
        if (number == 0)
            found.add(row + 1, tree.children(board), tree.answers(board));
        each /= tree.queens;
    }
    const unsigned free = free_columns(board, tree.queens);
    listed = {{board.columns, board.left, board.right, free}, board.solutions() - 1};
    if (board.depth() + 1 == tree.queens) {
        search.twice = listed.twice;
        search.last_row(free);
    }
    return free != 0 && board.depth() + 1 < tree.queens;
}

template <class Tree>
__global__ void LAUNCH_BOUNDS(kPrefixThreads) search_by_prefixes(SearchTask<Tree> task, Prefixes prefixes)
{
    ThreadFound found{};
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread == 0)
        task.visit_root(found);
    if constexpr (std::is_same_v<Tree, QueensTree>) {
        BLOCK_SHARED(QueensRow, stacks, kPrefixRows * kPrefixThreads);
        BLOCK_SHARED(ListedBoard, lists, 2 * kPrefixThreads);
        QueensSearch search{.queens = task.tree.queens, .stack = stacks + threadIdx.x};
        const unsigned lane = threadIdx.x % kLanes;
        ListedBoard* const list = lists + (threadIdx.x - lane) * 2; // of the warp
        unsigned listed = 0;
        unsigned next = thread / kLanes * prefixes.per_turn; // of the numbers, by 32
        unsigned end = next + prefixes.per_turn;
        const unsigned all = (prefixes.count - 1) / kLanes + 1;
        for (;;) {
            while (listed < kLanes && next < all) {
                const unsigned number = next * kLanes + lane;
                ListedBoard board{};
                const bool is_new =
                    number < prefixes.count && place_prefix(task.tree, prefixes, number, board, search, found);
                const unsigned mask = __ballot_sync(0xFFFFFFFFU, is_new);
                if (is_new)
                    list[listed + static_cast<unsigned>(__popc(mask & ((1U << lane) - 1)))] = board;
                listed += static_cast<unsigned>(__popc(mask));
                if (++next == end) {
                    if (lane == 0)
                        next = atomicAdd(prefixes.next, 1U) * prefixes.per_turn;
                    next = __shfl_sync(0xFFFFFFFFU, next, 0);
                    end = next + prefixes.per_turn;
                }
            }
            __syncwarp();
            const unsigned idle = __ballot_sync(0xFFFFFFFFU, !search.active);
            const auto place = static_cast<unsigned>(__popc(idle & ((1U << lane) - 1)));
            if (!search.active && place < listed)
                search.begin(list[listed - 1 - place]);
            const auto taken = static_cast<unsigned>(__popc(idle));
            listed -= taken < listed ? taken : listed;
            if (__any_sync(0xFFFFFFFFU, search.active) == 0)
                break;
            for (unsigned step = 0; step < kPrefixSteps && search.active; ++step)
                search.step();
            __syncwarp(); // all have read the list
        }
        found.nodes += search.nodes;
        found.leaves += search.leaves;
        found.answer += search.solutions;
        found.depth = found.depth < search.deepest ? search.deepest : found.depth;
    } else if (thread < prefixes.count) {
        typename Tree::Node child{};
        static_cast<void>(task.visit(task.tree.root(), thread, true, child, found));
    }
    task.add_all(found);
}

struct SearchByPrefixes {
    static constexpr StrategyInfo info{
        .name = "search_prefixes",
        .workload = &workloads::search,
        .summary =
            "flat: n queens with a thread per numbered prefix of `cutoff` queens; trees: a thread per child of "
            "the root",
        .hazards = "none: the numbers are shared by an atomic counter",
        .source = "Feinbube et al., ISPDC 2010",
        .axes = {axis::cutoff},
    };
    static constexpr SearchForm form = SearchForm::flat;

    template <class Tree>
    struct Prepared {
        SearchBuffers<Tree> buffers;
        Buffer<unsigned> next;
        Prefixes prefixes;
        LaunchShape shape;
    };

    template <class Tree>
    static Prepared<Tree> prepare(const SearchJob& job, const Tree& tree)
    {
        Prepared<Tree> prepared{SearchBuffers<Tree>(job, tree, 0),
                                job.context.template allocate<unsigned>(1, "next"),
                                {nullptr, job.root_children, 1, 1, 1},
                                {}};
        Prefixes& prefixes = prepared.prefixes;
        const std::uint32_t threads = std::clamp(job.point.block, kLanes, kPrefixThreads);
        std::uint32_t blocks = prefixes.count / threads + 1; // the root may have no children
        if constexpr (std::is_same_v<Tree, QueensTree>) {
            constexpr std::uint32_t kMaxNumbers = 1U << 25; // a prefix has a row less if there would be more
            const std::uint32_t least = tree.queens > kPrefixRows + 2 ? tree.queens - kPrefixRows - 2 : 1;
            const std::uint32_t most = std::min(tree.queens, std::max(least, job.point.cutoff));
            while (prefixes.rows < most && prefixes.count <= kMaxNumbers / tree.queens) {
                ++prefixes.rows;
                prefixes.count *= tree.queens;
                prefixes.per_row *= tree.queens;
            }
            blocks = job.context.template resident_blocks<search_by_prefixes<Tree>>(threads);
            const std::uint32_t warps = std::max(1U, blocks * threads / kLanes);
            prefixes.per_turn = std::max(1U, prefixes.count / kLanes / warps / 8);
            const std::uint32_t turns = (prefixes.count - 1) / (kLanes * prefixes.per_turn) + 1;
            blocks = std::min(blocks, (turns - 1) / std::max(1U, threads / kLanes) + 1);
        }
        prepared.shape = {blocks, threads};
        const unsigned first = blocks * threads / kLanes; // the warps begin with the shares before it
        job.context.upload(prepared.next, std::span<const unsigned>(&first, 1));
        prefixes.next = prepared.next.data();
        return prepared;
    }

    template <class Tree>
    static void run(const SearchJob& job, const Prepared<Tree>& prepared)
    {
        host_launch<search_by_prefixes<Tree>>(job.context, 0, prepared.shape, prepared.buffers.task,
                                              prepared.prefixes);
    }
};

const Register<SearchByPrefixes, SearchTraits> search_prefixes;

} // namespace nestbed::inline NESTBED_BACKEND
