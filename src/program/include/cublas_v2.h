// cuBLAS for float and double: vectors, and the products of matrices. Each function is one kernel of a library, in one thread and in
// order. A call of another function is an error.
#pragma once

#define CUBLAS_API_H_ // by which programs know that the header is there

#include "cuComplex.h"
#include "library_types.h"
#include "nestbed/libraries.hpp"

#include <cmath>

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
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
} cublasComputeType_t;
typedef enum {
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
} cublasGemmAlgo_t;
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
} cublasMath_t;
typedef enum {
    CUBLAS_ATOMICS_NOT_ALLOWED = 0,
    CUBLAS_ATOMICS_ALLOWED = 1,
} cublasAtomicsMode_t;
typedef enum {
    CUBLAS_POINTER_MODE_HOST = 0,
    CUBLAS_POINTER_MODE_DEVICE = 1,
} cublasPointerMode_t;

// NOLINTBEGIN: these names are cuBLAS's.
struct cublasContext {
    cudaStream_t stream;
    cublasPointerMode_t pointers;
    cublasMath_t math;
    cublasAtomicsMode_t atomics;
};
typedef cublasContext* cublasHandle_t;

inline cublasStatus_t cublasCreate(cublasHandle_t* handle)
{
    if (handle == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    *handle = new cublasContext();
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    if (handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    delete handle;
    cudaDeviceSynchronize(); // as cuBLAS's description says
    return CUBLAS_STATUS_SUCCESS;
}
// What a handle has.
#define NESTBED_MEMBER(Name, type, member)                                                                           \
    inline cublasStatus_t cublasSet##Name(cublasHandle_t handle, type value)                                         \
    {                                                                                                                \
        if (handle == nullptr)                                                                                       \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                                    \
        handle->member = value;                                                                                      \
        return CUBLAS_STATUS_SUCCESS;                                                                                \
    }                                                                                                                \
    inline cublasStatus_t cublasGet##Name(cublasHandle_t handle, type* value)                                        \
    {                                                                                                                \
        if (handle == nullptr || value == nullptr)                                                                   \
            return handle == nullptr ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_INVALID_VALUE;                  \
        *value = handle->member;                                                                                     \
        return CUBLAS_STATUS_SUCCESS;                                                                                \
    }
NESTBED_MEMBER(Stream, cudaStream_t, stream)
NESTBED_MEMBER(PointerMode, cublasPointerMode_t, pointers)
NESTBED_MEMBER(MathMode, cublasMath_t, math)
NESTBED_MEMBER(AtomicsMode, cublasAtomicsMode_t, atomics)
#undef NESTBED_MEMBER
inline cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void*, size_t)
{
    return handle == nullptr ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetVersion(cublasHandle_t, int* version)
{
    *version = 130000;
    return CUBLAS_STATUS_SUCCESS;
}
inline const char* cublasGetStatusName(cublasStatus_t status)
{
    switch (status) {
#define NESTBED_STATUS(name)                                                                                         \
    case name:                                                                                                       \
        return #name;
        NESTBED_STATUS(CUBLAS_STATUS_SUCCESS)
        NESTBED_STATUS(CUBLAS_STATUS_NOT_INITIALIZED)
        NESTBED_STATUS(CUBLAS_STATUS_ALLOC_FAILED)
        NESTBED_STATUS(CUBLAS_STATUS_INVALID_VALUE)
        NESTBED_STATUS(CUBLAS_STATUS_ARCH_MISMATCH)
        NESTBED_STATUS(CUBLAS_STATUS_MAPPING_ERROR)
        NESTBED_STATUS(CUBLAS_STATUS_EXECUTION_FAILED)
        NESTBED_STATUS(CUBLAS_STATUS_INTERNAL_ERROR)
        NESTBED_STATUS(CUBLAS_STATUS_NOT_SUPPORTED)
        NESTBED_STATUS(CUBLAS_STATUS_LICENSE_ERROR)
#undef NESTBED_STATUS
    }
    return "unknown";
}
inline const char* cublasGetStatusString(cublasStatus_t status)
{
    return cublasGetStatusName(status);
}

// Copies of rows of `width` bytes.
inline cublasStatus_t nestbed_blas_copy(int rows, int width, const void* from, int from_step, void* to, int to_step,
                                        cudaMemcpyKind kind, const cudaStream_t* stream)
{
    if (rows < 0 || width < 0 || from_step <= 0 || to_step <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    const cudaError_t error = stream == nullptr
                                  ? cudaMemcpy2D(to, to_step, from, from_step, width, rows, kind)
                                  : cudaMemcpy2DAsync(to, to_step, from, from_step, width, rows, kind, *stream);
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
#define NESTBED_COPY(Direction, kind)                                                                                \
    inline cublasStatus_t cublas##Direction##Vector(int n, int size, const void* from, int from_step, void* to,      \
                                                    int to_step)                                                     \
    {                                                                                                                \
        return nestbed_blas_copy(n, size, from, from_step * size, to, to_step * size, kind, nullptr);                \
    }                                                                                                                \
    inline cublasStatus_t cublas##Direction##VectorAsync(int n, int size, const void* from, int from_step, void* to, \
                                                         int to_step, cudaStream_t stream)                           \
    {                                                                                                                \
        return nestbed_blas_copy(n, size, from, from_step * size, to, to_step * size, kind, &stream);                \
    }                                                                                                                \
    inline cublasStatus_t cublas##Direction##Matrix(int rows, int columns, int size, const void* from,               \
                                                    int from_step, void* to, int to_step)                            \
    {                                                                                                                \
        return nestbed_blas_copy(columns, rows * size, from, from_step * size, to, to_step * size, kind, nullptr);   \
    }                                                                                                                \
    inline cublasStatus_t cublas##Direction##MatrixAsync(int rows, int columns, int size, const void* from,          \
                                                         int from_step, void* to, int to_step, cudaStream_t stream)  \
    {                                                                                                                \
        return nestbed_blas_copy(columns, rows * size, from, from_step * size, to, to_step * size, kind, &stream);   \
    }
