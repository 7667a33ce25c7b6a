// The workload `search`: trees whose shape is known only by searching them, and the n queens. Pure.
//
// Unbalanced trees: a node is the SHA-1 hash of its parent's hash and its number among its siblings. The last 31 bits of
// its hash are a random number, which decides how many children it has. Geometric trees (t1) have a geometric number of
// them down to a fixed depth; binomial trees (t3, t3l) have none, or a fixed number with a probability just below or
// above the one at which the tree would not end.
// Source: Olivier et al., "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006, and its published sample trees T1, T3, T3L.
#pragma once

#include "workloads/search/descriptor.hpp"

#include <cstdint>
#include <vector>

#ifdef __CUDA_ARCH__
#define NESTBED_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define NESTBED_UNROLL // the host's part of a CUDA file: it only compiles the function
#else
#define NESTBED_UNROLL _Pragma("GCC unroll 20")
#endif

namespace nestbed
{

// --- unbalanced trees ---

constexpr std::uint32_t rotated(std::uint32_t word, int bits)
{
    return word << bits | word >> (32 - bits);
}

struct TreeNode {
    std::uint32_t hash[5];
    std::uint32_t depth;
};

// These are inlined always: otherwise the linker may choose the copy of a file that is not optimised.
// SHA-1 of a message of at most 24 bytes (RFC 3174): its words, and its length in bits.
[[gnu::always_inline]] constexpr void sha1(std::uint32_t (&hash)[5], const std::uint32_t (&message)[6],
                                           std::uint32_t bits)
{
    std::uint32_t words[16] = {message[0], message[1], message[2], message[3], message[4], message[5]};
    words[bits / 32] = 0x80000000;
    words[15] = bits;
    std::uint32_t a = 0x67452301;
    std::uint32_t b = 0xEFCDAB89;
    std::uint32_t c = 0x98BADCFE;
    std::uint32_t d = 0x10325476;
    std::uint32_t e = 0xC3D2E1F0;
    const auto step = [&](int round, std::uint32_t mixed, std::uint32_t constant) {
        std::uint32_t& word = words[round & 15];
        if (round >= 16)
            word = rotated(words[(round + 13) & 15] ^ words[(round + 8) & 15] ^ words[(round + 2) & 15] ^ word, 1);
        const std::uint32_t next = rotated(a, 5) + mixed + e + constant + word;
        e = d;
        d = c;
        c = rotated(b, 30);
        b = a;
        a = next;
    };
    NESTBED_UNROLL
    for (int round = 0; round < 20; ++round)
        step(round, (b & c) | (~b & d), 0x5A827999);
    NESTBED_UNROLL
    for (int round = 20; round < 40; ++round)
        step(round, b ^ c ^ d, 0x6ED9EBA1);
    NESTBED_UNROLL
    for (int round = 40; round < 60; ++round)
        step(round, (b & c) | (b & d) | (c & d), 0x8F1BBCDC);
    NESTBED_UNROLL
    for (int round = 60; round < 80; ++round)
        step(round, b ^ c ^ d, 0xCA62C1D6);
    hash[0] = 0x67452301 + a;
    hash[1] = 0xEFCDAB89 + b;
    hash[2] = 0x98BADCFE + c;
    hash[3] = 0x10325476 + d;
    hash[4] = 0xC3D2E1F0 + e;
}

[[gnu::always_inline]] constexpr TreeNode child_of(const TreeNode& parent, std::uint32_t number)
{
    constexpr std::uint32_t kBits = 192;
    const std::uint32_t* of = parent.hash;
    TreeNode child{{}, parent.depth + 1};
    sha1(child.hash, {of[0], of[1], of[2], of[3], of[4], number}, kBits);
    return child;
}

// So many children has a node at most.
inline constexpr std::uint32_t kMaxChildren = 100;

// How many children the nodes of a tree have.
struct TreeShape {
    std::uint32_t seed;          // of the root's hash
    std::uint32_t root_children; // 0: as many as its hash says
    std::uint32_t last_depth;    // at which nodes have no children
    std::uint32_t below;         // binomial: a node has `most` children if its number is below this
    std::uint32_t most;
    bool geometric; // by thresholds: as many children as there are thresholds that are not above the number

