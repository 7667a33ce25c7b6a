// What launches of a kernel go by. The rewriter puts one Kernel into the body of each.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace nestbed::program
{

// Blocks of a cluster, by __cluster_dims__ or cudaFuncSetAttribute(); 0: it has none.
struct ClusterDims {
    unsigned x, y, z;
    constexpr bool are_given() const { return (x | y | z) != 0; }
};

struct Kernel {
    const char* name;    // of a template with its arguments, from the first call on
    int max_threads = 0; // per block, by __launch_bounds__; 0: it has none
    ClusterDims cluster = {0, 0, 0};
    int max_dynamic_bytes = -1;      // by cudaFuncSetAttribute(); -1: what its static shared memory leaves of 48 KB
    bool has_large_clusters = false; // by cudaFuncSetAttribute(), too
    bool is_cluster_set = false;     // by that, not by __cluster_dims__
    int static_bytes = -1;           // of shared memory; -1: not known yet
    int template_parameters = 0;
    const char* function = nullptr; // __PRETTY_FUNCTION__ of a template whose name has no arguments yet
};

// `parameters`: how many the template itself has, without those of `auto`.
constexpr Kernel of_template(Kernel kernel, int parameters, const char* function)
{
    kernel.template_parameters = parameters;
    kernel.function = function;
    return kernel;
}

// What stands for the address of a __shared__ variable; the runtime finds it by its name.
struct SharedKey {
    unsigned long bytes;
};

// The arguments of __launch_bounds__.
template <class... Others>
constexpr int launch_bounds(int max_threads, Others...)
{
    return max_threads;
}

// The arguments of __cluster_dims__.
constexpr ClusterDims cluster_dims(unsigned x, unsigned y = 1, unsigned z = 1)
{
    return {x, y, z};
}

// What a call by the address of the kernel needs.
struct Parameters {
    unsigned count;
    const std::size_t* bytes; // of each
    void (*call)(const void* kernel, void** arguments);
};
// There are no pointers to a type with __restrict__, but to a structure of it.
template <class Type>
struct Held {
    Type value;
};
template <class... Types, std::size_t... number>
void call_with(void (*kernel)(Types...), void** arguments, std::index_sequence<number...>)
{
    static_cast<void>(arguments); // of a kernel without parameters
    kernel(static_cast<Held<std::remove_reference_t<Types>>*>(arguments[number])->value...);
}
template <class... Types>
struct ParametersOf {
    static void call(const void* kernel, void** arguments)
    {
        call_with(reinterpret_cast<void (*)(Types...)>(const_cast<void*>(kernel)), arguments,
                  std::index_sequence_for<Types...>());
    }
    static constexpr std::size_t kBytes[sizeof...(Types) + 1] = {sizeof(std::remove_reference_t<Types>)..., 0};
    static constexpr Parameters kAll = {sizeof...(Types), kBytes, call};
};

// Whether the kernel was called for its Kernel alone, which is taken now: its call returns, and reads no argument. Without the types of its
// parameters it cannot be called by its address. Otherwise a launch that is captured keeps the arguments, which are at these addresses.
bool is_asked(Kernel& kernel, const Parameters* parameters, const volatile void* const* arguments);
// In the function of the kernel itself, whose address is that of what calls.
template <class... Types, class... Arguments>
__attribute__((always_inline)) inline bool is_asked(Kernel& kernel, Arguments&... arguments)
{
    const volatile void* const addresses[] = {__builtin_addressof(arguments)..., nullptr};
    return is_asked(kernel, &ParametersOf<Types...>::kAll, addresses);
}
inline bool is_asked(Kernel& kernel)
{
    return is_asked(kernel, nullptr, nullptr);
}

// At the begin of a function that calls itself: ends the run of the kernel where a GPU would have no more stack.
void on_stack();

} // namespace nestbed::program
