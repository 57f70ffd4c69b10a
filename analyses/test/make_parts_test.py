"""Lists of commands, each a part; and the tests of CTest as such a list."""

import json
import os
import subprocess
import sys
import unittest

from programs import PROGRAMS, SOURCE, Test, read, run, write


def line(name, script, of="sources"):
    return json.dumps({"part": name, "of": of, "command": ["sh", "-c", script]}) + "\n"


class MakeParts(Test):
    def make(self, text, *arguments):
        return run("make_parts", "--kept", self.scratch / "kept", "--jobs", "2", *arguments,
                   input=text)

    def kept(self):
        rows = map(json.loads, read(self.scratch / "kept/1-of-1.jsonl").splitlines())
        return {row["part"]: (row["result"]["passed"], row["result"]["told"]) for row in rows}

    def test_keeps_what_commands_print_and_shows_what_they_say(self):
        made = self.scratch / "made"
        text = line("first", f"sleep 0.2; echo 1; echo told >&2; touch {made}") + "\n" + line(
            "second", f"test -f {made} && echo 2")
        ended = self.make(text)
        self.assertEqual((ended.returncode, ended.stdout), (0, ""), ended.stderr)
        self.assertIn("told\n", ended.stderr)
        self.assertEqual(self.kept(), {"first": (True, "1\n"), "second": (True, "2\n")})
        made.unlink()
        self.assertEqual(self.make(text).returncode, 0, "one was made again")
        self.assertEqual(self.make(text.replace("sources", "others"), "--minutes", "0").returncode,
                         0)
        self.assertFalse(made.exists(), "one was begun")

    def test_ends_with_what_the_first_that_fails_says(self):
        text = line("good", "echo 1") + "\n" + line("bad", "echo no >&2; false") + "\n" + line(
            "never", "echo 3")
        ended = self.make(text, "--", "echo", "then")
        self.assertEqual((ended.returncode, ended.stdout), (3, ""))
        self.assertIn("make_parts: bad fails: no\n", ended.stderr)
        self.assertIn("1 of 1 parts are not made: bad. ", ended.stderr)
        self.assertEqual(self.kept(), {"good": (True, "1\n")})

    def test_tells_those_that_fail_where_it_keeps_going_and_makes_them_again(self):
        again = self.scratch / "again"
        text = line("bad", f"echo {8000 * 'x'}end; test -f {again}") + line("good", "echo 1")
        ended = self.make(text, "--keep-going", "--", "echo", "then")
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertEqual(ended.stdout, f"{7996 * 'x'}end\n\nfailed: bad\n")
        write(again)
        ended = self.make(text, "--keep-going", "--", "echo", "then", "--kept")
        self.assertEqual((ended.returncode, ended.stdout), (0, "then --kept\n"), ended.stderr)
        self.assertTrue(self.kept()["bad"][0])

    def test_refuses_what_is_no_list(self):
        self.assertEqual(self.make("{}\n").returncode, 2)


class Tests(Test):
    """A build tree of three tests, of which one waits for another."""

    def setUp(self):
        super().setUp()
        made = self.scratch / "made"
        write(self.scratch / "build/CTestTestfile.cmake",
              f'add_test(uses "/usr/bin/test" "-f" "{made}")\n'
              'set_tests_properties(uses PROPERTIES FIXTURES_REQUIRED made)\n'
              f'add_test(makes "/usr/bin/touch" "{made}")\n'
              'set_tests_properties(makes PROPERTIES FIXTURES_SETUP made)\n'
              f'add_test(a.b "/usr/bin/test" "-f" "{self.scratch / "source"}")\n')
        write(self.scratch / "build/CMakeCache.txt")
        (self.scratch / "build/bin").mkdir()
        (self.scratch / "build/bin/make_parts").symlink_to(PROGRAMS / "make_parts")
        write(self.scratch / ".gitignore", "build\nmade\n")
        subprocess.run(["git", "init", "-q", self.scratch], check=True)

    def tried(self, *arguments, **variables):
        return subprocess.run(
            [sys.executable, "-B", SOURCE / "analyses/parts/tests.py", "--project", self.scratch,
             "--build", self.scratch / "build", *arguments], capture_output=True, text=True,
            env={**os.environ, **variables})

    def test_are_run_again_where_they_failed_or_other_sources_or_seeds_are_to_be_tried(self):
        ended = self.tried()
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertIn("failed: a.b\n", ended.stdout)
        self.assertIn("3 parts, 1 of them failed\n", ended.stderr)
        made = self.scratch / "made"
        made.unlink()
        self.assertEqual(self.tried("--", "-R", "uses").returncode, 0)
        self.assertFalse(made.exists(), "what passed is run again")
        self.assertEqual(self.tried("--", "-R", "uses", EMBEDSCALE_SEED="7").returncode, 0)
        self.assertTrue(made.exists(), "by another seed, and not run again")
        made.unlink()
        write(self.scratch / "source")
        ended = self.tried()
        self.assertEqual(ended.returncode, 0, ended.stdout)
        self.assertTrue(made.exists(), "of other sources, and not run again")

    def test_that_do_not_exist_and_shards_are_refused(self):
        for arguments, words in ((["--", "-R", "nothing"], "no test is named so"),
                                 (["--shard", "1/2"], "use --mpi")):
            ended = self.tried(*arguments)
            self.assertEqual(ended.returncode, 2)
            self.assertIn(words, ended.stderr)


if __name__ == "__main__":
    unittest.main()
