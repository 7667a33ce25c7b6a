#!/usr/bin/python3
"""Tests of the reports on programs that exceed a limit of the GPU: of launches, shared memory, the heap and the stack of kernels, waits.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/limits_test.py [Launches.test_…]

What such programs do themselves is in cuda/constructs/limits_*.cu, because a GPU shows it too.
"""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from mistakes_test import EXIT_BAD, NESTBED, TIMEOUT_S, called


def built(source, *options):
    """A function that runs the program, which is built once, with arguments and variables of its environment. Line 1 is an include."""
    folder = tempfile.mkdtemp(prefix="nestbed-limits-")
    unittest.addModuleCleanup(shutil.rmtree, folder)
    (pathlib.Path(folder) / "my.cu").write_text("#include <cstdio>\n" + source, encoding="utf-8")
    subprocess.run([NESTBED, "nvcc", *options, "my.cu", "-o", "my"], cwd=folder, timeout=TIMEOUT_S, check=True)
    return lambda *arguments, **environment: called(["./my", *map(str, arguments)], folder, **environment)


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
    return cudaDeviceSynchronize();
}
"""

    def test_each_refused_launch_has_its_cause(self):
        for run in both(self.REFUSED):
            done = run()
            self.check(done, 0, "of k were refused, first at my.cu:7 InvalidConfiguration, which only cudaGetLastError() in the launching thread "
                       "returns: 40000 bytes of dynamic shared memory are more than the 39152 that k may have beside its 10000 static bytes.",
                       "of bounded were refused, first at my.cu:8 InvalidConfiguration", "the block has 65 threads; the __launch_bounds__ of bounded allow 64.",
                       "of chain were refused, first at my.cu:10 LaunchPendingCountExceeded", "more launches were pending than the limit allows.",
                       "the grid of (3,0,1) blocks is empty.", "a grid of (1,65536,1) blocks is too large; allowed: at most (2147483647,65535,65535).",
                       "a block of (1,1,65) threads is too large; allowed: at most (1024,1024,64), and 1024 together.",
                       "the block has 1056 threads; allowed: at most 1024.", "the block of (0,1,1) threads is empty.",
                       "50001 bytes of dynamic shared memory are more than the 50000 that cudaFuncSetAttribute() has allowed opted.")
            self.assertRegex(done.stderr, re.compile(r"^chain +1 +41 +1 +40  LaunchPendingCountExceeded$", re.MULTILINE))
            self.assertLessEqual(max(map(len, done.stderr.splitlines())), 80, done.stderr)

    def test_a_launch_that_asks_for_no_dynamic_shared_memory_has_none(self):
        run = built("__global__ void k(int* o) { extern __shared__ int s[]; s[threadIdx.x] = 1; *o = s[0]; }\n"
                    "int main() { int* o; cudaMalloc(&o, 4); k<<<1, 1>>>(o); return cudaDeviceSynchronize(); }\n", "--nestbed-races")
        self.check(run(), EXIT_BAD, "out of bounds: write of s[0], 4 bytes past its end", "out of bounds: read of s[0], 4 bytes past its end")


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


if __name__ == "__main__":
    unittest.main()
