"""The figure of irregular workloads along the work of an item: from which work per launch on does a launch pay?"""
import pandas

import figure_parts as parts
import figure_style as style
import figures_irregular as irregular
from figure_style import Sheet
from figures_sweeps import nothing_timed

AXIS = "dwell"
FORM = ["strategy", "mechanism", "group"]
PAYS = 1.05  # a launch costs next to nothing up to this ratio


def works(cases):
    """Data-dependent launches and flat forms of the same items with three works per item or more."""
    own = irregular.flat_and_nested(cases)
    own = own.assign(**{AXIS: pandas.to_numeric(own[AXIS], errors="coerce")})
    own = own[own[AXIS].notna()]
    found = [group for group in irregular.by_work(own, without=(AXIS,)) if any(form[AXIS].nunique() >= 3 for form in parts.grouped_by(group[group["by_need"]], FORM))]
    return pandas.concat(found) if found else own[:0]


def _lines(group):
    """[(strategy, mechanism, aggregation, {work: ratio}, {work: case})] of a panel, the forms that launch first: the fastest case of each form
    over that of the best flat form at each work."""
    timed = group.dropna(subset=["us"])
    flat = timed[~timed["by_need"]].groupby(AXIS)["us"].min()
    found = []
    for form in parts.grouped_by(timed[~(timed["by_need"] & (timed["expected"] == 0))], ["by_need", *FORM]):
        best = form.sort_values("us", kind="stable").groupby(AXIS).head(1).sort_values(AXIS)
        best = best[best[AXIS].isin(flat.index)]
        if len(best) >= 2:
            case = best.iloc[0]
            ratios = {work: us / flat[work] for work, us in zip(best[AXIS], best["us"])}
            found.append((case["strategy"], case["mechanism"], case["group"] if case["by_need"] else "", ratios, best))
    return sorted(found, key=lambda line: not line[2])


def _paying(ratios):
    """The least work from which on the form takes at most PAYS times the time of the best flat form; None if there is none."""
    paying = None
    for work in sorted(ratios, reverse=True):
        if ratios[work] > PAYS:
            break
        paying = work
    return paying


def _label(strategy, mechanism, group):
    words = [style.marked(strategy), parts.mechanism_text(mechanism), group if group not in ("", irregular.DEVICE_GRAPH) else ""]
    return ", ".join(filter(None, words))


def _title(title, lines):
    """The form that pays from the least work on, and the operations of one of its launches there."""
    found = [(_paying(ratios), _label(*form), best) for *form, ratios, best in lines if form[2] and _paying(ratios) is not None]
    if not found:
        return f"{title}: no form that launches comes within {round(100 * (PAYS - 1))} % of the best flat form"
    work, label, best = min(found, key=lambda one: one[:2])
    case = best[best[AXIS] == work].iloc[0]
    return (f"{title}: from {AXIS} {style.grouped(work)} on, {style.three(case['work'] / case['launches'])} operations per launch, "
            f"{label} is within {round(100 * (PAYS - 1))} % of the best flat form")


def by_work(part, shown, figure):
    """A panel for each work but the work of an item; a line for each form: its time over that of the best flat form."""
    panels = [lines for lines in map(_lines, irregular.by_work(shown, without=(AXIS,))) if any(line[2] for line in lines)]
    if not panels:
        return nothing_timed(figure.title, part, shown)
    sheet = Sheet(_title(figure.title, panels[0]), [], "Solid: launches from the device. Dashed: flat forms.")
    left, height = 0.72, 3.6
    room = max(style.text_width(_label(*line[:3]), 8) for lines in panels for line in lines) + 0.35
    for place, lines in enumerate(panels):
        text = irregular.work_text(lines[0][4].iloc[0], parts.varying(shown, irregular.work_columns(shown, (AXIS,))))
        width = style.WIDTH - left - room - style.MARGIN
        axes = sheet.add(left, 0.2 + place * (height + 0.85), width, height, text if len(panels) > 1 else "")
        every, ends = [1.0], []
        for strategy, mechanism, group, ratios, _ in lines:
            colour, mark, _ = style.look_of(strategy)
            colour, mark = (irregular.look_of_group(group)[0], style.mechanism_mark(mechanism)) if group else (colour, mark)
            axes.plot(list(ratios), list(ratios.values()), color=colour, marker=mark, markersize=4, linestyle="-" if group else (0, (4, 2)), clip_on=False, zorder=3)
            ends.append((max(ratios), ratios[max(ratios)], _label(strategy, mechanism, group), colour))
            every += ratios.values()
        axes.axhline(1, color=style.INK, linewidth=0.8, zorder=1)
        style.log_axis(axes, "y", min(every), max(every))
        style.binary_axis(axes, "x", {work for line in lines for work in line[3]}, width)
        axes.set_xlabel(f"{AXIS}: work of an item")
        axes.set_ylabel("time over the best flat form")
        sheet.end_labels(axes, ends)
    sheet.notes.append("A point is the fastest case of its strategy, mechanism and aggregation, over the fastest flat case of the same work.")
    return sheet.finish(parts.caption_of(part, shown))
