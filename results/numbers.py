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
import csv
import dataclasses
import functools
import math
import operator
import os
import pathlib
import re

import numpy
import pandas
import scipy.stats

HERE = pathlib.Path(__file__).resolve().parent
GPUS = ["h200", "h100"]
LEAST_ROWS = 6  # for an interval
LAUNCHING = ["null_stream", "named", "fire_and_forget", "tail", "graph_tail", "graph_next", "graph_forget", "graph_sibling"]
# What two cases must share to be the same problem. Everything else is how a form solves it.
PROBLEM = ["workload", "type", "input", "values", "elements", "nx", "ny", "dwell", "levels", "edge_factor", "graph_file", "l2"]
USED = [*PROBLEM, "strategy", "mechanism", "grid", "block", "block_shape", "depth", "threshold", "coarsen", "aggregate", "overflow", "fanout", "grain",
        "cutoff", "budget", "delta", "delay_us", "graphs", "submit_asked", "host_load", "nice", "pin", "pending_limit_asked", "pending_limit", "run_id",
        "key", "gpu_us", "wall_us", "wall_p99_us", "span_us", "span_p99_us", "span_p999_us", "host_us", "peak_share", "latency_us",
        "launches_attempted", "answer", "status", "machine", "gpu", "git"]
UNITS = {"": (1, 0, ""), "µs": (1, 0, " µs"), "ms": (1e-3, 0, " ms"), "%": (100, 0, " %"), "% more": (100, -100, " %")}  # factor, offset, suffix
# A sentence may say these words if one of its numbers is computed so.
STRONG = re.compile(r"\b(best|fastest|slowest|at least|at most|always|never)\b", re.IGNORECASE)
LINK = re.compile(r"\[([^\[\]\n]*)\]\(([\w./-]*numbers\.md)#([\w.-]+)\)")
TABLE = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


class NumberError(Exception):
    """Why a number cannot be computed."""


# --- logs ---


@functools.cache
def log(folder, name):
    """A CSV as texts; its index is the line in the file. Raises NumberError."""
    path = next((path for path in (folder / f"{name}.csv", folder / f"{name}.csv.gz") if path.is_file()), None)
    if not path:
        raise NumberError(f"there is no {folder / name}.csv")
    is_log = "run_id" in pandas.read_csv(path, nrows=0).columns
    rows = pandas.read_csv(path, dtype=str, keep_default_na=False, usecols=(lambda column: column in USED) if is_log else None)
    if "mechanism" in rows:
        rows["mechanism"] = rows["mechanism"].replace("null", "null_stream")  # its name in earlier versions
    rows.index += 2
    rows.attrs = {"path": path, "where": "", "strong": False}
    return rows


def chosen(rows, found, words, strong=False):
    if not len(found):
        raise NumberError(f"{rows.attrs['path']}: no row with {words}")
    found.attrs = {**rows.attrs, "where": ", ".join(filter(None, [rows.attrs["where"], words])), "strong": rows.attrs["strong"] or strong}
    return found


def at(rows, **cells):
    """The rows with these cells: a cell, a list of cells, or numbers from a tuple's first to its last."""
    found = numpy.ones(len(rows), dtype=bool)
    for column, cell in cells.items():
        if isinstance(cell, tuple):
            found &= pandas.to_numeric(rows[column], errors="coerce").between(*cell)
        else:
            found &= rows[column].astype(str).isin([str(one) for one in (cell if isinstance(cell, list) else [cell])])
    words = [f"{column} {cell[0]} to {cell[1]}" if isinstance(cell, tuple) else f"{column} {' or '.join(map(str, cell))}" if isinstance(cell, list)
             else f"{column} {cell or '-'}" for column, cell in cells.items()]
    return chosen(rows, rows[found], ", ".join(words))


def best(rows, column="gpu_us"):
    """The rows of the case with the smallest median, of the cases that are ok."""
    times = pandas.to_numeric(rows[column], errors="coerce").groupby(rows["key"]).median()
    times = times.drop(rows["key"][rows["status"] != "ok"].unique()).dropna()
    if times.empty:
        raise NumberError(f"{rows.attrs['path']}: no case that is ok with {rows.attrs['where']}")
    found = rows[rows["key"] == times.idxmin()]
    named = [found.iloc[0].get(name, "") for name in ("strategy", "mechanism", "block", "aggregate")]
    return chosen(rows, found, f"the best of {len(times)} cases: {' '.join(filter(None, named))}", strong=True)


@functools.cache
def every_log(folder):
    """The rows of all logs of a folder whose work depends on the data. No log mixes them with others, so its first row says what it is."""
    paths = sorted(path for ending in (".csv", ".csv.gz") for path in folder.glob(f"*{ending}"))
    heads = {path: pandas.read_csv(path, nrows=1, dtype=str, keep_default_na=False) for path in paths}
    names = [path.name.split(".csv")[0] for path, head in heads.items() if {"key", "gpu_us"} <= set(head) and head.get("input", [""])[0] not in ("", "random")]
    return pandas.concat([log(folder, name).assign(log=name) for name in names]).reindex(columns=[*USED, "log"]).fillna("")


def flat(rows, column="gpu_us"):
    """The best form that launches nothing from the device, of all logs of the folder that have the same problem as these rows."""
    every = every_log(rows.attrs["path"].parent)
    one, same = rows.iloc[0], numpy.ones(len(every), dtype=bool)
    for name in PROBLEM:
        same &= every[name].to_numpy() == one.get(name, "")
    same &= ~every["mechanism"].isin(LAUNCHING).to_numpy() & every["launches_attempted"].isin(["", "0"]).to_numpy()
    found = every[same].assign(key=every[same]["log"] + every[same]["key"])
    found.attrs = {**rows.attrs, "where": "no launch from the device, all logs", "strong": True}
    found = best(found, column)
    found.attrs = {**found.attrs, "path": log(rows.attrs["path"].parent, found.iloc[0]["log"]).attrs["path"]}
    return found


