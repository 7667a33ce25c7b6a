"""The figure of strategies: one dot per case, sorted by time, with its time and its device launches."""
import math

import pandas

import figure_parts as parts
import figure_style as style
from figure_style import Sheet
from measures import MEASURES

LINE_HEIGHT = 0.205
SHAPE = ["elements", "nx", "ny", "grid", "block"]
MOST_PANELS = 40  # that a reader can compare
MOST_LINES = 200  # of all panels


def strategies(part, shown, _):
    """One dot per case, sorted by time, with one panel per shape."""
    shapes = parts.varying(shown, SHAPE)
    several = parts.mechanisms_each(shown)
    suffixes = parts.varying(shown, [name for name in parts.case_names() if name not in [*SHAPE, "type"]])
    types = sorted({name for name in shown["type"] if name}, key=parts.order_of)
    timed = shown[shown["us"].notna()]
    panels = sorted(parts.grouped_by(shown, shapes), key=lambda panel: [parts.order_of(panel.iloc[0][name]) for name in shapes])
    sizes = len(panels)
    notes = [f"Not drawn: {style.grouped(sizes - MOST_PANELS)} larger sizes."] if sizes > MOST_PANELS else []
    panels, left_out = zip(*(_lines_of(panel, suffixes, MOST_LINES // min(sizes, MOST_PANELS)) for panel in panels[:MOST_PANELS]))
    if any(left_out):
        notes.append(f"Not drawn: {style.grouped(sum(left_out))} slower ways.")
    sheet = Sheet(_strategies_title(shown, shapes, sizes, panels, suffixes), _strategies_key(shown, types))
    columns, tops = (1, [0.25]) if len(panels) == 1 else (2, [0.3, 0.3])
    units = timed["us"] if len(timed) else pandas.Series([1.0])
    scale, unit = style.time_unit(units)
    for place, panel in enumerate(panels):
        column = tops.index(min(tops))
        title = parts.shape_text(panel[0][1].iloc[0], SHAPE)
        height = LINE_HEIGHT * len(panel) + 0.08
        if len(panels) == 1:
            _wide_panel(sheet, panel, tops[column], height, types, scale, unit)
        else:
            _narrow_panel(sheet, panel, column * style.WIDTH / columns, tops[column], height, title, several, types, scale, unit)
        tops[column] += height + 0.78
    floor = part.rows["floor_us"].dropna()
    if len(floor):
        notes.append(f"An empty kernel takes {style.time_text(floor.median())}, timed the same way.")
    sheet.notes += notes
    return sheet.finish(parts.caption_of(part, shown))


def _lines_of(panel, suffixes, most):
    """([(suffix, cases)], how many more there are): the lines of the plot, each for one strategy, sorted by the smallest
    time. Lines without a time come last."""
    groups = parts.places_by(panel, ["strategy", "mechanism", *suffixes, *parts.CHOSEN])
    times, strategies = panel["us"].fillna(math.inf).to_numpy(), panel["strategy"].tolist()
    groups.sort(key=lambda places: (times[places].min(), strategies[places[0]]))
    taken = [panel.take(places) for places in groups[:most]]
    return [(_suffix(cases.iloc[0], suffixes), cases) for cases in taken], max(0, len(groups) - most)


def _suffix(case, suffixes):
    return ", ".join(filter(None, (parts.name_of(name, case[name]) for name in suffixes)))


def _strategies_title(shown, shapes, sizes, panels, suffixes):
    """What runs, the smallest and the largest time, and how many runs have no time."""
    timed = shown[shown["us"].notna()]
    tail = f"; {_faults(shown)}" if parts.status_text(shown) else ""
    what = _what(shown, shapes, sizes)
    if not len(timed):
        return f"{what}: no run has a time{tail}"
    if len(panels) == 1 and len(panels[0]) <= 3 and shown["strategy"].nunique() == 1:
        said = [f"{suffix or parts.mechanism_text(cases['mechanism'].iloc[0])}: {_time_or_status(cases.iloc[0])}"
                for suffix, cases in panels[0]]
        return f"{what} by {style.marked(shown['strategy'].iloc[0])}, " + ", ".join(said)
    fast, slow = timed["us"].idxmin(), timed["us"].idxmax()
    names = {index: shown["strategy"][index] for index in (fast, slow)}
    if names[fast] == names[slow]:
        names = {index: ", ".join(filter(None, [name, _suffix(shown.loc[index], suffixes)])) for index, name in names.items()}
    ways = "" if shapes else f" in {parts.count_text(len(timed), 'way')}"
    least, most = (f"{style.time_text(timed['us'][index])} ({names[index]})" for index in (fast, slow))
    return f"{what}{ways}: {least} to {most}{tail}"


def _time_or_status(case):
    if pandas.notna(case["us"]):
        return style.time_text(case["us"])
    return _faults(pandas.DataFrame([case]))


def _what(shown, shapes, sizes):
    """`Summing 2²⁰ ints`, in words. Only the strategies if there are several sizes."""
    case = shown.iloc[0]
    if shapes:
        return parts.count_text(shown["strategy"].nunique(), "way") + f" at {sizes} sizes"
    if pandas.notna(case["nx"]):
        return f"{style.grouped(case['nx'])} × {style.grouped(case['ny'])} numbers"
    if pandas.notna(case["elements"]):
        kind = {"int32": "ints", "float32": "floats"}.get(case["type"], "numbers") if shown["type"].nunique() == 1 else "numbers"
        return f"Summing {style.power_text(case['elements'])} {kind}"
    return f"{parts.shape_text(case, ['grid', 'block'])}" or "Runs"


def _strategies_key(shown, types):
    there = {style.family_of(strategy, launches) for strategy, launches in zip(shown["strategy"], shown["launches"])}
    key = parts.key_of(there)
    if len(types) > 1:
        key += [(name, style.GREY, "oD^v"[place % 4]) for place, name in enumerate(types)]
    return key


def _dots(axes, panel, types, scale):
    """The dots of a panel, their bars, and an × for a case without a time. Returns the colour of each line."""
    colours = []
    for place, (_, cases) in enumerate(panel):
        case = cases.iloc[0]
        colour = style.look_of(case["strategy"], cases["launches"].max())[0]
        colours.append(colour)
        if not cases["us"].notna().any():
            _no_time(axes, place, cases, colour)
            continue
        for line, (_, one) in enumerate(cases.sort_values("type", ascending=False, kind="stable").iterrows()):
            at = place + (0.26 * (line / (len(cases) - 1) - 0.5) if len(cases) > 1 else 0)
            mark = "oD^v"[types.index(one["type"]) % 4] if len(types) > 1 and one["type"] in types else "o"
            if pandas.isna(one["us"]):
                _no_time(axes, at, cases[cases["us"].isna()], colour)
                continue
            hollow = one["clock"] == "wall" and one["backend"] == "cuda"
            style.intervals(axes, [at], [one["low"] / scale], [one["high"] / scale], up=False, color=colour, linewidth=2.2, alpha=0.55,
                            zorder=2)
            axes.plot([one["us"] / scale], [at], mark, color=colour, markersize=6.5 if len(cases) == 1 else 5,
                      markeredgewidth=1.3, zorder=3, markerfacecolor="white" if hollow else colour)
    axes.set_ylim(len(panel) - 0.4, -0.6)
    axes.set_yticks(range(len(panel)), [""] * len(panel))
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", color="#EEEEEE", linewidth=0.6)
    axes.spines["left"].set_visible(False)
    return colours


def _faults(cases):
    """`wrong in 30, crashed in 2 of 60 runs`."""
    found = parts.statuses(cases)
    said = ", ".join(f"{status} in {style.grouped(count)}" for status, count in sorted(found.items()))
    return f"{said} of {parts.count_text(cases['rows'].sum(), 'run')}"


def _no_time(axes, place, cases, colour):
    """An × at the left margin, and the statuses of the runs."""
    axes.plot([0.0], [place], "x", color=colour, markersize=6, markeredgewidth=1.6, clip_on=False,
              transform=axes.get_yaxis_transform(), zorder=4)
    axes.annotate(_faults(cases), (0.0, place), (9, 0), xycoords=axes.get_yaxis_transform(),
                  textcoords="offset points", fontsize=8, color=colour, va="center_baseline")


def _time_axis(axes, panel, scale, unit):
    times = pandas.concat([cases for _, cases in panel])
    times = times[times["us"].notna()]
    if len(times):
        values = parts.extents(times, scale)
        if style.wants_log(values):
            style.log_axis(axes, "x", min(values), max(values), pad=1.35)
        else:
            style.linear_axis(axes, "x", 0.0, max(values))
    else:
        axes.set_xticks([])
    axes.set_xlabel(f"{MEASURES['time'].title}, {unit}" + ("" if len(times) else ": none"))


def _wide_panel(sheet, panel, top, height, types, scale, unit):
    """Strategy and mechanism, the dots, and at the right the columns time and device launches."""
    names = [", ".join(filter(None, [style.marked(cases["strategy"].iloc[0]), suffix])) for suffix, cases in panel]
    widest = max(style.text_width(name, 9) for name in names)
    by = max(style.text_width(parts.mechanism_text(cases["mechanism"].iloc[0]), 8) for _, cases in panel)
    start = style.MARGIN + widest + (by + 0.32 if by else 0.2)
    time_room = 0.72 if all(len(cases) == 1 for _, cases in panel) else 1.1
    width = style.WIDTH - start - time_room - 1.12
    axes = sheet.add(start, top, width, height)
    colours = _dots(axes, panel, types, scale)
    inch = 1 / width
    at = {"transform": axes.get_yaxis_transform(), "va": "center_baseline"}
    head = {"transform": axes.transAxes, "fontsize": 8, "color": "#777777", "va": "bottom"}
    y = 1 + 0.06 / height
    axes.text((style.MARGIN - start) * inch, y, "strategy", **head)
    if by:
        axes.text((style.MARGIN - start + widest + 0.14) * inch, y, "by", **head)
    axes.text(1 + time_room * inch, y, "time", ha="right", **head)
    axes.text(1 + (time_room + 1) * inch, y, "device launches", ha="right", **head)
    for place, (name, (_, cases), colour) in enumerate(zip(names, panel, colours)):
        case = cases.iloc[0]
        axes.text((style.MARGIN - start) * inch, place, name, fontsize=9, color=colour, **at)
        axes.text((style.MARGIN - start + widest + 0.14) * inch, place, parts.mechanism_text(case["mechanism"]), fontsize=8,
                  color="#777777", **at)
        of_types = cases.iloc[sorted(range(len(cases)), key=lambda row: parts.order_of(cases["type"].iloc[row]))]
        times = " / ".join(style.time_text(us) if pandas.notna(us) else "–" for us in of_types["us"])
        axes.text(1 + time_room * inch, place, times, fontsize=8.5 if len(cases) == 1 else 7, ha="right", **at)
        axes.text(1 + (time_room + 1) * inch, place, style.grouped(case["launches"]) if pandas.notna(case["launches"]) else "–",
                  fontsize=8.5, ha="right", **at)
    _time_axis(axes, panel, scale, unit)


def _narrow_panel(sheet, panel, left, top, height, title, several, types, scale, unit):
    """One of several panels: strategy (and mechanism), the dots, the time."""
    labels = [", ".join(filter(None, [parts.strategy_label(cases.iloc[0], several), suffix])) for suffix, cases in panel]
    widest = max(style.text_width(label, 8) for label in labels)
    start = left + style.MARGIN + widest + 0.12
    width = left + style.WIDTH / 2 - start - 0.75
    axes = sheet.add(start, top, width, height)
    colours = _dots(axes, panel, types, scale)
    at = {"transform": axes.get_yaxis_transform(), "va": "center_baseline", "fontsize": 8}
    axes.text((left + style.MARGIN - start) / width, 1 + 0.08 / height, title, transform=axes.transAxes, fontsize=9,
              fontweight="bold", color="#444444")
    for place, (label, (_, cases), colour) in enumerate(zip(labels, panel, colours)):
        axes.text((left + style.MARGIN - start) / width, place, label, color=colour, **at)
        if len(cases) == 1:
            words = style.time_text(cases["us"].iloc[0]) if cases["us"].notna().iloc[0] else "–"
            axes.text(1 + 0.66 / width, place, words, ha="right", **at)
    _time_axis(axes, panel, scale, unit)
