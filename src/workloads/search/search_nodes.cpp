// Optimised: it processes whole inputs.
#include "workloads/search/search_nodes.hpp"

#include "workloads/search/descriptor.hpp"
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstddef>
#include <system_error>
#include <thread>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::uint32_t kNumbers = 0x80000000; // random numbers are below it
constexpr std::uint32_t kBranching = 4;        // of t1, on average

std::uint32_t number_below(double share)
{
    return static_cast<std::uint32_t>(std::ceil(share * kNumbers));
}

// Children of a node of t1 with this random number: geometrically distributed with mean kBranching.
std::uint32_t geometric_children(std::uint32_t number)
{
    const double success = 1.0 / (1.0 + kBranching);
    return static_cast<std::uint32_t>(
        std::floor(std::log(1 - number / static_cast<double>(kNumbers)) / std::log(1 - success)));
}

unsigned cores()
{
    return std::max(1U, std::thread::hardware_concurrency());
}

// Calls work(thread) on so many threads, and on the calling one as thread 0. Returns how many there were.
template <class Work>
void on_threads(unsigned threads, const Work& work)
{
    std::vector<std::jthread> helpers;
    for (unsigned thread = 1; thread < threads; ++thread)
        helpers.emplace_back([&work, thread] { work(thread); });
    work(0);
}

} // namespace

TreeShape tree_shape(const Case& point)
{
    const std::uint32_t size = search_size(point);
    if (point.input == SearchInput::t3)
        return {42, size, kNoCutoff, number_below(0.124875), 8, false};
    if (point.input == SearchInput::t3l)
        return {7, size, kNoCutoff, number_below(0.200014), 5, false};
    if (point.input == SearchInput::path)
        return {0, 0, size - 1, kNumbers, 1, false};
    return {19, 0, size - 1, 0, 0, true};
}

std::vector<std::uint32_t> tree_thresholds()
{
    std::vector<std::uint32_t> thresholds(kMaxChildren, kNumbers);
    for (std::uint32_t count = 0; count < kMaxChildren; ++count) {
        std::uint32_t low = 0;
        for (std::uint32_t end = kNumbers; low < end;) {
            const std::uint32_t middle = low + (end - low) / 2;
            if (geometric_children(middle) > count)
                end = middle;
            else
                low = middle + 1;
        }
        thresholds[count] = low;
    }
    return thresholds;
}

const Parameter& search_size_of(InputKind input)
{
    return input == SearchInput::t1       ? SearchParameter::tree_levels
           : input == SearchInput::queens ? SearchParameter::queens
           : input == SearchInput::path   ? SearchParameter::path_nodes
                                          : SearchParameter::root_children;
}

std::uint32_t max_search_size(InputKind input)
{
    if (input == SearchInput::t1)
        return 13;
    if (input == SearchInput::queens)
        return kMaxQueens;
    if (input == SearchInput::path)
        return kNoCutoff;
    return input == SearchInput::t3 ? 10000 : 2000; // t3l: 1.1e8 nodes
}

std::uint32_t default_cutoff(InputKind input)
{
    constexpr std::uint32_t kDefaultQueens = 6;
    return input == SearchInput::queens ? kDefaultQueens : kNoCutoff;
}

std::uint32_t max_search_levels(const Case& point)
{
    const std::uint32_t levels =
        point.input == SearchInput::queens ? point[SearchParameter::queens] : tree_shape(point).last_depth;
    return std::min(levels, point[SearchParameter::cutoff]);
}

std::uint32_t max_children(const Case& point)
{
    if (point.input == SearchInput::queens)
        return point[SearchParameter::queens];
    return point.input == SearchInput::t1 ? kMaxChildren : tree_shape(point).most;
}

// --- the known tree ---

namespace
{

struct InnerNode {
    TreeNode node;
    std::uint32_t children;
    std::uint64_t first; // its first child, in the next level
};

} // namespace

