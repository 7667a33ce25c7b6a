#!/usr/bin/python3
"""Tests that a changed cell is found in a CSV that is computed from others, and in one that is copied from an article,
although its sum is right.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/scripts/derived_test.py

NESTBED names a nestbed in a build folder. Needs Debian's python3-pandas and python3-matplotlib.
"""
import csv
import hashlib
import json
import os
import pathlib
import re
import sys
import tarfile
import unittest

import pandas

from scratch import ROOT, Scratch

import claim_derived
import computed_page
import log_files
import logs
from claim_file import ClaimError
from claim_results import Results

H100, H200 = ROOT / "results/h100", ROOT / "results/h200"


class Copies(Scratch):
    def copied(self, name, places=(), columns=None):
        """(rows with the header, path) of a CSV that is copied into the scratch folder, with only some of its rows."""
        with log_files.opened(H200 / name) as file:
            header, *rows = csv.reader(file)
        return [header, *(rows[place] for place in places or range(len(rows)))], self.folder / name

    def written(self, path, rows):
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)


def changed(text):
    """Another cell that looks as if it had been measured."""
    return str(int(text) + 1) if text.isdecimal() else re.sub("[0-9]", lambda digit: str((int(digit[0]) + 1) % 10), text, count=1) \
        if re.search("[0-9]", text) else f"{text}x"


def made_once(sources, make):
    """A recipe whose text does not depend on the rows that are there. It makes the text once, because that takes a second."""
    texts = []

    def made(folder, scratch, rows):
        texts.append(texts[0] if texts else make(folder, scratch, rows))
        return texts[-1]
    return sources, made


