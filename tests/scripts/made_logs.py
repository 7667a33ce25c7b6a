"""What tests of figures share: logs of rows that are made here, and plot.py on them."""
import contextlib
import csv
import io
import sys

from scratch import Scratch

import matplotlib

import checked_output
import figures
import logs
import plot

COLUMNS = ["experiment", "run_id", "strategy", "backend", "mechanism", "type", "elements", "grid", "block", "depth", "delay_us",
           "pending_limit_asked", "limit_bytes", "wave", "streams", "repetition", "gpu_us", "wall_us", "bandwidth_gb_s",
           "peak_gb_s", "launches_expected", "launches_attempted", "launches_failed", "launches_by_depth", "status", "detail",
           "gpu", "driver", "cuda", "git"]
ROW = {"experiment": "made", "run_id": "1", "strategy": "nosync", "backend": "cuda", "mechanism": "null_stream", "type": "int32",
       "elements": "1024", "grid": "16", "block": "64", "depth": "full", "status": "ok", "gpu": "NVIDIA H200", "driver": "580.1",
       "cuda": "13.0", "git": "abc123"}
UNTIMED = {"gpu_us": "", "wall_us": ""}
SWEPT = (1024, 2048, 4096)
BY_NEED = [*COLUMNS, "input", "nx", "ny", "dwell", "threshold", "coarsen", "aggregate", "overflow"]
SORT, SEARCH = [*BY_NEED, "values"], [*BY_NEED, "cutoff", "budget", "tree_levels", "root_children", "queens"]
GRAPH = [*BY_NEED, "edge_factor", "graph_file", "bucket_width", "work", "seed"]
SUBMITTED = [*COLUMNS, "submit", "submit_asked"]


def rows(times, **cells):
    """One row per time in microseconds. None makes a failed row, with status wrong unless the cells set another
    one."""
    made = []
    for repetition, time in enumerate(times):
        row = {**ROW, "repetition": str(repetition), "launches_attempted": "10", "launches_expected": "10",
               "launches_failed": "0"}
        row.update({"gpu_us": f"{time:.3f}", "wall_us": f"{time + 1:.3f}"} if time is not None else {"status": "wrong"})
        made.append({**row, **{name: str(value) for name, value in cells.items()}})
    return made


def along(column, values, times=(10, 11, 12), **cells):
    """Rows that differ in a column; a cell that is a function follows from its value."""
    return [row for value in values for row in rows(times, **{column: value, **{
        name: cell(value) if callable(cell) else cell for name, cell in cells.items()}})]


def untimed(made):
    return [{**row, **UNTIMED, "status": "wrong"} for row in made]


def by_need(time, aggregate="none", threshold=0, coarsen=1, launches=100, **more):
    """A row of bezier_children."""
    return rows([time], **{"strategy": "bezier_children", "mechanism": "fire_and_forget", "input": "curves", "elements": 512, "type": "",
                           "aggregate": aggregate, "threshold": threshold, "coarsen": coarsen, "overflow": "waves",
                           "launches_expected": launches, "launches_attempted": launches, **more})


def flat(time, **more):
    return rows([time], **{"strategy": "bezier_balanced", "mechanism": "none", "input": "curves", "elements": 512, "type": "",
                           "launches_expected": 0, "launches_attempted": 0, **more})


def nested_or_flat(time, strategy, nested, launches=1, **more):
    """A row of a sort or of a tree search, by tail launches or flat."""
    return rows([time], **{"strategy": strategy, "mechanism": "tail" if nested else "none", "type": "int32", "aggregate": "grid" if nested else "",
                           "threshold": 0 if nested else "", "coarsen": 1 if nested else "", "launches_expected": launches * nested,
                           "launches_attempted": launches * nested, **more})


def sort(time, strategy="quick_kway", **more):
    return nested_or_flat(time, strategy, strategy.startswith("quick_"), **{"input": "uniform", "elements": 1024, "values": "none", **more})


def search(time, strategy="search_budget", launches=7, **more):
    size = {} if "input" in more else {"root_children": 2000}
    return nested_or_flat(time, strategy, strategy in ("search_budget", "search_children"), launches,
                          **{"input": "t3", "elements": "", "type": "", "cutoff": 65535, "budget": 16, **size, **more})


