"""Logs of one experiment from two machines in one figure, for `plot.sh FOLDER FOLDER`. If something varies along an
axis, each machine has a panel, with the same axes. Otherwise each case has a row, with one mark per machine."""
import dataclasses

import pandas

import figure_parts as parts
import figure_panels as panels_of
import figure_style as style
import figures
import figures_rows
from figure_panels import Dot, Panel, Row
from figures_launches import variant
from figures_sweeps import along_x
from measures import AXES, MEASURES

LOOKS = [(style.BLUE, "o"), (style.VERMILLION, "D")]  # the marks of the first machine and of the second
BOOK_LOOK = (style.ORANGE, "s")
TIMES = ("time", "each")


@dataclasses.dataclass
class Machine:
    """A part of a log, and the cases that a figure takes of it, with the figure's measure as y."""
    name: str
    part: parts.Part
    cases: pandas.DataFrame


def pairs_of(first, second):
    """[(Part, Part)] from two lists of parts: one pair per backend, because no figure mixes a GPU and the
    executor."""
    by_backend = [{part.backend: part for part in reversed(found)} for found in (first, second)]
    return [(by_backend[0][backend], by_backend[1][backend]) for backend in by_backend[0] if backend in by_backend[1]]


def drawn(stem, pair, folders):
    """[(file name without its ending, matplotlib figure)]: each figure of the table for which both machines have
    cases."""
    names = [part.cases["gpu"].iloc[0] or "unknown device" for part in pair]
    names = names if names[0] != names[1] else [f"{name} ({folder})" for name, folder in zip(names, folders)]
    taken = [figures.taken_in(part.cases, figures.named_in(part.path, part.rows)) for part in pair]
    found = []
    for figure in taken[0]:
        if figure in taken[1] and figure.measures != ("device_launches",):  # which are the same on every machine
            machines = [_machine(number, *both, cases[figure], MEASURES[figure.measures[0]]) for number, (*both, cases) in enumerate(zip(names, pair, taken))]
            made = (_panels if figure.axes else _rows)(figure, machines)
            found += [(f"{stem}-{figure.name}{'-cpu' if pair[0].backend == 'cpu' else ''}", made)] if made else []
    return found


def _machine(number, name, part, taken, measure):
    # Measured over all cases, because a ratio to CUB needs cases that the figure does not take.
    values, low, high = measure.of(part.cases)
    cases = part.cases.assign(y=values, y_low=values if low is None else low, y_high=values if high is None else high, machine=number)
    return Machine(name, part, cases.loc[taken.index])


def _in_both(machines, names):
    """[(case of the first, case of the second)] for the cases with a value on both machines, in the order of the
    first."""
    known = [{tuple("" if pandas.isna(case[name]) else case[name] for name in ["strategy", "mechanism", *names]): case
              for _, case in machine.cases[machine.cases["y"].notna()].iterrows()} for machine in machines]
    return [(case, known[1][key]) for key, case in known[0].items() if key in known[1]]


def _title(figure, machines, both):
    names = [machine.name for machine in machines]
    ratios = [second["y"] / first["y"] for first, second in both if first["y"] > 0]
    if figure.measures[0] not in TIMES or not ratios:
        return f"{figure.title}: {names[0]} and {names[1]}"
    times = " to ".join(dict.fromkeys(style.three(ratio) for ratio in (min(ratios), max(ratios))))
    return f"{figure.title}: {names[1]} takes {times} times as long as {names[0]}"


def _caption(figure, machines):
    captions = [parts.caption_of(machine.part, machine.cases, timed=figure.measures != ("wrong",)) for machine in machines]
    return [line for machine, (measured, made) in zip(machines, captions) for line in (f"{machine.name}: {measured}", made)]


def _scale(measure, values):
    """(how much of the measure's unit one unit of the axis is, the label of the axis)."""
    if measure.unit != "µs":
        return 1.0, measure.label
    scale, unit = style.time_unit(values)
    return scale, f"{measure.title}, {unit}"


