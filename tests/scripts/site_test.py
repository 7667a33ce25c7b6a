#!/usr/bin/python3
"""Tests of experiments/site.sh: the documents as a site.

    NESTBED=build/release/nestbed /usr/bin/python3 tests/scripts/site_test.py
"""
import importlib.util
import json
import pathlib
import re
import shutil
import unittest

from scratch import ROOT, Scratch, called, only_all

import site_pages

WHY_NOT = None if shutil.which("cmark-gfm") and importlib.util.find_spec("mkdocs") else "mkdocs or cmark-gfm is not installed"


class Links(Scratch):
    def broken(self, **pages):
        for name, text in pages.items():
            (self.folder / f"{name}.html").write_text(text, encoding="utf-8")
        return site_pages.broken_links(self.folder)

    def test_that_lead_nowhere_are_found(self):
        (self.folder / "sub").mkdir()
        (self.folder / "sub/index.html").write_text('<h1 id="top">', encoding="utf-8")
        self.assertEqual(self.broken(a='<a href="sub/#top"></a><a href="sub/index.html?q#top"></a><a href="https://other/x#y"></a><a name="z" href="#z"></a>'), [])
        self.assertEqual(self.broken(a='<a href="sub/#none"></a>\n<img src="p.png"><a href="#b"></a><script src="//other/x.js"></script>'),
                         ["a.html: sub/#none: there is no such anchor", "a.html: p.png: there is no such file", "a.html: #b: there is no such anchor",
                          "a.html: it needs //other/x.js"])

    def test_to_files_that_git_does_not_have_are_refused(self):
        with self.assertRaisesRegex(site_pages.BadInput, "nested/none.cu: a document links to it, and git does not track it"):
            site_pages.Pages(self.folder).link("nested/README.md", "none.cu#L3")

    def test_are_those_of_the_site(self):
        pages = site_pages.Pages(self.folder)
        for target, link in (("../README.md#start", "../index.html#start"), ("races.md", "races.html"), ("#a", "#a"), ("https://x.y/z.md", "https://x.y/z.md"),
                             ("../results/k40c.csv", "../results/k40c.csv"), ("reduce/nosync.cu#L1", "reduce/nosync.cu.html#L1"),
                             ("../.devcontainer/devcontainer.json", "../_devcontainer/devcontainer.json")):
            self.assertEqual(pages.link("nested/README.md", target), link)
        self.assertIn('<b id="L1">', (self.folder / "nested/reduce/nosync.cu.html").read_text(encoding="utf-8"))
        self.assertEqual((self.folder / "results/k40c.csv").read_bytes(), (ROOT / "results/k40c.csv").read_bytes())
        self.assertEqual(pages.link("README.md", "tests/program/labelled"), "tests/program/labelled.html")
        listed = re.findall(r'<li><a href="([^"]*)"', (self.folder / "tests/program/labelled.html").read_text(encoding="utf-8"))
        self.assertGreater(len(listed), 3)
        for link in listed:
            self.assertTrue((self.folder / "tests/program" / link).is_file(), link)


class Output(Scratch):
    def test_replaces_no_other_folder(self):
        (self.folder / "mine").write_text("x", encoding="utf-8")
        done = called("/usr/bin/python3", ROOT / "experiments/site_pages.py", "-o", self.folder)
        self.assertEqual((done.returncode, done.stderr), (2, f"site.sh: -o {self.folder}: it is not a site that this script made; allowed: a new folder, or that of a site\n"))
        self.assertTrue((self.folder / "mine").exists())

    @only_all
    @unittest.skipIf(WHY_NOT, WHY_NOT)
    def test_has_every_document_its_headings_and_the_search(self):
        site = self.folder / "site"
        (site / "search").mkdir(parents=True)
        for old in ("search/search_index.json", "old.html"):  # of a site that was written before
            (site / old).write_text("", encoding="utf-8")
        done = called("/usr/bin/python3", ROOT / "experiments/site_pages.py", "-o", site)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((site / "old.html").exists())
        found = {entry["location"] for entry in json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))["docs"]}
        documents = [pathlib.Path(name) for name in called("git", "ls-files", "*.md").stdout.split() if not name.endswith(".template.md")]
        self.assertGreater(len(documents), 20)
        for document in documents:
            page = str(document.with_name("index.html") if document.name == "README.md" else document.with_suffix(".html"))
            self.assertIn(page, found)
            prose = re.sub(r"^```.*?^```", "", (ROOT / document).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
            sections = [location for location in found if location.startswith(f"{page}#")]
            self.assertEqual(len(sections), len(re.findall(r"^#+ ", prose, re.MULTILINE)), document)
        self.assertIn("experiments/index.html#the-columns-of-the-log", found)
        self.assertGreater((site / "results/h200/report.html").stat().st_size, 10**6)
        self.assertIn('href="h200/report.html"', (site / "results/index.html").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
