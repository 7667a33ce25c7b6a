"""The figures of launch cost, from chains, fan-outs and trees of empty grids: time per launch by mechanism, how much of it is submission, what one
more level costs, and what a busy host makes of it."""
import dataclasses

import numpy
import pandas

import figure_parts as parts
import figure_panels as panels_of
import figure_style as style
import tables
from figure_panels import Panel, measured
from measures import AXES, MEASURES

HEIGHT = 3.0
DASHED = {"chains_synced": "each parent waits for its child", "trees_by_lanes": "a thread of its own launches each child"}
TITLES = {"chain": ("length", "A chain: each grid launches the next", "a chain"), "fanout": ("children", "A fan-out: many launches", "a fan-out")}
# By who decides whether there is another level, in the order of the mechanisms.
DECIDERS = [style.VERMILLION, style.PURPLE, "#8C5A3C", "#3A97CF", style.ORANGE, style.GREEN]
# The columns of a busy host's panels; the first quantile is the median.
CLOCKS = {"GPU's own time": ("span_us", "span_p99_us", "span_p999_us", "span_worst_us"),
          "host's clock": ("us", "wall_p99_us", "wall_p999_us", "wall_worst_us")}
HOST = ["host_load", "nice", "pin"]


def empty_grids(strategy):
    """Takes chains or fan-outs of several lengths, unless the pending-launch limit or the submission varies, which a line does not show."""
    def takes(cases):
        own = cases[(cases["strategy"] == strategy) & cases["launched"].notna()]
        return own if own["launched"].nunique() > 1 and not parts.varying(own, ["pending_limit_asked", "submit_asked"]) else own[:0]
    return takes


def submissions(cases):
    """Chains and fan-outs of empty grids, if some were requested as held and some as open."""
    own = cases[cases["launched"].notna() & (cases["submit_asked"] != "")]
    return own if own["submit_asked"].nunique() > 1 else own[:0]


def variant(case):
    """The mechanism in words; for the best of several graphs, also their number."""
    words = parts.mechanism_text(case["mechanism"])
    return words + (f", best of {style.grouped(case['graphs'])}" if pandas.notna(case["graphs"]) and case["graphs"] > 1 else "")


def _lines(cases, names=("mechanism", "graphs"), is_dashed=lambda case: case["graphs"] > 1):
    """One line for each mechanism, and what else is in `names`, in the order of the mechanisms."""
    found = []
    for group in parts.grouped_by(cases, names):
        case, group = group.iloc[0], group.sort_values("x", kind="stable")
        found.append(parts.Line(variant(case), case["strategy"], case["mechanism"], case["graphs"], list(group["x"]), group,
                                style.mechanism_look(case["mechanism"])[1], style.mechanism_mark(case["mechanism"]), style.DASHES[1 if is_dashed(case) else 0]))
    return sorted(found, key=lambda line: (style.mechanism_rank(line.mechanism), line.label, line.strategy))


def _key(lines):
    """One key for all panels: each mechanism once, in order."""
    return list(dict.fromkeys((parts.mechanism_text(line.mechanism), line.colour, line.mark) for line in lines))


def _each(shown, strategy):
    """The cases of a strategy with `x`, the number of launches, and with the time per launch as y."""
    cases = shown[shown["strategy"] == strategy]
    return measured(cases.assign(x=cases["launched"]), cases["launched"])


# --- time per launch ---


