"""Checks by `nestbed check` that the rows of a log are as a run writes them: an edited row is not a measured row. Needs NESTBED, the
path of a nestbed, and otherwise only Python."""
import contextlib
import os
import subprocess

from medians import StatisticsError, program

_taken = set()  # logs that were checked, as they were then


class RowError(Exception):
    """Rows that contradict themselves, other rows or their manifest. The text is what nestbed says of the first, with the log and
    the line."""


@contextlib.contextmanager
def checked(path):
    """Checks a log while the body of the `with` reads it, and once for all readers. At the end of the body, unless that has failed, raises
    RowError, or StatisticsError if nestbed cannot be run."""
    path = os.fspath(path)
    found = [(os.path.realpath(one), status.st_mtime_ns, status.st_size)
             for one, status in ((one, os.stat(one)) for one in _files_of(path))]
    if tuple(found) in _taken:
        yield
        return
    nestbed = program()
    at = os.path.abspath(path)
    try:
        check = subprocess.Popen([nestbed, "check", at], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, encoding="utf-8",
                                 errors="replace")
    except OSError as error:
        raise StatisticsError(f"{nestbed}: {error.strerror}") from error
    with check:
        try:
            yield
        except BaseException:
            check.kill()
            raise
        said = check.stderr.read()
    if check.returncode and not said.startswith("nestbed: "):
        raise StatisticsError(f"{nestbed} check ended with {check.returncode}: {said.strip()}")
    if check.returncode:
        raise RowError(_first(said, at, path))
    _taken.add(tuple(found))


def _files_of(path):
    """The log, and the files that may be its manifest."""
    stem = os.path.splitext(path)[0]
    return [path, *(one for one in (f"{path}.json", f"{path}.manifest.json", f"{stem}.json") if os.path.isfile(one))]


def _first(said, at, path):
    """The first problem that nestbed names, in the form of the other messages of scripts: "LOG, line 5: ..."."""
    said = said.partition("\n")[0].removeprefix("nestbed: ")
    if not said.startswith(f"{at}:"):
        return said.replace(at, path)
    line, colon, problem = said[len(at) + 1:].partition(": ")
    return f"{path}, line {line}: {problem}" if colon and line.isdecimal() else f"{path}:{said[len(at) + 1:]}"
