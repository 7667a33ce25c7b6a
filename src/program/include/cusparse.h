// Types of cuSPARSE, for headers that name them. A call of a function is an error.
#pragma once

#include "cuComplex.h"
#include "nestbed/libraries.hpp"

typedef struct cusparseContext* cusparseHandle_t;
typedef struct cusparseMatDescr* cusparseMatDescr_t;
typedef struct cusparseSpMatDescr* cusparseSpMatDescr_t;
typedef struct cusparseDnMatDescr* cusparseDnMatDescr_t;
typedef struct cusparseDnVecDescr* cusparseDnVecDescr_t;
typedef enum {
    CUSPARSE_STATUS_SUCCESS = 0,
    CUSPARSE_STATUS_NOT_INITIALIZED = 1,
    CUSPARSE_STATUS_ALLOC_FAILED = 2,
    CUSPARSE_STATUS_INVALID_VALUE = 3,
    CUSPARSE_STATUS_ARCH_MISMATCH = 4,
    CUSPARSE_STATUS_MAPPING_ERROR = 5,
    CUSPARSE_STATUS_EXECUTION_FAILED = 6,
    CUSPARSE_STATUS_INTERNAL_ERROR = 7,
    CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
    CUSPARSE_STATUS_ZERO_PIVOT = 9,
    CUSPARSE_STATUS_NOT_SUPPORTED = 10,
    CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11,
} cusparseStatus_t;
typedef enum {
    CUSPARSE_OPERATION_NON_TRANSPOSE = 0,
    CUSPARSE_OPERATION_TRANSPOSE = 1,
    CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2,
} cusparseOperation_t;
typedef enum {
    CUSPARSE_INDEX_BASE_ZERO = 0,
    CUSPARSE_INDEX_BASE_ONE = 1,
} cusparseIndexBase_t;
typedef enum {
    CUSPARSE_MATRIX_TYPE_GENERAL = 0,
    CUSPARSE_MATRIX_TYPE_SYMMETRIC = 1,
    CUSPARSE_MATRIX_TYPE_HERMITIAN = 2,
    CUSPARSE_MATRIX_TYPE_TRIANGULAR = 3,
} cusparseMatrixType_t;

extern "C" {
NESTBED_UNSUPPORTED_LIBRARY("cuSPARSE")
cusparseStatus_t cusparseCreate(...), cusparseDestroy(...), cusparseSetStream(...), cusparseCreateMatDescr(...),
    cusparseDestroyMatDescr(...), cusparseSetMatType(...), cusparseSetMatIndexBase(...), cusparseCreateCsr(...),
    cusparseCreateCoo(...), cusparseCreateDnVec(...), cusparseCreateDnMat(...), cusparseDestroySpMat(...),
    cusparseDestroyDnVec(...), cusparseDestroyDnMat(...), cusparseSpMV(...), cusparseSpMV_bufferSize(...),
    cusparseSpMM(...), cusparseSpMM_bufferSize(...), cusparseScsrmv(...), cusparseDcsrmv(...), cusparseScsrmm(...),
    cusparseDcsrmm(...), cusparseXcoo2csr(...), cusparseXcsr2coo(...);
NESTBED_UNSUPPORTED_LIBRARY("cuSPARSE") const char* cusparseGetErrorString(...), *cusparseGetErrorName(...);
}
