"""The figures of the launch roofline, from the table of experiments/predicted.sh and the model of its folder: time per launch against
launches at once, by mechanism; and measured against predicted times, by log."""
import json
import math

import matplotlib.patheffects
import numpy
import pandas

import figure_parts as parts
import figure_style as style
import log_files
import logs
from figure_style import Sheet

ROOFLINE, PREDICTED = "roofline", "predicted"
MODEL = "model.json"
NUMBERS = ["launches", "predicted_us", "latency_us", "measured_us", "measured_low_us", "measured_high_us"]
NEEDED = ["log", "strategy", "mechanism", "elements", "nx", "bound", *NUMBERS]
MAY_BE_EMPTY = ("measured_us", "measured_low_us", "measured_high_us")
MAY_BE_ZERO = ("launches", "latency_us")  # data-dependent launches that a threshold leaves nothing of
MOST_DRAWN = 50  # points of a panel as shapes; more are an image, so that the file stays small
NEAR = 0.25
MOST_NAMED = 3  # of a panel
NAME_SIZE = 6.8
NAME_STEP = 0.13
TAG_PLACES = [(-5, 5), (-9, -3), (2, 9), (-9, 8)]  # of a number beside its point, in points; mirrored below the diagonal
MOST_TICKS = 5  # of an axis
WIDE = 1.15  # intervals from this ratio of their ends on are drawn; others are smaller than their mark
MOST_AT_ONCE = 1e4  # the curves are drawn as far at least
PALE = "#B4B4B4"


# --- the table and the model ----------------------------------------------------------------------------------------------------


def is_predictions(path):
    """Whether a file is a table of experiments/predicted.sh, by its header."""
    return set(NEEDED) <= set(logs.header_of(path))


def read_model(folder):
    """The model of a folder: {gpu, driver, cuda, parameters: {name: value}, logs: {name: SHA-256}}. Raises logs.LogError."""
    path = folder / MODEL
    try:
        with open(path, encoding="utf-8", opener=logs.regular) as file:
            read = json.load(file)
        found = {name: logs.cut(logs.seen(read[name])) for name in ("gpu", "driver", "cuda")}
        found["parameters"] = {name: float(one["value"]) for name, one in read["parameters"].items()}
        found["logs"] = {one["name"]: one["sha256"] for one in read["logs"]}
    except OSError as error:
        raise logs.LogError(f"{path}: {error.strerror}; the table of predictions needs the model that it was made with") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise logs.LogError(f"{path}: it is not a model of `nestbed calibrate`: {type(error).__name__}: {error}") from error
    for name, value in found["parameters"].items():
        if not (math.isfinite(value) and value > 0):
            raise logs.LogError(f"{path}: parameter {logs.seen(name)} is {value}; allowed: a number above 0")
    burst = next((name for name in found["parameters"] if name.startswith("burst.")), None)
    if burst and "burst_launches" not in found["parameters"]:
        raise logs.LogError(f"{path}: there is {logs.seen(burst)}, and no burst_launches; allowed: both, or neither")
    return found


def read_predictions(path, model):
    """The rows of a table of predictions that have a measured time. Adds
    `at_once`: the launches that are in flight during the time of one level, at least 1;
    `each`: measured microseconds per launch; `ratio`: measured over predicted;
    `fitted`: whether the model was fitted to the case. Raises logs.LogError."""
    header, lines, rows = logs.read_rows(path)
    frame = pandas.DataFrame(rows, columns=header, dtype=str)
    for name in NUMBERS:
        numbers = pandas.to_numeric(frame[name], errors="coerce")
        empty = (frame[name] == "") & (name in MAY_BE_EMPTY)
        idle = (numbers == 0) & (name in MAY_BE_ZERO) & (pandas.to_numeric(frame["launches"], errors="coerce") == 0)
        bad = frame.index[~empty & ~idle & ~((numbers > 0) & (numbers < math.inf))]
        if len(bad):
            allowed = "0 or more" if name == "launches" else "a number above 0"
            raise logs.LogError(f"{path}, line {lines[bad[0]]}: {name} is '{logs.seen(frame[name][bad[0]])}'; allowed: {allowed}")
        frame[name] = numbers
    for place, mechanism in enumerate(frame["mechanism"]):
        if f"level.{mechanism}" not in model["parameters"]:
            allowed = ", ".join(name.removeprefix("level.") for name in model["parameters"] if name.startswith("level."))
            raise logs.LogError(f"{path}, line {lines[place]}: mechanism is '{logs.seen(mechanism)}', which {MODEL} beside it has no level of; "
                                f"allowed: {allowed}")
    for name in ("log", "strategy"):
        frame[name] = [logs.cut(logs.seen(text)) for text in frame[name]]
    frame = frame[frame["measured_us"].notna()].reset_index(drop=True)
    level = frame["mechanism"].map(lambda mechanism: model["parameters"][f"level.{mechanism}"])
    fitted = frame["log"].map({name: _is_fitted(path.parent, name, model) for name in frame["log"].unique()})
    by_need = frame["threshold"] != "" if "threshold" in frame else False
    return frame.assign(at_once=(frame["launches"] * level / frame["latency_us"]).clip(lower=1), each=frame["measured_us"] / frame["launches"],
                        by_need=by_need,
                        ratio=frame["measured_us"] / frame["predicted_us"],
                        fitted=fitted.astype(bool) & (frame["elements"] == "") & (frame["nx"] == ""))


