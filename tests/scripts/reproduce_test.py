#!/usr/bin/python3
"""Tests of experiments/reproduce.sh, on the executor.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/scripts/reproduce_test.py

NESTBED names a nestbed in a build folder. Needs Debian's python3-pandas and python3-matplotlib.
"""
import csv
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
import unittest

from scratch import NESTBED, ROOT, Scratch, called, only_all

import machine_page


def reproduce(*words):
    return called(ROOT / "experiments/reproduce.sh", *words)


@functools.cache
def measured():
    """A folder with the complete log of quick, for tests to copy."""
    folder = pathlib.Path(tempfile.mkdtemp())
    unittest.addModuleCleanup(shutil.rmtree, folder)
    done = reproduce("--measure-only", "-o", folder, "quick")
    assert done.returncode == 0, done.stderr
    return folder


@only_all
class OnTheExecutor(Scratch):
    """What reproduce.sh does without a GPU."""

    def setUp(self):
        super().setUp()
        if called(NESTBED, "run", "--backend", "cuda", "--strategy", "neighbored", "--dry-run").returncode == 0:
            self.skipTest("this machine has a GPU")

    def edit_runs(self, edit):
        """Calls edit() with each run in the manifest of quick."""
        manifest = self.folder / "quick.csv.json"
        runs = json.loads(manifest.read_text())
        for run in runs["runs"].values():
            edit(run)
        manifest.write_text(json.dumps(runs))

    def test_says_first_what_there_is_to_do(self):
        result = reproduce("--dry-run", "-o", self.folder / "new")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"experiment +takes  \(on two cores;")
        self.assertRegex(result.stdout, r"quick +\d+ s  to do\nbook")
        self.assertRegex(result.stdout, r"6 of 6 to do, about ")
        self.assertFalse((self.folder / "new").exists())

    def test_leaves_out_what_is_complete(self):
        shutil.copytree(measured(), self.folder, dirs_exist_ok=True)
        first = reproduce("--measure-only", "-o", self.folder, "quick", "hello")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("== hello", first.stdout)
        self.assertNotIn("== quick", first.stdout)
        log = (self.folder / "quick.csv").read_bytes()
        again = reproduce("--measure-only", "-o", self.folder, "quick", "hello")
        self.assertIn("0 of 2 to do", again.stdout)
        self.assertNotIn("==", again.stdout)
        self.assertEqual((self.folder / "quick.csv").read_bytes(), log)

    def test_goes_on_with_what_is_not_complete(self):
        shutil.copytree(measured(), self.folder, dirs_exist_ok=True)
        log = self.folder / "quick.csv"
        whole = log.read_bytes()
        cut = whole[:whole.rindex(b"\r\n", 0, -2) + 2]  # without its last row
        log.write_bytes(cut)
        self.assertIn("1 of 1 to do", reproduce("--dry-run", "-o", self.folder, "quick").stdout)
        again = reproduce("--measure-only", "-o", self.folder, "quick")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertRegex(again.stderr, r"quick.csv already has \d+ of \d+ samples")
        self.assertTrue(log.read_bytes().startswith(cut))
        self.assertEqual(log.read_bytes().count(b"\n"), whole.count(b"\n"))
        self.assertIn("0 of 1 to do", reproduce("--dry-run", "-o", self.folder, "quick").stdout)

    def test_begins_again_what_another_version_has_begun(self):
        shutil.copytree(measured(), self.folder, dirs_exist_ok=True)
        self.edit_runs(lambda run: (run.pop("finished_utc"), run.update(git="0123456789ab")))
        before = (self.folder / "quick.csv").read_bytes()
        again = reproduce("--measure-only", "-o", self.folder, "quick")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertRegex(again.stderr, r"this run cannot resume it: version: \S+ \(0123456789ab, ")
        self.assertIn("quick starts again from the beginning", again.stderr)
        self.assertEqual((self.folder / "quick.csv.old-1").read_bytes(), before)
        self.assertTrue((self.folder / "quick.csv.old-1.json").exists())

    def test_a_run_without_an_end_is_not_complete(self):
        shutil.copytree(measured(), self.folder, dirs_exist_ok=True)
        self.edit_runs(lambda run: run.pop("finished_utc"))
        self.assertIn("1 of 1 to do", reproduce("--dry-run", "-o", self.folder, "quick").stdout)
        (self.folder / "quick.csv.json").write_text("{")
        self.assertIn("1 of 1 to do", reproduce("--dry-run", "-o", self.folder, "quick").stdout)

    def test_remembers_what_came_out_otherwise(self):
        shutil.copytree(measured(), self.folder, dirs_exist_ok=True)
        self.edit_runs(lambda run: (self.assertEqual(run["surprises"], []), run.update(surprises=["3 rows are not ok"])))
        again = reproduce("--measure-only", "-o", self.folder, "quick")
        self.assertEqual(again.returncode, 3)
        self.assertIn("not as expected: quick", again.stderr)

    def test_reads_nothing_into_files_that_are_no_logs(self):
        for text in ("", "[]", '{"runs": []}', '{"runs": {"a": 5}}'):
            (self.folder / "quick.csv.json").write_text(text)
            (self.folder / "quick.csv").write_bytes(b"run_id\r\n\xff\xfe\r\n")
            result = reproduce("--dry-run", "-o", self.folder, "quick")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn("1 of 1 to do", result.stdout)

    def test_goes_on_when_one_could_not_run(self):
        (self.folder / "book.csv.json").mkdir()
        result = reproduce("--measure-only", "-o", self.folder, "book", "hello")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"book: exit code 2\n(.*\n)*reproduce.sh: could not run: book; complete experiments are kept")
        self.assertTrue((self.folder / "hello.csv").exists())

    def test_wants_a_nestbed_that_is_there(self):
        result = subprocess.run([ROOT / "experiments/reproduce.sh", "--dry-run"], capture_output=True, text=True, check=False,
                                env={**os.environ, "NESTBED": "/nowhere/nestbed"})
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, "reproduce.sh: NESTBED=/nowhere/nestbed: there is no such program; allowed: the path of a "
                                        "nestbed, or unset it to build one\n")
        self.assertEqual(reproduce("-o", "").returncode, 2)

    def test_refuses_what_it_does_not_know(self):
        result = reproduce("-o", self.folder, "quick", "slow")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, "reproduce.sh: there is no experiment slow here; allowed: quick, book, hazard_schedules, "
                                        "hello, depth, grid\n")
        self.assertEqual(reproduce("--all").returncode, 2)
        (self.folder / "file").write_text("")
        result = reproduce("--measure-only", "-o", self.folder / "file", "quick")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"--output \S+file: the folder could not be made: File exists")

    def test_can_be_stopped_and_started_again(self):
        started = subprocess.Popen([ROOT / "experiments/reproduce.sh", "--measure-only", "-o", self.folder, "quick"],
                                   cwd=ROOT, env={**os.environ, "NESTBED": NESTBED}, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        log = self.folder / "quick.csv"
        end = time.monotonic() + 60
        while not (log.exists() and log.stat().st_size > 5_000):
            self.assertLess(time.monotonic(), end, "nothing was measured")
            time.sleep(0.005)
        os.killpg(started.pid, signal.SIGINT)
        _, said = started.communicate(timeout=60)
        self.assertEqual(started.returncode, 130, said)
        self.assertIn("complete experiments are kept; rerun the command to continue", said)
        self.assertIn("1 of 1 to do", reproduce("--dry-run", "-o", self.folder, "quick").stdout)
        measured = log.read_bytes()
        self.assertTrue(measured.endswith(b"\r\n"))
        again = reproduce("--measure-only", "-o", self.folder, "quick")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertTrue(log.read_bytes().startswith(measured))
        rows = list(csv.DictReader(log.read_text().splitlines()))
        self.assertEqual(len({(row["key"], row["repetition"]) for row in rows}), len(rows))
        self.assertEqual(len({row["run_id"] for row in rows}), 2)


@only_all
class Named(Scratch):
    """reproduce.sh --as, in a copy of the scripts, because it writes into results/ beside them."""

    def setUp(self):
        super().setUp()
        if called(NESTBED, "run", "--backend", "cuda", "--strategy", "neighbored", "--dry-run").returncode == 0:
            self.skipTest("this machine has a GPU")
        shutil.copytree(ROOT / "experiments", self.folder / "experiments", ignore=shutil.ignore_patterns("__pycache__"))
        self.mine = self.folder / "results/mine"

    def reproduce(self, *words, nestbed=NESTBED):
        return called(self.folder / "experiments/reproduce.sh", "--measure-only", *words, cwd=self.folder, nestbed=nestbed)

    def test_the_page_has_what_the_logs_have(self):
        result = self.reproduce("--as", "mine", "quick", "hello")
        self.assertEqual(result.returncode, 0, result.stderr)
        log = self.mine / "hello.csv"
        rows = list(csv.DictReader(log.read_text(encoding="utf-8").splitlines()))
        times = {}
        for row in rows:
            times.setdefault((row["strategy"], row["grid"], row["depth"]), []).append(float(row["wall_us"]))
        medians = {case: statistics.median(found) for case, found in times.items()}
        least = min(medians.values())
        page = (self.mine / "README.md").read_text(encoding="utf-8")
        line = next(line for line in page.splitlines() if "(hello.csv)" in line)
        self.assertIn(f"| [hello](hello.csv) | {rows[0]['gpu']} (executor) |  |  | {rows[0]['utc'][:10]}", line)
        fastest = [f" | {rows[0]['git']} | {len(rows)} | `{strategy}`, {rows[0]['mechanism']}, grid {grid}, depth {depth}: "
                   for (strategy, grid, depth), median in medians.items() if median == least]  # the clock's step makes ties
        self.assertTrue(any(text in line for text in fastest), f"{fastest} in {line}")
        shown, unit = re.search(r": ([0-9.]+) (µs|ms) \|", line).groups()
        self.assertAlmostEqual(float(shown) * {"µs": 1, "ms": 1000}[unit] / least, 1, delta=0.006)
        self.assertIn("(quick.csv)", page)
        self.assertNotIn("numbers.py", page)  # there are no numbers of the executor's times
        # The page is written from the logs, so edited rows give a different page.
        log.write_text(log.read_text(encoding="utf-8").replace(",ok,", ",wrong,", 1), encoding="utf-8", newline="")
        self.assertIn(f"| {len(rows)}, of which 1 wrong |", machine_page.page(self.mine, "mine"))

    def test_a_page_of_a_gpu_says_how_to_compare(self):
        self.mine.mkdir(parents=True)
        shutil.copy(ROOT / "results/h200/ways.csv.gz", self.mine)
        (self.mine / "other.csv").write_text("a,b\n1,2\n")
        page = machine_page.page(self.mine, "mine")
        for text in ("# mine: NVIDIA H200\n", "| [ways](ways.csv.gz) | NVIDIA H200 | 580.159.04 | 13.0 | 2026-11-2",
                     ": 21.4 ms |", "results/numbers.py --against results/mine ", "experiments/plot.sh results/h200 results/mine "):
            self.assertIn(text, page)
        self.assertNotIn("other.csv", page)

    def test_is_stopped_and_started_again(self):
        self.mine.mkdir(parents=True)  # an empty folder is accepted
        self.assertEqual(self.reproduce("--as", "mine", "quick").returncode, 0)
        again = self.reproduce("--as", "mine", "quick", "hello")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("1 of 2 to do", again.stdout)
        self.assertIn("(hello.csv)", (self.mine / "README.md").read_text(encoding="utf-8"))
        # Logs of another device are not continued.
        log = self.mine / "quick.csv"
        device = next(csv.DictReader(log.read_text(encoding="utf-8").splitlines()))["gpu"]
        log.write_text(log.read_text(encoding="utf-8").replace(device, "Some Other"), encoding="utf-8", newline="")
        refused = self.reproduce("--as", "mine", "quick")
        self.assertEqual(refused.returncode, 2)
        self.assertEqual(refused.stderr, f"reproduce.sh: --as mine: {self.mine.resolve()}: it has logs of Some Other; this machine has "
                                         f"{device}; allowed: a new name, or that of a folder that --as made on this device\n")

    def test_refuses_a_name_that_is_none_and_a_foreign_folder(self):
        for name in ("", ".", "..", "a/b", "../up", "-x", ".hidden", "two words", "ü"):
            refused = self.reproduce(f"--as={name}", "quick")
            self.assertEqual(refused.returncode, 2, name)
            self.assertIn(f"--as '{name}': it is not a plain folder name; allowed: letters, digits, . _ and -, a letter or a digit first",
                          refused.stderr)
        self.assertFalse((self.folder / "results").exists())
        self.mine.mkdir(parents=True)
        (self.mine / "README.md").write_text("# Mine\n")
        for name in ("mine", "file"):
            (self.folder / "results/file").write_text("")
            refused = self.reproduce("--as", name, "quick")
            self.assertEqual(refused.returncode, 2)
            self.assertIn(f"results/{name}: it already exists, and --as did not make it; allowed: a new name", refused.stderr)
        self.assertEqual((self.mine / "README.md").read_text(), "# Mine\n")
        self.assertIn("not allowed with argument", self.reproduce("--as", "new", "-o", self.folder / "other").stderr)

    def test_wants_a_nestbed_that_knows_its_device_and_its_medians(self):
        for command, code, message in (("info", 0, "info` does not say which device this machine has"),
                                       ("statistics", 1, "statistics ended with 1")):
            fake = self.folder / f"without_{command}.sh"
            fake.write_text(f'#!/bin/sh\n[ "$1" = {command} ] && exit {code}\nexec {NESTBED} "$@"\n')
            fake.chmod(0o755)
            result = self.reproduce("--as", command, "quick", nestbed=str(fake))
            self.assertEqual(result.returncode, 1)
            self.assertIn(message, result.stderr)


@only_all
class Session(Scratch):
    """reproduce.sh on a GPU: nestbed is a fake."""

    def reproduce(self, device, *words, empty_kernel_us="4.29"):
        fake = self.folder / "fake.sh"
        fake.write_text(f'''#!/bin/sh
case "$*" in
*--dry-run*) ;;
info) echo "  device                  {device}" ;;
*"--strategy neighbored"*) printf 'strategy,empty_kernel_us\\r\\nneighbored,{empty_kernel_us}\\r\\n' ;;
*) echo "$@" >>"{self.folder}/measured" ;;
esac
''')
        fake.chmod(0o755)
        done = called(ROOT / "experiments/reproduce.sh", "--measure-only", "-o", self.folder / "out", "book", *words, nestbed=str(fake))
        measured = (self.folder / "measured").exists()
        (self.folder / "measured").unlink(missing_ok=True)
        return done, measured

    def test_an_empty_kernel_not_as_in_our_logs_measures_nothing(self):
        for empty_kernel_us, said in (("4.29", "4.29"), ("1.5", "1.50")):
            done, measured = self.reproduce("NVIDIA H200", empty_kernel_us=empty_kernel_us)
            self.assertEqual((done.returncode, measured), (1, False))
            self.assertRegex(done.stderr, rf"reproduce\.sh: an empty kernel takes {said} us on this NVIDIA H200 now, and 2\.[5-9]\d us in our logs "
                             r"\(\d+ runs\): short times would not compare, and nothing was measured; allowed: another session or machine, or "
                             r"--any-session, which measures anyway\n$")
        done, measured = self.reproduce("NVIDIA H200", empty_kernel_us="")
        self.assertEqual((done.returncode, measured), (1, False))
        self.assertIn("does not say how long an empty kernel takes", done.stderr)

    def test_measures_if_it_is_as_in_our_logs_or_any_will_do(self):
        for device, empty_kernel_us, words in (("NVIDIA H200", "2.9", []), ("NVIDIA H200", "4.29", ["--any-session"]), ("Some GPU", "4.29", [])):
            done, measured = self.reproduce(device, *words, empty_kernel_us=empty_kernel_us)
            self.assertEqual((done.returncode, measured), (0, True), done.stderr)


if __name__ == "__main__":
    unittest.main()
