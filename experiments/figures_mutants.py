"""In how many random orders of the executor each mutant of a strategy gave a wrong answer: of a CSV such as results/races/mutants.csv.
The race detector finds every mutant of the file in one run (tests/races)."""
import figure_style as style
import logs

LINE_HEIGHT = 0.205
COLUMN = 1.25  # of counts, in inches


def drawn(rows):
    """One line per mutant, those that the orders show least often first. `rows`: dicts of mutants.csv."""
    rows = sorted(rows, key=lambda row: (int(row["wrong"]) / int(row["orders"]), row["strategy"]))
    hidden = sum(row["wrong"] == "0" for row in rows)
    orders = max(int(row["orders"]) for row in rows)
    sheet = style.Sheet(f"{style.grouped(orders)} random orders never show {hidden} of {len(rows)} races; the detector finds all "
                        f"{len(rows)} in one run", [("shown by some order", style.GREEN, "s"), ("never shown", style.VERMILLION, "s")])
    start = style.MARGIN + max(style.text_width(row["strategy"], 9) for row in rows) + 0.25
    width = style.WIDTH - start - style.MARGIN - COLUMN
    axes = sheet.add(start, 0.1, width, LINE_HEIGHT * len(rows) + 0.08)
    at = {"transform": axes.get_yaxis_transform(), "va": "center_baseline"}
    for place, row in enumerate(rows):
        share = int(row["wrong"]) / int(row["orders"])
        colour = style.on_page(style.GREEN if share else style.VERMILLION)["light"]
        axes.text((style.MARGIN - start) / width, place, row["strategy"], fontsize=9, color=colour, **at)
        axes.text(1 + COLUMN / width, place, f"{style.grouped(int(row['wrong']))} of {style.grouped(int(row['orders']))}", fontsize=8,
                  ha="right", **at)
        axes.plot([share], [place], "o", color=colour, markersize=7.5, markeredgecolor="white", clip_on=False, zorder=3)
    style.rows_axis(axes, [""] * len(rows))
    axes.set_xlim(-0.02, 1.02)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    axes.set_xlabel("orders with a wrong answer")
    return sheet.finish(["A mutant is a race-free strategy with one change: a barrier, a fence or a release taken out, a plain counter, a "
                        "slice shifted by one, and so on. tests/races holds the list and checks each at its line."])


def is_mutants(path):
    """Whether a file is a table of mutants, by its header."""
    return {"strategy", "orders", "wrong"} <= set(logs.header_of(path))


def figure_of(path):
    """The figure of a file; None without rows. Raises logs.LogError."""
    header, lines, rows = logs.read_rows(path)
    rows = [dict(zip(header, row)) for row in rows]
    for line, row in zip(lines, rows):
        for name in ("orders", "wrong"):
            if not row[name].isdecimal():
                raise logs.LogError(f"{path}, line {line}: {name} is '{logs.seen(row[name])}'; allowed: a whole number from 0")
    return drawn(rows) if rows else None
