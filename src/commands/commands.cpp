#include "commands/commands.hpp"

namespace
{

[[maybe_unused]] const bool added = [] {
    using namespace nestbed;
    add_commands({compare_command, graph_command, trace_command, tree_command, races_command, count_command,
                  nvcc_command, cpu_command, test_command, profile_command, reconcile_command, predict_command,
                  calibrate_command, new_command, build_command, warps_command, statistics_command});
    return true;
}();

} // namespace
