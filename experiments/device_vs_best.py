#!/usr/bin/python3
"""Does it pay to launch from the device? What results/method.md does without a GPU. experiments/device_vs_best.sh installs what this needs and
runs it, with NESTBED, the path of a nestbed."""
import argparse
import io
import math
import pathlib
import random
import sys

import pandas

import checked_output
import log_files
import logs
import tables
from checked_output import BadInput, ScriptError

SEARCH = "device_vs_best_search*.csv"  # the logs of device_vs_best.cfg and device_vs_best_more.cfg, in which the cases are chosen
RUNS = "device_vs_best_[0-9]*.csv"  # the logs of the chosen cases, one per process
TABLE = "device_vs_best.csv"
LEAST_SPEEDUP = 1.03  # launches pay if the lower end of the interval is above this
LAUNCHES, GRAPH = "launches", "device graph"
OWN = (LAUNCHES, GRAPH)  # the kinds of forms that launch from the device
HOST, LIBRARY, BOUND = "host", "library", "bound"
RIVALS = ("WHILE node", HOST, BOUND, "one grid", LIBRARY, "one launch")  # in the order of the columns
KINDS = (*OWN, *RIVALS)
NOT_CHOSEN = ("backend", "seed", "l2", "submit", "pending-limit", "grid", "wave", "streams")  # axes that follow, or are the same for all


def work_columns():
    """What two cases share that do the same work: of the workloads that this protocol is for, nestbed's own irregular ones."""
    return ["workload", *tables.problem_columns()]


def kind_of(case):
    """Who says what runs next in a form: a column of the table. Raises BadInput for a mechanism that has no kind."""
    mechanism = case["mechanism"]
    if mechanism in tables.names_with("mechanisms", "from_device"):
        return GRAPH if mechanism.startswith("graph_") else LAUNCHES
    if tables.family_of(case["strategy"]) == "library":
        return LIBRARY
    kinds = {"graph_while": "WHILE node", "host": HOST, "grid_sync": "one grid", "cluster_sync": "one grid", "none": "one launch", "": "one launch",
             **dict.fromkeys(("host_pdl", "host_graph", "host_graph_pdl", "host_max_levels", "host_graph_max_levels", "host_graph_pdl_max_levels"), BOUND)}
    if mechanism not in kinds:
        raise BadInput(f"{case['strategy']} by {mechanism}: it is no kind of form that is compared; allowed: {', '.join(kinds)}, and launches "
                       f"from the device")
    return kinds[mechanism]


class Measured:
    """A case of a log: `axes`, its cells by column; `wall`, `gpu` and `prepare`, the times of its samples in us; `launches`, of one."""

    def __init__(self, axes):
        self.axes, self.wall, self.gpu, self.prepare, self.launches, self.right = axes, [], [], [], 0, True

    @property
    def work(self):
        return tuple(self.axes[name] for name in work_columns())

    @property
    def kind(self):
        return kind_of(self.axes)

    def is_comparable(self):
        """Whether it is right, and launches if it is of a kind that does: a threshold above all items leaves nothing to launch."""
        return self.right and bool(self.wall) and (self.kind not in OWN or self.launches > 0)


def cases_of(path):
    """{key: Measured} of a log, whose axes have `gpu` and `machine` too. Raises logs.LogError."""
    table = logs.read_table(path)
    missing = [name for name in ("workload", "gpu", "machine", "key", "wall_us", "prepare_us", "status") if name not in table]
    if missing:
        raise BadInput(f"{path}: it has no column {', '.join(missing)}; allowed: a log of this version of nestbed")
    found, axes = {}, [*tables.axis_columns(), "gpu", "machine"]  # a log may be older than an axis
    for cells in table.to_dict("records"):
        case = found.setdefault(cells["key"], Measured({"workload": cells["workload"], **{name: cells.get(name, "") for name in axes}}))
        case.right &= cells["status"] == "ok"
        if cells["status"] == "ok":
            case.launches = max(case.launches, int(cells["launches_attempted"] or 0))
            for name, times in (("wall_us", case.wall), ("gpu_us", case.gpu), ("prepare_us", case.prepare)):
                times += [float(cells[name])] if cells[name] else []
    return found


