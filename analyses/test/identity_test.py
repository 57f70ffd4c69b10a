"""./dev identity keeps what it has made, and tells the row of a difference, and values apart before
they are rounded."""

import json
import math
import sys
import unittest

from programs import SOURCE, Test, read, run, write

IDENTITY = SOURCE / "analyses/identity/identity.py"
sys.path.insert(0, str(IDENTITY.parent))

from compare import (Apart, Margins, Value, compared_files, count_rows, differences,  # noqa: E402
                     distance_to_an_edge, read_values)


def data(second, summary="It holds."):
    """data/topic.json with one measurement that has two rows."""
    group = {"quantity": "ratio", "unit": "1", "method": "exact", "axes": ["d_model"],
             "columns": ["value"], "rows": [[64, 0.25], [512, second]]}
    return json.dumps([{"id": "topic.one", "summary": summary, "measurements": [group]}],
                      separators=(",", ":"))


class Reports(Test):
    def test_that_differ_name_what_does(self):
        committed, made = self.scratch / "committed", self.scratch / "made"
        for tree in (committed, made):
            write(tree / "topic.md", "# Topic\n\nIt is 0.86.\n")
            write(tree / "data/topic.json", data(0.86))
        write(made / "provenance.json", "this machine")
        write(committed / "trust.md", "made apart")
        write(committed / "vectors/layer_norm.json", "made apart")
        self.assertEqual(differences(committed, made), [])
        self.assertEqual([str(file) for file in compared_files(committed)],
                         ["data/topic.json", "topic.md"])
        self.assertEqual(count_rows(committed), 2)
        write(made / "data/topic.json", data(0.86) + "\n")  # in layout alone
        self.assertEqual(len(differences(committed, made)), 1)
        write(made / "data/topic.json", data(0.86, "It fails.").replace('"id"', '"new":null,"id"'))
        write(made / "topic.md", "# Topic\n\nIt is 0.87.\n")
        write(made / "figures/topic_new.svg", "<svg/>\n")
        write(made / "figures/topic_void.svg")
        self.assertEqual([(one.file, one.row, one.committed, one.made)
                          for one in differences(committed, made)],
                         [("data/topic.json", "topic.one summary", '"It holds."', '"It fails."'),
                          ("data/topic.json", "topic.one new", "null", "null"),
                          ("figures/topic_new.svg", "line 1", "(nothing)", "<svg/>"),
                          ("figures/topic_void.svg", "line 1", "(nothing)", "(nothing)"),
                          ("topic.md", "line 3", "It is 0.86.", "It is 0.87.")])
        with self.assertRaisesRegex(FileNotFoundError, "none: not there"):
            differences(self.scratch / "none", made)


class Values(Test):
    def test_are_told_apart_before_they_are_rounded(self):
        def values(two):
            return [Value("a.claim one", "{}", 2, 1.0), Value("a.claim two", "{}", 2, two),
                    Value("a.claim three", "{}", 2, 0.0)]

        apart, margins = Apart(), Margins()
        margins.add(apart, values(0.86), values(0.8600000000000002))
        self.assertEqual((apart.values, apart.differ, apart.where), (3, 1, "a.claim two {}"))
        self.assertAlmostEqual(apart.largest, 2.6e-16, delta=0.1e-16)
        nearest, = margins.nearest(5)
        self.assertAlmostEqual(nearest.distance, 0.005, delta=1e-12)
        with self.assertRaises(ValueError):
            margins.add(apart, values(0.86), values(0.86)[:1])

    def test_that_come_nearest_to_another_last_digit_are_first_one_of_each_quantity(self):
        def values(by):
            return [Value("a", "1", 2, 0.860 + by), Value("a", "2", 2, 0.864 + by),
                    Value("b", "1", 2, 0.8649 + by), Value("c", "1", 2, 0.0 + by)]

        margins = Margins()
        for by in (1e-6, 1e-5, 1e-7):
            margins.add(Apart(), values(0), values(by))
        self.assertEqual([(one.quantity, one.place) for one in margins.nearest(3)],
                         [("c", "1"), ("b", "1"), ("a", "2")])
        self.assertAlmostEqual(margins.nearest(3)[2].times, 100, delta=1e-3)
        self.assertEqual(len(margins.nearest(2)), 2)

    def test_are_read_as_they_were_written(self):
        file = self.scratch / "values.jsonl"
        write(file, '["a.claim","ratio",{"d_model":64},"exact",2,0.86,null,null]\n'
                    '["a.claim","ratio",{},"exact",1,null,null,null]\n')
        self.assertEqual(read_values(file),
                         [Value("a.claim ratio", '{"d_model":64}', 2, 0.86),
                          Value("a.claim ratio", "{}", 1, math.inf)])

    def test_have_a_distance_to_the_nearest_edge(self):
        for x, digits, distance in ((0.8601, 2, 0.0049), (0.8651, 2, 0.0001),
                                    (-12345, 3, 45 - 40),  # 12350 is written 12300 or 12400
                                    (0.125, 2, 0),  # a tie
                                    # Below a power of ten the numbers are ten times as near.
                                    (0.0999, 2, 0.00040), (1.0, 2, 0.005)):
            self.assertAlmostEqual(distance_to_an_edge(x, digits), distance,
                                   delta=1e-12 * max(1, abs(x)), msg=x)
        self.assertEqual(distance_to_an_edge(0.125, 2), 0)


