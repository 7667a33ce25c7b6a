// The schedules fifo and eager. A generation is the set of grids that may start at one time. The workers share its
// blocks, and the threads of each block run in order. Launches are collected and are submitted when the generation is
// done, in the order of grid, block and call; tail launches in the order of the calls, because a block may wait for
// another one before it calls. So the outcome does not depend on the number of workers, except for which launch is
// refused, and for the order of tail launches of blocks that nothing orders. If all launches of a case are tail
// launches (Executor::restrict_to_mechanism), one worker runs them in the order of the blocks.
#include "base/start_thread.hpp"
#include "device/cpu/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <iterator>
#include <list>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

namespace nestbed::cpu
{

// The workers. The calling thread is the first one; the others sleep between generations.
class SequentialScheduler::Team
{
  public:
    Team(unsigned workers, PendingLaunches& pending);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    void run(std::unique_ptr<Grid> root, bool eager);

  private:
    void run_generation(const std::vector<Grid*>& generation);
    void take_blocks(Worker& worker);
    void sleep_and_work(Worker& worker);
    void share();
    void stop();

    PendingLaunches& pending_;
    Workers workers_;

    // The generation that the workers share. It is written only while the other workers sleep.
    const std::vector<Grid*>* generation_ = nullptr;
    std::vector<std::uint64_t> first_block_; // of each grid; blocks are numbered through the whole generation
    std::atomic<std::uint64_t> next_block_ = 0;
    std::uint64_t chunk_ = 1;

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::uint64_t round_ = 0;
    unsigned busy_ = 0;
    bool stop_ = false;
    std::exception_ptr error_;
    std::vector<std::jthread> threads_;
};

SequentialScheduler::Team::Team(unsigned workers, PendingLaunches& pending) : pending_(pending)
{
    for (unsigned i = 0; i < workers; ++i)
        workers_.all.emplace_back(std::make_unique<Worker>(pending, workers_))->number = i;
    try {
        for (unsigned i = 1; i < workers; ++i)
            threads_.push_back(
                start_thread(fmt::format("thread {} of {} of the executor (--workers)", i + 1, workers),
                             [this, i] { sleep_and_work(*workers_.all[i]); }));
    } catch (...) {
        stop();
        throw;
    }
}

SequentialScheduler::Team::~Team()
{
    stop();
}

void SequentialScheduler::Team::stop()
{
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_all();
    threads_.clear();
}

void SequentialScheduler::Team::run(std::unique_ptr<Grid> root, bool eager)
{
    for (const auto& worker : workers_.all)
        worker->eager = eager;
    GridGraph graph;
    graph.submit(std::move(root));
    try {
        for (;;) {
            const std::vector<Grid*> generation = graph.take_ready();
            if (generation.empty())
                return;
            run_generation(generation);
            std::vector<Launched> launched;
            for (const auto& worker : workers_.all)
                std::ranges::move(worker->take_launched(), std::back_inserter(launched));
            // The tail stream of a grid is in the order of the calls, which may be one of its blocks after another.
            std::ranges::stable_sort(launched, {}, [](const Launched& launch) {
                const bool tail = launch.grid->mechanism == Mechanism::tail;
                return std::tuple(launch.position, tail, tail ? launch.call : launch.block);
            });
            for (Launched& launch : launched)
                graph.submit(std::move(launch.grid));
            for (Grid* grid : generation)
                graph.blocks_done(*grid);
            pending_.release(graph.take_released());
        }
    } catch (...) {
        for (const auto& worker : workers_.all)
            worker->forget_everything();
        workers_.early.clear();
        workers_.runner = nullptr;
        throw;
    }
}

void SequentialScheduler::Team::run_generation(const std::vector<Grid*>& generation)
{
    first_block_.clear();
    std::uint64_t blocks = 0;
    std::uint64_t threads = 0;
    for (const Grid* grid : generation) {
        first_block_.push_back(blocks);
        blocks += grid->blocks;
        threads += grid->blocks * grid->block_dim.x * grid->block_dim.y * grid->block_dim.z;
    }
    generation_ = &generation;
    next_block_ = 0;
    chunk_ = std::clamp<std::uint64_t>(blocks / (workers_.all.size() * 16), 1, 64);
    constexpr std::uint64_t kWorthWaking = 2048; // threads; with fewer, waking the others costs more than it saves
    // The order of tail launches of several blocks is part of the outcome: one worker makes it the same every time.
    if (pending_.only == Mechanism::tail || threads < kWorthWaking ||
        std::ranges::any_of(generation, [](const Grid* grid) { return grid->has_groups(); }))
        take_blocks(*workers_.all.front());
    else
        share();
}

void SequentialScheduler::Team::share()
{
    {
        const std::lock_guard lock(mutex_);
        ++round_;
        busy_ = static_cast<unsigned>(threads_.size());
    }
    wake_.notify_all();
    std::exception_ptr own_error;
    try {
        take_blocks(*workers_.all.front());
    } catch (...) {
        own_error = std::current_exception();
    }
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
    const std::exception_ptr error = std::exchange(error_, nullptr);
    if (own_error || error)
        std::rethrow_exception(own_error ? own_error : error);
}

void SequentialScheduler::Team::take_blocks(Worker& worker)
{
    const std::uint64_t blocks = first_block_.back() + generation_->back()->blocks;
    std::list<OpenBlock> open;
    for (;;) {
        const std::uint64_t begin = next_block_.fetch_add(chunk_);
        if (begin >= blocks)
            break;
        const auto after = std::ranges::upper_bound(first_block_, begin);
        auto position = static_cast<std::size_t>(after - first_block_.begin()) - 1;
        for (std::uint64_t block = begin; block < std::min(begin + chunk_, blocks); ++block) {
            if (block - first_block_[position] == (*generation_)[position]->blocks)
                ++position;
            worker.make_room(open);
            worker.run_block(*(*generation_)[position], block - first_block_[position], position, open);
        }
    }
    worker.run_open(open);
}

void SequentialScheduler::Team::sleep_and_work(Worker& worker)
{
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [&] { return stop_ || round_ != seen; });
        if (stop_)
            return;
        seen = round_;
        lock.unlock();
        std::exception_ptr error;
        try {
            take_blocks(worker);
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        if (error)
            error_ = error;
        if (--busy_ == 0)
            done_.notify_one();
    }
}

SequentialScheduler::SequentialScheduler(unsigned workers, PendingLaunches& pending)
    : team_(std::make_unique<Team>(workers, pending))
{
}

SequentialScheduler::~SequentialScheduler() = default;

void SequentialScheduler::run(std::unique_ptr<Grid> root, bool eager)
{
    team_->run(std::move(root), eager);
}

} // namespace nestbed::cpu
