#!/usr/bin/python3
"""What `nestbed races my.cu` writes for machines: --sarif, and what --baseline knows from an earlier report.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/sarif_test.py [Class.test_…]
"""
import json
import pathlib
import re
import subprocess
import unittest

from programs import EXIT_BAD, NESTBED, called, new_folder

EXIT_USAGE = 2
MATCHERS = pathlib.Path(__file__).resolve().parents[2] / ".github" / "matchers"

# Each finding stands in a line with its label, `// RULE: first` and `// RULE: other` where it has two places.
MANY = """\
#include <cstdio>
__device__ int of_device[4];
__global__ void racy(int* v)
{
    if (threadIdx.x == 0)
        v[0] = 1; // race: first
    if (threadIdx.x == 1)
        v[1] = v[0]; // race: other
}
__global__ void strays(int* v, int count)
{
    v[count] = 1; // out-of-bounds: first
}
__global__ void reads(const int* v, int* to)
{
    *to = v[7]; // uninitialized: first
}
__global__ void child() {}
__global__ void many()
{
    for (int i = 0; i < 60; ++i)
        child<<<1, 1, 0, cudaStreamFireAndForget>>>(); // refused-launch: first
}
__global__ void shuffles(int* v)
{
    v[threadIdx.x] = __shfl_sync(0x0f, 1, 0); // synchronization: first
}
__global__ void fails() { __trap(); }
int main()
{
    int* v;
    int* empty;
    cudaMalloc(&v, 64 * sizeof(int));
    cudaMalloc(&empty, 64 * sizeof(int));
    cudaMemset(v, 0, 64 * sizeof(int));
    cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 50);
    racy<<<1, 2>>>(v);
    strays<<<1, 1>>>(v, 64);
    reads<<<1, 1>>>(empty, v);
    many<<<1, 1>>>();
    cudaDeviceSynchronize();
    shuffles<<<1, 8>>>(v);
    cudaDeviceSynchronize();
    of_device[1] = 3; // copy-of-the-host: first
    fails<<<1, 1>>>(); // failed-kernel: first
    cudaDeviceSynchronize();
    return 0;
}
"""

RACE = """\
#include <cstdlib>
__global__ void racy(int* v)
{
    if (threadIdx.x == 0)
        v[0] = 1;
    if (threadIdx.x == 1)
        v[1] = v[0];
}
%s
int main(int count, char** words)
{
    int* v;
    cudaMalloc(&v, 64 * sizeof(int));
    cudaMemset(v, 0, 64 * sizeof(int));
    racy<<<1, 2>>>(v);
    %s
    cudaDeviceSynchronize();
    return count > 1 ? atoi(words[1]) : 0;
}
"""


def places(result):
    """All places of a result, as FILE:LINE: first that to look at."""
    return [f"{place['physicalLocation']['artifactLocation']['uri']}:{place['physicalLocation']['region']['startLine']}"
            for place in result.get("locations", []) + result.get("relatedLocations", [])]


class Program:
    def __init__(self, source, name="my.cu", *inner):
        self.folder = new_folder("", *inner)
        self.name = name
        self.change(source)

    def change(self, source):
        self.source = source
        (self.folder / self.name).write_text(source, encoding="utf-8")
        return self

    def races(self, *words):
        return called([NESTBED, "races", self.name, *words], self.folder)

    def keep(self, *words, name="old.json"):
        done = self.races(*words, "--json")
        (self.folder / name).write_text(done.stdout, encoding="utf-8")
        return done

    def sarif(self, *words):
        done = self.races("--sarif", "my.sarif", "--overwrite", *words)
        log = json.loads((self.folder / "my.sarif").read_text(encoding="utf-8"))
        for result in log["runs"][0]["results"]:
            if not result["locations"]:
                raise AssertionError(f"without a place: {result}")
        return done, log

    def line(self, label):
        return next(number for number, line in enumerate(self.source.splitlines(), 1) if f"// {label}" in line)


