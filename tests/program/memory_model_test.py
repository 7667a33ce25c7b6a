#!/usr/bin/python3
"""What the PTX memory model says of single accesses: fences and loads by PTX, scopes, sizes, volatile, read-only and constant memory.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/memory_model_test.py [MemoryModel.test_…]

One program has all kernels, a line each; its argument names the one that it runs.
"""
import json
import re
import unittest

from programs import EXIT_BAD, built, called

PROGRAM = r"""
#include <cstdio>
#include <cstring>
#include <cuda/atomic>
__device__ volatile int data[8];
__device__ volatile int ready;
__device__ unsigned counts[4];
__device__ float total;
__device__ int flag;
__device__ int row[4];
__device__ double wide[4];
__device__ struct __attribute__((packed)) { char c; int x; } packed;
__constant__ int table[8];
template <class Fence>
__device__ void last_block(int* o, Fence fence)
{
    __shared__ bool last;
    const int t = threadIdx.x;
    o[blockIdx.x * 32 + t] = t; // written
    fence();
    __syncthreads();
    if (t == 0) {
        last = atomicAdd(o + 200, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last)
        o[201 + t] = o[((blockIdx.x + 1) % gridDim.x) * 32 + t]; // read by the last
}
__global__ void fence_sc(int* o) { last_block(o, [] { asm volatile("fence.sc.gpu;" ::: "memory"); }); }
__global__ void membar(int* o) { last_block(o, [] { asm volatile("membar.gl;" ::: "memory"); }); }
__global__ void fence_acq_rel(int* o) { last_block(o, [] { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }); }
__global__ void fence_block(int* o) { last_block(o, [] { asm volatile("fence.sc.cta;" ::: "memory"); }); }
template <class Post, class Wait>
__device__ void message(int* o, Post post, Wait wait)
{
    if (blockIdx.x == 0) {
        o[0] = 1; // posted
        post(o + 8);
    } else {
        while (wait(o + 8) == 0) {
        }
        o[1] = o[0]; // read
    }
}
__device__ int acquired(int* p) { int v; asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ int relaxed(int* p) { int v; asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ void released(int* p) { asm volatile("st.release.gpu.global.s32 [%0], %1;" :: "l"(p), "r"(1) : "memory"); }
__device__ void added(int* p) { asm volatile("red.release.gpu.global.add.s32 [%0], %1;" :: "l"(p), "r"(1) : "memory"); }
__device__ void weakly(int* p) { asm volatile("st.global.s32 [%0], %1;" :: "l"(p), "r"(1) : "memory"); }
__global__ void ptx_release(int* o) { message(o, released, acquired); }
__global__ void ptx_red(int* o) { message(o, added, acquired); }
__global__ void ptx_relaxed(int* o) { message(o, released, relaxed); }
__global__ void ptx_relaxed_fence(int* o) { message(o, released, [](int* p) { const int v = relaxed(p); asm volatile("fence.acq_rel.gpu;"); return v; }); }
__global__ void ptx_weak(int* o) { message(o, weakly, acquired); }
__global__ void ldcv(int* o) { message(o, [](int* p) { __threadfence(); *(volatile int*)p = 1; }, [](int* p) { const int v = __ldcv(p); __threadfence(); return v; }); }
__global__ void volatile_flag(int* o) { message(o, [](int* p) { __threadfence(); *(volatile int*)p = 1; }, [](int* p) { const int v = *(volatile int*)p; __threadfence(); return v; }); }
__global__ void ldg_input(int* o) { o[threadIdx.x] = __ldg(o + 100 + threadIdx.x); }
__global__ void ldg_written(int* o) { o[threadIdx.x] = 1; __syncthreads(); o[100 + threadIdx.x] = __ldg(o + 31 - threadIdx.x); }
__global__ void nc_written(int* o) { o[0] = 1; int v; asm("ld.global.nc.s32 %0, [%1];" : "=r"(v) : "l"(o)); o[1] = v; }
__global__ void sizes(int* o) { if (blockIdx.x == 0) atomicAdd((unsigned long long*)o, 1ULL); else atomicAdd((unsigned*)o + 1, 1U); }
__global__ void same_size(int* o) { atomicAdd((unsigned long long*)o, 1ULL); atomicMax((unsigned long long*)o + 1, 1ULL); atomicAdd(o + 8, 1); }
__global__ void of_thread(int* o) { cuda::atomic_ref<int, cuda::thread_scope_thread>(*o).fetch_add(1); }
__global__ void of_thread_own(int* o) { cuda::atomic_ref<int, cuda::thread_scope_thread>(o[blockIdx.x * 32 + threadIdx.x]).fetch_max(1); }
__global__ void updates(int*) { if (threadIdx.x == 0 && blockIdx.x == 0) { for (int i = 0; i < 4; ++i) counts[i] = 0; total = 0; } else { // reset
        atomicInc(&counts[0], 9); // inc
        atomicDec(&counts[1], 9); // dec
        atomicMax(&counts[2], 9U); // max
        atomicCAS(&counts[3], 0U, 1U); // cas
        atomicAdd(&total, 1.0f); } } // add
__global__ void volatile_race(int* o) { if (blockIdx.x == 0) o[0] = 1; else o[1] = *(volatile int*)o; }
template <bool fences>
__device__ void pass(int* o)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 1; // sent
        if constexpr (fences) __threadfence();
        ready = 1;
    } else {
        while (ready == 0);
        if constexpr (fences) __threadfence();
        o[0] = data[threadIdx.x]; // received
    }
}
__global__ void pass_open(int* o) { if (threadIdx.x == 0) pass<false>(o); }
__global__ void pass_fenced(int* o) { if (threadIdx.x == 0) pass<true>(o); }
__global__ void copied(int* o) { cudaMemcpyAsync(o, o + 64, 64, cudaMemcpyDeviceToDevice, 0); o[64] = 1; }
__global__ void filled(int* o) { cudaMemsetAsync(o, 0, 64, 0); o[15] = 1; }
__global__ void constant_written(int*) { table[threadIdx.x % 8] = 1; }
__global__ void constant_read(int* o) { if (blockIdx.x == 0) o[threadIdx.x] = table[threadIdx.x % 8]; }
__global__ void off_flag(int*) { *(int*)((char*)&flag + 1) = 1; }
__global__ void off_row(int*) { *(int*)((char*)&row[1] + 2) = 1; }
__global__ void off_wide(int*) { *(double*)((char*)&wide[1] + 4) = 1; }
__global__ void off_atomic(int*) { atomicAdd((int*)((char*)&row[2] + 2), 1); }
__global__ void off_malloc(int* o) { atomicAdd((int*)((char*)o + 2), 1); }
__device__ float first_of(float4 v) { return v.x; }
__global__ void off_pair(int* o) { *(float2*)(o + 1) = make_float2(1, 2); }
__global__ void off_argument(int* o) { o[0] = first_of(((float4*)(o + 2))[4]); }
__global__ void aligned(int*) { if (threadIdx.x == 0 && blockIdx.x == 0) { packed.x = 1; *((char*)&row[1] + 1) = 1; } }
__global__ void increment(int* d) { if (blockIdx.x == 0) d[threadIdx.x] += 1; }
__global__ void kernel_releases(int* d) { d[0] = 1; cuda::atomic_ref<int, cuda::thread_scope_system>(d[8]).store(1, cuda::memory_order_release); }
__global__ void kernel_stores(int* d) { d[0] = 1; cuda::atomic_ref<int, cuda::thread_scope_system>(d[8]).store(1, cuda::memory_order_relaxed); }
int on_host(const char* name)
{
    int* d;
    cudaMallocManaged(&d, 128);
    if (!std::strcmp(name, "managed_written")) for (int i = 0; i < 32; ++i) d[i] = -1;
    if (!std::strcmp(name, "managed_read")) { FILE* zero = std::fopen("/dev/zero", "r"); (void)!std::fread(d, 4, 32, zero); }
    if (!std::strncmp(name, "managed", 7)) { increment<<<1, 32>>>(d); return cudaDeviceSynchronize(); }
    d[8] = 0;
    if (!std::strcmp(name, "host_acquires_of_relaxed")) kernel_stores<<<1, 1>>>(d); else kernel_releases<<<1, 1>>>(d);
    if (!std::strcmp(name, "host_polls")) while (*(volatile int*)(d + 8) == 0);
    else if (std::strcmp(name, "host_does_not_wait")) while (cuda::atomic_ref<int, cuda::thread_scope_system>(d[8]).load(cuda::memory_order_acquire) == 0);
    const int v = d[0]; // read by the host
    cudaDeviceSynchronize();
    return v - 1;
}
#define RUN(blocks, threads, kernel) if (!std::strcmp(argv[1], #kernel)) { int* o; cudaMalloc(&o, 4096); cudaMemset(o, 0, 4096); kernel<<<blocks, threads>>>(o); return cudaDeviceSynchronize(); }
int main(int, char** argv)
{
    RUN(2, 32, fence_sc) RUN(2, 32, membar) RUN(2, 32, fence_acq_rel) RUN(2, 32, fence_block) RUN(2, 32, same_size)
    RUN(2, 32, of_thread) RUN(2, 32, of_thread_own) RUN(2, 32, pass_open) RUN(2, 32, pass_fenced) RUN(2, 32, constant_read)
    RUN(2, 32, aligned)
    RUN(2, 1, ptx_release) RUN(2, 1, ptx_red) RUN(2, 1, ptx_relaxed) RUN(2, 1, ptx_relaxed_fence) RUN(2, 1, ptx_weak)
    RUN(2, 1, ldcv) RUN(2, 1, volatile_flag) RUN(2, 1, sizes) RUN(2, 1, updates) RUN(2, 1, volatile_race)
    RUN(1, 32, ldg_input) RUN(1, 32, ldg_written)
    RUN(1, 1, nc_written) RUN(1, 1, constant_written) RUN(1, 1, off_flag) RUN(1, 1, off_row) RUN(1, 1, off_wide)
    RUN(1, 1, off_atomic) RUN(1, 1, off_malloc) RUN(1, 1, copied) RUN(1, 1, filled) RUN(1, 1, off_pair) RUN(1, 1, off_argument)
    return on_host(argv[1]);
}
"""


