#!/usr/bin/python3
"""Tests of what orders the nodes and launches of graphs (cuda/graph_orders.cu): none missed, none false; what orders show; what reports say.
With NESTBED_THOROUGH set there are more orders.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/graph_orders_test.py
"""
import os
import pathlib
import re
import unittest

from programs import EXIT_BAD, runner

THOROUGH = bool(os.environ.get("NESTBED_THOROUGH"))
SOURCE = pathlib.Path(__file__).with_name("cuda") / "graph_orders.cu"
CALLS = SOURCE.with_name("graph_calls.cu")

# Two nodes write to one place; the last one wins. The second word: an edge, or not.
TWO_NODES = r"""
#include <cstdio>
#include <cstring>
__global__ void put(int* to, int value) { *to = value; }
int main(int, char** words)
{
    int *d, seen = 0, one = 1, two = 2;
    cudaMalloc(&d, 4);
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    void* first[] = {&d, &one};
    void* second[] = {&d, &two};
    cudaKernelNodeParams parameters = {};
    parameters.func = (void*)put;
    parameters.gridDim = parameters.blockDim = dim3(1);
    parameters.kernelParams = first;
    cudaGraphNode_t a, b;
    cudaGraphAddKernelNode(&a, graph, nullptr, 0, &parameters);
    parameters.kernelParams = second;
    cudaGraphAddKernelNode(&b, graph, &a, strcmp(words[1], "edge") == 0, &parameters);
    cudaGraphExec_t executable;
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, s);
    cudaStreamSynchronize(s);
    cudaMemcpy(&seen, d, 4, cudaMemcpyDeviceToHost);
    return seen;
}
"""

# What CUDA leaves open: memory that is freed under a graph, and a reset of the device under graphs and a capture. The word: the case.
ENDS = r"""
#include <cstdint>
#include <cstdio>
#include <cstring>
__global__ void put(int* to) { to[threadIdx.x] = 1; }
__global__ void get(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x]; }
static cudaGraphNode_t set(cudaGraph_t graph, void* to)
{
    cudaMemsetParams parameters = {};
    parameters.dst = to;
    parameters.elementSize = parameters.height = 1;
    parameters.width = 64;
    cudaGraphNode_t node;
    cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &parameters);
    return node;
}
static cudaGraphExec_t made(cudaGraph_t graph)
{
    cudaGraphExec_t executable = nullptr;
    cudaGraphInstantiate(&executable, graph, 0);
    return executable;
}
static void print(cudaError_t error) { puts(cudaGetErrorName(error)); }
int main(int, char** words)
{
    int *freed, *d, *e;
    cudaMalloc(&freed, 256);
    cudaMalloc(&d, 256);
    cudaMalloc(&e, 256);
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    if (strcmp(words[1], "loop") == 0) {
        cudaGraphNodeParams parameters = {};
        parameters.type = cudaGraphNodeTypeConditional;
        parameters.conditional.type = cudaGraphCondTypeWhile;
        parameters.conditional.size = 1;
        cudaGraphConditionalHandleCreate(&parameters.conditional.handle, graph, 1, cudaGraphCondAssignDefault);
        cudaGraphNode_t node;
        cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters);
        set(parameters.conditional.phGraph_out[0], freed);
        cudaFree(freed);
        put<<<1, 64, 0, s>>>(d);
        cudaGraphLaunch(made(graph), s);
        print(cudaStreamSynchronize(s));
    } else if (strcmp(words[1], "join") == 0) {
        cudaKernelNodeParams parameters = {};
        void* arguments[] = {&d};
        parameters.func = (void*)put;
        parameters.gridDim = dim3(1);
        parameters.blockDim = dim3(64);
        parameters.kernelParams = arguments;
        cudaGraphNode_t node;
        cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters);
        set(graph, freed);
        cudaFree(freed);
        print(cudaGraphLaunch(made(graph), s));
        get<<<1, 64, 0, s>>>(e, d); // behind what of the graph has begun
        print(cudaStreamSynchronize(s));
    } else {
        put<<<1, 64, 0, s>>>(d);
        for (int time = 0; time < 3; ++time) {
            cudaMemAllocNodeParams parameters = {};
            parameters.poolProps.allocType = cudaMemAllocationTypePinned;
            parameters.poolProps.location.type = cudaMemLocationTypeDevice;
            parameters.bytesize = size_t{1} << 20U;
            cudaGraphNode_t node;
            print(cudaGraphCreate(&graph, 0));
            print(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &parameters));
            const cudaGraphExec_t executable = made(graph);
            print(cudaGraphLaunch(executable, s));
            cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
            print(cudaDeviceReset());
            print(cudaStreamEndCapture(s, &graph));
            cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
            print(cudaDeviceReset());
            cudaStreamCaptureStatus status;
            print(cudaStreamIsCapturing(s, &status));
            uint64_t used = 1;
            print(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
            printf("%d %d\n", static_cast<int>(status), static_cast<int>(used));
            print(cudaGraphExecDestroy(executable));
        }
    }
    return 0;
}
"""


