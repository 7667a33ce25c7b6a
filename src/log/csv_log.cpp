#include "log/csv_log.hpp"

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/text_file.hpp"
#include "base/thread.hpp"
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
#include <unistd.h>

namespace nestbed
{

std::size_t bytes_of_whole_rows(std::string_view text)
{
    std::size_t whole = 0;
    bool quoted = false; // "" within quotes ends them and begins them again
    for (std::size_t index = 0; index < text.size(); ++index) {
        if (text[index] == '"')
            quoted = !quoted;
        else if (text[index] == '\n' && !quoted)
            whole = index + 1;
    }
    return whole;
}

DiskSync::DiskSync(int descriptor)
    : descriptor_(descriptor), thread_(start_thread("the thread that brings rows to the disk",
                                                    [this](const std::stop_token& stop) { run(stop); }))
{
}

DiskSync::~DiskSync()
{
    static_cast<void>(finish());
}

int DiskSync::written()
{
    const std::scoped_lock lock(mutex_);
    ++written_;
    changed_.notify_all();
    return error_;
}

int DiskSync::finish()
{
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return synced_ == written_; });
    return error_;
}

void DiskSync::run(const std::stop_token& stop)
{
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return synced_ != written_; })) {
        const std::size_t until = written_;
        lock.unlock();
        int error = 0;
        do
            error = fdatasync(descriptor_) == 0 ? 0 : errno;
        while (error == EINTR);
        lock.lock();
        error_ = error_ == 0 ? error : error_;
        synced_ = until;
        changed_.notify_all();
    }
}

namespace
{

[[noreturn]] void refuse(const std::string& path, const std::string& why)
{
    throw UsageError(
        fmt::format("--output {}: {}; allowed: a file that can be written, or - for standard output", path, why));
}

// Given up by the system when the process ends, however it does. Where a file system has no locks there is none.
void hold_alone(int descriptor, const std::string& path)
{
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        refuse(path, "another run is writing it");
}

// What is open still has this name: nobody has moved it aside since.
bool is_at(int descriptor, const std::string& path)
{
    struct stat open_one {
    };
    struct stat there {
    };
    return fstat(descriptor, &open_one) == 0 && stat(path.c_str(), &there) == 0 && open_one.st_dev == there.st_dev &&
           open_one.st_ino == there.st_ino;
}

// Closed at the end of a scope.
class Descriptor
{
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { static_cast<void>(close(number_)); }
    operator int() const { return number_; } // NOLINT(google-explicit-constructor): as the system's calls want it

  private:
    int number_;
};

} // namespace

std::string put_aside(const std::string& path)
{
    namespace fs = std::filesystem;
    std::error_code error;
    if (!fs::is_regular_file(path, error))
        return "";
    const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC)); // NOLINT(*-vararg)
    hold_alone(file, path);
    unsigned number = 1;
    const auto aside = [&](const std::string& name) { return fmt::format("{}.old-{}", name, number); };
    const std::string manifest = manifest_path(path);
    while (fs::exists(aside(path), error) || fs::exists(aside(manifest), error))
        ++number;
    error.clear();
    if (fs::exists(manifest, error))
        fs::rename(manifest, aside(manifest), error);
    if (!error)
        fs::rename(path, aside(path), error);
    if (error)
        throw RunError(fmt::format("{}: it could not be moved aside: {}", path, error.message()));
    return aside(path);
}

CsvLog::CsvLog(const std::string& path) : path_(path)
{
    if (path == "-") {
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
    const fs::path parent = fs::path(path_).parent_path();
    if (!parent.empty() && !fs::is_directory(parent, ignored))
        refuse(path_, fmt::format("there is no folder {}", parent.string()));
    if (fs::is_directory(path_, ignored))
        refuse(path_, std::strerror(EISDIR));
    made_ = !fs::exists(path_, ignored);
    // A pipe that is open for reading too would never be closed at its other end.
    const int access = made_ || fs::is_regular_file(path_, ignored) ? O_RDWR | O_CREAT : O_WRONLY;
    descriptor_ = ::open(path_.c_str(), access | O_APPEND | O_CLOEXEC, 0666); // NOLINT(*-vararg): its mode
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
    text_ = read_text_file(path_);
    whole_ = bytes_of_whole_rows(text_);
    const std::string header = csv_line(columns());
    if (!(whole_ == 0 ? header.starts_with(text_) : text_.starts_with(header)))
        refuse(path_, "it is there already and is not a log of this version, and nothing is overwritten");
    // A row that was torn is one, for it is written in one call. More than that is a log that something else has damaged.
    if (const std::string_view torn = std::string_view(text_).substr(whole_);
        torn.find('\n') != std::string_view::npos)
        throw RunError(fmt::format("{}:{}: a quote is missing in this row or a later one: {} bytes behind it would "
                                   "be one cell; allowed: a log "
                                   "that is mended, or --overwrite, which moves it aside",
                                   path_, 1 + std::ranges::count(text_.substr(0, whole_), '\n'), torn.size()));
}

CsvLog::~CsvLog()
{
    sync_.reset();
    std::error_code ignored;
    if (made_ && file_)
        std::filesystem::remove(path_, ignored);
    if (descriptor_ != STDOUT_FILENO)
        close(descriptor_);
}

ParsedLog CsvLog::rows() const
{
    if (whole_ == 0)
        return {.path = path_, .columns = columns(), .rows = {}};
    return parse_log(path_, std::string_view(text_).substr(0, whole_));
}

bool CsvLog::has_rows() const
{
    return whole_ > csv_line(columns()).size();
}

void CsvLog::begin()
{
    if (file_) {
        if (torn_bytes() != 0 && ftruncate(descriptor_, static_cast<off_t>(whole_)) != 0)
            fail("its last row is not whole and could not be cut off", errno);
        sync_ = std::make_unique<DiskSync>(descriptor_);
    }
    if (whole_ == 0)
        append(columns());
    if (made_)
        bring_folder_to_disk(path_);
    made_ = false;
}

void CsvLog::append(const std::vector<std::string>& cells)
{
    write(csv_line(cells));
    if (const int error = sync_ ? sync_->written() : 0; error != 0)
        fail("what was written could not be brought to the disk", error);
}

void CsvLog::finish()
{
    if (const int error = sync_ ? sync_->finish() : 0; error != 0)
        fail("what was written could not be brought to the disk", error);
}

// In one call where it can be: then a process that is ended has written it or has not.
void CsvLog::write(std::string_view text)
{
    const off_t before = file_ ? lseek(descriptor_, 0, SEEK_END) : 0;
    while (!text.empty()) {
        const ssize_t wrote = ::write(descriptor_, text.data(), text.size());
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0) {
            const int error = errno;
            if (file_)
                static_cast<void>(ftruncate(descriptor_, before));
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