def line_of(text):
    """The number of the line with a comment or a kernel."""
    found = [number for number, line in enumerate(PROGRAM.split("\n"), 1) if line.endswith("// " + text) or re.search(rf" (void|int) {text}\(", line)]
    assert len(found) == 1, text
    return found[0]


class MemoryModel(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = built(PROGRAM, "--nestbed-races", "-std=c++17")

    def report(self, name):
        """(exit code, text, JSON) of a run of one kernel."""
        done = called(["./my", name], self.folder, NESTBED_REPORT="report.json")
        return done.returncode, done.stderr, json.loads((self.folder / "report.json").read_text(encoding="utf-8"))

    def races_of(self, name):
        """[(kind, line, kind, line)], of which the accesses are sorted by their lines."""
        code, text, told = self.report(name)
        self.assertEqual(told["bad_accesses"], [], text)
        self.assertEqual(code, EXIT_BAD if told["races"] else 0, text)
        pairs = [sorted((int(race[which]["places"][0].split(":")[1]), race[which]["kind"]) for which in ("first", "second")) for race in told["races"]]
        return sorted(tuple(pair) for pair in pairs)

    def test_right_programs_have_no_report(self):
        for name in ("fence_sc", "membar", "ptx_release", "ptx_red", "ptx_relaxed_fence", "volatile_flag", "ldg_input", "same_size", "of_thread_own",
                     "constant_read", "aligned", "pass_fenced", "managed_written", "managed_read", "host_acquires", "host_polls"):
            with self.subTest(name):
                code, text, told = self.report(name)
                self.assertEqual((code, told["races"], told["bad_accesses"], told["notes"]), (0, [], [], []), text)

    def test_a_weak_fence_or_one_of_a_block_orders_nothing(self):
        for name in ("fence_acq_rel", "fence_block"):
            with self.subTest(name):
                self.assertEqual(self.races_of(name), [((line_of("written"), "write"), (line_of("read by the last"), "read"))])

    def test_weak_and_relaxed_loads_and_stores_by_ptx_order_nothing(self):
        message = ((line_of("posted"), "write"), (line_of("read"), "read"))
        self.assertEqual(self.races_of("ptx_relaxed"), [message])
        flag = ((line_of("acquired"), "atomic read"), (line_of("weakly"), "write"))
        self.assertEqual(self.races_of("ptx_weak"), [message, flag])

    def test_a_load_with_the_hint_cv_is_weak(self):
        self.assertIn(((line_of("ldcv"), "read"), (line_of("ldcv"), "volatile write")), self.races_of("ldcv"))

    def test_atomics_of_different_sizes_or_of_a_threads_scope_race(self):
        self.assertEqual(self.races_of("sizes"), [((line_of("sizes"), "atomic update"),) * 2])
        self.assertIn("of 8 and 4 bytes", self.report("sizes")[1].replace("\n ", ""))
        self.assertEqual({kind for race in self.races_of("of_thread") for _, kind in race}, {"read", "write"})

    def test_an_atomic_operation_is_one_access_of_a_named_element(self):
        self.assertEqual(self.races_of("updates"),
                         [((line_of("reset"), "write"), (line_of(what), "atomic update")) for what in ("inc", "dec", "max", "cas", "add")])
        self.assertEqual(sorted(race["memory"] for race in self.report("updates")[2]["races"]),
                         ["counts[0]", "counts[1]", "counts[2]", "counts[3]", "total"])

    def test_a_copy_in_a_kernel_has_the_line_of_its_call(self):
        for name, kind in (("copied", "read"), ("filled", "write")):
            line = line_of(name)
            self.assertEqual(self.races_of(name), [tuple(sorted(((line, "write"), (line, kind))))])

    def test_volatile_accesses_are_called_so(self):
        line = line_of("volatile_race")
        self.assertEqual(self.races_of("volatile_race"), [((line, "volatile read"), (line, "write"))])

    def test_a_message_by_volatile_memory_without_fences_is_a_note(self):
        code, text, told = self.report("pass_open")
        self.assertEqual((code, told["races"], len(told["notes"])), (0, [], 1), text)
        self.assertRegex(text, r"(?m)^note: the order of a volatile write and a volatile read of data\[0\] is open")
        self.assertEqual([told["notes"][0][which]["places"][0] for which in ("first", "second")],
                         [f"my.cu:{line_of('sent')}", f"my.cu:{line_of('received')}"])

    def bad(self, name):
        code, text, told = self.report(name)
        self.assertEqual((code in (EXIT_BAD, 700 % 256), told["races"]), (True, []), text)
        return [(bad["kind"], bad["memory"], int(bad["access"]["places"][0].split(":")[1])) for bad in told["bad_accesses"]]

    def test_what_the_read_only_cache_reads_must_not_be_written(self):
        self.assertEqual([(kind, line) for kind, _, line in self.bad("ldg_written")],
                         [("not read-only", line_of("ldg_written"))])
        self.assertEqual(self.bad("nc_written"), [("not read-only", "o[0]", line_of("nc_written"))])

    def test_a_kernel_must_not_write_constant_memory(self):
        self.assertEqual([(kind, line) for kind, _, line in self.bad("constant_written")], [("write to constant memory", line_of("constant_written"))])

    def test_misaligned_variables_and_atomics_are_reported(self):
        for name, memory in (("off_flag", "flag"), ("off_row", "row[1]"), ("off_wide", "wide[1]"), ("off_atomic", "row[2]"), ("off_malloc", "o[0]"),
                             ("off_pair", "o[1]"), ("off_argument", "o[18]")):
            with self.subTest(name):
                self.assertEqual(self.bad(name), [("misaligned", memory, line_of(name))])

    def test_managed_memory_that_nothing_wrote_is_uninitialized(self):
        self.assertEqual(self.bad("managed"), [("uninitialized", "d[0]", line_of("increment"))])
        self.assertIn("managed memory is zero at first", re.sub(r"\s+", " ", self.report("managed")[1]))

    def test_the_host_that_does_not_acquire_races(self):
        for name in ("host_does_not_wait", "host_acquires_of_relaxed"):
            with self.subTest(name):
                self.assertIn(line_of("read by the host"), [line for race in self.races_of(name) for line, _ in race])


if __name__ == "__main__":
    unittest.main()