    // `thresholds`: kMaxChildren of them, rising (tree_thresholds()).
    [[gnu::always_inline]] constexpr std::uint32_t children(const TreeNode& node,
                                                            const std::uint32_t* thresholds) const
    {
        constexpr std::uint32_t kNumber = 0x7FFFFFFF;
        if (node.depth >= last_depth)
            return 0;
        if (node.depth == 0 && root_children != 0)
            return root_children;
        const std::uint32_t number = node.hash[4] & kNumber;
        if (!geometric)
            return number < below ? most : 0;
        std::uint32_t count = 0;
        while (count < kMaxChildren && number >= thresholds[count])
            ++count;
        return count;
    }
    constexpr TreeNode root() const
    {
        constexpr std::uint32_t kBits = 160;
        TreeNode node{{}, 0};
        sha1(node.hash, {0, 0, 0, 0, seed, 0}, kBits);
        return node;
    }
};

// The tree of a case: `elements` is the number of levels (t1, path) or of the root's children (t3, t3l).
TreeShape tree_shape(const Case& point);

// For the geometric tree: the least random number with more than 0, 1, 2, ... children.
std::vector<std::uint32_t> tree_thresholds();

// --- n queens ---

// Queens on the first rows of a board of at most kMaxQueens rows: the columns that they take, and those that they
// attack in the next row along the diagonals. Only half of the first row is searched; the other half is its mirror image.
inline constexpr std::uint32_t kMaxQueens = 18;
struct Board {
    std::uint32_t columns, left, right;
    std::uint32_t row; // the next one; kTwice: every solution stands for two

    static constexpr std::uint32_t kTwice = 0x80000000;
    constexpr std::uint32_t depth() const { return row & ~kTwice; }
    constexpr std::uint32_t solutions() const { return (row & kTwice) != 0 ? 2 : 1; }
};
// The columns of the next row where a queen can stand.
constexpr std::uint32_t free_columns(const Board& board, std::uint32_t queens)
{
    if (board.depth() == queens)
        return 0;
    const std::uint32_t all = (1U << queens) - 1;
    return board.row == 0 ? (1U << (queens + 1) / 2) - 1 : all & ~(board.columns | board.left | board.right);
}
// The board after a queen in column `bit` (a power of two).
constexpr Board placed(const Board& board, std::uint32_t bit, std::uint32_t queens)
{
    const bool middle = queens % 2 != 0 && bit == 1U << queens / 2;
    const std::uint32_t twice = board.row == 0 ? (middle ? 0 : Board::kTwice) : board.row & Board::kTwice;
    return {board.columns | bit, (board.left | bit) << 1, (board.right | bit) >> 1, (board.depth() + 1) | twice};
}

// --- what a search finds ---

struct SearchFound {
    std::uint64_t nodes = 0;
    std::uint64_t leaves = 0;
    std::uint64_t answer = 0; // queens: solutions; otherwise the nodes
    std::uint32_t depth = 0;  // of the deepest node

    friend bool operator==(const SearchFound&, const SearchFound&) = default;
};

// The parameter that is the size of searches with this input, and the largest.
const Parameter& search_size_of(InputKind input);
std::uint32_t max_search_size(InputKind input);
inline std::uint32_t search_size(const Case& point)
{
    return point[search_size_of(point.input)];
}
std::uint32_t default_cutoff(InputKind input);
// Deeper than every tree.
inline constexpr std::uint32_t kNoCutoff = 65535;
// Levels below the root that a form level by level makes, at most; kNoCutoff or more: there is no bound.
std::uint32_t max_search_levels(const Case& point);
// Children of a node other than the root, at most.
std::uint32_t max_children(const Case& point);

// A tree as the host has searched it: the number of children of every node, in breadth-first order.
class KnownTree
{
  public:
    // Searches the tree on all cores.
    explicit KnownTree(const TreeShape& shape);

    const SearchFound& found() const { return found_; }
    std::uint64_t widest() const { return widest_; } // nodes of a level, at most
    std::uint32_t children(std::uint64_t node) const
    {
        return node == 0 ? root_children_ : children_[static_cast<std::size_t>(node)];
    }
    std::uint64_t first_child(std::uint64_t node) const;

  private:
    static constexpr std::uint64_t kStep = 64;

    std::uint32_t root_children_ = 0; // may be more than a byte holds
    std::vector<std::uint8_t> children_;
    std::vector<std::uint64_t> before_; // children of the nodes before every kStep-th
    SearchFound found_;
    std::uint64_t widest_ = 1;
};

// All solutions of n queens, on all cores.
SearchFound search_queens(std::uint32_t queens);
// Boards with at most `cutoff` queens; any number above `most` if there are more than that.
std::uint64_t boards_within(std::uint32_t queens, std::uint32_t cutoff, std::uint64_t most);

} // namespace nestbed