class Derived(Copies):
    """A table of a folder is what its sources give, and no other."""

    def sources(self, *names, folder=H200):
        for name in [*names, *(f"{name}.json" for name in names if name.endswith(".csv"))]:
            file = log_files.stored(folder / name)
            (self.folder / file.name).symlink_to(file)

    def problem(self, name, recipe=None):
        return claim_derived.problem_of(self.folder, name, *(recipe or claim_derived.RECIPES[name]))

    def check_cells(self, name, columns, recipe=None, places=(), whole=True):
        """The CSV is right; it is not once a cell of any of the columns has changed, or (`whole`) if a row is missing
        or twice."""
        rows, path = self.copied(name, places)
        self.written(path, rows)
        self.assertEqual(self.problem(name, recipe), "")
        for number, column in enumerate(columns):
            at, line = rows[0].index(column), 1 + number % (len(rows) - 1)
            spoilt = [*rows[:line], [*rows[line][:at], changed(rows[line][at]), *rows[line][at + 1:]], *rows[line + 1:]]
            self.written(path, spoilt)
            with self.subTest(column):
                self.assertIn(f"{path}, line {line + 1}: {column} is '{spoilt[line][at]}'; expected: '{rows[line][at]}'",
                              self.problem(name, recipe))
        if whole:
            self.written(path, rows[:-1])
            self.assertIn(f"{path}: it has no row {', '.join(rows[-1])}", self.problem(name, recipe))
            self.written(path, [*rows, rows[-1]])
            self.assertIn(f"{path}, line {len(rows) + 1}: there should be no such row", self.problem(name, recipe))

    def check_once(self, name, columns):
        self.check_cells(name, columns, made_once(*claim_derived.RECIPES[name]))

    def test_the_counts_of_nsight_compute(self):
        self.sources("profile.tar.xz", "profile_irregular.tar.xz")
        self.check_once("reconcile.csv", ["launches_nsight", "blocks_runtime", "duration_us"])
        self.check_once("reconcile_irregular.csv", ["launches_expected", "achieved_occupancy_percent"])

    def test_the_second_run(self):
        results = Results(ROOT / "results", checked=False)
        second = made_once(["second_run.csv"], lambda _, *rest: claim_derived.second_run(results)(H200, *rest))
        self.check_cells("second_run.csv", ["second", "second_low", "ratio", "within", "status"], second)

    def test_the_launch_roofline(self):
        self.sources(*claim_derived.CALIBRATED, "second_calibration.tar.xz")
        self.check_once("parameters.csv", ["value"])
        self.check_once("second_parameters.csv", ["low"])

    def test_the_predictions(self):
        self.sources("model.json", "cgo22.csv")
        self.check_once("predicted_need.csv", ["launches", "predicted_us", "off"])
        self.check_once("choices.csv", ["cases", "least_us", "cost"])
        rows = self.copied("choices.csv")[0]
        self.written(self.folder / "choices.csv", rows[:1])
        self.assertEqual(self.problem("choices.csv"), f"{self.folder}/choices.csv: it has no row; allowed: a table of logs")

    def test_the_frontiers(self):
        rows = self.copied("frontiers.csv")[0]
        star = [place for place, row in enumerate(rows[1:]) if row[0] == "star"]
        self.check_cells("frontiers.csv", ["vertices", "edges_of_level"], places=star)

    def test_the_comparison_with_nvbench(self):
        self.sources("nvbench_cub.csv", "nvbench_neighbored.csv")
        self.check_cells("nvbench.csv", ["nestbed_us", "nestbed_high_us", "difference_us", "verdict"], whole=False)

    @unittest.skipUnless(os.environ.get("NESTBED_THOROUGH") == "1", "claims_test makes it again: left to tests/run.sh --thorough")
    def test_what_pays(self):
        (self.folder / "pays.tar.xz").symlink_to(ROOT / "results/h100/pays.tar.xz")
        with open(ROOT / "results/h100/pays.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        path, recipe = self.folder / "pays.csv", made_once(*claim_derived.RECIPES["pays.csv"])
        self.written(path, rows)
        self.assertEqual(self.problem("pays.csv", recipe), "")
        at = rows[0].index("speedup")
        self.written(path, [*rows[:2], [*rows[2][:at], "3.5", *rows[2][at + 1:]], *rows[3:]])
        self.assertIn(f"{path}, line 3: speedup is '3.5'; expected: '{rows[2][at]}'", self.problem("pays.csv", recipe))

    def test_another_model_of_gpu(self):
        self.sources(claim_derived.SECOND_GPU, *claim_derived.CALIBRATED, folder=H100)
        for name, column in (("parameters.csv", "value"), ("second_gpu_parameters.csv", "value"), ("correlations.csv", "correlation"),
                             ("left_out.csv", "high")):
            with open(H100 / name, newline="", encoding="utf-8") as file:
                header, *rows = csv.reader(file)
            rows = [row for row in rows if row[0] == "trees" or header[0] != "left_out"]  # one of the fits is enough
            path, recipe = self.folder / name, made_once(*claim_derived.RECIPES[name])
            self.written(path, [header, *rows])
            self.assertEqual(self.problem(name, recipe), "")
            at, right = header.index(column), rows[1]
            self.written(path, [header, rows[0], [*right[:at], changed(right[at]), *right[at + 1:]], *rows[2:]])
            self.assertIn(f"{path}, line 3: {column} is '{changed(right[at])}'; expected: '{right[at]}'", self.problem(name, recipe))

    def test_a_model_has_the_parameters_of_its_table(self):
        for folder in (H100, H200):
            model = json.loads((folder / "model.json").read_text(encoding="utf-8"))
            with open(folder / "parameters.csv", newline="", encoding="utf-8") as file:
                parameters = {row["parameter"]: row for row in csv.DictReader(file)}
            self.assertEqual({name: [float(row[column]) for column in ("value", "low", "high")] for name, row in parameters.items()},
                             {name: [one[column] for column in ("value", "low", "high")] for name, one in model["parameters"].items()})
            for log in model["logs"]:
                with log_files.opened(folder / log["name"]) as file:
                    self.assertEqual(hashlib.sha256(file.read().encode()).hexdigest(), log["sha256"], log["name"])

    def test_the_claims_on_another_model_of_gpu(self):
        path, results = self.folder / "second_gpu.csv", Results(ROOT / "results", checked=False)
        recipe = made_once([], lambda _, *rest: claim_derived.another_gpu(results)(ROOT / "results/h100", *rest))
        with open(ROOT / "results/h100" / path.name, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        self.written(path, rows)
        self.assertEqual(self.problem(path.name, recipe), "")
        self.assertFalse({row[0] for row in rows} & {"pays.median", "need-mst.ms"})  # their logs are in the folder itself
        at = rows[0].index("second")
        self.written(path, [rows[0], [*rows[1][:at], "3.5", *rows[1][at + 1:]], *rows[2:]])
        self.assertIn(f"{path}, line 2: second is '3.5'; expected: '{rows[1][at]}'", self.problem(path.name, recipe))

    def test_the_cases_beside_the_other_gpu_have_the_medians_of_the_logs(self):
        """Each case of each log of the commit, and no other."""
        cases = pandas.read_csv(H200 / "machines.csv.gz")
        commit = "16e622568343"
        for log, of_log in cases.groupby("log"):
            rows = pandas.read_csv(log_files.stored(H200 / f"{log}.csv"), low_memory=False)
            self.assertEqual(set(rows["git"]), {commit}, log)
            self.assertEqual(set(of_log["key"]), set(rows["key"]), log)
            right = rows[rows["status"] == "ok"]
            for clock, of_clock in of_log[of_log["h200_us"].notna()].groupby("clock"):
                medians = right.groupby("key")[f"{clock}_us"].median()
                self.assertLess((of_clock["h200_us"] - of_clock["key"].map(medians)).abs().max(), 0.00051, f"{log}, {clock}")
        with tarfile.open(H200 / claim_derived.SECOND_RUN) as kept:
            of_slow_host = 0
            for member in kept:
                if not member.name.endswith(".csv"):
                    continue
                rows = pandas.read_csv(kept.extractfile(member), low_memory=False)
                self.assertEqual(set(rows["git"]), {commit}, member.name)
                of_log = cases[cases["log"] == pathlib.Path(member.name).stem]
                if rows["floor_us"].max() > 3.3:
                    for clock, of_clock in of_log[of_log["slow_a_us"].notna()].groupby("clock"):
                        medians = rows[rows["status"] == "ok"].groupby("key")[f"{clock}_us"].median()
                        off = (of_clock["slow_a_us"] - of_clock["key"].map(medians)).abs()
                        self.assertLess(off.max(), 0.00051, f"{member.name}, {clock}")
                        of_slow_host += off.notna().sum()
            self.assertGreater(of_slow_host, 2000)
        of_commit = {path.name.removesuffix(".csv.json") for path in H200.glob("*.csv.json")
                     if {run["git"] for run in json.loads(path.read_text(encoding="utf-8"))["runs"].values()} == {commit}}
        self.assertEqual(set(cases["log"]), of_commit)

    def test_every_table_has_a_recipe(self):
        """The other CSVs that are no logs were measured so, and nothing gives them; machines.csv is tested above."""
        tables = {path.name for path in logs.logs_in(H200)[1]}
        of_h100 = {"correlations.csv", "left_out.csv", "pays.csv", "predicted_by_h100.csv", "predicted_by_h200.csv",
                   "second_gpu_parameters.csv"}
        self.assertEqual(tables - {"second_run.csv", "machines.csv"} | of_h100, set(claim_derived.RECIPES))

    def test_sources_that_are_damaged_are_named(self):
        (self.folder / "profile.tar.xz").write_bytes(b"no archive")
        self.written(*reversed(self.copied("reconcile.csv")))
        self.assertIn(f"{self.folder}/reconcile.csv: it cannot be made again: ", self.problem("reconcile.csv"))


class Articles(Copies):
    """Every cell of a CSV that was copied by hand stands in the page of the H200."""

    def page(self):
        section = (H200 / "README.template.md").read_text(encoding="utf-8").partition("## What the book and the articles measured")[2]
        path = self.folder / "h200/README.template.md"
        path.parent.mkdir(exist_ok=True)
        try:
            text, problems = computed_page.computed(path, section)
        except ClaimError as error:
            return str(error)
        self.assertEqual(problems, [])
        return text

    def test_a_changed_cell_changes_the_page(self):
        names = [path.name for path in (ROOT / "results").glob("*.csv")]
        self.assertEqual(sorted(names), ["gpu1008-transpose.csv", "k40c-nvprof.csv", "k40c.csv", "t4.csv"])
        for name in names:
            (self.folder / name).write_bytes((ROOT / "results" / name).read_bytes())
        before = self.page()
        self.assertIn("| `host` | 1000000000 | 557 | 307 |", before)
        for name in names:
            with open(ROOT / "results" / name, newline="", encoding="utf-8") as file:
                rows = list(csv.reader(file))
            for line in range(1, len(rows)):
                for at, column in enumerate(rows[0]):
                    spoilt = [list(row) for row in rows]
                    spoilt[line][at] = changed(rows[line][at])
                    self.written(self.folder / name, spoilt)
                    with self.subTest(f"{name}, line {line + 1}: {column}"):
                        self.assertNotEqual(self.page(), before)
            self.written(self.folder / name, rows)
            self.assertEqual(self.page(), before)


if __name__ == "__main__":
    if "NESTBED" not in os.environ:
        sys.exit("derived_test.py: NESTBED names no nestbed; allowed: NESTBED=build/release/nestbed")
    unittest.main()
