#!/usr/bin/python3
"""Tests of the values and errors that CUDA's functions of the host return, and of the host's waits for kernels that let the next one begin.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/host_functions_test.py
"""
import unittest

from programs import runner

# A call; a value after it; the error and the value that CUDA 13 gives, or that the executor's device has.
CALLS = """
cudaGetDeviceCount(&i); i; 0 1 | cudaGetDevice(&i); i; 0 0 | cudaChooseDevice(&i, &p); i; 0 0 | cudaSetDevice(0); 0; 0 0 | cudaSetDevice(1); 0; 101 0
cudaInitDevice(0, 0, 0); 0; 0 0 | cudaDeviceGetCacheConfig(&cache); cache; 0 0 | cudaDeviceGetSharedMemConfig(&banks); banks; 0 1
cudaDeviceGetStreamPriorityRange(&i, &j); i + j; 0 0 | cudaDeviceGetByPCIBusId(&i, id); i; 0 0 | cudaDeviceCanAccessPeer(&i, 0, 0); i; 0 0
cudaDeviceEnablePeerAccess(0, 0); 0; 101 0 | cudaDeviceDisablePeerAccess(0); 0; 705 0 | cudaGetDeviceFlags(&u); u; 0 0 | cudaSetDeviceFlags(8); 0; 0 0
cudaGetDeviceFlags(&u); u; 0 8 | cudaDeviceGetPCIBusId(id, 12, 0); 0; 1 0 | cudaDeviceGetPCIBusId(id, 13, 0); strlen(id); 0 12
cudaDeviceGetLimit(&s, limit(1)); s; 0 1048576 | cudaDeviceGetLimit(&s, limit(2)); s; 0 8388608 | cudaDeviceGetLimit(&s, limit(4)); s; 0 2048
cudaDeviceGetLimit(&s, limit(5)); s; 0 64 | cudaDeviceGetLimit(&s, limit(7)); 0; 215 0 | cudaDeviceSetLimit(limit(7), 1); 0; 215 0
cudaDeviceSetLimit(limit(0), 64 << 20); 0; 0 0 | cudaDeviceSetLimit(limit(0), (64 << 20) + 1); 0; 1 0 | cudaDeviceSetLimit(limit(4), 99); 0; 0 0
cudaDeviceGetLimit(&s, limit(0)); s; 0 67108864 | cudaDeviceGetLimit(&s, limit(4)); s; 0 99 | cudaDeviceReset(); 0; 0 0
cudaDeviceGetLimit(&s, limit(0)); s; 0 1024 | cudaDeviceGetLimit(&s, limit(4)); s; 0 2048 | cudaGetDeviceProperties(&p, 1); 0; 101 0
cudaGetDeviceProperties(&p, 0); flags(p); 0 14 | cudaGetDeviceProperties(&p, 0); p.maxGridSize[2] - p.maxThreadsDim[2]; 0 65471
cudaGetDeviceProperties(&p, 0); p.integrated + p.tccDriver; 0 0 | cudaGetDeviceProperties(&p, 0); strlen(p.name); 0 16 | cudaMemGetInfo(&s, &t); t - s; 0 0
cudaGetDeviceProperties(&p, 0); p.totalGlobalMem == t; 0 1 | cudaMallocPitch(&d, &s, 1, 3); s; 0 512 | cudaMallocPitch(&d, &s, 513, 3); s; 0 1024
cudaMallocPitch(&d, &s, 512, 4); s; 0 512 | cudaMemset2D(d, 512, 1, 512, 4); 0; 0 0 | cudaMemset2D(d, 16, 2, 3, 5); 0; 0 0
cudaMemcpy2D(h, 5, d + 1, 16, 5, 4, kDefault); sum(h); 0 28 | cudaMemcpy2D(h, 4, d, 16, 5, 4, kDefault); 0; 12 0
cudaMemcpy2D(h, 16, d, 4, 5, 4, kDefault); 0; 12 0 | cudaMemcpy2D(h, 4, d, 4, 5, 1, kDefault); sum(h); 0 29
cudaMemcpy2D(h, 5, d, 5, 5, 2, kDefault); sum(h); 0 27 | cudaMemcpy2D(h, 4, d, 4, 5, 0, kDefault); 0; 0 0 | cudaMemcpy2D(h, 4, d, 4, 0, 5, kDefault); 0; 0 0
cudaMemset2D(d, 1, 2, 0, 9000); 0; 0 0 | cudaMemset(d, 3, 1); 0; 0 0 | cudaMemcpy(h, d, 2, kDefault); sum(h); 0 28 | cudaMemcpy(h, d, 1, kind(-1)); 0; 21 0
cudaMemcpy(h, d, 1, kind(5)); 0; 21 0 | cudaMemcpy(h, h + 1, 1, kind(0)); sum(h); 0 27 | cudaMemcpyToSymbol(four, h, 5); 0; 1 0
cudaMemcpyToSymbol(four, h, 4, 1); 0; 1 0 | cudaMemcpyToSymbol(four, h, 2, 2); 0; 0 0 | cudaMemcpyFromSymbol(h, four, 0, 5); 0; 1 0
cudaMemcpyFromSymbol(h, four, 0, 4); 0; 0 0 | cudaMemcpyFromSymbol(h, four, 4); sum(h); 0 24 | cudaHostRegister(nullptr, 4, 0); 0; 1 0
cudaHostRegister(&i, 0, 0); 0; 1 0 | cudaHostRegister(h, 64, 0); of(h); 0 1211 | cudaHostRegister(h, 64, 0); 0; 712 0 | cudaHostUnregister(h); of(h); 0 1
cudaHostUnregister(h); 0; 713 0 | cudaFree(d); 0; 0 0 | cudaMemGetInfo(&s, &t); t - s; 0 4608 | cudaDeviceReset(); 0; 0 0 | cudaMallocHost(&d, 8); of(d); 0 1211
cudaHostGetFlags(&u, d); u; 0 0 | cudaHostGetFlags(&u, h); 0; 1 0 | cudaMemGetInfo(&s, &t); t - s; 0 0 | cudaFree(d); 0; 1 0 | cudaFreeHost(d); 0; 0 0
cudaMallocManaged(&d, 0); 0; 1 0 | cudaMallocManaged(&d, 8); of(d); 0 3211 | cudaMemGetInfo(&s, &t); t - s; 0 8 | cudaFreeHost(d); 0; 1 0
cudaMalloc(&d, 8); of(d); 0 2210 | cudaMalloc(&d, 0); d == nullptr; 0 1 | cudaFree(nullptr); 0; 0 0 | cudaMalloc(&d, size_t(1) << 50); d == nullptr; 2 1
active(&i, k, 32, 0); i; 0 32 | active(&i, k, 64, 0); i; 0 32 | active(&i, k, 65, 0); i; 0 21 | active(&i, k, 1024, 0); i; 0 2 | active(&i, k, 1025, 0); i; 0 0
active(&i, k, 0, 0); 0; 1 0 | active(&i, k, 32, 49152); i; 0 4 | active(&i, k, 32, 49153); i; 0 0
available(&s, k, 4, 32); s; 0 49152 | available(&s, k, 16, 128); s; 0 13568 | available(&s, k, 33, 32); 0; 1 0 | active(nullptr, k, 32, 0); 0; 1 0
active(&i, of_host, 32, 0); 0; 98 0 | best(&i, &j, k); i * 10000 + j; 0 161024 | best(&i, &j, bounded); j; 0 64 | best(&i, &j, of_host); 0; 98 0
cudaFuncGetAttributes(&f, bounded); f.maxThreadsPerBlock; 0 64 | cudaFuncGetAttributes(&f, k); f.maxThreadsPerBlock + f.preferredShmemCarveout; 0 1023
cudaFuncGetAttributes(&f, of_host); 0; 98 0 | cudaFuncGetAttributes(&f, k); f.maxDynamicSharedSizeBytes; 0 49152
cudaFuncSetAttribute(k, dynamic, 232449); 0; 1 0 | cudaFuncSetAttribute(k, dynamic, -1); 0; 1 0 | cudaFuncSetAttribute(k, dynamic, 232448); 0; 0 0
cudaFuncSetAttribute(k, carveout, -2); 0; 1 0 | cudaFuncSetAttribute(k, carveout, -1); 0; 0 0 | cudaFuncSetAttribute(k, carveout, 100); 0; 0 0
cudaFuncSetAttribute(k, carveout, 101); 0; 1 0 | cudaFuncGetAttributes(&f, k); f.maxDynamicSharedSizeBytes; 0 232448 | cudaMalloc(&d, 8); of(d); 0 2210
cudaDeviceReset(); of(d); 0 1 | cudaFree(d); 0; 1 0 | cudaFuncGetAttributes(&f, k); f.maxDynamicSharedSizeBytes; 0 49152 | cudaStreamCreate(&a); 0; 0 0
cudaStreamCreateWithFlags(&n, 1); 0; 0 0 | cudaStreamCreateWithFlags(&a, 2); 0; 1 0 | cudaStreamGetFlags(a, &u); u; 0 0 | cudaStreamGetFlags(n, &u); u; 0 1
cudaStreamGetFlags(0, &u); u; 0 0 | cudaStreamGetPriority(a, &i); i; 0 0 | cudaStreamDestroy(0); 0; 400 0
cudaStreamGetAttribute(a, policy, &v); v.syncPolicy; 0 1 | (v.priority = -1, cudaStreamSetAttribute(a, priority, &v)); 0; 0 0
cudaStreamCopyAttributes(n, a); 0; 0 0 | (v.priority = 5, cudaStreamGetAttribute(n, priority, &v)); v.priority; 0 -1
cudaStreamSetAttribute(a, cooperative, &v); 0; 1 0 | cudaStreamSetAttribute(a, priority, nullptr); 0; 1 0 | cudaStreamGetDevice(a, &i); i; 0 0
cudaStreamGetId(a, &one) + cudaStreamGetId(n, &other); one == other; 0 0 | cudaCtxResetPersistingL2Cache(); 0; 0 0
cudaDeviceGetP2PAttribute(&i, cudaDevP2PAttrAccessSupported, 0, 1); 0; 101 0 | cudaEventCreate(&unused); 0; 0 0
cudaEventCreateWithFlags(&quiet, 2); 0; 0 0 | cudaEventCreate(&e, 8); 0; 1 0 | cudaEventCreate(&e, 1); 0; 0 0 | cudaEventElapsedTime(&ms, e, e); 0; 400 0
cudaEventRecord(e, a); 0; 0 0 | cudaEventElapsedTime(&ms, e, e); ms; 0 0 | cudaEventRecord(quiet, a); 0; 0 0 | cudaEventElapsedTime(&ms, quiet, e); 0; 400 0
cudaEventElapsedTime(&ms, e, quiet); 0; 400 0 | cudaEventElapsedTime(&ms, e, unused); 0; 400 0 | cudaEventQuery(e); 0; 0 0
cudaEventSynchronize(unused); 0; 0 0 | cudaStreamWaitEvent(n, unused, 0); 0; 0 0 | cudaEventDestroy(e); 0; 0 0 | cudaEventQuery(e); 0; 400 0
"""
ROWS = [[part.strip() for part in row.split("; ")] for line in CALLS.strip().splitlines() for row in line.split(" | ")]
ATTRIBUTES = {1: 1024, 2: 1024, 3: 1024, 4: 64, 5: 2147483647, 6: 65535, 7: 65535, 8: 49152, 9: 65536, 10: 32, 11: 2147483647, 12: 65536, 13: 1000000,
              14: 512, 15: 1, 16: 8, 19: 1, 30: 512, 31: 1, 36: 1000000, 37: 256, 38: 32 << 20, 108: 32 << 20, 109: 32 << 20, 39: 2048, 40: 1, 41: 1, 51: 32, 75: 9, 78: 1, 79: 1,
              80: 1, 81: 233472, 82: 65536, 83: 1, 87: 2, 89: 1, 90: 1, 91: 1, 95: 1, 97: 232448, 99: 1, 101: 1, 106: 32, 111: 1024, 115: 1, 120: 1}
