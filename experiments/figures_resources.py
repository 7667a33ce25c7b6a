"""The figure of a launch as a change of resources (resources.cfg): one grid for all against forms of two kernels."""
import pandas

import figure_parts as parts
import figure_style as style
from figure_style import Sheet
from figures_sweeps import nothing_timed

SCAN_BYTES = 16  # of a point of the scan
LAUNCHED, TOGETHER = "icp_launches", "icp_cooperative"
COLOURS = dict(zip((1, 2, 4, 8), style.scale_colours(4)))  # by scan points of a thread
MARKS = {256: "v", 512: "D", 1024: "^"}  # by threads of a block
WORDS = {"elements": "{} scan points", "dwell": "one scan point of {} is near the surface"}
AXES = {"elements": "MB that an iteration reads", "dwell": "one scan point of so many is near the surface"}


def _prepared(cases):
    own = cases[cases["workload"] == "icp"]
    numbers = {name: pandas.to_numeric(own[name], errors="coerce") for name in ("elements", "dwell", "block", "budget")}
    return own.assign(**numbers)


def resources(cases):
    """Cases of icp, if it has launches and one grid for the same scan."""
    own = _prepared(cases)
    launched, together = (own[own["strategy"] == name] for name in (LAUNCHED, TOGETHER))
    both = set(map(tuple, launched[["elements", "dwell"]].values)) & set(map(tuple, together[["elements", "dwell"]].values))
    return own if both else own[:0]


def _label(case):
    if case["strategy"] == TOGETHER:
        return f"{style.marked(TOGETHER)}, {case['block']:.0f} × {case['budget']:.0f}"
    return ", ".join(filter(None, [style.marked(case["strategy"]), parts.mechanism_text(case["mechanism"])]))


def _lines(panel, axis):
    """{label: [(value of the axis, time over that of the fastest launches, case)]}: one grid by block and points of a thread, the others by their
    fastest case."""
    least = panel[panel["strategy"] == LAUNCHED].groupby(axis)["us"].min()
    lines = {}
    for form in parts.grouped_by(panel[panel[axis].isin(least.index)], ["strategy", "mechanism"]):
        chosen = parts.grouped_by(form, ["block", "budget"]) if form.iloc[0]["strategy"] == TOGETHER else [form]
        for cases in chosen:
            best = cases.sort_values("us", kind="stable").groupby(axis).head(1).sort_values(axis)
            if len(best) >= 2:
                lines[_label(best.iloc[0])] = [(case[axis], case["us"] / least[case[axis]], case) for _, case in best.iterrows()]
    return lines


def _panels(shown):
    """[(axis, what the panel has one of, its lines)]"""
    found = []
    timed = _prepared(shown).dropna(subset=["us"])
    for axis, other in (("elements", "dwell"), ("dwell", "elements")):
        for panel in parts.grouped_by(timed, [other]):
            if panel[panel["strategy"] == LAUNCHED][axis].nunique() >= 3 and panel[panel["strategy"] == TOGETHER][axis].nunique() >= 3:
                found.append((axis, WORDS[other].format(style.grouped(panel.iloc[0][other])), _lines(panel, axis)))
    return found


def _title(title, panels):
    """What the best and the worst one grid take at the largest scan of the first panel."""
    ends = [line[-1][1] for label, line in panels[0][2].items() if label.startswith(style.marked(TOGETHER))]
    if not ends:
        return title
    return f"{title}: with the largest scan, one grid takes {style.three(min(ends))} to {style.three(max(ends))} times the time of launches"


def over_launches(part, shown, figure):
    """A panel against the bytes of an iteration, and one against the share of the work in the leaves."""
    panels = _panels(shown)
    if not panels:
        return nothing_timed(figure.title, part, shown)
    sheet = Sheet(_title(figure.title, panels), [], "Solid: launches from the device. Dashed: flat forms.")
    left, height = 0.72, 4.2
    room = max(style.text_width(label, 8) for _, _, lines in panels for label in lines) + 0.35
    for place, (axis, text, lines) in enumerate(panels):
        width = style.WIDTH - left - room - style.MARGIN
        axes = sheet.add(left, 0.2 + place * (height + 0.9), width, height, text)
        ends, every = [], [1.0]
        for label, line in lines.items():
            case = line[0][2]
            colour, mark, _ = style.look_of(case["strategy"])
            if case["strategy"] == TOGETHER:
                colour = COLOURS.get(case["budget"], colour)
                mark = MARKS.get(case["block"], mark)
            x = [value * SCAN_BYTES / 1e6 if axis == "elements" else value for value, _, _ in line]
            y = [ratio for _, ratio, _ in line]
            solid = case["strategy"] in (LAUNCHED, "icp_graph")
            axes.plot(x, y, color=colour, marker=mark, markersize=4, linestyle="-" if solid else (0, (4, 2)), clip_on=False, zorder=3)
            ends.append((x[-1], y[-1], label, colour))
            every += y
        axes.axhline(1, color=style.INK, linewidth=0.8, zorder=1)
        style.log_axis(axes, "y", min(every), max(every))
        scale = SCAN_BYTES / 1e6 if axis == "elements" else 1
        style.binary_axis(axes, "x", {value * scale for line in lines.values() for value, _, _ in line}, width, style.three if axis == "elements" else style.grouped)
        axes.set_xlabel(AXES[axis])
        axes.set_ylabel("time over the best launches")
        sheet.end_labels(axes, ends)
    sheet.notes.append("A point is the fastest case of its form; of one grid, by threads of a block × scan points of a thread at a time.")
    return sheet.finish(parts.caption_of(part, shown))
