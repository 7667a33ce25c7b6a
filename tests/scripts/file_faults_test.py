#!/usr/bin/python3
"""Tests of what is on the disk when a run or a merge ends, also when a system call that it needs fails.

    NESTBED=build/release/nestbed FILE_FAULTS=build/release/tests/libnestbed_file_faults.so /usr/bin/python3 -W error tests/scripts/file_faults_test.py

FILE_FAULTS is the library built from tests/support/file_faults.cpp. It is loaded before nestbed, records these calls,
and makes the k-th call of a kind fail.
"""
import concurrent.futures
import csv
import errno
import io
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from scratch import Scratch

NESTBED = pathlib.Path(os.environ["NESTBED"]).resolve()
LIBRARY = os.environ["FILE_FAULTS"]
THOROUGH = os.environ.get("NESTBED_THOROUGH") == "1"
WORDS = ["--strategy", "neighbored", "--backend", "cpu", "--grid", "4,8", "--block", "32", "--repeat", "2", "--in-process", "--untimed"]
ROWS = 4
# Columns that are empty in a row of a crash.
OF_AN_ANSWER = ["gpu_us", "wall_us", "host_launches", "launches_attempted", "launches_failed", "launches_by_depth", "max_depth", "answer",
                "reference", "relative_error", "pending_limit", "limit_bytes", "wave", "waves", "streams"]
MOST_CALLS = 200  # of one kind, in one run; more would be an endless loop

# {kind of call: its possible errors}
ERRORS = {"open": [errno.ENOSPC, errno.EINTR],
          "write": [errno.EIO, errno.ENOSPC, errno.EINTR, 0],
          "fsync": [errno.EIO, errno.EINTR],
          "fdatasync": [errno.EIO, errno.EINTR],
          "rename": [errno.EIO],  # not EINTR, because a rename cannot be interrupted
          "close": [errno.EIO, errno.EINTR],
          "ftruncate": [errno.EIO, errno.EINTR],
          "chmod": [errno.EIO, errno.EINTR],
          "unlink": [errno.EIO]}
HARMLESS = {0, errno.EINTR}  # a short or interrupted call is repeated
# For scenarios that use the same functions as other scenarios.
ONE_ERROR_EACH = {call: errors[:1] for call, errors in ERRORS.items()}
# If one of these calls fails, data are lost or may be lost: the exit code must not be 0.
TELLING = {"write", "fsync", "fdatasync", "rename", "ftruncate"}


class Call:
    def __init__(self, line):
        self.name, self.path, self.to, size, result = line.split("\t")
        self.size, self.result = int(size), int(result)

    def __repr__(self):
        return f"{self.name} {self.path} {self.to} {self.size}: {self.result}"


class Ended:
    """A program that ran in a folder with these faults."""

    def __init__(self, folder, words, fault=None):
        trace = folder.with_name(folder.name + ".trace")
        trace.unlink(missing_ok=True)
        faults = {"FILE_FAULTS_FOLDER": str(folder), "FILE_FAULTS_TRACE": str(trace), "LD_PRELOAD": LIBRARY}
        if fault:
            faults |= dict(zip(("FILE_FAULTS_CALL", "FILE_FAULTS_NUMBER", "FILE_FAULTS_ERROR", "FILE_FAULTS_THEN"), map(str, fault)))
        run = subprocess.run([NESTBED, *words], cwd=folder, env={**os.environ, **faults}, capture_output=True, text=True, timeout=120,
                             check=False)
        self.code, self.out, self.err = run.returncode, run.stdout, run.stderr
        self.calls = [Call(line) for line in trace.read_text().splitlines()] if trace.exists() else []

    def count(self, name):
        return sum(call.name == name for call in self.calls)


def rows_in(data):
    return list(csv.DictReader(io.StringIO(data.decode(), newline=""), strict=True))


def identities(rows):
    return [(row["key"], row["repetition"]) for row in rows]


def manifest_of(log):
    return log.with_name(log.name + ".json")


class Folder(Scratch):
    def new_folder(self, name):
        folder = self.folder / name
        folder.mkdir()
        return folder


