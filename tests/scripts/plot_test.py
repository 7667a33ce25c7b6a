#!/usr/bin/python3
"""Tests of the files and the tables of experiments/plot.sh, on small logs made here and on those of results/h200.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/scripts/plot_test.py

NESTBED names a nestbed in a build folder. Needs Debian's python3-pandas and python3-matplotlib.
"""
import collections
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import unittest
import unittest.mock
import xml.etree.ElementTree

from scratch import ROOT, Scratch
from made_logs import COLUMNS, ROW, FigureTest, as_written, rows, texts_of, words_of

import matplotlib
import pandas

import drawn_from
import figure_style
import figures
import figures_rows
import figures_tables
import logs
import plot

H200 = ROOT / "results" / "h200"
THOROUGH = os.environ.get("NESTBED_THOROUGH") == "1"


class FilesThatAreNoLogs(Scratch):
    def test_a_pipe_or_a_device_is_not_waited_for(self):
        pipe = self.folder / "pipe.csv"
        os.mkfifo(pipe)
        for path in (pipe, pathlib.Path("/dev/zero")):
            with self.assertRaisesRegex(logs.LogError, f"^{path}: it is a pipe or a device; allowed: a regular file$"):
                logs.read_log(path)
        self.assertEqual(logs.logs_in(self.folder), ([pipe], []))  # listed, so that it is refused by name

    def test_what_is_too_large_is_not_read(self):
        path = self.folder / "large.csv"
        path.touch()
        os.truncate(path, 2**40)  # a sparse file: it occupies no disk block
        with self.assertRaisesRegex(logs.LogError, "large.csv: it is too large; allowed: 1 GiB"):
            logs.read_log(path)

    def test_a_folder_is_no_log(self):
        with self.assertRaisesRegex(logs.LogError, "Is a directory"):
            logs.read_log(self.folder)


