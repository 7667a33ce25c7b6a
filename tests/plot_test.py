#!/usr/bin/python3
"""Tests of experiments/plot.sh's figures, on small logs made here and on those of results/h200.

    /usr/bin/python3 -W error tests/plot_test.py

Needs Debian's python3-pandas and python3-matplotlib.
"""
import csv
import contextlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "experiments"))

import matplotlib  # noqa: E402

import figure_style  # noqa: E402
import figures  # noqa: E402
import figures_hazards  # noqa: E402
import figures_rates  # noqa: E402
import logs  # noqa: E402
import plot  # noqa: E402

H200 = ROOT / "results" / "h200"
COLUMNS = ["experiment", "run_id", "strategy", "backend", "mechanism", "type", "elements", "grid", "block", "depth", "delay_us",
           "pending_limit_asked", "limit_bytes", "wave", "streams", "repetition", "gpu_us", "wall_us", "bandwidth_gb_s",
           "peak_gb_s", "launches_expected", "launches_attempted", "launches_failed", "launches_by_depth", "status", "detail",
           "gpu", "driver", "cuda", "git"]
ROW = {"experiment": "made", "run_id": "1", "strategy": "nosync", "backend": "cuda", "mechanism": "null", "type": "int32",
       "elements": "1024", "grid": "16", "block": "64", "depth": "full", "status": "ok", "gpu": "NVIDIA H200", "driver": "580.1",
       "cuda": "13.0", "git": "abc123"}


def rows(times, **cells):
    """A row a time in microseconds; no time: a row that failed, of status wrong unless given."""
    made = []
    for repetition, time in enumerate(times):
        row = {**ROW, "repetition": str(repetition), "launches_attempted": "10", "launches_expected": "10",
               "launches_failed": "0"}
        row.update({"gpu_us": f"{time:.3f}", "wall_us": f"{time + 1:.3f}"} if time is not None else {"status": "wrong"})
        made.append({**row, **{name: str(value) for name, value in cells.items()}})
    return made


def texts_of(figure):
    """All that is written in a figure, as one text."""
    found = [text.get_text() for text in figure.texts]
    for axes in figure.axes:
        found += [text.get_text() for text in [*axes.texts, axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label]]
    return "\n".join(found)


class PlotTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, made, name="made.csv", columns=None):
        path = self.folder / name
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns or COLUMNS, restval="", extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(made)
        return path

    def drawn(self, made, **more):
        path = self.write(made, **more)
        return {name: figure for _, name, figure in figures.drawn(path, logs.read_log(path))}

    def run_plot(self, *arguments, expect=0):
        """(standard output, standard error) of plot.py, whose exit code must be `expect`."""
        out, messages = io.StringIO(), io.StringIO()
        before = sys.argv
        sys.argv = ["plot.py", *map(str, arguments)]
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(messages):
                try:
                    code = plot.main()
                except SystemExit as leaving:
                    code = leaving.code
        finally:
            sys.argv = before
        self.assertEqual(code, expect, messages.getvalue())
        return out.getvalue(), messages.getvalue()

    # --- what is drawn -----------------------------------------------------------------------------------------------

    def test_figures_follow_from_what_varies(self):
        by_depth = [row for depth in range(4) for row in rows([10, 11, 12], depth=depth, launches_attempted=16 * depth)]
        self.assertEqual(set(self.drawn(by_depth)), {"made-latency-depth", "made-launches"})
        by_grid = [row for grid in (1, 2, 4) for row in rows([10, 11, 12], grid=grid, elements=64 * grid,
                                                             launches_attempted=4 * grid)]
        self.assertEqual(set(self.drawn(by_grid)), {"made-latency-grid", "made-launches"})
        by_delay = [row for delay in (0, 1, 10) for row in rows([10, None], delay_us=delay)]
        self.assertEqual(set(self.drawn(by_delay)), {"made-wrong"})
        by_limit = [row for limit in ("auto", 128, 256, 512) for row in rows([10, 11], pending_limit_asked=limit)]
        self.assertEqual(set(self.drawn(by_limit)), {"made-pending-limit"})
        self.assertEqual(set(self.drawn(rows([10, 11, 12]))), {"made-strategies"})

    def test_chains_and_fan_outs(self):
        chain = [row for depth in (1, 4, 16) for row in rows([depth * 10.0] * 3, strategy="chain", depth=depth, grid=1, block=32,
                                                             type="")]
        figure = self.drawn(chain)["made-launch-time"]
        self.assertEqual(list(self.line_of(figure, 3).get_ydata()), [10, 10, 10])  # time over launches
        self.assertIn("10.0 µs", texts_of(figure))

    def test_waves(self):
        made = [row for wave in (1, 2, 4) for streams in (1, 2)
                for row in rows([10 + wave if (wave, streams) != (4, 2) else None] * 2, wave=wave, streams=streams)]
        figure = self.drawn(made)["made-waves"]
        self.assertIn("2 of 12 rows have no time (2 wrong)", " ".join(texts_of(figure).split()))
        self.assertIn("waves of 1 round", texts_of(figure))

    def line_of(self, figure, points):
        return next(line for axes in figure.axes for line in axes.get_lines() if len(line.get_xdata()) == points)

    def test_median_and_interval_are_those_of_the_log(self):
        figure = self.drawn([row for depth in (0, 1, 2) for row in rows([7, 1, 4], depth=depth, launches_attempted=depth)])
        self.assertEqual(list(self.line_of(figure["made-latency-depth"], 3).get_ydata()), [4, 4, 4])
        self.assertEqual(logs.interval([5.0]), (5.0, 5.0))

    def test_full_depth_stands_where_it_ends(self):
        made = [row for depth in (0, 1, "full")
                for row in rows([10, 11], depth=depth, launches_by_depth="4 16 64" if depth == "full" else "")]
        self.assertEqual(list(self.line_of(self.drawn(made)["made-latency-depth"], 3).get_xdata()), [0, 1, 3])

    def test_backends_and_devices_are_never_mixed(self):
        made = rows([10, 11]) + rows([500, 501], backend="cpu", gpu="AMD EPYC", gpu_us="") + rows([20, 21], gpu="Tesla T4")
        found = self.drawn(made)
        self.assertEqual(set(found), {"made-strategies-cuda-nvidia-h200", "made-strategies-cpu", "made-strategies-cuda-tesla-t4"})
        self.assertNotIn("T4", texts_of(found["made-strategies-cuda-nvidia-h200"]))
        self.assertNotIn("NVIDIA", texts_of(found["made-strategies-cpu"]))
        self.assertIn("10.5 µs", texts_of(found["made-strategies-cuda-nvidia-h200"]))
        self.assertIn("CPU executor (AMD EPYC)", texts_of(found["made-strategies-cpu"]))

    def test_rows_without_a_time_are_counted(self):
        figure = self.drawn(rows([10, 11, None], strategy="reduce2")
                            + rows([None] * 4, strategy="nosync", status="launch_failed"))
        words = " ".join(texts_of(figure["made-strategies"]).split())
        self.assertIn("5 of 7 rows have no time (4 launch_failed, 1 wrong)", words)
        self.assertIn("4 launch_failed of 4", words)

    def test_rows_of_other_figures_are_counted(self):
        made = [row for depth in range(3) for row in rows([10, 11], depth=depth)]
        made += [row for grid in (32, 64) for row in rows([1, 2], strategy="last_block", depth="", grid=grid)]
        self.assertIn("4 of the log's 10 rows are not in this figure",
                      " ".join(texts_of(self.drawn(made)["made-latency-depth"]).split()))

    def test_nothing_timed_is_said_in_the_figure(self):
        made = [row for depth in range(3) for row in rows([None] * 2, depth=depth, status="timeout")]
        found = self.drawn(made)
        self.assertIn("none of these 6 rows has a time (6 timeout)", texts_of(found["made-latency-depth"]))
        self.assertIn("no run has a time", texts_of(self.drawn(rows([None] * 2))["made-strategies"]))

    def test_wall_clock_is_named(self):
        figure = self.drawn(rows([10, 11]) + rows([700, 710], strategy="host", mechanism="none", gpu_us=""))["made-strategies"]
        self.assertIn("by the host's wall clock (host)", texts_of(figure))

    def test_a_log_of_an_earlier_version(self):
        path = self.write(rows([10, 11]), columns=[name for name in COLUMNS
                                                   if name not in ("bandwidth_gb_s", "peak_gb_s", "git", "depth")])
        self.assertEqual([name for _, name, _ in figures.drawn(path, logs.read_log(path))], ["made-strategies"])

    # --- numbers that can be checked by hand -------------------------------------------------------------------------

    def test_wilson(self):
        low, high = figures_hazards.wilson(0, 50)
        self.assertEqual(low, 0)
        self.assertAlmostEqual(high, 3.8415 / 53.8415, places=5)  # z² / (n + z²)
        low, high = figures_hazards.wilson(5, 10)
        self.assertAlmostEqual((low + high) / 2, 0.5)

    def test_share_of_wrong_answers(self):
        figure = self.drawn([row for delay, bad in ((0, 0), (5, 1), (10, 4))
                             for row in rows([1] * (4 - bad) + [None] * bad, delay_us=delay)])
        self.assertEqual(list(self.line_of(figure["made-wrong"], 3).get_ydata()), [0, 25, 100])

    def test_the_faster_cub_is_the_reference(self):
        made = []
        for size, cub, narrow in ((1024, 10, 5), (2048, 10, 20), (4096, 10, None)):
            made += rows([cub] * 3, strategy="cub", elements=size) + rows([20] * 3, strategy="last_block", elements=size)
            made += rows([narrow] * 3, strategy="cub_narrow", elements=size) if narrow else []
        cases = logs.cases_of(logs.read_log(self.write(made)))
        self.assertEqual({size: case["strategy"] for size, case in figures_rates.faster_cub(cases).items()},
                         {1024: "cub_narrow", 2048: "cub", 4096: "cub"})
        self.assertEqual(figures_rates.ratios_to_cub(cases),
                         [("last_block", [(1024, 4, 4, 4), (2048, 2, 2, 2), (4096, 2, 2, 2)])])

    def test_book_times_come_from_their_file(self):
        self.assertEqual({name: ms for name, (ms, _) in figures_rates.book_times().items()},
                         {"host": 0.689, "neighbored": 0.532, "synced": 172.0, "nosync": 59.1, "reduce2": 0.797})
        found = {name: figure for _, name, figure in figures.drawn(H200 / "book.csv", logs.read_log(H200 / "book.csv"))}
        words = texts_of(found["book-book"])
        for text in ("172 ms", "59.1 ms", "20.6 ms", "Tesla K40c"):
            self.assertIn(text, words)
        self.assertNotIn("book-book", {name for name in self.drawn(rows([1, 2]))})

    def test_numbers_in_words(self):
        self.assertEqual([figure_style.time_text(us) for us in (0.1234, 11.66, 999.7, 20700, 1.5e6)],
                         ["0.123 µs", "11.7 µs", "1.00 ms", "20.7 ms", "1.50 s"])
        self.assertEqual([figure_style.power_text(number) for number in (8, 2**20, 10**9, 4 * 10**8)],
                         ["8", "2²⁰", "10⁹", "4·10⁸"])

    def test_labels_are_spread(self):
        places = figure_style.spread([0.5, 0.5, 0.51, 0.9], 0.1, 0, 1)
        self.assertTrue(all(after - before >= 0.0999 for before, after in zip(sorted(places), sorted(places)[1:])), places)
        self.assertEqual(figure_style.spread([0.1, 0.9], 0.1, 0, 1), [0.1, 0.9])
        self.assertGreaterEqual(min(figure_style.spread([0.0] * 5, 0.3, 0, 1)), 0)

    # --- files -------------------------------------------------------------------------------------------------------

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
        self.assertIn("other.csv is no log of `nestbed run`: left out", messages)
        self.assertIn("no figure of latency against grid size: no log here varies grid; "
                      "`nestbed run experiments/grid.cfg` makes one", messages)

    def test_errors(self):
        other = self.folder / "other.csv"
        other.write_text("a,b\n1,2\n")
        _, messages = self.run_plot(other, expect=2)
        self.assertIn("other.csv: it is no log of `nestbed run`: it has no column experiment", messages)
        _, messages = self.run_plot(self.folder / "missing.csv", expect=2)
        self.assertIn("missing.csv: No such file", messages)
        _, messages = self.run_plot(self.write([], "empty.csv"), expect=1)
        self.assertIn("a header and no rows", messages)
        torn = self.write(rows([1, 2, 3]), "torn.csv")
        torn.write_text(torn.read_text()[:-60])
        _, messages = self.run_plot(torn, expect=2)
        self.assertIn("torn.csv, line 4", messages)
        _, messages = self.run_plot(self.write(rows([1]) + rows([2], gpu_us="fast"), "number.csv"), expect=2)
        self.assertIn("number.csv, line 3: gpu_us is 'fast'", messages)
        self.run_plot("--nonsense", expect=2)
        self.assertEqual(list(self.folder.glob("figures/*")), [])

    def test_a_folder_that_cannot_be_written(self):
        (self.folder / "taken").write_text("")
        _, messages = self.run_plot(self.write(rows([1, 2])), "-o", self.folder / "taken" / "figures", expect=1)
        self.assertIn("cannot be written", messages)

    # --- what is committed -------------------------------------------------------------------------------------------

    def test_committed_figures_are_small(self):
        found = sorted((H200 / "figures").iterdir())
        self.assertTrue(found)
        self.assertEqual([path.name for path in found if path.stat().st_size >= plot.MOST_BYTES], [])
        self.assertEqual({path.stem for path in found if path.suffix == ".svg"},
                         {path.stem for path in found if path.suffix == ".png"})

    @unittest.skipUnless(matplotlib.__version__ == "3.6.3", f"drawn with matplotlib 3.6.3, this is {matplotlib.__version__}")
    def test_committed_figures_are_what_is_drawn(self):
        for log in ("book.csv", "refused.csv"):
            self.run_plot(H200 / log, "-o", self.folder / "again")
        for path in sorted((self.folder / "again").iterdir()):
            self.assertEqual(path.read_bytes(), (H200 / "figures" / path.name).read_bytes(), path.name)


if __name__ == "__main__":
    unittest.main()
