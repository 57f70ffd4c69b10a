"""The pages that are merged, from rows made for the purpose: merged_test.py PROGRAMS, where the
built programs are. A sentence is refused without the claims that it stands on or with a verdict
that they did not come to."""

import json
import math
import pathlib
import re
import sys
import tempfile
import unittest

PROGRAMS = pathlib.Path(sys.argv.pop(1))
ANALYSES = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ANALYSES))

from answer import merge  # noqa: E402
from merged import certainty, decide, equivalence, folklore, front, port, trained  # noqa: E402
from merged.commands import Commands  # noqa: E402
from merged.measured import digits_of, shown  # noqa: E402
from merged.sentence import Results, as_list, sentence, text_of, total  # noqa: E402
from report.markdown import Words, at_most  # noqa: E402

COMMANDS = Commands(PROGRAMS)
DECLARED = COMMANDS.declared()
VERDICTS = {"a.true": "true", "a.condition": "true if", "a.false": "false", "a.open": "open",
            "a.premise": "premise true", "a.premise_if": "premise true if"}


def measured(system, ratio):
    return {"quantity": "ratio", "unit": "1", "method": "closed form", "samples": 0,
            "at": {"d": 64}, "axes": ["system"], "columns": ["value"], "rows": [[system, ratio]]}


def row(id, verdict="true", **more):
    return {"id": id, "topic": id.partition(".")[0], "finding": f"Found is {id}",
            "belief": f"It is {id}.", "verdict": verdict,
            "condition": "d is even" if verdict.endswith(" if") else None,
            "counterexample": "d = 3: 1 against 2" if verdict == "false" else None,
            "summary": "So it is. In two sentences.", "kind": "exact", "evaluated": 12,
            "mutants": {"killed": 3, "total": 3}, "anchor": f"{id.partition('.')[0]}.md#{id}",
            "fields": {"share": "12.5", "systems": "14"},
            "measurements": [measured("one", 1.5), measured("two", "∞")]} | more


def results_of(*rows):
    return Results({one["id"]: one for one in rows}, DECLARED)


FEW = results_of(*(row(id, verdict) for id, verdict in VERDICTS.items()))


def of(words):
    return sentence(words, "w.md, item 1")


class Test(unittest.TestCase):
    def expect(self, text, *parts):
        """These, one behind another."""
        at = 0
        for part in parts:
            self.assertIn(part, text[at:])
            at = text.index(part, at) + len(part)

    def refused(self, said, work, *arguments):
        with self.assertRaisesRegex(ValueError, re.escape(said)):
            work(*arguments)


