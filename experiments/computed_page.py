"""A page whose numbers are computed: FOLDER/README.md, written from FOLDER/README.template.md and the CSVs beside it.

The template is the page with {{...}} for each number:

    {{use LOG.csv CONDITION...}}     nothing; what follows is of these rows of this CSV
    {{with CONDITION...}}            nothing; what follows is of these of them, up to the next use or with
    {{WHAT CONDITION...}}            a number
    {{printed SCRIPT.py LOG.csv}}    what experiments/SCRIPT.py prints of that CSV, which lies beside the page
    {{quoted TEXT}}                  the text: a number of an article or a data sheet, which no CSV here has
    {{by hand: WHY}} ... {{end}}     what stands between them: numbers that are not computed, and why

A CONDITION is COLUMN=CELL, COLUMN=CELL|CELL or COLUMN=FROM..TO. WHAT is one of

    us, ms            median of gpu_us
    STATISTIC:COLUMN  median, least or greatest of a column; same: the cell that all rows have
    count:COLUMN=CELL how many of the rows
    rows              how many rows
    ratio, more, interval   CONDITION... to CONDITION... [or CONDITION...]: medians of gpu_us, the first over the smallest of the
                      others; more: in percent more; interval: the two ends of its 95 % interval

and may end in >UNIT (of claims.json, or MB, GB of bytes), and in .N significant digits (3) or in ,N decimals. Among the conditions,
per=COLUMN divides by the value that all rows have there, and by=COLUMN,COLUMN over=least|greatest|mean makes one number of those for
each set of values (mean: the geometric mean). A number with a unit that is outside of all of these is refused.
"""
import dataclasses
import math
import os
import pathlib
import re
import subprocess
import sys

import claim_numbers
import logs
from claim_file import UNITS, ClaimError

FORMAT = re.compile(r"(?P<what>[a-z]+)(?::(?P<column>[a-z0-9_]+)(?:=(?P<cell>[^>.,]+))?)?(?:>(?P<unit>[A-Za-z/%]+))?"
                    r"(?:\.(?P<digits>[1-9])|,(?P<decimals>[0-9]))?")
MEASURED = re.compile(r"[0-9]+(?:\.[0-9]+)? *(?:µs|us|ms|ns|GB/s|TB/s|MB|GB|times|%)(?![A-Za-z])|(?<=\| )[0-9]+\.[0-9]+(?= )")
SCALES = {"MB": (1e-6, 0), "GB": (1e-9, 0), **{name: (factor, offset) for name, (factor, offset, _) in UNITS.items()}}
TIMES = {"us": "us", "ms": "ms"}
OF_A_COLUMN = ("median", "least", "greatest", "same", "count")
COMPARED = ("ratio", "more", "interval")
PRINTED = ("overhead.py", "supervised.py")


@dataclasses.dataclass
class Asked:
    """A number of the page. `parts` is its request to `nestbed statistics`; without parts the text is known
    already."""
    place: str
    text: str = ""
    parts: list = dataclasses.field(default_factory=list)
    over: str = ""
    format: object = None
    unit: str = ""


