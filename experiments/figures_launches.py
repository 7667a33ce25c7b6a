"""The figures of what a launch costs: time over launches of chains and fan-outs, by mechanism, and how much of it is submission."""
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


# --- held and open ---


def submission(part, shown, _):
    """Time over launches, held and open, by mechanism, and beside it how much longer an open run takes; a row for chains, and one
    for fan-outs."""
    if not shown["us"].notna().any():
        return nothing_timed("What submission costs", part, shown)
    found = {strategy: {asked: _launch_lines(_each(shown[shown["submit_asked"] == asked], strategy)) for asked in ("held", "open")}
             for strategy in ("chain", "fanout")}
    costs = {strategy: _costs(both["held"], both["open"]) for strategy, both in found.items()}
    there = {line.mechanism: line for both in found.values() for side in both.values() for line in side}
    key = [(parts.mechanism_text(name), line.colour, line.mark) for name, line in sorted(
        there.items(), key=lambda item: list(style.MECHANISMS).index(item[0]) if item[0] in style.MECHANISMS else len(style.MECHANISMS))]
    sheet = Sheet(_submission_title(costs), key, "Filled: held, the GPU starts when all is submitted. Hollow: open, it starts at once.")
    top = 0.3
    for strategy, axis, title in (("chain", "length", "A chain: each grid launches the next"),
                                  ("fanout", "children", "A fan-out: many launches")):
        sides = found[strategy]
        if not any(line.cases["us"].notna().any() for side in sides.values() for line in side):
            continue
        axes = sheet.add(0.7, top, 3.2, HEIGHT, title)
        _both_ways(sheet, axes, sides, AXES[axis].title)
        beside = sheet.add(4.75, top, 3.35, HEIGHT, "Open over held, a run")
        _cost_axes(sheet, beside, costs[strategy], AXES[axis].title)
        top += HEIGHT + 0.9
    sheet.notes += _not_held(shown)
    return sheet.finish(parts.caption_of(part, shown))


def _costs(held, opened):
    """[(line, [launches], [microseconds more that an open run takes])] of lines with a run that was held and an open one."""
    made = []
    for line in held:
        mine = line.cases[(line.cases["submit"] == "held") & line.cases["us"].notna()].set_index("x")["us"]
        other = pandas.concat([one.cases for one in opened if (one.mechanism, one.label) == (line.mechanism, line.label)] or [line.cases[:0]])
        more = (other.set_index("x")["us"] - mine).dropna().sort_index()
        if len(more):
            made.append((line, list(more.index), list(more)))
    return made


def _submission_title(costs):
    least = {strategy: min((min(xs) for _, xs, _ in found), default=None) for strategy, found in costs.items()}
    said = []
    for strategy, words in (("chain", "a chain"), ("fanout", "a fan-out")):
        found = [more for _, xs, costs_of in costs[strategy] for x, more in zip(xs, costs_of) if x == least[strategy]]
        if found:
            span = " to ".join(dict.fromkeys(style.three(more) for more in (min(found), max(found))))
            said.append(f"{span} µs of {words} of {style.grouped(least[strategy])}")
    return f"Submission is {' and '.join(said)}" if said else "What submission costs: no run was held and open"


def _both_ways(sheet, axes, sides, label):
    cases = pandas.concat([line.cases for side in sides.values() for line in side])
    style.fit_axis(axes, "y", cases[["each_low", "each_high"]].stack())
    style.binary_axis(axes, "x", cases["x"].dropna(), sheet.width_of(axes))
    for asked, lines in sides.items():
        for line in lines:
            held = line.cases["submit"] == "held" if asked == "held" else line.cases["us"].notna()
            x, each, low, high = (line.cases[name][held] for name in ("x", "each", "each_low", "each_high"))
            look = {"linestyle": "-", "linewidth": 1.3} if asked == "held" else {"linestyle": (0, (3, 2)), "linewidth": 1,
                                                                                  "markerfacecolor": "white"}
            axes.vlines(x, low, high, color=line.colour, linewidth=1.1)
            axes.plot(x, each, color=line.colour, marker=line.mark, markersize=4.2, clip_on=False, zorder=3, **look)
    axes.set_xlabel(label)
    axes.set_ylabel(MEASURES["each"].label)


def _cost_axes(sheet, axes, costs, label):
    """Linear within a microsecond of zero: where the host submits while the GPU works, open is not slower."""
    if not costs:
        axes.set_xticks([])
        axes.set_yticks([])
        axes.text(0.5, 0.5, "no run was held and open", ha="center", transform=axes.transAxes)
        return
    values = [more for _, _, found in costs for more in found]
    axes.set_yscale("symlog", linthresh=1)
    axes.set_ylim(min(0, min(values) * 1.3), max(1, max(values) * 1.3))
    low, high = axes.get_ylim()
    places = [sign * 10.0**power for power in range(7) for sign in (1, -1)]
    places = sorted({0.0, *(place for place in places if low <= place <= high)})
    style.ticks(axes.yaxis, places, {place: style.grouped(place) for place in places})
    style.binary_axis(axes, "x", [x for _, xs, _ in costs for x in xs], sheet.width_of(axes))
    axes.axhline(0, color="#999999", linewidth=0.8)
    for line, xs, found in costs:
        axes.plot(xs, found, color=line.colour, marker=line.mark, markersize=4.2, clip_on=False, linewidth=1.3)
    axes.set_xlabel(label)
    axes.set_ylabel("difference of the medians, µs")


def _not_held(shown):
    """A note on what was to be held and was not."""
    let_go = shown[(shown["submit_asked"] == "held") & shown["us"].notna() & (shown["submit"] != "held")]
    if not len(let_go):
        return []
    words = [f"{strategy} by {parts.mechanism_text(mechanism)} of {', '.join(style.grouped(x) for x in sorted(cases['launched']))}"
             for (strategy, mechanism), cases in let_go.groupby(["strategy", "mechanism"], sort=False)]
    return [f"To be held, and measured open, as a stream did not take all of it; not drawn as held: {'; '.join(words)}."]
