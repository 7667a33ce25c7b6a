"""The figure of the litmus patterns: which share of their instances read the stale value, without a delay and with one."""
import math

import pandas

import figure_parts as parts
import figure_style as style
import tables
from figure_style import Sheet

LINE_HEIGHT = 0.205
COLUMN = 1.25  # of counts, in inches
ZERO = 0.9  # decades between 0 and the least share on the axis


def stale(part, shown, figure):
    """A line a pattern, guaranteed ones first; a dot a delay: the share of all its instances that read the stale value."""
    rows = part.rows[part.rows["strategy"].isin(shown["strategy"])]
    delays = sorted(rows["delay_us"].fillna(0).unique())
    delays = delays if len(delays) <= 2 else [delays[0], delays[-1]]
    patterns = sorted(rows["strategy"].unique(), key=lambda name: (name in tables.those("strategies", "racy"), style.rank_of(name)))
    found = [(name, [_count(rows[(rows["strategy"] == name) & (rows["delay_us"].fillna(0) == delay)]) for delay in delays])
             for name in patterns]
    unit = "" if part.backend == "cpu" else " µs"
    words = [f"delay {style.grouped(delay)}{unit}" if delay else "no delay" for delay in delays]
    marks = [(word, style.INK, mark) for word, mark in zip(words, "oD")]
    sheet = Sheet(_title(figure.title, found), [*marks, ("the rules guarantee the fresh value", style.GREEN, "s"),
                                                ("they guarantee nothing", style.VERMILLION, "s")])
    start = style.MARGIN + max(style.text_width(style.marked(name), 9) for name in patterns) + 0.25
    width = style.WIDTH - start - style.MARGIN - COLUMN * len(delays)
    axes = sheet.add(start, 0.25, width, LINE_HEIGHT * len(found) + 0.08)
    most = max((of for _, counts in found for _, of, _ in counts), default=1)
    decades = max(1, math.ceil(math.log10(max(most, 2))))
    at = {"transform": axes.get_yaxis_transform(), "va": "center_baseline"}
    for number, word in enumerate(words):
        axes.text(1 + COLUMN * (number + 1) / width, 1 + 0.06 / sheet.height_of(axes), word, transform=axes.transAxes, fontsize=8, color="#777777",
                  va="bottom", ha="right")
    for place, (name, counts) in enumerate(found):
        colour = style.on_page(style.VERMILLION if name in tables.those("strategies", "racy") else style.GREEN)["light"]
        axes.text((style.MARGIN - start) / width, place, style.marked(name), fontsize=9, color=colour, **at)
        for number, (count, of, said) in enumerate(counts):
            axes.text(1 + COLUMN * (number + 1) / width, place, said, fontsize=8, ha="right", **at)
            if of:
                axes.plot([_position(count / of, decades)], [place], "oD"[number], color=colour, markersize=8.5 - 2.5 * number,
                          markeredgecolor="white", markeredgewidth=0.9, clip_on=False, zorder=3 + number)
    style.rows_axis(axes, [""] * len(found))
    axes.set_xlim(-0.2, ZERO + decades + 0.2)
    step = 2 if decades > 5 else 1
    places = [0.0, *(ZERO + decades - power for power in range(0, decades + 1, step))]
    texts = ["0", *(style.grouped(10.0**-power) if power < 3 else f"10⁻{style.raised(power)}" for power in range(0, decades + 1, step))]
    axes.set_xticks(places, texts)
    axes.set_xlabel("share of the instances that read the stale value")
    sheet.notes.append("An instance is one block of the root grid, with words of its own. At the right: how many read the stale value. The "
                       "delay holds up the write; that of litmus_child_write holds up the read. –: the pattern has nothing to delay.")
    return sheet.finish(parts.caption_of(part, shown, timed=False))


def _count(rows):
    """(stale, instances, words) of all runs of a pattern that read something."""
    if not len(rows):
        return 0, 0, "–"
    read = rows[rows["status"].isin(["ok", "wrong"])]
    if not len(read):
        return 0, 0, ", ".join(sorted(set(rows["status"])))
    count, of = int(pandas.to_numeric(read["answer"].astype(object)).sum()), int(read["grid"].sum())
    return count, of, f"{style.grouped(count)} of {style.power_text(of)}"


def _position(share, decades):
    """On an axis with 0 at its left end and a decade an inch of the data beyond."""
    return 0.0 if share == 0 else ZERO + decades + max(math.log10(share), -decades)


def _title(title, found):
    totals = {name: [sum(column) for column in list(zip(*counts))[:2]] for name, counts in found}
    totals = {name: total for name, total in totals.items() if total[1]}
    racy = [total for name, total in totals.items() if name in tables.those("strategies", "racy")]
    safe = [total for name, total in totals.items() if name not in tables.those("strategies", "racy")]
    seen = sum(count > 0 for count, _ in racy)
    wrong = sum(count > 0 for count, _ in safe)
    said = f"{seen} of {parts.count_text(len(racy), 'pattern')} without a guarantee read some" if racy else ""
    kept = (f"{wrong} of {len(safe)} that the rules guarantee did too" if wrong else
            f"those that the rules guarantee none in {style.grouped(sum(of for _, of in safe))} instances") if safe else ""
    return f"{title}: {'; '.join(filter(None, [said, kept])) or 'no run read anything'}"
