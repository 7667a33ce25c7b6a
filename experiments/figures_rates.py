"""Figures of rates: against CUB, bandwidth, and the book's machine."""
import csv
import dataclasses
import pathlib

import pandas

import figure_parts as parts
import figure_style as style
import logs
import tables
from figure_style import Sheet
from figures_sweeps import draw_line, end_label, mark_refused, nothing_timed
from measures import AXES, MEASURES, bandwidth as rates_of

BOOK = pathlib.Path(__file__).resolve().parent.parent / "results" / "k40c.csv"
BOOK_GRID, BOOK_BLOCK = 2048, 512
NEAR = 0.1  # share of the peak; sizes with a rate above it are drawn as a share of the peak


# --- CUB -----------------------------------------------------------------------------------------------------------------------


def _lines_to_cub(cases):
    """[(line, [(elements, ratio, low, high)])] relative to the faster CUB at each size, by elements. One line per
    strategy and mechanism, with all sizes that CUB has."""
    reference = logs.faster_cub(cases)
    several = parts.mechanisms_each(cases)
    ratios = pandas.Series(logs.ratios_to_cub(cases), index=cases.index, dtype=object)
    own = cases[[case["strategy"] not in tables.those("strategies", "compared_with") and logs.cub_key(case) in reference for _, case in cases.iterrows()]]
    found = []
    for rows in sorted(parts.grouped_by(own, ["strategy", "mechanism"]),
                       key=lambda rows: tuple(rows.iloc[0][["strategy", "mechanism"]])):
        rows = rows.sort_values("elements", kind="stable")
        case = rows.iloc[0]
        line = parts.Line(parts.strategy_label(case, several), case["strategy"], case["mechanism"], None, list(rows["elements"]),
                          rows)
        found.append((line, [(elements, *ratios[index]) for index, elements in zip(rows.index, rows["elements"])
                             if ratios[index] is not None]))
    parts.dress([line for line, _ in found])
    return found


def against_cub(part, shown, figure):
    """Ratio of medians to the faster CUB of the same log and size, with one panel per type. Below 1 is faster than
    CUB."""
    kinds = sorted(set(shown["type"]), key=parts.order_of)
    panels = [(kind, _lines_to_cub(shown[shown["type"] == kind])) for kind in kinds]
    everything = [point for _, found in panels for _, points in found for point in points]
    if not everything:
        return nothing_timed(figure.title, part, shown)
    both = shown["strategy"].isin(["cub_narrow"]).any()
    sheet = Sheet(_cub_title(panels), subtitle=parts.common_text(shown))
    ends = [end for point in everything for end in point[1:] if pandas.notna(end)]
    low, high = min(ends), max(ends)
    height = 2.5 if len(panels) > 1 else 3.2
    without = []
    room = max(style.text_width(line.label, 8) for _, found in panels for line, _ in found) + 0.42
    for place, (kind, found) in enumerate(panels):
        width = style.WIDTH - 0.7 - room
        axes = sheet.add(0.62, 0.1 + 0.22 * (len(panels) > 1) + place * (height + 0.82), width, height,
                         kind if len(panels) > 1 else "")
        style.log_axis(axes, "y", min(low, 0.95), max(high, 1.05), pad=1.03)
        style.binary_axis(axes, "x", [x for _, lines in panels for line, _ in lines for x in line.x], width, style.power_text)
        axes.axhline(1, color=style.INK, linewidth=1)
        side = _free_side(axes, [point for _, points in found for point in points])
        axes.annotate("as fast as CUB", (side, 1), (3 - 6 * side, 3), xycoords=axes.get_yaxis_transform(),
                      textcoords="offset points", ha=("left", "center", "right")[int(2 * side)], fontsize=7.5, color=style.INK)
        labels = []
        mark_refused(axes, [line for line, _ in found])
        for line, points in found:
            if not points:
                without.append(f"{line.label} ({parts.status_text(line.cases) or 'no CUB beside it'})")
                continue
            x, middle, lower, upper = zip(*points)
            axes.fill_between(x, lower, upper, color=line.colour, alpha=0.2, linewidth=0)
            axes.plot(x, middle, color=line.colour, marker=line.mark, markersize=4.5, linestyle=line.dash, zorder=3)
            labels.append((x[-1], middle[-1], line.label, line.colour))
        sheet.end_labels(axes, labels)
        axes.set_ylabel(MEASURES["ratio"].label)
        axes.set_xlabel(AXES["elements"].title)
    sheet.notes.append("Ratio of medians to " + ("the faster of cub and cub_narrow at each size" if both else "cub") +
                       " in the same log; below 1 is faster than CUB. Bands: 95 % bootstrap interval of the ratio.")
    if without:
        sheet.notes.append("Without any ratio: " + "; ".join(dict.fromkeys(without)) + ".")
    return sheet.finish(parts.caption_of(part, shown))


