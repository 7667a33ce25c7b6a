// Vector clocks: what of all other threads is ordered before a point. A clock maps actors to times. It never changes, so that clocks
// share their parts: a Patricia trie (Okasaki and Gill, "Fast Mergeable Integer Maps", 1998), whose union passes over what both have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace nestbed::races
{

struct ClockNode {
    std::uint64_t key;          // of a leaf; else the bits that all keys below have in common
    std::uint64_t branch;       // the bit in which the two sides differ; 0: a leaf
    std::uint32_t time;         // of a leaf
    mutable std::uint32_t used; // the last collection that has found it in a clock
    const ClockNode* zero;
    const ClockNode* one;
};

using Clock = const ClockNode*; // nullptr: nothing is ordered before

// 0 of an actor that it does not have.
std::uint32_t time_of(Clock clock, std::uint64_t actor);

// The part that is of a grid: its end alone, or blocks and threads of it; nullptr: there is none.
inline Clock part_of(Clock clock, std::uint32_t grid)
{
    constexpr unsigned kGridShift = 32; // of an actor: see actor_of()
    while (clock != nullptr && clock->branch >> kGridShift != 0)
        clock = (std::uint64_t{grid} << kGridShift & clock->branch) != 0 ? clock->one : clock->zero;
    return clock != nullptr && clock->key >> kGridShift == grid ? clock : nullptr;
}

// Makes clocks, and keeps them until a collection or its own end. A clock that has the end of a grid has nothing else of that grid: the
// end comes after all that its blocks and threads did.
class Clocks
{
  public:
    // With this time of the actor, or the one that it has if that is later.
    Clock with(Clock clock, std::uint64_t actor, std::uint32_t time);
    // The later time of each actor.
    Clock merged(Clock left, Clock right);

    std::size_t bytes() const { return chunks_.size() * kChunk * sizeof(ClockNode); }

    // Whether so many nodes have been made since the last collection that another one is worth its time. It goes: keep() of every clock that
    // is still needed, then free_others(). No other clock may be used after it.
    bool should_collect() const { return made_ >= next_collection_; }
    void keep(Clock clock);
    void free_others();

  private:
    static constexpr std::size_t kChunk = 4096;              // nodes
    static constexpr std::size_t kMinCollection = 1U << 20U; // 48 MB of nodes: a collection takes some milliseconds
    static constexpr std::size_t kMuch = 512U << 20U;        // bytes

    Clock leaf(std::uint64_t key, std::uint32_t time);
    Clock added(Clock clock, Clock leaf);
    Clock joined(Clock left, Clock right);
    Clock replaced(Clock node, Clock zero, Clock one);
    Clock make(const ClockNode& node);
    Clock merged_now(Clock left, Clock right);

    // Unions that were made lately. Two clocks that grow meet with the same large parts again and again, of which one may have the ends of the
    // grids whose threads the other one has: then they share nothing.
    struct Union {
        Clock left, right, both;
    };
    static constexpr std::size_t kUnions = 1U << 14U;
    std::vector<Union> unions_;
    std::deque<std::unique_ptr<ClockNode[]>> chunks_;
    std::size_t unused_ = 0;          // nodes at the end of the last chunk that were never made
    const ClockNode* free_ = nullptr; // those that the last collection freed, each with the next one as `zero`
    std::size_t made_ = 0;            // since the last collection
    std::size_t next_collection_ = kMinCollection;
    std::uint32_t collection_ = 1; // the number of the next one
    std::size_t kept_ = 0;         // nodes that this one has found
};

} // namespace nestbed::races
