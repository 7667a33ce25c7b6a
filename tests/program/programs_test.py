#!/usr/bin/python3
"""Tests of whole programs: every program of tests/program/cuda is built by `nestbed nvcc` with the race detector and run
by three schedules. Compared are its output, its launches, its exit code and its races.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/programs_test.py [Constructs.test_streams …]

programs.toml says what each program does. Of a program with a race, its file says where: `// BUG` marks the lines that
the report must name, `// BUG at times` those that it may name too. The programs of pairs/ are right as they are; with
-DBUG they have the one mistake that their first line names; labelled_test.py has the mistakes inside kernels. Where there is an nvcc, `nestbed count` builds some of
them, and a GPU runs these. With NESTBED_THOROUGH set it is all of them, and every program also runs without the detector.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import tomllib
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE / "cuda"
NESTBED = pathlib.Path(os.environ["NESTBED"]).resolve()
THOROUGH = bool(os.environ.get("NESTBED_THOROUGH"))
FOLDERS = ["constructs", "listings", "pairs"]
SCHEDULES = ["fifo", "eager", "random:1"]
NVCC_WORDS = ["-rdc=true", "-arch=sm_90", "-lcudadevrt"]
COUNTED = {f"constructs/{each}" for each in ("files", "kernel_values", "kernel_values_on_device", "launch_forms", "launch_pointers", "templates")}  # in an ordinary run
RACING = {"listings/nested_reduce_nosync", "listings/nested_reduce2"}
BUILD_S, RUN_S = 300, 60
EXIT_RACES = 3
LAUNCH = "__global__ void k(int* a) { *a = 1; }\nint main() { int* a; cudaMalloc(&a, 4); k<<<1, 1>>>(a); return cudaDeviceSynchronize(); }\n"
HAS_GPU = shutil.which("nvidia-smi") is not None and subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=False).returncode == 0


class Program:
    """What a program is built from, and what is expected of it."""

    def __init__(self, name, entry, buggy=False):
        known = {"files", "options", "arguments", "environment", "exit_code", "output", "any_order", "launches", "graphs", "refused", "pairs", "gpu",
                 "unwatched", "schedules"}
        if unknown := set(entry) - known:
            raise ValueError(f"programs.toml: {name}: unknown keys {sorted(unknown)}; allowed: {sorted(known)}")
        self.name = name + ("_buggy" if buggy else "")
        self.files = entry.get("files", [name + ".cu"])
        self.options = entry.get("options", []) + (["-DBUG"] if buggy else [])
        self.arguments = entry.get("arguments", [])
        self.environment = entry.get("environment", {})
        self.exit_code = entry.get("exit_code", 0)
        self.output = entry.get("output", "").lstrip("\n")
        self.any_order = entry.get("any_order", False)
        self.launches = entry.get("launches")
        self.graphs = entry.get("graphs")
        self.refused = entry.get("refused", {})
        self.pairs = entry.get("pairs")
        self.gpu = entry.get("gpu", True)
        self.unwatched = entry.get("unwatched", False)
        self.schedules = entry.get("schedules", SCHEDULES)
        self.racing, self.also_racing = set(), set()
        if buggy or not name.startswith("pairs/"):
            for file in self.files:
                for number, line in enumerate((SOURCES / file).read_text(encoding="utf-8").splitlines(), 1):
                    if mark := re.search(r"// BUG( at times)?$", line):
                        (self.also_racing if mark[1] else self.racing).add((pathlib.Path(file).name, number))

    def words(self, output):
        return [*NVCC_WORDS, *self.options, *(str(SOURCES / file) for file in self.files), "-o", str(output)]


class Run:
    """One run of a program by a schedule, and its report."""

    def __init__(self, binary, program, schedule):
        report = binary.with_name(f"{binary.name}.{schedule.replace(':', '_')}.json")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("NESTBED_")}
        environment = {**inherited, "NESTBED_SCHEDULE": schedule, "NESTBED_REPORT": str(report), **program.environment}
        run = subprocess.run([str(binary), *program.arguments], env=environment, capture_output=True, text=True, timeout=RUN_S, check=False)
        self.schedule, self.code, self.out, self.err = schedule, run.returncode, run.stdout, run.stderr
        self.report = json.loads(report.read_text(encoding="utf-8")) if report.exists() else None

    def racing(self):
        """The places of all accesses that race, and of those that are wrong by themselves: {(file, line)}."""
        places = set()
        for race in self.report["races"]:
            places |= {place_of(race["first"]), place_of(race["second"])}
        return places | {place_of(bad["access"]) for bad in self.report["bad_accesses"]}


def place_of(access):
    file, line = access["places"][0].rsplit(":", 1)
    return pathlib.Path(file).name, int(line)


def all_programs():
    entries = tomllib.loads((HERE / "programs.toml").read_text(encoding="utf-8"))
    names = {path.relative_to(SOURCES).with_suffix("").as_posix() for folder in FOLDERS for path in SOURCES.glob(f"{folder}/*.cu")}
    for name in sorted(names | set(entries)):
        entry = entries.get(name, {})
        if name.startswith("constructs/") and name not in entries:
            raise ValueError(f"programs.toml has no entry {name}")
        yield Program(name, entry)
        if name.startswith("pairs/"):
            yield Program(name, entry, buggy=True)


PROGRAMS = list(all_programs())
FOLDER = tempfile.TemporaryDirectory(prefix="nestbed-programs-")
POOL = concurrent.futures.ThreadPoolExecutor(os.cpu_count())


def build(command, program, kind):
    """Builds a program and returns the binary; throws AssertionError with what the compiler said."""
    binary = pathlib.Path(FOLDER.name) / f"{program.name.replace('/', '_').replace(' ', '_')}.{kind}"
    built = subprocess.run([str(NESTBED), *command, *program.words(binary)], capture_output=True, text=True, timeout=BUILD_S, check=False)
    if built.returncode != 0 or not binary.exists():
        raise AssertionError(f"{program.name}: {kind} build ended with {built.returncode}:\n{built.stdout}{built.stderr}")
    return binary


def watched_runs(program):
    binary = build(["nvcc", "--nestbed-races"], program, "watched")
    return [Run(binary, program, schedule) for schedule in program.schedules]


def counted_runs(program):
    """Builds with nvcc; the runs if there is a GPU."""
    binary = build(["count", "--", "nvcc"], program, "counted")
    return [Run(binary, program, "gpu")] if HAS_GPU and not program.racing else []


def plain_runs(program):
    binary = build(["nvcc"], program, "plain")
    return [Run(binary, program, schedule) for schedule in program.schedules]


def sums_by_kernel(rows, names):
    """Of (kernel, counts); instances of a template without an entry in `names` are under the template's name."""
    table = {}
    for name, counts in rows:
        name = name if name in names else name.partition("<")[0]
        before = table.get(name, [0, 0, 0, 0])
        table[name] = [before[0] + counts[0], before[1] + counts[1], max(before[2], counts[2]), before[3] + counts[3]]
    return table