def _is_fitted(folder, name, model):
    """Whether the model was fitted to this log: it names the log, and the log is still the same if it is there. Of such a log only
    the empty grids are fitted to; those with data give no more than the memory bandwidth."""
    path = folder / f"{name}.csv"
    return path.name in model["logs"] and (not log_files.is_there(path) or log_files.sha256_of(path) == model["logs"][path.name])


def drawn(path):
    """[(file name, figure)] of a table of predictions; empty if no case has a measured time. Data-dependent launches are not in the roofline,
    because they have no closed form. Raises logs.LogError."""
    model = read_model(path.parent)
    cases = read_predictions(path, model)
    if not len(cases):
        return []
    closed = cases[~cases["by_need"] & (cases["launches"] > 0)]
    return ([(ROOFLINE, roofline(closed, model))] if len(closed) else []) + [(PREDICTED, predicted(cases, model))]


def _nearness(cases):
    """(median of |measured / predicted - 1|, how many cases are within NEAR)."""
    off = (cases["ratio"] - 1).abs()
    return off.median(), int((off <= NEAR).sum())


def _mechanisms(cases):
    return sorted(cases["mechanism"].unique(), key=lambda name: (style.mechanism_rank(name), name))


def _caption(cases, model, fitted):
    """The lines below a figure. `fitted`: how the cases are drawn that the model was fitted to."""
    names = [f"{name}.csv" for name in cases["log"].unique()]
    words = f"Medians of {parts.count_text(len(cases), 'case')} {'of data-dependent launches' if cases['by_need'].all() else 'that launch from the device'}, of {', '.join(names)}. "
    if cases["fitted"].any():
        of = " and ".join(f"{name}.csv" for name in cases["log"][cases["fitted"]].unique())
        words += f"The model was fitted to empty grids of {of}: {fitted}. "
    return [words + "Predictions by `nestbed predict`.", f"{model['gpu']}, driver {model['driver']}, CUDA {model['cuda']}"]


# --- time per launch against launches at once ------------------------------------------------------------------------------------


def level_us(model, mechanism, launches):
    """The model's time of a level with so many launches at once (src/predict/roofline.cpp)."""
    of = model["parameters"]
    burst = of.get(f"burst.{mechanism}", 0.0)
    more = launches - 1
    return (of[f"level.{mechanism}"] + (burst * (1 - numpy.exp(-more / of["burst_launches"])) if burst else 0.0)
            + of.get(f"rate.{mechanism}", 0.0) * more)


def _roofline_title(model, mechanisms):
    def extremes(name, of):
        values = {one: model["parameters"][f"{name}.{one}"] for one in of}
        ends = [min(values, key=values.get), max(values, key=values.get)]
        return " to ".join(f"{style.three(values[one])} µs ({parts.mechanism_text(one)})" for one in dict.fromkeys(ends))

    rates = [one for one in mechanisms if f"rate.{one}" in model["parameters"]]
    title = f"Launch roofline: a level takes {extremes('level', mechanisms)}"
    return title + (f"; each of many launches at once, {extremes('rate', rates)}" if rates else "")


