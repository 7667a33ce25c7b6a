"""The figures of launch cost: time per launch of chains and fan-outs, by mechanism, and how much of it is
submission."""
import numpy
import pandas

import figure_parts as parts
import figure_style as style
from figure_style import Sheet
from figures_sweeps import draw_line, mark_refused, nothing_timed
from measures import AXES, MEASURES, each

HEIGHT, WIDE = 3.0, 7.4


def launch_time(part, shown, _):
    """Time per launch by mechanism: chains against their length, and fan-outs against their width. Beside the chains:
    the effect of larger levels. Hollow marks in the fan-outs: the same launches from one root grid, if waves were
    measured too."""
    if not shown["us"].notna().any():
        return nothing_timed("Time a launch", part, shown)
    chains, fans = _each(shown, "chain"), _each(shown, "fanout")
    sheet = Sheet(_launch_title(chains, fans), _mechanism_key(_launch_lines(pandas.concat([chains, fans]))))
    top = 0.3
    if chains["x"].notna().any():
        small = chains["grid"] == chains["grid"].min()
        shared = set(chains["x"][small]) & set(chains["x"][~small].dropna())
        larger = chains[~small & (chains["x"] == max(shared, default=0))]
        if not shared and (~small).any():
            sheet.notes.append("Not drawn: chains of larger levels, of which none is as long as one of small levels.")
        axes = sheet.add(0.7, top, 5.5 if len(larger) else WIDE, HEIGHT, "A chain: each grid launches the next")
        lines = _launch_lines(chains[small])
        _launch_axes(sheet, axes, lines, [], AXES["length"].title)
        most = chains["graphs"][small].max()
        if most > 1:
            sheet.notes.append(f"Dashed: the best of {style.grouped(most)} device graphs.")
        if len(larger):
            _larger_levels(sheet, axes, lines, larger, top)
        top += HEIGHT + 0.9
    if fans["x"].notna().any():
        whole = fans["whole"] != ""
        axes = sheet.add(0.7, top, WIDE, HEIGHT, "A fan-out: many launches")
        _launch_axes(sheet, axes, _launch_lines(fans[~whole]), _launch_lines(fans[whole]), AXES["children"].title)
        sheet.notes += _wave_note(fans[~whole], whole.any())
    if shown["mechanism"].isin(["grid_sync", "host", "host_graph"]).any():
        sheet.notes.append("Time per launch: the time of a run, divided by the grids of its chain or the launches of its fan-out. "
                           "Those of host and host graph come from the host. grid.sync() launches nothing; its time is divided by "
                           "the same number.")
    return sheet.finish(parts.caption_of(part, shown))


def _each(shown, strategy):
    """The cases of a strategy with `x`, the number of launches, and with the median time per launch in microseconds
    and its interval."""
    cases = shown[shown["strategy"] == strategy]
    middle, low, high = each(cases)
    return cases.assign(x=cases["launched"], each=middle, each_low=low, each_high=high)


def _wave_note(solid, hollow):
    """Says which fan-outs on the lines are one root grid, and which are waves."""
    cut = solid[solid["wave"] < solid["grid"]]
    if not len(cut):
        return []
    one = solid[(solid["wave"] == solid["grid"]) & solid["mechanism"].isin(cut["mechanism"])]["grid"]
    sizes = " or ".join(style.grouped(wave) for wave in sorted(cut["wave"].unique()))
    words = f"From {style.grouped(cut['grid'].min())} launches on, device launches are made in waves of {sizes} root blocks"
    words += f"; up to {style.grouped(one.max())}, in one root grid." if len(one) else "."
    return [words + (" Hollow: the same number in one root grid." if hollow else "")]


def _launch_title(chains, fans):
    """The title names the smallest time per launch of chains and of fan-outs, for device launches only, among the
    longest or widest."""
    said = []
    for cases, words in ((chains, "in a chain"), (fans, "in a fan-out")):
        each = cases["each"].where((cases["launches"] > 0) & (cases["x"] >= cases["x"].max() / 16)).dropna()
        if len(each):
            best = cases.loc[each.idxmin()]
            waves = f", {parts.name_of('wave', best['wave'])}" if best["wave"] < best["grid"] else ""
            said.append(f"{style.time_text(each.min())} {words} ({parts.mechanism_text(best['mechanism'])}{waves})")
    return "A device launch takes at best " + ", ".join(said) if said else "Time per launch, by mechanism"


