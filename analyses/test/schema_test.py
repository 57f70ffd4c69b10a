"""The schema of results.json, by a validator that is not ours.

usage: schema_test.py SCHEMA RESULTS [POINTER VALUE]

With a JSON pointer and a JSON value, the results are changed there first: the schema is then
expected to refuse them. Exit codes: 0 valid, 1 not valid, 2 usage or a file that is not JSON.
"""

import json
import sys

from jsonschema import Draft202012Validator


def changed(document, pointer, value):
    *parents, last = [int(key) if key.isdigit() else key for key in pointer.split("/")[1:]]
    place = document
    for key in parents:
        place = place[key]
    place[last] = value
    return document


def main(arguments):
    if len(arguments) not in (2, 4):
        print(__doc__, file=sys.stderr)
        return 2
    schema, results = (json.load(open(path, encoding="utf-8")) for path in arguments[:2])
    if len(arguments) == 4:
        results = changed(results, arguments[2], json.loads(arguments[3]))
    Draft202012Validator.check_schema(schema)
    errors = list(Draft202012Validator(schema).iter_errors(results))
    for error in errors:
        print(f"{error.json_path}: {error.message[:200]}")
    return 1 if errors else 0


try:
    sys.exit(main(sys.argv[1:]))
except (OSError, ValueError, LookupError) as error:
    print(f"schema_test: {error}", file=sys.stderr)
    sys.exit(2)
