"""What tests of runs share: a run in the folder of the test, and the rows and the manifest that it leaves."""
import csv
import json
import os
import subprocess
import time

from scratch import Scratch

NESTBED = os.path.abspath(os.environ["NESTBED"])
TESTS = os.path.abspath(os.environ["NESTBED_TESTS"])
LIMIT = 120


def rows_of(log):
    with open(log, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def identities(rows):
    return [(row["key"], int(row["repetition"])) for row in rows]


def manifest_of(log):
    return log.with_name(f"{log.name}.json")


def runs_of(log):
    return json.loads(manifest_of(log).read_text())["runs"]


class Runs(Scratch):
    def setUp(self):
        super().setUp()
        self.log = self.folder / "out.csv"

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def start(self, *words, program=NESTBED, command="run", **options):
        process = subprocess.Popen([program, command, *map(str, words)], cwd=self.folder, text=True,
                                   **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for stream in (process.stdout, process.stderr):
            if stream:
                self.addCleanup(stream.close)
        return process

    def ended(self, process, code=0):
        """Standard output and standard error of a process, which must end with this code."""
        out, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, code, err)
        return out, err

    def run_to_end(self, *words, code=0, **options):
        return self.ended(self.start(*words, **options), code)

    def wait_for_rows(self, process, rows, log=None):
        log = log or self.log
        end = time.monotonic() + LIMIT
        while not log.exists() or log.read_bytes().count(b"\n") <= rows:
            self.assertIsNone(process.poll(), "it ended before anything was done to it")
            self.assertLess(time.monotonic(), end, "nothing was measured")
            time.sleep(0.002)
