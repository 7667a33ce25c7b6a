// Programs that tests write and run: shell scripts.
#pragma once

#include "support.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace nestbed
{

inline std::string program(const ScratchFolder& folder, std::string_view name, const std::string& script)
{
    const std::string path = folder.write(name, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

// The PATH, another one as long as this lives.
class PathVariable
{
  public:
    explicit PathVariable(const std::string& path) { setenv("PATH", path.c_str(), 1); }
    PathVariable(const PathVariable&) = delete;
    PathVariable& operator=(const PathVariable&) = delete;
    ~PathVariable() { setenv("PATH", before_.c_str(), 1); }

  private:
    std::string before_ = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
};

} // namespace nestbed
