"""Figures of rows: one dot per case, sorted by time; rates of one size; the book's machine; stale values; lanes; edges per second."""
import csv
import math
import pathlib

import pandas

import figure_parts as parts
import figure_panels as panels_of
import figure_style as style
import figures_irregular as irregular
import tables
from figure_panels import Dot, Row, is_hollow
from measures import MEASURES, bandwidth

BOOK = pathlib.Path(__file__).resolve().parent.parent / "results" / "k40c.csv"
BOOK_GRID, BOOK_BLOCK = 2048, 512
SHAPE = ["elements", "nx", "ny", "grid", "block"]
MOST_PANELS = 40  # that a reader can compare
MOST_LINES = 200  # of all panels
NEAR = 0.1  # share of the peak: panels with a rate above it show the peak
# Their column `work` is the edges out of all reached vertices, each once. A form that also searches bottom-up looks at fewer edges, and
# one that corrects distances at more.
EXACT = ["bfs_frontier", "bfs_balanced"]
EACH_ONCE, LEAST_WORK = "edges that leave reached vertices, each once", "edges that the form with the least work looks at, the same for all forms"
# Outcomes of lanes, with their looks.
FORMS = {"lanes_in_turn": "in turn", "lanes_at_once": "at once"}
ENDS, REFUSED, HANGS, OTHER = "all launches run", "some launches refused, the grid ends", "the grid hangs", "another outcome"
OUTCOMES = {ENDS: (style.GREEN, "o"), REFUSED: (style.SKY, "D"), HANGS: (style.VERMILLION, "s"), OTHER: (style.GREY, "x")}


# --- one dot per case ---------------------------------------------------------------------------------------------------------


