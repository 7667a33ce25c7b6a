"""Figures of what goes wrong: wrong answers against delay, launches refused and slowed by the pending-launch limit."""
import math

import pandas

import figure_parts as parts
import figure_style as style
from figure_style import Sheet
from figures_sweeps import draw_line, last_point, mark_refused


# --- wrong answers -------------------------------------------------------------------------------------------------------------


def wilson(hits, trials):
    """(low, high) of a share: the 95 % score interval (Wilson, "Probable Inference", 1927)."""
    z = 1.959963984540054
    middle = hits + z * z / 2
    half = z * math.sqrt(hits * (trials - hits) / trials + z * z / 4)
    return max(0.0, (middle - half) / (trials + z * z)), min(1.0, (middle + half) / (trials + z * z))


def wrong(part, groups):
    """Share of wrong answers against the delay; runs that neither were ok nor wrong are no trials."""
    shown = pandas.concat(groups)
    panels = parts.lines_and_panels(groups, [name for name in parts.NAMES if name != "delay_us"])
    sheet = Sheet(_wrong_title(shown, "an interruption" if part.backend == "cpu" else "a delay"),
                  subtitle=parts.common_text(shown))
    width, height = style.WIDTH - 0.62 - 2.45, 3.1
    for place, (name, lines) in enumerate(panels):
        axes = sheet.add(0.62, 0.1 + 0.25 * bool(name) + place * (height + 0.85), width, height, name)
        style.offset_axis(axes, [x for line in lines for x in line.x], width)
        axes.set_ylim(-3, 103)
        axes.set_yticks(range(0, 101, 20))
        axes.set_xlabel("" + ("interruptions of each thread" if part.backend == "cpu" else "delay of what loses the race, µs"))
        axes.set_ylabel("runs with a wrong answer, %")
        labels = []
        for line, same in _by_shares(lines):
            trials = [_trials(case) for _, case in line.cases.iterrows()]
            shares = [100 * hits / count if count else math.nan for hits, count in trials]
            bounds = [wilson(hits, count) if count else (math.nan, math.nan) for hits, count in trials]
            axes.fill_between(line.x, [100 * low for low, _ in bounds], [100 * high for _, high in bounds], color=line.colour,
                              alpha=0.1, linewidth=0)
            axes.plot(line.x, shares, color=line.colour, marker=line.mark, markersize=4.5, linestyle=line.dash, clip_on=False,
                      zorder=3)
            end = last_point(line, shares)
            if end:
                labels.append((*end, line.label, line.colour))
        sheet.end_labels(axes, labels)
    sheet.notes.append("Bands: 95 % Wilson score interval of the share"
                       f" (0 of {shown['rows'].max()}: up to {100 * wilson(0, shown['rows'].max())[1]:.1f} %).")
    others = shown["rows"].sum() - sum(_trials(case)[1] for _, case in shown.iterrows())
    if others:
        sheet.notes.append(f"{others} rows were neither right nor wrong and are no trials: {parts.status_text(shown)}.")
    return sheet.finish(parts.caption_of(part, shown, timed=False))


def _trials(case):
    """(wrong, wrong and ok) of a case."""
    hits = case["statuses"].get("wrong", 0)
    return hits, hits + case["ok"]


def _by_shares(lines):
    """Lines merged where all shares are the same; what is never wrong goes under one grey line."""
    together = []
    for line, same in parts.merged(lines, lambda line: [_trials(case) for _, case in line.cases.iterrows()]):
        if all(_trials(case)[0] == 0 for _, case in line.cases.iterrows()):
            line.label = "never wrong:\n" + parts.in_rows(list(dict.fromkeys(one.strategy for one in same)))
            line.colour, line.mark, line.dash = style.GREY, "s", "-"
        together.append((line, same))
    for place, (line, _) in enumerate(both for both in together if both[0].colour != style.GREY):
        line.colour = [style.VERMILLION, style.BLUE, style.GREEN, style.PURPLE, style.ORANGE, style.SKY][place % 6]
        line.mark = style.MARKS[place % len(style.MARKS)]
    return together


