"""The table of figures: what each shows, which cases it takes, and how it is drawn as SVG and PNG (plot.py) and on
the page (report.py). An experiment names the figures of its log. Those of other logs are the figures that suit their workloads, as
far as they find something to draw."""
import dataclasses
import pathlib
import re
import typing

import pandas

import figure_parts as parts
import figures_irregular as irregular
import figures_launches
import figures_rates
import figures_rows
import figures_sweeps
import logs
import tables

SWEPT = 0.5  # If more than this share of the cases with sizes is on lines of three sizes, rates are drawn as lines.


@dataclasses.dataclass(frozen=True)
class Figure:
    """An entry of the table.

    `name` is used on the page and in its addresses. `file` is the end of a file name, the same for figures that share
    a file. `title` and `note` are printed above the figure. `needs` is what it needs of a log, and `experiment` makes
    such a log.
    `takes` selects the cases that it shows, for files and page alike, from the cases of one machine in a log, without the workloads
    that it does not suit (`nestbed list --json`): none if there is nothing to draw.
    From a part and these cases, `find` gets what a file is drawn from, mostly groups of cases. `draw` draws it from
    (part, found, figure).
    The page offers `axes` (of AXES; empty: one dot per case, at one size) and `measures` (of MEASURES). If files and
    page differ: `page` says why the page has only the picture of the file, and `wider` says why the page shows it for every log,
    whatever it takes for a file. `level`: the name of a line across the figure. `by_family`: False if the strategies
    have individual colours. `more`: additional options that the experiment needs. `last`: of a log
    that does not name it, only if there is no other figure.
    """
    name: str
    file: str
    title: str
    note: str
    needs: str
    experiment: str
    takes: typing.Callable
    find: typing.Callable
    draw: typing.Callable
    axes: tuple = ()
    measures: tuple = ("time",)
    level: str = ""
    by_family: bool = True
    page: str = ""
    wider: str = ""
    more: str = ""
    last: bool = False

    @property
    def command(self):
        """The command that makes a log with this figure."""
        return f"nestbed run experiments/{self.experiment}.cfg{self.more and ' '}{self.more}"


# --- which cases a figure takes ------------------------------------------------------------------------------------------------


def _all(cases):
    return cases


def _only(figure):
    """Takes no strategy that this nestbed does not have."""
    return lambda cases: cases[cases["workload"].isin(tables.workloads_with_figure(figure))]


def _none(cases):
    return cases[:0]


def _swept(axis):
    """Takes all cases, if some of them differ only in the axis."""
    return lambda cases: cases if parts.along(cases, axis) else _none(cases)


def _grids(cases):
    """For logs in which something launches more than one grid. For flat kernels, the number of elements varies, and
    another figure draws the rate."""
    if not (cases["launches"] > 1).any() and not (cases["ok"] == 0).all():
        return _none(cases)
    return _swept("grid")(cases[~cases["strategy"].isin(tables.those("strategies", "is_reference"))])


def _counts(cases):
    """The cases of the figures of depths and grids, if any of their lines launches from the device."""
    found = {"depth": _swept("depth")(cases), "grid": _grids(cases)}
    if not any(group["launches"].max() > 0 for axis, own in found.items() for group in parts.along(own, axis)):
        return _none(cases)
    return cases[cases.index.isin([index for own in found.values() for index in own.index])]


def _empty_grids(strategy):
    """Takes chains or fan-outs of several lengths, unless the pending-launch limit or the submission varies, which a line does not show."""
    def takes(cases):
        own = cases[(cases["strategy"] == strategy) & cases["launched"].notna()]
        return own if own["launched"].nunique() > 1 and not parts.varying(own, ["pending_limit_asked", "submit_asked"]) else _none(own)
    return takes


def _submissions(cases):
    """Chains and fan-outs of empty grids, if some were requested as held and some as open."""
    own = cases[cases["launched"].notna() & (cases["submit_asked"] != "")]
    return own if own["submit_asked"].nunique() > 1 else _none(own)


def _sized(cases):
    return cases[cases["elements"].notna() & cases["nx"].isna()]


def _sizes(cases):
    """The cases with a size, if most of them are on a line of three sizes or more."""
    sized = _sized(cases)
    groups = parts.along(sized, "elements")
    return sized if groups and sum(map(len, groups)) > SWEPT * len(sized) else _none(sized)


def _rates(cases):
    sized = _sizes(cases)
    rated = any(group["bandwidth_gb_s"].notna().any() for group in parts.along(sized, "elements"))
    return sized if rated else _none(sized)


