#!/usr/bin/python3
"""Tests of threads that wait for ever, and of such that only seem to; and of the words of some reports.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/waiting_test.py [Waiting.test_…]
"""
import re
import unittest

from mistakes_test import Programs, built, run
from programs import EXIT_BAD, runner

SCHEDULES = ("fifo", "eager", "random:1")

KERNELS = r"""
__device__ int mutex; __device__ unsigned arrived;
__device__ void grid_barrier() { __syncthreads(); if (threadIdx.x == 0) { atomicAdd(&arrived, 1u); while (*(volatile unsigned*)&arrived < gridDim.x) ; } __syncthreads(); }
__global__ void add_nothing(int* f) { while (atomicAdd(f, 0) != 3) ; }
__global__ void in_braces(volatile int* f) { while (*f == 0) { ; } }
__global__ void sleeps(int* f) { unsigned ns = 8; while (atomicCAS(f, 1, 2) != 1) { __nanosleep(ns); if (ns < 256) ns *= 2; } }
__global__ void at_barrier(int* f) { if (threadIdx.x == 0) while (*(volatile int*)f != 1) ; __syncthreads(); f[1] = 1; }
__global__ void do_while(int* f) { int v; do { v = atomicAdd(f, 0); } while (v < 2); }
__global__ void by_break(int* f) { for (;;) { if (atomicOr(f, 0) != 0) break; } }
__global__ void by_goto(volatile int* f) { again: if (*f == 0) goto again; }
__global__ void several(int* f) { for (;;) { int sum = 0; for (int b = 0; b < 3; ++b) sum += atomicAdd(&f[b], 0); if (sum == 3) break; } }
__global__ void grid_of_others(int* f) { if (blockIdx.x == 0) return; grid_barrier(); f[blockIdx.x] = 1; }
__global__ void lock_kept(int* f) { while (atomicCAS(&mutex, 0, 1) != 0) ; f[0] += 1; if (threadIdx.x != 0) atomicExch(&mutex, 0); }
__global__ void vote(int* f) { while (!__any_sync(0xffffffff, *(volatile int*)f != 0)) ; }
__global__ void set(int* f) { atomicExch(f, 1); }
__global__ void for_tail(int* f) { set<<<1, 1, 0, cudaStreamTailLaunch>>>(f); while (atomicAdd(f, 0) == 0) ; }
__global__ void for_second(int* f) { add_nothing<<<1, 1>>>(f); set<<<1, 1>>>(f); }

__global__ void timeout(int* f) { int n = 0; while (atomicAdd(f, 0) == 0) { if (++n > 200000) break; } f[threadIdx.x] = n; }
__global__ void clock(int* f) { const long long t = clock64(); while (*(volatile int*)f == 0 && clock64() - t < 300000000) ; f[threadIdx.x] = 1; }
__global__ void in_turn(int* f) { volatile int* v = f; for (int i = 0; i < 500; ++i) { while (v[0] != (int)(2 * i + threadIdx.x % 2)) { } v[0] = v[0] + 1; } }
__global__ void counts_in_memory(int* f) { volatile int* v = f; if (threadIdx.x == 0) { while (v[0] == 0) { v[1] = v[1] + 1; if (v[1] == 100000) v[0] = 1; } } else while (v[0] == 0) ; }
__global__ void for_child(int* f) { set<<<1, 1>>>(f); while (atomicAdd(f, 0) == 0) { ; } }
__global__ void lock(int* f) { bool done = false; while (!done) if (atomicCAS(&mutex, 0, 1) == 0) { f[0] += 1; __threadfence(); atomicExch(&mutex, 0); done = true; } }
__global__ void whole_grid(int* f) { grid_barrier(); atomicAdd(f, 1); }
"""
FOR_EVER = ("add_nothing", "in_braces", "sleeps", "at_barrier", "do_while", "by_break", "by_goto", "several", "grid_of_others", "lock_kept",
            "vote", "for_tail", "for_second")
NOT_FOR_EVER = ("timeout", "clock", "in_turn", "counts_in_memory", "for_child", "lock", "whole_grid")


def main():
    for number, name in enumerate(FOR_EVER + NOT_FOR_EVER):
        blocks, threads = (1, 2) if name in ("in_turn", "counts_in_memory", "for_child") else (3, 32)
        yield f"if (atoi(getenv(\"KERNEL\")) == {number}) {name}<<<{blocks}, {threads}>>>(f);"


def program(*options):
    text = KERNELS.replace("\n", "", 1)
    lines = ["int* f; cudaMalloc(&f, 4096); cudaMemset(f, 0, 4096);", *main(), "puts(cudaGetErrorName(cudaDeviceSynchronize()));"]
    return built("#include <cstdlib>\n" + text, lines, *options)


def line_of(name):
    return next(number for number, line in enumerate(KERNELS.splitlines()[1:], 3) if f"void {name}(" in line)


