#!/usr/bin/python3
"""Tests of the other scripts around nestbed and of `nestbed run --plot`, on the executor.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/scripts/scripts_test.py

NESTBED names a nestbed in a build folder. Needs Debian's python3-pandas and python3-matplotlib.
"""
import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import unittest.mock

from scratch import NESTBED, ROOT, Scratch, called, only_all

import checked_output
import log_files
import predicted


class Build(Scratch):
    """What build.sh asks CMake to do, in a copy where the tools are fakes."""

    NO_GPU = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."

    def build(self, *words, cuda="13.0", gpu="8.9", script="experiments/build.sh", cwd=None, **variables):
        for name in ("CMakePresets.json", "experiments/build.sh", "experiments/packages.sh", script):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            text = (ROOT / name).read_text().replace("/usr/local/cuda", "/nowhere/cuda")  # not the CUDA toolkit of this machine
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)
        for name, answer in (("dpkg-query", "install ok installed"), ("nvcc", f"release {cuda}, V{cuda}.88"), ("nvidia-smi", gpu),
                             ("cmake", ""), ("cpack", "")):
            path = self.folder / "bin" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f'#!/bin/sh\necho "{answer}"\n' if answer else f'#!/bin/sh\necho "$@" >>"{self.folder}/asked"\n')
            path.chmod(0o755)
        if not cuda:
            (self.folder / "bin/nvcc").unlink()
        (self.folder / "asked").unlink(missing_ok=True)
        path = ":".join(part for part in os.environ["PATH"].split(":") if not (pathlib.Path(part) / "nvcc").exists())
        return subprocess.run([self.folder / script, *words], capture_output=True, text=True, check=False, cwd=cwd,
                              env={"PATH": f"{self.folder}/bin:{path}", **variables})

    def asked(self, *words, **machine):
        done = self.build(*words, **machine)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / "asked").read_text().splitlines()[0]

    def test_compiles_cuda_code_where_a_gpu_can_run_it_or_on_request(self):
        cpu, cuda = "--preset cpu-only", "--preset release"
        no_toolkit = "build.sh: no CUDA toolkit was found: CPU-only build, with the executor only\n"
        no_gpu = ("build.sh: there is a CUDA toolkit, but nvidia-smi names no GPU: CPU-only build, with the executor only; "
                  "for a GPU elsewhere, --cuda builds build/release\n")
        for words, toolkit, gpu, preset, said in (
                ((), "13.0", "8.9", cuda, ""), ((), "13.0", self.NO_GPU, cpu, no_gpu),
                (("", "nestbed"), "13.0", self.NO_GPU, cpu, no_gpu), ((), "", "8.9", cpu, no_toolkit), ((), "", self.NO_GPU, cpu, no_toolkit),
                (("--cuda",), "13.0", self.NO_GPU, cuda, ""), (("--cuda", "nestbed"), "13.0", "8.9", cuda, ""),
                (("cpu-only",), "13.0", "8.9", cpu, ""), (("release",), "13.0", self.NO_GPU, cuda, "")):
            with self.subTest(words=words, toolkit=toolkit, gpu=gpu):
                done = self.build(*words, cuda=toolkit, gpu=gpu)
                self.assertEqual((done.returncode, done.stderr), (0, said))
                self.assertEqual(done.stdout, f"{self.folder}/build/{preset.split()[1]}\n")
                asked = (self.folder / "asked").read_text().splitlines()[0]
                self.assertTrue(asked.startswith(preset), asked)
                self.assertEqual("ARCHITECTURES=89" in asked, gpu == "8.9", asked)

    def test_a_path_that_the_tools_cannot_handle_is_refused_at_once(self):
        top = self.folder
        for character in "'\"$#;:()&|<>{}*?!%^`[]\t\n\\":
            with self.subTest(character=character):
                self.folder = top / f"a{character}b"
                done = self.build()
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f"build.sh: the path {self.folder} has the character {character}, which the build tools take as their own; "
                              "allowed in the path of the repository: letters, digits, spaces and / . , _ + - = @ ~\n", done.stderr)
                if character == "\\":  # CMake itself does not find the folder
                    continue
                shutil.copy(ROOT / "CMakeLists.txt", self.folder)
                configured = called("cmake", "-S", ".", "-B", "build", cwd=self.folder)
                self.assertNotEqual(configured.returncode, 0)
                self.assertIn("nestbed: the path ", configured.stderr)
        for name in ("a b", "aüb", "a,b", "a+b", "a-b", "a=b", "a@b", "a~b", "a_b", "a.b"):
            with self.subTest(name=name):
                self.folder = top / name
                self.assertTrue(self.asked("cpu-only").startswith("--preset cpu-only"))

    def test_cuda_without_a_toolkit_is_an_error(self):
        none = ("build.sh: --cuda: no nvcc of CUDA 12.4 or later was found; allowed: with one on the PATH, in CUDACXX, CUDA_HOME or "
                "/nowhere/cuda\n")
        old = f"build.sh: {self.folder}/bin/nvcc is from CUDA 11.8; nestbed needs 12.4 or later\n"
        for toolkit, said in (("", none), ("11.8", old + none)):
            done = self.build("--cuda", cuda=toolkit)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", said))
            self.assertFalse((self.folder / "asked").exists())

    def test_scripts_pass_the_request_on(self):
        (self.folder / "build").mkdir()
        for preset in ("release", "cpu-only"):
            program = self.folder / "build" / preset / "nestbed"
            program.parent.mkdir()
            program.write_text('#!/bin/sh\n[ "$1" = modules ] && [ -f x.cfg ] && echo workload_a workload_b || echo "$0 $@"\n')
            program.chmod(0o755)
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "x.cfg").write_text("strategy = two, one # of a\ngrid = 1\n")
        for room, name in (("a", "one"), ("b", "ones")):
            (self.folder / "nested" / room).mkdir(parents=True)
            (self.folder / f"nested/{room}/{name}.cu").write_text(f'    .name = "{name}",\n')
        for words, preset in ((("--cuda", "x.cfg"), "release"), (("x.cfg",), "cpu-only")):
            done = self.build(*words, gpu=self.NO_GPU, script="experiments/run.sh", cwd=elsewhere)
            self.assertEqual((done.returncode, done.stdout), (0, f"{self.folder}/build/{preset}/nestbed run x.cfg\n"), done.stderr)
            self.assertRegex((self.folder / "asked").read_text(), f"--build --preset {preset} --target nestbed workload_a\n"  # and no other workload
                             f"--build --preset {preset} --target workload_a workload_b\n$")

    def test_the_tests_on_a_gpu_have_the_kernels_for_traced_runs(self):
        for gpu, targets in (("8.9", ["nestbed_ordinary_tests", "traced"]), (self.NO_GPU, ["nestbed_ordinary_tests"])):
            self.build(gpu=gpu, script="tests/run.sh")
            self.assertEqual(re.findall("--target (.*)", (self.folder / "asked").read_text()), targets)

    def test_makes_code_for_the_gpu_here_unless_the_preset_says(self):
        self.assertRegex(self.asked(), r"--preset release.* -DCMAKE_CUDA_ARCHITECTURES=89( -DNESTBED_WERROR=OFF)?$")
        for preset in ("all-gpus", "package-cuda"):
            self.assertNotIn("ARCHITECTURES", self.asked(preset))

    def test_builds_what_programs_of_users_need_with_nestbed(self):
        self.asked("cpu-only", "nestbed")
        self.assertRegex((self.folder / "asked").read_text(), r"--build --preset cpu-only --target nestbed_commands\n$")


