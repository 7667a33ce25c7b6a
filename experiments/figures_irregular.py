"""The figures of irregular workloads: data-dependent launches beside flat forms of the same work, along what varies. Most are sweeps: their entries
are at the end."""
import collections
import dataclasses
import functools
import math
import typing

import numpy
import pandas

import figure_parts as parts
import figure_panels as panels_of
import figure_style as style
import tables
from figure_panels import Dot, Panel, Row, measured

MOST_PANELS = 6  # that one looks at together
FEW_PANELS = 4  # more works than these, each with its launches beside it, begin with a panel of all
FORM = ["strategy", "mechanism", "block", "overflow", "division", "fanout", "grain", "cutoff", "budget",
        "bucket_width", "points_per_thread", "pending_limit_asked"]  # see _form
IN_WORDS = {"workload", "input", "type", "elements", "nx", "ny", "edge_factor", "graph_file", "values", *tables.ITEM_WORK}  # of work_text
ONE = {"vertices": "vertex"}  # of the items whose singular is not the word without its s
LOOKS = {"none": (style.VERMILLION, "o"), "warp": (style.ORANGE, "s"), "block": (style.GREEN, "D"), "multiblock": (style.PURPLE, "^"),
         "grid": (style.BLUE, "v")}
FLAT = ("", "none", "host", "host_graph", "grid_sync")  # mechanisms that a label need not name
DEVICE_GRAPH = "device graph"
UNGROUPED = "launches from the device"  # of a workload that does not aggregate
NO_CUTOFF = 65535  # kNoCutoff of src/workloads/search/search_nodes.hpp: no thread searches alone
DEVICE_VS_BEST = 1.05  # a launch costs next to nothing up to this ratio
NEAR = 1.1  # of tenants: from here on a launch takes about as long as the queue
SCAN_MB = 16e-6  # of a point of icp's scan
# Of icp's one grid: colours by scan points of a thread, and marks by threads of a block.
POINTS, BLOCKS = dict(zip((1, 2, 4, 8), style.scale_colours(4))), {256: "v", 512: "D", 1024: "^"}
# Olabi et al., CGO 2022, "A Compiler Framework for Optimizing Dynamic Parallelism on GPUs": geometric means over their benchmarks.
PAPER = {"over plain dynamic parallelism": 43.0, "over no dynamic parallelism": 8.7, "over aggregation alone": 3.6}
LAST_RATIO = "over the best flat form"


# --- which cases do the same work -------------------------------------------------------------------------------------------------


_last = [None, None]  # the cases that were prepared last, and what they became: each figure of a log asks for the same


def prepared(cases):
    """The irregular cases, with columns `by_need` (its launches depend on the input), `group` (the aggregation without
    its number; `grid` for one launch per level), `size` and `item_work` (whatever the workload calls them), and
    parameters as numbers."""
    if _last[0] is not cases:
        _last[:] = cases, _prepared(cases)
    return _last[1]


def _prepared(cases):
    own = cases[cases["workload"].isin([*tables.names_with("workloads", "irregular"), *tables.names_with("workloads", "own")])]
    own = own.assign(launches=own["launches"] - own["failed"].fillna(0))  # that were accepted
    numbers = {name: pandas.to_numeric(own[name], errors="coerce") for name in ("threshold", "coarsen")}
    for name, columns in (("size", tables.size_columns()), ("item_work", tables.ITEM_WORK)):
        each = own[list(columns)].apply(pandas.to_numeric, errors="coerce")
        numbers[name] = each.bfill(axis=1).iloc[:, 0]
    by_level = own["mechanism"].isin(tables.names_with("mechanisms", "from_device")) & (own["aggregate"] == "")
    group = own["aggregate"].str.split(":").str[0].where(~by_level, "grid").where(~own["strategy"].str.endswith("_recursive"), "none")
    group = group.where(own["mechanism"] != "graph_tail", DEVICE_GRAPH)
    group = group.where(~by_level | own["workload"].map(lambda workload: "aggregate" in tables.parameters_of(workload)), UNGROUPED)
    return own.assign(by_need=(own["aggregate"] != "") | by_level, group=group, **numbers)


def _form():
    """What a panel of thresholds has one of: FORM, and what is the problem elsewhere but tunes a workload of the user's own."""
    return [*FORM, *tables.problem_columns()]


def _problem(workload, without):
    """The columns of what a case of the workload has to do, but for those of `without`; `size` there: whatever is its size."""
    without = {*without, *(tables.size_columns() if "size" in without else ())}
    return [name for name in tables.problem_columns(workload) if name not in without]


def work_columns(cases, without=()):
    """The columns of what these cases have to do."""
    return ["workload", *dict.fromkeys(name for workload in dict.fromkeys(cases["workload"]) for name in _problem(workload, without))]


def work_of(case, without=()):
    """What a case has to do, whatever does it: two cases that share it do the same work. `without`: but for these columns."""
    return case["workload"], *(str(case[name]) for name in _problem(case["workload"], without))


def works_of(cases, without=()):
    return [work_of(case, without) for case in cases[work_columns(cases)].to_dict("records")]


def by_work(cases, more=(), without=()):
    """Groups of cases that do the same work and agree in `more`."""
    return parts.grouped_by(cases.assign(problem=works_of(cases, without)), ["problem", *more])


def _together(own, found):
    """Groups as one frame; empty without any."""
    return pandas.concat(found) if found else own[:0]


