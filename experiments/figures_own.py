"""The figure that every workload of a user's own has: its times along what varies, a line for each strategy."""
import math

import numpy
import pandas

import figure_parts as parts
import figure_style as style
import figures_irregular as irregular
import figures_rows
import logs
import tables


def of_own(cases):
    return cases[cases["workload"].map(tables.is_own).astype(bool)]


def _axis(own):
    """The column of numbers along which the times of a user's own workload are drawn: of those that vary its size, otherwise what else is its
    problem, otherwise what tunes it, and of several that with the most values. None if nothing varies."""
    parameters = tables.parameters_of(own["workload"].iloc[0])
    there = [name for name in parts.varying(own, parameters) if pandas.to_numeric(own[name], errors="coerce").notna().all()]
    return max(there, key=lambda name: (name in tables.size_columns(), parameters[name]["problem"], own[name].nunique()), default=None)


def _ratio(lines, last):
    """(the ratio, its two forms): the fastest form that launches from the device against the fastest flat one at a place. The ratio is None where
    their intervals overlap. None without both, or without intervals."""
    best = {}
    for line in lines:
        for case in line.cases[numpy.equal(line.x, last) & line.cases["y"].notna()].to_dict("records"):
            nested = irregular.launches_grids(line.mechanism)
            best[nested] = min(best.get(nested, (case["y"], line.strategy, case)), (case["y"], line.strategy, case), key=lambda one: one[:2])
    if len(best) < 2 or any(one[2]["y_low"] != one[2]["y_low"] for one in best.values()):
        return None
    (nested, name, case), (flat, flat_name, flat_case) = best[True], best[False]
    overlap = case["y_low"] <= flat_case["y_high"] and flat_case["y_low"] <= case["y_high"]
    return None if overlap else nested / flat, (name, flat_name)


def _title(title, panels, shown):
    """With the last place of all panels: the fastest form that launches from the device against the fastest flat one, over the panels in which a
    difference is seen."""
    axis = _axis(shown)
    last = max((x for _, lines in panels for line in lines for x, y in zip(line.x, line.cases["y"]) if y == y), default=None)
    varied = parts.varying(shown, irregular.work_columns(shown, (axis,)))
    found = [(irregular.work_text(group.iloc[0], varied), *ratio) for group, lines in panels if (ratio := _ratio(lines, last))]
    if not found:
        return f"{title}: time against {axis}"
    pairs = {pair for *_, pair in found}
    nested, flat = pairs.pop() if len(pairs) == 1 else ("the fastest form that launches", "the fastest flat form")
    seen, unseen = sorted((ratio, text) for text, ratio, _ in found if ratio), [text for text, ratio, _ in found if not ratio]

    def at(text):
        return f" ({text})" if len(panels) > 1 else ""

    one = len(seen) == 1
    ratios = " to ".join(f"{style.three(ratio)}{'' if one else at(text)}" for ratio, text in dict.fromkeys([*seen[:1], *seen[-1:]]))
    words = [f"{nested} takes {ratios} times the time of {flat}"] if seen else []
    if unseen:
        where = at(unseen[0]) if len(unseen) == 1 else f" in {len(unseen)} of {len(panels)} panels"
        words.append("no difference seen" + where + ("" if seen else f" between {nested} and {flat}"))
    return f"{title}: at {parts.name_of(axis, last)}{at(seen[0][1]) if one else ''}, {'; '.join(words)}"


def _kind(values):
    """The kind of an axis with these values: linear if they are spread more evenly so than on a logarithmic one."""
    def unevenness(places):
        gaps = [after - before for before, after in zip(places, places[1:])]
        return max(gaps, default=1) / min(gaps, default=1)

    values = sorted(set(values))
    return "steps" if unevenness(values) < 2 * (unevenness([math.log(value) for value in values]) if values[0] > 0 else 1) else "swept"


def times(part, shown, figure):
    """Times along what varies, a line for each strategy; a row for each if nothing varies."""
    axis = _axis(shown)
    title = logs.title_of(part.path, part.rows) or shown["workload"].iloc[0]
    sweep = irregular.Sweep(axis, lambda case: f"{axis.replace('_', ' ')}: {tables.own_meanings(case['workload']).get(axis, axis)}", of=of_own, least=2, kind="fit", crosses=0,
                  without=(axis,), places=lambda values: (dict(zip(values, values)), {"x": _kind(values), "xtext": style.power_text}))
    tuned = parts.varying(shown, [name for name in tables.parameters_of(shown["workload"].iloc[0]) if name not in [axis, *irregular.work_columns(shown)]])
    swept = irregular.Swept((sweep,), lambda _, panels, all_shown: _title(title, panels, all_shown), lambda _: [f"A point is the fastest by {', '.join(tuned)}."] if tuned else [],
                  height=2.6, most=irregular.MOST_PANELS)
    return (swept.draw(part, shown, figure) if axis else None) or figures_rows.strategies(part, shown, figure)