class Waiting(Programs):
    def each(self, names, check):
        for options in ((), ("--nestbed-races",)):
            called = program(*options)
            for name in names:
                for schedule in SCHEDULES:
                    with self.subTest(kernel=name, schedule=schedule, options=options):
                        number = (FOR_EVER + NOT_FOR_EVER).index(name)
                        check(name, schedule, called(KERNEL=number, NESTBED_SCHEDULE=schedule, NESTBED_WATCHDOG_S=0), bool(options))

    def test_for_ever(self):
        def check(name, schedule, done, watched):
            self.assertEqual(done.returncode, EXIT_BAD if watched else 0, done.stderr)
            self.assertIn("cudaErrorLaunchFailure", done.stdout)
            self.assertRegex(done.stderr, r"deadlock: \d+ threads? waits? in loops for memory that no thread will change")
            self.assertIn(f"my.cu:{line_of({'grid_of_others': 'grid_barrier', 'for_second': 'add_nothing'}.get(name, name))}", done.stderr)
            self.assertEqual("by this schedule a child runs" in done.stderr.lower(), name == "for_second" and schedule == "eager")
        self.each(FOR_EVER, check)

    def test_not_for_ever(self):
        def check(_name, _schedule, done, _watched):
            self.assertIn("cudaSuccess", done.stdout, done.stderr)
            self.assertNotIn("deadlock", done.stderr)
        self.each([name for name in NOT_FOR_EVER if name != "for_child"], check)

    def test_a_child_comes_at_once(self):
        """Not after the thread has read millions of times."""
        done = program("--nestbed-races")(KERNEL=(FOR_EVER + NOT_FOR_EVER).index("for_child"))
        accesses = int(re.search(r"(\d+) accesses", done.stderr).group(1))
        self.assertLess(accesses, 10000)


# 40 blocks of 1024 threads in loops that look as if they waited. Linux allows a process about 30,000 stacks.
WORKING = r"""#include <cstdio>
__global__ void work(unsigned* done, unsigned hits)
{
    __shared__ unsigned hit;
    if (threadIdx.x == 0) hit = 0;
    __syncthreads();
    while (hit < hits) atomicAdd(&hit, 1);
    __syncthreads();
    if (threadIdx.x == 0) done[blockIdx.x] = hit >= hits;
}
int main()
{
    unsigned *done, right = 0; cudaMallocManaged(&done, 40 * 4);
    work<<<40, 1024>>>(done, 1024 * 4400);
    if (cudaDeviceSynchronize() == cudaSuccess) for (int i = 0; i < 40; ++i) right += done[i];
    std::printf("%u\n", right);
}
"""


class Stacks(Programs):
    def test_blocks_that_give_way_end_before_stacks_do(self):
        self.assertEqual(runner(WORKING)().stdout, "40\n")


class Watchdog(Programs):
    def test_a_kernel_that_does_nothing_else_for_long(self):
        kernel = ("__global__ void c() {} __global__ void k(int mode) { volatile unsigned sum = 0; for (unsigned i = 0; i < 800000000; ++i)\n"
                  "{ sum = sum * 3 + 1; if (i % 100000 == 0) { if (mode == 1) __syncthreads(); if (mode == 2) c<<<1, 1>>>(); } } }")
        program = built("#include <cstdlib>\n" + kernel, ["k<<<1, 1>>>(atoi(getenv(\"MODE\")));", "cudaDeviceSynchronize();"])
        done = program(NESTBED_WATCHDOG_S="0.5", MODE=0)
        self.check(done, 0, r"kernel k \(launched at my.cu:\d+\) has run for 0.5 s without a launch, a barrier", r"in block \(0,0,0\), thread \(0,0,0\)")
        for mode in (1, 2):  # barriers, launches
            self.assertNotIn("has run for", program(NESTBED_WATCHDOG_S="0.5", MODE=mode).stderr, mode)


