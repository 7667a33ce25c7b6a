#!/usr/bin/env python3
"""Writes one HTML page to explore a results folder: `report.py [FOLDER] [-o FILE.html]`.

Leaves out strategies that exist only for tests, and figures for which the folder has no log.

The numbers come from results/numbers.py (or from a file, with --numbers FILE), the findings from the project's README. The rest is read from the logs
by logs.py, which needs NESTBED. figures.py defines which figures there are, what they take and how they look; report/views.py prepares
those that the page draws, and report/pictures.py has all of them as plot.sh draws them. The page contains plotly.js and all data, and needs
no network. The same inputs give the same bytes.
Exit codes: 1 could not run or write, 2 bad input. Needs Debian's python3-pandas, python3-matplotlib,
python3-plotly and python3-scipy.
"""
import argparse
import base64
import concurrent.futures
import dataclasses
import gc
import gzip
import html
import json
import multiprocessing
import pathlib
import re
import sys

import pandas
import plotly.offline

import checked_output
import figure_parts as parts
import figure_style as style
import figures
import log_files
import logs
import tables
from checked_output import BadInput, ScriptError
from measures import AXES, MEASURES

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = pathlib.Path(__file__).resolve().parent / "report"
sys.path.insert(0, str(SOURCES))
import numbers_table  # noqa: E402  (beside the page's other sources)
import findings  # noqa: E402
import page_cases  # noqa: E402
import pictures  # noqa: E402
import views  # noqa: E402

EXECUTOR_TIMES = "The executor’s times say nothing about those of a GPU."  # as src/run/executor_times.hpp
SCRIPTS = ["data.js", "plots.js", "cards.js", "page.js"]
# What the page's scripts read of a figure, a picture, an axis and a measure.
OF_FIGURE = ["title", "note", "axes", "measures", "level"]
OF_PICTURE = ["name", "log", "machine", "workloads"]
OF_AXIS = ["name", "title", "field", "words", "powers", "on_cpu"]
OF_MEASURE = ["name", "label", "unit", "linear", "zero", "share"]


@dataclasses.dataclass
class Shown:
    """A log on the page. `taken`: for each of its parts, (the part, its cases on the page, {figure: the cases that it takes})."""
    path: pathlib.Path
    rows: pandas.DataFrame
    parts: list
    cases: pandas.DataFrame
    taken: list = dataclasses.field(default_factory=list)


def read(paths):
    """{path: Shown, or why it is left out} of logs. Raises logs.LogError."""
    found = {}
    for path in paths:
        log = logs.read_log(path)
        rows = log[~log["strategy"].str.startswith(logs.TEST_ONLY)]
        if len(rows):
            own = parts.parts_of(path, rows)
            found[path] = Shown(path, rows, own, page_cases.cases_of(path, own))
        else:
            found[path] = "all its strategies are there for tests" if len(log) else "it has no rows"
    return found


def logs_of(folder, beside):
    """[Shown] of the folder's logs, by name. Another process, `beside`, reads every second one. Raises BadInput, logs.LogError."""
    if not folder.is_dir():
        raise BadInput(f"{folder}: there is no such folder; allowed: a folder with logs of `nestbed run`")
    paths, others = logs.logs_in(folder)
    for path in [path for path in others if not pictures.is_table(path)]:
        print(f"report.sh: {path.name} is left out: it is not a log of `nestbed run`", file=sys.stderr)
    largest_first = sorted(paths, key=lambda path: -log_files.stored(path).stat().st_size)
    there = beside.submit(read, largest_first[1::2])
    found = read(largest_first[::2]) | there.result()
    for path in [path for path in paths if isinstance(found[path], str)]:
        print(f"report.sh: {path.name} is left out: {found.pop(path)}", file=sys.stderr)
    if not found:
        raise BadInput(f"{folder}: it has no log with rows (*.csv); allowed: a folder with logs of `nestbed run`")
    return [found[path] for path in paths if path in found]


def cases_of(shown):
    """The cases of all logs. Those of a part get the same index as on the page."""
    cases, end = pandas.concat([one.cases for one in shown], ignore_index=True), 0
    for one in shown:
        named = figures.named_in(one.path, one.rows)
        for part in one.parts:
            begin, end = end, end + len(part.cases)
            own = cases.iloc[begin:end]
            part.cases.index = own.index
            one.taken.append((part, own, figures.taken_in(own, named)))
    return cases


def pictures_of(folder, shown):
    """The figures of plot.sh: of each log, and of the folder's other tables."""
    found = [picture for one in shown for picture in pictures.of_log(one.path, [
        (part, own["machine"].iloc[0], taken) for part, own, taken in one.taken])]
    return found + [picture for path in logs.logs_in(folder)[1] for picture in pictures.of_table(path)]


