#!/usr/bin/python3
"""Tests that what nvcc builds is built: files with variables of one name, headers of cuda::std.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/builds_test.py
"""
import contextlib
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from programs import NESTBED, called

# Of each file its own variables: a header may define them.
ONE_NAME = """
namespace n { __constant__ int weights[4]; __align__(16) __device__ int counter = 1; static __device__ int own; }
__managed__ int sum;
static __global__ void use(int* out) { n::own = n::weights[0] + n::counter; *out = n::own; sum += n::own; }
int NAME(int weight)
{
    int host[4] = {weight}, result, *out;
    cudaMalloc(&out, 4);
    cudaMemcpyToSymbol(n::weights, host, sizeof host);
    use<<<1, 1>>>(out);
    cudaMemcpy(&result, out, 4, cudaMemcpyDeviceToHost);
    return result;
}
"""
# A build that links with g++, and names a CUDA toolkit, of which nothing must be used.
LINKED = {
    "my.cu": "#include <cstdio>\n__global__ void k() { printf(\"from a kernel\\n\"); }\nvoid go() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }\n",
    "main.cpp": "#include <cuda_runtime.h>\nvoid go();\nint main() { go(); return cudaGetLastError(); }\n",
    "Makefile": "my: my.o main.o\n\tg++ -L$(CUDA)/lib64 -L $(CUDA)/lib64 -lcudart my.o main.o -o my\n"
                "my.o: my.cu\n\tnvcc -c my.cu\nmain.o: main.cpp\n\tg++ -I$(CUDA)/include -I \"$(CUDA)/include\" -c main.cpp\n"
                "alone: my.o main.o\n\tgcc my.o main.o $(CUDA)/lib64/libcudart_static.a -o my\n"}

MAIN = "#include <cstdio>\nint other(int);\nint main() { const int a = first(3), b = other(5); std::printf(\"%d %d %d\\n\", a, b, sum); }\n"

CUDA_STD = """
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/bit>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cuda/std/variant>
#include <cuda/cmath>
#include <cuda/functional>
#include <cstdio>
template <class T>
__device__ cuda::std::optional<T> positive(T value) { return value > T(0) ? cuda::std::optional<T>(value) : cuda::std::nullopt; }
__global__ void k(cuda::std::span<int> out, cuda::std::array<int, 3> in)
{
    const auto [a, b] = cuda::std::make_tuple(in[0], cuda::std::max(in[1], in[2]));
    cuda::std::complex<float> c(3.0f, 4.0f);
    out[0] = a + b + (int)cuda::std::abs(c) + (int)cuda::std::sqrt(16.0f);
    out[1] = positive(a).value_or(7) + positive(-a).value_or(70);
    out[2] = cuda::std::popcount(0xFFu) + cuda::std::countl_zero(1u) + cuda::std::bit_cast<int>(1.0f) / 1000000;
    cuda::std::variant<int, float> v = 2.5f;
    out[3] = cuda::ceil_div(10, 4) + cuda::maximum<>{}(1, 2) + cuda::std::holds_alternative<float>(v) + (int)out.size();
    cuda::std::atomic<int> count{1};
    count.fetch_add(2, cuda::std::memory_order_relaxed);
    static_assert(cuda::std::is_same_v<cuda::std::int32_t, int> && cuda::std::numeric_limits<int>::max() > 0);
    out[4] = count.load() + cuda::std::exchange(in[0], 5) + cuda::std::plus<int>{}(1, 1);
}
int main()
{
    int* out;
    cudaMallocManaged(&out, 64);
    k<<<1, 1>>>(cuda::std::span<int>(out, 5), {1, 2, 3});
    cudaDeviceSynchronize();
    std::printf("%d %d %d %d %d\\n", out[0], out[1], out[2], out[3], out[4]);
}
"""


