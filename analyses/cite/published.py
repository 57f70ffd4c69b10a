"""What is published of a claim: its row of results.json, its entry of claims.bib in the styles of a
bibliography, its numbers as people write them. Python 3.9 and nothing else."""

import difflib
import json
import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

DONE, FINDINGS, USAGE, INPUT_OUTPUT = range(4)
STYLES = ("bibtex", "csl", "latex", "markdown", "ris")

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>[-−+]?)(?P<digits>[0-9]{1,3}(?:(?P<comma>,|\{,\})[0-9]{3})+|[0-9]+)"
    r"(?:\.(?P<fraction>[0-9]+))?"
    r"(?:(?P<times>[eE]|[ ~]?(?:[·×]|\\times|\\cdot)[ ~]?10(?:\^\{?|(?=[⁻⁰¹²³⁴⁵⁶⁷⁸⁹])))"
    r"(?P<exponent>[-−+]?[0-9]+|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)\}?)?(?![0-9])")


class Refused(Exception):
    """What is told to the person, and the exit code."""

    def __init__(self, said, code=USAGE):
        super().__init__(said)
        self.code = code


class Wrong(Exception):
    """What is wrong with a mark."""


def nearest(name, names):
    near = difflib.get_close_matches(name, names, 1, 0.5)
    return f"; nearest is {near[0]}" if near else ""


def read_results(path):
    """The rows by id, numbers as they are written."""
    try:
        with open(path, encoding="utf-8") as file:
            rows = json.load(file, parse_float=Decimal)["claims"]
        for row in rows:
            for key in ("topic", "verdict", "condition", "anchor", "fields", "measurements"):
                row[key]
        return {row["id"]: row for row in rows}
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}", INPUT_OUTPUT) from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Refused(f"{path}: no results.json: {error}") from None


def row_of(rows, id):
    if id not in rows:
        raise Wrong(f"no claim is named '{id[:80]}'{nearest(id[:80], rows)}")
    return rows[id]


def coordinate(value):
    if isinstance(value, list):
        return ",".join(map(coordinate, value))
    return json.dumps(value) if isinstance(value, bool) else "none" if value is None else str(value)


def is_at(value, wanted):
    try:
        return Decimal(coordinate(value)) == Decimal(wanted)
    except InvalidOperation:
        return coordinate(value) == wanted


def measured(row, quantity):
    """Each measurement of the quantity: its coordinates and its columns."""
    for group in row["measurements"]:
        if group["quantity"] != quantity:
            continue
        of_all = {key: group[key] for key in ("reference", "samples", "confidence") if key in group}
        for values in group["rows"]:
            at = dict(zip(group["axes"], values))
            columns = dict(zip(group["columns"], values[len(at):]))
            yield {"method": group["method"], **group.get("at", {}), **at}, {**of_all, **columns}


def published(row, words):
    """The text of a field, or of the one measurement that is named: QUANTITY KEY=VALUE…, or of a
    column of it, COLUMN of QUANTITY KEY=VALUE…"""
    column, name, wanted = "value", words[0], words[1:]
    if len(words) > 2 and words[1] == "of":
        column, name, wanted = words[0], words[2], words[3:]
    elif not wanted and name in row["fields"]:
        return row["fields"][name]
    found = list(measured(row, name))
    if not found:
        has = sorted({*row["fields"], *(group["quantity"] for group in row["measurements"])})
        raise Wrong(f"{row['id']} has no '{name}'{nearest(name, has)}; it has {', '.join(has)}")
    for word in wanted:
        key, equals, value = word.partition("=")
        if not equals or not any(key in at for at, _ in found):
            keys = dict.fromkeys(key for at, _ in found for key in at)
            raise Wrong(f"'{word}' is not KEY=VALUE of {name}, which has {', '.join(keys)}")
        there = [one for one in found if key in one[0] and is_at(one[0][key], value)]
        if not there:
            raise Wrong(f"nothing at {word}: {name} has {choices(found, key)}")
        found = there
    if len(found) > 1:
        keys = dict.fromkeys(key for at, _ in found for key in at)
        told = "; ".join(f"{key}: {choices(found, key)}" for key in keys
                         if len({coordinate(at.get(key)) for at, _ in found}) > 1)
        raise Wrong(f"{name} is {len(found)} measurements: say which, by {told}")
    value = found[0][1].get(column)
    if value is None:
        raise Wrong(f"{name} has no '{column}' there, but {', '.join(found[0][1])}")
    return str(value)


def choices(found, key):
    values = list(dict.fromkeys(coordinate(at[key]) for at, _ in found if key in at))
    return " | ".join(values[:8]) + (" | …" if len(values) > 8 else "")


# --- numbers as people write them

def value_of(number):
    exponent = (number["exponent"] or "0").translate(SUPERSCRIPTS).replace("−", "-")
    return Decimal(number["sign"].replace("−", "-") + number["digits"].replace(",", "") + "." +
                   (number["fraction"] or "") + "e" + exponent)


