"""The figure of launches by depth: how wide the recursion of an irregular workload is at each depth of the launch tree."""
import figure_parts as parts
import figure_style as style
import figures_irregular as irregular
from figure_style import Sheet
from figures_sweeps import nothing_timed


def counts(case):
    """The launches at each depth."""
    return [int(float(number)) for number in str(case["launches_by_depth"]).split()]


def depths(cases):
    """Cases that launch a grid for each part at two depths or more."""
    own = irregular.prepared(cases)
    own = own[own["by_need"] & (own["group"] == "none")]
    return own[own["launches_by_depth"].map(lambda text: len(str(text).split()) >= 2)]


def _widest(panel):
    """[(strategy, input, the case with the most launches)]"""
    found = []
    for form in parts.grouped_by(panel, ["strategy", "input"]):
        case = form.sort_values("launches", ascending=False, kind="stable").iloc[0]
        found.append((case["strategy"], case["input"], case))
    return found


def by_depth(part, shown, figure):
    """A panel for each work; a line for each strategy and input: the launches at each depth of its case with the most launches."""
    if not len(shown):
        return nothing_timed(figure.title, part, shown)
    sheet = Sheet(figure.title, [])
    left, height = 0.72, 2.6
    panels = irregular.by_work(shown, without=["input"])
    labels = [f"{style.marked(strategy)}, {name}" for panel in panels for strategy, name, _ in _widest(panel)]
    room = max(style.text_width(label, 8) for label in labels) + 0.35
    for place, panel in enumerate(panels):
        axes = sheet.add(left, 0.2 + place * (height + 0.85), style.WIDTH - left - room - style.MARGIN, height,
                         irregular.work_text(panel.iloc[0], parts.varying(shown, irregular.work_columns(shown, ["input"]))))
        ends, most, deepest = [], 1, 1
        for index, (strategy, name, case) in enumerate(_widest(panel)):
            each = counts(case)
            colour = style.look_of(strategy)[0]
            axes.plot(range(1, len(each) + 1), each, color=colour, marker=style.MARKS[index % len(style.MARKS)], markersize=4, clip_on=False, zorder=3)
            ends.append((len(each), each[-1], f"{style.marked(strategy)}, {name}", colour))
            most, deepest = max(most, *each), max(deepest, len(each))
        axes.set_xlim(1, deepest)
        axes.set_xticks(range(1, deepest + 1))
        style.log_axis(axes, "y", 1, most)
        axes.set_xlabel("depth of the new grids")
        axes.set_ylabel("launches")
        sheet.end_labels(axes, ends)
    sheet.notes.append("Without aggregation. Of each strategy and input, the case with the most launches.")
    return sheet.finish(parts.caption_of(part, shown))