def cases_of_all(paths):
    return {key: case for path in paths for key, case in cases_of(path).items()}


def by_work(cases):
    """{work: [cases]} of the comparable cases, in the order of the log."""
    found = {}
    for case in cases.values():
        if case.is_comparable():
            found.setdefault(case.work, []).append(case)
    return found


def middle(times):
    ordered = sorted(times)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


# --- choose -------------------------------------------------------------------------------------------------------------------------


def seed_of(case):
    """What the draw of a work depends on: what it is, in the order in which it was when the judged runs were drawn."""
    groups = [("workload",), ("input",), ("type",), ("values",), tables.size_columns(), ("nx",), ("ny",), tables.ITEM_WORK, ("levels",), ("edge_factor",),
              ("graph_file",)]
    return "|".join(next((case.axes[name] for name in names if case.axes[name]), "") for names in groups)


def searched(cases):
    """{work: (number of configurations of either side, {kind: its fastest case})}. Of the side that has more configurations as many are drawn
    at random, by the work, as the other has."""
    found = {}
    for work, own in by_work(cases).items():
        sides = [[case for case in own if (case.kind in OWN) == launches] for launches in (True, False)]
        number = min(map(len, sides))
        if number:
            drawn = [case for side in sides for case in random.Random(seed_of(own[0])).sample(side, number)]
            best = {}
            for case in sorted(drawn, key=lambda case: middle(case.wall)):
                best.setdefault(case.kind, case)
            found[work] = number, best
    if not found:
        raise BadInput("no work in the log has forms that launch from the device and forms that do not")
    return found


def experiment_of(found, source):
    """The experiment file of the chosen cases: a section for each."""
    out = io.StringIO()
    out.write(f"# Made by experiments/device_vs_best.sh choose from {source}: of every work the fastest case of each kind of form. The protocol\n"
              "# (results/method.md) measures it in processes of its own, on another machine than the search.\n"
              "title    = Launches from the device against their best rivals\n"
              "figure   = against-flat, by-input\nrepeat   = 10\nwarmup   = 2\nempty_kernel_us = 2:3.3\nl2       = as_is, flushed\n")
    axes = {axis["column"]: axis for axis in tables.tables()["axes"].values()}
    for work, (_, best) in found.items():
        for kind, case in best.items():
            words = [cell for cell in (*work, kind) if cell]
            out.write(f"\n[{', '.join(words)}]\n")
            for column, cell in case.axes.items():
                axis = axes.get(column, {"name": "seed"})  # of other columns none is written
                if cell and axis["name"] not in NOT_CHOSEN and (column, cell) != ("mechanism", "none") and (column == "block" or cell != axis["default"]):
                    out.write(f"{axis['name'].replace('-', '_')} = {cell}\n")
    return out.getvalue()


# --- table --------------------------------------------------------------------------------------------------------------------------


def ratio(above, below):
    """[ratio, low, high] of the least of several medians over the median of one set, each set a list of processes' samples. A sentence that
    says "faster than every form" rests on it."""
    value, low, high = logs.statistics([{"parts": [{"above": below, "below": above}]}])[0]
    return [1 / value, 1 / high, 1 / low] if value and not math.isnan(value) else [math.nan] * 3


def named(text):
    """The strategies of --without. Raises BadInput."""
    names = list(filter(None, text.split(",")))
    for name in names:
        if name not in tables.tables()["strategies"]:
            raise BadInput(f"--without {text}: there is no strategy '{name}'; allowed: names of `nestbed list`, separated by comma")
    return names


