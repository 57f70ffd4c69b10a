#!/usr/bin/env -S python3 -B
"""The mutator is tested, too: on texts so small that all of their mutants can be written down, and
on a project so small that all of them can be judged."""
import json
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from mutants import all_mutants, in_sampling_order, mutants_of
from score import parse_equivalents, passes, progress, score, tally
from source import tokens_of

HERE = Path(__file__).resolve().parent

# An operator, a text, and the lines that its mutants leave behind.
OF_OPERATORS = [
    ("arithmetic", "auto y = a * b;", {"auto y = a / b;", "auto y = a + b;"}),
    ("arithmetic", "auto y = a >> b;", {"auto y = a << b;"}),
    ("arithmetic", "f(++i);", {"f(--i);"}),
    ("arithmetic", "const T* a; const T& b; out << c;", set()),
    ("relational", "auto y = a < b;", {"auto y = a <= b;", "auto y = a >= b;"}),
    ("relational", "auto y = a == b;", {"auto y = a != b;"}),
    ("relational", "std::vector<T> a; x->y;", set()),
    ("logical", "if (a && !b) f();", {"if (a || !b) f();", "if (a && b) f();",
                                      "if (!(a && !b)) f();"}),
    ("logical", "y = a ? b : c;", {"y = !a ? b : c;"}),
    ("logical", "if (a < b) f();", set()),  # relational has it
    ("constant", "x = 0;", {"x = 1;"}),
    ("constant", "x = 2u;", {"x = 3u;", "x = 1u;"}),
    ("constant", "x = 0.5;", {"x = 2.0;", "x = 0.25;"}),
    ("constant", "x = 0x1p-52;", {"x = 0x1p-51;", "x = 0x1p-53;"}),
    ("constant", "x = true;", {"x = false;"}),
    # What acts is left out, what declares is kept.
    ("statement", "void f() { x = 1; }", {"void f() { ; }"}),
    ("statement", "void f() { g(x); }", {"void f() { ; }"}),
    ("statement", "void f() { if (x) continue; }", {"void f() { if (x) ; }"}),
    ("statement", "void f() { if (x) throw E(1 + 1); }", {"void f() { if (x) ; }"}),
    ("statement", "void f() { if (x) { a[i] += 1; } }", {"void f() { if (x) { ; } }"}),
    ("statement", "void f() { const T& x = y; T z(1); std::vector<T> v(n), w(n); }", set()),
    ("statement", "T f() { return g(x); }", set()),
    ("statement", "void f() { for (T i = 0; i < n; ++i) T x = 1; }", set()),
    ("arguments", "f(a, b + 1, c);", {"f(b + 1, a, c);", "f(a, c, b + 1);"}),
    ("arguments", "x = {a, g(b, c)};", {"x = {g(b, c), a};", "x = {a, g(c, b)};"}),
    ("arguments", "void f(T a, T b); f(a, a); f(\"a\", b); std::max(a, b); h<a, b>(c);", set()),
    ("arguments", "g([&](T x) { return x; }, y);", set()),
    ("sign", "T f() { return -a; }", {"T f() { return a; }"}),
    ("sign", "T f() { return a * b; }", {"T f() { return -(a * b); }"}),
    ("sign", "T f() { return a - b == c; }", set()),
    ("function", "x = std::sin(y);", {"x = std::cos(y);"}),
    ("function", "friend T sin(T y);", set()),
]


def ids(text):
    return {mutant.id for mutant in mutants_of("a.hpp", text)}


def two_strata():
    """40 arithmetic mutants in a.hpp, 8 in b.hpp."""
    texts = {file: "".join(f"T x = a + {letter * (i + 1)};\n" for i in range(count))
             for file, letter, count in (("a.hpp", "b", 40), ("b.hpp", "c", 8))}
    return [mutant for file, text in texts.items() for mutant in mutants_of(file, text)]


def results(*fates):
    """One for each mutant of two_strata, in their order."""
    return [{"id": mutant.id, "fate": fate, "by": "", "tried": [["t", 0.5]]}
            for mutant, fate in zip(two_strata(), fates)]


