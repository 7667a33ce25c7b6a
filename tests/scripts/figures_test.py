#!/usr/bin/python3
"""Tests of what the figures of experiments/plot.sh show, on small logs made here.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/scripts/figures_test.py

NESTBED names a nestbed in a build folder. Needs Debian's python3-pandas and python3-matplotlib.
"""
import ast
import json
import math
import os
import re
import subprocess
import unittest

from scratch import ROOT
from made_logs import (BY_NEED, COLUMNS, GRAPH, SEARCH, SORT, SUBMITTED, SWEPT, UNTIMED, FigureTest, along,
                       by_need, flat, graph_search, rows, search, sort, texts_of, untimed, words_of)

import matplotlib

import figure_style
import figures
import logs
import plot
import tables


class WhichFigures(FigureTest):
    def test_figures_follow_from_what_varies(self):
        for made, files in (
                (along("depth", range(4), launches_attempted=lambda depth: 16 * depth), {"latency-depth", "launches"}),
                (along("grid", (1, 2, 4), elements=lambda grid: 64 * grid, launches_attempted=lambda grid: 4 * grid), {"latency-grid", "launches"}),
                (along("block", (64, 128, 256), elements=lambda block: 16 * block), {"latency-block"}), (along("delay_us", (0, 1, 10), [10, None]), {"wrong"}),
                (along("pending_limit_asked", ("auto", 128, 256, 512)), {"pending-limit"}), (rows([10, 11, 12]), {"strategies"}),
                (along("depth", (1, 2, 4), [5], strategy="chains", type="", block=32, launches_attempted=lambda depth: 16 * depth), {"strategies"})):
            with self.subTest(files=files):
                self.assertEqual(self.files_of(made), files)

    def test_too_few_values_are_no_figure(self):
        works = [row for dwell in (1, 64) for row in [*by_need(9, strategy="refine_children", dwell=dwell), *flat(5, strategy="refine_queue", dwell=dwell)]]
        graphs = [*graph_search(8, "bfs_frontier"), *graph_search(8, "bfs_direction")]
        for file, made, columns in (
                ("time-size", [row for size in SWEPT[:2] for row in sort(9, elements=size)], SORT), ("launches-depth", sort(9, launches_by_depth="1 4"), SORT),
                ("time-input", [row for name in ("uniform", "sorted") for row in sort(9, input=name)], SORT), ("time-work", works, BY_NEED),
                ("time-budget", [row for budget in (1, 4) for row in search(9, budget=budget)], SEARCH), ("teps", graphs, GRAPH),
                ("launches-time", [row for number in (0, 1, 9, 99) for row in by_need(5, threshold=number, launches=number)], BY_NEED),
                ("against-flat", by_need(5), BY_NEED), ("book", rows([1, 2]), COLUMNS)):
            with self.subTest(file):
                self.assertNotIn(file, self.files_of(made, columns))

    def test_nothing_timed_is_said_in_the_figure(self):
        by_size = [row for size in SWEPT for row in sort(None, elements=size)]
        works = [row for dwell in (1, 64, 99) for row in [*by_need(9, strategy="refine_children", dwell=dwell), *flat(5, strategy="refine_queue", dwell=dwell)]]
        for file, made, columns in (("against-flat", [*by_need(None), *flat(10)], BY_NEED), ("time-size", by_size, SORT), ("time-work", untimed(works), BY_NEED),
                                    ("time-input", [row for name in ("uniform", "sorted", "equal") for row in sort(None, input=name)], SORT),
                                    ("time-budget", [row for budget in (1, 4, 16) for row in search(None, budget=budget)], SEARCH),
                                    ("teps", [*graph_search(None, status="ok"), *graph_search(None, "bfs_frontier", status="ok")], GRAPH)):
            self.check_figure(file, made, ["Nothing to draw"], columns=columns)
        self.check_figure("latency-depth", along("depth", range(3), [None] * 2, status="timeout"), ["none of these 6 rows has a time (6 timeout)"])
        self.check_figure("latency-depth", along("depth", range(3), [1], launches_attempted=1, **UNTIMED),
                          ["none of these 3 rows has a time (3 ok without a time)"])
        self.check_figure("strategies", rows([None] * 2), ["no run has a time"])

    def test_a_log_without_names_has_those_of_its_experiment(self):
        by_depth = along("depth", range(4), launches_attempted=lambda depth: 16 * depth)
        for experiment, files in (("ways", {"strategies"}), ("depth", {"latency-depth", "launches"}), ("depth-a_section", {"latency-depth", "launches"}),
                                  ("ways/../depth", {"latency-depth", "launches"}), ("../experiments/ways", {"latency-depth", "launches"})):
            with self.subTest(experiment):
                self.assertEqual(self.files_of([{**row, "experiment": experiment} for row in by_depth]), files)

    def test_an_experiment_names_its_figures(self):
        by_depth = [row for depth in range(4) for row in rows([10, 11, 12], depth=depth, launches_attempted=16 * depth)]
        path = self.write(by_depth)
        manifest = path.with_name("made.csv.json")

        def found(named=()):
            manifest.write_text(json.dumps({"runs": {"1": {"command": ["nestbed"], **({"figures": named} if named else {})}}}))
            return [name for _, name, _ in figures.drawn(path, logs.read_log(path))]
        self.assertEqual(found(), ["made-latency-depth", "made-launches"])
        self.assertEqual(found(["launches"]), ["made-launches"])
        self.assertEqual(found(["launches", "ways"]), ["made-strategies", "made-launches"])
        self.assertEqual(found(["by-grid"]), ["made-strategies"])  # nothing to draw: every way is shown
        self.assertEqual(self.run_plot(path, "-o", self.folder)[1],
                         f"plot.sh: {plot.path_text(path)}: no figure by-grid, which its experiment names: it needs several grids; drawn: ways\n")
        found(["teps", "launches"])
        self.assertEqual(self.run_plot(path, "-o", self.folder)[1],
                         f"plot.sh: {plot.path_text(path)}: no figure teps, which its experiment names: it does not suit reduce (WorkloadInfo::figures); drawn: launches\n")
        found(["launches"])
        self.assertEqual(self.run_plot(path, "-o", self.folder)[1], "")
        with self.assertRaisesRegex(logs.LogError, "made.csv: its experiment names a figure 'by-size-of-it'; allowed: by-depth, times, ways, "):
            found(["by-size-of-it"])
        with self.assertRaisesRegex(logs.LogError, "names a figure '5'; allowed: "):
            found(5)
        self.assertIn("names a figure '5'", self.run_plot(path, expect=2)[1])

    def test_a_figure_shows_no_workload_that_it_does_not_suit(self):
        made = [row for name in ("nosync", "quick_kway", "lanes_in_turn", "another") for row in along("depth", range(4), [10, 11], strategy=name)]
        self.check_figure("latency-depth", made, ["nosync", "another"], ["quick_kway", "lanes_in_turn"])

    def test_users_parameters_are_no_columns_that_scripts_add(self):
        source = (ROOT / "src/cli/cli.cpp").read_text(encoding="utf-8")
        refused = set(re.findall(r'"(\w+)"', source[source.index("kAddedColumns"):source.index("});", source.index("kAddedColumns"))]))
        for script in sorted((ROOT / "experiments").glob("*.py")):
            for call in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "assign":
                    added = {word.arg for word in call.keywords if word.arg}
                    self.assertEqual(added - refused - set(tables.tables()["columns"]) - {"workload"}, set(), script.name)

    def test_workloads_name_the_figures_of_the_table(self):
        named = {figure for workload in tables.tables()["workloads"].values() for figure in workload["figures"]}
        self.assertEqual(named | {"times"}, {figure.name for figure in figures.FIGURES})  # of a user's own workload
        for workload in tables.tables()["workloads"]:
            self.assertTrue(tables.tables()["workloads"][workload]["figures"], workload)
        for path in (ROOT / "experiments").glob("*.cfg"):
            self.assertLessEqual(set(figures._named_by(path.stem)), named, path.name)

    def test_names_in_the_table_are_unique_and_have_experiments(self):
        for field in ("name", "title"):
            found = [getattr(figure, field) for figure in figures.FIGURES]
            self.assertEqual(len(found), len(set(found)))
        for figure in figures.FIGURES:
            self.assertTrue((ROOT / "experiments" / f"{figure.experiment}.cfg").is_file(), figure.name)

    def test_scripts_name_no_strategies(self):
        """A new strategy needs no line of Python. What may name one: a module that draws a figure of one workload, or of two, names theirs; a
        command line has one behind --strategy. And some are also the name of a workload, figure or command, or begin that of a mechanism."""
        listed = tables.tables()
        commands = re.findall(r"^  (\w+)  ", subprocess.run([os.environ["NESTBED"], "help"], capture_output=True, text=True, check=True).stdout, re.M)
        also = {*listed["workloads"], *listed["mechanisms"], *(name.partition("_")[0] for name in listed["mechanisms"]), *commands, *(figure.name for figure in figures.FIGURES)}
        drawn_for = {}
        for figure in figures.FIGURES:
            suited = tables.workloads_with_figure(figure.name)
            drawn_for.setdefault(f"{figure.draw.__module__}.py", set()).update(suited if len(suited) <= 2 else ())
        found = []
        for path in sorted((ROOT / "experiments").rglob("*.py")):
            nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
            rows = [getattr(node, "args" if isinstance(node, ast.Call) else "elts", []) for node in nodes if not isinstance(node, ast.arguments)]
            after = [word for row in rows for option, word in zip(row, row[1:]) if getattr(option, "value", None) == "--strategy"]
            for text in [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in after]:
                names = {*text.split()}
                found += [(path.name, name) for name in sorted(names - also) if names <= {*listed["strategies"]}
                          and tables.workload_of(name) not in drawn_for.get(path.name, ())]
        self.assertEqual(found, [])

    def test_backends_and_devices_are_never_mixed(self):
        made = rows([10, 11]) + rows([500, 501], backend="cpu", gpu="AMD EPYC", gpu_us="") + rows([20, 21], gpu="Tesla T4")
        found = self.drawn(made)
        self.assertEqual(set(found), {"made-strategies-cuda-nvidia-h200", "made-strategies-cpu", "made-strategies-cuda-tesla-t4"})
        self.assertNotIn("T4", texts_of(found["made-strategies-cuda-nvidia-h200"]))
        self.assertNotIn("NVIDIA", texts_of(found["made-strategies-cpu"]))
        self.assertIn("10.5 µs", texts_of(found["made-strategies-cuda-nvidia-h200"]))
        self.assertIn("CPU executor (AMD EPYC)", texts_of(found["made-strategies-cpu"]))

    def test_devices_of_one_file_name_are_numbered(self):
        self.assertEqual(self.files_of(rows([1], gpu="Tesla T4") + rows([2], gpu="Tesla-T4")), {"strategies-cuda-tesla-t4", "strategies-cuda-tesla-t4-2"})

    def test_a_name_of_any_length_gives_a_file(self):
        out, _ = self.run_plot(self.write([row for gpu in ("G", "g" * 5000) for row in rows([10, 11], gpu=gpu)]))
        self.assertEqual(len(out.splitlines()), 4)

    def test_a_log_of_an_earlier_version(self):
        earlier = [name for name in COLUMNS if name not in ("bandwidth_gb_s", "peak_gb_s", "git", "depth")]
        self.assertEqual(self.files_of(rows([10, 11]), earlier), {"strategies"})


