// What blocks do to divide a range of elements into many parts, as sorts and quadtrees do: count the elements of each part, then move
// them there. An element has one word, by which it is divided, or two. All threads of a block call these functions.
//
// `Elements` is what a workload says of the range:
//     static constexpr unsigned kMaxParts, kMaxTile, kPerThread    parts; elements that a block, and that a thread, take at a time
//     unsigned first(), count()      of its elements
//     unsigned parts()               at most kMaxParts, and at most the threads of a block
//     void load(base, words)         from element `base` on, what the calling thread takes of a tile (load_tile()): the first words ...
//     void load_others(base, words)  ... or the other ones
//     unsigned key(word), word(key)  the key of a first word, by which it is divided, and back
//     unsigned part(key)             to which such an element goes
//     unsigned *words_to(), *others_to()    where the elements move to; others_to() is null if there are no other words
// `Counters` are in global memory, and 0 before the first block counts:
//     unsigned counts[kMaxParts], cursors[kMaxParts]    elements of each part; where the next ones of each part go
//     unsigned not_least, most                          the least key, inverted, and the largest one
#pragma once

#include "device/parts/request_collectives.hpp"
#include "device/parts/tile.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// Block `block` of `blocks`: how many elements each part has, and the range of all keys, added to `counters`. `words`: shared memory,
// kMaxParts + 2.
template <class Elements, class Counters>
__device__ void count_parts(const Elements& elements, Counters& counters, unsigned block, unsigned blocks,
                            unsigned* words)
{
    constexpr unsigned kNoPart = 0xFFFFFFFF;
    unsigned* const counts = words;
    unsigned* const range = words + Elements::kMaxParts;
    const unsigned tid = threadIdx.x;
    const unsigned tile = Elements::kPerThread * blockDim.x;
    __syncthreads(); // nobody still reads what was there before
    if (tid < elements.parts())
        counts[tid] = 0;
    if (tid == 0) {
        range[0] = 0xFFFFFFFF;
        range[1] = 0;
    }
    __syncthreads();
    unsigned least = 0xFFFFFFFF;
    unsigned most = 0;
    for (unsigned base = block * tile; base < elements.count(); base += blocks * tile) {
        unsigned taken[Elements::kPerThread];
        elements.load(base, taken);
        unsigned part = kNoPart; // of the last elements
        unsigned run = 0;        // how many have it: one addition for all
        for (unsigned turn = 0; turn < Elements::kPerThread; ++turn) {
            if (turn * blockDim.x + tid >= elements.count() - base)
                break;
            const unsigned key = elements.key(taken[turn]);
            least = least < key ? least : key;
            most = most > key ? most : key;
            const unsigned now = elements.part(key);
            if (now != part && run != 0) {
                atomicAdd(&counts[part], run);
                run = 0;
            }
            part = now;
            ++run;
        }
        if (run != 0)
            atomicAdd(&counts[part], run);
    }
    block_min_max(&range[0], &range[1], least, most);
    __syncthreads();
    if (tid < elements.parts() && counts[tid] != 0)
        atomicAdd(&counters.counts[tid], counts[tid]);
    if (tid == 0) {
        atomicMax(&counters.not_least, ~range[0]);
        atomicMax(&counters.most, range[1]);
    }
}

// By the last block to count: where the elements of each part go. Ends with a barrier.
template <class Elements, class Counters>
__device__ void set_cursors(const Elements& elements, Counters& counters)
{
    const unsigned tid = threadIdx.x;
    ItemsAndBlocks total = 0;
    const ItemsAndBlocks before = exclusive_scan(tid < elements.parts() ? counters.counts[tid] : 0, false, total);
    if (tid < elements.parts())
        counters.cursors[tid] = elements.first() + static_cast<unsigned>(before);
    __syncthreads();
}

// Block `block` of `blocks`: moves the elements to their parts, in the order of parts within each tile, so that neighbouring threads
// write neighbouring elements. `words`: shared memory, kMaxTile + 2 * kMaxParts.
template <class Elements, class Counters>
__device__ void move_to_parts(const Elements& elements, Counters& counters, unsigned block, unsigned blocks,
                              unsigned* words)
{
    constexpr unsigned kPerThread = Elements::kPerThread;
    unsigned* const counts = words + Elements::kMaxTile;    // of the tile; then where the part begins in it
    unsigned* const offsets = counts + Elements::kMaxParts; // from an element's place in the tile to its new place
    const unsigned tid = threadIdx.x;
    const unsigned tile = kPerThread * blockDim.x;
    for (unsigned base = block * tile; base < elements.count(); base += blocks * tile) {
        const unsigned left = elements.count() - base;
        const unsigned here = left < tile ? left : tile;
        unsigned key[kPerThread];
        unsigned place[kPerThread]; // among the elements of its part, then in the tile
        elements.load(base, key);
        __syncthreads();
        if (tid < elements.parts())
            counts[tid] = 0;
        __syncthreads();
        for (unsigned turn = 0; turn < kPerThread; ++turn) {
            key[turn] = elements.key(key[turn]);
            place[turn] = 0;
            if (turn * blockDim.x + tid < here)
                place[turn] = atomicAdd(&counts[elements.part(key[turn])], 1U);
        }
        __syncthreads();
        const unsigned mine = tid < elements.parts() ? counts[tid] : 0;
        ItemsAndBlocks total = 0;
        const auto before = static_cast<unsigned>(exclusive_scan(mine, false, total));
        if (tid < elements.parts()) {
            counts[tid] = before;
            if (mine != 0)
                offsets[tid] = atomicAdd(&counters.cursors[tid], mine) - before;
        }
        __syncthreads();
        for (unsigned turn = 0; turn < kPerThread; ++turn)
            if (turn * blockDim.x + tid < here) {
                place[turn] += counts[elements.part(key[turn])];
                words[place[turn]] = key[turn];
            }
        __syncthreads();
        unsigned target[kPerThread];
        load_tile(words, here, key);
        for (unsigned turn = 0; turn < kPerThread; ++turn)
            if (const unsigned index = turn * blockDim.x + tid; index < here) {
                target[turn] = offsets[elements.part(key[turn])] + index;
                elements.words_to()[target[turn]] = elements.word(key[turn]);
            }
        if (elements.others_to() == nullptr)
            continue;
        elements.load_others(base, key);
        __syncthreads();
        for (unsigned turn = 0; turn < kPerThread; ++turn)
            if (turn * blockDim.x + tid < here)
                words[place[turn]] = key[turn];
        __syncthreads();
        for (unsigned turn = 0; turn < kPerThread; ++turn)
            if (const unsigned index = turn * blockDim.x + tid; index < here)
                elements.others_to()[target[turn]] = words[index];
    }
}

} // namespace nestbed::inline NESTBED_BACKEND
