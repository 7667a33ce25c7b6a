// A library to load before a program (LD_PRELOAD). It records the calls that write files in one folder, and makes one
// of them fail. Environment variables:
//   FILE_FAULTS_FOLDER   the folder, absolute and without links; files elsewhere are not affected
//   FILE_FAULTS_TRACE    a file outside it; one line per call: name, path, new path of a rename, bytes asked for,
//                        result or -errno
//   FILE_FAULTS_CALL     open, write, fsync, fdatasync, rename, close, ftruncate, unlink or chmod: the kind that fails
//   FILE_FAULTS_NUMBER   which call of this kind in this process, from 1
//   FILE_FAULTS_ERROR    its errno; 0: a write of half the bytes
//   FILE_FAULTS_THEN     "well": all later calls succeed; "dead": all later calls of any
//                        kind fail with EIO, as on a failed disk
// A write that fails with ENOSPC writes half its bytes first, and the next write fails too, as on a disk that becomes
// full.
// Calls go to the system directly. A sync is also recorded before it begins: it brings to the disk what was recorded
// before that.
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace
{

std::string variable(const char* name)
{
    const char* const value = getenv(name);
    return value == nullptr ? "" : value;
}

struct Settings {
    std::string folder = variable("FILE_FAULTS_FOLDER");
    std::string trace = variable("FILE_FAULTS_TRACE");
    std::string call = variable("FILE_FAULTS_CALL");
    long number = atol(variable("FILE_FAULTS_NUMBER").c_str());
    int error = atoi(variable("FILE_FAULTS_ERROR").c_str());
    std::string then = variable("FILE_FAULTS_THEN");
};

const Settings& settings()
{
    // At the first call, which may happen before this library's other objects are initialized.
    static const Settings read;
    return read;
}

std::atomic<long> calls{0}; // counts calls of the kind that fails
std::atomic<bool> dead{false};

bool in_folder(std::string_view path)
{
    const std::string_view folder = settings().folder;
    return !folder.empty() && path.starts_with(folder) &&
           (path.size() == folder.size() || path[folder.size()] == '/');
}

// The absolute path, with links resolved in all names but the last.
std::string resolved(int folder, const char* path)
{
    std::string name(path);
    if (folder != AT_FDCWD && name.front() != '/')
        name = "/proc/self/fd/" + std::to_string(folder) + "/" + name;
    char buffer[PATH_MAX];
    if (realpath(name.c_str(), buffer) != nullptr)
        return buffer;
    const std::size_t slash = name.rfind('/');
    const std::string parent = slash == std::string::npos ? "." : slash == 0 ? "/" : name.substr(0, slash);
    if (realpath(parent.c_str(), buffer) == nullptr)
        return name;
    return std::string(buffer) + "/" + name.substr(slash == std::string::npos ? 0 : slash + 1);
}

std::string path_of(int descriptor)
{
    char buffer[PATH_MAX];
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t size = readlink(link.c_str(), buffer, sizeof buffer);
    return size < 0 ? "" : std::string(buffer, static_cast<std::size_t>(size));
}

// The system call returns -1 and sets errno. Apart from that, the errno of the program does not change.
void note(std::string_view name, const std::string& path, const std::string& to, std::size_t bytes, long result)
{
    if (settings().trace.empty())
        return;
    const int error = errno;
    std::string line(name);
    line += '\t' + path + '\t' + to + '\t' + std::to_string(bytes) + '\t' +
            std::to_string(result < 0 ? -error : result) + '\n';
    const long trace =
        syscall(SYS_openat, AT_FDCWD, settings().trace.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (trace < 0 || syscall(SYS_write, trace, line.data(), line.size()) != static_cast<long>(line.size()))
        abort();
    syscall(SYS_close, trace);
    errno = error;
}

// What this call must do: -1 to succeed, 0 to write too little, otherwise to fail with this errno.
constexpr int kWell = -1;
int fault_of(std::string_view call)
{
    if (dead)
        return EIO;
    if (call != settings().call)
        return kWell;
    const long number = ++calls;
    if (number == settings().number) {
        dead = settings().then == "dead";
        return settings().error;
    }
    const bool again = settings().error == ENOSPC && call == "write";
    return again && number == settings().number + 1 ? settings().error : kWell;
}

// Runs act() unless this call must fail.
template <class Act>
long done(std::string_view call, const std::string& path, const std::string& to, const Act& act)
{
    const int fault = fault_of(call);
    if (fault > 0)
        errno = fault;
    const long result = fault > 0 ? -1 : act();
    note(call, path, to, 0, result);
    return result;
}

int opened(int folder, const char* path, int flags, mode_t mode)
{
    const auto act = [&] { return syscall(SYS_openat, folder, path, flags, mode); };
    const std::string name = resolved(folder, path);
    return static_cast<int>(in_folder(name) ? done("open", name, "", act) : act());
}

int synced(std::string_view call, long number, int descriptor)
{
    const auto act = [&] { return syscall(number, descriptor); };
    const std::string path = path_of(descriptor);
    if (!in_folder(path))
        return static_cast<int>(act());
    note(std::string(call) + " begins", path, "", 0, 0);
    return static_cast<int>(done(call, path, "", act));
}

int renamed(int from_folder, const char* from, int to_folder, const char* to, unsigned flags)
{
    const auto act = [&] { return syscall(SYS_renameat2, from_folder, from, to_folder, to, flags); };
    const std::string name = resolved(from_folder, from);
    const std::string new_name = resolved(to_folder, to);
    return static_cast<int>(in_folder(new_name) ? done("rename", name, new_name, act) : act());
}

int unlinked(int folder, const char* path, int flags)
{
    const auto act = [&] { return syscall(SYS_unlinkat, folder, path, flags); };
    const std::string name = resolved(folder, path);
    return static_cast<int>(in_folder(name) ? done("unlink", name, "", act) : act());
}

mode_t mode_in(int flags, va_list& rest)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

} // namespace

extern "C" {

#define OPENS(name)                                                                                                  \
    int name(const char* path, int flags, ...)                                                                       \
    {                                                                                                                \
        va_list rest;                                                                                                \
        va_start(rest, flags);                                                                                       \
        const mode_t mode = mode_in(flags, rest);                                                                    \
        va_end(rest);                                                                                                \
        return opened(AT_FDCWD, path, flags, mode);                                                                  \
    }
#define OPENS_AT(name)                                                                                               \
    int name(int folder, const char* path, int flags, ...)                                                           \
    {                                                                                                                \
        va_list rest;                                                                                                \
        va_start(rest, flags);                                                                                       \
        const mode_t mode = mode_in(flags, rest);                                                                    \
        va_end(rest);                                                                                                \
        return opened(folder, path, flags, mode);                                                                    \
    }
OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)

ssize_t write(int descriptor, const void* bytes, size_t count)
{
    const std::string path = path_of(descriptor);
    if (!in_folder(path))
        return syscall(SYS_write, descriptor, bytes, count);
    const int fault = fault_of("write");
    const bool half = fault == 0 || (fault == ENOSPC && calls == settings().number);
    if (fault > 0 && !half)
        errno = fault;
    const long result =
        fault > 0 && !half ? -1 : syscall(SYS_write, descriptor, bytes, half ? (count + 1) / 2 : count);
    note("write", path, "", count, result);
    return result;
}

int fsync(int descriptor)
{
    return synced("fsync", SYS_fsync, descriptor);
}

int fdatasync(int descriptor)
{
    return synced("fdatasync", SYS_fdatasync, descriptor);
}

// Closes the descriptor even if the call fails, as Linux does.
int close(int descriptor)
{
    const std::string path = path_of(descriptor);
    const long result = syscall(SYS_close, descriptor);
    return static_cast<int>(in_folder(path) ? done("close", path, "", [&] { return result; }) : result);
}

int rename(const char* from, const char* to) noexcept
{
    return renamed(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept
{
    return renamed(from_folder, from, to_folder, to, 0);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept
{
    return renamed(from_folder, from, to_folder, to, flags);
}

int unlink(const char* path) noexcept
{
    return unlinked(AT_FDCWD, path, 0);
}

int unlinkat(int folder, const char* path, int flags) noexcept
{
    return unlinked(folder, path, flags);
}

int remove(const char* path) noexcept // NestBed removes no folders
{
    return unlinked(AT_FDCWD, path, 0);
}

int ftruncate(int descriptor, off_t size) noexcept
{
    const auto act = [&] { return syscall(SYS_ftruncate, descriptor, size); };
    const std::string path = path_of(descriptor);
    return static_cast<int>(in_folder(path) ? done("ftruncate", path, "", act) : act());
}

int ftruncate64(int descriptor, off64_t size) noexcept
{
    return ftruncate(descriptor, size);
}

int fchmod(int descriptor, mode_t mode) noexcept
{
    const auto act = [&] { return syscall(SYS_fchmod, descriptor, mode); };
    const std::string path = path_of(descriptor);
    return static_cast<int>(in_folder(path) ? done("chmod", path, "", act) : act());
}

int fchmodat(int folder, const char* path, mode_t mode, int /*flags*/) noexcept
{
    const auto act = [&] { return syscall(SYS_fchmodat, folder, path, mode); };
    const std::string name = resolved(folder, path);
    return static_cast<int>(in_folder(name) ? done("chmod", name, "", act) : act());
}

} // extern "C"
