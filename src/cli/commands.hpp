// The commands of the command line.
#pragma once

#include "base/new_file.hpp"
#include "cli/arguments.hpp"

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// A command: its texts for the help, and its function.
struct Command {
    std::string name;
    std::string_view arguments; // how to call it: "[EXPERIMENT.cfg] [options]"
    std::string_view summary;   // one line
    std::string_view text;      // further text, in lines of at most 80 characters
    std::string_view files{};   // extension of the files that it takes: "cfg"; empty: it takes none
    std::size_t operands = 0;   // maximum number of words that are not options
    Options options{};          // in addition to --help
    Options settings{};         // keys of experiment files
    bool raw = false; // `call` gets the words as they are, with nothing given: they may be another program's
    // Data and tables go to `out`, messages to `err`. Returns an exit code (error.hpp). Throws UsageError or RunError.
    std::function<int(const Arguments& arguments, const Given& given, std::ostream& out, std::ostream& err)> call{};
    // If it stands for several, such as `draw`: the one with this first argument. Throws UsageError.
    std::function<Command(const std::string& argument)> with{};
    // The same for a user's program: if a word is a CUDA file, or there are words after "--".
    std::function<Command()> of_program{};
};

Command run_command();
Command show_command();
Command merge_command();
Command compare_command();
Command list_command();
Command info_command();
Command draw_command();
Command trace_command();
Command tree_command();
Command races_command();
Command count_command();
Command nvcc_command();
Command cpu_command();
Command test_command();
Command profile_command();
Command predict_command();
Command calibrate_command();
Command build_command();
Command graph_command();
Command warps_command();
Command statistics_command();

// Those of the help, in its order.
const std::vector<Command>& all_commands();
// Returns nullptr if no command has this name.
const Command* find_command(std::string_view name);

// The files that a command writes at its end, by the options that name them; none for "--csv -". Throws UsageError for two
// options with the same file, and as OutputFile does.
std::map<std::string, OutputFile> output_files(const Given& given, std::initializer_list<const char*> options);

// The targets that build the modules of this `nestbed run`, separated by spaces. Throws UsageError.
std::string modules_of_run(const Arguments& arguments);

// Throws UsageError if a parameter of a user's workload has the name of an option of nestbed or of a column of its logs.
void check_parameters();

// The command that `run` starts for itself; not for users.
int worker(const Arguments& arguments);

} // namespace nestbed
