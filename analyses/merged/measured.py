"""Measurements of a row of results.json, found by name, as a sentence shows them: the part of
report/lookup.hpp that sentences use, with the digits of report/digits.hpp."""

import math
import re

from identity.compare import measurements_in
from report.markdown import significant

MOST_DIGITS_SHOWN, UNDECLARED = 3, 4
NOT_FINITE = {"NaN": math.nan, "∞": math.inf, "−∞": -math.inf}


def exponent_of(x):
    """That of the first digit, to 12 digits: (0.6 − 0.4)/2 is less than 0.1, and begins as it."""
    return int(f"{x:.11e}".partition("e")[2])


def digits_of(value, ends, declared):
    """How many digits a value has of those declared: an estimate, to the first of its half width,
    but two where it is known not to be 0. `ends` are none where it is no estimate."""
    if not ends:
        return declared
    lower, upper = ends
    if math.isinf(lower) or math.isinf(upper):
        return 1
    half = (upper - lower) / 2
    if half <= 0 or value == 0 or math.isinf(value):
        return declared
    least = min(2, declared) if lower > 0 or upper < 0 else 1

    def up_to_half(x):
        return max(least, min(declared, exponent_of(x) - exponent_of(half) + 1))

    # 0.996 to the second place is 1.00: a digit more.
    return up_to_half(float(f"{value:.{up_to_half(value) - 1}e}"))


def number_of(written, without=None):
    """What JSON has no number for is text, and an end at infinity is left out."""
    return without if written is None else NOT_FINITE.get(written, written)


def shown(measurement, declared, digits=0, is_percent=False):
    """With so many digits, if any are asked for."""
    value, scale = number_of(measurement["value"]), 100 if is_percent else 1
    if measurement["unit"] == "count" and not digits and not is_percent:
        return f"{int(value):,}"
    ends = None
    if measurement["confidence"] is not None:
        ends = [number_of(measurement["lower"], -math.inf),
                number_of(measurement["upper"], math.inf)]
    at = digits or min(digits_of(value, ends, declared), MOST_DIGITS_SHOWN)
    at = digits_of(scale * value, ends and [scale * end for end in ends], at)
    return significant(scale * value, at) + (" %" if is_percent else "")


def name_of(coordinate):
    """As a look-up has it: "512", "0.1", "binary16", "1, 4, 16"."""
    if isinstance(coordinate, list):
        return ", ".join(map(str, coordinate))
    if coordinate is None or isinstance(coordinate, bool):
        return {None: "null", True: "true", False: "false"}[coordinate]
    return str(coordinate).removesuffix(".0")


def grouped(coordinate):
    """As a reader sees it: "1,024"."""
    if isinstance(coordinate, int) and not isinstance(coordinate, bool):
        return f"{coordinate:,}"
    return f"{coordinate:.6g}" if isinstance(coordinate, float) else name_of(coordinate)


def tokens_of(text):
    """Words between spaces; those in "quotes" are one."""
    if text.count('"') % 2:
        raise ValueError(f"'{text}': a quote is not closed")
    return [word.replace('"', "") for word in re.findall(r'(?:[^\s"]|"[^"]*")+', text)]


def place(measurement):
    return " ".join([measurement["quantity"], *(f"{axis}={name_of(coordinate)}" for axis, coordinate
                                                in measurement["at"].items())])


def looked_up(row, declared, asked):
    """The one measurement of QUANTITY AXIS=COORDINATE|OTHER…, or, AXIS of QUANTITY…, where it is.
    Behind " : " stand significant digits in place of three, and % for a hundred times as much.
    `declared` has the digits of the row's quantities."""
    words = tokens_of(asked)
    end = words.index(":") if ":" in words else len(words)
    form = re.fullmatch("([1-9][0-9]?)? ?(%)?", " ".join(words[end + 1:]))
    if not form:
        raise ValueError(f"'{asked}': '{' '.join(words[end + 1:])}' is no format")
    axis, words = (words[0], words[2:end]) if words[1:2] == ["of"] else (None, words[:end])
    if not words:
        raise ValueError(f"'{asked}' is no look-up: it names no quantity")
    of_it = found = [one for one in measurements_in(row) if one["quantity"] == words[0]]
    for word in words[1:]:
        key, equals, wanted = word.partition("=")
        if not equals:
            raise ValueError(f"'{asked}' is no look-up: '{word}' is not axis=coordinate")
        found = [one for one in found
                 if key in one["at"] and name_of(one["at"][key]) in wanted.split("|")]

    def refuse(among, why):
        raise ValueError("; ".join([f"'{asked}' {why}", *map(place, among[:8])]))

    if not found:
        refuse(of_it, "matches no measurement; there are" if of_it
               else "names no quantity that is measured")
    if axis and any(axis not in one["at"] for one in found):
        refuse(found, f"has no '{axis}' at one of")
    texts = {grouped(one["at"][axis]) for one in found} if axis else found
    if len(texts) > 1:
        refuse(found, "is not one measurement, but one of")
    if axis:
        return texts.pop()
    return shown(found[0], declared.get(words[0], UNDECLARED), int(form[1] or 0), bool(form[2]))
