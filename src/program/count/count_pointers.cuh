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

struct NamedKernel {
    NamedKernel* next;
    const void* address;
    char name[kNameBytes];
};

// Without a change of the last error.
NESTBED_COMMON const char* name_of_kernel(const void* address)
{
    static NamedKernel* all = nullptr;
    const Lock lock;
    for (const NamedKernel* known = all; known != nullptr; known = known->next)
        if (known->address == address)
            return known->name;
    const cudaError_t pending = cudaPeekAtLastError();
    const char* mangled = nullptr;
    if (cudaFuncGetName(&mangled, address) != cudaSuccess || mangled == nullptr) {
        if (pending == cudaSuccess)
            cudaGetLastError();
        return "(a kernel without a name)";
    }
    int status = 0;
    char* const whole = nestbed_demangled(mangled, nullptr, nullptr, &status);
    NamedKernel* const fresh = static_cast<NamedKernel*>(zeroed(sizeof(NamedKernel)));
    fresh->address = address;
    if (whole != nullptr)
        copy_bare_name(fresh->name, whole);
    else
        copy_host_text(fresh->name, mangled, kNameBytes); // of extern "C"
    free(whole);
    fresh->next = all;
    all = fresh;
    return fresh->name;
}

NESTBED_COMMON cudaError_t counted(unsigned site, const char* place, const void* kernel, cudaStream_t stream,
                                   cudaError_t error)
{
    stream_of_launch() = stream;
    count_host_launch(site, name_of_kernel(kernel), place, error);
    return error;
}

// The offset and size of a parameter of the kernel; false: it has no such parameter.
NESTBED_COMMON bool has_parameter(const void* kernel, size_t index, size_t& bytes)
{
    size_t offset = 0;
    const cudaError_t pending = cudaPeekAtLastError();
#if CUDART_VERSION >= 13000
    const bool has = cudaFuncGetParamInfo(kernel, index, &offset, &bytes) == cudaSuccess;
#else
    using Get = int (*)(cudaFunction_t, size_t, size_t*, size_t*);
    cudaFunction_t function = nullptr;
    void* get = nullptr;
    cudaDriverEntryPointQueryResult found;
    const bool has = cudaGetFuncBySymbol(&function, kernel) == cudaSuccess &&
                     cudaGetDriverEntryPoint("cuFuncGetParamInfo", &get, cudaEnableDefault, &found) == cudaSuccess &&
                     get != nullptr && reinterpret_cast<Get>(get)(function, index, &offset, &bytes) == 0;
#endif
    if (!has && pending == cudaSuccess)
        cudaGetLastError();
    return has;
}

// The arguments of a kernel with its level, 0, before them. Where the kernel is no counted one (its first parameter is no number of 4
// bytes), or cannot be asked, they stay as they are.
class WithLevel
{
  public:
    WithLevel(const void* kernel, void** arguments) : arguments_(arguments)
    {
        static unsigned level = 0;
        size_t count = 0, bytes = 0;
        if (!has_parameter(kernel, 0, bytes) || bytes != sizeof(level))
            return;
        while (has_parameter(kernel, count, bytes))
            ++count;
        all_ = static_cast<void**>(zeroed(count * sizeof(void*)));
        all_[0] = &level;
        for (size_t index = 1; index < count; ++index)
            all_[index] = arguments[index - 1];
    }
    WithLevel(const WithLevel&) = delete;
    WithLevel& operator=(const WithLevel&) = delete;
    ~WithLevel() { free(all_); }
    void** all() const { return all_ != nullptr ? all_ : arguments_; }

  private:
    void** arguments_;
    void** all_ = nullptr;
};

// ---- what the rewriter puts in the place of the functions of CUDA ----

template <class Kernel>
inline cudaError_t launch_kernel(unsigned site, const char* place, Kernel* kernel, dim3 grid, dim3 block,
                                 void** arguments, size_t bytes = 0, cudaStream_t stream = nullptr)
{
    const void* const address = reinterpret_cast<const void*>(kernel);
    return counted(site, place, address, stream,
                   cudaLaunchKernel(address, grid, block, WithLevel(address, arguments).all(), bytes, stream));
}
template <class Kernel>
inline cudaError_t launch_cooperative_kernel(unsigned site, const char* place, Kernel* kernel, dim3 grid, dim3 block,
                                             void** arguments, size_t bytes = 0, cudaStream_t stream = nullptr)
{
    const void* const address = reinterpret_cast<const void*>(kernel);
    return counted(
        site, place, address, stream,
        cudaLaunchCooperativeKernel(address, grid, block, WithLevel(address, arguments).all(), bytes, stream));
}
inline cudaError_t launch_kernel_exc(unsigned site, const char* place, const cudaLaunchConfig_t* configuration,
                                     const void* kernel, void** arguments)
{
    return counted(site, place, kernel, configuration->stream,
                   cudaLaunchKernelExC(configuration, kernel, WithLevel(kernel, arguments).all()));
}
template <class... Expected, class... Actual>
inline cudaError_t launch_kernel_ex(unsigned site, const char* place, const cudaLaunchConfig_t* configuration,
                                    void (*kernel)(unsigned, Expected...), Actual&&... arguments)
{
    return counted(site, place, reinterpret_cast<const void*>(kernel), configuration->stream,
                   cudaLaunchKernelEx(configuration, kernel, 0u, static_cast<Actual&&>(arguments)...));
}

} // namespace nestbed_count
