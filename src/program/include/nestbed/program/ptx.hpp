// What the rewriter puts in place of inline PTX. The first argument of ptx_…() is the result.
#pragma once

#include "intrinsics.hpp"
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
#undef NESTBED_REGISTER
// NOLINTEND(bugprone-macro-parentheses)

// All other PTX. The operands are compiled, but not used.
template <class... Operands>
[[noreturn]] void unsupported_ptx(const char* text, const Operands&...)
{
    fault(cudaErrorIllegalInstruction, text);
}

} // namespace nestbed::program
