"""A figure that the user chooses: any column of numbers against any other, lines and panels by any column (plot.sh --x)."""
import dataclasses
import difflib
import fnmatch
import math
import re

import numpy
import pandas

import figure_parts as parts
import figure_panels as panels_of
import figure_style as style
import logs
import tables
from checked_output import BadInput
from figure_panels import Panel, measured
from measures import AXES, MEASURES

MOST_NAMED = 5
MOST_PANELS, MOST_LINES = 24, 40
INCHES = {"mm": 1 / 25.4, "cm": 1 / 2.54, "in": 1.0, "pt": 1 / 72}
NARROWEST, WIDEST = 40, 600  # mm
WORDS = {"gpu_us": "GPU time", "wall_us": "time by the host's clock", "launches_attempted": "device launches", "work": "work"}
UNITS = {"_us": "µs", "_ns": "ns", "_gb_s": "GB/s", "_bytes": "bytes", "_mhz": "MHz", "_c": "°C", "_w": "W"}
PANEL = 2.3  # inches: the least width of a panel beside others
FOLLOW = ["streams", "wave", "grid", "elements", "nx", "ny", "block", "experiment"]  # often follow from other columns


@dataclasses.dataclass(frozen=True)
class Choice:
    """What the options say. `x` and `y`: a column; of `y` also a measure (MEASURES). `series` and `facets`: columns; None: the columns that
    vary. `of`: patterns of strategies; `where`: {column: patterns of its values}. `best`: of the cases at one point, that with the least time.
    `width` in inches; `words`: the options as they were given."""
    x: str
    y: str = "time"
    series: tuple = None
    facets: tuple = ()
    of: tuple = ()
    where: dict = dataclasses.field(default_factory=dict)
    best: bool = False
    width: float = style.WIDTH
    bare: bool = False
    words: str = ""

    @property
    def name(self):
        return f"{self.y}-by-{self.x}"


def allowed_text(text, allowed):
    """The end of a message about a name that is not there: at most MOST_NAMED that are."""
    allowed = list(dict.fromkeys(map(str, allowed)))
    shown = difflib.get_close_matches(text, allowed, MOST_NAMED, 0.5) or allowed[:MOST_NAMED]
    more = f" ({len(allowed)} in all)" if len(allowed) > len(shown) else ""
    return f"allowed: {', '.join(map(logs.printable, map(logs.shortened, shown)))}{more}"


