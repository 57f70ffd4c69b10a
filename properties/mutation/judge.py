"""Whether a test notices a mutant: judge.py SCRATCH KEPT ID, a command of a list of parts.

Prints as JSON what became of it: "killed" by a failed test, or a static_assert of one, "timed out",
"survived", or "invalid", which does not compile; by what; and the programs that were tried with the
processor seconds of each, of which the last one decided. A mutant is one file changed in a copy of
the sources. Of a program only the object files that read it are compiled anew, as the build tree
does it, and linked with the build tree's other ones."""

import ctypes
import fcntl
import itertools
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, namedtuple

from build_graph import Failure, locked, write
from mutants import LIBRARY, applied, difference, mutants_of
from score import DEAD, equivalents_of, kept_results

SECONDS_TO_COMPILE = 600
MEMORY = 3_000_000_000
UNITY = re.compile(r"\S+/unity_\d+_cxx\.cxx")

Ended = namedtuple("Ended", "code seconds out err")  # no code: its time was over


def bounded():
    """In a child: what ends this process ends it, too."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(words, folder, seconds=None):
    """Its output goes through files, so that a child of its own cannot keep a pipe open. Its group
    is this process's, which ends all of it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=err, preexec_fn=bounded)
        try:
            code = child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            code = None
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
        spent = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
        return Ended(code, spent, *texts)


def found(text, pattern, otherwise):
    match = re.search(pattern, text)
    return match[1] if match else otherwise


def failed_test(output):
    return found(output, r"\[  FAILED  \] ([^ ,\n]+)", "ended before its summary")


