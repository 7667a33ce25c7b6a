#!/usr/bin/env python3
"""Tests of experiments/report.py: its errors, its output, and the page in headless Chromium without a network.

NESTBED names a nestbed in a build folder. Needs Debian's python3-pandas, python3-matplotlib, python3-plotly,
python3-selenium, chromium and chromium-driver. Without a browser its tests are skipped; in CI they fail.
"""
import base64
import contextlib
import csv
import functools
import gzip
import hashlib
import html.parser
import io
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import types
import unittest
import unittest.mock

from scratch import ROOT, Scratch

import checked_output
import figure_parts
import figure_style
import figures
import log_files
import logs
import report as page_writer
import tables

RESULTS = ROOT / "results/h200"
# An ordinary run looks at the page of these logs of RESULTS, a thorough one at that of all.
THOROUGH = os.environ.get("NESTBED_THOROUGH") == "1"
FEW = ["baselines", "book", "depth", "grid", "hazard", "launch", "library", "pending", "reconcile", "transpose", "ways"]
PATIENCE_S = 120  # with the page, on a machine that does other work, too
BROWSER, DRIVER = pathlib.Path("/usr/bin/chromium"), pathlib.Path("/usr/bin/chromedriver")
HEADER = ["experiment", "run_id", "strategy", "backend", "mechanism", "type", "elements", "grid", "block", "depth", "delay_us",
          "pending_limit_asked", "repetition", "gpu_us", "wall_us", "launches_attempted", "launches_failed", "status", "detail",
          "gpu", "driver", "cuda", "git", "utc"]


def report(*arguments, **environment):
    """What report.py does with these arguments. It runs in this process, because pandas takes seconds to load."""
    with unittest.mock.patch.dict(os.environ, environment), unittest.mock.patch.object(sys, "argv", ["report.py", *map(str, arguments)]), \
            contextlib.redirect_stderr(io.StringIO()) as messages:
        return types.SimpleNamespace(returncode=checked_output.ended("report.sh", page_writer.main), stderr=messages.getvalue())


def read_csv(path):
    """{line: {column: cell}} of a CSV. No cell of a log has a line break."""
    with log_files.opened(path) as file:
        return {line: row for line, row in enumerate(csv.DictReader(file), start=2)}


def a_row(**cells):
    row = dict.fromkeys(HEADER, "")
    row.update(experiment="made", run_id="r", strategy="nosync", backend="cuda", mechanism="null_stream", type="int32", elements="1024",
               grid="2", block="512", depth="1", pending_limit_asked="auto", repetition="0", gpu_us="10.5", wall_us="12",
               launches_attempted="2", launches_failed="0", status="ok", gpu="NVIDIA H200", driver="1", cuda="13.0", git="abc",
               utc="2026-01-01T00:00:00Z")
    row.update(cells)
    return row


def write_log(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, HEADER)
        writer.writeheader()
        writer.writerows(rows)


def a_statement(name, log, lines, **number):
    return {"id": name, "sentence": f"{name} takes so long.", "csv": log,
            "command": "nestbed run it.cfg", "hardware": "NVIDIA H200",
            "numbers": [{"id": f"{name}.ms", "text": "8.59 ms", "value": 8.59, "low": 8.1, "high": 9.3, "unit": "ms",
                         "what": "median of gpu_us", "rows": len(lines), "lines": lines, "tolerance": 0.2, **number}]}


def own_statements():
    lines = [line for line, row in read_csv(RESULTS / "ways.csv").items()
             if (row["strategy"], row["mechanism"]) == ("nosync", "null_stream")]
    counts = a_statement("counts", "h200/reconcile.csv", [2, 3], low=None, high=None, unit="", tolerance=0)
    of_findings = [a_statement(name, log, lines[:2]) for name, log in (("synced", "h200/ways.csv"), ("barrier", "h200/ways.csv"), ("shown", "h200/hazard.csv"))]
    return {"statements": [a_statement("nosync", "h200/ways.csv", lines), counts, *of_findings]}


@functools.cache
def page_statements():
    """The statements of the page of folder_of_results()."""
    return {"statements": page_writer.numbers_table.statements_of(ROOT, RESULTS)} if THOROUGH else own_statements()


def write_statements(folder, statements=None):
    path = pathlib.Path(folder) / "numbers.in"
    path.write_text(json.dumps(statements or {"statements": []}), encoding="utf-8")
    return path


def page_data(text):
    """The data that the page's script reads, with whole columns."""
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])
    data["cases"] = {name: column if isinstance(column, list) else [column["of"][place] for place in column["at"]]
                     for name, column in data["cases"].items()}
    return data


@functools.cache
def folder_of_results():
    """RESULTS, or a folder with FEW of its logs."""
    if THOROUGH:
        return RESULTS
    folder = pathlib.Path(tempfile.mkdtemp())
    unittest.addModuleCleanup(shutil.rmtree, folder)
    for path in [path for name in FEW for path in RESULTS.glob(f"{name}.csv*")]:
        (folder / path.name).symlink_to(path)
    (folder / "figures").symlink_to(RESULTS / "figures")
    return folder


@functools.cache
def page_of_results():
    """The page of folder_of_results(), with statements: the path of a file. All tests share it."""
    folder = pathlib.Path(tempfile.mkdtemp())
    unittest.addModuleCleanup(shutil.rmtree, folder)
    done = report(folder_of_results(), "-o", folder / "report.html", *([] if THOROUGH else ["--numbers", write_statements(folder, own_statements())]))
    assert done.returncode == 0, done.stderr
    return folder / "report.html"


@functools.cache
def data_of_results():
    return page_data(page_of_results().read_text(encoding="utf-8"))


def time_of(rows):
    return statistics.median(float(row["gpu_us"] or row["wall_us"]) for row in rows if row["status"] == "ok")


def median_of(rows, column):
    return statistics.median(float(row[column]) for row in rows if row[column])


class References(html.parser.HTMLParser):
    """Every address of a page that a browser would fetch by itself."""

    def __init__(self):
        super().__init__()
        self.found, self.links, self.identifiers = [], [], []

    def handle_starttag(self, tag, attributes):
        cells = dict(attributes)
        self.identifiers += [cells["id"]] if "id" in cells else []
        if tag == "a":
            self.links.append(cells.get("href", ""))
        else:
            self.found += [cells[name] for name in ("src", "href", "srcset", "data", "action", "poster") if name in cells]


