// What launches of a kernel go by. The rewriter puts one Kernel into the body of each.
#pragma once

namespace nestbed::program
{

struct Kernel {
    const char* name;
    int max_threads = 0;        // per block, by __launch_bounds__; 0: it has none
    int max_dynamic_bytes = -1; // by cudaFuncSetAttribute(); -1: what its static shared memory leaves of 48 KB
    int static_bytes = -1;      // of shared memory; -1: not known yet
};

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

// Whether the kernel was called for its Kernel alone, which is taken now: its call returns, and reads no argument.
bool asked(Kernel& kernel);

// At the begin of a function that calls itself: ends the run of the kernel where a GPU would have no more stack.
void on_stack();

} // namespace nestbed::program