class Tests(unittest.TestCase):
    """The checks that all programs share; the tests themselves are added below, one for each program."""
    maxDiff = None

    def check_output(self, program, run):
        if program.output:
            expected, got = (text.splitlines() for text in (program.output, run.out))
            if program.any_order:
                expected, got = sorted(expected), sorted(got)
            self.assertEqual(got, expected)
        else:
            self.assertTrue(run.out.startswith("right:"), run.out)

    def check_launches(self, program, run):
        kernels = run.report["kernels"]
        self.assertEqual(run.report["backend"], "cuda" if run.schedule == "gpu" else "cpu")
        self.assertEqual(run.report["launches_from_device"], sum(kernel["from_device"] for kernel in kernels))
        self.assertEqual(run.report["refused"], sum(kernel["refused"] for kernel in kernels))
        refused = program.refused.get(run.schedule, None if program.refused else 0)
        self.assertIn(run.report["refused"], [refused] if refused is not None else range(run.report["launches_from_device"] + 1))
        self.assertEqual(run.report["refused"] > 0, re.search(r"\nwarning: \d+ of \d+ launches ", run.err) is not None, run.err)
        for kernel in kernels:
            deepest = "\\?" if kernel["deepest"] is None else kernel["deepest"]
            in_graphs = rf" +{kernel['in_graphs']}" if "in graphs" in run.err else ""
            self.assertRegex(run.err, rf"(?m)^{re.escape(kernel['kernel'])} +{kernel['from_host']} +{kernel['from_device']}{in_graphs} "
                                      rf"+{kernel['refused']} +{deepest}\b")
        graphs = run.report["graphs"]
        if any(graphs.values()):
            self.assertRegex(run.err, rf"(?m)^graphs +{graphs['from_host']} +{graphs['from_device']} +{graphs['refused']}$")
        if program.launches is not None:
            names = program.launches if run.schedule != "gpu" else ()  # nvcc's builds have no names of instances
            rows = [(kernel["kernel"], (kernel["from_host"], kernel["from_device"], kernel["deepest"] or 0, kernel["in_graphs"])) for kernel in kernels]
            expected = [(name, [*counts, 0][:4]) for name, counts in program.launches.items()]
            self.assertEqual(sums_by_kernel(rows, names), sums_by_kernel(expected, names))
        if program.graphs is not None:
            self.assertEqual(graphs, dict(zip(("from_host", "from_device", "refused"), program.graphs)))

    def check_races(self, program, run):
        racing = run.racing()
        self.assertEqual(program.racing - racing, set(), f"not reported:\n{run.err}")
        self.assertEqual(racing - program.racing - program.also_racing, set(), f"reported, and no bug:\n{run.err}")
        for file, line in racing:
            self.assertRegex(run.err, rf"{re.escape(file)}:{line}\b")
        if program.pairs is not None:
            self.assertEqual(run.report["pairs"], program.pairs)

    def check(self, program, runs):
        for run in runs:
            with self.subTest(schedule=run.schedule):
                self.assertIsNotNone(run.report, run.err)
                self.assertNotIn(": warning: an argument of the launch", run.err)
                if not program.racing:
                    self.assertEqual(run.code, program.exit_code, run.out + run.err)
                    if program.schedules == SCHEDULES or run.schedule in program.schedules:
                        self.check_output(program, run)
                self.check_launches(program, run)
                if "races" in run.report:
                    self.check_races(program, run)
                    if program.racing and run.code != 1:  # 1: the program itself saw that its answer was wrong
                        self.assertEqual(run.code, EXIT_RACES, run.err)


class Constructs(Tests):
    """What programs consist of."""


