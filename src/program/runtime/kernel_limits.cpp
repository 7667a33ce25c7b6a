#include "program/runtime/kernel_limits.hpp"

#include "program/runtime/device.hpp"
#include "program/runtime/kernel_names.hpp"
#include "program/runtime/state.hpp"
#include "program/runtime/static_shared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace nestbed::program
{

namespace
{

thread_local FoundKernel* asked_for = nullptr;

// Those with an attribute that cudaFuncSetAttribute() has set.
struct Changed {
    std::mutex mutex;
    std::vector<Kernel*> kernels;
};
Changed& changed()
{
    static Changed& of_process = *new Changed;
    return of_process;
}

int max_threads(const Kernel& kernel)
{
    return kernel.max_threads > 0 ? std::min(kernel.max_threads, kMaxThreads) : kMaxThreads;
}

std::size_t max_dynamic_bytes(Kernel& kernel, const void* code)
{
    if (kernel.max_dynamic_bytes >= 0)
        return static_cast<std::size_t>(kernel.max_dynamic_bytes);
    return kDefaultSharedBytes - std::min(kDefaultSharedBytes, static_shared_bytes(kernel, code));
}

std::string why_not_shared(const Kernel& kernel, std::size_t dynamic_bytes, std::size_t allowed)
{
    if (kernel.max_dynamic_bytes >= 0)
        return fmt::format(
            "{} bytes of dynamic shared memory are more than the {} that cudaFuncSetAttribute() has allowed {}.",
            dynamic_bytes, allowed, kernel.name);
    const std::string beside =
        kernel.static_bytes > 0 ? fmt::format(" beside its {} static bytes", kernel.static_bytes) : "";
    return fmt::format("{} bytes of dynamic shared memory are more than the {} that {} may have{}. Allow it more by "
                       "cudaFuncSetAttribute({}, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) on the host.",
                       dynamic_bytes, allowed, kernel.name, beside, kernel.name);
}

std::string why_not_grid(dim3 grid)
{
    if (grid.x == 0 || grid.y == 0 || grid.z == 0)
        return fmt::format("the grid of ({},{},{}) blocks is empty. Check the size before the launch.", grid.x,
                           grid.y, grid.z);
    if (grid.x > static_cast<unsigned>(kMaxGridX) || grid.y > static_cast<unsigned>(kMaxGridYZ) ||
        grid.z > static_cast<unsigned>(kMaxGridYZ))
        return fmt::format("a grid of ({},{},{}) blocks is too large; allowed: at most ({},{},{}).", grid.x, grid.y,
                           grid.z, kMaxGridX, kMaxGridYZ, kMaxGridYZ);
    return "";
}

std::string why_not_block(dim3 block, const Kernel* kernel)
{
    if (block.x == 0 || block.y == 0 || block.z == 0)
        return fmt::format("the block of ({},{},{}) threads is empty. Check the size before the launch.", block.x,
                           block.y, block.z);
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    constexpr auto kMax = static_cast<unsigned>(kMaxThreads);
    if (block.x > kMax || block.y > kMax || block.z > static_cast<unsigned>(kMaxBlockZ))
        return fmt::format(
            "a block of ({},{},{}) threads is too large; allowed: at most ({},{},{}), and {} together.", block.x,
            block.y, block.z, kMaxThreads, kMaxThreads, kMaxBlockZ, kMaxThreads);
    if (threads > kMax)
        return fmt::format("the block has {} threads; allowed: at most {}.", threads, kMaxThreads);
    if (kernel != nullptr && threads > static_cast<unsigned>(max_threads(*kernel)))
        return fmt::format("the block has {} threads; the __launch_bounds__ of {} allow {}.", threads, kernel->name,
                           kernel->max_threads);
    return "";
}

// Blocks that a multiprocessor has room for.
int resident_blocks(Kernel& kernel, const void* code, int block_threads, std::size_t dynamic_bytes)
{
    if (block_threads <= 0 || block_threads > max_threads(kernel) || dynamic_bytes > max_dynamic_bytes(kernel, code))
        return 0; // no such block can be launched
    const int warps = (block_threads + kWarp - 1) / kWarp;
    constexpr std::size_t kReservedBytes = 1024; // per block
    const std::size_t shared_bytes = static_shared_bytes(kernel, code) + dynamic_bytes + kReservedBytes;
    return std::min({kBlocksPerMultiprocessor, kThreadsPerMultiprocessor / (warps * kWarp),
                     static_cast<int>(kMultiprocessorSharedBytes / shared_bytes)});
}

int max_cluster(const Kernel& kernel)
{
    return kernel.has_large_clusters ? kMaxLargeCluster : kMaxCluster;
}

Refusal refusal_of_cluster(const Kernel& kernel, dim3 grid, const BlockGroups& groups)
{
    const dim3 of = groups.cluster;
    const std::string spelled = fmt::format("a cluster of ({},{},{}) blocks", of.x, of.y, of.z);
    const std::uint64_t blocks = std::uint64_t{of.x} * of.y * of.z;
    if (blocks == 0 || blocks > static_cast<unsigned>(max_cluster(kernel)))
        return {cudaErrorInvalidClusterSize,
                fmt::format(
                    "{}; allowed: 1 to {}{}.", spelled, max_cluster(kernel),
                    kernel.has_large_clusters ? "" : ", or 16 with cudaFuncAttributeNonPortableClusterSizeAllowed")};
    if (kernel.cluster.are_given() && groups.is_given &&
        (kernel.cluster.x != of.x || kernel.cluster.y != of.y || kernel.cluster.z != of.z))
        return {cudaErrorInvalidClusterSize,
                fmt::format("{}; the {} of {} are ({},{},{}).", spelled,
                            kernel.is_cluster_set ? "required cluster dimensions" : "__cluster_dims__", kernel.name,
                            kernel.cluster.x, kernel.cluster.y, kernel.cluster.z)};
    if (grid.x % of.x != 0 || grid.y % of.y != 0 || grid.z % of.z != 0)
        return {cudaErrorInvalidClusterSize, fmt::format("{} in a grid of ({},{},{}), which is no multiple of it.",
                                                         spelled, grid.x, grid.y, grid.z)};
    return {};
}

// Of a grid whose blocks must all be resident.
Refusal refusal_of_cooperative(Kernel& kernel, const void* code, dim3 grid, dim3 block, std::size_t dynamic_bytes)
{
    const int most = kMultiprocessors *
                     resident_blocks(kernel, code, static_cast<int>(block.x * block.y * block.z), dynamic_bytes);
    const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
    if (blocks <= static_cast<unsigned>(most))
        return {};
    return {cudaErrorCooperativeLaunchTooLarge,
            fmt::format("{} blocks of a cooperative grid; the executor's device has room for {} of them: "
                        "multiProcessorCount times what cudaOccupancyMaxActiveBlocksPerMultiprocessor() says.",
                        blocks, most)};
}

} // namespace

__attribute__((noinline)) bool is_asked(Kernel& kernel, const Parameters* parameters,
                                        const volatile void* const* arguments)
{
    add_template_arguments(kernel);
    if (asked_for == nullptr) [[likely]] {
        if (parameters != nullptr)
            keep_if_captured(kernel, *parameters, arguments, __builtin_return_address(0));
        return false;
    }
    *std::exchange(asked_for, nullptr) = {&kernel, parameters};
    return true;
}

// Calls it without arguments, of which it reads none. What is no kernel has other results.
FoundKernel found_kernel(const void* address)
{
    FoundKernel found;
    if (address == nullptr)
        return found;
    asked_for = &found;
    reinterpret_cast<void (*)()>(const_cast<void*>(address))(); // NOLINT(*-const-cast)
    asked_for = nullptr;
    return found;
}

Kernel* kernel_at(const void* address)
{
    return found_kernel(address).kernel;
}

Refusal refusal_of(Kernel* kernel, const void* code, dim3 grid, dim3 block, std::size_t dynamic_bytes,
                   const BlockGroups& groups)
{
    // The errors are those that CUDA 13.0 gives on an H100 (driver 580): the same one for every rule, another one in
    // kernels than on the host.
    const cudaError_t error = cpu::in_kernel() ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;
    if (const std::string why = why_not_grid(grid); !why.empty())
        return {error, why};
    if (const std::string why = why_not_block(block, kernel); !why.empty())
        return {error, why};
    if (kernel == nullptr)
        return {};
    if (const std::size_t allowed = dynamic_bytes == 0 ? 0 : max_dynamic_bytes(*kernel, code);
        dynamic_bytes > allowed)
        return {error, why_not_shared(*kernel, dynamic_bytes, allowed)};
    if (Refusal of_cluster = refusal_of_cluster(*kernel, grid, groups); of_cluster.error != cudaSuccess)
        return of_cluster;
    return groups.cooperative ? refusal_of_cooperative(*kernel, code, grid, block, dynamic_bytes) : Refusal{};
}

void forget_function_attributes()
{
    Changed& of = changed();
    const std::lock_guard lock(of.mutex);
    for (Kernel* kernel : std::exchange(of.kernels, {}))
        *kernel = {.name = kernel->name,
                   .max_threads = kernel->max_threads,
                   .cluster = kernel->is_cluster_set ? ClusterDims{} : kernel->cluster,
                   .static_bytes = kernel->static_bytes};
}

cudaError_t function_attributes(cudaFuncAttributes* attributes, const void* address)
{
    constexpr int kRegistersPerThread = 32;
    constexpr int kVersion = 90;
    if (attributes == nullptr)
        return noted(cudaErrorInvalidValue);
    Kernel* const kernel = kernel_at(address);
    if (kernel == nullptr)
        return noted(cudaErrorInvalidDeviceFunction);
    observe_write(attributes, sizeof *attributes, __builtin_return_address(0));
    *attributes = {};
    attributes->sharedSizeBytes = static_shared_bytes(*kernel, address);
    attributes->maxThreadsPerBlock = max_threads(*kernel);
    attributes->numRegs = kRegistersPerThread;
    attributes->ptxVersion = kVersion;
    attributes->binaryVersion = kVersion;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(max_dynamic_bytes(*kernel, address));
    attributes->preferredShmemCarveout = -1;
    attributes->clusterDimMustBeSet = kernel->cluster.are_given() ? 1 : 0;
    attributes->requiredClusterWidth = static_cast<int>(kernel->cluster.x);
    attributes->requiredClusterHeight = static_cast<int>(kernel->cluster.y);
    attributes->requiredClusterDepth = static_cast<int>(kernel->cluster.z);
    attributes->nonPortableClusterSizeAllowed = kernel->has_large_clusters ? 1 : 0;
    return noted(sticky_error());
}

cudaError_t set_function_attribute(const void* address, cudaFuncAttribute attribute, int value)
{
    Kernel* const kernel = kernel_at(address);
    if (kernel == nullptr)
        return noted(cudaErrorInvalidDeviceFunction);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        return noted(value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue); // NOLINT: percent
    if (attribute == cudaFuncAttributeClusterSchedulingPolicyPreference)
        return cudaSuccess; // it changes times alone
    Changed& of = changed();
    const std::lock_guard lock(of.mutex);
    switch (attribute) {
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        kernel->has_large_clusters = value != 0;
        break;
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || static_cast<std::size_t>(value) + static_shared_bytes(*kernel, address) > kMaxSharedBytes)
            return noted(cudaErrorInvalidValue);
        kernel->max_dynamic_bytes = value;
        break;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth: {
        ClusterDims& dims = kernel->cluster;
        if (dims.are_given() && !kernel->is_cluster_set)
            return noted(cudaErrorInvalidValue, // as an H200 says; the documentation has cudaErrorNotPermitted
                         fmt::format("cudaFuncSetAttribute: {} has __cluster_dims__", kernel->name));
        if (value < 0)
            return noted(cudaErrorInvalidValue);
        (attribute == cudaFuncAttributeRequiredClusterWidth    ? dims.x
         : attribute == cudaFuncAttributeRequiredClusterHeight ? dims.y
                                                               : dims.z) = static_cast<unsigned>(value);
        kernel->is_cluster_set = dims.are_given();
        break;
    }
    default:
        return noted(cudaErrorInvalidValue,
                     fmt::format("cudaFuncSetAttribute: attribute {} cannot be set", static_cast<int>(attribute)));
    }
    of.kernels.push_back(kernel);
    return cudaSuccess;
}

