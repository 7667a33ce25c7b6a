#!/usr/bin/env python3
"""The words of `nestbed races`: the value that two writes have in common, and the kernels with their launches; and of `nestbed cpu`: the
form of paths."""
import json
import re
import unittest

from programs import NESTBED, called, new_folder

SOURCE = """\
__device__ int flag, last, few, mixed, x;
__device__ double half;
__device__ float each[8];
__global__ void add() { x = x + 1; }
__global__ void parent() {
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    add<<<1, 1, 0, a>>>();
    add<<<1, 1, 0, b>>>();
}
__global__ void all() {
    flag = 1;
    last = threadIdx.x;
    half = 0.5;
    each[threadIdx.x % 8] = threadIdx.x % 8;
    mixed = threadIdx.x == 99 ? 2 : 3;
    if (threadIdx.x < 2)
        few = -7;
}
int main() {
    all<<<1, 200>>>();
    parent<<<1, 1>>>();
    return cudaDeviceSynchronize();
}
"""

HEADER = """\
__device__ int x;
__device__ inline void add(int* p) { p[4 + threadIdx.x] = x = x + 1; }
"""
WITH_HEADER = """\
#include <cassert>
#include <add.cuh>
__global__ void child(int* p) { add(p); }
__global__ void parent(int* p) {
    child<<<1, 4>>>(p);
    child<<<1, 4096>>>(p);
}
__global__ void wrong() { if (threadIdx.x == 0) __syncthreads(); else __syncthreads(); }
__global__ void asserts() { assert(blockDim.x == 2); }
int main() {
    int own;
    int* p; cudaMalloc(&p, 16);
    parent<<<1, 2>>>(p);
    child<<<1, 4096>>>(&own);
    x = 1;
    cudaDeviceSynchronize();
    wrong<<<1, 2>>>();
    cudaDeviceReset();
    asserts<<<1, 1>>>();
}
"""


class ReportsTest(unittest.TestCase):
    """One program, whose report has all of it."""

    @classmethod
    def setUpClass(cls) -> None:
        done = called([NESTBED, "races", "my.cu"], new_folder(SOURCE))
        assert done.returncode == 3, done.stdout + done.stderr
        cls.report = done.stderr
        cls.races = {part.split(" of ", 1)[1].split(" (", 1)[0]: part for part in cls.report.split("\n\n") if part.startswith("race: write and write")}

    def test_a_value_that_both_write_is_said(self) -> None:
        self.assertIn("\n  both write the same value: -7\n", self.races["few"])
        self.assertIn(f"\n  both write the same value, in all {200 * 199 // 2} pairs: 1\n", self.races["flag"])
        self.assertIn(": 0x3fe0000000000000 (0.5 as a floating-point number)", " ".join(self.races["half"].split()))
        self.assertRegex(self.races["each[0]"], r"\n  both write the same value in each of the \d+ pairs \(in the first: 0\)\n")

    def test_different_values_are_not_called_the_same(self) -> None:
        for name in ("last", "mixed", "x"):
            with self.subTest(name=name):
                self.assertNotIn("the same value", self.races[name])

    def test_the_kernel_and_its_launch_are_named(self) -> None:
        self.assertIn("         both in kernel all, launched at my.cu:22\n", self.races["flag"])
        for line in (9, 10):
            self.assertIn(f"         in kernel add, launched at my.cu:{line}\n         by parent, block 0, thread 0\n", self.races["x"])

    def test_lines_have_80_columns(self) -> None:
        self.assertEqual([line for line in self.report.splitlines() if len(line) > 80], [])


class PathsTest(unittest.TestCase):
    """A source file that is compiled by a relative path, in another folder than the program runs in, and a header by an absolute one."""

    def run_in(self, command: str, start: str, to: str) -> None:
        top = new_folder("", "sub", "include", "elsewhere")
        (top / "include/add.cuh").write_text(HEADER, encoding="utf-8")
        (top / "sub/my.cu").write_text(WITH_HEADER, encoding="utf-8")
        script = f"cd {top}/sub && nvcc -I{top}/include my.cu -o my && cd {top / start} && {top}/sub/my"
        done = called([NESTBED, command, "--", "sh", "-c", script], top, NESTBED_REPORT=top / "report.json")
        whole = done.stdout + done.stderr + json.dumps(json.loads((top / "report.json").read_text(encoding="utf-8")))
        places = {"my.cu": set(), "add.cuh": set()}
        for path, file in re.findall(r"([^\s\"(]*?)((?:my\.cu|add\.cuh)\b)", whole):
            places[file].add(path)
        prefix = to.format(top=top)
        self.assertEqual(places, {"my.cu": {prefix + "sub/"}, "add.cuh": {prefix + "include/"} if command == "races" else set()}, whole)
        for line in (5, 6, 8, 9, 12, 13, 14, 15):
            if command == "races" or line not in (5, 12):
                self.assertIn(f"{prefix}sub/my.cu:{line}", whole)

    def test_below_the_working_directory(self) -> None:
        for command in ("races", "cpu"):
            with self.subTest(command=command):
                self.run_in(command, ".", "")

    def test_elsewhere(self) -> None:
        self.run_in("races", "elsewhere", "{top}/")


if __name__ == "__main__":
    unittest.main()
