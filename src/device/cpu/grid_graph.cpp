#include "device/cpu/grid_graph.hpp"

#include "device/cpu/executor_state.hpp"
#include "device/cpu/observer.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace nestbed::cpu
{

Grid::Grid() = default;
Grid::~Grid() = default;

Grid::Grid(dim3 grid, dim3 block, Mechanism how, KernelCall kernel)
    : grid_dim(grid), block_dim(block), mechanism(how), call(std::move(kernel)),
      blocks(std::uint64_t{grid.x} * grid.y * grid.z), blocks_open(blocks)
{
}

void GridGraph::submit(std::unique_ptr<Grid> grid)
{
    Grid* parent = grid->parent;
    if (parent == nullptr) {
        grid->previous = newest_root_;
        if (newest_root_ != nullptr)
            newest_root_->next = grid.get();
        newest_root_ = grid.get();
        return make_ready(std::move(grid));
    }
    if (grid->mechanism == Mechanism::tail) {
        parent->tails.push_back(std::move(grid));
        return;
    }
    ++parent->children_open;
    BlockChildren& siblings = parent->children[grid->parent_block];
    ++siblings.open;
    if (!grid->in_order())
        return make_ready(std::move(grid));
    const auto last = std::ranges::find(siblings.streams, grid->stream, &std::pair<std::uint64_t, Grid*>::first);
    if (last == siblings.streams.end()) {
        siblings.streams.emplace_back(grid->stream, grid.get());
        return make_ready(std::move(grid));
    }
    Grid* const before = std::exchange(last->second, grid.get());
    before->next_in_stream = std::move(grid);
}

void GridGraph::make_ready(std::unique_ptr<Grid> grid)
{
    Grid* ready = grid.get();
    if (ready->observed != nullptr)
        observer->starts(ready->observed);
    live_.emplace(ready, std::move(grid));
    ready_.push_back(ready);
}

void GridGraph::blocks_done(Grid& grid)
{
    grid.blocks_open = 0;
    complete_if_done(grid);
}

void GridGraph::child_is_complete(Grid& parent, Grid& grid)
{
    --parent.children_open;
    const auto found = parent.children.find(grid.parent_block);
    BlockChildren& siblings = found->second;
    std::erase(siblings.streams, std::pair(grid.stream, &grid));
    if (--siblings.open != 0)
        return;
    std::ranges::copy(siblings.waiters, std::back_inserter(woken_));
    parent.children.erase(found);
}

void GridGraph::root_is_complete(Grid& grid)
{
    if (newest_root_ == &grid)
        newest_root_ = nullptr;
    if (grid.previous != nullptr)
        grid.previous->next = nullptr;
    if (grid.next == nullptr)
        return;
    grid.next->previous = nullptr;
    std::ranges::copy(std::exchange(grid.next->previous_waiters, {}), std::back_inserter(woken_));
}

// Completes the grid if it is done, then its ancestors, as long as each grid is the last one that its parent waited
// for.
void GridGraph::complete_if_done(Grid& start)
{
    for (Grid* grid = &start; grid != nullptr;) {
        if (grid->blocks_open != 0 || grid->children_open != 0 || grid->tail_open)
            return;
        if (std::exchange(grid->pending, false))
            ++released_;
        if (grid->observed != nullptr)
            observer->done(grid->observed);
        if (!grid->tails.empty()) {
            grid->tail_open = true;
            std::unique_ptr<Grid> tail = std::move(grid->tails.front());
            grid->tails.pop_front();
            make_ready(std::move(tail));
            return;
        }
        if (grid->observed != nullptr)
            observer->complete(grid->observed);
        if (grid->waiter != nullptr)
            woken_.push_back(grid->waiter);
        Grid* parent = grid->parent;
        if (parent == nullptr) {
            root_is_complete(*grid);
        } else {
            if (grid->mechanism == Mechanism::tail)
                parent->tail_open = false;
            else
                child_is_complete(*parent, *grid);
        }
        if (grid->next_in_stream)
            make_ready(std::move(grid->next_in_stream));
        live_.erase(grid);
        grid = parent;
    }
}

std::vector<Grid*> GridGraph::take_ready()
{
    return std::exchange(ready_, {});
}

std::size_t GridGraph::held_back() const
{
    std::size_t count = 0;
    for (const auto& [grid, owned] : live_) {
        count += grid->tails.size();
        for (const Grid* next = grid->next_in_stream.get(); next != nullptr; next = next->next_in_stream.get())
            ++count;
    }
    return count;
}

std::vector<Carrier*> GridGraph::take_woken()
{
    return std::exchange(woken_, {});
}

} // namespace nestbed::cpu