class Marks(unittest.TestCase):
    """The programs say what the tests read of them."""

    def test_pairs_name_a_kind_and_mark_lines(self):
        for program in PROGRAMS:
            with self.subTest(program=program.name):
                if program.name.startswith("pairs/"):
                    self.assertRegex((SOURCES / program.files[0]).read_text(encoding="utf-8"), r"^// Kind: \w")
                self.assertEqual(bool(program.racing), program.name.endswith("_buggy") or program.name in RACING)


class Listings(Tests):
    """The kernels of the book."""


class Pairs(Tests):
    """A right program, and the same with one bug."""


class Builds(unittest.TestCase):
    """Commands that build a program, and files that are built though the executor has not all that they name."""

    def called(self, *words, **files):
        with tempfile.TemporaryDirectory(prefix="nestbed-builds-") as folder:
            for name, text in files.items():
                (pathlib.Path(folder) / name.replace("_", ".")).write_text(text, encoding="utf-8")
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=BUILD_S, check=False)
            ran = subprocess.run(["./my"], cwd=folder, capture_output=True, text=True, timeout=RUN_S, check=False) \
                if (pathlib.Path(folder) / "my").exists() else None
        return done, ran

    def test_the_command_may_be_nvcc(self):
        for command in ("cpu", "races"):
            with self.subTest(command=command):
                done, ran = self.called(NESTBED, command, "--", "nvcc", "my.cu", "-o", "my", my_cu=LAUNCH)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertRegex(ran.stderr, r"(?m)^k +1 +0 +0 +0$")
                self.assertEqual("no races" in ran.stderr, command == "races", ran.stderr)

    def test_a_build_that_calls_another_nvcc_is_told_so(self):
        nvcc = shutil.which("nvcc") or "true"
        done, ran = self.called(NESTBED, "cpu", "--", "sh", "-c", f"{nvcc} -arch=sm_90 my.cu -o my", my_cu="#include <cassert>\n" + LAUNCH)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"^nestbed: 'sh -c .*' called no nvcc through the PATH, .*: make NVCC=nvcc\. .*\n$")
        self.assertEqual(ran is not None, nvcc != "true")  # the real nvcc does not find the executor's headers

    def test_an_order_that_changes_the_result_ends_with_its_command(self):
        source = """#include <cstdio>
__global__ void child(int* x) { *x += 1; }
__global__ void parent(int* x) { child<<<1, 1>>>(x); x[1] = x[0]; }
int main(int arguments, char**) {
    int *d, h[2];
    cudaMalloc(&d, 8); cudaMemset(d, 0, 8);
    parent<<<2, 1>>>(d);
    cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost);
    std::printf("%d arguments, %d\\n", arguments, h[1]);
}
"""
        with tempfile.TemporaryDirectory(prefix="nestbed-orders-") as folder:
            (pathlib.Path(folder) / "my.cu").write_text(source, encoding="utf-8")

            def called(*words):
                return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=BUILD_S, check=False)
            self.assertEqual(called(NESTBED, "nvcc", "-rdc=true", "my.cu", "-o", "my").returncode, 0)
            for words, orders, environment, end in (
                    (("my.cu", "-DA", "--", "1", "a b"), "1", r"NESTBED_SCHEDULE=random:1 NESTBED_PREEMPTIONS=\S+", r"\S+ cpu my\.cu -DA -- 1 'a b'"),
                    (("--zero-memory", "--", "./my", "1", "a b"), "1",
                     r"NESTBED_SCHEDULE=random:1 NESTBED_ZERO_MEMORY=1 NESTBED_PREEMPTIONS=\S+", r"\./my 1 'a b'"),
                    (("--", "./my", "1", "a b"), "0", "NESTBED_SCHEDULE=eager", r"\./my 1 'a b'")):
                with self.subTest(words=words):
                    done = called(NESTBED, "test", "--orders", orders, *words)
                    self.assertEqual(done.returncode, EXIT_RACES, done.stdout + done.stderr)
                    self.assertRegex(done.stdout, rf"\nTo run it so:\n  {environment} {end}\n$")
                    if orders != "0":  # where the preemption is
                        self.assertRegex(done.stdout, r"runs\):\n  1\. kernel (child|parent) [^:]+:\d+\),\s[^:]+\s+ran\s+before\s+[^:]+(:\d+\)[^:]+)?\nTo run it so:")
                    self.assertLessEqual(max(map(len, done.stdout.splitlines()[:-1])), 80, done.stdout)
                    again = called("sh", "-c", done.stdout.splitlines()[-1])
                    self.assertRegex(again.stdout, "^3 arguments, [12]\n$")  # by fifo 0

    def test_programs_that_fail_alike_in_all_orders_do_not_pass(self):
        many = "__device__ int count; __global__ void c() { atomicAdd(&count, 1); }\n"
        read = "int n = 0; cudaMemcpyFromSymbol(&n, count, 4); printf(\"%d\\n\", n);"
        launch = "k<<<1, 64>>>(); cudaDeviceSynchronize();"
        for kernel, host, text in (
                ("__global__ void k() {\nif (threadIdx.x < 16) __syncthreads();\nelse __syncthreads(); }", launch,
                 "^in all 4 orders: kernel k, launched at my.cu:6, failed: .* wait at two barriers"),
                ("__global__ void k() { if (threadIdx.x < 1) while (true) __syncthreads(); }", launch.replace("64", "2048"),
                 r"^in all 4 orders: launches of kernel k were refused \(cudaErrorInvalidValue\): 1 of 1, the first at my\.cu:4 in all 4 orders: no kernel ran "),
                ("__device__ int f;\n__global__ void k() { while (atomicAdd(&f, 0) == 0) ; }", launch, "^in all 4 orders: kernel k, .*failed: .*deadlock"),
                (many + "__global__ void k() { for (int i = 0; i < 3000; ++i) c<<<1, 1>>>(); }", launch.replace("64", "1") + read,
                 r"in 1 of 4 orders \(fifo\): launches of kernel c were refused \(cudaErrorLaunchPendingCountExceeded\): 952 of 3000, "),
                ("__global__ void k() {}", "puts(\"hello\"); fflush(stdout); abort();", "^fifo: signal 6 .* hello No other order was run"),
                ("__global__ void k() {}", launch + "puts(\"hello\"); return 4;", "^fifo: exit code 4 hello No other order was run"),
                ("__global__ void k() {}", launch.replace("64", "2048") + "if (cudaGetLastError() == cudaSuccess) abort();", "^The same output and exit code")):
            source = f"#include <cstdio>\n#include <cstdlib>\n{kernel}\nint main() {{ {host} }}\n"
            with self.subTest(text=text), tempfile.TemporaryDirectory(prefix="nestbed-orders-") as folder:
                (pathlib.Path(folder) / "my.cu").write_text(source, encoding="utf-8")
                done = subprocess.run([NESTBED, "test", "--orders", "2", "-rdc=true", "my.cu"], cwd=folder, capture_output=True, text=True, timeout=BUILD_S,
                                      check=False)
                self.assertEqual(done.returncode, 0 if "The same" in text else EXIT_RACES, done.stdout + done.stderr)
                self.assertRegex(" ".join(done.stdout.split()), text)

    def test_a_folder_is_not_tested(self):
        with tempfile.TemporaryDirectory(prefix="nestbed-orders-") as folder:
            done = subprocess.run([NESTBED, "test", folder], capture_output=True, text=True, timeout=BUILD_S, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.endswith(
            f"; for a workload of your own: nestbed run --load {folder} --backend cpu --schedule random:1 --strategy NAME\n"), done.stderr)

    @unittest.skipUnless(shutil.which("cmake"), "there is no cmake")
    def test_a_cmake_project_with_two_cuda_files_and_a_library(self):
        project = ("cmake_minimum_required(VERSION 3.18)\nproject(my LANGUAGES CXX CUDA)\nfind_package(CUDAToolkit REQUIRED)\n"
                   "add_library(sums STATIC sums.cu)\nadd_executable(my my.cu other.cu host.cpp)\n"
                   "target_link_libraries(my PRIVATE sums CUDA::cudart)\n"
                   "set_target_properties(my sums PROPERTIES CUDA_SEPARABLE_COMPILATION ON RUNTIME_OUTPUT_DIRECTORY ${CMAKE_SOURCE_DIR})\n")
        files = {"CMakeLists_txt": project,
                 "sums_h": "__device__ int twice(int a);\nvoid launch_sum(const int* numbers, int* sum, int count);\n",
                 "sums_cu": '#include "sums.h"\n__device__ int twice(int a) { return 2 * a; }\n'
                            "__global__ void sum(const int* numbers, int* sum) { atomicAdd(sum, twice(numbers[threadIdx.x])); }\n"
                            "void launch_sum(const int* numbers, int* to, int count) { sum<<<1, count>>>(numbers, to); }\n",
                 "other_cu": '#include "sums.h"\n__global__ void child(int* numbers) { numbers[threadIdx.x] = twice(threadIdx.x); }\n'
                             "__global__ void parent(int* numbers, int count) { child<<<1, count>>>(numbers); }\n"
                             "void fill(int* numbers, int count) { parent<<<1, 1>>>(numbers, count); }\n",
                 "host_cpp": "#include <cuda_runtime.h>\nint value_of(const int* on_device)\n{ int value = 0; dim3 gridDim(1);\n"
                             "  cudaMemcpy(&value, on_device, sizeof value, cudaMemcpyDeviceToHost); return value * gridDim.x; }\n",
                 "my_cu": '#include "sums.h"\n#include <cstdio>\nvoid fill(int*, int);\nint value_of(const int*);\nint main() {\n'
                          "  int *numbers, *sum; cudaMalloc(&numbers, 400); cudaMalloc(&sum, 4); cudaMemset(sum, 0, 4);\n"
                          '  fill(numbers, 100); launch_sum(numbers, sum, 100); std::printf("%d\\n", value_of(sum)); }\n'}
        for command in ("cpu", "races"):
            with self.subTest(command=command):
                done, ran = self.called("sh", "-ec", f"{NESTBED} {command} -- cmake -S . -B b; {NESTBED} {command} -- cmake --build b", **files)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual((ran.returncode, ran.stdout), (0, "19800\n"), ran.stderr)
                self.assertRegex(ran.stderr, r"(?m)^child +0 +1 +0 +1$")
                self.assertEqual("no races: 300 accesses" in ran.stderr, command == "races", ran.stderr)

    def test_the_barrier_of_a_group_is_that_of_the_call(self):
        source = ("#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
                  "__global__ void k() { const cg::thread_block all = cg::this_thread_block();\n"
                  "  if (threadIdx.x < 32)\n    cg::sync(all);\n  else\n    cg::sync(all); }\n"
                  "int main() { k<<<1, 64>>>(); return cudaDeviceSynchronize(); }\n")
        done, ran = self.called(NESTBED, "nvcc", "my.cu", "-o", "my", my_cu=source)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("threads of one block wait at two barriers, my.cu:5 and my.cu:7;", ran.stderr)

    def test_a_crash_in_a_shared_library_is_found_in_the_library(self):
        library = ("\n\n__global__ void k(int* a)\n{\n    *a = 1;\n}\n"
                   "void call(int* a) { k<<<1, 1>>>(a); cudaDeviceSynchronize(); }\n")
        main = "void call(int*);\nint main() { call(nullptr); }\n"
        done, ran = self.called("sh", "-c", f"{NESTBED} nvcc -shared -Xcompiler -fPIC lib.cu -o libmy.so && "
                                            f"{NESTBED} nvcc my.cu -L. -lmy -Xlinker -rpath=. -o my", my_cu=main, lib_cu=library)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(ran.stderr, r"access to an address that is no memory: write of 0x0 \(null pointer\) in kernel k [^\n]*\nnestbed: at \S*lib\.cu:5\n")

    def test_a_kernel_without_main_gets_one(self):
        source = """namespace my {
template <class T> __global__ void sum(const T* in, double* out, int n, float scale)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[0] += in[i] * scale;
}
}
int check() { return 1; }
int main() { return check(); }
"""

        def words(*more):
            return [NESTBED, *more, "--kernel", "my::sum<unsigned short>", "--arg", "unsigned short:64=index", "--arg", "double:1=0", "--arg", "int=64",
                    "--arg", "float=0.5", "--block"]
        with tempfile.TemporaryDirectory(prefix="nestbed-kernel-") as name:
            folder = pathlib.Path(name)
            (folder / "my.cu").write_text(source, encoding="utf-8")

            def run(*words):
                return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=BUILD_S, check=False)
            one = run(*words("cpu", "my.cu", "--driver", "driver.cu"), "1")
            self.assertEqual((one.returncode, one.stdout), (0, "argument 1 (unsigned short:64): sum 2016, begins with 0 1 2 3 4 5 6 7\n"
                                                               "argument 2 (double:1): sum 1008, begins with 1008\n"), one.stderr)
            built = run(NESTBED, "cpu", "driver.cu")
            self.assertEqual((built.returncode, built.stdout), (0, one.stdout), built.stderr)
            if shutil.which("nvcc"):
                self.assertEqual(run("nvcc", "driver.cu", "-o", "driver").returncode, 0)
            races = run(*words("races", "my.cu"), "32,2")
            self.assertEqual(races.returncode, EXIT_RACES, races.stderr)
            self.assertIn("my.cu:5  depth 0, block 0, thread", races.stderr)
            self.assertIn("launched at driver.cu:", races.stderr)
            tested = run(*words("test", "my.cu", "--orders", "2"), "1")
            self.assertEqual(tested.returncode, 0, tested.stderr)
            random = run(NESTBED, "cpu", "my.cu", "--kernel", "my::sum<float>", "--arg", "float:9", "--arg", "double:1=0", "--arg", "int=9", "--arg", "float=1")
            sums = re.findall(r"sum ([0-9.]+)", random.stdout)
            self.assertAlmostEqual(float(sums[0]), float(sums[1]), places=5)
            for wrong in ("--kernel k --arg int8", "--kernel k --arg int:0", "--kernel k --arg int:x", "--kernel k --arg int=", "--kernel k --arg :3", "--kernel k --arg int[]:4",
                          "--kernel k;l", "--kernel k --grid 0", "--kernel k --grid 1,1,1,1", "--kernel k --block 1,2000", "--kernel k --shared x",
                          "--arg int=1", "--grid 3", "--kernel k --driver driver.cu"):
                done = run(NESTBED, "cpu", "my.cu", *wrong.split())
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(wrong.split()[-2], done.stderr)
                self.assertRegex(done.stderr, "allowed|whole number|exists", done.stderr)

    def test_what_is_wrong_with_a_kernel_option_is_one_sentence(self):
        source = "#define N 4\n__global__ void k(int* x, int n) { x[0] = n; }\n__global__ void sum(const int* x, long* s) { *s += *x; }\n"
        for options, message in (("k --arg int:4", r"--kernel k: it has 2 parameters \(int\* x, int n\); --arg is given 1 time"),
                                 ("summ --arg int:4", r"--kernel summ: k.cu has no such kernel, did you mean 'sum'\?; allowed: k, sum"),
                                 ("k --arg flot:4 --arg int=1", "--arg flot:4: .*flot.* was not declared.*; allowed: TYPE=VALUE;.*"),
                                 ("k --arg float:4 --arg int=1", r"--kernel k: cannot convert .*; it has 2 parameters \(int\* x, int n\)")):
            with tempfile.TemporaryDirectory(prefix="nestbed-kernel-") as name:
                (pathlib.Path(name) / "k.cu").write_text(source, encoding="utf-8")
                done = subprocess.run([NESTBED, "cpu", "k.cu", "--kernel", *options.split()], cwd=name, capture_output=True, text=True, timeout=BUILD_S, check=False)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, rf"\Anestbed: {message}\n\Z")

    def test_the_tree_of_a_file(self):
        with tempfile.TemporaryDirectory(prefix="nestbed-tree-") as name:
            (pathlib.Path(name) / "my.cu").write_text("__global__ void child() {}\n__global__ void parent() { child<<<1, 1>>>(); }\n"
                                                      "int main(int count, char**) { parent<<<1, count>>>(); return cudaDeviceSynchronize(); }\n", encoding="utf-8")
            done = subprocess.run([NESTBED, "tree", "my.cu", "--", "1", "2"], cwd=name, capture_output=True, text=True, timeout=BUILD_S, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout + done.stderr, r"(?s)depth  kernel .*\n0      parent +1 +1 +3 .*\n 1     child +3 ")

    def test_unknown_ptx_is_an_error_where_code_is_made_of_it(self):
        source = ("__device__ int unused() { int r; asm(\"ld.x.u32 %0;\" : \"=r\"(r)); return r; }\n"
                  "template <int way> __device__ void put(int* to) {\n"
                  "  if constexpr (way == 1) asm volatile(\"st.x.u32 [%0], 1;\" :: \"l\"(to)); else *to = 1; }\n"
                  "__global__ void k(int* to) { if (WAY == 2) asm(\"st.y.u32 [%0], 1;\" :: \"l\"(to)); else put<WAY>(to); }\n"
                  "int main() { int* to; cudaMalloc(&to, 4); k<<<1, 1>>>(to); return cudaDeviceSynchronize() == cudaSuccess ? 7 : 0; }\n")
        for races in ((), ("--nestbed-races",)):
            for way, where in ((0, ""), (1, "my.cu:3:"), (2, "my.cu:4:")):
                with self.subTest(way=way, races=races):
                    done, ran = self.called(NESTBED, "nvcc", *races, f"-DWAY={way}", "my.cu", "-o", "my", my_cu=source)
                    if not where:
                        self.assertEqual((done.returncode, done.stderr, ran.returncode), (0, "", 7), ran)
                        done, ran = self.called(NESTBED, "nvcc", *races, "-rdc=true", "-DWAY=0", "my.cu", "-o", "my", my_cu=source)
                        self.assertRegex(done.stderr, r"my\.cu:1:.*error: .*inline PTX 'ld\.x\.u32 %0' is not supported")
                        continue
                    text = f"inline PTX 'st.{'xy'[way - 1]}.u32 [%0], 1' is not supported on the executor"
                    self.assertNotEqual(done.returncode, 0)
                    self.assertRegex(done.stderr, "(?m)^" + re.escape(where) + " error: " + re.escape(text) + "$")
                    self.assertNotRegex(done.stderr, " \\| |nestbed::|lambda")

    def test_named_operands_of_ptx_are_refused_as_by_nvcc(self):
        done, _ = self.called(NESTBED, "nvcc", "my.cu", my_cu='__global__ void k(int* a) {\nasm("add.s32 %[out], %[in], 4;" : [out] "=r"(a[1]) : [in] "r"(a[0])); }\n'
                                                              "int main() { k<<<1, 1>>>(nullptr); }\n")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, re.escape("my.cu:2: error: inline PTX 'add.s32 %[out], %[in], 4' has named operands, which nvcc refuses; allowed: %0, %1, "))


