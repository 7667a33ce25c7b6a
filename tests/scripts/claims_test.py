#!/usr/bin/python3
"""Tests of experiments/claims.sh: claims.json, the numbers, the documents, and the claims of this repository.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/scripts/claims_test.py

NESTBED names a nestbed in a build folder. Needs Debian's python3-pandas.
"""
import contextlib
import functools
import gzip
import hashlib
import io
import json
import math
import os
import re
import shutil
import stat
import subprocess
import sys
import time
import unittest
import unittest.mock

from scratch import ROOT, Scratch, only_all

import checked_output
import claim_evidence
import claim_file
import claim_numbers
import claims
import log_files
import logs
import utc
from claim_file import ClaimError
from claim_numbers import Measured

# Size 1: ten samples of fast (1 to 10 us) and three of slow. Size 2: three of each.
LOG = ("strategy,size,gpu_us,launches,status\r\n"
       + "".join(f"fast,1,{time},8,ok\r\n" for time in range(1, 11))
       + "".join(f"slow,1,{time},16,ok\r\n" for time in (100, 120, 110))
       + "fast,2,20,8,ok\r\n" * 3 + "slow,2,60,16,ok\r\n" * 3
       + "racy,1,5,1,ok\r\nracy,1,,1,wrong\r\nracy,2,,1,wrong\r\nracy,2,,1,wrong\r\n")


class Claims(Scratch):
    def setUp(self):
        super().setUp()
        before = os.getcwd()
        self.addCleanup(os.chdir, before)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def read(self, name):
        return (self.folder / name).read_bytes().decode()

    def error(self, call, *arguments):
        with self.assertRaises((ClaimError, logs.LogError)) as caught:
            call(*arguments)
        return str(caught.exception)


def number(text, rows=""):
    """The number n of a claims.json that contains only this number."""
    one = {"id": "one", "claim": "It is {n}.", "log": "a.csv", "rows": rows, "numbers": {"n": text}}
    return claim_file.parse_claims("claims.json", json.dumps({"logs": {"a.csv": {}}, "claims": [one]}))[1][0].numbers[0]


class File(Claims):
    def test_refuses_a_number_and_says_why(self):
        no_number = "is not a number; allowed: us, ms, median:COLUMN, least:COLUMN"
        for text, message in (
                ("medain:gpu_us within=0", f"claims.json: claim one.n: 'medain:gpu_us within=0' {no_number}"),
                ("", f"'' {no_number}"), ("median within=0", no_number), ("us:a within=0", no_number), ("median:a>miles within=0", no_number),
                ("median:a.0 within=0", no_number), ("median:a,10 within=0", no_number), ("median:a.2.0 within=0", no_number),
                (5, 'claim one: number n is 5; allowed: a text, "ms within=0.1"'),
                ("median:a", "'within' is none; allowed: a share"),
                *((f"median:a within={value}", f"'within' is {value}; allowed: a share, 0.1 for one, or 0 for exactly")
                  for value in ("-1", "true", "NaN", "1e999")),
                ("median:a to b=1 within=0", "'to' is not a condition"),
                ("ratio within=0", "'to' goes with ratio, more, interval"),
                ("median:a by=b within=0", "'by' and 'over' go together"), ("median:a over=least within=0", "'by' and 'over' go together"),
                ("median:a by=b over=all within=0", "over is least, greatest or mean"),
                ("median:a b within=0", "'b' is not a condition; allowed: COLUMN=CELL"), ("median:a =1 within=0", "'=1' is not a condition"),
                ("median:a b=1 b=2 within=0", "'b=2' is not a condition, or one too many"),
                ("median:a b=2..1 within=0", "no number is from 2 to 1"), ("median:a b=1.2.3..4 within=0", "is not a range; allowed: FROM..TO"),
                ("median:a b='1 within=0", "No closing quotation"),
                ("same:a per=c within=0", "'per' goes with us, ms, median, ratio, more, interval"),
                ("same:a>ms within=0", "it has the unit ms; allowed for count, same and rows: none"),
                ("count:a=1 by=b over=mean within=0", "'over=mean' does not go with count; allowed: least, greatest"),
                ("median:a within=0 everywhere=yes", "'everywhere' is yes; allowed for a median: no"),
                ("same:a within=0 everywhere=1", "'everywhere' is 1; allowed: yes, no"),
                ("count:5 within=0", "'5' is not a condition"), ("interval to b=1 within=0", "an interval is not a number of a claim"),
                *((f"median:a within=0 best={best}", f"'best={best}'; allowed: best=CASES:COLUMN=CELL") for best in ("b=1", "1:b=1", "3", "3:")),
                ("median:a within=0 best=3:is", "'is' is not a condition")):
            with self.subTest(text):
                self.assertIn(message, self.error(number, text))

    def test_refuses_a_sentence_that_says_more_than_its_numbers(self):
        best, over = "median:a best=3:b=1 within=0", "median:a by=b over=least within=0"
        count, counts_range = "count:a=1 within=0", "count:a=1..2 within=0"
        median, same = "median:a within=0", "same:a within=0"
        for words, computed, others in (("the best of 210", [best, over], [median, count, same]),
                                        ("the Fastest", [best, over], [median, count, same]),
                                        ("at least", [best, over, counts_range], [median, count, same]),
                                        ("at most", [best, over, counts_range], [median, count, same]),
                                        ("in all runs", [over, count, same], [median, best]),
                                        ("never", [over, count, same], [median, best]),
                                        ("`best` and `never`", [median], []), ("almost alleviated", [median], [])):
            for asked, refused in [*((one, False) for one in computed), *((one, True) for one in others)]:
                with self.subTest(words=words, asked=asked):
                    text = json.dumps({"logs": {"a.csv": {}}, "claims": [
                        {"id": "one", "claim": f"It is {words} {{n}}.", "log": "a.csv", "numbers": {"n": asked}}]})
                    if refused:
                        self.assertIn("claim one: the sentence says '", self.error(claim_file.parse_claims, "c", text))
                    else:
                        claim_file.parse_claims("c", text)

    def test_names_the_line_where_it_is_no_json(self):
        self.assertRegex(self.error(claim_file.parse_claims, "claims.json", '{\n"logs": ]'), "claims.json: .*line 2")

    def test_refuses_a_claim_and_says_why(self):
        def error(text):
            return self.error(claim_file.parse_claims, "c", f'{{"logs": {{"a.csv": {{}}}}, "claims": {text}}}')

        numbers = '"numbers": {"n": "same:a within=0"}'
        good = f'{{"id": "one", "claim": "{{n}}", "log": "a.csv", {numbers}}}'
        self.assertEqual(error(f"[{good}, {good}]"), "c: claim one: there is another of that id")
        self.assertEqual(error(f"[{good.replace('a.csv', 'b.csv')}]"), 'c: claim one: its log b.csv is not among "logs"')
        self.assertEqual(error(f"[{good.replace('{n}', 'five')}]"), "c: claim one: the sentence has no {n}")
        self.assertIn("'Uno!' is not a valid name; allowed: small letters, digits, - and _", error(f"[{good.replace('one', 'Uno!')}]"))
        self.assertIn("'N' is not a valid name", error('[{"id": "one", "claim": "{N}", "log": "a.csv", "numbers": {"N": {}}}]'))
        for without in ('"id": "one", "claim": "{n}", "log": "a.csv"', '"id": "one", "claim": "{n}", "log": "a.csv", "numbers": {}',
                        '"id": "one", "claim": "{n}", "log": "a.csv", "numbers": 5'):
            self.assertEqual(error(f"[{{{without}}}]"),
                             'c: claim one: "numbers" is missing; allowed: an object with at least one number')
        self.assertEqual(error('[{"claim": "{n}", "log": "a.csv"}]'), 'c: claim without an id: "id" is missing; allowed: a text')
        self.assertEqual(error('[{"id": 5, "claim": "{n}", "log": "a.csv"}]'), 'c: claim without an id: "id" is 5; allowed: a text')
        self.assertEqual(error("[7]"), "c: claim without an id: it is 7; allowed: an object")
        self.assertEqual(error(f"[{good.replace('{n}', '{n} and {m}')}]"),
                         "c: claim one: the sentence has {m}, and there is no such number")
        self.assertEqual(error("[]"), "c: log a.csv: no claim uses it")
        self.assertEqual(error("5"), 'c: the file: "claims" is missing; allowed: a list of claims')
        self.assertEqual(self.error(claim_file.parse_claims, "c", '{"claims": []}'),
                         'c: the file: "logs" is missing; allowed: an object of CSVs')
        self.assertEqual(self.error(claim_file.parse_claims, "c", "5"), "c: the file: it is 5; allowed: an object")
        self.assertIn("c: log a.csv: there is no key 'figur', did you mean 'figure'?",
                      self.error(claim_file.parse_claims, "c", '{"logs": {"a.csv": {"figur": ""}}, "claims": []}'))
        self.assertIn('c: log a.csv: "figure" is 5', self.error(claim_file.parse_claims, "c",
                                                                '{"logs": {"a.csv": {"figure": 5}}, "claims": []}'))


