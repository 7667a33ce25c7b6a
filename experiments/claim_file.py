"""Reads and checks results/claims.json: sentences with numbers, where each number is a statistic over chosen rows of
a CSV. The file says how to compute a number, but never its value.

A number is one line of text, here and in the template of a page (computed_page.py): WHAT CONDITION...

    us, ms            median of gpu_us
    STATISTIC:COLUMN  median, least or greatest of a column; same: the cell that all rows have
    count:CONDITION   how many of the rows
    rows              how many rows
    ratio, more, interval   CONDITION... to CONDITION... [or CONDITION...]: medians of gpu_us (ratio:COLUMN: of that), the first over the
                      smallest of the others; more: in percent more; interval: the two ends of its 95 % interval

WHAT may end in >UNIT, and in .N significant digits (3) or in ,N decimals. A CONDITION is COLUMN=CELL, COLUMN=CELL|CELL or
COLUMN=FROM..TO; COLUMN='CELL' if it has blanks. best=CASES:COLUMN=CELL,COLUMN=CELL chooses the case with the smallest median of gpu_us.
per=COLUMN divides by the value that all rows have there, and by=COLUMN,COLUMN over=least|greatest|mean makes one number of those for
each set of values (mean: the geometric mean). In claims.json, within=SHARE is the largest difference of a second run (0: equal), and
everywhere=yes|no whether it must hold on every GPU.
"""
import dataclasses
import difflib
import json
import re
import shlex

from checked_output import ScriptError

# For each unit: how to convert a number from the CSV's unit (us, GB/s, a share, bytes) into it (value * factor + offset),
# and the text after the number.
UNITS = {"": (1, 0, ""), "us": (1, 0, " µs"), "ms": (1e-3, 0, " ms"), "GB/s": (1, 0, " GB/s"), "TB/s": (1e-3, 0, " TB/s"),
         "MB": (1e-6, 0, " MB"), "GB": (1e-9, 0, " GB"), "%": (100, 0, " %"), "% more": (100, -100, " %")}
BEST = "best"
# What a sentence may say only if one of its numbers is computed as that: the words, whether a number is so computed, and how.
WORDS = [(r"best|fastest", lambda number: bool(number.best or number.over), '"best", or "over" with "by"'),
         (r"at least|at most|least|most|slowest|fewest", lambda number: bool(number.best or number.over or number.counts_range),
          '"over" with "by", "best", or "count" of a range'),
         (r"all|always|never", lambda number: number.statistic in ("count", "same") or bool(number.over),
          '"count", "same", or "over" with "by"')]


class ClaimError(ScriptError):
    """What is wrong with the claims: names the file, the claim, the number, and what is allowed."""


@dataclasses.dataclass
class Best:
    """A condition of a selection, under the name BEST: of the rows that meet all others, only those of the case with the
    smallest median of gpu_us count. There must be `cases` cases, and the best one must have the cells `named`. A second run
    is compared by the rows with these cells."""
    cases: int
    named: dict  # a selection


@dataclasses.dataclass
class Number:
    """One number of a claim or a page. A selection of rows is {column: cells or range}: either a list of texts, of which a row
    must have one, or a tuple (from, to) of numbers. It may have a Best."""
    id: str  # CLAIM.NAME; of a page, its place
    place: str  # for messages
    statistic: str  # median, ratio, count, same, least, greatest, rows
    what: str  # the column; empty for `count` and `rows`
    rows: dict  # a selection
    counted: dict = dataclasses.field(default_factory=dict)  # a selection, for `count`
    to: list = dataclasses.field(default_factory=list)  # of selections, for `ratio`
    by: list = dataclasses.field(default_factory=list)  # columns; empty: all rows at once
    over: str = ""  # how to combine the numbers of all sets of values of `by` into one; or empty
    per: str = ""  # a column to divide the number by, with the same value in all rows; or empty
    unit: str = ""
    digits: int = 3  # significant digits of the text
    decimals: int | None = None  # of the text, in place of digits
    interval: bool = False  # the text is the two ends of the interval
    within: float | None = None  # the largest allowed difference of a second run, as a share of the number; 0: equal. None: of a page
    everywhere: bool = False  # also judged on another GPU; a ratio must then lie on the same side of 1

    @property
    def best(self):
        """Those of its selections that are of a best case."""
        return [selection[BEST] for selection in (self.rows, *self.to) if BEST in selection]

    @property
    def counts_range(self):
        return any(isinstance(condition, tuple) for condition in self.counted.values())


