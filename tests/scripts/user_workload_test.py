#!/usr/bin/python3
"""Tests of a workload of a user's own, in a folder outside of the repository: new, build, and the commands with --load.

    NESTBED=build/cpu-only/nestbed /usr/bin/python3 -W error tests/scripts/user_workload_test.py
"""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NESTBED = pathlib.Path(os.environ["NESTBED"]).resolve()
SWEEP = ("--strategy", "quadrature_*", "--backend", "cpu", "--grid", "2", "--block", "32", "--repeat", "2", "--warmup", "0")


def nestbed(*words, cwd, load="", program=NESTBED):
    return subprocess.run([program, *words], capture_output=True, text=True, check=False, timeout=280, cwd=cwd,
                          env={**os.environ, "NESTBED_LOAD": load})


def copy_that_compiles_less(folder, *left_out, optimises=True):
    """A copy of nestbed, in this folder, whose command `build` has nothing in these entries of workload.json. No test here runs device
    code, so nvcc need not optimise it."""
    folder.mkdir()
    shutil.copy(NESTBED, folder)
    for name in ("lib", "modules"):
        if (NESTBED.parent / name).exists():
            (folder / name).symlink_to(NESTBED.parent / name)
    for inner in ("program", "program/workload"):
        (folder / inner).mkdir()
        for path in (NESTBED.parent / inner).iterdir():
            if path.name not in ("workload", "workload.json"):
                (folder / inner / path.name).symlink_to(path)
    words = json.loads((NESTBED.parent / "program/workload/workload.json").read_text())
    words |= {name: type(words[name])() for name in left_out}
    if words["nvcc"] and not optimises:
        helped = subprocess.run([words["nvcc"], "--help"], capture_output=True, text=True, check=True).stdout
        words["nvcc_flags"] += ["-Xptxas=-O0", *(["-Ofc=max"] if "--Ofast-compile" in helped else [])]
    (folder / "program/workload/workload.json").write_text(json.dumps(words))
    return folder / NESTBED.name


