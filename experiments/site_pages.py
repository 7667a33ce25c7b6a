"""The site of site.sh: mkdocs makes the menu and the search, cmark-gfm the text, as GitHub shows it."""
import argparse
import html
import html.parser
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

import checked_output
from checked_output import BadInput, ScriptError

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = "results/h200"
# The order of the menu: folders, and the documents of the first. Others come last.
FOLDERS = ("", "nested", "experiments", "baseline", "results", "src", "tests")
AS_THEY_ARE = {".csv", ".gz", ".json", ".png", ".svg", ".xz"}  # other files become pages with line numbers
STYLE = """
@media (min-width: 1200px) { .container { max-width: 1400px; } }
table { display: block; overflow-x: auto; margin-bottom: 1.5rem; font-size: 0.95rem; }
td, th { border: 1px solid #dee2e6; padding: 0.4rem 0.7rem; vertical-align: top; }
td + td { overflow-wrap: anywhere; min-width: 6rem; }
td:first-child:nth-last-child(n + 5) { overflow-wrap: anywhere; min-width: 9rem; }
td:nth-child(n + 5):last-child { min-width: 15rem; }
th { background: #f3f6f6; }
pre { background: #f8f8f8; border: 1px solid #dee2e6; padding: 0.7rem; font-size: 12px; line-height: 1.4; }
p, li, h1, h2, h3, h4 { overflow-wrap: break-word; }
td:first-child code { white-space: nowrap; }
img { max-width: 100%; height: auto; background: white; }
"""
SOURCE = """<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>pre {{ font-size: 13px; line-height: 1.4; overflow-x: auto; }}
li {{ overflow-wrap: anywhere; }} b, i {{ font: inherit; }} i {{ color: #888; user-select: none; }} :target {{ background: #ffeeaa; }}</style>
<p><a href="{home}">nestbed</a> / {title}</p>
"""


