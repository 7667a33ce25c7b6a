#!/usr/bin/python3
"""Tests of what orders the host, its streams, copies and functions (cuda/host_orders.cu): none missed, none false.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/host_orders_test.py
"""
import pathlib
import unittest

from programs import EXIT_BAD, runner

SOURCE = pathlib.Path(__file__).with_name("cuda") / "host_orders.cu"

# What differs in a program that is built with --default-stream per-thread.
PER_THREAD = {"null_stream_then_blocking": False, "stream_per_thread_and_null_stream": True, "blocking_then_legacy_stream": True,
              "set_then_a_blocking_stream": False, "from_pageable_then_the_null_stream": True, "one_stream": True,
              "non_blocking_then_legacy_stream": False}


class HostOrders(unittest.TestCase):
    def check(self, called, name, is_right):
        with self.subTest(name=name):
            done = called(name)
            self.assertEqual((done.returncode, "race: " in done.stderr), (0, False) if is_right else (EXIT_BAD, True), done.stderr)

    def test_each_case_is_right_or_wrong(self):
        called = runner(SOURCE.read_text(encoding="utf-8"), "--nestbed-races")
        cases = called().stdout.splitlines()
        self.assertGreater(len(cases), 140)
        for case in cases:
            self.check(called, case[1:], case[0] == "+")

    def test_the_null_stream_is_the_threads_own_where_the_program_is_built_so(self):
        called = runner(SOURCE.read_text(encoding="utf-8"), "--nestbed-races", "--default-stream", "per-thread")
        for name, is_right in PER_THREAD.items():
            self.check(called, name, is_right)


if __name__ == "__main__":
    unittest.main()
