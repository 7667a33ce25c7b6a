#!/usr/bin/python3
"""Tests of what belongs to the host and what to the device: calls, variables, memory that functions of CUDA write, processes.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/sides_test.py [Calls.test_…]
"""
import re
import unittest

from mistakes_test import Programs
from programs import EXIT_BAD, NESTBED, called, new_folder

LOCATION = r"^my\.cu:{line}(?::\d+)?: error: calling a __{callee}__ function\(.{name}.\) from a __{caller}__ function\(.{function}.\) is not allowed"


def tried(command, lines, *options):
    return called([NESTBED, command, "my.cu", *options], new_folder("\n".join(lines) + "\n"))


class Calls(Programs):
    """Each line is one program's, so that a compile tries many."""
    HEAD = ["#include <cstdio>", "#include <cstdlib>", "#include <cstring>", "#include <vector>", "#include <algorithm>",
            "int of_host(int x) { return x; }", "struct S { int a; S() : a(1) {} int get() const { return a; } };",
            "template <class T> T same(T x) { return x; }", "__device__ int of_device() { return 1; }"]
    API = ["cudaStreamCreate(&s)", "cudaStreamSynchronize(s)", "cudaStreamQuery(s)", "cudaStreamCreateWithPriority(&s, 1, 0)",
           "cudaEventCreate(&e)", "cudaEventSynchronize(e)", "cudaEventQuery(e)", "cudaEventElapsedTime(nullptr, e, e)",
           "cudaMallocManaged(&p, 4)", "cudaMallocHost(&p, 4)", "cudaMallocAsync(&p, 4, s)", "cudaMemcpy(p, p, 4, cudaMemcpyDefault)",
           "cudaMemset(p, 0, 4)", "cudaMemcpy2D(p, 4, p, 4, 4, 1, cudaMemcpyDefault)", "cudaMemGetInfo(nullptr, nullptr)",
           "cudaDeviceReset()", "cudaDeviceSetLimit(cudaLimitStackSize, 1)", "cudaSetDevice(0)", "cudaGetDeviceProperties(nullptr, 0)",
           "cudaDriverGetVersion(p)", "cudaFreeHost(p)", "cudaFreeAsync(p, s)", "cudaLaunchHostFunc(s, nullptr, nullptr)",
           "cudaPointerGetAttributes(nullptr, p)", "cudaHostRegister(p, 4, 0)", "cudaFuncSetAttribute(k, cudaFuncAttributeMax, 0)",
           "cudaMemPrefetchAsync(p, 4, 0, s)", "cudaStreamGetFlags(s, nullptr)", "make_cudaExtent(1, 1, 1)"]
    LIBRARY = ["rand()", "*p = std::strlen((char*)p)", "if (*p) std::exit(1)", "std::puts(\"\")", "std::getenv(\"A\")", "std::sort(p, p + 1)",
               "std::fill(p, p + 1, 0)", "fflush(stdout)", "std::fprintf(stderr, \"a\")", "std::fputs(\"a\", stdout)", "putchar(1)",
               "std::memmove(p, p, *p)", "std::strcpy((char*)p, \"a\")", "*p = std::atoi((char*)p)", "std::vector<int> v(*p)", "time(nullptr)", "if (*p) abort()"]
    OWN = ["of_host(1)", "S().get()", "same(*p)", "[](int x) { return of_host(x); }(1)", "*p = std::max(1, of_host(2))"]

    def test_a_kernel_that_calls_a_host_function_does_not_build(self):
        calls = [*self.API, *self.LIBRARY, *self.OWN]
        lines = [*self.HEAD, "__global__ void k(int* p, cudaStream_t s, cudaEvent_t e) {", *[f"{{ {call}; }}" for call in calls], "}", "int main() {}"]
        done = tried("cpu", lines)
        self.assertNotEqual(done.returncode, 0)
        for number, call in enumerate(calls, len(self.HEAD) + 2):
            with self.subTest(call):
                self.assertRegex(done.stderr, re.compile(LOCATION.format(line=number, callee="host", name="[^\n]+", caller="global", function="k"), re.M))
        for name in ("cudaStreamCreate", "cudaMallocManaged<int>", "rand", "of_host"):
            self.assertRegex(done.stderr, rf"calling a __host__ function\(.{name}.\) from a __global__ function\(.k.\)")

    def test_kernels_assign_tuples_of_thrust_not_of_std(self):
        lines = ["#include <thrust/sort.h>", "#include <thrust/tuple.h>", "#include <vector>", "__global__ void k(int* p) {",
                 "thrust::tuple<int, int> t(1, 2), u(3, 4); t = u; int a, b; thrust::tie(a, b) = t; thrust::pair<int, int> c, d(5, 6); c = d; thrust::swap(t, u);",
                 "std::sort(p, p + 1);", "std::vector<int> v(*p);", "}", "int main() {}"]
        done = tried("cpu", lines)
        self.assertNotRegex(done.stderr, "my.cu:5:.*error")
        for number, name in ((6, "std::sort<int.*"), (7, "std::vector<int>::vector")):
            self.assertRegex(done.stderr, re.compile(LOCATION.format(line=number, callee="host", name=name, caller="global", function="k"), re.M))

    def test_neither_side_calls_functions_of_the_other(self):
        done = tried("cpu", [*self.HEAD, "__device__ int d() { return of_host(1); }", "template <class T> __device__ T t(T x) { return of_host(x); }",
                             "struct M { __device__ int m() { return of_host(2); } };",
                             "__global__ void k(int* p) { M m; *p = d() + t(3) + m.m(); }", "int main() { return of_device(); }"])
        for number, callee, name, caller, function in ((10, "host", "of_host", "device", "d"), (11, "host", "of_host", "device", "t<int>"),
                                                       (12, "host", "of_host", "device", "M::m"), (14, "device", "of_device", "host", "main")):
            self.assertRegex(done.stderr, re.compile(LOCATION.format(line=number, callee=callee, name=name, caller=caller, function=function), re.M))
        self.assertEqual(done.stderr.count("error:"), 4, done.stderr)

    def test_more_than_64_kb_of_constant_memory_do_not_build(self):
        lines = ["__constant__ int a[10000];", "extern __constant__ int a[10000];", "__constant__ char b[25536];", "__global__ void k(int* p) { *p = a[1] + b[2]; }",
                 "int main() {}"]
        self.check(tried("cpu", lines), 0)
        lines[2] = "__constant__ char b[25537];"
        self.assertRegex(tried("cpu", lines).stderr, r"my\.cu:3(?::\d+)?: error: .b.: too much constant memory of this file: 65537 bytes, 65536 are allowed")

    def test_what_both_sides_may_call_builds(self):
        """Right programs: nvcc builds them, too."""
        lines = [
            "#include <array>", "#include <cmath>", "#include <cstdio>", "#include <cstring>", "#include <limits>", "#include <new>", "#include <utility>",
            "#include <algorithm>", "#include <cassert>", "#include <vector>",
            "constexpr int twice(int x) { return 2 * x; }",
            "__device__ int pick(int x) { return x; } __host__ int pick(float) { return 2; }",
            "int of_host(int x) { return x; }",
            "__host__ __device__ int branch(int x)", "{", "#ifdef __CUDA_ARCH__", "    return pick(x);", "#else", "    return of_host(x);", "#endif", "}",
            "__host__ __device__ int warned(int x) { return x > 100 ? of_host(x) : x; }",
            "template <class T> __device__ T never(T x) { return of_host(x); }",
            "template <bool host> __device__ int chosen(int x) { if constexpr (host) return of_host(x); else return x; }",
            "struct Base { int a = 1; __device__ virtual int get() { return a; } };", "struct Derived : Base { __device__ int get() override { return 2; } };",
            "struct Plain { Base base; int b[2] = {1, 2}; };",
            "template <class F> __global__ void apply(F f, int* p) { *p += f(*p); }",
            "template <class F> __host__ __device__ int call(F f) { return f(1); }",
            "struct Functor { __host__ __device__ int operator()(int x) const { return x; } };",
            "struct Friend { friend __device__ int seen(Friend) { return 1; } __device__ operator int() const { return 3; } };",
            "static __device__ __noinline__ int deep(int x) { return x < 1 ? 0 : deep(x - 1) + 1; }",
            "__global__ void declared(int*);", "void declared(int* p) { p[0] += pick(1); }",
            "__global__ void k(int* p)", "{",
            "    Plain plain; Plain copy = plain; copy = std::move(plain); std::array<int, 2> a{1, 2}; std::pair<int, int> both(1, 2);",
            "    auto l = [&](int x) { return pick(x) + twice(x); };",
            "    struct Local { int of() { return 1; } } local;",
            "    Derived* made = new Derived; int* more = static_cast<int*>(malloc(8)); memset(more, 0, 8); memcpy(more, p, 4); new (more) int(1);",
            "    assert(more != nullptr); printf(\"%d\\n\", made->get()); printf(\"line\\n\"); delete made; free(more);",
            "    p[0] = l(1) + branch(2) + warned(3) + chosen<false>(4) + call(Functor()) + call([](int x) { return x; }) + int(Friend()) + seen(Friend());",
            "    p[0] += local.of() + a[1] + both.first + copy.b[1] + deep(2) + abs(-1) + int(std::sqrt(4.f) + std::pow(2.0, 2) + fabs(-1.0) + floorf(1.5f));",
            "    p[0] += std::min(1, 2) + std::max(3, 4) + std::numeric_limits<int>::digits + int(std::isnan(1.f)) + int(clock() == 0);",
            "    cudaStream_t s; cudaEvent_t e; int n; cudaFuncAttributes f; int* q;",
            "    n = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) + cudaEventCreateWithFlags(&e, cudaEventDisableTiming) + cudaEventRecord(e, s);",
            "    n += cudaStreamWaitEvent(s, e, 0) + cudaEventDestroy(e) + cudaStreamDestroy(s) + cudaGetLastError() + cudaPeekAtLastError();",
            "    n += cudaMalloc(&q, 4) + cudaMemsetAsync(q, 0, 4, 0) + cudaMemcpyAsync(q, q, 4, cudaMemcpyDeviceToDevice, 0) + cudaFree(q);",
            "    n += cudaFuncGetAttributes(&f, declared) + cudaGetDeviceCount(&n) + cudaGetDevice(&n) + cudaRuntimeGetVersion(&n);",
            "    n += cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0) + cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, declared, 32, 0);",
            "    p[0] += cudaGetErrorString(cudaSuccess) == nullptr; declared<<<1, 1>>>(p);", "}",
            "int main()", "{", "    std::vector<int> v(3); int* p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize();",
            "    auto l = [] __device__ (int x) { return pick(x) % 3; }; apply<<<1, 1>>>(l, p); apply<<<1, 1>>>(Functor(), p);",
            "    return cudaDeviceSynchronize() + pick(1.f) + branch(1) - 3 + call(Functor()) - twice(1) + call([](int x) { return x; });", "}"]
        self.check(tried("cpu", lines, "--extended-lambda"), 0, r"^k +1 +0 +0 +0$")


