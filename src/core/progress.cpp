#include "progress.hpp"

#include "text.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>

namespace nestbed
{

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine()
{
    if (terminal_)
        static_cast<void>(std::fputs("\r\033[K", stderr));
}

void ProgressLine::show(const Progress& progress)
{
    constexpr auto kBetween = std::chrono::milliseconds(100);
    const Clock::time_point now = Clock::now();
    if (!terminal_ || now - shown_ < kBetween)
        return;
    shown_ = now;
    const double so_far_us = std::chrono::duration<double, std::micro>(now - start_).count();
    const std::string left = progress.done == 0 ? ""
                                                : ", " +
                                                      format_us(so_far_us / static_cast<double>(progress.done) *
                                                                static_cast<double>(progress.all - progress.done)) +
                                                      " left";
    const std::string line = fmt::format("{}/{}{}: {} {} x {}", progress.done, progress.all, left,
                                         progress.present->strategy, progress.present->grid, progress.present->block);
    static_cast<void>(std::fprintf(stderr, "\r\033[K%.78s", line.c_str()));
    static_cast<void>(std::fflush(stderr));
}

} // namespace nestbed
