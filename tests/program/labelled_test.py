#!/usr/bin/python3
"""Kernels with labels: the verdict of executor and detector on each, by three schedules, in one table.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/labelled_test.py

Each file of labelled/ is one program with many kernels, in variants: right, and with a bug. Labels in its source say which
lines the report must name (labelled.h). The bugs and the ways to parallelise are of the kinds of the Indigo suite (Liu,
Azami, Walters and Burtscher, ISPASS 2022); launches from kernels are ours. With NESTBED_THOROUGH set there are
more schedules and inputs, and nvcc compiles all files.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = sorted((HERE / "labelled").glob("*.cu"))
LIMITS = (HERE.parents[1] / "nested/races.md").read_text(encoding="utf-8")
NESTBED = pathlib.Path(os.environ["NESTBED"]).resolve()
THOROUGH = bool(os.environ.get("NESTBED_THOROUGH"))
SCHEDULES = ["fifo", "eager", "random:1"] + [f"random:{seed}" for seed in range(2, 12) if THOROUGH]
INPUTS = ["0", "1", "2"] if THOROUGH else ["0"]
BUILD_S, RUN_S = 300, 60
LEAST_KERNELS = 100
LABEL = re.compile(r"(also )?(race|out of bounds|uninitialized|memory of another block|memory of another thread|synchronization) in ([\w., ]+)")

Label = collections.namedtuple("Label", "kind file line certain")
Variant = collections.namedtuple("Variant", "kernel bug shows limit labels")


def labels_of(source):
    """{"bug" or "kernel.bug": [Label]} of a file and the headers of its folder that it includes."""
    found = collections.defaultdict(list)
    files = [source, *(source.with_name(name) for name in re.findall(r'#include "(\w+\.h)"', source.read_text(encoding="utf-8")))]
    for file in files:
        above = []  # labels in lines of their own
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            code, _, comment = line.partition("// ")
            parts = [part for part in (LABEL.fullmatch(text) for text in comment.split("; ")) if part]
            if not code.strip():
                above += parts
                continue
            for part in above + parts:
                for bug in part[3].split(", "):
                    found[bug].append(Label(part[2], file.name, number, not part[1]))
            above = []
    return found


class Verdict:
    """What a run says of a variant."""

    def __init__(self, binary, variant, schedule, number):
        with tempfile.TemporaryDirectory(prefix="nestbed-labelled-") as folder:
            report = pathlib.Path(folder) / "report.json"
            inherited = {name: value for name, value in os.environ.items() if not name.startswith("NESTBED_")}
            run = subprocess.run([str(binary), variant.kernel, variant.bug, number], capture_output=True, text=True, timeout=RUN_S, check=False,
                                 env={**inherited, "NESTBED_SCHEDULE": schedule, "NESTBED_REPORT": str(report)})
            told = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {"races": [], "bad_accesses": []}
        self.text = run.stdout + run.stderr
        self.places = {("race", *place_of(race[which])) for race in told["races"] for which in ("first", "second")} \
            | {(bad["kind"], *place_of(bad["access"])) for bad in told["bad_accesses"]}
        words = [kind for kind in ("race", "out of bounds", "uninitialized", "memory of another block", "memory of another thread",
                                     "synchronization") if any(place[0] == kind for place in self.places)]
        if not words and run.returncode != 0:
            words = ["wrong answer" if run.stdout == "WRONG\n" else "fault"]
        if re.search(r"(?m)^nestbed: \S+: warning: ", run.stderr):
            words.append("warning")
        self.words = ", ".join(words) or "none"
        self.kinds = words
        self.right = self.is_as_labelled(variant)

    def is_as_labelled(self, variant):
        known = {(label.kind, label.file, label.line) for label in variant.labels}
        certain = {(label.kind, label.file, label.line) for label in variant.labels if label.certain}
        if variant.limit:  # missed, or reported without need; when the detector learns it, the limit goes
            return self.places <= known if variant.bug != "none" else bool(self.places)
        if not certain <= self.places <= known:
            return False
        return variant.shows in self.kinds if variant.shows else bool(certain) or not self.kinds


def place_of(access):
    file, line = access["places"][0].rsplit(":", 1)
    return pathlib.Path(file).name, int(line)


def build(source, folder):
    """Returns the binary and its variants."""
    binary = folder / source.stem
    built = subprocess.run([str(NESTBED), "nvcc", "--nestbed-races", "-rdc=true", "-arch=sm_90", str(source), "-o", str(binary)],
                           capture_output=True, text=True, timeout=BUILD_S, check=False)
    if built.returncode != 0:
        raise AssertionError(f"{source.name}: the build ended with {built.returncode}:\n{built.stderr}")
    # Without arguments it lists what it has; a watched program of which no kernel ran exits with 3.
    listing = subprocess.run([str(binary)], capture_output=True, text=True, timeout=RUN_S, check=False)
    if listing.returncode != 3:
        raise AssertionError(f"{source.name} without arguments ended with {listing.returncode}:\n{listing.stderr}")
    labels = labels_of(source)
    variants = []
    for line in listing.stdout.splitlines():
        kernel, bug, shows, limit = line.split("|")
        variants.append(Variant(kernel, bug, shows, limit, labels.get(bug, []) + labels.get(f"{kernel}.{bug}", [])))
    own = {bug for bug, of_bug in labels.items() if any(label.file == source.name for label in of_bug)}
    if unused := own - {variant.bug for variant in variants} - {f"{variant.kernel}.{variant.bug}" for variant in variants}:
        raise AssertionError(f"{source.name}: labels of bugs that no variant has: {sorted(unused)}")
    return binary, variants


def label_text(variant):
    lines = collections.defaultdict(list)
    for label in variant.labels:
        if label.certain:
            lines[label.kind].append(str(label.line) if label.file.endswith(".cu") else f"{label.file}:{label.line}")
    text = "; ".join(f"{kind} {', '.join(numbers)}" for kind, numbers in lines.items()) or variant.shows or "none"
    return text + (" (limit)" if variant.limit else "")


def print_table(rows, head):
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    print()


def counts_of(results):
    """{kind of bug: [kernels, verdicts that are true positives, false positives, true negatives, false negatives]}."""
    counts = collections.defaultdict(lambda: [0, 0, 0, 0, 0])
    for variant, verdicts in results:
        for name in (variant.bug, "total"):
            counts[name][0] += 1
            for verdict in verdicts:
                finds = bool(verdict.kinds)
                counts[name][(1 if finds else 4) if variant.bug != "none" else (2 if finds else 3)] += 1
    return {kind: counts[kind] for kind in sorted(counts, key=lambda kind: (kind == "total", kind != "none", kind))}


class Labelled(unittest.TestCase):
    """All kernels of labelled/."""

    def test_every_verdict_is_that_of_the_label(self):
        wrong, results = [], []
        with tempfile.TemporaryDirectory(prefix="nestbed-labelled-") as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            built = [pool.submit(build, source, pathlib.Path(folder)) for source in SOURCES]
            for future in built:
                binary, variants = future.result()
                for variant in variants:
                    runs = [pool.submit(Verdict, binary, variant, schedule, number) for number in INPUTS for schedule in SCHEDULES]
                    results.append((binary.name, variant, runs))
            rows = []
            for name, variant, runs in results:
                verdicts = [run.result() for run in runs]
                right = all(verdict.right for verdict in verdicts)
                rows.append([name, variant.kernel, variant.bug, label_text(variant), *(verdict.words for verdict in verdicts[:3]),
                             "right" if right else "WRONG"])
                wrong += [f"{name}: {variant.kernel}, {variant.bug}: labelled {label_text(variant)}\n{sorted(verdict.places)}\n{verdict.text}"
                          for verdict in verdicts if not verdict.right]
        verdicts = [(variant, [run.result() for run in runs]) for _, variant, runs in results]
        print()
        print_table(rows, ["file", "kernel", "bug", "label: lines", *SCHEDULES[:3], "verdicts"])
        print_table([[kind, *map(str, counts)] for kind, counts in counts_of(verdicts).items()],
                    ["bug", "kernels", "true positives", "false positives", "true negatives", "false negatives"])
        print_table([[variant.kernel, variant.bug, variant.limit] for variant, _ in verdicts if variant.limit],
                    ["kernel", "bug", "limit that nested/races.md names: missed, or reported though correct"])
        self.assertEqual(wrong, [], "\n".join(wrong[:5]))
        self.assertGreaterEqual(len(rows), LEAST_KERNELS)
        for _, variant, _ in results:
            self.assertIn(f"- {variant.limit}" if variant.limit else "", LIMITS, "a limit that nested/races.md does not name")

    @unittest.skipUnless(THOROUGH and shutil.which("nvcc"), "only the thorough run compiles with nvcc, if there is one")
    def test_the_kernels_are_cuda(self):
        for source in SOURCES:
            with self.subTest(source=source.name), tempfile.TemporaryDirectory(prefix="nestbed-labelled-") as folder:
                done = subprocess.run(["nvcc", "-rdc=true", "-arch=sm_90", "-c", str(source), "-o", f"{folder}/object.o"],
                                      capture_output=True, text=True, timeout=BUILD_S, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
