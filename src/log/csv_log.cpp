#include "log/csv_log.hpp"

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "base/new_file.hpp"
#include "base/text_file.hpp"
#include "log/manifest.hpp"
#include "log/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace nestbed
{

std::size_t bytes_of_whole_rows(const TextSource& text)
{
    std::size_t whole = 0;
    bool quoted = false; // "" inside quotes closes them and opens them again
    std::string buffer;
    std::string_view piece;
    for (std::size_t at = 0; !(piece = text.piece(at, buffer)).empty(); at += piece.size())
        for (std::size_t index = 0; index < piece.size(); ++index) {
            if (piece[index] == '"')
                quoted = !quoted;
            else if (piece[index] == '\n' && !quoted)
                whole = at + index + 1;
        }
    return whole;
}

namespace
{

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

[[noreturn]] void refuse(const std::string& path, const std::string& why)
{
    throw UsageError(
        fmt::format("--output {}: {}; allowed: a file that can be written, or - for standard output", path, why));
}

// Locks the file. On a file system without locks there is no lock. A run that has been killed may need a moment to end:
// until its last write is on the disk, and until a process that it was about to start has closed its copies of all files.
void hold_alone(int descriptor, const std::string& path)
{
    constexpr std::chrono::seconds kPatience{3};
    constexpr std::chrono::milliseconds kTick{20};
    const Clock::time_point until = Clock::now() + kPatience;
    while (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        if (Clock::now() > until)
            refuse(path, "another run is writing it");
        std::this_thread::sleep_for(kTick);
    }
}

bool is_there(const std::string& path)
{
    std::error_code ignored;
    return fs::exists(fs::symlink_status(path, ignored));
}

// Whether the open file still has this name, so that nobody has moved, deleted or replaced it.
bool is_at(int descriptor, const std::string& path, bool follows_links = false)
{
    struct stat open_one {
    };
    struct stat there {
    };
    return fstat(descriptor, &open_one) == 0 && (follows_links ? stat : lstat)(path.c_str(), &there) == 0 &&
           open_one.st_dev == there.st_dev && open_one.st_ino == there.st_ino;
}

} // namespace

void check_line_ends(const std::string& path, std::string_view text, std::string_view option)
{
    std::string header = csv_line(columns());
    header.replace(header.size() - 2, 2, "\n");
    if (text.starts_with(header))
        throw UsageError(fmt::format("{}{}: its lines end with LF; allowed: lines that end "
                                     "with CR LF, as RFC 4180 says and nestbed writes them; to restore them, run: "
                                     "sed -i 's/\\r*$/\\r/' {}",
                                     option, path, path));
}

void check_is_not_compressed(const std::string& csv_path)
{
    const std::string name = text_name(csv_path);
    const std::string stored = stored_path(csv_path);
    if (name != csv_path)
        throw UsageError(fmt::format("--output {}: a compressed log is read and never written; allowed: {} (if {} is "
                                     "there, gunzip it first)",
                                     csv_path, name, csv_path));
    if (stored != csv_path)
        throw UsageError(fmt::format("--output {}: there is {}, the compressed log of this name, and it is never "
                                     "written; allowed: another file, or the same after gunzip {}",
                                     csv_path, stored, stored));
}

std::string free_name_for_copy(const std::string& path)
{
    for (unsigned number = 1;; ++number)
        if (std::string name = fmt::format("{}.old-{}", path, number);
            !is_there(name) && !is_there(manifest_path(name)))
            return name;
}

std::string back_up(const std::string& path)
{
    if (std::error_code ignored; !fs::is_regular_file(path, ignored))
        return "";
    const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC)); // NOLINT(*-vararg)
    hold_alone(file, path);
    if (file >= 0 && !is_at(file, path, true)) // what has the name now may be its log
        refuse(path, "another run has just moved it");
    std::string aside = free_name_for_copy(path);
    const std::string manifest = manifest_path(path);
    const bool moves_manifest = is_there(manifest);
    int error = moves_manifest && rename_to_new(manifest, manifest_path(aside)) < 0 ? errno : 0;
    if (error == 0 && rename_to_new(path, aside) < 0) { // move both or none
        error = errno;
        if (moves_manifest)
            static_cast<void>(rename_to_new(manifest_path(aside), manifest));
    }
    if (error != 0)
        throw RunError(fmt::format("{}: it could not be moved aside: {}", path, std::strerror(error)));
    return aside;
}

CsvLog::CsvLog(const std::string& path) : path_(path)
{
    if (path_ == "-") {
        descriptor_ = STDOUT_FILENO;
        return;
    }
    open();
    try {
        read();
    } catch (...) {
        close(descriptor_);
        throw;
    }
}

