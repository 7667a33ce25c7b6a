// The commands that `run` and its tables do not need. With src/inspect they are the module commands.so, which the program
// loads for them.
#pragma once

#include "base/new_file.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"

#include <initializer_list>
#include <map>
#include <string>

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

// The files that a command writes at its end, by the options that name them; none for "--csv -". Throws UsageError for two
// options with the same file, and as OutputFile does.
std::map<std::string, OutputFile> output_files(const Given& given, std::initializer_list<const char*> options);

} // namespace nestbed