def runs_of(paths, without=()):
    """{(work, l2): {kind: (case, [wall of each process], [gpu], [prepare], {machine})}} of the logs of the chosen cases, but for strategies in
    `without`."""
    found = {}
    for number, path in enumerate(paths):
        for case in cases_of(path).values():
            if not case.right:
                raise BadInput(f"{path}: {case.axes['strategy']} by {case.axes['mechanism'] or 'none'} for {', '.join(filter(None, case.work))} has "
                               f"rows that are not ok; allowed: right answers only")
            if not case.is_comparable() or case.axes["strategy"] in without:
                continue
            kinds = found.setdefault((case.work, case.axes["l2"]), {})
            _, wall, gpu, prepare, machines = kinds.setdefault(case.kind, (case, [], [], [], set()))
            if len(wall) > number:
                raise BadInput(f"{path}: it has two forms of the kind '{case.kind}' for {', '.join(filter(None, case.work))}; allowed: the case that "
                               f"was chosen")
            machines.add(case.axes["machine"])
            wall.append(case.wall)
            gpu.append(case.gpu)
            prepare.append(case.prepare)
    return found


def break_even(prepare, times):
    """From how many runs on the form that launches is ahead of its rival with what it prepares; empty if never."""
    own, rival = (middle(sum(each, [])) for each in times)
    more = middle(sum(prepare[0], [])) - middle(sum(prepare[1], []))
    return "" if own >= rival else max(1, math.ceil(more / (rival - own)))


def column_of(kind):
    return f"{kind.replace(' ', '_').lower()}_us"


def row_of(place, kinds, number, chosen):
    """A row of the table; None if one of the sides is not there."""
    own = [kind for kind in OWN if kind in kinds]
    rivals = [kind for kind in RIVALS if kind in kinds]
    if not own or not rivals:
        return None
    nested = next((kind for kind in chosen if kind in own), own[0])  # by the search: the fastest of those that launch
    rival = min(rivals, key=lambda kind: middle(sum(kinds[kind][1], [])))
    case, wall, gpu, prepare, machines = kinds[nested]
    work, l2 = place
    row = {**dict(zip(work_columns(), work)), "l2": l2, "device": case.axes["gpu"], "machines": len(machines), "processes": len(wall),
           "configurations": number, "nested": case.axes["strategy"], "mechanism": case.axes["mechanism"], "flat": kinds[rival][0].axes["strategy"], "flat_kind": rival}
    for name, beside in (("", rivals), ("host_", [HOST]), ("library_", [LIBRARY])):
        there = [kinds[kind][1] for kind in beside if kind in kinds]
        row.update(zip((f"{name}speedup", f"{name}low", f"{name}high"), ratio(there, wall) if there else [math.nan] * 3))
    row["gpu_speedup"] = ratio([kinds[kind][2] for kind in rivals], gpu)[0]
    row["pays"] = "yes" if row["low"] > LEAST_SPEEDUP else "no" if row["high"] <= LEAST_SPEEDUP else "unclear"
    row.update({column_of(kind): middle(sum(kinds[kind][1], [])) if kind in kinds else math.nan for kind in KINDS})
    row["prepare_us"], row["flat_prepare_us"] = middle(sum(prepare, [])), middle(sum(kinds[rival][3], []))
    row["break_even"] = break_even((prepare, kinds[rival][3]), (wall, kinds[rival][1]))
    return row


def table_of(searches, paths, without=()):
    """(the table as text, its rows). Raises ScriptError."""
    found = searched(cases_of_all(searches))
    rows = []
    for place, kinds in runs_of(paths, without).items():
        if place[0] not in found:
            raise BadInput(f"{paths[0]}: {', '.join(filter(None, place[0]))} is not in {', '.join(map(str, searches))}; allowed: cases that were chosen there")
        number, best = found[place[0]]
        rows.append(row_of(place, kinds, number, list(best)))
    rows = [row for row in rows if row]
    if not rows:
        raise BadInput(f"{paths[0]}: no work in it has both sides; allowed: logs of experiments/device_vs_best_chosen.cfg")
    frame = pandas.DataFrame(rows)
    nowhere = [name for name in map(column_of, KINDS) if frame[name].isna().all()]
    nowhere += [name for name in work_columns()[2:] if (frame[name] == "").all()]  # parameters of other workloads
    return frame.drop(columns=nowhere).to_csv(index=False, float_format="%.6g", lineterminator="\n"), rows