def printed_by(*words, text=None):
    done = subprocess.run(words, cwd=ROOT, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ScriptError(f"{words[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def anchor_of(heading, seen):
    """The anchor that GitHub gives a heading of HTML. `seen` counts them."""
    anchor = re.sub(r"[^\w\- ]", "", html.unescape(re.sub(r"<[^>]*>", "", heading)).strip().lower()).replace(" ", "-")
    seen[anchor] = seen.get(anchor, -1) + 1
    return f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor


class Pages:
    """What mkdocs gets: a folder with the documents, and with all that they link to."""

    def __init__(self, folder):
        self.folder = folder
        self.tracked = printed_by("git", "ls-files", "-z").split("\0")[:-1]
        self.documents = [name for name in self.tracked if name.endswith(".md") and not name.endswith(".template.md")]
        self.urls = {name: re.sub(r"(README)?\.md$", lambda found: "index.html" if found[1] else ".html", name) for name in self.documents}
        self.titles = {}

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def source_page(self, name, to, body):
        self.urls[name] = f"{to}.html"
        home = os.path.relpath("index.html", pathlib.PurePath(self.urls[name]).parent)
        self.write(self.urls[name], SOURCE.format(title=html.escape(name), home=home) + body)

    def url_of(self, name):
        """Where the site has a file or folder of the repository, which it gets now if it does not have it."""
        if name in self.urls:
            return self.urls[name]
        to = re.sub(r"(^|/)\.", r"\1_", name)  # mkdocs leaves out names that begin with a dot
        inside = [one for one in self.tracked if one.startswith(f"{name}/")]
        if inside:
            links = [f'<li><a href="{html.escape(os.path.relpath(self.url_of(one), pathlib.PurePath(to).parent))}">{html.escape(one)}</a>' for one in inside]
            self.source_page(name, to, f"<ul>{''.join(links)}</ul>")
        elif name not in self.tracked:
            raise BadInput(f"{name}: a document links to it, and git does not track it")
        elif pathlib.PurePath(name).suffix in AS_THEY_ARE:
            self.urls[name] = to
            (self.folder / to).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, self.folder / to)
        else:
            lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
            body = "\n".join(f'<b id="L{number}"><i>{number:5} </i>{html.escape(line)}</b>' for number, line in enumerate(lines, 1))
            self.source_page(name, to, f"<pre>{body}</pre>")
        return self.urls[name]

    def link(self, document, target):
        """The link of a document as one of the site."""
        place, mark, anchor = html.unescape(target).partition("#")
        if not place or re.match(r"[a-z]+:", target):
            return target
        name = os.path.normpath(pathlib.PurePath(document).parent / urllib.parse.unquote(place))
        return html.escape(urllib.parse.quote(os.path.relpath(self.url_of(name), pathlib.PurePath(self.urls[document]).parent)) + mark + anchor)

    def add(self, document):
        """A page for mkdocs: headings in Markdown, for its menu, and between them HTML."""
        text = printed_by("cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink",
                          text=(ROOT / document).read_text(encoding="utf-8"))
        text = re.sub(r'(<(?:a|img) [^>]*?(?:href|src)=")([^"]*)(")', lambda found: found[1] + self.link(document, found[2]) + found[3], text)
        parts, seen = re.split(r"^<h([1-6])>(.*?)</h\1>$", text, flags=re.MULTILINE), {}
        page = f"<div>{parts[0]}</div>\n"
        for level, heading, rest in zip(parts[1::3], parts[2::3], parts[3::3]):
            self.titles.setdefault(document, html.unescape(re.sub(r"<[^>]*>", "", heading)))
            page += f"\n{'#' * int(level)} {heading} {{#{anchor_of(heading, seen)}}}\n\n<div>{rest}</div>\n"
        self.write(document, page)

    def menu(self):
        def order(document):
            folder = pathlib.PurePath(document).parts[0] if "/" in document else ""
            return FOLDERS.index(folder) if folder in FOLDERS else len(FOLDERS), document.count("/"), not document.endswith("README.md"), document
        sections = {}
        for document in sorted(self.documents, key=order):
            section = pathlib.PurePath(document).parts[0] if "/" in document else "nestbed"
            sections.setdefault(section, []).append({self.titles[document]: document})
        sections["results"].append({"All figures": f"{RESULTS}/report.html"})
        return [{section: pages} for section, pages in sections.items()]


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.targets = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids.update(given[name] for name in ("id", "name") if given.get(name))
        self.targets += [given[name] for name in ("href", "src") if given.get(name)]


def broken_links(site):
    """Links to a file or an anchor that the site does not have, and files of other sites that a page needs."""
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html") if path != site / "404.html"}
    read = {path: Links(text) for path, text in pages.items() if path != site / RESULTS / "report.html"}  # which makes its own by a script
    problems = []
    for page, links in sorted(read.items()):
        for target in links.targets:
            place, _, anchor = target.partition("#")
            where = f"{page.relative_to(site)}: {target}"
            if re.match(r"[a-z]+:|//", target):
                continue
            path = page if not place else (page.parent / urllib.parse.unquote(place.partition("?")[0])).resolve()
            if path.is_dir():
                path /= "index.html"
            if not path.is_file():
                problems.append(f"{where}: there is no such file")
            elif anchor and path in read and urllib.parse.unquote(anchor) not in read[path].ids:
                problems.append(f"{where}: there is no such anchor")
        for needed in re.findall(r'<(?:script|img|link)\b[^>]*?(?:src|href)="((?:https?:)?//[^"]*)"', pages[page]):
            problems.append(f"{page.relative_to(site)}: it needs {needed}")
    return problems


def build(pages, out):
    import mkdocs.commands.build  # here, because site.sh installs them: the help and the tests of links do without
    import mkdocs.config
    import yaml
    config = {"site_name": "nestbed", "docs_dir": str(pages.folder), "site_dir": str(out), "theme": {"name": "mkdocs", "highlightjs": False},
              "use_directory_urls": False, "strict": True, "nav": pages.menu(), "extra_css": ["site.css"], "markdown_extensions": ["attr_list"],
              "plugins": ["search"]}
    mkdocs.commands.build.build(mkdocs.config.load_config(io.BytesIO(yaml.safe_dump(config).encode())))


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="site.sh", description="The documents as one site, with search and the page of results, every link checked.")
    parser.add_argument("-o", dest="out", type=pathlib.Path, default=ROOT / "build/site", metavar="FOLDER", help="what is in it is removed (build/site)")
    return parser.parse_args(arguments)


def main():
    out = options_of(sys.argv[1:]).out.resolve()
    if out.exists() and (not out.is_dir() or any(out.iterdir()) and not (out / "search/search_index.json").exists()):
        raise BadInput(f"-o {out}: it is not a site that this script made; allowed: a new folder, or that of a site")
    with tempfile.TemporaryDirectory() as folder:
        pages = Pages(pathlib.Path(folder))
        for document in pages.documents:
            pages.add(document)
        pages.write("site.css", STYLE)
        report = pages.folder / RESULTS / "report.html"
        report.parent.mkdir(parents=True, exist_ok=True)
        if subprocess.run([ROOT / "experiments/report.sh", ROOT / RESULTS, "-o", report], check=False).returncode != 0:
            raise ScriptError("there is no page of results, see above")
        build(pages, out)
    problems = broken_links(out)
    if problems:
        raise ScriptError("\n".join(["broken links:", *problems]))
    print(f"site.sh: {out}/index.html", file=sys.stderr)
    return 0


if __name__ == "__main__":
    checked_output.run("site.sh", main)