class Page:
    """A template while its page is written. Raises ClaimError, which names file and line."""

    def __init__(self, path):
        self.path, self.folder = pathlib.Path(path), pathlib.Path(path).parent
        self.rows, self.log, self.base, self.more, self.by_hand = {}, None, {}, {}, ""
        self.pieces = []  # texts and Asked objects

    def refuse(self, place, why):
        raise ClaimError(f"{place}: {why}")

    def read(self, text):
        """Splits the template into pieces, and finds problems: measured numbers that are not computed."""
        problems, behind = [], 0
        for found in re.finditer(r"\{\{(.*?)\}\}\n?|\Z", text, re.DOTALL):
            literal, place = text[behind:found.start()], f"{self.path}:{1 + text.count(chr(10), 0, found.start())}"
            problems += [] if self.by_hand else self.uncomputed(literal, 1 + text.count(chr(10), 0, behind))
            self.pieces.append(literal)
            behind = found.end()
            if found[1] is None:
                break
            piece = self.piece(place, found[1].strip())
            alone = found[0].endswith("\n")
            if piece is not None or found.start() and text[found.start() - 1] != "\n":  # not on a line of its own
                self.pieces += [piece or "", "\n" if alone else ""]
        if self.by_hand:
            self.refuse(self.by_hand, "it has no {{end}}")
        return problems

    def uncomputed(self, literal, line):
        prose = re.sub(r"`[^`\n]*`|<!--.*?-->|\]\([^)]*\)", lambda found: re.sub(r"[^\n]", "x", found[0]), literal, flags=re.DOTALL)
        return [f"{self.path}:{line + prose.count(chr(10), 0, found.start())}: {found[0]}: nothing computes it; allowed: "
                "{{...}}, {{quoted ...}} of what no CSV here has" for found in MEASURED.finditer(prose)]

    def piece(self, place, words):
        kind, _, rest = words.partition(" ")
        if words.startswith("by hand: ") and not self.by_hand:
            self.by_hand = place
        elif words == "end" and self.by_hand:
            self.by_hand = ""
        elif kind == "quoted" and rest:
            return rest
        elif kind == "printed" and rest:
            return self.printed(place, rest.split())
        elif kind == "use" and rest:
            name, *conditions = rest.split()
            self.base, self.more, self.log = self.selection(place, conditions)[0], {}, name
            self.known(place, name)
        elif kind == "with" and rest:
            self.more = self.selection(place, rest.split())[0]
        else:
            return self.number(place, words.split())
        return None

    def printed(self, place, words):
        if len(words) != 2 or words[0] not in PRINTED or not (self.folder / words[1]).is_file():
            self.refuse(place, f"'printed {' '.join(words)}'; allowed: {' or '.join(PRINTED)}, and a CSV in {self.folder}")
        script, log = words
        before = [os.environ["NESTBED"]] if script == "supervised.py" else []  # supervised.py takes it as an argument
        said = subprocess.run([sys.executable, pathlib.Path(__file__).with_name(script), *before, self.folder / log],
                              capture_output=True, text=True, check=False)
        if said.returncode != 0:
            self.refuse(place, f"{script} {log}: exit code {said.returncode}: {said.stderr.strip()}")
        return said.stdout.rstrip("\n")

    def known(self, place, name):
        if name not in self.rows:
            try:
                self.rows[name] = claim_numbers.Rows(self.folder / name)
            except logs.LogError as error:
                self.refuse(place, str(error))

    def selection(self, place, words):
        """({column: cells or range}, {per, by, over}) from a list of conditions."""
        found, options = {}, {}
        for word in words:
            name, sign, value = word.partition("=")
            if not sign or not name:
                self.refuse(place, f"'{word}' is not a condition; allowed: COLUMN=CELL, COLUMN=CELL|CELL, COLUMN=FROM..TO")
            ends = re.fullmatch(r"(-?[0-9.]+?)\.\.(-?[0-9.]+)", value)
            if name in ("per", "by", "over"):
                options[name] = value
            else:
                found[name] = tuple(map(float, ends.groups())) if ends else value.split("|")
        return found, options

    def number(self, place, words):
        said = FORMAT.fullmatch(words[0]) if words else None
        what = said["what"] if said else ""
        known = what in (*TIMES, *COMPARED, *OF_A_COLUMN, "rows") and (what in OF_A_COLUMN) == bool(said["column"])
        if not known or (what == "count") != bool(said["cell"]) or said["unit"] and said["unit"] not in SCALES:
            self.refuse(place, f"'{' '.join(words)}' is not a number; allowed: use, with, us, ms, median:COLUMN, least:COLUMN, "
                               "greatest:COLUMN, same:COLUMN, count:COLUMN=CELL, rows, ratio, more, interval, printed, quoted, by hand:, end")
        if self.log is None:
            self.refuse(place, "it is of no CSV; allowed: {{use LOG.csv}} before it")
        try:
            return self.asked(place, said, what, words[1:])
        except logs.LogError as error:
            return self.refuse(place, str(error))

    def asked(self, place, said, what, words):
        rows, here = self.rows[self.log], {**self.base, **self.more}
        groups = [[]]
        for word in words:  # of a ratio: the numerator first, then what it is compared with
            groups.append([]) if what in COMPARED and word in ("to", "or") else groups[-1].append(word)
        (own, options), *others = (self.selection(place, group) for group in groups)
        for _, more in others:
            options.update(more)
        if (what in COMPARED) != bool(others):
            self.refuse(place, f"'to' goes with {', '.join(COMPARED)}, and with nothing else")
        chosen = {**here, **own}
        if what in ("rows", "count", "same", "least", "greatest"):
            return Asked(place, self.plain(rows, said, what, chosen))
        column = "gpu_us" if what in (*TIMES, *COMPARED) else said["column"]
        over = {"least": "least", "greatest": "greatest", "mean": "geometric mean", "": ""}.get(options.get("over", ""))
        if over is None or bool(over) != ("by" in options):
            self.refuse(place, "'by' and 'over' go together; over is least, greatest or mean")
        parts = []
        for group in self.by(rows, chosen, options.get("by")):
            part = {"above": rows.numbers(rows.chosen({**chosen, **group}), column)}
            if others:
                part["below"] = [rows.numbers(rows.chosen({**here, **own, **other, **group}), column) for other, _ in others]
            if "per" in options:
                part["per"] = self.divisor(rows, {**chosen, **group}, options["per"])
            parts.append(part)
        return Asked(place, parts=parts, over=over, format=said, unit=said["unit"] or TIMES.get(what, "% more" if what == "more" else ""))

    @staticmethod
    def divisor(rows, chosen, column):
        values = dict.fromkeys(rows.numbers(rows.chosen(chosen), column))
        if len(values) > 1 or 0 in values:
            raise logs.LogError(f"{column} is {', '.join(f'{value:g}' for value in values)} in {rows.path}{claim_numbers.where(chosen)}; "
                                "allowed: one number that is not 0")
        return next(iter(values))

    @staticmethod
    def by(rows, chosen, names):
        if not names:
            return [{}]
        places, names = rows.chosen(chosen), names.split(",")
        return [{name: [cell] for name, cell in zip(names, cells)}
                for cells in dict.fromkeys(zip(*(rows.cells(places, name) for name in names)))]

    def plain(self, rows, said, what, chosen):
        places = rows.chosen(chosen)
        if what == "rows":
            return str(len(places))
        if what == "count":
            return str(len(rows.holding({said["column"]: said["cell"].split("|")}, places)))
        if what == "same":
            cells = list(rows.cells(places, said["column"]).unique())
            if len(cells) > 1:
                raise logs.LogError(f"{said['column']} differs in {rows.path}{claim_numbers.where(chosen)}: {', '.join(cells[:5])}")
            return cells[0]
        values = rows.numbers(places, said["column"])
        return number_text(min(values) if what == "least" else max(values), said, said["unit"] or "")

    def text(self):
        """The text of the page. Raises logs.StatisticsError."""
        asked = [piece for piece in self.pieces if isinstance(piece, Asked) and piece.parts]
        answers = logs.statistics([{"parts": one.parts, **({"over": one.over} if one.over else {})} for one in asked])
        for one, (value, low, high) in zip(asked, answers):
            ends = (low, high) if one.format["what"] == "interval" else (value,)
            if any(math.isnan(end) for end in ends):
                self.refuse(one.place, "it is not defined: a median that it is compared to is not above 0")
            one.text = "–".join(number_text(end, one.format, one.unit) for end in ends)
        return "".join(piece.text if isinstance(piece, Asked) else piece for piece in self.pieces)


def number_text(value, said, unit):
    factor, offset = SCALES[unit]
    value = value * factor + offset
    if said["decimals"]:
        return f"{value:.{said['decimals']}f}"
    return claim_numbers.digits_text(value, int(said["digits"] or 3))


def computed(path, text):
    """(page, problems) of a template. Raises ClaimError and logs.StatisticsError."""
    page = Page(path)
    problems = page.read(text)
    return page.text(), problems