class Rows(Claims):
    def rows(self, text):
        self.write("a.csv", text)
        os.chdir(self.folder)
        return claim_numbers.Rows("a.csv")

    def measured(self, asked, text=LOG):
        (found,) = claim_numbers.measure([(asked, self.rows(text))])
        if isinstance(found, ClaimError):
            raise found
        return found

    def refused(self, asked, text=LOG):
        return self.error(self.measured, number(asked), text)


class Csv(Rows):
    def test_rows_know_their_lines(self):
        self.assertEqual(list(self.rows('name,detail\r\na,"two\nlines"\r\nb,\r\n').lines), [2, 4])
        self.assertEqual(list(self.rows('\n"two\nlines",b\n\n1,2\n\n3,4').lines), [5, 7])
        self.assertEqual(self.error(self.rows, "a,b\n\n1\n"), "a.csv, line 3: 1 cells under 2 columns: the row is incomplete")

    def test_what_is_wrong_is_named(self):
        self.assertEqual(self.error(self.rows, ""), "a.csv: it is empty; allowed: a CSV with a header")
        self.assertEqual(self.error(self.rows, "a,b\r\n1,2\r\n1\r\n"),
                         "a.csv, line 3: 1 cells under 2 columns: the row is incomplete")
        self.assertIn("a.csv: it is not a CSV, or cut off: ", self.error(self.rows, 'a,b\r\n1,"2'))
        for text, line in (('a,b\r\n1,2\r\n1,Some "GPU\r\n', 3), ('a,b\n"1 ""\n,""",Some "GPU"\n', 3), ('a "x",b\n', 1)):
            self.assertEqual(self.error(self.rows, text), f"a.csv, line {line}: a quote inside a cell without quotes; "
                                                          "allowed: the cell in quotes, and each quote in it twice")
        self.assertEqual(list(self.rows('"a",b\r\n"Some ""GPU"", ""x""",""\r\n"",""""').table["a"]), ['Some "GPU", "x"', ""])
        # After a power failure, some file systems leave zero bytes in a file.
        self.assertEqual(self.error(self.rows, "a,b\r\n1,\0\0\r\n"),
                         "a.csv, line 2: a byte is 0: the file is damaged, or not text")
        self.assertEqual(self.error(self.rows, "a,a\r\n1,2\r\n"), "a.csv: it has two columns with the same name")


class Numbers(Rows):
    def test_median_has_its_interval_and_its_lines(self):
        found = self.measured(number("us strategy=fast size=1 within=0"))
        self.assertEqual((found.value, found.text, found.lines), (5.5, "5.50 µs", list(range(2, 12))))
        self.assertTrue(1 <= found.low < 5.5 < found.high <= 10, found)

    def test_ratio_is_to_the_smallest_median(self):
        one = self.measured(number("ratio strategy=slow size=1 to strategy=fast within=0"))
        self.assertEqual((one.value, one.text), (20, "20.0"))
        two = self.measured(number("ratio strategy=slow size=2 to strategy=fast size=2 or strategy=slow within=0"))
        # The samples do not differ.
        self.assertEqual((two.value, two.low, two.high, len(two.lines)), (3, 3, 3, 6))

    def test_are_made_of_one_for_each_value(self):
        for over, value in (("least", 3), ("greatest", 20), ("mean", math.sqrt(60))):
            found = self.measured(number(f"ratio strategy=slow to strategy=fast by=size over={over} within=0"))
            self.assertAlmostEqual(found.value, value, places=12)

    def test_count_rows_with_certain_cells(self):
        for more, text in (("", "3 of 4"), ("by=size over=least", "1 of 2"), ("by=size over=greatest", "2 of 2")):
            found = self.measured(number(f"count:status=wrong strategy=racy within=0 {more}"))
            self.assertEqual((found.text, found.low, found.high), (text, None, None))
            self.assertEqual(found.value, int(text[0]) / int(text[-1]))

    def test_say_what_all_rows_have(self):
        self.assertEqual(self.measured(number("same:launches strategy=slow within=0")).text, "16")
        self.assertEqual(self.refused("same:launches within=0"), "claim one.n: launches differs in a.csv: 8, 16, 1")
        for over, text in (("least", "8"), ("greatest", "16")):
            self.assertEqual(self.measured(number(f"same:launches strategy=fast|slow by=strategy over={over} within=0")).text, text)

    def test_have_units(self):
        for what, text in (("ratio", "3.00"), ("ratio>%", "300 %"), ("more.2", "200 %"), ("ratio>ms.2", "0.0030 ms"), ("ratio>us.1", "3 µs"),
                           ("ratio>GB/s.1", "3 GB/s"), ("ratio>TB/s.1", "0.003 TB/s"), ("ratio,1", "3.0")):
            self.assertEqual(self.measured(number(f"{what} strategy=slow size=2 to strategy=fast within=0")).text, text)
        self.assertEqual(self.measured(number("median:gpu_us.9 strategy=slow size=2 per=launches within=0")).value, 60 / 16)
        for what, text in (("least:gpu_us>ms", "0.00100 ms"), ("greatest:gpu_us,0", "20"), ("rows", "13")):
            self.assertEqual(self.measured(number(f"{what} strategy=fast within=0")).text, text)

    def test_ranges_and_lists_choose_rows(self):
        for rows, text in (("gpu_us=9..20", "5 of 5"), ("strategy=slow|racy", "7 of 10"), ("'status=not there|ok'", "20 of 20")):
            self.assertEqual(self.measured(number(f"count:status=ok {rows} within=0")).text, text)
        both = number("count:status=ok size=2 within=0", "strategy=racy")
        self.assertEqual(self.measured(both).text, "0 of 2")  # the condition of the claim and that of the number

    def test_refuse_what_the_rows_do_not_give(self):
        for asked, message in (
                ("us strategy=none", "a.csv has no row where strategy = none"),
                ("us strategy=racy", "a.csv:22: status is wrong; allowed: ok"),
                ("median:strategy strategy=fast", "a.csv:2: strategy is 'fast'; allowed: a number"),
                ("median:cpu_us strategy=fast", "a.csv: it has no column cpu_us"),
                ("same:cpu_us", "a.csv: it has no column cpu_us"),
                ("us gpu=T4", "a.csv: it has no column gpu"),
                ("us by=gpu over=least", "a.csv: it has no column gpu"),
                ("count:gpu=T4", "a.csv: it has no column gpu"),
                ("ratio:depth strategy=slow to strategy=fast", "a.csv: it has no column depth"),
                ("ratio strategy=slow to strategy=none", "a.csv has no row where strategy = none"),
                ("us strategy=fast per=size", "size differs in a.csv where strategy = fast: 1, 2"),
                ("same:strategy strategy=fast", "a.csv:2: strategy is 'fast'; allowed: a number")):
            with self.subTest(asked):
                self.assertEqual(self.refused(f"{asked} within=0"), f"claim one.n: {message}")

    def test_divide_by_nothing_that_is_not_above_0(self):
        text = "s,us,depth\r\na,5,0\r\nb,0,1\r\nc,nan,1\r\nd,inf,1\r\ne,-5,1\r\nf, 5,1\r\ng,1e999,1\r\nh,0,1\r\nh,1,1\r\nh,1,1\r\n"
        for asked, message in (
                ("ratio:us s=a to s=b", "the median of us that it is compared to is not above 0"),
                ("ratio:us s=a to s=h", "its interval has no finite end"),
                ("median:us s=a per=depth", "depth is 0 in a.csv where s = a"),
                ("median:us s=c", "a.csv:4: us is 'nan'; allowed: a number"),
                ("median:us s=d", "a.csv:5: us is 'inf'; allowed: a number"),
                ("median:us s=f", "a.csv:7: us is ' 5'; allowed: a number"),
                ("median:us s=g", "a.csv:8: us is '1e999'; allowed: a number"),
                ("median:us s=a|e by=s over=mean", "it has no geometric mean")):
            self.assertEqual(self.refused(f"{asked} within=0", text), f"claim one.n: {message}")

    def test_go_by_several_columns(self):
        text = "s,m,us\r\na,x,5\r\na,y,7\r\nb,x,2\r\nb,y,9\r\n"
        least, greatest = (number(f"median:us by=s,m over={over} within=0") for over in ("least", "greatest"))
        self.assertEqual((self.measured(least, text).value, self.measured(greatest, text).value), (2, 9))
        self.assertEqual(claim_numbers.description_of(least), "median of us; the least over s and m")

    # Case and median: a 5 (not ok), b 7, c 6, d 6 and another input.
    CASES = ("key,form,input,gpu_us,status\r\n" + "".join(
        f"{key},{form},{place},{us},{status}\r\n" for key, form, place, times, status in (
            ("a", "v", "x", (5, 5, 5), "wrong"), ("b", "v", "x", (1, 7, 9), "ok"), ("c", "w", "x", (6, 6, 8), "ok"),
            ("d", "w", "y", (4, 4, 4), "ok")) for us in times))

    def test_are_of_the_best_case(self):
        def asked(cases, form):
            return number(f"us input=x best={cases}:form={form} within=0")

        one = asked(3, form="w")
        found = self.measured(one, self.CASES)
        self.assertEqual((found.value, found.lines), (6, [8, 9, 10]))
        self.assertEqual(claim_numbers.description_of(one), "median of gpu_us where best = the one with form = w of 3 cases, input = x")
        for number_of_case, message in (
                (asked(3, form="v"), "a.csv:8: the best case where input = x has form = w; the claim names form = v"),
                (asked(2, form="w"), "a.csv has 3 cases where input = x; expected: 2")):
            self.assertEqual(self.error(self.measured, number_of_case, self.CASES), f"claim one.n: {message}")
        # Another cell of the log makes another case the best.
        faster = self.CASES.replace("b,v,x,9", "b,v,x,2")
        self.assertEqual(self.error(self.measured, one, faster),
                         "claim one.n: a.csv:5: the best case where input = x has form = v; the claim names form = w")
        # A second run has the case that the claim names, even if it is slower there and the only one.
        (again,) = claim_numbers.measure([(one, claim_numbers.Rows(self.write("b.csv", faster), second=True))])
        self.assertEqual(again.value, 6)

    def test_compare_the_best_cases_of_two_selections(self):
        one = number("ratio form=v status=ok best=2:key=e to form=w best=2:key=d within=0")
        text = self.CASES + "e,v,x,2,ok\r\n"
        self.assertEqual(self.measured(one, text).value, 0.5)

    def test_second_run_comes_near(self):
        def near(asked, first, second):
            return claim_numbers.near(asked, *(Measured(value, str(value), []) for value in (first, second)))

        tenth = number("median:gpu_us within=0.1")
        self.assertEqual([near(tenth, 100, other) for other in (110, 91, 111)], [True, True, False])
        exactly = number("same:launches within=0")
        self.assertEqual([near(exactly, 8, other) for other in (8, 8.0, 9)], [True, False, False])  # compared as texts
        share = number("count:status=wrong within=0.1")
        self.assertEqual([near(share, 0, other) for other in (0.1, 0.2)], [True, False])
        # Compares the ratios 1.12 and 1.16, not 12 and 16 %.
        more = number("more to strategy=fast within=0.05")
        self.assertEqual([near(more, 12, other) for other in (16, 19)], [True, False])
        self.assertEqual([claim_numbers.within_text(one) for one in (tenth, exactly)], ["within 10 %", "the same"])

    def test_say_how_they_come_about(self):
        for asked, text in (
                ("ratio strategy=slow size=1..2 to strategy=fast or strategy=a|b by=size over=mean",
                 "ratio of the medians of gpu_us where size = 1 to 2, strategy = slow, to the smaller of strategy = fast and "
                 "strategy = a or b; the geometric mean over size"),
                ("us depth=0.5..4.0 per=depth", "median of gpu_us over depth where depth = 0.5 to 4"),
                ("count:status=wrong depth=4", "rows with status = wrong where depth = 4"), ("rows depth=4", "rows where depth = 4"),
                ("least:depth", "least depth"), ("greatest:depth", "greatest depth")):
            self.assertEqual(claim_numbers.description_of(number(f"{asked} within=0")), text)


