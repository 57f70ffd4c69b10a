"""The page "How sure is each claim?": claims by what they rest on, the most fragile first, and
among equals those of which least was tried. The words are certainty.md:

  ## weakest          ### title, ### sentences: the claims most likely to be wrong
  ## ranking          ### title, ### text: before the table of all
  ## statistical, …   for each kind of evidence:
  ### rests on        why such a claim holds
  ### overturned by   what would show that it does not"""

import itertools

from identity.compare import measurements_in
from merged.sentence import as_list, link_to, on_one_line, sentences
from report.markdown import GENERATED_NOTE, table

KINDS = ("trained", "read", "statistical", "quadrature", "bounded", "exhaustive", "exact")


def kind_of(row):
    """Its place among the kinds."""
    if row["kind"] not in KINDS:
        raise ValueError(f"{row['id']}: there is no kind of evidence '{row['kind']}'")
    return KINDS.index(row["kind"])


def tried(row):
    """How much: of a trained claim the comparisons that speak against the belief, and of how many;
    of another its cases, and 0; of what was read nothing, as its cases say nothing of the
    reading."""
    if row["kind"] == "read":
        return 0, 0
    if row["kind"] == "trained":
        for one in measurements_in(row):
            if one["quantity"] == "against":
                return int(one["value"]), one["samples"]
    return row["evaluated"], 0


def shown(row):
    count, of = tried(row)
    if count == 0:
        return "not counted"
    return f"{count:,} of {of:,}" if of else f"{count:,}"


def rank(row):
    count, of = tried(row)
    return kind_of(row), count / of if of else count


def counts_systems(row):
    """Whether its page counts systems of the atlas, which its verdict does not rest on."""
    return row["kind"] != "read" and any("over the atlas" in group["method"]
                                         for group in row["measurements"])


def table_of_kinds(ranked, words):
    rows = []
    for kind, group in itertools.groupby(ranked, lambda row: row["kind"]):
        first, *others = group
        rows.append([f"**{kind}**", str(1 + len(others)),
                     *(on_one_line(words.part(kind, part))
                       for part in ("overturned by", "rests on")),
                     f"[{first['id']}]({first['anchor']}): {shown(first)}"])
    return table("Rests on|Claims:|What would overturn it|Why it holds|Least tried", rows)


def table_of_claims(ranked):
    return table(":|Finding|Tried:|Rests on|Wrong primitives rejected:",
                 [[str(number), link_to(row), shown(row),
                   row["kind"] + (", counts read" if counts_systems(row) else ""),
                   f"{row['mutants']['killed']:,}"] for number, row in enumerate(ranked, 1)])


def page(results, words):
    """reports/certainty.md."""
    ranked = sorted(results.rows.values(), key=rank)
    weakest = as_list(results, sentences(words, "weakest", "sentences"))
    return (f"{GENERATED_NOTE}# {words.title}\n\n{words.introduction}\n\n"
            f"## {words.part('weakest', 'title')}\n\n{weakest}\n{table_of_kinds(ranked, words)}\n"
            f"## {words.part('ranking', 'title')}\n\n{words.part('ranking', 'text')}\n\n"
            f"{table_of_claims(ranked)}")
