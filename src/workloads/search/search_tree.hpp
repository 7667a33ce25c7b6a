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
    // All below a board. Depth first; a board is on the stack while it has columns that are not tried.
    __device__ void search_rows(const Node& node, ThreadFound& found) const
    {
        struct Row {
            unsigned columns, left, right, free;
        };
        Row rows[kMaxQueens];
        const unsigned all = (1U << queens) - 1;
        const unsigned first = node.depth();
        Row now{node.columns, node.left, node.right, free_columns(node, queens)};
        unsigned row = first; // of the queens in now.free
        unsigned solutions = 0;
        unsigned deepest = row;
        for (unsigned height = 0;;) {
            const unsigned bit = now.free & (0 - now.free);
            now.free ^= bit;
            ++found.nodes;
            const unsigned columns = now.columns | bit;
            const unsigned left = (now.left | bit) << 1;
            const unsigned right = (now.right | bit) >> 1;
            const unsigned free = row + 1 == queens ? 0 : all & ~(columns | left | right);
            deepest = deepest < row + 1 ? row + 1 : deepest;
            if (free != 0) {
                if (now.free != 0) {
                    rows[height] = now;
                    rows[height++].columns |= row << kMaxQueens;
                }
                now = {columns, left, right, free};
                ++row;
                continue;
            }
            ++found.leaves;
            solutions += row + 1 == queens ? 1 : 0;
            if (now.free == 0) {
                if (height == 0)
                    break;
                now = rows[--height];
                row = now.columns >> kMaxQueens;
                now.columns &= (1U << kMaxQueens) - 1;
            }
        }
        found.answer += static_cast<unsigned long long>(solutions) * node.solutions();
        found.depth = found.depth < deepest ? deepest : found.depth;
    }
};

} // namespace nestbed::inline NESTBED_BACKEND
