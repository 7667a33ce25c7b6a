"""Reads and checks results/claims.json: sentences with numbers, where each number is a statistic over chosen rows of
a CSV. The file says how to compute a number, but never its value."""
import dataclasses
import difflib
import json
import math
import re

# For each unit: how to convert a number from the CSV's unit (us, GB/s, a share) into it (value * factor + offset),
# and the text after the number.
UNITS = {"": (1, 0, ""), "us": (1, 0, " µs"), "ms": (1e-3, 0, " ms"), "GB/s": (1, 0, " GB/s"), "TB/s": (1e-3, 0, " TB/s"),
         "%": (100, 0, " %"), "% more": (100, -100, " %")}
# median: of a column. ratio: of the median over the rows to the smallest of the medians over each of `to`. count: how
# many of the rows have certain cells. same: the cell that all rows have.
STATISTICS = ["median", "ratio", "count", "same"]
BEST = "best"
# What a sentence may say only if one of its numbers is computed as that: the words, whether a number is so computed, and how.
WORDS = [(r"best|fastest", lambda number: bool(number.best or number.over), '"best", or "over" with "by"'),
         (r"at least|at most|least|most|slowest|fewest", lambda number: bool(number.best or number.over or number.counts_range),
          '"over" with "by", "best", or "count" of a range'),
         (r"all|always|never", lambda number: number.statistic in ("count", "same") or bool(number.over),
          '"count", "same", or "over" with "by"')]
OVERS = ["least", "greatest", "geometric mean"]


class ClaimError(Exception):
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
    """One number of a claim. A selection of rows is {column: cells or range}: either a list of texts, of which a row
    must have one, or a tuple (from, to) of numbers. It may have a Best."""
    id: str  # CLAIM.NAME
    statistic: str
    what: str  # the column; empty for `count`
    counted: dict  # a selection, for `count`
    rows: dict  # a selection
    to: list  # a list of selections
    by: list  # columns; empty: all rows at once
    over: str  # how to combine the numbers of all sets of values of `by` into one; or empty
    per: str  # a column to divide the number by, with the same value in all rows; or empty
    unit: str
    digits: int  # significant digits of the text
    within: float  # the largest allowed difference of a second run, as a share of the number; 0: equal
    everywhere: bool  # also judged on another GPU; a ratio must then lie on the same side of 1

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


def quoted(names):
    return ", ".join(f'"{name}"' for name in names)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


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

    def at(self, key):
        return Node(self.value[key], f"{self.place}, {key}")

    def shown(self, key):
        return dumped(self.value[key]) if key in self.value else "missing"

    def text(self, key, otherwise=None):
        """A text that is not empty. With `otherwise`, a missing text becomes `otherwise`, and an empty text is
        allowed."""
        value = self.value.get(key, otherwise)
        if not isinstance(value, str) or not value and otherwise is None:
            self.refuse(f'"{key}" is {self.shown(key)}; allowed: a text')
        return value

    def of_type(self, kind, key, what):
        if not isinstance(self.value, dict) or not isinstance(self.value.get(key), kind):
            self.refuse(f'"{key}" is missing; allowed: {what}')
        return self.value[key]


def cell_text(node, value):
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        node.refuse(f"a cell is {dumped(value)}; allowed: a text or a whole number")
    return str(value)


def best_of(node):
    node.check_keys("cases", "named")
    cases = node.value.get("cases")
    if isinstance(cases, bool) or not isinstance(cases, int) or cases < 2:
        node.refuse(f'"cases" is {node.shown("cases")}; allowed: how many cases there are, from 2 on')
    if not node.value.get("named"):
        node.refuse('"named" is missing; allowed: the cells of the best case, as the sentence names it')
    return Best(cases, selection_of(node.at("named"), {}))


def condition_of(node):
    if isinstance(node.value, dict):
        node.check_keys("from", "to")
        for key in ("from", "to"):
            if not is_number(node.value.get(key)):
                node.refuse(f'"{key}" is missing or not a number; allowed: {{"from": 1, "to": 2}}')
        if node.value["from"] > node.value["to"]:
            node.refuse(f"no number is from {node.value['from']} to {node.value['to']}")
        return node.value["from"], node.value["to"]
    cells = [cell_text(node, value) for value in (node.value if isinstance(node.value, list) else [node.value])]
    if not cells:
        node.refuse("the list is empty; allowed: at least one cell")
    return cells


def selection_of(node, base):
    """The conditions of `base` and of the node, by column. If both name a column, the node's condition replaces that
    of `base`."""
    if not isinstance(node.value, dict):
        node.refuse(f"it is {dumped(node.value)}; allowed: an object of columns")
    own = {column: best_of(node.at(column)) if column == BEST else condition_of(node.at(column)) for column in node.value}
    return dict(sorted({**base, **own}.items()))


def statistic_of(node):
    found = [name for name in STATISTICS if name in node.value]
    if not found:
        node.refuse(f"it has no statistic; allowed: one of {quoted(STATISTICS)}")
    if len(found) > 1:
        node.refuse(f"it has both {' and '.join(map(dumped, found[:2]))}; allowed: one of {quoted(STATISTICS)}")
    return found[0]


