#!/usr/bin/python3
"""Tests of runs whose files something else changes, and of the file descriptors that a run starts with.

    NESTBED=build/release/nestbed NESTBED_TESTS=build/release/tests/nestbed_tests /usr/bin/python3 -W error tests/scripts/attacked_test.py
"""
import os
import pathlib
import pty
import subprocess
import tempfile
import unittest

from runs import LIMIT, NESTBED, Runs, rows_of, runs_of
from scratch import needs_terminal

CASES = ("--backend", "cpu", "--strategy", "neighbored,nosync,barrier,tail", "--grid", "4,16", "--block", "64", "--warmup", "0")
LONG = (*CASES, "--repeat", "2000")  # takes some seconds, so that there is time to change its files
SHORT = (*CASES, "--repeat", "2")
SHORT_ROWS = 16


def shown_on(terminal):
    """Everything that a terminal received until its other end was closed."""
    shown = b""
    while True:
        try:
            shown += os.read(terminal, 4096)
        except OSError:  # the other end is closed
            os.close(terminal)
            return shown


class Attacked(Runs):
    def setUp(self):
        super().setUp()
        self.manifest = self.folder / "out.csv.json"


class Logs(Attacked):
    def attacked(self, deed):
        """A run whose log deed() changes."""
        process = self.start(*LONG, "-o", self.log.name)
        self.wait_for_rows(process, 20)
        deed()
        self.assertEqual(self.ended(process, 1), ("", "nestbed: out.csv: it was moved, deleted or replaced while this run was writing it\n"))

    def plant(self, path, victim):
        """Puts a link to a file of the user in the place of a file of the run, at once: a run that looks in between finds no file."""
        link = self.folder / "link"
        link.symlink_to(victim)
        link.rename(path)

    def test_a_link_in_the_place_of_the_log_is_not_followed(self):
        victim = self.folder / "precious"
        victim.write_text("of the user")
        self.attacked(lambda: self.plant(self.log, victim))
        for _ in range(2):
            _, err = self.run_to_end(*SHORT, "-o", self.log.name, code=2)
            self.assertIn("--output out.csv: it is a symbolic link, and no log is written through one; allowed: ", err)
            self.assertEqual(victim.read_text(), "of the user")
            victim.write_text("")
            victim = self.folder / "missing"
            self.plant(self.log, victim)
            victim.write_text("of the user")

    def test_a_link_in_the_place_of_the_manifest_is_not_followed(self):
        victim = self.folder / "precious"
        victim.write_text('{"runs": {}}')
        process = self.start(*CASES, "--repeat", "60", "-o", self.log.name)
        self.wait_for_rows(process, 5)
        self.plant(self.manifest, victim)
        self.ended(process)
        self.assertEqual(victim.read_text(), '{"runs": {}}')
        self.assertFalse(self.manifest.is_symlink())
        (run,) = runs_of(self.log).values()
        self.assertIn("finished_utc", run)


class Manifests(Attacked):
    def test_deleted_or_spoilt_during_the_run_is_written_again(self):
        for deed in (self.manifest.unlink, lambda: self.manifest.write_text("garbage")):
            self.log.unlink(missing_ok=True)
            self.manifest.unlink(missing_ok=True)
            process = self.start(*CASES, "--repeat", "60", "-o", self.log.name)
            self.wait_for_rows(process, 5)
            deed()
            self.assertEqual(self.ended(process)[1], "")
            (run,) = runs_of(self.log).values()
            self.assertEqual(run["log_rows"], 480)
            self.assertIn("finished_utc", run)

    def test_two_runs_at_once_into_logs_of_one_stem(self):
        both = [self.start(*SHORT, "-o", f"grid.gpu{number}") for number in (0, 1)]
        for process in both:
            self.ended(process)
        self.assertEqual(self.names(), ["grid.gpu0", "grid.gpu0.json", "grid.gpu1", "grid.gpu1.json"])
        for number in (0, 1):
            ((run_id, run),) = runs_of(self.folder / f"grid.gpu{number}").items()
            self.assertEqual({row["run_id"] for row in rows_of(self.folder / f"grid.gpu{number}")}, {run_id})
            self.assertEqual(run["log_rows"], SHORT_ROWS)
        before = (self.folder / "grid.gpu1.json").read_bytes()
        self.run_to_end(*SHORT, "-o", "grid.gpu0", "--overwrite")
        self.assertEqual((self.folder / "grid.gpu1.json").read_bytes(), before)
        self.assertEqual(self.run_to_end(*SHORT, "-o", "grid.gpu1")[1], "nestbed: grid.gpu1 already has 16 of 16 samples\n")
        self.assertIn("grid.gpu0.old-1.json", self.names())


HEADER = b"experiment,run_id,key,"


