#!/usr/bin/python3
"""Tests of experiments/device_vs_best.py: which cases are chosen, and what the table says of runs whose times are known.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/scripts/device_vs_best_test.py

NESTBED names a nestbed in a build folder. Needs Debian's python3-pandas and python3-matplotlib.
"""
import csv
import io
import re
import sys
import tarfile
import unittest

from scratch import ROOT
from made_logs import COLUMNS, MadeLogs, rows, texts_of

import figures_tables
import logs
import device_vs_best
from checked_output import BadInput

EVERY = list(dict.fromkeys([*COLUMNS, *device_vs_best.work_columns(), "l2", "machine", "key", "prepare_us", "threshold", "aggregate", "fanout", "grain"]))
FORMS = {"launches": ("quick_kway", "fire_and_forget", 7), "tail": ("quick_kway", "tail", 7), "host": ("sort_levels", "host", 0),
         "bound": ("sort_levels", "host_graph_pdl_max_levels", 0), "radix": ("sort_radix", "none", 0), "merge": ("sort_merge", "none", 0)}


def form(name, times, elements=1024, **more):
    """Rows of a case of a sort: wall_us as given, gpu_us less."""
    strategy, mechanism, launches = FORMS[name]
    made = rows([time - 1 for time in times], **{
        "strategy": strategy, "mechanism": mechanism, "workload": "sort", "input": "uniform", "values": "none", "elements": elements, "l2": "as_is", "machine": "aa",
        "prepare_us": 5, "launches_expected": launches, "launches_attempted": launches, "threshold": 0 if launches else "", **more})
    key = "-".join(str(made[0].get(name, "")) for name in ("strategy", "mechanism", "elements", "l2", "block", "input"))
    return [{**row, "key": key} for row in made]


