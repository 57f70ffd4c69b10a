"""What people write of the claims agrees with what there is, in the tree that this build generated:
ids, quantities, words, findings, the length of pages, figures that are known from elsewhere. What a
page, an index or a bibliography has of a claim is made from its row, and is not looked for here;
nor is that no sentence stands on another verdict than it presumes, which is merged_test.py's, nor
where links lead, which is ./dev site's."""

import collections
import json
import re
import sys
import unittest

from programs import SITE, SOURCE, read

sys.path.insert(0, str(SOURCE / "analyses/identity"))

from compare import measurements_in  # noqa: E402

REPORTS = SITE / "reports"
STRINGS = r'((?:"[^"]*"\s*)+)'  # a literal of C++, in parts


def rows(tree):
    """Those of the claims, by id."""
    claims = json.loads(read(tree / "reports/results.json"))["claims"]
    return {row["id"]: row for row in claims}


def declared():
    """The id of each claim and the quantities that it measures, as properties/*/claims.hpp have
    them."""
    for file in sorted((SOURCE / "properties").glob("*/*claims*.hpp")):
        for claim in re.split(r"\bconstexpr Claim \w+\s*\{", read(file))[1:]:
            claim = claim.split("\ninline")[0]
            id = re.search(r'\.id\s*=\s*"([^"]+)"', claim).group(1)
            measures = re.search(rf"\.measures\s*=\s*{STRINGS}", claim)
            listed = "".join(re.findall(r'"([^"]*)"', measures.group(1))) if measures else ""
            yield id, {one.split(":")[0].strip() for one in listed.split(",") if one}


def pages():
    """The text of each, by its file's name."""
    return {file.name: read(file) for file in REPORTS.glob("*.md")}


class Published(unittest.TestCase):
    def test_results_are_what_the_analyses_measure(self):
        """A change of an analysis shows here, whichever number it reaches: ./dev reports publishes
        it."""
        committed = rows(SOURCE)
        for id, row in rows(SITE).items():
            with self.subTest(id):
                for key in ("verdict", "condition", "counterexample", "evaluated", "obligations",
                            "fields"):
                    self.assertEqual(committed[id][key], row[key], key)
                for old, new in zip(measurements_in(committed[id]), measurements_in(row),
                                    strict=True):
                    self.assertEqual(old, new)


class Claims(unittest.TestCase):
    def test_have_ids_of_their_own_and_lose_none_that_was_released(self):
        ids = [id for id, _ in declared()]
        self.assertEqual([], [id for id, n in collections.Counter(ids).items() if n > 1])
        released = json.loads(read(SOURCE / "reports/release.json"))["claims"]
        self.assertGreaterEqual(len(released), 64)
        self.assertEqual(set(), released.keys() - set(ids), "gone, but ids are permanent")

    def test_measure_the_quantities_that_they_declare(self):
        self.assertEqual({id: {group["quantity"] for group in row["measurements"]}
                          for id, row in rows(SITE).items()}, dict(declared()))

    def test_are_settled_by_records_alone_where_they_are_trained_or_read(self):
        """What speaks about the belief."""
        by_records = collections.defaultdict(set)
        for suite in json.loads(read(SOURCE / "properties/record.json"))["testsuites"]:
            for test in suite["testsuite"]:
                if test.get("speaks_about") in ("belief", "necessity", "both"):
                    by_records[test["claim"]].add(suite["name"].endswith("_in_records"))
        for id, row in rows(SITE).items():
            with self.subTest(id):
                self.assertEqual(by_records[id] == {True}, row["kind"] in ("trained", "read"))
                self.assertEqual(row["kind"] == "trained", row["topic"] == "training")

    def test_have_all_the_words(self):
        """A claim's words are asked for; words of what is none would be read by nobody."""
        made = rows(SITE)
        for topic in {row["topic"] for row in made.values()}:
            words = read(SOURCE / "analyses" / topic / "words.md")
            for id in re.findall(r"^## (\S*\.\S*)$", words, re.M):
                self.assertIn(id, made)
                self.assertEqual(made[id]["topic"], topic, id)

    def test_have_a_finding_of_their_own(self):
        """Not the belief, nor another's, and without a figure: it stands for as long as its id."""
        # A formula's number stands behind a letter, a sign or before a slash: √d_k, σ², 1/√d_k.
        figure = re.compile("(^| )[0-9][0-9.,]*( |%|$)")
        self.assertRegex("It is 0.5 of 1/√d_k", figure)
        made = rows(SITE).values()
        self.assertEqual(len({row["finding"] for row in made}), len(made))
        for row in made:
            self.assertNotEqual(row["finding"] + ".", row["belief"])
            self.assertNotRegex(row["finding"], figure)