def _rates_at_one_size(cases):
    """Flat kernels of a GPU with a known peak bandwidth, if they are most of the log and have few sizes."""
    flat = cases[(cases["launches"].fillna(0) == 0) & cases["depths"].isna() & cases["bandwidth_gb_s"].notna()]
    most = len(flat) > 2 and len(flat) >= len(cases) / 2 and (flat["peak_gb_s"] > 0).any()
    return flat if most and (flat["backend"] == "cuda").all() and not len(_sizes(cases)) else _none(flat)


def _beside_cub(cases):
    """The cases other than CUB's, if CUB was measured at three or more of their sizes."""
    sized = _sizes(cases)
    shared = set(sized["elements"][sized["strategy"].isin(tables.those("strategies", "is_reference"))])
    own = sized[~sized["strategy"].isin(tables.those("strategies", "is_reference")) & sized["elements"].isin(shared)]
    return own if own["elements"].nunique() >= 3 else _none(own)


def _waves(cases):
    """Four or more cases that differ only in wave or streams."""
    names = ["strategy", "mechanism", *parts.case_names()]
    found = [group for group in parts.grouped_by(cases, names, 3)
             if group.groupby("wave")["streams"].nunique().max() > 1 and group["wave"].nunique() >= 2]
    return pandas.concat(found) if found else _none(cases)


# --- what a file is drawn of ---------------------------------------------------------------------------------------------------


def _taken(_, taken):
    return taken


def _along(axis):
    return lambda _, taken: parts.along(taken, axis)


def _launches(_, taken):
    found = {"depth": parts.along(taken, "depth"), "grid": parts.along(_grids(taken), "grid")}
    found = {axis: [group for group in groups if group["launches"].notna().any()] for axis, groups in found.items()}
    return {axis: groups for axis, groups in found.items() if groups}


def _chains_and_fanouts(part, _):
    """The cases of both figures, because they share a file."""
    return part.cases[part.cases["launched"].notna()]


def _with_cub(part, taken):
    references = part.cases["strategy"].isin(tables.those("strategies", "is_reference"))
    sized = _sized(part.cases[references | part.cases["workload"].isin(set(taken["workload"]))])
    return sized[sized["elements"].isin(set(taken["elements"]))]


