#include "base/new_file.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace nestbed
{

namespace
{
constexpr const char* kPartial = ".partial";

[[noreturn]] void refuse(std::string_view option, const std::string& path, const std::string& why)
{
    throw UsageError(
        fmt::format("{} {}: {}; allowed: a new file in a folder that can be written to", option, path, why));
}

// Else a machine that goes down may have the new name and nothing under it.
bool bring_to_disk(const std::string& path)
{
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC); // NOLINT(*-vararg)
    if (file < 0)
        return false;
    int result = 0;
    do
        result = fsync(file);
    while (result != 0 && errno == EINTR);
    const bool done = result == 0;
    close(file);
    return done;
}
} // namespace

void check_new_file(const std::string& path, std::string_view option)
{
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored))
        refuse(option, path, "it is there already, and nothing is overwritten");
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
        refuse(option, path, fmt::format("there is no folder {}", folder.string()));
    if (access(folder.empty() ? "." : folder.c_str(), W_OK) != 0)
        refuse(option, path, std::strerror(errno));
    if (std::filesystem::exists(path + kPartial, ignored))
        refuse(option, path, fmt::format("{}{} is in its way, left by a run that was ended", path, kPartial));
}

void write_new_file(const std::string& path, std::string_view content, std::string_view what, std::string_view option)
{
    check_new_file(path, option);
    const std::string partial = path + kPartial;
    errno = 0;
    if (!std::ofstream(partial, std::ios::binary)) // a folder that takes no files
        refuse(option, path, std::strerror(errno));
    static_cast<void>(std::remove(partial.c_str()));
    replace_file(path, content, what);
}

void replace_file(const std::string& path, std::string_view content, std::string_view what)
{
    namespace fs = std::filesystem;
    const auto fail = [&](const std::string& why) {
        throw RunError(fmt::format("{}: {} could not be written: {}", path, what, why));
    };
    std::error_code error;
    const bool there = fs::exists(path, error);
    const fs::path place = there ? fs::canonical(path, error) : fs::path(path); // through a link, not instead of it
    const std::string partial = place.string() + kPartial; // one that is there was left by a run that was ended
    errno = 0;
    std::ofstream file(partial, std::ios::binary);
    if (!file)
        fail(std::strerror(errno));
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    std::string why = file && bring_to_disk(partial) ? "" : std::strerror(errno);
    if (why.empty() && there)
        fs::permissions(partial, fs::status(place).permissions(), error);
    if (why.empty() && !error)
        fs::rename(partial, place, error);
    if (error)
        why = error.message();
    if (!why.empty()) {
        static_cast<void>(std::remove(partial.c_str()));
        fail(why);
    }
    bring_folder_to_disk(place.string());
}

void bring_folder_to_disk(const std::string& path)
{
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    static_cast<void>(bring_to_disk(folder.empty() ? "." : folder.string()));
}

} // namespace nestbed
