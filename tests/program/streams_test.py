#!/usr/bin/python3
"""Tests of the orders of the host's streams and events (CUDA guide, "Streams" and "Default Stream"): whether two kernels race.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/streams_test.py
"""
import unittest

from programs import EXIT_BAD, runner

# What the host does, and whether put() in the first stream races with put() in the last. Streams: A and B block, N does not, 0 is the NULL stream.
# Commands: a letter launches into that stream; eX records an event in X, and wX lets X wait for it; sX waits for X, h for the event, d for the device.
# nothing() launches a kernel without accesses into the stream behind the dash.
ORDERS = {
    # The NULL stream waits for the blocking ones, and they for it.
    "0 A": False, "A 0": False, "A B": True, "A A": False, "0 0": False, "N N": False,
    "0 N": True, "N 0": True, "A N": True, "N A": True,
    # Also by a kernel between them: of the NULL stream for both, of another stream for none.
    "A -0 B": False, "N -0 A": True, "A -0 N": True, "A -N B": True, "0 -A N": True, "A -B 0": False,
    # An event orders the stream that waits for it, and no other.
    "A eA wB B": False, "A eA wN N": False, "N eN w0 0": False, "N eN wA A": False, "0 e0 wN N": False,
    "A eA wN B": True, "A eA wB N": True, "N eN wA B": True, "N eN w0 B": False,
    # What comes after the event, or before its record, is not part of it; without a record it is nothing.
    "eA A wB B": True, "A wB B": True, "A eB wN N": True, "A eA -A wB B": False,
    # A later record counts; a wait is for the record that was there.
    "eA A eA wB B": False, "eA wB A eA B": True,
    # Waits of the host.
    "A d B": False, "N d A": False, "A sA B": False, "N sN A": False, "A sB B": True, "N s0 A": True, "A s0 N": False, "A eA h B": False,
    "eA A h B": True, "A h B": True,
    # A wait for all makes streams new: there is nothing to wait for.
    "d A B": True, "-0 d A N": True,
}
SOURCE = r"""
#include <cstdio>
#include <cstring>
__global__ void put(int* a) { *a += 1; }
__global__ void nothing() {}
#define SAY(call) std::printf("%s: %d\n", #call, static_cast<int>(call))
int values()
{
    cudaStream_t a, n, none;
    cudaEvent_t event, quiet, unused;
    unsigned flags = 7;
    int priority = 7;
    float ms = 7;
    SAY(cudaStreamCreate(&a));
    SAY(cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking));
    SAY(cudaStreamCreateWithFlags(&none, 2));
    SAY(cudaStreamGetFlags(a, &flags)); std::printf("%u\n", flags);
    SAY(cudaStreamGetFlags(n, &flags)); std::printf("%u\n", flags);
    SAY(cudaStreamGetFlags(0, &flags)); std::printf("%u\n", flags);
    SAY(cudaStreamGetPriority(a, &priority)); std::printf("%d\n", priority);
    SAY(cudaStreamDestroy(0));
    SAY(cudaEventCreate(&event));
    SAY(cudaEventCreate(&unused));
    SAY(cudaEventCreateWithFlags(&quiet, cudaEventDisableTiming));
    SAY(cudaEventElapsedTime(&ms, event, event));
    SAY(cudaEventRecord(event, a));
    SAY(cudaEventRecord(quiet, a));
    nothing<<<1, 1, 0, a>>>();
    SAY(cudaEventElapsedTime(&ms, event, event)); std::printf("%g\n", ms);
    SAY(cudaEventElapsedTime(&ms, event, quiet));
    SAY(cudaEventElapsedTime(&ms, quiet, event));
    SAY(cudaEventElapsedTime(&ms, event, unused));
    SAY(cudaEventQuery(event));
    SAY(cudaEventSynchronize(unused));
    SAY(cudaStreamWaitEvent(n, unused, 0));
    SAY(cudaEventDestroy(event));
    return cudaDeviceSynchronize();
}
int main(int count, char** words)
{
    if (count == 1)
        return values();
    int* v;
    cudaMalloc(&v, 4);
    cudaMemset(v, 0, 4);
    cudaDeviceSynchronize();
    cudaStream_t a, b, n;
    cudaStreamCreate(&a);
    cudaStreamCreateWithFlags(&b, cudaStreamDefault);
    cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking);
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    const auto stream = [&](char name) { return name == 'A' ? a : name == 'B' ? b : name == 'N' ? n : nullptr; };
    for (int word = 1; word < count; ++word) {
        const char first = words[word][0], second = words[word][1];
        switch (first) {
        case '-': nothing<<<1, 1, 0, stream(second)>>>(); break;
        case 'e': cudaEventRecord(event, stream(second)); break;
        case 'w': cudaStreamWaitEvent(stream(second), event, 0); break;
        case 's': cudaStreamSynchronize(stream(second)); break;
        case 'h': cudaEventSynchronize(event); break;
        case 'd': cudaDeviceSynchronize(); break;
        default: put<<<1, 1, 0, stream(first)>>>(v);
        }
    }
    return cudaDeviceSynchronize();
}
"""
VALUES = """cudaStreamCreate(&a): 0
cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking): 0
cudaStreamCreateWithFlags(&none, 2): 1
cudaStreamGetFlags(a, &flags): 0
0
cudaStreamGetFlags(n, &flags): 0
1
cudaStreamGetFlags(0, &flags): 0
0
cudaStreamGetPriority(a, &priority): 0
0
cudaStreamDestroy(0): 400
cudaEventCreate(&event): 0
cudaEventCreate(&unused): 0
cudaEventCreateWithFlags(&quiet, cudaEventDisableTiming): 0
cudaEventElapsedTime(&ms, event, event): 400
cudaEventRecord(event, a): 0
cudaEventRecord(quiet, a): 0
cudaEventElapsedTime(&ms, event, event): 0
0
cudaEventElapsedTime(&ms, event, quiet): 400
cudaEventElapsedTime(&ms, quiet, event): 400
cudaEventElapsedTime(&ms, event, unused): 400
cudaEventQuery(event): 0
cudaEventSynchronize(unused): 0
cudaStreamWaitEvent(n, unused, 0): 0
cudaEventDestroy(event): 0
"""


class Streams(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.called = staticmethod(runner(SOURCE, "--nestbed-races"))

    def test_kernels_race_where_nothing_orders_their_streams(self):
        for order, races in ORDERS.items():
            with self.subTest(order=order):
                done = self.called(*order.split())
                self.assertEqual((done.returncode, "race: " in done.stderr), (EXIT_BAD if races else 0, races), done.stderr)

    def test_functions_return_what_cuda_says(self):
        done = self.called()
        self.assertEqual((done.returncode, done.stdout), (0, VALUES), done.stderr)


if __name__ == "__main__":
    unittest.main()
