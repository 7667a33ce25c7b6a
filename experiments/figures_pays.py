"""When does dynamic parallelism pay? The best form that launches from the device against the best flat form of the same work, over all
irregular workloads of a folder of logs."""
import pathlib

import pandas

import figure_parts as parts
import figure_style as style
import figures_irregular as irregular
import logs
from figure_style import Sheet

NAME = "pays"
LINE_HEIGHT = 0.22
LINE = ["workload", "input", "type", "values"]  # a line of the figure; its dots differ in size or in the work per element


def works_of(folder):
    """For each device with irregular workloads in the folder's logs: found_in() its parts. Raises logs.LogError and
    logs.StatisticsError."""
    devices = {}
    for path in logs.logs_in(folder)[0]:
        log = logs.read_log(path)
        for part in parts.parts_of(path, log[irregular.is_irregular(log)]):
            devices.setdefault((part.backend, part.cases["gpu"].iloc[0]), []).append(part)
    return [taken for taken in map(found_in, devices.values()) if taken]


def found_in(parts_of_device):
    """[(part, works)] of the parts of all logs of a device: the work that a form that launches from the device does in the part and a flat
    form in any part. works: a frame with a row for each, with the ratio of the best flat time to the best time of a form that launches
    (`speedup`), and the two forms. A part that has only the best flat form of a work has no rows."""
    flat = {}  # {work: (the flat case with the least time, its part)}
    for number, part in enumerate(parts_of_device):
        for work, case in irregular.flat_of(part).items():
            if work not in flat or case["us"] < flat[work][0]["us"]:
                flat[work] = (case, number)
    rows, rivals = [], set()
    for part in parts_of_device:
        own = irregular.prepared(part.cases)
        rows.append([])
        for work in parts.grouped_by(own[own["by_need"] & (own["expected"] > 0)], irregular.WORK) if len(own) else []:
            best = irregular.best_of(work)
            rival, number = flat.get(irregular.work_of(work.iloc[0]), (None, None))
            if best is not None and rival is not None:
                rivals.add(number)
                rows[-1].append({**{name: best[name] for name in irregular.WORK}, "speedup": rival["us"] / best["us"],
                                 "best": best["strategy"], "mechanism": best["mechanism"], "group": best["group"],
                                 "rival": rival["strategy"]})
    return [(part, pandas.DataFrame(own)) for number, (part, own) in enumerate(zip(parts_of_device, rows)) if own or number in rivals]


def table(found):
    """The figure of found_in() as a CSV: a row for each dot, and whether it is the best of its line."""
    every = pandas.concat([one for _, one in found], ignore_index=True)
    rows = []
    for line in _lines(every):
        best = line["speedup"].idxmax()
        for place, case in line.iterrows():
            rows.append({"line": _label(line, every), **{name: case[name] for name in irregular.WORK}, "nested": case["best"],
                         "mechanism": case["mechanism"], "group": case["group"], "flat": case["rival"],
                         "speedup": f"{case['speedup']:.6g}", "best_of_line": "yes" if place == best else "no"})
    return pandas.DataFrame(rows).to_csv(index=False, lineterminator="\n")


def _lines(every):
    """The lines of the figure: workloads in the order of their best speedups, and the same within a workload."""
    lines = [line for _, line in every.groupby(LINE, sort=False)]
    top = every.groupby("workload")["speedup"].max()
    return sorted(lines, key=lambda line: (-top[line.iloc[0]["workload"]], line.iloc[0]["workload"], -line["speedup"].max()))


def _label(line, every):
    alike = every[every["workload"] == line.iloc[0]["workload"]]
    return irregular.work_text(line.iloc[0], ["workload", *parts.varying(alike, LINE[1:])])


def _text(line, every):
    case = line.loc[line["speedup"].idxmax()]
    alike = every[every["workload"] == case["workload"]]
    names = [name for name in ("elements", "nx", "ny", "dwell") if name in parts.varying(alike, irregular.WORK)]
    work = irregular.work_text(case, names)
    best, rival = (case[name].split("_", 1)[1] for name in ("best", "rival"))
    return f"{style.three(case['speedup'])}{': ' + work if work else ''}; {best}, {parts.mechanism_text(case['mechanism'])}; {rival}"


def drawn(found):
    """The figure of found_in(), or None if fewer than two workloads have both kinds of forms. Parts are of one device."""
    every = pandas.concat([one for _, one in found], ignore_index=True) if found else pandas.DataFrame()
    if not len(every) or every["workload"].nunique() < 2:
        return None
    lines = _lines(every)
    best = every.loc[every["speedup"].idxmax()]
    paying = sum(line["speedup"].max() > 1 for line in lines)
    title = (f"When does dynamic parallelism pay? On {paying} of {len(lines)} inputs; at best {style.three(best['speedup'])} times as fast as the "
             f"best flat form, for {_label(every.loc[[best.name]], every)}")
    sheet = Sheet(title, [("the best of its line", style.on_page(style.BLUE)["light"], "o"), ("other sizes, or other work per element", "#999999", "o")])
    room = style.MARGIN + max(style.text_width(_label(line, every), 8.5) for line in lines) + 0.1
    right = max(style.text_width(_text(line, every), 7.5) for line in lines) + 0.1
    right = min(right, style.WIDTH - room - style.MARGIN - 2.2)
    axes = sheet.add(room, 0.2, style.WIDTH - room - right - style.MARGIN, LINE_HEIGHT * len(lines) + 0.1)
    at = {"transform": axes.get_yaxis_transform(), "va": "center_baseline", "fontsize": 7.5}
    for place, line in enumerate(lines):
        axes.plot(line["speedup"], [place] * len(line), "o", color="#999999", markersize=4, alpha=0.7, markeredgewidth=0)
        axes.plot([line["speedup"].max()], [place], "o", color=style.on_page(style.BLUE)["light"], markersize=6.5, markeredgecolor=style.INK,
                  markeredgewidth=0.8, zorder=4)
        axes.text(1.01, place, _text(line, every), **at)
    style.log_axis(axes, "x", min(every["speedup"].min(), 0.9), max(every["speedup"].max(), 1.1))
    axes.axvline(1, color=style.INK, linewidth=1, zorder=1)
    style.rows_axis(axes, [_label(line, every) for line in lines])
    axes.set_xlabel("speedup of the best form that launches from the device over the best flat form")
    sheet.notes.append("Each dot is one work (an input in one size): the time of the fastest flat form over the time of the fastest form that launches from "
                       "the device, in all logs of the folder. Right of 1 dynamic parallelism pays. At the right: the largest speedup of the line, the form that launches and "
                       "its mechanism, and the flat form.")
    names = sorted({pathlib.PurePath(part.path).name for part, _ in found})
    return sheet.finish([f"Medians. From {', '.join(names)}; the commands are in their manifests.", logs.machine_of(found[0][0].rows)])
