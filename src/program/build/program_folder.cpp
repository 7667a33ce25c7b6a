#include "program/build/program_folder.hpp"

#include "base/build_line.hpp"
#include "base/error.hpp"

#include <fmt/format.h>

namespace nestbed::program
{

namespace fs = std::filesystem;

fs::path program_folder()
{
    const fs::path own = fs::read_symlink("/proc/self/exe").parent_path();
    for (const fs::path& folder : {own / "program", own.parent_path() / "libexec" / "nestbed" / "program"})
        if (fs::exists(folder / "include"))
            return folder;
    throw RunError(
        fmt::format("{} does not exist; it has the headers and libraries for users' programs; to build it: {}",
                    (own / "program").string(), build_line(own, "nestbed_programs")));
}

} // namespace nestbed::program
