#!/usr/bin/python3
"""Tests of the figures that a user chooses: `plot.sh LOG --x COLUMN`.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/scripts/chosen_test.py

NESTBED names a nestbed in a build folder. Needs Debian's python3-pandas and python3-matplotlib.
"""
import io
import unittest

from scratch import ROOT
from made_logs import COLUMNS, MadeLogs, rows, texts_of, words_of

import PIL.Image
from matplotlib.backends.backend_agg import FigureCanvasAgg
import figure_style
import figures_chosen
import plot

SORT = [*COLUMNS, "input", "fanout", "grain", "power_w"]


def sorts(**more):
    """A sort by three sizes of a leaf and two of a division; the time is their sum."""
    return [row for grain in (256, 1024, 4096) for fanout in (16, 256)
            for row in rows([grain + fanout + step for step in range(5)], strategy="quick_kway", grain=grain, fanout=fanout, grid="", input="uniform",
                            power_w=fanout, **more)]


class ChosenTest(MadeLogs):
    def chosen(self, *options, made=None, columns=SORT):
        """[(file name, figure, caption)] of a log by these options."""
        path = self.write(sorts() if made is None else made, columns=columns)
        return figures_chosen.drawn(path, figures_chosen.chosen(plot.parsed([str(path), *options])))

    def lines(self, figure):
        """[({place: value})] of the lines of each panel."""
        return [[dict(zip(line.get_xdata(), line.get_ydata())) for line in axes.get_lines() if line.get_marker() not in ("x", "None", None, "")]
                for axes in figure.axes]

    def test_any_axis_against_any_column_with_lines_by_a_third(self):
        (name, figure, caption), = self.chosen("--x", "grain", "--y", "gpu_us", "--series", "fanout")
        self.assertEqual(name, "made-gpu_us-by-grain")
        self.assertEqual(self.lines(figure), [[{256: 274, 1024: 1042, 4096: 4114}, {256: 514, 1024: 1282, 4096: 4354}]])
        words = words_of(figure)
        for text in ("GPU time against grain", "quick_kway", "fanout 16", "fanout 256", "GPU time, µs", "5 samples per point", "NVIDIA H200"):
            self.assertIn(text, words)
        self.assertIn("5 samples per point", caption)
        self.assertEqual(figure.axes[0].get_xscale(), "log")

    def test_what_varies_is_a_line_unless_it_is_named(self):
        (_, figure, _), = self.chosen("--x", "grain")
        self.assertEqual(len(self.lines(figure)[0]), 2)
        # What follows from other columns does not part the lines.
        grids = [row for grid in (1, 2, 4) for row in rows([grid], grid=grid, elements=64 * grid)]
        (_, figure, _), = self.chosen("--x", "grid", made=grids, columns=COLUMNS)
        self.assertEqual(self.lines(figure), [[{1: 1, 2: 2, 4: 4}]])

    def test_panels_have_the_same_axes(self):
        (_, figure, _), = self.chosen("--x", "grain", "--facet", "fanout")
        self.assertEqual([axes.get_title(loc="left") for axes in figure.axes], ["fanout 16", "fanout 256"])
        self.assertEqual(len({axes.get_ylim() for axes in figure.axes}), 1)
        self.assertEqual(self.lines(figure), [[{256: 274, 1024: 1042, 4096: 4114}], [{256: 514, 1024: 1282, 4096: 4354}]])

    def test_columns_that_no_other_figure_shows(self):
        (name, figure, _), = self.chosen("--x", "power_w", "--y", "wall_us", "--series", "grain")
        self.assertEqual(name, "made-wall_us-by-power_w")
        self.assertEqual(self.lines(figure)[0][0], {16: 275, 256: 515})
        words = texts_of(figure)
        for text in ("power, W", "time by the host's clock, µs"):
            self.assertIn(text, words)

    def test_rows_are_chosen_by_strategy_and_by_value(self):
        made = [*sorts(), *sorts(mechanism="tail"), *[{**row, "strategy": "sort_levels", "mechanism": "host"} for row in sorts()]]
        (_, figure, _), = self.chosen("--x", "grain", "--of", "quick_*", "--where", "mechanism=tail", "--where", "fanout=2^8", made=made)
        self.assertEqual(self.lines(figure), [[{256: 514, 1024: 1282, 4096: 4354}]])
        (_, figure, _), = self.chosen("--x", "fanout", "--where", "grain=4k", "--of", "quick_*", "--where", "mechanism=tail", made=made)
        self.assertEqual(self.lines(figure), [[{16: 4114, 256: 4354}]])
        (_, figure, _), = self.chosen("--x", "fanout", "--of", "quick_kway,sort_*", "--series", "strategy", "--best", made=made)
        self.assertEqual(self.lines(figure), [[{16: 274, 256: 514}, {16: 274, 256: 514}]])
        self.assertIn("A point is the fastest of its cases.", texts_of(figure))

    def test_words_have_places_and_no_line_between_them(self):
        made = [row for place, name in enumerate(("zipf", "uniform")) for row in rows([10 + place] * 5, strategy="quick_kway", input=name)]
        (_, figure, _), = self.chosen("--x", "input", made=made)
        self.assertEqual([label.get_text() for label in figure.axes[0].get_xticklabels()], ["uniform", "zipf"])
        self.assertEqual(self.lines(figure), [[{0: 11, 1: 10}]])
        self.assertEqual(figure.axes[0].get_lines()[0].get_linestyle(), "None")

    def test_intervals_are_of_the_repetitions(self):
        (_, figure, _), = self.chosen("--x", "grain", "--series", "fanout")
        bars = sorted(bar[0][1] for bar in figure.axes[0].collections[0].get_segments())
        self.assertEqual(bars, [272, 1040, 4112])
        few = [row for row in sorts() if int(row["repetition"]) < 4]
        (_, figure, _), = self.chosen("--x", "grain", "--series", "fanout", made=few)
        self.assertEqual(len(figure.axes[0].collections), 0)

    def test_a_point_without_a_time_is_marked(self):
        made = [*sorts(), *rows([None] * 5, strategy="quick_kway", grain=8192, fanout=16, grid="", input="uniform")]
        (_, figure, caption), = self.chosen("--x", "grain", "--series", "fanout", made=made)
        marks = [line for line in figure.axes[0].get_lines() if line.get_marker() == "x"]
        self.assertEqual([list(line.get_xdata()) for line in marks], [[8192]])
        self.assertIn("5 of 35 rows have no time (5 wrong)", caption)

    def test_backends_are_figures_of_their_own(self):
        both = [*sorts(), *[{**row, "backend": "cpu", "gpu": "AMD EPYC", "gpu_us": ""} for row in sorts()]]
        self.assertEqual([name for name, _, _ in self.chosen("--x", "grain", made=both)],
                         ["made-time-by-grain-cuda-nvidia-h200", "made-time-by-grain-cpu"])
        self.assertEqual([name for name, _, _ in self.chosen("--x", "grain", "--y", "gpu_us", made=both)], ["made-gpu_us-by-grain-cuda-nvidia-h200"])

    def test_files_for_a_paper(self):
        path = self.write(sorts(), columns=SORT)
        words = (path, "--x", "grain", "--y", "gpu_us", "--series", "fanout", "--no-title", "--width", "84mm", "--pdf", "--png")
        out, messages = self.run_plot(*words, "-o", self.folder / "one")
        self.assertEqual([line.rpartition("/")[2] for line in out.split()], ["made-gpu_us-by-grain.pdf", "made-gpu_us-by-grain.png"])
        self.assertTrue(messages.startswith("plot.sh: made-gpu_us-by-grain: Median and 95 % bootstrap interval of the median, 5 samples per point."), messages)
        data = (self.folder / "one/made-gpu_us-by-grain.pdf").read_bytes()
        self.assertTrue(data.startswith(b"%PDF"))
        self.assertIn(b"/MediaBox [ 0 0 238.1", data)  # 84 mm
        self.assertNotIn(b"/Type3", data)
        self.assertIn(b"plot.sh --x grain --y gpu_us --series fanout --no-title --width 84mm", data)
        image = PIL.Image.open(io.BytesIO((self.folder / "one/made-gpu_us-by-grain.png").read_bytes()))
        self.assertEqual(image.width, 992)  # 84 mm at 300 dots per inch
        self.run_plot(*words, "-o", self.folder / "two")
        self.assertEqual((self.folder / "two/made-gpu_us-by-grain.pdf").read_bytes(), data)
        self.assertNotIn("against", texts_of(self.chosen(*map(str, words[1:]))[0][1]))

    def test_the_usual_figures_in_other_formats(self):
        path = self.write(rows([10, 11, 12]))
        out, _ = self.run_plot(path, "--pdf")
        self.assertEqual([line.rpartition("/")[2] for line in out.split()], ["made-strategies.pdf"])
        out, _ = self.run_plot(path)
        self.assertEqual([line.rpartition("/")[2] for line in out.split()], ["made-strategies.svg", "made-strategies.png"])

    def test_texts_are_inside_of_the_figure(self):
        made = [*sorts(), *sorts(mechanism="tail"), *[{**row, "strategy": "sort_levels", "mechanism": "host"} for row in sorts()]]
        for options in (("--width", "84mm", "--no-title"), ("--width", "60mm", "--no-title", "--facet", "fanout"), (), ("--facet", "mechanism,fanout")):
            (_, figure, _), = self.chosen("--x", "grain", *options, made=made)
            with self.subTest(options):
                FigureCanvasAgg(figure).draw()
                width, height = figure.get_size_inches() * figure.dpi
                texts = [*figure.texts, *[text for axes in figure.axes for text in (
                    *axes.texts, axes.xaxis.label, axes.yaxis.label, axes._left_title, *axes.get_xticklabels(), *axes.get_yticklabels())]]
                for text in texts:
                    box = text.get_window_extent()
                    if text.get_text().strip():
                        self.assertTrue(box.x0 > -1 and box.y0 > -1 and box.x1 < width + 1 and box.y1 < height + 1, (text.get_text(), box, width, height))
                self.assertLessEqual(len({axes.get_position().width for axes in figure.axes}), 2)

    def test_bad_options(self):
        made = [*sorts(), *sorts(mechanism="tail")]
        path = self.write(made, columns=SORT)
        for options, message in (
                (("--x", "grian"), "--x grian: a log has no such column, or no figure shows it; allowed: grain, "),
                (("--x", "gpu"), "--x gpu: it is NVIDIA H200 in all 12 cases; allowed: a column that varies: mechanism, fanout, grain"),
                (("--x", "delay-us"), "--x delay_us: no case of made.csv has a value; allowed: a column that varies: mechanism, fanout, grain"),
                (("--x", "block"), "--x block: it is 64 in all 12 cases; allowed: a column that varies: mechanism, fanout, grain"),
                (("--x", "grain", "--y", "input"), "--y input: it has words; allowed: a column of numbers, or time, each, "),
                (("--x", "grain", "--y", "gpu_ns"), "--y gpu_ns: a log has no such column, or no figure shows it; allowed: gpu_us"),
                (("--x", "grain", "--y", "pixels_off"), "--y pixels_off: no row of these 12 cases has a value; allowed here: gpu_us, wall_us, launches_attempted, and others"),
                (("--x", "grain", "--series", "fanout,grain"), "--series grain: it is also in --x; allowed: each column once"),
                (("--x", "grain", "--series", "fan-in"), "--series fan-in: a log has no such column"),
                (("--x", "grain", "--facet", "colour"), "--facet colour: a log has no such column"),
                (("--x", "grain", "--series", "fanout"), "2 cases have grain 256, fanout 16, and differ in mechanism; allowed: --where mechanism=VALUE, "
                 "--series fanout,mechanism, --facet mechanism, or --best: the fastest of them"),
                (("--x", "grain", "--where", "fanout"), "--where fanout; allowed: COLUMN=VALUE or COLUMN=VALUE,VALUE, such as grain=512,2048"),
                (("--x", "grain", "--where", "fanout=7"), "--where fanout=7: no case of the log has 7; allowed: 16, 256"),
                (("--x", "grain", "--where", "inputs=7"), "--where inputs: a log has no such column, or no figure shows it; allowed: input"),
                (("--x", "grain", "--of", "sort_*"), "--of sort_*: no case of the log has sort_*; allowed: quick_kway"),
                (("--x", "grain", "--width", "84"), "--width 84; allowed: 40mm to 600mm, with a unit: mm, cm, in or pt, such as 84mm"),
                (("--x", "grain", "--width", "84px"), "--width 84px; allowed: 40mm to 600mm"),
                (("--x", "grain", "--width", "39mm"), "--width 39mm; allowed: 40mm to 600mm"),
                (("--x", "grain", "--width", "nan"), "--width nan; allowed: 40mm to 600mm"),
                (("--x", "grain", "--width", "-84mm"), None),
                (("--y", "gpu_us"), "--y needs --x, the column along which a figure of your choice is drawn"),
                (("--no-title",), "--no-title needs --x, "), (("--width", "84mm"), "--width needs --x, "), (("--best",), "--best needs --x, ")):
            with self.subTest(options):
                out, messages = self.run_plot(path, *options, expect=2)
                self.assertEqual(out, "")
                if message:
                    self.assertTrue(messages.replace(str(self.folder) + "/", "").startswith(f"plot.sh: {message}"), messages)
                    self.assertLessEqual(len(messages.partition("allowed: ")[2].split(" or ")[0].split(",")), 9)
        for inputs in ((), (self.folder,)):
            self.assertIn("--x takes logs; allowed: plot.sh LOG.csv... --x COLUMN", self.run_plot(*inputs, "--x", "grain", expect=2)[1])
        empty = self.write([], "empty.csv")
        self.assertIn("empty.csv: it has a header and no rows: nothing to draw", self.run_plot(empty, "--x", "grain", expect=2)[1])

    def test_too_many_panels_and_lines(self):
        made = [row for grid in range(1, 47) for block in (32, 64) for row in rows([grid], grid=grid, block=block)]
        path = self.write(made)
        self.assertIn("46 panels: --facet grid; allowed: at most 24", self.run_plot(path, "--x", "block", "--facet", "grid", expect=2)[1])
        self.assertIn("46 lines: --series grid; allowed: at most 40", self.run_plot(path, "--x", "block", "--series", "grid", expect=2)[1])

    def test_lengths(self):
        for text, inches in (("84mm", 84 / 25.4), ("8.4cm", 84 / 25.4), ("3.3in", 3.3), ("240pt", 240 / 72), ("600mm", 600 / 25.4), ("40mm", 40 / 25.4)):
            self.assertAlmostEqual(figures_chosen.inches_of(text), inches)

    def test_logs_of_the_h200(self):
        for words in (("sort", "--x", "elements", "--y", "gpu_us", "--series", "strategy", "--where", "input=uniform", "--where", "type=int32", "--best"),
                      ("launch", "--x", "mechanism", "--y", "each", "--of", "fanout", "--series", "grid", "--best"),
                      ("hazard", "--x", "delay-us", "--y", "wrong", "--width", "84mm"), ("depth", "--x", "depth", "--y", "launches_attempted")):
            out, _ = self.run_plot(ROOT / f"results/h200/{words[0]}.csv", *words[1:], "--png", "-o", self.folder / "drawn")
            self.assertEqual(len(out.splitlines()), 1)

    def test_the_usual_width_is_that_of_the_readme(self):
        (_, figure, _), = self.chosen("--x", "grain")
        self.assertEqual(figure.get_size_inches()[0], figure_style.WIDTH)


if __name__ == "__main__":
    unittest.main()
