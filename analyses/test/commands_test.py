"""The programs as their users meet them: options, exit codes, what goes to which stream."""

import json
import os
import resource
import shutil
import unittest

from programs import PROGRAMS, QUICK, SITE, SOURCE, Test, measure, read, run, tree, write

RESULTS = SITE / "reports/results.json"
SYSTEMS = SOURCE / "analyses/systems"


def ids():
    return [row["id"] for row in json.loads(read(RESULTS))["claims"]]


class Commands(Test):
    def setUp(self):
        super().setUp()
        self.project = self.scratch / "project"
        for file in ("README.md", "analyses/answer.md", "analyses/certainty.md",
                     "analyses/folklore.md", "analyses/decide.md", "analyses/decide.toml",
                     "analyses/explore/page.md", "analyses/port.md",
                     "analyses/report/results.schema.json", "properties/mutation/score.json"):
            write(self.project / file, read(SOURCE / file))
        shutil.copytree(SOURCE / "analyses/trained", self.project / "analyses/trained")

    def take_rows(self):
        """What the build measured, for the answer to merge."""
        shutil.copytree(SITE / "reports/data", self.scratch / "reports/data")

    def answer(self):
        return run("/usr/bin/python3", "-B", SOURCE / "analyses/answer.py", "--project",
                   self.project, "--out", self.scratch, "--programs", PROGRAMS)

    def test_answer_help_and_version_and_refuse_what_they_do_not_know(self):
        for name in ("analyses", "embedscale"):
            with self.subTest(name):
                help, version = run(name, "--help"), run(name, "--version")
                self.assertEqual(help.returncode, 0)
                self.assertIn("Usage: ", help.stdout)
                self.expect_line(version.stdout, os.environ["EMBEDSCALE_VERSION"])
                self.assertEqual(help.stderr + version.stderr, "")
                unknown = run(name, "--no-such-option")
                self.assertEqual(unknown.returncode, 2)
                self.assertEqual(unknown.stdout, "")
                self.assertNotEqual(unknown.stderr, "")
                self.assertEqual(run(name).returncode, 2)
        for command in ("list", "show", "audit", "compare", "port"):
            self.assertEqual(run("embedscale", command, "--help").returncode, 0, command)
        self.assertEqual(run("analyses", "combinations", "--json").returncode, 2)
        self.assertEqual(measure("--help").returncode, 0)
        self.expect_line(measure("--widths", "64", "--out", self.scratch / "out").stderr, "--out")

    def test_refuse_parameters_out_of_range(self):
        """With the range, before anything is measured; a number as it was written, not as it would
        come out of 64 bits."""
        for option, said in (
                ("--widths=2097152", "--widths: from 1 to 1048576"),
                ("--widths=64,64", "--widths: each value once"),
                ("--widths=" + ",".join(map(str, range(1, 18))), "from 1 to 16 values, not 17"),
                ("--widths=-80", "--widths: -80 is negative"),
                ("--widths=1,2,,3", "'--widths=1,2,,3' has an empty place between its commas"),
                ("--widths=1,", "'--widths=1,' has an empty place between its commas"),
                ("--seed=18446744073709551616", "'18446744073709551616' is no whole number"),
                ("--widths=18446744073709551616", "'18446744073709551616' is no whole number"),
                ("--positions=1048576", "--widths times --positions: at most 2.684e+08, not "
                                        "1.416e+10: ask for fewer or smaller"),
                ("--samples=0", "--samples"),
                ("--samples=1e3", "--samples"),
                ("--seed=x", "--seed")):
            with self.subTest(option):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                ended = measure(option)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                self.assertEqual(ended.returncode, 2)
                self.assertEqual(ended.stdout, "")
                self.assertIn(said, ended.stderr)
                self.assertLess(
                    after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 0.5)

    def test_say_which_claims_do_not_take_an_option(self):
        def said(option):
            ended = measure(*QUICK, option)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            return {row["id"]: row["summary"] for row in json.loads(ended.stdout)}

        faint, identical = ("combination.down_makes_positions_too_faint",
                            "combination.rounds_identically")
        some = said("--widths=63,64")
        self.assertIn("even numbers from 2 to 16384, so 63 is left out.", some[faint])
        self.assertIn("`--positions` means nothing", some[identical])
        self.assertIn("parameters of your own", some[identical])
        self.assertNotIn(faint, said("--widths=63"))

    def test_print_the_page_that_they_write_whatever_is_said_on_the_other_stream(self):
        printed = run("analyses", "training", "--jobs", "1")
        self.assertEqual((printed.returncode, printed.stderr), (0, ""))
        narrated = run("analyses", "training", "--progress", "--out", self.scratch / "out")
        self.assertEqual(read(self.scratch / "out/training.md"), printed.stdout)
        self.assertIn("training.up_equals_down", narrated.stderr)

    def test_say_so_when_standard_output_is_full(self):
        for words in (("analyses", "combination", *QUICK),
                      ("embedscale", "list", "--results", RESULTS),
                      ("embedscale", "audit", SYSTEMS / "hf_gemma.toml"),
                      ("embedscale", "compare", "--system", "hf_gemma"),
                      ("embedscale", "port", "hf_gemma", "hf_gemma")):
            with self.subTest(words), open("/dev/full", "w") as full:
                ended = run(*words, out=full)
                self.assertEqual(ended.returncode, 3)
                self.expect_line(ended.stderr, "standard output")

    def test_list_every_claim_with_its_verdict(self):
        ended = run("embedscale", "list", "--results", RESULTS)
        self.assertEqual(ended.returncode, 0)
        self.assertEqual(ended.stdout.count("\n"), len(ids()))
        for id in ids():
            self.assertIn(id + " ", ended.stdout)

    def test_show_the_claims_asked_for(self):
        def show(*claims):
            return run("embedscale", "show", *claims, "--results", RESULTS)

        ended = show("combination.rounds_identically", "training.up_equals_down")
        self.assertEqual(ended.returncode, 0)
        self.assertTrue(ended.stdout.startswith("combination.rounds_identically\n"), ended.stdout)
        self.assertIn("verdict      true if √d_model", ended.stdout)
        self.assertIn("\n\ntraining.up_equals_down\n", ended.stdout)
        unknown = show("combination.rounds_identically", "combination.none")
        self.assertEqual((unknown.returncode, unknown.stdout), (2, ""))
        self.expect_line(unknown.stderr, "'combination.none'")
        self.assertIn("embedscale list", unknown.stderr)
        self.expect_line(show("rounds_identically").stderr,
                         "nearest is combination.rounds_identically;")

    def test_name_files_that_are_missing_or_broken(self):
        for option in ("--words", "--evidence", "--out"):
            write(self.scratch / "bad", "# T\n### why\n")
            ended = run("analyses", "training", option, self.scratch / "bad")
            self.assertEqual(ended.returncode, 3 if option == "--out" else 2, option)
            self.expect_line(ended.stderr, "bad")
            self.assertEqual(ended.stdout, "")
        write(self.scratch / "broken.json", "{\"claims\": [")
        for file, code in ((self.scratch / "none.json", 3), (self.scratch / "broken.json", 2)):
            ended = run("embedscale", "list", "--results", file)
            self.assertEqual((ended.returncode, ended.stdout), (code, ""))
            self.expect_line(ended.stderr, file)

    def test_merge_the_answer_and_cite_what_was_released(self):
        """What ./dev release and ./dev reports do: citations name the commit of the record."""
        def publish(*arguments):
            ended = run("/usr/bin/python3", "-B", SOURCE / "analyses/cite/publication.py",
                        "--project", self.project, *arguments)
            self.assertEqual((ended.returncode, ended.stderr), (0, ""))

        commit = 40 * "a"
        self.take_rows()
        record, reports = self.project / "reports/release.json", self.scratch / "reports"
        for file in ("properties/sources.hpp", "reports/results.json"):
            write(self.project / file, read(SOURCE / file))
        publish("--release", commit, "2025-03-04")
        self.assertEqual(self.answer().stderr, "")
        publish("--out", self.scratch)
        self.assertIn(f"/blob/{commit}/", read(reports / "claims.bib"))
        self.assertEqual(read(reports / "release.json"), read(record))
        rows = json.loads(read(reports / "results.json"))["claims"]
        self.assertEqual([row["id"] for row in rows], ids())
        self.assertIn("](reports/combination.md#combination.", read(self.scratch / "README.md"))

    def test_refuse_to_merge_what_is_incomplete_or_not_so(self):
        def refuse(why):
            ended = self.answer()
            self.assertEqual(ended.returncode, 2)
            self.expect_line(ended.stderr, why)

        refuse("no analysis has measured it")
        self.take_rows()
        write(self.project / "README.md", "# No marks\n")
        refuse("README.md: needs <!-- answer:begin -->")
        write(self.project / "README.md", read(SOURCE / "README.md"))
        words = read(SOURCE / "analyses/answer.md")
        write(self.project / "analyses/answer.md",
              words.replace("{true combination.", "{false combination.", 1))
        refuse("answer.md, section 'in short', part 'sentences', item 2: presumes that combination")
        (self.project / "analyses/answer.md").unlink()
        ended = self.answer()
        self.assertEqual(ended.returncode, 3)
        self.expect_line(ended.stderr, "answer.md")
        self.assertEqual(list(tree(self.scratch / "reports")),
                         list(f"data/{name}" for name in tree(SITE / "reports/data")))


if __name__ == "__main__":
    unittest.main()