def _wrong_title(shown, cause):
    trials = [_trials(case) for _, case in shown.iterrows()]
    hits, runs = sum(hit for hit, _ in trials), sum(count for _, count in trials)
    racy = sorted({case["strategy"] for (_, case), (hit, _) in zip(shown.iterrows(), trials) if hit})
    safe = sorted(set(shown["strategy"]) - set(racy))
    if not hits:
        return f"Wrong answers against delay: none in {style.grouped(runs)} runs of {len(safe)} strategies"
    first = min(case["delay_us"] for (_, case), (hit, _) in zip(shown.iterrows(), trials) if hit)
    verb = "is" if len(racy) == 1 else "are"
    start = (f"without {cause}" if first == 0 else f"from {style.grouped(first)} interruptions on" if "interruption" in cause
             else f"from {cause} of {style.grouped(first)} µs on")
    return f"{' and '.join(racy)} {verb} wrong {start}" + ("; the others never" if safe else "")


# --- pending-launch limit ------------------------------------------------------------------------------------------------------


def pending_limit(part, groups):
    """Against the pending-launch limit: launches refused, time against that of `auto`, device memory."""
    swept = pandas.concat(groups)
    auto = part.cases[part.cases["pending_limit_asked"] == "auto"]
    shown = pandas.concat([swept, auto[auto["strategy"].isin(swept["strategy"])]])
    blocks = {}
    for group in sorted(groups, key=lambda group: [parts.order_of(group.iloc[0][name])
                                                   for name in ("strategy", "depth", "mechanism")]):
        case = group.iloc[0]
        kind = {"chain": "Chains", "fanout": f"Fan-out of {style.grouped(case['grid'])}"}.get(
            case["strategy"], f"Recursion, {parts.shape_text(case, ['grid', 'block'])}")
        blocks.setdefault(kind, []).append((group, _auto_of(case, auto)))
    limits = sorted(swept["x"].unique())
    sheet = Sheet(_pending_title(swept) + _slower(groups, auto, limits[-1]))
    height, pitch = 1.65, 2.12
    for place, (kind, pairs) in enumerate(blocks.items()):
        top = 0.3 + place * pitch
        lines = _pending_lines([group for group, _ in pairs])
        last = place == len(blocks) - 1
        _refusals(sheet, sheet.add(0.62, top, 2.85, height, kind), lines, limits, last)
        axes = sheet.add(4.05, top, 2.55, height, "")
        _cost(sheet, axes, lines, [base for _, base in pairs], limits, last)
    memory = swept.dropna(subset=["limit_bytes"]).drop_duplicates("x").sort_values("x")
    if len(memory):
        axes = sheet.add(0.62, 0.3 + len(blocks) * pitch + 0.45, 5.98, 1.1, "Device memory, over that of the default limit")
        axes.plot(memory["x"], memory["limit_bytes"] / 1e6, color=style.INK, marker="o", markersize=4)
        style.binary_axis(axes, "x", limits, sheet.width_of(axes))
        axes.set_xlabel("pending-launch limit")
        axes.set_ylabel("MB")
        largest = memory.iloc[-1]
        axes.annotate(f"{style.three(largest['limit_bytes'] / 1e6)} MB", (largest["x"], largest["limit_bytes"] / 1e6), (-8, 0),
                      textcoords="offset points", ha="right", va="center", fontsize=8)
    sheet.notes.append("Left: launches refused, or lost with one that was, of those expected; median. Right: time over that of "
                       "the same case under auto (dashed: 1), where nestbed sends waves that fit; × where launches were refused, "
                       "so that there is no time.")
    return sheet.finish(parts.caption_of(part, shown, elsewhere="strategies under one limit alone"))


