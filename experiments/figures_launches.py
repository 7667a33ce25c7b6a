"""The figure of what a launch costs: time over launches of chains and fan-outs, by mechanism."""
import pandas

import figure_parts as parts
import figure_style as style
from figure_style import Sheet
from figures_sweeps import draw_line, end_label, mark_refused, nothing_timed
from measures import AXES, MEASURES, each

HEIGHT = 3.0


def launch_time(part, shown, _):
    """Time over launches by mechanism: chains against their length, fan-outs against their width; beside a chain, what larger
    levels change, and hollow in a fan-out, what comes of launching all from one root grid where waves were measured too."""
    if not shown["us"].notna().any():
        return nothing_timed("Time a launch", part, shown)
    chains, fans = _each(shown, "chain"), _each(shown, "fanout")
    sheet = Sheet(_launch_title(chains, fans))
    top = 0.3
    if chains["x"].notna().any():
        small = chains["grid"] == chains["grid"].min()
        shared = set(chains["x"][small]) & set(chains["x"][~small].dropna())
        larger = chains[~small & (chains["x"] == max(shared, default=0))]
        if not shared and (~small).any():
            sheet.notes.append("Not drawn: chains of larger levels, of which none is as long as one of small levels.")
        axes = sheet.add(0.7, top, 3.95 if len(larger) else 5.9, HEIGHT, "A chain: each grid launches the next")
        lines = _launch_lines(chains[small])
        _launch_axes(sheet, axes, lines, [], AXES["length"].title)
        if len(larger):
            _larger_levels(sheet, axes, lines, larger, top)
        top += HEIGHT + 0.9
    if fans["x"].notna().any():
        whole = fans["whole"] != ""
        axes = sheet.add(0.7, top, 5.9, HEIGHT, "A fan-out: many launches")
        _launch_axes(sheet, axes, _launch_lines(fans[~whole]), _launch_lines(fans[whole]), AXES["children"].title)
        sheet.notes += _wave_note(fans[~whole], whole.any())
    if shown["mechanism"].isin(["grid_sync", "host", "host_graph"]).any():
        sheet.notes.append("A run's time over the grids of its chain or the launches of its fan-out; by host and host graph none "
                           "of these is from the device, and grid.sync(), which launches none, is divided by as many.")
    return sheet.finish(parts.caption_of(part, shown))


def _each(shown, strategy):
    """Cases of a strategy with `x`, how many launches, and the median time over them in microseconds and its interval."""
    cases = shown[shown["strategy"] == strategy]
    middle, low, high = each(cases)
    return cases.assign(x=cases["launched"], each=middle, each_low=low, each_high=high)


def _wave_note(solid, hollow):
    """Which of the fan-outs on the lines are one root grid, and which are waves."""
    cut = solid[solid["wave"] < solid["grid"]]
    if not len(cut):
        return []
    one = solid[(solid["wave"] == solid["grid"]) & solid["mechanism"].isin(cut["mechanism"])]["grid"]
    sizes = " or ".join(style.grouped(wave) for wave in sorted(cut["wave"].unique()))
    words = f"On the lines from the device: waves of {sizes} root blocks from {style.grouped(cut['grid'].min())} launches on"
    words += f", one root grid up to {style.grouped(one.max())}." if len(one) else "."
    return [words + (" Hollow: one root grid there too." if hollow else "")]


def _launch_title(chains, fans):
    """The least time over launches of each, of launches from the device alone, among the longest or widest."""
    said = []
    for cases, words in ((chains, "a level of a chain"), (fans, "one of a fan-out")):
        each = cases["each"].where((cases["launches"] > 0) & (cases["x"] >= cases["x"].max() / 16)).dropna()
        if len(each):
            best = cases.loc[each.idxmin()]
            waves = f", {parts.name_of('wave', best['wave'])}" if best["wave"] < best["grid"] else ""
            said.append(f"{words} {style.time_text(each.min())} ({parts.mechanism_text(best['mechanism'])}{waves})")
    return "Device launches at best: " + ", ".join(said) if said else "Time over launches, by mechanism"


