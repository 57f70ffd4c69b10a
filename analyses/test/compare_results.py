#!/usr/bin/env python3
"""Compares what two files of results say: every claim's verdict, condition, counterexample and
fields, and its measurements row by row (quantity, place, value, interval, samples, method, unit).

usage: compare_results.py BEFORE AFTER [TOPIC]

Each is a results.json or a data/<topic>.json, in any layout since 23ee416; with a TOPIC, only its
claims. Prints a line for each difference. Exit codes: 0 none, 1 some, 2 usage.
"""

import json
import sys

NUMBERS = ("value", "reference", "lower", "upper", "confidence", "samples")
SAID = ("status", "finding", "belief", "states", "verdict", "condition", "counterexample", "kind",
        "evaluated", "obligations", "asked_in", "cites", "fields")


def unpacked(measurement):
    """The measurements of one group; of one that stands by itself, itself."""
    if "rows" not in measurement:
        return [measurement]
    group, axes, columns = measurement, measurement["axes"], measurement["columns"]
    shared = {key: group.get(key) for key in (*NUMBERS, "quantity", "method", "unit")}
    return [
        {**shared, **dict(zip(columns, row[len(axes):])),
         "at": {**group.get("at", {}), **dict(zip(axes, row))}}
        for row in group["rows"]
    ]


def claims(path, topic):
    document = json.load(open(path, encoding="utf-8"))
    rows = document["claims"] if isinstance(document, dict) else document
    return {row["id"]: row for row in rows if topic in (None, row["topic"])}


def measured(row):
    """All rows of a quantity at a place: places may be measured twice, by two methods."""
    found = {}
    for group in row["measurements"]:
        for m in unpacked(group):
            key = (m["quantity"], json.dumps(m["at"], sort_keys=True, ensure_ascii=False),
                   m["method"])
            found.setdefault(key, []).append({k: m[k] for k in (*NUMBERS, "unit")})
    return found


def differences(before, after):
    for claim in sorted(before.keys() | after.keys()):
        if claim not in before or claim not in after:
            yield f"{claim}: only {'after' if claim in after else 'before'}"
            continue
        old, new = before[claim], after[claim]
        for key in SAID:
            if key == "fields":
                for name in sorted(old[key].keys() | new[key].keys()):
                    a, b = old[key].get(name), new[key].get(name)
                    if a != b:
                        yield f"{claim} {{{name}}}: {a!r} → {b!r}"
            elif old[key] != new[key]:
                yield f"{claim} {key}: {old[key]!r} → {new[key]!r}"
        rows, others = measured(old), measured(new)
        for key in rows.keys() | others.keys():
            a, b = rows.get(key, []), others.get(key, [])
            if a != b:
                yield f"{claim} {' '.join(key)}:\n    {a}\n  → {b}"


def main(arguments):
    if len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    topic = arguments[2] if len(arguments) == 3 else None
    before, after = (claims(path, topic) for path in arguments[:2])
    found = list(differences(before, after))
    for line in found:
        print(line)
    counts = [sum(len(m) for row in all.values() for m in measured(row).values())
              for all in (before, after)]
    print(f"{len(before)} claims with {counts[0]} measurements, {len(after)} with {counts[1]}: "
          f"{len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
