"""What `embedscale audit` makes of the config.json of each model type, against what its code does
and against the atlas's own files; audit/test/model_types.txt has the cases."""

import copy
import json
import math
import re
import tomllib
import unittest

from programs import SOURCE, Test, read, run, write

TESTS = SOURCE / "analyses/audit/test"
ASIDE = ("name", "file", "fields", "marks")


def config_of(name):
    return json.loads(read(TESTS / f"configs/{name}.json"))


def merged(target, patch):
    """As RFC 7396 has it."""
    if not isinstance(patch, dict):
        return patch
    target = copy.copy(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        target.pop(key, None) if value is None else target.update(
            {key: merged(target.get(key), value)})
    return target


def lines():
    """Type, side, changes and the expected value of each field, from the file's lines."""
    form = re.compile(r"([^\s:]+)(?::(\w+))? (?:(\{.*\}) )?(.*)")
    for line in read(TESTS / "model_types.txt").splitlines():
        if line and not line.startswith("#"):
            name, side, changes, expected = form.fullmatch(line).groups()
            yield (name, side, json.loads(changes or "{}"),
                   dict(word.split("=", 1) for word in expected.split()))


LINES = list(lines())
TYPES = sorted({name for name, *_ in LINES})


def told(fields, path):
    """"?" of a field that is marked absent; "-" of one that is not told."""
    field = fields[path]
    if field.get("mark") == "absent":
        return "?"
    return "-" if field["value"] is None else field["value"]


def in_digits(text):
    """A number that a formula comes to, to 14 digits; else the text itself."""
    try:
        return f"{eval(text, {'__builtins__': {}, 'sqrt': math.sqrt}):.14g}"
    except (NameError, SyntaxError, TypeError):
        return text


class ConfigJson(Test):
    own = {}  # the audits of each type's file, by one process for all tests

    def setUp(self):
        super().setUp()
        self.own.update({} if self.own else zip(TYPES, self.audits(map(config_of, TYPES))))

    def audits(self, configs):
        """Those of each input of each JSON, by one process: lists, in the order given."""
        files = []
        for place, config in enumerate(configs):
            files.append(self.scratch / f"{place}/config.json")
            write(files[-1], json.dumps(config))
        rows = self.rows(*files)
        return [[row for row in rows if row["file"] == str(file)] for file in files]

    def rows(self, *arguments):
        ended = run("embedscale", "audit", "--json", *arguments)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        return [json.loads(line) for line in ended.stdout.splitlines()]

    def toml(self, name):
        ended = run("embedscale", "audit", "--to-toml", name)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        return ended.stdout

    def test_comes_to_what_the_code_of_its_type_does(self):
        changed = iter(self.audits(merged(config_of(name), changes)
                                   for name, _, changes, _ in LINES if changes))
        for name, side, changes, expected in LINES:
            fields, = (audit["fields"] for audit in (next(changed) if changes else self.own[name])
                       if audit["name"].endswith(f" {side}" if side else ""))
            for path, value in expected.items():
                with self.subTest(name, side=side, changes=changes, path=path):
                    self.assertEqual(in_digits(told(fields, path)), in_digits(value))

    def test_has_the_figures_of_its_class_s_defaults_and_tells_where_each_value_is_from(self):
        self.assertGreaterEqual(len(TYPES), 40)
        defaults = self.audits({"model_type": name} for name in TYPES)
        for (name, given), bare in zip(self.own.items(), defaults):
            with self.subTest(name):
                self.assertEqual(*([{key: value for key, value in row.items() if key not in ASIDE}
                                    for row in rows] for rows in (given, bare)))
            for row in given:
                marked = {path: field for path, field in row["fields"].items() if "mark" in field}
                with self.subTest(row["name"]):
                    self.assertTrue(all(field["source"] for field in marked.values()))
                    self.assertGreaterEqual(
                        sum("config.json (" in field["source"] for field in marked.values()), 4)
                    # What decides a figure is told, or marked absent: no default of ours.
                    self.assertLessEqual(set(row["defaults"]), {
                        "token.multiplier_format", "position.multiplier", "output.multiplier",
                        "block.epsilon_added_to", "embedding_norm.epsilon_added_to"})

    def test_tells_a_key_from_a_default_and_the_code(self):
        (_, plbart), (gemma,) = self.audits([
            {"model_type": "plbart", "d_model": 1536},
            {"model_type": "gemma3", "hidden_size": 32, "text_config": {"hidden_size": 64}}])
        for row, path, mark, source in (
                (plbart, "model.d_model", "read", r"config\.json \(d_model\)$"),
                (plbart, "model.heads", "assumed",
                 r"configuration_plbart\.py@1001bb00bfee \(PLBartConfig\), the default of "
                 "decoder_attention_heads$"),
                (plbart, "token.multiplier", "assumed", ""),
                (plbart, "block.norm", "read", r"modular_plbart\.py@004edfe2dc0f"),
                (plbart, "output.sharing", "inferred", ""),
                (gemma, "model.d_model", "read", r"config\.json \(text_config\.hidden_size\)$"),
                (gemma, "attention.projection", "absent", "")):
            with self.subTest(path):
                field = row["fields"][path]
                self.assertEqual(field["mark"], mark)
                self.assertRegex(field["source"], "^" + source)

    def test_is_the_system_of_the_atlas_that_was_entered_by_hand(self):
        granite = {"model_type": "granite", "hidden_size": 4096, "num_attention_heads": 32,
                   "vocab_size": 49159, "rope_theta": 1e7, "max_position_embeddings": 131072,
                   "rms_norm_eps": 1e-5, "embedding_multiplier": 12.0, "residual_multiplier": 0.22,
                   "attention_multiplier": 0.0078125, "tie_word_embeddings": True,
                   "logits_scaling": 16.0}
        bloom = {"model_type": "bloom", "n_embed": 14336, "n_head": 112, "seq_length": 2048}
        gemma = {"model_type": "gemma", "torch_dtype": "bfloat16"}
        made = {**self.own, **dict(zip(("bloom", "gemma", "granite"),
                                       self.audits([bloom, gemma, granite])))}
        names = ("albert", "bart", "bert", "bloom", "gemma", "gpt2", "granite", "llama", "marian",
                 "mbart", "t5")
        systems = self.rows(*(SOURCE / f"analyses/systems/hf_{name}.toml" for name in names))
        for name, system in zip(names, systems):
            ours, own = system["fields"], made[name][-1]["fields"]
            self.assertEqual(ours.keys(), own.keys())
            parted = [(path, told(ours, path), told(own, path)) for path in own
                      if path != "name" and not path.startswith("source.")
                      and in_digits(told(ours, path)) != in_digits(told(own, path))]
            # Granite's code multiplies by a number of Python, which is not rounded to the tensor's
            # type.
            self.assertEqual(parted, [("token.multiplier_format", "bfloat16", "binary32")]
                             if name == "granite" else [], name)

    def test_that_is_not_understood_is_refused_in_one_line(self):
        known = f"known are {', '.join(TYPES)} (of any other, write a TOML configuration: " \
                "embedscale audit --keys tells all keys)\n"
        unknown_effect = "what it does is not known here, but of "
        for text, says in (
                ("[1]", "must be a JSON object, as config.json is"),
                ("{}", f"has no model_type: {known}"),
                ({"model_type": 7}, f"model_type = 7: is not known; {known}"),
                ({"model_type": "lama"}, f'model_type = "lama": is not known; {known}'),
                ('{"model_type": "llama", "a": {"b": 1, "b": 2}}', 'has the key "b" twice'),
                ('{"model_type": "llama", "model_type": "bert"}', 'has the key "model_type" twice'),
                ('{"model_type": "llama",}', "is not JSON: [json.exception.parse_error"),
                # The parser's words end within a character, as its reading does.
                (b"{\xc2\x89", "is not JSON: [json.exception.parse_error"),
                ('{"model_type": "llama", "rope_theta": 1e999}',
                 "is not JSON: [json.exception.out_o"),
                ('{"model_type": "llama", "x": ' + "[" * 17, "is nested more than 16 deep"),
                ('{"model_type": "llama"}' + " " * 1_000_000,
                 "is larger than 1000000 bytes, which no configuration needs"),
                ({"model_type": "llama", "hidden_size": "4096"},
                 'hidden_size = "4096": must be a number'),
                ({"model_type": "llama", "hidden_size": [4096]},
                 "hidden_size = [4096]: must be one"),
                ({"model_type": "llama", "vocab_size": 2**63},
                 "vocab_size = 9223372036854775808: must be below 2^63"),
                ({"model_type": "llama", "vocab_size": 2**63 - 1},
                 "model.vocabulary = 9223372036854775807: must be an integer from 1 to 4294967296"),
                ({"model_type": "marian", "scale_embedding": 1},
                 "scale_embedding = 1: must be true or false"),
                ({"model_type": "llama", "head_dim": "64"}, 'head_dim = "64": must be a number'),
                ({"model_type": "gemma", "dtype": 16}, "dtype = 16: must be a text"),
                ({"model_type": "gemma3", "text_config": {"hidden_size": True}},
                 "text_config.hidden_size = true: must be a number"),
                ({"model_type": "bert", "position_embedding_type": "relative_key"},
                 f'position_embedding_type = "relative_key": {unknown_effect}"absolute"'),
                ({"model_type": "llama", "rope_scaling": {"rope_type": "mrope"}},
                 f'rope_scaling.rope_type = "mrope": {unknown_effect}"default"'),
                ({"model_type": "mpt", "logit_scale": "inv_sqrt_d_model"},
                 'logit_scale = "inv_sqrt_d_model": what it does is not known here'),
                ({"model_type": "llama", "num_attention_heads": 7},
                 "model.heads = 7: must be a divisor of model.d_model = 4096")):
            with self.subTest(says):
                file = self.scratch / "c.json"
                text = json.dumps(text) if isinstance(text, dict) else text
                file.write_bytes(text if isinstance(text, bytes) else text.encode())
                ended = run("embedscale", "audit", file)
                self.assertEqual((ended.returncode, ended.stdout), (2, ""))
                self.expect_line(ended.stderr, says)
                self.assertTrue("c.json" in ended.stderr[:ended.stderr.index(says)], ended.stderr)
                if isinstance(text, bytes):
                    self.assertTrue(ended.stderr.endswith("object key - invalid literal\n"))

    def test_is_read_as_a_file_or_one_of_its_inputs(self):
        bart, llama, toml = (self.scratch / name for name in ("config.json", "llama", "t.toml"))
        write(bart, json.dumps(config_of("bart")))
        write(llama, ' \n{"model_type": "llama", "_name_or_path": "me/mine"}')
        text = self.toml(bart)
        write(toml, text)
        rows = self.rows(bart, f"{bart}:encoder", f"{bart}:decoder", llama, toml)
        self.assertEqual([row["name"] for row in rows], [
            "bart encoder", "bart decoder", "bart encoder", "bart decoder", "me/mine",
            "bart decoder"])
        self.assertEqual({row["file"] for row in rows}, {str(bart), str(llama), str(toml)})
        row, = self.rows(f"{bart}:encoder", "--set", "token.multiplier=sqrt(d_model)")
        self.assertEqual(row["fields"]["token.multiplier"]["value"], "32")
        ended = run("embedscale", "audit", f"{llama}:encoder")
        self.assertEqual((ended.returncode, ended.stdout), (2, ""))
        self.expect_line(ended.stderr, f"{llama}:encoder: has one input, so there is no encoder to")
        # As --to-toml prints it, it is the same configuration, by another reader of TOML as well.
        self.assertEqual(rows[-1], {**rows[1], "file": str(toml)})
        self.assertEqual(self.toml(toml), text)
        read_apart = tomllib.loads(text)
        self.assertEqual(read_apart["marks"], {
            path: {key: field[key] for key in ("mark", "source")}
            for path, field in rows[-1]["fields"].items() if "mark" in field})
        for path in read_apart["marks"]:
            section, key = path.split(".")
            with self.subTest(path):
                value = str(read_apart[section][key]).replace("d_k", "64").replace("True", "true")
                self.assertEqual(in_digits(value), in_digits(told(rows[-1]["fields"], path)))


if __name__ == "__main__":
    unittest.main()
