// The race detector: knows of every two accesses of a run whether a rule of CUDA orders them, given the order of launches and of atomics in
// that run. It also finds accesses outside of memory, and reads of what nothing has written.
//
// What orders (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism" and "Memory Fence Functions"; PTX ISA, "Memory Consistency Model"):
//   - the order of a thread's own instructions;
//   - a barrier: what all threads of a block did before it, before what they do after it; __syncwarp(): the same for its lanes;
//   - a launch: what the launching thread (no other one) did before it, before all that the child does;
//   - programmatic dependent launch (PTX ISA, griddepcontrol): what a thread released by a fence (__threadfence) before it let the next
//     grid begin, as the first one of its block, before all that the next grid does; the end of a grid and of all its descendants,
//     before what a thread of the next one does after it has waited for it. A grid that is launched so is in no other order with the
//     one before it in its stream;
//   - the end of a grid and of all its descendants, before: the next grid of the same stream of the launching block (its NULL stream, or a
//     named one), and the next of a stream that waits for an event which captured this one; the tail launches of the grid that launched
//     it; the next grid of the host's stream; the host; what a thread of the launching block does after it has waited for all children;
//     what its launching thread did before is not part of this: two threads that launch into one stream may do so in either order;
//   - atomics: what a release comes after, before what follows an acquire of its value, or of a later one that atomics made of it; a fence
//     (__threadfence) makes a release of relaxed atomics behind it and an acquire of those before it.
// An atomic operation or a fence whose scope is the block counts among the threads of this block alone, and an atomic of another block is
// no part of its release sequence: two operations are morally strong only if the scope of each includes the thread of the other (PTX
// ISA, "Morally Strong Operations"). So two atomics of different blocks race if the scope of one is its block.
// A fence counts for later atomics of other threads too, if a barrier or a launch is between: __threadfence(); __syncthreads(); and then
// one thread's atomicAdd(). No release pattern says so: it begins with the fence of the thread that counts, which the writes of the others
// do not come before (PTX ISA 9.0, 8.8 and 8.9.4). But __threadfence() is fence.sc. Any two of these are in an order at run time, in which
// the first synchronizes with the second (8.9.3, 8.9.4), and a barrier synchronizes, so that causality order goes on through it (8.9.5).
// Say that fence A comes before atomic X in causality order, that Y reads what X wrote, and that Y comes before fence B. If B were before
// A, then Y would come before X in causality order, and a read cannot read from a write that comes after it (8.10.6). So A is before B. If
// Y reads what other atomics made of X, this follows only where Y writes too: Y would come before X in coherence order (8.10.1), and
// behind it, because atomics are atomic (8.10.3, 8.10.5). For a load no axiom says so, and it acquires what comes before the last write
// alone. A fence of less than fence.sc has no such order: it counts for the atomics of its own thread alone.
// What a child does is in no order with what its parent does after the launch. A wait (launch_and_wait) orders by its flag alone, an
// atomic: the child releases it in complete(), and the parent acquires it.
//
// A thread's clock is its block's (what was known at the launch and at the last barrier) and what it acquired since. A launch or release
// adds the thread and its block's phase; a complete grid is one entry. So threads that share a history share its clock, as in BARRACUDA
// (Eizenberg et al., PLDI 2017).
#pragma once

