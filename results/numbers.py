#!/usr/bin/python3
"""The numbers of the documents, each computed from the logs of this folder.

    results/numbers.py --write             writes numbers.md, and the numbers and tables in the documents
    results/numbers.py --check             names the documents that are not what the logs give, and exits with 3
    results/numbers.py --against FOLDER    the same numbers from other logs, within their tolerances [--csv FILE]

Documents have [3829](numbers.md#synced.times); numbers.md#synced.times.h100 is the same number of the other model of GPU. A table stands
between <!-- table: NAME --> and <!-- end -->. Needs Debian's python3-pandas and python3-scipy.
"""
import sys
if __name__ == "__main__":
    del sys.path[0]  # this folder: the standard library, too, has a module `numbers`
import argparse
import collections
import contextlib
import dataclasses
import functools
import math
import operator
import pathlib
import re

import numpy
import pandas
import scipy.stats

HERE = pathlib.Path(__file__).resolve().parent
GPUS = ["h200", "h100"]
LEAST_ROWS = 6  # for an interval
LAUNCHING = ["null_stream", "named", "fire_and_forget", "tail", "graph_tail", "graph_next", "graph_fire_and_forget", "graph_sibling"]
# What two cases must share to be the same problem, with the same right answer. Everything else is how a form solves it.
PROBLEM = """workload type input values elements nx ny dwell levels edge_factor graph_file tree_levels root_children path_nodes queens time_steps cell_work tenant_count
    level_nodes node_work arrival_gap_us leaves leaf_points near_every iterations l2 gpu reference""".split()
USED = [*PROBLEM, *"""strategy mechanism grid block block_shape depth threshold coarsen aggregate overflow fanout grain cutoff budget bucket_width
    points_per_thread delay_us graphs submit_asked host_load nice pin pending_limit_asked pending_limit run_id key gpu_us wall_us wall_p99_us span_us span_p99_us
    span_p999_us host_us peak_share latency_us launches_attempted host_launches work empty_kernel_us status machine git""".split()]
UNITS = {"": (1, 0, ""), "µs": (1, 0, " µs"), "ms": (1e-3, 0, " ms"), "%": (100, 0, " %"), "% more": (100, -100, " %"), "million": (1e-6, 0, " million")}
STRONG = re.compile(r"\b(best|fastest|slowest|at least|at most|always|never)\b", re.IGNORECASE)  # needs a number that is computed so
LINK = re.compile(r"\[([^\[\]\n]*)\]\(([\w./-]*numbers\.md)#([\w.-]+)\)")
TABLE = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
# What no reader sees as prose, and what is written here.
HIDDEN = re.compile(r"```.*?```|<!-- (?:table: |by hand).*?<!-- end -->|<!--.*?-->|`[^`\n]*`", re.DOTALL)
NumberError = LookupError  # why a number cannot be computed
NUMBERS = {}  # by name
least, greatest, mean = (functools.partial(how, axis=0) for how in (numpy.min, numpy.max, scipy.stats.gmean))
quotient, difference = (functools.partial(functools.reduce, how) for how in (operator.truediv, operator.sub))
COMBINED = {least: "least", greatest: "greatest", mean: "geometric mean", quotient: "quotient", difference: "difference"}


@functools.cache
def log(folder, name):
    """A CSV as texts; its index is the line in the file. Raises NumberError."""
    path = next((path for path in (folder / f"{name}.csv", folder / f"{name}.csv.gz") if path.is_file()), None)
    if not path:
        raise NumberError(f"there is no {folder / name}.csv")
    is_log = "run_id" in pandas.read_csv(path, nrows=0).columns
    rows = pandas.read_csv(path, dtype=str, keep_default_na=False, usecols=(lambda column: column in USED) if is_log else None)
    rows.index += 2
    rows.attrs = {"path": path, "where": "", "strong": False}
    return rows


def logs_in(folder):
    """{name: its rows} of the logs of a folder."""
    names = [path.name.split(".csv")[0] for path in sorted(folder.glob("*.csv*")) if path.suffix != ".json"]
    return {name: log(folder, name) for name in names if "run_id" in log(folder, name)}


@functools.cache
def every_log(folder):
    """The rows of all logs of a folder with irregular inputs, by problem. A form launches, or is flat; one that could launch and does not is neither."""
    logs = {name: own[~own["input"].isin(["", "random"])] for name, own in logs_in(folder).items()}
    rows = pandas.concat([own.assign(log=name, key=name + own["key"]) for name, own in logs.items()]).reindex(columns=[*USED, "log"]).fillna("")
    can_launch, launches = rows["mechanism"].isin(LAUNCHING), ~rows["launches_attempted"].isin(["", "0"])
    return rows.assign(form=numpy.select([can_launch & launches, ~can_launch & ~launches], ["launches", "flat"], "")).groupby(PROBLEM, sort=False)


def chosen(rows, found, words, strong=False):
    if not len(found):
        raise NumberError(f"{rows.attrs['path']}: no row with {words}")
    found.attrs = {**rows.attrs, "where": ", ".join(filter(None, [rows.attrs["where"], words])), "strong": rows.attrs["strong"] or strong}
    return found


def at(rows, side=None, **cells):
    """The rows of a side, which is cells or a function of rows, with these cells: one, a list of them, or numbers from a tuple's first to its last."""
    rows, cells = (side(rows), cells) if callable(side) else (rows, {**(side or {}), **cells})
    found, words = numpy.ones(len(rows), dtype=bool), []
    for column, cell in cells.items():
        one_of = cell if isinstance(cell, (list, tuple)) else [cell]
        words.append(f"{column} {(' to ' if isinstance(cell, tuple) else ' or ').join(map(str, one_of))}")
        found &= (pandas.to_numeric(rows[column], errors="coerce").between(*cell) if isinstance(cell, tuple) else
                  rows[column].astype(str).isin(list(map(str, one_of)))).to_numpy()
    return chosen(rows, rows[found], ", ".join(words))


