#pragma once

#include <filesystem>

namespace nestbed
{

// A folder in $TMPDIR or /tmp that is removed with its content at the end of the scope.
class TemporaryFolder
{
  public:
    TemporaryFolder(); // throws RunError
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

} // namespace nestbed
