#!/usr/bin/python3
"""Tests of what nestbed says of programmatic launches without a run: warnings of a build, and `nestbed races --sass`.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/programmatic_test.py
"""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from programs import CUDA, EXIT_BAD, NESTBED, TIMEOUT_S

LABELLED = CUDA.with_name("labelled")
SASS = """
\tcode for sm_90
\t\tFunction : _Z4copyPKiPi
        /*0000*/                   LDC R1, c[0x0][0x28] ;                              /* 0x00000a00ff017b82 */
                                                                                       /* 0x000ff00000000800 */
        /*0010*/                   LDG.E.CONSTANT R5, desc[UR4][R2.64] ;               /* 0x0000000402057981 */
        /*0020*/                   ACQBULK ;                                           /* 0x000000000000782e */
        /*0030*/                   EXIT ;                                              /* 0x000000000000794d */
"""
DISASSEMBLED = """
.text._Z4copyPKiPi:
\t//## File "/home/me/copy.cu", line 7
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   LDG.E.CONSTANT R5, desc[UR4][R2.64] ;
"""
REPORT = "copy(int const*, int*), sm_90: 1 load before griddepcontrol.wait\n  0x0010  LDG.E.CONSTANT R5, desc[UR4][R2.64]{}\n"

# Of the buggy pairs that get a warning: its line, and what it says.
WARNED = {"early_load": "before its wait", "macro": "never waits", "loop": "after its trigger"}


def called(*words, path=None):
    return subprocess.run([str(word) for word in words], env=path and {"PATH": path}, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)


class Warnings(unittest.TestCase):
    def warnings_of(self, source, *options):
        with tempfile.TemporaryDirectory(prefix="nestbed-programmatic-") as folder:
            done = called(NESTBED, "nvcc", "-rdc=true", *options, f"-I{CUDA}", "-c", source, "-o", f"{folder}/my.o")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line for line in done.stderr.splitlines() if "warning" in line and "launched programmatically" in line]

    def test_are_of_pairs_with_their_bug_alone(self):
        for source in sorted((CUDA / "pairs").glob("programmatic_*.cu")):
            with self.subTest(source=source.name):
                self.assertEqual(self.warnings_of(source), [])
                name = source.stem.removeprefix("programmatic_")
                warnings = self.warnings_of(source, "-DBUG")
                self.assertEqual(len(warnings), name in WARNED, warnings)
                for warning in warnings:
                    self.assertIn(WARNED[name], warning)
                    line = int(re.search(rf"{source.name}:(\d+): warning: ", warning)[1])
                    self.assertIn("// BUG", source.read_text(encoding="utf-8").splitlines()[line - 1])

    def test_are_not_of_right_programs(self):
        for name in ("all_reduce", "attention", "programmatic", "rms_norm"):
            with self.subTest(source=name):
                self.assertEqual(self.warnings_of(LABELLED / f"{name}.cu"), [])
        source = CUDA / "graph_orders.cu"
        lines = source.read_text(encoding="utf-8").splitlines()
        warnings = self.warnings_of(source)
        self.assertEqual(len(warnings), 1, warnings)
        launched = int(re.search(r"launched programmatically at line (\d+)", warnings[0])[1])
        self.assertTrue(lines[launched - 1].startswith("WRONG("), warnings)


