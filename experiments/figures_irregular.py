"""The figures of irregular recursion: data-dependent launches, beside the flat forms of the same work."""
import math

import numpy
import pandas

import figure_parts as parts
import figure_style as style
import tables
from figure_style import Sheet
from figures_sweeps import nothing_timed

LINE_HEIGHT = 0.25
MOST_PANELS = 6
FORM = ["strategy", "mechanism", "block", "overflow", "division", "fanout", "grain", "cutoff", "budget", "delta", "pending_limit_asked"]  # see _form
IN_WORDS = {"workload", "input", "type", "elements", "nx", "ny", "edge_factor", "graph_file", "values", "dwell"}  # of work_text
ONE = {"vertices": "vertex"}  # of the items whose singular is not the word without its s
TREES = {"t1": "levels", "t3": "subtrees", "t3l": "subtrees", "path": "levels", "queens": "queens"}  # what the elements of a search are
LOOKS = {"none": (style.VERMILLION, "o"), "warp": (style.ORANGE, "s"), "block": (style.GREEN, "D"), "multiblock": (style.PURPLE, "^"),
         "grid": (style.BLUE, "v")}
DEVICE_GRAPH = "device graph"
UNGROUPED = "launches from the device"  # of a workload that does not aggregate
# Olabi et al., CGO 2022, "A Compiler Framework for Optimizing Dynamic Parallelism on GPUs": geometric means over their benchmarks.
PAPER = {"over plain dynamic parallelism": 43.0, "over no dynamic parallelism": 8.7, "over aggregation alone": 3.6}
LAST_RATIO = "over the best flat form"


def is_irregular(cases):
    return cases["workload"].isin(tables.those("workloads", "irregular"))


_last = [None, None]  # the cases that were prepared last, and what they became: each figure of a log asks for the same


def prepared(cases):
    """The irregular cases, with columns `by_need` (its launches depend on the input), `group` (the aggregation without
    its number; `grid` for one launch per level), and thresholds and coarsenings as numbers."""
    if _last[0] is not cases:
        _last[:] = cases, _prepared(cases)
    return _last[1]


def _prepared(cases):
    own = cases[is_irregular(cases)]
    own = own.assign(launches=own["launches"] - own["failed"].fillna(0))  # that were accepted
    numbers = {name: pandas.to_numeric(own[name], errors="coerce") for name in ("threshold", "coarsen")}
    graph = own["mechanism"] == "graph_tail"
    by_level = own["mechanism"].isin(tables.those("mechanisms", "from_device")) & (own["aggregate"] == "")
    group = own["aggregate"].str.split(":").str[0].where(~by_level, "grid").where(~own["strategy"].str.endswith("_recursive"), "none")
    group = group.where(~graph, DEVICE_GRAPH)
    group = group.where(~by_level | own["workload"].map(lambda workload: "aggregate" in tables.parameters_of(workload)), UNGROUPED)
    return own.assign(by_need=(own["aggregate"] != "") | by_level, group=group, **numbers)


def flat_and_nested(cases):
    """The irregular cases, if the log has data-dependent launches and flat forms of the same work."""
    own = prepared(cases)
    works = {nested: set(works_of(group)) for nested, group in own.groupby("by_need")}
    return own if works.get(True, set()) & works.get(False, set()) else own[:0]


def thresholds(cases):
    """Data-dependent launches with three thresholds or more for the same work, by aggregation."""
    own = prepared(cases)
    own = own[own["by_need"]]
    found = [line for line in by_work(own, [*_form(), "group"]) if line["threshold"].nunique() >= 3]
    return pandas.concat(found) if found else own[:0]


def launches(cases):
    """Data-dependent launches with five different numbers of launches or more for the same work."""
    own = prepared(cases)
    own = own[own["by_need"] & own["launches"].notna()]
    found = [panel for panel in by_work(own) if panel["launches"].nunique() >= 5]
    return pandas.concat(found) if found else own[:0]


