"""The axes and measures of figures and of the page of report.py: each is defined once, here."""
import dataclasses
import typing

import numpy

import logs


@dataclasses.dataclass(frozen=True)
class Axis:
    """`field`: the column of the log that varies. `column`: the column that has it as a number. `follows`: fields
    that change with it and so do not distinguish lines. `apart`: additional fields that distinguish lines. `words`:
    values that are not numbers, and whether they come before or after the numbers. `powers`: ticks are 2²⁰ and the
    like if the largest value is above this. `on_cpu`: the title for the executor, if it differs."""
    name: str
    title: str
    field: str
    column: str
    follows: tuple = ()
    apart: tuple = ()
    words: dict = dataclasses.field(default_factory=dict)
    powers: float = 1e5
    on_cpu: str = ""


AXES = {
    "depth": Axis("depth", "nesting depth", "depth", "depths", words={"full": "after"}),
    "length": Axis("length", "grids in the chain", "depth", "launched"),
    "grid": Axis("grid", "root blocks", "grid", "grid", ("elements",)),
    "children": Axis("launches", "launches", "grid", "launched", apart=("whole",)),
    "block": Axis("block", "threads per block", "block", "block", ("elements",)),
    "delay": Axis("delay", "delay added to the losing side of the race, µs", "delay_us", "delay_us", on_cpu="interruptions of each thread"),
    "limit": Axis("pending limit", "pending-launch limit", "pending_limit_asked", "pending_limit_asked", words={"auto": "before"},
                  powers=1e9),
    "elements": Axis("elements", "numbers", "elements", "elements", ("grid", "nx", "ny"), powers=0),
    "wave": Axis("wave", "root blocks per wave", "wave", "wave", apart=("streams",)),
}


@dataclasses.dataclass(frozen=True)
class Measure:
    """`of` returns (values, low, high) of cases, as columns in the unit; low and high are None if there is no
    interval. `linear`: never on a logarithmic axis. `zero`: a logarithmic axis has a place for 0. `share`: a share of
    the device's peak."""
    name: str
    title: str
    unit: str
    of: typing.Callable
    linear: bool = False
    zero: bool = False
    share: bool = False

    @property
    def label(self):
        return ", ".join(filter(None, [self.title, self.unit]))


def each(cases):
    """Time divided by the grids of a chain or the launches of a fan-out."""
    return tuple(cases[name] / cases["launched"] for name in ("us", "low", "high"))


def bandwidth(cases):
    """GB/s. The interval is the bytes divided by the interval of the times, with its ends swapped, because a rate
    falls as its time grows."""
    amount = (cases["bandwidth_gb_s"] * cases["us"]).where(cases["low"] > 0)
    return cases["bandwidth_gb_s"], amount / cases["high"], amount / cases["low"]


def _share(cases):
    return tuple(100 * column / cases["peak_gb_s"].where(cases["peak_gb_s"] > 0) for column in bandwidth(cases))


def _wrong(cases):
    """The wrong share of the runs that were right or wrong, with the Wilson interval."""
    trials = [logs.wrong_share(case) for case in cases[["statuses", "ok"]].to_dict("records")]
    spans = [(found[0] / found[1], *logs.interval_of_share(*found)) if found else [numpy.nan] * 3 for found in trials]
    return tuple([100 * number for number in numbers] for numbers in zip(*spans))


def _lost(cases):
    shares = [logs.lost_share(case) for case in cases[["launches", "failed", "expected"]].to_dict("records")]
    return [numpy.nan if share is None else 100 * share for share in shares], None, None


def _ratio(cases):
    return tuple(zip(*(found or [numpy.nan] * 3 for found in logs.ratios_to_cub(cases))))


MEASURES = {
    "time": Measure("time", "time of a run", "µs", lambda cases: (cases["us"], cases["low"], cases["high"])),
    "each": Measure("time per launch", "time per launch", "µs", each),
    "device_launches": Measure("device launches", "device launches per run", "",
                               lambda cases: (cases["launches"], None, None), zero=True),
    "wrong": Measure("wrong answers", "runs with a wrong answer", "%", _wrong, linear=True),
    "lost": Measure("launches lost", "launches lost", "%", _lost, linear=True),
    "memory": Measure("memory", "device memory beyond that of the default limit", "MB",
                      lambda cases: (cases["limit_bytes"] / 1e6, None, None)),
    "ratio": Measure("ratio to CUB", "time relative to CUB's", "", _ratio),
    "bandwidth": Measure("bandwidth", "bandwidth", "GB/s", bandwidth),
    "share": Measure("share of the peak", "share of the device's peak", "%", _share, linear=True, share=True),
}