def of_rows(function):
    """What follows is used as functions of the rows of a log: f(...)(rows)."""
    return lambda *words, **more: lambda rows: function(rows, *words, **more)


@of_rows
def best(rows, side=None, column="gpu_us"):
    """A side: the rows of the case with the smallest median, of the cases that are ok."""
    rows = at(rows, side)
    times = pandas.to_numeric(rows[column], errors="coerce").groupby(rows["key"]).median()
    times = times.drop(rows["key"][rows["status"] != "ok"].unique()).dropna()
    if times.empty:
        raise NumberError(f"{rows.attrs['path']}: no case that is ok with {rows.attrs['where']}")
    found = rows[rows["key"] == times.idxmin()]
    named = [found.iloc[0].get(name, "") for name in ("strategy", "mechanism", "block", "aggregate")]
    return chosen(rows, found, f"the best of {len(times)} cases: {' '.join(filter(None, named))}", strong=True)


@of_rows
def searched(rows, problem, column="gpu_us", **cells):
    """A side: the best form with these cells for one problem, of all logs of the folder. So both sides of a comparison are searched alike."""
    rows, folder = at(rows, problem), rows.attrs["path"].parent
    problems = rows.reindex(columns=PROBLEM).fillna("").drop_duplicates()
    if len(problems) > 1:
        raise NumberError(f"{rows.attrs['path']}: {rows.attrs['where']}: {len(problems)} problems; allowed: one")
    every = every_log(folder).get_group(tuple(problems.iloc[0]))
    every.attrs = {**rows.attrs, "where": f"of all logs, {rows.attrs['where']}"}
    found = best(cells, column)(every)
    found.attrs["path"] = log(folder, found["log"].iloc[0]).attrs["path"]
    return found


@dataclasses.dataclass
class Value:
    value: float
    frames: list
    what: str
    text: str = ""  # of a count
    samples: list = dataclasses.field(default_factory=list)
    statistic: object = None  # the value, of other samples as many
    strong: bool = False

    def interval(self):
        """95 %, by the percentile bootstrap of the rows; None if a case has too few."""
        if not self.samples or min(map(len, self.samples)) < LEAST_ROWS:
            return None
        ends = scipy.stats.bootstrap(self.samples, self.statistic, n_resamples=2000, method="percentile", vectorized=True, random_state=1)
        return ends.confidence_interval.low, ends.confidence_interval.high


@of_rows
def ratio(rows, *sides, column="gpu_us", per=1):
    """The median of a column of the first side, over the smallest of the others; per a number, or that of another column."""
    frames = [at(rows, side) for side in sides]
    samples = [pandas.to_numeric(frame[column], errors="coerce").to_numpy(dtype=float) for frame in frames]
    for frame, one in zip(frames, samples):
        if numpy.isnan(one).any() or "status" in frame and (frame["status"] != "ok").any():
            raise NumberError(f"{frame.attrs['path']}: {column} is not a number in each row, or a row is not ok: {frame.attrs['where']}")
    divisor, where = float(frames[0][per].iloc[0]) if isinstance(per, str) else per, "; to ".join(frame.attrs["where"] for frame in frames)

    def statistic(*drawn, axis=-1):
        above, *below = [numpy.median(one, axis=axis) for one in drawn]
        return above / divisor / (numpy.min(below, axis=0) if below else 1)
    return Value(statistic(*samples), frames, f"median of {column}{'' if per == 1 else f' / {per}'}: {where}", samples=samples, statistic=statistic,
                 strong=any(frame.attrs["strong"] for frame in frames))


@of_rows
def over(rows, combine, makes, columns=None, side=None):
    """One value of several: of these numbers; with columns, in each part of the rows of a side that agrees in them."""
    rows = at(rows, side)
    parts = [at(rows, dict(zip(columns, cells))) for cells in dict.fromkeys(rows[columns].itertuples(index=False, name=None))] if columns else [rows]
    values = [make(part) for part in parts for make in makes]

    def statistic(*samples, axis=-1):
        samples = iter(samples)
        return combine([one.statistic(*(next(samples) for _ in one.samples), axis=axis) for one in values])
    value, texts = float(combine([one.value for one in values])), {one.value: one.text for one in values}
    return Value(value, sum((one.frames for one in values), []), f"{COMBINED[combine]} of {len(values)}, the first: {values[0].what}", texts.get(value, ""),
                 sum((one.samples for one in values), []), statistic, combine in (least, greatest, mean))


@of_rows
def count(rows, side=None, **cells):
    rows, words = at(rows, side), ", ".join(f"{column} {cell}" for column, cell in cells.items())
    found = 0
    with contextlib.suppress(NumberError):
        found = len(at(rows, cells))
    return Value(found / len(rows), [rows], f"rows with {words}: {rows.attrs['where'] or 'all rows'}", text=f"{found} of {len(rows)}", strong=True)


@of_rows
def same(rows, column, **cells):
    rows = at(rows, cells)
    texts = rows[column].unique()
    if len(texts) > 1:
        raise NumberError(f"{rows.attrs['path']}: {column} differs: {', '.join(texts[:3])}")
    return Value(float(texts[0]), [rows], f"{column} of each row: {rows.attrs['where']}", text=texts[0], strong=True)


# `tolerance`: of a second run, as a share; 0: the same text. `everywhere`: it must hold on every GPU; a ratio then lies on the same side of 1. `home`: the
# folder whose value the documents have. `line`: in this file.
class Number(collections.namedtuple("Number", "name log make unit tolerance everywhere digits home line")):
    def scaled(self, value):
        factor, offset, _ = UNITS[self.unit]
        return value * factor + offset

    def shown(self, value):
        return digits_text(self.scaled(value), self.digits)

    def text(self, value):
        return value.text or self.shown(value.value) + UNITS[self.unit][2]


def numbers(of, makes, unit="", tolerance=0.1, everywhere=False, digits=3, home="h200"):
    """Adds {name: function of the rows of the log `of`}."""
    line = sys._getframe(1).f_lineno
    NUMBERS.update({name: Number(name, of, make, unit, tolerance, everywhere, digits, home, line) for name, make in makes.items()})


