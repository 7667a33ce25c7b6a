"""The numbers on the page of report.py: what results/numbers.py computes of a folder, with the sentences of the documents, and the rows that each
number is computed from."""
import functools
import html
import importlib.util
import os
import re
import sys
import urllib.parse

import log_files
import logs
from figure_style import three


def link(path, beside):
    """The address of a file, for a page in the folder `beside`; of a log, that of its file, which may be compressed."""
    return urllib.parse.quote(os.path.relpath(log_files.stored(path).resolve(), beside).replace(os.sep, "/"))


@functools.cache
def numbers_of(root):
    """The module results/numbers.py. It is loaded under another name, because the standard library has a module `numbers`."""
    found = importlib.util.spec_from_file_location("numbers_of_results", root / "results/numbers.py")
    module = sys.modules[found.name] = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def sentences_of(root, folder):
    """{the first word of a number's name: the first sentence of the documents that has such a number}, with the values of a folder where it has them."""
    module, found = numbers_of(root), {}

    def own(link):
        one = module.shown_by(link[3])[0]
        text = module.text_of(one.name, folder) if one else ""
        suffix = module.UNITS[one.unit][2] if text else ""
        return (text if link[1].endswith(suffix) else text.removesuffix(suffix)) or link[1]

    for path in [path for name in ("README.md", "results/findings.md", "results/method.md", "results/h200/README.md") if (path := root / name).is_file()]:
        for sentence in re.split(r"(?<=[.:])\s|\n\s*\n|\n *[-|] *", path.read_text(encoding="utf-8")):
            text = re.sub(r"\[([^\[\]]*)\]\([^)]*\)|\*\*|\|", r"\1", module.LINK.sub(own, sentence))
            for _, _, target in module.LINK.findall(sentence):
                found.setdefault(target.split(".")[0], " ".join(text.split()))
    return found


def statements_of(root, folder):
    """What the documents say, number by number, with the values of a folder of this repository. For another folder: with our values, and its own beside
    them. Raises logs.LogError."""
    module, statements = numbers_of(root), {}
    ours = folder in [module.HERE / gpu for gpu in module.GPUS]
    sentences = sentences_of(root, folder if ours else module.HERE)
    for one, value, there, verdict, judged in [(one, None, None, "", True) for one in module.NUMBERS.values()] if ours else module.beside(folder):
        try:
            value = value or module.measured(one.name, folder)
        except module.NumberError:
            continue  # it is of another folder
        path = value.frames[0].attrs["path"]
        group, log = one.name.split(".")[0], path.name.split(".csv")[0]
        name = group if statements.get(group, {}).get("log", log) == log else f"{group}-{log}"
        if name not in statements:
            csv, gpus = path.with_name(f"{log}.csv"), value.frames[0].get("gpu")
            commands = logs.command_texts(csv, logs.manifest_of(csv).get("runs", {}))
            statements[name] = {"id": name, "sentence": sentences.get(group, group), "log": log, "csv": os.path.relpath(csv, root / "results"),
                            "command": "; ".join(commands) or "results/numbers.py --check", "hardware": "" if gpus is None else ", ".join(gpus.unique()),
                            "numbers": []}
        lines = sorted({line for frame in value.frames if frame.attrs["path"] == path for line in frame.index})
        factor, offset, _ = module.UNITS[one.unit]
        low, high = [end * factor + offset for end in value.interval() or []] or (None, None)
        number = {"id": one.name, "text": one.text(value), "value": value.value * factor + offset, "low": low, "high": high, "unit": one.unit.split(" ")[0],
                  "what": value.what, "rows": len(lines), "lines": lines, "tolerance": one.tolerance}
        if not ours:
            number["second"] = {"text": there and one.text(there), "value": there and there.value, "within": there and verdict == "near", "judged": judged,
                                "ratio": there and value.value and there.value / value.value}
        statements[name]["numbers"].append(number)
    return list(statements.values())


def number_text(value):
    """Four significant digits, including zeros. Whole numbers, and numbers from a thousand on, without decimals."""
    return f"{value:.0f}" if float(value).is_integer() and abs(value) < 1e9 or 1e3 <= abs(value) < 1e9 else f"{value:#.4g}"


def interval_text(number):
    if number["low"] is None or number["high"] is None:
        return "—"
    unit = f"\u202f{number['unit'].replace('us', 'µs')}" if number["unit"] else ""
    return f"{number_text(number['low'])} – {number_text(number['high'])}{unit}"


def tolerance_text(number):
    return f"± {100 * number['tolerance']:.3g}\u202f%" if number["tolerance"] else "the same"


