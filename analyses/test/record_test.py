"""record keeps what the tests did of our claims and of the ledger, and with --check compares."""

import json
import unittest

from programs import SOURCE, Test, read, run, write

KEPT = """{"hash": "12ab", "testsuites": [
{"name": "b", "testsuite": [
{"name":"one","claim":"a.one","property":"é \\"x\\"","cases":"10"},
{"name":"two","claim":"a.fact","failures":[{"failure":"not so","type":""}]}
]},
{"name": "a", "testsuite": [
{"name":"spends","ledger":"an.entry","alpha":"1e-05"}
]}
]}
"""


class Recording(Test):
    """Two files of tests, and a program that declares a claim and a fact."""

    def setUp(self):
        super().setUp()
        self.suites, self.record = self.scratch / "suites", self.scratch / "record.json"
        one = {"name": "one", "file": "/x.cpp", "time": "1s", "cases": "10", "worst": "",
               "property": "é \"x\"", "claim": "a.one"}
        self.write("1.json", b=[one, {"name": "plain"}, {"name": "made up", "claim": "topic.one"},
                                {"name": "two", "failures": [{"failure": "not so", "type": ""}],
                                 "claim": "a.fact"}])
        self.write("2.json", none=[{"name": "plain"}],
                   a=[{"name": "spends", "alpha": "1e-05", "ledger": "an.entry"}])
        write(self.suites / "notes.txt", "none\n")
        write(self.scratch / "declared", "#!/bin/sh\n"
              "echo '{\"claims\": {\"a.one\": {}}, \"facts\": [\"a.fact\"]}'\n")
        (self.scratch / "declared").chmod(0o755)

    def write(self, file, **suites):
        write(self.suites / file, json.dumps({"testsuites": [
            {"name": name, "testsuite": tests} for name, tests in suites.items()]}))

    def recorded(self, *more, given=()):
        return run("/usr/bin/env", "-u", "EMBEDSCALE_SEED", "-u", "EMBEDSCALE_CASES", *given,
                   "/usr/bin/python3", "-B", SOURCE / "analyses/record.py", "--suites", self.suites,
                   "--hash", "12ab", "--record", self.record, "--programs", self.scratch, *more)

    def refuse(self, code, why, *more, given=()):
        ended = self.recorded(*more, given=given)
        self.assertEqual((ended.returncode, ended.stdout), (code, ""))
        self.expect_line(ended.stderr, why)

    def test_keeps_claims_facts_and_entries_without_times_and_paths(self):
        self.assertEqual(self.recorded().returncode, 0)
        self.assertEqual(read(self.record), KEPT)

    def test_check_tells_whether_it_is_what_the_tests_did(self):
        self.refuse(1, "record.json is not what these tests did", "--check")
        self.assertFalse(self.record.exists())
        write(self.record, KEPT)
        self.assertEqual(self.recorded("--check", given=("EMBEDSCALE_SEED=0",)).returncode, 0)
        write(self.record, KEPT.replace("10", "11"))
        self.refuse(1, "record.json is not what these tests did", "--check")

    def test_keeps_no_other_run(self):
        for given in ("EMBEDSCALE_SEED=3", "EMBEDSCALE_CASES=10"):
            self.refuse(2, "EMBEDSCALE_SEED or EMBEDSCALE_CASES is set", given=(given,))
            self.assertEqual(self.recorded("--check", given=(given,)).returncode, 77)
        self.assertFalse(self.record.exists())

    def test_says_what_it_cannot_read(self):
        write(self.suites / "3.json", "half")
        self.refuse(2, "3.json")
        write(self.suites / "3.json", "{}")
        self.refuse(2, "what the tests did has no 'testsuites'")
        self.suites = self.scratch / "none"
        self.refuse(3, "none")


if __name__ == "__main__":
    unittest.main()
