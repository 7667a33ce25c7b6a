"""Figures of files that are no logs: the frontier of a graph, mutants of the race detector, whether launches pay, predictions with the launch
roofline, and the timeline of a trace."""
import json
import math

import numpy
import pandas
from matplotlib.collections import LineCollection, PolyCollection

import figure_parts as parts
import figure_panels as panels_of
import figure_style as style
import figures_irregular as irregular
import log_files
import logs
import tables
from figure_panels import Dot, Panel, Row
from figure_style import Sheet
from figures_rows import graph_text

FRONTIER, MUTANTS, DEVICE_VS_BEST, FLUSHED, ROOFLINE, PREDICTED = "frontier", "mutants", "device_vs_best", "device_vs_best-flushed", "roofline", "predicted"  # the figures
COLOURS = [style.BLUE, style.VERMILLION, style.PURPLE, style.ORANGE, style.GREEN, style.BLACK, style.SKY]
MOST_MARKS = 40  # of a line of a frontier
VERDICTS = {"yes": ("pays", style.BLUE), "unclear": ("unclear", style.ORANGE), "no": ("does not pay", "#888888")}
MODEL = "model.json"  # beside a table of predictions
MOST_DRAWN = 50  # points of a panel or row as shapes; more are an image, so that the file stays small
NEAR = 0.25
PALE, BAND = "#B4B4B4", "#E3E8EE"
MOST_ARROWS = 100  # of a trace
LANE, LEAST, MOST = 0.09, 1.2, 6.0  # inches: the height of a lane of a trace, and the smallest and largest height of its panel


def has(*names):
    """Whether a file is a table with these columns."""
    return lambda path: set(names) <= set(logs.header_of(path))


def read_table(path, allowed):
    """The rows of a CSV as a frame. `allowed`: {column: (numbers that are, whether it may be empty, words for them)}; such a column has numbers.
    Raises logs.LogError."""
    frame = logs.read_table(path)
    for name, (is_allowed, may_be_empty, words) in allowed.items():
        numbers = pandas.to_numeric(frame[name], errors="coerce")
        bad = frame.index[~((frame[name] == "") & may_be_empty | is_allowed(numbers) & (numbers.abs() < 2**53))]
        if len(bad):
            raise logs.LogError(f"{path}, line {bad[0]}: {name} is '{logs.printable(frame[name][bad[0]])}'; allowed: {words}")
        frame[name] = numbers
    return frame


def refuse(path, row, name, words):
    raise logs.LogError(f"{path}, line {row.name}: {name} is '{logs.printable(str(row[name]))}'{words}")


# --- the frontier of a graph ----------------------------------------------------------------------------------------------------

GRAPH = ["input", "elements", "edge_factor", "graph_file", "seed"]
is_frontiers = has(*GRAPH, "edges", "level", "vertices", "edges_of_level")


