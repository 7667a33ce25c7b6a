// A disk that is full, as far as this process can see.
#pragma once

#include <csignal>
#include <cstddef>
#include <sys/resource.h>

namespace nestbed
{

// While it lives no file of this process grows beyond `bytes`, as on a full disk.
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