CSV = ("experiment,run_id,backend,strategy,gpu_us,launches,status,gpu,git,utc\r\n"
       "e,r1,cuda,fast,10,0,ok,Some GPU,abc,2026-01-01T00:00:30Z\r\n"
       "e,r1,cuda,fast,12,0,ok,Some GPU,abc,2026-01-01T00:00:50Z\r\n"
       "e,r1,cuda,slow,55,8,ok,Some GPU,abc,2026-01-01T00:01:30Z\r\n")
MANIFEST = {"runs": {"r1": {"experiment": "e", "started_utc": "2026-01-01T00:00:00Z", "command": ["nestbed", "run", "experiments/e.cfg"],
                            "samples": 3, "git": "abc", "backends": {"cuda": {"name": "Some GPU"}}}}}
SETTINGS = ["strategy=fast backend=cuda grid=4 pending-limit=64 submit=held", "strategy=slow backend=cuda grid=8 pending-limit=64 wave=99 submit=held"]
KEYS = [hashlib.sha256(settings.encode()).hexdigest()[:16] for settings in SETTINGS]
# Two cases of a log of this version, two rows each.
KEYED = ("experiment,run_id,key,strategy,backend,grid,pending_limit_asked,wave,repetition,wall_us,status,machine,gpu,driver,cuda,git,"
         "submit_asked,submit\r\n"
         + "".join(f"e,r1,{key},{strategy},cuda,{grid},64,{grid},{repetition},10,ok,m1,Some GPU,580,13.0,abc,held,open\r\n"
                   for key, strategy, grid in ((KEYS[0], "fast", 4), (KEYS[1], "slow", 8)) for repetition in (0, 1)))
KEYED_RUN = {"experiment": "e", "started_utc": "2026-01-01T00:00:00Z", "command": ["nestbed", "run"], "plan": "p", "git": "abc",
             "backends": {"cuda": {"name": "Some GPU", "driver": "580", "cuda_runtime": "13.0", "machine": "m1", "schedule": ""}},
             "finished_utc": "2026-01-01T00:01:00Z", "rows": 4, "log_rows": 4}
PLAN = [{"key": key, "repeat": 2, "case": settings} for key, settings in zip(KEYS, SETTINGS)]
CLAIMS = {
    "logs": {"m/e.csv": {"figure": "m/e.svg"}},
    "claims": [
        {"id": "quick", "claim": "`fast` takes {us}.", "log": "m/e.csv", "rows": "strategy=fast",
         "numbers": {"us": "us within=0.1"}},
        {"id": "slowly", "claim": "`slow` makes {launches} launches and is {times} times as slow.", "log": "m/e.csv",
         "rows": "strategy=slow", "numbers": {"launches": "same:launches within=0", "times": "ratio to strategy=fast within=0.2"}}]}
README = ("# Some\n\nIt takes [11.0 µs](results/README.md#quick.us), [five](results/README.md#quick)\n"
          "times less: [5.00](results/README.md#slowly.times) and [8](results/README.md#slowly.launches).\n")
PAGE = "# Results\n\n<!-- claims: begin (experiments/claims.sh write) -->\n<!-- claims: end -->\n\nMore.\n"
WRITTEN = """# Results

<!-- claims: begin (experiments/claims.sh write) -->

### `m/e.csv`

`nestbed run experiments/e.cfg` · Some GPU, 1.5 minutes (nestbed abc) · [CSV](m/e.csv) · [figure](m/e.svg)

| claim | number | 95 % interval | how it comes about | a second run |
|---|---|---|---|---|
| <a id="quick"></a>`fast` takes 11.0 µs. | <a id="quick.us"></a>11.0 µs | 10.0 to 12.0 µs | median of gpu_us where strategy = fast; \
2 rows | within 10 % |
| <a id="slowly"></a>`slow` makes 8 launches and is 5.00 times as slow. | <a id="slowly.launches"></a>8 |  | \
launches of every row where strategy = slow; 1 row | the same |
|  | <a id="slowly.times"></a>5.00 | 4.58 to 5.50 | ratio of the medians of gpu_us where strategy = slow, to strategy = fast; \
3 rows | within 20 % |

<!-- claims: end -->

More.
"""


def said_by(*words):
    """(exit code, standard output, standard error) of claims.py."""
    out, messages = io.StringIO(), io.StringIO()
    with unittest.mock.patch.object(sys, "argv", ["claims.py", *map(str, words)]), \
            contextlib.redirect_stdout(out), contextlib.redirect_stderr(messages):
        try:
            code = checked_output.ended("claims.sh", claims.main)
        except SystemExit as leaving:
            code = leaving.code
    return code, out.getvalue(), messages.getvalue()


