"""What a page that is made of runs or records takes of the report engine: numbers, tables and words
as report/digits.hpp, report/table.hpp and report/words.hpp have them, of words without views."""

import decimal
import math
import re

GENERATED_NOTE = "<!-- Generated: edit the words in analyses/, not this file. -->\n\n"
WRITTEN_OUT = range(-4, 6)  # exponents
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
WITHOUT_DIGITS = {0: "0", math.inf: "∞", -math.inf: "−∞"}
CELL = str.maketrans({"|": r"\|", "\n": " ", "\r": " "})


def significant(x, digits):
    """`x` with so many significant digits, 1 to 15, trailing zeros kept: 0.8765, −12.35, 17,700,
    1.235·10⁻⁷, 10⁻¹⁰; zero is "0" whatever its sign; else "∞", "−∞" and "NaN"."""
    if math.isnan(x):
        return "NaN"
    if x in WITHOUT_DIGITS:
        return WITHOUT_DIGITS[x]
    if x < 0:
        return "−" + significant(-x, digits)
    text = f"{x:.{digits - 1}e}"
    factor, _, power = text.partition("e")
    exponent = int(power)
    if exponent not in WRITTEN_OUT:
        power = "10" + str(exponent).translate(SUPERSCRIPTS)
        return power if factor == "1" else f"{factor}·{power}"
    return f"{float(text):,.{max(0, digits - 1 - exponent)}f}"


def at_most(x):
    """Two digits of what is said to be at most that, `x` > 0; a sum of decimals may be above theirs
    by its own rounding."""
    up = decimal.Context(prec=2, rounding=decimal.ROUND_CEILING)
    return significant(float(up.create_decimal(x * (1 - 1e-12))), 2)


def table(headings, rows):
    """Markdown whose source is aligned, of headings "Name|Number:" (those with a colon go right)
    and rows of a cell for each; a `|` or a line break in a cell is text."""
    names = headings.split("|")
    aligned = [">" if name.endswith(":") else "<" for name in names]
    lines = [[name.removesuffix(":") for name in names]]
    lines += ([cell.translate(CELL) for cell in row] for row in rows)
    widths = [max(3, *map(len, column)) for column in zip(*lines, strict=True)]
    lines = [[f"{cell:{to}{width}}" for cell, to, width in zip(line, aligned, widths)]
             for line in lines]
    lines.insert(1, [f"{':':-{to}{width}}" for to, width in zip(aligned, widths)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


class Words:
    """A title, an introduction, and sections of parts: # TITLE, ## SECTION, ### PART. What stands
    before a section's first part is its part "introduction". What a section has between lines of
    ``` is no prose, but one of its blocks. `name` is the file's."""

    def __init__(self, text, name):
        self.name, self.title, self.sections, self.blocks = name, "", {}, {}
        parts = block = None
        into = introduction = []
        for line in text.split("\n"):
            kind, _, heading = line.partition(" ")
            if line == "```" and parts is not None:
                if block is not None:
                    blocks.append("".join(block))
                block = [] if block is None else None
            elif block is not None:
                block.append(line + "\n")
            elif kind in ("##", "###"):
                among = self.sections if kind == "##" else parts
                if among is None or heading in among:
                    raise ValueError(f"{name}: '{line}' appears twice, or before the first section")
                if kind == "##":
                    parts = among[heading] = {}
                    blocks = self.blocks[heading] = []
                into = parts[heading if kind == "###" else "introduction"] = []
            elif kind == "#":
                self.title = heading
            else:
                into.append(line)
        self.introduction = prose(introduction)
        for parts in self.sections.values():
            parts.update({part: prose(lines) for part, lines in parts.items()})

    def has_part(self, section, part):
        return part in self.sections.get(section, ())

    def part(self, section, part):
        if not self.has_part(section, part):
            raise ValueError(f"{self.name}: section '{section}' has no part '### {part}'")
        return self.sections[section][part]


def filled(text, value_of, name):
    """The text of the file `name` with its fields, in braces, filled in by `value_of`, which has
    None for what is no field."""
    def value(found):
        field, closing = found.groups()
        known = value_of(field) if closing else None
        if known is None:
            raise ValueError(f"{name}: no field named {{{field[:60]}{closing}")
        return known
    return re.sub(r"\{([^}]*)(\}?)", value, text)


def fill(text, fields, name):
    return filled(text, fields.get, name)


def figure(name, title, caption):
    """A figure of the reports, its caption below it."""
    title, caption = (re.sub(r"([\\\[\]*`<])", r"\\\1", text).replace("\n", " ")
                      for text in (title, caption))
    return f"![{title}](figures/{name}.svg)\n\n*{caption}*\n"


def prose(lines):
    return "\n".join(lines).strip(" \n")
