#!/usr/bin/python3
"""Tests of programs with mistakes that are no races between kernels: memory that is not theirs, or not the host's, and kernels that do not run.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/mistakes_test.py [Memory.test_…]

Each program is one kernel and one main(), on lines whose numbers the texts name.
"""
import json
import re
import unittest

from programs import EXIT_BAD, NESTBED, built as program_in_folder, called, new_folder, runner


def source_of(kernel, main):
    """Line 2 is the kernel, from line 5 on main()."""
    return f"#include <cstdio>\n{kernel}\nint main()\n{{\n" + "\n".join(main) + "\nstd::puts(\"end\");\n}\n"


def run(command, kernel, main, *options):
    """Builds and runs a program."""
    return called([NESTBED, command, *options, "my.cu"], new_folder(source_of(kernel, main)))


def built(kernel, main, *options):
    """A function that runs the program, which is built once, with variables of its environment."""
    return runner(source_of(kernel, main), *options)


class Programs(unittest.TestCase):
    maxDiff = None

    def check(self, done, code, *patterns):
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for pattern in patterns:
            self.assertRegex(done.stderr, re.compile(pattern, re.MULTILINE))


class Memory(Programs):
    WRITE = "__global__ void k(int* a, int i) { a[i] = 1; }"
    READ = "__global__ void k(int* a, int i) { if (a[i] == 77) *a = 1; }"
    WAIT = "cudaDeviceSynchronize();"

    def test_an_access_far_outside_has_its_line_and_the_allocation(self):
        """A program of each is built once, and takes the index from its environment."""
        for function, name in (("cudaMalloc(&d, 400);", "d"), ("cudaMallocManaged(&d, 400);", "d"), ("cudaMallocHost((void**)&d, 400);", "d")):
            for kernel, verb in ((self.WRITE, "write"), (self.READ, "read")):
                main = [f"int* d; {function}", "cudaMemset(d, 0, 400); k<<<1, 1>>>(d, std::atoi(std::getenv(\"INDEX\")));", self.WAIT,
                        "int* other; cudaMalloc(&other, 4000);", "cudaFree(other);"]
                counted, watched = built(kernel, main), built(kernel, main, "--nestbed-races")
                for index in (250, 500, 3000, -2000):
                    with self.subTest(function=function, verb=verb, index=index):
                        if index != 250:  # within the page, where nothing but the detector sees a read
                            self.check(counted(INDEX=index), 0,
                                       rf"^nestbed: out of bounds: kernel k \(launched at my\.cu:6\), block \(0,0,0\), thread \(0,0,0\), at \S*my\.cu:2: "
                                       rf"{verb} of byte {4 * index} of {name} \(400 bytes, allocated at my\.cu:5\)", r"^k +1 +0 +0 +0$")
                        beyond = f"{4 * index - 396} bytes past its end" if index > 0 else f"{-4 * index} bytes before its beginning"
                        self.check(watched(INDEX=index), EXIT_BAD, rf"^out of bounds: {verb} of {name}\[{index}\], {beyond}$",
                                   rf"^  {verb:6} my\.cu:2  depth 0, block 0, thread 0$", r"^  memory 400 bytes, allocated at my\.cu:5$")

    def test_the_host_outside_of_its_memory_is_named_with_its_line(self):
        main = ["int* d; cudaMallocHost(&d, 400);", "d[2000] = 1;"]
        self.check(run("cpu", self.WRITE, main), 0,
                   r"^nestbed: out of bounds: the host, at \S*my\.cu:6: write of byte 8000 of d \(400 bytes, allocated at my\.cu:5\)")
        main += ["k<<<1, 1>>>(d, 0);", self.WAIT]
        self.check(run("races", self.WRITE, main), EXIT_BAD, r"^out of bounds: write of d\[2000\]|byte 8000 of d ")

    def test_too_small_an_array_of_the_device_is_named(self):
        kernel = "__device__ int table[10]; __device__ int five = 5; __global__ void k() { table[threadIdx.x] = 1; }"
        main = ["k<<<1, 1000>>>();", "int h; cudaMemcpyFromSymbol(&h, five, 4); std::printf(\"%d\\n\", h);"]
        done = run("races", kernel, main)
        self.check(done, EXIT_BAD, r"^out of bounds: write of table\[10\], 4 bytes past its end\n  write  my\.cu:2  depth 0, block 0, thread 10$",
                   r"^k +1 +0 +0 +0$")
        self.assertEqual(done.stdout, "5\nend\n")
        self.check(run("cpu", kernel, main), 0, r"^k +1 +0 +0 +0$")
        self.check(run("races", kernel, ["k<<<1, 10>>>();"]), 0, "^no races: ")

    def test_use_after_free_is_named_with_the_line_of_the_free(self):
        main = ["int* d; cudaMalloc(&d, 400);", "cudaMemset(d, 0, 400);", "cudaFree(d);", "k<<<1, 1>>>(d, 3);", self.WAIT]
        for kernel, verb in ((self.WRITE, "write"), (self.READ, "read")):
            with self.subTest(verb):
                self.check(run("cpu", kernel, main), 0,
                           rf"^nestbed: use after free: kernel k \(launched at my\.cu:8\), [^\n]*, at \S*my\.cu:2: {verb} of byte 12 of d "
                           r"\(400 bytes, allocated at my\.cu:5, freed at \S*my\.cu:7\)")
                done = run("races", kernel, main, "--json")
                self.check(done, EXIT_BAD, rf"^use after free: {verb} of d\[3\], freed at my\.cu:7$", "1 place with accesses to freed memory")
                bad = json.loads(done.stdout)["bad_accesses"][0]
                self.assertEqual((bad["kind"], bad["freed"], bad["allocation"]),
                                 ("use after free", "my.cu:7", "400 bytes, allocated at my.cu:5"))

    def test_a_wrong_pointer_is_named_by_what_it_points_to(self):
        main = ["int* d; cudaMalloc(&d, 400);", "cudaFree(d + 4);", "cudaFree(d);", "cudaFree(d);", "int h; cudaFree(&h);",
                "cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);", "cudaFreeHost(d);"]
        self.check(run("cpu", self.WRITE, main), 0,
                   r"^nestbed: my\.cu:\d+: cudaFree\(\w+\): it is not the begin of an allocation, but byte 16 of d \(400 bytes, allocated at my\.cu:5\) "
                   r"\(cudaErrorInvalidValue\)$",
                   r"^nestbed: my\.cu:\d+: cudaFree\(\w+\): it has been freed before: d \(400 bytes, allocated at my\.cu:5, freed at \S*my\.cu:7\)",
                   r"^nestbed: my\.cu:\d+: cudaFree\(\w+\): it is not the begin of an allocation, or",
                   r"^nestbed: my\.cu:10: cudaMemcpy: source: it has been freed: d \(",
                   r"^nestbed: my\.cu:\d+: cudaFreeHost\(\w+\): it has been freed before: d \(")

    def test_memory_of_a_pool_is_of_the_call_that_the_line_has(self):
        main = ["int* d; cudaMemPool_t pool; cudaDeviceGetDefaultMemPool(&pool, 0);", "cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);",
                "%s", "k<<<1, 1>>>(d, 0);", self.WAIT]
        for call in ("cudaMallocFromPoolAsync(&d, 400, pool, s);", "cudaMallocAsync(&d, 400, s);"):
            done = run("races", self.WRITE, [line.replace("%s", call) for line in main])
            self.check(done, EXIT_BAD, call.split("(", maxsplit=1)[0] + r"\(\), in the stream made at my\.cu:6")

    def test_many_small_allocations_work(self):
        main = ["constexpr int kCount = 100000; static int* all[kCount];", "for (int*& one : all)", "  if (cudaMalloc(&one, 16) != cudaSuccess) return 4;",
                "k<<<1, 1>>>(all[0], 0); k<<<1, 1>>>(all[kCount - 1], 3);", "if (cudaDeviceSynchronize() != cudaSuccess) return 5;",
                "for (int* one : all)", "  if (cudaFree(one) != cudaSuccess) return 6;", "for (int i = 0; i < kCount; ++i) { int* one;",
                "  if (cudaMalloc(&one, 16) != cudaSuccess || cudaFree(one) != cudaSuccess) return 7; }"]
        done = run("cpu", self.WRITE, main)
        self.check(done, 0, r"^k +2 +0 +0 +0$")
        self.assertEqual(done.stdout, "end\n")
        main[3] = "k<<<1, 1>>>(all[kCount - 1], 7);"  # without pages of its own, what is behind it is looked at when it is freed
        self.check(run("cpu", self.WRITE, main), 0, r"^nestbed: cudaFree: 4 of the bytes behind one \(16 bytes, allocated at my\.cu:7\) were overwritten")

    def test_bytes_beside_an_allocation_and_copies_are_counted(self):
        main = ["int* d; cudaMalloc(&d, 400); static int h[200];", "k<<<1, 1>>>(d, -3);", self.WAIT, "k<<<1, 1>>>(d, 101);", self.WAIT,
                "cudaMemcpy(d + 10, h, 400, cudaMemcpyHostToDevice);", "cudaMemset(d - 5, 0, 4);",
                "std::printf(\"%d\\n\", cudaMemcpy(d + 10, h, 360, cudaMemcpyHostToDevice));"]
        done = run("cpu", self.WRITE, main)
        self.check(done, 0, r"^nestbed: [^\n]*: 4 of the bytes before d \(400 bytes, allocated at my\.cu:5\) were overwritten, up to 12 bytes before its beginning: ",
                   r"^nestbed: [^\n]*: 4 of the bytes behind d \(400 bytes, allocated at my\.cu:5\) were overwritten, up to 8 bytes past its end: ",
                   r"^nestbed: my\.cu:10: cudaMemcpy: destination: 400 bytes from offset 40 on go beyond d \(400 bytes, allocated at my\.cu:5\)",
                   r"^nestbed: my\.cu:11: cudaMemset: [^\n]*the address is 20 bytes before d \(400 bytes, allocated at my\.cu:5\)")
        self.assertEqual(done.stdout, "0\nend\n")

    def test_little_address_space_is_enough(self):
        main = ["int* d; if (cudaMalloc(&d, 400) != cudaSuccess) return 4;", "k<<<1, 1>>>(d, 0);", "return cudaDeviceSynchronize();"]
        folder = program_in_folder(self.WRITE + "int main() {\n" + "\n".join(main) + "\n}\n")
        done = called(["bash", "-c", "ulimit -v 30000; exec ./my"], folder)
        self.check(done, 0, r"^k +1 +0 +0 +0$")


