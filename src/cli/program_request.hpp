// What the commands for a user's own program share: reading their words, building, running.
#pragma once

#include "base/subprocess.hpp"
#include "base/temporary_folder.hpp"
#include "cli/commands.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace nestbed
{

// A command line such as: races my.cu -Iinclude --schedule eager -- args.
struct ProgramRequest {
    Arguments nvcc;                 // source files, and nvcc's options
    bool has_source = false;        // one of the files is a CUDA or C++ file
    Given given;                    // nestbed's own options
    std::optional<Arguments> after; // the words after "--"
};

// Separates nestbed's own options from the files and nvcc's options. Throws UsageError.
ProgramRequest read_request(const Command& command, const Arguments& arguments);

// The options that programs for the executor share, by name: "schedule", "pending-limit" …
Options program_options(const std::vector<std::string_view>& names);
// The environment that makes a program for the executor do what the options say. Throws UsageError for a wrong value.
std::map<std::string, std::string> program_environment(const Given& given);
// An option that is a whole number from 0 to `most`. Throws UsageError.
std::uint64_t program_number(const Given& given, const std::string& name, std::uint64_t default_value,
                             std::uint64_t most);
// --timeout, in seconds. Throws UsageError.
std::chrono::milliseconds program_timeout(const Given& given);

// The words for nvcc. With --kernel the first source is a driver in `folder`, which launches it; --driver - prints it to `out`.
Arguments nvcc_words(const ProgramRequest& request, const TemporaryFolder& folder, std::ostream& out);

// Builds the source files of a request, for the executor. The program is in `folder`, unless -o says where. Empty if
// the compiler found errors, which it has printed.
std::filesystem::path build_program(const ProgramRequest& request, bool watched, const TemporaryFolder& folder,
                                    const HeldSignals& signals, std::ostream& out, std::ostream& err);

// Runs the program of a user. Standard input is that of this process.
ProgramEnd run_program_of_user(const std::filesystem::path& path, const Arguments& arguments,
                               const std::map<std::string, std::string>& environment,
                               std::optional<std::chrono::milliseconds> timeout, const HeldSignals& signals,
                               int out = 1);

// Runs a build (`make`) with our nvcc in front. Returns the exit code of the build.
int run_build(const Arguments& words, bool watched, const HeldSignals& signals, std::ostream& err);

} // namespace nestbed
