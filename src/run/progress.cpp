#include "run/progress.hpp"

#include "base/terminal.hpp"
#include "base/text.hpp"
#include "model/case_text.hpp"

#include <fmt/format.h>

#include <unistd.h>
#include <utility>

namespace nestbed
{

namespace
{
constexpr std::string_view kWipe = "\r\033[K";
} // namespace

std::string progress_text(const Progress& progress)
{
    std::string text = fmt::format("{} of {} samples", progress.done, progress.all);
    if (progress.left_us)
        text += fmt::format(", about {} left",
                            duration_text(std::chrono::duration<double, std::micro>(progress.left_us())));
    if (progress.bad != 0)
        text += fmt::format(", {} not ok", progress.bad);
    if (const Case* point = progress.present)
        text += fmt::format(": {} {}", point->strategy, shape_text(*point));
    return text;
}

ProgressReport::ProgressReport(std::ostream& err, bool terminal, std::function<Clock::time_point()> now)
    : err_(err), terminal_(terminal), now_(std::move(now)), shown_(terminal ? Clock::time_point() : now_())
{
}

ProgressReport::~ProgressReport()
{
    if (terminal_)
        err_ << kWipe << std::flush;
}

void ProgressReport::show(const Progress& progress)
{
    constexpr std::chrono::milliseconds kOnATerminal{100};
    constexpr std::chrono::minutes kElsewhere{1};
    const Clock::time_point now = now_();
    if (now - shown_ < (terminal_ ? kOnATerminal : kElsewhere))
        return;
    shown_ = now;
    const std::string text = progress_text(progress);
    if (terminal_)
        err_ << fmt::format("{}{:.{}}", kWipe, text, terminal_of(STDERR_FILENO).columns - 1) << std::flush;
    else
        err_ << fmt::format("nestbed: {}\n", text) << std::flush;
}

void ProgressReport::say(const std::string& text)
{
    err_ << fmt::format("{}nestbed: {}\n", terminal_ ? kWipe : "", printable(shortened(text))) << std::flush;
}

} // namespace nestbed
