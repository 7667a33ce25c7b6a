// Messages between the blocks of a cluster: a thread stores into the shared memory of another block and does not wait. A barrier in
// the shared memory of the receiver counts the bytes, so that the receiver knows when all messages of a turn are there.
//
// A turn has a barrier and memory of its own; two of each, in turn, are enough. In every turn each block
//     waits for the barrier of the turn (wait_for_messages): each thread that waits sees all that was sent, and so does one that comes
//     to a barrier of the block after a thread that has waited
//     reads what it received, and sends for the next turn
//     __syncthreads(); then one thread per block that can receive calls end_messages() with the bytes that this block sends to it, 0 too
// Messages may be sent before or after the call of end_messages(). The shared memory from which they are sent has two sides, too.
// No message of the turn after the next one can arrive before this block has read those of this turn: its sender waits for a
// message of the next turn, which this block sends after its own barrier.
// Source: PTX ISA, "st.async", "mbarrier"; compute capability 9.0 or later: code for others must not call these functions.
#pragma once

#include "device/cuda/kernel_language.cuh"

namespace nestbed::inline on_cuda
{

using MessageBarrier = unsigned long long; // in shared memory

// The address of what is in shared memory, for instructions that take it as a number.
__device__ inline unsigned shared_address(const void* in_shared)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(in_shared));
}

// The address of the same variable in block `rank` of the cluster.
__device__ inline unsigned address_in_block(unsigned address, unsigned rank)
{
    unsigned there = 0;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

// By one thread, before a barrier of the cluster: `blocks` blocks send in each turn.
__device__ inline void begin_messages(MessageBarrier& barrier, unsigned blocks)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n\tfence.mbarrier_init.release.cluster;"
                 :
                 : "r"(shared_address(&barrier)), "r"(blocks)
                 : "memory");
}

// Stores a value at an address of another block, and counts its bytes at the barrier of that block. The value is visible to
// threads that have waited for the barrier: the count has release order, and the wait has acquire order.
__device__ inline void send_message(unsigned to, uint2 value, unsigned barrier)
{
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%0], {%1, %2}, [%3];"
                 :
                 : "r"(to), "r"(value.x), "r"(value.y), "r"(barrier)
                 : "memory");
}
// To an address that is a multiple of 16.
__device__ inline void send_message(unsigned to, uint4 value, unsigned barrier)
{
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1, %2, %3, %4}, [%5];"
                 :
                 : "r"(to), "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), "r"(barrier)
                 : "memory");
}

// This block sends `bytes` to the block of the barrier in this turn. They may arrive before or after this. What the threads of this
// block did before a barrier of the block is done when another one has waited. In all a block receives less than 2^20 bytes a turn.
__device__ inline void end_messages(unsigned barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;"
                 :
                 : "r"(barrier), "r"(bytes)
                 : "memory");
}

// Waits until the messages of all blocks have arrived. use: how often the barrier was waited for before.
__device__ inline void wait_for_messages(MessageBarrier& barrier, unsigned use)
{
    unsigned done = 0;
    while (done == 0)
        asm volatile("{\n\t.reg .pred done;\n\t"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, done;\n\t}"
                     : "=r"(done)
                     : "r"(shared_address(&barrier)), "r"(use % 2)
                     : "memory");
}

} // namespace nestbed::inline on_cuda
