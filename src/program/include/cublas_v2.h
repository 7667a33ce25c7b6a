// cuBLAS for float and double: vectors, and the products of matrices, these also of half precision and bfloat16. Each function is one
// kernel of a library, in one thread and in order. A call of another function is an error.
#pragma once

#define CUBLAS_API_H_ // by which programs know that the header is there

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
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
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
} cublasComputeType_t;
typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_ALGO0 = 0,
    CUBLAS_GEMM_ALGO1 = 1,
    CUBLAS_GEMM_ALGO2 = 2,
    CUBLAS_GEMM_ALGO3 = 3,
    CUBLAS_GEMM_ALGO4 = 4,
    CUBLAS_GEMM_ALGO5 = 5,
    CUBLAS_GEMM_ALGO6 = 6,
    CUBLAS_GEMM_ALGO7 = 7,
    CUBLAS_GEMM_ALGO8 = 8,
    CUBLAS_GEMM_ALGO9 = 9,
    CUBLAS_GEMM_ALGO10 = 10,
    CUBLAS_GEMM_ALGO11 = 11,
    CUBLAS_GEMM_ALGO12 = 12,
    CUBLAS_GEMM_ALGO13 = 13,
    CUBLAS_GEMM_ALGO14 = 14,
    CUBLAS_GEMM_ALGO15 = 15,
    CUBLAS_GEMM_ALGO16 = 16,
    CUBLAS_GEMM_ALGO17 = 17,
    CUBLAS_GEMM_ALGO18 = 18,
    CUBLAS_GEMM_ALGO19 = 19,
    CUBLAS_GEMM_ALGO20 = 20,
    CUBLAS_GEMM_ALGO21 = 21,
    CUBLAS_GEMM_ALGO22 = 22,
    CUBLAS_GEMM_ALGO23 = 23,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
    CUBLAS_GEMM_ALGO1_TENSOR_OP = 101,
    CUBLAS_GEMM_ALGO2_TENSOR_OP = 102,
    CUBLAS_GEMM_ALGO3_TENSOR_OP = 103,
    CUBLAS_GEMM_ALGO4_TENSOR_OP = 104,
    CUBLAS_GEMM_ALGO5_TENSOR_OP = 105,
    CUBLAS_GEMM_ALGO6_TENSOR_OP = 106,
    CUBLAS_GEMM_ALGO7_TENSOR_OP = 107,
    CUBLAS_GEMM_ALGO8_TENSOR_OP = 108,
    CUBLAS_GEMM_ALGO9_TENSOR_OP = 109,
    CUBLAS_GEMM_ALGO10_TENSOR_OP = 110,
    CUBLAS_GEMM_ALGO11_TENSOR_OP = 111,
    CUBLAS_GEMM_ALGO12_TENSOR_OP = 112,
    CUBLAS_GEMM_ALGO13_TENSOR_OP = 113,
    CUBLAS_GEMM_ALGO14_TENSOR_OP = 114,
    CUBLAS_GEMM_ALGO15_TENSOR_OP = 115,
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

// Each sum is in order. Sums of neighbouring rows go side by side, so that columns of `a` are read as they lie in memory.
template <class From, class To, class Sum>
void multiply(cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k, Sum alpha, const From* a, int lda,
              const From* b, int ldb, Sum beta, To* c, int ldc)
{
    constexpr int kRows = 16;
    for (int column = 0; column < n; ++column)
        for (int first = 0; first < m; first += kRows) {
            const int rows = std::min(kRows, m - first);
            Sum sums[kRows];
            std::fill_n(sums, kRows, Sum(0));
            for (int i = 0; i < k; ++i) {
                const Sum by = Sum(of_matrix(b, ldb, of_b, i, column));
                for (int row = 0; row < rows; ++row)
                    sums[row] += Sum(of_matrix(a, lda, of_a, first + row, i)) * by;
            }
            for (int row = 0; row < rows; ++row) {
                To& to = c[first + row + std::ptrdiff_t{ldc} * column];
                to = To(alpha * sums[row] + (beta == Sum(0) ? Sum(0) : beta * Sum(to))); // which is not read then
            }
        }
}
inline bool are_wrong(cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k, int lda, int ldb, int ldc)
{
    return m < 0 || n < 0 || k < 0 || lda < (of_a == CUBLAS_OP_N ? m : k) || ldb < (of_b == CUBLAS_OP_N ? k : n) ||
           ldc < m;
}