def launch_time(part, _, __):
    """Time per launch by mechanism: chains against their length, and fan-outs against their width, whichever of them a log has. Beside the chains:
    the effect of larger levels. Hollow marks in the fan-outs: the same launches from one root grid, if waves were
    measured too."""
    shown = part.cases[part.cases["launched"].notna()]
    if not shown["us"].notna().any():
        return None
    chains, fans = _each(shown, "chain"), _each(shown, "fanout")
    panels, notes, label = [], [], MEASURES["each"].label
    if chains["x"].notna().any():
        small = chains["grid"] == chains["grid"].min()
        lines = _lines(chains[small])
        shared = set(chains["x"][small]) & set(chains["x"][~small].dropna())
        if not shared and (~small).any():
            notes.append("Not drawn: chains of larger levels, of which none is as long as one of small levels.")
        panels += [Panel(TITLES["chain"][1], lines, AXES["length"].title, label, y="fit", ends=False, crosses=0),
                   _larger_levels(lines, chains[~small & (chains["x"] == max(shared))], max(shared)) if shared else None]
        most = chains["graphs"][small].max()
        notes += [f"Dashed: the best of {style.grouped(most)} device graphs."] if most > 1 else []
    if fans["x"].notna().any():
        whole = fans["whole"] != ""
        hollow = [dataclasses.replace(line, dash=(0, (3, 2)), hollow=True) for line in _lines(fans[whole])]
        panels += [Panel(TITLES["fanout"][1], [*_lines(fans[~whole]), *hollow], AXES["children"].title, label, y="fit", ends=False, crosses=0), None]
        notes += _wave_note(fans[~whole], whole.any())
    if shown["mechanism"].isin(["grid_sync", "host", "host_graph"]).any():
        notes.append("Time per launch: the time of a run, divided by the grids of its chain or the launches of its fan-out. Those of host and host graph "
                     "come from the host. grid.sync() launches nothing; its time is divided by the same number.")
    return panels_of.draw(_launch_title(chains, fans), panels, parts.caption_of(part, shown), key=_key(_lines(pandas.concat([chains, fans]))),
                          columns=2, shares=(0.8, 0.2), height=HEIGHT, notes=notes)


def _larger_levels(lines, larger, at):
    """One slope per mechanism, from small levels to larger ones, at a chain length that both have."""
    slopes, small = [], next(line.cases[line.cases["x"] == at].iloc[0] for line in lines if at in line.x)
    for line in lines:
        mine = larger[(larger["mechanism"] == line.mechanism) & ((larger["graphs"] == line.value) | (pandas.isna(line.value)))]
        if len(mine) and at in line.x:
            before = line.cases["y"][line.cases["x"] == at].iloc[0]
            slopes.append(dataclasses.replace(line, x=[0, 1], dash="-", cases=pandas.DataFrame({"y": [before, mine["y"].iloc[0]]})))
    words = [f"{style.grouped(case['grid'])} × {style.grouped(case['block'])}" for case in (small, larger.iloc[0])]
    return Panel(f"Chain of {style.grouped(at)}", slopes, "threads per level", MEASURES["each"].label, x=words, y="fit", ends=False,
                 crosses=len(panels_of.refused(lines)), ys=[y for line in lines for y in line.cases["y"]])


def _wave_note(solid, hollow):
    """Says which fan-outs on the lines are one root grid, and which are waves."""
    in_waves = solid[solid["wave"] < solid["grid"]]
    if not len(in_waves):
        return []
    one = solid[(solid["wave"] == solid["grid"]) & solid["mechanism"].isin(in_waves["mechanism"])]["grid"]
    sizes = " or ".join(style.grouped(wave) for wave in sorted(in_waves["wave"].unique()))
    words = f"From {style.grouped(in_waves['grid'].min())} launches on, device launches are made in waves of {sizes} root blocks"
    words += f"; up to {style.grouped(one.max())}, in one root grid." if len(one) else "."
    return [words + (" Hollow: the same number in one root grid." if hollow else "")]


def _launch_title(chains, fans):
    """The title names the smallest time per launch of chains and of fan-outs, for device launches only, among the
    longest or widest."""
    sentences = []
    for cases, words in ((chains, "in a chain"), (fans, "in a fan-out")):
        each = cases["y"].where((cases["launches"] > 0) & (cases["x"] >= cases["x"].max() / 16)).dropna()
        if len(each):
            best = cases.loc[each.idxmin()]
            waves = f", {parts.name_of('wave', best['wave'])}" if best["wave"] < best["grid"] else ""
            sentences.append(f"{style.time_text(each.min())} {words} ({parts.mechanism_text(best['mechanism'])}{waves})")
    return "A device launch takes at best " + ", ".join(sentences) if sentences else "Time per launch, by mechanism"


# --- held and open ---


