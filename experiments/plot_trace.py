#!/usr/bin/python3
"""Draws a trace of `nestbed trace` as a timeline: a lane a row, waits pale, runs in the colour of their depth.

    experiments/plot_trace.py TRACE.json FIGURE.(svg|png)

Needs Debian's python3-matplotlib.
"""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.collections import LineCollection, PolyCollection

MOST_ARROWS = 100


def box(row, event):
    left, right = event["ts"], event["ts"] + event["dur"]
    return [(left, row + 0.1), (right, row + 0.1), (right, row + 0.9), (left, row + 0.9)]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    with open(sys.argv[1], encoding="utf-8") as file:
        trace = json.load(file)
    slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    if not slices:
        sys.exit(f"plot_trace.py: {sys.argv[1]}: no grid of it ran, there is nothing to draw")
    lanes = sorted({(event["pid"], event["tid"]) for event in slices})
    row_of = {lane: row for row, lane in enumerate(lanes)}
    depths = sorted({pid for pid, _ in lanes})
    colours = matplotlib.colormaps["viridis"].resampled(len(depths) + 2)
    millis = max(event["ts"] + event["dur"] for event in slices) >= 10_000
    scale = 1000.0 if millis else 1.0
    for event in trace["traceEvents"]:
        for key in ("ts", "dur"):
            if key in event:
                event[key] /= scale

    plt.rcParams.update({"svg.hashsalt": "nestbed", "font.size": 9})
    figure, axes = plt.subplots(figsize=(9, min(6.5, 1.6 + 0.12 * len(lanes))), layout="constrained")
    for index, depth in enumerate(depths):
        here = [event for event in slices if event["pid"] == depth]
        at = [row_of[event["pid"], event["tid"]] for event in here]
        for waits in (True, False):
            boxes = [box(row, event) for row, event in zip(at, here) if (event["name"] == "wait") == waits]
            axes.add_collection(PolyCollection(boxes, facecolors=colours(index), alpha=0.25 if waits else 1.0, linewidths=0))
        axes.annotate(f"depth {depth - 1}", (1.01, (min(at) + max(at) + 1) / 2), xycoords=("axes fraction", "data"),
                      va="center", color=colours(index))
    starts = {event["id"]: event for event in trace["traceEvents"] if event["ph"] == "s"}
    ends = {event["id"]: event for event in trace["traceEvents"] if event["ph"] == "f"}
    if len(starts) <= MOST_ARROWS:
        arrows = [[(start["ts"], row_of[start["pid"], start["tid"]] + 0.5),
                   (ends[key]["ts"], row_of[ends[key]["pid"], ends[key]["tid"]] + 0.5)] for key, start in starts.items()]
        axes.add_collection(LineCollection(arrows, colors="black", linewidths=0.4, alpha=0.35))

    about = trace["otherData"]
    case = about["case"]
    size = f"{case['grid']} x {case['block']}" if "grid" in case else f"{case['nx']} x {case['ny']}"
    cost = about.get("tracing")
    axes.set_title(f"{case['strategy']} ({case['mechanism']}), {size}: {about['grids']} grids on {about['device']}\n"
                   f"colour: first to last instruction; pale: from the launch call to the first instruction; "
                   f"timer step {about['timer_step_ns']} ns"
                   + (f"; tracing {100 * cost['overhead_share']:+.0f} %" if cost else ""), fontsize=9, loc="left")
    axes.set_xlabel("milliseconds" if millis else "microseconds")
    axes.set_ylabel("lanes")
    axes.set_yticks([])
    axes.set_xlim(0, max(event["ts"] + event["dur"] for event in slices))
    axes.set_ylim(len(lanes), 0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(sys.argv[2], dpi=150, metadata={"Date": None} if sys.argv[2].endswith(".svg") else None)


if __name__ == "__main__":
    main()
