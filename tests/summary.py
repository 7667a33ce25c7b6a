#!/usr/bin/python3
"""Says what failed, how many tests ran, how many were skipped and why, and what was left: of the JUnit file that ctest wrote.

    tests/summary.py RESULTS.xml
"""
import collections
import os
import re
import sys
import xml.etree.ElementTree


def reason_of(test):
    """Why a test was skipped: what it says, in one line. GoogleTest says it below 'Skipped', our scripts after 'skipped:'."""
    said = (test.findtext("system-out") or "").strip()
    for pattern in (r": Skipped\n(.+)", r"\bskipped: (.+)", r"(.+)$"):
        if found := re.search(pattern, said):
            return found[1]
    return "the test does not say why"


def end_of(test, lines=25):
    """The end of what a test said, where its failure stands: a log of a run in CI may be cut before."""
    said = (test.findtext("system-out") or "").strip().splitlines()
    return "\n".join(f"  {line}" for line in said[-lines:])


def main():
    counts = collections.Counter()
    reasons = collections.Counter()
    for test in xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
        status = {"run": "passed", "fail": "failed"}.get(test.get("status"), "skipped")
        counts[status] += 1
        if status == "skipped":
            reasons[reason_of(test)] += 1
        if status == "failed":
            print(f"{test.get('name')} failed:\n{end_of(test)}")
    print(f"{counts['passed'] + counts['failed']} tests ran: {counts['passed']} passed, {counts['failed']} failed; "
          f"{counts['skipped']} skipped")
    for reason, count in reasons.most_common():
        print(f"  {count} skipped: {reason}")
    if os.environ.get("NESTBED_ALL") != "1":
        print("left to tests/run.sh --all: most inputs, the race detector, users' programs, and more: tests/README.md#what-a-run-leaves-out")


if __name__ == "__main__":
    main()