class Variables(Programs):
    MAIN = ["#include <cstdio>", "__device__ int n = 3; __device__ int table[4] = {1, 2, 3, 4}; __constant__ int c = 7;",
            "__managed__ int m = 1; __device__ const int fixed = 5;",
            "template <class T> void upload(T& to, T value) { cudaMemcpyToSymbol(to, &value, sizeof value); }",
            "__global__ void show() { std::printf(\"device %d %d %d %d\\n\", n, table[1], c, m); }",
            "int main() {"]

    def test_the_host_has_its_own_variable_by_a_name_of_the_device(self):
        """As nvcc's programs do; the values are those that begin as zeros."""
        done = tried("races", [*self.MAIN, "n += 10;", "table[1]++;", "m += fixed;", "int* q = &table[2]; *q = 8;",
                               "std::printf(\"host %d %d %d\\n\", n, table[1], c);", "show<<<1, 1>>>();", "upload(n, 4);",
                               "void* p; cudaGetSymbolAddress(&p, c); int h = 6; cudaMemcpy(p, &h, 4, cudaMemcpyHostToDevice); show<<<1, 1>>>();",
                               "std::puts(cudaGetErrorName(cudaMemcpy(&h, &n, 4, cudaMemcpyDeviceToHost)));",
                               "cudaMemcpyFromSymbol(&h, n, 4); cudaDeviceSynchronize(); std::printf(\"%d\\n\", h); }"])
        self.assertEqual(done.stdout, "host 10 1 0\ndevice 3 2 7 6\ndevice 4 2 6 6\ncudaErrorInvalidValue\n4\n")
        self.check(done, EXIT_BAD, *[rf"^nestbed: my\.cu:{line}: the host {use} its own copy of the __{kind}__ variable {name}[,;]" for line, use, kind, name in (
            (7, "writes", "device", "n"), (8, "reads", "device", "table"), (11, "reads", "device", "n"), (11, "reads", "constant", "c"),
            (15, "passes the address of", "device", "n"))])
        self.assertNotRegex(done.stderr, "copy of the __device__ variable (m|fixed)|my.cu:4: the host")

    def test_a_kernel_that_gets_the_address_of_the_copy_is_reported(self):
        lines = [*self.MAIN[:-1], "__global__ void k(int* p) { *p = 1; }", "int main() {", "k<<<1, 1>>>(table);", "return cudaDeviceSynchronize(); }"]
        self.check(tried("races", lines), EXIT_BAD, r"^nestbed: my\.cu:8: the host passes the address of its own copy of the __device__ variable table;",
                   r"^memory of the host: write of what an argument of the launch points to$")
        lines[7] = "void* p; cudaGetSymbolAddress(&p, table); k<<<1, 1>>>((int*)p); k<<<1, 1>>>(&m);"
        self.check(tried("races", lines), 0, "^no races: ")


