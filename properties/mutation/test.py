#!/usr/bin/env python3
"""The mutator is tested, too: on texts so small that all of their mutants can be written down, and
as a whole on a project so small that all of its mutants can be judged."""
import sys

sys.dont_write_bytecode = True

import collections
import json
import math
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import mutate
import operators
import score

HERE = pathlib.Path(__file__).resolve().parent

# Of an operator and a text, the lines that its mutants leave behind.
AFTER = [
    ("arithmetic", "auto y = a * b;", "auto y = a / b;", "auto y = a + b;"),
    ("arithmetic", "auto y = a >> b;", "auto y = a << b;"),
    ("arithmetic", "f(++i);", "f(--i);"),
    ("arithmetic", "const T* a; const T& b; out << c;"),
    # The boundary moved, or the opposite.
    ("relational", "auto y = a < b;", "auto y = a <= b;", "auto y = a >= b;"),
    ("relational", "auto y = a == b;", "auto y = a != b;"),
    ("relational", "std::vector<T> a; x->y;"),
    ("logical", "if (a && !b) f();",
     "if (a || !b) f();", "if (a && b) f();", "if (!(a && !b)) f();"),
    ("logical", "y = a ? b : c;", "y = !a ? b : c;"),
    ("logical", "if (a < b) f();"),  # relational has it
    ("constant", "x = 0;", "x = 1;"),
    ("constant", "x = 2u;", "x = 3u;", "x = 1u;"),
    ("constant", "x = 0.5;", "x = 2.0;", "x = 0.25;"),
    ("constant", "x = 1.0;", "x = 2.0;", "x = 0.0;"),
    ("constant", "x = 0x1p-52;", "x = 0x1p-51;", "x = 0x1p-53;"),
    ("constant", "x = true;", "x = false;"),
    # What acts is left out, what declares is kept.
    ("statement", "void f() { x = 1; }", "void f() { ; }"),
    ("statement", "void f() { g(x); }", "void f() { ; }"),
    ("statement", "void f() { if (x) continue; }", "void f() { if (x) ; }"),
    ("statement", "void f() { if (x) throw E(1 + 1); }", "void f() { if (x) ; }"),
    ("statement", "void f() { if (x) { a[i] += 1; } }", "void f() { if (x) { ; } }"),
    *(("statement", text) for text in [
        "void f() { T x = 1; }", "void f() { const T& x = y; }", "void f() { T x(1); }",
        "void f() { std::vector<T> x(n), y(n); }", "T f() { return g(x); }",
        "struct S { T x = 1; };", "void f() { for (T i = 0; i < n; ++i) T x = 1; }",
        "using std::sin;"]),
    ("arguments", "f(a, b + 1, c);", "f(b + 1, a, c);", "f(a, c, b + 1);"),
    ("arguments", "x = {a, g(b, c)};", "x = {g(b, c), a};", "x = {a, g(c, b)};"),
    *(("arguments", text) for text in [
        "void f(T a, T b);", "f(a, a);", 'f("a", b);', "std::max(a, b);", "for (a; b; c) {}",
        "g([&](T x) { return x; }, y);", "h<a, b>(c);"]),
    ("sign", "T f() { return -a; }", "T f() { return a; }"),
    ("sign", "T f() { return a * b; }", "T f() { return -(a * b); }"),
    ("sign", "T f() { return a - b == c; }"),
    ("function", "x = std::sin(y);", "x = std::cos(y);"),
    ("function", "friend T sin(T y);"),
    *((operator, text) for operator in operators.OPERATORS for text in [  # no behaviour
        "// a + 1", "/* a + 1 */", "#if A + 1 > 2", "static_assert(a + 1 < 2);",
        "template <int A = 1 + 1>", "using T = A<1 + 1>;", "enum class E { a, b };",
        "concept C = requires { a + 1; };", 'throw E("a" + f(1 + 1));', "std::array<T, 4> x;",
        "bool operator<(T);"]),
]


def ids(text):
    return [mutant.id for mutant in operators.mutants_of("a.hpp", text)]


