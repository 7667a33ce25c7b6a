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
    inline Real cuCabs##f(Complex x)                                                                                 \
    {                                                                                                                \
        return hypot##f(x.x, x.y);                                                                                   \
    }
NESTBED_COMPLEX(float, cuFloatComplex, f)
NESTBED_COMPLEX(double, cuDoubleComplex, )
#undef NESTBED_COMPLEX

inline cuComplex make_cuComplex(float x, float y)
{
    return make_cuFloatComplex(x, y);
}
