"""Figures along an axis of the log: time and device launches against depth, grid or block; time against waves; wrong answers against delay; and
launches that the pending-launch limit refuses or slows down."""
import dataclasses
import math

import pandas

import figure_parts as parts
import figure_panels as panels_of
import figure_style as style
import logs
import tables
from figure_panels import Panel, measured
from measures import AXES, MEASURES


def along_x(axis, values):
    """The options of a Panel whose x axis is one of AXES."""
    text = style.power_text if max(values) > AXES[axis].powers else style.grouped
    return {"xlabel": AXES[axis].title, "x": "steps" if axis == "depth" and max(values) <= 20 else "swept", "xtext": text}


def _flat_beside(part, groups, axis):
    """Up to three strategies without this axis, to compare the groups with: same grid, block and type."""
    if axis != "depth":
        return part.cases.iloc[:0]
    flat = parts.alike(part.cases[part.cases["depths"].isna() & part.cases["us"].notna()], groups[0].iloc[0],
                       ["grid", "block", "type", "elements", "nx", "ny", "experiment"])
    return flat if len(flat) <= 3 else flat.iloc[:0]


def against(part, taken, figure):
    """Time against the figure's axis. Lines are strategies, and panels are shapes."""
    axis = figure.axes[0]
    groups = parts.along(taken, axis)
    flat = _flat_beside(part, groups, axis)
    shown = pandas.concat([*groups, flat])
    if not shown["us"].notna().any():
        return None
    scale, unit = style.time_unit(shown["us"])
    panels = parts.lines_and_panels([measured(group, scale) for group in groups], parts.names_beside(axis))
    lines = [line for _, found in panels for line in found]
    across = [(case["us"] / scale, f"{style.marked(case['strategy'])}, flat", style.look_of(case["strategy"])[0]) for _, case in flat.iterrows()]
    # Panels with one strategy each are compared with each other.
    whole = parts.extents(shown, scale) if lines[0].value is not None else ()
    kind = "log" if style.wants_log(parts.extents(shown)) else "linear"
    made = [Panel(name, found, y=kind, ylabel=f"{MEASURES['time'].title}, {unit}", ys=whole, across=across, crosses=0,
                  **along_x(axis, [x for line in found for x in line.x])) for name, found in panels]
    never = [line.label for line in lines if not line.cases["us"].notna().any()]
    return panels_of.draw(_against_title(lines, axis, figure.title, panels), made,
                          parts.caption_of(part, shown, elsewhere=f"cases in which {axis} does not vary"),
                          key=parts.family_key(lines), subtitle=parts.common_text(shown),
                          notes=[f"Without any time, × alone: {', '.join(dict.fromkeys(never))}."] if never else [])


def _against_title(lines, axis, title, panels):
    """The times of the slowest and the fastest line at the end of the axis, if there is only one panel."""
    ends = [(line.cases["us"].dropna().iloc[-1], line) for line in lines if line.cases["us"].notna().any()]
    subject = _subject(lines)
    if len(panels) > 1 or len(ends) < 2:
        return title + (f": {subject}" if subject else "")
    far = max(x for line in lines for x in line.x)
    ends.sort(key=lambda end: end[0])
    place = f"at depth {far:g}" if axis == "depth" else f"of {style.grouped(far)} {AXES[axis].title}"
    least, most = (f"{style.time_text(us)} ({line.label})" for us, line in (ends[0], ends[-1]))
    return f"A run{f' of {subject}' if subject else ''} {place} takes {least} to {most}"


def _subject(lines):
    names = list(dict.fromkeys(line.strategy for line in lines))
    return names[0] if len(names) == 1 else ""


# --- launches ---


def grids(cases):
    """For logs in which something launches more than one grid. For flat kernels, the number of elements varies, and
    another figure draws the rate."""
    if not (cases["launches"] > 1).any() and not (cases["ok"] == 0).all():
        return cases[:0]
    own = cases[~cases["strategy"].isin(tables.names_with("strategies", "is_reference"))]
    return own if parts.along(own, "grid") else own[:0]


