// The commands of the command line.
#pragma once

#include "cli/arguments.hpp"

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iosfwd>
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
};

Command run_command();
Command show_command();
Command list_command();
Command info_command();
Command merge_command();

// The commands that `run` and its tables do not need are in src/commands, which becomes a module, so that a first table need not
// wait for their compilation. They enter by this, from a constructor.
using MakeCommand = Command (*)();
void add_commands(std::initializer_list<MakeCommand> more);

// Those of the help, in its order. Without the module, if it has not been built.
const std::vector<Command>& all_commands();
// Returns nullptr if no command has this name. Throws RunError if it is in the module, and that has not been built.
const Command* find_command(std::string_view name);

// The targets that build the modules of this `nestbed run`, separated by spaces. Throws UsageError.
std::string modules_of_run(const Arguments& arguments);

// The command that `run` starts for itself; not for users.
int worker(const Arguments& arguments);

} // namespace nestbed
