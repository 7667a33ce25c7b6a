// A summary of kernels like that of a profiler: how often each was called, from where, and how long it took.
#pragma once

#include "model/trace.hpp"

#include <string>
#include <vector>

namespace nestbed
{

// The grids of one case, as in the summary of nvprof: current GPUs have no profiler that counts launches from
// kernels.
struct KernelCalls {
    Case point;
    std::uint64_t from_host = 0;
    std::uint64_t from_device = 0; // accepted launches
    std::vector<double>
        times_us; // from the first to the last instruction of a grid; if it waits, with the time of its children
};

// The calls of a traced run.
KernelCalls calls_of(const Trace& trace);
// The calls of a case whose kernels launch nothing. There is no tree: its kernels share the time of the sample
// equally (the GPU time if there is one).
KernelCalls calls_of(const Case& point, const Sample& sample);

// One line per case: calls from the host, calls from the device, average, minimum and maximum time.
std::string kernels_text(const std::vector<KernelCalls>& cases);

} // namespace nestbed
