"""Lists of parts by MPI, as make_parts makes them."""

import fcntl
import os
import signal
import subprocess
import unittest

from counting import COUNTED, FIRST, FULL, GOES_ON, MAKE_PARTS, Counting
from programs import read, write

# Of whoever may start many processes on few processors, without a network.
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_btl": "self,vader,tcp", "OMPI_MCA_btl_tcp_if_include": "lo",
            "OMPI_MCA_oob_tcp_if_include": "lo"}
IS_FIRST = "[ $OMPI_COMM_WORLD_RANK = 0 ]"
ENDED_BY_TIMEOUT = 124


class PartsByMpi(Counting):

    def start(self, processes, text, before="", **options):
        """The list is a file, "$2", as mpirun gives its input to the first process alone."""
        write(self.scratch / "list", text)
        make = f'trap "" XFSZ; {before} exec "$0" --mpi --kept "$1" ${{3-}} < "$2"'
        child = subprocess.Popen(
            ["timeout", "100", "mpirun", "--oversubscribe", "-n", str(processes), "sh", "-c", make,
             MAKE_PARTS, self.kept, self.scratch / "list"], stdout=subprocess.PIPE,
            env={**os.environ, **OPEN_MPI}, text=True, **{"stderr": subprocess.PIPE, **options})
        self.addCleanup(child.communicate)
        self.addCleanup(child.terminate)
        return child

    def ended(self, processes, text, before=""):
        """Its exit code and what it says."""
        child = self.start(processes, text, before)
        _, said = child.communicate()
        return child.returncode, said

    def make_all(self, processes):
        code, said = self.ended(processes, self.counting())
        self.assertEqual(code, 0, said)
        self.assertEqual(self.told(), COUNTED)
        return self.evaluated()

    def test_come_to_the_same_by_any_number_of_processes(self):
        for processes in (1, 2, 4, 8):
            self.kept = self.scratch / str(processes)
            self.assertEqual(sorted(self.make_all(processes)), sorted(COUNTED), processes)

    def test_are_evaluated_by_all_processes_at_a_time(self):
        code, said = self.ended(3, self.at_a_time(3))
        self.assertEqual(code, 0, said)

    def test_are_kept_when_a_process_is_killed_and_the_same_command_goes_on(self):
        script = f"if {IS_FIRST}; then sleep 0.2; elif [ $i -ge 5 ]; then kill -9 $PPID; fi"
        code, said = self.ended(3, self.counting(script))
        self.assertNotEqual(code, 0)
        self.assertRegex(said, f"of {FIRST} parts are not made: first/.*{GOES_ON}\n")
        kept = len(self.told())
        # Two more at most were under way.
        self.assertGreaterEqual(kept, 3)
        self.assertLess(kept, FIRST)
        self.evaluated()
        self.assertEqual(len(self.make_all(2)), len(COUNTED) - kept)

    def test_are_kept_when_one_fails_and_when_the_disk_is_full(self):
        for script, words in (("{ [ $i != 5 ] || { echo five >&2; false; }; }",
                               "first/5 fails: five\n"),
                              (FULL, "1-of-1.jsonl: cannot be written")):
            self.kept = self.scratch / words[:1]
            code, said = self.ended(3, self.counting(script))
            self.assertEqual(code, 3, said)
            self.assertIn(words, said)
            self.assertRegex(said, f"of {FIRST} parts are not made: .*{GOES_ON}\n")
            kept = len(self.told())
            self.assertGreaterEqual(kept, 4, words)
            self.evaluated()
            self.assertEqual(len(self.make_all(3)), len(COUNTED) - kept, words)

    # Where some went on to the second list, they would wait for the others for ever. The signal
    # comes when the last part is kept and the first process waits for its reader: it fails, and a
    # pipe that is full takes what it printed.
    def test_are_stopped_in_all_processes_or_in_none(self):
        pipe, number, said = (self.scratch / name for name in ("pipe", "number", "said"))
        os.mkfifo(pipe)
        end = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(os.close, end)
        size = os.write(end, fcntl.fcntl(end, fcntl.F_GETPIPE_SZ) * b"\n")
        kept = self.kept / "1-of-1.jsonl"
        script = (f"if {IS_FIRST}; then echo $PPID > {number}; "
                  f"until grep -q first/1 {self.log}; do sleep 0.01; done; "
                  f"else until grep -q first/0 {kept}; do sleep 0.01; done; "
                  f"printf %8000s; false; fi")
        with said.open("w") as err:
            child = self.start(2, self.parts("first", 2, script) + "\n" + self.parts("second", 2),
                               f'set -- "$@" --keep-going; {IS_FIRST} && exec > {pipe};',
                               stderr=err)
            self.wait_until(lambda: kept.exists() and len(self.lines()) == 2)
            os.kill(int(read(number)), signal.SIGTERM)
            self.wait_until(lambda: "stopping" in read(said))
            while size > 0:
                size -= len(os.read(end, size))
            child.wait()
        self.assertNotEqual(child.returncode, ENDED_BY_TIMEOUT)
        self.assertEqual(child.returncode, 130, read(said))
        self.assertEqual(sorted(self.evaluated()), ["first/0", "first/1"])

    def test_are_refused_where_a_process_has_another_list(self):
        write(self.scratch / "list.other", self.counting(of="others"))
        code, said = self.ended(2, self.counting(), f'{IS_FIRST} || set -- "$1" "$2.other";')
        self.assertNotIn(code, (0, ENDED_BY_TIMEOUT))
        self.assertIn("the first process makes other parts: of other sources or options", said)


if __name__ == "__main__":
    unittest.main()
