// The race detector: knows of every two accesses of a run whether a rule of CUDA orders them, given the order of launches and of atomics in that run.
//
// What orders (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism" and "Memory Fence Functions"; PTX ISA, "Memory Consistency Model"):
//   - the order of a thread's own instructions;
//   - a barrier: what all threads of a block did before it, before what they do after it;
//   - a launch: what the launching thread (no other one) did before it, before all that the child does;
//   - the end of a grid and of all its descendants, before: the next grid of the NULL stream of the launching block; the tail launches of
//     the grid that launched it; the next grid of the host's stream; the host;
//     what its launching thread did before is not part of this: two threads that launch into one stream may do so in either order;
//   - atomics: what a release comes after, before what follows an acquire of its value, or of a later one that atomics made of it; a fence
//     (__threadfence) makes a release of relaxed atomics behind it and an acquire of those before it.
// What a child does is in no order with what its parent does after the launch. A wait (launch_and_wait) orders by its flag alone, an
// atomic: the child releases it in complete(), and the parent acquires it.
//
// A thread's clock is its block's (what was known at the launch and at the last barrier) and what it acquired since. A launch or release
// adds the thread and its block's phase; a complete grid is one entry. So threads that share a history share its clock, as in BARRACUDA
// (Eizenberg et al., PLDI 2017).
#pragma once

#include "device/cpu/observer.hpp"
#include "device/races/clock.hpp"
#include "device/races/shadow.hpp"
#include "device/races/sites.hpp"