class Words(Programs):
    def test_memory_of_the_loop(self):
        kernel = "__global__ void k(int* a) { while (a[3] == 0) ; }" + " // and so on" * 9
        done = run("races", kernel, ["int* d; cudaMalloc(&d, 64); cudaMemset(d, 0, 64);", "k<<<1, 1>>>(d);"])
        self.check(done, EXIT_BAD, r"1 thread of kernel k at my.cu:2 for d\[3\], the first is block \(0,0,0\), thread \(0,0,0\)",
                   f"^      {re.escape(kernel[:100])}…$", "The last read is a plain one: nvcc may move it out of the loop")

    def test_eight_places_are_named(self):
        for places in (8, 9, 10):
            kernel = "__global__ void k(int* a) {\n" + "".join(f"if (threadIdx.x == {place}) while (atomicAdd(a, 0) == 0) ;\n" for place in range(places)) + "}"
            done = run("cpu", kernel, ["int* d; cudaMalloc(&d, 4); cudaMemset(d, 0, 4);", f"k<<<1, {places}>>>(d);"])
            self.assertEqual(done.stderr.count("1 thread of kernel k at my.cu:"), 8)
            self.assertEqual(re.findall("  and at (.*) more", done.stderr), {8: [], 9: ["1 place"], 10: ["2 places"]}[places])

    def test_a_launch_that_cannot_begin(self):
        kernel = "__global__ void c(int* a) { *a = 1; } __global__ void k(int* a) { %s while (atomicAdd(a, 0) == 0) ; }"
        main = ["int* d; cudaMalloc(&d, 4); cudaMemset(d, 0, 4);", "k<<<1, 1>>>(d);"]
        for launches, text in ((0, None), (1, "1 launch cannot begin before the kernel goes on"), (2, "2 launches cannot begin before the kernel goes on")):
            done = run("cpu", kernel % (launches * "c<<<1, 1, 0, cudaStreamTailLaunch>>>(a);"), main)
            self.check(done, 0, f"^  {text}$" if text else "deadlock: 1 thread waits")
            self.assertEqual("begin before" in done.stderr, text is not None, done.stderr)

    def test_who_else_waits(self):
        """And nobody else is named: whoever repairs a deadlock begins with who waits for whom."""
        main = ["int* d; cudaMalloc(&d, 4); cudaMemset(d, 0, 4);", "k<<<1, 4>>>(d);"]
        wait = "while (atomicAdd(a, 0) == 0) ;"
        for kernel, loops, others in ((f"if (threadIdx.x == 0) {wait} __syncthreads();", 1, [r"  3 threads at a barrier (my.cu:2)"]),
                                      (f"if (threadIdx.x == 0) {wait} __syncwarp(15);", 1,
                                       ["  3 threads for other lanes of the warp (__syncwarp(), a shuffle or a vote)"]),
                                      ("c<<<1, 1>>>(a); if (threadIdx.x == 0) cudaDeviceSynchronize();", 1, ["  1 thread for children"]),
                                      ("c<<<1, 1>>>(a); if (threadIdx.x < 2) cudaDeviceSynchronize();", 1, ["  2 threads for children"]),
                                      (wait, 4, [])):
            text = f"__global__ void c(int* a) {{ {wait} }} __global__ void k(int* a) {{ {kernel} }}"
            done = built(text, main)(NESTBED_SCHEDULE="random:1", NESTBED_WATCHDOG_S=0)
            with self.subTest(kernel=kernel):
                self.check(done, 0, rf"deadlock: {loops} threads? waits? in loops")
                self.assertEqual([line for line in done.stderr.splitlines() if re.match(r"  \d+ threads? (at a|for)", line)], others, done.stderr)

    REFUSED = "__global__ void c() {} __global__ void k() { c<<<1, 2000>>>(); %s }"

    def test_refused_launch(self):
        main = ["k<<<1, 1>>>();", "cudaDeviceSynchronize();"]
        self.check(run("races", self.REFUSED % "", main), EXIT_BAD, "^no races in what ran: ", "1 of 1 launches of c were refused")
        done = run("races", "__device__ int x; " + self.REFUSED % "x = threadIdx.x;", ["k<<<1, 2>>>();", "cudaDeviceSynchronize();"])
        self.assertRegex(done.stderr, r"(?s)were refused, first at .*\nrace: ")  # the cause comes first
        self.check(run("races", self.REFUSED % "if (cudaGetLastError() == cudaSuccess) __trap();", main), 0, "^no races: ")

    def test_streams_have_places(self):
        kernel = ("__device__ int x; __global__ void c() { x = x + 1; } __global__ void k() { cudaStream_t s, t;\n"
                  "cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);\ncudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);\n"
                  "c<<<1, 1, 0, s>>>(); c<<<1, 1, 0, t>>>(); }")
        done = run("races", kernel, ["k<<<1, 1>>>();", "cudaDeviceSynchronize();"])
        self.assertIn("a grid launched into a named stream of block 0 (made at my.cu:3) and one launched into a named stream of block 0 "
                      "(made at my.cu:4) are in no order", " ".join(done.stderr.split()))

    def test_open_order(self):
        kernel = "__global__ void c(int* a, int v) { *a = v; } __global__ void k(int* a) { %s c<<<1, 1>>>(a, threadIdx.x); %s }"
        main = ["int* d; cudaMalloc(&d, 4);", "k<<<1, 4>>>(d);"]
        self.check(run("races", kernel % ("", ""), main), 0, "^no races: ", "^note: 3 launches at my.cu:2 are in no order")
        done = run("races", kernel % ("for (int t = 0; t < 4; ++t) { __syncthreads(); if (t == threadIdx.x)", "}"), main)
        self.check(done, 0, "^no races: ")
        self.assertNotIn("note:", done.stderr)

    def test_preemptions_have_names(self):
        kernel = "__device__ int v; __global__ void c() { printf(\"%d\\n\", v); } __global__ void k() { v = 1; c<<<1, 1>>>(); v = 2; }"
        done = run("test", kernel, ["k<<<1, 1>>>();", "cudaDeviceSynchronize();"])
        self.assertRegex(" ".join((done.stdout + done.stderr).split()), r"1\. kernel c \(launched at my.cu:2\), block \(0,0,0\), thread \(0,0,0\) ran before")


if __name__ == "__main__":
    unittest.main()
