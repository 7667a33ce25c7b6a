#!/usr/bin/python3
"""Mutation testing: which small errors in the source would the tests not notice?

    tests/mutate.py -b BUILD [-b BUILD…] [-n COUNT] [--seed SEED] [--results FILE.csv] [--programs NAME…] [FOLDER…]

Draws COUNT mutants (20) from the .cpp files of each FOLDER of src (by default all folders that JUDGES names), one at
a time. For each mutant it changes the file, builds the test programs that judge this folder, runs them one after
another up to the first test that fails, and restores the file. A mutant is `killed` if a test fails or takes too long,
and `stillborn` if it does not compile (warnings are errors). Otherwise it `survived`: read these one by one. Those that
cannot change what the program does belong into mutants_equivalent.txt, with the reason, and become `equivalent`.

FILE.csv has one row per mutant; the same command continues where it was stopped. A mutant is made in the tree that
BUILD was configured from: use a copy of this tree, one for each BUILD. Several BUILDs work at the same time:

    git worktree add ../mutants && cd ../mutants
    cmake --preset cpu-only -D NESTBED_UNITY=OFF -D CMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld
    cd - && tests/mutate.py -b ../mutants/build/cpu-only -n 5 src/plan
"""
import argparse
import collections
import csv
import functools
import os
import pathlib
import queue
import random
import re
import resource
import signal
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The test programs that judge a folder, with their --gtest_filter: the most specific tests first. Programs of every
# strategy and most users' programs (programs_test.py) are left out: they take minutes. Of a script in tests/program, names of classes
# and tests, or nothing.
COMMANDS = ("nestbed_tests", "*Command*:Merging*:Profile*:Shard*:Compare*:Experiments*:CostOf*:EditedLog*:PublishedTables*:*Plan.*")
EXECUTOR = ("executor_tests", "*")
RULES = ("detector_tests", "*")
RUNTIME_SCRIPTS = ["host_functions", "streams", "stray", "reports", "limits", "sides", "kept_findings", "synchronisation", "waiting", "memory_model", "mistakes"]
REQUESTS = ["every_one_that_ends_a_program_gives_the_report", "several_at_once_give_one_report", "are_left_to_a_program_that_handles_or_awaits_them"]
JUDGES = {f"src/{stage}": [(f"{stage}_tests", "*"), COMMANDS] for stage in ["base", "model", "plan", "log", "inspect", "predict"]} | {
    "src/model": [("model_tests", "*"), ("workloads_tests", "*"), COMMANDS],
    "src/graphs": [("workloads_tests", "*"), COMMANDS],
    "src/run": [("run_tests", "*"), ("nestbed_tests", "Worker*"), COMMANDS],
    "src/device/cpu": [EXECUTOR, RULES, ("nestbed_tests", "Race*:Litmus*:PendingLimit*:Session*")],
    "src/device/races": [RULES, ("races_tests", "-*Every*:RacesCommand*"), ("races_tests", "RacesCommand*:*EveryMutant*")],
    "src/program/runtime": [("runtime_tests", "*"), *[(f"{script}_test.py", "") for script in RUNTIME_SCRIPTS],
                            ("signals_test.py", f"Crashes {' '.join('Requests.test_' + name for name in REQUESTS)}"), ("programs_test.py", "Constructs EarlyEnds")],
    "src/program/rewrite": [("program_tests", "*")],
    "src/program/build": [("program_tests", "*")],
}
# Replacements of one token by another. Binary operators have spaces around them (clang-format), template brackets
# have none.
SWAPS = [(r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "), (r" && ", " || "),
         (r" \|\| ", " && "), (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "), (r" \+= ", " -= "), (r"\btrue\b", "false"),
         (r"\bfalse\b", "true"), (r"!(?=[\w(])", ""), (r"\bmin\(", "max("), (r"\bmax\(", "min("), (r"(?<!\.)\b0\b", "1"), (r"(?<!\.)\b1\b", "2"),
         (r"\bif \((?=[^;]*\)$)", "if (not "), (r"\bany_of\b", "all_of"), (r"\ball_of\b", "any_of"), (r"\bbreak;", "continue;"),
         (r"\bcontinue;", "break;"), (r"\+\+(?=\w)", "--")]
CALL = re.compile(r"^\s+(?!return|throw|using|const|auto|static|std::\w+(<.*>)? \w+|co_)[\w.>\-\[\]():]+\(.*\);$")
NOT_CODE = re.compile(r'//.*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|^\s*#.*|^\s*(static_assert|template|requires|using|namespace)\b.*')
COLUMNS = ["file", "line", "column", "from", "to", "result", "by", "code"]
IDLE_SECONDS = 30  # no test waits that long without a tick of CPU time
FILE_BYTES = 1 << 30  # a mutant may write for ever
# Of memory that can be written, most of it never used: all stacks that the executor may have. Not of the address space: where that has a
# limit, shared memory and the detector do without most of theirs, and with it without what the tests test.
MEMORY_BYTES = 32 << 30


def mutants_of(path):
    """(line, column, from, to) of everything that can be changed; lines start at 1."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        code = NOT_CODE.sub(lambda match: "\0" * len(match[0]), line)
        for pattern, new in SWAPS:
            found += [(number, match.start(), match[0], new) for match in re.finditer(pattern, code)]
        if CALL.match(code):
            found.append((number, 0, line, ""))  # removes a call
    return found


def limit_process(cpu_seconds):
    for number in signal.SIGINT, signal.SIGHUP:  # ignored in the background and under nohup, but the tests send them
        signal.signal(number, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 5))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, resource.RLIM_INFINITY))


def processes_of_session(session):
    """{process id: (its state, CPU time in ticks)} of a session. ninja gives each of its commands a group of its own."""
    found = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(fields[3]) == session:
            found[int(stat.parent.name)] = (fields[0], sum(map(int, fields[11:15])))
    return found


def may_go_on(before, now):
    """Whether any of the processes has run in the meantime, or waits for a processor."""
    return before != now or any(state == "R" for state, _ in now.values())


def run(command, prepare=None):
    """Exit status (None: it waited for ever) and output of a command. Nothing that it started is left."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          start_new_session=True, preexec_fn=prepare) as process:
        try:
            before = None
            while may_go_on(before, now := processes_of_session(process.pid)):
                before = now
                try:
                    output = process.communicate(timeout=IDLE_SECONDS)[0]
                    return process.returncode, output
                except subprocess.TimeoutExpired:
                    pass
            return None, ""
        finally:
            for one in processes_of_session(process.pid):
                try:
                    os.kill(one, signal.SIGKILL)
                except ProcessLookupError:
                    pass


def verdict(build, judges, usual_seconds):
    """(result, the test that decided it) of the tree of `build` as it is now. `usual_seconds`: CPU time of judges without
    a change, as far as known. A mutant gets five times that, for it may loop for ever."""
    for judge in judges:
        program, tests = judge
        is_script = program.endswith(".py")
        status, output = run(["ninja", "-C", build, "nestbed_programs" if is_script else program])
        if status != 0:
            # A program that fails where the build runs it is one that a test has noticed.
            return ("stillborn", "") if " error: " in output else ("killed", f"build of {program}")
        folder = "tests/races" if program in ("detector_tests", "races_tests") else "tests"
        command = [build / folder / program, "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={tests}"]
        if is_script:
            command = ["/usr/bin/env", f"NESTBED={build}/nestbed", "/usr/bin/python3", ROOT / "tests/program" / program, "--failfast", *tests.split()]
        status, output = run(command, functools.partial(limit_process, 5 + 5 * usual_seconds.get(judge, 200)))
        if status != 0:
            failed = re.search(r"\[  FAILED  \] (\S+?),? |^(?:FAIL|ERROR): (\S+)", output, re.MULTILINE)
            return "killed", failed[1] or failed[2] if failed else f"{program}: {'no end' if status is None else f'exit status {status}'}"
    return "survived", ""


def judges_of(folder, programs):
    return [judge for judge in JUDGES[folder] if not programs or judge[0] in programs]


def folder_of(name):
    return name.rpartition("/")[0]


def try_mutant(build, root, name, mutant, programs, usual_seconds):
    number, column, old, new = mutant
    path = root / name
    whole = path.read_bytes()
    lines = whole.decode().split("\n")
    line = lines[number - 1]
    lines[number - 1] = line[:column] + new + line[column + len(old):]
    if "if (not " in new:
        lines[number - 1] = re.sub(r"if \(not (.*)\)$", r"if (not (\1))", lines[number - 1])
    try:
        path.write_text("\n".join(lines), encoding="utf-8")
        result, by = verdict(build, judges_of(folder_of(name), programs), usual_seconds)
    finally:
        path.write_bytes(whole)
    code = line.strip() if len(line.strip()) > 12 else f"{lines[number - 2].strip()} {line.strip()}"
    return dict(zip(COLUMNS, [name, number, column, old.strip(), new.strip(), result, by, code]))


def tree_of(build):
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    return pathlib.Path(re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache, re.MULTILINE)[1])


def equivalents():
    """{(file, code, from, to)} of mutants_equivalent.txt."""
    lines = (ROOT / "tests/mutants_equivalent.txt").read_text(encoding="utf-8").splitlines()
    return {tuple(line.split(" | ")[:4]) for line in lines if line and not line.startswith("#")}


class Run:
    """Which mutants are left to try, shared by all builds."""

    def __init__(self, options):
        self.lock = threading.Lock()
        self.results = options.results
        self.programs = options.programs
        self.equivalent = equivalents()
        self.rows = list(csv.DictReader(self.results.open(newline="", encoding="utf-8"))) if self.results.exists() else []
        if not self.rows:
            self.results.write_text(",".join(COLUMNS) + "\r\n", encoding="utf-8", newline="")
        known = {(row["file"], row["line"], row["column"], row["to"]) for row in self.rows}
        self.wanted = {folder: options.n for folder in options.folders}
        for row in self.rows:
            if row["result"] != "stillborn" and folder_of(row["file"]) in self.wanted:
                self.wanted[folder_of(row["file"])] -= 1
        self.mutants = {}
        for folder in options.folders:
            mutants = [(f"{folder}/{file.name}", mutant) for file in sorted((ROOT / folder).glob("*.cpp")) for mutant in mutants_of(file)]
            random.Random(f"{options.seed} {folder}").shuffle(mutants)
            self.mutants[folder] = [(name, mutant) for name, mutant in mutants
                                    if (name, str(mutant[0]), str(mutant[1]), mutant[3].strip()) not in known]

    def take(self):
        """The next mutant, of the folder that lacks most, or None."""
        with self.lock:
            folder = max((folder for folder in self.wanted if self.mutants[folder]), key=self.wanted.get, default=None)
            if folder is None or self.wanted[folder] <= 0:
                return None
            self.wanted[folder] -= 1
            return self.mutants[folder].pop(0)

    def add(self, row):
        with self.lock:
            if row["result"] == "survived" and (row["file"], row["code"], row["from"], row["to"]) in self.equivalent:
                row["result"] = "equivalent"
            if row["result"] == "stillborn":
                self.wanted[folder_of(row["file"])] += 1
            self.rows.append(row)
            with self.results.open("a", newline="", encoding="utf-8") as file:
                csv.DictWriter(file, COLUMNS).writerow(row)
            print("{result:9} {file}:{line}: {from} -> {to}: {code}   {by}".format(**row), flush=True)

    def print_summary(self):
        counts = collections.Counter((folder_of(row["file"]), row["result"]) for row in self.rows)
        print("folder,killed,survived,equivalent,stillborn,killed_percent")
        for folder in [*self.wanted, "all"]:
            killed, survived, equivalent, stillborn = (sum(counts[each, result] for each in self.wanted if folder in (each, "all"))
                                                       for result in ["killed", "survived", "equivalent", "stillborn"])
            print(f"{folder},{killed},{survived},{equivalent},{stillborn},{100 * killed / max(killed + survived, 1):.0f}")


def work(build, shared, failures):
    root = tree_of(build)
    if (root / ".git").exists() and root == ROOT:
        failures.put(f"{build}: its tree is this one; use a copy (git worktree)")
        return
    usual_seconds = {}
    for judge in {judge: None for folder in shared.wanted for judge in judges_of(folder, shared.programs)}:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        result, by = verdict(build, [judge], usual_seconds)
        if result != "survived":
            failures.put(f"{build}: fails without a change: {by or 'does not compile'}")
            return
        usual_seconds[judge] = int(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    while (taken := shared.take()) is not None:
        shared.add(try_mutant(build, root, *taken, shared.programs, usual_seconds))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", metavar="FOLDER", nargs="*", default=list(JUDGES))
    parser.add_argument("-b", "--build", metavar="BUILD", type=lambda text: pathlib.Path(text).resolve(), action="append", required=True)
    parser.add_argument("-n", metavar="COUNT", type=int, default=20, help="mutants of each folder that compile")
    parser.add_argument("--programs", metavar="NAME", nargs="+", default=[], help="ask these test programs alone: fewer mutants are killed, in less time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", metavar="FILE.csv", type=pathlib.Path, default=pathlib.Path("mutants.csv"))
    options = parser.parse_intermixed_args()  # FOLDERs may come after options
    for folder in options.folders:
        if folder in JUDGES and not judges_of(folder, options.programs):
            sys.exit(f"mutate.py: {folder}: none of --programs judges it; those that do: {', '.join(dict(JUDGES[folder]))}")
        if folder not in JUDGES:
            sys.exit(f"mutate.py: {folder}: no test program judges it; allowed: {', '.join(JUDGES)}")
    os.environ["CCACHE_READONLY"] = "1"  # mutants are compiled once
    os.environ["NESTBED_ALL"] = "1"  # judged by all inputs
    shared = Run(options)
    failures = queue.SimpleQueue()
    workers = [threading.Thread(target=work, args=(build, shared, failures)) for build in options.build]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    shared.print_summary()
    if not failures.empty():
        sys.exit(f"mutate.py: {failures.get()}")


if __name__ == "__main__":
    main()
