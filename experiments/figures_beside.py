"""Logs of one experiment from two machines in one figure, for `plot.sh FOLDER FOLDER`. If something varies along an
axis, each machine has a panel, with the same axes. Otherwise each case has a line, with one mark per machine."""
import dataclasses

import pandas

import figure_parts as parts
import figure_style as style
import figures
import figures_rates
from figure_style import Sheet
from figures_launches import variant
from figures_sweeps import draw_line, end_label, mark_refused, x_axis
from measures import AXES, MEASURES

LOOKS = [(style.BLUE, "o"), (style.VERMILLION, "D")]  # the marks of the first machine and of the second
BOOK_LOOK = (style.ORANGE, "s")
LINE_HEIGHT = 0.23
TIMES = ("time", "each")


@dataclasses.dataclass
class Machine:
    """A part of a log, and the cases that a figure takes of it. They have the columns `y`, `y_low` and `y_high` (the
    figure's measure) and `machine`."""
    name: str
    part: parts.Part
    cases: pandas.DataFrame


def pairs_of(first, second):
    """[(Part, Part)] from two lists of parts: one pair per backend, because no figure mixes a GPU and the
    executor."""
    by_backend = [{part.backend: part for part in reversed(found)} for found in (first, second)]
    return [(by_backend[0][backend], by_backend[1][backend]) for backend in by_backend[0] if backend in by_backend[1]]


def names_of(pair, folders):
    """The machines' names, with the folders' names added if the machines' names are the same."""
    names = [part.cases["gpu"].iloc[0] or "unknown device" for part in pair]
    return names if names[0] != names[1] else [f"{name} ({folder})" for name, folder in zip(names, folders)]


def drawn(stem, pair, folders):
    """[(file name without its ending, matplotlib figure)]: each figure of the table for which both machines have
    cases."""
    found = []
    first, second = (figures.taken_in(part.cases, figures.named_in(part.path, part.rows)) for part in pair)
    for figure, taken in first.items():
        if figure in second and figure.measures != ("device_launches",):  # which are the same on every machine
            machines = [_machine(number, name, part, cases, MEASURES[figure.measures[0]])
                        for number, (name, part, cases) in enumerate(zip(names_of(pair, folders), pair, (taken, second[figure])))]
            made = (_panels if figure.axes else _dots)(figure, machines)
            if made:
                found.append((f"{stem}-{figure.name}{'-cpu' if pair[0].backend == 'cpu' else ''}", made))
    return found


def _machine(number, name, part, taken, measure):
    # Measured over all cases, because a ratio to CUB needs cases that the figure does not take.
    values, low, high = measure.of(part.cases)
    measured = part.cases.assign(y=values, y_low=values if low is None else low, y_high=values if high is None else high,
                                 machine=number)
    return Machine(name, part, measured.loc[taken.index])


def _key(case, names):
    return tuple("" if pandas.isna(case[name]) else case[name] for name in ["strategy", "mechanism", *names])


def _in_both(machines, names):
    """[(key, case of the first, case of the second)] for the cases with a value on both machines, in the order of the
    first."""
    known = [{_key(case, names): case for _, case in machine.cases[machine.cases["y"].notna()].iterrows()} for machine in machines]
    return [(key, case, known[1][key]) for key, case in known[0].items() if key in known[1]]


def _title(figure, machines, both):
    names = [machine.name for machine in machines]
    ratios = [second["y"] / first["y"] for _, first, second in both if first["y"] > 0]
    if figure.measures[0] not in TIMES or not ratios:
        return f"{figure.title}: {names[0]} and {names[1]}"
    least, most = (style.three(ratio) for ratio in (min(ratios), max(ratios)))
    times = least if least == most else f"{least} to {most}"
    return f"{figure.title}: {names[1]} takes {times} times as long as {names[0]}"


def _finish(sheet, figure, machines):
    wrong = figure.measures == ("wrong",)
    if wrong:
        sheet.notes.append("Bars: 95 % Wilson intervals, of the rows that are ok or wrong.")
    captions = [parts.caption_of(machine.part, machine.cases, timed=not wrong) for machine in machines]
    return sheet.finish([line for machine, (measured, made) in zip(machines, captions)
                         for line in (f"{machine.name}: {measured}", made)])


def _scale(measure, values):
    """(how much of the measure's unit one unit of the axis is, the label of the axis)."""
    if measure.unit != "µs":
        return 1.0, measure.label
    scale, unit = style.time_unit(values)
    return scale, f"{measure.title}, {unit}"


# --- along an axis ---


def _sides(figure, machines):
    """[(shape in words, ([Line] of the first machine, [Line] of the second))]."""
    axis = figure.axes[0]
    groups = [group for machine in machines for group in parts.along(machine.cases, axis)]
    if not groups:
        return []
    names = [name for name in parts.names_beside(axis) if name != "graphs" or axis != "length"]
    panels = parts.lines_and_panels(groups, names)
    for line in (line for _, lines in panels for line in lines if axis == "length"):
        line.label = variant(line.cases.iloc[0])  # the best of several graphs is a separate line from one graph
        line.dash = style.DASHES[1 if (line.cases["graphs"] > 1).any() else 0]
    return [(title, tuple(_together([line for line in lines if line.cases["machine"].iloc[0] == number]) for number in (0, 1)))
            for title, lines in panels]


def _together(lines):
    """Merges lines that coincide."""
    merged = parts.merged(lines, lambda line: line.cases["y"].fillna(-1))
    return [dataclasses.replace(line, label=parts.in_rows([one.label for one in same], 1)) for line, same in merged]


def _x_axis(axes, axis, values, inches):
    if min(values) == 0 and axis != "depth":
        style.offset_axis(axes, values, inches)
        axes.set_xlabel(AXES[axis].title)
    else:
        x_axis(axes, axis, values, inches)


