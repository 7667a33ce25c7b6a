#!/usr/bin/python3
"""Tests of programs for the executor that a signal ends: they end, at once and by that signal, and say what was found until then.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/signals_test.py [Requests.test_…]

With NESTBED_THOROUGH set there are a thousand runs with a signal at a random moment, else a few.
"""
import os
import pathlib
import random
import re
import signal
import subprocess
import time
import unittest

from programs import NESTBED, new_folder

RUNS = 500 if os.environ.get("NESTBED_THOROUGH") else 40  # of each of two programs
BUILD_S = 300
END_S = 20  # a report may take 5 s

# Allocates all the time: on the host, in kernels, in the executor and in the detector. What it does at its end is the first argument.
SOURCE = r"""
#include <malloc.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>
__global__ void child(int* a) { atomicAdd(a, 1); a[1] = threadIdx.x; }
__host__ __device__ void raise_on_both_sides() { raise(SIGUSR1); } // in a kernel alone it does not build
__global__ void parent(int* a, int mode)
{
    int* own = new int[8 + threadIdx.x];
    own[0] = 1;
    child<<<1, 2>>>(a);
    if (threadIdx.x == 0)
        printf("block %d\n", blockIdx.x);
    delete[] own;
    if (mode == 1)
        raise_on_both_sides();
}
int* a;
void launch(int mode = 0) { parent<<<4, 8>>>(a, mode); cudaDeviceSynchronize(); }
int main(int, char** words)
{
    const std::string end = words[1];
    if (end == "waits") { // for a signal, as servers do
        sigset_t asked;
        sigemptyset(&asked);
        sigaddset(&asked, SIGTERM);
        sigprocmask(SIG_BLOCK, &asked, nullptr);
        cudaMallocManaged(&a, 8);
        launch();
        int got = 0;
        std::puts("ready");
        std::fflush(stdout);
        sigwait(&asked, &got);
        std::printf("got %d\n", got);
        return 0;
    }
    if (end == "handles")
        std::signal(SIGTERM, [](int) { _exit(7); });
    cudaMallocManaged(&a, 8);
    launch();
    std::fflush(stdout);
    if (end == "corrupts") {
        // The size of its own next block, which free() looks at with the lock of the heap.
        char* const block = static_cast<char*>(std::malloc(100000));
        static char* const next = static_cast<char*>(std::malloc(100000));
        if (next < block || next > block + 101000)
            return 9; // it is another's
        std::memset(block, 0x41, malloc_usable_size(block) + 8);
        std::free(block);
    } else if (end == "prints a bad text") {
        std::printf("%s", reinterpret_cast<const char*>(std::strlen(words[1])));
    } else if (end == "raises in a kernel") {
        launch(1);
    } else if (end == "alarm") {
        alarm(1);
    } else if (end == "child") {
        const pid_t copy = fork();
        if (copy == 0)
            std::abort();
        int status = 0;
        waitpid(copy, &status, 0);
        std::printf("child: signal %d\n", WTERMSIG(status));
        return 0;
    } else if (end == "sleeps" || end == "handles") {
        std::puts("ready");
        std::fflush(stdout);
        for (;;)
            pause();
    }
    for (;;) {
        std::vector<std::string> texts;
        for (int i = 0; i < 100; ++i)
            texts.push_back(std::string(i * 10, 'x'));
        launch();
    }
}
"""
RACE = "race: write and write of a[1]"
LATE = "the report takes too long"


def setUpModule():
    global FOLDER
    FOLDER = new_folder(SOURCE)
    for name, options in (("plain", []), ("watched", ["--nestbed-races"])):
        subprocess.run([NESTBED, "nvcc", *options, "my.cu", "-o", name], cwd=FOLDER, timeout=BUILD_S, check=True)


