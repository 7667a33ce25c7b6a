#!/usr/bin/python3
"""Tests of runs that are killed, interrupted, short of resources, or that have faults, on the executor.

    NESTBED=build/release/nestbed NESTBED_TESTS=build/release/tests/nestbed_tests /usr/bin/python3 -W error tests/scripts/sweep_test.py

NESTBED_TESTS is the test program, which is nestbed with the faults of tests/faults. SEED draws the times of the kills
in KilledAtRandom, and KILLS is their number: 25, and 100 in a thorough run. BACKEND is the backend of all tests but Faulty
(on a GPU, a start takes seconds: use fewer kills).
"""
import contextlib
import json
import os
import pathlib
import pty
import random
import re
import resource
import select
import signal
import subprocess
import time
import unittest

from runs import TESTS, Runs, identities, manifest_of, rows_of, runs_of
from scratch import needs_terminal

KILLS = int(os.environ.get("KILLS", "100" if os.environ.get("NESTBED_THOROUGH") == "1" else "25"))
BACKEND = os.environ.get("BACKEND", "cpu")

SWEEP = """title = A sweep
strategy = neighbored, nosync, barrier, tail
grid = 4, 16, 64
block = 64
repeat = 25
"""


def planned(log):
    """What the log must contain according to its manifest."""
    (cases,) = json.loads(manifest_of(log).read_text())["plans"].values()
    return {(case["key"], repetition) for case in cases for repetition in range(case["repeat"])}


def whole_lines(data):
    return data[:data.rfind(b"\n") + 1]