FIGURES = [
    Figure("by-depth", "latency-depth", "Time against nesting depth",
           "The recursion stops at a given depth, and each block then finishes in a loop. From which depth on does "
           "recursion cost more than it gains?",
           "several depths", "depth", _swept("depth"), _along("depth"), figures_sweeps.against, ("depth",)),
    Figure("ways", "strategies", "Every way at one size",
           "Which strategy computes the same answer in the least time? One size at a time, the fastest first.",
           "several cases of one size", "ways", _all, _taken, figures_rows.strategies,
           wider="a file shows all sizes of a log at once, where nothing else is to be seen in it; the page any one size", last=True),
    Figure("book", "book", "The book's table", "", "the book's five strategies at 2048 blocks of 512", "book", figures_rows.book_cases,
           _taken, figures_rows.book, page="the book's times are no cases of a log"),
    Figure("by-grid", "latency-grid", "Time against grid size", "How does the time of each strategy grow with the grid?",
           "several grids", "grid", _grids, _along("grid"), figures_sweeps.against, ("grid",)),
    Figure("by-block", "latency-block", "Time against block size", "How does the time of each strategy change with the size of its blocks?",
           "several blocks of one grid", "ways", _swept("block"), _along("block"), figures_sweeps.against, ("block",),
           more="--block 64,256,1024 --figure by-block"),
    Figure("launches", "launches", "Device launches", "How many launches does each strategy make from the device? Counted in the kernels themselves.",
           "several depths or grids", "depth", _counts, _launches, figures_sweeps.launches, ("depth", "grid"),
           ("device_launches",)),
    Figure("chain", "launch-time", "Time per launch in chains of empty grids",
           "What does a launch cost when each grid launches the next? By launch mechanism.",
           "chains of empty grids", "launch", _empty_grids("chain"), _chains_and_fanouts, figures_launches.launch_time, ("length",), ("each",)),
    Figure("ladder", "ladder", "The ladder: what one more level costs",
           "", "chains of two lengths, in levels of several sizes", "ladder", figures_launches.steps, _taken, figures_launches.by_blocks,
           page="a point of it is the difference of two cases"),
    Figure("busy-host", "busy-host", "A busy host",
           "", "many runs of a chain under several loads on the host", "busy_host", figures_launches.loads, _taken, figures_launches.by_load,
           page="its panels are quantiles of the runs of a case"),
    Figure("fanout", "launch-time", "Time per launch among many",
           "What does a launch cost when one grid makes many? The time of a run, divided by its launches. Device launches are made in "
           "waves of root blocks that fit the pending-launch limit, unless a case fixes its wave. grid.sync() launches nothing; its "
           "time is divided by the same number.",
           "fan-outs", "launch", _empty_grids("fanout"), _chains_and_fanouts, figures_launches.launch_time, ("children",),
           ("each",)),
    Figure("trees", "launch-trees", "Time per launch in chains and trees below many blocks", "", "chains or trees of empty grids",
           "trees", figures_launches.trees, _taken, figures_launches.by_launches, page="its panels have different axes"),
    Figure("submission", "submission", "What submission costs",
           "How much of a run does the host spend on submitting it? Held: the GPU starts when all is submitted. Open: it starts at once.",
           "chains or fan-outs, held and open", "submit", _submissions, _taken, figures_launches.submission, ("length", "children"),
           ("each",)),
    Figure("hazard", "wrong", "Wrong answers against delay",
           "How often is the answer wrong when the losing side of the race is delayed? Share of the rows that are ok or wrong; bars are "
           "95 % Wilson intervals.",
           "several delays", "hazard", _swept("delay"), _along("delay"), figures_sweeps.wrong, ("delay",), ("wrong",)),
    Figure("litmus", "litmus", "Stale values", "", "patterns of memory visibility (strategies litmus_*)", "litmus", _only("litmus"), _taken,
           figures_rows.stale, page="its answers are no times, and a line of it is no case"),
    Figure("pending", "pending-limit", "The pending-launch limit",
           "When are launches refused, and what does a larger limit cost? Lost launches are those that were refused and those that a "
           "refused one would have made, as a share of all that are expected.",
           "several limits", "pending", _swept("limit"), _along("limit"), figures_sweeps.pending_limit, ("limit",),
           ("time", "lost", "memory")),
    Figure("lanes", "lanes", "Lanes that launch together", "", "lanes_in_turn or lanes_at_once", "lanes", _only("lanes"), _taken,
           figures_rows.lanes, page="its cells are outcomes, not numbers"),
    Figure("against-flat", "against-flat", "Data-dependent launches against flat kernels", "", "data-dependent launches and flat forms of the same work",
           "mandelbrot", irregular.flat_and_nested, _taken, irregular.against_flat,
           page="a line of it is no case: its dots are all forms of the same work"),
    Figure("threshold", "threshold", "Time and launches against the threshold", "", "data-dependent launches with several thresholds", "bezier",
           irregular.THRESHOLD.takes, _taken, irregular.THRESHOLD.draw, page="a point of it is the best of several cases"),
    Figure("by-launches", "launches-time", "Time against the number of launches", "", "data-dependent launches in several numbers", "bezier",
           irregular.launches, _taken, irregular.against_launches, page="launches follow from the case, they are no axis"),
    Figure("by-size", "time-size", "Time per element against the size", "", "an irregular workload in several sizes", "sort",
           irregular.BY_SIZE.takes, _taken, irregular.BY_SIZE.draw, page="a point of it is the best of several cases"),
    Figure("by-input", "time-input", "Time against the input", "", "an irregular workload with several inputs", "sort",
           irregular.inputs, _taken, irregular.by_input, page="a dot of it is the best of several cases"),
    Figure("by-work", "time-work", "Time against the work of an item", "", "data-dependent launches and flat forms with several works per item", "refine",
           irregular.BY_WORK.takes, _taken, irregular.BY_WORK.draw, page="a point of it is the best of several cases"),
    Figure("tenants", "tenants", "Many tenants against the width of a level", "", "tenants with three widths of a level, or two gaps between arrivals", "tenants",
           irregular.TENANTS.takes, _taken, irregular.TENANTS.draw, page="a point of it is the best of several cases"),
    Figure("resources", "resources", "A launch as a change of resources", "", "icp by launches and by one grid, with three scans or shares of near points",
           "resources", irregular.RESOURCES.takes, _taken, irregular.RESOURCES.draw, page="a point of it is the best of several cases"),
    Figure("by-budget", "time-budget", "Tree search against the budget", "", "searches of a tree with several budgets", "search",
           irregular.BY_BUDGET.takes, _taken, irregular.BY_BUDGET.draw, page="a point of it is the best of several cases"),
    Figure("by-cutoff", "time-cutoff", "Tree search against the cut-off", "", "searches of a tree with several cut-offs", "search",
           irregular.BY_CUTOFF.takes, _taken, irregular.BY_CUTOFF.draw, page="a point of it is the best of several cases"),
    Figure("depths", "launches-depth", "Launches by depth", "", "a sort or a quadtree without aggregation", "sort",
           irregular.depths, _taken, irregular.by_depth, page="a line of it is one case"),
    Figure("teps", "teps", "Traversed edges per second", "", "flat and nested searches of a graph, of bfs with bfs_frontier or bfs_balanced",
           "bfs", figures_rows.traversed, _taken, figures_rows.edges_per_second, page="a dot of it is the best of several cases"),
    Figure("study", "ratios", "Best threshold, coarsening and aggregation", "", "threshold, coarsening and aggregation, all of them", "cgo22",
           irregular.studies, _taken, irregular.study_ratios, page="a ratio of it is of two groups of cases"),
    Figure("cub", "against-cub", "Time against CUB's",
           "The median time divided by that of the faster of cub and cub_narrow (cub::DeviceReduce::Sum) for the same type and size. "
           "Below 1, a strategy is faster than CUB.",
           "cub or cub_narrow and others at several sizes", "library", _beside_cub, _with_cub, figures_rates.against_cub,
           ("elements",), ("ratio",), level="as fast as CUB", by_family=False),
    Figure("bandwidth", "bandwidth", "Bandwidth against size",
           "The bytes that the workload must read and write at least, divided by the time. Inputs that fit the caches can exceed the "
           "memory's peak.",
           "bandwidth at several sizes", "library", _rates, _along("elements"), figures_rates.bandwidth, ("elements",),
           ("bandwidth", "share"), level="peak", by_family=False),
    Figure("rates", "bandwidth", "Bandwidth at one size", "The bytes that the workload must read and write at least, divided by the time.",
           "flat kernels at few sizes", "baselines", _rates_at_one_size, _taken, figures_rows.bandwidth_dots, (),
           ("bandwidth", "share"), level="peak"),
    Figure("waves", "waves", "Time against the size of a wave",
           "The root blocks of a run are launched in waves, in one stream or several. Which size of wave is the fastest?",
           "several waves", "waves", _waves, _taken, figures_sweeps.waves, ("wave",)),
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
            raise logs.LogError(f"{path}: its experiment names a figure '{logs.seen(str(name))}'; allowed: {', '.join(known)}")
    return names


def _named_by(experiment):
    """Those in the file of an experiment, also of one of its sections: `launch-fanout` is of launch.cfg."""
    stem = experiment.partition("-")[0]
    path = EXPERIMENTS / f"{stem}.cfg"
    text = path.read_text(encoding="utf-8") if re.fullmatch(r"\w+", stem) and path.is_file() else ""
    return [name.strip() for line in re.findall(r"^figure *=([^#\n]*)", text, re.MULTILINE) for name in line.split(",")]


def suited(figure, cases):
    """The cases without those of the workloads that a figure does not suit."""
    others = set(tables.tables()["workloads"]) - set(tables.workloads_with_figure(figure.name))
    return cases[~cases["workload"].isin(others)] if others & set(cases["workload"]) else cases


def taken_in(cases, named):
    """{figure: its cases} of the cases of one machine in a log: of the figures that it names, or of all."""
    found = {}
    for figure in sorted(FIGURES, key=lambda figure: figure.last):
        if figure.name in named or not named and not figure.last or not found and figure.last:
            own = figure.takes(suited(figure, cases))
            found.update({figure.name: own} if len(own) else {})
    return {figure: found[figure.name] for figure in FIGURES if figure.name in found}


def not_drawn(path, log, made):
    """Of each figure that the experiments of a log name and that is not among `made`: which, why, and what is drawn instead."""
    there = list(dict.fromkeys(figure.name for figure, _, _ in made))
    texts = []
    for figure in FIGURES:
        if figure.name not in named_in(path, log) or figure.name in there:
            continue
        others = sorted(set(log["workload"]) - set(tables.workloads_with_figure(figure.name)) - {""})
        why = f"it does not suit {', '.join(others)} (WorkloadInfo::figures)" if set(log["workload"]) <= {*others, ""} else f"it needs {figure.needs}"
        texts.append(f"no figure {figure.name}, which its experiment names: {why}; drawn: {', '.join(there) or 'nothing'}")
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
                made[figure.file] = figure.draw(part, figure.find(part, taken), figure)
            found.append((figure, f"{stem}-{figure.file}{part.suffix}", made[figure.file]))
    return found
