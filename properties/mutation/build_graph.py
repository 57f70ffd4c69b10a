"""What the build tree knows: which test programs there are, from which object files each is linked,
which sources an object file reads, and how both are made."""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess

from mutants import LIBRARY

# What the compiler is given beside how it compiles.
NOT_COMPILING = re.compile(r"^\S*ccache | -MD| -M[TF] \S+| -o \S+")


class Failure(Exception):
    """It cannot be tried; in words for a person."""


@contextlib.contextmanager
def locked(path, how=fcntl.LOCK_EX):
    """For one process at a time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8") as file:
        fcntl.flock(file, how)
        yield


def write(path, text):
    """Whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def output_of(words, folder):
    ended = subprocess.run(words, cwd=folder, capture_output=True, encoding="utf-8",
                           errors="replace")
    if ended.returncode != 0:
        raise Failure(f"{words[0]}: {ended.stderr or ended.stdout}")
    return ended.stdout


def link_in(words):
    """Of ": && c++ … -o bin/a_test … && …", what links a program that judges; else nothing."""
    if len(words) < 3 or words[0] != ":" or "&&" not in words[2:]:
        return []
    link = words[2:words.index("&&", 2)]
    first = next((word for word in link if word.endswith(".o")), "")
    judges = any("gtest" in word for word in link) and first.startswith("properties/")
    return link if judges else []


class BuildTree:
    """Asks ninja about the build tree, and the linker about what it takes from archives.

    The programs that judge are the tests of properties/ that link GoogleTest. Those of analyses/ do
    not take part: their pages pin numbers, and a pinned number notices any change without saying
    which one is right.

    It has to be current and CMake's, for Ninja, the linker to have --trace, paths to be without
    blanks."""

    def __init__(self, project, build, scratch):
        self.project, self.build, self.scratch = project, build, scratch
        self.compile, self.archives, links = {}, {}, {}
        for edge in json.loads(output_of(["ninja", "-t", "compdb"], build)):
            output, words = edge["output"], edge["command"].split()
            if output.endswith(".o"):
                self.compile[output] = NOT_COMPILING.sub("", edge["command"])
            elif output.endswith(".a"):
                self.archives[output] = [word for word in words if word.endswith(".o")]
            elif output.endswith("_test") and (link := link_in(words)):
                links[output] = link
        self.reads = self._dependencies()
        self.programs = [self._traced(output, links[output]) for output in sorted(links)]

    def _dependencies(self):
        """The files of the project that each object reads: of lines of "ninja -t deps", "object:
        #deps …" and below it, indented, a file each."""
        known, reads = {}, {}
        for line in output_of(["ninja", "-t", "deps"], self.build).splitlines():
            path = line.strip()
            if path and not line.startswith(" "):
                files = reads.setdefault(line.partition(": #deps")[0], set())
            elif path:
                if path not in known:
                    relative = os.path.relpath(os.path.realpath(self.build / path), self.project)
                    outside = os.path.isabs(path) and not path.startswith(str(self.project))
                    known[path] = "" if outside else relative
                files.add(known[path])
        return {output: files - {""} for output, files in reads.items()}

    def _traced(self, output, link):
        """The archives are given to the linker as thin ones, whose members it names by path."""
        named = link.index("-o")
        link = link[:named] + link[named + 2:]
        traced = []
        for word in link:
            thin = self.scratch / os.path.basename(word)
            if word in self.archives and not thin.exists():
                members = [self.build / member for member in self.archives[word]]
                output_of(["ar", "qcT", thin, *members], self.build)
            traced.append(thin if word in self.archives else word)
        told = output_of([*traced, "-Wl,--trace", "-o", self.scratch / "traced"], self.build)
        objects = [os.path.relpath(self.build / line, self.build) for line in told.splitlines()]
        return {"name": os.path.basename(output), "path": str(self.build / output),
                "objects": [one for one in objects if one in self.compile],
                "link": [word for word in link
                         if not word.endswith(".o") and word not in self.archives]}

    def judging(self):
        """What a judge has to know, as JSON."""
        hashes, files = {}, {}
        for file in sorted({file for one in self.programs for file in self._sources(one)}):
            hashes[file] = hashlib.sha256((self.project / file).read_bytes()).hexdigest()
        for file in (one.removeprefix(LIBRARY + "/") for one in hashes
                     if one.startswith(LIBRARY + "/")):
            readers = [one for one in self.reads if f"{LIBRARY}/{file}" in self.reads[one]]
            of = sorted({source for one in self.programs if set(readers) & set(one["objects"])
                         for source in self._sources(one)})
            told = "".join(f"{source} {hashes[source]}\n" for source in of)
            files[file] = {"of": hashlib.sha256(told.encode()).hexdigest()[:16],
                           "readers": readers}
        return {"project": str(self.project), "build": str(self.build), "files": files,
                "programs": self.programs, "compile": self.compile,
                "sources": {output: len(files) for output, files in self.reads.items()}}

    def _sources(self, program):
        return set().union(*(self.reads[one] for one in program["objects"] if one in self.reads))


@contextlib.contextmanager
def not_running(path):
    """While nobody makes parts by this lock of theirs."""
    try:
        with locked(path, fcntl.LOCK_EX | fcntl.LOCK_NB):
            yield
    except BlockingIOError:
        raise Failure("another one is running, on what this build tree was") from None


def graph_of(project, build, scratch, say):
    """What the build tree knows, and a copy of the sources, so that what is edited from here on
    does not matter. Both are kept in `scratch` until the tree is built anew."""
    with locked(scratch.with_suffix(".lock")):
        current = [(build / file).stat().st_mtime_ns for file in ("build.ninja", ".ninja_deps")]
        kept = scratch / "graph.json"
        if kept.exists() and (graph := json.loads(kept.read_text()))["current"] == current:
            return graph
        with not_running(build / "parts/mutation" / f"{scratch.name}.lock"):
            say()
            shutil.rmtree(scratch, ignore_errors=True)
            for folder in ("lib", "properties"):
                shutil.copytree(project / folder, scratch / "sources" / folder)
            graph = {**BuildTree(project, build, scratch).judging(), "current": current}
            write(kept, json.dumps(graph))
        return graph
