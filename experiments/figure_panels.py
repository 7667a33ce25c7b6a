"""What all figures are drawn by: panels of lines along an axis (`draw`), and rows of dots with texts beside them (`draw_rows`)."""
import collections
import dataclasses
import typing

import pandas
from matplotlib.patches import Rectangle

import figure_parts as parts
import figure_style as style
from figure_style import Sheet

LINE_HEIGHT = 0.205


@dataclasses.dataclass
class Panel:
    """Axes with lines (parts.Line), whose cases have columns `y`, and `y_low` and `y_high` if there are intervals. `x` and `y`: the kinds of the
    axes (style.set_axis). `xs` and `ys`: what they must show besides the lines. `across`: [(y, label, colour)], dashed lines for comparison.
    `ends`: a line has its label at its end. `crosses`: there is an × above the panel where a line has no value, in a strip with room for at least
    so many lines; None: no strip. `more`: draws what else is on the axes."""
    title: str
    lines: list
    xlabel: str
    ylabel: str
    x: object = "swept"
    y: object = "log"
    xs: object = ()
    ys: object = ()
    across: object = ()
    ends: bool = True
    crosses: int = None
    xtext: typing.Callable = style.grouped
    pad: float = 1.12
    more: typing.Callable = None

    def labels(self):
        return [*(line.label for line in self.lines), *(label for _, label, _ in self.across)] if self.ends else []


def nothing_timed(title, part, shown):
    """An empty figure with a sentence, for a figure whose rows are there but have no time."""
    sheet = Sheet(title)
    axes = sheet.add(0.6, 0.1, style.WIDTH - 0.8, 1.5)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.text(0.5, 0.5, f"Nothing to draw: none of these {style.grouped(shown['rows'].sum())} rows has a time "
              f"({parts.status_text(shown)}).", ha="center", va="center", transform=axes.transAxes)
    return sheet.finish(parts.caption_of(part, shown), bottom=0.1)


# --- lines --------------------------------------------------------------------------------------------------------------------


def measured(cases, scale=1.0, of=("us", "low", "high")):
    """The cases with their time as y, in units of `scale`, which may be one number for each case."""
    return cases.assign(**{name: cases[column] / scale for name, column in zip(("y", "y_low", "y_high"), of)})


def is_hollow(case):
    """Whether a GPU log has of a case only the time of the host's clock, for which its mark is hollow."""
    return case.get("clock") == "wall" and case.get("backend") == "cuda"


def draw_line(axes, line):
    timed = line.cases[line.cases["y"].notna()]
    hollow = line.hollow or len(timed) > 0 and is_hollow(timed.iloc[0])
    axes.plot(line.x, line.cases["y"], color=line.colour, linestyle=line.dash, linewidth=line.width, marker=line.mark, markersize=2.8 + line.width,
              clip_on=False, markerfacecolor="white" if hollow else line.colour, markeredgewidth=0.8, zorder=3)
    if "y_low" in line.cases:
        style.intervals(axes, line.x, line.cases["y_low"], line.cases["y_high"], color=line.colour, linewidth=1.1, zorder=2)


def refused(lines):
    """The lines that have a point without a value."""
    return [line for line in lines if line.cases["y"].isna().any()]


def _mark_refused(axes, lines, rows):
    """An × at each x without a value, in a grey strip above the plot, one row for each line that has one. Extends the y axis for the strip."""
    without = refused(lines)
    rows = max(rows, len(without))
    if not rows:
        return
    step = min(0.055, 0.5 / rows)
    strip = step * rows + 0.02
    low, high = axes.get_ylim()
    if axes.get_yscale() == "log":
        axes.set_ylim(low, low * (high / low) ** (1 / (1 - strip)))
    else:
        axes.set_yticks([tick for tick in axes.get_yticks() if low <= tick <= high])
        axes.set_ylim(low, low + (high - low) / (1 - strip))
    if without:
        axes.add_patch(Rectangle((0, 1 - strip), 1, strip, color="#F3F3F3", linewidth=0, transform=axes.transAxes, zorder=1.5))
    for place, line in enumerate(without):
        at = [x for x, y in zip(line.x, line.cases["y"]) if pandas.isna(y)]
        axes.plot(at, [1 - 0.01 - step * (place + 0.5)] * len(at), "x", color=line.colour, markersize=5, markeredgewidth=1.3,
                  transform=axes.get_xaxis_transform(), clip_on=False, zorder=4)


