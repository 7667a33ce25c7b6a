// Vector clocks: what of all other threads is ordered before a point. A clock maps actors to times. It never changes, so that clocks
// share their parts: a Patricia trie (Okasaki and Gill, "Fast Mergeable Integer Maps", 1998), whose union passes over what both have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

namespace nestbed::races
{

struct ClockNode {
    std::uint64_t key;    // of a leaf; else the bits that all keys below have in common
    std::uint64_t branch; // the bit in which the two sides differ; 0: a leaf
    std::uint32_t time;   // of a leaf
    const ClockNode* zero;
    const ClockNode* one;
};

using Clock = const ClockNode*; // nullptr: nothing is ordered before

// 0 of an actor that it does not have.
std::uint32_t time_of(Clock clock, std::uint64_t actor);

// Makes clocks, and keeps all of them until it ends.
class Clocks
{
  public:
    // With this time of the actor, or the one that it has if that is later.
    Clock with(Clock clock, std::uint64_t actor, std::uint32_t time);
    // The later time of each actor.
    Clock merged(Clock left, Clock right);

    std::size_t bytes() const { return chunks_.size() * kChunk * sizeof(ClockNode); }

  private:
    static constexpr std::size_t kChunk = 4096; // nodes

    Clock leaf(std::uint64_t key, std::uint32_t time) { return make({key, 0, time, nullptr, nullptr}); }
    Clock joined(Clock left, Clock right);
    Clock replaced(Clock node, Clock zero, Clock one);
    Clock make(const ClockNode& node);

    std::deque<std::unique_ptr<ClockNode[]>> chunks_;
    std::size_t used_ = kChunk;
};

} // namespace nestbed::races