def roofline(cases, model):
    """A panel for each mechanism: the latency roof, the rate roof, the model between them, and the measured cases."""
    mechanisms = _mechanisms(cases)
    shown = cases[~cases["fitted"]]
    strategies = sorted(shown["strategy"].unique(), key=style.rank_of)
    looks = {name: (style.look_of(name, 1)[0], style.MARKS[place % len(style.MARKS)]) for place, name in enumerate(strategies)}
    key = [(style.marked(name), *look) for name, look in looks.items()]
    key += [("empty grids, which the model was fitted to", PALE, "o")] if cases["fitted"].any() else []
    sheet = Sheet(_roofline_title(model, mechanisms), key)
    left, gap, height = 0.72, 0.4, 2.35
    width = (style.WIDTH - left - 2 * style.MARGIN - gap) / 2
    most = max(cases["at_once"].max(), MOST_AT_ONCE)
    least_us = min([cases["each"].min(), *(model["parameters"].get(f"rate.{one}", math.inf) for one in mechanisms)])
    for place, mechanism in enumerate(mechanisms):
        row, column = divmod(place, 2)
        axes = sheet.add(left + column * (width + gap), 0.25 + row * (height + 0.62), width, height, parts.mechanism_text(mechanism))
        style.log_axis(axes, "x", 1, most, pad=1.25)
        style.log_axis(axes, "y", least_us / 2, cases["each"].max(), pad=1.4)
        _draw_roofs(axes, model, mechanism, most)
        _draw_cases(axes, cases[cases["mechanism"] == mechanism], looks)
        if not column:
            axes.set_ylabel("µs per launch")
        else:
            axes.tick_params(axis="y", labelleft=False)
        if place >= len(mechanisms) - 2:
            axes.set_xlabel("launches at once, n")
    sheet.notes.append("Dashed: the roofs, which are the time of one level divided by its launches, and the time that each of many launches takes. Black: the "
                       "model between them. Launches at once: those in flight during the time of one level, launches × level / latency. A point is "
                       "the whole GPU time of a case over its launches, so the start of the case, its memory traffic and blocks that wait put it above "
                       "the model. Hollow: bound by memory traffic.")
    return sheet.finish(_caption(cases, model, "grey"))


def _draw_roofs(axes, model, mechanism, most):
    colour = style.mechanism_look(mechanism)[1]
    level, rate = (model["parameters"].get(f"{name}.{mechanism}") for name in ("level", "rate"))
    at = numpy.geomspace(1, most * 1.2, 200)
    axes.plot(at, level_us(model, mechanism, at) / at, color=style.INK, linewidth=1.5, zorder=2)
    roof = {"color": colour, "linestyle": (0, (4, 2)), "linewidth": 1.5, "zorder": 3}
    axes.plot(at, level / at, **roof)
    axes.text(1.1, level / 14, f"{style.three(level)} µs / n", ha="left", va="center", color=colour)
    if rate:
        axes.axhline(rate, **roof)
        axes.text(most * 1.15, rate / 1.2, f"{style.three(rate)} µs", ha="right", va="top", color=colour)


def _draw_cases(axes, cases, looks):
    for (fitted, strategy), some in cases.groupby(["fitted", "strategy"], sort=False):
        colour, mark = (PALE, "o") if fitted else looks[strategy]
        for hollow, ones in some.groupby(some["bound"] == "work"):
            axes.plot(ones["at_once"], ones["each"], mark, color=colour, markerfacecolor="white" if hollow else colour, markersize=3 if fitted else 4.5,
                      markeredgewidth=0.9 if hollow else 0, alpha=0.75 if fitted else 0.9, zorder=1.5 if fitted else 4)


# --- measured against predicted times ---------------------------------------------------------------------------------------------


def _predicted_title(cases):
    if cases["by_need"].all():
        off, near = _nearness(cases)
        return (f"Half of {parts.count_text(len(cases), 'case')} whose launches depend on the input are predicted within {style.three(100 * off)} %, "
                f"and {near} ({style.three(100 * near / len(cases))} %) within {100 * NEAR:g} %")
    others = cases[~cases["fitted"]]
    of, which = (others, "not ") if len(others) else (cases, "")
    off, near = _nearness(of)
    return (f"Half of {parts.count_text(len(of), 'case')} that the model was {which}fitted to are predicted within {style.three(100 * off)} %, and "
            f"{near} ({style.three(100 * near / len(of))} %) within {100 * NEAR:g} %")


def predicted(cases, model):
    """A panel for each log, with the diagonal and a band around it. The strategies that are farthest from their predictions are named."""
    mechanisms = _mechanisms(cases)
    sheet = Sheet(_predicted_title(cases), [(*style.mechanism_look(name), style.mechanism_mark(name)) for name in mechanisms])
    panels = [(name, cases[cases["log"] == name]) for name in cases["log"].unique()]
    columns, left, gap = 3, 0.75, 0.55
    side = (style.WIDTH - left - 2 * style.MARGIN - (columns - 1) * gap) / columns
    head = 0.47 + NAME_STEP * max(len(farthest(some)) for _, some in panels)
    for place, (name, some) in enumerate(panels):
        row, column = divmod(place, columns)
        axes = sheet.add(left + column * (side + gap), head + row * (side + head + 0.42), side, side)
        count = parts.count_text(len(some), "case")
        off, near = _nearness(some)
        lines = [(f"{name}: {count}{', fitted' if some['fitted'].all() else ''}", {"fontsize": 9, "fontweight": "bold", "color": "#444444"}),
                 (f"median error {style.three(100 * off)} %; {100 * near / len(some):.0f} % within {100 * NEAR:g} %", {"fontsize": 7.5, "color": "#555555"})]
        for (text, look), up in zip(lines, (0.19, 0.04)):
            axes.text(0, 1 + (head - 0.4 + up) / side, text, transform=axes.transAxes, va="bottom", **look)
        _draw_panel(axes, some, side, head - 0.4)
        if not column:
            axes.set_ylabel("measured")
        if place >= len(panels) - columns:
            axes.set_xlabel("predicted")
    sheet.notes.append(f"Line: measured as predicted; band: ±{100 * NEAR:g} %. Numbered and named: up to {MOST_NAMED} strategies and "
                       f"mechanisms of each log whose farthest case is more than {100 * NEAR:g} % off, with measured / predicted of that case. Bars: 95 % "
                       f"intervals whose ends differ by more than {100 * (WIDE - 1):.0f} %.")
    if cases["by_need"].all():
        sheet.notes.append("Of each input the model gets two measured times. Its rules for data-dependent launches were chosen with these logs in view.")
    return sheet.finish(_caption(cases, model, "the panels marked so"))


