// Programs that tests write and run: shell scripts.
#pragma once

#include "support/environment_support.hpp"
#include "support/support.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace nestbed
{

// The path of this test program, wherever it was copied to.
inline std::string this_program()
{
    return std::filesystem::read_symlink("/proc/self/exe").string();
}

// The path of this build's nestbed, which is in a folder above this program. It is known only at run time, because a build may link
// the objects of another build's tests.
inline std::string nestbed_program()
{
    std::filesystem::path folder = std::filesystem::path(this_program()).parent_path();
    while (!std::filesystem::is_regular_file(folder / "nestbed") && folder.has_relative_path())
        folder = folder.parent_path();
    return folder / "nestbed";
}

inline std::string program(const ScratchFolder& folder, std::string_view name, const std::string& script)
{
    const std::string path = folder.write(name, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

// Replaces PATH as long as this object exists.
class PathVariable : public EnvironmentVariable
{
  public:
    explicit PathVariable(const std::string& path) : EnvironmentVariable("PATH", path) {}
};

} // namespace nestbed