def studies(cases):
    """Threshold x coarsening x aggregation: the cases of each work, strategy and mechanism that has the plain form, one without
    launches, and several of each axis."""
    own = prepared(cases)
    own = own[own["by_need"]]
    found = [study for study in by_work(own, ["strategy", "mechanism"])
             if study["threshold"].nunique() >= 3 and study["coarsen"].nunique() >= 3 and study["group"].nunique() >= 3
             and len(_plain(study)) and len(_alone(study))]
    return pandas.concat(found) if found else own[:0]


def _form():
    """What a panel of thresholds has one of: FORM, and what is the problem elsewhere but tunes a workload of the user's own."""
    return [*FORM, *tables.problem_columns()]


def _plain(study):
    return study[(study["group"] == "none") & (study["threshold"] == 0) & (study["coarsen"] == 1) & study["overflow"].isin(["waves", ""])]


def _alone(study):
    """The cases that launch nothing, because no item reaches the threshold."""
    return study[study["expected"] == 0]


def work_columns(cases, without=()):
    """The columns of what these cases have to do."""
    found = dict.fromkeys(name for workload in dict.fromkeys(cases["workload"]) for name in tables.problem_columns(workload))
    return ["workload", *(name for name in found if name not in without)]


def work_of(case, without=()):
    """What a case has to do, whatever does it: two cases that share it do the same work. `without`: but for these columns."""
    return case["workload"], *(str(case[name]) for name in tables.problem_columns(case["workload"]) if name not in without)


def works_of(cases, without=()):
    return [work_of(case, without) for case in cases[work_columns(cases)].to_dict("records")]


def by_work(cases, more=(), without=()):
    """Groups of cases that do the same work and agree in `more`."""
    return parts.grouped_by(cases.assign(problem=works_of(cases, without)), ["problem", *more])


def flat_of(part):
    """{work: the flat case with the least time}."""
    own = prepared(part.cases)
    own = own[~own["by_need"] & own["us"].notna()].sort_values("us", kind="stable")
    first = {}
    for place, work in enumerate(works_of(own)):
        first.setdefault(work, place)
    return {work: own.iloc[place] for work, place in first.items()}


def best_of(cases):
    timed = cases.dropna(subset=["us"])
    return None if timed.empty else timed.loc[timed["us"].idxmin()]


def search_text(case, names):
    """`t3, 2000 subtrees`; `16 queens`; the number alone if `names` has no input."""
    sized = "elements" in names and not math.isnan(case["elements"])
    words = [case["input"]] if "input" in names and not (sized and case["input"] == "queens") else []
    words += [f"{style.power_text(case['elements'])} {TREES[case['input']]}"] if sized else []
    return ", ".join(words) or case["workload"]


def work_text(case, names):
    words = [case["workload"]] if "workload" in names else []
    if case["workload"] == "search":
        return search_text(case, names)
    if not math.isnan(case["nx"]):
        if {"nx", "ny"} & set(names):
            words.append(f"{style.grouped(case['nx'])} × {style.grouped(case['ny'])}")
    elif "elements" in names and not math.isnan(case["elements"]):
        words.append(f"{style.power_text(case['elements'])} {tables.items_of(case['workload'])}")
    words += [f"{case[name]}" for name in ("input", "type") if name in names and case[name]]
    words += [case["graph_file"].split("#")[0]] if case["graph_file"] and {"graph_file", "elements"} & set(names) else []
    words += [f"edge factor {style.grouped(case['edge_factor'])}"] if "edge_factor" in names and not math.isnan(case["edge_factor"]) else []
    words += ["with values"] if "values" in names and case["values"] not in ("", "none") else []
    dwell = pandas.to_numeric(case["dwell"], errors="coerce")
    words += [f"dwell {style.grouped(dwell)}"] if "dwell" in names and not math.isnan(dwell) else []
    words += [parts.name_of(name, case[name]) for name in names if name not in IN_WORDS and tables.is_own(case["workload"])]
    return ", ".join(filter(None, words))


def _names(shown):
    """Which columns of their work tell the cases apart; sizes if nothing else does."""
    return _varying_work(shown) or ["elements", "nx"]


def _varying_work(shown):
    return parts.varying(shown, work_columns(shown, [] if shown["nx"].isna().any() else ["elements"]))


