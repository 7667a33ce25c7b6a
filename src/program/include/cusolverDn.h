// Types of cuSOLVER, for headers that name them. A call of a function is an error.
#pragma once

#include "nestbed/libraries.hpp"

#include "cublas_v2.h"

typedef struct cusolverDnContext* cusolverDnHandle_t;
typedef enum {
    CUSOLVER_STATUS_SUCCESS = 0,
    CUSOLVER_STATUS_NOT_INITIALIZED = 1,
    CUSOLVER_STATUS_ALLOC_FAILED = 2,
    CUSOLVER_STATUS_INVALID_VALUE = 3,
    CUSOLVER_STATUS_ARCH_MISMATCH = 4,
    CUSOLVER_STATUS_MAPPING_ERROR = 5,
    CUSOLVER_STATUS_EXECUTION_FAILED = 6,
    CUSOLVER_STATUS_INTERNAL_ERROR = 7,
    CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
    CUSOLVER_STATUS_NOT_SUPPORTED = 9,
    CUSOLVER_STATUS_ZERO_PIVOT = 10,
    CUSOLVER_STATUS_INVALID_LICENSE = 11,
} cusolverStatus_t;
typedef enum {
    CUSOLVER_EIG_MODE_NOVECTOR = 0,
    CUSOLVER_EIG_MODE_VECTOR = 1,
} cusolverEigMode_t;

extern "C" {
NESTBED_UNSUPPORTED_LIBRARY("cuSOLVER")
cusolverStatus_t cusolverDnCreate(...), cusolverDnDestroy(...), cusolverDnSetStream(...), cusolverDnSpotrf(...),
    cusolverDnDpotrf(...), cusolverDnSpotrf_bufferSize(...), cusolverDnDpotrf_bufferSize(...), cusolverDnSpotrs(...),
    cusolverDnDpotrs(...), cusolverDnSgetrf(...), cusolverDnDgetrf(...), cusolverDnSgetrf_bufferSize(...),
    cusolverDnDgetrf_bufferSize(...), cusolverDnSgetrs(...), cusolverDnDgetrs(...), cusolverDnSgeqrf(...),
    cusolverDnDgeqrf(...), cusolverDnSgeqrf_bufferSize(...), cusolverDnDgeqrf_bufferSize(...), cusolverDnSgesvd(...),
    cusolverDnDgesvd(...), cusolverDnSgesvd_bufferSize(...), cusolverDnDgesvd_bufferSize(...);
}
