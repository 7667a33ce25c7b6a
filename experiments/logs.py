"""Reads nestbed's logs and summarizes them: from one row per sample to one row per case.

All code that draws or shows a CSV uses this module. Times are in microseconds. Medians with their 95 % intervals, and
ratios, come from `nestbed statistics`, as in the table of a run: the same CSV gives the same numbers. Needs Debian's
python3-pandas, and NESTBED, the path of a nestbed.
"""
import collections
import csv
import hashlib
import json
import math
import os
import pathlib
import re
import shlex
import tempfile

import numpy
import pandas

import log_files
import packed_csv
import tables
from checked_output import BadInput, printable, printable_lines  # noqa: F401 (for those who read logs)
from log_files import manifest_path, regular  # noqa: F401 (likewise)
from medians import StatisticsError, medians, ratios, statistics  # noqa: F401 (for those who read logs)

# Those with a number per row; the others have few different numbers.
FLOATS = ["gpu_us", "wall_us", "repetition", "delay_us", "grid", "l2_bytes", "empty_kernel_us", "wave", "streams"]
OLD = {"floor_us", "items_offered", "delta"}  # columns of key version 1 that have other names now
NEEDED = ["experiment", "strategy", "backend", "gpu_us", "wall_us", "status", "repetition"]
# What figures and page use besides the columns of a case.
MEASURED = ["workload", "pending_limit", "limit_bytes", "repetition", "gpu_us", "wall_us", "bandwidth_gb_s", "peak_gb_s", "peak_share",
            "l2_bytes", "empty_kernel_us", "latency_us", "launches_expected", "launches_attempted", "launches_failed", "work", "status", "detail",
            "driver", "cuda", "git", "utc", "key", "run_id", "submit", "launches_by_depth", "answer"]
# The quantiles of samples that are many runs.
OF_RUNS = ["wall_p99_us", "wall_p999_us", "wall_worst_us", "span_us", "span_p99_us", "span_p999_us", "span_worst_us"]
# Columns of MEASURED whose texts are read and not shown.
NOT_SHOWN = ["key", "run_id", "submit", "launches_by_depth", "answer"]
MOST_SHOWN = 64  # characters of a name
# Samples for a visible interval: with fewer it is the range from the smallest to the largest, and says little.
LEAST = 5
TEST_ONLY = "fault_"  # the prefix of strategies that exist only for tests
# The columns in which a case and the CUB that it is compared with must agree.
CUB_KEY = ["log", "backend", "gpu", "clock", "submit", "l2", "type", "elements"]


class LogError(BadInput):
    """A file that cannot be read as a log: which, where, and why."""


def header_of(path):
    """The first line of a CSV; empty if there is none, or if it cannot be read."""
    try:
        with log_files.opened(path) as file:
            return next(csv.reader(file, strict=True), [])
    except (OSError, UnicodeDecodeError, csv.Error):
        return []


def is_log(path):
    """Whether the header of a CSV has the columns of a log. A file that cannot be read, or is empty, counts as a log,
    because read_log reports what is wrong with it."""
    header = header_of(path)
    return not header or set(NEEDED) <= set(header)


def logs_in(folder):
    """([logs], [other CSVs]) in a folder: paths sorted by name, classified only by their headers (is_log)."""
    found = log_files.csvs_in(folder)
    known = {path: is_log(path) for path in found}
    return [path for path in found if known[path]], [path for path in found if not known[path]]


def write_whole(path, data):
    """Writes bytes to a file, all of them or none: into a temporary file beside it, which then replaces it, and which
    is removed if anything fails. It follows links, and keeps the permissions of an existing file. Creates the folder.
    Raises OSError."""
    path = pathlib.Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), mode)
        os.replace(beside, path)
    except BaseException:
        pathlib.Path(beside).unlink(missing_ok=True)
        raise


def shortened(text):
    """A name as figures and pages show it. A long name is shortened to its beginning and a digest that distinguishes
    it from others."""
    return text if len(text) <= MOST_SHOWN else f"{text[:40]}… ({hashlib.sha256(text.encode()).hexdigest()[:8]})"


def read_table(path):
    """The rows of any CSV with a header, as texts; the index is the line of each in the file, where the header is line 1. Blank lines are skipped.
    Raises LogError."""
    (_, header), *rows = _parsed(path, lambda file: list(packed_csv.records(file)))
    return pandas.DataFrame([row for _, row in rows], [line for line, _ in rows], header, dtype=str)


def _parsed(path, parse):
    """What `parse` makes of an open CSV. Raises LogError."""
    try:
        with log_files.opened(path) as file:
            return parse(file)
    except OSError as error:
        raise LogError(f"{path}: {error.strerror}") from error
    except packed_csv.CsvError as error:
        raise LogError(f"{path}{f', line {error.line}' if error.line else ''}: {error}") from error