def _form_label(shown, case, form):
    """What tells this case from the others of its workload, and the workload if there are several."""
    alike = shown[shown["workload"] == case["workload"]]
    words = [case["workload"]] if len(alike) < len(shown) else []
    words.append(work_text(case, _varying_work(alike)))
    for name in parts.varying(alike, [name for name in form if name not in work_columns(alike)]):
        words.append(style.marked(case[name]) if name == "strategy" else
                     parts.mechanism_text(case[name]) if name == "mechanism" else parts.name_of(name, case[name]))
    return ", ".join(filter(None, words)) or case["strategy"]


def _groups(cases):
    return [*LOOKS, DEVICE_GRAPH, *({UNGROUPED} & set(cases["group"]))]


def _key(shown):
    there = set(shown["group"][shown["by_need"]])
    return [(f"aggregation {name}" if name in LOOKS else name, *look_of_group(name)) for name in _groups(shown) if name in there]


def look_of_group(group):
    colour, mark = LOOKS.get(group, (style.BLUE, "o") if group == UNGROUPED else (style.BLACK, "P"))
    return style.on_page(colour)["light"], mark


# --- against the best flat form -------------------------------------------------------------------------------------------------


def against_flat(part, shown, figure):
    """A line for each work and mechanism; a dot for each form whose launches depend on the data: the time of the best flat form over its own."""
    flat = flat_of(part)
    names = _names(shown)
    lines = []
    nested = shown[shown["by_need"] & (shown["expected"] > 0)]
    for group in by_work(nested, ["mechanism"]):
        case = group.iloc[0]
        best = best_of(group)
        if best is not None and work_of(case) in flat:
            lines.append((work_text(case, names), parts.mechanism_text(case["mechanism"]), group, best, flat[work_of(case)]))
    if not lines:
        return nothing_timed(figure.title, part, shown)
    lines.sort(key=lambda line: tuple(parts.order_of(line[2].iloc[0][name]) for name in ["workload", "elements", "input", "dwell", "mechanism"]))
    ratios = [line[4]["us"] / line[3]["us"] for line in lines]
    most = max(range(len(lines)), key=ratios.__getitem__)
    title = (f"{figure.title}: {style.three(min(ratios))} to {style.three(max(ratios))} times as fast; "
             f"the most for {lines[most][0]}, {lines[most][3]['strategy']} by {lines[most][1]}")
    sheet = Sheet(title, _key(nested))
    room = style.MARGIN + max(style.text_width(f"{work}, {by}", 8.5) for work, by, *_ in lines) + 0.1
    right = max(style.text_width(_best_text(line, 1), 8) for line in lines) + 0.15
    axes = sheet.add(room, 0.2, style.WIDTH - room - right - style.MARGIN, LINE_HEIGHT * len(lines) + 0.1)
    every = []
    for place, (_, _, group, best, reference) in enumerate(lines):
        timed = group.dropna(subset=["us"])
        speedups = reference["us"] / timed["us"]
        every += list(speedups)
        for name in _groups(timed):
            dots = speedups[timed["group"] == name]
            colour, mark = look_of_group(name)
            axes.plot(dots, [place] * len(dots), mark, color=colour, markersize=4, alpha=0.6, markeredgewidth=0)
        axes.plot([reference["us"] / best["us"]], [place], look_of_group(best["group"])[1], color=look_of_group(best["group"])[0], markersize=7,
                  markeredgecolor=style.INK, markeredgewidth=0.8, zorder=4)
    style.log_axis(axes, "x", min([*every, 0.9]), max([*every, 1.1]))
    axes.axvline(1, color=style.INK, linewidth=1, zorder=1)
    at = {"transform": axes.get_yaxis_transform(), "va": "center_baseline", "fontsize": 8}
    for place, line in enumerate(lines):
        axes.text(1.01, place, _best_text(line, ratios[place]), **at)
    style.rows_axis(axes, [f"{work}, {by}" for work, by, *_ in lines])
    axes.set_xlabel("speedup over the best flat form of the same work")
    sheet.notes.append("Each dot is one case whose launches depend on the data; the ringed one is the fastest of its line, named at the right with its "
                       "speedup. At 1, it is as fast as the fastest form without device launches, which is named behind it. Cases whose threshold "
                       "leaves nothing to launch are not shown.")
    return sheet.finish(parts.caption_of(part, shown))


