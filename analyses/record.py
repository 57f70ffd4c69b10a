"""Keeps what the tests did, for the reports: cases, mutants rejected, entries of the ledger spent.
The record is committed with a hash of the sources that it was made from, so that pages need no
tests while that holds. A line a test, in the form of GoogleTest's own JSON; times and paths are
left out.

Exit codes: 0 done, 1 the record is another, 2 usage or content, 3 input or output, 77 the run was
another."""

import argparse
import json
import os
import pathlib
import sys

from merged.commands import Commands
from report.files import read_json, write

KEPT = ("name", "claim", "property", "role", "speaks_about", "subject", "cases", "seed", "worst",
        "worst_case", "counterexample", "failing_mass", "coverage", "classes", "calls", "ledger",
        "spends", "kind", "alpha", "beta", "effect", "grid", "smallest_effect", "draws", "mutants",
        "failures")


def lines_of(suite, ours):
    """Of its tests of our claims, which the tester's own tests are not, and those that spend an
    entry."""
    for test in suite["testsuite"]:
        if "ledger" in test or test.get("claim") in ours:
            line = {key: test[key] for key in KEPT if test.get(key, "") != ""}
            yield json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def merged(folder, ours, hash):
    """The suites' files of a directory, in the order of their names, as one text."""
    suites = []
    for file in sorted(path for path in folder.iterdir() if path.suffix == ".json"):
        for suite in read_json(file)["testsuites"]:
            if lines := ",\n".join(lines_of(suite, ours)):
                name = json.dumps(suite["name"], ensure_ascii=False)
                suites.append(f'\n{{"name": {name}, "testsuite": [\n{lines}\n]}}')
    return f'{{"hash": "{hash}", "testsuites": [{",".join(suites)}\n]}}\n'


def record(asked):
    """The exit code."""
    if os.environ.get("EMBEDSCALE_SEED", "0") != "0" or "EMBEDSCALE_CASES" in os.environ:
        if asked.check:
            return 77
        raise ValueError("EMBEDSCALE_SEED or EMBEDSCALE_CASES is set: the record is of the usual "
                         "run")
    declared = Commands(asked.programs).declared()
    now = merged(asked.suites, {*declared["claims"], *declared["facts"]}, asked.hash)
    if not asked.check:
        write(asked.record, now)
    elif not asked.record.exists() or asked.record.read_text(encoding="utf-8") != now:
        print(f"record: {asked.record} is not what these tests did: run ./dev reports",
              file=sys.stderr)
        return 1
    return 0


def main():
    parser = argparse.ArgumentParser(prog="record", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for option, type, about in (
            ("--suites", pathlib.Path, "what the test programs wrote"),
            ("--hash", str, "of the sources that they were made from"),
            ("--record", pathlib.Path, "the record to write or to check"),
            ("--programs", pathlib.Path, "where declared is")):
        parser.add_argument(option, type=type, required=True, help=about)
    parser.add_argument("--check", action="store_true",
                        help="exit 1 where it is another, 77 where the run was another")
    try:
        return record(parser.parse_args())
    except (OSError, KeyError, ValueError) as error:
        told = f"what the tests did has no {error}" if isinstance(error, KeyError) else error
        print(f"record: {told}", file=sys.stderr)
        return 3 if isinstance(error, OSError) else 2


if __name__ == "__main__":
    sys.exit(main())
