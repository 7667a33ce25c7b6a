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

// Whether the run has neither an experiment nor a file for its log. Then the log has a name of its own, so that each such
// run can be repeated and changed: by strategies, time and a random number, as in the
// run's id: "nosync-20261125T184500Z-68142e65".
bool names_its_log(const Given& given);
std::string own_log_name(const Settings& settings, const std::string& run_id);

// The experiment's name, after which the log is named. It must be a valid file name. Throws UsageError.
std::string experiment_name(const Given& given, const std::string& default_name);

// The time in which a sample in a worker must end. Throws UsageError.
std::chrono::seconds timeout_of(const Settings& settings, BackendKind backend);

// Throws UsageError for options that exclude each other, and for an invalid timeout even if no worker needs it.
void check_options(const Given& given, const Settings& settings);

// The command that resumes the log: `output`, if the run has named it itself.
std::string resume_command(const std::vector<std::string>& arguments, const std::string& output = "");

} // namespace nestbed