def compared_to(node, statistic, rows):
    if ("to" in node.value) != (statistic == "ratio"):
        node.refuse('"to" goes with "ratio", and with nothing else')
    if "to" not in node.value:
        return []
    to = node.at("to")
    selections = to.value if isinstance(to.value, list) else [to.value]
    if not selections:
        to.refuse("the list is empty; allowed: at least one selection of rows")
    return [selection_of(Node(one, to.place), rows) for one in selections]


def grouping_of(node):
    """(by, over): columns, and how to combine the numbers of all sets of their values."""
    if ("by" in node.value) != ("over" in node.value):
        node.refuse('"by" and "over" go together')
    if "by" not in node.value:
        return [], ""
    by = node.value["by"] if isinstance(node.value["by"], list) else [node.text("by")]
    for column in by:
        if not isinstance(column, str):
            node.refuse(f'"by" has {dumped(column)}; allowed: names of columns')
    over = node.text("over")
    if over not in OVERS:
        node.refuse(f'"over" is "{over}"; allowed: {quoted(OVERS)}')
    return by, over if by else ""


def check_together(node, number):
    """Refuses settings that would have no effect on the number."""
    as_is = number.statistic in ("count", "same")
    if as_is and number.over == "geometric mean":
        node.refuse('"over" is "geometric mean"; allowed for "count" and "same": "least", "greatest"')
    if as_is and number.unit:
        node.refuse(f'"unit" is "{number.unit}"; allowed for "count" and "same": none')
    if number.per and number.statistic != "median":
        node.refuse('"per" goes with "median", and with nothing else')
    if number.everywhere and number.statistic == "median":
        node.refuse('"everywhere" is true; allowed for "median": false, as another GPU has other times')


def number_of(node, name, base):
    node.check_keys(*STATISTICS, "rows", "to", "by", "over", "per", "unit", "digits", "within", "everywhere")
    statistic = statistic_of(node)
    counted = selection_of(node.at("count"), {}) if statistic == "count" else {}
    what = "" if statistic == "count" else node.text(statistic)
    rows = selection_of(node.at("rows"), base) if "rows" in node.value else base
    to = compared_to(node, statistic, rows)
    by, over = grouping_of(node)
    per, unit = node.text("per", ""), node.text("unit", "")
    if unit not in UNITS:
        node.refuse(f'"unit" is "{unit}"; allowed: {quoted(UNITS)}')
    digits, within = node.value.get("digits", 3), node.value.get("within")
    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= 9:
        node.refuse(f'"digits" is {dumped(digits)}; allowed: 1 to 9')
    if not is_number(within) or within < 0:
        node.refuse(f'"within" is {node.shown("within")}; allowed: a share, 0.1 for one, or 0 for exactly')
    everywhere = node.value.get("everywhere", statistic in ("same", "count"))
    if not isinstance(everywhere, bool):
        node.refuse(f'"everywhere" is {dumped(everywhere)}; allowed: true, false')
    number = Number(name, statistic, what, counted, rows, to, by, over, per, unit, digits, within, everywhere)
    check_together(node, number)
    return number


def check_name(node, name):
    """Refuses a name that cannot be part of a link."""
    if not re.fullmatch("[a-z0-9_-]+", name):
        node.refuse(f"'{name}' is not a valid name; allowed: small letters, digits, - and _")


def claim_of(node):
    node.check_keys("id", "claim", "log", "rows", "numbers")
    claim = Claim(node.text("id"), node.text("claim"), node.text("log"), [])
    check_name(node, claim.id)
    base = selection_of(node.at("rows"), {}) if "rows" in node.value else {}
    if not node.value.get("numbers") or not isinstance(node.value["numbers"], dict):
        node.refuse('"numbers" is missing; allowed: an object with at least one number')
    for name, value in node.value["numbers"].items():
        check_name(node, name)
        if f"{{{name}}}" not in claim.sentence:
            node.refuse(f"the sentence has no {{{name}}}")
        claim.numbers.append(number_of(Node(value, f"claim {claim.id}, number {name}"), f"{claim.id}.{name}", base))
    for name in re.findall(r"\{([^}]*)", claim.sentence):
        if name not in node.value["numbers"]:
            node.refuse(f"the sentence has {{{name}}}, and there is no such number")
    for words, is_computed, how in WORDS:
        found = re.search(rf"\b(?:{words})\b", re.sub(r"`[^`]*`", "", claim.sentence), re.IGNORECASE)
        if found and not any(map(is_computed, claim.numbers)):
            node.refuse(f"the sentence says '{found[0]}', and no number is computed as that; allowed: a number with {how}")
    return claim


def finite(text):
    """A number of the JSON. NaN, Infinity and 1e999 are not allowed."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a number")
    return number


def parse_claims(path, text):
    """({CSV: {figure, command}}, [Claim]), with an entry for the CSV of each claim. Missing properties of a CSV are
    empty. Raises ClaimError."""
    try:
        text.encode()  # refuses text that is not UTF-8
        file = Node(json.loads(text, parse_constant=finite, parse_float=finite), "the file")
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
