"""What is published of a claim: its row of results.json, its entry in the styles of a bibliography,
its numbers as people write them. Python 3.9 and nothing else."""

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
            for key in ("topic", "finding", "belief", "verdict", "condition", "premise", "anchor",
                        "fields", "measurements"):
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

URL = "https://github.com/embedscale/embedscale"
YEAR = "2026"  # of what is not released yet
NOT_RELEASED = {"version": "", "commit": "", "date": "", "claims": {}}


def read_release(path):
    """release.json: the commit that was released, and the digest of each row that it has."""
    try:
        release = json.loads(path.read_bytes())
        texts = [release[key] for key in NOT_RELEASED if key != "claims"]
        if not all(isinstance(text, str) for text in (*texts, *release["claims"].values())):
            raise ValueError("what is to be text is none")
        return release
    except OSError as error:
        raise Refused(f"{path}, which is published beside results.json: {error.strerror}",
                      INPUT_OUTPUT) from None
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise Refused(f"{path}: not as ./dev release writes it: {error}") from None


def verdict_of(row):
    """With its condition: "true if m is a power of two", "premise true, reason not shown"."""
    verdict, condition = row["verdict"], row["condition"]
    said = f"{verdict} {condition}" if condition else verdict
    if not verdict.startswith("premise"):
        return said
    return said + (" (reason not shown)" if condition else ", reason not shown")


def digest_of(row):
    """Of what a citation repeats of a row: 64 bits of FNV-1a."""
    said = "\n".join((row["finding"], row["belief"], verdict_of(row), row["premise"] or ""))
    value = 0xcbf29ce484222325
    for byte in said.encode():
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return f"{value:016x}"


def is_released(row, release):
    """Whether the row says what was released: the same finding, belief and verdict."""
    return release["claims"].get(row["id"]) == digest_of(row)


def permalink(row, release):
    """The claim's section: at the commit that was released where it has the row, otherwise on
    main."""
    commit = release["commit"] if is_released(row, release) else "main"
    return f"{URL}/blob/{commit}/reports/{row['anchor']}"


def fields_of(row, release):
    """What every style has. The title is the finding, so that a citation is true without the
    verdict; one whose row is not what was released says so and leads to main."""
    fields = {"author": "The embedscale authors", "title": row["finding"], "year": YEAR}
    state = "embedscale, not released yet: what is linked may change"
    if is_released(row, release):
        fields.update(year=release["date"][:4], version=release["version"])
        state = f"embedscale {release['version']}, commit {release['commit'][:12]}"
    premise = f". Premise: {row['premise']}" if row["premise"] else ""
    note = f"{state}. Verdict on “{row['belief']}”: {verdict_of(row)}{premise}"
    return {**fields, "url": permalink(row, release), "note": note}


def for_tex(plain):
    r"""Outside of \url. What is beyond ASCII stays: see the head of claims.bib."""
    signs = {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}"}
    return re.sub(r"[\\^~_%&#$]", lambda found: signs.get(found[0], "\\" + found[0]), plain)


def bibtex(id, fields):
    shown = {**fields, "author": f"{{{fields['author']}}}",
             "title": f"{{{for_tex(fields['title'])}}}",
             "url": f"\\url{{{fields['url']}}}", "note": for_tex(fields["note"])}
    lines = (f"  {'howpublished' if key == 'url' else key} = {{{value}}},\n"
             for key, value in shown.items())
    return f"@misc{{embedscale:{id},\n{''.join(lines)}}}\n"


def cited(row, release, style):
    """A claim's entry."""
    id, fields = row["id"], fields_of(row, release)
    url, said = fields["url"], f"embedscale: {id} = {row['verdict']}"
    if style == "bibtex":
        return bibtex(id, fields)
    if style == "latex":
        address = re.sub(r"([#%])", r"\\\1", url)
        return (f"\\href{{{address}}}{{{for_tex(fields['title'])}}}~\\cite{{embedscale:{id}}}"
                f" % {said}\n")
    if style == "markdown":
        title = re.sub(r"([\\`*_\[\]<>])", r"\\\1", fields["title"])
        return f"[{title}]({url}) <!-- {said} -->\n"
    version = fields.get("version")
    if style == "csl":
        item = {"id": f"embedscale:{id}", "type": "webpage", "title": fields["title"],
                "author": [{"literal": fields["author"]}], "container-title": "embedscale",
                "issued": {"date-parts": [[int(fields["year"])]]}, "URL": url,
                "note": fields["note"]}
        return json.dumps({**item, **({"version": version} if version else {})},
                          ensure_ascii=False)
    lines = [("TY", "ELEC"), ("ID", f"embedscale:{id}"), ("AU", fields["author"] + ","),
             ("TI", fields["title"]), ("T2", "embedscale"), ("PY", fields["year"]),
             *([("ET", version)] if version else []),
             ("UR", url), ("N1", fields["note"]), ("ER", "")]
    return "".join(f"{tag}  - {value}\r\n" for tag, value in lines)