def _auto_of(case, auto):
    """The case under `auto` that differs in nothing else; None where there is none."""
    for name in ("strategy", "mechanism", "type", "elements", "grid", "block", "depth", "delay_us", "experiment"):
        auto = auto[(auto[name] == case[name]) | (auto[name].isna() & pandas.isna(case[name]))]
    return auto.iloc[0] if len(auto) else None


def _slower(groups, auto, limit):
    """What the largest limit does to time, where every group has one there and under `auto`."""
    ratios = []
    for group in groups:
        base, last = _auto_of(group.iloc[0], auto), group[group["x"] == limit]
        if base is None or not len(last) or not base["us"] > 0 or not last["us"].iloc[0] > 0:
            return ""
        ratios.append(last["us"].iloc[0] / base["us"])
    return f"; under {style.grouped(limit)} a run takes {min(ratios):.2f} to {max(ratios):.2f} times as long as in waves"


def _pending_lines(groups):
    """Colours are mechanisms, dashes and marks what else varies: the strategy, the length of a chain."""
    names = parts.varying(pandas.concat(groups), ["strategy", "depth", "grid"])
    kinds = []
    found = []
    for group in groups:
        case = group.iloc[0]
        rest = tuple(f"{case[name]} levels" if name == "depth" else parts.name_of(name, case[name]) for name in names)
        if rest not in kinds:
            kinds.append(rest)
        words, colour = style.MECHANISMS.get(case["mechanism"], (case["mechanism"], style.GREY))
        label = ", ".join([rest[0], words, *rest[1:]]) if "strategy" in names else ", ".join([words, *rest])
        place = kinds.index(rest)
        found.append(parts.Line(label, case["strategy"], case["mechanism"], None, list(group["x"]), group,
                                style.shade(colour, place), "os^Dv"[place % 5], style.DASHES[place % 4]))
    return found


def _refusals(sheet, axes, lines, limits, last):
    for line in lines:
        shares = 100 * (1 - (line.cases["launches"] - line.cases["failed"].fillna(0)) / line.cases["expected"])
        axes.plot(line.x, shares, color=line.colour, linestyle=line.dash, marker=line.mark, markersize=4, clip_on=False, zorder=3)
    style.binary_axis(axes, "x", limits, sheet.width_of(axes))
    axes.set_ylim(-3, 103)
    axes.set_yticks(range(0, 101, 25))
    axes.set_ylabel("launches lost, %")
    axes.set_xlabel("pending-launch limit" if last else "")


def _cost(sheet, axes, lines, bases, limits, last):
    ratios = []
    for line, base in zip(lines, bases):
        over = base["us"] if base is not None else line.cases["us"].min()
        ratios.append((line.cases["us"] / over, line.cases["low"] / over, line.cases["high"] / over))
    values = [value for found in ratios for column in found for value in column.dropna()] or [1.0]
    style.log_axis(axes, "y", min(0.9, *values), max(2.2, *values), pad=1.1)
    style.binary_axis(axes, "x", limits, sheet.width_of(axes))
    axes.axhline(1, color=style.GREY, linewidth=0.9, linestyle=(0, (5, 2)), zorder=1)
    labels = []
    mark_refused(axes, lines)
    for line, (middle, low, high) in zip(lines, ratios):
        draw_line(axes, line, middle, low, high)
        end = last_point(line, middle)
        labels.append((*end, line.label, line.colour) if end else (limits[-1], 1, f"{line.label}: refused", line.colour))
    axes.set_ylabel("time over auto's")
    axes.set_xlabel("pending-launch limit" if last else "")
    sheet.end_labels(axes, labels, size=7.5)


def _pending_title(swept):
    refused = swept[(swept["ok"] == 0) & (swept["failed"] > 0)]
    if not len(refused):
        return "No launch is refused under any of these pending-launch limits"
    worst = refused.loc[refused["x"].idxmax()]
    return f"Launches are refused up to a pending-launch limit of {style.grouped(worst['x'])}"