def shown(exact, number, minus):
    """The exact value as the number is written: as many decimals, but no more than it has."""
    if number["exponent"] is None and abs(exact) >= 10**15:
        raise Wrong(f"{exact:e} is to be written with an exponent")
    exponent = exact.adjusted() if number["exponent"] and exact else 0
    places = min(len(number["fraction"] or ""), max(0, exponent - exact.as_tuple().exponent))
    rounded = exact.scaleb(-exponent).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    if number["exponent"] and abs(rounded) >= 10:  # 9.96 rounds up to 10.0
        rounded, exponent = rounded.scaleb(-1).quantize(Decimal(1).scaleb(-places)), exponent + 1
    text = f"{abs(rounded):,f}".replace(",", number["comma"] or "")
    if number["exponent"]:
        # As wide as it was where it is 5e-05, and with its kind of minus.
        width = len(number["exponent"]) if number["times"] in "eE" else 0
        power = f"{exponent:{'+' if number['exponent'][0] == '+' else ''}0{width}d}"
        power = power.replace("-", "−") if "−" in number["exponent"] else power
        if number["exponent"][-1] in "⁰¹²³⁴⁵⁶⁷⁸⁹":
            power = power.translate({digit: power for power, digit in SUPERSCRIPTS.items()})
        text += number["times"] + power + ("}" if number[0].endswith("}") else "")
    is_minus = number["sign"] in ("-", "−")
    if rounded < 0:
        return (number["sign"] if is_minus else minus) + text
    return ("" if is_minus else number["sign"]) + text


def current(row, asked, place, is_inline, minus):
    """The text of a place as it should be, and what is published.

    Raises Wrong where the place cannot hold it.
    """
    asked, colon, form = (part.strip() for part in f"{asked} ".partition(" : "))
    words = [word.replace('"', "") for word in re.findall(r'(?:[^\s"]|"[^"]*")+', asked)]
    if not words:
        raise Wrong(f"names no field or quantity: {{={row['id']} NAME}}")
    if colon and form != "%":
        raise Wrong(f"'{form}' is no form; % is one, a hundred times the value")
    text = published(row, words)
    exact = NUMBER.fullmatch(re.sub(" ?%$", "", text))
    if not exact and is_inline:  # words, or a list
        return place.replace(place.strip() or place, text), text
    if not exact and text not in place:
        raise Wrong(f"'{text}' is published, and does not stand there")
    if not exact:
        return place, text
    numbers = [one for _, one in zip(range(6), NUMBER.finditer(place))]
    if len(numbers) != 1:
        raise Wrong(f"'{text}' is published: one number is to stand there, and there "
                    f"{'is none' if not numbers else 'are ' + ', '.join(n[0] for n in numbers)}")
    value = value_of(exact).scaleb(2 if colon else 0)
    said = shown(value, numbers[0], minus)
    return place[:numbers[0].start()] + said + place[numbers[0].end():], text


# --- citations

def entry_of(bibliography, id):
    """A claim's entry of claims.bib, as it is, and its fields, as TeX has them."""
    try:
        text = bibliography.read_bytes().decode()
    except (OSError, ValueError) as error:
        raise Refused(f"{bibliography}, which is published beside results.json: {error}",
                      INPUT_OUTPUT) from None
    begin = text.find(f"@misc{{embedscale:{id},\n")
    if begin < 0:
        raise Refused(f"{bibliography}: has no entry of {id}")
    entry = text[begin:text.index("\n}\n", begin) + 3]
    fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", entry, re.M))
    return entry, {**fields, "title": fields["title"][1:-1], "author": fields["author"][1:-1],
                   "url": fields["howpublished"].removeprefix("\\url{")[:-1]}


def cited(rows, bibliography, id, style):
    """Of the same fields in each style."""
    entry, fields = entry_of(bibliography, id)
    verdict, url, said = rows[id]["verdict"], fields["url"], f"embedscale: {id} = "
    if style == "bibtex":
        return entry
    if style == "latex":
        address = re.sub(r"([#%])", r"\\\1", url)
        return (f"\\href{{{address}}}{{{fields['title']}}}~\\cite{{embedscale:{id}}}"
                f" % {said}{verdict}\n")
    plain = {key: re.sub(r"\\textbackslash\{\}|\\([\^~])\{\}|\\([_%&#$])",
                         lambda found: found[1] or found[2] or "\\", value)
             for key, value in fields.items() if key != "url"}
    if style == "markdown":
        title = re.sub(r"([\\`*_\[\]<>])", r"\\\1", plain["title"])
        return f"[{title}]({url}) <!-- {said}{verdict} -->\n"
    if style == "csl":
        item = {"id": f"embedscale:{id}", "type": "webpage", "title": plain["title"],
                "author": [{"literal": plain["author"]}], "container-title": "embedscale",
                "issued": {"date-parts": [[int(plain["year"])]]}, "URL": url, "note": plain["note"]}
        return json.dumps({**item, **({"version": plain["version"]} if "version" in plain else {})},
                          ensure_ascii=False)
    lines = [("TY", "ELEC"), ("ID", f"embedscale:{id}"), ("AU", plain["author"] + ","),
             ("TI", plain["title"]), ("T2", "embedscale"), ("PY", plain["year"]),
             *([("ET", plain["version"])] if "version" in plain else []),
             ("UR", url), ("N1", plain["note"]), ("ER", "")]
    return "".join(f"{tag}  - {value}\r\n" for tag, value in lines)
