"""A sentence that stands on claims. It names each claim that carries it with the verdict on the
belief that it presumes, and its figures are fields of those claims:

  - Of {topic.claim systems} systems, {topic.claim balanced} are balanced. {false topic.claim}

or look-ups in their measurements (measured.py), {topic.claim ratio system=gpt2}. With another
verdict there is no page. "{claim topic.claim}" stands for the claim's own sentence. What is said of
the project as a whole stands on a page instead, "{page trust.md}", and may have the figures that
total() knows, "{trust.md mutants}"."""

import re
from dataclasses import dataclass, field

from cite.published import verdict_of
from merged.measured import looked_up
from report.markdown import at_most, filled, significant

OWN, OF_PAGE = "claim", "page"
TAG = re.compile(f"(premise true if|premise true|true if|true|false|open|{OWN}|{OF_PAGE}) (.*)",
                 re.S)
TYPED_IN = re.compile("[0-9][.,][0-9]|[0-9] ?%")


@dataclass
class Results:
    """The rows of results.json by id; what the code declares; and the score of source mutation,
    where it is known."""
    rows: dict
    declared: dict
    source_mutants: dict = field(default_factory=dict)


@dataclass
class Sentence:
    where: str  # "answer.md, section 'S0', part 'answer', item 2", for complaints
    words: str  # as written, on one line
    carriers: list = field(default_factory=list)  # (id, verdict), which is "" for a claim's own
    pages: list = field(default_factory=list)  # as addresses below reports/

    def refuse(self, why):
        raise ValueError(f"{self.where}: {why}")

    def row(self, results, id):
        if id not in results.rows:
            self.refuse(f"no claim named '{id}'")
        return results.rows[id]


def on_one_line(text):
    return text.replace("\n", " ")


def tidied(text):
    """Without the spaces that a tag leaves before it and at the ends."""
    return re.sub(" +", " ", text).strip(" ")


def count_sentences(text):
    """By what ends them."""
    return len(re.findall(r'[.?!][*_"”)]*(?:[ \n]|$)', text))


def answer_in(text):
    """Without what stands in italics before it: the question or saying that it answers."""
    return re.sub(r"^\*(?!\*)[^*]*\*", "", text)


def sentence(words, where):
    """A list item, checked."""
    made, figures, whole = Sentence(where, words), [], False

    def bare_of(name):
        nonlocal whole
        tag = TAG.fullmatch(name)
        if not tag:
            figures.append(name.partition(" ")[0])
            return "x"
        kind, id = tag.groups()
        whole = whole or kind == OWN
        if kind == OF_PAGE:
            made.pages.append(id)
        else:
            made.carriers.append((id, "" if kind == OWN else kind))
        return ""

    bare = tidied(filled(words, bare_of, where))
    named = {*(id for id, _ in made.carriers), *made.pages}
    if not named:
        made.refuse(f"'{words}' names no claim that carries it")
    for id in figures:
        if id not in named:
            made.refuse(f"has a figure of '{id}', which it does not name")
    answer = answer_in(bare)
    if TYPED_IN.search(answer):
        made.refuse(f"'{bare}' has a figure typed in: name a field")
    if bare if whole else count_sentences(answer) != 1 or answer[-1] not in ".?!":
        made.refuse(f"'{bare}' is not one sentence")
    return made


def items(words, section, part):
    """The items of a part of the words, "- …", each of them on one or more lines."""
    all = []
    for line in words.part(section, part).split("\n"):
        if line.startswith("- "):
            all.append(line[2:])
        elif line and not all:
            raise ValueError(f"{words.name}: section '{section}', part '{part}': '{line}' is in no "
                             "item")
        elif line:
            all[-1] += " " + line
    return all


def sentences(words, section, part):
    """The items of a part as sentences; none where the words do not have the part."""
    if not words.has_part(section, part):
        return []
    return [sentence(item, f"{words.name}, section '{section}', part '{part}', item {number}")
            for number, item in enumerate(items(words, section, part), 1)]


def total(results, name):
    """A figure of the whole project; None for another name."""
    score, rates = results.source_mutants, results.declared["rates"]
    if name in ("judged", "noticed") and not score:
        return None
    figures = {
        "settled": lambda: f"{len(results.rows):,}",
        "mutants": lambda: f"{sum(row['mutants']['total'] for row in results.rows.values()):,}",
        "rejected": lambda: f"{sum(row['mutants']['killed'] for row in results.rows.values()):,}",
        # Not those that do not compile or are argued equivalent.
        "judged": lambda: f"{score['killed'] + score['timed_out'] + score['survived']:,}",
        "noticed": lambda: significant(100 * score["score"], 2),
        "alarm": lambda: at_most(rates["alpha"]),
        "miss": lambda: at_most(rates["beta"])}
    return figures[name]() if name in figures else None


def figure(results, one, name):
    """What the page of the topic shows for that field; or a measurement."""
    id, _, asked = name.partition(" ")
    if id in one.pages:
        return total(results, asked) or one.refuse(f"no total named {{{name}}}")
    row = one.row(results, id)
    if asked in ("condition", "counterexample") and row[asked]:
        return row[asked]
    if asked in row["fields"]:
        return row["fields"][asked]
    try:
        return looked_up(row, results.declared["claims"].get(id, {}), asked)
    except ValueError as error:
        return one.refuse(f"no field named {{{name}}}, nor one measurement: {error}")


def require_verdicts(results, one):
    for id, presumed in one.carriers:
        row = one.row(results, id)
        if presumed and row["verdict"] != presumed:
            one.refuse(f"presumes that {id} is '{presumed}', but its verdict is "
                       f"'{verdict_of(row)}': write the sentence anew ({one.words})")


def text_of(results, one):
    """The words with their fields filled in, without links; with the verdicts that they presume."""
    require_verdicts(results, one)

    def value(name):
        tag = TAG.fullmatch(name)
        if not tag:
            return figure(results, one, name)
        return one.row(results, tag[2])["summary"] if tag[1] == OWN else ""

    return tidied(filled(one.words, value, one.where))


def link_to(row):
    return f"[{row['finding']}]({row['anchor']})"


def short_link(row, prefix=""):
    """By the claim's short name, as the topic is in the address."""
    return f"[{row['id'].partition('.')[2]}]({prefix}{row['anchor']})"


def links_to_pages(one, prefix=""):
    return [f"[{address.rpartition('/')[2]}]({prefix}{address})" for address in one.pages]


def links(results, one, prefix=""):
    """To what carries a sentence."""
    return " · ".join([*(short_link(one.row(results, id), prefix) for id, _ in one.carriers),
                       *links_to_pages(one, prefix)])


def findings(results, all):
    """Links to what carries some sentences, each once and by its finding: an id, or the verdict on
    its own belief, may read as the opposite."""
    found = [link for one in all
             for link in (*(link_to(one.row(results, id)) for id, _ in one.carriers),
                          *links_to_pages(one))]
    return " · ".join(dict.fromkeys(found))


def as_list(results, all, prefix=""):
    """Sentences with their links, as a Markdown list."""
    return "".join(f"- {text_of(results, one)} <sub>{links(results, one, prefix)}</sub>\n"
                   for one in all)
