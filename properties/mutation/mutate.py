#!/usr/bin/env -S python3 -B
"""Changes the library, one small thing at a time: does a test notice?

What has been judged is kept in mutation/results.jsonl of the build tree; the same command goes on
from there. Exit codes: 0 at least 95 % killed of those not argued equivalent, and no survivor
unexplained; 1 not so, or one argued equivalent was killed; 2 usage; 3 it could not be tried; 130
interrupted.
"""
import argparse
import fcntl
import json
import math
import os
import shutil
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from judge import BuildGraph, Judge
from mutants import LIBRARY, all_mutants, in_sampling_order
from score import parse_equivalents, passes, progress, score, summary, tally

INTERRUPTED = 130


def arguments():
    parser = argparse.ArgumentParser("mutate", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--project", type=folder, required=True, help="the project's directory")
    add("--build", type=folder, required=True, help="its build tree, which is current")
    add("--minutes", type=not_negative(float), help="start no mutant after so many (25); no limit "
        "where it is said what to try")
    add("--sample", type=not_negative(int), help="try so many, in their order")
    add("--all", action="store_true", help="try all, without limit")
    add("--equivalents", action="store_true", help="try those that are argued equivalent")
    add("--header", action="append", help="only mutants of this file, e.g. attention.hpp")
    add("--id", action="append", help="only this mutant")
    add("--jobs", type=not_negative(int), default=os.cpu_count(), help="at a time (%(default)s)")
    add("--seed", type=not_negative(int), default=0, help="of the order (%(default)s)")
    add("--list", action="store_true", help="print the mutants in their order and try none")
    add("--record", action="store_true", help="write the result to properties/mutation/score.json")
    options = parser.parse_args()
    if options.minutes is None:
        chosen = options.all or options.equivalents or options.id or options.sample is not None
        options.minutes = math.inf if chosen else 25
    return parser, options


def folder(text):
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"no directory: {text}")
    return Path(text)


def not_negative(kind):
    def number(text):
        if not (found := kind(text)) >= 0:
            raise argparse.ArgumentTypeError(f"below 0: {text}")
        return found
    return number


def kept_in(file):
    """All results of a file; a line that a killed run has left unfinished is ended, and is none."""
    text = file.read_text() if file.exists() else ""
    if text and not text.endswith("\n"):
        with file.open("a") as out:
            out.write("\n")
    kept = []
    for line in text.splitlines():
        try:
            kept.append(json.loads(line))
        except json.JSONDecodeError:
            pass
    return kept


