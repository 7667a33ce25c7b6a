#!/usr/bin/python3
"""Tests of the structure of the source: which folder includes which, and which names are used twice.

    /usr/bin/python3 tests/scripts/includes_test.py     on this repository and on planted mistakes
"""
import collections
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


# What else has the name of a workload: a parameter of the launch model, an axis, and strategies in messages.
ALSO_NAMED = {("predict/roofline.hpp", "copy"), ("model/axis_table.cpp", "fanout"),
              ("inspect/roofline_fit.cpp", "chain"), ("inspect/roofline_fit.cpp", "fanout")}


def named_workloads(source):
    """Names of workloads outside of their folders: the core asks a descriptor instead."""
    names = {name for file, text in source.texts.items() if re.fullmatch(r"workloads/\w+/descriptor\.cpp", file)
             for name in re.findall(r'^    \.name = "(\w+)"', text, re.MULTILINE)}
    for file, text in source.texts.items():
        if folder_of(file) in ROOMS:
            continue
        code = re.sub(r"//.*", "", text)
        for name in sorted(set(re.findall(r'"(\w+)"', code)) & names):
            if (file, name) not in ALSO_NAMED:
                yield f'{file}: "{name}" is a workload; ask its descriptor (model/workload.hpp)'


def shared_names(source):
    """Kernels and types that two strategies define. They are templates or inline, so the linker silently uses one of
    the two definitions for both."""
    files = collections.defaultdict(list)
    for name, text in source.texts.items():
        if folder_of(name) in STRATEGIES:
            kernels = re.findall(r"^__global__ void (?:(?:__launch_bounds__|LAUNCH_BOUNDS)\([^)]*\)\s+)?(\w+)\(", text, re.MULTILINE)
            for defined in sorted({*kernels, *re.findall(r"^(?:struct|class) (\w+) ", text, re.MULTILINE)}):
                files[defined].append(name)
    for defined, names in files.items():
        if len(names) > 1:
            yield f"{defined} is defined in {' and in '.join(names)}: the program would use one of them for both"


def bits_in_kernels(source):
    """Calls that nvcc silently compiles wrongly (base/bits.hpp says why), in what kernels may include."""
    for name, text in source.texts.items():
        compiled = folder_of(name) in [*STRATEGIES, "device"] or name.startswith("workloads/") and not name.endswith(".cpp") or folder_of(name) in MAY_INCLUDE["device"] and name.endswith(".hpp")
        if not compiled or re.match(r"device/(races|cpu)/.*\.cpp$", name) or name == "base/bits.hpp":
            continue
        for call in re.findall(r"std::(?:bit_width|bit_ceil|bit_floor|count[lr]_(?:zero|one)|popcount|has_single_bit)\b", text):
            yield f"{name}: kernels must not call {call}; base/bits.hpp has what they may call"


RULES = [wrong_includes, other_rooms, named_workloads, shared_names, bits_in_kernels]


def violations(source):
    return [text for rule in RULES for text in rule(source)]


class ThisRepository(unittest.TestCase):
    def test_has_the_shape(self):
        source = Source(ROOT)
        self.assertGreater(len(source.texts), 100)
        self.assertEqual(violations(source), [])


# A small tree without mistakes, and files beside those of it (or lines added to them) with what is then reported.
DESCRIPTOR = 'const WorkloadInfo workloads::sum{\n    .name = "sum",\n};\n'
GOOD = {"src/base/text.hpp": "int length();\n",
        "src/plan/plan.hpp": '#include "base/text.hpp"\n',
        "src/device/nest.hpp": '#include "base/text.hpp"\n#include <vector>\n',
        "src/workloads/sum/descriptor.cpp": '#include "device/nest.hpp"\n' + DESCRIPTOR,
        "src/workloads/sum/sum.hpp": '#include "device/nest.hpp"\n',
        "nested/sum/nosync.cu": '#include "workloads/sum/sum.hpp"\n'}
STRATEGY = "template <class T>\n__global__ void {}reduce_a(T* in)\n{{\n}}\n\nstruct {} {{\n}};\n"
BITS = "constexpr auto a = std::{}(b);\n"
PLANTED = [
    ({}, []),
    ({"src/base/text.cpp": '#  include "plan/plan.hpp"\n'}, ["base/text.cpp: base must not include plan (plan/plan.hpp)"]),
    ({"baseline/sort/a.cu": '#include "workloads/sum/sum.hpp"\n'},
     ["baseline/sort/a.cu: baseline/sort must not include workloads/sum/sum.hpp, of another workload"]),
    ({"nested/sum/tail.cu": '#include "device/nist.hpp"\n'}, ["nested/sum/tail.cu: there is no device/nist.hpp"]),
    ({"src/core/a.hpp": "\n"}, ["core/a.hpp: the folder core is none of the stages"]),
    ({"src/plan/plan.cpp": 'bool is_sum = name == "sum"; // or "sum"\n'},
     ['plan/plan.cpp: "sum" is a workload; ask its descriptor (model/workload.hpp)']),
    ({"src/plan/plan.cpp": 'bool is_sum = name == "sums"; // "sum"\n', "src/workloads/sum/other.cpp": 'bool is_sum = name == "sum";\n'}, []),
    # a name of two strategies
    *(({"nested/a.cu": STRATEGY.format("", "A"), "src/device/parts/a.hpp": STRATEGY.format("", "A"), **other},
       [f"{name} is defined in nested/a.cu and in baseline/b.cu: the program would use one of them for both" for name in shared])
      for other, shared in (({}, []), ({"baseline/b.cu": STRATEGY.format("", "B")}, ["reduce_a"]),
                            ({"baseline/b.cu": STRATEGY.format("__launch_bounds__(kA, kB) ", "B")}, ["reduce_a"]),
                            ({"baseline/b.cu": STRATEGY.format("b_", "A")}, ["A"]))),
    # calls that nvcc compiles wrongly
    *(({name: BITS.format(call)},
       [f"{name.removeprefix('src/')}: kernels must not call std::{call}; base/bits.hpp has what they may call"] if wrong else [])
      for name, call, wrong in (("src/model/a.hpp", "bit_ceil", True), ("src/device/a.cu", "countl_zero", True), ("nested/a.cu", "bit_width", True),
                                ("src/model/a.cpp", "bit_ceil", False), ("src/cli/a.hpp", "bit_width", False),
                                ("nested/a.cu", "bit_cast", False), ("src/base/bits.hpp", "bit_width", False)))]


class PlantedMistakes(unittest.TestCase):
    def test_are_found(self):
        for more, reports in PLANTED:
            with self.subTest(more), tempfile.TemporaryDirectory() as folder:
                for name, text in [*GOOD.items(), *more.items()]:
                    path = pathlib.Path(folder, name)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    with path.open("a", encoding="utf-8") as file:
                        file.write(text)
                self.assertEqual(violations(Source(folder)), reports)


if __name__ == "__main__":
    unittest.main()
