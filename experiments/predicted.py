#!/usr/bin/python3
"""Writes the predictions of `nestbed predict` for the logs of a folder into one table. experiments/predicted.sh installs what this
needs and runs it, with NESTBED, the path of a nestbed."""
import argparse
import io
import os
import pathlib
import subprocess
import sys

import pandas

import checked_output
import logs
from checked_output import BadInput, ScriptError

MODEL = "model.json"
TABLE = "predicted.csv"
NONE_PREDICTED = 3  # the exit code of `nestbed predict` if it predicts no case


def say(text):
    print(f"predicted.sh: {logs.printable_lines(text)}", file=sys.stderr)


def predictions_of(path, model):
    """The predictions of a log, which may be of none of its cases; without those of cases that have no row that is ok. Raises ScriptError."""
    words = [os.environ["NESTBED"], "predict", "--device", model, "--against", path, "--csv", "-"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ScriptError(f"{words[0]}: {error.strerror}") from error
    if done.returncode not in (0, NONE_PREDICTED):
        raise ScriptError(f"{path}: `nestbed predict` ended with {done.returncode}: {done.stderr.strip()}")
    found = pandas.read_csv(io.StringIO(done.stdout), dtype=str, keep_default_na=False)
    return found[found["measured_us"] != ""]


def chosen_logs(folder, names):
    """The paths of these logs, with or without .csv; or of all but those of strategies that exist only for tests, which other builds of
    nestbed do not have. Raises BadInput."""
    known = {path.stem: path for path in logs.logs_in(folder)[0]}
    names = [name.removesuffix(".gz").removesuffix(".csv") for name in names]
    if unknown := [name for name in names if name not in known]:
        raise BadInput(f"{unknown[0]}: there is no such log in {folder}; allowed: {', '.join(known)}")
    for name, path in known.items() if not names else ():
        if logs.read_table(path)["strategy"].str.startswith(logs.TEST_ONLY).any():
            say(f"{path} has strategies that exist only for tests: left out")
        else:
            names.append(name)
    if not names:
        raise BadInput(f"{folder}: no log of `nestbed run` in it")
    return [known[name] for name in dict.fromkeys(names)]


def table_of(paths, model):
    """The table as text, with a first column that names the log. Raises ScriptError."""
    found = {path.stem: predictions_of(path, model) for path in paths}
    without = [name for name, predicted in found.items() if not len(predicted)]
    if len(without) == len(paths):
        raise ScriptError(f"the model predicts no case of {', '.join(without)}; allowed: logs of cases that launch from the device")
    if without:
        say(f"no case that the model predicts: {', '.join(without)}")
    table = pandas.concat([predicted.assign(log=name) for name, predicted in found.items()])
    return table[["log", *table.columns.drop("log")]].to_csv(index=False, lineterminator="\n")


def main():
    parser = argparse.ArgumentParser(
        prog="predicted.sh", description=f"Predicts the cases of a folder's logs by the folder's {MODEL}, and writes one table with the "
        f"measured times beside: {TABLE}, which experiments/plot.sh draws. Cases without a measured time are left out.",
        epilog="Exit codes: 0 written, 1 a log could not be predicted or the table not written, 2 a bad option, folder or log.")
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER", help=f"with logs, and with {MODEL} of `nestbed calibrate`")
    parser.add_argument("logs", nargs="*", metavar="LOG", help="names of logs in FOLDER (default: all that have no strategies for tests)")
    parser.add_argument("-o", "--output", type=pathlib.Path, metavar="CSV", help=f"the file to write (default: {TABLE} in FOLDER)")
    given = parser.parse_args()
    model = given.folder / MODEL
    if not model.is_file():
        raise BadInput(f"{model}: there is no such file; allowed: a folder with a model that `nestbed calibrate` wrote")
    out = given.output or given.folder / TABLE
    table = table_of(chosen_logs(given.folder, given.logs), model)
    try:
        logs.write_whole(out, table.encode())
    except OSError as error:
        raise ScriptError(f"{out} cannot be written: {error.strerror}") from error
    print(out)
    return 0


if __name__ == "__main__":
    checked_output.run("predicted.sh", main)
