// The commands that `run` and its tables do not need. With src/inspect and the fit of src/predict they are the module commands.so,
// which the program loads for them.
#pragma once

#include "cli/commands.hpp"

namespace nestbed
{

Command draw_command();
Command graph_command();
Command trace_command();
Command tree_command();
Command races_command();
Command count_command();
Command nvcc_command();
Command cpu_command();
Command test_command();
Command profile_command();
Command warps_command();
Command statistics_command();
Command compare_command();
Command calibrate_command();
Command predict_command();
Command build_command();

} // namespace nestbed