def _best_text(line, ratio):
    _, _, _, best, reference = line
    names = [case["strategy"].split("_", 1)[-1] for case in (best, reference)]
    return f"{style.three(ratio)}: {names[0]}{'' if best['group'] == UNGROUPED else ', ' + best['group']}; {names[1]}"


# --- parameters of users' own workloads ------------------------------------------------------------------------------------------


def own_meanings(shown):
    """{column: what it means} of the user's own workload that these cases are of; empty if they are of another one."""
    return tables.own_meanings(shown["workload"].iloc[0]) if shown["workload"].nunique() == 1 else {}


def notes_of_own(shown, drawn):
    """What the column that a figure draws, and the others that vary, mean to the user's own workload."""
    meanings = own_meanings(shown)
    return [f"{name}: {meanings[name]}." for name in dict.fromkeys([drawn, *parts.varying(shown, [*work_columns(shown), *_form()])]) if name in meanings]


# --- time against the threshold -------------------------------------------------------------------------------------------------


def by_threshold(part, shown, figure):
    """A row for each work, strategy and mechanism: at the left the time, at the right the device launches; a line for each aggregation,
    the best over all other axes; the best flat form."""
    flat = flat_of(part)
    panels = by_work(shown, _form())
    rivals = [flat.get(work_of(panel.iloc[0])) for panel in panels]
    dashed = "Dashed: the best flat form of the same work." if any(rival is not None for rival in rivals) else ""
    sheet = Sheet(_threshold_title(figure.title, panels), _key(shown), dashed)
    left, gap, height = 0.72, 0.78, 1.75
    width = (style.WIDTH - left - gap - 2 * style.MARGIN) / 2
    drawn = []
    for row, (panel, rival) in enumerate(zip(panels, rivals)):
        at = 0.3 + row * (height + 0.85), width, height
        _threshold_panel(sheet.add(left, *at, _form_label(shown, panel.iloc[0], _form())), panel, rival)
        lines = _launches_of(panel)
        if lines not in drawn:
            _launches_panel(sheet.add(left + width + gap, *at, ""), panel, lines)
        drawn.append(lines)
    if any(lines in drawn[:row] for row, lines in enumerate(drawn)):
        sheet.notes.append("A row without launches at the right has those of a row above.")
    if (shown["launches"] == 0).any():
        sheet.notes.append("A threshold at which nothing is launched has no point at the right: that axis is logarithmic.")
    if parts.varying(shown, ["coarsen"]):
        sheet.notes.append("A point is the fastest of its coarsenings.")
    alone = shown[shown["expected"] == 0]
    items = ["An item that needs fewer threads than the threshold is done by the thread that found it."]
    sheet.notes.append(" ".join(notes_of_own(shown, "threshold") or items) +
                       (f" With threshold {style.grouped(alone['threshold'].min())} nothing is launched." if len(alone) and len(panels) == 1 else
                        " With the highest threshold of some panels nothing is launched." if len(alone) else ""))
    return sheet.finish(parts.caption_of(part, shown))


def _best_by_threshold(panel):
    """(name of the aggregation, [(place of the threshold, its fastest case)]), for those with a timed case."""
    steps = sorted(panel["threshold"].unique())
    for name in _groups(panel):
        own = panel[panel["group"] == name]
        found = [(place, best) for place, step in enumerate(steps) if (best := best_of(own[own["threshold"] == step])) is not None]
        if found:
            yield name, found


def _threshold_axis(axes, panel):
    steps = sorted(panel["threshold"].unique())
    axes.set_xlim(-0.3, len(steps) - 0.7)
    style.ticks(axes.xaxis, list(range(len(steps))), {float(place): style.grouped(step) for place, step in enumerate(steps)})
    axes.set_xlabel("threshold" if "threshold" in own_meanings(panel) else "threshold, threads")


