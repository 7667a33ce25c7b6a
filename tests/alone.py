#!/usr/bin/python3
"""Compiles each file of src/ and tests/ by itself, without the files that stand before it in a build of several at once, and without
precompiled headers: a file must include what it uses.

    cmake -S . -B build/alone -G Ninja -D NESTBED_UNITY=OFF -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON -D CMAKE_EXPORT_COMPILE_COMMANDS=ON
    tests/alone.py build/alone [PART_OF_A_PATH…]

It makes no code. Prints the first errors of the files that do not compile; exit code 1 then.
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
ERRORS = 5  # of a file


def words_of(entry):
    """The command, without its output: of the same file in several targets it is the same, but for definitions."""
    words = [word for word in shlex.split(entry["command"]) if word not in ("-MD", "-g", "-O3", "-O2") and pathlib.Path(word).name != "ccache"]
    return [*words[:words.index("-o")], "-fsyntax-only", entry["file"]]


def errors_of(entry):
    done = subprocess.run(words_of(entry), cwd=entry["directory"], capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.splitlines() if "error:" in line]
    return (lines or [done.stderr.strip() or f"exit code {done.returncode}"])[:ERRORS] if done.returncode else []


def main(build, *parts):
    entries = {}
    for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text(encoding="utf-8")):
        path = pathlib.Path(entry["file"])
        if path.suffix == ".cpp" and path.is_relative_to(ROOT) and not path.is_relative_to(pathlib.Path(build).resolve()):
            name = str(path.relative_to(ROOT))
            if not parts or any(part in name for part in parts):
                entries.setdefault(name, entry)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for name, errors in zip(entries, pool.map(errors_of, entries.values())):
            failed += bool(errors)
            for line in errors:
                print(f"{name}: {line}", flush=True)
    print(f"{len(entries) - failed} of {len(entries)} files compile by themselves")
    return 0 if entries and not failed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
