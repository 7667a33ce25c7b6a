"""Figures of what goes wrong: wrong answers against delay, and launches that the pending-launch limit refuses or
slows down."""
import dataclasses
import math

import pandas

import figure_parts as parts
import figure_style as style
import logs
from measures import AXES, MEASURES
from figure_style import Sheet
from figures_sweeps import draw_line, end_label, mark_refused


# --- wrong answers -------------------------------------------------------------------------------------------------------------


def wrong(part, groups, figure):
    """Share of wrong answers against the delay. Runs that were neither ok nor wrong do not count."""
    shown = pandas.concat(groups)
    panels = parts.lines_and_panels(groups, parts.names_beside("delay"))
    sheet = Sheet(_wrong_title(figure.title, shown, "an interruption" if part.backend == "cpu" else "a delay"),
                  subtitle=parts.common_text(shown))
    width, height = style.WIDTH - 0.62 - 2.45, 3.1
    pooled, without = False, []
    for place, (name, lines) in enumerate(panels):
        axes = sheet.add(0.62, 0.1 + 0.25 * bool(name) + place * (height + 0.85), width, height, name)
        style.offset_axis(axes, [x for line in lines for x in line.x], width)
        axes.set_ylim(-3, 103)
        axes.set_yticks(range(0, 101, 20))
        axes.set_xlabel(AXES["delay"].on_cpu if part.backend == "cpu" else AXES["delay"].title)
        axes.set_ylabel(MEASURES["wrong"].label)
        labels, racy = [], 0
        without += [line for line in lines if not any(_tried(line))]
        for order, (line, same) in enumerate(_by_shares([line for line in lines if any(_tried(line))])):
            pooled = pooled or len(same) > 1
            trials = _pooled(same)
            shares = [100 * found[0] / found[1] if found else math.nan for found in trials]
            bounds = [logs.interval_of_share(*found) if found else (math.nan, math.nan) for found in trials]
            style.intervals(axes, line.x, *([100 * bound[end] for bound in bounds] for end in (0, 1)), color=line.colour,
                            linewidth=max(1.2, 4.4 - 1.6 * order), alpha=0.6, zorder=2)
            wider = 2.6 if line.colour != style.GREY and not racy else 0  # wider than lines that may coincide with it
            racy += line.colour != style.GREY
            axes.plot(line.x, shares, color=line.colour, marker=line.mark, markersize=4.5 + wider, clip_on=False,
                      linestyle="-" if wider else line.dash, linewidth=1.4 + wider, zorder=3)
            labels += end_label(line, shares)
        sheet.end_labels(axes, labels)
    most = int(shown["rows"].max())
    sheet.notes.append("Bars: 95 % Wilson score interval of the share"
                       f" (0 of {most}: up to {100 * logs.wilson(0, most)[1]:.1f} %)." +
                       (" The mechanisms of a strategy are one line, of all their runs, where their intervals overlap at "
                        "every delay; so are the strategies that are never wrong." if pooled else ""))
    others = parts.status_text(shown.assign(statuses=[{status: count for status, count in statuses.items()
                                                       if status not in ("ok", "wrong")} for statuses in shown["statuses"]],
                                            samples=[[]] * len(shown), ok=0))
    if others:
        sheet.notes.append(f"Rows neither right nor wrong are no trials: {others}." +
                           (f" Nothing else, so that no line is drawn: {', '.join(line.label for line in without)}."
                            if without else ""))
    return sheet.finish(parts.caption_of(part, shown, timed=False))


def _tried(line):
    """logs.wrong_share of each case of a line."""
    return [logs.wrong_share(case) for _, case in line.cases.iterrows()]


def _pooled(lines):
    """(wrong, trials) at each position of lines with the same positions, summed over all lines; None if there is no
    trial."""
    found = []
    for column in zip(*(_tried(line) for line in lines)):
        there = [one for one in column if one]
        found.append((sum(hits for hits, _ in there), sum(count for _, count in there)) if there else None)
    return found


def _overlap(one, other):
    """Whether the intervals of two lines overlap wherever both have one."""
    pairs = [(logs.wilson(*mine), logs.wilson(*theirs)) for mine, theirs in zip(_tried(one), _tried(other)) if mine and theirs]
    return one.x == other.x and all(mine[0] <= theirs[1] and theirs[0] <= mine[1] for mine, theirs in pairs)