def read_log(path, numbers=()):
    """The rows of a log, in the order of the file, also with these columns of numbers. Columns of numbers are numbers, all others texts. There are three more
    columns: `log` (the path), `line` (in the file, where the header is line 1) and `us` (gpu_us, or wall_us if there
    is none; NaN unless the status is ok).

    So that millions of rows fit in memory, columns are categories, except `line`, `us` and FLOATS. Columns that a log of an
    earlier version lacks are empty, and numbers are finite. In texts that are shown, invisible characters are named (printable), and long names
    are cut; `attrs["whole"]` has the full names. Raises LogError.
    """
    path, whole, columns_read = pathlib.Path(path), {}, list(dict.fromkeys([*case_columns(), *MEASURED, *OF_RUNS, *numbers]))
    floats = {*FLOATS, *(set(numbers) - {*case_columns(), *MEASURED})}
    columns, header, lines = _parsed(path, lambda file: packed_csv.read(file, set(columns_read), floats))
    old = sorted(OLD & set(header))
    if old:
        raise LogError(f"{path}: column {old[0]} is of key version 1: nestbed has other names for columns and other keys of cases now; "
                       "allowed: a log of key version 2")
    missing = [name for name in NEEDED if name not in columns]
    if missing:
        raise LogError(f"{path}: it is not a log of `nestbed run`: it has no column {', '.join(missing)}")
    for name in columns_read:
        column = columns.get(name)
        if name in floats:
            columns[name] = numpy.full(len(lines), numpy.nan) if column is None else packed_csv.narrow(column)
        elif name != "key" or column:
            texts, codes = column or ([""], numpy.zeros(len(lines), dtype=numpy.uint8))
            columns[name] = packed_csv.packed(codes, _numbers_of(path, name, texts, codes, lines) if name in tables.number_columns() else
                                              [_shown(name, text, whole) for text in texts])
    if "workload" not in header:
        columns["workload"] = packed_csv.packed(columns["strategy"].codes, [tables.workload_of(name) for name in columns["strategy"].categories])
    us = numpy.where(numpy.isnan(columns["gpu_us"]), columns["wall_us"], columns["gpu_us"])
    columns["us"] = numpy.where(columns["status"] == "ok", us, numpy.nan)
    columns["log"] = packed_csv.packed(numpy.zeros(len(lines), dtype=numpy.uint8), [str(path)])
    log = pandas.DataFrame({**columns, "line": lines}, copy=False)
    if "key" in log:  # a sample whose worker was lost has no wave: it gets that of the case's other samples
        for name in ("wave", "streams"):
            if log[name].isna().any():
                log[name] = log[name].fillna(log.groupby("key", observed=True)[name].transform("first"))
    log.attrs["whole"] = whole
    return log


def _numbers_of(path, name, texts, codes, lines):
    """The numbers of the texts of a column. Raises LogError, which names the first row that has none."""
    numbers = [packed_csv.number_in(text) for text in texts]
    if None in numbers:
        place = numbers.index(None)
        raise LogError(f"{path}, line {lines[numpy.argmax(codes == place)]}: {name} is '{texts[place]}'; allowed: a finite number or nothing")
    return numbers


def _shown(name, text, whole):
    """A cell of a text column as it is shown. Adds the whole text of a name that is cut."""
    if name in NOT_SHOWN:
        return text
    named = printable(text)
    if name == "detail" or shortened(named) == named:
        return named
    whole[shortened(named)] = named
    return shortened(named)


def case_columns():
    """The columns that define a case. Samples that agree in all of them are repetitions of one case."""
    return ["experiment", *tables.axis_columns(), "schedule", "gpu"]


class _Cases:
    """The rows of a log, sorted by case and within a case as in the file. Cases are in the order of their first rows."""

    def __init__(self, log):
        self.log = log
        number = numpy.zeros(len(log), dtype=numpy.int64)
        for name in case_columns():
            codes, values = packed_csv.codes_of(log[name])
            if len(values) > 1 or len(values) and (codes < 0).any():
                number = pandas.factorize(number * (len(values) + 1) + codes)[0]
        self.number, self.order = number, numpy.argsort(number, kind="stable")
        self.begins = numpy.flatnonzero(numpy.diff(number[self.order], prepend=-1))
        self.ends = numpy.append(self.begins[1:], len(log))

    def first(self, name):
        """The value of the first row of each case."""
        return numpy.asarray(self.log[name].iloc[self.order[self.begins]]).tolist()

    def split(self, values):
        """The values of each case, of an array with a value per row."""
        values = values[self.order]
        return [values[begin:end] for begin, end in zip(self.begins, self.ends)]

    def of_numbers(self, values, which="median"):
        """The median (or another aggregate) of the numbers of each case, of an array with a number per row; NaN if there is none."""
        return pandas.Series(numpy.asarray(values, dtype=float)).groupby(self.number).agg(which).tolist()

    def counts(self, name):
        """{value: number of rows} of each case; the most frequent value first, then by first row."""
        return [dict(collections.Counter(own.tolist()).most_common()) for own in self.split(numpy.asarray(self.log[name]))]


