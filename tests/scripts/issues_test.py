#!/usr/bin/python3
"""Tests of what a bug report is made of: `nestbed info --report`, and the forms of .github/ISSUE_TEMPLATE.

    NESTBED=build/release/nestbed /usr/bin/python3 tests/scripts/issues_test.py
"""
import os
import platform
import re
import subprocess
import unittest

from scratch import NESTBED, ROOT, Scratch

try:
    import yaml
except ImportError:
    yaml = None

FORMS = ROOT / ".github/ISSUE_TEMPLATE"


class Report(Scratch):
    def report(self, machine=None, **environment):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("NESTBED_")}
        named = [] if machine is None else ["unshare", "--uts", "sh", "-c", f'hostname {machine} && exec "$@"', "sh"]
        done = subprocess.run([*named, NESTBED, "info", "--report"], capture_output=True, text=True, check=False, timeout=120, env={**clean, **environment})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        begin, head, *lines, end = done.stdout.splitlines()
        self.assertEqual((begin, end), ("```", "```"))
        self.assertRegex(head, r"^nestbed \d+\.\d+\.\d+ \([\w-]+, .*\)$")
        return {line[2:26].rstrip(): line[26:] for line in lines}

    def stand_in(self, name, text):
        (self.folder / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (self.folder / name).chmod(0o755)
        return {"PATH": f"{self.folder}:{os.environ['PATH']}"}

    def test_has_what_a_maintainer_asks_for(self):
        said = self.report()
        self.assertEqual(list(said), ["compiler", "CUDA code by nvcc", "cuda", "GPU, capability, driver", "nvcc on the PATH", "executor on", "users' programs by",
                                      "missing modules", "system", "figures by"])
        self.assertEqual([name for name, value in said.items() if not value], [])
        self.assertRegex(said["system"], rf".+, Linux {re.escape(platform.release())} {platform.machine()}, glibc \d")
        self.assertRegex(said["executor on"], r"\w.*, \d+ workers?, [\d.]+ [KMGT]iB$")
        self.assertRegex(said["figures by"], r"^python3 3\.\d+\.\d+, (no pandas|pandas \d\S*), (no matplotlib|matplotlib \d\S*), "
                                             r"(no scipy|scipy \d\S*), (no plotly|plotly \d\S*)$")

    def test_has_every_gpu_and_the_toolkit(self):
        self.stand_in("nvidia-smi", "echo 'NVIDIA H200, 9.0, 580.1'; echo 'NVIDIA H100, 9.0, 580.1'")
        said = self.report(**self.stand_in("nvcc", "echo 'nvcc: NVIDIA'; echo 'Cuda compilation tools, release 12.8, V12.8.93'; echo Build"))
        self.assertEqual(said["GPU, capability, driver"], "NVIDIA H200, 9.0, 580.1;NVIDIA H100, 9.0, 580.1")
        self.assertEqual(said["nvcc on the PATH"], f"{self.folder}/nvcc release 12.8, V12.8.93")

    def test_says_that_a_tool_failed(self):
        said = self.report(**self.stand_in("nvidia-smi", "echo 'no devices'; exit 9"))
        self.assertEqual(said["GPU, capability, driver"], f"{self.folder}/nvidia-smi: exit code 9")

    def said_of(self, text, machine=None, **environment):
        """What the report makes of this text, which nvidia-smi prints."""
        (self.folder / "text").write_text(text, encoding="utf-8")
        environment |= self.stand_in("nvidia-smi", f"cat '{self.folder}/text'")
        return self.report(machine, **environment)["GPU, capability, driver"]

    def test_has_no_private_name(self):
        home, machine = self.folder / "data" / "alice", platform.node()
        home.mkdir(parents=True)
        (self.folder / "alice").symlink_to(home)
        (home / "nvcc").write_text("#!/bin/sh\necho release 12.8\n", encoding="utf-8")
        (home / "nvcc").chmod(0o755)
        environment = {"HOME": f"{self.folder}/alice/", "USER": "alice"}
        said = self.said_of(f"{self.folder}/alice/t.json:/mnt{home}:/scratch/Alice_2/malice/{machine.upper()}.corp.example:/alices\x1b\nx", **environment)
        self.assertEqual(said, rf"~/t.json:/mnt{self.folder}/data/USER:/scratch/USER_2/malice/MACHINE:/alices\x1b;x")
        said = self.report(PATH=f"{home}:{os.environ['PATH']}", **environment)
        self.assertEqual(said["nvcc on the PATH"], "~/nvcc release 12.8")

    def test_a_machine_may_be_named_after_its_user(self):
        own = subprocess.run(["unshare", "--uts", "hostname", "carol"], capture_output=True, check=False)
        if own.returncode != 0:
            self.skipTest("this user may not name a machine")
        for machine in ("carol-laptop.corp.example", "carol-laptop", "Carol-Laptop.CORP.example"):
            with self.subTest(machine):
                self.assertEqual(self.said_of("carol-laptop.corp.example, carol-laptop, carol, CAROL-LAPTOP.corp.example:8080", machine, USER="carol"),
                                 "MACHINE, MACHINE, USER, MACHINE:8080")
        self.assertEqual(self.said_of("gpu7.corp.example", "carol-laptop.corp.example", USER="carol"), "gpu7.DOMAIN")

    def test_has_only_variables_without_private_values(self):
        said = self.report(USER="alice", NESTBED_WORKERS="4", NESTBED_SCHEDULE="/srv/secret", NESTBED_TRACE="/srv/secret",
                           NESTBED_TOKEN="secret", NESTBED_alice="secret")
        self.assertEqual({name: value for name, value in said.items() if name.startswith("NESTBED_")},
                         {"NESTBED_WORKERS": "4", "NESTBED_SCHEDULE": "set", "NESTBED_TRACE": "set", "NESTBED_TOKEN": "set",
                          "NESTBED_USER": "set"})

    def test_a_value_does_not_end_the_block(self):
        self.assertEqual(self.report(NESTBED_SCHEDULE="x```\n```")["NESTBED_SCHEDULE"], "x''';'''")
        self.assertEqual(self.said_of("```\n```\n@all"), "''';''';@all")


@unittest.skipUnless(yaml, "python3-yaml is not installed")
class Forms(unittest.TestCase):
    def test_each_asks_for_the_command_and_the_report(self):
        forms = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in FORMS.glob("*.yml")}
        self.assertEqual(forms.pop("config"), {"blank_issues_enabled": True})
        self.assertEqual(set(forms), {"wrong_result", "does_not_build", "missing_race", "false_race"})
        for name, form in forms.items():
            with self.subTest(name):
                self.assertEqual(set(form), {"name", "description", "labels", "body"})
                required = [item["id"] for item in form["body"] if item["validations"]["required"] is True]
                self.assertGreaterEqual(len(required), 3)
                self.assertEqual(required[-2:], ["command", "report"])
                self.assertEqual(form["body"][-1]["attributes"]["label"], "nestbed info --report")
                self.assertTrue(form["body"][-1]["attributes"]["description"].endswith("read it before you post it."))

    def test_have_only_what_github_knows(self):
        for path in FORMS.glob("*_*.yml"):
            form = yaml.safe_load(path.read_text(encoding="utf-8"))
            ids = [item["id"] for item in form["body"]]
            self.assertEqual(len(ids), len(set(ids)), path)
            for item in form["body"]:
                self.assertEqual((set(item), item["type"]), ({"type", "id", "attributes", "validations"}, "textarea"), path)
                self.assertLessEqual({"label", "description"}, set(item["attributes"]), path)
                self.assertLessEqual(set(item["attributes"]), {"label", "description", "render"}, path)
                self.assertEqual(set(item["validations"]), {"required"}, path)
                self.assertRegex(item["id"], r"^[\w-]+$")
                self.assertTrue(all(isinstance(text, str) and text for text in item["attributes"].values()), path)


if __name__ == "__main__":
    unittest.main()
