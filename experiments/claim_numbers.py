"""The numbers of the claims, computed from the CSVs, and their descriptions."""
import dataclasses
import math
import re

import numpy
import pandas

import logs
from claim_file import BEST, UNITS, Best, ClaimError

NUMBER = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclasses.dataclass
class Measured:
    """A number as it was measured."""
    value: float  # in the unit of the number; for `count`, the share of the rows
    text: str  # "8.59 ms", "16384", "48 of 50"
    lines: list  # lines of the CSV with the rows that it is computed from, in order
    low: float | None = None  # 95 % interval; `count` and `same` have none
    high: float | None = None


def number_in(cell):
    """The number in a cell; None if the cell has no number or no finite one."""
    value = float(cell) if NUMBER.fullmatch(cell) else math.inf
    return value if math.isfinite(value) else None


class Rows:
    """A CSV with a header. Its cells are texts, and rows are identified by their position from 0. In that of a `second` run
    the case that a claim names as the best counts, whether it is or not. Raises logs.LogError, as do all functions that read
    it."""

    def __init__(self, path, second=False):
        self.path, self.second = path, second
        header, lines, rows = logs.read_rows(path)
        if len(set(header)) != len(header):
            raise logs.LogError(f"{path}: it has two columns with the same name")
        self.lines = numpy.array(lines, dtype=int)  # line numbers in the file
        columns = zip(*rows) if rows else [()] * len(header)
        self.table = pandas.DataFrame({name: numpy.array(cells, dtype=object) for name, cells in zip(header, columns)})
        self._codes = {}  # of the columns of conditions: (the place of each row's cell among the different cells, those cells)

    def cells(self, places, column):
        if column not in self.table:
            raise logs.LogError(f"{self.path}: it has no column {column}")
        return self.table[column].iloc[places]

    def numbers(self, places, column):
        cells = self.cells(places, column)
        for line, cell in zip(self.lines[places], cells):
            if number_in(cell) is None:
                raise logs.LogError(f"{self.path}:{line}: {column} is '{cell}'; allowed: a number")
        return [number_in(cell) for cell in cells]

    def holding(self, selection, places):
        """The positions of those of the rows for which all conditions hold."""
        for column, condition in selection.items():
            if isinstance(condition, Best):
                continue
            if column not in self._codes:
                self._codes[column] = pandas.factorize(self.cells(slice(None), column).to_numpy())
            codes, texts = self._codes[column]
            if isinstance(condition, tuple):
                values = {cell: number_in(cell) for cell in texts}
                condition = [cell for cell, value in values.items() if value is not None and condition[0] <= value <= condition[1]]
            places = places[numpy.isin(texts, list(condition))[codes[places]]]
        if BEST not in selection or not len(places):
            return places
        others = {column: condition for column, condition in selection.items() if column != BEST}
        return self.best(selection[BEST], places, where(others))

    def best(self, asked, places, chosen):
        """The positions of the rows of the best case. A case with a row that is not ok has no time."""
        if self.second:  # it need not have measured all cases again
            return self.holding(asked.named, places)
        keys, statuses = self.cells(places, "key").to_numpy(), self.cells(places, "status").to_numpy()
        if len(set(keys)) != asked.cases:
            raise logs.LogError(f"{self.path} has {len(set(keys))} cases{chosen}; expected: {asked.cases}")
        own = {key: places[keys == key] for key in dict.fromkeys(keys) if (statuses[keys == key] == "ok").all()}
        if not own:
            raise logs.LogError(f"{self.path} has no case that is ok{chosen}")
        times = logs.medians([self.numbers(rows, "gpu_us") for rows in own.values()])
        best = min(zip(times, own.values()), key=lambda one: one[0][0])[1]
        if not len(self.holding(asked.named, best)):
            found = ", ".join(f"{column} = {self.cells(best, column).iloc[0]}" for column in asked.named)
            raise logs.LogError(f"{self.path}:{self.lines[best[0]]}: the best case{chosen} has {found}; the claim names "
                                f"{selection_text(asked.named)}")
        return best

    def chosen(self, selection):
        """The positions of the chosen rows, at least one."""
        places = self.holding(selection, numpy.arange(len(self.table)))
        if not len(places):
            raise logs.LogError(f"{self.path} has no row{where(selection)}")
        return places


