#!/usr/bin/python3
"""Checks the claims of the documents against the CSVs that they are computed from. experiments/claims.sh installs
what this needs and runs it."""
import argparse
import json
import os
import pathlib
import sys

import checked_output
import claim_derived
import computed_page
import logs
from checked_output import BadInput, ScriptError
from claim_documents import claims_page, linked, page_problems, uncited, with_page
from claim_numbers import interval_text
from claim_results import Results, claims_json, compare_csv, read_text


RESULTS = pathlib.Path(__file__).resolve().parent.parent / "results"


# --- the commands; each returns its exit code ---


def documents(folder):
    """([the README.md beside the real path of the folder of results, and the documents in its sibling folders that
    cite a claim], the README.md in the folder)."""
    beside = pathlib.Path(os.path.realpath(folder)).parent
    citing = [path for path in sorted(beside.glob("*/*.md")) if "](../results/README.md#" in read_text(path)]
    readmes = [str(path) if os.path.isabs(folder) else os.path.relpath(path) for path in (beside / "README.md", *citing)]
    return readmes, os.path.join(folder, "README.md")


def say_problems(problems):
    for problem in problems:
        print(f"claims.sh: {logs.said(problem)}", file=sys.stderr)
    return 3 if problems else 0


TEMPLATE = "README.template.md"


def computed_pages(results):
    """[(path, text, problems of its template)] for the README.md of each folder of logs that has a template."""
    templates = [results.folder / place / TEMPLATE for place in results.places]
    return [(template.with_name("README.md"), *computed_page.computed(template, read_text(template)))
            for template in templates if template.exists()]


def computed_problems(pages):
    problems = []
    for path, text, wrong in pages:
        problems += wrong
        here, should = read_text(path).splitlines(), text.splitlines()
        line = next((number for number, pair in enumerate(zip(here, should), 1) if pair[0] != pair[1]), min(len(here), len(should)) + 1)
        if here != should:
            problems.append(f"{path}:{line}: it is not what {TEMPLATE} and the CSVs give: "
                            f"{should[line - 1] if line <= len(should) else 'the end'}")
    return problems


def check(results, options):
    readmes, page = documents(options.results)
    links, text = [linked(results, readme, read_text(readme)) for readme in readmes], read_text(page)
    problems = [*results.problems, *(problem for one in links for problem in (*one.wrong, *one.broken, *one.left)),
                *uncited(results, readmes[0], links),
                *page_problems(page, text, with_page(page, text, claims_page(results)), not results.problems),
                *computed_problems(computed_pages(results)),
                *(problem for place in results.places for problem in claim_derived.problems(results, results.folder / place))]
    if not problems:
        numbers = sum(len(made.numbers) for made in results.measured)
        print(f"{len(results.measured)} claims, {numbers} numbers: {', '.join(readmes)}, {page} and the CSVs agree")
    return say_problems(problems)


def write(results, options):
    """Writes the documents, but nothing unless every claim has its numbers."""
    if results.problems:
        return say_problems(results.problems)
    readmes, page = documents(options.results)
    before, text = [read_text(readme) for readme in readmes], read_text(page)
    links, written = [linked(results, *document) for document in zip(readmes, before)], with_page(page, text, claims_page(results))
    broken = [problem for one in links for problem in one.broken]
    if broken:
        return say_problems(broken)
    pages = computed_pages(results)
    for path, new, old in ((page, written, text), *((readme, one.text, old) for readme, one, old in zip(readmes, links, before)),
                           *((path, new, read_text(path) if path.exists() else "") for path, new, _ in pages)):
        if new != old:
            logs.write_whole(path, new.encode("utf-8", "surrogateescape"))
            print(path)
    return say_problems([*(problem for one in links for problem in one.left), *uncited(results, readmes[0], links),
                         *(problem for _, _, problems in pages for problem in problems)])


def print_table(heads, rows):
    """A table with columns of texts (<) and numbers (>), as the first character of each head says. Columns are two
    spaces apart."""
    widths = [max(len(row[column]) for row in [[head[1:] for head in heads], *rows]) for column in range(len(heads))]
    for row in [[head[1:] for head in heads], *rows]:
        print("  ".join(f"{cell:{head[0]}{width}}" for head, cell, width in zip(heads, row, widths)).rstrip())