def _free_side(axes, points):
    """0, 0.5 or 1: the position along the line at 1, as a share of the axis, where the points are farthest from
    it."""
    to_axes = axes.transData + axes.transAxes.inverted()
    level = to_axes.transform((points[0][0], 1))[1] if points else 0
    places = [to_axes.transform(point[:2]) for point in points]
    spans = {0.0: (0, 0.2), 0.5: (0.38, 0.62), 1.0: (0.8, 1)}
    return max(spans, key=lambda side: min((abs(y - level) for x, y in places if spans[side][0] <= x <= spans[side][1]), default=1))


def _cub_title(panels):
    said = {}
    for _, found in panels:
        for line, points in found:
            said.setdefault(line.label, []).extend(points)

    def span(points):
        return f"{min(point[1] for point in points):.2f} to {max(point[1] for point in points):.2f}"

    words = [f"{label} {'' if place else 'takes '}{span(points)}"
             for place, (label, points) in enumerate((label, points) for label, points in said.items() if points)]
    return words[0] + " times as long as CUB" + "".join(f", {more}" for more in words[1:])


# --- bandwidth -----------------------------------------------------------------------------------------------------------------


def bandwidth(part, groups, figure):
    """GB/s against the number of elements, with the device's peak. Panels show what else varies. If the rates span
    decades, a second panel beside each shows the sizes near the peak as a share of it: the curves are close there,
    and the axis is linear."""
    shown = pandas.concat(groups)
    if not shown["bandwidth_gb_s"].notna().any():
        return nothing_timed(figure.title, part, shown)
    panels = parts.lines_and_panels(groups, parts.names_beside("elements"))
    peak = shown["peak_gb_s"].max()
    fastest = shown.loc[shown["bandwidth_gb_s"].idxmax()]
    share = f", {100 * fastest['bandwidth_gb_s'] / peak:.0f} % of the device's peak" if peak > 0 else ""
    kind = f" of {fastest['type']}" if len(parts.varying(shown, ["type"])) else ""
    sheet = Sheet(f"{style.marked(fastest['strategy'])} reads {style.three(fastest['bandwidth_gb_s'])} GB/s at "
                  f"{style.power_text(fastest['elements'])} numbers{kind}{share}", subtitle=parts.common_text(shown))
    top = max(shown["bandwidth_gb_s"].max(), peak if peak > 0 else 0)
    near = shown[shown["bandwidth_gb_s"] >= NEAR * peak]["elements"]
    beside = peak > 0 and style.wants_log(shown["bandwidth_gb_s"]) and near.nunique() >= 3
    height = 2.6 if len(panels) > 1 else 3.2
    room = max(style.text_width(line.label, 8) for _, lines in panels for line in lines) + 0.42
    width = style.WIDTH - 0.75 - room
    for place, (name, lines) in enumerate(panels):
        at = 0.1 + 0.22 * bool(name or beside) + place * (height + 0.82)
        axes = sheet.add(0.7, at, 0.45 * width if beside else width, height, name)
        _rate_lines(sheet, axes, lines, shown["elements"], 1.0)
        _rate_axis(axes, "y", shown, top)
        if peak > 0:
            axes.axhline(peak, color=style.INK, linewidth=1, linestyle=(0, (6, 2)))
            axes.annotate(f"peak, {style.three(peak)} GB/s", (0, peak), (4, -4), xycoords=axes.get_yaxis_transform(),
                          textcoords="offset points", fontsize=7.5, va="top")
        axes.set_ylabel(MEASURES["bandwidth"].label)
        if beside:
            axes = sheet.add(0.7 + 0.45 * width + 0.6, at, 0.55 * width - 0.6, height, "The largest sizes")
            close = [_of_sizes(line, near.min()) for line in lines]
            _rate_lines(sheet, axes, close, near, 100 / peak)
            style.linear_axis(axes, "y", 0, 100)
            axes.set_ylabel("share of the peak, %")
        sheet.end_labels(axes, [label for line in lines
                                for label in end_label(line, line.cases["bandwidth_gb_s"] * (100 / peak if beside else 1))])
    _cache_note(sheet, part)
    return sheet.finish(parts.caption_of(part, shown, elsewhere="cases of fewer than three sizes"))


