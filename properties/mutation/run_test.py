"""mutate itself, on a project so small that all of its mutants can be judged: run_test.py PROGRAM

What it finds, what it shows and keeps, and how it goes on when it was interrupted."""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()

# A header, a source that is compiled as a part of a joined one, and two test programs, the one in
# need of a part of an archive. They need no GoogleTest and link it, by which they are known.
SOURCES = {
    "lib/embedscale/tiny.hpp": """#pragma once
inline int twice(int x) {
  return x * 2;
}
inline int same(int x) {
  return x + 0;
}
""",
    "lib/embedscale/root.cpp": "int root(int x) {\n  return x / 2;\n}\n",
    "properties/part.cpp": """#include <embedscale/tiny.hpp>
int part(int x) { return twice(x); }
""",
    "properties/unused.cpp": """#include <embedscale/tiny.hpp>
int unused(int x) { return twice(x); }
""",
    "properties/other_test.cpp": "#include <embedscale/tiny.hpp>\nint main() { return 0; }\n",
    "properties/tiny_test.cpp": """#include <embedscale/tiny.hpp>
#include <stdio.h>
#include <unistd.h>
int part(int), root(int);
int main() {
  usleep(200000);
  if (part(3) == 6 && same(3) == 3 && root(12) == 6) return 0;
  puts("[  FAILED  ] tiny.part (0 ms)");
  return 1;
}
""",
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


class Run(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.project = pathlib.Path(directory.name).resolve()
        self.kept = self.project / "build/parts/mutation/1-of-1.jsonl"
        self.scratch = self.project / "build/mutation/1-of-1.0"
        for path, text in SOURCES.items():
            (self.project / path).parent.mkdir(parents=True, exist_ok=True)
            (self.project / path).write_text(text.replace("PROJECT", str(self.project)))
        self.build()

    def build(self):
        subprocess.run("ninja", cwd=self.project / "build", stdout=subprocess.PIPE, check=True)

    def start(self, *options):
        child = subprocess.Popen(
            [PROGRAM, "--project", self.project, "--build", self.project / "build", "--jobs", "1",
             *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.kill)
        return child

    def mutate(self, *options):
        child = self.start(*options)
        out, err = child.communicate()
        return child.returncode, out, err

    def results(self):
        results = []
        for line in self.kept.read_text().splitlines() if self.kept.exists() else ():
            try:
                results.append(json.loads(line)["result"])
            except ValueError:
                pass
        return results

    def wait_for_more_than(self, count):
        """Half a minute at most."""
        end = time.monotonic() + 30
        while len(self.results()) <= count and time.monotonic() < end:
            time.sleep(0.01)

    def test_kills_what_a_test_notices_and_names_what_survives(self):
        code, out, err = self.mutate("--record")
        self.assertEqual(code, 1, err)
        self.assertIn("killed     12\ntimed_out  0\nsurvived   1\n", out)
        self.assertIn("  - return x + 0;\n  + return x - 0;\n", err)
        score = json.loads((self.project / "properties/mutation/score.json").read_text())
        self.assertEqual(score["total"]["killed"], 12)
        self.assertEqual(len(score["unexplained"]), 1)
        self.assertFalse(self.scratch.exists())
        self.assertEqual(len(self.results()), MUTANTS)
        for result in self.results():
            # The program of the header's name is tried first, and the one that can notice is
            # learned.
            survived = result["fate"] == "survived"
            self.assertEqual(result["tried"][0][0], "tiny_test", result)
            self.assertEqual(len(result["tried"]), 2 if survived else 1, result)
            self.assertEqual(result["by"], "" if survived else "tiny_test tiny.part", result)

    def test_passes_where_the_survivor_is_argued_equivalent(self):
        self.mutate("--all")
        survivor, = (one["id"] for one in self.results() if one["fate"] == "survived")
        (self.project / "properties/mutation/equivalent.txt").write_text(
            f"{survivor}\n  x - 0 is x.\n")
        code, out, _ = self.mutate("--equivalents")
        self.assertEqual(code, 0, out)
        self.assertIn("equivalent 1\n", out)

    def test_goes_on_where_it_was_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            before = len(self.results())
            child = self.start("--all")
            self.wait_for_more_than(before)
            child.send_signal(number)
            _, err = child.communicate()
            killed = number == signal.SIGKILL
            self.assertEqual(child.returncode, -number if killed else 130, err)
            self.assertLess(len(self.results()), MUTANTS)
            self.assertEqual(self.scratch.exists(), killed)
        with self.kept.open("a") as file:
            file.write('{"part":"tiny')  # as a run that is killed while writing
        before = self.results()
        _, out, _ = self.mutate("--all")
        self.assertIn("mutants    13\nkilled     12\n", out)
        after = self.results()
        self.assertEqual(len(after), MUTANTS)
        self.assertEqual(after[:len(before)], before)
        self.assertEqual(len({one["id"] for one in after}), MUTANTS, "one was judged again")

    def test_forgets_what_other_sources_were_judged_by(self):
        self.mutate("--all")
        self.assertIn("mutants    13\n", self.mutate("--all", "--minutes", "0")[1])
        with (self.project / "properties/part.cpp").open("a") as file:
            file.write("// Another one.\n")
        self.build()
        code, out, _ = self.mutate("--all", "--minutes", "0")
        self.assertEqual(code, 1)
        self.assertIn("mutants    0\n", out)

    def test_refuses_tests_that_fail_without_a_mutant_and_a_second_run(self):
        test = self.project / "properties/tiny_test.cpp"
        right = test.read_text()
        test.write_text(right + 'int fails = (puts("[  FAILED  ] tiny.always (0 ms)"), '
                                "fflush(stdout), _exit(1), 0);\n")
        self.build()
        code, _, err = self.mutate("--all")
        self.assertEqual(code, 3)
        self.assertIn("tiny_test fails unmutated: tiny.always", err)
        test.write_text(right)
        self.build()
        other = self.start("--all")
        self.wait_for_more_than(0)
        self.assertEqual(self.mutate("--all")[0], 3)
        other.terminate()
        other.communicate()


if __name__ == "__main__":
    unittest.main()
