// The number of samples of a case: a fixed number, or until its median is precise enough. Pure.
#pragma once

#include "model/case.hpp"
#include "plan/settings.hpp"

#include <vector>

namespace nestbed
{

struct Repeats {
    unsigned least = 1;
    unsigned most = 1;    // `least` if no precision is given
    double precision = 0; // for is_precise(); 0: none is given

    // The next number of samples, above `samples`, after which to check whether they are enough: first `least`, then
    // 5 or a tenth more each time, up to `most`. Not after every sample: with more checks it is more likely that an
    // interval is narrow by chance.
    unsigned next_look(unsigned samples) const;
    // Whether a case with this many samples and these times needs no more samples.
    bool enough(unsigned samples, const std::vector<double>& times) const;

    friend bool operator==(const Repeats&, const Repeats&) = default;
};

constexpr Repeats exactly(unsigned samples)
{
    return {.least = samples, .most = samples};
}

// Whether the 95 % interval of the median is within `precision` times the median on both sides. False for fewer than
// kFewestSamples times.
bool is_precise(const std::vector<double>& times, double precision);

// From `repeat`, `precision` and `max-repeat`. Throws UsageError.
Repeats repeats_of(const Settings& settings, BackendKind backend);
// "30", or "30 to 1000, to 1%".
std::string repeats_text(const Repeats& repeats);

} // namespace nestbed
