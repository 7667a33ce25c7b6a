// Complex numbers, as in CUDA's header of this name.
#pragma once

#include "nestbed/program.hpp"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// The functions of one precision, whose names end in `f` for float.
#define NESTBED_COMPLEX(Real, Complex, f)                                                                            \
    inline Complex make_##Complex(Real x, Real y)                                                                    \
    {                                                                                                                \
        Complex made;                                                                                                \
        made.x = x;                                                                                                  \
        made.y = y;                                                                                                  \
        return made;                                                                                                 \
    }                                                                                                                \
    inline Real cuCreal##f(Complex x)                                                                                \
    {                                                                                                                \
        return x.x;                                                                                                  \
    }                                                                                                                \
    inline Real cuCimag##f(Complex x)                                                                                \
    {                                                                                                                \
        return x.y;                                                                                                  \
    }                                                                                                                \
    inline Complex cuConj##f(Complex x)                                                                              \
    {                                                                                                                \
        return make_##Complex(x.x, -x.y);                                                                            \
    }                                                                                                                \
    inline Complex cuCadd##f(Complex x, Complex y)                                                                   \
    {                                                                                                                \
        return make_##Complex(x.x + y.x, x.y + y.y);                                                                 \
    }                                                                                                                \
    inline Complex cuCsub##f(Complex x, Complex y)                                                                   \
    {                                                                                                                \
        return make_##Complex(x.x - y.x, x.y - y.y);                                                                 \
    }                                                                                                                \
    inline Complex cuCmul##f(Complex x, Complex y)                                                                   \
    {                                                                                                                \
        return make_##Complex(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);                                         \
    }                                                                                                                \
    inline Complex cuCdiv##f(Complex x, Complex y)                                                                   \
    {                                                                                                                \
        const Real scale = Real(1) / (fabs##f(y.x) + fabs##f(y.y));                                                  \
        const Complex a = make_##Complex(x.x * scale, x.y * scale);                                                  \
        const Complex b = make_##Complex(y.x * scale, y.y * scale);                                                  \
        const Real by = Real(1) / (b.x * b.x + b.y * b.y);                                                           \
        return make_##Complex((a.x * b.x + a.y * b.y) * by, (a.y * b.x - a.x * b.y) * by);                           \
    }                                                                                                                \
    inline Complex cuCfma##f(Complex x, Complex y, Complex d)                                                        \
    {                                                                                                                \
        return make_##Complex(x.x * y.x + d.x - x.y * y.y, x.x * y.y + d.y + x.y * y.x);                             \
    }                                                                                                                \
    inline Real cuCabs##f(Complex x)                                                                                 \
    {                                                                                                                \
        return hypot##f(x.x, x.y);                                                                                   \
    }
NESTBED_COMPLEX(float, cuFloatComplex, f)
NESTBED_COMPLEX(double, cuDoubleComplex, )
#undef NESTBED_COMPLEX

inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c)
{
    return make_cuDoubleComplex(c.x, c.y);
}
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c)
{
    return make_cuFloatComplex((float)c.x, (float)c.y);
}
inline cuComplex make_cuComplex(float x, float y)
{
    return make_cuFloatComplex(x, y);
}
