"""Lists of parts by threads and shards, as make_parts makes them: the same comes of it, and what is
kept when something ends them. By MPI: parts_mpi_test.py; from inside: parts_test.cpp."""

import signal
import subprocess
import unittest

from counting import COUNTED, FIRST, FULL, GOES_ON, MAKE_PARTS, Counting
from programs import read, write


class Parts(Counting):

    def start(self, text, *arguments):
        """As soon as it evaluates."""
        child = subprocess.Popen([MAKE_PARTS, "--kept", self.kept, "--jobs", "2", *arguments],
                                 stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        self.addCleanup(child.stderr.close)
        child.stdin.write(text)
        child.stdin.close()
        self.wait_until(self.log.exists)
        return child

    def evaluations(self, text):
        """How many parts are evaluated by a command that makes all that are missing."""
        ended = self.make(text)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertNotIn("not made", ended.stderr)
        return len(self.evaluated())

    def test_come_to_the_same_by_any_number_of_threads(self):
        for jobs in ("1", "7"):
            self.kept = self.scratch / jobs
            ended = self.make(self.counting(), jobs=jobs)
            self.assertEqual((ended.returncode, ended.stderr),
                             (0, f"{len(COUNTED)} parts, 0 of them failed\n"))
            self.assertEqual(self.told(), COUNTED, jobs)
            names = self.evaluated()
            self.assertEqual(sorted(names), sorted(COUNTED))
            self.assertEqual(sorted(names[:FIRST]), sorted([*COUNTED][:FIRST]), "no two phases")
            if jobs == "1":
                self.assertEqual(names, [*COUNTED])

    def test_are_evaluated_by_two_threads_at_a_time(self):
        self.assertEqual(self.evaluations(self.at_a_time(2)), 2)

    # Each phase is sharded: the second begins when all have made the first.
    def test_of_three_shards_whose_files_are_put_together_are_all(self):
        begun, made = [], []
        for shard in ("3/3", "1/3", "2/3", "3/3", "1/3"):
            ended = self.make(self.counting(), "--shard", shard)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            made.append("parts are not made: " not in ended.stderr)
            if not made[-1]:
                self.assertIn(f"{GOES_ON}. Other shards' parts: put their .jsonl files into "
                              f"{self.kept}\n", ended.stderr)
            begun += self.evaluated()
        self.assertEqual(made, 4 * [False] + [True])
        self.assertEqual(sorted(begun), sorted(COUNTED), "a part was made by two")
        self.assertEqual(sorted(begun[:FIRST]), sorted([*COUNTED][:FIRST]), "no two phases")
        shards = [f"{i}-of-3" for i in (1, 2, 3)]
        self.assertEqual(self.told(*shards), COUNTED)
        self.assertGreater(min(len(self.lines(shard)) for shard in shards), len(COUNTED) / 6)
        self.assertFalse((self.kept / "1-of-1.jsonl").exists())

    def test_that_are_kept_are_not_made_again_but_for_those_of_other_sources_and_torn_lines(self):
        a, file = self.parts("a", 6), self.kept / "1-of-1.jsonl"
        self.assertEqual(self.evaluations(a), 6)
        self.assertEqual(self.evaluations(a), 0)
        text = read(file)
        torn = text[:text[:-1].rindex("\n") + 20]  # in the midst of its last line
        write(file, '{"part":1}\n[]\n\n' + torn)
        self.assertEqual(self.evaluations(a), 1)
        self.assertEqual(self.evaluations(a), 0)
        write(file, text + '{"part":1}\n[]\n\n')
        self.assertEqual(self.evaluations(a), 0)
        self.assertEqual(read(file), text)
        write(file, text[:-1])
        self.assertEqual(self.evaluations(self.parts("b", 2)), 2)
        self.assertEqual(self.evaluations(a), 0)
        self.assertEqual(self.evaluations(self.parts("a", 6, of="others")), 6)
        # What other sources made is forgotten, what others made is not.
        self.assertEqual(len(self.lines()), 8)
        self.assertEqual(self.evaluations(a), 6)

    def test_of_current_sources_count_whatever_another_shard_has_kept_of_old_ones(self):
        old = '{"part":"a/0","of":"old","result":{"passed":true,"told":"7"}}\n'
        for shard in ("old", "zzz"):
            write(self.kept / f"{shard}.jsonl", old)
        self.assertEqual(self.evaluations(self.parts("a", 1)), 1)
        self.assertEqual(self.evaluations(self.parts("a", 1)), 0)
        self.assertEqual(read(self.kept / "old.jsonl"), old)

    def test_that_fail_end_the_list_and_the_others_are_kept(self):
        ended = self.make(self.counting("{ [ $i != 5 ] || { echo five >&2; false; }; }"))
        self.assertEqual(ended.returncode, 3)
        self.assertIn("make_parts: first/5 fails: five\n", ended.stderr)
        self.assertRegex(ended.stderr, f"of {FIRST} parts are not made: first/5.*{GOES_ON}\n")
        kept, evaluated = self.told(), self.evaluated()
        self.assertEqual(sorted([*kept, "first/5"]), sorted(evaluated), "one was not kept")
        self.assertGreaterEqual(len(kept), 5)
        self.assertEqual(self.evaluations(self.counting()), len(COUNTED) - len(kept))
        self.assertEqual(self.told(), COUNTED)

    def test_stand_when_the_disk_is_full_and_the_same_command_goes_on(self):
        ended = subprocess.run(
            ["sh", "-c", 'trap "" XFSZ; exec "$0" --jobs 2 --kept "$1"', MAKE_PARTS, self.kept],
            input=self.counting(FULL), capture_output=True, text=True)
        self.assertEqual(ended.returncode, 3, ended.stderr)
        self.assertIn("1-of-1.jsonl: cannot be written", ended.stderr)
        self.assertRegex(ended.stderr, f"of {FIRST} parts are not made: .*{GOES_ON}\n")
        self.evaluated()
        kept = len(self.lines())
        self.assertGreaterEqual(kept, 4)
        self.assertEqual(self.evaluations(self.counting()), len(COUNTED) - kept)
        self.assertEqual(self.told(), COUNTED)

    def test_stand_when_a_signal_ends_it_and_the_same_command_goes_on(self):
        goes = self.scratch / "goes"
        text = self.counting(f"{{ [ $i -lt 4 ] || [ -e {goes} ] || sleep 60; }}")
        for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            child = self.start(text)
            self.wait_until(lambda: {"first/4", "first/5"} <= {*read(self.log).split()})
            self.wait_until(lambda: len(self.lines()) == 4)
            child.send_signal(sent)
            said = child.stderr.read()
            if sent == signal.SIGKILL:
                self.assertEqual(child.wait(), -sent)
            else:
                self.assertEqual(child.wait(), 130)
                self.assertIn("stopping; once more ends it at once\n", said)
                self.assertIn(f"4 of {FIRST} parts are not made: first/4, first/5, first/6 …. "
                              f"{GOES_ON}\n", said)
            self.assertNotIn("first/6", self.evaluated())
        write(goes)
        self.assertEqual(self.evaluations(text), len(COUNTED) - 4)
        self.assertEqual(self.told(), COUNTED)

    def test_begin_in_order_until_told_otherwise(self):
        text = self.parts("first", 6, "{ [ $i != 2 ] || sleep 0.2; }")
        ended = self.make(text, "--minutes", "0.002", jobs="1")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        begun = self.evaluated()
        self.assertEqual(begun, [*COUNTED][:len(begun)])
        self.assertLessEqual(len(begun), 3)
        self.assertIn(f"{6 - len(begun)} of 6 parts are not made: first/{len(begun)}, ",
                      ended.stderr)

    def test_are_refused_for_a_wrong_shard_and_while_another_program_makes_them(self):
        for wrong in ("0/2", "3/2", "1/", "1/2x", "", "1/4097"):
            ended = self.make("", "--shard", wrong)
            self.assertEqual(ended.returncode, 2, wrong)
            self.assertIn(f"--shard {wrong}: needs i/n", ended.stderr)
        self.assertFalse(self.kept.exists())
        self.start(self.parts("a", 3, "sleep 60"), "--shard", "1/2")
        ended = self.make("", "--shard", "1/2")
        self.assertEqual(ended.returncode, 3)
        self.expect_line(ended.stderr, f"another one is running: it has {self.kept}/1-of-2.lock")
        self.assertEqual(self.make("", "--shard", "2/2").returncode, 0)


if __name__ == "__main__":
    unittest.main()
