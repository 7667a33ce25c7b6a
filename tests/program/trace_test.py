#!/usr/bin/python3
"""Rules that every timeline of a program must keep, on the executor, where the truth is known.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/trace_test.py
"""
import collections
import csv
import json
import pathlib
import re
import shutil
import unittest

from programs import NESTBED, built, called, new_folder

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


# What a tracer must leave compiling: exits, templates, attributes, names, macros, launches in every place.
SHAPES = r"""
struct P { int a; float b[4]; };
template <class T, int n = 3> struct Q { T t[n]; };
__global__ void early(int* a, int n)
{
    if (n == 0) return;
    for (int i = 0; i < n; ++i) { if (a[i] == 7) return; a[i] = i; }
    switch (n) { case 5: return; default: a[2] = 3; }
}
__global__ void __launch_bounds__(1024) wide(P p, const Q<int, 5> q, int* a) { __shared__ int s[1000]; s[threadIdx.x % 1000] = p.a + q.t[2]; __syncthreads(); a[threadIdx.x] = s[0]; }
__global__ void by_reference(int& x, const P& p) { x = p.a; }
template <class... A> __global__ void pack(A... a) {}
template <class F> __global__ void functor(F f) { f(); }
__global__ void dynamic(int* a) { extern __shared__ float4 more[]; more[threadIdx.x].x = 1; __syncthreads(); a[threadIdx.x] = static_cast<int>(more[0].x); }
extern "C" __global__ void c_name(int* a) { *a = 1; }
namespace outer { namespace { __global__ void hidden(int* a) { *a = 2; } } inline namespace v1 { static __global__ void own(int* a) { *a = 3; } } }
__device__ void helper(int* a, int n);
__global__ void recursive(int* a, int n)
{
    if (n > 0) {
        helper(a, n);
        auto again = [=](int m) { recursive<<<1, 32>>>(a, m); };
        again(n - 1);
    }
    asm volatile("exit;");
}
__device__ void helper(int* a, int n)
{
    if (n & 1) outer::hidden<<<dim3(1, 2), {32, 2, 1}, 0, cudaStreamFireAndForget>>>(a);
    else outer::v1::own<<<n, 32>>>(a);
    early<<<(n + 1) / 2, n > 3 ? 32 : 64, sizeof(Q<int, 4>), cudaStreamTailLaunch>>>(a, n);
}
#define LAUNCH(k, ...) k<<<1, 32>>>(__VA_ARGS__)
__global__ void macros(int* a) { if (a) LAUNCH(early, a, 1); else LAUNCH(c_name, a); for (LAUNCH(c_name, a); false;) {} a ? LAUNCH(c_name, a) : (void)0; }
__host__ __device__ void both(int* a) { c_name<<<1, 1>>>(a); }
__global__ void trapped(int* a) { if (*a) __trap(); both(a); }
template <class T> struct Runner { T t; void go() { pack<T, int><<<2, 2>>>(t, 3); functor<<<1, 1>>>([] __device__ () {}); } };
int main()
{
    int* a;
    cudaMallocManaged(&a, 4096);
    cudaStream_t s;
    cudaStreamCreate(&s);
    wide<<<1, 1024, 0, s>>>(P{}, {}, a);
    by_reference<<<1, 1>>>(*a, P{});
    pack<<<1, 1>>>();
    Runner<float>{}.go();
    dynamic<<<1, 32, 1024>>>(a);
    auto f = [&] { recursive<<<1, 1, 0, s>>>(a, 3); };
    f();
    if (bool b = a) macros<<<1, 1>>>(a); else trapped<<<1, 1, 0, cudaStreamPerThread>>>(a);
    both(a);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 7;
}
"""
# A program that makes up what a device recorded, and writes it as every traced program does.
WRITER = r"""
__global__ void k(int n) { if (n) k<<<1, 1>>>(n - 1); }
nestbed_trace::Segment* segment(unsigned capacity)
{
    using namespace nestbed_trace;
    Segment* const s = new Segment();
    s->trace = s->copy = reinterpret_cast<Trace*>(static_cast<char*>(calloc(1, Trace::bytes(capacity))) + Trace::bytes_of_stamps(capacity));
    s->copy->capacity = capacity;
    s->hosts = static_cast<HostGrid*>(calloc(capacity, sizeof(HostGrid)));
    return s;
}
int main()
{
    using namespace nestbed_trace;
    constexpr unsigned capacity = 4;
    Segment* const s = segment(capacity);
    s->first = {1000000000000LL, 500, 300}; // the device is 500 ns ahead, and 100 ns more a millisecond later
    s->last = {1000001000000LL, 600, 200};
    s->step_ns = 32;
    strcpy(s->name, "a GPU");
    s->copy->grids = 6;
    s->hosts_claimed = 1;
    s->hosts[0] = {1000000000100LL, &nestbed_count::site_of(7, "k", "/a/my.cu:5"), {1, 1, 1}, {32, 2, 1}, 0, 0, 0};
    s->copy->stamp(capacity) = {~1000000010600ULL, 1000000020600ULL};
    nestbed_trace::Site* const site = new nestbed_trace::Site();
    site->site = 9;
    strcpy(site->kernel, "k");
    strcpy(site->place, "/a/my.cu:2");
    nestbed_trace::state().sites[9] = site;
    for (unsigned i = 0; i < capacity; ++i) {
        s->copy->line(i) = {1000000015600ULL + i * 10000, i == 0 ? capacity : i - 1, i + 1, 9, {1, 1, 1}, {1, 1, 1}, i == 2 ? 4u : 3u, i == 3 ? 69 : 0, 0};
        if (i < 3) s->copy->stamp(i) = {~(1000000022600ULL + i * 10000), i == 1 ? 0 : 1000000024600ULL + i * 10000};
    }
    // A grid of many blocks, of the last two places for such: its last block is that of line 10.
    constexpr unsigned more = 512;
    Segment* const many = segment(more);
    many->device = 1;
    many->hosts_claimed = 1;
    many->hosts[0] = {1000000000100LL, &nestbed_count::site_of(7, "k", "/a/my.cu:5"), {5000, 1, 1}, {32, 1, 1}, 0, 0, 2 * many->copy->many_capacity()};
    many->copy->stamp(more) = {~1000000000700ULL, 0};
    for (unsigned line = 0; line < 16; ++line)
        many->copy->ends(many->hosts[0].ends - 1)[line * Ends::kGrids] = 1000000000800ULL + line * (20 - line);
    many->copy->ends(many->hosts[0].ends - 2)[0] = 1000000000999ULL;
    if (reinterpret_cast<char*>(many->copy->ends(many->hosts[0].ends - 1) + 15 * Ends::kGrids + 1) >
        reinterpret_cast<char*>(many->copy) - Trace::bytes_of_stamps(more) + Trace::bytes(more))
        _exit(1);
    s->next = many;
    nestbed_trace::state().captured = 3;
    nestbed_trace::state().segments = s;
    write_trace();
    _exit(0);
}
"""


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
        begin, end = min(row["begun_ns"] for row in ran), changes[-1][0]
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
        for words, message in ((["--from", "my"], "it is not a trace"), (["my.cu", "word"], "'word' is not a source file"),
                               (["my.cu", "-o", "x"], "the program runs at once"), (["--csv", "--", "make"], "'--csv' was not expected")):
            refused = called([NESTBED, "trace", *words], folder)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn(message, refused.stderr)
        (folder / "options").write_text("-DUNUSED=1", encoding="utf-8")
        self.assertEqual(called([NESTBED, "trace", "my.cu", "-optf", "options", "-odir=."], folder).returncode, 0)  # they are not -o