class Host(Programs):
    ADD = "__global__ void k(int* a) { ++a[threadIdx.x]; }"

    def test_the_host_must_wait_before_it_uses_memory_of_both(self):
        for function in ("cudaMallocManaged", "cudaMallocHost"):
            for access, verb in (("int first = d[0]; std::printf(\"%d\\n\", first);", "read"), ("d[0] = 3;", "write")):
                for wait in ("", "cudaDeviceSynchronize();", "cudaStreamSynchronize(0);"):
                    main = [f"int* d; {function}(&d, 400); for (int i = 0; i < 100; ++i) d[i] = 0;", f"k<<<1, 100>>>(d); {wait}", access]
                    with self.subTest(function=function, verb=verb, wait=wait):
                        done = run("races", self.ADD, main)
                        if wait:
                            self.check(done, 0, r"^no races: ")
                        else:
                            self.check(done, EXIT_BAD, rf"^race: write and {verb} of d\[0\] \(4 bytes\)$", rf"^  {verb:6} my\.cu:7  the host$",
                                       r"^  missing: the host has not waited for the kernel \(a cudaDeviceSynchronize\(\)")

    def test_the_host_must_not_use_memory_of_the_device(self):
        main = ["int* d; cudaMalloc(&d, 400);", "d[3] = 1;", "cudaMemset(d, 0, 400); k<<<1, 100>>>(d);", "int h; cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);"]
        done = run("races", self.ADD, main, "--json")
        self.check(done, EXIT_BAD, r"^access by the host: write of d\[3\], which is memory of the device \(cudaMemcpy\(\)\ncopies it\)\n  write  my\.cu:6  the host$",
                   r"^no races, 1 place where the host accesses memory of the device: ")
        self.assertEqual(json.loads(done.stdout)["bad_accesses"][0]["access"], {"kind": "write", "host": True, "places": ["my.cu:6"], "source": "d[3] = 1;"})

    def test_the_place_is_in_the_program_where_a_library_accesses(self):
        main = ["int* d; cudaMalloc(&d, 400);", "__builtin_memset(d, 0, 400); if (d[0] == 0)", "k<<<1, 100>>>(d);"]
        self.check(run("races", self.ADD, main), EXIT_BAD, r"my\.cu:6  the host$")

    def test_memory_of_the_host_as_an_argument_is_named(self):
        warning = (r"^my\.cu:6: warning: an argument of the launch of k points to memory of the host, which kernels of most GPUs cannot use; "
                   r"allocate it by cudaMalloc\(\)$")
        for memory in ("int h[100] = {};", "int* h = (int*)malloc(400);", "int* h = new int[1000000]();"):
            with self.subTest(memory):
                main = [memory, "k<<<1, 100>>>(h);", "cudaDeviceSynchronize();"]
                self.check(run("cpu", self.ADD, main), 0, warning.replace("^", "^nestbed: "))
                self.check(run("races", self.ADD, main), EXIT_BAD, warning.replace("^", "^nestbed: "),
                           r"^memory of the host: write of what an argument of the launch points to\n  write  my\.cu:2  depth 0, block 0, thread 0$",
                           "2 places where a kernel accesses memory of the host")
        main = ["int* r = new int[100](); cudaHostRegister(r, 400, 0);",
                "static int before; int *h, *m, *d; cudaMallocHost(&h, 400); cudaMallocManaged(&m, 400); cudaMalloc(&d, 400); cudaMemset(d, 0, 400);",
                "for (int i = 0; i < 100; ++i) h[i] = m[i] = 0; k<<<1, 100>>>(h); k<<<1, 100>>>(m); k<<<1, 100>>>(d);",
                "k<<<1, 100>>>(r); cudaDeviceSynchronize();",
                "cudaEvent_t e; cudaEventCreate(&e); struct Of { cudaEvent_t event; int* v; }; apply<<<1, 1>>>([=, of = Of{e, m}] { of.v[of.event == nullptr] += 1; });"]
        done = run("races", self.ADD + " template <class F> __global__ void apply(F f) { f(); }", main, "--extended-lambda")
        self.check(done, 0, "^no races: ")
        self.assertNotIn("warning", done.stderr)

    def test_an_argument_beside_memory_of_the_host_is_none(self):
        program = built("#include <cstdlib>\n#include <sys/mman.h>\n__global__ void k(char* a) { if (a == nullptr) __trap(); }", [
            "char* three = (char*)mmap(nullptr, 12288, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); mprotect(three + 4096, 4096, PROT_READ | PROT_WRITE);",
            "k<<<1, 1>>>(three + atoi(getenv(\"AT\")));"])
        for at, warned in ((4095, False), (4096, True), (8191, True), (8192, False)):
            self.assertEqual("warning" in program(AT=at).stderr, warned, at)

    def test_own_memory_as_an_argument_of_a_child_is_named_once(self):
        for own, what in (("__shared__ int own[4];", "shared memory of the launching block"), ("int own[4];", "local memory of the launching thread")):
            done = run("cpu", f"__global__ void c(int* a) {{ if (a == nullptr) __trap(); }} __global__ void k() {{ {own} c<<<1, 1>>>(own + threadIdx.x); }}", ["k<<<1, 4>>>();"])
            self.check(done, 0, rf"^nestbed: my\.cu:2: warning: an argument of the launch of c points to {what}, which a child cannot use$")
            self.assertEqual(done.stderr.count("warning"), 1)

    def test_a_copy_in_the_wrong_direction_is_named_with_its_line(self):
        main = ["int h[100]; int* d; cudaMalloc(&d, 400); cudaMemset(d, 0, 400);", "k<<<1, 100>>>(d);", "cudaMemcpy(h, d, 400, cudaMemcpyHostToDevice);"]
        self.check(run("cpu", self.ADD, main), 0, r"^nestbed: my\.cu:7: cudaMemcpy: destination: \w+ is not memory of the device \(exchanged arguments")

    def test_a_misaligned_access_is_named(self):
        kernel = "__global__ void k(float* a, int i) { *(double*)(a + i) = 1; }"
        for index, code in ((4, 0), (5, EXIT_BAD)):
            with self.subTest(index):
                patterns = [r"^misaligned: write of a\[5\], 8 bytes at an address that is no multiple of 8$"] if index == 5 else ["^no races: "]
                self.check(run("races", kernel, ["float* a; cudaMalloc(&a, 400);", f"k<<<1, 1>>>(a, {index});"]), code, *patterns)


