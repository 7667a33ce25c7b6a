#!/usr/bin/python3
"""Rules that every timeline of a program must keep, on the executor, where the truth is known.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/trace_test.py
"""
import collections
import csv
import json
import pathlib
import re
import unittest

from programs import NESTBED, built, called

CUDA = pathlib.Path(__file__).resolve().parent / "cuda"
SCHEDULES = ("fifo", "eager", "random:7")
# Every kind of stream, tail launches of tail launches, refused launches, a grid of several blocks, streams of the host.
FORMS = r"""
__global__ void leaf(int* a) { atomicAdd(a, 1); }
__global__ void level(int* a, int n)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0 && n > 0) {
        level<<<2, dim3(4, 2), 0, cudaStreamTailLaunch>>>(a, n - 1);
        leaf<<<1, 8, 0, cudaStreamTailLaunch>>>(a);
    }
    leaf<<<dim3(2, 2), 4>>>(a);
    leaf<<<1, 4>>>(a);
    leaf<<<1, 4, 0, cudaStreamFireAndForget>>>(a);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    leaf<<<1, 4, 0, stream>>>(a);
    cudaStreamDestroy(stream);
    leaf<<<0, 4>>>(a);
    leaf<<<1, 4096>>>(a);
}
int main()
{
    int* a;
    cudaMalloc(&a, 4);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    level<<<2, dim3(4, 2)>>>(a, 3);
    leaf<<<1, 1>>>(a);
    level<<<1, 32, 0, stream>>>(a, 2);
    leaf<<<1, 2048>>>(a);
    return cudaDeviceSynchronize();
}
"""


def rows_of(path):
    """The rows of a trace, with their numbers as numbers."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    for row in rows:
        for name in ("id", "parent", "depth", "called_ns", "begun_ns", "ended_ns"):
            row[name] = int(row[name]) if row[name] else None
    return rows


class Rules(unittest.TestCase):
    def check(self, rows):
        children = collections.defaultdict(list)
        for index, row in enumerate(rows):
            self.assertEqual(row["id"], index)
            if row["parent"] is None:
                self.assertEqual((row["depth"], row["stream"].split(":")[0]), (0, "host"))
            else:
                parent = rows[row["parent"]]
                self.assertLess(row["parent"], index)
                self.assertEqual(row["depth"], parent["depth"] + 1)
                self.assertLessEqual(parent["begun_ns"], row["called_ns"])
                self.assertLessEqual(row["called_ns"], parent["ended_ns"])
                children[row["parent"]].append(row)
            if row["error"]:
                self.assertEqual((row["begun_ns"], row["ended_ns"]), (None, None))
            else:
                self.assertLessEqual(row["called_ns"], row["begun_ns"])
                self.assertLessEqual(row["begun_ns"], row["ended_ns"])

        complete = {}  # when a grid and all its descendants have ended
        for row in reversed(rows):
            complete[row["id"]] = max([row["ended_ns"] or 0] + [complete[child["id"]] for child in children[row["id"]]])
        for number, launched in children.items():
            others = [complete[child["id"]] for child in launched if child["stream"] != "tail"]
            before = max([rows[number]["ended_ns"]] + others)
            tails = [child for child in launched if child["stream"] == "tail" and not child["error"]]
            for tail in sorted(tails, key=lambda grid: grid["begun_ns"]):
                self.assertGreaterEqual(tail["begun_ns"], before)
                before = max(before, complete[tail["id"]])

    def check_summary(self, rows, text):
        """The sum of the shares is the whole, and the sum of all runs is the sum over the numbers of running grids."""
        ran = [row for row in rows if row["ended_ns"]]
        changes = sorted([(row["begun_ns"], 1) for row in ran] + [(row["ended_ns"], -1) for row in ran])
        begin, end = min(row["called_ns"] for row in rows), changes[-1][0]
        idle, running, last = 0, 0, begin
        for time, change in changes:
            idle += (time - last) if running == 0 else 0
            running, last = running + change, time
        share = re.search(r"^  no grid ran .* (\d+) %$", text, re.MULTILINE)
        self.assertAlmostEqual(int(share.group(1)) if share else 0, 100 * idle / (end - begin), delta=0.51)
        shares = [int(one) for one in re.findall(r" (\d+) %$", text, re.MULTILINE)]
        self.assertAlmostEqual(sum(shares), 100, delta=len(shares))
        self.assertIn(f" {sum(row['parent'] is not None for row in rows)} grids from kernels\n", text)
        self.assertTrue(all(len(line) <= 80 for line in text[text.index("timeline:"):].splitlines() if "/" not in line))

    def check_program(self, folder, *arguments):
        for schedule in SCHEDULES:
            with self.subTest(schedule=schedule):
                done = called(["./my", *arguments], folder, NESTBED_TRACE="t.csv", NESTBED_REPORT="report.json", NESTBED_SCHEDULE=schedule)
                rows = rows_of(folder / "t.csv")
                self.check(rows)
                self.check_summary(rows, done.stderr)
                kernels = json.loads((folder / "report.json").read_text(encoding="utf-8"))["kernels"]
                counted = {one["kernel"]: (one["from_host"], one["from_device"], one["refused"]) for one in kernels}
                traced = collections.defaultdict(lambda: (0, 0, 0))
                for row in rows:
                    host, device, refused = traced[row["kernel"]]
                    traced[row["kernel"]] = (host + (row["parent"] is None), device + (row["parent"] is not None), refused + bool(row["error"]))
                self.assertEqual(dict(traced), counted)
                called([NESTBED, "trace", "--from", "t.csv", "-o", "t.json", "--overwrite"], folder)
                called([NESTBED, "trace", "--from", "t.json", "-o", "again.csv", "--overwrite"], folder)
                self.assertEqual((folder / "again.csv").read_bytes(), (folder / "t.csv").read_bytes())
        return rows

    def test_of_every_form_of_launch(self):
        rows = self.check_program(built(FORMS))
        self.assertEqual({row["stream"] for row in rows}, {"host", "null", "named", "fire_and_forget", "tail"})
        self.assertEqual({row["error"] for row in rows}, {"", "InvalidConfiguration", "InvalidValue"})
        self.assertIn(("2x2", "4"), {(row["grid"], row["block"]) for row in rows})

    def test_of_the_books_programs(self):
        for name in ("nested_hello", "nested_reduce_nosync", "nested_reduce2"):
            with self.subTest(program=name):
                source = (CUDA / "listings" / f"{name}.cu").read_text(encoding="utf-8")
                self.check_program(built(source, f"-I{CUDA / 'listings'}", f"-I{CUDA}"))


class OneFile(unittest.TestCase):
    def test_runs_on_the_executor_where_there_is_no_gpu(self):
        folder = built(FORMS)
        if pathlib.Path("/dev/nvidiactl").exists():
            self.skipTest("there is a GPU")
        done = called([NESTBED, "trace", "my.cu", "--csv", "--", "an argument"], folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the program runs on the executor", done.stderr)
        rows = rows_of(folder / "nestbed-trace.csv")
        self.assertGreater(len(rows), 20)
        tree = called([NESTBED, "tree", "--from", "nestbed-trace.csv"], folder)
        self.assertIn("depth", tree.stdout)
        for words, message in ((["--from", "my"], "my: it is not a trace"), (["my.cu", "word"], "'word' is not a source file"),
                               (["my.cu", "-o", "x"], "the program runs at once"), (["--csv", "--", "make"], "'--csv' was not expected")):
            refused = called([NESTBED, "trace", *words], folder)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn(message, refused.stderr)


if __name__ == "__main__":
    unittest.main()
