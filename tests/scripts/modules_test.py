#!/usr/bin/python3
"""Tests of the modules: one shared library per workload, in the folder `modules` beside the program, loaded when needed.

    NESTBED=build/cpu-only/nestbed /usr/bin/python3 -W error tests/scripts/modules_test.py
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from scratch import ROOT, Scratch

NESTBED = pathlib.Path(os.environ["NESTBED"]).resolve()
SUM = ("--strategy", "nosync", "--backend", "cpu", "--grid", "4", "--block", "32", "--repeat", "1", "--warmup", "0")


def called(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=False, timeout=100)


class Modules(Scratch):
    """In a folder of its own with the program, its libraries and some of its modules."""

    def setUp(self):
        super().setUp()
        self.program = shutil.copy2(NESTBED, self.folder / "nestbed")
        shutil.copytree(NESTBED.parent / "lib", self.folder / "lib")
        shutil.copytree(NESTBED.parent / "modules", self.folder / "modules", ignore=shutil.ignore_patterns("*.so"))
        self.take("workload_reduce")

    def take(self, *names):
        for name in names:
            shutil.copy2(NESTBED.parent / "modules" / f"{name}.so", self.folder / "modules")

    def ended(self, code, *words):
        """What the program answers, which must end with this code and, if it is an error, has no output."""
        done = called(self.program, *words)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertFalse(code and done.stdout)
        return done

    def test_a_run_needs_the_program_and_one_module(self):
        self.assertIn(",nosync,", self.ended(0, "run", *SUM, "-o", "-").stdout)

    def test_what_names_one_workload_loads_no_other(self):
        self.take("workload_bfs")
        experiment, log = self.folder / "a.cfg", self.folder / "few.csv"
        experiment.write_text("strategy = nosync\nfigure = by-depth\ninput = random\n")
        for words in (("run", experiment, *SUM[2:], "-o", log), ("run", *SUM, "--input", "r*", "--dry-run"), ("show", log)):
            with self.subTest(words=words):
                done = subprocess.run([self.program, *words], capture_output=True, text=True, check=False, env={**os.environ, "LD_DEBUG": "files"})
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(set(re.findall(r"calling init: .*/(workload_\w+)\.so", done.stderr)), {"workload_reduce"})

    def test_the_program_has_no_workload_itself(self):
        (self.folder / "modules/workload_reduce.so").unlink()
        self.ended(2, "list", "--json")

    def test_a_strategy_without_its_module_says_how_to_build_it(self):
        file = self.folder / "modules/workload_sort.so"
        for words in (("run", "--strategy", "quick_kway", "-o", "-"), ("list", "quick_kway"), ("help", "run", "quick_kway"),
                      ("run", "--strategy", "nosync,quick_*", "--dry-run")):
            with self.subTest(words=words):
                done = self.ended(1, *words)
                self.assertRegex(done.stderr, f"^nestbed: strategy quick_[a-z]+ is in the module {file}, which does not exist; "
                                 "to build it: experiments/build.sh '' nestbed\n$")
        (self.folder / "CMakeCache.txt").touch()
        self.assertIn(f"to build it: cmake --build {self.folder} --target nestbed_commands\n", called(self.program, "list", "quick_kway").stderr)

    def test_a_list_says_what_is_not_in_it(self):
        self.take("workload_hello")
        done = self.ended(0, "list", "--json")
        self.assertEqual({entry["name"] for entry in json.loads(done.stdout)["strategies"]},
                         {name for room in ("reduce", "hello") for name in (self.folder / f"modules/{room}.txt").read_text().split()} | {"program"})
        self.assertRegex(done.stderr, "^nestbed: without the strategies of workloads that have not been built: bezier, .*sort.*; "
                         "to build them: experiments/build.sh '' nestbed\n$")

    def test_the_last_module_that_is_not_there_is_named(self):
        for file in (NESTBED.parent / "modules").glob("workload_*.so"):
            if file.stem != "workload_sort" and file.stem != "workload_reduce":
                self.take(file.stem)
        self.assertEqual(self.ended(0, "list").stderr, "nestbed: without the strategies of workloads that have not been built: sort; "
                         "to build it: experiments/build.sh '' nestbed\n")

    def test_what_makes_a_workload_is_built_by_a_target(self):
        (self.folder / "program/include").mkdir(parents=True)
        for words in (("build", "--new", "mine"), ("build", str(self.folder))):
            (self.folder / "mine.cu").touch()
            self.assertRegex(self.ended(1, *words).stderr, f"^nestbed: {self.folder}/program/workload(?:/[a-z.]+)? does not exist; a workload of your own "
                             "needs it; to build it: experiments/build.sh '' nestbed_programs\n$")

    def test_a_workload_that_is_not_there_is_not_an_unknown_name(self):
        for words in (("list", "mandelbrot"), ("help", "run", "mandelbrot"), ("draw", "mandelbrot")):
            with self.subTest(words=words):
                self.assertEqual(self.ended(1, *words).stderr, f"nestbed: workload mandelbrot is in the module {self.folder}/modules/workload_mandelbrot.so, "
                                 "which does not exist; to build it: experiments/build.sh '' nestbed\n")
        self.assertNotIn("built", self.ended(2, "liist").stderr)
        self.assertTrue(self.ended(2, "run", "--strategy", "mandelbrot").stderr.endswith("; mandelbrot is a workload: nestbed list mandelbrot\n"))

    def test_the_lists_have_every_strategy_once(self):
        listed = [name for file in sorted((NESTBED.parent / "modules").glob("*.txt")) for name in file.read_text().split()]
        done = called(NESTBED, "list", "--json")
        self.assertEqual(done.stderr, "")
        self.assertEqual([*sorted(listed), "program"], [entry["name"] for entry in json.loads(done.stdout)["strategies"]])

    def test_each_workload_says_which_of_its_axes_are_its_problem(self):
        graph, numbers = ["input", "elements", "edge_factor", "graph_file", "seed"], ["type", "elements", "nx", "ny"]
        self.assertEqual(
            {entry["name"]: [one["column"] for one in entry["parameters"] if one["problem"]]
             for entry in json.loads(called(NESTBED, "list", "--json").stdout)["workloads"]},
            {"bezier": ["input", "elements", "seed"], **dict.fromkeys(("bfs", "sssp", "mst", "triangles"), graph), "refine": ["input", "division", "levels", "time_steps", "cell_work"],
             "icp": ["input", "elements", "leaves", "leaf_points", "near_every", "iterations", "seed"],
             "mandelbrot": ["input", "elements", "nx", "ny", "dwell"], "tenants": ["input", "levels", "tenant_count", "level_nodes", "node_work", "arrival_gap_us", "seed"],
             "quadtree": ["input", "elements", "levels", "seed"], "search": ["input", "tree_levels", "root_children", "path_nodes", "queens"], "sort": ["type", "input", "elements", "values", "seed"],
             "reduce": ["type", "input", "operator", "grid", "block", "elements", "seed"], "transpose": [*numbers, "seed"], "copy": [*numbers, "seed"],
             "blobs": numbers, "fanout": ["grid", "block", "fanout"], "chain": ["grid", "block", "host_load", "nice", "pin"],
             **dict.fromkeys(("hello", "lanes", "litmus"), ["grid", "block"]),
             "program": ["grid", "block", "elements", "nx", "ny", "dwell", "division", "fanout", "grain", "levels", "iterations", "arguments", "time_line"]})

    def test_what_a_workload_of_another_name_left_is_deleted(self):
        modules = self.folder / "modules"
        for name in ("gone.txt", "workload_gone.so", "races_gone.so", "traced_gone.so"):
            (modules / name).write_text("a_strategy\n")
        rooms = [file.stem for file in (NESTBED.parent / "modules").glob("*.txt")]
        done = called("cmake", "-D", f"FOLDER={modules}", "-D", f"ROOMS={'|'.join(rooms)}", "-P", ROOT / "src/stale_modules.cmake")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(file.name for file in modules.iterdir()), sorted([*(f"{room}.txt" for room in rooms), "workload_reduce.so"]))
        self.assertIn("stale_modules.cmake", (ROOT / "CMakeLists.txt").read_text())

    def test_a_module_of_another_build_is_refused(self):
        module = self.folder / "modules/workload_reduce.so"
        made = (NESTBED.parent / "src/model/interface.cpp").read_text()
        interface = re.search('"([0-9a-f]{64})"', made)[1].encode()
        self.assertIn(interface, module.read_bytes())
        module.write_bytes(module.read_bytes().replace(interface, b"0" * 64))
        done = self.ended(1, "run", *SUM, "-o", "-")
        self.assertIn(f"nestbed: the module {module} was built with other headers than the program; to build it: "
                      "experiments/build.sh '' nestbed\n", done.stderr)

    def test_a_module_of_another_build_is_as_if_not_built(self):
        self.take("workload_hello")
        module = self.folder / "modules/workload_hello.so"
        module.write_bytes(re.sub(rb"(?<![0-9a-zA-Z])[0-9a-f]{64}(?=\0)", b"0" * 64, module.read_bytes()))
        for words in (("run", *SUM, "-o", "-"), ("run", *SUM, "--input", "random", "-o", "-"), ("list",)):
            with self.subTest(words=words):
                self.ended(0, *words)
        self.assertIn("hello", called(self.program, "list").stderr)

    def test_a_figure_of_a_workload_that_is_not_there_may_be_named(self):
        experiment = self.folder / "a.cfg"
        experiment.write_text("strategy = nosync\nfigure = against-flat\n")
        self.ended(0, "run", experiment, *SUM[2:], "-o", "-")

    def test_a_module_that_cannot_be_loaded_is_an_error(self):
        module = self.folder / "modules/workload_reduce.so"
        module.write_text("not a library")
        done = self.ended(1, "run", *SUM, "-o", "-")
        self.assertRegex(done.stderr, rf"^nestbed: the module {module} cannot be loaded \(.*\); to build it: experiments/build.sh '' nestbed\n$")

    def test_a_strategy_in_two_modules_is_an_error(self):
        shutil.copy2(self.folder / "modules/workload_reduce.so", self.folder / "modules/workload_again.so")
        (self.folder / "modules/again.txt").write_text("another\n")
        self.assertRegex(self.ended(1, "list").stderr, r"^nestbed: the module .*\.so: two strategies of backend c[a-z]* are named '[a-z0-9_]+'\n$")

    def test_says_which_modules_a_run_needs(self):
        experiments = ROOT / "experiments"
        for words, needed in (((experiments / "book.cfg",), "workload_reduce"), (("--strategy", "quick_kway,hello"), "workload_hello workload_sort"),
                              ((experiments / "bfs.cfg", "--strategy", "nosync"), "workload_reduce"), ((), "")):
            self.assertEqual(self.ended(0, "modules", *words).stdout, f"{needed}\n")
        with_cuda = "no CUDA code" not in called(NESTBED, "run", "--strategy", "nosync", "--backend", "cuda", "--dry-run").stderr
        for words, needed in ((("--latency", "on"), "traced_reduce workload_reduce" if with_cuda else "workload_reduce"),
                              (("--latency", "on", "--backend", "cpu"), "workload_reduce"), (("--latency", "off"), "workload_reduce")):
            with self.subTest(words=words):
                self.assertEqual(called(self.program, "modules", "--strategy", "nosync", *words).stdout, f"{needed}\n")
        self.assertIn("there is no strategy 'nosink'", self.ended(2, "modules", "--strategy", "nosink").stderr)

    def test_a_traced_run_on_a_gpu_needs_a_module_of_its_own(self):
        small = ("--strategy", "barrier", "--backend", "cuda", "--grid", "4", "--block", "32", "--repeat", "1")
        plain = called(self.program, "run", *small, "-o", "-")
        if plain.returncode == 2:
            self.skipTest(plain.stderr.strip())
        self.assertEqual(plain.returncode, 0, plain.stderr)
        traced = (("trace", *small, "-o", self.folder / "a.json"), ("tree", *small), ("run", *small, "--latency", "on", "-o", self.folder / "a.csv"))
        for words in traced:
            with self.subTest(words=words):
                done = self.ended(1, *words)
                self.assertEqual(done.stderr, f"nestbed: strategy barrier: its kernels for traced runs on cuda are in the module "
                                 f"{self.folder}/modules/traced_reduce.so, which does not exist; to build it: experiments/build.sh '' traced\n")
        self.assertFalse((self.folder / "a.csv").exists())
        self.take("traced_reduce")
        for words in traced:
            with self.subTest(words=words):
                self.ended(0, *words)

    @unittest.skipUnless((NESTBED.parent / "nestbed_races").exists(), "no race detector in this build")
    def test_the_race_detector_has_modules_of_its_own(self):
        shutil.copy2(NESTBED.parent / "nestbed_races", self.folder)
        words = ("races", "--strategy", "nosync")
        self.assertRegex(called(self.program, *words).stderr, r"is in the module .*/modules/races_reduce\.so, which does not exist; "
                         r"to build it: experiments/build\.sh '' nestbed\n$")
        self.take("races_reduce")
        done = called(self.program, *words)
        self.assertEqual(done.returncode, 3)
        self.assertIn("nested/reduce/nosync.cu:", done.stdout)


if __name__ == "__main__":
    unittest.main()