def fastest(cases, axis, measure="us"):
    """Of each value of a column (or of several), the case with the least time."""
    return cases.dropna(subset=[measure]).sort_values(measure, kind="stable").groupby(axis, sort=False).head(1).sort_values(axis, kind="stable")


def best_of(cases):
    timed = cases.dropna(subset=["us"])
    return None if timed.empty else timed.loc[timed["us"].idxmin()]


def flat_of(part):
    """{work: the flat case with the least time}."""
    own = prepared(part.cases)
    own = own[~own["by_need"] & own["us"].notna()].sort_values("us", kind="stable")
    first = {}
    for place, work in enumerate(works_of(own)):
        first.setdefault(work, place)
    return {work: own.iloc[place] for work, place in first.items()}


def flat_and_nested(cases):
    """The irregular cases, if the log has data-dependent launches and flat forms of the same work."""
    own = prepared(cases)
    works = {nested: set(works_of(group)) for nested, group in own.groupby("by_need")}
    return own if works.get(True, set()) & works.get(False, set()) else own[:0]


# --- words ------------------------------------------------------------------------------------------------------------------------


def _size_text(case, names):
    """`2²⁰ keys`, `16 queens`, `8 time steps`; empty if the size of the case is not in `names`."""
    sized = [name for name in tables.size_columns() if name in names and not math.isnan(pandas.to_numeric(case[name], errors="coerce"))]
    return f"{style.power_text(float(case[sized[0]]))} {_items(case)}" if sized else ""


def work_text(case, names):
    words = [case["workload"]] if "workload" in names else []
    if not math.isnan(case["nx"]):
        words.append(parts.shape_text(case, [name for name in ("nx", "ny") if name in names]))
    else:
        words.append(_size_text(case, names))
    words += [f"{case[name]}" for name in ("input", "type") if name in names and case[name] and case[name] != _items(case)]
    words += [case["graph_file"].split("#")[0]] if case["graph_file"] and {"graph_file", "elements"} & set(names) else []
    words += [f"edge factor {style.grouped(case['edge_factor'])}"] if "edge_factor" in names and not math.isnan(case["edge_factor"]) else []
    words += ["with values"] if "values" in names and case["values"] not in ("", "none") else []
    words += [parts.name_of(name, float(case[name])) for name in tables.ITEM_WORK if name in names and case[name] not in ("", None) and case[name] == case[name]]
    words = list(filter(None, words))
    if not words or tables.is_own(case["workload"]):
        words += [parts.name_of(name, case[name]) for name in names if name not in IN_WORDS]
    return ", ".join(words)


def _varying_work(shown):
    return parts.varying(shown, work_columns(shown, [] if shown["nx"].isna().any() else ["elements"]))


def _names(shown):
    """Which columns of their work tell the cases apart; sizes if nothing else does."""
    return _varying_work(shown) or [*tables.size_columns(), "nx"]


def _form_text(shown, case, form):
    """What tells this case from the others of its workload, and the workload if there are several."""
    alike = shown[shown["workload"] == case["workload"]]
    words = [case["workload"]] if len(alike) < len(shown) else []
    words.append(work_text(case, _varying_work(alike)))
    for name in parts.varying(alike, [name for name in form if name not in work_columns(alike)]):
        words.append(style.marked(case[name]) if name == "strategy" else
                     parts.mechanism_text(case[name]) if name == "mechanism" else parts.name_of(name, case[name]))
    return ", ".join(filter(None, words)) or case["strategy"]


def from_device(mechanism):
    return mechanism in tables.names_with("mechanisms", "from_device")


def launches_grids(mechanism):
    """Whether grids start from the device: by a launch, or by a node of a graph."""
    return from_device(mechanism) or mechanism.startswith("graph_")


def full_label(case):
    return ", ".join(filter(None, [style.marked(case["strategy"]), parts.mechanism_text(case["mechanism"])]))


def form_label(strategy, mechanism):
    """The strategy, with its mechanism if it is not a usual one of flat forms."""
    return style.marked(strategy) if mechanism in FLAT else full_label({"strategy": strategy, "mechanism": mechanism})


def _groups(cases):
    return [*LOOKS, DEVICE_GRAPH, *({UNGROUPED} & set(cases["group"]))]


def _key(shown):
    there = set(shown["group"][shown["by_need"]])
    return [(f"aggregation {name}" if name in LOOKS else name, *look_of_group(name)) for name in _groups(shown) if name in there]


def look_of_group(group):
    colour, mark = LOOKS.get(group, (style.BLUE, "o") if group == UNGROUPED else (style.BLACK, "P"))
    return style.on_page(colour)["light"], mark


def own_meanings(shown):
    """{column: what it means} of the user's own workload that these cases are of; empty if they are of another one."""
    return tables.own_meanings(shown["workload"].iloc[0]) if shown["workload"].nunique() == 1 else {}


def notes_of_own(shown, drawn):
    """What the column that a figure draws, and the others that vary, mean to the user's own workload."""
    meanings = own_meanings(shown)
    return [f"{name}: {meanings[name]}." for name in dict.fromkeys([drawn, *parts.varying(shown, [*work_columns(shown), *_form()])]) if name in meanings]