class AlongAnAxis(FigureTest):
    def test_times_are_medians_where_they_were_measured(self):
        figure = self.check_figure("latency-depth", along("depth", (0, 1, 2), [7, 1, 4], launches_attempted=lambda depth: depth), lines=[(4, 4, 4)])
        full = along("depth", (0, 1, "full"), launches_by_depth=lambda depth: "4 16 64" if depth == "full" else "")
        self.assertEqual(list(self.line_of(self.drawn(full)["made-latency-depth"], 3).get_xdata()), [0, 1, 3])
        self.assertEqual(list(self.line_of(figure, 3).get_xdata()), [0, 1, 2])

    def test_median_and_interval_are_those_of_the_table_of_the_run(self):
        path = self.folder / "run.csv"
        ran = subprocess.run([os.environ["NESTBED"], "run", "--strategy", "nosync,reduce2", "--backend", "cpu", "--grid", "8",
                              "--block", "64", "--repeat", "15", "-o", path], capture_output=True, text=True, check=True)
        for _, case in logs.cases_of(logs.read_log(path)).iterrows():
            line = next(line for line in ran.stdout.splitlines() if line.startswith(case["strategy"]))
            # The median and both ends of its interval, in its unit.
            median, unit, low, high = re.search(r" ([0-9.]+) (us|ms) .* ([0-9.]+)-([0-9.]+) ", line).groups()
            for text, value in ((median, case["us"]), (low, case["low"]), (high, case["high"])):
                digits = len(text.partition(".")[2])
                self.assertEqual(text, f"{value / (1 if unit == 'us' else 1000):.{digits}f}", line)

    def test_rows_that_are_not_drawn_are_counted(self):
        failed = rows([10, 11, None], strategy="reduce2") + rows([None] * 4, strategy="nosync", status="launch_failed", launches_failed="3")
        self.check_figure("strategies", failed, ["5 of 7 rows have no time (4 launch_failed, 1 wrong)", "launch_failed in 4 of 4 runs, 3 launches refused in the median run"])
        others = [row for grid in (32, 64) for row in rows([1, 2], strategy="last_block", depth="", grid=grid)]
        self.check_figure("latency-depth", along("depth", range(3), [10, 11]) + others, ["4 of the log's 10 rows are not in this figure"])
        self.check_figure("strategies", rows([10, 11]) + rows([700, 710], strategy="host", mechanism="none", gpu_us=""),
                          ["timed by the host's clock (host)"])
        unsupported = along("depth", range(3), [None] * 2, strategy="graph", status="unsupported", launches_attempted="")
        self.check_figure("launches", along("depth", range(3), [10], launches_attempted=lambda depth: depth) + unsupported,
                          ["without a count of launches (6 unsupported)"])
        seeds = [*COLUMNS, "seed"]
        self.check_figure("strategies", [row for seed in range(250) for row in rows([10 + seed, 11 + seed], seed=seed)],
                          ["Not drawn: 50 slower ways.", "10.5 µs (nosync, seed 0) to 260 µs (nosync, seed 249)"], columns=seeds)
        self.check_figure("strategies", along("grid", range(1, 51), [10, 11], block=32, elements=lambda grid: 32 * grid, seed=lambda grid: grid),
                          ["Not drawn: 10 larger sizes."], columns=seeds)

    def test_times_of_zero_and_none(self):
        for file, made in (
                ("latency-depth", along("depth", range(3), [0, 0], launches_attempted=lambda depth: depth)), ("strategies", rows([0]) + rows([9], strategy="synced")),
                ("waves", [row for wave in (1, 2, 4) for streams in (1, 2) for row in rows([0 if wave > 1 else 50], wave=wave, streams=streams)]),
                ("pending-limit", along("pending_limit_asked", ("auto", 128, 256, 512), [0, 0])),
                ("launch-time", along("depth", (1, 4, 16), [0], strategy="chain", type="", grid=1, block=32)),
                ("against-cub", [row for name, us in (("cub", 5), ("last_block", 0)) for row in along("elements", SWEPT, [us], strategy=name)])):
            self.check_figure(file, made)
            self.assertTrue(self.drawn([{**row, **UNTIMED} for row in made]))

    def test_panels_do_not_name_what_varies(self):
        made = [row for block in (64, 128) for row in along("grid", (1, 2, 4), [10], block=block, elements=lambda grid, block=block: grid * block)]
        made = [{**row, "strategy": name} for row in made for name in ("nosync", "synced")]
        self.assertEqual(list(self.panels(self.drawn(made)["made-latency-grid"])), ["blocks of 64 threads", "blocks of 128 threads"])

    def test_many_values_of_two_strategies_are_lines_in_a_panel_each(self):
        made = [row for name in ("hello", "hello_synced") for grid in (1, 2, 4, 8, 16, 32) for row in along(
            "depth", range(3), [10], strategy=name, grid=grid, launches_attempted=lambda depth, grid=grid: depth * grid)]
        found = self.drawn(made)
        for name in ("made-latency-depth", "made-latency-grid"):
            self.assertLessEqual(len(found[name].axes), 3, name)
        figure = found["made-latency-depth"]
        self.assertEqual(list(self.panels(figure)), ["hello", "hello_synced"])
        self.assertEqual(len({axes.get_ylim() for axes in figure.axes}), 1)
        self.assertIn("32 blocks", texts_of(figure))

    def test_intervals_of_fewer_than_five_samples_are_not_drawn(self):
        for samples, count in ((1, 0), (4, 0), (5, 1), (8, 1)):
            figure = self.drawn(along("depth", range(3), range(10, 10 + samples)))["made-latency-depth"]
            bars = [one for axes in figure.axes for one in axes.collections if isinstance(one, matplotlib.collections.LineCollection)]
            self.assertEqual((len(bars), "95 % bootstrap interval" in words_of(figure)), (count, bool(count)), samples)

    def test_waves(self):
        made = [row for wave in (1, 2, 4) for streams in (1, 2)
                for row in rows([10 + wave if (wave, streams) != (4, 2) else None] * 2, wave=wave, streams=streams)]
        self.check_figure("waves", made, ["2 of 12 rows have no time (2 wrong)", "waves of 1 over 1 stream"])
        made = [row for name in ("nosync", "barrier") for mechanism in ("null_stream", "tail") for wave in (1, 2, 4) for streams in (1, 2)
                for row in rows([10 + wave if wave < 4 else None], strategy=name, mechanism=mechanism, wave=wave, streams=streams)]
        figure = self.drawn(made)["made-waves"]
        self.assertEqual(list(self.panels(figure)),
                         ["barrier, NULL stream", "barrier, tail launch", "nosync (racy), NULL stream", "nosync (racy), tail launch"])
        for axes in figure.axes:  # the marks are above all measured values
            inside = axes.transAxes.inverted().transform(axes.transData.transform((1, max(axes.get_yticks()))))[1]
            self.assertLess(inside, min(y for line in axes.get_lines() if line.get_marker() == "x" for y in line.get_ydata()))

    def test_wrong_answers(self):
        def made(bad_of, **more):
            return [row for delay, bad in bad_of for row in rows([1] * (4 - bad) + [None] * bad, delay_us=delay, **more)]
        self.check_figure("wrong", made(((0, 0), (5, 1), (10, 4))), lines=[(0, 25, 100)])
        figure = self.check_figure("wrong", made(((0, 0), (5, 2), (10, 4)), mechanism="null_stream") + made(((0, 0), (5, 2), (10, 4)), mechanism="named"),
                                   ["nosync (racy), by any of NULL stream, named stream"])  # both have the same shares, so they are one line
        shares = [list(line.get_ydata()) for line in self.lines_of(figure, "runs with a wrong answer, %")]
        self.assertEqual([found for found in shares if found[0] == 0], [[0, 50, 100]])
        neither = along("delay_us", (0, 1, 2), [None] * 2, strategy="synced", status="timeout")
        self.check_figure("wrong", along("delay_us", (0, 1, 2), [1, None]) + neither,
                          ["neither right nor wrong are no trials: 6 timeout. Nothing else, so that no line is drawn: synced"], ["others never"])
        self.check_figure("wrong", neither, ["no run ended right or wrong"])

    def pending(self, auto, wave, **more):
        made = [row for limit, time in ((128, None), (256, 20), (512, 40)) for row in rows(
            [time] * 2, pending_limit_asked=limit, wave=16, limit_bytes=1e6 * limit, launches_failed=0 if time else 5, **more)]
        return made + (rows([auto] * 2, pending_limit_asked="auto", wave=wave, **more) if auto != "none" else [])

    def test_pending_limit(self):
        # barrier has only one wave under auto
        self.check_figure("pending-limit", self.pending(10, 4) + self.pending(1, 16, strategy="barrier"), [
            "at 512, a run takes 4.00 to 4.00 times as long as in waves", "512 MB", "Device memory",
            "Launches are refused up to a pending-launch limit of 128"], lines=[(50, 0, 0)])
        for auto in ("none", None):
            figure = self.check_figure("pending-limit", self.pending(auto, 4), ["without a time under auto that a ratio could be of: NULL stream",
                                                                                "NULL stream: no auto"])
            self.assertNotIn("in waves", words_of(figure).split("Left:")[0])

    def check_looks(self, figure):
        """That last_block looks as in each other figure."""
        colour, mark, _ = figure_style.look_of("last_block")
        lines = [line for axes in figure.axes for line in axes.get_lines() if line.get_marker() == mark]
        self.assertEqual({matplotlib.colors.to_hex(line.get_color()) for line in lines}, {matplotlib.colors.to_hex(colour)})

    def test_against_cub(self):
        made = [row for size in SWEPT for name, time in (("cub", 10), ("cub_narrow", 5), ("last_block", 20 if size < 4096 else None), ("thrust", None))
                for row in rows([time] * 5, strategy=name, elements=size)]
        figure = self.check_figure("against-cub", made, ["last_block takes 4.00 to 4.00 times as long as CUB", "Without any ratio: thrust (15 wrong)",
                                                         "the faster of cub and cub_narrow at each size"], lines=[(4, 4)])
        self.assertEqual(sorted(map(sorted, self.crosses(figure).values())), [list(SWEPT), [4096]])
        self.check_looks(figure)
        many = [row for name in ["cub", *(f"way{number:02}" for number in range(20))] for row in along("elements", SWEPT, [10, 11], strategy=name)]
        self.check_figure("against-cub", many, ["way19"])

    def test_bandwidth(self):
        made = [row for kind in ("int32", "float32") for size in SWEPT for name in ("cub", "last_block") for row in rows(
            [10 if (kind, name) == ("int32", "cub") or size < 4096 else None] * 2, strategy=name, type=kind, elements=size,
            bandwidth_gb_s=80 if (kind, size) == ("float32", 2048) else 40, peak_gb_s=100, launches_attempted=0)]
        found = self.drawn([{**row, "bandwidth_gb_s": row["bandwidth_gb_s"] if row["status"] == "ok" else ""} for row in made])
        self.assertIn("reads 80.0 GB/s at 2¹¹ numbers of float32, 80 % of the device's peak", words_of(found["made-bandwidth"]))
        self.check_looks(found["made-bandwidth"])
        types = {text.get_text() for axes in found["made-against-cub"].axes for text in axes.texts}
        self.assertEqual(types, {"int32", "float32", "as fast as CUB"})  # of one strategy the types are lines
        self.assertEqual(set(self.crosses(found["made-bandwidth"])),
                         {matplotlib.colors.to_hex(figure_style.look_of(name)[0]) for name in ("cub", "last_block")})
        made = [row for size, rate in ((1024, 1), (2**20, 300), (2**22, 800), (2**24, 900)) for name in ("cub", "last_block")
                for row in rows([10] * 5, strategy=name, elements=size, bandwidth_gb_s=rate, peak_gb_s=1000, launches_attempted=0)]
        everything, largest = self.check_figure("bandwidth", made, lines=[(30, 80, 90)]).axes  # near the peak, a share of it
        self.assertEqual((everything.get_yscale(), largest.get_yscale(), largest.get_ylabel()), ("log", "linear", "share of the peak, %"))
        dots = [row for name, rate in (("copy", 90), ("naive", 50), ("slow", 20))
                for row in rows([10, 11], strategy=name, bandwidth_gb_s=rate, peak_gb_s=100, launches_attempted=0, depth="")]
        self.check_figure("bandwidth", dots, ["copy reaches 90.0 GB/s, 90 % of the device's peak"])

    # --- looks ---

    def test_families_are_those_that_nestbed_names(self):
        strategies = tables.tables()["strategies"]
        self.assertEqual({entry["family_word"] for entry in strategies.values()}, set(figure_style.FAMILY_COLOURS))
        for name, family in (("synced", "child_per_block"), ("wide_block", "shared_input"), ("sort_radix", "library"),
                             ("chains_synced", "other_recursions"), ("bfs_queue", "no_recursion")):
            self.assertEqual(figure_style.family_of(name), family)
        self.assertEqual([figure_style.family_of("of_mine", launches) for launches in (0, 5)], ["no_recursion", "other_recursions"])
        made = [row for name in ("synced", "barrier", "reduce2", "host_loop", "mine")
                for row in along("depth", range(3), [10], strategy=name, launches_attempted=lambda depth: 1 + depth)]
        self.check_figure("latency-depth", made, ["one child per block", "one child per level", "levels started by the host or a barrier",
                                                  "other recursions"], ["share the whole input"])
        counted = self.lines_of(self.check_figure("launches", made, ["the same for several"]), "device launches per run")
        self.assertIn(figure_style.GREY, [matplotlib.colors.to_hex(line.get_color()) for line in counted])  # of several families

    def looks(self, *names, **more):
        """{(mark, colour)} of the lines of strategies against the depth."""
        made = [row for name in names for row in along("depth", range(3), [10 + len(name)], strategy=name, **more)]
        lines = self.lines_of(self.drawn(made)["made-latency-depth"], "time of a run, µs")
        return {(line.get_marker(), matplotlib.colors.to_hex(line.get_color())) for line in lines if line.get_marker() != "None"}

    def test_a_strategy_looks_the_same_whatever_else_is_drawn(self):
        many = self.looks("synced", "nosync", "barrier", "reduce2", "mine", launches_attempted=1)
        for names in (("barrier", "reduce2"), ("mine", "nosync")):
            found = self.looks(*names, launches_attempted=1)
            self.assertEqual(len(found), 2)
            self.assertLessEqual(found, many)

    def test_strategies_of_a_workload_look_different(self):
        workloads = {}
        for name, entry in tables.tables()["strategies"].items():
            workloads.setdefault(entry["workload"], []).append(figure_style.look_of(name))
        for workload, looks in workloads.items():
            self.assertEqual(len(set(looks)), len(looks), workload)

    def test_those_without_recursion_have_hues_among_themselves(self):
        for names, count in ((("last_block_inline", "last_block_rdc"), 2), (("last_block_inline", "last_block_rdc", "synced"), 1)):
            colours = [matplotlib.colors.to_rgb(colour) for _, colour in self.looks(*names)]
            self.assertEqual(sum(max(colour) - min(colour) > 0.1 for colour in colours), count)

    def test_racy_strategies_are_marked_though_their_answer_is_right(self):
        made = [row for name in ("nosync", "synced") for row in along("depth", range(3), [10], strategy=name)]
        for file, of in (("latency-depth", made), ("strategies", made[::3])):
            self.check_figure(file, of, ["nosync (racy)", "Racy (nosync): the answer depends on which thread comes first."], ["synced (racy)"])

    def test_numbers_in_words(self):
        self.assertEqual([figure_style.time_text(us) for us in (0.1234, 11.66, 999.7, 20700, 1.5e6)],
                         ["0.123 µs", "11.7 µs", "1.00 ms", "20.7 ms", "1.50 s"])
        self.assertEqual([figure_style.power_text(number) for number in (8, 2**20, 10**9, 4 * 10**8)], ["8", "2²⁰", "10⁹", "4·10⁸"])

    def test_labels_are_spread(self):
        places = sorted(figure_style.spread([0.5, 0.5, 0.51, 0.9], 0.1, 0, 1))
        self.assertTrue(all(after - before >= 0.0999 for before, after in zip(places, places[1:])), places)
        self.assertEqual(figure_style.spread([0.1, 0.9], 0.1, 0, 1), [0.1, 0.9])
        self.assertGreaterEqual(min(figure_style.spread([0.0] * 5, 0.3, 0, 1)), 0)