class UserWorkload(unittest.TestCase):
    """The tutorial's workload, built once with all that a build makes. Its variants are built for the executor alone, because nvcc takes
    most of the time of a build; those of tests of races for the detector, too; those of `by_nvcc` for a GPU, without optimisation."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name).resolve()
        cls.new = nestbed("build", "--new", "quadrature", cwd=cls.folder)
        cls.built = nestbed("build", "quadrature/", cwd=cls.folder)
        cls.for_executor = copy_that_compiles_less(cls.folder / "for_executor", "nvcc", "watched_flags")
        cls.for_races = copy_that_compiles_less(cls.folder / "for_races", "nvcc")
        cls.by_nvcc = copy_that_compiles_less(cls.folder / "by_nvcc", "watched_flags", optimises=False)

    def called(self, *words, **more):
        return nestbed(*words, cwd=self.folder, **more)

    def build(self, name, program=None, **more):
        return nestbed("build", name, cwd=self.folder, program=program or self.for_executor, **more)

    def test_a_missing_part_is_named_with_what_builds_it(self):
        less = copy_that_compiles_less(self.folder / "less", "nvcc")
        for part in ("workload/include", "nestbed_rewrite"):
            with self.subTest(part):
                (less.parent / "program" / part).unlink()
                built = self.build("quadrature", program=less)
                self.assertEqual((built.returncode, built.stderr),
                                 (1, f"nestbed: {less.parent}/program/{part} does not exist; a workload of your own needs it; to build it: "
                                     "experiments/build.sh '' nestbed_programs\n"))
                (less.parent / "program" / part).symlink_to(NESTBED.parent / "program" / part)

    def rows(self, *words):
        done = self.called("run", "--load", "quadrature", *SWEEP, *words, "-o", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def test_is_one_file_that_is_built_with_one_command(self):
        self.assertEqual((self.new.returncode, self.new.stdout), (0, "quadrature/quadrature.cu: a workload to change\nnestbed build quadrature\n"))
        self.assertLessEqual((self.folder / "quadrature/quadrature.cu").read_text().count("\n"), 150)
        self.assertEqual((self.built.returncode, self.built.stderr), (0, ""))
        self.assertEqual(self.built.stdout, "strategies: quadrature_levels, quadrature_nested\n"
                         "nestbed run --load quadrature/ --strategy quadrature_levels,quadrature_nested\n")

    def test_a_sweep_of_its_parameters_counts_what_was_launched(self):
        rows = self.rows("--digits", "3,6", "--threshold", "1,100")
        self.assertEqual(len(rows), 2 * 2 * 2 * 2)
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        nested = {(row["digits"], row["threshold"]): int(row["launches_attempted"]) for row in rows if row["strategy"] == "quadrature_nested"}
        self.assertGreater(nested["6", "1"], nested["3", "1"])
        self.assertGreater(nested["6", "1"], nested["6", "100"])
        self.assertEqual({row["launches_expected"] == row["launches_attempted"] for row in rows if row["strategy"] == "quadrature_nested"}, {True})

    def test_its_default_is_its_own(self):
        self.changed("leveled", ("constexpr Parameter kDigits", 'constexpr Parameter kLevels{.name = "levels", .help = "levels of it", .most = 16, '
                                 ".default_value = 5, .role = AxisRole::tuning};\nconstexpr Parameter kDigits"),
                     ("axis::depth, kDigits", "axis::depth, kLevels, kDigits"))
        sweep = ("run", "--load", "leveled", "--strategy", "leveled_nested", *SWEEP[2:], "-o", "-")
        for given, used in (((), "5"), (("--levels", "16"), "16")):
            done = self.called(*sweep, *given)
            self.assertEqual({row["levels"] for row in csv.DictReader(io.StringIO(done.stdout))}, {used}, done.stderr)
        self.assertEqual(self.drawn("leveled", "leveled", "--digits", "6", "--levels", "3,4").stderr, "")
        figure = (self.folder / "figures/leveled-threshold.svg").read_text()
        self.assertTrue("levels 3" in figure and "levels 4" in figure)  # the names of its panels

    def test_it_changes_nothing_for_other_workloads(self):
        self.changed("cutting", ("constexpr Parameter kDigits", 'constexpr Parameter kCutoff{.name = "cutoff", .help = "another", .most = 65535, '
                                 ".default_value = 4};\nconstexpr Parameter kDigits"), ("axis::depth, kDigits", "axis::depth, kCutoff, kDigits"))
        search = ("run", "--strategy", "search_children,search_budget", "--mechanism", "tail", "--input", "queens,t1", "--queens", "8", "--tree-levels", "5",
                  "--backend", "cpu", "--dry-run")
        for more in ((), ("--cutoff", "3,4")):
            self.assertEqual(self.called(*search, *more, "--load", "cutting").stdout, self.called(*search, *more).stdout)

    OWN = (("constexpr Parameter kDigits", 'constexpr std::string_view kRules[]{"coarse", "fine"};\n'
            'constexpr Parameter kRule{.name = "my-rule", .help = "how much is divided", .names = kRules, .role = AxisRole::tuning};\n'
            "constexpr Parameter kDigits"), ("axis::depth, kDigits", "axis::depth, kDigits, kRule"),
           ("-1.0 * point[kDigits]", "-1.0 * (point[kDigits] + 2 * point[kRule])"))

    def test_its_parameter_is_an_option_a_key_a_column_and_in_the_help(self):
        self.changed("owner", *self.OWN)
        sweep = ("run", "--load", "owner", "--strategy", "owner_nested", *SWEEP[2:])
        experiment, log = self.folder / "owner.cfg", self.folder / "of-owner.csv"
        experiment.write_text("strategy = owner_nested\nbackend = cpu\ngrid = 2\nblock = 32\nrepeat = 2\nwarmup = 0\n"
                              "my_rule = fine,coarse\ndigits = 3:4\n")
        both = [self.called(*words) for words in ((*sweep, "--my-rule", "coarse,fine", "--digits", "3,4", "-o", "-"),
                                                  ("run", "--load", "owner", experiment, "-o", log))]
        for one in both:
            self.assertEqual(one.returncode, 0, one.stderr)
        rows = list(csv.DictReader(io.StringIO(both[0].stdout)))
        from_file = list(csv.DictReader(log.open(encoding="utf-8")))
        self.assertEqual(sorted((row["key"], row["my_rule"], row["digits"]) for row in rows),
                         sorted((row["key"], row["my_rule"], row["digits"]) for row in from_file))
        launches = {(row["my_rule"], row["digits"]): int(row["launches_attempted"]) for row in rows}
        self.assertEqual(len(launches), 4)
        self.assertEqual(len({row["key"] for row in rows}), 4)
        self.assertGreater(launches["fine", "3"], launches["coarse", "3"])
        self.assertGreater(launches["coarse", "4"], launches["coarse", "3"])
        default = self.called(*sweep, "--digits", "3", "-o", "-").stdout
        self.assertEqual({row["my_rule"] for row in csv.DictReader(io.StringIO(default))}, {"coarse"})
        helped = self.called("help", "run", "owner", "--load", "owner").stdout
        self.assertRegex(helped, r"--digits AXIS +the tolerance is 10\^-digits \(default: 6\)\n +--my-rule LIST +how much is divided; one of coarse, fine \(default: coarse\)\n")
        tables = json.loads(self.called("list", "--json", "--load", "owner").stdout)
        table = next(one for one in tables["workloads"] if one["name"] == "owner")
        self.assertEqual({one["axis"]: one["problem"] for one in table["parameters"] if one["axis"] in ("my-rule", "digits")},
                         {"digits": True, "my-rule": False})
        axis = next(one for one in tables["axes"] if one["name"] == "my-rule")
        self.assertEqual((axis["column"], axis["values"], axis["default"]), ("my_rule", ["coarse", "fine"], "coarse"))
        dry = self.called("run", "--load", "owner", experiment, "--dry-run")
        self.assertRegex(dry.stdout, r"(?s)digits.*my-rule.*fine")
        self.assertIn("fine", self.called("show", "--load", "owner", log).stdout)
        again = self.called("run", "--load", "owner", experiment, "-o", log)  # nothing is left
        self.assertEqual((again.returncode, list(csv.DictReader(log.open(encoding="utf-8")))), (0, from_file), again.stderr)
        for word, shard in (("one", "1/2"), ("two", "2/2")):
            done = self.called("run", "--load", "owner", experiment, "--shard", shard, "-o", self.folder / f"owner-{word}.csv")
            self.assertEqual(done.returncode, 0, done.stderr)
        merged = self.called("merge", "--load", "owner", "owner-one.csv", "owner-two.csv", "-o", "owner-merged.csv")
        self.assertEqual(merged.returncode, 0, merged.stderr)
        rows = csv.DictReader((self.folder / "owner-merged.csv").open(encoding="utf-8"))
        self.assertEqual({(row["my_rule"], row["digits"]) for row in rows}, set(launches))
        self.assertEqual(self.drawn("owner", "owner", "--digits", "6", "--my-rule", "coarse,fine").stderr, "")
        for words, message in ((("--my-rule", "rough"), "--my-rule rough: there is no my-rule 'rough'"),
                               (("--digits", "16"), "--digits 16: 16 is too large; allowed: whole numbers from 1 to 15")):
            done = self.called(*sweep, *words, "--dry-run")
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)
        self.assertIn("unknown option '--my-rule'", self.called("run", "--strategy", "nosync", "--my-rule", "fine").stderr)

    def test_a_log_has_no_column_of_a_workload_that_is_not_in_it(self):
        words = ("run", "--strategy", "nosync", "--backend", "cpu", "--grid", "2", "--block", "32", "--repeat", "1", "--warmup", "0", "-o", "nosync.csv")
        loaded = str(self.folder / "quadrature")
        for load in (loaded, "", loaded):
            done = self.called(*words, load=load)
            self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader((self.folder / "nosync.csv").open(encoding="utf-8")))
        self.assertEqual(len(rows), 1)
        self.assertNotIn("digits", rows[0])

    def test_a_parameter_that_is_something_else_is_refused(self):
        declared = 'constexpr Parameter kOther{.name = "%s", .help = "another"%s};\nconstexpr Parameter kDigits'
        levels = "parameter 'levels': it has other values (%s) than in another workload; allowed: whole numbers from 1 to 16, or another name"
        for name, more, message in (("levels", ", .most = 40, .default_value = 1", levels % "whole numbers from 1 to 40"),
                                    ("levels", ", .names = kFew", levels % "few, many"),
                                    ("grid", "", "parameter 'grid': it is the name of an axis of all workloads; allowed: another name, or that axis"),
                                    ("my_radius", "", "parameter 'my_radius': it is not a valid name of a parameter; allowed: small letters, digits and '-', "
                                                      "a letter first, not more than 40"),
                                    ("radius", ", .most = 8, .default_value = 9", "parameter 'radius': its default 9 is not one of its values; allowed: "
                                                                                  "whole numbers from 1 to 8, or 0 if its workload replaces that"),
                                    ("radius", ", .least = 2, .most = 8, .default_value = 1", "its default 1 is not one of its values"),
                                    ("radius", ", .file = true", "its values are files; allowed: numbers or names"),
                                    ("digits", "", "two parameters of a workload have the same name"),
                                    *((name, "", f"parameter '{name}' of a workload that is loaded: nestbed has an option or a column of this name, or of its form")
                                      for name in ("rows", "bound", "measured-us")),
                                    ("repeat", "", "parameter 'repeat' of a workload that is loaded: nestbed has an option or a column of this name, or of its form; "
                                                   "allowed: another name"),
                                    ("status", "", "parameter 'status' of a workload that is loaded: nestbed has an option or a column of this name, or of its form; "
                                                   "allowed: another name")):
            with self.subTest(name + more):
                self.write("refused", ("constexpr Parameter kDigits", 'constexpr std::string_view kFew[]{"few", "many"};\n' * ("kFew" in more) + declared % (name, more)),
                           ("axis::depth, kDigits", "axis::depth, kDigits, kOther"))
                built = self.build("refused")
                self.assertNotEqual(built.returncode, 0)
                self.assertIn(message, built.stderr)

    def test_a_parameter_that_is_given_as_0_is_0(self):
        for given, used in (((), "1"), (("--threshold", "0"), "0")):
            done = self.called("run", "--load", "quadrature", *SWEEP, "--depth", "2", *given, "-o", "-")
            self.assertEqual({row["threshold"] for row in csv.DictReader(io.StringIO(done.stdout))}, {used}, done.stderr)

    def test_what_no_chosen_strategy_has_is_said(self):
        done = self.called("run", "--load", "quadrature", *SWEEP, "--dwell", "64", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stderr.startswith("nestbed: --dwell 64: it changes nothing, because no chosen strategy has dwell"), done.stderr)
        done = self.called("run", "--load", "quadrature", *SWEEP, "--wave", "8", "--dry-run")
        self.assertEqual(done.stderr, "nestbed: --wave 8: it changes nothing, because no chosen strategy launches its root blocks in waves\n")

    def test_times_at_one_tolerance_are_compared(self):
        log = self.folder / "tolerances.csv"
        self.assertEqual(self.called("run", "--load", "quadrature", *SWEEP, "--digits", "3,6", "--threshold", "1,10", "-o", log).returncode, 0)
        done = self.called("compare", "--load", "quadrature", log, "--of", "quadrature_nested", "--with", "quadrature_levels", "--csv", self.folder / "sides.csv")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        rows = list(csv.DictReader((self.folder / "sides.csv").open(encoding="utf-8")))
        self.assertEqual([row["digits"] for row in rows], ["3", "6"], done.stdout)
        table = next(one for one in json.loads(self.called("list", "--json", "--load", "quadrature").stdout)["workloads"] if one["name"] == "quadrature")
        self.assertEqual([one["column"] for one in table["parameters"] if one["problem"]], ["digits"])
        for words in (("show", log), ("compare", log, "--of", "quadrature_nested", "--with", "quadrature_levels")):
            done = self.called(*words)
            self.assertNotEqual(done.returncode, 0)
            self.assertTrue(done.stderr.endswith("this nestbed has no strategy 'quadrature_levels'; the folder quadrature has a workload: --load quadrature\n"),
                            done.stderr)

    def test_every_mechanism_and_any_order_give_the_same_answer(self):
        for schedule in ("fifo", "eager", "random:3"):
            rows = self.rows("--mechanism", "all", "--schedule", schedule)
            self.assertEqual({row["status"] for row in rows}, {"ok"}, schedule)
            self.assertEqual({row["mechanism"] for row in rows}, {"fire_and_forget", "null_stream", "tail", "host"})

    def test_other_commands_know_it(self):
        listed = self.called("list", "quadrature_nested", "--load", "quadrature")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertIn("fire_and_forget", listed.stdout)
        self.assertNotRegex(listed.stdout, "hazards|source")  # the file says nothing of them
        self.assertIn("the tolerance is 10^-digits", self.called("help", "run", "quadrature", load=str(self.folder / "quadrature")).stdout)
        for words in (("help", "run", "--load", "quadrature"), ("help", "run", "quadrature", "--load=quadrature"), ("list", "quadrature", "--load", "quadrature"),
                      ("list", "quadrature_nested", "--load", "quadrature")):
            self.assertRegex(self.called(*words).stdout, r"--digits AXIS +the tolerance is 10\^-digits \(default: 6\)\n")
        tree = self.called("tree", "--load=quadrature", "--strategy", "quadrature_nested", "--backend", "cpu", "--grid", "2", "--block", "32")
        self.assertEqual(tree.returncode, 0, tree.stderr)
        dry = self.called("run", "--load", "quadrature", *SWEEP, "--digits", "3,6", "--dry-run")
        self.assertEqual((dry.returncode, dry.stdout.count("quadrature_nested")), (0, 2), dry.stdout)
        self.assertTrue(" ".join(dry.stdout.split()).endswith("as many device launches as the input decides, memory not known, time not known"), dry.stdout)
        log = self.folder / "a.csv"
        self.assertEqual(self.called("run", "--load", "quadrature", *SWEEP, "-o", log).returncode, 0)
        self.assertIn("quadrature_nested", self.called("show", log, "--load", "quadrature").stdout)

    def drawn(self, folder, strategy, *axes, figure="times,threshold,by-launches"):
        """What plot.sh says of a sweep of five thresholds."""
        log = self.folder / f"{strategy}.csv"
        axes = (*(axes or ("--digits", "3,8")), *(("--figure", figure) if figure else ()))
        sweep = ("--strategy", f"{strategy}_*", *SWEEP[2:], *axes, "--threshold", "1,3,10,30,100")
        self.assertEqual(self.called("run", "--load", folder, *sweep, "-o", log).returncode, 0)
        environment = {**os.environ, "NESTBED": str(NESTBED), "NESTBED_LOAD": str(self.folder / folder)}
        return subprocess.run([ROOT / "experiments/plot.sh", log], capture_output=True, text=True, check=False, env=environment, cwd=self.folder)

    def test_its_sweep_has_one_figure_of_its_times(self):
        (self.folder / "titled.cfg").write_text("title = A sharp peak\nstrategy = quadrature_*\nbackend = cpu\ngrid = 2\nblock = 32\nrepeat = 5\nwarmup = 0\n"
                                                "digits = 3:6\nthreshold = 1,10\n")
        done = self.called("run", "titled.cfg", "-o", "titled.csv", "--plot", load=str(self.folder / "quadrature"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(re.findall(r"figures/titled-.*", done.stdout), ["figures/titled-time.svg", "figures/titled-time.png"])
        figure = (self.folder / "figures/titled-time.svg").read_text()
        self.assertRegex(figure, r">A sharp peak: at digits 6, (quadrature_nested takes [\d.]+ times|no difference)")  # its title, and what came out
        self.assertIn(">digits: the tolerance is 10^-digits<", figure)
        self.assertIn("A point is the fastest by threshold.", figure)
        self.assertIn(">quadrature_nested, fire and forget<", figure)
        self.assertEqual(len(re.findall(r">time, (?:µs|ms)<", figure)), 1)
        _, height = struct.unpack(">II", (self.folder / "figures/titled-time.png").read_bytes()[16:24])
        self.assertLess(height, 600)
        done = self.called("run", "--load", "quadrature", *SWEEP, "-o", "one.csv", "--plot")
        self.assertIn("figures/one-time.svg", done.stdout)  # of one point: a row for each strategy

    def figure(self, *facets, overlap=(), failed=()):
        """The figure of a log in which the nested strategy takes half the time of the flat one, but for the thresholds in `overlap`, whose intervals
        overlap, and fails at the digits in `failed`."""
        swept = ("run", "--load", "facets", "--strategy", "facets_*", *SWEEP[2:6], "--block", "32", "--threshold", ",".join(facets), "--repeat", "5", "--warmup", "0",
                 "--digits", "3:6")
        self.assertEqual(self.called(*swept, "-o", "facets.csv", "--overwrite").returncode, 0)
        log = self.folder / "facets.csv"
        rows = list(csv.DictReader(log.open(encoding="utf-8", newline="")))
        with log.open("w", encoding="utf-8", newline="") as file:
            out = csv.DictWriter(file, rows[0])
            out.writeheader()
            for row in rows:
                flat = row["strategy"] == "facets_levels"
                slow = 2 if flat and row["threshold"] not in overlap else 1
                row["wall_us"] = slow * (100 + 10 * int(row["repetition"]) % 50)
                out.writerow(row if flat or row["digits"] not in failed else {**row, "wall_us": "", "status": "launch_failed", "launches_failed": "1"})
        done = subprocess.run([ROOT / "experiments/plot.sh", log, "-o", self.folder / "titles"], capture_output=True, text=True, check=False, cwd=self.folder,
                              env={**os.environ, "NESTBED": str(NESTBED), "NESTBED_LOAD": str(self.folder / "facets")})
        self.assertEqual(done.returncode, 0, done.stderr)
        svg = (self.folder / "titles/facets-time.svg").read_text()
        self.assertEqual([text for text in re.findall(r">(\d)<", svg) if text in "3456"][:4], list("3456"))  # evenly: no axis of powers
        return svg

    def title(self, *facets, **rows):
        return " ".join(re.findall(r"<text [^>]*font: 700 12px[^>]*>([^<]*)<", self.figure(*facets, **rows)))

    def test_its_title_claims_no_more_than_its_panels_show(self):
        self.changed("facets", ('{axis::threshold, "an interval with an error below so many tolerances is not divided, but gets more points", 1}',
                                '{.name = axis::threshold, .meaning = "part of the problem", .default_value = 1, .role = AxisRole::problem}'))
        pair = "facets_nested takes {} times the time of facets_levels"
        self.assertIn(f": at digits 6, {pair.format('0.500')}", self.title("1"))
        self.assertIn(f": at digits 6 (threshold 1), {pair.format('0.500')}; no difference seen (threshold 10)", self.title("1", "10", overlap=("10",)))
        self.assertIn(pair.format("0.500 (threshold 1) to 0.500 (threshold 10)"), self.title("1", "10"))
        self.assertIn(": at digits 6, no difference seen between facets_nested and facets_levels", self.title("1", overlap=("1",)))
        self.assertIn(": time against digits", self.title("1", failed=("6",)))

    def test_its_figure_shows_what_failed(self):
        self.changed("facets")
        strip, label, alone = "#f3f3f3", ">facets_nested, ", "× alone: facets_nested"
        for failed, there in (((), (label,)), (("4", "5", "6"), (label, strip)), (("3", "4", "5", "6"), (strip, alone))):
            with self.subTest(failed):
                svg = self.figure("1", failed=failed)
                self.assertEqual([one for one in (label, strip, alone) if one in svg], list(there))

    def test_its_sweep_has_figures(self):
        done = self.drawn("quadrature", "quadrature")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in ("time", "threshold", "launches-time"):
            self.assertIn(f"quadrature-{name}.svg", done.stdout)
        figure = (self.folder / "figures/quadrature-threshold.svg").read_text()
        self.assertIn("threshold: an interval with an error below", figure)
        self.assertIn("digits: the tolerance is 10^-digits.", figure)
        self.assertNotIn("threshold, threads", figure)
        self.assertNotIn("aggregation", figure)
        self.assertIn("launches from the device", figure)
        script = ("import logs, figure_parts, figures_irregular as irregular\n"
                  "part, = figure_parts.parts_of('quadrature.csv', logs.read_log('quadrature.csv'))\n"
                  "print(*sorted(case['digits'] for case in irregular.flat_of(part).values()))")
        done = subprocess.run(["/usr/bin/python3", "-c", script], capture_output=True, text=True, check=False, cwd=self.folder,
                              env={**os.environ, "NESTBED": str(NESTBED), "NESTBED_LOAD": str(self.folder / "quadrature"),
                                   "PYTHONPATH": str(ROOT / "experiments")})
        self.assertEqual(done.stdout, "3 8\n", done.stderr)  # a dashed line for each tolerance
        done = subprocess.run([ROOT / "experiments/plot.sh", "quadrature.csv", "-o", self.folder / "unloaded"], capture_output=True, text=True, check=False,
                              env={**os.environ, "NESTBED": str(NESTBED), "NESTBED_LOAD": ""}, cwd=self.folder)
        self.assertIn(f"plot.sh: quadrature.csv: this nestbed has no strategy 'quadrature_levels'; with a workload of your own: "
                      f"NESTBED_LOAD={self.folder}/quadrature before the command\n", done.stderr)

    def test_its_launches_alone_are_a_least_time(self):
        words = ("predict", "--load", "quadrature", "--strategy", "quadrature_*", "--grid", "2", "--block", "32", "--digits", "6", "--threshold", "1,100")
        done = self.called(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^nestbed: counting the launches of 4 cases on the executor: how long that takes is not known\nnestbed: counted in ")
        self.assertRegex(" ".join(done.stdout.split()), r"\(launches alone: at least so long: levels x price \+ further launches x price; prices of a "
                         r"level and of a further launch: fire_and_forget [\d.]+ us, [\d.]+ us; host [\d.]+ us\)")
        rows = {(row["strategy"], row["threshold"]): row for row in csv.DictReader(io.StringIO(self.called(*words, "--csv", "-").stdout))}
        counted = {(row["strategy"], row["threshold"]): row for row in self.rows("--digits", "6", "--threshold", "1,100")}
        prices = json.loads((ROOT / "results/h200/model.json").read_text())["parameters"]
        for key, row in rows.items():
            levels, launches = len(counted[key]["launches_by_depth"].split()), int(counted[key]["launches_attempted"])
            least = int(counted[key]["host_launches"]) * prices["level.host"]["value"] if key[0] == "quadrature_levels" else (
                levels * prices["level.fire_and_forget"]["value"] + (launches - levels) * prices["rate.fire_and_forget"]["value"])
            self.assertAlmostEqual(float(row["predicted_us"]), least, delta=0.01)
            self.assertEqual((row["bound"], row["digits"], row["launches"]), ("launches", "6", str(launches)))
        self.assertEqual(len(rows), 4)
        none = self.called("predict", "--load", "quadrature", "--strategy", "quadrature_nested", "--grid", "1", "--block", "32", "--digits", "1",
                           "--threshold", "60000")
        self.assertRegex(none.stdout, r"(?m)^quadrature_nested +0 +launches$")
        self.assertNotIn("0.00 us", none.stdout)

    def test_no_time_of_a_gpu_was_less_than_that_of_its_launches(self):
        words = ("predict", "--load", "quadrature", "--against", ROOT / "results/h100/quadrature.csv", "--device", "h100")
        done = self.called(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(" ".join(done.stdout.split()), r"quadrature\.csv: 84 cases, 1\.\d+ to \d+\.\d+ times as long as their launches alone$")
        rows = list(csv.DictReader(io.StringIO(self.called(*words, "--csv", "-").stdout)))
        self.assertGreaterEqual(min(float(row["measured_over_predicted"]) for row in rows), 1)

    def test_a_case_that_does_not_run_right_has_no_least_time(self):
        self.changed("unright", ("atomicAdd(task.answer, sum);", "atomicAdd(task.answer, sum + 1);"))
        done = self.called("predict", "--load", "unright", "--strategy", "unright_nested", "--grid", "2", "--block", "32")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertRegex(done.stderr, r"nestbed: not counted: strategy unright_nested, .*: wrong: the answer is \S+ instead of 3\.141116\n")

    def test_races_are_found_in_it(self):
        if not (NESTBED.parent / "nestbed_races").exists():
            self.skipTest("no race detector in this build")
        done = self.called("races", "--load", "quadrature", "--strategy", "quadrature_*", "--grid", "2", "--block", "32")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.changed("racy", ("atomicAdd(task.answer, sum)", "*task.answer += sum"), program=self.for_races)
        done = self.called("races", "--load", "racy", "--strategy", "racy_nested", "--grid", "2", "--block", "32")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("racy.cu:", done.stdout)
        self.assertNotRegex(done.stdout, r"launch\w*\.hpp|device/cpu/")  # a launch is in the workload's own file

    def test_races_of_it_need_none_of_the_modules_of_nestbed(self):
        words = ("races", "--load", "quadrature", "--strategy", "quadrature_*", "--grid", "2", "--block", "32")
        done = self.called(*words, program=self.for_executor)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertTrue(done.stderr.endswith(": experiments/build.sh '' nestbed\n"), done.stderr)
        if not (NESTBED.parent / "nestbed_races").exists():
            self.skipTest("no race detector in this build")
        alone = self.folder / "alone"
        (alone / "modules").mkdir(parents=True)
        shutil.copy(NESTBED.parent / "nestbed_races", alone)
        shutil.copy(NESTBED, alone)
        for path in (NESTBED.parent / "lib", *(NESTBED.parent / "modules").glob("*.txt")):
            if path.exists():
                (alone / path.relative_to(NESTBED.parent)).symlink_to(path)
        done = self.called(*words, program=alone / NESTBED.name)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_a_case_that_ends_its_process_is_named(self):
        if not (NESTBED.parent / "nestbed_races").exists():
            self.skipTest("no race detector in this build")
        self.changed("corrupt", ("static double reference(const Case& /*point*/) { return kExact; }",
                                 "static double reference(const Case& point) { std::vector<int> host(60000); if (point.threshold == 3) "
                                 "for (int at = -4; at < 0; ++at) *(volatile int*)(host.data() + at) = 7; return kExact; }"), program=self.for_races)
        done = self.called("races", "--load", "corrupt", "--strategy", "corrupt_nested", "--grid", "2", "--block", "32", "--threshold", "1,3,10")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"nestbed: strategy corrupt_nested, .*threshold 3, .*: crashed: signal 6 \(Aborted\); the report of this case is lost\n$")
        self.assertEqual(len(re.findall("^no races: ", done.stdout, re.MULTILINE)), 2)

    def test_a_variable_of_the_module_is_watched(self):
        if not (NESTBED.parent / "nestbed_races").exists():
            self.skipTest("no race detector in this build")
        text = (self.folder / "quadrature/quadrature.cu").read_text()
        end = text.index("bool must_divide(") + len("bool must_divide(")
        first = text[text.rindex("\n\n", 0, end):end]
        self.changed("counted", (first, f"\n\n__device__ unsigned answers_added;{first}"),
                     ("atomicAdd(task.answer, sum);", "atomicAdd(task.answer, sum);\n    ++answers_added;"), program=self.for_races)
        done = self.called("races", "--load", "counted", "--strategy", "counted_nested", "--grid", "2", "--block", "32")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("answers_added", done.stdout)

    def changed(self, name, *changes, program=None):
        """The folder NAME of a workload of that name: the tutorial's with these changes, built by this nestbed."""
        self.write(name, *changes)
        self.assertEqual(self.build(name, program).returncode, 0)
        return self.folder / name

    def write(self, name, *changes):
        """The same, not built. Returns the line of the first change."""
        (self.folder / name).mkdir(exist_ok=True)
        text = (self.folder / "quadrature/quadrature.cu").read_text()
        line = text.partition(changes[0][0])[0].count("\n") + 1 if changes else 0
        for before, after in changes:
            self.assertEqual(text.count(before), 1, before)
            text = text.replace(before, after)
        (self.folder / name / f"{name}.cu").write_text(text.replace("quadrature", name))
        return line

    def test_the_code_of_the_page_compiles_and_its_answers_are_right(self):
        array, calls = re.findall(r"^```cuda\n(.*?)^```$", (ROOT / "nested/your_workload.md").read_text(), re.MULTILINE | re.DOTALL)
        text = (self.folder / "quadrature/quadrature.cu").read_text()
        end = text[text.index("// ---- What a run gets"):text.index("\n} // namespace")]
        add = ("atomicAdd(task.answer, sum);", "atomicAdd(task.answer + (in.from < 0.5 ? 0 : 1), sum);")
        self.assertIn(f"`{add[1]}`", (ROOT / "nested/your_workload.md").read_text())
        self.assertIn("calls_of_a_context(", calls)
        for name, more, status, program in (("halved", (), {"ok"}, self.by_nvcc),
                                            ("unhalved", (("std::atan(0.2 / kWidth) +", "std::atan(0.2 / kWidth) + 1 +"),), {"wrong"}, None)):
            self.changed(name, (end, array + calls), add, *more, program=program)
            done = self.called("run", "--load", name, "--strategy", f"{name}_*", *SWEEP[2:], "--digits", "3,6", "-o", f"{name}.csv")
            rows = list(csv.DictReader((self.folder / f"{name}.csv").open(encoding="utf-8")))
            self.assertEqual(({row["status"] for row in rows}, {row["reference"] for row in rows}), (status, {"2"}), done.stderr)
        self.assertRegex(rows[0]["detail"], r"^half 0 is [\d.]+ instead of [\d.]+$")

    def test_inputs_have_names_of_its_own(self):
        page = (ROOT / "nested/your_workload.md").read_text()
        kinds, inputs, asks = re.search(r"^- Inputs by name: `(.*)`, and `(.*)` before `.meanings`.*\n.*`(point.*)` tells", page, re.MULTILINE).groups()
        self.write("inputs", ("constinit const WorkloadInfo", f"{kinds}\nconstinit const WorkloadInfo"), (".meanings =", f"{inputs}\n    .meanings ="),
                   ("reference(const Case& /*point*/) { return kExact; }", f"reference(const Case& point) {{ return {asks} ? 1 : kExact; }}"),
                   ("<= tolerance(point)", f"<= ({asks} ? 3 : tolerance(point))"))
        done = self.build("inputs")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.called("run", "--load", "inputs", "--strategy", "inputs_*", *SWEEP[2:], "--input", "step,peak", "-o", "-")
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual({(row["input"], row["reference"][:4], row["status"]) for row in rows}, {("step", "1.00", "ok"), ("peak", "3.14", "ok")}, done.stderr)
        asked = ("--load", "inputs", "--strategy", "inputs_*", "--grid", "2", "--block", "32", "--backend")
        for command in (("run", *asked, "cpu", "--dry-run"), ("predict", *asked, "cuda")):  # name them as a run does
            self.assertEqual(re.findall(r"(?m)^inputs_nested +\w+ +(\w+) ", self.called(*command, "--input", "step,peak").stdout), ["step", "peak"])
            self.assertRegex(self.called(*command, "--input", "step").stdout, "(?m)^[^:]*input step[^:]*$")
        self.assertEqual({row["input"] for row in csv.DictReader(io.StringIO(self.called(*command, "--input", "step", "--csv", "-").stdout))}, {"step"})
        wrong = self.called("run", "--load", "inputs", "--strategy", "inputs_*", "--input", "slope")
        self.assertIn("allowed: peak, step", wrong.stderr)

    def test_min_and_max_are_those_of_cuda(self):
        self.changed("least", ("using namespace nestbed;", "using namespace nestbed;\nusing namespace std;"),
                     ("part < parts;", "part < min(parts, 1 << 20);"), ("(threadIdx.x == 0)\n        divide", "(max(threadIdx.x, 0) == 0)\n        divide"),
                     ("kWidth / ((x - 0.3)", "max(kWidth, 0.0f) / ((min(x, 1.0) - 0.3)"))
        done = self.called("run", "--load", "least", "--strategy", "least_*", *SWEEP[2:], "-o", "-")
        self.assertEqual((done.returncode, {row["status"] for row in csv.DictReader(io.StringIO(done.stdout))}), (0, {"ok"}), done.stderr)

    def test_an_index_out_of_bounds_is_a_row_that_names_the_memory(self):
        self.changed("bounds", ("allocate<Interval>(1 << 20)", "allocate<Interval>(2, \"intervals\")"), program=self.for_races)
        sweep = ("--load", "bounds", "--strategy", "bounds_*", "--grid", "2", "--block", "32")
        done = self.called("run", *sweep, "--backend", "cpu", "--repeat", "1", "--warmup", "0", "-o", "-")
        rows = {row["strategy"]: row for row in csv.DictReader(io.StringIO(done.stdout))}
        self.assertEqual((done.returncode, rows["bounds_nested"]["status"], rows["bounds_levels"]["status"]), (3, "ok", "crashed"), done.stderr)
        self.assertRegex(rows["bounds_levels"]["detail"], r"^thread \(0,0,0\) of block \(\d,0,0\) accessed byte 32 of 'intervals', which has 32 bytes: "
                                                          "an index is out of bounds; `nestbed races` of this case says where$")
        if not (NESTBED.parent / "nestbed_races").exists():
            self.skipTest("no race detector in this build")
        done = self.called("races", *sweep[:3], "bounds_levels", *sweep[4:])
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("out of bounds", done.stdout)
        self.assertIn("bounds.cu:", done.stdout)
        self.assertRegex(done.stderr, "which has 32 bytes: an index is out of bounds; the report has the lines of such accesses; the run failed")
        self.assertNotIn("`nestbed races`", done.stderr)  # it is what runs

    def test_a_wrong_answer_by_a_bad_access_is_not_without_a_race(self):
        if not (NESTBED.parent / "nestbed_races").exists():
            self.skipTest("no race detector in this build")
        add = "atomicAdd(task.answer, sum);"
        for name, changes, said in (
                ("beyond", [(add, "atomicAdd(task.answer, sum + task.answer[1]);")], "and an access was out of bounds"),
                ("unwritten", [(add, "atomicAdd(task.answer, sum + more);"), ("bool divide;", "bool divide, more;")],
                 "and a read was of memory that nothing has written"),
                ("misplaced", [(add, "atomicAdd(task.answer, sum + 1 + *(int*)((char*)&divide + 1));"), ("bool divide;", "long divide;")],
                 "and there were bad accesses"),
                ("other", [(add, "atomicAdd(task.answer, sum + 1);")], "without a race: the kernel computes something else")):
            self.changed(name, *changes, program=self.for_races)
            for expect in "ok", "race":
                done = self.called("races", "--load", name, "--strategy", f"{name}_levels", "--grid", "2", "--block", "32", "--expect", expect)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertRegex(done.stderr, rf"wrong: the answer is \S+ instead of 3.141116; the answer is wrong,? {said}\n$")
                self.assertIn("no races", done.stdout)

    def test_a_log_of_another_build_is_not_resumed(self):
        folder = self.changed("rebuilt", program=self.by_nvcc)  # where nvcc is
        log = self.folder / "rebuilt.csv"
        sweep = ("run", "--load", "rebuilt", "--strategy", "rebuilt_levels", *SWEEP[2:], "-o", log)
        self.assertEqual(self.called(*sweep).returncode, 0)
        module = folder / "build/workload.so"
        first = module.read_bytes()
        self.assertEqual(nestbed("build", ".", cwd=folder, program=self.by_nvcc).returncode, 0)
        self.assertTrue(module.read_bytes() == first)  # the same source gives the same module, wherever it is built from
        again = self.called(*sweep)
        self.assertEqual((again.returncode, again.stderr), (0, f"nestbed: {log} already has 2 of 2 samples\n"))
        moved = folder.rename(self.folder / "elsewhere")
        self.assertEqual(self.called(*sweep[:2], moved, *sweep[3:]).returncode, 0)
        moved.rename(folder)
        self.changed("rebuilt", ("sum = simpson(in, 16 * blockDim.x)", "sum = simpson(in, 32 * blockDim.x)"))
        refused = self.called(*sweep)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertRegex(refused.stderr, rf"cannot resume it: module {folder}/build/workload\.so: another build \(SHA-256 \w{{12}} there, \w{{12}} here\);"
                                         " allowed: .* another file, or --overwrite")
        self.assertEqual(self.called(*sweep, "--overwrite").returncode, 0)

    def test_a_module_that_changes_in_a_run_ends_it(self):
        self.changed("growing", ("#include ", "#include <fstream>\n#include "),
                     ("        State state{", "        std::ofstream(\"growing/build/workload.so\", std::ios::app) << 'x';\n        std::abort();\n"
                                              "        State state{"))
        done = self.called("run", "--load", "growing", "--strategy", "growing_levels", *SWEEP[2:], "-o", "growing.csv")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"the module {self.folder}/growing/build/workload.so was built again, or removed, during this run; allowed: the same module "
                      "until the run has ended; to measure with the new one: run again with --overwrite or another --output\n", done.stderr)

    def test_a_folder_of_the_environment_may_not_be_built_yet(self):
        folder = self.folder / "later"
        self.assertEqual(self.called("build", "--new", "later", load=str(folder)).returncode, 0)
        done = self.called("list", load=str(folder))
        self.assertEqual(done.returncode, 2)
        self.assertIn("to build it: nestbed build", done.stderr)
        self.assertEqual(self.build("later", load=str(folder)).returncode, 0)
        self.assertEqual(self.build("later", load=str(folder)).returncode, 0)  # again

    def test_errors_say_what_to_do(self):
        (self.folder / "made").mkdir()
        for words, code, said in (
                (("build", "--new", "Quadrature"), 2, "nestbed: build: 'Quadrature' is not a name for a workload; allowed: lowercase letters, digits and _, a letter first, not more than 64\n"),
                (("build", "--new", "quadrature"), 2, "nestbed: build: quadrature/quadrature.cu exists; allowed: a new folder\n"),
                (("build", "--new", "reduce/"), 2, "nestbed: build: 'reduce' is in names of nestbed's own workloads or strategies; allowed: another name\n"),
                (("build",), 2, "nestbed: build: no folder was named; allowed: nestbed build FOLDER\n"),
                (("build", "nowhere"), 2, "nestbed: build: nowhere is not a folder; allowed: a folder with a workload; to make one: nestbed build --new NAME\n"),
                (("list", "--load", "nowhere"), 2, "nestbed: --load nowhere: there is no such folder; allowed: a folder with a workload; "
                                                   "to make one: nestbed build --new NAME\n"),
                (("list", "--load", "made"), 2, f"nestbed: --load made: {self.folder}/made/build/workload.so does not exist; to build it: "
                                                "nestbed build made\n"),
                (("list", "--load"), 2, "nestbed: --load needs a value; allowed: the folder of a workload\n")):
            done = self.called(*words)
            self.assertEqual((done.returncode, done.stderr), (code, said))
        self.assertIn("nestbed: NESTBED_LOAD=nowhere: there is no such folder; ", self.called("list", load="nowhere").stderr)
        for words in (("run", "--strategy", "quadrature_nested", "--dry-run"), ("list", "quadrature_*"), ("help", "run", "quadrature_nested")):
            self.assertTrue(self.called(*words).stderr.endswith("; the folder quadrature has a workload: --load quadrature\n"))
        self.called("build", "--new", "unbuilt")
        self.assertIn("; the folder unbuilt has a workload: nestbed build unbuilt, then --load unbuilt\n", self.called("list", "unbuilt_*").stderr)
        self.assertIn("; of a workload of your own: --load FOLDER\n", self.called("list", "nothing_*").stderr)

    def test_a_name_that_is_none_is_refused(self):
        (self.folder / "taken").write_text("", encoding="utf-8")
        for name in ("", "a" * 65, "a" * 300, "Name", "1name", "_name", "my-name", "a b", "na\tme", "n\xe4me", "na,me", "na'me", "name.cu", "x/" + "a" * 300):
            done = self.called("build", "--new", name)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("allowed: lowercase letters, digits and _, a letter first, not more than 64\n", done.stderr)
        for name, why in (("taken", "Not a directory"), ("taken/inside", "Not a directory"), ("quadrature", "exists; allowed: a new folder"),
                          ("b" * 300 + "/inside", "File name too long")):
            done = self.called("build", "--new", name)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(why, done.stderr)
        for words in (("run", "--load", "x" * 300, "--strategy", "x", "-o", "-"), ("run", "--load", "", "--strategy", "x", "-o", "-"), ("build", ""), ("build", "x" * 300)):
            done = self.called(*words)
            self.assertIn(done.returncode, (1, 2))
            self.assertNotIn("filesystem error", done.stderr)
            self.assertNotIn("[", done.stderr)

    def test_any_other_name_is_one(self):
        """Names of C++, of its library, of CUDA, and of what the file itself has."""
        names = ("int", "class", "new", "errno", "flat", "task", "interval", "std", "nestbed", "integral", "halves", "linux", "main", "a" * 64)
        folder = self.folder / "all_names"
        folder.mkdir()
        text = ""
        for name in names:
            self.assertEqual(self.called("build", "--new", f"names/{name}").returncode, 0)
            text += (self.folder / f"names/{name}/{name}.cu").read_text()
        (folder / "all_names.cu").write_text(text)  # each has a namespace of its own
        done = self.build("all_names")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines()[0], "strategies: " + ", ".join(sorted(f"{name}_{kind}" for name in names for kind in ("levels", "nested"))))

    def test_a_name_that_a_log_cannot_hold_is_an_error_of_the_build(self):
        for name in ("named_a b", "named_\\t,\\n"):
            self.write("named", ('"quadrature_nested"', f'"{name}"'))
            done = self.build("named")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("is no name for a strategy; allowed: letters, digits, '_', '-' and '.', a letter first, not more than 100\n", done.stderr)

    def test_a_figure_that_does_not_exist_is_an_error_of_the_build(self):
        self.write("drawn", ("constinit const", 'constexpr std::string_view kFigures[]{"treshold"};\nconstinit const'), ("    .irregular", "    .figures = kFigures,\n    .irregular"))
        done = self.build("drawn")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertTrue(done.stderr.startswith("nestbed: workload drawn: there is no figure 'treshold', did you mean 'threshold'?; allowed: "), done.stderr)

    def test_a_figure_of_the_workload_that_is_not_drawn_is_said(self):
        self.changed("skipped", ("constinit const", 'constexpr std::string_view kFigures[]{"by-budget", "ways"};\nconstinit const'),
                     ("    .irregular", "    .figures = kFigures,\n    .irregular"))
        done = self.drawn("skipped", "skipped", figure="")
        self.assertEqual(sorted(re.findall("no figure (.*)", done.stderr)),
                         ["by-budget, which its workload names: it needs searches of a tree with several budgets; drawn: times",
                          "ways, which its workload names: it is drawn where there is no other; drawn: times"])

    @staticmethod
    def is_compiler(process):
        try:
            return "++" in pathlib.Path(f"/proc/{process}/comm").read_text(encoding="utf-8")
        except OSError:  # it has ended
            return False

    def test_a_compiler_that_is_killed_ends_the_build(self):
        shutil.copytree(self.folder / "quadrature", self.folder / "killed", ignore=shutil.ignore_patterns("build"))
        with subprocess.Popen([NESTBED, "build", "killed"], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self.folder) as build:
            children = pathlib.Path(f"/proc/{build.pid}/task/{build.pid}/children")
            while build.poll() is None and not (found := [child for child in children.read_text().split() if self.is_compiler(child)]):
                time.sleep(0.01)
            os.kill(int(found[0]), signal.SIGTERM)
            err = build.communicate()[1]
        self.assertNotEqual(build.returncode, 0)
        self.assertRegex(err, r"^nestbed: \S+: it was ended by signal 15 \(Terminated\)\n$")

    def test_a_launch_that_cannot_be_counted_ends_the_build(self):
        line = self.write("uncounted", ("__device__ bool must_divide(", "#define LAUNCH(k) k<<<1, 1>>>()\n__device__ bool must_divide("))
        done = self.build("uncounted")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, f"{self.folder}/uncounted/uncounted.cu:{line}: a macro with <<< is not for workloads; write out the kernel or the "
                         "launch\nnestbed: uncounted/uncounted.cu does not compile; the first error is the one to read\n")

    def test_a_change_that_is_not_built_is_said(self):
        self.changed("late")
        source = self.folder / "late/late.cu"
        case = ("list", "late_nested", "--load", "late")
        self.assertEqual(self.called(*case).stderr, "")
        source.touch()
        self.assertEqual(self.called(*case).stderr, f"nestbed: {source} was changed after it was built; to build it: nestbed build {source.parent}\n")
        self.assertEqual(self.build("late").stderr, "")
        self.assertEqual(self.called(*case).stderr, "")

    def test_messages_of_compilers_have_the_lines_of_the_file(self):
        line = self.write("wrong", ("atomicAdd(task.answer, sum);", "atomicAdd(task.answer, summ);"))
        self.assertIn(f"{self.folder}/wrong/wrong.cu:{line}:", self.build("wrong").stderr)

    def test_kernels_of_another_program_are_pasted(self):
        """In a header of their own: with streams that they make, __shared__ in all its forms, and no word of nestbed."""
        (self.folder / "pasted").mkdir()
        (self.folder / "pasted/kernels.cuh").write_text(
            "#pragma once\n"
            "__global__ void add_leaf(double value, double* answer)\n{\n    extern __shared__ double partial[];\n"
            "    partial[threadIdx.x] = threadIdx.x == 0 ? value : 0;\n    __syncthreads();\n"
            "    if (threadIdx.x == 0)\n        atomicAdd(answer, partial[0]);\n}\n"
            "template <class T>\n__global__ void add_halves(T value, T* answer, int depth = 0)\n{\n    __shared__ double parts[2][1], all;\n"
            "    if (threadIdx.x < 2)\n        parts[threadIdx.x][0] = value / 2;\n    __syncthreads();\n"
            "    if (threadIdx.x != 0)\n        return;\n    all = parts[1][0];\n"
            "    if (depth == 4) {\n        add_leaf<<<1, 32, 32 * sizeof(double), MADE>>>(parts[0][0], answer);\n"
            "        add_leaf<<<1, 32, 32 * sizeof(double), MADE>>>(all, answer);\n        return;\n    }\n"
            "    cudaStream_t own;\n    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);\n"
            "    add_halves<<<1, blockDim.x, 0, own>>>(parts[0][0], answer, depth + 1);\n"
            "    const auto right = [&parts_1 = parts[1][0], answer, depth](cudaStream_t stream) {\n"
            "        add_halves<<<dim3(1), blockDim.x, 0, stream>>>(parts_1, answer, {depth + 1});\n    };\n    right(own);\n"
            "    cudaStreamDestroy(own);\n}\n".replace("MADE", "0"))
        text = (self.folder / "quadrature/quadrature.cu").read_text()
        start, end = text.index("        launch_waves<Nested>"), text.index("const Register<Nested, TaskTraits> nested;")
        body = ("        launch_waves<Nested>(job, [&](const auto& wave, auto nest) {\n"
                "            add_halves<<<wave.blocks, job.point.block, 0, wave.stream>>>(kExact / job.point.grid, job.task.answer);\n        });\n    }\n};\n")
        self.write("pasted", (text[start:end], body), ("using namespace nestbed;", "using namespace nestbed;\n#include \"kernels.cuh\""),
                   ("kOnly<Mechanism::fire_and_forget, Mechanism::null_stream, Mechanism::tail>", "kOnly<Mechanism::named_stream>"))
        header = self.folder / "pasted/kernels.cuh"
        header.write_text(header.read_text().replace("sizeof(double), 0>>>", "sizeof(double), stream_of_leaves()>>>").replace(
            "#pragma once\n", "#pragma once\n__device__ inline cudaStream_t stream_of_leaves()\n{\n    cudaStream_t made;\n"
            "    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);\n    return made;\n}\n"))
        done = self.build("pasted", self.by_nvcc)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for schedule in ("fifo", "eager", "random:3"):
            done = self.called("run", "--load", "pasted", "--strategy", "pasted_nested", *SWEEP[2:], "--schedule", schedule, "-o", "-")
            rows = list(csv.DictReader(io.StringIO(done.stdout)))
            self.assertEqual({(row["status"], row["launches_attempted"]) for row in rows}, {("ok", str(2 * (2 + 4 + 8 + 16 + 32)))}, done.stderr)

    def test_a_strategy_of_the_name_of_ours_is_an_error(self):
        self.write("twice", ('"quadrature_levels"', '"sort_levels"'))
        self.assertIn(self.build("twice").returncode, (0, 1))
        done = self.called("list", "--load", "twice")
        self.assertEqual(done.returncode, 1)
        self.assertIn("its strategy sort_levels has the name of one of nestbed's; allowed: another name\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
