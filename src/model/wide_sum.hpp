// The type in which sums of numbers are exact (int64) or much more precise than sums on the device (double).
#pragma once

#include <cstdint>
#include <type_traits>

namespace nestbed
{

template <class T>
using WideSum = std::conditional_t<std::is_same_v<T, float>, double, std::int64_t>;

} // namespace nestbed
