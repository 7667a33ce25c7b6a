#!/usr/bin/python3
"""Draws the figures of nestbed's logs as SVG and PNG. experiments/plot.sh installs what this needs and runs it."""
import argparse
import io
import os
import pathlib
import sys

import matplotlib
import PIL.Image
import PIL.PngImagePlugin

matplotlib.use("Agg")

import checked_output  # noqa: E402 (after the choice of Agg)
import claim_evidence  # noqa: E402
import figure_parts  # noqa: E402
import figures_beside as beside  # noqa: E402
import figures_graphs as graphs  # noqa: E402
import figures  # noqa: E402
import figures_mutants as mutants  # noqa: E402
import figures_pays as pays  # noqa: E402
import figures_predicted as predictions  # noqa: E402
import figures_trace as traces  # noqa: E402
import logs  # noqa: E402
from checked_output import BadInput, ScriptError  # noqa: E402

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "results"
MOST_BYTES = 200 * 1024
DOTS_AN_INCH = 120


def say(text):
    print(f"plot.sh: {logs.said(text)}", file=sys.stderr)


def folders_of_results():
    """Folders under results/ with a log in them."""
    if not RESULTS.is_dir():
        return []
    return [folder for folder in sorted(RESULTS.iterdir()) if folder.is_dir() and logs.logs_in(folder)[0]]


def logs_of(folder):
    """The logs of a folder, sorted by name. Reports CSVs that nothing is drawn from."""
    found, others = logs.logs_in(folder)
    for path in [path for path in others if not any(is_it(path) for is_it in (graphs.is_frontiers, predictions.is_predictions, mutants.is_mutants))]:
        say(f"{near(path)} is not a log of `nestbed run`: left out")
    if not found:
        raise BadInput(f"{near(folder)}: no log of `nestbed run` in it")
    return found


def refuse_same_names(inputs):
    """Refuses two logs with the same name whose figures would go into one folder, because figures are named after
    their log."""
    taken = {}
    for given in inputs:
        for path in logs.logs_in(given)[0] if given.is_dir() else [given]:
            before = taken.setdefault(path.name.removesuffix(".csv"), path)
            if os.path.realpath(before) != os.path.realpath(path):
                raise BadInput(f"{near(before)} and {near(path)} would both be drawn as {path.stem}-…; allowed with -o: logs "
                                "that differ in name")


def near(path):
    """The path relative to the current folder if it is below it, otherwise in full."""
    path = pathlib.Path(os.path.abspath(path))
    here = pathlib.Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def bytes_of(figure, ending, source):
    """The bytes of a figure's file, always the same: without date and version, but with the source of the figure."""
    out = io.BytesIO()
    if ending == "png":
        figure.savefig(out, format="png", dpi=DOTS_AN_INCH, metadata={"Software": None})
        texts = PIL.PngImagePlugin.PngInfo()
        texts.add_text("Source", source)
        # Such a figure has at most 256 colours, except for blends at edges; the file has a third of the bytes.
        small = io.BytesIO()
        PIL.Image.open(out).convert("RGB").quantize(256, dither=PIL.Image.Dither.NONE).save(
            small, "png", optimize=True, pnginfo=texts, dpi=(DOTS_AN_INCH, DOTS_AN_INCH))
        return small.getvalue()
    for fonttype in ("path", "none"):  # text as text if its outlines take too many bytes
        out = io.BytesIO()
        with matplotlib.rc_context({"svg.fonttype": fonttype}):
            figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Source": source})
        if len(out.getvalue()) < MOST_BYTES:
            break
    return out.getvalue().replace(b"'DejaVu Sans'", b"'DejaVu Sans', sans-serif")


def write(folder, name, content):
    try:
        logs.write_whole(folder / name, content)
    except OSError as error:
        raise ScriptError(f"{near(folder / name)} cannot be written: {error.strerror}") from error
    print(near(folder / name), flush=True)


def write_figure(folder, name, figure, source):
    for ending in ("svg", "png"):
        write(folder, f"{name}.{ending}", bytes_of(figure, ending, source))


def draw_log(path, out):
    """Draws and writes all figures of a log. Returns their titles; None for a log without rows."""
    log = logs.read_log(path)
    if not len(log):
        say(f"{near(path)}: it has a header and no rows: no figure")
        return None
    made = figures.drawn(path, log)
    for name, figure in {name: figure for _, name, figure in made}.items():
        write_figure(out or path.parent / "figures", name, figure, claim_evidence.sources_text(name, [path]))
    return {figure.title for figure, _, _ in made}


def draw_folder(folder, out):
    found = set()
    for path in logs_of(folder):
        found |= draw_log(path, out) or set()
    draw_pays(folder, out)
    for path in logs.logs_in(folder)[1]:
        draw_other(path, out)
    for figure in figures.FIGURES:
        if figure.title not in found:
            say(f"no figure \"{figure.title}\": no log here has {figure.needs}; "
                f"`{figure.command}` makes one")