class Builds(unittest.TestCase):
    maxDiff = None

    def output(self, sources, *options):
        """What the program prints, or None if it is not built."""
        with tempfile.TemporaryDirectory(prefix="nestbed-builds-") as folder:
            for name, text in sources.items():
                (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
            built = called([NESTBED, "nvcc", *options, *sources, "-o", "my"], folder)
            return called(["./my"], folder).stdout if built.returncode == 0 else None

    def test_without_rdc_each_file_has_variables_of_its_own(self):
        files = {"a.cu": ONE_NAME.replace("NAME", "first") + MAIN, "b.cu": ONE_NAME.replace("NAME", "other")}
        self.assertEqual(self.output(files), "4 6 4\n")
        self.assertIsNone(self.output(files, "-rdc=true"))

    def test_a_link_by_the_host_compiler_gets_the_executor(self):
        with tempfile.TemporaryDirectory(prefix="nestbed builds-") as name:
            folder = pathlib.Path(name)
            for inner in ("cuda/include", "cuda/lib64"):
                (folder / inner).mkdir(parents=True)
            (folder / "cuda/include/cuda_runtime.h").write_text("#error the toolkit's header\n", encoding="utf-8")
            for library in ("libcudart.so", "libcudart_static.a"):
                (folder / "cuda/lib64" / library).write_text("not a library\n", encoding="utf-8")
            for file, text in LINKED.items():
                (folder / file).write_text(text.replace("$(CUDA)", "cuda"), encoding="utf-8")
            for mode, target in (("cpu", "my"), ("races", "my"), ("races", "alone")):
                with self.subTest(mode=mode, target=target):
                    built = called([NESTBED, mode, "--", "make", "-B", target], folder)
                    self.assertEqual((built.stderr, built.returncode), ("", 0))
                    ran = called(["./my"], folder)
                    self.assertEqual((ran.stdout, ran.returncode), ("from a kernel\n", 0), ran.stderr)
                    self.assertEqual("no races: " in ran.stderr, mode == "races", ran.stderr)

    def built_by_cpu(self, source):
        with tempfile.TemporaryDirectory(prefix="nestbed-builds-") as folder:
            pathlib.Path(folder, "my.cu").write_text(source, encoding="utf-8")
            return called([NESTBED, "cpu", "my.cu"], folder, LC_ALL="C")

    def test_errors_of_the_compiler_are_in_their_columns(self):
        kernel = "__global__ void k(int* d) { __shared__ int s[2]; s[0] = *d; d[0] = s[first]; }"
        launch = "    k<<<1, blocks_of_k>>>(d, argument); cudaMalloc((void**)&d, bytes);"
        done = self.built_by_cpu(f"{kernel}\nint main() {{ int* d;\n{launch}\n}}\n")
        self.assertEqual(done.returncode, 1)
        for word, line, text in (("first", 1, kernel), ("blocks_of_k", 3, launch), ("argument", 3, launch), ("bytes", 3, launch)):
            column = text.index(word)
            self.assertIn(f"my.cu:{line}:{column + 1}: error: '{word}' was not declared in this scope\n"
                          f"    {line} | {text}\n      | {' ' * column}^", done.stderr)

    def test_columns_behind_macros_are_those_of_the_source_or_none(self):
        lines = ["#include <cstdio>",
                 "#define CHECK(call) do { const cudaError_t code = (call); if (code != cudaSuccess) { puts(cudaGetErrorString(code)); } } while (0)",
                 "#define TWICE(value) ((value) + (value))", "#define HIDDEN not_declared", "__global__ void c() {}",
                 "__global__ void k(int* d) { d[threadIdx.x] = in_kernel; c<<<1, 1, 0, cudaStreamTailLaunch>>>(); d[1] = behind_launch; }",
                 "int main() {", "    int* d; CHECK(cudaMalloc(&d, in_macro)); int a = behind_macro;", "\tint b = /* ü */ after_tab;",
                 "    int e = TWICE(twin);", "    int f = HIDDEN;", "    k<<<1, blocks>>>(d);", "}", ""]
        done = self.built_by_cpu("\n".join(lines))
        self.assertEqual(done.returncode, 1)
        for line, word in ((8, "in_macro"), (8, "behind_macro"), (9, "after_tab"), (12, "blocks")):
            with self.subTest(word=word):
                text = lines[line - 1].expandtabs(8)
                column = text.index(word)
                self.assertRegex(done.stderr, rf"(?m)^my\.cu:{line}:{column + 1}: error: '{word}' was not declared in this scope.*\n"
                                              rf" +{line} \| {re.escape(text)}\n +\| {' ' * column}\^")
        for line, word in ((6, "in_kernel"), (6, "behind_launch"), (10, "twin"), (11, "not_declared")):
            with self.subTest(word=word):
                self.assertRegex(done.stderr, rf"(?m)^my\.cu:{line}: error: '{word}' was not declared in this scope.*\n +{line} \| .*\n(?! +\|)")

    def test_a_terminal_gets_colours_and_lines_of_80_columns(self):
        long = "a_kernel_with_a_long_name"
        for source, expected in (
                ("__global__ void k(int* d) { *d = first; }\nint main() { k<<<1, 1>>>(nullptr); }\n",
                 "my.cu:1:34: \x1b[31merror\x1b[0m: 'first' was not declared in this scope\n"),
                (f"__global__ void {long}(int* d) {{ d[2] = 1; }}\nint main() {{ {long}<<<1, 1>>>(nullptr); return cudaDeviceSynchronize(); }}\n",
                 "nestbed: access to an address that is no memory: write of 0x8 (null pointer)\n"
                 f"  in kernel {long} (launched at my.cu:2),\n  block (0,0,0), thread (0,0,0)\nnestbed: at my.cu:1\n"),
                ("__global__ void k() {}\nint main() { k<<<70000, 2000>>>(); cudaStreamSynchronize((cudaStream_t)77); }\n",
                 "nestbed: my.cu:2: ")):
            with self.subTest(source=source), tempfile.TemporaryDirectory(prefix="nestbed-builds-") as folder:
                pathlib.Path(folder, "my.cu").write_text(source, encoding="utf-8")
                ours, theirs = os.openpty()
                environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"LC_ALL": "C", "TERM": "xterm"}
                subprocess.run([NESTBED, "cpu", "my.cu"], cwd=folder, env=environment, stderr=theirs, timeout=300, check=False)
                os.close(theirs)
                written = b""
                with contextlib.suppress(OSError):  # the end of a terminal
                    while more := os.read(ours, 4096):
                        written += more
                os.close(ours)
                text = written.decode().replace("\r\n", "\n")
                self.assertIn(expected, text)
                for line in re.sub("\x1b[^m]*m", "", text).splitlines():
                    self.assertLessEqual(len(line), 80, line)
                self.assertNotIn("lambda", text)

    def test_a_program_without_main_is_told_of_kernel(self):
        done = self.built_by_cpu("__global__ void k(int* a) { *a = 1; }\n")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"(?m)^nestbed: there is no main\(\)\. .*: nestbed races my\.cu --kernel NAME --grid 4 ")
        self.assertNotIn("there is no main", self.built_by_cpu("void f();\nint main() { f(); }\n").stderr)

    def test_an_unknown_call_ends_a_run_that_gets_there(self):
        source = """#include <cstdio>
__global__ void k(float4* d, unsigned long long texture) { if (d[0].x > 5) d[0] = tex1DGrad<float4>(texture, 1.0f,
    2.0f, 3.0f); }
int main(int argc, char**)
{
    float4* d; cudaMalloc(&d, 64); cudaMemset(d, argc == 2 ? 100 : 0, 64);
    k<<<1, 1>>>(d, 0);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    if (argc > 2) {
        cudaMipmappedArray_t array;
        if (cudaMallocMipmappedArray(&array, nullptr,
            make_cudaExtent(1, 1, 1), 3) != cudaSuccess) return 4;
    }
    puts("end");
}
"""
        with tempfile.TemporaryDirectory(prefix="nestbed-builds-") as folder:
            pathlib.Path(folder, "my.cu").write_text(source, encoding="utf-8")
            for option in ([], ["--nestbed-races"]):
                built = called([NESTBED, "nvcc", *option, "my.cu", "-o", "my"], folder)
                self.assertEqual(built.returncode, 0, built.stderr)
                self.assertRegex(built.stderr, r"(?m)^my\.cu:2: warning: tex1DGrad: the executor has no .*; a run that gets here ends$")
                self.assertRegex(built.stderr, r"(?m)^my\.cu:11: warning: cudaMallocMipmappedArray: .*$")
                for words, code, output, message in (
                        ([], 0, "cudaSuccess\nend\n", ""),
                        (["1"], 3 if option else 0, "cudaErrorNotSupported\nend\n", r"^nestbed: kernel k .*: my\.cu:2: tex1DGrad: the executor has no "),
                        (["1", "2"], 3, "cudaSuccess\n", r"^nestbed: my\.cu:11: cudaMallocMipmappedArray: the executor has no ")):
                    with self.subTest(option=option, words=words):
                        ran = called(["./my", *words], folder)
                        self.assertEqual((ran.returncode, ran.stdout), (code, output), ran.stderr)
                        self.assertRegex(ran.stderr, "(?m)" + message)
                        self.assertEqual("nestbed: " in ran.stderr, message != "", ran.stderr)

    def test_all_calls_that_cannot_be_built_are_named(self):
        done = self.built_by_cpu("int main()\n{\n    cuInit(0);\n    cuCtxSynchronize();\n}\n")
        self.assertEqual(done.stderr, "my.cu:3: cuInit: the executor has no driver API\nmy.cu:4: cuCtxSynchronize: the executor has no driver API\n")

    def test_a_wait_in_a_kernel_is_named_once(self):
        source = ("__global__ void c() {}\n__global__ void k() {\n    c<<<1, 1>>>();\n    cudaDeviceSynchronize();\n}\n"
                  "int main() { k<<<2, 2>>>(); return cudaDeviceSynchronize(); }\n")
        self.assertEqual(re.findall("nestbed: .*", self.built_by_cpu(source).stderr),
                         ["nestbed: my.cu:4: cudaDeviceSynchronize() in a kernel: no GPU of compute capability 9.0 or later has it; "
                          "launch what follows into cudaStreamTailLaunch instead"])
        self.assertNotIn("nestbed: ", self.built_by_cpu(source.replace("    cuda", "    // cuda")).stderr)

    def test_common_parts_of_cuda_std_are_those_of_std(self):
        for standard in ("-std=c++17", "-std=c++20"):
            with self.subTest(standard):
                self.assertEqual(self.output({"my.cu": CUDA_STD}, standard), "13 71 1104 11 6\n")


if __name__ == "__main__":
    unittest.main()
