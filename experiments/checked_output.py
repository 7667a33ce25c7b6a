"""How a script ends: its errors and exit codes, and standard output that never loses data silently. Needs only Python."""
import io
import os
import re
import sys

# Characters that move or hide text, or change its direction: control characters, bidirectional controls and line
# ends.
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")


class ScriptError(Exception):
    """Why a script ends: it could not run."""
    code = 1


class BadInput(ScriptError):
    """A bad option or file: names it, and what is allowed."""
    code = 2


class OutputError(Exception):
    """Standard output could not be written to. The text says why."""


def printable(text):
    """The text with invisible characters named: [U+001B]. A terminal, a page or a figure then shows them and does not
    interpret them."""
    return UNSEEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)


def printable_lines(message):
    """The same for a message, which may have several lines."""
    return "\n".join(map(printable, str(message).split("\n")))


def ended(name, main):
    """The exit code of main(). An error is one message that begins with `name`."""
    try:
        return main()
    except ScriptError as error:
        print(f"{name}: {printable_lines(error)}", file=sys.stderr)
        return error.code


class Output(io.FileIO):
    def write(self, data):
        try:
            return super().write(data)
        except OSError as error:
            raise OutputError(error.strerror) from error


def run(name, main):
    """Ends the program with the exit code of ended(). If standard output takes no more data, ends it with 1 and one line
    that begins with `name`."""
    try:
        try:
            file = Output(1, "w", closefd=False)
        except OSError as error:  # standard output is closed
            raise OutputError(error.strerror) from error
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(file), encoding=sys.stdout.encoding, errors=sys.stdout.errors, line_buffering=file.isatty())
        try:
            code = ended(name, main)
        finally:
            sys.stdout.flush()
    except OutputError as error:
        print(f"{name}: standard output could not be written to: {error}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for the rest of the output when Python ends
        code = 1
    sys.exit(code)