def launching(rows, column="gpu_us"):
    """The best form that launches from the device, of these rows."""
    return best(at(rows, mechanism=LAUNCHING, launches_attempted=(1, math.inf)), column)


# --- values ---


@dataclasses.dataclass
class Value:
    """parts: [(samples, [samples that they are compared with], a divisor)]; several parts are combined into one."""
    value: float
    frames: list
    what: str
    text: str = ""  # of a count
    parts: list = dataclasses.field(default_factory=list)
    combine: object = None
    strong: bool = False

    def interval(self):
        """95 %, by the percentile bootstrap of the rows; None if a case has too few."""
        samples = [one for above, below, _ in self.parts for one in (above, *below)]
        if not samples or min(map(len, samples)) < LEAST_ROWS:
            return None

        def statistic(*drawn, axis=-1):
            drawn = iter([numpy.median(one, axis=axis) for one in drawn])
            found = [next(drawn) / per / (numpy.min([next(drawn) for _ in below], axis=0) if below else 1) for _, below, per in self.parts]
            return self.combine(found)
        ends = scipy.stats.bootstrap(samples, statistic, n_resamples=2000, method="percentile", vectorized=True, random_state=1)
        return ends.confidence_interval.low, ends.confidence_interval.high


def samples_of(rows, column):
    numbers = pandas.to_numeric(rows[column], errors="coerce")
    if numbers.isna().any() or "status" in rows and (rows["status"] != "ok").any():
        raise NumberError(f"{rows.attrs['path']}:{numbers.index[0]}: {column} is not a number in each row, or a row is not ok: {rows.attrs['where']}")
    return numbers.to_numpy(dtype=float)


first, least, greatest, mean = operator.itemgetter(0), *(functools.partial(how, axis=0) for how in (numpy.min, numpy.max, scipy.stats.gmean))
NAMES = {least: "least", greatest: "greatest", mean: "geometric mean"}


def median(rows, column="gpu_us", per=None):
    return ratio(rows, column=column, per=per)


def ratio(rows, *others, column="gpu_us", per=None):
    """The ratio of the medians of a column, to the smallest of the others."""
    samples, below = samples_of(rows, column), [samples_of(other, column) for other in others]
    divisor = float(rows[per].iloc[0]) if per else 1
    value = numpy.median(samples) / divisor / (min(map(numpy.median, below)) if below else 1)
    what = f"median of {column}{f' / {per}' if per else ''}: {rows.attrs['where']}" + "".join(f"; to {other.attrs['where']}" for other in others)
    return Value(value, [rows, *others], what, parts=[(samples, below, divisor)], combine=first, strong=any(one.attrs["strong"] for one in (rows, *others)))


def over(combine, values):
    """One value of several: least, greatest or (geometric) mean."""
    values = list(values)
    found = dataclasses.replace(values[0], value=float(combine([one.value for one in values])), frames=sum((one.frames for one in values), []),
                                parts=sum((one.parts for one in values), []), combine=combine, strong=True,
                                what=f"{NAMES[combine]} of {len(values)}, the first: {values[0].what}")
    if found.text:
        found.text = next(one.text for one in values if one.value == found.value)
    return found


def by(rows, *columns):
    return [at(rows, **dict(zip(columns, cells if isinstance(cells, tuple) else (cells,))))
            for cells in dict.fromkeys(rows[list(columns)].itertuples(index=False, name=None))]


def count(rows, **cells):
    try:
        found = len(at(rows, **cells))
    except NumberError:
        found = 0
    what = f"rows with {', '.join(f'{name} {cell}' for name, cell in cells.items())}: {rows.attrs['where'] or 'all rows'}"
    return Value(found / len(rows), [rows], what, text=f"{found} of {len(rows)}", strong=True)


def same(rows, column):
    cells = rows[column].unique()
    if len(cells) > 1:
        raise NumberError(f"{rows.attrs['path']}: {column} differs: {', '.join(cells[:3])}")
    return Value(float(cells[0]), [rows], f"{column} of each row: {rows.attrs['where']}", text=cells[0], strong=True)


@dataclasses.dataclass
class Number:
    name: str
    log: str
    make: object
    line: int  # in this file
    unit: str
    tolerance: float  # of a second run, as a share; 0: the same text
    everywhere: bool  # must hold on every GPU; a ratio then lies on the same side of 1
    digits: int
    home: str  # the folder whose value the documents have

    def of(self, folder):
        return self.make(log(folder, self.log))

    def shown(self, value):
        factor, offset, _ = UNITS[self.unit]
        return digits_text(value * factor + offset, self.digits)

    def text(self, value):
        return value.text or self.shown(value.value) + UNITS[self.unit][2]


NUMBERS = {}


def number(name, of, make, unit="", tolerance=0.1, everywhere=False, digits=3, home="h200"):
    NUMBERS[name] = Number(name, of, make, make.__code__.co_firstlineno, unit, tolerance, everywhere, digits, home)


def digits_text(value, digits=3):
    """Significant digits, never with an exponent: 0.0761, 20.7, 3651."""
    exponent = int(f"{value:.{digits - 1}e}".split("e")[1])
    return f"{value:.{max(0, digits - 1 - exponent)}f}"


@functools.cache
def measured(name, folder):
    """The Value of a number in a folder. Raises NumberError."""
    try:
        return NUMBERS[name].of(folder)
    except (KeyError, ValueError, IndexError, ZeroDivisionError) as error:
        raise NumberError(f"{name}: {folder}: {error!r}") from error


