"""The lines of EMBEDSCALE_OBSERVATIONS, by a validator that is not ours.

usage: observations_test.py SCHEMA PROGRAM [ARGUMENT...]

Runs the program twice into one file, side by side, and validates every line; then changes one, to see
each change refused. Exit codes: 0 as it should be, 1 not so.
"""

import collections
import copy
import json
import os
import subprocess
import sys
import tempfile

from jsonschema import Draft202012Validator


def observed(command):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "observations.jsonl")
        environment = dict(os.environ, EMBEDSCALE_OBSERVATIONS=path, EMBEDSCALE_CASES="2000")
        runs = [subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) for _ in "12"]
        if any([run.wait() for run in runs]):
            sys.exit(f"{command} fails")
        with open(path, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]


def changes(line):
    """The same line with a member missing, one too many, or one of another kind."""
    for member in line:
        without = copy.deepcopy(line)
        del without[member]
        yield f"without {member}", without
    for member, value in [("extra", 1), ("type", "case"), ("status", "maybe"), ("arguments", []),
                          ("run_start", "now"), ("coverage", 0), ("timing", {"a": -1})]:
        yield f"{member}: {value}", {**line, member: value}


def main(schema_path, *command):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    lines = observed(command)
    wrong = [error.message for line in lines for error in validator.iter_errors(line)]
    wrong += [f"accepted {what}" for what, line in changes(lines[0]) if validator.is_valid(line)]
    # Of each test, all cases of either run are there, and its runs can be told apart.
    cases = collections.Counter((line["property"], line["status"], line["how_generated"])
                                for line in lines)
    if cases[("tiny_is_small.below_ten", "passed", "drawn")] != 2 * 2000:
        wrong.append(f"other cases than 2 times 2000: {cases}")
    if not cases[("tiny_is_small.refutes_that_it_is_below_five", "failed", "simplified")]:
        wrong.append(f"no simplified failure: {cases}")
    runs = {(line["property"], line["run_start"], line["metadata"]["os.getpid()"]) for line in lines}
    if len(runs) != 2 * len({line["property"] for line in lines}):
        wrong.append(f"{len(runs)} runs can be told apart")
    print(*wrong[:20], f"{len(lines)} lines", sep="\n")
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
