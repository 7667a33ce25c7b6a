"""The figures of irregular workloads along their size and over their inputs: the best case of each strategy."""
import figure_parts as parts
import figure_style as style
import figures_irregular as irregular
import tables
from figure_style import Sheet
from figures_sweeps import nothing_timed

SIZE = ["elements", "nx", "ny"]
LINE_HEIGHT = 0.2


def sizes(cases):
    """Irregular cases of the same work in three sizes or more."""
    return _with_several(irregular.prepared(cases), SIZE, "elements")


def inputs(cases):
    """Irregular cases of the same size with three inputs or more. Each tree of a search has a size of its own, which is then part of the
    name of the input."""
    own = irregular.prepared(cases)
    trees = own["workload"] == "search"
    if trees.any():
        named = own[trees].apply(lambda case: irregular.work_text(case, ["input", "elements"]), axis=1)
        own = own.assign(input=own["input"].mask(trees, named), elements=own["elements"].mask(trees))
    return _with_several(own, ["input"], "input")


def _with_several(own, without, axis):
    groups = [group for group in irregular.by_work(own, without=without)
              if any(form[axis].nunique() >= 3 for form in parts.grouped_by(group, ["strategy", "mechanism"]))]
    return own[own.index.isin([index for group in groups for index in group.index])]


def _forms(panel, axis):
    """[(strategy, mechanism, its fastest case for each value of the axis)], those with two values or more. Cases whose threshold leaves
    nothing to launch are left out."""
    found = []
    for form in parts.grouped_by(panel[~(panel["by_need"] & (panel["aggregate"] != "") & (panel["expected"] == 0))], ["strategy", "mechanism"]):
        best = form.dropna(subset=["us"]).sort_values("us", kind="stable").groupby(axis).head(1).sort_values(axis)
        if len(best) >= 2:
            found.append((form.iloc[0]["strategy"], form.iloc[0]["mechanism"], best))
    return found


def _is_flat(mechanism):
    return mechanism in ("", "none", "host", "host_graph", "grid_sync")


def form_label(strategy, mechanism):
    by = "" if _is_flat(mechanism) else f", {parts.mechanism_text(mechanism)}"
    return f"{style.marked(strategy)}{by}"


def _apart(sizes):
    """The sizes that have room for a label on a logarithmic axis."""
    least = (sizes[-1] / sizes[0]) ** 0.04
    found = [sizes[-1]]
    for size in reversed(sizes[:-1]):
        if found[-1] / size >= least:
            found.append(size)
    return found


def _size_title(title, panels):
    """With the largest size of the first panel: the fastest form that launches from the device against the fastest flat one."""
    forms = [(mechanism, best.iloc[-1]) for _, mechanism, best in _forms(panels[0], "elements")]
    largest = max(case["elements"] for _, case in forms)
    there = [(_is_flat(mechanism), case["us"], case["strategy"]) for mechanism, case in forms if case["elements"] == largest]
    if len({flat for flat, _, _ in there}) < 2:
        return title
    nested, flat = (min((us, strategy) for is_flat, us, strategy in there if is_flat == wanted) for wanted in (False, True))
    return f"{title}: at {style.power_text(largest)}, {nested[1]} takes {style.three(nested[0] / flat[0])} times the time of {flat[1]}"


def by_size(part, shown, figure):
    """A panel for each work; a line for each strategy and mechanism: time per element of its fastest case at each size."""
    if not shown["us"].notna().any():
        return nothing_timed(figure.title, part, shown)
    panels = [panel for panel in irregular.by_work(shown, without=SIZE) if _forms(panel, "elements")]
    sheet = Sheet(_size_title(figure.title, panels), [], "Solid: launches from the device. Dashed: flat forms.")
    left, height = 0.72, 3.4
    labels = [form_label(strategy, mechanism) for panel in panels for strategy, mechanism, _ in _forms(panel, "elements")]
    room = max(style.text_width(label, 8) for label in labels) + 0.35
    for place, panel in enumerate(panels):
        case = panel.iloc[0]
        text = irregular.work_text(case, parts.varying(shown, irregular.work_columns(shown, SIZE)))
        axes = sheet.add(left, 0.2 + place * (height + 0.85), style.WIDTH - left - room - style.MARGIN, height, text)
        ends, every = [], []
        searched = case["workload"] == "search"  # whose nodes are not in proportion to its size
        lines = [parts.Line(form_label(strategy, mechanism), strategy, mechanism, None, list(best["elements"]), best)
                 for strategy, mechanism, best in _forms(panel, "elements")]
        parts.dress(lines)
        for line in lines:
            each = list(line.cases["us"] if searched else line.cases["us"] * 1000 / line.cases["elements"])
            axes.plot(line.x, each, color=line.colour, marker=line.mark, markersize=4.5, linestyle=(0, (4, 2)) if _is_flat(line.mechanism) else "-",
                      clip_on=False, zorder=3)
            ends.append((line.x[-1], each[-1], line.label, line.colour))
            every += each
        steps = sorted(panel["elements"].unique())
        style.log_axis(axes, "x", steps[0], steps[-1])
        style.ticks(axes.xaxis, steps, {float(size): style.power_text(size) for size in _apart(steps)})
        style.log_axis(axes, "y", min(every), max(every))
        items = irregular.TREES[case["input"]] if searched else tables.items_of(case["workload"])
        axes.set_xlabel(items)
        axes.set_ylabel("time, µs" if searched else f"ns per {irregular.ONE.get(items, items.removesuffix('s'))}")
        sheet.end_labels(axes, ends)
    sheet.notes.append("A point is the fastest case of its strategy and mechanism at that size.")
    return sheet.finish(parts.caption_of(part, shown))


def by_input(part, shown, figure):
    """A line for each input; a dot for each strategy and mechanism: its fastest case."""
    if not shown["us"].notna().any():
        return nothing_timed(figure.title, part, shown)
    panels = [panel for panel in irregular.by_work(shown, without=["input"]) if _forms(panel, "input")]
    looks = style.looks_in_turn(form[:2] for panel in panels for form in _forms(panel, "input"))
    sheet = Sheet(figure.title, [(form_label(*form), colour, mark) for form, (colour, mark) in looks.items()])
    left, top = 1.1, 0.25
    for panel in panels:
        case = panel.iloc[0]
        timed = {name for _, _, fastest in _forms(panel, "input") for name in fastest["input"]}
        names = [name for name in dict.fromkeys(panel["input"]) if name in timed]
        height = LINE_HEIGHT * len(names) + 0.25
        axes = sheet.add(left, top, style.WIDTH - left - 2 * style.MARGIN, height, irregular.work_text(case, irregular.work_columns(panel, ["input"])))
        top += height + 0.85
        every = []
        for strategy, mechanism, fastest in _forms(panel, "input"):
            every += list(fastest["us"])
            colour, mark = looks[strategy, mechanism]
            best = fastest.set_index("input")["us"]
            axes.plot([best[name] for name in names if name in best], [place for place, name in enumerate(names) if name in best], mark,
                      color=colour, markersize=5.5, alpha=0.9, markeredgewidth=0)
        style.log_axis(axes, "x", min(every), max(every))
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("time, µs")
    sheet.notes.append("A dot is the fastest case of its strategy and mechanism.")
    return sheet.finish(parts.caption_of(part, shown))
