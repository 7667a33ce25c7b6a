// Launches by functions of CUDA and through pointers: the kernel is known when the program runs. Each kernel of the program has the hidden
// parameter first, so what passes arguments as an array of addresses gets one more.
#pragma once
#pragma GCC system_header
#include "count_read.cuh"

extern "C" char* nestbed_demangled(const char* name, char* buffer, size_t* bytes,
                                   int* status) __asm__("__cxa_demangle");

namespace nestbed_count
{

// "k" of "void n::k<int>(unsigned int, int*)".
NESTBED_COMMON void copy_bare_name(char* to, const char* whole)
{
    static const char kUnnamed[] = "(anonymous namespace)";
    const char *begin = whole, *end = nullptr;
    int depth = 0;
    for (const char* at = whole; *at != 0; ++at) {
        if (strncmp(at, kUnnamed, sizeof(kUnnamed) - 1) == 0) {
            at += sizeof(kUnnamed) - 2;
        } else if (depth == 0 && *at == '(') {
            end = end == nullptr ? at : end;
            break;
        } else if (depth == 0 && (*at == ' ' || *at == ':')) {
            begin = at + 1;
            end = nullptr;
        } else if (*at == '<') {
            end = depth++ == 0 ? at : end;
        } else if (*at == '>') {
            --depth;
        }
    }
    const size_t bytes = end == nullptr ? strlen(begin) : static_cast<size_t>(end - begin);
    copy_host_text(to, begin, bytes + 1 < kNameBytes ? bytes + 1 : kNameBytes);
}

// A kernel as it is known at its address.
struct NamedKernel {
    NamedKernel* next;
    const void* address;
    char name[kNameBytes];
    size_t parameters; // with the level
    bool has_level;    // it is one of a counted file
};

// The size of a parameter of the kernel; false: it has no such parameter.
NESTBED_COMMON bool has_parameter(const void* kernel, size_t index, size_t& bytes)
{
    size_t offset = 0;
#if CUDART_VERSION >= 13000
    return cudaFuncGetParamInfo(kernel, index, &offset, &bytes) == cudaSuccess;
#else
    using Get = int (*)(cudaFunction_t, size_t, size_t*, size_t*);
    cudaFunction_t function = nullptr;
    void* get = nullptr;
    cudaDriverEntryPointQueryResult found;
    return cudaGetFuncBySymbol(&function, kernel) == cudaSuccess &&
           cudaGetDriverEntryPoint("cuFuncGetParamInfo", &get, cudaEnableDefault, &found) == cudaSuccess &&
           get != nullptr && reinterpret_cast<Get>(get)(function, index, &offset, &bytes) == 0;
#endif
}

// By its name in the object file, which has the types of the parameters. That of extern "C" has none: then by a first parameter of the
// size of a level.
NESTBED_COMMON void describe(NamedKernel& kernel)
{
    const char* mangled = nullptr;
    if (cudaFuncGetName(&mangled, kernel.address) != cudaSuccess || mangled == nullptr) {
        copy_host_text(kernel.name, "(a kernel without a name)", kNameBytes);
        return;
    }
    int status = 0;
    char* const whole = nestbed_demangled(mangled, nullptr, nullptr, &status);
    if (whole != nullptr)
        copy_bare_name(kernel.name, whole);
    else
        copy_host_text(kernel.name, mangled, kNameBytes);
    free(whole);
    size_t bytes = 0;
    kernel.has_level = whole != nullptr ? strstr(mangled, "13nestbed_count5Level") != nullptr
                                        : has_parameter(kernel.address, 0, bytes) && bytes == sizeof(Level);
    while (kernel.has_level && has_parameter(kernel.address, kernel.parameters, bytes))
        ++kernel.parameters;
}

// Without a change of the last error.
NESTBED_COMMON const NamedKernel& kernel_at(const void* address)
{
    static NamedKernel* all = nullptr;
    const Lock lock;
    for (const NamedKernel* known = all; known != nullptr; known = known->next)
        if (known->address == address)
            return *known;
    const cudaError_t pending = cudaPeekAtLastError();
    NamedKernel* const fresh = static_cast<NamedKernel*>(zeroed(sizeof(NamedKernel)));
    fresh->address = address;
    describe(*fresh);
    if (pending == cudaSuccess)
        cudaGetLastError();
    fresh->next = all;
    all = fresh;
    return *fresh;
}

NESTBED_COMMON cudaError_t counted(unsigned site, const char* place, const void* kernel, cudaError_t error)
{
    count_host_launch(site, kernel_at(kernel).name, place, error);
    return error;
}

// What a kernel of a graph gets as its level. Kernels that find no index free share the last one.
NESTBED_COMMON unsigned level_in_graph(const char* name)
{
    note_launch(0); // its counts are on this device, whichever launches the graph
    const Lock lock;
    Kernel* kernel = &kernel_of(name);
    if (kernel->graph_index == 0) {
        const unsigned index = kFirstGraphKernel + state().graph_kernels;
        if (index + 1 >= kGraphCounts)
            kernel = &kernel_of("(more kernels of graphs)");
        if (kernel->graph_index == 0) {
            kernel->graph_index = index;
            ++state().graph_kernels;
        }
    }
    return kOfGraph | kernel->graph_index;
}

// Of a kernel that the host launches.
NESTBED_COMMON unsigned host_level(const char* name)
{
    return launch_is_captured() ? level_in_graph(name) : 0;
}

// The arguments of a kernel with its level before them, if it has one.
class WithLevel
{
  public:
    WithLevel(const NamedKernel& kernel, void** arguments, unsigned level) : arguments_(arguments), level_(level)
    {
        if (!kernel.has_level || kernel.parameters == 0 || (kernel.parameters > 1 && arguments == nullptr))
            return;
        all_ = static_cast<void**>(zeroed(kernel.parameters * sizeof(void*)));
        all_[0] = &level_;
        for (size_t index = 1; index < kernel.parameters; ++index)
            all_[index] = arguments[index - 1];
    }
    WithLevel(const void* kernel, void** arguments)
        : WithLevel(kernel_at(kernel), arguments, host_level(kernel_at(kernel).name))
    {
    }
    WithLevel(const WithLevel&) = delete;
    WithLevel& operator=(const WithLevel&) = delete;
    ~WithLevel() { free(all_); }
    void** all() const { return all_ != nullptr ? all_ : arguments_; }