def variant(case):
    """The mechanism in words; for the best of several graphs, also their number."""
    words = parts.mechanism_text(case["mechanism"])
    if pandas.notna(case["graphs"]) and case["graphs"] > 1:
        words += f", best of {style.grouped(case['graphs'])}"
    return words


def _mechanism_key(lines):
    """One key for all panels: each mechanism once, in order."""
    return list(dict.fromkeys((parts.mechanism_text(line.mechanism), line.colour, line.mark) for line in lines))


def _launch_lines(cases):
    """One line per mechanism and number of graphs, in the order of the mechanisms."""
    found = []
    for group in parts.grouped_by(cases, ["mechanism", "graphs"]):
        case, group = group.iloc[0], group.sort_values("x", kind="stable")
        found.append(parts.Line(variant(case), case["strategy"], case["mechanism"], case["graphs"], list(group["x"]), group,
                                style.mechanism_look(case["mechanism"])[1],
                                style.mechanism_mark(case["mechanism"]), style.DASHES[1 if case["graphs"] > 1 else 0]))
    return sorted(found, key=lambda line: (style.mechanism_rank(line.mechanism), line.label))


def _launch_axes(sheet, axes, lines, hollow, label):
    cases = pandas.concat([line.cases for line in [*lines, *hollow]])
    values = cases[["each", "each_low", "each_high"]].stack()
    if len(values):
        style.fit_axis(axes, "y", values)
    else:
        axes.set_yticks([])
        axes.text(0.5, 0.4, f"no run has a time ({parts.status_text(cases)})", ha="center", transform=axes.transAxes)
    style.binary_axis(axes, "x", cases["x"].dropna(), sheet.width_of(axes))
    axes.set_xlabel(label)
    axes.set_ylabel(MEASURES["each"].label)
    mark_refused(axes, [*lines, *hollow])
    for line in lines:
        draw_line(axes, line, *(line.cases[name] for name in ("each", "each_low", "each_high")))
    for line in hollow:
        axes.plot(line.x, line.cases["each"], color=line.colour, linestyle=(0, (3, 2)), linewidth=1, marker=line.mark,
                  markersize=4.5, markerfacecolor="white", clip_on=False, zorder=4)


def _larger_levels(sheet, left, lines, larger, top):
    """One slope per mechanism, from small levels to larger ones, at a chain length that both have."""
    at = larger["x"].iloc[0]
    axes = sheet.add(6.6, top, 1.35, HEIGHT, f"Chain of {style.grouped(at)}")
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
    axes.set_xlabel("threads per level")
    axes.grid(axis="x", visible=False)


# --- held and open ---


def submission(part, shown, _):
    """Time divided by launches, held and open, by mechanism. Beside it: how much longer an open run takes. One row
    for chains and one for fan-outs."""
    if not shown["us"].notna().any():
        return nothing_timed("What submission costs", part, shown)
    found = {strategy: {asked: _launch_lines(_each(shown[shown["submit_asked"] == asked], strategy)) for asked in ("held", "open")}
             for strategy in ("chain", "fanout")}
    costs = {strategy: _costs(both["held"], both["open"]) for strategy, both in found.items()}
    key = _mechanism_key(_launch_lines(pandas.concat([_each(shown, strategy) for strategy in found])))
    sheet = Sheet(_submission_title(costs), key, "Filled: held, the GPU starts when all is submitted. Hollow: open, it starts at once.")
    top = 0.3
    for strategy, axis, title in (("chain", "length", "A chain: each grid launches the next"),
                                  ("fanout", "children", "A fan-out: many launches")):
        sides = found[strategy]
        if not any(line.cases["us"].notna().any() for side in sides.values() for line in side):
            continue
        axes = sheet.add(0.7, top, 3.2, HEIGHT, title)
        _both_ways(sheet, axes, sides, AXES[axis].title)
        beside = sheet.add(4.75, top, 3.35, HEIGHT, "How much longer an open run takes")
        _cost_axes(sheet, beside, costs[strategy], AXES[axis].title)
        top += HEIGHT + 0.9
    unclear = sum(numpy.isnan(more) for both in costs.values() for _, _, found in both for more in found)
    if unclear:
        sheet.notes.append(f"Right: the difference of the two medians. {parts.count_text(unclear, 'difference')} "
                           f"{'is' if unclear == 1 else 'are'} not drawn: the intervals of held and open overlap there, so that no "
                           "difference can be measured.")
    sheet.notes += _not_held(shown)
    return sheet.finish(parts.caption_of(part, shown))


