#!/usr/bin/python3
"""Tests of the reports on programs that exceed a limit of the GPU: of launches, shared memory, the heap and the stack of kernels, waits.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/limits_test.py [Launches.test_…]

What such programs do themselves is in cuda/constructs/limits_*.cu, because a GPU shows it too.
"""
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from programs import EXIT_BAD, NESTBED, called, runner


def built(source, *options):
    """The program, whose line 1 is an include."""
    return runner("#include <cstdio>\n" + source, *options)


def both(source):
    """The program without and with the detector."""
    return built(source), built(source, "--nestbed-races")


class Programs(unittest.TestCase):
    maxDiff = None

    def check(self, done, code, *texts):
        """Texts of the report, in which any space stands for any other. Lines of the report have 80 columns."""
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for text in texts:
            self.assertIn(" ".join(text.split()), " ".join(done.stderr.split()), done.stderr)


class Launches(Programs):
    REFUSED = """
template <int> __global__ void k(int* o) { extern __shared__ int s[]; __shared__ int t[2500]; t[0] = s[0] = 1; *o = t[0]; }
__global__ void __launch_bounds__(64) bounded(int*) {}
__global__ void launch(int* o, int)
{
    k<0><<<1, 32, 40000>>>(o);
    bounded<<<dim3(1), dim3(5, 13)>>>(o);
}
__global__ void chain(int n) { if (n) chain<<<1, 1, 0, cudaStreamFireAndForget>>>(n - 1); }
__global__ void empty(int*) {}
__global__ void flat(int*) {}
__global__ void deep(int*) {}
__global__ void wide(int*) {}
__global__ void more(int*) {}
__global__ void opted(int* o) { extern __shared__ int s[]; s[0] = 1; *o = s[0]; }
__global__ void shut(int*) {}
int main()
{
    cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 40);
    int* o; cudaMalloc(&o, 4);
    launch<<<1, 1>>>(o, 1);
    chain<<<1, 1>>>(100);
    empty<<<dim3(3, 0), 32>>>(o);
    flat<<<dim3(1, 65536), 32>>>(o);
    deep<<<1, dim3(1, 1, 65)>>>(o);
    wide<<<1, dim3(33, 32)>>>(o);
    more<<<1, 0>>>(o);
    cudaFuncSetAttribute(opted, cudaFuncAttributeMaxDynamicSharedMemorySize, 50000);
    opted<<<1, 1, 50001>>>(o);
    cudaFuncSetAttribute(shut, cudaFuncAttributeMaxDynamicSharedMemorySize, 0);
    shut<<<1, 1, 4>>>(o);
    return cudaDeviceSynchronize();
}
"""

    def test_each_refused_launch_has_its_cause(self):
        for run, code in zip(both(self.REFUSED), (0, EXIT_BAD)):
            done = run()
            self.check(done, code, "of k<0> were refused, first at my.cu:7 InvalidConfiguration, which only cudaGetLastError() in the launching thread "
                       "returns: 40000 bytes of dynamic shared memory are more than the 39152 that k<0> may have beside its 10000 static bytes.",
                       "of bounded were refused, first at my.cu:8 InvalidConfiguration", "the block has 65 threads; the __launch_bounds__ of bounded allow 64.",
                       "of chain were refused, first at my.cu:10 LaunchPendingCountExceeded", "more launches were pending than the limit allows.",
                       "the grid of (3,0,1) blocks is empty.", "a grid of (1,65536,1) blocks is too large; allowed: at most (2147483647,65535,65535).",
                       "a block of (1,1,65) threads is too large; allowed: at most (1024,1024,64), and 1024 together.",
                       "the block has 1056 threads; allowed: at most 1024.", "the block of (0,1,1) threads is empty.",
                       "50001 bytes of dynamic shared memory are more than the 50000 that cudaFuncSetAttribute() has allowed opted.",
                       "4 bytes of dynamic shared memory are more than the 0 that cudaFuncSetAttribute() has allowed shut.")
            self.assertRegex(done.stderr, re.compile(r"^chain +1 +41 +1 +40  LaunchPendingCountExceeded$", re.MULTILINE))
            self.assertLessEqual(max(map(len, done.stderr.splitlines())), 80, done.stderr)

    def test_a_launch_without_dynamic_shared_memory_has_none(self):
        run = built("__global__ void k(int* o) { extern __shared__ int s[]; s[threadIdx.x] = 1; *o = s[0]; }\n"
                    "int main() { int* o; cudaMalloc(&o, 4); k<<<1, 1>>>(o); return cudaDeviceSynchronize(); }\n", "--nestbed-races")
        self.check(run(), EXIT_BAD, "out of bounds: write of s[0], 4 bytes past its end", "out of bounds: read of s[0], 4 bytes past its end")

    def test_parameters_have_at_most_32764_bytes(self):
        source = "struct S { char a[SIZE]; }; __global__ void k(S s, char* o) { *o = s.a[9]; }\nint main() { char* o; cudaMalloc(&o, 1); k<<<1, 1>>>(S(), o); }\n"
        self.check(built(source, "-DSIZE=32752")(), 0, "k 1 0 0 0")
        self.assertRaises(subprocess.CalledProcessError, built, source, "-DSIZE=32753")

    def test_the_largest_launch_in_each_dimension_is_accepted(self):
        run = built("__global__ void k() {}\nint main() { k<<<1, dim3(1024)>>>(); k<<<1, dim3(1, 1024)>>>(); k<<<1, dim3(1, 1, 64)>>>();\n"
                    "k<<<dim3(1, 65535), 1>>>(); k<<<dim3(1, 1, 65535), 1>>>(); puts(cudaGetErrorName(cudaGetLastError())); cudaDeviceSynchronize(); }\n")
        done = run()
        self.check(done, 0, "k 5 0 0 0")
        self.assertEqual(done.stdout, "cudaSuccess\n")


