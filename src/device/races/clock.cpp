#include "device/races/clock.hpp"

#include <bit>

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

} // namespace

std::uint32_t time_of(Clock clock, std::uint64_t actor)
{
    while (clock != nullptr && clock->branch != 0)
        clock = (actor & clock->branch) != 0 ? clock->one : clock->zero;
    return clock != nullptr && clock->key == actor ? clock->time : 0;
}

Clock Clocks::make(const ClockNode& node)
{
    if (used_ == kChunk) {
        chunks_.push_back(std::make_unique_for_overwrite<ClockNode[]>(kChunk));
        used_ = 0;
    }
    ClockNode& made = chunks_.back()[used_++];
    made = node;
    return &made;
}

// Two clocks whose keys differ above both branches.
Clock Clocks::joined(Clock left, Clock right)
{
    const std::uint64_t branch = std::bit_floor(left->key ^ right->key);
    const bool swapped = (left->key & branch) != 0;
    return make({above(left->key, branch), branch, 0, swapped ? right : left, swapped ? left : right});
}

Clock Clocks::replaced(Clock node, Clock zero, Clock one)
{
    return zero == node->zero && one == node->one ? node : make({node->key, node->branch, 0, zero, one});
}

Clock Clocks::with(Clock clock, std::uint64_t actor, std::uint32_t time)
{
    if (clock == nullptr)
        return leaf(actor, time);
    if (clock->branch == 0) {
        if (clock->key != actor)
            return joined(clock, leaf(actor, time));
        return clock->time >= time ? clock : leaf(actor, time);
    }
    if (!has(clock, actor))
        return joined(clock, leaf(actor, time));
    if ((actor & clock->branch) != 0)
        return replaced(clock, clock->zero, with(clock->one, actor, time));
    return replaced(clock, with(clock->zero, actor, time), clock->one);
}

Clock Clocks::merged(Clock left, Clock right)
{
    if (left == right || right == nullptr)
        return left;
    if (left == nullptr)
        return right;
    if (right->branch == 0)
        return with(left, right->key, right->time);
    if (left->branch == 0)
        return with(right, left->key, left->time);
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

} // namespace nestbed::races
