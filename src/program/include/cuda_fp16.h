// Numbers of half precision, as in CUDA's header of this name.
#pragma once

#include "nestbed/program/small_floats.hpp"

// NOLINTBEGIN: these names are CUDA's.
NESTBED_SMALL_FLOAT(__half, __half2, Half)
NESTBED_SMALL_CONVERSIONS(__half, __half2, Half, half, half2)
NESTBED_SMALL_OPERATIONS(__half, __half2, Half)
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

#define CUDART_INF_FP16 __ushort_as_half(0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half(0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half(0x3C00U)
// NOLINTEND