def _by_shares(lines):
    """[(line, [lines that it stands for])]: lines of a strategy that overlap everywhere are one line, and so are all
    lines that are never wrong, in grey."""
    together = []
    for line in lines:
        right = all(hits == 0 for hits, _ in filter(None, _tried(line)))
        for other, same in together:
            if right == (other.colour == style.GREY) and line.x == other.x and (
                    right or line.strategy == other.strategy and all(_overlap(line, one) for one in same)):
                same.append(line)
                break
        else:
            together.append((dataclasses.replace(line, colour=style.GREY if right else style.BLACK), [line]))
    for line, same in together:
        if line.colour == style.GREY:
            line.label = "never wrong:\n" + parts.in_rows(list(dict.fromkeys(style.marked(one.strategy) for one in same)))
            line.mark, line.dash = "s", "-"
            continue
        if len(same) > 1:
            ways = [parts.mechanism_text(one.mechanism) for one in same]
            line.label = f"{style.marked(line.strategy)}, by any of\n" + parts.in_rows(ways)
        own = [id(one) for one, _ in together if one.strategy == line.strategy and one.colour != style.GREY]
        line.colour, line.mark, line.dash = style.look_of(line.strategy, line.cases["launches"].max())
        if len(own) > 1:  # several mechanisms of a strategy, with different results
            line.mark = style.mechanism_mark(line.mechanism)
            line.dash = style.DASHES[own.index(id(line)) % len(style.DASHES)]
    return together


def _wrong_title(title, shown, cause):
    trials = [logs.wrong_share(case) or (0, 0) for _, case in shown.iterrows()]
    hits, runs = sum(hit for hit, _ in trials), sum(count for _, count in trials)
    tried = {case["strategy"] for (_, case), (_, count) in zip(shown.iterrows(), trials) if count}
    racy = sorted({case["strategy"] for (_, case), (hit, _) in zip(shown.iterrows(), trials) if hit})
    safe = sorted(tried - set(racy))
    if not runs:
        return f"{title}: no run ended right or wrong"
    if not hits:
        ways = parts.count_text(len(safe), "way")
        return f"{title}: none in {style.grouped(runs)} runs of {ways}"
    first = min(case["delay_us"] for (_, case), (hit, _) in zip(shown.iterrows(), trials) if hit)
    verb = "is" if len(racy) == 1 else "are"
    start = (f"without {cause}" if first == 0 else f"from {style.grouped(first)} interruptions on" if "interruption" in cause
             else f"from {cause} of {style.grouped(first)} µs on")
    return f"{' and '.join(racy)} {verb} wrong {start}" + ("; the others never" if safe else "")


# --- pending-launch limit ------------------------------------------------------------------------------------------------------


def pending_limit(part, groups, _):
    """Against the pending-launch limit: launches refused, time against that of `auto`, device memory."""
    swept = pandas.concat(groups)
    auto = part.cases[part.cases["pending_limit_asked"] == "auto"]
    shown = pandas.concat([swept, auto[auto["strategy"].isin(swept["strategy"])]])
    blocks = {}
    for group in sorted(groups, key=lambda group: [parts.order_of(group.iloc[0][name])
                                                   for name in ("strategy", "depth", "mechanism")]):
        case = group.iloc[0]
        kind = {"chain": "Chains", "fanout": f"Fan-out of {style.grouped(case['grid'])}"}.get(
            case["strategy"], f"Recursion, {parts.shape_text(group, ['grid', 'block'])}")
        blocks.setdefault(kind, []).append((group, _auto_of(case, auto)))
    limits = sorted(swept["x"].unique())
    sheet = Sheet(_pending_title(swept) + _slower(groups, auto, limits[-1]))
    height, pitch = 1.65, 2.25
    labels = [line.label for pairs in blocks.values() for line in _pending_lines([group for group, _ in pairs])]
    width = style.WIDTH - 4.05 - 0.3 - max(style.text_width(label, 7.5) for label in labels)
    bare = []
    for place, (kind, pairs) in enumerate(blocks.items()):
        top = 0.3 + place * pitch
        lines = _pending_lines([group for group, _ in pairs])
        last = place == len(blocks) - 1
        _refusals(sheet, sheet.add(0.62, top, 2.85, height, kind), lines, limits, last)
        axes = sheet.add(4.05, top, width, height, "")
        bare += _cost(sheet, axes, lines, [base for _, base in pairs], limits, last)
    memory = swept.dropna(subset=["limit_bytes"]).drop_duplicates("x").sort_values("x")
    if len(memory):
        axes = sheet.add(0.62, 0.3 + len(blocks) * pitch + 0.35, 3.43 + width, 1.1, MEASURES["memory"].title.capitalize())
        axes.plot(memory["x"], memory["limit_bytes"] / 1e6, color=style.INK, marker="o", markersize=4)
        style.binary_axis(axes, "x", limits, sheet.width_of(axes))
        axes.set_xlabel(AXES["limit"].title)
        axes.set_ylabel(MEASURES["memory"].unit)
        largest = memory.iloc[-1]
        axes.annotate(f"{style.three(largest['limit_bytes'] / 1e6)} MB", (largest["x"], largest["limit_bytes"] / 1e6), (-8, 0),
                      textcoords="offset points", ha="right", va="center", fontsize=8)
    sheet.notes.append("Left: share of the expected launches that were refused, or lost because another one was; median. Where lines "
                       "lie on one another, the first are drawn wider. Right: time relative to the same case under the limit auto "
                       "(dashed: 1), where nestbed sends waves that fit. ×: no time, because launches were refused.")
    if bare:
        sheet.notes.append("Right, without a time under auto that a ratio could be of: " + "; ".join(dict.fromkeys(bare)) + ".")
    return sheet.finish(parts.caption_of(part, shown, elsewhere="strategies under one limit alone"))