def _draw_panel(axes, some, side, names):
    every = some[["predicted_us", "measured_us"]].to_numpy()
    low, high = every.min() / 1.6, every.max() * 2
    for which in "xy":
        _time_axis(axes, which, low, high)
    ends = numpy.array([low, high])
    axes.fill_between(ends, ends * (1 - NEAR), ends * (1 + NEAR), color="#E3E8EE", linewidth=0, zorder=0.5)
    axes.plot(ends, ends, color="#888888", linewidth=0.9, zorder=1)
    for mechanism, cases in some.groupby("mechanism", sort=False):
        colour = style.mechanism_look(mechanism)[1]
        axes.plot(cases["predicted_us"], cases["measured_us"], style.mechanism_mark(mechanism), color=colour, markersize=3.8, alpha=0.8,
                  markeredgewidth=0, zorder=4, rasterized=len(some) > MOST_DRAWN)
        wide = cases[cases["measured_high_us"] / cases["measured_low_us"] > WIDE]
        style.intervals(axes, wide["predicted_us"], wide["measured_low_us"], wide["measured_high_us"], color=colour, linewidth=1, alpha=0.5)
    _name_farthest(axes, farthest(some), side, names)


def _time_axis(axes, which, low, high):
    """A log axis with times as ticks: decades, or closer if there are fewer than two."""
    style.log_axis(axes, which, low, high, pad=1)
    decades = [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
    places = decades if len(decades) > 1 else [float(place) for place in getattr(axes, f"{which}axis").get_major_locator()()]
    places = places[::math.ceil(len(places) / MOST_TICKS)]
    texts = {float(f"{place:.9g}"): _tick_text(place) for place in places}
    style.ticks(getattr(axes, f"{which}axis"), places, texts)


def _tick_text(us):
    for scale, unit in ((1e6, "s"), (1e3, "ms")):
        if us >= scale:
            return f"{us / scale:g} {unit}"
    return f"{us:g} µs"


def farthest(cases):
    """The farthest case of each strategy and mechanism that has one farther than NEAR, the farthest first; at most MOST_NAMED."""
    off = numpy.log(cases["ratio"]).abs()
    worst = cases.loc[off.sort_values(ascending=False, kind="stable").index].drop_duplicates(["strategy", "mechanism"])
    return worst[(worst["ratio"] - 1).abs() > NEAR].head(MOST_NAMED)


def _name_farthest(axes, worst, side, height):
    """Numbers beside these points, and their names above the axes, in a space of so many inches."""
    points = (axes.transData + axes.transAxes.inverted()).transform(worst[["predicted_us", "measured_us"]].to_numpy()) * side * 72
    taken = []
    for place, (point, (_, case)) in enumerate(zip(points, worst.iterrows())):
        colour = style.mechanism_look(case["mechanism"])[1]
        words = f"{style.marked(case['strategy'])}, {parts.mechanism_text(case['mechanism'])}: {style.three(case['ratio'])}"
        axes.text(0, 1 + (height - NAME_STEP * (place + 0.5)) / side, f"{place + 1}  {words}", fontsize=NAME_SIZE, color=colour, va="center_baseline",
                  transform=axes.transAxes)
        away = 1 if case["ratio"] > 1 else -1
        beside = [(point[0] + x * away, point[1] + y * away) for x, y in TAG_PLACES]
        inside = [one for one in beside if all(5 < value < side * 72 - 5 for value in one)] or beside
        at = next((one for one in inside if all(math.dist(one, other) > NAME_SIZE for other in taken)), inside[0])
        taken.append(at)
        axes.text(at[0] / side / 72, at[1] / side / 72, f"{place + 1}", ha="center", va="center", fontsize=7.5, fontweight="bold", color=colour,
                  transform=axes.transAxes, zorder=6, path_effects=[matplotlib.patheffects.withStroke(linewidth=1.5, foreground="white")])