def _panels(figure, machines):
    """One row for each shape that both machines have, and one column per machine. None if they share no shape."""
    axis, measure = figure.axes[0], MEASURES[figure.measures[0]]
    panels = _sides(figure, machines)
    shared = [(title, sides) for title, sides in panels if all(sides)]
    lines = [line for _, sides in shared for side in sides for line in side]
    values = pandas.concat([line.cases[["y", "y_low", "y_high"]].stack() for line in lines]) if lines else pandas.Series(dtype=float)
    if not len(values):
        return None
    scale, label = _scale(measure, values)
    names = [AXES[axis].column, *parts.names_beside(axis)]
    several = len({line.strategy for line in lines}) > 1
    sheet = Sheet(_title(figure, machines, _in_both(machines, names)), parts.family_key(lines) if several and figure.by_family else ())
    room = max(style.text_width(row, 8) for line in lines for row in line.label.split("\n")) + 0.32
    rows = max(sum(line.label.count("\n") + 1 for line in side) for _, sides in shared for side in sides)
    height = max(2.6 if len(shared) < 3 else 1.9, 0.165 * rows)
    pitch = style.WIDTH / 2
    for row, (title, sides) in enumerate(shared):
        xs = [x for side in sides for line in side for x in line.x]
        strip = max(len([line for line in side if line.cases["us"].isna().any()]) for side in sides)
        for column, (machine, side) in enumerate(zip(machines, sides)):
            heading = ", ".join(filter(None, [machine.name, title]))
            axes = sheet.add(0.62 + pitch * column, 0.3 + row * (height + 0.85), pitch - 0.72 - room, height, heading)
            style.fit_axis(axes, "y", values / scale, False if measure.linear else None)
            _x_axis(axes, axis, xs, sheet.width_of(axes))
            if not measure.linear:
                mark_refused(axes, side, strip)
            labels = []
            for line in side:
                draw_line(axes, line, *(line.cases[name] / scale for name in ("y", "y_low", "y_high")))
                labels += end_label(line, line.cases["y"] / scale)
            sheet.end_labels(axes, labels)
            axes.set_ylabel(label if column == 0 else "")
    left = [title for title, sides in panels if not all(sides)]
    if left:
        sheet.notes.append(f"Measured on one machine alone, and not drawn: {'; '.join(filter(None, left)) or 'other shapes'}.")
    return _finish(sheet, figure, machines)


# --- a line a case ---


def _dots(figure, machines):
    """One line for each case that both machines have, sorted by the first's value, with the ratio of the second's
    value to it. None if there is none."""
    measure = MEASURES[figure.measures[0]]
    both = sorted(_in_both(machines, parts.case_names()[1:]), key=lambda row: row[1]["y"])
    if not both:
        return None
    book = figures_rates.book_times() if figure.name == "book" else {}
    key = [(machine.name, *look) for machine, look in zip(machines, LOOKS)]
    sheet = Sheet(_title(figure, machines, both), key + ([("Tesla K40c, as printed in the book", *BOOK_LOOK)] if book else []),
                  parts.common_text(machines[0].cases))
    shown = pandas.DataFrame([first for _, first, _ in both])
    several, names = parts.mechanisms_each(shown), parts.varying(shown, parts.case_names()[1:])
    labels = [", ".join(filter(None, [parts.strategy_label(first, several), parts.shape_text(first, names)])) for _, first, _ in both]
    values = [case[name] for _, *cases in both for case in cases for name in ("y", "y_low", "y_high")]
    values += [1e3 * book[first["strategy"]][0] for _, first, _ in both if book]
    scale, label = _scale(measure, values)
    start = style.MARGIN + max(style.text_width(text, 8.5) for text in labels) + 0.15
    height = LINE_HEIGHT * len(both) + 0.1
    axes = sheet.add(start, 0.25, style.WIDTH - start - 0.75, height)
    style.fit_axis(axes, "x", [value / scale for value in values])
    for place, (_, *cases) in enumerate(both):
        axes.plot([case["y"] / scale for case in cases], [place] * 2, color="#BBBBBB", linewidth=1.4, zorder=1)
        for case, (colour, mark) in zip(cases, LOOKS):
            style.intervals(axes, [place], [case["y_low"] / scale], [case["y_high"] / scale], up=False, color=colour, linewidth=2.2,
                            alpha=0.55, zorder=2)
            hollow = case["clock"] == "wall" and case["backend"] == "cuda"
            axes.plot([case["y"] / scale], [place], mark, color=colour, markersize=5.5, zorder=3,
                      markerfacecolor="white" if hollow else colour)
        if book:
            axes.plot([1e3 * book[cases[0]["strategy"]][0] / scale], [place], BOOK_LOOK[1], color=BOOK_LOOK[0], markersize=5.5)
        if cases[0]["y"] > 0:
            axes.text(1 + 0.68 / sheet.width_of(axes), place, f"{style.three(cases[1]['y'] / cases[0]['y'])} ×", ha="right",
                      va="center_baseline", fontsize=8.5, transform=axes.get_yaxis_transform())
    axes.text(1 + 0.68 / sheet.width_of(axes), 1 + 0.05 / height, "second over first", ha="right", fontsize=8, color="#777777",
              transform=axes.transAxes)
    style.rows_axis(axes, labels)
    axes.set_xlabel(label)
    alone = sum(len(machine.cases) for machine in machines) - 2 * len(both)
    if alone:
        sheet.notes.append(f"Not drawn: {parts.count_text(alone, 'case')} without a value on both machines.")
    if book:
        sheet.notes.append("K40c: " + "; ".join(dict.fromkeys(source for _, source in book.values())) + ".")
    return _finish(sheet, figure, machines)