void CsvLog::open()
{
    std::error_code ignored;
    const fs::path parent = fs::path(path_).parent_path();
    if (!parent.empty() && !fs::is_directory(parent, ignored))
        refuse(path_, fmt::format("there is no folder {}", parent.string()));
    const fs::file_status there = fs::status(path_, ignored);
    if (fs::is_directory(there))
        refuse(path_, "it is a folder");
    made_ = !fs::exists(there);
    // If a pipe were open for reading too, its other end would never see it close. Only a link to a pipe or a device is
    // followed.
    const bool is_file = made_ || fs::is_regular_file(there);
    const int flags = is_file ? O_RDWR | O_NOFOLLOW | (made_ ? O_CREAT : 0) : O_WRONLY;
    descriptor_ =
        uninterrupted([&] { return ::open(path_.c_str(), flags | O_APPEND | O_CLOEXEC, 0666); }); // NOLINT(*-vararg)
    if (descriptor_ < 0 && errno == ELOOP)
        refuse(path_, "it is a symbolic link, and no log is written through one");
    if (descriptor_ < 0)
        fail("it could not be opened", errno);
    struct stat status {
    };
    file_ = fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
}

void CsvLog::read()
{
    if (!file_)
        return;
    hold_alone(descriptor_, path_);
    if (!is_at(descriptor_, path_))
        refuse(path_, "another run has just moved it");
    text_ = read_open_text(descriptor_, path_);
    whole_ = bytes_of_whole_rows(text_);
    torn_ = text_.size() - whole_;
    check_line_ends(path_, text_, "--output ");
    const std::string header = csv_line(columns());
    if (!(whole_ == 0 ? header.starts_with(text_) : text_.starts_with(header)))
        refuse(path_, "it already exists and is not a log of this version, and nothing is overwritten");
    // A partial row is at most one row, because one call writes a row. A line break in it means that something else
    // damaged the log.
    if (const std::string_view torn = std::string_view(text_).substr(whole_);
        torn.find('\n') != std::string_view::npos)
        throw RunError(fmt::format("{}:{}: a quote is missing in this row or a later one: {} bytes behind it would "
                                   "be one cell; allowed: a log "
                                   "that is corrected, or --overwrite, which moves it aside",
                                   path_, 1 + std::ranges::count(text_.substr(0, whole_), '\n'), torn.size()));
}

CsvLog::~CsvLog()
{
    if (made_ && file_ && is_at(descriptor_, path_))
        static_cast<void>(unlink(path_.c_str()));
    if (descriptor_ != STDOUT_FILENO)
        close(descriptor_);
}

ParsedLog CsvLog::rows() const
{
    if (whole_ == 0)
        return parse_log(path_, csv_line(columns()));
    return parse_log(path_, TextSource(std::string_view(text_).substr(0, whole_)));
}

bool CsvLog::has_rows() const
{
    return whole_ > csv_line(columns()).size();
}

void CsvLog::begin()
{
    if (torn_ != 0 && uninterrupted([this] { return ftruncate(descriptor_, static_cast<off_t>(whole_)); }) != 0)
        fail("its last row is incomplete and could not be removed", errno);
    torn_ = 0;
    std::string().swap(text_);
    if (whole_ == 0)
        append(columns());
    if (made_)
        bring_folder_to_disk(path_);
    made_ = false;
}

void CsvLog::append(const std::vector<std::string>& cells)
{
    const std::string line = csv_line(cells);
    check_is_there();
    write(line);
    whole_ += line.size();
    constexpr int kShare = 50; // of the time at most one part is spent waiting for the disk
    if (Clock::now() - synced_ >= kShare * sync_took_)
        sync();
}

void CsvLog::finish()
{
    sync();
    check_is_there();
}

void CsvLog::sync()
{
    if (!file_)
        return;
    const Clock::time_point start = Clock::now();
    if (uninterrupted([this] { return fdatasync(descriptor_); }) != 0)
        fail("what was written could not be synced to the disk", errno);
    synced_ = Clock::now();
    sync_took_ = synced_ - start;
}

void CsvLog::check_is_there() const
{
    if (file_ && !is_at(descriptor_, path_))
        throw RunError(fmt::format("{}: it was moved, deleted or replaced while this run was writing it", path_));
    struct stat now = {};
    if (file_ && fstat(descriptor_, &now) == 0 && static_cast<std::uint64_t>(now.st_size) < whole_)
        throw RunError(fmt::format("{}: it was cut off while this run was writing it", path_));
}

// Writes a row in one call if possible: if the process is killed, the row is then complete or absent.
void CsvLog::write(std::string_view text)
{
    const off_t before = file_ ? lseek(descriptor_, 0, SEEK_END) : 0;
    while (!text.empty()) {
        const ssize_t wrote = uninterrupted([&] { return ::write(descriptor_, text.data(), text.size()); });
        if (wrote < 0) {
            const int error = errno;
            if (file_)
                static_cast<void>(uninterrupted([&] { return ftruncate(descriptor_, before); }));
            fail("the row could not be written", error);
        }
        text.remove_prefix(static_cast<std::size_t>(wrote));
    }
}

void CsvLog::fail(const std::string& what, int error) const
{
    throw RunError(fmt::format("{}: {}: {}", path_ == "-" ? "standard output" : path_, what, std::strerror(error)));
}

} // namespace nestbed