class Mutants(unittest.TestCase):
    def test_tokens_leave_comments_out_and_strings_and_directives_are_one_each(self):
        text = ("#include <a> // b\n#define c \\\n  d\nx = \"a // \\\" b\" /* 1 + 2 */ + 'c'; // -\n"
                "R\"m(\")\" + 1)m\" 0x1p-52 1'000u 1e-9\n")
        self.assertEqual([token.text for token in tokens_of(text)],
                         ["#include <a> // b", "#define c \\\n  d", "x", "=", "\"a // \\\" b\"",
                          "+", "'c'", ";", "R\"m(\")\" + 1)m\"", "0x1p-52", "1'000u", "1e-9"])

    def test_an_unfinished_text_ends_all_the_same(self):
        for text in ('"abc', "/* abc", 'R"(abc', "'", '"\\', "f(a, {", ")]}", "#", "<", "if ("):
            ids(text)

    def test_operators_make_of_a_text_what_each_is_for(self):
        for operator, text, after in OF_OPERATORS:
            self.assertEqual({mutant.after for mutant in mutants_of("a.hpp", text)
                              if mutant.edit.operator == operator}, after, text)

    def test_what_is_no_behaviour_is_left_alone(self):
        for text in ("// a + 1", "/* a + 1 */", "#if A + 1 > 2", "static_assert(a + 1 < 2);",
                     "template <int A = 1 + 1>", "using T = A<1 + 1>;", "enum class E { a, b };",
                     "concept C = requires { a + 1; };", "throw E(\"a\" + f(1 + 1));",
                     "std::array<T, 4> x;", "bool operator<(T);"):
            self.assertEqual(ids(text), set(), text)

    def test_ids_survive_what_happens_to_other_lines_and_end_with_their_own(self):
        before = ids("T x = a + b;\n")
        self.assertEqual(len(before), 1)
        self.assertEqual(ids("// Words.\n\n    T x = a + b;\n"), before)
        self.assertNotEqual(ids("T x = a + c;\n"), before)
        twice = ids("T x = a + b;\nT x = a + b;\n")
        self.assertEqual((len(twice), before < twice), (2, True))
        self.assertNotEqual({mutants_of("b.hpp", "T x = a + b;\n")[0].id}, before)

    def test_a_difference_has_line_column_and_both_texts(self):
        whole, plus = mutants_of("a.hpp", "int f() {\n  return a +\n         b;\n}\n")
        self.assertTrue(plus.difference().startswith("a.hpp:2:12 arithmetic  a.hpp#"))
        self.assertTrue(plus.difference().endswith("\n  - return a +\n  + return a -\n"))
        self.assertEqual(whole.before, "return a + b;", "two lines, joined")

    def test_equivalents_have_a_reason_and_are_named_once(self):
        self.assertEqual(
            parse_equivalents("# Words.\n\na.hpp#12\n  One\n  reason.\nb/c.cpp#34\n  Two.\n"),
            {"a.hpp#12": "One reason.", "b/c.cpp#34": "Two."})
        for text in ("a.hpp#12\n", "a.hpp#12\nb.hpp#34\n  Why.\n", "  Why.\n", "a.hpp 12\n",
                     "a.hpp#12\n  A.\na.hpp#12\n  B.\n"):
            self.assertRaises(ValueError, parse_equivalents, text)

    def test_equivalents_of_the_library_are_mutants_of_it(self):
        known = {mutant.id for mutant in all_mutants(HERE.parent.parent)}
        self.assertEqual(parse_equivalents((HERE / "equivalent.txt").read_text()).keys() - known,
                         set())

    def test_every_beginning_of_the_order_is_stratified_and_follows_the_seed(self):
        order = in_sampling_order(two_strata(), 1)
        self.assertEqual(order, in_sampling_order(two_strata(), 1))
        self.assertNotEqual(order, in_sampling_order(two_strata(), 2))
        for n in range(1, 49):  # up to key t there are 40 t and 8 t, each to less than one
            of_b = sum(mutant.file == "b.hpp" for mutant in order[:n])
            self.assertLess(abs(of_b - n / 6), 1.2)

    def test_every_mutant_has_its_turn_at_the_front(self):
        first_half = [one.id for seed in range(200)
                      for one in in_sampling_order(two_strata(), seed)[:24]]
        for mutant in two_strata():  # 6 standard deviations √(200/4), and the seeds are fixed
            self.assertLess(abs(first_half.count(mutant.id) - 100), 43)

    def test_the_score_has_the_interval_of_clopper_and_pearson(self):
        # No survivor of n: the lower end is (α/2)^(1/n), the upper one 1; and the other way round.
        end = 0.025**(1 / 40)
        for fate, lower, upper in (("killed", end, 1), ("survived", 0, 1 - end)):
            found = tally(results(*[fate] * 40), {})
            self.assertAlmostEqual(found["lower"], lower, 12)
            self.assertAlmostEqual(found["upper"], upper, 12)
        self.assertEqual((tally([], {})["lower"], tally([], {})["upper"]), (0, 1))

    def test_the_score_counts_the_killed_of_those_that_compile_and_are_not_equivalent(self):
        some = results("killed", "timed out", "survived", "invalid", "survived")
        found = score(some, two_strata(), {some[4]["id"]: "why"}, 5)
        self.assertEqual((found["seed"], found["population"], found["argued_equivalent"]),
                         (5, 48, 1))
        self.assertAlmostEqual(found["total"]["score"], 2 / 3)
        self.assertEqual(found["total"]["equivalent"], 1)
        self.assertEqual([one["before"] for one in found["unexplained"]], ["T x = a + bbb;"])
        self.assertEqual([one["mutants"] for one in found["headers"]], [5])

    def test_an_unexplained_survivor_a_killed_equivalent_and_nothing_at_all_fail(self):
        def passed(some, argued):
            return passes(score(some, two_strata(), argued, 0))

        some = results(*["killed"] * 3, "survived", *["killed"] * 26)
        self.assertTrue(passed(results(*["killed"] * 30), {}))
        self.assertFalse(passed(some, {}), "29 of 30 are enough, but one is not explained")
        self.assertTrue(passed(some, {some[3]["id"]: "why"}))
        self.assertFalse(passed(some, {some[i]["id"]: "why" for i in (3, 4)}), "killed")
        self.assertFalse(passed([], {}))
        self.assertFalse(passed(results("invalid"), {}))

    def test_progress_tells_counts_and_the_time_left(self):
        counts = tally(results("killed", "timed out", "survived", "invalid"), {})
        begin = "4 of 48 mutants: 2 killed, 1 survived, 1 invalid; "
        self.assertEqual(progress(counts, 48, 90), begin + "2 min left")
        self.assertEqual(progress(counts, 48, 0),
                         begin + "no time is left, finishing what has begun")


