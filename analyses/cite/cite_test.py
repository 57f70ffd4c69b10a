"""Lies in documentation, in each of its formats, and what is left alone: cite_test.py COMMAND, the
path of embedscale."""

import ast
import contextlib
import io
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import types
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
REPORTS = SOURCE / "reports"
COMMAND = sys.argv.pop(1)
sys.path.insert(0, str(HERE))

import cite  # noqa: E402

ID = "combination.rounds_identically"
LINK = "https://github.com/embedscale/embedscale/blob/main/reports/combination.md#"
SITE = "https://embedscale.example/combination.html#"
SHARE = 'worst_share_of_bound format=binary32 division="fl(p/m)"'

# A sentence with its verdict, its number and its link, in each format. In front of a number of
# lines: of which line a finding is.
INLINE = ("Alike. <!-- embedscale: {id} = {verdict} -->\n\n"
          "Up to <!--{{={id} {name}}}-->**{number}**<!--/--> at 512.\n\n")
FORMATS = {
    "a.md": INLINE + "See [there]({link}).\n",
    "myst.md": "% embedscale: {id} = {verdict}\nAlike.\n% {{={id} {name}}}\n{number} at most.\n"
               "{{ref}}`there <{link}>`\n",
    "a.rst": "Alike.\n\n.. embedscale: {id} = {verdict}\n\n.. {{={id} {name}}}\n\n"
             "Up to {number}.\n\n`There <{link}>`_\n",
    "a.html": "<p>" + INLINE + "<a href=\"{link}\">there</a>\n",
    "a.tex": "Alike. % embedscale: {id} = {verdict}\nup to\n${number}$ % {{={id} {name}}}\n"
             "times \\href{{{link}}}{{there}}\n",
    "a.py": "def f():\n    \"\"\"Alike.\n\n    .. embedscale: {id} = {verdict}\n\n"
            "    .. {{={id} {name}}}\n\n    Up to {number}. `there <{link}>`_\n    \"\"\"\n"
            "    bound = 8  # {{={id} bound}}\n"}
TRUE = {"id": ID, "verdict": "true if", "name": SHARE, "number": "0.92", "link": LINK + ID}