def fields(one, names):
    return {name: getattr(one, name) for name in names}


def figures_of(shown, drawn):
    """The figures for the page's scripts, each with its views and its pictures: those of the table, then the others."""
    groups = [(own, taken) for one in shown for _, own, taken in one.taken]
    by_id = {figure.name: {**fields(figure, OF_FIGURE), "views": views.views_of(figure, groups) if figure.note else []} for figure in figures.FIGURES}
    for picture in drawn:
        other = {"title": picture.heading, "note": "", "axes": [], "measures": [], "level": "", "views": []}
        by_id.setdefault(picture.figure, other).setdefault("pictures", []).append(fields(picture, OF_PICTURE))
    return [{"pictures": [], **entry, "id": name} for name, entry in by_id.items() if entry["views"] or "pictures" in entry]


def workloads_of(cases, drawn):
    """The workloads of the page, that of the most logs first, with what each does. Last, if there are such figures, all together."""
    known, logs_with = tables.tables()["workloads"], cases.groupby("workload")["log"].nunique()
    names = sorted(logs_with.index, key=lambda name: (-logs_with[name], name))
    found = [{"name": name, "title": name or "others", "summary": known.get(name, {}).get("summary", "")} for name in names]
    if any(pictures.ALL in picture.workloads for picture in drawn):
        found.append({"name": pictures.ALL, "title": "all together", "summary": "figures of several workloads"})
    return found


def tables_of(cases):
    """The names, colours and words for the page's scripts."""
    most = cases.groupby("strategy")["launches"].max()
    return {
        "axes": {name: fields(axis, OF_AXIS) for name, axis in AXES.items()},
        "measures": {name: fields(measure, OF_MEASURE) for name, measure in MEASURES.items()},
        "families": [{"name": tables.family_text(name), **views.look(colour)} for name, colour in style.FAMILY_COLOURS.items()],
        "glyphs": views.GLYPHS,
        "racy": tables.names_with("strategies", "racy"),
        "strategies": {name: tables.family_text(style.family_of(name, most[name])) for name in sorted(most.index, key=style.rank_of)},
        "mechanisms": {name: one["words"] for name, one in tables.tables()["mechanisms"].items()},
        "fields": {name: parts.HEADINGS.get(name, name.replace("_", " ")) for name in ["log", *logs.case_columns()]},
        "filters": [*(name for name in tables.axis_columns() if name != "backend"), "log"],
    }


def is_in(statement, folder):
    """Whether the CSV of a statement is in the folder."""
    return (ROOT / "results" / statement["csv"]).resolve().parent == folder.resolve()


def statements_for(folder, options):
    """The numbers of this folder; for a folder elsewhere, our numbers compared with it. Raises BadInput and logs.LogError."""
    if options.numbers:
        try:
            return json.loads(options.numbers.read_text(encoding="utf-8"))["statements"]
        except OSError as error:
            raise BadInput(f"{options.numbers}: {error.strerror}") from error
        except (ValueError, KeyError) as error:
            raise BadInput(f"{options.numbers}: it has no statements: {error}") from error
    return numbers_table.statements_of(ROOT, folder.resolve())


def shown_name(folder):
    """The name of a folder for readers of the page: relative to the repository's root, or only its name."""
    folder = folder.resolve()
    return str(folder.relative_to(ROOT)) if folder.is_relative_to(ROOT) else folder.name


def values_of(found, column):
    """The values of a column of all logs, each once and in order, without an empty one."""
    return sorted(set().union(*(log[column].unique() for _, log in found)) - {""})


def facts_of(found):
    """The sentence that says what the page shows, and the facts about the logs: machines, days, commits, rows. As HTML."""
    days = [text[:10] for text in values_of(found, "utc")]
    rows = f"{sum(len(log) for _, log in found):,}".replace(",", "\u202f")
    gpus = ", ".join(values_of([(path, log[log["backend"] == "cuda"]) for path, log in found], "gpu"))
    what = "that launch their own work on the device, and the same work without that"
    about = (f"This page shows how long GPU programs take {what}: {rows} runs measured by nestbed on {html.escape(gpus)}." if gpus else
             f"This page shows GPU programs {what}: {rows} runs of nestbed’s executor, on a CPU.")
    if any((log["backend"] == "cpu").any() for _, log in found):
        about += f" {EXECUTOR_TIMES}"
    facts = {"Measured on": "; ".join(dict.fromkeys(machine for _, log in found for machine in logs.machine_of(log).split("; "))),
             "Measured": " to ".join(dict.fromkeys([*days[:1], *days[-1:]])),
             "nestbed at": ", ".join(values_of(found, "git")), "Logs": f"{len(found)}, with {rows} rows"}
    return about, "".join(f"<div><dt>{name}</dt><dd>{html.escape(text)}</dd></div>" for name, text in facts.items() if text)


