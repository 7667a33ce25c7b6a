// The schedule random: each step continues one thread of one resident block, or starts another block. All random
// draws come from the seed and happen on one operating-system thread, so a seed gives the same run every time.
#include "device/cpu/executor_state.hpp"

#include <algorithm>
#include <list>
#include <numeric>
#include <random>
#include <unordered_map>
#include <utility>

namespace nestbed::cpu
{

namespace
{

// Limits of the blocks and threads in progress at once: each stopped thread holds a fiber, and each fiber takes two
// of the 65530 memory mappings that Linux allows a process. If no block can continue because all wait for children,
// children start beyond these limits, one chain at a time.
constexpr std::size_t kResidentBlocks = 24;
constexpr std::size_t kResidentThreads = 8192;

struct ResidentBlock : Block {
    std::vector<std::uint32_t> unstarted; // thread numbers
    std::vector<Carrier*> runnable;
    std::vector<Carrier*> at_barrier;
    std::uint32_t live = 0; // threads that have not exited

    bool can_go_on() const { return !unstarted.empty() || !runnable.empty(); }
};

class Run final : public Engine
{
  public:
    Run(PendingLaunches& launches, CarrierPool& carriers, std::uint64_t seed)
        : Engine(launches), carriers_(carriers), random_(seed)
    {
    }

    void run(std::unique_ptr<Grid> root);
    void on_launch(Block& block, std::unique_ptr<Grid> grid, bool wait) override;

  private:
    std::size_t draw(std::size_t choices)
    {
        return std::uniform_int_distribution<std::size_t>(0, choices - 1)(random_);
    }
    template <class T>
    T draw_from(std::vector<T>& values)
    {
        std::swap(values[draw(values.size())], values.back());
        const T drawn = values.back();
        values.pop_back();
        return drawn;
    }
    void step();
    void start_block(bool room);
    void go_on(ResidentBlock& block);
    void finish(ResidentBlock& block);

    CarrierPool& carriers_;
    std::mt19937_64 random_;
    GridGraph graph_;
    std::list<ResidentBlock> resident_;
    std::size_t resident_threads_ = 0;
    std::unordered_map<Grid*, std::vector<std::uint64_t>> unstarted_blocks_;
};

void Run::run(std::unique_ptr<Grid> root)
{
    graph_.submit(std::move(root));
    while (!graph_.empty())
        step();
}

void Run::step()
{
    std::vector<ResidentBlock*> able;
    for (ResidentBlock& block : resident_)
        if (block.can_go_on())
            able.push_back(&block);
    const bool room = resident_.size() < kResidentBlocks && resident_threads_ < kResidentThreads;
    const bool may_start = !graph_.ready().empty() && (room || able.empty());
    if (!may_start && able.empty())
        throw Fault("every thread waits and nothing can start: the kernels deadlock");
    const std::size_t choice = draw(able.size() + (may_start ? 1 : 0));
    if (choice == able.size())
        start_block(room);
    else
        go_on(*able[choice]);
    for (Carrier* carrier : graph_.take_woken())
        static_cast<ResidentBlock*>(carrier->block)->runnable.push_back(carrier);
}

// Starts a block of any ready grid. If there is no room, it starts a block of the grid that became ready last, not
// another root block: a thread waits for this grid, or for one after it in its stream.
void Run::start_block(bool room)
{
    std::vector<Grid*>& ready = graph_.ready();
    const std::size_t choice = room ? draw(ready.size()) : ready.size() - 1;
    Grid& grid = *ready[choice];
    std::vector<std::uint64_t>& blocks = unstarted_blocks_[&grid];
    if (blocks.empty()) {
        blocks.resize(grid.blocks);
        std::iota(blocks.begin(), blocks.end(), std::uint64_t{0});
    }
    ResidentBlock& block = resident_.emplace_back();
    block.grid = &grid;
    block.index = draw_from(blocks);
    block.threads = grid.block_dim.x * grid.block_dim.y * grid.block_dim.z;
    block.sequential = false;
    block.engine = this;
    block.live = block.threads;
    begin_block(block);
    resident_threads_ += block.threads;
    block.unstarted.resize(block.threads);
    std::iota(block.unstarted.begin(), block.unstarted.end(), 0U);
    if (blocks.empty()) {
        unstarted_blocks_.erase(&grid);
        ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(choice));
    }
}

void Run::go_on(ResidentBlock& block)
{
    Carrier* carrier = nullptr;
    if (draw(block.unstarted.size() + block.runnable.size()) < block.unstarted.size()) {
        carrier = &carriers_.take();
        carrier->block = &block;
        carrier->next_thread = draw_from(block.unstarted);
    } else {
        carrier = draw_from(block.runnable);
    }
    switch (carrier->resume()) {
    case Carrier::Stop::idle:
        carriers_.put(*carrier);
        --block.live;
        break;
    case Carrier::Stop::at_barrier:
        block.at_barrier.push_back(carrier);
        break;
    case Carrier::Stop::yielded:
        block.runnable.push_back(carrier);
        break;
    case Carrier::Stop::waiting:
        break; // the grid that the thread waits for keeps the carrier
    }
    if (block.live == 0)
        finish(block);
    else if (block.at_barrier.size() == block.live) {
        open_barrier(block, block.live);
        block.runnable = std::exchange(block.at_barrier, {});
    }
}

void Run::finish(ResidentBlock& block)
{
    Grid& grid = *block.grid;
    end_block(block);
    resident_threads_ -= block.threads;
    resident_.remove_if([&](const ResidentBlock& other) { return &other == &block; });
    if (--grid.blocks_open == 0)
        graph_.blocks_done(grid);
    pending.release(graph_.take_released());
}

void Run::on_launch(Block& /*block*/, std::unique_ptr<Grid> grid, bool wait)
{
    Carrier& carrier = *current_carrier();
    if (wait)
        grid->waiter = &carrier;
    graph_.submit(std::move(grid));
    carrier.stop(wait ? Carrier::Stop::waiting : Carrier::Stop::yielded);
}

} // namespace

void RandomScheduler::run(std::unique_ptr<Grid> root, std::uint64_t seed)
{
    try {
        Run(pending_, carriers_, seed).run(std::move(root));
    } catch (...) {
        carriers_.clear();
        throw;
    }
}

} // namespace nestbed::cpu