class Command(Claims):
    """A small folder of results whose documents are up to date."""

    def setUp(self):
        super().setUp()
        self.write("results/claims.json", json.dumps(CLAIMS))
        self.write("results/README.md", PAGE)
        self.write("README.md", README)
        self.write("results/m/e.csv.json", json.dumps(MANIFEST))
        self.write("results/m/e.svg", "<svg/>")
        self.write("results/m/e.csv", CSV)
        self.write_sum()
        self.run_claims("write")

    def write_sum(self):
        self.write("results/m/SHA256SUMS", "".join(
            f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(self.folder / 'results/m')}\n"
            for path in sorted((self.folder / "results/m").glob("**/*.*")) if path.suffix in (".csv", ".gz", ".json", ".svg", ".png")))

    def write_log(self, csv, manifest):
        """A log k.csv beside e.csv."""
        self.write("results/m/k.csv", csv)
        self.write("results/m/k.csv.json", json.dumps(manifest))
        self.write_sum()

    def replace(self, name, before, after):
        text = self.read(name)
        self.assertIn(before, text)
        self.write(name, text.replace(before, after, 1))

    def run_claims(self, *words, expect=0, results=None):
        """(standard output, standard error) of claims.py, whose exit code must be `expect`."""
        where = ["--results", str(results or self.folder / "results")] if words and words[0][0] != "-" else []
        code, out, messages = said_by(*words, *where)
        self.assertEqual(code, expect, messages)
        return out, messages

    def failed(self, *words):
        """The messages of a command that exits with 3."""
        return self.run_claims(*words or ["check"], expect=3)[1]


class Documents(Command):
    def test_agree_as_they_were_written(self):
        out, messages = self.run_claims("check")
        self.assertEqual(messages, "")
        self.assertEqual(out, f"2 claims, 3 numbers: {self.folder}/README.md, {self.folder}/results/README.md and the CSVs agree\n")
        self.assertEqual(self.read("README.md"), README)  # it was right already

    def test_page_says_how_to_make_a_number_again(self):
        self.assertEqual(self.read("results/README.md"), WRITTEN)

    def test_name_the_claim_whose_number_in_the_readme_is_another(self):
        self.replace("README.md", "[5.00]", "[6.00]")
        out, messages = self.run_claims("check", expect=3)
        self.assertEqual(out, "")
        self.assertEqual(messages, f"claims.sh: {self.folder}/README.md:4: claim slowly.times: it says 6.00, the CSV gives 5.00 "
                                   "(ratio of the medians of gpu_us where strategy = slow, to strategy = fast)\n")
        self.assertEqual(self.run_claims("write")[0], f"{self.folder}/README.md\n")
        self.assertEqual(self.read("README.md"), README)

    def test_a_number_may_stand_without_its_unit(self):
        self.replace("README.md", "[11.0 µs]", "[11.0]")
        self.run_claims("check")
        self.replace("README.md", "[11.0]", "[12.0]")
        self.failed()
        self.run_claims("write")
        self.assertIn("[11.0](", self.read("README.md"))

    def test_name_the_claims_whose_csv_is_another(self):
        self.replace("results/m/e.csv", "fast,12", "fast,13")
        messages = self.failed()
        for text in ("claims quick, slowly: ", "m/e.csv is not the file that was measured: its SHA-256 is not",
                     "README.md:3: claim quick.us: it says 11.0 µs, the CSV gives 11.5 µs",
                     'results/README.md: claim quick.us: the CSVs give another line: | <a id="quick">'):
            self.assertIn(text, messages)

    def test_see_a_cell_that_changes_no_number(self):
        self.replace("results/m/e.csv", "00:00:30Z", "00:00:31Z")
        self.assertIn("claims quick, slowly: ", self.failed())
        self.failed("write")  # and write nothing
        self.assertEqual(self.read("results/README.md"), WRITTEN)

    def test_name_the_claim_whose_line_in_the_page_is_another(self):
        self.replace("results/README.md", "4.58 to", "4.85 to")
        self.assertIn("results/README.md: claim slowly.times: the CSVs give another line: |", self.failed())

    def test_see_a_page_that_differs_between_the_claims(self):
        self.replace("results/README.md", "Some GPU, 1.5 minutes", "Some GPU, 1.4 minutes")
        self.assertIn("README.md: what is between the claims is not what the CSVs give", self.failed())

    def test_may_stand_in_the_documents_of_other_folders(self):
        self.replace("README.md", "[8](results/README.md#slowly.launches)", "some")
        (self.folder / "more").mkdir()
        (self.folder / "else").mkdir()
        self.write("else/README.md", "It cites nothing, and 12.25 ms are its own affair.\n")
        self.write("more/README.md", "It takes [9](../results/README.md#slowly.launches) launches.\n")
        self.assertEqual(self.failed(), f"claims.sh: {self.folder}/more/README.md:1: claim slowly.launches: it says 9, the CSV gives 8 "
                                        "(launches of every row where strategy = slow)\n")
        self.assertEqual(self.run_claims("write")[0], f"{self.folder}/more/README.md\n")
        self.assertEqual(self.read("more/README.md"), "It takes [8](../results/README.md#slowly.launches) launches.\n")
        self.assertIn(f"{self.folder}/README.md, {self.folder}/more/README.md, ", self.run_claims("check")[0])
        self.write("more/README.md", "It takes [8](results/README.md#slowly.launches) launches; [five](../results/README.md#slowly.times).\n")
        self.assertIn("more/README.md:1: there is no results/README.md", self.failed())

    def test_miss_what_the_readme_does_not_say(self):
        self.replace("README.md", "[8](results/README.md#slowly.launches)", "8")
        self.replace("README.md", "quick.us", "quick.ms")
        messages = self.failed()
        self.assertIn("README.md: claim slowly.launches: there is no link to results/README.md#slowly.launches", messages)
        self.assertIn("README.md:3: there is no claim quick.ms", messages)

    def test_nothing_is_made_of_a_document_whose_links_cannot_be_told_apart(self):
        for before, after in (("[8](results", "8](results"),  # no bracket: the previous one belongs to another link
                              ("[5.00](results", "[5.00] and 5.00](results"),  # the bracket is closed already
                              ("#slowly.launches).", "#slowly.launches"),  # the link has no end
                              ("[8](results", "[6.00](results/README.md#slowly.times), 9](results")):  # after a wrong one
            self.write("README.md", README)
            self.replace("README.md", before, after)
            text = self.read("README.md")
            messages = self.failed()
            self.assertIn("README.md:4: claim slowly.", messages)
            self.assertIn(": the link is incomplete; allowed: [NUMBER](results/README.md#slowly.", messages)
            self.failed("write")
            self.assertEqual(self.read("README.md"), text)

    def test_see_what_goes_on_behind_a_link(self):
        for more in ("0", ".5", "x"):
            self.write("README.md", README)
            self.replace("README.md", "#slowly.launches)", f"#slowly.launches){more}")
            self.assertIn("README.md:4: claim slowly.launches: text follows the link directly", self.failed())

    def test_read_no_comments_and_no_code(self):
        self.replace("README.md", "[8](results/README.md#slowly.launches)", "9 <!-- [8](results/README.md#slowly.launches) -->")
        self.assertIn("claim slowly.launches: there is no link", self.failed())
        self.write("README.md", f"{README}```\n3.5 ms and [9](results/README.md#slowly.launches)\n```\n`4.5 ms`\n")
        self.run_claims("check")

    def test_want_a_link_for_what_has_a_unit(self):
        self.write("README.md", f"{README}Also 12.25 ms, of version 3.5, in 20 ms.\n")
        self.assertEqual(self.failed(), f"claims.sh: {self.folder}/README.md:5: 12.25 with a unit: no claim covers it; allowed: "
                                        "[12.25](results/README.md#CLAIM.NUMBER)\n")

    def test_want_the_files_that_the_readme_shows(self):
        self.write("README.md", f"{README}![It](results/m/e.svg) ![Not](results/m/f.svg) [web](https://a.b/c)\n")
        self.assertEqual(self.failed(), f"claims.sh: {self.folder}/README.md:5: there is no results/m/f.svg\n")

    def test_take_the_folder_before_the_action_too(self):
        self.assertIn("2 claims, 3 numbers", self.run_claims("--results", self.folder / "results", "check")[0])

    def test_find_the_readme_from_anywhere(self):
        os.chdir(self.folder / "results")
        self.assertEqual(self.run_claims("check", results=".")[1], "")
        os.chdir(self.folder / "results/m")
        self.assertEqual(self.run_claims("check", results="../")[1], "")
        (self.folder / "elsewhere").mkdir()
        (self.folder / "elsewhere/link").symlink_to(self.folder / "results")
        self.run_claims("check", results=self.folder / "elsewhere/link")

    def test_write_through_a_link_and_keep_permissions(self):
        (self.folder / "README.md").rename(self.folder / "real.md")
        (self.folder / "real.md").chmod(0o600)
        (self.folder / "README.md").symlink_to("real.md")
        self.replace("real.md", "[5.00]", "[6.00]")
        self.run_claims("write")
        self.assertTrue((self.folder / "README.md").is_symlink())
        self.assertEqual(self.read("real.md"), README)
        self.assertEqual(stat.S_IMODE((self.folder / "real.md").stat().st_mode), 0o600)

    def test_write_where_an_ended_run_has_left_its_file(self):
        self.replace("README.md", "[5.00]", "[6.00]")
        self.write("README.md.partial", "half of it")
        self.run_claims("write")
        self.assertIn("[5.00]", self.read("README.md"))

    def test_keep_what_they_do_not_know(self):
        (self.folder / "README.md").write_bytes(README.replace("5.00", "6.00").encode() + b"\xff\xfe\r\n")
        self.run_claims("write")
        self.assertEqual((self.folder / "README.md").read_bytes(), README.encode() + b"\xff\xfe\r\n")

    def test_want_utf_8_of_the_claims(self):
        (self.folder / "results/claims.json").write_bytes(json.dumps(CLAIMS).encode().replace(b"`fast`", b"\xff"))
        self.assertIn("results/claims.json: 'utf-8' codec", self.run_claims("check", expect=1)[1])

    def test_want_a_place_for_the_page(self):
        for text in ("# Nothing\n", "<!-- claims: end -->\n<!-- claims: begin (experiments/claims.sh write) -->\n"):
            self.write("results/README.md", text)
            for action in ("check", "write"):
                self.assertIn("README.md: it has no place for the claims; allowed: a line <!-- claims: begin",
                              self.run_claims(action, expect=1)[1])


