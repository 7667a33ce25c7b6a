#!/usr/bin/python3
"""Tests of the orders of the host's streams and events (CUDA guide, "Streams" and "Default Stream"): whether two kernels race.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/streams_test.py
"""
import unittest

from programs import EXIT_BAD, runner

# What the host does, and whether put() in the first stream races with put() in the last. Streams: A and B block, N does not, 0 is the NULL stream.
# Commands: a letter launches into that stream; eX records an event in X, and wX lets X wait for it; sX waits for X, h for the event, d for the device;
# mX copies in X, c on the host.
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
    # A copy waits for what is before it in its stream. The host does not wait for one on the device.
    "A c B": False, "A c N": True, "A c s0 N": False, "A mA B": True, "A mA A": False, "A m0 B": False, "N m0 A": True, "A mN B": True,
    "d A B": True, "-0 d A N": True,
}
SOURCE = r"""
__global__ void put(int* a) { *a += 1; }
__global__ void nothing() {}
int main(int count, char** words)
{
    int* v;
    cudaMalloc(&v, 16);
    cudaMemset(v, 0, 16);
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
        case 'c': cudaMemcpy(v + 1, v + 2, 4, cudaMemcpyDeviceToDevice); break;
        case 'm': cudaMemcpyAsync(v + 1, v + 2, 4, cudaMemcpyDeviceToDevice, stream(second)); break;
        default: put<<<1, 1, 0, stream(first)>>>(v);
        }
    }
    return cudaDeviceSynchronize();
}
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


if __name__ == "__main__":
    unittest.main()
