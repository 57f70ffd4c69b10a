"""Collects what the page about the checks rests on, in one file: what the code declares, what the
tests recorded of the ledger's entries and of the mutants, the score of source mutation, what
./dev identity found, and hashes of all that and of the sources that are simulated: so a stale page
is seen without a run.

Exit codes: 0 done, 2 usage or a record that lacks something, 3 input or output."""

import argparse
import json
import os
import pathlib
import sys

from report.files import fnv1a, read_json, write

SPENT = ("ledger", "spends", "kind", "alpha", "beta", "effect", "grid", "smallest_effect", "draws")
PLANTED = ("claim", "property", "subject", "cases")


def chosen(test, keys):
    """These of what a test recorded. Times and paths of the machine are left out."""
    return {key: test[key] for key in keys}


def passed(test):
    return {"passed": "failures" not in test}


def coverage(tests, entry):
    """What was seen of the classes that properties require, which all spend one entry, as the tests
    of other entries record theirs; nothing where there are none. A class that passes has more than
    1 − effect of its share, however many cases there were."""
    held = [test for test in tests
            if test.get("role") == "holds" and int(test.get("classes", "0")) > 0]
    if not held:
        return []
    rates = {key: f"{entry[key]:g}" for key in ("alpha", "beta", "effect")}
    return [{"ledger": entry["id"], "spends": "alpha", "kind": entry["kind"], **rates,
             "grid": str(sum(int(test["classes"]) for test in held)),
             "smallest_effect": rates["effect"],
             "draws": str(min(int(test["cases"]) for test in held)),
             "passed": all("failures" not in test for test in held)}]


def collected(source, records, declared, inputs):
    """All of it, of the project `source`."""
    tests = [test for file in records for suite in read_json(file)["testsuites"]
             for test in suite["testsuite"]]
    [entry] = [one for one in declared["entries"] if one["id"] == "properties.required_coverage"]
    ledger = [chosen(test, SPENT) | {key: test[key] for key in ("mutants",) if key in test}
              | passed(test) for test in tests if "ledger" in test] + coverage(tests, entry)
    mutants = [chosen(test, PLANTED) | passed(test)
               for test in tests if test.get("role") == "rejects"]
    mutation = source / "properties/mutation"
    explanations = (mutation / "equivalent.txt").read_text(encoding="utf-8")
    score = read_json(mutation / "score.json") | {"explanations": explanations}
    identity = read_json(source / "analyses/identity/record.json")
    hashes = {pathlib.Path(os.path.relpath(file, source)).as_posix(): fnv1a(file.read_bytes())
              for file in sorted(set(inputs))}
    for name, record in (("the tests' records of the ledger", ledger),
                         ("the tests' records of mutants", mutants),
                         ("the score of source mutation", score),
                         ("the record of identical reports", identity)):
        hashes[name] = fnv1a(json.dumps(record, separators=(",", ":"),
                                        ensure_ascii=False).encode())
    return {"hashes": hashes, "declared": declared, "ledger": ledger, "mutants": mutants,
            "mutation": score, "identity": identity}


def main():
    parser = argparse.ArgumentParser(prog="trust_inputs", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for option, about in (("--source", "the project's directory"),
                          ("--declared", "what the program trust says of the code"),
                          ("--out", "the file to write")):
        parser.add_argument(option, type=pathlib.Path, required=True, help=about)
    for option, about in (("--records", "what test programs wrote"),
                          ("--inputs", "the sources that are simulated")):
        parser.add_argument(option, type=pathlib.Path, required=True, nargs="+", help=about)
    asked = parser.parse_args()
    try:
        made = collected(asked.source, asked.records, read_json(asked.declared), asked.inputs)
        write(asked.out, json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    except (OSError, KeyError, ValueError) as error:
        told = f"what was recorded has no {error}" if isinstance(error, KeyError) else error
        print(f"trust_inputs: {told}", file=sys.stderr)
        return 3 if isinstance(error, OSError) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
