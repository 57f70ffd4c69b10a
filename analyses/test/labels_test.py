"""What the words of a topic call what they look up: nothing by the name of the other end, and in
one table or figure nothing by two names."""

import re
import unittest

from percent_test import parts

# What may be called so, and the first word of a look-up of the other end.
ENDS = (({"from", "low", "lowest", "smallest", "fewest", "slowest"}, ("last", "greatest", "upper")),
        ({"to", "high", "highest", "most", "largest", "fastest"}, ("first", "least", "lower")))


def lines_of(block):
    """Of its lines `keyword "label" = look-up [by axis]` label and look-up, `label` ones aside."""
    return [(label, look_up.split(" by ")[0]) for label, look_up in
            re.findall(r'^(?!label )[^"\n]*"(.*?)" = (.*)$', block, re.M)]


class Labels(unittest.TestCase):
    def test_call_no_end_by_the_name_of_the_other(self):
        ends = 0
        for where, _, blocks, fields in parts():
            for label, look_up in [*fields.items(), *lines_of("".join(blocks))]:
                words = set(re.split(r"[\x00-/:-@\[-`{-\x7f]+", label.lower()))
                for names, others in ENDS:
                    ends += bool(words & names)
                    with self.subTest(where, label=label):
                        self.assertFalse(words & names and look_up.split(" ")[0] in others, look_up)
        self.assertGreaterEqual(ends, 20)

    def test_show_nothing_under_two_names(self):
        """One of two would be called by what it does not show."""
        tables = 0
        for where, _, blocks, _ in parts():
            for block in blocks:
                shown = [look_up.split(" : ")[0] for _, look_up in lines_of(block)]
                tables += len(shown) > 1
                with self.subTest(where):
                    self.assertEqual(len(set(shown)), len(shown), shown)
        self.assertGreaterEqual(tables, 20)


if __name__ == "__main__":
    unittest.main()
