"""The figures of plot.sh as pictures on the page of report.py. A file in figures/ beside the logs is taken if it was drawn from the logs as
they are now; otherwise the figure is drawn."""
import base64
import dataclasses
import functools
import gzip
import html
import re

import claim_evidence
import figures_graphs as graphs
import figures_mutants as mutants
import figures_pays as pays
import figures_predicted as predictions
import log_files
import logs

# Figures that are not of one log: their titles. Of a table: what it is, its figures, and how they are drawn.
ALL = "*"  # in place of a workload: figures of several workloads
MUTANTS = "mutants"
TABLES = [(graphs.is_frontiers, {graphs.FRONTIER: "The frontier of a graph, level by level"}, lambda path: [(graphs.FRONTIER, graphs.frontiers(path))]),
          (mutants.is_mutants, {MUTANTS: "Races that random orders show"}, lambda path: [(MUTANTS, mutants.figure_of(path))]),
          (pays.is_pays, {pays.NAME: "Does it pay to launch from the device?", pays.FLUSHED: "Does it pay, with the L2 cache flushed?"}, pays.drawn),
          (predictions.is_predictions, {predictions.ROOFLINE: "The launch roofline", predictions.PREDICTED: "Measured against predicted times"},
           predictions.drawn)]


@dataclasses.dataclass
class Picture:
    """`figure` is its name in the page's addresses, `heading` that of its card. `title` is the sentence above it. `log`, `machine` and
    `workloads` say where the page shows it: for the workloads (or ALL) of a machine, or of each machine if `machine` is empty."""
    name: str
    figure: str
    heading: str
    log: str
    machine: str
    workloads: list
    svg: bytes

    @functools.cached_property
    def title(self):
        """The bold lines of a figure."""
        lines = re.findall(r"<text [^>]*font: 700 12px[^>]*>([^<]*)<", self.svg.decode("utf-8", "replace"))
        return logs.seen(html.unescape(" ".join(lines)))

    def packed(self):
        return base64.b64encode(gzip.compress(self.svg, compresslevel=6, mtime=0)).decode()


def _kept(name, sources):
    """The bytes of a figure that plot.sh drew from these files as they are now; None if there are none."""
    path = sources[0].parent / "figures" / f"{name}.svg"
    if not log_files.is_there(path) or claim_evidence.source_of(path) != claim_evidence.sources_text(name, sources):
        return None
    with log_files.opened_bytes(path) as file:
        return file.read()


def _drawn(name, figure, sources):
    import plot  # matplotlib's backend and pillow, which a page of figures that are there does not need
    return plot.bytes_of(figure, "svg", claim_evidence.sources_text(name, sources))


def of_log(path, taken):
    """The pictures of a log. `taken`: for each of its parts, (part, machine, {figure: the cases that it takes}). Figures that share a file
    have the same picture."""
    found = []
    for part, machine, own in taken:
        for figure, cases in own.items():
            name = f"{path.name.removesuffix('.csv')}-{figure.file}{part.suffix}"
            svg = next((picture.svg for picture in found if picture.name == name), None) or _kept(name, [path]) or \
                _drawn(name, figure.draw(part, figure.find(part, cases), figure), [path])
            found.append(Picture(name, figure.name, figure.title, path.name, machine, list(dict.fromkeys(cases["workload"])), svg))
    return found


def _file_of(path, figure):
    """The name of a table's figure, as plot.sh names it."""
    if figure in (pays.NAME, pays.FLUSHED):
        return pays.file_of(path, figure)
    return path.stem if figure == MUTANTS else figure if path.stem == predictions.PREDICTED else f"{path.stem}-{figure}"


def is_table(path):
    return any(is_it(path) for is_it, _, _ in TABLES)


def of_table(path):
    """The pictures of a CSV that is not a log: of `nestbed info graph`, experiments/predicted.sh or experiments/pays.sh, or mutants of the race detector. Raises
    logs.LogError."""
    for is_it, headings, draw in TABLES:
        if is_it(path):
            sources = [path, path.parent / predictions.MODEL] if predictions.PREDICTED in headings else [path]
            svgs = {figure: _kept(_file_of(path, figure), sources) for figure in headings}
            if not any(svgs.values()):
                svgs = {figure: _drawn(_file_of(path, figure), made, sources) for figure, made in draw(path) if made}
            return [Picture(_file_of(path, figure), figure, headings[figure], path.name, "", [ALL], svg) for figure, svg in svgs.items() if svg]
    return []


def data_of(found):
    """{name: {title, svg}} for the page's scripts."""
    return {picture.name: {"title": picture.title, "svg": picture.packed()} for picture in found}