class EmptyGrids(FigureTest):
    """Chains, fan-outs, trees, the ladder, a busy host, held and open."""

    def chain(self, **more):
        return along("depth", (1, 4, 16), strategy="chain", type="", **{"times": [10], "grid": 1, "block": 32, **more})

    def fan(self, times, grid, wave, **more):
        return rows(times, strategy="fanout", depth="", type="", grid=grid, wave=wave, **more)

    def test_chains(self):
        made = [row for depth in (1, 4, 16) for row in rows([depth * 10.0] * 3, strategy="chain", depth=depth, grid=1, block=32, type="")]
        self.check_figure("launch-time", made, ["10.0 µs"], lines=[(10, 10, 10)])  # time divided by launches
        for depth, text in ((4, "Chain of 4"), (8, "Not drawn: chains of larger levels")):
            self.check_figure("launch-time", made + rows([160, 170], strategy="chain", depth=depth, grid=528, block=512, type=""), [text])
        made = self.chain(times=[None], status="timeout")
        figure = self.check_figure("launch-time", made + self.fan([10], 256, 256) + self.fan([20], 1024, 1024), ["no run has a time (3 timeout)"])
        self.assertEqual(sum(self.crosses(figure).values(), []), [1, 4, 16])

    def test_fan_outs_from_one_grid_beside_waves_are_hollow(self):
        made = [*self.fan([10], 256, 256), *self.fan([20], 1024, 1024), *self.fan([100], 4096, 768),
                *self.fan([None], 4096, 4096), *self.fan([160], 16384, 768), *self.fan([200], 16384, 16384)]
        figure = self.check_figure("launch-time", made, [
            "From 4096 launches on, device launches are made in waves of 768 root blocks; up to 1024, in one root grid. "
            "Hollow: the same number in one root grid.", "(NULL stream, waves of 768)"], ["from one root grid"])
        fan = next(axes for axes in figure.axes if axes.get_xlabel() == "launches")
        lines = [line for line in fan.get_lines() if line.get_marker() not in ("", "None", "x")]
        solid, hollow = sorted(lines, key=lambda line: line.get_markerfacecolor() == "white")
        self.assertEqual((list(solid.get_xdata()), list(hollow.get_xdata())), ([256, 1024, 4096, 16384], [4096, 16384]))
        self.assertEqual(sum(self.crosses(figure).values(), []), [4096])

    def test_chains_and_trees_have_a_figure_of_their_own(self):
        def trees(times, **more):
            return rows(times, **{"type": "", "block": 32, "strategy": "chains", **more})
        made = [row for grid in (1, 16, 256) for depth in (2, 8) for strategy in ("chains", "chains_synced")
                for row in trees([10.0 * grid + depth, None][:1 + (strategy == "chains")], strategy=strategy, grid=grid,
                                 depth=depth, launches_attempted=grid * depth)]
        made += [row for depth, count in ((1, 4), (2, 20)) for row in trees([200, 201], strategy="trees", grid=1, depth=depth, fanout=4,
                                                                           launches_attempted=count)]
        made += trees([300, 301], strategy="trees", grid=1, depth=1, fanout=16, launches_attempted=16)
        made += [row for grid in (528, 2112) for row in rows([grid], strategy="chain", grid=grid, block=32, depth=16, type="")]
        columns = [*COLUMNS, "fanout"]
        self.assertEqual(self.files_of(made, columns), {"launch-trees"})
        figure = self.check_figure("launch-trees", made, [
            "Chains of 8 grids", "A tree: each grid launches 4", "One block launches many", "A chain of 16 grids",
            "Dashed, chains_synced: each parent waits for its child.", "Blocks of 32 threads.", "in 256 chains"], ["trees_by_lanes"], columns=columns)
        self.assertEqual([list(axes.get_lines()[0].get_xdata()) for axes in figure.axes], [[1, 16, 256], [4, 20], [4, 16], [528, 2112]])
        self.assertAlmostEqual(figure.axes[0].get_lines()[0].get_ydata()[0], 18 / 8)
        self.check_figure("launch-trees", [{**row, **UNTIMED} for row in made], ["has a time"], columns=columns)

    def test_a_ladder_has_the_cost_of_one_more_level(self):
        cost = {"tail": lambda grid: 12, "graph_tail": lambda grid: 5, "host_read": lambda grid: 15, "host_graph": lambda grid: 1 + grid / 1000,
                "host_graph_max_levels": lambda grid: 2, "cluster_sync": lambda grid: 0.5}

        def made(level, mechanism="tail", block=256, **more):
            return [row for grid in (1, 132, 2000) for depth in (16, 116) for row in rows(
                [30 + depth * level(grid)] * 5, strategy="chain", experiment="ladder", elements="0", type="none", mechanism=mechanism, block=block,
                grid=grid, depth=depth, **more)]
        self.check_figure("ladder", [row for mechanism, level in cost.items() for row in made(level, mechanism)], [
            "decided on the GPU 5.00 µs, on the GPU up to a bound 2.00 µs, by a host that reads 15.0 µs, submitted ahead 1.00 µs",
            "tail launch 12.0 µs", "device graph 5.00 µs", "host reads back 15.0 µs", "host graph 1.00–3.00 µs",
            "host graph, bound 2.00 µs", "cluster.sync() 0.50 µs", "a kernel, up to a bound"])
        self.assertNotIn("ladder", self.files_of(made(cost["tail"], block=32) + made(cost["tail"], block=64)))
        self.check_figure("ladder", [{**row, **UNTIMED} for row in made(cost["tail"], status="timeout")], ["none of these 30 rows has a time (30 timeout)"])

    def test_a_busy_host_has_the_quantiles_of_many_runs(self):
        names = ["p99", "p999", "worst"]
        columns = [*COLUMNS, "runs", "host_load", "nice", "pin", "span_us", *(f"{clock}_{name}_us" for clock in ("wall", "span") for name in names),
                   "next_us", *(f"next_{name}_us" for name in names), "host_us"]
        made = []
        for mechanism, load, nice, us in (("host_polled", 0, 0, 500), ("host_polled", 2, 0, 7000), ("host_polled", 2, 10, 50000),
                                          ("graph_tail", 0, 0, 300), ("graph_tail", 2, 0, 310)):
            for repetition in range(5):
                span = {"span_us": us, "span_p99_us": us + repetition, "span_p999_us": us + 20, "span_worst_us": us + 100 * repetition + 30}
                made += [{**row, "gpu_us": "", "repetition": str(repetition)} for row in rows(
                    [us], strategy="chain", experiment="made", elements="0", type="none", mechanism=mechanism, grid=132, block=256, depth=64, runs=4000,
                    host_load=load, nice=nice, pin="no", **span, wall_us=us + 50, wall_p99_us=us + 60, wall_p999_us=us + 70, wall_worst_us=us + 80,
                    next_us=us, next_p99_us=us, next_p999_us=us, next_worst_us=us, host_us=9)]
        # of a panel of the worst: the largest of the rows, not their median; of a low priority: beside the line, not on it
        self.check_figure("busy-host", made, ["A busy host, GPU's own p99: host polls from 502 µs to 7.00 ms, device graph from 302 µs to 312 µs",
                                              "Of 20 000 runs a point"], lines=[(930, 7430), (50430,)], columns=columns, panels=8)
        self.assertNotIn("busy-host", self.files_of([row for row in made if row["host_load"] == "0"], columns))

    def submitted(self, submit, more, asked=None, mechanisms=("host", "fire_and_forget")):
        """Chains and fan-outs of 1, 4 and 16 launches with some mechanisms: 10 microseconds per launch, and `more`
        microseconds per run."""
        return [row for mechanism in mechanisms for count in (1, 4, 16)
                for strategy, cells in (("chain", {"depth": count, "grid": 1}), ("fanout", {"depth": "", "grid": count, "wave": count}))
                for row in rows([10.0 * count + more] * 3, strategy=strategy, mechanism=mechanism, type="", block=32, submit=submit,
                                submit_asked=asked or submit, **cells)]

    def test_held_beside_open(self):
        made = [*self.submitted("held", 0), *self.submitted("open", 6, mechanisms=["host"]), *self.submitted("open", 9, mechanisms=["fire_and_forget"])]
        self.assertEqual(self.files_of(made, SUBMITTED), {"submission"})  # no figure shows held and open as one line
        figure = self.check_figure("submission", made, ["Submission adds 6.00 to 9.00 µs to a chain of 1 and 6.00 to 9.00 µs to a fan-out of 1"],
                                   lines=[(6, 6, 6), (9, 9, 9)], columns=SUBMITTED)
        chain, _, fan, _ = figure.axes
        self.assertEqual((chain.get_xlabel(), fan.get_xlabel()), ("grids in the chain", "launches"))
        drawn = {(line.get_markerfacecolor() == "white", tuple(line.get_ydata())) for line in chain.get_lines()}
        self.assertEqual(drawn, {(False, (10, 10, 10)), (True, (16, 11.5, 10.375)), (True, (19, 12.25, 10.5625))})

    def test_what_could_not_be_held_is_not_drawn_as_held(self):
        held = self.submitted("held", 0)
        for row in [row for row in held if row["mechanism"] == "host" and "16" in (row["depth"], row["grid"])]:
            row["submit"] = "open"
        figure = self.check_figure("submission", held + self.submitted("open", 5), [
            "Not drawn as held, because a stream does not take so much before the GPU starts: chain by host of 16; fanout by host of 16."], columns=SUBMITTED)
        filled = [len(line.get_xdata()) for line in figure.axes[0].get_lines() if line.get_markerfacecolor() != "white"]
        self.assertEqual(sorted(filled), [2, 3])
        made = self.chain(mechanism="host", submit_asked="held", submit=lambda depth: "open" if depth == 16 else "held")
        self.check_figure("launch-time", made, ["Started before all was submitted, because a stream does not take so much: chain by host (1 point)."],
                          columns=SUBMITTED)

    def test_open_may_be_as_fast_and_none_may_be_held(self):
        held = self.submitted("held", 0)
        figure = self.check_figure("submission", held + self.submitted("open", -0.5), columns=SUBMITTED)
        self.assertLess(figure.axes[1].get_ylim()[0], -0.5)
        self.check_figure("submission", self.submitted("open", 0, asked="held") + self.submitted("open", 5), ["no run was held and open"], columns=SUBMITTED)
        self.check_figure("submission", untimed(held + self.submitted("open", 1)), ["none of these 72 rows has a time"], columns=SUBMITTED)

    def test_a_difference_that_cannot_be_measured_is_not_drawn(self):
        """Held and open have overlapping intervals: noise is not a cost of submission."""
        made = [row for submit, times in (("held", (10, 11, 12, 13, 14)), ("open", (9, 11, 12, 13, 15))) for depth in (1, 4, 16) for row in rows(
            [time * depth + (50 if (submit, depth) == ("open", 4) else 0) for time in times], strategy="chain", mechanism="host", type="", block=32,
            grid=1, depth=depth, submit=submit, submit_asked=submit)]
        figure = self.check_figure("submission", made, ["2 differences are not drawn: the intervals of held and open overlap there"], columns=SUBMITTED)
        cost = next(axes for axes in figure.axes if axes.get_ylabel() == "open minus held, µs per run")
        line = next(line for line in cost.get_lines() if len(line.get_xdata()) == 3)
        self.assertEqual([value == value for value in line.get_ydata()], [False, True, False])