SCRIPTS = [path for path in sorted((ROOT / "experiments").glob("*.s[hb]*")) if path.name != "packages.sh"] + [
    ROOT / "tests/run.sh", ROOT / "tests/fuzz.sh"]


class WithTools(Scratch):
    def with_tools(self, *words, nestbed="", **tools):
        """Runs the command with scripts of the test in place of these programs."""
        for name, text in tools.items():
            path = self.folder / "bin" / name.replace("_", "-")
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(0o755)
        return subprocess.run([str(word) for word in words], cwd=self.folder, capture_output=True, text=True, check=False, timeout=100,
                              env={**os.environ, "NESTBED": nestbed, "NESTBED_ALL": "", "NESTBED_THOROUGH": "", "PATH": f"{self.folder}/bin:{os.environ['PATH']}"})


class Scripts(WithTools):
    """What all scripts have in common."""

    def test_answer_help_and_neither_install_nor_build(self):
        self.assertGreater(len(SCRIPTS), 10)
        called_tool = f"echo $0 >>{self.folder}/called; exit 1"
        for script in SCRIPTS:
            with self.subTest(script=script.name):
                done = self.with_tools(script, "--help", cmake=called_tool, apt_get=called_tool, dpkg_query=called_tool, sudo=called_tool)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(script.stem, done.stdout)
                self.assertFalse((self.folder / "called").exists())

    def test_run_the_nestbed_that_is_named(self):
        (self.folder / "one.cfg").write_text("strategy = nosync\nbackend = cpu\ngrid = 4\nblock = 32\nrepeat = 3\n")
        done = self.with_tools(ROOT / "experiments/run.sh", "one.cfg", "-o", "out.csv", nestbed=NESTBED, cmake="exit 1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "out.csv").read_bytes().count(b"\n"), 4)

    def test_run_the_books_experiment_where_there_are_options_alone(self):
        echo = self.folder / "echo"
        echo.write_text('#!/bin/sh\necho "$@"\n')
        echo.chmod(0o755)
        book = ROOT / "experiments/book.cfg"
        ours = f"--reference {ROOT / 'results/h200/book.csv'}"
        for words, run in ((["--repeat", "5"], f"run {book} --repeat 5 {ours}"), (["x/quick.cfg", "--grid", "1"], "run x/quick.cfg --grid 1"),
                           (["launch.cfg:fanout"], "run launch.cfg:fanout"), (["--strategy", "tail"], "run --strategy tail"),
                           (["--strategy=tail"], "run --strategy=tail")):
            done = self.with_tools(ROOT / "experiments/run.sh", *words, nestbed=echo, cmake="exit 1")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, run + "\n", ""))

    def test_build_nothing_for_a_gpu_where_the_nestbed_is_named(self):
        for script in ("experiments/run.sh", "tests/run.sh"):
            done = self.with_tools(ROOT / script, "--cuda", nestbed=NESTBED, cmake="exit 1")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (
                2, "", f"run.sh: --cuda: NESTBED={NESTBED} names a program, and nothing is built; allowed: --cuda, or NESTBED\n"))

    def test_want_the_nestbed_that_is_named_to_be_there(self):
        for script, words in (("run.sh", "book.cfg"), ("plot.sh", "x.csv"), ("report.sh", "x"),
                              ("nvbench.sh", "x.csv y.csv"), ("device_vs_best.sh", "choose x"), ("predicted.sh", "x"), ("reproduce.sh", "--dry-run"),
                              ("../tests/run.sh", "-N")):
            self.assert_refused(script, words, "NESTBED=/nowhere/nestbed: there is no such program; allowed: the path of a nestbed, or unset it to "
                                "build one", nestbed="/nowhere/nestbed")

    def assert_refused(self, script, words, said, nestbed=""):
        """By what the user said alone: although all packages are missing, nothing is installed, and nothing built."""
        called_tool = f"echo $0 >>{self.folder}/called; exit 1"
        with self.subTest(script=script, words=words):
            done = self.with_tools(ROOT / "experiments" / script, *words.split(), nestbed=nestbed, cmake=called_tool, apt_get=called_tool,
                                   dpkg_query="exit 1", sudo=called_tool, npm=called_tool)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"{pathlib.Path(script).name}: {said}\n"))
            self.assertFalse((self.folder / "called").exists())

    def test_want_the_files_that_are_named_to_be_there(self):
        for script in ("plot.sh", "report.sh", "predicted.sh", "nvbench.sh"):
            self.assert_refused(script, "nowhere", "nowhere: there is no such file or folder; allowed: one that exists")
        self.assert_refused("build.sh", "cpu-only run nowhere.cfg", "nowhere.cfg: there is no such file or folder; allowed: one that exists")
        self.assert_refused("build.sh", "cpu", "there is no preset cpu; allowed: release, all-gpus, debug, asan, cpu-only, package, package-cuda, ci-cuda, no-ledger-cpu, "
                            "no-ledger, or --cuda")


