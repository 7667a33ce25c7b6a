#!/usr/bin/python3
"""Tests of compressed logs: whatever reads LOG.csv reads LOG.csv.gz in the same way, and nothing writes it.

    NESTBED=build/release/nestbed /usr/bin/python3 tests/scripts/compressed_test.py
"""
import contextlib
import gzip
import io
import os
import shutil
import subprocess
import sys
import unittest
import unittest.mock

from scratch import ROOT, Scratch, only_all

import checked_output
import log_files
import logs
import plot

NESTBED = os.path.abspath(os.environ["NESTBED"])
H200 = ROOT / "results/h200"


def packed(text):
    return gzip.compress(text, compresslevel=9, mtime=0)


class Compressed(Scratch):
    """A log of an H200 with its manifest, as it is in the folder plain/logs, and compressed in packed/logs."""

    def setUp(self):
        super().setUp()
        self.plain, self.packed = self.folder / "plain/logs", self.folder / "packed/logs"
        for folder in (self.plain, self.packed):
            folder.mkdir(parents=True)
            for name in ("book.csv", "book.csv.json"):
                shutil.copy(H200 / name, folder)
        self.compress(self.packed / "book.csv")

    @staticmethod
    def compress(path):
        path.with_name(f"{path.name}.gz").write_bytes(packed(path.read_bytes()))
        path.unlink()

    @staticmethod
    def called(folder, *words):
        done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
        return done.returncode, done.stdout, done.stderr


class Commands(Compressed):
    def test_read_it_as_the_same_log(self):
        for words in ("show LOG", "show LOG --csv", "show LOG --reference LOG", "check LOG", "compare LOG LOG", "compare LOG --of synced --with nosync",
                      f"predict --against LOG --device {H200}/model.json", f"predict --against LOG --device {H200}/model.json --csv -",
                      f"check {H200}/none.csv", "calibrate LOG"):
            with self.subTest(words):
                expected = self.called(self.plain, NESTBED, *words.replace("LOG", "book.csv").split())
                for name in ("book.csv", "book.csv.gz"):
                    self.assertEqual(self.called(self.packed, NESTBED, *words.replace("LOG", name).split()), expected)

    def test_merge_the_shards_of_a_run(self):
        run = [NESTBED, "run", "--strategy", "nosync,reduce2", "--backend", "cpu", "--grid", "4,8", "--block", "32", "--repeat", "2"]
        for shard in ("1/2", "2/2"):
            self.assertEqual(self.called(self.folder, *run, "--shard", shard, "-o", f"{shard[0]}.csv")[0], 0)
        self.assertEqual(self.called(self.folder, NESTBED, "merge", "1.csv", "2.csv", "-o", "plain.csv")[0], 0)
        self.compress(self.folder / "2.csv")
        self.assertEqual(self.called(self.folder, NESTBED, "merge", "1.csv", "2.csv.gz", "-o", "packed.csv")[0], 0)
        for ending in ("csv", "csv.json"):
            self.assertEqual((self.folder / f"packed.{ending}").read_bytes(), (self.folder / f"plain.{ending}").read_bytes())

    def test_never_write_it(self):
        run = ["run", "--strategy", "nosync", "--backend", "cpu", "--grid", "4", "--block", "32"]
        is_packed = "a compressed log is read and never written; allowed: "
        is_there = "there is book.csv.gz, the compressed log of this name, and it is never written; allowed: another file, or the same after gunzip book.csv.gz"
        before = {path.name: path.read_bytes() for path in self.packed.iterdir()}
        for words, said in (([*run, "-o", "new.csv.gz"], f"new.csv.gz: {is_packed}new.csv (if new.csv.gz is there, gunzip it first)"),
                            ([*run, "-o", "book.csv.gz", "--resume"], f"book.csv.gz: {is_packed}book.csv (if book.csv.gz is there, gunzip it first)"),
                            ([*run, "-o", "book.csv.gz", "--overwrite"], f"book.csv.gz: {is_packed}book.csv (if book.csv.gz is there, gunzip it first)"),
                            ([*run, "-o", "book.csv", "--resume"], f"book.csv: {is_there}"),
                            ([*run, "-o", "book.csv", "--retry-failed"], f"book.csv: {is_there}"),
                            (["merge", "book.csv", "-o", "new.csv.gz"], f"new.csv.gz: {is_packed}new.csv (if new.csv.gz is there, gunzip it first)"),
                            (["merge", "a.csv", "-o", "book.csv"], f"book.csv: {is_there}")):
            with self.subTest(words):
                self.assertEqual(self.called(self.packed, NESTBED, *words), (2, "", f"nestbed: --output {said}\n"))
        self.assertEqual({path.name: path.read_bytes() for path in self.packed.iterdir()}, before)


