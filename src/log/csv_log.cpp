#include "log/csv_log.hpp"

#include "base/csv.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/text_file.hpp"
#include "log/manifest.hpp"
#include "log/resume.hpp"
#include "log/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

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

[[noreturn]] void refuse(const std::string& path, const std::string& why)
{
    throw UsageError(
        fmt::format("--output {}: {}; allowed: a file that can be written, or - for standard output", path, why));
}

// Locks the file. The system releases the lock when the process ends, however it ends. On a file system without locks
// there is no lock. A run that has been killed may need a moment to end: until its last write is on the disk, and until a process that it
// was about to start has closed its copies of all files.
void hold_alone(int descriptor, const std::string& path)
{
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::seconds kPatience{3};
    constexpr std::chrono::milliseconds kTick{20};
    const Clock::time_point until = Clock::now() + kPatience;
    while (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        if (Clock::now() > until)
            refuse(path, "another run is writing it");
        std::this_thread::sleep_for(kTick);
    }
}

// Whether the open file still has this name, so that nobody has moved it aside.
bool is_at(int descriptor, const FilePlace& place)
{
    struct stat open_one {
    };
    const auto there = place.status();
    return fstat(descriptor, &open_one) == 0 && there && open_one.st_dev == there->st_dev &&
           open_one.st_ino == there->st_ino;
}