class Sarif(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.program = Program(MANY)
        cls.done, cls.log = cls.program.sarif()
        cls.of_run = cls.log["runs"][0]
        cls.results = {result["ruleId"]: result for result in cls.of_run["results"]}

    def test_each_kind_stands_at_its_line(self):
        self.assertEqual(self.done.returncode, EXIT_BAD, self.done.stderr)
        labels = re.findall(r"// (\S+): first", MANY)
        self.assertGreaterEqual(len(labels), 7)
        for rule in labels:
            with self.subTest(rule):
                result = self.results[rule]
                self.assertEqual(places(result)[0], f"my.cu:{self.program.line(rule + ': first')}")
                self.assertEqual(result["level"], "error")
                self.assertIn(rule, [one["id"] for one in self.of_run["tool"]["driver"]["rules"]])

    def test_the_words_are_those_of_the_report(self):
        words = " ".join(self.done.stderr.split())
        for rule in ("race", "out-of-bounds", "uninitialized", "synchronization", "copy-of-the-host"):
            with self.subTest(rule):
                first = self.results[rule]["message"]["text"].splitlines()[0]
                self.assertIn(first.removeprefix("copy of the host: "), words)
        missing = self.results["race"]["message"]["text"].splitlines()[1]
        self.assertIn(missing, words)
        self.assertIn("10 of 60 launches of child were refused", self.results["refused-launch"]["message"]["text"])

    def test_the_other_access_and_the_launches_are_related(self):
        race = self.results["race"]
        launch = next(number for number, line in enumerate(MANY.splitlines(), 1) if "racy<<<" in line)
        self.assertEqual(places(race)[1:], [f"my.cu:{self.program.line('race: other')}", f"my.cu:{launch}"])
        texts = [place["message"]["text"] for place in race["relatedLocations"]]
        self.assertEqual(texts, ["read, depth 0, block 0, thread 1, in kernel racy", "launched here"])
        for place in race["relatedLocations"]:  # code scanning shows those that the message links to
            self.assertIn(f"]({place['id']}): {place['message']['text']}", race["message"]["text"])

    def test_it_has_what_readers_need(self):
        self.assertEqual(self.log["version"], "2.1.0")
        self.assertEqual(self.of_run["originalUriBaseIds"]["%SRCROOT%"]["uri"], self.program.folder.as_uri() + "/")
        version = subprocess.run([NESTBED, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertIn(self.of_run["tool"]["driver"]["version"], version)
        prints = [result["partialFingerprints"]["nestbedFinding/v1"] for result in self.of_run["results"]]
        self.assertEqual(len(set(prints)), len(prints))
        self.assertFalse(self.of_run["invocations"][0]["executionSuccessful"])  # fails() failed
        told = [one["message"]["text"] for one in self.of_run["invocations"][0]["toolExecutionNotifications"]]
        self.assertEqual(len(told), 1)
        self.assertIn("kernel fails (launched at my.cu", told[0])

    def test_fingerprints_do_not_change_with_lines(self):
        moved = Program("// one\n\n// three\n" + MANY.replace("    ", "\t"))
        _, log = moved.sarif()

        def of(results):
            return sorted((one["ruleId"], one["partialFingerprints"]["nestbedFinding/v1"]) for one in results)
        self.assertEqual(of(log["runs"][0]["results"]), of(self.of_run["results"]))
        self.assertNotEqual([places(one) for one in log["runs"][0]["results"]], [places(one) for one in self.of_run["results"]])

    def test_a_run_without_findings(self):
        done, log = Program(RACE.replace("v[1] = v[0]", "v[1] = 2") % ("", "")).sarif()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(log["runs"][0]["results"], [])
        self.assertEqual(log["runs"][0]["invocations"], [{"executionSuccessful": True}])

    def test_a_run_that_did_not_come_to_its_end(self):
        for last, code, text in (("abort();", EXIT_BAD, "Aborted"), ("for (volatile int i = 0;;) i = i;", EXIT_BAD, "did not end within 2 s")):
            with self.subTest(last):
                done, log = Program(RACE % ("", f"cudaDeviceSynchronize(); {last}")).sarif("--timeout", "2")
                self.assertEqual(done.returncode, code)
                run = log["runs"][0]
                self.assertEqual([one["ruleId"] for one in run["results"]], ["race"], done.stderr)
                self.assertFalse(run["invocations"][0]["executionSuccessful"])
                self.assertIn(text, " ".join(one["message"]["text"] for one in run["invocations"][0]["toolExecutionNotifications"]))

    def test_paths(self):
        """Below the folder they are relative; others are absolute, and not the place to look at."""
        program = Program("#include <add.cuh>\n__global__ void racy(int* v) { add(v); }\n__managed__ int x;\nint main() { racy<<<1, 2>>>(&x); cudaDeviceSynchronize(); }\n",
                          "of me/a [1] {0}.cu", "of me")
        other = new_folder("")
        (other / "add.cuh").write_text("__device__ inline void add(int* v)\n{\n    v[0] += 1;\n}\n", encoding="utf-8")
        _, log = program.sarif(f"-I{other}")
        result = log["runs"][0]["results"][0]
        self.assertEqual(places(result)[0], "of%20me/a%20%5B1%5D%20%7B0%7D.cu:2")
        self.assertEqual(result["locations"][0]["physicalLocation"]["artifactLocation"]["uriBaseId"], "%SRCROOT%")
        self.assertIn(f"{(other / 'add.cuh').as_uri()}:3", places(result))
        self.assertIn(r"[of me/a \[1\] {{0}}.cu:", result["message"]["text"])

    def test_nothing_is_overwritten(self):
        program = Program(RACE % ("", ""))
        kept = program.folder / "kept"
        kept.write_text("mine", encoding="utf-8")
        for words, text in ((["--sarif", "kept"], "--sarif kept: it already exists"), (["--overwrite"], "--overwrite: there is no file to write"),
                            (["--sarif", "none/x"], "--sarif none/x")):
            done = program.races(*words)
            self.assertEqual((done.returncode, done.stdout), (EXIT_USAGE, ""), done.stderr)
            self.assertIn(text, done.stderr)
            self.assertNotIn("race:", done.stderr)  # it did not run
        self.assertEqual(kept.read_text(encoding="utf-8"), "mine")

    def test_strategies_have_none(self):
        for option in ("--sarif", "--baseline"):
            done = called([NESTBED, "races", "--strategy", "nosync", option, "x"], new_folder(""))
            self.assertEqual(done.returncode, EXIT_USAGE)
            self.assertIn(f"{option} is for a user's program; allowed: nestbed races FILE.cu {option} …", done.stderr)


class Baseline(unittest.TestCase):
    maxDiff = None

    def check(self, program, code, known, new, *words):
        """Returns the findings that are new, as the command prints them."""
        done = program.races("--baseline", "old.json", *words)
        self.assertIn(f"nestbed: {known} known (old.json), {new} new\n", done.stderr)
        self.assertEqual(done.returncode, code, done.stderr)
        printed = done.stderr.split(" new\n", 1)[1]
        self.assertEqual(printed.count("new: "), new)
        return printed

    def test_what_an_earlier_report_has_is_known(self):
        program = Program(RACE % ("", ""))
        self.assertEqual(program.keep().returncode, EXIT_BAD)
        self.check(program, 0, 1, 0)
        self.check(program, 7, 1, 0, "--", "7")  # the program's own code
        program.change("// a\n// b\n" + program.source.replace("        v", "   v"))
        self.check(program, 0, 1, 0)
        program.change(program.source.replace("v[1] = v[0]", "v[1] = 2"))
        self.check(program, 0, 0, 0)

    def test_all_kinds(self):
        program = Program(MANY)
        program.keep()
        count = len(program.sarif("--baseline", "old.json")[1]["runs"][0]["results"])
        self.assertGreaterEqual(count, 7)
        self.check(program, EXIT_BAD, count, 1)  # that fails() ended the run is never known
        self.check(program, EXIT_BAD, count - 1, 1, "--schedule", "eager")  # refuses none
        self.check(program.change(MANY.replace("strays<<<1, 1>>>(v, 64)", "strays<<<1, 1>>>(v, 65)")), EXIT_BAD, count, 1)

    def test_each_new_kind_is_new(self):
        program = Program(RACE % ("", ""))
        program.keep()
        for kernel, launch, text in (
                ("__global__ void more(int* v) { v[2] = threadIdx.x; }", "more<<<1, 2>>>(v);", "my.cu:9: new: race: write and write of v[2] (4 bytes)\n"),
                ("__global__ void out(int* v) { v[64] = 1; }", "out<<<1, 1>>>(v);", "my.cu:9: new: out of bounds: write of v[64], 4 bytes past its end\n"),
                ("__device__ int x;", "x = 1;", "my.cu:16: new: copy of the host: the host writes its own copy of the __device__ variable x"),
                ("__global__ void fails() { __trap(); }", "fails<<<1, 1>>>();", "my.cu:16: new: failed kernel: kernel fails (launched at my.cu:16)"),
                ("__global__ void big() {}\n__global__ void launches() { big<<<1, 2000>>>(); }", "launches<<<1, 1>>>();",
                 "my.cu:10: new: refused launch: 1 of 1 launches of big were refused: InvalidConfiguration\n")):
            with self.subTest(text):
                done = program.change(RACE % (kernel, launch)).races("--baseline", "old.json")
                self.assertEqual(done.returncode, EXIT_BAD)
                self.assertIn("nestbed: 1 known (old.json), ", done.stderr)
                self.assertNotIn(" 0 new", done.stderr)
                self.assertIn("\n" + text, done.stderr)

    def test_a_second_one_of_the_same_kind_is_new(self):
        twice = RACE.replace("        v[1] = v[0];\n", "    {\n        v[1] = v[0];\n        v[1] = v[0];\n    }\n") % ("", "")
        program = Program(RACE % ("", ""))
        program.keep()
        self.assertIn("my.cu:5: new: race: write and read of v[0]", self.check(program.change(twice), EXIT_BAD, 1, 1))
        program.keep()  # of both
        self.check(program, 0, 2, 0)
        self.check(program.change(RACE % ("", "")), 0, 1, 0)

    def test_another_variable_kernel_or_statement_is_new(self):
        program = Program(RACE % ("", ""))
        program.keep()
        for old, new in (("racy", "other"), ("v[1] = v[0]", "v[1] = 1 + v[0]"), ("v[0] = 1", "v[0]++")):
            with self.subTest(new):
                self.check(program.change((RACE % ("", "")).replace(old, new)), EXIT_BAD, 0, 1)
        self.check(program.change((RACE % ("", "")).replace("int* v;", "int* w;").replace("&v", "&w").replace("(v", "(w")), EXIT_BAD, 0, 1)

    def test_a_race_of_another_instance_is_known_and_its_refusal_is_new(self):
        source = ("#include <cuda_runtime.h>\n"
                  "template <int n> __global__ void racy(int* v) { v[n] = threadIdx.x; }\n"
                  "template <class T> __global__ void big() {}\n"
                  "int main()\n{\n    int* v;\n    cudaMalloc(&v, 64);\n    racy<1><<<1, 2>>>(v);\n    big<int><<<1, 2000>>>();\n    cudaDeviceSynchronize();\n}\n")
        program = Program(source)
        program.keep()
        report = json.loads((program.folder / "old.json").read_text(encoding="utf-8"))
        self.assertEqual([row["kernel"] for row in report["kernels"]], ["racy<1>", "big<int>"])
        self.check(program, 0, 2, 0)
        self.check(program.change(source.replace("racy<1>", "racy<2>")), 0, 2, 0)
        self.assertIn("big<float>", self.check(program.change(source.replace("big<int>", "big<float>")), EXIT_BAD, 1, 1))

    def test_a_run_that_shows_nothing_is_not_good(self):
        """No kernel ran, or the program did not come to its end: what is known does not excuse that."""
        none = "__global__ void k() {}\nint main() { k<<<0, 1>>>(); return 0; }\n"
        aborts = RACE % ("", "cudaDeviceSynchronize(); abort();")
        for source in (none, aborts):
            program = Program(source)
            self.assertEqual(program.keep().returncode, EXIT_BAD)
            self.assertEqual(program.races("--baseline", "old.json").returncode, EXIT_BAD)

    def test_the_sarif_says_what_is_new(self):
        program = Program(RACE % ("", ""))
        program.keep()
        program.change(RACE % ("__global__ void more(int* v) { v[2] = threadIdx.x; }", "more<<<1, 2>>>(v);"))
        done, log = program.sarif("--baseline", "old.json")
        self.assertEqual(done.returncode, EXIT_BAD)
        self.assertEqual({places(one)[0]: one["baselineState"] for one in log["runs"][0]["results"]}, {"my.cu:5": "unchanged", "my.cu:9": "new"})

    def test_reports_of_a_built_program_are_reports_too(self):
        program = Program(RACE % ("", ""))
        subprocess.run([NESTBED, "nvcc", "--nestbed-races", "my.cu", "-o", "my"], cwd=program.folder, check=True, timeout=300)
        self.assertEqual(called(["./my"], program.folder, NESTBED_REPORT="old.json").returncode, EXIT_BAD)
        self.check(program, 0, 1, 0)

        def of_report(*words):
            return called([NESTBED, "races", "--report", "old.json", *words], program.folder)
        done = of_report("--sarif", "built.sarif")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (EXIT_BAD, "", ""))
        program.sarif()
        self.assertEqual((program.folder / "built.sarif").read_text(encoding="utf-8"), (program.folder / "my.sarif").read_text(encoding="utf-8"))
        done = of_report("--baseline", "old.json")
        self.assertEqual((done.returncode, done.stderr), (0, "nestbed: 1 known (old.json), 0 new\n"))
        called(["./my", "5"], program.folder, NESTBED_REPORT="five.json")
        self.assertEqual(called([NESTBED, "races", "--report", "five.json", "--baseline", "old.json"], program.folder).returncode, 5)
        for words in ((), ("my.cu", "--sarif", "x"), ("--strategy", "nosync", "--sarif", "x"), ("--json", "--sarif", "x")):
            done = of_report(*words)
            self.assertEqual((done.returncode, done.stdout), (EXIT_USAGE, ""), words)
            self.assertIn("--report", done.stderr)

    def test_what_is_no_report_is_an_error(self):
        program = Program(RACE % ("", ""))
        program.keep(name="good.json")
        good = json.loads((program.folder / "good.json").read_text(encoding="utf-8"))
        (program.folder / "folder").mkdir()
        called([NESTBED, "nvcc", "my.cu", "-o", "my"], program.folder)
        called(["./my"], program.folder, NESTBED_REPORT="cpu.json")
        texts = {"text.json": "no JSON", "empty.json": "", "list.json": "[]", "foreign.json": '{"runs": []}', "cpu.json": None,
                 "older.json": json.dumps({key: value for key, value in good.items() if key != "report_version"}),
                 "later.json": json.dumps({**good, "report_version": 2}), "damaged.json": json.dumps({**good, "races": [5]}),
                 "cut.json": json.dumps(good)[:-20], "typed.json": json.dumps({**good, "kernels": 7, "failed": {"a": 1}})}
        for name, text in texts.items():
            if text is not None:
                (program.folder / name).write_text(text, encoding="utf-8")
        for name, words in {"text.json": "is not a report of a program", "empty.json": "is not a report of a program", "list.json": "is not a report",
                            "foreign.json": "is not a report", "cpu.json": "was not searched for races", "older.json": "is of version 0",
                            "later.json": "is of version 2, and this nestbed knows version 1", "damaged.json": "is damaged", "cut.json": "is not a report",
                            "typed.json": "is damaged", "none.json": "none.json", "folder": "folder"}.items():
            with self.subTest(name):
                done = program.races("--baseline", name)
                self.assertEqual((done.returncode, done.stdout), (EXIT_USAGE, ""), done.stderr)
                self.assertRegex(done.stderr, f"--baseline:? {re.escape(name)}")
                self.assertIn(words, done.stderr)


class Matchers(unittest.TestCase):
    """The matchers of the GitHub action (action.yml) find in the text what --sarif has."""
    maxDiff = None

    @staticmethod
    def annotations(name, text):
        """As a runner finds them: FILE:LINE, severity, message."""
        matchers = json.loads((MATCHERS / f"{name}.json").read_text(encoding="utf-8"))["problemMatcher"]
        states = {one["owner"]: [None] * len(one["pattern"]) for one in matchers}
        found = []

        def matched(one, line):
            state = states[one["owner"]]
            last = len(state) - 1
            for index in range(last, -1, -1):
                before = {} if index == 0 else state[index - 1]
                if before is None:
                    state[index] = None
                    continue
                pattern = one["pattern"][index]
                match = re.search(pattern["regexp"], line)
                now = match and {**before, **{key: match[group] for key, group in pattern.items() if key != "regexp" and match[group]}}
                if now and index == last:
                    return now
                state[index if index < last else last - 1] = now
            return None

        for line in text.splitlines():
            for one in matchers:
                if (now := matched(one, line)) is not None:
                    found.append((f"{now['file']}:{now['line']}", now.get("severity", one["severity"]), now["message"]))
                    for state in states.values():
                        state[:] = [None] * len(state)
                    break
        return found

    def test_each_finding_stands_at_its_line(self):
        program = Program(MANY)
        done, log = program.sarif()
        found = self.annotations("races", "some text\n  write my.cu:7\n" + done.stderr)
        results = [(places(one)[0], one["message"]["text"].splitlines()[0]) for one in log["runs"][0]["results"]]
        self.assertEqual(sorted(place for place, _, _ in found), sorted(place for place, _ in results), done.stderr)
        self.assertEqual({severity for place, severity, _ in found if place != f"my.cu:{program.line('refused-launch')}"}, {"error"})
        for place, _, message in found:
            self.assertTrue(any(place == one and message.split(": ", 1)[-1] in words for one, words in results), message)

    def test_long_lines_are_folded(self):
        name = "a_folder_with_a_name_that_is_long/and_another_one_of_this_kind"
        source = """\
__device__ int a_variable_with_a_name_that_is_so_long_that_nobody_would_type_it_but_this_test_does[4];
__global__ void k(const int* at)
{
    __shared__ int few[4];
    few[threadIdx.x & 3] = threadIdx.x;
    a_variable_with_a_name_that_is_so_long_that_nobody_would_type_it_but_this_test_does[at[0]] = few[0];
    int x = __ldg(&a_variable_with_a_name_that_is_so_long_that_nobody_would_type_it_but_this_test_does[0]);
    if (threadIdx.x < 32)
        __syncthreads();
    few[3] = __shfl_up_sync(0x0f, x, 1);
}
int main()
{
    int* v;
    cudaMalloc(&v, 4);
    cudaMemset(v, 0, 4);
    k<<<1, 64>>>(v);
    cudaDeviceSynchronize();
}
"""
        (folder := new_folder("", *name.split("/")[:1])).joinpath(name).mkdir()
        (folder / name / "my.cu").write_text(source, encoding="utf-8")
        done = called([NESTBED, "races", f"{name}/my.cu", "--sarif", "my.sarif"], folder)
        found = self.annotations("races", done.stderr)
        results = json.loads((folder / "my.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
        self.assertGreater(len(results), 3, done.stderr)
        self.assertEqual(sorted((places(one)[0], one["level"]) for one in results), sorted(one[:2] for one in found), done.stderr)

    def test_with_a_baseline_only_new_ones_are_shown(self):
        program = Program(RACE % ("", ""))
        program.keep()
        program.change(RACE % ("__global__ void more(int* v) { v[2] = threadIdx.x; }", "more<<<1, 2>>>(v);"))
        self.assertEqual(self.annotations("new", program.races("--baseline", "old.json").stderr),
                         [("my.cu:9", "error", "race: write and write of v[2] (4 bytes)")])

    def test_all_kinds_are_in_it(self):
        source = (MATCHERS.parents[1] / "src" / "inspect" / "race_text.cpp").read_text(encoding="utf-8")
        kinds = re.findall(r'return "([a-z -]+)";', source[source.index("name_of(BadAccess::Kind kind)"):source.index("// \"out of bounds: write of")])
        self.assertEqual(len(kinds), 12)
        for kind in (*kinds, "race"):
            self.assertEqual(self.annotations("races", f"{kind}: words of it\n  write  a b.cu:12  depth 0, block 0, thread 1"), [("a b.cu:12", "error", f"{kind}: words of it")])
        self.assertEqual(self.annotations("races", "note: words\n  volatile write a.cu:12\n"), [])
        self.assertEqual(self.annotations("races", "warning: words\nof it\n  at     a.cu:12  depth 0"), [("a.cu:12", "warning", "warning: words")])


if __name__ == "__main__":
    unittest.main()
