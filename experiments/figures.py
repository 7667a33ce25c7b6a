"""The table of figures: what each shows, which cases it takes, and how it is drawn as SVG and PNG (plot.py) and on
the page (report.py). An experiment names the figures of its log. Those of other logs are the figures that suit their workloads, as
far as they find something to draw."""
import dataclasses
import pathlib
import re
import typing

import figure_parts as parts
import figures_irregular as irregular
import figures_launches
import figures_own
import figures_rates
import figures_rows
import figures_sweeps
import logs
import tables
from figure_panels import nothing_timed


@dataclasses.dataclass(frozen=True)
class Figure:
    """An entry of the table.

    `name` is used on the page and in its addresses. `file` is the end of a file name, the same for figures that share
    a file. `title` and `note` are printed above the figure. `needs` is what it needs of a log, and `experiment` makes
    such a log.
    `takes` selects the cases that it shows, for files and page alike, from the cases of one machine in a log, without the workloads
    that it does not suit (`nestbed list --json`): none if there is nothing to draw.
    `draw` draws a file of (part, these cases, figure); None if they have nothing to draw. `untimed`: it does not need times of them.
    The page offers `axes` (of AXES; empty: one dot per case, at one size) and `measures` (of MEASURES). Of a figure without a
    `note` it has only the picture of the file, because a point of it is no case. `level`: the name of a line across the figure.
    `more`: additional options that the experiment needs. `last`: of a log that does not name it, only if there is no other figure;
    the page shows it for every log, one size at a time.
    """
    name: str
    file: str
    title: str
    note: str
    needs: str
    experiment: str
    takes: typing.Callable
    draw: typing.Callable
    axes: tuple = ()
    measures: tuple = ("time",)
    level: str = ""
    untimed: bool = False
    more: str = ""
    last: bool = False

    @property
    def command(self):
        """The command that makes a log with this figure."""
        return f"nestbed run experiments/{self.experiment}.cfg{self.more and ' '}{self.more}"

    def drawn(self, part, taken):
        """The matplotlib figure of the cases that it takes of a part."""
        made = self.draw(part, taken, self) if self.untimed or taken["us"].notna().any() else None
        return made or nothing_timed(self.title, part, taken)


# --- which cases a figure takes ------------------------------------------------------------------------------------------------


def _all(cases):
    return cases


def _only(figure):
    """Takes no strategy that this nestbed does not have."""
    return lambda cases: cases[cases["workload"].isin(tables.workloads_with_figure(figure))]


def _swept(axis):
    """Takes all cases, if some of them differ only in the axis."""
    return lambda cases: cases if parts.along(cases, axis) else cases[:0]


