#!/usr/bin/python3
"""Reads what ctest prints while it prints it, and shows how far it is and what failed, in lines of 80 columns. At the end it says, from the JUnit
file that ctest wrote: the end of what each failed test said, how many passed, why others were skipped, what was left, and the command that
runs only what failed.

    ctest ... --output-junit RESULTS.xml | tests/summary.py RESULTS.xml COMMAND...    COMMAND: the words of this run without ctest's options
"""
import collections
import os
import re
import shlex
import sys
import textwrap
import time
import xml.etree.ElementTree

COLUMNS = 80
STARTED = re.compile(r"\s*Start\s+\d+: ")
ENDED = re.compile(r"\s*(\d+)/(\d+) Test\s+#\d+: (.*?) ?\.*( +Passed|\*\*\*.*?) +([\d.]+) sec$")
# The summary says these with their reasons. ctest's own lists are as long as the names.
LISTS = re.compile(r"The following tests (did not run|FAILED):|\t *\d+ - |Errors while running CTest|"
                   r"Use \"--rerun-failed|Label Time Summary|\w+ += +[\d.]+ sec\*proc")
MOST_BY_NAME = 8  # failed tests that the command names


class Progress:
    """In a terminal one line that changes; elsewhere a line for every tenth of the tests."""

    def __init__(self):
        self.terminal, self.begin, self.tenth, self.shown = sys.stdout.isatty(), time.monotonic(), 0, False

    def clear(self):
        if self.shown:
            print("\r\x1b[K", end="")
        self.shown = False

    def show(self, done, of):
        said = f"{done} of {of} tests, {time.monotonic() - self.begin:.0f} s"
        if self.terminal:
            print(f"\r\x1b[K{said}", end="", flush=True)
            self.shown = True
        elif 10 * done // of > self.tenth:
            self.tenth = 10 * done // of
            print(said, flush=True)


def follow(lines):
    """Shows what ctest prints. Lines that this script does not know are shown as they are."""
    progress = Progress()
    for line in lines:
        line = line.rstrip("\n")
        if ended := ENDED.match(line):
            done, of, name, how, seconds = ended.groups()
            if not re.search("Passed|Skipped|Disabled", how):
                progress.clear()
                print(f"FAILED after {float(seconds):.0f} s: {name}"[:COLUMNS], flush=True)
            progress.show(int(done), int(of))
        elif not STARTED.match(line) and not LISTS.match(line):
            progress.clear()
            if line:
                print(line.replace(" are in: ", " are in:\n  "), flush=True)  # ctest says where all is that failed tests said
    progress.clear()


def wrapped(text, indent="    "):
    return textwrap.fill(text, COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def reason_of(test):
    """Why a test was skipped: what it says, in one line. GoogleTest says it below 'Skipped', our scripts after 'skipped:'."""
    said = (test.findtext("system-out") or "").strip()
    for pattern in (r": Skipped\n(.+)", r"\bskipped: (.+)", r"(.+)$"):
        if found := re.search(pattern, said):
            return found[1]
    return "the test does not say why"


def skipped_within(test):
    """What a script whose other tests passed says that it skipped (tests/scripts/scratch.py)."""
    return re.findall(r"^skipped: (.+ \(\d+ of \w+\))$", test.findtext("system-out") or "", re.MULTILINE)


def end_of(test, lines=25):
    """The end of what a test said, where its failure stands: a log of a run in CI may be cut before."""
    said = (test.findtext("system-out") or "").strip().splitlines()
    return "\n".join(f"  {line}" for line in said[-lines:])


def command_of(names, words):
    """The command that runs these tests again."""
    if len(names) > MOST_BY_NAME:
        options = ["--rerun-failed"]
    else:
        options = ["-R", "^(" + "|".join(re.sub(r"([][.^$*+?()|\\])", r"\\\1", name) for name in names) + ")$"]
    return " ".join(word if re.match(r"NESTBED=", word) else shlex.quote(word) for word in [*words, *options])


def main():
    sys.stdin.reconfigure(errors="backslashreplace")  # a test may print any bytes
    sys.stdout.reconfigure(errors="backslashreplace")
    try:
        follow(sys.stdin)
    except KeyboardInterrupt:
        sys.exit(130)
    results, *words = sys.argv[1:]
    if not os.path.getsize(results):
        return  # ctest ran nothing, and said why
    passed, failed, reasons = 0, [], collections.Counter()
    for test in xml.etree.ElementTree.parse(results).getroot().iter("testcase"):
        if test.get("status") == "run":
            passed += 1
        elif test.get("status") == "fail" or test.find("skipped[@message='Unable to find executable']") is not None:
            failed.append(test.get("name"))
            print(f"\n{test.get('name')} failed:\n{end_of(test)}")
        else:
            reasons[reason_of(test)] += 1
    skipped = sum(reasons.values())
    print(f"\n{passed} passed, {len(failed)} failed, {skipped} skipped")
    for reason, count in reasons.most_common():
        print(wrapped(f"  {count} skipped: {reason}"))
    for test in xml.etree.ElementTree.parse(results).getroot().iter("testcase"):
        for reason in skipped_within(test) if test.get("status") == "run" else ():
            print(wrapped(f"  skipped in a test that passed: {reason}"))
    if os.environ.get("NESTBED_ALL") != "1":
        print("left to tests/run.sh --all: most inputs, the race detector, users' programs,\n"
              "    and more: tests/README.md#what-a-run-leaves-out")
    if failed:
        print("\nfailed:", *failed, sep="\n  ")
        print(f"to run only what failed:\n  {command_of(failed, words)}")


if __name__ == "__main__":
    main()
