"""The figure that every workload of a user's own has: its times along what varies, a line for each strategy."""
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


def _title(title, panels, _):
    """With the last place of the first panel: the fastest form that launches from the device against the fastest flat one."""
    group, lines = panels[0]
    axis, last = _axis(group), max(x for line in lines for x in line.x)
    there = irregular.ends(lines, last)
    best = {is_nested: min((y, strategy) for nested, y, strategy in there if nested == is_nested) for is_nested in {nested for nested, _, _ in there}}
    if len(best) < 2:
        return f"{title}: time against {axis}"
    return f"{title}: at {parts.name_of(axis, last)}, {best[True][1]} takes {style.three(best[True][0] / best[False][0])} times the time of {best[False][1]}"


def times(part, shown, figure):
    """Times along what varies, a line for each strategy; a row for each if nothing varies."""
    axis = _axis(shown)
    title = logs.title_of(part.path, part.rows) or shown["workload"].iloc[0]
    sweep = irregular.Sweep(axis, lambda case: f"{axis.replace('_', ' ')}: {tables.own_meanings(case['workload']).get(axis, axis)}", of=of_own, least=2, kind="fit",
                  without=(axis,), places=lambda values: (dict(zip(values, values)), {"xtext": style.power_text}))
    tuned = parts.varying(shown, [name for name in tables.parameters_of(shown["workload"].iloc[0]) if name not in [axis, *irregular.work_columns(shown)]])
    swept = irregular.Swept((sweep,), lambda *found: _title(title, *found[1:]), lambda _: [f"A point is the fastest by {', '.join(tuned)}."] if tuned else [],
                  height=2.6, most=irregular.MOST_PANELS)
    return (swept.draw(part, shown, figure) if axis else None) or figures_rows.strategies(part, shown, figure)
