"""The pages about implementations and about performance: what was found and in whose words; ratios
are of one round, and the right way round."""

import json
import re
import sys
import unittest
from statistics import NormalDist

from programs import SITE, SOURCE, Test, fnv1a, read, run, write

sys.path.insert(0, str(SOURCE / "analyses"))

import implementations  # noqa: E402
import performance  # noqa: E402
from report.markdown import (GENERATED_NOTE, Words, at_most, figure, fill,  # noqa: E402
                             significant, table)

CLAIM = "normalization.absorbs_the_factor"
ANCHORS = {CLAIM: f"normalization.md#{CLAIM}"}


def finding(property, verdict, share, claim=CLAIM):
    return {"claim": claim, "states": "it is absorbed", "property": property, "verdict": verdict,
            "cases": 100, "worst_share_of_bound": share, "asked": {"layer_norm (binary32)": 200},
            "calls": ["layer_norm(x = [1]) in binary32"], "explanation": "off"}


def found(*findings):
    return [("some", "binary32", {"subject": "Some 1.2", "findings": findings})]


def page_of(runs, words=""):
    text = ("# T\nI.\n## tables\n### bounds\nD\n### implementations\nA\n### operations\nB\n"
            f"### violated\nC\n{words}")
    return implementations.page(runs, Words(text, "i.md"), ANCHORS, "h")


class Markdown(Test):
    """It is what the report engine of C++ makes."""

    def test_numbers_are_those_that_its_test_knows(self):
        rows = re.findall(r'\{([-\d.e]+), (\d+), "([^"]+)"\}',
                          read(SOURCE / "analyses/test/table_test.cpp"))
        self.assertGreaterEqual(len(rows), 15)
        for x, digits, text in [*rows, ("inf", "4", "∞"), ("-inf", "4", "−∞"), ("nan", "4", "NaN")]:
            self.assertEqual(significant(float(x), int(digits)), text, x)

    def test_tables_are_as_in_its_pages(self):
        tables = re.findall(r"^(?:\|.*\n)+", read(SITE / "reports/sinusoidal.md"), re.M)
        self.assertGreaterEqual(len(tables), 5)
        for text in tables:
            cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
                     for line in text.splitlines()]
            headings, rules, *rows = [[cell.replace(r"\|", "|") for cell in row] for row in cells]
            headed = "|".join(heading + (":" if rule.endswith(":") else "")
                              for heading, rule in zip(headings, rules))
            self.assertEqual(table(headed, rows), text)
        self.assertEqual(table("note", [["one\n|two"]]),
                         "| note      |\n| :-------- |\n| one \\|two |\n")
        self.assertEqual(table("d:", []), "|   d |\n| --: |\n")
        self.assertRaises(ValueError, table, "a|b", [["1"]])

    def test_pages_begin_as_its_pages_do(self):
        self.assertTrue(read(SITE / "reports/sinusoidal.md").startswith(GENERATED_NOTE))

    def test_bounds_are_rounded_up_but_not_for_the_rounding_of_a_sum(self):
        self.assertEqual([at_most(x) for x in (2.9e-9, 2.91e-9, 2.0100000000001e-5, 0.1 + 0.2, 4)],
                         ["2.9·10⁻⁹", "3.0·10⁻⁹", "2.1·10⁻⁵", "0.30", "4.0"])

    def test_figures_are_as_in_its_pages(self):
        made = figure("a_b", "One [1] * `two`", "Not\n<three> \\")
        self.assertEqual(made, "![One \\[1\\] \\* \\`two\\`](figures/a_b.svg)\n\n"
                               "*Not \\<three> \\\\*\n")
        shown = re.findall(r"^!\[(.*)\]\(figures/(.*)\.svg\)\n\n\*(.*)\*\n",
                           read(SITE / "reports/sinusoidal.md"), re.M)
        self.assertGreaterEqual(len(shown), 3)
        page = read(SITE / "reports/sinusoidal.md")
        for title, name, caption in shown:
            title, caption = (re.sub(r"\\(.)", r"\1", text) for text in (title, caption))
            self.assertIn(figure(name, title, caption), page)

    def test_fields_are_filled_in_or_refused(self):
        self.assertEqual(fill("{a}{b}, {a}", {"a": "1", "b": "{a}"}, "t.md"), "1{a}, 1")
        for text, said in (("{c}", "t.md: no field named {c}"), ("x {a", "t.md: no field named {a"),
                           ("{}", "t.md: no field named {}")):
            with self.assertRaisesRegex(ValueError, f"^{re.escape(said)}$"):
                fill(text, {"a": "1"}, "t.md")

    def test_words_refuse_what_is_misplaced_or_appears_twice_and_are_trimmed(self):
        for text, line in (("# T\n### why\nx\n", "### why"),
                           ("## a.b\n### why\n### holds\n### why\n", "### why"),
                           ("## a.b\n## a.c\n## a.b\n", "## a.b")):
            with self.assertRaisesRegex(ValueError, f"t.md: '{line}' appears twice, or before"):
                Words(text, "t.md")
        words = Words("# T\nI\n\nJ.\n\n## a\n### why\n\nx\n## b\n### why\n y\n", "t.md")
        self.assertEqual((words.title, words.introduction), ("T", "I\n\nJ."))
        self.assertEqual([words.part(of, "why") for of in "ab"], ["x", "y"])
        with self.assertRaisesRegex(ValueError, "t.md: section 'a' has no part '### b'"):
            words.part("a", "b")