cudaError_t blocks_per_multiprocessor(int* blocks, const void* address, int block_threads, std::size_t dynamic_bytes)
{
    Kernel* const kernel = kernel_at(address);
    if (kernel == nullptr)
        return noted(cudaErrorInvalidDeviceFunction);
    if (blocks == nullptr || block_threads <= 0)
        return noted(cudaErrorInvalidValue);
    observe_write(blocks, sizeof *blocks, __builtin_return_address(0));
    *blocks = resident_blocks(*kernel, address, block_threads, dynamic_bytes);
    return cudaSuccess;
}

cudaError_t dynamic_shared_bytes_of(size_t* bytes, const void* address, int blocks, int block_threads)
{
    Kernel* const kernel = kernel_at(address);
    if (kernel == nullptr)
        return noted(cudaErrorInvalidDeviceFunction);
    if (blocks <= 0 || block_threads <= 0 || resident_blocks(*kernel, address, block_threads, 0) < blocks)
        return noted(cudaErrorInvalidValue);
    std::size_t fits = 0;
    std::size_t too_many = kMultiprocessorSharedBytes + 1;
    while (too_many - fits > 1) {
        const std::size_t middle = fits + (too_many - fits) / 2;
        (resident_blocks(*kernel, address, block_threads, middle) >= blocks ? fits : too_many) = middle;
    }
    return give(bytes, fits, __builtin_return_address(0));
}