# --- sweeps -----------------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Sweep:
    """A panel for each work, and a line for each form: its fastest case at each value of an axis.

    `axis`: the column of x. `form`: the columns of which a line has one value. `dots`: all its cases, without a line. `facet`: those of which a panel has one; by default the work,
    without the columns `without`, and `more`. `of`: the cases of a log that it is about. `least`: a panel has a form with so many values; `whole`: then
    it has the others, too. `measure`: the time. `y`: a line's values, from (its cases, all of the panel); by default the time. `places`: where the values
    of the axis are, and the options of such a Panel. `beside`: whether a second panel has the launches. `across`: whether the best flat form is a dashed
    line. `label` and `look`: of a line, from (its first case, the others); by default those of strategy and mechanism. `text`: a panel's title, from
    (its first case, all cases). `kind`: of the y axis. `crosses`: as in a Panel; then a line of one value is a point."""
    axis: str
    xlabel: typing.Callable
    ylabel: typing.Callable = lambda case: "time, µs"
    form: tuple = ("strategy", "mechanism")
    facet: tuple = ()
    without: tuple = ()
    more: typing.Callable = lambda: ()
    of: typing.Callable = prepared
    least: int = 3
    whole: bool = True
    measure: str = "us"
    y: typing.Callable = None
    places: typing.Callable = lambda values: (dict(zip(values, values)), {})
    dots: bool = False
    beside: bool = False
    across: bool = False
    label: typing.Callable = lambda case: form_label(case["strategy"], case["mechanism"])
    look: typing.Callable = None
    text: typing.Callable = None
    kind: str = "log"
    crosses: int = None

    def _own(self, cases):
        own = self.of(cases)
        return own.assign(**{self.axis: own[self.axis] if self.axis == "input" else pandas.to_numeric(own[self.axis], errors="coerce")})

    def groups(self, own):
        return parts.grouped_by(own, list(self.facet)) if self.facet else by_work(own, self.more(), self.without)

    def takes(self, cases):
        """The groups in which a form has `least` values of the axis, or of them these forms alone; of dots, all forms together."""
        own = self._own(cases)
        own = own[own[self.axis].notna()]
        found = []
        for group in self.groups(own):
            enough = [form for form in ([group] if self.dots else parts.grouped_by(group, list(self.form))) if form[self.axis].nunique() >= self.least]
            found += [group] if enough and self.whole else enough
        return _together(own, found)

    def lines(self, group):
        idle = (group["aggregate"] != "") & (group["expected"] == 0) & (self.axis not in ("threshold", "launches"))  # its threshold leaves nothing to launch
        found = []
        for form in parts.grouped_by(group[~idle], list(self.form)):
            best = form.dropna(subset=[self.measure]) if self.dots else fastest(form, self.axis, self.measure)
            if self.crosses is not None:
                best = pandas.concat([best, form[~form[self.axis].isin(best[self.axis])].drop_duplicates(self.axis)]).sort_values(self.axis, kind="stable")
            if not len(best):
                continue
            best = measured(best) if self.y is None else best.assign(y=self.y(best, group[~idle]))
            best = best[best["y"].notna() | (self.crosses is not None)]
            if len(best) >= (1 if self.dots or self.axis == "threshold" or self.crosses is not None else 2):
                case = best.iloc[0]
                found.append(parts.Line(self.label(case), case["strategy"], case["mechanism"], case, list(best[self.axis]), best))
        return sorted(found, key=lambda line: _groups(group).index(line.value["group"])) if self.form == ("group",) else found

    def panels(self, shown):
        """[(its cases, its lines)]"""
        found = [(group, self.lines(group)) for group in self.groups(self._own(shown))]
        return [(group, lines) for group, lines in found if self.dots and lines or any(len(line.x) >= 2 for line in lines)]


