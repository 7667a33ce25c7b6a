"""The timeline of a trace of `nestbed trace`. Each grid that runs at the same time as others has its own lane. Waits are pale, and runs
have the colour of their depth."""
import json

from matplotlib.collections import LineCollection, PolyCollection

import figure_style as style
import logs
import tables

MOST_ARROWS = 100
LANE, LEAST, MOST = 0.09, 1.2, 6.0  # inches: the height of a lane, and the smallest and largest height of the panel


def box(row, event):
    left, right = event["ts"], event["ts"] + event["dur"]
    return [(left, row + 0.1), (right, row + 0.1), (right, row + 0.9), (left, row + 0.9)]


def title_of(about):
    case = about["case"]
    size = " × ".join(style.grouped(int(case[name])) for name in (("grid", "block") if "grid" in case else ("nx", "ny")))
    words = style.mechanism_look(case["mechanism"])[0]
    by = f", {words}" if words else ""
    return f"{style.marked(case['strategy'])}{by}, {size} {'threads' if 'grid' in case else 'numbers'}: {about['grids']} grids"


def caption_of(about):
    cost = about.get("tracing")
    timed = f"The clock of the multiprocessors moves in steps of {about['timer_step_ns']} ns."
    if cost:
        timed += f" Tracing changes the time of a run by {100 * cost['overhead_share']:+.0f} %."
    lines = [timed, ", ".join(filter(None, [about["device"], f"driver {about['driver']}" if about.get("driver") else "",
                                            f"CUDA {about['cuda_runtime']}" if about.get("cuda_runtime") else ""]))]
    if about.get("git"):
        lines[1] += f"; nestbed {about['git']}; {' '.join(about.get('command', []))}"
    if about["case"]["strategy"] in tables.those("strategies", "racy"):
        lines.insert(1, f"Racy ({about['case']['strategy']}): the answer depends on which thread comes first.")
    return lines


def drawn(trace):
    """The figure of a trace in which at least one grid ran."""
    slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    about = trace["otherData"]
    lanes = sorted({(event["pid"], event["tid"]) for event in slices})
    row_of = {lane: row for row, lane in enumerate(lanes)}
    depths = sorted({pid for pid, _ in lanes})
    colours = dict(zip(depths, style.scale_colours(len(depths))[::-1]))
    end = max(event["ts"] + event["dur"] for event in slices)
    scale, unit = style.time_unit([end])
    events = [{**event, **{key: event[key] / scale for key in ("ts", "dur") if key in event}} for event in trace["traceEvents"]]
    slices = [event for event in events if event["ph"] == "X"]

    sheet = style.Sheet(title_of(about), subtitle="Pale: from the launch call to the first instruction. Full colour: from the first "
                        "instruction to the last. A thin line leads from a launch to what it started."
                        if sum(event["ph"] == "s" for event in events) <= MOST_ARROWS else
                        "Pale: from the launch call to the first instruction. Full colour: from the first instruction to the last.")
    axes = sheet.add(0.35, 0.1, style.WIDTH - 0.35 - 0.85, min(MOST, max(LEAST, LANE * len(lanes))))
    labels = []
    for depth in depths:
        here = [event for event in slices if event["pid"] == depth]
        at = [row_of[event["pid"], event["tid"]] for event in here]
        for waits in (True, False):
            boxes = [box(row, event) for row, event in zip(at, here) if (event["name"] == "wait") == waits]
            axes.add_collection(PolyCollection(boxes, facecolors=colours[depth], alpha=0.25 if waits else 1.0, linewidths=0))
        labels.append((end / scale, (min(at) + max(at) + 1) / 2, f"depth {depth - 1}", colours[depth]))
    starts = {event["id"]: event for event in events if event["ph"] == "s"}
    ends = {event["id"]: event for event in events if event["ph"] == "f"}
    if len(starts) <= MOST_ARROWS:
        arrows = [[(start["ts"], row_of[start["pid"], start["tid"]] + 0.5),
                   (ends[key]["ts"], row_of[ends[key]["pid"], ends[key]["tid"]] + 0.5)] for key, start in starts.items()]
        axes.add_collection(LineCollection(arrows, colors=style.INK, linewidths=0.4, alpha=0.35))
    axes.set_xlabel(f"time, {unit}")
    axes.set_ylabel("grids at a time")
    axes.set_yticks([])
    axes.set_xlim(0, end / scale)
    axes.set_ylim(len(lanes), 0)
    sheet.end_labels(axes, labels)
    return sheet.finish(caption_of(about))


def figure_of(path):
    """The figure of a file; None if no grid ran. Raises logs.LogError."""
    try:
        with open(path, encoding="utf-8", opener=logs.regular) as file:
            trace = json.load(file)
        return drawn(trace) if any(event["ph"] == "X" for event in trace["traceEvents"]) else None
    except OSError as error:
        raise logs.LogError(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise logs.LogError(f"{path}: it is not a trace of `nestbed trace`: {type(error).__name__}: {error}") from error