def submission(part, shown, _):
    """Time divided by launches, held and open, by mechanism. Beside it: how much longer an open run takes. One row
    for chains and one for fan-outs."""
    panels, added, lines = [], {}, []
    for strategy, (axis, title, _) in TITLES.items():
        cases = _each(shown, strategy)
        lines += _lines(cases)
        timed = cases["us"].notna()
        held = [_lines(cases[(cases["submit_asked"] == "held") & (cases["submit"] == "held") & timed])]
        opened = _lines(cases[(cases["submit_asked"] == "open") & timed])
        held += [[dataclasses.replace(line, dash=(0, (3, 2)), hollow=True) for line in opened]]
        added[strategy] = _costs(held[0], opened)
        if timed.any():
            values = [y for line in added[strategy] for y in line.cases["y"].dropna()]
            empty = "no difference can be measured" if added[strategy] else "no run was held and open"
            panels += [Panel(title, sum(held, []), AXES[axis].title, MEASURES["each"].label, y="fit", ends=False),
                       Panel("How much longer an open run takes", added[strategy], AXES[axis].title, "open minus held, µs per run", ends=False,
                             **({"y": "log", "ys": (1, 10)} if values and min(values) > 0 else {"y": "signed"}),
                             more=None if values else lambda axes, text=empty: axes.text(0.5, 0.5, text, ha="center", transform=axes.transAxes))]
    unclear = sum(int(line.cases["y"].isna().sum()) for found in added.values() for line in found)
    notes = [f"Right: the difference of the two medians. {parts.count_text(unclear, 'difference')} {'is' if unclear == 1 else 'are'} not drawn: the "
             "intervals of held and open overlap there, so that no difference can be measured."] if unclear else []
    let_go = shown[(shown["submit_asked"] == "held") & shown["us"].notna() & (shown["submit"] != "held")]
    words = [f"{strategy} by {parts.mechanism_text(mechanism)} of {', '.join(style.grouped(x) for x in sorted(cases['launched']))}"
             for (strategy, mechanism), cases in let_go.groupby(["strategy", "mechanism"], sort=False)]
    notes += [f"Not drawn as held, because a stream does not take so much before the GPU starts: {'; '.join(words)}."] if words else []
    return panels_of.draw(_submission_title(added), panels, parts.caption_of(part, shown), key=_key(sorted(
        lines, key=lambda line: style.mechanism_rank(line.mechanism))), height=HEIGHT, notes=notes,
        subtitle="Filled: held, the GPU starts when all is submitted. Hollow: open, it starts at once.")


def _costs(held, opened):
    """Lines of the additional microseconds of an open run, for those with both a held run and an open run; NaN if their intervals overlap."""
    made = []
    for line in held:
        for other in (other for other in opened if (other.mechanism, other.label) == (line.mechanism, line.label)):
            both = line.cases.merge(other.cases, on="x", suffixes=("", "_open")).sort_values("x")
            overlap = (both["low_open"] <= both["high"]) & (both["low"] <= both["high_open"])
            if len(both):
                made.append(dataclasses.replace(line, x=list(both["x"]), dash="-", cases=pandas.DataFrame({"y": (both["us_open"] - both["us"]).mask(overlap)})))
    return made


def _submission_title(added):
    sentences = []
    for strategy, lines in added.items():
        least = min((line.x[0] for line in lines), default=None)
        found = [line.cases["y"].iloc[0] for line in lines if line.x[0] == least and not numpy.isnan(line.cases["y"].iloc[0])]
        if found:
            span = " to ".join(dict.fromkeys(style.three(more) for more in (min(found), max(found))))
            sentences.append(f"{span} µs to {TITLES[strategy][2]} of {style.grouped(least)}")
    if not any(added.values()):
        return "What submission costs: no run was held and open"
    return f"Submission adds {' and '.join(sentences)}" if sentences else "What submission costs"


# --- chains and trees below many blocks ---


def trees(cases):
    """Chains and trees, if the figure has a panel for some of them; beside them, a chain of one length whose levels vary."""
    own = (cases["workload"] == "fanout") & cases["launched"].isna()
    if not own.any() or not _tree_panels(cases[own]):
        return cases[:0]
    return cases[own | cases.index.isin(_levels(cases).index)]


def _levels(cases):
    own = cases[(cases["strategy"] == "chain") & cases["launched"].notna()]
    return own if own["launched"].nunique() == 1 and own["grid"].nunique() > 1 else own[:0]


