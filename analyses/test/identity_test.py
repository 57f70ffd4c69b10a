"""./dev identity keeps what it has made, and tells the row of a difference. The programs are scripts
that write what they are told to."""

import json
import unittest

from programs import Test, read, run, write


def data(second):
    """data/topic.json with one measurement that has two rows."""
    group = {"quantity": "ratio", "unit": "1", "method": "exact", "axes": ["d_model"],
             "columns": ["value"], "rows": [[64, 0.25], [512, second]]}
    return json.dumps([{"id": "topic.one", "summary": "It holds.", "measurements": [group]}],
                      separators=(",", ":"))


class Trying(Test):
    """A project of one topic whose program writes what differs on two threads, if anything does."""

    def setUp(self):
        super().setUp()
        self.project = self.scratch / "project"
        for file in ("analyses/topic/words.md", "properties/record.json", "README.md",
                     "analyses/systems/one.toml"):
            write(self.project / file)
        write(self.project / "reports/data/topic.json", data(0.86))
        self.program("answer", "printf '{\"compiler\": \"1.2\"}' > \"$out/reports/provenance.json\"\n")
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
echo made >> log
second=0.86
[ $jobs = 1 ] || second={second}
cp $second "$out/data/topic.json"
echo '["topic.one","ratio",{{}},"exact",2,0.8600000'$jobs',null,null]' > "$unrounded"
""")

    def identity(self, *more):
        return run("identity", "--project", self.project, "--topics", "topic", "--build",
                   f"g++ -O1={self.scratch / 'build'}", "--kept", self.scratch / "kept", *more)

    def test_keeps_what_is_made_and_tells_the_row_of_a_planted_difference(self):
        record = self.scratch / "record.json"
        before = self.identity("--record", record)
        self.assertEqual(before.returncode, 0, before.stdout + before.stderr)
        self.assertEqual(before.stdout.count(": the same bytes"), 6, before.stdout)
        self.assertIn("before rounding 1 of 1 values differ", before.stdout)
        self.assertEqual(self.identity().stdout, before.stdout)
        self.assertEqual(read(self.scratch / "log").count("made"), 6, "kept")
        self.topic(0.87)
        ended = self.identity("--record", record)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertIn("data/topic.json: topic.one ratio {\"d_model\":512} value: 0.86 committed, "
                      "0.87 made (relative difference 0.012)", ended.stdout)
        self.assertEqual(ended.stdout.count("the same bytes"), 3, ended.stdout)
        recorded = json.loads(read(record))
        self.assertEqual(len(recorded["differences"]), 3)
        self.assertEqual(recorded["tried"][0]["files_that_differ"], 1)

    def test_says_which_program_fails(self):
        self.program("analyses", "echo no such luck >&2; exit 3\n")
        failed = self.identity()
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn("topic of g++ -O1, default, 2 threads: ends with 3: no such", failed.stderr)


if __name__ == "__main__":
    unittest.main()