class Sentences(Test):
    def test_may_stand_on_a_page_and_have_its_totals(self):
        made = of("Of {trust.md settled} all {trust.md rejected}. {page trust.md}")
        self.assertEqual((made.carriers, made.pages), ([], ["trust.md"]))
        self.assertEqual(as_list(FEW, [made], "r/"),
                         "- Of 6 all 18. <sub>[trust.md](r/trust.md)</sub>\n")
        self.refused("no total named {trust.md gone}", text_of, FEW,
                     of("It is {trust.md gone}. {page trust.md}"))
        self.refused("a figure of 'trust.md'", of, "It is {trust.md settled}. {true a.true}")

    def test_totals_are_those_of_the_ledger_and_of_the_score(self):
        known = Results(FEW.rows, FEW.declared, {"killed": 1000, "timed_out": 76, "survived": 138,
                                                 "equivalent": 15, "invalid": 5, "score": 0.8864})
        self.assertEqual([total(known, name) for name in
                          ("alarm", "miss", "mutants", "judged", "noticed")],
                         [*map(at_most, DECLARED["rates"].values()), "18", "1,214", "89"])

    def test_are_refused_without_their_claim_or_with_what_is_typed_in(self):
        for words, said in (("It is.", "w.md, item 1: 'It is.' names no claim"),
                            ("It is {a.false share}. {true a.true}", "a figure of 'a.false'"),
                            ("It is. So it is. {true a.true}", "is not one sentence"),
                            ("It is {true a.true}", "is not one sentence"),
                            ("{true a.true}", "is not one sentence"),
                            ("It is {a.true share", "w.md, item 1: no field named {a.true share"),
                            ("It is 0.5. {true a.true}", "has a figure typed in"),
                            ("Of 1,024 all. {true a.true}", "has a figure typed in"),
                            ("It is 12%. {true a.true}", "has a figure typed in")):
            self.refused(said, of, words)
        for words in ("It is (at d = 512), fl(x) = 2. {true a.true}", "Is it? {true a.true}",
                      "*About 0.01:* at d = 512, 1/√d. {true a.true}", "{claim a.true}",
                      "**What it is:** it. {true a.true}"):
            of(words)

    def test_are_refused_with_every_other_verdict(self):
        for id, verdict in VERDICTS.items():
            for presumed in VERDICTS.values():
                made = of(f"It is. {{{presumed} {id}}}")
                if presumed == verdict:
                    self.assertEqual(text_of(FEW, made), "It is.")
                else:
                    self.refused(f"w.md, item 1: presumes that {id} is '{presumed}', but its "
                                 f"verdict is '{verdict}", text_of, FEW, made)
        self.refused("no claim named 'a.gone'", text_of, FEW, of("It is. {true a.gone}"))

    def test_have_figures_and_no_tags(self):
        for words, text in (
                ("Of {a.false systems}  {a.false share} % are. {false a.false}",
                 "Of 14 12.5 % are."),
                ("If {a.condition condition}. {true if a.condition}", "If d is even."),
                ("At {a.false counterexample}. {false a.false}", "At d = 3: 1 against 2."),
                ("{claim a.true}", "So it is. In two sentences.")):
            self.assertEqual(text_of(FEW, of(words)), text)

    def test_find_a_measurement_by_its_place(self):
        def text(field):
            return text_of(FEW, of(f"It is {{a.true {field}}}. {{true a.true}}"))

        for field, shown_as in (("ratio system=one", "1.50"), ('ratio "system=two"', "∞"),
                                ("ratio system=one d=64 : 1", "2"), ("system of ratio system=one",
                                                                     "one"),
                                ("ratio system=one|three : %", "150 %"), ("d of ratio", "64")):
            self.assertEqual(text(field), f"It is {shown_as}.")
        # Another quantity, another place, two of them; no look-up.
        for field in ("share system=one", "ratio system=three", "ratio d=64", "system of ratio",
                      "ratio one", "ratio system=one : up", 'ratio "system=one', "gone",
                      "condition"):
            self.refused("w.md, item 1: no field named", text, field)

    def test_show_the_digits_that_an_interval_supports(self):
        """As digits_test.cpp has them."""
        for value, ends, declared, digits in (
                (85.4, (84.13, 86.63), 3, 2), (9.96, (9.831, 10.088), 5, 3),
                (0.996, (0.978, 1.014), 3, 3), (11.08765, (11.08764, 11.08766), 4, 4),
                (1e-20, (0, 1.004e-3), 3, 1), (0.3, (-0.04, 0.64), 3, 1), (0, (0, 0.01234), 3, 3),
                (2.543, (0.877, 3.391), 3, 2), (0.0026, (0.0011, 0.0041), 1, 1),
                (0.25, None, 3, 3), (3, (-math.inf, math.inf), 3, 1), (0.25, (0.25, 0.25), 3, 3)):
            self.assertEqual(digits_of(value, ends, declared), digits, value)
        one = {"value": 0.85437, "unit": "1", "confidence": 0.999, "lower": 0.8413, "upper": 0.8663}
        self.assertEqual(shown(one, 4, is_percent=True), "85 %")
        self.assertEqual(shown(one | {"lower": None}, 4), "0.9")
        self.assertEqual(shown(one | {"confidence": None}, 4), "0.854")
        self.assertEqual(shown(one | {"value": 1234, "unit": "count"}, 4), "1,234")


