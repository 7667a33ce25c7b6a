// The programs that do the work of an nvcc command line, in order: g++, the rewriter, ar. Pure: nothing is run here.
#pragma once

#include "program/build/nvcc_command.hpp"
#include "program/build/toolchain.hpp"

#include <string>
#include <vector>

namespace nestbed::program
{

struct Step {
    std::vector<std::string> arguments; // arguments[0] is the path of the program
    std::string removes{};              // a file that is removed before it: `ar` would add to it
    std::string preprocessed{};         // it compiles what the rewriter made of this file
    bool links = false;                 // a program
};

struct Steps {
    std::vector<Step> steps;
    std::string dependency_file; // that the steps write: the precompiled header is removed from it; empty: none
    std::string product;         // the program; empty: none is linked
};

// The flags that code is compiled with, besides the user's options: standard, optimisation, watching. A precompiled
// header must have been compiled with the same ones.
std::vector<std::string> code_flags(const NvccCommand& command, const Toolchain& toolchain);
// Those that make the preprocessor and the compiler see CUDA.
std::vector<std::string> cuda_flags(const NvccCommand& command, const Toolchain& toolchain);

// Where a host compiler finds the libraries that stand in for CUDA's: -L….
std::vector<std::string> library_folders(const NvccCommand& command, const Toolchain& toolchain);

// `header`: what .cu files include first, precompiled or not. `folder`: for files between the steps. Throws RunError if
// the command is to be watched and there is no detector.
Steps steps_of(const NvccCommand& command, const Toolchain& toolchain, const std::string& header,
               const std::string& folder);

} // namespace nestbed::program