class Files(Programs):
    """What a variable of the environment names."""
    KERNEL = ("__device__ int x; __global__ void c() {} __global__ void k() { x = threadIdx.x; if (threadIdx.x == 0) { c<<<1, 1>>>(); "
              "c<<<1, 1, 0, cudaStreamFireAndForget>>>(); c<<<1, 1, 0, cudaStreamTailLaunch>>>(); } }")

    def test_known_races_and_the_trace(self):
        folder = program_in_folder(source_of(self.KERNEL, ["k<<<1, 2>>>();", "return cudaDeviceSynchronize();"]), "--nestbed-races")
        (folder / "known.txt").write_text("memory x\n", encoding="utf-8")
        (folder / "other.txt").write_text("memory y\n", encoding="utf-8")
        for file, code in (("known.txt", 0), ("other.txt", EXIT_BAD)):
            self.check(called(["./my"], folder, NESTBED_SUPPRESSIONS=file), code)
        done = called(["./my"], folder, NESTBED_SUPPRESSIONS="none.txt")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("NESTBED_SUPPRESSIONS='none.txt': the file cannot be read: No such file or directory", done.stderr)
        benign = self.KERNEL.replace("x = threadIdx.x;", "\nx = threadIdx.x; // nestbed: benign: a test\n")
        self.check(run("races", benign, ["k<<<1, 2>>>();"]), 0, r"^suppressed by my\.cu:3: race of x between my\.cu:3 and my\.cu:3 \(a test\)$")
        for tree in (0, 1):
            self.assertEqual("depth  kernel" in called(["./my"], folder, NESTBED_TREE=tree).stderr, tree == 1)
        for name in ("NESTBED_REPORT", "NESTBED_TRACE"):
            self.check(called(["./my"], folder, **{name: "none/x"}), EXIT_BAD, f"^nestbed: {name}='none/x': the file could not be written: No such file or directory$")
        called(["./my"], folder, NESTBED_TRACE="trace.json")
        events = json.loads((folder / "trace.json").read_text(encoding="utf-8"))["traceEvents"]
        self.assertEqual([event["args"]["stream"] for event in events if "kernel" in event.get("args", {})], ["host", "null", "fire_and_forget", "tail"])