def words_with(answer="- It is. {true a.true}", list="- First group: why, how"):
    """Of both pages, with these items in the answer to "why"."""
    parts = """# T|Introduction.|## terms|### text|Terms.
## in short|### sentences|- Short. {true a.true}
## drawing|### title|Drawing|### text|Text.|### alternative text|One|two.
## drawing 1|### title|One & two?|### left|a < b|### right|b|### stages
- First: same. {true a.true}|- Second: same if. {true if a.condition}
- Third: not. {false a.false}|- Fourth: who knows. {open a.open}
- Fifth: so far. {premise true a.premise}|- Sixth: so far, if. {premise true if a.premise_if}
## questions|### text|Ask.|### front|All {count}.|### list|LIST
## question why|### title|Why?|### asked|S1 t2t1718|### answer|ANSWER
## question how|### title|How?|### answer|- So. {false a.false}
## open|### text|O.|## claims|### text|C.
## topics|### names|- a: the first|## read on|### text|Read {topics}.|""".replace("|", "\n")
    return Words(parts.replace("LIST", list).replace("ANSWER", answer), "w.md")


class Front(Test):
    def questions(self, *words):
        return front.questions_page(FEW, words_with(*words))

    def test_answers_questions_under_an_anchor_that_the_list_links(self):
        text = self.questions("- It is {a.true share}. {true a.true}\n- Not. {false a.false}\n\n"
                              "```\n# of\n```\n### figure\nof_it: It is: level.")
        self.expect(text, "# Questions and short answers\n\nAsk.\n\n- First group\n"
                    "  - [Why?](#why)\n  - [How?](#how)\n\n## First group\n\n"
                    '<a id="why"></a>\n\n### Why?\n\nAsked: [datascience.stackexchange.com 87906]('
                    "https://datascience.stackexchange.com/questions/87906) · "
                    "[tensor2tensor 1718](https://", "\n\n- It is 12.5.\n- Not.\n\n```python\n"
                    "# of\n```\n\n![Why?](figures/of_it.svg)\n\n*It is: level.*\n\n<sub>"
                    "[Found is a.true](a.md#a.true) · [Found is a.false](a.md#a.false)</sub>\n",
                    "### How?\n\n- So.\n\n<sub>")  # nobody is named where nobody asked

    def test_has_each_question_once_and_short(self):
        it_is = "- It is. {true a.true}\n"
        self.questions(3 * it_is)
        for answer, listed, said in (
                (it_is, "- G: why", "section 'question how' is not in the list"),
                (it_is, "- G: why, how\n- H: how", "has 'how' twice"),
                (it_is, "- G: why, how, when", "'question when'"),
                (4 * it_is, "- G: why, how", "'question why': 4 items in its answer instead of 1"),
                # A claim's own sentence counts for as many as it has, here two.
                (2 * it_is + "- {claim a.true}", "- G: why, how", "has 4 sentences to show"),
                ("- See. {page trust.md}", "- G: why, how", "no claim stands behind its answer"),
                (it_is + "- So. {true a.false}", "- G: why, how",
                 "section 'question why', part 'answer', item 2: presumes that a.false")):
            self.refused(said, self.questions, answer, listed)

    def test_shows_what_is_settled_and_what_is_open(self):
        text = front.page(FEW, words_with(list="- G: how, why"))
        self.expect(text, "\n- Short. <sub>[true](a.md#a.true)</sub>\n",
                    "![One two.](figures/equivalence.svg)", "\n\nAll 2.\n\n- [Why?]", "\n- [How?]",
                    "\n- “It is a.open.” <sub>[Found is a.open]", "Read [the first](a.md).\n")
        for id, verdict in (("a.true", "true"), ("a.condition", "true if d is even"),
                            ("a.premise", "premise true, reason not shown"),
                            ("a.premise_if", "premise true if d is even (reason not shown)")):
            self.assertRegex(text, rf"\| \[Found is {id}\]\(a\.md#{id}\) +\| “It is {id}\.” +\| "
                             + re.escape(verdict) + r" +\|\n")
        other = results_of(*(FEW.rows | {"a.false": row("a.false")}).values())
        self.refused("section 'drawing 1'", front.page, other, words_with())

    def test_replaces_a_block_between_its_marks(self):
        self.assertEqual(front.with_block("a<!-- x:begin -->old<!-- x:end -->z", "x", "new"),
                         "a<!-- x:begin -->\n\nnew\n<!-- x:end -->z")
        for text in ("", "<!-- x:begin -->", "<!-- x:end --><!-- x:begin -->"):
            self.refused("needs <!-- x:begin -->", front.with_block, text, "x", "")

    def test_draws_the_sign_of_each_verdict(self):
        [one] = equivalence.comparisons(words_with())
        self.assertEqual([stage.sign(FEW) for stage in one.stages],
                         ["=", "= if", "≠", "?", "=", "= if"])
        self.expect(equivalence.drawing(FEW, [one]), ">One &amp; two?<", ">a &lt; b<", ">First<",
                    ">same.<", ">?</text>")


