"""The figure of many tenants: time against the width of a level, and the time of one tenant against the gap between arrivals."""
import pandas

import figure_parts as parts
import figure_style as style
import tables
from figure_style import Sheet
from figures_sweeps import nothing_timed

WIDTH_AXIS, GAP_AXIS = "grain", "delta"
QUEUE = "tenants_queue"
NEAR = 1.1  # from here on a launch takes about as long as the queue


def tenants(cases):
    """Tenants with three widths of a level or more, or two gaps between arrivals."""
    own = cases[cases["workload"] == "tenants"]
    own = own.assign(**{name: pandas.to_numeric(own[name], errors="coerce") for name in (WIDTH_AXIS, GAP_AXIS)})
    return own if len(_panels(own)) else own[:0]


def _panels(cases):
    """[(axis, measure, cases)]: tenants that arrive together by three widths or more, and others by two gaps or more, that agree in all else that is the
    problem."""
    found = []
    for axis, measure, least, own in ((WIDTH_AXIS, "us", 3, cases[cases["input"] == "together"]), (GAP_AXIS, "latency", 2, cases[cases["input"] == "poisson"])):
        beside = [name for name in ("elements", "levels", "dwell", "seed", WIDTH_AXIS) if name != axis]
        found += [(axis, measure, group) for group in parts.grouped_by(own, beside) if group[axis].nunique() >= least]
    return found


def _lines(axis, measure, cases):
    """[(strategy, mechanism, {place: time})]: the fastest case of each form at each place; of those that launch, one that launches something."""
    found = []
    idle = cases["mechanism"].map(_launches) & (cases["expected"] == 0)
    for form in parts.grouped_by(cases[~idle].dropna(subset=["us"]), ["strategy", "mechanism"]):
        best = form.groupby(axis)[measure].min().sort_index()
        if len(best) >= 2:
            found.append((form["strategy"].iloc[0], form["mechanism"].iloc[0], best.to_dict()))
    return found


def _launches(mechanism):
    return mechanism in tables.those("mechanisms", "from_device")


def _crossover(lines):
    """The least width from which on the best launch takes at most NEAR times the time of the queue, None if there is none; and the times of both."""
    queue, launches, near = {}, {}, None
    for strategy, mechanism, times in lines:
        found = queue if strategy == QUEUE else launches if _launches(mechanism) else {}
        found.update({place: min(time, found.get(place, time)) for place, time in times.items()})
    for place in sorted(set(queue) & set(launches), reverse=True):
        if launches[place] > NEAR * queue[place]:
            break
        near = place
    return near, queue, launches


def _title(panels):
    near, queue, launches = _crossover(panels[0][3]) if panels[0][0] == WIDTH_AXIS else (None, {}, {})
    both = sorted(set(queue) & set(launches))
    if not both:
        return "Many tenants: the time of one against the gap between arrivals"
    worst = f"the best launch takes {style.three(launches[both[0]] / queue[both[0]])} times as long as a queue at {style.grouped(both[0])} nodes a level"
    return f"Many tenants: {worst}, and " + (
        f"within {round(100 * (NEAR - 1))} % of it from {style.grouped(near)} nodes a level on" if near is not None else f"never within {round(100 * (NEAR - 1))} % of it")


def _label(strategy, mechanism):
    return ", ".join(filter(None, [style.marked(strategy), parts.mechanism_text(mechanism)]))


def by_width(part, shown, figure):
    """A panel for each problem: a line for each strategy and mechanism."""
    panels = [(axis, measure, cases, _lines(axis, measure, cases)) for axis, measure, cases in _panels(shown)]
    panels = [panel for panel in panels if panel[3]]
    if not panels:
        return nothing_timed(figure.title, part, shown)
    sheet = Sheet(_title(panels), [], "Solid: launches from the device. Dashed: flat forms.")
    flat = list(dict.fromkeys(line[:2] for panel in panels for line in panel[3] if not _launches(line[1])))
    colours = {form: style.on_page(style.shade(style.FLAT_COLOURS[place % 4], place // 4))["light"] for place, form in enumerate(flat)}
    left, height = 0.72, 3.4
    room = max(style.text_width(_label(*line[:2]), 8) for panel in panels for line in panel[3]) + 0.35
    for place, (axis, measure, cases, lines) in enumerate(panels):
        count = style.grouped(cases["elements"].iloc[0])
        text = f"{count} tenants that arrive together" if axis == WIDTH_AXIS else (
            f"{count} tenants of {style.grouped(cases[WIDTH_AXIS].iloc[0])} nodes a level that arrive at random times")
        width = style.WIDTH - left - room - style.MARGIN
        axes = sheet.add(left, 0.25 + place * (height + 0.9), width, height, text)
        every, ends = [], []
        for strategy, mechanism, times in lines:
            nested = _launches(mechanism)
            colour = style.mechanism_look(mechanism)[1] if nested else colours[strategy, mechanism]
            mark = style.mechanism_mark(mechanism) if nested else style.look_of(strategy)[1]
            axes.plot(list(times), list(times.values()), color=colour, marker=mark, markersize=4, linestyle="-" if nested else (0, (4, 2)), clip_on=False, zorder=3)
            ends.append((max(times), times[max(times)], _label(strategy, mechanism), colour))
            every += times.values()
        style.log_axis(axes, "y", min(every), max(every))
        if axis == WIDTH_AXIS:
            style.binary_axis(axes, "x", {at for *_, times in lines for at in times}, width)
            axes.set_xlabel("nodes of a level, on average")
            axes.set_ylabel("time of all tenants, µs")
        else:
            style.log_axis(axes, "x", min(at for *_, times in lines for at in times), max(at for *_, times in lines for at in times))
            axes.set_xlabel("mean gap between two arrivals, µs")
            axes.set_ylabel("from arrival to end, median of tenants, µs")
        sheet.end_labels(axes, ends)
    sheet.notes.append("A point is the fastest case of its strategy and mechanism: its block, threshold, waves and streams. A case of a launching form that launches nothing is left out.")
    return sheet.finish(parts.caption_of(part, shown))