NESTBED_COPY(Set, cudaMemcpyHostToDevice)
NESTBED_COPY(Get, cudaMemcpyDeviceToHost)
#undef NESTBED_COPY

namespace nestbed::blas
{

// One thread does the work.
template <class Work>
cublasStatus_t run(const char* name, cublasHandle_t handle, program::Place place, Work work)
{
    program::run_library_kernel(
        name, 1,
        [=] {
            if (cpu::linear_thread() == 0)
                work();
        },
        handle->stream, place);
    return cudaPeekAtLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

// A factor: of the host, read now, or of the device, read by the kernel.
template <class T>
struct Factor {
    T value;
    const T* of_device;
    Factor(cublasHandle_t handle, const T* given)
        : value(handle->pointers == CUBLAS_POINTER_MODE_HOST ? *given : T()),
          of_device(handle->pointers == CUBLAS_POINTER_MODE_HOST ? nullptr : given)
    {
    }
    T get() const { return of_device == nullptr ? value : *of_device; }
};

// `give` gets the result, of the host after a wait, or of the device.
template <class T, class Work>
cublasStatus_t run_for(const char* name, cublasHandle_t handle, program::Place place, T* result, Work work)
{
    if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE)
        return run(name, handle, place, [=] { *result = work(); });
    T own{};
    const cublasStatus_t status = run(name, handle, place, [=, to = &own] { *to = work(); });
    if (status != CUBLAS_STATUS_SUCCESS || cudaStreamSynchronize(handle->stream) != cudaSuccess)
        return CUBLAS_STATUS_EXECUTION_FAILED;
    *result = own;
    return CUBLAS_STATUS_SUCCESS;
}

// A vector begins at its end if its step is negative.
template <class T>
T& at(T* x, int step, int n, int i)
{
    return x[std::ptrdiff_t{step} * (step < 0 ? i - n + 1 : i)];
}
// Of a matrix in columns of `rows`, or of its transpose.
template <class T>
T of_matrix(const T* a, int rows, cublasOperation_t operation, int row, int column)
{
    return operation == CUBLAS_OP_N ? a[row + std::ptrdiff_t{rows} * column] : a[column + std::ptrdiff_t{rows} * row];
}

template <class T>
void multiply(cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k, T alpha, const T* a, int lda,
              const T* b, int ldb, T beta, T* c, int ldc)
{
    for (int column = 0; column < n; ++column)
        for (int row = 0; row < m; ++row) {
            T sum{};
            for (int i = 0; i < k; ++i)
                sum += of_matrix(a, lda, of_a, row, i) * of_matrix(b, ldb, of_b, i, column);
            T& to = c[row + std::ptrdiff_t{ldc} * column];
            to = alpha * sum + (beta == T() ? T() : beta * to); // which is not read then
        }
}
inline bool are_wrong(cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k, int lda, int ldb, int ldc)
{
    return m < 0 || n < 0 || k < 0 || lda < (of_a == CUBLAS_OP_N ? m : k) || ldb < (of_b == CUBLAS_OP_N ? k : n) ||
           ldc < m;
}

} // namespace nestbed::blas