def frontiers(path):
    """[(name, figure)] of a CSV of `nestbed info graph`: the vertices of each level, a line for each graph. Raises logs.LogError."""
    rows = read_table(path, {name: (lambda numbers, least=least: numbers >= least, name in GRAPH, f"a number from {least}") for name, least in
                             (("elements", 1), ("edge_factor", 1), ("edges", 0), ("level", 0), ("vertices", 1), ("edges_of_level", 0))})
    for name in ("input", "graph_file", "seed"):
        rows[name] = [logs.shortened(logs.printable(text)) for text in rows[name]]
    rows = rows.assign(**{name: "" for name in tables.problem_columns() if name not in rows}).assign(workload=tables.workloads_with_figure("teps")[0], nx=float("nan"))
    lines = []
    for graph in parts.grouped_by(rows, GRAPH):
        graph, place = graph.sort_values("level", kind="stable"), len(lines)
        lines.append(parts.Line(graph_text(rows, graph.iloc[0]), "", "", None, list(graph["level"]), graph.assign(y=graph["vertices"]),
                                style.on_page(COLOURS[place % len(COLOURS)])["light"], style.MARKS[place % len(style.MARKS)]))
    if not lines:
        return []
    least, most = (choose(lines, key=lambda line: len(line.x)) for choose in (min, max))
    title = f"Frontier by level: {parts.count_text(len(least.x), 'level')} ({least.label})"
    title += f" to {style.grouped(len(most.x))} ({most.label})" if most is not least else ""

    def few_marks(axes):
        for drawn, line in zip(axes.get_lines(), lines):
            drawn.set_markevery(None if len(line.x) <= MOST_MARKS else [0, len(line.x) - 1])
        last = int(rows["level"].max())
        style.set_axis(axes, "x", "swept", [0, *(10**power for power in range(len(str(last)))), max(last, 1)], 7)

    panel = Panel("", lines, "level: edges from the source", "vertices of the level", ys=[1], ends=False, more=few_marks)
    notes = ["A breadth-first search from the source of bfs and sssp, computed on the host from the graph alone: no times. Both axes are "
             "logarithmic, the horizontal one from level 1 on."]
    figure = panels_of.draw(title, [panel], [f"{logs.shortened(logs.printable(path.name))}, by `nestbed info graph`."], height=3.6, left=0.85, notes=notes,
                           key=[(line.label, line.colour, line.mark) for line in lines])
    return [(FRONTIER, figure)]


# --- mutants of the race detector -----------------------------------------------------------------------------------------------

is_mutants = has("strategy", "orders", "wrong")


def mutants(path):
    """[(name, figure)]: in how many random orders of the executor each mutant of a strategy gave a wrong answer. The race detector finds every
    mutant of the file in one run (tests/races). Raises logs.LogError."""
    whole = (lambda numbers: (numbers >= 0) & (numbers % 1 == 0), False, "a whole number from 0")
    found = read_table(path, {"orders": whole, "wrong": whole})
    if not len(found):
        return []
    found = found.assign(share=found["wrong"] / found["orders"]).sort_values(["share", "strategy"])
    hidden, orders = int((found["wrong"] == 0).sum()), style.grouped(found["orders"].max())
    rows = []
    for row in found.itertuples():
        colour = style.on_page(style.GREEN if row.wrong else style.VERMILLION)["light"]
        rows.append(Row((row.strategy,), [Dot(100 * row.share, colour, size=7.5)], (f"{style.grouped(row.wrong)} of {style.grouped(row.orders)}",), colour))
    return [(MUTANTS, panels_of.draw_rows(
        f"{orders} random orders never show {hidden} of {len(found)} races; the detector finds all {len(found)} in one run", [(rows, {})],
        ["A mutant is a race-free strategy with one change: a barrier, a fence or a release taken out, a plain counter, a "
         "slice shifted by one, and so on. tests/races holds the list and checks each at its line."],
        key=[("shown by some order", style.GREEN, "s"), ("never shown", style.VERMILLION, "s")], xlabel="orders with a wrong answer, %", x="percent",
        top=0.1, size=9))]


# --- do launches pay? -----------------------------------------------------------------------------------------------------------


is_device_vs_best = has("workload", "l2", "device", "machines", "processes", "nested", "mechanism", "flat", "flat_kind", "pays", "speedup", "low", "high",
                        "host_speedup", "library_speedup", "input")  # a table of experiments/device_vs_best.sh


def device_vs_best(path):
    """[(name, figure)]: every work, with the speedup of the form that launches over the fastest of all rivals; one figure for each state of the cache.
    Raises logs.LogError."""
    any_number = (lambda numbers: numbers.notna() | True, True, "")
    frame = read_table(path, {"speedup": (lambda numbers: numbers > 0, False, "a number above 0"), **dict.fromkeys(
        ("low", "high", "host_speedup", "library_speedup"), any_number)})
    numbers = {name: pandas.to_numeric(frame[name]) if name in frame else math.nan for name in ("elements", "nx", "ny", "edge_factor")}
    texts = {name: "" for name in tables.problem_columns() if name not in frame and name not in numbers}
    frame = frame.assign(**numbers, **texts)
    for _, row in frame[~frame["pays"].isin(list(VERDICTS))].iterrows():
        refuse(path, row, "pays", f"; allowed: {', '.join(VERDICTS)}")
    return [(name, _device_vs_best_figure(path, frame[frame["l2"] == l2], l2)) for name, l2 in ((DEVICE_VS_BEST, "as_is"), (FLUSHED, "flushed")) if l2 in set(frame["l2"])]


