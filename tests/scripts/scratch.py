"""What tests of scripts share: the repository, its scripts on Python's path, a folder for each test, and why tests were skipped."""
import collections
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "experiments"))

NESTBED = os.environ.get("NESTBED", "")
ALL = os.environ.get("NESTBED_ALL") == "1"
LEFT = "left to tests/run.sh --all"
only_all = unittest.skipUnless(ALL, LEFT)


def called(*words, cwd=ROOT, nestbed=NESTBED):
    return subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True, check=False,
                          env={**os.environ, "NESTBED": nestbed})


def why_no_terminal():
    """Why this machine gives no pseudo-terminal, as in a chroot without /dev/pts; None if it gives one."""
    try:
        for end in os.openpty():
            os.close(end)
    except OSError as error:
        return f"this machine gives no pseudo-terminal: {error.strerror}"
    return None


needs_terminal = unittest.skipIf(why_no_terminal(), why_no_terminal())


class Result(unittest.TextTestResult):
    """At the end says what was skipped and why, in lines that tests/summary.py reads."""

    def stopTestRun(self):
        super().stopTestRun()
        reasons = collections.Counter(reason for _, reason in self.skipped if reason != LEFT)
        for reason, count in reasons.items():
            self.stream.writeln(f"\nskipped: {reason} ({count} of {pathlib.Path(sys.argv[0]).stem})")


unittest.TextTestRunner.resultclass = Result


class Scratch(unittest.TestCase):
    """`folder` is removed after the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