def cases_of(log):
    """One row per case, in the order of their first samples, with case_columns(), `workload` and
    rows, ok: number of samples, and how many of them have status ok;
    statuses: {status: number of samples};
    us, low, high: median of the ok samples and its interval, NaN if there is none; no interval with fewer than LEAST
    samples;
    samples: their times;
    clock: gpu or wall (without any time, the backend decides);
    submit: how samples with a GPU time were submitted: held, open, or both with a comma (if one could not be held);
    empty if no row says;
    launches, failed, expected: medians of launches_attempted, launches_failed and launches_expected, over all rows
    that have them;
    launches_by_depth: of the first row;
    those of OF_RUNS: medians; of the worst, the greatest;
    latency: median of latency_us; limit_bytes, pending_limit, bandwidth_gb_s, peak_gb_s, peak_share: medians; work: that
    of the ok rows;
    log, lines: the file, and the lines of all rows.
    """
    if not len(log):
        return pandas.DataFrame()
    cases, us = _Cases(log), log["us"].to_numpy()
    found = {name: cases.first(name) for name in [*case_columns(), "workload"]}
    found["rows"] = (cases.ends - cases.begins).tolist()
    found["statuses"] = cases.counts("status")
    found["ok"] = [statuses.get("ok", 0) for statuses in found["statuses"]]
    found["samples"] = [own[~numpy.isnan(own)] for own in cases.split(us)]
    middles = iter(medians([samples for samples in found["samples"] if len(samples)]))
    spans = [next(middles) if len(samples) else [numpy.nan] * 3 for samples in found["samples"]]
    found["us"] = [span[0] for span in spans]
    for place, name in enumerate(("low", "high"), 1):
        found[name] = [span[place] if len(samples) >= LEAST else numpy.nan for span, samples in zip(spans, found["samples"])]
    by_gpu = [not numpy.isnan(own).all() for own in cases.split(log["gpu_us"].to_numpy())]
    found["clock"] = ["gpu" if (gpu if len(samples) else backend == "cuda") else "wall"
                      for samples, gpu, backend in zip(found["samples"], by_gpu, found["backend"])]
    found["submit"] = [", ".join(sorted(set(own) - {""})) for own in cases.counts("submit")]
    for name, column in (("launches", "launches_attempted"), ("failed", "launches_failed"), ("expected", "launches_expected"),
                         ("latency", "latency_us"), *((name, name) for name in ("limit_bytes", "pending_limit", "bandwidth_gb_s",
                                                                              "peak_gb_s", "peak_share"))):
        found[name] = cases.of_numbers(log[column])
    for name in OF_RUNS:
        found[name] = cases.of_numbers(log[name], "max" if "worst" in name else "median")
    found["work"] = cases.of_numbers(log["work"].astype(float).where(log["status"] == "ok"))
    found["launches_by_depth"], found["log"] = cases.first("launches_by_depth"), cases.first("log")
    found["lines"] = cases.split(log["line"].to_numpy())
    return pandas.DataFrame(found)


def numbers_of(log, column):
    """The numbers of a column in the rows of each case, in the order of cases_of()."""
    return [own[~numpy.isnan(own)] for own in _Cases(log).split(numpy.asarray(log[column], dtype=float))]


# --- what is drawn and shown of cases ---


def faster_cub(cases):
    """The references of ratios: {cub_key(case): case}, for a DataFrame as cases_of returns it (also for several
    logs). Each case is a row with all its columns: of `cub` and `cub_narrow`, the one with the smaller median, or the
    only one with a time. It has the same log, backend, device, clock, type, size, submission and state of the L2
    cache, in any experiment of the log."""
    library = cases[cases["strategy"].isin(tables.names_with("strategies", "is_reference")) & (cases["us"] > 0) & cases["elements"].notna()]
    found = {}
    for case in library.to_dict("records"):
        key = cub_key(case)
        if key not in found or case["us"] < found[key]["us"]:
            found[key] = case
    return found


def cub_key(case):
    """The key of this case's reference in the result of faster_cub."""
    return tuple(case[name] for name in CUB_KEY)


