// The launches of a search, counted on the host: the trees as numbered nodes, and the recursions over them.
// Optimised: it processes whole inputs.
#include "workloads/search/search_oracle.hpp"

#include "workloads/search/descriptor.hpp"
#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace nestbed
{

namespace
{

// Trees as the oracle sees them: nodes are numbers.
struct KnownNodes {
    const KnownTree& tree;

    std::uint64_t root() const { return 0; }
    std::uint32_t children(std::uint64_t node) const { return tree.children(node); }
    std::uint64_t first_child(std::uint64_t node) const { return tree.first_child(node); }
    std::uint64_t child(std::uint64_t first, std::uint32_t number) const { return first + number; }
};

// A board as a number: its columns, its diagonals, its row. Attacks beyond the board do not matter.
struct QueensNodes {
    std::uint32_t queens;

    static constexpr unsigned kBits = kMaxQueens;
    Board board(std::uint64_t node) const
    {
        constexpr std::uint32_t kMask = (1U << kBits) - 1;
        return {static_cast<std::uint32_t>(node) & kMask, static_cast<std::uint32_t>(node >> kBits) & kMask,
                static_cast<std::uint32_t>(node >> 2 * kBits) & kMask, static_cast<std::uint32_t>(node >> 3 * kBits)};
    }
    std::uint64_t number(const Board& board) const
    {
        constexpr std::uint64_t kMask = (1U << kBits) - 1;
        return (board.columns & kMask) | (board.left & kMask) << kBits | (board.right & kMask) << 2 * kBits |
               std::uint64_t{board.depth()} << 3 * kBits;
    }
    std::uint64_t root() const { return 0; }
    std::uint32_t children(std::uint64_t node) const
    {
        return static_cast<std::uint32_t>(std::popcount(free_columns(board(node), queens)));
    }
    std::uint64_t first_child(std::uint64_t node) const { return node; }
    std::uint64_t child(std::uint64_t node, std::uint32_t number_of_child) const
    {
        const Board parent = board(node);
        std::uint32_t left = free_columns(parent, queens);
        for (std::uint32_t skipped = 0; skipped < number_of_child; ++skipped)
            left &= left - 1;
        return number(placed(parent, left & (~left + 1), queens));
    }
};

// A thread visits the children of a node, and requests a child for the first inner one.
template <class Nodes>
void children_requests(const Nodes& nodes, const Case& point, const ItemBlock& block, std::vector<ChildRequest>& out)
{
    const bool of_root = block.depth == 0;
    const std::uint64_t parent = of_root ? nodes.root() : block.item;
    const std::uint64_t first = nodes.first_child(parent);
    const std::uint32_t count = nodes.children(parent);
    const std::uint32_t begin =
        of_root ? static_cast<std::uint32_t>(block.item) * kRootChildren : block.block * point.block;
    const std::uint32_t threads = of_root ? kRootChildren : point.block;
    const std::uint32_t stride = of_root ? count : block.blocks * point.block;
    if (block.depth + 1 >= point[SearchParameter::cutoff])
        return;
    for (std::uint32_t thread = 0; thread < threads; ++thread)
        for (std::uint32_t index = begin + thread; index < count; index += stride) {
            const std::uint64_t child = nodes.child(first, index);
            if (const std::uint32_t inner = nodes.children(child); inner != 0) {
                out.push_back({thread, child, inner});
                break;
            }
        }
}

// The stacks of the form `budget`.
template <class Nodes>
class BudgetRecursion
{
  public:
    BudgetRecursion(const Nodes& nodes, const Case& point) : nodes_(nodes), point_(point) {}

    std::uint64_t left() const { return left_; }

    void requests(const ItemBlock& block, std::vector<ChildRequest>& out)
    {
        std::vector<Entry> stack = block.depth == 0 ? search(root_share(block)) : search(share_of(block));
        if (block.depth != 0 && block.block + 1 == block.blocks)
            items_[block.item] = {};
        if (stack.empty())
            return;
        left_ += stack.size();
        out.push_back({0, items_.size(), stack.size()});
        items_.push_back(std::move(stack));
    }

  private:
    struct Entry {
        std::uint64_t parent;
        std::uint32_t first, count, depth; // the depth of the parent
    };

    std::vector<Entry> root_share(const ItemBlock& block) const
    {
        const std::uint32_t count = nodes_.children(nodes_.root());
        const auto first = static_cast<std::uint32_t>(block.item) * kRootChildren;
        std::vector<Entry> share;
        for (std::uint32_t index = first; index < std::min(count, first + kRootChildren); ++index)
            share.push_back({nodes_.root(), index, 1, 0});
        return share;
    }
    std::vector<Entry> share_of(const ItemBlock& block) const
    {
        const std::vector<Entry>& item = items_[block.item];
        const auto count = static_cast<std::uint32_t>(item.size());
        return {item.begin() + share_start(count, block.block, block.blocks),
                item.begin() + share_start(count, block.block + 1, block.blocks)};
    }

    void add(std::vector<Entry>& stack, const Entry& entry, bool single) const
    {
        if (entry.count == 0)
            return;
        if (!single) {
            stack.push_back(entry);
            return;
        }
        for (std::uint32_t number = entry.first; number < entry.first + entry.count; ++number)
            stack.push_back({entry.parent, number, 1, entry.depth});
    }

    // What is left, one entry for each node.
    std::vector<Entry> search(const std::vector<Entry>& share) const
    {
        const std::uint32_t threads = searching_threads(point_.block);
        std::vector<Entry> stack;
        std::vector<Entry> taken;
        std::vector<Entry> rests;
        std::vector<Entry> inner;
        std::size_t next = 0;
        const std::uint32_t budget = point_[SearchParameter::budget];
        for (std::uint32_t step = 0; step < budget && stack.size() + threads <= kSearchStack; ++step) {
            taken.clear();
            while (taken.size() < threads && !stack.empty()) {
                taken.push_back(stack.back());
                stack.pop_back();
            }
            while (taken.size() < threads && next < share.size())
                taken.push_back(share[next++]);
            if (taken.empty())
                break;
            rests.clear();
            inner.clear();
            std::size_t single = 0;
            for (const Entry& entry : taken) {
                const std::uint64_t child = nodes_.child(nodes_.first_child(entry.parent), entry.first);
                const std::uint32_t count =
                    entry.depth + 1 >= point_[SearchParameter::cutoff] ? 0 : nodes_.children(child);
                rests.push_back({entry.parent, entry.first + 1, entry.count - 1, entry.depth});
                inner.push_back({child, 0, count, entry.depth + 1});
                single += entry.count - 1 + count;
            }
            const bool fits = stack.size() + single <= kSearchStack;
            for (std::size_t thread = 0; thread < taken.size(); ++thread) {
                add(stack, rests[thread], fits);
                add(stack, inner[thread], fits);
            }
        }
        std::vector<Entry> rest;
        for (const Entry& entry : stack)
            add(rest, entry, true);
        rest.insert(rest.end(), share.begin() + static_cast<std::ptrdiff_t>(next), share.end());
        return rest;
    }

    Nodes nodes_;
    const Case& point_;
    std::vector<std::vector<Entry>> items_;
    std::uint64_t left_ = 0;
};

template <class Nodes>
RequestOracle count_nodes(const Case& point, SearchForm form, const Nodes& nodes)
{
    const std::uint32_t roots = search_roots(point);
    if (form == SearchForm::children)
        return count_requests(point, roots, [&](const ItemBlock& block, std::vector<ChildRequest>& out) {
            children_requests(nodes, point, block, out);
        });
    BudgetRecursion<Nodes> recursion(nodes, point);
    RequestOracle oracle = count_requests(point, roots, [&](const ItemBlock& block, std::vector<ChildRequest>& out) {
        recursion.requests(block, out);
    });
    oracle.divisions = recursion.left();
    return oracle;
}

} // namespace

std::uint32_t search_roots(const Case& point)
{
    std::uint32_t children = 0;
    if (point.input == SearchInput::queens) {
        children = (point[SearchParameter::queens] + 1) / 2;
    } else {
        const TreeShape shape = tree_shape(point);
        const std::vector<std::uint32_t> thresholds = tree_thresholds();
        children = shape.children(shape.root(), thresholds.data());
    }
    return children == 0 ? 1 : (children - 1) / kRootChildren + 1;
}

RequestOracle count_search(const Case& point, SearchForm form, const KnownTree* tree)
{
    if (form == SearchForm::flat) {
        RequestOracle oracle;
        oracle.launches.by_root.assign(search_roots(point), 0);
        return oracle;
    }
    if (tree == nullptr)
        return count_nodes(point, form, QueensNodes{point[SearchParameter::queens]});
    return count_nodes(point, form, KnownNodes{*tree});
}

} // namespace nestbed