#define NESTBED_BEGIN(wrong, nothing)                                                                                \
    using namespace nestbed::blas;                                                                                   \
    if (handle == nullptr)                                                                                           \
        return CUBLAS_STATUS_NOT_INITIALIZED;                                                                        \
    if (wrong)                                                                                                       \
        return CUBLAS_STATUS_INVALID_VALUE;                                                                          \
    if (nothing)                                                                                                     \
        return CUBLAS_STATUS_SUCCESS;                                                                                \
    const nestbed::program::Place place = {file, line};
#define NESTBED_CALLED const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()
#define NESTBED_BLAS(S, T)                                                                                           \
    inline cublasStatus_t cublas##S##axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y,  \
                                          int incy, NESTBED_CALLED)                                                  \
    {                                                                                                                \
        NESTBED_BEGIN(alpha == nullptr, n <= 0)                                                                      \
        return run("cublas" #S "axpy", handle, place, [=, by = Factor<T>(handle, alpha)] {                           \
            const T factor = by.get();                                                                               \
            for (int i = 0; i < n; ++i)                                                                              \
                at(y, incy, n, i) += factor * at(x, incx, n, i);                                                     \
        });                                                                                                          \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx,              \
                                          NESTBED_CALLED)                                                            \
    {                                                                                                                \
        NESTBED_BEGIN(alpha == nullptr, n <= 0 || incx <= 0)                                                         \
        return run("cublas" #S "scal", handle, place, [=, by = Factor<T>(handle, alpha)] {                           \
            const T factor = by.get();                                                                               \
            for (int i = 0; i < n; ++i)                                                                              \
                at(x, incx, n, i) *= factor;                                                                         \
        });                                                                                                          \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##copy(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy,        \
                                          NESTBED_CALLED)                                                            \
    {                                                                                                                \
        NESTBED_BEGIN(false, n <= 0)                                                                                 \
        return run("cublas" #S "copy", handle, place, [=] {                                                          \
            for (int i = 0; i < n; ++i)                                                                              \
                at(y, incy, n, i) = at(x, incx, n, i);                                                               \
        });                                                                                                          \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy,              \
                                          NESTBED_CALLED)                                                            \
    {                                                                                                                \
        NESTBED_BEGIN(false, n <= 0)                                                                                 \
        return run("cublas" #S "swap", handle, place, [=] {                                                          \
            for (int i = 0; i < n; ++i)                                                                              \
                std::swap(at(y, incy, n, i), at(x, incx, n, i));                                                     \
        });                                                                                                          \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##dot(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy,   \
                                         T* result, NESTBED_CALLED)                                                  \
    {                                                                                                                \
        NESTBED_BEGIN(result == nullptr, false)                                                                      \
        return run_for("cublas" #S "dot", handle, place, result, [=] {                                               \
            T sum{};                                                                                                 \
            for (int i = 0; i < n; ++i)                                                                              \
                sum += at(x, incx, n, i) * at(y, incy, n, i);                                                        \
            return sum;                                                                                              \
        });                                                                                                          \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##nrm2(cublasHandle_t handle, int n, const T* x, int incx, T* result,             \
                                          NESTBED_CALLED)                                                            \
    {                                                                                                                \
        NESTBED_BEGIN(result == nullptr, false)                                                                      \
        return run_for("cublas" #S "nrm2", handle, place, result, [=] {                                              \
            T norm{};                                                                                                \
            for (int i = 0; i < n && incx > 0; ++i)                                                                  \
                norm = std::hypot(norm, at(x, incx, n, i));                                                          \
            return norm;                                                                                             \
        });                                                                                                          \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##asum(cublasHandle_t handle, int n, const T* x, int incx, T* result,             \
                                          NESTBED_CALLED)                                                            \
    {                                                                                                                \
        NESTBED_BEGIN(result == nullptr, false)                                                                      \
        return run_for("cublas" #S "asum", handle, place, result, [=] {                                              \
            T sum{};                                                                                                 \
            for (int i = 0; i < n && incx > 0; ++i)                                                                  \
                sum += std::abs(at(x, incx, n, i));                                                                  \
            return sum;                                                                                              \
        });                                                                                                          \
    }                                                                                                                \
    NESTBED_EXTREME(S, T, amax, >)                                                                                   \
    NESTBED_EXTREME(S, T, amin, <)                                                                                   \
    inline cublasStatus_t cublas##S##ger(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx,  \
                                         const T* y, int incy, T* a, int lda, NESTBED_CALLED)                        \
    {                                                                                                                \
        NESTBED_BEGIN(m < 0 || n < 0 || incx == 0 || incy == 0 || lda < std::max(1, m), m == 0 || n == 0)            \
        return run("cublas" #S "ger", handle, place, [=, by = Factor<T>(handle, alpha)] {                            \
            const T factor = by.get();                                                                               \
            for (int column = 0; column < n; ++column)                                                               \
                for (int row = 0; row < m; ++row)                                                                    \
                    a[row + std::ptrdiff_t{lda} * column] += factor * at(x, incx, m, row) * at(y, incy, n, column);  \
        });                                                                                                          \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##gemv(cublasHandle_t handle, cublasOperation_t of_a, int m, int n,               \
                                          const T* alpha, const T* a, int lda, const T* x, int incx, const T* beta,  \
                                          T* y, int incy, NESTBED_CALLED)                                            \
    {                                                                                                                \
        NESTBED_BEGIN(m < 0 || n < 0 || incx == 0 || incy == 0 || lda < std::max(1, m), m == 0 || n == 0)            \
        const int rows = of_a == CUBLAS_OP_N ? m : n;                                                                \
        const int columns = of_a == CUBLAS_OP_N ? n : m;                                                             \
        return run("cublas" #S "gemv", handle, place,                                                                \
                   [=, by = Factor<T>(handle, alpha), of_y = Factor<T>(handle, beta)] {                              \
                       const T factor = by.get(), before = of_y.get();                                               \
                       for (int row = 0; row < rows; ++row) {                                                        \
                           T sum{};                                                                                  \
                           for (int column = 0; column < columns; ++column)                                          \
                               sum += of_matrix(a, lda, of_a, row, column) * at(x, incx, columns, column);           \
                           T& to = at(y, incy, rows, row);                                                           \
                           to = factor * sum + (before == T() ? T() : before * to);                                  \
                       }                                                                                             \
                   });                                                                                               \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##gemmStridedBatched(                                                             \
        cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k, const T* alpha,  \
        const T* a, int lda, long long stride_a, const T* b, int ldb, long long stride_b, const T* beta, T* c,       \
        int ldc, long long stride_c, int count, NESTBED_CALLED)                                                      \
    {                                                                                                                \
        NESTBED_BEGIN(count < 0 || are_wrong(of_a, of_b, m, n, k, lda, ldb, ldc), m == 0 || n == 0 || count == 0)    \
        return run("cublas" #S "gemm", handle, place,                                                                \
                   [=, by = Factor<T>(handle, alpha), of_c = Factor<T>(handle, beta)] {                              \
                       for (int i = 0; i < count; ++i)                                                               \
                           multiply(of_a, of_b, m, n, k, by.get(), a + i * stride_a, lda, b + i * stride_b, ldb,     \
                                    of_c.get(), c + i * stride_c, ldc);                                              \
                   });                                                                                               \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##gemm(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b,     \
                                          int m, int n, int k, const T* alpha, const T* a, int lda, const T* b,      \
                                          int ldb, const T* beta, T* c, int ldc, NESTBED_CALLED)                     \
    {                                                                                                                \
        return cublas##S##gemmStridedBatched(handle, of_a, of_b, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, \
                                             0, 1, file, line);                                                      \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##gemmBatched(cublasHandle_t handle, cublasOperation_t of_a,                      \
                                                 cublasOperation_t of_b, int m, int n, int k, const T* alpha,        \
                                                 const T* const a[], int lda, const T* const b[], int ldb,           \
                                                 const T* beta, T* const c[], int ldc, int count, NESTBED_CALLED)    \
    {                                                                                                                \
        NESTBED_BEGIN(count < 0 || are_wrong(of_a, of_b, m, n, k, lda, ldb, ldc), m == 0 || n == 0 || count == 0)    \
        return run("cublas" #S "gemmBatched", handle, place,                                                         \
                   [=, by = Factor<T>(handle, alpha), of_c = Factor<T>(handle, beta)] {                              \
                       for (int i = 0; i < count; ++i)                                                               \
                           multiply(of_a, of_b, m, n, k, by.get(), a[i], lda, b[i], ldb, of_c.get(), c[i], ldc);     \
                   });                                                                                               \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##geam(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b,     \
                                          int m, int n, const T* alpha, const T* a, int lda, const T* beta,          \
                                          const T* b, int ldb, T* c, int ldc, NESTBED_CALLED)                        \
    {                                                                                                                \
        NESTBED_BEGIN(m < 0 || n < 0 || ldc < m, m == 0 || n == 0)                                                   \
        return run("cublas" #S "geam", handle, place,                                                                \
                   [=, by = Factor<T>(handle, alpha), by_b = Factor<T>(handle, beta)] {                              \
                       const T of_first = by.get(), of_second = by_b.get();                                          \
                       for (int column = 0; column < n; ++column)                                                    \
                           for (int row = 0; row < m; ++row)                                                         \
                               c[row + std::ptrdiff_t{ldc} * column] =                                               \
                                   (of_first == T() ? T() : of_first * of_matrix(a, lda, of_a, row, column)) +       \
                                   (of_second == T() ? T() : of_second * of_matrix(b, ldb, of_b, row, column));      \
                   });                                                                                               \
    }
