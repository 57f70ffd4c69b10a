"""The atlas of systems: where they are from, what is found in them, and what mends it."""

import json
import re
import unittest

from programs import SITE, SOURCE, Test, read, run, write

SYSTEMS = sorted((SOURCE / "analyses/systems").glob("*.toml"))
ADDED = ("sinusoidal", "learned")  # kinds of positions
PALIGEMMA = SOURCE / "analyses/systems/hf_paligemma.toml"
WHOLE = ("[model]\nd_model = 512\nheads = 8\npositions = 9\n[token]\nlaw = 'normal'\n"
         "standard_deviation = 1\n[position]\nkind = 'sinusoidal'\n")


def audits(files, changes=()):
    """By one process, with what is set in all of them."""
    ended = run("embedscale", "audit", "--json", *files,
                *(word for change in changes for word in ("--set", change)))
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


class Atlas(Test):
    @classmethod
    def setUpClass(cls):
        cls.systems = audits(SYSTEMS)

    def test_tells_where_each_is_from_and_what_each_field_rests_on(self):
        self.assertGreaterEqual(len(SYSTEMS), 40)
        gemmas = 0
        for file, row in zip(SYSTEMS, self.systems, strict=True):
            name, fields = row["name"], row["fields"]
            with self.subTest(name):
                self.assertEqual(name, file.stem)
                self.assertIn("/", fields["source.repository"]["value"])
                self.assertRegex(fields["source.commit"]["value"], "^[0-9a-f]{40}$")
                self.assertTrue(fields["source.files"]["value"])
                for path, field in fields.items():
                    self.assertTrue(field.get("mark", "read") == "read" or field["source"], path)
                # What is not told is marked absent, so that no default of the audit's own decides a
                # figure. Of Gemma's it is told what the multiplier is cast to, and that the last
                # gain is less one.
                gemma = "gemma" in name or name == "openpi_pi0"
                gemmas += gemma
                decide = {"token.law", "block.norm", "block.epsilon", "attention.scale",
                          "attention.projection", "embedding_norm.epsilon",
                          *(["token.multiplier_format"] if gemma else [])}
                self.assertFalse(decide & row["defaults"].keys())
                self.assertEqual(fields["final_norm.gain"]["value"] == "one_plus",
                                 gemma and name != "llama_cpp_gemma")
        self.assertGreaterEqual(gemmas, 5)

    def test_is_on_its_page_once_each_by_ratio_and_says_why_one_has_none(self):
        page = read(SITE / "reports/conventions.md").partition("\n## The systems\n")[2]
        page = page.partition("\n## ")[0]
        ratios = {}  # by where the row stands
        for row in self.systems:
            fields = {path: field["value"] for path, field in row["fields"].items()}
            begin = (f"| [{row['name']}](https://github.com/{fields['source.repository']}/tree/"
                     f"{fields['source.commit']}) ")
            self.assertEqual(page.count(begin), 1, begin)
            line = page[page.index(begin):].partition("\n")[0]
            ratio, adds = row["token_to_position"], fields["position.kind"] in ADDED
            self.assertNotEqual("nothing added" in line, adds, line)
            if adds and ratio is None:
                self.assertIn("not recorded |", line)
            ratios[page.index(begin)] = ratio if ratio is not None else 0 if adds else -1
        in_order = [ratio for _, ratio in sorted(ratios.items())]
        self.assertEqual(in_order, sorted(in_order, reverse=True))

    def test_has_findings_that_name_claims_and_say_one_sentence_with_numbers(self):
        claims = set(re.findall(r"^\S+\.\S+", run("embedscale", "list").stdout, re.M))
        found = {finding["claim"] for row in self.systems for finding in row["findings"]}
        for row in self.systems:
            for finding in row["findings"]:
                with self.subTest(row["name"], claim=finding["claim"]):
                    self.assertIn(finding["claim"], claims)
                    self.assertNotIn("\n", finding["sentence"])
                    if finding["claim"] != "attention.first_layer_terms":
                        self.assertRegex(finding["sentence"], r"\d")
        self.assertGreaterEqual(len(found), 5)  # the atlas has most kinds of them

    def test_remedies_mend_what_they_are_named_for(self):
        mended = set()

        def expect(row, file, given=()):
            remedies = [finding for finding in row["findings"] if "remedy" in finding]
            self.assertEqual(remedies, [finding for finding in row["findings"]
                                        if finding["severity"] == "warning"])
            # The verdict says briefly what each of them is.
            off = re.match("badly off: (.*); try ", row["verdict"])
            self.assertEqual(len(re.findall(r"(?:^|; )[^;]+", off[1])) if off else 0,
                             len(remedies), row["verdict"])
            for finding in remedies:
                path, value = finding["remedy"].split(", for ")[0].split(" = ", 1)
                after, = audits([file], [*given, f"{path}={value}"])
                self.assertNotIn((finding["claim"], "warning"),
                                 [(f["claim"], f["severity"]) for f in after["findings"]],
                                 f"{file}: {finding['remedy']}")
                mended.add(path)

        for file, row in zip(SYSTEMS, self.systems, strict=True):
            expect(row, file)
        norms = {"block": "[block]\nnorm = 'pre'\nepsilon = 1\n",
                 "sum": "[embedding_norm]\nepsilon = 0.5\nepsilon_added_to = "
                        "'standard_deviation'\n[block]\nnorm = 'pre'\n"}
        for name, norm in norms.items():
            write(self.scratch / f"{name}.toml", WHOLE + norm)
        # The first two are of codes that have no factor in this case.
        for file, given in (
                (SOURCE / "analyses/systems/hf_t5.toml",
                 ("output.tied=false", "output.law=normal", "output.standard_deviation=1")),
                (SOURCE / "analyses/systems/marian.toml",
                 ("position.kind=learned", "position.law=normal",
                  "position.standard_deviation=1e-4")),
                # Of merged rows: divided in the look-up, and text multiplied twice.
                (PALIGEMMA, ("token.multiplier_place=look_up",)),
                (PALIGEMMA, ("merged[0].multiplier=1", "merged[0].rms=1")),
                (SOURCE / "analyses/systems/hf_gemma3.toml",
                 ("token.multiplier=d_model", "merged[0].rms=1")),
                *((self.scratch / f"{name}.toml", ()) for name in norms)):
            row, = audits([file], given)
            expect(row, file, given)
        self.assertEqual(mended, {"attention.scale", "block.epsilon", "embedding_norm.epsilon",
                                  "merged[0].multiplier", "output.multiplier",
                                  "output.standard_deviation", "position.multiplier",
                                  "token.multiplier"})


if __name__ == "__main__":
    unittest.main()
