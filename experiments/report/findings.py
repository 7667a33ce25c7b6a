"""What the page of report.py begins with: a card for each finding of the project's README, with the figure and the statements that it rests
on. For other results, a card for each log: the sentence above its first figure."""
import html
import re

from numbers_table import link, sentence_html

HEADING = "## What we found\n"
BOLD = re.compile(r"\*\*(.+?)\*\*")
CITED = re.compile(r"\[([^\]]+)\]\(((?:results/numbers\.md#([\w-]+)\.)?[^)]+)\)")
MOST = 12  # cards of logs


def read(readme):
    """The findings of a README, as Markdown: the items of its numbered list under HEADING. None without such a file or heading."""
    text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
    _, found, rest = text.partition(HEADING)
    items = re.findall(r"^[0-9]+\. +(.*(?:\n +.*)*)", rest.partition("\n## ")[0], re.MULTILINE) if found else []
    return [" ".join(item.split()) for item in items]


def statements_in(finding):
    """The names of the statements that a finding links to, each once."""
    return list(dict.fromkeys(name for _, _, name in CITED.findall(finding) if name))


def _linked(finding, root, beside, known):
    """A finding as HTML: its numbers link to the statements on the page, `known`, the other links to files."""
    def address(match):
        path, _, place = match[2].partition("#")
        return f"#numbers-{match[3]}" if match[3] in known else link(root / path, beside) + (place and f"#{place}")

    pieces, at = [], 0
    for match in CITED.finditer(finding):
        pieces += [sentence_html(finding[at:match.start()]), f'<a href="{address(match)}">{sentence_html(match[1])}</a>']
        at = match.end()
    return BOLD.sub(r"<strong>\1</strong>", "".join([*pieces, sentence_html(finding[at:])]))  # a link may be within bold words


def _card(sentence, picture, more):
    shown = ""
    if picture:
        name, title = html.escape(picture.name), html.escape(picture.title)
        shown = f'<button type="button" class="picture" data-picture="{name}" aria-label="Enlarge the figure: {title}"><img alt="{title}"></button>'
    return f'<article class="finding">{shown}<p class="sentence">{sentence}</p><p class="muted">{" · ".join(more)}</p></article>'


def _explored(picture):
    """A link to where the page shows the figure."""
    return f'<a href="#workload={html.escape(picture.workloads[0])}&amp;at=figure-{picture.figure}">{html.escape(picture.log)}</a>'


def of_readme(root, statements, pictures, beside):
    """The cards of the findings, if `statements`, those of the page, have all that one of them links to. One of other results is without a figure."""
    known = {statement["id"]: statement for statement in statements}
    found = [(finding, names) for finding in read(root / "README.md") if (names := statements_in(finding))]
    cards = []
    for finding, names in found if any(set(names) <= set(known) for _, names in found) else []:
        logs = [known[name]["csv"].rpartition("/")[2] for name in names if name in known]
        picture = next((picture for log in logs for picture in pictures if picture.log == log), None)
        more = [f"Explore {_explored(picture)}"] if picture else []
        more += ["Numbers: " + ", ".join(f'<a href="#numbers-{name}">{name}</a>' for name in names)] if set(names) <= set(known) else ["Of other results"]
        cards.append(_card(_linked(finding, root, beside, known), picture, more))
    return cards


def of_pictures(pictures):
    """A card for the first figure of each log."""
    first = {}
    for picture in pictures:
        first.setdefault(picture.log, picture)
    return [_card(html.escape(picture.title), picture, [f"Explore {_explored(picture)}"]) for picture in list(first.values())[:MOST]]
