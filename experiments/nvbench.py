#!/usr/bin/python3
"""Compares a log's medians with nvbench's times, case by case. experiments/nvbench.sh installs what this needs and
runs it.

nvbench writes the mean of its GPU times into its CSV, not their median. Its cold measurement flushes the L2 cache
before each sample, and holds the stream until all work of the sample is submitted.
"""
import argparse
import os
import sys

import pandas

import checked_output
import log_files
import logs
from checked_output import BadInput

TIME = "GPU Time (sec)"
SHARE_FROM, SHARE, MICROSECONDS = 2**24, 3, 0.7  # allowed: 3 % from 2^24 elements on, 0.7 us below
COLUMNS = ["benchmark", "strategy", "elements", "nvbench_us", "nvbench_samples", "nestbed_us", "nestbed_low_us", "nestbed_high_us",
           "nestbed_samples", "difference_us", "difference_percent", "allowed", "verdict"]


def read_nvbench(options):
    """nvbench's rows of the benchmarks in --map, without skipped ones. The index is the line."""
    table = logs.read_table(options.nvbench)
    table = table.loc[:, ~table.columns.duplicated()]  # there are two of Noise
    for name in ("Benchmark", TIME, options.size, *options.only):
        if name not in table:
            raise BadInput(f"{options.nvbench}, line 1: it has no column '{name}'; it has {', '.join(table)}")
    for name, value in options.only.items():
        table = table[table[name] == value]
    missing = [name for name in options.map if name not in set(table["Benchmark"])]
    if missing:
        raise BadInput(f"{options.nvbench}: it has no row of {', '.join(missing)}; it has {', '.join(sorted(set(table['Benchmark'])))}")
    table = table[table["Benchmark"].isin(options.map)]
    for line in table.index[table["Skipped"] == "Yes"] if "Skipped" in table else []:
        print(f"nvbench.sh: {options.nvbench}, line {line}: nvbench skipped it: left out", file=sys.stderr)
        table = table.drop(line)
    return table


def above_zero(theirs, name, options):
    value = pandas.to_numeric(theirs[name], errors="coerce")
    if not 0 < value < float("inf"):
        raise BadInput(f"{options.nvbench}, line {theirs.name}: {name} is '{theirs[name]}'; allowed: a number above 0")
    return value


def read_ours(options):
    """The rows of the log that were measured as nvbench measures, and are ok."""
    log = logs.read_log(options.log)
    log = log[(log["status"] == "ok") & log["gpu_us"].notna()]
    for name, value in {"submit": "held", "l2": "flushed", **options.where}.items():
        if name not in log:
            raise BadInput(f"{options.log}, line 1: it has no column '{name}'")
        log = log[log[name].astype(str) == value]
    return log


def rows_beside(theirs, strategy, elements, log, options):
    """The rows of the one case in the log that corresponds to a row of nvbench."""
    place = f"{options.nvbench}, line {theirs.name}: {theirs['Benchmark']}"
    mine = log[(log["strategy"] == strategy) & (log["elements"] == elements)]
    if not len(mine):
        raise BadInput(f"{place}: {options.log} has no rows of {strategy} with {elements:.0f} numbers that are ok, submit = held and "
                       "l2 = flushed" + "".join(f", {name} = {value}" for name, value in options.where.items()))
    apart = [name for name in logs.case_columns() if mine[name].nunique(dropna=False) > 1]
    if apart:
        values = "; ".join(f"{name} {', '.join(map(str, mine[name].unique()))}" for name in apart)
        raise BadInput(f"{options.log}: {strategy} with {elements:.0f} numbers has several cases: {values}; allowed: one, chosen by "
                       "--where COLUMN=VALUE")
    if theirs.get("Device Name", mine["gpu"].iloc[0]) != mine["gpu"].iloc[0]:
        raise BadInput(f"{place}: it is of {theirs['Device Name']}, and {options.log} of {mine['gpu'].iloc[0]}; allowed: the same GPU")
    return mine["gpu_us"].tolist()


def compared(options):
    """A table with COLUMNS. Raises BadInput."""
    log, theirs = read_ours(options), read_nvbench(options)
    cases = [(row, options.map[row["Benchmark"]], above_zero(row, options.size, options), 1e6 * above_zero(row, TIME, options))
             for _, row in theirs.iterrows()]
    twice = [f"{row['Benchmark']} with {elements:.0f} numbers" for row, _, elements, _ in cases]
    if twice := sorted({name for name in twice if twice.count(name) > 1}):
        raise BadInput(f"{options.nvbench}: it has several rows of {', '.join(twice)}; allowed: one, chosen by --only AXIS=VALUE")
    samples = [rows_beside(row, strategy, elements, log, options) for row, strategy, elements, _ in cases]
    found = []
    for (row, strategy, elements, us), times, (ours, low, high) in zip(cases, samples, logs.medians(samples)):
        percent, large = 100 * (ours - us) / us, elements >= SHARE_FROM
        within = abs(percent) <= SHARE if large else abs(ours - us) <= MICROSECONDS
        found.append([row["Benchmark"], strategy, f"{elements:.0f}", f"{us:.10g}", row.get("Samples", ""), f"{ours:.6g}", f"{low:.6g}",
                      f"{high:.6g}", len(times), f"{ours - us:.6g}", f"{percent:.4g}", f"{SHARE:g} %" if large else f"{MICROSECONDS:g} us",
                      "within" if within else "outside"])
    return pandas.DataFrame(found, columns=COLUMNS)


def pair_of(text):
    name, _, value = text.rpartition("=")
    if not name or not value:
        raise argparse.ArgumentTypeError(f"'{text}'; allowed: NAME=VALUE")
    return name, value


def options_of(words=None):
    parser = argparse.ArgumentParser(
        prog="nvbench.sh", allow_abbrev=False, description="A log's medians beside nvbench's times, case by case.",
        epilog="Exit codes: 0 all within 3 %% from 2^24 elements on and within 0.7 us below, 1 it could not run, 2 a bad option or file, "
               "3 a difference is larger.")
    parser.add_argument("nvbench", metavar="NVBENCH.csv", help="the CSV that a benchmark of nvbench wrote with --csv")
    parser.add_argument("log", type=log_files.named, metavar="LOG.csv",
                        help="a log of nestbed run; only its rows with submit = held and l2 = flushed are used")
    parser.add_argument("--size", required=True, metavar="AXIS", help="the axis of nvbench with the numbers of a case")
    for name, metavar, text in (("map", "BENCHMARK=STRATEGY", "the strategy of a benchmark; other benchmarks in the file are left out"),
                                ("only", "AXIS=VALUE", "rows of nvbench with this value"),
                                ("where", "COLUMN=VALUE", "rows of the log with this value")):
        parser.add_argument(f"--{name}", action="append", default=[], required=name == "map", type=pair_of, metavar=metavar, help=text)
    parser.add_argument("-o", "--output", metavar="OUT.csv", help="one row per case, into a new file")
    options = parser.parse_args(words)
    options.map, options.only, options.where = dict(options.map), dict(options.only), dict(options.where)
    return options


def main():
    options = options_of()
    if options.output and os.path.lexists(options.output):
        raise BadInput(f"--output {options.output}: it already exists, and nothing is overwritten; allowed: a new file")
    found = compared(options)
    if options.output:
        logs.write_whole(options.output, found.to_csv(index=False).encode())
    print(found.drop(columns=["nvbench_samples", "nestbed_low_us", "nestbed_high_us", "nestbed_samples"]).to_string(index=False))
    return 0 if (found["verdict"] == "within").all() else 3


if __name__ == "__main__":
    checked_output.run("nvbench.sh", main)