def counts(cases):
    """The cases of the figures of depths and grids, if any of their lines launches from the device."""
    deep, wide = parts.along(cases, "depth"), grids(cases)
    launching = any(group["launches"].max() > 0 for group in [*deep, *parts.along(wide, "grid")])
    return (cases if deep else wide) if launching else cases[:0]


def launches(part, taken, figure):
    """Device launches as the kernels counted them, one row of panels per axis. Panels with the same counts are drawn once, with all their names,
    because counts depend on few things."""
    by_axis = {"depth": parts.along(taken, "depth"), "grid": parts.along(grids(taken), "grid")}
    by_axis = {axis: counted for axis, groups in by_axis.items() if (counted := [group for group in groups if group["launches"].notna().any()])}
    shown = pandas.concat([group for groups in by_axis.values() for group in groups])
    shown = shown.loc[~shown.index.duplicated()]
    cells, lines = {}, []
    for axis, groups in by_axis.items():
        for name, found in parts.lines_and_panels([group.assign(y=group["launches"]) for group in groups], parts.names_beside(axis)):
            lines += found
            alike = axis, *((line.label, tuple(line.x), tuple(line.cases["y"])) for line in found)
            cells.setdefault(alike, (axis, [], found))[1].append(name)
    made = []
    for axis, names, found in cells.values():
        together = parts.merged([line for line in found if line.cases["y"].notna().any()], lambda line: line.cases["y"])
        made.append(Panel("; ".join(names), [line for line, _ in together], y="counts", ylabel=MEASURES["device_launches"].label,
                          **along_x(axis, [x for line in found for x in line.x])))
    labels = {tuple(line.label for line in panel.lines) for panel in made}
    subtitle = parts.common_text(shown)
    if len(made) > 1 and len(labels) == 1 and len(next(iter(labels))) == 1:  # a label that every panel would have is written once, above them
        words = next(iter(labels))[0].replace("\n", " ")
        subtitle = ", ".join(filter(None, [subtitle, f"the same for {words}" if "," in words else words]))
        made = [dataclasses.replace(panel, ends=False) for panel in made]
    key = parts.family_key(lines)
    if key and any(line.colour == style.GREY for panel in made for line in panel.lines):
        key.append(("the same for several", style.GREY, "s"))
    left = part.cases[~part.cases.index.isin(shown.index)]
    uncounted = parts.status_text(left[left["launches"].isna()])
    caption = parts.caption_of(part, shown, timed=False, elsewhere="cases in which nothing varies" +
                               (f", or without a count of launches ({uncounted})" if uncounted else ""))
    refused = int((shown["failed"] > 0).sum())
    caption += [f"{refused} points are of runs in which launches were refused: the median of attempts."] if refused else []
    return panels_of.draw(f"Device launches, counted in the kernels: up to {style.grouped(shown['launches'].max())} per run" +
                          (f" ({_subject(lines)})" if _subject(lines) else ""), made, caption, key=key, subtitle=subtitle, left=0.8)


# --- waves ---


def in_waves(cases):
    """Four or more cases that differ only in wave or streams."""
    found = [group for group in parts.grouped_by(cases, ["strategy", "mechanism", *parts.case_names()], 3)
             if group.groupby("wave")["streams"].nunique().max() > 1 and group["wave"].nunique() >= 2]
    return pandas.concat(found) if found else cases[:0]


