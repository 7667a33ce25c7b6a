// What a profiler's summary says of kernels: how often each was called, from where, and how long it took.
#pragma once

#include "model/trace.hpp"

#include <string>
#include <vector>

namespace nestbed
{

// The grids of one case, as nvprof's summary has them: GPUs of today have no profiler that counts launches from kernels.
struct KernelCalls {
    Case point;
    std::uint64_t from_host = 0;
    std::uint64_t from_device = 0; // accepted
    std::vector<double>
        times_us; // from a grid's first instruction to its last; of a parent that waits, its children's too
};

// Of a traced run.
KernelCalls calls_of(const Trace& trace);
// Of a case whose kernels launch none, which is no tree: its kernels share the GPU time of a sample.
KernelCalls calls_of(const Case& point, const Sample& sample);

// A line a case: calls from the host, calls from the device, average, least and greatest time.
std::string kernels_text(const std::vector<KernelCalls>& cases);

} // namespace nestbed