# Between the launch of a kernel that lets the next one begin, and a look at what it writes at its end.
WAITS = ("cudaDeviceSynchronize()", "cudaStreamSynchronize(0)", "cudaStreamQuery(0)", "cudaEventRecord(e, 0)", "cudaEventSynchronize(e)", "cudaStreamWaitEvent(0, e, 0)",
         "cudaMemset(other, 0, 4)", "cudaMemcpy(other, other + 1, 4, kDefault)", "cudaFree(other)", "cudaLaunchHostFunc(0, [](void*) {}, nullptr); cudaStreamSynchronize(0)",
         "cudaStreamAddCallback(0, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0); cudaStreamSynchronize(0)")

SOURCE = r"""#include <cstdio>
#include <cstring>
__device__ char four[4];
__global__ void k(char*) {}
__global__ void __launch_bounds__(64) bounded() {}
__global__ void late(int* v) { cudaTriggerProgrammaticLaunchCompletion(); for (int i = 0; i < 9; ++i) atomicAdd(v, 0); v[1] += 1; printf("late "); }
void of_host() {}
#define active cudaOccupancyMaxActiveBlocksPerMultiprocessor
#define available cudaOccupancyAvailableDynamicSMemPerBlock
#define best cudaOccupancyMaxPotentialBlockSize
constexpr auto policy = cudaStreamAttributeSynchronizationPolicy, priority = cudaStreamAttributePriority, cooperative = cudaLaunchAttributeCooperative;
constexpr auto kDefault = cudaMemcpyDefault; constexpr auto dynamic = cudaFuncAttributeMaxDynamicSharedMemorySize, carveout = cudaFuncAttributePreferredSharedMemoryCarveout;
cudaLimit limit(int number) { return (cudaLimit)number; }
cudaMemcpyKind kind(int number) { return (cudaMemcpyKind)number; }
int sum(const char* h) { int all = 0; for (int i = 0; i < 20; ++i) all += h[i]; return all; }
int flags(const cudaDeviceProp& p) { return p.canMapHostMemory + p.concurrentKernels + p.unifiedAddressing + p.managedMemory + p.concurrentManagedAccess + p.asyncEngineCount +
    p.deviceOverlap + p.streamPrioritiesSupported + p.globalL1CacheSupported + p.localL1CacheSupported + p.computePreemptionSupported +
    p.canUseHostPointerForRegisteredMem + p.hostRegisterSupported + p.directManagedMemAccessFromHost; }
// Kind of memory, device, and whether the host and the device have it at its address.
int of(const void* p) { cudaPointerAttributes a; cudaPointerGetAttributes(&a, p); return a.type * 1000 + (a.device + 2) * 100 + (a.devicePointer == p) * 10 + (a.hostPointer == p); }
int main(int count, char**)
{
    cudaEvent_t e, quiet, unused;
    if (count > 1) {
        int *v, *other; cudaEventCreate(&e); cudaEventRecord(e); cudaMallocManaged(&v, 8); v[1] = 0;
        WAITS
        late<<<1, 1>>>(v); // at the end of the program
        return 0;
    }
    cudaStream_t a, n; float ms; int error, i = 7, j = 7; unsigned u = 7; size_t s = 7, t = 7; char id[16] = ""; static char h[64]; char* d;
    cudaLaunchAttributeValue v; unsigned long long one = 7, other = 7; cudaDeviceProp p; cudaFuncCache cache; cudaSharedMemConfig banks; cudaFuncAttributes f;
    CALLS
    for (j = 1; j < 150; ++j)
        if (cudaDeviceGetAttribute(&i, (cudaDeviceAttr)j, 0) == cudaSuccess && i != 0) std::printf("%d %d\n", j, i);
}
"""