@dataclasses.dataclass
class Claim:
    """A sentence with {NAME} for each of its numbers, and the CSV that they are computed from, relative to the folder
    of results."""
    id: str
    sentence: str
    log: str
    numbers: list


def dumped(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Node:
    """A part of the file, and its name in messages."""

    def __init__(self, value, place):
        self.value, self.place = value, place

    def refuse(self, why):
        raise ClaimError(f"{self.place}: {why}")

    def check_keys(self, *allowed):
        """The value must be an object with these keys and no others."""
        if not isinstance(self.value, dict):
            self.refuse(f"it is {dumped(self.value)}; allowed: an object")
        for key in self.value:
            if key not in allowed:
                near = difflib.get_close_matches(key, allowed, 1)
                self.refuse(f"there is no key '{key}'{f', did you mean {near[0]!r}?' if near else ''}; "
                            f"allowed: {', '.join(sorted(allowed))}")

    def text(self, key, otherwise=None):
        """A text that is not empty. With `otherwise`, a missing text becomes `otherwise`, and an empty text is
        allowed."""
        value = self.value.get(key, otherwise)
        if not isinstance(value, str) or not value and otherwise is None:
            self.refuse(f'"{key}" is {dumped(value) if key in self.value else "missing"}; allowed: a text')
        return value

    def of_type(self, kind, key, what):
        if not isinstance(self.value, dict) or not isinstance(self.value.get(key), kind):
            self.refuse(f'"{key}" is missing; allowed: {what}')
        return self.value[key]


# --- the language of the numbers ---


WHAT = re.compile(r"(?P<what>[a-z]+)(?::(?P<column>[a-z0-9_]+))?(?:>(?P<unit>[A-Za-z/%]+))?(?:\.(?P<digits>[1-9])|,(?P<decimals>[0-9]))?")
# {WHAT: (statistic, column, unit)}; without a column, it is named.
KINDS = {"us": ("median", "gpu_us", "us"), "ms": ("median", "gpu_us", "ms"), "ratio": ("ratio", "gpu_us", ""), "more": ("ratio", "gpu_us", "% more"),
         "interval": ("ratio", "gpu_us", ""), **{name: (name, None, "") for name in ("median", "same", "least", "greatest")}}
OVERS = {"least": "least", "greatest": "greatest", "mean": "geometric mean"}
OPTIONS = ("per", "by", "over")
OF_A_CLAIM = ("within", "everywhere")
ALLOWED = ("us, ms, median:COLUMN, least:COLUMN, greatest:COLUMN, same:COLUMN, count:COLUMN=CELL, rows, ratio, more, interval; "
           f">UNIT: {', '.join(filter(None, UNITS))}").removesuffix(", % more")


def refuse(place, why):
    raise ClaimError(f"{place}: {why}")


def condition_of(place, value):
    ends = re.fullmatch(r"(-?[0-9.]+?)\.\.(-?[0-9.]+)", value)
    if not ends:
        return value.split("|")
    try:
        found = tuple(map(float, ends.groups()))
    except ValueError:
        refuse(place, f"'{value}' is not a range; allowed: FROM..TO, two numbers")
    if found[0] > found[1]:
        refuse(place, f"no number is from {ends[1]} to {ends[2]}")
    return found


def best_of(place, value):
    cases, _, named = value.partition(":")
    if not re.fullmatch("[0-9]+", cases) or int(cases) < 2 or not named:
        refuse(place, f"'best={value}'; allowed: best=CASES:COLUMN=CELL, with how many cases there are, from 2 on, and cells of the best one, as "
                      "the sentence names it")
    return Best(int(cases), selection_of(place, named.split(","))[0])


def selection_of(place, words, options=()):
    """({column: cells or range}, {option: text}) from a list of conditions."""
    found, more = {}, {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name or name in found or name in more:
            refuse(place, f"'{word}' is not a condition{', or one too many' if name in {**found, **more} else ''}; allowed: COLUMN=CELL, "
                          "COLUMN=CELL|CELL, COLUMN=FROM..TO")
        if name in options:
            more[name] = value
        else:
            found[name] = best_of(place, value) if name == BEST else condition_of(place, value)
    return found, more


def words_of(place, text):
    try:
        return shlex.split(text)
    except ValueError as error:
        return refuse(place, f"'{text}': {error}")


def number_of(place, name, text, base, options=OPTIONS, also=""):
    """(the Number that a text asks for, of the rows that `base` selects; {option: text}). Raises ClaimError."""
    first, *words = words_of(place, text) or [""]
    if first.startswith("count:") or first == "rows":
        statistic, column, unit, said = first[:5].rstrip(":"), "", "", {}
    else:
        said = WHAT.fullmatch(first)
        statistic, column, unit = KINDS.get(said["what"], ("", "", "")) if said else ("", "", "")
        if not statistic or column is None and not said["column"] or said["what"] in ("us", "ms") and said["column"] or \
                said["unit"] not in (None, *UNITS):
            refuse(place, f"'{text}' is not a number; allowed: {ALLOWED}{also}")
        column, unit = said["column"] or column, said["unit"] or unit
    groups = [[]]
    for word in words:  # of a ratio: the numerator first, then what it is compared with
        groups.append([]) if statistic == "ratio" and word in ("to", "or") else groups[-1].append(word)
    (own, said_of), *others = (selection_of(place, group, options) for group in groups)
    for _, more in others:
        said_of.update(more)
    rows = dict(sorted({**base, **own}.items()))
    number = Number(name, place, statistic, column, rows, to=[dict(sorted({**rows, **other}.items())) for other, _ in others], unit=unit,
                    per=said_of.get("per", ""), by=said_of["by"].split(",") if said_of.get("by") else [],
                    over=OVERS.get(said_of["over"], "none") if "over" in said_of else "", interval=bool(said) and said["what"] == "interval")
    if statistic == "count":
        number.counted = selection_of(place, [first.removeprefix("count:")])[0]
    if said:
        number.digits = int(said["digits"] or 3)
        number.decimals = int(said["decimals"]) if said["decimals"] else None
    check_together(place, number)
    return number, said_of


def check_together(place, number):
    """Refuses settings that would have no effect on the number."""
    if bool(number.to) != (number.statistic == "ratio"):
        refuse(place, "'to' goes with ratio, more, interval, and with nothing else")
    if bool(number.by) != bool(number.over) or number.over == "none":
        refuse(place, "'by' and 'over' go together; over is least, greatest or mean")
    as_is = number.statistic not in ("median", "ratio")
    if as_is and number.over == "geometric mean":
        refuse(place, f"'over=mean' does not go with {number.statistic}; allowed: least, greatest")
    if number.unit and number.statistic in ("count", "same", "rows"):
        refuse(place, f"it has the unit {number.unit}; allowed for count, same and rows: none")
    if number.per and as_is:
        refuse(place, "'per' goes with us, ms, median, ratio, more, interval, and with nothing else")


def claimed(place, name, text, base):
    """The number of a claim, which must also say how near a second run comes."""
    number, options = number_of(place, name, text, base, OPTIONS + OF_A_CLAIM)
    within, everywhere = options.get("within", "none"), options.get("everywhere", "yes" if number.statistic in ("same", "count") else "no")
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", within):
        refuse(place, f"'within' is {within}; allowed: a share, 0.1 for one, or 0 for exactly")
    if everywhere not in ("yes", "no"):
        refuse(place, f"'everywhere' is {everywhere}; allowed: yes, no")
    if everywhere == "yes" and number.statistic == "median":
        refuse(place, "'everywhere' is yes; allowed for a median: no, as another GPU has other times")
    if number.interval:
        refuse(place, "an interval is not a number of a claim; allowed: ratio, whose interval is given with it")
    number.within, number.everywhere = int(within) if within.isdigit() else float(within), everywhere == "yes"
    return number


# --- claims.json ---


def check_name(node, name):
    """Refuses a name that cannot be part of a link."""
    if not re.fullmatch("[a-z0-9_-]+", name):
        node.refuse(f"'{name}' is not a valid name; allowed: small letters, digits, - and _")


def claim_of(node):
    node.check_keys("id", "claim", "log", "rows", "numbers")
    claim = Claim(node.text("id"), node.text("claim"), node.text("log"), [])
    check_name(node, claim.id)
    base = selection_of(f"{node.place}, rows", words_of(node.place, node.text("rows", "")))[0]
    if not node.value.get("numbers") or not isinstance(node.value["numbers"], dict):
        node.refuse('"numbers" is missing; allowed: an object with at least one number')
    for name, value in node.value["numbers"].items():
        check_name(node, name)
        if f"{{{name}}}" not in claim.sentence:
            node.refuse(f"the sentence has no {{{name}}}")
        if not isinstance(value, str):
            node.refuse(f'number {name} is {dumped(value)}; allowed: a text, "ms within=0.1"')
        claim.numbers.append(claimed(f"claim {claim.id}.{name}", f"{claim.id}.{name}", value, base))
    for name in re.findall(r"\{([^}]*)", claim.sentence):
        if name not in node.value["numbers"]:
            node.refuse(f"the sentence has {{{name}}}, and there is no such number")
    for words, is_computed, how in WORDS:
        found = re.search(rf"\b(?:{words})\b", re.sub(r"`[^`]*`", "", claim.sentence), re.IGNORECASE)
        if found and not any(map(is_computed, claim.numbers)):
            node.refuse(f"the sentence says '{found[0]}', and no number is computed as that; allowed: a number with {how}")
    return claim


def parse_claims(path, text):
    """({CSV: {figure, command}}, [Claim]), with an entry for the CSV of each claim. Missing properties of a CSV are
    empty. Raises ClaimError."""
    try:
        text.encode()  # refuses text that is not UTF-8
        file = Node(json.loads(text), "the file")
        if not isinstance(file.value, dict):
            file.refuse(f"it is {dumped(file.value)}; allowed: an object")
        file.check_keys("logs", "claims")
        logs = {}
        for name, value in sorted(file.of_type(dict, "logs", "an object of CSVs").items()):
            log = Node(value, f"log {name}")
            log.check_keys("figure", "command")
            logs[name] = {key: log.text(key, "") for key in ("figure", "command")}
        claims = []
        for one in file.of_type(list, "claims", "a list of claims"):
            named = isinstance(one, dict) and isinstance(one.get("id"), str)
            node = Node(one, f"claim {one['id'] if named else 'without an id'}")
            claim = claim_of(node)
            if claim.id in [other.id for other in claims]:
                node.refuse("there is another of that id")
            if claim.log not in logs:
                node.refuse(f'its log {claim.log} is not among "logs"')
            claims.append(claim)
        for name in logs:
            if name not in [claim.log for claim in claims]:
                raise ClaimError(f"log {name}: no claim uses it")
        return logs, claims
    except (ValueError, ClaimError) as error:
        raise ClaimError(f"{path}: {error}") from error
