#!/usr/bin/python3
"""Tests of the structure of the source: which folder includes which.

    /usr/bin/python3 tests/scripts/includes_test.py     on this repository and on planted mistakes
"""
import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# A folder may include itself and these folders.
MAY_INCLUDE = {"base": [],
               "model": ["base"],
               "graphs": ["base", "model"],
               "plan": ["base", "model"],
               "log": ["base", "model", "plan"],
               "run": ["base", "model", "plan", "log"],
               "inspect": ["base", "model", "plan", "log", "run", "predict"],
               "predict": ["base", "model", "plan", "log", "run"],
               "device": ["base", "model"],
               "workloads": ["base", "model", "graphs", "device"],
               "program": ["base", "model", "inspect", "device"],
               "cli": ["base", "model", "plan", "log", "run", "inspect", "predict", "device", "program"],
               "nested": ["base", "model", "graphs", "device", "workloads"],
               "baseline": ["base", "model", "graphs", "device", "workloads"]}
ROOMS = ["workloads", "nested", "baseline"]  # a file in ROOM/NAME includes, of the workloads, workloads/NAME alone
STRATEGIES = ["nested", "baseline"]
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh"}

# Headers for users' programs. They find each other from their own folder, or from program/include.
FOR_PROGRAMS = ("program/include/", "program/count/")
COPIED = {f"nestbed/{name}.hpp": f"device/cpu/{name}.hpp" for name in ("thread", "kernel_functions")}


def folder_of(name):
    return name.split("/")[0]


class Source:
    """The source files of a tree. Files of src are named as in an #include: relative to src."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.texts = {}
        for top in [self.root / "src", *(self.root / folder for folder in STRATEGIES)]:
            base = top if top.name == "src" else self.root
            for path in sorted(top.rglob("*")):
                if path.suffix in SUFFIXES:
                    self.texts[path.relative_to(base).as_posix()] = path.read_text(encoding="utf-8")
        self.includes = {name: [self.found(name, include) for include in re.findall(r'^\s*#\s*include\s*"([^"]+)"', text, re.MULTILINE)]
                         for name, text in self.texts.items()}

    def found(self, name, include):
        """The name of an included file relative to src."""
        if name in COPIED.values():
            return COPIED.get(include, include)
        if not name.startswith(FOR_PROGRAMS):
            return include
        beside = (pathlib.PurePosixPath(name).parent / include).as_posix()
        return next((file for file in (beside, "program/include/" + include) if file in self.texts), COPIED.get(include, include))


def wrong_includes(source):
    for name, includes in source.includes.items():
        folder = folder_of(name)
        if folder not in MAY_INCLUDE:
            yield f"{name}: the folder {folder} is none of the stages"
            continue
        for include in includes:
            if include not in source.texts:
                yield f"{name}: there is no {include}"
            elif folder_of(include) not in [folder, *MAY_INCLUDE[folder]]:
                yield f"{name}: {folder} must not include {folder_of(include)} ({include})"


def room_of(name):
    parts = name.split("/")
    return parts[1] if parts[0] in ROOMS and len(parts) > 2 else ""


def other_rooms(source):
    for name, includes in source.includes.items():
        for include in includes:
            if folder_of(name) in ROOMS and folder_of(include) in ROOMS and room_of(include) != room_of(name):
                yield f"{name}: {folder_of(name)}/{room_of(name)} must not include {include}, of another workload"


def violations(source):
    return [*wrong_includes(source), *other_rooms(source)]


class ThisRepository(unittest.TestCase):
    def test_has_the_shape(self):
        source = Source(ROOT)
        self.assertGreater(len(source.texts), 100)
        self.assertEqual(violations(source), [])


# A small tree without mistakes, and files beside those of it with what is then reported.
GOOD = {"src/base/text.hpp": "int length();\n",
        "src/plan/plan.hpp": '#include "base/text.hpp"\n',
        "src/device/nest.hpp": '#include "base/text.hpp"\n#include <vector>\n',
        "src/workloads/sum/descriptor.cpp": '#include "device/nest.hpp"\n',
        "src/workloads/sum/sum.hpp": '#include "device/nest.hpp"\n',
        "nested/sum/nosync.cu": '#include "workloads/sum/sum.hpp"\n'}
PLANTED = [
    ({}, []),
    ({"src/base/text.cpp": '#  include "plan/plan.hpp"\n'}, ["base/text.cpp: base must not include plan (plan/plan.hpp)"]),
    ({"baseline/sort/a.cu": '#include "workloads/sum/sum.hpp"\n'},
     ["baseline/sort/a.cu: baseline/sort must not include workloads/sum/sum.hpp, of another workload"]),
    ({"nested/sum/tail.cu": '#include "device/nist.hpp"\n'}, ["nested/sum/tail.cu: there is no device/nist.hpp"]),
    ({"src/core/a.hpp": "\n"}, ["core/a.hpp: the folder core is none of the stages"])]


class PlantedMistakes(unittest.TestCase):
    def test_are_found(self):
        for more, reports in PLANTED:
            with self.subTest(more), tempfile.TemporaryDirectory() as folder:
                for name, text in [*GOOD.items(), *more.items()]:
                    path = pathlib.Path(folder, name)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text, encoding="utf-8")
                self.assertEqual(violations(Source(folder)), reports)


if __name__ == "__main__":
    unittest.main()
