// What functions of Thrust and cuBLAS do to memory, and whether it races with kernels, with the host, or with what they call of the program.
#include <cublas_v2.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/transform.h>

#include "uses.h"

constexpr int kCount = 64;

// clang-format off
__global__ void put(int* to) { to[threadIdx.x] = static_cast<int>(threadIdx.x); }
__global__ void get(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x]; }

struct Twice { __host__ __device__ int operator()(int value) const { return 2 * value; } };
struct AddAtomically { int* to; __device__ void operator()(int value) const { atomicAdd(to, value); } };
struct Add { int* to; __device__ void operator()(int value) const { *to += value; } };
// The element itself and the next one.
struct WithNext { const int* of; __device__ int operator()(int at) const { return of[at] + of[(at + 1) % kCount]; } };

static cudaStream_t blocking, n, m; // n and m are not
static cudaEvent_t event;
static int *d, *e, *sum;
static int host;
static const thrust::counting_iterator<int> numbers(0);

static void order(cudaStream_t first, cudaStream_t second)
{
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event, 0);
}
static void twice_nosync(cudaStream_t stream) { thrust::transform(thrust::cuda::par_nosync.on(stream), d, d + kCount, e, Twice()); }

// ---- streams ----
RIGHT(a_policy_waits) { thrust::transform(thrust::device, d, d + kCount, e, Twice()); put<<<1, kCount, 0, n>>>(e); }
RIGHT(a_policy_of_a_stream_waits) { thrust::transform(thrust::cuda::par.on(n), d, d + kCount, e, Twice()); put<<<1, kCount, 0, m>>>(e); }
WRONG(a_policy_that_does_not_wait) { twice_nosync(n); put<<<1, kCount, 0, m>>>(e); }
WRONG(a_scan_that_does_not_wait) { thrust::inclusive_scan(thrust::cuda::par_nosync.on(n), d, d + kCount, e); put<<<1, kCount, 0, m>>>(e); }
RIGHT(an_event_behind_a_scan) { thrust::inclusive_scan(thrust::cuda::par_nosync.on(n), d, d + kCount, e); order(n, m); put<<<1, kCount, 0, m>>>(e); }
RIGHT(an_event_behind_it) { twice_nosync(n); order(n, m); put<<<1, kCount, 0, m>>>(e); }
RIGHT(the_same_stream) { twice_nosync(n); put<<<1, kCount, 0, n>>>(e); }
WRONG(a_kernel_before_the_null_stream) { put<<<1, kCount, 0, n>>>(d); thrust::sort(thrust::device, d, d + kCount); }
RIGHT(a_kernel_of_a_blocking_stream) { put<<<1, kCount, 0, blocking>>>(d); thrust::sort(thrust::device, d, d + kCount); }
RIGHT(a_kernel_before_the_stream_of_the_policy) { put<<<1, kCount, 0, n>>>(d); thrust::sort(thrust::cuda::par.on(n), d, d + kCount); }
WRONG(a_kernel_before_a_scan) { put<<<1, kCount, 0, n>>>(d); thrust::inclusive_scan(thrust::cuda::par.on(m), d, d + kCount, e); }
WRONG(a_kernel_before_a_reduction) { put<<<1, kCount, 0, n>>>(d); host = thrust::reduce(thrust::cuda::par.on(m), d, d + kCount); }

// ---- vectors ----
RIGHT(a_vector_is_filled) { thrust::device_vector<int> v(kCount, 1); get<<<1, kCount, 0, n>>>(e, v.data().get()); cudaDeviceSynchronize(); }
RIGHT(an_element_of_a_blocking_stream) { thrust::device_vector<int> v(kCount); put<<<1, kCount, 0, blocking>>>(v.data().get()); host = v[1]; }
WRONG(an_element_of_another_stream) { thrust::device_vector<int> v(kCount); put<<<1, kCount, 0, n>>>(v.data().get()); host = v[1]; cudaDeviceSynchronize(); }
WRONG(a_copy_to_the_host_of_another_stream) { thrust::device_vector<int> v(kCount); put<<<1, kCount, 0, n>>>(v.data().get()); thrust::host_vector<int> h = v; cudaDeviceSynchronize(); host = h[1]; }
RIGHT(a_copy_to_the_host_behind_a_wait) { thrust::device_vector<int> v(kCount); put<<<1, kCount, 0, n>>>(v.data().get()); cudaStreamSynchronize(n); thrust::host_vector<int> h = v; host = h[1]; }

// ---- what the program's functions do ----
RIGHT(atomics_of_elements) { thrust::for_each(thrust::device, d, d + kCount, AddAtomically{sum}); }
WRONG(sums_of_elements) { thrust::for_each(thrust::device, d, d + kCount, Add{sum}); }
RIGHT(neighbours_into_other_memory) { thrust::transform(thrust::device, numbers, numbers + kCount, e, WithNext{d}); }
WRONG(neighbours_in_place) { thrust::transform(thrust::device, numbers, numbers + kCount, d, WithNext{d}); }
RIGHT(a_scatter_to_places) { put<<<1, kCount>>>(e); thrust::scatter(thrust::device, d, d + kCount, e, sum); }
WRONG(a_scatter_to_one_place) { cudaMemset(e, 0, kCount * sizeof(int)); thrust::scatter(thrust::device, d, d + kCount, e, sum); }
RIGHT(in_place) { thrust::transform(thrust::device, d, d + kCount, d, Twice()); }

// ---- cuBLAS ----
static float *f, *g;
static cublasHandle_t blas;
static const float two = 2;
__global__ void put_float(float* to) { to[threadIdx.x] = 1; }
static void axpy() { cublasSaxpy(blas, kCount, &two, f, 1, g, 1); }
RIGHT(axpy_then_the_same_stream) { axpy(); put_float<<<1, kCount, 0, n>>>(f); }
WRONG(axpy_then_another_stream) { axpy(); put_float<<<1, kCount, 0, m>>>(f); }
RIGHT(axpy_then_an_event) { axpy(); order(n, m); put_float<<<1, kCount, 0, m>>>(f); }
RIGHT(a_dot_product_for_the_host_waits) { float dot = 0; cublasSdot(blas, kCount, f, 1, g, 1, &dot); put_float<<<1, kCount, 0, m>>>(f); host += dot > 0; }
WRONG(a_dot_product_for_the_device) { cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE); cublasSdot(blas, kCount, f, 1, f, 1, g); put_float<<<1, 1, 0, m>>>(g); }
WRONG(a_factor_on_the_device) { cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE); put_float<<<1, 1, 0, m>>>(g); cublasSscal(blas, kCount, g, f, 1); }
// clang-format on

int main(int count, char** words)
{
    if (count < 2)
        return list_cases();
    cudaStreamCreate(&blocking);
    cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&m, cudaStreamNonBlocking);
    cudaEventCreate(&event);
    for (int** each : {&d, &e, &sum}) {
        cudaMalloc(each, kCount * sizeof(int));
        cudaMemset(*each, 0, kCount * sizeof(int));
    }
    for (float** each : {&f, &g}) {
        cudaMalloc(each, kCount * sizeof(float));
        cudaMemset(*each, 0, kCount * sizeof(float));
    }
    cublasCreate(&blas);
    cublasSetStream(blas, n);
    cudaDeviceSynchronize();
    cases().at(words[1]).run();
    cudaDeviceSynchronize();
    int seen[kCount];
    cudaMemcpy(seen, e, sizeof seen, cudaMemcpyDeviceToHost);
    std::printf("%d %d\n", seen[1], host);
    return 0;
}