class Durability(Folder):
    """The order of the calls: what must be on the disk before what."""

    def first(self, calls, begin, what, **wanted):
        for index in range(begin, len(calls)):
            if all(getattr(calls[index], name) == value for name, value in wanted.items()):
                return index
        return self.fail(f"{what}: none after call {begin} of\n" + "\n".join(map(str, calls)))

    def synced(self, calls, begin, what, path, name="fsync"):
        """The index of the call that ends a sync of this file. The sync begins after call `begin`."""
        begun = self.first(calls, begin, what, name=name + " begins", path=str(path))
        return self.first(calls, begun, what, name=name, path=str(path), result=0)

    def assert_replaced_files_are_synced(self, ended):
        renames = [index for index, call in enumerate(ended.calls) if call.name == "rename"]
        self.assertTrue(renames)
        for index in renames:
            rename = ended.calls[index]
            writes = [at for at in range(index) if ended.calls[at].name == "write" and ended.calls[at].path == rename.path]
            self.assertTrue(writes, rename)
            self.assertLess(self.synced(ended.calls, writes[-1], f"a sync of what is renamed to {rename.to}", rename.path), index)
            self.synced(ended.calls, index, "a sync of the folder of what was renamed", pathlib.Path(rename.to).parent)

    def test_every_row_is_on_the_disk_before_its_run_is_finished(self):
        for number, words in enumerate((WORDS, [word for word in WORDS if word != "--in-process"])):
            folder = self.new_folder(f"run{number}")
            log = folder / "out.csv"
            ended = Ended(folder, ["run", *words, "-o", "out.csv"])
            self.assertEqual(ended.code, 0, ended.err)
            self.assertEqual(len(rows_in(log.read_bytes())), ROWS)
            calls = ended.calls
            writes = [index for index, call in enumerate(calls) if call.name == "write" and call.path == str(log)]
            self.assertEqual(len(writes), 1 + ROWS)
            last_rename = max(index for index, call in enumerate(calls) if call.name == "rename")
            self.assertIn("finished_utc", manifest_of(log).read_text())
            for index in writes:
                self.assertLess(self.synced(calls, index, "a sync of the rows", log, "fdatasync"), last_rename)
            # The name of the log must also be on the disk before its first row.
            made = self.first(calls, 0, "the log is made", name="open", path=str(log))
            self.assertLess(self.synced(calls, made, "a sync of the folder of the log", folder), writes[1])
            self.assert_replaced_files_are_synced(ended)

    def test_a_merged_log_is_on_the_disk(self):
        folder = self.new_folder("merge")
        for shard in ("1", "2"):
            ended = Ended(folder, ["run", *WORDS, "--shard", shard + "/2", "-o", shard + ".csv"])
            self.assertEqual(ended.code, 0, ended.err)
        ended = Ended(folder, ["merge", "1.csv", "2.csv", "-o", "out.csv"])
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual({pathlib.Path(call.to).suffix for call in ended.calls if call.name == "rename"}, {".csv", ".json"})
        self.assert_replaced_files_are_synced(ended)


class Scenario:
    """An initial folder, a command to run in it, and what must hold for the folder however the command ends."""

    calls = {"open", "write", "fsync", "fdatasync", "rename", "close", "chmod"}  # the kinds of calls that it makes
    errors = ERRORS

    def __init__(self, test, words):
        self.test = test
        self.words = words
        self.start = test.new_folder(type(self).__name__)
        self.prepare()
        self.files = {path.name: path.read_bytes() for path in self.start.iterdir()}

    def prepare(self):
        pass

    def run(self, *words):
        ended = Ended(self.start, words)
        self.test.assertEqual(ended.code, 0, ended.err)

    def kept(self, _folder):
        """(what the log must begin with, what may follow the last complete row)"""
        return b"", b""

    def check_others(self, folder):
        pass

    def check(self, folder, dead):
        log = folder / "out.csv"
        before, tail = self.kept(folder)
        data = log.read_bytes() if log.exists() else b""
        whole = data[:data.rfind(b"\n") + 1]
        assert whole.startswith(before), "rows that were reported are lost"
        assert dead or data[len(whole):] in (b"", tail), "a row that is not whole was left"
        rows = rows_in(whole)
        assert len(set(identities(rows))) == len(rows), "a row is there twice"
        assert not any(None in row or None in row.values() for row in rows), "a row is not whole"
        for path in folder.glob("*.json*"):
            json.loads(path.read_text())
        assert dead or not list(folder.glob("*.partial")), "a partial file was left"
        self.check_others(folder)

    def check_complete(self, folder):
        log = folder / "out.csv"
        data = log.read_bytes()
        assert data.endswith(b"\n")
        rows = rows_in(data)
        assert len(rows) == ROWS and len(set(identities(rows))) == ROWS, f"{len(rows)} rows"
        runs = json.loads(manifest_of(log).read_text())["runs"]
        assert {row["run_id"] for row in rows} <= set(runs), "a run is not in the manifest"
        assert any("finished_utc" in run for run in runs.values()), "no run has finished"