class EarlyEnds(unittest.TestCase):
    """Programs under `nestbed races` that do not come to their end: what was found until then is printed."""

    # kernel k, what main() does after it, options, and what standard error must have besides the race of line 2
    RACE = "race: write and write of a[0]"
    LAST = "the program did not come to its end, so that there may be more races than those that follow; last access: "
    CASES = {
        "a_crash": ("a[0] = i; if (i == 1) ((void (*)())nullptr)();", "", [], [
            "call of 0x0 (null pointer) in kernel k (launched at ", "my.cu:5\n" + "nestbed: " + LAST + "write of a[0] at ", "signal 11 (Segmentation fault)"]),
        "a_full_stack": ("a[0] = i; if (i == 1) { again = deep; a[1] = deep(1 << 20); }", "", [], [  # by a pointer, which nobody counts
            "the address is at the end of the thread's stack", "(576 KB); NESTBED_STACK_BYTES=N gives"]),
        "an_abort_of_the_host": ("a[0] = i;", "cudaDeviceSynchronize(); abort();", [], [LAST, "signal 6 (Aborted)"]),
        "a_volatile_spin": ("a[0] = i; while (*(volatile int*)(a + 1) == 0) clock64();", "", ["--timeout", "1"], [
            "asked to end (SIGTERM) in kernel k (launched at ", LAST + "volatile read of a[1] at ", "did not end within 1 s and was ended"]),
        "a_fault_beside_a_spin": ("a[0] = i; Adds adds{a + 2}; if (i == 1) assert(i == 0); while (*(volatile int*)(a + 1) == 0) {}", "", [], [
            "assertion `i == 0` failed"]),
    }

    def test_report_what_was_found(self):
        for name, (kernel, then, options, texts) in self.CASES.items():
            with self.subTest(name), tempfile.TemporaryDirectory(prefix="nestbed-ends-") as folder:
                source = ("#include <cassert>\n__global__ void k(int* a); // the rest is on one line, for its number\n"
                          "struct Adds { int* to; __device__ ~Adds() { atomicAdd(to, 1); } };\n"
                          "__device__ int (*again)(int); __device__ int deep(int n) { volatile char big[1000]; big[n % 1000] = 1; return n == 0 ? big[0] : again(n - 1) + big[1]; }\n"
                          f"__global__ void k(int* a) {{ const int i = blockIdx.x; {kernel} }}\n"
                          f"int main() {{ int* a; cudaMalloc(&a, 12); cudaMemset(a, 0, 12); k<<<2, 1>>>(a); {then} "
                          "return cudaDeviceSynchronize(); }\n")
                path = pathlib.Path(folder) / "my.cu"
                path.write_text(source, encoding="utf-8")
                for json_option in ([], ["--json"]):
                    done = subprocess.run([NESTBED, "races", *json_option, *options, str(path)], capture_output=True, text=True, timeout=BUILD_S,
                                          check=False)
                    self.assertEqual(done.returncode, EXIT_RACES, done.stderr)
                    for text in [self.RACE, *texts]:
                        self.assertIn(text, done.stderr)
                    self.assertEqual([race["pairs"] for race in json.loads(done.stdout)["races"]] if json_option else done.stdout,
                                     [1] if json_option else "")