@unittest.skipUnless(THOROUGH, "a thorough run makes large logs")
class LargeLogs(Scratch):
    """What a log of millions of rows takes: 2 million rows must fit in 1 GB."""

    SMALL, LARGE = 20_000, 220_000
    MEASURED = "import resource, runpy, sys; sys.argv = sys.argv[1:]; sys.path.insert(0, sys.argv[0].rpartition('/')[0])\n" \
               "try:\n    runpy.run_path(sys.argv[0], run_name='__main__')\n" \
               "finally:\n    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"

    def log(self, count):
        """A folder with a log of this number of rows, in 100 cases. Every row has its own times."""
        path = self.folder / str(count) / "large.csv"
        path.parent.mkdir()
        header = [*COLUMNS, "key", "utc"]
        with open(path, "w", newline="", encoding="utf-8") as file:
            file.write(",".join(header) + "\r\n")
            for repetition in range(count // 100):
                for case in range(100):
                    row = {**ROW, "grid": 2 + case, "key": f"{case:016x}", "repetition": repetition, "gpu_us": f"{case + 1 + repetition / 7:.3f}",
                           "wall_us": f"{case + 2 + repetition / 3:.3f}", "launches_attempted": 10, "launches_expected": 10, "launches_failed": 0, "utc": f"2026-01-01T00:{case // 60:02}:00Z"}
                    file.write(",".join(as_written(row).get(name, "") for name in header) + "\r\n")
        return path

    def max_bytes(self, script, *words):
        done = subprocess.run([sys.executable, "-c", self.MEASURED, ROOT / "experiments" / script, *words], capture_output=True, text=True,
                              env={**os.environ, "MPLBACKEND": "Agg"}, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return 1024 * int(done.stderr.split()[-1])

    def test_take_few_bytes_per_row(self):
        paths = [self.log(count) for count in (self.SMALL, self.LARGE)]
        (self.folder / "none.json").write_text('{"statements": []}')
        for script, words in (("plot.py", lambda path: [path, "-o", self.folder / "figures"]),
                              ("report.py", lambda path: [path.parent, "--numbers", self.folder / "none.json"])):
            with self.subTest(script):
                small, large = (self.max_bytes(script, *words(path)) for path in paths)
                self.assertLess((large - small) / (self.LARGE - self.SMALL), 500)


class TablesAndTraces(FigureTest):
    LEVELS = ("input,elements,edge_factor,graph_file,seed,edges,level,vertices,edges_of_level\n"
              "star,8,,,1,14,0,1,7\nstar,8,,,1,14,1,7,7\n" + "".join(f"path,60,,,1,118,{level},1,2\n" for level in range(60)))
    PREDICTED = "log,strategy,mechanism,elements,nx,launches,predicted_us,bound,latency_us,measured_us,measured_low_us,measured_high_us\n"
    EMPTY = "launch,chain,tail,,,4,40,latency,40,44,43,45\n"
    OTHERS = ("ways,tail,tail,1024,,64,20,rate,10,30,29,31\nways,synced,null_stream,1024,,1,100,work,16,50,,\n"
              "ways,hello,null_stream,,,8,40,latency,16,42,41,43\nways,nosync,null_stream,1024,,8,40,latency,32,,,\n")

    def predictions(self, rows=None, name="predicted.csv", header=PREDICTED, **parameters):
        """A table of predictions beside a model that was fitted to launch.csv."""
        values = {"level.tail": 10, "level.null_stream": 16, "burst.null_stream": 8, "burst_launches": 4, "rate.null_stream": 0.5, **parameters}
        model = {"gpu": "NVIDIA H200", "driver": "580.1", "cuda": "13.0", "parameters": {key: {"value": value} for key, value in values.items()},
                 "logs": [{"name": "launch.csv", "sha256": "0" * 64}]}
        (self.folder / "model.json").write_text(json.dumps(model))
        path = self.folder / name
        path.write_text(header + (self.EMPTY + self.OTHERS if rows is None else rows))
        return path

    def frontiers(self, text):
        path = self.folder / "levels.csv"
        path.write_text(text)
        return path

    def test_frontiers_are_lines_by_graph(self):
        [(_, figure)] = figures_tables.frontiers(self.frontiers(self.LEVELS + "file,,,a.gr#01,1,2,0,1,2\nfile,,,a.gr#01,1,2,1,2,0\n"))
        words = words_of(figure)
        self.assertIn("Frontier by level: 2 levels (star, 8 vertices) to 60 (path, 60 vertices)", words)
        self.assertIn("a.gr", words)
        axes, = figure.axes
        self.assertEqual([list(line.get_ydata()) for line in axes.get_lines()], [[1, 7], [1] * 60, [1, 2]])
        self.assertEqual((axes.get_xscale(), axes.get_yscale()), ("symlog", "log"))
        self.assertEqual([line.get_markevery() for line in axes.get_lines()], [None, [0, 59], None])

    def test_tables_beside_logs_are_drawn(self):
        self.write(rows([1, 2]))
        for path, names in ((self.frontiers(self.LEVELS), ["levels-frontier"]), (self.predictions(), ["roofline", "predicted"])):
            out, messages = self.run_plot(self.folder)
            for name in names:
                self.assertIn(f"figures/{name}.svg", out)
            self.assertNotIn(f"{path.name} is not a log", messages)
            self.assertEqual(drawn_from.figure_problems(self.folder), [])
            first = (self.folder / f"figures/{names[0]}.png").read_bytes()
            out, _ = self.run_plot(path, "-o", self.folder / "alone")
            self.assertEqual(len(out.splitlines()), 2 * len(names))
            self.assertEqual((self.folder / f"alone/{names[0]}.png").read_bytes(), first)
        self.predictions(**{"rate.null_stream": 0.4})
        self.assertIn(f"roofline.svg: it is not drawn from {self.folder}/model.json as that is now: run experiments/plot.sh {self.folder}",
                      " ".join(drawn_from.figure_problems(self.folder)))
        out, _ = self.run_plot(self.predictions(name="other.csv"), "-o", self.folder / "alone")
        self.assertIn("alone/other-roofline.svg", out)

    def test_tables_that_are_none_are_refused(self):
        header, first = self.LEVELS.splitlines()[0], self.LEVELS.splitlines()[1]
        self.assertIn("levels.csv: it has a header and no rows: no figure", self.run_plot(self.frontiers(f"{header}\n"), expect=1)[1])
        for text, why in (*((f"{header}\n{first}\n{row}\n", f", line 3: {why}") for row, why in (
                ("star,8,,,1,14,x,1,7", "level is 'x'; allowed: a number from 0"), ("star,8,,,1,14,0,0,7", "vertices is '0'; allowed: a number from 1"),
                ("star,8,,,1,,0,1,7", "edges is ''"), ("star,8,,,1,14,inf,1,7", "level is 'inf'"), ("star,-8,,,1,14,0,1,7", "elements is '-8'"))),
                (f"{header}\nstar,8\n", ", line 2: 2 cells under 9 columns")):
            self.assertIn(f"levels.csv{why}", self.run_plot(self.frontiers(text), expect=2)[1])
        self.write(rows([1, 2]))
        self.assertIn("levels.csv, line 2: 2 cells under 9 columns", self.run_plot(self.folder, expect=2)[1])
        for text in ("", "ways,nosync,tail,1,,8,40,rate,32,,,\n"):
            self.assertIn("predicted.csv: it has no case with a measured time: no figure", self.run_plot(self.predictions(text), expect=1)[1])
        for row, why in (("ways,tail,tail,1,,x,20,rate,10,30,,", "launches is 'x'; allowed: 0 or more"),
                         ("ways,tail,tail,1,,4,,rate,10,30,,", "predicted_us is ''; allowed: a number above 0"),
                         ("ways,tail,tail,1,,4,20,rate,0,30,,", "latency_us is '0'; allowed: a number above 0"),
                         ("ways,tail,tail,1,,4,20,rate,10,inf,,", "measured_us is 'inf'; allowed: a number above 0"),
                         ("ways,tail,named,1,,4,20,rate,10,30,,",
                          "mechanism is 'named', which model.json beside it has no level of; allowed: tail, null_stream")):
            self.assertIn(f"predicted.csv, line 3: {why}", self.run_plot(self.predictions(f"{self.EMPTY}{row}\n"), expect=2)[1])

    def test_models_that_are_none_are_refused(self):
        path = self.predictions()
        model = json.loads((self.folder / "model.json").read_text())
        for text, why in (("{", "it is not a model of `nestbed calibrate`: JSONDecodeError"), ("[]", "it is not a model of `nestbed calibrate`: TypeError"),
                          (json.dumps({**model, "parameters": {}, "logs": [{}]}), "it is not a model of `nestbed calibrate`: KeyError: 'name'"),
                          (json.dumps({**model, "parameters": {"level.tail": {"value": 0}}}), "parameter level.tail is 0.0; allowed: a number above 0"),
                          (json.dumps({**model, "parameters": {**model["parameters"], "burst_launches": {"value": float("nan")}}}),
                           "parameter burst_launches is nan; allowed: a number above 0"),
                          (json.dumps({**model, "parameters": {name: one for name, one in model["parameters"].items() if name != "burst_launches"}}),
                           "there is burst.null_stream, and no burst_launches")):
            (self.folder / "model.json").write_text(text)
            self.assertIn(f"model.json: {why}", self.run_plot(path, expect=2)[1])
        (self.folder / "model.json").unlink()
        self.assertIn("model.json: No such file or directory; the table of predictions needs the model that it was made with",
                      self.run_plot(path, expect=2)[1])

    def test_predictions_are_drawn_against_the_measured_times(self):
        figure = dict(figures_tables.predictions(self.predictions()))["predicted"]
        words = words_of(figure)
        # measured / predicted of those that the model was not fitted to: 1.5, 0.5 and 1.05
        for said in ("Half of 3 cases of 1 log that the model was not fitted to are predicted within 50.0 %, and 1 (33.3 %) within 25 %",
                     "launch 1, fitted 10.0 % 100 %", "ways 3 50.0 % 33 % synced, NULL stream: 0.500", "Medians of 4 cases",
                     "fitted to empty grids of launch.csv: the logs marked so. ", "NVIDIA H200, driver 580.1, CUDA 13.0"):
            self.assertIn(said, words)
        self.assertNotIn("hello", words)
        summary, of_logs = ({(round(float(x), 3), round(float(y), 3)) for line in axes.lines if line.get_marker() not in ("", "None") for x, y in zip(*line.get_data())}
                            for axes in figure.axes)
        self.assertEqual(summary, {(20, 1.5), (100, 0.5), (40, 1.05)})  # all that the model was not fitted to
        self.assertEqual(of_logs, {(1.1, 0), (1.5, 1), (0.5, 1), (1.05, 1)})  # a row for each log
        strategies = dict(figures_tables.predictions(self.predictions(self.OTHERS)))["predicted"]
        self.assertIn("tail 1 50.0 % 0 % tail launch: 1.50", words_of(strategies))  # of a single log a row for each strategy
        alone = dict(figures_tables.predictions(self.predictions(self.EMPTY)))["predicted"]
        self.assertIn("Half of 1 case of 1 log that the model was fitted to are predicted within 10.0 %", words_of(alone))
        path = self.predictions()
        (self.folder / "launch.csv").write_text("changed\n")  # so that the model was fitted to another log
        self.assertNotIn("fitted to empty", words_of(dict(figures_tables.predictions(path))["predicted"]))

    def test_works_begin_with_a_row_for_each_workload(self):
        path = ROOT / "results/h100/device_vs_best.csv"
        figure = dict(figures_tables.device_vs_best(path))["device_vs_best"]
        with open(path, encoding="utf-8", newline="") as file:
            works = collections.Counter(row["workload"] for row in csv.DictReader(file) if row["l2"] == "as_is")
        summary, each = figure.axes
        self.assertEqual((len(summary.get_yticks()), len(each.get_yticks())), (len(works), works.total()))
        words = " ".join(text.get_text() for text in summary.texts)
        for workload, count in works.items():
            self.assertRegex(words, rf"{workload} .* to [\d.]+, {count} works")

    def test_predictions_of_launches_by_need_have_no_roofline(self):
        row = "cgo22,bezier_children,tail,512,,{},40,work,{},{},,,{}\n"
        header, alone = f"{self.PREDICTED.strip()},threshold\n", row.format(0, 0, 50, 33)
        [(name, figure)] = figures_tables.predictions(self.predictions(alone + row.format(7, 10, 40, 0), header=header))
        self.assertEqual(name, "predicted")
        for said in ("Half of 2 cases of 1 log whose launches depend on the input are predicted within 12.5 %",
                     "Its rules for data-dependent launches were chosen with these logs in view", "Medians of 2 cases of data-dependent launches, of cgo22.csv"):
            self.assertIn(said, words_of(figure))
        [(_, figure)] = figures_tables.predictions(self.predictions(alone * 600, header=header))
        self.assertTrue(any(line.get_rasterized() for line in figure.axes[0].lines))

    def test_the_roofline_has_a_panel_for_each_mechanism(self):
        figure = dict(figures_tables.predictions(self.predictions()))["roofline"]
        words = words_of(figure)
        self.assertIn("a level takes 10.0 µs (tail launch) to 16.0 µs (NULL stream); each of many launches at once, 0.500 µs (NULL stream)", words)
        every, null_stream, tail = figure.axes  # the first is to be looked at: a line for each mechanism, as far as it was measured
        self.assertEqual([float(line.get_ydata()[0]) for line in every.lines[:2]], [16, 10])
        self.assertEqual([text.get_text() for text in every.texts], ["NULL stream", "tail launch"])
        self.assertTrue(all(line.get_clip_on() for line in null_stream.lines if line.get_marker() == "None"))
        self.assertEqual((null_stream._left_title.get_text(), tail._left_title.get_text()), ("NULL stream", "tail launch"))
        self.assertEqual((null_stream.get_xlim(), null_stream.get_ylim()), (tail.get_xlim(), tail.get_ylim()))
        self.assertEqual([text.get_text() for text in null_stream.texts], ["16.0 µs / n", "0.500 µs"])
        self.assertEqual([text.get_text() for text in tail.texts], ["10.0 µs / n"])
        model = null_stream.lines[0]
        for at, us in zip(model.get_xdata(), model.get_ydata()):
            self.assertAlmostEqual(us, (16 + 8 * (1 - math.exp(-(at - 1) / 4)) + 0.5 * (at - 1)) / at)
        self.assertEqual(set(null_stream.lines[2].get_ydata()), {0.5})
        dots = {(line.get_xdata()[0], line.get_ydata()[0]): line.get_markerfacecolor() for line in [*null_stream.lines, *tail.lines]
                if line.get_marker() != "None"}
        self.assertEqual(set(dots), {(1, 50), (8, 42 / 8), (1, 11), (64, 30 / 64)})  # launches x level / latency; measured / launches
        self.assertEqual((dots[1, 50], dots[1, 11]), ("white", figures_tables.PALE))

    @staticmethod
    def trace(events):
        return {"traceEvents": events, "otherData": {
            "case": {"strategy": "nosync", "mechanism": "null_stream", "grid": "64", "block": "512"}, "grids": 2, "timer_step_ns": 32,
            "device": "NVIDIA H200", "driver": "580", "cuda_runtime": "13.0", "git": "abc", "command": ["nestbed", "trace"],
            "tracing": {"overhead_share": -0.04}}}

    def test_a_trace_is_drawn_as_the_figures_are(self):
        events = [{"ph": "X", "pid": pid, "tid": 1, "name": name, "ts": ts, "dur": 5}
                  for pid, name, ts in ((1, "run", 0), (2, "wait", 2), (2, "run", 7))]
        events += [{"ph": "s", "id": 1, "pid": 1, "tid": 1, "ts": 2}, {"ph": "f", "id": 1, "pid": 2, "tid": 1, "ts": 7}]
        figure = figures_tables.timeline(self.trace(events))
        words = words_of(figure)
        for text in ("nosync (racy), NULL stream, 64 × 512 threads: 2 grids", "depth 0", "depth 1", "time, µs", "steps of 32 ns", "-4 %",
                     "Racy (nosync)", "nestbed abc"):
            self.assertIn(text, words)
        self.assertEqual(figure.get_size_inches()[0], figure_style.WIDTH)

    def test_traces_are_files_to_draw(self):
        path = self.folder / "trace.json"
        path.write_text(json.dumps(self.trace([{"ph": "X", "pid": 1, "tid": 1, "name": "run", "ts": 0, "dur": 5}])), encoding="utf-8")
        out, _ = self.run_plot(path, "-o", self.folder / "drawn")
        self.assertEqual([pathlib.Path(name).name for name in out.split()], ["trace.svg", "trace.png"])
        path.write_text(json.dumps(self.trace([])), encoding="utf-8")
        self.assertEqual(self.run_plot(path, expect=1), ("", f"plot.sh: {path}: it has no grid that ran: no figure\n"))
        path.write_text("[]", encoding="utf-8")
        self.assertIn("trace.json: it is not a trace of `nestbed trace`: TypeError", self.run_plot(path, expect=2)[1])

    def test_mutants_are_drawn_with_those_that_no_order_shows_first(self):
        path = self.folder / "mutants.csv"
        header = "strategy,orders,wrong\n"
        for content, code, said in (("", 2, "it is empty"), (header, 1, "it has a header and no rows: no figure"),
                                    ("strategy,orders\n", 2, "it is not a log of `nestbed run`"),
                                    (f"{header}a,5,x\n", 2, "line 2: wrong is 'x'; allowed: a whole number from 0")):
            path.write_text(content, encoding="utf-8")
            out, messages = self.run_plot(path, expect=code)
            self.assertEqual(out, "")
            self.assertIn(said, messages)
        path.write_text(f"{header}no_barrier_x,1000,990\nno_fence_y,1000,0\n", encoding="utf-8")
        [(_, figure)] = figures_tables.mutants(path)
        for text in ("never show 1 of 2 races", "finds all 2 in one run", "0 of 1000", "990 of 1000"):
            self.assertIn(text, words_of(figure))
        self.assertEqual(self.names_of_rows(figure.axes[0]), ["no_fence_y", "no_barrier_x"])


class WhatLogsHold(FigureTest):
    def cases(self, made, **more):
        return logs.cases_of(logs.read_log(self.write(made, **more)))

    def test_a_hostile_log_is_text(self):
        """Names and values are drawn exactly as in the log: no formula, no element, no line break, no invisible
        character."""
        seen = {"<a href='https://a.b/c'>link</a>": None, "</text><script>x</script>": None, "&amp;<b>": None, "__proto__": None,
                "$\\frac{1}{2}$": None, "$\\frac": None, "\x1b[31mred": "[U+001B][31mred", "\u202etxt": "[U+202E]txt",
                "two\nlines": "two[U+000A]lines", "x" * 5000: logs.shortened("x" * 5000)}
        hostile = [row for text in seen for depth in range(4) for row in rows([10, 11, 12], strategy=text, depth=depth)]
        hostile += [row for text in seen for row in rows([10, 11], depth=text, pending_limit_asked=text, detail=text, type=text)]
        path = self.write(hostile)
        log = logs.read_log(path)
        self.assertEqual(log.attrs["whole"], {logs.shortened("x" * 5000): "x" * 5000})
        figure = {name: figure for _, name, figure in figures.drawn(path, log)}["made-latency-depth"]
        for text, shown in seen.items():
            self.assertIn(shown or text, texts_of(figure))
        self.assertNotIn("x" * 100, texts_of(figure))
        for ending in ("svg", "png"):
            self.assertTrue(plot.bytes_of(figure, ending, "some source"))
        tree = xml.etree.ElementTree.fromstring(plot.bytes_of(figure, "svg", "some source"))
        self.assertEqual({element.tag.rpartition("}")[2] for element in tree.iter()} & {"a", "script", "b", "image"}, set())
        words = "\n".join("".join(element.itertext()) for element in tree.iter() if element.tag.endswith("}text"))
        for text, shown in seen.items():
            self.assertIn(shown or text, words)
        self.assertEqual(tree.get("width"), "597.6pt")

    def test_messages_name_what_a_terminal_would_go_by(self):
        path = self.write([{**ROW, "repetition": "0", "gpu_us": "\x1b[2J"}])
        self.assertIn("gpu_us is '[U+001B][2J'", self.run_plot(path, expect=2)[1])

    def test_which_files_are_logs(self):
        self.write(rows([1]), "b.csv")
        (self.folder / "a.csv").write_text("a,b\n1,2\n")
        (self.folder / "empty.csv").write_text("")
        quoted = self.folder / "quoted.csv"
        quoted.write_text(",".join(f'"{name}"' for name in logs.NEEDED) + "\n")
        found, others = logs.logs_in(self.folder)
        self.assertEqual([path.name for path in found], ["b.csv", "empty.csv", "quoted.csv"])
        self.assertEqual([path.name for path in others], ["a.csv"])
        self.assertTrue(logs.is_log(self.folder / "missing.csv"))

    def test_files_are_written_whole_or_not_at_all(self):
        path = self.folder / "new" / "file"
        logs.write_whole(path, b"one")
        logs.write_whole(path, b"two")
        self.assertEqual((path.read_bytes(), path.stat().st_mode & 0o777), (b"two", 0o644))
        (self.folder / "new" / "taken").mkdir()
        with self.assertRaises(OSError):
            logs.write_whole(self.folder / "new" / "taken", b"three")
        self.assertEqual(sorted(found.name for found in path.parent.iterdir()), ["file", "taken"])

    def test_numbers_are_finite(self):
        """Whether a column has a number per row (gpu_us) or each number once (elements), and with equal cells or not."""
        for column in ("gpu_us", "elements"):
            for text in ("inf", "-inf", "nan", "1e999", "1_000", "x"):
                for made, line in ((rows([1], **{column: 5}) + rows([2], **{column: text}) + rows([3], **{column: "y"}), 3),
                                   (rows([1, 2], **{column: text}), 2)):
                    with self.assertRaisesRegex(logs.LogError, f"made.csv, line {line}: {column} is '{text}'; allowed: a finite number"):
                        self.cases(made)

    def test_whole_numbers_without_a_missing_one_are_integers(self):
        log = logs.read_log(self.write([*rows([1.5], elements=8, grid=4), *rows([None], elements=16, grid="", status="timeout")]))
        self.assertEqual([log[name].tolist()[0] for name in ("elements", "grid", "gpu_us")], [8, 4.0, 1.5])
        self.assertEqual([str(type(log[name].tolist()[0]).__name__) for name in ("elements", "grid")], ["int", "float"])

    def test_processes_that_add_repetitions_have_one_command(self):
        def said(*commands):
            return logs.command_texts("a.csv", {str(place): {"command": ["nestbed", "run", *words.split()]} for place, words in enumerate(commands)})
        self.assertEqual(said("--grid 4 --repeat 1", "--grid 4 --repeat 2 --resume", "--grid 4 --repeat 3 --resume"),
                         ["nestbed run --grid 4 --repeat 3 --resume, the last of 3 processes"])
        self.assertEqual(said("--grid 4", "--grid 4", "--grid 8"), ["nestbed run --grid 4", "nestbed run --grid 8"])

    def test_broken_manifests_are_named(self):
        path = self.write(rows([1]))
        log = logs.read_log(path)
        beside = self.folder / "made.csv.json"
        self.assertEqual(logs.commands_of(path, log), ["nestbed run, experiment made"])
        for text, why in (("{", "not a manifest"), ("[]", "no object `runs`"), ('{"runs": []}', "no object `runs`"),
                          ('{"runs": {"1": {}}}', "run 1 has no `command`"),
                          ('{"runs": {"1": {"command": "x"}}}', "no `command`")):
            beside.write_text(text)
            with self.assertRaisesRegex(logs.LogError, f"made.csv.json: .*{why}"):
                logs.commands_of(path, log)
        beside.write_bytes(b"\xff")
        with self.assertRaisesRegex(logs.LogError, "made.csv.json: it is not a manifest"):
            logs.manifest_of(path)
        beside.write_text('{"runs": {"1": {"command": ["nestbed", "run", "--grid", "1:8:*2"]}, "2": {}}}')
        self.assertEqual(logs.commands_of(path, log), ["nestbed run --grid '1:8:*2'"])

    def test_launches_lost(self):
        for attempted, failed, expected, share in (("10", "5", "20", 0.75), ("20", "0", "20", 0), ("10", "", "20", 0.5),
                                                   ("", "", "20", None), ("0", "0", "0", None), ("10", "0", "", None)):
            case = self.cases(rows([1], launches_attempted=attempted, launches_failed=failed, launches_expected=expected)).iloc[0]
            self.assertEqual(logs.lost_share(case), share)

    def test_trials_are_right_or_wrong(self):
        self.assertEqual(logs.wrong_share(self.cases(rows([1, None, None]) + rows([None], status="timeout")).iloc[0]), (2, 3))
        self.assertIsNone(logs.wrong_share(self.cases(rows([None], status="timeout")).iloc[0]))

    def test_wilson(self):
        low, high = logs.wilson(0, 50)
        self.assertEqual(low, 0)
        self.assertAlmostEqual(high, 3.8415 / 53.8415, places=5)  # z² / (n + z²)
        low, high = logs.wilson(5, 10)
        self.assertAlmostEqual((low + high) / 2, 0.5)

    def test_a_sample_that_took_its_worker_down_is_of_its_case(self):
        made = [*rows([20, 21], key="aa", wave=8, streams=2),
                {**rows([None], key="aa")[0], "status": "timeout", "detail": "no sign of life in 60 s", "repetition": "2"}]
        cases = logs.cases_of(logs.read_log(self.write(made, columns=[*COLUMNS, "key"])))
        self.assertEqual([(case.rows, case.ok, case.wave) for case in cases.itertuples()], [(3, 2, 8)])

    def test_no_mechanism_reads_as_missing(self):
        path = self.folder / "run.csv"
        subprocess.run([os.environ["NESTBED"], "run", "--strategy", "chain,nosync,neighbored", "--mechanism", "all", "--backend", "cpu",
                        "--grid", "2", "--block", "8", "--depth", "2", "--repeat", "1", "-o", path], capture_output=True, check=False)
        log = pandas.read_csv(path)
        counts = log.groupby("mechanism").size()
        self.assertEqual(counts.sum(), len(log), counts)
        self.assertEqual(counts["null_stream"], 2)

    def test_inputs_and_operators_are_cases_of_their_own(self):
        path = self.write([row for name in ("random", "index") for operator in ("sum", "max")
                           for row in rows([10, 11], input=name, operator=operator)], columns=[*COLUMNS, "input", "operator"])
        self.assertEqual(logs.cases_of(logs.read_log(path))[["input", "operator"]].values.tolist(),
                         [["random", "sum"], ["random", "max"], ["index", "sum"], ["index", "max"]])

    def test_the_workload_is_in_the_log_or_follows_from_the_strategy(self):
        made = [*rows([10]), *rows([10], strategy="quick_kway"), *rows([10], strategy="another"), *rows([10], strategy="sort_radix")]
        self.assertEqual(logs.read_log(self.write(made))["workload"].tolist(), ["reduce", "sort", "", "sort"])
        path = self.write([{**row, "workload": "mine"} for row in made], columns=[*COLUMNS, "workload"])
        self.assertEqual(logs.cases_of(logs.read_log(path))["workload"].tolist(), ["mine"] * 4)

    def test_the_faster_cub_is_the_reference(self):
        made = []
        for size, cub, narrow in ((1024, 10, 5), (2048, 10, 20), (4096, 10, None)):
            made += rows([cub] * 5, strategy="cub", elements=size) + rows([20] * 5, strategy="last_block", elements=size)
            made += rows([narrow] * 5, strategy="cub_narrow", elements=size) if narrow else []
        cases = self.cases(made)
        self.assertEqual({key[-1]: case["strategy"] for key, case in logs.faster_cub(cases).items()},
                         {1024: "cub_narrow", 2048: "cub", 4096: "cub"})
        self.assertEqual({(case["strategy"], case["elements"]): found
                          for (_, case), found in zip(cases.iterrows(), logs.ratios_to_cub(cases))},
                         {("cub", 1024): (2, 2, 2), ("cub_narrow", 1024): (1, 1, 1), ("last_block", 1024): (4, 4, 4),
                          ("cub", 2048): (1, 1, 1), ("cub_narrow", 2048): (2, 2, 2), ("last_block", 2048): (2, 2, 2),
                          ("cub", 4096): (1, 1, 1), ("last_block", 4096): (2, 2, 2)})

    def test_cub_of_another_type_clock_or_log_is_no_reference(self):
        cases = self.cases(rows([1] * 5, strategy="cub") + rows([2], strategy="last_block", type="float32")
                           + rows([2], strategy="host", gpu_us="") + rows([None], strategy="cub_narrow")
                           + rows([None], strategy="nosync") + rows([4] * 5, strategy="naive"))
        self.assertEqual(logs.ratios_to_cub(cases), [(1, 1, 1), None, None, None, None, (4, 4, 4)])
        other = self.cases(rows([2], strategy="last_block"), name="other.csv")
        self.assertEqual(logs.ratios_to_cub(pandas.concat([cases, other]))[-1], None)

    def test_held_and_open_are_two_cases_and_have_a_cub_each(self):
        made = [row for submit, us in (("held", 5), ("open", 10)) for name, times in (("cub", 1), ("last_block", 2))
                for row in rows([us * times] * 5, strategy=name, submit=submit, submit_asked=submit)]
        made += rows([40] * 5, strategy="thrust", submit="open", submit_asked="open", l2="flushed")
        cases = self.cases(made, columns=[*COLUMNS, "submit", "submit_asked", "l2"])
        self.assertEqual([(case.strategy, case.submit) for case in cases.itertuples()][:2], [("cub", "held"), ("last_block", "held")])
        self.assertEqual(logs.ratios_to_cub(cases), [(1, 1, 1), (2, 2, 2), (1, 1, 1), (2, 2, 2), None])


class Files(FigureTest):
    def test_without_a_nestbed(self):
        path = self.write(rows([1, 2]))
        for nestbed, message in (("/nowhere/nestbed", "/nowhere/nestbed: No such file"), ("", "NESTBED is not set"),
                                 ("/bin/false", "/bin/false (list|statistics) ended with 1"),
                                 ("/bin/true", "/bin/true (list|statistics) gave no answers")):
            with unittest.mock.patch.dict(os.environ, {"NESTBED": nestbed}):
                self.assertRegex(self.run_plot(path, expect=1)[1], f"^plot.sh: {message}")

    def test_book_times_come_from_their_file(self):
        self.assertEqual({name: ms for name, (ms, _) in figures_rows.book_times().items()},
                         {"host": 0.689, "neighbored": 0.532, "synced": 172.0, "nosync": 59.1, "reduce2": 0.797})
        found = {name: figure for _, name, figure in figures.drawn(H200 / "book.csv", logs.read_log(H200 / "book.csv"))}
        words = texts_of(found["book-book"])
        for text in ("172 ms", "59.1 ms", "22.3 ms", "Tesla K40c"):
            self.assertIn(text, words)
        self.assertNotIn("book-book", {name for name in self.drawn(rows([1, 2]))})

    def test_same_bytes_from_anywhere(self):
        path = self.write([row for depth in range(3) for row in rows([10, 11, 13], depth=depth)])
        self.run_plot(path, "-o", self.folder / "one")
        before = pathlib.Path.cwd()
        os.chdir(self.folder)
        try:
            out, _ = self.run_plot("made.csv", "-o", "two")
        finally:
            os.chdir(before)
        self.assertEqual(out.splitlines()[0], "two/made-latency-depth.svg")
        names = sorted(found.name for found in (self.folder / "one").iterdir())
        self.assertEqual(len(names), 4)
        for name in names:
            self.assertEqual((self.folder / "one" / name).read_bytes(), (self.folder / "two" / name).read_bytes(), name)

    def test_the_script_from_elsewhere(self):
        path = self.write(rows([1, 2]))
        ran = subprocess.run([ROOT / "experiments" / "plot.sh", path.name], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(ran.stdout.split(), ["figures/made-strategies.svg", "figures/made-strategies.png"])
        ran = subprocess.run([ROOT / "experiments" / "plot.sh", "--setup"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((ran.returncode, ran.stdout), (0, ""))

    def test_no_date_and_no_version_in_files(self):
        self.run_plot(self.write(rows([1, 2])))
        self.assertNotIn(b"Matplotlib", (self.folder / "figures" / "made-strategies.svg").read_bytes())
        self.assertNotIn(b"Software", (self.folder / "figures" / "made-strategies.png").read_bytes())

    def test_a_folder_says_what_it_lacks(self):
        self.write(rows([1, 2]))
        (self.folder / "other.csv").write_text("a,b\n1,2\n")
        out, messages = self.run_plot(self.folder)
        self.assertEqual(len(out.splitlines()), 2)
        self.assertIn("other.csv is not a log of `nestbed run`: left out", messages)
        self.assertIn('no figure "Time against grid size": no log here has several grids; '
                      "`nestbed run experiments/grid.cfg` makes one", messages)
        self.assertNotIn("Every way", messages)

    def test_errors(self):
        other = self.folder / "other.csv"
        other.write_text("a,b\n1,2\n")
        _, messages = self.run_plot(other, expect=2)
        self.assertIn("other.csv: it is not a log of `nestbed run`: it has no column experiment", messages)
        _, messages = self.run_plot(self.folder / "missing.csv", expect=2)
        self.assertIn("missing.csv: No such file", messages)
        _, messages = self.run_plot(self.write([], "empty.csv"), expect=1)
        self.assertIn("a header and no rows", messages)
        _, messages = self.run_plot(self.write(rows([1]), "old.csv", [*COLUMNS, "floor_us"]), expect=2)
        self.assertIn("old.csv: column floor_us is of key version 1", messages)
        torn = self.write(rows([1, 2, 3]), "torn.csv")
        torn.write_text(torn.read_text()[:-60])
        _, messages = self.run_plot(torn, expect=2)
        self.assertIn("torn.csv, line 4", messages)
        _, messages = self.run_plot(self.write(rows([1]) + rows([2], gpu_us="fast"), "number.csv"), expect=2)
        self.assertIn("number.csv, line 3: gpu_us is 'fast'", messages)
        self.run_plot("--nonsense", expect=2)
        self.assertEqual(list(self.folder.glob("figures/*")), [])

    def test_two_logs_of_one_name_in_one_folder(self):
        for name in ("one", "two"):
            (self.folder / name).mkdir()
            self.write(rows([1, 2]), f"{name}/made.csv")
        _, messages = self.run_plot(self.folder / "one" / "made.csv", self.folder / "two", "-o", self.folder / "out", expect=2)
        self.assertIn("one/made.csv and ", messages)
        self.assertIn("two/made.csv would both be drawn as made-", messages)
        self.assertFalse((self.folder / "out").exists())
        self.run_plot(self.folder / "one", self.folder / "one" / "made.csv", "-o", self.folder / "out")

    def test_no_log_anywhere(self):
        empty = self.folder / "empty"
        empty.mkdir()
        _, messages = self.run_plot(empty, expect=2)
        self.assertIn("empty: no log of `nestbed run` in it", messages)
        for results in (empty, self.folder / "missing"):
            with unittest.mock.patch.object(plot, "RESULTS", results):
                _, messages = self.run_plot(expect=1)
            self.assertIn("no folder with a log under", messages)

    def test_a_folder_that_cannot_be_written(self):
        (self.folder / "taken").write_text("")
        _, messages = self.run_plot(self.write(rows([1, 2])), "-o", self.folder / "taken" / "figures", expect=1)
        self.assertIn("cannot be written", messages)

    def test_committed_figures_are_small(self):
        found = sorted((H200 / "figures").iterdir())
        self.assertTrue(found)
        self.assertEqual([path.name for path in found if path.stat().st_size >= 256 * 1024], [])
        documents = "".join(path.read_text(encoding="utf-8") for folder in ("", "*/", "results/*/") for path in ROOT.glob(f"{folder}*.md"))
        self.assertEqual([path.name for path in found if path.suffix == ".png" and f"{path.name})" not in documents], [], "no document has it")

    @unittest.skipUnless(matplotlib.__version__ == "3.6.3", f"drawn with matplotlib 3.6.3, this is {matplotlib.__version__}")
    def test_committed_figures_are_what_is_drawn(self):
        """All of them in a thorough run, which takes minutes; otherwise those of a few logs."""
        again = self.folder / "again"
        if THOROUGH:
            self.run_plot(H200, "-o", again)
            self.assertLessEqual({path.name for path in (H200 / "figures").glob("*.png")}, {path.name for path in again.glob("*.png")})
        else:
            self.run_plot(*(H200 / f"{name}.csv" for name in ("book", "ways", "lanes", "tail_streams")), "-o", again)
        drawn = [path for path in sorted(again.iterdir()) if (H200 / "figures" / path.name).exists()]
        self.assertGreater(len(drawn), 1)
        different = [path.name for path in drawn if path.read_bytes() != (H200 / "figures" / path.name).read_bytes()]
        self.assertEqual(different, [], "drawn anew by experiments/plot.sh results/h200?")


class TwoMachines(FigureTest):
    def two(self, first, second, name="made.csv", **cells):
        """Folders one and two, each with a log with this name. The rows of the second folder are from another GPU."""
        for folder in ("one", "two"):
            (self.folder / folder).mkdir(exist_ok=True)
        self.write(first, f"one/{name}")
        self.write([{**row, "gpu": "Tesla T4", **cells} for row in second], f"two/{name}")

    def beside(self):
        """{name: figure} for made.csv, as `plot.sh one two` draws it."""
        return {name: figure for name, figure, _ in plot.figures_beside(self.folder / "one", self.folder / "two", "made")}

    @staticmethod
    def sweep(factor, depths=range(4), **more):
        return [row for strategy, least in (("nosync", 10), ("synced", 400)) for depth in depths
                for row in rows([factor * (least + depth)] * 3, strategy=strategy, depth=depth, launches_attempted=depth, **more)]

    def test_two_machines_have_a_panel_each_under_the_same_axes(self):
        self.two(self.sweep(1), self.sweep(4, range(6)))
        figure = self.beside()["made-by-depth"]
        panels = self.panels(figure)
        self.assertEqual(list(panels), ["NVIDIA H200", "Tesla T4"])
        first, second = panels.values()
        self.assertEqual((first.get_xlim(), first.get_ylim()), (second.get_xlim(), second.get_ylim()))
        drawn = [sorted(tuple(line.get_ydata()) for line in axes.get_lines() if line.get_marker() in figure_style.MARKS)
                 for axes in (first, second)]
        self.assertEqual(drawn, [[(10, 11, 12, 13), (400, 401, 402, 403)], [(40, 44, 48, 52, 56, 60), (1600, 1604, 1608, 1612, 1616, 1620)]])
        colours = [{matplotlib.colors.to_hex(line.get_color()) for line in axes.get_lines() if line.get_marker() == "o"}
                   for axes in (first, second)]
        self.assertEqual(*colours)
        self.assertIn("Tesla T4 takes 4.00 times as long as NVIDIA H200", words_of(figure))

    def test_two_machines_at_one_size_are_marks_on_a_line(self):
        self.two(rows([10] * 3) + rows([20] * 3, strategy="synced") + rows([30] * 3, strategy="host_loop"),
                 rows([15] * 3) + rows([70] * 3, strategy="synced") + rows([None] * 3, strategy="host_loop"))
        figure = self.beside()["made-ways"]
        words = texts_of(figure)
        self.assertIn("Tesla T4 takes 1.50 to 3.50 times as long as NVIDIA H200", " ".join(words.split()))
        for text in ("1.50 ×", "3.50 ×", "NVIDIA H200", "Not drawn: 2 cases without a value on both machines."):
            self.assertIn(text, words)
        marks = {mark: [line.get_xdata()[0] for line in figure.axes[0].get_lines() if line.get_marker() == mark] for mark in "oD"}
        self.assertEqual(marks, {"o": [10, 20], "D": [15, 70]})

    def test_two_machines_and_the_k40c(self):
        (self.folder / "two").mkdir()
        data = (H200 / "book.csv").read_text(encoding="utf-8")
        (self.folder / "two/book.csv").write_text(data.replace("NVIDIA H200", "Tesla T4"), encoding="utf-8")
        found = {name: figure for name, figure, _ in plot.figures_beside(H200, self.folder / "two", "book")}
        self.assertEqual(set(found), {"book-ways", "book-book"})
        book = found["book-book"]
        self.assertIn("Tesla K40c, as printed in the book", texts_of(book))
        squares = sorted(line.get_xdata()[0] for line in book.axes[0].get_lines() if line.get_marker() == "s")
        self.assertEqual(squares, [0.532, 0.689, 0.797, 59.1, 172.0])

    def test_wrong_answers_on_two_machines(self):
        made = [row for delay, bad in ((0, 0), (5, 1), (10, 4)) for name in ("nosync", "reduce2")
                for row in rows([1] * (4 - bad) + [None] * bad, delay_us=delay, strategy=name)]
        self.two(made, made)
        figure = self.beside()["made-hazard"]
        self.assertIn("Wilson", texts_of(figure))
        for axes in figure.axes:
            self.assertIn("nosync (racy),\nreduce2 (racy)", [text.get_text() for text in axes.texts])  # they coincide
            self.assertEqual(axes.get_xscale(), "symlog")

    def test_chains_by_one_graph_and_the_best_of_several(self):
        chain = [row for graphs in (1, 64) for depth in (1, 4, 16) for row in rows(
            [depth * 10.0 / graphs] * 3, strategy="chain", depth=depth, type="", grid=1, block=32, mechanism="graph_tail", graphs=graphs)]
        for folder, gpu in (("one", "NVIDIA H200"), ("two", "Tesla T4")):
            (self.folder / folder).mkdir()
            self.write([{**row, "gpu": gpu} for row in chain], f"{folder}/made.csv", [*COLUMNS, "graphs"])
        figure = self.beside()["made-chain"]
        self.assertEqual(len(figure.axes), 2)
        for text in ("device graph", "device graph, best of 64"):
            self.assertIn(text, texts_of(figure).split("\n"))

    def test_shapes_of_one_machine_alone_are_named(self):
        self.two(self.sweep(1) + self.sweep(1, grid=32), self.sweep(2))
        figure = self.beside()["made-by-depth"]
        self.assertEqual(len(figure.axes), 2)
        self.assertIn("Measured on one machine alone, and not drawn: 32 × 64 threads", texts_of(figure))

    def test_machines_of_one_name_have_their_folders(self):
        self.two(self.sweep(1), self.sweep(2), gpu="NVIDIA H200")
        self.assertEqual(list(self.panels(self.beside()["made-by-depth"])), ["NVIDIA H200 (one)", "NVIDIA H200 (two)"])

    def test_a_gpu_is_not_drawn_beside_the_executor(self):
        self.two(rows([10] * 3), rows([10] * 3, backend="cpu", gpu_us=""), gpu="AMD EPYC")
        out, messages = self.run_plot(self.folder / "one", self.folder / "two", expect=1)
        self.assertEqual(out, "")
        self.assertIn("have no cases of the same backend that a figure could compare", messages)
        self.two(rows([10] * 3, backend="cpu", gpu_us=""), rows([10] * 3, backend="cpu", gpu_us=""), gpu="AMD EPYC")
        self.assertEqual(set(self.beside()), {"made-ways-cpu"})

    def test_two_folders_are_drawn_into_the_second(self):
        self.two(self.sweep(1), self.sweep(2))
        self.write(rows([1]), "one/alone.csv")
        out, messages = self.run_plot(self.folder / "one", self.folder / "two")
        self.assertEqual(messages, "")
        folder = self.folder / "two/beside-one"
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["made-by-depth.png", "made-by-depth.svg"])
        self.assertEqual(len(out.splitlines()), 2)
        for text in (b"one/made.csv, SHA-256 ", b"two/made.csv, SHA-256 "):
            self.assertIn(text, (folder / "made-by-depth.svg").read_bytes())
        first = (folder / "made-by-depth.png").read_bytes()
        self.run_plot(self.folder / "one", self.folder / "two", "-o", self.folder / "out")
        self.assertEqual((self.folder / "out/made-by-depth.png").read_bytes(), first)
        # One folder given twice is not two machines.
        self.run_plot(self.folder / "one", self.folder / "one", "-o", self.folder / "same")
        self.assertIn("made-launches.svg", [path.name for path in (self.folder / "same").iterdir()])

    def test_two_folders_with_nothing_in_common(self):
        self.two(rows([1]), rows([1]))
        (self.folder / "two/made.csv").rename(self.folder / "two/other.csv")
        _, messages = self.run_plot(self.folder / "one", self.folder / "two", expect=1)
        self.assertRegex(messages, "one and .*two have no figure in common; the first has made, the second other\n")
        (self.folder / "two/other.csv").unlink()
        self.assertIn("two: no log of `nestbed run` in it", self.run_plot(self.folder / "one", self.folder / "two", expect=2)[1])
        (self.folder / "two/made.csv").write_text("")
        self.assertIn("made.csv: it is empty", self.run_plot(self.folder / "one", self.folder / "two", expect=2)[1])


if __name__ == "__main__":
    unittest.main()