def digits_text(value, digits=3):
    """Significant digits, never with an exponent: 0.0761, 20.7, 3651."""
    return f"{value:.{max(0, digits - 1 - int(f'{value:.{digits - 1}e}'.split('e')[1]))}f}"


@functools.cache
def measured(name, folder):
    """The Value of a number in a folder. Raises NumberError."""
    try:
        return NUMBERS[name].make(log(folder, NUMBERS[name].log))
    except (LookupError, ValueError, ZeroDivisionError) as error:
        raise NumberError(f"{name}: {folder}: {error!r}") from error


def text_of(name, folder):
    with contextlib.suppress(NumberError):
        return NUMBERS[name].text(measured(name, folder))
    return ""


def ladder(mechanism, column="gpu_us", grid=132):
    """What one more level costs, of chains of 120 and of 16 levels."""
    return over(difference, [ratio({"mechanism": mechanism, "grid": grid, "depth": depth}, column=column, per=104) for depth in (120, 16)])


@of_rows
def judged(rows, rivals):
    """A side: the works of device_vs_best.csv, with the speedup of the fastest form that launches over the fastest of these rivals, both in the judged runs."""
    works = at(rows, AS_IS)
    own, others = (works[columns].apply(pandas.to_numeric).min(axis=1) for columns in (OWN, rivals))
    return works.assign(**{"over_all" if rivals == RIVALS else "over_grid_library_launch": others / own})


@of_rows
def beside_in(rows, column, other, **cells):
    """A side: the cases of machines.csv that have both times, with their ratio and difference."""
    both = at(rows, {column: (0, math.inf), other: (0, math.inf), **cells})
    times = [pandas.to_numeric(both[one]) for one in (column, other)]
    return both.assign(ratio=times[0] / times[1], longer=times[0] - times[1])


launching, flat = functools.partial(searched, form="launches"), functools.partial(searched, form="flat")
exact, on_h100 = functools.partial(numbers, tolerance=0, everywhere=True), functools.partial(numbers, home="h100")
ENDS = {"least": least, "greatest": greatest}
SHAPES = {name: {"strategy": name, "mechanism": mechanism} for name, mechanism in {
    "synced": "null_stream", "nosync": "null_stream", "barrier": "fire_and_forget", "tail": "tail", "aggregated_block": "fire_and_forget",
    "reduce2": "null_stream", "reduce2_tail": "tail", "graph": "graph_tail", "nested_best": "fire_and_forget", "graph_host": "host_graph",
    "last_block": "none"}.items()}
WAITING = {name: [SHAPES[name], SHAPES["last_block"]] for name in ("synced", "barrier")}
numbers("ways", {f"{name.replace('_', '-')}.ms": ratio(form) for name, form in SHAPES.items()}, "ms", 0.3)
exact("ways", {f"{name.replace('_', '-')}.launches": same("launches_attempted", **form) for name, form in SHAPES.items()})
numbers("ways", {f"{name}.times": ratio(*sides) for name, sides in WAITING.items()}, tolerance=0.2, everywhere=True, digits=2)
numbers("ways", {f"{name}.wall": ratio(*sides, column="wall_us") for name, sides in WAITING.items()}, tolerance=0.2, digits=2)
numbers("waves", {"barrier.fastest": ratio(best({"strategy": "barrier", "pending_limit_asked": 2048}))}, "ms", 0.3)
numbers("ways", {"floor.ways": ratio({"status": "ok"}, column="empty_kernel_us")}, "µs", 0.3)
on_h100("quadrature", {"floor.quadrature": ratio({"status": "ok"}, column="empty_kernel_us")}, "µs", 0.3)
numbers("k40c", {f"k40c.{name}": same("ms", strategy=name) for name in ("synced", "nosync", "reduce2")}, tolerance=0, home=".")

# What a launch, a level and a race cost.
numbers("hazard", {f"{name}.{strategy}": over(combine, [count(status="wrong")], ["delay_us"], {"strategy": strategy, "mechanism": "null_stream", "delay_us": late})
                   for strategy in ("nosync", "reduce2") for name, combine, late in (("hidden", greatest, (0, 5)), ("shown", least, (10, 100)))})
RACE_FREE = ["barrier", "tail", "reduce2_tail", "synced", "aggregated_block", "aggregated_grid"]
exact("hazard", {"race-free.wrong": count({"strategy": RACE_FREE}, status="wrong")})
numbers("litmus", {"siblings.stale": count({"strategy": "litmus_siblings_forget", "delay_us": 0}, status="wrong")})
exact("refused", {"refused.runs": count({"pending_limit_asked": 2048}, status="launch_failed"), "refused.limit": same("pending_limit", pending_limit_asked=2048)})
numbers("pending", {f"raised.{name}": over(combine, [ratio(*({"pending_limit_asked": limit} for limit in (131072, "auto")))], ["strategy", "mechanism"],
                                           {"strategy": ["barrier", "nosync"], "grid": 2048, "block": 512}) for name, combine in ENDS.items()},
        tolerance=0.3, digits=2)
numbers("lanes", {"lanes.hung": count({"strategy": "lanes_at_once"}, status="timeout")}, tolerance=0.5, everywhere=True)
exact("lanes", {"lanes.turn": count({"strategy": "lanes_in_turn"}, status="timeout")})
EMPTY = {"strategy": "chain", "grid": 1, "block": 32}
LONGEST, LONG = {**EMPTY, "depth": 1024}, {**EMPTY, "depth": 256, "mechanism": "fire_and_forget"}
numbers("launch", {"level.least": over(least, [ratio({}, per="depth")], ["mechanism", "depth"], {**EMPTY, "mechanism": LAUNCHING[:4], "depth": (1, 1024)}),
                   **{f"level.{name}": ratio({**LONGEST, "mechanism": how, **more}, per="depth") for name, how, more in (
                       ("tail", "tail", {}), ("forget", "fire_and_forget", {}), ("sync", "grid_sync", {}), ("graph_one", "graph_tail", {"graphs": 1}))}}, "µs")
