"""The mutator is tested, too: on texts so small that all of their mutants can be written down, and
on a project so small that all of them can be judged. mutation_test.py [BUILD-TREE]"""

import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter
from decimal import Decimal

from mutants import all_mutants, drawn, hash_of, mutants_of, shuffled
from score import (at_most, clopper_pearson, equivalents_of, parse_equivalents, passes, score)

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
BUILD = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else PROJECT / "build/release").resolve()

# A text, and the lines that the mutants of an operator leave behind. Where operators take what is
# no behaviour for some, the mutant does not compile or survives, which is seen.
OF_OPERATORS = (
    # What is no code hides none behind it.
    ("arithmetic", '#if A + 1 > 2  // b + 1\n"a // \\" b + 1" /* 1 + 2 */ \'c\' 1\'000u '
     'R"m(")" + 1)m"\n// c - 1\ny = a + b;', {"y = a - b;"}),
    ("arithmetic", "auto y = a * b;", {"auto y = a / b;", "auto y = a + b;"}),
    ("arithmetic", "auto y = a >> b;", {"auto y = a << b;"}),
    ("arithmetic", "f(++i);", {"f(--i);"}),
    # The boundary moved, or the opposite.
    ("relational", "auto y = a < b;", {"auto y = a <= b;", "auto y = a >= b;"}),
    ("relational", "auto y = a == b;", {"auto y = a != b;"}),
    ("logical", "if (a && !b) f();",
     {"if (a || !b) f();", "if (a && b) f();", "if (!(a && !b)) f();"}),
    ("logical", "y = a ? b : c;", {"y = !a ? b : c;"}),
    ("constant", "x = 0;", {"x = 1;"}),
    ("constant", "x = 2u;", {"x = 3u;", "x = 1u;"}),
    ("constant", "x = 0.5;", {"x = 2.0;", "x = 0.25;"}),
    ("constant", "x = 1.0;", {"x = 2.0;", "x = 0.0;"}),
    ("constant", "x = 0x1p-52;", {"x = 0x1p-51;", "x = 0x1p-53;"}),
    ("constant", "x = true;", {"x = false;"}),
    ("statement", "void f() { x = 1; }", {"void f() { ; }"}),
    ("statement", "void f() { g(x); }", {"void f() { ; }"}),
    ("statement", "void f() { if (x) continue; }", {"void f() { if (x) ; }"}),
    ("statement", "void f() { if (x) throw E(1 + 1); }", {"void f() { if (x) ; }"}),
    ("statement", "void f() { if (x) { a[i] += 1; } }", {"void f() { if (x) { ; } }"}),
    ("arguments", "f(a, b + 1, c);", {"f(b + 1, a, c);", "f(a, c, b + 1);"}),
    ("arguments", "x = {a, g(b, c)};", {"x = {g(b, c), a};", "x = {a, g(c, b)};"}),
    ("sign", "T f() { return -a; }", {"T f() { return a; }"}),
    ("sign", "T f() { return a * b; }", {"T f() { return -(a * b); }"}),
    ("function", "x = std::sin(y);", {"x = std::cos(y);"}))


class Mutants(unittest.TestCase):
    def test_operators_make_of_a_text_what_each_is_for(self):
        for operator, text, after in OF_OPERATORS:
            self.assertEqual({one.after for one in mutants_of("a.hpp", text)
                              if one.edit.operator == operator}, after, f"{operator}: {text}")

    def test_ids_survive_what_happens_to_other_lines_and_end_with_their_own(self):
        def ids(text, file="a.hpp"):
            return [one.id for one in mutants_of(file, text)]

        before = ids("T x = a + b;\n")
        self.assertEqual(len(before), 1)
        self.assertEqual(ids("// Words.\n\n    T x = a + b;\n"), before)
        self.assertNotEqual(ids("T x = a + c;\n"), before)
        twice = ids("T x = a + b;\nT x = a + b;\n")
        self.assertEqual(len(set(twice)), 2)
        self.assertIn(before[0], twice)
        self.assertNotEqual(ids("T x = a + b;\n", "b.hpp"), before)

    def test_the_order_is_a_function_of_the_seed_and_gives_every_mutant_its_turn(self):
        def ids(seed):
            return [one.id for one in shuffled(some_mutants(), seed)]

        self.assertEqual(ids(7), ids(7))
        self.assertNotEqual(ids(7), ids(8))
        seeds = 200
        first_half = Counter(one for seed in range(seeds) for one in ids(seed)[:24])
        # In half of the runs each, ±6 standard deviations √(200/4): wrong for one of 48 with
        # probability 48·2·exp(−18) = 1.5e-6 at most (Hoeffding), and the seeds are fixed.
        for one in some_mutants():
            self.assertLessEqual(abs(first_half[one.id] - seeds / 2), 6 * math.sqrt(seeds) / 2)

    def test_hashes_and_draws_are_those_of_the_library(self):
        self.assertEqual(hash_of("a"), 0xaf63dc4c8601ec8c)  # of Fowler, Noll and Vo
        # Stream(5, "mutation attention.hpp#ab8d6a6a7389").bits(0) of lib/embedscale/random.hpp.
        self.assertEqual(drawn(5, "mutation attention.hpp#ab8d6a6a7389"),
                         11381646510453047403)


