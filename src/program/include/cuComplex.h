// Complex numbers, as in CUDA's header of this name.
#pragma once

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

inline cuFloatComplex make_cuFloatComplex(float x, float y)
{
    cuFloatComplex made;
    made.x = x;
    made.y = y;
    return made;
}
inline float cuCrealf(cuFloatComplex x)
{
    return x.x;
}
inline float cuCimagf(cuFloatComplex x)
{
    return x.y;
}
inline cuFloatComplex cuConjf(cuFloatComplex x)
{
    return make_cuFloatComplex(x.x, -x.y);
}
inline cuFloatComplex cuCaddf(cuFloatComplex x, cuFloatComplex y)
{
    return make_cuFloatComplex(x.x + y.x, x.y + y.y);
}
inline cuFloatComplex cuCsubf(cuFloatComplex x, cuFloatComplex y)
{
    return make_cuFloatComplex(x.x - y.x, x.y - y.y);
}
inline cuFloatComplex cuCmulf(cuFloatComplex x, cuFloatComplex y)
{
    return make_cuFloatComplex(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
inline float cuCabsf(cuFloatComplex x)
{
    return hypotf(x.x, x.y);
}
inline cuDoubleComplex make_cuDoubleComplex(double x, double y)
{
    cuDoubleComplex made;
    made.x = x;
    made.y = y;
    return made;
}
inline double cuCreal(cuDoubleComplex x)
{
    return x.x;
}
inline double cuCimag(cuDoubleComplex x)
{
    return x.y;
}
inline cuDoubleComplex cuConj(cuDoubleComplex x)
{
    return make_cuDoubleComplex(x.x, -x.y);
}
inline cuDoubleComplex cuCadd(cuDoubleComplex x, cuDoubleComplex y)
{
    return make_cuDoubleComplex(x.x + y.x, x.y + y.y);
}
inline cuDoubleComplex cuCsub(cuDoubleComplex x, cuDoubleComplex y)
{
    return make_cuDoubleComplex(x.x - y.x, x.y - y.y);
}
inline cuDoubleComplex cuCmul(cuDoubleComplex x, cuDoubleComplex y)
{
    return make_cuDoubleComplex(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
inline double cuCabs(cuDoubleComplex x)
{
    return hypot(x.x, x.y);
}
inline cuComplex make_cuComplex(float x, float y)
{
    return make_cuFloatComplex(x, y);
}
