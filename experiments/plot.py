#!/usr/bin/python3
"""Draws the figures of nestbed's logs. experiments/plot.sh installs what this needs and runs it."""
import argparse
import dataclasses
import functools
import io
import os
import pathlib
import shlex
import sys

import matplotlib
import PIL.Image
import PIL.PngImagePlugin

matplotlib.use("Agg")

import checked_output  # noqa: E402 (after the choice of Agg)
import figure_sources  # noqa: E402
import figure_parts  # noqa: E402
import figures_beside as beside  # noqa: E402
import figures_chosen as chosen  # noqa: E402
import figures  # noqa: E402
import figures_tables  # noqa: E402
import log_files  # noqa: E402
import logs  # noqa: E402
import measures  # noqa: E402
import tables  # noqa: E402
from checked_output import BadInput, ScriptError  # noqa: E402

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "results"
DOTS_AN_INCH = 120  # of a page of the width of a README
DOTS_IN_PRINT = 300  # of a figure with a width of its own
FORMATS = ("svg", "png", "pdf")


@dataclasses.dataclass(frozen=True)
class Output:
    """Where figures go, and as which files. `folder`: None: a folder beside what is drawn."""
    folder: pathlib.Path
    endings: tuple = ("svg", "png")
    dots: int = DOTS_AN_INCH

    def write(self, beside, name, content):
        folder = self.folder or beside
        try:
            logs.write_whole(folder / name, content)
        except OSError as error:
            raise ScriptError(f"{path_text(folder / name)} cannot be written: {error.strerror}") from error
        print(path_text(folder / name), flush=True)

    def write_figure(self, beside, name, figure, source):
        for ending in self.endings:
            self.write(beside, f"{name}.{ending}", bytes_of(figure, ending, source, self.dots))


def say(text):
    print(f"plot.sh: {logs.printable_lines(text)}", file=sys.stderr)


def folders_of_results():
    """Folders under results/ with a log in them."""
    if not RESULTS.is_dir():
        return []
    return [folder for folder in sorted(RESULTS.iterdir()) if folder.is_dir() and logs.logs_in(folder)[0]]


def logs_of(folder):
    """The logs of a folder, sorted by name. Reports CSVs that nothing is drawn from."""
    found, others = logs.logs_in(folder)
    for path in [path for path in others if figures_tables.table_of(path) is None]:
        say(f"{path_text(path)} is not a log of `nestbed run`: left out")
    if not found:
        raise BadInput(f"{path_text(folder)}: no log of `nestbed run` in it")
    return found


def refuse_same_names(inputs):
    """Refuses two logs with the same name whose figures would go into one folder, because figures are named after
    their log."""
    taken = {}
    for given in inputs:
        for path in logs.logs_in(given)[0] if given.is_dir() else [given]:
            before = taken.setdefault(path.name.removesuffix(".csv"), path)
            if os.path.realpath(before) != os.path.realpath(path):
                raise BadInput(f"{path_text(before)} and {path_text(path)} would both be drawn as {path.stem}-…; allowed with -o: logs "
                                "that differ in name")


def path_text(path):
    """The path relative to the current folder if it is below it, otherwise in full."""
    path = pathlib.Path(os.path.abspath(path))
    here = pathlib.Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def bytes_of(figure, ending, source, dots=DOTS_AN_INCH):
    """The bytes of a figure's file, always the same: without date and version, but with the source of the figure."""
    out = io.BytesIO()
    if ending == "pdf":
        with matplotlib.rc_context({"pdf.fonttype": 42}):  # TrueType: publishers refuse fonts of Type 3
            figure.savefig(out, format="pdf", metadata={"CreationDate": None, "Creator": None, "Producer": None, "Subject": source})
        return out.getvalue()
    if ending == "png":
        figure.savefig(out, format="png", dpi=dots, metadata={"Software": None})
        texts = PIL.PngImagePlugin.PngInfo()
        texts.add_text("Source", source)
        # Such a figure has at most 256 colours, except for blends at edges; the file has a third of the bytes.
        small = io.BytesIO()
        PIL.Image.open(out).convert("RGB").quantize(256, dither=PIL.Image.Dither.NONE).save(
            small, "png", optimize=True, pnginfo=texts, dpi=(dots, dots))
        return small.getvalue()
    with matplotlib.rc_context({"svg.fonttype": "none"}):  # text as text: outlines take several times the bytes
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Source": source})
    return out.getvalue().replace(b"'DejaVu Sans'", b"'DejaVu Sans', sans-serif")


