"""Medians, ratios and their 95 % intervals, from `nestbed statistics`. Needs NESTBED, the path of a nestbed, and
otherwise only Python."""
import json
import math
import os
import subprocess

from checked_output import ScriptError


class StatisticsError(ScriptError):
    """nestbed could not compute the statistics. The text says why."""


def answer_of(*words, given=None):
    """The JSON that a command of the program prints that NESTBED names. Raises StatisticsError."""
    nestbed = program()
    try:
        done = subprocess.run([nestbed, *words], input=given, capture_output=True, text=True, check=False)
        if done.returncode:
            raise StatisticsError(f"{nestbed} {words[0]} ended with {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)
    except OSError as error:
        raise StatisticsError(f"{nestbed}: {error.strerror}") from error
    except ValueError as error:
        raise StatisticsError(f"{nestbed} {words[0]} gave no answers: {error}") from error


def program():
    """The path of nestbed. Raises StatisticsError."""
    nestbed = os.environ.get("NESTBED")
    if not nestbed:
        raise StatisticsError("NESTBED is not set; allowed: the path of a nestbed that is built")
    return nestbed


def statistics(requests):
    """[(value, low, high)]: the answers of `nestbed statistics` (src/cli/command_statistics.cpp describes requests). NaN if a value is not
    defined. Requests are turned into text one by one, so a generator of them takes little memory. Raises StatisticsError."""
    asked = ",".join(json.dumps(request, allow_nan=False) for request in requests)
    answers = answer_of("statistics", given=f"[{asked}]") if asked else []
    try:
        return [tuple(math.nan if answer[name] is None else float(answer[name]) for name in ("value", "low", "high"))
                for answer in answers]
    except (ValueError, KeyError, TypeError) as error:
        raise StatisticsError(f"{program()} statistics gave no answers: {error}") from error


def medians(several):
    """[(median, low, high)] of several sets of numbers."""
    return statistics({"parts": [{"above": [float(value) for value in values]}]} for values in several)


def ratios(pairs):
    """[(ratio, low, high)] of the medians of pairs of independent sets of numbers. A set can also be a list of
    rounds, each a list of numbers."""
    return statistics({"parts": [{"above": above, "below": [below]}]} for above, below in pairs)
