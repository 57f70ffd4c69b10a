"""The front of the reports, reports/README.md, and the page of questions. A question is the section
"question why-scale-up" of the words, with the parts title, asked (keys of sources.hpp; may be
missing) and answer, where code may stand between lines of ``` behind its items, and perhaps figure,
"name: what it shows"."""

import re
from dataclasses import dataclass

from cite.published import verdict_of
from merged.equivalence import as_lists, comparisons
from merged.folklore import label_of
from merged.sentence import (as_list, count_sentences, findings, items, link_to, on_one_line,
                             sentences, text_of)
from report.markdown import GENERATED_NOTE, fill, table

QUESTION = "question "  # how the sections of questions begin
MOST_IN_SHORT, MOST_IN_ANSWER, MOST_ON_FRONT = 6, 3, 8


@dataclass
class Question:
    anchor: str  # "why-scale-up"
    title: str
    asked: list
    answer: list

    def section(self):
        return QUESTION + self.anchor


def halves(words, item):
    """"Up or down: a, b" as its two halves."""
    first, colon, second = item.partition(": ")
    if not colon:
        raise ValueError(f"{words.name}: '{item}' has no name and colon")
    return first, second


def question(words, anchor):
    section = QUESTION + anchor
    keys = words.part(section, "asked").split() if words.has_part(section, "asked") else []
    made = Question(anchor, on_one_line(words.part(section, "title")), keys,
                    sentences(words, section, "answer"))
    for is_wrong, why in (
            (not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", anchor), "is no anchor"),
            (not 1 <= len(made.answer) <= MOST_IN_ANSWER,
             f"{len(made.answer)} items in its answer instead of 1 to {MOST_IN_ANSWER}"),
            (not any(one.carriers for one in made.answer), "no claim stands behind its answer")):
        if is_wrong:
            raise ValueError(f"{words.name}: section '{section}': {why}")
    return made


def groups_of(words):
    """The questions under their headings, in the order of their list, "Up or down: why-scale-up,
    does-it-matter", which has each exactly once; none without one."""
    groups, listed = [], []
    for item in items(words, "questions", "list") if words.has_part("questions", "list") else []:
        title, anchors = halves(words, item)
        anchors = [anchor.lstrip(" ") for anchor in anchors.split(",")]
        listed += anchors
        groups.append((title, [question(words, anchor) for anchor in anchors]))
    for anchor in listed:
        if listed.count(anchor) > 1:
            raise ValueError(f"{words.name}: the list of questions has '{anchor}' twice")
    for section in words.sections:
        if section.startswith(QUESTION) and section.removeprefix(QUESTION) not in listed:
            raise ValueError(f"{words.name}: section '{section}' is not in the list of questions")
    return groups


def threads(results, words, one):
    """Where it was asked, as links to the threads."""
    sources, links = results.declared["sources"], []
    for key in one.asked:
        if key not in sources:
            raise ValueError(f"{words.name}: question '{one.anchor}': no source '{key}'")
        address = sources[key]["address"]
        links.append(f"[{label_of(address)}]({address})" if address else sources[key]["name"])
    return f"Asked: {' · '.join(links)}\n\n" if links else ""


def answered(results, words, one):
    """The sentences, then what carries them."""
    said = [text_of(results, sentence) for sentence in one.answer]
    count = sum(map(count_sentences, said))
    if not 1 <= count <= MOST_IN_ANSWER:
        raise ValueError(f"{words.name}: question '{one.anchor}': its answer has {count} sentences "
                         f"to show instead of 1 to {MOST_IN_ANSWER}")
    text = "".join(f"- {sentence}\n" for sentence in said)
    text += "".join(f"\n```python\n{code}```\n" for code in words.blocks[one.section()])
    if words.has_part(one.section(), "figure"):
        name, caption = halves(words, on_one_line(words.part(one.section(), "figure")))
        text += f"\n![{one.title}](figures/{name}.svg)\n\n*{caption}*\n"
    return (f'<a id="{one.anchor}"></a>\n\n### {one.title}\n\n{threads(results, words, one)}'
            f"{text}\n<sub>{findings(results, one.answer)}</sub>\n")


def questions_page(results, words):
    """reports/questions.md."""
    groups = groups_of(words)
    out = f"{GENERATED_NOTE}# Questions and short answers\n\n"
    if words.has_part("questions", "text"):
        out += words.part("questions", "text") + "\n\n"
    for title, questions in groups:
        out += f"- {title}\n"
        out += "".join(f"  - [{one.title}](#{one.anchor})\n" for one in questions)
    for title, questions in groups:
        out += f"\n## {title}\n"
        out += "".join("\n" + answered(results, words, one) for one in questions)
    return out


def most_asked(groups, words):
    """Links to the questions that were asked in most places, at equal numbers in the list's
    order."""
    all = sorted((one for _, questions in groups for one in questions),
                 key=lambda one: -len(one.asked))
    out = fill(words.part("questions", "front"), {"count": f"{len(all):,}"}, words.name) + "\n\n"
    return out + "".join(f"- [{one.title}](questions.md#{one.anchor})\n"
                         for one in all[:MOST_ON_FRONT])


def topics(results, words):
    """Links to the topics that have a page, by the names that the words have for them."""
    names = dict(halves(words, item) for item in items(words, "topics", "names"))
    topics = dict.fromkeys(row["topic"] for row in results.rows.values())
    return ", ".join(f"[{names.get(topic, topic)}]({topic}.md)" for topic in topics)


def in_short(results, words, prefix=""):
    """The lines that stand for the whole."""
    lines = sentences(words, "in short", "sentences")
    if not 1 <= len(lines) <= MOST_IN_SHORT:
        raise ValueError(f"{words.name}: section 'in short': {len(lines)} sentences instead of 1 "
                         f"to {MOST_IN_SHORT}")
    return as_list(results, lines, prefix)


def page(results, words):
    """reports/README.md."""
    groups, rows = groups_of(words), results.rows.values()
    undecided = "".join(f"- “{row['belief']}” <sub>{link_to(row)}</sub>\n"
                        for row in rows if row["verdict"] == "open")
    parts = [("In short", in_short(results, words)),
             (words.part("drawing", "title"),
              f"{words.part('drawing', 'text')}\n\n"
              f"![{on_one_line(words.part('drawing', 'alternative text'))}]"
              "(figures/equivalence.svg)\n\n<details>\n<summary>The same in words, with the claims"
              f"</summary>\n\n{as_lists(results, comparisons(words))}\n</details>\n"),
             ("Words used here", words.part("terms", "text") + "\n")]
    if groups:
        parts.append(("Questions and short answers", most_asked(groups, words)))
    parts += [("What remains open",
               f"{words.part('open', 'text')}\n" + (f"\n{undecided}" if undecided else "")),
              ("Cite, check, read on",
               fill(words.part("read on", "text"), {"topics": topics(results, words)}, words.name)
               + "\n"),
              ("All claims", f"{words.part('claims', 'text')}\n\n" + table(
                  "Finding|People say|Verdict on that",
                  [[link_to(row), f"“{row['belief']}”", verdict_of(row)] for row in rows]))]
    return f"{GENERATED_NOTE}# {words.title}\n\n{words.introduction}\n\n" + "\n".join(
        f"## {title}\n\n{text}" for title, text in parts)


def with_block(text, name, block):
    """`text` with what stands between <!-- name:begin --> and <!-- name:end --> replaced."""
    begin, end = (f"<!-- {name}:{mark} -->" for mark in ("begin", "end"))
    before, is_begun, behind = text.partition(begin)
    _, is_ended, after = behind.partition(end)
    if not is_begun or not is_ended:
        raise ValueError(f"README.md: needs {begin} and, after it, {end}")
    return f"{before}{begin}\n\n{block}\n{end}{after}"
