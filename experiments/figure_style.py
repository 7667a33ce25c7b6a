"""The style of nestbed's figures: colours and marks, numbers in words, and a sheet with a title above and a caption
below.

The colours are those of Okabe and Ito ("Color Universal Design", 2008), which people with any colour vision can
distinguish. In addition, every line has its own mark. Lengths are in inches. A sheet is 8.3 inches wide: 830 pixels
in a README.
"""
import collections
import colorsys
import functools
import math
import textwrap
import zlib

import matplotlib
import matplotlib.pyplot as plt
import numpy
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

import tables

WIDTH = 8.3
MARGIN = 0.12
BLACK, ORANGE, SKY, GREEN, BLUE, VERMILLION, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7")
GREY, INK = "#666666", "#222222"
MARKS = "osD^vP<>ph*d"  # the page has the same marks (views.py); an × is a case without a time
DASHES = ["-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5))]

# The background colours of the page (page.css), and the contrast that lines need on them.
SURFACES = {"light": ("#FFFFFF", 3), "dark": ("#191C1F", 7)}

FLAT, OTHERS = "no_recursion", "other_recursions"
# The colours of families: of what the launches of a strategy are made for, as `nestbed list --json` says. The members of a family share a
# hue.
FAMILY_COLOURS = {
    "child_per_block": VERMILLION,
    "child_per_level": BLUE,
    "shared_input": "#B0508A",
    "host_levels": GREEN,
    "library": "#7B5BB5",
    FLAT: "#555555",
    OTHERS: "#B87A00",
    "memory_patterns": "#8C5A3C",
    "data_dependent": "#A03070",
}
# The colours of strategies without recursion in figures that have no others.
FLAT_COLOURS = ("#555555", "#A8762B", "#0E7C86", "#9C4F96")
# The colours of mechanisms: that of the longest of these with which a name begins.
MECHANISM_COLOURS = {"null_stream": BLACK, "named": ORANGE, "fire_and_forget": BLUE, "tail": VERMILLION, "graph": PURPLE, "host": GREY,
                     "host_graph": GREEN, "grid_sync": "#3A97CF", "cluster_sync": SKY, "": GREY}

matplotlib.rcParams.update({
    "svg.hashsalt": "nestbed", "font.family": "DejaVu Sans", "font.size": 8.5, "axes.edgecolor": "#999999", "axes.linewidth": 0.7,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#E6E6E6", "grid.linewidth": 0.6,
    "axes.axisbelow": True, "axes.labelcolor": INK, "text.color": INK, "xtick.color": "#777777", "ytick.color": "#777777",
    "xtick.labelcolor": INK, "ytick.labelcolor": INK, "xtick.labelsize": 8, "ytick.labelsize": 8, "axes.labelsize": 8.5,
    "figure.facecolor": "white", "savefig.facecolor": "white", "lines.linewidth": 1.4, "text.parse_math": False,
})


def family_of(strategy, launches=0):
    """The family of a strategy, as a word. A strategy that this nestbed does not have gets its family from whether it launches."""
    family = tables.family_of(strategy)
    return family if family in FAMILY_COLOURS else OTHERS if launches > 0 else FLAT


@functools.cache
def _ranks():
    """{strategy: (its family, its place among all)}, as figures and legends sort them."""
    families = list(FAMILY_COLOURS)
    return {name: (families.index(family_of(name)), place) for place, name in enumerate(tables.tables()["strategies"])}


def rank_of(strategy):
    """A key that sorts strategies as figures and legends do: those of this nestbed by family, then the others by name."""
    return *_ranks().get(strategy, (len(FAMILY_COLOURS), 0)), strategy


@functools.cache
def _places():
    """{strategy: its place among those of its workload and family}, which gives shade, mark and dashes."""
    found, members = {}, collections.Counter()
    for name in tables.tables()["strategies"]:
        found[name] = members[tables.workload_of(name), tables.family_of(name)]
        members[tables.workload_of(name), tables.family_of(name)] += 1
    return found


def look_of(strategy, launches=0, among_flat=False):
    """(colour, mark, dashes) of a strategy: the same in every figure and on the page, and different for those of one workload. For a
    strategy that this nestbed does not have, they are derived from its name. `among_flat`: with a hue, because all of its figure have no
    recursion and would be grey."""
    family = family_of(strategy, launches)
    place = _places().get(strategy, zlib.crc32(strategy.encode()))
    first = 5 * list(FAMILY_COLOURS).index(family)  # so that most members of different families have different marks
    marks, hues = len(MARKS), len(FLAT_COLOURS)
    colour = shade(FLAT_COLOURS[place % hues], place // hues) if among_flat else shade(FAMILY_COLOURS[family], place)
    return (on_page(colour)["light"], MARKS[(first + place) % marks],
            DASHES[(place + place // marks) % len(DASHES)])


def looks_in_turn(forms):
    """{form: (colour, mark)} for the key of a figure: a form is a strategy and what else its dots have; each has the next mark."""
    return {form: (look_of(form[0])[0], MARKS[place % len(MARKS)]) for place, form in enumerate(dict.fromkeys(forms))}


def marked(strategy):
    """A strategy's name as figures and the page show it: racy strategies are marked, even if their answer was
    right."""
    return f"{strategy} (racy)" if strategy in tables.names_with("strategies", "racy") else strategy


def mechanism_look(mechanism):
    """(words, colour) of a mechanism."""
    words = tables.tables()["mechanisms"].get(mechanism, {"words": mechanism})["words"]
    return words, on_page(MECHANISM_COLOURS[max(filter(mechanism.startswith, MECHANISM_COLOURS), key=len)])["light"]


def mechanism_rank(mechanism):
    """A key that sorts mechanisms as figures and legends do: in the order of nestbed."""
    known = list(tables.tables()["mechanisms"])
    return known.index(mechanism) if mechanism in known else len(known)


def mechanism_mark(mechanism):
    """The mark of a mechanism: the same in every figure and on the page."""
    return MARKS[mechanism_rank(mechanism) % len(MARKS)]


def _contrast(one, other):
    """The contrast of two colours, 1 to 21 (WCAG 2.2)."""
    shares = [[part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in matplotlib.colors.to_rgb(colour)]
              for colour in (one, other)]
    dark, bright = sorted(0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in shares)
    return (bright + 0.05) / (dark + 0.05)


@functools.cache
def on_page(colour):
    """{"light": colour, "dark": colour}: the same hue with enough contrast to the page's surface for a line. Figures
    in files use the colour of the light page."""
    found = {}
    for theme, (surface, least) in SURFACES.items():
        hue, lightness, saturation = colorsys.rgb_to_hls(*matplotlib.colors.to_rgb(colour))
        lightness, step = (max(lightness, 1 - lightness), 0.02) if theme == "dark" else (lightness, -0.02)
        while _contrast(colorsys.hls_to_rgb(hue, lightness, saturation), surface) < least and 0 < lightness + step < 1:
            lightness += step
        found[theme] = matplotlib.colors.to_hex(colorsys.hls_to_rgb(hue, lightness, saturation))
    return found


def shade(colour, step):
    """A colour, unchanged, lighter or darker, so that neighbours with the same hue differ."""
    rgb = numpy.array(matplotlib.colors.to_rgb(colour))
    return tuple((rgb, rgb + (1 - rgb) * 0.28, rgb * 0.65)[step % 3])


def scale_colours(count):
    """Colours for an ordered quantity, from light to dark. None is too pale to print."""
    return [on_page(matplotlib.colormaps["viridis_r"](value))["light"] for value in numpy.linspace(0.22, 1.0, count)]


def grouped(number):
    """16384 as 16 384, with a thin space, from five digits on."""
    return f"{number:,.0f}".replace(",", "\u2009") if abs(number) >= 10000 else f"{number:g}"


def three(number):
    """Three significant digits, never as 1e+03."""
    if number == 0 or not math.isfinite(number):
        return f"{number:g}"
    number = float(f"{number:.3g}")
    digits = 2 - math.floor(math.log10(abs(number)))
    return grouped(number) if digits <= 0 else f"{number:.{digits}f}"


def time_text(microseconds):
    """11.7 µs, 20.7 ms, 1.20 s."""
    for limit, scale, unit in ((1e3, 1.0, "µs"), (1e6, 1e3, "ms")):
        if microseconds < limit * 0.9995:
            return f"{three(microseconds / scale)} {unit}"
    return f"{three(microseconds / 1e6)} s"


def time_unit(times):
    """(microseconds per unit, name of the unit) such that the longest of `times` (µs) has fewer than five digits."""
    longest = numpy.nanmax(times)
    return (1.0, "µs") if longest < 1e4 else (1e3, "ms") if longest < 1e7 else (1e6, "s")


def power_text(number):
    """2²⁰ for a power of two from 1024 on, 4·10⁸ for one digit and zeros from a million on, otherwise the number."""
    exponent = math.log2(number) if number > 0 else 0.5
    if number >= 1024 and exponent.is_integer():
        return f"2{raised(exponent)}"
    zeros = math.floor(math.log10(number)) if number >= 1e6 else 0
    if zeros and number % 10**zeros == 0:
        return ("" if number == 10**zeros else f"{number // 10**zeros:g}·") + f"10{raised(zeros)}"
    return grouped(number)


def raised(exponent):
    return str(int(exponent)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def text_width(text, size, bold=False):
    """The width of a text in inches."""
    prop = FontProperties(family="DejaVu Sans", size=size, weight="bold" if bold else "normal")
    return text_to_path.get_text_width_height_descent(text, prop, False)[0] / 72


def wrapped(text, size, width, bold=False):
    """The text as lines of at most `width` inches."""
    lines = []
    for paragraph in text.split("\n"):
        characters = max(20, int(width / max(text_width(paragraph, size, bold), 1e-6) * len(paragraph)))
        found = textwrap.wrap(paragraph, characters, break_long_words=False, break_on_hyphens=False) or [""]
        while characters > 20 and max(text_width(line, size, bold) for line in found) > width:
            characters -= 2
            found = textwrap.wrap(paragraph, characters, break_long_words=False, break_on_hyphens=False)
        lines += found
    return lines


def spread(wanted, gap, low, high):
    """Positions as close as possible to `wanted`, in the same order, at least `gap` apart, and between low and high
    if there is room."""
    order = sorted(range(len(wanted)), key=lambda index: (wanted[index], index))
    gap = min(gap, (high - low) / max(len(wanted) - 1, 1))
    blocks = []  # groups of neighbours that touch: [sum of wanted starts, number of members]
    for place, index in enumerate(order):
        blocks.append([wanted[index] - place * gap, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, members = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += members
    starts = [total / members for total, members in blocks for _ in range(members)]
    places = [0.0] * len(wanted)
    for place, index in enumerate(order):
        places[index] = min(max(starts[place], low), high - (len(wanted) - 1) * gap) + place * gap
    return places


class Sheet:
    """A figure: a title that is a sentence, a key in its own colours, axes placed in inches from the top, and a
    caption.

    `add` places axes, and `finish` lays out the page around them. `bare`: title and caption are not drawn.
    """

    def __init__(self, title, key=(), subtitle="", width=WIDTH, bare=False):
        self.figure = plt.Figure(figsize=(width, 4))
        self.width = width
        self.bare = bare
        self.title = [] if bare else wrapped(title, 12, width - 2 * MARGIN, bold=True)
        self.subtitle = wrapped(subtitle, 8.5, width - 2 * MARGIN) if subtitle and not bare else []
        self.key = self._key_lines(key)
        self.top = MARGIN + 0.23 * len(self.title) + 0.17 * len(self.subtitle) + 0.19 * len(self.key) + 0.1
        self.boxes = []

    def _key_lines(self, key):
        """[(text, colour, mark or None)] with their positions, over as many lines as necessary."""
        lines, left = [], self.width
        for text, colour, mark in key:
            width = text_width(text, 8.5) + (0.2 if mark else 0)
            if left + width > self.width - MARGIN:
                lines.append([])
                left = MARGIN
            lines[-1].append((left, text, colour, mark))
            left += width + 0.14
        return lines

    def add(self, left, top, width, height, title=""):
        """Adds axes at positions in inches, from the left edge and below the title block."""
        axes = self.figure.add_axes([0, 0, 0.5, 0.5], label=f"{len(self.boxes)}")
        if title:
            axes.set_title(title, fontsize=9, loc="left", fontweight="bold", color="#444444", pad=5)
        self.boxes.append((axes, left, top, width, height))
        return axes

    def height_of(self, axes):
        return next(height for found, _, _, _, height in self.boxes if found is axes)

    def width_of(self, axes):
        return next(width for found, _, _, width, _ in self.boxes if found is axes)

    def finish(self, caption, bottom=0.5):
        """Adds title, key and caption. `bottom`: inches below the lowest axes, for ticks and their label. Returns the
        figure."""
        lines = [] if self.bare else [line for part in caption for line in wrapped(part, 7, self.width - 2 * MARGIN)]
        body = max((top + height for _, _, top, _, height in self.boxes), default=0)
        total = self.top + body + bottom + 0.135 * len(lines) + MARGIN
        self.figure.set_size_inches(self.width, total)
        for axes, left, top, width, height in self.boxes:
            axes.set_position([left / self.width, 1 - (self.top + top + height) / total, width / self.width, height / total])
        y = MARGIN
        for texts, size, step, style in ((self.title, 12, 0.23, {"fontweight": "bold"}),
                                         (self.subtitle, 8.5, 0.17, {"color": "#444444"})):
            for text in texts:
                self.figure.text(MARGIN / self.width, 1 - y / total, text, fontsize=size, va="top", **style)
                y += step
        for line in self.key:
            y += 0.19
            for left, text, colour, mark in line:
                if mark:
                    self.figure.add_artist(Line2D([(left + 0.06) / self.width], [1 - (y - 0.045) / total], marker=mark, markersize=5.5,
                                                  color=colour, linestyle="none"))
                self.figure.text((left + (0.17 if mark else 0)) / self.width, 1 - y / total, text, fontsize=8.5, color=colour,
                                 va="baseline")
        for number, line in enumerate(reversed(lines)):
            self.figure.text(MARGIN / self.width, (MARGIN * 0.7 + 0.135 * number) / total, line, fontsize=7, color="#555555")
        return self.figure

    def end_labels(self, axes, labels):
        """Labels to the right of axes, [(x, y, text, colour)] in data coordinates. They are spread so that none
        covers another, and a line leads from each to its point."""
        if not labels:
            return
        height = self.height_of(axes)
        gap = 8 * 1.22 / 72 / height
        to_axes = axes.transData + axes.transAxes.inverted()
        points = to_axes.transform([(x, y) for x, y, _, _ in labels])
        heights = [text.count("\n") + 1 for _, _, text, _ in labels]
        rows = spread([float(y) for (_, y), height in zip(points, heights) for _ in range(height)], gap, -0.03, 1.03)
        places = []
        for height in heights:
            places.append(sum(rows[:height]) / height)
            rows = rows[height:]
        inch = 1 / self.width_of(axes)
        for (x, y), place, (_, _, text, colour) in zip(points, places, labels):
            start = 1 + 0.06 * inch
            axes.plot([x + 0.05 * inch, start, start + 0.12 * inch], [y, y, place], color=colour, linewidth=0.5, alpha=0.7,
                      transform=axes.transAxes, clip_on=False, zorder=1)
            axes.text(start + 0.15 * inch, place, text, color=colour, fontsize=8, va="center_baseline",
                      transform=axes.transAxes)


def intervals(axes, places, low, high, up=True, **look):
    """Bars from low to high at these places, for the cases with an interval. `up`: along y, otherwise along x."""
    bars = [bar for bar in zip(places, low, high) if not any(number != number for number in bar[1:])]
    if bars:
        (axes.vlines if up else axes.hlines)(*zip(*bars), **look)


def ticks(axis, places, texts):
    """Sets ticks only at these places, labelled by texts[place]."""
    axis.set_major_locator(FixedLocator(places))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: texts.get(float(f"{value:.9g}"), "")))
    axis.set_minor_formatter(NullFormatter())


def wants_log(values):
    """Whether the values are all above zero and span more than a decade and a half."""
    values = numpy.asarray(values, dtype=float)
    values = values[numpy.isfinite(values)]
    return len(values) > 0 and values.min() > 0 and values.max() / values.min() > 30


def _log_axis(axes, which, low, high, pad, text):
    high = high if high > 0 else 1.0
    low = low if low > 0 else high / 1000
    low, high = low / pad, high * pad
    getattr(axes, f"set_{which}scale")("log")
    getattr(axes, f"set_{which}lim")(low, high)
    steps = (1,) if high / low > 2000 else (1, 3) if high / low > 150 else (1, 2, 5)
    if high / low < 12:
        steps = (1, 1.5, 2, 3, 4, 5, 7) if high / low > 3 else (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
    places = [float(f"{step * 10.0**power:.9g}") for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
              for step in steps]
    places = [place for place in places if low <= place <= high]
    ticks(getattr(axes, f"{which}axis"), places, {place: text(place) for place in places})


def _linear_axis(axes, which, low, high, text):
    room = 0.04 * (high - low or 1)
    getattr(axes, f"set_{which}lim")(low if low == 0 else low - room, high + room)
    getattr(axes, f"{which}axis").set_major_formatter(FuncFormatter(lambda value, _: text(round(value, 9))))


def _swept_axis(axes, which, values, inches, text):
    """Ticks are at the values, as far as their labels fit: on a log axis to base 2, or, with 0 among them, linear up to 1 and then
    logarithmic."""
    values = sorted({float(value) for value in values if value == value})
    limits = getattr(axes, f"set_{which}lim")
    if values[0] <= 0:
        below_one = 0.3  # number of decades as wide as the range from 0 to 1
        getattr(axes, f"set_{which}scale")("symlog", linthresh=1, linscale=below_one * 0.9)
        limits(-0.12, values[-1] * 1.12 if values[-1] > 1 else values[-1] + 0.12)
        decades = [value * below_one if value <= 1 else below_one + math.log10(value) for value in values]
        places = [inches * place / (decades[-1] * 1.06 or 1) for place in decades]
    else:
        getattr(axes, f"set_{which}scale")("log", base=2)
        edge = max((values[-1] / values[0]) ** 0.025, 1.05)
        limits(values[0] / edge, values[-1] * edge)
        span = math.log2(values[-1] / values[0]) + 2 * math.log2(edge)
        places = [inches * math.log2(value / values[0]) / span for value in values]
    shown = thinned(values, places, text)
    ticks(getattr(axes, f"{which}axis"), shown, {float(f"{value:.9g}"): text(value) for value in shown})


def set_axis(axes, which, kind, values, inches=0.0, text=grouped, pad=1.12):
    """An axis that shows these values. `kind`:
    `swept`: values that were asked for, with a tick at each, as far as the labels fit into `inches`;
    `log`: with a margin of the factor `pad`; `linear`: from zero; `fit`: log if they span more than a decade and a half, otherwise linear;
    `percent`: from 0 to 100; `steps`: linear, with ticks at the values; `counts`: of launches, linear up to 1, then logarithmic;
    `signed`: a difference, logarithmic but for a microsecond around zero; a list of texts: words, at 0, 1, 2...; None: as matplotlib has it."""
    if kind is None:
        return
    values = numpy.asarray(list(values), dtype=float)
    values = values[numpy.isfinite(values)]
    values = values if len(values) else numpy.array([1.0])
    axis, limits = getattr(axes, f"{which}axis"), getattr(axes, f"set_{which}lim")
    above = values[values > 0]
    if kind == "fit":
        kind = "log" if wants_log(values) else "linear"
    if kind == "log":
        _log_axis(axes, which, *((above.min(), above.max()) if len(above) else (0, 1)), pad, text)
    elif kind == "linear" or kind == "counts" and values.max() <= 30:
        _linear_axis(axes, which, min(0.0, values.min()), values.max() if values.max() > 0 else 1.0, text)
    elif kind == "swept":
        _swept_axis(axes, which, values, inches, text)
    elif kind == "percent":
        limits(-3, 103)
        ticks(axis, range(0, 101, 20), {place: f"{place}" for place in range(0, 101, 20)})
    elif kind == "steps":
        values = sorted(set(values))
        span = values[-1] - values[0] or 1
        limits(values[0] - 0.04 * span, values[-1] + 0.04 * span)
        shown = thinned(values, [inches * (value - values[0]) / (1.08 * span) for value in values], text)
        ticks(axis, shown, {float(f"{value:.9g}"): text(value) for value in shown})
    elif kind in ("counts", "signed"):
        getattr(axes, f"set_{which}scale")("symlog", linthresh=1, **({"linscale": 0.5} if kind == "counts" else {}))
        low, high = (0, values.max() * 1.3) if kind == "counts" else (min(0, values.min() * 1.3), max(1, values.max() * 1.3))
        limits(low, high)
        places = [0.0, *(sign * 10.0**power for power in range(8) for sign in (1, -1) if low <= sign * 10.0**power <= high)]
        ticks(axis, sorted(places), {place: grouped(place) for place in places})
    else:
        limits(-0.35, len(kind) - 0.65)
        slanted = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if slant(kind, inches) else {}
        getattr(axes, f"set_{which}ticks")(range(len(kind)), kind, **slanted)


def slant(texts, inches):
    """The inches below an axis of so many inches that texts need if they have to be slanted; otherwise 0."""
    longest = max(text_width(line, 8) for text in texts for line in text.split("\n"))
    return longest / 2 if longest > inches / len(texts) - 0.06 else 0


def thinned(values, places, text):
    """The values whose labels, at `places` in inches, do not overlap: every n-th of evenly spaced ones, otherwise
    chosen from the last one on."""
    halves = [text_width(text(value), 8) / 2 + 0.03 for value in values]

    def fits(left, right):
        return places[right] - places[left] >= halves[left] + halves[right]

    gaps = [after - before for before, after in zip(places, places[1:])]
    if gaps and max(gaps) < 1.2 * min(gaps):
        for step in range(1, len(values) + 1):
            shown = list(range(len(values) - 1, -1, -step))[::-1]
            if all(fits(left, right) for left, right in zip(shown, shown[1:])):
                return [values[index] for index in shown]
    shown = []
    for index in reversed(range(len(values))):
        if not shown or fits(index, shown[-1]):
            shown.append(index)
    return [values[index] for index in reversed(shown)]
