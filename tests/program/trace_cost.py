#!/usr/bin/python3
"""What `nestbed count` and `nestbed trace` cost a program, on a GPU: prints each case of cuda/count_cost.cu with its time in the plain build,
and the ratio of the counted and of the traced one, with an interval of 95 % (bootstrap over rounds and over placements of the code).

    NESTBED=build/release/nestbed tests/program/trace_cost.py [ROUNDS [PLACEMENTS]]
"""
import concurrent.futures
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent / "cuda" / "count_cost.cu"
MODES = {"plain": [], "count": ["count", "--"], "trace": ["trace", "--"]}
NVCC = ["nvcc", "-O3", "-std=c++17", "-arch=native", "-rdc=true"]


def build(folder, nestbed, mode, placement):
    words = [*([nestbed, *MODES[mode]] if MODES[mode] else []), *NVCC, f"-DPAD={placement}", str(SOURCE), "-o", f"{mode}{placement}"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)


def times(folder, mode, placement):
    done = subprocess.run([f"./{mode}{placement}"], cwd=folder, check=True, capture_output=True, text=True, timeout=120,
                          env={**os.environ, "NESTBED_TRACE": "t.csv"})
    return {case: float(us) for case, us in (line.split(": ") for line in done.stdout.splitlines())}


def ratio(of, to):
    """(ratio of the means over placements, of medians over rounds, and its interval). Both are lists of a placement's times."""
    def mean(sample, places, draw):
        return statistics.fmean(statistics.median(draw(sample[place])) for place in places)

    def again(values):
        return random.choices(values, k=len(values))
    places = range(len(to))
    draws = sorted(mean(of, again(places), again) / mean(to, again(places), again) for _ in range(2000))
    return mean(of, places, list) / mean(to, places, list), draws[50], draws[1949]


def main():
    rounds, placements = (int(word) for word in [*sys.argv[1:], *["5", "6"][len(sys.argv) - 1:]])
    nestbed = pathlib.Path(os.environ["NESTBED"]).resolve()
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        builds = [(mode, placement) for mode in MODES for placement in range(placements)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda one: build(folder, nestbed, *one), builds))
        samples = {one: [] for one in builds}
        for _ in range(rounds):
            for one in random.sample(builds, len(builds)):
                samples[one].append(times(folder, *one))
    print("| program | plain, us | count | trace |\n|---|---|---|---|")
    for case in samples[builds[0]][0]:
        of = {mode: [[one[case] for one in samples[mode, placement]] for placement in range(placements)] for mode in MODES}
        plain = statistics.fmean(statistics.median(one) for one in of["plain"])
        cells = ["{:.2f} [{:.2f}, {:.2f}]".format(*ratio(of[mode], of["plain"])) for mode in ("count", "trace")]
        print(f"| {case} | {plain:.1f} | {cells[0]} | {cells[1]} |")


if __name__ == "__main__":
    main()