class Folklore(Test):
    SETTLED, REASON = "### settled\n- So. {true a.true}\n", "### not here\nit is another thing.\n"

    def page(self, *entries):
        return folklore.page(FEW, Words("# T\nI.\n" + "".join(
            f"## C{n}\n### said\nIt is.\n### heard\nthere\n{one}" for n, one in
            enumerate(entries, 1)), "f.md"))

    def test_stands_by_what_settles_it(self):
        text = self.page(self.SETTLED, "### group\nG\n" + self.SETTLED + self.REASON, self.REASON)
        self.expect(text, "Of 3 sayings 1 are settled, 1 settled in part, 1 are not settled here.",
                    "**C1** “It is.” (there) — *settled.* So. <sub>[Found is a.true](a.md#a.true)",
                    '\n## G\n\n- <a id="c2"></a>**C2** ', "*settled in part.* So. Not settled",
                    "— *not settled here:* it is another thing.\n")
        self.refused("presumes that a.true", self.page, self.SETTLED.replace("true", "false", 1))
        self.refused("f.md: section 'C1' has neither a claim nor a reason", self.page, "")

    def test_has_every_saying_that_was_collected(self):
        file = ANALYSES / "folklore.md"
        all = folklore.entries(Words(file.read_text(encoding="utf-8"), file.name))
        self.assertEqual(len(all), 44)
        # A textbook, and a web page that is lost.
        self.assertEqual(sum(not one.threads for one in all), 2)


class Certainty(Test):
    def test_ranks_the_most_fragile_first(self):
        def trained(id, against, settings):
            return row(id, kind="trained", evaluated=10000, measurements=[
                {"quantity": "against", "unit": "count", "method": "runs", "samples": settings,
                 "axes": [], "columns": ["value"], "rows": [[against]]}])

        over_atlas = [measured("one", 1) | {"method": "closed form, over the atlas"}]
        all = results_of(row("a.one", evaluated=5),
                         row("a.drawn", kind="statistical", evaluated=900),
                         trained("training.many", 6, 12),
                         trained("training.few", 1, 11),
                         row("a.read", kind="read", evaluated=7000, measurements=over_atlas),
                         row("a.two", evaluated=4, measurements=over_atlas))
        words = Words("# T\nI.\n## weakest\n### title\nW\n### sentences\n- So. {true a.one}\n"
                      "## ranking\n### title\nR\n### text\nAll.\n" + "".join(
                          f"## {kind}\n### rests on\non\n### overturned by\nby\n"
                          for kind in certainty.KINDS), "c.md")
        self.expect(certainty.page(all, words), "- So. <sub>", "| **trained** ",
                    "[training.few](training.md#training.few): 1 of 11", "| **read** ",
                    "[a.read](a.md#a.read): not counted ", "| **exact** ",
                    "[a.two](a.md#a.two): 4 ", "## R\n\nAll.\n", "Found is training.few",
                    "Found is training.many", "6 of 12 ",
                    "Found is a.read", "| read  ", "Found is a.drawn", "Found is a.two",
                    "| exact, counts read ", "Found is a.one")
        self.refused("there is no kind of evidence 'felt'", certainty.page,
                     results_of(row("a.one", kind="felt")), words)


