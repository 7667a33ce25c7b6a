#include "device/races/clock.hpp"

#include "device/races/actors.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace nestbed::races
{

namespace
{

// The bits of the key above the branch.
std::uint64_t above(std::uint64_t key, std::uint64_t branch)
{
    return key & ~((branch << 1U) - 1);
}

bool has(Clock node, std::uint64_t key)
{
    return above(key, node->branch) == node->key;
}

constexpr unsigned kGridShift = 32; // of an actor: see actor_of()

bool is_of_one_grid(Clock node, std::uint64_t actor)
{
    return node->branch >> kGridShift == 0 && node->key >> kGridShift == actor >> kGridShift;
}

bool is_end_of_grid(std::uint64_t actor)
{
    return actor == grid_actor(static_cast<std::uint32_t>(actor >> kGridShift));
}

} // namespace

std::uint32_t time_of(Clock clock, std::uint64_t actor)
{
    while (clock != nullptr && clock->branch != 0)
        clock = (actor & clock->branch) != 0 ? clock->one : clock->zero;
    return clock != nullptr && clock->key == actor ? clock->time : 0;
}

Clock Clocks::make(const ClockNode& node)
{
    ++made_;
    if (free_ != nullptr) {
        auto* const made = const_cast<ClockNode*>(free_); // NOLINT(*-const-cast): no clock has it
        free_ = free_->zero;
        *made = node;
        return made;
    }
    if (unused_ == 0) {
        chunks_.push_back(std::make_unique_for_overwrite<ClockNode[]>(kChunk));
        unused_ = kChunk;
    }
    ClockNode& made = chunks_.back()[kChunk - unused_--];
    made = node;
    return &made;
}

Clock Clocks::leaf(std::uint64_t key, std::uint32_t time)
{
    return make({.key = key, .branch = 0, .time = time, .used = 0, .zero = nullptr, .one = nullptr});
}

// Two clocks whose keys differ above both branches.
Clock Clocks::joined(Clock left, Clock right)
{
    const std::uint64_t branch = std::bit_floor(left->key ^ right->key);
    const bool swapped = (left->key & branch) != 0;
    return make({.key = above(left->key, branch),
                 .branch = branch,
                 .time = 0,
                 .used = 0,
                 .zero = swapped ? right : left,
                 .one = swapped ? left : right});
}

Clock Clocks::replaced(Clock node, Clock zero, Clock one)
{
    return zero == node->zero && one == node->one
               ? node
               : make({.key = node->key, .branch = node->branch, .time = 0, .used = 0, .zero = zero, .one = one});
}

// Leaves are shared as all nodes are, so that two clocks that got the same leaf are found to be equal without a look into them.
Clock Clocks::added(Clock clock, Clock leaf)
{
    const std::uint64_t actor = leaf->key;
    if (clock->branch == 0 && clock->key == actor)
        return clock->time >= leaf->time ? clock : leaf;
    if (is_of_one_grid(clock, actor)) {
        if (is_end_of_grid(actor))
            return leaf;
        if (clock->branch == 0 && is_end_of_grid(clock->key))
            return clock;
    }
    if (clock->branch == 0 || !has(clock, actor))
        return joined(clock, leaf);
    if ((actor & clock->branch) != 0)
        return replaced(clock, clock->zero, added(clock->one, leaf));
    return replaced(clock, added(clock->zero, leaf), clock->one);
}

Clock Clocks::with(Clock clock, std::uint64_t actor, std::uint32_t time)
{
    if (clock == nullptr)
        return leaf(actor, time);
    return time_of(clock, actor) >= time ? clock : added(clock, leaf(actor, time));
}

Clock Clocks::merged(Clock left, Clock right)
{
    if (left == right || right == nullptr)
        return left;
    if (left == nullptr)
        return right;
    if (right->branch == 0)
        return added(left, right);
    if (left->branch == 0)
        return added(right, left);
    // Those of few threads or of few grids take no longer than a look: there are too many of them to keep.
    constexpr std::uint64_t kFewThreads = 0x3F;
    constexpr std::uint64_t kSmall = kFewThreads << kGridShift | kFewThreads;
    if (((left->branch | right->branch) & ~kSmall) == 0)
        return merged_now(left, right);
    if (unions_.empty())
        unions_.resize(kUnions);
    constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15U;
    const std::uint64_t mixed =
        reinterpret_cast<std::uintptr_t>(left) * kMix ^ reinterpret_cast<std::uintptr_t>(right) * (kMix << 1U | 1U);
    const std::size_t at = (mixed >> 40U) % kUnions;
    if (const Union& known = unions_[at]; known.left == left && known.right == right)
        return known.both;
    const Clock both = merged_now(left, right);
    unions_[at] = {left, right, both};
    return both;
}

// Of two that are no leaves.
Clock Clocks::merged_now(Clock left, Clock right)
{
    if (left->branch == right->branch && left->key == right->key) {
        const Clock zero = merged(left->zero, right->zero);
        const Clock one = merged(left->one, right->one);
        return zero == right->zero && one == right->one ? right : replaced(left, zero, one);
    }
    if (left->branch < right->branch && has(right, left->key))
        return merged(right, left);
    if (left->branch > right->branch && has(left, right->key)) {
        if ((right->key & left->branch) != 0)
            return replaced(left, left->zero, merged(left->one, right));
        return replaced(left, merged(left->zero, right), left->one);
    }
    return joined(left, right);
}

void Clocks::keep(Clock clock)
{
    if (clock == nullptr || clock->used == collection_)
        return;
    clock->used = collection_;
    ++kept_;
    if (clock->branch == 0)
        return;
    keep(clock->zero);
    keep(clock->one);
}

void Clocks::free_others()
{
    unions_.clear();
    free_ = nullptr;
    for (const auto& chunk : chunks_) {
        const std::size_t made = kChunk - (chunk == chunks_.back() ? unused_ : 0);
        for (ClockNode* node = chunk.get(); node != chunk.get() + made; ++node)
            if (node->used != collection_) {
                node->zero = free_;
                free_ = node;
            }
    }
    ++collection_;
    made_ = 0;
    // A collection looks at every node that is kept: the more there are, the later the next one, while there is memory enough.
    const std::size_t rounds = bytes() < kMuch ? 2 : 1;
    next_collection_ = std::max(kMinCollection, rounds * std::exchange(kept_, 0));
}

} // namespace nestbed::races
