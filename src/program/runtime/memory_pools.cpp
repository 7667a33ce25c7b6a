// Memory pools. Each allocation has memory of its own, which is not used again, so that an access after its end is seen; a pool counts what it
// would hold on a GPU.
#include "program/runtime/memory_pools.hpp"

#include "program/runtime/device.hpp"
#include "program/runtime/graphs.hpp"
#include "program/runtime/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <vector>

struct CUmemPoolHandle_st {
    cudaMemPoolProps properties{};
    std::array<int, 3> may_reuse{1, 1, 1}; // by cudaMemPoolReuse…: memory is not used again here
    std::uint64_t release_threshold = 0;
    std::uint64_t used = 0, max_used = 0, reserved = 0, max_reserved = 0; // bytes
    bool is_destroyed = false;                                            // and ends when its memory is free
};

namespace nestbed::program
{

namespace
{

// What a pool takes from a GPU at once.
constexpr std::uint64_t kPart = std::uint64_t{32} << 20U;
std::uint64_t in_parts(std::uint64_t bytes)
{
    return (bytes + kPart - 1) / kPart * kPart;
}

struct Pools {
    std::mutex mutex;
    CUmemPoolHandle_st of_device{
        {cudaMemAllocationTypePinned, cudaMemHandleTypeNone, {cudaMemLocationTypeDevice, 0}, nullptr, 0, 0, {}}};
    std::vector<std::unique_ptr<CUmemPoolHandle_st>> others;
    cudaMemPool_t current = &of_device;