KnownTree::KnownTree(const TreeShape& shape)
{
    // Nodes of a level: threads wait for each other at its end. The more there are, the more they save.
    const std::uint64_t worth_threads = (1U << 16) / cores();
    const std::vector<std::uint32_t> thresholds = tree_thresholds();
    const TreeNode root = shape.root();
    root_children_ = shape.children(root, thresholds.data());
    children_.assign(1, 0);
    std::vector<InnerNode> level;
    if (root_children_ != 0)
        level.push_back({root, root_children_, 0});
    std::uint64_t next_nodes = root_children_; // of the next level
    found_ = {.nodes = 1, .leaves = level.empty() ? 1U : 0U, .answer = 0, .depth = 0};

    // Searches children [first, end) of the level's nodes.
    const auto search = [&](std::uint64_t first, std::uint64_t end, std::vector<InnerNode>& inner) {
        if (first == end)
            return;
        auto parent = std::prev(std::ranges::upper_bound(level, first, {}, &InnerNode::first));
        const std::size_t before = children_.size() - next_nodes;
        for (std::uint64_t child = first; child < end; ++child) {
            if (child - parent->first == parent->children)
                ++parent;
            const TreeNode node = child_of(parent->node, static_cast<std::uint32_t>(child - parent->first));
            const std::uint32_t count = shape.children(node, thresholds.data());
            children_[before + child] = static_cast<std::uint8_t>(count);
            if (count != 0)
                inner.push_back({node, count, 0});
        }
    };
    // Makes room for the next level. False if there is none.
    const auto begin_level = [&] {
        if (next_nodes == 0)
            return false;
        ++found_.depth;
        found_.nodes += next_nodes;
        widest_ = std::max(widest_, next_nodes);
        children_.resize(children_.size() + next_nodes);
        return true;
    };
    std::vector<std::vector<InnerNode>> inner(cores());
    const auto end_level = [&] {
        std::uint64_t count = 0;
        level.clear();
        const std::uint64_t nodes = next_nodes;
        for (std::vector<InnerNode>& part : inner) {
            for (InnerNode& node : part) {
                node.first = count;
                count += node.children;
                level.push_back(node);
            }
            part.clear();
        }
        found_.leaves += nodes - level.size();
        next_nodes = count;
    };
    bool more = begin_level();
    while (more && next_nodes < worth_threads) {
        search(0, next_nodes, inner.front());
        end_level();
        more = begin_level();
    }
    if (more) {
        const unsigned threads = cores();
        std::barrier searched(threads, [&]() noexcept {
            end_level();
            more = begin_level();
        });
        on_threads(threads, [&](unsigned thread) {
            while (more) {
                search(next_nodes * thread / threads, next_nodes * (thread + 1) / threads, inner[thread]);
                searched.arrive_and_wait();
            }
        });
    }
    found_.answer = found_.nodes;
    std::uint64_t sum = 0;
    for (std::size_t node = 0; node < children_.size(); ++node) {
        if (node % kStep == 0)
            before_.push_back(sum);
        sum += children_[node];
    }
}

std::uint64_t KnownTree::first_child(std::uint64_t node) const
{
    if (node == 0)
        return 1;
    std::uint64_t sum = 0;
    for (std::uint64_t other = node / kStep * kStep; other < node; ++other)
        sum += children_[static_cast<std::size_t>(other)];
    return 1 + root_children_ + before_[static_cast<std::size_t>(node / kStep)] + sum;
}

// --- queens ---

namespace
{

// Calls visit(child) for every board that follows.
template <class Visit>
void for_children(const Board& board, std::uint32_t queens, const Visit& visit)
{
    for (std::uint32_t left = free_columns(board, queens); left != 0; left &= left - 1)
        visit(placed(board, left & (~left + 1), queens));
}

void search_board(const Board& board, std::uint32_t queens, SearchFound& found)
{
    ++found.nodes;
    found.depth = std::max(found.depth, board.depth());
    if (board.depth() == queens)
        found.answer += board.solutions();
    bool leaf = true;
    for_children(board, queens, [&](const Board& child) {
        leaf = false;
        search_board(child, queens, found);
    });
    found.leaves += leaf ? 1 : 0;
}

void collect_boards(const Board& board, std::uint32_t queens, std::uint32_t depth, SearchFound& found,
                    std::vector<Board>& boards)
{
    if (board.depth() == depth) {
        boards.push_back(board);
        return;
    }
    ++found.nodes;
    bool leaf = true;
    for_children(board, queens, [&](const Board& child) {
        leaf = false;
        collect_boards(child, queens, depth, found, boards);
    });
    found.leaves += leaf ? 1 : 0;
    found.depth = std::max(found.depth, board.depth());
}

void count_boards(const Board& board, std::uint32_t queens, std::uint32_t cutoff, std::uint64_t most,
                  std::uint64_t& boards)
{
    if (boards++ > most || board.depth() == cutoff)
        return;
    for_children(board, queens, [&](const Board& child) { count_boards(child, queens, cutoff, most, boards); });
}

} // namespace

SearchFound search_queens(std::uint32_t queens)
{
    constexpr std::uint32_t kShared = 4; // rows
    SearchFound all;
    std::vector<Board> boards;
    collect_boards({}, queens, std::min(queens, kShared), all, boards);
    const unsigned threads = queens < 10 ? 1 : cores();
    std::atomic<std::size_t> next = 0;
    std::vector<SearchFound> found(threads);
    on_threads(threads, [&](unsigned thread) {
        SearchFound mine;
        for (std::size_t index = next++; index < boards.size(); index = next++)
            search_board(boards[index], queens, mine);
        found[thread] = mine;
    });
    for (const SearchFound& one : found) {
        all.nodes += one.nodes;
        all.leaves += one.leaves;
        all.answer += one.answer;
        all.depth = std::max(all.depth, one.depth);
    }
    return all;
}

std::uint64_t boards_within(std::uint32_t queens, std::uint32_t cutoff, std::uint64_t most)
{
    std::uint64_t boards = 0;
    count_boards({}, queens, cutoff, most, boards);
    return boards;
}

} // namespace nestbed
