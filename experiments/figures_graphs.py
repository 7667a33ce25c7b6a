"""The figures of searches of graphs: edges per second by form, from a log; and the frontier by level, from a CSV of `nestbed info graph`."""
import pandas

import figure_parts as parts
import figure_style as style
import figures_irregular as irregular
import logs
import tables
from figure_style import Sheet
from figures_sizes import form_label
from figures_sweeps import nothing_timed

# Their column `work` is the edges out of all reached vertices, each once. A form that also searches bottom-up looks at fewer edges, and
# one that corrects distances at more.
EXACT = ["bfs_frontier", "bfs_balanced"]
COUNTED = {"bfs": "edges that leave reached vertices", "sssp": "edges that the form with the least work looks at"}
GROUP_HEIGHT = 0.44
HALF = 0.19  # of a group: flat forms above the middle, nested ones below
FRONTIER = "frontier"
COLUMNS = ["input", "elements", "edge_factor", "graph_file", "seed", "edges", "level", "vertices", "edges_of_level"]
NUMBERS = ["elements", "edge_factor", "edges", "level", "vertices", "edges_of_level"]
COLOURS = [style.BLUE, style.VERMILLION, style.PURPLE, style.ORANGE, style.GREEN, style.BLACK, style.SKY]
MOST_MARKS = 40  # of a line


# --- edges per second, by form and graph ----------------------------------------------------------------------------------------


def traversed(cases):
    """The cases of graphs with flat and nested forms, with a column `edges`, the same for all forms of a graph: the numerator of edges per
    second. A graph without a case that counts its edges is left out."""
    own = irregular.prepared(cases)
    own = own[(own["aggregate"] == "") | (own["expected"] != 0)]
    found = []
    for graph in irregular.by_work(own, ["seed"]):
        counting = graph[graph["strategy"].isin(EXACT)] if graph["workload"].iloc[0] == "bfs" else graph
        edges = counting["work"].min()
        if edges > 0 and graph["by_need"].nunique() == 2:
            found.append(graph.assign(edges=edges))
    return pandas.concat(found) if found else own[:0]


def _best(graph):
    """The fastest case of each strategy and mechanism, with its edges per microsecond (`rate`)."""
    best = graph.dropna(subset=["us"]).sort_values("us", kind="stable").groupby(["strategy", "mechanism"]).head(1)
    return best.assign(rate=best["edges"] / best["us"])


def _graph_text(shown, case):
    """The graph, and what tells it from the others of its workload."""
    if case["graph_file"]:
        return case["graph_file"].split("#")[0]
    alike = shown[shown["workload"] == case["workload"]]
    words = [case["input"], irregular.work_text(case, parts.varying(alike, ["elements", "edge_factor"]))]
    return ", ".join(filter(None, [*words, f"seed {case['seed']}" if parts.varying(alike, ["seed"]) else ""]))


def _title(title, graphs, text_of):
    """The highest rate, and how often a form that launches from the device has the highest one of its graph."""
    tops = [best.loc[best["rate"].idxmax()] for best in graphs]
    top = max(tops, key=lambda case: case["rate"])
    nested = sum(bool(case["by_need"] and case["expected"] > 0) for case in tops)
    return (f"{title}: up to {style.three(top['rate'] / 1000)}·10⁹, by {form_label(top['strategy'], top['mechanism'])} in {text_of(top)}; launches from "
            f"the device give the highest rate in {nested} of {parts.count_text(len(tops), 'graph')}")


def edges_per_second(part, shown, figure):
    """A panel for each workload, a group of dots for each graph: the edges per second of each strategy and mechanism, by its fastest
    case. Flat forms are in the upper row of a group."""
    graphs = [best for best in map(_best, irregular.by_work(shown, ["seed"])) if len(best)]
    if not graphs:
        return nothing_timed(figure.title, part, shown)
    forms = pandas.concat(graphs).drop_duplicates(["strategy", "mechanism"])
    forms = forms.assign(rank=[parts.rank_of(case) for _, case in forms.iterrows()]).sort_values(["by_need", "rank"])
    looks = style.looks_in_turn(zip(forms["strategy"], forms["mechanism"]))
    labels = [_graph_text(shown, best.iloc[0]) for best in graphs]
    sheet = Sheet(_title(figure.title, graphs, lambda case: _graph_text(shown, case)),
                  [(form_label(*form), *look) for form, look in looks.items()],
                  "Upper row of a graph: flat forms. Lower row: forms that launch from the device.")
    left, top = style.MARGIN + max(style.text_width(label, 8.5) for label in labels) + 0.15, 0.25
    for workload, counted in COUNTED.items():
        panel = [(label, best) for label, best in zip(labels, graphs) if best["workload"].iloc[0] == workload]
        if not panel:
            continue
        height = GROUP_HEIGHT * len(panel)
        axes = sheet.add(left, top, style.WIDTH - left - 2 * style.MARGIN, height, workload)
        top += height + 0.85
        _draw_rates(axes, panel, looks)
        axes.set_xlabel(f"10⁹ edges per second; counted: {counted}, {'each once' if workload == 'bfs' else 'the same for all forms'}")
    sheet.notes.append("A dot is the fastest case of its strategy and mechanism. All forms of a graph are divided by the same number of edges, "
                       "whatever they look at themselves. Graphs without both kinds of forms, or without a form that counts these edges, are not shown.")
    return sheet.finish(parts.caption_of(part, shown))