  private:
    void** arguments_;
    Level level_;
    void** all_ = nullptr;
};

// ---- what the rewriter puts in the place of the functions of CUDA ----

template <class Kernel>
inline cudaError_t launch_kernel(unsigned site, const char* place, Kernel* kernel, dim3 grid, dim3 block,
                                 void** arguments, size_t bytes = 0, cudaStream_t stream = nullptr)
{
    const void* const address = reinterpret_cast<const void*>(kernel);
    note_stream(stream);
    return counted(site, place, address,
                   cudaLaunchKernel(address, grid, block, WithLevel(address, arguments).all(), bytes, stream));
}
template <class Kernel>
inline cudaError_t launch_cooperative_kernel(unsigned site, const char* place, Kernel* kernel, dim3 grid, dim3 block,
                                             void** arguments, size_t bytes = 0, cudaStream_t stream = nullptr)
{
    const void* const address = reinterpret_cast<const void*>(kernel);
    note_stream(stream);
    return counted(
        site, place, address,
        cudaLaunchCooperativeKernel(address, grid, block, WithLevel(address, arguments).all(), bytes, stream));
}
inline cudaError_t launch_kernel_exc(unsigned site, const char* place, const cudaLaunchConfig_t* configuration,
                                     const void* kernel, void** arguments)
{
    note_stream(configuration->stream);
    return counted(site, place, kernel,
                   cudaLaunchKernelExC(configuration, kernel, WithLevel(kernel, arguments).all()));
}
template <class... Expected, class... Actual>
inline cudaError_t launch_kernel_ex(unsigned site, const char* place, const cudaLaunchConfig_t* configuration,
                                    void (*kernel)(Expected...), Actual&&... arguments)
{
    const void* const address = reinterpret_cast<const void*>(kernel);
    const NamedKernel& known = kernel_at(address);
    note_stream(configuration->stream);
    return counted(site, place, address,
                   known.has_level
                       ? cudaLaunchKernelEx(configuration, reinterpret_cast<void (*)(Level, Expected...)>(kernel),
                                            Level(host_level(known.name)), static_cast<Actual&&>(arguments)...)
                       : cudaLaunchKernelEx(configuration, kernel, static_cast<Actual&&>(arguments)...));
}
template <class... Actual> // of a library that was loaded
inline cudaError_t launch_kernel_ex(unsigned site, const char* place, const cudaLaunchConfig_t* configuration,
                                    cudaKernel_t kernel, Actual&&... arguments)
{
    note_stream(configuration->stream);
    return counted(site, place, reinterpret_cast<const void*>(kernel),
                   cudaLaunchKernelEx(configuration, kernel, static_cast<Actual&&>(arguments)...));
}

// ---- the driver API ----

// What the program got for a kernel, on each device another one.
struct KnownFunction {
    KnownFunction* next;
    cudaFunction_t function;
    const NamedKernel* kernel;
};
NESTBED_COMMON KnownFunction*& known_functions()
{
    static KnownFunction* all = nullptr;
    return all;
}
NESTBED_COMMON const NamedKernel* kernel_of_function(cudaFunction_t function)
{
    const Lock lock;
    for (const KnownFunction* known = known_functions(); known != nullptr; known = known->next)
        if (known->function == function)
            return known->kernel;
    return nullptr;
}
NESTBED_COMMON void note_function(cudaFunction_t function, const NamedKernel& kernel)
{
    if (kernel_of_function(function) != nullptr)
        return;
    const Lock lock;
    KnownFunction* const fresh = static_cast<KnownFunction*>(zeroed(sizeof(KnownFunction)));
    fresh->function = function;
    fresh->kernel = &kernel;
    fresh->next = known_functions();
    known_functions() = fresh;
}

// The kernel then has its level there, too.
template <class Kernel>
inline cudaError_t function_by_symbol(cudaFunction_t* function, Kernel* kernel)
{
    const void* const address = reinterpret_cast<const void*>(kernel);
    const cudaError_t error = cudaGetFuncBySymbol(function, address);
    if (error == cudaSuccess)
        note_function(*function, kernel_at(address));
    return error;
}
#if CUDART_VERSION >= 12010
template <class Kernel>
inline cudaError_t kernel_by_symbol(cudaKernel_t* to, Kernel* kernel)
{
    const void* const address = reinterpret_cast<const void*>(kernel);
    const cudaError_t error = cudaGetKernel(to, address);
    if (error == cudaSuccess)
        note_function(reinterpret_cast<cudaFunction_t>(*to), kernel_at(address)); // launched as a function
    return error;
}
#endif
// The arguments of such a launch, which may be in one buffer.
class DriverArguments
{
  public:
    DriverArguments(const NamedKernel& kernel, void** arguments, void** extra)
        : level_(host_level(kernel.name)), all_(kernel, extra == nullptr ? arguments : nullptr, level_), extra_(extra)
    {
        if (extra == nullptr || !kernel.has_level)
            return;
        constexpr size_t kPointer = 1,
                         kSize = 2; // of CUDA: CU_LAUNCH_PARAM_BUFFER_POINTER and _SIZE, and the end is 0
        const char* from = nullptr;
        size_t bytes = 0;
        for (void** at = extra; *at != nullptr; at += 2) {
            if (reinterpret_cast<size_t>(*at) == kPointer)
                from = static_cast<const char*>(at[1]);
            else if (reinterpret_cast<size_t>(*at) == kSize)
                bytes = *static_cast<const size_t*>(at[1]);
        }
        bytes_ = sizeof(Level) + bytes;
        buffer_ = static_cast<char*>(zeroed(bytes_));
        memcpy(buffer_, &level_, sizeof(Level));
        if (from != nullptr)
            memcpy(buffer_ + sizeof(Level), from, bytes);
        void* const own[] = {reinterpret_cast<void*>(kPointer), buffer_, reinterpret_cast<void*>(kSize), &bytes_,
                             nullptr};
        memcpy(own_, own, sizeof(own));
        extra_ = own_;
    }
    DriverArguments(const DriverArguments&) = delete;
    DriverArguments& operator=(const DriverArguments&) = delete;
    ~DriverArguments() { free(buffer_); }
    void** all() const { return extra_ == nullptr ? all_.all() : nullptr; }
    void** extra() const { return extra_; }

