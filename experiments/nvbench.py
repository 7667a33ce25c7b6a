#!/usr/bin/python3
"""Compares a log's medians with nvbench's times, case by case. experiments/nvbench.sh installs what this needs and
runs it.

nvbench writes the mean of its GPU times into its CSV, not their median. Its cold measurement flushes the L2 cache
before each sample, and holds the stream until all work of the sample is submitted.
"""
import argparse
import csv
import dataclasses
import io
import os
import re
import sys

import checked_output
import log_files
import logs
from checked_output import BadInput, ScriptError

TIME = "GPU Time (sec)"
MEASURED_ALIKE = {"submit": "held", "l2": "flushed"}
COLUMNS = ["benchmark", "strategy", "elements", "nvbench_us", "nvbench_samples", "nestbed_us", "nestbed_low_us", "nestbed_high_us",
           "nestbed_samples", "difference_us", "difference_percent", "allowed", "verdict"]


@dataclasses.dataclass
class Theirs:
    """A row of nvbench's CSV."""
    line: int
    benchmark: str
    elements: int
    us: float
    samples: str
    device: str


@dataclasses.dataclass
class Compared:
    theirs: Theirs
    strategy: str
    samples: int
    us: float
    low: float
    high: float
    allowed: str
    within: bool

    @property
    def difference(self):
        return self.us - self.theirs.us

    @property
    def percent(self):
        return 100 * self.difference / self.theirs.us

    @property
    def verdict(self):
        return "within" if self.within else "outside"


# --- nvbench's CSV ---


def whole_number(text):
    """The number in 1048576 or 2^20; None for any other text."""
    power = re.fullmatch(r"2\^([0-9]{1,2})", text)
    return 2 ** int(power[1]) if power else int(text) if re.fullmatch("[0-9]{1,18}", text) else None


def seconds_in(path, line, column, text):
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < float("inf"):
        raise BadInput(f"{path}, line {line}: {column} is '{text}'; allowed: a number above 0")
    return seconds


def read_nvbench(path, options):
    """[Theirs] of the benchmarks in --map, without skipped ones. Raises BadInput and logs.LogError."""
    header, lines, rows = logs.read_rows(path)
    # nvbench itself has columns with the same name: a Noise of CPU times and one of GPU times. The first one counts.
    columns = {name: place for place, name in reversed(list(enumerate(header)))}
    for name in ("Benchmark", options.time, options.size, *options.only):
        if name not in columns:
            raise BadInput(f"{path}, line 1: it has no column '{name}'; it has {', '.join(dict.fromkeys(header))}")
    found, before = [], {}
    for line, cells in zip(lines, rows):
        row = {name: cells[place] for name, place in columns.items()}
        if row["Benchmark"] not in options.map or any(row[axis] != value for axis, value in options.only.items()):
            continue
        if row.get("Skipped") == "Yes":
            print(f"nvbench.sh: {path}, line {line}: nvbench skipped it: left out", file=sys.stderr)
            continue
        elements = whole_number(row[options.size])
        if not elements:
            raise BadInput(f"{path}, line {line}: {options.size} is '{row[options.size]}'; allowed: a whole number above 0, or 2^20")
        first = before.setdefault((row["Benchmark"], elements), line)
        if first != line:
            raise BadInput(f"{path}, line {line}: {row['Benchmark']} with {elements} numbers is already in line {first}; allowed: one "
                             "row per case, chosen by --only AXIS=VALUE")
        us = 1e6 * seconds_in(path, line, options.time, row[options.time])
        found.append(Theirs(line, row["Benchmark"], elements, us, row.get("Samples", ""),
                            row.get("Device Name", "")))
    missing = [name for name in options.map if name not in {theirs.benchmark for theirs in found}]
    if missing:
        there = sorted({row[columns["Benchmark"]] for row in rows})
        raise BadInput(f"{path}: it has no row of {', '.join(missing)}; it has {', '.join(there)}")
    return found


# --- beside a log ---


def read_ours(path, options):
    """The rows of a log that were measured as nvbench measures, and are ok."""
    log = logs.read_log(path)
    for name in (*MEASURED_ALIKE, *options.where):
        if name not in log or (log[name] == "").all():  # in a log of an earlier version they are empty
            raise BadInput(f"{path}, line 1: its column '{name}' is missing or empty; allowed: a log with rows of "
                             f"{' and '.join(f'{column} = {value}' for column, value in MEASURED_ALIKE.items())}")
    log = log[(log["status"] == "ok") & log["gpu_us"].notna()]
    for name, value in {**MEASURED_ALIKE, **options.where}.items():
        log = log[log[name].astype(str) == value]
    return log


def rows_beside(theirs, strategy, log, options):
    """The rows of the one case in the log that corresponds to a row of nvbench."""
    place = f"{options.nvbench}, line {theirs.line}: {theirs.benchmark}"
    mine = log[(log["strategy"] == strategy) & (log["elements"] == theirs.elements)]
    if not len(mine):
        raise BadInput(f"{place}: {options.log} has no rows of {strategy} with {theirs.elements} numbers that are ok, submit = held and "
                         "l2 = flushed" + "".join(f", {name} = {value}" for name, value in options.where.items()))
    apart = [name for name in logs.case_columns() if mine[name].nunique(dropna=False) > 1]
    if apart:
        values = {name: ", ".join(map(str, mine[name].unique())) for name in apart}
        raise BadInput(f"{options.log}, line {mine['line'].iloc[0]}: {strategy} with {theirs.elements} numbers has several cases: "
                         f"{'; '.join(f'{name} {found}' for name, found in values.items())}; allowed: one, chosen by --where COLUMN=VALUE")
    if theirs.device and theirs.device != mine["gpu"].iloc[0]:
        raise BadInput(f"{place}: it is of {theirs.device}, and {options.log}, line {mine['line'].iloc[0]} of {mine['gpu'].iloc[0]}; "
                         "allowed: the same GPU")
    return mine


