"""What the build tree knows (which test programs there are, from which object files each is linked,
which sources an object file reads, and how both are made), and the judge, who compiles and runs
these programs over mutants.

Each worker has a copy of the sources. A mutant is one file changed in it; of a program only the
objects that read this file are compiled anew, as the build tree does it, and linked with the build
tree's other ones.
"""
import hashlib
import json
import math
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from mutants import LIBRARY, read, write

SECONDS_TO_COMPILE = 600
MEMORY = 3_000_000_000


@dataclass
class Ended:
    code: int
    stopped: bool  # by us: its time was over, or `stop` was set
    seconds: float  # of the processor
    out: str
    err: str


def run(words, folder, stop, seconds=math.inf, memory=MEMORY):
    """A program with a group of its own, which ends with it and with us."""
    limits = ["setpriv", "--pdeathsig", "KILL", "prlimit", f"--as={memory}"]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen([*limits, *words], cwd=folder, stdin=subprocess.DEVNULL,
                                 stdout=out, stderr=err, start_new_session=True)
        last, stopped, pid = time.monotonic() + seconds, False, 0
        while not pid:
            if not stopped and (stop.is_set() or time.monotonic() > last):
                stopped = True
                os.killpg(child.pid, signal.SIGKILL)
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            time.sleep(0 if pid else 0.01)
        child.returncode = os.waitstatus_to_exitcode(status)
        texts = [os.pread(file.fileno(), 1 << 24, 0).decode(errors="replace")
                 for file in (out, err)]
        return Ended(child.returncode, stopped, usage.ru_utime + usage.ru_stime, *texts)


def output_of(words, folder):
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if ended.returncode != 0:
        raise RuntimeError(f"{words[0]}: {ended.stderr or ended.stdout}")
    return ended.stdout


def found(text, pattern, otherwise):
    """What a regular expression finds first, its first group; else what is said instead."""
    match = re.search(pattern, text)
    return match[1] if match else otherwise


def failed_test(output):
    return found(output, r"\[  FAILED  \] ([^ ,\n]+)", "ended before its summary")


@dataclass
class Object:
    compile: str  # for the shell; without what the output is called
    reads: set = field(default_factory=set)  # files of the project: "lib/embedscale/attention.hpp"


@dataclass
class Program:
    name: str  # "attention_test"
    path: Path  # of the one that the build tree has
    objects: list  # that it is linked from, with what it takes of the project's archives
    link: list  # without them and without what the output is called


def _link_in(words):
    """Of ": && c++ … -o bin/a_test … && …", what links a program that judges; else nothing."""
    if len(words) < 3 or words[0] != ":":
        return []
    link = words[2:words.index("&&", 2)]
    first = next((word for word in link if word.endswith(".o")), "")
    return link if first.startswith("properties/") and "gtest" in " ".join(link) else []


class BuildGraph:
    """Asks ninja about the build tree, and the linker about what it takes from archives.

    The programs that judge are those of properties/ that link GoogleTest. Those of analyses/ do
    not: their pages pin numbers, and a pinned number notices any change without saying which is
    right.
    """

    def __init__(self, project, build, scratch):
        self.project, self.build = project.resolve(), build.resolve()
        self.objects, archives, links = {}, {}, {}
        for edge in json.loads(output_of(["ninja", "-t", "compdb"], build)):
            output, words = edge["output"], edge["command"].split()
            if output.endswith(".o"):
                self.objects[output] = Object(
                    re.sub(r"^\S*ccache | -MD| -M[TF] \S+| -o \S+", "", edge["command"]))
            elif output.endswith(".a"):
                archives[output] = [word for word in words if word.endswith(".o")]
            elif link := _link_in(words):
                links[output] = link
        self._read_dependencies()
        self.programs = [self._traced(output, link, archives, scratch)
                         for output, link in sorted(links.items())]

    def _read_dependencies(self):
        """Lines of "ninja -t deps": "object: #deps …", below it, indented, a file each."""
        known, reads = {}, None  # a path as it is written, and in the project
        for line in output_of(["ninja", "-t", "deps"], self.build).splitlines():
            if not line.startswith(" "):
                of = self.objects.get(line.split(": #deps")[0])
                reads = set() if of is None else of.reads
                continue
            path = line.strip()
            if path not in known:
                whole = os.path.normpath(self.build / path)
                inside = whole.startswith(f"{self.project}/")
                known[path] = os.path.relpath(whole, self.project) if inside else None
            if known[path]:
                reads.add(known[path])

    def _traced(self, output, link, archives, scratch):
        """Archives are given to the linker as thin ones, whose members it names by their paths."""
        at = link.index("-o")
        link = link[:at] + link[at + 2:]
        rest = [word for word in link if not word.endswith(".o") and word not in archives]
        for i, word in enumerate(link):
            if word not in archives:
                continue
            link[i] = thin = str(scratch / Path(word).name)
            if not Path(thin).exists():
                members = [str(self.build / member) for member in archives[word]]
                output_of(["ar", "qcT", thin, *members], self.build)
        traced = output_of([*link, "-Wl,--trace", "-o", str(scratch / "traced")], self.build)
        objects = [os.path.relpath(self.build / line, self.build) for line in traced.splitlines()]
        return Program(Path(output).name, self.build / output,
                       [one for one in objects if one in self.objects], rest)

    def readers(self, program, file):
        """The objects of a program that read a file of the project."""
        return {one for one in program.objects if file in self.objects[one].reads}

    def fingerprint(self, file):
        """Of all that decides what becomes of the mutants of a file of the project: every source
        that goes into a program which reads it."""
        sources = {source for program in self.programs if self.readers(program, file)
                   for one in program.objects for source in self.objects[one].reads}
        digest = hashlib.sha256()
        for source in sorted(sources):
            digest.update(f"{source}\n{read(self.project / source)}".encode())
        return digest.hexdigest()[:16]