class Measuring:
    """A number that is being computed: the request to `nestbed statistics`, or the results that need no request."""

    def __init__(self, number, rows):
        self.number, self.rows, self.lines = number, rows, set()
        self.parts, self.found = [], []
        for selection, to in self.groups():
            self.measure(selection, to)

    def chosen(self, selection):
        places = self.rows.chosen(selection)
        self.lines.update(self.rows.lines[places].tolist())
        return places

    def groups(self):
        """(rows, to) for each set of values of `by` among the rows, in the order of the file."""
        by = self.number.by
        if not by:
            return [(self.number.rows, self.number.to)]
        places = self.chosen(self.number.rows)
        sets = dict.fromkeys(zip(*(self.rows.cells(places, column) for column in by)))
        here = [{column: [cell] for column, cell in zip(by, cells)} for cells in sets]
        return [({**self.number.rows, **group}, [{**selection, **group} for selection in self.number.to]) for group in here]

    def samples(self, selection):
        places = self.chosen(selection)
        if "status" in self.rows.table and self.number.within is not None:  # a page may show times of wrong answers
            for line, status in zip(self.rows.lines[places], self.rows.cells(places, "status")):
                if status != "ok":
                    raise logs.LogError(f"{self.rows.path}:{line}: status is {status}; allowed: ok")
        return self.rows.numbers(places, self.number.what)

    def same(self, selection, column):
        """The (number, cell) that all rows have."""
        places = self.chosen(selection)
        value = 0 if self.number.within is None and column == self.number.what else self.rows.numbers(places[:1], column)[0]
        cells = list(self.rows.cells(places, column).unique())
        if len(cells) > 1:
            raise logs.LogError(f"{column} differs in {self.rows.path}{where(selection)}: {', '.join(cells)}")
        return value, cells[0]

    def measure(self, selection, to):
        number = self.number
        if number.statistic == "count":
            places = self.chosen(selection)
            count = len(self.rows.holding(number.counted, places))
            self.found.append((count / len(places), f"{count} of {len(places)}"))
        elif number.statistic == "same":
            self.found.append(self.same(selection, number.what))
        elif number.statistic == "rows":
            count = len(self.chosen(selection))
            self.found.append((count, str(count)))
        elif number.statistic in ("least", "greatest"):
            factor, offset, suffix = UNITS[number.unit]
            values = self.rows.numbers(self.chosen(selection), number.what)
            value = (min if number.statistic == "least" else max)(values) * factor + offset
            self.found.append((value, number_text(number, value) + suffix))
        else:
            part = {"above": self.samples(selection)}
            if to:
                part["below"] = [self.samples(other) for other in to]
            if number.per:
                part["per"] = self.same(selection, number.per)[0]
                if part["per"] == 0:
                    raise logs.LogError(f"{number.per} is 0 in {self.rows.path}{where(selection)}")
            self.parts.append(part)

    def measured(self, answer):
        """The final number, from the answer to its request if it has one."""
        lines = sorted(self.lines)
        if not self.parts:
            value, text = (max if self.number.over == "greatest" else min)(self.found, key=lambda one: one[0])
            return Measured(value, text, lines)
        factor, offset, suffix = UNITS[self.number.unit]
        value, low, high = (one * factor + offset for one in answer)
        if math.isnan(value):
            raise ClaimError(f"{self.number.place}: " + ("it has no geometric mean" if not self.number.to else
                             f"the median of {self.number.what} that it is compared to is not above 0"))
        if math.isnan(low + high) and (self.number.interval or self.number.within is not None):
            raise ClaimError(f"{self.number.place}: its interval has no finite end")
        text = "–".join(number_text(self.number, end) for end in ((low, high) if self.number.interval else (value,)))
        return Measured(value, text + suffix, lines, low, high)