def _device_vs_best_figure(path, own, l2):
    def label(work):
        return irregular.work_text(work, ["workload", *parts.varying(own[own["workload"] == work["workload"]], tables.problem_columns())])

    own = own.assign(top=own.groupby("workload")["speedup"].transform("max"))
    own = own.sort_values(["top", "workload", "speedup"], ascending=[False, True, False], kind="stable")
    best, rows, summary = own.loc[own["speedup"].idxmax()], [], []
    for workload, works in own.groupby("workload", sort=False):
        dots = [Dot(work["speedup"], style.on_page(VERDICTS[work["pays"]][1])["light"], size=4.5) for _, work in works.iterrows()]
        text = f"{style.three(works['speedup'].min())} to {style.three(works['speedup'].max())}, {parts.count_text(len(works), 'work')}"
        summary.append(Row((workload,), dots, (text,), linked=True))
    for _, work in own.iterrows():
        colour = style.on_page(VERDICTS[work["pays"]][1])["light"]
        text = (f"{style.three(work['speedup'])}  {work['nested'].split('_', 1)[-1]}, {parts.mechanism_text(work['mechanism'])}; "
                f"{work['flat'].split('_', 1)[-1]} ({work['flat_kind']})")
        host = [Dot(work["host_speedup"], "#999999", "|", size=7)] if work["host_speedup"] == work["host_speedup"] else []
        rows.append(Row((label(work),), [*host, Dot(work["speedup"], colour, "o", work["low"], work["high"], size=4.5)], (text,)))
    title = (f"Launches from the device pay on {(own['pays'] == 'yes').sum()} of {len(own)} works: at best {style.three(best['speedup'])} times as fast as "
             f"the fastest rival ({label(best)}), in the median {style.three(own['speedup'].median())} times")
    counts = []
    for what, ending in (("process", "es"), ("machine", "s")):
        numbers = sorted(set(own[f"{what}{ending}"].astype(int)))
        counts.append(f"{' or '.join(map(str, numbers))} {what}{'' if numbers == [1] else ending}")
    return panels_of.draw_rows(
        title, [(summary, {}), (rows, {"title": "Each work"})], [f"From {path.name}: {' on '.join(counts)}, {own['device'].iloc[0]}."],
        key=[(words, style.on_page(colour)["light"], "o") for words, colour in VERDICTS.values()],
        xlabel="speedup of the form that launches over its fastest rival, by the host's clock", x="log", xs=(0.9, 1.1), across=1, top=0.2, size=8,
        notes=["Each dot is a work, below with its 95 % interval; the grey tick is the speedup over the host's loop alone. At the right: the form that "
               f"launches, and its fastest rival. L2 cache {'flushed' if l2 == 'flushed' else 'as the run before left it'}. By results/method.md."])


# --- predictions ----------------------------------------------------------------------------------------------------------------

is_predictions = has("log", "strategy", "mechanism", "elements", "nx", "bound", "launches", "predicted_us", "latency_us", "measured_us", "measured_low_us",
                     "measured_high_us")