class Files(Command):
    def test_check_every_file_that_was_summed(self):
        self.write("results/m/SHA256SUMS", f"{self.read('results/m/SHA256SUMS')}00  other.csv\n00  e.svg\n")
        messages = self.failed()
        self.assertIn("m/other.csv: there is no ", messages)
        self.assertIn("m/e.svg is not the file that was measured", messages)

    def test_name_a_folder_in_place_of_a_file(self):
        (self.folder / "results/m/e.csv").unlink()
        (self.folder / "results/m/e.csv").mkdir()
        self.assertIn(f"claims quick, slowly: {self.folder}/results/m/e.csv: Is a directory", self.failed())

    def test_may_be_compressed(self):
        plain, packed = self.folder / "results/m/e.csv", self.folder / "results/m/e.csv.gz"
        packed.write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
        self.assertIn(f"m/e.csv.gz: {self.folder}/results/m/SHA256SUMS has no line for e.csv.gz", self.failed())
        plain.unlink()
        self.assertIn(f"claims quick, slowly: there is no {plain}\n", self.failed())
        self.write_sum()
        self.assertEqual(self.run_claims("write")[0], f"{self.folder}/results/README.md\n")
        self.assertEqual(self.read("results/README.md"), WRITTEN.replace("(m/e.csv)", "(m/e.csv.gz)"))
        self.run_claims("check")
        packed.write_bytes(packed.read_bytes()[:-1])
        for text in (f"{packed} is not the file that was measured", f"claims quick, slowly: {plain}: its gzip content is cut off\n"):
            self.assertIn(text, self.failed())

    def test_are_missed(self):
        (self.folder / "results/m/e.svg").unlink()
        self.assertIn("claims quick, slowly: there is no figure ", self.failed())
        (self.folder / "results/m/SHA256SUMS").unlink()
        self.assertIn("SHA256SUMS: it could not be read: No such file", self.failed())
        self.write("results/m/SHA256SUMS", "00  other.csv\n")
        self.assertIn("SHA256SUMS has no line for ", self.failed())
        for text in ("{}", "[]", "{", '{"runs": []}', '{"runs": {"r1": 5}}', '{"runs": {"r1": {"command": []}}}',
                     '{"runs": {"r1": {"command": 5, "started_utc": ""}}}',
                     '{"runs": {"r1": {"command": "nestbed run", "started_utc": ""}}}',
                     '{"runs": {"r1": {"command": ["a", 5], "started_utc": ""}}}',
                     '{"runs": {"r1": {"command": ["a"], "started_utc": 5}}}'):
            self.write("results/m/e.csv.json", text)
            self.assertIn("claims quick, slowly: ", self.failed())
            self.assertIn("e.csv.json: it is not a manifest of `nestbed run`", self.failed(), text)
        (self.folder / "results/m/e.csv").unlink()
        self.assertIn(f"claims quick, slowly: {self.folder}/results/m/e.csv: No such file", self.failed())

    def test_want_the_columns_that_the_manifest_is_about(self):
        for column in ("utc", "run_id"):
            self.write("results/m/e.csv", CSV.replace(column, "other", 1))
            self.write_sum()
            self.assertIn(f"claims quick, slowly: {self.folder}/results/m/e.csv: it has no column {column}\n", self.failed())

    def test_times_are_utc(self):
        # In Berlin, the clocks skipped the hour from 02:00 to 03:00 on that day.
        self.addCleanup(time.tzset)
        with unittest.mock.patch.dict(os.environ, {"TZ": "Europe/Berlin"}):
            time.tzset()
            self.assertEqual(utc.seconds_of("2026-03-29T03:00:00Z") - utc.seconds_of("2026-03-29T01:59:00Z"), 61 * 60)
            self.assertEqual(utc.seconds_of("1970-01-02T00:00:00Z"), 86400)
        self.assertIsNone(utc.seconds_of("early"))

    def test_name_the_claim_that_the_csv_does_not_give(self):
        self.replace("results/m/e.csv", "slow,55,8,ok", "slow,,8,wrong")
        self.write_sum()
        self.assertIn("claim slowly.times: ", self.failed())
        self.assertNotIn("slowly", self.run_claims("list", expect=3)[0])
        self.failed("write")

    def test_that_nobody_wrote_have_no_minutes(self):
        self.write("results/m/e.csv.json", json.dumps(MANIFEST).replace("2026-01-01T00:00:00Z", "early"))
        self.write_sum()
        self.assertEqual(json.loads(self.run_claims("list", "--json")[0])["claims"][0]["minutes"], 0)


