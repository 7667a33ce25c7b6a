"""Checks whether the cells of a log's rows agree with each other, by the same rules as src/log/row_check.cpp: an
edited row is not a measured row. Needs only Python."""
import math

STATUSES = ["ok", "wrong", "launch_failed", "count_mismatch", "unsupported", "timeout", "crashed"]
# The columns that identify the case of a row in a log without `key`, as far as the reference depends on it.
CASE = ["strategy", "backend", "mechanism", "type", "elements", "grid", "block", "nx", "ny", "block_shape", "depth", "delay_us",
        "graphs", "pending_limit_asked", "schedule", "seed"]


IDENTITY = ["key", "backend", "schedule", "experiment", "gpu", "run_id", "repetition"]


class RowError(Exception):
    """A row whose cells do not agree: its line and column, its value, and the expected value."""


def loosest_bound(elements):
    """The same as in src/model/rounding.hpp: the largest allowed relative error of a float32 sum."""
    additions, unit_roundoff = 64 + elements / 65536, 2**-24
    return additions * unit_roundoff / (1 - additions * unit_roundoff)


class Row:
    """The cells of a row by column. A column that the log lacks is empty."""

    def __init__(self, columns, line, cells):
        self.columns, self.line, self.cells = columns, line, cells

    def at(self, column):
        return self.cells[self.columns[column]] if column in self.columns else ""

    def refuse(self, column, expected):
        raise RowError(f"line {self.line}: {column} is '{self.at(column)}'; expected: {expected}")

    def number(self, column):
        try:
            value = float(self.at(column))
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            self.refuse(column, "a number")
        return value


def check_relative_error(row):
    answer, reference = row.number("answer"), row.number("reference")
    off = abs(answer - reference)
    expected = f"{off / abs(reference) if off and reference else off and math.inf:.3g}"
    if row.at("relative_error") != expected:
        row.refuse("relative_error", f"{expected}, of answer {row.at('answer')} and reference {row.at('reference')}")


def check_replaced(row):
    """Launches by need that were refused are replaced; a tail launch that replaces some is a drain."""
    drains, replaced, expected = row.number("drains"), row.number("replaced"), row.number("launches_expected")
    if row.number("launches_attempted") - drains != expected:
        row.refuse("launches_attempted", f"{expected + drains:.0f}, launches_expected and drains, as the status is ok")
    if row.number("launched") + replaced != expected:
        row.refuse("launched", f"{expected - replaced:.0f}, launches_expected without those replaced, as the status is ok")
    if not replaced <= row.number("launches_failed") <= replaced + drains:
        row.refuse("launches_failed", f"{replaced:.0f} to {replaced + drains:.0f}, those replaced and the drains that were refused, "
                                      "as the status is ok")


def check_launches(row):
    attempted, expected = row.at("launches_attempted"), row.at("launches_expected")
    # A build without the ledger counts no launches.
    if attempted and (attempted != "0" or row.at("launches_by_depth")) and row.at("replaced"):
        check_replaced(row)
        return
    if attempted and expected and attempted != expected and (attempted != "0" or row.at("launches_by_depth")):
        row.refuse("launches_attempted", f"{expected}, which are expected, as the status is ok")
    if row.at("launches_failed") not in ("", "0"):
        row.refuse("launches_failed", "0, as the status is ok")


def check_ok(row):
    check_launches(row)
    if "reference" in row.columns and row.at("answer") != row.at("reference"):
        near = row.at("type") == "float32" and row.at("relative_error") and row.at("elements")
        bound = loosest_bound(row.number("elements")) if near else 0
        if not near or abs(row.number("answer") - row.number("reference")) > bound * row.number("reference"):
            row.refuse("answer", f"{row.at('reference')}{f' within a share of {bound:.3g}' if near else ''}, the reference, "
                                 "as the status is ok")
    if "wall_us" in row.columns and not row.at("wall_us") and row.at("floor_us"):
        row.refuse("wall_us", "a number above 0, as the status is ok")


def check_rows(header, lines, rows):
    """Checks rows as logs.read_rows returns them. Raises RowError."""
    columns, references = {name: place for place, name in enumerate(header)}, {}
    case = [columns[name] for name in (["key"] if "key" in columns else CASE) if name in columns]
    # Two runs in one log may have the same case and repetition. A log without keys does not record what was asked
    # for.
    identity = [columns[name] for name in (IDENTITY if "key" in columns else columns) if name in columns]
    known_rows = {}
    for line, cells in zip(lines, rows):
        row = Row(columns, line, cells)
        before = known_rows.setdefault(tuple(cells[place] for place in identity), line)
        if before != line and "repetition" in columns:
            raise RowError(f"line {line}: repetition {row.at('repetition')} of the case is already in line {before}; "
                           "allowed: every row once")
        status = row.at("status")
        if status not in STATUSES:
            raise RowError(f"line {line}: status is '{status}'; allowed: {', '.join(STATUSES)}")
        if status == "ok":
            check_ok(row)
        if row.at("relative_error"):
            check_relative_error(row)
        for name in ("gpu_us", "wall_us"):
            if row.at(name) and status != "ok":
                row.refuse(name, f"nothing, as the status is {status}")
            if row.at(name) and not row.number(name) > 0:
                row.refuse(name, "a number above 0")
        if reference := row.at("reference"):
            first, known = references.setdefault(tuple(cells[place] for place in case), (line, reference))
            if reference != known:
                row.refuse("reference", f"'{known}', as in line {first} of the same case")
