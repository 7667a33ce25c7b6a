// The schedule random: each step is a decision, which continues one thread of a resident block, or starts another block with its first
// thread. All draws come from the seed and the number of the step, and happen on one operating-system thread, so a seed gives the same
// run every time.
#include "device/cpu/random_run.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nestbed::cpu
{

namespace
{

template <class T>
T taken(std::vector<T>& values, std::size_t index)
{
    std::swap(values[index], values.back());
    const T value = values.back();
    values.pop_back();
    return value;
}

} // namespace

void RandomRun::run(std::unique_ptr<Grid> root)
{
    graph_.submit(std::move(root));
    while (!graph_.empty() && !graph_.next_may_begin())
        step();
}

void RandomRun::finish()
{
    while (!graph_.empty())
        step();
}

void RandomRun::step()
{
    std::vector<ResidentBlock*> able;
    bool all_gave_way = true; // who gives way may wait for a block that has not started
    for (ResidentBlock& block : resident_)
        if (block.able() != 0) {
            able.push_back(&block);
            all_gave_way = all_gave_way && block.able() == block.gave_way.size();
        }
    // A grid that overlaps the one before has room of its own, and begins soon: a missing wait shows only while both run.
    const std::size_t max_blocks = graph_.overlaps() ? 2 * kResidentBlocks : kResidentBlocks;
    const bool room = resident_.size() < max_blocks && resident_threads_ < kResidentThreads;
    const bool still = stands_still();
    const bool may_start = !graph_.ready().empty() && (room || all_gave_way || still);
    if (!may_start && able.empty())
        throw Fault("every thread waits and nothing can start: the kernels deadlock");
    if (still && graph_.ready().empty())
        fail_if_for_ever();
    const std::uint64_t decision = deviations_.next++;
    Draws draws(seed_, steps_++);
    // Where all do the same for long, a random order takes long to show it of each.
    const bool in_turn = standstill_.may_all_repeat(1) && standstill_.calm() > 2 * resident_threads_;
    const bool allowed = deviations_.allowed(decision) && !in_turn;
    // The default choice is needed where it is taken, and where a deviation from it is reported.
    Choice choice;
    if (!allowed || deviations_.report)
        choice = default_choice(able, may_start, room);
    bool deviates = false;
    if (allowed) {
        const Choice drawn = drawn_choice(able, may_start, room, draws);
        deviates = !(drawn == choice);
        choice = drawn;
    }
    // Only a thread that could have continued is interrupted.
    const bool could_continue =
        last_ != nullptr && std::ranges::find(static_cast<ResidentBlock*>(last_->block)->runnable, last_) !=
                                static_cast<ResidentBlock*>(last_->block)->runnable.end();
    const ThreadContext* const interrupted = could_continue ? &last_->context : nullptr;
    ResidentBlock& block = choice.block != nullptr ? *choice.block : start_block(choice);
    Carrier& carrier = carrier_of(block, choice.thread);
    go_on(block, carrier);
    // Before the block ends: the report describes its grid.
    if (deviates && deviations_.report)
        deviations_.report(decision, interrupted, &carrier.context);
    if (block.live == 0)
        finish(block);
    for (Carrier* woken : graph_.take_woken())
        static_cast<ResidentBlock*>(woken->block)->runnable.push_back(woken);
}

// Whether every thread that can run does the same again and again.
bool RandomRun::stands_still()
{
    if (!standstill_.may_all_repeat(1) || standstill_.calm() < resident_threads_ ||
        ++calm_steps_ % std::max<std::size_t>(resident_threads_, 1) != 0)
        return false;
    return std::ranges::all_of(resident_, [&](const ResidentBlock& block) {
        return block.unstarted.empty() && standstill_.all_repeat(block.runnable) &&
               standstill_.all_repeat(block.gave_way) && standstill_.all_stay(block.at_barrier) &&
               standstill_.all_stay(block.at_warp);
    });
}

void RandomRun::fail_if_for_ever()
{
    std::uint64_t shared = 0;
    WaitingThreads threads;
    for (const ResidentBlock& block : resident_) {
        shared = number_for_shared(block, shared);
        threads.add(block, block.gave_way, block.at_barrier.size(), block.at_warp.size());
        threads.for_children += block.live - block.gave_way.size() - block.at_barrier.size() - block.at_warp.size();
    }
    threads.launches = graph_.held_back();
    if (standstill_.is_proved(shared))
        fail(threads);
}

// If there is no room, it starts a block of the grid that became ready last, not another root block: a thread waits for this grid, or for
// one after it in its stream.
Choice RandomRun::drawn_choice(const std::vector<ResidentBlock*>& able, bool may_start, bool room, Draws& draws)
{
    const std::size_t starts = !may_start ? 0 : graph_.overlaps() ? able.size() + 1 : 1;
    const std::size_t choice = draws.below(able.size() + starts);
    if (choice < able.size())
        return {.block = able[choice], .thread = draws.below(able[choice]->able())};
    std::vector<Grid*>& ready = graph_.ready();
    Grid* const grid = room ? ready[draws.below(ready.size())] : ready.back();
    const std::size_t new_block = draws.below(unstarted_blocks(*grid).size());
    return {.thread = draws.below(grid->block_dim.x * grid->block_dim.y * grid->block_dim.z),
            .grid = grid,
            .new_block = new_block};
}

// The thread that ran last; else the thread with the lowest number of the block that began first; else a new block; threads that gave way
// come last, in turn.
Choice RandomRun::default_choice(const std::vector<ResidentBlock*>& able, bool may_start, bool room)
{
    const auto number_of = [](const Carrier* carrier) { return carrier->next_thread; }; // of the thread that it runs
    if (last_ != nullptr) {
        auto* const block = static_cast<ResidentBlock*>(last_->block);
        const auto last = std::ranges::find(block->runnable, last_);
        if (last != block->runnable.end())
            return {.block = block,
                    .thread = block->unstarted.size() + static_cast<std::size_t>(last - block->runnable.begin())};
    }
    for (ResidentBlock* block : able) {
        const auto first = std::ranges::min_element(block->unstarted);
        const auto stopped = std::ranges::min_element(block->runnable, {}, number_of);
        const std::size_t unstarted = block->unstarted.size();
        if (stopped != block->runnable.end() && (first == block->unstarted.end() || number_of(*stopped) < *first))
            return {.block = block,
                    .thread = unstarted + static_cast<std::size_t>(stopped - block->runnable.begin())};
        if (first != block->unstarted.end())
            return {.block = block, .thread = static_cast<std::size_t>(first - block->unstarted.begin())};
    }
    if (may_start) {
        Grid* const grid = room ? graph_.ready().front() : graph_.ready().back();
        const std::vector<std::uint64_t>& blocks = unstarted_blocks(*grid);
        return {.grid = grid,
                .new_block = static_cast<std::size_t>(std::ranges::min_element(blocks) - blocks.begin())};
    }
    // All have given way. This block did so longest ago: who gives way moves behind the others.
    ResidentBlock* const block = able.front();
    return {.block = block, .thread = block->unstarted.size() + block->runnable.size()};
}

std::vector<std::uint64_t>& RandomRun::unstarted_blocks(Grid& grid)
{
    std::vector<std::uint64_t>& blocks = unstarted_blocks_[&grid];
    if (blocks.empty()) {
        blocks.resize(grid.blocks);
        std::iota(blocks.begin(), blocks.end(), std::uint64_t{0});
    }
    return blocks;
}

ResidentBlock& RandomRun::start_block(const Choice& choice)
{
    Grid& grid = *choice.grid;
    std::vector<std::uint64_t>& blocks = unstarted_blocks(grid);
    ResidentBlock& block = resident_.emplace_back();
    block.grid = &grid;
    block.index = taken(blocks, choice.new_block);
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
        std::erase(graph_.ready(), &grid);
    }
    return block;
}