def read_model(folder):
    """The model of a folder: {gpu, driver, cuda, parameters: {name: value}, logs: {name: SHA-256}}. Raises logs.LogError."""
    path = folder / MODEL
    try:
        with open(path, encoding="utf-8", opener=logs.regular) as file:
            read = json.load(file)
        found = {name: logs.shortened(logs.printable(read[name])) for name in ("gpu", "driver", "cuda")}
        found["parameters"] = {name: float(one["value"]) for name, one in read["parameters"].items()}
        found["logs"] = {one["name"]: one["sha256"] for one in read["logs"]}
    except OSError as error:
        raise logs.LogError(f"{path}: {error.strerror}; the table of predictions needs the model that it was made with") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise logs.LogError(f"{path}: it is not a model of `nestbed calibrate`: {type(error).__name__}: {error}") from error
    for name, value in found["parameters"].items():
        if not (math.isfinite(value) and value > 0):
            raise logs.LogError(f"{path}: parameter {logs.printable(name)} is {value}; allowed: a number above 0")
    burst = next((name for name in found["parameters"] if name.startswith("burst.")), None)
    if burst and "burst_launches" not in found["parameters"]:
        raise logs.LogError(f"{path}: there is {logs.printable(burst)}, and no burst_launches; allowed: both, or neither")
    return found


def read_predictions(path, model):
    """The rows of a table of predictions that have a measured time. Adds
    `at_once`: the launches that are in flight during the time of one level, at least 1;
    `each`: measured microseconds per launch; `ratio`: measured over predicted;
    `fitted`: whether the model was fitted to the case. Raises logs.LogError."""
    above = "a number above 0"
    measured = dict.fromkeys(("measured_us", "measured_low_us", "measured_high_us"), (lambda numbers: numbers > 0, True, above))
    frame = read_table(path, {"launches": (lambda numbers: numbers >= 0, False, "0 or more"), "predicted_us": (lambda numbers: numbers > 0, False, above),
                              "latency_us": (lambda numbers: numbers >= 0, False, above), **measured})
    for _, row in frame[(frame["latency_us"] == 0) & (frame["launches"] > 0)].iterrows():  # a threshold that leaves nothing to launch has no latency
        refuse(path, row, "latency_us", f"; allowed: {above}")
    level = frame["mechanism"].map({name.removeprefix("level."): us for name, us in model["parameters"].items() if name.startswith("level.")})
    for _, row in frame[level.isna()].iterrows():
        allowed = ", ".join(name.removeprefix("level.") for name in model["parameters"] if name.startswith("level."))
        refuse(path, row, "mechanism", f", which {MODEL} beside it has no level of; allowed: {allowed}")
    for name in ("log", "strategy"):
        frame[name] = [logs.shortened(logs.printable(text)) for text in frame[name]]
    fitted = frame["log"].map({name: _is_fitted(path.parent, name, model) for name in frame["log"].unique()})
    return frame.assign(at_once=(frame["launches"] * level / frame["latency_us"]).clip(lower=1), each=frame["measured_us"] / frame["launches"],
                        by_need=frame["threshold"] != "" if "threshold" in frame else False, ratio=frame["measured_us"] / frame["predicted_us"],
                        fitted=fitted.astype(bool) & (frame["elements"] == "") & (frame["nx"] == ""))[frame["measured_us"].notna()].reset_index(drop=True)


def _is_fitted(folder, name, model):
    """Whether the model was fitted to this log: it names the log, and the log is still the same if it is there. Of such a log only
    the empty grids are fitted to; those with data give no more than the memory bandwidth."""
    path = folder / f"{name}.csv"
    return path.name in model["logs"] and (not log_files.is_there(path) or log_files.sha256_of(path) == model["logs"][path.name])


def predictions(path):
    """[(name, figure)] of a table of experiments/predicted.sh and the model of its folder. Data-dependent launches are not in the roofline, because
    they have no closed form. Raises logs.LogError."""
    model = read_model(path.parent)
    cases = read_predictions(path, model)
    closed = cases[~cases["by_need"].astype(bool) & (cases["launches"] > 0)]
    return ([(ROOFLINE, _roofline(closed, model))] if len(closed) else []) + ([(PREDICTED, _predicted(cases, model))] if len(cases) else [])