def _auto_of(case, auto):
    """The case under `auto` with no other difference; None if there is none."""
    names = ["strategy", "mechanism", "type", "elements", "grid", "block", "depth", "delay_us", "experiment"]
    found = parts.alike(auto, case, names)
    return found.iloc[0] if len(found) else None


def _slower(groups, auto, limit):
    """The effect of the largest limit on the time of cases that use several waves under `auto`. Empty if any of them
    lacks one of the two times."""
    ratios = []
    for group in groups:
        base, last = _auto_of(group.iloc[0], auto), group[group["x"] == limit]
        if base is None or not base["wave"] < base["grid"]:
            continue
        if not len(last) or not base["us"] > 0 or not last["us"].iloc[0] > 0:
            return ""
        ratios.append(last["us"].iloc[0] / base["us"])
    if not ratios:
        return ""
    return f"; at {style.grouped(limit)}, a run takes {style.three(min(ratios))} to {style.three(max(ratios))} times as long as in waves"


def _pending_lines(groups):
    """One line per strategy, mechanism and chain length."""
    names = parts.varying(pandas.concat(groups), ["strategy", "depth", "grid"])
    found = []
    for group in groups:
        case = group.iloc[0]
        rest = [f"{case[name]} levels" if name == "depth" else style.marked(case[name]) if name == "strategy"
                else parts.name_of(name, case[name]) for name in names]
        words = parts.mechanism_text(case["mechanism"])
        label = ", ".join([rest[0], words, *rest[1:]]) if "strategy" in names else ", ".join([words, *rest])
        found.append(parts.Line(label, case["strategy"], case["mechanism"], None, list(group["x"]), group))
    parts.dress(found)
    return found


def _refusals(sheet, axes, lines, limits, last):
    drawn = []
    for line in lines:
        shares = [math.nan if share is None else 100 * share for share in
                  (logs.lost_share(case) for _, case in line.cases.iterrows())]
        drawn.append((line, shares))
    for place, (line, shares) in enumerate(drawn):
        losing = max(shares, default=0) > 0
        # the number of lines that coincide with this one
        above = min(3, sum(losing and _near(shares, others) for _, others in drawn[place + 1:]))
        axes.plot(line.x, shares, color=line.colour, linestyle="-" if above else line.dash, linewidth=1.4 + 2.2 * above,
                  marker=line.mark, markersize=4 + 1.8 * above, clip_on=False, zorder=3)
    style.binary_axis(axes, "x", limits, sheet.width_of(axes))
    axes.set_ylim(-3, 103)
    axes.set_yticks(range(0, 101, 25))
    axes.set_ylabel(MEASURES["lost"].label)
    axes.set_xlabel(AXES["limit"].title if last else "")


def _near(shares, others):
    """Whether two lines in per cent cannot be distinguished."""
    return len(shares) == len(others) and all(abs(one - other) < 1.5 for one, other in zip(shares, others))


def _cost(sheet, axes, lines, bases, limits, last):
    """Time divided by the time under `auto`. Returns the labels of lines without such a time."""
    ratios, bare = [], []
    for line, base in zip(lines, bases):
        over = base["us"] if base is not None and base["us"] > 0 else math.nan
        if math.isnan(over):
            bare.append(line.label)
        ratios.append(tuple(line.cases[name] / over for name in ("us", "low", "high")))
    values = [value for found in ratios for column in found for value in column.dropna()] or [1.0]
    style.log_axis(axes, "y", min(0.9, *values), max(2.2, *values), pad=1.1)
    style.binary_axis(axes, "x", limits, sheet.width_of(axes))
    axes.axhline(1, color=style.GREY, linewidth=0.9, linestyle=(0, (5, 2)), zorder=1)
    labels = []
    mark_refused(axes, lines)
    for line, (middle, low, high) in zip(lines, ratios):
        draw_line(axes, line, middle, low, high)
        why = "no auto" if line.label in bare else "refused"
        labels += end_label(line, middle) or [(limits[-1], 1, f"{line.label}: {why}", line.colour)]
    axes.set_ylabel("time relative to auto")
    axes.set_xlabel(AXES["limit"].title if last else "")
    sheet.end_labels(axes, labels, size=7.5)
    return bare


def _pending_title(swept):
    refused = swept[(swept["ok"] == 0) & (swept["failed"] > 0)]
    if not len(refused):
        return "No launch is refused under any of these pending-launch limits"
    worst = refused.loc[refused["x"].idxmax()]
    return f"Launches are refused up to a pending-launch limit of {style.grouped(worst['x'])}"
