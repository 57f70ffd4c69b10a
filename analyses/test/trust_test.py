"""The page about the checks follows what is counted and recorded; and what the program trust counts
and declares for it."""

import copy
import json
import math
import sys
import unittest

from programs import SOURCE, Test, fnv1a, read, run, tree, write

sys.path.insert(0, str(SOURCE / "analyses"))

import trust  # noqa: E402
from report.files import read_json  # noqa: E402
from report.markdown import Words, at_most  # noqa: E402
from trust_counts import BROKEN, CONSERVATIVE, RARER, remark  # noqa: E402

INTERVAL_ALPHA = 1e-3
WORDS = SOURCE / "analyses/trust.md"


def up_to(hits, runs, p):
    """The probability of so many successes or fewer."""
    logs = [math.lgamma(runs + 1) - math.lgamma(k + 1) - math.lgamma(runs - k + 1)
            + k * math.log(p) + (runs - k) * math.log1p(-p) for k in range(hits + 1)]
    return math.fsum(map(math.exp, logs))


def rate_where(is_above):
    """The least rate of which that holds, of a growing condition."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if is_above(middle) else (middle, high)
    return high


def count(hits, runs, **where):
    """With its interval, by the definition of Clopper and Pearson."""
    half = INTERVAL_ALPHA / 2
    lower = rate_where(lambda p: 1 - up_to(hits - 1, runs, p) >= half) if hits > 0 else 0.0
    upper = rate_where(lambda p: up_to(hits, runs, p) <= half)
    return {"hits": hits, "runs": runs, "lower": lower, "upper": upper, **where}


class Remarks(Test):
    def test_compare_the_interval_with_the_nominal_rate(self):
        """Of 10⁶ nulls at 10⁻³: the interval goes from 10⁻³ − 1.0·10⁻⁴ to 10⁻³ + 1.1·10⁻⁴ about
        1000."""
        for hits, declares, said in (
                (1000, "exactly", "as declared"), (1080, "exactly", "as declared"),
                (1150, "exactly", BROKEN), (1150, "at most", BROKEN),
                (850, "exactly", RARER), (850, "at most", "as declared"),
                (0, "exactly", CONSERVATIVE), (0, "at most", CONSERVATIVE)):
            self.assertEqual(remark(count(hits, 1000000), declares, 1e-3), said, (hits, declares))
        # Of 10⁵ nulls not one is too few to tell.
        self.assertEqual(remark(count(0, 100000), "at most", 1e-3), "as declared")


def identity():
    """Three ways of making the reports, in which so many values, and files, differ."""
    made = read_json(SOURCE / "analyses/identity/record.json")
    made["functions"] = [{"instructions": "no FMA", "other_bits": ["exp"]}]
    made["tried"] = [made["tried"][0] | {"changed": changed, "build": "a compiler",
                                         "version": "1.2", "files_that_differ": files,
                                         "values_that_differ": values}
                     for changed, values, files in (("", 0, 0), ("threads", 7, 0),
                                                    ("threads, compiler", 9, 1))]
    made["nearest"][0]["times"] = 1234
    made["differences"] = [{"way": "way", "file": "topic.md", "row": "line 3", "committed": "1",
                            "made": "2"}]
    return made


def mutation():
    made = read_json(SOURCE / "properties/mutation/score.json")
    made["population"] = 900
    made["total"] |= {"mutants": 200, "killed": 180, "timed_out": 5, "survived": 3, "score": 0.984,
                      "lower": 0.954, "upper": 0.997}
    made["unexplained"] = [{"id": "attention.hpp#12", "before": "a + b", "after": "a - b"}]
    made["explanations"] = "# c\nformat.hpp#1f\n  x for y.\n  Equal.\n"
    return made


def entry(id, spends, passed):
    return {"ledger": id, "spends": spends, "kind": "a kind", "alpha": "1e-10", "beta": "1e-07",
            "effect": "0.5", "grid": "3", "passed": passed, "draws": "54321",
            "smallest_effect": "0.1234"}


def planted(claim, property, subject, passed):
    return {"claim": claim, "property": property, "subject": subject, "cases": "7",
            "passed": passed}


class Pages(Test):
    """A page of counts that are given, not simulated."""

    @classmethod
    def setUpClass(cls):
        cls.one = {"kind": "one kind", "drawn": "its null", "draws": 16, "declares": "exactly",
                   "alarms": count(1000, 1000000), "unit": "σ", "effect": 0.5,
                   "misses": [count(1000, 100000, where="up"), count(990, 100000, where="down")]}

    def setUp(self):
        super().setUp()
        declared = self.scratch / "declared.json"
        self.assertEqual(run("trust", "--declared", declared).returncode, 0)
        self.kind = copy.deepcopy(self.one)
        self.counts = {"rates": {"alpha": 1e-3, "beta": 1e-2}, "interval_alpha": INTERVAL_ALPHA,
                       "figure": {"name": "trust_it", "title": "It [1]"}, "kinds": [self.kind]}
        self.inputs = {"hashes": {"a.hpp": "1"}, "declared": read_json(declared), "ledger": [],
                       "mutants": [], "mutation": mutation(), "identity": identity()}

    def page(self):
        """With its evidence."""
        text, evidence, _ = trust.page(Words(read(WORDS), WORDS.name), self.counts, self.inputs)
        return text + evidence

    def expect(self, *all):
        made = self.page()
        for what in all:
            self.assertIn(what, made)

    def test_say_what_was_counted_and_name_what_is_broken(self):
        self.expect("all 1 have a rate", "**no record**", "![It \\[1\\]](figures/trust_it.svg)",
                    "[Whole tables](evidence/trust.md#The-same-bits)",
                    '<a id="False-alarms"></a>\n\n## False alarms\n\n|')
        self.assertNotIn("| **broken** |", self.page())
        self.kind["alarms"] = count(2000, 1000000)
        self.expect("0 of 1 have a rate", "Above it: one kind.")
        self.kind["alarms"] = count(500, 1000000)
        self.kind["misses"][1] = count(3000, 100000, where="down")  # one side only
        self.expect("0 of 1 miss it", "More often: one kind.",
                    "although the rate itself is declared: one kind.")

    def test_say_what_is_declared(self):
        entries = self.inputs["declared"]["entries"]
        alpha, beta = (at_most(sum(entry[rate] for entry in entries)) for rate in ("alpha", "beta"))
        batch_means = [entry for entry in entries if "batch means" in entry["kind"]]
        self.expect(f"with a probability of at most {alpha}. It",
                    f"pass with at most {beta}. These",
                    f"batch means of {len(batch_means)} of these",
                    "mostly 10⁻¹⁰, there", "at or below 10⁻⁷. Σβ", "at or below 0.0001. Both",
                    "a class with 90 % of")

    def test_show_the_records(self):
        id = self.inputs["declared"]["entries"][0]["id"]
        self.inputs["ledger"] = [entry(id, "alpha", True), entry(id, "beta", False),
                                 entry("of.a_self_test", "beta", True)]
        self.inputs["mutants"] = [planted("combination.rounds_identically", "p", "divides_twice",
                                          False)]
        self.expect("| 54,321 |", "divides twice", "**survives**", "0 of 1 wrong primitives",
                    "0 of 3 wrong distributions beside these")

    def test_tell_whether_one_percent_is_caught(self):
        self.expect("0 of 3")
        law = entry("initializer.normal_draws_have_their_variance", "beta", True)
        law["mutants"] = "standard deviation one percent high (0.01)"
        self.inputs["ledger"] = [law]
        self.inputs["mutants"] = [
            planted("conventions.multiplier_sets_the_scale", "ratio",
                    "multiplies_by_one_percent_more", True),
            planted("primitives.scale_is_that_of_a_head", "in_each_format",
                    "scales_logits_by_one_percent_more", False)]
        self.expect("2 of 3", "1 of 2 wrong primitives",
                    "1 by a claim's,\n  0 by that of a stated fact",
                    "**not caught** by primitives.scale_is_that_of_a_head: in each format")

    def test_show_in_which_ways_the_reports_were_made(self):
        self.expect("3 ways, by a compiler (1.2). glibc", "any way: 1.",
                    "other bits for exp (of those looked at)", " 1,200 |",
                    "- way: `topic.md`, line 3: `1` committed, `2` made")

    def test_show_the_score_and_what_survives(self):
        self.expect("**98.4 %** of the 188 that compile and are not argued equivalent",
                    "95.4 % to 99.7 %", "Of 900 possible changes 200 were tried",
                    "- Survives unexplained: `attention.hpp#12`, `a + b` → `a - b`",
                    "- `format.hpp#1f`:\n  x for y.\n  Equal.\n")


class Programs(Test):
    def made(self, inputs):
        write(self.scratch / "inputs.json", json.dumps(inputs))
        return run("/usr/bin/python3", "-B", SOURCE / "analyses/trust.py", "--words", WORDS,
                   "--inputs", self.scratch / "inputs.json", "--counts",
                   self.scratch / "counts.json", "--out", self.scratch / "reports")

    def test_count_and_write_the_page_or_say_why_not(self):
        counts, told = self.scratch / "counts.json", self.scratch / "declared.json"
        ended = run("trust", "--declared", told, "--counts", counts, "--samples", "1000")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        kinds = read_json(counts)["kinds"]
        for seen in [seen for one in kinds for seen in (one["alarms"], *one["misses"])]:
            own = count(seen["hits"], seen["runs"])
            for end in ("lower", "upper"):
                self.assertAlmostEqual(seen[end], own[end], delta=1e-9, msg=seen)
        declares = {one["kind"]: one["declares"] for one in kinds}
        self.assertEqual(declares["mean of a normal distribution, σ known"], "exactly")
        self.assertEqual(declares["coverage of a class"], "at most")
        inputs = {"hashes": {"a.hpp": "1"}, "declared": read_json(told), "ledger": [],
                  "mutants": [], "mutation": mutation(), "identity": identity()}
        ended = self.made(inputs | {"mutation": {}})
        self.assertEqual(ended.returncode, 2)
        self.expect_line(ended.stderr, "what was recorded has no 'total'")
        ended = self.made(inputs)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        reports = tree(self.scratch / "reports")
        self.assertEqual(set(reports), {"trust.md", "evidence/trust.md", "data/trust.json",
                                        "data/trust_false_alarms.csv",
                                        "figures/trust_false_alarms.svg"})
        self.assertIn(b"(figures/trust_false_alarms.svg)", reports["trust.md"])
        data = json.loads(reports["data/trust.json"])
        self.assertEqual(data["inputs"], inputs["hashes"])
        self.assertEqual(data["page"],
                         fnv1a((reports["trust.md"] + reports["evidence/trust.md"]).decode()))
        self.assertEqual(len(data["kinds"]), len(kinds))
        for shown, one in zip(data["kinds"], kinds):
            self.assertEqual(shown["alarms"]["hits"], one["alarms"]["hits"])
            self.assertEqual([missed["where"] for missed in shown["misses"]],
                             [missed["where"] for missed in one["misses"]])
            self.assertEqual(shown["effect"], float(f"{one['effect']:.2e}"))


if __name__ == "__main__":
    unittest.main()
