// The grids of a run, and which grids must be complete before others may start: the ordering rules of dynamic
// parallelism, without threads and without a schedule. Single-threaded.
#pragma once

#include "device/cpu/executor.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nestbed::cpu
{

class Carrier;

struct Grid;

// What one block of a grid has launched and what is not complete, without tail launches.
struct BlockChildren {
    unsigned open = 0;
    std::vector<Carrier*> waiters;                        // threads that wait for all of it (random schedule)
    std::vector<std::pair<std::uint64_t, Grid*>> streams; // the last grid of each stream; 0: the NULL stream
};

struct Block;
struct SharedVariable;

// The barrier of blocks that run together.
struct GroupBarrier {
    std::uint64_t arrived = 0; // blocks of a grid, threads of a cluster
    std::uint64_t ended = 0;   // those that never will
    std::uint64_t opened = 0;  // how often
};

// Blocks by their rank. Their shared memory stays until all of them have ended.
struct Cluster {
    GroupBarrier barrier;
    std::vector<Block*> running;
    std::vector<std::vector<SharedVariable>> ended;
    std::size_t blocks_ended = 0;
};

struct Grid {
    dim3 grid_dim, block_dim;
    Mechanism mechanism = Mechanism::null_stream;
    KernelCall call;
    Grid* parent = nullptr;         // nullptr: a root grid
    std::uint64_t parent_block = 0; // which block of the parent launched it
    std::uint64_t stream = 0;       // of that block: see launch_into()
    bool pending = true;            // it counts as a pending launch; a root grid does not

    std::uint64_t blocks = 0;                                  // total
    std::uint64_t blocks_open = 0;                             // not yet finished
    std::uint64_t children_open = 0;                           // submitted and not complete, without tail launches
    std::deque<std::unique_ptr<Grid>> tails;                   // in launch order
    bool tail_open = false;                                    // one of its tail launches is running
    std::unique_ptr<Grid> next_in_stream;                      // the next grid, which waits for this one
    std::unordered_map<std::uint64_t, BlockChildren> children; // by block
    GroupBarrier barrier;                                      // of all its blocks
    std::unordered_map<std::uint64_t, Cluster> clusters;       // that run now, if it has some
    void* observed = nullptr;                                  // see observer.hpp
    Carrier* waiter = nullptr;                                 // a thread that waits for this grid (random schedule)

    // Of a root grid that others overlap (random schedule):
    Grid* previous = nullptr;               // the root grid before it, if that is not complete
    Grid* next = nullptr;                   // the one after it
    std::vector<Carrier*> previous_waiters; // its threads that wait for the one before
    std::uint64_t blocks_let_next = 0;      // blocks that have triggered or ended
    bool triggers = false;                  // a block has triggered

    Grid();
    Grid(dim3 grid, dim3 block, Mechanism how, KernelCall kernel);
    Grid(const Grid&) = delete;
    Grid& operator=(const Grid&) = delete;
    ~Grid();

    std::uint64_t cluster_blocks() const { return std::uint64_t{call.cluster.x} * call.cluster.y * call.cluster.z; }
    // Whether one worker must run it: what its blocks share has no lock.
    bool has_groups() const { return call.cooperative || cluster_blocks() > 1; }

    // Launches of a block into one stream run in order.
    bool in_order() const
    {
        return mechanism == Mechanism::null_stream || (mechanism == Mechanism::named_stream && stream != 0);
    }
};

class GridGraph
{
  public:
    // Adds a new grid. It becomes ready when its stream allows.
    void submit(std::unique_ptr<Grid> grid);
    // Call it when all blocks of a grid are finished. Completes the grid, or leaves that to its last descendant.
    void blocks_done(Grid& grid);

    // Returns the grids that may start, in the order in which they became ready. The caller must start them.
    std::vector<Grid*> take_ready();
    std::vector<Grid*>& ready() { return ready_; }
    // The number of grids that wait for others.
    std::size_t held_back() const;
    // True if every submitted grid is complete.
    bool empty() const { return live_.empty(); }
    // True if the last root grid runs beside the one before it.
    bool overlaps() const { return newest_root_ != nullptr && newest_root_->previous != nullptr; }
    // True if another root grid may begin, because the last one is complete, or because its blocks let it.
    bool next_may_begin() const
    {
        return newest_root_ == nullptr ||
               (newest_root_->triggers && newest_root_->blocks_let_next == newest_root_->blocks);
    }
    // Returns the number of pending launches that have ended since the last call.
    unsigned take_released() { return std::exchange(released_, 0); }
    // Returns the threads whose child has completed since the last call.
    std::vector<Carrier*> take_woken();

  private:
    void make_ready(std::unique_ptr<Grid> grid);
    void complete_if_done(Grid& grid);
    void child_is_complete(Grid& parent, Grid& grid);
    void root_is_complete(Grid& grid);

    std::unordered_map<Grid*, std::unique_ptr<Grid>> live_; // ready or started
    std::vector<Grid*> ready_;
    std::vector<Carrier*> woken_;
    unsigned released_ = 0;
    Grid* newest_root_ = nullptr; // if it is not complete
};

} // namespace nestbed::cpu