class Implementations(Test):
    def test_shows_what_holds_and_how_close_it_comes(self):
        text = page_of(found(finding("close", "holds", 0.25), finding("closer", "holds", 0.5)))
        row = "| `layer_norm` | binary32 |        0.50 | Some 1.2       |        0 |          2 |"
        self.assertIn(row, text)
        self.assertIn("| Some 1.2       | binary32 |        0 |          2 |   200 |", text)
        self.assertIn("|           — |", page_of(found(finding("unbounded", "holds", None))))

    def test_says_of_what_is_violated_whose_error_it_is(self):
        runs = found(finding("bad", "violated", 7), finding("good", "holds", 0.5))
        said = f"## some\n### {CLAIM}.bad\nIts error.\n"
        text = page_of(runs, said)
        for part in ("| Some 1.2       | binary32 |        1 |          2 |   200 |",
                     "| `layer_norm` | binary32 |    violated | Some 1.2       |        1 |",
                     "### Some 1.2", "Its error.\n\n```text\nlayer_norm",
                     f"(normalization.md#{CLAIM}), in binary32\n",
                     "layer_norm(x = [1]) in binary32\noff\n"):
            self.assertIn(part, text)
        of_fact = finding("bad", "violated", 7, "normalization.no_page_has_this")
        self.assertIn("`normalization.no_page_has_this.bad` (that it is absorbed), in binary32",
                      page_of(found(of_fact), "## some\n### *\nSo.\n"))
        with self.assertRaisesRegex(ValueError, "which is violated"):
            page_of(runs)
        for runs in (found(), []):
            with self.assertRaisesRegex(ValueError, "is not violated"):
                page_of(runs, said)

    def test_says_once_what_many_violations_have_in_common_after_what_has_words_of_its_own(self):
        numbers = finding("worst", "failed", 9)
        numbers["explanation"] = "the library gives 1"
        ill = (finding("bad", "violated", 7), finding("worse", "violated", 8), numbers)
        [(name, _, run)] = found(*ill)
        well = ("other", "binary32", {"subject": "Other 1", "findings": []})
        text = page_of([well, (name, "bfloat16", run), *found(*ill)],
                       f"## some\n### *\nOne cause.\n### {CLAIM}.worse\nAnother.\n")
        self.assertEqual(text.count("absorbs_the_factor), in bfloat16, binary32\n"), 3)
        self.assertEqual(text.count("One cause.\n\n```text\nlayer_norm(x = [1]) in binary32\n"
                                    "the library gives 1\n```\n"), 1)
        self.assertLess(text.index("Another."), text.index("One cause."))
        self.assertNotIn("### Other 1", text)

    def test_reads_runs_by_name_and_format(self):
        for file in ("b.binary64.json", "a.b.binary32.json", "notes.txt"):
            write(self.scratch / file, "{}")
        self.assertEqual(implementations.read(self.scratch),
                         [("a.b", "binary32", {}), ("b", "binary64", {})])

    def test_links_to_pages_that_are_about_a_claim(self):
        self.assertEqual(implementations.anchors(SITE).get(CLAIM), ANCHORS[CLAIM])

    def test_page_is_of_these_sources(self):
        self.assertIn(f"implementations {implementations.hash_of(SOURCE)}.",
                      read(SOURCE / "reports/implementations.md"),
                      "an implementation changed: run ./dev reports implementations")