    bool has(cudaMemPool_t pool) const
    {
        return pool == &of_device || std::ranges::any_of(others, [&](const auto& each) {
                   return each.get() == pool && !each->is_destroyed;
               });
    }
    void end_if_unused(cudaMemPool_t pool)
    {
        if (pool->is_destroyed && pool->used == 0)
            std::erase_if(others, [&](const auto& each) { return each.get() == pool; });
    }
};
Pools& pools()
{
    static Pools& of_process = *new Pools; // programs free memory in destructors
    return of_process;
}

void keep(CUmemPoolHandle_st& pool, std::uint64_t bytes)
{
    pool.reserved = std::max(in_parts(pool.used), std::min(pool.reserved, bytes));
}

cudaError_t no_pool(const char* function, const void* place)
{
    return noted_at(place, cudaErrorInvalidValue,
                    fmt::format("{}: this is no memory pool, or it has been destroyed", function));
}

// Not cudaErrorInvalidDevice: as an H200 says.
cudaError_t no_device(const char* function, int device, const void* place)
{
    return noted_at(place, cudaErrorInvalidValue, fmt::format("{}: device {}; allowed: 0", function, device));
}

bool is_size(cudaMemPoolAttr attribute)
{
    return attribute >= cudaMemPoolAttrReleaseThreshold && attribute <= cudaMemPoolAttrUsedMemHigh;
}
bool is_reuse(cudaMemPoolAttr attribute)
{
    return attribute >= cudaMemPoolReuseFollowEventDependencies &&
           attribute <= cudaMemPoolReuseAllowInternalDependencies;
}
std::uint64_t& size_of(CUmemPoolHandle_st& pool, cudaMemPoolAttr attribute)
{
    switch (attribute) {
    case cudaMemPoolAttrReservedMemCurrent:
        return pool.reserved;
    case cudaMemPoolAttrReservedMemHigh:
        return pool.max_reserved;
    case cudaMemPoolAttrUsedMemCurrent:
        return pool.used;
    case cudaMemPoolAttrUsedMemHigh:
        return pool.max_used;
    default:
        return pool.release_threshold;
    }
}

cudaError_t captured_memory(void** memory, std::size_t bytes, cudaStream_t stream, const char* name, Place place,
                            const char* function, const void* at)
{
    NodeWork work;
    if (const cudaError_t error = memory_work(work, function, bytes, name, place, at); error != cudaSuccess)
        return error;
    *memory = work.memory;
    return capture(stream, std::move(work));
}

} // namespace

void give_back(cudaMemPool_t pool, std::size_t bytes)
{
    const std::lock_guard lock(pools().mutex);
    pool->used -= bytes;
    keep(*pool, pool->release_threshold);
    pools().end_if_unused(pool);
}

void forget_pools()
{
    Pools& all = pools();
    const std::lock_guard lock(all.mutex);
    all.others.clear();
    all.of_device = CUmemPoolHandle_st{all.of_device.properties};
    all.current = &all.of_device;
}

cudaError_t allocate_from_pool(void** memory, std::size_t bytes, std::size_t element_bytes, const char* name,
                               Place place, cudaMemPool_t pool, cudaStream_t stream)
{
    const void* const at = __builtin_return_address(0);
    const char* const function = pool == nullptr ? "cudaMallocAsync" : "cudaMallocFromPoolAsync";
    if (is_captured(stream))
        return captured_memory(memory, bytes, stream, name, place, function, at);
    if (!can_use_stream(stream))
        return wrong_stream(function, at);
    {
        const std::lock_guard lock(pools().mutex);
        if (pool == nullptr)
            pool = pools().current;
        if (!pools().has(pool))
            return no_pool(function, at);
        if (pool->properties.maxSize != 0 && pool->used + bytes > pool->properties.maxSize)
            return noted_at(at, cudaErrorMemoryAllocation,
                            fmt::format("{} bytes for {} are too many: {} of the pool's {} bytes are allocated",
                                        bytes, name, pool->used, pool->properties.maxSize));
    }
    if (const cudaError_t error = allocate(memory, bytes, element_bytes, name, place, MemoryKind::device);
        error != cudaSuccess || *memory == nullptr) // of no bytes
        return error;
    {
        const std::scoped_lock lock(heap().mutex, pools().mutex);
        heap().at(reinterpret_cast<std::uintptr_t>(*memory))->pool = pool;
        pool->used += bytes;
        pool->max_used = std::max(pool->max_used, pool->used);
        pool->reserved = std::max(pool->reserved, in_parts(pool->used));
        pool->max_reserved = std::max(pool->max_reserved, pool->reserved);
    }
    const std::lock_guard lock(state().running);
    use_stream(stream);
    Operation(function, at, stream).accesses({.begin = *memory, .width = bytes}, true);
    return cudaSuccess;
}

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties)
{
    const void* const place = __builtin_return_address(0);
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    if (properties == nullptr || properties->allocType != cudaMemAllocationTypePinned)
        return noted_at(place, cudaErrorInvalidValue,
                        fmt::format("{}: a pool needs the type cudaMemAllocationTypePinned", __func__));
    if (properties->location.type != cudaMemLocationTypeDevice)
        return noted_at(place, cudaErrorNotSupported,
                        fmt::format("{}: the executor has pools of the device alone", __func__));
    if (const cudaError_t error = checked_device(properties->location.id); error != cudaSuccess)
        return error;
    auto made = std::make_unique<CUmemPoolHandle_st>();
    made->properties = *properties;
    if (const cudaError_t error = give(pool, made.get(), place); error != cudaSuccess)
        return error;
    const std::lock_guard lock(pools().mutex);
    pools().others.push_back(std::move(made));
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    const void* const place = __builtin_return_address(0);
    const std::lock_guard lock(pools().mutex);
    Pools& all = pools();
    if (!all.has(pool))
        return no_pool(__func__, place);
    if (pool == &all.of_device)
        return noted_at(place, cudaErrorInvalidValue,
                        fmt::format("{}: the device's own pool cannot be destroyed", __func__));
    if (all.current == pool)
        all.current = &all.of_device;
    pool->is_destroyed = true;
    all.end_if_unused(pool);
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value)
{
    const void* const place = __builtin_return_address(0);
    const std::lock_guard lock(pools().mutex);
    if (!pools().has(pool))
        return no_pool(__func__, place);
    if (value == nullptr || (!is_reuse(attribute) && !is_size(attribute)))
        return noted(cudaErrorInvalidValue);
    observe_read(value, is_reuse(attribute) ? sizeof(int) : sizeof(std::uint64_t), place);
    if (is_reuse(attribute)) {
        pool->may_reuse.at(attribute - cudaMemPoolReuseFollowEventDependencies) = *static_cast<const int*>(value);
        return cudaSuccess;
    }
    const std::uint64_t size = *static_cast<const std::uint64_t*>(value);
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
        pool->release_threshold = size;
        return cudaSuccess;
    }
    const bool is_max = attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
    if (!is_max || size != 0)
        return noted_at(place, cudaErrorInvalidValue,
                        fmt::format("{}: only the highest sizes can be set, and to 0 alone", __func__));
    (attribute == cudaMemPoolAttrUsedMemHigh ? pool->max_used : pool->max_reserved) =
        attribute == cudaMemPoolAttrUsedMemHigh ? pool->used : pool->reserved;
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value)
{
    const void* const place = __builtin_return_address(0);
    const std::lock_guard lock(pools().mutex);
    if (!pools().has(pool))
        return no_pool(__func__, place);
    if (is_reuse(attribute))
        return give(static_cast<int*>(value), pool->may_reuse.at(attribute - cudaMemPoolReuseFollowEventDependencies),
                    place);
    if (is_size(attribute))
        return give(static_cast<std::uint64_t*>(value), size_of(*pool, attribute), place);
    return noted(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep)
{
    const std::lock_guard lock(pools().mutex);
    if (!pools().has(pool))
        return no_pool(__func__, __builtin_return_address(0));
    keep(*pool, in_parts(bytes_to_keep));
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* of, size_t count)
{
    const void* const place = __builtin_return_address(0);
    {
        const std::lock_guard lock(pools().mutex);
        if (!pools().has(pool))
            return no_pool(__func__, place);
    }
    for (size_t at = 0; at < count; ++at) {
        if (of[at].location.type != cudaMemLocationTypeDevice)
            return noted(cudaErrorInvalidValue);
        if (const cudaError_t error = checked_device(of[at].location.id); error != cudaSuccess)
            return error;
        if (of[at].flags != cudaMemAccessFlagsProtReadWrite)
            return noted_at(place, cudaErrorInvalidValue,
                            fmt::format("{}: the device of a pool reads and writes its memory", __func__));
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location)
{
    const void* const place = __builtin_return_address(0);
    {
        const std::lock_guard lock(pools().mutex);
        if (!pools().has(pool))
            return no_pool(__func__, place);
    }
    if (location == nullptr || location->type != cudaMemLocationTypeDevice)
        return noted(cudaErrorInvalidValue);
    if (const cudaError_t error = checked_device(location->id); error != cudaSuccess)
        return error;
    return give(flags, cudaMemAccessFlagsProtReadWrite, place);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device)
{
    if (device != 0)
        return no_device(__func__, device, __builtin_return_address(0));
    return give(pool, &pools().of_device, __builtin_return_address(0));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device)
{
    if (device != 0)
        return no_device(__func__, device, __builtin_return_address(0));
    const std::lock_guard lock(pools().mutex);
    return give(pool, pools().current, __builtin_return_address(0));
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    if (device != 0)
        return no_device(__func__, device, __builtin_return_address(0));
    const std::lock_guard lock(pools().mutex);
    if (!pools().has(pool))
        return no_pool(__func__, __builtin_return_address(0));
    pools().current = pool;
    return cudaSuccess;
}
// NOLINTEND(readability-identifier-naming)
