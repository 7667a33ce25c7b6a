#!/usr/bin/python3
"""Tests of the reports on stray accesses of kernels: to variables and memory of the executor or of the host, outside of local arrays, to bytes
that nothing wrote; and of programs that end at once.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/stray_test.py [Class.test_…]
"""
import unittest

from kept_findings_test import Ended
from programs import EXIT_BAD, built

SOURCE = r"""#include <cstdio>
#include <cstdlib>
#include <csignal>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
struct Pair { int a; char b; };
struct Counted { int* to; int copies; __host__ __device__ Counted(int* of) : to(of), copies(0) {}
                 __host__ __device__ Counted(const Counted& of) : to(of.to), copies(of.copies + 1) {} __host__ __device__ ~Counted() { copies = -1; } };
struct Base { __device__ virtual int value() const { return 1; } };
struct Derived : Base { __device__ int value() const override { return 2; } };
__device__ int zeros[4];
__device__ int valued[4] = {1, 2, 3, 4};
__constant__ int squares[4] = {0, 1, 4, 9};
template <class T> __device__ T of_template[4];
__device__ auto of_auto = 1;
__device__ int (*of_function_type)(int);
static int of_host[4];
template <class T> struct Of { static T member; };
template <class T> T Of<T>::member = 1;
__global__ void write_zeros(long at) { zeros[at] = 7; }
__global__ void write_valued(long at) { valued[at] = 7; }
__global__ void write_hidden(long begin, long at) { ((int*)(begin ^ -1))[at] = 7; }
__global__ void read_hidden(long begin, long at, int* v) { *v = ((int*)(begin ^ -1))[at]; }
__global__ void read_local(int* v, int at)
{
    int own[8];
    for (int i = 0; i < 8; ++i) own[i] = i;
    v[0] = own[at];
}
__global__ void write_local(int* v, int at)
{
    int own[8] = {};
    own[at] = 7;
    v[0] = own[3];
}
__global__ void write_pointer(int* v, int at)
{
    struct { double before; int own[8]; } in = {};
    int* p = in.own + at;
    *p = 7;
    v[0] = in.own[3];
}
__global__ void other_stack(int** shown)
{
    int own = 1;
    if (threadIdx.x == 0) *shown = &own;
    __syncthreads();
    if (threadIdx.x == 1) **shown = 2;
    __syncthreads();
}
__global__ void write_at(long address) { *(int*)address = 7; }
__global__ void swap_at(long address) { atomicCAS((int*)address, 0, 1); }
__global__ void of_parent(int* own) { *own = 3; }
__device__ __noinline__ void hand_on(int* own) { of_parent<<<1, 1>>>(own); }
__global__ void parent() { int own[4] = {}; hand_on(own + 1); }
__global__ void halves(short* v, int* o) { v[0] = 1; v[1] = 2; v[2] = 3; *o = *(int*)v; *o += ((int*)v)[1]; }
__global__ void member(Pair* v, int* o) { v->a = 1; *o = v->a; *o += v->b; }
__global__ void bytes(char* v, int* o) { for (int i = 0; i < 8; ++i) v[i] = i; *o = ((int*)v)[1]; }
__global__ void partly(Pair* v, Pair* o) { v[0].a = 1; v[0].b = 2; v[1].a = 3; o[0] = v[0]; o[1] = v[1]; }
__device__ int same(int number) { return number; }
__global__ void child(Counted by) { *by.to = by.copies; }
__global__ void right(Counted by, int* v)
{
    static __device__ int of_function[4];
    const int own[4] = {1, 2, 3, 4};
    const char* text = "text";
    Derived derived;
    const Base* base = &derived;
    of_template<int>[threadIdx.x] = of_function[threadIdx.x] = own[threadIdx.x] + squares[threadIdx.x] + text[threadIdx.x] + base->value();
    int sum = 0;
    if (threadIdx.x == 0) of_function_type = same;
    if (threadIdx.x == 0) sum = of_function_type(of_auto) - 1;
    for (const int* p = own; p != own + 4; ++p) sum += *p;
    if (threadIdx.x == 0) child<<<1, 1>>>(by);
    v[1 + threadIdx.x] = sum + by.copies;
}
__global__ void racy(int* v) { v[0] = threadIdx.x; }
int main(int, char** words)
{
    const char* what = words[1];
    const long at = atol(words[2]);
    const auto is = [what](const char* name) { return std::string_view(what) == name; };
    int* v; cudaMalloc(&v, 1024); cudaMemset(v, 0, 1024);
    short* s; cudaMalloc(&s, 64);
    char* c; cudaMalloc(&c, 64);
    Pair* pairs; cudaMalloc(&pairs, 64);
    Pair* to; cudaMalloc(&to, 64);
    int** shown; cudaMalloc(&shown, 8);
    int* const host = (int*)calloc(1000, 4);
    const long hidden = (long)host ^ -1;
    if (is("zeros")) write_zeros<<<1, 1>>>(at);
    if (is("valued")) write_valued<<<1, 1>>>(at);
    if (is("write_hidden")) write_hidden<<<1, 1>>>(hidden, at);
    static int of_main[2];
    if (is("of_host")) write_hidden<<<1, 1>>>((long)of_host ^ -1, at);
    if (is("of_main")) read_hidden<<<1, 1>>>((long)of_main ^ -1, at, v);
    if (is("of_class")) write_hidden<<<1, 1>>>((long)&Of<int>::member ^ -1, at);
    if (is("argument")) read_local<<<1, 1>>>(of_host, at);
    if (is("read_hidden")) read_hidden<<<1, 1>>>(hidden, at, v);
    if (is("read_local")) read_local<<<1, 1>>>(v, at);
    if (is("write_local")) write_local<<<1, 1>>>(v, at);
    if (is("write_pointer")) write_pointer<<<1, 1>>>(v, at);
    if (is("other_stack")) other_stack<<<1, 2>>>(shown);
    if (is("write_at")) write_at<<<1, 1>>>(at);
    if (is("swap_at")) swap_at<<<1, 1>>>(at);
    if (is("parent")) parent<<<1, 1>>>();
    if (is("halves")) halves<<<1, 1>>>(s, v);
    if (is("member")) member<<<1, 1>>>(pairs, v);
    if (is("bytes")) bytes<<<1, 1>>>(c, v);
    if (is("partly")) partly<<<1, 1>>>(pairs, to);
    if (is("right")) right<<<1, 4>>>(Counted(v), v);
    if (what[0] == '_') racy<<<1, 2>>>(v);
    const cudaError_t error = cudaDeviceSynchronize();
    if (is("_exit")) _exit(at);
    if (is("_Exit")) _Exit(at);
    if (is("_quick")) { std::at_quick_exit([] { std::fputs("handler\n", stderr); }); std::quick_exit(at); }
    if (is("_signal")) { std::signal(SIGALRM, [](int) { _exit(7); }); std::raise(SIGALRM); }
    if (is("_vfork")) { if (vfork() == 0) _exit(5); int status; wait(&status); std::printf("%d ", WEXITSTATUS(status)); }
    std::printf("%s\n", cudaGetErrorString(error));
    return 0;
}
"""
ILLEGAL = "an illegal memory access was encountered\n"