FIGURES = [
    Figure("by-depth", "latency-depth", "Time against nesting depth",
           "The recursion stops at a given depth, and each block then finishes in a loop. From which depth on does "
           "recursion cost more than it gains?",
           "several depths", "depth", _swept("depth"), figures_sweeps.against, ("depth",)),
    Figure("times", "time", "Times of a workload of your own", "", "a workload of a user's own", "book", figures_own.of_own, figures_own.times,
           untimed=True),
    Figure("ways", "strategies", "Every way at one size",
           "Which strategy computes the same answer in the least time? One size at a time, the fastest first.",
           "several cases of one size", "ways", _all, figures_rows.strategies, last=True, untimed=True),
    Figure("book", "book", "The book's table", "", "the book's five strategies at 2048 blocks of 512", "book", figures_rows.book_cases,
           figures_rows.book),
    Figure("by-grid", "latency-grid", "Time against grid size", "How does the time of each strategy grow with the grid?",
           "several grids", "grid", figures_sweeps.grids, figures_sweeps.against, ("grid",)),
    Figure("by-block", "latency-block", "Time against block size", "How does the time of each strategy change with the size of its blocks?",
           "several blocks of one grid", "ways", _swept("block"), figures_sweeps.against, ("block",),
           more="--block 64,256,1024 --figure by-block"),
    Figure("launches", "launches", "Device launches", "How many launches does each strategy make from the device? Counted in the kernels themselves.",
           "several depths or grids", "depth", figures_sweeps.counts, figures_sweeps.launches, ("depth", "grid"),
           ("device_launches",), untimed=True),
    Figure("chain", "launch-time", "Time per launch in chains of empty grids",
           "What does a launch cost when each grid launches the next? By launch mechanism.",
           "chains of empty grids", "launch", figures_launches.empty_grids("chain"), figures_launches.launch_time, ("length",), ("each",),
           untimed=True),
    Figure("ladder", "ladder", "The ladder: what one more level costs",
           "", "chains of two lengths, in levels of several sizes", "ladder", figures_launches.steps, figures_launches.by_blocks),
    Figure("busy-host", "busy-host", "A busy host",
           "", "many runs of a chain under several loads on the host", "busy_host", figures_launches.loads, figures_launches.by_load),
    Figure("fanout", "launch-time", "Time per launch among many",
           "What does a launch cost when one grid makes many? The time of a run, divided by its launches. Device launches are made in "
           "waves of root blocks that fit the pending-launch limit, unless a case fixes its wave. grid.sync() launches nothing; its "
           "time is divided by the same number.",
           "fan-outs", "launch", figures_launches.empty_grids("fanout"), figures_launches.launch_time, ("children",), ("each",),
           untimed=True),
    Figure("trees", "launch-trees", "Time per launch in chains and trees below many blocks", "", "chains or trees of empty grids",
           "trees", figures_launches.trees, figures_launches.by_launches),
    Figure("submission", "submission", "What submission costs",
           "How much of a run does the host spend on submitting it? Held: the GPU starts when all is submitted. Open: it starts at once.",
           "chains or fan-outs, held and open", "submit", figures_launches.submissions, figures_launches.submission, ("length", "children"),
           ("each",)),
    Figure("hazard", "wrong", "Wrong answers against delay",
           "How often is the answer wrong when the losing side of the race is delayed? Share of the rows that are ok or wrong; bars are "
           "95 % Wilson intervals.",
           "several delays", "hazard", _swept("delay"), figures_sweeps.wrong, ("delay",), ("wrong",), untimed=True),
    Figure("litmus", "litmus", "Stale values", "", "patterns of memory visibility (strategies litmus_*)", "litmus", _only("litmus"), figures_rows.stale, untimed=True),
    Figure("pending", "pending-limit", "The pending-launch limit",
           "When are launches refused, and what does a larger limit cost? Lost launches are those that were refused and those that a "
           "refused one would have made, as a share of all that are expected.",
           "several limits", "pending", _swept("limit"), figures_sweeps.pending_limit, ("limit",),
           ("time", "lost", "memory"), untimed=True),
    Figure("lanes", "lanes", "Lanes that launch together", "", "lanes_in_turn or lanes_at_once", "lanes", _only("lanes"), figures_rows.lanes, untimed=True),
    Figure("against-flat", "against-flat", "Data-dependent launches against flat kernels", "", "data-dependent launches and flat forms of the same work",
           "mandelbrot", irregular.flat_and_nested, irregular.against_flat),
    Figure("threshold", "threshold", "Time and launches against the threshold", "", "data-dependent launches with several thresholds", "bezier",
           irregular.THRESHOLD.takes, irregular.THRESHOLD.draw),
    Figure("by-launches", "launches-time", "Time against the number of launches", "", "data-dependent launches in several numbers", "bezier",
           irregular.BY_LAUNCHES.takes, irregular.BY_LAUNCHES.draw),
    Figure("by-size", "time-size", "Time per element against the size", "", "an irregular workload in several sizes", "sort",
           irregular.BY_SIZE.takes, irregular.BY_SIZE.draw),
    Figure("by-input", "time-input", "Time against the input", "", "an irregular workload with several inputs", "sort",
           irregular.BY_INPUT.takes, irregular.by_input),
    Figure("by-work", "time-work", "Time against the work of an item", "", "data-dependent launches and flat forms with several works per item", "refine",
           irregular.BY_WORK.takes, irregular.BY_WORK.draw),
    Figure("tenants", "tenants", "Many tenants against the width of a level", "", "tenants with three widths of a level, or two gaps between arrivals", "tenants",
           irregular.TENANTS.takes, irregular.TENANTS.draw),
    Figure("resources", "resources", "A launch as a change of resources", "", "icp by launches and by one grid, with three scans or shares of near points",
           "resources", irregular.RESOURCES.takes, irregular.RESOURCES.draw),
    Figure("by-budget", "time-budget", "Tree search against the budget", "", "searches of a tree with several budgets", "search",
           irregular.BY_BUDGET.takes, irregular.BY_BUDGET.draw),
    Figure("by-cutoff", "time-cutoff", "Tree search against the cut-off", "", "searches of a tree with several cut-offs", "search",
           irregular.BY_CUTOFF.takes, irregular.BY_CUTOFF.draw),
    Figure("depths", "launches-depth", "Launches by depth", "", "a sort or a quadtree without aggregation", "sort",
           irregular.depths, irregular.by_depth, untimed=True),
    Figure("teps", "teps", "Traversed edges per second", "", "flat and nested searches of a graph, of bfs with bfs_frontier or bfs_balanced",
           "bfs", figures_rows.traversed, figures_rows.edges_per_second),
    Figure("study", "ratios", "Best threshold, coarsening and aggregation", "", "threshold, coarsening and aggregation, all of them", "cgo22",
           irregular.studies, irregular.study_ratios),
    Figure("cub", "against-cub", "Time against CUB's",
           "The median time divided by that of the faster of cub and cub_narrow (cub::DeviceReduce::Sum) for the same type and size. "
           "Below 1, a strategy is faster than CUB.",
           "cub or cub_narrow and others at several sizes", "library", figures_rates.beside_cub, figures_rates.against_cub,
           ("elements",), ("ratio",), level="as fast as CUB"),
    Figure("bandwidth", "bandwidth", "Bandwidth against size",
           "The bytes that the workload must read and write at least, divided by the time. Inputs that fit the caches can exceed the "
           "memory's peak.",
           "bandwidth at several sizes", "library", figures_rates.rates, figures_rates.bandwidth, ("elements",),
           ("bandwidth", "share"), level="peak"),
    Figure("rates", "bandwidth", "Bandwidth at one size", "The bytes that the workload must read and write at least, divided by the time.",
           "flat kernels at few sizes", "baselines", figures_rates.rates_at_one_size, figures_rows.bandwidth_dots, (),
           ("bandwidth", "share"), level="peak"),
    Figure("waves", "waves", "Time against the size of a wave",
           "The root blocks of a run are launched in waves, in one stream or several. Which size of wave is the fastest?",
           "several waves", "waves", figures_sweeps.in_waves, figures_sweeps.waves, ("wave",)),
]


