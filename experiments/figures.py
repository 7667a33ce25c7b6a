"""The table of figures: what each is of, which cases it takes, and how it is drawn as SVG and PNG (plot.py) and on the page
(report.py). Which of them a log has follows from what varies in it."""
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
from measures import AXES, MEASURES

SWEPT = 0.5  # of the cases that have sizes: over that share must lie on a line of three for rates to be drawn as lines
EMPTY_GRIDS = ("chain", "fanout")


class TableError(Exception):
    """A figure that files and page could not both show: which, and why."""


@dataclasses.dataclass(frozen=True)
class Figure:
    """An entry of the table.

    `name`: on the page, in its addresses; `file`: at the end of a file's name, the same where one file holds several figures.
    `title` and `note`: above it. What it needs of a log, and the experiment that makes one.
    `find` gives what of a part a file is drawn of, None where there is nothing; `draw` draws it, of (part, found, figure).
    On the page: `axes` (of AXES; none: a dot a case, at one size) and `measures` (of MEASURES) to choose from; `page`: why it is
    not there. The cases: of the strategies `only` (all, where there is none), but `without` these, and with a value in `has`, a
    column or a measure. `level`: where a line of this name goes across; `by_family`: False where all have colours of their own.
    `more`: options that the experiment needs besides.
    """
    name: str
    file: str
    title: str
    note: str
    needs: str
    experiment: str
    find: typing.Callable
    draw: typing.Callable
    axes: tuple = ()
    measures: tuple = ("time",)
    only: tuple = ()
    without: tuple = ()
    has: str = ""
    level: str = ""
    by_family: bool = True
    page: str = ""
    more: str = ""

    def __post_init__(self):
        texts = ("name", "file", "title", "needs", "experiment", *(() if self.page else ("note",)))
        lacks = [name for name in texts if not getattr(self, name)]
        lacks += [name for name in ("find", "draw") if not callable(getattr(self, name))]
        lacks += [f"axis {name}" for name in self.axes if name not in AXES]
        lacks += [f"measure {name}" for name in self.measures or ("at all",) if name not in MEASURES]
        if lacks:
            raise TableError(f"figure {self.name or self.title}: there is no {', no '.join(lacks)}; files and page need it")

    @property
    def command(self):
        """Makes a log that has it."""
        return f"nestbed run experiments/{self.experiment}.cfg{self.more and ' '}{self.more}"

    def takes(self, cases):
        cases = cases[~cases["strategy"].isin(self.without)]
        cases = cases[cases["strategy"].isin(self.only)] if self.only else cases
        return cases[cases[self.has].notna()] if self.has else cases


def _recursions(cases):
    return cases[~cases["strategy"].isin(EMPTY_GRIDS)]


def _along_depth(part):
    return parts.along(_recursions(part.cases), "depth") or None


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
    cases = part.cases[part.cases["strategy"].isin(EMPTY_GRIDS)]
    return cases if len(cases) and not _pending(part) else None


def _wrong(part):
    return parts.along(_recursions(part.cases), "delay") or None


def _pending(part):
    """Not where waves were varied beside the limit: that is the figure of waves."""
    return parts.along(part.cases, "limit") or None if _waves(part) is None else None


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


def _strategies(part, shown, figure):
    """Of cases that all experiments of a log ran in rounds, their ratios."""
    return (figures_strategies.strategies if figures_rounds.repeated(part) is None else figures_rounds.rounds)(part, shown, figure)


