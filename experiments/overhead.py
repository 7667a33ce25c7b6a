#!/usr/bin/python3
"""How much slower nestbed is with its ledger and with its NVTX ranges than without: from a log of experiments/overhead.sh.

    NESTBED=build/release/nestbed experiments/overhead.py LOG.csv

The ratio of the medians, and its 95 % interval by a bootstrap that draws whole rounds (medians.py). Needs Debian's
python3-pandas.
"""
import sys

import checked_output
import log_files
import logs


def rounds_of(path):
    """{strategy: {variant: [[gpu_us of a run], ...]}}, with one run per round."""
    rows, found = logs.read_table(path), {}
    rows = rows[(rows["status"] == "ok") & (rows["gpu_us"] != "")]  # some strategies are racy: a wrong row has no time
    for (strategy, variant, _), run in rows.groupby(["strategy", "experiment", "run_id"], sort=False):
        found.setdefault(strategy, {}).setdefault(variant, []).append(run["gpu_us"].astype(float).tolist())
    return found


def show(log):
    print(f"{'strategy':10}{'with':>12}{'without':>12}  {'of':8}{'slower by':>10}  95 % interval")
    for strategy, variants in rounds_of(log).items():
        for without, what in (("no_ledger", "ledger"), ("no_nvtx", "NVTX")):
            if not variants.get("full") or not variants.get(without):
                raise checked_output.ScriptError(f"{log}: {strategy} has no ok rows of the variants full and {without}")
            full, less = variants["full"], variants[without]
            (with_it, *_), (without_it, *_) = logs.medians([sum(full, []), sum(less, [])])
            ((ratio, low, high),) = logs.ratios([(full, less)])
            print(f"{logs.printable(strategy):10}{with_it:9.2f} us{without_it:9.2f} us  {what:8}{ratio - 1:+10.2%}  {low - 1:+.2%} to {high - 1:+.2%}"
                  f"  ({len(full)} rounds)")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    show(log_files.named(sys.argv[1]))


if __name__ == "__main__":
    checked_output.run("overhead.py", main)
