#include "device/cpu/worker.hpp"

#include <algorithm>
#include <iterator>

namespace nestbed::cpu
{

void Worker::go_on(OpenBlock& open, Carrier& carrier)
{
    const Carrier::Stop why = carrier.resume();
    standstill_.stopped(carrier, why);
    switch (why) {
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

// Lets the thread run until it stops. Where it is the last one of an exchange in a warp, the lanes go on before any thread of another
// warp: few stacks are in use at a time, and stay in the processor's cache.
void Worker::go_on_by_warps(OpenBlock& open, Carrier& carrier)
{
    go_on(open, carrier);
    while (open.block.may_exchange != 0)
        for (Carrier* exchanged : take_exchanged(open.block, open.at_warp, Others::running))
            go_on(open, *exchanged);
}

// The memory of the lists is used again: at a barrier of 1024 threads they are 8 KB each.
std::size_t Worker::go_on_all(OpenBlock& open, std::vector<Carrier*>& waiting,
                              void (Worker::*go)(OpenBlock&, Carrier&))
{
    std::vector<Carrier*> now = std::exchange(open.spare, {}); // what runs may come here again
    now.clear();
    now.swap(waiting);
    for (Carrier* carrier : now)
        (this->*go)(open, *carrier);
    const std::size_t count = now.size();
    open.spare = std::move(now);
    return count;
}

// Lets every thread run until it stops, then opens what is complete. Returns true if the block has ended, false if threads have given way
// and nothing else can go on.
bool Worker::advance(OpenBlock& open)
{
    Block& block = open.block;
    const std::size_t resumed = go_on_all(open, open.gave_way, &Worker::go_on);
    // All of them have given way once more: they wait for a thread that waits itself.
    const bool in_vain = resumed != 0 && open.gave_way.size() == resumed;
    for (;;) {
        while (block.next_unstarted < block.threads) {
            Carrier& carrier = carriers_.take();
            carrier.block = &block;
            go_on_by_warps(open, carrier);
        }
        const Others others = open.gave_way.empty() ? Others::stopped : in_vain ? Others::waiting : Others::running;
        const std::vector<Carrier*> exchanged = take_exchanged(block, open.at_warp, others);
        if (!exchanged.empty()) {
            for (Carrier* carrier : exchanged)
                go_on_by_warps(open, *carrier);
            continue;
        }
        if (!open.gave_way.empty())
            return false;
        // Every thread is now at a barrier or has ended, so the barrier opens.
        if (open.at_barrier.empty())
            return true;
        open_barrier(block, open.at_barrier);
        go_on_all(open, open.at_barrier, &Worker::go_on_by_warps);
    }
}

void Worker::run_block(Grid& grid, std::uint64_t index, std::size_t position, std::list<OpenBlock>& open)
{
    const dim3 dim = grid.block_dim;
    if (ended_.empty())
        ended_.emplace_back();
    open.splice(open.end(), ended_, ended_.begin());
    OpenBlock& begun = open.back();
    begun.block.grid = &grid;
    begun.block.index = index;
    begun.block.threads = dim.x * dim.y * dim.z;
    begun.block.position = position;
    begun.block.engine = this;
    begun.block.launched = &launched_.back();
    begin_block(begun.block);
    const auto place = std::prev(open.end());
    if (advance(begun))
        end(open, place);
}

void Worker::end(std::list<OpenBlock>& open, std::list<OpenBlock>::iterator block)
{
    end_block(block->block);
    block->block = {};
    ended_.splice(ended_.begin(), open, block);
}

bool Worker::advance_all(std::list<OpenBlock>& open)
{
    const std::size_t before = open.size();
    for (auto block = open.begin(); block != open.end();) {
        if (!advance(*block)) {
            ++block;
            continue;
        }
        end(open, block++);
    }
    return open.size() != before;
}

void Worker::make_room(std::list<OpenBlock>& open)
{
    constexpr unsigned kRounds = 16; // in which no block ends
    for (unsigned round = 0; round < kRounds && !open.empty() && !has_stacks_to_spare(); ++round)
        if (advance_all(open))
            round = 0;
}

void Worker::run_open(std::list<OpenBlock>& open)
{
    constexpr unsigned kPatience =
        1000; // rounds without an end before children start: a block may wait for its child
    for (unsigned round = 0; !open.empty(); ++round) {
        bool ended = advance_all(open);
        for (std::list<OpenBlock>* outer : waiting_) // a child may wait for its parent
            ended |= advance_all(*outer);
        if (ended)
            round = 0;
        else if (stands_still(open))
            go_on_otherwise(open);
        else if (round % kPatience == kPatience - 1)
            run_early(open);
    }
}

template <class Call>
void Worker::for_all_open(const std::list<OpenBlock>& open, const Call& call) const
{
    std::ranges::for_each(open, call);
    for (const std::list<OpenBlock>* outer : waiting_)
        std::ranges::for_each(*outer, call);
}

// Whether every thread that can run does the same again and again. With more workers others may still do something else.
bool Worker::stands_still(const std::list<OpenBlock>& open) const
{
    std::size_t gave_way = 0;
    for_all_open(open, [&](const OpenBlock& block) { gave_way += block.gave_way.size(); });
    if (workers_.all.size() != 1 || !standstill_.may_all_repeat(gave_way))
        return false;
    bool still = true;
    for_all_open(open, [&](const OpenBlock& block) {
        still = still && standstill_.all_repeat(block.gave_way) && standstill_.all_stay(block.at_barrier) &&
                standstill_.all_stay(block.at_warp);
    });
    return still;
}

// Children may write what the threads wait for. If there are none that can start, nothing ever will.
void Worker::go_on_otherwise(std::list<OpenBlock>& open)
{
    if (run_early(open))
        return;
    std::uint64_t shared = 0;
    WaitingThreads threads;
    for_all_open(open, [&](const OpenBlock& block) {
        shared = number_for_shared(block.block, shared);
        threads.add(block.block, block.gave_way, block.at_barrier.size(), block.at_warp.size());
    });
    if (!standstill_.is_proved(shared))
        return;
    threads.held_back = inner_runs_ > 0;
    for (const std::vector<Launched>& level : launched_)
        threads.launches += level.size();
    fail(threads);
}

bool Workers::runs_early(const Grid& parent, std::uint64_t block, const Grid* like)
{
    const std::lock_guard lock(mutex);
    return std::ranges::any_of(early, [&](const EarlyGrid& each) {
        return each.parent == &parent && each.block == block &&
               (like == nullptr ||
                (like->in_order() && each.mechanism == like->mechanism && each.stream == like->stream));
    });
}

// Of other workers only the launches of the generation: the others are part of something that has not returned there.
std::vector<Launched> Worker::take_early()
{
    std::vector<Launched> all;
    const auto can_start = [this](const Launched& launch) {
        const Grid& grid = *launch.grid;
        return grid.mechanism != Mechanism::tail && !workers_.runs_early(*grid.parent, grid.parent_block, &grid);
    };
    for (const auto& worker : workers_.all) {
        const std::lock_guard lock(worker->mutex_);
        for (std::vector<Launched>& level : worker->launched_) {
            std::ranges::move(taken(level, can_start), std::back_inserter(all));
            if (worker.get() != this)
                break;
        }
    }
    return all;
}

bool Worker::run_early(std::list<OpenBlock>& waiting)
{
    const Worker* runner = nullptr;
    const bool is_outermost = workers_.runner.compare_exchange_strong(runner, this);
    if (!is_outermost && runner != this)
        return false; // another worker does
    std::vector<Launched> launched = take_early();
    const bool any = !launched.empty();
    if (any) {
        std::unique_lock lock(workers_.mutex);
        for (const Launched& each : launched)
            workers_.early.push_back(
                {each.grid->parent, each.grid->parent_block, each.grid->mechanism, each.grid->stream});
        lock.unlock();
        const std::size_t count = launched.size();
        waiting_.push_back(&waiting);
        run_to_end(std::move(launched), nullptr);
        waiting_.pop_back();
        lock.lock();
        workers_.early.resize(workers_.early.size() - count); // those of inner calls have gone
    }
    if (is_outermost)
        workers_.runner = nullptr;
    return any;
}

void Worker::wait_for_early(const Block& block)
{
    while (workers_.runs_early(*block.grid, block.index, nullptr))
        give_way();
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
    else {
        const std::lock_guard lock(mutex_);
        block.launched->push_back({block.position, block.index, pending.next_call(), std::move(grid)});
    }
}

std::vector<Launched> Worker::take_launched()
{
    const std::lock_guard lock(mutex_);
    return std::exchange(launched_.back(), {});
}

template <class Pick>
std::vector<Launched> Worker::taken(std::vector<Launched>& from, Pick now)
{
    std::vector<Launched> picked;
    std::vector<Launched> others;
    for (Launched& earlier : from)
        (now(earlier) ? picked : others).push_back(std::move(earlier));
    from = std::move(others);
    return picked;
}

// Runs them in this fiber. They form a separate graph under a placeholder parent that only holds the streams of a block. Nothing
// outside needs to know about them, because they are complete when this returns.
void Worker::run_to_end(std::vector<Launched> launched, std::unique_ptr<Grid> last)
{
    Grid stream_holder;
    stream_holder.pending = false;
    stream_holder.blocks_open = 1; // it does not end
    GridGraph graph;
    const auto submit = [&](std::unique_ptr<Grid> child) {
        child->parent = &stream_holder;
        graph.submit(std::move(child));
    };
    for (Launched& earlier : launched)
        submit(std::move(earlier.grid));
    if (last)
        submit(std::move(last));
    const auto add_level = [this] {
        const std::lock_guard lock(mutex_);
        launched_.emplace_back();
    };
    add_level();
    drain(graph);
    const std::lock_guard lock(mutex_);
    launched_.pop_back();
}

// Runs the child at once, after the earlier launches into its stream.
void Worker::run_now(const Block& block, std::unique_ptr<Grid> grid)
{
    const Grid& child = *grid;
    std::unique_lock lock(mutex_);
    std::vector<Launched> before =
        taken(launched_.back(), [&block, in_order = child.in_order(), how = child.mechanism,
                                 stream = child.stream](const Launched& earlier) {
            return in_order && earlier.position == block.position && earlier.block == block.index &&
                   earlier.grid->mechanism == how && earlier.grid->stream == stream;
        });
    lock.unlock();
    ++inner_runs_;
    run_to_end(std::move(before), std::move(grid));
    --inner_runs_;
}

void Worker::on_wait(Block& block)
{
    wait_for_early(block);
    std::unique_lock lock(mutex_);
    std::vector<Launched> children = taken(*block.launched, [&block](const Launched& earlier) {
        return earlier.position == block.position && earlier.block == block.index &&
               earlier.grid->mechanism != Mechanism::tail;
    });
    lock.unlock();
    ++inner_runs_;
    run_to_end(std::move(children), nullptr);
    --inner_runs_;
}

void Worker::forget_everything()
{
    launched_.clear();
    launched_.emplace_back();
    waiting_.clear();
    inner_runs_ = 0;
    standstill_ = {};
    carriers_.clear();
}

} // namespace nestbed::cpu
