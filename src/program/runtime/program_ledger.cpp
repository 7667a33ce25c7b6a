#include "program/runtime/program_ledger.hpp"

#include "program/runtime/error_texts.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace nestbed::program
{

namespace
{

std::atomic<std::uint64_t> skipped_ns = 0;

}

std::uint64_t now_ns()
{
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) +
           skipped_ns.load(std::memory_order_relaxed);
}

void skip_ns(std::uint64_t time)
{
    skipped_ns.fetch_add(time, std::memory_order_relaxed);
}

void Ledger::add(const std::shared_ptr<GridRecord>& grid)
{
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = row_of_kernel_.emplace(grid->kernel, rows_.size());
    if (is_new)
        rows_.push_back({.counts = {.kernel = grid->kernel, .first_error = {}, .place = grid->place},
                         .of_library = grid->of_library});
    has_launches_of_libraries_ |= grid->of_library;
    KernelCounts& counts = rows_[found->second].counts;
    ++(grid->graph_run != nullptr ? counts.in_graphs
       : grid->parent == nullptr  ? counts.from_host
                                  : counts.from_device);
    if (grid->error == 0) {
        counts.deepest = std::max(counts.deepest, grid->level);
    } else if (++counts.refused == 1) {
        counts.first_error = short_error_name(grid->error);
        counts.place = grid->place;
        counts.why_refused = grid->why_refused;
    }
    if (!keep_grids_)
        return;
    if (grids_.size() >= kMaxGrids) {
        ++lost_;
        return;
    }
    grids_.push_back(grid);
}

void Ledger::add_graph_launch(bool from_kernel, bool is_refused)
{
    const std::lock_guard lock(mutex_);
    ++(from_kernel ? graphs_.from_device : graphs_.from_host);
    graphs_.refused += is_refused ? 1 : 0;
}

std::vector<KernelCounts> Ledger::counts() const
{
    // A thread that a signal has stopped keeps the lock.
    constexpr unsigned kMaxTries = 500;
    std::unique_lock lock(mutex_, std::try_to_lock);
    for (unsigned tries = 0; !lock && tries < kMaxTries; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        static_cast<void>(lock.try_lock());
    }
    std::vector<KernelCounts> counts;
    for (const Row& row : rows_)
        if (!row.of_library || row.counts.refused > 0)
            counts.push_back(row.counts);
    return counts;
}

} // namespace nestbed::program
