#!/usr/bin/env python3
"""Barriers and functions of warps that a program uses wrongly, and what it may do: what `nestbed races` says of each kernel.

Each kernel has its findings in its comments: `// ERROR` and `// WARNING` mark the lines of reports, `// RACE` those of accesses. A kernel without one is right.
"""
import json
import pathlib
import re
import unittest

from programs import NESTBED, called, new_folder

FOLDER = pathlib.Path(__file__).parent / "cuda" / "synchronisation"
LABEL = re.compile(r"// (ERROR|WARNING|RACE)\b")


def labels(text: str) -> set[tuple[str, int]]:
    return {(label, number) for number, line in enumerate(text.splitlines(), 1) for label in LABEL.findall(line)}


def found_in(report: dict) -> set[tuple[str, int]]:
    def line(access: dict) -> int:
        return int(access["places"][0].rsplit(":", 1)[1])

    races = {("RACE", line(race[side])) for race in report["races"] for side in ("first", "second")}
    errors = {("ERROR", line(bad["access"])) for bad in report["bad_accesses"]}
    return races | errors | {("WARNING", line(warning["access"])) for warning in report["warnings"]}


class SynchronisationTest(unittest.TestCase):
    """Programs of the folder cuda/synchronisation."""

    def watched(self, source: str, *options: str, schedule: str = "fifo", expected: int = 0) -> dict:
        done = called([NESTBED, "races", FOLDER / source, "--json", "--schedule", schedule, *options], new_folder(""))
        self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def check(self, source: str, expected: int) -> None:
        text = (FOLDER / source).read_text(encoding="utf-8")
        for schedule in ("fifo", "eager", "random:1"):
            with self.subTest(source=source, schedule=schedule):
                self.assertEqual(found_in(self.watched(source, schedule=schedule, expected=expected)), labels(text))

    def test_wrong_uses_are_errors_at_their_lines(self) -> None:
        self.check("wrong.cu", 3)

    def test_right_programs_have_no_report(self) -> None:
        self.check("right.cu", 0)

    def test_what_many_programs_do_is_a_warning(self) -> None:
        self.check("warned.cu", 0)

    def test_strict_makes_warnings_errors(self) -> None:
        report = self.watched("warned.cu", "--strict", expected=3)
        self.assertEqual(report["warnings"], [])
        lines = {line for label, line in labels((FOLDER / "warned.cu").read_text(encoding="utf-8")) if label == "WARNING"}
        self.assertEqual({line for _, line in found_in(report)}, lines)

    def test_accesses_that_the_compiler_removes_are_seen(self) -> None:
        self.check("removed.cu", 3)

    def test_without_the_detector_missing_lanes_end_the_kernel(self) -> None:
        for which, message in (("mask", r"ended\.cu:\d+: lane 8 calls __ballot_sync\(\) with the mask 0x000000ff, in which it is not"),
                               ("lanes", r"ended\.cu:\d+: __shfl_sync\(\) with the mask 0xffffffff waits for lanes 16-31, which never come "
                                         r"\(waiting in __syncthreads\(\) at .*ended\.cu:\d+\)"),
                               ("masks", r"lane \d+ calls __syncwarp\(\) with the mask 0x\w+, and lanes? .* waits? for it in __syncwarp\(\)"),
                               ("child", r"kernel two_barriers \(launched at .*ended\.cu:\d+\), block \(0,0,0\): threads of one block wait at "
                                         r"two barriers"),
                               ("line", r"two barriers, .*ended\.cu:(\d+) and another one of the same line, .*ended\.cu:\1;")):
            with self.subTest(which=which):
                done = called([NESTBED, "cpu", FOLDER / "ended.cu", "--", which], new_folder(""))
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertRegex(" ".join(done.stderr.split()), message)


if __name__ == "__main__":
    unittest.main()