class Operators(unittest.TestCase):
    def test_tokens_leave_comments_out_and_strings_and_directives_are_one_each(self):
        text = ('#include <a> // b\n#define c \\\n  d\n'
                'x = "a // \\" b" /* 1 + 2 */ + \'c\'; // - 3\n'
                'R"m(")" + 1)m" 0x1p-52 1\'000u 1e-9 <=>\n')
        self.assertEqual([token.text for token in operators.tokens_of(text)],
                         ["#include <a> // b", "#define c \\\n  d", "x", "=", '"a // \\" b"', "+",
                          "'c'", ";", 'R"m(")" + 1)m"', "0x1p-52", "1'000u", "1e-9", "<=>"])

    def test_an_unfinished_text_ends_all_the_same(self):
        for text in ['"abc', "/* abc", 'R"(abc', "'", '"\\', "f(a, {", ")]}", "#", "<", "if ("]:
            with self.subTest(text):
                ids(text)

    def test_each_makes_of_a_text_what_it_is_for(self):
        for operator, text, *lines in AFTER:
            with self.subTest(operator, text=text):
                self.assertEqual({mutant.after for mutant in operators.mutants_of("a.hpp", text)
                                  if mutant.edit.operator == operator}, set(lines))

    def test_ids_survive_what_happens_to_other_lines_and_end_with_their_own(self):
        before = ids("T x = a + b;\n")
        self.assertEqual(len(before), 1)
        self.assertEqual(ids("// Words.\n\n    T x = a + b;\n"), before)
        self.assertNotEqual(ids("T x = a + c;\n"), before)
        twice = ids("T x = a + b;\nT x = a + b;\n")
        self.assertEqual(len(set(twice)), 2)
        self.assertIn(before[0], twice)
        self.assertNotEqual(operators.mutants_of("b.hpp", "T x = a + b;\n")[0].id, before[0])

    def test_mutants_go_with_line_column_and_both_texts(self):
        both, plus = operators.mutants_of("a.hpp", "int f() {\n  return a +\n         b;\n}\n")
        self.assertTrue(mutate.difference(plus).startswith("a.hpp:2:12 arithmetic  a.hpp#"))
        self.assertEqual((plus.before, plus.after), ("return a +", "return a -"))
        self.assertEqual(both.before, "return a + b;", "two lines, joined")


def two_strata():
    """40 arithmetic mutants in a.hpp, 8 in b.hpp."""
    return [mutant for file, letter, count in [("a.hpp", "b", 40), ("b.hpp", "c", 8)]
            for mutant in operators.mutants_of(file, "".join(
                f"T x = a + {letter * (i + 1)};\n" for i in range(count)))]


class Sampling(unittest.TestCase):
    def test_every_beginning_is_stratified(self):
        order = mutate.in_sampling_order(two_strata(), 1)
        self.assertEqual(len(order), 48)
        for n in range(1, 49):
            of_b = sum(mutant.file == "b.hpp" for mutant in order[:n])
            # Up to key t there are 40 t and 8 t, each to less than one.
            self.assertLess(abs(of_b - n / 6), 1.2, n)

    def test_it_is_a_function_of_the_seed_and_gives_every_mutant_its_turn_at_the_front(self):
        every = two_strata()
        self.assertEqual(mutate.in_sampling_order(every, 7), mutate.in_sampling_order(every, 7))
        self.assertNotEqual(mutate.in_sampling_order(every, 7), mutate.in_sampling_order(every, 8))
        seeds = 200
        first_half = collections.Counter(
            mutant.id for seed in range(seeds)
            for mutant in mutate.in_sampling_order(every, seed)[:24])
        # In half of the runs each, ±6 standard deviations √(200/4): wrong for one of 48 with
        # probability 48·2·exp(−18) = 1.5e-6 at most (Hoeffding), and the seeds are fixed.
        for mutant in every:
            self.assertLessEqual(abs(first_half[mutant.id] - seeds / 2), 6 * math.sqrt(seeds) / 2)

    def test_draws_are_those_of_the_library(self):
        stream = mutate.Stream(0, "")
        stream.key = 0, 0
        self.assertEqual(stream.bits(0), 0x16554D9ECA36314C)  # Random123's known answer
        self.assertEqual(operators.hash_of("foobar"), 0x85944171F73967E8)  # of the authors of FNV


def results(*fates):
    """One for each mutant of two_strata, in their order."""
    return [{"id": mutant.id, "fate": fate, "by": "", "tried": [["t", 0.5]]}
            for mutant, fate in zip(two_strata(), fates)]


