#!/usr/bin/python3 -B
"""Makes the reports in every way that must not matter (compiler, optimisation, the instructions
that the C library may use, threads) and compares each with the committed ones, byte for byte:
./dev identity. What differs before rounding is told, too.

Exit codes: 0 the same bytes, 1 not, 2 usage or a program that fails, 3 input or output."""

import argparse
import concurrent.futures
import ctypes
import hashlib
import json
import math
import os
import pathlib
import platform
import subprocess
import sys
import time
from dataclasses import dataclass

import compare

MOST_DIFFERENCES, KEPT_MARGINS = 20, 5
DIGITS = 2
THREADS = (2, 1)

# What the C library may use of the processor, by GLIBC_TUNABLES: it has other versions of exp, sin
# and pow for processors with a fused multiply-add, which round otherwise. The default first. The
# names are those of glibc since 2.33; unknown ones are ignored in silence, so `other_functions`
# looks at what they do.
INSTRUCTIONS = {"default": None, "no FMA": "glibc.cpu.hwcaps=-FMA",
                "no AVX2, no FMA": "glibc.cpu.hwcaps=-AVX2,-FMA"}

# The functions of the C library that the reports rest on, those of two arguments with a second.
DOUBLES = {"atan": (), "atan2": (1.7,), "cos": (), "erf": (), "erfc": (), "exp": (), "expm1": (),
           "lgamma": (), "log": (), "log1p": (), "log2": (), "pow": (-0.37,), "sin": (), "sqrt": (),
           "tan": (), "tanh": ()}
FLOATS = {"cosf": (), "expf": (), "logf": (), "powf": (-0.37,), "sinf": ()}


def say(text):
    print(text, file=sys.stderr, flush=True)


def hash_of(data):
    return hashlib.sha256(data).hexdigest()[:16]


def function_bits():
    """A line for each function of the C library: its name, a hash of its results at some thousand
    arguments."""
    library = ctypes.CDLL("libm.so.6")
    lines = []
    for functions, real in ((DOUBLES, ctypes.c_double), (FLOATS, ctypes.c_float)):
        for name, second in functions.items():
            function = library[name]
            function.argtypes, function.restype = [real] * (1 + len(second)), real
            bits = b"".join(real(function((i + 0.5) * 0.0173, *second)) for i in range(4096))
            lines.append(f"{name} {hash_of(bits)}\n")
    return "".join(lines)


def environment(instructions):
    """That of a program which may use these."""
    told = {name: value for name, value in os.environ.items() if name != "GLIBC_TUNABLES"}
    if INSTRUCTIONS[instructions]:
        told["GLIBC_TUNABLES"] = INSTRUCTIONS[instructions]
    return told


def other_functions(instructions):
    """Those of the C library's functions that give other bits than by default."""
    standard, these = (subprocess.run([sys.executable, "-B", __file__, "--functions"], check=True,
                                      env=environment(name), capture_output=True,
                                      text=True).stdout.splitlines()
                       for name in ("default", instructions))
    return [a.split()[0] for a, b in zip(standard, these, strict=True) if a != b]


def written(path, text):
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@dataclass(frozen=True)
class Way:
    build: str  # the analyses as one compiler made them at one level: "g++ -O1"
    folder: pathlib.Path  # its build tree
    instructions: str
    threads: int

    def name(self):
        """"g++ -O1, no FMA, 1 thread"."""
        return (f"{self.build}, {self.instructions}, {self.threads} "
                f"thread{'' if self.threads == 1 else 's'}")

    def changed(self, first):
        """In what it differs from the first: "compiler, threads", "" for the first itself."""
        def axes(way):
            words = way.build.split(" ")
            return {"compiler": words[0], "optimisation": words[-1],
                    "instructions": way.instructions, "threads": way.threads}

        return ", ".join(axis for axis, of in axes(self).items() if of != axes(first)[axis])


