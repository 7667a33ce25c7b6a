#!/usr/bin/python3
"""What it costs that a worker process measures: whole runs with and without one (--in-process), in turn, by the clock on the wall.

    experiments/supervised.py NESTBED LOG.csv [ROUNDS]      12 rounds; a LOG.csv that is there is shown again

`start` is a run that measures nothing (--dry-run), `book` experiments/book.cfg, `short` thousands of the shortest samples. Prints the
difference of the starts, and of the others the ratio of the medians with a 95 % interval by a percentile bootstrap of the rounds. Needs
Python alone.
"""
import csv
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
RUNS = {
    "start": ["--strategy", "neighbored", "--dry-run"],
    "book": [str(HERE / "book.cfg")],
    "short": ["--strategy", "neighbored,last_block,reduce2_tail", "--grid", "64,1024", "--block", "256", "--repeat", "4000"],
}
WAYS = {"worker": [], "in_process": ["--in-process"]}
RESAMPLES = 5000


def seconds_of(nestbed, words):
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        ended = subprocess.run([nestbed, "run", *words, "-o", f"{folder}/log.csv"], capture_output=True, text=True, check=False)
        seconds = time.monotonic() - begin
    if ended.returncode not in (0, 3):  # a race of the book's may come out wrong
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


def show(log):
    with open(log, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    draw = random.Random(1)

    def median_of(name, way, rounds=None):
        seconds = [float(row["seconds"]) for row in rows if (row["run"], row["way"]) == (name, way)]
        return statistics.median(seconds if rounds is None else [seconds[index] for index in rounds])

    for name in RUNS:
        rounds = sum((row["run"], row["way"]) == (name, "worker") for row in rows)
        with_one, without = median_of(name, "worker"), median_of(name, "in_process")
        text = f"{name:6} worker {with_one:.3f} s, one process {without:.3f} s ({rounds} rounds): "
        if name == "start":
            print(text + f"{with_one - without:+.3f} s")
            continue
        ratios = []
        for _ in range(RESAMPLES):
            drawn = draw.choices(range(rounds), k=rounds)
            ratios.append(median_of(name, "worker", drawn) / median_of(name, "in_process", drawn) - 1)
        ratios.sort()
        print(text + f"{with_one / without - 1:+.2%}, {ratios[RESAMPLES // 40]:+.2%} to {ratios[-RESAMPLES // 40]:+.2%}")


def main():
    if len(sys.argv) not in (3, 4) or not (len(sys.argv) == 3 or sys.argv[3].isdigit()):
        sys.exit(__doc__.strip())
    if not pathlib.Path(sys.argv[2]).exists():
        measure(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) == 4 else 12)
    show(sys.argv[2])


if __name__ == "__main__":
    main()
