// What the rewriter puts in place of launches, kernels and shared variables.
#pragma once

#include "kernel.hpp"
#include "types.hpp"

#include <initializer_list>

namespace nestbed::program
{

#ifndef NESTBED_OF_LIBRARY
// Behind the variables of each file, in the sections of variables with and without a value: what a kernel writes behind a
// __device__ array must not be what the library works with, which the linker puts behind the last pad. Whole pages, because
// an access there is reported.
__attribute__((used, aligned(4096), section(".data.nestbed_pad"))) static char nestbed_pad[1 << 14] = {1};
__attribute__((used, aligned(4096), section(".bss.nestbed_pad"))) static char nestbed_pad_of_zeros[1 << 20];
bool known_pad(char* begin, std::size_t bytes);
static const bool nestbed_pads_are_known =
    known_pad(nestbed_pad, sizeof nestbed_pad) && known_pad(nestbed_pad_of_zeros, sizeof nestbed_pad_of_zeros);
#endif

struct Place {
    const char* file;
    unsigned line;
};

// The unit in which the race detector tells accesses apart, in bytes: the size of a scalar type, else 1.
template <class T>
inline constexpr std::size_t kElementBytes = std::is_scalar<std::remove_cv_t<std::remove_all_extents_t<T>>>::value
                                                 ? sizeof(std::conditional_t<std::is_void<T>::value, char, T>)
                                                 : 1;
template <class T>
inline constexpr std::size_t kElementBytes<T[]> = kElementBytes<T>;
template <class T, std::size_t count>
inline constexpr std::size_t kElementBytes<T[count]> = kElementBytes<T>;
template <>
inline constexpr std::size_t kElementBytes<void> = 1;

// The configuration of the kernel call that follows in the same expression. Its return address is the place of the
// launch for the race detector; `file` and `line` are the same place for the tables.
void configure(dim3 grid, dim3 block, std::size_t shared_bytes = 0, cudaStream_t stream = nullptr,
               const char* file = __builtin_FILE(), unsigned line = __builtin_LINE());

// The configuration of a call of cudaLaunchKernelEx(), and where it is.
struct ExtendedLaunch {
    // NOLINTNEXTLINE(google-explicit-constructor): the call has the configuration
    ExtendedLaunch(const cudaLaunchConfig_t* of, const char* file = __builtin_FILE(),
                   unsigned line = __builtin_LINE())
        : configuration(of), place{file, line}
    {
    }
    const cudaLaunchConfig_t* configuration;
    Place place;
};
// `call(of)` calls the kernel.
cudaError_t launch_extended(const ExtendedLaunch& launch, void (*call)(void* of), void* of);

// The kernel at the address, with the addresses of its arguments.
cudaError_t launch_by_address(const ExtendedLaunch& launch, const void* kernel, void** arguments);

// How the run-time library keeps and calls a body. Not std::function: <functional> has names that programs use as their own.
struct BodyFunctions {
    void* (*copy)(const void* body);
    void (*call)(const void* body);
    void (*end)(void* copy);
};

// Launches a grid whose threads each call the body, with the configuration of the last configure(). The bytes of the
// body are those of the arguments that the kernel uses, with zeros between them.
void submit(Kernel& kernel, const void* body, std::size_t bytes, const BodyFunctions& functions);

// While it lives, the running thread copies or destroys arguments of a launch, which are memory of the library: with
// functions of the program, where it has some for that.
struct OfArguments {
    OfArguments() { set(true); }
    OfArguments(const OfArguments&) = delete;
    OfArguments& operator=(const OfArguments&) = delete;
    ~OfArguments() { set(false); }
    static void set(bool is_at_work)
    {
        if (cpu::current_thread != nullptr)
            cpu::current_thread->has_arguments = is_at_work;
    }
};
template <class Body>
void* new_copy(const void* body)
{
    if constexpr (std::is_trivially_copyable<Body>::value) {
        return new Body(*static_cast<const Body*>(body));
    } else {
        const OfArguments at_work;
        return new Body(*static_cast<const Body*>(body));
    }
}
template <class Body>
Body own_copy(const void* body)
{
    const OfArguments at_work;
    return *static_cast<const Body*>(body);
}
template <class Body>
void end_copy(void* copy)
{
    const OfArguments at_work;
    delete static_cast<Body*>(copy);
}

inline constexpr std::size_t kMaxParameterBytes = 32764;

// The body of a kernel, as what its call is: a launch. Each thread has arguments of its own.
template <class Body>
void kernel(Kernel& of, Body body)
{
    static_assert(sizeof body <= kMaxParameterBytes, "the parameters of a kernel have at most 32764 bytes");
#if __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(&body); // an int and what happens to lie behind it may look like a pointer
#endif
    submit(of, &body, sizeof body,
           {new_copy<Body>,
            [](const void* from) {
                if constexpr (std::is_trivially_copyable<Body>::value) {
                    Body own = *static_cast<const Body*>(from);
                    own();
                } else {
                    Body own = own_copy<Body>(from);
                    own();
                }
            },
            end_copy<Body>});
}

// A kernel of a library that comes with CUDA, which the table does not show: `body`, by this many threads and more, in
// blocks of 256.
void run_library_kernel(const char* name, std::size_t threads, const void* body, const BodyFunctions& functions,
                        cudaStream_t stream = nullptr, Place place = {});
template <class Body>
void run_library_kernel(const char* name, std::size_t threads, const Body& body, cudaStream_t stream, Place place)
{
    run_library_kernel(
        name, threads, &body,
        {new_copy<Body>, [](const void* from) { (*static_cast<const Body*>(from))(); }, end_copy<Body>}, stream,
        place);
}

inline constexpr std::size_t kMaxStaticSharedBytes = 48 * 1024;

// Memory of the block for `key`, not initialised.
void* shared_variable(const void* key, std::size_t bytes, std::size_t element_bytes, const char* name);
void* dynamic_shared_memory(std::size_t element_bytes, const char* name);

template <class T>
T& shared(const void* key, const char* name)
{
    static_assert(sizeof(T) <= kMaxStaticSharedBytes,
                  "a __shared__ variable has at most 48 KB; more is possible with extern __shared__ only");
    return *static_cast<T*>(shared_variable(key, sizeof(T), kElementBytes<T>, name));
}

// T: the array type of an extern __shared__ variable.
template <class T>
T& dynamic_shared(const char* name)
{
    return *reinterpret_cast<T*>(dynamic_shared_memory(kElementBytes<T>, name));
}

// Files of the user whose comments `nestbed: benign` count. Returns true.
bool sources(std::initializer_list<const char*> files);

// Ends the run of the kernel as an error on the device does. `text` says what was wrong.
[[noreturn]] void fault(cudaError_t error, const char* text);
[[noreturn]] void fault_at(Place place, cudaError_t error, const char* text);
// What stands for a call of a function that the executor does not have: ends the kernel, or the program.
[[noreturn]] void not_supported_at(Place place, const char* text);
template <class Result>
Result not_supported(const char* text, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE())
{
    not_supported_at({file, line}, text);
}
// What assert() calls.
[[noreturn]] void assertion_failed(const char* expression, const char* file, unsigned line, const char* function);

} // namespace nestbed::program