def waves(part, shown, _):
    """Time against root blocks per wave. Lines are numbers of streams, and panels what else varies. Refused cases are
    marked ×."""
    placed = shown[shown["wave"].notna()]
    if not placed["us"].notna().any():
        return None
    scale, unit = style.time_unit(placed["us"])
    several = len(placed[["strategy", "mechanism"]].drop_duplicates()) > 1
    way = ["strategy", "mechanism"] if several else []
    rest = parts.varying(placed, parts.case_names())
    streams = sorted(placed["streams"].dropna().unique())
    looks = [(style.grouped(count), colour, style.MARKS[place % len(style.MARKS)])
             for place, (count, colour) in enumerate(zip(streams, style.scale_colours(len(streams))))]
    made = []
    for cases in parts.sorted_groups(placed, [*way, *rest]):
        case = cases.iloc[0]
        ways = ", ".join(filter(None, [style.marked(case["strategy"]), parts.mechanism_text(case["mechanism"])])) if several else ""
        lines = []
        for count, group in measured(cases, scale).sort_values("wave", kind="stable").groupby("streams"):
            _, colour, mark = looks[streams.index(count)]
            lines.append(parts.Line("", "", "", count, list(group["wave"]), group, colour, mark))
        made.append(Panel("\n".join(filter(None, [ways, parts.shape_text(cases, rest)])), lines, AXES["wave"].title,
                          f"{MEASURES['time'].title}, {unit}", xs=placed["wave"], ys=parts.extents(placed, scale), ends=False,
                          y="fit" if placed["us"].max() <= 12 * placed["us"].min() else "log"))
    rows = max(len(panels_of.refused(panel.lines)) for panel in made)
    made = [dataclasses.replace(panel, crosses=rows) for panel in made]
    best = placed.loc[placed["us"].idxmin()]
    unplaced, elsewhere = shown[shown["wave"].isna()], ""
    if len(unplaced):
        details = part.rows[part.rows["wave"].isna() & (part.rows["detail"] != "")]["detail"]
        elsewhere = (parts.status_text(unplaced) or "without waves") + (f", the first: {details.iloc[0]}" if len(details) else "")
    alone = "" if several else parts.mechanism_text(placed["mechanism"].iloc[0])
    return panels_of.draw(f"Root blocks in waves: the fastest is {style.marked(best['strategy'])} in {parts.name_of('wave', best['wave'])} "
                          f"over {parts.name_of('streams', best['streams'])}, {style.time_text(best['us'])}", made,
                          parts.caption_of(part, placed, elsewhere=elsewhere), columns=min(3, len(made)), height=2.0 if len(made) > 1 else 2.9, shared=True,
                          key=[("streams:", style.INK, None), *looks, *([("no run has a time", style.INK, "x")] if placed["us"].isna().any() else [])],
                          subtitle=", ".join(filter(None, [parts.common_text(placed), alone])))


# --- wrong answers ---


def wrong(part, taken, figure):
    """Share of wrong answers against the delay. Runs that were neither ok nor wrong do not count. Lines of a strategy with the same shares are one
    line, of all their runs, and so are all lines that are never wrong, in grey."""
    groups = [group.assign(trials=[logs.wrong_share(case) for _, case in group.iterrows()]) for group in parts.along(taken, "delay")]
    shown = pandas.concat(groups)
    on_cpu = part.backend == "cpu"
    made, pooled, without = [], False, []
    for name, lines in parts.lines_and_panels(groups, parts.names_beside("delay")):
        without += [line.label for line in lines if not any(line.cases["trials"])]
        together = {}
        for line in (line for line in lines if any(line.cases["trials"])):
            shares = tuple(found and found[0] / found[1] for found in line.cases["trials"])
            key = (line.strategy, shares) if any(shares) else ()
            together.setdefault((*key, *line.x), []).append(line)
        pooled = pooled or any(len(same) > 1 for same in together.values())
        drawn = list(map(_one_line, together.values()))
        racy = [line for line in drawn if line.colour != style.GREY]
        for place, line in enumerate(racy):  # several mechanisms of a strategy, with different results
            before = [other.strategy for other in racy[:place]].count(line.strategy)
            if [other.strategy for other in racy].count(line.strategy) > 1:
                line.mark, line.dash = style.mechanism_mark(line.mechanism), style.DASHES[before % len(style.DASHES)]
        for line in racy[:1]:  # wider than lines that may coincide with it
            line.width, line.dash = 4.0, "-"
        made.append(Panel(name, drawn, AXES["delay"].on_cpu if on_cpu else AXES["delay"].title, MEASURES["wrong"].label,
                          y="percent", xs=[x for line in lines for x in line.x]))
    most = int(shown["rows"].max())
    notes = [f"Bars: 95 % Wilson score interval of the share (0 of {most}: up to {100 * logs.wilson(0, most)[1]:.1f} %)." +
             (" The mechanisms of a strategy are one line, of all their runs, where their shares are the same; so are the strategies that are never "
              "wrong." if pooled else "")]
    others = parts.status_text(shown.assign(statuses=[{status: count for status, count in found.items() if status not in ("ok", "wrong")}
                                                      for found in shown["statuses"]], samples=[[]] * len(shown), ok=0))
    if others:
        notes.append(f"Rows neither right nor wrong are no trials: {others}." +
                     (f" Nothing else, so that no line is drawn: {', '.join(without)}." if without else ""))
    return panels_of.draw(_wrong_title(figure.title, shown, "an interruption" if on_cpu else "a delay"), made,
                          parts.caption_of(part, shown, timed=False), subtitle=parts.common_text(shown), columns=1, height=3.1, notes=notes)