TINY = {
    "lib/embedscale/tiny.hpp": "#pragma once\ninline int twice(int x) {\n  return x * 2;\n}\n"
                               "inline int same(int x) {\n  return x + 0;\n}\n",
    "properties/part.cpp": "#include <embedscale/tiny.hpp>\nint part(int x) { return twice(x); }\n",
    "properties/unused.cpp": "#include <embedscale/tiny.hpp>\nint none(int x) { return twice(x); }\n",
    "properties/other_test.cpp": "#include <embedscale/tiny.hpp>\nint main() { return 0; }\n",
    "properties/tiny_test.cpp": """#include <embedscale/tiny.hpp>
#include <stdio.h>
#include <unistd.h>
int part(int);
int main() {
  usleep(200000);
  if (part(3) == 6 && same(3) == 3) return 0;
  puts("[  FAILED  ] tiny.part (0 ms)");
  return 1;
}
""",
    "properties/mutation/equivalent.txt": "",
    "build/build.ninja": """rule c
  command = c++ -I$root/lib -MD -MT $out -MF $out.d -o $out -c $in
  deps = gcc
  depfile = $out.d
rule ar
  command = : && rm -f $out && ar qc $out $in && :
rule link
  command = : && c++ $in -o $out $lib -lgtest && :
build properties/parts.a: ar properties/part.o properties/unused.o
build properties/part.o: c $root/properties/part.cpp
build properties/unused.o: c $root/properties/unused.cpp
build properties/tiny_test.o: c $root/properties/tiny_test.cpp
build properties/other_test.o: c $root/properties/other_test.cpp
build bin/tiny_test: link properties/tiny_test.o | properties/parts.a
  lib = properties/parts.a
build bin/other_test: link properties/other_test.o
""",
}


