// The shape of a launch on the executor, with its dynamic shared memory, the call that each of its threads makes, and launches
// from kernels.
#pragma once

#include "device/cpu/cuda_language.hpp"
#include "device/cpu/workload_language.hpp"

#include <cstddef>

namespace nestbed::inline on_cpu
{

// The exception of kernels that do what the device cannot do. It is an error of the sample, not of the session.
using DeviceFault = cpu::Fault;

struct LaunchShape {
    dim3 grid;
    dim3 block;
    unsigned shared_bytes = 0; // of DYNAMIC_SHARED, per block
};

// Dynamic shared memory that launches of this kernel may ask for: see Context::allow_shared().
template <auto Kernel>
inline std::size_t allowed_shared_bytes = cpu::kDefaultDynamicSharedBytes;

// Of any kernel: what users' kernels may ask for.
inline std::size_t max_allowed_shared_bytes = cpu::kDefaultDynamicSharedBytes;

// Whether a launch with this shape is allowed its dynamic shared memory. The usual one reads nothing that the race detector would
// count.
template <auto Kernel>
bool is_shared_allowed(const LaunchShape& shape)
{
    return shape.shared_bytes <= cpu::kDefaultDynamicSharedBytes ||
           shape.shared_bytes <= allowed_shared_bytes<Kernel>;
}

// The call of a kernel by one thread of a launch.
template <auto Kernel, class... Args>
cpu::KernelCall kernel_call(const LaunchShape& shape, const Args&... args)
{
    cpu::KernelCall call = [=] { Kernel(args...); };
    call.shared_bytes = shape.shared_bytes;
    return call;
}

// What a launch from the host with too much dynamic shared memory gives.
[[noreturn]] void refuse_shared(const LaunchShape& shape, std::size_t allowed);
template <auto Kernel>
void check_shared(const LaunchShape& shape)
{
    if (!is_shared_allowed<Kernel>(shape))
        refuse_shared(shape, allowed_shared_bytes<Kernel>);
}

// Launches from a kernel. Returns CUDA's error code.
template <auto Kernel, Mechanism How, class... Args>
int device_launch(LaunchShape shape, Args... args)
{
    if (!is_shared_allowed<Kernel>(shape))
        return cpu::launch_invalid_configuration; // as on an H100
    return cpu::launch(shape.grid, shape.block, How, kernel_call<Kernel>(shape, args...));
}

// The launch of a user's kernel. Returns CUDA's error code.
template <class Nest, class Call>
int device_launched(cudaStream_t stream, const LaunchShape& shape, const Nest& next, const Call& call)
{
    cpu::KernelCall made = cpu::call_made_by([&] { call(next, shape, stream); });
    if (shape.shared_bytes > max_allowed_shared_bytes)
        return cpu::launch_invalid_configuration; // as on an H100
    made.shared_bytes = shape.shared_bytes;
    return cpu::launch_into(cpu::number_in_block(stream), shape.grid, shape.block, cpu::mechanism_of(stream),
                            std::move(made), __builtin_return_address(0));
}

// The executor waits by itself: the child and its descendants are complete when the launch returns. The flag is raised and read as
// on a GPU: who watches sees that it orders what the child did before it, and nothing else.
template <auto Kernel, class... Args>
int device_launch_to_wait_for(LaunchShape shape, Args... args)
{
    if (!is_shared_allowed<Kernel>(shape))
        return cpu::launch_invalid_configuration; // as on an H100
    return cpu::launch_and_wait(shape.grid, shape.block, kernel_call<Kernel>(shape, args...));
}

} // namespace nestbed::inline on_cpu
