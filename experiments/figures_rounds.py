"""The figure of a log in which several experiments ran the same cases, one process per round: each experiment
relative to the first."""
import math

import figure_parts as parts
import figure_style as style
import logs
from figure_style import Sheet
from figures_sweeps import nothing_timed

LINE_HEIGHT = 0.24


def _same():
    """The columns in which cases of different experiments must agree."""
    return [name for name in logs.case_columns() if name != "experiment"]


def repeated(part):
    """The cases of a part whose experiments all ran the same cases, in several rounds (run_id) each; None for any
    other part."""
    if part.cases["experiment"].nunique() < 2 or (part.rows.groupby("experiment", observed=True)["run_id"].nunique() < 2).any():
        return None
    groups = parts.grouped_by(part.cases, _same())
    return part.cases if all(set(group["experiment"]) == set(part.cases["experiment"]) for group in groups) else None


def _rounds_of(part, case):
    """The times of a case, [those of a round]. Samples of one process are alike, so a bootstrap must draw whole
    rounds."""
    rows = part.rows[part.rows["line"].isin(case["lines"])].dropna(subset=["us"])
    return [times["us"].tolist() for _, times in rows.groupby("run_id", sort=False, observed=True)]


def rounds(part, shown, _):
    """Ratios of the medians to those of `full`, or to those of the first experiment if there is no `full`: one line
    each, by strategy."""
    names = list(dict.fromkeys(shown["experiment"]))
    first = "full" if "full" in names else names[0]
    several = parts.mechanisms_each(shown)
    varies = parts.varying(shown, [name for name in parts.case_names() if name != "experiment"])
    lines, without, plain = [], [], {}
    for group in parts.grouped_by(shown, _same()):
        label = ", ".join(filter(None, [parts.strategy_label(group.iloc[0], several), parts.shape_text(group, varies)]))
        plain[label] = label.replace(style.marked(group["strategy"].iloc[0]), group["strategy"].iloc[0], 1)
        found = {case["experiment"]: _rounds_of(part, case) for _, case in group.iterrows()}
        for name in (name for name in names if name != first):
            answer = logs.ratios([(found[name], found[first])])[0] if found[name] and found[first] else (math.nan,)
            if not math.isnan(answer[0]):
                count = min(len(found[name]), len(found[first]))
                lines.append((label, name, *(answer if count >= logs.LEAST else (answer[0], math.nan, math.nan)), count))
            else:
                without.append(f"{label}, {name}")
    if not lines:
        return nothing_timed(f"Time over that of {first}", part, shown)
    least, most = (choice(lines, key=lambda line: line[2]) for choice in (min, max))
    sheet = Sheet(f"Time relative to {first}: {least[2]:.3f} ({plain[least[0]]}, {least[1]})"
                  + (f" to {most[2]:.3f} ({plain[most[0]]}, {most[1]})" if most is not least else ""), (), parts.common_text(shown))
    room = max(style.text_width(f"{label}, {name}", 9) for label, name, *_ in lines) + 0.2
    axes = sheet.add(style.MARGIN + room, 0.2, style.WIDTH - style.MARGIN - room - 2.0, LINE_HEIGHT * len(lines) + 0.1)
    axes.axvline(1, color=style.INK, linewidth=1, zorder=1)
    at = {"transform": axes.get_yaxis_transform(), "va": "center_baseline"}
    for place, (label, name, middle, low, high, count) in enumerate(lines):
        style.intervals(axes, [place], [low], [high], up=False, color=style.BLUE, linewidth=2.2, alpha=0.55)
        axes.plot([middle], [place], "o", color=style.BLUE, markersize=6, zorder=3)
        axes.text(1.02, place, f"{middle:.3f}" + (f"  ({low:.3f} to {high:.3f})" if low == low else ""), fontsize=8.5, **at)
    style.rows_axis(axes, [f"{label}, {name}" for label, name, *_ in lines], 9)
    axes.set_xlabel(f"time relative to {first}")
    counts = sorted({count for *_, count in lines})
    sheet.notes.append("Ratio of the medians" + (", and its 95 % bootstrap interval, which draws whole rounds"
                                                 if counts[-1] >= logs.LEAST else "") +
                       f". A round is one run of nestbed: {' to '.join(map(str, dict.fromkeys([counts[0], counts[-1]])))} of each.")
    if parts.status_text(shown):
        sheet.notes.append(f"Rows without a time: {parts.status_text(shown)}.")
    if without:
        sheet.notes.append(f"Without a time on both sides: {'; '.join(without)}.")
    return sheet.finish(parts.caption_of(part, shown, timed=False))
