// Types of cuBLAS, for headers that name them. A call of a function is an error.
#pragma once

#include "cuComplex.h"
#include "nestbed/libraries.hpp"

typedef struct cublasContext* cublasHandle_t;
typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16,
} cublasStatus_t;
typedef cublasStatus_t cublasStatus;
typedef enum {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2,
} cublasOperation_t;
typedef enum {
    CUBLAS_FILL_MODE_LOWER = 0,
    CUBLAS_FILL_MODE_UPPER = 1,
    CUBLAS_FILL_MODE_FULL = 2,
} cublasFillMode_t;
typedef enum {
    CUBLAS_SIDE_LEFT = 0,
    CUBLAS_SIDE_RIGHT = 1,
} cublasSideMode_t;
typedef enum {
    CUBLAS_DIAG_NON_UNIT = 0,
    CUBLAS_DIAG_UNIT = 1,
} cublasDiagType_t;
typedef enum {
    CUBLAS_POINTER_MODE_HOST = 0,
    CUBLAS_POINTER_MODE_DEVICE = 1,
} cublasPointerMode_t;

extern "C" {
NESTBED_UNSUPPORTED_LIBRARY("cuBLAS")
cublasStatus_t cublasCreate(...), cublasDestroy(...), cublasCreate_v2(...), cublasDestroy_v2(...),
    cublasSetStream(...), cublasGetStream(...), cublasSetPointerMode(...), cublasGetVersion(...),
    cublasSetVector(...), cublasGetVector(...), cublasSetMatrix(...), cublasGetMatrix(...), cublasSaxpy(...),
    cublasDaxpy(...), cublasCaxpy(...), cublasZaxpy(...), cublasScopy(...), cublasDcopy(...), cublasCcopy(...),
    cublasZcopy(...), cublasSscal(...), cublasDscal(...), cublasCscal(...), cublasZscal(...), cublasSswap(...),
    cublasDswap(...), cublasCswap(...), cublasZswap(...), cublasSgemv(...), cublasDgemv(...), cublasCgemv(...),
    cublasZgemv(...), cublasSgemm(...), cublasDgemm(...), cublasCgemm(...), cublasZgemm(...), cublasStrsm(...),
    cublasDtrsm(...), cublasCtrsm(...), cublasZtrsm(...), cublasStrsv(...), cublasDtrsv(...), cublasCtrsv(...),
    cublasZtrsv(...), cublasSgemmBatched(...), cublasDgemmBatched(...), cublasCgemmBatched(...),
    cublasZgemmBatched(...), cublasSgemmStridedBatched(...), cublasDgemmStridedBatched(...),
    cublasCgemmStridedBatched(...), cublasZgemmStridedBatched(...), cublasSdot(...), cublasDdot(...),
    cublasSnrm2(...), cublasDnrm2(...), cublasSasum(...), cublasDasum(...), cublasSgeam(...), cublasDgeam(...),
    cublasSger(...), cublasDger(...), cublasIsamax(...), cublasIdamax(...), cublasIsamin(...), cublasIdamin(...),
    cublasGemmEx(...);
NESTBED_UNSUPPORTED_LIBRARY("cuBLAS") const char* cublasGetStatusString(...), *cublasGetStatusName(...);
}