// The first of the greatest or the least absolute values, counted from 1.
#define NESTBED_EXTREME(S, T, name, better)                                                                          \
    inline cublasStatus_t cublasI##name##_of(T, cublasHandle_t handle, int n, const T* x, int incx, int* result,     \
                                             NESTBED_CALLED)                                                         \
    {                                                                                                                \
        NESTBED_BEGIN(result == nullptr, false)                                                                      \
        return run_for("cublasI" #name, handle, place, result, [=] {                                                 \
            int found = n <= 0 || incx <= 0 ? 0 : 1;                                                                 \
            for (int i = 1; found > 0 && i < n; ++i)                                                                 \
                if (std::abs(at(x, incx, n, i)) better std::abs(at(x, incx, n, found - 1)))                          \
                    found = i + 1;                                                                                   \
            return found;                                                                                            \
        });                                                                                                          \
    }
NESTBED_BLAS(S, float)
NESTBED_BLAS(D, double)
#undef NESTBED_BLAS
#undef NESTBED_EXTREME
#undef NESTBED_BEGIN
#define NESTBED_INDEX(name, T, of)                                                                                   \
    inline cublasStatus_t name(cublasHandle_t handle, int n, const T* x, int incx, int* result, NESTBED_CALLED)      \
    {                                                                                                                \
        return of(T(), handle, n, x, incx, result, file, line);                                                      \
    }
