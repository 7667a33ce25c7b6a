// What the intrinsics of directed rounding call. To nearest, they are operators.
#pragma once

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

} // namespace nestbed::program
