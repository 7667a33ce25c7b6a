"""The implementation of experiments/reproduce.sh. Needs only Python."""
import argparse
import csv
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys

import checked_output
import log_files
import machine_page
from checked_output import BadInput, ScriptError

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
RESULTS = ROOT / "results"
NUMBERS = RESULTS / "numbers.py"
FIRST = [RESULTS / "h200", RESULTS / "h100"]  # our run times, to estimate how long a run takes

# On a GPU: quick experiments first. Not those of several processes (device_vs_best, tenants, resources, busy_host): results/method.md.
ON_GPU = ["book", "ways", "refused", "hello", "rdc", "best", "flushed", "blobs", "tail_streams", "transpose", "depth", "hazard", "litmus", "lanes", "bezier",
          "mandelbrot", "cgo22", "submit",
          "waves", "synced_waves", "baselines", "pending", "library", "grid", "launch", "trees", "recursive", "quadtree", "sssp", "ladder", "levels",
          "refine", "triangles", "sort", "mst", "bfs", "search"]
# On the executor: options that keep it short, and the run time in seconds on two cores.
ON_EXECUTOR = {
    "quick": ([], 1),
    "book": ([], 2),
    "hazard_schedules": ([], 6),
    "hello": (["--grid", "1:64:*4", "--block", "64"], 2),
    "depth": (["--grid", "256", "--block", "256", "--depth", "0:8", "--strategy",
               "neighbored,synced,nosync,reduce2,barrier,tail,reduce2_tail,aggregated_block,aggregated_grid,host_loop"], 2),
    "grid": (["--grid", "1:2048:*2"], 9),
}
PROFILE = "profile"  # measured with Nsight Compute, if it is installed
PROFILE_SECONDS = 480  # 93 cases
START_SECONDS = {True: 2, False: 0}  # before the first row: memory, probes


def say(text):
    print(text, file=sys.stderr, flush=True)


