"""The README.md of a folder of results: one table of what was measured there, computed from the logs. Needs NESTBED
and otherwise only Python."""
import csv
import pathlib

import log_files
import medians
import tables

MARK = "<!-- written by experiments/reproduce.sh -->"
HEADS = ["experiment", "device", "driver", "CUDA", "date", "nestbed", "rows", "fastest case", "slowest case"]


def log_rows(path):
    """The rows of a log as dictionaries; empty for a file that is not a log."""
    try:
        with log_files.opened(path) as file:
            return [row for row in csv.DictReader(file) if {"run_id", "strategy", "status", "gpu"} <= row.keys()]
    except (OSError, ValueError, csv.Error):
        return []


def logs_in(folder):
    """{path: its rows} for the logs in a folder that have rows, sorted by name."""
    found = {path: log_rows(path) for path in log_files.csvs_in(folder)}
    return {path: rows for path, rows in found.items() if rows}


def devices_in(folder):
    return list(dict.fromkeys(row["gpu"] for rows in logs_in(folder).values() for row in rows if row["gpu"]))


def is_made_here(folder):
    """Whether this script wrote the README.md of a folder."""
    try:
        return MARK in (pathlib.Path(folder) / "README.md").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False


def cell(values):
    """The content of a cell of a Markdown table."""
    return ", ".join(dict.fromkeys(filter(None, values))).replace("|", r"\|").replace("\n", " ")


def digits(value):
    """Three significant digits, including trailing zeros: 21.0."""
    return f"{value:#.3g}".rstrip(".")


def time_text(microseconds):
    for limit, scale, unit in ((999.5, 1, "µs"), (999.5e3, 1e3, "ms")):
        if microseconds < limit:
            return f"{digits(microseconds / scale)} {unit}"
    return f"{digits(microseconds / 1e6)} s"


def rows_text(rows):
    """ "351"; "1500, of which 37 wrong"."""
    statuses = [row["status"] for row in rows if row["status"] != "ok"]
    others = [f"{statuses.count(status)} {status}" for status in dict.fromkeys(statuses)]
    return f"{len(rows)}, of which {' and '.join(others)}" if others else str(len(rows))


def names_apart(rows):
    """The axes that distinguish cases of a strategy and mechanism, and the schedule. Leaves out what follows from earlier names, such as the numbers that follow
    from grid and block."""
    def cases(names):
        return len({tuple(row.get(name) for name in ["experiment", "strategy", "mechanism", *names]) for row in rows})

    found = []
    for name in [*tables.axis_columns(), "schedule"]:
        if cases([*found, name]) > cases(found):
            found.append(name)
    return found


def case_texts(rows):
    """["`synced`, null: 20.7 ms", ...] for the fastest and the slowest case by median; empty texts if no row has a
    time."""
    names, cases = names_apart(rows), {}
    for row in rows:
        if row["status"] == "ok" and (time := row.get("gpu_us") or row.get("wall_us")):
            mechanism = row.get("mechanism") if row.get("mechanism") != "none" else ""
            words = [f"{name} {row[name]}" for name in names if row.get(name)]
            case = (row.get("experiment"), ", ".join(filter(None, [f"`{row['strategy']}`", mechanism, *words])))
            cases.setdefault(case, []).append(float(time))
    if not cases:
        return ["", ""]
    found = sorted((median, name) for (median, *_), (_, name) in zip(medians.medians(list(cases.values())), cases))
    return [f"{name}: {time_text(median)}" for median, name in (found[0], found[-1])]


def table_line(path, rows):
    executor = " (executor)" if {row.get("backend") for row in rows} == {"cpu"} else ""
    days = sorted({row["utc"][:10] for row in rows if row.get("utc")})
    cells = [f"[{path.stem}]({log_files.stored(path).name})", cell(row["gpu"] for row in rows) + executor,
             *(cell(row.get(name, "") for row in rows) for name in ("driver", "cuda")),
             " to ".join(dict.fromkeys(days[:1] + days[-1:])), cell(row.get("git", "") for row in rows), rows_text(rows),
             *map(cell, zip(case_texts(rows)))]
    return f"| {' | '.join(cells)} |\n"


def page(folder, name):
    """The text of the page. Raises medians.StatisticsError."""
    logs = logs_in(folder)
    lines = "".join(table_line(path, rows) for path, rows in logs.items())
    on_gpu = any(row.get("backend") == "cuda" for rows in logs.values() for row in rows)
    beside = [("results/numbers.py --against", "our numbers beside these"), ("experiments/plot.sh results/h200", "the figures of both side by side")]
    commands = [*(beside if on_gpu else []), ("experiments/report.sh", "a page to explore all of it")]
    lines_of_commands = "".join(f"{words} results/{name}   # {what}\n" for words, what in commands)
    return f"""{MARK}
# {name}: {cell(devices_in(folder)) or "nothing measured yet"}

Measured by `experiments/reproduce.sh --as {name}`, which writes this page from the logs here. Start it again to continue what is not
complete. Times are medians over the rows of a case that are ok: GPU time, or wall time where there is no GPU time.

| {" | ".join(HEADS)} |
|{"---|" * len(HEADS)}
{lines}
## Compare

```sh
{lines_of_commands}```
"""