@dataclasses.dataclass(frozen=True)
class Swept:
    """A figure of sweeps. `title`: from (title of the figure, panels of the first sweep that has some). `keyed`: lines are in a key, not named at
    their ends. `notes`: from all cases. Panels that one looks at together have one unit. `most`: panels that are drawn, those with the most cases."""
    sweeps: tuple
    title: typing.Callable
    notes: typing.Callable
    keyed: bool = False
    columns: int = 1
    height: float = 3.4
    most: int = 0

    def takes(self, cases):
        found = [sweep.takes(cases) for sweep in self.sweeps]
        return cases[cases.index.isin([index for own in found for index in own.index])]

    def draw(self, part, shown, figure):
        every = [(sweep, *panel) for sweep in self.sweeps for panel in sweep.panels(shown)]
        if not every:
            return None
        largest = sorted(range(len(every)), key=lambda place: (every[place][1]["us"].isna().all(), -len(every[place][1])))[:self.most or len(every)]
        found = [every[place] for place in sorted(largest)]
        scale, unit = style.time_unit([y for sweep, group, lines in found for line in lines for y in line.cases["y"] if y == y] or [0.0])
        if not self.keyed:
            for _, _, lines in found:
                parts.dress(lines)
        looks = style.looks_in_turn((line.strategy, line.mechanism) for _, _, lines in found for line in lines)
        made, key, across, drawn = [], {}, flat_of(part) if any(sweep.across for sweep in self.sweeps) else {}, []
        for sweep, group, lines in found:
            places, options = sweep.places(sorted({x for line in lines for x in line.x}))
            for line in lines:
                line.x = [places[x] for x in line.x]
                line.colour, line.mark = sweep.look(line) if sweep.look else looks[line.strategy, line.mechanism] if self.keyed else (line.colour, line.mark)
                line.dash = "none" if sweep.dots else "-" if self.keyed or launches_grids(line.mechanism) else (0, (4, 2))
                key.setdefault(line.label, (line.label, line.colour, line.mark))
            case, label = group.iloc[0], sweep.ylabel(group.iloc[0])
            rival = across.get(work_of(case)) if sweep.across else None
            flat = [(1, "", style.INK)] if label.startswith("time over") else [] if rival is None else [(rival["us"], "", style.INK)]
            if label == "time, µs":
                if len(found) > MOST_PANELS:  # more than one looks at together
                    scale, unit = style.time_unit([y for line in lines for y in line.cases["us"]])
                label, flat = f"time, {unit}", [(us / scale, *more) for us, *more in flat]
                for line in lines:
                    line.cases = measured(line.cases, scale)
            text = sweep.text or (lambda case, shown: work_text(case, parts.varying(shown, work_columns(shown, sweep.without))))
            made.append(Panel(text(case, shown), lines, sweep.xlabel(case), label, y=sweep.kind, xs=places.values(), across=flat,
                              ends=not self.keyed, crosses=sweep.crosses, **options))
            launched = [dataclasses.replace(line, x=list(numpy.array(line.x)[there]), cases=line.cases[there].assign(y=line.cases["launches"][there])
                                            .drop(columns=["y_low", "y_high"], errors="ignore"))
                        for line in lines if (there := (line.cases["launches"] > 0).to_numpy()).any()]
            counts = [(line.label, line.x, list(line.cases["y"])) for line in launched]
            if sweep.beside:
                made.append(Panel("", launched, sweep.xlabel(case), "device launches", xs=places.values(), ends=False, **options)
                            if launched and counts not in drawn else None)
                drawn.append(counts)
        two = any(sweep.beside for sweep in self.sweeps)
        summary = _over_rival(found, across) if any(sweep.across for sweep, *_ in found) and two and len(found) > FEW_PANELS else []
        made = [Panel("All works: geometric mean of each workload", summary, found[0][0].xlabel(shown.iloc[0]),
                      "time over the best flat form" if across else "time over that at the smallest", across=[(1, "", style.INK)]), None, *made] if summary else made
        notes = list(self.notes(shown))
        notes += ["Works of fewer thresholds than others of their workload are not in the first panel."] if summary else []
        notes += [f"The {len(found)} works with the most cases; {len(every) - len(found)} more are in the log."] if len(found) < len(every) else []
        notes += ["A row without launches at the right has those of a row above."] if any(one and one in drawn[:row] for row, one in enumerate(drawn)) else []
        never = [line.label for sweep, _, lines in found for line in lines if sweep.crosses is not None and not line.cases["y"].notna().any()]
        notes += [f"Without any time in a panel, × alone: {', '.join(dict.fromkeys(never))}."] if never else []
        first = [(group, lines) for sweep, group, lines in found if sweep is found[0][0]]
        subtitle = "Dashed: the best flat form of the same work." if across else "" if two else "Solid: launches from the device. Dashed: flat forms."
        return panels_of.draw(self.title(figure.title, first, shown), made, parts.caption_of(part, shown), key=key.values() if self.keyed else (),
                              columns=2 if two else self.columns, height=2.0 if two else self.height, notes=notes, subtitle=subtitle)


def _over_rival(found, flat):
    """A line for each workload: at each value of the axis the time of its fastest form over that of the best flat form (in a log without any: over that
    at the first value), as the geometric mean over its works that have as many values as any."""
    of = collections.defaultdict(list)
    for sweep, group, _ in found:
        best = fastest(group, sweep.axis)
        rival = flat.get(work_of(group.iloc[0])) if flat else best.iloc[0]
        if rival is not None:
            of[group["workload"].iloc[0]].append(pandas.Series(numpy.log(best["us"].to_numpy() / rival["us"]), best[sweep.axis].to_numpy()))
    lines, colours = [], style.scale_colours(len(of))
    for place, (workload, ratios) in enumerate(of.items()):
        whole = [one for one in ratios if len(one) == max(map(len, ratios))]
        mean = numpy.exp(pandas.concat(whole, axis=1).dropna().mean(axis=1))
        lines.append(parts.Line(workload, workload, "", None, list(mean.index), pandas.DataFrame({"y": mean.to_numpy()}), colours[place],
                                style.MARKS[place % len(style.MARKS)]))
    return lines


def ends(lines, x):
    """[(launches from the device, y, strategy)] at a place."""
    return [(launches_grids(line.mechanism), y, line.strategy) for line in lines for at, y in zip(line.x, line.cases["y"]) if at == x]


def _size_title(title, panels, shown):
    """With the largest size of the first panel: the fastest form that launches from the device against the fastest flat one."""
    largest = max(x for line in panels[0][1] for x in line.x)
    there = ends(panels[0][1], largest)
    if len({nested for nested, _, _ in there}) < 2:
        return title
    nested, flat = (min((y, strategy) for is_nested, y, strategy in there if is_nested == wanted) for wanted in (True, False))
    case = panels[0][0].iloc[0]
    work = f" ({work_text(case, parts.varying(shown, work_columns(shown, BY_SIZE.sweeps[0].without)))})" if len(panels) > 1 else ""
    return f"{title}: at {style.power_text(largest)}{work}, {nested[1]} takes {style.three(nested[0] / flat[0])} times the time of {flat[1]}"


