// A disk that seems full to this process.
#pragma once

#include <csignal>
#include <cstddef>
#include <sys/resource.h>

namespace nestbed
{

// While this object exists, no file of this process can grow beyond `bytes`, as on a full disk.
class FullDisk
{
  public:
    explicit FullDisk(std::size_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN))
    {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;
    ~FullDisk()
    {
        setrlimit(RLIMIT_FSIZE, &before_);
        static_cast<void>(std::signal(SIGXFSZ, handler_));
    }

  private:
    rlimit before_{};
    void (*handler_)(int);
};

} // namespace nestbed