def text_of(name, folder):
    try:
        return NUMBERS[name].text(measured(name, folder))
    except NumberError:
        return ""


# --- the numbers ---


FLAT = {"strategy": "last_block", "mechanism": "none"}
SHAPES = {"synced": "null_stream", "nosync": "null_stream", "barrier": "fire_and_forget", "tail": "tail", "aggregated_block": "fire_and_forget",
          "reduce2": "null_stream", "reduce2_tail": "tail", "graph": "graph_tail", "nested_best": "fire_and_forget", "graph_host": "host_graph",
          "last_block": "none"}
for strategy, mechanism in SHAPES.items():
    name, form = strategy.replace("_", "-"), {"strategy": strategy, "mechanism": mechanism}
    number(f"{name}.ms", "ways", lambda ways, form=form: median(at(ways, **form)), "ms", 0.3)
    number(f"{name}.launches", "ways", lambda ways, form=form: same(at(ways, **form), "launches_attempted"), tolerance=0, everywhere=True)
    if strategy in ("synced", "barrier"):
        number(f"{name}.times", "ways", lambda ways, form=form: ratio(at(ways, **form), at(ways, **FLAT)), tolerance=0.2, everywhere=True, digits=2)
        number(f"{name}.wall", "ways", lambda ways, form=form: ratio(at(ways, **form), at(ways, **FLAT), column="wall_us"), tolerance=0.2, digits=2)
number("barrier.fastest", "waves", lambda waves: median(best(at(waves, strategy="barrier", pending_limit_asked=2048))), "ms", 0.3)
for strategy in ("synced", "nosync", "reduce2"):
    number(f"k40c.{strategy}", "k40c", lambda book, form=strategy: same(at(book, strategy=form), "ms"), tolerance=0, home=".")

# What a launch, a level and a race cost.
for name, strategy in (("nosync", "nosync"), ("reduce2", "reduce2")):
    number(f"hidden.{name}", "hazard", lambda rows, form=strategy: over(greatest, [count(part, status="wrong") for part in by(
        at(rows, strategy=form, mechanism="null_stream", delay_us=(0, 5)), "delay_us")]))
    number(f"shown.{name}", "hazard", lambda rows, form=strategy: over(least, [count(part, status="wrong") for part in by(
        at(rows, strategy=form, mechanism="null_stream", delay_us=(10, 100)), "delay_us")]))
RACE_FREE = ["barrier", "tail", "reduce2_tail", "synced", "aggregated_block", "aggregated_grid"]
number("race-free.wrong", "hazard", lambda rows: count(at(rows, strategy=RACE_FREE), status="wrong"), tolerance=0, everywhere=True)
number("refused.runs", "refused", lambda rows: count(at(rows, pending_limit_asked=2048), status="launch_failed"), tolerance=0, everywhere=True)
number("refused.limit", "refused", lambda rows: same(at(rows, pending_limit_asked=2048), "pending_limit"), tolerance=0, everywhere=True)
for name, combine in (("least", least), ("greatest", greatest)):
    number(f"raised.{name}", "pending", lambda rows, combine=combine: over(combine, [
        ratio(at(part, pending_limit_asked=131072), at(part, pending_limit_asked="auto")) for part in by(
            at(rows, strategy=["barrier", "nosync"], grid=2048, block=512), "strategy", "mechanism")]), tolerance=0.3, digits=2)
number("lanes.hung", "lanes", lambda rows: count(at(rows, strategy="lanes_at_once"), status="timeout"), tolerance=0.5, everywhere=True)
number("lanes.turn", "lanes", lambda rows: count(at(rows, strategy="lanes_in_turn"), status="timeout"), tolerance=0, everywhere=True)
EMPTY = {"strategy": "chain", "grid": 1, "block": 32}
number("level.least", "launch", lambda rows: over(least, [median(part, per="depth") for part in by(
    at(rows, **EMPTY, mechanism=LAUNCHING[:4], depth=(1, 1024)), "mechanism", "depth")]), "µs")
for name, mechanism, more, digits in (("tail", "tail", {}, 3), ("forget", "fire_and_forget", {}, 3), ("graph", "graph_tail", {"graphs": 64}, 2),
                                      ("graph_one", "graph_tail", {"graphs": 1}, 3), ("sync", "grid_sync", {}, 3)):
    number(f"level.{name}", "launch", lambda rows, how={"mechanism": mechanism, **more}: median(at(rows, **EMPTY, depth=1024, **how), per="depth"), "µs",
           digits=digits)
for name in ("held", "open"):
    number(f"submission.{name}", "submit", lambda rows, how=name: median(at(rows, **EMPTY, mechanism="host", depth=256, submit_asked=how), per="depth"),
           "µs", 0.3)
number("submission.device", "submit", lambda rows: ratio(*(at(rows, **EMPTY, mechanism="fire_and_forget", depth=256, submit_asked=how)
                                                           for how in ("open", "held"))), "% more", 0.03, digits=1)


def ladder(rows, mechanism, grid=132, column="gpu_us"):
    """What one more level costs, of chains of 120 and of 16 levels; None without such rows."""
    try:
        long, short = (numpy.median(samples_of(at(rows, mechanism=mechanism, grid=grid, depth=depth), column)) for depth in (120, 16))
    except NumberError:
        return None
    return (long - short) / 104


for mechanism, columns in (*((one, ["gpu_us"]) for one in ("host_graph", "host_graph_bound", "grid_sync", "graph_while", "graph_tail", "tail",
                                                           "fire_and_forget", "host_polled")),
                           *((one, ["gpu_us", "wall_us"]) for one in ("host", "host_pdl", "host_bound"))):
    for column in columns:
        number(f"ladder.{mechanism}.{column[:-3]}", "ladder", lambda rows, how=mechanism, column=column: Value(
            ladder(rows, how, column=column), [at(rows, mechanism=how, grid=132)], f"median of {column}, 120 less 16 levels, / 104: {how}, grid 132"),
            "µs", 0.15)