# A function in a stream locks what its caller holds, also while the caller waits for another stream; copies behind it come after it.
LOCKS = r"""#include <cstdio>
#include <mutex>
#include <unistd.h>
__global__ void add(int* x) { *x += 1; }
static std::mutex mutex; static int calls, seen, *pinned;
static void count(void*) { const std::lock_guard<std::mutex> lock(mutex); ++calls; }
static void look(void*) { seen += *pinned; }
int main()
{
    alarm(20);
    int *x, *y; cudaMalloc(&x, 4); cudaMalloc(&y, 4); cudaMallocHost(&pinned, 4); cudaMemset(x, 0, 4);
    cudaStream_t s, t; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    for (int i = 0; i < 9; ++i) {
        const std::lock_guard<std::mutex> lock(mutex);
        cudaLaunchHostFunc(s, count, nullptr); add<<<1, 1, 0, s>>>(x);
        cudaMemcpyAsync(pinned, x, 4, cudaMemcpyDefault, s); cudaLaunchHostFunc(s, look, nullptr);
        cudaStreamQuery(s);
        cudaMemsetAsync(y, 0, 4, t); cudaStreamSynchronize(t);
    }
    cudaStreamSynchronize(s);
    std::printf("%d %d\n", calls, seen);
}
"""


class HostFunctions(unittest.TestCase):
    maxDiff = None

    def each(self, *words, **environment):
        """Standard output of the program without and with the detector."""
        calls = "".join(f'error = {call}; std::printf("%d %lld\\n", error, (long long)({value}));\n' for call, value, _ in ROWS)
        waits = "".join(f'cudaMalloc(&other, 8); late<<<1, 1>>>(v); {wait}; std::printf("%d ", v[1]);\n' for wait in WAITS)
        for options in ((), ("--nestbed-races",)):
            yield runner(SOURCE.replace("CALLS", calls).replace("WAITS", waits), *options)(*words, **environment).stdout

    def test_return_what_cuda_says(self):
        for lines in map(str.splitlines, self.each()):
            for (call, value, expected), line in zip(ROWS, lines):
                with self.subTest(call=call, value=value):
                    self.assertEqual(line, expected)
            self.assertEqual(dict(map(int, line.split()) for line in lines[len(ROWS):]), ATTRIBUTES)

    def test_waits_are_for_kernels_that_have_let_the_next_begin(self):
        for text in self.each("waits", NESTBED_SCHEDULE="random:1"):
            self.assertEqual(text, "".join(f"late {number + 1} " for number in range(len(WAITS))) + "late ")

    def test_a_function_in_a_stream_may_lock_what_its_caller_holds(self):
        called = runner(LOCKS)
        for schedule in ("fifo", "random:1", "random:2"):
            self.assertEqual(called(NESTBED_SCHEDULE=schedule).stdout, "9 45\n")


if __name__ == "__main__":
    unittest.main()