#include "device/cpu/interruptible.hpp"
#include "device/cpu/observer.hpp"
#include "device/cpu/shared_place.hpp"
#include "device/races/actors.hpp"
#include "device/races/busy.hpp"
#include "device/races/clock.hpp"
#include "device/races/shadow.hpp"
#include "device/races/sites.hpp"
#include "device/races/watched.hpp"

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace nestbed::races
{

// An array or a structure on the stack of a thread.
struct LocalVariable {
    const char* name = "";
    std::size_t bytes = 0;
    std::size_t element = 1; // bytes of an element of an array of numbers
};

// Where memory is whose accesses by the host are checked.
struct Checked {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;

    void add(std::uintptr_t from, std::size_t count);
};

class Detector final : public cpu::Observer, public cpu::Interruptible
{
  public:
    Detector() { running_hosts_.push_back(hosts_.emplace_back(std::make_unique<HostThread>()).get()); }

    void begin() override;
    Races end() override;
    Races watch(const std::function<void()>& work) override;
    void memory(const cpu::Memory& memory) override;
    void forget(const void* begin) override;
    void freed(const void* begin, const void* place) override;
    void host_wrote(const void* begin, std::size_t bytes) override;
    void synchronized() override;
    void stream_synchronized(std::uint64_t stream) override;
    void event_synchronized(const cpu::Captured& captured) override;
    cpu::Captured captures(void* thread, std::uint64_t stream) override;
    void* operation_begins(std::uint64_t stream, const char* name, const void* place) override;
    void operation_accesses(void* operation, const cpu::Rows& rows, bool write) override;
    void operation_runs_on_host(void* operation) override;
    void operation_ends(void* operation) override;
    cpu::Captured captures_thread(void* thread) override;
    void stream_made(void* thread, std::uint64_t stream, const void* place, std::uint64_t graph) override;
    void stream_waits(void* thread, std::uint64_t stream, const cpu::Captured& captured) override;
    void stream_overlaps(std::uint64_t stream, const cpu::Captured& captured, cpu::Overlap overlap) override;
    void stream_ends(std::uint64_t stream) override;
    void* launched(void* thread, Mechanism mechanism, std::uint64_t stream, const void* place,
                   const cpu::CallPlace& launch) override;
    void starts(void* grid) override;
    void done(void* grid) override;
    void complete(void* grid) override;
    void abandoned(void* root) override;
    void* block_begins(void* grid, std::uint64_t index, std::uint32_t threads, std::uint64_t cluster) override;
    void* thread_of(void* block, std::uint32_t index) override;
    void barrier(void* block) override;
    void arrives_at_group(void* thread, std::uint64_t group) override;
    void group_opens(void* grid, std::uint64_t group) override;
    void waited_for_group(void* thread, std::uint64_t group) override;
    void warp_barrier(std::span<void* const> threads) override;
    void misused(void* thread, const cpu::Misuse& misuse) override;
    void thread_ends(void* thread) override;
    void arrived(void* thread) override;
    void copies_beside(void* thread, const void* to, const void* from, std::size_t bytes, const void* place) override;
    void commits_copies(void* thread) override;
    void waited_for_copies(void* thread, std::size_t prior) override;
    void forgets_barrier(const void* at) override;
    void uses_barrier(void* thread, const void* at, bool writes, const void* place) override;
    void arrives_at(void* thread, const void* at) override;
    void copies_arrive_at(void* thread, const void* at) override;
    void bulk_copies(void* thread, const cpu::BulkCopy& copy) override;
    void commits_bulk_copies(void* thread) override;
    void waited_for_bulk_copies(void* thread, std::size_t prior, bool only_reads) override;
    void bulk_completes_at(void* thread, const void* at) override;
    void fences_async_proxy(void* thread) override;
    void opens(const void* at) override;
    void waited_at(void* thread, const void* at) override;
    void waited(void* thread) override;
    void lets_next_grid_begin(void* thread) override;
    void waited_for_previous_grid(void* thread) override;
    void block_ends(void* block) override;
    void shared_memory(void* block, const cpu::Memory& memory) override;
    void stop() override { Busy::stop(); }
    std::string last_access() override;
    std::string access_without_memory(const void* address) override;
    const void* place_of_last_access() const override
    {
        return cpu::current_thread != nullptr && tried_.thread == cpu::current_thread->observed ? tried_.place
                                                                                                : nullptr;
    }
    cpu::LastRead last_read(void* thread) override;

    // ---- for the hooks: what a thread does; `place`: the address after it ----

    void enters(WatchedThread& thread, const void* place);
    void leaves(WatchedThread& thread);
    // ---- threads of the host ----

    // The thread of the host that calls; nullptr: what it does is not watched.
    static HostThread* this_host() { return this_host_; }
    // The caller, at the begin of the program.
    void host_begins();
    // The caller is about to start a thread; that thread begins; the caller has waited for its end, or it was never started.
    HostThread& host_makes_thread(const void* place);
    static void host_thread_begins(HostThread& thread) { this_host_ = &thread; }
    void host_thread_joined(HostThread& thread);
    void host_thread_ends(HostThread& thread); // which nobody can join
    static void host_enters(const void* place) { this_host_->calls.push_back(place); }
    static void host_leaves()
    {
        if (!this_host_->calls.empty())
            this_host_->calls.pop_back();
    }
    void host_accesses(std::uintptr_t address, std::size_t bytes, bool write, const void* place);
    struct HostAtomic {
        bool reads, writes, acquires, releases;
    };
    void host_atomic(std::uintptr_t address, std::size_t bytes, AccessKind kind, const HostAtomic& atomic,
                     const void* place);
    // Behind an atomic operation that reads; before one that may write.
    void host_has_read(std::uintptr_t address, bool acquires);
    void host_may_release(std::uintptr_t address);
    // The same of the last volatile read of the thread.
    void has_read_volatile(WatchedThread& thread, bool acquires, bool in_block);
    void host_fences(bool acquires, bool releases, bool sequential);
    // By a lock, a semaphore and the like: what the caller did comes before what another one does after it has acquired.
    void host_releases(std::uintptr_t lock);
    void host_acquires(std::uintptr_t lock);
    // Whether what orders threads of the host, and functions of theirs in streams, must be known.
    static bool has_several_actors_of_host() { return is_several_ || has_functions_; }
    bool has_several_hosts() const override { return is_several_; }
    // Whether the host's accesses of some memory near there are checked.
    static bool checks_host_at(std::uintptr_t address)
    {
        return address - checked_.begin < checked_.bytes ||
               address - checked_variables_.begin < checked_variables_.bytes ||
               address - checked_pageable_.begin < checked_pageable_.bytes;
    }
    // False of memory whose atomics order nothing, that nobody named, or that is not there. `reads`: what was there before matters.
    // `alignment`: what the address must be a multiple of; 0: of a variable its own. `in_block`: an atomic operation whose scope is the block.
    // `is_object`: of which nobody may need each byte, as a copy of a structure; else of one number.
    bool accesses(WatchedThread& thread, std::uintptr_t address, std::size_t bytes, AccessKind kind, bool reads,
                  const void* place, std::size_t alignment, bool in_block = false, bool is_object = false);
    // A thread's access to `bytes` at the offset in a local variable of `size` bytes, outside of which they are in part.
    void accesses_beyond_local(const WatchedThread& thread, std::ptrdiff_t offset, std::size_t bytes,
                               const LocalVariable& variable, AccessKind kind, const void* place);
    // A read through the cache for data that is read-only for the whole kernel; besides accesses().
    void reads_read_only(WatchedThread& thread, std::uintptr_t address, std::size_t bytes, const void* place);
    // Why the last access must not be done; empty: it may. Forgets it.
    std::string take_illegal() { return std::exchange(illegal_, {}); }
    // Of a vector, as float4, which GCC reads in parts, or at once by an instruction that ends the program.
    void accesses_misaligned(const WatchedThread& thread, std::uintptr_t address, std::size_t bytes, AccessKind kind,
                             std::size_t alignment, const void* place);
    bool is_illegal() const { return !illegal_.empty(); }
    // After the access itself: what it acquires and releases.
    // `in_block`: of the scope of the block.
    // `and_writes`: an atomic operation that does both, and not a load.
    void reads_atomically(WatchedThread& thread, std::uintptr_t address, bool acquires, bool and_writes,
                          bool in_block);
    void writes_atomically(WatchedThread& thread, std::uintptr_t address, bool releases, bool after_reading,
                           bool in_block);
    // `sequential`: sequentially consistent.
    void fences(WatchedThread& thread, bool acquires, bool releases, bool sequential, bool in_block);

  private:
    struct Released { // by the atomic writes to an address
        Clock clock = nullptr;
        Clock sequential = nullptr;              // the part that fences released which are sequentially consistent
        Clock last_sequential = nullptr;         // of this, that of the last write
        Clock with_fences = nullptr;             // if there had been fences
        std::optional<std::uint64_t> writer;     // the block, if all of them were of one block
        std::map<std::uint64_t, Clock> in_block; // more, to the threads of a block

        // What the atomics of this block released to its own threads.
        Clock to_own_threads(Clocks& clocks, std::uint64_t block) const;
        template <class Visit>
        void for_each_clock(const Visit& visit) const
        {
            for (const Clock each : {clock, sequential, last_sequential, with_fences})
                visit(each);
            for (const auto& [block, more] : in_block)
                visit(more);
        }
    };
    // Of bytes, an access has as many cells as bytes: its pairs are counted with the first.
    std::vector<Access> counted_;
    struct Missing {
        std::string text;
        const WatchedGrid* launched = nullptr; // by the launch that the text is about, if `launched at` is another
    };
    // What two plain writes that race have written, if it is the same in all pairs.
    struct SameValue {
        static constexpr std::size_t kMaxBytes = 16;
        bool holds = true;  // of all pairs so far
        bool is_one = true; // and is the same in all of them
        std::size_t bytes = 0;
        std::array<unsigned char, kMaxBytes> value{};
    };
    struct Found { // races of one pair of sites
        Access first, second;
        std::string memory;
        std::size_t bytes;
        Missing missing;
        std::uint64_t pairs;
        SameValue same{};
    };
    // A write that races with plain writes: what it has written is in memory as soon as the thread does anything else.
    struct Rewrite {
        Region* region = nullptr; // nullptr: there is none
        Access access{};
        std::uintptr_t address = 0;
        std::size_t bytes = 0;
        std::array<unsigned char, SameValue::kMaxBytes> before{};
        std::vector<Found*> found;
    };
    struct FoundBad { // accesses of one site
        Access access;
        std::string memory;
        std::size_t bytes;
        std::ptrdiff_t beyond;
        std::string allocation;
        SourcePlace freed;
        std::uint64_t count;
    };

    struct FoundMisuse {
        cpu::Misuse misuse; // the first one at its place
        std::string text;
        RaceAccess access;
        std::uint64_t count;
    };
    std::vector<BadAccess> described_misuses(bool warnings) const;

    // The launches of two threads of a block into one stream: notes that their order is open, if it is.
    void follows_in_stream(const WatchedGrid& before, const WatchedGrid& grid, const WatchedThread& thread);
    Clock release(WatchedThread& thread);
    bool ordered(const Access& access, const WatchedThread& thread) const;
    bool ordered_by_threads(const Access& access, const WatchedThread& thread) const; // whatever the proxies are
    // The access is a write by the generic proxy, the thread makes a bulk copy, and no fence of the asynchronous proxy has come after the
    // write. Which thread makes the fence does not matter, if it comes after the write.
    bool lacks_proxy_fence(const Access& access, const WatchedThread& thread) const;
    // The grid comes after the access, but what comes after the end of the grid may not.
    bool ordered_by_launch_alone(const Access& access, const WatchedGrid* grid) const;
    // One of the last atomics of the thread, of its block or of the launching thread of its grid or of a grid above, that would order the
    // access if there were fences. nullptr: there is none.
    static const SeenAtomic* would_order(const Access& access, const WatchedThread& thread);
    // `knows_last`: the last of the list is the last write.
    void check(std::vector<Access>& accesses, const Access& now, const WatchedThread& thread, Region& region,
               std::size_t cell, std::size_t bytes, bool knows_last);
    bool are_of_one_run(const Access& first, const Access& second) const;
    // Two plain writes. `knows_last`: of them, the memory has what the first one wrote.
    void compare(Found& pairs, const Access& now, Region& region, bool knows_last);
    void settle()
    {
        if (rewrite_.region != nullptr) [[unlikely]]
            finish_rewrite();
    }
    void finish_rewrite();
    Found& found(const Access& first, const Access& second, const WatchedThread* thread, const Region& region,
                 std::size_t cell, std::size_t bytes);
    // Why a thread may not access the shared memory of another block; none: it may.
    std::optional<BadAccess::OfBlock> of_other_block(WatchedThread& thread, const Region& region);
    // The end of a block comes after what others of its cluster did to its shared memory, or they are reported.
    void check_end(const WatchedBlock& block, const Region& region, Clock end);
    Region* nearest_shared(const WatchedBlock& block, std::uintptr_t address);
    // has_memory(), which asks the system; not again for a page that had some since a block began.
    bool has_memory_now(std::uintptr_t address);
    // Of memory that the detector does not know: reports it, unless it is the thread's own or a stand-in header makes the access.
    void accesses_unknown(const WatchedThread& thread, std::uintptr_t address, std::size_t bytes, AccessKind kind,
                          const void* place);
    // Of a variable that the detector does not know: reports an access outside of all variables.
    bool is_beyond_variables(const Access& now, std::uintptr_t address, std::size_t bytes, const Region& region);
    [[gnu::always_inline]] Access made_by(const WatchedThread& thread, AccessKind kind, const void* place,
                                          bool in_block)
    {
        const WatchedBlock& block = *thread.block;
        return {.grid = block.grid->number,
                .block = block.index,
                .epoch = thread.copies != 0 ? thread.copied_epoch : thread.epoch,
                .phase = thread.copies != 0 ? kNoPhase : block.phase + (thread.has_arrived ? 1 : 0),
                .site = sites_.at(thread.node, place),
                .thread = copier_of(thread.index, thread.copies),
                .kind = kind,
                .in_block = in_block};
    }
    // The place of a call or an access of the host.
    std::uint32_t host_site(const void* place);
    static Access access_by(const WatchedGrid& operation, bool write);
    // What the host or an operation of it does to memory: finds the races with what it does not come after.
    // `place`: of an access whose site is not known yet.
    void check_host_access(Region& region, Access now, const RegionRows& rows, Clock clock,
                           const void* place = nullptr);
    // The same of a function of the host in a stream, and of a thread of the host while there are others.
    void kept_access(WatchedThread& thread, Region& region, const RegionRows& rows, Access now);
    void keep_span(HostThread::Recent& recent, Region& region, const Access& access, const RegionRows& rows);
    void make_room_for_span(Region& region);
    void join_spans(std::vector<HostSpan>& spans) const;
    // Who calls for the host: a thread that is not watched counts as the first one.
    HostThread& host() { return this_host_ == nullptr ? *hosts_.front() : *this_host_; }
    Clock& host_clock() { return host().thread().acquired; }
    // The same of the function in a stream that it runs, if it does.
    Clock& acquired_by_host() { return host().function == nullptr ? host_clock() : host().function->acquired; }
    // What comes before something that the caller asks for.
    Clock released_by_host();
    // The caller or its function, where what it accesses is kept; nullptr: it need not be.
    WatchedThread* kept_host();
    WatchedThread* kept_actor() { return host().function == nullptr ? kept_host() : host().function; }
    // Two threads of the host, and memory that is no device's: ThreadSanitizer looks for such races.
    bool concerns_host_alone(const Region& region, const Access& first, const Access& second) const
    {
        return region.is_of_host && is_of_host_thread(first) && is_of_host_thread(second);
    }
    bool all_hosts_know(const Access& access) const;
    bool is_of_host_thread(const Access& access) const
    {
        return access.grid == kHost || grids_[access.grid]->host != nullptr;
    }
    std::string spelled_host(const Access& access) const;
    // The same with what operations of the host did, which is no part of the cells.
    void check_spans(Region& region, const Access& now, const WatchedThread& thread, std::size_t first,
                     std::size_t end, std::size_t bytes);
    void add_span(Region& region, const Access& access, const RegionRows& rows);
    // Pageable memory, which nobody has named: what copies write there is kept until the host has waited for them.
    void copies_pageable(const WatchedGrid& copy, const RegionRows& rows, bool write);
    void pageable_access(std::uintptr_t address, std::size_t bytes, bool write, const void* place);
    void check_pageable(const RegionRows& rows, Access now, const WatchedThread* thread, Clock clock);
    void forget_pageable();
    // Whether the clock has all that the host has put into its streams and not waited for.
    bool knows_all(Clock clock);
    void access_cell(Cell& cell, const Access& now, const WatchedThread& thread, Region& region, std::size_t number,
                     std::size_t bytes);
    void check_cell(Cell& cell, const Access& now, const WatchedThread& thread, Region& region, std::size_t number,
                    std::size_t bytes);
    void note_open_order(const Cell& cell, const Access& now, const WatchedThread& thread, const Region& region,
                         std::uintptr_t address);
    void found_bad(BadAccess::Kind kind, const Access& access, const Region& region, std::ptrdiff_t offset,
                   std::size_t bytes, std::ptrdiff_t beyond);
    // `thread`: of the second access; nullptr: the host.
    std::string spelled_launch(const WatchedGrid& grid) const;
    std::string spelled_stream(const WatchedGrid& grid) const;
    std::string spelled_work(const WatchedGrid& grid) const;
    std::string between_siblings(const WatchedGrid& left, const WatchedGrid& right) const;
    static void widen(Missing& missing, const Access& first, const Access& second);
    Missing missing_order(const Access& first, const Access& second, const WatchedThread* thread);
    std::string missing_fence(const SeenAtomic& atomic, const Access& first);
    std::string described(const Missing& missing) const;
    std::string last_access_of(const std::string& memory) const;
    RaceAccess described(const Access& access) const;
    // The kernel, and its launch.
    void describe_grid(RaceAccess& access, const WatchedGrid& grid) const;
    std::vector<Race> described_races() const;
    std::vector<BadAccess> described_bad_accesses() const;
    std::vector<Race> described_notes() const;
    void merge(Fenced& into, const Fenced& more);
    cpu::Captured kept(const Captured& captured);
    Clock end_of(const cpu::Captured& captured);
    void arrives(WatchedThread& thread, WatchedGroup& group);
    Clock with_copies(Clock clock, WatchedThread& thread, unsigned lane = 1);
    void waited_for_copies(WatchedThread& thread, const std::vector<std::uint32_t>& committed, std::size_t prior,
                           unsigned last_lane);
    static void opens(WatchedGroup& group);
    void waited(WatchedThread& thread, const WatchedGroup& group);
    // Of all that the detector keeps.
    std::size_t bytes() const;
    // For so many bytes more. Without it nothing is kept from now on, and what was found is not all.
    bool has_room(std::size_t more = 0);
    // Now and then, frees the clocks that nothing has any more. Not while a function has a clock of its own.
    void make_room();
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
    std::vector<std::unique_ptr<HostThread>> hosts_;  // the first one is that of main()
    std::vector<HostThread*> running_hosts_;          // that no other thread has waited for
    bool has_unjoined_ = false;                       // one ended that nobody waits for
    std::map<std::uintptr_t, Clock> locks_;           // what was released by them
    std::vector<HostSpan> pageable_;                  // with addresses in place of offsets
    std::map<std::uintptr_t, WatchedGroup> barriers_; // that are objects in memory
    Clock fenced_for_proxy_ = nullptr;                // what came before fences of the asynchronous proxy
    std::map<std::uint64_t, std::uint32_t>
        last_unawaited_;                     // by stream of the host: the last grid that the host has not waited for
    std::uint64_t operations_ = 0;           // among the grids
    std::map<std::uint64_t, Clock> streams_; // of the host
    std::map<std::uint64_t, std::uint32_t> made_;   // the sites where streams were made
    std::map<std::uint64_t, std::uint64_t> graphs_; // by stream of a node: its executable graph
    std::map<std::uint64_t, Clock> awaited_;        // by stream of the host: what events captured for which it waits
    std::map<std::uint64_t, const WatchedGrid*> last_in_stream_;          // of the host
    std::vector<std::weak_ptr<Captured>> captured_;                       // some of which may be of nobody any more
    std::map<std::uint64_t, std::vector<const WatchedGrid*>> overlapped_; // by stream of the host: by its next grid
    std::map<std::pair<std::uint64_t, std::uint64_t>, Found> found_;
    std::pair<std::pair<std::uint64_t, std::uint64_t>, Found*> latest_found_{};
    std::map<std::pair<std::uint32_t, std::uint32_t>, Found> notes_;                       // by sites
    std::map<std::tuple<BadAccess::Kind, std::uint32_t, AccessKind>, FoundBad> found_bad_; // by site
    std::vector<FoundMisuse> misuses_;
    static inline bool has_functions_ = false;                     // of the host, in streams
    static inline Checked checked_;                                // memory
    static inline Checked checked_variables_;                      // far from it
    static inline Checked checked_pageable_;                       // where pageable_ is
    static inline constinit std::atomic<bool> is_several_ = false; // threads of the host
    static inline constinit thread_local HostThread* this_host_ = nullptr;
    std::uint64_t accesses_ = 0;
    std::string illegal_; // see take_illegal()
    // The last access to memory that it knows. No Access: a copy of one that has just been made from narrower parts stops the processor.
    struct Last {
        std::uintptr_t address = 0;
        std::uint32_t grid = 0, block = 0, site = 0;
        std::uint16_t thread = 0;
        AccessKind kind = read_access;
    } last_;
    void is_last(const Access& access, std::uintptr_t address)
    {
        last_ = {address, access.grid, access.block, access.site, access.thread, access.kind};
    }
    // The last access of a kernel, also to memory that it does not know.
    struct Tried {
        const WatchedThread* thread = nullptr;
        std::uintptr_t address = 0;
        std::size_t bytes = 0;
        AccessKind kind = read_access;
        const void* place = nullptr;
    } tried_;
    Rewrite rewrite_;
    static constexpr std::uintptr_t kPageBytes = 4096; // at most those of the system's pages
    static constexpr std::uintptr_t kNoPage = ~std::uintptr_t{0};
    std::array<std::uintptr_t, 64> pages_{}; // numbers of pages that had memory since a block began, or kNoPage
    std::uint64_t threads_ = 0;
    std::map<std::uint32_t, std::uint64_t> open_launches_; // by site: those whose order in their stream is open
    std::size_t block_bytes_ = 0;
    std::size_t max_bytes_ = 0; // that were kept at one time
};

} // namespace nestbed::races
