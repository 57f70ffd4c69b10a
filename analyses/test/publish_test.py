"""publish puts the generated tree in the committed one's place, and with --check shows where the
committed one is stale or was edited. page.sh measures a page, or copies the committed one."""

import json
import shutil
import unittest

from programs import SOURCE, Test, fnv1a, read, run, tree, write

PUBLISH = ("/usr/bin/python3", "-B", SOURCE / "analyses/publish.py")
PAGE = "reports/topic.md"


def results(verdict):
    row = {"id": "topic.one", "status": "evaluated", "verdict": verdict, "condition": None}
    return json.dumps({"version": "0.1.0", "claims": [row]}, indent=1) + "\n"


def make(root, page, hash):
    """A page that takes minutes."""
    data = {"inputs": {"a.hpp": hash}, "page": fnv1a(page + "Draws.\n")}
    write(root / "reports/trust.md", page)
    write(root / "reports/evidence/trust.md", "Draws.\n")
    write(root / "reports/data/trust.json", json.dumps(data))
    write(root / "reports/figures/trust_rates.svg", "<svg/>\n")


class Publishing(Test):
    """A generated tree, and a repository that has published it, with sources of its own; and a page
    that takes minutes, made apart and published before."""

    def setUp(self):
        super().setUp()
        self.site, self.repository = self.scratch / "site", self.scratch / "repository"
        self.apart = self.scratch / "apart/trust"
        for root in (self.site, self.repository):
            write(root / "README.md", "# One\n")
            write(root / PAGE, "# Topic\n\nIt holds.\n")
            write(root / "reports/figures/topic.svg", "<svg></svg>\n")
            write(root / "reports/results.json", results("true"))
        write(self.site / "reports/provenance.json", "\"this machine\"\n")
        write(self.repository / "reports/provenance.json", "\"another machine\"\n")
        write(self.repository / "analyses/topic.md", "words\n")
        self.make_inputs({"a.hpp": "1"})
        for root in (self.apart, self.repository):
            make(root, "# Trust\n", "1")

    def make_inputs(self, hashes):
        write(self.apart / "inputs.json", json.dumps({"hashes": hashes}))

    def publish(self, *more):
        return run(*PUBLISH, self.site, self.repository, "--apart", self.apart, *more)

    def stale(self, advice="./dev reports"):
        """What --check prints of a tree that is not current, or nothing; it changes nothing."""
        before = tree(self.repository)
        checked = self.publish("--check")
        self.assertEqual(tree(self.repository), before)
        self.assertEqual(checked.returncode, 1 if checked.stdout else 0)
        if checked.stdout:
            self.expect_line(checked.stderr, advice)
        return checked.stdout

    def published(self, file):
        return read(self.repository / file)

    def test_leaves_a_current_tree_and_its_provenance_alone(self):
        make(self.apart, "# Another\n", "1")  # is not named
        before = tree(self.repository)
        self.assertEqual(self.stale(), "")
        again = self.publish()
        self.assertEqual((again.returncode, again.stdout), (0, ""), again.stderr)
        self.assertEqual(tree(self.repository), before)

    def test_check_compares_every_generated_file(self):
        for file, content in tree(self.site).items():
            with self.subTest(file):
                (self.repository / file).write_bytes(content + b" ")
                self.assertEqual(self.stale() == "", file == "reports/provenance.json")
                (self.repository / file).write_bytes(content)
        write(self.repository / PAGE, "# Topic\n\nIt holds, surely.\n")
        shown = self.stale()
        self.assertIn("-It holds, surely.\n+It holds.\n", shown)
        self.assertIn(PAGE, shown)
        self.assertNotIn("figures/topic.svg", shown)

    def test_repairs_what_was_edited_lost_or_is_generated_no_more(self):
        write(self.repository / PAGE, "edited\n")
        (self.repository / "reports/figures/topic.svg").unlink()
        write(self.repository / "reports/figures/old.svg", "<svg/>\n")
        write(self.repository / (PAGE + ".writing"), "it h")  # by a run that was killed
        self.assertIn("reports/figures/old.svg", self.stale())
        ended = self.publish()
        self.assertEqual(ended.returncode, 0)
        self.assertEqual(ended.stdout, "reports/figures/topic.svg\nreports/topic.md\n"
                                       "reports/figures/old.svg (removed)\n"
                                       "reports/topic.md.writing (removed)\n")
        self.assertEqual(self.published(PAGE), "# Topic\n\nIt holds.\n")
        self.assertEqual(self.published("analyses/topic.md"), "words\n")
        self.assertEqual(self.published("reports/provenance.json"), "\"this machine\"\n")
        self.assertEqual(self.stale(), "")

    def test_puts_a_named_page_in_place_and_prints_the_verdicts_that_changed(self):
        make(self.apart, "# Another\n", "2")
        write(self.repository / "reports/results.json", results("false"))
        write(self.repository / "reports/figures/trust_old.svg", "<svg/>\n")
        ended = self.publish("--named", "trust")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("verdicts changed:\ntopic.one: false → true\n", ended.stdout)
        self.assertEqual(self.published("reports/trust.md"), "# Another\n")
        figures = tree(self.repository / "reports/figures")
        self.assertNotIn("trust_old.svg", figures)
        self.assertIn("trust_rates.svg", figures)

    def test_check_compares_what_a_page_was_made_of(self):
        def expect_stale(why):
            self.assertIn(f"reports/trust.md: {why}", self.stale("./dev reports trust"))

        for hashes, why in (({"a.hpp": "2"}, "a.hpp has changed"),
                            ({"a.hpp": "1", "b.hpp": "1"}, "b.hpp was added"),
                            ({}, "a.hpp is gone")):
            self.make_inputs(hashes)
            expect_stale(why)
        self.make_inputs({"a.hpp": "1"})
        write(self.repository / "reports/evidence/trust.md", "Drawn.\n")
        expect_stale("it, or reports/evidence/trust.md, is not as it was made")
        (self.repository / "reports/trust.md").unlink()
        expect_stale("reports/trust.md is not there")

    def test_refuses_what_it_does_not_know(self):
        for arguments in ((), (self.site,), ("--no-such-option", self.site, self.repository),
                          (self.site, self.scratch / "nowhere")):
            refused = run(*PUBLISH, *arguments)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""))
            self.assertIn("publish: error: ", refused.stderr)
        missing = self.publish("--apart", "nowhere/elsewhere", "--named", "elsewhere")
        self.assertEqual(missing.returncode, 3)
        self.expect_line(missing.stderr, "nowhere/elsewhere/reports/elsewhere.md")

    def test_says_so_when_it_cannot_write(self):
        write(self.repository / PAGE, "edited\n")
        write(self.site / PAGE, 10000 * "x")
        before = tree(self.repository)
        limited = run("/bin/sh", "-c", "ulimit -f 8; \"$@\"", "sh", *PUBLISH, self.site,
                      self.repository)
        self.assertEqual(limited.returncode, 3)
        self.expect_line(limited.stderr, PAGE)
        self.assertEqual(self.published(PAGE), "edited\n")
        self.assertEqual(tree(self.repository).keys(), before.keys())


