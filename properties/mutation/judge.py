"""Compiles and runs the test programs over mutants, by what the build tree knows of them."""
import collections
import hashlib
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import operators

LIBRARY = "lib/embedscale/"
SECONDS_TO_COMPILE = 600
# A child has bounded memory, and ends with the thread that started it, whatever ends that.
BOUNDS = ["prlimit", "--as=3000000000", "--core=0", "setpriv", "--pdeathsig", "KILL"]

stop = threading.Event()


class Failure(Exception):
    """It cannot be tried; the message is for people."""


Ended = collections.namedtuple("Ended", "code stopped processor_seconds out err")


def run(words, folder, seconds=math.inf):
    """Another program; its group is killed when its time is over or everything stops."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin, pause, stopped = time.monotonic(), 0.001, False
        child = subprocess.Popen([*BOUNDS, *map(str, words)], cwd=folder, stdout=out, stderr=err,
                                 stdin=subprocess.DEVNULL, start_new_session=True)
        while os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            if stopped := stop.is_set() or time.monotonic() - begin > seconds:
                break
            time.sleep(pause := min(2 * pause, 0.016))
        os.killpg(child.pid, signal.SIGKILL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
        return Ended(child.returncode, stopped, used.ru_utime + used.ru_stime, *texts)


def output_of(words, folder):
    ended = run(words, folder)
    if ended.code != 0 and not stop.is_set():
        raise Failure(f"{words[0]}: {ended.err or ended.out}")
    return ended.out


def first_match(pattern, text, otherwise):
    found = re.search(pattern, text)
    return found[1] if found else otherwise


def failed_test(output):
    return first_match(r"\[  FAILED  \] ([^ ,\n]+)", output, "ended before its summary")


class BuildGraph:
    """What the build tree knows: the test programs, from which object files each is linked, which
    sources an object file reads, and how both are made.

    The programs that judge are those of properties/ that link GoogleTest. Those of analyses/ do not
    take part: their pages pin numbers, and a pinned number notices any change without saying which
    one is right.
    """

    def __init__(self, project, build, scratch):
        self.project, self.build = project, build
        self.compile, self.reads = {}, collections.defaultdict(set)  # of object files
        self.objects, self.link = {}, {}  # of programs
        archives, links = {}, {}
        for edge in json.loads(output_of(["ninja", "-t", "compdb"], build)):
            words, output = edge["command"].split(), edge["output"]
            parts = [word for word in words if word.endswith(".o")]
            if output.endswith(".o"):
                self.compile[output] = re.sub(r"^\S*ccache | -MD| -M[TF] \S+| -o \S+", "",
                                              edge["command"])
            elif output.endswith(".a"):
                archives[output] = parts
            elif (words[:1] == [":"] and any("gtest" in word for word in words) and parts
                  and parts[0].startswith("properties/")):  # ": && c++ … -o bin/a_test … && …"
                links[output] = list(itertools.takewhile(lambda word: word != "&&", words[2:]))
        self.read_dependencies()
        for output, link in sorted(links.items()):
            self.trace(output, link, archives, scratch)

    def read_dependencies(self):
        """Lines of "object: #deps …", below it, indented, a file each; paths within the project."""
        known = {}
        for line in output_of(["ninja", "-t", "deps"], self.build).splitlines():
            if not line.startswith(" "):
                output = line.split(": #deps")[0]
                continue
            path = line.strip()
            if path not in known:
                whole = (self.build / path).resolve()
                inside = whole.is_relative_to(self.project)
                known[path] = str(whole.relative_to(self.project)) if inside else None
            if known[path] and output in self.compile:
                self.reads[output].add(known[path])

    def trace(self, output, link, archives, scratch):
        """Asks the linker what a program takes from archives: it is given thin ones, whose members
        it names by their paths."""
        where = link.index("-o")
        del link[where:where + 2]
        self.link[output] = [word for word in link
                             if not word.endswith(".o") and word not in archives]
        for place, word in enumerate(link):
            if word not in archives:
                continue
            thin = link[place] = str(scratch / pathlib.Path(word).name)
            if not os.path.exists(thin):
                output_of(["ar", "qcT", thin, *(self.build / part for part in archives[word])],
                          self.build)
        lines = output_of([*link, "-Wl,--trace", "-o", scratch / "traced"], self.build).splitlines()
        paths = (os.path.relpath(self.build / line, self.build) for line in lines)
        self.objects[output] = [path for path in paths if path in self.compile]

    def readers(self, program, file):
        """The objects of a program that read a file of the project."""
        return [part for part in self.objects[program] if file in self.reads[part]]

    def fingerprint(self, file):
        """Of all that decides what becomes of the mutants of a file: every source that goes into a
        program which reads it."""
        sources = set().union(*(self.reads[part] for program, parts in self.objects.items()
                                if self.readers(program, file) for part in parts))
        found = hashlib.sha256()
        for source in sorted(sources):
            found.update(f"{source}\n".encode() + (self.project / source).read_bytes())
        return found.hexdigest()[:16]


class Judge:
    """Compiles and runs the test programs over mutants.

    Each worker has a copy of the sources. A mutant is one file changed in it; of a program only the
    objects that read this file are compiled anew, as the build tree does it, and linked with the
    build tree's other ones.
    """

    def __init__(self, graph, scratch, workers):
        self.graph, self.scratch = graph, scratch
        self.lock, self.unmutated = threading.Lock(), {}  # seconds by the clock
        for worker, folder in itertools.product(range(workers), ("lib", "properties")):
            shutil.copytree(graph.project / folder, scratch / str(worker) / folder)

    def in_order_for(self, file, known):
        """The programs that read a file, the most kills in a second first, as far as is known."""
        kills, seconds = collections.Counter(), collections.Counter()
        for result in known:
            if result["id"].split("#")[0] != file:
                continue
            for program, taken in result["tried"]:
                seconds[program] += taken
            kills[result["tried"][-1][0]] += result["fate"] in ("killed", "timed out")
        # Before anything is known: a source that is read takes 0.1 s; a program named after the
        # file's topic kills, of others one in twenty.
        rates = {}
        for program in self.graph.objects:
            if readers := self.graph.readers(program, LIBRARY + file):
                name, topic = os.path.basename(program), pathlib.Path(file).stem
                likely = 1 if any(topic in reader for reader in readers) else 0.05
                sources = sum(len(self.graph.reads[reader]) for reader in readers)
                rates[program] = (kills[name] + likely) / (seconds[name] + 0.1 * sources)
        return sorted(rates, key=rates.get, reverse=True)

    def judge(self, mutant, programs, worker):
        """What becomes of a mutant; None when stopped. `worker` may judge one at a time."""
        copy = self.scratch / str(worker)
        file = copy / LIBRARY / mutant.file
        original = file.read_text("latin-1")
        shutil.rmtree(copy / "objects", ignore_errors=True)
        file.write_text(operators.applied(original, mutant.edit), "latin-1")
        result = {"id": mutant.id, "fate": "survived", "by": "", "tried": []}
        for program in programs:
            seconds = self.make(program, mutant, copy, result)
            if result["fate"] == "survived":
                seconds += self.try_on(program, copy, result)
            if stop.is_set():
                return None
            result["tried"].append([os.path.basename(program), round(seconds, 3)])
            if result["fate"] != "survived":
                break
        file.write_text(original, "latin-1")
        return result

    def make(self, program, mutant, copy, result):
        """Makes `copy`/program. What a static_assert of a test refuses is killed, what else does
        not compile is invalid; what has been compiled for another program is there."""
        commands, parts = [], []
        readers = self.graph.readers(program, LIBRARY + mutant.file)
        sources = re.escape(str(self.graph.project)) + r"(?=/lib\b|/properties\b|\s|$)"
        for part in self.graph.objects[program]:
            mutated = copy / "objects" / part
            parts.append(mutated if part in readers else part)
            if part not in readers or mutated.exists():
                continue
            mutated.parent.mkdir(parents=True, exist_ok=True)
            command = re.sub(sources, str(copy), self.graph.compile[part])
            commands.append(["/bin/sh", "-c", f"exec {command} -w -o {mutated}"])
        link = self.graph.link[program]
        commands.append([link[0], *parts, *link[1:], "-o", copy / "program"])
        seconds = 0
        for command in commands:
            ended = run(command, self.graph.build, SECONDS_TO_COMPILE)
            seconds += ended.processor_seconds
            if ended.code == 0:
                continue
            asserted = re.search(r"/properties/[^\n]*error: (static assertion failed|"
                                 "non-constant condition for static)", ended.err)
            result["fate"] = "killed" if asserted else "invalid"
            result["by"] = (f"{os.path.basename(program)} a static_assert" if asserted else
                            first_match(r"(error: [^\n]{0,150})", ended.err, "no compiler's error"))
            break
        return seconds

    def try_on(self, program, copy, result):
        ended = run([copy / "program", "--gtest_brief=1", "--gtest_fail_fast"], copy,
                    10 * self.seconds_unmutated(program) + 10)
        if ended.stopped or ended.code != 0:
            result["fate"] = "timed out" if ended.stopped else "killed"
            result["by"] = os.path.basename(program) + (
                "" if ended.stopped else " " + failed_test(ended.out))
        return ended.processor_seconds

    def seconds_unmutated(self, program):
        with self.lock:
            if program not in self.unmutated:
                begin = time.monotonic()
                ended = run([self.graph.build / program, "--gtest_brief=1"], self.scratch)
                if ended.code != 0 and not stop.is_set():
                    raise Failure(f"{os.path.basename(program)} fails unmutated: "
                                  + failed_test(ended.out))
                self.unmutated[program] = time.monotonic() - begin
            return self.unmutated[program]
