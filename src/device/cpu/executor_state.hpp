// What the schedules of the executor share: blocks, workers, pending launches.
#pragma once

#include "device/cpu/fiber.hpp"
#include "device/cpu/grid_graph.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace nestbed::cpu
{

class Engine;

// A running block. Each of its threads is not started, stopped in a carrier, or ended.
struct Block {
    Grid* grid = nullptr;
    std::uint64_t index = 0; // linear, within the grid
    std::uint32_t threads = 0;
    std::uint32_t first = 0;          // the thread that began first
    std::uint32_t begun = 0;          // threads that have begun
    std::uint32_t gone = 0;           // threads that have ended
    std::uint32_t next_unstarted = 0; // sequential schedules run threads in order
    std::size_t position = 0;         // index of the grid in its generation (sequential schedules)
    bool sequential = true;
    Engine* engine = nullptr;
    void* observed = nullptr;                                                 // see observer.hpp
    std::vector<std::pair<const void*, std::unique_ptr<std::byte[]>>> shared; // by key; a kernel has few
};

// Opens the barrier when no thread of the block can continue. Throws Fault if not all threads have reached it.
void open_barrier(const Block& block, std::size_t reached);

void begin_block(Block& block);
void end_block(const Block& block);

// Copies the coordinates of the block into the context of a carrier.
void enter_block(ThreadContext& context, const Block& block);

// Launches that were called and are not yet complete, without tail launches: see executor.hpp.
class PendingLaunches
{
  public:
    unsigned limit = 2048;         // CUDA's default
    std::optional<Mechanism> only; // Executor::go_by

    bool reserve()
    {
        unsigned count = count_.load();
        while (count < limit)
            if (count_.compare_exchange_weak(count, count + 1))
                return true;
        return false;
    }
    void release(unsigned launches) { count_.fetch_sub(launches); }
    void reset() { count_ = 0; }

  private:
    std::atomic<unsigned> count_ = 0;
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

    PendingLaunches& pending;
    unsigned number = 0; // of the worker
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

// Runs a root grid to its end in an order drawn from a seed.
class RandomScheduler
{
  public:
    explicit RandomScheduler(PendingLaunches& pending) : pending_(pending) {}

    void run(std::unique_ptr<Grid> root, std::uint64_t seed);

  private:
    PendingLaunches& pending_;
    CarrierPool carriers_;
};

} // namespace nestbed::cpu