def as_script(text):
    """JSON that no cell can break out of: escapes `<`, which could end a script element or begin a comment."""
    return text.replace("<", "\\u003c")


def packed_plotly():
    """plotly.js as text, compressed with gzip to a quarter of its size."""
    return base64.b64encode(gzip.compress(plotly.offline.get_plotlyjs().encode(), compresslevel=6, mtime=0)).decode()


def source(name):
    return (SOURCES / name).read_text(encoding="utf-8")


def page_of(folder, beside, options):
    """The text of the page. Its links are relative to the folder `beside`."""
    # Another processor reads half of the logs, then measures the statements, and compresses.
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as second:
        shown = logs_of(folder, second)
        listed, plotly_js = second.submit(statements_for, folder, options), second.submit(packed_plotly)
        cases = cases_of(shown)
        drawn = pictures_of(folder, shown)
        return page_with(folder, beside, shown, cases, drawn, listed, plotly_js, second.submit(pictures.data_of, drawn))


def page_with(folder, beside, shown, cases, drawn, listed, plotly_js, packed):
    found = [(one.path, one.rows) for one in shown]
    drawn_figures = figures_of(shown, drawn)
    columns = page_cases.joined([page_cases.columns_of(one.cases, one.rows) for one in shown])
    listed = listed.result()
    gpus = {gpu for _, log in found for gpu in log["gpu"].unique()}
    own = [statement for statement in listed if is_in(statement, folder) or statement["hardware"] in gpus - {""}]
    try:
        behind = numbers_table.rows_behind(own, {path.resolve() for path, _ in found}, ROOT / "results", beside)
    except logs.LogError as error:
        raise BadInput(f"a number uses a CSV that cannot be read: {error}") from error
    cards = findings.of_readme(ROOT, [statement for statement in own if not any("second" in number for number in statement["numbers"])], drawn, beside)
    data = {**tables_of(cases), "figures": drawn_figures, "pictures": packed.result(),
            "workloads": workloads_of(cases, drawn), "links": {path.name: numbers_table.link(path, beside) for path, _ in found},
            "commands": {path.name: logs.commands_of(path, log) for path, log in found},
            "numbers": behind, "whole": {text: whole for _, log in found for text, whole in log.attrs["whole"].items()}}
    name, (about, facts) = shown_name(folder), facts_of(found)
    texts = {"title": html.escape(f"nestbed: {name}"), "folder": html.escape(name), "facts": facts,
             "about": about, "findings": "\n".join(cards or findings.of_pictures(drawn)),
             "made": "What the documents say of these results, and the rows behind each number" if own else "None for this hardware",
             "numbers": numbers_table.table(own, listed, gpus, ROOT / "results", beside), "css": source("page.css"),
             "theme": source("theme.js"), "data": as_script(f'{{"cases":{columns},{page_cases.as_json(data)[1:]}'), "plotly": plotly_js.result(),
             "scripts": "\n".join(f"<script>\n{source(script)}</script>" for script in SCRIPTS)}
    # Replaces everything in one pass, so that the content of a cell is never taken for a placeholder.
    return re.sub(r"@(\w+)@", lambda match: texts.get(match[1], match[0]), source("page.html"))


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="report.sh", description="One page of HTML to explore a results folder.")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "results/h200", metavar="FOLDER",
                        help="with logs of nestbed run (results/h200)")
    parser.add_argument("-o", dest="out", type=pathlib.Path, metavar="FILE.html", help="(FOLDER/report.html)")
    parser.add_argument("--numbers", metavar="FILE.json", type=pathlib.Path,
                        help="the numbers, as JSON, instead of those of results/numbers.py")
    return parser.parse_args(arguments)


def main():
    options = options_of(sys.argv[1:])
    out = options.out or options.folder / "report.html"
    page = page_of(options.folder, out.resolve().parent, options).encode()
    try:
        logs.write_whole(out, page)
    except OSError as error:
        raise ScriptError(f"{out}: it cannot be written: {error.strerror}") from error
    print(f"report.sh: {out}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    gc.disable()  # saves a seventh of the time; what a page is made of is needed to the end
    checked_output.run("report.sh", main)