@unittest.skipUnless(shutil.which("nvcc"), "there is no nvcc")
class WithNvcc(unittest.TestCase):
    def build(self, source, *options):
        folder = new_folder(source)
        done = called([NESTBED, "trace", "--", "nvcc", "-rdc=true", "-arch=sm_90", *options, "my.cu", "-o", "my"], folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder, done.stderr

    def test_programs_of_every_shape_compile(self):
        folder, said = self.build(SHAPES, "-std=c++17", "--extended-lambda")
        self.assertIn("and writes nestbed-trace.json", said)
        done = called(["./my"], folder)
        if not pathlib.Path("/dev/nvidiactl").exists():
            self.assertEqual(done.returncode, 7, done.stderr)
            self.assertIn("there is no usable CUDA device", done.stderr)
            self.assertFalse((folder / "nestbed-trace.json").exists())

    def test_what_a_program_writes_is_what_nestbed_reads(self):
        folder, _ = self.build(WRITER.replace("int main", "#include <unistd.h>\nint main"), "-std=c++14")
        done = called(["./my"], folder)
        self.assertIn("(a GPU: its timer has steps of 32 ns; the host's calls are known within 0.30 us)", " ".join(done.stderr.split()))
        self.assertIn("(2 more grids from kernels and 0 from the host were not recorded", done.stderr)
        self.assertIn("without an end     1 grid", done.stderr)
        self.assertIn("nestbed: 3 launches of the host went into graphs", done.stderr)
        self.assertTrue((folder / "nestbed-trace.json").exists())
        self.assertFalse((folder / "nestbed-trace.json.csv").exists())
        called(["./my"], folder, NESTBED_TRACE="t.csv")
        rows = rows_of(folder / "t.csv")
        self.assertEqual([(row["parent"], row["depth"], row["grid"], row["block"], row["stream"], row["place"], row["error"]) for row in rows],
                         [(None, 0, "1", "32x2", "host:0", "my.cu:5", ""), (0, 1, "1", "1", "tail", "my.cu:2", ""), (1, 2, "1", "1", "tail", "my.cu:2", ""),
                          (2, 3, "1", "1", "fire_and_forget", "my.cu:2", ""), (3, 4, "1", "1", "tail", "my.cu:2", "LaunchPendingCountExceeded"), (None, 0, "5000", "32", "host:0", "my.cu:5", "")])
        # 500 ns less, and 1 ns for each 10 us.
        self.assertEqual([row["begun_ns"] for row in rows], [1000000010099, 1000000022098, 1000000032097, 1000000042096, None, 1000000000700])
        self.assertEqual([row["ended_ns"] for row in rows], [1000000020098, 1000000024098, None, 1000000044096, None, 1000000000900])


if __name__ == "__main__":
    unittest.main()
