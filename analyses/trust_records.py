"""Of the page about the checks what the tests recorded, as tables: the ledger's entries, the
mutants, the source mutants; and in which ways the committed reports were made, as ./dev identity
found. Each section is the fields of its words, a table of the page and the evidence's."""

from report.markdown import at_most, significant, table
from trust_counts import listed


def counted(row, key):
    """A count of a record, which tests write as text."""
    return f"{int(row[key]):,}"


def shortened(row, key):
    """A number that a test recorded as text, with three digits."""
    return significant(float(row[key]), 3)


def spoken(name):
    return name.replace("_", " ")


def property_of(row):
    return f"{row['claim']}: {spoken(row['property'])}"


def rejected(row):
    return "rejected" if row["passed"] else "**survives**"


def kind_of(inputs, claim):
    return inputs["declared"]["claims"].get(claim, {"kind": "no such claim"})["kind"]


def ledger(inputs):
    declared, recorded = inputs["declared"], {}
    entries = declared["entries"]
    for row in inputs["ledger"]:
        if row["spends"] == "alpha":  # on its null
            recorded.setdefault(row["ledger"], row)
    rows = []
    for entry in entries:
        row = recorded.get(entry["id"])
        seen = ([shortened(row, "smallest_effect"), counted(row, "draws"), counted(row, "grid")]
                if row else ["**no record**", "—", "—"])
        rows.append([entry["id"], entry["kind"], significant(entry["alpha"], 1),
                     significant(entry["beta"], 1), significant(entry["effect"], 3), *seen,
                     entry["about"]])
    found = [recorded[entry["id"]] for entry in entries if entry["id"] in recorded]
    fields = {
        "entries": str(len(entries)),
        "recorded": str(len(found)),
        "entries_failed": str(sum(not row["passed"] for row in found)),
        "unproved": str(sum(entry["kind"] == declared["unproved_kind"] for entry in entries)),
        **{f"sum_{rate}": at_most(declared["sum"][rate]) for rate in ("alpha", "beta")},
        **{f"most_{rate}": significant(declared["most"][rate], 1) for rate in ("alpha", "beta")}}
    return fields, "", table("Entry|Kind of check|α:|β:|Effect cared about:|Smallest effect seen:|"
                             "Draws:|Cases:|Why that effect", rows)


def killed(rows):
    return sum(row["passed"] for row in rows)


def of_the_ledger(inputs):
    """Mutants that its checks on draws reject, with their entries; not those of its own tests."""
    entries = {entry["id"]: entry for entry in inputs["declared"]["entries"]}
    return [(row, entries[row["ledger"]]) for row in inputs["ledger"]
            if row["spends"] == "beta" and row["ledger"] in entries]


def mutants(inputs):
    claims, all = inputs["declared"]["claims"], inputs["mutants"]
    by_kind = {}
    for row in all:
        by_kind.setdefault(kind_of(inputs, row["claim"]), []).append(row)
    kinds = [[kind, str(len(rows)), str(killed(rows)),
              f"{max(int(row['cases']) for row in rows):,}"]
             for kind, rows in sorted(by_kind.items())]
    each = [[spoken(row["subject"]), property_of(row), kind_of(inputs, row["claim"]),
             counted(row, "cases"), rejected(row)] for row in all]
    drawn = of_the_ledger(inputs)
    statistical = [[entry["id"], entry["kind"], counted(row, "grid"), shortened(row, "effect"),
                    shortened(row, "smallest_effect"), counted(row, "draws"),
                    row.get("mutants", ""), rejected(row)] for row, entry in drawn]
    of_facts = [row for row in all if claims.get(row["claim"], {}).get("role") == "fact"]
    fields = {
        "mutants": str(len(all)),
        "killed": str(killed(all)),
        "claims_killed": str(killed(all) - killed(of_facts)),
        "facts_killed": str(killed(of_facts)),
        "statistical_mutants": str(sum(int(row["grid"]) for row, _ in drawn)),
        "statistical_killed": str(sum(int(row["grid"]) for row, _ in drawn if row["passed"]))}
    evidence = table("Entry|Kind of check|Mutants:|Effect of the faintest:|Smallest effect seen:|"
                     "Draws:|What they are, and their effects|", statistical) + "\n"
    return (fields,
            table("Kind of claim|Mutants:|Rejected:|Most cases before:", kinds) if all else "",
            (evidence if drawn else "")
            + (table("Mutant|Rejected by|Kind of claim|Cases before:|", each) if all else ""))