def said_of(rows):
    """What the table says, in a few lines."""
    lines = []
    for l2 in dict.fromkeys(row["l2"] for row in rows):
        own = [row for row in rows if row["l2"] == l2]
        count = {verdict: sum(row["pays"] == verdict for row in own) for verdict in ("yes", "unclear", "no")}
        lines.append(f"l2 {l2 or 'as_is'}: launches pay on {count['yes']} of {len(own)} works, unclear on {count['unclear']}; median speedup "
                     f"{middle([row['speedup'] for row in own]):.3f}, over the host's loops "
                     f"{middle([row['host_speedup'] for row in own if not math.isnan(row['host_speedup'])] or [math.nan]):.3f}")
        fastest = [min((kind for kind in KINDS if not math.isnan(row[column_of(kind)])), key=lambda kind, row=row: row[column_of(kind)]) for row in own]
        lines.append("  fastest: " + ", ".join(f"{kind} {fastest.count(kind)}" for kind in KINDS if kind in fastest))
    return "\n".join(lines)


def sources_in(folder):
    """The searches and the runs of a folder. Raises BadInput if one of them is missing."""
    searches, paths = log_files.csvs_in(folder, SEARCH), log_files.csvs_in(folder, RUNS)
    if not searches or not paths:
        raise BadInput(f"{folder}: it has no {RUNS if searches else SEARCH}; allowed: a folder with the logs of results/method.md")
    return searches, paths


def written(path, text):
    try:
        logs.write_whole(path, text.encode())
    except OSError as error:
        raise ScriptError(f"{path} cannot be written: {error.strerror}") from error
    print(path)


def main():
    parser = argparse.ArgumentParser(prog="device_vs_best.sh", description="Does it pay to launch from the device? The steps of results/method.md that "
                                     "need no GPU.", epilog="Exit codes: 0 written, 1 a file could not be written, 2 a bad option or log.")
    steps = parser.add_subparsers(dest="step", required=True, metavar="choose|table")
    choose = steps.add_parser("choose", help="write the experiment of the cases that a search found fastest")
    choose.add_argument("search", type=log_files.named, metavar="LOG", nargs="+", help="of experiments/device_vs_best.cfg or device_vs_best_more.cfg, or of parts of one")
    choose.add_argument("-o", "--output", type=pathlib.Path, metavar="CFG", required=True, help="the file to write")
    table = steps.add_parser("table", help=f"write {TABLE} from the search and the runs of a folder")
    table.add_argument("folder", type=pathlib.Path, metavar="FOLDER", help=f"with {SEARCH} and {RUNS}")
    table.add_argument("-o", "--output", type=pathlib.Path, metavar="CSV", help=f"the file to write (default: {TABLE} in FOLDER)")
    table.add_argument("--without", default="", metavar="STRATEGIES", help="leave these out, separated by comma: does a verdict rest on them?")
    given = parser.parse_args()
    if given.step == "choose":
        found = searched(cases_of_all(given.search))
        written(given.output, experiment_of(found, ", ".join(path.name for path in given.search)))
        print(f"{sum(len(best) for _, best in found.values())} cases of {len(found)} works", file=sys.stderr)
    else:
        text, rows = table_of(*sources_in(given.folder), named(given.without))
        written(given.output or given.folder / TABLE, text)
        print(said_of(rows), file=sys.stderr)
    return 0


if __name__ == "__main__":
    checked_output.run("device_vs_best.sh", main)