def _nearness(cases):
    """`within X %, and N (Y %) within 25 %` of half of the cases."""
    off = (cases["ratio"] - 1).abs()
    near = int((off <= NEAR).sum())
    return style.three(100 * off.median()), near, 100 * near / len(cases)


def _mechanisms(cases):
    return sorted(cases["mechanism"].unique(), key=lambda name: (style.mechanism_rank(name), name))


def _caption(cases, model, fitted):
    """The lines below a figure. `fitted`: how the cases are drawn that the model was fitted to."""
    kind = "of data-dependent launches" if cases["by_need"].all() else "that launch from the device"
    words = f"Medians of {parts.count_text(len(cases), 'case')} {kind}, of {', '.join(f'{name}.csv' for name in cases['log'].unique())}. "
    if cases["fitted"].any():
        of = " and ".join(f"{name}.csv" for name in cases["log"][cases["fitted"]].unique())
        words += f"The model was fitted to empty grids of {of}: {fitted}. "
    return [words + "Predictions by `nestbed predict`.", f"{model['gpu']}, driver {model['driver']}, CUDA {model['cuda']}"]


def level_us(model, mechanism, launches):
    """The model's time of a level with so many launches at once (src/predict/roofline.cpp)."""
    of, more = model["parameters"], launches - 1
    burst = of.get(f"burst.{mechanism}", 0.0)
    return (of[f"level.{mechanism}"] + (burst * (1 - numpy.exp(-more / of["burst_launches"])) if burst else 0.0)
            + of.get(f"rate.{mechanism}", 0.0) * more)


def _roofline(cases, model):
    """A panel for each mechanism: the latency roof, the rate roof, the model between them, and the measured cases."""
    def extremes(name):
        values = {one: of[f"{name}.{one}"] for one in mechanisms if f"{name}.{one}" in of}
        ends = [min(values, key=values.get), max(values, key=values.get)] if values else []
        return " to ".join(f"{style.three(values[one])} µs ({parts.mechanism_text(one)})" for one in dict.fromkeys(ends))

    of, mechanisms = model["parameters"], _mechanisms(cases)
    strategies = sorted(cases["strategy"][~cases["fitted"]].unique(), key=style.rank_of)
    looks = {name: (style.look_of(name, 1)[0], style.MARKS[place % len(style.MARKS)]) for place, name in enumerate(strategies)}
    most = max(cases["at_once"].max(), 1e4)  # the curves are drawn as far at least
    at = numpy.geomspace(1, most * 1.2, 200)
    least_us = min([cases["each"].min(), *(us for name, us in of.items() if name.startswith("rate.") and name[5:] in mechanisms)])
    every = []
    for mechanism in mechanisms:  # as far as it was measured
        n = numpy.geomspace(1, max(2, cases["at_once"][cases["mechanism"] == mechanism].max()), 60)
        colour, mark = style.mechanism_look(mechanism)[1], style.mechanism_mark(mechanism)
        every.append(parts.Line(parts.mechanism_text(mechanism), "", mechanism, None, list(n), pandas.DataFrame({"y": level_us(model, mechanism, n) / n}), colour, "None"))
    panels = [Panel("A launch by each mechanism, by the model", every, "launches at once, n", "µs per launch", x="log"), None]
    for mechanism in mechanisms:
        colour, level, rate = style.mechanism_look(mechanism)[1], of[f"level.{mechanism}"], of.get(f"rate.{mechanism}")
        lines = [parts.Line("", "", "", None, list(at), pandas.DataFrame({"y": level_us(model, mechanism, at) / at}), style.INK, "None")]
        roofs = [level / at, *([numpy.full(len(at), rate)] if rate else [])]
        lines += [parts.Line("", "", "", None, list(at), pandas.DataFrame({"y": roof}), colour, "None", (0, (4, 2))) for roof in roofs]
        own = cases[cases["mechanism"] == mechanism]
        for (fitted, strategy, bound), some in own.groupby(["fitted", "strategy", own["bound"] == "work"], sort=False):
            colour_of, mark = (PALE, "o") if fitted else looks[strategy]
            lines.append(parts.Line("", "", "", None, list(some["at_once"]), some.assign(y=some["each"]), colour_of, mark, "none", hollow=bound))
        texts = [(1.1, level / 14, f"{style.three(level)} µs / n", "left")] + ([(most * 1.15, rate / 1.4, f"{style.three(rate)} µs", "right")] if rate else [])
        panels.append(Panel(parts.mechanism_text(mechanism), lines, "launches at once, n", "µs per launch", x="log", ends=False,
                            more=lambda axes, texts=texts, colour=colour: [axes.text(*text, ha=side, va="center", color=colour) for *text, side in texts]
                            and (axes.set_xlim(0.8, most * 1.25), axes.set_ylim(least_us / 2.8, cases["each"].max() * 1.4),
                                 [line.set_clip_on(True) for line in axes.get_lines() if line.get_marker() == "None"])))
    key = [(style.marked(name), *look) for name, look in looks.items()]
    key += [("empty grids, which the model was fitted to", PALE, "o")] if cases["fitted"].any() else []
    rates = f"; each of many launches at once, {extremes('rate')}" if extremes("rate") else ""
    notes = ["Dashed: the roofs, which are the time of one level divided by its launches, and the time that each of many launches takes. Black: the "
             "model between them. Launches at once: those in flight during the time of one level, launches × level / latency. A point is "
             "the whole GPU time of a case over its launches, so the start of the case, its memory traffic and blocks that wait put it above "
             "the model. Hollow: bound by memory traffic."]
    return panels_of.draw(f"Launch roofline: a level takes {extremes('level')}{rates}", panels, _caption(cases, model, "grey"), key=key, columns=2,
                          height=2.35, shared=True, notes=notes)


