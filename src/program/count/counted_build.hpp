// A user's build with nvcc in which every launch is counted, or also traced: its environment, and what it did.
#pragma once

#include "base/subprocess.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace nestbed::program
{

enum class Recorded : std::uint8_t { counts, counts_strictly, trace };

// The variables that make nvcc call our compiler wrappers and include nestbed_count.cuh or nestbed_trace.cuh first. `prepended`: the user's
// NVCC_PREPEND_FLAGS, which stay in force. `folder`: the folder `program`; `log`: a file that gets a line for each file
// that is rewritten. Throws RunError if nvcc could not take the folder's path.
std::map<std::string, std::string> counting_environment(Recorded recorded, const std::filesystem::path& folder,
                                                        const std::string& prepended,
                                                        const std::filesystem::path& log);

// What the log of the wrappers says.
struct RewrittenFiles {
    std::size_t files = 0;
    std::size_t with_launches = 0; // files
    std::size_t launches = 0;
    std::vector<std::string> hints; // what may be the cause if the build fails
};
// Lines "LAUNCHES PATH", two or more for each file: for the host and for each GPU. The largest number counts. Other lines are hints.
RewrittenFiles read_rewritten(const std::string& log_text);

// Runs a build, for instance {"make", "-j"}, and says on `err` what was rewritten. Returns the exit code of the build.
// Throws UsageError if the program does not exist, and RunError. `messages`: the descriptor for what the build prints as errors.
int run_counted_build(Recorded recorded, const std::vector<std::string>& words, const std::filesystem::path& folder,
                      const HeldSignals& signals, std::ostream& err, int messages = 2);

} // namespace nestbed::program
