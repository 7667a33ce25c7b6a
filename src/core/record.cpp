#include "record.hpp"

#include "csv.hpp"
#include "error.hpp"
#include "row.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace nestbed
{

void CsvLog::Close::operator()(std::FILE* file) const noexcept
{
    if (file != stdout)
        static_cast<void>(std::fclose(file));
}

namespace
{
char last_byte(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    file.seekg(-1, std::ios::end);
    return static_cast<char>(file.get());
}
} // namespace

CsvLog::CsvLog(const std::string& path) : path_(path)
{
    if (path == "-") {
        file_.reset(stdout);
        append(columns());
        return;
    }
    namespace fs = std::filesystem;
    const auto refuse = [&](const std::string& why) {
        throw UsageError(
            fmt::format("--output {}: {}; allowed: a file that can be written, or - for standard output", path, why));
    };
    std::error_code ignored;
    const bool existed = fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) > 0;
    if (existed) {
        const std::string expected = csv_line(columns());
        std::string header(expected.size(), '\0');
        std::ifstream(path, std::ios::binary).read(header.data(), static_cast<std::streamsize>(header.size()));
        if (header != expected)
            refuse("it is there already and is not a log of this version, and nothing is overwritten");
    }
    const fs::path parent = fs::path(path).parent_path();
    if (!parent.empty() && !fs::is_directory(parent, ignored))
        refuse(fmt::format("there is no folder {}", parent.string()));
    if (existed && last_byte(path) != '\n')
        refuse("its last row is not whole");
    file_.reset(std::fopen(path.c_str(), "ab"));
    if (!file_)
        refuse(std::strerror(errno));
    if (existed)
        return;
    try {
        append(columns());
    } catch (const RunError&) {
        if (fs::is_regular_file(path, ignored))
            fs::remove(path, ignored); // not half-made
        throw;
    }
}

void CsvLog::append(const std::vector<std::string>& cells)
{
    const std::string line = csv_line(cells);
    if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() || std::fflush(file_.get()) != 0)
        throw RunError(fmt::format("{}: the row could not be written: {}", path_, std::strerror(errno)));
}

} // namespace nestbed