def variant(case):
    """The mechanism in words, and of how many graphs the best was taken."""
    words = parts.mechanism_text(case["mechanism"])
    if pandas.notna(case["graphs"]) and case["graphs"] > 1:
        words += f", best of {style.grouped(case['graphs'])}"
    return words


def _launch_lines(cases):
    """A line a mechanism and number of graphs, in the order of mechanisms."""
    order = list(style.MECHANISMS)
    found = []
    for group in parts.grouped_by(cases, ["mechanism", "graphs"]):
        case, group = group.iloc[0], group.sort_values("x", kind="stable")
        place = order.index(case["mechanism"]) if case["mechanism"] in order else len(order)
        found.append(parts.Line(variant(case), case["strategy"], case["mechanism"], case["graphs"], list(group["x"]), group,
                                style.mechanism_look(case["mechanism"])[1],
                                style.MARKS[place % len(style.MARKS)], style.DASHES[1 if case["graphs"] > 1 else 0]))
    return sorted(found, key=lambda line: (style.MARKS.index(line.mark), line.label))


def _launch_axes(sheet, axes, lines, hollow, label):
    cases = pandas.concat([line.cases for line in [*lines, *hollow]])
    values = cases[["each_low", "each_high"]].stack()
    if len(values):
        style.fit_axis(axes, "y", values)
    else:
        axes.set_yticks([])
        axes.text(0.5, 0.4, f"no run has a time ({parts.status_text(cases)})", ha="center", transform=axes.transAxes)
    style.binary_axis(axes, "x", cases["x"].dropna(), sheet.width_of(axes))
    axes.set_xlabel(label)
    axes.set_ylabel(MEASURES["each"].label)
    labels = []
    mark_refused(axes, [*lines, *hollow])
    for line in lines:
        draw_line(axes, line, *(line.cases[name] for name in ("each", "each_low", "each_high")))
        labels += end_label(line, line.cases["each"])
    for line in hollow:
        axes.plot(line.x, line.cases["each"], color=line.colour, linestyle=(0, (3, 2)), linewidth=1, marker=line.mark,
                  markersize=4.5, markerfacecolor="white", clip_on=False)
        labels += end_label(line, line.cases["each"], f", {line.cases['whole'].iloc[0]}")
    sheet.end_labels(axes, labels)


def _larger_levels(sheet, left, lines, larger, top):
    """A slope a mechanism, from small levels to larger ones, at the chain length that both have."""
    at = larger["x"].iloc[0]
    axes = sheet.add(6.75, top, 1.3, HEIGHT, f"Chain of {style.grouped(at)}")
    small = next(line.cases[line.cases["x"] == at].iloc[0] for line in lines if (line.cases["x"] == at).any())
    for line in lines:
        mine = larger[(larger["x"] == at) & (larger["mechanism"] == line.mechanism)]
        mine = mine[mine["graphs"] == line.value] if pandas.notna(line.value) else mine
        before = line.cases[line.cases["x"] == at]
        if len(mine) and len(before):
            axes.plot([0, 1], [before["each"].iloc[0], mine["each"].iloc[0]], color=line.colour, marker=line.mark,
                      markersize=4.2, clip_on=False)
    axes.set_yscale(left.get_yscale())
    axes.set_ylim(left.get_ylim())
    axes.set_yticks(left.get_yticks(), [""] * len(left.get_yticks()))
    axes.set_ylim(left.get_ylim())
    axes.set_xlim(-0.25, 1.25)
    axes.set_xticks([0, 1], [f"{style.grouped(case['grid'])} × {style.grouped(case['block'])}"
                             for case in (small, larger.iloc[0])])
    axes.set_xlabel("threads a level")
    axes.grid(axis="x", visible=False)