class GraphOrders(unittest.TestCase):
    def test_each_case_is_right_or_wrong(self):
        called = runner(SOURCE.read_text(encoding="utf-8"), "--nestbed-races")
        cases = called().stdout.splitlines()
        self.assertGreater(len(cases), 125)
        for case in cases:
            with self.subTest(name=case[1:]):
                done = called(case[1:])
                reported = ["race: " in done.stderr, "use after free: " in done.stderr]
                expected = {"+": (0, [False, False]), "-": (EXIT_BAD, [True, False]), "!": (EXIT_BAD, [False, True])}
                self.assertEqual((done.returncode, reported), expected[case[0]], done.stderr)

    def test_cases_run_by_every_order_without_the_detector(self):
        called = runner(SOURCE.read_text(encoding="utf-8"))
        for case in called().stdout.splitlines():
            for schedule in ("eager", "fifo", "random:3") if THOROUGH else ("random:3",):
                with self.subTest(name=case[1:], schedule=schedule):
                    done = called(case[1:], NESTBED_SCHEDULE=schedule)
                    if case[0] == "+":
                        self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertNotIn(done.returncode, (9, -6, -11), done.stderr)  # CUDA refused a call, or a crash

    def test_a_random_order_shows_that_an_edge_is_missing(self):
        called = runner(TWO_NODES)
        for word, expected in (("edge", {2}), ("none", {1, 2})):
            with self.subTest(word=word):
                self.assertEqual({called(word, NESTBED_SCHEDULE=f"random:{seed}").returncode for seed in range(8)}, expected)
                self.assertEqual({called(word, NESTBED_SCHEDULE=order).returncode for order in ("eager", "fifo")}, {2})

    def test_what_fails_ends_the_loop_and_keeps_its_order(self):
        for options in ((), ("--nestbed-races",)):
            called = runner(ENDS, *options)
            for schedule in ("fifo", "random:1") if not options else ("fifo",):
                for word, expected in (("loop", ["cudaErrorInvalidValue"]), ("join", ["cudaErrorInvalidValue", "cudaSuccess"])):
                    with self.subTest(word=word, options=options, schedule=schedule):
                        done = called(word, NESTBED_SCHEDULE=schedule)
                        self.assertEqual(done.stdout.splitlines(), expected, done.stderr)
                        self.assertNotIn("race: ", done.stderr)

    def test_a_reset_ends_graphs_their_memory_and_captures(self):
        refused = ["cudaErrorStreamCaptureUnsupported", "cudaErrorStreamCaptureInvalidated"]
        once = ["cudaSuccess"] * 3 + refused + ["cudaSuccess"] * 3 + ["0 0", "cudaErrorInvalidValue"]
        for options in ((), ("--nestbed-races",)):
            done = runner(ENDS, *options)("reset", NESTBED_SCHEDULE="fifo")
            self.assertEqual(done.stdout.splitlines(), once * 3, done.stderr)

    def test_a_report_names_both_nodes_and_the_missing_edge(self):
        report = re.sub(r"\s+", " ", runner(TWO_NODES, "--nestbed-races")("none").stderr)
        self.assertRegex(report, r"missing: no edges lead from kernel put, a node of a graph \(added at \S+:20\) to kernel put, a node of a graph "
                                 r"\(added at \S+:22\) \(cudaGraphAddDependencies\(\) would make one")


class GraphCalls(unittest.TestCase):
    def run_parts(self, called, schedules, of_many):
        parts = called().stdout.splitlines()
        self.assertGreater(len(parts), 20)
        for part in parts:
            for schedule in of_many if "of_many" in part else schedules:  # those take long
                with self.subTest(name=part, schedule=schedule):
                    done = called(part, NESTBED_SCHEDULE=schedule)
                    self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_graphs_return_and_compute_the_same_by_every_order(self):
        self.run_parts(runner(CALLS.read_text(encoding="utf-8")), ["fifo", "eager", *(f"random:{seed}" for seed in range(8 if THOROUGH else 1))], ["fifo"])

    def test_the_detector_reports_nothing_of_them(self):
        self.run_parts(runner(CALLS.read_text(encoding="utf-8"), "--nestbed-races"), ["fifo", "random:1"] if THOROUGH else ["fifo"], [])


if __name__ == "__main__":
    unittest.main()
