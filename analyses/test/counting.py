"""Lists of commands for make_parts that take no time, in two phases; which of them are evaluated."""

import json
import time

from programs import PROGRAMS, Test, read, run

MAKE_PARTS = PROGRAMS / "make_parts"
# Of each phase.
FIRST, SECOND = 8, 4
# What they come to.
COUNTED = {f"{phase}/{i}": f"{i}\n" for phase, size in (("first", FIRST), ("second", SECOND))
           for i in range(size)}
# As on a full disk, from the first part on; nothing of what is kept may be lost.
FULL = "[ $i != 0 ] || prlimit --pid $PPID --fsize=400"
GOES_ON = "What is finished is kept; the same command goes on"


class Counting(Test):

    def setUp(self):
        super().setUp()
        self.kept = self.scratch / "kept"
        self.log = self.scratch / "evaluated"

    def parts(self, phase, size, script=":", of="sources"):
        """A list: each tells the log its name, and prints the script's $i where that succeeds."""
        return "".join(json.dumps({"part": f"{phase}/{i}", "of": of, "command": [
            "sh", "-c", f"i={i}; echo {phase}/$i >> {self.log}; {script} && echo $i"]}) + "\n"
            for i in range(size))

    def counting(self, script=":", of="sources"):
        return self.parts("first", FIRST, script, of) + "\n" + self.parts("second", SECOND, of=of)

    def at_a_time(self, size):
        """A list whose parts wait for each other."""
        return self.parts("first", size, f"timeout 20 sh -c 'until [ $(wc -l < {self.log}) = {size} "
                          "]; do sleep 0.01; done'")

    def make(self, text, *arguments, jobs="2"):
        return run("make_parts", "--kept", self.kept, "--jobs", jobs, *arguments, input=text)

    def evaluated(self):
        """Since the last time, in order."""
        names = read(self.log).split() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return names

    def lines(self, shard="1-of-1"):
        """That are whole: the rows of a file, each part once with one hash."""
        path, rows = self.kept / f"{shard}.jsonl", []
        for line in read(path).splitlines() if path.exists() else []:
            if line.endswith("}}"):
                rows.append(json.loads(line))
        self.assertEqual(len({(row["part"], row["of"]) for row in rows}), len(rows), rows)
        return rows

    def told(self, *shards):
        return {row["part"]: row["result"]["told"] for shard in shards or ["1-of-1"]
                for row in self.lines(shard)}

    def wait_until(self, is_so):
        """Half a minute at most."""
        for _ in range(3000):
            if is_so():
                return
            time.sleep(0.01)
        self.fail("it does not come to be so")
