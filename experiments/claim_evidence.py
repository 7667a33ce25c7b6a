"""Checks what a folder of results depends on besides the numbers: rows are as a run writes them and agree with their
manifests, and figures are drawn from them."""
import hashlib
import html
import pathlib
import re
import struct

import logs
import row_check
from claim_file import ClaimError

MANIFEST = {"gpu": "name", "driver": "driver", "cuda": "cuda_runtime", "machine": "machine", "schedule": "schedule"}
# The columns with a measured fact of the device, and what it is called in the manifest: the number of one of these names.
MEASURED = {"floor_us": ["null_kernel_us"], "peak_gb_s": ["peak_bandwidth_gb_s"], "l2_bytes": ["l2_bytes"],
            "timer_step_ns": ["timer_step_ns"], "measured_gb_s": ["read_bandwidth_gb_s", "copy_bandwidth_gb_s"]}
# The facts that all manifests of a folder must share for a device with the same name and driver.
SHARED = ["compute_capability", "multiprocessors", "max_threads_per_multiprocessor", "max_blocks_per_multiprocessor", "resident_grids",
          "default_pending_limit", "memory_bytes", "l2_bytes", "peak_bandwidth_gb_s"]
LAUNCHED = {"wave", "streams"}  # a row has the values of its launch, not those that were asked for
ASKED = [name for name in row_check.CASE if name not in LAUNCHED]


def sha256_of(path):
    found = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            found.update(piece)
    return found.hexdigest()


def evidence(folder):
    """Names of the files that must be in the SHA256SUMS of a folder: its CSVs, their manifests, and the figures."""
    csvs = sorted(folder.glob("*.csv"))
    beside = {name for path in csvs for name in (f"{path.stem}.json", f"{path.name}.json") if (folder / name).is_file()}
    return [*(path.name for path in csvs), *sorted(beside), *(f"figures/{path.name}" for path in figures_in(folder))]


# --- rows, and the runs that made them ---


def check_log(path):
    """Checks the rows of a CSV against each other and against its manifest. For a CSV that is not a log, checks only
    that it can be read. Raises logs.LogError and ClaimError."""
    header, lines, rows = logs.read_rows(path)
    if not {"run_id", "status"} <= set(header):
        return
    try:
        row_check.check_rows(header, lines, rows)
    except row_check.RowError as error:
        raise ClaimError(f"{path}, {error}") from error
    manifest = logs.manifest_of(path)
    if not manifest:
        return
    try:
        check_runs(path, manifest, [row_check.Row({name: at for at, name in enumerate(header)}, line, cells)
                                    for line, cells in zip(lines, rows)])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ClaimError(f"the manifest of {path}: it is not a manifest of `nestbed run`: there is no {error}") from error


def check_runs(path, manifest, rows):
    for run_id in dict.fromkeys(row.at("run_id") for row in rows):
        if run_id not in manifest["runs"]:
            raise ClaimError(f"the manifest of {path}: it has no run '{run_id}', but the log has rows of it")
        run = manifest["runs"][run_id]
        mine = [row for row in rows if row.at("run_id") == run_id]
        check_machine(path, run_id, run, mine)
        if "plan" in run:
            check_plan(path, manifest["plans"][run["plan"]], mine)
        elif len(mine) > run["samples"]:  # an earlier version, without a plan
            raise ClaimError(f"the manifest of {path}: run {run_id} should have measured {run['samples']} rows; the log has {len(mine)}")
    check_end(path, manifest["runs"], len(rows))


def check_machine(path, run_id, run, rows):
    """The rows name the same program and device as the manifest."""
    for row in rows:
        backend = run["backends"].get(row.at("backend"))
        if backend is None:
            row_problem(path, run_id, row, "backend", f"one of {', '.join(run['backends'])}")
        said = {name: run[name] for name in ("git", "experiment")}
        said.update({column: backend[name] for column, name in MANIFEST.items() if name in backend})
        for column, value in said.items():
            if column in row.columns and row.at(column) != value:
                row_problem(path, run_id, row, column, f"'{value}'")
        for column, names in MEASURED.items():
            decimals = len(row.at(column).partition(".")[2])
            facts = [f"{backend[name]:.{decimals}f}" for name in names if name in backend]
            if row.at(column) and facts and row.at(column) not in facts:
                row_problem(path, run_id, row, column, " or ".join(facts))


def row_problem(path, run_id, row, column, expected):
    raise ClaimError(f"{path}, line {row.line}: {column} is '{row.at(column)}'; expected: {expected}, as in its manifest for run "
                     f"{run_id}")