def _one_line(same):
    """The line of all trials of lines with the same positions: of a strategy, or, in grey, of all that are never wrong."""
    trials = [tuple(map(sum, zip(*filter(None, column)))) for column in zip(*(line.cases["trials"] for line in same))]
    spans = [(found[0] / found[1], *logs.interval_of_share(*found)) if found else [math.nan] * 3 for found in trials]
    cases, line = pandas.DataFrame([[100 * end for end in span] for span in spans], columns=["y", "y_low", "y_high"]), same[0]
    if not any(wrong for wrong, _ in filter(None, trials)):
        label = "never wrong:\n" + parts.in_rows(list(dict.fromkeys(style.marked(one.strategy) for one in same)))
        return dataclasses.replace(line, cases=cases, label=label, colour=style.GREY, mark="s", dash="-")
    label = line.label if len(same) == 1 else f"{style.marked(line.strategy)}, by any of\n" + parts.in_rows([parts.mechanism_text(one.mechanism) for one in same])
    colour, mark, dash = style.look_of(line.strategy, line.cases["launches"].max())
    return dataclasses.replace(line, cases=cases, label=label, colour=colour, mark=mark, dash=dash)


def _wrong_title(title, shown, cause):
    trials = [(case["strategy"], case["delay_us"], *case["trials"]) for _, case in shown.iterrows() if case["trials"]]
    runs = sum(count for *_, count in trials)
    racy = sorted({strategy for strategy, _, hits, _ in trials if hits})
    safe = {strategy for strategy, *_ in trials} - set(racy)
    if not runs:
        return f"{title}: no run ended right or wrong"
    if not racy:
        return f"{title}: none in {style.grouped(runs)} runs of {parts.count_text(len(safe), 'way')}"
    first = min(delay for _, delay, hits, _ in trials if hits)
    start = (f"without {cause}" if first == 0 else f"from {style.grouped(first)} interruptions on" if "interruption" in cause
             else f"from {cause} of {style.grouped(first)} µs on")
    return f"{' and '.join(racy)} {'is' if len(racy) == 1 else 'are'} wrong {start}" + ("; the others never" if safe else "")


# --- pending-launch limit ---