def draw_pays(folder, out):
    """Draws what all logs of irregular workloads together say, one figure and one table per device."""
    for number, taken in enumerate(pays.works_of(folder)):
        figure = pays.drawn(taken)
        if figure:
            name = pays.NAME + (f"-{number + 1}" if number else "")
            source = claim_evidence.sources_text(name, [pathlib.Path(part.path) for part, _ in taken])
            write_figure(out or folder / "figures", name, figure, source)
            write(out or folder, f"{name}.csv", pays.table(taken).encode())


def draw_other(path, out):
    """Draws a trace, a CSV of `nestbed graph`, or a table of experiments/predicted.sh or of mutants. Returns whether there is a figure; None
    for any other file."""
    if path.suffix == ".json":
        found, sources, lack = [(path.stem, traces.figure_of(path))], [path], "no grid that ran"
    elif mutants.is_mutants(path):
        found, sources, lack = [(path.stem, mutants.figure_of(path))], [path], "a header and no rows"
    elif graphs.is_frontiers(path):
        found, sources, lack = [(f"{path.stem}-{graphs.FRONTIER}", graphs.frontiers(path))], [path], "a header and no rows"
    elif predictions.is_predictions(path):
        first = "" if path.stem == predictions.PREDICTED else f"{path.stem}-"
        found = [(first + name, figure) for name, figure in predictions.drawn(path)]
        sources, lack = [path, path.parent / predictions.MODEL], "no case with a measured time"
    else:
        return None
    found = [(name, figure) for name, figure in found if figure]
    if not found:
        say(f"{near(path)}: it has {lack}: no figure")
    for name, figure in found:
        write_figure(out or path.parent / "figures", name, figure, claim_evidence.sources_text(name, sources))
    return bool(found)


def figures_beside(first, second, stem):
    """[(file name, figure, its source)] of a log that both folders have."""
    paths = [folder / f"{stem}.csv" for folder in (first, second)]
    found = []
    for pair in beside.pairs_of(*(figure_parts.parts_of(path, logs.read_log(path)) for path in paths)):
        for name, figure in beside.drawn(stem, pair, [logs.cut(folder.resolve().name) for folder in (first, second)]):
            sources = [f"{path.parent.resolve().name}/{path.name}, SHA-256 {claim_evidence.sha256_of(path)}" for path in paths]
            found.append((name, figure, f"{name} of {' and '.join(sources)}"))
    return found


def draw_beside(first, second, out):
    """Draws the logs that both folders have, with both machines in each figure. Raises ScriptError."""
    stems = [{path.stem for path in logs_of(folder)} for folder in (first, second)]
    both = sorted(stems[0] & stems[1])
    drawn = 0
    for stem in both:
        found = figures_beside(first, second, stem)
        for name, figure, source in found:
            write_figure(out or second / f"beside-{first.resolve().name}", name, figure, source)
        drawn += len(found)
        if not found:
            say(f"{stem}.csv: {near(first)} and {near(second)} have no cases of the same backend that a figure could compare")
    if not drawn:
        raise ScriptError(f"{near(first)} and {near(second)} have no figure in common; the first has {', '.join(sorted(stems[0]))}, "
                        f"the second {', '.join(sorted(stems[1]))}")
    return 0


def main():
    parser = argparse.ArgumentParser(
        prog="plot.sh", description="Redraws every figure from logs of `nestbed run` alone, as SVG and PNG.",
        epilog="Exit codes: 0 all drawn, 1 something could not be drawn or written, 2 a bad option, or a file that is not a log.")
    parser.add_argument("inputs", nargs="*", type=pathlib.Path, metavar="FILE|FOLDER",
                        help="logs, traces, or folders of logs; two folders: each log that both have, the two machines side by side, into "
                        "beside-FIRST/ of the second; without one, every folder under results/ that holds logs")
    parser.add_argument("-o", "--output", type=pathlib.Path, metavar="FOLDER",
                        help="where figures go; default: figures/ beside each log")
    parser.add_argument("--setup", action="store_true", help="only install what drawing needs (done by plot.sh)")
    given = parser.parse_args()
    if given.setup:
        return 0
    inputs = given.inputs or folders_of_results()
    if not inputs:
        say(f"no folder with a log under {near(RESULTS)}; `experiments/run.sh` makes one")
        return 1
    if len(inputs) == 2 and all(path.is_dir() for path in inputs) and not inputs[0].samefile(inputs[1]):
        return draw_beside(*inputs, given.output)
    if given.output:
        refuse_same_names(inputs)
    return max(checked_output.ended("plot.sh", lambda path=path: draw_input(path, given.output)) for path in inputs)


def draw_input(path, out):
    """Returns an exit code."""
    if path.is_dir():
        draw_folder(path, out)
        return 0
    drawn = draw_other(path, out)
    if drawn is not None:
        return 0 if drawn else 1
    titles = draw_log(path, out)
    if titles == set():
        say(f"{near(path)}: no figure suits its cases; a workload names those that suit it (WorkloadInfo::figures)")
    return 1 if titles is None else 0


if __name__ == "__main__":
    checked_output.run("plot.sh", main)