class Judge:
    def __init__(self, graph, scratch, workers, stop):
        self.graph, self.scratch, self.stop = graph, scratch, stop
        self.lock, self.unmutated = threading.Lock(), {}  # seconds by the clock
        for worker in range(workers):
            for folder in ("lib", "properties"):
                shutil.copytree(graph.project / folder, scratch / str(worker) / folder)

    def in_order_for(self, file, known):
        """The programs that read a file, the most kills in a second first, as far as is known."""
        kills, seconds = defaultdict(float), defaultdict(float)
        for result in known:
            if result["id"].split("#")[0] != file:
                continue
            for program, taken in result["tried"]:
                seconds[program] += taken
            if result["fate"] in ("killed", "timed out"):
                kills[result["tried"][-1][0]] += 1
        # Before anything is known: a source that is read takes 0.1 s; a program named after the
        # file's topic kills, of others one in twenty.
        rated = []
        for program in self.graph.programs:
            readers = self.graph.readers(program, LIBRARY + file)
            sources = sum(len(self.graph.objects[one].reads) for one in readers)
            likely = 1 if any(Path(file).stem in one for one in readers) else 0.05
            if sources > 0:
                rated.append(((kills[program.name] + likely) /
                              (seconds[program.name] + 0.1 * sources), program))
        return [program for _, program in sorted(rated, key=lambda pair: -pair[0])]

    def judge(self, mutant, programs, worker):
        """What becomes of a mutant; None when stopped. `worker` may judge one at a time.

        killed: a test failed, or a static_assert of one; timed out: a test program took ten times
        its time and more; survived: every test program that reads the file passed; invalid: does
        not compile.
        """
        copy = self.scratch / str(worker)
        file = copy / LIBRARY / mutant.file
        original = read(file)
        shutil.rmtree(copy / "objects", ignore_errors=True)
        write(file, mutant.edit.applied(original))
        result = {"id": mutant.id, "fate": "survived", "by": "", "tried": []}
        for program in programs:
            seconds = self._compile(program, mutant, copy, result)
            if result["fate"] == "survived":
                seconds += self._run(program, copy, result)
            if self.stop.is_set():
                return None
            result["tried"].append([program.name, round(seconds, 3)])
            if result["fate"] != "survived":
                break
        write(file, original)
        return result

    def _compile(self, program, mutant, copy, result):
        """Makes `copy`/program. What a static_assert of a test refuses is killed, what else does
        not compile is invalid; what has been compiled for another program is there."""
        commands, objects = [], []
        readers = self.graph.readers(program, LIBRARY + mutant.file)
        sources = re.compile(re.escape(str(self.graph.project)) + r"(?=/lib\b|/properties\b|\s|$)")
        for one in program.objects:
            mutated = copy / "objects" / one
            objects.insert(0, str(mutated) if one in readers else one)
            if one in readers and not mutated.exists():
                mutated.parent.mkdir(parents=True, exist_ok=True)
                command = sources.sub(str(copy), self.graph.objects[one].compile)
                commands.append(["/bin/sh", "-c", f"exec {command} -w -o {mutated}"])
        link = program.link
        commands.append([link[0], *objects, *link[1:], "-o", str(copy / "program")])
        seconds = 0
        for words in commands:
            ended = run(words, self.graph.build, self.stop, SECONDS_TO_COMPILE)
            seconds += ended.seconds
            if ended.code == 0:
                continue
            asserted = re.search("/properties/[^\n]*error: (?:static assertion failed|"
                                 "non-constant condition for static)", ended.err)
            result["fate"] = "killed" if asserted else "invalid"
            result["by"] = (f"{program.name} a static_assert" if asserted else
                            found(ended.err, "(error: [^\n]{0,150})", "no compiler's error"))
            break
        return seconds

    def _run(self, program, copy, result):
        ended = run([str(copy / "program"), "--gtest_brief=1", "--gtest_fail_fast"], copy,
                    self.stop, 10 * self._seconds_unmutated(program) + 10)
        if ended.stopped or ended.code != 0:
            result["fate"] = "timed out" if ended.stopped else "killed"
            result["by"] = program.name + ("" if ended.stopped else " " + failed_test(ended.out))
        return ended.seconds

    def _seconds_unmutated(self, program):
        with self.lock:
            if program.name not in self.unmutated:
                begin = time.monotonic()
                ended = run([str(program.path), "--gtest_brief=1"], self.scratch, self.stop)
                if ended.code != 0 and not self.stop.is_set():
                    raise RuntimeError(
                        f"{program.name} fails unmutated: {failed_test(ended.out)}")
                self.unmutated[program.name] = time.monotonic() - begin
            return self.unmutated[program.name]
