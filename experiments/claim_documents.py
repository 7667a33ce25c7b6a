"""Where the claims appear: the generated part of results/README.md, and the numbers of the other documents, which are
links to it."""
import dataclasses
import pathlib
import re

from claim_file import UNITS, ClaimError
from claim_numbers import description_of, interval_text, within_text

BEGIN = "<!-- claims: begin (experiments/claims.sh write) -->\n"
END = "<!-- claims: end -->\n"


# --- results/README.md ---


def duration_text(minutes):
    return f"{60 * minutes:.0f} seconds" if minutes < 1 else f"{minutes:.1f} minutes"


def log_heading(name, facts, file):
    parts = [f"`{facts.command}`"] if facts.command else []
    if facts.hardware:
        parts.append(f"{facts.hardware}{f', {duration_text(facts.minutes)}' if facts.minutes > 0 else ''} (nestbed {facts.git})")
    parts.append(f"[CSV]({file})")
    if facts.figure:
        parts.append(f"[figure]({facts.figure})")
    return f"### `{name}`\n\n{' · '.join(parts)}\n\n"


def claim_lines(made):
    lines = []
    for number, found in zip(made.claim.numbers, made.numbers):
        claim = "" if lines else f'<a id="{made.claim.id}"></a>{made.sentence}'
        count = len(found.lines)
        lines.append(f'| {claim} | <a id="{number.id}"></a>{found.text} | {interval_text(number, found)} | {description_of(number)}; '
                     f"{count} row{'' if count == 1 else 's'} | {within_text(number)} |\n")
    return "".join(lines)


def claims_page(results):
    """The part of results/README.md that is generated from all claims."""
    text = ""
    for name in dict.fromkeys(made.claim.log for made in results.measured):
        text += log_heading(name, results.facts[name], results.file_of(name))
        text += "| claim | number | 95 % interval | how it comes about | a second run |\n|---|---|---|---|---|\n"
        text += "".join(claim_lines(made) for made in results.measured if made.claim.log == name) + "\n"
    return text


def with_page(path, text, page):
    """The text with a new part between the two marks. Raises ClaimError if they are missing."""
    begin, end = text.find(BEGIN), text.find(END)
    if begin < 0 or end < begin:
        raise ClaimError(f"{path}: it has no place for the claims; allowed: a line {BEGIN}and later a line {END}")
    return f"{text[:begin]}{BEGIN}\n{page}{text[end:]}"


def page_problems(path, text, should, all_measured):
    """One problem for each claim whose line is missing in the page. If all claim lines are right but another part
    differs, one problem for the page, provided that all claims could be measured."""
    if text == should:
        return []
    problems = []
    for line in should.splitlines():
        claim = line.rpartition('<a id="')[2].partition('"')[0] if '<a id="' in line else ""
        if claim and f"{line}\n" not in text:
            problems.append(f"{path}: claim {claim}: the CSVs give another line: {line}")
    if not problems and all_measured:
        problems.append(f"{path}: what is between the claims is not what the CSVs give: run experiments/claims.sh write to update it")
    return problems


# --- the documents that cite them ---


CITATION = r"\]\((?:\.\./)?results/README\.md#([^)\n]*)(\)?)"


def without(text, pattern):
    """Replaces each match by spaces, so that positions and line numbers stay the same."""
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.DOTALL)


def prose_of(text):
    """What a reader sees as text: no comments and no code. A comment or code without an end extends to the end of the
    text."""
    for pattern in (r"<!--.*?(?:-->|\Z)", r"```.*?(?:```|\Z)", r"`.*?(?:`|\Z)"):
        text = without(text, pattern)
    return text


@dataclasses.dataclass
class LinkedText:
    """A document whose numbers are links [NUMBER](results/README.md#CLAIM.NAME), with ../ for a document in a folder.
    Problems are one line each, with the place."""
    text: str = ""  # with the measured numbers
    # The document has another number, and `text` has the right one.
    wrong: list = dataclasses.field(default_factory=list)
    # A link that cannot be corrected, so `text` must not be used.
    broken: list = dataclasses.field(default_factory=list)
    left: list = dataclasses.field(default_factory=list)  # links without a claim, missing files, ...
    cited: set = dataclasses.field(default_factory=set)  # the numbers that it links to


def linked(results, path, text):
    """The LinkedText of a text with the name `path`. Its links to files are relative to this path."""
    prose, made, copied, behind = prose_of(text), LinkedText(), 0, 0

    def place(at):
        return f"{path}:{1 + text.count(chr(10), 0, at)}"

    for link in re.finditer(CITATION, prose):
        name, whole = link[1], re.search(r"\[([^\[\]\n)]*)\Z", prose[behind:link.start()])
        begin, behind = behind + whole.start(1) if whole else 0, link.end(1)
        if "." not in name:  # a link to a claim or a heading
            continue
        made.cited.add(name)
        number, found = results.number(name), results.found(name)
        if not whole or not link[2]:
            made.broken.append(f"{place(link.start())}: claim {name}: the link is incomplete; "
                               f"allowed: [NUMBER](results/README.md#{name})")
            continue
        if number is None:
            made.left.append(f"{place(link.start())}: there is no claim {name}")
            continue
        if re.match(r"[0-9A-Za-z]|\.[0-9]", prose[link.end():link.end() + 2]):
            made.broken.append(f"{place(link.start())}: claim {name}: text follows the link directly; "
                               "allowed: a blank, or the end of a sentence")
        said, suffix = text[begin:link.start()], UNITS[number.unit][2]
        if found is None or found.text in (said, said + suffix):  # with or without its unit
            continue
        made.wrong.append(f"{place(begin)}: claim {name}: it says {said}, the CSV gives {found.text} ({description_of(number)})")
        made.text += text[copied:begin] + (found.text if said.endswith(suffix) else found.text.removesuffix(suffix))
        copied = link.start()
    made.text += text[copied:]
    # Decimal numbers with a unit must be claims if they were measured.
    for match in re.finditer(r"([0-9]+\.[0-9]+) *(?:µs|us|ms|ns|%|GB/s|TB/s|times)", without(prose, r"\[.*?(?:\)|\Z)")):
        made.left.append(f"{place(match.start())}: {match[1]} with a unit: no claim covers it; "
                         f"allowed: [{match[1]}](results/README.md#CLAIM.NUMBER)")
    for match in re.finditer(r"\]\(([^#)\n]+)", prose):
        if "://" not in match[1] and not (pathlib.Path(path).parent / match[1]).exists():
            made.left.append(f"{place(match.start())}: there is no {match[1]}")
    return made


def uncited(results, path, documents):
    """One line for each number that no document links to. `path` is the first document."""
    cited = set().union(*(document.cited for document in documents))
    return [f"{path}: claim {number.id}: there is no link to results/README.md#{number.id}"
            for claim in results.claims for number in claim.numbers if number.id not in cited]
