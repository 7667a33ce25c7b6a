"""What tests of scripts share: the repository, its scripts on Python's path, and a folder for each test."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "experiments"))

ALL = os.environ.get("NESTBED_ALL") == "1"
only_all = unittest.skipUnless(ALL, "left to tests/run.sh --all")


class Scratch(unittest.TestCase):
    """`folder` is removed after the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
