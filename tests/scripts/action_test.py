#!/usr/bin/python3
"""Tests of action.yml, which runs a nestbed command in a GitHub workflow, and of the workflows of this repository.

    /usr/bin/python3 tests/scripts/action_test.py
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
VERSION = re.search(r"^project\(nestbed VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]


def scripts_of(path):
    """The scripts of the steps, in their order."""
    found = re.findall(r"^( *)(?:- )?run: (?:\|\n((?:\1 .*\n|\n)+)|(.*)\n)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return [textwrap.dedent(block) or line + "\n" for _, block, line in found]


INSTALL, RUN = scripts_of(ROOT / "action.yml")


class Step:
    """A step of the action in a folder of its own, with programs that only note how they are called."""

    def __init__(self, script, code=0, **environment):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for tool in ("nestbed", "apt-get", "sudo"):
                own = '"$@"' if tool == "sudo" else f'printf "[%s]" {tool} "$@"; exit {code}'
                (folder / tool).write_text(f"#!/bin/bash\n{own}\n", encoding="utf-8")
                (folder / tool).chmod(0o755)
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=folder, capture_output=True, text=True,
                                  env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "GITHUB_ACTION_PATH": str(ROOT), "GITHUB_PATH": f"{name}/path",
                                       **environment}, check=False, timeout=60)
            self.code = done.returncode
            self.out = done.stdout
            self.err = done.stderr
            self.path = (folder / "path").read_text(encoding="utf-8") if (folder / "path").exists() else ""
            self.made = sorted({one.name for one in folder.iterdir()} - {"nestbed", "apt-get", "sudo", "path"})


class Run(unittest.TestCase):
    def called(self, words, code=0, sarif="", baseline=""):
        """The words that nestbed gets."""
        done = Step(RUN, code, NESTBED_WORDS=words, NESTBED_SARIF=sarif, NESTBED_BASELINE=baseline)
        self.assertEqual(done.made, [])
        matcher = re.match(r"::add-matcher::(.*)\n", done.out)
        self.assertEqual(matcher is None, done.out == "" or done.out.startswith("::error::"))
        self.assertTrue(matcher is None or pathlib.Path(matcher[1]).name == ("new.json" if baseline else "races.json"))
        self.assertTrue(matcher is None or pathlib.Path(matcher[1]).exists())
        return done.code, done.out[matcher.end() if matcher else 0:].replace("[nestbed]", "", 1)

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

    def test_reports_are_before_the_arguments(self):
        self.assertEqual(self.called("races a.cu -- 4", sarif="my file.sarif"), (0, "[races][--sarif][my file.sarif][--overwrite][a.cu][--][4]"))
        self.assertEqual(self.called("races a.cu -- 4", baseline="$(touch made)"), (0, "[races][--baseline][$(touch made)][a.cu][--][4]"))
        for inputs in ({"sarif": "a"}, {"baseline": "a"}):
            self.assertEqual(self.called("cpu a.cu", **inputs), (2, "::error::sarif and baseline are for the command races, not for 'cpu'\n"))


@unittest.skipIf(shutil.which("curl") is None, "curl is not there")
class Install(unittest.TestCase):
    def installed(self, version, packages, sums=None):
        """The step, with a release of each version that has this content."""
        with tempfile.TemporaryDirectory() as name:
            for one, content in packages.items():
                release = pathlib.Path(name) / f"v{one}"
                release.mkdir()
                package = release / f"nestbed_{one}_amd64.deb"
                package.write_text(content, encoding="utf-8")
                text = f"{hashlib.sha256(b'other').hexdigest()}  nestbed-{one}-x86_64.tar.gz\n{hashlib.sha256(content.encode()).hexdigest()}  {package.name}\n"
                (release / "SHA256SUMS").write_text(text if sums is None else sums, encoding="utf-8")
            return Step(INSTALL, NESTBED_VERSION=version, NESTBED_RELEASES=pathlib.Path(name).as_uri())

    def test_a_release_is_checked_and_installed(self):
        for version in ("9.8.7", ""):
            done = self.installed(version, {"9.8.7": "package", VERSION: "package of the action"})
            self.assertEqual((done.code, done.path, done.made), (0, "", []), done.err)
            package = f"nestbed_{version or VERSION}_amd64.deb"
            self.assertIn(f"{package}: OK\n", done.out)
            self.assertTrue(done.out.endswith(f"[--no-install-recommends][./{package}]"), done.out)

    def test_what_is_not_the_package_is_not_installed(self):
        wrong = f"{hashlib.sha256(b'other').hexdigest()}  nestbed_9.8.7_amd64.deb\n"
        for version, packages, sums in (("9.8.7", {"9.8.7": "package"}, wrong), ("9.8.7", {"9.8.7": "package"}, wrong.replace("_amd64", "_arm64")),
                                        ("9.8.7", {"9.8.7": "package"}, ""), ("9.8.6", {"9.8.7": "package"}, None)):
            with self.subTest(version=version, sums=sums):
                done = self.installed(version, packages, sums)
                self.assertNotEqual(done.code, 0)
                self.assertNotIn("nestbed_", done.out.replace("nestbed_9.8.7_amd64.deb: FAILED", ""))

    def test_a_version_is_that_of_a_release(self):
        for version in ("main", "v1.2.3", "1.2", "1.2.3; touch made", "../1.2.3"):
            done = self.installed(version, {})
            self.assertEqual((done.code, done.out, done.made), (2, f"::error::version: '{version}' is not a release; allowed: a version such as 1.2.3, or source\n", []))

    def test_source_is_built(self):
        with tempfile.TemporaryDirectory() as name:
            script = pathlib.Path(name) / "experiments" / "build.sh"
            script.parent.mkdir()
            script.write_text('#!/bin/bash\necho "/built/$*"\n', encoding="utf-8")
            script.chmod(0o755)
            done = Step(INSTALL, NESTBED_VERSION="source", NESTBED_RELEASES="none", GITHUB_ACTION_PATH=name)
        self.assertEqual((done.code, done.out, done.path), (0, "", "/built/cpu-only nestbed_programs\n"), done.err)


class Workflows(unittest.TestCase):
    """What can be known of them without a runner."""

    def test_scripts_are_right_for_their_shell(self):
        for path in [ROOT / "action.yml", *WORKFLOWS]:
            scripts = scripts_of(path)
            self.assertGreaterEqual(len(scripts), 2, path)
            for script in scripts:
                with self.subTest(path=path.name, script=script):
                    text = "set -e\n" + re.sub(r"\$\{\{.*?\}\}", "value", script)
                    done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    if shutil.which("shellcheck"):
                        done = subprocess.run(["shellcheck", "--shell", "bash", "-"], input=text, capture_output=True, text=True, check=False)
                        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_files_that_they_name_exist(self):
        for path in [ROOT / "action.yml", *WORKFLOWS]:
            text = "".join(scripts_of(path))
            for name in re.findall(r"(?<![\w$./{-])((?:experiments|tests|\.ci|\.github)/[\w./-]+)", text.replace("$GITHUB_ACTION_PATH/", " ")):
                with self.subTest(path=path.name, name=name):
                    self.assertTrue((ROOT / name).is_file() or (ROOT / name).is_dir())

    def test_presets_that_they_build_exist(self):
        presets = set(re.findall(r'"name": "([\w-]+)"', (ROOT / "CMakePresets.json").read_text(encoding="utf-8")))
        for path in [ROOT / "action.yml", *WORKFLOWS]:
            text = path.read_text(encoding="utf-8")
            built = re.findall(r"experiments/build\.sh\"? ([\w-]+)", text) + re.findall(r"preset: \[(.*)\]", text)
            for name in ", ".join(built).split(", ") if built else []:
                with self.subTest(path=path.name, name=name):
                    self.assertIn(name, presets)

    def test_other_actions_have_a_version_and_few_rights(self):
        for path in WORKFLOWS:
            text = path.read_text(encoding="utf-8")
            with self.subTest(path.name):
                for action in re.findall(r"uses: (.*)", text):
                    self.assertRegex(action, r"^actions/[\w-]+@v\d+$")
                self.assertIn("\npermissions:\n  contents: read\n", text)
                top, *jobs = re.split(r"^  (?=[\w-]+:\n)", text.partition("\njobs:\n")[2], flags=re.MULTILINE)
                self.assertEqual(top, "")
                writes = {job.partition(":")[0]: re.findall(r"[\w-]+: write", job) for job in jobs if ": write" in job}
                self.assertEqual(writes, {"release.yml": {"release": ["contents: write"]}, "site.yml": {"publish": ["pages: write", "id-token: write"]}}.get(path.name, {}))
                self.assertEqual(sum(map(len, writes.values())), text.count(": write"))
                for job in jobs:
                    self.assertEqual((job.count("\n    runs-on:"), job.count("\n    timeout-minutes:")), (1, 1), job)

    def test_only_a_pull_request_ends_its_earlier_runs(self):
        for path in WORKFLOWS:
            text = path.read_text(encoding="utf-8")
            if "cancel-in-progress: true" in text:
                self.assertIn("-${{ github.event_name == 'pull_request' && github.ref || github.run_id }}\n", text, path)

    def test_they_are_yaml(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is not there")
        for path in [ROOT / "action.yml", *WORKFLOWS]:
            data = yaml.safe_load(path.read_text(encoding="utf-8"))
            steps = [step for job in data.get("jobs", {"": data.get("runs")}).values() for step in job["steps"]]
            self.assertEqual([step["run"].rstrip() for step in steps if "run" in step], [script.rstrip() for script in scripts_of(path)], path)
            for job in data.get("jobs", {}).values():
                needs = job.get("needs", [])
                self.assertLessEqual({needs} if isinstance(needs, str) else set(needs), set(data["jobs"]))


if __name__ == "__main__":
    unittest.main()
