// The trees of the workload `search` in kernels (workloads/search/search_nodes.hpp): how a thread makes a child, and how it searches a
// subtree alone, with a stack of its own.
//
// A tree has
//     Node                                    small plain data
//     root(), depth(node), children(node)
//     child(node, number)
//     answers(node)                           what the node counts for the answer
//     search(parent, first, end, cutoff, stacks, child, found)
//                                             visits children [first, end) of a node, and all below them. If the first one
//                                             has children and a depth below the cutoff, it is the only one that is visited:
//                                             the result is its number of children, instead of 0
// The code of a hash is long, so a form should call search() in few places.
#pragma once

#include "device/language.hpp"
#include "workloads/search/search_oracle.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// What one thread has found.
struct ThreadFound {
    unsigned long long nodes, leaves, answer;
    unsigned depth;

    __device__ void add(unsigned depth_of_node, unsigned children, unsigned answers)
    {
        ++nodes;
        leaves += children == 0 ? 1 : 0;
        answer += answers;
        depth = depth < depth_of_node ? depth_of_node : depth;
    }
};

// A node on a stack, and its children that are still to be searched.
template <class Node>
struct StackLevel {
    Node node;
    unsigned next, end;
};

// Room for the deep part of stacks, shared by all threads: a thread takes a chunk whenever its stack grows beyond those
// that it has. In a chunk are kChunk levels of one path, so as many chunks as inner nodes / kChunk are enough.
inline constexpr unsigned kChunk = 16;
template <class Node>
struct StackChunk {
    StackLevel<Node> levels[kChunk];
    unsigned below, above; // chunks of the same stack; 0: none
};
template <class Node>
struct Stacks {
    StackChunk<Node>* chunks; // the first one is not used
    unsigned* taken;          // chunks
};

// The stack of one thread: the first levels near to it, the others in chunks.
template <class Node>
class ThreadStack
{
  public:
    __device__ explicit ThreadStack(const Stacks<Node>& stacks) : stacks_(stacks) {}

    __device__ bool empty() const { return height_ == 0; }

    __device__ void push(const StackLevel<Node>& level)
    {
        if (height_ < kChunk) {
            near_[height_++] = level;
            return;
        }
        const unsigned place = height_++ % kChunk;
        if (place == 0) {
            unsigned above = chunk_ == 0 ? first_ : stacks_.chunks[chunk_].above;
            if (above == 0) {
                above = 1 + atomicAdd(stacks_.taken, 1U);
                stacks_.chunks[above].below = chunk_;
                stacks_.chunks[above].above = 0;
                if (chunk_ == 0)
                    first_ = above;
                else
                    stacks_.chunks[chunk_].above = above;
            }
            chunk_ = above;
        }
        stacks_.chunks[chunk_].levels[place] = level;
    }

    __device__ StackLevel<Node> pop()
    {
        if (--height_ < kChunk)
            return near_[height_];
        const unsigned place = height_ % kChunk;
        const StackLevel<Node> level = stacks_.chunks[chunk_].levels[place];
        if (place == 0)
            chunk_ = stacks_.chunks[chunk_].below;
        return level;
    }

  private:
    Stacks<Node> stacks_;
    StackLevel<Node> near_[kChunk];
    unsigned height_ = 0;
    unsigned first_ = 0; // chunk
    unsigned chunk_ = 0; // of the highest level; 0: it is near
};

struct HashTree {
    using Node = TreeNode;

    TreeShape shape;
    const unsigned* thresholds;
    Node root_node;

    __device__ const Node& root() const { return root_node; }
    __device__ unsigned depth(const Node& node) const { return node.depth; }
    __device__ unsigned children(const Node& node) const { return shape.children(node, thresholds); }
    __device__ unsigned answers(const Node& /*node*/) const { return 1; }

    // The first child is not part of the loop, because most calls visit nothing else: as part of it, a visit took half as
    // long again on an H200.
    __device__ unsigned search(const Node& parent, unsigned first, unsigned end, unsigned cutoff,
                               const Stacks<Node>& stacks, Node& child, ThreadFound& found) const
    {
        child = child_of(parent, first);
        const unsigned inner = children(child);
        found.add(child.depth, inner, 1);
        if (inner != 0 ? child.depth < cutoff : first + 1 == end)
            return inner;
        search_rest({parent, first + 1, end}, {child, 0, inner}, stacks, found);
        return 0;
    }

  private:
    // Depth first: all below a child, then the other children of its parent. A node whose last child is searched is no
    // longer on the stack.
    __device__ void search_rest(const StackLevel<Node>& others, StackLevel<Node> now, const Stacks<Node>& stacks,
                                ThreadFound& found) const
    {
        ThreadStack<Node> stack(stacks);
        if (now.end == 0)
            now = others;
        else if (others.next < others.end)
            stack.push(others);
        for (;;) {
            const Node below = child_of(now.node, now.next++);
            const unsigned inner = children(below);
            found.add(below.depth, inner, 1);
            if (inner != 0) {
                if (now.next < now.end)
                    stack.push(now);
                now = {below, 0, inner};
            } else if (now.next == now.end) {
                if (stack.empty())
                    return;
                now = stack.pop();
            }
        }
    }
};

