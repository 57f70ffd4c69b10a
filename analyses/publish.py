"""Puts the generated tree in the place of the committed one, file by file and atomically; or, with
--check, shows where the committed one is stale or was edited by hand.

Some pages take minutes and are made only when they are named. Each has a directory apart from the
generated tree: inputs.json with a hash of each thing that it is made of, and, where it was made,
its part of the reports. Unless it is named, the committed one stays; hashes check it.

Exit codes: 0 done, 1 stale or edited, 2 usage or content, 3 input or output."""

import argparse
import pathlib
import subprocess
import sys

from cite.published import verdict_of
from report.files import fnv1a, read_json, write

REPORTS = pathlib.PurePath("reports")
RESULTS = REPORTS / "results.json"
# What differs from machine to machine: published along, never compared.
PROVENANCE = REPORTS / "provenance.json"
# Made by ./dev reports NAME of what is installed for them, or measured.
MADE_BY_NAME = {REPORTS / "implementations.md", REPORTS / "performance.md"}


def files_below(root, folder="."):
    """Relative to the root."""
    return {path.relative_to(root) for path in (root / folder).rglob("*") if path.is_file()}


def difference(committed, generated):
    """`diff -u` of two files; a missing one counts as empty."""
    try:
        return subprocess.run(
            ["diff", "-u", "--label", f"{committed} (committed)", "--label",
             f"{committed} (generated)", committed if committed.exists() else "/dev/null",
             generated], stdout=subprocess.PIPE, encoding="utf-8", errors="surrogateescape").stdout
    except FileNotFoundError:
        return f"{committed} differs (install diffutils to see how)\n"


def is_left_behind(file):
    """Whether a file that nothing generates may go: one that a page leaves behind when a figure is
    renamed, or a killed run. A page or a note of somebody's own stays."""
    return file.suffix == ".writing" or file.parent in {
        REPORTS / folder for folder in ("figures", "data", "badges", "evidence")}


class Apart:
    """A page that is made apart, and whether it was named."""

    def __init__(self, folder, named):
        self.folder, self.topic, self.is_named = folder, folder.name, folder.name in named
        self.page = REPORTS / f"{self.topic}.md"
        self.evidence = REPORTS / f"evidence/{self.topic}.md"
        self.data = REPORTS / f"data/{self.topic}.json"

    def has(self, file):
        return file in (self.page, self.evidence, self.data) or (
            file.parent in (REPORTS / "figures", REPORTS / "data")
            and file.name.startswith(f"{self.topic}_"))

    def staleness(self, repository):
        """What the committed page, not made again, is no longer made of: "" if it is current."""
        for file in (self.page, self.evidence, self.data):
            if not (repository / file).exists():
                return f"{self.page}: {file} is not there\n"
        record = read_json(repository / self.data)
        before, now = record.get("inputs", {}), read_json(self.folder / "inputs.json")["hashes"]
        told = [f"{name} {'has changed' if name in before else 'was added'} since"
                for name, hash in now.items() if before.get(name) != hash]
        told += [f"{name} is gone since" for name in before if name not in now]
        content = [(repository / file).read_bytes() for file in (self.page, self.evidence)]
        if record.get("page") != fnv1a(b"".join(content)):
            told.append(f"it, or {self.evidence}, is not as it was made")
        return "".join(f"{self.page}: {one}\n" for one in told)


def generated_files(site, repository, apart):
    """Where each file is: pages that are made apart are those that were made now, or as they are
    committed."""
    files = {file: site / file for file in files_below(site)}
    for one in apart:
        root = one.folder if one.is_named else repository
        if one.is_named and not (root / one.page).is_file():
            raise FileNotFoundError(f"{root / one.page}: is named, and was not made")
        files |= {file: root / file for file in files_below(root, REPORTS) if one.has(file)}
    return files


def differences(generated, repository):
    """What is changed, and what is there that nothing generates."""
    committed = files_below(repository, REPORTS)
    changed = [file for file, source in sorted(generated.items()) if file != PROVENANCE and not (
        (repository / file).is_file()
        and (repository / file).read_bytes() == source.read_bytes())]
    return changed, sorted(committed - generated.keys() - MADE_BY_NAME)