class Run:
    """Judges mutants in their order, keeps what it finds, shows how far it is."""

    def __init__(self, options, order, argued, stop):
        """What is edited from here on does not matter."""
        self.order, self.argued, self.stop = order, argued, stop
        self.goal = min(len(order) if options.sample is None else options.sample, len(order))
        self.jobs, self.seconds = max(1, options.jobs), 60 * options.minutes
        self.file = options.build / "mutation/results.jsonl"
        self.known = kept_in(self.file)
        self.scratch = (options.build / "mutation/scratch").resolve()
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir(parents=True)
        graph = BuildGraph(options.project, options.build, self.scratch)
        self.judge = Judge(graph, self.scratch, self.jobs, stop)
        self.fingerprints = {file: graph.fingerprint(LIBRARY + file)
                             for file in {mutant.file for mutant in order}}
        self.current = {one["id"]: one for one in self.known if
                        self.fingerprints.get(one["id"].split("#")[0]) == one["made_from"]}
        self.begin, self.is_terminal = time.monotonic(), sys.stderr.isatty()
        self.lock = threading.Lock()  # of known, file and what follows
        self.place = self.judged = 0  # by this run, the others were kept
        self.done, self.news = [], ""

    def results(self):
        """What became of a beginning of the order; where it was stopped, of fewer."""
        with ThreadPoolExecutor(self.jobs) as pool:
            workers = [pool.submit(self._work, worker) for worker in range(self.jobs)]
            self._show()
            while wait(workers, 1 if self.is_terminal else 30).not_done:
                self._show()
        self._show()
        print(end="\n" if self.is_terminal else "", file=sys.stderr)
        shutil.rmtree(self.scratch)
        for worker in workers:
            worker.result()
        return self.done

    def _work(self, worker):
        try:
            while mutant := self._next():
                with self.lock:
                    programs = self.judge.in_order_for(mutant.file, self.known)
                result = self.judge.judge(mutant, programs, worker)
                if result is None:
                    return
                result["made_from"] = self.fingerprints[mutant.file]
                with self.lock:
                    with self.file.open("a") as out:
                        out.write(json.dumps(result) + "\n")
                    self.known.append(result)
                    self.judged += 1
                    self._finish(mutant, result)
        except BaseException:
            self.stop.set()
            raise

    def _next(self):
        """The next one of which nothing is known. What has been started is finished: who stopped at
        the clock would drop the slow ones, which are the survivors."""
        with self.lock:
            while self.place < self.goal and self.order[self.place].id in self.current:
                mutant = self.order[self.place]
                self._finish(mutant, self.current[mutant.id])
                self.place += 1
            if self.place >= self.goal or self._elapsed() >= self.seconds or self.stop.is_set():
                return None
            self.place += 1
            return self.order[self.place - 1]

    def _finish(self, mutant, result):
        self.done.append(result)
        if result["fate"] == "survived" and mutant.id not in self.argued:
            self.news += f"survived: {mutant.difference()}"

    def _elapsed(self):
        return time.monotonic() - self.begin

    def _seconds_left(self):
        """What the remaining ones take at the rate so far, no longer than there is time."""
        remaining = self.goal - len(self.done)
        at_this_rate = (self._elapsed() * remaining / max(self.judged, 1)
                        if self.judged or not remaining else math.inf)
        return max(0, min(at_this_rate, self.seconds - self._elapsed()))

    def _show(self):
        """A line, which a terminal shows in its last one, below the survivors."""
        with self.lock:
            line = progress(tally(self.done, self.argued), self.goal, self._seconds_left())
            start, end = ("\r\x1b[K", "") if self.is_terminal else ("", "\n")
            print(start + self.news + line, end=end, file=sys.stderr, flush=True)
            self.news = ""


def mutate(parser, options, stop):
    room = options.project / "properties/mutation"
    mutants = all_mutants(options.project)
    argued = parse_equivalents((room / "equivalent.txt").read_text())
    order = [mutant for mutant in in_sampling_order(mutants, options.seed)
             if (not options.equivalents or mutant.id in argued)
             and (not options.header or mutant.file in options.header)
             and (not options.id or mutant.id in options.id)]
    if not order:
        parser.error("--id, --header: there is no such mutant")
    if options.list:
        print("".join(mutant.difference() for mutant in order), end="")
        return 0
    stale = argued.keys() - {mutant.id for mutant in mutants}
    for one in sorted(stale):
        print(f"argued equivalent, but there is no such mutant (any more): {one}")
    kept = options.build / "mutation"
    kept.mkdir(exist_ok=True)
    try:
        fcntl.flock(os.open(kept, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise RuntimeError("another one is running") from None
    print(len(order), "mutants; asking how the tests are built", file=sys.stderr, flush=True)
    results = Run(options, order, argued, stop).results()
    if stop.is_set():
        print("interrupted; what was judged is kept, the same command goes on", file=sys.stderr)
        return INTERRUPTED
    found = score(results, order, argued, options.seed)
    print(summary(found), end="")
    if options.record:
        text = json.dumps(found, indent=1, ensure_ascii=False)
        (room / "score.json").write_text(text + "\n")
    return 0 if passes(found) and not stale else 1


def main():
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    parser, options = arguments()
    try:
        return mutate(parser, options, stop)
    except (OSError, RuntimeError, ValueError) as error:
        print(f"mutate: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