def _launches_of(panel):
    """[(name of the aggregation, [(place of the threshold, launches of its fastest case)])], without those that launch nothing."""
    return [(name, [(place, case["launches"]) for place, case in found if case["launches"] > 0]) for name, found in _best_by_threshold(panel)]


def _launches_panel(axes, panel, lines):
    every = []
    for name, points in lines:
        colour, mark = look_of_group(name)
        axes.plot(*zip(*points) if points else ((), ()), color=colour, marker=mark, markersize=4.5)
        every += [launches for _, launches in points]
    style.log_axis(axes, "y", min(every, default=1), max(every, default=1))
    _threshold_axis(axes, panel)
    axes.set_ylabel("device launches")


def _threshold_panel(axes, panel, reference):
    times = []
    for name, found in _best_by_threshold(panel):
        colour, mark = look_of_group(name)
        places, middle, low, high = zip(*[(place, best["us"], best["low"], best["high"]) for place, best in found])
        axes.plot(places, middle, color=colour, marker=mark, markersize=4.5)
        style.intervals(axes, places, low, high, color=colour, linewidth=2.2, alpha=0.45)
        times += [time for time in (*middle, *high) if time == time]
    if reference is not None:
        axes.axhline(reference["us"], color=style.INK, linewidth=1, linestyle=(0, (4, 2)))
        times.append(reference["us"])
    scale, unit = style.time_unit(times or [1.0])
    style.fit_axis(axes, "y", times or [1.0])
    if axes.get_yscale() == "log" and scale != 1:
        axes.yaxis.set_major_formatter(lambda value, _: style.grouped(value / scale))
    elif scale != 1:
        axes.yaxis.set_major_formatter(lambda value, _: f"{value / scale:g}")
    _threshold_axis(axes, panel)
    axes.set_ylabel(f"time, {unit}")


def _threshold_title(title, panels):
    gains = []
    for panel in panels:
        plain, best = best_of(panel[(panel["threshold"] == 0) & (panel["group"] == "none")]), best_of(panel[panel["expected"] > 0])
        if plain is not None and best is not None:
            gains.append((plain["us"] / best["us"], best))
    if not gains:
        return title
    gain, best = max(gains, key=lambda found: found[0])
    return (f"{title}: at best {style.three(gain)} times as fast as a launch for each item, with threshold {style.grouped(best['threshold'])} "
            f"and aggregation {best['group']}")


# --- time against launches ------------------------------------------------------------------------------------------------------


def against_launches(part, shown, figure):
    """A panel for each work, those with the most cases first; a dot for each form."""
    flat = flat_of(part)
    every = by_work(shown.dropna(subset=["us"]))
    every.sort(key=len, reverse=True)
    panels = every[:MOST_PANELS]
    names = _names(shown)
    sheet = Sheet(figure.title, [*_key(shown)], "Dashed: the best flat form of the same work.")
    left, gap, height = 0.72, 0.72, 2.0
    width = (style.WIDTH - left - gap - 2 * style.MARGIN) / 2
    for place, panel in enumerate(panels):
        case = panel.iloc[0]
        row, column = divmod(place, 2)
        axes = sheet.add(left + column * (width + gap), 0.3 + row * (height + 0.85), width, height, work_text(case, names))
        for name in _groups(panel):
            own = panel[panel["group"] == name]
            colour, mark = look_of_group(name)
            axes.plot(own["launches"], own["us"], mark, color=colour, markersize=4.5, alpha=0.7, markeredgewidth=0)
        if panel["launches"].min() > 0:
            style.log_axis(axes, "x", panel["launches"].min(), panel["launches"].max())
        else:
            style.offset_axis(axes, panel["launches"], width)
        reference = flat.get(work_of(case))
        times = [*panel["us"], *([] if reference is None else [reference["us"]])]
        style.log_axis(axes, "y", min(times), max(times))
        scale, unit = style.time_unit(times)
        axes.yaxis.set_major_formatter(lambda value, _, scale=scale: style.grouped(round(value / scale, 6)))
        if reference is not None:
            axes.axhline(reference["us"], color=style.INK, linewidth=1, linestyle=(0, (4, 2)))
        axes.set_xlabel("device launches")
        axes.set_ylabel(f"time, {unit}")
    left_out = len(every) - len(panels)
    if left_out:
        sheet.notes.append(f"The {len(panels)} works with the most cases; {left_out} more are in the log.")
    return sheet.finish(parts.caption_of(part, shown))