for parameter in ("forget_level=level.fire_and_forget", "null_level=level.null_stream", "tail_level=level.tail", "graph_level=level.graph_tail",
                  "host_level=level.host", "host_graph_level=level.host_graph", "forget=rate.fire_and_forget", "named=rate.named", "null=rate.null_stream"):
    name, parameter = parameter.split("=")
    number(f"roofline.{name}", "parameters", lambda rows, of=parameter: median(at(rows, parameter=of), "value"), "µs", digits=3 if "level" in name else 2)
number("roofline.reads", "parameters", lambda rows: median(at(rows, parameter="rate.fire_and_forget"), "reads_mb"), digits=2)
number("transpose.large", "transpose", lambda rows: ratio(*(at(rows, strategy="recursive_transpose", mechanism="fire_and_forget", nx=16384, depth=depth)
                                                            for depth in (1, 0))), "% more", 0.05, digits=2)
number("transpose.small", "transpose", lambda rows: ratio(*(at(rows, strategy="recursive_transpose", mechanism="fire_and_forget", nx=2048, depth=depth)
                                                            for depth in (3, 0))), tolerance=0.25, everywhere=True, digits=2)
number("nested-best-cub.large", "best", lambda rows: ratio(*(at(rows, strategy=form, elements=2**32) for form in ("nested_best", "cub"))), tolerance=0.02)
number("last-block-cub.large", "best", lambda rows: ratio(*(at(rows, strategy=form, elements=2**32) for form in ("last_block", "cub"))), tolerance=0.02)
for power, digits in ((20, 3), (26, 3), (28, 2), (30, 1), (32, 2)):
    number("nested-best-cub.flat" if power == 32 else f"one-launch.{power}", "best", lambda rows, elements=2**power: ratio(
        *(at(rows, strategy=form, elements=elements) for form in ("nested_best", "last_block"))), "% more" if power > 20 else "", 0.05, digits=digits)
for name, kind, sizes in (("ints", "int32", (2**14, 2**26)), ("floats", "float32", (2**14, 2**26)), ("slowest", "int32", (0, math.inf))):
    number(f"last-block-cub.{name}", "library", lambda rows, kind=kind, sizes=sizes, combine=greatest if name == "slowest" else mean: over(combine, [
        ratio(*(at(part, strategy=form) for form in ("last_block", "cub", "cub_narrow"))) for part in by(at(rows, type=kind, elements=sizes), "elements")]))
number("last-block-cub.share", "library", lambda rows: median(at(rows, strategy="last_block", type="int32", elements=2**32), "peak_share"), "%", 0.03,
       digits=2)
number("nvbench.within", "nvbench", lambda rows: count(rows, verdict="within"), tolerance=0, everywhere=True)
number("counted.equal", "reconcile", lambda rows: count(rows, verdict="equal"), tolerance=0, everywhere=True)

# Work whose launches the data decide.
LINES = {"elements": 25600, "input": "curves"}
number("need-lines.plain", "bezier", lambda rows: median(at(rows, **LINES, strategy="bezier_children", threshold=0, aggregate="none", block=64,
                                                            mechanism="fire_and_forget", overflow="waves")), "ms", 0.2)
number("need-lines.best", "bezier", lambda rows: median(launching(at(rows, **LINES))), "µs")
number("need-lines.flat", "bezier", lambda rows: median(flat(at(rows, **LINES))), "µs")
number("need-bfs.same", "bfs", lambda rows: ratio(best(at(rows, input="grid2d", elements=2**20, strategy="bfs_tail")), flat(at(
    rows, input="grid2d", elements=2**20))))
number("need-path.path", "bfs", lambda rows: ratio(at(rows, input="path", strategy="bfs_frontier"), at(rows, input="path", strategy="bfs_graph")),
       tolerance=0.3, everywhere=True)
number("need-path.launches", "bfs", lambda rows: same(at(rows, input="path", strategy="bfs_graph"), "launches_attempted"), tolerance=0, everywhere=True)
STUDY = {"strategy": "bezier_children", "mechanism": "fire_and_forget", **LINES}
PLAIN = {"threshold": 0, "coarsen": 1, "aggregate": "none"}
number("cgo22.plain", "cgo22", lambda rows: ratio(at(rows, **STUDY, **PLAIN), best(at(rows, **STUDY))), tolerance=0.2, everywhere=True)
number("cgo22.flat", "cgo22", lambda rows: ratio(flat(at(rows, **STUDY)), best(at(rows, **STUDY))), everywhere=True, digits=2)
number("cgo22.launching", "cgo22", lambda rows: ratio(at(rows, **STUDY, **PLAIN), launching(at(rows, **STUDY))), tolerance=0.2, everywhere=True)
number("cgo22.launching_flat", "cgo22", lambda rows: ratio(flat(at(rows, **STUDY)), launching(at(rows, **STUDY))), everywhere=True, digits=2)
for mechanism in ("host_bound", "host_graph_bound", "host_graph_pdl_bound", "grid_sync"):
    number(f"bound.{mechanism}", "levels", lambda rows, how=mechanism: median(best(at(rows, workload="bfs", input="uniform", mechanism=how))), "µs")
for workload in ("triangles", "mst", "refine", "resources", "tenants"):
    number(f"{workload}.right", workload, lambda rows: count(rows, status="ok"), tolerance=0, everywhere=True, home="h100")
