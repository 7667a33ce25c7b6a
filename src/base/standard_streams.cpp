#include "base/standard_streams.hpp"

#include "base/error.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace nestbed
{

bool prepare_standard_streams()
{
    static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(number, F_GETFD) != -1 || errno != EBADF) // NOLINT(*-vararg)
            continue;
        const int access = number == STDERR_FILENO ? O_WRONLY : O_RDONLY;
        if (::open("/dev/null", access) != number) // NOLINT(*-vararg): open() returns the lowest free number
            return false;
    }
    return true;
}

namespace
{
constinit int standard_output = -1; // a copy of its descriptor, while that is standard error
}

// A kernel's printf() of both backends writes to the stream `stdout`, which has a buffer.
StandardOutputToError::StandardOutputToError()
{
    static_cast<void>(std::fflush(stdout));
    standard_output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); // NOLINT(*-vararg)
    if (standard_output >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        return;
    const std::string why = std::strerror(errno);
    end();
    throw RunError("standard output could not be kept for data: " + why);
}

void StandardOutputToError::end()
{
    if (standard_output < 0)
        return;
    static_cast<void>(std::fflush(stdout));
    static_cast<void>(dup2(standard_output, STDOUT_FILENO));
    static_cast<void>(close(std::exchange(standard_output, -1)));
}

bool is_open_on(int descriptor, const std::string& path)
{
    struct stat open_one {
    };
    struct stat named {
    };
    if (fstat(descriptor, &open_one) != 0 || stat(path.c_str(), &named) != 0)
        return false;
    if (S_ISCHR(open_one.st_mode) && isatty(descriptor) == 0)
        return false;
    if (path == "/dev/tty") // /dev/tty is this process's terminal, but has a device number of its own
        return S_ISCHR(open_one.st_mode);
    return open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

} // namespace nestbed
