"""A percentage is not a share: where the words of a topic say %, what is looked up is shown a
hundred times as large, and nowhere else. (A look-up's own % brings the sign with it.)"""

import re
import unittest

from programs import SOURCE, read


def parts():
    """Where each part of a topic's words is, its prose, its blocks and its section's fields."""
    for file in sorted((SOURCE / "analyses").glob("*/words.md")):
        for section in re.split(r"^## ", read(file), flags=re.M)[1:]:
            texts = dict(part.split("\n", 1) for part in re.split(r"^### ", section, flags=re.M))
            fields = dict(re.findall(r"^(.*?) = (.*)$", texts.get("fields", ""), re.M))
            for name, text in texts.items():
                inside = re.split(r"^```\n", text, flags=re.M)  # prose, block, prose …
                yield (f"{section.split()[0]}, {name}", "".join(inside[::2]), inside[1::2], fields)


def is_in(look_up, form):
    """Whether it is shown in this form: "percent" or "%"."""
    return form in look_up.partition(" : ")[2].split()


class Percent(unittest.TestCase):
    def test_follows_a_field_that_is_one(self):
        signs = 0
        for where, prose, _, fields in parts():
            for field, sign in re.findall(r"\{([^{}]+)\}(\s%)?", prose):
                with self.subTest(where, field=field):
                    self.assertEqual(bool(sign), is_in(fields.get(field, field), "percent"))
                signs += bool(sign)
        self.assertGreaterEqual(signs, 20)

    def test_is_said_of_columns_and_curves_that_are_ones(self):
        """A column's heading, which a file has alone, or what stands around a table; a figure's y
        axis."""
        signs = 0
        for where, prose, blocks, _ in parts():
            for block in blocks:
                for kind, label, look_up in re.findall(
                        r'(columns?|line|band|points|series) "([^"]*)" = (.*)', block):
                    is_column = kind.startswith("column")
                    says = bool(re.search(r"(^|[^0-9] )%", label) if is_column
                                else re.search(r"^y \w+ .*%", block, re.M))
                    said_around = ", table" in where and "%" in prose
                    has_sign = not is_column and is_in(look_up, "%")
                    with self.subTest(where, look_up=look_up):
                        self.assertTrue(says or said_around if is_in(look_up, "percent")
                                        else not says or has_sign)
                    signs += says
        self.assertGreaterEqual(signs, 20)


if __name__ == "__main__":
    unittest.main()
