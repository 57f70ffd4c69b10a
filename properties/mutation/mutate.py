#!/usr/bin/env python3
"""Changes the library, one small thing at a time, and asks whether a test notices: ./dev mutate.

What has been judged is kept in mutation/results.jsonl of the build tree; the same command goes on
from there. README.md says how it is judged and what the numbers mean.

Exit codes: 0 at least 95 % killed of those not argued equivalent, and no survivor unexplained; 1
not so, or one argued equivalent was killed; 2 usage; 3 it could not be tried; 130 interrupted.
"""
import sys

sys.dont_write_bytecode = True  # there is no place for a cache among the sources

import argparse
import collections
import fcntl
import json
import math
import os
import pathlib
import re
import shutil
import signal
import threading
import time

import operators
import score
from judge import LIBRARY, BuildGraph, Failure, Judge, stop


class Stream:
    """embedscale::Stream: Philox4x64-10 (Salmon et al. 2011), a draw is a function of its index."""

    def __init__(self, seed, name):
        self.key = seed, operators.hash_of(name)

    def bits(self, index):
        counter, key = (index, 0, 0, 0), self.key
        for _ in range(10):
            one, other = counter[0] * 0xD2E7470EE14C6C93, counter[2] * 0xCA5A826395121157
            counter = ((other >> 64) ^ counter[1] ^ key[0], other % 2**64,
                       (one >> 64) ^ counter[3] ^ key[1], one % 2**64)
            key = ((key[0] + 0x9E3779B97F4A7C15) % 2**64, (key[1] + 0xBB67AE8584CAA73B) % 2**64)
        return counter[0]

    def uniform(self, index):
        return ((self.bits(index) >> 12) + 0.5) * 2.0**-52

    def below(self, n, index):
        return ((self.bits(index) >> 32) * n) >> 32


def in_sampling_order(mutants, seed):
    """The order in which they are tried, a function of them and the seed: every beginning of it is
    a stratified sample (README.md says how)."""
    strata, keyed = collections.defaultdict(list), []
    for mutant in mutants:
        strata[mutant.file, operators.OPERATORS.index(mutant.edit.operator)].append(mutant)
    for (file, place), members in sorted(strata.items()):
        stream = Stream(seed, f"mutation {file} {operators.OPERATORS[place]}")
        for last in range(len(members) - 1, 0, -1):  # Fisher and Yates
            other = stream.below(last + 1, last)
            members[last], members[other] = members[other], members[last]
        shift = stream.uniform(0)
        keyed += [((rank + shift) / len(members), mutant) for rank, mutant in enumerate(members)]
    return [mutant for _, mutant in sorted(keyed, key=lambda pair: pair[0])]


def difference(mutant):
    """A mutant for people."""
    text = (f"{mutant.file}:{mutant.line}:{mutant.column} {mutant.edit.operator}  {mutant.id}\n"
            f"  - {mutant.before}\n  + {mutant.after}\n")
    return text.encode("latin-1").decode()


def equivalents_of(text):
    """Mutants argued to be no change at all, by their ids, with the reason: an id in a line of its
    own, the reason indented below it; lines that begin with # are comments."""
    argued = {}
    text = re.sub(r"^#.*", "", text, flags=re.M)
    entry = re.compile(r"^(\S+#\w+)((?:\n +[^\n]+)+)", re.M)
    for found in entry.finditer(text):
        if found[1] in argued:
            raise Failure(f"equivalent mutants: twice: {found[1]}")
        argued[found[1]] = " ".join(found[2].split())
    if rest := " ".join(entry.sub("", text).split()):
        raise Failure(f"equivalent mutants: neither an id nor its reason: {rest}")
    return argued


def kept_in(file):
    """All results that a file keeps; a line that a killed run has left unfinished is ended, and is
    none."""
    kept = []
    for line in file.read_text().splitlines(keepends=True) if file.exists() else []:
        try:
            kept.append(json.loads(line))
        except ValueError:
            pass
        if not line.endswith("\n"):
            with file.open("a") as out:
                out.write("\n")
    return kept