class Fresh(Scenario):
    pass


class Resumed(Scenario):
    """A log whose last run was killed in its third row."""

    calls = Scenario.calls | {"ftruncate"}

    def prepare(self):
        self.run("run", *WORDS, "-o", "out.csv")
        log = self.start / "out.csv"
        lines = log.read_bytes().splitlines(keepends=True)
        log.write_bytes(b"".join(lines[:3]) + lines[3][:50])
        manifest = manifest_of(log)
        content = json.loads(manifest.read_text())
        for run in content["runs"].values():
            del run["finished_utc"]
        manifest.write_text(json.dumps(content))

    def kept(self, _folder):
        data = self.files["out.csv"]
        whole = data[:data.rfind(b"\n") + 1]
        return whole, data[len(whole):]


class Overwritten(Scenario):
    """The old files are kept, under their names or new ones. The new names of a log and its manifest have the same
    number."""

    errors = ERRORS if THOROUGH else ONE_ERROR_EACH  # of its own it has renames alone; Fresh has every error of the other calls

    def prepare(self):
        self.run("run", *WORDS, "-o", "out.csv")

    def check_others(self, folder):
        contents = {path.read_bytes(): path.name for path in folder.iterdir()}
        names = {}
        for name, content in self.files.items():
            assert content in contents, f"what was in {name} is lost"
            names[name] = contents[content].removeprefix("out.csv").removesuffix(".json")
        self.together = len(set(names.values())) == 1

    def check(self, folder, dead):
        super().check(folder, dead)
        assert dead or self.together, "the log and its manifest were parted"


class Retried(Scenario):
    """A log whose last row failed. The row stays until it is measured again, and the old log is kept."""

    errors = ONE_ERROR_EACH

    def prepare(self):
        self.run("run", *WORDS, "-o", "out.csv")
        log = self.start / "out.csv"
        rows = rows_in(log.read_bytes())
        rows[-1].update(dict.fromkeys(OF_AN_ANSWER, ""), status="crashed", detail="signal 6 (Aborted)")
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, rows[0])
        writer.writeheader()
        writer.writerows(rows)
        log.write_bytes(text.getvalue().encode())

    def kept(self, _folder):
        return b"".join(self.files["out.csv"].splitlines(keepends=True)[:ROWS]), b""

    def check_others(self, folder):
        whole = self.files["out.csv"]
        if (folder / "out.csv").read_bytes().startswith(whole):
            return
        asides = [path for path in folder.glob("out.csv.old-?") if path.read_bytes() == whole]
        assert asides, "the row that failed is lost"
        assert any(manifest_of(aside).exists() for aside in asides), "the log as it was has no manifest"

    def check(self, folder, dead):
        super().check(folder, dead)
        names = {path.name for path in folder.glob("out.csv.old-*")}
        assert dead or len(names) in (0, 2), f"half of a copy was left: {sorted(names)}"
        assert dead or not names or (folder / "out.csv").read_bytes() != self.files["out.csv"], "a copy of what is still there was left"

    def check_complete(self, folder):
        super().check_complete(folder)
        assert all(row["status"] == "ok" for row in rows_in((folder / "out.csv").read_bytes())), "a row was not measured again"


class Merged(Scenario):
    calls = {"open", "write", "fsync", "rename", "close"}

    def prepare(self):
        for shard in ("1", "2"):
            self.run("run", *WORDS, "--shard", shard + "/2", "-o", shard + ".csv")

    def check_others(self, folder):
        for name, content in self.files.items():
            assert (folder / name).read_bytes() == content, f"{name} was changed"

    def check(self, folder, dead):
        super().check(folder, dead)
        log = folder / "out.csv"
        assert dead or not log.exists() or manifest_of(log).exists(), "a log without its manifest"
        if log.exists():
            self.check_complete(folder)


