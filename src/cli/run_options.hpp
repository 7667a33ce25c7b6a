// The options of `nestbed run`, and the names that come from them.
#pragma once

#include "cli/arguments.hpp"
#include "model/case.hpp"
#include "plan/settings.hpp"
#include "plan/shard.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace nestbed
{

// Those that are no keys of an experiment file.
Options run_options();

// Where logs go whose file is not named.
inline constexpr const char* kUsualFolder = "results/local";

// "-" also for standard output by another name: a file that it was redirected to, /dev/stdout, the terminal. Throws UsageError for
// standard error.
std::string output_path(const Given& given, const std::string& experiment, const std::optional<Shard>& shard);

// A name that can be a file's: the log is called by it. Throws UsageError.
std::string experiment_name(const Given& given, const std::string& usual);

// What a sample has to end in, in a worker. Throws UsageError.
std::chrono::seconds timeout_of(const Settings& settings, BackendKind backend);

// Throws UsageError for options that do not go together, and as timeout_of() does, which is said also where no worker needs it.
void check_options(const Given& given, const Settings& settings);

// The command again: what goes on with the log.
std::string command_to_go_on(const std::vector<std::string>& arguments);

} // namespace nestbed
