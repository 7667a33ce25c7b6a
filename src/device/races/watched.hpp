// What the detector keeps of grids, blocks and threads that run. Each structure names all its clocks in for_each_clock(): a clock that it
// leaves out is lost when the detector makes room (Detector::make_room()).
#pragma once

#include "device/cpu/thread.hpp"
#include "device/races/clock.hpp"
#include "device/races/shadow.hpp"
#include "model/mechanism.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace nestbed::races
{

struct WatchedBlock;
struct HostThread;

inline constexpr std::uint32_t kNoPhase = 0xFFFFFFFF; // that no block reaches

// Whether what the clock is of comes after the access.
bool knows(Clock clock, const Access& access);

// A value that an atomic read: for the report of a race that it would order if there were fences.
struct SeenAtomic {
    std::uintptr_t address = 0;
    Clock with_fences = nullptr; // what it would have acquired with fences on both sides
    Clock released = nullptr;    // what was released
    bool fenced = false;         // a fence of the reading thread came after it

    template <class Visit>
    void for_each_clock(const Visit& visit) const
    {
        visit(with_fences);
        visit(released);
    }
};
using SeenAtomics = std::vector<SeenAtomic>; // the last ones of different addresses, the latest first

// Adds one. Of many, the earliest is forgotten.
void remember(SeenAtomics& seen, const SeenAtomic& atomic);

// What sequentially consistent fences and relaxed atomics did so far, as far as it comes before what a thread does next.
struct Fenced {
    Clock released = nullptr; // what the fences released
    Clock unfenced = nullptr; // what the atomics read of what such fences released, and a fence will acquire

    template <class Visit>
    void for_each_clock(const Visit& visit) const
    {
        visit(released);
        visit(unfenced);
    }
};

// The barrier of blocks that run together.
struct WatchedGroup {
    Clock arrived = nullptr, opened = nullptr; // what came before it; before the one that opened last
    Fenced fenced, fenced_at_opening;

    template <class Visit>
    void for_each_clock(const Visit& visit) const
    {
        visit(arrived);
        visit(opened);
        fenced.for_each_clock(visit);
        fenced_at_opening.for_each_clock(visit);
    }
};

struct WatchedGrid {
    std::uint32_t number = 0;
    const WatchedGrid* parent = nullptr; // nullptr: the host launched it
    const WatchedGrid* above = nullptr;  // an ancestor, for searches of O(log depth) steps
    unsigned depth = 0;
    std::uint32_t parent_block = 0;
    std::uint16_t parent_thread = 0;
    std::uint32_t parent_phase = 0; // barriers of the launching block before the launch
    std::uint32_t parent_epoch = 0; // of the launching thread at the launch
    std::uint32_t site = 0;         // of the launch
    std::uint64_t stream = 0;       // of the host or of the launching block
    Mechanism mechanism = Mechanism::null_stream;
    const char* operation = nullptr;  // of the host: the function of CUDA; nullptr: it is a kernel
    const HostThread* host = nullptr; // the thread of the host that it stands for
    cpu::CallPlace launch{};          // the kernel, and where it was launched, of a user's program
    bool complete = false;            // with its descendants, without tail launches
    WatchedGrid* before = nullptr;    // in the stream of the launching block
    Clock base = nullptr;             // what all its threads know: what their launcher knew, and `after`
    Clock after = nullptr;            // what was complete before it started
    Clock awaited = nullptr;          // the part that events captured for which its stream waits
    Clock to_next = nullptr;          // what its threads released before they let the next grid begin
    // What its end adds: the grid, its descendants, what their threads acquired, and the grids before it in its stream.
    Clock ended = nullptr;
    std::vector<const WatchedGrid*> previous{};   // of a programmatic launch: those that its threads can wait for
    std::map<std::uint64_t, WatchedGroup> groups; // of its blocks that use a barrier of theirs
    Fenced fenced;                                // of its launching thread
    SeenAtomics seen;                             // by its launching thread

    template <class Visit>
    void for_each_clock(const Visit& visit) const
    {
        for (const Clock clock : {base, after, awaited, to_next, ended})
            visit(clock);
        for (const auto& [name, group] : groups)
            group.for_each_clock(visit);
        fenced.for_each_clock(visit);
        for (const SeenAtomic& atomic : seen)
            atomic.for_each_clock(visit);
    }
};

struct WatchedThread {
    WatchedBlock* block = nullptr;
    std::uint16_t index = 0;
    std::uint32_t epoch = 1;                     // one more than its releases
    std::uint32_t node = 0;                      // of the tree of calls: where its function was called
    Clock acquired = nullptr;                    // since the last barrier
    Clock released = nullptr;                    // what its last fence released
    Clock unfenced = nullptr;                    // what its relaxed atomics read, and a fence will acquire
    Clock released_in_block = nullptr;           // the same of the scope of the block: more
    Clock unfenced_in_block = nullptr;           // what a fence of that scope will acquire
    const volatile void* may_wait_for = nullptr; // what it reads again and again
    std::uint32_t reads_that_may_wait = 0;
    std::uintptr_t read_volatile = 0; // where there are other threads of the host: what it has read, or will at once
    Fenced fenced;                    // since the last barrier
    SeenAtomics seen;                 // since the last barrier
    std::uint32_t ended_phase = kNoPhase; // of the block, when it ended: it has met no barrier after that
    bool has_arrived = false;             // at the next barrier, for which it does not wait yet
    bool reads_object = false;            // its next read is that of a structure
    // What it accesses now is of a copy beside it, of this lane; 0: it is not. In the lane 1 are copies of groups, and what bulk copies of
    // groups read; in 2 what those write. Bulk copies that complete a barrier are in 2 and 3 by turns, so that a wait for one stage of a
    // pipeline is not one for the next stage.
    unsigned copies = 0;
    bool copies_in_bulk = false;               // the same by the asynchronous proxy
    std::uint32_t copied_epoch = 1;            // of the copies that are in no group yet
    std::vector<std::uint32_t> committed;      // those of the groups for which it has not waited
    std::vector<std::uint32_t> bulk_committed; // the same of bulk copies
    std::vector<const void*> completed;        // the barriers of its bulk copies
    const void* knows_begin_of = nullptr;      // a block of its cluster

    struct Read {
        std::uintptr_t address = 0; // 0: there was none
        std::uint32_t site = 0;
        bool is_plain = false;
    } last_read; // of memory that the detector knows

    template <class Visit>
    void for_each_clock(const Visit& visit) const
    {
        for (const Clock clock : {acquired, released, unfenced, released_in_block, unfenced_in_block})
            visit(clock);
        fenced.for_each_clock(visit);
        for (const SeenAtomic& atomic : seen)
            atomic.for_each_clock(visit);
    }
};

// What an event captured: a clock, and the end of a grid. Of the host: the last grid of its stream, of which the clock has the end if
// it had ended.
struct Captured {
    Clock clock = nullptr;
    const WatchedGrid* grid = nullptr;
};

struct WatchedBlock {
    WatchedGrid* grid = nullptr;
    std::uint32_t index = 0;
    std::uint64_t cluster = 0;                                         // a number that no other cluster has
    std::uint32_t phase = 0;                                           // barriers that have opened
    Clock clock = nullptr;                                             // what all its threads know
    Clock acquired = nullptr;                                          // the part of it that its threads acquired
    Fenced fenced;                                                     // of all its threads
    SeenAtomics seen;                                                  // by all its threads
    std::vector<std::pair<std::uint64_t, WatchedGrid*>> last_children; // by stream; 0: its NULL stream
    std::map<std::uint64_t, Clock> awaited;   // by stream: what events captured for which it waits
    std::vector<const WatchedGrid*> children; // that nobody has waited for, without tail launches
    Clock waited = nullptr;                   // what the end of the others adds
    std::vector<WatchedThread> threads;
    std::vector<const void*> shared; // where its memory begins

    std::size_t bytes() const { return sizeof(WatchedBlock) + threads.capacity() * sizeof(WatchedThread); }

    template <class Visit>
    void for_each_clock(const Visit& visit) const
    {
        for (const Clock each : {clock, acquired, waited})
            visit(each);
        fenced.for_each_clock(visit);
        for (const SeenAtomic& atomic : seen)
            atomic.for_each_clock(visit);
        for (const auto& [stream, of_events] : awaited)
            visit(of_events);
        for (const WatchedThread& thread : threads)
            thread.for_each_clock(visit);
    }
};

// A thread of the host: a block of one thread. While there are others, it is of a grid, and what it accesses is kept.
struct HostThread {
    unsigned number = 1;              // from the beginning of the program on
    std::vector<const void*> made_at; // the calls that led to where it was made
    WatchedBlock block{};
    WatchedThread* function = nullptr; // of the host, that it runs for a stream
    std::vector<const void*> calls{};  // where the functions were called that it is in

    // What it has accessed lately, place by place: a loop over an array is one span.
    struct Recent {
        const Region* region = nullptr;
        std::uint32_t site = 0, epoch = 0;
        std::size_t end = 0;
        AccessKind kind = read_access;
        bool has_span = false;
    };
    static constexpr std::size_t kRecent = 8;
    std::array<Recent, kRecent> recent{};

    HostThread() { forget(); }
    WatchedThread& thread() { return block.threads.front(); }
    const WatchedThread& thread() const { return block.threads.front(); }
    // All that it did.
    void forget()
    {
        block = {};
        block.threads.resize(1);
        thread().block = &block;
        function = nullptr;
        recent = {};
    }
};

} // namespace nestbed::races