class NothingRan(Programs):
    KERNEL = "__global__ void k(int* a) { *a = 1; }"

    def test_a_program_without_launches_has_no_claim_of_no_races(self):
        done = run("races", self.KERNEL, ["std::puts(\"usage: my FILE\");"])
        self.check(done, EXIT_BAD, r"^nestbed: no kernel ran: the program launched none$", r"^not searched for races: no kernel ran$")
        self.assertNotIn("no races", done.stderr)
        self.check(run("cpu", self.KERNEL, ["std::puts(\"usage: my FILE\");"]), 0, r"^nestbed: no kernel ran: the program launched none$")
        self.check(run("races", self.KERNEL, ["return 5;"]), 5, r"^not searched for races: no kernel ran$")

    def test_nor_has_one_of_which_all_launches_were_refused(self):
        main = ["int* d; cudaMalloc(&d, 4);", "k<<<1, 2048>>>(d);", "k<<<0, 32>>>(d);", "cudaDeviceSynchronize();"]
        done = run("races", self.KERNEL, main)
        self.check(done, EXIT_BAD, r"^k +2 +0 +2 +0  InvalidValue$", r"^nestbed: no kernel ran: 2 of 2 launches were refused \(InvalidValue\)$",
                   r"^not searched for races: no kernel ran$", r"^warning: 2 of 2 launches of k were refused, first at my\.cu:6$",
                   r"^  InvalidValue, which only cudaGetLastError\(\) in the launching thread returns:")
        self.assertLessEqual(max(map(len, done.stderr.splitlines())), 80, done.stderr)
        self.assertNotIn("no races", done.stderr)
        self.check(run("cpu", self.KERNEL, main), 0, r"^nestbed: no kernel ran: 2 of 2 launches were refused \(InvalidValue\)$")

    def test_a_kernel_that_failed_is_not_without_races(self):
        kernel = "__global__ void k(int* a) { if (*a == 0) __trap(); *a = 1; }"
        done = run("races", kernel, ["int* d; cudaMalloc(&d, 4); cudaMemset(d, 0, 4);", "k<<<1, 1>>>(d);", "cudaDeviceSynchronize();"])
        self.check(done, EXIT_BAD, r"^no races in what ran: ")

    def test_nor_is_a_program_that_did_not_come_to_its_end(self):
        main = ["int* d; cudaMalloc(&d, 4); cudaMemset(d, 0, 4); k<<<1, 1>>>(d); cudaDeviceSynchronize();", "__builtin_trap();"]
        self.check(run("races", self.KERNEL, main), EXIT_BAD, r"^no races in what ran: 1 accesses of 1 threads in 1 grid$")

    def test_a_run_that_is_too_large_for_the_detector_is_told_so(self):
        kernel = "__global__ void k(char* a, int n) { a[n] = 1; for (int i = threadIdx.x; i < n; i += 1024) a[i] = 1; }"
        done = run("races", kernel, ["char* d; cudaMalloc(&d, 30000000);", "k<<<1, 2>>>(d, 3); cudaDeviceSynchronize();", "k<<<1, 1024>>>(d, 29999999);",
                                     "cudaDeviceSynchronize(); cudaMalloc(&d, 4); k<<<1, 1>>>(d, 1);"], "--json", "--timeout", "300")
        self.check(done, EXIT_BAD, r"^race: write and write of d, byte 3 ", r"^  not all: .*the race detector needs more\n  than 2048 MB")
        report = json.loads(done.stdout[done.stdout.index("{"):].splitlines()[0])
        self.assertIn("the race detector needs more than 2048 MB", report["incomplete"])
        self.assertEqual(len(report["races"]), 1)
        self.assertNotRegex(done.stderr, "no races|warning: an argument")


if __name__ == "__main__":
    unittest.main()