class Ends(unittest.TestCase):
    def start(self, name, end, out=subprocess.DEVNULL):
        return subprocess.Popen([FOLDER / name, end], cwd=FOLDER, stdout=out, stderr=subprocess.PIPE, text=True)

    def end_of(self, process):
        """Standard error and the time; fails if the program goes on."""
        began = time.monotonic()
        try:
            _, text = process.communicate(timeout=END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.fail("the program did not end")
        return text, time.monotonic() - began

    def ready(self, name, end):
        process = self.start(name, end, subprocess.PIPE)
        while process.stdout.readline() != "ready\n":
            pass
        return process


class Requests(Ends):
    """Signals that come from outside."""

    def test_at_random_moments_end_the_program_with_its_report(self):
        moments = random.Random(1)
        reports = 0
        for run in range(RUNS):
            for name in ("plain", "watched"):
                with self.subTest(name=name, run=run), self.start(name, "goes on") as process:
                    # Most come early: there the library makes what it needs.
                    time.sleep(moments.uniform(0, moments.choice((0.01, 0.1))))
                    process.send_signal(signal.SIGTERM)
                    text, seconds = self.end_of(process)
                    self.assertEqual(process.returncode, -signal.SIGTERM, text)
                    self.assertNotIn(LATE, text)
                    self.assertLess(seconds, END_S / 2)
                    reports += RACE in text
        self.assertGreater(reports, RUNS / 4)

    def test_every_one_that_ends_a_program_gives_the_report(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU, signal.SIGALRM, signal.SIGSEGV,
                       signal.SIGFPE, signal.SIGABRT):
            with self.subTest(number), self.ready("watched", "sleeps") as process:
                process.send_signal(number)
                text, _ = self.end_of(process)
                self.assertEqual(process.returncode, -number, text)
                self.assertIn(RACE, text)

    def test_several_at_once_give_one_report(self):
        with self.ready("watched", "sleeps") as process:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGTERM, signal.SIGHUP):
                process.send_signal(number)
            text, _ = self.end_of(process)
            self.assertIn(-process.returncode, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP), text)
            self.assertEqual(text.count(RACE), 1, text)

    def test_are_left_to_a_program_that_handles_or_awaits_them(self):
        with self.ready("watched", "handles") as process:
            process.send_signal(signal.SIGTERM)
            self.end_of(process)
            self.assertEqual(process.returncode, 7)
        with self.ready("plain", "waits") as process:
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.stdout.read(), f"got {signal.SIGTERM:d}\n")
            self.end_of(process)
            self.assertEqual(process.returncode, 0)

    def test_end_a_program_that_waits_for_a_reader_of_what_it_prints(self):
        """It has the lock of standard output then."""
        with self.start("watched", "goes on", subprocess.PIPE) as process:
            seen = 0
            state = pathlib.Path(f"/proc/{process.pid}/wchan")
            while seen < 10 and process.poll() is None:  # nothing reads the pipe
                seen = seen + 1 if "pipe" in state.read_text(encoding="ascii") or state.read_text(encoding="ascii") == "0" else 0
                time.sleep(0.1)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=END_S), -signal.SIGTERM)
            self.assertIn(RACE, process.stderr.read())


class Crashes(Ends):
    """Signals of the program itself."""

    def check(self, end, number, *texts, out=subprocess.DEVNULL):
        with self.subTest(end), self.start("watched", end, out) as process:
            text, _ = self.end_of(process)
            self.assertEqual(process.returncode, -number, text)
            self.assertNotIn(LATE, text)
            for each in (RACE, *texts):
                self.assertIn(each, text)
        return text

    def test_in_a_function_that_has_a_lock_give_the_report(self):
        self.check("corrupts", signal.SIGABRT)
        self.check("prints a bad text", signal.SIGSEGV)

    def test_of_other_kinds_give_the_report(self):
        text = self.check("raises in a kernel", signal.SIGUSR1, "ended by SIGUSR1 in kernel parent (launched at my.cu:")
        self.assertRegex(text, re.compile(r"^total +\d+ +", re.MULTILINE))
        self.check("alarm", signal.SIGALRM)

    def test_when_nobody_reads_what_is_printed_give_the_report(self):
        read, write = os.pipe()
        os.close(read)
        try:
            self.check("goes on", signal.SIGPIPE, out=write)
        finally:
            os.close(write)

    def test_in_a_copy_of_the_process_are_its_own(self):
        with self.start("watched", "child", subprocess.PIPE) as process:
            out, text = process.communicate(timeout=END_S)
            self.assertIn(f"child: signal {signal.SIGABRT:d}\n", out)
            self.assertEqual(text.count(RACE), 1, text)


if __name__ == "__main__":
    unittest.main()