def _of_sizes(line, least):
    """The part of a line from a size on."""
    cases = line.cases[line.cases["elements"] >= least]
    return dataclasses.replace(line, x=list(cases["elements"]), cases=cases)


def _rate_lines(sheet, axes, lines, sizes, scale):
    """Draws bandwidths against sizes, multiplied by `scale`."""
    style.binary_axis(axes, "x", sizes, sheet.width_of(axes), style.power_text)
    axes.set_xlabel(AXES["elements"].title)
    mark_refused(axes, lines)
    for line in lines:
        draw_line(axes, line, *(column * scale for column in rates_of(line.cases)))


def _rate_axis(axes, which, shown, top):
    values = shown["bandwidth_gb_s"].dropna()
    if style.wants_log(values):
        style.log_axis(axes, which, values.min(), top, pad=1.2)
    else:
        style.linear_axis(axes, which, 0, top)


def _cache_note(sheet, part):
    cache = part.rows["l2_bytes"].max()
    if cache > 0 and (part.cases["l2"] == "flushed").all():
        sheet.notes.append("Bandwidth: what the workload must read and write at least, over the time; the L2 cache is flushed before "
                           "each run.")
    elif cache > 0:
        sheet.notes.append("Bandwidth: what the workload must read and write at least, over the time. Inputs up to a few times the "
                           f"L2 cache ({cache / 2**20:.0f} MiB) are read from it in part, and not from memory alone.")


def bandwidth_dots(part, shown, _):
    """GB/s by strategy, one dot per case, for logs with few sizes. Panels are sizes, and a line is the device's peak.
    Marks are types. For matrices, colours are the columns of a block of threads, and marks are its rows."""
    timed = shown[shown["bandwidth_gb_s"].notna()]
    peak = timed["peak_gb_s"].max()
    best = timed.loc[timed["bandwidth_gb_s"].idxmax()]
    matrix = timed["nx"].notna().all()
    names = parts.varying(shown, ["nx", "ny"] if matrix else ["elements"])
    looks, key = _block_looks(shown) if matrix else _type_looks(shown)
    kind = f" of {best['type']}" if len(parts.varying(shown, ["type"])) else ""
    sheet = Sheet(f"{style.marked(best['strategy'])} reaches {style.three(best['bandwidth_gb_s'])} GB/s{kind}, "
                  f"{100 * best['bandwidth_gb_s'] / peak:.0f} % of the device's peak", key)
    columns = 1 if matrix else 2
    tops = [0.3] * columns
    pitch = style.WIDTH / columns
    room = max(style.text_width(style.marked(name), 8) for name in shown["strategy"]) + 0.12
    panels = parts.grouped_by(shown, names)
    panels.sort(key=lambda panel: (-panel["strategy"].nunique(), [parts.order_of(panel.iloc[0][name]) for name in names]))
    for cases in panels:
        column = tops.index(min(tops))
        rows = sorted(cases.groupby("strategy"), key=lambda row: (-row[1]["bandwidth_gb_s"].max(), row[0]))
        height = 0.2 * len(rows) + 0.1
        width = pitch - style.MARGIN - room - 0.95
        axes = sheet.add(pitch * column + style.MARGIN + room, tops[column], width, height)
        axes.text(-room / width, 1 + 0.08 / height, parts.shape_text(cases, names), transform=axes.transAxes, fontsize=9,
                  fontweight="bold", color="#444444")
        _rate_dots(axes, rows, looks, room / width, width)
        most = cases["bandwidth_gb_s"].max()
        style.linear_axis(axes, "x", 0, max(peak, most) if most >= NEAR * peak else 1.1 * most)
        if most >= NEAR * peak:
            axes.axvline(peak, color=style.INK, linewidth=1, linestyle=(0, (6, 2)), zorder=1)
        axes.set_xlabel(MEASURES["bandwidth"].label)
        tops[column] += height + 0.82
    sheet.notes.append(f"Dashed: the device's peak by its own data, {style.three(peak)} GB/s. Numbers at the right: GB/s of the best "
                       "dot, and its share of the peak.")
    _cache_note(sheet, part)
    return sheet.finish(parts.caption_of(part, shown, elsewhere="what launches from the device or has a depth"))