#include <array>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace nestbed::races
{

struct WatchedBlock;

struct WatchedGrid {
    std::uint32_t number = 0;
    const WatchedGrid* parent = nullptr; // nullptr: the host launched it
    unsigned depth = 0;
    std::uint32_t parent_block = 0;
    std::uint16_t parent_thread = 0;
    std::uint32_t parent_phase = 0; // barriers of the launching block before the launch
    std::uint32_t site = 0;         // of the launch
    unsigned stream = 0;            // of the host
    Mechanism mechanism = Mechanism::null_stream;
    WatchedGrid* before = nullptr; // in the NULL stream of the launching block
    Clock base = nullptr;          // what all its threads know: what their launcher knew, and `after`
    Clock after = nullptr;         // what was complete before it started
    // What its end adds: the grid, its descendants, what their threads acquired, and the grids before it in its stream.
    Clock ended = nullptr;
};

struct WatchedThread {
    WatchedBlock* block = nullptr;
    std::uint16_t index = 0;
    std::uint32_t epoch = 1;  // one more than its releases
    std::uint32_t node = 0;   // of the tree of calls: where its function was called
    Clock acquired = nullptr; // since the last barrier
    Clock released = nullptr; // what its last fence released
    Clock unfenced = nullptr; // what its relaxed atomics read, and a fence will acquire
    // What its last atomics would have acquired with fences on both sides, by their addresses.
    std::array<std::pair<std::uintptr_t, Clock>, 4> would_acquire{};
};

struct WatchedBlock {
    WatchedGrid* grid = nullptr;
    std::uint32_t index = 0;
    std::uint32_t phase = 0;           // barriers that have opened
    Clock clock = nullptr;             // what all its threads know
    Clock acquired = nullptr;          // the part of it that its threads acquired
    WatchedGrid* last_child = nullptr; // in its NULL stream
    std::vector<WatchedThread> threads;
    std::vector<const void*> shared; // where its memory begins

    std::size_t bytes() const { return sizeof(WatchedBlock) + threads.capacity() * sizeof(WatchedThread); }
};

class Detector final : public cpu::Observer
{
  public:
    Races watch(const std::function<void()>& work) override;
    void memory(const void* begin, std::size_t bytes, std::size_t element, std::string_view name) override;
    void forget(const void* begin) override;
    void synchronized() override;
    void* launched(void* thread, Mechanism mechanism, unsigned stream, const void* place) override;
    void starts(void* grid) override;
    void done(void* grid) override;
    void complete(void* grid) override;
    void abandoned(void* root) override;
    void* block_begins(void* grid, std::uint64_t index, std::uint32_t threads) override;
    void* thread_of(void* block, std::uint32_t index) override;
    void barrier(void* block) override;
    void block_ends(void* block) override;
    void shared_memory(void* block, const void* begin, std::size_t bytes, std::size_t element,
                       std::string_view name) override;

    // ---- for the hooks: what a thread does; `place`: the address after it ----

    void enters(WatchedThread& thread, const void* place);
    void leaves(WatchedThread& thread);
    // False of memory whose atomics order nothing, or that nobody named.
    bool accesses(WatchedThread& thread, std::uintptr_t address, std::size_t bytes, AccessKind kind,
                  const void* place);
    // After the access itself: what it acquires and releases.
    void reads_atomically(WatchedThread& thread, std::uintptr_t address, bool acquires);
    void writes_atomically(WatchedThread& thread, std::uintptr_t address, bool releases, bool after_reading);
    void fences(WatchedThread& thread, bool acquires, bool releases);

  private:
    struct Released { // by the atomic writes to an address
        Clock clock = nullptr;
        Clock with_fences = nullptr; // if there had been fences
    };
    // Of bytes, an access has as many cells as bytes: its pairs are counted with the first.
    std::vector<Access> counted_;
    struct Found { // races of one pair of sites
        Access first, second;
        std::string memory;
        std::size_t bytes;
        std::string missing;
        std::uint64_t pairs;
    };

    Clock release(WatchedThread& thread);
    bool ordered(const Access& access, const WatchedThread& thread) const;
    // The grid comes after the access, but what comes after the end of the grid may not.
    bool ordered_by_launch_alone(const Access& access, const WatchedGrid* grid) const;
    // Where one of the thread's last atomics is that would order the access, if it had a fence and the one whose value it read had one too;
    // 0: there is none.
    static std::uintptr_t would_order(const Access& access, const WatchedThread& thread);
    void check(std::vector<Access>& accesses, const Access& now, const WatchedThread& thread, const Region& region,
               std::size_t cell, std::size_t bytes);
    void found(const Access& first, const Access& second, const WatchedThread& thread, const Region& region,
               std::size_t cell, std::size_t bytes);
    void access_cell(Cell& cell, const Access& now, const WatchedThread& thread, Region& region, std::size_t number,
                     std::size_t bytes);
    std::string missing_order(const Access& first, const Access& second, const WatchedThread& thread);
    RaceAccess described(const Access& access) const;
    std::vector<Race> described() const;
    // Of all that the detector keeps.
    std::size_t bytes() const;
    // For so many bytes more. Without it nothing is kept from now on, and the case will be refused.
    bool has_room(std::size_t more = 0);
    void remove(WatchedBlock& block);
    // Of memory that may be something else from now on.
    void forget_atomics(std::uintptr_t address, std::size_t bytes);
    void reset();

    bool watching_ = false;
    bool full_ = false; // the limit of memory is reached
    Clocks clocks_;
    Shadow shadow_;
    Sites sites_;
    std::vector<std::unique_ptr<WatchedGrid>> grids_;
    std::map<WatchedBlock*, std::unique_ptr<WatchedBlock>> blocks_;
    std::map<std::uintptr_t, Released> atomics_;
    // The last release of an actor to an address.
    std::map<std::pair<std::uintptr_t, std::uint64_t>, Clock> releases_;
    Clock host_ = nullptr;
    std::map<unsigned, Clock> streams_; // of the host
    std::map<std::pair<std::uint64_t, std::uint64_t>, Found> found_;
    std::uint64_t accesses_ = 0;
    std::uint64_t threads_ = 0;
    std::size_t block_bytes_ = 0;
    std::size_t most_bytes_ = 0; // that were kept at one time
};

} // namespace nestbed::races