class Written(Programs):
    """What functions of CUDA write is an access of the thread that calls them."""
    OUTPUTS = {"cudaStream_t": "cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking)", "cudaEvent_t": "cudaEventCreateWithFlags(&x, cudaEventDisableTiming)",
               "int*": "cudaMalloc(&x, 4)", "int": "cudaGetDevice(&x)", "unsigned": "cudaRuntimeGetVersion((int*)&x)",
               "short2": "cudaGetDeviceCount((int*)&x)", "float": "cudaDeviceGetAttribute((int*)&x, cudaDevAttrWarpSize, 0)",
               "size_t": "cudaDeviceGetLimit(&x, cudaLimitStackSize)", "cudaFuncAttributes": "cudaFuncGetAttributes(&x, none)",
               "ushort2": "cudaOccupancyMaxActiveBlocksPerMultiprocessor((int*)&x, none, 32, 0)"}

    def test_it_is_initialised_and_two_threads_race(self):
        lines = ["__global__ void none() {}", "template <class T> __device__ int use(const T& x) { return reinterpret_cast<const volatile char&>(x); }"]
        calls = "".join(f" right{number}<<<1, 2>>>(p);" for number in range(len(self.OUTPUTS)))
        for number, (kind, call) in enumerate(self.OUTPUTS.items()):
            lines.append(f"__global__ void right{number}(int* p) {{ __shared__ {kind} x; if (threadIdx.x == 0) {call}; __syncthreads(); p[threadIdx.x] = use(x); }}")
        self.check(tried("races", [*lines, f"int main() {{ int* p; cudaMalloc(&p, 8);{calls} return cudaDeviceSynchronize(); }}"]), 0, "^no races: ")
        wrong = [line.replace("if (threadIdx.x == 0) ", "") for line in lines]
        done = tried("races", [*wrong, f"int main() {{ int* p; cudaMalloc(&p, 8);{calls} return cudaDeviceSynchronize(); }}"])
        for number in range(len(self.OUTPUTS)):
            with self.subTest(wrong[number + 2]):
                self.check(done, EXIT_BAD, rf"^race: write and write of x[^\n]*\n  write  my\.cu:{number + 3}  depth 0, block 0, thread 0\n"
                                           rf"  write  my\.cu:{number + 3}  depth 0, block 0, thread 1$")

    def test_the_host_gets_nothing_in_memory_of_the_device(self):
        lines = ["struct S { int* p; int n; size_t s; cudaStream_t t; cudaDeviceProp d; };", "__global__ void k(int* p) { *p = 1; }",
                 "int main() { S* d; cudaMalloc(&d, sizeof(S)); int* p; cudaMalloc(&p, 4); k<<<1, 1>>>(p);", "cudaMalloc(&d->p, 4);", "cudaGetDevice(&d->n);",
                 "cudaDeviceGetLimit(&d->s, cudaLimitStackSize);", "cudaStreamCreate(&d->t);", "cudaGetDeviceProperties(&d->d, 0);", "}"]
        self.check(tried("races", lines), EXIT_BAD,
                   *[rf"^access by the host: write of d[^\n]*\n[^\n]*\n  write  my\.cu:{line}  the host$" for line in range(4, 9)])

    def test_the_detector_goes_on_after_an_illegal_access(self):
        lines = ["#include <cstdio>", "__global__ void store(int* p) {", "*p = 1; }", "__global__ void load(int* p, int* q) {", "*q = *p; }",
                 "int main() { int *q; cudaMalloc(&q, 4);", "store<<<1, 1>>>(nullptr); load<<<1, 1>>>(nullptr, q); std::puts(cudaGetErrorName(cudaGetLastError())); }"]
        done = tried("races", lines)
        self.check(done, EXIT_BAD, r"^  write  my\.cu:3  depth 0", r"^  read   my\.cu:5  depth 0")
        self.assertEqual(done.stdout, "cudaErrorIllegalAddress\n")
        self.assertNotIn("my.cu:5", tried("cpu", lines).stderr)

    def test_a_memset_of_null_is_named_with_its_line(self):
        lines = ["#include <cstring>", "__global__ void k(char* p, int n) {", "memset(p, 1, n); }",
                 "int main(int count, char**) { k<<<1, 1>>>(nullptr, 100 * count); cudaDeviceSynchronize(); }"]
        for command, said in (("cpu", r"in kernel k \(launched at my\.cu:4\)[^\n]*\nnestbed: at my\.cu:3$"),
                              ("races", r"^illegal address: write of address 0x0, of a null pointer\n  write  my\.cu:3 ")):
            with self.subTest(command):
                self.assertRegex(tried(command, lines).stderr, re.compile(said, re.M))


