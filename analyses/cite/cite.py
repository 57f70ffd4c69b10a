#!/usr/bin/env python3
"""Citations of claims: entries for a bibliography, and a check of what other people's documentation
says of a claim; README.md beside this file tells of its marks. It needs Python 3.9, published.py
and a results.json, and nothing else of this project, so that it runs where nothing is built.

The text of a file is its bytes: what is no UTF-8 goes through as it came, as do the ends of lines.
"""

import argparse
import bisect
import os
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True  # beside what a package installed

from published import (DONE, FINDINGS, INPUT_OUTPUT, STYLES, Refused, Wrong, cited,  # noqa: E402
                       current, nearest, read_release, read_results, row_of)

MOST_BYTES = 16 << 20  # of a file: more is no documentation

# How a comment of one line begins, by the suffix of a file's name; what has HTML comments.
LINE_COMMENTS = {
    **dict.fromkeys((".md", ".markdown", ".mdx", ".myst", ".qmd", ".rmd"), r"^[ \t\ufeff]*%+"),
    **dict.fromkeys((".rst", ".rest", ".txt"), r"^[ \t\ufeff]*\.\.(?=[ \t])"),
    **dict.fromkeys((".tex", ".ltx", ".sty", ".cls"), r"(?<![\\%])%+"),
    **dict.fromkeys((".py", ".pyi"), r"(?:(?<!\#)\#+|^[ \t]*\.\.(?=[ \t]))"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), None)}
WITHOUT_HTML = {".tex", ".ltx", ".sty", ".cls"}
MARK = r"[ \t]*((?i:embedscale)[ \t]*:.*|\{=.*)"


def html_comments(text):
    """Where each begins and ends, and what it says; an end of None where it is not closed."""
    start, end = text.find("<!--"), text.find("-->")
    while start >= 0:
        if 0 <= end < start:
            end = text.find("-->", start)
        following = text.find("<!--", start + 4)
        if end < 0 or 0 <= following < end:
            yield start, None, text[start + 4:following if following >= 0 else len(text)].strip()
        else:
            yield start, end + 3, text[start + 4:end].strip()
        start = following


def marks_of(text, suffix):
    """Each mark: where it is, what it says, where its number is to stand (none: not closed), and
    whether a mark ends that place, not the line."""
    comments = [] if suffix in WITHOUT_HTML else [
        one for one in html_comments(text) if re.match(r"(?i:embedscale)\s*:|\{=|/\Z", one[2])]
    for index, (start, end, said) in enumerate(comments):
        closing = comments[index + 1] if index + 1 < len(comments) else (0, None, "")
        if said != "/":
            closed = end is not None and (said[0] != "{" or closing[2] == "/")
            yield start, said, (end, closing[0]) if closed else None, True
    if LINE_COMMENTS[suffix] is None:
        return
    of_line = re.compile(LINE_COMMENTS[suffix] + MARK)
    start, waiting = 0, []
    for line in text.splitlines(keepends=True):
        ending = start + len(line)
        found = of_line.search(line)
        place = (start, start + found.start()) if found else (start, ending)
        if text[slice(*place)].strip("\ufeff \t\r\n"):
            yield from ((*one, place, False) for one in waiting)
            waiting = []
        if found:
            mark = (start + found.start(), found[1].strip())
            if text[slice(*place)].strip("\ufeff \t\r\n"):
                yield (*mark, place, False)
            else:
                waiting.append(mark)
        start = ending
    yield from ((*one, (start, start), False) for one in waiting)