def _ends(panel):
    """[(x, y, label, colour)] for Sheet.end_labels: at the last value of each line that has one."""
    found = [[(x, y, line.label, line.colour) for x, y in zip(line.x, line.cases["y"]) if pandas.notna(y)][-1:] for line in panel.lines]
    last = max((x for line in panel.lines for x in line.x), default=0)
    return [*(end for ends in found for end in ends), *((last, y, label, colour) for y, label, colour in panel.across if label)]


def _draw_panel(sheet, axes, panel):
    drawn = [line.cases[name] for line in panel.lines for name in ("y", "y_low", "y_high") if name in line.cases]
    values = [value for column in drawn for value in column if value == value]
    style.set_axis(axes, "y", panel.y, [*values, *panel.ys, *(y for y, _, _ in panel.across)], sheet.height_of(axes), pad=panel.pad)
    xs = [*panel.xs, *(x for line in panel.lines for x in line.x)]
    style.set_axis(axes, "x", panel.x, xs, sheet.width_of(axes), panel.xtext)
    if panel.crosses is not None:
        _mark_refused(axes, panel.lines, panel.crosses)
    for line in panel.lines:
        draw_line(axes, line)
    for y, _, colour in panel.across:
        axes.axhline(y, color=colour, linestyle=(0, (6, 2)), linewidth=1, zorder=1)
    if panel.lines and not values and panel.crosses is not None:
        axes.set_yticks([])
        cases = pandas.concat([line.cases for line in panel.lines])
        axes.text(0.5, 0.4, f"no run has a time ({parts.status_text(cases)})", ha="center", transform=axes.transAxes)
    if panel.more:
        panel.more(axes)
    if panel.ends:
        sheet.end_labels(axes, _ends(panel))
    axes.set_xlabel(panel.xlabel)


def draw(title, panels, caption, *, key=(), subtitle="", notes=(), columns=0, height=0.0, left=0.72, shares=None, shared=False, width=style.WIDTH,
         bare=False, below=0.42):
    """A figure of panels, row by row; a panel is as wide as its column and those after it that are None. `left`: inches for the ticks of y.
    `shares`: of the width, by column. `shared`: the panels of a row have one y axis. `below`: inches for the ticks of x."""
    sheet = Sheet(title, key, subtitle, width, bare)
    columns = columns or (1 if len(panels) == 1 else 2)

    def last_column(place):
        """Where a panel ends that is as wide as its column and the empty ones after it."""
        last = place
        while (last + 1) % columns and panels[last + 1:last + 2] == [None]:
            last += 1
        return last % columns

    labels = [[row for place, panel in enumerate(panels) if panel and last_column(place) == column for label in panel.labels() for row in label.split("\n")]
              for column in range(columns)]
    rooms = [max((style.text_width(row, 8) for row in rows), default=-0.2) + 0.32 for rows in labels]
    lefts = [left if not (shared and column) else 0.16 for column in range(columns)]
    free = width - style.MARGIN - sum(rooms) - sum(lefts)
    inner = [free * share for share in shares or [1 / columns] * columns]
    starts = [sum(lefts[:column + 1]) + sum(inner[:column]) + sum(rooms[:column]) for column in range(columns)]
    most = max(sum(label.count("\n") + 1 for label in panel.labels()) for panel in panels if panel)
    height = max(height or (3.2 if len(panels) <= columns else 2.4), 0.165 * most)
    lines = max(len(list(filter(None, panel.title.split("\n")))) for panel in panels if panel)
    head = 0.1 + 0.22 * bool(lines) + 0.17 * (lines > 1)
    for place, panel in enumerate(panels):
        row, column = divmod(place, columns)
        if panel:
            last = last_column(place)
            axes = sheet.add(starts[column], head + row * (height + head + below + 0.12), starts[last] + inner[last] - starts[column], height, panel.title)
            _draw_panel(sheet, axes, panel)
            axes.set_ylabel("" if column and panels[place - 1] and panels[place - 1].ylabel == panel.ylabel else panel.ylabel)
            axes.tick_params(labelleft=not (shared and column))
    return sheet.finish([*notes, *caption], below + 0.08)


# --- rows ---------------------------------------------------------------------------------------------------------------------


Dot = collections.namedtuple("Dot", "x colour mark low high hollow size shift", defaults=("o", float("nan"), float("nan"), False, 6, 0.0))


@dataclasses.dataclass
class Row:
    """`names`: texts at the left, `texts`: at the right, in columns. `failed`: words beside an ×, if it has no dot. `linked`: its dots are
    connected."""
    names: tuple
    dots: list
    texts: tuple = ()
    colour: object = style.INK
    failed: str = ""
    linked: bool = False


