"""What a figure is drawn from: the part of a log from one backend and one device, and its lines and panels."""
import dataclasses
import math
import re

import pandas

import figure_style as style
import logs
import tables
from measures import AXES

# The headings of other values on the page. All other fields have their name as heading.
HEADINGS = {"mechanism": "launch mechanism", "delay_us": "delay, µs", "gpu": "GPU",
            "pending_limit_asked": "pending limit", "submit_asked": "submission", "l2": "L2 cache", "block_shape": "block shape"}
TYPES = ["int32", "float32"]
CHOSEN = ["wave", "streams"]  # usually chosen by nestbed, so that they follow from the other columns
# With two strategies and more values than this, each strategy has a panel, and the values are lines.
MOST_PANELS = 4


@dataclasses.dataclass
class Part:
    """Rows and cases of one backend and device, because no figure mixes two. `suffix` is for file names if a log has
    more than one part."""
    path: str
    suffix: str
    rows: pandas.DataFrame
    cases: pandas.DataFrame

    @property
    def backend(self):
        return self.cases["backend"].iloc[0]


@dataclasses.dataclass
class Line:
    """Cases along an axis: `x` are the positions of `cases`, which are sorted by it. The others are its look."""
    label: str
    strategy: str
    mechanism: str
    value: object
    x: list
    cases: pandas.DataFrame
    colour: object = style.BLACK
    mark: str = "o"
    dash: object = "-"
    width: float = 1.4
    hollow: bool = False

    @property
    def family(self):
        return style.family_of(self.strategy, self.cases["launches"].max())


def case_names():
    """The columns that name a case if they vary, besides strategy and mechanism."""
    return [name for name in logs.case_columns() if name not in ("strategy", "backend", "mechanism", "gpu", *CHOSEN)]


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "unknown"


def parts_of(path, log):
    """The parts of a log, in the order of their first rows."""
    whole = len(log[["backend", "gpu"]].drop_duplicates()) == 1  # as most logs: no copy of it
    groups = [((log["backend"].iloc[0], log["gpu"].iloc[0]), log)] if whole else list(log.groupby(["backend", "gpu"], sort=False, observed=True))
    backends = [backend for (backend, _), _ in groups]
    parts = []
    taken = set()
    for (backend, gpu), rows in groups:
        name = "-cpu" if backend == "cpu" and backends.count("cpu") == 1 else f"-{slug(f'{backend} {gpu}')}"
        name = "" if len(groups) == 1 else name
        if name in taken:  # two device names can give the same file name
            name = next(f"{name}-{number}" for number in range(2, len(groups) + 1) if f"{name}-{number}" not in taken)
        taken.add(name)
        parts.append(Part(str(path), name, rows, with_levels(logs.cases_of(rows))))
    return parts


def with_levels(cases):
    """Adds columns.
    `depths`: the depth as a number; for `full`, the depth that was reached; NaN if depth does not apply.
    `launched`: the grids of a chain, the launches of a fan-out, otherwise NaN.
    `whole`: `one grid` for a fan-out launched as one grid, if another fan-out with the same mechanism and number of
    launches was divided into waves."""
    deep = cases["launches_by_depth"].map(lambda text: float(len(str(text).split())))
    asked = pandas.to_numeric(cases["depth"], errors="coerce").replace([math.inf, -math.inf], math.nan)
    cases = cases.assign(depths=asked.where(cases["depth"] != "full", deep))
    counts = cases["depths"].where(cases["strategy"] == "chain", cases["grid"].where(cases["strategy"] == "fanout"))
    least = cases.groupby(["backend", "gpu", "strategy", "mechanism", "grid"], dropna=False)["wave"].transform("min")
    whole = (cases["strategy"] == "fanout") & (cases["wave"] == cases["grid"]) & (least < cases["wave"])
    return cases.assign(launched=counts.where(counts > 0), whole=whole.map({True: "one grid", False: ""}))


def name_of(column, value):
    """A value in words: `2048 blocks`, `limit 4096`, `grain 64`."""
    if pandas.isna(value) or value == "":
        return ""
    if column == "elements":
        return f"{style.power_text(value)} numbers"
    number = style.grouped(value) if isinstance(value, (float, int)) else str(value)
    number = style.grouped(int(number)) if number.isdecimal() and len(number) < 16 else number
    more = "" if number == "1" else "s"
    forms = {"grid": f"{{}} block{more}", "block": "blocks of {} threads", "depth": "depth {}", "delay_us": "delay {} µs",
             "graphs": "best of {} graphs" if more else "{} graph", "nx": "{} columns", "ny": "{} rows", "pending_limit_asked": "limit {}",
             "wave": "waves of {}", "streams": f"{{}} stream{more}", "seed": "seed {}", "l2": "L2 cache {}"}
    named = column and re.fullmatch(r"[0-9.\u2009]+", number)
    return forms.get(column, f"{column.replace('_', ' ')} {{}}" if named else "{}").format(number)


