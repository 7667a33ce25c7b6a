#!/usr/bin/python3
"""Tests of experiments/nvbench.sh, on a small CSV in the form that nvbench writes.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/scripts/nvbench_test.py

NESTBED names a nestbed in a build folder. Needs Debian's python3-pandas.
"""
import contextlib
import csv
import io
import subprocess
import sys
import unittest
import unittest.mock

from scratch import ROOT, Scratch

import checked_output
import nvbench

# As nvbench's CSV printer writes it: an axis of powers of two appears twice, and so does Noise.
NVBENCH = """Benchmark,Device,Device Name,T{ct},Elements (pow2),Elements,Skipped,Samples,CPU Time (sec),Noise (%),GPU Time (sec),Noise (%)
cub_sum,0,NVIDIA H200,I32,2^20,1048576,No,2000,1.6e-05,0.1,8.63e-06,0.02
cub_sum,0,NVIDIA H200,I32,2^24,16777216,No,1500,3.5e-05,0.1,2.85e-05,0.01
cub_sum,0,NVIDIA H200,I32,2^33,8589934592,Yes,,,,,
neighbored,0,NVIDIA H200,I32,2^20,1048576,No,1000,2.5e-05,0.1,1.79e-05,0.02
other,0,NVIDIA H200,I32,2^20,1048576,No,1000,2.5e-05,0.1,1.79e-05,0.02
"""
COLUMNS = ["experiment", "strategy", "backend", "type", "elements", "repetition", "gpu_us", "wall_us", "submit", "l2", "status", "gpu"]
SIZES = [("cub", 2**20, 8.7), ("cub", 2**24, 29.0), ("neighbored", 2**20, 18.3)]


def rows(sizes=None, **more):
    """Three rows per case: (strategy, elements, median)."""
    return [{"experiment": "e", "backend": "cuda", "type": "int32", "submit": "held", "l2": "flushed", "status": "ok",
             "gpu": "NVIDIA H200", "strategy": strategy, "elements": elements, "repetition": place, "gpu_us": us + off,
             "wall_us": us + 10, **more}
            for strategy, elements, us in sizes or SIZES for place, off in enumerate((-0.1, 0, 5))]


