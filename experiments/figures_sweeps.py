"""Figures along an axis: time and device launches against depth, grid or block, time against waves."""
import pandas
from matplotlib.patches import Rectangle

import figure_parts as parts
import figure_style as style
from figure_style import Sheet
from measures import AXES, MEASURES


def nothing_timed(title, part, shown):
    """An empty figure with a sentence, for a figure whose rows are there but have no time."""
    sheet = Sheet(title)
    axes = sheet.add(0.6, 0.1, style.WIDTH - 0.8, 1.5)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.text(0.5, 0.5, f"Nothing to draw: none of these {style.grouped(shown['rows'].sum())} rows has a time "
              f"({parts.status_text(shown)}).", ha="center", va="center", transform=axes.transAxes)
    return sheet.finish(parts.caption_of(part, shown), bottom=0.1)


def draw_line(axes, line, values, low=None, high=None, **more):
    """A line with its marks, and its intervals as bars. Marks are hollow if a GPU log has only times of the host's
    clock."""
    hollow = line.cases["clock"].iloc[0] == "wall" and line.cases["backend"].iloc[0] == "cuda"
    axes.plot(line.x, values, color=line.colour, linestyle=line.dash, marker=line.mark, markersize=4.2, clip_on=False,
              markerfacecolor="white" if hollow else line.colour, markeredgewidth=0.8, zorder=3, **more)
    if low is not None:
        style.intervals(axes, line.x, low, high, color=line.colour, linewidth=1.1, zorder=2)


def refused(lines):
    """The lines that have a point without a time."""
    return [line for line in lines if line.cases["us"].isna().any()]


def mark_refused(axes, lines, rows=0):
    """An × at each x value without a time, in a grey strip above the plot, one row for each line that has one.
    Extends the y axis for the strip. Call it after the limits of y and the colours are set. `rows`: the number of
    rows of the strip, if panels must look alike."""
    without = refused(lines)
    rows = max(rows, len(without))
    if not rows:
        return
    step = min(0.055, 0.5 / rows)
    strip = step * rows + 0.02
    low, high = axes.get_ylim()
    if axes.get_yscale() == "log":
        axes.set_ylim(low, low * (high / low) ** (1 / (1 - strip)))
    else:
        axes.set_yticks([tick for tick in axes.get_yticks() if low <= tick <= high])
        axes.set_ylim(low, low + (high - low) / (1 - strip))
    if without:
        axes.add_patch(Rectangle((0, 1 - strip), 1, strip, color="#F3F3F3", linewidth=0, transform=axes.transAxes, zorder=1.5))
    for place, line in enumerate(without):
        at = [x for x, us in zip(line.x, line.cases["us"]) if pandas.isna(us)]
        axes.plot(at, [1 - 0.01 - step * (place + 0.5)] * len(at), "x", color=line.colour, markersize=5, markeredgewidth=1.3,
                  transform=axes.get_xaxis_transform(), clip_on=False, zorder=4)


def end_label(line, values, more=""):
    """[(x, y, label, colour)] for Sheet.end_labels, at the last value of a line; empty if it has no value."""
    return [(x, y, line.label + more, line.colour) for x, y in zip(line.x, values) if pandas.notna(y)][-1:]


def x_axis(axes, axis, values, inches):
    if axis == "depth" and max(values) <= 20:
        axes.set_xlim(min(values) - 0.15, max(values) + 0.15)
        axes.set_xticks(sorted(set(values)))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    elif axis == "depth" and min(values) == 0:
        style.offset_axis(axes, values, inches)
    else:
        style.binary_axis(axes, "x", values, inches, style.power_text if max(values) > AXES[axis].powers else style.grouped)
    axes.set_xlabel(AXES[axis].title)


def _flat_beside(part, groups, axis):
    """Up to three strategies without this axis, to compare the groups with: same grid, block and type."""
    if axis != "depth":
        return part.cases.iloc[:0]
    first = groups[0].iloc[0]
    flat = parts.alike(part.cases[part.cases["depths"].isna() & part.cases["us"].notna()], first,
                       ["grid", "block", "type", "elements", "nx", "ny", "experiment"])
    return flat if len(flat) <= 3 else flat.iloc[:0]


