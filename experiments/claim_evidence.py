"""Checks what a folder of results depends on besides the numbers: rows are as a run writes them and agree with their
manifests, and figures are drawn from them."""
import collections
import html
import re
import struct

import log_files
import logs
from claim_file import ClaimError

# The facts that all manifests of a folder must share for a device with the same name and driver.
SHARED = ["compute_capability", "multiprocessors", "max_threads_per_multiprocessor", "max_blocks_per_multiprocessor", "resident_grids",
          "default_pending_limit", "memory_bytes", "l2_bytes", "peak_bandwidth_gb_s"]


def evidence(folder):
    """Names of the files that must be in the SHA256SUMS of a folder: its CSVs (compressed or not), their manifests, and the figures."""
    csvs = log_files.csvs_in(folder)
    files = {path.name for pattern in ("*.csv", f"*.csv{log_files.ENDING}") for path in folder.glob(pattern)}
    beside = sorted(f"{path.name}.json" for path in csvs if (folder / f"{path.name}.json").is_file())
    return [*sorted(files), *beside, *(f"figures/{log_files.stored(path).name}" for path in figures_in(folder))]


# --- rows, and the runs that made them ---


def check_log(path):
    """Checks that the manifest of a log has its runs, and that they measured its rows. For a CSV that is not a log, checks only
    that it can be read. Raises logs.LogError and ClaimError."""
    header, _, rows = logs.read_rows(path)
    if not {"run_id", "status"} <= set(header):
        return
    manifest = logs.manifest_of(path)
    if not manifest:
        return
    try:
        check_runs(path, manifest, collections.Counter(row[header.index("run_id")] for row in rows))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ClaimError(f"the manifest of {path}: it is not a manifest of `nestbed run`: there is no {error}") from error


def check_runs(path, manifest, rows):
    """The manifest has the runs of the log, and they measured the rows. `rows`: how many each run has."""
    for run_id, count in rows.items():
        if run_id not in manifest["runs"]:
            raise ClaimError(f"the manifest of {path}: it has no run '{run_id}', but the log has rows of it")
        run = manifest["runs"][run_id]
        _, _, _ = run["git"], run["experiment"], run["backends"]
        if "plan" not in run and count > run["samples"]:  # an earlier version
            raise ClaimError(f"the manifest of {path}: run {run_id} should have measured {run['samples']} rows; the log has {count}")
    check_end(path, manifest["runs"], rows.total())


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
    for path in log_files.csvs_in(folder):
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
    """The names of the figures of a folder. An SVG may be compressed, as CSVs may."""
    return sorted({*(folder / "figures").glob("*.png"), *log_files.csvs_in(folder / "figures", "*.svg")})


def sources_text(name, csvs):
    """What a figure file says about itself: its name, the logs that it is drawn from, and the SHA-256 of each."""
    return f"{name} of {', '.join(f'{csv.name}, SHA-256 {log_files.sha256_of(csv)}' for csv in csvs)}"


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
    """The sources_text of a figure file; empty if it has none."""
    if path.suffix == ".png":
        return png_texts(path.read_bytes()).get("Source", "")
    with log_files.opened_bytes(path) as file:
        found = re.search(r"<dc:source>([^<]*)</dc:source>", file.read().decode("utf-8", "replace"))
    return html.unescape(found[1]) if found else ""


def figure_problems(folder):
    """A line for each figure that is not drawn from the current content of the CSVs beside its folder."""
    problems = []
    for path in figures_in(folder):
        if path.exists() and path.with_name(path.name + log_files.ENDING).exists():
            problems.append(f"{path}: there is {path.name}{log_files.ENDING} too; allowed: one of the two files")
        found = re.fullmatch(r"(.*?) of (.*, SHA-256 [0-9a-f]{64})", source_of(path))
        drawn_from = re.split(r"(?<=, SHA-256 [0-9a-f]{64}), ", found[2]) if found else []
        csvs = [one.rsplit(", SHA-256 ", 1) for one in drawn_from]
        if not found or found[1] != path.stem or any("/" in name for name, _ in csvs):
            problems.append(f"{path}: it does not say that it is this figure, and of which log; "
                            "allowed: as experiments/plot.sh draws it")
            continue
        for name, sha256 in csvs:
            csv = folder / name
            if not log_files.is_there(csv):
                problems.append(f"{path}: there is no {csv}, which it is drawn from")
            elif sha256 != log_files.sha256_of(csv):
                problems.append(f"{path}: it is not drawn from {csv} as that is now: run experiments/plot.sh {csv if len(csvs) == 1 else folder}")
    return problems
