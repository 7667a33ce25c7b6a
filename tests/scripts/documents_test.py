#!/usr/bin/python3
"""Tests of the documents: links and anchors, lists, and examples.

    NESTBED=build/release/nestbed NESTBED_TESTS=build/release/tests/nestbed_tests /usr/bin/python3 tests/scripts/documents_test.py

NESTBED_TESTS contains the strategies that nested/README.md and baseline/README.md give as examples (tests/documents).
"""
import csv
import json
import os
import pathlib
import re
import subprocess
import unittest

from scratch import ROOT, Scratch

NESTBED = os.path.abspath(os.environ["NESTBED"])
TESTS = os.path.abspath(os.environ["NESTBED_TESTS"])
SKIPPED = {"build", ".git", "local"}  # folders
LINK = re.compile(r"\]\(([^()\s]+)\)")


def documents_of(root):
    return sorted(path for path in root.rglob("*.md")
                  if not SKIPPED & set(path.relative_to(root).parts) and not path.name.endswith(".template.md"))


def without_code(text):
    """The text with spaces in place of code blocks and code spans. Line numbers stay the same."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    text = re.sub(r"^```.*?^```", blank, text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", blank, text)


def anchor_of(heading):
    """The anchor that GitHub makes from a heading: letters, digits, hyphens and underscores remain, and spaces become
    hyphens."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.replace("`", "").replace("*", ""))
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def anchors_of(text):
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    anchors, seen = set(re.findall(r'<a id="([^"]+)">', prose)), {}
    for heading in re.findall(r"^#+ +(.*)$", prose, re.MULTILINE):
        anchor = anchor_of(heading)
        count = seen[anchor] = seen.get(anchor, -1) + 1
        anchors.add(f"{anchor}-{count}" if count else anchor)
    return anchors


def broken_links(root):
    problems = []
    for path in documents_of(root):
        text = path.read_text(encoding="utf-8")
        for link in LINK.finditer(without_code(text)):
            target = link[1]
            if re.match(r"[a-z]+:", target):
                continue
            place, _, anchor = target.partition("#")
            file = path.parent / place if place else path
            where = f"{path.relative_to(root)}:{1 + text.count(chr(10), 0, link.start())}"
            if not file.exists():
                problems.append(f"{where}: there is no {place}")
            elif anchor and not re.fullmatch(r"L\d+", anchor) and (file.suffix != ".md" or anchor not in anchors_of(file.read_text(encoding="utf-8"))):
                problems.append(f"{where}: {place or path.name} has no #{anchor}")
    return problems


def called(*words, **others):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=120, **others)


def kept(folder, pattern):
    """The files that git tracks, because the lists do not name strategies that somebody is only trying out. Without
    git, all files."""
    tracked = called("git", "-C", folder, "ls-files", "--", ".").stdout.split()
    return sorted(path for path in folder.glob(pattern) if not tracked or path.relative_to(folder).as_posix() in tracked)


def block_after(path, mark):
    """The block of code after a line with the mark."""
    text = path.read_text(encoding="utf-8")
    return re.search(r"^```\w*\n(.*?)^```$", text[text.index(f"<!-- {mark} -->"):], re.DOTALL | re.MULTILINE)[1]


def rows_after(path, heading):
    """All table rows between this heading and the next second-level heading."""
    text = path.read_text(encoding="utf-8")
    part = re.split(r"^## ", text[text.index(f"\n{heading}\n") + 4:], maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(r"^\| .*$", part, re.MULTILINE)


def first_cells(path, heading):
    return [row[2:].split(" |")[0] for row in rows_after(path, heading)]


class Links(Scratch):
    def test_lead_somewhere(self):
        self.assertEqual(broken_links(ROOT), [])

    def test_that_lead_nowhere_are_found(self):
        (self.folder / "sub").mkdir()
        (self.folder / "sub/b.md").write_text("# Two words, `code`\n```\n# none\n```\n## Same\n## Same\n<a id=\"x.y\"></a>\n")
        (self.folder / "a.md").write_text("[a](sub/b.md#two-words-code) [b](sub/b.md#same-1) [c](sub/b.md#x.y) [d](https://a.b/c#d)\n"
                                          "`[e](none.md)`\n```\n[f](none.md)\n```\n")
        self.assertEqual(broken_links(self.folder), [])
        (self.folder / "a.md").write_text("[a](none.md)\n[`b`](sub/b.md#none)\n[![c](c.png)](sub/b.md)\n[d](#d)\n")
        self.assertEqual(broken_links(self.folder), ["a.md:1: there is no none.md", "a.md:2: sub/b.md has no #none",
                                                     "a.md:3: there is no c.png", "a.md:4: a.md has no #d"])