def varying(cases, columns):
    """The columns with two or more different values among the cases that have a value."""
    return [name for name in columns if len({value for value in cases[name].tolist() if value == value and value not in ("", None)}) > 1]


def shape_text(cases, names):
    """The values of cases (or one case) that agree in `names`, in words. Sides and grids are products if the cases
    agree in both factors."""
    names = list(names)
    words = []
    case = cases.iloc[0] if isinstance(cases, pandas.DataFrame) else cases
    apart = varying(cases, ["nx", "ny", "grid", "block"]) if isinstance(cases, pandas.DataFrame) else []
    for first, second in (("nx", "ny"), ("grid", "block")):
        if first in apart or second in apart:
            continue
        if (first in names or second in names) and pandas.notna(case[first]) and pandas.notna(case[second]):
            tail = " threads" if first == "grid" else ""
            words.append(f"{style.grouped(case[first])} × {style.grouped(case[second])}{tail}")
            names = [name for name in names if name not in (first, second)]
    first = [name for name in names if name in ("experiment", "type") or name == "elements" and pandas.isna(case["nx"])]
    rest = [name for name in names if name not in ("experiment", "type", "elements")]
    return ", ".join(filter(None, [*(name_of(name, case[name]) for name in first), *words,
                                   *(name_of(name, case[name]) for name in rest)]))


def common_text(cases):
    """The common type, size and shape of all cases that have them: `int32, 2048 × 512 threads`."""
    found = {name: cases[name].replace("", pandas.NA).dropna().unique() for name in case_names()}
    first = {name: values[0] if len(values) == 1 else None for name, values in found.items()}
    shown = [name for name in ("type", "nx", "ny", "grid", "block", "l2") if first[name] is not None]
    return shape_text(first, [name for name in shown if name != "l2" or first[name] != "as_is"])


def mechanism_text(mechanism):
    return style.mechanism_look(mechanism)[0]


def strategy_label(case, several):
    """The strategy, with the mechanism if `several` says that the strategy has more than one."""
    words = mechanism_text(case["mechanism"])
    name = style.marked(case["strategy"])
    return f"{name}, {words}" if several.get(case["strategy"], 1) > 1 and words else name


def mechanisms_each(cases):
    return cases.groupby("strategy")["mechanism"].nunique().to_dict()


def places_by(cases, names):
    """The places of cases that agree in `names`, including empty values: [[place]], in the order of their first cases."""
    found = {}
    keys = zip(*(map(str, cases[name].tolist()) for name in names)) if names else [()] * len(cases)
    for place, key in enumerate(keys):
        found.setdefault(key, []).append(place)
    return list(found.values())


def grouped_by(cases, names, least=1):
    """The same as groups of cases. Leaves out groups of fewer than `least` cases."""
    return [cases.take(places) for places in places_by(cases, names) if len(places) >= least]


def sorted_groups(cases, names):
    """The groups of cases that agree in `names`, sorted by their values."""
    return sorted(grouped_by(cases, names), key=lambda group: [order_of(group.iloc[0][name]) for name in names])


def names_beside(axis):
    """The case_names() that distinguish lines along an axis (of AXES)."""
    return [name for name in [*case_names(), *AXES[axis].apart] if name not in (AXES[axis].field, *AXES[axis].follows)]


def along(cases, axis, at=None, least=3):
    """Groups of cases that differ only in an axis (of AXES) and in what follows from it, with at least `least` values
    of the axis: [cases with a column `x`, sorted by it]. `at`: the values, if they are not those of the axis's
    column."""
    at = pandas.to_numeric(cases[AXES[axis].column], errors="coerce").replace([math.inf, -math.inf], math.nan) if at is None else at
    there = cases.assign(x=at)[at.notna()]
    found = []
    for group in grouped_by(there, ["strategy", "mechanism", *names_beside(axis)], least):
        pieces = [group]
        if axis not in CHOSEN and group["x"].duplicated().any() and varying(group, CHOSEN):
            pieces = grouped_by(group, CHOSEN, least)
        found += [piece.sort_values("x", kind="stable") for piece in pieces if piece["x"].nunique() >= least]
    return found


def alike(cases, case, names):
    """The cases that have the same values as `case` in all these columns. An empty value matches an empty value."""
    for name in names:
        cases = cases[(cases[name] == case[name]) | (cases[name].isna() & pandas.isna(case[name]))]
    return cases


