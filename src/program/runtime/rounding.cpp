// Directed rounding: CUDA's functions __fadd_ru() and so on, by the rounding mode of the processor. And conversions to integers.
#include "program/include/nestbed/program/directed_rounding.hpp"

#include <cfenv>
#include <cmath>

namespace nestbed::program
{

namespace
{

int mode_of(Rounding rounding)
{
    switch (rounding) {
    case Rounding::zero:
        return FE_TOWARDZERO;
    case Rounding::up:
        return FE_UPWARD;
    case Rounding::down:
        return FE_DOWNWARD;
    }
    return FE_TONEAREST;
}

// The operands and the result are volatile, so that the compiler keeps the operation between the two changes of the mode.
template <class To, class Operation>
To with_mode(Rounding rounding, const Operation& operation)
{
    std::fesetround(mode_of(rounding));
    const volatile To result = operation();
    std::fesetround(FE_TONEAREST);
    return result;
}

template <class T>
T calculated(Rounding rounding, Arithmetic what, T first, T second, T third)
{
    const volatile T a = first;
    const volatile T b = second;
    const volatile T c = third;
    return with_mode<T>(rounding, [&]() -> T {
        switch (what) {
        case Arithmetic::add:
            return a + b;
        case Arithmetic::subtract:
            return a - b;
        case Arithmetic::multiply:
            return a * b;
        case Arithmetic::divide:
            return a / b;
        case Arithmetic::fma:
            return std::fma(T(a), T(b), T(c));
        case Arithmetic::sqrt:
            break;
        }
        return std::sqrt(T(a));
    });
}

template <class To, class From>
To converted(Rounding rounding, From value)
{
    const volatile From from = value;
    return with_mode<To>(rounding, [&] { return static_cast<To>(from); });
}

} // namespace

float rounded(Rounding rounding, Arithmetic what, float a, float b, float c)
{
    return calculated(rounding, what, a, b, c);
}
double rounded(Rounding rounding, Arithmetic what, double a, double b, double c)
{
    return calculated(rounding, what, a, b, c);
}
float rounded_to_float(Rounding rounding, long long value)
{
    return converted<float>(rounding, value);
}
float rounded_to_float(Rounding rounding, unsigned long long value)
{
    return converted<float>(rounding, value);
}
float rounded_to_float(Rounding rounding, double value)
{
    return converted<float>(rounding, value);
}
double rounded_to_double(Rounding rounding, long long value)
{
    return converted<double>(rounding, value);
}
double rounded_to_double(Rounding rounding, unsigned long long value)
{
    return converted<double>(rounding, value);
}

} // namespace nestbed::program

// What the compiler's plugin (sides_plugin.cc) calls in place of a cast in device code.
#define NESTBED_CONVERSION(from, name, To)                                                                           \
    extern "C" To nestbed_##from##_to_##name(from value)                                                             \
    {                                                                                                                \
        return nestbed::program::saturated<To>(value);                                                               \
    }
#define NESTBED_CONVERSIONS(from)                                                                                    \
    NESTBED_CONVERSION(from, int, int)                                                                               \
    NESTBED_CONVERSION(from, unsigned_int, unsigned)                                                                 \
    NESTBED_CONVERSION(from, long, long)                                                                             \
    NESTBED_CONVERSION(from, unsigned_long, unsigned long)
NESTBED_CONVERSIONS(float)
NESTBED_CONVERSIONS(double)
