"""Merges what the analyses measured: results.json, the answer, the questions and the index of
claims, the pages about certainty, folklore, ports, a trained table, what to do and what answers in
the browser, and the generated part of the README.

Exit codes: 0 done, 2 usage or words that do not fit what was measured, 3 input or output."""

import argparse
import json
import pathlib
import sys

from merged import certainty, decide, equivalence, folklore, front, port, trained
from merged.commands import Commands
from merged.sentence import Results
from report.files import read_json, write
from report.markdown import GENERATED_NOTE, Words


def rows_of(file):
    """What an analysis wrote: a row by each claim's id, and as it is written."""
    text, rows = file.read_text(encoding="utf-8"), {}
    start, decoder = text.index("{"), json.JSONDecoder()
    while start >= 0:
        row, end = decoder.raw_decode(text, start)
        rows[row["id"]] = row, text[start:end]
        start = text.find("{", end)
    return rows


def merge(reports, declared):
    """The rows of all claims in the order of the catalogue, and results.json of them."""
    rows, texts, measured = {}, [], {}
    for topic in dict.fromkeys(id.partition(".")[0] for id in declared["claims"]):
        file = reports / f"data/{topic}.json"
        if file.exists():
            measured |= rows_of(file)
    for id in declared["claims"]:
        if id not in measured:
            raise ValueError(f"{id}: no analysis has measured it (looked in {reports / 'data'})")
        rows[id], text = measured[id]
        texts.append(text)
    claims = ",\n ".join(texts)
    return rows, f'{{\n "version": "{declared["version"]}",\n "claims": [\n {claims}\n ]\n}}\n'


def plain(words):
    """A page that says nothing of what was measured."""
    return f"{GENERATED_NOTE}# {words.title}\n\n{words.introduction}\n"


def compose(project, out, commands):
    """What is to be written, by its path: all that may be refused, before anything is."""
    analyses, reports = project / "analyses", out / "reports"

    def words_of(page):
        return Words((analyses / page).read_text(encoding="utf-8"), page.rpartition("/")[2])

    declared = commands.declared()
    rows, text = merge(reports, declared)
    score = read_json(project / "properties/mutation/score.json")
    results = Results(rows, declared, score["total"])
    words = words_of("answer.md")
    readme = (project / "README.md").read_text(encoding="utf-8")
    schema = (analyses / "report/results.schema.json").read_text(encoding="utf-8")
    return {
        out / "README.md":
            front.with_block(readme, "answer", front.in_short(results, words, "reports/")),
        reports / "results.schema.json": schema,
        reports / "provenance.json": json.dumps(declared["provenance"], indent=1) + "\n",
        reports / "figures/equivalence.svg":
            equivalence.drawing(results, equivalence.comparisons(words)),
        reports / "folklore.md": folklore.page(results, words_of("folklore.md")),
        reports / "decide.md":
            decide.page(results, words_of("decide.md"), analyses / "decide.toml", commands),
        reports / "certainty.md": certainty.page(results, words_of("certainty.md")),
        reports / "port.md": port.page(results, words_of("port.md"), commands),
        **{reports / file: text for file, text in
           trained.files(analyses / "trained", words_of("trained/page.md"), commands).items()},
        reports / "questions.md": front.questions_page(results, words),
        reports / "explore.md": plain(words_of("explore/page.md")),
        reports / "README.md": front.page(results, words),
        reports / "results.json": text}


def main():
    parser = argparse.ArgumentParser(prog="answer", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for option, about in (("--project", "the project's directory"),
                          ("--out", "the tree that holds reports/"),
                          ("--programs", "where declared and embedscale are")):
        parser.add_argument(option, type=pathlib.Path, required=True, help=about)
    asked = parser.parse_args()
    try:
        for path, text in compose(asked.project, asked.out, Commands(asked.programs)).items():
            write(path, text)
    except (OSError, KeyError, ValueError) as error:
        told = f"what was measured has no {error}" if isinstance(error, KeyError) else error
        print(f"answer: {told}", file=sys.stderr)
        return 3 if isinstance(error, OSError) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