def draw_log(path, out):
    """Draws and writes all figures of a log. Returns their titles; None for a log without rows."""
    log = logs.read_log(path)
    if not len(log):
        say(f"{path_text(path)}: it has a header and no rows: no figure")
        return None
    made = figures.drawn(path, log)
    for text in [*hints_of(path, log), *figures.not_drawn(path, log, made)]:
        say(f"{path_text(path)}: {text}")
    for name, figure in {name: figure for _, name, figure in made}.items():
        out.write_figure(path.parent / "figures", name, figure, figure_sources.sources_text(name, [path]))
    return {figure.title for figure, _, _ in made}


def hints_of(path, log):
    """What is missing to draw the log of a user's own workload."""
    unknown = sorted(set(log["strategy"]) - set(tables.tables()["strategies"]))
    if not unknown:
        return []
    runs = [run for run in logs.manifest_of(path).get("runs", {}).values() if isinstance(run, dict)]
    folders = sorted({str(pathlib.Path(file).parent.parent) for run in runs for file in (run.get("modules") or {})})
    if not folders and not set(log["workload"][log["strategy"].isin(unknown)]) - {"", *tables.tables()["workloads"]}:
        return []  # a strategy of an older nestbed
    return [f"this nestbed has no strategy '{logs.printable(unknown[0])}'; with a workload of your own: NESTBED_LOAD={':'.join(folders) or 'FOLDER'} before the command"]


def draw_folder(folder, out):
    found = set()
    for path in logs_of(folder):
        found |= draw_log(path, out) or set()
    for path in logs.logs_in(folder)[1]:
        draw_other(path, out)
    for figure in figures.FIGURES:
        if figure.title not in found:
            say(f"no figure \"{figure.title}\": no log here has {figure.needs}; "
                f"`{figure.command}` makes one")


def draw_other(path, out):
    """Draws a trace or a table (figures_tables.TABLES). Returns whether there is a figure; None for any other file."""
    if path.suffix == ".json":
        found, sources, lack = figures_tables.trace(path), [path], "no grid that ran"
    elif table := figures_tables.table_of(path):
        _, headings, draw, lack = table
        found, sources = [(figures_tables.file_of(path, name), figure) for name, figure in draw(path)], figures_tables.sources_of(path, headings)
    else:
        return None
    if not found:
        say(f"{path_text(path)}: it has {lack}: no figure")
    for name, figure in found:
        out.write_figure(path.parent / "figures", name, figure, figure_sources.sources_text(name, sources))
    return bool(found)


def figures_beside(first, second, stem):
    """[(file name, figure, its source)] of a log that both folders have."""
    paths = [folder / f"{stem}.csv" for folder in (first, second)]
    found = []
    for pair in beside.pairs_of(*(figure_parts.parts_of(path, logs.read_log(path)) for path in paths)):
        for name, figure in beside.drawn(stem, pair, [logs.shortened(folder.resolve().name) for folder in (first, second)]):
            sources = [f"{path.parent.resolve().name}/{path.name}, SHA-256 {log_files.sha256_of(path)}" for path in paths]
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
            out.write_figure(second / f"beside-{first.resolve().name}", name, figure, source)
        drawn += len(found)
        if not found:
            say(f"{stem}.csv: {path_text(first)} and {path_text(second)} have no cases of the same backend that a figure could compare")
    if not drawn:
        raise ScriptError(f"{path_text(first)} and {path_text(second)} have no figure in common; the first has {', '.join(sorted(stems[0]))}, "
                        f"the second {', '.join(sorted(stems[1]))}")
    return 0