class TestRun(WithTools):
    """tests/run.sh, with a script in place of ctest."""

    RESULTS = """<testsuite>
<testcase name="a" status="run"/><testcase name="b" status="run"><system-out>..s.
skipped: this machine gives no pseudo-terminal: No such file or directory (1 of b_test)
</system-out></testcase>
<testcase name="Gpu.C" status="notrun"><system-out>[ RUN      ] Gpu.C
/x/gpu_test.cpp:34: Skipped
no usable GPU: there is none

[  SKIPPED ] Gpu.C (0 ms)</system-out></testcase>
<testcase name="Gpu.D" status="notrun"><system-out>/x/gpu_test.cpp:34: Skipped
no usable GPU: there is none
</system-out></testcase>
<testcase name="slurm_test" status="notrun"><system-out>slurm_test: skipped: this is not root
</system-out></testcase>
<testcase name="nested_reduce" status="notrun"><system-out>nested_reduce 2048 512
no CUDA-capable device is detected</system-out></testcase>
<testcase name="quiet" status="notrun"/>
FAILED</testsuite>"""

    SAID = """Test project /x
        Start    1: a
   1/2000 Test    #1: a ...................................................................................................   Passed    0.02 sec
        Start    2: Gpu.C
   2/2000 Test    #2: Gpu.C ...............................................................................................***Skipped   0.01 sec
        Start    3: z
1000/2000 Test    #3: z ...................................................................................................***Failed    2.34 sec

99% tests passed, 1 tests failed out of 2000

Total Test time (real) =   2.40 sec

The following tests did not run:
\t  2 - Gpu.C (Skipped)

The following tests FAILED:
\t  3 - z (Failed)
Errors while running CTest
"""

    def run_tests(self, *words, failed="", code=0, said=""):
        for name in ("nestbed", "tests/nestbed_tests"):
            path = self.folder / "build" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("#!/bin/sh\n")
            path.chmod(0o755)
        (self.folder / "results.xml").write_text(self.RESULTS.replace("FAILED", failed))
        (self.folder / "said").write_text(said)
        ctest = (f'echo "all=$NESTBED_ALL thorough=$NESTBED_THOROUGH" "$@"\ncat {self.folder}/said\nwhile [ "$1" != --output-junit ]; do shift; done\n'
                 f'cp {self.folder}/results.xml "$2"\nexit {code}')
        return self.with_tools(ROOT / "tests/run.sh", *words, nestbed=self.folder / "build/nestbed", ctest=ctest, cmake="exit 1")

    def test_says_how_many_ran_and_why_the_others_were_skipped(self):
        done = self.run_tests("-R", "Gpu")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], rf"^all= thorough= --test-dir {self.folder}/build .* -R Gpu --label-exclude \^all\$$")
        self.assertEqual(lines[1:], ["", "2 passed, 0 failed, 5 skipped", "  2 skipped: no usable GPU: there is none",
                                     "  1 skipped: this is not root", "  1 skipped: no CUDA-capable device is detected",
                                     "  1 skipped: the test does not say why",
                                     "  skipped in a test that passed: this machine gives no pseudo-terminal: No such", "    file or directory (1 of b_test)",
                                     "left to tests/run.sh --all: most inputs, the race detector, users' programs,",
                                     "    and more: tests/README.md#what-a-run-leaves-out"])

    def test_shows_what_ctest_says_in_80_columns_and_as_it_comes(self):
        shown = self.run_tests("-R", "x", failed='<testcase name="z" status="fail"/>', code=8, said=self.SAID).stdout.splitlines()[1:]
        self.assertEqual([line.partition(", ")[0] for line in shown[:6]], ["Test project /x", "FAILED after 2 s: z", "1000 of 2000 tests",
                                                                           "99% tests passed", "Total Test time (real) =   2.40 sec", ""])
        self.assertIn("99% tests passed, 1 tests failed out of 2000", shown)
        self.assertLessEqual(max(map(len, shown[:-1])), 80)  # the last line has the path of the test's folder

    def test_ends_with_the_command_that_runs_what_failed(self):
        prefix = f"NESTBED={self.folder}/build/nestbed tests/run.sh"
        for names, words, again in ((["z"], [], "-R '^(z)$'"), (["A.b/0", "c+_test"], ["--all"], r"--all -R '^(A\.b/0|c\+_test)$'"),
                                    ([f"t{number}" for number in range(9)], ["--thorough"], "--thorough --rerun-failed")):
            failed = "".join(f'<testcase name="{name}" status="fail"/>' for name in names[1:])
            failed = f'<testcase name="{names[0]}" status="notrun"><skipped message="Unable to find executable"/></testcase>{failed}'
            shown = self.run_tests(*words, "-L", "none", failed=failed, code=8).stdout
            self.assertTrue(shown.endswith("\nfailed:\n  " + "\n  ".join(names) + f"\nto run only what failed:\n  {prefix} {again}\n"), shown)

    def test_thorough_is_for_the_tests_and_not_for_ctest(self):
        self.assertRegex(self.run_tests("--thorough", "-N").stdout, r"^all=1 thorough=1 (?!.*--thorough).* -N\n")

    def test_all_leaves_nothing(self):
        shown = self.run_tests("--all", "-LE", "gpu").stdout
        self.assertRegex(shown, r"^all=1 thorough= (?!.*--all).* -LE gpu\n")
        self.assertNotIn("left to", shown)

    def test_the_ordinary_run_leaves_out_what_its_options_do(self):
        self.assertRegex(self.run_tests("-LE", "scripts", "-R", "Bfs").stdout, r"^all= thorough= .* -R Bfs --label-exclude \^all\$\|scripts\n")

    def test_the_ordinary_run_builds_only_what_it_runs(self):
        for words, target in (([], "--target nestbed_ordinary_tests"), (["--all"], ""), (["--thorough"], "")):
            with self.subTest(words=words):
                tools = dict.fromkeys(("dpkg_query", "nvidia_smi", "ctest"), "echo install ok installed")
                done = self.with_tools(ROOT / "tests/run.sh", *words, cmake=f'echo "$@" >>{self.folder}/asked', **tools)
                asked = (self.folder / "asked").read_text().splitlines()[-1]
                self.assertEqual(asked, f"--build --preset cpu-only {target}".strip(), done.stderr)

    def test_fails_as_ctest_does(self):
        said = "\n".join(f"line {number}" for number in range(100))
        done = self.run_tests(failed=f'<testcase name="z" status="fail"><system-out>{said}\n</system-out></testcase>', code=8)
        self.assertEqual(done.returncode, 8)
        self.assertIn("  line 98\n  line 99\n\n2 passed, 1 failed, 5 skipped\n", done.stdout)
        self.assertIn("z failed:\n", done.stdout)
        self.assertNotIn("line 50", done.stdout)

    def test_wants_tests_beside_the_nestbed_that_is_named(self):
        (self.folder / "nestbed").write_text("#!/bin/sh\n")
        (self.folder / "nestbed").chmod(0o755)
        done = self.with_tools(ROOT / "tests/run.sh", nestbed=self.folder / "nestbed", cmake="exit 1")
        self.assertEqual((done.returncode, done.stderr), (2, f"run.sh: NESTBED={self.folder}/nestbed: there are no tests in {self.folder}; "
                                                             "allowed: a nestbed beside its tests, or unset to build both\n"))


