"""The cases of a log as columns, for the page of report.py: what is drawn of them, and the rows behind each."""
import json
import math

import numpy
import pandas

import figure_style as style
import logs
import tables
import views
from measures import MEASURES

# The columns of a case on the page: first the fields of logs.case_columns(), then these, then the measures.
SUMMED = ["log", "workload", "machine", "family", "rows", "ok", "clock", "launches", "peak_gb_s"]


def plain(value):
    """A cell for JSON: None if it is not a number, whole numbers without a decimal point, other numbers with nine
    digits."""
    if isinstance(value, str):
        return value
    value = float(value)
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() else float(f"{value:.9g}")


as_json = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def spans_of(measure, cases):
    """[value, low, high] for each case; low and high are None if there is no interval. None if the case has no value,
    such as a ratio to a time of 0."""
    spans = zip(*([plain(number) for number in numpy.asarray(column).tolist()] for column in measure.of(cases) if column is not None))
    return [None if span[0] is None else [span[0], None, None] if None in span else [*span, None, None][:3] for span in spans]


def cases_of(path, parts_of_log):
    """A log's cases with the columns that the table of figures needs."""
    cases = pandas.concat([part.cases for part in parts_of_log], ignore_index=True)
    measured = {name: pandas.Series(spans_of(measure, cases), dtype=object) for name, measure in MEASURES.items()}
    family = [tables.family_text(style.family_of(strategy, launches)) for strategy, launches in zip(cases["strategy"], cases["launches"])]
    machine = [views.machine_of(case) for case in cases[["backend", "gpu"]].to_dict("records")]
    return cases.assign(**measured, log=path.name, family=family, machine=machine)


def columns_of(cases, log):
    """Cases as columns, with the rows of each: lines, times, repetitions, statuses and details."""
    columns = {name: [plain(value) for value in cases[name].tolist()] for name in [*logs.case_columns(), *SUMMED]}
    columns.update({name: cases[name].tolist() for name in MEASURES})
    columns["lines"] = cases["lines"].tolist()
    rows = [numpy.searchsorted(log["line"], lines) for lines in cases["lines"]]
    for name, column in (("times", "us"), ("repetitions", "repetition"), ("statuses", "status"), ("details", "detail")):
        cells = numpy.asarray(log[column])
        columns[name] = [cells[own] for own in rows]
    return columns


def joined(tables):
    """The columns of all logs, concatenated, as JSON. A column of few different values is `of`, those values, and `at`, the
    place of each case's value among them: most columns are, and the page is a fifth smaller."""
    return ",".join(f"{as_json(name)}:{folded(value for table in tables for value in table[name])}" for name in tables[0]).join("{}")


def folded(column):
    # An array of numbers, of which a log may have millions, becomes a list here and not before.
    values = [[plain(number) for number in value.tolist()] if isinstance(value, numpy.ndarray) else value for value in column]
    keys = [tuple(value) if isinstance(value, list) else value for value in values]
    places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    if 2 * len(places) > len(values):
        return as_json(values)
    return f'{{"of":{as_json(list(places))},"at":{as_json([places[key] for key in keys])}}}'