class Readme(unittest.TestCase):
    def test_is_short(self):
        text = (ROOT / "README.md").read_bytes()
        self.assertLessEqual(len(text), 9 * 1024)
        self.assertLessEqual(text.count(b"\n"), 120)

    def test_and_each_top_folder_has_one(self):
        for folder in ("baseline", "experiments", "nested", "results", "src", "tests"):
            self.assertTrue((ROOT / folder / "README.md").is_file(), folder)

    def test_version_is_that_of_the_build(self):
        version = re.search(r"project\(nestbed VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertIn(f"\nversion: {version}\n", (ROOT / "CITATION.cff").read_text())
        self.assertEqual(re.search(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1], version)
        self.assertEqual(called(NESTBED, "--version").stdout.split()[:2], ["nestbed", version])


class Lists(Scratch):
    def test_have_every_strategy_in_its_folder(self):
        listed = called(NESTBED, "list", "*").stdout
        names = re.findall(r"^(\w+)  \(", listed, re.MULTILINE)
        self.assertGreater(len(names), 40)
        tables = {folder: " ".join(rows_after(ROOT / folder / "README.md", "## The strategies")) for folder in ("nested", "baseline")}
        for folder, table in tables.items():
            quoted = {name for path in kept(ROOT / folder, "*/*.cu") for name in re.findall(r'"(\w+)"', path.read_text(encoding="utf-8"))}
            self.assertEqual(set(names) & quoted - set(re.findall(r"`(\w+)`", table)), set(), folder)
        known = json.loads(called(NESTBED, "list", "--json").stdout)
        others = {entry["name"] for kind in ("workloads", "mechanisms") for entry in known[kind]}
        for table in tables.values():
            self.assertEqual(set(re.findall(r"`(\w+)`", table)) - set(names) - others, set())

    def test_of_nested_strategies_is_what_the_command_prints(self):
        table, *others = called(NESTBED, "list", "--markdown").stdout.split("\n\n")
        self.assertEqual([len(others), "`synced`" in table, "`last_block`" in table], [2, True, False])
        self.assertIn(f"<!-- nestbed list --markdown -->\n{table}\n<!-- end -->\n", (ROOT / "nested/README.md").read_text(encoding="utf-8"))

    def test_have_every_experiment(self):
        cells = " ".join(first_cells(ROOT / "experiments/README.md", "## The experiments"))
        self.assertEqual(sorted(re.findall(r"`(\w+\.cfg)`", cells)), sorted(path.name for path in kept(ROOT / "experiments", "*.cfg")))

    def test_have_every_key(self):
        def is_key(name):
            (self.folder / "one.cfg").write_text(f"{name} = 1\n")
            return "unknown key" not in called(NESTBED, "run", self.folder / "one.cfg", "--dry-run").stderr
        options = re.findall(r"^  --([\w-]+)", called(NESTBED, "help", "run").stdout, re.MULTILINE)
        axes = [axis["name"] for axis in json.loads(called(NESTBED, "list", "--json").stdout)["axes"]]
        keys = {name.replace("-", "_") for name in [*options, *axes] if is_key(name)}
        self.assertIn("block_shape", keys)
        cells = " ".join(first_cells(ROOT / "experiments/README.md", "## The keys"))
        self.assertEqual(sorted(re.findall(r"`(\w+)`", cells)), sorted(keys))

    def test_have_every_column_and_no_other(self):
        made = called(NESTBED, "run", "--strategy", "neighbored", "--backend", "cpu", "--grid", "1", "--block", "2", "--repeat", "1",
                      "-o", "-")
        columns = next(csv.reader(made.stdout.splitlines()))
        cells = " ".join(first_cells(ROOT / "experiments/README.md", "## The columns of the log"))
        self.assertEqual(sorted(re.findall(r"`(\w+)`", cells)), sorted(columns))

    def test_have_every_command(self):
        commands = re.findall(r"^  (\w+)  ", called(NESTBED, "help").stdout.partition("Commands:")[2].partition("Examples:")[0], re.MULTILINE)
        self.assertIn("run", commands)
        text = "".join(path.read_text(encoding="utf-8") for path in documents_of(ROOT))
        self.assertEqual([name for name in commands if not re.search(rf"nestbed`? {name}\b|`{name}`", text)], [])

    def test_have_every_preset(self):
        presets = called("cmake", "--list-presets", cwd=ROOT).stdout
        names = re.findall(r'^ +"([\w-]+)"', presets, re.MULTILINE)
        self.assertIn("cpu-only", names)
        self.assertEqual([f"`{name}`" for name in names if f"`{name}`" not in first_cells(ROOT / "src/README.md", "## Build")], [])


class Stable(Scratch):
    """The tables of STABLE.md against the program."""
    @classmethod
    def setUpClass(cls):
        rows = re.findall(r"^\| (.*?) \| (.*?) ?\|$", (ROOT / "STABLE.md").read_text(encoding="utf-8"), re.MULTILINE)
        cls.texts = {what.replace("`", ""): names for what, names in rows}
        cls.table = {what: set(re.findall(r"`([\w-]+)`", names)) for what, names in cls.texts.items()}

    def fields(self, *rows):
        return set().union(*(row.keys() for row in rows))

    def log(self):
        path = self.folder / "one.csv"
        made = called(NESTBED, "run", "--strategy", "neighbored", "--backend", "cpu", "--grid", "1", "--block", "2", "--repeat", "1", "-o", path)
        self.assertEqual(made.returncode, 0, made.stderr)
        return path

    def test_lists_of_the_program_have_these_fields(self):
        known = json.loads(called(NESTBED, "list", "--json").stdout)
        self.assertEqual(self.table["list --json"], set(known))
        known["parameters"] = [one for row in known["workloads"] for one in row["parameters"]]
        self.assertEqual({what.split(", ")[1]: names for what, names in self.table.items() if what.startswith("list --json, ")},
                         {kind: self.fields(*rows) for kind, rows in known.items()})

    def test_tables_of_a_log_have_these_columns(self):
        path = self.log()
        of_case = {axis["column"] for axis in json.loads(called(NESTBED, "list", "--json").stdout)["axes"]}
        row, = json.loads(called(NESTBED, "show", path, "--json").stdout)
        self.assertEqual(set(row) - self.table["show --json, --csv"], of_case)
        self.assertLessEqual(self.table["show --json, --csv"], set(row))
        self.assertEqual(next(csv.reader(called(NESTBED, "show", path, "--csv").stdout.splitlines())), list(row))

    @unittest.skipUnless((pathlib.Path(NESTBED).parent / "nestbed_races").exists(), "no race detector in this build")
    def test_reports_of_races_have_these_fields(self):
        one, = map(json.loads, called(NESTBED, "races", "--strategy", "nosync", "--grid", "2", "--block", "16", "--json").stdout.splitlines())
        self.assertEqual(self.table["races --json of a case"], set(one) | {"detail"})
        self.assertEqual(self.table["races --json, races"], self.fields(*one["races"]))
        self.assertEqual(self.table["races --json, first"] - {"kernel", "launched_at", "source"},
                         self.fields(*(race[which] for race in one["races"] for which in ("first", "second"))))

    def test_reports_of_races_of_a_program_have_these_fields(self):
        done = called(NESTBED, "races", ROOT / "tests/program/cuda/listings/nested_reduce_nosync.cu", "--json")
        if "to build it: " in done.stderr:
            self.skipTest("what users' programs need is not built")
        report = json.loads(done.stdout)
        self.assertEqual(self.table["races --json of a program"], set(report) | {"others"})
        self.assertEqual(self.table["races --json, kernels"], self.fields(*report["kernels"]))
        self.assertEqual(self.table["races --json, races"], self.fields(*report["races"]))
        self.assertEqual(self.table["races --json, first"], self.fields(*(race[which] for race in report["races"] for which in ("first", "second"))))

    def test_key_of_a_case_is_that_of_this_version(self):
        version, key = re.match(r"version (\d+): `(\w+)`", self.texts["key of a case"]).groups()
        path = self.log()
        with open(path, newline="", encoding="utf-8") as file:
            self.assertEqual([row["key"] for row in csv.DictReader(file)], [key])
        path.write_text(path.read_text(encoding="utf-8").replace("budget", "delta", 1), encoding="utf-8")
        self.assertIn(f"allowed: a log of key version {version}\n", called(NESTBED, "show", path).stderr)

    def test_exit_codes_are_those_of_the_help(self):
        codes = set(re.findall(r"^  (\d+)  ", called(NESTBED, "help").stdout.partition("Exit codes:")[2], re.MULTILINE))
        self.assertEqual(self.table["[exit codes](experiments/README.md#run-and-resume)"], codes)
        self.assertEqual({cell for cell in first_cells(ROOT / "experiments/README.md", "## Run and resume") if cell.isdigit()}, codes)
        for words, code in (("list", 0), ("show none.csv", 1), ("list --none", 2),
                            ("run --strategy neighbored --backend cpu --grid 1 --block 2 --repeat 1 --expect wrong -o -", 3)):
            self.assertEqual((words, called(NESTBED, *words.split()).returncode), (words, code))

    def test_commands_have_these_options(self):
        commands = re.findall(r"^  (\w+)  ", called(NESTBED, "help").stdout.partition("Commands:")[2].partition("Examples:")[0], re.MULTILINE)
        cells = " ".join(first_cells(ROOT / "experiments/README.md", "## The keys"))
        keys = set(re.findall(r"`(\w+)`", cells))

        def options_of(command):
            options = re.findall(r"^  (?:-\w, )?--([\w-]+)", called(NESTBED, "help", command).stdout.partition("Options:")[2], re.MULTILINE)
            return {f"--{one}" for one in options if one != "help" and one.replace("-", "_") not in keys}
        self.assertEqual({what: names for what, names in self.table.items() if what.isalpha() and what not in ("what", "command")},
                         {command: options_of(command) for command in commands})


class Commands(unittest.TestCase):
    def test_name_scripts_and_experiments_that_are_there(self):
        missing = []
        for path in documents_of(ROOT):
            if "results" in path.parts:
                continue
            for name in re.findall(r"\b(?:experiments|tests|\.ci)/[\w./-]*\.(?:sh|cfg|py|sbatch)\b", path.read_text(encoding="utf-8")):
                if not (ROOT / name).exists() and name != "experiments/my.cfg":
                    missing.append(f"{path.relative_to(ROOT)}: {name}")
        self.assertEqual(missing, [])

    def test_of_the_debugger_stop_at_the_lines_that_they_show(self):
        text = (ROOT / "tests/README.md").read_text(encoding="utf-8")
        source = (ROOT / "baseline/reduce/shared_interleaved.cu").read_text().splitlines()
        shown = re.findall(r"^> ?(\d+)( {8}.*)$", text, re.MULTILINE)
        self.assertGreaterEqual(len(shown), 3)
        for number, line in shown:
            self.assertEqual(source[int(number) - 1].strip(), line.strip())


class Examples(Scratch):
    def run_with(self, program, *words):
        done = called(program, *words, "-o", self.folder / "out.csv", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "out.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_experiment_runs(self):
        (self.folder / "my.cfg").write_text(block_after(ROOT / "experiments/README.md", "example: my.cfg"))
        rows = self.run_with(NESTBED, "run", "my.cfg", "--backend", "cpu", "--repeat", "1", "--warmup", "0")
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        self.assertEqual({row["grid"] for row in rows}, {"1", "4", "16", "64"})
        self.assertEqual(len(rows), 12 + 3 + 10)  # a case in two sections counts once

    def example(self, name):
        """Checks that the example in the build folder has the text of the document. If the tree has a strategy with
        the same name, the example is not compiled."""
        compiled = pathlib.Path(TESTS).parent / "documents" / f"{name}.cu"
        if not compiled.exists():
            self.skipTest(f"a strategy of the tree has names of the documents' example {name}")
        folder = "baseline" if name == "my_sum" else "nested"
        self.assertEqual(compiled.read_text(encoding="utf-8"), block_after(ROOT / folder / "README.md", f"example: {name}.cu"))
        return name

    def test_flat_strategy_is_right(self):
        rows = self.run_with(TESTS, "run", "--strategy", self.example("my_sum"), "--backend", "cpu", "--grid", "1,64", "--block", "64,512", "--type",
                             "int32,float32")
        self.assertEqual((len(rows), {row["status"] for row in rows}), (8 * 5, {"ok"}))

    def test_nested_strategy_is_right_and_launches(self):
        rows = self.run_with(TESTS, "run", "--strategy", self.example("my_recursion"), "--mechanism", "all", "--backend", "cpu", "--grid", "1,64",
                             "--block", "64,512", "--schedule", "random:1")
        self.assertEqual((len(rows), {row["status"] for row in rows}), (8 * 5, {"ok"}))
        self.assertEqual({row["launches_attempted"] for row in rows}, {"5", "8", "320", "512"})


if __name__ == "__main__":
    unittest.main()