class IrregularWorkloads(FigureTest):
    def test_launches_by_need_are_beside_the_best_flat_form(self):
        made = [*by_need(50), *by_need(20, "grid", launches=1), *by_need(5, "none", 33, launches=0), *flat(40), *flat(10, strategy="bezier_line_block"),
                *flat(1, elements=64)]  # other work
        self.assertEqual(self.files_of(made, BY_NEED), {"against-flat"})
        # and not the one that launches nothing
        self.check_figure("against-flat", made, ["0.500 to 0.500 times as fast", "0.500: children, grid; line_block", "leaves nothing to launch"],
                          columns=BY_NEED)

    def test_thresholds_are_lines_by_aggregation(self):
        made = [row for aggregate, factor in (("none", 100), ("grid", 2)) for threshold in (0, 8, 33) for coarsen in (1, 2)
                for row in by_need(factor * (40 - threshold) + coarsen, aggregate, threshold, coarsen, launches=0 if threshold == 33 else 7)]
        figure = self.check_figure("threshold", [*made, *flat(10), *by_need(1, "multiblock:8")], [
            "at best 61.6 times as fast as a launch for each item, with threshold 8 and aggregation grid",  # 4001 / 65
            "A point is the fastest of its coarsenings.", "Dashed: the best flat form",
            "A threshold at which nothing is launched has no point at the right: that axis is logarithmic."],
            ["multiblock"], [(4001, 3201, 701), (81, 65, 15)], BY_NEED)  # multiblock has one threshold
        launches = figure.axes[1]
        self.assertEqual(launches.get_ylabel(), "device launches")
        self.assertEqual([list(line.get_ydata()) for line in launches.lines], [[7, 7], [7, 7]])  # none with threshold 33
        # two times, and launches once
        self.check_figure("threshold", [*made, *[{**row, "mechanism": "null_stream"} for row in made]],
                          ["A row without launches at the right has those of a row above."], ["Dashed"], columns=BY_NEED, panels=3)

    def test_many_works_begin_with_a_panel_of_all(self):
        made = [{**row, "elements": size} for place, size in enumerate((1024, 2048, 4096, 8192, 16384, 32768, 65536))
                for row in [*flat(10), *(row for threshold in (0, 8, 33) for row in by_need((place + 1) * (40 - threshold), "grid", threshold))]]
        figure = self.check_figure("threshold", made, ["All works: geometric mean of each workload", "time over the best flat form"], columns=BY_NEED)
        line = figure.axes[0].lines[0]
        means = math.prod(range(1, 8)) ** (1 / 7)  # the times of the works are multiples of those of the first
        self.assertEqual([round(y, 3) for y in line.get_ydata()], [round(means * (40 - threshold) / 10, 3) for threshold in (0, 8, 33)])
        self.assertGreaterEqual(len(figure.axes), 8)
        alone = [row for row in made if row.get("aggregate") == "grid"]  # without flat forms: over the time with the smallest threshold
        figure = self.check_figure("threshold", alone, ["All works: geometric mean of each workload", "time over that at the smallest"], columns=BY_NEED)
        self.assertEqual([round(y, 3) for y in figure.axes[0].lines[0].get_ydata()], [round((40 - threshold) / 40, 3) for threshold in (0, 8, 33)])

    def test_launches_have_one_unit(self):
        made = [row for size, factor in ((512, 1), (1024, 1000)) for number in (1, 9, 99, 999, 9999)
                for row in by_need(factor * number, threshold=number, launches=number, elements=size)]
        figure = self.check_figure("launches-time", made, ["Time against the number of launches"], columns=BY_NEED, panels=2)
        self.assertEqual([axes.get_ylabel() for axes in figure.axes], ["time, ms", ""])

    def test_they_are_drawn_along_their_size(self):
        made = [row for at, size in enumerate(SWEPT) for row in
                [*sort(40 - at, elements=size, block=128), *sort(20 - at, elements=size, block=256), *sort(10 - at, "sort_radix", elements=size)]]
        self.check_figure("time-size", [*made, *sort(1, "sort_merge", elements=4096)], ["quick_kway takes 2.25 times the time of sort_radix", "ns per key"],
                          ["sort_merge"], [(20000 / 1024, 19000 / 2048, 18000 / 4096)], SORT)  # of the fastest block
        several = [{**row, "input": name} for name in ("uniform", "sorted") for row in made]
        self.check_figure("time-size", several, ["at 2¹² (uniform), quick_kway takes 2.25 times the time of sort_radix"], columns=SORT)
        made = [row for queens in (8, 10, 12) for row in
                [*search(queens, input="queens", queens=queens), *search(5 * queens, "search_queue", input="queens", queens=queens)]]
        axes = self.check_figure("time-size", made, lines=[(8, 10, 12)], columns=SEARCH).axes[0]
        self.assertEqual((axes.get_ylabel(), axes.get_xlabel()), ("time, µs", "queens"))  # of the whole

    def test_they_are_drawn_over_their_inputs(self):
        made = [row for at, name in enumerate(("uniform", "sorted", "equal")) for row in
                [*sort(40 + at, input=name), *sort(10 + at, "sort_radix", input=name)]]
        figure = self.check_figure("time-input", [*made, *[{**row, "values": "uint32"} for row in made]], ["with values"], columns=SORT, panels=2)
        axes = figure.axes[0]  # of the keys alone
        self.assertEqual(self.names_of_rows(axes), ["uniform", "sorted", "equal"])
        self.assertLessEqual({(40, 0), (41, 1), (42, 2)}, {dot for dots in self.dots(axes).values() for dot in dots})
        made = [row for name, size in (("t1", {"tree_levels": 11}), ("t3", {"root_children": 2000}), ("queens", {"queens": 16})) for row in
                [*search(20, input=name, **size), *search(10, "search_queue", input=name, **size)]]
        made += search(5, "search_children", mechanism="named", input="t1", tree_levels=8)  # one input only: it has no dot, and t1 no row
        figure = self.drawn(made, columns=SEARCH)["made-time-input"]
        self.assertEqual(self.names_of_rows(figure.axes[0]), ["11 tree levels, t1", "2000 root children, t3", "16 queens"])

    def test_the_work_of_an_item_says_from_where_a_launch_pays(self):
        columns = [*BY_NEED, "division", "levels", "time_steps", "cell_work", "work"]
        made = []
        for cell_work, single, by_grid, by_queue in ((1, 900, 50, 10), (64, 910, 80, 50), (1024, 1400, 520, 500), (4096, 2090, 2010, 2000)):
            field = {"input": "front", "elements": "", "time_steps": 8, "division": 16, "levels": 6, "cell_work": cell_work, "work": 100 * cell_work}
            nested = {**field, "strategy": "refine_children"}
            made += [*by_need(single, launches=100, **nested), *by_need(by_grid, "grid", launches=5, **nested),
                     *by_need(by_grid + 9, "grid", launches=5, block=32, **nested), *flat(by_queue, strategy="refine_queue", **field),
                     *flat(2 * by_queue, strategy="refine_levels", mechanism="host", **field)]
        # of the fastest block
        self.check_figure("time-work", made, ["from cell work 1024 on, 20 500 operations per launch, refine_children, fire and forget, grid is within 5 % of the "
                                              "best flat form"],
                          lines=[(90, 18.2, 2.8, 1.045), (5, 1.6, 1.04, 1.005), (1, 1, 1, 1), (2, 2, 2, 2)], columns=columns)
        self.check_figure("time-work", [row for row in made if row["cell_work"] != "4096" and row.get("aggregate") != "grid"],
                          ["no form that launches comes within 5 %"], columns=columns)

    def test_tenants_say_from_which_width_a_launch_takes_no_longer(self):
        columns = [*BY_NEED, "tenant_count", "level_nodes", "node_work", "levels", "arrival_gap_us", "latency_us"]

        def tenant(time, strategy="tenants_queue", launches=0, **more):
            return rows([time], **{"strategy": strategy, "mechanism": "fire_and_forget" if launches else "none", "input": "together", "elements": "",
                                   "tenant_count": 64, "type": "", "launches_expected": launches, "launches_attempted": launches, "levels": 16,
                                   "node_work": 64, "seed": 1, **more})

        made = [row for nodes, queue, launch in ((16, 100, 500), (256, 110, 520), (4096, 300, 320), (16384, 900, 890)) for row in
                [*tenant(queue, level_nodes=nodes), *tenant(2 * queue, level_nodes=nodes, block=32), *tenant(launch, "tenants_children", 700, level_nodes=nodes),
                 *tenant(launch + 300, "tenants_graph", 700, mechanism="graph_tail", level_nodes=nodes),
                 *tenant(1, "tenants_children", 0, mechanism="fire_and_forget", level_nodes=nodes, threshold=9999),  # launches nothing
                 *tenant(queue / 2, "tenants_blocks", level_nodes=nodes)]]
        self.check_figure("tenants", made, ["the best launch takes 5.00 times as long as a queue at 16 nodes a level, and within 10 % of it from 4096 nodes a "
                                            "level on"], lines=[(100, 110, 300, 900), (500, 520, 320, 890), (50, 55, 150, 450)], columns=columns)
        narrow = [row for row in made if row["level_nodes"] in ("16", "256")]
        self.check_figure("tenants", [*narrow, *tenant(100, level_nodes=1024), *tenant(400, "tenants_children", 700, level_nodes=1024)], ["and never within 10 % of it"],
                          columns=columns)
        later = [row for gap, time in ((2, 90), (20, 60), (100, 55)) for row in
                 tenant(1000 * gap, level_nodes=64, input="poisson", arrival_gap_us=gap, latency_us=time)]
        self.check_figure("tenants", [*made, *later], lines=[(90, 60, 55)], columns=columns, panels=2)  # the time of one tenant
        self.assertNotIn("tenants", self.files_of(narrow, columns))  # two points are no line
        self.check_figure("tenants", untimed(made), ["Nothing to draw"], columns=columns)

    def test_searches_are_drawn_along_their_budget_and_cutoff(self):
        made = [row for budget in (1, 4, 16) for row in
                [*search(100 / budget, budget=budget, block=32, launches=64 // budget), *search(200 / budget, budget=budget, block=128, launches=3),
                 *search(10 * budget, "search_queue", budget=budget)]]
        made += search(1, "search_children", budget="")
        self.assertNotIn("time-cutoff", self.files_of(made, SEARCH))
        figure = self.check_figure("time-budget", made, ["2000 root children, t3 is fastest by search_budget, budget 16",
                                                          "1 of the log's 10 rows are not in this figure: strategy search_children"], ["search_children,"],
                                   [(100, 25, 6.25), (64, 16, 4), (10, 40, 160)], SEARCH)  # of the fastest block: times and launches
        self.assertEqual(len(figure.axes[1].lines), 1)  # the queue launches nothing
        made = [row for cutoff in (3, 4, 5) for row in
                [*search(40 - cutoff, "search_children", cutoff=cutoff, input="queens", queens=16, launches=cutoff - 1),
                 *search(50 - cutoff, "search_levels", mechanism="host", cutoff=cutoff, input="queens", queens=16)]]
        self.check_figure("time-cutoff", made, ["16 queens is fastest by search_children, cutoff 5"], lines=[(2, 3, 4)], columns=SEARCH)
        made = [row for cutoff in (3, 6, 65535) for row in search(40, "search_levels", mechanism="host", cutoff=cutoff, input="t1", tree_levels=11)]
        figure = self.check_figure("time-cutoff", made, ["none: cutoff 65 535, no thread searches alone."], columns=SEARCH, panels=1)
        self.assertEqual([list(line.get_xdata()) for line in figure.axes[0].lines], [[3, 6, 12]])  # none: one step after 6

    def test_edges_per_second_are_over_the_same_edges_for_all_forms(self):
        made = [*graph_search(20, work=500), *graph_search(10, work=500, block=128), *graph_search(8, "bfs_frontier"),
                *graph_search(4, "bfs_direction", work=700), *graph_search(None, "bfs_queue", work=9),
                *graph_search(10, input="grid2d", edge_factor="", work=100), *graph_search(20, "bfs_balanced", input="grid2d", edge_factor="", work=100)]
        alone = [*graph_search(1, elements=2048), *graph_search(1, "bfs_direction", elements=2048),  # none counts the edges
                 *graph_search(1, "bfs_frontier", elements=4096)]
        figure = self.check_figure("teps", [*made, *alone], [
            "Traversed edges per second: up to 1.00·10⁹, by bfs_direction in rmat; launches from the device give the highest rate in 1 of 2 graphs",
            "10⁹ edges per second; counted: edges that leave reached vertices, each once"], columns=GRAPH)
        axes, = figure.axes
        self.assertEqual(self.names_of_rows(axes), ["rmat", "grid2d"])
        dots = sorted(dot for found in self.dots(axes).values() for dot in found)
        self.assertEqual([x for x, _ in dots], [0.005, 0.01, 0.4, 0.5, 1.0])  # 4000 edges in rmat, 100 in grid2d; the faster block
        for x, y in dots:  # flat forms are above the middle of a row
            self.assertEqual(y - round(y) > 0, x in (0.4, 0.01))
        self.assertEqual(len(self.dots(axes)), 4)  # each form has a mark of its own
        unlaunched = [dict(row, launches_expected=0) if row["input"] == "grid2d" else row for row in made]
        self.check_figure("teps", unlaunched, ["highest rate in 0 of 2 graphs"], columns=GRAPH)
        paths = [*graph_search(10, "sssp_tail", work=6000), *graph_search(10, "sssp_balanced", work=5000), *graph_search(None, "sssp_frontier", work=1)]
        panels = self.panels(self.drawn([*paths, *graph_search(10), *graph_search(10, "bfs_frontier")], columns=GRAPH)["made-teps"])
        self.assertEqual(list(panels), ["bfs", "sssp"])
        self.assertIn("edges that the form with the least work looks at", panels["sssp"].get_xlabel())
        self.assertEqual([{x for found in self.dots(axes).values() for x, _ in found} for axes in panels.values()], [{0.4}, {0.5}])

    def test_graphs_with_edges_per_second_are_named_by_what_varies(self):
        forms = [{}, {"elements": 2048}, {"seed": 2}, {"edge_factor": 4}, {"input": "file", "graph_file": "road.gr#0123", "elements": "", "edge_factor": ""}]
        made = [row for more in forms for strategy in ("bfs_tail", "bfs_frontier") for row in graph_search(10, strategy, **more)]
        figure = self.drawn(made, columns=GRAPH)["made-teps"]
        self.assertEqual(self.names_of_rows(figure.axes[0]),
                         ["rmat, 2¹⁰ vertices, edge factor 16, seed 1", "rmat, 2¹¹ vertices, edge factor 16, seed 1",
                          "rmat, 2¹⁰ vertices, edge factor 16, seed 2", "rmat, 2¹⁰ vertices, edge factor 4, seed 1", "road.gr"])

    def test_launches_are_drawn_by_depth_and_are_an_axis(self):
        def alone(depths, **more):
            number = sum(map(int, depths.split()))
            return sort(10, aggregate="none", launches_by_depth=depths, launches_expected=number, launches_attempted=number, **more)
        made = [*alone("1 4 16"), *alone("1 2 8"), *alone("1 1", input="equal"), *alone("1 4 16", elements=2048), *alone("5", input="few")]
        figure = self.check_figure("launches-depth", made, ["quick_kway, equal"], lines=[(1, 4, 16), (1, 1)], columns=SORT, panels=2)
        self.assertNotIn([1, 2, 8], [list(line.get_ydata()) for line in figure.axes[0].lines])  # the case with the most launches
        made = [row for launches in (0, 1, 10, 100, 1000) for row in by_need(launches + 5, threshold=launches, launches=launches)]
        self.check_figure("launches-time", made, columns=BY_NEED)

    def test_a_study_has_its_ratios_beside_the_papers(self):
        times = {("none", 0, 1): 400, ("grid", 0, 1): 40, ("grid", 8, 2): 10}

        def study(factor, **more):
            return [row for aggregate in ("none", "warp", "grid") for threshold in (0, 8, 33) for coarsen in (1, 2, 4)
                    for row in by_need(factor * times.get((aggregate, threshold, coarsen), 80) if threshold < 33 else 20, aggregate, threshold, coarsen,
                                       launches=0 if threshold == 33 else 7, **more)]
        # of both, their geometric means, and the paper's
        self.check_figure("ratios", [*study(1), *study(4, mechanism="null_stream"), *flat(5)], [
            "40.0 2.00 4.00 0.500", "40.0 0.500 4.00 0.125", "40.0 1.00 4.00 0.250", "43.0 8.70 3.60"], columns=BY_NEED)
        plain = [row for row in study(1) if (row["aggregate"], row["threshold"], row["coarsen"]) != ("none", "0", "1")]
        self.assertNotIn("ratios", self.files_of([*plain, *flat(5)], BY_NEED))

    def test_litmus_patterns_are_counted_and_not_timed(self):
        pattern = {"type": "", "elements": "", "grid": 1000, "mechanism": "fire_and_forget"}
        made = [row for strategy, delay, stale in (("litmus_other_barrier", 0, 0), ("litmus_other_barrier", 50, 0), ("litmus_own_write", "", 0),
                                                   ("litmus_other_write", 0, 3), ("litmus_other_write", 50, 500))
                for row in rows([None if stale else 10.0] * 4, strategy=strategy, delay_us=delay, answer=stale, **pattern)]
        made += rows([None], strategy="litmus_local_pointer", **pattern, status="crashed")
        columns = [*COLUMNS, "answer"]
        self.assertEqual(self.files_of(made, columns), {"litmus"})
        figure = self.check_figure("litmus", made, [
            "Stale values: 1 of 1 pattern without a guarantee read some; those that the rules guarantee none in 12 000 instances",
            "litmus_other_write (racy)", "12 of 4000", "2000 of 4000", "0 of 4000", "crashed", "no delay", "delay 50 µs"], columns=columns)
        places = {line.get_marker(): line.get_xdata()[0] for line in figure.axes[0].lines if line.get_ydata()[0] == 3}
        self.assertGreater(places["D"], places["o"])

    def test_lanes_are_dots_by_outcome(self):
        made = []
        for block, limit in ((1, 128), (1, 65536), (32, 128), (32, 65536)):
            shape = {"block": block, "grid": 400, "depth": 2, "pending_limit_asked": limit, "elements": "", "type": ""}
            refused = block == 32 and limit == 128
            for strategy, status in (("lanes_in_turn", "launch_failed"), ("lanes_at_once", "timeout")):
                made += rows([None] if refused else [1, 2], strategy=strategy, status=status if refused else "ok", **shape)
        self.assertEqual(self.files_of(made), {"lanes"})  # and no other figure, such as that of limits
        figure = self.check_figure("lanes", made, ["hang the GPU in 1 of 4 cases at once and 0 of 4 cases in turn", "2 levels, NULL stream, 400 blocks"])
        self.assertEqual(self.names_of_rows(figure.axes[0]), ["1 lane in turn", "32 lanes in turn", "1 lane at once", "32 lanes at once"])
        self.assertEqual({mark: sorted(dots) for mark, dots in self.dots(figure.axes[0]).items()},
                         {"o": [(0, 0), (0, 2), (1, 0), (1, 1), (1, 2), (1, 3)], "D": [(0, 1)], "s": [(0, 3)]})
        self.check_figure("lanes", [row for row in made if row["status"] != "timeout"], ["none of 7 cases hangs"])
        self.check_figure("lanes", rows([None], strategy="lanes_in_turn", status="crashed", depth=1, pending_limit_asked=128), ["another outcome"])


if __name__ == "__main__":
    unittest.main()
