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
cublasStatus_t cublasCreate(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasDestroy(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasCreate_v2(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasDestroy_v2(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasSetStream(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasGetStream(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasSetPointerMode(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasGetVersion(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasSetVector(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasGetVector(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasSetMatrix(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasGetMatrix(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasSaxpy(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasDaxpy(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasCaxpy(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasZaxpy(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasScopy(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasDcopy(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasCcopy(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasZcopy(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasSscal(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasDscal(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasCscal(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasZscal(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasSswap(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasDswap(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasCswap(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasZswap(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasSgemv(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasDgemv(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasCgemv(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasZgemv(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasSgemm(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasDgemm(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasCgemm(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasZgemm(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasStrsm(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasDtrsm(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasCtrsm(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasZtrsm(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasStrsv(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasDtrsv(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasCtrsv(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasZtrsv(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasSgemmBatched(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasDgemmBatched(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasCgemmBatched(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasZgemmBatched(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasSgemmStridedBatched(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasDgemmStridedBatched(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasCgemmStridedBatched(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasZgemmStridedBatched(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasSdot(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasDdot(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasSnrm2(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasDnrm2(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasSasum(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasDasum(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasSgeam(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasDgeam(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasSger(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasDger(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasIsamax(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasIdamax(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasIsamin(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasIdamin(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
cublasStatus_t cublasGemmEx(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
const char* cublasGetStatusString(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
const char* cublasGetStatusName(...) NESTBED_UNSUPPORTED_LIBRARY("cuBLAS");
}
