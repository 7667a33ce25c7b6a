// cuSPARSE: the product of a matrix in compressed rows and a vector, as one kernel of a library. A call of another function is an error.
#pragma once

#define CUSPARSEAPI // by which programs know that the header is there

#include "cuComplex.h"
#include "library_types.h"
#include "nestbed/libraries.hpp"

typedef struct cusparseDnMatDescr* cusparseDnMatDescr_t;
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

typedef enum {
    CUSPARSE_POINTER_MODE_HOST = 0,
    CUSPARSE_POINTER_MODE_DEVICE = 1,
} cusparsePointerMode_t;
typedef enum {
    CUSPARSE_INDEX_16U = 1,
    CUSPARSE_INDEX_32I = 2,
    CUSPARSE_INDEX_64I = 3,
} cusparseIndexType_t;
typedef enum {
    CUSPARSE_FILL_MODE_LOWER = 0,
    CUSPARSE_FILL_MODE_UPPER = 1,
} cusparseFillMode_t;
typedef enum {
    CUSPARSE_DIAG_TYPE_NON_UNIT = 0,
    CUSPARSE_DIAG_TYPE_UNIT = 1,
} cusparseDiagType_t;
typedef enum {
    CUSPARSE_SPMV_ALG_DEFAULT = 0,
    CUSPARSE_SPMV_COO_ALG1 = 1,
    CUSPARSE_SPMV_CSR_ALG1 = 2,
    CUSPARSE_SPMV_CSR_ALG2 = 3,
    CUSPARSE_SPMV_COO_ALG2 = 4,
} cusparseSpMVAlg_t;

// NOLINTBEGIN: these names are cuSPARSE's.
struct cusparseContext {
    cudaStream_t stream;
    cusparsePointerMode_t pointers;
};
struct cusparseMatDescr {
    cusparseMatrixType_t type;
    cusparseIndexBase_t base;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
};
struct cusparseSpMatDescr { // in compressed rows
    int64_t rows, columns, count;
    const void *begins, *places, *values;
    cusparseIndexType_t of_begins, of_places;
    cusparseIndexBase_t base;
    cudaDataType type;
};
struct cusparseDnVecDescr {
    int64_t size;
    void* values;
    cudaDataType type;
};
typedef cusparseContext* cusparseHandle_t;
typedef cusparseMatDescr* cusparseMatDescr_t;
typedef cusparseSpMatDescr* cusparseSpMatDescr_t;
typedef const cusparseSpMatDescr* cusparseConstSpMatDescr_t;
typedef cusparseDnVecDescr* cusparseDnVecDescr_t;
typedef const cusparseDnVecDescr* cusparseConstDnVecDescr_t;

namespace nestbed::sparse
{

template <class T, class... Members>
cusparseStatus_t make(T** to, Members... members)
{
    if (to == nullptr)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *to = new T{members...};
    return CUSPARSE_STATUS_SUCCESS;
}
template <class T>
cusparseStatus_t end(const T* of)
{
    delete of;
    return of == nullptr ? CUSPARSE_STATUS_NOT_INITIALIZED : CUSPARSE_STATUS_SUCCESS;
}
template <class T, class Member, class Value>
cusparseStatus_t set(T* of, Member member, Value value)
{
    if (of == nullptr)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    of->*member = value;
    return CUSPARSE_STATUS_SUCCESS;
}

inline int64_t index(const void* indices, cusparseIndexType_t type, int64_t at)
{
    return type == CUSPARSE_INDEX_64I ? static_cast<const int64_t*>(indices)[at]
                                      : static_cast<const int32_t*>(indices)[at];
}
template <class T>
cusparseStatus_t multiply(cusparseHandle_t handle, bool transposed, const void* alpha, const cusparseSpMatDescr& a,
                          const cusparseDnVecDescr& x, const void* beta, const cusparseDnVecDescr& y,
                          program::Place place)
{
    const bool of_device = handle->pointers == CUSPARSE_POINTER_MODE_DEVICE;
    const T by = of_device ? T() : *static_cast<const T*>(alpha);
    const T of_y = of_device ? T() : *static_cast<const T*>(beta);
    program::run_library_kernel(
        "cusparseSpMV", 1,
        [=] {
            if (cpu::linear_thread() != 0)
                return;
            const T factor = of_device ? *static_cast<const T*>(alpha) : by;
            const T before = of_device ? *static_cast<const T*>(beta) : of_y;
            const T* const from = static_cast<const T*>(x.values);
            T* const to = static_cast<T*>(y.values);
            for (int64_t i = 0; transposed && i < y.size; ++i)
                to[i] = before == T() ? T() : before * to[i];
            for (int64_t row = 0; row < a.rows; ++row) {
                T sum{};
                const int64_t end = index(a.begins, a.of_begins, row + 1) - a.base;
                for (int64_t at = index(a.begins, a.of_begins, row) - a.base; at < end; ++at) {
                    const int64_t column = index(a.places, a.of_places, at) - a.base;
                    const T value = static_cast<const T*>(a.values)[at];
                    if (transposed)
                        to[column] += factor * value * from[row];
                    else
                        sum += value * from[column];
                }
                if (!transposed)
                    to[row] = factor * sum + (before == T() ? T() : before * to[row]); // which is not read then
            }
        },
        handle->stream, place);
    return cudaPeekAtLastError() == cudaSuccess ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}

inline cusparseStatus_t cusparseSpMV(program::Place place, cusparseHandle_t handle, cusparseOperation_t operation,
                                     const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                     const void* beta, cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t,
                                     void*)
{
    if (handle == nullptr)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    const bool transposed = operation != CUSPARSE_OPERATION_NON_TRANSPOSE;
    if (alpha == nullptr || a == nullptr || x == nullptr || beta == nullptr || y == nullptr ||
        x->size != (transposed ? a->rows : a->columns) || y->size != (transposed ? a->columns : a->rows))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (a->type != type || x->type != type || y->type != type || (type != CUDA_R_32F && type != CUDA_R_64F))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return type == CUDA_R_32F ? multiply<float>(handle, transposed, alpha, *a, *x, beta, *y, place)
                              : multiply<double>(handle, transposed, alpha, *a, *x, beta, *y, place);
}

} // namespace nestbed::sparse

