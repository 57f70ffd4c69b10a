"""What others quote: that it can be quoted alone, and leads to what was released."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
sys.path.insert(0, str(HERE))

import publication  # noqa: E402
from published import (NOT_RELEASED, URL, Refused, cited, digest_of, is_released,  # noqa: E402
                       read_release)

COMMIT = "0123456789abcdef0123456789abcdef01234567"
SOURCES = publication.read_sources(SOURCE / "properties/sources.hpp")


def settled(id, verdict="true", **other):
    """A claim's row, as far as what is made of it looks at it."""
    topic = id.split(".")[0]
    return {"id": id, "topic": topic, "finding": f"Found is {id}", "belief": f"It is {id}.",
            "verdict": verdict, "condition": "d is even" if verdict.endswith(" if") else None,
            "premise": "it is large." if verdict.startswith("premise") else None,
            "summary": "So it is. In two sentences.", "anchor": f"{topic}.md#{id}",
            "asked_in": ["S0", "S1"], "mutants": {"killed": 3, "total": 3}, "fields": {},
            "measurements": [], **other}


def review(row, release=NOT_RELEASED):
    return publication.claim_reviews([row], release, SOURCES)["@graph"][0]


class Test(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.project, self.tree = (pathlib.Path(directory.name) / name for name in "pt")
        for place in (self.project / "reports", self.project / "properties", self.tree / "reports"):
            place.mkdir(parents=True)
        sources = "properties/sources.hpp"
        (self.project / sources).write_bytes((SOURCE / sources).read_bytes())
        self.record = self.project / "reports/release.json"

    def run_on(self, rows, *arguments):
        """Its exit code, and what it said."""
        for reports in (self.project / "reports", self.tree / "reports"):
            results = json.dumps({"version": "0.1.0", "claims": rows})
            (reports / "results.json").write_text(results, "utf-8")
        with contextlib.redirect_stderr(io.StringIO()) as said:
            code = publication.main(["--project", str(self.project), *map(str, arguments)])
        return code, said.getvalue()

    def released(self, *rows):
        """A release of all of these rows, read back from its file."""
        self.assertEqual(self.run_on(rows, "--release", COMMIT, "2025-03-04"), (0, ""))
        return read_release(self.record)

    def cite(self, *rows):
        """By its path, each file that comes of them."""
        self.assertEqual(self.run_on(rows, "--out", self.tree), (0, ""))
        return {str(path.relative_to(self.tree)): path.read_text("utf-8")
                for path in self.tree.rglob("*") if path.is_file()}


class Release(Test):
    def test_has_a_row_for_as_long_as_it_says_the_same(self):
        """Whatever a citation repeats: it has the row no more when one of them is another."""
        row = settled("topic.one", "true if")
        release = self.released(row)
        self.assertTrue(is_released({**row, "summary": "In other words."}, release))
        for key in ("finding", "belief", "verdict", "condition", "premise"):
            self.assertFalse(is_released({**row, key: "another"}, release), key)

    def test_is_written_as_it_always_was(self):
        """By digests that stand in releases: they have to hold on."""
        self.assertEqual(digest_of(settled("topic.one", "true if")), "4d52f6d79e905deb")
        self.assertEqual(digest_of(settled("topic.ein√", "premise true")), "86a2e4e818833b7b")
        row = settled("topic.√", "true if")
        self.released(row)
        self.assertEqual(self.record.read_text("utf-8"), f"""{{
 "version": "0.1.0",
 "commit": "{COMMIT}",
 "date": "2025-03-04",
 "claims": {{
  "topic.√": "{digest_of(row)}"
 }}
}}
""")

    def test_is_refused_where_it_is_not_as_it_is_written(self):
        for text in ("[]", "{}", json.dumps({**NOT_RELEASED, "commit": 1}), "{",
                     json.dumps({**NOT_RELEASED, "claims": {"topic.one": None}})):
            self.record.write_text(text, "utf-8")
            code, said = self.run_on([settled("topic.one")], "--out", self.tree)
            self.assertEqual(code, 2, text)
            self.assertIn("release.json: not as ./dev release writes it", said)
            self.assertEqual([file.name for file in self.tree.rglob("*.*")], ["results.json"])

    def test_stands_beside_what_cites_it_for_as_long_as_there_is_one(self):
        row = settled("topic.one")
        self.released(row)
        self.assertEqual(self.cite(row)["reports/release.json"], self.record.read_text("utf-8"))
        self.record.unlink()
        self.assertNotIn("reports/release.json", self.cite(row))


class Citation(Test):
    def test_names_the_release_or_says_that_there_is_none(self):
        row = settled("topic.one")
        text = self.cite(row)["CITATION.cff"]
        self.assertIn('\nversion: "0.1.0 (not released yet)"\nlicense: MIT\n', text)
        self.released(row)
        text = self.cite(row)["CITATION.cff"]
        self.assertIn(f'\nversion: "0.1.0"\ncommit: "{COMMIT}"\ndate-released: "2025-03-04"\nlic',
                      text)

    def test_has_the_address_that_the_build_has(self):
        build = (SOURCE / "CMakeLists.txt").read_text("utf-8")
        self.assertIn(f'\n  HOMEPAGE_URL "{URL}"\n', build)


class Bibliography(Test):
    def test_has_the_finding_for_a_title_and_the_belief_with_its_verdict(self):
        """A title that asserted the belief would be quoted as what was found."""
        entry = cited(settled("a.false", "false"), NOT_RELEASED, "bibtex")
        self.assertIn("title = {{Found is a.false}}", entry)
        self.assertIn("Verdict on “It is a.false.”: false}", entry)

    def test_leads_to_the_commit_of_a_release_or_says_that_there_is_none(self):
        same, changed = settled("a.false", "false"), settled("a.true")
        self.released(same, changed)
        text = self.cite({**changed, "finding": "So it is not"}, same)["reports/claims.bib"]
        head, changed, same = text.split("\n@misc{embedscale:")
        self.assertTrue(head.startswith("% Generated by ./dev reports. "), head)
        self.assertTrue(changed.startswith("a.true,\n") and same.startswith("a.false,\n"), text)
        for what in (f"\\url{{{URL}/blob/{COMMIT}/reports/a.md#a.false}}", "version = {0.1.0}",
                     "commit 0123456789ab. ", "year = {2025}"):
            self.assertIn(what, same)
        self.assertNotIn("not released", same)
        self.assertIn("/blob/main/reports/a.md#a.true}", changed)
        self.assertIn("not released yet", changed)
        self.assertNotIn("version =", changed)

    def test_has_tex_take_its_signs(self):
        row = settled("topic.one", "true if", finding="50 % of d_model^−½ & more",
                      condition="a\\b ~ #1")
        text = cited(row, NOT_RELEASED, "bibtex")
        self.assertIn(r"{{50 \% of d\_model\^{}−½ \& more}}", text)
        self.assertIn(r": true if a\textbackslash{}b \~{} \#1}", text)


class ClaimReviews(Test):
    def test_rate_the_belief_and_are_named_by_the_finding(self):
        one = review(settled("topic.two", "false"))
        self.assertEqual(one["claimReviewed"], "It is topic.two.")
        self.assertEqual(one["name"], "Found is topic.two")
        self.assertEqual(one["url"], URL + "/blob/main/reports/topic.md#topic.two")

    def test_rate_in_words_and_in_their_order(self):
        for verdict, condition, premise, number, words in (
                ("false", None, None, 1, "False"),
                ("true", None, None, 3, "True"),
                ("true if", "d_model ≥ 662", None, 2, "True if d_model ≥ 662"),
                ("premise true", None, "they are orthogonal", 2, "Premise true, reason not shown"),
                ("premise true if", "N = 2", "so", 2,
                 "Premise true if N = 2 (reason not shown)")):
            row = settled("topic.one", verdict, condition=condition, premise=premise)
            rating = review(row)["reviewRating"]
            self.assertEqual((rating["ratingValue"], rating["alternateName"]), (number, words))
        with self.assertRaisesRegex(Refused, "topic.one: a verdict"):
            review(settled("topic.one", "likely"))

    def test_say_what_the_verdict_is_on(self):
        self.assertEqual(review(settled("topic.one", "premise true"))["reviewBody"],
                         "The premise: it is large. So it is. In two sentences.")

    def test_are_of_settled_claims_and_dated_by_their_release(self):
        rows = settled("a.true"), settled("a.open", "open"), settled("a.false", "false")
        self.released(*rows)
        text = self.cite({**rows[0], "finding": "So"}, *rows[1:])["reports/claimreview.jsonld"]
        graph = json.loads(text)["@graph"]
        self.assertEqual([(one["identifier"], one.get("datePublished")) for one in graph],
                         [("a.true", None), ("a.false", "2025-03-04")])

    def test_say_where_the_belief_was_asked(self):
        works = review(settled("topic.one", asked_in=["S1"]))["itemReviewed"]["appearance"]
        self.assertEqual(works, [{
            "@type": "CreativeWork", "name": "Transformer model: Why are word embeddings scaled "
            "before adding positional encodings?",
            "url": "https://datascience.stackexchange.com/questions/87906"}])
        self.assertTrue(SOURCES["S3"][0].endswith("by square root of D) in a transformer?"))
        self.assertNotIn("appearance", review(settled("topic.one", asked_in=[]))["itemReviewed"])
        with self.assertRaisesRegex(Refused, "topic.one: 'nowhere' is no source"):
            review(settled("topic.one", asked_in=["nowhere"]))

    def test_know_every_source(self):
        declared = (SOURCE / "properties/sources.hpp").read_text("utf-8").count(' Source{"')
        self.assertGreater(declared, 50)
        self.assertEqual(len(SOURCES), declared)


class Badges(Test):
    def test_tell_what_of_a_topic_is_settled_and_rejected(self):
        rows = [settled("a.true"), settled("a.condition", "true if"), settled("a.false", "false"),
                settled("a.premise", "premise true"), settled("a.premise_if", "premise true if")]
        some = [*rows, settled("a.open", "open"), settled("other.one")]
        self.assertEqual(json.loads(self.cite(*some)["reports/badges/other.json"]), {
            "schemaVersion": 1, "label": "other",
            "message": "1 of 1 claims settled, 3 of 3 mutants rejected", "color": "brightgreen"})
        shown = publication.badges(some)["a"]
        self.assertEqual(shown["message"], "5 of 6 claims settled, 18 of 18 mutants rejected")
        self.assertEqual(shown["color"], "orange")
        for changed, color in (({}, "brightgreen"), ({"verdict": "open"}, "orange"),
                               ({"mutants": {"killed": 2, "total": 3}}, "red")):
            shown = publication.badges([{**rows[0], **changed}, *rows[1:]])["a"]
            self.assertEqual(shown["color"], color)
        self.assertEqual(publication.badges(some[5:6])["a"]["color"], "lightgrey")

    def test_show_the_finding_of_a_claim_and_no_judgement(self):
        """Neither red nor green, whatever the verdict: only what is not settled looks otherwise."""
        text = self.cite(settled("topic.one", "false"))["reports/badges/topic.one.json"]
        self.assertEqual(json.loads(text), {"schemaVersion": 1, "label": "topic",
                                            "message": "Found is topic.one", "color": "blue"})
        for verdict in ("true", "true if", "premise true", "premise true if"):
            self.assertEqual(publication.claim_badge(settled("topic.one", verdict))["color"],
                             "blue", verdict)
        self.assertEqual(publication.claim_badge(settled("topic.one", "open"))["color"],
                         "lightgrey")


class Program(Test):
    def test_says_what_is_missing(self):
        for arguments in ((), ("--out", self.tree, "--release", COMMIT, "2025-03-04")):
            with self.assertRaises(SystemExit) as ended:
                self.run_on([], *arguments)
            self.assertEqual(ended.exception.code, 2)
        code, said = self.run_on([], "--out", self.project / "none")
        self.assertEqual(code, 3)
        self.assertRegex(said, r"^publication: .*none/reports/results.json: No such file.*\n$")

    def test_leaves_alone_what_is_as_it_should_be(self):
        self.cite(settled("topic.one"))
        file = self.tree / "CITATION.cff"
        before = file.stat().st_mtime_ns
        self.cite(settled("topic.one"))
        self.assertEqual(file.stat().st_mtime_ns, before)


if __name__ == "__main__":
    unittest.main()