def compared(options):
    log = read_ours(options.log, options)
    pairs = [(theirs, options.map[theirs.benchmark]) for theirs in read_nvbench(options.nvbench, options)]
    samples = [rows_beside(theirs, strategy, log, options)["gpu_us"].tolist() for theirs, strategy in pairs]
    found = []
    for (theirs, strategy), times, (us, low, high) in zip(pairs, samples, logs.medians(samples)):
        by_share = theirs.elements >= options.share_from
        off = 100 * abs(us - theirs.us) / theirs.us if by_share else abs(us - theirs.us)
        found.append(Compared(theirs, strategy, len(times), us, low, high, f"{options.share:g} %" if by_share else f"{options.us:g} us",
                              off <= (options.share if by_share else options.us)))
    return found


def print_table(found, column):
    rows = [["case", "numbers", "nvbench us", "nestbed us", "difference", "", "allowed", "is"]]
    rows += [[f"{one.theirs.benchmark}, {one.strategy}", str(one.theirs.elements), f"{one.theirs.us:.3f}", f"{one.us:.3f}",
              f"{one.difference:+.3f} us", f"{one.percent:+.2f} %", one.allowed, one.verdict] for one in found]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(f"{logs.seen(cell):{'<' if place in (0, 7) else '>'}{width}}"
                        for place, (cell, width) in enumerate(zip(row, widths))).rstrip())
    print(f"nvbench: {logs.seen(column)}{', the mean of its samples' if column == TIME else ''}; nestbed: the median, held and flushed")


def csv_of(found):
    out = io.StringIO(newline="")
    rows = csv.writer(out)
    rows.writerow(COLUMNS)
    for one in found:
        numbers = (one.us, one.low, one.high)
        rows.writerow([one.theirs.benchmark, one.strategy, one.theirs.elements, f"{one.theirs.us:.10g}", one.theirs.samples,
                       *(f"{number:.6g}" for number in numbers), one.samples, f"{one.difference:.6g}", f"{one.percent:.4g}", one.allowed,
                       one.verdict])
    return out.getvalue()


def pair_of(text):
    name, sign, value = text.rpartition("=")
    if not name or not sign or not value:
        raise argparse.ArgumentTypeError(f"'{text}'; allowed: NAME=VALUE")
    return name, value


def bound_of(text):
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}'; allowed: a number from 0 on")
    return value


def numbers_of(text):
    if (number := whole_number(text)) is None:
        raise argparse.ArgumentTypeError(f"'{text}'; allowed: a whole number, or 2^24")
    return number


def options_of(words=None):
    parser = argparse.ArgumentParser(
        prog="nvbench.sh", allow_abbrev=False, description="A log's medians beside nvbench's times, case by case.",
        epilog="Exit codes: 0 all within the bounds, 1 it could not run, 2 a bad option or "
               "file, 3 a difference is larger than its bound.")
    parser.add_argument("nvbench", metavar="NVBENCH.csv", help="the CSV that a benchmark of nvbench wrote with --csv")
    parser.add_argument("log", type=log_files.named, metavar="LOG.csv", help="a log of nestbed run; only its rows with submit = held and l2 = flushed are used")
    parser.add_argument("--map", action="append", required=True, type=pair_of, metavar="BENCHMARK=STRATEGY",
                        help="the strategy of a benchmark; other benchmarks in the file are left out")
    parser.add_argument("--size", required=True, metavar="AXIS", help="the axis of nvbench with the numbers of a case")
    parser.add_argument("--time", default=TIME, metavar="COLUMN", help=f"the column of nvbench with the time in seconds ({TIME}, a mean)")
    parser.add_argument("--only", action="append", default=[], type=pair_of, metavar="AXIS=VALUE", help="rows of nvbench with this value")
    parser.add_argument("--where", action="append", default=[], type=pair_of, metavar="COLUMN=VALUE",
                        help="rows of the log with this value")
    parser.add_argument("--share", type=bound_of, default=3, metavar="PERCENT", help="allowed difference of large cases (3)")
    parser.add_argument("--us", type=bound_of, default=0.7, metavar="MICROSECONDS", help="allowed difference of small cases (0.7)")
    parser.add_argument("--share-from", type=numbers_of, default=2**24, metavar="N", help="numbers from which a case is large (2^24)")
    parser.add_argument("-o", "--output", metavar="OUT.csv", help="one row per case, into a new file")
    options = parser.parse_args(words)
    for name in ("map", "only", "where"):
        pairs = getattr(options, name)
        if len({key for key, _ in pairs}) != len(pairs):
            parser.error(f"--{name}: a name is given twice; allowed: once")
        setattr(options, name, dict(pairs))
    return options


def main():
    options = options_of()
    try:
        if options.output and os.path.lexists(options.output):
            raise BadInput(f"--output {options.output}: it already exists, and nothing is overwritten; allowed: a new file")
        found = compared(options)
        if options.output:
            logs.write_whole(options.output, csv_of(found).encode())
    except OSError as error:
        raise ScriptError(str(error)) from error
    print_table(found, options.time)
    return 0 if all(one.within for one in found) else 3


if __name__ == "__main__":
    checked_output.run("nvbench.sh", main)