numbers("launch", {"level.graph": ratio({**LONGEST, "mechanism": "graph_tail", "graphs": 64}, per="depth")}, "µs", digits=2)
numbers("submit", {f"submission.{how}": ratio({**LONG, "mechanism": "host", "submit_asked": how}, per="depth") for how in ("held", "open")}, "µs", 0.3)
numbers("submit", {"submission.device": ratio(*({**LONG, "submit_asked": how} for how in ("open", "held")))}, "% more", 0.03, digits=1)
WALL = ["host", "host_pdl", "host_max_levels"]
numbers("ladder", {f"ladder.{how}.gpu": ladder(how) for how in ["host_graph", "host_graph_max_levels", "grid_sync", "graph_while", "graph_tail", "tail",
                                                                "fire_and_forget", "host_polled", *WALL]}
        | {f"ladder.{how}.wall": ladder(how, "wall_us") for how in WALL}
        | {f"ladder.past_{grid}": over(difference, [ladder(how, grid=grid) for how in ("host_graph_max_levels", "host_graph")]) for grid in (1, 132)}, "µs", 0.15)
numbers("ladder", {f"ladder.{how}": over(quotient, [ladder(f"graph_{how}"), ladder("graph_while")]) for how in ("switch", "if")}, tolerance=0.15)
MADE_BY = {"forget": "fire_and_forget", "null": "null_stream", "named": "named", "tail": "tail", "graph": "graph_tail", "host": "host", "host_graph": "host_graph"}
numbers("parameters", {f"roofline.{name}_level": ratio({"parameter": f"level.{MADE_BY[name]}"}, column="value") for name in MADE_BY if name != "named"}, "µs")
numbers("parameters", {f"roofline.{name}": ratio({"parameter": f"rate.{MADE_BY[name]}"}, column="value") for name in ("forget", "named", "null")}, "µs", digits=2)
numbers("parameters", {"roofline.reads": ratio({"parameter": "rate.fire_and_forget"}, column="reads_mb")}, digits=2)
DIVIDED = {"strategy": "recursive_transpose", "mechanism": "fire_and_forget"}
numbers("transpose", {"transpose.large": ratio(*({**DIVIDED, "nx": 16384, "depth": depth} for depth in (1, 0)))}, "% more", 0.05, digits=2)
numbers("transpose", {"transpose.small": ratio(*({**DIVIDED, "nx": 2048, "depth": depth} for depth in (3, 0)))}, tolerance=0.25, everywhere=True, digits=2)
BEST = {form: {"strategy": form, "elements": 2**32} for form in ("nested_best", "last_block", "cub")}
numbers("best", {f"{form.replace('_', '-')}-cub.large": ratio(BEST[form], BEST["cub"]) for form in ("nested_best", "last_block")}, tolerance=0.02)
for name, power, unit, digits in (("one-launch.20", 20, "", 3), ("one-launch.26", 26, "% more", 3), ("one-launch.28", 28, "% more", 2),
                                  ("one-launch.30", 30, "% more", 1), ("nested-best-cub.flat", 32, "% more", 2)):
    numbers("best", {name: ratio(*({**BEST[form], "elements": 2**power} for form in ("nested_best", "last_block")))}, unit, 0.05, digits=digits)
numbers("library", {f"last-block-cub.{name}": over(combine, [ratio(*({"strategy": form} for form in ("last_block", "cub", "cub_narrow")))], ["elements"],
                                                   {"type": kind, "elements": sizes}) for name, kind, combine, sizes in (
    ("ints", "int32", mean, (2**14, 2**26)), ("floats", "float32", mean, (2**14, 2**26)), ("slowest", "int32", greatest, (0, math.inf)))})
numbers("library", {"last-block-cub.share": ratio({"strategy": "last_block", "type": "int32", "elements": 2**32}, column="peak_share")}, "%", 0.03, digits=2)
for name, of in (("nvbench.within", "nvbench"), ("counted.equal", "reconcile"), ("counted.irregular", "reconcile_irregular"), ("counted.another", "reconcile_h100")):
    exact(of, {name: count(verdict=["within", "equal"])}, home="h100" if name == "counted.another" else "h200")
on_h100("counting", {"counted.cost": over(greatest, [over(quotient, [ratio({}, column=one) for one in ("counted_us", "plain_us")])], ["arguments"],
                                          {"quantity": "cost"})}, "% more", 0.01)

# Work whose launches the data decide. What names a problem is here and in WORKS.
LINES, PATH, MESH = {"elements": 25600, "input": "curves"}, {"input": "path"}, {"input": "grid2d", "elements": 2**20}
UNIFORM, HARD = {"workload": "bfs", "input": "uniform"}, {"input": "front", "time_steps": 8, "cell_work": 16384}
FAR, FEW, NEAR = ({"workload": "icp", "input": "waves", "block": 1024, "near_every": near, "elements": elements}
                  for near, elements in ((65535, 2**26), (64, 2**24), (1, 2**24)))
TOGETHER, ARRIVING = {"input": "together", "tenant_count": 64}, {"input": "poisson", "tenant_count": 256, "level_nodes": 1024}
STUDY = {"strategy": "bezier_children", "mechanism": "fire_and_forget", **LINES}
PLAIN, LAUNCHED = {**STUDY, "threshold": 0, "aggregate": "none"}, {**STUDY, "launches_attempted": (1, math.inf)}
numbers("bezier", {"need-lines.plain": ratio({**PLAIN, "block": 64, "overflow": "waves"})}, "ms", 0.2)
numbers("bezier", {"need-lines.best": ratio(launching(LINES)), "need-lines.flat": ratio(flat(LINES))}, "µs")
numbers("bfs", {"need-bfs.same": ratio(searched(MESH, strategy="bfs_tail"), flat(MESH))})
on_h100("cluster", {"need-bfs.level": ratio(best({**MESH, "strategy": "bfs_cluster"}), per=2047)}, "µs")
numbers("bfs", {"need-path.path": ratio(*({**PATH, "strategy": form} for form in ("bfs_frontier", "bfs_graph")))}, tolerance=0.3, everywhere=True)
exact("bfs", {"need-path.launches": same("launches_attempted", **PATH, strategy="bfs_graph")})
numbers("cgo22", {f"cgo22.{name}": ratio({**PLAIN, "coarsen": 1}, best(side)) for name, side in (("plain", STUDY), ("launching", LAUNCHED))}, tolerance=0.2,
        everywhere=True)