def runs_of(log):
    """The runs in a log's manifest, by run_id; {} if it cannot be read."""
    try:
        runs = json.loads(log_files.manifest_path(log).read_text(encoding="utf-8"))["runs"]
        return {run: facts for run, facts in runs.items() if isinstance(facts, dict)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def rows_by_run(log):
    """{run_id: [utc of each row]}; {} for a file that is not a log."""
    found = {}
    for row in machine_page.log_rows(log):
        found.setdefault(row["run_id"], []).append(row.get("utc"))
    return found


def seconds_of(utc):
    """Seconds since 1970 for "2026-11-21T12:03:03Z"."""
    return datetime.datetime.strptime(utc, "%Y-%m-%dT%H:%M:%S%z").timestamp()


def seconds_of_first(name):
    """The run time of an experiment in the first folder of FIRST that has its log, in seconds, from the start of its run to its last row; None
    if there is none."""
    log = next((log for folder in FIRST if log_files.is_there(log := folder / f"{name}.csv")), None)
    rows = rows_by_run(log) if log else {}
    if not rows:
        return None
    return sum(seconds_of(max(rows[run])) - seconds_of(facts["started_utc"]) for run, facts in runs_of(log).items() if run in rows)


def whole_run(log):
    """The manifest's entry of the run that completed the log, if all its rows are still there; otherwise None."""
    rows = sum(len(utcs) for utcs in rows_by_run(log).values())
    for facts in runs_of(log).values():
        if facts.get("finished_utc") and facts.get("log_rows") == rows:
            return facts
    return None


def short(path):
    """The path relative to the repository if it is inside: for commands that run there, and for what manifests record
    about them."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def nestbed(*words):
    return [os.environ["NESTBED"], *words]


def has_gpu():
    return subprocess.run(nestbed("run", "--backend", "cuda", "--strategy", "neighbored", "--dry-run"), cwd=ROOT,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


class Task:
    """One log to make: its name, the words of the command without -o, its estimated run time, and its path."""

    def __init__(self, name, words, seconds, folder):
        self.name, self.words, self.seconds = name, words, seconds
        self.log = folder / f"{name}.csv"
        whole = whole_run(self.log)
        self.done = whole is not None
        self.surprises = whole.get("surprises", []) if whole else []

    def run(self):
        """Runs it and returns the exit code. An incomplete log is continued. A log that another nestbed or machine
        began is moved aside."""
        words = nestbed(*self.words, "-o", short(self.log))
        code = subprocess.run(words, cwd=ROOT, check=False).returncode
        if code == 2 and self.log.is_file():
            say(f"reproduce.sh: {self.name} starts again from the beginning")
            code = subprocess.run([*words, "--overwrite"], cwd=ROOT, check=False).returncode
        return code


class ProfileTask(Task):
    """Launches as Nsight Compute counts them: a folder of pages, and the CSV made from them."""

    def __init__(self, folder):
        super().__init__(PROFILE, ["profile", "experiments/profile.cfg", "--timeout", "90"], PROFILE_SECONDS, folder)
        self.pages = folder / "profile"
        self.log = folder / "reconcile.csv"
        self.done = self.log.is_file()
        self.surprises = []

    def run(self):
        if self.pages.exists():
            put_pages_aside(self.pages)  # the pages are from an interrupted run, without a reconcile.csv
        return subprocess.run(nestbed(*self.words, "-o", short(self.pages), "--csv", short(self.log)), cwd=ROOT, check=False).returncode


def put_pages_aside(pages):
    number = 1
    while (aside := pages.with_name(f"{pages.name}.partial-{number}")).exists():
        number += 1
    say(f"reproduce.sh: {pages} is not complete: it is now {aside.name}")
    pages.rename(aside)


def tasks_of(folder, chosen, gpu):
    known = [*ON_GPU, PROFILE] if gpu else list(ON_EXECUTOR)
    if gpu and not shutil.which("ncu"):
        say("reproduce.sh: there is no ncu on the PATH: launches are not counted by Nsight Compute")
        known.remove(PROFILE)
    unknown = [name for name in chosen if name not in known]
    if unknown:
        raise BadInput(f"there is no experiment {', '.join(unknown)} here; allowed: {', '.join(known)}")

    def task(name):
        if name == PROFILE:
            return ProfileTask(folder)
        words, seconds = ([], seconds_of_first(name)) if gpu else (["--backend", "cpu", *ON_EXECUTOR[name][0]], ON_EXECUTOR[name][1])
        return Task(name, ["run", f"experiments/{name}.cfg", *words], seconds, folder)

    return [task(name) for name in known if not chosen or name in chosen]


def duration(seconds):
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds / 60:.1f} min"


def show(tasks, gpu):
    print(f"{'experiment':18}{'takes':>10}  (on {'an H200' if gpu else 'two cores'}; the sum has some seconds each to start)")
    for task in tasks:
        print(f"{task.name:18}{duration(task.seconds) if task.seconds is not None else '?':>10}  "
              f"{'complete' if task.done else 'to do'}")
    left = [task for task in tasks if not task.done]
    known = sum(task.seconds or 0 for task in left)
    print(f"{len(left)} of {len(tasks)} to do, about {duration(known + START_SECONDS[gpu] * len(left))}", flush=True)


def measure(tasks):
    """(names of experiments with unexpected results, names of experiments that could not run)."""
    failed = []
    for task in tasks:
        if task.done:
            continue
        print(f"\n== {task.name}", flush=True)
        code = task.run()
        if code in (130, -signal.SIGINT):
            raise KeyboardInterrupt
        if code not in (0, 3):
            say(f"reproduce.sh: {task.name}: exit code {code}")
            failed.append(task.name)
        elif code == 3:
            task.surprises = ["its rows"]
    return [task.name for task in tasks if task.surprises], failed


def present(folder, gpu):
    """Draws the figures, compares the numbers with ours, and writes the page. Returns the worst exit code."""
    codes = [subprocess.run([HERE / "plot.sh", folder], check=False).returncode]
    if gpu:
        second = folder / "second_run.csv"
        second.unlink(missing_ok=True)  # it depends only on the logs
        codes.append(subprocess.run([NUMBERS, "--against", folder, "--csv", second], cwd=ROOT, check=False).returncode)
    codes.append(subprocess.run([HERE / "report.sh", folder], check=False).returncode)
    return max(code if code >= 0 else 1 for code in codes)


def set_up():
    """Builds nestbed, unless NESTBED names one. Raises BadInput if there is no nestbed."""
    named = os.environ.get("NESTBED")
    if named is None:
        for target in ("traced", "nestbed"):  # some experiments have latencies
            built = subprocess.run([HERE / "build.sh", "", target], stdout=subprocess.PIPE, text=True, check=False)
            if built.returncode != 0:
                sys.exit(1)  # build.sh has printed the reason
        named = pathlib.Path(built.stdout.strip()) / "nestbed"
    if shutil.which(named) is None:
        raise BadInput(f"NESTBED={named}: there is no such program; allowed: the path of a nestbed, or unset it to build one")
    os.environ["NESTBED"] = os.path.abspath(shutil.which(named))


def device_of_this_machine(gpu):
    """The device name that rows will have."""
    printed = subprocess.run(nestbed("info"), stdout=subprocess.PIPE, text=True, check=False).stdout
    found = re.search(f"^  {'device' if gpu else 'executor on'} +(.*)$", printed, re.MULTILINE)
    if not found:
        raise ScriptError(f"`{os.environ['NESTBED']} info` does not say which device this machine has")
    return found[1]


def check_session(device):
    """Raises ScriptError if an empty kernel does not take as long, within a fifth, as in our logs of this model of GPU. Without such logs any
    time will do."""
    ours = [run["backends"]["cuda"] for folder in FIRST for log in log_files.csvs_in(folder, "*.csv") for run in runs_of(log).values()
            if run.get("backends", {}).get("cuda", {}).get("name") == device]
    if not ours:
        return
    usual = statistics.median(run["empty_kernel_us"] for run in ours)
    words = nestbed("run", "--strategy", "neighbored", "--grid", "1", "--block", "32", "--repeat", "1", "--backend", "cuda", "-o", "-")
    row = next(csv.DictReader(subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout.splitlines()), {})
    if not row.get("empty_kernel_us"):
        raise ScriptError(f"`{' '.join(words)}` does not say how long an empty kernel takes")
    if not 0.8 * usual <= float(row["empty_kernel_us"]) <= 1.2 * usual:
        raise ScriptError(f"an empty kernel takes {float(row['empty_kernel_us']):.2f} us on this {device} now, and {usual:.2f} us in our logs ({len(ours)} "
                          "runs): short times would not compare, and nothing was measured; allowed: another session or machine, or "
                          "--any-session, which measures anyway")


def check_folder(name, folder, gpu):
    """Raises BadInput if the folder of --as does not belong to this machine."""
    why = ""
    if folder.exists() and not (folder.is_dir() and (not any(folder.iterdir()) or machine_page.is_made_here(folder))):
        why = "it already exists, and --as did not make it"
    elif others := set(machine_page.devices_in(folder)) - {device := device_of_this_machine(gpu)}:
        why = f"it has logs of {', '.join(sorted(others))}; this machine has {device}"
    if why:
        raise BadInput(f"--as {name}: {folder}: {why}; allowed: a new name, or that of a folder that --as made on this device")


def write_page(folder, name):
    (folder / "README.md").write_text(machine_page.page(folder, name), encoding="utf-8")


def reproduce(options):
    folder = (RESULTS / options.name if options.name else pathlib.Path(options.output or RESULTS / "local")).resolve()
    set_up()
    gpu = has_gpu()
    if options.name:
        check_folder(options.name, folder, gpu)
    tasks = tasks_of(folder, options.experiments, gpu)
    show(tasks, gpu)
    if options.dry_run:
        return 0
    if gpu and not options.any_session and not all(task.done for task in tasks):
        check_session(device_of_this_machine(gpu))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        say(f"reproduce.sh: {'--as' if options.name else '--output'} {folder}: the folder could not be made: {error.strerror}")
        return 1
    if options.name:
        write_page(folder, options.name)  # the page identifies the folder, even if this run is stopped
    try:
        surprising, failed = measure(tasks)
    finally:
        if options.name:
            write_page(folder, options.name)
    code = 0 if options.measure_only else present(folder, gpu)
    if failed:
        say(f"reproduce.sh: could not run: {', '.join(failed)}; complete experiments are kept; rerun the command to continue")
    if surprising:
        say(f"reproduce.sh: not as expected: {', '.join(surprising)}")
    return 1 if failed else 3 if surprising else code


def main():
    parser = argparse.ArgumentParser(prog="reproduce.sh", description="Measures everything again on this machine.")
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT", help="only these, by name: book, depth, ...")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("-o", "--output", metavar="FOLDER", help="where the logs go (results/local of the repository)")
    where.add_argument("--as", dest="name", metavar="NAME", help="into results/NAME, with a README.md: one table of what was measured")
    parser.add_argument("--dry-run", action="store_true", help="print what there is to do, and measure nothing")
    parser.add_argument("--any-session", action="store_true",
                        help="measure on a GPU whose empty kernel takes another time than in our logs of its model")
    parser.add_argument("--measure-only", action="store_true", help="no figures and no page")
    options = parser.parse_args()
    if options.output == "":
        parser.error("--output: it is empty; allowed: a folder")
    if options.name is not None and not re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]*", options.name):
        parser.error(f"--as '{options.name}': it is not a plain folder name; allowed: letters, digits, . _ and -, a letter or a digit "
                     "first")
    try:
        return reproduce(options)
    except OSError as error:
        raise ScriptError(str(error)) from error
    except KeyboardInterrupt:
        say("reproduce.sh: interrupted; complete experiments are kept; rerun the command to continue")
        return 130


if __name__ == "__main__":
    checked_output.run("reproduce.sh", main)