# The options of a chosen figure, which --x asks for.
CHOOSE = {
    "--x": {"metavar": "COLUMN", "help": "draw a figure of this column of the log (an axis, or any numbers) in place of the usual ones"},
    "--y": {"metavar": "COLUMN", "help": f"against it: a column of numbers, or one of {', '.join(measures.MEASURES)}; default: time"},
    "--series": {"metavar": "COLUMNS", "action": "append", "help": "a line for each of their values, separated by comma; default: what varies"},
    "--facet": {"metavar": "COLUMNS", "action": "append", "help": "a panel for each of their values"},
    "--of": {"metavar": "PATTERNS", "action": "append", "help": "only these strategies, such as 'quick_*'"},
    "--where": {"metavar": "COLUMN=VALUES", "action": "append", "help": "only cases with these values, such as elements=2^20,64k; may be repeated"},
    "--best": {"action": "store_true", "help": "of several cases at one point draw the fastest; otherwise they are an error"},
    "--no-title": {"action": "store_true", "help": "leave out the title and the caption, and print the caption"},
    "--width": {"metavar": "LENGTH", "help": f"width, such as 84mm or 3.3in; {chosen.NARROWEST}mm to {chosen.WIDEST}mm; a PNG then has "
                f"{DOTS_IN_PRINT} dots per inch"},
}


def parsed(words=None):
    """The options, of the command line or of `words`. Raises BadInput."""
    parser = argparse.ArgumentParser(
        prog="plot.sh", description="Redraws every figure from logs of `nestbed run` alone, as SVG and PNG; or, with --x, one of your choice.",
        epilog="Exit codes: 0 all drawn, 1 something could not be drawn or written, 2 a bad option, or a file that is not a log.")
    parser.add_argument("inputs", nargs="*", type=log_files.named, metavar="FILE|FOLDER",
                        help="logs, traces, or folders of logs; two folders: each log that both have, the two machines side by side, into "
                        "beside-FIRST/ of the second; without one, every folder under results/ that holds logs")
    parser.add_argument("-o", "--output", type=pathlib.Path, metavar="FOLDER",
                        help="where figures go; default: figures/ beside each log")
    for ending in FORMATS:
        parser.add_argument(f"--{ending}", action="append_const", const=ending, dest="endings",
                            help=f"write {ending.upper()}" + (" (default: SVG and PNG)" if ending == FORMATS[0] else ""))
    group = parser.add_argument_group("a figure of your choice")
    for option, more in CHOOSE.items():
        group.add_argument(option, **more)
    parser.add_argument("--setup", action="store_true", help="only install what drawing needs (done by plot.sh)")
    given = parser.parse_args(words)
    used = {option: value for option in CHOOSE if (value := getattr(given, option[2:].replace("-", "_"))) not in (None, False)}
    if given.x is None and used:
        raise BadInput(f"{next(iter(used))} needs --x, the column along which a figure of your choice is drawn")
    if given.x is not None and (not given.inputs or any(path.is_dir() for path in given.inputs)):
        raise BadInput("--x takes logs; allowed: plot.sh LOG.csv... --x COLUMN")
    given.words = shlex.join(word for option, value in used.items() for one in (value if isinstance(value, list) else [value])
                             for word in ([option] if one is True else [option, one]))
    return given


def main():
    given = parsed()
    if given.setup:
        return 0
    out = Output(given.output, tuple(given.endings or ("svg", "png")), DOTS_AN_INCH if given.width is None else DOTS_IN_PRINT)
    inputs = given.inputs or folders_of_results()
    if not inputs:
        say(f"no folder with a log under {path_text(RESULTS)}; `experiments/run.sh` makes one")
        return 1
    if len(inputs) == 2 and all(path.is_dir() for path in inputs) and not inputs[0].samefile(inputs[1]):
        return draw_beside(*inputs, out)
    if given.output:
        refuse_same_names(inputs)
    draw = draw_input
    if given.x is not None:
        choice = chosen.chosen(given)
        draw = functools.partial(draw_chosen, choice=choice)
    return max(checked_output.ended("plot.sh", lambda path=path: draw(path, out)) for path in inputs)


def draw_chosen(path, out, choice):
    """Returns an exit code."""
    for name, figure, caption in chosen.drawn(path, choice):
        out.write_figure(path.parent / "figures", name, figure, f"{figure_sources.sources_text(name, [path])}; plot.sh {choice.words}")
        if choice.bare:
            say(f"{name}: {caption}")
    return 0


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
        say(f"{path_text(path)}: no figure suits its cases; a workload names those that suit it (WorkloadInfo::figures)")
    return 1 if titles is None else 0


if __name__ == "__main__":
    checked_output.run("plot.sh", main)