class Scripts(Compressed):
    """They run in this process, because pandas takes a second to load."""

    @staticmethod
    def ended(name, main, folder, *words):
        """The exit code and the messages of a script, in this folder."""
        with contextlib.chdir(folder), unittest.mock.patch.object(sys, "argv", [name, *words]), contextlib.redirect_stdout(io.StringIO()), \
                contextlib.redirect_stderr(io.StringIO()) as messages:
            return checked_output.ended(name, main), messages.getvalue()

    def test_draw_the_same_figures(self):
        for folder, name in ((self.plain, "book.csv"), (self.packed, "book.csv"), (self.packed, "book.csv.gz")):
            self.assertEqual(self.ended("plot.sh", plot.main, folder, name, "--svg"), (0, ""))
            drawn = {path.name: path.read_bytes() for path in (folder / "figures").iterdir()}
            self.assertIn("book-strategies.svg", drawn)
            self.assertEqual(drawn, {path.name: path.read_bytes() for path in (self.plain / "figures").iterdir()})
            shutil.rmtree(self.packed / "figures", ignore_errors=True)

    @only_all  # the ordinary tests install no plotly
    def test_make_the_same_page(self):
        import report  # pylint: disable=import-outside-toplevel
        pages = []
        for folder in (self.plain, self.packed):
            (folder / "numbers.json").write_text('{"statements": []}')
            self.assertEqual(self.ended("report.sh", report.main, folder, ".", "--numbers", "numbers.json"), (0, "report.sh: report.html\n"))
            pages.append((folder / "report.html").read_text(encoding="utf-8"))
        self.assertIn('"book.csv":"book.csv.gz"', pages[1])  # the link to the file
        self.assertEqual(pages[1].replace('"book.csv":"book.csv.gz"', '"book.csv":"book.csv"'), pages[0])

    def test_take_one_of_two_files(self):
        shutil.copy(self.packed / "book.csv.gz", self.plain)
        self.assertEqual(logs.logs_in(self.plain)[0], [self.plain / "book.csv"])
        self.assertEqual(self.ended("plot.sh", plot.main, self.plain, "book.csv.gz"),
                         (2, "plot.sh: book.csv.gz: there is book.csv too; allowed: one of the two files\n"))

    def test_know_its_text(self):
        self.assertEqual(log_files.sha256_of(self.packed / "book.csv"), log_files.sha256_of(self.plain / "book.csv"))
        self.assertTrue(logs.read_table(self.packed / "book.csv").equals(logs.read_table(self.plain / "book.csv")))
        self.assertEqual(logs.logs_in(self.packed)[0], [self.packed / "book.csv"])
        self.assertEqual(log_files.manifest_path(self.packed / "book.csv"), self.packed / "book.csv.json")