def by_launches(part, shown, _):
    """Time per launch: of the deepest chains against their number; of trees against their launches; of one block against
    its children; of a chain against the size of its levels. Each of the smallest blocks, and of the smallest grid where
    the grid does not vary."""
    found = _tree_panels(shown)
    drawn = pandas.concat([cases for _, _, cases in found])
    panels = [Panel(title, _lines(cases, ["strategy", "mechanism"], lambda case: case["strategy"] in DASHED), label, "time per launch, µs", y="fit",
                    ends=False, crosses=0) for title, label, cases in found]
    notes = [f"Dashed, {name}: {words}." for name, words in DASHED.items() if (drawn["strategy"] == name).any()]
    notes += [f"Blocks of {style.grouped(drawn['block'].iloc[0])} threads."] if drawn["block"].nunique() == 1 else []
    notes.append("Time per launch: the time of a run, divided by its launches from the device; of a chain, by its levels.")
    title = "Chains and trees of empty grids"
    if drawn["y"].notna().any():
        best = drawn.loc[drawn["y"].idxmin()]
        among = {"chain": "a chain", "chains": f"{style.grouped(best['grid'])} chains"}.get(best["strategy"].split("_")[0], "a tree")
        title = f"A launch takes at best {style.time_text(best['y'])}, by {parts.mechanism_text(best['mechanism'])}, in {among}"
    return panels_of.draw(title, panels, parts.caption_of(part, drawn), key=_key(_lines(drawn)), columns=2, height=HEIGHT, notes=notes)


def _tree_panels(shown):
    """[(title, label of the x axis, cases with x and the time per launch)], without panels that have a single x."""
    def least(cases, *names):
        for name in names:
            cases = cases[cases[name] == cases[name].min()]
        return cases

    shown = shown.assign(fanouts=pandas.to_numeric(shown["fanout"], errors="coerce"))
    chains = shown[shown["strategy"].isin(["chains", "chains_synced"])]
    under = least(shown[shown["strategy"].isin(["trees", "trees_by_lanes"])], "grid", "block")
    deep = under[under.groupby("fanouts")["depths"].transform("nunique") > 1]
    found = []
    for cases, column, title, label in (
            (least(chains[chains["depths"] == chains["depths"].max()], "block"), "grid", "Chains of {depths} grids", "root blocks, one chain each"),
            (least(deep, "fanouts"), "launches", "A tree: each grid launches {fanouts}", "launches of the tree"),
            (under[(under["depths"] == 1) & (under["strategy"] == "trees")], "fanouts", "One block launches many", "children of the block"),
            (least(_levels(shown), "block"), "grid", "A chain of {depths} grids", "blocks of each grid")):
        if cases[column].nunique() > 1:
            words = title.format(**{name: style.grouped(cases[name].iloc[0]) for name in ("depths", "fanouts") if f"{{{name}}}" in title})
            found.append((words, label, measured(cases.assign(x=cases[column]), cases["depths"].where(cases["strategy"] == "chain", cases["launches"]))))
    return found


# --- the ladder ---


def steps(cases):
    """Chains that a log has in two lengths, with levels of several sizes, and that differ in nothing else but the mechanism."""
    chains = cases[cases["workload"] == "chain"]
    alike = all(not parts.varying(one, ["block", "graphs", *parts.case_names()]) for one in parts.grouped_by(chains, ["mechanism", "grid", "depth"]))
    return chains if alike and chains["grid"].nunique() > 2 and chains["depth"].nunique() == 2 else chains[:0]


def by_blocks(part, shown, _):
    """What one more level takes: the difference of two lengths. A line for each mechanism, coloured by who decides whether there is another level."""
    timed = shown[shown["us"].notna()].assign(length=pandas.to_numeric(shown["depth"], errors="coerce"), x=shown["grid"])
    pairs = timed.sort_values("length").groupby(["mechanism", "x"], as_index=False)[["length", "us", "low", "high"]].agg(["first", "last", "count"])
    pairs = pairs[pairs["us", "count"] > 1]
    if not len(pairs):
        return None
    levels = pairs["length", "last"] - pairs["length", "first"]
    slopes = pandas.DataFrame({"y": (pairs["us", "last"] - pairs["us", "first"]) / levels,
                               "y_low": ((pairs["low", "last"] - pairs["high", "first"]) / levels).clip(lower=1e-3),
                               "y_high": (pairs["high", "last"] - pairs["low", "first"]) / levels}).reset_index()
    texts = {entry["decider"]: entry["decided_by"] for entry in tables.tables()["mechanisms"].values() if entry["decided_by"]}
    colours = dict(zip(texts, DECIDERS))
    slopes = slopes.assign(by=slopes["mechanism"].map(tables.decider_of))
    lines = []
    for group in parts.grouped_by(slopes.sort_values("x"), ["mechanism"]):
        ends = [f"{us:.{2 if us < 10 else 1}f}" for us in (group["y"].iloc[0], group["y"].iloc[-1])]
        label = f"{parts.mechanism_text(group['mechanism'].iloc[0])} {'–'.join(dict.fromkeys(ends))} µs"
        lines.append(parts.Line(label, "chain", group["mechanism"].iloc[0], None, list(group["x"]), group, colours[group["by"].iloc[0]]))
    depths = " and ".join(style.grouped(depth) for depth in sorted(pandas.to_numeric(shown["depth"]).unique()))
    return panels_of.draw(
        _ladder_title(slopes), [Panel("", lines, f"blocks of a level, of {style.grouped(shown['block'].iloc[0])} threads each", "time of one more level, µs",
                                      pad=1.25)], parts.caption_of(part, shown), height=4.6,
        key=[(texts[by], colours[by], "o") for by in colours if by in set(slopes["by"])], subtitle="Who decides whether there is another level:",
        notes=[f"The difference of the times of chains of {depths} empty levels, divided by the levels between them. At the right: of the smallest and of "
               "the largest level."])