class Streams(Programs):
    def test_streams_that_are_not_there_are_errors_with_their_line(self):
        done = tried("cpu", ["#include <cstdio>", "__global__ void k(int* p) { ++*p; }", "#define SAY(call) std::printf(\"%s\\n\", cudaGetErrorName(call))",
                             "__global__ void parent(int* p, cudaEvent_t of_host) { cudaStream_t s;",
                             "printf(\"%d %d\\n\", cudaStreamCreateWithFlags(&s, cudaStreamDefault), cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));",
                             "printf(\"%d\\n\", cudaEventRecord(of_host, s)); printf(\"%d\\n\", cudaStreamDestroy(s));", "k<<<1, 1, 0, s>>>(p); printf(\"%d\\n\", cudaGetLastError());",
                             "printf(\"%d\\n\", cudaStreamDestroy(s)); }",
                             "int main() { int* p; cudaMallocManaged(&p, 4); *p = 0; cudaStream_t s; cudaStreamCreate(&s); cudaEvent_t e; cudaEventCreate(&e);",
                             "k<<<1, 1, 0, s>>>(p); SAY(cudaStreamDestroy(s));", "SAY(cudaStreamDestroy(s));", "k<<<1, 1, 0, s>>>(p); SAY(cudaGetLastError());",
                             "SAY(cudaEventRecord(e, s));", "SAY(cudaMemsetAsync(p, 0, 4, s));", "SAY(cudaStreamSynchronize((cudaStream_t)0x1234500));",
                             "SAY(cudaStreamWaitEvent(s, e, 0));",
                             "unsigned flags; SAY(cudaStreamGetFlags(s, &flags));", "int priority; SAY(cudaStreamGetPriority(s, &priority));",
                             "SAY(cudaStreamQuery(s));", "SAY(cudaLaunchHostFunc(s, [](void*) { std::puts(\"called\"); }, nullptr));",
                             "SAY(cudaStreamAddCallback(s, [](cudaStream_t, cudaError_t, void*) { std::puts(\"called\"); }, nullptr, 0));", "SAY(cudaEventDestroy(e)); SAY(cudaEventDestroy(e));",
                             "cudaEventCreate(&e); parent<<<1, 1>>>(p, e); SAY(cudaDeviceSynchronize()); std::printf(\"%d\\n\", *p); }"])
        gone = "cudaErrorInvalidResourceHandle\n"
        self.assertEqual(done.stdout, "cudaSuccess\n" + 11 * gone + "cudaSuccess\n" + gone + "1 0\n400\n0\n1\n1\ncudaSuccess\n1\n")
        self.check(done, 0, *[rf"^nestbed: my\.cu:{line}: (?:{what}): there is no such stream of the host, or it was destroyed" for line, what in (
            (11, "cudaStreamDestroy"), (12, "launch of k"), (13, "cudaEventRecord"), (14, "cudaMemsetAsync"), (15, "cudaStreamSynchronize"), (16, "cudaStreamWaitEvent"), (17, "cudaStreamGetFlags"),
            (18, "cudaStreamGetPriority"), (19, "cudaStreamQuery|cudaStreamSynchronize"), (20, "cudaLaunchHostFunc"), (21, "cudaStreamAddCallback"))],
                   r"^nestbed: my\.cu:5: cudaStreamCreateWithFlags: flags 0; in a kernel a stream needs cudaStreamNonBlocking",
                   r"^nestbed: my\.cu:7: launch of k: the stream is not of this grid, or was destroyed", r"^nestbed: my\.cu:8: cudaStreamDestroy: the stream is not")

    def test_a_stream_of_another_block_is_one_warning_and_no_error(self):
        """As on a GPU, which runs the child; the CUDA guide leaves undefined what such a stream does."""
        done = tried("cpu", ["#include <cstdio>", "__device__ cudaStream_t first; __device__ int made;", "__global__ void child() {}",
                             "__global__ void parent() { if (blockIdx.x == 0) { cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking); __threadfence();",
                             "child<<<1, 1, 0, first>>>(); atomicExch(&made, 1); }", "else { while (atomicAdd(&made, 0) == 0); __threadfence();",
                             "child<<<1, 1, 0, first>>>(); printf(\"%d\\n\", cudaGetLastError()); } }", "int main() { parent<<<3, 1>>>(); return cudaDeviceSynchronize(); }"])
        self.assertEqual(done.stdout, "0\n0\n")
        self.check(done, 0, r"^nestbed: my\.cu:7: warning: launch of child: the stream was created by block \(0,0,0\); CUDA leaves undefined [^\n]*\([12],0,0\)$")
        self.assertEqual(done.stderr.count("warning"), 1)


