"""What tests of figures share: logs of rows that are made here, and plot.py on them."""
import contextlib
import csv
import io
import sys

from scratch import Scratch

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