def processes():
    """{process: its arguments} of the running workers."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")[:-1]
            if words and (folder / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                found[int(folder.name)] = [word.decode(errors="replace") for word in words]
        except OSError:
            pass
    return found


def workers_of(run):
    return [process for process, words in processes().items() if words[1:] == ["worker", str(run)]]


def kill_workers_of(run):
    """The number of killed workers. None of them is still running."""
    killed = []
    for worker in workers_of(run):
        with contextlib.suppress(ProcessLookupError):  # it has ended in the meantime
            os.kill(worker, signal.SIGKILL)
            killed.append(worker)
    while set(killed) & set(workers_of(run)):
        time.sleep(0.001)
    return len(killed)


# Takes some seconds, so that there is time to stop it in the middle.
LONG = SWEEP.replace("repeat = 25", "repeat = 300")
LONG_SAMPLES = 12 * 300


class Sweep(Runs):
    def setUp(self):
        super().setUp()
        self.experiment("sweep.cfg", SWEEP)
        self.experiment("long.cfg", LONG)

    def experiment(self, name, text):
        (self.folder / name).write_text(text)

    def start(self, *words, command="run", **options):
        return super().start(*(("--backend", BACKEND) if command == "run" else ()), *words, command=command, **options)

    def assert_whole(self):
        """The log has every row of its plan once."""
        self.assertEqual(sorted(identities(rows_of(self.log))), sorted(planned(self.log)))

    def assert_gone(self, run):
        end = time.monotonic() + 10
        while workers_of(run):
            self.assertLess(time.monotonic(), end, "its worker lives on")
            time.sleep(0.01)


class KilledAtRandom(Sweep):
    def test_nothing_reported_is_lost_and_nothing_is_there_twice(self):
        seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
        print(f"SEED={seed}")
        draw = random.Random(seed)
        begun = time.monotonic()
        self.run_to_end("sweep.cfg", "-o", "unharmed.csv")
        longest = time.monotonic() - begun
        kills, sweeps = 0, 0
        while kills < KILLS:
            sweeps += 1
            log = self.folder / f"{sweeps}.csv"
            reported = b""
            while True:
                process = self.start("sweep.cfg", "-o", log.name, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                try:
                    # Some kills are early: while the process starts, or writes its manifest or its header.
                    process.wait(draw.uniform(0, longest if draw.random() < 0.5 else 0.15))
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    kills += 1
                self.assert_gone(process.pid)
                now = whole_lines(log.read_bytes()) if log.exists() else b""
                self.assertTrue(now.startswith(reported), "a row that was there is there no more")
                reported = now
                if process.returncode != -signal.SIGKILL:
                    break
            self.assertEqual(process.returncode, 0)
            self.assertTrue(log.read_bytes() == reported)
            rows = rows_of(log)
            self.assertEqual(len(identities(rows)), len(set(identities(rows))))
            self.assertEqual(set(identities(rows)), planned(log))
            self.assertEqual(set(identities(rows)), set(identities(rows_of(self.folder / "unharmed.csv"))))
            self.assertEqual({row["status"] for row in rows}, {"ok"})
            self.assertFalse(any(None in row or None in row.values() for row in rows))
        print(f"{kills} kills in {sweeps} sweeps")

    def test_a_worker_that_is_killed_is_replaced(self):
        process = self.start("long.cfg", "--retries", "3", "-o", self.log.name)
        killed = 0
        while process.poll() is None and killed < 3:
            self.wait_for_rows(process, 40 * (killed + 1))
            killed += kill_workers_of(process.pid)
        _, err = self.ended(process)
        # On a slow machine a kill may hit a worker that is still starting. Then no case was lost.
        self.assertRegex(err, r"crashed: signal 9 \(Killed\); tried again \(1 of 3\)\n")
        noted = len(re.findall(r"signal 9 \(Killed\); tried again", err))
        self.assertEqual(set(identities(rows_of(self.log))), planned(self.log))
        (run,) = runs_of(self.log).values()
        self.assertEqual(len(run["incidents"]), noted)

    def test_a_worker_that_is_killed_as_it_starts_is_replaced(self):
        process = self.start("sweep.cfg", "--retries", "3", "-o", self.log.name)
        end = time.monotonic() + 60
        while not kill_workers_of(process.pid):
            self.assertLess(time.monotonic(), end, "it starts no worker")
        _, err = self.ended(process)
        self.assertRegex(err, r"signal 9 \(Killed\); tried again \(1 of 3\)\n")
        (run,) = runs_of(self.log).values()
        self.assertEqual(len(run["incidents"]), 1)
        self.assertEqual(set(identities(rows_of(self.log))), planned(self.log))


# Strategies that are wrong in some orders, and strategies that are right in all orders.
RANDOM = """title = Random orders
strategy = nosync, reduce2, barrier, aggregated_grid, blobs_wrong
type = int32, float32
schedule = random:5
grid = 2, 8
block = 8
nx = 20
ny = 12
block_shape = 8x4
delay_us = 0, 1
repeat = 30
expect = wrong
"""


@unittest.skipIf(BACKEND != "cpu", "schedules are the executor's")
class RandomOrders(Sweep):
    """A row under random:SEED depends only on SEED, the key of its case and its repetition."""

    def setUp(self):
        super().setUp()
        self.experiment("random.cfg", RANDOM)

    def rows(self, name):
        """{(key, repetition): the cells that depend on the order}."""
        columns = ("status", "answer", "reference", "relative_error", "detail", "launches_attempted", "launches_failed", "host_launches")
        rows = rows_of(self.folder / name)
        self.assertEqual(len(identities(rows)), len(set(identities(rows))))
        return {identity: [row[column] for column in columns] for identity, row in zip(identities(rows), rows)}

    def assert_same(self, rows, whole):
        self.assertEqual(sorted(rows), sorted(whole))
        other = [identity for identity in whole if rows[identity] != whole[identity]]
        self.assertFalse(other, f"{len(other)} of {len(whole)} rows are others")

    undisturbed = {}

    def whole(self):
        """The rows of a run that nothing disturbs, which is the same for all tests."""
        RandomOrders.undisturbed = RandomOrders.undisturbed or self.run_whole("whole.csv")
        return RandomOrders.undisturbed

    def run_whole(self, name, *words):
        self.assertEqual(self.run_to_end("random.cfg", "-o", name, *words)[1], "")
        return self.rows(name)

    def test_rows_do_not_depend_on_what_ran_before_nor_on_how(self):
        whole = self.whole()
        self.assertEqual(len(whole), 33 * 30)
        for name, *words in (("one.csv", "--workers", "1"), ("two.csv", "--workers", "2"), ("in-process.csv", "--in-process"),
                             ("untimed.csv", "--untimed"), ("cold.csv", "--warmup", "0")):
            with self.subTest(name):
                self.assert_same(self.run_whole(name, *words), whole)

    def test_a_run_killed_many_times_has_the_rows_of_one_that_is_not(self):
        whole = self.whole()
        kills, sweeps = 0, 0
        while kills < KILLS // 5:
            sweeps += 1
            log = self.folder / f"{sweeps}.csv"
            while True:
                process = self.start("random.cfg", "-o", log.name, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.let_it_measure(process, log, len(whole) // (KILLS // 5 + 2))
                process.kill()
                if process.wait() != -signal.SIGKILL:
                    break
                kills += 1
            self.assertEqual(process.returncode, 0)
            self.assert_same(self.rows(log.name), whole)

    def let_it_measure(self, process, log, rows):
        """Waits until the log has this many more rows, or the process has ended."""
        def measured():
            return log.read_bytes().count(b"\n") if log.exists() else 0
        before = measured()
        while process.poll() is None and measured() < before + rows:
            time.sleep(0.001)

    def test_three_shards_have_the_rows_of_the_whole(self):
        whole = self.whole()
        for shard in (1, 2, 3):
            self.run_to_end("random.cfg", "--shard", f"{shard}/3", "-o", f"{shard}.csv")
        self.run_to_end("-o", "merged.csv", "1.csv", "2.csv", "3.csv", command="merge")
        self.assert_same(self.rows("merged.csv"), whole)

    def test_a_case_has_the_same_rows_alone(self):
        whole = self.whole()
        for strategy, delay, expected in (("nosync", 0, "wrong"), ("reduce2", 1, "wrong"), ("barrier", 1, "ok")):
            self.run_to_end("random.cfg", "--strategy", strategy, "--grid", 2, "--delay-us", delay, "--type", "float32",
                            "--expect", expected, "--experiment", "alone", "-o", f"{strategy}.csv")
            alone = self.rows(f"{strategy}.csv")
            self.assertEqual(len(alone), 30)
            self.assert_same(alone, {identity: row for identity, row in whole.items() if identity in alone})

    def test_a_worker_that_was_lost_changes_no_row(self):
        whole = self.whole()
        for attempt in range(10):
            log = self.folder / f"{attempt}.csv"
            process = self.start("random.cfg", "--retries", "5", "-o", log.name)
            for _ in range(2):
                self.let_it_measure(process, log, len(whole) // 3)
                process.send_signal(signal.SIGSTOP)  # so that it does not end in the meantime
                kill_workers_of(process.pid)
                process.send_signal(signal.SIGCONT)
            _, err = self.ended(process)
            self.assert_same(self.rows(log.name), whole)
            if "tried again" in err:
                return
        self.fail("no worker was lost")

    def test_every_repetition_and_every_seed_has_an_order_of_its_own(self):
        whole = self.whole()
        other = self.run_whole("other.csv", "--schedule", "random:6")
        for rows in (whole, other):
            racy = [row[1] for row in rows.values() if row[0] == "wrong"]
            self.assertGreater(len(set(racy)), 100)
        answers = [[row[1] for row in rows.values()] for rows in (whole, other)]
        self.assertNotEqual(*answers)


class ToAPrecision(Sweep):
    WORDS = ("--strategy", "neighbored,nosync", "--grid", "4,16", "--block", "64", "--repeat", "5", "--precision", "5%",
             "--max-repeat", "40", "--latency", "on")

    def repetitions(self, log):
        found = {}
        for key, repetition in identities(rows_of(log)):
            found.setdefault(key, []).append(repetition)
        return found

    def test_a_killed_run_goes_on_until_every_case_has_enough(self):
        for rows in (3, 12, 25):
            process = self.start(*self.WORDS, "-o", self.log.name)
            while process.poll() is None and not (self.log.exists() and self.log.read_bytes().count(b"\n") > rows):
                time.sleep(0.001)
            process.kill()
            process.communicate()
        self.run_to_end(*self.WORDS, "-o", self.log.name)
        found = self.repetitions(self.log)
        self.assertEqual(len(found), 4)
        for repetitions in found.values():
            self.assertEqual(repetitions, list(range(len(repetitions))))
            self.assertIn(len(repetitions), range(5, 41, 5))
        nested = [row for row in rows_of(self.log) if row["strategy"] == "nosync"]
        self.assertTrue(all(bool(row["latency_us_by_depth"]) == (row["repetition"] == "0") for row in nested))
        # Now there is nothing left to do, for a run and for a merge.
        whole = self.log.read_bytes()
        rows = sum(map(len, found.values()))
        self.assertEqual(self.run_to_end(*self.WORDS, "-o", self.log.name)[1], f"nestbed: out.csv already has {rows} of {rows} samples\n")
        self.assertEqual(self.log.read_bytes(), whole)
        self.run_to_end("-o", "merged.csv", self.log.name, command="merge")


class Suspended(Sweep):
    def test_no_time_has_gone_by_for_processes_that_were_stopped(self):
        process = self.start("long.cfg", "--timeout", "2", "--retries", "0", "-o", self.log.name)
        self.wait_for_rows(process, 20)
        both = [process.pid, *workers_of(process.pid)]
        for one in both:
            os.kill(one, signal.SIGSTOP)
        time.sleep(4)
        for one in both:
            os.kill(one, signal.SIGCONT)
        self.ended(process)
        self.assertEqual({row["status"] for row in rows_of(self.log)}, {"ok"})


class Interrupted(Sweep):
    def assert_goes_on(self, err):
        """Runs the printed command, which completes the log."""
        command = err.rsplit("to continue:\n", 1)[1].strip()
        before = self.log.read_bytes()
        self.assertTrue(before.endswith(b"\r\n"))
        again = subprocess.run(command, shell=True, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertTrue(self.log.read_bytes().startswith(before))
        self.assert_whole()

    def test_the_sample_in_hand_is_finished_and_the_rest_is_left(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number.name):
                self.log.unlink(missing_ok=True)
                process = self.start("long.cfg", "-o", self.log.name)
                self.wait_for_rows(process, 50)
                process.send_signal(number)
                out, err = self.ended(process, 130)
                self.assertTrue(err.startswith("\nnestbed: finishing the current sample, at most 5 s; interrupt again to stop now\n"), err)
                self.assertRegex(out, r"A sweep\n(.*\n)+\d+ rows: out.csv\nmanifest: out.csv.json\n")
                rows = rows_of(self.log)
                self.assertRegex(err, rf"stopped with {len(rows)} of {LONG_SAMPLES} samples in out.csv; to continue:\n  \S+ run --backend {BACKEND} ")
                self.assertIn(f"{len(rows)} rows: out.csv", out)
                self.assertIn("interrupted_utc", runs_of(self.log)[rows[-1]["run_id"]])
                self.assert_gone(process.pid)
                self.assert_goes_on(err)

    def test_the_command_to_go_on_does_not_begin_again(self):
        self.run_to_end("long.cfg", "--repeat", "1", "-o", self.log.name)
        process = self.start("long.cfg", "--overwrite", "-o", self.log.name)
        self.wait_for_rows(process, 50)
        process.send_signal(signal.SIGINT)
        _, err = self.ended(process, 130)
        self.assert_goes_on(err)

    def test_a_second_time_ends_it_now(self):
        process = self.start("--strategy", "fault_endless", "--grid", "4", "--block", "16", "--warmup", "0", "-o", self.log.name,
                             program=TESTS)
        self.wait_for_rows(process, 0)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        _, err = self.ended(process, 130)
        self.assertEqual(err, "\nnestbed: finishing the current sample, at most 5 s; interrupt again to stop now\n")  # nothing else
        self.assert_gone(process.pid)

    def test_what_hangs_is_abandoned_whole(self):
        process = self.start("--strategy", "neighbored,fault_endless", "--grid", "4", "--block", "16", "--warmup", "0", "--repeat", "1",
                             "-o", self.log.name, program=TESTS)
        self.wait_for_rows(process, 0)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        self.ended(process, 130)
        self.assertNotIn("fault_endless", {row["strategy"] for row in rows_of(self.log)})
        self.assert_gone(process.pid)

    def test_a_plan_and_a_table_end_at_once(self):
        """Their tables are larger than a pipe: the program cannot end until somebody reads."""
        one = ["--strategy", "neighbored", "--elements", "1024", "--repeat", "1", "--warmup", "0", "-o", self.log.name]
        for more, said in ((["--seed", "1:10000", "--dry-run"], "nestbed: stopped before a sample was taken; to continue:"),
                           (["--seed", "1:2000"], "nestbed: stopped; all rows are in")):
            with self.subTest(said):
                process = self.start(*one, *more)
                # Not by the stream of the process: that would read on, perhaps to the middle of a character of a bar.
                self.assertEqual(len(os.read(process.stdout.fileno(), 1)), 1)
                process.send_signal(signal.SIGTERM)
                _, err = self.ended(process, 130)
                self.assertIn(said, err)
        self.assertEqual(len(rows_of(self.log)), 2000)

    def test_before_the_first_sample_nothing_is_left(self):
        for delay in (0, 0.005, 0.01, 0.02):
            process = self.start("sweep.cfg", "-o", "early.csv")
            time.sleep(delay)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
            self.assertIn(process.returncode, (130, -signal.SIGTERM))  # before or after it handles the signal
            early = self.folder / "early.csv"
            if early.exists():
                self.assertEqual(early.read_bytes(), whole_lines(early.read_bytes()))
        self.run_to_end("sweep.cfg", "-o", "early.csv")


class Starved(Sweep):
    def limited(self, limit):
        def limit_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it, but a shell does not
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        return limit_files

    def test_a_full_disk_ends_a_run_and_loses_nothing(self):
        self.run_to_end("sweep.cfg", "-o", "whole.csv")
        whole = (self.folder / "whole.csv").stat().st_size
        manifest = manifest_of(self.log)
        for share in (0.3, 0.7):
            _, err = self.run_to_end("sweep.cfg", "-o", self.log.name, preexec_fn=self.limited(int(whole * share)), code=1)
            self.assertRegex(err, r"nestbed: out.csv: the row could not be written: File too large\n")
            self.assertTrue(self.log.read_bytes().endswith(b"\r\n"))
            self.assertGreater(len(rows_of(self.log)), 300 * share - 20)
            json.loads(manifest.read_text())
        self.run_to_end("sweep.cfg", "-o", self.log.name)
        self.assert_whole()

    def test_a_disk_too_full_for_the_manifest_leaves_nothing(self):
        _, err = self.run_to_end("sweep.cfg", "-o", self.log.name, preexec_fn=self.limited(100), code=1)
        self.assertRegex(err, r"out.csv.json: the manifest could not be written: File too large")
        self.assertEqual(self.names(), ["long.cfg", "sweep.cfg"])

    def test_a_folder_that_takes_no_files_is_an_error(self):
        out, err = self.run_to_end("sweep.cfg", "-o", "/proc/sys/out.csv", code=1)
        self.assertEqual(out, "")
        self.assertRegex(err, r"^nestbed: /proc/sys/out.csv: it could not be opened: \w+")

    def test_a_closed_pipe_is_an_error(self):
        process = self.start("sweep.cfg", "-o", "-")
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
        self.assertEqual(process.wait(60), 1)
        self.assertEqual(err.splitlines()[-1], "nestbed: standard output: the row could not be written: Broken pipe")
        process.stderr.close()
        self.assert_gone(process.pid)

    def test_an_unread_summary_is_an_error_and_the_log_is_whole(self):
        process = self.start("sweep.cfg", "-o", self.log.name)
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(60), 1)
        self.assertRegex(err, "nestbed: standard output could not be written to: Broken pipe")
        self.assert_whole()
        (run,) = runs_of(self.log).values()
        self.assertEqual(run["log_rows"], 300)
        self.assertIn("finished_utc", run)

    def test_two_runs_do_not_write_one_log(self):
        first = self.start("long.cfg", "-o", self.log.name)
        self.wait_for_rows(first, 5)
        first.send_signal(signal.SIGSTOP)  # so that it does not end before the second begins
        _, err = self.run_to_end("long.cfg", "-o", self.log.name, code=2)
        self.assertIn("out.csv: another run is writing it", err)
        first.send_signal(signal.SIGCONT)
        self.ended(first)
        self.assert_whole()


@unittest.skipIf(BACKEND != "cpu", "reasons as on the executor")
class Faulty(Sweep):
    # The expected reason of each strategy. Under AddressSanitizer, a bad write gives an exit code.
    REASONS = {
        "fault_endless": ("timeout", r"no sign of life in 2 s \(2 tries\)"),
        "fault_deadlock": ("timeout", r"no sign of life in 2 s \(2 tries\)"),
        "fault_out_of_bounds": ("crashed", r"(signal 11 \(Segmentation fault\)|exit code 1) \(2 tries\)"),
        "fault_abort": ("crashed", r"signal 6 \(Aborted\) \(2 tries\)"),
        "fault_trap": ("crashed", r"(signal \d+ \([\w ]+\)|exit code 1) \(2 tries\)"),
    }

    ONCE = ("--strategy", "fault_once,neighbored", "--grid", "4", "--block", "32", "--repeat", "3", "--retries", "0")

    def test_each_fault_is_a_row_with_its_reason_and_all_else_is_ok(self):
        self.experiment("faults.cfg", "strategy = neighbored, barrier\nstrategy = " + ", ".join(self.REASONS) + ", fault_refused\n"
                                      "grid = 4, 64\nblock = 32\nrepeat = 3\ntimeout = 2\n")
        out, _ = self.run_to_end("faults.cfg", "-o", self.log.name, program=TESTS, code=3)
        rows = rows_of(self.log)
        for strategy, (status, reason) in self.REASONS.items():
            for grid in ("4", "64"):
                (row,) = [row for row in rows if row["strategy"] == strategy and row["grid"] == grid]
                self.assertEqual(row["status"], status)
                self.assertRegex(row["detail"], f"^{reason}$")
                self.assertEqual((row["wall_us"], row["gpu_us"]), ("", ""))
        refused = [row for row in rows if row["strategy"] == "fault_refused"]
        self.assertEqual({row["status"] for row in refused}, {"launch_failed"})
        self.assertEqual(len(refused), 6)
        healthy = [row for row in rows if not row["strategy"].startswith("fault")]
        self.assertEqual([row["status"] for row in healthy], ["ok"] * 12)
        self.assertEqual(len(rows), 10 + 6 + 12)
        self.assertIn("1 of 1 timeout", out)
        # A case with a known result is not tried again.
        _, err = self.run_to_end("faults.cfg", "-o", self.log.name, program=TESTS, code=3)
        self.assertIn("out.csv already has 48 of 48 samples, including 10 timeouts and crashes (--retry-failed tries again)\n", err)
        self.assertEqual(len(rows_of(self.log)), len(rows))

    def test_what_is_fine_the_second_time_is_ok(self):
        for retries, code in ((1, 0), (0, 3)):
            log = self.folder / f"{retries}.csv"
            self.run_to_end(*self.ONCE[:-1], retries, "-o", log.name, code=code, program=TESTS,
                            env={**os.environ, "NESTBED_FAULT_FILE": str(self.folder / f"mark{retries}")})
            self.assertEqual([row["status"] for row in rows_of(log) if row["strategy"] == "fault_once"],
                             ["ok"] * 3 if retries else ["crashed"])
            self.assertEqual([row["status"] for row in rows_of(log) if row["strategy"] == "neighbored"], ["ok"] * 3)

    def run_once(self, *words, code=0):
        return self.run_to_end(*self.ONCE, "-o", self.log.name, *words, code=code, program=TESTS,
                               env={**os.environ, "NESTBED_FAULT_FILE": str(self.folder / "mark")})

    def test_rows_that_failed_are_measured_again_and_old_ones_kept(self):
        self.run_once(code=3)
        old = self.log.read_bytes()
        self.assertEqual([row["status"] for row in rows_of(self.log)].count("crashed"), 1)
        self.run_once(code=3)  # without --retry-failed, no row is measured again
        self.assertEqual(self.log.read_bytes(), old)
        _, err = self.run_once("--retry-failed")
        self.assertEqual(err, "nestbed: out.csv: 1 of 4 rows failed; they are measured again; the previous log is in out.csv.old-1\n"
                              "nestbed: out.csv already has 3 of 6 samples\n")
        self.assertEqual((self.folder / "out.csv.old-1").read_bytes(), old)
        rows = rows_of(self.log)
        self.assertEqual([row["status"] for row in rows], ["ok"] * 6)
        self.assertEqual(sorted(identities(rows)), sorted(planned(self.log)))
        kept = [row for row in rows_of(self.folder / "out.csv.old-1") if row["status"] == "ok"]
        self.assertEqual(rows[:3], kept)
        runs = runs_of(self.log)
        self.assertEqual(len(runs), 2)
        self.assertEqual(runs[rows[-1]["run_id"]]["rows"], 3)
        self.assertEqual(runs[rows[-1]["run_id"]]["log_rows"], 6)
        # Now there is nothing left to do, and nestbed says so.
        now = self.log.read_bytes()
        _, err = self.run_once("--retry-failed")
        self.assertEqual(err, "nestbed: out.csv: no row failed; nothing is measured again\n"
                              "nestbed: out.csv already has 6 of 6 samples\n")
        self.assertEqual(self.log.read_bytes(), now)
        self.assertNotIn("out.csv.old-2", self.names())

    def test_a_log_of_failed_rows_alone_is_measured_again_whole(self):
        words = ("--strategy", "fault_once", "--grid", "4", "--block", "32", "--repeat", "3", "--retries", "0", "-o", self.log.name)
        env = {**os.environ, "NESTBED_FAULT_FILE": str(self.folder / "mark")}
        self.run_to_end(*words, program=TESTS, env=env, code=3)
        self.assertEqual(len(rows_of(self.log)), 1)
        _, err = self.run_to_end(*words, "--retry-failed", program=TESTS, env=env)
        self.assertEqual(err, "nestbed: out.csv: 1 of 1 rows failed; they are measured again; the previous log is in out.csv.old-1\n")
        self.assertEqual([row["status"] for row in rows_of(self.log)], ["ok"] * 3)

    def test_what_fails_again_is_kept_again(self):
        self.run_once(code=3)
        (self.folder / "mark").unlink()
        self.run_once("--retry-failed", code=3)
        self.run_once("--retry-failed")
        for old in ("out.csv.old-1", "out.csv.old-2"):
            self.assertEqual([row["status"] for row in rows_of(self.folder / old)].count("crashed"), 1)

    def test_findings_are_not_measured_again(self):
        # wrong: an expected race; unsupported: cannot run here
        words = ("--strategy", "nosync,cub", "--schedule", "random:1", "--expect", "wrong")
        self.run_once(*words, code=3)
        before = rows_of(self.log)
        self.assertEqual({row["status"] for row in before}, {"ok", "crashed", "wrong", "unsupported"})
        _, err = self.run_once(*words, "--retry-failed", code=3)  # the experiment does not expect unsupported
        self.assertRegex(err, r"out.csv: 1 of \d+ rows failed")
        rows = rows_of(self.log)
        self.assertEqual(rows[:len(before) - 1], [row for row in before if row["status"] != "crashed"])
        self.assertEqual({row["status"] for row in rows[len(before) - 1:]}, {"ok"})
        self.assertEqual(len(rows), len(before) - 1 + 3)
        # A wrong row that the experiment does not expect is a failure.
        words = ("--strategy", "nosync", "--schedule", "random:1", "--grid", "4", "--block", "32", "--repeat", "3", "-o", "wrong.csv")
        self.run_to_end(*words, code=3)
        self.assertRegex(self.run_to_end(*words, "--retry-failed", code=3)[1], r"wrong.csv: [123] of 3 rows failed")

    def test_to_measure_failed_rows_without_a_log_is_to_measure(self):
        (self.folder / "mark").touch()
        self.assertEqual(self.run_once("--retry-failed")[1], "")
        self.assertEqual(len(rows_of(self.log)), 6)
        self.assertNotIn("out.csv.old-1", self.names())

    def test_where_rows_cannot_be_measured_again_nothing_is_changed(self):
        self.run_once(code=3)
        before, files, manifest = self.log.read_bytes(), self.names(), manifest_of(self.log).read_bytes()
        once, three = self.ONCE, self.ONCE.index("3")
        log = ("-o", self.log.name)
        for words, why in (((*once[:three], "4", *once[three + 1:], *log), "this run cannot resume it: repeat on cpu: 3 there, 4 here"),
                           ((*once, "--strategy", "nosync", *log), "this run cannot resume it: cases: 2 there, 3 here"),
                           ((*once, "--overwrite", *log), "--retry-failed: not with --overwrite; allowed: one of them"),
                           ((*once, "-o", "-"), "--retry-failed: not with --output -; allowed: a file")):
            out, err = self.run_to_end(*words, "--retry-failed", program=TESTS, code=2)
            self.assertEqual(out, "")
            self.assertIn(why, err)
        with self.subTest("it is being written"):
            process = self.start("long.cfg", "-o", "long.csv")
            self.wait_for_rows(process, 5, self.folder / "long.csv")
            process.send_signal(signal.SIGSTOP)
            _, err = self.run_to_end("long.cfg", "-o", "long.csv", "--retry-failed", code=2)
            self.assertIn("long.csv: another run is writing it", err)
            process.kill()
            process.communicate()
        self.assertEqual(self.log.read_bytes(), before)
        self.assertEqual(manifest_of(self.log).read_bytes(), manifest)
        self.assertEqual([name for name in self.names() if name not in ("long.csv", "long.csv.json")], files)

    def test_in_one_process_a_crash_ends_the_run(self):
        process = self.start("--strategy", "neighbored,fault_abort", "--grid", "4", "--block", "32", "--in-process", "--warmup", "0",
                             "--repeat", "1", "-o", self.log.name, program=TESTS)
        self.ended(process, -signal.SIGABRT)


class ProgressIsShown(Sweep):
    @needs_terminal
    def test_on_a_terminal_in_a_line_of_its_width(self):
        ours, theirs = pty.openpty()
        process = self.start("long.cfg", "-o", self.log.name, stderr=theirs)
        os.close(theirs)
        said = b""
        while True:
            select.select([ours], [], [], 60)
            try:
                piece = os.read(ours, 4096)
            except OSError:
                break
            if not piece:
                break
            said += piece
        os.close(ours)
        process.communicate(timeout=60)
        lines = said.decode().split("\r\x1b[K")
        self.assertTrue(any(re.fullmatch(r"\d+ of 3600 samples, about [\d.]+ (s|min) left: \w+ \d+ x 64", line) for line in lines), lines)
        self.assertEqual(lines[-1], "")
        self.assertTrue(all(len(line) < 80 for line in lines))

    def test_elsewhere_nothing_for_less_than_a_minute(self):
        self.assertEqual(self.run_to_end("sweep.cfg", "-o", self.log.name)[1], "")


if __name__ == "__main__":
    unittest.main()