def _costs(held, opened):
    """[(line, [launches], [additional microseconds of an open run])] for the lines with both a held run and an open
    run; NaN if their intervals overlap."""
    made = []
    for line in held:
        mine = line.cases[(line.cases["submit"] == "held") & line.cases["us"].notna()].set_index("x")
        other = pandas.concat([one.cases for one in opened if (one.mechanism, one.label) == (line.mechanism, line.label)]
                              or [line.cases[:0]]).set_index("x")
        both = mine[["us", "low", "high"]].join(other[["us", "low", "high"]], how="inner", rsuffix="_open").dropna(
            subset=["us", "us_open"]).sort_index()
        overlap = (both["low_open"] <= both["high"]) & (both["low"] <= both["high_open"])
        more = (both["us_open"] - both["us"]).mask(overlap)
        if len(more):
            made.append((line, list(more.index), list(more)))
    return made


def _submission_title(costs):
    least = {strategy: min((min(xs) for _, xs, _ in found), default=None) for strategy, found in costs.items()}
    said = []
    for strategy, words in (("chain", "a chain"), ("fanout", "a fan-out")):
        found = [more for _, xs, costs_of in costs[strategy] for x, more in zip(xs, costs_of)
                 if x == least[strategy] and not numpy.isnan(more)]
        if found:
            span = " to ".join(dict.fromkeys(style.three(more) for more in (min(found), max(found))))
            said.append(f"{span} µs to {words} of {style.grouped(least[strategy])}")
    if not any(costs.values()):
        return "What submission costs: no run was held and open"
    return f"Submission adds {' and '.join(said)}" if said else "What submission costs"


def _both_ways(sheet, axes, sides, label):
    cases = pandas.concat([line.cases for side in sides.values() for line in side])
    style.fit_axis(axes, "y", cases[["each", "each_low", "each_high"]].stack())
    style.binary_axis(axes, "x", cases["x"].dropna(), sheet.width_of(axes))
    for asked, lines in sides.items():
        for line in lines:
            held = line.cases["submit"] == "held" if asked == "held" else line.cases["us"].notna()
            x, each, low, high = (line.cases[name][held] for name in ("x", "each", "each_low", "each_high"))
            look = {"linestyle": "-", "linewidth": 1.3} if asked == "held" else {"linestyle": (0, (3, 2)), "linewidth": 1,
                                                                                  "markerfacecolor": "white"}
            style.intervals(axes, x, low, high, color=line.colour, linewidth=1.1)
            axes.plot(x, each, color=line.colour, marker=line.mark, markersize=4.2, clip_on=False, zorder=3, **look)
    axes.set_xlabel(label)
    axes.set_ylabel(MEASURES["each"].label)


def _cost_axes(sheet, axes, costs, label):
    """A logarithmic axis. If an open run is the faster one, it is linear within a microsecond of zero."""
    values = [more for _, _, found in costs for more in found if not numpy.isnan(more)]
    if not values:
        axes.set_xticks([])
        axes.set_yticks([])
        axes.text(0.5, 0.5, "no difference can be measured" if costs else "no run was held and open", ha="center",
                  transform=axes.transAxes)
        return
    if min(values) > 0:
        style.log_axis(axes, "y", min(1, min(values)), max(10, max(values)))
    else:
        axes.set_yscale("symlog", linthresh=1)
        axes.set_ylim(min(values) * 1.3, max(1, max(values) * 1.3))
        low, high = axes.get_ylim()
        places = [sign * 10.0**power for power in range(7) for sign in (1, -1)]
        places = sorted({0.0, *(place for place in places if low <= place <= high)})
        style.ticks(axes.yaxis, places, {place: style.grouped(place) for place in places})
        axes.axhline(0, color="#999999", linewidth=0.8)
    style.binary_axis(axes, "x", [x for _, xs, _ in costs for x in xs], sheet.width_of(axes))
    for line, xs, found in costs:
        axes.plot(xs, found, color=line.colour, marker=line.mark, markersize=4.2, clip_on=False, linewidth=1.3)
    axes.set_xlabel(label)
    axes.set_ylabel("open minus held, µs per run")


def _not_held(shown):
    """A note on cases that should have been held and were not."""
    let_go = shown[(shown["submit_asked"] == "held") & shown["us"].notna() & (shown["submit"] != "held")]
    if not len(let_go):
        return []
    words = [f"{strategy} by {parts.mechanism_text(mechanism)} of {', '.join(style.grouped(x) for x in sorted(cases['launched']))}"
             for (strategy, mechanism), cases in let_go.groupby(["strategy", "mechanism"], sort=False)]
    return [f"Not drawn as held, because a stream does not take so much before the GPU starts: {'; '.join(words)}."]
