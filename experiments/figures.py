"""Which figures a log has, by what varies in it, and the drawing of each: [(kind, matplotlib figure)] of a part of a log."""
import dataclasses
import typing

import pandas

import figure_parts as parts
import figures_hazards
import figures_launches
import figures_rates
import figures_rounds
import figures_strategies
import figures_sweeps
import logs

SWEPT = 0.5  # of the cases that have sizes: over that share must lie on a line of three for rates to be drawn as lines


@dataclasses.dataclass
class Kind:
    """`find` gives what of a part the figure is of, None where there is nothing; `draw` makes the figure of it. `what` and
    `lacking` say in words what a folder without it lacks, `experiment` which file makes one."""
    name: str
    what: str
    lacking: str
    experiment: str
    find: typing.Callable
    draw: typing.Callable


def _recursions(cases):
    return cases[~cases["strategy"].isin(["chain", "fanout"])]


def _along_depth(part):
    return parts.along(_recursions(part.cases), "depth", "levels") or None


def _along_grid(part):
    """Of a log in which something launches more than one grid; over flat kernels it is the numbers that vary, and the rate is
    drawn."""
    cases = _recursions(part.cases)
    if not (cases["launches"] > 1).any() and not (cases["ok"] == 0).all():
        return None
    return parts.along(cases[~cases["strategy"].isin(logs.CUB)], "grid") or None


def _along_block(part):
    groups = parts.along(_recursions(part.cases), "block")
    return groups if groups and not _along_grid(part) and not _along_sizes(part) else None


def _launches(part):
    found = {"depth": _along_depth(part), "grid": _along_grid(part)}
    found = {axis: groups for axis, groups in found.items() if groups}
    if not any(group["launches"].max() > 0 for groups in found.values() for group in groups):
        return None
    found = {axis: [group for group in groups if group["launches"].notna().any()] for axis, groups in found.items()}
    return {axis: groups for axis, groups in found.items() if groups}


def _launch_time(part):
    cases = part.cases[part.cases["strategy"].isin(["chain", "fanout"])]
    return cases if len(cases) and not _pending(part) else None


def _wrong(part):
    return parts.along(_recursions(part.cases), "delay_us") or None


def _pending(part):
    """Not where waves were varied beside the limit: that is the figure of waves."""
    return parts.along(part.cases, "pending_limit_asked") or None if _waves(part) is None else None


def _sized(part):
    return part.cases[part.cases["elements"].notna() & part.cases["nx"].isna()]


def _along_sizes(part):
    """Groups of three sizes or more, where most cases lie on one."""
    sized = _sized(part)
    groups = parts.along(sized, "elements")
    return groups if groups and sum(map(len, groups)) > SWEPT * len(sized) else None


def _bandwidth(part):
    groups = None if _along_grid(part) else _along_sizes(part)
    return groups if groups and pandas.concat(groups)["bandwidth_gb_s"].notna().any() else None


def _bandwidth_dots(part):
    """Flat kernels of a GPU whose rate can be held against a measured one, where they are most of the log and its sizes few."""
    cases = part.cases
    flat = cases[(cases["launches"].fillna(0) == 0) & cases["levels"].isna() & cases["bandwidth_gb_s"].notna()]
    flat = flat[~flat["strategy"].isin(["blobs", "blobs_wrong"])]
    if part.backend != "cuda" or len(flat) < len(part.cases) / 2 or _along_sizes(part) or not (flat["peak_gb_s"] > 0).any():
        return None
    return flat if len(flat) > 2 else None


def _against_cub(part):
    if not _along_sizes(part):
        return None
    sized = _sized(part)
    shared = set(sized["elements"][sized["strategy"].isin(logs.CUB)])
    own = sized[~sized["strategy"].isin(logs.CUB) & sized["elements"].isin(shared)]
    return sized[sized["elements"].isin(set(own["elements"]))] if own["elements"].nunique() >= 3 else None


def _waves(part):
    """Cases that differ in wave or streams alone, four or more."""
    cases = _recursions(part.cases)
    names = ["strategy", "mechanism", *parts.NAMES]
    found = [group for group in parts.grouped_by(cases, names)
             if group.groupby("wave")["streams"].nunique().max() > 1 and group["wave"].nunique() >= 2]
    return pandas.concat(found) if found else None


def _book(part):
    cases = part.cases[(part.cases["grid"] == figures_rates.BOOK_GRID) & (part.cases["block"] == figures_rates.BOOK_BLOCK)
                       & part.cases["type"].isin(["int32", ""]) & part.cases["mechanism"].isin(["null", "none", ""])
                       & part.cases["depth"].isin(["full", ""])]
    cases = cases[cases["strategy"].isin(list(figures_rates.book_times()))]
    whole = set(cases["strategy"]) == set(figures_rates.book_times()) and len(cases) == len(figures_rates.book_times())
    return cases if whole and part.backend == "cuda" else None


def _left(part):
    """What is left where nothing numeric varies."""
    sweeps = (_along_depth, _along_grid, _along_block, _launch_time, _wrong, _pending, _bandwidth, _bandwidth_dots, _against_cub,
              _waves)
    return None if any(sweep(part) is not None for sweep in sweeps) else part.cases


def _rounds(part):
    return figures_rounds.repeated(part) if _left(part) is not None else None


def _strategies(part):
    return _left(part) if _rounds(part) is None else None


def _swept(axis):
    return lambda part, groups: figures_sweeps.against(part, groups, axis)


KINDS = [
    Kind("strategies", "strategies beside each other", "measures strategies at one size", "ways.cfg", _strategies,
         figures_strategies.strategies),
    Kind("strategies", "", "", "", _rounds, figures_rounds.rounds),
    Kind("book", "the book's machine and this one", "has the book's five strategies at 2048 blocks of 512", "book.cfg", _book,
         figures_rates.book),
    Kind("latency-depth", "latency against nesting depth", "varies depth", "depth.cfg", _along_depth, _swept("depth")),
    Kind("latency-grid", "latency against grid size", "varies grid", "grid.cfg", _along_grid, _swept("grid")),
    Kind("latency-block", "", "", "", _along_block, _swept("block")),
    Kind("launches", "device launches against depth and grid size", "varies depth or grid", "hello.cfg", _launches,
         figures_sweeps.launches),
    Kind("launch-time", "time a launch", "has chains or fan-outs", "launch.cfg", _launch_time, figures_launches.launch_time),
    Kind("wrong", "wrong answers against delay", "varies delay_us", "hazard.cfg", _wrong, figures_hazards.wrong),
    Kind("pending-limit", "the pending-launch limit", "varies pending_limit", "pending.cfg", _pending,
         figures_hazards.pending_limit),
    Kind("against-cub", "time against CUB's", "has cub over sizes", "library.cfg", _against_cub, figures_rates.against_cub),
    Kind("bandwidth", "bandwidth against size", "varies elements", "library.cfg", _bandwidth, figures_rates.bandwidth),
    Kind("bandwidth", "bandwidth by strategy", "has flat kernels at few sizes", "baselines.cfg", _bandwidth_dots,
         figures_rates.bandwidth_dots),
    Kind("waves", "time against waves", "varies wave", "waves.cfg", _waves, figures_sweeps.waves),
]


def drawn(path, log):
    """Of a log, [(kind, file name without its ending, matplotlib figure)]: of each backend and device its own."""
    stem = str(path).replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".csv")
    found = []
    for part in parts.parts_of(path, log):
        for kind in KINDS:
            of = kind.find(part)
            if of is not None:
                found.append((kind, f"{stem}-{kind.name}{part.suffix}", kind.draw(part, of)))
    return found
