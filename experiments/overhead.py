#!/usr/bin/python3
"""How much slower nestbed is with its ledger and with its NVTX ranges than without: from a log of experiments/overhead.sh.

    experiments/overhead.py LOG.csv

The ratio of the medians, and its 95 % interval by a percentile bootstrap that draws whole rounds, for samples of one process are
alike (Davison and Hinkley, "Bootstrap Methods and their Application", section 3.8). Needs Debian's python3-numpy.
"""
import csv
import sys
from collections import defaultdict

import numpy

RESAMPLES = 5000


def rounds_of(path):
    """{strategy: {variant: [[gpu_us of a run], ...]}}, a run a round."""
    found = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            # Racy strategies are: a row that came out wrong has no time.
            if row["status"] == "ok" and row["gpu_us"]:
                found[row["strategy"]][row["experiment"]][row["run_id"]].append(float(row["gpu_us"]))
    return {strategy: {variant: list(runs.values()) for variant, runs in variants.items()}
            for strategy, variants in found.items()}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    random = numpy.random.default_rng(1)

    def drawn(runs):
        return numpy.median(numpy.concatenate([runs[index] for index in random.integers(len(runs), size=len(runs))]))

    print(f"{'strategy':10}{'with':>12}{'without':>12}  {'of':8}{'slower by':>10}  95 % interval")
    for strategy, variants in rounds_of(sys.argv[1]).items():
        for without, what in (("no_ledger", "ledger"), ("no_nvtx", "NVTX")):
            if not variants.get("full") or not variants.get(without):
                sys.exit(f"overhead.py: {sys.argv[1]}: {strategy} has no ok rows of the variants full and {without}")
            full, less = ([numpy.array(run) for run in variants[name]] for name in ("full", without))
            medians = [numpy.median(numpy.concatenate(runs)) for runs in (full, less)]
            ratios = [drawn(full) / drawn(less) - 1 for _ in range(RESAMPLES)]
            low, high = numpy.percentile(ratios, [2.5, 97.5])
            print(f"{strategy:10}{medians[0]:9.2f} us{medians[1]:9.2f} us  {what:8}{medians[0] / medians[1] - 1:+10.2%}"
                  f"  {low:+.2%} to {high:+.2%}  ({len(full)} rounds)")


if __name__ == "__main__":
    main()
