"""What the page of report.py draws, from the table of figures: the series of each figure and log, with their names
and looks."""
import math

import pandas

import figure_parts as parts
import figure_style as style
from measures import AXES

# MARKS and DASHES of figure_style, in the same order, as plotly names them; and the marks as text, for legends.
GLYPHS = {"circle": "●", "square": "■", "diamond": "◆", "triangle-up": "▲", "triangle-down": "▼", "cross": "✚", "triangle-left": "◀",
          "triangle-right": "▶", "pentagon": "⬟", "hexagon": "⬢", "star": "★", "diamond-tall": "♦"}
SYMBOLS = list(GLYPHS)
DASHES = ["solid", "7px,4px", "2px,3px", "8px,3px,2px,3px"]
SHAPE = ["type", "elements", "grid", "block", "nx", "ny"]
UNUSUAL = ("grid", "graphs")  # named in a series only if it differs from most others
OWN = 1e6  # the weight of the experiment that a figure is made for


def machine_of(case):
    """The machine of a case. No figure mixes machines."""
    if case["backend"] == "cuda":
        return case["gpu"] or "a GPU without a name"
    return f"{case['backend']} executor" + (f" ({case['gpu']})" if case["gpu"] else "")


def look(colour, mark=style.MARKS[0], dash=style.DASHES[0]):
    """A look of figure_style, for the page."""
    return {**style.on_page(colour), "symbol": SYMBOLS[style.MARKS.index(mark)], "dash": DASHES[style.DASHES.index(dash)]}


def labels_of(firsts, names, ways=False):
    """A name for each series, from its first case: strategy and mechanism, as in the figures, and the values of
    `names` that distinguish series that would otherwise have the same name. `ways`: always with the mechanism."""
    ways_of = {}
    for case in firsts:
        ways_of.setdefault(case["strategy"], set()).add(case["mechanism"])
    several = {strategy: len(mechanisms) for strategy, mechanisms in ways_of.items()}
    one = len(several) == 1 and max(several.values()) > 1
    labels = [parts.mechanism_text(case["mechanism"]) if one and not ways else
              parts.strategy_label(case, {case["strategy"]: 2} if ways else several) for case in firsts]
    for name in names:
        alike = {}
        for label, case in zip(labels, firsts):
            alike.setdefault(label, set()).add(str(case[name]))
        if any(len(values) > 1 for values in alike.values()):
            said = [parts.name_of(name, case[name]) for case in firsts]
            there = [word for word in said if word]
            usual = max(there, key=there.count)  # left out if most series have it
            usual = usual if there.count(usual) > len(there) / 2 and name in UNUSUAL else ""
            words = ["" if case[name] == "full" or word == usual else word for case, word in zip(firsts, said)]
            labels = [", ".join(filter(None, both)) for both in zip(labels, words)]
    return labels


def places_on(cases, axis):
    """The positions of cases on an axis. Words are beyond all numbers, and a case without a position is NaN."""
    words = {word: math.inf if side == "after" else -math.inf for word, side in AXES[axis].words.items()}
    values = cases[AXES[axis].field]
    return pandas.to_numeric(values, errors="coerce").replace([math.inf, -math.inf], math.nan).fillna(values.map(words).astype(float))