def _predicted(cases, model):
    """Measured over predicted time: of all cases against the predicted one, and below a row for each log, or for each strategy of a single log, with its
    farthest case at the right."""
    by_need = cases["by_need"].all()
    others = cases if by_need or cases["fitted"].all() else cases[~cases["fitted"]]
    which = "whose launches depend on the input" if by_need else f"that the model was {'' if others is cases else 'not '}fitted to"
    off, near, share = _nearness(others)
    sheet = Sheet(f"Half of {parts.count_text(len(others), 'case')} of {parts.count_text(others['log'].nunique(), 'log')} {which} are predicted within {off} %, "
                  f"and {near} ({style.three(share)} %) within {100 * NEAR:g} %",
                  [(*style.mechanism_look(name), style.mechanism_mark(name)) for name in _mechanisms(cases)])
    width, height = style.WIDTH - 0.75 - 2 * style.MARGIN, 1.9
    axes = sheet.add(0.75, 0.1, width, height)
    style.set_axis(axes, "x", "log", others["predicted_us"], width)
    style.set_axis(axes, "y", "log", [0.5, 2, *others["ratio"]], height)
    axes.axhspan(1 - NEAR, 1 + NEAR, color=BAND, linewidth=0, zorder=0.5)
    axes.axhline(1, color="#888888", linewidth=0.9, zorder=1)
    axes.set_xlabel("predicted, µs")
    axes.set_ylabel("measured / predicted")
    _dots(axes, others, others["predicted_us"], others["ratio"], 3.4)
    of = "log" if cases["log"].nunique() > 1 else "strategy"
    groups = {name: cases[cases[of] == name] for name in cases[of].unique()}
    rows = []
    for name, some in groups.items():
        off, _, share = _nearness(some)
        rows.append(Row((name,), [], (f"{style.grouped(len(some))}{', fitted' if some['fitted'].all() else ''}", f"{off} %", f"{share:.0f} %", _farthest(some))))

    def of_groups(axes):
        axes.axvspan(1 - NEAR, 1 + NEAR, color=BAND, linewidth=0, zorder=0.5)
        for place, some in enumerate(groups.values()):
            _dots(axes, some, some["ratio"], pandas.Series(place, some.index), 3.8)
    panels_of.add_rows(sheet, rows, height + 1.0, 0, style.WIDTH, "measured / predicted", x="log", xs=[0.5, 2, *cases["ratio"]], across=1, more=of_groups,
                       heads=(of, "cases", "median error", f"within {100 * NEAR:g} %", "the farthest case, measured / predicted"))
    notes = [f"Line: measured as predicted; band: ±{100 * NEAR:g} %."]
    if by_need:
        notes.append("Of each input the model gets two measured times. Its rules for data-dependent launches were chosen with these logs in view.")
    return sheet.finish([*notes, *_caption(cases, model, "the logs marked so")])