# --- the ratios of the study ----------------------------------------------------------------------------------------------------


def ratios_of(part, shown):
    """[(workload, label, {name of the ratio: ratio})] of each study: the time of the plain form, of the form without launches, of the best
    aggregation alone and of the best flat form, each over the time of the best form that launches."""
    flat = flat_of(part)
    found = []
    for study in by_work(shown, ["strategy", "mechanism"]):
        case = study.iloc[0]
        rivals = [best_of(_plain(study)), best_of(_alone(study)), best_of(study[(study["threshold"] == 0) & (study["coarsen"] == 1) & (study["group"] != "none")]),
                  flat.get(work_of(case))]
        best = best_of(study[study["expected"] > 0])
        if best is None or any(rival is None for rival in rivals):
            continue
        found.append((case["workload"], _form_label(shown, case, ["strategy", "mechanism"]), dict(zip([*PAPER, LAST_RATIO], (rival["us"] / best["us"] for rival in rivals)))))
    return found


def _mean(ratios):
    return float(numpy.exp(numpy.mean([math.log(ratio) for ratio in ratios])))


def study_ratios(part, shown, figure):
    """A line for each study and one for their geometric mean; a dot for each ratio; the paper's three as hollow dots."""
    found = ratios_of(part, shown)
    if not found:
        return nothing_timed(figure.title, part, shown)
    looks = dict(zip([*PAPER, LAST_RATIO], zip((style.VERMILLION, style.ORANGE, style.GREEN, style.BLUE), "osD^")))
    workloads = list(dict.fromkeys(workload for workload, _, _ in found))
    means = [{name: _mean(ratios[name] for own, _, ratios in found if own == workload) for name in looks} for workload in workloads]
    mean = {name: _mean(ratios[name] for ratios in means) for name in looks}
    lines = [*((label, ratios) for _, label, ratios in found), ("geometric mean", mean), ("the paper's", PAPER)]
    sheet = Sheet(f"{figure.title}: {style.three(mean[LAST_RATIO])} times as fast as the best flat form, "
                  f"{style.three(mean['over plain dynamic parallelism'])} times as fast as plain dynamic parallelism",
                  [(name, style.on_page(colour)["light"], mark) for name, (colour, mark) in looks.items()])
    room = style.MARGIN + max(style.text_width(label, 8.5) for label, _ in lines) + 0.15
    column = 0.52
    axes = sheet.add(room, 0.2, style.WIDTH - room - style.MARGIN - column * len(looks), LINE_HEIGHT * len(lines) + 0.1)
    width = sheet.width_of(axes)
    at = {"transform": axes.get_yaxis_transform(), "va": "center_baseline", "fontsize": 8, "ha": "right"}
    every = [ratio for _, ratios in lines for ratio in ratios.values()]
    style.log_axis(axes, "x", min([*every, 0.9]), max(every))
    axes.axvline(1, color=style.INK, linewidth=1, zorder=1)
    for place, (label, ratios) in enumerate(lines):
        for number, (name, (colour, mark)) in enumerate(looks.items()):
            if name not in ratios:
                continue
            colour = style.on_page(colour)["light"]
            hollow = {"markerfacecolor": "white"} if label == "the paper's" else {}
            axes.plot([ratios[name]], [place], mark, color=colour, markersize=6, **hollow)
            axes.text(1 + column * (number + 1) / width, place, style.three(ratios[name]), color=colour, **at)
    axes.axhline(len(found) - 0.5, color="#BBBBBB", linewidth=0.7)
    style.rows_axis(axes, [label for label, _ in lines])
    axes.set_xlabel("speedup of the best threshold, coarsening and aggregation")
    sheet.notes.append("The geometric mean is over the workloads, of each its own geometric mean. The paper's ratios are "
                       "geometric means over its own benchmarks, on another GPU and with the old device runtime. It has no fourth.")
    return sheet.finish(parts.caption_of(part, shown))