class Equivalents(unittest.TestCase):
    def test_have_a_reason_and_are_named_once(self):
        argued = "# Words.\n\na.hpp#12\n  One\n  reason.\nb/c.cpp#34\n  Two.\n"
        self.assertEqual(parse_equivalents(argued),
                         {"a.hpp#12": "One reason.", "b/c.cpp#34": "Two."})
        for text in ("a.hpp#12\n", "a.hpp#12\nb.hpp#34\n  Why.\n", "  Why.\n", "a.hpp 12\n",
                     "a.hpp#12\n  A.\na.hpp#12\n  B.\n"):
            with self.assertRaises(ValueError, msg=text):
                parse_equivalents(text)

    def test_of_the_library_are_mutants_of_it(self):
        """A line that is changed takes the ids of its mutants with it, and ./dev mutate, which
        takes half an hour, is not the first to be told."""
        ids = {one.id for one in all_mutants(PROJECT)}
        self.assertEqual([one for one in equivalents_of(PROJECT) if one not in ids], [])


def some_mutants():
    """40 in a.hpp, 8 in b.hpp."""
    lines = [f"T x = a + b{i};\n" for i in range(40)]
    return [*mutants_of("a.hpp", "".join(lines)), *mutants_of("b.hpp", "".join(lines[:8]))]


def results(*fates):
    """One for each of some_mutants, in their order."""
    return [{"id": one.id, "fate": fate, "by": "", "tried": [["t", 0.5]]}
            for one, fate in zip(some_mutants(), fates)]


class Score(unittest.TestCase):
    def test_counts_the_killed_of_those_that_compile_and_are_not_equivalent(self):
        some = results("killed", "timed out", "survived", "invalid", "survived")
        found = score(some, some_mutants(), {some[4]["id"]: "why"}, 5)
        total, unexplained = found["total"], found["unexplained"]
        self.assertEqual([found["seed"], found["population"]], [5, 48])
        self.assertAlmostEqual(total["score"], 2 / 3)
        self.assertEqual((total["lower"], total["upper"]), clopper_pearson(3, 2, 0.05))
        self.assertEqual(total["equivalent"], 1)
        self.assertEqual([(one["id"], one["before"]) for one in unexplained],
                         [(some[2]["id"], "T x = a + b2;")])
        self.assertEqual([(one["header"], one["mutants"]) for one in found["headers"]],
                         [("a.hpp", 5)])

    def test_intervals_end_where_a_tail_has_half_of_alpha(self):
        for n, k in ((1, 0), (3, 2), (64, 57), (5000, 4900), (7, 7)):
            lower, upper = clopper_pearson(n, k, 0.05)
            # By half an ulp of p, at most 2^-54, times the tail's derivative, at most n.
            near = n * 2**-54
            if k > 0:
                tail = at_most(n, 1 - Decimal(lower), n - k)
                self.assertAlmostEqual(tail, Decimal("0.025"), delta=near)
            if k < n:
                tail = at_most(n, Decimal(upper), k)
                self.assertAlmostEqual(tail, Decimal("0.025"), delta=near)
        self.assertEqual([clopper_pearson(0, 0, 0.05), clopper_pearson(2, 2, 0.05)[1]],
                         [(0, 1), 1])
        # As Boost has it.
        self.assertEqual(clopper_pearson(64, 57, 0.05), (0.7875427740445976, 0.9548789798128852))

    def test_an_unexplained_survivor_a_killed_equivalent_and_nothing_at_all_fail(self):
        def passed(some, *argued):
            return passes(score(some, some_mutants(), dict.fromkeys(argued, "why"), 0))

        killed = 30 * ["killed"]
        some = results(*killed[:3], "survived", *killed[4:])
        self.assertTrue(passed(results(*killed)))
        self.assertFalse(passed(some), "29 of 30 are enough, but one is not explained")
        self.assertTrue(passed(some, some[3]["id"]))
        self.assertFalse(passed(some, some[3]["id"], some[4]["id"]), "argued, but killed")
        self.assertFalse(passed([]))
        self.assertFalse(passed(results("invalid")))