class Texts(Scratch):
    def read(self, content):
        """The text of a compressed file with this content, or why it is refused."""
        (self.folder / "a.csv.gz").write_bytes(content)
        try:
            with log_files.opened_bytes(self.folder / "a.csv") as file:
                return file.read()
        except OSError as error:
            return error.strerror

    def test_of_any_size_are_read_whole(self):
        for size in (0, 1, 1000, log_files.PIECE, log_files.PIECE + 1, 3 * log_files.PIECE):
            for text in (b"x" * size, bytes(place * place % 251 for place in range(size))):
                self.assertEqual(self.read(packed(text)), text)
        self.assertEqual(self.read(packed(b"one\n") + packed(b"") + packed(b"two\n")), b"one\ntwo\n")  # as gunzip does
        self.assertEqual(self.read(b"a,b\n"), b"a,b\n")  # the content decides, not the name

    def test_that_are_damaged_are_refused(self):
        whole = packed(b"a,b\n1,2\n")
        for content, why in ((whole[:2], "its gzip content is cut off"), (whole[:len(whole) // 2], "its gzip content is cut off"),
                             (whole[:-1], "its gzip content is cut off"), (whole + whole[:12], "its gzip content is cut off"),
                             (whole[:-8] + b"0000" + whole[-4:], "its gzip content is damaged: incorrect data check"),
                             (whole[:-4] + b"0000", "its gzip content is damaged: incorrect length check"),
                             (whole + b"more", "its gzip content is damaged: incorrect header check")):
            with self.subTest(why, content=content):
                begin = why.partition(": ")[0]  # what zlib says of it, Python says in other words
                self.assertTrue(self.read(content).startswith(begin), self.read(content))
                with self.assertRaisesRegex(logs.LogError, f"^{self.folder}/a.csv: {begin}"):
                    logs.read_table(self.folder / "a.csv")
                done = subprocess.run([NESTBED, "show", self.folder / "a.csv"], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (1, f"nestbed: {self.folder}/a.csv.gz: it could not be read: {why}\n"))
        for content in (b"", packed(b"")):
            (self.folder / "a.csv.gz").write_bytes(content)
            with self.assertRaises(logs.LogError) as error:
                logs.read_table(self.folder / "a.csv")
            self.assertEqual(str(error.exception), f"{self.folder}/a.csv: it is empty; allowed: a CSV with a header")

    def test_that_are_too_large_are_refused(self):
        with unittest.mock.patch.object(log_files, "MOST_BYTES", 2**20):
            self.assertEqual(len(self.read(packed(b"x" * 2**20))), 2**20)
            self.assertEqual(self.read(packed(b"x" * (2**20 + 1))), "it is too large when unpacked; allowed: 0.000976562 GiB")


class OfTheRepository(unittest.TestCase):
    MAX_FOLDER_BYTES = 15_000_000
    MAX_CSV_BYTES = 72 * 1024  # of one that is not compressed

    def test_results_are_small(self):
        folders = [path for path in (ROOT / "results").iterdir() if (path / "SHA256SUMS").is_file()]
        self.assertGreaterEqual(len(folders), 2)
        for folder in folders:
            with self.subTest(folder.name):
                files = [path for path in folder.rglob("*") if path.is_file() and path.name != "report.html"]
                self.assertLessEqual(sum(path.stat().st_size for path in files), self.MAX_FOLDER_BYTES)
                csvs = {path.name: path for path in folder.glob("*.csv*") if not path.name.endswith(".json")}
                self.assertEqual([name for name, path in csvs.items() if path.suffix == ".csv" and path.stat().st_size > self.MAX_CSV_BYTES], [],
                                 "gzip -9n compresses it")
                self.assertEqual([name for name in csvs if f"{name}.gz" in csvs], [], "the CSV is there twice")
                for path in [path for path in csvs.values() if path.suffix == ".gz"]:
                    content = path.read_bytes()
                    self.assertEqual((content[3], content[4:8]), (0, bytes(4)), f"{path.name} has a name or a time; gzip -9n leaves them out")


if __name__ == "__main__":
    if "NESTBED" not in os.environ:
        sys.exit("compressed_test.py: NESTBED names no nestbed; allowed: NESTBED=build/release/nestbed")
    unittest.main()