numbers("cgo22", {f"cgo22.{name}": ratio(flat(STUDY), best(side)) for name, side in (("flat", STUDY), ("launching_flat", LAUNCHED))}, everywhere=True, digits=2)
numbers("levels", {f"bound.{how}": ratio(best({**UNIFORM, "mechanism": how})) for how in (
    "host_max_levels", "host_graph_max_levels", "host_graph_pdl_max_levels", "grid_sync")}, "µs")
LEVELS = {"bfs": {**UNIFORM, "strategy": "bfs_direction"}, **{f"sort_{power}": {"strategy": "sort_levels", "elements": 2**power} for power in (14, 20)}}
exact("levels", {f"levels-{name}.{end}": same("host_launches", **case, mechanism=how) for name, case in LEVELS.items()
                 for end, how in (("run", "host"), ("bound", "host_max_levels"))})
for workload in ("triangles", "mst", "refine", "resources", "tenants"):
    exact(workload, {f"{workload}.right": count(status="ok")}, home="h100")
numbers("refine", {"refine.hard": ratio(launching(HARD, "wall_us"), flat(HARD, "wall_us"), column="wall_us")})
numbers("refine", {"refine.operations": ratio(launching(HARD, "wall_us"), column="work", per="launches_attempted")}, "million")
CHANGE, ONE_GRID = {"strategy": "icp_launches", "mechanism": "tail"}, {"strategy": "icp_cooperative", "points_per_thread": 4}
DIRECT, SHARED = ({"strategy": form, "mechanism": "host_graph_max_levels"} for form in ("icp_direct", "icp_levels"))
on_h100("resources", {f"resources.{name}": ratio(*({**case, **form} for form in forms)) for name, case, *forms in (
    ("few", FAR, CHANGE, {**ONE_GRID, "block": 256, "points_per_thread": 1}), ("many", FAR, CHANGE, ONE_GRID), ("little", {**FAR, "elements": 2**20}, CHANGE, ONE_GRID),
    ("near", NEAR, CHANGE, ONE_GRID), ("direct", FEW, DIRECT, SHARED), ("all", NEAR, DIRECT, SHARED))}, everywhere=True)
for name, nodes, tolerance in (("narrow", 16, 0.2), ("middle", 4096, 0.3), ("wide", 16384, 0.15), ("widest", 65535, 0.1)):
    sides = {**TOGETHER, "level_nodes": nodes, "strategy": "tenants_queue"}, best({**TOGETHER, "level_nodes": nodes, "mechanism": LAUNCHING}, "wall_us")
    on_h100("tenants", {f"tenants.{name}": ratio(*sides, column="wall_us")}, tolerance=tolerance, everywhere=True)
POLLING = ({**TOGETHER, "level_nodes": 4096, "strategy": form} for form in ("tenants_streams", "tenants_queue"))
on_h100("tenants", {"tenants.host": ratio(*POLLING, column="wall_us")}, tolerance=1, everywhere=True)
TENANTS = {"queue": {"strategy": "tenants_queue"}, "graph": {"strategy": "tenants_graph", "mechanism": "graph_tail"},
           "forget": {"strategy": "tenants_children", "mechanism": "fire_and_forget"}}
for gap, tolerance in ((100, 0.1), (5, 0.6)):
    on_h100("tenants", {f"tenants.{name}_{gap}": ratio({**ARRIVING, **form, "arrival_gap_us": gap}, column="latency_us") for name, form in TENANTS.items()}, "µs", tolerance)

# The protocol, a busy host, the model, other machines.
AS_IS, AHEAD, ANY = {"l2": "as_is"}, (1.03, 1000), (0, 1000)
OWN, RIVALS = ["launches_us", "device_graph_us"], ["while_node_us", "host_us", "bound_us", "one_grid_us", "library_us", "one_launch_us"]
on_h100("device_vs_best", {"device_vs_best.paying": count(AS_IS, pays="yes"), "device_vs_best.unclear": count(AS_IS, pays="unclear"), "device_vs_best.flushed": count({"l2": "flushed"}, pays="yes"),
                 "device_vs_best-both.ahead": count(judged(RIVALS), over_all=AHEAD), "device_vs_best-both.shared": count(judged(RIVALS[3:]), over_grid_library_launch=(1, 1000))})
on_h100("device_vs_best", {"device_vs_best.median": ratio(AS_IS, column="speedup"), "device_vs_best.best": over(greatest, [ratio({}, column="speedup")], ["speedup"], AS_IS),
                 "device_vs_best-both.median": ratio(judged(RIVALS), column="over_all"), "device_vs_best-both.best": over(greatest, [ratio({}, column="over_all")], ["over_all"], judged(RIVALS)),
                 "device_vs_best.host_median": ratio({**AS_IS, "host_speedup": ANY}, column="host_speedup")}, tolerance=0.05)
KINDS = {"grid": "one grid", "launch": "one launch", "library": "library", "host": "host", "bound": "bound", "node": "WHILE node"}
on_h100("device_vs_best", {"device_vs_best.host": count({**AS_IS, "host_speedup": ANY}, host_low=AHEAD), "device_vs_best.host_graphs": count({**AS_IS, "host_low": AHEAD}, mechanism="graph_tail"),
                 **{f"device_vs_best-rivals.{name}": count(AS_IS, flat_kind=kind) for name, kind in KINDS.items()}}, tolerance=0.2)