TEST = """#include <embedscale/tiny.hpp>
#include <stdio.h>
#include <unistd.h>
int part(int), root(int);
int main() {
  usleep(200000);
  if (part(3) == 6 && same(3) == 3 && root(12) == 6) return 0;
  puts("[  FAILED  ] tiny.part (0 ms)");
  return 1;
}
"""
SOURCES = {
    "lib/embedscale/tiny.hpp": "#pragma once\ninline int twice(int x) {\n  return x * 2;\n}\n"
                               "inline int same(int x) {\n  return x + 0;\n}\n",
    "lib/embedscale/root.cpp": "int root(int x) {\n  return x / 2;\n}\n",
    "properties/part.cpp": "#include <embedscale/tiny.hpp>\n"
                           "int part(int x) { return twice(x); }\n",
    "properties/unused.cpp": "#include <embedscale/tiny.hpp>\n"
                             "int unused(int x) { return twice(x); }\n",
    "properties/other_test.cpp": "#include <embedscale/tiny.hpp>\nint main() { return 0; }\n",
    "properties/tiny_test.cpp": TEST,
    "properties/mutation/equivalent.txt": "",
    "build/unity_0_cxx.cxx": '#include "PROJECT/lib/embedscale/root.cpp"\n',
    "build/build.ninja": """rule c
  command = c++ -IPROJECT/lib -MD -MT $out -MF $out.d -o $out -c $in
  deps = gcc
  depfile = $out.d
rule ar
  command = : && rm -f $out && ar qc $out $in && :
rule link
  command = : && c++ $in -o $out $lib -lgtest && :
build properties/parts.a: ar properties/part.o properties/unused.o root.o
build root.o: c PROJECT/build/unity_0_cxx.cxx
build properties/part.o: c PROJECT/properties/part.cpp
build properties/unused.o: c PROJECT/properties/unused.cpp
build properties/tiny_test.o: c PROJECT/properties/tiny_test.cpp
build properties/other_test.o: c PROJECT/properties/other_test.cpp
build bin/tiny_test: link properties/tiny_test.o | properties/parts.a
  lib = properties/parts.a
build bin/other_test: link properties/other_test.o
"""}
# Of x * 2 and x / 2 (the operator twice, the number twice, the sign) and x + 0 (once each), which
# minus leaves as it is.
MUTANTS = 13


def destination(link):
    """"" where it is no more."""
    try:
        return os.readlink(link)
    except OSError:
        return ""