def lines_and_panels(groups, panel_names):
    """[(panel title, [Line])]. Lines are strategies and mechanisms, and panels are the other varying columns. If one
    strategy with one mechanism varies in only one column, the values of that column are the lines of a single panel.
    With two such combinations and many values, each has its own panel."""
    everything = pandas.concat(groups)
    several = mechanisms_each(everything)
    names = varying(everything, panel_names)
    if "elements" in names and "grid" in names:
        names.remove("elements")
    pairs = {(group["strategy"].iloc[0], group["mechanism"].iloc[0]) for group in groups}
    one_strategy = len({strategy for strategy, _ in pairs}) == 1 and len(pairs) > 1
    by_value = len(names) == 1 and (len(pairs) == 1 or len(pairs) == 2 and everything[names[0]].nunique() > MOST_PANELS)
    panels = {}
    for group in sorted(groups, key=lambda group: rank_of(group.iloc[0])):
        case = group.iloc[0]
        value = case[names[0]] if by_value else None
        label = mechanism_text(case["mechanism"]) if one_strategy else strategy_label(case, several)
        label = name_of(names[0], value) if by_value else label
        title = shape_text(group, names) if not by_value else strategy_label(case, several) if len(pairs) > 1 else ""
        panels.setdefault(title, []).append(Line(label, case["strategy"], case["mechanism"], value, list(group["x"]), group))
    if not by_value:
        panels = dict(sorted(panels.items(), key=lambda panel: [order_of(panel[1][0].cases.iloc[0][name]) for name in names]))
    for lines in panels.values():
        if by_value:
            lines.sort(key=lambda line: order_of(line.value))
    dress([line for lines in panels.values() for line in lines], by_value)
    return list(panels.items())


def rank_of(case):
    """A sort key: by strategy, then by mechanism; the same in every log."""
    return *style.rank_of(case["strategy"]), style.mechanism_rank(case["mechanism"])


def order_of(value):
    """A key that sorts numbers by size, then types, then texts alphabetically."""
    number = pandas.to_numeric(value, errors="coerce")
    if pandas.notna(number):
        return 0, float(number), ""
    return 1, TYPES.index(value) if value in TYPES else len(TYPES), str(value)


def dress(lines, by_value=False):
    """Sets colours, marks and dashes. They show an ordered quantity if lines are values. They show the mechanism if
    one strategy has several, and for empty grids, which differ only in it. Otherwise each strategy has its usual
    look; where none of them recurses, with a hue. Lines that would look the same get different marks and dashes."""
    names = list(dict.fromkeys(line.label for line in lines))
    strategies, ways = {line.strategy for line in lines}, {(line.strategy, line.mechanism) for line in lines}
    if by_value or len(ways) == 1 and len(names) > 1:
        colours = style.scale_colours(len(names))
        for line in lines:
            place = names.index(line.label)
            line.colour, line.mark, line.dash = colours[place], style.MARKS[place % len(style.MARKS)], "-"
        return
    most = {strategy: max(line.cases["launches"].max() for line in lines if line.strategy == strategy) for strategy in strategies}
    among_flat = len(strategies) > 1 and all(line.family == style.FLAT for line in lines)
    alike = {}
    for line in lines:
        if len(strategies) == 1 and len(ways) > 1 or line.cases["launched"].notna().any():
            look = style.mechanism_look(line.mechanism)[1], style.mechanism_mark(line.mechanism), "-"
        else:
            look = style.look_of(line.strategy, most[line.strategy], among_flat)
        labels = alike.setdefault(look, [])
        if line.label not in labels:
            labels.append(line.label)
        step = labels.index(line.label)
        line.colour = look[0]
        line.mark, line.dash = (known[(known.index(own) + step) % len(known)]
                                for known, own in ((style.MARKS, look[1]), (style.DASHES, look[2])))


def merged(lines, values):
    """Merges lines with the same `values(line)` into one, labelled with all their names, so that lines that coincide
    are drawn once. The line is grey if its strategies are of several families."""
    found = {}
    for line in lines:
        found.setdefault((tuple(line.x), tuple(values(line))), []).append(line)
    together = []
    for same in found.values():
        labels = [line.label for line in same]
        families = {line.family for line in same}
        look = {"colour": style.GREY, "dash": "-"} if len(families) > 1 else {}
        together.append((dataclasses.replace(same[0], label=in_rows(labels), **look), same))
    return together


def in_rows(names, a_row=2):
    """Names separated by commas, with this many per row."""
    rows = [", ".join(names[at:at + a_row]) for at in range(0, len(names), a_row)]
    return ",\n".join(rows)


def key_of(there):
    """The key entries of families, in their order."""
    return [(tables.family_text(family), colour, "s") for family, colour in style.FAMILY_COLOURS.items() if family in there]