def _from_on(values, most):
    """The least place from which on no value is above `most`; None if there is none."""
    found = None
    for place in sorted(values, reverse=True):
        if values[place] > most:
            break
        found = place
    return found


def _work_title(title, panels, _):
    """The form that pays from the least work on, and the operations of one of its launches there."""
    found = []
    for line in panels[0][1]:
        work = _from_on(dict(zip(line.x, line.cases["y"])), DEVICE_VS_BEST)
        if line.value["by_need"] and work is not None:
            found.append((work, line.label, line.cases.iloc[line.x.index(work)]))
    within = f"within {round(100 * (DEVICE_VS_BEST - 1))} % of the best flat form"
    if not found:
        return f"{title}: no form that launches comes {within}"
    work, label, case = min(found, key=lambda one: one[:2])
    axis_words = _item_work(case)
    return f"{title}: from {axis_words} {style.grouped(work)} on, {style.three(case['work'] / case['launches'])} operations per launch, {label} is {within}"


def _tenants_title(_, panels, __):
    """The width of a level from which on the best launch takes about as long as the queue."""
    least = [{}, {}]
    for line in panels[0][1]:
        if from_device(line.mechanism) or line.strategy.endswith("_queue"):
            own = least[from_device(line.mechanism)]
            own.update({x: min(y, own.get(x, y)) for x, y in zip(line.x, line.cases["y"])})
    both = sorted(set(least[0]) & set(least[1]))
    if not both or panels[0][0]["input"].iloc[0] != "together":
        return "Many tenants: the time of one against the gap between arrivals"
    ratios = {x: least[1][x] / least[0][x] for x in both}
    first, within = _from_on(ratios, NEAR), f"within {round(100 * (NEAR - 1))} % of it"
    return (f"Many tenants: the best launch takes {style.three(ratios[both[0]])} times as long as a queue at {style.grouped(both[0])} nodes a level, and " +
            (f"{within} from {style.grouped(first)} nodes a level on" if first is not None else f"never {within}"))


def _resources_title(title, panels, _):
    """What the best and the worst one grid take at the largest scan of the first panel."""
    ends = [line.cases["y"].iloc[-1] for line in panels[0][1] if line.value["shape"]]
    return title + (f": with the largest scan, one grid takes {style.three(min(ends))} to {style.three(max(ends))} times the time of launches" if ends else "")


def _search_title(title, panels, shown, axis):
    best = min((best_of(line.cases) for line in panels[0][1]), key=lambda case: case["us"])
    names = ["input", *tables.size_columns(), *parts.varying(shown, work_columns(shown))]
    title = f"Time against the {axis}" if axis in own_meanings(shown) else title
    return f"{title}: {work_text(best, names)} is fastest by {best['strategy']}, {axis} {style.grouped(best[axis])}"


def _threshold_title(title, panels, _):
    gains = []
    for panel, _ in panels:
        plain, best = best_of(panel[(panel["threshold"] == 0) & (panel["group"] == "none")]), best_of(panel[panel["expected"] > 0])
        if plain is not None and best is not None:
            gains.append((plain["us"] / best["us"], best))
    if not gains:
        return title
    gain, best = max(gains, key=lambda found: found[0])
    return (f"{title}: at best {style.three(gain)} times as fast as a launch for each item, with threshold {style.grouped(best['threshold'])} "
            f"and aggregation {best['group']}")


def _threshold_notes(shown):
    alone = shown[shown["expected"] == 0]
    notes = ["A threshold at which nothing is launched has no point at the right: that axis is logarithmic."] if (shown["launches"] == 0).any() else []
    notes += ["A point is the fastest of its coarsenings."] if parts.varying(shown, ["coarsen"]) else []
    notes += notes_of_own(shown, "threshold") or ["An item that needs fewer threads than the threshold is done by the thread that found it."]
    return [*notes, *([f"From threshold {style.grouped(alone['threshold'].min())} on, panels have cases in which nothing is launched."] if len(alone) else [])]


def _search_notes(shown, axis):
    notes = ["A point is the fastest case of its strategy and mechanism. Forms that launch nothing from the device have no line at the right."]
    none = axis == "cutoff" and (shown[axis].astype(float) == NO_CUTOFF).any()
    return [*notes, *notes_of_own(shown, axis), *([f"none: cutoff {style.grouped(NO_CUTOFF)}, no thread searches alone."] if none else [])]


def _cutoffs(steps):
    """No cut-off is drawn one step after the largest cut-off, because its number is far away."""
    far = steps[-1] == NO_CUTOFF and len(steps) > 2
    places = {step: steps[-2] ** 2 / steps[-3] if far and step == NO_CUTOFF else step for step in steps}
    return places, {"xtext": lambda place: "none" if far and place == places[NO_CUTOFF] else style.grouped(place)}


def _column_of(case, columns):
    """The first of these columns that the case has; the first of all if it has none."""
    return next((name for name in columns if case[name] not in ("", None) and case[name] == case[name]), columns[0])


def _items(case):
    """What the size of a case counts: `keys`, `queens`, `time steps`."""
    column = _column_of(case, tables.size_columns())
    return tables.items_of(case["workload"]) if column == "elements" else column.replace("_", " ")


def _item_work(case):
    return _column_of(case, tables.ITEM_WORK).replace("_", " ")


