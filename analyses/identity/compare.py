"""Whether two ways of making the reports come to the same bytes; and where they do not, which row
differs, by how much, and how near to it the others are."""

import collections
import itertools
import json
import math
import pathlib
from dataclasses import dataclass

LONGEST_LINE = 160
NUMBERS = ("value", "reference", "lower", "upper", "confidence", "samples")


@dataclass
class Difference:
    """What differs between the committed reports and those that were made."""
    file: str  # relative to the reports
    row: str  # "claim quantity {place} column"; of other files "line 12"
    committed: str  # the numbers, or the lines
    made: str
    relative: float = 0.0  # |made − committed| / |committed|; 0 of lines


def text_of(value):
    """JSON as the reports have it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def relative(apart, to):
    return apart / abs(to) if to else math.inf


def is_compared(file):
    return not (file.name in ("provenance.json", "implementations.md", "performance.md")
                or file.name.startswith(("trust.", "trust_")) or file.suffix == ".measured"
                or file.parent.name == "vectors")


def compared_files(reports):
    """The files that are compared, relative to the reports, sorted. Not those that tell the
    machine, nor what is made apart: the pages about the checks, about implementations and about
    performance, the vectors."""
    return sorted(path.relative_to(reports) for path in reports.rglob("*")
                  if path.is_file() and is_compared(path))


def is_of_a_topic(file):
    return file.parent == pathlib.Path("data") and file.suffix == ".json"


def claims_in(file):
    return json.loads(file.read_text(encoding="utf-8"))


def measurements_in(claim):
    """Each row of its groups, with what the group says of all of them."""
    for group in claim["measurements"]:
        shared = {key: group.get(key) for key in ("quantity", *NUMBERS, "method", "unit")}
        axes, columns = group["axes"], group["columns"]
        for row in group["rows"]:
            yield {**shared, "at": {**group.get("at", {}), **dict(zip(axes, row))},
                   **dict(zip(columns, row[len(axes):]))}


def count_rows(reports):
    """How many measurements the files of data/<topic>.json have."""
    return sum(len(list(measurements_in(claim)))
               for file in compared_files(reports) if is_of_a_topic(file)
               for claim in claims_in(reports / file))


def rows_of(file):
    """What a topic's rows tell, by name: "claim quantity {place} column", "claim {field}", "claim
    key"."""
    rows = {}
    for claim in claims_in(file):
        id = claim["id"]
        for key, value in claim.items():
            if key == "fields":
                rows.update({f"{id} {{{name}}}": text for name, text in value.items()})
            elif key != "measurements":
                rows[f"{id} {key}"] = value
        for row in measurements_in(claim):
            place = f"{id} {row['quantity']} {text_of(row['at'])}"
            rows.update({f"{place} {column}": value for column, value in row.items()})
    return rows


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def row_differences(file, committed, made):
    before, after = rows_of(committed / file), rows_of(made / file)
    for row in (*sorted(before), *sorted(after.keys() - before.keys())):
        a, b = before.get(row), after.get(row)
        if text_of(a) != text_of(b) or (row in before) != (row in after):
            apart = relative(abs(b - a), a) if is_number(a) and is_number(b) else 0.0
            yield Difference(str(file), row, text_of(a), text_of(b), apart)


def lines_of(text):
    return text.removesuffix("\n").split("\n") if text else []


def line_difference(file, committed, made):
    """The first line that differs."""
    lines = itertools.zip_longest(lines_of(committed), lines_of(made), fillvalue="(nothing)")
    for n, (before, after) in enumerate(lines, 1):
        if before != after:
            return Difference(str(file), f"line {n}", before[:LONGEST_LINE], after[:LONGEST_LINE])
    return Difference(str(file), f"line {len(lines_of(made)) + 1}", "(nothing)", "(nothing)")


def bytes_of(file):
    return file.read_bytes() if file.exists() else None


def differences(committed, made):
    """Every file byte for byte; those of data/<topic>.json that differ, row by row."""
    for reports in (committed, made):
        if not reports.is_dir():
            raise FileNotFoundError(f"{reports}: not there")
    found = []
    for file in sorted({*compared_files(committed), *compared_files(made)}):
        before, after = bytes_of(committed / file), bytes_of(made / file)
        if before == after:
            continue
        rows = list(row_differences(file, committed, made)) \
            if is_of_a_topic(file) and before and after else []
        a, b = ((text or b"").decode(errors="replace") for text in (before, after))
        found += rows or [line_difference(file, a, b)]
    return found


@dataclass
class Value:
    """A measurement to its last bit, as the programs' --unrounded writes it."""
    quantity: str  # claim, quantity
    place: str
    digits: int  # that it is written with
    value: float


def read_values(file):
    """Those of a topic, in the order in which they were measured."""
    rows = map(json.loads, lines_of(file.read_text(encoding="utf-8")))
    return [Value(f"{row[0]} {row[1]}", text_of(row[2]), row[4],
                  float(row[5]) if is_number(row[5]) else math.inf) for row in rows]


def distance_to_an_edge(x, digits):
    """How far x is from where it would be written with another last digit: |x − r|, r being midway
    between two numbers of so many digits.  Requires  x finite, not 0."""
    written = f"{abs(x):.{digits - 1}e}"
    nearest, (mantissa, exponent) = float(written), written.split("e")
    unit = float(f"1e{int(exponent) - digits + 1}")
    # Below a power of ten the numbers are ten times as near.
    below = unit / 10 if float(mantissa) == 1 else unit
    return max(0.0, min(nearest + unit / 2 - abs(x), abs(x) - nearest + below / 2))


@dataclass
class Apart:
    """What differs before rounding between two ways."""
    values: int = 0
    differ: int = 0
    largest: float = 0.0  # |b − a| / |a| of those that differ
    where: str = ""  # the quantity of the largest, and its place


@dataclass
class Nearest(Value):
    """A value that differs before rounding, with how far it was moved by any of the ways and how
    far it was from being written otherwise."""
    moved: float
    distance: float

    @property
    def times(self):
        return self.distance / self.moved


class Margins:
    """All values that differ before rounding."""

    def __init__(self):
        self.all = {}  # by quantity, place, and the order of measuring

    def add(self, apart, a, b):
        """Adds those of one topic, in two ways."""
        if [(x.quantity, x.place) for x in a] != [(x.quantity, x.place) for x in b]:
            raise ValueError("two programs of one topic measured different rows")
        apart.values += len(a)
        for n, (one, other) in enumerate(zip(a, b)):
            if one.value == other.value:
                continue
            apart.differ += 1
            moved = abs(other.value - one.value)
            if relative(moved, one.value) >= apart.largest:
                apart.largest = relative(moved, one.value)
                apart.where = f"{one.quantity} {one.place}"
            key = (one.quantity, one.place, n)
            if math.isfinite(moved) and (key not in self.all or moved > self.all[key].moved):
                distance = distance_to_an_edge(one.value, one.digits) if one.value else 0.0
                self.all[key] = Nearest(one.quantity, one.place, one.digits, one.value, moved,
                                        distance)

    def nearest(self, most):
        """Those with the smallest distance / moved, one of each quantity, at most so many."""
        of_quantity = collections.defaultdict(list)
        for key in sorted(self.all):
            of_quantity[self.all[key].quantity].append(self.all[key])
        each = (min(same, key=lambda one: one.times) for same in of_quantity.values())
        return sorted(each, key=lambda one: one.times)[:most]
