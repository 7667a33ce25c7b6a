#!/usr/bin/python3
"""Whatever a kernel does and however a program ends, the report has what was found until then, and says that it is not all.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/kept_findings_test.py [Class.test_…]

Each class builds one program, whose first argument names a kernel. Every run has the race of racy() before it.
"""
import json
import shutil
import unittest

from programs import EXIT_BAD, built, called

SOURCE = r"""#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
__device__ int table[10];
__device__ int valued[4] = {1, 2, 3, 4};
__global__ void racy(int* v) { v[0] = threadIdx.x; }
__global__ void tile(int* v, int at)
{
    __shared__ int tile[32];
    __shared__ double other[4];
    other[threadIdx.x % 4] = 1;
    tile[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) tile[at] = 7;
    __syncthreads();
    v[1 + threadIdx.x] = tile[31 - threadIdx.x] + (int)other[0];
}
__global__ void pool(int at) { extern __shared__ double pool[]; pool[at] = 1; }
__global__ void read_pool(int* v, int at) { extern __shared__ double pool[]; pool[0] = 1; v[1] = pool[at] > 0; }
__global__ void too_many(int* v)
{
    __shared__ int few[256];
    few[threadIdx.x] = v[threadIdx.x];
    __syncthreads();
    v[threadIdx.x] = 2 * few[blockDim.x - 1 - threadIdx.x];
}
__global__ void zeros(int at) { table[at] = 7; }
__global__ void values(int at) { valued[at] = 7; }
__global__ void null(int* p) { if (threadIdx.x == 3) p[0] = 1; }
__global__ void branches(int* p)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
    p[threadIdx.x] = 1;
}
__global__ void trap() { __trap(); }
int main(int, char** words)
{
    const char* what = words[1];
    const int at = atoi(words[2]);
    int* v;
    cudaMalloc(&v, 1024 * sizeof(int));
    cudaMemset(v, 0, 1024 * sizeof(int));
    racy<<<1, 32>>>(v);
    cudaDeviceSynchronize();
    const auto is = [what](const char* name) { return strcmp(what, name) == 0; };
    if (is("tile")) tile<<<2, 32>>>(v, at);
    if (is("pool")) pool<<<1, 1, 64>>>(at);
    if (is("read_pool")) read_pool<<<1, 1, 64>>>(v, at);
    if (is("too_many")) too_many<<<1, at>>>(v);
    if (is("zeros")) zeros<<<1, 1>>>(at);
    if (is("values")) values<<<1, 1>>>(at);
    if (is("null")) null<<<1, 32>>>(nullptr);
    if (is("branches")) branches<<<1, 64>>>(v);
    if (is("trap")) trap<<<1, 1>>>();
    const cudaError_t error = cudaDeviceSynchronize();
    if (is("throw")) throw std::runtime_error("of the host");
    if (is("terminate")) std::terminate();
    if (is("abort")) std::abort();
    if (is("exit")) std::exit(at);
    printf("%s\n", cudaGetErrorString(error));
    return 0;
}
"""


class Ended:
    def __init__(self, folder, *words):
        report = folder / "report.json"
        report.unlink(missing_ok=True)
        self.run = called(["./my", *map(str, words)], folder, NESTBED_REPORT=report)
        self.text = self.run.stdout + self.run.stderr
        self.report = json.loads(report.read_text(encoding="utf-8"))
        self.races = {place.partition(":")[2] for race in self.report.get("races", []) for place in race["first"]["places"][:1]}
        self.bad = [(bad["kind"], bad["access"]["kind"], bad["memory"], bad["access"]["places"][0].partition(":")[2])
                    for bad in self.report.get("bad_accesses", [])]