#define NESTBED_BEGIN(wrong, nothing)                                                                                \
    if (handle == nullptr)                                                                                           \
        return CUBLAS_STATUS_NOT_INITIALIZED;                                                                        \
    if (wrong)                                                                                                       \
        return CUBLAS_STATUS_INVALID_VALUE;                                                                          \
    if (nothing)                                                                                                     \
        return CUBLAS_STATUS_SUCCESS;
#define NESTBED_BLAS(S, T)                                                                                           \
    inline cublasStatus_t cublas##S##axpy(program::Place place, cublasHandle_t handle, int n, const T* alpha,        \
                                          const T* x, int incx, T* y, int incy)                                      \
    {                                                                                                                \
        NESTBED_BEGIN(alpha == nullptr, n <= 0)                                                                      \
        return run("cublas" #S "axpy", handle, place, [=, by = Factor<T>(handle, alpha)] {                           \
            const T factor = by.get();                                                                               \
            for (int i = 0; i < n; ++i)                                                                              \
                at(y, incy, n, i) += factor * at(x, incx, n, i);                                                     \
        });                                                                                                          \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##scal(program::Place place, cublasHandle_t handle, int n, const T* alpha, T* x,  \
                                          int incx)                                                                  \
    {                                                                                                                \
        NESTBED_BEGIN(alpha == nullptr, n <= 0 || incx <= 0)                                                         \
        return run("cublas" #S "scal", handle, place, [=, by = Factor<T>(handle, alpha)] {                           \
            const T factor = by.get();                                                                               \
            for (int i = 0; i < n; ++i)                                                                              \
                at(x, incx, n, i) *= factor;                                                                         \
        });                                                                                                          \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##copy(program::Place place, cublasHandle_t handle, int n, const T* x, int incx,  \
                                          T* y, int incy)                                                            \
    {                                                                                                                \
        NESTBED_BEGIN(false, n <= 0)                                                                                 \
        return run("cublas" #S "copy", handle, place, [=] {                                                          \
            for (int i = 0; i < n; ++i)                                                                              \
                at(y, incy, n, i) = at(x, incx, n, i);                                                               \
        });                                                                                                          \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##swap(program::Place place, cublasHandle_t handle, int n, T* x, int incx, T* y,  \
                                          int incy)                                                                  \
    {                                                                                                                \
        NESTBED_BEGIN(false, n <= 0)                                                                                 \
        return run("cublas" #S "swap", handle, place, [=] {                                                          \
            for (int i = 0; i < n; ++i)                                                                              \
                std::swap(at(y, incy, n, i), at(x, incx, n, i));                                                     \
        });                                                                                                          \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##rot(program::Place place, cublasHandle_t handle, int n, T* x, int incx, T* y,   \
                                         int incy, const T* cosine, const T* sine)                                   \
    {                                                                                                                \
        NESTBED_BEGIN(cosine == nullptr || sine == nullptr, n <= 0)                                                  \
        return run("cublas" #S "rot", handle, place,                                                                 \
                   [=, by = Factor<T>(handle, cosine), over = Factor<T>(handle, sine)] {                             \
                       const T straight = by.get(), across = over.get();                                             \
                       for (int i = 0; i < n; ++i) {                                                                 \
                           const T from = at(x, incx, n, i), to = at(y, incy, n, i);                                 \
                           at(x, incx, n, i) = straight * from + across * to;                                        \
                           at(y, incy, n, i) = straight * to - across * from;                                        \
                       }                                                                                             \
                   });                                                                                               \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##dot(program::Place place, cublasHandle_t handle, int n, const T* x, int incx,   \
                                         const T* y, int incy, T* result)                                            \
    {                                                                                                                \
        NESTBED_BEGIN(result == nullptr, false)                                                                      \
        return run_for("cublas" #S "dot", handle, place, result, [=] {                                               \
            T sum{};                                                                                                 \
            for (int i = 0; i < n; ++i)                                                                              \
                sum += at(x, incx, n, i) * at(y, incy, n, i);                                                        \
            return sum;                                                                                              \
        });                                                                                                          \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##nrm2(program::Place place, cublasHandle_t handle, int n, const T* x, int incx,  \
                                          T* result)                                                                 \
    {                                                                                                                \
        NESTBED_BEGIN(result == nullptr, false)                                                                      \
        return run_for("cublas" #S "nrm2", handle, place, result, [=] {                                              \
            T norm{};                                                                                                \
            for (int i = 0; i < n && incx > 0; ++i)                                                                  \
                norm = std::hypot(norm, at(x, incx, n, i));                                                          \
            return norm;                                                                                             \
        });                                                                                                          \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##asum(program::Place place, cublasHandle_t handle, int n, const T* x, int incx,  \
                                          T* result)                                                                 \
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
    inline cublasStatus_t cublas##S##ger(program::Place place, cublasHandle_t handle, int m, int n, const T* alpha,  \
                                         const T* x, int incx, const T* y, int incy, T* a, int lda)                  \
    {                                                                                                                \
        NESTBED_BEGIN(m < 0 || n < 0 || incx == 0 || incy == 0 || lda < std::max(1, m), m == 0 || n == 0)            \
        return run("cublas" #S "ger", handle, place, [=, by = Factor<T>(handle, alpha)] {                            \
            const T factor = by.get();                                                                               \
            for (int column = 0; column < n; ++column)                                                               \
                for (int row = 0; row < m; ++row)                                                                    \
                    a[row + std::ptrdiff_t{lda} * column] += factor * at(x, incx, m, row) * at(y, incy, n, column);  \
        });                                                                                                          \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##gemv(program::Place place, cublasHandle_t handle, cublasOperation_t of_a,       \
                                          int m, int n, const T* alpha, const T* a, int lda, const T* x, int incx,   \
                                          const T* beta, T* y, int incy)                                             \
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
        program::Place place, cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n,   \
        int k, const T* alpha, const T* a, int lda, long long stride_a, const T* b, int ldb, long long stride_b,     \
        const T* beta, T* c, int ldc, long long stride_c, int count)                                                 \
    {                                                                                                                \
        NESTBED_BEGIN(count < 0 || are_wrong(of_a, of_b, m, n, k, lda, ldb, ldc), m == 0 || n == 0 || count == 0)    \
        return run("cublas" #S "gemm", handle, place,                                                                \
                   [=, by = Factor<T>(handle, alpha), of_c = Factor<T>(handle, beta)] {                              \
                       for (int i = 0; i < count; ++i)                                                               \
                           multiply(of_a, of_b, m, n, k, by.get(), a + i * stride_a, lda, b + i * stride_b, ldb,     \
                                    of_c.get(), c + i * stride_c, ldc);                                              \
                   });                                                                                               \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##gemm(program::Place place, cublasHandle_t handle, cublasOperation_t of_a,       \
                                          cublasOperation_t of_b, int m, int n, int k, const T* alpha, const T* a,   \
                                          int lda, const T* b, int ldb, const T* beta, T* c, int ldc)                \
    {                                                                                                                \
        return cublas##S##gemmStridedBatched(place, handle, of_a, of_b, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta,  \
                                             c, ldc, 0, 1);                                                          \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##gemmBatched(                                                                    \
        program::Place place, cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n,   \
        int k, const T* alpha, const T* const a[], int lda, const T* const b[], int ldb, const T* beta,              \
        T* const c[], int ldc, int count)                                                                            \
    {                                                                                                                \
        NESTBED_BEGIN(count < 0 || are_wrong(of_a, of_b, m, n, k, lda, ldb, ldc), m == 0 || n == 0 || count == 0)    \
        return run("cublas" #S "gemmBatched", handle, place,                                                         \
                   [=, by = Factor<T>(handle, alpha), of_c = Factor<T>(handle, beta)] {                              \
                       for (int i = 0; i < count; ++i)                                                               \
                           multiply(of_a, of_b, m, n, k, by.get(), a[i], lda, b[i], ldb, of_c.get(), c[i], ldc);     \
                   });                                                                                               \
    }                                                                                                                \
    inline cublasStatus_t cublas##S##geam(program::Place place, cublasHandle_t handle, cublasOperation_t of_a,       \
                                          cublasOperation_t of_b, int m, int n, const T* alpha, const T* a, int lda, \
                                          const T* beta, const T* b, int ldb, T* c, int ldc)                         \
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
    inline cublasStatus_t cublasI##name##_of(program::Place place, T, cublasHandle_t handle, int n, const T* x,      \
                                             int incx, int* result)                                                  \
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
#define NESTBED_INDEX(name, T, of)                                                                                   \
    inline cublasStatus_t name(program::Place place, cublasHandle_t handle, int n, const T* x, int incx,             \
                               int* result)                                                                          \
    {                                                                                                                \
        return of(place, T(), handle, n, x, incx, result);                                                           \
    }
