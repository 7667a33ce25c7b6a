"""Standard output that never loses data silently. Needs only Python."""
import io
import os
import sys


class OutputError(Exception):
    """Standard output could not be written to. The text says why."""


class Output(io.FileIO):
    def write(self, data):
        try:
            return super().write(data)
        except OSError as error:
            raise OutputError(error.strerror) from error


def run(name, main):
    """Ends the program with main()'s exit code. If standard output takes no more data, ends it with 1 and one line
    that begins with `name`."""
    try:
        try:
            file = Output(1, "w", closefd=False)
        except OSError as error:  # standard output is closed
            raise OutputError(error.strerror) from error
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(file), encoding=sys.stdout.encoding, errors=sys.stdout.errors, line_buffering=file.isatty())
        try:
            code = main()
        finally:
            sys.stdout.flush()
    except OutputError as error:
        print(f"{name}: standard output could not be written to: {error}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for the rest of the output when Python ends
        code = 1
    sys.exit(code)