def against(part, groups, figure):
    """Time against the figure's axis. Lines are strategies, and panels are shapes."""
    axis = figure.axes[0]
    flat = _flat_beside(part, groups, axis)
    shown = pandas.concat([*groups, flat])
    if not shown["us"].notna().any():
        return nothing_timed(figure.title, part, shown)
    panels = parts.lines_and_panels(groups, parts.names_beside(axis))
    lines = [line for _, found in panels for line in found]
    scale, unit = style.time_unit(shown["us"])
    sheet = Sheet(_against_title(lines, axis, figure.title, panels), parts.family_key(lines) if _by_family(lines) else (),
                  parts.common_text(shown))
    most = max(len(found) + len(flat) for _, found in panels)
    height = max(3.2 if len(panels) == 1 else 2.4, 0.165 * most)
    columns = 1 if len(panels) == 1 else 2
    room = max(style.text_width(line.label, 8) for line in lines + [_flat_line(case) for _, case in flat.iterrows()]) + 0.32
    pitch = style.WIDTH / columns
    left = 0.72 if max(parts.extents(shown, scale)) >= 1e4 else 0.6  # inches, for ticks with five digits
    # Panels with one strategy each are compared with each other.
    whole = parts.extents(shown, scale) if lines[0].value is not None else None
    width = pitch - left - 0.08 - room
    for place, (name, found) in enumerate(panels):
        axes = sheet.add(left + pitch * (place % columns), 0.1 + (place // columns) * (height + 0.85) + 0.2 * bool(name), width,
                         height, name)
        _against_panel(sheet, axes, found, flat, axis, scale, width, style.wants_log(parts.extents(shown)), whole)
        axes.set_ylabel(f"{MEASURES['time'].title}, {unit}" if place % columns == 0 else "")
    never = [line.label for line in lines if not line.cases["us"].notna().any()]
    if never:
        sheet.notes.append(f"Without any time, × alone: {', '.join(dict.fromkeys(never))}.")
    return sheet.finish(parts.caption_of(part, shown, elsewhere=f"cases in which {axis} does not vary"))


def _flat_line(case):
    return parts.Line(f"{style.marked(case['strategy'])}, flat", case["strategy"], case["mechanism"], None, [],
                      pandas.DataFrame([case]), style.look_of(case["strategy"])[0])


def _by_family(lines):
    return len({line.strategy for line in lines}) > 1 and lines[0].value is None


def _against_panel(sheet, axes, lines, flat, axis, scale, width, log, whole):
    values = [x for line in lines for x in line.x]
    times = pandas.concat([*(line.cases for line in lines), flat])
    if times["us"].notna().any():
        style.fit_axis(axes, "y", parts.extents(times, scale) if whole is None else whole, log)
    x_axis(axes, axis, values, width)
    labels = []
    mark_refused(axes, lines)
    for line in lines:
        medians = list(line.cases["us"] / scale)
        draw_line(axes, line, medians, line.cases["low"] / scale, line.cases["high"] / scale)
        labels += end_label(line, medians)
    for _, case in flat.iterrows():
        line = _flat_line(case)
        axes.axhline(case["us"] / scale, color=line.colour, linestyle=(0, (6, 2)), linewidth=1, zorder=1)
        labels.append((max(values), case["us"] / scale, line.label, line.colour))
    sheet.end_labels(axes, labels)


def _against_title(lines, axis, title, panels):
    """The times of the slowest and the fastest line at the end of the axis, if there is only one panel."""
    ends = [(line.cases["us"].dropna().iloc[-1], line) for line in lines if line.cases["us"].notna().any()]
    if len(panels) > 1 or len(ends) < 2:
        return title + (f": {_subject(lines)}" if _subject(lines) else "")
    far = max(x for line in lines for x in line.x)
    ends.sort(key=lambda end: end[0])
    place = f"at depth {far:g}" if axis == "depth" else f"of {style.grouped(far)} {AXES[axis].title}"
    of = f" of {_subject(lines)}" if _subject(lines) else ""
    least, most = (f"{style.time_text(us)} ({line.label})" for us, line in (ends[0], ends[-1]))
    return f"A run{of} {place} takes {least} to {most}"


def _subject(lines):
    names = list(dict.fromkeys(line.strategy for line in lines))
    return names[0] if len(names) == 1 else ""


# --- launches ---


def launches(part, by_axis, _):
    """Device launches as the kernels counted them, one row of panels per axis: {"depth": groups, "grid": groups}."""
    shown = pandas.concat([group for groups in by_axis.values() for group in groups])
    shown = shown.loc[~shown.index.duplicated()]
    laid = {axis: parts.lines_and_panels(groups, parts.names_beside(axis)) for axis, groups in by_axis.items()}
    lines = [line for panels in laid.values() for _, found in panels for line in found]
    most = shown["launches"].max()
    key = list(parts.family_key(lines)) if _by_family(lines) else []
    sheet_title = (f"Device launches, counted in the kernels: up to {style.grouped(most)} per run" +
                   (f" ({_subject(lines)})" if _subject(lines) else ""))
    cells = [(axis, name, found) for axis, panels in laid.items() for name, found in _without_copies(panels)]
    columns = 1 if len(cells) == 1 else 2
    subtitle = parts.common_text(shown)
    counted = {place: _counted(found) for place, (_, _, found) in enumerate(cells)}
    labels = {tuple(line.label for line, _ in found) for found in counted.values()}
    alike = len(cells) > 1 and len(labels) == 1 and len(next(iter(labels))) == 1
    if alike:  # a label that every panel would have is written once, above them
        words = next(iter(labels))[0].replace("\n", " ")
        subtitle = ", ".join(filter(None, [subtitle, f"the same for {words}" if "," in words else words]))
    room = 0.25 if alike else max(style.text_width(row, 8) for found in counted.values() for line, _ in found
                                  for row in line.label.split("\n")) + 0.32
    if any(line.colour == style.GREY and len(same) > 1 for found in counted.values() for line, same in found) and key:
        key.append(("the same for several", style.GREY, "s"))
    sheet = Sheet(sheet_title, key, subtitle)
    pitch = style.WIDTH / columns
    height = 3.1 if columns == 1 else 2.7
    for place, (axis, name, found) in enumerate(cells):
        width = pitch - 0.88 - room
        axes = sheet.add(0.8 + pitch * (place % columns), 0.1 + (place // columns) * (height + 0.85) + 0.2 * bool(name), width,
                         height, name)
        _launches_panel(sheet, axes, found, counted[place], axis, width, labelled=not alike)
        axes.set_ylabel(MEASURES["device_launches"].label if place % columns == 0 else "")
    left = part.cases[~part.cases.index.isin(shown.index)]
    uncounted = parts.status_text(left[left["launches"].isna()])
    elsewhere = "cases in which nothing varies" + (f", or without a count of launches ({uncounted})" if uncounted else "")
    return sheet.finish(parts.caption_of(part, shown, timed=False, elsewhere=elsewhere) + _spread_note(shown))


def _without_copies(panels):
    """Panels with the same counts are drawn once, with all their names, because counts depend on few things."""
    found = {}
    for name, lines in panels:
        key = tuple((line.label, tuple(line.x), tuple(line.cases["launches"])) for line in lines)
        found.setdefault(key, []).append((name, lines))
    return [("; ".join(name for name, _ in same), same[0][1]) for same in found.values()]


def _counted(lines):
    return parts.merged([line for line in lines if line.cases["launches"].notna().any()], lambda line: line.cases["launches"])


def _spread_note(shown):
    refused = shown[shown["failed"] > 0]
    return [f"{len(refused)} points are of runs in which launches were refused: the median of attempts."] if len(refused) else []


def _launches_panel(sheet, axes, lines, counted, axis, width, labelled):
    values = [x for line in lines for x in line.x]
    x_axis(axes, axis, values, width)
    counts = [count for line, _ in counted for count in line.cases["launches"].dropna()]
    top = max(counts, default=0)
    if top > 30:
        axes.set_yscale("symlog", linthresh=1, linscale=0.5)
        axes.set_ylim(0, top * 1.3)
        places = [0, 1, *(10**power for power in range(1, 8) if 10**power <= top * 1.3)]
        style.ticks(axes.yaxis, places, {float(place): style.grouped(place) for place in places})
    else:
        style.linear_axis(axes, "y", 0, max(top, 1))
    labels = []
    for line, _ in counted:
        axes.plot(line.x, line.cases["launches"], color=line.colour, linestyle=line.dash, marker=line.mark, markersize=4.2,
                  clip_on=False, zorder=3)
        labels += end_label(line, line.cases["launches"])
    if labelled:
        sheet.end_labels(axes, labels)


# --- waves ---


def waves(part, shown, figure):
    """Time against root blocks per wave. Lines are numbers of streams, and panels what else varies. Refused cases are
    marked ×."""
    placed = shown[shown["wave"].notna()]
    if not placed["us"].notna().any():
        return nothing_timed(figure.title, part, shown)
    names = parts.varying(placed, ["strategy", "mechanism", *parts.case_names()])
    ways = placed[["strategy", "mechanism"]].drop_duplicates()
    alone = parts.mechanism_text(ways["mechanism"].iloc[0]) if len(ways) == 1 else ""
    names = [*(["strategy", "mechanism"] if len(ways) > 1 else []),
             *(name for name in names if name not in ("strategy", "mechanism"))]
    streams = sorted(placed["streams"].dropna().unique())
    colours = dict(zip(streams, style.scale_colours(len(streams))))
    panels = parts.grouped_by(placed, names)
    panels.sort(key=lambda panel: [parts.order_of(panel.iloc[0][name]) for name in names])
    best = placed.loc[placed["us"].idxmin()]
    sheet = Sheet(f"Root blocks in waves: the fastest is {style.marked(best['strategy'])} in {parts.name_of('wave', best['wave'])} "
                  f"over {parts.name_of('streams', best['streams'])}, {style.time_text(best['us'])}",
                  [("streams:", style.INK, None),
                   *((style.grouped(value), colours[value], style.MARKS[place]) for place, value in enumerate(streams)),
                   *([("no run has a time", style.INK, "x")] if placed["us"].isna().any() else [])],
                  ", ".join(filter(None, [parts.common_text(placed), alone])))
    scale, unit = style.time_unit(placed["us"])
    columns = min(3, len(panels))
    pitch = (style.WIDTH - 0.7) / columns
    height = 2.0 if len(panels) > 1 else 2.9
    two = 0.17 if len(ways) > 1 and len(names) > 2 else 0  # inches, for a title with two lines
    in_panels = [_stream_lines(cases, streams, colours) for cases in panels]
    rows = max(len(refused(lines)) for lines in in_panels)
    for place, (cases, lines) in enumerate(zip(panels, in_panels)):
        way = [style.marked(cases.iloc[0]["strategy"]), parts.mechanism_text(cases.iloc[0]["mechanism"])] if len(ways) > 1 else []
        shape = parts.shape_text(cases, [name for name in names if name not in ("strategy", "mechanism")])
        axes = sheet.add(0.62 + pitch * (place % columns), 0.3 + two + (place // columns) * (height + 0.75 + two), pitch - 0.22,
                         height, "\n".join(filter(None, [", ".join(filter(None, way)), shape])))
        style.fit_axis(axes, "y", parts.extents(placed, scale), placed["us"].max() > 12 * placed["us"].min())
        style.binary_axis(axes, "x", placed["wave"], pitch - 0.22)
        mark_refused(axes, lines, rows)
        for line in lines:
            draw_line(axes, line, line.cases["us"] / scale, line.cases["low"] / scale, line.cases["high"] / scale)
        axes.set_xlabel(AXES["wave"].title if place >= len(panels) - columns else "")
        axes.set_ylabel(f"{MEASURES['time'].title}, {unit}" if place % columns == 0 else "")
        if place % columns:
            axes.tick_params(labelleft=False)
    unplaced = shown[shown["wave"].isna()]
    if len(unplaced):
        details = part.rows[part.rows["wave"].isna() & (part.rows["detail"] != "")]["detail"]
        first = f", the first: {details.iloc[0]}" if len(details) else ""
        return sheet.finish(parts.caption_of(part, placed, elsewhere=(parts.status_text(unplaced) or "without waves") + first))
    return sheet.finish(parts.caption_of(part, placed))


def _stream_lines(cases, streams, colours):
    """One line per number of streams."""
    return [parts.Line("", "", "", count, list(group["wave"]), group, colours[count],
                       style.MARKS[streams.index(count) % len(style.MARKS)])
            for count, group in cases.sort_values("wave", kind="stable").groupby("streams")]