def judged(rows, mark, places, text, minus):
    """Checks a mark. Where another text is to stand in its place: this, what is there and what is
    to be there, what of, and what is published.

    Raises Wrong.
    """
    _, said, place, is_inline = mark
    said = " ".join(said.split())
    if place is None:
        raise Wrong(f"the mark '{said[:60]}' is not closed: "
                    + ("<!--/--> ends its place" if said.startswith("{") else "--> ends it"))
    if said.startswith("{="):
        id, _, asked = said[2:-1].strip().partition(" ")
        if not said.endswith("}"):
            raise Wrong(f"'{said[:60]}' is to be {{=ID NAME}}")
        if any(place[0] < end and start < place[1] or place == (start, end)
               for start, end in places):
            raise Wrong("another mark has the same place: each number needs one of its own")
        places.add(place)
        row, there = row_of(rows, id), text[slice(*place)]
        should, exact = current(row, asked, there, is_inline, minus)
        return None if should == there else (place, there, should, f"{id} {asked.strip()}", exact)
    id, equals, verdict = (part.strip() for part in said.partition(":")[2].partition("="))
    if not equals:
        raise Wrong(f"'{said[:60]}' is to be embedscale: ID = VERDICT")
    row = row_of(rows, id)
    whole = f"{row['verdict']} {row['condition']}" if row["condition"] else row["verdict"]
    if verdict not in (row["verdict"], whole):
        raise Wrong(f"{id} is said to be '{verdict}', but its verdict is '{whole}'")
    return None


LINK = re.compile(r"(?:\?[\w=&-]*)?\\?#((?:[A-Za-z]|\\?_)+\.(?:[A-Za-z0-9]|\\?_)+)")


def links_of(text, rows, is_report):
    """Each link to a claim: where, and what is wrong with it, if anything is. A report's own links
    have its folder alone."""
    for found in LINK.finditer(text):
        before = text[max(0, found.start() - 300):found.start()]
        head = re.split(r"[\s\"'`<>()\[\]{}|,]", before)[-1]
        id, address = found[1].replace("\\", ""), head.replace("\\", "")
        page = re.search(r"([A-Za-z_]+)\.(md|html)\Z", address)
        if page and (re.search("embedscale.*/", address) or is_report and page[2] == "md"
                     or re.search("(^|/)reports/[^/]*md$", address)):
            try:
                anchor = row_of(rows, id)["anchor"] or ""
                wrong = None if anchor.startswith(page[1] + ".md#") else f"{id} stands in {anchor}"
            except Wrong as error:
                wrong = str(error)
            yield found.start(), wrong


def checked(rows, text, suffix, is_report):
    """What is wrong, each with its line and whether --write mends it; how many marks and links
    there are; what to put in which places."""
    wrong, changes, number, places = [], [], 0, set()
    minus = "-" if suffix in WITHOUT_HTML or suffix.startswith(".py") else "−"
    for where, said in links_of(text, rows, is_report):
        number += 1
        if said:
            wrong.append((where, said, False))
    for mark in marks_of(text, suffix):
        number += 1
        try:
            if change := judged(rows, mark, places, text, minus):
                place, there, should, name, exact = change
                changes.append((place, should))
                new, old = (" ".join(one.split())[:200] for one in (should, there))
                wrong.append((mark[0], f"{name} is {exact} now: '{new}', not '{old}'", True))
        except Wrong as error:
            wrong.append((mark[0], str(error), False))
    ends = [found.start() for found in re.finditer("\n", text)]
    told = [(bisect.bisect_left(ends, where) + 1, *rest) for where, *rest in sorted(wrong)]
    return told, number, changes


# --- files

def files_below(paths):
    """Each file once: those of a kind that has marks below a directory, and each that is named."""
    seen = set()
    for path in map(pathlib.Path, paths):
        if not path.exists():
            raise Refused(f"{path}: no such file or directory", INPUT_OUTPUT)
        if not path.is_dir() and path.suffix.lower() not in LINE_COMMENTS:
            raise Refused(f"{path}: of no kind that is known: {' '.join(LINE_COMMENTS)}")
        found = [path]
        if path.is_dir():
            found = []
            for directory, folders, names in os.walk(path):
                folders[:] = sorted(one for one in folders
                                    if not one.startswith(".") and one != "node_modules")
                found += (pathlib.Path(directory, name) for name in sorted(names))
        for file in found:
            real = os.path.realpath(file)
            if file.suffix.lower() in LINE_COMMENTS and os.path.isfile(real) and real not in seen:
                seen.add(real)
                yield file