def _draw_rates(axes, panel, looks):
    every = []
    for place, (_, best) in enumerate(panel):
        if place:
            axes.axhline(place - 0.5, color="#BBBBBB", linewidth=0.6, zorder=1)
        for _, case in best.iterrows():
            colour, mark = looks[case["strategy"], case["mechanism"]]
            rate, low, high = (case["edges"] / case[name] / 1000 for name in ("us", "high", "low"))
            row = place + (HALF if case["by_need"] else -HALF)
            axes.plot([rate], [row], mark, color=colour, markersize=6, alpha=0.9, markeredgewidth=0)
            style.intervals(axes, [row], [low], [high], up=False, color=colour, linewidth=2.2, alpha=0.45)
            every += [value for value in (rate, low, high) if value == value]
    style.log_axis(axes, "x", min(every), max(every))
    axes.set_yticks(range(len(panel)), [label for label, _ in panel])
    axes.set_ylim(len(panel) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0, labelsize=8.5)
    axes.grid(False, axis="y")


# --- the frontier by level ------------------------------------------------------------------------------------------------------


def is_frontiers(path):
    """Whether a file is a CSV of `nestbed info graph`, by its header."""
    return logs.header_of(path) == COLUMNS


def read_frontiers(path):
    """The rows of a CSV of `nestbed info graph`. Raises logs.LogError."""
    header, lines, rows = logs.read_rows(path)
    frame = pandas.DataFrame(rows, columns=header, dtype=str)
    for name in NUMBERS:
        numbers = pandas.to_numeric(frame[name], errors="coerce")
        least = 0 if name in ("level", "edges", "edges_of_level") else 1
        empty = (frame[name] == "") & (name in ("elements", "edge_factor"))
        bad = frame.index[~empty & ~((numbers >= least) & (numbers < 2**53))]
        if len(bad):
            raise logs.LogError(f"{path}, line {lines[bad[0]]}: {name} is '{logs.seen(frame[name][bad[0]])}'; allowed: a number from {least}")
        frame[name] = numbers
    for name in ("input", "graph_file", "seed"):
        frame[name] = [logs.cut(logs.seen(text)) for text in frame[name]]
    return frame.assign(**{name: "" for name in tables.problem_columns() if name not in COLUMNS}).assign(workload="bfs", nx=float("nan"))


def frontiers(path):
    """The figure of a CSV of `nestbed info graph`: the vertices of each level, a line for each graph. None without rows. Raises
    logs.LogError."""
    rows = read_frontiers(path)
    graphs = parts.grouped_by(rows, ["input", "elements", "edge_factor", "graph_file", "seed"])
    if not graphs:
        return None
    labels = [_graph_text(rows, graph.iloc[0]) for graph in graphs]
    looks = [(style.on_page(COLOURS[place % len(COLOURS)])["light"], style.MARKS[place % len(style.MARKS)]) for place in range(len(graphs))]
    least, most = (choose(range(len(graphs)), key=lambda place: len(graphs[place])) for choose in (min, max))
    title = f"Frontier by level: {parts.count_text(len(graphs[least]), 'level')} ({labels[least]})"
    title += f" to {style.grouped(len(graphs[most]))} ({labels[most]})" if most != least else ""
    sheet = Sheet(title, [(label, *look) for label, look in zip(labels, looks)])
    left, height = 0.85, 3.6
    axes = sheet.add(left, 0.2, style.WIDTH - left - 2 * style.MARGIN, height)
    for graph, (colour, mark) in zip(graphs, looks):
        graph = graph.sort_values("level", kind="stable")
        axes.plot(graph["level"], graph["vertices"], color=colour, marker=mark, markersize=4.5, clip_on=False, zorder=3,
                  markevery=None if len(graph) <= MOST_MARKS else [0, len(graph) - 1])
    last = int(rows["level"].max())
    style.offset_axis(axes, [0, *(10**power for power in range(len(str(last)))), max(last, 1)], sheet.width_of(axes))
    style.log_axis(axes, "y", 1, rows["vertices"].max())
    axes.set_xlabel("level: edges from the source")
    axes.set_ylabel("vertices of the level")
    sheet.notes.append("A breadth-first search from the source of bfs and sssp, computed on the host from the graph alone: no times. Both axes are "
                       "logarithmic, the horizontal one from level 1 on.")
    return sheet.finish([f"{logs.cut(logs.seen(path.name))}, by `nestbed info graph`."])
