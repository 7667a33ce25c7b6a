"""Checks by `nestbed check` that the rows of a log are as a run writes them: an edited row is not a measured row. Needs NESTBED, the
path of a nestbed, and otherwise only Python."""
import contextlib
import os
import subprocess

import log_files
from medians import StatisticsError, program

_taken = set()  # logs that were checked, as they were then


class RowError(Exception):
    """Rows that contradict themselves, other rows or their manifest. The text is what nestbed says of the first, with the log and
    the line."""


@contextlib.contextmanager
def checked(path):
    """Checks a log while the body of the `with` reads it, and once for all readers. At the end of the body, unless that has failed, raises
    RowError, or StatisticsError if nestbed cannot be run."""
    with checked_together([path]):
        yield


@contextlib.contextmanager
def checked_together(paths):
    """The same for several logs, which nestbed checks one after another while the body reads them all. In the body, they count as
    checked. If it computes no statistics, a wrong row may be why, which is then the error."""
    found = {path: _as_it_is(path) for path in map(os.fspath, paths)}
    new = {path: state for path, state in found.items() if state not in _taken}
    if not new:
        yield
        return
    nestbed = program()
    try:
        check = subprocess.Popen([nestbed, "check", *map(os.path.abspath, new)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                 encoding="utf-8", errors="replace")
    except OSError as error:
        raise StatisticsError(f"{nestbed}: {error.strerror}") from error
    _taken.update(new.values())
    with check:
        try:
            failed = None
            try:
                yield
            except StatisticsError as error:
                failed = error
            said = check.stderr.read()
            code = check.wait()
            if code and not said.startswith("nestbed: "):
                raise StatisticsError(f"{nestbed} check ended with {code}: {said.strip()}")
            if code:
                raise RowError(_first(said, new))
            if failed:
                raise failed
        except BaseException:
            check.kill()
            _taken.difference_update(new.values())
            raise


def _as_it_is(path):
    """The log, and the files that may be its manifest, as they are now."""
    return tuple((os.path.realpath(one), status.st_mtime_ns, status.st_size) for one, status in ((one, os.stat(one)) for one in _files_of(path)))


def _files_of(path):
    """The log, and the files that may be its manifest."""
    stem = os.path.splitext(path)[0]
    return [log_files.stored(path), *(one for one in (f"{path}.json", f"{path}.manifest.json", f"{stem}.json") if os.path.isfile(one))]


def _first(said, paths):
    """The first problem that nestbed names, in the form of the other messages of scripts: "LOG, line 5: ..."."""
    said = said.partition("\n")[0].removeprefix("nestbed: ")
    for path in paths:
        at = os.path.abspath(path)
        if said.startswith(f"{at}:"):
            line, colon, problem = said[len(at) + 1:].partition(": ")
            return f"{path}, line {line}: {problem}" if colon and line.isdecimal() else f"{path}:{said[len(at) + 1:]}"
        if at in said:
            return said.replace(at, path)
    return said