def _dots(axes, cases, xs, ys, size):
    for mechanism, own in cases.groupby("mechanism", sort=False):
        axes.plot(xs[own.index], ys[own.index], style.mechanism_mark(mechanism), color=style.mechanism_look(mechanism)[1], markersize=size, alpha=0.7,
                  markeredgewidth=0, zorder=4, rasterized=len(cases) > MOST_DRAWN)


def _farthest(cases):
    """The case whose ratio is the farthest from 1, in words; empty if all are near."""
    case = cases.loc[numpy.log(cases["ratio"]).abs().idxmax()]
    words = [style.marked(case["strategy"])] if cases["strategy"].nunique() > 1 else []
    return f"{', '.join([*words, parts.mechanism_text(case['mechanism'])])}: {style.three(case['ratio'])}" if abs(case["ratio"] - 1) > NEAR else ""


# --- the timeline of a trace ----------------------------------------------------------------------------------------------------


def trace(path):
    """[(name, figure)] of a trace of `nestbed trace`; empty if no grid ran. Raises logs.LogError."""
    try:
        with open(path, encoding="utf-8", opener=logs.regular) as file:
            read = json.load(file)
        return [(path.stem, timeline(read))] if any(event["ph"] == "X" for event in read["traceEvents"]) else []
    except OSError as error:
        raise logs.LogError(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise logs.LogError(f"{path}: it is not a trace of `nestbed trace`: {type(error).__name__}: {error}") from error


def timeline(read):
    """The figure of a trace in which at least one grid ran. Each grid that runs at the same time as others has its own lane. Waits are pale, and
    runs have the colour of their depth."""
    events = pandas.DataFrame(read["traceEvents"])
    slices = events[events["ph"] == "X"]
    about = read["otherData"]
    # Before it the first launch of a program mostly loads its code.
    begin = slices[slices["name"] != "wait"]["ts"].min() if "nestbed_trace" in about else 0
    end = (slices["ts"] + slices["dur"]).max() - begin
    scale, unit = style.time_unit([end])
    rows = {lane: row for row, lane in enumerate(sorted(set(zip(slices["pid"], slices["tid"]))))}
    events = events.assign(ts=(events["ts"] - begin) / scale, dur=events.get("dur") / scale, row=[rows.get(lane) for lane in zip(events["pid"], events["tid"])])
    arrows = [[(start.ts, start.row + 0.5), (found.ts, found.row + 0.5)] for start, found in zip(
        *(events[events["ph"] == phase].sort_values("id").itertuples() for phase in "sf"))] if "id" in events else []
    arrows = arrows if len(arrows) <= MOST_ARROWS else []
    sheet = Sheet(f"{_program_title(slices) if 'nestbed_trace' in about else _case_title(about['case'])}: {about['grids']} grids",
                  subtitle="Pale: from the launch call to the first instruction. Full colour: from the first instruction to the last." +
                  (" A thin line leads from a launch to what it started." if arrows or not (events["ph"] == "s").any() else ""))
    axes = sheet.add(0.35, 0.1, style.WIDTH - 0.35 - 0.85, min(MOST, max(LEAST, LANE * len(rows))))
    labels, depths = [], sorted(slices["pid"].unique())
    for depth, colour in zip(depths, style.scale_colours(len(depths))[::-1]):
        here = events[(events["ph"] == "X") & (events["pid"] == depth)]
        for waits, some in here.groupby(here["name"] == "wait"):
            boxes = [[(ts, row + 0.1), (ts + dur, row + 0.1), (ts + dur, row + 0.9), (ts, row + 0.9)] for ts, dur, row in some[["ts", "dur", "row"]].values]
            axes.add_collection(PolyCollection(boxes, facecolors=colour, alpha=0.25 if waits else 1.0, linewidths=0))
        labels.append((end / scale, (here["row"].min() + here["row"].max() + 1) / 2, f"depth {depth - 1}", colour))
    axes.add_collection(LineCollection(arrows, colors=style.INK, linewidths=0.4, alpha=0.35))
    axes.set_xlabel(f"time, {unit}")
    axes.set_ylabel("grids at a time")
    axes.set_yticks([])
    axes.set_xlim(0, end / scale)
    axes.set_ylim(len(rows), 0)
    sheet.end_labels(axes, labels)
    return sheet.finish(_trace_caption(about))


def _case_title(case):
    grid = "grid" in case
    size = " × ".join(style.grouped(int(case[name])) for name in (("grid", "block") if grid else ("nx", "ny")))
    form = ", ".join(filter(None, [style.marked(case["strategy"]), parts.mechanism_text(case["mechanism"])]))
    return f"{form}, {size} {'threads' if grid else 'numbers'}"


def _program_title(slices):
    kernels = sorted({one["kernel"] for one in slices["args"] if "kernel" in one})
    return style.marked(", ".join(kernels[:3] + ["…"] * (len(kernels) > 3)))


def _trace_caption(about):
    if "nestbed_trace" in about:
        return [f"{one['name']}: the kernels' clock moves in steps of {one['timer_step_ns']} ns." for one in about["devices"]]
    timed = f"The clock of the multiprocessors moves in steps of {about['timer_step_ns']} ns."
    timed += f" Tracing changes the time of a run by {100 * about['tracing']['overhead_share']:+.0f} %." if about.get("tracing") else ""
    racy = about["case"]["strategy"] in tables.names_with("strategies", "racy")
    machine = ", ".join([about["device"], *(f"{word} {about[name]}" for word, name in (("driver", "driver"), ("CUDA", "cuda_runtime")) if about.get(name))])
    made = f"; nestbed {about['git']}; {' '.join(about.get('command', []))}" if about.get("git") else ""
    return [timed, *([f"Racy ({about['case']['strategy']}): the answer depends on which thread comes first."] if racy else []), machine + made]


# --- all of them ----------------------------------------------------------------------------------------------------------------

# What a file is, from its header; its figures with their headings on the page; how they are drawn, and what a file without one lacks.
TABLES = [(is_mutants, {MUTANTS: "Races that random orders show"}, mutants, "a header and no rows"),
          (is_frontiers, {FRONTIER: "The frontier of a graph, level by level"}, frontiers, "a header and no rows"),
          (is_device_vs_best, {DEVICE_VS_BEST: "Does it pay to launch from the device?", FLUSHED: "Does it pay, with the L2 cache flushed?"}, device_vs_best, "a header and no rows"),
          (is_predictions, {ROOFLINE: "The launch roofline", PREDICTED: "Measured against predicted times"}, predictions, "no case with a measured time")]


def table_of(path):
    """The entry of a file in TABLES; None for any other file."""
    return next((table for table in TABLES if table[0](path)), None)


def file_of(path, figure):
    """The name of a table's figure as a file."""
    if figure in (DEVICE_VS_BEST, FLUSHED):
        return path.stem + figure.removeprefix(DEVICE_VS_BEST)
    return path.stem if figure == MUTANTS else figure if path.stem == PREDICTED else f"{path.stem}-{figure}"


def sources_of(path, headings):
    """The files that a table's figures are drawn from."""
    return [path, path.parent / MODEL] if PREDICTED in headings else [path]
