// Bulk copies between global and shared memory, of bytes and of tiles of tensors (PTX ISA, "cp.async.bulk", "cp.async.bulk.tensor",
// "cp.reduce.async.bulk"; driver API, "Tensor Map Object Management"). They are done at once, and watched as those of the asynchronous proxy.
#pragma once

#include "barrier_objects.hpp"
#include "launch.hpp"

struct CUtensorMap_st; // NOLINT: these names are CUDA's

namespace nestbed::program
{

enum class BulkOperation : unsigned char { copy, add, min, max, inc, dec, bit_and, bit_or, bit_xor };
enum class BulkNumber : unsigned char {
    u8,
    u16,
    u32,
    s32,
    u64,
    s64,
    f16,
    f32,
    f64,
    bf16
}; // in the order of CUtensorMapDataType

// Both addresses and the bytes are multiples of 16. `completes`: the barrier, in the block whose memory is written; nullptr: the copy is
// of the thread's group. Of another operation than copy, the numbers that are there change.
void bulk_copy(void* to, const void* from, std::size_t bytes, cpu::BarrierObject* completes, Place place,
               BulkOperation operation = BulkOperation::copy, BulkNumber number = BulkNumber::u8);
inline constexpr unsigned kMaxTensorRank = 5;
struct TileAt {
    const CUtensorMap_st* map;
    unsigned rank;
    int at[kMaxTensorRank];
};
// Elements outside of the tensor are 0, or NaN if its map says so. They are not written.
void tile_to_shared(void* to, const TileAt& tile, cpu::BarrierObject* completes, Place place);
void tile_to_global(const TileAt& tile, const void* from, Place place, BulkOperation operation = BulkOperation::copy);
// The same address in the shared memory of the block of this rank in the cluster.
template <class T>
T* in_block_of_rank(T* address, unsigned rank)
{
    return (T*)cpu::shared_of_cluster((const void*)address, rank); // NOLINT
}
// Calls the function with each rank of which the bit is set.
template <class Function>
void for_ranks(unsigned mask, Function function)
{
    for (; mask != 0; mask &= mask - 1)
        function((unsigned)__builtin_ctz(mask));
}

} // namespace nestbed::program

// NOLINTBEGIN: these names are CUDA's.
enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess = 0,
    cudaDriverEntryPointSymbolNotFound = 1,
    cudaDriverEntryPointVersionNotSufficent = 2
};
#define cudaEnableDefault 0x0
#define cudaEnableLegacyStream 0x1
#define cudaEnablePerThreadDefaultStream 0x2
// Of the driver's functions the executor has those that make tensor maps.
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* result = nullptr);
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* result = nullptr);
// NOLINTEND