def verdicts_of(path):
    return {row["id"]: verdict_of(row) for row in read_json(path)["claims"]}


def changed_verdicts(site, repository):
    """A line for each claim whose verdict differs, "topic.claim: true → false"."""
    if not (repository / RESULTS).exists():
        return ""
    now = verdicts_of(site / RESULTS)
    try:
        before = verdicts_of(repository / RESULTS)
    except (KeyError, TypeError, ValueError):  # a conflict of a merge in it, or another layout
        print(f"publish: the committed {RESULTS} cannot be read: made anew", file=sys.stderr)
        return ""
    return "".join(f"{id}: {before.get(id, '(no such claim)')} → {verdict}\n"
                   for id, verdict in now.items() if before.get(id) != verdict)


def check(asked, apart, generated, changed, surplus):
    """What it says, and the exit code."""
    out = [difference(asked.repository / file, generated[file]) for file in changed]
    out += [f"{file}: in the reports, but nothing generates it\n" for file in surplus]
    out.append(changed_verdicts(asked.site, asked.repository))
    stale = {one: one.staleness(asked.repository) for one in apart if not one.is_named}
    for one in filter(stale.get, stale):
        print(f"publish: {one.page} is stale or edited; ./dev reports {one.topic} remakes it",
              file=sys.stderr)
    if changed or surplus:
        print(f"publish: {len(changed + surplus)} of the reports are stale or edited; "
              "./dev reports remakes them", file=sys.stderr)
    said = "".join((*out, *stale.values()))
    return said, int(bool(changed or surplus or any(stale.values())))


def replace(asked, generated, changed, surplus):
    """What it says."""
    verdicts = changed_verdicts(asked.site, asked.repository)
    for file in changed:
        write(asked.repository / file, generated[file].read_bytes())
    for file in filter(is_left_behind, surplus):
        (asked.repository / file).unlink(missing_ok=True)
    if changed or surplus or not (asked.repository / PROVENANCE).exists():
        write(asked.repository / PROVENANCE, (asked.site / PROVENANCE).read_bytes())
    if not changed and not surplus:
        print("The reports are current.", file=sys.stderr)
    went = {True: "removed", False: "kept: nothing generates it, so it is yours"}
    out = [f"{file}\n" for file in changed]
    out += [f"{file} ({went[is_left_behind(file)]})\n" for file in surplus]
    return "".join(out) + (verdicts and f"verdicts changed:\n{verdicts}")


def publish(asked):
    apart = [Apart(folder, asked.named) for folder in asked.apart]
    generated = generated_files(asked.site, asked.repository, apart)
    found = differences(generated, asked.repository)
    said, code = (check(asked, apart, generated, *found) if asked.check
                  else (replace(asked, generated, *found), 0))
    with open(sys.stdout.fileno(), "wb", closefd=False) as out:
        out.write(said.encode(errors="surrogateescape"))
    return code


def folder(text):
    if not pathlib.Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text}: no such directory")
    return pathlib.Path(text)


def main():
    parser = argparse.ArgumentParser(prog="publish", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=folder, help="the generated tree")
    parser.add_argument("repository", type=folder, help="the repository")
    parser.add_argument("--check", action="store_true",
                        help="change nothing; exit 1 with the difference if there is one")
    parser.add_argument("--apart", type=pathlib.Path, nargs="+", action="extend", default=[],
                        help="where a page is made that takes minutes: .../<topic>")
    parser.add_argument("--named", nargs="+", action="extend", default=[],
                        help="the topics of such pages that were made now")
    try:
        return publish(parser.parse_args())
    except (OSError, KeyError, ValueError) as error:
        told = f"what is published has no {error}" if isinstance(error, KeyError) else error
        print(f"publish: {told}", file=sys.stderr)
        return 3 if isinstance(error, OSError) else 2


if __name__ == "__main__":
    sys.exit(main())