def graph_search(time, strategy="bfs_tail", **more):
    """A row of a search of a graph, by tail launches or flat."""
    nested = strategy in ("bfs_tail", "sssp_tail", "bfs_children")
    return rows([time], **{"strategy": strategy, "mechanism": "tail" if nested else "host", "input": "rmat", "elements": 1024, "type": "", "work": 4000,
                           "edge_factor": 16, "seed": 1, "launches_expected": int(nested), "launches_attempted": int(nested), **more})


def as_written(row):
    """The row with the cells that a run writes because of its other cells."""
    row = {name: str(value) for name, value in row.items()}
    if row.get("launches_attempted", "0") not in ("", "0"):
        row["launches_by_depth"] = row.get("launches_by_depth") or row["launches_attempted"]
    if any(row.get(name) for name in ("wave", "streams", "limit_bytes")):
        row = {**row, **{name: row.get(name) or number for name, number in (("wave", "1"), ("streams", "1"), ("limit_bytes", "0"))}}
    if row.get("status", "ok") != "ok":
        row["detail"] = row.get("detail") or "why"
    return row


def texts_of(figure):
    """All texts of a figure, joined."""
    found = [text.get_text() for text in figure.texts]
    for axes in figure.axes:
        found += [text.get_text() for text in [*axes.texts, axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label]]
    return "\n".join(found)


def words_of(figure):
    """The same with one blank between two words, however their lines are broken."""
    return " ".join(texts_of(figure).split())


class MadeLogs(Scratch):
    """Writes logs of rows that are made here, and runs plot.py."""

    def write(self, made, name="made.csv", columns=None):
        path = self.folder / name
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns or COLUMNS, restval="", extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(map(as_written, made))
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
                    code = checked_output.ended("plot.sh", plot.main)
                except SystemExit as leaving:
                    code = leaving.code
        finally:
            sys.argv = before
        self.assertEqual(code, expect, messages.getvalue())
        return out.getvalue(), messages.getvalue()


class FigureTest(MadeLogs):
    """Logs that are made here, and what their figures show."""

    def check_figure(self, file, made, texts=(), lacks=(), lines=(), columns=None, panels=None):
        """The figure of a file must have these words, lines with these values, and so many panels. Returns it."""
        with self.subTest(file, texts=texts):
            figure = self.drawn(made, columns=columns)[f"made-{file}"]
            words = words_of(figure)
            for text in texts:
                self.assertIn(text, words)
            for text in lacks:
                self.assertNotIn(text, words)
            values = [tuple(round(float(y), 6) for y in line.get_ydata() if y == y) for axes in figure.axes for line in axes.get_lines()]
            for line in lines:
                self.assertIn(tuple(round(y, 6) for y in line), values)
            if panels is not None:
                self.assertEqual(len(figure.axes), panels)
            return figure

    def files_of(self, made, columns=None):
        return {name.removeprefix("made-") for name in self.drawn(made, columns=columns)}

    def lines_of(self, figure, label):
        """The lines with more than one point, on the axes with this y label."""
        return [line for axes in figure.axes if axes.get_ylabel() == label for line in axes.get_lines() if len(line.get_xdata()) > 1]

    def line_of(self, figure, points):
        return next(line for axes in figure.axes for line in axes.get_lines() if len(line.get_xdata()) == points)

    def crosses(self, figure):
        """{colour: x values} of the × marks of a figure."""
        found = {}
        for line in [line for axes in figure.axes for line in axes.get_lines() if line.get_marker() == "x"]:
            found.setdefault(matplotlib.colors.to_hex(line.get_color()), []).extend(line.get_xdata())
        return found

    def panels(self, figure):
        """{title: axes} of a figure."""
        return {axes.get_title(loc="left"): axes for axes in figure.axes}

    def names_of_rows(self, axes):
        return [text.get_text() for text in axes.texts if text.get_position()[0] < 0]

    def dots(self, axes):
        """{mark: [(x, y)]} of the dots on axes."""
        found = {}
        for line in [line for line in axes.get_lines() if len(line.get_xdata()) == 1]:
            found.setdefault(line.get_marker(), []).append((round(line.get_xdata()[0], 9), line.get_ydata()[0]))
        return found