class Waits(Programs):
    SOURCE = """
__global__ void level(int depth, int* errors)
{
    if (depth < 4)
        level<<<1, 1>>>(depth + 1, errors);
    errors[depth] = cudaDeviceSynchronize();
}
int main(int count, char**)
{
    size_t limit;
    if (count > 1) cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4);
    cudaDeviceGetLimit(&limit, cudaLimitDevRuntimeSyncDepth);
    int* errors; cudaMallocManaged(&errors, 20);
    level<<<1, 1>>>(0, errors);
    cudaDeviceSynchronize();
    for (int i = 0; i < 5; ++i) printf("%d ", errors[i]);
    printf("limit %d\\n", (int)limit);
}
"""

    def test_a_kernel_below_the_limit_of_waits_does_not_wait(self):
        run = built(self.SOURCE)
        done = run()
        self.check(done, 0, "kernel level (launched at my.cu:6), block (0,0,0), thread (0,0,0): cudaDeviceSynchronize() did not wait "
                   "(cudaErrorSyncDepthExceeded): the kernel is at nesting depth 2, and cudaLimitDevRuntimeSyncDepth is 2;")
        self.assertEqual(done.stdout, "0 0 68 68 68 limit 2\n")
        self.assertEqual(done.stderr.count("did not wait"), 1)
        self.assertEqual(run("raise").stdout, "0 0 0 0 68 limit 4\n")


