#!/usr/bin/python3
"""Tests of results/numbers.py and of the results: that the numbers of the documents are those of the logs, and that a changed cell, a wrong number or a weak rival is found.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/scripts/numbers_test.py

NESTBED names a nestbed in a build folder. Needs Debian's python3-pandas and python3-scipy.
"""
import contextlib
import csv
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
import unittest.mock

from scratch import ROOT, Scratch, only_all

import drawn_from
import log_files
sys.path.insert(0, str(ROOT / "experiments/report"))
import numbers_table

H100 = ROOT / "results/h100"
numbers = numbers_table.numbers_of(ROOT)
# Rows: the key of the case, its form, its mechanism, launches, time, status.
CASES = [("a", "slow", "tail", 4, 12, "ok"), ("b", "quick", "tail", 4, 8, "ok"), ("c", "flat", "none", 0, 6, "ok"), ("d", "wrong", "none", 0, 1, "wrong")]
HEADER = ["run_id", "key", "strategy", "mechanism", "launches_attempted", "gpu_us", "status", "input", "elements", "gpu", "reference"]


class Logs(Scratch):
    """A folder of results with one log m.csv of its H200, and with numbers of its own."""

    def setUp(self):
        super().setUp()
        self.write("m", CASES)
        for name, value in (("HERE", self.folder / "results"), ("NUMBERS", {}), ("TABLES", {"m": lambda: "| a |\n"})):
            self.enterContext(unittest.mock.patch.object(numbers, name, value))
        numbers.numbers("m", {"m.ratio": numbers.ratio(numbers.launching({}), numbers.flat({}))})
        numbers.numbers("m", {"m.slow": numbers.ratio({"strategy": "slow"})}, "µs", everywhere=False)
        numbers.numbers("m", {"m.right": numbers.count(status="ok")}, tolerance=0, everywhere=True)
        self.addCleanup(self.forget)

    @staticmethod
    def forget():
        for one in (numbers.log, numbers.every_log, numbers.measured):
            one.cache_clear()

    def enterContext(self, context):  # Python 3.11 has it, too
        found = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return found

    def write(self, name, cases, rows=7, gpu="H", folder="h200", reference=1):
        path = self.folder / "results" / folder / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [["r", key, strategy, mechanism, launches, us + repetition % 3 - 1, status, "graph", 8, gpu, reference]
                 for key, strategy, mechanism, launches, us, status in cases for repetition in range(rows)]
        path.write_text("".join(",".join(map(str, line)) + "\n" for line in [HEADER, *lines]), encoding="utf-8")
        self.forget()

    def text(self, name):
        return numbers.text_of(name, self.folder / "results/h200")


