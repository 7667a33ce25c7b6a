"""The ladder: what one more level costs by every mechanism, from levels of one block to levels of many."""
import pandas

import figure_parts as parts
import figure_style as style
import tables
from figure_style import Sheet
from figures_sweeps import nothing_timed

HEIGHT, WIDE = 4.6, 5.1
COLOURS = [style.VERMILLION, style.PURPLE, "#8C5A3C", "#3A97CF", style.ORANGE, style.GREEN]  # by who decides, in the order of the mechanisms


def steps(cases):
    """Chains that a log has in two lengths, with levels of several sizes, and that differ in nothing else but the mechanism."""
    chains = cases[cases["workload"] == "chain"]
    alike = all(not parts.varying(one, ["block", "graphs", *parts.case_names()]) for one in parts.grouped_by(chains, ["mechanism", "grid", "depth"]))
    return chains if alike and chains["grid"].nunique() > 2 and chains["depth"].nunique() == 2 else chains[:0]


def _slopes(shown):
    """One row for each mechanism and number of blocks: what a level more takes, in microseconds, from the lengths that the log has."""
    timed = shown.assign(length=pandas.to_numeric(shown["depth"], errors="coerce"))
    timed = timed[timed["us"].notna()]
    found = []
    for group in parts.grouped_by(timed, ["mechanism", "grid"], 2):
        group = group.sort_values("length")
        first, last = group.iloc[0], group.iloc[-1]
        levels = last["length"] - first["length"]
        found.append({"mechanism": first["mechanism"], "grid": first["grid"], "us": (last["us"] - first["us"]) / levels,
                      "low": (last["low"] - first["high"]) / levels, "high": (last["high"] - first["low"]) / levels})
    return pandas.DataFrame(found)


def by_blocks(part, shown, _):
    """A line for each mechanism, coloured by who decides whether there is another level."""
    slopes = _slopes(shown)
    if not len(slopes):
        return nothing_timed("The ladder", part, shown)
    deciders = {name: entry["decided_by"] for name, entry in tables.tables()["mechanisms"].items()}
    colours = dict(zip(dict.fromkeys(filter(None, deciders.values())), COLOURS))
    slopes = slopes.assign(by=slopes["mechanism"].map(deciders))
    sheet = Sheet(_title(slopes), [(f"{by}", colours[by], "o") for by in colours if by in set(slopes["by"])],
                  "Who decides whether there is another level:")
    axes = sheet.add(0.6, 0.15, WIDE, HEIGHT)
    style.log_axis(axes, "y", slopes["us"].min(), slopes["us"].max(), pad=1.25)
    style.binary_axis(axes, "x", slopes["grid"], WIDE)
    axes.set_xlabel(f"blocks of a level, of {style.grouped(shown['block'].iloc[0])} threads each")
    axes.set_ylabel("time of one more level, µs")
    labels = []
    for line in parts.grouped_by(slopes.sort_values("grid"), ["mechanism"]):
        colour, last = colours[line["by"].iloc[0]], line.iloc[-1]
        axes.plot(line["grid"], line["us"], color=colour, marker="o", markersize=3.6, clip_on=False)
        style.intervals(axes, line["grid"], line["low"].clip(lower=1e-3), line["high"], color=colour, linewidth=1, alpha=0.6)
        words = parts.mechanism_text(last["mechanism"])
        ends = [f"{us:.{2 if us < 10 else 1}f}" for us in (line["us"].iloc[0], last["us"])]
        labels.append((last["grid"], last["us"], f"{words} {'–'.join(dict.fromkeys(ends))} µs", colour))
    sheet.end_labels(axes, labels, 7.5)
    depths = " and ".join(style.grouped(depth) for depth in sorted(pandas.to_numeric(shown["depth"]).unique()))
    sheet.notes.append(f"The difference of the times of chains of {depths} empty levels, divided by the levels between them. At the right: "
                       "of the smallest and of the largest level.")
    return sheet.finish(parts.caption_of(part, shown))


def _title(slopes):
    """The cheapest level of a kernel that decides, and the cheapest that was submitted ahead, at the smallest level."""
    small = slopes[slopes["grid"] == slopes["grid"].min()].set_index("mechanism")
    said = []
    launches = small["by"].str.startswith("a kernel,") & ~small["by"].isin(["a kernel, which goes on", "a kernel, up to a bound"])
    for words, chosen in (("decided on the GPU", small[launches]),
                          ("on the GPU up to a bound", small[small["by"] == "a kernel, up to a bound"]),
                          ("by a host that reads", small[small["by"].str.startswith("the host")]),
                          ("submitted ahead", small[small["by"].str.startswith("nobody")])):
        if len(chosen):
            said.append(f"{words} {style.time_text(chosen['us'].min())}")
    return "One more level costs at least: " + ", ".join(said)
