"""The figures of plot.sh as pictures on the page of report.py. A file in figures/ beside the logs is taken if it was drawn from the logs as
they are now; otherwise the figure is drawn."""
import base64
import dataclasses
import functools
import gzip
import html
import re

import figure_sources
import figures_tables
import log_files
import logs

ALL = "*"  # in place of a workload: figures of several workloads


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
        return logs.printable(html.unescape(" ".join(lines)))

    def packed(self):
        return base64.b64encode(gzip.compress(self.svg, compresslevel=6, mtime=0)).decode()


def _kept(name, sources):
    """The bytes of a figure that plot.sh drew from these files as they are now; None if there are none."""
    path = sources[0].parent / "figures" / f"{name}.svg"
    if not log_files.is_there(path) or figure_sources.source_of(path) != figure_sources.sources_text(name, sources):
        return None
    with log_files.opened_bytes(path) as file:
        return file.read()


def _drawn(name, figure, sources):
    import plot  # matplotlib's backend and pillow, which a page of figures that are there does not need
    return plot.bytes_of(figure, "svg", figure_sources.sources_text(name, sources))


def of_log(path, taken):
    """The pictures of a log. `taken`: for each of its parts, (part, machine, {figure: the cases that it takes}). Figures that share a file
    have the same picture."""
    found = []
    for part, machine, own in taken:
        for figure, cases in own.items():
            name = f"{path.name.removesuffix('.csv')}-{figure.file}{part.suffix}"
            svg = next((picture.svg for picture in found if picture.name == name), None) or _kept(name, [path]) or \
                _drawn(name, figure.drawn(part, cases), [path])
            found.append(Picture(name, figure.name, figure.title, path.name, machine, list(dict.fromkeys(cases["workload"])), svg))
    return found


def is_table(path):
    return figures_tables.table_of(path) is not None


def of_table(path):
    """The pictures of a CSV that is not a log (figures_tables.TABLES). Raises logs.LogError."""
    if not is_table(path):
        return []
    _, headings, draw, _ = figures_tables.table_of(path)
    sources, names = figures_tables.sources_of(path, headings), {figure: figures_tables.file_of(path, figure) for figure in headings}
    svgs = {figure: _kept(name, sources) for figure, name in names.items()}
    if not any(svgs.values()):
        svgs = {figure: _drawn(names[figure], made, sources) for figure, made in draw(path)}
    return [Picture(names[figure], figure, headings[figure], path.name, "", [ALL], svg) for figure, svg in svgs.items() if svg]


def data_of(found):
    """{name: {title, svg}} for the page's scripts."""
    return {picture.name: {"title": picture.title, "svg": picture.packed()} for picture in found}