inline cusparseStatus_t cusparseCreate(cusparseHandle_t* handle)
{
    return nestbed::sparse::make(handle);
}
inline cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
    return nestbed::sparse::end(handle);
}
inline cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
    return nestbed::sparse::set(handle, &cusparseContext::stream, stream);
}
inline cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode)
{
    return nestbed::sparse::set(handle, &cusparseContext::pointers, mode);
}
inline cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* matrix)
{
    return nestbed::sparse::make(matrix);
}
inline cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t matrix)
{
    return nestbed::sparse::end(matrix);
}
inline cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t matrix, cusparseMatrixType_t type)
{
    return nestbed::sparse::set(matrix, &cusparseMatDescr::type, type);
}
inline cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t matrix, cusparseIndexBase_t base)
{
    return nestbed::sparse::set(matrix, &cusparseMatDescr::base, base);
}
inline cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t matrix, cusparseFillMode_t fill)
{
    return nestbed::sparse::set(matrix, &cusparseMatDescr::fill, fill);
}
inline cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t matrix, cusparseDiagType_t diagonal)
{
    return nestbed::sparse::set(matrix, &cusparseMatDescr::diagonal, diagonal);
}
inline cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* matrix, int64_t rows, int64_t columns, int64_t count,
                                          void* begins, void* places, void* values, cusparseIndexType_t of_begins,
                                          cusparseIndexType_t of_places, cusparseIndexBase_t base, cudaDataType type)
{
    return of_begins == CUSPARSE_INDEX_16U || of_places == CUSPARSE_INDEX_16U
               ? CUSPARSE_STATUS_NOT_SUPPORTED
               : nestbed::sparse::make(matrix, rows, columns, count, begins, places, values, of_begins, of_places,
                                       base, type);
}
inline cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix)
{
    return nestbed::sparse::end(matrix);
}
inline cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* vector, int64_t size, void* values,
                                            cudaDataType type)
{
    return nestbed::sparse::make(vector, size, values, type);
}
inline cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector)
{
    return nestbed::sparse::end(vector);
}
inline cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void* values)
{
    return nestbed::sparse::set(vector, &cusparseDnVecDescr::values, values);
}
inline cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t, const void*,
                                                cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void*,
                                                cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, size_t* bytes)
{
    *bytes = 256;
    return handle == nullptr ? CUSPARSE_STATUS_NOT_INITIALIZED : CUSPARSE_STATUS_SUCCESS;
}
// Which needs no preparation.
inline cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t, const void*,
                                                cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void*,
                                                cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, void*)
{
    return handle == nullptr ? CUSPARSE_STATUS_NOT_INITIALIZED : CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t* rows, int64_t* columns,
                                             int64_t* count)
{
    if (matrix == nullptr || rows == nullptr || columns == nullptr || count == nullptr)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *rows = matrix->rows, *columns = matrix->columns, *count = matrix->count;
    return CUSPARSE_STATUS_SUCCESS;
}
inline constexpr nestbed::LibraryFunction<nestbed::sparse::cusparseSpMV> cusparseSpMV{};
inline const char* cusparseGetErrorName(cusparseStatus_t status)
{
    switch (status) {
#define NESTBED_STATUS(name)                                                                                         \
    case name:                                                                                                       \
        return #name;
        NESTBED_STATUS(CUSPARSE_STATUS_SUCCESS)
        NESTBED_STATUS(CUSPARSE_STATUS_NOT_INITIALIZED)
        NESTBED_STATUS(CUSPARSE_STATUS_ALLOC_FAILED)
        NESTBED_STATUS(CUSPARSE_STATUS_INVALID_VALUE)
        NESTBED_STATUS(CUSPARSE_STATUS_ARCH_MISMATCH)
        NESTBED_STATUS(CUSPARSE_STATUS_MAPPING_ERROR)
        NESTBED_STATUS(CUSPARSE_STATUS_EXECUTION_FAILED)
        NESTBED_STATUS(CUSPARSE_STATUS_INTERNAL_ERROR)
        NESTBED_STATUS(CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED)
        NESTBED_STATUS(CUSPARSE_STATUS_ZERO_PIVOT)
        NESTBED_STATUS(CUSPARSE_STATUS_NOT_SUPPORTED)
        NESTBED_STATUS(CUSPARSE_STATUS_INSUFFICIENT_RESOURCES)
#undef NESTBED_STATUS
    }
    return "unknown";
}
inline const char* cusparseGetErrorString(cusparseStatus_t status)
{
    return cusparseGetErrorName(status);
}

extern "C" {
NESTBED_UNSUPPORTED_LIBRARY("cuSPARSE")
cusparseStatus_t cusparseCreateCoo(...), cusparseCreateDnMat(...), cusparseDestroyDnMat(...), cusparseSpMM(...),
    cusparseSpMM_bufferSize(...), cusparseScsrmv(...), cusparseDcsrmv(...), cusparseScsrmm(...), cusparseDcsrmm(...),
    cusparseXcoo2csr(...), cusparseXcsr2coo(...);
}
// NOLINTEND