class Evidence(Command):
    """What the CSVs depend on: their rows, their manifests, and the figures."""

    def problem(self, csv, manifest):
        """The message of check about a log with keys beside e.csv, without the folder."""
        self.write_log(csv, manifest)
        return self.failed().replace(f"{self.folder}/results/", "").removeprefix("claims.sh: m/k.csv: ").rstrip()

    @staticmethod
    def manifest(**changes):
        return {"runs": {"r1": {**KEYED_RUN, **changes}}, "plans": {"p": PLAN}}

    def test_of_every_file_is_summed(self):
        for name, text in (("k.csv", KEYED), ("k.csv.json", json.dumps(self.manifest())), ("figures/k-wrong.svg", "")):
            self.write(f"results/m/{name}", text)
            self.assertIn(f"claims.sh: m/{name}: {self.folder}/results/m/SHA256SUMS has no line for {name}\n", self.failed())
        self.write_sum()
        self.assertNotIn("SHA256SUMS", self.failed())  # the figure does not name its log
        (self.folder / "results/m/figures/k-wrong.svg").unlink()
        self.write_sum()
        self.run_claims("check")
        self.replace("results/m/k.csv.json", "abc", "abd")
        self.assertIn("m/k.csv.json is not the file that was measured", self.failed())

    def test_name_the_row_that_its_manifest_does_not_have(self):
        self.assertEqual(self.problem(KEYED.replace(f"r1,{KEYS[1]}", f"r9,{KEYS[1]}", 1), self.manifest()),
                         "the manifest of m/k.csv: it has no run 'r9', but the log has rows of it")

    def test_want_a_run_that_finished_and_left_these_rows(self):
        self.assertEqual(self.problem(KEYED, self.manifest(log_rows=5)),
                         "m/k.csv: it has 4 rows; expected: 5, according to its manifest")
        unfinished = self.manifest()
        del unfinished["runs"]["r1"]["finished_utc"]
        self.assertEqual(self.problem(KEYED, unfinished),
                         "the manifest of m/k.csv: run r1 did not finish; allowed: the log of a finished run")
        # A resumed log: the last run counts. Merged shards: the last run of each shard.
        for first in ({"started_utc": "2025-12-31T00:00:00Z", "log_rows": 2}, {"shard": "1/2", "log_rows": 3}):
            again = {"shard": "2/2", "log_rows": 1} if "shard" in first else {}
            runs = {"r0": {**KEYED_RUN, **first}, "r1": {**KEYED_RUN, **again}}
            if not again:
                del runs["r0"]["finished_utc"]
            self.write_log(KEYED, {"runs": runs, "plans": {"p": PLAN}})
            self.run_claims("check")
        # Merged shards, and a later run that continued the merged log: it counted all rows.
        runs = {"r0": {**KEYED_RUN, "shard": "1/2", "log_rows": 3}, "r2": {**KEYED_RUN, "shard": "2/2", "log_rows": 1},
                "r1": {**KEYED_RUN, "started_utc": "2027-01-01T00:00:00Z"}}
        self.write_log(KEYED, {"runs": runs, "plans": {"p": PLAN}})
        self.run_claims("check")
        # Two runs that started in the same second: the finished one is the last.
        interrupted = {**KEYED_RUN, "log_rows": 2}
        del interrupted["finished_utc"]
        self.write_log(KEYED, {"runs": {"r1": KEYED_RUN, "r2": interrupted}, "plans": {"p": PLAN}})
        self.run_claims("check")
        self.assertEqual(self.problem(KEYED, {"runs": {"r1": {**MANIFEST["runs"]["r1"], "samples": 3}}}),
                         "the manifest of m/k.csv: run r1 should have measured 3 rows; the log has 4")

    def test_want_a_manifest_that_can_be_read(self):
        self.write("results/m/k.csv", KEYED)
        self.write("results/m/k.csv.json", '{"runs": ' + "[" * 100_000)
        self.write_sum()
        self.assertIn("it is not a manifest of `nestbed run`", self.failed())

    def test_want_a_whole_manifest(self):
        for name in ("git", "backends", "log_rows"):
            spoilt = self.manifest()
            del spoilt["runs"]["r1"][name]
            self.assertIn(f"the manifest of m/k.csv: it is not a manifest of `nestbed run`: there is no '{name}'",
                          self.problem(KEYED, spoilt))

    # What a device measured of itself, and the column that every row has of it.
    FACTS = {"null_kernel_us": 2.6239999, "peak_bandwidth_gb_s": 4814.304, "l2_bytes": 62914560, "timer_step_ns": 32,
             "read_bandwidth_gb_s": 4616.1, "copy_bandwidth_gb_s": 4314.95, "multiprocessors": 132}
    MEASURED = "floor_us,peak_gb_s,l2_bytes,timer_step_ns,measured_gb_s"

    def measured(self, **changes):
        lines = KEYED.split("\r\n")[:-1]
        cells = [self.MEASURED, *["2.624,4814.30,62914560,32,4616.10"] * 2, *["2.624,4814.30,62914560,32,4314.95"] * 2]
        csv = "".join(f"{line},{more}\r\n" for line, more in zip(lines, cells))
        backend = {**KEYED_RUN["backends"]["cuda"], **self.FACTS, **changes}
        return csv, self.manifest(backends={"cuda": backend})

    def test_name_the_manifest_of_another_device_of_the_same_name(self):
        csv, manifest = self.measured()
        for name, facts in (("j", manifest), ("k", self.measured(multiprocessors=131)[1])):
            self.write(f"results/m/{name}.csv", csv)
            self.write(f"results/m/{name}.csv.json", json.dumps(facts))
        self.write_sum()
        place = self.folder / "results/m"
        self.assertEqual(self.failed(), f"claims.sh: the manifest of {place}/k.csv: multiprocessors is 131; expected: 132, as in the "
                                        f"manifest of {place}/j.csv\n")

    def test_figures_are_drawn_from_the_csvs(self):
        csv = self.write("results/m/k.csv", KEYED)
        self.write("results/m/k.csv.json", json.dumps(self.manifest()))
        source = claim_evidence.sources_text("k-wrong", [csv])
        svg = "<svg><metadata><dc:source>{}</dc:source></metadata></svg>"
        figure = "results/m/figures/k-wrong.svg"

        def checked(text, expect=0):
            self.write(figure, text)
            self.write_sum()
            return self.run_claims("check", expect=expect)[1].replace(f"{self.folder}/results/", "").removeprefix("claims.sh: ").rstrip()

        checked(svg.format(source))
        packed = self.folder / f"{figure}.gz"
        for text, expect, message in ((svg.format(source), 0, ""), ("<svg/>", 3, "it does not say that it is this figure")):
            (self.folder / figure).unlink(missing_ok=True)
            packed.write_bytes(gzip.compress(text.encode()))
            self.write_sum()
            self.assertIn(message, self.run_claims("check", expect=expect)[1])
        self.assertEqual(checked(svg.format(source), 3), "m/figures/k-wrong.svg: there is k-wrong.svg.gz too; allowed: one of the two files")
        packed.unlink()
        no_source = "m/figures/k-wrong.svg: it does not say that it is this figure, and of which log; allowed: as experiments/plot.sh " \
                    "draws it"
        for text in ("<svg/>", svg.format(""), svg.format(source.replace("k-wrong", "k-right")), svg.format(source.replace("k.csv", "../k.csv"))):
            self.assertEqual(checked(text, 3), no_source)
        self.assertEqual(checked(svg.format(source.replace("k.csv", "l.csv")), 3),
                         "m/figures/k-wrong.svg: there is no m/l.csv, which it is drawn from")
        self.write("results/m/k.csv", KEYED.replace(",10,ok", ",11,ok", 1))  # SHA256SUMS matches the new files
        self.assertEqual(checked(svg.format(source), 3), "m/figures/k-wrong.svg: it is not drawn from m/k.csv as that is now: run "
                                                         "experiments/plot.sh m/k.csv")


TEMPLATE = """# M

{{use e.csv backend=cuda}}
`fast` takes {{us strategy=fast}} µs, {{median:gpu_us>ms.2 strategy=fast}} ms or {{us,2 strategy=fast}}; {{least:gpu_us strategy=fast}} to
{{greatest:gpu_us,0 strategy=fast}}; {{same:launches strategy=slow}} launches in {{rows}} rows, {{count:status=ok}} of them ok, {{count:gpu_us=10}} of 10.
{{with strategy=slow}}
| slow | {{us}} | {{us per=launches}} | {{ratio.2 to strategy=fast}} | {{more.2 to strategy=fast or strategy=slow}} | {{interval to strategy=fast}} |
{{use e.csv}}
{{us.2 by=strategy over=least}} {{us.2 by=strategy over=greatest}} {{us.3 by=strategy over=mean}} {{rows gpu_us=11..60}} {{rows strategy=fast|slow}}
It has {{quoted 5 GB/s}}, `7 ms`, and [a link of 1](x.md#5_ms).
{{by hand: nobody measures it}}
All in 3.5 ms.
{{end}}
End.
"""
RENDERED = """# M

`fast` takes 11.0 µs, 0.011 ms or 11.00; 10.0 to
12; 8 launches in 3 rows, 3 of them ok, 1 of 10.
| slow | 55.0 | 6.88 | 5.0 | 400 | 4.58–5.50 |
11 55 24.6 2 3
It has 5 GB/s, `7 ms`, and [a link of 1](x.md#5_ms).
All in 3.5 ms.
End.
"""