class Pays(MadeLogs):
    def log(self, name, *forms):
        return self.write([row for one in forms for row in one], f"device_vs_best_{name}.csv", EVERY)

    def table(self, *forms, more=()):
        """The rows of the table of one process, and of `more` others, each a list of forms."""
        search = self.log("search", *forms)
        paths = [self.log(number, *one) for number, one in enumerate([forms, *more], 1)]
        text, _ = device_vs_best.table_of([search], paths)
        return list(csv.DictReader(io.StringIO(text)))

    def test_a_table_takes_several_searches(self):
        one, other = (form("launches", [50] * 3), form("host", [40] * 3)), (form("launches", [70] * 3, elements=2048), form("host", [60] * 3, elements=2048))
        self.log("search", *one)
        self.log("search_more", *other)
        self.log(1, *one)
        self.log(2, *other)
        searches, paths = device_vs_best.sources_in(self.folder)
        self.assertEqual([path.name for path in searches], ["device_vs_best_search.csv", "device_vs_best_search_more.csv"])
        text, rows = device_vs_best.table_of(searches, paths)
        self.assertEqual([row["elements"] for row in rows], ["1024", "2048"])
        with self.assertRaisesRegex(BadInput, "sort, uniform, int32, none, 2048 is not in .*device_vs_best_search.csv; allowed"):
            device_vs_best.table_of(searches[:1], paths)
        self.assertEqual(text.count("\n"), 3)
        self.assertEqual(len(device_vs_best.searched(device_vs_best.cases_of_all(searches))), 2)

    def test_of_each_kind_the_fastest_is_chosen(self):
        search = self.log("search", form("launches", [90, 80, 70]), form("tail", [60, 61, 62]), form("host", [50, 52, 54]), form("radix", [40, 41, 42]),
                          form("merge", [30, 31, 32]))
        found = device_vs_best.searched(device_vs_best.cases_of(search))
        (work, (number, best)), = found.items()
        self.assertEqual((work[0], number), ("sort", 2))  # two that launch: of the three rivals two are drawn
        self.assertEqual(best["launches"].axes["mechanism"], "tail")
        text = device_vs_best.experiment_of(found, "device_vs_best_search.csv")
        sections = re.findall(r"^\[(.*)\]$", text, re.MULTILINE)
        self.assertEqual(sections[-1], "sort, uniform, int32, none, 1024, launches")
        self.assertEqual(len(sections), len(best))
        self.assertIn("strategy = quick_kway\nmechanism = tail\n", text)
        self.assertNotIn("mechanism = none", text)
        self.assertIn("empty_kernel_us = ", text)

    def test_as_many_configurations_count_on_either_side(self):
        rivals = [form("host", [50 - number] * 3, block=64 << number) for number in range(4)]
        search = self.log("search", form("launches", [90] * 3), *rivals)
        (_, (number, best)), = device_vs_best.searched(device_vs_best.cases_of(search)).items()
        self.assertEqual((number, set(best)), (1, {"launches", "host"}))
        again = device_vs_best.searched(device_vs_best.cases_of(search))
        self.assertEqual([case.axes["block"] for _, own in again.values() for case in own.values()], [case.axes["block"] for case in best.values()])

    def test_what_launches_nothing_or_is_wrong_is_on_no_side(self):
        nothing = form("launches", [10] * 3, launches_expected=0, launches_attempted=0)
        wrong = [{**row, "status": "wrong"} for row in form("radix", [1] * 3)]
        search = self.log("search", nothing, form("tail", [90] * 3), form("host", [50] * 3), wrong)
        (_, (number, best)), = device_vs_best.searched(device_vs_best.cases_of(search)).items()
        self.assertEqual((number, best["launches"].axes["mechanism"], set(best)), (1, "tail", {"launches", "host"}))
        with self.assertRaisesRegex(BadInput, "no work in the log has forms that launch"):
            device_vs_best.searched(device_vs_best.cases_of(self.log("search", form("host", [50] * 3))))

    def test_the_speedup_is_over_the_fastest_of_all_rivals(self):
        row, = self.table(form("launches", [50] * 6), form("host", [100] * 6), form("radix", [75] * 6))
        self.assertEqual((row["nested"], row["flat"], row["flat_kind"], row["speedup"], row["pays"]), ("quick_kway", "sort_radix", "library", "1.5", "yes"))
        self.assertEqual((row["host_speedup"], row["library_speedup"], row["launches_us"], row["host_us"], row["library_us"]), ("2", "1.5", "50", "100", "75"))
        self.assertNotIn("while_node_us", row)  # there is none
        self.assertEqual(row["gpu_speedup"], f"{74 / 49:.6g}")

    def test_levels_up_to_a_bound_are_a_kind_of_their_own(self):
        row, = self.table(form("launches", [50] * 6), form("host", [100] * 6), form("bound", [60] * 6))
        self.assertEqual((row["flat_kind"], row["speedup"], row["host_speedup"], row["bound_us"]), ("bound", "1.2", "2", "60"))
        for mechanism, kind in (("host_max_levels", "bound"), ("host_graph_pdl", "bound"), ("host", "host"), ("cluster_sync", "one grid")):
            self.assertEqual(device_vs_best.kind_of({"strategy": "sort_levels", "mechanism": mechanism}), kind)

    def test_the_speedup_without_a_rival(self):
        forms = [form("launches", [50] * 6), form("host", [100] * 6), form("radix", [75] * 6)]
        search = self.log("search", *forms)
        for without, flat, speedup in ([], "sort_radix", 1.5), (["sort_radix"], "sort_levels", 2):
            _, (row,) = device_vs_best.table_of([search], [self.log(1, *forms)], without)
            self.assertEqual((row["flat"], row["speedup"]), (flat, speedup))

    def test_verdicts(self):
        for times, verdict in (([90] * 6, "yes"), ([99] * 6, "no"), ([150] * 6, "no"), ([80, 80, 90, 110, 120, 120], "unclear")):
            with self.subTest(times):
                first, *more = [[form("launches", [time] * 3), form("host", [100] * 3)] for time in times]  # a process each
                row, = self.table(*first, more=more)
                self.assertEqual(row["pays"], verdict)
                self.assertLessEqual(float(row["low"]), float(row["speedup"]))
                self.assertLessEqual(float(row["speedup"]), float(row["high"]))

    def test_processes_and_machines_count_and_widen_the_interval(self):
        again = [[form("launches", [70] * 6, machine="bb"), form("host", [100] * 6, machine="bb")]]
        row, = self.table(form("launches", [50] * 6), form("host", [100] * 6), more=again)
        self.assertEqual((row["processes"], row["machines"], float(row["low"]) < 1.5, float(row["high"]) > 1.9), ("2", "2", True, True))

    def test_break_even_counts_what_is_prepared(self):
        for prepared, expected in (((5, 5), "1"), ((105, 5), "2"), ((1005, 5), "20")):
            with self.subTest(prepared):
                row, = self.table(form("launches", [50] * 6, prepare_us=prepared[0]), form("host", [100] * 6, prepare_us=prepared[1]))
                self.assertEqual((row["break_even"], row["prepare_us"]), (expected, str(prepared[0])))
        row, = self.table(form("launches", [150] * 6), form("host", [100] * 6))
        self.assertEqual(row["break_even"], "")

    def test_errors_name_the_file(self):
        good = [form("launches", [50] * 3), form("host", [100] * 3)]
        search = self.log("search", *good)
        wrong = self.log(1, [{**row, "status": "wrong"} for row in good[0]], good[1])
        other = self.log(2, form("launches", [50] * 3, elements=2048), form("host", [100] * 3, elements=2048))
        twice = self.log(3, *good, form("tail", [70] * 3))
        for path, message in ((twice, "it has two forms of the kind 'launches' for sort, uniform"),
                              (wrong, "quick_kway by fire_and_forget for sort, uniform, int32, none, 1024 has rows that are not ok"),
                              (other, "sort, uniform, int32, none, 2048 is not in")):
            with self.subTest(path.name), self.assertRaisesRegex(BadInput, message):
                device_vs_best.table_of([search], [path])
        with self.assertRaisesRegex(BadInput, "--without sort_levels,sort_none: there is no strategy 'sort_none'; allowed: names of"):
            device_vs_best.named("sort_levels,sort_none")
        self.assertEqual(device_vs_best.named(""), [])
        old = self.write(good[0], "old.csv", [name for name in EVERY if name != "prepare_us"])
        with self.assertRaisesRegex(BadInput, "old.csv: it has no column prepare_us"):
            device_vs_best.cases_of(old)
        with self.assertRaisesRegex(BadInput, r"it has no device_vs_best_search\*.csv"):
            device_vs_best.sources_in(self.folder / "nowhere")
        with self.assertRaisesRegex(BadInput, "chain by host_read: it is no kind of form"):
            device_vs_best.kind_of({"strategy": "chain", "mechanism": "host_read"})

    def test_the_figure(self):
        text, _ = device_vs_best.table_of([self.log("search", form("launches", [50] * 6), form("host", [100] * 6))],
                                [self.log(1, form("launches", [50] * 6), form("host", [100] * 6), form("launches", [90] * 6, l2="flushed"),
                                          form("host", [80] * 6, l2="flushed"))])
        path = self.folder / "device_vs_best.csv"
        path.write_text(text, encoding="utf-8")
        self.assertTrue(figures_tables.is_device_vs_best(path))
        (name, figure), (flushed, other) = figures_tables.device_vs_best(path)
        self.assertEqual((name, flushed), ("device_vs_best", "device_vs_best-flushed"))
        words = " ".join(texts_of(figure).split())
        self.assertIn("pay on 1 of 1 works: at best 2.00 times as fast", words)
        self.assertIn("levels (host)", words)
        self.assertIn("1 process on 1 machine, NVIDIA H200", words)
        self.assertIn("pay on 0 of 1 works", " ".join(texts_of(other).split()))
        path.write_text(text.replace(",yes,", ",perhaps,"), encoding="utf-8")
        with self.assertRaisesRegex(logs.LogError, "line 2: pays is 'perhaps'; allowed: yes, unclear, no"):
            figures_tables.device_vs_best(path)

    def test_the_committed_experiments_are_what_the_searches_chose(self):
        with tarfile.open(ROOT / "results/h100/device_vs_best.tar.xz") as archive:  # by Python: a bare Debian has no xz
            archive.extractall(self.folder)
        folder = self.folder / "device_vs_best"
        for experiment, searches in (("device_vs_best_chosen.cfg", ("device_vs_best_search.csv", "device_vs_best_search_2.csv")),
                                     ("device_vs_best_more_chosen.cfg", ("device_vs_best_search_more.csv",))):
            cases = {key: case for name in searches for key, case in device_vs_best.cases_of(folder / name).items()}
            chosen = device_vs_best.experiment_of(device_vs_best.searched(cases), ", ".join(searches))
            self.assertEqual((ROOT / "experiments" / experiment).read_text(encoding="utf-8"), chosen)


if __name__ == "__main__":
    sys.exit(unittest.main())
