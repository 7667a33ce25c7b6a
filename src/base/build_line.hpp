// What to type where a part of nestbed has not been built.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace nestbed
{

// The command that builds all that users of nestbed in this build folder need, or another target of experiments/build.sh.
std::string build_line(const std::filesystem::path& build, std::string_view target = "nestbed");

} // namespace nestbed