def check_plan(path, plan, rows):
    """The plan contains the cases and repetitions of the rows, and the rows have the values of their cases."""
    cases = {case["key"]: (case.get("max_repeat", case["repeat"]), dict(setting.split("=", 1) for setting in case["case"].split(" "))) for case in plan}
    first = {}
    for row in rows:
        if row.at("key") not in cases:
            raise ClaimError(f"{path}, line {row.line}: the plan in its manifest has no case '{row.at('key')}'")
        repeat, settings = cases[row.at("key")]
        if not row.at("repetition").isdecimal() or int(row.at("repetition")) >= repeat:
            raise ClaimError(f"{path}, line {row.line}: repetition is '{row.at('repetition')}'; expected: 0 to {repeat - 1}, by the "
                             "plan in its manifest")
        for name, value in settings.items():
            value = logs.current_mechanism(value) if name == "mechanism" else value
            column = f"{name.replace('-', '_')}{'_asked' if name in ('pending-limit', 'submit') else ''}"
            if column not in LAUNCHED and row.at(column) != value:
                raise ClaimError(f"{path}, line {row.line}: {column} is '{row.at(column)}'; expected: '{value}', as in the plan of its "
                                 f"manifest for case {row.at('key')}")
        known = first.setdefault(row.at("key"), row)
        for column in ASKED:
            if row.at(column) != known.at(column):
                raise ClaimError(f"{path}, line {row.line}: {column} is '{row.at(column)}'; expected: '{known.at(column)}', as in line "
                                 f"{known.line} of the same key")


def check_end(path, runs, count):
    """The last run of the log finished, and left this number of rows. If it measured a shard, this applies to the
    last run of each shard."""
    def order(run_id):  # two runs may start in the same second
        run = runs[run_id]
        return run["started_utc"], "finished_utc" in run, run.get("log_rows", 0)

    last = {}
    # Earlier versions recorded no end.
    for run_id in sorted((run_id for run_id, run in runs.items() if "plan" in run), key=order):
        if not runs[run_id].get("shard"):
            last = {}  # this run continued the whole log
        last[runs[run_id].get("shard", "")] = run_id
    for run_id in last.values():
        if "finished_utc" not in runs[run_id]:
            raise ClaimError(f"the manifest of {path}: run {run_id} did not finish; allowed: the log of a finished run")
    known = sum(runs[run_id]["log_rows"] for run_id in last.values())
    if last and known != count:
        raise ClaimError(f"{path}: it has {count} rows; expected: {known}, according to its manifest")


def device_problems(folder):
    """A line for each manifest of a folder that has another fact than an earlier one for the same device and driver. Files
    that are not manifests are left to check_log."""
    known, problems = {}, []
    for path in sorted(folder.glob("*.csv")):
        try:
            backends = [backend for run in logs.manifest_of(path)["runs"].values() for backend in run["backends"].values()]
            facts = [((backend["name"], backend["driver"], name), backend[name])
                     for backend in backends for name in SHARED if name in backend]
        except (logs.LogError, KeyError, TypeError, AttributeError):
            continue
        for key, value in facts:
            first, expected = known.setdefault(key, (path, value))
            if value != expected:
                problems.append(f"the manifest of {path}: {key[2]} is {value}; expected: {expected}, as in the manifest of {first}")
    return list(dict.fromkeys(problems))


# --- figures ---


def figures_in(folder):
    return sorted(path for path in (folder / "figures").glob("*") if path.suffix in (".svg", ".png"))


def source_text(name, csv):
    """What a figure file says about itself: its name, the log that it is drawn from, and the SHA-256 of that log."""
    return f"{name} of {csv.name}, SHA-256 {sha256_of(csv)}"


def sources_text(name, csvs):
    """The same of a figure that is drawn from several logs."""
    return f"{name} of {', '.join(f'{csv.name}, SHA-256 {sha256_of(csv)}' for csv in csvs)}"


def png_texts(data):
    """The texts in a PNG, by keyword."""
    texts, at = {}, 8
    while at + 8 <= len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"tEXt":
            keyword, _, text = data[at + 8:at + 8 + length].partition(b"\0")
            texts[keyword.decode("latin-1")] = text.decode("latin-1")
        at += length + 12
    return texts


def source_of(path):
    """The source_text of a figure file; empty if it has none."""
    data = path.read_bytes()
    if path.suffix == ".png":
        return png_texts(data).get("Source", "")
    found = re.search(r"<dc:source>([^<]*)</dc:source>", data.decode("utf-8", "replace"))
    return html.unescape(found[1]) if found else ""


def figure_problems(folder):
    """A line for each figure that is not drawn from the current content of the CSVs beside its folder."""
    problems = []
    for path in figures_in(folder):
        found = re.fullmatch(r"(.*?) of (.*, SHA-256 [0-9a-f]{64})", source_of(path))
        drawn_from = re.split(r"(?<=, SHA-256 [0-9a-f]{64}), ", found[2]) if found else []
        csvs = [one.rsplit(", SHA-256 ", 1) for one in drawn_from]
        if not found or found[1] != path.stem or any("/" in name for name, _ in csvs):
            problems.append(f"{path}: it does not say that it is this figure, and of which log; "
                            "allowed: as experiments/plot.sh draws it")
            continue
        for name, sha256 in csvs:
            csv = folder / name
            if not csv.is_file():
                problems.append(f"{path}: there is no {csv}, which it is drawn from")
            elif sha256 != sha256_of(csv):
                problems.append(f"{path}: it is not drawn from {csv} as that is now: run experiments/plot.sh {csv if len(csvs) == 1 else folder}")
    return problems