ICP = {"workload": "icp", "input": "waves", "block": 1024}
for name, form, dwell, elements, rival in (
        ("few", "icp_launches", 65535, 2**26, {"strategy": "icp_cooperative", "block": 256, "budget": 1}),
        ("many", "icp_launches", 65535, 2**26, {"strategy": "icp_cooperative", "budget": 4}),
        ("little", "icp_launches", 65535, 2**20, {"strategy": "icp_cooperative", "budget": 4}),
        ("near", "icp_launches", 1, 2**24, {"strategy": "icp_cooperative", "budget": 4}),
        ("direct", "icp_direct", 64, 2**24, {"strategy": "icp_levels", "mechanism": "host_graph_bound"}),
        ("all", "icp_direct", 1, 2**24, {"strategy": "icp_levels", "mechanism": "host_graph_bound"})):
    number(f"resources.{name}", "resources", lambda rows, case={**ICP, "dwell": dwell, "elements": elements}, rival=rival, form=form: ratio(
        at(rows, **case, strategy=form, mechanism="tail" if form == "icp_launches" else "host_graph_bound"), at(rows, **{**case, **rival})),
        everywhere=True, home="h100")
for name, grain, tolerance in (("narrow", 16, 0.2), ("middle", 4096, 0.3), ("wide", 16384, 0.15), ("widest", 65535, 0.1)):
    number(f"tenants.{name}", "tenants", lambda rows, case={"input": "together", "elements": 64, "grain": grain}: ratio(
        at(rows, **case, strategy="tenants_queue"), best(at(rows, **case, mechanism=LAUNCHING), "wall_us"), column="wall_us"),
        tolerance=tolerance, everywhere=True, home="h100")
number("tenants.host", "tenants", lambda rows: ratio(*(at(rows, input="together", elements=64, grain=4096, strategy=form) for form in (
    "tenants_streams", "tenants_queue")), column="wall_us"), tolerance=1, everywhere=True, home="h100")
for name, form in (("queue", {"strategy": "tenants_queue"}), ("graph", {"strategy": "tenants_graph", "mechanism": "graph_tail"}),
                   ("forget", {"strategy": "tenants_children", "mechanism": "fire_and_forget"})):
    for gap in (100, 5):
        number(f"tenants.{name}_{gap}", "tenants", lambda rows, case={**form, "delta": gap}: median(at(
            rows, input="poisson", elements=256, grain=1024, **case), "latency_us"), "µs", 0.1 if gap == 100 else 0.6, home="h100")

# The protocol, a busy host, the model.
AS_IS = {"l2": "as_is"}
for name, l2, verdict in (("paying", "as_is", "yes"), ("unclear", "as_is", "unclear"), ("flushed", "flushed", "yes")):
    number(f"pays.{name}", "pays", lambda rows, l2=l2, verdict=verdict: count(at(rows, l2=l2), pays=verdict), home="h100")
number("pays.median", "pays", lambda rows: median(at(rows, **AS_IS), "speedup"), tolerance=0.05, home="h100")
number("pays.best", "pays", lambda rows: over(greatest, [median(part, "speedup") for part in by(at(rows, **AS_IS), "speedup")]), tolerance=0.05, home="h100")
number("pays.host", "pays", lambda rows: count(at(rows, **AS_IS, host_speedup=(0, 1000)), host_low=(1.03, 1000)), tolerance=0.2, home="h100")
number("pays.host_graphs", "pays", lambda rows: count(at(rows, **AS_IS, host_low=(1.03, 1000)), mechanism="graph_tail"), tolerance=0.2, home="h100")
number("pays.host_median", "pays", lambda rows: median(at(rows, **AS_IS, host_speedup=(0, 1000)), "host_speedup"), tolerance=0.05, home="h100")
number("pays.library", "pays", lambda rows: count(at(rows, **AS_IS, library_speedup=(0, 1000)), library_low=(1.03, 1000)), tolerance=0.3, home="h100")
for name, kind in (("grid", "one grid"), ("launch", "one launch"), ("library", "library"), ("host", "host"), ("bound", "bound"), ("node", "WHILE node")):
    number(f"pays-rivals.{name}", "pays", lambda rows, kind=kind: count(at(rows, **AS_IS), flat_kind=kind), tolerance=0.2, home="h100")
for name, case in (("dwell", {"workload": "mandelbrot", "input": "set", "nx": 4096, "dwell": 16384}), ("queens", {"workload": "search", "elements": 10}),
                   ("points_14", {"workload": "quadtree", "input": "uniform", "elements": 2**14}),
                   ("paths_grid", {"workload": "sssp", "input": "grid2d", "elements": 2**17}), ("points_17", {"workload": "quadtree", "input": "uniform", "elements": 2**17})):
    number(f"pays-work.{name}", "pays", lambda rows, case=case: dataclasses.replace(median(
        at(rows, **AS_IS, **case), "speedup"), strong=True), home="h100")  # over the fastest of all rivals
BUSY = {"host_load": 2, "pin": "no", "nice": 0}
for name, column, tolerance in (("beside", "span_p99_us", 0.5), ("wall", "wall_p99_us", 0.5)):
    number(f"busy-host.{name}", "busy_host", lambda rows, column=column: ratio(*(at(rows, **BUSY, mechanism=how) for how in ("host_polled", "graph_tail")),
                                                                               column=column), tolerance=tolerance, home="h100")
number("busy-host.polled", "busy_host", lambda rows: ratio(*(at(rows, **{**BUSY, "host_load": load}, mechanism="host_polled") for load in (2, 0)),
                                                           column="span_p99_us"), tolerance=0.5, home="h100")
number("busy-host.polled_wall", "busy_host", lambda rows: ratio(*(at(rows, **{**BUSY, "host_load": load}, mechanism="host_polled") for load in (2, 0)),
                                                                column="wall_p99_us"), tolerance=0.5, home="h100")
