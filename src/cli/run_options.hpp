// The options of `nestbed run`, and the names derived from them.
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

// The options that are not keys of an experiment file.
Options run_options();

// The folder for logs without a given file name.
inline constexpr const char* kDefaultFolder = "results/local";

// "-" also if the path is another name for standard output: the file to which it was redirected, /dev/stdout, the
// terminal. Throws UsageError for standard error.
std::string output_path(const Given& given, const std::string& experiment, const std::optional<Shard>& shard);

// The experiment's name, after which the log is named. It must be a valid file name. Throws UsageError.
std::string experiment_name(const Given& given, const std::string& default_name);

// The time in which a sample in a worker must end. Throws UsageError.
std::chrono::seconds timeout_of(const Settings& settings, BackendKind backend);

// Throws UsageError for options that exclude each other, and for an invalid timeout even if no worker needs it.
void check_options(const Given& given, const Settings& settings);

// The command that resumes the log.
std::string resume_command(const std::vector<std::string>& arguments);

} // namespace nestbed