def inches_of(text):
    """The inches of a length such as 84mm. Raises BadInput."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(mm|cm|in|pt)", text)
    inches = float(found[1]) * INCHES[found[2]] if found else math.nan
    if not NARROWEST / 25.4 - 1e-9 <= inches <= WIDEST / 25.4 + 1e-9:
        raise BadInput(f"--width {logs.printable(text)}; allowed: {NARROWEST}mm to {WIDEST}mm, with a unit: mm, cm, in or pt, such as 84mm")
    return inches


def column_of(option, text, also=()):
    """The column that an option names, by its name or that of its axis. Raises BadInput."""
    axes = {axis["name"]: axis["column"] for axis in tables.tables()["axes"].values()}
    allowed = [*also, *dict.fromkeys([*logs.case_columns(), "workload", *_numbers()])]
    name = text if text in also else axes.get(text, text.replace("-", "_"))
    if name not in allowed:
        raise BadInput(f"--{option} {logs.printable(text)}: a log has no such column, or no figure shows it; {allowed_text(name, allowed)}")
    return name


def _numbers():
    """The columns of numbers that a case has."""
    return [name for name, column in tables.tables()["columns"].items() if column["number"] and name != "repetition"]


def chosen(given):
    """The Choice of the options of plot.sh (a namespace of argparse). Raises BadInput."""
    x = column_of("x", given.x)
    y = column_of("y", given.y or "time", MEASURES)
    if y not in MEASURES and y not in _numbers():
        raise BadInput(f"--y {given.y}: it has words; allowed: a column of numbers, or {', '.join(MEASURES)}")
    taken, columns = {x: "x"}, {}
    for option in ("series", "facet"):
        names = [name for text in getattr(given, option) or () for name in text.split(",")]
        columns[option] = tuple(column_of(option, name) for name in names)
        for name in columns[option]:
            if name in taken:
                raise BadInput(f"--{option} {name}: it is also in --{taken[name]}; allowed: each column once")
            taken[name] = option
    where = {}
    for text in given.where or ():
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise BadInput(f"--where {logs.printable(text)}; allowed: COLUMN=VALUE or COLUMN=VALUE,VALUE, such as grain=512,2048")
        where.setdefault(column_of("where", name), []).extend(values.split(","))
    return Choice(x, y, columns["series"] or None, columns["facet"], tuple(name for text in given.of or () for name in text.split(",")), where,
                  given.best, style.WIDTH if given.width is None else inches_of(given.width), given.no_title, given.words)


# --- the cases ---


def drawn(path, choice):
    """[(file name without its ending, matplotlib figure, caption)] of a log. Raises BadInput."""
    numbers = set(_numbers())
    log = logs.read_log(path, [name for name in (choice.x, choice.y, *(choice.series or ()), *choice.facets, *choice.where) if name in numbers])
    if not len(log):
        raise BadInput(f"{path}: it has a header and no rows: nothing to draw")
    found, lacking = [], []
    for part in parts.parts_of(path, log):
        try:
            found.append((f"{path.stem}-{choice.name}{part.suffix}", *_sheet(part, _selected(part, choice), choice)))
        except BadInput as error:  # another backend or device may have such cases
            lacking.append(error)
    if not found:
        raise lacking[0]
    return found


def _number_text(value):
    return str(int(value)) if float(value).is_integer() else f"{value:g}"


def _texts(column):
    """The values as the log has them."""
    return ["" if pandas.isna(value) else _number_text(value) if isinstance(value, (int, float, numpy.number)) else str(value) for value in column]


def _spelled(value):
    """65536 for 64k and 2^16, as in an axis of an experiment; other texts unchanged."""
    if found := re.fullmatch(r"(\d+)([kMG])", value):
        return str(int(found[1]) * 2 ** {"k": 10, "M": 20, "G": 30}[found[2]])
    if found := re.fullmatch(r"(\d{1,2})\^(\d{1,2})", value):
        return str(int(found[1]) ** int(found[2]))
    return value


def _matching(texts, patterns, option):
    """Which texts match a pattern. Raises BadInput for a pattern that none matches."""
    masks = []
    for pattern in patterns:
        plain = re.compile(fnmatch.translate(_spelled(pattern).replace("[", "[[]")))
        masks.append([bool(plain.match(text)) for text in texts])
        if not any(masks[-1]):
            raise BadInput(f"{option}: no case of the log has {logs.printable(pattern)}; {allowed_text(_spelled(pattern), sorted(filter(None, texts), key=parts.order_of))}")
    return numpy.any(masks, axis=0)


def _selected(part, choice):
    """The cases of a part that the options choose, with columns `x`, and `us`, `low`, `high` for the y axis. Raises BadInput."""
    cases = part.cases
    for name in {choice.x, *(choice.series or ()), *choice.facets, *choice.where} - set(cases.columns):
        cases = cases.assign(**{name: [float(numpy.median(own)) if len(own) else math.nan for own in logs.numbers_of(part.rows, name)]})
    cases = _with_y(part, cases, choice.y)
    for name, patterns in {**({"strategy": choice.of} if choice.of else {}), **choice.where}.items():
        option = f"--of {','.join(patterns)}" if patterns is choice.of else f"--where {name}={','.join(patterns)}"
        cases = cases[_matching(_texts(cases[name]), patterns, option)]
    cases = cases.assign(x=_places(cases, choice.x))
    cases = cases[[value != "" and not pandas.isna(value) for value in cases["x"]]]
    if not len(cases):
        raise BadInput(f"--x {choice.x}: no case of {part.path} has a value; {_varying_text(part.cases)}")
    if cases["x"].nunique() < 2:
        raise BadInput(f"--x {choice.x}: it is {logs.shortened(_texts(cases['x'])[0])} in all {len(cases)} cases; {_varying_text(cases)}")
    if not cases["us"].notna().any():
        raise BadInput(f"--y {choice.y}: no row of these {len(cases)} cases has a value; {_measured_text(part)}")
    return cases


def _varying_text(cases):
    names = _different(cases)
    return f"allowed: a column that varies: {', '.join(names[:MOST_NAMED]) or 'there is none'}"


def _measured_text(part):
    found = [name for name in ("gpu_us", "wall_us", "launches_attempted", "bandwidth_gb_s", "work") if pandas.notna(part.rows[name]).any()]
    return f"allowed here: {', '.join(found) or 'none'}, and others"


def _with_y(part, cases, y):
    """With the median and the interval of a measure, or of a column in all rows that have it."""
    if y in MEASURES:
        values, low, high = MEASURES[y].of(cases)
        none = [math.nan] * len(cases)
        return cases.assign(us=list(values), low=none if low is None else list(low), high=none if high is None else list(high))
    samples = logs.numbers_of(part.rows, y)
    middles = iter(logs.medians([own for own in samples if len(own)]))
    spans = [next(middles) if len(own) else [math.nan] * 3 for own in samples]
    few = [len(own) < logs.LEAST for own in samples]
    return cases.assign(us=[span[0] for span in spans], samples=samples, clock="wall" if y == "wall_us" and part.backend == "cpu" else "gpu",
                        **{name: [math.nan if lone else span[place] for lone, span in zip(few, spans)] for place, name in ((1, "low"), (2, "high"))})


def _places(cases, column):
    """The values of the x axis: numbers if all are, such as the depth that was reached for `full`; otherwise texts."""
    for axis in AXES.values():
        if axis.field == column and cases[axis.column].notna().any() and pandas.api.types.is_numeric_dtype(pandas.Series(list(cases[axis.column]))):
            return list(cases[axis.column])
    numbers = pandas.to_numeric(pandas.Series(_texts(cases[column])), errors="coerce")
    there = [text != "" for text in _texts(cases[column])]
    return numbers.tolist() if numbers[there].notna().all() else _texts(cases[column])


def _different(cases):
    """The columns of a case in which these differ; no value is a value, too."""
    return [name for name in ["strategy", "mechanism", *parts.case_names(), *parts.CHOSEN] if len(set(_texts(cases[name]))) > 1]


def _default_series(cases, choice):
    """The columns that vary, without x, the facets and what follows from the others."""
    names = [name for name in _different(cases) if name not in (choice.x, *choice.facets)]
    least = len(parts.places_by(cases, [*names, *choice.facets, "x"]))
    for name in [*FOLLOW, "mechanism", *reversed(names)]:
        fewer = [one for one in names if one != name]
        if name in names and name != "strategy" and len(parts.places_by(cases, [*fewer, *choice.facets, "x"])) == least:
            names = fewer
    return names


def _one_each(cases, choice, names):
    """One case at each point: the only one, or the fastest. Raises BadInput if there are several and `best` is not asked for."""
    keep = []
    for places in parts.places_by(cases, [*names, "x"]):
        own = cases.iloc[places]
        if len(own) > 1 and not choice.best:
            apart = [name for name in _different(own) if name not in names]
            one = own.iloc[0]
            at = ", ".join(f"{name} {text}" for name in (choice.x, *names) if (text := _texts([one[name]])[0]))
            more = f" and {len(apart) - MOST_NAMED} more" if len(apart) > MOST_NAMED else ""
            raise BadInput(f"{len(own)} cases have {logs.printable(at)}, and differ in {', '.join(apart[:MOST_NAMED])}{more}; allowed: --where {apart[0]}=VALUE, "
                           f"--series {','.join([*(choice.series or ()), apart[0]])}, --facet {apart[0]}, or --best: the fastest of them")
        times = own["time"].where(own["us"].notna())
        keep.append(places[int(numpy.nanargmin(times)) if times.notna().any() else 0])
    return cases.iloc[sorted(keep)]


# --- the figure ---


def _title_of(column):
    """(title, unit) of an axis."""
    if column in MEASURES:
        return MEASURES[column].title, MEASURES[column].unit
    for axis in AXES.values():
        if axis.field == column and axis.column == column and column != "elements":
            return axis.title, ""
    return WORDS.get(column) or _plain_title(column).split(",")[0], _unit_of(column)[1]


def _unit_of(column):
    return next(((end, unit) for end, unit in UNITS.items() if column.endswith(end)), ("", ""))


def _plain_title(column):
    ending, unit = _unit_of(column)
    return ", ".join(filter(None, [column.removesuffix(ending).removesuffix("_asked").replace("_", " "), unit]))


def _words(column, value, case):
    """A value in words."""
    if pandas.isna(value) or value == "":
        return ""
    if column == "strategy":
        return style.marked(value)
    if column == "mechanism":
        return parts.mechanism_text(value)
    if column == "elements":
        return f"{style.power_text(value)} {tables.items_of(case['workload'])}"
    text = parts.name_of(column, value)
    return f"{_title_of(column)[0]} {text}" if re.fullmatch(r"[\d\u2009.]+|none|auto", text) else text


def _value(value):
    """A value below the name of its column."""
    if pandas.isna(value) or value == "":
        return "without"
    return (style.power_text if value > 1e5 else style.grouped)(value) if isinstance(value, (int, float)) else str(value)


def _label(case, names):
    return ", ".join(filter(None, (_words(name, case[name], case) for name in names)))


def _lines(cases, names):
    lines = []
    for group in parts.grouped_by(cases, names):
        case, group = group.iloc[0], group.sort_values("place", kind="stable")
        lines.append((tuple(parts.order_of(case[name]) if name != "strategy" else (0, *style.rank_of(case[name])) for name in names), parts.Line(
            _label(case, names), case["strategy"], case["mechanism"], case[names[0]] if len(names) == 1 else None, list(group["place"]), group)))
    return [line for _, line in sorted(lines, key=lambda line: line[0])]


def _sheet(part, cases, choice):
    """(figure, caption)."""
    cases = cases.assign(time=part.cases["us"][cases.index])
    series = list(choice.series) if choice.series is not None else _default_series(cases, choice)
    shown = _one_each(cases, choice, [*series, *choice.facets])
    (title, unit), scale = _title_of(choice.y), 1.0
    if unit == "µs":
        scale, unit = style.time_unit(shown["us"])
    steps = sorted(set(shown["x"]), key=parts.order_of)
    words = not isinstance(steps[0], (int, float))
    shown = measured(shown.assign(place=[steps.index(x) for x in shown["x"]] if words else shown["x"]), scale)
    panels = [(_label(group.iloc[0], choice.facets) or "others" * bool(choice.facets), _lines(group, series))
              for group in parts.sorted_groups(shown, choice.facets)]
    lines = [line for _, own in panels for line in own]
    labels = {line.label for line in lines}
    for count, most, what in ((len(panels), MOST_PANELS, "panels: --facet"), (len(labels), MOST_LINES, "lines: --series")):
        if count > most:
            raise BadInput(f"{count} {what} {','.join(choice.facets if 'facet' in what else series)}; allowed: at most {most}; --where and --of choose cases")
    parts.dress(lines, "strategy" not in series and "mechanism" not in series and len(labels) > 1)
    columns = max(1, min(len(panels), int((choice.width - 0.2) / PANEL)))
    left = 0.74 if max(parts.extents(shown, scale).abs()) >= 1e4 else 0.6
    pitch = (choice.width - style.MARGIN) / columns
    x_title = ", ".join(filter(None, _title_of(choice.x)))
    if choice.x == "elements" and shown["workload"].nunique() == 1:
        x_title = tables.items_of(shown["workload"].iloc[0])
    elif style.text_width(x_title, 8.5) > pitch - 0.4:
        x_title = _plain_title(choice.x)
    room = max(style.text_width(label, 8) for label in labels) + 0.32
    at_ends = len(labels) > 1 and columns == 1 and choice.width >= 6 and room < choice.width * 0.35
    width = pitch - left - (room if at_ends else 0.12)
    if not words:
        axis = _x_axis(steps, choice.x in logs.case_columns())
    else:
        axis = {"x": [parts.mechanism_text(step) or step if choice.x == "mechanism" else style.marked(step) if choice.x == "strategy" else step
                      for step in steps]}
        for line in lines:
            line.dash = "none"  # nothing is between two words
    linear = choice.y in MEASURES and MEASURES[choice.y].linear
    rows = max(len(panels_of.refused(own)) for _, own in panels)
    made = [Panel(name, own, x_title, ", ".join(filter(None, [title, unit])), y="linear" if linear else "fit", xs=[] if words else steps,
                  ys=parts.extents(shown, scale), ends=at_ends, crosses=rows, **axis) for name, own in panels]
    headed = len(series) == 1 and series[0] not in ("strategy", "mechanism")
    key = {line.label: (_value(line.value) if headed else line.label, line.colour, line.mark) for line in lines}
    key = [] if at_ends or len(labels) < 2 else [*([(f"{_title_of(series[0])[0]}:", style.INK, None)] if headed else []), *key.values()]
    common = [_words(name, shown[name].iloc[0], shown.iloc[0]) for name in ("strategy", "mechanism")
              if name not in (*series, *choice.facets, choice.x) and shown[name].nunique() == 1]
    timed = choice.y in ("time", "each", "gpu_us", "wall_us")
    notes = ["A point is the fastest of its cases."] if choice.best and len(shown) < len(cases) else []
    if not timed:
        notes.append("Share of the rows that are ok or wrong, and its 95 % Wilson interval." if choice.y == "wrong" else
                     "Median and its 95 % interval." if shown["low"].notna().any() else "Median.")
    caption = [*notes, *parts.caption_of(part, shown, timed, "cases that were not chosen")]
    return panels_of.draw(f"{title[0].upper()}{title[1:]} against {x_title}", made, caption, key=key, columns=columns, left=left,
                          subtitle=", ".join(filter(None, [*common, parts.common_text(shown)])), height=min(3.2, max(1.5, 0.62 * width)),
                          width=choice.width, bare=choice.bare, below=0.42 + (style.slant(axis["x"], width) if words else 0)), " ".join(caption)


def _x_axis(steps, swept):
    """How a Panel has an axis of numbers. `swept`: each of them was asked for, and has a tick if there is room."""
    ratios = [after / before for before, after in zip(steps, steps[1:]) if before]
    even = len(ratios) > 1 and max(ratios) < 1.01 * min(ratios)
    if swept and (style.wants_log(steps) or even and min(steps) > 0 or min(steps) == 0 and max(steps) > 30 and len(steps) > 2):
        return {"x": "swept", "xtext": style.power_text if max(steps) > 1e5 else style.grouped}
    return {"x": "log" if style.wants_log(steps) else "steps" if swept else None}