class Score(unittest.TestCase):
    def test_equivalents_have_a_reason_and_are_named_once(self):
        self.assertEqual(
            mutate.equivalents_of("# Words.\n\na.hpp#12\n  One\n  reason.\nb/c.cpp#34\n  Two.\n"),
            {"a.hpp#12": "One reason.", "b/c.cpp#34": "Two."})
        for text in ["a.hpp#12\n", "a.hpp#12\nb.hpp#34\n  Why.\n", "  Why.\n", "a.hpp 12\n",
                     "a.hpp#12\n  A.\na.hpp#12\n  B.\n"]:
            with self.subTest(text), self.assertRaises(mutate.Failure):
                mutate.equivalents_of(text)

    def test_the_interval_is_that_of_clopper_and_pearson(self):
        # No survivor of n: the lower end is (α/2)^(1/n), the upper one 1; and the other way round.
        low = 0.025 ** (1 / 40)
        for n, k, interval in [(40, 40, (low, 1)), (40, 0, (0, 1 - low)), (0, 0, (0, 1))]:
            for found, expected in zip(score.clopper_pearson(n, k), interval):
                self.assertAlmostEqual(found, expected, delta=1e-12)
        lower, upper = score.clopper_pearson(10, 3)
        for p, counts in [(lower, range(3, 11)), (upper, range(4))]:  # each tail has α/2
            tail = sum(math.comb(10, i) * p**i * (1 - p) ** (10 - i) for i in counts)
            self.assertAlmostEqual(tail, 0.025, delta=1e-12)

    def test_it_counts_the_killed_of_those_that_compile_and_are_not_equivalent(self):
        some = results("killed", "timed out", "survived", "invalid", "survived")
        found = score.score(some, two_strata(), {some[4]["id"]: "why"}, 5)
        for key, expected in [("seed", 5), ("population", 48), ("argued_equivalent", 1)]:
            self.assertEqual(found[key], expected)
        self.assertAlmostEqual(found["total"]["score"], 2 / 3)
        self.assertEqual(found["total"]["equivalent"], 1)
        self.assertEqual([one["id"] for one in found["unexplained"]], [some[2]["id"]])
        self.assertEqual(found["unexplained"][0]["before"], "T x = a + bbb;")
        header = found["headers"][0]
        self.assertEqual((header["header"], header["mutants"]), ("a.hpp", 5))

    def test_an_unexplained_survivor_a_killed_equivalent_and_nothing_at_all_fail(self):
        def passed(some, *argued):
            return score.passes(score.score(some, two_strata(), {id: "why" for id in argued}, 0))

        self.assertTrue(passed(results(*["killed"] * 30)))
        some = results("killed", "survived", *["killed"] * 28)
        self.assertFalse(passed(some), "29 of 30 are enough, but one is not explained")
        self.assertTrue(passed(some, some[1]["id"]))
        self.assertFalse(passed(some, some[1]["id"], some[4]["id"]), "argued, but killed")
        self.assertFalse(passed([]))
        self.assertFalse(passed(results("invalid")))

    def test_progress_tells_counts_and_the_time_left(self):
        counts = score.counts_of(results("killed", "timed out", "survived", "invalid"), {})
        begin = "4 of 48 mutants: 2 killed, 1 survived, 1 invalid"
        for seconds, end in [(90, "; 2 min left"), (20, "; 20 s left"), (math.inf, ""),
                             (0, "; no time is left, finishing what has begun")]:
            self.assertEqual(score.progress(counts, 48, seconds), begin + end)


# A project of one header and two test programs, the one in need of a part of an archive. They need
# no GoogleTest and link it, by which they are known.
PROJECT = {
    "lib/embedscale/tiny.hpp": """#pragma once
inline int twice(int x) {
  return x * 2;
}
inline int same(int x) {
  return x + 0;
}
""",
    "properties/part.cpp": "#include <embedscale/tiny.hpp>\nint part(int x) { return twice(x); }\n",
    "properties/unused.cpp": "#include <embedscale/tiny.hpp>\nint no(int x) { return same(x); }\n",
    "properties/other_test.cpp": "#include <embedscale/tiny.hpp>\nint main() { return 0; }\n",
    "properties/tiny_test.cpp": r"""#include <embedscale/tiny.hpp>
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
  command = c++ -I{0}/lib -MD -MT $out -MF $out.d -o $out -c $in
  deps = gcc
  depfile = $out.d
rule ar
  command = : && rm -f $out && ar qc $out $in && :
rule link
  command = : && c++ $in -o $out $lib -lgtest && :
build properties/parts.a: ar properties/part.o properties/unused.o
build properties/part.o: c {0}/properties/part.cpp
build properties/unused.o: c {0}/properties/unused.cpp
build properties/tiny_test.o: c {0}/properties/tiny_test.cpp
build properties/other_test.o: c {0}/properties/other_test.cpp
build bin/tiny_test: link properties/tiny_test.o | properties/parts.a
  lib = properties/parts.a
build bin/other_test: link properties/other_test.o
""",
}
# Of x * 2 (the operator twice, the number twice, the sign) and x + 0 (once each), which minus
# leaves as it is.
MUTANTS = 8


class WholeRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.project = pathlib.Path(folder.name).resolve()
        for path, text in PROJECT.items():
            file = self.project / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace("{0}", str(self.project)))
        self.kept = self.project / "build/mutation/results.jsonl"
        self.scratch = self.project / "build/mutation/scratch"
        self.build()

    def build(self):
        subprocess.run(["ninja"], cwd=self.project / "build", check=True, capture_output=True)

    def start(self, *options):
        return subprocess.Popen(
            [sys.executable, HERE / "mutate.py", "--project", self.project, "--build",
             self.project / "build", "--jobs", "1", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def mutate(self, *options):
        child = self.start(*options)
        out, err = child.communicate()
        return child.returncode, out, err

    def results(self):
        lines = self.kept.read_text().splitlines(keepends=True) if self.kept.exists() else []
        return [json.loads(line) for line in lines if line.endswith("}\n")]

    def wait_for_more_than(self, count):
        """Half a minute at most."""
        for _ in range(3000):
            if len(self.results()) > count:
                return
            time.sleep(0.01)

    def test_kills_what_a_test_notices_and_names_what_survives(self):
        code, _, err = self.mutate("--record")
        self.assertEqual(code, 1, err)
        for line in ["0 of 8 mutants: 0 killed, 0 survived; 25 min left\n",
                     "8 of 8 mutants: 7 killed, 1 survived; 0 s left\n",
                     "  - return x + 0;\n  + return x - 0;\n"]:
            self.assertIn(line, err)
        found = json.loads((self.project / "properties/mutation/score.json").read_text())
        self.assertEqual((found["total"]["killed"], len(found["unexplained"])), (7, 1))
        self.assertFalse(self.scratch.exists())
        for result in self.results():
            survived = result["fate"] == "survived"
            # The program of the header's name is tried first; which one can notice is learned.
            self.assertEqual([program for program, _ in result["tried"]],
                             ["tiny_test"] + ["other_test"] * survived)
            self.assertEqual(result["by"], "" if survived else "tiny_test tiny.part")

    def test_passes_where_the_survivor_is_argued_equivalent(self):
        self.mutate("--all")
        survivor = next(one["id"] for one in self.results() if one["fate"] == "survived")
        argued = self.project / "properties/mutation/equivalent.txt"
        argued.write_text(f"{survivor}\n  x - 0 is x.\n")
        code, out, err = self.mutate("--equivalents")
        self.assertEqual(code, 0, out)
        self.assertIn("1 of 1 mutants: 0 killed, 0 survived, 1 equivalent", err)
        argued.write_text("tiny.hpp#0\n  Its line has changed.\n")
        code, out, _ = self.mutate("--all")
        self.assertEqual(code, 1)
        self.assertIn("no such mutant (any more): tiny.hpp#0", out)

    def test_goes_on_where_it_was_interrupted(self):
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            before = len(self.results())
            child = self.start("--all")
            self.wait_for_more_than(before)
            child.send_signal(name)
            _, err = child.communicate()
            self.assertEqual(child.returncode, -name if name == signal.SIGKILL else 130, err)
            self.assertLess(len(self.results()), MUTANTS)
            self.assertEqual(self.scratch.exists(), name == signal.SIGKILL)
        with self.kept.open("a") as file:
            file.write('{"id":"tiny')  # as a run that is killed while writing
        before = self.results()
        _, _, err = self.mutate("--all")
        self.assertIn("8 of 8 mutants: 7 killed, 1 survived", err)
        after = self.results()
        self.assertEqual(after[:len(before)], before)
        self.assertEqual(len({one["id"] for one in after}), MUTANTS)
        self.assertEqual(len(after), MUTANTS, "one was judged again")

    def test_forgets_what_other_sources_were_judged_by(self):
        self.mutate("--all")
        self.assertIn("8 of 8 mutants", self.mutate("--all", "--minutes", "0")[2])
        with (self.project / "properties/part.cpp").open("a") as file:
            file.write("// Another one.\n")
        self.build()
        code, _, err = self.mutate("--all", "--minutes", "0")
        self.assertEqual(code, 1)
        self.assertNotIn("8 of 8 mutants", err)

    def test_refuses_tests_that_fail_without_a_mutant_and_a_second_run(self):
        test = self.project / "properties/tiny_test.cpp"
        test.write_text(PROJECT["properties/tiny_test.cpp"].replace(
            "usleep(200000)", 'puts("[  FAILED  ] tiny.always (0 ms)"); return 1'))
        self.build()
        code, _, err = self.mutate("--all")
        self.assertEqual(code, 3)
        self.assertIn("tiny_test fails unmutated: tiny.always", err)
        test.write_text(PROJECT["properties/tiny_test.cpp"])
        self.build()
        other = self.start("--all")
        self.wait_for_more_than(0)
        self.assertEqual(self.mutate("--all")[0], 3)
        other.terminate()
        other.communicate()

    def test_lists_without_judging_and_knows_its_options(self):
        code, out, _ = self.mutate("--list", "--header", "tiny.hpp")
        self.assertEqual(code, 0)
        self.assertIn("tiny.hpp:3:12 arithmetic  tiny.hpp#", out)
        self.assertFalse(self.kept.exists())
        for *options, code in [("--header", "none.hpp", 2), ("--minutes", "x", 2), ("--help", 0)]:
            self.assertEqual(self.mutate(*options)[0], code, options)


if __name__ == "__main__":
    unittest.main()