def pending_limit(part, taken, _):
    """Against the pending-launch limit: launches lost, and time over that under `auto`; and below, device memory."""
    groups = parts.along(taken, "limit")
    swept = pandas.concat(groups)
    auto = part.cases[part.cases["pending_limit_asked"] == "auto"]
    shown = pandas.concat([swept, auto[auto["strategy"].isin(swept["strategy"])]])
    limits, blocks, made, bare = sorted(swept["x"].unique()), {}, [], []
    for group in sorted(groups, key=lambda group: [parts.order_of(group.iloc[0][name]) for name in ("strategy", "depth", "mechanism")]):
        case = group.iloc[0]
        kind = {"chain": "Chains", "fanout": f"Fan-out of {style.grouped(case['grid'])}"}.get(
            case["strategy"], f"Recursion, {parts.shape_text(group, ['grid', 'block'])}")
        base = _auto_of(case, auto)
        blocks.setdefault(kind, []).append(measured(group, base["us"] if base is not None and base["us"] > 0 else math.nan))
    for kind, cases in blocks.items():
        lines = _pending_lines(cases)
        lost = [dataclasses.replace(line, cases=pandas.DataFrame({"y": MEASURES["lost"].of(line.cases)[0]})) for line in lines]
        for place, line in enumerate(lost):  # wider than the lines that coincide with it
            y = line.cases["y"]
            above = sum(y.max() > 0 and len(y) == len(other.cases) and (y - other.cases["y"]).abs().lt(1.5).all() for other in lost[place + 1:])
            line.width, line.dash = 1.4 + 2.2 * min(3, above), "-" if above else line.dash
        untimed = [line.label for line in lines if not line.cases["us"].notna().any()]
        bare += [line.label for line in lines if not line.cases["y"].notna().any() and line.label not in untimed]
        beside = [(1, f"{line.label}: {'refused' if line.label in untimed else 'no auto'}", line.colour) for line in lines
                  if not line.cases["y"].notna().any()]
        made += [Panel(kind, lost, AXES["limit"].title, MEASURES["lost"].label, xs=limits, y="percent", ends=False),
                 Panel("", lines, AXES["limit"].title, "time relative to auto", xs=limits, ys=(0.9, 2.2), across=[(1, "", style.GREY), *beside],
                       crosses=0, pad=1.1)]
    memory = swept.dropna(subset=["limit_bytes"]).drop_duplicates("x").sort_values("x")
    if len(memory):
        memory = memory.assign(y=memory["limit_bytes"] / 1e6)
        line = parts.Line(f"{style.three(memory['y'].iloc[-1])} MB", "", "", None, list(memory["x"]), memory, style.INK)
        made += [Panel(MEASURES["memory"].title.capitalize(), [line], AXES["limit"].title, MEASURES["memory"].unit, y="linear", xs=limits), None]
    notes = ["Left: share of the expected launches that were refused, or lost because another one was; median. Where lines "
             "lie on one another, the first are drawn wider. Right: time relative to the same case under the limit auto "
             "(dashed: 1), where nestbed sends waves that fit. ×: no time, because launches were refused."]
    notes += [f"Right, without a time under auto that a ratio could be of: {'; '.join(dict.fromkeys(bare))}."] if bare else []
    return panels_of.draw(_pending_title(swept) + _slower(groups, auto, limits[-1]), made,
                          parts.caption_of(part, shown, elsewhere="strategies under one limit alone"), height=1.65, notes=notes)


def _auto_of(case, auto):
    """The case under `auto` with no other difference; None if there is none."""
    found = parts.alike(auto, case, ["strategy", "mechanism", "type", "elements", "grid", "block", "depth", "delay_us", "experiment"])
    return found.iloc[0] if len(found) else None


def _slower(groups, auto, limit):
    """The effect of the largest limit on the time of cases that use several waves under `auto`. Empty if any of them
    lacks one of the two times."""
    ratios = []
    for group in groups:
        base, last = _auto_of(group.iloc[0], auto), group[group["x"] == limit]
        if base is not None and base["wave"] < base["grid"]:
            ratios.append(last["us"].iloc[0] / base["us"] if len(last) and base["us"] > 0 else math.nan)
    if not ratios or not all(ratio > 0 for ratio in ratios):
        return ""
    return f"; at {style.grouped(limit)}, a run takes {style.three(min(ratios))} to {style.three(max(ratios))} times as long as in waves"


def _pending_lines(groups):
    """One line per strategy, mechanism and chain length."""
    names = parts.varying(pandas.concat(groups), ["strategy", "depth", "grid"])
    found = []
    for group in groups:
        case = group.iloc[0]
        words = [f"{case[name]} levels" if name == "depth" else parts.name_of(name, case[name]) for name in names if name != "strategy"]
        label = ", ".join([*([style.marked(case["strategy"])] if "strategy" in names else []), parts.mechanism_text(case["mechanism"]), *words])
        found.append(parts.Line(label, case["strategy"], case["mechanism"], None, list(group["x"]), group))
    parts.dress(found)
    return found


def _pending_title(swept):
    refused = swept[(swept["ok"] == 0) & (swept["failed"] > 0)]
    if not len(refused):
        return "No launch is refused under any of these pending-launch limits"
    return f"Launches are refused up to a pending-launch limit of {style.grouped(refused['x'].max())}"