def strategies(part, shown, figure):
    """One row per case, sorted by time, with one panel per shape."""
    shapes = parts.varying(shown, SHAPE)
    several = parts.mechanisms_each(shown)
    suffixes = parts.varying(shown, [name for name in parts.case_names() if name not in [*SHAPE, "type"]])
    types = sorted({name for name in shown["type"] if name}, key=parts.order_of)
    timed = shown["us"].dropna()
    every = parts.sorted_groups(shown, shapes)
    notes = [f"Not drawn: {style.grouped(len(every) - MOST_PANELS)} larger sizes."] if len(every) > MOST_PANELS else []
    panels, left_out = zip(*(_lines_of(panel, suffixes, MOST_LINES // min(len(every), MOST_PANELS)) for panel in every[:MOST_PANELS]))
    notes += [f"Not drawn: {style.grouped(sum(left_out))} slower ways."] if any(left_out) else []
    there = {style.family_of(strategy, launches) for strategy, launches in zip(shown["strategy"], shown["launches"])}
    marks = [(name, style.GREY, "oD^v"[place % 4]) for place, name in enumerate(types)] if len(types) > 1 else []
    scale, unit = style.time_unit(timed if len(timed) else [1.0])
    alone, by, made = len(panels) == 1, any(map(parts.mechanism_text, shown["mechanism"])), []
    for panel in panels:
        times = pandas.concat([cases for _, cases in panel]).dropna(subset=["us"])
        values = parts.extents(times, scale) if len(times) else []
        rows = [_row(suffix, cases, types, scale, several, alone, by) for suffix, cases in panel]
        made.append((rows, {"title": "" if alone else parts.shape_text(panel[0][1].iloc[0], SHAPE), "x": "log" if style.wants_log(values) else "linear",
                            "heads": ("strategy", *["by"] * by, "time", "device launches") if alone else ()}))
    floor = part.rows["empty_kernel_us"].dropna()
    notes += [f"An empty kernel takes {style.time_text(floor.median())}, timed the same way."] if len(floor) else []
    return panels_of.draw_rows(_strategies_title(shown, shapes, len(every), panels, suffixes), made, parts.caption_of(part, shown), notes=notes,
                               key=[*parts.key_of(there), *marks], columns=1 if alone else 2, pad=1.35, size=9 if alone else 8,
                               xlabel=f"{MEASURES['time'].title}, {unit}{'' if len(timed) else ': none'}")


def _row(suffix, cases, types, scale, several, alone, by):
    """The row of a strategy: a dot for each type. `by`: with its mechanism, if it is on the only panel."""
    case = cases.iloc[0]
    dots, many = [], len(cases) > 1
    for line, (_, one) in enumerate(cases.sort_values("type", ascending=False, kind="stable").iterrows()):
        mark = "oD^v"[types.index(one["type"]) % 4] if len(types) > 1 and one["type"] in types else "o"
        dots.append(Dot(one["us"] / scale, style.look_of(case["strategy"], cases["launches"].max())[0], mark, one["low"] / scale, one["high"] / scale,
                        is_hollow(one), 5 if many else 6.5, 0.26 * (line / (len(cases) - 1) - 0.5) if many else 0.0))
    ordered = cases.iloc[sorted(range(len(cases)), key=lambda row: parts.order_of(cases["type"].iloc[row]))]
    times = " / ".join(style.time_text(us) if pandas.notna(us) else "–" for us in ordered["us"])
    untimed = cases[cases["us"].isna()]
    name = style.marked(case["strategy"]) if alone else parts.strategy_label(case, several)
    names = (", ".join(filter(None, [name, suffix])), *([parts.mechanism_text(case["mechanism"])] if alone and by else []))
    texts = (times, style.grouped(case["launches"]) if pandas.notna(case["launches"]) else "–") if alone else ("" if many else times,)
    return Row(names, [dot for dot in dots if dot.x == dot.x], texts, dots[0].colour, _faults(untimed) if len(untimed) else "")


def _lines_of(panel, suffixes, most):
    """([(suffix, cases)], how many more there are): the lines of the plot, each for one strategy, sorted by the smallest
    time. Lines without a time come last."""
    groups = parts.places_by(panel, ["strategy", "mechanism", *suffixes, *parts.CHOSEN])
    times, names = panel["us"].fillna(math.inf).to_numpy(), panel["strategy"].tolist()
    groups.sort(key=lambda places: (times[places].min(), names[places[0]]))
    taken = [panel.take(places) for places in groups[:most]]
    return [(_suffix(cases.iloc[0], suffixes), cases) for cases in taken], max(0, len(groups) - most)


def _suffix(case, suffixes):
    return ", ".join(filter(None, (parts.name_of(name, case[name]) for name in suffixes)))


def _strategies_title(shown, shapes, sizes, panels, suffixes):
    """What runs, the smallest and the largest time, and how many runs have no time."""
    timed = shown[shown["us"].notna()]
    tail = f"; {_faults(shown)}" if parts.status_text(shown) else ""
    what = _what(shown, shapes, sizes)
    if not len(timed):
        return f"{what}: no run has a time{tail}"
    if len(panels) == 1 and len(panels[0]) <= 3 and shown["strategy"].nunique() == 1:
        sentences = [f"{suffix or parts.mechanism_text(cases['mechanism'].iloc[0])}: "
                f"{style.time_text(cases['us'].iloc[0]) if pandas.notna(cases['us'].iloc[0]) else _faults(cases[:1])}" for suffix, cases in panels[0]]
        return f"{what} by {style.marked(shown['strategy'].iloc[0])}, " + ", ".join(sentences)
    ends = [shown.loc[timed["us"].idxmin()], shown.loc[timed["us"].idxmax()]]
    alike = ends[0]["strategy"] == ends[1]["strategy"]
    sentences = [f"{style.time_text(case['us'])} ({', '.join(filter(None, [case['strategy'], _suffix(case, suffixes) if alike else '']))})" for case in ends]
    ways = "" if shapes else f" in {parts.count_text(len(timed), 'way')}"
    return f"{what}{ways}: {sentences[0]} to {sentences[1]}{tail}"


def _what(shown, shapes, sizes):
    """`Summing 2²⁰ ints`, in words. Only the strategies if there are several sizes."""
    case = shown.iloc[0]
    if shapes:
        return parts.count_text(shown["strategy"].nunique(), "way") + f" at {sizes} sizes"
    if pandas.notna(case["nx"]):
        return f"{style.grouped(case['nx'])} × {style.grouped(case['ny'])} numbers"
    if pandas.notna(case["elements"]):
        kind = {"int32": "ints", "float32": "floats"}.get(case["type"], "numbers") if shown["type"].nunique() == 1 else "numbers"
        return f"Summing {style.power_text(case['elements'])} {kind}"
    return f"{parts.shape_text(case, ['grid', 'block'])}" or "Runs"


def _faults(cases):
    """`wrong in 30, crashed in 2 of 60 runs`, with the launches that were refused in one of them."""
    refused = cases["failed"].max()
    more = f", {style.grouped(refused)} launches refused in the median run" if len(cases) == 1 and refused > 0 else ""
    sentences = ", ".join(f"{status} in {style.grouped(count)}" for status, count in sorted(parts.statuses(cases).items()))
    return f"{sentences} of {parts.count_text(cases['rows'].sum(), 'run')}{more}"


# --- bandwidth at one size ----------------------------------------------------------------------------------------------------


def bandwidth_dots(part, shown, _):
    """GB/s by strategy, one dot per case, for logs with few sizes. Panels are sizes, and a line is the device's peak.
    Marks are types. For matrices, colours are the columns of a block of threads, and marks are its rows."""
    timed = shown[shown["bandwidth_gb_s"].notna()]
    peak, best = timed["peak_gb_s"].max(), timed.loc[timed["bandwidth_gb_s"].idxmax()]
    matrix = timed["nx"].notna().all()
    names = parts.varying(shown, ["nx", "ny"] if matrix else ["elements"])
    looks, key = _block_looks(shown) if matrix else _type_looks(shown)
    kind = f" of {best['type']}" if parts.varying(shown, ["type"]) else ""
    panels = sorted(parts.sorted_groups(shown, names), key=lambda panel: -panel["strategy"].nunique())
    made = []
    for cases in panels:
        rows = [_rate_row(strategy, own, looks) for strategy, own in sorted(
            cases.groupby("strategy"), key=lambda row: (-row[1]["bandwidth_gb_s"].max(), row[0]))]
        made.append((rows, {"title": parts.shape_text(cases, names), "across": peak if cases["bandwidth_gb_s"].max() >= NEAR * peak else None}))
    title = f"{style.marked(best['strategy'])} reaches {style.three(best['bandwidth_gb_s'])} GB/s{kind}, {100 * best['bandwidth_gb_s'] / peak:.0f} % of the device's peak"
    return panels_of.draw_rows(title, made, parts.caption_of(part, shown, elsewhere="what launches from the device or has a depth"), key=key,
                               xlabel=MEASURES["bandwidth"].label, columns=1 if matrix else 2, x="linear", size=8,
                               notes=[f"Line: the device's peak by its own data, {style.three(peak)} GB/s. Numbers at the right: GB/s of the best "
                                      "dot, and its share of the peak.", *cache_note(part)])


def _rate_row(strategy, cases, looks):
    cases = cases[cases["bandwidth_gb_s"].notna()].sort_values(["type", "block_shape"], ascending=False)
    lanes = {name: 0.28 * (place / (len(looks) - 1) - 0.5) for place, name in enumerate(looks)} if len(looks) > 1 else {}
    dots = [Dot(rate, *(looks.get(case["block_shape"]) or looks.get(case["type"]) or (style.BLUE, "o")), low, high, is_hollow(case), 5,
                lanes.get(case["type"], 0.0)) for (_, case), rate, low, high in zip(cases.iterrows(), *bandwidth(cases))]
    if not dots:
        return Row((style.marked(strategy),), [], ("–", ""))
    best = cases.loc[cases["bandwidth_gb_s"].idxmax()]
    share = 100 * best["bandwidth_gb_s"] / best["peak_gb_s"] if best["peak_gb_s"] > 0 else math.nan
    return Row((style.marked(strategy),), dots, (style.three(best["bandwidth_gb_s"]), "" if math.isnan(share) else f"{share:.{0 if share >= 0.95 else 2}f} %"))


def cache_note(part):
    cache = part.rows["l2_bytes"].max()
    if not cache > 0:
        return []
    if (part.cases["l2"] == "flushed").all():
        return ["Bandwidth: what the workload must read and write at least, over the time; the L2 cache is flushed before each run."]
    return ["Bandwidth: what the workload must read and write at least, over the time. Inputs up to a few times the "
            f"L2 cache ({cache / 2**20:.0f} MiB) are read from it in part, and not from memory alone."]


def _block_looks(shown):
    """{block_shape: (colour, mark)}, and the key."""
    sides = {shape: tuple(map(int, shape.split("x"))) for shape in shown["block_shape"].unique() if shape.count("x") == 1}
    columns, rows = (sorted({side[place] for side in sides.values()}) for place in (0, 1))
    colours = dict(zip(columns, [style.ORANGE, style.BLUE, style.BLACK, style.GREEN, style.PURPLE, style.SKY]))
    marks = dict(zip(rows, "osD^vP"))
    key = [("Block of threads, columns:", style.INK, None), *((f"{side}", colours.get(side, style.GREY), "s") for side in columns),
           ("rows:", style.INK, None), *((f"{side}", style.INK, marks.get(side, "x")) for side in rows)]
    return {shape: (colours.get(width, style.GREY), marks.get(height, "x")) for shape, (width, height) in sides.items()}, key if sides else ()


def _type_looks(shown):
    """{type: (colour, mark)}, and the key if there is more than one type."""
    looks = dict(zip(sorted(set(shown["type"]), key=parts.order_of), [(style.BLUE, "o"), (style.VERMILLION, "D"), (style.GREEN, "^")]))
    return looks, [(name, *look) for name, look in looks.items()] if shown["type"].nunique() > 1 else ()


# --- the book's machine -------------------------------------------------------------------------------------------------------


def book_times(path=BOOK):
    """{strategy: (ms, source)} of results/k40c.csv."""
    with open(path, newline="", encoding="utf-8") as file:
        return {row["strategy"]: (float(row["ms"]), row["source"]) for row in csv.DictReader(file)}


def book_cases(cases):
    """The cases of the book's table, if all of them are there once."""
    own = cases[(cases["grid"] == BOOK_GRID) & (cases["block"] == BOOK_BLOCK) & cases["type"].isin(["int32", ""])
                & cases["mechanism"].isin(["null_stream", "none", ""]) & cases["depth"].isin(["full", ""]) & cases["strategy"].isin(list(book_times()))]
    whole = sorted(own["strategy"]) == sorted(book_times())
    return own if whole and (own["backend"] == "cuda").all() else own[:0]


def book(part, shown, figure):
    """The book's times on its K40c beside those of this log, one row per strategy."""
    theirs = book_times()
    timed = shown[shown["us"] > 0]
    if not len(timed):
        return None
    cases = sorted((case for _, case in timed.iterrows()), key=lambda case: -theirs[case["strategy"]][0])
    factors = [1e3 * theirs[case["strategy"]][0] / case["us"] for case in cases if case["clock"] == "gpu"]
    machine = part.rows["gpu"].iloc[0] or "this machine"
    rows = []
    for case in cases:
        old = theirs[case["strategy"]][0]
        dots = [Dot(old, style.ORANGE, "s", size=7), Dot(case["us"] / 1e3, style.BLUE, "o", case["low"] / 1e3, case["high"] / 1e3, is_hollow(case), 7.5)]
        rows.append(Row((style.marked(case["strategy"]) + (" (one core)" if case["strategy"] == "host" else ""),), dots,
                        (style.time_text(1e3 * old), style.time_text(case["us"]), f"{style.three(1e3 * old / case['us'])} ×"), linked=True))
    title = f"{figure.title} on its K40c and on {'an ' if machine.startswith('NVIDIA H') else ''}{machine}"
    title += f": {style.three(min(factors))} to {style.three(max(factors))} times as fast" if factors else ""
    return panels_of.draw_rows(title, [(rows, {})], parts.caption_of(part, shown, elsewhere="not in the book's table"),
                               key=[("Tesla K40c, as printed in the book", style.ORANGE, "s"), (f"{machine}, this log", style.BLUE, "o")],
                               subtitle="2²⁰ ints in 2048 blocks of 512 threads. Two machines: the book's and this log's.",
                               notes=["K40c: " + "; ".join(dict.fromkeys(theirs[case["strategy"]][1] for case in cases)) + "."],
                               xlabel="time of a run, ms", x="log", heads=("", "the book", "this log", "times as fast"), step=0.34, size=9, pad=2.2)


# --- stale values -------------------------------------------------------------------------------------------------------------


def stale(part, shown, figure):
    """A row per pattern, guaranteed ones first; a dot per delay: the share of all its instances that read the stale value."""
    rows = part.rows[part.rows["strategy"].isin(shown["strategy"])]
    rows = rows.assign(delay_us=rows["delay_us"].fillna(0))
    delays = sorted(rows["delay_us"].unique())
    delays = delays if len(delays) <= 2 else [delays[0], delays[-1]]
    racy = tables.names_with("strategies", "racy")
    patterns = sorted(rows["strategy"].unique(), key=lambda name: (name in racy, style.rank_of(name)))
    found = {name: [_count(rows[(rows["strategy"] == name) & (rows["delay_us"] == delay)]) for delay in delays] for name in patterns}
    unit = "" if part.backend == "cpu" else " µs"
    words = [f"delay {style.grouped(delay)}{unit}" if delay else "no delay" for delay in delays]
    decades = max(1, math.ceil(math.log10(max(2, *(of for counts in found.values() for _, of, _ in counts)))))
    made = []
    for name, counts in found.items():
        colour = style.on_page(style.VERMILLION if name in racy else style.GREEN)["light"]
        # 0 is at the left of the axis, and a decade is a unit.
        dots = [Dot(0.0 if not count else 0.9 + decades + max(math.log10(count / of), -decades), colour, mark, size=8.5 - 2.5 * (mark == "D"))
                for (count, of, _), mark in zip(counts, "oD") if of]
        made.append(Row((style.marked(name),), dots, tuple(text for *_, text in counts), colour))

    def by_decades(axes):
        axes.set_xlim(-0.2, 0.9 + decades + 0.2)
        powers = range(0, decades + 1, 2 if decades > 5 else 1)
        axes.set_xticks([0.0, *(0.9 + decades - power for power in powers)],
                        ["0", *(style.grouped(10.0**-power) if power < 3 else f"10⁻{style.raised(power)}" for power in powers)])

    key = [*((word, style.INK, mark) for word, mark in zip(words, "oD")), ("the rules guarantee the fresh value", style.GREEN, "s"),
           ("they guarantee nothing", style.VERMILLION, "s")]
    return panels_of.draw_rows(_stale_title(figure.title, found), [(made, {})], parts.caption_of(part, shown, timed=False), key=key,
                               xlabel="share of the instances that read the stale value", heads=("", *words), size=9, more=by_decades,
                               notes=["An instance is one block of the root grid, with words of its own. At the right: how many read the stale value. The "
                                      "delay holds up the write; that of litmus_child_write holds up the read. –: the pattern has nothing to delay."])


def _count(rows):
    """(stale, instances, words) of all runs of a pattern that read something."""
    read = rows[rows["status"].isin(["ok", "wrong"])]
    if not len(read):
        return 0, 0, ", ".join(sorted(set(rows["status"]))) or "–"
    count, of = int(pandas.to_numeric(read["answer"].astype(object)).sum()), int(read["grid"].sum())
    return count, of, f"{style.grouped(count)} of {style.power_text(of)}"


def _stale_title(title, found):
    totals = {name: (sum(count for count, _, _ in counts), sum(of for _, of, _ in counts)) for name, counts in found.items()}
    racy, safe = ([total for name, total in totals.items() if total[1] and (name in tables.names_with("strategies", "racy")) == wanted]
                  for wanted in (True, False))
    seen, wrong = (sum(count > 0 for count, _ in those) for those in (racy, safe))
    sentences = [f"{seen} of {parts.count_text(len(racy), 'pattern')} without a guarantee read some"] if racy else []
    if safe:
        sentences.append(f"{wrong} of {len(safe)} that the rules guarantee did too" if wrong else
                    f"those that the rules guarantee none in {style.grouped(sum(of for _, of in safe))} instances")
    return f"{title}: {'; '.join(sentences) or 'no run read anything'}"


# --- lanes --------------------------------------------------------------------------------------------------------------------


def outcome(statuses):
    """The outcome of a case. One row that hangs is enough."""
    if statuses.get("timeout"):
        return HANGS
    return OTHER if set(statuses) - {"ok", "launch_failed"} else REFUSED if statuses.get("launch_failed") else ENDS


def lanes(part, shown, _):
    """A panel for each mechanism and number of levels. Rows are the form and the lanes; places are the limits."""
    shown = shown.assign(outcome=shown["statuses"].map(outcome))
    limits = sorted(shown["pending_limit_asked"].unique(), key=parts.order_of)
    panels = []
    for panel in parts.sorted_groups(shown, ["depth", "mechanism", "grid"]):
        case = panel.iloc[0]
        title = f"{parts.count_text(int(case['depth']), 'level')}, {parts.mechanism_text(case['mechanism'])}, {parts.name_of('grid', case['grid'])}"
        rows = []
        for form, words in FORMS.items():
            for own in parts.sorted_groups(panel[panel["strategy"] == form], ["block"]):
                dots = [Dot(limits.index(one["pending_limit_asked"]), *OUTCOMES[one["outcome"]], size=9) for _, one in own.iterrows()]
                rows.append(Row((f"{parts.count_text(own['block'].iloc[0], 'lane')} {words}",), dots))
        panels.append((rows, {"title": title}))
    hung = shown["outcome"] == HANGS
    title = f"Lanes that launch past the limit: none of {parts.count_text(len(shown), 'case')} hangs"
    if hung.any():
        of_form = {words: shown["strategy"] == name for name, words in FORMS.items() if (shown["strategy"] == name).any()}
        counts = [f"{(hung & own).sum()} of {own.sum()} cases {words}" for words, own in of_form.items()]
        title = f"Lanes that launch past the limit hang the GPU in {' and '.join(reversed(counts))}"
    return panels_of.draw_rows(title, panels, parts.caption_of(part, shown, timed=False), columns=min(2, len(panels)), xlabel="pending-launch limit",
                               x=[parts.name_of("", limit) for limit in limits],
                               key=[(what, *look) for what, look in OUTCOMES.items() if (shown["outcome"] == what).any()],
                               notes=["Each mark is a case: blocks of so many threads, all of which launch, one lane of the warp after another or all in "
                                      "the same instruction. A case hangs if one of its runs gave no sign of life until the timeout; its other runs "
                                      "were then not made."])


# --- edges per second ---------------------------------------------------------------------------------------------------------


def _counts_each_once(workload):
    return workload in map(tables.workload_of, EXACT)


def traversed(cases):
    """The cases of graphs with flat and nested forms, with a column `edges`, the same for all forms of a graph: the numerator of edges per
    second. A graph without a case that counts its edges is left out."""
    own = irregular.prepared(cases)
    own = own[(own["aggregate"] == "") | (own["expected"] != 0)]
    found = []
    for graph in irregular.by_work(own, ["seed"]):
        counting = graph[graph["strategy"].isin(EXACT)] if _counts_each_once(graph["workload"].iloc[0]) else graph
        if counting["work"].min() > 0 and graph["by_need"].nunique() == 2:
            found.append(graph.assign(edges=counting["work"].min()))
    return pandas.concat(found) if found else own[:0]


def graph_text(shown, case):
    """The graph, and what tells it from the others of its workload."""
    if case["graph_file"]:
        return case["graph_file"].split("#")[0]
    alike = shown[shown["workload"] == case["workload"]]
    words = [case["input"], irregular.work_text(case, parts.varying(alike, ["elements", "edge_factor"]))]
    return ", ".join(filter(None, [*words, f"seed {case['seed']}" if parts.varying(alike, ["seed"]) else ""]))


def edges_per_second(part, shown, figure):
    """A panel for each workload, a row for each graph: the edges per second of each strategy and mechanism, by its fastest case. Flat forms are
    above the middle of a row."""
    graphs = []
    for graph in irregular.by_work(shown, ["seed"]):
        best = irregular.fastest(graph, ["strategy", "mechanism"])
        rates = {name: best["edges"] / best[of] / 1000 for name, of in (("rate", "us"), ("rate_low", "high"), ("rate_high", "low"))}
        graphs += [best.assign(text=graph_text(shown, graph.iloc[0]), **rates)] if len(best) else []
    if not graphs:
        return None
    forms = pandas.concat(graphs).drop_duplicates(["strategy", "mechanism"])
    forms = forms.assign(rank=[parts.rank_of(case) for _, case in forms.iterrows()]).sort_values(["by_need", "rank"])
    looks = style.looks_in_turn(zip(forms["strategy"], forms["mechanism"]))
    tops = [best.loc[best["rate"].idxmax()] for best in graphs]
    top = max(tops, key=lambda case: case["rate"])
    nested = sum(bool(case["by_need"] and case["expected"] > 0) for case in tops)
    panels = []
    for workload in tables.workloads_with_figure(figure.name):
        counted = EACH_ONCE if _counts_each_once(workload) else LEAST_WORK
        rows = [Row((best["text"].iloc[0],), [Dot(case["rate"], *looks[case["strategy"], case["mechanism"]], case["rate_low"], case["rate_high"],
                                                  shift=0.19 if case["by_need"] else -0.19) for _, case in best.iterrows()])
                for best in graphs if best["workload"].iloc[0] == workload]
        panels += [(rows, {"title": workload, "xlabel": f"10⁹ edges per second; counted: {counted}"})] if rows else []
    title = (f"{figure.title}: up to {style.three(top['rate'])}·10⁹, by {irregular.form_label(top['strategy'], top['mechanism'])} in {top['text']}; "
             f"launches from the device give the highest rate in {nested} of {parts.count_text(len(tops), 'graph')}")
    return panels_of.draw_rows(title, panels, parts.caption_of(part, shown), x="log", step=0.44, key=[(irregular.form_label(*form), *look) for form, look in looks.items()],
                               subtitle="Above the middle of a row: flat forms. Below: forms that launch from the device.",
                               notes=["A dot is the fastest case of its strategy and mechanism. All forms of a graph are divided by the same number of edges, "
                                      "whatever they look at themselves. Graphs without both kinds of forms, or without a form that counts these edges, are not shown."])