class Heap(Programs):
    SOURCE = """
#include <cstdlib>
struct S { int a; __device__ virtual int value() { return a; } };
struct T : S { __device__ int value() override { return a + 1; } };
__global__ void child(int* p) { p[0] = 7; }
__global__ void race_of_malloc(int* out) { int* p = static_cast<int*>(malloc(16)); p[0] = 3; child<<<1, 1>>>(p); *out = p[0]; }
__global__ void race_of_new(int* out) { int* q = new int[4]; q[0] = 3; child<<<1, 1>>>(q); *out = q[0]; }
__global__ void freed(int* out) { int* r = (int*)malloc(64); r[0] = *out; child<<<1, 1>>>(r); free(r); }
__global__ void deleted(int* out) { int* s = new int(5); *out = *s; delete s; *out += *s; }
__global__ void outside(int* out) { int* t = new int[4](); *out = t[0]; t[4] = 1; }
__global__ void unwritten(int* out) { int* u = new int[4]; *out = u[2]; delete[] u; }
__global__ void twice(int* out) { int* v = (int*)malloc(*out + 8); free(v); free(v); }
__global__ void of_host(int* out) { free(out); }
__device__ int* kept;
__global__ void keep(int* out) { kept = new int(4); *out = 0; }
__global__ void right(int* out) { S* s = new T; s->a = 4; *out = s->value() + *kept; delete s; }
int main(int count, char** names)
{
    int* out; cudaMalloc(&out, 4); cudaMemset(out, 0, 4);
    int* of_kernel;
    switch (std::atoi(names[1])) {
    case 0: race_of_malloc<<<1, 1>>>(out); break;
    case 1: race_of_new<<<1, 1>>>(out); break;
    case 2: freed<<<1, 1>>>(out); break;
    case 3: deleted<<<1, 1>>>(out); break;
    case 4: outside<<<1, 1>>>(out); break;
    case 5: unwritten<<<1, 1>>>(out); break;
    case 6: twice<<<1, 1>>>(out); break;
    case 7: of_host<<<1, 1>>>(out); break;
    case 8:
        printf("%d\\n", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
        keep<<<1, 1>>>(out);
        cudaMemcpyFromSymbol(&of_kernel, kept, sizeof of_kernel);
        printf("%d %d\\n", cudaMemset(of_kernel, 0, 4), cudaFree(of_kernel));
        printf("%d\\n", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
        right<<<1, 1>>>(out);
    }
    printf("%d\\n", cudaDeviceSynchronize());
}
"""

    def test_memory_of_malloc_and_new_is_watched(self):
        plain, watched = both(self.SOURCE)
        self.check(watched(0), EXIT_BAD, "race: read and write of p[0] (4 bytes) read my.cu:7", "write my.cu:6", "1 kind of races")
        self.check(watched(1), EXIT_BAD, "race: read and write of q[0] (4 bytes) read my.cu:8", "write my.cu:6", "1 kind of races")
        self.check(watched(2), EXIT_BAD, "use after free: write of r[0], freed at my.cu:9 write my.cu:6", "memory 64 bytes, allocated at my.cu:9")
        self.check(watched(3), EXIT_BAD, "use after free: read of s, freed at my.cu:10 read my.cu:10")
        self.check(watched(4), EXIT_BAD, "out of bounds: write of t[4], 4 bytes past its end write my.cu:11")
        self.check(watched(5), EXIT_BAD, "uninitialized: read of u[2], which nothing has written read my.cu:12")
        self.check(plain(2), 0, "use after free: kernel child (launched at my.cu:9), block (0,0,0), thread (0,0,0), at my.cu:6: write of byte 0 of r "
                   "(64 bytes, allocated at my.cu:9, freed at my.cu:9)")
        self.assertEqual(plain(2).stdout, "0\n")
        for run in (plain, watched):
            done = run(6)
            self.check(done, EXIT_BAD if run is watched else 0, "kernel twice (launched at my.cu:29), block (0,0,0), thread (0,0,0), at my.cu:13:",
                       "cannot be freed: it has been freed before: v (8 bytes, allocated at my.cu:13, freed at my.cu:13)")
            self.assertEqual(done.stdout, "719\n")
            self.check(run(7), EXIT_BAD if run is watched else 0, "at my.cu:14:",
                       "cannot be freed: out (4 bytes, allocated at my.cu:20) was allocated by the host, and only the host can free it")
            done = run(8)
            self.check(done, 0, "cudaMemset: a kernel has allocated kept (4 bytes, allocated at my.cu:16), and only kernels can use it",
                       "kept (4 bytes, allocated at my.cu:16) was allocated by a kernel, and only a kernel can free it")
            self.assertEqual(done.stdout, "0\n1 1\n1\n0\n")

    def test_a_full_heap_is_said_once(self):
        done = built("__global__ void k() { for (int i = 0; i < 20; ++i) if (malloc(1 << 20) == nullptr && i < 7) printf(\"%d\", i); }\n"
                     "int main() { k<<<1, 2>>>(); return cudaDeviceSynchronize(); }\n")()
        self.check(done, 0, "my.cu:2: 1048576 bytes for memory of a kernel do not fit into the heap of kernels, of which 7340144 of 8388608 bytes are "
                   "in use")
        self.assertEqual(done.stderr.count("do not fit"), 1)


