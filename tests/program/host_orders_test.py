#!/usr/bin/python3
"""Tests of what orders the host, its streams, copies, functions (cuda/host_orders.cu) and threads (cuda/host_threads.cu): none missed, none
false.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/host_orders_test.py
"""
import pathlib
import unittest

from programs import EXIT_BAD, runner

SOURCE = pathlib.Path(__file__).with_name("cuda") / "host_orders.cu"
OF_THREADS = SOURCE.with_name("host_threads.cu")

# What differs in a program that is built with --default-stream per-thread.
PER_THREAD = {"null_stream_then_blocking": False, "stream_per_thread_and_null_stream": True, "blocking_then_legacy_stream": True,
              "set_then_a_blocking_stream": False, "from_pageable_then_the_null_stream": True, "one_stream": True,
              "non_blocking_then_legacy_stream": False}


# What the host reads after it has put 1 into memory by work in a stream: 0 is possible where it has not waited.
LATE = r"""
#include <cstdlib>
#include <cstring>
__global__ void put(int* to) { *to = 1; }
__global__ void raise(volatile int* to) { *to = 1; }
static int* pinned;
static void put_by_host(void*) { *pinned = 1; }
int main(int, char** words)
{
    const auto is = [&](const char* word) { return strstr(words[1], word) != nullptr; };
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEvent_t event;
    cudaEventCreate(&event);
    cudaMallocHost(&pinned, 4);
    int *one, *d;
    cudaMallocHost(&one, 4);
    cudaMalloc(&d, 4);
    *pinned = 0;
    *one = 1;
    if (is("kernel"))
        put<<<1, 1, 0, a>>>(pinned);
    if (is("copy")) {
        cudaMemcpyAsync(d, one, 4, cudaMemcpyHostToDevice, b);
        cudaEventRecord(event, b);
        cudaStreamWaitEvent(a, event);
        cudaMemcpyAsync(pinned, d, 4, cudaMemcpyDeviceToHost, a);
    }
    if (is("function"))
        cudaLaunchHostFunc(a, put_by_host, nullptr);
    if (is("set"))
        cudaMemsetAsync(pinned, 1, 1, a);
    if (is("spin")) {
        raise<<<1, 1, 0, a>>>(pinned);
        while (*static_cast<volatile int*>(pinned) == 0) {
        }
    }
    if (is("waited"))
        cudaStreamSynchronize(a);
    const int seen = *pinned;
    cudaDeviceSynchronize();
    return *pinned == 1 ? seen : 9;
}
"""


class HostOrders(unittest.TestCase):
    def test_a_random_order_shows_what_the_host_has_not_waited_for(self):
        called = runner(LATE)
        for work in ("kernel", "copy", "function", "set", "spin"):
            for order in ("waited", "" if work != "spin" else "itself"):
                with self.subTest(work=work, order=order):
                    seen = {called(work + order, NESTBED_SCHEDULE=f"random:{seed}").returncode for seed in range(6)}
                    self.assertEqual(seen, {1} if order else {0} if work == "function" else {0, 1})
            self.assertEqual(called(work, NESTBED_SCHEDULE="fifo").returncode, int(work != "function"))

    def check(self, called, name, is_right):
        with self.subTest(name=name):
            done = called(name)
            self.assertEqual((done.returncode, "race: " in done.stderr), (0, False) if is_right else (EXIT_BAD, True), done.stderr)

    def check_all(self, source, least, times=1):
        called = runner(source.read_text(encoding="utf-8"), "--nestbed-races")
        cases = called().stdout.splitlines()
        self.assertGreater(len(cases), least)
        for case in cases * times:
            self.check(called, case[1:], case[0] == "+")

    def test_each_case_is_right_or_wrong(self):
        self.check_all(SOURCE, 140)

    def test_each_use_of_several_threads_is_right_or_wrong(self):
        self.check_all(OF_THREADS, 70, times=2)

    def test_the_null_stream_is_the_threads_own_if_built_so(self):
        called = runner(SOURCE.read_text(encoding="utf-8"), "--nestbed-races", "--default-stream", "per-thread")
        for name, is_right in PER_THREAD.items():
            self.check(called, name, is_right)


if __name__ == "__main__":
    unittest.main()