def line_of(part):
    return str(next(number for number, line in enumerate(SOURCE.splitlines(), 1) if part in line))


class Watched(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = built(SOURCE, "-rdc=true", "--nestbed-races")

    def check(self, words, bad, output="no error\n"):
        """`bad`: kind, access, memory and a part of the line; None: there is no report."""
        ended = Ended(self.folder, *words)
        wanted = [] if bad is None else [(*bad[:3], line_of(bad[3]))]
        self.assertEqual(ended.bad, wanted, ended.text)
        self.assertEqual((ended.run.returncode, ended.run.stdout), (0 if bad is None else EXIT_BAD, output), ended.text)
        return ended

    def test_a_write_far_from_a_variable_reaches_nothing(self):
        for name, at in (("zeros", 30000), ("zeros", 260000), ("zeros", -64), ("valued", 9), ("valued", 3000)):
            with self.subTest(name=name, at=at):
                ended = Ended(self.folder, name, at)
                self.assertEqual([(kind, access) for kind, access, _, _ in ended.bad], [("out of bounds", "write")], ended.text)
                self.assertEqual(ended.run.returncode, EXIT_BAD)
        self.check(("zeros", 3), None)

    def test_variables_of_the_executor_are_not_written(self):
        # The pad of the file ends less than a page behind its MB.
        for at in (263200, 263400):
            ended = Ended(self.folder, "zeros", at)
            self.assertEqual(len(ended.bad), 1, ended.text)
            self.assertEqual((ended.run.returncode, ended.run.stdout), (EXIT_BAD, ILLEGAL), ended.text)

    def test_memory_of_the_host_is_not_the_devices(self):
        memory = "memory that is not the device's"
        self.check(("write_hidden", 20), ("memory of the host", "write", memory, "void write_hidden"), ILLEGAL)
        self.check(("read_hidden", 20), ("memory of the host", "read", memory, "void read_hidden"))

    def test_static_variables_of_the_host_are_not_the_devices(self):
        self.check(("of_host", 0), ("memory of the host", "write", "of_host", "void write_hidden"))
        self.check(("of_host", 3), ("memory of the host", "write", "of_host, byte 12", "void write_hidden"))
        self.check(("of_main", 1), ("memory of the host", "read", "of_main, byte 4", "void read_hidden"))
        self.check(("of_class", 0), ("memory of the host", "write", "Of<int>::member", "void write_hidden"))
        self.check(("argument", 0), ("memory of the host", "write", "of_host", "v[0] = own[at]"))

    def test_local_arrays_end_where_they_end(self):
        for at, beyond in ((8, "own[8]"), (-1, "own[-1]"), (40, "own[40]")):
            self.check(("read_local", at), ("out of bounds", "read", beyond, "v[0] = own[at]"))
            self.check(("write_local", at), ("out of bounds", "write", beyond, "own[at] = 7"), ILLEGAL)
        self.check(("read_local", 100000), ("out of bounds", "read", "own[100000]", "v[0] = own[at]"), ILLEGAL)
        self.check(("write_pointer", 8), ("out of bounds", "write", "in, byte 40", "*p = 7"), ILLEGAL)
        for name in ("read_local", "write_local", "write_pointer"):
            self.check((name, 7), None)

    def test_local_memory_of_another_thread_is_reported(self):
        self.check(("other_stack", 0), ("memory of another thread", "write", "memory that is not the device's", "**shown = 2"))

        ended = self.check(("parent", 0), ("memory of another thread", "write", "memory that is not the device's", "*own = 3"))
        self.assertIn("warning: an argument of the launch of of_parent points to local memory of the launching thread", ended.text)

    def test_an_access_where_no_memory_is_ends_the_kernel(self):
        for address, named in ((0, "address 0x0, of a null pointer"), (8, "address 0x8, of a null pointer"), (1 << 40, "address 0x10000000000")):
            self.check(("write_at", address), ("illegal address", "write", named, "void write_at"), ILLEGAL)
        self.check(("swap_at", 4), ("illegal address", "atomic update", "address 0x4, of a null pointer", "void swap_at"), ILLEGAL)

    def test_bytes_that_nothing_wrote_are_uninitialized(self):
        ended = self.check(("halves", 0), ("uninitialized", "read", "s[2]", "void halves"))
        self.assertIn("of which nothing has written 2 of 4 bytes", " ".join(ended.text.split()))
        self.check(("member", 0), ("uninitialized", "read", "pairs, byte 4", "void member"))

    def test_bytes_in_turn_and_structures_in_part_are_written(self):
        self.check(("bytes", 0), None)
        self.check(("partly", 0), None)

    def test_what_a_kernel_may_use_has_no_report(self):
        self.check(("right", 0), None)

    def test_a_program_that_ends_at_once_has_its_report(self):
        for name, status, code in (("_exit", 0, EXIT_BAD), ("_exit", 5, 5), ("_Exit", 0, EXIT_BAD), ("_quick", 0, EXIT_BAD), ("_quick", 4, 4),
                                   ("_signal", 0, 7), ("_vfork", 0, EXIT_BAD)):
            with self.subTest(name=name, status=status):
                ended = Ended(self.folder, name, status)
                self.assertEqual(ended.run.returncode, code, ended.text)
                self.assertEqual(len(ended.races), 1, ended.text)
                self.assertEqual(ended.run.stderr.count("1 kind"), 1, ended.text)
                self.assertEqual("handler" in ended.text, name == "_quick")


class Plain(unittest.TestCase):
    """Without the detector."""

    @classmethod
    def setUpClass(cls):
        cls.folder = built(SOURCE, "-rdc=true")

    def test_a_write_behind_the_variables_is_reported(self):
        for name, at in (("zeros", 30000), ("zeros", 260000), ("valued", 3000)):
            with self.subTest(name=name, at=at):
                ended = Ended(self.folder, name, at)
                self.assertRegex(ended.run.stderr, rf"nestbed: out of bounds: kernel write_{name} .* at my.cu:\d+: write of byte -?\d+ of \w+ \(16 bytes\)")
                self.assertEqual((ended.run.returncode, ended.run.stdout), (0, "no error\n"))

    def test_a_pointer_to_a_static_variable_of_the_host_is_a_warning(self):
        ended = Ended(self.folder, "argument", 1)
        self.assertIn(f"my.cu:{line_of('read_local<<<1, 1>>>(of_host')}: warning: an argument of the launch of read_local points to memory of the host", ended.run.stderr)
        self.assertNotIn("warning", Ended(self.folder, "zeros", 0).run.stderr)

    def test_the_table_is_printed_where_the_program_ends_at_once(self):
        for name in ("_exit", "_quick"):
            ended = Ended(self.folder, name, 5)
            self.assertEqual(ended.run.returncode, 5)
            self.assertIn("racy", ended.run.stderr)


if __name__ == "__main__":
    unittest.main()