number("busy-host.steady", "busy_host", lambda rows: over(greatest, [
    ratio(*(at(rows, **{**BUSY, "host_load": load}, mechanism=how) for load in (2, 0)), column="span_p999_us")
    for how in ("host_graph_bound", "graph_while", "graph_tail", "tail", "grid_sync")]), home="h100")
number("busy-host.cores", "busy_host", lambda rows: ratio(*(at(rows, **{**BUSY, "host_load": 0}, mechanism=how) for how in ("host_polled", "graph_tail")),
                                                          column="host_us"), tolerance=0.3, home="h100")
CLEAN = ["ways", "book", "depth", "grid"]
number("predicted.off", "predicted", lambda rows: median(at(rows, log=[*CLEAN, "hello", "transpose"]), "off"), "%", 0.3)
number("predicted.near", "predicted", lambda rows: count(at(rows, log=[*CLEAN, "hello", "transpose"]), off=(0, 0.25)), tolerance=0.2)
number("predicted.clean", "predicted", lambda rows: count(at(rows, log=CLEAN), off=(0, 0.25)), tolerance=0.2)
number("predicted-need.off", "predicted_need", lambda rows: median(rows, "off"), "%", 0.3)
number("choices.near", "choices", lambda rows: count(rows, cost=(1, 1.2)), tolerance=0.3)
number("second-run.near", "second_run", lambda rows: count(rows, status="near"), tolerance=0)
number("second-run.inside", "second_run", lambda rows: count(at(rows, first_low=(-math.inf, math.inf), second=(-math.inf, math.inf)).pipe(
    lambda both: both.assign(inside=[float(row.first_low) <= float(row.second) <= float(row.first_high) for row in both.itertuples()])), inside=True),
       tolerance=0)
for name, of, home, pair in (("h200-h100", "machines", "h200", ("h200_us", "h100_us")), ("third", "machines", "h100", ("third_us", "first_us")),
                             ("fourth", "machines", "h100", ("fourth_us", "first_us")), ("slow", "machines", "h200", ("slow_a_us", "h200_us"))):
    number(f"machines.{name}", of, lambda rows, pair=pair: count(at(rows, **{column: (0, math.inf) for column in pair}).pipe(lambda both: both.assign(
        ratio=pandas.to_numeric(both[pair[0]]) / pandas.to_numeric(both[pair[1]]))), ratio=(0.9, 1.1)), tolerance=0.2, home=home)


# --- the tables ---


def markdown(heads, rows):
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [heads, ["---"] * len(heads), *rows])


def cell_of(make, *words, digits=3, **more):
    """A number as text; a dash if the rows are not there."""
    try:
        found = make(*words, **more)
        return "–" if found is None else digits_text(found.value if isinstance(found, Value) else found, digits)
    except (NumberError, KeyError):
        return "–"


MECHANISMS = ["host_graph_pdl", "host_pdl", "host_graph", "host", "host_graph_pdl_bound", "host_graph_bound", "host_bound", "graph_update", "graph_if",
              "cluster_sync", "grid_sync", "graph_sibling", "graph_forget", "graph_while", "graph_switch", "graph_tail", "graph_next", "host_polled",
              "host_read", "fire_and_forget", "tail", "null_stream", "named"]


def ladder_table():
    heads = ["mechanism", *(f"{gpu.upper()}: {what}" for gpu in GPUS for what in ("1 block", "132", "2112", "132, host's clock"))]
    return markdown(heads, [[f"`{how}`", *(cell_of(ladder, log(HERE / gpu, "ladder"), how, grid, column) for gpu in GPUS for grid, column in (
        (1, "gpu_us"), (132, "gpu_us"), (2112, "gpu_us"), (132, "wall_us")))] for how in MECHANISMS])


GRAPHS = {"elements": 2**20, "edge_factor": ["16", ""]}
WORKS = [
    ("25,600 lines of 4 to 32 points", "bezier", LINES), ("Mandelbrot set, 16384², dwell 512", "mandelbrot", {"nx": 16384, "dwell": 512}),
    ("sort, 10^6 uniform keys", "sort", {"input": "uniform", "elements": 10**6, "type": "int32", "values": "none"}),
    ("sort, 2^20 equal keys", "sort", {"input": "equal", "elements": 2**20, "type": "int32", "values": "none"}),
    ("quadtree, 2^20 uniform points", "quadtree", {"input": "uniform", "elements": 2**20}),
    ("quadtree, 2^20 clustered points", "quadtree", {"input": "clustered", "elements": 2**20}),
    ("breadth-first search, uniform, 2^20", "bfs", {"input": "uniform", **GRAPHS}), ("the same, R-MAT", "bfs", {"input": "rmat_relabelled", **GRAPHS}),
    ("shortest paths, R-MAT, 2^12", "sssp", {"input": "rmat", "elements": 4096}), ("tree search, T3L", "search", {"input": "t3l"}),
    ("16 queens", "search", {"input": "queens", "elements": 16}), ("triangles, R-MAT, 2^20", "triangles", {"input": "rmat", "elements": 2**20}),
    ("spanning forest, R-MAT, 2^20", "mst", {"input": "rmat", "elements": 2**20}),
    *((f"refinement, dwell {dwell}", "refine", {"input": "front", "elements": 8, "dwell": dwell}) for dwell in (1, 1024, 16384))]


def works_table():
    rows = []
    for title, name, cells in WORKS:
        column = "wall_us" if name in ("triangles", "mst", "refine") else "gpu_us"
        pairs = [(launching(at(log(HERE / gpu, name), **cells), column), flat(at(log(HERE / gpu, name), **cells), column)) for gpu in GPUS]
        forms = [f"`{one.iloc[0]['strategy']}`" for one in pairs[0]]
        rows.append([title, *forms, *(text for pair in pairs for text in (*(cell_of(median, one, column) for one in pair), cell_of(ratio, *pair, column=column)))])
    return markdown(["work", "best form that launches", "best flat form", *(f"{gpu.upper()}: {what}" for gpu in GPUS for what in (
        "launches, µs", "flat, µs", "ratio"))], rows)


