#!/usr/bin/python3
"""Mutation testing of the stages that need no device: which small errors in the source would the tests not notice?

    tests/mutate.py BUILD [-n COUNT] [--seed SEED] [--results FILE.csv] [PATH…]      e.g. tests/mutate.py build/mutants src/plan

Draws COUNT mutants (200) from the sources under the PATHs (by default the folders of src that need no device), one at
a time. For each mutant it changes the file, builds the test program of the stage in the folder BUILD, runs it, and
restores the file. A mutant is `killed` if a test fails or takes too long, and `stillborn` if it does not compile.
Otherwise it `survived`: read these one by one. FILE.csv has one row per mutant; the same command continues where it
was stopped. Use a copy of the tree (git worktree) and a separate build folder without optimisation:

    cmake --preset cpu-only -B build/mutants -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS_DEBUG=-O0 -D NESTBED_WERROR=OFF
"""
import argparse
import csv
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PURE = ["src/base", "src/model", "src/plan", "src/log", "src/inspect", "src/run"]
# Replacements of one token by another. Binary operators have spaces around them (clang-format), template brackets
# have none.
SWAPS = [(r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "), (r" && ", " || "),
         (r" \|\| ", " && "), (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "), (r" \+= ", " -= "), (r"\btrue\b", "false"),
         (r"\bfalse\b", "true"), (r"!(?=[\w(])", ""), (r"\bmin\(", "max("), (r"\bmax\(", "min("), (r"\b0\b", "1"), (r"\b1\b", "2"),
         (r"\bif \((?=[^;]*\)$)", "if (not "), (r"\bany_of\b", "all_of"), (r"\ball_of\b", "any_of"), (r"\bbreak;", "continue;"),
         (r"\bcontinue;", "break;"), (r"\+\+(?=\w)", "--")]
CALL = re.compile(r"^\s+(?!return|throw|using|const|auto|static|std::\w+(<.*>)? \w+|co_)[\w.>\-\[\]():]+\(.*\);$")
NOT_CODE = re.compile(r'//.*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|^\s*#.*|^\s*(static_assert|template|requires|using|namespace)\b.*')
COLUMNS = ["file", "line", "column", "from", "to", "result", "code"]
TEST_SECONDS = 120


def mutants_of(path):
    """(line, column, from, to) of everything that can be changed; lines start at 1."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        code = NOT_CODE.sub(lambda match: "\0" * len(match[0]), line)
        for pattern, new in SWAPS:
            found += [(number, match.start(), match[0], new) for match in re.finditer(pattern, code)]
        if CALL.match(code):
            found.append((number, 0, line, ""))  # removes a call
    return found


def build_and_test(build, program):
    built = subprocess.run(["ninja", "-C", build, program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if built.returncode != 0:
        return "stillborn"
    try:
        tested = subprocess.run([pathlib.Path(build) / "tests" / program, "--gtest_brief=1"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                timeout=TEST_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "killed"
    return "killed" if tested.returncode != 0 else "survived"


def try_mutant(build, name, mutant):
    number, column, old, new = mutant
    path = ROOT / name
    whole = path.read_bytes()
    lines = whole.decode().split("\n")
    line = lines[number - 1]
    lines[number - 1] = line[:column] + new + line[column + len(old):]
    if "if (not " in new:
        lines[number - 1] = re.sub(r"if \(not (.*)\)$", r"if (not (\1))", lines[number - 1])
    try:
        path.write_text("\n".join(lines), encoding="utf-8")
        result = build_and_test(build, f"{name.split('/')[1]}_tests")
    finally:
        path.write_bytes(whole)
    return dict(zip(COLUMNS, [name, number, column, old.strip(), new.strip(), result, line.strip()]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD")
    parser.add_argument("paths", metavar="PATH", nargs="*", default=PURE)
    parser.add_argument("-n", metavar="COUNT", type=int, default=200, help="mutants that compile")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", metavar="FILE.csv", type=pathlib.Path, default=pathlib.Path("mutants.csv"))
    options = parser.parse_intermixed_args() # PATHs may come after options
    files = sorted({file for path in options.paths for file in ([ROOT / path] if path.endswith(".cpp") else (ROOT / path).glob("*.cpp"))})
    everything = [(str(file.relative_to(ROOT)), mutant) for file in files for mutant in mutants_of(file)]
    if not everything:
        sys.exit(f"mutate.py: {' '.join(options.paths)}: nothing to change; allowed: folders of src, or files *.cpp in them")
    for stage in sorted({name.split("/")[1] for name, _ in everything}):
        if build_and_test(options.build, f"{stage}_tests") != "survived":
            sys.exit(f"mutate.py: {stage}_tests fails without a change")
    random.Random(options.seed).shuffle(everything)
    done = list(csv.DictReader(options.results.open(newline="", encoding="utf-8"))) if options.results.exists() else []
    known = {(row["file"], row["line"], row["column"], row["to"]) for row in done}
    with options.results.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if not done:
            writer.writeheader()
        for name, mutant in everything:
            if sum(row["result"] != "stillborn" for row in done) >= options.n:
                break
            if (name, str(mutant[0]), str(mutant[1]), mutant[3].strip()) in known:
                continue
            done.append(try_mutant(options.build, name, mutant))
            writer.writerow(done[-1])
            file.flush()
            print("{result:9} {file}:{line}: {from} -> {to}: {code}".format(**done[-1]), flush=True)
    killed = sum(row["result"] == "killed" for row in done)
    tried = killed + sum(row["result"] == "survived" for row in done)
    print(f"{killed} of {tried} mutants killed ({100 * killed / max(tried, 1):.0f} %), {len(done) - tried} did not compile")


if __name__ == "__main__":
    main()
