// A process that cannot have more processes or threads, as under `ulimit -u`.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

namespace nestbed
{

// For a death test, because it cannot be undone. Root has no such limit, so the process switches to a user without
// any other process.
inline void allow_no_more_processes()
{
    constexpr unsigned kNobody = 54'321;
    if (geteuid() == 0 && setuid(kNobody) != 0)
        _exit(100);
    const rlimit one{.rlim_cur = 1, .rlim_max = 1};
    if (setrlimit(RLIMIT_NPROC, &one) != 0)
        _exit(101);
}

} // namespace nestbed
