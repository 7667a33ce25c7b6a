"""The figure of chains and trees of empty grids below many blocks: the time per launch when many are in flight."""
import pandas

import figure_parts as parts
import figure_style as style
from figure_style import Sheet
from figures_sweeps import draw_line, mark_refused, nothing_timed

DASHED = {"chains_synced": "each parent waits for its child", "trees_by_lanes": "a thread of its own launches each child"}
HEIGHT = 3.0
PLACES = [(0.7, 3.2), (4.75, 3.35)]  # left edge and width of the panels of a row


def trees(cases):
    """Chains and trees, if the figure has a panel for some of them; beside them, a chain of one length whose levels vary."""
    own = (cases["workload"] == "fanout") & cases["launched"].isna()
    if not own.any() or not _panels(cases[own]):
        return cases[:0]
    return cases[own | cases.index.isin(_levels(cases).index)]


def _levels(cases):
    own = cases[(cases["strategy"] == "chain") & cases["launched"].notna()]
    return own if own["launched"].nunique() == 1 and own["grid"].nunique() > 1 else own[:0]


def by_launches(part, shown, _):
    """Time per launch: of the deepest chains against their number; of trees against their launches; of one block against
    its children; of a chain against the size of its levels. Each of the smallest blocks, and of the smallest grid where
    the grid does not vary."""
    if not shown["us"].notna().any():
        return nothing_timed("Chains and trees of empty grids", part, shown)
    panels = _panels(shown)
    drawn = pandas.concat([cases for _, _, cases in panels])
    order = sorted(set(drawn["mechanism"]), key=style.mechanism_rank)
    key = [(parts.mechanism_text(name), style.mechanism_look(name)[1], style.mechanism_mark(name)) for name in order]
    sheet = Sheet(_title(panels), key)
    for number, (title, label, cases) in enumerate(panels):
        left, width = PLACES[number % 2]
        axes = sheet.add(left, 0.3 + number // 2 * (HEIGHT + 0.9), width, HEIGHT, title)
        _draw(sheet, axes, cases, order, label)
    for name, words in DASHED.items():
        if (drawn["strategy"] == name).any():
            sheet.notes.append(f"Dashed, {name}: {words}.")
    if drawn["block"].nunique() == 1:
        sheet.notes.append(f"Blocks of {style.grouped(drawn['block'].iloc[0])} threads.")
    sheet.notes.append("Time per launch: the time of a run, divided by its launches from the device; of a chain, by its levels.")
    return sheet.finish(parts.caption_of(part, drawn))


def _panels(shown):
    """[(title, label of the x axis, cases with x and the time per launch)], without panels that have a single x."""
    shown = shown.assign(fanouts=pandas.to_numeric(shown["fanout"], errors="coerce"))
    chains = shown[shown["strategy"].isin(["chains", "chains_synced"])]
    chains = _least(chains[chains["depths"] == chains["depths"].max()], "block")
    under = _least(_least(shown[shown["strategy"].isin(["trees", "trees_by_lanes"])], "grid"), "block")
    deep = under[under.groupby("fanouts")["depths"].transform("nunique") > 1]
    deep = _least(deep, "fanouts")
    wide = under[(under["depths"] == 1) & (under["strategy"] == "trees")]
    levels = _least(_levels(shown), "block")
    found = []
    for cases, column, title, label in (
            (chains, "grid", "Chains of {depths} grids", "root blocks, one chain each"),
            (deep, "launches", "A tree: each grid launches {fanouts}", "launches of the tree"),
            (wide, "fanouts", "One block launches many", "children of the block"),
            (levels, "grid", "A chain of {depths} grids", "blocks of each grid")):
        if cases[column].nunique() > 1:
            count = cases["depths"].where(cases["strategy"] == "chain", cases["launches"])
            words = title.format(**{name: style.grouped(cases[name].iloc[0]) for name in ("depths", "fanouts") if f"{{{name}}}" in title})
            each = {name: cases[of] / count for name, of in (("each", "us"), ("each_low", "low"), ("each_high", "high"))}
            found.append((words, label, cases.assign(x=cases[column], **each)))
    return found


def _least(cases, column):
    return cases[cases[column] == cases[column].min()]


def _title(panels):
    cases = pandas.concat([cases for _, _, cases in panels])
    if not cases["each"].notna().any():
        return "Chains and trees of empty grids"
    best = cases.loc[cases["each"].idxmin()]
    among = {"chain": "a chain", "chains": f"{style.grouped(best['grid'])} chains"}.get(best["strategy"].split("_")[0], "a tree")
    return f"A launch takes at best {style.time_text(best['each'])}, by {parts.mechanism_text(best['mechanism'])}, in {among}"


def _draw(sheet, axes, cases, order, label):
    lines = []
    for group in parts.grouped_by(cases, ["strategy", "mechanism"]):
        case, group = group.iloc[0], group.sort_values("x", kind="stable")
        dash = style.DASHES[1 if case["strategy"] in DASHED else 0]
        lines.append(parts.Line(case["mechanism"], case["strategy"], case["mechanism"], "", list(group["x"]), group,
                                style.mechanism_look(case["mechanism"])[1], style.mechanism_mark(case["mechanism"]), dash))
    lines.sort(key=lambda line: (order.index(line.mechanism), line.strategy))
    style.fit_axis(axes, "y", cases[["each", "each_low", "each_high"]].stack())
    style.binary_axis(axes, "x", cases["x"].dropna(), sheet.width_of(axes))
    axes.set_xlabel(label)
    axes.set_ylabel("time per launch, µs")
    mark_refused(axes, lines)
    for line in lines:
        draw_line(axes, line, *(line.cases[name] for name in ("each", "each_low", "each_high")))
