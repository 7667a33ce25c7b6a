// Bounds for the rounding of sums. Source: Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., chapter 4.
#pragma once

namespace nestbed
{

// The largest relative error of a sum of numbers of one sign with so many additions on its longest path.
constexpr double gamma_of(double additions, double unit_roundoff)
{
    return additions * unit_roundoff / (1 - additions * unit_roundoff);
}

// The largest relative error that any check allows of a float32 sum of so many elements: of a library, which decides
// the order of the additions. Each of the device's threads, 2^16 or more, adds its share, and the library adds these
// sums in a few levels.
constexpr double loosest_bound(double elements)
{
    constexpr double kOwn = 64;
    constexpr double kMinThreads = 1U << 16;
    return gamma_of(kOwn + elements / kMinThreads, 0x1p-24);
}

} // namespace nestbed
