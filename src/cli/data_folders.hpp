// The folders that belong to the program: experiments, results.
#pragma once

#include <array>
#include <filesystem>
#include <string_view>

namespace nestbed
{

// Where one of them may be: in the repository in which this program was built, or where `cmake --install` puts it.
inline std::array<std::filesystem::path, 2> data_folders(std::string_view name)
{
    const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    return {folder.parent_path().parent_path() / name, folder.parent_path() / "share" / "nestbed" / name};
}

} // namespace nestbed