@unittest.skipUnless(shutil.which("nvcc"), "there is no nvcc")
class Count(Tests):
    """`nestbed count` builds the programs with nvcc; if there is a GPU, it runs them."""

    def test_refused_launches_and_lost_devices_have_80_columns(self):
        source = f"""#include "{NESTBED.parent}/program/count/count_report.cuh"
using namespace nestbed_count;
int main() {{
    static Kernel child;
    strcpy(child.name, "child"); strcpy(child.place, "wide.cu:8");
    state().kernels = &child; child.from_device = child.refused = 3000; child.unknown_level = true; state().lost[0] = cudaErrorIllegalAddress;
    for (int error = 1; error < 1000; ++error) {{ child.first_error = error; size_t count;
        const LaunchRow* const rows = launch_rows(count);
        print_table(stdout, rows, count, {{}}); print_notes(stdout, true); print_warnings(stdout, rows, count); }}
}}
"""
        with tempfile.TemporaryDirectory(prefix="nestbed-count-") as folder:
            (pathlib.Path(folder) / "my.cu").write_text(source, encoding="utf-8")
            subprocess.run(["nvcc", "my.cu", "-o", "my"], cwd=folder, timeout=BUILD_S, check=True)
            text = subprocess.run(["./my"], cwd=folder, capture_output=True, text=True, timeout=RUN_S, check=True).stdout
        self.assertLessEqual(max(map(len, text.splitlines())), 80, text)
        self.assertIn("""
nestbed: '?': a function launches that a kernel of another file called; its
  level is not known
warning: 3000 of 3000 launches of child were refused, first at wide.cu:8
  LaunchPendingCountExceeded, which only cudaGetLastError() in the launching
  thread returns: more launches were pending than the limit allows. Raise
""", text)

    def test_files_of_one_name_are_told_apart_by_their_folders(self):
        with tempfile.TemporaryDirectory(prefix="nestbed-count-") as name:
            folder = pathlib.Path(name)
            for part in "a", "b":
                (folder / part).mkdir()
                (folder / part / "x.cu").write_text(f"__global__ void of_{part}() {{}}\nvoid {part}() {{ of_{part}<<<0, 1>>>(); }}\n", encoding="utf-8")
            (folder / "y.cu").write_text("void a(); void b(); __global__ void own() {}\nint main() { a(); b(); own<<<0, 1>>>(); }\n", encoding="utf-8")
            commands = "(cd a; nvcc -c x.cu) && (cd b; nvcc -c x.cu) && nvcc y.cu a/x.o b/x.o -o my"
            subprocess.run([NESTBED, "count", "--", "sh", "-c", commands], cwd=folder, timeout=BUILD_S, check=True, capture_output=True)
            subprocess.run(["./my"], cwd=folder, env={**os.environ, "NESTBED_REPORT": "r.json"}, timeout=RUN_S, check=True, capture_output=True)
            report = json.loads((folder / "r.json").read_text(encoding="utf-8"))
        self.assertEqual({row["kernel"]: row["place"] for row in report["kernels"]}, {"of_a": "a/x.cu:2", "of_b": "b/x.cu:2", "own": "y.cu:2"})

    def test_a_strict_build_ends_at_what_is_not_counted(self):
        source = "#include <cuda.h>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); if (cudaPeekAtLastError() == 99999)\n" \
                 "    cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr); }\n"
        with tempfile.TemporaryDirectory(prefix="nestbed-count-") as folder:
            (pathlib.Path(folder) / "my.cu").write_text(source, encoding="utf-8")
            build = ["--", "nvcc", "my.cu", f"-L{pathlib.Path(shutil.which('nvcc')).resolve().parents[1]}/lib64/stubs", "-lcuda", "-o", "my"]
            strict = subprocess.run([NESTBED, "count", "--strict", *build], cwd=folder, timeout=BUILD_S, check=False, capture_output=True, text=True)
            self.assertNotEqual(strict.returncode, 0)
            self.assertIn("my.cu:4: cuLaunchKernel: this launch cannot be counted if its kernel was loaded", strict.stdout + strict.stderr)
            self.assertFalse((pathlib.Path(folder) / "my").exists())
            subprocess.run([NESTBED, "count", *build], cwd=folder, timeout=BUILD_S, check=True, capture_output=True)
            self.assertIn(b"not counted: cuLaunchKernel", (pathlib.Path(folder) / "my").read_bytes().replace(b"%s at %s", b"cuLaunchKernel"))

    def test_kernels_of_libraries_have_no_level(self):
        library = "__global__ void of_library(int first, int* to) { *to += first; }\n"
        source = """#include <library.cuh>
#include <cstdio>
__global__ void own(int* to) { *to += 100; }
int main() {
    int *sum, five = 5; cudaMallocManaged(&sum, sizeof(int)); *sum = 0;
    void* arguments[] = {&five, &sum};
    cudaLaunchConfig_t one = {}; one.gridDim = one.blockDim = 1;
    cudaLaunchKernel((void*)of_library, 1, 1, arguments);
    cudaLaunchKernelEx(&one, of_library, 7, sum);
    cudaLaunchKernelEx(&one, own, sum);
    of_library<<<1, 1>>>(9, sum);
    cudaDeviceSynchronize(); std::printf("%d\\n", *sum);
}
"""
        with tempfile.TemporaryDirectory(prefix="nestbed-count-") as name:
            folder = pathlib.Path(name)
            (folder / "system").mkdir()
            (folder / "system" / "library.cuh").write_text(library, encoding="utf-8")
            (folder / "my.cu").write_text(source, encoding="utf-8")
            subprocess.run([NESTBED, "count", "--", "nvcc", *NVCC_WORDS, "-isystem", "system", "my.cu", "-o", "my"], cwd=folder, timeout=BUILD_S, check=True,
                           capture_output=True)
            if HAS_GPU:
                run = subprocess.run(["./my"], cwd=folder, timeout=RUN_S, check=True, capture_output=True, text=True)
                self.assertEqual(run.stdout, "121\n")
                self.assertRegex(run.stderr, r"(?m)^of_library +3 +0 +0 +0$")

    def test_offsets_and_launches_of_the_driver_are_the_programs(self):
        cuda = pathlib.Path(shutil.which("nvcc")).resolve().parents[1]
        words = [*NVCC_WORDS, str(SOURCES / "count_driver.cu"), f"-L{cuda}/lib64/stubs", "-lcuda", "-lcudadevrt"]
        with tempfile.TemporaryDirectory(prefix="nestbed-count-") as name:
            folder = pathlib.Path(name)
            (folder / "module.cu").write_text('extern "C" __global__ void of_module(int value, int* to) { *to += 1000 + value; }\n', encoding="utf-8")
            build = " && ".join(shlex.join(each) for each in (["nvcc", *words, "-o", "counted"], ["nvcc", "-arch=sm_80", "-ptx", "module.cu"]))
            subprocess.run([NESTBED, "count", "--", "sh", "-c", build], cwd=folder, timeout=BUILD_S, check=True, capture_output=True)
            self.assertIn(".param .u32 of_module_param_0", (folder / "module.ptx").read_text(encoding="utf-8"))
            subprocess.run(["nvcc", *words, "-o", "plain"], cwd=folder, timeout=BUILD_S, check=True, capture_output=True)
            if HAS_GPU:
                plain, run = (subprocess.run([f"./{each}", "module.ptx"], cwd=folder, timeout=RUN_S, check=True, capture_output=True, text=True)
                              for each in ("plain", "counted"))
                self.assertEqual(plain.stdout, "driver 1045, refused 1\nnodes 1137\n")
                self.assertEqual(run.stdout, plain.stdout)
                self.assertRegex(run.stderr, r"(?m)^add +2 +0 +2 +0 +0$")
                self.assertRegex(run.stderr, r"(?m)^plain +3 +0 +2 +1 +0 +InvalidValue$")
                self.assertRegex(run.stderr, r"not counted: cuLaunchKernel at \S*count_driver.cu:\d+")


