#include "device/cpu/worker.hpp"

#include <algorithm>

namespace nestbed::cpu
{

void Worker::go_on(OpenBlock& open, Carrier& carrier)
{
    switch (carrier.resume()) {
    case Carrier::Stop::at_barrier:
        open.at_barrier.push_back(&carrier);
        break;
    case Carrier::Stop::at_warp:
        open.at_warp.push_back(&carrier);
        break;
    case Carrier::Stop::gave_way:
        open.gave_way.push_back(&carrier);
        break;
    default:
        carriers_.put(carrier);
        break;
    }
}

// Lets every thread run until it stops, then opens what is complete. Returns true if the block has ended, false if threads have given way
// and nothing else can go on.
bool Worker::advance(OpenBlock& open)
{
    Block& block = open.block;
    const std::vector<Carrier*> resumed = std::exchange(open.gave_way, {});
    for (Carrier* carrier : resumed)
        go_on(open, *carrier);
    // All of them have given way once more: they wait for a thread that waits itself.
    const bool in_vain = !resumed.empty() && open.gave_way.size() == resumed.size();
    for (;;) {
        while (block.next_unstarted < block.threads) {
            Carrier& carrier = carriers_.take();
            carrier.block = &block;
            go_on(open, carrier);
        }
        const Others others = open.gave_way.empty() ? Others::stopped : in_vain ? Others::waiting : Others::running;
        const std::vector<Carrier*> exchanged = take_exchanged(block, open.at_warp, others);
        if (!exchanged.empty()) {
            for (Carrier* carrier : exchanged)
                go_on(open, *carrier);
            continue;
        }
        if (!open.gave_way.empty())
            return false;
        // Every thread is now at a barrier or has ended, so the barrier opens.
        if (open.at_barrier.empty())
            return true;
        open_barrier(block, open.at_barrier.size());
        for (Carrier* carrier : std::exchange(open.at_barrier, {}))
            go_on(open, *carrier);
    }
}

void Worker::run_block(Grid& grid, std::uint64_t index, std::size_t position, std::list<OpenBlock>& open)
{
    const dim3 dim = grid.block_dim;
    OpenBlock& begun = open.emplace_back();
    begun.block.grid = &grid;
    begun.block.index = index;
    begun.block.threads = dim.x * dim.y * dim.z;
    begun.block.position = position;
    begun.block.engine = this;
    begin_block(begun.block);
    if (advance(begun)) {
        end_block(begun.block);
        open.pop_back();
    }
}

void Worker::run_open(std::list<OpenBlock>& open)
{
    constexpr unsigned kPatience =
        1000; // rounds without an end before children start: a block may wait for its child
    for (unsigned round = 0; !open.empty(); ++round) {
        const std::size_t before = open.size();
        for (auto block = open.begin(); block != open.end();) {
            if (!advance(*block)) {
                ++block;
                continue;
            }
            end_block(block->block);
            block = open.erase(block);
        }
        if (open.size() != before)
            round = 0;
        else if (round % kPatience == kPatience - 1)
            run_launched([](const Launched& launch) { return launch.grid->mechanism != Mechanism::tail; }, nullptr);
    }
}

void Worker::drain(GridGraph& graph)
{
    for (;;) {
        const std::vector<Grid*> generation = graph.take_ready();
        if (generation.empty())
            return;
        std::list<OpenBlock> open;
        for (std::size_t position = 0; position < generation.size(); ++position)
            for (std::uint64_t index = 0; index < generation[position]->blocks; ++index)
                run_block(*generation[position], index, position, open);
        run_open(open);
        for (Launched& launch : take_launched())
            graph.submit(std::move(launch.grid));
        for (Grid* grid : generation)
            graph.blocks_done(*grid);
        pending.release(graph.take_released());
    }
}

void Worker::on_launch(Block& block, std::unique_ptr<Grid> grid, bool wait)
{
    if ((wait || eager) && grid->mechanism != Mechanism::tail)
        run_now(block, std::move(grid));
    else
        launched_.push_back({block.position, block.index, pending.next_call(), std::move(grid)});
}

// Runs them and their descendants in this fiber. They form a separate graph under a placeholder parent that only holds
// the streams of a block. Nothing outside needs to know about them, because they are complete when this returns.
template <class Pick>
void Worker::run_launched(Pick now, std::unique_ptr<Grid> last)
{
    Grid stream_holder;
    stream_holder.pending = false;
    stream_holder.blocks_open = 1; // it does not end
    GridGraph graph;
    const auto submit = [&](std::unique_ptr<Grid> child) {
        child->parent = &stream_holder;
        graph.submit(std::move(child));
    };
    std::vector<Launched> others;
    for (Launched& earlier : take_launched())
        if (now(earlier))
            submit(std::move(earlier.grid));
        else
            others.push_back(std::move(earlier));
    if (last)
        submit(std::move(last));
    drain(graph);
    launched_ = std::move(others);
}

// Runs the child at once, after the earlier launches into its stream.
void Worker::run_now(const Block& block, std::unique_ptr<Grid> grid)
{
    const Grid& child = *grid;
    run_launched(
        [&block, in_order = child.in_order(), how = child.mechanism, stream = child.stream](const Launched& earlier) {
            return in_order && earlier.position == block.position && earlier.block == block.index &&
                   earlier.grid->mechanism == how && earlier.grid->stream == stream;
        },
        std::move(grid));
}

void Worker::on_wait(Block& block)
{
    run_launched(
        [&block](const Launched& earlier) {
            return earlier.position == block.position && earlier.block == block.index &&
                   earlier.grid->mechanism != Mechanism::tail;
        },
        nullptr);
}

void Worker::forget_everything()
{
    launched_.clear();
    carriers_.clear();
}

} // namespace nestbed::cpu