@only_all
class Installed(Scratch):
    """The files that `cmake --install` writes under a prefix."""

    def setUp(self):
        super().setUp()
        self.prefix = self.folder / "prefix"
        done = called("cmake", "--install", pathlib.Path(NESTBED).parent, "--prefix", self.prefix)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_experiment_runs_with_the_installed_program(self):
        experiments = self.prefix / "share/nestbed/experiments"
        log = self.folder / "out.csv"
        done = called(experiments / "run.sh", experiments / "hello.cfg", "--backend", "cpu", "--repeat", "3", "--grid", "1", "--block", "32",
                      "--plot", "-o", log, cwd=self.folder, nestbed="")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(log.read_bytes().count(b"\n"), 3)
        self.assertIn("figures/out-", done.stdout)
        self.assertGreater(len(list((self.folder / "figures").glob("*.svg"))), 0)

    def test_the_program_and_its_scripts_name_the_same_folder(self):
        done = called(self.prefix / "share/nestbed/experiments/build.sh", "", "nestbed", cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, f"{self.prefix}/bin\n"))
        self.assertTrue((self.prefix / "bin/nestbed").exists())
        self.assertTrue((self.prefix / "share/doc/nestbed/README.md").exists())

    def test_modules_are_those_of_this_build(self):
        modules = pathlib.Path(NESTBED).resolve().parent / "modules"
        stale = modules / "workload_of_an_earlier_version.so"
        stale.write_text("")
        self.addCleanup(stale.unlink)
        prefix = self.folder / "again"
        self.assertEqual(called("cmake", "--install", modules.parent, "--prefix", prefix).returncode, 0)
        self.assertEqual({file.name for file in (prefix / "libexec/nestbed/modules").iterdir()},
                         {file.name for file in modules.iterdir()} - {stale.name})

    def test_a_cmake_project_builds_a_workload(self):
        self.assertEqual(called(self.prefix / "bin/nestbed", "build", "--new", "quadrature", cwd=self.folder).returncode, 0)
        (self.folder / "quadrature/CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.21)\nproject(mine LANGUAGES NONE)\nfind_package(nestbed REQUIRED)\n"
            "nestbed_add_workload(quadrature quadrature.cu)\n")
        build = self.folder / "made"
        for words in (("-S", "quadrature", "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}"), ("--build", build)):
            done = called("cmake", *words, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("ninja: no work to do", called("cmake", "--build", build).stdout)
        case = ("--load", build / "quadrature", "--strategy", "quadrature_nested", "--grid", "2", "--block", "32")
        done = called(self.prefix / "bin/nestbed", "run", *case, "--backend", "cpu", "--repeat", "2", "-o", "-")
        self.assertEqual((done.returncode, done.stdout.count("quadrature_nested,")), (0, 2), done.stderr)
        if (self.prefix / "bin/nestbed_races").exists():
            done = called(self.prefix / "bin/nestbed", "races", *case)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        (self.folder / "quadrature/CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.21)\nproject(mine LANGUAGES NONE)\nfind_package(nestbed REQUIRED)\n"
            "nestbed_add_workload(quadrature none.cu)\n")
        done = called("cmake", build)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("none.cu does not exist; allowed: .cu files", " ".join(done.stderr.split()))

    def test_shells_know_the_program(self):
        self.assertIn("complete ", (self.prefix / "share/bash-completion/completions/nestbed").read_text(encoding="utf-8"))


class Check(Scratch):
    """What a build needs and a machine lacks: build.sh --check."""

    def checked(self, compiler=""):
        if compiler:
            (self.folder / "g++").write_text(f"#!/bin/sh\n{compiler}\n")
            (self.folder / "g++").chmod(0o755)
        return subprocess.run([ROOT / "experiments/build.sh", "--check"], env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"},
                              cwd=self.folder, capture_output=True, text=True, check=False)

    def test_says_that_nothing_is_missing_where_the_tests_were_built(self):
        shown = self.checked()
        self.assertEqual((shown.returncode, shown.stdout), (0, ""))
        self.assertTrue(shown.stderr.endswith("build.sh: nothing is missing\n"), shown.stderr)

    def test_names_the_header_and_its_package(self):
        shown = self.checked('[ "$1" != -E ] || ! grep -q "csv.h\\|png.h" || exit 1\nexec /usr/bin/g++ "$@" </dev/null')
        self.assertEqual((shown.returncode, shown.stdout), (1, ""))
        self.assertTrue(shown.stderr.endswith("missing: header csv.h  (package libcsv-dev)\nmissing: header png.h  (package libpng-dev)\n"
                                              "as root: apt-get install --no-install-recommends libcsv-dev libpng-dev\n"), shown.stderr)

    def test_refuses_an_old_compiler(self):
        shown = self.checked('[ "$1" != -dumpversion ] || { echo 11; exit; }\nexec /usr/bin/g++ "$@"')
        self.assertEqual(shown.returncode, 1)
        self.assertIn("missing: g++ 12 or later (here: 11; CXX=g++-12 chooses another)  (package g++-12)\n", shown.stderr)


class UseCompiler(Scratch):
    """use_compiler with compilers that only note how they are called. What it makes of a real one, tests/bare_debian.sh tries."""

    def setUp(self):
        super().setUp()
        self.program = self.folder / "program"
        (self.program / "workload").mkdir(parents=True)
        shutil.copy(ROOT / "src/program/use_compiler", self.program)
        for name in ("watch_plugin.so", "sides_plugin.so"):
            (self.program / name).write_text("old")
        (self.program / "toolchain.json").write_text('{\n  "compiler": "/usr/bin/g++-12",\n  "compiler_version": "12.2.0",\n  "libraries": ["-ldw"]\n}\n')
        (self.program / "workload/workload.json").write_text('{\n  "compiler": "/usr/bin/g++-12",\n  "nvcc_flags": ["-ccbin", "/usr/bin/g++-12", "-x"]\n}\n')

    def made_compiler(self, name="g++", version="13.3.0", macros="#define __GNUC__ 13", fails_at="none"):
        compiler = self.folder / name
        compiler.parent.mkdir(exist_ok=True)
        compiler.write_text(f"""#!/bin/sh
case $* in
*-dM*) echo '{macros}' ;;
-dumpfullversion) echo {version} ;;
-print-file-name=plugin) echo '{self.folder}/plugin' ;;
*{fails_at}*) exit 1 ;;
*) while [ "$1" != -o ]; do shift; done; echo {version} >"$2" ;;
esac
""")
        compiler.chmod(0o755)
        return compiler

    def add_headers(self):
        (self.folder / "plugin/include").mkdir(parents=True)
        (self.folder / "plugin/include/gcc-plugin.h").touch()

    def contents(self):
        return {str(path.relative_to(self.program)): path.read_text() for path in self.program.rglob("*") if path.is_file() and path.name != "use_compiler"}

    def test_everything_is_of_the_compiler(self):
        self.add_headers()
        # The second is of the same name as the first, and of another version.
        for name, version in (("g++", "13.3.0"), ("g++", "13.4.0"), ("a|b & c/g++", "14.1.0")):
            with self.subTest(name=name, version=version):
                compiler = self.made_compiler(name, version)
                done = subprocess.run([self.program / "use_compiler", f"./{compiler.name}"], cwd=compiler.parent, capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                now = self.contents()
                self.assertEqual(sorted(now), ["sides_plugin.so", "toolchain.json", "watch_plugin.so", "workload/workload.json"])
                self.assertEqual(json.loads(now["toolchain.json"]), {"compiler": str(compiler), "compiler_version": version, "libraries": ["-ldw"]})
                self.assertEqual(json.loads(now["workload/workload.json"]), {"compiler": str(compiler), "nvcc_flags": ["-ccbin", str(compiler), "-x"]})
                self.assertEqual([now["watch_plugin.so"], now["sides_plugin.so"]], [f"{version}\n"] * 2)

    def test_nothing_changes_if_a_plugin_cannot_be_compiled(self):
        self.add_headers()
        before = self.contents()
        for plugin in ("watch_plugin.cc", "sides_plugin.cc"):
            done = called(self.program / "use_compiler", self.made_compiler(fails_at=plugin), cwd=self.folder)
            self.assertEqual((done.returncode, self.contents()), (1, before))

    def refused(self, *words):
        done = called(ROOT / "src/program/use_compiler", *words, cwd=self.folder)
        self.assertEqual(done.stdout, "")
        return done.returncode, done.stderr

    def test_what_is_no_compiler_for_it(self):
        for words, said in (((), ": allowed: one g++, by its path or its name, such as g++ or g++-14"),
                            (("g++", "g++"), "g++ g++: allowed: one g++, by its path or its name, such as g++ or g++-14"),
                            (("none",), "none: there is no such program; allowed: a g++ 12 or later")):
            self.assertEqual(self.refused(*words), (2, f"use_compiler: {said}\n"))
        for macros in ("", "#define __GNUC__ 4\n#define __clang__ 1"):
            compiler = self.made_compiler("clang++", macros=macros)
            self.assertEqual(self.refused(compiler), (2, f"use_compiler: {compiler} is not a g++; allowed: a g++ 12 or later\n"))
        compiler = self.made_compiler('g"++')
        self.assertEqual(self.refused(compiler), (2, f"use_compiler: {compiler}: a quotation mark or a backslash is in the path; allowed: another path\n"))
        compiler = self.folder / "g++"
        for version, failed, said in (("11.4.0", 2, f"{compiler} is g++ 11.4.0; allowed: 12 or later"),
                                      ("13.3.0", 1, f"{compiler}: there is no {self.folder}/plugin/include/gcc-plugin.h; it is in the package "
                                                    "gcc-13-plugin-dev")):
            self.made_compiler(version=version)
            self.assertEqual(self.refused(compiler), (failed, f"use_compiler: {said}\n"))


class Sweep(Scratch):
    def test_an_experiment_whose_name_begins_as_an_option_is_a_file(self):
        (self.folder / "-x.cfg").write_text("strategy = nosync\nbackend = cpu\ngrid = 4\nblock = 32\n")
        shown = called(ROOT / "experiments/sweep.sbatch", "2", "-x.cfg", "--dry-run", cwd=self.folder)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertRegex(shown.stdout, r"nosync +16 +1\n")

    def test_help_prints_the_defaults(self):
        shown = called(ROOT / "experiments/sweep.sbatch", "--help")
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertTrue(shown.stdout.endswith("    --gres=gpu:1\n    --requeue\n    --open-mode=append\n    --signal=B:USR1@120\n"))

    def test_without_slurm_it_says_so_in_one_line(self):
        (self.folder / "x.cfg").write_text("strategy = nosync\n")
        for program, text in (("sbatch", "exit 1"), ("squeue", "echo 'squeue: error: no configuration' >&2; echo more >&2; exit 1")):
            (self.folder / program).write_text(f"#!/bin/sh\n{text}\n")
            (self.folder / program).chmod(0o755)
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}
        shown = subprocess.run([ROOT / "experiments/sweep.sbatch", "2", "x.cfg"], cwd=self.folder, env=environment, capture_output=True,
                               text=True, check=False)
        self.assertEqual((shown.returncode, shown.stdout), (1, ""))
        self.assertEqual(shown.stderr, "sweep.sbatch: Slurm does not answer: squeue: error: no configuration; allowed: a machine where "
                                       "jobs are submitted to Slurm\n")


class Times(unittest.TestCase):
    """tests/times.py: how its table is judged. Its builds take minutes: they are run by hand."""
    SCRIPT = ROOT / "tests/times.py"

    def test_a_longer_time_is_marked(self):
        sys.path.insert(0, str(self.SCRIPT.parent))
        self.addCleanup(sys.path.pop, 0)
        import times  # pylint: disable=import-outside-toplevel
        first, change = times.WAITS[:2]
        measured = [(first, 74.0, 160.0), (change, 6.5, 5.0)]
        text, over = times.table(measured, busy=False)
        self.assertEqual(over, ["change"])
        self.assertIn("first           75 s   74.0 s    160.0 s  fresh clone", text)
        self.assertEqual([line.endswith(": TOO LONG") for line in text.splitlines()], [False, False, True])
        self.assertEqual(times.table(measured, busy=True)[1], ["first"])

    def test_a_time_that_does_not_exist_is_an_error(self):
        done = called(self.SCRIPT, "second")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("there is no time 'second'; allowed: first, change, tests, cuda-first, cuda-change, cuda-all\n", done.stderr)


class Costs(unittest.TestCase):
    """overhead.py."""

    def test_name_the_nestbed_that_gives_no_statistics(self):
        shown = called(ROOT / "experiments/overhead.py", ROOT / "results/h200/overhead.csv", nestbed="/nowhere/nestbed")
        self.assertEqual((shown.returncode, shown.stderr), (1, "overhead.py: /nowhere/nestbed: No such file or directory\n"))


class Predicted(WithTools):
    """predicted.sh, on logs and the model of results/h200."""
    SCRIPT = ROOT / "experiments/predicted.sh"
    H200 = ROOT / "results/h200"

    def setUp(self):
        super().setUp()
        for name in ("model.json", "book.csv", "book.csv.json", "ways.csv.gz", "ways.csv.json"):
            shutil.copy(self.H200 / name, self.folder)

    def refused(self, *words, code, error):
        """It runs in this process, because pandas takes half a second to load."""
        with unittest.mock.patch.object(sys, "argv", ["predicted.sh", *map(str, words)]), contextlib.redirect_stdout(io.StringIO()) as out, \
                contextlib.redirect_stderr(io.StringIO()) as messages:
            ended = checked_output.ended("predicted.sh", predicted.main)
        self.assertEqual((ended, out.getvalue(), messages.getvalue()), (code, "", f"predicted.sh: {error}\n"))

    def test_is_one_table_of_all_logs_with_their_names(self):
        for name in ("baselines.csv.gz", "baselines.csv.json"):
            shutil.copy(self.H200 / name, self.folder)
        (self.folder / "other.csv").write_text("a,b\n1,2\n")
        done = called(self.SCRIPT, self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, f"{self.folder}/predicted.csv\n"))
        self.assertEqual(done.stderr, "predicted.sh: no case that the model predicts: baselines\n")
        own = called(NESTBED, "predict", "--device", self.folder / "model.json", "--against", self.folder / "book.csv", "--csv", "-").stdout
        header, *rows = own.splitlines()
        table = (self.folder / "predicted.csv").read_text().splitlines()
        self.assertEqual(table[:len(rows) + 1], [f"log,{header}", *(f"book,{row}" for row in rows)])
        self.assertEqual({line.split(",")[0] for line in table[len(rows) + 1:]}, {"ways"})
        again = called(self.SCRIPT, self.folder)  # the table itself is no log
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual((self.folder / "predicted.csv").read_text().splitlines(), table)

    def test_logs_are_in_the_order_in_which_they_are_named(self):
        done = called(self.SCRIPT, self.folder, "ways", "book.csv", "-o", self.folder / "new/table.csv")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        names = [line.split(",")[0] for line in (self.folder / "new/table.csv").read_text().splitlines()]
        self.assertEqual(list(dict.fromkeys(names)), ["log", "ways", "book"])
        self.assertFalse((self.folder / "predicted.csv").exists())

    def test_leaves_out_strategies_for_tests(self):
        (self.folder / "faults.csv").write_text((self.H200 / "book.csv").read_text().replace(",neighbored,", ",fault_abort,"))
        done = called(self.SCRIPT, self.folder)
        self.assertEqual((done.returncode, done.stderr),
                         (0, f"predicted.sh: {self.folder}/faults.csv has strategies that exist only for tests: left out\n"))

    def test_names_what_it_cannot_predict(self):
        here = self.folder
        self.refused(here, "way", code=2, error=f"way: there is no such log in {here}; allowed: book, ways")
        self.refused(here / "none", code=2,
                     error=f"{here}/none/model.json: there is no such file; allowed: a folder with a model that `nestbed calibrate` wrote")
        self.refused(here, "ways", "-o", here, code=1, error=f"{here} cannot be written: Is a directory")
        for name in ("baselines.csv.gz", "baselines.csv.json"):
            shutil.copy(self.H200 / name, here)
        self.refused(here, "baselines", code=1,
                     error="the model predicts no case of baselines; allowed: logs of cases that launch from the device")
        (here / "unknown.csv").write_text((here / "book.csv").read_text().replace("reduce2", "reduce9"))
        done = called(self.SCRIPT, here, "unknown")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rf"^predicted.sh: {here}/unknown.csv: `nestbed predict` ended with \d: nestbed: .*:3: this nestbed has no "
                                      r"strategy 'reduce9'; of a workload of your own: --load FOLDER\n$")
        (here / "model.json").write_text("{")
        self.assertIn("model.json", called(self.SCRIPT, here, "ways").stderr)
        self.assertFalse((here / "predicted.csv").exists())
        (here / "empty").mkdir()
        shutil.copy(self.H200 / "model.json", here / "empty")
        self.refused(here / "empty", code=2, error=f"{here}/empty: no log of `nestbed run` in it")

    @only_all
    def test_the_committed_table_is_what_the_model_predicts(self):
        with log_files.opened(self.H200 / "predicted.csv") as file:
            committed = file.read()
        names = list(dict.fromkeys(line.split(",")[0] for line in committed.splitlines()[1:]))
        done = called(self.SCRIPT, self.H200, *names, "-o", self.folder / "now.csv")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((self.folder / "now.csv").read_text(), committed,
                         f"written anew by experiments/predicted.sh results/h200 {' '.join(names)}?")


