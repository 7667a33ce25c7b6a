#include "base/temporary_folder.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace nestbed
{

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder()
{
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "nestbed-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr)
        throw RunError(fmt::format("a folder for temporary files could not be created ({}): {}", name,
                                   error ? error.message() : std::strerror(errno)));
    path_ = name;
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

} // namespace nestbed