on_h100("device_vs_best", {"device_vs_best.library": count({**AS_IS, "library_speedup": ANY}, library_low=AHEAD)}, tolerance=0.3)
JUDGED = {"dwell": {"workload": "mandelbrot", "input": "set", "nx": 4096, "dwell": 16384}, "queens": {"workload": "search", "queens": 10},
          "paths_grid": {"workload": "sssp", "input": "grid2d", "elements": 2**17},
          **{f"points_{power}": {"workload": "quadtree", "input": "uniform", "elements": 2**power} for power in (14, 17)}}
on_h100("device_vs_best", {f"device_vs_best-work.{name}": over(least, [ratio({}, column="speedup")], ["speedup"], {**AS_IS, **case}) for name, case in JUDGED.items()})
BUSY, IDLE = ({"host_load": load, "pin": "no", "nice": 0} for load in (2, 0))
POLLED, GRAPH = {"mechanism": "host_polled"}, {"mechanism": "graph_tail"}
BESIDE, ALONE = ({**BUSY, **POLLED}, {**BUSY, **GRAPH}), ({**BUSY, **POLLED}, {**IDLE, **POLLED})
on_h100("busy_host", {f"busy-host.{name}": ratio(*sides, column=column) for name, column, sides in (
    ("beside", "span_p99_us", BESIDE), ("wall", "wall_p99_us", BESIDE), ("polled", "span_p99_us", ALONE), ("polled_wall", "wall_p99_us", ALONE))}, tolerance=0.5)
on_h100("busy_host", {"busy-host.cores": ratio({**IDLE, **POLLED}, {**IDLE, **GRAPH}, column="host_us")}, tolerance=0.3)
on_h100("busy_host", {"busy-host.steady": over(greatest, [ratio(BUSY, IDLE, column="span_p999_us")], ["mechanism"], {"mechanism": [
    "host_graph_max_levels", "graph_while", "graph_tail", "tail", "grid_sync"]})})
on_h100("busy_host", {f"busy-host.graph_{name}": over(combine, [ratio({}, column="span_us")], ["host_load", "run_id"], {**BUSY, **GRAPH, "host_load": [0, 2]})
                      for name, combine in ENDS.items()}, "µs", 0.3)
CLEAN, FITTED = ({"log": ["ways", "book", "depth", "grid", *more]} for more in ([], ["hello", "transpose"]))
numbers("predicted", {"predicted.off": ratio(FITTED, column="off")}, "%", 0.3)
numbers("predicted", {"predicted.near": count(FITTED, off=(0, 0.25)), "predicted.clean": count(CLEAN, off=(0, 0.25))}, tolerance=0.2)
numbers("predicted_need", {"predicted-need.off": ratio({}, column="off")}, "%", 0.3)
numbers("choices", {"choices.near": count(cost=(1, 1.2))}, tolerance=0.3)
numbers("second_run", {"second-run.near": count(status="near"), "second-run.inside": count({"low": (-math.inf, math.inf)}, inside="yes")}, tolerance=0)
BOTH_GPUS, SLOW, SLOW_H100 = ("h200_us", "h100_us"), ("slow_a_us", "h200_us"), ("slow_0_us", "first_us")
LARGE = {"read": {"log": "library", "strategy": "last_block"}, "copied": {"log": "transpose", "strategy": "shared_tile"}}
numbers("machines", {"machines.h200-h100": count(beside_in(*BOTH_GPUS), ratio=(0.9, 1.1)), "machines.slow": count(beside_in(*SLOW), ratio=(0.9, 1.1)),
                     "machines.launching": count(beside_in(*BOTH_GPUS, mechanism=LAUNCHING), ratio=(0.9, 1.03))}, tolerance=0.2)
on_h100("machines", {f"machines.{name}": count(beside_in(f"{name}_us", "first_us"), ratio=(0.9, 1.1)) for name in ("third", "fourth")}, tolerance=0.2)
numbers("machines", {f"machines.{name}": ratio(beside_in(*BOTH_GPUS, **cells, h200_us=(300, math.inf)), column="ratio") for name, cells in LARGE.items()})
numbers("machines", {"machines.longer": ratio(beside_in(*SLOW, h200_us=(0, 50)), column="longer")}, "µs", 0.3)
on_h100("machines", {"machines.longer_h100": ratio(beside_in(*SLOW_H100, first_us=(0, 50)), column="longer")}, "µs", 0.3)


def markdown(heads, rows):
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [heads, ["---"] * len(heads), *rows])


def cell(make, rows):
    """A number as text; a dash where the rows are not there."""
    with contextlib.suppress(NumberError):
        return digits_text(make(rows).value)
    return "–"


COLUMNS = {"1 block": ("gpu_us", 1), "132": ("gpu_us", 132), "2112": ("gpu_us", 2112), "132, host's clock": ("wall_us", 132)}
CLOCKS = {"GPU's clock: median": "span_us", "p99": "span_p99_us", "host's clock: p99": "wall_p99_us"}
GRAPHS, TREES, KEYS = {"elements": 2**20, "edge_factor": 16}, {"elements": 2**20, "grain": 64, "levels": 16}, {"type": "int32", "values": "none"}
WORKS = [  # what it is, its log, its problem; the clock of the last ones is the host's
    ("25,600 lines of 4 to 32 points", "bezier", LINES), ("Mandelbrot set, 16384², dwell 512", "mandelbrot", {"nx": 16384, "dwell": 512}),
    ("sort, 10^6 uniform keys", "sort", {"input": "uniform", "elements": 10**6, **KEYS}),
    ("sort, 2^20 equal keys", "sort", {"input": "equal", "elements": 2**20, **KEYS}),
    *((f"quadtree, 2^20 {points} points", "quadtree", {"input": points, **TREES}) for points in ("uniform", "clustered")),
    ("breadth-first search, uniform, 2^20", "bfs", {"input": "uniform", **GRAPHS}), ("the same, R-MAT", "bfs", {"input": "rmat_relabelled", **GRAPHS}),
    ("shortest paths, R-MAT, 2^12", "sssp", {"input": "rmat", "elements": 4096}), ("tree search, T3L", "search", {"input": "t3l"}),
    ("16 queens", "search", {"input": "queens", "queens": 16}), ("triangles, R-MAT, 2^20", "triangles", {"input": "rmat", "elements": 2**20}),
    ("spanning forest, R-MAT, 2^20", "mst", {"input": "rmat", "elements": 2**20}),
    *((f"refinement, cell work {work}", "refine", {**HARD, "cell_work": work}) for work in (1, 1024, 16384))]


