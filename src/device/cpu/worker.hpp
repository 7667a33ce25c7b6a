// A worker of the sequential schedules (fifo and eager): it runs blocks, one after another, and collects what they launch.
#pragma once

#include "device/cpu/executor_state.hpp"

#include <list>
#include <memory>
#include <utility>
#include <vector>

namespace nestbed::cpu
{

struct Launched {
    std::size_t position; // of the launching grid in its generation
    std::uint64_t block;  // within that grid
    std::uint64_t call;   // number of the launch call
    std::unique_ptr<Grid> grid;
};

// A block that has begun: where each of its stopped threads waits.
struct OpenBlock {
    Block block;
    std::vector<Carrier*> at_barrier, at_warp, gave_way;
};

class Worker final : public Engine
{
  public:
    using Engine::Engine;

    bool eager = false;

    // Runs the block until its threads have ended, or until every one of them that can run has given way; then the
    // block is among `open` for run_open().
    void run_block(Grid& grid, std::uint64_t index, std::size_t position, std::list<OpenBlock>& open);
    // Runs open blocks in turn until all have ended.
    void run_open(std::list<OpenBlock>& open);
    // Runs everything that is ready in the graph, and everything that it launches, on this worker alone.
    void drain(GridGraph& graph);
    void on_launch(Block& block, std::unique_ptr<Grid> grid, bool wait) override;
    void on_wait(Block& block) override;
    std::vector<Launched> take_launched() { return std::exchange(launched_, {}); }
    void forget_everything();

  private:
    bool advance(OpenBlock& open);
    void go_on(OpenBlock& open, Carrier& carrier);
    void run_now(const Block& block, std::unique_ptr<Grid> grid);
    // Runs those of the launches so far that `now` picks, to their end.
    template <class Pick>
    void run_launched(Pick now, std::unique_ptr<Grid> last);

    CarrierPool carriers_;
    std::vector<Launched> launched_;
};

} // namespace nestbed::cpu
