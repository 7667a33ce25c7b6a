#!/usr/bin/env python3
"""The words of `nestbed races`: the value that two writes have in common, and the kernels with their launches."""
import os
import pathlib
import subprocess
import tempfile
import unittest

NESTBED = pathlib.Path(os.environ.get("NESTBED", "build/cpu-only/nestbed")).absolute()

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


class ReportsTest(unittest.TestCase):
    """One program, whose report has all of it."""

    @classmethod
    def setUpClass(cls) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "my.cu").write_text(SOURCE, encoding="utf-8")
            done = subprocess.run([NESTBED, "races", "my.cu"], cwd=folder, text=True, capture_output=True, timeout=300, check=False)
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


if __name__ == "__main__":
    unittest.main()
