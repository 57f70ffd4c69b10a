"""The page "What do real implementations do?": what `embedscale check --json` found in functions of
others, a file NAME.FORMAT.json for each of them and each format. The words are implementations.md:

  ## tables            ### implementations, ### operations: before each table;
                       ### violated, ### bounds: headings
  ## NAME              an implementation, by the name of its files
  ### claim.property   of what it violates: whose error it is, and what it does to a model;
                       "*" for all that no other part is about"""

import functools
import json

from report.files import fnv1a
from report.markdown import GENERATED_NOTE, significant, table


def read(directory):
    """The runs in an order: name, format and what was found."""
    return [(*file.stem.rsplit(".", 1), json.loads(file.read_text(encoding="utf-8")))
            for file in sorted(directory.glob("*.json"), key=lambda file: file.stem)]


def anchors(project):
    """Where a page is about a claim, by its id."""
    results = json.loads((project / "reports/results.json").read_text(encoding="utf-8"))
    return {claim["id"]: claim["anchor"] for claim in results["claims"]}


def hash_of(project):
    """One hash of all implementations' sources, as they are below the project: of others the page
    is stale."""
    below = project / "properties/subject/implementations"
    hashes = {file.relative_to(below).as_posix(): fnv1a(file.read_bytes())
              for file in below.rglob("*") if file.is_file()}
    return fnv1a("".join(f"{path} {hash}\n" for path, hash in sorted(hashes.items())).encode())


def is_ill(finding):
    return finding["verdict"] in ("violated", "failed")


def property_of(finding):
    return f"{finding['claim']}.{finding['property']}"


def table_of_implementations(runs):
    rows = [(run["subject"], format, str(sum(map(is_ill, run["findings"]))),
             str(len(run["findings"])), f"{sum(one['cases'] for one in run['findings']):,}")
            for _, format, run in runs]
    return table("Implementation|Format|Violated:|Properties:|Cases:", rows)


def table_of_operations(runs):
    """How many properties that ask an operation alone hold, and how close they come to their
    bounds."""
    asking = {}
    for _, format, run in runs:
        for finding in run["findings"]:
            operations = {asked.split(" ")[0] for asked in finding["asked"]}  # "down (binary32)"
            if len(operations) == 1:
                asking.setdefault((*operations, run["subject"], format), []).append(finding)
    rows = []
    for (operation, subject, format), findings in sorted(asking.items()):
        ill = sum(map(is_ill, findings))
        worst = max(finding["worst_share_of_bound"] or 0 for finding in findings)
        share = "violated" if ill else significant(worst, 2) if worst else "—"
        rows.append((f"`{operation}`", format, share, subject, str(ill), str(len(findings))))
    return table("Operation|Format|Worst share:|Implementation|Violated:|Properties:", rows)


def counterexample(finding):
    """The simplest one, as a call."""
    return "\n".join([*finding["calls"][:1], finding["explanation"]])


def item(findings, anchors):
    """A property, with its claim's place, or with what it states where no page is about it, and the
    formats of its findings."""
    first, *_ = findings.values()
    anchor = anchors.get(first["claim"])
    told = (f"[{property_of(first)}]({anchor})" if anchor
            else f"`{property_of(first)}` (that {first['states']})")
    return f"- {told}, in {', '.join(findings)}\n"


def violated(name, runs, words, anchors):
    """What one implementation violates, by the part of its words: each property in its own, or all
    others in "*", with the first counterexample that shows numbers."""
    ill = {}  # by property, by format
    for format, run in ((format, run) for of, format, run in runs if of == name):
        for finding in filter(is_ill, run["findings"]):
            ill.setdefault(property_of(finding), {})[format] = finding
    parts = {}
    for of, findings in sorted(ill.items()):
        part = of if words.has_part(name, of) else "*"
        if not words.has_part(name, part):
            finding = json.dumps(findings, indent=1, ensure_ascii=False)
            raise ValueError(
                f"{words.name}: '## {name}' has no '### {of}', which is violated: {finding}")
        parts.setdefault(part, []).append(findings)
    said = {}
    for part, all in parts.items():
        first = [[*findings.values()][0] for findings in all]
        shown = next((one for one in first if "the library gives" in counterexample(one)), first[0])
        said[part] = (f"{words.part(name, part)}\n\n```text\n{counterexample(shown)}\n```\n\n"
                      + "".join(item(findings, anchors) for findings in all) + "\n")
    return said


def page(runs, words, anchors, hash):
    """reports/implementations.md. Refused: what is violated and has no words, and words of what is
    not violated."""
    subjects = {name: run["subject"] for name, _, run in runs}
    said = {name: violated(name, runs, words, anchors) for name in sorted(subjects)}
    for name, parts in words.sections.items():
        for part in parts if name != "tables" else ():
            if part not in said.get(name, ()) and part != "introduction":
                raise ValueError(f"{words.name}: '## {name}', '### {part}' is not violated")
    violations = ""
    for name, parts in said.items():
        in_order = sorted(parts, key=lambda part: (part == "*", part))  # "*" are the others
        violations += f"### {subjects[name]}\n\n" if parts else ""
        violations += "".join(map(parts.get, in_order))
    tables = functools.partial(words.part, "tables")
    return (f"{GENERATED_NOTE}<!-- Of implementations {hash}. -->\n\n"
            f"# {words.title}\n\n{words.introduction}\n\n"
            f"{tables('implementations')}\n\n{table_of_implementations(runs)}\n"
            f"## {tables('violated')}\n\n{violations}"
            f"## {tables('bounds')}\n\n{tables('operations')}\n\n{table_of_operations(runs)}")
