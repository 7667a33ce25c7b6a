// fault_once: the host aborts the first time, and gives the right answer from then on. It recognizes the first time
// by a file that the environment variable NESTBED_FAULT_FILE names: the file does not exist yet, and fault_once
// creates it.
//
//     finish each slice in its block, pairwise
//
// Launches: none from the device.
#include "faults/fault.hpp"

#include "base/error.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace nestbed::inline NESTBED_BACKEND
{

template <class T>
__global__ void reduce_once(T* in, T* out)
{
    finish_in_block(in + static_cast<std::size_t>(blockIdx.x) * blockDim.x, blockDim.x / 2, out + blockIdx.x);
}

// Does not return the first time.
inline void survive_first_time()
{
    const char* const path = std::getenv("NESTBED_FAULT_FILE");
    if (path == nullptr)
        throw RunError("fault_once: NESTBED_FAULT_FILE, the path of a file, is not set");
    if (std::filesystem::exists(path))
        return;
    if (!std::ofstream(path))
        throw RunError(std::string("fault_once: ") + path + " could not be made");
    std::abort();
}

struct Once {
    static constexpr StrategyInfo info = fault(
        "fault_once", "the host aborts the first time; then flat, one host launch", "it ends the process, once");

    template <class T>
    static void run(const Reduction<T>& job)
    {
        survive_first_time();
        host_launch<reduce_once<T>>(job.context, {job.grid, job.block}, job.in, job.out);
    }
};

const RegisterFault<Once> once;

} // namespace nestbed::inline NESTBED_BACKEND