class Values(Logs):
    def test_medians_ratios_and_counts(self):
        self.assertEqual([self.text(name) for name in ("m.ratio", "m.slow", "m.right")], ["1.33", "12.0 µs", "21 of 28"])

    def test_an_interval_holds_the_value_and_needs_six_rows(self):
        value = numbers.measured("m.slow", self.folder / "results/h200")
        low, high = value.interval()
        self.assertTrue(11 <= low <= 12 <= high <= 13 and low < high)
        self.write("m", CASES, rows=5)
        self.assertIsNone(numbers.measured("m.slow", self.folder / "results/h200").interval())

    def test_the_best_of_both_sides_is_that_of_any_log(self):
        self.write("other", [("e", "queue", "grid_sync", 0, 4, "ok"), ("f", "nested", "tail", 0, 2, "ok")])
        self.assertEqual(self.text("m.ratio"), "2.00")  # what could launch and did not is on neither side
        self.write("another", [("g", "first", "none", 0, 9, "ok"), ("h", "graph", "graph_tail", 1, 5, "ok"), ("i", "wrong", "tail", 1, 2, "wrong")])
        self.assertEqual(self.text("m.ratio"), "1.25")

    def test_forms_are_compared_on_one_problem_with_one_answer(self):
        self.write("other", [("e", "queue", "grid_sync", 0, 4, "ok")], reference=2)
        self.write("elsewhere", [("f", "queue", "grid_sync", 0, 3, "ok")], gpu="another")
        self.assertEqual(self.text("m.ratio"), "1.33")
        path = self.folder / "results/h200/m.csv"
        path.write_text(path.read_text(encoding="utf-8").replace("H,1\n", "H,2\n", 1), encoding="utf-8")
        self.forget()
        with self.assertRaisesRegex(numbers.NumberError, "2 problems; allowed: one"):
            numbers.measured("m.ratio", self.folder / "results/h200")

    def test_a_changed_cell_changes_a_number(self):
        self.write("m", [("a", "slow", "tail", 4, 13, "ok"), *CASES[1:]])
        self.assertEqual(self.text("m.slow"), "13.0 µs")

    def test_rows_that_are_missing_or_not_ok_give_no_number(self):
        for make in (numbers.ratio({"strategy": "none"}), numbers.ratio({"strategy": "wrong"}), numbers.same("strategy")):
            with self.assertRaises(numbers.NumberError):
                make(numbers.log(self.folder / "results/h200", "m"))

    def test_ranges_lists_and_combinations_choose_rows(self):
        rows = numbers.log(self.folder / "results/h200", "m")
        self.assertEqual(len(numbers.at(rows, key=["a", "b"], gpu_us=(8, 12))), 9)
        for combine, value in ((numbers.least, 6), (numbers.greatest, 12), (numbers.mean, (12 * 8 * 6) ** (1 / 3))):
            found = numbers.over(combine, [numbers.ratio({})], ["key"], {"status": "ok"})(rows)
            self.assertAlmostEqual(found.value, value)
            self.assertTrue(found.strong)
        found = numbers.over(numbers.difference, [numbers.ratio({"key": key}) for key in ("a", "b")])(rows)
        self.assertEqual((found.value, found.strong), (4, False))
        low, high = found.interval()
        self.assertTrue(2 <= low <= 4 <= high <= 6)

    def test_a_second_run_is_judged_by_tolerances(self):
        slower = [("a", "slow", "tail", 4, 30, "ok"), *CASES[1:]]
        for gpu, expected in (("H", {"m.ratio": "near", "m.slow": "far", "m.right": "near"}), ("other", {"m.right": "near"})):
            self.write("m", slower, gpu=gpu, folder="again")
            rows = numbers.beside(self.folder / "results/again")
            self.assertEqual({one.name: verdict for one, _, _, verdict, judged in rows if judged}, expected)
            out = self.folder / f"{gpu}.csv"
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(numbers.against(self.folder / "results/again", out), 3 if gpu == "H" else 0)
            self.assertRegex(out.read_text(encoding="utf-8"), r"m\.slow,µs,12,1[12],1[23],30,no,0\.1,far\n")
            self.assertIn("m.right,,0.75,,,0.75,no,0,near\n", out.read_text(encoding="utf-8"))  # a count has no interval


