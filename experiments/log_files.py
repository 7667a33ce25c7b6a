"""The files of a log: its text and its manifest. Needs only Python.

The text of LOG.csv is in the file LOG.csv or, compressed by gzip, in LOG.csv.gz. Its name is LOG.csv in both cases. So scripts know a log by its
name, and find and open it by the functions here. The same holds for other CSVs.
"""
import errno
import gzip
import hashlib
import io
import os
import pathlib
import stat
import zlib

from checked_output import BadInput

MOST_BYTES = 2**30  # of a text that is read, as in nestbed
ENDING = ".gz"
MAGIC = b"\x1f\x8b"  # the first bytes of what is compressed, whatever its name is
PIECE = 2**18  # bytes that are read at once


def named(path):
    """The name of a log that a user gives by its file: LOG.csv for LOG.csv.gz. Raises BadInput if that would be another file."""
    path = pathlib.Path(path)
    name = path.with_suffix("") if path.suffix == ENDING else path
    if name != path and name.exists():
        raise BadInput(f"{path}: there is {name.name} too; allowed: one of the two files")
    return name


def stored(log):
    """The file that holds the text of a log: that of its name or, if there is none, the compressed one."""
    log = pathlib.Path(log)
    packed = log.with_name(log.name + ENDING) if log.name else log
    return packed if packed.exists() and not log.exists() else log


def is_there(log):
    return stored(log).is_file()


def csvs_in(folder, pattern="*.csv"):
    """The names of the CSVs in a folder, sorted."""
    folder = pathlib.Path(folder)
    return sorted({*folder.glob(pattern), *(path.with_suffix("") for path in folder.glob(pattern + ENDING))})


def manifest_path(log):
    """LOG.csv.json beside LOG.csv, and LOG.manifest.json beside LOG."""
    log = pathlib.Path(log)
    return log.with_name(f"{log.name}{'' if log.suffix else '.manifest'}.json")


def regular(path, flags):
    """For open(..., opener=regular): refuses a pipe or a device, which may have no end, and files larger than
    MOST_BYTES. Raises OSError."""
    handle = os.open(path, flags | os.O_NONBLOCK)  # does not wait for a writer of a pipe
    found = os.fstat(handle)
    why = None
    if found.st_size > MOST_BYTES:
        why = f"it is too large; allowed: {MOST_BYTES / 2**30:g} GiB"
    elif not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):  # for a folder, open() reports the error
        why = "it is a pipe or a device; allowed: a regular file"
    if why:
        os.close(handle)
        raise OSError(errno.EINVAL, why, path)
    return handle


class _Unpacked(io.RawIOBase):
    """The text of a file that is compressed by gzip. Raises OSError if the file is damaged or cut off, or the text too large."""

    def __init__(self, file):
        super().__init__()
        self._file, self._text = file, gzip.GzipFile(fileobj=file)

    def readable(self):
        return True

    def close(self):
        self._file.close()
        super().close()

    def readinto(self, buffer):
        try:
            size = self._text.readinto(buffer)
        except EOFError:
            self._refuse("its gzip content is cut off")
        except (gzip.BadGzipFile, zlib.error) as error:
            self._refuse(f"its gzip content is damaged: {error}")
        if self._text.tell() > MOST_BYTES:
            self._refuse(f"it is too large when unpacked; allowed: {MOST_BYTES / 2**30:g} GiB")
        return size

    def _refuse(self, why):
        raise OSError(errno.EINVAL, why, self._file.name)


def opened_bytes(log):
    """The text of a log as a file of bytes. Raises OSError, also while it is read."""
    file = open(stored(log), "rb", opener=regular)
    return io.BufferedReader(_Unpacked(file), PIECE) if file.peek(len(MAGIC)).startswith(MAGIC) else file


def opened(log):
    """The text of a log as a file of text, for csv.reader. Raises OSError, also while it is read."""
    return io.TextIOWrapper(opened_bytes(log), encoding="utf-8", newline="")


def sha256_of(log):
    """The SHA-256 of the text of a log, which is the same whether it is compressed or not. Raises OSError."""
    found = hashlib.sha256()
    with opened_bytes(log) as file:
        while piece := file.read(1 << 20):
            found.update(piece)
    return found.hexdigest()
