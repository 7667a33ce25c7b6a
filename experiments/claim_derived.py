"""Makes the CSVs of a folder of results that are computed from other files of the folder again. A cell that was changed
in one of them is found although SHA256SUMS has the new sum. Needs NESTBED."""
import collections
import concurrent.futures
import csv
import io
import os
import pathlib
import subprocess
import tarfile
import tempfile

import pandas

import checked_output
import log_files
import logs
import nvbench
import predicted
from claim_file import ClaimError
from claim_results import compare_csv

CALIBRATED = ["launch.csv", "trees.csv", "library.csv", "transpose.csv"]  # what `nestbed calibrate` fits the launch roofline to
SECOND_RUN = "second_run.tar.xz"
SECOND_GPU = "second_gpu.tar.xz"  # earlier logs of the claims, from another machine with the folder's GPU


def run(*words):
    """What nestbed prints. Raises ClaimError."""
    words = [os.environ["NESTBED"], *map(str, words)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):  # 3: a case of the tables does not agree, and its rows say so
        raise ClaimError(f"`nestbed {words[1]}` ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def unpacked(archive, scratch):
    """The folders of an archive that have files in them, in order."""
    with tarfile.open(archive) as tar:
        tar.extraction_filter = getattr(tarfile, "data_filter", None)  # Debian 12's Python has none, later ones want one
        for member in tar:
            if member.isfile() and not {"..", "/"} & set(pathlib.PurePath(member.name).parts):  # stays in the folder
                tar.extract(member, scratch)
    return sorted({path.parent for path in scratch.rglob("*") if path.is_file()})


def table_of(header, rows):
    out = io.StringIO(newline="")
    csv.writer(out).writerows([header, *rows])
    return out.getvalue()


# --- the recipes: each returns the text of a CSV, from the sources beside it ---


def reconciled(archive):
    def made(folder, scratch, _):
        run("profile", *unpacked(folder / archive, scratch), "--csv", scratch / "made.csv")
        return (scratch / "made.csv").read_text(encoding="utf-8")
    return made


def calibrated(folder, scratch, _):
    run("calibrate", *(folder / name for name in CALIBRATED), "--csv", scratch / "made.csv")
    return (scratch / "made.csv").read_text(encoding="utf-8")


def calibrated_again(folder, scratch, _):
    """The same of the logs of another machine, as far as it measured them."""
    unpacked(folder / "second_calibration.tar.xz", scratch)
    again = [scratch / name for name in CALIBRATED]
    run("calibrate", *(path if path.is_file() else folder / path.name for path in again), "--csv", scratch / "made.csv")
    return (scratch / "made.csv").read_text(encoding="utf-8")


def calibrated_on_second_gpu(folder, scratch, _):
    return calibrated(unpacked(folder / SECOND_GPU, scratch)[0], scratch, _)


def calibrated_without(folder, scratch, rows):
    """The parameters without each strategy that the first column names."""
    header, found = [], []
    for strategy in dict.fromkeys(row[0] for row in rows):
        made = scratch / f"{strategy}.csv"
        run("calibrate", *(folder / name for name in CALIBRATED), "--leave-out", strategy, "--csv", made)
        header, _, parameters = logs.read_rows(made)
        found += [[strategy, *cells] for cells in parameters]
    return table_of(["left_out", *header], found)


def correlations(folder, scratch, _):
    run("calibrate", *(folder / name for name in CALIBRATED), "--correlations", scratch / "made.csv")
    return (scratch / "made.csv").read_text(encoding="utf-8")


def logs_named(folder, rows):
    """The logs that the first column of a table names, in its order."""
    found = [folder / f"{name}.csv" for name in dict.fromkeys(row[0] for row in rows)]
    for path in found:
        if not log_files.is_there(path):
            raise ClaimError(f"there is no {path}, which its column log names")
    return found


def predictions_by(model):
    """Of logs of a folder, by the model of `model`, a path from the folder."""
    def made(folder, _, rows):
        try:
            return predicted.table_of(logs_named(folder, rows), folder / model)
        except checked_output.ScriptError as error:
            raise ClaimError(str(error)) from error
    return made


predictions = predictions_by(predicted.MODEL)


def choices(folder, scratch, rows):
    found = []
    for path in logs_named(folder, rows):
        run("predict", "--against", path, "--choices", scratch / path.name)
        header, _, chosen = logs.read_rows(scratch / path.name)
        found += [[path.stem, *cells] for cells in chosen]
    return table_of(["log", *header], found)


def paying(folder, scratch, _):
    import pays  # here, because it needs matplotlib, and most folders have no such table
    return pays.table_of(*pays.sources_in(unpacked(folder / "pays.tar.xz", scratch)[0]))[0]


def frontiers(_, scratch, rows):
    header, found = ["input", "elements", "edge_factor", "graph_file", "seed"], []
    for number, graph in enumerate(dict.fromkeys(tuple(row[:len(header)]) for row in rows)):
        settings = [word for name, cell in zip(header, graph) if cell for word in (f"--{name.replace('_', '-')}", cell)]
        run("info", "graph", *settings, "-o", scratch / f"{number}.csv")
        columns, _, levels = logs.read_rows(scratch / f"{number}.csv")
        found += levels
    return table_of(columns, found)


def beside_nvbench(folder, scratch, rows):
    """nvbench's own numbers are from the table itself, as its CSV is not kept. Everything else follows from them and the logs."""
    def cells(name):
        return [row[nvbench.COLUMNS.index(name)] for row in rows]

    theirs, found = scratch / "nvbench.csv", []
    times = [float(us) / 1e6 for us in cells("nvbench_us")]
    theirs.write_text(table_of(["Benchmark", "elements", nvbench.TIME, "Samples"],
                               zip(cells("benchmark"), cells("elements"), times, cells("nvbench_samples"))), encoding="utf-8")
    for log in log_files.csvs_in(folder, "nvbench_*.csv"):
        own = set(logs.read_log(log)["strategy"])
        pairs = dict.fromkeys(f"--map={name}={strategy}" for name, strategy in zip(cells("benchmark"), cells("strategy"))
                              if strategy in own)
        if pairs:
            found.append(nvbench.compared(nvbench.options_of([str(theirs), str(log), *pairs, "--size", "elements"])))
    return pandas.concat(found).to_csv(index=False)


# {CSV: (what it is computed from, how)}
RECIPES = {
    "choices.csv": ([], choices),
    "correlations.csv": (CALIBRATED, correlations),
    "frontiers.csv": ([], frontiers),
    "left_out.csv": (CALIBRATED, calibrated_without),
    "nvbench.csv": (["nvbench_cub.csv"], beside_nvbench),
    "parameters.csv": (CALIBRATED, calibrated),
    "pays.csv": (["pays.tar.xz"], paying),
    "predicted_by_h100.csv": ([predicted.MODEL], predictions),
    "predicted_by_h200.csv": ([], predictions_by(f"../h200/{predicted.MODEL}")),
    "predicted.csv": ([predicted.MODEL], predictions),
    "predicted_need.csv": ([predicted.MODEL], predictions),
    "reconcile.csv": (["profile.tar.xz"], reconciled("profile.tar.xz")),
    "reconcile_irregular.csv": (["profile_irregular.tar.xz"], reconciled("profile_irregular.tar.xz")),
    "second_gpu_parameters.csv": ([SECOND_GPU], calibrated_on_second_gpu),
    "second_parameters.csv": (["second_calibration.tar.xz"], calibrated_again),
}


# --- the comparison ---


def difference(path, made_text):
    """The first cell in which a CSV differs from its text as it was made again, in a sentence; empty if there is none. The
    order of the rows does not matter."""
    header, lines, rows = logs.read_rows(path)
    made_header, *made = csv.reader(io.StringIO(made_text), strict=True)
    if header != made_header:
        return f"{path}, line 1: the columns are {', '.join(header)}; expected: {', '.join(made_header)}"
    left = collections.Counter(map(tuple, made))
    wrong = []
    for line, row in zip(lines, rows):
        if left[tuple(row)]:
            left[tuple(row)] -= 1
        else:
            wrong.append((line, row))
    missing = list(left.elements())
    if wrong and missing:
        line, row = wrong[0]
        near = min(missing, key=lambda cells: sum(a != b for a, b in zip(row, cells)))
        place = next(at for at, pair in enumerate(zip(row, near)) if pair[0] != pair[1])
        return f"{path}, line {line}: {header[place]} is '{row[place]}'; expected: '{near[place]}'"
    if wrong:
        return f"{path}, line {wrong[0][0]}: there should be no such row: {', '.join(wrong[0][1])}"
    return f"{path}: it has no row {', '.join(missing[0])}" if missing else ""


def second_run(results):
    """The comparison of the claims with the logs of a second run. A number that the second run did not measure may be left out,
    as its claim may be later."""
    def made(folder, scratch, rows):
        unpacked(folder / SECOND_RUN, scratch)
        return compared(results, next(path for path in scratch.iterdir()), rows)
    return made


def another_gpu(results):
    """The comparison of the claims of other folders with the logs of this one."""
    return lambda folder, _, rows: compared(results, folder, rows)


def compared(results, again, rows):
    known = {row[0] for row in rows}
    numbers = [one for one in results.second(again).numbers if one.found or one.number.id in known]
    return compare_csv(numbers).replace(f"{again}/", "")


def problem_of(folder, name, sources, make):
    """What is wrong with a CSV; empty if nothing is, or if the folder does not have it or its sources."""
    path = pathlib.Path(folder) / name
    if not all(log_files.is_there(path.parent / one) for one in [name, *sources]):
        return ""
    try:
        rows = logs.read_rows(path)[2]
        if not rows:
            return f"{path}: it has no row; allowed: a table of {', '.join(sources) or 'logs'}"
        with tempfile.TemporaryDirectory() as scratch:
            found = difference(path, make(path.parent, pathlib.Path(scratch), rows))
    except (ClaimError, checked_output.BadInput, ValueError, IndexError, StopIteration, tarfile.TarError) as error:
        return f"{path}: it cannot be made again: {error}"
    return f"{found}; {', '.join(sources) or 'the logs'} gives it" if found else ""


def problems(results, folder):
    """A line for each CSV of a folder of `results` that is not what it is computed from. Raises logs.StatisticsError."""
    recipes = {**RECIPES, "second_run.csv": ([SECOND_RUN], second_run(results)), "second_gpu.csv": ([], another_gpu(results))}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:  # nestbed does most of the work
        found = pool.map(lambda name: problem_of(folder, name, *recipes[name]), recipes)
        return [problem for problem in found if problem]