class Run(unittest.TestCase):
    """A project of a header, a source that is compiled as a part of a joined one, and two test
    programs, the one in need of a part of an archive. They need no GoogleTest and link it, by which
    they are known."""

    def setUp(self):
        folder = tempfile.mkdtemp(prefix="mutation.")
        self.addCleanup(shutil.rmtree, folder)
        self.project = pathlib.Path(folder).resolve()
        self.kept = self.project / "build/parts/mutation/1-of-1.jsonl"
        for path, text in SOURCES.items():
            (self.project / path).parent.mkdir(parents=True, exist_ok=True)
            (self.project / path).write_text(text.replace("PROJECT", str(self.project)))
        (self.project / "build/bin").mkdir()
        (self.project / "build/bin/make_parts").symlink_to(BUILD / "bin/make_parts")
        self.build()

    def build(self):
        subprocess.run(["ninja"], cwd=self.project / "build", check=True, capture_output=True)

    def start(self, *options):
        return subprocess.Popen([sys.executable, "-B", HERE / "mutate.py", "--project",
                                 self.project, "--build", self.project / "build", "--jobs", "1",
                                 *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)

    def mutate(self, *options):
        """Its exit code, and what it says."""
        child = self.start(*options)
        out, err = child.communicate()
        return child.returncode, out, err

    def results(self):
        lines = self.kept.read_text().splitlines() if self.kept.exists() else []
        return [json.loads(json.loads(line)["result"]["told"]) for line in lines
                if line.endswith("}}")]

    def wait_until(self, is_so):
        """Half a minute at most."""
        for _ in range(3000):
            if is_so():
                return
            time.sleep(0.01)

    def wait_for_more_than(self, count):
        self.wait_until(lambda: len(self.results()) > count)

    def judging(self):
        """The processes that run a program of mutants."""
        return [path.parent.name for path in pathlib.Path("/proc").glob("[0-9]*/exe")
                if destination(path).startswith(str(self.project / "build/mutation"))]

    def test_kills_what_a_test_notices_and_names_what_survives(self):
        code, out, err = self.mutate("--record")
        self.assertEqual(code, 1, err)
        self.assertIn("killed     12\ntimed_out  0\nsurvived   1\n", out)
        for text in (out, err):
            self.assertIn("  - return x + 0;\n  + return x - 0;\n", text)
        recorded = json.loads((self.project / "properties/mutation/score.json").read_text())
        self.assertEqual(recorded["total"]["killed"], 12)
        self.assertEqual(len(recorded["unexplained"]), 1)
        for result in self.results():
            # The program of the header's name is tried first, and the one that can notice is
            # learned.
            survived = result["fate"] == "survived"
            self.assertEqual([name for name, seconds in result["tried"]],
                             ["tiny_test", "other_test"][:1 + survived], result)
            self.assertEqual(result["by"], "" if survived else "tiny_test tiny.part", result)

    def test_passes_where_the_survivor_is_argued_equivalent(self):
        self.mutate("--all")
        survivor, = (one["id"] for one in self.results() if one["fate"] == "survived")
        (self.project / "properties/mutation/equivalent.txt").write_text(
            f"{survivor}\n  x - 0 is x.\n")
        code, out, err = self.mutate("--equivalents")
        self.assertEqual(code, 0, out + err)
        self.assertIn("equivalent 1\n", out)
        self.assertNotIn("survived: ", err)

    def test_goes_on_where_it_was_interrupted(self):
        for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            child = self.start("--all")
            self.wait_for_more_than(len(self.results()))
            child.send_signal(sent)
            _, err = child.communicate()
            self.assertEqual(child.returncode, -sent if sent == signal.SIGKILL else 130, err)
            self.assertLess(len(self.results()), MUTANTS)
        with open(self.kept, "a", encoding="utf-8") as file:
            file.write('{"part":"tiny')  # as a run that is killed while writing
        before = self.results()
        _, out, _ = self.mutate("--all")
        self.assertIn("mutants    13\nkilled     12\n", out)
        after = self.results()
        self.assertEqual(after[:len(before)], before)
        self.assertEqual(len({one["id"] for one in after}), MUTANTS)
        self.assertEqual(len(after), MUTANTS, "one was judged again")

    def test_forgets_what_other_sources_were_judged_by(self):
        self.mutate("--all")
        self.assertIn("mutants    13\n", self.mutate("--all", "--minutes", "0")[1])
        with open(self.project / "properties/part.cpp", "a", encoding="utf-8") as file:
            file.write("// Another one.\n")
        self.build()
        code, out, _ = self.mutate("--all", "--minutes", "0")
        self.assertEqual(code, 1)
        self.assertIn("mutants    0\n", out)

    def test_counts_a_beginning_of_the_order(self):
        last = shuffled(all_mutants(self.project), 0)[-1].id
        self.assertIn("mutants    1\n", self.mutate("--id", last)[1])
        self.assertIn("mutants    0\n", self.mutate("--minutes", "0")[1])

    def test_shards_put_together_are_all(self):
        self.assertNotIn("mutants    13\n", self.mutate("--all", "--shard", "2/2")[1])
        self.assertIn("mutants    13\n", self.mutate("--all", "--shard", "1/2")[1])
        self.assertIn("mutants    13\n", self.mutate("--all", "--minutes", "0")[1])

    def test_ends_what_does_not_end_and_what_takes_all_memory(self):
        header = self.project / "lib/embedscale/tiny.hpp"
        header.write_text(header.read_text().replace(
            "  return x * 2;", "  while (x < 0) {}\n  for (char* p = 0; x == 9;) p = new "
            "char[1 << 30];\n  return x * 2;"))
        self.build()
        endless, hungry = (next(one.id for one in all_mutants(self.project) if one.after == after)
                           for after in ("while (x >= 0) {}",
                                         "for (char* p = 0; x != 9;) p = new char[1 << 30];"))
        child = self.start("--id", endless)
        self.wait_until(self.judging)
        child.kill()
        child.communicate()
        self.wait_until(lambda: not self.judging())
        left = self.judging()
        for process in left:
            os.kill(int(process), signal.SIGKILL)
        self.assertEqual(left, [])
        self.assertIn("timed_out  1\n", self.mutate("--id", endless)[1])
        self.assertIn("killed     1\n", self.mutate("--id", hungry)[1])

    def test_refuses_tests_that_fail_without_a_mutant_and_a_second_run(self):
        path = self.project / "properties/tiny_test.cpp"
        path.write_text(TEST + "int fails = (puts(\"[  FAILED  ] tiny.always (0 ms)\"), "
                        "fflush(stdout), _exit(1), 0);\n")
        self.build()
        code, _, err = self.mutate("--all")
        self.assertEqual(code, 3)
        self.assertIn("tiny_test fails unmutated: tiny.always", err)
        path.write_text(TEST)
        self.build()
        other = self.start("--all")
        self.wait_for_more_than(0)
        self.assertEqual(self.mutate("--all")[0], 3)
        other.terminate()
        other.communicate()


if __name__ == "__main__":
    unittest.main()