def write(path, content):
    """In one step, and where a link points to; the file keeps its mode."""
    path = os.path.realpath(path)
    handle, made = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".cite-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(made, os.stat(path).st_mode & 0o7777)
        os.replace(made, path)
    except BaseException:
        os.unlink(made)
        raise


def check(rows, asked):
    findings = looked_at = files = 0

    def tell(path, line, what):
        if asked.annotations:
            quoted = str(path).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
            what = what.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
            print(f"::error file={quoted},line={line},title=embedscale cite::{what}")
        else:
            print(f"{path}:{line}: {what}")

    for path in files_below(asked.what):
        files += 1
        try:
            content = path.read_bytes() if path.stat().st_size <= MOST_BYTES else b"\0"
            if b"\0" in content:
                findings += 1
                tell(path, 1, "no text, or more of it than is read")
                continue
            text = content.decode("utf-8", "surrogateescape")
            wrong, number, changes = checked(rows, text, path.suffix.lower(),
                                             any((one / "results.json").exists()
                                                 for one in path.absolute().parents[:2]))
            looked_at += number
            if asked.write and changes:
                for (start, end), should in sorted(changes, reverse=True):
                    text = text[:start] + should + text[end:]
                write(path, text.encode("utf-8", "surrogateescape"))
        except OSError as error:
            raise Refused(f"{path}: {error.strerror}", INPUT_OUTPUT) from None
        for line, what, is_mended in wrong:
            if asked.write and is_mended:
                print(f"{path}:{line}: written: {what}")
            else:
                findings += 1
                tell(path, line, what)
    print(f"{files} files, {looked_at} marks and links, {findings} findings", file=sys.stderr)
    if looked_at == 0 and findings == 0 and not asked.allow_none:
        raise Refused("no mark and no link to a claim, so that nothing was checked; "
                      "--allow-none lets that pass")
    return FINDINGS if findings else DONE


def cite(rows, release, asked):
    for id in asked.what:
        if id not in rows:
            raise Refused(f"no claim is named '{id}'{nearest(id, rows)}; list names all")
    texts = [cited(rows[id], release, asked.style) for id in asked.what]
    print("[" + ",\n ".join(texts) + "]\n" if asked.style == "csl" else
          ("\n" if asked.style == "bibtex" else "").join(texts), end="")
    return DONE


def arguments(given):
    parser = argparse.ArgumentParser(
        "embedscale cite", description="Entries of claims for a bibliography, or a check of what "
        "documentation says of claims by marks and links.",
        epilog="Exit codes: 0 done, 1 findings, 2 usage or content, 3 input or output.")
    parser.add_argument("what", nargs="*", metavar="ID|PATH",
                        help="claims to cite; with --check or --write, files and directories of "
                        "Markdown, MyST, reStructuredText, HTML, LaTeX, Python")
    parser.add_argument("--style", choices=STYLES, default=STYLES[0],
                        help="of an entry: bibtex")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--check", action="store_true",
                     help="check marks and links; exit 1 on a finding")
    way.add_argument("--write", action="store_true",
                     help="check them, and put the published numbers into marked places")
    parser.add_argument("--results", metavar="FILE",
                        help="a results.json (default: the installed one)")
    parser.add_argument("--allow-none", action="store_true", help="pass where nothing is marked")
    parser.add_argument("--annotations", action="store_true", help="findings as GitHub shows them")
    asked = parser.parse_intermixed_args(given)
    if not asked.what:
        parser.error("name a claim, or a path with --check or --write")
    return asked


def main(given):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    asked = arguments(given)
    here = pathlib.Path(__file__).absolute().parent
    installed = here.parent / "results.json"
    in_project = here.parent.parent / "reports/results.json"
    results = pathlib.Path(asked.results or (installed if installed.exists() else in_project))
    try:
        rows = read_results(results)
        if asked.check or asked.write:
            return check(rows, asked)
        return cite(rows, read_release(results.with_name("release.json")), asked)
    except Refused as error:
        print(f"embedscale: cite: {error}", file=sys.stderr)
        return error.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
