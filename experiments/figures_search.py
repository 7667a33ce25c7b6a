"""The figures of tree searches along their budget and their cut-off: time and device launches."""
import pandas

import figure_parts as parts
import figure_style as style
import figures_irregular as irregular
import figures_sizes as sizes
from figure_style import Sheet
from figures_sweeps import nothing_timed

NO_CUTOFF = 65535  # kNoCutoff of src/workloads/search/search_nodes.hpp: no thread searches alone


def budgets(cases):
    """Searches of the same tree with three budgets or more."""
    return _along(cases, "budget")


def cutoffs(cases):
    """Searches of the same tree with three cut-offs or more."""
    return _along(cases, "cutoff")


def _along(cases, axis):
    own = irregular.prepared(cases)
    own = own.assign(**{axis: pandas.to_numeric(own[axis], errors="coerce")})
    found = [group for group in irregular.by_work(own) if _forms(group, axis)]
    return pandas.concat(found) if found else own[:0]


def _forms(group, axis):
    """[(strategy, mechanism, its cases)] of the forms with three values or more of the axis."""
    return [(form.iloc[0]["strategy"], form.iloc[0]["mechanism"], form) for form in parts.grouped_by(group, ["strategy", "mechanism"])
            if form[axis].nunique() >= 3]


def _fastest(form, axis):
    return form.dropna(subset=["us"]).sort_values("us", kind="stable").groupby(axis).head(1).sort_values(axis)


def _places(steps, axis):
    """{value: place on the axis}. No cut-off is drawn one step after the largest cut-off, because its number is far away."""
    far = axis == "cutoff" and steps[-1] == NO_CUTOFF and len(steps) > 2
    return {step: steps[-2] ** 2 / steps[-3] if far and step == NO_CUTOFF else step for step in steps}


def by_budget(part, shown, figure):
    return _draw(part, shown, figure.title, "budget", "nodes per thread before the block leaves the rest")


def by_cutoff(part, shown, figure):
    return _draw(part, shown, figure.title, "cutoff", "depth from which a thread searches alone")


def _draw(part, shown, title, axis, label):
    """A row for each tree: at the left the time, at the right the device launches; a line for each strategy and mechanism: its fastest
    case at each value."""
    if axis in irregular.own_meanings(shown):
        title, label = f"Time against the {axis}", axis
    panels = [[(strategy, mechanism, _fastest(form, axis)) for strategy, mechanism, form in _forms(group, axis)]
              for group in irregular.by_work(shown)]
    panels = [[line for line in panel if len(line[2]) >= 2] for panel in panels]
    panels = [panel for panel in panels if panel]
    if not panels:
        return nothing_timed(title, part, shown)
    looks = style.looks_in_turn(line[:2] for panel in panels for line in panel)
    names = ["input", "elements", *parts.varying(shown, irregular.work_columns(shown))]
    best = min((best.loc[best["us"].idxmin()] for panel in panels[:1] for _, _, best in panel), key=lambda case: case["us"])
    title = (f"{title}: {irregular.work_text(best, names)} is fastest by {best['strategy']}, "
             f"{axis} {style.grouped(best[axis])}")
    sheet = Sheet(title, [(sizes.form_label(*form), colour, mark) for form, (colour, mark) in looks.items()])
    left, gap, height = 0.85, 0.78, 2.0
    width = (style.WIDTH - left - gap - 2 * style.MARGIN) / 2
    for row, panel in enumerate(panels):
        name = irregular.work_text(panel[0][2].iloc[0], names)
        places = _places(sorted({step for _, _, cases in panel for step in cases[axis]}), axis)
        fields = [("us", "time, µs"), ("launches", "device launches")]
        for column, (field, unit) in enumerate(fields if any((cases["launches"] > 0).any() for _, _, cases in panel) else fields[:1]):
            axes = sheet.add(left + column * (width + gap), 0.3 + row * (height + 0.85), width, height, name if column == 0 else "")
            every = []
            for strategy, mechanism, cases in panel:
                drawn = cases[cases[field] > 0]
                colour, mark = looks[strategy, mechanism]
                axes.plot([places[step] for step in drawn[axis]], drawn[field], color=colour, marker=mark, markersize=4.5)
                every += list(drawn[field])
            ends = list(places.values())
            style.log_axis(axes, "x", ends[0], ends[-1])
            style.ticks(axes.xaxis, ends, {float(f"{place:.9g}"): "none" if place != step else style.grouped(step) for step, place in places.items()})
            style.log_axis(axes, "y", min(every), max(every))
            axes.set_xlabel(label)
            axes.set_ylabel(unit)
    sheet.notes.append("A point is the fastest case of its strategy and mechanism. Forms that launch nothing from the device have no line at the right.")
    sheet.notes += irregular.notes_of_own(shown, axis)
    if axis == "cutoff" and (shown[axis].astype(float) == NO_CUTOFF).any():
        sheet.notes.append(f"none: cutoff {style.grouped(NO_CUTOFF)}, no thread searches alone.")
    return sheet.finish(parts.caption_of(part, shown))
