"""A page whose numbers are computed: FOLDER/README.md, written from FOLDER/README.template.md and the CSVs beside it.

The template is the page with {{...}} for each number:

    {{use LOG.csv CONDITION...}}     nothing; what follows is of these rows of this CSV
    {{with CONDITION...}}            nothing; what follows is of these of them, up to the next use or with
    {{WHAT CONDITION...}}            a number, in the language of claims.json (claim_file.py)
    {{printed SCRIPT.py LOG.csv}}    what experiments/SCRIPT.py prints of that CSV, which lies beside the page
    {{quoted TEXT}}                  the text: a number of an article or a data sheet, which no CSV here has
    {{by hand: WHY}} ... {{end}}     what stands between them: numbers that are not computed, and why

A number with a unit that is outside of all of these is refused.
"""
import pathlib
import re
import subprocess
import sys

import claim_numbers
import log_files
import logs
from claim_file import UNITS, ClaimError, number_of, refuse, selection_of, words_of

MEASURED = re.compile(r"[0-9]+(?:\.[0-9]+)? *(?:µs|us|ms|ns|GB/s|TB/s|MB|GB|times|%)(?![A-Za-z])|(?<=\| )[0-9]+\.[0-9]+(?= )")
OR_OF_A_PAGE = "; or use, with, printed, quoted, by hand:, end"
PRINTED = ("overhead.py",)


class Page:
    """A template while its page is written. Raises ClaimError, which names file and line."""

    def __init__(self, path):
        self.path, self.folder = pathlib.Path(path), pathlib.Path(path).parent
        self.rows, self.log, self.base, self.more, self.by_hand = {}, None, {}, {}, ""
        self.pieces = []  # texts, and pairs (Number, Rows)

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
            refuse(self.by_hand, "it has no {{end}}")
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
            self.log, *conditions = words_of(place, rest)
            self.base, self.more = selection_of(place, conditions)[0], {}
            self.known(place, self.log)
        elif kind == "with" and rest:
            self.more = selection_of(place, words_of(place, rest))[0]
        else:
            number = number_of(place, place, words, {**self.base, **self.more}, also=OR_OF_A_PAGE)[0]
            if self.log is None:
                refuse(place, "it is of no CSV; allowed: {{use LOG.csv}} before it")
            return number, self.rows[self.log]
        return None

    def printed(self, place, words):
        if len(words) != 2 or words[0] not in PRINTED or not log_files.is_there(self.folder / words[1]):
            refuse(place, f"'printed {' '.join(words)}'; allowed: {' or '.join(PRINTED)}, and a CSV in {self.folder}")
        script, log = words
        said = subprocess.run([sys.executable, pathlib.Path(__file__).with_name(script), self.folder / log],
                              capture_output=True, text=True, check=False)
        if said.returncode != 0:
            refuse(place, f"{script} {log}: exit code {said.returncode}: {said.stderr.strip()}")
        return said.stdout.rstrip("\n")

    def known(self, place, name):
        if name not in self.rows:
            try:
                self.rows[name] = claim_numbers.Rows(self.folder / name)
            except logs.LogError as error:
                refuse(place, str(error))

    def text(self):
        """The text of the page. Raises logs.StatisticsError."""
        asked = [piece for piece in self.pieces if isinstance(piece, tuple)]
        found = dict(zip(map(id, asked), claim_numbers.measure(asked)))
        for wrong in (one for one in found.values() if isinstance(one, ClaimError)):
            raise wrong
        return "".join(piece if isinstance(piece, str) else text_of(piece[0], found[id(piece)]) for piece in self.pieces)


def text_of(number, found):
    """The text of a number without what a page has in words: the unit, and of how many rows."""
    return found.text.split(" of ")[0] if number.statistic == "count" else found.text.removesuffix(UNITS[number.unit][2])


def computed(path, text):
    """(page, problems) of a template. Raises ClaimError and logs.StatisticsError."""
    page = Page(path)
    problems = page.read(text)
    return page.text(), problems