def line_view(figure, cases, axis):
    """The series of one log against an axis. They are the groups of cases with two or more positions on it; the
    single points, unless they outnumber the groups; and cases without a position (flat kernels have no depth) but
    with the size of one of the groups, which are drawn as lines across. None if there is no series, or if there are
    only single points and the figure has other axes."""
    places, names = places_on(cases, axis), parts.names_beside(axis)
    groups = parts.along(cases, axis, places, least=1)
    found = [group for group in groups if group["x"].nunique() > 1]
    single = [group for group in groups if group["x"].nunique() == 1]
    if not groups or not found and len(figure.axes) > 1:
        return None
    # Another figure shows rates at one size.
    found += single if not found or len(single) <= len(found) and axis != "elements" else []
    sizes, flat = [*SHAPE, "block_shape"], cases[places.isna() & cases["launched"].isna()]
    beside = parts.grouped_by(pandas.concat(found), sizes) if len(flat) else []
    groups = found + [across for sized in beside for across in parts.grouped_by(parts.alike(flat, sized.iloc[0], sizes),
                                                                               ["strategy", "mechanism", *names])]
    labels = labels_of([group.iloc[0] for group in groups],
                       [*names, *(name for name in parts.CHOSEN if name != axis and name not in names)])
    rows = sorted(zip(labels, groups), key=lambda row: (*parts.rank_of(row[1].iloc[0]), row[0]))
    lines = [parts.Line(label, group["strategy"].iloc[0], group["mechanism"].iloc[0], None, list(group.index), group)
             for label, group in rows]
    parts.dress(lines)  # as in the figures
    series = [{"name": line.label, "cases": line.x, "look": look(line.colour, line.mark, line.dash), "across": "x" not in line.cases}
              for line in lines]
    shown, log = {index for line in lines for index in line.x}, cases["log"].iloc[0]
    return {"axis": axis, "value": log, "text": log, "weight": 1000 * places.loc[list(shown)].nunique() + len(series),
            "series": series, "apart": [index for index in cases.index if index not in shown]}


def dot_views(cases):
    """One view per size: cases of one log that do the same in different ways; single cases if no two do the same.
    Cases without a depth or delay belong to the full recursion without delay."""
    sized = cases.assign(depth=cases["depth"].where((cases["depth"] != "") | cases["launched"].notna(), "full"),
                         delay_us=cases["delay_us"].fillna(0))
    groups = parts.grouped_by(sized, [*SHAPE, "depth", "delay_us"])
    records = dict(zip(sized.index, sized.to_dict("records")))
    for group in [group for group in groups if len(group) > 1] or groups:
        rows = [records[index] for index in group.index]
        case = rows[0]
        names = ["type", "nx", "ny", "grid", "block", *(["elements"] if pandas.isna(case["grid"]) else []),
                 *(["depth"] if case["depth"] != "full" else []), *(["delay_us"] if case["delay_us"] else [])]
        labels = labels_of(rows, [*parts.case_names(), *parts.CHOSEN], ways=True)
        value = "/".join("" if pandas.isna(cell) else cell if isinstance(cell, str) else f"{cell:.15g}"
                         for cell in (case[name] for name in ("log", *SHAPE, "depth", "delay_us")))
        yield {"value": value, "text": f"{case['log']}: {parts.shape_text(group, names)}", "weight": group["strategy"].nunique(),
               "series": [{"name": label, "cases": [index], "look": look(*style.look_of(case["strategy"], case["launches"]))}
                          for label, index, case in zip(labels, group.index, rows)], "apart": []}


def _columns():
    return ["log", "workload", "strategy", "mechanism", *parts.case_names(), *parts.CHOSEN, "depths", "launched", "whole", "launches"]


def views_of(figure, groups):
    """The views of a figure, best first: one per machine, log, workload, and axis or size. `groups` are (cases, {figure: the cases that it
    takes}) of each machine and log, with `machine` and `log`, the measures, and the columns of parts.with_levels. Series are lists of
    indices of cases."""
    found = []
    for own, taken in groups:
        if figure not in taken and not figure.last:
            continue
        every = (own if figure.last else taken[figure])[_columns()]
        for shown in parts.grouped_by(every, ["workload"]):
            views = [line_view(figure, shown, axis) for axis in figure.axes] if figure.axes else dot_views(shown)
            weight = OWN if (shown["experiment"] == figure.experiment).any() else 0
            found += [{**view, "machine": own["machine"].iloc[0], "log": shown["log"].iloc[0], "workload": shown["workload"].iloc[0],
                       "weight": view["weight"] + weight} for view in views if view]
    return sorted(found, key=lambda view: (-view["weight"], view["value"]))