class Pages(unittest.TestCase):
    def test_show_figures_that_there_are(self):
        shown = {figure for text in pages().values()
                 for figure in re.findall(r"\]\((figures/[^)]*)\)", text)}
        self.assertIn("figures/equivalence.svg", shown)
        self.assertEqual([], [figure for figure in shown if not (REPORTS / figure).exists()])

    def test_are_read_in_one_go(self):
        """What a page shows before a fold is opened is read in one go: 3,000 words, of some pages
        more; of questions one is read, not all."""
        others = {"attention.md": 4000, "sinusoidal.md": 4000, "conventions.md": 4000,
                  "folklore.md": 4000, "questions.md": 9400, "decide.md": 1300, "port.md": 2150,
                  "training.md": 7100,  # eleven claims, each with its tables
                  "README.md": 1300}
        self.assertLess(others.keys(), pages().keys())
        for name, text in pages().items():
            text = re.sub("<details>.*?</details>", "", text.split("\n## All claims\n")[0],
                          flags=re.S)
            words = len(text.split())
            self.assertLessEqual(words, others.get(name, 3000), name)
            self.assertGreaterEqual(words, 300, name)

    def test_say_the_independently_known(self):
        for page, figures in {
                # √2 for d^−½ times √d beside sinusoids of RMS 1/√2.
                "README.md": ["standard deviation 1, 1.41 times a sinusoid's RMS"],
                # 512/√64; √512; 1/(2σ²) for σ = 0.01 and 0.02; 0.02·√768 and √768; ln 32128.
                "questions.md": ["multiply that part by 64.", "√d_model, 22.6 at d_model = 512",
                                 "below d_model = 5,000", "below 1,250.", "an RMS of 0.554 beside",
                                 "√768 = 27.7,", "where ln V is 10.4"],
                # GPT-2 and tensor2tensor are where their laws say.
                "decide.md": ["|  2.00 |      55.4 |", "|  1.41 |    0.0625 |",
                              "| leave as is (computed) ", "| keep (trained) ",
                              "| no matter (derived) "]}.items():
            text = pages()[page]
            for figure in figures:
                self.assertIn(figure, text)

    def test_count_the_systems_with_small_tables(self):
        """What folklore's C6 and the questions say in words of the systems whose tables start near
        0.01."""
        made = rows(SITE)

        def measured(id, quantity):
            found = {}
            for m in measurements_in(made[id]):
                if m["quantity"] == quantity and "system" in m["at"]:
                    found.setdefault(m["at"]["system"], m["value"])
            return found

        ratios = measured("embedding.balances_the_two_parts", "token_to_position")
        steps = measured("optimizer.relative_step", "relative_step")
        # At learning rate 1, ε = 0, a step is 1/σ.
        known = [ratios[system] for system, step in steps.items()
                 if 0.005 <= 1 / step <= 0.0200001 and system in ratios]
        fainter, equal = sum(ratio < 1 for ratio in known), sum(ratio == 1 for ratio in known)
        near = int(made["embedding.small_tables_stay_dominated"]["fields"]["near"])
        without = near - len(known)
        self.assertGreater(2 * (equal + without), near)
        self.assertLess(fainter, equal)
        self.assertGreater(fainter, 0)
        for said in ("most of these have positions that are learned and drawn alike",
                     "fewer have tokens fainter than their positions"):
            self.assertIn(said, pages()["folklore.md"])


if __name__ == "__main__":
    unittest.main()