class ComputedPage(Command):
    """README.md of a folder of logs, written from its template."""

    def setUp(self):
        super().setUp()
        self.write("results/m/README.template.md", TEMPLATE)
        self.run_claims("write")

    def test_has_the_numbers_of_the_csv(self):
        self.assertEqual(self.read("results/m/README.md"), RENDERED)
        self.assertEqual(self.run_claims("check")[1], "")

    def test_names_the_line_that_the_csvs_do_not_give(self):
        self.replace("results/m/README.md", "| 55.0 |", "| 54.0 |")
        self.assertEqual(self.failed(), f"claims.sh: {self.folder}/results/m/README.md:5: it is not what README.template.md and the CSVs "
                                        "give: | slow | 55.0 | 6.88 | 5.0 | 400 | 4.58–5.50 |\n")
        self.assertEqual(self.run_claims("write")[0], f"{self.folder}/results/m/README.md\n")
        self.run_claims("check")
        self.write("results/m/README.md", RENDERED.replace("End.\n", ""))
        self.assertIn("README.md:9: it is not what README.template.md and the CSVs give: End.", self.failed())
        self.write("results/m/README.md", f"{RENDERED}More.\n")
        self.assertIn("README.md:10: it is not what README.template.md and the CSVs give: the end", self.failed())
        (self.folder / "results/m/README.md").unlink()
        self.assertIn("README.md: it could not be read", self.run_claims("check", expect=1)[1])
        self.run_claims("write")
        self.assertEqual(self.read("results/m/README.md"), RENDERED)

    def test_follows_the_csv(self):
        self.replace("results/m/e.csv", "slow,55", "slow,66")
        self.write_sum()
        self.run_claims("write")
        self.assertIn("| slow | 66.0 | 8.25 | 6.0 | 500 |", self.read("results/m/README.md"))

    def test_wants_every_measured_number_computed(self):
        for text, number in (("It takes 3.5 ms.", "3.5 ms"), ("| 17.25 | x |", "17.25"), ("Some 5 % more.", "5 %"), ("3 times", "3 times"),
                             ("5 µs", "5 µs"), ("**4686 GB/s**", "4686 GB/s")):
            self.write("results/m/README.template.md", f"{TEMPLATE}{text}\n")
            problem = f"claims.sh: {self.folder}/results/m/README.template.md:{TEMPLATE.count(chr(10)) + 1}: {number}: nothing computes it; " \
                      "allowed: {{...}}, {{quoted ...}} of what no CSV here has\n"
            self.assertEqual(self.failed("write"), problem)
            self.assertEqual(self.failed(), problem)
        self.write("results/m/README.template.md", f"{TEMPLATE}Version 3.5, 2048 blocks, `3.5 ms`, 2^20.\n")
        self.run_claims("write")

    def test_has_what_a_script_prints_of_a_csv(self):
        rows = [f"{variant},{variant}{turn},reduce2,ok,{us + turn}\n" for variant, us in (("full", 20), ("no_ledger", 10), ("no_nvtx", 20))
                for turn in range(5)]
        self.write("results/m/o.csv", "experiment,run_id,strategy,status,gpu_us\n" + "".join(rows))
        self.write_sum()
        self.write("results/m/README.template.md", "It says\n\n```\n{{printed overhead.py o.csv}}\n```\n\nand ends.\n")
        self.run_claims("write")
        page = self.read("results/m/README.md")
        self.assertIn("\nreduce2       22.00 us    12.00 us  ledger     +83.33%", page)
        self.assertTrue(page.endswith(" (5 rounds)\n```\n\nand ends.\n"), page)
        self.write("results/m/README.md", page.replace("+83.33%", "+83.34%"))
        self.assertIn("it is not what README.template.md and the CSVs give: reduce2 ", self.failed())
        self.write("results/m/o.csv", "experiment,run_id,strategy,status,gpu_us\nfull,1,reduce2,ok,5\n")
        self.assertIn("README.template.md:4: overhead.py o.csv: exit code 1: overhead.py: ", self.run_claims("check", expect=1)[1])

    def test_refuses_what_is_no_number_and_says_where(self):
        for text, message in (
                ("{{median strategy=fast}}", "'median strategy=fast' is not a number; allowed: us, ms, median:COLUMN"),
                ("{{us:gpu_us}}", "is not a number"), ("{{count:status}}", "'status' is not a condition"), ("{{usee e.csv}}", "; or use, with, printed, "), ("{{mode:gpu_us}}", "is not a number"),
                ("{{us>miles}}", "is not a number"), ("{{}}", "is not a number"), ("{{quoted}}", "is not a number"), ("{{end}}", "is not a number"),
                ("{{us fast}}", "'fast' is not a condition; allowed: COLUMN=CELL"),
                ("{{us strategy=none}}", "e.csv has no row where strategy = none"),
                ("{{us time=5}}", "e.csv: it has no column time"), ("{{median:status}}", "e.csv:2: status is 'ok'; allowed: a number"),
                ("{{same:gpu_us strategy=fast}}", "gpu_us differs in"), ("{{ratio strategy=fast}}", "'to' goes with ratio, more, interval"),
                ("{{us by=strategy}}", "'by' and 'over' go together; over is least, greatest or mean"),
                ("{{us by=strategy over=most}}", "'by' and 'over' go together"), ("{{use none.csv}}", "none.csv: No such file"),
                ("{{ratio strategy=slow to launches=0}}", "e.csv has no row where"),
                ("{{us per=launches}}", "launches differs in "), ("{{us strategy=fast per=launches}}", "launches is 0 in"),
                ("{{printed claims.py e.csv}}", "'printed claims.py e.csv'; allowed: overhead.py, and a CSV in "),
                ("{{printed overhead.py none.csv}}", "'printed overhead.py none.csv'; allowed: "), ("{{printed overhead.py}}", "allowed: "),
                ("{{by hand: why}} 5 ms", "it has no {{end}}")):
            with self.subTest(text):
                self.write("results/m/README.template.md", f"{{{{use e.csv}}}}\n\n{text}\n")
                said = self.run_claims("check", expect=1)[1]
                self.assertTrue(said.startswith(f"claims.sh: {self.folder}/results/m/README.template.md:{1 if 'none.csv' == text else 3}: "), said)
                self.assertIn(message, said)
        self.write("results/m/README.template.md", "{{use e.csv}}\n{{ratio strategy=slow to strategy=fast}}\n")
        self.write("results/m/e.csv", CSV.replace("fast,10,", "fast,0,").replace("fast,12,", "fast,0,"))
        self.assertIn("README.template.md:2: the median of gpu_us that it is compared to is not above 0",
                      self.run_claims("check", expect=1)[1])
        self.write("results/m/README.template.md", "{{us}}\n")
        self.assertIn("README.template.md:1: it is of no CSV; allowed: {{use LOG.csv}} before it", self.run_claims("check", expect=1)[1])


