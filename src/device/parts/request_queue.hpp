// An irregular recursion by blocks that stay resident and share a queue of items.
//
//     queue = the items of the root grid
//     each block: take the next place of the queue; wait until an item is there, or no item is left
//         process the item; append what its threads request
//
// Taking is one addition, and so is appending: no block tries again because another was faster, or waits for another to append. A place
// has a flag of its own, which says that its item is written.
//
// An item is written before its flag is set, with release order; the block that has taken the place reads the flag with
// acquire order. With one addition an item that is done counts no longer, and those that it requests do: so nothing is left only when all is
// done. The block that sees this sets the flags of the places behind the last item, where all blocks wait by then. On a GPU a block waits
// while its place is empty; all blocks are resident, so those with an item make progress. On the executor it does not wait: it takes a
// place only if the item is there, and the block that appends items goes on until the queue is empty, so every item is processed.
// Source: persistent threads, Gupta, Stuart, Owens, "A Study of Persistent Threads Style GPU Programming for GPGPU
// Workloads", InPar 2012; places by tickets, Kerbl et al., "The Broker Queue", ICS 2018.
#pragma once

#include "device/parts/in_block.hpp"
#include "device/parts/request_memory.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr bool kQueueWaits = kBackend != BackendKind::cpu;

template <class Item>
struct ItemQueue {
    Item* items;
    unsigned* written; // a flag per place, and one for each block, which may wait behind the last place
    unsigned places;
    unsigned taken; // places before it; a block that waits takes the place of its number first
    // Upper half: places before it have an item, or a block is writing it. Lower half: items that are not done.
    unsigned long long reserved_and_left;
};

inline constexpr unsigned kNoItem = 0xFFFFFFFFU;
inline constexpr unsigned kReservedShift = 32;
inline constexpr unsigned kQueueWords = 3; // of shared memory

// What the flag of a place says: nothing yet, there is an item, or all is done.
inline constexpr unsigned kWritten = 1;
inline constexpr unsigned kAllDone = 2;

// By one thread: waits for the item of a place. Returns the place, or kNoItem if nothing is left.
template <class Item>
__device__ unsigned wait_for_item(ItemQueue<Item>* queue, unsigned place)
{
    unsigned flag = 0;
    while (flag == 0)
        flag = load_acquire(&queue->written[place]);
    return flag == kWritten ? place : kNoItem;
}

// By one thread, without waiting: the next place, if its item is there.
template <class Item>
__device__ unsigned take_item_there(ItemQueue<Item>* queue)
{
    for (;;) {
        const unsigned next = load_acquire(&queue->taken);
        if (next == queue->places || load_acquire(&queue->written[next]) != kWritten)
            return kNoItem;
        if (atomicCAS(&queue->taken, next, next + 1) == next)
            return next;
    }
}

// By all threads of the block that finds that nothing is left: those that wait, from this place on, end.
template <class Item>
__device__ void tell_all_done(ItemQueue<Item>* queue, unsigned reserved)
{
    for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x)
        store_relaxed(&queue->written[reserved + block], kAllDone);
}

// The kernel calls it in all threads, with kQueueWords words of shared memory. process(item, next) returns true in the threads that
// request an item, which they put into `next`.
template <class Item, class Process>
__device__ __forceinline__ void run_queue(ItemQueue<Item>* queue, unsigned* words, const Process& process)
{
    unsigned* const place = words;
    unsigned* const first = words + 1; // place of what the block requests
    unsigned* const all_done = words + 2;
    // In the first thread: the place that it waits for, and, after the block's last addition, what is reserved and left.
    unsigned waited_for = blockIdx.x;
    unsigned long long now = 1;
    for (;;) {
        if (threadIdx.x == 0) {
            *all_done = kQueueWaits && static_cast<unsigned>(now) == 0 ? 1 : 0;
            *first = static_cast<unsigned>(now >> kReservedShift);
            *place = *all_done != 0 ? kNoItem
                     : kQueueWaits  ? wait_for_item(queue, waited_for)
                                    : take_item_there(queue);
        }
        __syncthreads();
        if (*place == kNoItem) {
            if (*all_done != 0)
                tell_all_done(queue, *first);
            return;
        }
        Item next{};
        const bool requests = process(queue->items[*place], next);
        const auto count = static_cast<unsigned>(__syncthreads_count(requests ? 1 : 0));
        if (threadIdx.x == 0) { // neither addition waits for the other, nor for the barriers
            const unsigned long long more = (std::uint64_t{count} << kReservedShift) + count - 1;
            const unsigned long long old = atomicAdd(&queue->reserved_and_left, more);
            if constexpr (kQueueWaits)
                waited_for = atomicAdd(&queue->taken, 1U);
            now = old + more;
            if (count != 0)
                *first = static_cast<unsigned>(old >> kReservedShift);
        }
        if (count == 0)
            continue;
        ItemsAndBlocks total = 0;
        const ItemsAndBlocks before =
            exclusive_scan(requests ? 1 : 0, false, total); // barriers after the write of *first
        if (requests) {
            const unsigned at = *first + static_cast<unsigned>(before);
            queue->items[at] = next;
            store_release(&queue->written[at], kWritten);
        }
        __syncthreads(); // on the executor: its items are there when it takes the next place
    }
}

template <class Item>
struct QueueSetup {
    Buffer<Item> items;
    Buffer<unsigned> written;
    Buffer<ItemQueue<Item>> queue;
    std::uint32_t blocks;
};

// A queue with room for `places` items, which begins with `roots`, for as many blocks of Kernel as the device holds.
template <auto Kernel, class Item>
QueueSetup<Item> set_up_queue(const RequestJob& job, std::vector<Item> roots, std::uint64_t places)
{
    const auto first = static_cast<unsigned>(roots.size());
    const std::uint32_t blocks = job.context.template resident_blocks<Kernel>(job.point.block);
    QueueSetup<Item> setup{job.context.template allocate<Item>(places, "items"),
                           job.context.template allocate<unsigned>(places + blocks, "written"),
                           job.context.template allocate<ItemQueue<Item>>(1, "queue"), blocks};
    roots.resize(places);
    job.context.upload(setup.items, std::span<const Item>(roots));
    std::vector<unsigned> written(places + blocks);
    if (first == 0)
        std::ranges::fill(written, kAllDone);
    std::fill_n(written.begin(), first, kWritten);
    job.context.upload(setup.written, std::span<const unsigned>(written));
    const ItemQueue<Item> queue{setup.items.data(), setup.written.data(), static_cast<unsigned>(places),
                                kQueueWaits ? blocks : 0, std::uint64_t{first} << kReservedShift | first};
    job.context.upload(setup.queue, std::span(&queue, 1));
    return setup;
}

} // namespace nestbed::inline NESTBED_BACKEND