def ladder_table():
    rows = [[f"`{how}`", *(cell(ladder(how, *words), log(HERE / gpu, "ladder")) for gpu in GPUS for words in COLUMNS.values())]
            for how in log(HERE / "h200", "ladder")["mechanism"].unique()]
    return markdown(["mechanism", *(f"{gpu.upper()}: {what}" for gpu in GPUS for what in COLUMNS)], sorted(rows, key=lambda row: float(row[1])))


def work_in(gpu, name, problem):
    """The best form that launches over the best flat form, on a GPU."""
    clock = "wall_us" if name in ("triangles", "mst", "refine") else "gpu_us"
    return ratio(launching(problem, clock), flat(problem, clock), column=clock)(log(HERE / gpu, name))


def works_table():
    rows = []
    for title, *work in WORKS:
        values = [work_in(gpu, *work) for gpu in GPUS]
        times = [digits_text(time) for value in values for time in (*map(numpy.median, value.samples), value.value)]
        rows.append([title, *(f"`{frame['strategy'].iloc[0]}`" for frame in values[0].frames), *times])
    return markdown(["work", "best form that launches", "best flat form", *(f"{gpu.upper()}: {what}" for gpu in GPUS for what in (
        "launches, µs", "flat, µs", "ratio"))], rows)


def device_vs_best_table():
    works, rows = at(log(HERE / "h100", "device_vs_best"), AS_IS), []
    for title, column in (("kernels that launch kernels", "launches_us"), ("a device graph that launches itself", "device_graph_us"),
                          ("a WHILE node", "while_node_us"), ("one grid", "one_grid_us")):
        gain = (pandas.to_numeric(works["host_us"]) / pandas.to_numeric(works[column])).dropna()
        rows.append([title, digits_text(gain.median()), f"{(gain > 1.03).sum()} of {len(gain)}", f"{(1 / gain > 1.03).sum()}"])
    return markdown(["form", "host's time over its time, median", "works on which it is over 3 % faster", "slower"], rows)


def busy_table():
    own = log(HERE / "h100", "busy_host")
    return markdown(["who decides", *(f"{what}, {load}" for what in CLOCKS for load in ("idle", "busy"))], [
        [f"`{how}`", *(cell(ratio({**load, "mechanism": how}, column=column), own) for column in CLOCKS.values() for load in (IDLE, BUSY))]
        for how in own["mechanism"].unique()])


def files_table(gpu):
    rows = collections.defaultdict(list)
    for name, own in logs_in(HERE / gpu).items():
        others = ", ".join(f"{number} {state}" for state, number in own["status"].value_counts().items() if state != "ok")
        rows[own["git"].iloc[0][:7], " ".join(own["machine"].unique()), str(own["run_id"].nunique())].append(
            f"[{name}]({own.attrs['path'].name}) {len(own)}{f' ({others})' if others else ''}")
    return markdown(["commit", "machine", "processes", "logs, rows, and which are not ok"], [[*key, ", ".join(names)] for key, names in sorted(rows.items())])


TABLES = {"ladder": ladder_table, "works": works_table, "device_vs_best": device_vs_best_table, "busy-host": busy_table,
          **{f"files-{gpu}": functools.partial(files_table, gpu) for gpu in GPUS}}


def row_of(one, cited):
    """The cells of a number in numbers.md."""
    value, second = measured(one.name, HERE / one.home), log(HERE / "h200", "second_run").set_index("number")["second"].get(one.name, "")
    runs = {run for frame in value.frames if "run_id" in frame for run in frame["run_id"]}
    ends = value.interval() if runs else None
    spread = [f"{'–'.join(map(one.shown, ends))}, {'within one process' if len(runs) == 1 else f'{len(runs)} processes'}"] if ends else []
    machines = value.frames[0].get("machine", pandas.Series(dtype=str)).unique()
    if len(machines) > 1 and not value.text:
        spread.append("machines: " + ", ".join(one.shown(one.make(at(log(HERE / one.home, one.log), machine=machine)).value) for machine in machines))
    anchors = "".join(f'<a id="{anchor}"></a>' for anchor in (one.name, *(f"{one.name}.{gpu}" for gpu in GPUS)) if anchor == one.name or anchor in cited)
    return [f"{anchors}[{one.name}](numbers.py#L{one.line})", *(text_of(one.name, HERE / (gpu if one.home != "." else ".")) for gpu in GPUS), "; ".join(spread),
            digits_text(float(second), one.digits) if second and not value.text else "", f"{100 * one.tolerance:.3g} %{', every GPU' if one.everywhere else ''}",
            f"[{one.log}]({value.frames[0].attrs['path'].relative_to(HERE)}), {sum(map(len, value.frames))} rows: {value.what}"]


def shown_by(target):
    """(the number, its text) of what a link leads to; (None, None) if there is none."""
    name, _, gpu = target.rpartition(".")
    name, folder = (name, HERE / gpu) if gpu in GPUS else (target, HERE / NUMBERS[target].home if target in NUMBERS else None)
    return (NUMBERS[name], text_of(name, folder)) if name in NUMBERS else (None, None)


