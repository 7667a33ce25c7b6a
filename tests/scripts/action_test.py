#!/usr/bin/python3
"""Tests of action.yml, which runs a nestbed command in a GitHub workflow.

    /usr/bin/python3 tests/scripts/action_test.py
"""
import os
import pathlib
import subprocess
import tempfile
import textwrap
import unittest

ACTION = (pathlib.Path(__file__).resolve().parents[2] / "action.yml").read_text(encoding="utf-8")
SCRIPT = textwrap.dedent(ACTION[ACTION.rindex("run: |\n") + len("run: |\n"):])


class Action(unittest.TestCase):
    def called(self, words, code=0):
        """The words that nestbed gets."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "nestbed").write_text(f'#!/bin/bash\nprintf "[%s]" "$@"\nexit {code}\n', encoding="utf-8")
            (path / "nestbed").chmod(0o755)
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", SCRIPT], cwd=folder, capture_output=True, text=True,
                                  env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "NESTBED_WORDS": words}, check=False, timeout=60)
            self.assertEqual(sorted(one.name for one in path.iterdir()), ["nestbed"])
        return done.returncode, done.stdout

    def test_words_are_those_of_the_input(self):
        self.assertEqual(self.called("races src/my.cu -- 4 64"), (0, "[races][src/my.cu][--][4][64]"))
        self.assertEqual(self.called("cpu 'my file.cu' \"two  blanks\" a\\ b --define ''x\n  --tree\n"),
                         (0, "[cpu][my file.cu][two  blanks][a b][--define][x][--tree]"))

    def test_it_is_no_code_of_a_shell(self):
        for words in ("cpu a.cu; touch made", "cpu $(touch made)", "cpu `touch made`", "cpu a.cu > made", "cpu a.cu && touch made", "cpu * $HOME ~ {1,2}"):
            code, out = self.called(words)
            self.assertEqual((code, out), (0, "".join(f"[{word}]" for word in words.split())))

    def test_the_exit_code_is_that_of_the_command(self):
        self.assertEqual(self.called("races a.cu", 3)[0], 3)

    def test_a_quote_that_is_open_is_an_error(self):
        code, out = self.called("races 'a.cu")
        self.assertNotEqual(code, 0)
        self.assertEqual(out, "")


if __name__ == "__main__":
    unittest.main()