def second_html(number):
    """The measurement of the page's own folder, beside the statement."""
    second = number.get("second")
    if not second or second["within"] is None:
        return '<span class="muted">not measured: no such rows</span>'
    ratio = f" <span class=\"muted\">× {three(second['ratio'])}</span>" if second.get("ratio") else ""
    verdict = "within" if second["within"] else "outside"
    said = f'<span class="verdict {verdict}">{verdict}</span>' if second.get("judged", True) else '<span class="muted">another GPU</span>'
    return f'{html.escape(second["text"])}{ratio} {said}'


def sentence_html(text):
    """A statement's sentence, with names between backquotes formatted as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def _at_options(command):
    """A command as HTML that breaks between its options."""
    return " ".join(f"<span>{html.escape(words)}</span>" for words in re.split(r" (?=--?[a-z])", command))


def statement_cell(statement, span, results, beside):
    identifier = html.escape(statement["id"])
    rows = f'<a href="{link(results / statement["csv"], beside)}">{html.escape(os.path.basename(statement["csv"]))}</a>'
    measured = html.escape(statement["hardware"] or "computed from the logs")
    return (f'<td class="statement" rowspan="{span}"><p class="sentence">{sentence_html(statement["sentence"])} '
            f'<a class="anchor" href="#numbers-{identifier}" aria-label="Link to the numbers {identifier}">#</a></p>'
            f'<div class="command"><code>{_at_options(statement["command"])}</code>'
            f'<button type="button" class="copy" aria-label="Copy the command of {identifier}">Copy</button></div>'
            f'<p class="muted">{measured} · {rows}</p></td>')


def number_cells(number, compared):
    what = html.escape(number["what"])
    cells = [f'<td data-name="Number"><strong>{html.escape(number["text"])}</strong><span class="what">{what}</span></td>',
             f'<td data-name="95 % interval" class="number">{interval_text(number)}</td>',
             f'<td data-name="A second run" class="number">{tolerance_text(number)}</td>']
    if compared:
        cells.append(f'<td data-name="Here"><span>{second_html(number)}</span></td>')
    count = f"{number['rows']:,}".replace(",", "\u202f")
    cells.append(f'<td data-name="Rests on"><button type="button" class="rows" data-number="{html.escape(number["id"])}" '
                 f'aria-haspopup="dialog">{count} row{"" if number["rows"] == 1 else "s"}</button></td>')
    return "".join(cells)


def table(own, listed, gpus, results, beside):
    """The statements made on the folder's hardware, or a sentence that there are none."""
    if not own:
        others = sorted({statement["hardware"] for statement in listed})
        here = ", ".join(sorted(gpu or "the CPU executor" for gpu in gpus))
        elsewhere = f" Those there are were measured on {', '.join(others)}." if others else ""
        said = f"No number of the documents was measured on this folder's hardware ({here}).{elsewhere}"
        return f'<p class="empty">{html.escape(said, quote=False)}</p>'
    compared = any("second" in number for statement in own for number in statement["numbers"])
    heads = ["Statement", "Number", "95 % interval", "A second run must come within", *(["Here"] if compared else []), "Rests on"]
    bodies = []
    for statement in own:
        rows = [number_cells(number, compared) for number in statement["numbers"]] or [f'<td colspan="{len(heads) - 1}"></td>']
        rows[0] = statement_cell(statement, len(rows), results, beside) + rows[0]
        bodies.append(f'<tbody id="numbers-{html.escape(statement["id"])}">' + "".join(f"<tr>{row}</tr>" for row in rows) + "</tbody>")
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    return (f'<div class="scroll"><table class="numbers"><caption class="hidden">The numbers of the documents, and the rows that they rest on'
            f'</caption><thead><tr>{head}</tr></thead>{"".join(bodies)}</table></div>')


def rows_behind(own, shown, results, beside):
    """The data of each number for the page's script: {sentence, what, log, link, command, lines}. If the CSV is not one
    of the logs on the page (`shown`), also the header and the cells of these lines. Raises logs.LogError."""
    found = {}
    for statement in own:
        path = (results / statement["csv"]).resolve()
        for number in statement["numbers"]:
            entry = {"sentence": statement["sentence"].replace("`", ""), "what": f"{number['text']}: {number['what']}", "log": path.name,
                     "link": link(path, beside), "command": statement["command"], "lines": number["lines"]}
            if path not in shown:
                table = logs.read_table(path)
                entry.update(header=list(table.columns), cells=table.loc[number["lines"]].to_numpy().tolist())
            found[number["id"]] = entry
    return found
