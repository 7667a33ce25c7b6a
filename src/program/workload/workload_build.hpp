// Builds a workload of a user's own: the .cu files of a folder become two modules, with what the folder `program` has for it
// (workload.json), for what this machine has: g++, and nvcc if nestbed has CUDA code.
#pragma once

#include "base/subprocess.hpp"

#include <filesystem>
#include <iosfwd>
#include <set>
#include <string>
#include <vector>

namespace nestbed::program
{

// Where the modules of the workload in `folder` are: "workload.so", and "races.so" for the race detector.
std::filesystem::path workload_module(const std::filesystem::path& folder, bool watched);

// Writes FOLDER/NAME.cu, a complete workload, NAME being the folder's. Throws UsageError if the name is not one of C++, if it is
// one of `taken`, or if there is a .cu file already.
std::filesystem::path write_new_workload(const std::filesystem::path& folder, const std::set<std::string>& taken);

// The figures that a workload can name: those of experiments/figures.py.
std::vector<std::string> known_figures();

// Returns whether all was built. Compilers write to standard error; what to do about it goes to `err`. Throws UsageError if the
// folder has no .cu file, RunError if something is missing.
bool build_workload(const std::filesystem::path& folder, const HeldSignals& signals, std::ostream& err);

} // namespace nestbed::program
