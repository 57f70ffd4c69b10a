"""The rules of the house that a program can check: house_test.py PROJECT

Sizes, the first line of a header, names, and that nothing statistical is asserted beside the ledger.
(That each entry is spent, once, and rejects mutants is told by the record of the tests:
analyses/test/evidence_test.cpp.)
"""

import re
import sys
import unittest

from source_tree import files_of, is_code, numbered

PROJECT = sys.argv.pop(1)
MOST_LINES, MOST_COLUMNS = 500, 100
# Words hold the views of a page as well, tables of cases what is known of an audit; programs write
# records and the score.
MAY_BE_LONG = ("/words.md", "/answer.md", "/cases.txt", "record.json", "/score.json",
               "/package-lock.json")
# They say nothing about what is inside.
EMPTY_WORDS = {"utils", "util", "common", "commons", "helper", "helpers", "misc", "stuff",
               "miscellaneous"}
# What a statistical assertion beside the ledger looks like: quantiles of a law, levels and rules of
# thumb, randomness that no seed repeats.
STRAY = re.compile(r"(?<![A-Za-z0-9_])(quantile\(|complement\(|standard error|false_alarm|students_t|"
                   r"fisher_f|chi_squared|random_device|normal_distribution)")


def has_columns(path):
    """Lines are counted in every file, columns in what is formatted: code and build files. Data and
    prose break where their meaning does."""
    return is_code(path) or path.endswith("CMakeLists.txt")


def violations(path, text):
    lines = list(numbered(text))
    if len(lines) > MOST_LINES and not path.endswith(MAY_BE_LONG):
        yield f"{path}: {len(lines)} lines"
    for number, line in lines if has_columns(path) else []:
        if len(line) > MOST_COLUMNS:
            yield f"{path}:{number}: {len(line)} columns"
    if path.endswith(".hpp") and lines[0][1] != "#pragma once":
        yield f"{path}: does not start with #pragma once"
    for word in re.split("[/_.-]", path):
        if word in EMPTY_WORDS:
            yield f"{path}: the name {word} says nothing"


def strays(path, text):
    for number, line in numbered(text):
        if found := STRAY.search(line):
            yield f"{path}:{number}: {found[1]} belongs into properties/evidence"


class House(unittest.TestCase):
    def test_files_are_short_lines_fit_and_names_say_something(self):
        files = files_of(PROJECT, "lib", "properties", "analyses")
        for known in ("lib/embedscale/combination.hpp", "properties/self_test/house_test.py",
                      "analyses/CMakeLists.txt"):
            self.assertIn(known, files)
        self.assertEqual([one for file in files.items() for one in violations(*file)], [])

    def test_planted_violations_are_reported_and_what_is_allowed_is_not(self):
        wide = 100 * "√"  # 100 characters, not bytes
        for path, text, violation in (
                ("a.json", 500 * "\n" + "last without an end", ": 501 lines"),
                ("a.cpp", wide, None),
                ("a.cpp", f"\n{wide}√\n", ":2: 101 columns"),
                ("a.md", wide + "√", None),
                ("a.hpp", "// Words.\n#pragma once\n", ": does not start with #pragma once"),
                ("a.hpp", "", ": does not start with #pragma once"),
                ("lib/utils/a.cpp", "", ": the name utils says nothing")):
            expected = [path + violation] if violation else []
            self.assertEqual(list(violations(path, text)), expected, path)

    def test_asserts_nothing_statistical_beside_the_ledger(self):
        for path, text in files_of(PROJECT, "lib", "properties", "analyses", "examples").items():
            asserts = path.endswith("_test.cpp") or is_code(path) and path.startswith("properties/")
            if asserts and not path.startswith("properties/evidence/"):
                self.assertEqual(list(strays(path, text)), [])
        for planted in ("EXPECT_LE(x, quantile(law, 0.5e-10));",
                        "// Six standard errors: a false alarm of 2e-9.",
                        "const boost::math::students_t law(63);", "std::random_device entropy;"):
            self.assertEqual(len(list(strays("planted_test.cpp", planted))), 1, planted)


if __name__ == "__main__":
    unittest.main()