def _panels(figure, machines):
    """One row for each shape that both machines have, and one column per machine. None if they share no shape."""
    axis, measure = figure.axes[0], MEASURES[figure.measures[0]]
    cases = pandas.concat([machine.cases for machine in machines], ignore_index=True)
    scale, label = _scale(measure, cases["y"]) if cases["y"].notna().any() else (1.0, measure.label)
    scaled = [machine.cases.assign(**{name: machine.cases[name].astype(float) / scale for name in ("y", "y_low", "y_high")}) for machine in machines]
    groups = [group for own in scaled for group in parts.along(own, axis)]
    if not groups or not cases["y"].notna().any():
        return None
    found = parts.lines_and_panels(groups, [name for name in parts.names_beside(axis) if name != "graphs" or axis != "length"])
    rows, alone = [], []
    for title, lines in found:
        for line in lines if axis == "length" else ():
            line.label = variant(line.cases.iloc[0])  # the best of several graphs is a separate line from one graph
            line.dash = style.DASHES[1 if (line.cases["graphs"] > 1).any() else 0]
        sides = [[dataclasses.replace(line, label=parts.in_rows([one.label for one in same], 1)) for line, same in parts.merged(
            [line for line in lines if line.cases["machine"].iloc[0] == number], lambda line: line.cases["y"].fillna(-1))] for number in (0, 1)]
        (rows if all(sides) else alone).append((title, sides))
    if not rows:
        return None
    lines = [line for _, sides in rows for side in sides for line in side]
    ys = [value for line in lines for name in ("y", "y_low", "y_high") for value in line.cases[name].dropna()]
    made = []
    for title, sides in rows:
        xs = [x for side in sides for line in side for x in line.x]
        strip = max(len(panels_of.refused(side)) for side in sides)
        made += [Panel(", ".join(filter(None, [machine.name, title])), side, ylabel=label, y="linear" if measure.linear else "fit", xs=xs, ys=ys,
                       crosses=None if measure.linear else strip, **along_x(axis, xs)) for machine, side in zip(machines, sides)]
    notes = ["Bars: 95 % Wilson intervals, of the rows that are ok or wrong."] if figure.measures == ("wrong",) else []
    notes += [f"Measured on one machine alone, and not drawn: {'; '.join(title for title, _ in alone if title) or 'other shapes'}."] if alone else []
    names = [AXES[axis].column, *parts.names_beside(axis)]
    return panels_of.draw(_title(figure, machines, _in_both(machines, names)), made, _caption(figure, machines), columns=2, left=0.62, notes=notes,
                          key=[] if figure.level else parts.family_key(lines), height=2.6 if len(rows) < 3 else 1.9)


def _rows(figure, machines):
    """One row for each case that both machines have, sorted by the first's value, with the ratio of the second's
    value to it. None if there is none."""
    both = sorted(_in_both(machines, parts.case_names()[1:]), key=lambda row: row[0]["y"])
    if not both:
        return None
    book = figures_rows.book_times() if figure.name == "book" else {}
    shown = pandas.DataFrame([first for first, _ in both])
    several, names = parts.mechanisms_each(shown), parts.varying(shown, parts.case_names()[1:])
    values = [case[name] for cases in both for case in cases for name in ("y", "y_low", "y_high")]
    scale, label = _scale(MEASURES[figure.measures[0]], [*values, *(1e3 * book[first["strategy"]][0] for first, _ in both if book)])
    rows = []
    for cases in both:
        dots = [Dot(case["y"] / scale, *look, case["y_low"] / scale, case["y_high"] / scale, panels_of.is_hollow(case), 5.5)
                for case, look in zip(cases, LOOKS)]
        dots += [Dot(1e3 * book[cases[0]["strategy"]][0] / scale, *BOOK_LOOK, size=5.5)] if book else []
        name = ", ".join(filter(None, [parts.strategy_label(cases[0], several), parts.shape_text(cases[0], names)]))
        rows.append(Row((name,), dots, (f"{style.three(cases[1]['y'] / cases[0]['y'])} ×" if cases[0]["y"] > 0 else "",), linked=True))
    key = [(machine.name, *look) for machine, look in zip(machines, LOOKS)]
    alone = sum(len(machine.cases) for machine in machines) - 2 * len(both)
    notes = [f"Not drawn: {parts.count_text(alone, 'case')} without a value on both machines."] if alone else []
    notes += ["K40c: " + "; ".join(dict.fromkeys(source for _, source in book.values())) + "."] if book else []
    return panels_of.draw_rows(_title(figure, machines, both), [(rows, {})], _caption(figure, machines), subtitle=parts.common_text(machines[0].cases),
                               key=key + ([("Tesla K40c, as printed in the book", *BOOK_LOOK)] if book else []), notes=notes,
                               xlabel=label, heads=("", "second over first"), step=0.23)