def measure(pairs):
    """The result for each (number, rows): a Measured, or a ClaimError that names the number and what is wrong, such
    as a selection without a row, a row that is not ok, or a cell that is not a number. Raises
    logs.StatisticsError."""
    found = []
    for number, rows in pairs:
        try:
            found.append(Measuring(number, rows))
        except logs.LogError as error:
            found.append(ClaimError(f"{number.place}: {error}"))
    asked = [one for one in found if isinstance(one, Measuring) and one.parts]
    answers = dict(zip(map(id, asked), logs.statistics([
        {"parts": one.parts, **({"over": one.number.over} if one.number.over else {})} for one in asked])))

    def final(one):
        try:
            return one if isinstance(one, ClaimError) else one.measured(answers.get(id(one)))
        except ClaimError as error:
            return error

    return [final(one) for one in found]


def near(number, first, second):
    """Whether a second measurement is as close to the first as the number requires."""
    if number.within == 0:
        return first.text == second.text
    # For a count, compares the difference of the shares, because they may be 0. For "12 % more", compares the ratios.
    factor, offset, _ = UNITS[number.unit]
    one, other = ((measured.value - offset) / factor for measured in (first, second))
    return abs(other - one) <= number.within * (1 if number.statistic == "count" else abs(one))


def above_one(number, measured):
    """Whether a ratio is above 1, whatever its unit: the measured value is larger than the one it is compared
    with."""
    factor, offset, _ = UNITS[number.unit]
    return measured.value > factor + offset


# --- what is said of a number ---


def plain(number):
    return str(int(number)) if float(number).is_integer() else repr(number)


def condition_text(condition):
    if isinstance(condition, Best):
        return f"the one with {selection_text(condition.named)} of {condition.cases} cases"
    return f"{plain(condition[0])} to {plain(condition[1])}" if isinstance(condition, tuple) else " or ".join(condition)


def selection_text(selection):
    return ", ".join(f"{column} = {condition_text(condition)}" for column, condition in sorted(selection.items()))


def where(selection):
    """ " where strategy = nosync, grid = 1 to 64"; empty for all rows."""
    return f" where {selection_text(selection)}" if selection else ""


def digits_text(value, digits):
    """Significant digits, never with an exponent: 0.0761, 20.7, 3651."""
    exponent = int(f"{value:.{digits - 1}e}".split("e")[1])
    return f"{value:.{max(0, digits - 1 - exponent)}f}"


def number_text(number, value):
    return digits_text(value, number.digits) if number.decimals is None else f"{value:.{number.decimals}f}"


def description_of(number):
    """How the number is computed: "median of gpu_us where strategy = nosync, type = int32"."""
    text = {"median": f"median of {number.what}", "ratio": f"ratio of the medians of {number.what}",
            "count": f"rows with {selection_text(number.counted)}", "same": f"{number.what} of every row", "rows": "rows",
            "least": f"least {number.what}", "greatest": f"greatest {number.what}"}[number.statistic]
    text += (f" over {number.per}" if number.per else "") + where(number.rows)
    if number.to:
        others = [selection_text({column: condition for column, condition in selection.items()
                                  if number.rows.get(column) != condition}) for selection in number.to]
        text += f", to {'the smaller of ' if len(others) > 1 else ''}{' and '.join(others)}"
    return text + (f"; the {number.over} over {' and '.join(number.by)}" if number.over else "")


def interval_text(number, measured):
    """ "8.13 to 9.33 ms"; empty if there is no interval."""
    if measured.low is None:
        return ""
    low, high = (number_text(number, bound) for bound in (measured.low, measured.high))
    return f"{low} to {high}{UNITS[number.unit][2]}"


def order_text(ratio_above_one):
    return "above 1" if ratio_above_one else "not above 1"


def within_text(number):
    return "the same" if number.within == 0 else f"within {100 * number.within:.3g} %"
