// The commands of the command line.
#pragma once

#include "cli/arguments.hpp"
#include "model/sample.hpp"

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// A command: its texts for the help, the completion and the man page, and its function.
struct Command {
    std::string_view name;
    std::string_view arguments; // how to call it: "[EXPERIMENT.cfg] [options]"
    std::string_view summary;   // one line
    std::string_view text;      // further text, in lines of at most 80 characters
    std::string_view files{};   // extension of the files that it takes: "cfg"; empty: it takes none
    std::size_t operands = 0;   // maximum number of words that are not options
    Options options{};          // in addition to --help
    Options settings{};         // keys of experiment files
    bool raw = false; // `call` gets the words as they are, with nothing given: they may be another program's
    // Data and tables go to `out`, messages to `err`. Returns an exit code (error.hpp). Throws UsageError or RunError.
    int (*call)(const Arguments& arguments, const Given& given, std::ostream& out, std::ostream& err) = nullptr;
};

Command run_command();
Command show_command();
Command check_command();
Command list_command();
Command info_command();
Command hello_command();
Command blobs_command();
Command mandelbrot_command();
Command quadtree_command();
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
Command merge_command();
Command compare_command();
Command reconcile_command();
Command calibrate_command();
Command predict_command();

// In the order of the help.
const std::vector<Command>& all_commands();
// Returns nullptr if no command has this name.
const Command* find_command(std::string_view name);

// The last lines of hello: how many threads greeted, and the device launches if this build counts them.
std::string greetings_text(const Sample& sample);
// The command that `run` starts for itself; not for users.
int worker(const Arguments& arguments);

} // namespace nestbed
