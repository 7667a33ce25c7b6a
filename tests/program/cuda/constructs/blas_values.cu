// What functions of cuBLAS and cuSPARSE compute, with factors and results of the host and of the device, in a stream and in a graph.
#include <cstdio>
#include <cublas_v2.h>
#include <cusparse.h>

#define CHECK(call)                                                                                                  \
    do {                                                                                                             \
        if (const int error = static_cast<int>(call))                                                                \
            std::printf("%d: %s: %d\n", __LINE__, #call, error);                                                     \
    } while (false)

constexpr int kCount = 12;

template <class T>
static T* on_device(const T* values, int count)
{
    T* memory = nullptr;
    CHECK(cudaMalloc(reinterpret_cast<void**>(&memory), count * sizeof(T)));
    CHECK(cudaMemcpy(memory, values, count * sizeof(T), cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize()); // streams do not wait for a copy from the stack
    return memory;
}
template <class T>
static void show(const char* name, const T* memory, int count)
{
    T values[kCount];
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(values, memory, count * sizeof(T), cudaMemcpyDeviceToHost));
    std::printf("%s:", name);
    for (int i = 0; i < count; ++i)
        std::printf(" %g", static_cast<double>(values[i]));
    std::printf("\n");
}

__global__ void half_of(const float* from, float* to)
{
    *to = *from / 2;
}

// Functions by their addresses.
template <class T>
struct Blas;
template <>
struct Blas<float> {
    static constexpr auto axpy = cublasSaxpy;
};
template <>
struct Blas<double> {
    static constexpr auto axpy = cublasDaxpy_v2;
};
using Scal = cublasStatus_t (*)(cublasHandle_t, int, const float*, float*, int);
template <Scal scal>
static cublasStatus_t twice(cublasHandle_t blas, float* x)
{
    const float two = 2;
    return scal(blas, 4, &two, x, 1);
}
template <class T>
static void by_address(cublasHandle_t blas, T* x, T* y)
{
    const T two = 2;
    CHECK(Blas<T>::axpy(blas, 4, &two, x, 1, y, 1));
}

// What a product of matrices should be, in any layout: the numbers are small, so that it is exact.
static int wrong_products(cublasHandle_t blas, cublasOperation_t of_a, cublasOperation_t of_b)
{
    constexpr int m = 37, n = 5, k = 21;
    float a[m * k], b[k * n], c[m * n];
    for (int i = 0; i < m * k; ++i)
        a[i] = static_cast<float>(i % 7 - 3);
    for (int i = 0; i < k * n; ++i)
        b[i] = static_cast<float>(i % 5 - 2);
    float *x = on_device(a, m * k), *y = on_device(b, k * n), *z = on_device(c, m * n);
    const float two = 2, zero = 0;
    CHECK(cublasSgemm(blas, of_a, of_b, m, n, k, &two, x, of_a == CUBLAS_OP_N ? m : k, y, of_b == CUBLAS_OP_N ? k : n,
                      &zero, z, m));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(c, z, sizeof c, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int row = 0; row < m; ++row)
        for (int column = 0; column < n; ++column) {
            float sum = 0;
            for (int i = 0; i < k; ++i)
                sum += a[of_a == CUBLAS_OP_N ? row + m * i : i + k * row] *
                       b[of_b == CUBLAS_OP_N ? i + k * column : column + n * i];
            wrong += c[row + m * column] != 2 * sum;
        }
    return wrong;
}
// The square of a matrix, in other types than float and double.
template <class From, class To>
static void product_of(const char* name, cublasHandle_t blas, cudaDataType from, cudaDataType to)
{
    const From numbers[] = {From(1.0F), From(2.0F), From(3.0F), From(4.0F)};
    const To none[] = {To(0.0F), To(0.0F), To(0.0F), To(0.0F)};
    From* const x = on_device(numbers, 4);
    To* const y = on_device(none, 4);
    const float half = 0.5F, one = 1;
    for (int i = 0; i < 2; ++i)
        CHECK(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &half, x, from, 2, x, from, 2, &one, y, to, 2,
                           CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    To values[4];
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(values, y, sizeof values, cudaMemcpyDeviceToHost));
    std::printf("%s: %g %g %g %g\n", name, static_cast<float>(values[0]), static_cast<float>(values[1]),
                static_cast<float>(values[2]), static_cast<float>(values[3]));
}

int main()
{
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cublasHandle_t blas = nullptr;
    CHECK(cublasCreate(&blas));
    CHECK(cublasSetStream(blas, stream));
    const float numbers[kCount] = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12};
    float *x = on_device(numbers, kCount), *y = on_device(numbers, kCount), *z = on_device(numbers, kCount);
    const float two = 2, zero = 0, one = 1;
    CHECK(cublasSaxpy(blas, kCount, &two, x, 1, y, 1));
    show("axpy", y, kCount);
    CHECK(cublasSaxpy(blas, 3, &two, x, -2, y, 4));
    show("with steps", y, kCount);
    CHECK(cublasSscal(blas, 6, &two, y, 2));
    show("scal", y, kCount);
    CHECK(cublasSswap(blas, 4, y, 1, z, 1));
    CHECK(cublasScopy(blas, 4, x, 3, z + 4, 1));
    show("swap and copy", z, kCount);
    float dot = 0, norm = 0, sum = 0;
    int most = 0, least = 0;
    CHECK(cublasSdot(blas, kCount, x, 1, x, 1, &dot));
    CHECK(cublasSnrm2(blas, 2, z + 4, 1, &norm));
    CHECK(cublasSasum(blas, kCount, x, 1, &sum));
    CHECK(cublasIsamax(blas, kCount, x, 1, &most));
    CHECK(cublasIsamin(blas, kCount, x, 1, &least));
    std::printf("dot %g, nrm2 %.4f, asum %g, amax %d, amin %d\n", dot, norm, sum, most, least);

    // Matrices in columns: 3 x 2 times 2 x 4, and the like.
    CHECK(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 3, 4, 2, &one, x, 3, x, 2, &zero, y, 3));
    show("gemm", y, 12);
    CHECK(cublasSgemm(blas, CUBLAS_OP_T, CUBLAS_OP_T, 2, 2, 3, &two, x, 3, x, 2, &one, y, 2));
    show("transposed", y, 12);
    CHECK(cublasSgemmStridedBatched(blas, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 2, &one, x, 2, 4, x, 2, 2, &zero, y, 2, 2,
                                    3));
    show("batches", y, 6);
    CHECK(cublasSgemv(blas, CUBLAS_OP_N, 3, 2, &one, x, 3, x, 1, &zero, y, 1));
    CHECK(cublasSgemv(blas, CUBLAS_OP_T, 3, 2, &one, x, 3, x, 1, &zero, y + 3, 1));
    show("gemv", y, 5);
    CHECK(cublasSger(blas, 2, 2, &one, x, 1, x, 1, y, 2));
    show("ger", y, 4);
    CHECK(cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, 2, 3, &one, x, 3, &two, x, 2, y, 2));
    show("geam", y, 6);
    const double wide[] = {1, 2, 3, 4};
    double* const d = on_device(wide, 4);
    const double half = 0.5, none = 0;
    double product = 0;
    CHECK(cublasDdot(blas, 4, d, 1, d, 1, &product));
    CHECK(cublasDgemv(blas, CUBLAS_OP_N, 2, 2, &half, d, 2, d, 1, &none, d + 2, 1));
    std::printf("ddot %g\n", product);
    show("dgemv", d, 4);
    std::printf("wrong: %d\n", cublasSaxpy(nullptr, 1, &one, x, 1, y, 1));

    by_address(blas, x, y);
    by_address(blas, d, d);
    show("axpy by address", y, 4);
    show("daxpy by address", d, 4);
    CHECK(twice<cublasSscal>(blas, y));
    const auto copy = &cublasScopy;
    CHECK(copy(blas, 3, y, 1, y + 3, 1));
    show("scal and copy by address", y, 6);
    const float cosine = 0.5F, sine = 2;
    CHECK(cublasSrot(blas, 2, y, 1, y + 2, -1, &cosine, &sine));
    show("rot", y, 4);
    for (const cublasOperation_t of_a : {CUBLAS_OP_N, CUBLAS_OP_T})
        for (const cublasOperation_t of_b : {CUBLAS_OP_N, CUBLAS_OP_T})
            std::printf("wrong products: %d\n", wrong_products(blas, of_a, of_b));
    product_of<__half, __half>("half", blas, CUDA_R_16F, CUDA_R_16F);
    product_of<__half, float>("half to float", blas, CUDA_R_16F, CUDA_R_32F);
    product_of<__nv_bfloat16, float>("bfloat16 to float", blas, CUDA_R_16BF, CUDA_R_32F);
    product_of<float, float>("float", blas, CUDA_R_32F, CUDA_R_32F);
    const __half halves[] = {__half(1.0F), __half(2.0F), __half(3.0F), __half(4.0F)}, unit(1.0F), nothing(0.0F);
    __half* const h = on_device(halves, 4);
    __half* const product_of_halves = on_device(halves, 4);
    CHECK(cublasHgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &unit, h, 2, h, 2, &nothing, product_of_halves, 2));
    __half value;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&value, product_of_halves + 3, sizeof value, cudaMemcpyDeviceToHost));
    std::printf("hgemm: %g\n", static_cast<float>(value));

    // Rows 0 to 3: (1 0 2), nothing, (0 3 0), (4 5 6).
    const int begins[] = {0, 2, 2, 3, 6}, places[] = {0, 2, 1, 0, 1, 2};
    const float values[] = {1, 2, 3, 4, 5, 6};
    int* const rows = on_device(begins, 5);
    int* const columns = on_device(places, 6);
    float* const entries = on_device(values, 6);
    cusparseHandle_t sparse = nullptr;
    CHECK(cusparseCreate(&sparse));
    CHECK(cusparseSetStream(sparse, stream));
    cusparseSpMatDescr_t matrix = nullptr;
    cusparseDnVecDescr_t of_x = nullptr, of_y = nullptr;
    CHECK(cusparseCreateCsr(&matrix, 4, 3, 6, rows, columns, entries, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    CHECK(cusparseCreateDnVec(&of_x, 3, x, CUDA_R_32F));
    CHECK(cusparseCreateDnVec(&of_y, 4, y, CUDA_R_32F));
    size_t bytes = 0;
    void* work = nullptr;
    CHECK(cusparseSpMV_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, of_x, &zero, of_y,
                                  CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
    CHECK(cudaMalloc(&work, bytes + 1));
    int64_t height = 0, width = 0, count = 0;
    CHECK(cusparseSpMatGetSize(matrix, &height, &width, &count));
    std::printf("size: %d %d %d\n", static_cast<int>(height), static_cast<int>(width), static_cast<int>(count));
    CHECK(cusparseSpMV_preprocess(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, of_x, &zero, of_y,
                                  CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, work));
    CHECK(cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, of_x, &zero, of_y, CUDA_R_32F,
                       CUSPARSE_SPMV_ALG_DEFAULT, work));
    show("spmv", y, 4);

    // The same and more in a graph, with factors and results on the device.
    float* const scalars = on_device(numbers, 3);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    CHECK(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK(cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &two, matrix, of_x, &one, of_y, CUDA_R_32F,
                       CUSPARSE_SPMV_ALG_DEFAULT, work));
    CHECK(cublasSdot(blas, 4, y, 1, y, 1, scalars));
    half_of<<<1, 1, 0, stream>>>(scalars, scalars + 1);
    CHECK(cublasSaxpy(blas, 3, scalars + 1, x, 1, z, 1));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 2; ++i)
        CHECK(cudaGraphLaunch(executable, stream));
    show("spmv in a graph", y, 4);
    show("scalars", scalars, 2);
    show("axpy in a graph", z, 4);
    CHECK(cusparseDestroySpMat(matrix));
    CHECK(cusparseDestroyDnVec(of_x));
    CHECK(cusparseDestroyDnVec(of_y));
    CHECK(cusparseDestroy(sparse));
    CHECK(cublasDestroy(blas));
    return 0;
}
