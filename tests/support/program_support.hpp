// Programs that tests write and run: shell scripts.
#pragma once

#include "support/support.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace nestbed
{

// The path of this test program, wherever it was copied to.
inline std::string this_program()
{
    return std::filesystem::read_symlink("/proc/self/exe").string();
}

inline std::string program(const ScratchFolder& folder, std::string_view name, const std::string& script)
{
    const std::string path = folder.write(name, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

// Sets an environment variable to another value as long as this object exists.
class EnvironmentVariable
{
  public:
    EnvironmentVariable(std::string name, const std::string& value) : name_(std::move(name))
    {
        if (const char* before = std::getenv(name_.c_str()))
            before_ = before;
        setenv(name_.c_str(), value.c_str(), 1);
    }
    EnvironmentVariable(const EnvironmentVariable&) = delete;
    EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;
    ~EnvironmentVariable()
    {
        if (before_)
            setenv(name_.c_str(), before_->c_str(), 1);
        else
            unsetenv(name_.c_str());
    }

  private:
    std::string name_;
    std::optional<std::string> before_;
};

// Replaces PATH as long as this object exists.
class PathVariable : public EnvironmentVariable
{
  public:
    explicit PathVariable(const std::string& path) : EnvironmentVariable("PATH", path) {}
};

} // namespace nestbed