def _sized_by_input(workload):
    """Whether each input has a size of its own: its work is then not in proportion to its size."""
    return len(set(tables.size_columns()) & set(tables.parameters_of(workload))) > 1


def _per_item(case):
    items = _items(case)
    return "time, µs" if _sized_by_input(case["workload"]) else f"ns per {ONE.get(items, items.removesuffix('s'))}"


def _over(rivals, axis):
    """A line's times over the least of others in its panel at the same place."""
    def y(best, group):
        rival = group[rivals(group)].groupby(axis)["us"].min()
        return best["us"] / best[axis].map(rival)
    return y


def _with_shape(cases):
    """With the shape of a form that is one grid."""
    own = cases.assign(**{name: pandas.to_numeric(cases[name], errors="coerce") for name in ("block", "points_per_thread")})
    together = own["mechanism"].map(tables.decider_of) == "running_kernel"
    return own.assign(shape=[f", {block:.0f} × {points:.0f}" if one else "" for one, block, points in zip(together, own["block"], own["points_per_thread"])])


def _shape_look(line):
    colour, mark = style.look_of(line.strategy)[:2]
    return (POINTS.get(line.value["points_per_thread"], colour), BLOCKS.get(line.value["block"], mark)) if line.value["shape"] else (colour, mark)


def _mechanism_look(line):
    """Of a form that launches, that of its mechanism."""
    if not from_device(line.mechanism):
        return line.colour, line.mark
    return style.mechanism_look(line.mechanism)[1], style.mechanism_mark(line.mechanism)


def _resources_sweep(axis, other, words, xlabel, **more):
    return Sweep(axis, lambda case: xlabel, lambda case: "time over the best launches", ("strategy", "mechanism", "shape"), (other,), of=_with_shape,
                 y=_over(lambda group: group["mechanism"].map(tables.decider_of) == "kernel_by_launch", axis), look=_shape_look,
                 label=lambda case: style.marked(case["strategy"]) + case["shape"] if case["shape"] else full_label(case),
                 text=lambda case, shown: words.format(style.grouped(float(case[other]))), **more)


def _tenants_sweep(arrival, axis, other, xlabel, ylabel, text, **more):
    def of(cases):
        idle = cases["mechanism"].map(from_device) & (cases["expected"] == 0)
        return cases[(cases["input"] == arrival) & ~idle]
    return Sweep(axis, lambda case: xlabel, lambda case: ylabel, facet=("tenant_count", "levels", "node_work", "seed", other), of=of, look=_mechanism_look,
                 label=full_label,
                 text=lambda case, shown: text.format(style.grouped(float(case["tenant_count"])), case["level_nodes"]), **more)


def _search_sweep(axis, xlabel, **more):
    sweep = Sweep(axis, lambda case: axis if axis in tables.own_meanings(case["workload"]) else xlabel, beside=True, whole=False,
                  text=lambda case, shown: work_text(case, ["input", *tables.size_columns(), *parts.varying(shown, work_columns(shown))]), **more)
    return Swept((sweep,), functools.partial(_search_title, axis=axis), functools.partial(_search_notes, axis=axis), keyed=True)


def _with_group(case):
    group = case["group"] if case["by_need"] else ""
    return ", ".join(filter(None, [full_label(case), group if group != DEVICE_GRAPH else ""]))


def _group_label(case):
    return f"aggregation {case['group']}" if case["group"] in LOOKS else case["group"]


def _nested(cases):
    own = prepared(cases)
    return own[own["by_need"]]


BY_SIZE = Swept((Sweep("size", _items, _per_item, without=("size", "nx", "ny"), places=lambda values: (dict(zip(values, values)), {"xtext": style.power_text}),
                       y=lambda best, _: best["us"] * (1 if _sized_by_input(best["workload"].iloc[0]) else 1000 / best["size"])),),
                _size_title, lambda shown: ["A point is the fastest case of its strategy and mechanism at that size."])
BY_WORK = Swept((Sweep("item_work", lambda case: f"{_item_work(case)}: work of an item", lambda case: "time over the best flat form", ("by_need", "strategy", "mechanism", "group"),
                       without=tables.ITEM_WORK, of=flat_and_nested, y=_over(lambda group: ~group["by_need"], "item_work"), label=_with_group,
                       look=lambda line: (look_of_group(line.value["group"])[0], style.mechanism_mark(line.mechanism)) if line.value["by_need"]
                       else style.look_of(line.strategy)[:2]),),
                _work_title, lambda shown: ["A point is the fastest case of its strategy, mechanism and aggregation, over the fastest flat case of the same "
                                            "work."])
TENANTS = Swept((_tenants_sweep("together", "level_nodes", "arrival_gap_us", "nodes of a level, on average", "time of all tenants, µs", "{} tenants that arrive together"),
                 _tenants_sweep("poisson", "arrival_gap_us", "level_nodes", "mean gap between two arrivals, µs", "from arrival to end, median of tenants, µs",
                                "{} tenants of {} nodes a level that arrive at random times", least=2, measure="latency", y=lambda best, _: best["latency"])),
                _tenants_title, lambda shown: ["A point is the fastest case of its strategy and mechanism: its block, threshold, waves and streams. A case of a "
                                               "launching form that launches nothing is left out."])
