"""What the page about the checks is made of is collected with a hash of each thing, so that a stale
page is seen without a run."""

import json
import unittest

from programs import SOURCE, Test, fnv1a, read, run, write


def record(time="0.1s", draws="54321"):
    """What one test program recorded."""
    spends = {"ledger": "an.entry", "spends": "alpha", "kind": "a kind", "alpha": "1e-10",
              "beta": "1e-07", "effect": "0.5", "grid": "3", "draws": draws, "statistic": "0.1",
              "smallest_effect": "0.1234", "time": time}
    rejects = {**spends, "spends": "beta", "mutants": "off by 1 (1)"}
    mutant = {"claim": "a.b", "property": "p", "subject": "s", "role": "rejects", "cases": "7",
              "time": time, "failures": []}
    covered = [{"role": "holds", "classes": classes, "cases": cases}
               for classes, cases in (("2", "4000"), ("3", "5000"), ("0", "3"))]
    tests = [spends, rejects, mutant, *covered, {"name": "other"}]
    return json.dumps({"testsuites": [{"testsuite": tests}]})


class Collecting(Test):
    """A project with one source and one record."""

    def setUp(self):
        super().setUp()
        self.source = self.scratch / "properties/evidence/one.hpp"
        self.records = self.scratch / "evidence/one.json"
        write(self.source, "int one;\n")
        self.declared = self.scratch / "declared.json"
        self.assertEqual(run("trust", "--declared", self.declared).returncode, 0)
        write(self.records, record())
        for file in ("properties/mutation/score.json", "analyses/identity/record.json"):
            write(self.scratch / file, "{}")
        write(self.scratch / "properties/mutation/equivalent.txt", "a.hpp#1\n  Equal.\n")

    def collected(self):
        inputs = self.scratch / "inputs.json"
        ended = run("/usr/bin/python3", "-B", SOURCE / "analyses/trust_inputs.py", "--source",
                    self.scratch, "--records", self.records, "--declared", self.declared,
                    "--inputs", self.source, "--out", inputs)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return json.loads(read(inputs))

    def test_takes_what_the_page_shows_and_hashes_it(self):
        found = self.collected()
        (spends, rejects, classes), (mutant,) = found["ledger"], found["mutants"]
        self.assertEqual((spends["draws"], spends["passed"]), ("54321", True))
        self.assertEqual(rejects["mutants"], "off by 1 (1)")
        self.assertEqual(classes["ledger"], "properties.required_coverage")
        self.assertEqual((classes["grid"], classes["draws"]), ("5", "4000"))
        self.assertEqual((classes["alpha"], classes["effect"]), ("1e-10", "0.1"))
        self.assertEqual(mutant["passed"], False)
        self.assertEqual(found["hashes"]["properties/evidence/one.hpp"], fnv1a("int one;\n"))

    def test_follows_sources_records_and_score_but_not_the_clock(self):
        before = self.collected()["hashes"]
        write(self.records, record(time="0.2s"))
        self.assertEqual(self.collected()["hashes"], before)
        for file, text, name in (
                (self.source, "int two;\n", "properties/evidence/one.hpp"),
                (self.records, record(draws="12345"), "the tests' records of the ledger"),
                (self.scratch / "properties/mutation/score.json", "{\"seed\": 1}\n",
                 "the score of source mutation"),
                (self.scratch / "analyses/identity/record.json", "{\"files\": 1}\n",
                 "the record of identical reports")):
            write(file, text)
            self.assertNotEqual(self.collected()["hashes"][name], before[name], name)


if __name__ == "__main__":
    unittest.main()