class Sass(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="nestbed-sass-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tools = self.folder / "tools"
        self.tools.mkdir()
        self.program = self.folder / "my program"
        self.program.write_bytes(b"\x7fELF\0")

    def tool(self, name, script):
        path = self.tools / name
        path.write_text("#!/bin/sh\n" + script, encoding="utf-8")
        path.chmod(0o755)

    def checked(self, *options, file=None):
        return called(NESTBED, "races", "--sass", file or self.program, *options, path=f"{self.tools}:/usr/bin:/bin")

    def test_may_be_a_text(self):
        text = self.folder / "my.sass"
        text.write_text(SASS, encoding="utf-8")
        done = self.checked(file=text)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith(REPORT.format("")), done.stdout)
        self.assertEqual(self.checked("--strict", file=text).returncode, EXIT_BAD)
        text.write_text(SASS.replace("ACQBULK", "NOP"), encoding="utf-8")
        done = self.checked("--strict", file=text)
        self.assertEqual((done.returncode, done.stdout), (0, "none of 1 function waits (griddepcontrol.wait)\n"))

    def test_is_what_cuobjdump_prints_with_the_lines_of_nvdisasm(self):
        (self.folder / "sass").write_text(SASS, encoding="utf-8")
        (self.folder / "disassembled").write_text(DISASSEMBLED, encoding="utf-8")
        self.tool("cuobjdump", f'[ "$1" = -sass ] && exec cat {self.folder}/sass\n[ "$1" = -xelf ] && [ -f "$3" ] && : > a.sm_90.cubin\n')
        self.assertTrue(self.checked().stdout.startswith(REPORT.format("")))
        self.tool("nvdisasm", f'[ "$1 $2" = "-c -g" ] && [ -f "$3" ] && exec cat {self.folder}/disassembled\n')
        done = self.checked()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith(REPORT.format("  /home/me/copy.cu:7")), done.stdout)

    def test_errors_say_what_is_missing(self):
        self.assertIn("cuobjdump was not found on the PATH", self.checked().stderr)
        self.tool("cuobjdump", "echo cuobjdump fatal: not a device file >&2\nexit 255\n")
        done = self.checked()
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"my program: \S+/cuobjdump -sass '.*my program': exit code 255: cuobjdump fatal: not a device file")
        self.assertIn("there is no such file", self.checked(file="none").stderr)
        self.assertIn("--sass does not go with '--grid'", self.checked("--grid", "4").stderr)
        self.assertIn("--sass does not go with '--json'", self.checked("--json").stderr)
        self.assertEqual(self.checked(CUDA / "pairs/programmatic_macro.cu").returncode, 2)

    @unittest.skipUnless(shutil.which("nvcc") and shutil.which("cuobjdump"), "there is no nvcc or no cuobjdump")
    def test_sass_has_the_load_that_nvcc_moves_above_the_wait(self):
        for option, count in (("-DAS_IT_IS", 1), ("-DREPAIRED", 0)):
            with self.subTest(option=option):
                subprocess.run(["nvcc", "-O3", "-lineinfo", "-rdc=true", "-arch=sm_90", option, str(CUDA / "listings/programmatic_hoisted.cu"), "-o", str(self.program)],
                               timeout=TIMEOUT_S, check=True)
                done = called(NESTBED, "races", "--sass", self.program)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(f"{count} of 1 kernel that waits may load before the wait", done.stdout)


class Page(unittest.TestCase):
    """What nested/programmatic.md shows of the pairs."""
    TEXT = (CUDA.parents[2] / "nested/programmatic.md").read_text(encoding="utf-8")

    def test_names_the_lines_of_each_pair(self):
        rows = re.findall(r"^\| \[(\w+)\]\(\S+\) \|.*\| (?:read|write) :(\d+), (?:read|write) :(\d+) \|", self.TEXT, re.MULTILINE)
        self.assertEqual({name for name, *_ in rows}, {path.stem.removeprefix("programmatic_") for path in (CUDA / "pairs").glob("programmatic_*.cu")})
        for name, *numbers in rows:
            lines = (CUDA / f"pairs/programmatic_{name}.cu").read_text(encoding="utf-8").splitlines()
            self.assertEqual([int(number) for number in numbers], [number for number, line in enumerate(lines, 1) if line.endswith("// BUG")], name)

    def test_shows_a_report_and_a_kernel_as_they_are(self):
        report = re.search(r"DBUG\n…\n(race: .*?)```", self.TEXT, re.DOTALL)[1]
        done = subprocess.run([NESTBED, "races", "programmatic_early_load.cu", "-DBUG"], cwd=CUDA / "pairs", capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False)
        self.assertEqual([line for line in report.splitlines() if line not in (done.stdout + done.stderr).splitlines()], [])
        kernel = re.search(r"```cuda\n(.*?)```", self.TEXT, re.DOTALL)[1]
        source = (CUDA / "listings/programmatic_hoisted.cu").read_text(encoding="utf-8")
        self.assertIn(kernel.replace("const int* __restrict__ row", "Row row"), source)


if __name__ == "__main__":
    unittest.main()