class Folder(Scratch):
    def write(self, *rows, name="depth.csv"):
        write_log(self.folder / name, rows)

    def page(self, statements=None):
        done = report(self.folder, "--numbers", write_statements(self.folder, statements))
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / "report.html").read_text(encoding="utf-8")

    def refused(self, code, *words, statements=None, **environment):
        done = report(self.folder, "--numbers", statements or write_statements(self.folder), **environment)
        self.assertEqual(done.returncode, code, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(list(self.folder.glob("*.html")), [])


class Words(unittest.TestCase):
    def test_significant_digits_are_kept(self):
        texts = {0.44: "0.4400", 2.5: "2.500", 9.3: "9.300", 20.61: "20.61", 3745.2: "3745", 16384.0: "16384", 0.0272: "0.02720", 0.0: "0"}
        self.assertEqual({value: page_writer.numbers_table.number_text(value) for value in texts}, texts)

    def test_numbers_of_parameters_have_their_names(self):
        values = [("grain", 64), ("fanout", 2048.0), ("edge_factor", "16"), ("input", "zipf"), ("grid", 64), ("", 7), ("grain", float("nan"))]
        self.assertEqual([figure_parts.name_of(name, value) for name, value in values],
                         ["grain 64", "fanout 2048", "edge factor 16", "zipf", "64 blocks", "7", ""])

    def test_findings_are_those_of_the_readme(self):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        readme = folder / "README.md"
        readme.write_text("# x\n\n## What we found\n\n1. `a` takes [2 ms](results/numbers.md#a-b.ms), \n   [so](results/method.md).\n2. Two.\n\n## More\n\n3. Three.\n")
        found = page_writer.findings.read(readme)
        self.assertEqual(found, ["`a` takes [2 ms](results/numbers.md#a-b.ms), [so](results/method.md).", "Two."])
        self.assertEqual([page_writer.findings.statements_in(one) for one in found], [["a-b"], []])
        self.assertEqual(page_writer.findings.read(folder / "none"), [])


class Errors(Folder):
    def test_errors_name_the_folder_the_file_and_the_line(self):
        self.refused(2, str(self.folder), "no log with rows")
        (self.folder / "other.csv").write_text("a,b\n1,2\n")
        self.refused(2, "other.csv is left out", "no log with rows")
        for cell in ("fast", "inf"):
            self.write(a_row(), a_row(gpu_us=cell))
            self.refused(2, "depth.csv, line 3", "gpu_us", cell)
        self.write(a_row())
        self.refused(2, "gone.csv", statements=write_statements(self.folder, {"statements": [a_statement("gone", "h200/gone.csv", [2])]}))
        no_statements = self.folder / "numbers.in"
        no_statements.write_text("[")
        self.refused(2, "it has no statements", statements=no_statements)
        self.refused(1, "/bin/false ", " ended with 1", NESTBED="/bin/false")
        done = report(self.folder, "-o", self.folder / "depth.csv/page.html", "--numbers", write_statements(self.folder))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("depth.csv/page.html: it cannot be written", done.stderr)
        with open(self.folder / "depth.csv", "a", encoding="utf-8") as file:
            file.write("depth,r,nosync\n")
        self.refused(2, "depth.csv, line 3")
        self.folder = self.folder / "none"
        self.refused(2, f"{self.folder}: there is no such folder", statements=os.devnull)


class Written(Folder):
    def test_the_same_inputs_give_the_same_bytes(self):
        """Also in another process, where sets have another order."""
        self.write(a_row(), a_row(depth="2", repetition="1"))
        page = self.page()
        subprocess.run([sys.executable, ROOT / "experiments/report.py", self.folder, "--numbers", self.folder / "numbers.in"], check=True, capture_output=True)
        self.assertEqual((self.folder / "report.html").read_text(encoding="utf-8"), page)

    def test_strategies_for_tests_are_not_shown(self):
        self.write(a_row(), a_row(strategy="fault_endless", status="timeout", gpu_us="", wall_us="", detail="why"))
        write_log(self.folder / "faults.csv", [a_row(strategy="fault_endless", status="timeout", gpu_us="", wall_us="", detail="why")])
        done = report(self.folder, "--numbers", write_statements(self.folder))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("faults.csv is left out: all its strategies are there for tests", done.stderr)
        data = page_data((self.folder / "report.html").read_text(encoding="utf-8"))
        self.assertEqual(set(data["cases"]["strategy"]), {"nosync"})
        self.assertNotIn("fault_endless", data["strategies"])

    def test_intervals_are_of_five_samples_or_more(self):
        self.write(*[a_row(depth=depth, gpu_us=str(10 + repetition), repetition=str(repetition))
                     for depth, count in (("1", 4), ("2", 5)) for repetition in range(count)])
        time, = [page_data(self.page())["cases"]["time"]]
        self.assertEqual(time[0], [11.5, None, None])
        self.assertTrue(time[1][1] < time[1][0] < time[1][2])

    def test_a_cell_cannot_break_out(self):
        evil = "</script><img src=x onerror=alert(1)>"
        self.write(a_row(strategy=evil, gpu=evil),
                   a_row(run_id="r2", strategy=evil, gpu=evil, depth="2", status="wrong", gpu_us="", wall_us="", detail=evil, git="@css@"))
        text = self.page()
        self.assertNotIn(evil, text)
        self.assertEqual(text.count("</script>"), text.count("<script"))

    def test_hardware_without_statements_is_said(self):
        self.write(a_row(backend="cpu", gpu="Xeon", gpu_us=""))
        page = self.page(own_statements())
        self.assertIn("No number of the documents was measured on this folder's hardware", page)
        about = re.search('<p class="about">(.*?)</p>', page)[1]
        self.assertRegex(about, "1 runs of nestbed’s executor, on a CPU. The executor’s times say nothing about those of a GPU.$")
        self.assertNotIn("how long", about)

    def test_other_results_begin_with_the_sentence_of_each_log(self):
        """The figure is drawn where plot.sh has not drawn it, or drew it of other rows."""
        for name, us in (("a.csv", "5"), ("b.csv", "8")):
            self.write(*[a_row(depth=depth, gpu_us=us) for depth in "123"], name=name)
        text = self.page()
        found = {name: picture["title"] for name, picture in page_data(text)["pictures"].items()}
        self.assertEqual(sorted(found), ["a-latency-depth", "a-launches", "b-latency-depth", "b-launches"])
        sentences = re.findall(r'<article class="finding">.*?<p class="sentence">(.*?)</p>', text)
        self.assertEqual(sentences, [found["a-latency-depth"], found["b-latency-depth"]])
        (self.folder / "figures").mkdir()
        kept = "<svg><text style=\"font: 700 12px 'DejaVu Sans'\">{}</text><dc:source>a-launches of a.csv, SHA-256 {}</dc:source></svg>"
        sha256 = hashlib.sha256((self.folder / "a.csv").read_bytes()).hexdigest()
        for name, packed, of, title in (("a-launches.svg", bytes, "0" * 64, found["a-launches"]), ("a-launches.svg", bytes, sha256, "Old"),
                                        ("a-launches.svg.gz", gzip.compress, sha256, "Packed")):
            (self.folder / "figures/a-launches.svg").unlink(missing_ok=True)
            (self.folder / "figures" / name).write_bytes(packed(kept.format("Packed" if packed is gzip.compress else "Old", of).encode()))
            self.assertEqual(page_data(self.page())["pictures"]["a-launches"]["title"], title)

    def test_another_folder_is_compared(self):
        rows = list(read_csv(RESULTS / "ways.csv").values())
        with open(self.folder / "ways.csv", "w", newline="", encoding="utf-8") as file:
            derived = ("bandwidth_gb_s", "peak_gb_s", "peak_share", "measured_gb_s", "measured_share", "l2_bytes")
            writer = csv.DictWriter(file, [name for name in rows[0] if name not in derived], extrasaction="ignore")
            writer.writeheader()
            writer.writerows({**row, **{name: f"{1.75 * float(row[name]):.3f}" for name in ("gpu_us", "wall_us") if row[name]}} for row in rows)
        done = subprocess.run([ROOT / "experiments/report.sh", ".", "-o", "page.html"], cwd=self.folder, check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "page.html").read_text(encoding="utf-8")
        self.assertRegex(text, r'[0-9.]+ ms <span class="muted">× 1\.75</span> <span class="verdict outside">')
        self.assertIn("not measured: no such rows", text)
        # The page includes the rows of the first run, because this folder does not have them.
        self.assertIn('"header":["experiment"', text)


class Table(Folder):
    """The page shows the figures of the same table that the figure files come from."""

    def test_lines_are_those_of_the_files(self):
        """Names, order, hues, and places."""
        data, points = data_of_results(), {}
        for name, log in (("by-depth", "depth.csv"), ("by-grid", "grid.csv")):
            figure = next(each for each in figures.FIGURES if each.name == name)
            [part] = figure_parts.parts_of(RESULTS / log, logs.read_log(RESULTS / log))
            names = figure_parts.names_beside(name.removeprefix("by-"))
            [(_, drawn)] = figure_parts.lines_and_panels(figure_parts.along(figure.takes(part.cases), figure.axes[0]), names)
            views = next(each["views"] for each in data["figures"] if each["id"] == name)
            series = [each for view in views if view["value"] == log for each in view["series"] if not each["across"]]
            self.assertEqual([(each["name"], each["look"]["light"]) for each in series],
                             [(line.label, figure_style.on_page(line.colour)["light"]) for line in drawn])
            self.assertEqual([[data["cases"]["time"][index][0] for index in each["cases"]] for each in series],
                             [[page_writer.page_cases.plain(us) for us in line.cases["us"]] for line in drawn])
            points[name] = (len(series), sum(len(each["cases"]) for each in series))
        self.assertEqual(points, {"by-depth": (14, 14 * 11), "by-grid": (4, 4 * 17)})
        self.assertEqual(list(data["strategies"]), sorted(data["strategies"], key=figure_style.rank_of))
        self.assertEqual(data["mechanisms"]["tail"], "tail launch")

    def test_figures_of_a_log_are_those_of_the_files(self):
        """A figure of a log is both a picture of plot.sh and drawn by the page, except where the table gives a reason."""
        listed = {figure["id"]: figure for figure in data_of_results()["figures"]}
        table = {figure.name: figure for figure in figures.FIGURES if figure.name in listed}
        self.assertEqual([name for name, figure in table.items() if figure.last], ["ways"])
        drawn, files = ({(name, each["log"]) for name in table for each in listed[name][kind]} for kind in ("views", "pictures"))
        self.assertEqual({pair for pair in drawn if not table[pair[0]].last}, {pair for pair in files if table[pair[0]].note and pair[0] != "ways"})
        self.assertLessEqual({pair for pair in files if table[pair[0]].last}, drawn)
        self.assertFalse({name for name, _ in drawn if not table[name].note})
        self.assertGreaterEqual(len(drawn), 12)

    def test_hues_can_be_seen_on_both_grounds(self):
        for colour in (*figure_style.FAMILY_COLOURS.values(), figure_style.ORANGE, figure_style.BLACK, figure_style.SKY):
            for theme, (surface, least) in figure_style.SURFACES.items():
                self.assertGreaterEqual(figure_style._contrast(figure_style.on_page(colour)[theme], surface), least)


@unittest.skipUnless(BROWSER.exists() and DRIVER.exists() or os.environ.get("CI"), "chromium, chromium-driver: not installed")
class InBrowser(unittest.TestCase):
    """A page in a browser that reaches no network. Nothing may be written to its console."""
    file = None

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.browser = browser()
        cls.addClassCleanup(cls.browser.quit)

    def open(self, file=None, width=1280, height=900, address="", ready="return Boolean(window.Plotly)"):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                     {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        self.browser.get("about:blank")
        begun = time.monotonic()
        self.browser.get(f"file://{file or self.file}{address}")
        self.until(ready)
        return time.monotonic() - begun

    def tearDown(self):
        severe = [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        self.assertEqual(severe, [])
        events = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        asked = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
        self.assertEqual([url for url in asked if not url.startswith(("file://", "data:", "blob:", "about:"))], [])

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def until(self, text, *arguments):
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            found = self.script(text, *arguments)
            if found:
                return found
            time.sleep(0.05)
        return self.fail(f"not true after {PATIENCE_S} s: {text}")

    def drawn(self, figure):
        """{series: its cases} of a figure, after turning to its workload, scrolling to it and drawing it."""
        self.script("const figure = figures.find(({id}) => id === arguments[0]); if (!belongs(figure)) turnToFigure(figure)", figure)
        self.script("document.getElementById(arguments[0]).scrollIntoView()", f"figure-{figure}")
        self.until("const card = cards.find((each) => each.figure.id === arguments[0]); return card.view && !card.dirty", figure)
        return self.script("""
            const plot = document.querySelector(`#figure-${arguments[0]} .plot`);
            const casesOf = (trace) => trace.customdata.map((index) => cases[index]);
            return Object.fromEntries((plot.data ?? []).map((trace) => [trace.name, casesOf(trace)]));""", figure)

    def other_page(self, *rows):
        """Opens the page of rows that no run writes: it must show any text."""
        folder = self.folder / self.id()
        folder.mkdir()
        write_log(folder / "depth.csv", rows)
        done = report(folder, "--numbers", write_statements(folder))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.open(folder / "report.html")

    def choose(self, control, value):
        self.script("""
            const select = document.querySelector(`select[name="${arguments[0]}"]`);
            select.value = arguments[1];
            select.dispatchEvent(new Event('change', {bubbles: true}));""", control, value)

    def strategies(self, figure):
        return {case["strategy"] for list_ in self.drawn(figure).values() for case in list_}

    def only(self, dimension, *values):
        self.script("""
            for (const input of document.querySelectorAll(`input[name="${arguments[0]}"]`))
              if (input.checked !== arguments[1].includes(input.value)) input.click();""", dimension, values)

    def focused(self, what):
        return self.script(f"return document.activeElement.{what}")

    def until_focused(self, what, value):
        """What a key or a closed dialog does to the focus comes a moment later."""
        self.until(f"return document.activeElement.{what} === arguments[0]", value)

    def press(self, *keys):
        from selenium.webdriver.common.action_chains import ActionChains
        ActionChains(self.browser).send_keys(*keys).perform()


class Page(InBrowser):
    """The page of logs of results/h200."""
    is_as_opened = False  # whether the page has only changed in what `opened` sets back

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = page_of_results()

    def open(self, *words, **view):
        Page.is_as_opened = False
        return super().open(*words, **view)

    def opened(self):
        """The page at its usual size. A load takes seconds, so it stays open for the tests that need it so, and what
        they have chosen, opened and scrolled is set back."""
        if not Page.is_as_opened:
            self.open()
        self.script("""
            if (panel.open) panel.close();
            turnTo(machines[0], data.workloads[0].name);
            document.getElementById('reset').click();
            document.querySelectorAll('#numbers, .card details').forEach((each) => (each.open = false));
            scrollTo(0, 0);""")
        Page.is_as_opened = True

    def points(self, figure, log):
        """[(y, up, case, its rows in the CSV)] of the lines that a figure draws of a log; `up`: distance to the upper
        end of the interval."""
        self.drawn(figure)
        found = self.script("""
            const lines = document.querySelector(`#figure-${arguments[0]} .plot`).data.filter(({yaxis}) => yaxis !== 'y2');
            return lines.flatMap(({y, error_y: {array}, customdata}) =>
                customdata.map((index, place) => [y[place], array[place], cases[index]])
                          .filter(([value]) => value !== null));""", figure)
        rows = read_csv(RESULTS / log)
        self.assertEqual({case["log"] for _, _, case in found}, {log})
        for _, _, case in found:
            for row in (rows[line] for line in case["lines"]):
                self.assertEqual([row[name] for name in ("mechanism", "strategy", "grid", "depth")],
                                 [str(case[name]) for name in ("mechanism", "strategy", "grid", "depth")])
        return [(y, up, case, [rows[line] for line in case["lines"]]) for y, up, case in found]

    def test_nothing_is_loaded_from_elsewhere(self):
        text = self.file.read_text(encoding="utf-8")
        parsed = References()
        parsed.feed(text)
        self.assertEqual([address for address in parsed.found if not address.startswith("data:")], [])
        self.assertEqual([link for link in parsed.links if "://" in link], [])
        self.assertEqual([link for link in parsed.links if re.fullmatch("#[^=]*", link) and link[1:] not in parsed.identifiers], [])
        self.assertLess(len(text.encode()), 12e6)  # that of results/h200: 11 MB
        packed = re.search(r'id="plotly">([^<]*)<', text)[1]
        self.assertIn(b"plotly.js", gzip.decompress(base64.b64decode(packed))[:200])

    def test_it_is_soon_there_and_says_what_it_is(self):
        self.assertLess(min(self.open() for _ in range(3)), 10)  # 1.5 to 2.4 s on two idle cores; others may be at work
        about = self.browser.find_element("css selector", ".about").text
        self.assertRegex(about, r"^This page shows how long GPU programs take [^.]*: [0-9\u202f]+ runs measured by nestbed on NVIDIA H200\.$")
        self.assertFalse(self.script("return document.getElementById('numbers').open"))
        self.assertTrue(self.script("""
            const [findings, figures, statements] = ['findings', 'figures', 'numbers'].map((id) => document.getElementById(id).getBoundingClientRect().top);
            return findings < innerHeight / 3 && findings < figures && figures < statements;"""))
        self.script("location.hash = '#numbers'")
        self.until("return document.getElementById('numbers').open")

    def test_every_figure_of_a_workload_is_listed_and_drawn(self):
        self.opened()
        for figure in self.script("return figures.filter(({views}) => views.length).map(({id}) => id)"):
            self.assertTrue(self.drawn(figure), figure)
            self.assertEqual(self.script("return [...document.querySelectorAll('#contents a')].map(({hash}) => hash)"),
                             self.script("return figuresHere().map(({id}) => `#figure-${id}`)"))
        self.assertNotIn("by-block", self.script("return figures.map(({id}) => id)"))  # no log can fill it
        self.assertEqual(self.browser.find_elements("id", "figure-by-block"), [])
        self.assertEqual(self.script("""
            const named = (each) => each.ariaLabel || each.textContent.trim() || each.labels?.length;
            return [...document.querySelectorAll('button, select, input')].filter((each) => !named(each)).map((each) => each.outerHTML);"""), [])

    def test_every_figure_of_plot_sh_is_on_it(self):
        """As a picture: its file, or what the file would be."""
        self.opened()
        files = {f"{path.name.removesuffix('.csv')}-{figure.file}{part.suffix}"
                 for path in logs.logs_in(folder_of_results())[0] for log in [logs.read_log(path)] for part in figure_parts.parts_of(path, log)
                 for figure in figures.taken_in(part.cases, figures.named_in(path, log))}
        found = self.script("return Object.fromEntries(Object.entries(data.pictures).map(([name, {title}]) => [name, title]))")
        self.assertLessEqual(files, set(found))  # and those of tables, in a thorough run
        self.assertEqual([name for name, title in found.items() if len(title.split()) < 3], [])
        self.assertEqual(self.script("return figures.flatMap(({pictures}) => pictures.map(({name}) => name)).filter((name) => !data.pictures[name])"), [])
        for name in ("ways-strategies", "hazard-wrong"):
            text = self.browser.execute_async_script("""
                const [name, done] = arguments;
                pictureAddress(name).then(() => inflated(data.pictures[name].svg)).then(done);""", name)
            with log_files.opened(log_files.stored(RESULTS / f"figures/{name}.svg")) as file:
                self.assertEqual(text, file.read())

    def test_a_figure_that_it_does_not_draw_is_a_picture(self):
        self.opened()
        self.script("turnToFigure(figures.find(({id}) => id === 'book')); document.getElementById('figure-book').scrollIntoView()")
        self.until("return document.querySelector('#figure-book button.picture img')?.naturalWidth > 0")
        self.assertFalse(self.browser.find_element("css selector", "#figure-book figure").is_displayed())
        self.script("const button = document.querySelector('#figure-book button.picture'); button.focus(); button.click()")
        self.until("return enlarged.open && enlarged.querySelector('img').naturalWidth > 0")
        self.press("\ue00c")
        self.until_focused("className", "picture")
        self.drawn("by-depth")
        self.assertEqual(self.script("return document.querySelector('#figure-by-depth .sentence').textContent"),
                         self.script("return `depth.csv: ${data.pictures['depth-latency-depth'].title}`"))
        self.script("document.querySelector('#figure-by-depth details.file').open = true")
        self.until("return document.querySelector('#figure-by-depth .file img')?.naturalWidth > 0")

    def test_each_finding_of_the_readme_is_a_card(self):
        """Its sentence, its figure, its statements, and a link to where it can be explored."""
        self.open()
        readme = (ROOT / "README.md").read_text(encoding="utf-8").partition("## What we found")[2].partition("\n## ")[0]
        known = {statement["id"] for statement in page_statements()["statements"]}
        items = [" ".join(item.partition("\n\n")[0].split()) for item in re.split(r"\n[0-9]+\. ", readme)[1:]]
        cited = [list(dict.fromkeys(re.findall(r"results/numbers\.md#([\w-]+)\.", item))) for item in items]
        expected = [(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", item).replace("`", "").replace("**", ""), names) for item, names in zip(items, cited) if names]
        self.assertGreaterEqual(len(expected), 2 if THOROUGH else 1)
        cards = self.browser.find_elements("css selector", ".finding")
        self.assertEqual([card.find_element("css selector", ".sentence").text for card in cards], [sentence for sentence, _ in expected])
        for card, (_, names) in zip(cards, expected):
            links = [link.get_attribute("href").partition("#")[2] for link in card.find_elements("css selector", "a")]
            if not set(names) <= known:  # of other results
                self.assertIn("Of other results", card.text)
                self.assertLessEqual({f"numbers-{name}" if name in known else name for name in names}, {link.partition(".")[0] for link in links})
                continue
            self.assertLessEqual({f"numbers-{name}" for name in names}, set(links))
            self.until("return arguments[0].querySelector('img').naturalWidth > 0", card)
            self.assertTrue(self.script("const {height, width} = arguments[0].querySelector('.picture').getBoundingClientRect(); const image = "
                                        "arguments[0].querySelector('img'); return image.getBoundingClientRect().height <= height + 1 && width > 400 && image.naturalWidth < 2 * width", card))
        self.assertEqual(self.script("""const cards = [...document.querySelectorAll('.finding')].map((card) => card.getBoundingClientRect());
            const end = Math.max(...cards.map(({right}) => right));
            return cards.filter(({top, right}) => right < end - 1 && !cards.some((other) => other.top === top && other.left > right)).length"""), 0)  # no empty cell
        self.script("document.documentElement.dataset.theme = 'dark'")
        self.assertIn("invert", self.script("return getComputedStyle(document.querySelector('.finding img')).filter"))
        self.script("document.documentElement.dataset.theme = 'light'")
        explored = next(link for card in cards for link in card.find_elements("css selector", "a") if "at=figure-" in link.get_attribute("href"))
        figure = explored.get_attribute("href").partition("at=figure-")[2]
        self.script("arguments[0].click()", explored)
        self.until("const {top} = document.getElementById(arguments[0]).getBoundingClientRect(); return top >= 0 && top < innerHeight",
                   f"figure-{figure}")

    def test_filters_are_those_of_the_workload_at_hand(self):
        """Its strategies, mechanisms and parameters: those in which its cases differ."""
        self.opened()
        data = data_of_results()["cases"]
        for workload in self.script("return data.workloads.map(({name}) => name)"):
            shown = dict(self.script("""
                document.querySelector(`#workloads button[data-workload='${arguments[0]}']`).click();
                return [...document.querySelectorAll('#filter-form .dimension')].map((each) =>
                    [...each.querySelectorAll('input[type=checkbox]')]).map((boxes) => [boxes[0].name, boxes.map(({value}) => value)]);""", workload))
            places = [place for place, name in enumerate(data["workload"]) if name == workload]
            for name in {*shown, "threshold", "grain", "delay_us", "strategy"}:
                values = {"" if data[name][place] is None else str(data[name][place]) for place in places}
                self.assertEqual(set(shown.get(name, [])), values if len(values) > 1 else set(), (workload, name))

    def test_strategies_can_be_searched_for(self):
        self.opened()
        kept = "return [...document.querySelectorAll('label.chip:not([hidden]) input[name=strategy]')].map(({value}) => value).sort()"
        search = self.browser.find_element("id", "search")
        for text, names in (("*2_tail", ["reduce2_tail"]), ("HOST_", ["host_loop", "host_parallel"]), ("nothing(", []), ("nosync", ["nosync"])):
            search.clear()
            search.send_keys(text)
            self.assertEqual(self.script(kept), names, text)
            self.assertEqual(self.browser.find_element("id", "only").is_enabled(), bool(names))
        self.browser.find_element("id", "only").click()
        self.assertEqual((self.strategies("by-depth"), self.script("return location.hash")), ({"nosync"}, "#strategy=nosync"))
        self.script("document.getElementById('reset').click()")
        self.assertGreater(len(self.script(kept)), 20)

    def test_racy_strategies_are_marked(self):
        self.opened()
        for figure in ("by-depth", "ways"):
            self.drawn(figure)
            text = self.script("return document.getElementById(`figure-${arguments[0]}`).textContent", figure)
            for said in ("nosync (racy)", "Racy (nosync, reduce2"):
                self.assertIn(said, text)
            self.assertNotIn("synced (racy)", text)
        chips = self.script("return [...document.querySelectorAll('label.chip:has(input[name=strategy])')].map(({innerText}) => innerText.trim())")
        names = {chip.removesuffix(" (racy)") for chip in chips}
        self.assertEqual({chip for chip in chips if "racy" in chip}, {f"{name} (racy)" for name in tables.names_with("strategies", "racy") if name in names})

    def test_dots_have_their_time_and_launches_beside_them(self):
        self.opened()
        drawn = [case for cases in self.drawn("ways").values() for case in cases]
        said = self.script("return document.querySelector('#figure-ways .plot').layout.annotations.map(({text}) => text)")
        self.assertLessEqual({"time", "device launches"}, set(said))
        for case in drawn:
            self.assertLessEqual({figure_style.time_text(case["time"][0]), figure_style.grouped(case["launches"])}, set(said))
        self.script("openCase(cases.findIndex((each) => each.log === 'ways.csv' && each.strategy === 'nosync' && each.mechanism === 'null_stream'))")
        self.assertEqual(self.browser.find_element("id", "rows-title").text,
                         "30 runs of nosync (racy) by NULL stream, depth full, 2048 × 512 threads")
        self.script("panel.close(); document.querySelector('#numbers button.rows').click()")
        self.assertRegex(self.browser.find_element("id", "rows-title").text, "^The rows behind .*: ")

    def test_numbers_are_written_as_in_the_figures(self):
        self.opened()
        numbers = [0.001234, 0.1, 0.5, 1, 1.5, 9.996, 11.66, 99.95, 700, 999.4, 999.6, 1000, 9999, 12345, 20700, 999400, 999600, 1.5e6,
                   4e7, 65536, 1048576, 1e9, 4e8]
        self.assertEqual(self.script("return arguments[0].map(duration)", numbers), [figure_style.time_text(us) for us in numbers])
        self.assertEqual(self.script("return arguments[0].map(three)", numbers), [figure_style.three(one) for one in numbers])
        whole = [number for number in numbers if number == int(number)] + [0, 8, 3e6, 30000000, 4100000]
        self.assertEqual(self.script("return arguments[0].map(grouped)", whole), [figure_style.grouped(one) for one in whole])
        self.assertEqual(self.script("return arguments[0].map(power)", whole), [figure_style.power_text(one) for one in whole])

    def test_families_and_lines_have_the_colours_of_the_table(self):
        self.opened()
        for figure in ("by-depth", "chain", "bandwidth"):
            self.drawn(figure)
            drawn, said = self.script("""
                const {view, part} = cards.find(({figure}) => figure.id === arguments[0]);
                return [part('.plot').data.filter(({yaxis}) => yaxis !== 'y2').map(({meta, line}) => [meta, line.color, line.dash]),
                        view.series.map(({name, look}) => [name, look[theme()], look.dash])];""", figure)
            self.assertEqual(drawn, said)
        found = self.script("return families.map(({name, light}) => [name, light.toUpperCase()])")
        self.assertEqual(found, [[tables.family_text(name), colour.upper()] for name, colour in figure_style.FAMILY_COLOURS.items()])
        self.assertEqual(len(set(self.script("return families.map(({dark}) => dark)"))), len(found))
        self.drawn("ways")
        self.only("log", "ways.csv")
        for name, cases in self.drawn("ways").items():
            self.assertEqual({tables.family_text(figure_style.family_of(case["strategy"], case["launches"] or 0)) for case in cases}, {name})

    def test_levels_of_the_table_are_drawn(self):
        """Across the axis of values: at a height in plots with axes, at a horizontal position in dot plots."""
        self.opened()
        for figure, along, text in (("cub", "y", "as fast as CUB"), ("bandwidth", "y", "peak"), ("rates", "x", "peak"), ("by-depth", "", "")):
            self.drawn(figure)
            shapes, said, peak = self.script("""
                const {layout: {shapes, annotations}, data} = document.querySelector(`#figure-${arguments[0]} .plot`);
                return [shapes, annotations.map(({text}) => text), cases[data[0].customdata[0]].peak_gb_s];""", figure)
            at = peak if text == "peak" else 1
            self.assertEqual([[each[f"{along}0"], each[f"{along}1"], each.get(f"{along}ref")] for each in shapes], [[at, at, None]] if text else [])
            if text:
                self.assertEqual(said[-1], f"peak, {figure_style.three(peak)} GB/s" if text == "peak" else text)

    def test_statements_open_the_rows_that_they_rest_on(self):
        self.open(address="#numbers")
        buttons = self.browser.find_elements("css selector", "#numbers button.rows")
        self.assertTrue(buttons)
        behind = self.script("return data.numbers")
        for button in buttons[:3]:
            number = behind[button.get_attribute("data-number")]
            button.click()
            self.until("return panel.open")
            link = self.browser.find_element("css selector", "#rows .file a").get_attribute("href")
            self.assertIn(os.path.basename(link), (number["log"], f"{number['log']}.gz"))  # the file that is there
            self.assert_rows(pathlib.Path(link.removeprefix("file://")), number["lines"])
            self.browser.find_element("css selector", "#rows .close").click()
            self.assertTrue(self.script("return document.activeElement === arguments[0]", button))
        self.assertTrue(self.script("""
            return [...document.querySelectorAll('#numbers tbody')].every((each) => each.id.startsWith('numbers-') && each.querySelector('.copy'))"""))

    def assert_rows(self, path, lines):
        """Checks that the panel lists these lines of the CSV, with the same cells as the CSV."""
        heads, shown = self.script("""
            const text = (cell) => cell.textContent;
            return [[...panel.querySelector('thead tr').cells].map(text),
                    [...panel.querySelectorAll('tbody tr')].map((row) => [...row.cells].map(text))];""")
        self.assertEqual(sorted(int(row[0]) for row in shown), sorted(lines))
        rows = read_csv(path)
        for cells in shown:
            found, row = dict(zip(heads, cells)), rows[int(cells[0])]
            if "Time, µs" not in heads and "Status" not in heads:  # other CSVs are shown unchanged
                self.assertEqual(found, {"Line": cells[0], **row})
                continue
            # The panel leaves out a column only if it is empty.
            self.assertEqual([found.get(head, "") for head in ("Repetition", "Status", "Detail")],
                             [row.get(column, "") for column in ("repetition", "status", "detail")])
            time = f"{float(row['gpu_us'] or row['wall_us']):.3f}" if row["status"] == "ok" else ""
            self.assertEqual(found.get("Time, µs", ""), time)

    def test_one_set_of_filters_holds_for_all_figures(self):
        self.opened()
        before = {figure: self.drawn(figure) for figure in ("by-depth", "by-grid", "ways")}
        self.only("strategy", "nosync", "reduce2")
        for figure in before:
            self.assertEqual(self.strategies(figure), {"nosync", "reduce2"}, figure)
        self.assertIn("strategy=nosync&strategy=reduce2", self.script("return location.hash"))
        self.assertRegex(self.browser.find_element("id", "count").text, r"^\d+ of \d[\d\s]*\d cases shown")
        self.only("depth", "3")
        self.assertEqual({case["depth"] for cases in self.drawn("by-depth").values() for case in cases}, {"3"})
        self.script("document.querySelector('#filter-form .bulk[data-keep=\"\"]').click()")
        self.assertIn("strategy=&", self.script("return location.hash"))
        self.assertEqual(self.drawn("by-depth"), {})
        self.script("document.getElementById('reset').click()")
        self.assertEqual({figure: self.drawn(figure) for figure in before}, before)
        self.assertEqual(self.script("return location.hash"), "")

    def test_a_series_is_hidden_by_its_legend(self):
        self.opened()
        name = next(iter(self.drawn("by-depth")))
        shown = """
            document.querySelector('#figure-by-depth .legend button').click();
            return [document.querySelector('#figure-by-depth .legend button').ariaPressed,
                    document.querySelector('#figure-by-depth .plot').data.filter(({visible}) => !visible).map(({name}) => name)];"""
        self.assertEqual([self.script(shown), self.script(shown)], [["false", [name]], ["true", []]])

    def test_a_view_is_kept_in_the_address_and_by_links(self):
        self.open(address="#strategy=synced&strategy=nowhere&type=int32&by-depth.log=depth.csv")
        self.assertEqual(self.strategies("by-depth"), {"synced"})
        self.assertFalse(self.script("return document.querySelector('input[name=strategy][value=nosync]').checked"))
        for link, target in (("#contents a[href='#figure-hazard']", "figure-hazard"), ("nav a[href='#numbers']", "numbers"),
                             ("a.skip", "figures"), ("#numbers a.anchor", None)):
            self.script("location.hash = 'strategy=synced'")
            self.until("return dimensions.find(({id}) => id === 'strategy').kept.size === 1")
            target = target or self.script("return document.querySelector(arguments[0]).hash.slice(1)", link)
            self.script("document.querySelector(arguments[0]).click()", link)
            self.until("return location.hash === `#strategy=synced&at=${arguments[0]}`", target)
            self.assertEqual(self.strategies("by-depth"), {"synced"}, link)
            self.assertTrue(self.script("return Boolean(document.getElementById(arguments[0]))", target))
        self.browser.refresh()
        self.until("return Boolean(window.Plotly)")
        self.assertEqual(self.strategies("by-depth"), {"synced"})
        self.open(address="#figure-hazard")
        self.assertEqual(self.script("return location.hash"), "#figure-hazard")
        self.until("const {top} = document.getElementById('figure-hazard').getBoundingClientRect(); return top < innerHeight")

    def test_an_empty_figure_says_what_is_missing_and_comes_back(self):
        self.opened()
        before = self.drawn("by-grid")
        self.only("strategy", "blobs")
        self.assertEqual(self.drawn("by-grid"), {})
        said = self.browser.find_element("css selector", "#figure-by-grid .empty").text
        self.assertRegex(said, r"The filters leave none of the \d+ cases of this figure: Strategy leaves out \d+")
        self.assertFalse(self.browser.find_element("css selector", "#figure-by-grid figure").is_displayed())
        self.script("document.getElementById('reset').click()")
        self.assertEqual(self.drawn("by-grid"), before)
        case = next(iter(before.values()))[0]
        self.script("document.querySelector('#figure-by-grid .plot').emit('plotly_click', {points: [{customdata: arguments[0]}]});", case["index"])
        self.assert_rows(RESULTS / "grid.csv", case["lines"])

    def test_hover_and_table_lead_to_the_lines(self):
        self.opened()
        self.drawn("by-depth")
        hover, case = self.script("const [trace] = document.querySelector('#figure-by-depth .plot').data; return [trace.hovertext[0], cases[trace.customdata[0]]]")
        self.assertIn(f"depth.csv, lines {case['lines'][0]}, ", hover)
        self.script("document.querySelector('#figure-by-depth details.data').open = true")
        self.until("return document.querySelector('#figure-by-depth .data tbody tr')")
        self.script("document.querySelector('#figure-by-depth .data button.rows').focus()")
        self.press("\ue007")
        self.assert_rows(RESULTS / "depth.csv", case["lines"])
        self.press("\ue00c")
        self.until("return !panel.open")
        self.until_focused("className", "rows")

    def test_what_is_not_ok_is_marked_and_counted(self):
        self.opened()
        rows = [row for row in read_csv(RESULTS / "pending.csv").values() if tables.workload_of(row["strategy"]) == "reduce"]
        lost = {name: cases for name, cases in self.drawn("pending").items() if name.endswith("no ok row")}
        self.assertEqual(sum(case["rows"] for cases in lost.values() for case in cases),
                         sum(row["status"] == "launch_failed" for row in rows))
        self.assertRegex(self.browser.find_element("css selector", "#figure-pending .caption").text,
                         rf"{(number := sum(map(len, lost.values())))} of \d+ cases have no ok row: launch_failed {number}\.")
        self.drawn("hazard")
        wrong = self.script("""const {drawn} = cards.find(({figure}) => figure.id === 'hazard');
            return drawn.flatMap(({points, lost}) => [...points, ...lost]).map(({found}) => found.rows - found.ok);""")
        self.assertEqual(sum(wrong), sum(row["status"] == "wrong" for row in read_csv(RESULTS / "hazard.csv").values()))
        self.assertIn("x", self.script("""
            return document.querySelector('#figure-hazard .plot').data.flatMap(({marker}) => marker.symbol);"""))
        self.assertIn("wrong", self.browser.find_element("css selector", "#figure-hazard .caption").text)

    def test_wrong_answers_are_a_share_of_those_that_are_ok_or_wrong(self):
        self.opened()
        points = self.points("hazard", "hazard.csv")
        self.assertEqual((len(points), max(y for y, *_ in points)), (24, 100))  # of 14 lines, 10 are never wrong, and 4 from the same delay on
        self.assertEqual([name.rpartition(" (")[2] for name in self.drawn("hazard")], ["10 alike)", "4 alike)"])
        for y, up, _, rows in points:
            wrong, ok = (sum(row["status"] == status for row in rows) for status in ("wrong", "ok"))
            self.assertAlmostEqual(y, 100 * wrong / (wrong + ok), places=6)
            if not y:
                self.assertAlmostEqual(up, 100 * 1.96**2 / (ok + 1.96**2), places=2)
        some = [a_row(delay_us="0", status=status, gpu_us="10" * (status == "ok")) for status in ("ok", "ok", "wrong", "launch_failed")]
        self.other_page(*some, a_row(delay_us="5"), a_row(delay_us="10", status="launch_failed", gpu_us=""))
        drawn = self.drawn("hazard")
        self.assertEqual([case["delay_us"] for name, list_ in drawn.items() if "no ok row" in name for case in list_], [10])
        self.assertEqual(self.script("return document.querySelector('#figure-hazard .plot').data[0].y.map((y) => y && Math.round(y))"), [33, 0, None])

    def test_measures_are_those_of_the_rows(self):
        """A share of the launches expected, a ratio to the faster CUB, a time over the number of launches."""
        cubs = {}
        for row in read_csv(RESULTS / "library.csv").values():
            if row["strategy"] in ("cub", "cub_narrow"):
                cubs.setdefault((row["type"], row["elements"]), {}).setdefault(row["strategy"], []).append(row)

        def lost(rows):
            made = median_of(rows, "launches_attempted") - median_of(rows, "launches_failed")
            return 100 * (1 - made / median_of(rows, "launches_expected"))

        self.opened()
        self.drawn("pending")
        self.choose("pending.shows", "launches lost")
        for figure, log, count, value in (
                ("pending", "pending.csv", None, lost), ("chain", "launch.csv", 278, lambda rows: time_of(rows) / float(rows[0]["depth"])),
                ("fanout", "launch.csv", 74, lambda rows: time_of(rows) / float(rows[0]["grid"])),
                ("cub", "library.csv", None, lambda rows: time_of(rows) / min(map(time_of, cubs[rows[0]["type"], rows[0]["elements"]].values())))):
            points = self.points(figure, log)
            self.assertEqual(len(points), count or len(points))
            self.assertGreater(len({round(y, 3) for y, *_ in points}), 5, figure)
            for y, _, _, rows in points:
                self.assertAlmostEqual(y / (value(rows) or 1), 1 if value(rows) else 0, places=6)

    def test_every_case_of_a_figure_is_drawn_or_counted(self):
        self.opened()
        self.drawn("chain")
        caption = "return document.querySelector(`#figure-${arguments[0]} .caption`).textContent"
        self.assertRegex(self.script(caption, "chain"), r"^All 287 cases")
        self.script("turnTo(chosen.machine, 'transpose')")
        drawn = len({case["index"] for cases in self.drawn("by-depth").values() for case in cases})
        every = len({case["index"] for case in self.script("return cases") if (case["log"], case["workload"]) == ("transpose.csv", "transpose")})
        said = self.script(caption, "by-depth")
        self.assertRegex(said, rf"^{drawn} of {every} cases")
        self.assertIn(f"{every - drawn} cases are not drawn: they have one depth alone, or none.", said)

    def test_a_browser_that_cannot_unpack_says_so(self):
        script = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument",
                                              {"source": "delete window.DecompressionStream"})
        try:
            self.open(ready="return !document.getElementById('failed').hidden")
        finally:
            self.browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
        said = self.browser.find_element("id", "failed").text
        self.assertRegex(said, "^The figures cannot be drawn: this browser has no DecompressionStream")
        self.assertFalse(self.browser.find_element("id", "drawn").is_displayed())
        self.script("document.querySelector('#numbers button.rows').click()")
        self.until("return panel.open")

    def test_light_and_dark(self):
        self.open()
        colours = """
            const {layout, data} = document.querySelector('#figure-by-depth .plot');
            return [theme(), getComputedStyle(document.body).backgroundColor, layout.paper_bgcolor, layout.font.color, data[0].line.color];"""
        self.drawn("by-depth")
        before = self.script(colours)
        self.script("document.getElementById('theme').click()")
        self.drawn("by-depth")
        after = self.script(colours)
        self.assertTrue(all(was != now for was, now in zip(before, after)), (before, after))
        self.open()
        self.assertEqual(self.script("return document.documentElement.dataset.theme"), after[0])
        self.script("document.getElementById('theme').click()")

    def test_a_phone_shows_a_finding_and_never_scrolls_sideways(self):
        self.open(width=390, height=844)
        self.until("return document.querySelector('.finding img').naturalWidth > 0")
        self.assertTrue(self.script("""
            const image = document.querySelector('.finding img');
            const {top, bottom} = image.getBoundingClientRect();
            const isWhole = Math.abs(image.height / image.width - image.naturalHeight / image.naturalWidth) < 0.02;
            const words = document.querySelector('.finding .sentence').getBoundingClientRect();
            return isWhole && scrollY === 0 && top > 0 && bottom <= innerHeight && words.top < innerHeight - 40;"""))
        self.open(width=360, height=740)
        for _ in ("one theme", "the other"):
            self.script("document.getElementById('theme').click()")
            for figure in ("by-depth", "ways", "chain", "pending", "bandwidth"):
                self.drawn(figure)
            self.script("document.querySelectorAll('details').forEach((each) => (each.open = true))")
            self.until("return document.querySelector('#figure-bandwidth .data tbody')")
            self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), 360)
            self.assertEqual(self.script("""
                return [...document.querySelectorAll('button, select, summary, label')]
                    .filter((each) => each.offsetParent && each.offsetHeight < 40).map((each) => each.outerHTML);"""), [])

    def test_the_keyboard_reaches_all(self):
        self.open()
        tab, space, enter, escape = "\ue004", " ", "\ue007", "\ue00c"
        self.press(tab)
        self.until_focused("className", "skip")
        seen = []
        while self.focused("id") != "theme" and len(seen) < 10:
            self.press(tab)
            seen.append(self.focused("tagName"))
        self.until_focused("id", "theme")
        self.script("document.querySelector('.skip').focus()")
        self.press(enter)
        seen = []
        while self.focused("name") != "strategy" and len(seen) < 60:
            self.press(tab)
            seen.append(self.focused("id") or self.focused("tagName"))
        self.assertLessEqual({"reset", "SUMMARY", "search"}, set(seen))
        self.assertEqual((self.focused("name"), self.focused("checked")), ("strategy", True))
        self.assertNotEqual(self.script("return getComputedStyle(document.activeElement.closest('label')).outlineStyle"), "none")
        self.press(space)
        self.until_focused("checked", False)
        self.script("document.getElementById('numbers').open = true; document.querySelector('#numbers button.rows').focus()")
        self.press(space)
        self.until("return panel.open")
        self.press(escape)
        self.until("return !panel.open && document.activeElement === document.querySelector('#numbers button.rows')")

    def test_backends_are_never_drawn_together(self):
        cpu = {"backend": "cpu", "gpu": "", "gpu_us": ""}
        self.other_page(*[a_row(depth=depth, **cells) for depth in "123" for cells in ({}, cpu, {"gpu": "NVIDIA A100"})])
        found = []
        for machine in range(3):
            self.script("const select = document.getElementById('machine'); select.selectedIndex = arguments[0];"
                        "select.dispatchEvent(new Event('change', {bubbles: true}))", machine)
            for figure in ("by-depth", "ways", "launches"):
                found.append({(case["backend"], case["gpu"]) for cases in self.drawn(figure).values() for case in cases})
            self.assertIn("3 of 3 cases", self.browser.find_element("id", "count").text)
        self.assertTrue(all(len(each) <= 1 for each in found), found)
        self.assertEqual({each for machine in found for each in machine},
                         {("cuda", "NVIDIA H200"), ("cpu", ""), ("cuda", "NVIDIA A100")})


class Hostile(InBrowser):
    """A log whose cells contain anything is shown as text: no cell makes an element or a link, nothing throws, and
    the text is readable."""
    TEXTS = ["<a href='https://a.b/c'>link</a>", "<img src=x onerror=\"document.title='broken'\">",
             "</script><script>document.title='broken'</script>", "&amp;&lt;b&gt;", "__proto__", "constructor", "$\\frac{1}{2}$",
             "\x1b[31mred\x9b1m", "\u202etxt.exe", "Infinity", "x" * 5000]
    SEEN = {"\x1b[31mred\x9b1m": "[U+001B][31mred[U+009B]1m", "\u202etxt.exe": "[U+202E]txt.exe",
            "x" * 5000: f"{'x' * 40}… (c59d3c04)"}

    def nothing_was_made(self):
        """The page has no element that a cell could have made."""
        self.assertEqual(self.script("""
            const made = 'a[href*="a.b"], .plot svg a, img[src="x"], .plot b, tbody b, body script:not([id])';
            const own = (each) => each.matches('script') && each.textContent.startsWith("\\n'use strict'");
            return [...document.querySelectorAll(made)].filter((each) => !own(each)).map((each) => each.outerHTML.slice(0, 200));"""), [])
        self.assertTrue(self.script("return document.title").startswith("nestbed: "))

    def card(self, figure):
        """All texts of a figure: its card, the texts of its plot, and its hover texts."""
        self.drawn(figure)
        self.script("document.querySelector(`#figure-${arguments[0]} details.data`).open = true", figure)
        self.until("return document.querySelector(`#figure-${arguments[0]} .data tbody tr`)", figure)
        return self.script("""
            const card = document.getElementById(`figure-${arguments[0]}`);
            return [card.textContent, ...card.querySelector('.plot').data.flatMap(({hovertext}) => hovertext)].join(' ');""", figure)

    def is_there(self, text, where):
        named = self.SEEN.get(text, text)
        escaped = named.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")  # plotly needs this
        self.assertTrue(named in where or escaped in where, f"{named!r} is not in {where[:3000]!r}")
        self.assertFalse(named != text and text in where, named)

    def test_names_and_statuses(self):
        self.other_page(*[a_row(strategy=text, depth=depth, status=status, gpu_us=us, detail=text)
                          for text in self.TEXTS for depth in "123" for status, us in (("ok", "5"), (text, ""))],
                        *[a_row(strategy=text, depth="4", status=text, gpu_us="") for text in self.TEXTS])
        lines, ways = self.card("by-depth"), self.card("ways")
        for text in self.TEXTS:
            self.is_there(text, lines)
        for text in self.TEXTS[:6]:
            self.is_there(text, ways)
        plotted = self.script("return document.querySelector('#figure-ways .plot svg').textContent")
        for text in self.TEXTS:
            self.is_there(text, plotted)
        self.script("for (const index of cases.keys()) { openCase(index); panel.close(); }")
        self.script("openCase(cases.findIndex(({strategy}) => strategy.startsWith('xxx')))")
        self.assertIn("x" * 5000, self.script("return panel.textContent"))  # shown in full where there is room
        self.script("panel.close()")
        for selector in ("#filter-form label.chip", "#figure-by-depth .legend button", "#figure-by-depth .data th"):
            self.assertIn("x" * 5000, self.script("return [...document.querySelectorAll(arguments[0])].map(({title}) => title)",
                                                  selector), selector)
        self.assertNotIn("x" * 100, self.script("return document.body.innerText"))
        self.nothing_was_made()
        # Filters and addresses use the whole name.
        self.only("strategy", "__proto__", "constructor")
        self.assertEqual(self.strategies("by-depth"), {"__proto__", "constructor"})

    def test_places_on_axes(self):
        places = ["1", "2", "3", *self.TEXTS]
        self.other_page(*[a_row(strategy="nosync", depth=text, pending_limit_asked=text, mechanism=text, type=text, repetition=str(at))
                          for at, text in enumerate(places)],
                        *[a_row(strategy="nosync", depth=text) for text in places],
                        *[a_row(strategy="chain", depth=text, gpu_us=str(5 + at)) for at, text in enumerate(places)],
                        *[a_row(pending_limit_asked=text, grid="2048", elements="1048576") for text in places],
                        *[a_row(gpu=text, driver=text, cuda=text, git=text, utc=text, experiment=text) for text in self.TEXTS])
        for figure in self.script("return figures.filter(({views}) => views.length).map(({id}) => id)"):
            self.drawn(figure)
        self.assertEqual(self.script("return document.querySelector('#figure-by-depth .plot').layout.xaxis.ticktext"), ["1", "2", "3"])
        self.nothing_was_made()
        facts = self.script("return document.querySelector('.facts').textContent")
        self.is_there("\x1b[31mred\x9b1m", facts)
        self.is_there("<a href='https://a.b/c'>link</a>", facts)


def browser():
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    options = Options()
    options.binary_location = str(BROWSER)
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,900",
                     "--host-resolver-rules=MAP * ~NOTFOUND"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(service=Service(str(DRIVER)), options=options)
    found.set_script_timeout(PATIENCE_S)
    found.execute_cdp_cmd("Network.enable", {})
    found.execute_cdp_cmd("Network.emulateNetworkConditions",
                          {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})
    return found


if __name__ == "__main__":
    unittest.main()
