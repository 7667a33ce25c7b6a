"""Reads a CSV of millions of rows in little memory: each column holds its different cells once, and a small number per
row."""
import collections
import csv
import itertools
import math

import numpy
import pandas

ROWS_AT_ONCE = 500  # few enough for the processor's caches


class CsvError(Exception):
    """A file that is not a CSV: the line where it is wrong, 0 if it is the whole file, and why."""

    def __init__(self, line, why):
        super().__init__(why)
        self.line = line


def _without_zeros(lines):
    """The lines; zero bytes are what a power loss may leave of a row. Python reads them as text."""
    for number, line in enumerate(lines, 1):
        if "\0" in line:
            raise CsvError(number, "it has a zero byte: the row is incomplete")
        yield line


def records(file):
    """(line, cells) of each row of a file, the header first; the header is line 1. Blank lines are skipped. Raises
    CsvError."""
    reader, before, columns = csv.reader(_without_zeros(file), strict=True), 0, 0
    try:
        for row in reader:
            if row:
                columns = columns or len(row)
                if len(row) != columns:
                    raise CsvError(before + 1, f"{len(row)} cells under {columns} columns: the row is incomplete")
                yield before + 1, row
            before = reader.line_num
    except (csv.Error, UnicodeDecodeError) as error:
        raise CsvError(0, f"it is not a CSV, or cut off: {error}") from error
    if not columns:
        raise CsvError(0, "it is empty; allowed: a CSV with a header")


def number_in(cell):
    """The number in a cell, NaN if it is empty; None if it has no finite number."""
    try:
        number = float(cell) if cell else math.nan
    except ValueError:
        return None
    return None if "_" in cell or cell and not math.isfinite(number) else number


def read(file, texts, numbers):
    """({name: column}, header, array with the line of each row) of a CSV, of these columns if it has them. A column of `numbers` is an array, NaN
    where a cell is empty; of `texts` (the different cells, in the order of their first rows; the place of each row's cell among them). Raises CsvError."""
    rows = records(file)
    _, header = next(rows)
    places = {name: collections.defaultdict(itertools.count().__next__) for name in header if name in texts and name not in numbers}
    pieces, lines = {name: [] for name in header if name in places or name in numbers}, []
    while chunk := list(itertools.islice(rows, ROWS_AT_ONCE)):
        lines.append(numpy.array([line for line, _ in chunk], dtype=numpy.int32))
        columns = list(zip(*(row for _, row in chunk)))
        for name, own in pieces.items():
            cells = columns[header.index(name)]
            if name in numbers:
                found = [number_in(cell) for cell in cells]
                if None in found:
                    at = found.index(None)
                    raise CsvError(chunk[at][0], f"{name} is '{cells[at]}'; allowed: a finite number or nothing")
                own.append(numpy.array(found))
            else:
                codes = numpy.fromiter(map(places[name].__getitem__, cells), dtype=numpy.int32, count=len(cells))
                own.append(codes.astype(numpy.min_scalar_type(len(places[name]))))
    whole = {name: numpy.concatenate(own or [numpy.zeros(0, dtype=numpy.uint8)]) for name, own in pieces.items()}
    return ({name: (list(places[name]), column) if name in places else column for name, column in whole.items()}, header,
            numpy.concatenate(lines or [numpy.zeros(0, dtype=numpy.int32)]))


def narrow(numbers):
    """An array of numbers as integers if all are whole and none is missing, as pandas reads a CSV."""
    whole = len(numbers) and numpy.abs(numbers).max() < 2**53 and (numbers == numpy.floor(numbers)).all()
    return numbers.astype(numpy.int64) if whole else numbers


def packed(codes, values):
    """A pandas column of texts or numbers by their places; equal values become one. A value that is NaN is missing."""
    categories = list(dict.fromkeys(value for value in values if value == value))
    places = {value: place for place, value in enumerate(categories)}
    new = numpy.array([places.get(value, -1) for value in values], dtype=numpy.min_scalar_type(-max(1, len(categories))))
    if not categories or isinstance(categories[0], float):
        categories = numpy.array(categories, dtype=float)
        categories = categories if -1 in new else narrow(categories)
    return pandas.Categorical.from_codes(new[codes], pandas.Index(categories))


def codes_of(column):
    """(the place of each row's value among the values, -1 if it is missing; the values) of a pandas column."""
    if isinstance(column.dtype, pandas.CategoricalDtype):
        return column.cat.codes.to_numpy(), column.cat.categories.to_numpy()
    codes, values = pandas.factorize(column.to_numpy())
    return codes, values
