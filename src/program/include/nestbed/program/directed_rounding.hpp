// What the intrinsics of directed rounding call. To nearest, they are operators.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

namespace nestbed::program
{

enum class Rounding : unsigned char { zero, up, down };
enum class Arithmetic : unsigned char { add, subtract, multiply, divide, fma, sqrt };

float rounded(Rounding rounding, Arithmetic what, float a, float b = 0, float c = 0);
double rounded(Rounding rounding, Arithmetic what, double a, double b = 0, double c = 0);
float rounded_to_float(Rounding rounding, long long value);
float rounded_to_float(Rounding rounding, unsigned long long value);
float rounded_to_float(Rounding rounding, double value);
double rounded_to_double(Rounding rounding, long long value);
double rounded_to_double(Rounding rounding, unsigned long long value);

// CUDA's conversions saturate. Of NaN they make 0, and where one side has 64 bits the highest bit alone (PTX ISA, "cvt").
template <class To, class From>
To saturated(From value)
{
    if (std::isnan(value))
        return sizeof(From) == 8 || sizeof(To) == 8
                   ? static_cast<To>(std::make_unsigned_t<To>(1) << (sizeof(To) * 8 - 1))
                   : To(0);
    if (value <= static_cast<From>(std::numeric_limits<To>::min()))
        return std::numeric_limits<To>::min();
    if (value >= static_cast<From>(std::numeric_limits<To>::max()))
        return std::numeric_limits<To>::max();
    return static_cast<To>(value);
}

} // namespace nestbed::program