def one_percent(inputs):
    """Errors of 1 %, also one that no record rejects."""
    planted = {"a distribution's standard deviation": [
        (row, row["ledger"], row["kind"], "—", counted(row, "draws")) for row in inputs["ledger"]
        if "standard deviation one percent high" in row.get("mutants", "")]}
    for of, subject in (("√d, the multiplier", "multiplies_by_one_percent_more"),
                        ("1/√d_k, attention's scale", "scales_logits_by_one_percent_more")):
        planted[of] = [
            (row, property_of(row), kind_of(inputs, row["claim"]), counted(row, "cases"), "—")
            for row in inputs["mutants"] if row["subject"] == subject]
    rows, caught = [], 0
    for of, found in planted.items():
        for row, by, kind, cases, draws in found:
            caught += row["passed"]
            told = by if row["passed"] else f"**not caught** by {by}"
            rows.append([of, kind, told, cases, draws])
        if not found:
            rows.append([of, "—", "**not caught**: no record", "—", "—"])
    fields = {"one_percent_caught": str(caught), "one_percent_planted": str(len(rows))}
    return (fields,
            table("1 % too much of|Kind of check|Rejected by|Cases before:|Draws:", rows), "")


def source_mutants(inputs):
    score = inputs["mutation"]
    total = score["total"]
    fates = ("mutants", "killed", "timed_out", "survived", "equivalent", "invalid")
    rows = [[name, *(counted(tally, fate) for fate in fates),
             significant(100 * tally["score"], 3) + " %"]
            for name, tally in [*((f"`{one['header']}`", one) for one in score["headers"]),
                                ("all", total)]]
    fields = {
        "mutation_seed": str(score["seed"]),
        **{field: significant(100 * total[key], 3) for field, key in (
            ("score", "score"), ("score_lower", "lower"), ("score_upper", "upper"))},
        "score_confidence": significant(100 * (1 - score["interval_alpha"]), 2),
        "tried": counted(total, "mutants"),
        "judged": f"{sum(total[fate] for fate in ('killed', 'timed_out', 'survived')):,}",
        "population": counted(score, "population"),
        "least_score": significant(100 * score["least_score"], 2),
        "unexplained": str(len(score["unexplained"]))}
    survivors = [f"- Survives unexplained: `{one['id']}`, `{one['before']}` → `{one['after']}`\n"
                 for one in score["unexplained"]]
    # The explanations as people wrote them: an id, and below it, indented, why.
    for line in score["explanations"].split("\n"):
        if line.strip(" ") and not line.startswith("#"):
            survivors.append(f"  {line.lstrip(' ')}\n" if line.startswith(" ") else f"- `{line}`:\n")
    header = "Header|Mutants:|Killed:|Timed out:|Survived:|Argued equivalent:|Invalid:|Score:"
    return fields, "", "\n".join([table(header, rows), *filter(None, ["".join(survivors)])])


def number(value):
    return value if isinstance(value, str) else significant(value, 2)


def each(names):
    """Each once, in their order."""
    return listed(dict.fromkeys(names))


def same_bits(inputs):
    record = inputs["identity"]
    tried = record["tried"]
    fields = {
        **{f"identity_{key}": counted(record, key)
           for key in ("pages", "files", "rows", "values", "values_that_differ")},
        "identity_ways": str(len(tried)),
        "identity_files_that_differ": f"{sum(one['files_that_differ'] for one in tried):,}",
        "identity_libc": record["libc"],
        "identity_hash": record["reports"],
        **{"identity_functions": listed(one["other_bits"], ", ") for one in record["functions"]},
        "identity_builds": each(f"{one['build']} ({one['version']})" for one in tried),
        "identity_instructions": each(one["instructions"] for one in tried),
        "identity_threads": each(counted(one, "threads") for one in tried)}
    # One thing at a time, and then all.
    rows = [[one["changed"] or "nothing", one["way"],
             *(counted(one, f"{what}_that_differ") for what in ("files", "rows", "values")),
             *([number(one["largest"]), f"`{one['where']}`"] if one["values_that_differ"] > 0
               else ["—", "—"])]
            for one in tried if "," not in one["changed"] or one == tried[-1]]
    differences = "".join(f"- {one['way']}: `{one['file']}`, {one['row']}: `{one['committed']}` "
                          f"committed, `{one['made']}` made\n" for one in record["differences"])
    nearest = [[f"`{one['quantity']}`", f"`{one['place']}`", significant(one["value"], 6),
                counted(one, "digits"),
                *(number(one[key]) for key in ("moved", "distance", "times"))]
               for one in record["nearest"]]
    evidence = [table("Quantity|At|Value:|Digits written:|Moved by:|From another last digit:|"
                      "Times:", nearest)] if nearest else []
    return (fields,
            table("Changed|Made by|Files that differ:|Rows that differ:|Values that differ:|"
                  "By at most:|There", rows),
            "\n".join([*filter(None, [differences]), *evidence]))