// The runs of its complete rows; empty if the file is not a log.
std::set<std::string> runs_in_log(const std::string& path)
{
    try {
        TextSource text = TextSource::of_file(path);
        text.cut(bytes_of_whole_rows(text));
        return runs_of(parse_log(path, std::move(text)));
    } catch (const RunError&) {
        return {};
    }
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

std::string back_up(LogPlace& place)
{
    if (!place.log.is_regular_file())
        return "";
    const Descriptor file(place.log.open(O_RDWR));
    hold_alone(file, place.path);
    const LogPlace aside = place.free_place("old");
    const std::set<std::string> run_ids = runs_in_log(place.path);
    const std::string manifest = run_ids.empty() ? manifest_path(place.path) : manifest_of(place.path, run_ids);
    const bool has_old_name = manifest != manifest_path(place.path); // which other logs may share
    const FilePlace here = place.named.sibling(manifest_path(place.named.name()));
    if (has_old_name)
        replace_file(aside.manifest, read_text_file(manifest), "the manifest");
    const bool moves_manifest = !has_old_name && here.status();
    int error = moves_manifest && here.rename_to(aside.manifest, false) < 0 ? errno : 0;
    if (error == 0 && place.named.rename_to(aside.log, false) < 0)
        error = errno;
    if (error != 0) { // move both or none
        if (moves_manifest)
            static_cast<void>(aside.manifest.rename_to(here, false));
        else if (has_old_name)
            static_cast<void>(aside.manifest.remove());
        throw RunError(fmt::format("{}: it could not be moved aside: {}", place.path, std::strerror(error)));
    }
    place.follow_no_links();
    return aside.path;
}

CsvLog::CsvLog(const LogPlace& place) : place_(place)
{
    if (place_.path == "-") {
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
    namespace fs = std::filesystem;
    std::error_code ignored;
    const fs::path parent = fs::path(place_.path).parent_path();
    if (!parent.empty() && !fs::is_directory(parent, ignored))
        refuse(place_.path, fmt::format("there is no folder {}", parent.string()));
    const fs::file_status there = fs::status(place_.path, ignored);
    if (fs::is_directory(there))
        refuse(place_.path, "it is a folder");
    made_ = !fs::exists(there);
    if (made_ || fs::is_regular_file(there))
        descriptor_ = place_.log.open(O_RDWR | O_APPEND | (made_ ? O_CREAT : 0));
    else // If a pipe were open for reading too, its other end would never see it close.
        descriptor_ = uninterrupted(
            [&] { return ::open(place_.path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC); }); // NOLINT(*-vararg)
    if (descriptor_ < 0 && errno == ELOOP)
        throw RunError(
            fmt::format("{}: it has become a symbolic link since this run began, and is not followed", place_.path));
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
    hold_alone(descriptor_, place_.path);
    if (!is_at(descriptor_, place_.log))
        refuse(place_.path, "another run has just moved it");
    text_ = read_text_file(place_.log);
    whole_ = bytes_of_whole_rows(text_);
    check_line_ends(place_.path, text_, "--output ");
    const std::string header = csv_line(columns());
    if (!(whole_ == 0 ? header.starts_with(text_) : text_.starts_with(header)))
        refuse(place_.path, "it already exists and is not a log of this version, and nothing is overwritten");
    // A partial row is at most one row, because one call writes a row. A line break in it means that something else
    // damaged the log.
    if (const std::string_view torn = std::string_view(text_).substr(whole_);
        torn.find('\n') != std::string_view::npos)
        throw RunError(fmt::format("{}:{}: a quote is missing in this row or a later one: {} bytes behind it would "
                                   "be one cell; allowed: a log "
                                   "that is corrected, or --overwrite, which moves it aside",
                                   place_.path, 1 + std::ranges::count(text_.substr(0, whole_), '\n'), torn.size()));
}

CsvLog::~CsvLog()
{
    sync_.reset();
    if (made_ && file_ && is_at(descriptor_, place_.log))
        static_cast<void>(place_.log.remove());
    if (descriptor_ != STDOUT_FILENO)
        close(descriptor_);
}

ParsedLog CsvLog::rows() const
{
    if (whole_ == 0)
        return parse_log(place_.path, csv_line(columns()));
    return parse_log(place_.path, std::string_view(text_).substr(0, whole_));
}

bool CsvLog::has_rows() const
{
    return whole_ > csv_line(columns()).size();
}

void CsvLog::begin(std::string manifest)
{
    manifest_ = std::move(manifest);
    if (file_) {
        rescue_if_changed();
        if (torn_bytes() != 0 &&
            uninterrupted([this] { return ftruncate(descriptor_, static_cast<off_t>(whole_)); }) != 0)
            fail("its last row is incomplete and could not be removed", errno);
        text_.resize(whole_);
        sync_ = std::make_unique<DiskSync>(descriptor_);
    }
    if (whole_ == 0)
        append(columns());
    if (made_)
        bring_folder_to_disk(place_.log);
    made_ = false;
}

void CsvLog::append(const std::vector<std::string>& cells)
{
    const std::string line = csv_line(cells);
    rescue_if_changed(line);
    write(line);
    if (file_)
        text_ += line;
    whole_ = text_.size();
    if (const int error = sync_ ? sync_->written() : 0; error != 0)
        fail("what was written could not be synced to the disk", error);
}

void CsvLog::finish()
{
    if (const int error = sync_ ? sync_->finish() : 0; error != 0)
        fail("what was written could not be synced to the disk", error);
    check();
}

void CsvLog::check()
{
    rescue_if_changed();
    if (file_ && !rescued_ && read_text_file(place_.log) != text_)
        rescue("another program has overwritten it");
}

// What has happened to the file since the last write; empty if nothing has.
std::string CsvLog::change() const
{
    struct stat ours {
    };
    struct stat there {
    };
    if (fstat(descriptor_, &ours) != 0)
        return std::strerror(errno);
    if (stat(place_.path.c_str(), &there) != 0) // by the path, to notice also that its folder was moved
        return errno != ENOENT ? std::strerror(errno) : ours.st_nlink == 0 ? "it was deleted" : "it was renamed";
    if (ours.st_dev != there.st_dev || ours.st_ino != there.st_ino)
        return "another file has taken its place";
    const auto size = static_cast<std::size_t>(ours.st_size);
    if (size < text_.size())
        return fmt::format("it was cut off: it has {} of {} bytes", size, text_.size());
    return size > text_.size() ? "another program has written to it" : "";
}

void CsvLog::rescue_if_changed(std::string_view line)
{
    if (!file_ || rescued_)
        return;
    if (const std::string what = change(); !what.empty()) {
        text_ += line;
        rescue(what);
    }
}

// Writes the rows to a file beside the log, or in the folder for temporary files if the log's folder is gone. Writes
// the manifest first, as a run does.
void CsvLog::rescue(const std::string& what)
{
    rescued_ = true;
    const std::string changed = fmt::format("{}: {} while this run was writing it", place_.path, what);
    struct stat ours {
    };
    const bool there = fstat(descriptor_, &ours) == 0;
    const mode_t mode = there ? ours.st_mode : mode_t{0600};
    const std::optional<FileContent> manifest =
        manifest_.empty() ? std::nullopt : std::optional(FileContent{.text = manifest_, .mode = mode});
    std::error_code ignored;
    const std::string temporary = std::filesystem::temp_directory_path(ignored) / "nestbed.csv";
    std::string why;
    for (const bool beside : {true, false}) {
        if (beside && !place_.named.is_reached())
            continue;
        const LogPlace copy = (beside ? place_ : LogPlace(temporary)).free_place("rescued");
        try {
            write_log(copy, {.text = text_, .mode = mode}, "the log", manifest);
        } catch (const std::runtime_error& error) {
            why += fmt::format("{} {}", why.empty() ? ":" : ";", error.what());
            continue;
        }
        throw RunError(fmt::format("{}; all rows of the log are in {}", changed, copy.path));
    }
    throw RunError(fmt::format("{}, and {}{}", changed,
                               there && ours.st_nlink > 0 && !is_at(descriptor_, place_.log)
                                   ? "the moved file has all rows except the last"
                                   : "its rows are lost",
                               why));
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
    throw RunError(
        fmt::format("{}: {}: {}", place_.path == "-" ? "standard output" : place_.path, what, std::strerror(error)));
}

} // namespace nestbed
