#include "plan/repeats.hpp"

#include "base/error.hpp"
#include "base/statistics.hpp"
#include "plan/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace nestbed
{

namespace
{

constexpr unsigned kDefaultMost = 1000; // samples, if a precision is given

// Parses a percentage: "0.5%" gives 0.005.
double share_of(const Setting& setting)
{
    constexpr double kMin = 0.01;
    constexpr double kMax = 50;
    const std::string_view text = setting.value;
    double percent = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), percent, std::chars_format::fixed);
    if (error != std::errc() || std::string_view(end, text.data() + text.size()) != "%" || !(percent >= kMin) ||
        percent > kMax)
        throw UsageError(fmt::format("{}: it is not a valid precision; allowed: from {}% to {}%, such as 1%",
                                     setting.place(), kMin, kMax));
    return percent / 100;
}

} // namespace

unsigned Repeats::next_look(unsigned samples) const
{
    unsigned look = least;
    while (look <= samples && look < most)
        look = std::min(most, look + std::max(5U, look / 10));
    return look;
}

bool Repeats::enough(unsigned samples, const std::vector<double>& times) const
{
    if (samples >= most)
        return true;
    // Without times there is no precision to reach.
    return samples >= least && next_look(samples - 1) == samples && (times.empty() || is_precise(times, precision));
}

bool is_precise(const std::vector<double>& times, double precision)
{
    if (times.size() < kFewestSamples)
        return false;
    const auto [middle, interval] = estimate_median(times);
    return std::max(interval.high - middle, middle - interval.low) <= precision * middle;
}

Repeats repeats_of(const Settings& settings, BackendKind backend)
{
    const unsigned least = count_of(settings, "repeat", 1, backend == BackendKind::cuda ? 30 : kFewestSamples);
    const auto precision = settings.one("precision");
    const auto most = settings.one("max-repeat");
    if (!precision && most)
        throw UsageError(fmt::format("{}: max-repeat requires precision", most->place()));
    if (!precision)
        return exactly(least);
    return {.least = least,
            .most = count_of(settings, "max-repeat", least, std::max(least, kDefaultMost)),
            .precision = share_of(*precision)};
}

std::string repeats_text(const Repeats& repeats)
{
    return repeats.precision == 0
               ? fmt::format("{}", repeats.least)
               : fmt::format("{} to {}, to {:g}%", repeats.least, repeats.most, 100 * repeats.precision);
}

} // namespace nestbed
