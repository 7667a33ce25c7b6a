#include "base/start_thread.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <sys/resource.h>

namespace nestbed
{

std::string why_not_started(int error)
{
    std::string reason = std::strerror(error);
    if (error != EAGAIN)
        return reason;
    rlimit limit{};
    const bool limited = getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return fmt::format(
        "{}: {}; end some of them, or allow more", reason,
        limited ? fmt::format("this user may have {} processes and threads at once (ulimit -u)", limit.rlim_cur)
                : "there are as many processes and threads as this machine or container may have");
}

} // namespace nestbed