def ratios_to_cub(cases):
    """A list with one entry per case, in their order: (ratio, low, high) of the case's median to that of faster_cub.
    None if there is no such CUB, or if the case has no time. With fewer than LEAST samples on a side, the interval is
    NaN."""
    reference = faster_cub(cases)
    found = [None] * len(cases)
    held = [(place, case["samples"].tolist(), reference[cub_key(case)]["samples"].tolist())
            for place, case in enumerate(cases[[*CUB_KEY, "samples"]].to_dict("records")) if cub_key(case) in reference and len(case["samples"])]
    for (place, *pair), (ratio, low, high) in zip(held, ratios([pair for _, *pair in held])):
        found[place] = (ratio, low, high) if min(map(len, pair)) >= LEAST else (ratio, numpy.nan, numpy.nan)
    return found


def lost_share(case):
    """The share (0 to 1) of a case's expected launches that were refused, or lost because of a refused one: 1 -
    (attempted - failed) / expected, from the medians. None if a log does not have these numbers, or if none is
    expected."""
    launches, failed, expected = (case[name] for name in ("launches", "failed", "expected"))
    if pandas.isna(launches) or not expected > 0:
        return None
    return 1 - (launches - (0 if pandas.isna(failed) else failed)) / expected


def wrong_share(case):
    """(wrong, trials) of a case. Trials are the rows that are ok or wrong. None if there is no such row. For example,
    a run that timed out is neither."""
    wrong = int(case["statuses"].get("wrong", 0))
    trials = wrong + int(case["ok"])
    return (wrong, trials) if trials else None


def wilson(wrong, trials):
    """(low, high) of the share wrong / trials, with at least one trial: the 95 % score interval (Wilson, "Probable
    Inference", 1927)."""
    z = 1.959963984540054
    middle = wrong + z * z / 2
    half = z * math.sqrt(wrong * (trials - wrong) / trials + z * z / 4)
    return max(0.0, (middle - half) / (trials + z * z)), min(1.0, (middle + half) / (trials + z * z))


# --- who measured, and how ---


def manifest_of(path):
    """The manifest beside a log; {} if there is none. Raises LogError."""
    beside = manifest_path(path)
    if not beside.is_file():
        return {}
    try:
        manifest = json.loads(beside.read_text(encoding="utf-8"))
    except OSError as error:
        raise LogError(f"{beside}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # a JSONDecodeError, text that is not UTF-8, or too deep nesting
        raise LogError(f"{beside}: it is not a manifest of `nestbed run`: {error}") from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("runs", {}), dict):
        raise LogError(f"{beside}: it is not a manifest of `nestbed run`: it has no object `runs`")
    return manifest


def title_of(path, log):
    """The title of a log's experiment; empty without one, or with several."""
    runs = manifest_of(path).get("runs", {})
    titles = {str(runs[run].get("title", "")) for run in log["run_id"].unique() if isinstance(runs.get(run), dict)}
    return shortened(printable(titles.pop())) if len(titles) == 1 else ""


def machine_of(log):
    """Who measured, in words: "NVIDIA H200, driver 580.1, CUDA 13.0"; "CPU executor (model of the CPU)"."""
    found = []
    for (backend, gpu, driver, cuda), _ in log.groupby(["backend", "gpu", "driver", "cuda"], sort=False, observed=True):
        executor = f"CPU executor ({gpu})" if gpu else "CPU executor"
        found.append(f"{gpu}, driver {driver}, CUDA {cuda}" if backend == "cuda" else executor)
    return "; ".join(found)


def command_text(path, run, facts):
    """The command of a run, from the manifest beside a log, quoted for a shell. `facts` is the entry of the run in
    the manifest. Raises LogError."""
    command = facts.get("command") if isinstance(facts, dict) else None
    if not isinstance(command, list) or not command or not all(isinstance(word, str) for word in command):
        raise LogError(f"{manifest_path(path)}: it is not a manifest of `nestbed run`: run {run} has no `command`; "
                       "allowed: a list of texts")
    return printable(shlex.join(command))


def command_texts(path, runs):
    """The different commands of runs, a dict as in the manifest. Of those that only add repetitions to the log the last stands for all.
    Raises LogError."""
    alike = {}
    for run, facts in runs.items():
        command = command_text(path, run, facts)
        alike.setdefault(re.sub(r" --(resume|repeat \d+)\b", "", command), []).append(command)
    return [commands[-1] + (f", the last of {len(commands)} processes" if len(set(commands)) > 1 else "") for commands in alike.values()]


def commands_of(path, log):
    """The commands that made a log's rows, as command_texts() says them; without a manifest, the experiments of the run. Raises LogError."""
    runs = manifest_of(path).get("runs", {})
    return command_texts(path, {run: runs[run] for run in log["run_id"].unique() if run in runs}) or [f"nestbed run, experiment {name}" for name in log["experiment"].unique()]


def interval_of_share(wrong, trials):
    """The result of wilson() for LEAST or more trials; (NaN, NaN) for fewer."""
    return wilson(wrong, trials) if trials >= LEAST else (math.nan, math.nan)