class Runs(unittest.TestCase):
    """A project of one header and two test programs, the one in need of a part of an archive. They
    need no GoogleTest and link it, by which they are known. Its mutants: of x * 2 (the operator
    twice, the number twice, the sign) and x + 0 (once each), which minus leaves as it is."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.project = Path(folder.name)
        self.kept = self.project / "build/mutation/results.jsonl"
        self.argued = self.project / "properties/mutation/equivalent.txt"
        for name, text in TINY.items():
            file = self.project / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"root = {self.project}\n{text}" if "ninja" in name else text)
        self.build()

    def build(self):
        subprocess.run(["ninja"], cwd=self.project / "build", check=True, capture_output=True)

    def start(self, *options):
        words = [sys.executable, "-B", HERE / "mutate.py", "--project", self.project, "--build",
                 self.project / "build", "--jobs", "1", *options]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def mutate(self, *options):
        child = self.start(*options)
        out, err = child.communicate()
        return child.returncode, out, err

    def results(self):
        found = []
        for line in self.kept.read_text().splitlines() if self.kept.exists() else ():
            if line.endswith("}"):
                found.append(json.loads(line))
        return found

    def wait_for_more_than(self, count):
        for _ in range(3000):
            if len(self.results()) > count:
                return
            time.sleep(0.01)

    def test_kills_what_a_test_notices_and_names_what_survives(self):
        code, _, err = self.mutate("--record")
        self.assertEqual(code, 1)
        self.assertIn("0 of 8 mutants: 0 killed, 0 survived; 25 min left\n", err)
        self.assertIn("8 of 8 mutants: 7 killed, 1 survived; 0 s left\n", err)
        self.assertIn("  - return x + 0;\n  + return x - 0;\n", err)
        found = json.loads((self.project / "properties/mutation/score.json").read_text())
        self.assertEqual((found["total"]["killed"], len(found["unexplained"])), (7, 1))
        self.assertFalse((self.project / "build/mutation/scratch").exists())
        for result in self.results():  # the program of the header's name is tried first
            survived = result["fate"] == "survived"
            self.assertEqual([program for program, _ in result["tried"]],
                             ["tiny_test", "other_test"] if survived else ["tiny_test"])
            self.assertEqual(result["by"], "" if survived else "tiny_test tiny.part")

    def test_passes_where_the_survivor_is_argued_equivalent_and_forgets_other_sources(self):
        self.mutate("--all")
        self.argued.write_text("".join(f"{one['id']}\n  x - 0 is x.\n" for one in self.results()
                                       if one["fate"] == "survived"))
        code, _, err = self.mutate("--equivalents")
        self.assertEqual(code, 0)
        self.assertIn("1 of 1 mutants: 0 killed, 0 survived, 1 equivalent", err)
        self.assertIn("8 of 8 mutants", self.mutate("--all", "--minutes", "0")[2])
        self.argued.write_text("tiny.hpp#0\n  Its line has changed.\n")
        code, out, _ = self.mutate("--all")
        self.assertEqual(code, 1)
        self.assertIn("no such mutant (any more): tiny.hpp#0", out)
        with (self.project / "properties/part.cpp").open("a") as part:
            part.write("// Another one.\n")
        self.build()
        code, _, err = self.mutate("--all", "--minutes", "0")
        self.assertEqual((code, "8 of 8 mutants" in err), (1, False))

    def test_goes_on_where_it_was_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            child = self.start("--all")
            self.wait_for_more_than(len(self.results()))
            child.send_signal(number)
            child.communicate()
            killed = number == signal.SIGKILL
            self.assertEqual(child.returncode, -number if killed else 130)
            self.assertLess(len(self.results()), 8)
            self.assertEqual((self.project / "build/mutation/scratch").exists(), killed)
        before = self.results()
        with self.kept.open("a") as kept:
            kept.write('{"id":"tiny')  # as a run that is killed while writing
        self.assertIn("8 of 8 mutants: 7 killed, 1 survived", self.mutate("--all")[2])
        after = self.results()
        self.assertEqual((len(after), after[:len(before)]), (8, before))
        self.assertEqual(len({one["id"] for one in after}), 8, "one was judged again")

    def test_refuses_tests_that_fail_without_a_mutant_a_second_run_and_wrong_options(self):
        test = self.project / "properties/tiny_test.cpp"
        test.write_text(TINY["properties/tiny_test.cpp"].replace("usleep(200000)", "part(same(9))")
                        .replace("== 6", "== 7"))
        self.build()
        code, _, err = self.mutate("--all")
        self.assertEqual(code, 3)
        self.assertIn("tiny_test fails unmutated: tiny.part", err)
        test.write_text(TINY["properties/tiny_test.cpp"])
        self.build()
        other = self.start("--all")
        self.wait_for_more_than(0)
        self.assertEqual(self.mutate("--all")[0], 3)
        other.terminate()
        other.communicate()
        code, out, _ = self.mutate("--list", "--header", "tiny.hpp")
        self.assertEqual(code, 0)
        self.assertIn("tiny.hpp:3:12 arithmetic  tiny.hpp#", out)
        self.assertEqual(self.mutate("--header", "none.hpp")[0], 2)
        self.assertEqual(self.mutate("--minutes", "x")[0], 2)


if __name__ == "__main__":
    unittest.main()
