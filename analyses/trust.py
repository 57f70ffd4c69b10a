"""Writes the page about the checks: reports/trust.md and what belongs to it, but for the figure, as
./dev reports trust asks for it. What is counted is trust.cpp's, the words are trust.md.

Exit codes: 0 done, 2 usage or inputs that the words do not fit, 3 input or output."""

import argparse
import json
import pathlib
import sys

import trust_counts
import trust_records
from report.files import fnv1a, read_json, write
from report.markdown import GENERATED_NOTE, Words, figure, fill

LAST = "What this page does not show"


def page(words, counts, inputs):
    """The page, its evidence and its numbers."""
    alarms, all_alarms = trust_counts.false_alarms(counts, inputs["declared"])
    misses, all_misses = trust_counts.misses(counts, inputs["declared"])
    sections = {"False alarms": (alarms, "", all_alarms),
                "Misses": (misses, "", all_misses),
                "The ledger": trust_records.ledger(inputs),
                "Mutants": trust_records.mutants(inputs),
                "One per cent": trust_records.one_percent(inputs),
                "Source mutants": trust_records.source_mutants(inputs),
                "The same bits": trust_records.same_bits(inputs)}
    fields = {name: text for its, _, _ in sections.values() for name, text in its.items()}

    def said(part):
        return fill(words.part("trust", part), fields, words.name)

    text = f"{GENERATED_NOTE}# {words.title}\n\n{fill(words.introduction, fields, words.name)}\n\n"
    evidence = f"{GENERATED_NOTE}# Evidence: {words.title}\n\n{said('evidence')}\n"
    for heading, (_, shown, whole) in sections.items():
        anchor = heading.replace(" ", "-")
        if heading == "False alarms":
            shown = figure(**counts["figure"], caption=said("figure"))
        text += f"## {heading}\n\n{said(heading)}\n\n" + (f"{shown}\n" if shown else "")
        if whole:
            text += f"[Whole tables](evidence/trust.md#{anchor})\n\n"
            evidence += f'\n<a id="{anchor}"></a>\n\n## {heading}\n\n{whole}'
    text += f"## {LAST}\n\n{said(LAST)}\n"
    numbers = {"kinds": trust_counts.record(counts), "inputs": inputs["hashes"],
               "page": fnv1a((text + evidence).encode())}
    return text, evidence, numbers


def main():
    parser = argparse.ArgumentParser(prog="trust", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for option, about in (("--words", "the page's words"),
                          ("--inputs", "what trust_inputs.py collected"),
                          ("--counts", "what the program trust counted"),
                          ("--out", "the directory of reports")):
        parser.add_argument(option, type=pathlib.Path, required=True, help=about)
    asked = parser.parse_args()
    try:
        words = Words(asked.words.read_text(encoding="utf-8"), asked.words.name)
        text, evidence, numbers = page(words, read_json(asked.counts), read_json(asked.inputs))
        write(asked.out / "evidence/trust.md", evidence)
        write(asked.out / "data/trust.json",
              json.dumps(numbers, indent=1, ensure_ascii=False) + "\n")
        write(asked.out / "trust.md", text)
    except (OSError, KeyError, ValueError) as error:
        told = f"what was recorded has no {error}" if isinstance(error, KeyError) else error
        print(f"trust: {told}", file=sys.stderr)
        return 3 if isinstance(error, OSError) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