class Run:
    """Judges mutants in their order, keeps what it finds, shows how far it is."""

    def __init__(self, options, order, argued, folder):
        self.order, self.argued, self.jobs = order, argued, options.jobs
        self.goal = min(options.sample or len(order), len(order))
        self.seconds = 60 * options.minutes  # none is started later
        self.file, scratch = folder / "results.jsonl", folder / "scratch"
        self.known = kept_in(self.file)
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        self.scratch, self.graph = scratch, BuildGraph(options.project, options.build, scratch)
        self.judge = Judge(self.graph, scratch, self.jobs)
        # What is edited from here on does not matter.
        self.made_from = {file: self.graph.fingerprint(LIBRARY + file)
                          for file in {mutant.file for mutant in order}}
        self.begin, self.is_terminal = time.monotonic(), sys.stderr.isatty()
        self.lock, self.failure = threading.Lock(), None  # of what follows, known and the file
        self.next, self.judged, self.done, self.news = 0, 0, [], ""

    def results(self):
        """What became of a beginning of the order; where it was stopped, of fewer."""
        workers = [threading.Thread(target=self.work, args=[k]) for k in range(self.jobs)]
        for worker in workers:
            worker.start()
        pause = 1 if self.is_terminal else 30
        self.show()
        for worker in workers:
            while worker.is_alive():
                worker.join(pause)
                if worker.is_alive():
                    self.show()
        self.show()
        if self.is_terminal:
            print(file=sys.stderr)
        shutil.rmtree(self.scratch)
        if self.failure:
            raise self.failure
        return self.done

    def work(self, worker):
        try:
            while mutant := self.next_one():
                with self.lock:
                    programs = self.judge.in_order_for(mutant.file, self.known)
                result = self.judge.judge(mutant, programs, worker)
                if result is None:
                    return
                result["made_from"] = self.made_from[mutant.file]
                with self.lock:
                    with self.file.open("a") as out:
                        out.write(json.dumps(result) + "\n")
                    self.known.append(result)
                    self.judged += 1
                    self.finish(mutant, result)
        except Exception as error:
            self.failure = self.failure or error
            stop.set()

    def next_one(self):
        """The next one of which nothing is known. What has been started is finished: who stopped at
        the clock would drop the slow ones, which are the survivors."""
        with self.lock:
            kept = {(result["id"], result["made_from"]): result for result in self.known}
            while self.next < self.goal:
                mutant = self.order[self.next]
                result = kept.get((mutant.id, self.made_from[mutant.file]))
                if result is None:
                    break
                self.finish(mutant, result)
                self.next += 1
            if self.next == self.goal or self.elapsed() >= self.seconds or stop.is_set():
                return None
            self.next += 1
            return self.order[self.next - 1]

    def finish(self, mutant, result):
        self.done.append(result)
        if result["fate"] == "survived" and mutant.id not in self.argued:
            self.news += "survived: " + difference(mutant)

    def elapsed(self):
        return time.monotonic() - self.begin

    def seconds_left(self):
        """What the remaining ones take at the rate so far, no longer than there is time."""
        remaining = self.goal - len(self.done)
        rate = self.elapsed() / self.judged if self.judged else math.inf
        return max(0, min(rate * remaining if remaining else 0, self.seconds - self.elapsed()))

    def show(self):
        """A line, which a terminal shows in its last one, below the survivors."""
        with self.lock:
            line = score.progress(score.counts_of(self.done, self.argued), self.goal,
                                  self.seconds_left())
            news, self.news = self.news, ""
        print("\r\x1b[K" * self.is_terminal + news + line, end="" if self.is_terminal else "\n",
              file=sys.stderr, flush=True)


def all_mutants(folder):
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".hpp", ".cpp"))
    return [mutant for path in files for mutant in operators.mutants_of(
        path.relative_to(folder).as_posix(), path.read_text("latin-1"))]


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="mutate", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    here = pathlib.Path(__file__).resolve().parents[2]
    add = parser.add_argument
    add("--project", type=pathlib.Path, default=here, help="the project's directory")
    add("--build", type=pathlib.Path, help="its build tree, which is current; build/release")
    add("--minutes", type=float, help="start no mutant after so many, 25; no limit where it is "
        "said what to try")
    add("--sample", type=int, help="try so many, in their order")
    add("--all", action="store_true", help="try all, without limit")
    add("--equivalents", action="store_true", help="try those that are argued equivalent")
    add("--header", action="append", default=[], help="only mutants of this file, attention.hpp")
    add("--id", action="append", default=[], help="only this mutant")
    add("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="at a time")
    add("--seed", type=int, default=0, help="of the order")
    add("--list", action="store_true", help="print the mutants in their order and try none")
    add("--record", action="store_true", help="write the result to properties/mutation/score.json")
    options = parser.parse_args(arguments)
    options.project = options.project.resolve()
    options.build = (options.build or options.project / "build/release").resolve()
    for folder in (options.project, options.build):
        if not folder.is_dir():
            parser.error(f"no directory: {folder}")
    if options.minutes is None:
        chosen = options.all or options.equivalents or options.id or options.sample
        options.minutes = math.inf if chosen else 25
    if options.minutes < 0 or options.jobs < 1:
        parser.error("--minutes and --jobs are not below 0 and 1")
    return parser, options


def mutate(arguments):
    parser, options = options_of(arguments)
    here = options.project / "properties/mutation"
    every = all_mutants(options.project / LIBRARY)
    argued = equivalents_of((here / "equivalent.txt").read_text())
    order = [mutant for mutant in in_sampling_order(every, options.seed)
             if (not options.equivalents or mutant.id in argued)
             and (not options.header or mutant.file in options.header)
             and (not options.id or mutant.id in options.id)]
    if not order:
        parser.error("--id, --header: there is no such mutant")
    if options.list:
        print("".join(map(difference, order)), end="")
        return 0
    folder = options.build / "mutation"
    folder.mkdir(exist_ok=True)
    try:
        fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Failure("another one is running") from None
    print(f"{len(order)} mutants; asking how the tests are built", file=sys.stderr, flush=True)
    results = Run(options, order, argued, folder).results()
    if stop.is_set():
        print("interrupted; what was judged is kept, the same command goes on", file=sys.stderr)
        return 130
    found = score.score(results, order, argued, options.seed)
    print(score.summary(found), end="")
    if options.record:
        (here / "score.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    gone = set(argued) - {mutant.id for mutant in every}
    for one in sorted(gone):
        print(f"\nargued equivalent, but there is no such mutant (any more): {one}")
    return 0 if score.passes(found) and not gone else 1


def main(arguments):
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    try:
        return mutate(arguments)
    except (Failure, OSError) as error:
        print(f"mutate: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