class APage(Test):
    """A project with a topic that is measured by a command."""

    def setUp(self):
        super().setUp()
        self.project, self.site = self.scratch / "project", self.scratch / "site"
        self.reports = self.project / "reports"
        for folder in ("atlas", "audit", "cli", "exhaustive", "other", "report", "systems",
                       "topic"):
            (self.project / "analyses" / folder).mkdir(parents=True)
        for file in ("lib/a.hpp", "properties/record.json", "analyses/training/record.json",
                     "analyses/topic/words.md", "analyses/topic/sections.cpp",
                     "analyses/other/cases.hpp", "CMakePresets.json",
                     "cmake/floating_point.cmake"):
            write(self.project / file, "1")
        shutil.copy(SOURCE / "analyses/cli/page.sh", self.project / "analyses/cli/page.sh")
        self.made()
        shutil.copytree(self.site / "reports", self.reports)

    def made(self, given="A=1"):
        """Makes the page, and tells whether it was measured."""
        ran, copied = self.scratch / "ran", self.site / "copied"
        ran.unlink(missing_ok=True)
        ended = run("/usr/bin/env", given, self.project / "analyses/cli/page.sh", "topic",
                    self.site / "reports", copied, "/bin/sh", "-c",
                    "cd \"$0\" && touch ran && mkdir -p site/reports/data site/reports/evidence && "
                    "cd site/reports && for f in topic.md evidence/topic.md data/topic.json "
                    "data/topic_a.csv; do echo measured > $f; done", self.scratch)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertNotEqual(copied.exists(), ran.exists())
        self.assertEqual(len(tree(self.site / "reports")), 5)
        return ran.exists()

    def test_is_copied_where_the_same_sources_measured_what_is_committed(self):
        self.assertFalse(self.made())
        self.assertEqual(tree(self.site / "reports"), tree(self.reports))
        self.assertTrue(self.made("EMBEDSCALE_MEASURE=1"))

    def test_is_measured_where_any_of_them_is_another(self):
        for file in ("lib/a.hpp", "properties/record.json", "analyses/training/record.json",
                     "analyses/topic/words.md", "analyses/topic/sections.cpp",
                     "analyses/other/cases.hpp", "CMakePresets.json", "reports/topic.md",
                     "reports/data/topic_a.csv"):
            with self.subTest(file):
                was = read(self.project / file)
                write(self.project / file, "2")
                self.assertTrue(self.made())
                write(self.project / file, was)
                self.assertFalse(self.made())
        for added in ("analyses/systems/new.toml", "reports/figures/topic_new.svg"):
            write(self.project / added, "1")
            self.assertTrue(self.made(), added)
            (self.project / added).unlink()
        (self.reports / "evidence/topic.md").unlink()
        self.assertTrue(self.made())


if __name__ == "__main__":
    unittest.main()