CLASSES = dict(zip(FOLDERS, (Constructs, Listings, Pairs)))


def add_test(where, name, work, judge):
    """Adds a test to the class. In the background its work begins when the test is loaded, else when it runs."""
    future = []

    def start():
        if not future:
            future.append(POOL.submit(work))

    def test(self):
        start()
        judge(self, future[0].result())

    test.start = start
    setattr(where, f"test_{name}", test)


class StartsAtOnce(unittest.TestLoader):
    """Starts the work of all tests that it loads, so that there is always one for each processor."""

    def loadTestsFromTestCase(self, testCaseClass):
        for name in self.getTestCaseNames(testCaseClass):
            getattr(getattr(testCaseClass, name), "start", lambda: None)()
        return super().loadTestsFromTestCase(testCaseClass)


def add_tests():
    for program in PROGRAMS:
        folder, name = program.name.split("/")
        name = re.sub(r"\W", "_", name)
        where = CLASSES[folder]
        add_test(where, name, lambda program=program: watched_runs(program), lambda test, runs, program=program: test.check(program, runs))
        if THOROUGH or program.unwatched:
            add_test(where, name + "_unwatched", lambda program=program: plain_runs(program),
                     lambda test, runs, program=program: test.check(program, runs))
        if shutil.which("nvcc") and program.gpu and (THOROUGH or program.name in COUNTED):
            add_test(Count, f"{folder}_{name}", lambda program=program: counted_runs(program),
                     lambda test, runs, program=program: test.check(program, runs))


add_tests()

if __name__ == "__main__":
    try:
        unittest.main(testLoader=StartsAtOnce())
    finally:
        POOL.shutdown(cancel_futures=True)
        FOLDER.cleanup()