def pays_table():
    works, rows = at(log(HERE / "h100", "pays"), **AS_IS), []
    for title, column in (("kernels that launch kernels", "launches_us"), ("a device graph that launches itself", "device_graph_us"),
                          ("a WHILE node", "while_node_us"), ("one grid", "one_grid_us")):
        gain = (pandas.to_numeric(works["host_us"]) / pandas.to_numeric(works[column])).dropna()
        rows.append([title, digits_text(gain.median()), f"{(gain > 1.03).sum()} of {len(gain)}", f"{(1 / gain > 1.03).sum()}"])
    return markdown(["form", "host's time over its time, median", "works on which it is over 3 % faster", "slower"], rows)


def busy_table():
    rows = []
    for how in ("host_polled", "host_read", "host_graph_bound", "graph_while", "graph_tail", "tail", "grid_sync"):
        own = [at(log(HERE / "h100", "busy_host"), **{**BUSY, "host_load": load}, mechanism=how) for load in (0, 2)]
        rows.append([f"`{how}`", *(cell_of(median, one, column) for column in ("span_us", "span_p99_us", "wall_p99_us") for one in own)])
    return markdown(["who decides", *(f"{what}, {load}" for what in ("GPU's clock: median", "p99", "host's clock: p99") for load in ("idle", "busy"))], rows)


def files_table(gpu):
    rows = collections.defaultdict(list)
    for path in sorted((HERE / gpu).glob("*.csv*")):
        name = path.name.split(".csv")[0]
        if path.suffix != ".json" and "run_id" in log(HERE / gpu, name):
            own = log(HERE / gpu, name)
            others = ", ".join(f"{number} {state}" for state, number in collections.Counter(own["status"]).most_common() if state != "ok")
            rows[own["git"].iloc[0][:7], " ".join(own["machine"].unique()), str(own["run_id"].nunique())].append(
                f"[{name}]({path.name}) {len(own)}{f' ({others})' if others else ''}")
    return markdown(["commit", "machine", "processes", "logs, rows, and which are not ok"], [[*key, ", ".join(names)] for key, names in sorted(rows.items())])


TABLES = {"ladder": ladder_table, "works": works_table, "pays": pays_table, "busy-host": busy_table,
          **{f"files-{gpu}": functools.partial(files_table, gpu) for gpu in GPUS}}


# --- documents ---


def numbers_page(cited):
    second = {row["claim"]: row["second"] for _, row in log(HERE / "h200", "second_run").iterrows()}
    lines = []
    for name, one in NUMBERS.items():
        value, cells = measured(name, HERE / one.home), {gpu: text_of(name, HERE / gpu) for gpu in GPUS}
        cells[one.home] = text_of(name, HERE / one.home)
        processes = max(frame["run_id"].nunique() if "run_id" in frame else 0 for frame in value.frames)
        ends = value.interval() if processes else None
        spread = f"{'–'.join(map(one.shown, ends))}, {'within one process' if processes == 1 else f'{processes} processes'}" if ends else ""
        machines = value.frames[0]["machine"].unique() if "machine" in value.frames[0] else []
        if len(machines) > 1 and not value.text:
            spread += "; machines: " + ", ".join(one.shown(one.make(at(log(HERE / one.home, one.log), machine=machine)).value) for machine in machines)
        again = digits_text(float(second[name]), one.digits) if second.get(name) and not value.text and one.home == "h200" and "%" not in one.unit else ""
        rows = f"[{one.log}]({os.path.relpath(value.frames[0].attrs['path'], HERE)}), {sum(map(len, value.frames))} rows: {value.what}"
        anchors = "".join(f'<a id="{name}{end}"></a>' for end in ("", *(f".{gpu}" for gpu in GPUS)) if not end or f"{name}{end}" in cited)
        lines.append([f"{anchors}[{name}](numbers.py#L{one.line})", *(cells[gpu] or (cells[one.home] if one.home == "." else "") for gpu in GPUS), spread, again,
                      f"{100 * one.tolerance:.3g} %" + (", every GPU" if one.everywhere else ""), rows])
    text = "# All numbers\n\nWritten by `results/numbers.py --write`. Each name links to the code that computes the number. [How to read this](README.md).\n\n"
    return text + markdown(["number", "H200", "H100", "95 % interval; spread", "second run (H200)", "tolerance", "rests on"], lines)


def documents(root):
    return [path for path in sorted(root.rglob("*.md")) if not any(part.startswith((".", "build")) for part in path.relative_to(root).parts)]


def shown_by(target):
    """(the number, its text) of what a link leads to; (None, None) if there is none."""
    name, _, gpu = target.rpartition(".")
    name, folder = (name, HERE / gpu) if gpu in GPUS else (target, HERE / NUMBERS[target].home if target in NUMBERS else None)
    return (NUMBERS[name], text_of(name, folder)) if name in NUMBERS else (None, None)


def prose_of(text):
    """The text without what no reader sees as prose: code, comments, tables that are written here."""
    hidden = r"```.*?```|<!-- (?:table: |by hand).*?<!-- end -->|<!--.*?-->|`[^`\n]*`"
    return re.sub(hidden, lambda found: re.sub(r"[^\n]", "x", found[0]), text, flags=re.DOTALL)