NESTBED_INDEX(cublasIsamax, float, cublasIamax_of)
NESTBED_INDEX(cublasIdamax, double, cublasIamax_of)
NESTBED_INDEX(cublasIsamin, float, cublasIamin_of)
NESTBED_INDEX(cublasIdamin, double, cublasIamin_of)
#undef NESTBED_INDEX
#undef NESTBED_CALLED
#define cublasCreate_v2 cublasCreate
#define cublasDestroy_v2 cublasDestroy
#define cublasSetStream_v2 cublasSetStream

extern "C" {
NESTBED_UNSUPPORTED_LIBRARY("cuBLAS")
cublasStatus_t cublasCaxpy(...), cublasZaxpy(...), cublasCcopy(...), cublasZcopy(...), cublasCscal(...),
    cublasZscal(...), cublasCswap(...), cublasZswap(...), cublasCgemv(...), cublasZgemv(...), cublasCgemm(...),
    cublasZgemm(...), cublasStrsm(...), cublasDtrsm(...), cublasCtrsm(...), cublasZtrsm(...), cublasStrsv(...),
    cublasDtrsv(...), cublasCtrsv(...), cublasZtrsv(...), cublasCgemmBatched(...), cublasZgemmBatched(...),
    cublasCgemmStridedBatched(...), cublasZgemmStridedBatched(...), cublasGemmEx(...), cublasHgemm(...),
    cublasGemmStridedBatchedEx(...), cublasGemmBatchedEx(...);
}
// NOLINTEND