RESOURCES = Swept((_resources_sweep("elements", "near_every", "one scan point of {} is near the surface", "MB that an iteration reads",
                              places=lambda values: ({value: value * SCAN_MB for value in values}, {"xtext": style.three})),
                   _resources_sweep("near_every", "elements", "{} scan points", "one scan point of so many is near the surface")), _resources_title,
                  lambda shown: ["A point is the fastest case of its form; of one grid, by threads of a block × scan points of a thread at a time."],
                  height=4.2)
BY_BUDGET = _search_sweep("budget", "nodes per thread before the block leaves the rest")
BY_CUTOFF = _search_sweep("cutoff", "depth from which a thread searches alone", places=_cutoffs)
THRESHOLD = Swept((Sweep("threshold", lambda case: "threshold" if "threshold" in tables.own_meanings(case["workload"]) else "threshold, threads",
                         form=("group",), more=_form, of=_nested, whole=False, beside=True, across=True, kind="fit",
                         places=lambda values: ({value: place for place, value in enumerate(values)}, {"x": list(map(style.grouped, values))}),
                         label=_group_label, look=lambda line: look_of_group(line.value["group"]), text=lambda case, shown: _form_text(shown, case, _form())),),
                  _threshold_title, _threshold_notes, keyed=True)
BY_LAUNCHES = Swept((Sweep("launches", lambda case: "device launches", form=("group",), of=_nested, least=5, dots=True, across=True,
                           places=lambda values: (dict(zip(values, values)), {"x": "log" if values[0] > 0 else "swept"}),
                           label=_group_label, look=lambda line: look_of_group(line.value["group"]), text=lambda case, shown: work_text(case, _names(shown))),),
                    lambda title, *_: title, lambda shown: [], keyed=True, columns=2, height=2.0, most=MOST_PANELS)


# --- launches by depth ------------------------------------------------------------------------------------------------------------


def depths(cases):
    """Cases that launch a grid for each part at two depths or more."""
    own = prepared(cases)
    own = own[own["by_need"] & (own["group"] == "none")]
    return own[own["launches_by_depth"].map(lambda text: len(str(text).split()) >= 2)]


def by_depth(part, shown, figure):
    """How wide the recursion is: a panel for each work; a line for each strategy and input: the launches at each depth of its case with the most
    launches."""
    made = []
    for panel in by_work(shown, without=["input"]):
        lines = []
        for form in parts.grouped_by(panel, ["strategy", "input"]):
            case = form.sort_values("launches", ascending=False, kind="stable").iloc[0]
            each = [int(float(number)) for number in str(case["launches_by_depth"]).split()]
            lines.append(parts.Line(f"{style.marked(case['strategy'])}, {case['input']}", case["strategy"], "", None, list(range(1, len(each) + 1)),
                                    pandas.DataFrame({"y": each}), style.look_of(case["strategy"])[0], style.MARKS[len(lines) % len(style.MARKS)]))
        made.append(Panel(work_text(panel.iloc[0], parts.varying(shown, work_columns(shown, ["input"]))), lines, "depth of the new grids", "launches",
                          x="steps", ys=[1]))
    return panels_of.draw(figure.title, made, parts.caption_of(part, shown), columns=1, height=2.6,
                          notes=["Without aggregation. Of each strategy and input, the case with the most launches."])


# --- rows -------------------------------------------------------------------------------------------------------------------------


def against_flat(part, shown, figure):
    """A row for each work and mechanism; a dot for each form whose launches depend on the data: the time of the best flat form over its own."""
    flat, names, lines = flat_of(part), _names(shown), []
    nested = shown[shown["by_need"] & (shown["expected"] > 0)]
    for group in by_work(nested, ["mechanism"]):
        case, best, rival = group.iloc[0], best_of(group), flat.get(work_of(group.iloc[0]))
        if best is not None and rival is not None:
            speedups = group.assign(y=rival["us"] / group["us"]).dropna(subset=["y"])
            dots = [Dot(y, *look_of_group(name), size=4) for name, y in zip(speedups["group"], speedups["y"])]
            ratio, label = rival["us"] / best["us"], f"{work_text(case, names)}, {parts.mechanism_text(case['mechanism'])}"
            short = [one["strategy"].split("_", 1)[-1] for one in (best, rival)]
            text = f"{style.three(ratio)}: {short[0]}{'' if best['group'] == UNGROUPED else ', ' + best['group']}; {short[1]}"
            row = Row((label,), [*dots, Dot(ratio, *look_of_group(best["group"]), size=7)], (text,))
            order = tuple(parts.order_of(case[name]) for name in ["workload", "size", "input", "item_work", "mechanism"])
            lines.append((order, ratio, f"{work_text(case, names)}, {best['strategy']} by {parts.mechanism_text(case['mechanism'])}", row))
    if not lines:
        return None
    lines.sort(key=lambda line: line[0])
    most = max(lines, key=lambda line: line[1])
    return panels_of.draw_rows(
        f"{figure.title}: {style.three(min(line[1] for line in lines))} to {style.three(most[1])} times as fast; the most for {most[2]}",
        [([row for *_, row in lines], {})], parts.caption_of(part, shown), key=_key(nested), xlabel="speedup over the best flat form of the same work",
        x="log", xs=(0.9, 1.1), across=1, top=0.2, step=0.25,
        notes=["Each dot is one case whose launches depend on the data; the larger one is the fastest of its line, named at the right with its "
               "speedup. At 1, it is as fast as the fastest form without device launches, which is named behind it. Cases whose threshold "
               "leaves nothing to launch are not shown."])


