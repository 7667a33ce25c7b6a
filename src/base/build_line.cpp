#include "base/build_line.hpp"

#include <fmt/format.h>

namespace nestbed
{

namespace fs = std::filesystem;

std::string build_line(const fs::path& build, std::string_view target)
{
    const fs::path script = "experiments/build.sh";
    if (const fs::path root = build.parent_path().parent_path();
        build.parent_path().filename() == "build" && fs::exists(root / script))
        return fmt::format("{} {} {}", (root / script).string(), build.filename().string(), target);
    if (fs::exists(build / "CMakeCache.txt")) // a folder of the user's own
        return fmt::format("cmake --build {} --target {}", build.string(),
                           target == "nestbed" ? "nestbed_commands" : target);
    return fmt::format("{} '' {}", script.string(), target);
}

} // namespace nestbed
