#include "base/standard_streams.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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
