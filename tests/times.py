#!/usr/bin/python3
"""How long a user waits: builds a fresh clone of HEAD without a compiler cache, on two cores, and prints each time beside the one that is
asked for. Ends with 1 if one of them is longer. The packages must be there (experiments/build.sh).

    tests/times.py                     the times without CUDA
    tests/times.py --cuda              those with CUDA, too: needs a CUDA toolkit, and no GPU
    tests/times.py first change        only these
    tests/times.py --busy              on a machine that does other work, too: judges by processor seconds, as if nothing else ran
"""
import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
CORES = 2
STRATEGY = "nested/reduce/nosync.cu"


class Wait:
    """A time that is asked for. `prepare` comes before it and is not measured. `cores`: that its commands keep busy, about."""

    def __init__(self, name, asked_s, what, command, cuda=False, cores=CORES, prepare=""):
        self.name, self.asked_s, self.what, self.command, self.cuda, self.cores, self.prepare = name, asked_s, what, command, cuda, cores, prepare


FIRST = "NESTBED=$(experiments/build.sh cpu-only run experiments/book.cfg)/nestbed experiments/run.sh -o first.csv --overwrite"
WAITS = (
    Wait("first", 75, "fresh clone to the first table, without GPU", FIRST),
    Wait("change", 6, "one changed strategy to its module, executor", "cmake --build build/cpu-only --target workload_reduce", cores=1,
         prepare=f"experiments/build.sh cpu-only workload_reduce && echo >>{STRATEGY}"),
    Wait("tests", 240, "tests/run.sh after the first table, with its build", "tests/run.sh", prepare=FIRST),
    Wait("cuda-first", 180, "fresh clone to the first table, --cuda", "experiments/run.sh --cuda -o cuda-first.csv", cuda=True),
    Wait("cuda-change", 12, "one changed strategy to its module, GPU build", "cmake --build build/release --target workload_reduce", cuda=True,
         prepare=f"experiments/build.sh --cuda workload_reduce && echo >>{STRATEGY}"),
    Wait("cuda-all", 420, "all targets of the GPU build, tests too", "experiments/build.sh --cuda", cuda=True, prepare="rm -rf build/release"),
)


def measured(wait, clone, environment):
    """(wall seconds, processor seconds). Raises CalledProcessError."""
    def call(command):
        subprocess.run(["bash", "-c", command], cwd=clone, env=environment, check=True, stdout=sys.stderr)
    if wait.prepare:
        call(wait.prepare)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    call(wait.command)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def judged_s(wait, wall, processor, busy):
    return processor / wait.cores if busy else wall


def table(times, busy):
    """The table of [(wait, wall, processor)], and the names of those that took too long."""
    lines = [f"{'time':<12} {'asked':>7} {'wall':>8} {'processor':>10}  "]
    over = []
    for wait, wall, processor in times:
        late = judged_s(wait, wall, processor, busy) > wait.asked_s
        over += [wait.name] * late
        lines.append(f"{wait.name:<12} {wait.asked_s:>5} s {wall:>6.1f} s {processor:>8.1f} s  {wait.what}{': TOO LONG' if late else ''}")
    return "\n".join(lines) + "\n", over


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [wait.name for wait in WAITS]
    parser.add_argument("names", nargs="*", metavar="TIME", help=f"of {', '.join(names)}; without any, all of the build")
    parser.add_argument("--cuda", action="store_true", help="the times with CUDA, too")
    parser.add_argument("--busy", action="store_true", help="judge by processor seconds: other work runs beside")
    given = parser.parse_args()
    for name in given.names:
        if name not in names:
            parser.error(f"there is no time '{name}'; allowed: {', '.join(names)}")
    waits = [wait for wait in WAITS if wait.name in given.names or (not given.names and (given.cuda or not wait.cuda))]
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NESTBED")} | {"CCACHE_DISABLE": "1"}
    with tempfile.TemporaryDirectory(prefix="nestbed-times-") as folder:
        clone = pathlib.Path(folder) / "nestbed"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        times = []
        for wait in waits:
            if "run.sh" in wait.command:
                shutil.rmtree(clone / "build", ignore_errors=True)
            try:
                times.append((wait, *measured(wait, clone, environment)))
            except subprocess.CalledProcessError as error:
                print(table(times, given.busy)[0], end="", flush=True)  # those that are measured
                sys.exit(f"times.py: {wait.name}: {error}")
    text, over = table(times, given.busy)
    print(text, end="")
    if over:
        sys.exit(f"times.py: too long: {', '.join(over)}")


if __name__ == "__main__":
    main()
