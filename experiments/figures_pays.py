"""When does it pay to launch from the device? The figure of the table of experiments/pays.sh: every work, with the speedup of the form that
launches over the fastest of all rivals."""
import math

import pandas

import figure_parts as parts
import figure_style as style
import figures_irregular as irregular
import logs
import tables
from figure_style import Sheet

NAME, FLUSHED = "pays", "pays-flushed"  # the figures
LINE_HEIGHT = 0.2
NUMBERS = ["speedup", "low", "high", "host_speedup", "library_speedup"]
NEEDED = ["workload", "l2", "device", "machines", "processes", "nested", "mechanism", "flat", "flat_kind", "pays", *NUMBERS]  # and the problem
VERDICTS = {"yes": ("pays", style.BLUE), "unclear": ("unclear", style.ORANGE), "no": ("does not pay", "#888888")}


def is_pays(path):
    """Whether a file is a table of experiments/pays.sh, by its header."""
    return {*NEEDED, *tables.problem_columns()} <= set(logs.header_of(path))


def read_pays(path):
    """Its rows, with numbers as numbers. Raises logs.LogError."""
    header, lines, rows = logs.read_rows(path)
    frame = pandas.DataFrame(rows, columns=header, dtype=str)
    for name in [*NUMBERS, "elements", "nx", "ny", "edge_factor"]:
        frame[name] = pandas.to_numeric(frame[name].where(frame[name] != "", "nan"), errors="coerce")
    for place, (speedup, pays) in enumerate(zip(frame["speedup"], frame["pays"])):
        if not (speedup > 0) or pays not in VERDICTS:
            name = "speedup" if not speedup > 0 else "pays"
            raise logs.LogError(f"{path}, line {lines[place]}: {name} is '{logs.seen(rows[place][header.index(name)])}'; allowed: "
                                f"{'a number above 0' if name == 'speedup' else ', '.join(VERDICTS)}")
    return frame


def file_of(path, figure):
    return path.stem + figure.removeprefix(NAME)


def drawn(path):
    """[(NAME or FLUSHED, figure)] of the table: one for each state of the cache. Raises logs.LogError."""
    frame = read_pays(path)
    return [(name, _figure(path, frame[frame["l2"] == l2], l2)) for name, l2 in ((NAME, "as_is"), (FLUSHED, "flushed")) if l2 in set(frame["l2"])]


def _figure(path, own, l2):
    top = own.groupby("workload")["speedup"].transform("max")
    own = own.assign(top=top).sort_values(["top", "workload", "speedup"], ascending=[False, True, False], kind="stable").reset_index(drop=True)
    best, paying = own.loc[own["speedup"].idxmax()], (own["pays"] == "yes").sum()
    title = (f"Launches from the device pay on {paying} of {len(own)} works: at best {style.three(best['speedup'])} times as fast as the fastest rival "
             f"({_label(best, own)}), in the median {style.three(own['speedup'].median())} times")
    sheet = Sheet(title, [(words, style.on_page(colour)["light"], "o") for words, colour in VERDICTS.values()])
    room = style.MARGIN + max(style.text_width(_label(work, own), 8) for _, work in own.iterrows()) + 0.1
    right = min(max(style.text_width(_text(work), 7) for _, work in own.iterrows()) + 0.1, style.WIDTH - room - style.MARGIN - 2.2)
    axes = sheet.add(room, 0.2, style.WIDTH - room - right - style.MARGIN, LINE_HEIGHT * len(own) + 0.1)
    for place, work in own.iterrows():
        colour = style.on_page(VERDICTS[work["pays"]][1])["light"]
        if not math.isnan(work["host_speedup"]):
            axes.plot([work["host_speedup"]], [place], "|", color="#999999", markersize=7, markeredgewidth=1)
        axes.plot([work["low"], work["high"]], [place, place], color=colour, linewidth=1.2)
        axes.plot([work["speedup"]], [place], "o", color=colour, markersize=4.5, zorder=4)
        axes.text(1.01, place, _text(work), transform=axes.get_yaxis_transform(), va="center_baseline", fontsize=7)
    every = own[["low", "high", "host_speedup"]].to_numpy().ravel()
    style.log_axis(axes, "x", min(0.9, min(value for value in every if value > 0)), max(1.1, max(value for value in every if value > 0)))
    axes.axvline(1, color=style.INK, linewidth=1, zorder=1)
    style.rows_axis(axes, [_label(work, own) for _, work in own.iterrows()], 8)
    axes.set_xlabel("speedup of the form that launches over its fastest rival, by the host's clock")
    sheet.notes.append("Each dot is a work with its 95 % interval; the grey tick is the speedup over the host's loop alone. At the right: the form that "
                       f"launches, and its fastest rival. L2 cache {'flushed' if l2 == 'flushed' else 'as the run before left it'}. By results/method.md.")
    return sheet.finish([f"From {path.name}: {_count(own, 'process', 'es')} on {_count(own, 'machine', 's')}, {own['device'].iloc[0]}."])


def _count(own, what, more):
    numbers = sorted(set(own[f"{what}{more}"].astype(int)))
    return f"{' or '.join(map(str, numbers))} {what}{'' if numbers == [1] else more}"


def _label(work, own):
    alike = own[own["workload"] == work["workload"]]
    return irregular.work_text(work, ["workload", *parts.varying(alike, tables.problem_columns())])


def _text(work):
    names = (f"{work['nested'].split('_', 1)[-1]}, {parts.mechanism_text(work['mechanism'])}", work["flat"].split("_", 1)[-1])
    return f"{style.three(work['speedup'])}  {names[0]}; {names[1]} ({work['flat_kind']})"
