#!/usr/bin/python3
"""Measures the cost of the worker process: whole runs with a worker and without one (--in-process), in turn, by the
wall clock.

    experiments/supervised.py NESTBED LOG.csv [ROUNDS]      12 rounds; shows an existing LOG.csv again

`start` is a run that measures nothing (--dry-run), `book` is experiments/book.cfg, and `short` takes thousands of the
shortest samples. Prints the difference of the starts, and for the others the ratio of the medians with its 95 %
interval (`nestbed statistics`). Measuring needs only Python; showing needs Debian's python3-pandas.
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import checked_output

HERE = pathlib.Path(__file__).resolve().parent
RUNS = {
    "start": ["--strategy", "neighbored", "--dry-run"],
    "book": [str(HERE / "book.cfg")],
    "short": ["--strategy", "neighbored,last_block,reduce2_tail", "--grid", "64,1024", "--block", "256", "--repeat", "4000"],
}
WAYS = {"worker": [], "in_process": ["--in-process"]}


def seconds_of(nestbed, words):
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        ended = subprocess.run([nestbed, "run", *words, "-o", f"{folder}/log.csv"], capture_output=True, text=True, check=False)
        seconds = time.monotonic() - begin
    if ended.returncode not in (0, 3):  # a race in the book's experiment may give wrong rows
        sys.exit(f"supervised.py: {' '.join(words)}: exit code {ended.returncode}: {ended.stderr.strip()}")
    return seconds


def measure(nestbed, log, rounds):
    with open(log, "x", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["run", "way", "round", "seconds"])
        for turn in range(rounds):
            for name, words in RUNS.items():
                for way in list(WAYS)[:: 1 if turn % 2 == 0 else -1]:
                    rows.writerow([name, way, turn, f"{seconds_of(nestbed, [*words, *WAYS[way]]):.4f}"])
                    file.flush()


def show(log, logs):
    with open(log, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for name in RUNS:
        both = [[float(row["seconds"]) for row in rows if (row["run"], row["way"]) == (name, way)] for way in WAYS]
        (with_one, *_), (without, *_) = logs.medians(both)
        ((ratio, low, high),) = logs.ratios([both])
        text = f"{name:6} worker {with_one:.3f} s, one process {without:.3f} s ({len(both[0])} rounds): "
        print(text + (f"{with_one - without:+.3f} s" if name == "start" else f"{ratio - 1:+.2%}, {low - 1:+.2%} to {high - 1:+.2%}"))


def main():
    if len(sys.argv) not in (3, 4) or not (len(sys.argv) == 3 or sys.argv[3].isdigit()):
        sys.exit(__doc__.strip())
    if not pathlib.Path(sys.argv[2]).exists():
        measure(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) == 4 else 12)
    os.environ["NESTBED"] = sys.argv[1]
    import logs  # not at the top: where pandas is not installed, a log can still be made
    show(sys.argv[2], logs)


if __name__ == "__main__":
    checked_output.run("supervised.py", main)
