#include "base/reported_place.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <system_error>

namespace nestbed
{

namespace
{

namespace fs = std::filesystem;

// Never destroyed: a report may come at the very end.
const fs::path& start_folder()
{
    std::error_code none;
    static const fs::path& folder = *std::make_unique<fs::path>(fs::current_path(none)).release();
    return folder;
}
[[maybe_unused]] const bool start_folder_is_known = !start_folder().empty();

} // namespace

std::string reported_path(std::string_view file)
{
    const fs::path path = fs::path(file).lexically_normal();
    if (start_folder().empty() || path.is_relative())
        return path.string();
    const fs::path below = path.lexically_relative(start_folder());
    return below.empty() || *below.begin() == ".." ? path.string() : below.string();
}

std::string reported_place(std::string_view file, unsigned line)
{
    return fmt::format("{}:{}", reported_path(file), line);
}

} // namespace nestbed