class Kept(unittest.TestCase):
    """Under the detector."""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = built(SOURCE, "-rdc=true", "--nestbed-races")

    def ended(self, *words):
        end = Ended(self.folder, *words)
        self.assertIn("8", end.races, end.text)  # what was found before
        self.assertIn("race: write and write of v[0]", end.run.stderr)
        return end

    def test_shared_memory_is_near_nothing_else(self):
        """Near, in the place of another block, and where no memory is: what is far ends the kernel, as on a GPU."""
        for at in (32, 300, 500, 1000, 4000, 20000, -1, -1000, -20000, 4_000_000):
            with self.subTest(at=at):
                end = self.ended("tile", at)
                self.assertEqual(end.bad, [("out of bounds", "write", f"tile[{at}]", "16")], end.text)
                self.assertEqual((end.run.returncode, end.run.stdout), (EXIT_BAD, "no error\n"))
                self.assertNotIn("incomplete", end.report)
        for name, at in (("tile", 100_000_000), ("tile", -300_000_000), ("tile", 2_000_000_000), ("pool", 1_000_000_000), ("read_pool", -900_000_000)):
            with self.subTest(name=name, at=at):
                end = self.ended(name, at)
                self.assertEqual([bad[0] for bad in end.bad], ["out of bounds"], end.text)
                self.assertRegex(end.bad[0][2], rf"^pool\[{at}\]|^(tile|other)\[")  # the nearest of the block
                self.assertEqual((end.run.returncode, end.run.stdout), (EXIT_BAD, "an illegal memory access was encountered\n"))
                self.assertRegex(end.run.stderr, r"(?m)^nestbed: kernel \w+ \(launched at my\.cu:\d+\), block \S+ \w+ of \S+ at my\.cu:\d+ .*illegal access, which ends")
                self.assertEqual([(failed["kernel"], failed["error"]) for failed in end.report["failed"]], [(name, "cudaErrorIllegalAddress")])
        self.assertEqual(self.ended("pool", 8).bad, [("out of bounds", "write", "pool[8]", "20")])
        self.assertEqual(self.ended("pool", 7).bad, [])

    def test_a_block_that_is_too_large_for_its_shared_array(self):
        for threads in (257, 512, 600, 768, 1024):
            with self.subTest(threads=threads):
                end = self.ended("too_many", threads)
                self.assertEqual(end.bad, [("out of bounds", "write", "few[256]", "25"), ("out of bounds", "read", f"few[{threads - 1}]", "27")])
                self.assertEqual(end.run.returncode, EXIT_BAD)

    def test_writes_behind_variables_are_named_and_break_nothing(self):
        for name, line, memory in (("zeros", "29", "table"), ("values", "30", "valued")):
            self.assertEqual(self.ended(name, 3).bad, [])
            for at in (10, 100, 20000, 30000):
                with self.subTest(name=name, at=at):
                    end = self.ended(name, at)
                    self.assertEqual(len(end.bad), 1, end.text)
                    self.assertEqual((end.bad[0][0], end.bad[0][1], end.bad[0][3]), ("out of bounds", "write", line), end.text)
                    self.assertEqual(end.run.returncode, EXIT_BAD)
                    if at == 10:
                        self.assertEqual(end.bad[0][2], f"{memory}[10]")
                        self.assertEqual(end.run.stdout, "no error\n")

    def test_the_json_has_the_kernels_that_failed_and_why(self):
        for name, error, text in (("null", "cudaErrorIllegalAddress", "write of address 0x0, of a null pointer at .*, where no memory is"),
                                  ("branches", "cudaErrorLaunchFailure", "wait at two barriers, .*my.cu:35 and .*my.cu:37"),
                                  ("trap", "cudaErrorLaunchFailure|cudaErrorIllegalInstruction", "trap")):
            with self.subTest(name):
                end = self.ended(name, 0)
                self.assertEqual(len(end.report["failed"]), 1, end.report)
                failed = end.report["failed"][0]
                self.assertEqual(failed["kernel"], name)
                self.assertRegex(failed["place"], r"my\.cu:\d+$")
                self.assertRegex(failed["error"], error)
                self.assertRegex(failed["text"], text)
                self.assertRegex(end.report["incomplete"], f"kernel {name} |the program did not come to its end: access to")
                self.assertRegex(end.run.stderr, r"(?m)^  not all: ")
        end = self.ended("none", 0)
        self.assertEqual((end.report["failed"], end.report.get("incomplete")), ([], None))
        self.assertNotIn("not all", end.text)

    def test_every_end_writes_what_was_found(self):
        for name in ("throw", "terminate", "abort"):
            with self.subTest(name):
                end = self.ended(name, 0)
                self.assertEqual(end.report["incomplete"], "the program did not come to its end: abort")
                self.assertEqual(end.report["failed"], [], "it is no kernel that failed")
        self.assertEqual(self.ended("exit", 0).run.returncode, EXIT_BAD)
        self.assertEqual(self.ended("exit", 5).run.returncode, 5)


