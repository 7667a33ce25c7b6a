// Rewrites a CUDA file, so that its launches are counted (by nvcc's programs), or so that the executor runs its kernels. What is
// written in place of launches and kernels is declared in program/count/nestbed_count.cuh and nestbed_trace.cuh, in
// nestbed/program.hpp, and for workloads in device/.
#pragma once

#include "program/rewrite/changes.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed::program
{

enum class RewriteMode : std::uint8_t {
    count,
    count_strict,   // what cannot be counted is an error
    trace,          // count, and record every grid
    executor,       // of a file for -rdc=true
    executor_whole, // of a file that is a program of its own for the device: nvcc without -rdc=true
    workload_cuda,  // of a file of a user's workload, which is not preprocessed (inlined_headers.hpp)
    workload_executor,
};

// Only the user's parts change (see Source). Every text stays on its line of its file, except for the kernel's name in
// a launch over several lines. `folder` completes the relative names of files.
//
// Throws RunError "FILE:LINE: reason" if there is a launch, kernel or call that cannot be rewritten: no launch is left
// out.
//
// `warnings`, if given, gets "FILE:LINE: warning: …" for what the program cannot do at run time; when it is counted, "FILE:LINE: …" for what
// may be the cause if it does not compile.
//
// `keeps_columns`, in the executor's modes: for messages of the compiler, see Changes::keep_columns().
//
// In modes count and trace, a text without the mark of nestbed_count.cuh comes back unchanged: nvcc also preprocesses files that
// have no CUDA.
std::string rewrite(std::string_view text, RewriteMode mode, std::string_view folder = "",
                    std::vector<std::string>* warnings = nullptr, bool keeps_columns = false);

// The changes that rewrite() makes of the user's parts.
Changes count_changes(const Source& source, std::string_view folder, RewriteMode mode);
Changes executor_changes(const Source& source, std::string_view folder, bool whole_program);
Changes workload_changes(const Source& source, bool for_executor);

// Where the mark of nestbed_count.cuh begins: a line that only the rewriter removes. npos if there is none.
std::size_t find_count_mark(std::string_view text);

} // namespace nestbed::program