def _block_looks(shown):
    """{block_shape: (colour, mark)}, and the key."""
    sides = {shape: tuple(int(side) for side in shape.split("x")) for shape in shown["block_shape"].unique()
             if shape.count("x") == 1}
    columns, rows = (sorted({side[place] for side in sides.values()}) for place in (0, 1))
    colours = dict(zip(columns, [style.ORANGE, style.BLUE, style.BLACK, style.GREEN, style.PURPLE, style.SKY]))
    marks = dict(zip(rows, "osD^vP"))
    looks = {shape: (colours.get(width, style.GREY), marks.get(height, "x")) for shape, (width, height) in sides.items()}
    key = [("Block of threads, columns:", style.INK, None),
           *((f"{side}", colours.get(side, style.GREY), "s") for side in columns),
           ("rows:", style.INK, None), *((f"{side}", style.INK, marks.get(side, "x")) for side in rows)]
    return looks, key if sides else ()


def _type_looks(shown):
    """{type: (colour, mark)}, and the key if there is more than one type."""
    types = sorted(set(shown["type"]), key=parts.order_of)
    looks = dict(zip(types, [(style.BLUE, "o"), (style.VERMILLION, "D"), (style.GREEN, "^")]))
    return looks, [(name, *looks[name]) for name in types if name in looks] if len(types) > 1 else ()


def _rate_dots(axes, rows, looks, label_left, width):
    lanes = {name: 0.28 * (place / (len(looks) - 1) - 0.5) for place, name in enumerate(looks)} if len(looks) > 1 else {}
    for line, (strategy, cases) in enumerate(rows):
        for _, case in cases.sort_values(["type", "block_shape"], ascending=False).iterrows():
            colour, mark = looks.get(case["block_shape"]) or looks.get(case["type"]) or (style.BLUE, "o")
            place = line + lanes.get(case["type"], 0.0)
            hollow = case["clock"] == "wall" and case["backend"] == "cuda"
            amount = case["bandwidth_gb_s"] * case["us"]
            if case["low"] > 0:
                style.intervals(axes, [place], [amount / case["high"]], [amount / case["low"]], up=False, color=colour, linewidth=1.8,
                                alpha=0.5)
            axes.plot([case["bandwidth_gb_s"]], [place], mark, color=colour, markersize=5, clip_on=False,
                      markerfacecolor="white" if hollow else colour, markeredgewidth=0.9 if hollow else 0.4, markeredgecolor=colour if hollow else "white", zorder=3)
        axes.text(-label_left, line, style.marked(strategy), transform=axes.get_yaxis_transform(), fontsize=8, va="center_baseline")
        best = cases.loc[cases["bandwidth_gb_s"].idxmax()]
        at = {"transform": axes.get_yaxis_transform(), "fontsize": 8, "va": "center_baseline", "ha": "right"}
        axes.text(1 + 0.42 / width, line, style.three(best["bandwidth_gb_s"]), **at)
        if best["peak_gb_s"] > 0:
            share = 100 * best["bandwidth_gb_s"] / best["peak_gb_s"]
            axes.text(1 + 0.86 / width, line, f"{share:.0f} %" if share >= 0.95 else f"{share:.2f} %", **at)
    style.rows_axis(axes, [""] * len(rows))