class Trying(Test):
    """A project of one topic. Its programs are scripts, that write what differs on two threads, if
    anything does."""

    def setUp(self):
        super().setUp()
        self.project = self.scratch / "project"
        for file in ("analyses/topic/words.md", "properties/record.json", "README.md",
                     "analyses/systems/one.toml", "analyses/cite/publication.py"):
            write(self.project / file)
        write(self.project / "reports/data/topic.json", data(0.86))
        write(self.project / "analyses/answer.py",
              "import pathlib, sys\nout = pathlib.Path(sys.argv[sys.argv.index('--out') + 1])\n"
              "(out / 'reports/provenance.json').write_text('{\"compiler\": \"1.2\"}')\n")
        self.topic(0.86)

    def program(self, name, body):
        file = self.scratch / "build/bin" / name
        write(file, "#!/bin/sh\nset -e\nwhile [ $# -gt 0 ]; do case $1 in --out) out=$2;; "
                    "--unrounded) unrounded=$2;; --jobs) jobs=$2;; esac; shift; done\n" + body)
        file.chmod(0o700)

    def topic(self, second):
        """On two threads its second row has this."""
        for value in (0.86, second):
            write(self.scratch / str(value), data(value))
        self.program("analyses", f"""mkdir -p "$out/data" "$(dirname "$unrounded")"
cd '{self.scratch}'
echo "made on $jobs by ${{GLIBC_TUNABLES-default}}" >> log
second=0.86
[ $jobs = 1 ] || second={second}
cp $second "$out/data/topic.json"
echo '["topic.one","ratio",{{}},"exact",2,0.8600000'$jobs',null,null]' > "$unrounded"
""")

    def identity(self, *more):
        return run(IDENTITY, "--project", self.project, "--topics", "topic", "--build",
                   f"g++ -O1={self.scratch / 'build'}", "--kept", self.scratch / "kept", *more)

    def test_keeps_what_is_made_and_tells_the_row_of_a_planted_difference(self):
        record = self.scratch / "record.json"
        before = self.identity("--record", record)
        self.assertEqual(before.returncode, 0, before.stdout + before.stderr)
        self.assertEqual(before.stdout.count(": the same bytes"), 6, before.stdout)
        self.assertIn("before rounding 1 of 1 values differ", before.stdout)
        self.assertEqual(self.identity().stdout, before.stdout)
        self.assertEqual(read(self.scratch / "log").splitlines(),
                         [f"made on {threads} by {instructions}" for instructions in
                          ("default", "glibc.cpu.hwcaps=-FMA", "glibc.cpu.hwcaps=-AVX2,-FMA")
                          for threads in (2, 1)])  # and kept
        self.topic(0.87)
        ended = self.identity("--record", record)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertIn("data/topic.json: topic.one ratio {\"d_model\":512} value: 0.86 committed, "
                      "0.87 made (relative difference 0.012)", ended.stdout)
        self.assertEqual(ended.stdout.count("the same bytes"), 3, ended.stdout)
        recorded = json.loads(read(record))
        self.assertEqual(len(recorded["differences"]), 3)
        self.assertEqual(recorded["tried"][0]["files_that_differ"], 1)
        self.assertEqual([one["changed"] for one in recorded["tried"]],
                         ["", "threads", "instructions", "instructions, threads", "instructions",
                          "instructions, threads"])
        self.assertEqual((recorded["rows"], recorded["values"], recorded["values_that_differ"]),
                         (2, 1, 1))

    def test_says_which_program_fails(self):
        self.program("analyses", "echo no such luck >&2; exit 3\n")
        failed = self.identity()
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn("topic of g++ -O1, default, 2 threads: ends with 3: no such", failed.stderr)


if __name__ == "__main__":
    unittest.main()