Carrier& RandomRun::carrier_of(ResidentBlock& block, std::size_t thread)
{
    if (thread < block.unstarted.size()) {
        Carrier& carrier = carriers_.take();
        carrier.block = &block;
        carrier.next_thread = taken(block.unstarted, thread);
        return carrier;
    }
    thread -= block.unstarted.size();
    if (thread < block.runnable.size())
        return *taken(block.runnable, thread);
    // In order, so that threads that give way take turns.
    const auto gave_way = block.gave_way.begin() + static_cast<std::ptrdiff_t>(thread - block.runnable.size());
    Carrier& carrier = **gave_way;
    block.gave_way.erase(gave_way);
    return carrier;
}

void RandomRun::go_on(ResidentBlock& block, Carrier& carrier)
{
    last_ = &carrier;
    const Carrier::Stop why = carrier.resume();
    standstill_.stopped(carrier, why);
    switch (why) {
    case Carrier::Stop::idle:
        carriers_.put(carrier);
        last_ = nullptr;
        --block.live;
        break;
    case Carrier::Stop::at_barrier:
        block.at_barrier.push_back(&carrier);
        break;
    case Carrier::Stop::at_warp:
        block.at_warp.push_back(&carrier);
        break;
    case Carrier::Stop::yielded:
        block.runnable.push_back(&carrier);
        break;
    case Carrier::Stop::gave_way:
        block.gave_way.push_back(&carrier);
        resident_.splice(resident_.end(), resident_,
                         std::ranges::find_if(resident_, [&](const ResidentBlock& one) { return &one == &block; }));
        break;
    case Carrier::Stop::waiting:
        break; // the grid that the thread waits for keeps the carrier
    }
    if (block.live == 0)
        return;
    if (!block.at_warp.empty()) {
        const std::size_t stopped = block.at_warp.size() + block.at_barrier.size();
        const Others others = stopped == block.live                           ? Others::stopped
                              : stopped + block.gave_way.size() == block.live ? Others::waiting
                                                                              : Others::running;
        std::ranges::copy(take_exchanged(block, block.at_warp, others), std::back_inserter(block.runnable));
    }
    if (block.at_barrier.size() == block.live) {
        open_barrier(block, block.at_barrier);
        block.runnable = std::exchange(block.at_barrier, {});
    }
}