# --- the book's machine --------------------------------------------------------------------------------------------------------


def book_times(path=BOOK):
    """{strategy: (ms, source)} of results/k40c.csv."""
    with open(path, newline="", encoding="utf-8") as file:
        return {row["strategy"]: (float(row["ms"]), row["source"]) for row in csv.DictReader(file)}


def book(part, shown, figure):
    """The book's times on its K40c beside those of this log, one line per strategy."""
    theirs = book_times()
    timed = shown[shown["us"] > 0]
    if not len(timed):
        return nothing_timed(figure.title, part, shown)
    rows = sorted(timed.iterrows(), key=lambda row: -theirs[row[1]["strategy"]][0])
    factors = [1e3 * theirs[case["strategy"]][0] / case["us"] for _, case in rows if case["clock"] == "gpu"]
    machine = part.rows["gpu"].iloc[0] or "this machine"
    sheet = Sheet(f"{figure.title} on its K40c and on {'an ' if machine.startswith('NVIDIA H') else ''}{machine}"
                  + (f": {style.three(min(factors))} to {style.three(max(factors))} times as fast" if factors else ""),
                  [("Tesla K40c, as printed in the book", style.ORANGE, "s"), (f"{machine}, this log", style.BLUE, "o")],
                  "2²⁰ ints in 2048 blocks of 512 threads. Two machines: the book's and this log's.")
    height = 0.34 * len(rows) + 0.1
    axes = sheet.add(1.5, 0.2, style.WIDTH - 1.5 - 1.0, height)
    values = [value for _, case in rows for value in (case["us"] / 1e3, theirs[case["strategy"]][0])]
    style.log_axis(axes, "x", min(values) / 1.6, max(values) * 1.6, pad=2.2)
    for place, (_, case) in enumerate(rows):
        our, old = case["us"] / 1e3, theirs[case["strategy"]][0]
        hollow = case["clock"] == "wall" and case["backend"] == "cuda"
        axes.plot([our, old], [place, place], color="#BBBBBB", linewidth=1.6, zorder=1)
        axes.plot([case["low"] / 1e3, case["high"] / 1e3], [place, place], color=style.BLUE, linewidth=4, alpha=0.4, zorder=2)
        axes.plot([our], [place], "o", color=style.BLUE, markersize=7.5, markerfacecolor="white" if hollow else style.BLUE,
                  zorder=4)
        axes.plot([old], [place], "s", color=style.ORANGE, markersize=7, zorder=3)
        for value, text, colour in ((our, style.time_text(case["us"]), style.BLUE), (old, style.time_text(1e3 * old), "#9A6A00")):
            right = value > min(our, old)
            axes.annotate(text, (value, place), (8 if right else -8, 0), textcoords="offset points", ha="left" if right
                          else "right", va="center_baseline", fontsize=8.5, color=colour)
        axes.text(1.02, place, f"{style.three(1e3 * old / case['us'])} ×", transform=axes.get_yaxis_transform(), fontsize=8.5,
                  va="center_baseline")
    axes.text(1.02, 1 + 0.04 / height, "times as fast", transform=axes.transAxes, fontsize=8, color="#777777", va="bottom")
    names = [style.marked(case["strategy"]) + (" (one core)" if case["strategy"] == "host" else "") for _, case in rows]
    style.rows_axis(axes, names, 9)
    axes.set_xlabel("time of a run, ms")
    sheet.notes.append("K40c: " + "; ".join(dict.fromkeys(theirs[case["strategy"]][1] for _, case in rows)) + ".")
    return sheet.finish(parts.caption_of(part, shown, elsewhere="not in the book's table"))
