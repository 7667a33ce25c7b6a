// Numbers of the format bfloat16, as in CUDA's header of this name.
#pragma once

#include "nestbed/program/small_floats.hpp"

// NOLINTBEGIN: these names are CUDA's.
NESTBED_SMALL_FLOAT(__nv_bfloat16, __nv_bfloat162, Bfloat)
NESTBED_SMALL_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, Bfloat, bfloat16, bfloat162)
NESTBED_SMALL_OPERATIONS(__nv_bfloat16, __nv_bfloat162, Bfloat)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3F80U)
// NOLINTEND