def _with_sizes(cases):
    """The irregular cases. Each tree of a search has a size of its own, which is then part of the name of the input."""
    own = prepared(cases)
    trees = own["workload"].map(_sized_by_input).astype(bool)
    if not trees.any():
        return own
    named = own[trees].apply(lambda case: work_text(case, ["input", *tables.size_columns()]), axis=1)
    return own.assign(input=own["input"].mask(trees, named), **{name: own[name].mask(trees) for name in tables.size_columns()})


BY_INPUT = Sweep("input", None, without=("input",), of=_with_sizes)


def by_input(part, shown, figure):
    """A row for each input; a dot for each strategy and mechanism: its fastest case."""
    found = [(group, lines) for group in by_work(shown, without=("input",)) if (lines := BY_INPUT.lines(group))]
    if not found:
        return None
    looks = style.looks_in_turn((line.strategy, line.mechanism) for _, lines in found for line in lines)
    panels = []
    for group, lines in found:
        rows = [Row((name,), [Dot(line.cases["us"].iloc[line.x.index(name)], *looks[line.strategy, line.mechanism]) for line in lines if name in line.x])
                for name in dict.fromkeys(group["input"])]
        panels.append(([row for row in rows if row.dots], {"title": work_text(group.iloc[0], work_columns(group, ["input"]))}))
    return panels_of.draw_rows(figure.title, panels, parts.caption_of(part, shown), key=[(form_label(*form), *look) for form, look in looks.items()],
                               xlabel="time, µs", x="log", notes=["A dot is the fastest case of its strategy and mechanism."])


# --- the study of threshold, coarsening and aggregation -----------------------------------------------------------------------------


def _plain(study):
    return study[(study["group"] == "none") & (study["threshold"] == 0) & (study["coarsen"] == 1) & study["overflow"].isin(["waves", ""])]


def _alone(study):
    """The cases that launch nothing, because no item reaches the threshold."""
    return study[study["expected"] == 0]


def studies(cases):
    """Threshold x coarsening x aggregation: the cases of each work, strategy and mechanism that has the plain form, one without
    launches, and several of each axis."""
    own = prepared(cases)
    own = own[own["by_need"]]
    return _together(own, [study for study in by_work(own, ["strategy", "mechanism"])
                           if all(study[name].nunique() >= 3 for name in ("threshold", "coarsen", "group")) and len(_plain(study)) and len(_alone(study))])


def ratios_of(part, shown):
    """[(workload, label, {name of the ratio: ratio})] of each study: the time of the plain form, of the form without launches, of the best
    aggregation alone and of the best flat form, each over the time of the best form that launches."""
    flat, found = flat_of(part), []
    for study in by_work(shown, ["strategy", "mechanism"]):
        case, best = study.iloc[0], best_of(study[study["expected"] > 0])
        aggregated = study[(study["threshold"] == 0) & (study["coarsen"] == 1) & (study["group"] != "none")]
        rivals = [best_of(_plain(study)), best_of(_alone(study)), best_of(aggregated), flat.get(work_of(case))]
        if best is not None and all(rival is not None for rival in rivals):
            ratios = dict(zip([*PAPER, LAST_RATIO], (rival["us"] / best["us"] for rival in rivals)))
            found.append((case["workload"], _form_text(shown, case, ["strategy", "mechanism"]), ratios))
    return found


def study_ratios(part, shown, figure):
    """A row for each study and one for their geometric mean; a dot for each ratio; the paper's three as hollow dots."""
    found = ratios_of(part, shown)
    if not found:
        return None
    looks = {name: (style.on_page(colour)["light"], mark)
             for name, colour, mark in zip([*PAPER, LAST_RATIO], (style.VERMILLION, style.ORANGE, style.GREEN, style.BLUE), "osD^")}
    of_workloads = collections.defaultdict(list)
    for workload, _, ratios in found:
        of_workloads[workload].append(list(ratios.values()))
    logs = [numpy.log(ratios).mean(axis=0) for ratios in of_workloads.values()]
    mean = dict(zip(looks, map(float, numpy.exp(numpy.mean(logs, axis=0)))))
    rows = [Row((label,), [Dot(ratio, *looks[name], hollow=ratios is PAPER) for name, ratio in ratios.items()],
                tuple(style.three(ratios[name]) if name in ratios else "" for name in looks))
            for label, ratios in [*((label, ratios) for _, label, ratios in found), ("geometric mean", mean), ("the paper's", PAPER)]]
    title = (f"{figure.title}: {style.three(mean[LAST_RATIO])} times as fast as the best flat form, "
             f"{style.three(mean['over plain dynamic parallelism'])} times as fast as plain dynamic parallelism")
    return panels_of.draw_rows(title, [(rows, {})], parts.caption_of(part, shown), key=[(name, *look) for name, look in looks.items()],
                               xlabel="speedup of the best threshold, coarsening and aggregation", x="log", xs=[0.9], across=1, top=0.2, step=0.25,
                               more=lambda axes: axes.axhline(len(found) - 0.5, color="#BBBBBB", linewidth=0.7),
                               notes=["At the right: the same, in the order of the key. The geometric mean is over the workloads, of each its own geometric mean. The "
                                      "paper's ratios are geometric means over its own benchmarks, on another GPU and with the old device runtime. It has no fourth."])