class Documents(Logs):
    def rewritten(self, text):
        return numbers.rewritten(self.folder / "results/a.md", text)

    def test_a_right_text_stays(self):
        text = "It takes [12.0](numbers.md#m.slow) or [12.0 µs](numbers.md#m.slow), at best [1.33](numbers.md#m.ratio).\n<!-- table: m -->\n| a |\n<!-- end -->\n"
        self.assertEqual(self.rewritten(text), (text, []))

    def test_a_wrong_number_or_table_is_named_and_written(self):
        new, problems = self.rewritten("It takes [13.0 µs](numbers.md#m.slow).")
        self.assertEqual((new, problems), ("It takes [12.0 µs](numbers.md#m.slow).", ["results/a.md: 13.0 µs: m.slow is 12.0 µs"]))
        new, problems = self.rewritten("<!-- table: m -->\n| b |\n<!-- end -->\n")
        self.assertEqual((new, problems), ("<!-- table: m -->\n| a |\n<!-- end -->\n", ["results/a.md: a table is not what the logs give"]))

    def test_what_no_number_covers_is_named(self):
        for text, problem in (("[1](numbers.md#m.none)", "there is no such number"), ("It takes 3.5 ms.", "3.5 ms: no number covers it"),
                              ("This is the best: [12.0](numbers.md#m.slow)", ""), ("the best of [12.0](numbers.md#m.slow)", "the sentence says 'best'"),
                              ("never [12.0](numbers.md#m.slow)", "the sentence says 'never'"), ("never [21 of 28](numbers.md#m.right)", ""),
                              ("<!-- by hand: a rule -->3.5 ms<!-- end --> and `4.5 ms`", "")):
            with self.subTest(text):
                self.assertEqual(any(problem in one for one in self.rewritten(text)[1]), bool(problem))

    def test_a_number_that_no_document_has_is_named(self):
        (self.folder / "results/a.md").write_text("[12.0](numbers.md#m.slow) [1.33](numbers.md#m.ratio)\n", encoding="utf-8")
        self.write("second_run", [])
        with unittest.mock.patch.object(numbers, "row_of", lambda one, cited: [f"{one.name in cited}"]):
            *_, (_, _, right, problems) = numbers.pages(self.folder)
        self.assertIn("| True |\n| True |\n| False |\n", right)
        self.assertEqual(problems, ["results/numbers.md: no document links to m.right", "results/numbers.md: it is not what the logs give"])