class Plot(Scratch):
    def test_a_run_draws_its_figures(self):
        log = self.folder / "out.csv"
        result = called(NESTBED, "run", "--strategy", "nosync,neighbored", "--backend", "cpu", "--grid", "1:64:*2", "--block", "32",
                        "--repeat", "3", "--plot", "-o", log, nestbed="/nowhere")  # the drawing script asks it
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.folder / "figures/out-latency-grid.svg").exists())
        self.assertIn("out-latency-grid.png", result.stdout)

    def test_a_log_stays_whole_when_it_cannot_be_drawn(self):
        (self.folder / "figures").write_text("in the way")
        log = self.folder / "out.csv"
        result = called(NESTBED, "run", "--strategy", "nosync", "--backend", "cpu", "--grid", "8", "--block", "32", "--repeat", "3",
                        "--plot", "-o", log)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"the figures could not be drawn \(exit code 1\), but the log is complete; to draw again: \S+plot.sh ")
        self.assertEqual(log.read_bytes().count(b"\n"), 4)

    def test_wants_a_file_before_it_measures(self):
        result = called(NESTBED, "run", "--strategy", "nosync", "--backend", "cpu", "--plot", "-o", "-")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(result.stderr, "nestbed: --plot: - is not a file; allowed: an --output that is a file\n")

    def test_of_an_untimed_run_has_nothing_to_draw(self):
        log = self.folder / "out.csv"
        result = called(NESTBED, "run", "--strategy", "nosync", "--backend", "cpu", "--plot", "--untimed", "-o", log)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, "nestbed: --plot: an untimed run has nothing to draw; allowed: without --untimed\n")
        self.assertFalse(log.exists())

    def test_wants_its_script_before_it_measures(self):
        copy = self.folder / "nestbed"
        copy.write_bytes(pathlib.Path(NESTBED).read_bytes())
        copy.chmod(0o755)
        log = self.folder / "out.csv"
        result = called(copy, "run", "--strategy", "nosync", "--backend", "cpu", "--plot", "-o", log)
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"--plot: there is no \S*/experiments/plot.sh and no \S*/share/nestbed/experiments/plot.sh; "
                                        "a copy of the program cannot draw; allowed: the program in its build folder or as installed")
        self.assertFalse(log.exists())


class StandardOutput(Scratch):
    """Standard output of the scripts, when it cannot be written to."""

    def test_that_is_full_or_closed_is_an_error_in_one_line(self):
        h200 = ROOT / "results/h200"
        full, closed = (">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")
        for script, words, (where, why) in (("plot.sh", f"{h200}/book.csv -o {self.folder}", full), ("reproduce.sh", "--dry-run", full),
                                            ("reproduce.sh", "--help", closed), ("overhead.py", f"{h200}/overhead.csv", full)):
            with self.subTest(script=script, words=words, where=where):
                done = called("/bin/sh", "-c", f"{ROOT}/experiments/{script} {words} {where}")
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr, f"{script}: standard output could not be written to: {why}\n")


if __name__ == "__main__":
    unittest.main()
