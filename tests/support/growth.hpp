// How time and memory grow with the size of the work.
#pragma once

#include "support/matchers.hpp"

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <limits>

namespace nestbed
{

// The least processor time of some calls, in seconds: other programs do not add to it.
template <class Call>
double cpu_seconds(Call&& call, int calls = 3)
{
    double least = std::numeric_limits<double>::max();
    for (int time = 0; time < calls; ++time) {
        const std::clock_t begin = std::clock();
        call();
        least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    return least;
}

// Expects that work on 16 times as much takes about 16 times as long. Fails if it takes 64 times as long; if the time
// grows with the square of the size, it takes 256 times as long.
template <class Call>
void expect_proportional(Call&& call, std::size_t size)
{
    constexpr double kTimes = 16;
    constexpr double kClockStep = 1e-3; // a shorter time is not measurable
    const double small = cpu_seconds([&] { call(size); });
    const double large = cpu_seconds([&] { call(static_cast<std::size_t>(kTimes) * size); });
    EXPECT_LT(large, 4 * kTimes * std::max(small, kClockStep)) << "against " << small << " s for " << size;
}

} // namespace nestbed
