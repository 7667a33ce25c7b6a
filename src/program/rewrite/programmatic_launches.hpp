// Launches of the host's code that need not wait for the launch before them: programmatic ones
// (cudaLaunchAttributeProgrammaticStreamSerialization).
#pragma once

#include "program/rewrite/functions.hpp"
#include "program/rewrite/launches.hpp"

#include <string>
#include <vector>

namespace nestbed::program
{

// Numbers of tokens.
struct LaunchOfKernel {
    std::size_t begin, end; // its first token, and that behind it
    std::size_t block;      // the { of the host's code; kNoToken if there is none
    const Function* kernel;
    std::vector<std::string> arguments;
    std::string stream; // as it is written; "" is the NULL stream
    bool is_programmatic = false;
};

struct LaunchPair {
    LaunchOfKernel first, second;
};

// Two launches that follow each other in one block of the host's code, into one stream, the second one programmatically; with nothing
// between them that orders them or may change an argument. A function that contains one launch with the attribute is such a launch where it
// is called.
std::vector<LaunchPair> programmatic_pairs(const Source& source, const std::vector<Function>& functions,
                                           const std::vector<Launch>& launches);

} // namespace nestbed::program