def run(*arguments):
    """How cite.py ended, in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), newline="") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = cite.main(list(map(str, arguments)))
        except SystemExit as ended:
            code = ended.code
    for stream in (out, err):
        stream.seek(0)
    return types.SimpleNamespace(returncode=code, stdout=out.read(), stderr=err.read())


class Test(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.scratch = pathlib.Path(directory.name)

    def plant(self, name, text):
        path = self.scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def finds(self, code, said, *arguments):
        """That a check exits with this code, and has one finding with these words."""
        ended = run("--check", *arguments)
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
        self.assertEqual(len(ended.stdout.splitlines()), 1 if said else 0, ended.stdout)
        self.assertIn(said, ended.stdout)
        return ended


class Check(Test):
    def test_passes_what_is_true_and_finds_each_lie_where_it_stands(self):
        for name, text in FORMATS.items():
            with self.subTest(name):
                path = self.plant(name, text.format(**TRUE))
                ended = self.finds(0, "", path)
                marks = 4 if name == "a.py" else 3
                self.assertEqual(ended.stderr, f"1 files, {marks} marks and links, 0 findings\n")
                for lie, said in (({"verdict": "false"}, "its verdict is 'true if √d_model"),
                                  ({"number": "0.93"}, "0.919 now: '"),
                                  ({"link": LINK + "combination.rounds_identicaly"},
                                   f"nearest is {ID}")):
                    told = text.format(**{**TRUE, **lie})
                    before = told[:told.index(*lie.values())]
                    line = self.finds(1, said, self.plant(name, told)).stdout.split(":")[1]
                    # A mark may stand above its number.
                    here = before.count("\n") + 1
                    self.assertIn(int(line), (here, here - 1, here - 2) if "number" in lie
                                  else (here,))

    def test_knows_verdicts_with_their_condition_and_every_claim(self):
        rows = json.loads((REPORTS / "results.json").read_bytes())["claims"]
        marks = "".join(f"<!-- embedscale: {row['id']} = {row['verdict']} -->\n"
                        f"% embedscale: {row['id']} = {row['verdict']} {row['condition'] or ''}\n"
                        f"[]({SITE.replace('combination', row['topic'])}{row['id']})\n"
                        for row in rows)
        ended = self.finds(0, "", self.plant("a.md", marks))
        self.assertIn(f" {3 * len(rows)} marks", ended.stderr)

    def test_finds_marks_that_say_nothing(self):
        for text, said in (
                (f"<!-- embedscale: {ID} = true if\n", "not closed: --> ends it"),
                (f"<!-- embedscale: {ID} = true if\n<!-- a comment -->\n", "not closed"),
                (f"<!--{{={ID} bound}}-->8", "<!--/--> ends its place"),
                (f"<!--{{={ID} bound}}-->8 <!--{{={ID} bound}}-->8<!--/-->", "<!--/--> ends"),
                (f"<!--{{={ID} bound-->8<!--/-->", "is to be {=ID NAME}"),
                (f"<!-- embedscale: {ID} true if -->", "is to be embedscale: ID = VERDICT"),
                (f"<!-- embedscale: {ID} = -->", "is said to be ''"),
                ("<!--{=}-->8<!--/-->", "no claim is named ''"),
                (f"<!--{{={ID}}}-->8<!--/-->", "names no field or quantity"),
                (f"<!--{{={ID} bond}}-->8<!--/-->", "no 'bond'; nearest is bound; it has agree"),
                (f"<!--{{={ID} worst_share_of_bound}}-->8<!--/-->",
                 "8 measurements: say which, by format: binary64 | binary32 | binary16 | bfloat"),
                (f"<!--{{={ID} worst_share_of_bound format=tf32}}-->8<!--/-->",
                 "nothing at format=tf32: worst_share_of_bound has binary64 |"),
                (f"<!--{{={ID} worst_share_of_bound width=8}}-->8<!--/-->", "is not KEY=VALUE"),
                (f"<!--{{={ID} upper of {SHARE}}}-->8<!--/-->", "no 'upper' there, but samples"),
                (f"<!--{{={ID} bound : permille}}-->8<!--/-->", "no form"),
                (f"<!--{{={ID} bound}}-->eight<!--/-->", "and there is none"),
                (f"<!--{{={ID} bound}}-->8 of 9<!--/-->", "and there are 8, 9"),
                (f"<!--{{={ID} list_more_binary64}}-->257<!--/-->", "'none', not '257'"),
                (f"% {{={ID} bound}}\n\n", "and there is none"),
                (f"% {{={ID} bound}}\n% {{={ID} bound}}\n8\n", "another mark has the same place"),
                ("[](/reports/combination.md?plain=1#combination.none)", "no claim is named"),
                (f"[](../reports/combination.md#{ID.title()})", "no claim is named"),
                (f"<!-- Embedscale: {ID} = false -->", "is said to be 'false'"),
                (f"[]({LINK.replace('combination', 'attention')}{ID})", f"{ID} stands in comb")):
            with self.subTest(text):
                self.finds(1, said, self.plant("a.md", text))

    def test_leaves_links_of_others_alone(self):
        ended = run("--check", "--allow-none", self.plant(
            "a.md", "[](docs/training.md#training.loss_curve) [](attention.md#attention.masks)"))
        self.assertEqual((ended.returncode, ended.stdout), (0, ""))

    def test_writes_no_place_within_another(self):
        text = f"% {{={ID} bound}}\nmax <!--{{={ID} bound}}-->77777<!--/--> u\nKeep this.\n"
        path = self.plant("a.md", text)
        ended = run("--write", path)
        self.assertIn("another mark has the same place", ended.stdout)
        self.assertEqual((ended.returncode, path.read_text()), (1, text.replace("77777", "8")))

    def test_compares_numbers_as_they_are_written(self):
        for name, right, wrong in (
                (f"{ID} {SHARE}", ("0.919", "0.92", "0.9", "1", "9.2·10⁻¹", "9.19e-01"),
                 ("0.9190", "0.91", "−0.92", "9.19e-02", "91.9")),
                (f"{ID} {SHARE} : %", ("91.9", "92 %", "92%"), ("0.92", "91.90")),
                (f"{ID} last_width", ("1,024", "1024", "1{,}024", "1.024·10^3", "1.0e3"),
                 ("1,000", "1025", "1 024", "1.024")),
                ("training.up_equals_down post", ("−0.02", "-0.02", "$-0.02$"),
                 ("0.02", "+0.02", "-0.03")),
                ("training.up_equals_down lower of loss_difference setting=\"text, pre-norm\"",
                 ("0.221", "+0.22"), ("0.27",)),
                (f"{ID} samples of agreeing_pairs format=binary32", ("4,072,000", "4.07·10⁶"),
                 ("4,072,001",))):
            for number in (*right, *wrong):
                with self.subTest(f"{name}: {number}"):
                    path = self.plant("a.md", f"<!--{{={name}}}-->{number}<!--/-->")
                    ended = run("--check", path)
                    self.assertEqual(ended.returncode, 0 if number in right else 1, ended.stdout)

    def test_looks_at_no_other_text(self):
        others = ("<!-- about embedscale: no --> % embedscale: not at the start\n<!-- / -->\n"
                  "[json](json.html#json.dumps) [own](attention.html#attention.forward) #a.b\n"
                  "see embedscale.html#embedscale.cite, 512\n")
        path = self.plant("docs/a.md", others)
        self.plant("docs/a.tex", "50\\% {=x y} or \\% embedscale: x\n")
        ended = run("--check", self.scratch)
        self.assertEqual((ended.returncode, ended.stdout), (2, ""))
        self.assertIn("no mark and no link", ended.stderr)
        self.assertEqual(run("--check", path, "--allow-none").returncode, 0)
        self.plant("docs/b.c", f"% embedscale: {ID} = false\n")
        self.plant("docs/.git/c.md", f"% embedscale: {ID} = false\n")
        self.assertEqual(run("--check", "--allow-none", self.scratch).returncode, 0)

    def test_says_what_it_cannot_read(self):
        path = self.plant("a.md", FORMATS["a.md"].format(**TRUE))
        for arguments, code, said in (
                ((self.scratch / "none.md",), 3, "no such file"),
                ((self.plant("a.c", ""),), 2, "of no kind that is known: .md"),
                ((), 2, "name a claim, or a path"),
                ((path, "--results", self.scratch / "none.json"), 3, "none.json: No such file"),
                ((path, "--results", self.plant("b.json", b"\xff{")), 2, "b.json: no results.json"),
                ((path, "--results", self.plant("b.json", '{"claims": [{"id": "a.b"}]}')), 2,
                 "no results.json: 'topic'"),
                ((path, "--write"), 2, "not allowed with")):
            ended = run("--check", *arguments)
            self.assertEqual((ended.returncode, ended.stdout), (code, ""), ended.stderr)
            self.assertIn(said, ended.stderr)
        self.finds(1, "no text", self.plant("a.md", FORMATS["a.md"].encode("utf-16")))

    def test_annotates_for_github(self):
        path = self.plant("50%,a.md", f"\n<!-- embedscale: {ID} = false -->\n")
        self.finds(1, f"::error file={str(path).replace('%', '%25').replace(',', '%2C')},line=2,"
                      f"title=embedscale cite::{ID} is said", path, "--annotations")

    def test_is_told_by_a_pinned_results_json(self):
        """Which needs no release.json, nor anything else of this project."""
        results = json.loads((REPORTS / "results.json").read_bytes())
        row = next(row for row in results["claims"] if row["id"] == ID)
        row["verdict"], row["condition"], row["fields"]["bound"] = "false", None, "9"
        pinned = self.plant("pinned.json", json.dumps(results))
        path = self.plant("a.md", f"<!-- embedscale: {ID} = false -->"
                                  f"<!--{{={ID} bound}}-->9<!--/-->")
        self.finds(0, "", path, "--results", pinned)
        self.assertEqual(run("--check", path).returncode, 1)

    def test_finds_nothing_in_what_this_project_publishes(self):
        ended = self.finds(0, "", SOURCE / "README.md", REPORTS, HERE / "README.md")
        self.assertGreater(int(re.search(r"(\d+) marks", ended.stderr)[1]), 500)


class Write(Test):
    def test_puts_numbers_into_their_places_and_keeps_every_other_byte(self):
        for name, text in FORMATS.items():
            for change in (lambda one: one, lambda one: one.replace(b"\n", b"\r\n"),
                           lambda one: b"\xef\xbb\xbf" + one + b"\xff\xfe no newline"):
                right, wrong = (change(text.format(**{**TRUE, "number": number}).encode())
                                for number in ("0.92", "0.53"))
                path = self.plant(name, wrong)
                path.chmod(0o640)
                ended = run("--write", path)
                self.assertEqual((ended.returncode, path.read_bytes()), (0, right), ended.stdout)
                self.assertIn("written: ", ended.stdout)
                self.assertEqual(path.stat().st_mode & 0o777, 0o640)
                self.finds(0, "", path)

    def test_leaves_alone_what_is_current_and_verdicts_to_people(self):
        path = self.plant("a.md", FORMATS["a.md"].format(**{**TRUE, "verdict": "false"}))
        os.utime(path, (1, 1))
        inode = path.stat().st_ino
        ended = run("--write", path)
        self.assertEqual((ended.returncode, path.stat().st_mtime, path.stat().st_ino),
                         (1, 1, inode), ended.stdout)

    def test_takes_its_own_minus_and_that_of_the_format(self):
        for name, mark in (("a.tex", "{0}\n% {1}\n${2}$\n"), ("a.md", "<!--{1}-->{2}<!--/-->")):
            path = self.plant(name, mark.format("", "{=training.up_equals_down post}", "0.03"))
            self.assertEqual(run("--write", path).returncode, 0)
            self.assertIn("$-0.02$" if name == "a.tex" else "−0.02", path.read_text("utf-8"))

    def test_writes_many_places_and_where_a_link_points_to(self):
        text = 3 * (f"<!--{{={ID} last_width}}-->9<!--/-->"
                    f"<!--{{={ID} list_more_binary64}}--> 257<!--/-->")
        path = self.plant("real/a.md", text)
        link = self.scratch / "docs/a.md"
        link.parent.mkdir()
        link.symlink_to(path)
        (self.scratch / "docs/dangling.md").symlink_to("nowhere.md")
        self.assertEqual(run("--write", self.scratch).returncode, 0)
        self.assertEqual(path.read_text(),
                         text.replace(">9<", ">1024<").replace("257", "none"))
        self.assertTrue(link.is_symlink())

    def test_leaves_the_file_where_it_cannot_write(self):
        if os.geteuid() == 0:
            self.skipTest("root writes everywhere")
        path = self.plant("docs/a.md", FORMATS["a.md"].format(**{**TRUE, "number": "1.00"}))
        path.parent.chmod(0o500)
        self.addCleanup(path.parent.chmod, 0o700)
        before = path.read_bytes()
        self.assertEqual((run("--write", path).returncode, path.read_bytes()), (3, before))


class Random(Test):
    def test_no_text_breaks_it(self):
        """What is mutated of true texts is found, or passes; the text with its marks is kept."""
        generator = random.Random(20261128)
        pieces = [b"<!--", b"-->", b"<!--/-->", b"embedscale:", b"{=", b"}", b"=", b"%", b"..",
                  b"#", b"\n", b"\r", b"\0", b"\xff", b"\xe2\x88\x92", b'"', b"{,}", b"10^{", b"9" * 400,
                  b"e-99999", ID.encode(), SHARE.encode(), b" of ", b" : %", b".html#", b"\\"]
        for case in range(60):
            for name, text in FORMATS.items():
                content = bytearray(text.format(**TRUE).encode() * generator.randrange(1, 4))
                for _ in range(generator.randrange(1, 12)):
                    at = generator.randrange(len(content) + 1)
                    content[at:at + generator.randrange(12)] = generator.choice(pieces)
                self.plant(f"{case}/{name}", bytes(content))
            self.plant(f"{case}/bytes.tex", generator.randbytes(2000).replace(b"\0", b""))
        self.assertEqual(run("--check", self.scratch).returncode, 1)
        run("--write", self.scratch)
        written = {path: path.read_bytes() for path in self.scratch.rglob("*.*")}
        self.assertIn(run("--write", self.scratch).returncode, (0, 1))
        self.assertEqual({path: path.read_bytes() for path in written}, written)

    def test_long_texts_take_no_long_time(self):
        for name, unit in (("a.md", "<!--"), ("b.md", "<!--{="), ("c.md", "1,234"), ("d.tex", "%"),
                           ("e.py", "#"), ("f.rst", ".. "), ("g.md", "a#b.c"), ("h.md", "x")):
            self.plant(name, f"<!--{{={ID} bound}}-->" + unit * (400000 // len(unit)) + "<!--/-->")
        began = time.monotonic()
        self.assertEqual(run("--check", self.scratch).returncode, 1)
        # Some seconds, where what grows with the square takes minutes.
        self.assertLess(time.monotonic() - began, 60)


class Styles(Test):
    rows = {row["id"]: row for row in json.loads((REPORTS / "results.json").read_bytes())["claims"]}

    def test_bibtex_is_claims_bib(self):
        head, entries = (REPORTS / "claims.bib").read_text("utf-8").split("\n\n", 1)
        self.assertEqual(run(*self.rows).stdout, entries)
        self.assertEqual(run(ID, "--style", "bibtex").stdout,
                         next(one for one in entries.split("\n\n") if ID in one) + "\n")

    def test_csl_has_what_its_schema_asks_for(self):
        items = json.loads(run(*self.rows, "--style", "csl").stdout)
        self.assertEqual([item["id"] for item in items], ["embedscale:" + id for id in self.rows])
        for item, row in zip(items, self.rows.values()):
            self.assertLessEqual(item.keys(), {"id", "type", "title", "author", "container-title",
                                               "issued", "URL", "note", "version"})
            self.assertEqual((item["type"], item["title"]), ("webpage", row["finding"]))
            self.assertEqual(item["author"], [{"literal": "The embedscale authors"}])
            self.assertIsInstance(item["issued"]["date-parts"][0][0], int)
            self.assertTrue(item["URL"].endswith("/reports/" + row["anchor"]))
            self.assertIn(row["belief"], item["note"])
            self.assertIn(row["verdict"], item["note"])

    def test_ris_is_tagged_lines(self):
        text = run(*self.rows, "--style", "ris").stdout
        self.assertEqual(text.count("\r\n"), text.count("\n"))
        lines = text.splitlines()
        for line in lines:
            self.assertRegex(line, r"^[A-Z][A-Z0-9]  - ")
        self.assertEqual(lines.count("TY  - ELEC"), len(self.rows))
        self.assertEqual(lines.count("ER  - "), len(self.rows))
        for row in self.rows.values():
            self.assertIn(f"TI  - {row['finding']}", lines)

    def test_markdown_and_latex_pass_their_own_check(self):
        for style, name in (("markdown", "a.md"), ("latex", "a.tex")):
            text = run(*self.rows, "--style", style).stdout
            self.assertEqual(len(text.splitlines()), len(self.rows))
            ended = self.finds(0, "", self.plant(name, text))
            self.assertIn(f" {2 * len(self.rows)} marks", ended.stderr)
        self.assertIn("\\href{https://", text)
        self.assertNotRegex(text, r"\\href\{[^}]*[^\\]#")

    def test_refuses_what_it_does_not_have(self):
        alone = self.plant("r.json", json.dumps({"claims": list(self.rows.values())}))
        for arguments, code, said in ((("rounds_identically",), 2, f"nearest is {ID}"),
                                      ((ID, "--style", "mla"), 2, "invalid choice: 'mla'"),
                                      ((ID, "--results", alone), 3, "release.json")):
            ended = run(*arguments)
            self.assertEqual((ended.returncode, ended.stdout), (code, ""), ended.stderr)
            self.assertIn(said, ended.stderr)


class Program(Test):
    def test_is_a_command_and_a_program_of_its_own(self):
        path = self.plant("a.md", f"<!-- embedscale: {ID} = false -->\n")
        for program in ((COMMAND, "cite"), (HERE / "cite.py",)):
            for arguments in (("--check", "a.md"), (ID, "--style", "ris"), ("--help",), ()):
                ended = subprocess.run([*program, *arguments], cwd=path.parent, encoding="utf-8",
                                       stdin=subprocess.DEVNULL, capture_output=True)
                here = run(*(path if one == path.name else one for one in arguments))
                self.assertEqual(ended.returncode, here.returncode, ended.stderr)
                self.assertEqual(ended.stdout.split(":")[1:],
                                 here.stdout.replace("\r\n", "\n").split(":")[1:])
        self.assertFalse((HERE / "__pycache__").exists())

    def test_says_that_it_needs_python(self):
        ended = subprocess.run([COMMAND, "cite", ID], env={"PATH": str(self.scratch)},
                               capture_output=True, encoding="utf-8")
        self.assertEqual((ended.returncode, ended.stdout), (2, ""))
        self.assertIn("no python3 is in PATH", ended.stderr)


class Source(unittest.TestCase):
    def test_is_of_python_3_9_and_its_library(self):
        for file in ("cite.py", "publication.py", "published.py"):
            tree = ast.parse((HERE / file).read_bytes(), feature_version=(3, 9))
            modules = {name.name if isinstance(node, ast.Import) else node.module
                       for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))
                       for name in node.names}
            self.assertLessEqual(modules - {"published"}, sys.stdlib_module_names)


if __name__ == "__main__":
    unittest.main()