def rewritten(path, text):
    """(the text with its numbers and tables as the logs give them, [what is wrong with it])."""
    problems, prose = [], prose_of(text)

    def replaced(found):
        one, right = shown_by(found[3])
        if right and found[1] not in (right, right.removesuffix(UNITS[one.unit][2])):
            problems.append(f"{found[1]}: {found[3]} is {right}")
            return found[0].replace(f"[{found[1]}]", f"[{right if found[1].endswith(UNITS[one.unit][2]) else right.removesuffix(UNITS[one.unit][2])}]")
        if not right:
            problems.append(f"{found[0]}: there is no such number")
        return found[0]

    if HERE in path.parents or path == HERE.parent / "README.md":
        problems += [f"{found[0]}: no number covers it" for found in re.finditer(
            r"[0-9]+\.[0-9]+ *(µs|ms|%|GB/s|times)", re.sub(r"\[[^\[\]]*\]\([^)]*\)", "", prose))]
    for sentence in re.split(r"(?<=[.;:])\s|\n\s*\n|\n *- |\|", prose):
        linked = [shown_by(found[3]) for found in LINK.finditer(sentence)]
        word = STRONG.search(LINK.sub("", sentence))
        if word and linked and not any(one and measured(one.name, HERE / one.home).strong for one, _ in linked):
            problems.append(f"the sentence says '{word[0]}', and no number of it is computed so: {' '.join(sentence.split())[:90]}")
    new = TABLE.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], LINK.sub(replaced, text))
    if new != text and not problems:
        problems.append("a table is not what the logs give")
    return new, [f"{path.relative_to(HERE.parent)}: {problem}" for problem in problems]


def pages(root):
    """[(path, its text, as it should be, what is wrong with it)] of all documents."""
    page, texts = HERE / "numbers.md", {path: path.read_text(encoding="utf-8") for path in documents(root)}
    text, cited = texts.pop(page, ""), {target for one in texts.values() for _, _, target in LINK.findall(one)}
    right, named = numbers_page(cited), {shown_by(target)[0].name for target in cited if shown_by(target)[0]}
    wrong = [f"results/numbers.md: no document links to {name}" for name in NUMBERS if name not in named]
    return [*((path, one, *rewritten(path, one)) for path, one in texts.items()), (page, text, right, wrong + (
        ["results/numbers.md: it is not what the logs give"] if text != right else []))]


# --- other logs ---


def near(one, here, there):
    if one.tolerance == 0:
        return one.text(here) == one.text(there)
    return abs(there.value - here.value) <= one.tolerance * (1 if here.text else abs(here.value))  # of a count, the shares are compared


def beside(folder):
    """[(Number, its Value, that in the folder or None, verdict, whether that is judged)]. On another GPU only what must hold everywhere is judged,
    and of a ratio only on which side of 1 it lies. Logs of the folder itself are left out."""
    found, gpus = [], collections.defaultdict(set)
    for one in [one for one in NUMBERS.values() if HERE / one.home != folder]:
        try:
            here = measured(one.name, HERE / one.home)
        except NumberError:
            continue  # an installed copy has not all logs
        try:
            there = one.of(folder)
        except (NumberError, KeyError, ValueError, IndexError):
            there = None
        for place, value in ((HERE / one.home, here), (folder, there)):
            gpus[place] |= {gpu for frame in value.frames if "gpu" in frame for gpu in frame["gpu"].unique()} if value else set()
        found.append((one, here, there))
    rows = []
    for one, here, there in found:
        another = not gpus[folder] <= gpus[HERE / one.home]
        is_near = there and ((here.value > 1) == (there.value > 1) if another and one.everywhere and not here.text else near(one, here, there))
        rows.append((one, here, there, "near" if is_near else "far" if there else "not there", one.everywhere or not another))
    return rows


def against(folder, file):
    rows = beside(folder)
    judged = [row for row in rows if row[4]]
    for title, part in (("judged", judged), ("not judged, as this is another GPU", [row for row in rows if not row[4]])):
        print(f"\n{title}\n" + "\n".join(f"{one.name:26}{one.text(here):>16}{one.text(there) if there else '':>16}  {verdict}"
                                         for one, here, there, verdict, _ in part))
    if file:
        with open(file, "x", newline="", encoding="utf-8") as out:
            csv.writer(out).writerows([["claim", "unit", "first", "second", "ratio", "within", "status"], *(
                [one.name, one.unit, f"{here.value:.6g}", f"{there.value:.6g}" if there else "", f"{there.value / here.value:.4f}" if there and here.value else "",
                 one.tolerance, verdict] for one, here, there, verdict, _ in rows)])
    return 3 if any(verdict == "far" for *_, verdict, _ in judged) else 0


def main():
    parser = argparse.ArgumentParser(description="The numbers of the documents, computed from the logs. Exit codes: 0 right, 2 a bad option, 3 not right.")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", action="store_true", help="write numbers.md, and the numbers and tables in the documents")
    action.add_argument("--check", action="store_true", help="say what is not as the logs give it")
    action.add_argument("--against", type=pathlib.Path, metavar="FOLDER", help="the same numbers from the logs of another folder")
    parser.add_argument("--csv", metavar="FILE", help="with --against: also into a new file")
    options = parser.parse_args()
    if options.against:
        if not options.against.is_dir() or options.csv and os.path.exists(options.csv):
            parser.error(f"--against {options.against}, --csv {options.csv}: allowed: a folder with logs, and a new file")
        return against(options.against.resolve(), options.csv)
    found = pages(HERE.parent)
    if options.write:
        for path, text, right, _ in found:
            if text != right:
                path.write_text(right, encoding="utf-8")
                print(path)
        return 0
    problems = [problem for *_, wrong in found for problem in wrong]
    print("\n".join(problems) or f"{len(NUMBERS)} numbers: the documents and the logs agree")
    return 3 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