class References(Programs):
    def test_a_reference_to_local_memory_is_a_warning_and_can_race(self):
        done = tried("races", ["struct P { int n; };", "__global__ void child(const P& p, int* out) { out[threadIdx.x] = p.n; }",
                               "__global__ void copies(P p, int* out) {", "child<<<1, 2>>>(p, out); }", "__global__ void changes(P* p, int* out) {",
                               "child<<<1, 2>>>(*p, out);", "p->n = 9; }", "int main() { P* p; int* out; cudaMallocManaged(&p, 4); cudaMalloc(&out, 8); p->n = 1;",
                               "copies<<<1, 1>>>(*p, out); changes<<<1, 1>>>(p, out); return cudaDeviceSynchronize(); }"])
        self.check(done, EXIT_BAD, r"^nestbed: my\.cu:4: warning: an argument of the launch of child points to local memory of the launching thread",
                   r"^  write  my\.cu:7  depth 0, block 0, thread 0\n         in kernel changes, launched at my\.cu:9\n  read   my\.cu:2  depth 1, block 0, thread \d\n"
                                   r"         in kernel child, launched at my\.cu:6\n         by changes, block 0, thread 0$")
        self.assertNotIn("my.cu:6: warning", done.stderr)


class Processes(Programs):
    def test_a_child_process_cannot_use_cuda_begun_by_its_parent(self):
        lines = ["#include <cstdio>", "#include <sys/wait.h>", "#include <unistd.h>", "__global__ void k(int* p) { *p = 1; }",
                 "int main(int count, char**) { int* p; int state;", "if (count > 1) { cudaMalloc(&p, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize(); }",
                 "if (fork() == 0) { std::puts(cudaGetErrorName(cudaMalloc(&p, 4))); k<<<1, 1>>>(p); std::puts(cudaGetErrorName(cudaDeviceSynchronize())); std::exit(0); }",
                 "wait(&state); std::puts(cudaGetErrorName(cudaDeviceSynchronize())); }"]
        self.assertEqual(tried("cpu", lines, "--", "1").stdout, 2 * "cudaErrorInitializationError\n" + "cudaSuccess\n")
        self.assertEqual(tried("cpu", lines).stdout, 3 * "cudaSuccess\n")


if __name__ == "__main__":
    unittest.main()
