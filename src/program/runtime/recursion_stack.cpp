#include "program/runtime/recursion_stack.hpp"

#include "device/cpu/fiber.hpp"
#include "program/runtime/device.hpp"
#include "program/runtime/running.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <unwind.h>
#include <utility>
#include <vector>

namespace nestbed::program
{

namespace
{

constexpr std::size_t kFactor = 16;
constexpr std::size_t kDefaultLimit = 1024; // of CUDA

struct Frame {
    std::uintptr_t function = 0;
    std::uintptr_t begin = 0;
};
struct Frames {
    std::uintptr_t first = 0; // of the thread
    std::vector<Frame> all{};
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* to)
{
    auto& frames = *static_cast<Frames*>(to);
    frames.all.push_back({_Unwind_GetRegionStart(context), _Unwind_GetCFA(context)});
    return frames.all.back().begin >= frames.first ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// The bytes and the number of frames of functions that have several.
std::pair<std::size_t, std::size_t> recursion_of_thread(std::uintptr_t first)
{
    Frames frames{.first = first};
    _Unwind_Backtrace(add_frame, &frames);
    std::map<std::uintptr_t, std::pair<std::size_t, std::size_t>> of_function;
    for (std::size_t frame = 0; frame + 1 < frames.all.size(); ++frame) {
        auto& [bytes, count] = of_function[frames.all[frame].function];
        bytes += frames.all[frame + 1].begin - frames.all[frame].begin;
        ++count;
    }
    std::pair<std::size_t, std::size_t> sum;
    for (const auto& [function, of] : of_function)
        if (of.second > 1)
            sum = {sum.first + of.first, sum.second + of.second};
    return sum;
}

std::size_t allowed_bytes()
{
    const std::size_t by_limit = recursion_bytes(limit_value(cudaLimitStackSize));
    constexpr std::size_t kOfOthers = 64UL * 1024; // frames below the recursion, and of the library
    const std::size_t by_user = environment().stack_bytes.value_or(0);
    return by_user > by_limit + kOfOthers ? by_user - kOfOthers : by_limit;
}

constinit std::atomic<std::size_t> allowed_now = 0; // allowed_bytes(); 0: not known

} // namespace

std::size_t recursion_bytes(std::size_t limit)
{
    return kFactor * limit;
}

void set_stack_limit(std::size_t limit)
{
    allowed_now = 0;
    cpu::set_more_stack_bytes(limit > kDefaultLimit ? recursion_bytes(limit - kDefaultLimit) : 0);
}

void begin_stack()
{
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    cpu::ProgramThread& thread = cpu::current_thread->program;
    if (allowed_now == 0)
        allowed_now = std::max<std::size_t>(allowed_bytes(), 1);
    thread.stack_begin = here;
    thread.stack_to_check = here - allowed_now;
}

__attribute__((noinline)) void on_stack()
{
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (!cpu::in_kernel() || here >= cpu::current_thread->program.stack_to_check) [[likely]]
        return;
    cpu::ProgramThread& thread = cpu::current_thread->program;
    const std::size_t allowed = allowed_bytes();
    const auto [bytes, frames] = recursion_of_thread(thread.stack_begin);
    if (bytes <= allowed) { // local arrays, whose size a GPU knows before the launch
        thread.stack_to_check = here - (allowed - bytes);
        return;
    }
    const std::string line = source_of(static_cast<const char*>(__builtin_return_address(0)) - 1);
    throw KernelFault(
        cudaErrorIllegalAddress,
        fmt::format(
            "stack overflow: {}{}: a recursion of {} calls has {} bytes, of {} that it may have: {} for each byte of "
            "cudaLimitStackSize, which is {}; cudaDeviceSetLimit(cudaLimitStackSize, bytes) raises it",
            described(*cpu::current_thread), line.empty() ? "" : ", at " + line, frames, bytes, allowed, kFactor,
            limit_value(cudaLimitStackSize)));
}

} // namespace nestbed::program