cudaError_t max_clusters(int* clusters, const void* address, const cudaLaunchConfig_t& of)
{
    Kernel* const kernel = kernel_at(address);
    if (kernel == nullptr)
        return noted(cudaErrorInvalidDeviceFunction);
    BlockGroups groups{.cluster = {kernel->cluster.x, kernel->cluster.y, kernel->cluster.z}};
    for (unsigned index = 0; index < of.numAttrs; ++index)
        if (of.attrs[index].id == cudaLaunchAttributeClusterDimension) {
            const auto& given = of.attrs[index].val.clusterDim;
            groups = {.cluster = {given.x, given.y, given.z}, .is_given = true};
        }
    if (const Refusal refusal = refusal_of_cluster(*kernel, groups.cluster, groups); refusal.error != cudaSuccess)
        return noted(refusal.error);
    const int blocks = resident_blocks(
        *kernel, address, static_cast<int>(of.blockDim.x * of.blockDim.y * of.blockDim.z), of.dynamicSmemBytes);
    return give(clusters,
                kMultiprocessors * blocks / static_cast<int>(groups.cluster.x * groups.cluster.y * groups.cluster.z),
                __builtin_return_address(0));
}

cudaError_t max_cluster_size(int* blocks, const void* address)
{
    const Kernel* const kernel = kernel_at(address);
    return kernel == nullptr ? noted(cudaErrorInvalidDeviceFunction)
                             : give(blocks, max_cluster(*kernel), __builtin_return_address(0));
}

int max_block(const void* address)
{
    const Kernel* const kernel = kernel_at(address);
    return kernel == nullptr ? kMaxThreads : max_threads(*kernel);
}

int multiprocessors()
{
    return kMultiprocessors;
}

} // namespace nestbed::program