// NOLINTBEGIN: these names are CUDA's.
template <class... Expected, class... Actual>
cudaError_t cudaLaunchKernelEx(nestbed::program::ExtendedLaunch launch, void (*kernel)(Expected...),
                               Actual&&... arguments)
{
    static_assert(sizeof...(Expected) == sizeof...(Actual),
                  "a kernel is launched with as many arguments as it takes");
    auto call = [&] { kernel(std::forward<Actual>(arguments)...); };
    return nestbed::program::launch_extended(
        launch, [](void* of) { (*static_cast<decltype(call)*>(of))(); }, &call);
}
inline cudaError_t cudaLaunchKernelExC(nestbed::program::ExtendedLaunch launch, const void* kernel, void** arguments)
{
    return nestbed::program::launch_by_address(launch, kernel, arguments);
}
template <class Kernel>
cudaError_t cudaLaunchKernel(Kernel* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes = 0,
                             cudaStream_t stream = nullptr, const char* file = __builtin_FILE(),
                             unsigned line = __builtin_LINE())
{
    const cudaLaunchConfig_t configuration = {grid, block, shared_bytes, stream, nullptr, 0};
    return nestbed::program::launch_by_address({&configuration, file, line}, (const void*)kernel, arguments);
}
template <class Kernel>
cudaError_t cudaLaunchCooperativeKernel(Kernel* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes = 0, cudaStream_t stream = nullptr,
                                        const char* file = __builtin_FILE(), unsigned line = __builtin_LINE())
{
    cudaLaunchAttribute cooperative = {};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    const cudaLaunchConfig_t configuration = {grid, block, shared_bytes, stream, &cooperative, 1};
    return nestbed::program::launch_by_address({&configuration, file, line}, (const void*)kernel, arguments);
}
inline void cudaTriggerProgrammaticLaunchCompletion()
{
    nestbed::cpu::let_next_grid_begin();
}
inline void cudaGridDependencySynchronize()
{
    nestbed::cpu::wait_for_previous_grid();
}
// NOLINTEND