class Second(Command):
    def test_list_every_number(self):
        self.assertIn("slowly.times        5.00     4.58 to 5.50     3\n", self.run_claims("list")[0])
        first, second = json.loads(self.run_claims("list", "--json")[0])["claims"]
        self.assertEqual((first["claim"], first["hardware"], first["minutes"]), ("`fast` takes 11.0 µs.", "Some GPU", 1.5))
        self.assertEqual((first["numbers"][0]["lines"], first["numbers"][0]["value"]), ([2, 3], 11))
        self.assertIsNone(second["numbers"][0]["low"])

    def test_compare_with_a_second_run(self):
        self.write("again/e.csv", CSV.replace("slow,55", "slow,77"))
        out, _ = self.run_claims("compare", self.folder / "again", "--csv", self.folder / "second.csv", expect=3)
        for text in ("within 10 %  near", "the same     near", "within 20 %  far"):
            self.assertIn(text, out)
        self.assertIn("slowly.times,,5,4.58333,5.5,7,6.41667,7.7,1.4000,0.2,far,\r\n", self.read("second.csv"))
        out, _ = self.run_claims("compare", self.folder / "again", "--json", expect=3)
        self.assertIs(json.loads(out)["claims"][1]["numbers"][1]["second"]["within"], False)
        self.write("again/e.csv", CSV)
        self.run_claims("compare", self.folder / "again")
        self.write("again/e.csv", CSV.replace("ok", "wrong"))
        self.assertIn("claim quick.us: ", self.failed("compare", self.folder / "again"))
        (self.folder / "again/e.csv").unlink()
        out, messages = self.run_claims("compare", self.folder / "again", expect=3)
        self.assertIn("not there", out)
        self.assertEqual(messages, f"claims.sh: {self.folder}/again/e.csv: No such file or directory\n")  # named once

    def another(self, csv=CSV, capability="7.5", **manifest):
        """Writes the rows of e.csv, as if another GPU had measured them, into a separate folder."""
        runs = json.loads(json.dumps(manifest or MANIFEST).replace("Some GPU", "Other GPU"))
        runs["runs"]["r1"]["backends"]["cuda"]["compute_capability"] = capability
        self.write("again/e.csv.json", json.dumps(runs))
        self.write("again/e.csv", csv.replace("Some GPU", "Other GPU"))
        return self.folder / "again"

    def everywhere(self, value):
        """Sets whether the ratio slowly.times must lie on the same side of 1 on every GPU."""
        self.replace("results/claims.json", "within=0.2", f"within=0.2 everywhere={value}")

    def test_another_gpu_is_judged_by_what_holds_everywhere(self):
        far = CSV.replace("slow,55", "slow,550")
        out, messages = self.run_claims("compare", self.another(far))
        self.assertEqual(messages, "")
        self.assertEqual(out.splitlines()[0], f"another GPU: Other GPU (compute capability 7.5); {self.folder}/results is of Some GPU")
        must, _, need_not = out.partition("need not hold, and is not judged")
        self.assertIn("must hold on every GPU", must)
        self.assertRegex(must, r"slowly.launches +8 +8 +the same +near\n")
        self.assertNotIn("quick.us", must)
        self.assertRegex(need_not, r"quick.us .* near\nslowly.times .* far\n")
        self.run_claims("compare", self.another(far.replace(",8,ok", ",9,ok")), expect=3)

    def test_the_same_gpu_is_judged_by_everything(self):
        self.write("again/e.csv", CSV.replace("slow,55", "slow,550"))
        self.assertNotIn("every GPU", self.run_claims("compare", self.folder / "again", expect=3)[0])

    def test_of_another_gpu_a_ratio_must_be_on_the_same_side_of_1(self):
        self.everywhere("yes")
        folder = self.another(CSV.replace("slow,55", "slow,550"))
        self.assertRegex(self.run_claims("compare", folder)[0].partition("need not")[0], r"slowly.times +5.00 +50.0 +above 1 +near\n")
        folder = self.another(CSV.replace("slow,55", "slow,5"))
        self.assertRegex(self.run_claims("compare", folder, expect=3)[0], r"slowly.times +5.00 +0.455 +above 1 +far\n")
        # On the same GPU the number must still be near.
        self.write("again/e.csv", CSV.replace("slow,55", "slow,550"))
        self.run_claims("compare", folder, expect=3)

    def test_of_another_gpu_a_count_may_be_free(self):
        for value, code in (("yes", 3), ("no", 0)):
            self.write("results/claims.json", json.dumps(CLAIMS).replace('within=0"', f'within=0 everywhere={value}"'))
            self.run_claims("compare", self.another(CSV.replace(",8,ok", ",9,ok")), expect=code)

    def test_of_another_gpu_what_was_not_measured_is_named(self):
        folder = self.another(CSV.replace("fast,10,0,ok", "fast,,0,unsupported"))
        messages = self.run_claims("compare", folder)[1]  # only times depend on it
        self.assertIn("status is unsupported; allowed: ok", messages)
        (folder / "e.csv.json").write_text('{"runs": {"r1": {"backends": 5}}}')
        self.assertIn("e.csv.json: it is not a manifest of `nestbed run`", self.failed("compare", folder))

    def test_json_says_which_gpus_and_what_is_judged(self):
        out = json.loads(self.run_claims("compare", self.another(), "--json")[0])
        self.assertEqual((out["another_gpu"], out["first_gpu"], out["second_gpu"]),
                         (True, "Some GPU", "Other GPU (compute capability 7.5)"))
        self.assertEqual([number["second"]["judged"] for claim in out["claims"] for number in claim["numbers"]], [False, True, False])

    def test_a_ratio_in_percent_has_its_side_of_1(self):
        for what, values in (("ratio", (1.2, 0.8)), ("ratio>%", (120, 80)), ("more", (20, -20))):
            asked = number(f"{what} to b=1 within=0")
            self.assertEqual([claim_numbers.above_one(asked, Measured(value, "", [])) for value in values], [True, False])

    def test_compare_nothing_that_no_hardware_made(self):
        rows = "strategy,gpu_us,launches,status\r\nfast,10,0,ok\r\nslow,50,8,ok\r\n"
        self.write("results/m/e.csv", rows)
        (self.folder / "results/m/e.csv.json").unlink()
        self.write_sum()
        self.write("again/e.csv", rows)
        out, messages = self.run_claims("compare", self.folder / "again")
        self.assertEqual(messages, "")
        self.assertNotIn("quick.us", out)

    def test_compare_no_log_with_itself(self):
        out, messages = self.run_claims("compare", self.folder / "results/m/../m")
        self.assertEqual(messages, "")
        self.assertNotIn("quick.us", out)

    def test_problems_of_the_first_run_fail_it_too(self):
        self.write("again/e.csv", CSV)
        (self.folder / "results/m/e.svg").unlink()
        self.assertIn("there is no figure", self.failed("compare", self.folder / "again"))

    def test_refuse_what_is_no_action(self):
        for words, message in ((["chekc"], "invalid choice: 'chekc' (choose from check, list, compare, write)"),
                               ([], "the following arguments are required: ACTION"),
                               (["compare"], "the following arguments are required: FOLDER"),
                               (["check", "this"], "unrecognized arguments: this"),
                               (["compare", "nowhere"], "compare nowhere: there is no such folder; allowed: one with CSVs"),
                               (["check", "--json"], "unrecognized arguments: --json"),
                               (["list", "--csv", "x.csv"], "unrecognized arguments: --csv"),
                               (["compare", self.folder, "--csv", self.folder / "README.md"], "it already exists"),
                               (["compare", self.folder, "--csv", self.folder / "none/x.csv"], "there is no folder ")):
            with self.subTest(words):
                said = self.run_claims(*words, expect=2)[1]
                choices = re.sub(r"\(choose from .*\)", lambda found: found[0].replace("'", ""), said)  # Python 3.12 quotes them
                self.assertIn(message, choices)
        self.assertIn("nowhere/claims.json: it could not be read", self.run_claims("check", expect=1, results="nowhere")[1])
        self.assertIn("check", self.run_claims("--help")[0])

    def test_want_a_nestbed(self):
        for nestbed, message in (("/nowhere/nestbed", "/nowhere/nestbed: No such file"),
                                 ("/bin/false", "/bin/false statistics ended with 1"), ("", "NESTBED is not set"),
                                 ("/bin/true", "/bin/true statistics gave no answers")):
            with unittest.mock.patch.dict(os.environ, {"NESTBED": nestbed}):
                self.assertIn(f"claims.sh: {message}", self.run_claims("check", expect=1)[1])


class OfTheRepository(Claims):
    results = staticmethod(functools.cache(claims.Results))  # the logs are read and checked once

    def agree(self, *words):
        """What the command prints, in a folder that is not the repository's."""
        os.chdir(self.folder)
        with unittest.mock.patch.object(claims, "Results", self.results):
            code, out, messages = said_by(*words, "--results", ROOT / "results")
        self.assertEqual((messages, code), ("", 0))
        return out

    @only_all
    def test_agree_with_its_documents_and_csvs_from_any_folder(self):
        self.assertRegex(self.agree("check"), r"^\d+ claims, \d+ numbers: (\S*/)?README.md, .*results/README.md and the CSVs agree\n$")

    @only_all
    def test_hold_of_its_own_logs_under_the_name_of_another_gpu(self):
        for place in ("h200", "h100"):  # some claims are of logs of the latter
            for path in log_files.csvs_in(ROOT / "results" / place):
                with log_files.opened_bytes(path) as file:
                    content = file.read()
                content = content.replace(b"NVIDIA H200", b"Tesla T4").replace(b"NVIDIA H100 80GB HBM3", b"Tesla T4")
                (self.folder / path.name).write_bytes(content)
        shown = self.agree("compare", self.folder)
        must, _, need_not = shown.partition("need not hold")
        self.assertTrue(must.startswith(f"another GPU: Tesla T4; {ROOT}/results is of NVIDIA H100 80GB HBM3 (compute capability 9.0), "
                                        "NVIDIA H200 (compute capability 9.0)\n"), must)
        for name in ("synced.launches", "race-free.wrong", "counted.equal", "synced.times"):
            self.assertIn(f"\n{name} ", must)
        for name in ("synced.ms", "hidden.nosync", "last-block-cub.share"):
            self.assertIn(f"\n{name} ", need_not)


class Scripts(Claims):
    """What the scripts answer before they install or build anything. They run in a copy, where a stray file would
    show."""

    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "experiments", self.folder / "experiments", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("experiments/build.sh", "bin/dpkg-query", "bin/apt-get", "bin/sudo"):
            self.write(name, f"#!/bin/sh\ntouch {self.folder}/begun\nexit 1\n").chmod(0o755)

    def answer(self, script, *words):
        environment = {name: value for name, value in os.environ.items() if name != "NESTBED"}
        environment["PATH"] = f"{self.folder}/bin:{environment['PATH']}"
        done = subprocess.run([self.folder / "experiments" / script, *words], capture_output=True, text=True, check=False,
                              env=environment)
        return done, (self.folder / "begun").exists()

    def test_help(self):
        for words in (["--help"], ["-h"], ["some", "--help"]):  # those of the other scripts: scripts_test.py
            done, begun = self.answer("claims.sh", *words)
            self.assertEqual((done.returncode, done.stderr, begun), (0, "", False))
            self.assertIn("claims.", done.stdout)

    def test_help_without_packages(self):
        (self.folder / "experiments/claims.py").write_text("import nothing_of_this_name\n")
        done, begun = self.answer("claims.sh", "--help")
        self.assertEqual((done.returncode, done.stderr, begun), (0, "", False))
        self.assertIn("experiments/claims.sh compare FOLDER", done.stdout)

    def test_an_unknown_action(self):
        for words in (["chekc"], [], ["--results", "there"]):
            done, begun = self.answer("claims.sh", *words)
            self.assertEqual((done.returncode, begun), (2, False))
            self.assertEqual(done.stderr, f"claims.sh: there is no action in '{' '.join(words)}'; "
                                          "allowed: check, list, compare, write\n")
        self.assertTrue(self.answer("claims.sh", "check")[1])


if __name__ == "__main__":
    unittest.main()