class OfTheRepository(unittest.TestCase):
    # Logs of trees with changes that were not committed. No other may join them.
    CHANGED = {"h100/device_vs_best.tar.xz": {"5a1fada53fba-dirty"}}

    @only_all
    def test_documents_have_the_numbers_of_the_logs(self):
        self.assertEqual([problem for *_, wrong in numbers.pages(ROOT) for problem in wrong], [])

    def test_every_file_has_its_sum(self):
        for folder in (ROOT / "results", H100, ROOT / "results/h200"):
            checked = subprocess.run(["sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS"], cwd=folder, capture_output=True, text=True, check=False)
            self.assertEqual((checked.returncode, checked.stdout), (0, ""))
            summed = {line.split("  ")[1] for line in (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()}
            self.assertEqual({path.name for pattern in ("*.csv", "*.gz", "*.json", "*.xz") for path in folder.glob(pattern)} - summed, set())

    # Those of the H200 are in published_tables_test.cpp and calibrate_cli_test.cpp.

    def test_the_h100s_tables_are_what_its_logs_give(self):
        made = self.csv_of("calibrate", *(H100 / f"{name}.csv" for name in ("launch", "trees", "library", "transpose")), "--csv", "-")
        self.assertEqual(made, self.csv_of_file(H100 / "parameters.csv"))
        for name, model in (("predicted_by_h100", H100), ("predicted_by_h200", ROOT / "results/h200")):
            kept = self.csv_of_file(H100 / f"{name}.csv")
            made = [[log, *cells] for log in dict.fromkeys(row[0] for row in kept[1:])
                    for cells in self.csv_of("predict", "--device", model / "model.json", "--against", H100 / f"{log}.csv", "--csv", "-")[1:]]
            measured = kept[0].index("measured_us")
            self.assertEqual([row for row in made if row[measured]], kept[1:], name)

    @unittest.skipUnless(os.environ.get("NESTBED_THOROUGH") == "1", "left to tests/run.sh --thorough")
    def test_the_table_of_what_pays_is_what_its_logs_give(self):
        with tempfile.TemporaryDirectory() as scratch:
            with tarfile.open(H100 / "device_vs_best.tar.xz") as archive:
                archive.extractall(scratch)
            subprocess.run([sys.executable, ROOT / "experiments/device_vs_best.py", "table", f"{scratch}/device_vs_best", "-o", f"{scratch}/device_vs_best.csv"], check=True, capture_output=True)
            self.assertEqual(self.csv_of_file(f"{scratch}/device_vs_best.csv"), self.csv_of_file(H100 / "device_vs_best.csv"))

    @staticmethod
    def csv_of_file(path):
        with log_files.opened(path) as file:
            return list(csv.reader(file))

    @staticmethod
    def csv_of(*words):
        done = subprocess.run([os.environ["NESTBED"], *map(str, words)], capture_output=True, text=True, check=True)
        return list(csv.reader(io.StringIO(done.stdout)))

    @only_all
    def test_what_must_hold_on_every_gpu_holds_on_an_h100(self):
        judged = {one.name: verdict for one, _, _, verdict, judged in numbers.beside(H100) if judged}
        self.assertGreater(list(judged.values()).count("near"), 20)
        self.assertEqual([name for name, verdict in judged.items() if verdict == "far"], [])

    @only_all
    def test_no_ratio_calls_launches_faster_against_the_protocol(self):
        """Launches that seem to beat the best flat form of a log by more than 3 % would have to pay by the protocol as well."""
        for _, name, problem in numbers.WORKS:
            for gpu in numbers.GPUS:
                self.assertGreater(numbers.work_in(gpu, name, problem).value, 0.97, (gpu, name, problem))

    @only_all
    def test_the_second_run_is_compared_with_the_present_numbers(self):
        rows = numbers.log(ROOT / "results/h200", "second_run")
        self.assertEqual({row.number: row.first for row in rows.itertuples()}, {
            row.number: f"{(one := numbers.NUMBERS[row.number]).scaled(numbers.measured(one.name, ROOT / 'results/h200').value):.6g}" for row in rows.itertuples()})

    def test_logs_are_of_committed_trees(self):
        """What manifests say, and what the rows of logs and of tables that have no manifest say."""
        found = {}
        for path in sorted((ROOT / "results").glob("h*/*")):
            manifests, commits = [path.read_bytes()] if path.name.endswith(".csv.json") else [], set()
            if path.suffix == ".xz":
                with tarfile.open(path) as archive:
                    manifests = [archive.extractfile(member).read() for member in archive if member.name.endswith(".json")]
            elif path.name.endswith((".csv", ".csv.gz")):
                commits.update(numbers.log(path.parent, path.name.split(".csv")[0]).get("git", []))
            commits.update(run.get("git", "") for manifest in manifests for run in json.loads(manifest).get("runs", {}).values())
            changed = {commit for commit in commits if commit.endswith("-dirty") or commit in ("", "unknown")}
            if changed:
                found[f"{path.parent.name}/{path.name}"] = changed
        self.assertEqual(found, self.CHANGED)

    def test_a_model_has_the_parameters_of_its_table(self):
        for gpu in numbers.GPUS:
            model = json.loads((ROOT / "results" / gpu / "model.json").read_text(encoding="utf-8"))["parameters"]
            table = numbers.log(ROOT / "results" / gpu, "parameters")
            self.assertEqual({row.parameter: (float(row.value), float(row.low), float(row.high)) for row in table.itertuples()},
                             {name: (one["value"], one["low"], one["high"]) for name, one in model.items()})

    def test_figures_are_drawn_from_the_logs_as_they_are(self):
        for gpu in numbers.GPUS:
            self.assertEqual(drawn_from.figure_problems(ROOT / "results" / gpu), [])
            self.assertTrue(log_files.csvs_in(ROOT / "results" / gpu))

    def test_documents_are_short_and_their_sentences_too(self):
        for name, most in (("README.md", 1500), ("findings.md", 3500), ("method.md", 5000), ("h200/README.md", 1500), ("h100/README.md", 1500)):
            text = (ROOT / "results" / name).read_text(encoding="utf-8")
            self.assertLessEqual(len(text.split()), most, name)
            prose = re.sub(r"```.*?```|<!--.*?-->|^\|.*?$|^#.*?$|^!\[.*?$|\]\([^)]*\)", "", text, flags=re.DOTALL | re.MULTILINE)
            for sentence in re.split(r"(?<=[.?!])\**\s|\n\s*\n|\n *(?:-|\d+\.) ", prose):
                self.assertLessEqual(len([word for word in sentence.split() if re.search(r"\w", word)]), 30, f"{name}: {sentence}")


if __name__ == "__main__":
    unittest.main()
