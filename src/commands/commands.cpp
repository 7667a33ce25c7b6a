#include "commands/commands.hpp"

// For the linker, which takes this file for its name (src/CMakeLists.txt).
extern "C" {
extern const char nestbed_further_commands;
const char nestbed_further_commands = 0;
}

namespace
{

[[maybe_unused]] const bool added = [] {
    using namespace nestbed;
    add_commands({compare_command, draw_command, graph_command, trace_command, tree_command, races_command,
                  count_command, nvcc_command, cpu_command, test_command, profile_command, predict_command,
                  calibrate_command, build_command, warps_command, statistics_command});
    return true;
}();

} // namespace
