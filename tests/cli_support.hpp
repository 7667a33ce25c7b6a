// A command, as a user types it, and what comes back.
#pragma once

#include "../src/core/cli.hpp"

#include <sstream>
#include <string>
#include <vector>

namespace nestbed
{

struct Outcome {
    int exit_code = 0;
    std::string out, err;
};

inline Outcome nestbed(const std::vector<std::string>& arguments)
{
    std::ostringstream out;
    std::ostringstream err;
    const int exit_code = run_command_line(arguments, out, err);
    return {exit_code, out.str(), err.str()};
}

} // namespace nestbed