class Decisions(Test):
    def page(self, systems="", sentences="", text="", verdicts="- *leave as is (computed)*"):
        words = "# Title\nFor d = {d_model}.\n"
        for section in ("systems", "positions", "blocks", "output", "scales"):
            words += (f"## {section}\n### title\nOf {section}\n### text\n{text}\n### sentences\n"
                      f"{sentences}\n### list\n{systems}\n")
            words += f"### verdicts\n{verdicts}\n" if section == "systems" else ""
        return decide.page(FEW, Words(words, "d.md"), ANALYSES / "decide.toml", COMMANDS)

    def test_have_tables_verdicts_and_sentences(self):
        text = self.page("bert_google", "- So. {true a.true}", "V = {vocabulary}")
        self.expect(text, "# Title\n\nFor d = 512.\n\n## Of systems\n\nV = 32,768\n\n| System",
                    "[bert_google](https://github.com/google-research/bert/tree/",
                    "\n- *leave as is (computed)*\n- So. <sub>[true](a.md#a.true)</sub>\n")
        rows = {cells[0]: cells[1:] for cells in
                (re.split(r" +\| +", line[2:-2].strip()) for line in text.splitlines()
                 if line.startswith("| "))}
        # √512/√2 of tables of σ = d^−½ and 1 beside sinusoids, and without √512; ln 32768.
        self.assertEqual(rows["sinusoids, N(0, 1/d)"], ["1.41", "1.41", "1.41", "0.0625"])
        self.assertEqual(rows["sinusoids, N(0, 1)"], ["32.0", "32.0", "32.0", "1.41"])
        self.assertEqual(rows["Adam's first step over table and rate"],
                         ["22.6", "1.00", "22.6", "22.6"])
        self.assertEqual(rows["pre-norm, nothing added"], ["9.86", "9.86", "—", "0.0144"])
        self.assertEqual(rows["tied, logits over √d"], ["10.4", "10.9", "10.4", "10.4"])
        # One law for both parts, and √768 as much.
        [bert] = (cells for name, cells in rows.items() if name.startswith("[bert_google]"))
        self.assertEqual(bert, ["leave as is (computed)", "[none, d = 768, learned, post, norm on the "
                                "sum](explore.md#system=bert_google)", "1.00", "27.7", "—", "—"])

    def test_are_refused_for_what_there_is_not(self):
        self.refused("d.md: embedscale: no system named 'gpt'", self.page, "gpt")
        self.refused("d.md: no field named {width}", self.page, "bert_google", "", "{width}")
        self.refused("presumes that", self.page, "bert_google", "- So. {false a.true}")
        self.refused("d.md: verdict 'leave as is (computed)' is not told", self.page, "bert_google",
                     "", "", "- *keep*")