class Streams(Attacked):
    def shell(self, command, program=NESTBED, code=0):
        """Standard output and standard error of `command`, in which $N is a short run."""
        done = subprocess.run(["/bin/sh", "-c", command], cwd=self.folder, check=False, capture_output=True, text=True, timeout=LIMIT,
                              stdin=subprocess.DEVNULL, env={**os.environ, "N": f"{program} run {' '.join(SHORT)}", "NESTBED": program})
        self.assertEqual(done.returncode, code, (command, done.stdout[-500:], done.stderr[-500:]))
        return done.stdout, done.stderr

    def link_to(self, device):
        """A name for a device, in a folder where a stray file does no harm."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        link = pathlib.Path(folder.name) / "link"
        link.symlink_to(device)
        return link

    def assert_log(self, path):
        self.assertTrue(path.read_bytes().startswith(HEADER))
        self.assertEqual([row["status"] for row in rows_of(path)], ["ok"] * SHORT_ROWS)

    def test_closed_ones_are_not_used_for_files_and_sockets(self):
        for process in ("", "--in-process"):
            for closed in ("<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
                with self.subTest(closed=closed, process=process):
                    self.log.unlink(missing_ok=True)
                    self.manifest.unlink(missing_ok=True)
                    unwritten = " >&-" in f" {closed}"
                    _, err = self.shell(f"$N {process} -o out.csv {closed}", code=1 if unwritten else 0)
                    self.assert_log(self.log)
                    (run,) = runs_of(self.log).values()
                    self.assertIn("finished_utc", run)
                    said = unwritten and "2>&-" not in closed
                    self.assertEqual(err, "nestbed: standard output could not be written to: Bad file descriptor\n" if said else "")

    def test_data_for_a_closed_output_is_an_error(self):
        for words in ("$N -o -", "$N --dry-run", "$NESTBED list", "$NESTBED info", "$NESTBED --help", "$NESTBED --version",
                      "$NESTBED tree --strategy tail --backend cpu --grid 2 --block 8", "$NESTBED draw hello --backend cpu --grid 2 --block 4"):
            _, err = self.shell(f"{words} >&-", code=1)
            self.assertRegex(err, "nestbed: standard output(: the row)? could not be written( to)?: Bad file descriptor\n$", words)
        self.assertEqual(self.names(), [])

    def test_a_worker_needs_its_socket(self):
        _, err = self.shell("$NESTBED worker 1 <&- >&-", code=2)
        self.assertIn("worker: only `nestbed run` starts this command", err)

    def test_standard_output_by_another_name_is_standard_output(self):
        path = self.folder / "redirected"
        for name in ("-", self.link_to("/dev/stdout"), "/dev/fd/1", "/proc/self/fd/1", "redirected", "./redirected"):
            _, err = self.shell(f"$N -o {name} > redirected")
            self.assert_log(path)
            self.assertIn("neighbored", err)  # the summary
            self.assertEqual(self.names(), ["redirected"], name)
            before = path.read_bytes()
            self.shell(f"$N -o {name} >> redirected")
            self.assertTrue(path.read_bytes().startswith(before + HEADER))  # nothing is overwritten
            path.unlink()
            if "redirected" not in str(name):
                out, _ = self.shell(f"$N -o {name} | cat")
                self.assertEqual(out.count("\n"), 1 + SHORT_ROWS)
        self.assertEqual(self.shell("$N -o /dev/null > /dev/null")[1], "")  # neither output is of use

    @needs_terminal
    def test_the_terminal_of_a_process_is_standard_output_too(self):
        pid, ours = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execv(NESTBED, [NESTBED, "run", *SHORT, "-o", "/dev/tty"])
        shown = shown_on(ours)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0, shown)
        self.assertNotIn(b"manifest", shown)
        self.assertEqual(self.names(), [])

    @needs_terminal
    def test_a_terminal_by_its_name_is_standard_output(self):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([NESTBED, "run", *SHORT, "-o", os.ttyname(theirs)], cwd=self.folder, text=True, stdout=theirs,
                                   stderr=subprocess.PIPE)
        os.close(theirs)
        shown = shown_on(ours)
        err = process.communicate(timeout=LIMIT)[1]
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(shown.count(b"\n"), 1 + SHORT_ROWS)
        self.assertIn("neighbored", err)

    def test_standard_error_is_no_place_for_a_log(self):
        for name in (self.link_to("/dev/stderr"), "/dev/fd/2", "redirected"):
            self.shell(f"$N -o {name} 2> redirected", code=2)
            self.assertEqual((self.folder / "redirected").read_text(),
                             f"nestbed: --output {name}: it is standard error, where messages go; allowed: a file that can be written, or - "
                             "for standard output\n")
            self.assertEqual(self.names(), ["redirected"])

    def test_merge_wants_a_file(self):
        self.shell("$N -o out.csv")
        _, err = self.shell("$NESTBED merge out.csv --overwrite -o redirected > redirected", code=2)
        self.assertIn("--output redirected: no manifest can be written beside it", err)
        self.assertEqual(self.names(), ["out.csv", "out.csv.json", "redirected"])

    def test_full_ones_are_an_error_of_every_command(self):
        self.shell("$N -o out.csv; $N -o again.csv")
        size = "--backend cpu --grid 2 --block 8"
        small = f"{size} --strategy tail"
        for words in ("list", "info", "--help", "--version", "help", f"tree {small}", "races --strategy tail", f"trace {small} -o trace.json",
                      f"draw hello {size}", "draw blobs --backend cpu -o blobs.png", "merge out.csv -o all.csv", "compare out.csv again.csv",
                      "run --help", "merge --help", "list --help", f"run {small} --dry-run",
                      f"run {small} --warmup 0 -o short.csv"):
            _, err = self.shell(f"$NESTBED {words} > /dev/full", code=1)
            self.assertEqual(err.splitlines()[-1:], ["nestbed: standard output could not be written to: No space left on device"], words)
        self.assertLess({"short.csv", "all.csv", "trace.json", "blobs.png"}, set(self.names()))


if __name__ == "__main__":
    unittest.main()