void RandomRun::finish(ResidentBlock& block)
{
    Grid& grid = *block.grid;
    end_block(block);
    if (!block.lets_next_begin)
        ++grid.blocks_let_next;
    resident_threads_ -= block.threads;
    resident_.remove_if([&](const ResidentBlock& other) { return &other == &block; });
    if (--grid.blocks_open == 0)
        graph_.blocks_done(grid);
    pending.release(graph_.take_released());
}

void RandomRun::on_launch(Block& /*block*/, std::unique_ptr<Grid> grid, bool wait)
{
    Carrier& carrier = *current_carrier();
    if (wait)
        grid->waiter = &carrier;
    graph_.submit(std::move(grid));
    carrier.stop(wait ? Carrier::Stop::waiting : Carrier::Stop::yielded);
}

void RandomRun::on_wait(Block& block)
{
    const auto children = block.grid->children.find(block.index);
    if (children == block.grid->children.end())
        return;
    children->second.waiters.push_back(current_carrier());
    current_carrier()->stop(Carrier::Stop::waiting);
}

void RandomRun::on_trigger(Block& block)
{
    block.grid->triggers = true;
    ++block.grid->blocks_let_next;
    current_carrier()->stop(Carrier::Stop::yielded);
}

void RandomRun::on_wait_for_previous(Block& block)
{
    if (block.grid->previous == nullptr)
        return;
    block.grid->previous_waiters.push_back(current_carrier());
    current_carrier()->stop(Carrier::Stop::waiting);
}

RandomScheduler::RandomScheduler(PendingLaunches& pending) : pending_(pending) {}

RandomScheduler::~RandomScheduler() = default;

template <class Work>
void RandomScheduler::go_on(const Work& work)
{
    try {
        work();
    } catch (...) {
        run_.reset();
        carriers_.clear();
        throw;
    }
    if (run_->is_complete())
        run_.reset();
}

void RandomScheduler::run(std::unique_ptr<Grid> root, std::uint64_t seed)
{
    if (run_ == nullptr)
        run_ = std::make_unique<RandomRun>(pending_, carriers_, deviations, seed);
    go_on([&] { run_->run(std::move(root)); });
}

void RandomScheduler::finish()
{
    if (run_ != nullptr)
        go_on([&] { run_->finish(); });
}

} // namespace nestbed::cpu
