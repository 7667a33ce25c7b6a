// `nestbed trace` of a user's program, and the trace that such a program wrote.
#pragma once

#include "cli/commands.hpp"
#include "inspect/launch_trace.hpp"

#include <initializer_list>
#include <iosfwd>
#include <string_view>

namespace nestbed
{

inline constexpr const char* kHowToOpen = "{}: open it in ui.perfetto.dev or chrome://tracing\n";

// Builds a program and runs it, or runs a build.
Command trace_program_command();
Option csv_option();

// The trace of --from: no option but `allowed` ones is about a trace that is there already. Throws UsageError.
LaunchTrace trace_of_program(const Given& given, std::initializer_list<std::string_view> allowed);
// Prints the summary of that trace, and writes it to --output.
int trace_from(const Given& given, std::ostream& out);

} // namespace nestbed
