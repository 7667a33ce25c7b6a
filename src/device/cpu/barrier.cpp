// __syncthreads(), what a block may not do with it, and copies that it does not end.
#include "base/reported_place.hpp"
#include "device/cpu/executor_state.hpp"
#include "device/cpu/misuse.hpp"
#include "device/cpu/observer.hpp"

#include <fmt/format.h>

#include <cstring>
#include <string_view>
#include <utility>

namespace nestbed::cpu
{

namespace
{

bool is_same(const CallPlace& left, const CallPlace& right)
{
    return left.line == right.line && left.number == right.number &&
           (left.file == right.file || std::string_view(left.file) == right.file);
}

} // namespace

void open_barrier(Block& block, const std::vector<Carrier*>& reached)
{
    const ThreadContext& thread = reached.front()->context;
    if (reached.size() + block.gone != block.threads)
        throw fault_of(
            thread,
            fmt::format("{} of the {} threads of a block are at a barrier, {} have ended, and the others wait for "
                        "something else; a barrier opens when every thread of the block has reached it or ended",
                        reached.size(), block.threads, block.gone));
    const CallPlace place = std::exchange(block.barrier_place, {});
    if (block.other_place.file != nullptr) {
        const CallPlace other = block.other_place;
        const bool is_one_line = other.number != place.number && other.line == place.line;
        throw fault_of(thread, fmt::format("threads of one block wait at two barriers, {} and {}{}; all threads "
                                           "of a block must meet at the same barrier",
                                           reported_place(place.file, place.line),
                                           is_one_line ? "another one of the same line, " : "",
                                           reported_place(other.file, other.line)));
    }
    block.counted_votes = std::exchange(block.votes, 0);
    block.at_last_barrier = static_cast<std::uint32_t>(reached.size());
    const bool differs = std::exchange(block.other_iteration, false);
    if (block.observed == nullptr)
        return;
    if (differs)
        observer->misused(thread.observed,
                          {.kind = Misuse::Kind::other_iteration, .is_warning = true, .place = place});
    else if (block.gone != 0)
        observer->misused(thread.observed, {.kind = Misuse::Kind::ended_threads,
                                            .is_warning = true,
                                            .place = place,
                                            .ended = block.gone,
                                            .threads = block.threads});
    observer->barrier(block.observed);
}

void barrier(const char* file, unsigned line, unsigned number)
{
    Block& block = *current_carrier()->block;
    const CallPlace place{"__syncthreads", file, line, number};
    if (block.barrier_place.file == nullptr) {
        block.barrier_place = place;
        block.barrier_iteration = current_thread->iteration;
    } else if (!is_same(block.barrier_place, place)) {
        block.other_place = place;
    } else if (block.barrier_iteration != current_thread->iteration) {
        block.other_iteration = true;
    }
    current_carrier()->stop(Carrier::Stop::at_barrier);
}

unsigned barrier_count(bool predicate, unsigned& threads, const char* file, unsigned line, unsigned number)
{
    Block& block = *current_carrier()->block;
    block.votes += predicate ? 1 : 0;
    barrier(file, line, number);
    // Nobody can pass the next barrier before this thread has read the votes of this one.
    threads = block.at_last_barrier;
    return block.counted_votes;
}

void arrive()
{
    if (current_thread->observed != nullptr)
        observer->arrived(current_thread->observed);
}

void copy_beside(void* to, const void* from, std::size_t bytes)
{
    if (current_thread->observed != nullptr)
        observer->copies_beside(current_thread->observed, to, from, bytes, __builtin_return_address(0));
    if (from == nullptr)
        std::memset(to, 0, bytes);
    else
        std::memmove(to, from, bytes);
}

void commit_copies()
{
    if (current_thread->observed != nullptr)
        observer->commits_copies(current_thread->observed);
}

void bulk_copies(const BulkCopy& copy)
{
    if (current_thread->observed != nullptr)
        observer->bulk_copies(current_thread->observed, copy);
}

void commit_bulk_copies()
{
    if (current_thread->observed != nullptr)
        observer->commits_bulk_copies(current_thread->observed);
}

void wait_for_bulk_copies(std::size_t prior, bool only_reads)
{
    if (current_thread->observed != nullptr)
        observer->waited_for_bulk_copies(current_thread->observed, prior, only_reads);
}

void fence_async_proxy()
{
    if (current_thread->observed != nullptr)
        observer->fences_async_proxy(current_thread->observed);
}

void wait_for_copies(std::size_t prior)
{
    if (current_thread->observed != nullptr)
        observer->waited_for_copies(current_thread->observed, prior);
}

} // namespace nestbed::cpu