def row_height(rows, step=LINE_HEIGHT):
    return step * len(rows) + 0.1


def _columns(texts, heads, size):
    """The widths of columns of texts in inches."""
    return [max(style.text_width(text, size) for text in column) for column in zip(*texts, *([heads] if heads else []))]


def add_rows(sheet, rows, top, left, width, xlabel, *, x="fit", xs=(), across=None, heads=(), title="", step=LINE_HEIGHT, size=8.5, pad=1.12,
               more=None):
    """A panel of rows, the first at the top, in a strip of the sheet. `heads`: of the columns. `across`: a line to compare the dots with. `more`:
    draws what else is on the axes."""
    names = _columns([row.names for row in rows], heads[:len(rows[0].names)], size)
    texts = _columns([row.texts for row in rows], heads[len(rows[0].names):], 8)
    start = style.MARGIN + sum(names) + 0.14 * len(names)
    room = sum(texts) + 0.16 * len(texts) + style.MARGIN
    height, inner = row_height(rows, step), width - start - room
    axes = sheet.add(left + start, top, inner, height)
    dots = [dot for row in rows for dot in row.dots]
    values = [value for dot in dots for value in (dot.x, dot.low, dot.high) if value == value]
    style.set_axis(axes, "x", x, [*xs, *values, *([] if across is None else [across])], inner, pad=pad)
    if not values and not xs:
        axes.set_xticks([])
    if across is not None:
        axes.axvline(across, color=style.INK, linewidth=1, zorder=1)
    at = {"transform": axes.get_yaxis_transform(), "va": "center_baseline"}
    head = {"transform": axes.transAxes, "fontsize": 8, "color": "#777777", "va": "bottom"}
    above = 1 + 0.06 / height
    lefts = [(sum(names[:place]) + 0.14 * place - start + style.MARGIN) / inner for place in range(len(names))]
    rights = [1 + (sum(texts[:place + 1]) + 0.16 * (place + 1)) / inner for place in range(len(texts))]
    for place, text in enumerate(heads):
        axes.text((lefts + rights)[place], above, text, ha="left" if place < len(names) else "right", **head)
    if title:
        axes.set_title(title, loc="left", x=lefts[0], fontsize=9, fontweight="bold", color="#444444", pad=5)
    for place, row in enumerate(rows):
        for number, (text, x_of) in enumerate(zip(row.names, lefts)):
            axes.text(x_of, place, text, fontsize=size if not number else 8, color="#777777" if number else row.colour, **at)
        for text, x_of in zip(row.texts, rights):
            axes.text(x_of, place, text, fontsize=8, ha="right", **at)
        if row.linked:
            axes.plot([dot.x for dot in row.dots], [place] * len(row.dots), color="#BBBBBB", linewidth=1.4, zorder=1)
        for dot in row.dots:
            style.intervals(axes, [place + dot.shift], [dot.low], [dot.high], up=False, color=dot.colour, linewidth=2.2, alpha=0.55, zorder=2)
            axes.plot([dot.x], [place + dot.shift], dot.mark, color=dot.colour, markersize=dot.size, clip_on=False, zorder=3,
                      markerfacecolor="white" if dot.hollow else dot.colour, markeredgewidth=1 if dot.hollow or dot.mark == "|" else 0.5,
                      markeredgecolor=dot.colour if dot.hollow or dot.mark == "|" else "white")
        if row.failed:
            axes.plot([0.0], [place], "x", color=row.colour, markersize=6, markeredgewidth=1.6, clip_on=False, transform=axes.get_yaxis_transform(),
                      zorder=4)
            axes.annotate(row.failed, (0.0, place), (9, 0), xycoords=axes.get_yaxis_transform(), textcoords="offset points", fontsize=8,
                          color=row.colour, va="center_baseline")
    axes.set_yticks(range(len(rows)), [""] * len(rows))
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(xlabel)
    if more:
        more(axes)


def draw_rows(title, panels, caption, *, key=(), subtitle="", notes=(), columns=1, top=0.0, **look):
    """A figure of panels of rows: [(rows, options of add_rows)], below each other in columns, each in the shorter one. `look`: the options that
    they share."""
    sheet = Sheet(title, key, subtitle)
    tops, pitch = [top or (0.25 if len(panels) == 1 else 0.3)] * columns, sheet.width / columns
    for rows, own in panels:
        column = tops.index(min(tops))
        add_rows(sheet, rows, tops[column], column * pitch, pitch, **{**look, **own})
        tops[column] += row_height(rows, look.get("step", LINE_HEIGHT)) + 0.78
    return sheet.finish([*notes, *caption])