// A board, and the columns of its next row that are not tried. The columns from `queens` on count as taken.
struct alignas(16) QueensRow {
    unsigned columns, left, right, free;

    __device__ static QueensRow none() { return {~0U, 0, 0, 0}; }
    __device__ static QueensRow of(const Board& board, unsigned queens)
    {
        const unsigned columns = board.columns | ~((1U << queens) - 1);
        return {columns, board.left, board.right, ~(columns | board.left | board.right)};
    }
    // The board with one more queen, in the column `bit` of the free ones.
    __device__ QueensRow with(unsigned bit) const
    {
        QueensRow child{columns + bit, (left + bit) << 1, (right + bit) >> 1, 0};
        child.free = ~(child.columns | child.left | child.right);
        return child;
    }
    __device__ bool solved() const { return columns == ~0U; }
};

// The search of one thread below a board, depth first; boards with columns that are not tried wait on a stack, of which every
// Stride-th entry is the thread's. The lowest is none().
template <unsigned Stride>
struct QueensSearch {
    QueensRow now;
    QueensRow* oldest; // entry of the stack
    QueensRow* end;    // behind the newest
    unsigned nodes, inner, solutions;

    __device__ void begin(const QueensRow& row, QueensRow* stack)
    {
        now = row;
        *stack = QueensRow::none();
        oldest = stack + Stride;
        end = oldest;
        solutions = 0;
    }
    __device__ bool active() const { return now.free != 0; }
    // Visits a node, if it is active. Without branches, because the threads of a warp hardly ever agree.
    __device__ void step()
    {
        const unsigned bit = now.free & (0 - now.free);
        const unsigned rest = now.free - bit;
        const QueensRow child = now.with(bit);
        const bool down = child.free != 0;
        const bool done = active() && !down && rest == 0;
        nodes += active() ? 1 : 0;
        inner += down ? 1 : 0;
        solutions += active() && child.solved() ? 1 : 0;
        if (down && rest != 0) {
            *end = {now.columns, now.left, now.right, rest};
            end += Stride;
        }
        now.columns = down ? child.columns : now.columns;
        now.left = down ? child.left : now.left;
        now.right = down ? child.right : now.right;
        now.free = down ? child.free : rest;
        if (done) {
            end -= Stride;
            now = *end;
        }
    }
    // Adds what was found below a board of this depth. Any board with 4 queens or more has solutions, so that some thread finds
    // the deepest node; with fewer, no board on a stack has grandchildren.
    __device__ void add_to(ThreadFound& found, unsigned depth, unsigned queens, unsigned solutions_of_each)
    {
        const unsigned deepest = solutions != 0 ? queens : depth + 1;
        found.answer += static_cast<unsigned long long>(solutions) * solutions_of_each;
        found.depth = found.depth < deepest ? deepest : found.depth;
    }
};

struct QueensTree {
    using Node = Board;

    unsigned queens;

    __device__ static unsigned bits(unsigned word) { return static_cast<unsigned>(__popc(word)); }
    __device__ Node root() const { return {}; }
    __device__ unsigned depth(const Node& node) const { return node.depth(); }
    __device__ unsigned children(const Node& node) const { return bits(free_columns(node, queens)); }
    __device__ Node child(const Node& node, unsigned number) const
    {
        unsigned left = free_columns(node, queens);
        for (; number > 0; --number)
            left &= left - 1;
        return placed(node, left & (0 - left), queens);
    }
    __device__ unsigned answers(const Node& node) const { return node.depth() == queens ? node.solutions() : 0; }

    __device__ unsigned search(const Node& parent, unsigned first, unsigned end, unsigned cutoff,
                               const Stacks<Node>& /*stacks*/, Node& child, ThreadFound& found) const
    {
        for (unsigned number = first; number < end; ++number) {
            child = this->child(parent, number);
            const unsigned inner = children(child);
            found.add(child.depth(), inner, answers(child));
            if (inner == 0)
                continue;
            if (number == first && child.depth() < cutoff)
                return inner;
            search_rows(child, found);
        }
        return 0;
    }

  private:
    // All below a board that has children.
    __device__ void search_rows(const Node& node, ThreadFound& found) const
    {
        QueensRow stack[kMaxQueens];
        QueensSearch<1> search{};
        search.begin(QueensRow::of(node, queens), stack);
        while (search.active())
            search.step();
        found.nodes += search.nodes;
        found.leaves += search.nodes - search.inner;
        search.add_to(found, node.depth(), queens, node.solutions());
    }
};

} // namespace nestbed::inline NESTBED_BACKEND
