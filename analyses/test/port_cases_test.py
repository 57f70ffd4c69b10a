"""Ports as analyses/port/test/cases.txt has them, and what one side does not tell."""

import json
import re
import unittest

from programs import SOURCE, Test, read, run, write

CASES = SOURCE / "analyses/port/test/cases.txt"


def cases():
    """Each line about two sides, with its number."""
    for number, line in enumerate(read(CASES).splitlines(), 1):
        if line[:1].isalpha():
            old = line
        elif line.startswith("> "):
            new = line[2:]
        elif line and not line.startswith("#"):
            yield number, old, new, line


def port(old, new, *more):
    """Of sides like "hf_gemma block.epsilon=1e-5"."""
    new, _, place = new.partition(" --place ")
    sides = [side.split() for side in (old, new)]
    changes = [word for to, side in zip(("from", "to"), sides) for change in side[1:]
               for word in ("--set", f"{to}.{change}")]
    return run("embedscale", "port", sides[0][0], sides[1][0], *changes,
               *(("--place", place) if place else ()), *more)


def story(row):
    """"multiply gain 4 | block.epsilon!": the steps with their factors, and what is said besides,
    with a "!" where it stops the function."""
    steps = ", ".join(f"{step['action']} {step['parameter'].replace('_', ' ')}"
                      + ("" if step["factor"] is None else f" {step['factor']:.12g}")
                      for step in row["steps"])
    besides = [f" {one['name']}" + "!" * (not one["only_in_training"]) for one in row["obstacles"]]
    besides += [f" {one['field']}" + "!" * one["stops_function"] for one in row["differences"]]
    return " ".join(filter(None, [steps, "".join(["|", *besides]) if besides else ""]))


class Cases(Test):
    def test_come_to_what_is_expected_of_them(self):
        tried = 0
        for number, old, new, line in cases():
            tried += 1
            kind, said = line[0], line[2:]
            with self.subTest(f"{CASES.name}:{number}"):
                if kind == "!":
                    refused = port(old, new)
                    self.assertEqual((refused.returncode, refused.stderr),
                                     (2, f"embedscale: port: {said}\n"))
                elif kind == "=":
                    self.assertEqual(story(json.loads(port(old, new, "--json").stdout)), said)
                elif kind == '"':
                    self.assertIn(said, " ".join(port(old, new).stdout.split()))
                else:
                    self.assertEqual(line, "*")  # evaluated_test.cpp looks at it
        self.assertGreater(tried, 60)

    def test_refuse_what_is_not_told(self):
        whole = read(SOURCE / "analyses/systems/tensor2tensor.toml")
        for field in ("model.d_model", "token.multiplier", "position.base", "position.multiplier",
                      "output.tied"):
            section, key = field.split(".")
            without, absent = self.scratch / "without.toml", re.escape(f'"{field}"')
            told = re.sub(rf"^{absent} = .*\n", "", whole, flags=re.M)
            told = re.sub(rf"(\[{section}\]\n(?:[^\[]*\n)?){key} = .*\n", r"\1", told)
            write(without, told + f'"{field}" = {{ mark = "absent", source = "nowhere" }}\n')
            refused = port(str(without), "tensor2tensor")
            self.assertEqual(refused.returncode, 2)
            self.assertEqual(refused.stderr, "embedscale: port: the old code (tensor2tensor) does "
                             f"not tell {field}: say it with --set from.{field}=VALUE\n")


if __name__ == "__main__":
    unittest.main()