class Beside(Scratch):
    def setUp(self):
        super().setUp()
        self.nvbench(NVBENCH)
        self.log(rows())

    def nvbench(self, text):
        (self.folder / "nvbench.csv").write_text(text)

    def log(self, made, columns=None):
        with open(self.folder / "log.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns or COLUMNS, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(made)

    def run_nvbench(self, *words, expect=0, maps=("cub_sum=cub", "neighbored=neighbored")):
        """(standard output, standard error) of nvbench.py, whose exit code must be `expect`."""
        out, messages = io.StringIO(), io.StringIO()
        given = ["nvbench.py", "nvbench.csv", "log.csv", "--size", "Elements", *(word for one in maps for word in ("--map", one)), *words]
        with contextlib.chdir(self.folder), unittest.mock.patch.object(sys, "argv", given), contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(messages):
            try:
                code = checked_output.ended("nvbench.sh", nvbench.main)
            except SystemExit as leaving:
                code = leaving.code
        self.assertEqual(code, expect, messages.getvalue())
        return out.getvalue(), messages.getvalue()

    def refused(self, *words, **more):
        return self.run_nvbench(*words, expect=2, **more)[1].removeprefix("nvbench.sh: ")

    def test_medians_are_beside_nvbench_case_by_case(self):
        out, messages = self.run_nvbench("-o", "out.csv")
        self.assertEqual(messages, "nvbench.sh: nvbench.csv, line 4: nvbench skipped it: left out\n")
        self.assertEqual([" ".join(line.split()) for line in out.splitlines()], [
            "benchmark strategy elements nvbench_us nestbed_us difference_us difference_percent allowed verdict",
            "cub_sum cub 1048576 8.63 8.7 0.07 0.8111 0.7 us within",
            "cub_sum cub 16777216 28.5 29 0.5 1.754 3 % within",
            "neighbored neighbored 1048576 17.9 18.3 0.4 2.235 0.7 us within"])
        written = list(csv.DictReader((self.folder / "out.csv").read_text().splitlines()))
        self.assertEqual([(row["benchmark"], row["strategy"], row["elements"], row["nvbench_us"], row["nestbed_us"], row["nvbench_samples"],
                           row["nestbed_samples"], row["difference_us"], row["difference_percent"], row["verdict"]) for row in written][0],
                         ("cub_sum", "cub", "1048576", "8.63", "8.7", "2000", "3", "0.07", "0.8111", "within"))
        self.assertEqual(float(written[0]["nestbed_low_us"]), 8.6)

    def test_a_difference_over_its_bound_is_exit_3(self):
        for change, verdicts in (((2**20, 9.4), ["outside", "within", "within"]), ((2**20, 7.9), ["outside", "within", "within"]),
                                 ((2**24, 29.4), ["within", "outside", "within"]), ((2**24, 27.6), ["within", "outside", "within"])):
            self.log(rows([(name, size, change[1] if (name, size) == ("cub", change[0]) else us) for name, size, us in SIZES]))
            out, _ = self.run_nvbench(expect=3)
            self.assertEqual([line.split()[-1] for line in out.splitlines()[1:4]], verdicts)

    def test_only_rows_that_are_held_flushed_and_ok_are_taken(self):
        self.log(rows() + [row for cells in ({"submit": "open"}, {"l2": "as_is"},
                                                 {"status": "wrong", "gpu_us": "", "wall_us": "", "submit": ""}) for row in
                           rows([(name, size, 99 if "status" not in cells else us) for name, size, us in SIZES], **cells)])
        self.run_nvbench()
        for cells in ({"submit": "open"}, {"l2": "as_is"}):
            self.log(rows(**cells))
            self.assertEqual(self.refused(), "nvbench.csv, line 4: nvbench skipped it: left out\nnvbench.sh: nvbench.csv, line 2: cub_sum: "
                                             "log.csv has no rows of cub with 1048576 numbers that are ok, submit = held and l2 = flushed\n")

    def test_one_of_several_cases_is_chosen(self):
        self.log(rows() + rows([(name, size, 99) for name, size, _ in SIZES], type="float32"))
        self.assertIn("log.csv: cub with 1048576 numbers has several cases: type int32, float32; allowed: one, chosen by --where "
                      "COLUMN=VALUE", self.refused())
        self.run_nvbench("--where", "type=int32")
        self.run_nvbench("--where", "type=float32", expect=3)
        self.assertIn("l2 = flushed, type = int64", self.refused("--where", "type=int64"))
        line = NVBENCH.splitlines()[1]
        self.nvbench(NVBENCH + line.replace("I32", "F32") + "\n")
        self.log(rows())
        self.assertIn("nvbench.csv: it has several rows of cub_sum with 1048576 numbers; allowed: one, chosen by --only AXIS=VALUE",
                      self.refused())
        self.run_nvbench("--only", "T{ct}=I32")

    def test_files_that_cannot_be_compared_are_named_with_their_line(self):
        for before, after, message in (
                ("8.63e-06", "fast", "nvbench.csv, line 2: GPU Time (sec) is 'fast'; allowed: a number above 0"),
                ("8.63e-06", "0", "nvbench.csv, line 2: GPU Time (sec) is '0'; allowed: a number above 0"),
                ("8.63e-06", "nan", "nvbench.csv, line 2: GPU Time (sec) is 'nan'; allowed: a number above 0"),
                ("16777216", "many", "nvbench.csv, line 3: Elements is 'many'; allowed: a number above 0"),
                ("16777216", "0", "nvbench.csv, line 3: Elements is '0'; allowed: a number above 0"),
                (",1048576,", ",524288,", "nvbench.csv, line 2: cub_sum: log.csv has no rows of cub with 524288 numbers"),
                ("GPU Time (sec)", "GPU Time", "nvbench.csv, line 1: it has no column 'GPU Time (sec)'; it has Benchmark, Device,"),
                (",Elements,", ",Numbers,", "nvbench.csv, line 1: it has no column 'Elements'"),
                ("NVIDIA H200", "Tesla T4", "nvbench.csv, line 2: cub_sum: it is of Tesla T4, and log.csv of NVIDIA H200; allowed: the "
                                            "same GPU"),
                ("0.1,8.63e-06", "0.1,8.6\0\0", "nvbench.csv, line 2: it has a zero byte: the row is incomplete"),
                ("0.1,8.63e-06", "0.1,8.63e-06,1", "nvbench.csv, line 2: 13 cells under 12 columns: the row is incomplete")):
            with self.subTest(after):
                self.nvbench(NVBENCH.replace(before, after, 1))
                self.assertIn(message, self.refused())
        self.nvbench(NVBENCH)
        self.assertIn("nvbench.csv: it has no row of cub_max; it has cub_sum, neighbored, other", self.refused(maps=["cub_max=cub"]))
        self.log(rows(), [name for name in COLUMNS if name != "l2"])
        self.assertIn("log.csv has no rows of cub with 1048576 numbers that are ok", self.refused())
        (self.folder / "log.csv").unlink()
        self.assertIn("log.csv: No such file or directory", self.refused())

    def test_bad_options(self):
        for words, message in ((["--map", "cub"], "argument --map: 'cub'; allowed: NAME=VALUE"),
                               (["-o", "log.csv"], "--output log.csv: it already exists, and nothing is overwritten; allowed: a new file")):
            self.assertIn(message, self.refused(*words))

    def test_without_a_nestbed(self):
        with unittest.mock.patch.dict("os.environ", {"NESTBED": "/bin/false"}):
            self.assertIn("/bin/false statistics ended with 1", self.run_nvbench(expect=1)[1])

    def test_the_script(self):
        done = subprocess.run([ROOT / "experiments/nvbench.sh", "nvbench.csv", "log.csv", "--map", "cub_sum=cub", "--size", "Elements"],
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "cub_sum +cub ")
        done = subprocess.run([ROOT / "experiments/nvbench.sh", "--help"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--map BENCHMARK=STRATEGY", done.stdout)


if __name__ == "__main__":
    unittest.main()