NESTBED_INDEX(cublasIsamax, float, cublasIamax_of)
NESTBED_INDEX(cublasIdamax, double, cublasIamax_of)
NESTBED_INDEX(cublasIsamin, float, cublasIamin_of)
NESTBED_INDEX(cublasIdamin, double, cublasIamin_of)
#undef NESTBED_INDEX

template <class From, class To, class Sum>
cublasStatus_t multiply_types(program::Place place, cublasHandle_t handle, cublasOperation_t of_a,
                              cublasOperation_t of_b, int m, int n, int k, const void* alpha, const void* a, int lda,
                              long long stride_a, const void* b, int ldb, long long stride_b, const void* beta,
                              void* c, int ldc, long long stride_c, int count)
{
    return run("cublasGemmEx", handle, place,
               [=, by = Factor<Sum>(handle, static_cast<const Sum*>(alpha)),
                of_c = Factor<Sum>(handle, static_cast<const Sum*>(beta))] {
                   for (int i = 0; i < count; ++i)
                       multiply(of_a, of_b, m, n, k, by.get(), static_cast<const From*>(a) + i * stride_a, lda,
                                static_cast<const From*>(b) + i * stride_b, ldb, of_c.get(),
                                static_cast<To*>(c) + i * stride_c, ldc);
               });
}
// Sums are kept in the type of the computation.
inline cublasStatus_t cublasGemmStridedBatchedEx(program::Place place, cublasHandle_t handle, cublasOperation_t of_a,
                                                 cublasOperation_t of_b, int m, int n, int k, const void* alpha,
                                                 const void* a, cudaDataType a_type, int lda, long long stride_a,
                                                 const void* b, cudaDataType b_type, int ldb, long long stride_b,
                                                 const void* beta, void* c, cudaDataType c_type, int ldc,
                                                 long long stride_c, int count, cublasComputeType_t compute,
                                                 cublasGemmAlgo_t)
{
    NESTBED_BEGIN(count < 0 || are_wrong(of_a, of_b, m, n, k, lda, ldb, ldc), m == 0 || n == 0 || count == 0)
    const bool is_half = compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC;
    const bool is_double = compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC;
    const bool is_float =
        !is_half && !is_double && compute != CUBLAS_COMPUTE_32I && compute != CUBLAS_COMPUTE_32I_PEDANTIC;
#define NESTBED_TYPES(is_it, of_from, From, of_to, To, Sum)                                                          \
    if (is_it && a_type == of_from && b_type == of_from && c_type == of_to)                                          \
        return multiply_types<From, To, Sum>(place, handle, of_a, of_b, m, n, k, alpha, a, lda, stride_a, b, ldb,    \
                                             stride_b, beta, c, ldc, stride_c, count);
    NESTBED_TYPES(is_double, CUDA_R_64F, double, CUDA_R_64F, double, double)
    NESTBED_TYPES(is_float, CUDA_R_32F, float, CUDA_R_32F, float, float)
    NESTBED_TYPES(is_float, CUDA_R_16F, __half, CUDA_R_16F, __half, float)
    NESTBED_TYPES(is_float, CUDA_R_16F, __half, CUDA_R_32F, float, float)
    NESTBED_TYPES(is_float, CUDA_R_16BF, __nv_bfloat16, CUDA_R_16BF, __nv_bfloat16, float)
    NESTBED_TYPES(is_float, CUDA_R_16BF, __nv_bfloat16, CUDA_R_32F, float, float)
    NESTBED_TYPES(is_half, CUDA_R_16F, __half, CUDA_R_16F, __half, __half)
#undef NESTBED_TYPES
    return CUBLAS_STATUS_NOT_SUPPORTED;
}
#undef NESTBED_BEGIN
inline cublasStatus_t cublasGemmEx(program::Place place, cublasHandle_t handle, cublasOperation_t of_a,
                                   cublasOperation_t of_b, int m, int n, int k, const void* alpha, const void* a,
                                   cudaDataType a_type, int lda, const void* b, cudaDataType b_type, int ldb,
                                   const void* beta, void* c, cudaDataType c_type, int ldc,
                                   cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    return cublasGemmStridedBatchedEx(place, handle, of_a, of_b, m, n, k, alpha, a, a_type, lda, 0, b, b_type, ldb, 0,
                                      beta, c, c_type, ldc, 0, 1, compute, algorithm);
}
inline cublasStatus_t cublasHgemm(program::Place place, cublasHandle_t handle, cublasOperation_t of_a,
                                  cublasOperation_t of_b, int m, int n, int k, const __half* alpha, const __half* a,
                                  int lda, const __half* b, int ldb, const __half* beta, __half* c, int ldc)
{
    return cublasGemmEx(place, handle, of_a, of_b, m, n, k, alpha, a, CUDA_R_16F, lda, b, CUDA_R_16F, ldb, beta, c,
                        CUDA_R_16F, ldc, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}

} // namespace nestbed::blas