FIGURES = [
    Figure("ways", "strategies", "Every way at one size",
           "What is the cheapest way to the same answer? One size at a time, sorted by time.",
           "several cases of one size", "ways", _left, _strategies),
    Figure("book", "book", "The book's table", "", "the book's five strategies at 2048 blocks of 512", "book", _book,
           figures_rates.book, page="the book's times are no cases of a log"),
    Figure("by-depth", "latency-depth", "Time against nesting depth",
           "The recursion is cut off after so many levels, and a block then finishes in a loop. Where does it stop to pay?",
           "several depths", "depth", _along_depth, figures_sweeps.against, ("depth",), without=EMPTY_GRIDS),
    Figure("by-grid", "latency-grid", "Time against grid size", "What does a way cost as the grid grows?",
           "several grids", "grid", _along_grid, figures_sweeps.against, ("grid",), without=EMPTY_GRIDS),
    Figure("by-block", "latency-block", "Time against block size", "What does a way cost as its blocks grow?",
           "several blocks of one grid", "ways", _along_block, figures_sweeps.against, ("block",), without=EMPTY_GRIDS,
           more="--block 64,256,1024"),
    Figure("launches", "launches", "Device launches", "How many launches does each way make? Counted in the kernels themselves.",
           "several depths or grids", "depth", _launches, figures_sweeps.launches, ("depth", "grid"), ("device_launches",),
           without=EMPTY_GRIDS),
    Figure("chain", "launch-time", "Time a launch, in chains of empty grids",
           "What does one launch after another cost, by each launch mechanism?",
           "chains", "launch", _launch_time, figures_launches.launch_time, ("length",), ("each",), ("chain",), has="launched"),
    Figure("fanout", "launch-time", "Time a launch, of many",
           "What does a launch cost among many, by each launch mechanism? A run's time over how many grids it is to start. "
           "Device launches go in waves of root blocks that fit the pending-launch limit, but where a case fixes its wave. "
           "grid.sync() makes no launches: what the grids would do is done in one, and its time is over the same number.",
           "fan-outs", "launch", _launch_time, figures_launches.launch_time, ("children",), ("each",), ("fanout",)),
    Figure("hazard", "wrong", "Wrong answers against delay",
           "How often is the answer wrong when what loses the race is held up? Of the rows that are ok or wrong; bars are 95 % "
           "Wilson intervals.",
           "several delays", "hazard", _wrong, figures_hazards.wrong, ("delay",), ("wrong",), without=EMPTY_GRIDS),
    Figure("pending", "pending-limit", "The pending-launch limit",
           "Where are launches refused, and what does a larger limit cost? Lost are launches that were refused, and those that a "
           "refused one would have made, of all that are expected.",
           "several limits", "pending", _pending, figures_hazards.pending_limit, ("limit",), ("time", "lost", "memory")),
    Figure("cub", "against-cub", "Time against CUB's",
           "Medians over that of the faster of cub and cub_narrow (cub::DeviceReduce::Sum) of the same log, type and size. "
           "Below 1 a way is faster than CUB.",
           "cub or cub_narrow and others at several sizes", "library", _against_cub, figures_rates.against_cub, ("elements",),
           ("ratio",), without=tuple(logs.CUB), has="ratio", level="as fast as CUB", by_family=False),
    Figure("bandwidth", "bandwidth", "Bandwidth against size",
           "What the workload must read and write at least, over the time. What fits the caches can pass the memory's peak.",
           "bandwidth at several sizes", "library", _bandwidth, figures_rates.bandwidth, ("elements",), ("bandwidth",),
           has="bandwidth_gb_s", level="peak", by_family=False),
    Figure("rates", "bandwidth", "Bandwidth at one size", "What the workload must read and write at least, over the time.",
           "flat kernels at few sizes", "baselines", _bandwidth_dots, figures_rates.bandwidth_dots, (), ("bandwidth",),
           has="bandwidth_gb_s", level="peak"),
    Figure("waves", "waves", "Time against the size of a wave",
           "The root blocks of a run go in waves, in one stream or several. Which size of wave is the fastest?",
           "several waves", "waves", _waves, figures_sweeps.waves, ("wave",), without=EMPTY_GRIDS),
]


def drawn(path, log):
    """Of a log, [(figure, file name without its ending, matplotlib figure)]: of each backend and device its own. Figures that
    share a file are one matplotlib figure."""
    stem = str(path).replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".csv")
    found = []
    for part in parts.parts_of(path, log):
        made = {}
        for figure in FIGURES:
            of = figure.find(part)
            if of is not None:
                if figure.file not in made:
                    made[figure.file] = figure.draw(part, of, figure)
                found.append((figure, f"{stem}-{figure.file}{part.suffix}", made[figure.file]))
    return found