def family_key(lines):
    """Those of lines, if they are of several strategies and not coloured by value."""
    several = len({line.strategy for line in lines}) > 1 and lines[0].value is None
    return key_of({line.family for line in lines}) if several else []


def count_text(number, what):
    return f"{style.grouped(number)} {what}{'' if number == 1 else 's'}"


def extents(cases, scale=1.0):
    """All values that an axis of times must show, in units of `scale`: medians, and intervals if there are any."""
    return pandas.concat([cases[name] for name in ("us", "low", "high")]).dropna() / scale


def timed_rows(cases):
    """The number of rows with a time, for each case."""
    return cases["samples"].map(len)


def statuses(cases):
    """{status: number of rows} of the rows without a time."""
    total = {}
    untimed = int(cases["ok"].sum() - timed_rows(cases).sum())
    for statuses in cases["statuses"]:
        for status, count in statuses.items():
            total[status] = total.get(status, 0) + count
    total.pop("ok", None)
    if untimed:
        total["ok without a time"] = untimed
    return total


def status_text(cases):
    """`30 wrong, 2 launch_failed` for the rows without a time; empty if all have one."""
    return ", ".join(f"{style.grouped(count)} {status}" for status, count in sorted(statuses(cases).items()))


def _others_text(part, shown, left):
    """What the `left` rows of the log that are not shown are: by the one thing that all of them, and none of those shown, have."""
    for column, plural in ("workload", "workloads"), ("strategy", "strategies"), ("mechanism", "mechanisms"):
        others = part.cases[~part.cases[column].isin(shown[column])]
        names = sorted(set(others[column].astype(str)))
        if int(others["rows"].sum()) == left and "" not in names:
            return f"{column if len(names) == 1 else plural} {', '.join(names)}" if len(names) <= 4 else f"{len(names)} other {plural}"
    return "other cases"


def caption_of(part, shown, timed=True, elsewhere=""):
    """The lines below a figure of the cases `shown` of a part: measure, samples, rows without a time, machine, commit
    and command. `elsewhere`: what the other rows of the log are."""
    counts = timed_rows(shown) if timed else shown["rows"]
    least, most = counts[counts > 0].min(), counts.max()
    samples = count_text(most, "sample") if least == most else f"{least:g} to {most:g} samples"
    words = []
    if timed and most > 0:
        few = "" if least >= logs.LEAST else f" (where there are {logs.LEAST} or more)" if most >= logs.LEAST else None
        bars = f" and 95 % bootstrap interval of the median{few}" if few is not None else ""
        words.append(f"Median{bars}, {samples} per point.")
    elif not timed:
        words.append(f"{samples} per point.")
    failed = int((shown["rows"] - timed_rows(shown)).sum())
    if failed and timed:
        words.append(f"{style.grouped(failed)} of {style.grouped(shown['rows'].sum())} rows have no time ({status_text(shown)}); "
                     "a point without any is marked ×.")
    wall = sorted(set(shown["strategy"][(shown["clock"] == "wall") & shown["us"].notna()])) if timed else []
    if wall and part.backend == "cuda":
        words.append(f"Hollow: timed by the host's clock ({', '.join(wall)}); all others by GPU events.")
    elif wall:
        words.append("Wall clock of the CPU executor, a model of dynamic parallelism: not a GPU's times.")
    let_go = shown[(shown["submit_asked"] == "held") & (shown["submit"] == "open")] if timed else shown[:0]
    if len(let_go) and not (shown["submit_asked"] == "open").any():
        names = [f"{case['strategy']} by {mechanism_text(case['mechanism'])}" for _, case in let_go.iterrows()]
        words.append("Started before all was submitted, because a stream does not take so much: "
                     f"{', '.join(dict.fromkeys(names))} ({count_text(len(let_go), 'point')}).")
    left = int(part.cases["rows"].sum() - shown["rows"].sum())
    if left:
        elsewhere = elsewhere or ("cases in which too little varies" if any(map(tables.is_own, shown["workload"].unique())) else _others_text(part, shown, left))
        words.append(f"{style.grouped(left)} of the log's {style.grouped(part.cases['rows'].sum())} rows are not in this figure: "
                     f"{elsewhere}.")
    racy = sorted(set(shown["strategy"]) & set(tables.names_with("strategies", "racy")))
    if racy:
        words.append(f"Racy ({', '.join(racy)}): the answer depends on which thread comes first.")
    commits = ", ".join(part.rows["git"].unique())
    commands = logs.commands_of(part.path, part.rows)
    return [" ".join(words), f"{logs.machine_of(part.rows)}; nestbed {commits or 'of an unknown commit'}; {'; '.join(commands)}"]