WORDS = Words("# T\nOn {machine}, {rounds} rounds.\n## tables\n### goals\nG\n### ways\nW\n"
              "### limits\nL\n### sizes\nS\n### growth\nG\n", "performance.md")


def round_of(fast, other, limit):
    return {"norm/fast": fast, "norm/Other 1": other, "norm/limit": limit,
            "growth of norm/64": 2 * fast, "growth of norm/1024": 3 * fast,
            "size of norm/4096": 5 * fast, "size of limit/4096": 2 * fast}


def goal(way, ratio):
    return {"work": "norm", "way": way, "ratio": ratio}


class Performance(Test):
    def test_tells_the_median_of_ratios_within_a_round(self):
        rounds = [round_of(1, 4, 0.5), round_of(100, 300, 20), round_of(2, 4, 1)]
        text = performance.page(rounds, [goal("Other", 3.5), goal("limit", 2.0)], WORDS, "M")
        for part in ("On M, 3 rounds.", "| norm | Other 1 |  3.00 | ≥ 3.5 | missed  |",
                     "| norm | memory  |  2.00 |   ≤ 2 | reached |",
                     "| norm | Other 1 |                3.0 |   2.0 |      4.0 |",
                     "| norm |              2.0 |   2.0 |      5.0 |", "|    64 |  1.0 |",
                     "| 1,024 |  1.5 |", "|   4,096 |  2.5 |"):
            self.assertIn(part, text)

    def test_deviation_is_of_as_many_draws_as_show_one_that_is_a_thousandth_off(self):
        """What the works' names and words promise of works.json. The smallest δ at which a test of
        Σz² at α = 1e-9 misses σ(1 ± δ) at most that often, by quantiles of χ² as Wilson and
        Hilferty have them: at so many draws 10⁻⁸ of δ beside the ledger's own, and n to 2 % is 1 %
        of δ."""
        def chi_squared(n, z):
            return n * (1 - 2 / (9 * n) + z * (2 / (9 * n)) ** 0.5) ** 3

        def smallest_effect(n, alpha=1e-9, beta=1e-9):
            a, b = NormalDist().inv_cdf(1 - alpha / 2), NormalDist().inv_cdf(1 - beta)
            return max((chi_squared(n, a) / chi_squared(n, -b)) ** 0.5 - 1,
                       1 - (chi_squared(n, -a) / chi_squared(n, b)) ** 0.5)

        works = json.loads(read(SOURCE / "analyses/performance/works.json"))
        draws = works["sizes"]["checked_draws"]
        self.assertLessEqual(smallest_effect(draws), 0.001)
        self.assertGreater(smallest_effect(draws - draws // 50), 0.001)

    def test_refuses_rounds_that_lack_a_time(self):
        whole, less = round_of(1, 4, 0.5), round_of(1, 4, 0.5)
        del less["norm/Other 1"]
        for rounds, goals, said in (([whole, less], [], "no time of norm/Other 1"),
                                    ([], [], "no rounds"),
                                    ([{"norm/fast": 1}], [], "a round has no"),
                                    ([whole], [goal("None", 1)], "no round has norm/None")):
            with self.assertRaisesRegex(ValueError, said):
                performance.page(rounds, goals, WORDS, "M")

    def test_goals_are_of_their_work(self):
        """The one that is called so, and of one thread where it does not say otherwise."""
        times = {**round_of(1, 1, 1), "norm, all threads/Other 1": 9, "norm, all threads/fast": 1,
                 "norm with more/Other 1": 9, "norm with more/fast": 1}
        text = performance.page([times], [goal("Other", 5)], WORDS, "M")
        self.assertIn("|  1.00 |  ≥ 5 | missed |", text)
        self.assertNotIn("reached", text)
        self.assertEqual(re.findall(r"^\| (norm[^|]*?) +\| Other 1", text, re.M),
                         ["norm", "norm with more", "norm, all threads", "norm"])
        self.assertNotIn("| limit", text)

    def test_reads_both_programs_times_of_each_round(self):
        for file, name in (("1.one.a", "norm/fast/real_time"), ("1.one.b", "norm/Other 1"),
                           ("1.all.a", "norm/fast"), ("1.all.b", "norm/Other 1"),
                           ("1.AVX2.a", "norm/fast"), ("2.one.a", "norm/fast")):
            write(self.scratch / f"{file}.json",
                  json.dumps({"benchmarks": [{"name": name, "real_time": 2.5}]}))
        names = ("norm/Other 1", "norm/fast", "norm/fast, AVX2", "norm/fast, all threads",
                 "norm, all threads/Other 1", "norm, all threads/fast")
        self.assertEqual(performance.read(self.scratch),
                         [dict.fromkeys(names, 2.5), {"norm/fast": 2.5}])


class Program(Test):
    def made(self, name, *arguments):
        return run("/usr/bin/python3", "-B", SOURCE / "analyses/page_of_runs.py", name, "--project",
                   self.scratch, "--runs", self.scratch / "runs", *arguments)

    def test_writes_the_page_in_its_place_or_says_why_not(self):
        words, works, times = (self.scratch / file for file in (
            "analyses/performance.md", "analyses/performance/works.json", "runs/1.one.a.json"))
        page = self.scratch / "reports/performance.md"
        write(page, "old")
        self.assertEqual(self.made("trust").returncode, 2)

        def refuses(code, said):
            ended = self.made("performance")
            self.assertEqual(ended.returncode, code, ended.stderr)
            self.expect_line(ended.stderr, said)

        refuses(3, words)
        write(words, read(SOURCE / "analyses/performance.md"))
        refuses(3, works)
        write(works, '{"goals": []}')
        refuses(2, "there are no rounds")
        write(times, "{}")
        refuses(2, "what was run has no 'benchmarks'")
        self.assertEqual(read(page), "old")
        write(times, json.dumps({"benchmarks": [{"name": name, "real_time": time}
                                                for name, time in round_of(1, 4, 2).items()]}))
        ended = self.made("performance", "--machine", "Ours")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertIn("Times on Ours, one thread", read(page))
        self.assertIn("in each of 1 rounds", read(page))

    def test_makes_the_page_about_implementations(self):
        sources = {"a/a.py": "√\n", "b.py": "pass\n"}
        for file, text in sources.items():
            write(self.scratch / "properties/subject/implementations" / file, text)
        write(self.scratch / "analyses/implementations.md", "# T\nI.\n## tables\n### bounds\nD\n"
              "### implementations\nA\n### operations\nB\n### violated\nC\n## some\n### *\nSo.\n")
        write(self.scratch / "reports/results.json",
              json.dumps({"claims": [{"id": CLAIM, "anchor": "its#place"}]}))
        [(_, _, run)] = found(finding("bad", "violated", 7))
        write(self.scratch / "runs/some.binary32.json", json.dumps(run))
        ended = self.made("implementations")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        text = read(self.scratch / "reports/implementations.md")
        self.assertIn(f"- [{CLAIM}.bad](its#place), in binary32\n", text)
        lines = "".join(f"{file} {fnv1a(content)}\n" for file, content in sources.items())
        self.assertIn(f"<!-- Of implementations {fnv1a(lines)}. -->", text)


if __name__ == "__main__":
    unittest.main()
