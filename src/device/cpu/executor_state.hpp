// What the schedules of the executor share: blocks, workers, pending launches.
#pragma once

#include "device/cpu/fiber.hpp"
#include "device/cpu/grid_graph.hpp"
#include "device/cpu/shared_place.hpp"
#include "device/cpu/standstill.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace nestbed::cpu
{

class Engine;
class RandomRun;

// The lanes of a warp that exchange values: see exchange_in_warp().
struct Warp {
    std::uint32_t arrived = 0;                    // lanes that wait
    bool same_mask = true;                        // all of them wait with the same mask
    std::array<std::uint32_t, kWarpLanes> mask{}; // of the exchange in which it is, or was last
    std::array<CallPlace, kWarpLanes> place{};    // of that call
    std::array<std::uint64_t, kWarpLanes> given{};
    std::uint32_t reported = 0; // lanes whose wait has been reported: they will have waited in vain
    std::uint32_t votes = 0;    // lanes that only ask for which lanes a predicate holds
    std::uint32_t orders = 0;   // lanes whose exchange orders memory
    // What each lane got from its last exchange.
    std::array<std::uint32_t, kWarpLanes> present{};
    std::array<std::uint32_t, kWarpLanes> nonzero{}; // lanes that gave something else than 0
    std::array<std::array<std::uint64_t, kWarpLanes>, kWarpLanes> received{};
};

struct Launched {
    std::size_t position; // of the launching grid in its generation
    std::uint64_t block;  // within that grid
    std::uint64_t call;   // number of the launch call
    std::unique_ptr<Grid> grid;
};

struct SharedVariable {
    const void* key = nullptr;
    SharedPlace place;
    std::size_t element = 1;
    const char* name = "";
};

// A running block. Each of its threads is not started, stopped in a carrier, or ended.
struct Block {
    Grid* grid = nullptr;
    std::uint64_t index = 0; // linear, within the grid
    std::uint32_t threads = 0;
    std::uint32_t first = 0;                                             // the thread that began first
    std::uint32_t begun = 0;                                             // threads that have begun
    std::uint32_t gone = 0;                                              // threads that have ended
    std::array<std::uint32_t, kMaxThreadsPerBlock / kWarpLanes> ended{}; // lanes of each warp that have ended
    CallPlace barrier_place;                                             // of the threads that are at a barrier
    CallPlace other_place;               // of one that is at another barrier than they
    std::uint32_t barrier_iteration = 0; // ThreadContext::iteration of the first of them
    bool other_iteration = false;        // another one has another iteration
    std::uint32_t votes = 0;             // barrier_count(): of the threads at the barrier
    std::uint32_t counted_votes = 0;     // and at the one that opened last
    std::uint32_t at_last_barrier = 0;
    std::uint32_t next_unstarted = 0; // sequential schedules run threads in order
    std::size_t position = 0;         // index of the grid in its generation (sequential schedules)
    bool sequential = true;
    bool lets_next_begin = false;                   // a thread of it has triggered
    GroupBarrier cluster_barrier;                   // of a block that is a cluster of its own
    std::array<BarrierObject, 16> named_barriers{}; // 0: not used yet
    struct Votes {
        unsigned all = 0, holding = 0;
    };
    std::array<std::array<Votes, 2>, 16> named_votes{}; // by barrier and parity of its phase
    struct Tiles {
        std::array<BarrierObject, 32> barriers{}; // of tiles of several warps, by number_of_tile()
        std::vector<const void*> given;           // by thread, what the others of its tile read
    };
    std::unique_ptr<Tiles> tiles;
    Engine* engine = nullptr;
    std::vector<Launched>* launched = nullptr; // where its launches are collected (sequential schedules)
    void* observed = nullptr;                  // see observer.hpp
    std::vector<SharedVariable> shared;        // a kernel has few
    std::size_t shared_bytes = 0;
    std::vector<Warp> warps;        // made with the first exchange
    std::uint32_t may_exchange = 0; // warps whose exchange may be complete; take_exchanged() has not seen it
};

// False of an empty or oversized grid.
bool can_be_launched(dim3 grid, dim3 block);

// Opens the barrier when every thread of the block is there or has ended, as on GPUs since Volta.
void open_barrier(Block& block, const std::vector<Carrier*>& reached);

// A fault of the block of this thread.
Fault fault_of(const ThreadContext& thread, const std::string& text);

// What the threads of a block do that do not wait in exchange_in_warp(): at least one can continue; those that can have
// given way, and wait for what another thread does; none can continue.
enum class Others : std::uint8_t { running, waiting, stopped };

// Takes out of the list, which waits in exchange_in_warp(), the threads whose exchange is complete. If no other thread
// is running, lanes without a mask wait for nobody; if all have stopped, no lane waits for others that will not come.
// Empty: none is complete.
std::vector<Carrier*> take_exchanged(Block& block, std::vector<Carrier*>& at_warp, Others others);

void begin_block(Block& block);
void end_block(Block& block);
// Of a block with groups: when it begins; when a thread has ended; when all have. The last one takes its shared memory if others may
// still use it, and returns what nobody uses any more.
void join_groups(Block& block);
std::uint64_t cluster_number(const Block& block);
void leave_groups_as_thread(Block& block);
std::vector<SharedVariable> leave_groups(Block& block);
// The variable of the block for the key: made if it is not there.
SharedVariable& shared_variable_of(Block& block, const void* key, std::size_t bytes, std::size_t element,
                                   const char* name);

// Copies the coordinates of the block into the context of a carrier.
void enter_block(ThreadContext& context, const Block& block);

// Launches that were called and are not yet complete, without tail launches: see executor.hpp.
class PendingLaunches
{
  public:
    unsigned limit = 2048;         // CUDA's default
    std::optional<Mechanism> only; // Executor::restrict_to_mechanism

    bool reserve()
    {
        unsigned count = count_.load();
        while (count < limit)
            if (count_.compare_exchange_weak(count, count + 1))
                return true;
        return false;
    }
    void release(unsigned launches) { count_.fetch_sub(launches); }
    // Numbers launch calls in the order in which they happen.
    std::uint64_t next_call() { return calls_.fetch_add(1); }
    void reset() { count_ = 0; }

  private:
    std::atomic<unsigned> count_ = 0;
    std::atomic<std::uint64_t> calls_ = 0;
};

// Handles the launches and waits of running threads. Each schedule has its own engine class.
class Engine
{
  public:
    explicit Engine(PendingLaunches& launches) : pending(launches) {}
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    virtual ~Engine() = default;

    // Called in the fiber of the launching thread. The launch is already counted as pending.
    virtual void on_launch(Block& block, std::unique_ptr<Grid> grid, bool wait) = 0;
    // Called in the fiber of a thread that waits for all that its block has launched.
    virtual void on_wait(Block& block) = 0;
    // The same, when its block triggers the next grid, and of a thread that waits for the one before. In sequential
    // schedules there is no other grid.
    virtual void on_trigger(Block& /*block*/) {}
    virtual void on_wait_for_previous(Block& /*block*/) {}

    PendingLaunches& pending;
    unsigned number = 0; // of the worker

  protected:
    Standstill standstill_;
};

// Runs a root grid to its end, generation by generation (fifo) or launch by launch (eager).
class SequentialScheduler
{
  public:
    SequentialScheduler(unsigned workers, PendingLaunches& pending);
    ~SequentialScheduler();
    SequentialScheduler(const SequentialScheduler&) = delete;
    SequentialScheduler& operator=(const SequentialScheduler&) = delete;

    void run(std::unique_ptr<Grid> root, bool eager);

  private:
    class Team;
    std::unique_ptr<Team> team_;
};

// Where a random order may leave the default one: see Executor::deviate_only_at().
struct Deviations {
    std::optional<std::vector<std::uint64_t>> only; // sorted
    std::function<void(std::uint64_t, const ThreadContext*, const ThreadContext*)> report;
    std::uint64_t next = 0; // number of the next decision

    bool allowed(std::uint64_t decision) const { return !only || std::ranges::binary_search(*only, decision); }
};

// Runs root grids in an order drawn from a seed.
class RandomScheduler
{
  public:
    explicit RandomScheduler(PendingLaunches& pending);
    ~RandomScheduler();
    RandomScheduler(const RandomScheduler&) = delete;
    RandomScheduler& operator=(const RandomScheduler&) = delete;

    // ReferenceTimes those that have not ended: returns when the next one may begin. The seed is that of the first one.
    void run(std::unique_ptr<Grid> root, std::uint64_t seed);
    bool is_running() const { return run_ != nullptr; }
    void finish();

    Deviations deviations;

  private:
    template <class Work>
    void go_on(const Work& work);

    PendingLaunches& pending_;
    CarrierPool carriers_;
    std::unique_ptr<RandomRun> run_; // of grids that have not ended
};

} // namespace nestbed::cpu
