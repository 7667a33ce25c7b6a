// search_prefixes: n queens with a thread per prefix: the boards with `cutoff` queens are numbered, so that no queue is needed.
//
//     a number has a digit per row, but the last of a prefix: the column of the queen there; and which part of the columns of that
//         last row it stands for
//     warp, until no numbers are left: take numbers; thread: place the queens of one; if none attacks another, list the boards with
//         a queen more
//         (the boards with fewer queens are counted by the number in which all further digits are 0)
//         thread: take a board of the list; search all below it, with a stack in shared memory
//         every few nodes the threads that are done take the next boards, and the warp lists more if it has few. If no numbers
//             are left, threads with boards on their stacks list the oldest
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
inline constexpr unsigned kPrefixSteps = 16;    // nodes between two looks for threads that are done
inline constexpr unsigned kPrefixParts = 4;     // of the columns of a prefix's last row

struct Prefixes {
    unsigned* next;    // share of numbers that nobody has taken
    unsigned count;    // numbers
    unsigned per_row;  // numbers that begin with the same queen
    unsigned rows;     // of a prefix, less the last
    unsigned per_turn; // times 32 numbers, that a warp takes at once
};

// A board whose free columns are to be tried.
struct ListedBoard {
    QueensRow row;
    unsigned each; // solutions that one stands for
};

// Places the queens of a number, and counts the boards that it stands for. The free columns are those of its part.
__device__ inline ListedBoard place_prefix(const QueensTree& tree, const Prefixes& prefixes, unsigned number,
                                           ThreadFound& found)
{
    Board board = tree.root();
    const unsigned part = number % kPrefixParts;
    number /= kPrefixParts;
    unsigned each = prefixes.per_row;
    for (unsigned row = 0; row < prefixes.rows; ++row) {
        const unsigned bit = 1U << number / each;
        number %= each;
        if ((free_columns(board, tree.queens) & bit) == 0)
            return {QueensRow::none(), 0};
        board = placed(board, bit, tree.queens);
        if (number == 0 && part == 0)
            found.add(row + 1, tree.children(board), tree.answers(board));
        each /= tree.queens;
    }
    ListedBoard listed{QueensRow::of(board, tree.queens), board.solutions()};
    const unsigned columns = (tree.queens - 1) / kPrefixParts + 1; // of a part
    listed.row.free &= ((1U << columns) - 1) << part * columns;
    return listed;
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
        const unsigned queens = task.tree.queens;
        const unsigned depth = prefixes.rows + 1;
        const unsigned lane = threadIdx.x % kLanes;
        const unsigned before = (1U << lane) - 1;                   // the lanes
        ListedBoard* const list = lists + (threadIdx.x - lane) * 2; // of the warp
        const auto put = [&](unsigned listed, bool is_new, const ListedBoard& board) {
            const unsigned mask = __ballot_sync(0xFFFFFFFFU, is_new);
            if (is_new)
                list[listed + static_cast<unsigned>(__popc(mask & before))] = board;
            return listed + static_cast<unsigned>(__popc(mask));
        };
        QueensSearch<kPrefixThreads> search{};
        unsigned each = 0; // solutions that one of the search stands for
        ListedBoard placed{QueensRow::none(), 0};
        unsigned listed = 0;
        unsigned next = thread / kLanes * prefixes.per_turn; // of the numbers, by 32
        unsigned end = next + prefixes.per_turn;
        const unsigned all = (prefixes.count - 1) / kLanes + 1;
        search.begin(QueensRow::none(), stacks + threadIdx.x);
        for (;;) {
            while (listed < kLanes) {
                if (__any_sync(0xFFFFFFFFU, placed.row.free != 0) == 0) {
                    if (next >= all)
                        break;
                    const unsigned number = next * kLanes + lane;
                    if (number < prefixes.count)
                        placed = place_prefix(task.tree, prefixes, number, found);
                    if (++next == end) {
                        if (lane == 0)
                            next = atomicAdd(prefixes.next, 1U) * prefixes.per_turn;
                        next = __shfl_sync(0xFFFFFFFFU, next, 0);
                        end = next + prefixes.per_turn;
                    }
                }
                const unsigned bit = placed.row.free & (0 - placed.row.free);
                placed.row.free -= bit;
                const QueensRow child = placed.row.with(bit);
                if (bit != 0)
                    found.add(depth, child.free, child.solved() ? placed.each : 0);
                listed = put(listed, bit != 0 && child.free != 0, {child, placed.each});
            }
            const unsigned idle = __ballot_sync(0xFFFFFFFFU, !search.active());
            const auto wanted = static_cast<unsigned>(__popc(idle));
            if (listed < wanted) {
                const bool can_give = search.active() && search.oldest != search.end;
                listed = put(listed, can_give, {can_give ? *search.oldest : QueensRow::none(), each});
                if (can_give) {
                    *search.oldest = QueensRow::none();
                    search.oldest += kPrefixThreads;
                }
            }
            __syncwarp();
            const auto place = static_cast<unsigned>(__popc(idle & before));
            if (!search.active() && place < listed) {
                if (each != 0)
                    search.add_to(found, depth, queens, each);
                search.begin(list[listed - 1 - place].row, stacks + threadIdx.x);
                each = list[listed - 1 - place].each;
            }
            listed -= wanted < listed ? wanted : listed;
            if (__any_sync(0xFFFFFFFFU, search.active()) == 0)
                break;
            for (unsigned step = 0; step < kPrefixSteps; ++step)
                search.step();
            __syncwarp(); // all have read the list
        }
        if (each != 0)
            search.add_to(found, depth, queens, each);
        found.nodes += search.nodes;
        found.leaves += search.nodes - search.inner;
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
        .axes = {SearchParameter::cutoff},
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
            const std::uint32_t least = tree.queens > kPrefixRows + 1 ? tree.queens - kPrefixRows - 1 : 1;
            const std::uint32_t most =
                std::min(tree.queens, std::max(least + 1, job.point[SearchParameter::cutoff]) - 1);
            prefixes.count *= kPrefixParts;
            while (prefixes.rows < most && prefixes.count <= kMaxNumbers / tree.queens) {
                ++prefixes.rows;
                prefixes.count *= tree.queens;
                prefixes.per_row *= tree.queens;
            }
            blocks = job.context.template resident_blocks<search_by_prefixes<Tree>>(threads);
            const std::uint32_t warps = std::max(1U, blocks * threads / kLanes);
            prefixes.per_turn = std::max(1U, prefixes.count / kLanes / warps / 64);
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
