// Blocks that run together: those of a cooperative grid, and of a cluster. They share no lock: one worker runs them.
#include "base/reported_place.hpp"
#include "device/cpu/executor_state.hpp"
#include "device/cpu/observer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace nestbed::cpu
{

namespace
{

constexpr std::uint64_t kWholeGrid = 0; // the number of a group, for the observer; clusters follow it

// Of a block in its grid: its cluster, and its rank there.
struct PlaceInCluster {
    std::uint64_t cluster;
    std::size_t rank;
};
PlaceInCluster place_of(const Grid& grid, std::uint64_t block)
{
    const dim3 all = grid.grid_dim;
    const dim3 of = grid.call.cluster;
    const std::uint64_t x = block % all.x;
    const std::uint64_t y = block / all.x % all.y;
    const std::uint64_t z = block / all.x / all.y;
    return {x / of.x + (all.x / of.x) * (y / of.y + (all.y / of.y) * (z / of.z)),
            x % of.x + of.x * (y % of.y + of.y * (z % of.z))};
}

bool has_cluster(const Block& block)
{
    return block.grid->cluster_blocks() > 1;
}

Cluster& cluster_of(const Block& block)
{
    return block.grid->clusters[place_of(*block.grid, block.index).cluster];
}

struct GroupOfThread {
    GroupBarrier& barrier;
    std::uint64_t members;
    std::uint64_t number; // for the observer
};
GroupOfThread group_of(Block& block, BlockGroup group)
{
    Grid& grid = *block.grid;
    if (group == BlockGroup::grid)
        return {grid.barrier, grid.blocks, kWholeGrid};
    const std::uint64_t number = place_of(grid, block.index).cluster + 1;
    GroupBarrier& barrier = has_cluster(block) ? cluster_of(block).barrier : block.cluster_barrier;
    return {barrier, grid.cluster_blocks() * block.threads - barrier.ended, number};
}

void open_if_complete(const Block& block, const GroupOfThread& group)
{
    GroupBarrier& barrier = group.barrier;
    if (barrier.arrived == 0 || barrier.arrived != group.members)
        return;
    barrier.arrived = 0;
    ++barrier.opened;
    if (block.grid->observed != nullptr)
        observer->group_opens(block.grid->observed, group.number);
}

std::string_view name_of(BlockGroup group)
{
    return group == BlockGroup::grid ? "grid" : "cluster";
}

[[noreturn]] void fail(BlockGroup group, std::string_view text, const char* file, unsigned line)
{
    throw fault_of(*current_thread,
                   fmt::format("the barrier of the {} at {}: {}", name_of(group), reported_place(file, line), text));
}

} // namespace

void join_groups(Block& block)
{
    if (!has_cluster(block))
        return;
    Cluster& cluster = cluster_of(block);
    cluster.running.resize(block.grid->cluster_blocks());
    cluster.ended.resize(block.grid->cluster_blocks());
    cluster.running[place_of(*block.grid, block.index).rank] = &block;
}

std::uint64_t cluster_number(const Block& block)
{
    return place_of(*block.grid, block.index).cluster;
}

void leave_groups_as_thread(Block& block)
{
    GroupBarrier& barrier = has_cluster(block) ? cluster_of(block).barrier : block.cluster_barrier;
    ++barrier.ended;
    if (barrier.arrived != 0)
        open_if_complete(block, group_of(block, BlockGroup::cluster));
}

std::vector<SharedVariable> leave_groups(Block& block)
{
    if (block.grid->call.cooperative)
        ++block.grid->barrier.ended;
    if (!has_cluster(block))
        return std::move(block.shared);
    const PlaceInCluster place = place_of(*block.grid, block.index);
    Cluster& cluster = cluster_of(block);
    cluster.running[place.rank] = nullptr;
    cluster.ended[place.rank] = std::move(block.shared);
    std::vector<SharedVariable> unused;
    if (++cluster.blocks_ended == cluster.running.size()) {
        for (std::vector<SharedVariable>& each : cluster.ended)
            std::ranges::move(each, std::back_inserter(unused));
        block.grid->clusters.erase(place.cluster);
    }
    return unused;
}

bool is_cooperative()
{
    return current_carrier()->block->grid->call.cooperative;
}

dim3 cluster_dim()
{
    return current_carrier()->block->grid->call.cluster;
}

// Of a grid as CUDA's own does it (cooperative_groups/details/sync.h): all threads of a block meet, and thread 0 arrives for them. Where
// that one has ended, nobody arrives, and the others of its block do not wait for other blocks.
void arrive_at_group(BlockGroup group, bool orders, const char* file, unsigned line)
{
    Block& block = *current_carrier()->block;
    std::uint64_t& awaited = current_thread->arrived_at[static_cast<std::size_t>(group)];
    const bool is_grid = group == BlockGroup::grid;
    if (is_grid && !block.grid->call.cooperative)
        fail(group, "the grid was not launched by cudaLaunchCooperativeKernel() or cudaLaunchAttributeCooperative",
             file, line);
    if (awaited != 0)
        fail(group, "the thread arrives once more before it has waited", file, line);
    if (is_grid)
        barrier(file, line);
    const GroupOfThread of = group_of(block, group);
    awaited = of.barrier.opened + 1;
    if (is_grid && linear_thread() != 0)
        return;
    current_thread->moved = true;
    if (current_thread->observed != nullptr && orders)
        observer->arrives_at_group(current_thread->observed, of.number);
    ++of.barrier.arrived;
    open_if_complete(block, of);
}

void wait_for_group(BlockGroup group, const char* file, unsigned line)
{
    Block& block = *current_carrier()->block;
    const std::uint64_t awaited = std::exchange(current_thread->arrived_at[static_cast<std::size_t>(group)], 0);
    const bool is_grid = group == BlockGroup::grid;
    if (awaited == 0)
        fail(group, "the thread waits and has not arrived", file, line);
    if (!is_grid || linear_thread() == 0) {
        const GroupOfThread of = group_of(block, group);
        while (of.barrier.opened < awaited) {
            if (is_grid && of.barrier.arrived + of.barrier.ended == block.grid->blocks)
                fail(group,
                     fmt::format("{} of the {} blocks of the grid have ended without it; all must call it",
                                 of.barrier.ended, block.grid->blocks),
                     file, line);
            give_way();
        }
        if (current_thread->observed != nullptr)
            observer->waited_for_group(current_thread->observed, of.number);
    }
    if (is_grid)
        barrier(file, line, 1);
}

void* shared_of_cluster(const void* address, unsigned rank)
{
    Block& own = *current_carrier()->block;
    const auto found = std::ranges::find_if(own.shared, [&](const SharedVariable& each) {
        const auto offset = static_cast<const std::byte*>(address) - each.place.memory();
        return offset >= 0 && static_cast<std::size_t>(offset) <= each.place.bytes();
    });
    if (found == own.shared.end())
        throw fault_of(*current_thread,
                       "map_shared_rank() of an address that is not in the shared memory of the block");
    const auto offset = static_cast<const std::byte*>(address) - found->place.memory();
    const std::uint64_t blocks = own.grid->cluster_blocks();
    if (rank >= blocks)
        throw fault_of(*current_thread,
                       fmt::format("map_shared_rank() of rank {}; the cluster has {} blocks", rank, blocks));
    if (blocks == 1)
        return found->place.memory() + offset;
    // By what is no iterator: another thread of the block may make a variable while this one gives way.
    const void* const key = found->key;
    const std::size_t bytes = found->place.bytes();
    const std::size_t element = found->element;
    const char* const name = found->name;
    Cluster& cluster = cluster_of(own);
    const auto variable = [&] { return std::ranges::find(cluster.ended[rank], key, &SharedVariable::key); };
    while (cluster.running[rank] == nullptr && variable() == cluster.ended[rank].end())
        give_way();
    return (cluster.running[rank] != nullptr
                ? shared_variable_of(*cluster.running[rank], key, bytes, element, name).place.memory()
                : variable()->place.memory()) +
           offset;
}

// From the lowest bit: 20 of the place in a variable and kMiddle, 7 of the number of the variable, 5 of a rank and 1; 0: the own block.
constexpr unsigned kMiddle = 1U << 19U;

unsigned shared_address(const void* memory)
{
    const Block& own = *current_carrier()->block;
    for (std::size_t number = 0; number < own.shared.size() && number < 128; ++number) {
        const auto offset = static_cast<const std::byte*>(memory) - own.shared[number].place.memory();
        if (offset >= 0 && static_cast<std::size_t>(offset) <= own.shared[number].place.bytes())
            return static_cast<unsigned>(number << 20U) + kMiddle + static_cast<unsigned>(offset);
    }
    throw fault_of(*current_thread, "the address in shared memory of what is not in the shared memory of the block");
}

void* memory_of_shared_address(unsigned address)
{
    const Block& own = *current_carrier()->block;
    const unsigned number = address >> 20U & 127U;
    if (number >= own.shared.size())
        throw fault_of(*current_thread,
                       fmt::format("0x{:x} is no address in the shared memory of the block", address));
    std::byte* const memory = own.shared[number].place.memory();
    const auto offset = static_cast<std::ptrdiff_t>(address & 0xFFFFFU) - static_cast<std::ptrdiff_t>(kMiddle);
    if (address >> 27U == 0)
        return memory + offset;
    return static_cast<std::byte*>(shared_of_cluster(memory, (address >> 27U) - 1)) + offset;
}

unsigned mapped_shared_address(unsigned address, unsigned rank)
{
    return (address & 0x7FFFFFFU) | (rank + 1) << 27U;
}

unsigned rank_of_shared(const void* address)
{
    const Block& own = *current_carrier()->block;
    const auto has = [address](const SharedVariable& each) {
        const auto offset = static_cast<const std::byte*>(address) - each.place.memory();
        return offset >= 0 && static_cast<std::size_t>(offset) < each.place.bytes();
    };
    if (!has_cluster(own))
        return std::ranges::any_of(own.shared, has) ? 0 : ~0U;
    const Cluster& cluster = cluster_of(own);
    for (unsigned rank = 0; rank < cluster.running.size(); ++rank)
        if (std::ranges::any_of(
                cluster.running[rank] != nullptr ? cluster.running[rank]->shared : cluster.ended[rank], has))
            return rank;
    return ~0U;
}

} // namespace nestbed::cpu