def print_json(value):
    print(json.dumps(value, indent=1, ensure_ascii=False))


def show(results, options):
    if options.json:
        print_json(claims_json(results))
    else:
        print_table(["<claim", ">number", ">95% CI", ">rows"],
                    [[number.id, found.text, interval_text(number, found), str(len(found.lines))]
                     for made in results.measured for number, found in zip(made.claim.numbers, made.numbers)])
    return say_problems(results.problems)


def print_beside(seconds):
    print_table(["<claim", ">first", ">second", "<asked", "<is"],
                [[one.number.id, one.first.text, one.found.text if one.found else "", one.asked, one.verdict] for one in seconds])


def print_second(results, second):
    """Prints one table. For another GPU, prints two: what must hold there too, and what need not."""
    judged = [one for one in second.numbers if one.judged]
    if not second.another:
        print_beside(judged)
        return
    print(f"another GPU: {logs.seen(second.devices)}; {results.folder} is of {second.first_devices}\n")
    print("must hold on every GPU: launch counts, right and wrong answers, and which of two is slower")
    print_beside(judged)
    print("\nneed not hold, and is not judged: times, bandwidths, how often a race shows")
    print_beside([one for one in second.numbers if not one.judged])


def compare(results, options):
    second = results.second(options.folder)
    if options.csv:
        logs.write_whole(options.csv, compare_csv(second.numbers).encode())
    if options.json:
        print_json(claims_json(results, second))
    else:
        print_second(results, second)
    missing = dict.fromkeys(one.why for one in second.numbers if one.why)  # a missing log is named once
    say_problems([*results.problems, *missing])
    return 0 if all(one.near for one in second.numbers if one.judged) and not results.problems else 3


def check_new_file(path):
    folder = os.path.dirname(path) or "."
    why = ("it already exists, and nothing is overwritten" if os.path.lexists(path) else
           f"there is no folder {folder}" if not os.path.isdir(folder) else
           "the folder takes no files" if not os.access(folder, os.W_OK) else "")
    if why:
        raise BadInput(f"--csv {path}: {why}; allowed: a new file in a folder that can be written to")


def options_of():
    parser = argparse.ArgumentParser(
        prog="claims.sh", allow_abbrev=False, description="The claims of the documents, and the CSVs that they rest on.",
        epilog="Exit codes: 0 all agree, 1 it could not run, 2 a bad option, 3 a claim does not hold, or a second run is not near "
               "(on another GPU: in what must hold on every GPU).")
    results = {"metavar": "FOLDER", "help": "where claims.json lies, beside a README.md and under another (the repository's results)"}
    parser.add_argument("--results", default=os.path.relpath(RESULTS), **results)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, run, text in (("check", check, "the documents and the CSVs agree"),
                            ("list", show, "every number, computed from its CSV"),
                            ("compare", compare, "the same numbers from the CSVs of a second run"),
                            ("write", write, "the numbers into both documents")):
        action = actions.add_parser(name, help=text, description=text, allow_abbrev=False)
        action.set_defaults(run=run, csv=None)
        action.add_argument("--results", default=argparse.SUPPRESS, **results)  # before or after the action
        if name in ("list", "compare"):
            action.add_argument("--json", action="store_true", help="as JSON, with the lines of the rows")
        if name == "compare":
            action.add_argument("folder", metavar="FOLDER", help="with the CSVs of a second run")
            action.add_argument("--csv", metavar="FILE", help="one row per number, into a new file")
    return parser.parse_args()


def main():
    options = options_of()
    try:
        if options.action == "compare" and not os.path.isdir(options.folder):
            raise BadInput(f"compare {options.folder}: there is no such folder; allowed: one with CSVs of a second run")
        if options.csv:
            check_new_file(options.csv)
        return options.run(Results(options.results), options)
    except logs.LogError as error:
        raise ScriptError(str(error)) from error
    except OSError as error:
        raise ScriptError(f"{error.filename}: {error.strerror}") from error


if __name__ == "__main__":
    checked_output.run("claims.sh", main)