class Ports(Test):
    def page(self, text, old="", new=""):
        sides = f"### from\n{old}\n### to\n{new}\n" if old else ""
        words = Words(f"# P\n## 1\n### title\nT\n### text\n{text}\n{sides}", "port.md")
        return port.page(results_of(), words, COMMANDS)

    def test_show_what_the_command_says(self):
        old, new = "hf_gemma", ("hf_llama model.d_model=3072 model.heads=16 model.d_k=256 "
                                "output.tied=true block.epsilon=1")
        text = self.page("{command}\n{steps}\n{optimizer}\n{besides}", old, new)
        changes = [f"--set=to.{change}" for change in new.split()[1:]]
        [told] = COMMANDS.embedscale("here", "port", old, "hf_llama", *changes)
        self.expect(text, "```sh\n./dev embedscale port hf_gemma hf_llama --set to.model.d_model=",
                    *(step["text"] for step in told["steps"]), "| Adam: first moment ")
        for one in told["differences"]:
            if one["stops_function"]:
                self.expect(text, f"- *{one['field']}*, **changes the function**: {one['text']}")
        for one in told["optimizer"]:
            for factor in (one["s"], *one["adam"].values(), *one["sgd"].values()):
                self.assertIn(f" {factor:.12g} |", text)

    def test_have_no_place_for_a_number_that_nothing_gives(self):
        for text, side in (("{factor}", ""), ("{defect 99}", ""), ("{bias}", "hf_gemma")):
            self.refused(f"port.md, section '1': no field named {text}", self.page, text, side,
                         side)
        self.expect(self.page("{defect 2}"), "issues/38702): −0.17 %)")
        self.refused("port.md, section '1': embedscale: no system named 'hf_gem'", self.page,
                     "{steps}", "hf_gem", "hf_gemma")

    def test_show_the_example_by_hand(self):
        """x = 2·(1, −1.5, 1, −1.5) + (0, 1, 0, 1) = (2, −2, 2, −2), of RMS 2; h = (1.5, −2, 1, −1);
        logits 1.5 + 3 + 1 + 1.5 and 0.75 − 2 − 0.5 − 0.25. The first moment follows 1/s, the second
        1/s², Adam's rate s."""
        text = self.page("{example}\n{example logits}", "hf_gpt2 token.multiplier=2",
                         "hf_gpt2 token.multiplier=1")
        self.expect(re.sub(" +", " ", text),
                    "| table, first word | 1, −1.5, 1, −1.5 | 2, −3, 2, −3 |",
                    "| h = g ⊙ N(x) + b | 1.5, −2, 1, −1 | 0.75, −1, 0.5, −0.5 |",
                    "| **logits** of both words | 7, −2 | 7, −2 |",
                    "entry | 0.004 | 0.002 |", "of it | 0.0016 | 0.0004 |",
                    "table | 0.001 | 0.002 |",
                    "entry | 0.25 | 0.5 |", "of it | 0.09 | 0.36 |", "| 0.001 | 0.0005 |",
                    "14, −4")


class Trained(Test):
    def test_is_refused_where_it_is_not_as_its_words_say(self):
        grow = [*7 * [0.1], 0.2]
        f = {"width": 256, "rms": 0.11, "tokens": grow, "ratios": [{"by_band": grow}],
             "by_id": grow[::-1]}
        trained.require_as_told(f, grow)
        for wrong in ({"rms": 1.1}, {"rms": 0.06}, {"tokens": grow[::-1]}, {"by_id": grow}):
            self.refused("not as its words say", trained.require_as_told, f | wrong, grow)


class Merged(Test):
    def test_results_are_the_rows_as_written_in_the_order_of_the_catalogue(self):
        declared = {"version": "1", "claims": {"b.two": {}, "b.one": {}, "a.one": {}}}
        one = '{"id": "a.one", "x": [1e-07,\n 1e+16, 0.10]}'
        with tempfile.TemporaryDirectory() as directory:
            reports = pathlib.Path(directory)
            (reports / "data").mkdir()
            (reports / "data/a.json").write_text(f"[\n {one}\n]\n")
            self.refused("b.two: no analysis has measured it", merge, reports, declared)
            (reports / "data/b.json").write_text('[{"id": "b.one"}, {"id": "b.two"}]')
            rows, text = merge(reports, declared)
        self.assertEqual(list(rows), list(declared["claims"]))
        self.assertEqual(text, '{\n "version": "1",\n "claims": [\n {"id": "b.two"},\n '
                               f'{{"id": "b.one"}},\n {one}\n ]\n}}\n')
        self.assertEqual([one["id"] for one in json.loads(text)["claims"]], list(rows))


if __name__ == "__main__":
    unittest.main()
