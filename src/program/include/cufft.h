// Types of cuFFT, for headers that name them. A call of a function is an error.
#pragma once

#define _CUFFT_H_ // by which programs know that the header is there

#include "cuComplex.h"
#include "nestbed/libraries.hpp"

typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef enum {
    CUFFT_SUCCESS = 0,
    CUFFT_INVALID_PLAN = 1,
    CUFFT_ALLOC_FAILED = 2,
    CUFFT_INVALID_TYPE = 3,
    CUFFT_INVALID_VALUE = 4,
    CUFFT_INTERNAL_ERROR = 5,
    CUFFT_EXEC_FAILED = 6,
    CUFFT_SETUP_FAILED = 7,
    CUFFT_INVALID_SIZE = 8,
    CUFFT_UNALIGNED_DATA = 9,
    CUFFT_INVALID_DEVICE = 11,
    CUFFT_NO_WORKSPACE = 13,
    CUFFT_NOT_IMPLEMENTED = 14,
    CUFFT_NOT_SUPPORTED = 16,
    CUFFT_MISSING_DEPENDENCY = 17,
    CUFFT_NVRTC_FAILURE = 18,
    CUFFT_NVJITLINK_FAILURE = 19,
    CUFFT_NVSHMEM_FAILURE = 20,
} cufftResult;
typedef cufftResult cufftResult_t;
typedef enum {
    CUFFT_R2C = 42,
    CUFFT_C2R = 44,
    CUFFT_C2C = 41,
    CUFFT_D2Z = 106,
    CUFFT_Z2D = 108,
    CUFFT_Z2Z = 105,
} cufftType;
#define CUFFT_FORWARD (-1)
#define CUFFT_INVERSE 1

extern "C" {
NESTBED_UNSUPPORTED_LIBRARY("cuFFT")
cufftResult cufftCreate(...), cufftDestroy(...), cufftPlan1d(...), cufftPlan2d(...), cufftPlan3d(...),
    cufftPlanMany(...), cufftMakePlan1d(...), cufftMakePlan2d(...), cufftMakePlan3d(...), cufftMakePlanMany(...),
    cufftSetStream(...), cufftGetVersion(...), cufftExecC2C(...), cufftExecR2C(...), cufftExecC2R(...),
    cufftExecZ2Z(...), cufftExecD2Z(...), cufftExecZ2D(...);
}