  private:
    Level level_;
    WithLevel all_;
    void** extra_;
    char* buffer_ = nullptr;
    size_t bytes_ = 0;
    void* own_[5] = {};
};

// A function of the driver API that launches. Kernels that were loaded are not counted.
template <class Function>
struct DriverLaunch {
    unsigned site;
    const char *place, *call;
    Function* function;

    template <class Call>
    auto counted(cudaFunction_t of, cudaStream_t stream, void** arguments, void** extra, Call launch) const
        -> decltype(launch(arguments, extra))
    {
        const NamedKernel* const kernel = kernel_of_function(of);
        if (kernel == nullptr) {
            not_counted(call, place);
            return launch(arguments, extra);
        }
        note_stream(stream);
        const DriverArguments with_level(*kernel, arguments, extra);
        const auto result = launch(with_level.all(), with_level.extra());
        count_host_launch(site, kernel->name, place, static_cast<cudaError_t>(result));
        return result;
    }
    auto operator()(cudaFunction_t of, unsigned x, unsigned y, unsigned z, unsigned block_x, unsigned block_y,
                    unsigned block_z, unsigned bytes, cudaStream_t stream, void** arguments, void** extra) const
    {
        return counted(of, stream, arguments, extra, [&](void** all, void** buffer) {
            return function(of, x, y, z, block_x, block_y, block_z, bytes, stream, all, buffer);
        });
    }
    auto operator()(cudaFunction_t of, unsigned x, unsigned y, unsigned z, unsigned block_x, unsigned block_y,
                    unsigned block_z, unsigned bytes, cudaStream_t stream, void** arguments) const // cooperative
    {
        return counted(of, stream, arguments, nullptr, [&](void** all, void**) {
            return function(of, x, y, z, block_x, block_y, block_z, bytes, stream, all);
        });
    }
    template <class Configuration>
    auto operator()(const Configuration* configuration, cudaFunction_t of, void** arguments, void** extra) const
    {
        return counted(of, configuration->hStream, arguments, extra,
                       [&](void** all, void** buffer) { return function(configuration, of, all, buffer); });
    }
};
template <class Function>
inline DriverLaunch<Function> driver_launch(unsigned site, const char* place, const char* call, Function* function)
{
    return {site, place, call, function};
}

} // namespace nestbed_count