class Faults(Folder):
    def all_faults(self, scenario):
        for call, errors in scenario.errors.items():
            for error in errors:
                yield call, error, "well"
            if call in TELLING:
                yield call, errno.EIO, "dead"

    def try_each(self, scenario, call, error, then):
        """Makes the first call of this kind fail, then the second, and so on. Returns their number."""
        for number in range(1, MOST_CALLS):
            folder = self.folder / f"{type(scenario).__name__}-{call}-{error}-{then}-{number}"
            shutil.copytree(scenario.start, folder)
            ended = Ended(folder, scenario.words, (call, number, error, then))
            if ended.count(call) < number:
                return number - 1
            where = f"{type(scenario).__name__}: {call} {number}: {os.strerror(error) if error else 'short'}, then {then}"
            try:
                self.check_ended(scenario, folder, ended, (call, error, then))
            except Exception as fault:
                listed = "\n".join(f"{path.name}: {path.stat().st_size}" for path in sorted(folder.iterdir()))
                raise AssertionError(f"{where}: {fault!r}\nexit code {ended.code}\n{ended.err}\n{listed}\n" +
                                     "\n".join(map(str, ended.calls))) from fault
            shutil.rmtree(folder)
        raise AssertionError(f"{call}: there is no end of calls")

    def check_ended(self, scenario, folder, ended, fault):
        call, error, then = fault
        assert ended.code in (0, 1, 2), "it crashed"
        scenario.check(folder, then == "dead" or call == "unlink")
        if error in HARMLESS:
            assert ended.code == 0, "what can be tried again was not"
        elif call in TELLING:
            assert ended.code != 0, "the error was not told"
        if ended.code == 0:
            scenario.check_complete(folder)
        else:
            assert os.strerror(error) in ended.err, "the message does not name the error"
            assert any(name in ended.err for name in ["out.csv", *scenario.files]), "the message names no file"
        if ended.code == 0:
            return
        again = Ended(folder, scenario.words)
        if isinstance(scenario, Merged) and (folder / "out.csv").exists() and again.code == 2:
            again = Ended(folder, [*scenario.words, "--overwrite"])  # the file exists and is complete
        assert again.code == 0, f"and it cannot be done after that: {again.err}"
        scenario.check(folder, True)
        scenario.check_complete(folder)

    def try_all(self, scenario):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            tried = {}
            for fault in self.all_faults(scenario):
                tried[fault] = pool.submit(self.try_each, scenario, *fault)
            errors = [str(one.exception()) for one in tried.values() if one.exception()]
            self.assertFalse(errors, f"{len(errors)} faults:\n" + "\n\n".join(errors[:3]))
            calls = {fault[0]: one.result() for fault, one in tried.items()}
            for call, error, then in tried:
                self.assertEqual(tried[call, error, then].result() > 0, call in scenario.calls, f"{call}, {error}, {then}")
            print(f"{type(scenario).__name__}: {sum(one.result() for one in tried.values())} faults")
            return calls

    def test_of_a_run(self):
        calls = self.try_all(Fresh(self, ["run", *WORDS, "-o", "out.csv"]))
        self.assertGreaterEqual(calls["write"], 1 + ROWS + 2)
        self.assertGreaterEqual(calls["fdatasync"], 1)
        self.assertGreaterEqual(calls["fsync"], 4)

    def test_of_a_run_that_goes_on(self):
        calls = self.try_all(Resumed(self, ["run", *WORDS, "-o", "out.csv"]))
        self.assertEqual(calls["ftruncate"], 1)

    def test_of_a_run_that_moves_a_log_aside(self):
        calls = self.try_all(Overwritten(self, ["run", *WORDS, "--overwrite", "-o", "out.csv"]))
        self.assertEqual(calls["rename"], 4)

    def test_of_a_run_that_tries_failed_rows_again(self):
        calls = self.try_all(Retried(self, ["run", *WORDS, "--retry-failed", "-o", "out.csv"]))
        self.assertEqual(calls["rename"], 5)

    def test_of_a_merge(self):
        calls = self.try_all(Merged(self, ["merge", "1.csv", "2.csv", "-o", "out.csv"]))
        self.assertEqual(calls["rename"], 2)


if __name__ == "__main__":
    unittest.main()