def own_copy(scratch):
    """Of the sources: the first that no other process has. The library in it is fresh, whoever was
    killed there."""
    for number in itertools.count():
        lock = os.open(scratch / f"{number}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # until this process ends
        except BlockingIOError:
            os.close(lock)
            continue
        copy = scratch / str(number)
        if not (copy / "properties").exists():
            shutil.rmtree(copy / "part", ignore_errors=True)
            shutil.copytree(scratch / "sources/properties", copy / "part")
            (copy / "part").rename(copy / "properties")
        for folder in ("lib", "objects"):
            shutil.rmtree(copy / folder, ignore_errors=True)
        shutil.copytree(scratch / "sources/lib", copy / "lib")
        return copy


class Judge:
    def __init__(self, graph, scratch, mutant):
        self.graph, self.scratch, self.mutant, self.copy = graph, scratch, mutant, own_copy(scratch)
        file = graph["files"].get(mutant.file, {"readers": []})
        self.readers = set(file["readers"])
        self.result = {"id": mutant.id, "fate": "survived", "by": "", "tried": []}

    def judged(self, known):
        """The result; `known` are those of other mutants."""
        path = self.copy / LIBRARY / self.mutant.file
        text = applied(path.read_bytes().decode("latin-1"), self.mutant.edit)
        path.write_bytes(text.encode("latin-1"))
        for program in self._in_order(known):
            seconds = self._compile(program)
            if self.result["fate"] == "survived":
                seconds += self._run(program)
            self.result["tried"].append([program["name"], round(seconds, 3)])
            if self.result["fate"] != "survived":
                break
        shutil.rmtree(self.copy / "objects", ignore_errors=True)
        return self.result

    def _in_order(self, known):
        """The programs that read the file, the most kills in a second first, as far as is known.
        Before anything is: a source that is read takes 0.1 s; a program named after the file's
        topic kills, of others one in twenty."""
        kills, seconds = Counter(), Counter()
        for result in known:
            if result["id"].partition("#")[0] == self.mutant.file:
                seconds.update(dict(result["tried"]))
                kills[result["tried"][-1][0]] += result["fate"] in DEAD
        topic = pathlib.Path(self.mutant.file).stem

        def rate(program):
            readers = self.readers & set(program["objects"])
            likely = 1 if any(topic in one for one in readers) else 0.05
            guessed = 0.1 * sum(self.graph["sources"][one] for one in readers)
            return (kills[program["name"]] + likely) / (seconds[program["name"]] + guessed)

        return sorted((program for program in self.graph["programs"]
                       if self.readers & set(program["objects"])), key=rate, reverse=True)

    def _decide(self, fate, by):
        self.result.update(fate=fate, by=by)

    def _moved(self, text):
        """With the project's sources replaced by their copy."""
        return re.sub(re.escape(self.graph["project"]) + r"(?=/lib\b|/properties\b|\s|$)",
                      str(self.copy), text)

    def _compile(self, program):
        """Makes the program. What has been compiled for another one is there."""
        seconds, objects = 0, []
        for output in program["objects"]:
            mutated = self.copy / "objects" / output
            objects.append(mutated if output in self.readers else output)
            if output not in self.readers or mutated.exists():
                continue
            mutated.parent.mkdir(parents=True, exist_ok=True)
            command = self.graph["compile"][output]
            if joined := UNITY.search(command):  # several sources as one, which names their paths
                copied = mutated.with_suffix(".joined.cpp")
                copied.write_text(self._moved(pathlib.Path(joined[0]).read_text()))
                command = command.replace(joined[0], str(copied))
            words = ["/bin/sh", "-c", f"exec {self._moved(command)} -w -o {mutated}"]
            seconds += self._make(words, program)
            if self.result["fate"] != "survived":
                return seconds
        compiler, *rest = program["link"]
        link = [compiler, *objects, *rest, "-o", self.copy / "program"]
        return seconds + self._make(link, program)

    def _make(self, words, program):
        """What a static_assert of a test refuses is killed, what else does not compile invalid."""
        ended = run(words, self.graph["build"], SECONDS_TO_COMPILE)
        if ended.code != 0:
            asserted = re.search("/properties/[^\n]*error: (static assertion failed|"
                                 "non-constant condition for static)", ended.err)
            self._decide(*("killed", f"{program['name']} a static_assert") if asserted else
                         ("invalid", found(ended.err, "(error: [^\n]{0,150})",
                                           "no compiler's error")))
        return ended.seconds

    def _run(self, program):
        ended = run([self.copy / "program", "--gtest_brief=1", "--gtest_fail_fast"], self.copy,
                    10 * self._seconds_unmutated(program) + 10)
        if ended.code is None:
            self._decide("timed out", program["name"])
        elif ended.code != 0:
            self._decide("killed", f"{program['name']} {failed_test(ended.out)}")
        return ended.seconds

    def _seconds_unmutated(self, program):
        """By the clock, of a program that has to pass."""
        kept = self.scratch / f"{program['name']}.seconds"
        with locked(kept.with_suffix(".lock")):
            if not kept.exists():
                begin = time.monotonic()
                ended = run([program["path"], "--gtest_brief=1"], self.scratch)
                if ended.code != 0:
                    raise Failure(f"{program['name']} fails unmutated: {failed_test(ended.out)}")
                write(kept, str(time.monotonic() - begin))
            return float(kept.read_text())


def judge(scratch, kept, name):
    graph = json.loads((scratch / "graph.json").read_text())
    file = name.partition("#")[0]
    text = (scratch / "sources" / LIBRARY / file).read_bytes().decode("latin-1")
    mutant = next((one for one in mutants_of(file, text) if one.id == name), None)
    if mutant is None:
        raise Failure(f"{name}: no such mutant; the sources have changed since they were built")
    result = Judge(graph, scratch, mutant).judged(kept_results(kept).values())
    if result["fate"] == "survived" and name not in equivalents_of(graph["project"]):
        print(f"survived: {difference(mutant)}", end="", file=sys.stderr)
    print(json.dumps(result))


if __name__ == "__main__":
    try:
        judge(*map(pathlib.Path, sys.argv[1:3]), sys.argv[3])
    except (Failure, OSError) as error:
        sys.exit(str(error))
