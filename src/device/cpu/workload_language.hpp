// What a user's workload has of CUDA on the executor in addition: __shared__, and streams that kernels make. The rewriter knows it.
#pragma once

#include "device/cpu/executor.hpp"
#include "device/cpu/observer.hpp"
#include "model/mechanism.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>

// NOLINTBEGIN: these names are CUDA's.
enum cudaError_t : int { cudaSuccess = 0 };
using cudaStream_t = struct CUstream_st*;
inline constexpr unsigned cudaStreamNonBlocking = 1;
inline const cudaStream_t cudaStreamTailLaunch =
    reinterpret_cast<cudaStream_t>(std::uintptr_t{3}); // numbers as CUDA's
inline const cudaStream_t cudaStreamFireAndForget = reinterpret_cast<cudaStream_t>(std::uintptr_t{4});

namespace nestbed::cpu
{

// What __shared__ and extern __shared__ become: the array type of a variable.
struct SharedKey {
    std::size_t bytes;
};
template <class T>
T& shared(const void* key, const char* name)
{
    return *static_cast<T*>(shared_memory(key, sizeof(T), kElement<std::remove_all_extents_t<T>>, name));
}
template <class T>
T& dynamic_shared(const char* name)
{
    return *reinterpret_cast<T*>(dynamic_shared_memory(kElement<std::remove_all_extents_t<T>>, name));
}

// What a launch makes: `call` calls the function that a kernel has become, and that gives kernel() what its threads run.
inline thread_local void* made_for_host = nullptr;
inline void*& made_for()
{
    return current_thread != nullptr ? current_thread->program.configured : made_for_host;
}
template <class Call>
KernelCall call_made_by(const Call& call)
{
    KernelCall made;
    struct Restore {
        void* outer; // the arguments of a launch may launch
        ~Restore() { made_for() = outer; }
    };
    {
        const Restore restore{std::exchange(made_for(), &made)};
        call();
    }
    if (!made)
        throw Fault(
            "a launch called a function that `nestbed build` did not rewrite; allowed: a kernel of the .cu file, "
            "or of a header that it includes by #include \"FILE\"");
    return made;
}
// A thread that is called by other means than <<< >>>, as by launch() of nest.hpp, runs the body.
template <class Body>
void kernel(const char* name, const Body& body)
{
    KernelCall call([body] {
        Body own = body; // each thread has its own parameters
        own();
    });
    if (made_for() == nullptr)
        return call();
    call.launch.function = name;
    *static_cast<KernelCall*>(made_for()) = std::move(call);
}

inline constexpr std::uintptr_t kFirstNamedStream = 8;

// The number of the stream among those of its block (device/cpu/executor.hpp).
inline std::uint64_t number_in_block(cudaStream_t stream)
{
    const auto number = reinterpret_cast<std::uintptr_t>(stream);
    return number < kFirstNamedStream ? 0 : number - kFirstNamedStream + 1;
}
inline Mechanism mechanism_of(cudaStream_t stream)
{
    if (stream == nullptr)
        return Mechanism::null_stream;
    if (stream == cudaStreamTailLaunch)
        return Mechanism::tail;
    return stream == cudaStreamFireAndForget ? Mechanism::fire_and_forget : Mechanism::named_stream;
}
// A number that no other stream has.
std::uint64_t new_stream_number();

} // namespace nestbed::cpu

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/)
{
    *stream = reinterpret_cast<cudaStream_t>(nestbed::cpu::kFirstNamedStream + nestbed::cpu::new_stream_number());
    return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t /*stream*/)
{
    return cudaSuccess; // what is in it still runs
}
// NOLINTEND