def rewritten(path, text):
    """(the text with its numbers and tables as the logs give them, [what is wrong with it])."""
    problems, prose = [], HIDDEN.sub(lambda found: re.sub(r"[^\n]", "x", found[0]), text)

    def replaced(found):
        one, right = shown_by(found[3])
        if not right:
            problems.append(f"{found[0]}: there is no such number")
        elif found[1] not in (right, right.removesuffix(UNITS[one.unit][2])):
            problems.append(f"{found[1]}: {found[3]} is {right}")
            return found[0].replace(f"[{found[1]}]", f"[{right if found[1].endswith(UNITS[one.unit][2]) else right.removesuffix(UNITS[one.unit][2])}]")
        return found[0]

    if HERE in path.parents or path == HERE.parent / "README.md":
        problems += [f"{found[0]}: no number covers it" for found in re.finditer(
            r"[0-9]+\.[0-9]+ *(µs|ms|%|GB/s|times)", re.sub(r"\[[^\[\]]*\]\([^)]*\)", "", prose))]
    for sentence in re.split(r"(?<=[.;:])\s|\n\s*\n|\n *- |\|", prose):
        linked, word = [shown_by(found[3])[0] for found in LINK.finditer(sentence)], STRONG.search(LINK.sub("", sentence))
        if word and linked and not any(one and measured(one.name, HERE / one.home).strong for one in linked):
            problems.append(f"the sentence says '{word[0]}', and no number of it is computed so: {' '.join(sentence.split())[:90]}")
    new = TABLE.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], LINK.sub(replaced, text))
    if new != text and not problems:
        problems.append("a table is not what the logs give")
    return new, [f"{path.relative_to(HERE.parent)}: {problem}" for problem in problems]


def pages(root):
    """[(path, its text, as it should be, what is wrong with it)] of all documents."""
    page, paths = HERE / "numbers.md", [path for path in sorted(root.rglob("*.md")) if not re.match(r"\.|build|.*/\.", str(path.relative_to(root)))]
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    text, cited = texts.pop(page, ""), {target for one in texts.values() for _, _, target in LINK.findall(one)}
    right = ("# All numbers\n\nWritten by `results/numbers.py --write`. Each name links to the code that computes the number. [How to read this](README.md).\n\n" +
             markdown(["number", "H200", "H100", "95 % interval; spread", "second run (H200)", "tolerance", "rests on"], [
                 row_of(one, cited) for one in NUMBERS.values()]))
    named = {shown_by(target)[0].name for target in cited if shown_by(target)[0]}
    wrong = [f"results/numbers.md: no document links to {name}" for name in NUMBERS if name not in named]
    return [*((path, one, *rewritten(path, one)) for path, one in texts.items()), (page, text, right, wrong + (
        ["results/numbers.md: it is not what the logs give"] if text != right else []))]


def beside(folder):
    """[(Number, its Value, that in the folder or None, verdict, whether that is judged)]. On another GPU only what must hold everywhere is judged,
    and of a ratio only on which side of 1 it lies. Logs of the folder itself are left out."""
    found, gpus, rows = collections.defaultdict(dict), collections.defaultdict(set), []
    for one in [one for one in NUMBERS.values() if HERE / one.home != folder]:
        for place in (one.home, folder):
            with contextlib.suppress(NumberError):  # an installed copy has not all logs
                found[one][place] = measured(one.name, HERE / place)
                gpus[place].update(gpu for frame in found[one][place].frames if "gpu" in frame for gpu in frame["gpu"].unique())
    for one, values in [(one, values) for one, values in found.items() if one.home in values]:
        here, there, another = values[one.home], values.get(folder), not gpus[folder] <= gpus[one.home]
        near = there and (one.text(here) == one.text(there) if one.tolerance == 0 else
                          (here.value > 1) == (there.value > 1) if another and one.everywhere and not here.text else
                          abs(there.value - here.value) <= one.tolerance * (1 if here.text else abs(here.value)))  # of a count, the shares
        rows.append((one, here, there, "near" if near else "far" if there else "not there", one.everywhere or not another))
    return rows


def against(folder, file):
    rows, table = beside(folder), []
    for one, here, there, verdict, is_judged in sorted(rows, key=lambda row: not row[4]):
        low, high = here.interval() or (math.nan, math.nan)
        print(f"{one.name:26}{one.text(here):>16}{one.text(there) if there else '':>16}  {verdict}{'' if is_judged else ' (another GPU: not judged)'}")
        if there:
            table.append([one.name, one.unit, *map(one.scaled, (here.value, low, high, there.value)), "yes" if low <= there.value <= high else "no",
                          one.tolerance, verdict])
    if file:
        heads = ["number", "unit", "first", "low", "high", "second", "inside", "within", "status"]
        pandas.DataFrame(table, columns=heads).to_csv(file, index=False, mode="x", float_format="%.6g")
    return 3 if any(verdict == "far" and is_judged for *_, verdict, is_judged in rows) else 0


def main():
    parser = argparse.ArgumentParser(description="The numbers of the documents, computed from the logs. Exit codes: 0 right, 2 a bad option, 3 not right.")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", action="store_true", help="write numbers.md, and the numbers and tables in the documents")
    action.add_argument("--check", action="store_true", help="say what is not as the logs give it")
    action.add_argument("--against", type=pathlib.Path, metavar="FOLDER", help="the same numbers from the logs of another folder")
    parser.add_argument("--csv", metavar="FILE", help="with --against: also into a new file")
    options = parser.parse_args()
    if options.against:
        if not options.against.is_dir() or options.csv and pathlib.Path(options.csv).exists():
            parser.error(f"--against {options.against}, --csv {options.csv}: allowed: a folder with logs, and a new file")
        return against(options.against.resolve(), options.csv)
    found = pages(HERE.parent)
    for path, text, right, _ in found:
        if options.write and text != right:
            path.write_text(right, encoding="utf-8")
            print(path)
    problems = [problem for *_, wrong in found for problem in wrong] if options.check else []
    print("\n".join(problems) or f"{len(NUMBERS)} numbers: the documents and the logs agree")
    return 3 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
