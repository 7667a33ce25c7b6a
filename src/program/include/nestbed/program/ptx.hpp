// What the rewriter puts in place of inline PTX. The first argument of ptx_…() is the result.
#pragma once

#include "clusters.hpp"
#include "intrinsics.hpp"
#include "ptx_arithmetic.hpp"
#include "runtime_api.hpp"
#include "warps.hpp"

namespace nestbed::program
{

// The number of the highest bit that is set; all ones if there is none.
template <class To>
void ptx_bfind_u32(To& to, unsigned from)
{
    to = static_cast<To>(from == 0 ? ~0U : 31U - static_cast<unsigned>(__builtin_clz(from)));
}
template <class To>
void ptx_laneid(To& to)
{
    to = static_cast<To>(cpu::lane());
}
template <class To>
void ptx_lanemask_eq(To& to)
{
    to = static_cast<To>(1U << cpu::lane());
}
template <class To>
void ptx_lanemask_lt(To& to)
{
    to = static_cast<To>((1U << cpu::lane()) - 1);
}
template <class To>
void ptx_lanemask_le(To& to)
{
    to = static_cast<To>((1U << cpu::lane()) - 1 | 1U << cpu::lane());
}
template <class To>
void ptx_lanemask_gt(To& to)
{
    to = static_cast<To>(~((1U << cpu::lane()) - 1 | 1U << cpu::lane()));
}
template <class To>
void ptx_lanemask_ge(To& to)
{
    to = static_cast<To>(~((1U << cpu::lane()) - 1));
}

// The executor has no multiprocessors: blocks are spread over those that cudaGetDeviceProperties() names.
inline unsigned device_attribute(cudaDeviceAttr which)
{
    int value = 1;
    cudaDeviceGetAttribute(&value, which, 0);
    return static_cast<unsigned>(value);
}
inline unsigned linear_block()
{
    const cpu::ThreadContext& thread = *cpu::current_thread;
    return thread.block_index.x +
           thread.grid_dim.x * (thread.block_index.y + thread.grid_dim.y * thread.block_index.z);
}

// NOLINTBEGIN(bugprone-macro-parentheses)
#define NESTBED_REGISTER(name, value)                                                                                \
    template <class To>                                                                                              \
    void ptx_##name(To& to)                                                                                          \
    {                                                                                                                \
        to = static_cast<To>(value);                                                                                 \
    }
NESTBED_REGISTER(globaltimer, clock64())
NESTBED_REGISTER(globaltimer_lo, static_cast<unsigned>(clock64()))
NESTBED_REGISTER(clock, static_cast<unsigned>(clock64()))
NESTBED_REGISTER(clock_hi, clock64() >> 32)
NESTBED_REGISTER(clock64, clock64())
NESTBED_REGISTER(warpid, cpu::linear_thread() / 32)
NESTBED_REGISTER(nwarpid, device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / 32)
NESTBED_REGISTER(smid, linear_block() % device_attribute(cudaDevAttrMultiProcessorCount))
NESTBED_REGISTER(nsmid, device_attribute(cudaDevAttrMultiProcessorCount))
NESTBED_REGISTER(tid_x, cpu::current_thread->thread_index.x)
NESTBED_REGISTER(tid_y, cpu::current_thread->thread_index.y)
NESTBED_REGISTER(tid_z, cpu::current_thread->thread_index.z)
NESTBED_REGISTER(ntid_x, cpu::current_thread->block_dim.x)
NESTBED_REGISTER(ntid_y, cpu::current_thread->block_dim.y)
NESTBED_REGISTER(ntid_z, cpu::current_thread->block_dim.z)
NESTBED_REGISTER(ctaid_x, cpu::current_thread->block_index.x)
NESTBED_REGISTER(ctaid_y, cpu::current_thread->block_index.y)
NESTBED_REGISTER(ctaid_z, cpu::current_thread->block_index.z)
NESTBED_REGISTER(nctaid_x, cpu::current_thread->grid_dim.x)
NESTBED_REGISTER(nctaid_y, cpu::current_thread->grid_dim.y)
NESTBED_REGISTER(nctaid_z, cpu::current_thread->grid_dim.z)
NESTBED_REGISTER(cluster_ctaid_x, __clusterRelativeBlockIdx().x)
NESTBED_REGISTER(cluster_ctaid_y, __clusterRelativeBlockIdx().y)
NESTBED_REGISTER(cluster_ctaid_z, __clusterRelativeBlockIdx().z)
NESTBED_REGISTER(cluster_nctaid_x, __clusterDim().x)
NESTBED_REGISTER(cluster_nctaid_y, __clusterDim().y)
NESTBED_REGISTER(cluster_nctaid_z, __clusterDim().z)
NESTBED_REGISTER(cluster_ctarank, __clusterRelativeBlockRank())
NESTBED_REGISTER(cluster_nctarank, __clusterSizeInBlocks())
NESTBED_REGISTER(clusterid_x, __clusterIdx().x)
NESTBED_REGISTER(clusterid_y, __clusterIdx().y)
NESTBED_REGISTER(clusterid_z, __clusterIdx().z)
NESTBED_REGISTER(nclusterid_x, __clusterGridDimInClusters().x)
NESTBED_REGISTER(nclusterid_y, __clusterGridDimInClusters().y)
NESTBED_REGISTER(nclusterid_z, __clusterGridDimInClusters().z)
#undef NESTBED_REGISTER
// NOLINTEND(bugprone-macro-parentheses)

template <class To, class From>
void ptx_mapa(To& to, From from, unsigned rank)
{
    to = (To)(std::uintptr_t)cpu::shared_of_cluster((const void*)(std::uintptr_t)from,
                                                    rank); // NOLINT: pointer or number
}
template <bool in_block>
void ptx_fence_acq_rel()
{
    const BlockScope<in_block> scope;
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
    spun(kSpin);
}

// Orders: those of the compiler, and of loads and stores that C++ does not have.
inline constexpr int kPtxRelaxed = __ATOMIC_RELAXED, kPtxAcquire = __ATOMIC_ACQUIRE, kPtxRelease = __ATOMIC_RELEASE,
                     kPtxAcqRel = __ATOMIC_ACQ_REL, kPtxWeak = -1, kPtxVolatile = -2, kPtxReadOnly = -3;

// `shared`: of an address in the window of shared memory.
template <class T, bool shared = false, class Address>
T* ptx_pointer(Address address)
{
    const auto number = (std::uintptr_t)address; // NOLINT: of a pointer or a number
    if constexpr (shared)
        return static_cast<T*>(cpu::memory_of_shared_address(static_cast<unsigned>(number)));
    else
        return (T*)number; // NOLINT
}
template <class T, int order, bool in_block, bool shared, class To, class Address>
void ptx_ld(To& to, Address address)
{
    T* const at = ptx_pointer<T, shared>(address);
    if constexpr (order == kPtxWeak) {
        spun(kSpin);
        asm volatile("" : : : "memory");
        to = ptx_converted<To>(*at);
    } else if constexpr (order == kPtxVolatile) {
        spun(kSpin);
        to = ptx_converted<To>(*static_cast<volatile T*>(at));
    } else if constexpr (order == kPtxReadOnly) {
        to = ptx_converted<To>(__ldg(at));
    } else {
        const BlockScope<in_block> scope;
        to = ptx_converted<To>(atomic_load<T>(at, order));
    }
}
template <class T, int order, bool in_block, bool shared, class Address, class From>
void ptx_st(Address address, From value)
{
    T* const at = ptx_pointer<T, shared>(address);
    if constexpr (order == kPtxWeak) {
        *at = ptx_converted<T>(value);
        asm volatile("" : : : "memory");
    } else if constexpr (order == kPtxVolatile) {
        *static_cast<volatile T*>(at) = ptx_converted<T>(value);
    } else {
        const BlockScope<in_block> scope;
        atomic_store<T>(at, ptx_converted<T>(value), order);
    }
}
// Of 2 or 4 values one after another: the address is the last operand of a load, and the first one of a store.
template <class T, int order, bool in_block, bool shared, class Operands, std::size_t... at>
void ptx_ld_parts(const Operands& operands, std::index_sequence<at...>)
{
    const auto address = (std::uintptr_t)std::get<sizeof...(at)>(operands); // NOLINT: of a pointer or a number
    // All are read before one is written.
    T values[sizeof...(at)];
    (ptx_ld<T, order, in_block, shared>(values[at], address + at * sizeof(T)), ...);
    const auto set = [](auto& to, T value) { to = ptx_converted<std::decay_t<decltype(to)>>(value); };
    (set(std::get<at>(operands), values[at]), ...);
}
template <class T, int order, bool in_block, bool shared, class... Operands>
void ptx_ld_vector(Operands&&... operands)
{
    ptx_ld_parts<T, order, in_block, shared>(std::forward_as_tuple(operands...),
                                             std::make_index_sequence<sizeof...(Operands) - 1>());
}
template <class T, int order, bool in_block, bool shared, class Address, class... From>
void ptx_st_vector(Address to, From... values)
{
    auto address = (std::uintptr_t)to; // NOLINT: of a pointer or a number
    ((ptx_st<T, order, in_block, shared>(address, values), address += sizeof(T)), ...);
}
// NOLINTBEGIN(bugprone-macro-parentheses)
#define NESTBED_PTX_ATOMIC(name, ...)                                                                                \
    template <class T, int order, bool in_block, bool shared, class To, class Address, class From>                   \
    void ptx_atom_##name(To& to, Address address, From from)                                                         \
    {                                                                                                                \
        const BlockScope<in_block> scope;                                                                            \
        T* const at = ptx_pointer<T, shared>(address);                                                               \
        const T value = ptx_converted<T>(from);                                                                      \
        to = ptx_converted<To>(__VA_ARGS__);                                                                         \
    }                                                                                                                \
    template <class T, int order, bool in_block, bool shared, class Address, class From>                             \
    void ptx_red_##name(Address address, From from)                                                                  \
    {                                                                                                                \
        T old;                                                                                                       \
        ptx_atom_##name<T, order, in_block, shared>(old, address, from);                                             \
    }
#define NESTBED_PTX_UPDATE(name, next)                                                                               \
    NESTBED_PTX_ATOMIC(name, atomic_update<T>(                                                                       \
                                 at, [value](T old) -> T { return next; }, order))
NESTBED_PTX_ATOMIC(add, atomic_add<T>(at, value, order))
NESTBED_PTX_ATOMIC(exch, atomic_exchange<T>(at, value, order))
NESTBED_PTX_UPDATE(min, value < old ? value : old)
NESTBED_PTX_UPDATE(max, old < value ? value : old)
NESTBED_PTX_UPDATE(inc, old >= value ? T(0) : T(old + 1))
NESTBED_PTX_UPDATE(dec, old == 0 || old > value ? value : T(old - 1))
NESTBED_PTX_UPDATE(and, T(old& value))
NESTBED_PTX_UPDATE(or, T(old | value))
NESTBED_PTX_UPDATE(xor, T(old ^ value))
#undef NESTBED_PTX_ATOMIC
#undef NESTBED_PTX_UPDATE
// NOLINTEND(bugprone-macro-parentheses)
template <class T, int order, bool in_block, bool shared, class To, class Address, class Expected, class Desired>
void ptx_atom_cas(To& to, Address address, Expected expected, Desired desired)
{
    const BlockScope<in_block> scope;
    T found = ptx_converted<T>(expected);
    constexpr int failed = order == __ATOMIC_ACQ_REL   ? __ATOMIC_ACQUIRE
                           : order == __ATOMIC_RELEASE ? __ATOMIC_RELAXED
                                                       : order;
    atomic_compare_exchange<T>(ptx_pointer<T, shared>(address), found, ptx_converted<T>(desired), order, failed);
    to = ptx_converted<To>(found);
}

} // namespace nestbed::program
