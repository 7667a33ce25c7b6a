// How many samples a case gets: so many, or until its median is known well enough. Pure.
#pragma once

#include "model/case.hpp"
#include "plan/settings.hpp"

#include <vector>

namespace nestbed
{

struct Repeats {
    unsigned least = 1;
    unsigned most = 1;    // `least` where no precision is asked for
    double precision = 0; // is_precise()'s; 0: none is asked for

    // After how many samples, more than `samples`, it is looked at whether that is enough: at `least`, then after 5 or a tenth more, up to
    // `most`. Not after each: the more often one looks, the more often an interval is narrow by chance.
    unsigned next_look(unsigned samples) const;
    // Whether a case that has so many samples, with these times, needs no more.
    bool enough(unsigned samples, const std::vector<double>& times) const;

    friend bool operator==(const Repeats&, const Repeats&) = default;
};

constexpr Repeats exactly(unsigned samples)
{
    return {.least = samples, .most = samples};
}

// The 95 % interval of the times' median is within `precision` times the median on both sides. Of fewer than kFewestSamples times none is.
bool is_precise(const std::vector<double>& times, double precision);

// From `repeat`, `precision` and `max-repeat`. Throws UsageError.
Repeats repeats_of(const Settings& settings, BackendKind backend);
// "30", or "30 to 1000, to 1%".
std::string repeats_text(const Repeats& repeats);

} // namespace nestbed
