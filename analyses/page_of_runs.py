"""Writes a page of what was run apart: reports/implementations.md or reports/performance.md, as
./dev reports NAME asks for it.

Exit codes: 0 done, 2 usage or runs that the words do not fit, 3 input or output."""

import argparse
import json
import pathlib
import sys

import implementations
import performance
from report.files import write
from report.markdown import Words


def page(asked):
    project, file = asked.project, asked.project / f"analyses/{asked.name}.md"
    words = Words(file.read_text(encoding="utf-8"), file.name)
    if asked.name == "implementations":
        return implementations.page(implementations.read(asked.runs), words,
                                    implementations.anchors(project),
                                    implementations.hash_of(project))
    works = (project / "analyses/performance/works.json").read_text(encoding="utf-8")
    return performance.page(performance.read(asked.runs), json.loads(works)["goals"], words,
                            asked.machine)


def main():
    parser = argparse.ArgumentParser(prog="page_of_runs", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=("implementations", "performance"))
    parser.add_argument("--project", type=pathlib.Path, required=True,
                        help="the project's directory")
    parser.add_argument("--runs", type=pathlib.Path, required=True,
                        help="the directory of what was found, or of rounds")
    parser.add_argument("--machine", default="", help="where rounds were measured")
    asked = parser.parse_args()
    try:
        write(asked.project / f"reports/{asked.name}.md", page(asked))
    except (OSError, KeyError, ValueError) as error:
        told = f"what was run has no {error}" if isinstance(error, KeyError) else error
        print(f"page_of_runs: {told}", file=sys.stderr)
        return 3 if isinstance(error, OSError) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