def _ladder_title(slopes):
    """The cheapest level of a kernel that decides, and the cheapest that was submitted ahead, at the smallest level."""
    small = slopes[slopes["x"] == slopes["x"].min()]
    sentences = []
    for words, deciders in (("decided on the GPU", ["kernel_by_launch", "kernel_by_graph"]), ("on the GPU up to a bound", ["kernel_up_to_bound"]),
                            ("by a host that reads", ["host"]), ("submitted ahead", ["nobody"])):
        chosen = small["y"][small["by"].isin(deciders)]
        sentences += [f"{words} {style.time_text(chosen.min())}"] if len(chosen) else []
    return "One more level costs at least: " + ", ".join(sentences)


# --- a busy host ---


def loads(cases):
    """Cases of many runs under several loads, if they differ in nothing else but the mechanism and the place of the submitting thread."""
    own = cases[cases["span_us"].notna()]
    free = [name for name in parts.varying(own, parts.case_names()) if name not in (*HOST, "runs")]
    return own if own["host_load"].nunique() > 1 and not free else own[:0]


def by_load(part, shown, _):
    """A row of panels for each clock and a panel for each quantile; a line for each mechanism. Beside the lines: hosts whose thread is pinned or
    of a low priority."""
    hosts = sorted(set(shown[HOST].itertuples(index=False, name=None)), key=lambda host: (host[1] > 0 or host[2] == "yes", *host))
    words = ["\n".join([f"{load:g}", *(["pinned"] if pin == "yes" else []), *([f"nice {nice:g}"] if nice else [])]) for load, nice, pin in hosts]
    shown = shown.assign(x=[hosts.index(host) for host in shown[HOST].itertuples(index=False, name=None)],
                         beside=(shown["nice"] != 0) | (shown["pin"] != "no"), clock="both")
    panels, colours = [], {}
    for clock, columns in CLOCKS.items():
        for column, quantile in zip(columns, ("median", "p99", "p99.9", "worst")):
            lines = _lines(shown.assign(y=shown[column]), ["mechanism", "beside"], lambda case: False)
            for line in lines:
                same = colours.setdefault(line.colour, [])
                same += [line.mechanism] * (line.mechanism not in same)
                line.dash = "none" if line.cases["beside"].iloc[0] else style.DASHES[same.index(line.mechanism) % len(style.DASHES)]
            panels.append(Panel(quantile, lines, "", f"{clock}, µs", x=words, ys=shown[[*columns]].to_numpy().ravel(), ends=False, pad=1.3))
    usual, sentences = shown[~shown["beside"]].sort_values("host_load"), []
    for mechanism in ("host_polled", "graph_tail"):
        p99 = usual["span_p99_us"][usual["mechanism"] == mechanism]
        if len(p99) > 1:
            sentences.append(f"{parts.mechanism_text(mechanism)} from {style.time_text(p99.iloc[0])} to {style.time_text(p99.iloc[-1])}")
    runs = sorted({int(runs * rows) for runs, rows in zip(shown["runs"], shown["rows"])})
    return panels_of.draw(
        f"A busy host, GPU's own p99: {', '.join(sentences)}" if sentences else "Many runs on a busy host", panels, parts.caption_of(part, shown, timed=False),
        key=_key(panels[0].lines), subtitle="Time against the busy threads for each core of the host, by mechanism:", columns=4, height=2.0, left=0.85, shared=True,
        notes=["Above: the GPU's own time, from the first level's begin to the end of the last. Below: the host's clock, from its first call until it "
               f"knows the end. Of {' or '.join(style.grouped(count) for count in runs)} runs a point: medians of the quantiles of the rows, the worst of "
               "all."])