EXPERIMENTS = pathlib.Path(__file__).resolve().parent


def named_in(path, log):
    """The names of the figures that the experiments of a log name: in its manifest or, if that is older than such names, in the file of
    the experiment in this folder. Empty: those of the workloads. Raises logs.LogError."""
    runs = logs.manifest_of(path).get("runs", {})
    found = [runs[run].get("figures", []) for run in log["run_id"].unique() if isinstance(runs.get(run), dict)]
    names = [name for named in found for name in (named if isinstance(named, list) else [named])]
    names = names or [name for experiment in log["experiment"].unique() for name in _named_by(experiment)]
    known = [figure.name for figure in FIGURES]
    for name in names:
        if name not in known:
            raise logs.LogError(f"{path}: its experiment names a figure '{logs.printable(str(name))}'; allowed: {', '.join(known)}")
    return names


def _named_by(experiment):
    """Those in the file of an experiment, also of one of its sections: `launch-fanout` is of launch.cfg."""
    stem = experiment.partition("-")[0]
    path = EXPERIMENTS / f"{stem}.cfg"
    text = path.read_text(encoding="utf-8") if re.fullmatch(r"\w+", stem) and path.is_file() else ""
    return [name.strip() for line in re.findall(r"^figure *=([^#\n]*)", text, re.MULTILINE) for name in line.split(",")]


def suited(figure, cases, named=()):
    """The cases without those of the workloads that a figure does not suit. One that is named suits each of a user's own."""
    others = set(tables.tables()["workloads"]) - set(tables.workloads_with_figure(figure.name))
    others -= set(tables.names_with("workloads", "own")) if figure.name in named else set()
    return cases[~cases["workload"].isin(others)] if others & set(cases["workload"]) else cases


def taken_in(cases, named):
    """{figure: its cases} of the cases of one machine in a log: of the figures that it names, or of all."""
    found = {}
    for figure in sorted(FIGURES, key=lambda figure: figure.last):
        if figure.name in named or not named and not figure.last or not found and figure.last:
            own = figure.takes(suited(figure, cases, named))
            found.update({figure.name: own} if len(own) else {})
    return {figure: found[figure.name] for figure in FIGURES if figure.name in found}


def not_drawn(path, log, made):
    """Of each figure that is not among `made` and that the experiments of a log name, or the user's own workload: which, why, and what is drawn
    instead."""
    there, by_experiment, texts = list(dict.fromkeys(figure.name for figure, _, _ in made)), named_in(path, log), []
    by_own = [name for workload in set(log["workload"]) if tables.is_own(workload) for name in tables.tables()["workloads"][workload]["figures"]]
    for figure in FIGURES:
        if figure.name not in (by_experiment or by_own) or figure.name in there:
            continue
        others = sorted(set(log["workload"]) - set(tables.workloads_with_figure(figure.name)) - set(tables.names_with("workloads", "own")) - {""})
        why = f"it does not suit {', '.join(others)} (WorkloadInfo::figures)" if set(log["workload"]) <= {*others, ""} else f"it needs {figure.needs}"
        why = why if figure.name in by_experiment or not figure.last else "it is drawn where there is no other"
        texts.append(f"no figure {figure.name}, which its {'experiment' if figure.name in by_experiment else 'workload'} names: {why}; drawn: {', '.join(there) or 'nothing'}")
    return texts


def drawn(path, log):
    """Of a log, [(figure, file name without its ending, matplotlib figure)]: of each backend and device its own. Figures that
    share a file are one matplotlib figure. Raises logs.LogError."""
    stem = str(path).replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".csv")
    named, found = named_in(path, log), []
    for part in parts.parts_of(path, log):
        made = {}
        for figure, taken in taken_in(part.cases, named).items():
            if figure.file not in made:
                made[figure.file] = figure.drawn(part, taken)
            found.append((figure, f"{stem}-{figure.file}{part.suffix}", made[figure.file]))
    return found