#define NESTBED_FUNCTION(name)                                                                                       \
    inline constexpr nestbed::LibraryFunction<nestbed::blas::name> name {}
#define NESTBED_V2(name)                                                                                             \
    NESTBED_FUNCTION(name);                                                                                          \
    inline constexpr auto name##_v2 = name
#define NESTBED_BOTH(one, name)                                                                                      \
    one(cublasS##name);                                                                                              \
    one(cublasD##name)
NESTBED_BOTH(NESTBED_V2, axpy);
NESTBED_BOTH(NESTBED_V2, scal);
NESTBED_BOTH(NESTBED_V2, copy);
NESTBED_BOTH(NESTBED_V2, swap);
NESTBED_BOTH(NESTBED_V2, rot);
NESTBED_BOTH(NESTBED_V2, dot);
NESTBED_BOTH(NESTBED_V2, nrm2);
NESTBED_BOTH(NESTBED_V2, asum);
NESTBED_BOTH(NESTBED_V2, ger);
NESTBED_BOTH(NESTBED_V2, gemv);
NESTBED_BOTH(NESTBED_V2, gemm);
NESTBED_BOTH(NESTBED_FUNCTION, geam);
NESTBED_BOTH(NESTBED_FUNCTION, gemmBatched);
NESTBED_BOTH(NESTBED_FUNCTION, gemmStridedBatched);
NESTBED_V2(cublasIsamax);
NESTBED_V2(cublasIdamax);
NESTBED_V2(cublasIsamin);
NESTBED_V2(cublasIdamin);
NESTBED_FUNCTION(cublasHgemm);
NESTBED_FUNCTION(cublasGemmEx);
NESTBED_FUNCTION(cublasGemmStridedBatchedEx);
#undef NESTBED_BOTH
#undef NESTBED_V2
#undef NESTBED_FUNCTION
#define cublasCreate_v2 cublasCreate
#define cublasDestroy_v2 cublasDestroy
#define cublasGetVersion_v2 cublasGetVersion
#define cublasSetWorkspace_v2 cublasSetWorkspace
#define cublasSetStream_v2 cublasSetStream
#define cublasGetStream_v2 cublasGetStream
#define cublasSetPointerMode_v2 cublasSetPointerMode
#define cublasGetPointerMode_v2 cublasGetPointerMode

extern "C" {
#define NESTBED_V2(name) cublas##name(...), cublas##name##_v2(...)
#define NESTBED_COMPLEX(name) NESTBED_V2(C##name), NESTBED_V2(Z##name)
#define NESTBED_ALL(name) NESTBED_V2(S##name), NESTBED_V2(D##name), NESTBED_COMPLEX(name)
NESTBED_UNSUPPORTED_LIBRARY("cuBLAS")
cublasStatus_t NESTBED_COMPLEX(axpy), NESTBED_COMPLEX(copy), NESTBED_COMPLEX(scal), NESTBED_COMPLEX(swap),
    NESTBED_COMPLEX(rot), NESTBED_COMPLEX(gemv), NESTBED_COMPLEX(gemm), NESTBED_COMPLEX(dotu), NESTBED_COMPLEX(dotc),
    NESTBED_ALL(trsm), NESTBED_ALL(trsv), NESTBED_ALL(trmm), NESTBED_ALL(trmv), NESTBED_ALL(symm), NESTBED_ALL(syrk),
    NESTBED_ALL(syr2k), NESTBED_ALL(rotg), NESTBED_V2(Ssymv), NESTBED_V2(Dsymv), NESTBED_V2(Ssyr), NESTBED_V2(Dsyr),
    NESTBED_V2(Ssyr2), NESTBED_V2(Dsyr2), NESTBED_V2(Srotm), NESTBED_V2(Drotm), NESTBED_V2(Srotmg),
    NESTBED_V2(Drotmg), NESTBED_V2(Scnrm2), NESTBED_V2(Dznrm2), NESTBED_V2(Scasum), NESTBED_V2(Dzasum),
    NESTBED_V2(Csscal), NESTBED_V2(Zdscal), NESTBED_V2(Icamax), NESTBED_V2(Izamax), NESTBED_V2(Icamin),
    NESTBED_V2(Izamin), cublasCgemmBatched(...), cublasZgemmBatched(...), cublasCgemmStridedBatched(...),
    cublasZgemmStridedBatched(...), cublasGemmBatchedEx(...);
#undef NESTBED_ALL
#undef NESTBED_COMPLEX
#undef NESTBED_V2
}
// NOLINTEND