class Making:
    """The reports of one way. What is finished is kept, by topic, with a hash of what it was made
    of."""

    def __init__(self, way, project, kept):
        self.way, self.project, self.folder = way, project, kept / way.name()
        self.reports = self.folder / "reports"
        self.record = project / "properties/record.json"

    def values(self, topic):
        return self.folder / "unrounded" / f"{topic}.jsonl"

    def words(self, topic):
        return self.project / "analyses" / topic / "words.md"

    def stamp(self, topic):
        return self.folder / "made_from" / f"{topic}.txt"

    def made_from(self, topic):
        # What runs over every case found, which pages read as well.
        files = (self.way.folder / "bin/analyses", self.words(topic), self.record,
                 self.project / "properties/exhaustive.json",
                 *sorted((self.project / "analyses/systems").iterdir()))
        return hash_of("".join(hash_of(file.read_bytes())
                               for file in files if file.exists()).encode()) + "\n"

    def is_made(self, topic):
        return self.stamp(topic).exists() and self.stamp(topic).read_text() == self.made_from(topic)

    def run(self, what, program, *arguments):
        ended = subprocess.run([self.way.folder / "bin" / program, *arguments], cwd=self.project,
                               env=environment(self.way.instructions), stdin=subprocess.DEVNULL,
                               capture_output=True, text=True)
        if ended.returncode != 0:
            raise RuntimeError(f"{what} of {self.way.name()}: ends with {ended.returncode}: "
                               f"{ended.stderr}")

    def make(self, topic):
        self.stamp(topic).unlink(missing_ok=True)
        self.run(topic, "analyses", topic, "--words", self.words(topic), "--evidence", self.record,
                 "--out", self.reports, "--unrounded", self.values(topic), "--jobs",
                 str(self.way.threads), "--quiet")
        written(self.stamp(topic), self.made_from(topic))

    def make_all(self, topics):
        """Makes what is not kept, as many topics at a time as there are processors for; and merges
        their pages."""
        at_a_time = max(1, len(os.sched_getaffinity(0)) // self.way.threads)
        with concurrent.futures.ThreadPoolExecutor(at_a_time) as pool:
            made = [pool.submit(self.make, topic) for topic in topics if not self.is_made(topic)]
            try:
                for n, one in enumerate(concurrent.futures.as_completed(made), 1):
                    one.result()
                    say(f"{self.way.name()}: {n} of {len(made)} topics are made")
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        of = ("--project", self.project, "--out", self.folder)
        python = (sys.executable, "-B")
        self.run("the answer", *python, self.project / "analyses/answer.py", *of, "--programs",
                 self.way.folder / "bin")
        self.run("what others quote", *python, self.project / "analyses/cite/publication.py", *of)

    def compiler(self):
        """What made it, as its programs tell."""
        return json.loads((self.reports / "provenance.json").read_text())["compiler"]


@dataclass
class Tried:
    """One way of making the reports, and what came of it."""
    way: Way
    compiler: str  # its version
    differences: list
    apart: compare.Apart  # before rounding, from the way that is first

    def told(self, is_first):
        """In lines for people."""
        count = len(self.differences)
        lines = [f"{self.way.name()}: " + (f"{count} differences" if count else "the same bytes")]
        if not is_first and self.apart.values > 0:
            lines[0] += (f"; before rounding {self.apart.differ} of {self.apart.values} values "
                         f"differ, by {self.apart.largest:.2g} at most")
        for one in self.differences[:MOST_DIFFERENCES]:
            apart = f" (relative difference {one.relative:.2g})" if one.relative > 0 else ""
            lines.append(f"{one.file}: {one.row}: {one.committed} committed, {one.made} made"
                         + apart)
        if count > MOST_DIFFERENCES:
            lines.append(f"and {count - MOST_DIFFERENCES} more")
        return "\n".join(lines)

    def to_json(self, first):
        return {"way": self.way.name(), "changed": self.way.changed(first),
                "build": self.way.build, "instructions": self.way.instructions,
                "threads": self.way.threads, "version": self.compiler,
                "files_that_differ": len({one.file for one in self.differences}),
                "rows_that_differ": len(self.differences),
                "values_that_differ": self.apart.differ, "largest": number(self.apart.largest),
                "where": self.apart.where}


def number(x):
    return float(f"{x:.{DIGITS - 1}e}") if math.isfinite(x) else "∞"


def reports_hash(reports):
    """That of all files that are compared: of which reports the record tells."""
    return hash_of("".join(f"{file} {hash_of((reports / file).read_bytes())}\n"
                           for file in compare.compared_files(reports)).encode())


def record(reports, tried, margins, functions):
    """What was found, as it is committed: the page about the checks shows it."""
    files = compare.compared_files(reports)
    differences = [{"way": one.way.name(), **vars(difference),
                    "relative": number(difference.relative)}
                   for one in tried for difference in one.differences]
    nearest = [{"quantity": one.quantity, "place": one.place, "value": one.value,
                "digits": one.digits, "moved": number(one.moved),
                "distance": number(one.distance), "times": number(one.times)}
               for one in margins.nearest(KEPT_MARGINS)]
    return {"reports": reports_hash(reports), "libc": platform.libc_ver()[1],
            "pages": sum(file.suffix == ".md" for file in files), "files": len(files),
            "rows": compare.count_rows(reports), "values": tried[-1].apart.values,
            "values_that_differ": len(margins.all), "functions": functions,
            "tried": [one.to_json(tried[0].way) for one in tried], "nearest": nearest,
            "differences": differences[:MOST_DIFFERENCES]}


def look_at_functions(ways):
    """What each of the instructions does on this machine."""
    found = []
    for instructions in INSTRUCTIONS:
        if INSTRUCTIONS[instructions] and any(way.instructions == instructions for way in ways):
            others = other_functions(instructions)
            found.append({"instructions": instructions, "other_bits": others})
            say(f"{instructions}: {len(others)} functions of the C library give other bits"
                + ("" if others else ": nothing is tried by it on this machine"))
    return found


def all_ways(builds, only):
    """All with these in their name, the way in which the reports are made by default first."""
    every = (Way(name, folder.absolute(), instructions, threads)
             for name, folder in builds for instructions in INSTRUCTIONS for threads in THREADS)
    ways = [way for way in every if all(part in way.name() for part in only)]
    if not ways:
        raise ValueError("--only: no way is called so")
    return ways


def identity(asked):
    project, kept = asked.project.absolute(), asked.kept.absolute()
    committed = project / "reports"
    makings = [Making(way, project, kept) for way in all_ways(asked.build, asked.only)]
    functions = look_at_functions([making.way for making in makings])
    tried, margins, begin = [], compare.Margins(), time.monotonic()
    for n, making in enumerate(makings):
        left = (time.monotonic() - begin) / n * (len(makings) - n) / 60 if n else 0
        say(f"{making.way.name()} ({n + 1} of {len(makings)}) …"
            + (f" {left:.0f} min left" if n else ""))
        making.make_all(asked.topics)
        apart = compare.Apart()
        for topic in asked.topics:
            margins.add(apart, *(compare.read_values(one.values(topic))
                                 for one in (makings[0], making)))
        tried.append(Tried(making.way, making.compiler(),
                           compare.differences(committed, making.reports), apart))
        print(tried[-1].told(is_first=n == 0), flush=True)
    for one in margins.nearest(1):
        print(f"nearest to being written otherwise: {one.quantity} {one.place}, {one.value} to "
              f"{one.digits} digits: {one.distance:.2g} away, {one.times:.0f} times what it moves",
              flush=True)
    if asked.record:
        found = record(committed, tried, margins, functions)
        written(asked.record, json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    return 1 if any(one.differences for one in tried) else 0


def build(text):
    """"g++ -O1=build/release"."""
    name, equals, folder = text.rpartition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is no NAME=DIR")
    return name, pathlib.Path(folder)


def main():
    parser = argparse.ArgumentParser(prog="identity", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    path = pathlib.Path
    parser.add_argument("--project", type=path, default=path(), help="the project's directory")
    parser.add_argument("--topics", nargs="+", default=[], help="whose pages are made")
    parser.add_argument("--build", nargs="+", type=build, default=[], metavar="NAME=DIR",
                        help="a build tree with their programs")
    parser.add_argument("--kept", type=path, default=path(), help="keeps what is finished")
    parser.add_argument("--only", nargs="+", action="extend", default=[],
                        help="only ways with all of these in their name")
    parser.add_argument("--record", type=path, help="write what was found to this file")
    parser.add_argument("--functions", action="store_true",
                        help="print bits of the C library's functions")
    asked = parser.parse_args()
    try:
        if asked.functions:
            print(function_bits(), end="", flush=True)
            return 0
        return identity(asked)
    except OSError as error:
        say(f"identity: {error}")
        return 3
    except (RuntimeError, ValueError) as error:
        say(f"identity: {error}")
        return 2


if __name__ == "__main__":
    sys.exit(main())