class WithoutDetector(unittest.TestCase):
    def test_wrong_indices_in_shared_memory_break_nothing(self):
        folder = built(SOURCE, "-rdc=true")
        for words in (("too_many", 1024), ("tile", 1000), ("tile", -20000), ("tile", 4_000_000)):
            with self.subTest(words=words):
                end = called(["./my", *map(str, words)], folder)
                self.assertEqual((end.returncode, end.stdout), (0, "no error\n"), end.stderr)
        end = Ended(folder, "trap", 0)
        self.assertEqual([failed["kernel"] for failed in end.report["failed"]], ["trap"])


GROWTH = r"""#include <cstdlib>
__device__ int n[4];
__device__ int ready;
__global__ void tail(int* i, int count) { if (++*i < count) tail<<<1, 1, 0, cudaStreamTailLaunch>>>(i, count); }
__global__ void add() { atomicAdd(&n[0], 1); }
__global__ void free_add() { atomicAdd(&n[1], 1); __threadfence(); atomicAdd(&n[1], 1); }
__global__ void adds(int count) { for (int i = 0; i < count; ++i) add<<<1, 1>>>(); }
__global__ void free_adds(int count) { for (int i = 0; i < count; ++i) free_add<<<1, 1, 0, cudaStreamFireAndForget>>>(); }
__global__ void reads(int* v) { v[0] += n[0]; atomicAdd(&n[0], 1); }
__global__ void in_turn(int* v, int count) { for (int i = 0; i < count; ++i) reads<<<1, 1>>>(v); }
__global__ void fenced(int count) { for (int i = 0; i < count; ++i) { atomicAdd(&n[2], 1); __threadfence(); } }
__global__ void chain(int* i, int count) { *i = count; if (count > 0) chain<<<1, 1>>>(i, count - 1); }
int main(int, char** words)
{
    const int count = atoi(words[2]);
    cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 1 << 20);
    int* v;
    cudaMalloc(&v, 16);
    cudaMemset(v, 0, 16);
    switch (atoi(words[1])) {
    case 0: tail<<<1, 1>>>(v, count); break;
    case 1: adds<<<1, 1>>>(count); break;
    case 2: free_adds<<<1, 1>>>(count); break;
    case 3: in_turn<<<1, 1>>>(v, count); break;
    case 4: fenced<<<1, 32>>>(count); break;
    case 5: chain<<<1, 1>>>(v, count); break;
    }
    return cudaDeviceSynchronize();
}
"""


def used(folder, *words):
    """Processor seconds and megabytes of a run."""
    done = called(["/usr/bin/time", "-f", "%U %M", "./my", *map(str, words)], folder)
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.returncode}: {done.stderr}")
    seconds, kilobytes = done.stderr.splitlines()[-1].split()
    return float(seconds), int(kilobytes) / 1024


@unittest.skipIf(shutil.which("time") is None, "the program time is not there")
class Growth(unittest.TestCase):
    def test_is_in_proportion_to_the_launches(self):
        """Eight times the launches take eight times the time, or 25 where they no longer fit into caches; quadratic would be 64 times."""
        folder = built(GROWTH, "-rdc=true", "--nestbed-races")
        for kind in range(4):
            with self.subTest(kind=kind):
                for _ in range(5):  # other work on the machine may slow the longer run alone
                    few, _ = used(folder, kind, 8000)
                    many, _ = used(folder, kind, 64000)
                    growth = many / max(few, 0.02)
                    if growth < 40:
                        break
                self.assertLess(growth, 40)
        _, few_mb = used(folder, 4, 2000)
        _, many_mb = used(folder, 4, 40000)
        self.assertLess(many_mb, few_mb + 60)

    def test_of_a_chain_is_not_cubic(self):
        """Each of 2000 grids compares its write with those of all before it: 1 s, and 40 s if each comparison walked along the chain."""
        seconds, _ = used(built(GROWTH, "-rdc=true", "--nestbed-races"), 5, 2000)
        self.assertLess(seconds, 10)


if __name__ == "__main__":
    unittest.main()
