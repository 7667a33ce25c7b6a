// Types of cuBLASLt, for headers that name them. A call of a function is an error.
#pragma once

#include "cublas_v2.h"

typedef struct cublasLtContext* cublasLtHandle_t;
typedef struct cublasLtMatmulDescOpaque* cublasLtMatmulDesc_t;
typedef struct cublasLtMatrixLayoutOpaque* cublasLtMatrixLayout_t;
typedef struct cublasLtMatmulPreferenceOpaque* cublasLtMatmulPreference_t;
typedef struct {
    unsigned long long data[8];
} cublasLtMatmulAlgo_t;
typedef struct {
    cublasLtMatmulAlgo_t algo;
    size_t workspaceSize;
    cublasStatus_t state;
    float wavesCount;
    int reserved[4];
} cublasLtMatmulHeuristicResult_t;

extern "C" {
NESTBED_UNSUPPORTED_LIBRARY("cuBLASLt")
cublasStatus_t cublasLtCreate(...), cublasLtDestroy(...), cublasLtMatmul(...), cublasLtMatmulDescCreate(...),
    cublasLtMatmulDescDestroy(...), cublasLtMatmulDescSetAttribute(...), cublasLtMatrixLayoutCreate(...),
    cublasLtMatrixLayoutDestroy(...), cublasLtMatrixLayoutSetAttribute(...), cublasLtMatmulPreferenceCreate(...),
    cublasLtMatmulPreferenceDestroy(...), cublasLtMatmulPreferenceSetAttribute(...),
    cublasLtMatmulAlgoGetHeuristic(...);
}
