// A worker of the sequential schedules (fifo and eager): it runs blocks, one after another, and collects what they launch.
#pragma once

#include "device/cpu/executor_state.hpp"

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace nestbed::cpu
{

// A block that has begun: where each of its stopped threads waits.
struct OpenBlock {
    Block block;
    std::vector<Carrier*> at_barrier, at_warp, gave_way;
    std::vector<Carrier*> spare; // room for another list
};

class Worker;

// The workers of a run, and what one of them runs before the generation is done: one at a time.
struct Workers {
    // Whether some of what the block launched runs; `like`: into the stream of this launch.
    bool runs_early(const Grid& parent, std::uint64_t block, const Grid* like);

    struct EarlyGrid {
        const Grid* parent;
        std::uint64_t block;
        Mechanism mechanism;
        std::uint64_t stream;
    };
    std::vector<std::unique_ptr<Worker>> all;
    std::atomic<const Worker*> runner = nullptr;
    std::mutex mutex;
    std::vector<EarlyGrid> early;
};

class Worker final : public Engine
{
  public:
    Worker(PendingLaunches& launches, Workers& of_run) : Engine(launches), workers_(of_run) {}

    bool eager = false;

    // Runs the block until its threads have ended, or until every one of them that can run has given way; then the
    // block is among `open` for run_open().
    void run_block(Grid& grid, std::uint64_t index, std::size_t position, std::list<OpenBlock>& open);
    // Open blocks keep the stacks of their threads. If few stacks are left, these blocks go on before another one begins, unless they seem to
    // wait for it.
    void make_room(std::list<OpenBlock>& open);
    // Runs open blocks in turn until all have ended.
    void run_open(std::list<OpenBlock>& open);
    // Runs everything that is ready in the graph, and everything that it launches, on this worker alone.
    void drain(GridGraph& graph);
    void on_launch(Block& block, std::unique_ptr<Grid> grid, bool wait) override;
    void on_wait(Block& block) override;
    // What was launched since the last call, below the launches that run now.
    std::vector<Launched> take_launched();
    void forget_everything();

  private:
    bool advance(OpenBlock& open);
    void end(std::list<OpenBlock>& open, std::list<OpenBlock>::iterator block);
    // Returns whether a block has ended.
    bool advance_all(std::list<OpenBlock>& open);
    void go_on(OpenBlock& open, Carrier& carrier);
    void go_on_by_warps(OpenBlock& open, Carrier& carrier);
    // Lets each of the list go on. Returns how many they were. They may come into the same list again.
    std::size_t go_on_all(OpenBlock& open, std::vector<Carrier*>& waiting, void (Worker::*go)(OpenBlock&, Carrier&));
    void run_now(const Block& block, std::unique_ptr<Grid> grid);
    // Runs what all workers have launched so far, without tail launches, for blocks that wait for it.
    // Returns whether there is anything.
    bool run_early(std::list<OpenBlock>& waiting);
    // Also of those that wait for what run_early() runs.
    template <class Call>
    void for_all_open(const std::list<OpenBlock>& open, const Call& call) const;
    bool stands_still(const std::list<OpenBlock>& open) const;
    void go_on_otherwise(std::list<OpenBlock>& open);
    std::vector<Launched> take_early();
    // Called in the fiber of a thread: lets others run until what run_early() took of its block is complete.
    void wait_for_early(const Block& block);
    // Takes those of the launches so far that `now` picks.
    template <class Pick>
    std::vector<Launched> taken(std::vector<Launched>& from, Pick now);
    // Runs them and their descendants to their end.
    void run_to_end(std::vector<Launched> launched, std::unique_ptr<Grid> last);

    Workers& workers_;
    CarrierPool carriers_;
    std::list<OpenBlock> ended_; // for blocks that begin: their lists have room
    std::mutex mutex_;           // of launched_
    // Of the generation; then, each below one of those before, of the launches that run before it is done.
    std::list<std::vector<Launched>> launched_{1};
    std::vector<std::list<OpenBlock>*> waiting_; // blocks for which run_early() runs launches
    unsigned inner_runs_ = 0;                    // for threads in whose fibers they are
};

} // namespace nestbed::cpu