class Stack(Programs):
    SOURCE = """
#include <cstdlib>
__device__ int odd(int n);
__device__ int even(int n) { volatile int own = n; return n == 0 ? 1 : odd(n - 1) + 0 * own; }
__device__ int odd(int n) { volatile int own = n; return n == 0 ? 0 : even(n - 1) + 0 * own; }
template <class T> __device__ int levels(T n) { volatile T own = n; return n == 0 ? 0 : levels<T>(n - 1) + 1 + 0 * own; }
constexpr __device__ int product(int n) { return n < 2 ? 1 : n * product(n - 1); }
__device__ int with_array(int n) { volatile int own[50000]; own[n] = n; return levels(10) + own[n]; }
__device__ int levels_below_array(int n) { volatile int own[50000]; own[0] = n; return levels(n) + own[0] - n; }
__device__ int around(int n, int half) { volatile int own = n; return n == half ? levels_below_array(n) : around(n - 1, half) + 1 + 0 * own; }
__global__ void child(int what, int n, int* o)
{
    *o = what == 0 ? even(n) : what == 1 ? levels(n) : what == 2 ? product(n) : what == 3 ? with_array(n) : around(n, n / 2);
}
__global__ void parent(int what, int n, int* o) { child<<<1, 1>>>(what, n, o); }
int main(int count, char** words)
{
    int* o; cudaMallocManaged(&o, 4);
    for (int i = 3; i < count; ++i) {
        const int error = cudaDeviceSetLimit(cudaLimitStackSize, std::atoi(words[i]));
        parent<<<1, 1>>>(std::atoi(words[1]), std::atoi(words[2]), o);
        printf("%d %d ", error, cudaDeviceSynchronize());
        printf("%d\\n", *o);
    }
}
"""

    def test_a_recursion_that_a_gpu_has_no_stack_for_is_an_error(self):
        for run in both(self.SOURCE):
            for what, function in ((0, r"my\.cu:[56]"), (1, r"my\.cu:7")):
                done = run(what, 2000, 1024)
                self.assertRegex(" ".join(done.stderr.split()), rf"stack overflow: kernel child \(launched at my\.cu:16\), block \(0,0,0\), thread "
                                 rf"\(0,0,0\), at {function}: a recursion of \d+ calls has \d+ bytes, of 16384 that it may have: 16 for each byte of "
                                 r"cudaLimitStackSize, which is 1024;")
                self.assertRegex(done.stdout, "^0 700 ")
            self.assertNotIn("no races:", run(0, 2000, 1024).stderr)

    def test_a_raised_limit_is_enough_and_local_arrays_do_not_count(self):
        for run in both(self.SOURCE):
            self.assertEqual(run(0, 20, 1024).stdout, "0 0 1\n")
            self.assertEqual(run(1, 20000, 4 << 20).stdout, "0 0 20000\n")
            self.assertEqual(run(1, 200, 65536, 32768, 131072).stdout, "0 0 200\n" * 3)
            self.assertEqual(run(2, 5, 1024).stdout, "0 0 120\n")
            self.assertEqual(run(3, 7, 1024).stdout, "0 0 17\n")
            self.assertEqual(run(1, 3000, 1024, NESTBED_STACK_BYTES=8 << 20).stdout, "0 0 3000\n")

    def test_a_recursion_around_a_local_array_has_the_same_limit(self):
        """It is measured again behind the array, at the depth that is allowed."""
        for run in both(self.SOURCE):
            calls, size = map(int, re.search(r"a recursion of (\d+) calls has (\d+) bytes", " ".join(run(4, 4000, 1024).stderr.split())).groups())
            most = 16 * 1024 * calls // size
            self.assertEqual(run(4, most * 3 // 4, 1024).stdout, f"0 0 {most * 3 // 4}\n")
            self.assertRegex(run(4, most * 3 // 2, 1024).stdout, "^0 700 ")


class NotSupported(unittest.TestCase):
    """What nestbed does not support, by the words of nested/your_program.md, is an error of the build or of the run that names the line."""
    PAGE = pathlib.Path(__file__).resolve().parents[2] / "nested" / "your_program.md"
    # An own header, or code in front of main(); a statement of main(); and what is said of my.cu:4 (kernels: my.cu:3).
    CASES = [
        ("the driver API but for tensor maps", "#include <cuda.h>", "", "cuInit(0);", "cuInit: the executor has no driver API"),
        ("mipmaps, cube maps", "", "", "cudaMipmappedArray_t a; cudaMallocMipmappedArray(&a, nullptr, cudaExtent(), 2);", "cudaMallocMipmappedArray: the executor has no"),
        ("mipmaps, cube maps", "", "__global__ void k(cudaTextureObject_t t, float* o) { *o = texCubemap<float>(t, 0, 0, 1); }", "", "texCubemap: the executor has no"),
        ("grids of several devices", "#include <cooperative_groups.h>", "__global__ void k() { cooperative_groups::this_multi_grid().sync(); }", "",
         "this_multi_grid: the executor has no grids of several devices"),
        ("grids of several devices", "", "", "cudaLaunchCooperativeKernelMultiDevice(nullptr, 1);", "cudaLaunchCooperativeKernelMultiDevice: the executor launches"),
        ("launch completion events", "", "__global__ void k() {}", "cudaLaunchAttribute a{}; a.id = cudaLaunchAttributeLaunchCompletionEvent; cudaLaunchConfig_t c{}; c.gridDim = "
         "c.blockDim = 1; c.attrs = &a; c.numAttrs = 1; cudaLaunchKernelEx(&c, k);", "cudaLaunchKernelEx: launch attribute 12; the executor has no events of launches"),
        ("the rest of CUDA's libraries", "#include <cufft.h>", "", "cufftHandle p; cufftPlan1d(&p, 16, CUFFT_C2C, 1);", "nestbed's executor does not support cuFFT"),
        ("the rest of CUDA's libraries", "#include <curand.h>", "", "curandGenerator_t p; curandCreateGenerator(&p, CURAND_RNG_PSEUDO_DEFAULT);",
         "nestbed's executor does not support cuRAND"),
        ("any other instruction is an error of the build", "", '__global__ void k(int* o) { asm("vote.frob.b32 %0, 1;" : "=r"(*o)); }', "",
         "inline PTX 'vote.frob.b32 %0, 1' is not supported on the executor"),
        ("not of 4 bits and of 1 bit", "#include <mma.h>", "__global__ void k() { nvcuda::wmma::experimental::precision::b1* a = nullptr; (void)a; }", "",
         "'nvcuda::wmma::experimental' has not been declared"),
        ("tensor maps without interleave", "#include <cuda.h>", "", "CUtensorMap m; cuuint64_t s = 32; cuuint32_t b = 32, t = 1; int* d; cudaMalloc(&d, 128); "
         "cuTensorMapEncodeTiled(&m, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, d, &s, nullptr, &b, &t, CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_SWIZZLE_NONE, "
         "CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);", "cuTensorMapEncodeTiled(): the executor has no interleaved layouts"),
        ("memory of other processes", "", "", "cudaIpcMemHandle_t h; int* d; cudaMalloc(&d, 4); cudaIpcGetMemHandle(&h, d);", "cudaIpcGetMemHandle: the executor shares no"),
        ("graphics", "", "", "cudaGraphicsResource_t r = nullptr; cudaGraphicsUnregisterResource(r);", "cudaGraphicsUnregisterResource: the executor shares no"),
        ("semaphores", "", "", "cudaGraphAddExternalSemaphoresSignalNode(nullptr, nullptr, nullptr, 0, nullptr);", "cudaGraphAddExternalSemaphoresSignalNode: the graphs of the executor"),
        ("user objects", "", "", "cudaUserObjectCreate(nullptr, nullptr, nullptr, 1, 0);", "cudaUserObjectCreate: the graphs of the executor"),
        ("`extra`", "", "__global__ void k() {}", "cudaGraph_t g; cudaGraphCreate(&g, 0); cudaGraphNode_t n; cudaKernelNodeParams p{}; void* e[1]{}; p.func = (void*)k; "
         "p.gridDim = p.blockDim = 1; p.extra = e; cudaGraphAddKernelNode(&n, g, nullptr, 0, &p);", "a kernel node with `extra`; the executor takes kernelParams"),
        ("A kernel with a parameter without a name", "", "__global__ void k(int) {}", "int a = 1; void* args[] = {&a}; cudaLaunchKernel((void*)k, 1, 1, args, 0, 0);",
         "a launch of k by its address; a kernel with a parameter that has no name"),
    ]

    def test_each_is_an_error_with_its_line(self):
        page = " ".join(self.PAGE.read_text(encoding="utf-8").lower().split())
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            said = pool.map(self.said, self.CASES)
        for (words, _, kernel, statement, text), errors in zip(self.CASES, said):
            with self.subTest(text):
                self.assertTrue(words.lower() in page, words)
                place = "my.cu:4" if statement else "my.cu:3"
                if text != "cuTensorMapEncodeTiled(): the executor has no interleaved layouts":  # a function without a line
                    self.assertIn(place, errors, kernel)
                self.assertIn(text, errors)

    @staticmethod
    def said(case):
        """What the build says, or if it is built, the run."""
        _, header, kernel, statement, _ = case
        folder = pathlib.Path(tempfile.mkdtemp(prefix="nestbed-unsupported-"))
        try:
            launch = "k<<<1, 1>>>(" + ("0, nullptr" if "cudaTextureObject_t" in kernel else "nullptr" if "int* o" in kernel else "") + ");" if kernel and not statement else ""
            (folder / "my.cu").write_text(f"#include <cstdio>\n{header}\n{kernel}\nint main() {{ {statement} {launch} return cudaDeviceSynchronize(); }}\n", encoding="utf-8")
            built = called([NESTBED, "nvcc", "-rdc=true", "-arch=sm_90", "-std=c++17", "my.cu", "-o", "my"], folder)
            done = called(["./my"], folder) if built.returncode == 0 else built
            return (built.stderr + done.stderr).replace("\u2018", "'").replace("\u2019", "'")
        finally:
            shutil.rmtree(folder)


if __name__ == "__main__":
    unittest.main()
