"""`embedscale audit`, `compare` and `port` as their users meet them: options, exit codes, what goes
to which stream. What the figures and the steps are is the business of audit_test and port_test."""

import json
import re
import unittest

from programs import PROGRAMS, SOURCE, Test, read, run, write

SYSTEMS = SOURCE / "analyses/systems"
GEMMA, BERT = (SYSTEMS / f"{name}.toml" for name in ("hf_gemma", "bert_google"))
INSTALLED = PROGRAMS.parent / "share/embedscale/systems"


def embedscale(*arguments, **options):
    return run("embedscale", *arguments, **options)


def between(markers):
    """What stands between these in the manual of configurations."""
    return re.search(f"<!-- {markers}:begin -->(.*)<!-- {markers}:end -->",
                     read(SYSTEMS / "README.md"), re.S)[1]


class Commands(Test):
    def setUp(self):
        super().setUp()
        self.mine = self.scratch / "mine.toml"
        write(self.mine, self.configuration())

    def configuration(self, norm="", multiplier="", position_multiplier=""):
        return (f"[model]\nd_model = 512\nheads = 8\n[token]\nlaw = 'normal'\n"
                f"standard_deviation = 1\n{multiplier}\n[position]\nkind = 'sinusoidal'\n"
                f"{position_multiplier}\n{norm}\n")

    def printed(self, *arguments, code=0, **options):
        """What is printed, and nothing said beside it."""
        ended = embedscale(*arguments, **options)
        self.assertEqual((ended.returncode, ended.stderr), (code, ""), ended.stdout)
        return ended.stdout

    def rows(self, *arguments, **options):
        return [json.loads(line) for line in self.printed(*arguments, **options).splitlines()]

    def test_audit_prints_a_summary_or_a_row_of_each_file(self):
        gemma, bert = self.rows("audit", "--json", GEMMA, BERT)
        self.assertEqual([gemma["name"], gemma["file"]], ["hf_gemma", str(GEMMA)])
        self.assertEqual(gemma["token"]["rms"], 1.11)
        self.assertEqual([bert["name"], bert["file"]], ["bert_google", str(BERT)])
        texts = [self.printed("audit", file) for file in (GEMMA, BERT)]
        for text, row in zip(texts, (gemma, bert)):
            self.assertTrue(text.startswith(f"{row['name']}: "), text)
            self.assertIn(row["verdict"], " ".join(text.split()))
        self.assertEqual(self.printed("audit", GEMMA, BERT), "\n".join(texts))

    def test_audit_knows_the_systems_of_the_atlas_by_name(self):
        names = sorted(file.stem for file in SYSTEMS.glob("*.toml"))
        self.assertGreater(len(names), 30)
        self.assertEqual(self.printed("audit", "--systems").splitlines(), names)
        rows = self.rows("audit", "--json", *(SYSTEMS / f"{name}.toml" for name in names))
        self.assertEqual([row["name"] for row in rows], names)
        # Files come first.
        mine, gemma = self.rows("audit", "--json", "--system", "hf_gemma", self.mine)
        self.assertEqual(mine["name"], "mine")
        self.assertEqual(gemma, {**rows[names.index("hf_gemma")],
                                 "file": str(INSTALLED / "hf_gemma.toml")})

    def test_audit_prints_the_keys_of_its_readme(self):
        keys, marks = self.printed("audit", "--keys").split("marks.\"FIELD\"\n")
        fields = re.findall(r"^(\S+)\n    (.*)\n    otherwise: (.*)\n", keys, re.M)
        self.assertGreater(len(fields), 60)
        self.assertEqual(keys.split("\n\n")[1].count("\n"), 3 * len(fields))
        self.assertEqual(marks.count("\n    otherwise: read\n"), 1)
        rows = [("Key", "Value", "Where it is not given"),
                *((f"`{key}`", value, otherwise) for key, value, otherwise in fields)]
        widths = [max(map(len, column)) for column in zip(*rows)]
        rows.insert(1, tuple(":" + "-" * (width - 1) for width in widths))
        table = "".join("| " + " | ".join(map(str.ljust, row, widths)) + " |\n" for row in rows)
        # Where this fails, put the second text between the markers.
        self.assertEqual(between("keys"), f"\n\n{table}\n")

    def test_audit_has_the_figures_of_its_readme(self):
        row, = self.rows("audit", "--json", GEMMA)
        paths = {path.split(".binary")[0] for path in {**row["claims"], **row["missing"]}
                 if ".bfloat16" not in path}
        self.assertGreater(len(paths), 25)
        self.assertLessEqual(paths, set(re.findall("`(.*?)`", between("figures"))))

    def test_audit_sets_what_if(self):
        changes = ("--set", "token.multiplier=7", "--set", "position.multiplier=", "--set",
                   "block.norm=pre")
        write(self.mine, self.configuration(position_multiplier="multiplier = 3"))
        row, = self.rows("audit", "--json", *changes, self.mine)
        write(self.mine, self.configuration("[block]\nnorm = 'pre'", "multiplier = 7"))
        self.assertEqual([row], self.rows("audit", "--json", self.mine))

    def test_audit_fails_on_a_warning_in_any_file_if_asked_and_prints_the_same(self):
        warned, = self.rows("audit", "--json", "--system", "d2l_pytorch")
        self.assertIn("warning", [finding["severity"] for finding in warned["findings"]])
        self.assertEqual(len(self.rows("audit", "--json", "--system", "tensor2tensor",
                                       "--fail-on", "warning")), 1)
        both = self.rows("audit", "--json", "--fail-on", "warning", "--system", "d2l_pytorch",
                         "--system", "hf_gemma", code=1)
        self.assertEqual(both, [warned, *self.rows("audit", "--json", "--system", "hf_gemma")])

    def test_audit_reads_standard_input(self):
        row, = self.rows("audit", "--json", "-", input=read(GEMMA))
        gemma, = self.rows("audit", "--json", GEMMA)
        self.assertEqual(row, {**gemma, "file": "-"})

    def test_audit_compare_and_port_take_a_config_json(self):
        """What its values become is the business of config_json_test."""
        file, toml = self.scratch / "config.json", self.scratch / "mine.toml"
        write(file, json.dumps({"model_type": "marian", "scale_embedding": True}))
        encoder, decoder = self.rows("audit", "--json", file)
        self.assertEqual([row["name"] for row in (encoder, decoder)],
                         ["marian encoder", "marian decoder"])
        self.assertEqual(decoder["scaled_down"]["factor"], 32)
        self.assertEqual(self.rows("audit", "--json", f"{file}:encoder"), [encoder])
        self.assertEqual(self.rows("audit", "--json", "--", "-:decoder", input=read(file)),
                         [{**decoder, "file": "-"}])
        row, = self.rows("audit", "--json", f"{file}:decoder", "--set", "token.multiplier=1")
        self.assertEqual(row["scaled_down"]["factor"], 1)
        write(toml, self.printed("audit", "--to-toml", file))
        self.assertEqual(self.rows("audit", "--json", toml), [{**decoder, "file": str(toml)}])
        self.assertEqual(len(self.rows("compare", "--json", file)), 2)
        row, = self.rows("port", "--json", file, f"{file}:encoder", "--set", "to.output.tied=true")
        self.assertEqual([row[side]["name"] for side in ("from", "to")],
                         ["marian decoder", "marian encoder"])

    def test_compare_prints_a_table_or_a_row_of_each_file(self):
        texts = [self.printed("compare", file) for file in (GEMMA, BERT)]
        self.assertTrue(texts[0].startswith("hf_gemma\n  up "), texts[0])
        self.assertEqual(self.printed("compare", GEMMA, BERT), "\n".join(texts))
        changes = ("--set", "token.multiplier=7", "--set", "block.norm=pre")
        mine, bert = self.rows("compare", "--json", *changes, self.mine, BERT)
        self.assertEqual(bert["name"], "bert_google")
        write(self.mine, self.configuration("[block]\nnorm = 'pre'", "multiplier = 7"))
        self.assertEqual([mine], self.rows("compare", "--json", self.mine))

    def test_port_prints_steps_or_a_row(self):
        self.assertIn("None: no value changes", self.printed("port", GEMMA, GEMMA))
        self.assertEqual(self.printed("port", "hf_gemma", "hf_gemma"),
                         self.printed("port", GEMMA, GEMMA))
        self.assertEqual(self.printed("port", "-", GEMMA, input=read(GEMMA)),
                         self.printed("port", GEMMA, GEMMA))
        row, = self.rows("port", self.mine, self.mine, "--set", "to.token.multiplier=4", "--json")
        other = self.scratch / "other/mine.toml"
        write(other, self.configuration(multiplier="multiplier = 4"))
        self.assertEqual(row["from"]["file"], str(self.mine))
        row["to"]["file"] = str(other)
        self.assertEqual([row], self.rows("port", "--json", self.mine, other))
        placed = ("port", "hf_gemma", "hf_gemma", "--set", "to.token.multiplier=1")
        copy = "Before all else, give the output a copy of the old code's token table."
        self.assertIn(copy, " ".join(self.printed(*placed, "--place", "own_table").split()))
        self.assertNotIn(copy, " ".join(self.printed(*placed, "--place", "final_norm").split()))

    def test_port_tells_what_stops_the_function_by_the_exit_code_as_well(self):
        told = self.printed("port", "hf_gemma", "hf_gemma", "--set", "from.block.epsilon=1e-5",
                            code=1)
        self.assertIn("NOT kept", told)

    def test_say_in_one_line_what_is_wrong_and_print_nothing_else(self):
        broken, none = self.scratch / "broken.toml", self.scratch / "none.toml"
        unknown = self.scratch / "config.json"
        write(broken, "name = \n")
        write(unknown, '{"model_type": "x"}')
        for arguments, says, code in (
                (("audit",), "name a FILE, or a system with --system NAME", 2),
                (("audit", "-", "-"), "standard input can be read once only", 2),
                (("compare",), "compare: name a FILE, or a system with --system NAME", 2),
                (("audit", f"{GEMMA}:decoder"), f"{GEMMA}:decoder: has one input, so there is no", 2),
                (("audit", "--to-toml", GEMMA, "--json"),
                 "audit: --to-toml takes one FILE and --set, nothing else", 2),
                (("audit", "--to-toml", unknown), "model_type = \"x\": is not known; known are ", 2),
                (("audit", "--system", "tensor2tensr"),
                 "no system named 'tensor2tensr': nearest is tensor2tensor;", 2),
                (("audit", "--system", "../systems/tensor2tensor"),
                 "no system named '../systems/tensor2tensor'", 2),
                (("audit", GEMMA, "--set", "name=a\nb"), r"--set name=a\x0ab: ", 2),
                # All files or nothing.
                (("audit", GEMMA, broken), f"{broken}:1: is not TOML", 2),
                (("audit", "--json", GEMMA, none), f"{none}: cannot be read: ", 3),
                (("port", "tensor2tensr", GEMMA),
                 "no system named 'tensor2tensr': nearest is tensor2", 2),
                (("port", none, GEMMA), f"{none}: cannot be read: ", 3),
                (("port", "hf_gemma", "gpt2_openai"), "a checkpoint keeps its width", 2),
                (("port", GEMMA, GEMMA, "--set", "token.multiplier=1"),
                 "must be from.PATH=VALUE or to.", 2),
                (("port", GEMMA, GEMMA, "--set", "from.token.mult=1"),
                 "--set from.token.mult=1: there is no", 2),
                (("port", GEMMA, GEMMA, "--set", "to.token.multiplier=1", "--place",
                  "logit_factor"), "--place logit_factor: the new code is given none", 2)):
            with self.subTest(arguments):
                ended = embedscale(*arguments)
                self.assertEqual((ended.returncode, ended.stdout), (code, ""))
                self.expect_line(ended.stderr, says)

    def test_say_how_they_are_used_and_print_nothing_else(self):
        for arguments in (("audit", GEMMA, "--fail-on", "note"), ("port", GEMMA),
                          ("port", GEMMA, GEMMA, "--place", "nowhere")):
            ended = embedscale(*arguments)
            self.assertEqual((ended.returncode, ended.stdout), (2, ""))
            self.assertNotEqual(ended.stderr, "")


if __name__ == "__main__":
    unittest.main()
